"""From what a model said to a text that may become a memory, or the reason why not.

Services answer with more than the answer: reasoning, greetings, code fences, the tokens that end a turn. And they answer with
less: nothing, a refusal, half a sentence, a question. ``clean`` takes the first away and refuses the second. What the model was
given counts as evidence throughout: a memory that itself speaks of ``<think>`` tags or says "I'm sorry" keeps its words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from memopt.errors import AnswerRefused, ModelError
from memopt.models.base import Ask
from memopt.models.phrases import (
    GENERIC,
    HEADS,
    OPENERS,
    announced_elsewhere,
    announces,
    asks_for_material,
    attributed,
    farewell,
    placeholders,
    pleasantry,
    refusals,
)

SHOWN = 200
"""How much of an unusable answer an error shows, in characters."""

_CUT = {"length", "max_tokens", "max_output_tokens", "max_completion_tokens", "model_length", "incomplete"}
_FILTERED = {
    "content_filter",
    "content-filter",
    "safety",
    "recitation",
    "prohibited_content",
    "blocklist",
    "spii",
    "guardrail",
}
_BROKEN = {"error", "abort", "aborted", "cancelled", "canceled", "insufficient_system_resource", "network_error"}


class ContextTooLong(ModelError):
    """The request does not fit into the model's context. Asking for less at a time helps; repeating does not."""

    kind = "context"


def shown(text: str, limit: int = SHOWN) -> str:
    """The beginning of a text on one line, for an error: white space folded, controls made visible, cut with an ellipsis."""
    line = " ".join(text[: limit * 4].split())
    line = "".join(ch if ch.isprintable() else f"\\x{ord(ch):02x}" for ch in line)
    return line if len(line) <= limit else line[:limit].rstrip() + "…"


def sound(text: str) -> str:
    """A text that every store and every JSON encoder takes: surrogate pairs joined, lone ones replaced by U+FFFD, NUL and the
    other control characters but tab and newline removed, byte order marks removed, lines ended by a newline alone."""
    if _surrogates().search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _controls().sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


@cache
def _surrogates() -> re.Pattern[str]:
    return re.compile("[\ud800-\udfff]")


@cache
def _controls() -> re.Pattern[str]:
    return re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\ufeff\ufffe\uffff]")


def _fold(text: str) -> str:
    return " ".join(text.replace("’", "'").replace("‘", "'").casefold().split())


class _Source:
    """What the model was given, as evidence for words in its answer."""

    def __init__(self, ask: Ask) -> None:
        self.literal = "\n".join([ask.prompt, *(item.memory for item in ask.material)]).lower()
        self._folded: str | None = None

    def says(self, text: str) -> bool:
        """Whether the source holds this text, whatever its case and white space."""
        if self._folded is None:
            self._folded = _fold(self.literal)
        wanted = _fold(text).strip()
        return bool(wanted) and wanted in self._folded


def clean(
    text: str | None,
    finish_reason: str | None,
    ask: Ask,
    *,
    refusal: str | None = None,
    completion_tokens: int | None = None,
) -> str:
    """What of an answer may be used.

    Args:
        text: the content of the answer.
        finish_reason: why the model stopped, as the service says it; None: not told.
        ask: what was asked. With a schema, an answer that is JSON comes back as the bare JSON document (``json.loads`` takes
            it), one in prose as plain text, and one in broken JSON not at all.
        refusal: the service's own field for a refusal.
        completion_tokens: the length of the answer as the service counted it, for the message only.

    Raises:
        AnswerRefused: the answer is empty, cut off, filtered, a refusal, only a question, only an announcement, or only
            reasoning. The message is one line; ``details["reason"]`` is a word for programs.
    """
    _check_end(text, finish_reason, completion_tokens)
    if refusal is not None and sound(refusal).strip():
        raise _refused("the model refused", refusal)
    whole = sound(text or "")
    source = _Source(ask)
    answer = _strip_reasoning(_strip_turn_tokens(whole, source), source)
    answer = _trim(answer)
    if not answer:
        raise AnswerRefused(
            "the model's answer holds only its reasoning" if _trim(whole) else "the model's answer is empty",
            reason="empty",
        )
    if ask.schema is not None:
        try:
            return json.dumps(parse_json_answer(answer), ensure_ascii=False)
        except AnswerRefused:
            broken = _looks_like_json(_unwrap(answer, source), 0)
        if broken:
            raise _refused("the model's answer is not valid JSON", answer, "json")
    answer = _unwrap(answer, source)
    if not any(ch.isalnum() for ch in answer):
        if _trim(whole) and any(ch.isalnum() for ch in whole):
            raise _refused("the model announced an answer and gave none", whole, "announcement")
        raise (
            _refused("the model's answer holds no words", whole, "empty")
            if _trim(whole)
            else AnswerRefused("the model's answer is empty", reason="empty")
        )
    _check_words(answer, ask, source)
    return answer


def _refused(why: str, text: str, reason: str = "refusal") -> AnswerRefused:
    return AnswerRefused(f"{why}: {shown(text)}", reason=reason)


def _check_end(text: str | None, finish_reason: str | None, completion_tokens: int | None) -> None:
    reason = (finish_reason or "").strip().lower()
    if reason in _CUT:
        size = f" after {completion_tokens} tokens" if completion_tokens else ""
        raise AnswerRefused(
            f"the model's answer was cut off at the output limit{size} (finish_reason {shown(reason, 40)}); "
            "ask for less at a time, or raise the limit of the server",
            reason="cut",
        )
    if reason in _FILTERED:
        raise AnswerRefused(
            f"the service's content filter stopped the answer (finish_reason {shown(reason, 40)})", reason="filtered"
        )
    if reason in _BROKEN:
        raise AnswerRefused(f"the service broke the answer off (finish_reason {shown(reason, 40)})", reason="broken")
    if reason in {"tool_calls", "function_call", "tool_use"} and not (text or "").strip():
        raise AnswerRefused("the model called a tool instead of answering", reason="tool")


def _trim(text: str) -> str:
    """Without white space and invisible characters at the ends."""
    start, end = 0, len(text)
    while start < end and _invisible(text[start]):
        start += 1
    while end > start and _invisible(text[end - 1]) and text[end - 1] != "\ufe0f":
        end -= 1
    return text[start:end]


def _invisible(ch: str) -> bool:
    return ch.isspace() or not (ch.isprintable() or "\ue000" <= ch <= "\uf8ff" or ch >= "\U000e0000")


# --- the marks of chat templates -------------------------------------------------------------------------------------


@cache
def _turn_tokens() -> re.Pattern[str]:
    return re.compile(
        r"<\|(?:im_start|im_end|eot_id|eom_id|end_of_text|endoftext|begin_of_text|end|return|call|start|"
        r"start_header_id|end_header_id|end_of_turn|assistant|user|system)\|>(?:assistant\b)?"
        r"|<(?:start|end)_of_turn>(?:model\b)?|<｜[^｜<>\n]{1,40}｜>|\[/?INST\]|<(?:eos|bos|pad)>",
    )


@cache
def _outer_tokens() -> re.Pattern[str]:
    # </s> is also the end of struck-out text in HTML, so that it counts at the very ends alone
    return re.compile(r"\A\s*<s>|</s>\s*\Z")


def _strip_turn_tokens(text: str, source: _Source) -> str:
    """The final answer without the tokens that a server should have kept to itself. What follows the end of the turn goes."""
    if "<|channel|>" in text and "<|channel|>" not in source.literal:
        _, mark, final = text.rpartition("<|channel|>final")
        if not mark:
            return "" if "<|message|>" in text else text
        text = final.partition("<|message|>")[2]
    text = _outer_tokens().sub("", text)
    pieces: list[str] = []
    position = 0
    for found in _turn_tokens().finditer(text):
        if found.group().lower() in source.literal:
            continue
        pieces.append(text[position : found.start()])
        position = found.end()
        if any(piece.strip() for piece in pieces):
            return "".join(pieces)
    return "".join(pieces) + text[position:]


_THINKING = (
    r"(?:[a-z]+[:_])?(?:think|thinking|thoughts?|reasoning|reflection|scratch_?pad|analysis|monologue|chain_of_thought|cot)"
)


@cache
def _reasoning_marks() -> re.Pattern[str]:
    return re.compile(
        rf"(?:<|&lt;|＜)\s*(?P<close>/)?\s*{_THINKING}(?:\s[^<>\n]{{0,80}}?)?\s*(?P<empty>/)?\s*(?:>|&gt;|＞)"
        r"|\[(?P<close2>/)?THINK\]"
        r"|◁(?P<close3>/)?think▷"
        r"|<\|(?:(?P<close4>end_of_thought|END_THINKING|/think|end_thinking)|begin_of_thought|START_THINKING|think|"
        r"begin_thinking)\|>",
        re.IGNORECASE,
    )


@cache
def _leftover_mark() -> re.Pattern[str]:
    return re.compile(r"think(?:ing)?\s*(?:>|&gt;|▷|\|>)", re.IGNORECASE)


def _is_quoted(found: re.Match[str], text: str, source: _Source) -> bool:
    """Whether a reasoning mark is one of the source's words: the source holds the very mark, and it stands within a line here as
    a word would, or with the same neighbours as there."""
    mark = found.group().lower()
    if mark not in source.literal:
        return False
    before = text[: found.start()].rpartition("\n")[2]
    after = text[found.end() :].partition("\n")[0]
    if any(ch.isalnum() for ch in before) and any(ch.isalnum() for ch in after):
        return True
    follows, precedes = (mark + after[:10]).lower(), (before[-10:] + mark).lower()
    return (bool(after.strip()) and follows in source.literal) or (bool(before.strip()) and precedes in source.literal)


def _strip_reasoning(text: str, source: _Source) -> str:
    """The answer without its reasoning blocks.

    Raises:
        AnswerRefused: a block was opened and never closed, so that nobody knows where the answer begins.
    """
    marks: list[tuple[int, int, bool]] = []
    for found in _reasoning_marks().finditer(text):
        if _is_quoted(found, text, source):
            continue
        closes = any(found.group(name) for name in ("close", "close2", "close3", "close4"))
        if found.group("empty") and not closes:
            marks.append((found.start(), found.end(), False))
            marks.append((found.end(), found.end(), True))
            continue
        marks.append((found.start(), found.end(), closes))
    if marks:
        text = _outside(text, marks)
    left = _leftover_mark().search(text)
    if left and left.group().lower() not in source.literal:
        raise _refused("the model's answer is mixed up with its reasoning", text, "reasoning")
    return text


def _outside(text: str, marks: list[tuple[int, int, bool]]) -> str:
    depth, balanced = 0, True
    for _, _, closes in marks:
        depth += -1 if closes else 1
        balanced = balanced and depth >= 0
    balanced = balanced and depth == 0
    pieces: list[str] = []
    position, depth = 0, 0
    for start, end, closes in marks:
        if not closes:
            if depth == 0:
                pieces.append(text[position:start])
            # reasoning that speaks of its own mark opens nothing, unless every opening has its end
            depth = depth + 1 if balanced else 1
            continue
        if depth == 0:
            # templates that open the block in the prompt leave only its end in the answer: all before it is reasoning
            pieces.clear()
        depth = max(0, depth - 1)
        position = end
    if depth:
        raise _refused("the model's answer breaks off inside its reasoning", text, "reasoning")
    pieces.append(text[position:])
    return "".join(pieces)


# --- chatter around the answer ---------------------------------------------------------------------------------------


_MARKUP = " \t*_#>`~=-–—"


def _is_announcement(line: str, *, alone: bool) -> bool:
    """Whether every word of a line speaks of the answer and none of its content. ``alone``: nothing else stands on the line."""
    words = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", line.lower().replace("’", "'"))
    if not 1 <= len(words) <= 30 or any(word not in GENERIC for word in words):
        return False
    if not any(word.startswith(HEADS) for word in words):
        return False
    return words[0] in OPENERS or (alone and words[-1].startswith(HEADS[:2]))


def _drop_opening(text: str, source: _Source) -> str | None:
    """The text after one greeting or announcement at its start, or None where it has none."""
    first, newline, rest = text.partition("\n")
    bare = first.strip(_MARKUP)
    if newline and "<" not in bare and bare.rstrip(":：.! ") and not source.says(first):
        if _is_announcement(bare.rstrip(":："), alone=True):
            return rest
        found = announced_elsewhere().match(bare if bare.endswith((":", "：", "。", ".")) else bare + ":")
        if found and found.end() >= len(bare):
            return rest
    colon = re.search(r"[:：]", first[:200])
    if colon and not source.says(first[: colon.end()]):
        head, tail = first[: colon.start()], first[colon.end() :].lstrip("*_ ")
        if _is_announcement(head.strip(_MARKUP), alone=not tail):
            return tail + newline + rest
    found = announced_elsewhere().match(first.lstrip(_MARKUP))
    if found and not source.says(found.group()):
        return first.lstrip(_MARKUP)[found.end() :].lstrip("*_ ") + newline + rest
    start = re.match(r"[^.!。！\n]{1,80}[.!。！]+", text)
    if start and pleasantry().match(start.group().strip()) and not source.says(start.group()):
        return text[start.end() :]
    return None


def _drop_ending(text: str, source: _Source) -> str | None:
    """The text before one farewell at its end, or None where it has none."""
    sentences = _sentences(text)
    if len(sentences) < 2:
        return None
    last = sentences[-1]
    if farewell().match(last.strip(_MARKUP)) and not source.says(last):
        return text[: text.rstrip().rfind(last)]
    return None


@cache
def _fence() -> re.Pattern[str]:
    return re.compile(
        r"(?P<before>\A|\A.*?\n)[ \t]*(?P<f>```|"
        r"~~~)[^\n`]{0,30}\n(?P<body>.*?)\n?[ \t]*(?P=f)[ \t]*(?P<after>\Z|\n.*\Z)",
        re.DOTALL,
    )


def _drop_fence(text: str, source: _Source) -> str | None:
    if "```" not in text and "~~~" not in text:
        return None
    found = _fence().match(text)
    if not found or found.group("body").count(found.group("f")) or source.says(found.group("body") + "\n" + found.group("f")):
        return None
    for outside in (found.group("before"), found.group("after")):
        if any(not _is_chatter(sentence) for sentence in _sentences(outside)):
            return None
    return found.group("body")


_WRAPPERS = "summary|answer|final_answer|final|output|response|result|memory|memories|consolidated_memory|text"


def _drop_wrapper(text: str, source: _Source) -> str | None:
    """The inside of quotes or of one XML element around the whole text."""
    found = re.fullmatch(rf"<({_WRAPPERS})>(.*)</\1>", text, re.DOTALL | re.IGNORECASE)
    if found and f"<{found.group(1)}" not in found.group(2):
        return found.group(2)
    for left, right in (
        ('"', '"'),
        ("“", "”"),
        ("„", "“"),
        ("«", "»"),
        ("「", "」"),
        ("『", "』"),
        ("'", "'"),
        ("**", "**"),
    ):
        if len(text) > len(left) + len(right) and text.startswith(left) and text.endswith(right):
            inside = text[len(left) : -len(right)]
            if left not in inside and right not in inside and not source.says(text):
                return inside
    return None


def _unwrap(text: str, source: _Source) -> str:
    steps: tuple[Callable[[str, _Source], str | None], ...] = (_drop_wrapper, _drop_fence, _drop_opening, _drop_ending)
    for _ in range(12):
        for step in steps:
            shorter = step(text, source)
            if shorter is not None:
                text = _trim(shorter)
                break
        else:
            break
    return text


# --- answers that answer nothing -------------------------------------------------------------------------------------


@cache
def _sentence_ends() -> re.Pattern[str]:
    return re.compile(r"(?<=[.!?؟])\s+|(?<=[.!?؟][\"'”’)\]*_»])\s+|(?<=[。！？])\s*|\n+")


@cache
def _a_letter() -> re.Pattern[str]:
    return re.compile(r"[^\W_]")


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in _sentence_ends().split(text) if part and _a_letter().search(part)]


_ENDED = re.compile(r"(?:[.!?。！？…;；:：؟।]|[.!?。！？…][\"'”’»」』)\]*_`]+|[)\]\"'”’»」』*_`|]|[^\w\s.,，、-])\s*\Z")
_OPEN_WORDS = frozenset(
    "a an the of at in on to for with by from as and or but nor his her their its my our your is are was were be been has have"
    " had does do did not that which who whose when where while because since until into about than will would can could".split()
)
"""English words that no sentence about somebody ends with, save a rare one."""
_BEHIND = (
    r"(?=\s*(?:[.,;:!?)\]\"”。，；！？、\n]|\Z|(?:and|or|but|while|since|until|because|when|where|who|which|after|before)\b))"
)


def without_stump(text: str, given: str) -> str:
    """A text in plain sentences without a last one that breaks off; "" where nothing else is left.

    A service may break an answer off and call it finished. A text that leaves the last full stop out, or has none (a list),
    is whole: it breaks off where the last word wants another one behind it, or where the sentences before it have their marks and
    what was ``given`` nowhere has an end behind that word.
    """
    body = text.rstrip()
    if not body or _ENDED.search(body) or body.endswith(("http", "/")):
        return text
    from memopt.facts.reading import split_sentences

    spans = [(start, end) for start, end in split_sentences(body) if body[start:end].strip()]
    if not spans:
        return text
    start = spans[-1][0]
    before = body[:start].rstrip()
    found = re.search(r"[^\W_]+(?:['’-][^\W_]+)*[-,，、]?\Z", body)
    last = found.group() if found else ""
    word = last.rstrip("-,，、")
    asked = word if word.isascii() else word[-2:]
    edge = r"\b" if word[:1].isascii() and word[:1].isalnum() else ""
    ends_there = bool(asked) and re.search(edge + re.escape(asked) + _BEHIND, given, re.IGNORECASE) is not None
    open_end = last != word or (word.lower() in _OPEN_WORDS and not ends_there)
    if not open_end and before and all(_ENDED.search(body[a:b].rstrip()) for a, b in spans[:-1]):
        open_end = bool(asked) and not ends_there
    return before if open_end else text


def _is_chatter(sentence: str) -> bool:
    bare = sentence.strip(_MARKUP)
    found = announced_elsewhere().match(bare if bare.endswith((":", "：")) else bare.rstrip(".。") + ":")
    return bool(
        pleasantry().match(bare)
        or farewell().match(bare)
        or announces().match(bare)
        or _is_announcement(bare, alone=True)
        or (found and found.end() >= len(bare.rstrip(".。")))
    )


def _is_question(sentence: str) -> bool:
    end = len(sentence)
    closed = False
    while end and not sentence[end - 1].isalnum() and sentence[end - 1] not in "?？؟":
        closed = closed or sentence[end - 1] in "\"'”’»」』"
        end -= 1
    if not end or sentence[end - 1] not in "?？؟":
        return False
    if re.match(r"(?:the )?users?\b|用户|用戶|使用者", sentence.lstrip(_MARKUP + "•·"), re.IGNORECASE):
        return False
    # User asked: "Which one?" is a statement about a question
    return not (closed and sentence.lstrip(_MARKUP)[:1] not in "\"'“‘«「『")


def _check_words(answer: str, ask: Ask, source: _Source) -> None:
    sentences = _sentences(answer)
    plain = [sentence.lstrip(_MARKUP + "•·\"'“‘「«0123456789.) ").replace("’", "'") for sentence in sentences]
    for sentence, bare in zip(sentences, plain, strict=True):
        if refusals().match(bare):
            if source.says(sentence) or attributed().search(bare):
                continue
            raise _refused("the model refused", sentence)
    if placeholders().fullmatch(answer) and not source.says(answer):
        raise _refused("the model's answer stands for none", answer, "empty")
    if _echoes(answer, ask):
        raise _refused("the model repeated its instructions instead of answering", answer, "echo")
    speaking = [(s, b) for s, b in zip(sentences, plain, strict=True) if not pleasantry().match(b)]
    asking = [s for s, b in speaking if _is_question(s) or asks_for_material().search(b)]
    announcing = [s for s, b in speaking if s not in asking and _is_chatter(b)]
    if source.says(answer):
        return
    if asking and len(asking) + len(announcing) == len(speaking) and not all(source.says(s) for s in asking):
        raise _refused("the model only asked back", answer, "question")
    if len(announcing) == len(speaking) or (len(sentences) == 1 and answer.rstrip("*_ ").endswith((":", "："))):
        raise _refused("the model announced an answer and gave none", answer, "announcement")


def _echoes(answer: str, ask: Ask) -> bool:
    """Whether the answer holds the instructions: the whole of them, or their first 120 characters and more."""
    system = _fold(ask.system)
    return len(system) >= 40 and system[: max(120, 40)] in _fold(answer)


# --- structured answers ----------------------------------------------------------------------------------------------


def parse_json_answer(text: str) -> Any:
    """The one JSON object (or array) of an answer, whatever stands around it.

    Takes a bare document, one in code fences, one within prose, one with a byte order mark, and line breaks inside strings.
    Texts inside are made sound (see ``sound``).

    Raises:
        AnswerRefused: there is no JSON, it is cut off or broken, or there are several different documents. Nothing is ever
            taken from the inside of a broken one. The message shows the first 200 characters.
    """
    body = _trim(sound(text))
    try:
        return _sound_values(_loads(body))
    except (ValueError, RecursionError):
        pass
    objects: list[Any] = []
    arrays: list[Any] = []
    position = 0
    start = _json_start()
    while found := start.search(body, position):
        try:
            value, position = _decoder().raw_decode(body, found.start())
        except (ValueError, RecursionError):
            if _looks_like_json(body, found.start()):
                raise _refused("the model's answer is not valid JSON", body, "json") from None
            position = found.start() + 1
            continue
        chosen = objects if isinstance(value, dict) else arrays
        if value not in chosen:
            chosen.append(value)
    values = objects or arrays
    if not values:
        raise _refused("the model's answer is not JSON", body, "json")
    if len(values) > 1:
        raise _refused("the model's answer holds several JSON documents", body, "json")
    return _sound_values(values[0])


@cache
def _json_start() -> re.Pattern[str]:
    return re.compile(r"[{\[]")


@cache
def _decoder() -> json.JSONDecoder:
    def constant(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    return json.JSONDecoder(strict=False, parse_constant=constant)


def _loads(text: str) -> Any:
    value = _decoder().decode(text)
    if not isinstance(value, dict | list):
        raise ValueError("a bare value is no document")
    return value


def _looks_like_json(text: str, at: int) -> bool:
    if text[at : at + 1] not in ("{", "["):
        return False
    following = text[at + 1 : at + 200].lstrip()
    return following[:1] in (('"', "}", "'") if text[at] == "{" else ('"', "{", "[", "]")) or not following


def _sound_values(value: Any) -> Any:
    if isinstance(value, str):
        return sound(value)
    if isinstance(value, list):
        return [_sound_values(item) for item in value]
    if isinstance(value, dict):
        return {sound(key): _sound_values(item) for key, item in value.items()}
    return value
