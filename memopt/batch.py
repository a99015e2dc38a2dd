"""A run over many users whose model is asked through files, as batch services and vLLM's batch runner take them.

``Export`` runs the strategies up to the first requests of each user and writes those to a file. ``Import`` runs them again
with the answers that came back, as far as those reach: a user whose answers are all there gets a plan, the next requests of one
who needs another round go into the next file. Strategies need not know: they only yield requests (``models.batch.Conversation``).
"""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any, ClassVar

from memopt.errors import ConflictError, LimitError, MemoptError, ModelError, PlanFileError, StrategyError, UsageError
from memopt.fleet import Budget, Candidate, Fleet, Outcome, Ready, Selection, Started, Status, Summary, Terms, Work, recipe_of
from memopt.folder import PlanFolder
from memopt.manager import DEFAULT_MAX_REWRITES, MemoryManager
from memopt.models.batch import (
    MOST_BYTES,
    MOST_REQUESTS,
    Answer,
    Conversation,
    RequestFailed,
    Service,
    Unanswered,
    Wanted,
    batch_of,
    read_line,
    request_line,
)
from memopt.models.wire import Dialect, Heard, read
from memopt.plan import Filters, Plan, StoreRef, plan_digest
from memopt.protect import Protection
from memopt.stores.base import MemoryStore
from memopt.stores.batches import BatchFile
from memopt.strategies.base import MemoryOptimizationStrategy, Proposal, used_by
from memopt.tokens import DEFAULT_ENCODING, TokenFigures, token_count
from memopt.usage import Price, Usage

LONGEST_LINE = 64 * 2**20
"""Bytes of a line of results; a longer one is broken."""
AGAIN = ("missing", "failed", "stale")
"""What ``Import`` may ask for again: requests without a result line, failed ones, and users whose memories moved on."""


class NextRound(MemoptError):
    """A user's answers lead to further requests, and there is no file to write them to."""

    kind = "next-round"


class AnswerMissing(MemoptError):
    """Requests of a user have no line in the results."""

    kind = "missing"


# -- what a batch is ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Batch:
    """All that decides what is made of a batch's answers, apart from the memories. Holds no key of a service.

    Attributes:
        batch_id, key: eight hexadecimal digits that begin the ids of the requests, and the secret they are made with.
        strategies, options: as for ``strategies.registry.make_chain``.
        max_requests, max_cost, price: limits of all rounds together, and what a million tokens cost (``IN/OUT``).
        recipe: digest of how plans are made (``fleet.recipe_of``); "" until it is known.
        questions, min_recall: the text of the file of questions that the plans are held to, and the share of answers to be kept.
    """

    store: StoreRef
    strategies: tuple[str, ...]
    options: Mapping[str, Any]
    service: Service
    judge: Service | None = None
    filters: Filters = field(default_factory=Filters)
    protect: tuple[str, ...] = ()
    max_rewrites: int = DEFAULT_MAX_REWRITES
    max_drop: str | None = None
    allow_empty: bool = False
    encoding: str = DEFAULT_ENCODING
    max_requests: int | None = None
    max_cost: float | None = None
    price: str | None = None
    questions: str | None = None
    min_recall: float | None = None
    recipe: str = ""
    batch_id: str = field(default_factory=lambda: secrets.token_hex(4))
    key: str = field(default_factory=lambda: secrets.token_hex(32))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, as it stands in the file of the batch."""
        data = asdict(self)
        data["id"] = data.pop("batch_id")
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Batch:
        """The inverse of ``to_dict``. Raises PlanFileError where something is missing."""

        def service(value: Mapping[str, Any]) -> Service:
            return Service(value["name"], value["endpoint"], value["context_tokens"], Dialect(**value["without"]))

        plain = ("max_rewrites", "max_drop", "allow_empty", "encoding", "max_requests", "max_cost", "price", "recipe", "key")
        try:
            return cls(
                store=StoreRef(**data["store"]),
                strategies=tuple(data["strategies"]),
                options=dict(data["options"]),
                service=service(data["service"]),
                judge=None if data["judge"] is None else service(data["judge"]),
                filters=Filters(*(tuple(data["filters"][name]) for name in ("agent", "team", "topic"))),
                protect=tuple(data["protect"]),
                batch_id=data["id"],
                questions=data.get("questions"),
                min_recall=data.get("min_recall"),
                **{name: data[name] for name in plain},
            )
        except (KeyError, TypeError, ValueError) as error:
            raise PlanFileError(f"the file of the batch was altered: {type(error).__name__}: {error}") from None

    def made_with(self, chain: Sequence[MemoryOptimizationStrategy]) -> Batch:
        """The same, with the ``recipe`` of these strategies."""
        models = self.conversation("", lambda _request_id: None)
        return replace(
            self,
            recipe=recipe_of(
                chain,
                models.model,
                models.judge,
                filters=self.filters or None,
                protection=Protection.read(self.protect),
                max_rewrites=self.max_rewrites,
                encoding=self.encoding,
            ),
        )

    def conversation(self, whose: str, known: Callable[[str], Answer | None]) -> Conversation:
        """One user's models, which find their answers by ``known``; see there."""
        return Conversation(
            batch=self.batch_id,
            key=bytes.fromhex(self.key),
            whose=whose,
            service=self.service,
            judge=self.judge,
            known=known,
            price=None if self.price is None else Price.read(self.price),
            count_tokens=token_count(self.encoding),
        )

    def budget(self) -> Budget:
        """The limits of all rounds together."""
        price = None if self.price is None else Price.read(self.price)
        return Budget(token_count(self.encoding), max_requests=self.max_requests, max_cost=self.max_cost, price=price)


# -- files of requests -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class RequestFile:
    """A file of requests, all for one model, as services want it."""

    path: Path
    model: str
    requests: int = 0
    bytes: int = 0


class RequestFiles:
    """Takes requests, and writes as many files as the limits of a service demand. They take their names when all are known.

    Only their owner may read them: requests tell what memories tell.

    Args:
        path: the file; where several are needed, ``name-1.jsonl``, ``name-2.jsonl`` ... beside it.
        max_requests, max_bytes: of one file.

    Raises:
        UsageError: a file cannot be made there, or something else than requests of a batch has its name.
    """

    def __init__(self, path: Path, max_requests: int = MOST_REQUESTS, max_bytes: int = MOST_BYTES) -> None:
        self._path, self._max_requests, self._max_bytes = path, max_requests, max_bytes
        self._files: list[tuple[RequestFile, Path]] = []
        self._open: dict[str, tuple[RequestFile, IO[bytes]]] = {}
        _check_overwritten(path)

    @property
    def requests(self) -> int:
        """How many there are."""
        return sum(file.requests for file, _ in self._files)

    def add(self, model: str, line: bytes) -> None:
        """Write a request. Raises MemoptError where that fails."""
        try:
            file, stream = self._open.get(model) or self._begin(model)
            if file.requests and (file.requests >= self._max_requests or file.bytes + len(line) > self._max_bytes):
                _close(stream)
                file, stream = self._begin(model)
            stream.write(line)
        except OSError as error:
            raise MemoptError(f"{self._path} could not be written: {error.strerror or error}") from error
        file.requests += 1
        file.bytes += len(line)

    def _begin(self, model: str) -> tuple[RequestFile, IO[bytes]]:
        handle, name = tempfile.mkstemp(prefix=".memopt-", suffix=".tmp", dir=self._path.parent)  # mode 0600
        file = RequestFile(self._path, model)
        self._files.append((file, Path(name)))
        self._open[model] = file, os.fdopen(handle, "wb")
        return self._open[model]

    def finish(self) -> list[RequestFile]:
        """Give the files their names.

        Raises:
            UsageError, MemoptError: that cannot be done; no file was written.
        """
        if len(self._files) > 1:
            for number, (file, _) in enumerate(self._files, 1):
                file.path = self._path.with_name(f"{self._path.stem}-{number}{self._path.suffix}")
                _check_overwritten(file.path)
        try:
            for _, stream in self._open.values():
                _close(stream)
            for file, temporary in self._files:
                temporary.replace(file.path)
        except OSError as error:
            raise MemoptError(f"{self._path} could not be written: {error.strerror or error}") from error
        done = [file for file, _ in self._files]
        self._files, self._open = [], {}
        return done

    def discard(self) -> None:
        """Leave nothing of what is not finished."""
        for _, stream in self._open.values():
            with suppress(OSError):
                stream.close()
        for _, temporary in self._files:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        self._files, self._open = [], {}


def _close(stream: IO[bytes]) -> None:
    stream.flush()
    os.fsync(stream.fileno())
    stream.close()


def _check_overwritten(path: Path) -> None:
    """Raise UsageError where a file that is no file of requests would be overwritten."""
    if not path.exists():
        return
    try:
        with path.open("rb") as stream:
            first = read_line(stream.readline(LONGEST_LINE))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
    if not first.request or batch_of(first.custom_id or "") is None:
        raise UsageError(f"{path} is there already, and no file of requests; name another one")


# -- files of results --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Results:
    """What the lines of files of results were.

    Attributes:
        answers, failures: replies that came with this import, and how many of them are errors.
        repeated: lines that say what was known already.
        duplicates: second answers to a request, which are not used; the first one stands.
        unknown: lines whose id no request of this batch has; ``outdated``: requests of users whose memories moved on.
        broken: lines that are cut off, no JSON, or hold neither an answer nor an error.
        requests: lines of a file of requests.
    """

    files: int = 0
    lines: int = 0
    answers: int = 0
    failures: int = 0
    repeated: int = 0
    duplicates: int = 0
    unknown: int = 0
    outdated: int = 0
    broken: int = 0
    requests: int = 0


def take_results(batch: BatchFile, paths: Iterable[Path]) -> Results:
    """Keep the replies in files of results, whatever their order.

    Raises:
        UsageError: a file cannot be read, or is no file of results of this batch.
    """
    found = Results()
    for path in paths:
        before = asdict(found)
        found.files += 1
        try:
            with path.open("rb") as stream:
                for line in _lines(stream):
                    found.lines += 1
                    _take(batch, line, found)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
        fresh = {name: value - before[name] for name, value in asdict(found).items()}
        if fresh["requests"] == fresh["lines"] > 0:
            raise UsageError(f"{path} is a file of requests; name the file that came back for it")
        if fresh["lines"] and fresh["broken"] == fresh["lines"] and fresh["lines"] > 1:
            raise UsageError(f"{path} is no file of results: none of its {fresh['lines']} lines is one")
        if fresh["lines"] and fresh["unknown"] + fresh["broken"] == fresh["lines"] and fresh["unknown"]:
            raise UsageError(f"{path} answers no request of {batch.path}; it belongs to another batch")
    return found


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    while line := stream.readline(LONGEST_LINE):
        whole = line.endswith(b"\n") or len(line) < LONGEST_LINE
        while not line.endswith(b"\n") and (rest := stream.readline(LONGEST_LINE)):
            line = line[:1000] + rest[-1:]
        if line.strip():
            yield line if whole else line[:1000]


def _take(batch: BatchFile, line: bytes, found: Results) -> None:
    told = read_line(line)
    if told.request:
        found.requests += 1
        return
    if told.answer is None or told.custom_id is None:
        found.broken += 1
        if told.custom_id is not None:
            batch.note_broken(told.custom_id)
        return
    heard = read(told.answer.outcome, 0.0)
    tokens = (heard.prompt_tokens, heard.completion_tokens) if isinstance(heard, Heard) else (None, None)
    failed = not isinstance(heard, Heard)
    became = batch.take(told.custom_id, told.answer.to_json(), failed=failed, tokens=tokens)
    if became in ("new", "instead"):
        found.answers += 1
        found.failures += failed
    elif became == "again":
        found.repeated += 1
    elif became == "other":
        found.duplicates += 1
    elif became == "outdated":
        found.outdated += 1
    else:
        found.unknown += 1


# -- runs --------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Clock:
    """Stands at the time by which the plan of the present user is made (epoch seconds)."""

    now: int

    def __call__(self) -> float:
        return self.now


class _Exchange:
    """What the users of a run ask, and are answered, through files.

    Attributes:
        tokens: of the requests that were written, counted.
        limit: what kept a user's requests from being written.
    """

    def __init__(self, made: Batch, batch: BatchFile, files: RequestFiles | None, clock: _Clock) -> None:
        self.made, self.batch, self.files, self.clock = made, batch, files, clock
        self.tokens = 0
        self.limit: LimitError | None = None
        self._count = token_count(made.encoding)
        self._limits = made.budget()
        sums = batch.sums()
        self._limits.sent = sums.requests
        if self._limits.price is not None:
            self._limits.spent = self._limits.price.of(
                sums.prompt_tokens + sums.waiting_tokens, sums.completion_tokens + sums.waiting_tokens
            )

    def answer_to(self, request_id: str) -> Answer | None:
        kept = self.batch.reply(request_id)
        return None if kept is None else Answer.from_json(kept)

    def begin(self, started: Started) -> Started:
        """The same work, whose model is what came back in files."""
        talk = self.made.conversation(f"{started.state}\x1f{started.user_id}", self.answer_to)
        manager = MemoryManager(
            started.manager.store,
            talk.model,
            judge=talk.judge,
            watch=talk,
            encoding=self.made.encoding,
            clock=self.clock,
        )
        return replace(started, manager=manager, budget=None)

    def add_user(self, started: Started) -> int:
        return self.batch.add_user(started.user_id, started.state, self.clock.now)

    def write(self, started: Started, talk: Conversation) -> Outcome:
        """Write a user's requests. Raises LimitError where they would go beyond a limit."""
        assert self.files is not None
        self._limits.user().asking([each.ask for each in talk.wanted], Usage())
        place = self.add_user(started)
        for each in talk.wanted:
            tokens = self._count(each.ask.instructions(each.ask.schema is not None)) + self._count(each.ask.prompt)
            self.tokens += tokens
            self.batch.issue(each.custom_id, place, self.batch.round + 1, tokens)
            self.files.add(each.model, request_line(each.custom_id, each.payload))
        return Outcome(
            started.user_id,
            Status.WAITING,
            before=started.before,
            unreadable=started.begun.snapshot.unreadable,
            usage=talk.priced(talk.usage),
            at=self.clock(),
        )


class _FileWork(Work):
    """One user's work, as far as the answers reach."""

    def __init__(self, terms: Terms, summary: Summary, stop: Callable[[MemoptError], None], exchange: _Exchange) -> None:
        super().__init__(terms, summary, stop)
        self.exchange = exchange

    def conclude(
        self, started: Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage
    ) -> Outcome | Ready:
        talk = _talk(started)
        if talk.wanted:  # a strategy that takes every exception for an answer has made something up
            raise Unanswered(talk.wanted)
        return super().conclude(started, chain, proposal, usage)

    def failed(self, user_id: str, error: BaseException, started: Started | None = None) -> Outcome:
        if started is None:
            return super().failed(user_id, error)
        if isinstance(error, Unanswered):
            try:
                return self.unanswered(started, _talk(started))
            except (LimitError, StrategyError, NextRound, AnswerMissing) as told:
                error = told
        outcome = super().failed(user_id, error, started)
        if isinstance(error, MemoptError) and isinstance(error.details.get("usage"), Usage):
            return outcome
        talk = _talk(started)
        used = talk.usage
        if isinstance(error, MemoptError) and error is not talk.refused:
            used += used_by(error, 0)
        return replace(outcome, usage=talk.priced(used))

    def unanswered(self, started: Started, talk: Conversation) -> Outcome:
        """What becomes of a user whose requests have no answers yet."""
        raise NotImplementedError


def _talk(started: Started) -> Conversation:
    talk = started.manager.answering.watch
    assert isinstance(talk, Conversation)
    return talk


class _ExportWork(_FileWork):
    """Writes a user's first requests."""

    def look(self, store: MemoryStore, candidate: Candidate) -> Started | Outcome | None:
        found = super().look(store, candidate)
        return self.exchange.begin(found) if isinstance(found, Started) else found

    def conclude(
        self, started: Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage
    ) -> Outcome | Ready:
        outcome = super().conclude(started, chain, proposal, usage)
        self.exchange.add_user(started)
        return outcome

    def unanswered(self, started: Started, talk: Conversation) -> Outcome:
        return self.exchange.write(started, talk)


class _ImportWork(_FileWork):
    """Makes a user's plan of the answers, or writes the next requests.

    Args:
        again: of ``AGAIN``, what is asked for again.
        today: the time by which users whose memories moved on are begun anew.
    """

    def __init__(
        self,
        terms: Terms,
        summary: Summary,
        stop: Callable[[MemoptError], None],
        exchange: _Exchange,
        again: frozenset[str],
        today: int,
    ) -> None:
        super().__init__(terms, summary, stop, exchange)
        self._batch, self._again, self._today = exchange.batch, again, today

    def look(self, store: MemoryStore, candidate: Candidate) -> Started | Outcome | None:
        user_id = candidate.user_id
        user = self._batch.user(user_id)
        assert user is not None
        clock = self.exchange.clock
        assert self.folder is not None
        entry = self.folder.known(user_id)
        clock.now = user.at
        found = super().look(store, candidate)
        if isinstance(found, Outcome):
            return found
        if entry is not None and entry.state == user.state:
            if found is not None and found.state == user.state:
                status = Status.CHANGED if entry.file else Status.UNCHANGED
                return Outcome(user_id, status, entry.before, entry.after, entry.counts, file=entry.file, at=self.terms.clock())
            noted = store.seen(user_id, self.terms.recipe)
            if noted is not None and noted.plan is not None and noted.plan == self._digest(entry.file):  # applied since
                return Outcome(user_id, Status.SEEN, entry.after, entry.after, file=entry.file, at=self.terms.clock())
        if found is None or found.state != user.state:
            if found is None or "stale" not in self._again:
                return self._moved_on(user_id, None if found is None else found.before)
            clock.now = self._today
            self.exchange.add_user(found)
        return self.exchange.begin(found)

    def _digest(self, file: str | None) -> str | None:
        """The digest of a plan that is kept in the folder; None where there is none that can be read."""
        assert self.folder is not None
        if file is None:
            return None
        try:
            return plan_digest(Plan.from_json((self.folder.path / file).read_bytes()))
        except (OSError, MemoptError):
            return None

    def _moved_on(self, user_id: str, before: TokenFigures | None) -> Outcome:
        how = "are gone" if before is None else "changed"
        what = "" if before is None else "; --again stale with --next FILE asks anew"
        error = ConflictError(f"its memories {how} since the requests were written{what}")
        return Outcome(user_id, Status.FAILED, before, error=error, at=self.terms.clock())

    def unanswered(self, started: Started, talk: Conversation) -> Outcome:
        self._check_same(started, talk)
        missing = [each for each in talk.wanted if self._batch.waiting(each.custom_id)]
        if missing and "missing" not in self._again:
            raise AnswerMissing(self._missing(missing, len(talk.wanted)))
        if self.exchange.files is None:
            raise NextRound(_why_another(talk.wanted, talk.refused))
        try:
            return self.exchange.write(started, talk)
        except LimitError as error:
            self.exchange.limit = self.exchange.limit or error
            return Outcome(started.user_id, Status.LEFT, started.before, usage=talk.priced(talk.usage), at=self.terms.clock())

    def failed(self, user_id: str, error: BaseException, started: Started | None = None) -> Outcome:
        ask_again = started is not None and "failed" in self._again and isinstance(error, RequestFailed)
        if started is None or not ask_again or not self._batch.forget_failures(_talk(started).used):
            return super().failed(user_id, error, started)
        started = self.exchange.begin(started)
        try:
            started.manager.propose(started.begun, self.chain(), self.terms.max_rewrites)
        except Exception as found:
            return super().failed(user_id, found, started)
        return super().failed(user_id, error, started)

    def _check_same(self, started: Started, talk: Conversation) -> None:
        """Raise StrategyError where a strategy asks something else each time it is run: it would ask for ever."""
        user = self._batch.user(started.user_id)
        latest = [] if user is None else self._batch.latest_replies(user.place)
        if latest and talk.used.isdisjoint(latest):
            raise StrategyError(
                f"what came back answers nothing that is asked now ({len(latest)} answers): the strategy does not ask the same "
                "of the same memories twice, so that it cannot be asked through files"
            )

    def _missing(self, missing: Sequence[Wanted], asked: int) -> str:
        cut = sum(self._batch.broken(each.custom_id) for each in missing)
        which = "its request has" if asked == 1 else f"{len(missing)} of its {asked} requests have"
        why = "no line in the results" if not cut else "a line in the results that is cut off or broken"
        return f"{which} {why}; --again missing with --next FILE asks for it again"


def _why_another(wanted: Sequence[Wanted], refused: ModelError | None) -> str:
    failed = next((each.failed for each in wanted if each.failed is not None), None)
    requests = "1 request" if len(wanted) == 1 else f"{len(wanted)} requests"
    if failed is None and refused is not None:
        return f"{refused}; --next FILE asks once more ({requests})"
    if failed is None:
        return f"it needs another round ({requests}: {wanted[0].ask.purpose}); --next FILE writes it"
    code = failed.code or (failed.status if failed.status is not None else "")
    return f"a request failed ({code}): {failed.message}; --next FILE asks for it again"


class _FileRun(Fleet):
    """What both runs share.

    Attributes:
        kept: whether something outlasts a run that is ended early.
    """

    kept: ClassVar[bool] = False
    in_threads: ClassVar[bool] = False
    """The clock of the plans is that of one user at a time, and the files are written by one thread."""

    def __init__(
        self,
        store: MemoryStore,
        chain: Sequence[MemoryOptimizationStrategy],
        made: Batch,
        batch: BatchFile,
        files: RequestFiles | None,
        *,
        now: int,
        folder: Callable[[str], PlanFolder] | None = None,
        gate: Callable[[Plan], Plan] | None = None,
        with_last: bool = False,
        selection: Selection | None = None,
        force: bool = False,
        told: Callable[[Outcome], None] = lambda _outcome: None,
        sized: Callable[[int], None] = lambda _users: None,
    ) -> None:
        self.made = made
        self._exchange = _Exchange(made, batch, files, _Clock(now))
        models = made.conversation("", self._exchange.answer_to)
        super().__init__(
            store,
            chain,
            model=models.model,
            judge=models.judge,
            selection=selection,
            force=force,
            filters=made.filters or None,
            protection=Protection.read(made.protect),
            max_rewrites=made.max_rewrites,
            max_drop=made.max_drop,
            allow_empty=made.allow_empty,
            folder=folder,
            gate=gate,
            with_last=with_last,
            encoding=made.encoding,
            told=told,
            sized=sized,
            clock=self._exchange.clock,
        )

    @property
    def tokens(self) -> int:
        """Of the requests that were written, counted."""
        return self._exchange.tokens

    def tell(self, outcome: Outcome) -> None:
        super().tell(replace(outcome, at=time.time()))  # the clock of the plans stands still


class Export(_FileRun):
    """Writes the first requests of every user that is chosen.

    Args:
        made: how plans are made; its ``recipe`` is not looked at.
        batch: a new file, which takes the users and the requests.
        files: take the requests.
        now: when the memories are read (epoch seconds); strategies that look at the calendar go by it in every round.
        selection, force, told, sized: as for ``Fleet``.
    """

    def make_work(self, terms: Terms) -> Work:
        return _ExportWork(terms, self.summary, self.stop, self._exchange)


class Import(_FileRun):
    """Makes plans of the answers, as far as those reach.

    Args:
        made: as the batch's file has it.
        batch: its file, with the replies (``take_results``).
        folder: makes the folder that takes the plans, given how they are made.
        files: take the next round's requests; None: users that need one fail.
        again: of ``AGAIN``, what is asked for again; needs ``files``.
        now: the time by which users whose memories moved on are begun anew.
        gate, with_last, told, sized: as for ``Fleet``.

    Raises:
        PlanFileError: memopt or a strategy makes other plans by now.
    """

    kept = True

    def __init__(
        self,
        store: MemoryStore,
        chain: Sequence[MemoryOptimizationStrategy],
        made: Batch,
        batch: BatchFile,
        files: RequestFiles | None,
        *,
        folder: Callable[[str], PlanFolder],
        gate: Callable[[Plan], Plan] | None = None,
        with_last: bool = False,
        again: Collection[str] = (),
        now: int,
        told: Callable[[Outcome], None] = lambda _outcome: None,
        sized: Callable[[int], None] = lambda _users: None,
    ) -> None:
        self._again = frozenset(again) if files is not None else frozenset[str]()
        super().__init__(
            store,
            chain,
            made,
            batch,
            files,
            now=now,
            folder=folder,
            gate=gate,
            with_last=with_last,
            force=True,
            told=told,
            sized=sized,
        )
        if self.recipe != made.recipe:
            raise PlanFileError(
                "the prompts or the strategies are not those that the requests were written with (another version of memopt, "
                "or another file of a strategy); export anew"
            )

    def make_work(self, terms: Terms) -> Work:
        exchange = self._exchange
        return _ImportWork(terms, self.summary, self.stop, exchange, self._again, exchange.clock.now)

    def run(self) -> Summary:
        """``Fleet.run``. A limit ends the asking and not the planning."""
        super().run()
        self.summary.stopped = self.summary.stopped or self._exchange.limit
        return self.summary

    def candidates(self, store: MemoryStore) -> tuple[int, Iterator[Candidate]]:
        batch = self._exchange.batch
        number = batch.count_users()
        self.sized(number)
        return number, (Candidate(user.user_id, True) for user in batch.users())


def read_again(words: Sequence[str]) -> frozenset[str]:
    """What is asked for again. Raises UsageError for anything but ``missing``, ``failed`` and ``stale``."""
    for word in words:
        if word not in AGAIN:
            raise UsageError(f"--again takes {', '.join(AGAIN[:-1])} or {AGAIN[-1]}, not {word!r}")
    return frozenset(words)


__all__ = [
    "AGAIN",
    "AnswerMissing",
    "Batch",
    "Export",
    "Import",
    "NextRound",
    "RequestFile",
    "RequestFiles",
    "Results",
    "read_again",
    "take_results",
]
