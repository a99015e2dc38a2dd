"""Models behind an OpenAI-compatible service, asked through Chat Completions, which every such service has.

This is the one module that knows the ``openai`` package, and it imports it when the first request is sent. What is asked, how an
outcome is judged and when to ask again is written once, in a generator of steps; the two public methods only send and sleep.
"""

from __future__ import annotations

import json
import os
import random
import ssl
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, nullcontext, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

from memopt.errors import AnswerRefused, LimitError, ModelError, UsageError
from memopt.models.address import (
    OPENAI_URL,
    PLACEHOLDER_KEY,
    Address,
    Secret,
    proxy_for,
    read_base_url,
    read_key,
    redact,
    without_key,
)
from memopt.models.answer import ContextTooLong, clean, parse_json_answer, shown, sound
from memopt.models.base import Ask, Failed, Reply, Usage, tokens_of
from memopt.models.wire import Dialect, Heard, Outcome, Problem, adapt, read, read_vectors

__all__ = [
    "ContextTooLong",
    "ModelUnusable",
    "OpenAIEmbedder",
    "OpenAIModel",
    "from_environment",
    "known_context_tokens",
    "parse_json_answer",
]


class ModelUnusable(ModelError):
    """No request to this service can succeed now: key refused, no credit left, no such model, or a wait too long to sit out.

    Runs over many users stop here instead of asking again for each of them.
    """

    kind = "model-unusable"
    final = True


# The library's own ``create`` walks the whole request once more to check its types, which takes as long as sending it.
_PATH = "/chat/completions"
_RAW = {"headers": {"X-Stainless-Raw-Response": "true"}}
_OF_ONE_REQUEST = {"content-length", "idempotency-key"}
_POLL_SECONDS = 0.05
_TRIAL_SECONDS = 20.0
"""So long a request waits while another one tries a form: what is not taken is refused at once, an answer may take minutes."""


@dataclass(frozen=True, slots=True)
class _Send:
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Pause:
    seconds: float


@dataclass(slots=True)
class _Clients:
    """Clients that are open on one event loop; those of ``free`` wait for a request."""

    loop: Any
    stack: AsyncExitStack
    certificates: Any
    free: list[_KeptLine] = field(default_factory=list)


class _Line:
    """A client of the library, and how a request is sent with it."""

    def __init__(self, client: Any) -> None:
        self._client = client

    async def send(self, payload: dict[str, Any]) -> Any:
        """The HTTP response, read whole."""
        return (await self._client.post(_PATH, body=payload, cast_to=object, options=_RAW)).http_response


class _KeptLine(_Line):
    """One that is used many times: after the first request, with what the library made of that, and without its work on each.

    That takes as long as sending does, and in a run over many users it is what keeps other requests waiting.
    """

    def __init__(self, client: Any) -> None:
        super().__init__(client)
        self._http: Any = getattr(client, "_client", None)
        self._url: Any = None
        self._headers: dict[str, str] = {}

    async def send(self, payload: dict[str, Any]) -> Any:
        """The HTTP response, read whole."""
        if self._url is None:
            response = await super().send(payload)
            if self._http is not None and not response.history:
                asked = response.request
                self._headers = {name: value for name, value in asked.headers.items() if name.lower() not in _OF_ONE_REQUEST}
                self._url = asked.url
            return response
        body = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        request = self._http.build_request("POST", self._url, content=body, headers=self._headers, timeout=self._client.timeout)
        return await self._http.send(request)


_Steps = Generator["_Send | _Pause", "Outcome | None", Reply]


class _Trial:
    """Whether a service answers by a schema is found out by one request, while those that came at the same time wait.

    Attributes:
        known: it has been found out, and the model's dialect tells.
        found: what the request that tries it has met with so far: the form was refused, and it asks without.
    """

    def __init__(self) -> None:
        self.known = False
        self.found: Dialect | None = None
        self._by: object | None = None
        self._lock = threading.Lock()

    def begin(self, who: object) -> bool:
        """Whether a request need not wait: it is the one that tries, or what it would wait for is known."""
        with self._lock:
            if self._by is None and not self.known:
                self._by = who
            return self.known or self.found is not None or self._by is who

    def refused(self, who: object | None, found: Dialect) -> None:
        """The form was refused to this request. If it fails without the form as well, that is taken back."""
        with self._lock:
            if self._by is who and who is not None:
                self.found = found

    def end(self, who: object | None) -> None:
        """This request tries no more. If it found nothing out, another one may."""
        with self._lock:
            if self._by is who and who is not None:
                self._by = self.found = None


# prefix of the model's name -> tokens of request and answer together; as published by the makers in 2025
_CONTEXTS: tuple[tuple[str, int], ...] = (
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4-1106", 128_000),
    ("gpt-4-0125", 128_000),
    ("gpt-4-32k", 32_768),
    ("gpt-4", 8_192),
    ("gpt-3.5-turbo-instruct", 4_096),
    ("gpt-3.5-turbo", 16_385),
    ("gpt-5", 400_000),
    ("gpt-oss", 131_072),
    ("o1-mini", 128_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4-mini", 200_000),
    ("claude-", 200_000),
    ("gemini-", 1_048_576),
    ("mistral-large", 128_000),
    ("mistral-small", 32_000),
    ("deepseek-", 64_000),
)


def known_context_tokens(name: str) -> int | None:
    """The context of a well-known model by its name (a maker's prefix such as ``openai/`` may stand before it), or None.

    A server that runs a model itself may have given it less; say so with ``context_tokens``.
    """
    plain = name.lower().rpartition("/")[2]
    best = max((prefix for prefix, _ in _CONTEXTS if plain.startswith(prefix)), key=len, default=None)
    return dict(_CONTEXTS)[best] if best else None


def from_environment(
    model: str, base_url: str | None, api_key: str | None, environ: Mapping[str, str], **options: Any
) -> OpenAIModel:
    """Make a model from what the caller said, else from OPENAI_BASE_URL and OPENAI_API_KEY. Nothing is sent.

    A value that is empty or blank counts as not set. A key is needed at OpenAI alone; other servers get a placeholder.

    Args:
        options: further arguments of ``OpenAIModel``.

    Raises:
        ModelError: neither a key nor a base URL is set, or one of them cannot be used. The key is never shown.
    """
    url, url_origin = (
        (base_url, "--base-url") if (base_url or "").strip() else (environ.get("OPENAI_BASE_URL"), "OPENAI_BASE_URL")
    )
    key, key_origin = (api_key, "the API key") if (api_key or "").strip() else (environ.get("OPENAI_API_KEY"), "OPENAI_API_KEY")
    try:
        address = read_base_url(url)
    except ModelError as error:
        problem = str(error)
    else:
        secret = read_key(key, key_origin)
        if address is None and secret is None:
            raise ModelError(
                f"no key for the model {shown(model, 60)!r}: set OPENAI_API_KEY, or name another service with "
                "--base-url or OPENAI_BASE_URL"
            )
        notes: tuple[str, ...] = ()
        if address is None and (base_url is not None or "OPENAI_BASE_URL" in environ):
            empty = "--base-url" if base_url is not None else "OPENAI_BASE_URL"
            notes = (f"{empty} is empty and counts as not set: asking {OPENAI_URL}",)
        return OpenAIModel(model, base_url=address, api_key=secret, environ=environ, notes=notes, **options)
    raise ModelError(f"{url_origin}: {problem}")


class OpenAIModel:
    """One model of one service; satisfies ``memopt.models.base.Model``.

    The object may be shared by threads and event loops. Every call opens its own connection and closes it.

    Args:
        name: the model's name as the service knows it.
        base_url: where it is asked; None: OpenAI.
        api_key: None at a service that wants none. OpenAI itself wants one.
        timeout: seconds without a sign of life after which a request counts as failed (connecting: at most 10).
        max_retries: how often a request is repeated where that makes sense (no connection, timeout, 408, 409, 429, 5xx).
        temperature: sent with each request; None: not sent.
        context_tokens: how much fits into one request and its answer; None: by the model's name, if it is well known.
        max_output_tokens: the longest answer, sent as ``max_tokens``; None: the service's own limit.
        max_retry_after: the longest wait, in seconds, that a service may ask for; a longer one ends the call at once.
        backoff: seconds before the first repetition; doubled with each further one, up to 30, and jittered.
        count_tokens: counts the tokens of a text, to notice a server that cuts prompts in silence; None: a lower bound by length.
        environ: where proxies and certificates are looked up; None: the process's environment at the time of a request.
        dialect: what the service takes, as far as it is known; more is learned from what it refuses.
        notes: sentences for people about how the service was chosen.

    Raises:
        ModelError: the base URL or the key cannot be used, or OpenAI itself is asked without a key.
        UsageError: there is no name, or a number is out of range.
    """

    MAX_ADAPTATIONS: ClassVar[int] = 4

    def __init__(
        self,
        name: str,
        base_url: str | Address | None = None,
        api_key: str | Secret | None = None,
        *,
        timeout: float = 300.0,
        max_retries: int = 2,
        temperature: float | None = 0.0,
        context_tokens: int | None = None,
        max_output_tokens: int | None = None,
        max_retry_after: float = 60.0,
        backoff: float = 0.5,
        count_tokens: Callable[[str], int] | None = None,
        environ: Mapping[str, str] | None = None,
        dialect: Dialect | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        self.name = name.strip()
        if not self.name:
            raise UsageError("no name of a model: say --model NAME")
        if not timeout > 0 or max_retries < 0 or backoff < 0 or max_retry_after < 0:
            raise UsageError("the model's timeout is above 0, and its retries and waits are not negative")
        given = base_url if isinstance(base_url, Address) else read_base_url(base_url)
        self._address = given or Address(OPENAI_URL)
        self._key = api_key if isinstance(api_key, Secret) else read_key(api_key, "the API key")
        if self._key is None and self._address.is_openai:
            raise ModelError(f"no key for {self._address.url}: set OPENAI_API_KEY, or name another service with --base-url")
        self.endpoint = self._address.url
        self.context_tokens = context_tokens if context_tokens is not None else known_context_tokens(self.name)
        self.notes = notes
        self._timeout = timeout
        self._max_retries = max_retries
        self._temperature = temperature
        self._max_output_tokens = max_output_tokens
        self._max_retry_after = max_retry_after
        self._backoff = backoff
        self._count_tokens = count_tokens
        self._environ = environ
        self._dialect = dialect or Dialect()
        self._unusable: str | None = None
        self._serves = False
        self._resume = 0.0  # until then (time.monotonic) the service wants to be left alone
        self._trial = _Trial()
        self._kept: _Clients | None = None

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r}, base_url={self.endpoint!r})"

    def answer(self, ask: Ask) -> Reply:
        """Ask, and wait for the answer.

        Raises:
            ContextTooLong: the request does not fit into the model's context.
            AnswerRefused: the answer may not be used.
            ModelUnusable: no request to this service can succeed now.
            ModelError: the service failed or could not be reached, also after the repetitions. Every message is one line and
                free of credentials; ``details`` holds ``requests`` (how many were sent) and ``status`` (HTTP) where there are.
        """
        with closing(self._steps(ask)) as steps:
            step = next(steps)
            with self._client("OpenAI", "DefaultHttpxClient") as client:
                while True:
                    outcome: Outcome | None = None
                    if isinstance(step, _Pause):
                        time.sleep(step.seconds)
                    else:
                        try:
                            response = client.post(_PATH, body=step.payload, cast_to=object, options=_RAW)
                            outcome = self._heard(response.http_response)
                        except Exception as error:
                            outcome = self._failed(error)
                    try:
                        step = steps.send(outcome)
                    except StopIteration as done:
                        reply: Reply = done.value
                        return reply

    async def aanswer(self, ask: Ask) -> Reply:
        """``answer`` on an event loop."""
        import asyncio

        with closing(self._steps(ask)) as steps:
            step = next(steps)
            async with self._async_client() as client:
                while True:
                    outcome: Outcome | None = None
                    if isinstance(step, _Pause):
                        await asyncio.sleep(step.seconds)
                    else:
                        try:
                            outcome = self._heard(await client.send(step.payload))
                        except Exception as error:
                            outcome = self._failed(error)
                    try:
                        step = steps.send(outcome)
                    except StopIteration as done:
                        reply: Reply = done.value
                        return reply

    @property
    def dialect(self) -> Dialect:
        """What the service takes, as far as it is known by now."""
        return self._dialect

    def payloads(self, ask: Ask) -> Generator[dict[str, Any], Outcome, Reply]:
        """``answer`` for whoever carries the requests otherwise: yields what to send and is sent what came of it, until there is
        a reply to return. Nothing is waited for; the errors are those of ``answer``."""
        steps = self._steps(ask, waits=False)
        step = next(steps)
        while True:
            outcome = (yield step.payload) if isinstance(step, _Send) else None
            try:
                step = steps.send(outcome)
            except StopIteration as done:
                reply: Reply = done.value
                return reply

    @asynccontextmanager
    async def kept_open(self) -> AsyncIterator[None]:
        """Within the block, requests on this event loop use clients, and their connections, again and again.

        Each request that is under way has a client to itself: a client that many share looks at all its idle connections
        before and after every request, which costs more than the request as soon as there are dozens.
        """
        import asyncio

        async with AsyncExitStack() as stack:
            self._kept = _Clients(asyncio.get_running_loop(), stack, self._shared_certificates())
            try:
                yield
            finally:
                self._kept = None

    @asynccontextmanager
    async def _async_client(self) -> AsyncIterator[_Line]:
        import asyncio

        kept = self._kept
        if kept is None or kept.loop is not asyncio.get_running_loop():
            async with self._client("AsyncOpenAI", "DefaultAsyncHttpxClient") as client:
                yield _Line(client)
            return
        if kept.free:
            line = kept.free.pop()
        else:
            made = self._client("AsyncOpenAI", "DefaultAsyncHttpxClient", kept.certificates)
            line = _KeptLine(await kept.stack.enter_async_context(made))
        try:
            yield line
        finally:
            kept.free.append(line)

    # --- one body for both ---------------------------------------------------------------------------------------

    def _steps(self, ask: Ask, waits: bool = True) -> _Steps:
        """Ask until there is an answer or a reason to stop: yields what to send and how long to pause, returns the reply.

        Args:
            waits: whether to wait while another request finds out if the service answers by a schema.
        """
        mine = object()
        try:
            return (yield from self._until_answered(ask, mine if waits else None))
        finally:
            self._trial.end(mine)

    def _until_answered(self, ask: Ask, mine: object | None) -> _Steps:
        if self._unusable is not None:
            raise ModelUnusable(self._unusable, endpoint=self.endpoint, requests=0)
        self._check_size(ask)
        known = self._dialect
        requests = retries = adaptations = 0
        wasted = Usage()  # what answers took that were not used
        plain, waited = False, 0.0
        while True:
            if mine is not None and ask.schema is not None and known.schema and not plain:
                until = time.monotonic() + _TRIAL_SECONDS
                while not self._trial.begin(mine) and time.monotonic() < until:
                    yield _Pause(_POLL_SECONDS)
                if self._unusable is not None and not requests:  # the one that was waited for found that out
                    raise ModelUnusable(self._unusable, endpoint=self.endpoint, requests=0)
                known = self._dialect.both(known).both(self._trial.found or known)
            dialect = replace(known, schema=known.schema and not plain)
            try:
                if requests and ask.repeating is not None:
                    ask.repeating()
                payload, room = self._payload(ask, dialect, wasted)
            except LimitError as error:
                error.details.update(requests=requests, **tokens_of(wasted))  # what was sent by then
                raise
            while self._resume > waited and (wait := self._resume - time.monotonic()) > 0:
                waited = self._resume
                # what the service told one request holds for all; a spread keeps them from coming back at one moment
                yield _Pause(wait * random.uniform(1.0, 1.1))  # noqa: S311
            outcome = yield _Send(payload)
            requests += 1
            assert outcome is not None
            heard = read(outcome, time.time())
            if isinstance(heard, Heard):
                self._serves = True
                self._dialect = self._dialect.both(known)
                tried = ask.schema is not None and dialect.schema
                try:
                    return self._reply(ask, dialect, heard, wasted + self._taken(ask, dialect, heard, requests), room)
                except AnswerRefused as error:
                    wasted += self._taken(ask, dialect, heard, 0)
                    broken = error.details.get("reason") == "json" and tried
                    if not broken or not _may_cost_more(ask, wasted):
                        raise
                finally:
                    if tried or not known.schema:
                        self._trial.known = True
                # broken JSON is one answer's fault: this request falls back to plain text, the next may try again
                plain = True
                continue
            with_schema = ask.schema is not None
            changed = adapt(heard, dialect, with_schema, room) if adaptations < self.MAX_ADAPTATIONS else None
            if changed is not None:
                known = replace(changed, schema=changed.schema or (plain and known.schema))
                adaptations += 1
                if with_schema and dialect.schema and not known.schema:
                    self._trial.refused(mine, known)
                continue
            self._trial.end(mine)  # that tells nothing of the form: another request may try it
            pause = self._pause_before_retry(heard, retries)
            asked_for = heard.wait if heard.wait is not None else (pause or 0.0) if heard.status == 429 else 0.0
            if 0 < asked_for <= self._max_retry_after:
                self._resume = waited = max(self._resume, time.monotonic() + asked_for)
            if pause is None:
                raise self._error(ask, heard, requests)
            retries += 1
            yield _Pause(pause)

    def _payload(self, ask: Ask, dialect: Dialect, wasted: Usage) -> tuple[dict[str, Any], int | None]:
        """What to send, and how many tokens the answer may have, where that is for its cost alone."""
        system, prompt = sound(ask.instructions(dialect.schema)), sound(ask.prompt)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        if not dialect.system or not system.strip():
            messages = [{"role": "user", "content": f"{system}\n\n{prompt}" if system.strip() else prompt}]
        payload: dict[str, Any] = {"model": self.name, "messages": messages}
        if self._temperature is not None and dialect.temperature:
            payload["temperature"] = self._temperature
        room = ask.room(wasted) if ask.room is not None else None
        most = self._max_output_tokens
        if room is not None and dialect.bounded:
            room = min(room, dialect.longest or room, self._left_of_context(ask, dialect) or room)
            most = min(room, most or room)
        if most is not None:
            payload["max_tokens" if dialect.max_tokens else "max_completion_tokens"] = most
        if ask.schema is not None and dialect.schema:
            payload["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": ask.schema},
            }
        return payload, room if dialect.bounded and room == most else None

    def _pause_before_retry(self, problem: Problem, retries: int) -> float | None:
        """Seconds to wait before asking again, or None where that is not done."""
        hiccup = problem.page and self._serves  # of a proxy before it: it did answer
        if not (problem.passing or hiccup) or retries >= self._max_retries:
            return None
        if problem.wait is not None:
            return problem.wait if problem.wait <= self._max_retry_after else None
        # jitter spreads out callers that failed together
        return float(min(self._backoff * 2**retries, 30.0) * random.uniform(0.75, 1.25))  # noqa: S311

    def _taken(self, ask: Ask, dialect: Dialect, heard: Heard, requests: int) -> Usage:
        """What an answer took; what the service does not tell is counted, where that was wanted."""
        told, said, count = heard.prompt_tokens or None, heard.completion_tokens, self._count_tokens
        asked = answered = 0
        if count is not None and told is None:
            asked = count(ask.instructions(dialect.schema)) + count(ask.prompt)
        if count is not None and (said is None or (said == 0 and heard.text)):
            answered = count(heard.text or "")
        return Usage(requests, told, said, untold_prompt=asked, untold_completion=answered)

    def _reply(self, ask: Ask, dialect: Dialect, heard: Heard, usage: Usage, room: int | None) -> Reply:
        try:
            self._check_prompt_was_read(ask.instructions(dialect.schema), ask.prompt, heard)
            text = clean(heard.text, heard.finish_reason, ask, refusal=heard.refusal, completion_tokens=heard.completion_tokens)
        except AnswerRefused as error:
            why, details = str(error), error.details
        else:
            if ask.schema is not None and dialect.schema and not _is_json(text):
                self._dialect = self._dialect.both(Dialect(schema=False))
            for key in self._key_texts():
                # a word may stand in a memory; a key of 16 characters and more does not, unless the server echoes it
                text = without_key(text, key) if len(key) >= 16 else text
            return Reply(text, usage, heard.finish_reason)
        if heard.reasoned and not (heard.text or "").strip():
            why += " (it sent only its reasoning)"
        if room is not None and details.get("reason") == "cut":
            why += f"; the limit of cost left {room:,} tokens for it"
        raise AnswerRefused(
            self._line(ask, why), endpoint=self.endpoint, **{**details, **tokens_of(usage), "requests": usage.requests}
        )

    # --- sizes ---------------------------------------------------------------------------------------------------

    def _check_size(self, ask: Ask) -> None:
        if self._count_tokens is None or self.context_tokens is None:
            return
        size = self._count_tokens(ask.instructions(self._dialect.schema)) + self._count_tokens(ask.prompt)
        if size >= self.context_tokens:
            raise ContextTooLong(
                self._line(ask, f"the request has {size} tokens and the model takes {self.context_tokens}; nothing was sent"),
                endpoint=self.endpoint,
                requests=0,
            )

    def _left_of_context(self, ask: Ask, dialect: Dialect) -> int | None:
        """How many tokens an answer may have beside its request; None: not known."""
        if self._count_tokens is None or self.context_tokens is None:
            return None
        left = self.context_tokens - self._count_tokens(ask.instructions(dialect.schema)) - self._count_tokens(ask.prompt)
        return left if left > 0 else None

    def _check_prompt_was_read(self, system: str, prompt: str, heard: Heard) -> None:
        """Refuse the answer to a prompt that the server cut in silence.

        Tokenizers differ, so only half of what was sent counts as proof; or a fifth less, where the number the server read is
        just below a power of two, which is the size of a context and of little else.
        """
        if not heard.prompt_tokens:
            return
        if self._count_tokens is not None:
            sent = self._count_tokens(system) + self._count_tokens(prompt)
        else:
            sent = _fewest_tokens(system) + _fewest_tokens(prompt)
        got = heard.prompt_tokens
        limit = 1 << got.bit_length() if got & (got - 1) else got
        at_limit = got >= 1000 and got > limit * 0.98 and sent > limit
        if sent >= 200 and (got < sent * 0.5 or (at_limit and got < sent * 0.8)):
            raise AnswerRefused(
                f"the server read {got} of about {sent} tokens: it cut the prompt, so the answer speaks of a part only; "
                "ask for less at a time (--context-tokens) or give the server a larger context",
                reason="prompt-cut",
            )

    # --- failures, in words --------------------------------------------------------------------------------------

    def _error(self, ask: Ask, problem: Problem, requests: int, wanted: str = "chat completions") -> ModelError:
        kind, why, sticks = self._explain(problem, wanted)
        if requests > 1:
            why += f" (asked {requests} times)"
        line = self._line(ask, why)
        if sticks:
            self._unusable = self._line(None, f"not asked again: {why}")
        details: dict[str, Any] = {"endpoint": self.endpoint, "requests": requests}
        if problem.status is not None:
            details["status"] = problem.status
        return kind(line, **details)

    def _explain(self, problem: Problem, wanted: str) -> tuple[type[ModelError], str, bool]:
        """The class of the error, one line, and whether the object remembers it."""
        status, said = problem.status, f": {problem.message}" if problem.message else ""
        where = self.endpoint
        if status is None:
            reasons = {
                "timeout": f"{where} did not answer within {self._timeout:g} s; ask for less at a time or allow more time",
                "connection": f"{where} cannot be reached{said}; is the server running, and is the base URL right?",
                "tls": f"the TLS certificate of {where} is not trusted{said}; SSL_CERT_FILE may name the authority's certificate",
            }
            return ModelError, reasons.get(problem.failure or "", f"the request to {where} failed{said}"), False
        code = f"{status}" + (f" {problem.code}" if problem.code and problem.code != str(status) else "")
        if problem.too_long:
            return ContextTooLong, f"the request is too long for the model ({code}){said}", False
        if problem.unpaid:
            return ModelUnusable, f"{where} has no credit left for this key ({code}){said}; see to its plan and billing", True
        if problem.wait is not None and problem.wait > self._max_retry_after and status >= 400:
            longest = f"{self._max_retry_after:g} s"
            why = f"{where} asks to wait {problem.wait:.0f} s ({code}), and memopt waits {longest} at most{said}; try again later"
            return ModelUnusable, why, False
        if status == 401:
            what = "check OPENAI_API_KEY" if self._key else "it wants a key: set OPENAI_API_KEY"
            return ModelUnusable, f"{where} does not accept the key ({code}){said}; {what}", True
        if status == 403:
            return ModelError, f"{where} refuses access ({code}){said}", False
        if status in (404, 405):
            if "model" in problem.words:
                return (
                    ModelUnusable,
                    f"{where} has no model {self.name!r} ({code}){said}; check --model, or --judge for a judge",
                    True,
                )
            why = f"{where} has no {wanted} ({code}){said}; check the base URL, which mostly ends in /v1"
            return ModelUnusable, why, True
        if status == 429:
            return ModelError, f"{where} allows no more requests now ({code}){said}; try again later", False
        if status >= 500:
            return ModelError, f"{where} failed ({code}){said}; try again later", False
        if status >= 400:
            return ModelError, f"{where} refused the request ({code}){said}", False
        if problem.page and self._serves:
            return ModelError, f"{where} answered with {problem.message}; try again later", False
        if problem.page:
            return (
                ModelUnusable,
                f"{where} answered with {problem.message}; check the base URL and whether it wants a login",
                False,
            )
        if status >= 300:
            return ModelError, f"{where} sent a redirect ({code}){said}", False
        return (
            ModelError,
            f"{where} answered with {problem.message}"
            if problem.final and not problem.code
            else (f"{where} answered with an error ({code}){said}"),
            False,
        )

    def _line(self, ask: Ask | None, why: str) -> str:
        purpose = "" if ask is None or ask.purpose in ("", "answer") else f"{ask.purpose}: "
        return redact(" ".join(f"{purpose}{why} [model {self.name}]".split()), self._secrets())

    def _key_texts(self) -> tuple[str, ...]:
        return (self._key.reveal(),) if self._key else ()

    def _secrets(self) -> tuple[str, ...]:
        return (*self._key_texts(), *self._address.secrets())

    # --- the library ---------------------------------------------------------------------------------------------

    def _client(self, client_class: str, http_class: str, certificates: Any = None) -> Any:
        """An open client of the library, to be used as a context manager.

        Its HTTP client is built from our own reading of proxies and certificates: the library's would fail on a proxy that it
        cannot use even where the host is not asked through it.
        """
        problem = ""
        via = proxy_for(self._address.url, self._proxy_environ())
        verify = self._certificates() if certificates is None else certificates
        try:
            import openai

            headers: dict[str, str] = {}
            if self._address.login is not None:
                import base64

                headers["Authorization"] = "Basic " + base64.b64encode(self._address.login.reveal().encode()).decode()
            return getattr(openai, client_class)(
                api_key=self._key.reveal() if self._key else PLACEHOLDER_KEY,
                base_url=self._address.url,
                timeout=openai.Timeout(self._timeout, connect=min(self._timeout, 10.0)),
                max_retries=0,
                # made last: nothing that could fail comes after it and leaves it open
                http_client=getattr(openai, http_class)(trust_env=False, proxy=via[1] if via else None, verify=verify),
                default_headers=headers,
                default_query=dict(self._address.query),
            )
        except ImportError as error:
            problem = f"its client cannot be loaded: {error}"
            if via and via[1].lower().startswith("socks"):
                problem = f"{via[0]} names a SOCKS proxy, which needs the package socksio (pip install socksio); or unset it"
        except Exception as error:
            problem = f"the client for {self.endpoint} cannot be made: {type(error).__name__}: {shown(str(error))}"
            if via:
                problem = f"{via[0]} cannot be used as a proxy: {type(error).__name__}"
        raise ModelError(self._line(None, problem), endpoint=self.endpoint, requests=0)

    def _environment(self) -> Mapping[str, str]:
        return os.environ if self._environ is None else self._environ

    def _proxy_environ(self) -> Mapping[str, str]:
        environ = self._environment()
        if sys.platform in ("win32", "darwin") and not any(name.lower().endswith("_proxy") for name in environ):
            from urllib.request import getproxies

            return {f"{scheme}_proxy": value for scheme, value in getproxies().items()}
        return environ

    def _certificates(self) -> Any:
        """What the HTTP client takes to verify TLS with; the default unless SSL_CERT_FILE or SSL_CERT_DIR says otherwise."""
        problem = ""
        for name, argument in (("SSL_CERT_FILE", "cafile"), ("SSL_CERT_DIR", "capath")):
            path = self._environment().get(name, "").strip()
            if not path:
                continue
            try:
                if not os.path.exists(path):  # noqa: PTH110 - pathlib would need an import for this alone
                    raise FileNotFoundError("there is no such file")
                return ssl.create_default_context(**{argument: path})  # type: ignore[arg-type]
            except (OSError, ValueError) as error:
                if self._address.url.startswith("https:"):
                    problem = f"{name} names {path}, which cannot be used: {shown(str(error))}"
                break
        if problem:
            raise ModelError(self._line(None, f"{problem}; correct it or unset it"), endpoint=self.endpoint, requests=0)
        return True

    def _shared_certificates(self) -> Any:
        """``_certificates`` for several clients: reading the default ones takes longer than making a client."""
        given = self._certificates()
        if given is not True:
            return given
        with suppress(ImportError, AttributeError):  # else each client reads them for itself
            from importlib import import_module

            import openai

            # the HTTP library that openai brought along, under whatever name
            library = import_module(openai.DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0])
            return library.create_ssl_context(trust_env=False)
        return given

    def _heard(self, response: Any) -> Outcome:
        url = str(response.url.copy_with(query=None, fragment=None)) if response.history else None
        return Outcome(
            status=int(response.status_code),
            headers={str(name).lower(): str(value) for name, value in response.headers.items()},
            body=_decoded(response),
            redirected=url,
        )

    def _failed(self, error: Exception) -> Outcome:
        """What an exception of the library means. It is dropped here, so that its request, which holds the key, is not chained to
        any error of ours."""
        response = getattr(error, "response", None)
        if response is not None and hasattr(response, "status_code"):
            return self._heard(response)
        chain: list[BaseException] = []
        cause: BaseException | None = error
        while cause is not None and cause not in chain:
            chain.append(cause)
            cause = cause.__cause__ or cause.__context__
        names = [type(item).__name__ for item in chain]
        kinds = {base.__name__ for item in chain for base in type(item).__mro__}
        words = [str(item) for item in chain if str(item) and str(item) not in ("Connection error.", "Request timed out.")]
        detail = redact(shown(words[-1] if words else names[-1]), self._secrets())
        if any(isinstance(item, ssl.SSLCertVerificationError) for item in chain) or "CERTIFICATE_VERIFY_FAILED" in detail:
            return Outcome(failure="tls", detail=detail)
        if any("Timeout" in name for name in names):
            return Outcome(failure="timeout", detail=detail)
        if any(name in ("UnsupportedProtocol", "LocalProtocolError", "InvalidURL", "TooManyRedirects") for name in names):
            return Outcome(failure="other", detail=detail)
        if kinds & {"APIConnectionError", "TransportError"}:
            return Outcome(failure="connection", detail=detail)
        return Outcome(failure="other", detail=f"{names[0]}: {detail}")


class EmbeddingWatch(Protocol):
    """Is told of requests for embeddings as of any others (``strategies.base.Watch``); may refuse them with LimitError."""

    def asking(self, asks: Sequence[Ask], used: Usage) -> None: ...

    def repeating(self) -> None: ...

    def answered(self, ask: Ask, reply: Reply | Failed) -> None: ...


@dataclass(slots=True)
class _SharedByEmbedders:
    """What the embedders of all users share: whether the service has answered, and whose turn it is before that."""

    turn: threading.Lock = field(default_factory=threading.Lock)
    sound: bool = False
    certificates: Any = None


class OpenAIEmbedder:
    """A model that makes vectors, at an OpenAI-compatible ``/embeddings`` endpoint: a ``memopt.similarity.embed.Embedder``.

    Args:
        service: says where it is asked, with which key, and how often again; its name is the embedding model's.
        batch: how many texts go into one request at most.
    """

    def __init__(self, service: OpenAIModel, batch: int = 128) -> None:
        self.name = service.name
        self.endpoint = service.endpoint
        self.dimensions = 0
        self.requests = 0
        self.usage = Usage()
        self._service = service
        self._batch = max(1, batch)
        self._watch: EmbeddingWatch | None = None
        self._shared = _SharedByEmbedders()

    def watched(self, watch: EmbeddingWatch | None) -> OpenAIEmbedder:
        """The same for one user of many: ``watch`` is told of its requests and may refuse them, and ``usage`` is that user's."""
        mine = copy(self)
        mine.requests, mine.usage, mine._watch = 0, Usage(), watch
        return mine

    def embed(self, texts: Sequence[str]) -> Any:
        """Vectors of length 1, one row a text; zeros for blank texts, which no service takes. Equal texts are sent once.

        Threads may share the object; until the service has answered once, one request is sent at a time.

        Raises:
            ModelUnusable: no request to this service can succeed now.
            ModelError: the service failed, could not be reached, or sent something else than one vector a text.
            LimitError: the watch refused a request.
        """
        import numpy as np

        from memopt.similarity.embed import clean, unit

        plain = [clean(text) for text in texts]
        wanted = [text for text in dict.fromkeys(plain) if text]
        rows: dict[str, Any] = {}
        if wanted:
            if self._shared.certificates is None:
                self._shared.certificates = self._service._shared_certificates()
            with self._service._client("OpenAI", "DefaultHttpxClient", self._shared.certificates) as client:
                for start in range(0, len(wanted), self._batch):
                    some = wanted[start : start + self._batch]
                    with nullcontext() if self._shared.sound else self._shared.turn:
                        vectors = self._ask(client, some)
                    self._shared.sound = True
                    rows.update(zip(some, vectors, strict=True))
        self.dimensions = len(next(iter(rows.values()))) if rows else self.dimensions
        out = np.zeros((len(plain), self.dimensions), dtype=np.float32)
        for place, text in enumerate(plain):
            if text:
                if len(rows[text]) != self.dimensions:
                    raise self._error("it sent vectors of different lengths")
                out[place] = rows[text]
        return unit(out)

    def _ask(self, client: Any, texts: list[str]) -> list[list[float]]:
        service, watch = self._service, self._watch
        if service._unusable is not None:
            raise ModelUnusable(service._unusable, endpoint=self.endpoint, requests=0)
        ask = Ask("", "\n".join(texts), purpose="embeddings")
        if watch is not None:
            _wait_for(watch, ask, self.usage)
        sent = 0
        while True:
            if sent and watch is not None:
                try:
                    watch.repeating()
                except LimitError as error:
                    watch.answered(ask, Failed(ModelError(str(error), requests=sent)))  # it is under way no more
                    raise
            while (wait := service._resume - time.monotonic()) > 0:  # what the service told one request holds for all
                time.sleep(wait * random.uniform(1.0, 1.1))  # noqa: S311
            try:
                response = client.embeddings.with_raw_response.create(model=self.name, input=texts, encoding_format="float")
                outcome = service._heard(response.http_response)
            except Exception as error:
                outcome = service._failed(error)
            sent += 1
            self.requests += 1
            heard = read_vectors(outcome, len(texts), time.time())
            if not isinstance(heard, Problem):
                used = Usage(sent, service._count_tokens(ask.prompt) if service._count_tokens else None)
                self.usage += used
                if watch is not None:
                    watch.answered(ask, Reply("", used))
                return heard
            pause = service._pause_before_retry(heard, sent - 1)
            asked_for = heard.wait if heard.wait is not None else (pause or 0.0) if heard.status == 429 else 0.0
            if 0 < asked_for <= service._max_retry_after:
                service._resume = max(service._resume, time.monotonic() + asked_for)
            if pause is None:
                failure = service._error(ask, heard, sent, wanted="embeddings")
                if watch is not None:
                    watch.answered(ask, Failed(failure))  # it is under way no more
                raise failure
            time.sleep(pause)

    def _error(self, why: str) -> ModelError:
        return ModelError(self._service._line(None, f"{self.endpoint}: {why}"), endpoint=self.endpoint)


def _wait_for(watch: EmbeddingWatch, ask: Ask, used: Usage) -> None:
    """Wait, in a thread, until a request may be sent. Raises LimitError where it may not."""
    asks = [ask]
    while True:
        try:
            watch.asking(asks, used)
        except LimitError as error:
            if not error.details.get("waits"):
                raise
        else:
            return
        time.sleep(_POLL_SECONDS)


def _may_cost_more(ask: Ask, used: Usage) -> bool:
    """Whether a request whose answers took so much may be sent once more, as far as its cost goes."""
    try:
        return ask.room is None or ask.room(used) != 0
    except LimitError:
        return False


def _is_json(text: str) -> bool:
    return text[:1] in ("{", "[")


def _decoded(response: Any) -> str:
    data: bytes = response.content
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return str(response.text)


def _fewest_tokens(text: str) -> int:
    """A lower bound of a text's tokens: real texts have at most 8 characters a token; runs of one character count once."""
    import re

    return len(re.sub(r"(.)\1{7,}", r"\1", text, flags=re.DOTALL)) // 8
