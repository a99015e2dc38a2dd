"""What a chat-completions service sends back, read and judged. Pure: no network, no clock.

Real services answer with more than the format's document: errors inside a 200, streams nobody asked for, login pages, empty
lists. Every outcome is read into ``Heard`` or ``Problem``; a problem knows whether asking again, or asking otherwise, makes
sense. Format: OpenAI's Chat Completions reference; deviations as documented by or observed with llama.cpp, vLLM, Ollama,
LM Studio, OpenRouter, Groq, Mistral, Google and Anthropic.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

from memopt.models.answer import shown


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one request.

    Attributes:
        status: the HTTP status; None: no answer came.
        headers: names in lower case.
        redirected: where the answer came from in the end, if not from where it was asked; without query.
        failure: for no answer: ``timeout``, ``connection``, ``tls``, ``proxy`` or ``other``.
        detail: for no answer: one line of the library's words.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    redirected: str | None = None
    failure: str | None = None
    detail: str = ""

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer. Tokens are as the service counted them; None or 0: not told. ``reasoned``: it sent its reasoning apart."""

    text: str | None
    finish_reason: str | None = None
    refusal: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoned: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """A failure.

    Attributes:
        status: the HTTP status, or the code that an error inside a 200 carries; None: no answer came.
        wait: seconds that the service asks to wait.
        final: the answer was whole and is wrong, so that asking again changes nothing.
        page: a web page came with a status of success, as from a login or a captive portal.
    """

    message: str
    status: int | None = None
    code: str = ""
    failure: str | None = None
    wait: float | None = None
    final: bool = False
    page: bool = False

    @property
    def words(self) -> str:
        return f"{self.code} {self.message}".lower()

    @property
    def too_long(self) -> bool:
        """Whether the request was larger than the model's context."""
        return self.status == 413 or bool(_too_long().search(self.words))

    @property
    def unpaid(self) -> bool:
        """Whether the account has nothing left to pay with, which no waiting changes."""
        if self.status == 402 or "insufficient_quota" in self.words or "billing_hard_limit" in self.words:
            return True
        return self.status in (403, 429) and self.wait is None and bool(_unpaid().search(self.words))

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed a little later."""
        if self.final or self.unpaid or self.too_long:
            return False
        if self.status is None:
            return self.failure in ("timeout", "connection")
        return self.status in (408, 409, 425, 429) or (self.status >= 500 and self.status not in (501, 505, 511))


@cache
def _too_long() -> re.Pattern[str]:
    return re.compile(
        r"context_length_exceeded|exceed_context_size|context[_ ](?:length|window|size|limit)[^.]{0,60}(?:exceed|too|is \d|only)|"
        r"(?:exceed|larger than|greater than|longer than|over)\w*[^.]{0,60}context|maximum context length|max_context_length|"
        r"(?:prompt|input|request|messages?) (?:is|are) too (?:long|large)|input token count[^.]{0,40}exceed|"
        r"too many (?:input )?tokens|(?:prompt|input) contains? \d+ tokens|reduce the length of the (?:messages|prompt|input)|"
        r"string_above_max_length|tokens? (?:in the )?(?:prompt|input)[^.]{0,40}(?:exceed|cannot|too)|"
        r"context (?:the )?overflow|context shift is disabled|payload too large"
    )


@cache
def _unpaid() -> re.Pattern[str]:
    return re.compile(
        r"billing|payment|credits?\b|insufficient (?:balance|funds)|balance is|quota (?:exceeded|has been)|"
        r"exceeded your current quota"
    )


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a service takes. Each ability is tried once and given up for good where the service says no.

    Attributes:
        bounded: that an answer is given no more room than its cost allows.
        longest: the most tokens that it lets an answer be given; None: not known.
    """

    schema: bool = True
    system: bool = True
    temperature: bool = True
    max_tokens: bool = True
    bounded: bool = True
    longest: int | None = None

    def both(self, other: Dialect) -> Dialect:
        """What both leave standing."""
        return Dialect(
            self.schema and other.schema,
            self.system and other.system,
            self.temperature and other.temperature,
            self.max_tokens and other.max_tokens,
            self.bounded and other.bounded,
            min((each for each in (self.longest, other.longest) if each is not None), default=None),
        )


def adapt(problem: Problem, used: Dialect, with_schema: bool, room: int | None = None) -> Dialect | None:
    """The dialect to ask again in, or None where the failure is not one of dialect.

    Args:
        room: how many tokens the answer was given, where that was for its cost alone.
    """
    if room is not None and used.bounded and problem.status in (400, 413, 422):
        longest = _longest_answer(problem.words, room)
        if longest is not None:
            return replace(used, longest=longest) if longest else replace(used, bounded=False)
    if problem.status not in (400, 404, 415, 422, 500, 501) or problem.too_long or problem.unpaid:
        return None
    words = problem.words
    if (
        with_schema
        and used.schema
        and re.search(r"response_format|response format|json_?schema|json_object|structured|grammar|\bschema", words)
    ):
        return replace(used, schema=False)
    if used.max_tokens and "max_completion_tokens" in words:
        return replace(used, max_tokens=False)
    if used.temperature and "temperature" in words:
        return replace(used, temperature=False)
    if (
        used.system
        and re.search(r"\broles?\b|\bsystem\b|developer instruction|chat template|jinja|alternat", words)
        and (problem.status != 500 or "system" in words)
    ):
        return replace(used, system=False)
    if (
        with_schema
        and used.schema
        and problem.status in (400, 422, 501)
        and not re.search(r"model|api[_ ]?key|safety|policy", words)
    ):
        # a service that does not say what it dislikes: the one unusual thing we sent is the schema
        return replace(used, schema=False)
    return None


def _longest_answer(words: str, room: int) -> int | None:
    """How long an answer may be by what a service says that refused to give one so much room; 0: it does not say, or takes no
    limit at all; None: it refused something else.

    Words as of OpenAI ("max_tokens is too large: 9000. This model supports at most 4096 completion tokens"), its older models and
    vLLM, where request and answer share the context, Anthropic and Mistral.
    """
    context = re.search(r"context (?:length|window|size)[^\d]{0,20}(\d+)", words)
    asked = re.search(r"(\d+)(?: tokens)? (?:input tokens|in (?:the )?(?:messages|prompt|input)\b)", words)
    if context and asked and re.search(r"in (?:the )?(?:completion|output)|output tokens|max_(?:completion_)?tokens", words):
        left = int(context[1]) - int(asked[1])
        return left if 0 < left < room else None
    if not re.search(r"max_(?:completion_|output_|new_)?tokens|max_?output_?tokens|maximum output|completion tokens", words):
        return None
    if "max_completion_tokens" in words and re.search(r"not supported|unsupported|instead|use ", words):
        return None  # it wants the other name for it
    most = re.search(
        r"(?:at most|maximum|up to|<=?|less than or equal to|no more than|not exceed|\[1, ?|1 (?:and|to)|>)[^\d]{0,40}(\d+)",
        words,
    )
    return int(most[1]) if most and 0 < int(most[1]) < room else 0


def read(outcome: Outcome, now: float) -> Heard | Problem:
    """Read one outcome. ``now`` is epoch seconds, for a Retry-After that is a date."""
    if outcome.status is None:
        return Problem(outcome.detail or "no answer", None, failure=outcome.failure or "other")
    if not 200 <= outcome.status < 300:
        return _error_status(outcome, now)
    return _read_body(outcome)


def read_vectors(outcome: Outcome, count: int, now: float) -> list[list[float]] | Problem:
    """Read one outcome of an embeddings request: ``count`` vectors in the order of the texts, or what is wrong.

    Format: OpenAI's Embeddings reference. Some services leave ``index`` out; some send an error inside a 200.
    """
    if outcome.status is None or not 200 <= outcome.status < 300:
        problem = read(outcome, now)
        assert isinstance(problem, Problem)
        return problem

    def wrong(message: str) -> Problem:
        return Problem(_redirected(outcome, message), outcome.status, final=True)

    try:
        value = json.loads(outcome.body.strip("\ufeff \t\r\n"))
    except (ValueError, RecursionError):
        problem = read(outcome, now)
        return problem if isinstance(problem, Problem) else wrong("something else than embeddings")
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, list):
        message, code, status = error_of(value)
        if message or code:
            return Problem(shown(message or code), status or 200, shown(code, 60), wait=_wait_in(message), final=status is None)
        return wrong("a document without embeddings")
    if len(data) != count or not all(isinstance(item, dict) for item in data):
        return wrong(f"{len(data)} embeddings for {count} texts")
    if all(type(item.get("index")) is int for item in data):
        if sorted(item["index"] for item in data) != list(range(count)):
            return wrong("embeddings that cannot be told apart by their index")
        data = sorted(data, key=lambda item: int(item["index"]))
    vectors = [item.get("embedding") for item in data]
    for vector in vectors:
        if not isinstance(vector, list) or not vector or not all(type(number) in (int, float) for number in vector):
            return wrong("an embedding that is no list of numbers")
    return vectors


def _error_status(outcome: Outcome, now: float) -> Problem:
    wait = read_wait(outcome.headers, outcome.body, now)
    final = outcome.headers.get("x-should-retry", "").lower() == "false"
    message, code = "", ""
    try:
        message, code, _ = error_of(json.loads(outcome.body))
    except (ValueError, RecursionError):
        if _is_html(outcome):
            message = _page(outcome)
        elif outcome.body.strip():
            message = outcome.body
    return Problem(_redirected(outcome, shown(message)), outcome.status, shown(code, 60), wait=wait, final=final)


def _redirected(outcome: Outcome, message: str) -> str:
    if outcome.redirected is None:
        return message
    hint = f"it redirects to {shown(outcome.redirected)}, so that may be the base URL to give"
    return f"{message}; {hint}" if message else hint


def _read_body(outcome: Outcome) -> Heard | Problem:
    body = outcome.body.strip("\ufeff \t\r\n")
    status = outcome.status
    kind = outcome.content_type or "no content type"

    def wrong(message: str) -> Problem:
        return Problem(_redirected(outcome, message), status, final=True)

    if not body:
        return wrong(f"an empty response (HTTP {status}, {kind})")
    if outcome.content_type == "text/event-stream" or re.match(r"(?:data|event|id|retry)?:", body):
        return _read_stream(body, wrong)
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        if _is_html(outcome):
            return replace(wrong(f"{_page(outcome)} instead of an answer"), page=True)
        if body[:1] in "{[" or outcome.content_type.endswith("json"):
            return wrong(f"JSON that is broken or cut off ({kind}, {len(body)} characters): {shown(body, 80)}")
        return wrong(f"{kind} instead of JSON: {shown(body, 80)}")
    return _read_value(value, kind, wrong)


def _read_value(value: Any, kind: str, wrong: Callable[[str], Problem]) -> Heard | Problem:
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        message, code, status = error_of(value)
        if message or code:
            return Problem(shown(message or code), status or 200, shown(code, 60), wait=_wait_in(message), final=status is None)
        return wrong(f"a document without choices ({kind}): {shown(json.dumps(value, ensure_ascii=False), 80)}")
    choice = choices[0]
    if choice.get("error"):
        message, code, status = error_of({"error": choice["error"]})
        return Problem(shown(message or code), status or 200, shown(code, 60), wait=_wait_in(message), final=status is None)
    said = choice.get("message")
    if not isinstance(said, dict):
        said = {"content": said if isinstance(said, str) else choice.get("text")}
    text, refusal = _content(said.get("content"))
    refusal = _text_or_none(said.get("refusal")) or refusal
    finish = _text_or_none(choice.get("finish_reason"))
    if text is None and (said.get("tool_calls") or said.get("function_call")):
        finish = "tool_calls"
    prompt, completion = _usage(value.get("usage"))
    reasoned = bool(said.get("reasoning_content") or said.get("reasoning"))
    return Heard(text, finish, refusal, prompt, completion, reasoned)


def _content(content: Any) -> tuple[str | None, str | None]:
    """Text and refusal of a message's content: a text, or a list of parts of which reasoning is left out."""
    if content is None or isinstance(content, str):
        return content, None
    parts = content if isinstance(content, list) else [content]
    texts: list[str] = []
    refusal: str | None = None
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            kind = str(part.get("type") or "text").lower()
            if kind == "refusal":
                refusal = _text_or_none(part.get("refusal")) or _text_or_none(part.get("text")) or "refused"
            elif kind in ("text", "output_text", "input_text"):
                inner = part.get("text", part.get("content"))
                inner = inner.get("value") if isinstance(inner, dict) else inner
                if isinstance(inner, str):
                    texts.append(inner)
    return ("".join(texts) if texts else None), refusal


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15 else None


def _usage(usage: Any) -> tuple[int | None, int | None]:
    if not isinstance(usage, dict):
        return None, None
    prompt = _whole(usage.get("prompt_tokens", usage.get("input_tokens")))
    details = usage.get("prompt_tokens_details")
    cached = _whole(details.get("cached_tokens")) if isinstance(details, dict) else None
    if prompt is not None and cached is not None and cached > prompt:
        prompt += cached  # some services count what they had cached beside the prompt, not within it
    return prompt, _whole(usage.get("completion_tokens", usage.get("output_tokens")))


def _read_stream(body: str, wrong: Callable[[str], Problem]) -> Heard | Problem:
    """Server-sent events, joined into the one answer they make."""
    texts: list[str] = []
    refusals: list[str] = []
    finish: str | None = None
    usage: Any = None
    done = reasoned = tools = False
    events = 0
    for line in body.splitlines():
        name, _, data = line.partition(":")
        data = data.strip()
        if name.strip() != "data" or not data:
            continue
        if data == "[DONE]":
            done = True
            break
        try:
            chunk = json.loads(data)
        except (ValueError, RecursionError):
            return wrong(f"a stream whose events are not JSON (text/event-stream): {shown(data, 80)}")
        events += 1
        if not isinstance(chunk, dict):
            continue
        usage = chunk.get("usage") or usage
        choices = chunk.get("choices")
        if not choices:
            message, code, status = error_of(chunk) if chunk.get("error") else ("", "", None)
            if message or code:
                return Problem(shown(message or code), status or 200, shown(code, 60), final=status is None)
            continue
        choice = choices[0] if isinstance(choices, list) and isinstance(choices[0], dict) else {}
        if choice.get("error"):
            message, code, status = error_of({"error": choice["error"]})
            return Problem(shown(message or code), status or 200, shown(code, 60), final=status is None)
        delta = choice.get("delta") or choice.get("message") or {"content": choice.get("text")}
        text, refusal = _content(delta.get("content"))
        texts.append(text or "")
        refusals.append(_text_or_none(delta.get("refusal")) or refusal or "")
        reasoned = reasoned or bool(delta.get("reasoning_content") or delta.get("reasoning"))
        tools = tools or bool(delta.get("tool_calls"))
        finish = _text_or_none(choice.get("finish_reason")) or finish
    if not events:
        return wrong("a stream without events (text/event-stream)")
    if finish is None and not done:
        return wrong("a stream that broke off before its end (text/event-stream)")
    text = "".join(texts)
    if not text and tools:
        finish = "tool_calls"
    prompt, completion = _usage(usage)
    return Heard(text or None, finish, "".join(refusals) or None, prompt, completion, reasoned)


def error_of(value: Any) -> tuple[str, str, int | None]:
    """Message, code and status of an error document in any of the forms that services use; empty where it is none."""
    if isinstance(value, list):
        return error_of(value[0]) if value else ("", "", None)
    if not isinstance(value, dict):
        return (value, "", None) if isinstance(value, str) else ("", "", None)
    error = value.get("error", value.get("errors"))
    if isinstance(error, list):
        error = error[0] if error else None
    if isinstance(error, dict):
        message = _first_text(error, "message", "msg", "detail", "error")
        metadata = error.get("metadata")
        raw = metadata.get("raw") if isinstance(metadata, dict) else None
        if isinstance(raw, str) and raw.strip() and raw not in message:
            message = f"{message}: {raw}" if message else raw
        codes = [str(error[key]) for key in ("code", "type", "status") if error.get(key) not in (None, "")]
        if message or codes:
            return message, " ".join(dict.fromkeys(codes)), _status_in(error)
        return "", "", None
    if isinstance(error, str) and error.strip():
        more = _first_text(value, "message", "error_description")
        return (f"{error}: {more}" if more and more not in error else error), "", _status_in(value)
    message = _first_text(value, "message", "detail", "error_description", "msg")
    detail = value.get("detail")
    if not message and isinstance(detail, list) and detail and isinstance(detail[0], dict):
        place = ".".join(str(part) for part in detail[0].get("loc") or [])
        message = f"{place}: {detail[0].get('msg', '')}".strip(": ")
    if value.get("object") != "error" and not message:
        return "", "", None
    code = value.get("code")
    return message, str(code) if code not in (None, "") else "", _status_in(value)


def _first_text(value: Mapping[str, Any], *keys: str) -> str:
    for key in keys:
        if isinstance(value.get(key), str) and value[key].strip():
            return str(value[key]).strip()
    return ""


def _status_in(error: Mapping[str, Any]) -> int | None:
    for key in ("code", "status", "status_code"):
        value = error.get(key)
        if isinstance(value, str) and re.fullmatch(r"[45]\d\d", value):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:
            return value
    return None


def _is_html(outcome: Outcome) -> bool:
    return "html" in outcome.content_type or bool(re.match(r"\s*<(?:!doctype|html|head|body)\b", outcome.body, re.IGNORECASE))


def _page(outcome: Outcome) -> str:
    found = re.search(r"<title[^>]*>(.*?)</title>", outcome.body[:20_000], re.IGNORECASE | re.DOTALL)
    title = shown(html.unescape(found.group(1)), 60) if found else ""
    return f"a web page ({outcome.content_type or 'HTML'})" + (f" titled {title!r}" if title else "")


def read_wait(headers: Mapping[str, str], body: str, now: float) -> float | None:
    """Seconds that a service asks to wait, or None: from Retry-After (seconds, date, ms variant) or the words of the error."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"-?\d+(?:\.\d+)?", value):
            return max(0.0, float(value) * unit)
        if value and unit == 1.0:
            try:
                return max(0.0, parsedate_to_datetime(value).timestamp() - now)
            except (ValueError, TypeError, OverflowError):
                continue
    return _wait_in(body)


def _wait_in(text: str) -> float | None:
    found = re.search(
        r"(?:try again|retry|retrydelay)\W{0,6}(?:in |after )?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s)\b)?",
        text[:4000],
        re.IGNORECASE,
    )
    if not found or not any(found.groups()):
        return None
    hours, minutes, seconds, unit = found.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds or 0) * (0.001 if unit and unit.lower() == "ms" else 1)
