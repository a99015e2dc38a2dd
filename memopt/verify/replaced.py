"""What a rewrite tells in the place of a fact that it lost: *is a frontend engineer*, where a memory has *is a backend engineer*.

A sentence that shares all but one value with a memory comes near enough to it to count as told by it, and the value alone weighs too
little to be asked for. Where that memory's own value is gone from the rewrite, the other one was put in its place: nobody said it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from memopt.facts.kin import roots_of, told_in
from memopt.facts.words import brief, stem
from memopt.verify.findings import Gone, Made, make_invented
from memopt.verify.lines import Line, Side, is_cjk, weigh
from memopt.verify.search import Search, item_anywhere, word_anywhere, word_held

_ASKED = 3
_LEAST = 0.3
"""A word that weighs less is one that people replace freely."""
_FRAME = 0.5
"""What both sentences tell alike weighs so much at least, and so large a share of what else each of them tells."""
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


class _Run(NamedTuple):
    """Words in a row that the other side does not have: offsets in the text, the words before and behind; "" at an end."""

    start: int
    end: int
    before: str
    behind: str
    kind: str


def find_replaced(
    ours: Side, theirs: Side, there: Search, back: Search, lost: Iterable[Gone], invented: Sequence[Made]
) -> list[Made]:
    """The sentences of the rewrite that tell another value in the place of one that is lost, and that nothing else was found in."""
    known = {(one.public.index, one.public.start) for one in invented}
    out: list[Made] = []
    asked: set[int] = set()
    for item in lost:
        if item.unit < 0:
            continue
        unit = ours.units[item.unit]
        line = ours.lines[unit.line]
        if unit.line in asked:
            continue
        asked.add(unit.line)
        gone: list[_Run] | None = None
        for at in there.top(unit, line, ours.units)[:_ASKED]:
            other = theirs.lines[at]
            memory = theirs.memories[other.memory]
            place = other.memory, other.start if other.whole is None else other.whole[1]
            if place in known or back.by_phrase.get(other.phrase) or not _one_frame(line, ours, other, theirs):
                continue
            if gone is None:
                gone = _strange(line, ours, there)
            text = ours.memories[line.memory].memory
            pair = next(
                (
                    (new, old)
                    for new in _strange(other, theirs, back)
                    for old in gone
                    if _same_place(new, old)
                    and memory.memory[new.start : new.end] != text[old.start : old.end]
                    and not _akin(new, memory.memory, old, text)
                ),
                None,
            )
            if pair is None:
                continue
            new, old = pair
            told = f"{brief(text[old.start : old.end])} became {brief(memory.memory[new.start : new.end])}"
            made = make_invented(memory, other, memory.memory[new.start : new.end], new.kind, told)
            source = line.text if line.whole is None else line.whole[0]
            made = replace(made, nearest_id=ours.memories[line.memory].memory_id, nearest=source)
            out.append(Made(made, other.units[0] if other.units else -1 - at))
            known.add(place)
    return out


def _one_frame(one: Line, ours: Side, two: Line, theirs: Side) -> bool:
    """Whether two sentences tell the same but for a value: what both have weighs enough, on either side."""
    return _shared(one, ours, two, theirs) and _shared(two, theirs, one, ours)


def _shared(one: Line, side: Side, two: Line, other: Side) -> bool:
    terms = [each for number in one.units for each in side.units[number].terms if each.weight]
    held = sum(each.weight for each in terms if word_held(each, two, other) >= 0.5)
    total = sum(each.weight for each in terms)
    least = _FRAME / 2 if one.chars else _FRAME
    return held >= min(least, total / 2) and held >= 0.4 * total and total > 0


def _strange(line: Line, side: Side, other: Search) -> list[_Run]:
    """The words and figures of a line that the other side has nowhere, those in a row as one."""
    text = side.memories[line.memory].memory
    spots: list[tuple[int, int, str]] = []
    for number in line.units:
        unit = side.units[number]
        for item in unit.items:
            if item.kind in _VALUES and not item_anywhere(other, item):
                spots.append((item.start, item.end, item.kind))
        missing = {each.stem for each in unit.terms if each.weight >= _LEAST and not word_anywhere(each.stem, other)}
        missing -= other.dominant
        for word in missing:
            if is_cjk(word):
                at = text.find(word, unit.start, unit.end)
                spots += [(at, at + len(word), "statement")] if at >= 0 else []
        spots += [
            (found.start(), found.end(), "statement")
            for found in _WORD.finditer(text, unit.start, unit.end)
            if not is_cjk(found.group()) and stem(found.group()) in missing
        ]
    return [_run(text, line, *spot) for spot in _in_rows(text, spots)]


_VALUES = frozenset(("number", "quantity", "date", "money", "percent", "ordinal", "time", "weekday", "quote", "version"))


def _in_rows(text: str, spots: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    out: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(spots):
        if out and (start <= out[-1][1] or not text[out[-1][1] : start].strip()):
            out[-1] = out[-1][0], max(end, out[-1][1]), kind if out[-1][2] == "statement" else out[-1][2]
        else:
            out.append((start, end, kind))
    return out


def _run(text: str, line: Line, start: int, end: int, kind: str) -> _Run:
    before, behind = text[line.start : start], text[end : line.end]
    words = _WORD.findall(before)
    last = before.strip(" \"'“‘「")[-1:] if is_cjk(before.strip()[-1:]) else stem(words[-1]) if words else ""
    words = _WORD.findall(behind)
    first = behind.strip(" \"'”’」")[:1] if is_cjk(behind.strip()[:1]) else stem(words[0]) if words else ""
    return _Run(start, end, last, first, kind)


def _same_place(one: _Run, two: _Run) -> bool:
    """Whether what stands around one value stands around the other: both neighbours, or one that says something."""
    if (one.kind == "statement") != (two.kind == "statement") and "quote" not in (one.kind, two.kind):
        return False
    before, behind = one.before == two.before, one.behind == two.behind
    return (before and behind) or (before and _says(one.before)) or (behind and _says(one.behind))


def _akin(one: _Run, mine: str, two: _Run, theirs: str) -> bool:
    """Whether a word of one is akin to one of the other: *boy*, *boyhood*."""
    text = theirs[two.start : two.end]
    return "statement" == one.kind == two.kind and any(
        told_in(root, text, loosely=True) for root in roots_of(mine[one.start : one.end])
    )


def _says(word: str) -> bool:
    return bool(word) and not is_cjk(word) and weigh(word) >= _LEAST
