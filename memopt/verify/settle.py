"""What is done with a rewrite that was checked: what it invented is cut out, what it lost stays beside it. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from memopt.facts import lexicon
from memopt.facts.words import brief, fold, stem
from memopt.memory import UserMemory
from memopt.verify.report import Invented, Lost, Report

if TYPE_CHECKING:
    from memopt.verify import Verifier
    from memopt.verify.meaning import Meanings

_ROUNDS = 6
_TIMES, _ROOM = 4, 4000
"""A rewrite with more characters than so many times those of the sources, and these besides, is not looked at: it went astray."""
_SHOWN = 100
_LONE_MARK = re.compile(r"(?m)^[ \t]*(?:[-*•·#]+|\d{1,3}[.)])[ \t]*$\n?")


@dataclass(frozen=True, slots=True)
class Settled:
    """A rewrite without what it invented.

    Attributes:
        text: the text that is left.
        report: what ``text`` still lacks of the sources.
        found: what the text lacked and invented as it came, before anything was cut out.
        removed: what was cut out.
        refusal: why nothing sound is left, or None; then ``text`` is not to be used.
    """

    text: str
    report: Report
    found: Report
    removed: tuple[Invented, ...] = ()
    refusal: str | None = None


def cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text without the spans (start, end), and without what would be left of them: blanks, lone list marks, empty lines, and
    a heading that has nothing under it any more. Linear in the length of the text."""
    behind = _Behind(text)
    kept = len(text)  # so much of the text stands before what is behind
    first = len(text) - len(text.lstrip())
    for start, end in sorted(spans, reverse=True):
        if end > kept:  # it reaches into what was cut already
            text = behind.joined(kept)
            behind, kept, first = _Behind(text), len(text), len(text) - len(text.lstrip())
        start, end = min(start, kept), min(end, kept)
        behind.add(end, kept)
        at_end = behind.following() in ("", "\r", "\n")
        kept = start
        if start <= first or text[start - 1] == "\n":
            behind.without_blanks()
            if at_end:
                behind.without_break()
                kept = _without_heading(text, start, behind)
        elif at_end:
            while text[kept - 1] in " \t":
                kept -= 1
            behind.without_blanks()
        elif text[start - 1] in " \t":
            behind.without_blanks()
    text = _LONE_MARK.sub("", behind.joined(kept))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


class _Behind:
    """What stays of a text behind the place where it is cut: parts of it, the first one last."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[tuple[int, int]] = []

    def add(self, start: int, end: int) -> None:
        """Put a part before all others."""
        if start < end:
            self._parts.append((start, end))

    def following(self) -> str:
        """The first character that is no blank; "" where there is none."""
        for start, end in reversed(self._parts):
            found = _NO_BLANK.search(self._text, start, end)
            if found:
                return found[0]
        return ""

    def without_blanks(self) -> None:
        while self._parts:
            start, end = self._parts.pop()
            found = _NO_BLANK.search(self._text, start, end)
            if found:
                self._parts.append((found.start(), end))
                return

    def without_break(self) -> None:
        """Take off the line break that it begins with, if it does."""
        begins = self._beginning(2)
        size = 2 if begins == "\r\n" else 1 if begins[:1] == "\n" else 0
        while size:
            start, end = self._parts.pop()
            taken = min(size, end - start)
            size -= taken
            self.add(start + taken, end)

    def _beginning(self, most: int) -> str:
        out = ""
        for start, end in reversed(self._parts):
            out += self._text[start : min(end, start + most - len(out))]
            if len(out) == most:
                break
        return out

    def line(self) -> str:
        """Its first line, without blanks at both ends."""
        out = []
        for start, end in reversed(self._parts):
            at = self._text.find("\n", start, end)
            out.append(self._text[start : end if at < 0 else at])
            if at >= 0:
                break
        return "".join(out).strip()

    def joined(self, kept: int) -> str:
        """So much of the text, and what is behind it."""
        return self._text[:kept] + "".join(self._text[start:end] for start, end in reversed(self._parts))


_NO_BLANK = re.compile(r"[^ \t]")


def _without_heading(text: str, end: int, behind: _Behind) -> int:
    """Where ``text[:end]`` ends without its last line where that is a heading of nothing: it ends in a colon, and no item follows."""
    last = end - 1 if text[end - 1 : end] == "\n" else end
    above = text.rfind("\n", 0, last)
    heading = _HEADING.fullmatch(text, above + 1, last)
    if heading:
        following = behind.line()
        if not following or following.startswith("#") or following.rstrip("*_").endswith((":", "：")):
            return above + 1 if above > 0 else 0
    return end


_HEADING = re.compile(r"\s*(?:#+ .{1,80}|[^\n.!?。！？]{1,80}[:：])[*_]*\s*")


def settle(
    sources: Sequence[UserMemory],
    text: str,
    allowed: Collection[str] = (),
    denied: Collection[str] = (),
    meanings: Meanings | None = None,
    verify: Verifier | None = None,
) -> Settled:
    """Check a rewrite of the sources and cut out every sentence that says something no source says.

    Args:
        allowed: statements of the rewrite that a judge found to be said by the sources. Nothing but a plain statement can be
            allowed: a number, a name or a denial without a source is none of a judge's business.
        denied: doubtful statements that a judge did not find in the sources.
        meanings: also looks for plain statements by meaning (see ``verify``).
        verify: of these sources and meanings, where several texts are checked against them: the sources are then read once.
    """
    given = sum(len(item.memory) for item in sources)
    if len(text) > _TIMES * given + _ROOM:
        told = f"it has {len(text):,} characters, and the memories have {given:,}"
        unread = Report(retention=0.0)
        return Settled("", unread, unread, (), told)
    verify = verify or _verifier(sources, meanings)
    removed: list[Invented] = []
    report = found = verify([UserMemory(text, memory_id="rewrite")])
    for _ in range(_ROUNDS):
        invented = [item for item in report.invented if not (item.kind == "statement" and item.fact in allowed)]
        invented += _denied(text, report, denied)
        if not invented:
            return Settled(text, report, found, tuple(removed))
        spans = {(item.start, item.end) for item in invented}
        shorter = _trimmed(text, invented)
        whole = [item for item in invented if (item.start, item.end) not in shorter]
        if shorter and not _left_hanging(text, whole):
            tried = cut(text, (spans - shorter.keys()) | set(shorter.values()))
            checked = verify([UserMemory(tried, memory_id="rewrite")])
            heads = tuple(text[start : shorter[start, end][0]].strip() for start, end in shorter)
            if not any(item.sentence.startswith(heads) for item in checked.invented):
                ends = [item for item in invented if (item.start, item.end) in shorter]
                removed += [*whole, *(_end_of(item, text, shorter[item.start, item.end]) for item in ends)]
                text, report = tried, checked
                continue
        hanging = _left_hanging(text, invented)
        removed += [*invented, *hanging]
        text = cut(text, spans | {(item.start, item.end) for item in hanging})
        if UserMemory(text).is_blank:
            break
        report = verify([UserMemory(text, memory_id="rewrite")])
    first = removed[0]
    shown = brief(first.sentence, _SHOWN)
    return Settled("", report, found, tuple(removed), f"it says what no memory says: “{shown}” ({first.detail})")


def _verifier(sources: Sequence[UserMemory], meanings: Meanings | None) -> Verifier:
    from memopt.verify import Verifier

    return Verifier(sources, meanings)


_TAIL = re.compile(
    r"\s*[,;，；]\s*(?:(?:and|but|or|while|plus)\s+)?|\s+(?:and|but|while)\s+|(?<=[\u4e00-\u9fff])(?:并且|而且|以及|并|且)(?=[\u4e00-\u9fff])",
    re.IGNORECASE,
)
_FOLLOWING = 200
_BLANKS = re.compile(r"\s*")
_LEAST_LEFT = 12
"""A beginning of a sentence with fewer characters is none that could stand alone; of Chinese, a third of that."""


def _trimmed(text: str, invented: Sequence[Invented]) -> dict[tuple[int, int], tuple[int, int]]:
    """Of sentences that are to be cut out the end alone, where what is wrong stands there: by the sentence's place, that of its end."""
    wrong: dict[tuple[int, int], int] = {}
    for item in invented:
        span = item.start, item.end
        at = text.find(item.fact, item.start, item.end) if item.fact else -1
        whole = at < 0 or item.kind in ("polarity", "swap", "opposite", "words", "certainty")
        wrong[span] = min(wrong.get(span, item.end), item.start if whole else at)
    out = {}
    for (start, end), first in wrong.items():
        behind = _BLANKS.match(text, end)
        following = end if behind is None else behind.end()
        if _points_back(re.split(r"(?<=[.!?])\s|[。！？\n]", text[following : following + _FOLLOWING])[0]):
            continue  # whom it speaks of may stand in that end
        body = end - len(text[start:end]) + len(text[start:end].rstrip())
        closed = body - 1 if text[body - 1 : body] in ".!?。！？" else body
        cuts = [found.start() for found in _TAIL.finditer(text, start, closed) if found.start() <= first]
        for at in cuts[-1:]:
            left = text[start:at]
            if len(left.strip(" -*•")) >= (_LEAST_LEFT if left.isascii() else _LEAST_LEFT // 3) and at < closed:
                out[start, end] = at, closed
    return out


def _end_of(item: Invented, text: str, span: tuple[int, int]) -> Invented:
    """What was made up, with the end of its sentence alone, which is cut out."""
    start, end = span
    return replace(item, sentence=text[start:end].strip(" ,;，；"), start=start, end=end)


_PRONOUN = re.compile(
    r"\b(?:he|she|they|it|him|her|hers|his|them|their|theirs|its|himself|herself|themselves|itself|this|these|those|both|the (?:two|former|latter|same))\b"
    r"|[他她它]们?|其(?![他它余中实])|两人|二人|前者|后者|此人",
    re.IGNORECASE,
)


def _left_hanging(text: str, invented: Sequence[Invented]) -> list[Invented]:
    """The sentences behind those that are cut out whose first word for a person or a thing points back to them.

    What stands before would be taken for what they speak of. Where that is the same person as in the sentence that is cut out, they
    are as sound as before.
    """
    from memopt.facts.reading import split_sentences

    gone = sorted({(item.start, item.end) for item in invented})
    begins = [start for start, _ in gone]
    reach = list(accumulate((end for _, end in gone), max))  # how far any of them up to here reaches
    out: list[Invented] = []
    last: str | None = None  # the last sentence that stays
    cut_out: list[str] = []  # what is cut out behind it
    for start, end in split_sentences(text):
        sentence = text[start:end]
        before = bisect_left(begins, end)
        if before and start < reach[before - 1]:
            cut_out.append(sentence)
            continue
        if cut_out and _points_back(sentence) and (last is None or any(_people(one) - _people(last) for one in cut_out)):
            detail = "it points to what was cut out before it"
            out.append(Invented("rewrite", 0, sentence, sentence.strip(), "pronoun", detail, start, end))
            cut_out.append(sentence)
            continue
        last, cut_out = sentence, []
    return out


def _points_back(sentence: str) -> bool:
    """Whether a sentence has a pronoun before anybody or anything that it could stand for."""
    found = _PRONOUN.search(sentence)
    return found is not None and not _people(sentence[: found.start()])


def _people(sentence: str) -> set[str]:
    """Whom a sentence names, as stems: people by name or as relatives; the user where it begins with nobody else."""
    body = sentence.lstrip(" \t\n-*•–—\"“'(#0123456789.)")
    names = {stem(found) for found in re.findall(r"[A-Z][\w'’-]+", body) if fold(found) not in _FIRST_WORDS}
    names |= {root for word in re.findall(r"[a-z]+", body) if (root := stem(word)) in _relatives()}
    names |= {word for word in lexicon.CJK_RELATIONS if word in body}
    if re.search(r"(?i)\busers?\b", body) or "用户" in body:
        names.add("user")
    return names - {"the"}


@cache
def _relatives() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.RELATIONS)


_FIRST_WORDS = frozenset(
    lexicon.words(
        "the a an he she they it his her their its this these those both in on at since for from also then now when while after before during and but"
        " i lives works has is was likes loves enjoys prefers plays takes uses owns speaks wants plans moved born studies studied does did no not never"
    )
)


def _denied(text: str, report: Report, denied: Collection[str]) -> list[Invented]:
    """The sentences of the text that hold a denied statement, as inventions."""
    out: list[Invented] = []
    if not denied:
        return out
    from memopt.facts.reading import split_sentences

    spans = split_sentences(text)
    for fact in denied:
        at = text.find(fact)
        for start, end in spans:
            if at >= 0 and start <= at < end:
                detail = "the judge does not find it in the sources"
                out.append(Invented("rewrite", 0, text[start:end], fact, "statement", detail, start, end))
                break
    return out


def kept_beside(
    sources: Sequence[UserMemory],
    text: str,
    report: Report,
    excused: Collection[tuple[int, str]] = (),
    meanings: Meanings | None = None,
    verify: Verifier | None = None,
) -> list[UserMemory]:
    """The sources that must stay beside a rewrite so that nothing is lost.

    The result is checked as a whole; in the end every source stays.

    Args:
        report: of the text; what it lost is kept.
        excused: (position of the source, fact) of plain facts that a judge found in the text.
        meanings: also looks for plain statements by meaning (see ``verify``).
        verify: of these sources and meanings (see ``settle``).
    """

    def lost(found: Iterable[Lost]) -> set[int]:
        return {item.index for item in found if item.kind != "statement" or (item.index, item.fact) not in excused}

    keep = lost(report.lost)
    if not keep:
        return []
    verify = verify or _verifier(sources, meanings)
    rewrite = UserMemory(text, memory_id="rewrite")
    for _ in range(_ROUNDS):
        kept = [item for place, item in enumerate(sources) if place in keep]
        if not kept:
            return kept
        more = lost(verify([rewrite, *kept]).lost) - keep
        if not more:
            return kept
        keep |= more
    return list(sources)
