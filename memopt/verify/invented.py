"""Every statement of the rewrite is looked for in the sources."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memopt.facts.items import Item
from memopt.facts.words import brief, stem
from memopt.memory import UserMemory
from memopt.verify.added import additions, superfluous
from memopt.verify.findings import Made, make_invented, shown
from memopt.verify.holding import is_copied, is_pronoun, is_required
from memopt.verify.hung import hung
from memopt.verify.lines import Line, Side, Term, Unit, general_dates
from memopt.verify.modifiers import modified
from memopt.verify.proper import strange, strangers
from memopt.verify.report import Doubt
from memopt.verify.search import (
    Search,
    context_share,
    is_heading,
    is_slight,
    item_anywhere,
    told_by_others,
    told_whole,
    with_items,
    word_held,
)
from memopt.verify.signs import marked_otherwise, slightly_turned, turned_by
from memopt.verify.slight import is_asked

INVENTED_BELOW = 0.4


def find_invented(
    theirs: Side, back: Search, ours: Side, there: Search, doubts: list[Doubt], tops: dict[int, list[int]]
) -> list[Made]:
    """What the rewrite says and no source does; ``tops`` is filled with the source lines that come nearest to each unit."""
    out: list[Made] = []
    for line_number, line in enumerate(theirs.lines):
        if back.by_phrase.get(line.phrase):
            continue
        memory = theirs.memories[line.memory]

        copied: list[int] = []
        before = len(out)
        told: list[int] = []  # source lines of what a date in brackets is said of
        inside = closed = False

        def report(
            number: int,
            kind: str,
            start: int,
            end: int,
            detail: str,
            line: Line = line,
            memory: UserMemory = memory,
            copied: list[int] = copied,
        ) -> None:
            if any(is_copied(ours.memories[ours.lines[at].memory].memory, memory.memory, start, end) for at in copied):
                return
            fact = memory.memory[start:end].strip(" ,;，；、")
            made = make_invented(memory, line, fact, kind, detail)
            out.append(Made(made, number))

        for number in line.units:
            unit = theirs.units[number]
            top = tops[number] = back.top(unit, line, theirs.units)
            copied[:] = top
            inside = memory.memory[unit.start - 1 : unit.start] in ("(", "（") or (inside and not closed)
            if not inside:
                told = list(top) if closed else [*told, *top]
            closed = memory.memory[unit.end - 1 : unit.end] in (")", "）")
            terms = [each for each in unit.terms if each.weight]
            share, total = back.share(terms, top)
            wrong = False
            for item in unit.items:
                if not is_required(item) or item.kind == "quote" or is_pronoun(item, memory.memory):
                    continue
                if item.kind == "name" and all(stem(part) in back.dominant for part in item.norm.split()):
                    continue
                if (
                    item.kind in _COUNTED
                    and total >= _SAYS
                    and not share
                    and not _tells_more(unit, item, line, theirs, back, top)
                ):
                    wrong = True
                    report(
                        number, item.kind, item.start, item.end, f"{brief(item.surface)}: the sources say it of something else"
                    )
                    continue
                if (
                    told_by_others(item, line, top, back)
                    or back.has(item, top, terms, together=0.0)
                    or _told_with(item, terms, back)
                    or (item.kind in ("date", "relative") and _dated(item, [*top, *back.alike(told)] if inside else top, ours))
                ):
                    continue
                wrong = True
                where = "no source has it" if not item_anywhere(back, item) else "the sources say it of something else"
                report(number, item.kind, item.start, item.end, f"{brief(item.surface)}: {where}")
            for proper in strange(unit, line, theirs, ours, top):
                wrong = True
                surface = memory.memory[proper.start : proper.end]
                report(number, "name", proper.start, proper.end, f"{surface}: no source has it")
            for start, end in strangers(unit, line, ours, top):
                wrong = True
                report(number, "name", start, end, f"{memory.memory[start:end]}: no source has it")
            hard = [item for item in unit.items if is_required(item) and item.kind != "quote"]
            needed = _supported(back, top, line, theirs, 0.2 if hard and not wrong else 0.4)
            judged = share if wrong else with_items(share, total, len(hard), 0)
            if total < 1.2:
                judged = max(judged, 0.6 * judged + 0.4 * context_share(line, theirs, back, top))
            judged = min(judged, share + 0.2) if needed else 0.5 * judged
            alone = len(line.units) == 1 and total >= 0.45 and share < 0.3 and not hard  # "User can't swim."
            if (
                (total >= (0.65 if line.chars else 0.9) or alone)
                and judged < INVENTED_BELOW
                and not wrong
                and not is_heading(unit, theirs)
            ):
                report(number, "statement", unit.start, unit.end, "no source says it")
                wrong = True
            if total >= 0.9 and abs(judged - INVENTED_BELOW) < 0.15:
                nearest = ours.lines[top[0]].text if top else ""
                doubts.append(
                    Doubt("invented", memory.memory_id, line.memory, shown(theirs, unit), round(judged, 3), wrong, nearest)
                )
            if not wrong and top:
                if share >= INVENTED_BELOW:
                    clash = turned_by(unit, line_number, theirs, hard, terms, top, back)
                else:  # too little is told to be sure that nothing tells it, and enough to be told as what it is not
                    clash = marked_otherwise(unit, line_number, theirs, top, ours)
                    clash = clash or slightly_turned(unit, line_number, theirs, hard, top, ours, back.dominant)
                if clash:
                    report(number, clash[0], unit.start, unit.end, clash[1])
        if len(out) == before and is_slight(line, theirs, back.dominant) and is_asked(line.text) and not told_whole(line, back):
            first = line.units[0] if line.units else -1 - line_number
            report(first, "words", line.start, line.end, "no source says it")
        if len(out) == before:
            more_told = additions(line_number, theirs, ours, back.dominant, tops.__getitem__)
            more_told = more_told or hung(line_number, theirs, ours, back.dominant, tops.__getitem__)
            for number, start, end in more_told:
                copied[:] = [at for unit_number in line.units for at in tops[unit_number]]
                report(number, "detail", start, end, f"{brief(memory.memory[start:end])}: no source says it")
        if len(out) == before and line.units:
            telling = dict.fromkeys(ours.lines[at].memory for number in line.units for at in tops[number])
            for start, end in modified(line.text, [ours.memories[at].memory for at in telling]):
                start, end = line.start + start, line.start + end
                at = theirs.unit_at(line, start)
                number = line.units[-1] if at is None else at
                report(number, "detail", start, end, f"{brief(memory.memory[start:end])}: no source says it")
        if len(out) == before and (more := superfluous(line_number, theirs, ours, back, there)) is not None:
            number = next(each for each in line.units if theirs.units[each].end > more[0])
            report(number, "statement", line.start, line.end, f"{brief(memory.memory[more[0] : more[1]])}: no source says it")
    return out


_COUNTED = frozenset(("number", "quantity", "date", "money", "percent"))
_SAYS = 0.7
"""A clause whose words weigh as much says of what its figure is: a source that has none of them has another's figure."""


def _tells_more(unit: Unit, item: Item, line: Line, theirs: Side, back: Search, top: Sequence[int]) -> bool:
    """Whether a name, another figure, or the rest of the sentence may tell of what a figure is."""
    if line.joined or line.text.endswith((";", "；")):
        return True
    return any(one is not item and is_required(one) for one in unit.items) or context_share(line, theirs, back, top) > 0


_RARE = 5
"""A figure, day or name that more lines have than this is nobody's in particular."""


def _told_with(item: Item, terms: Sequence[Term], back: Search) -> bool:
    """Whether a source tells a figure or day with a telling word of the clause, though others come nearer to it: the clause joins several.

    *The flat at Calle Ercilla 14 for €1,050 rent* is the flat of one source and the rent of another.
    """
    if item.kind == "name" or item.norm.startswith("n:"):
        return False
    side = back.side
    telling = [each for each in terms if each.weight >= _TELLING and each.stem not in back.dominant]
    lines = {at for key in item.keys for at in side.by_feature.get(key, ())}
    return 0 < len(lines) <= _RARE and any(word_held(each, side.lines[at], side) >= 0.8 for at in lines for each in telling)


_TELLING = 0.6


def _supported(back: Search, top: Sequence[int], line: Line, theirs: Side, least: float) -> bool:
    """Whether one of the source lines is itself told here to a fair part: else single words were picked out of strange sentences."""
    for number in top:
        for index in back.side.lines[number].units:
            mine = [each for each in back.side.units[index].terms if each.weight]
            total = sum(each.weight for each in mine)
            if not total:
                return True
            if sum(each.weight for each in mine if word_held(each, line, theirs) >= 0.5) >= least * total:
                return True
    return False


def _dated(item: Item, top: Sequence[int], ours: Side) -> bool:
    """Whether a date only says when the source was written, or completes a source's date with the year it was written in."""
    for number in top:
        line = ours.lines[number]
        if line.written is None:
            continue
        moment = line.written
        days = {f"d:{moment.year:04d}", f"d:{moment:%Y-%m}", f"d:{moment:%Y-%m-%d}", f"d:--{moment:%m}", f"d:--{moment:%m-%d}"}
        for key in item.keys:
            if key in days:
                return True
            found = re.fullmatch(r"d:(\d{4})-(\d\d(?:-\d\d)?)", key)
            if (
                found
                and abs(int(found[1]) - moment.year) <= 1
                and f"d:--{found[2]}" in line.open_dates
                and not _of_other_year(found[1], found[2], ours)
            ):
                return True
            if (
                any(own.startswith("r:") for own in line.keys)
                and key.startswith("d:")
                and any(k.startswith("d:") and key in general_dates(k) for k in line.keys)
            ):
                return True
    return False


def _of_other_year(year: str, rest: str, ours: Side) -> bool:
    """Whether the sources tell a day or month with a year, and never with this one: where another leaves the year out, it is that one."""
    told = {one for one in range(int(year) - 2, int(year) + 3) if f"d:{one:04d}-{rest}" in ours.by_feature}
    return bool(told) and int(year) not in told
