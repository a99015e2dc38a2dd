"""A model that is asked through files: the lines of a batch, written and read, and the answers put where live ones would be.

Format: OpenAI's Batch API reference. A line of the file that is sent holds ``custom_id``, ``method``, ``url``, ``body``; a line
of a file that comes back ``id``, ``custom_id``, ``response`` (``status_code``, ``request_id``, ``body``), ``error``. vLLM's
``run-batch`` takes and writes the same; its failures stand in ``error`` beside a response without a body.

Pure: no file, no network, no clock.
"""

from __future__ import annotations

import hmac
import json
import math
import re
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from memopt.errors import MemoptError, ModelError, UsageError
from memopt.models.base import Ask, Failed, Reply, used_by
from memopt.models.wire import Dialect, Outcome, Problem, error_of, read
from memopt.usage import Price, Usage

if TYPE_CHECKING:
    from memopt.models.openai import OpenAIModel

URL = "/v1/chat/completions"
MOST_REQUESTS = 50_000
"""Requests that OpenAI takes in one file."""
MOST_BYTES = 200_000_000
"""Bytes that OpenAI takes in one file."""

_ID = re.compile(r"memopt-([0-9a-f]{8})-[0-9a-f]{32}")
_ID_IN_LINE = re.compile(rb'"custom_id"\s*:\s*"(memopt-[0-9a-f]{8}-[0-9a-f]{32})"')
_PASSING_CODES = re.compile(r"expired|cancel|timeout|timed out", re.IGNORECASE)


# -- lines -------------------------------------------------------------------------------------------------------------


def request_line(custom_id: str, payload: Mapping[str, Any]) -> bytes:
    """One request as a line of the file that is sent, with its line break."""
    line = {"custom_id": custom_id, "method": "POST", "url": URL, "body": payload}
    text = json.dumps(line, ensure_ascii=False, separators=(",", ":"))
    # characters that some readers of lines take for the end of one
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode() + b"\n"


def batch_of(custom_id: str) -> str | None:
    """The batch that an id of a request belongs to; None where it is none of memopt's."""
    match = _ID.fullmatch(custom_id)
    return None if match is None else match[1]


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one request: an HTTP status and a body."""

    status: int
    body: str

    @property
    def outcome(self) -> Outcome:
        """As it would have come over the wire."""
        return Outcome(self.status, {"content-type": "application/json"}, self.body)

    @property
    def problem(self) -> Problem | None:
        """Why there is no answer in it; None where there is one, usable or not."""
        heard = read(self.outcome, 0.0)
        return heard if isinstance(heard, Problem) else None

    def to_json(self) -> str:
        """As it is kept."""
        return json.dumps([self.status, self.body], ensure_ascii=True)

    @classmethod
    def from_json(cls, text: str) -> Answer:
        """The inverse of ``to_json``."""
        status, body = json.loads(text)
        return cls(int(status), str(body))


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file of results.

    Attributes:
        custom_id: whose answer it is; None where that cannot be told.
        answer: None where the line holds none.
        request: whether it is a line of a file of requests.
    """

    custom_id: str | None
    answer: Answer | None = None
    request: bool = False


def read_line(line: bytes) -> Line:
    """Read a line of a file of results. One that is cut off or broken has no answer, and its id where that can be told."""
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        found = _ID_IN_LINE.findall(line)
        return Line(found[0].decode() if len(found) == 1 else None)
    custom_id = value.get("custom_id") if isinstance(value, dict) else None
    if not isinstance(custom_id, str):
        return Line(None)
    if "response" not in value and "error" not in value:
        return Line(custom_id, request="body" in value)
    return Line(custom_id, _answer(value.get("response"), value.get("error")))


def _answer(response: Any, error: Any) -> Answer | None:
    if isinstance(response, dict):
        status = response.get("status_code")
        body = response if status is None and "choices" in response else response.get("body")
        if type(status) is not int:
            status = 200
        if body is not None and (200 <= status < 300 or not error):
            return Answer(status, body if isinstance(body, str) else json.dumps(body, ensure_ascii=False))
        if error or not 200 <= status < 300:
            return Answer(status if status >= 300 else _status(error), _error_body(error))
        return None
    return Answer(_status(error), _error_body(error)) if error else None


def _error_body(error: Any) -> str:
    return json.dumps(error if isinstance(error, dict) and "error" in error else {"error": error or "no reason is given"})


def _status(error: Any) -> int:
    """The HTTP status that an error without one stands for: whether the same request may succeed the next time."""
    message, code, status = error_of(error if isinstance(error, dict) and "error" in error else {"error": error})
    if status is not None:
        return status
    words = f"{code} {message}"
    if _PASSING_CODES.search(words):
        return 408
    if "rate_limit" in words:
        return 429
    return 400 if "invalid" in words else 500


# -- conversations -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request whose answer is not known.

    Attributes:
        model: the name of the model that it is for.
        failed: what the same request got before, where that may pass.
    """

    custom_id: str
    model: str
    ask: Ask
    payload: Mapping[str, Any]
    failed: Problem | None = None


class Unanswered(MemoptError):
    """Carries the requests that have to be answered first, out of the run that asked them."""

    kind = "unanswered"

    def __init__(self, wanted: Sequence[Wanted]) -> None:
        super().__init__(f"{len(wanted)} answers are not known yet")
        self.wanted = tuple(wanted)


class RequestFailed(ModelError):
    """One request of a batch failed; the others may have succeeded."""

    kind = "request"


@dataclass(frozen=True, slots=True)
class Service:
    """The service that a batch is for.

    Attributes:
        name: the model.
        endpoint: where it would be asked; nothing is sent there.
        context_tokens: how much fits into one request and its answer; None: by the model's name.
        without: what is left out of the requests.
    """

    name: str
    endpoint: str
    context_tokens: int | None = None
    without: Dialect = field(default_factory=Dialect)


def read_without(words: Sequence[str]) -> Dialect:
    """What to leave out of requests: ``schema``, ``system``, ``temperature``. Raises UsageError for anything else."""
    for word in words:
        if word not in ("schema", "system", "temperature"):
            raise UsageError(f"--without takes schema, system or temperature, not {word!r}")
    return Dialect("schema" not in words, "system" not in words, "temperature" not in words)


def dialect_of(name: str, without: Dialect) -> Dialect:
    """What a model takes, as far as its name tells: OpenAI's models that reason take no temperature. A live run learns that from
    the first refusal; here it would cost every user a round."""
    plain = name.lower().rpartition("/")[2]
    reasons = re.match(r"(?:o\d|gpt-[5-9])(?![a-z])", plain) is not None and "chat" not in plain
    return without.both(Dialect(temperature=not reasons))


class _Side:
    """The model of a conversation, or its judge: satisfies ``memopt.models.base.Model``."""

    def __init__(self, talk: Conversation, service: Service, count_tokens: Callable[[str], int] | None) -> None:
        self._talk, self._service, self._count_tokens = talk, service, count_tokens
        self.dialect = dialect_of(service.name, service.without)
        made = self.make()
        self.name, self.endpoint, self.context_tokens = made.name, made.endpoint, made.context_tokens

    def make(self) -> OpenAIModel:
        """A fresh one for every request, so that what one answer teaches does not depend on the order of the others."""
        from memopt.models.address import PLACEHOLDER_KEY
        from memopt.models.openai import OpenAIModel

        return OpenAIModel(
            self._service.name,
            self._service.endpoint,
            PLACEHOLDER_KEY,
            context_tokens=self._service.context_tokens,
            max_retry_after=math.inf,  # whoever waits for a file has waited long enough
            count_tokens=self._count_tokens,
            environ={},
            dialect=self.dialect,
        )

    def answer(self, ask: Ask) -> Reply:
        return self._talk.answer(self, ask)

    async def aanswer(self, ask: Ask) -> Reply:
        return self.answer(ask)


class Conversation:
    """One user's requests, answered from what came back in files: a model, a judge, and the watch of the strategies' requests.

    The strategies are run from their beginning each time; as they only depend on the memories and the answers, they ask the same
    again. A request is known by a keyed digest of what is sent, of whose it is and of how often the user asked the same before,
    so that the order of the answers does not matter, the same request may be repeated, and no id tells of a user.

    Args:
        batch: eight hexadecimal digits that begin all ids of the batch.
        key: secret of the batch.
        whose: the user and the state of the memories; another state has other ids.
        known: the answer to a request, by its id; None where there is none.
        count_tokens: as for ``OpenAIModel``.

    Attributes:
        used: ids of the answers that were used.
        wanted: the requests that have to be answered first. Where there is one, whatever the strategies made is of no use.
        refused: the last answer that could not be used, if the strategy went on from it.
        usage: what the answers took.
    """

    def __init__(
        self,
        *,
        batch: str,
        key: bytes,
        whose: str,
        service: Service,
        judge: Service | None,
        known: Callable[[str], Answer | None],
        price: Price | None = None,
        count_tokens: Callable[[str], int] | None = None,
    ) -> None:
        self._batch, self._key, self._whose = batch, key, whose
        self._known, self._price = known, price
        self.model = _Side(self, service, count_tokens)
        self.judge = None if judge is None else _Side(self, judge, count_tokens)
        self._before: Counter[bytes] = Counter()
        self._ready: deque[Reply | ModelError] = deque()
        self.used: set[str] = set()
        self.wanted: list[Wanted] = []
        self.refused: ModelError | None = None
        self.usage = Usage()

    # -- the watch -----------------------------------------------------------------------------------------------------

    def asking(self, asks: Sequence[Ask], used: Usage) -> None:
        """Find the answers to requests that were asked together. Raises Unanswered where one is missing."""
        self._ready.clear()
        learned: list[tuple[_Side, Dialect]] = []
        for ask in asks:
            side = self.judge if ask.judge and self.judge is not None else self.model
            found = self._find(side, ask, learned)
            if found is not None:
                self._ready.append(found)
        if self.wanted:
            raise Unanswered(self.wanted)
        self._learn(learned)

    def repeating(self) -> None:
        """Nothing is sent."""

    def answered(self, ask: Ask, reply: Reply | Failed) -> None:
        """Count what it took."""
        if isinstance(reply, Reply):
            self.usage += reply.usage
            return
        self.refused = reply.error
        self.usage += used_by(reply.error, 0)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost, as far as there is a price and the service told its tokens."""
        return usage if self._price is None else self._price.on(usage)

    # -- the models ----------------------------------------------------------------------------------------------------

    def answer(self, side: _Side, ask: Ask) -> Reply:
        """The answer to a request: the next of those that were found together, or for a strategy that asks by itself, its own."""
        if self._ready:
            found: Reply | ModelError | None = self._ready.popleft()
        else:
            learned: list[tuple[_Side, Dialect]] = []
            found = self._find(side, ask, learned)
            self._learn(learned)
        if found is None:
            raise Unanswered(self.wanted)
        if isinstance(found, ModelError):
            raise found
        return found

    def _find(self, side: _Side, ask: Ask, learned: list[tuple[_Side, Dialect]]) -> Reply | ModelError | None:
        model = side.make()
        exchange = model.payloads(ask)
        failed: Problem | None = None
        try:
            payload = next(exchange)
            while True:
                custom_id = self._id(payload)
                answer = self._known(custom_id)
                if answer is None:
                    self.wanted.append(Wanted(custom_id, side.name, ask, payload, failed))
                    return None
                self.used.add(custom_id)
                failed = answer.problem
                payload = exchange.send(answer.outcome)
        except StopIteration as done:
            learned.append((side, model.dialect))
            reply: Reply = done.value
            return reply
        except ModelError as error:
            learned.append((side, model.dialect))
            # a live run ends where one such error shows that no request can succeed, or where many follow each other
            return RequestFailed(str(error), **error.details) if error.kind in ("model", "model-unusable") else error

    def _learn(self, learned: Sequence[tuple[_Side, Dialect]]) -> None:
        for side, dialect in learned:
            side.dialect = side.dialect.both(dialect)

    def _id(self, payload: Mapping[str, Any]) -> str:
        sent = sha256(json.dumps(payload, sort_keys=True).encode("ascii")).digest()
        self._before[sent] += 1
        told = f"{self._before[sent]}\x1f{self._whose}".encode("utf-8", "surrogatepass")
        return f"memopt-{self._batch}-{hmac.digest(self._key, sent + told, 'sha256').hex()[:32]}"
