"""Facts that are all there, but told the other way round or of somebody else."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from memopt.facts import lexicon, senses
from memopt.facts.items import Item
from memopt.facts.kin import of_one_root
from memopt.facts.poles import poles
from memopt.facts.words import brief, stem
from memopt.verify.contrast import Contrast, agrees, axes_of, contrasts
from memopt.verify.exchange import Grain, Part, exchanged, paired, parts
from memopt.verify.findings import Gone, Made, lose, make_invented, shown
from memopt.verify.holding import holds_item, is_copied
from memopt.verify.instead import instead
from memopt.verify.instead_zh import instead_in_chinese
from memopt.verify.lines import Line, Side, Told, Unit, item_keys, weigh
from memopt.verify.order import told_from_the_other_side
from memopt.verify.pronouns import FAR, antecedents, begins_with_pronoun, same_person, told_of
from memopt.verify.search import VISIT, Search
from memopt.verify.signs import ENOUGH, SAME_FACT, told_anywhere, within
from memopt.verify.updates import replaces
from memopt.verify.whom import USER, Before, Clause, People, Read, clauses_of, mistaken, read_clauses


def find_contrasts(
    ours: Side, theirs: Side, back: Search, there: Search, lost: list[Gone], invented: list[Made], tops: dict[int, list[int]]
) -> list[Made]:
    """Statements that tell another pole of what a source tells (see ``memopt.verify.contrast``); the source is then lost as well.

    One source that tells the same pole is enough, and a source is not lost where another line of the rewrite still tells its pole.
    """
    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    out: list[Made] = []
    for line_number, line in enumerate(theirs.lines):
        if (line.memory, line.whole[1] if line.whole else line.start) in flagged:
            continue
        memory = theirs.memories[line.memory]
        if back.by_phrase.get(line.phrase):
            torn = _torn(line_number, theirs, tops, ours, back) if line.joined and line.units else None
            if torn is not None:
                detail = f"“{brief(theirs.lines[line_number - 1].text)}”: the source says it of something else"
                fact = shown(theirs, theirs.units[line.units[0]])
                made = make_invented(memory, line, fact, "swap", detail)
                out.append(Made(made, line.units[0]))
                of = ours.lines[torn]
                if of.units and gone.isdisjoint(of.units):
                    gone.add(of.units[0])
                    lost.append(Gone(of.memory, of.start, of.end, "swap", "told of something else", of.units[0]))
            continue
        swap: tuple[Contrast, int] | None = None
        known: dict[int, list[Contrast]] = {}
        for number in line.units:
            unit = theirs.units[number]
            found = _contrast(unit, line_number, theirs, tops[number], ours, back.dominant, known)
            if found is None and number == line.units[-1]:
                found = swap = _exchange(line_number, theirs, tops, ours, there, back.dominant) or _put_instead(
                    line_number, theirs, tops, ours, back.dominant
                )
            if found is None:
                continue
            place = line.start + found[0].start
            if swap is not None or not unit.start <= place < unit.end:
                moved = theirs.unit_at(line, place)
                number = number if moved is None else moved
                unit = theirs.units[number]
            contrast, at = found
            if contrast.mine == ("time", "past") and _is_over_since(at, contrast.start, line_number, theirs, ours):
                continue
            start, end = line.start + contrast.start, line.start + contrast.end
            if any(is_copied(ours.memories[ours.lines[top].memory].memory, memory.memory, start, end) for top in tops[number]):
                continue
            fact = shown(theirs, unit)
            made = make_invented(memory, line, fact, contrast.kind, contrast.detail)
            out.append(Made(made, number))
            lost += _contrasted(contrast, at, unit, theirs, ours, there, gone)
            break
    return out


def _is_over_since(at: int, place: int, number: int, theirs: Side, ours: Side) -> bool:
    """Whether a newer source tells what came instead of what a line tells as over: *once a vegetarian*, *eats meat again*.

    Args:
        at: the source line that tells it as lasting.
        place: where the line of the rewrite says that it is over, in its text.
        number: that line. It tells of the newer state, too, but not as what is over.
    """
    old, line = ours.lines[at], theirs.lines[number]
    written = ours.memories[old.memory].last_changed
    behind = _MARK.search(line.text, place + 1)
    own, keys = within(theirs.told(number), place, behind.start() if behind else len(line.text), frozenset())
    told = ({word for word in line.features if weigh(word) >= 0.5} | line.keys) - old.features - old.keys
    near: set[int] = set()
    for feature in sorted(told):
        near.update(ours.by_feature.get(feature, ())[:VISIT])
        for kin in sorted(ours.akin(feature)) if ":" not in feature else ():
            near.update(ours.by_feature.get(kin, ())[:VISIT])
    for other in sorted(near):
        new = ours.lines[other]
        newer = ours.memories[new.memory].last_changed
        later = newer > written if newer is not None and written is not None else new.memory > old.memory
        if not later or new.memory == old.memory or not _SINCE.search(new.text):
            continue
        if not any(word in new.features and word not in old.features and weigh(word) >= 0.5 for word in own) and (
            keys.isdisjoint(new.keys - old.keys)
        ):
            return True
    return False


_MARK = re.compile(r"[,;，；。)）]|\b(?:but|and)\b|但|后来")
_SINCE = re.compile(
    r"\b(?:now|again|moved|lives? in|switch\w*|chang\w*|join\w*|left|quit|started|became|becomes|promoted|accepted|hired|married|replac\w*|no longer|any ?more|these days|currently|since|new)\b"
    r"|现在|如今|目前|又|再|改|换|搬|跳槽|入职|录用|升|成了|成为|结婚|已|接[受任手]|不再",
    re.IGNORECASE,
)


def _asked_of(
    unit: Unit, line: Line, top: Sequence[int], side: Side, dominant: frozenset[str], least: float = SAME_FACT
) -> list[int]:
    """The nearest lines of the other side that hold so much of a unit that they may say the same or the contrary, best first.

    A word counts as held where the line has another pole of its axis.
    """
    words = frozenset(each.stem for each in unit.terms if each.stem not in dominant)
    if sum(weigh(word) for word in words) < ENOUGH:
        words = line.features - dominant
    items = [item for item in unit.items if not item.weak]
    total = sum(weigh(word) for word in words) + _ITEM * len(items)
    axes = axes_of(line.text)
    found = []
    for at in top[:3]:
        there = {pole.axis for pole in poles(side.lines[at].text)} if axes else set()
        held = sum(weigh(word) for word in words if side.holds(at, word) or not there.isdisjoint(axes.get(word, ())))
        found.append((held + _ITEM * sum(holds_item(side.lines[at], item, dominant) for item in items), at))
    most = max((value for value, _ in found), default=0.0)
    return [at for value, at in found if value >= max(0.75 * most, least * total)]


_ITEM = 0.7
"""What a figure or a name weighs among the words of a unit."""


def _contrast(
    unit: Unit,
    number: int,
    mine: Side,
    top: Sequence[int],
    side: Side,
    dominant: frozenset[str],
    known: dict[int, list[Contrast]],
) -> tuple[Contrast, int] | None:
    """How a unit is told the other way round by the lines that come nearest to it, none of which tells the same."""
    line = mine.lines[number]
    told = mine.told(number)
    lines = _asked_of(unit, line, top, side, dominant)
    for at in lines:
        if at not in known:  # several units of a line ask for the same line
            known[at] = contrasts(told, side.told(at), dominant) or _instead(told, mine, at, side)
        for contrast in known[at]:
            here = unit.start < line.start + contrast.end and line.start + contrast.start < unit.end
            if not here and not (contrast.mine[0] == "has" and line.chars):  # a clause of a few words asks for nothing by itself
                continue
            if any(agrees(contrast.mine, side.told(other)) for other in lines if other != at) or _other_one(
                unit, contrast, at, side
            ):
                continue
            return contrast, at
    return None


_PARTS = 4096
"""Of so many lines the parts are remembered."""


def _instead(told: Told, mine: Side, at: int, side: Side) -> list[Contrast]:
    """Whether a line has a noun in the place of one of a line of the other side, and neither is told anywhere else."""
    other = side.told(at)
    if not told.text.isascii() and mine.lines and side.lines[at].chars:
        swapped = instead_in_chinese(
            told.text, other.text, lambda word: told_anywhere(word, side), lambda word: told_anywhere(word, mine)
        )
        if swapped is None:
            return []
        start, end, new, gone = swapped
        return [Contrast(start, end, "opposite", f"{gone} became {new}", ("has", new), ("has", gone))]
    found = instead(told, other, lambda word: _is_told(word, side), lambda word: _is_told(word, mine))
    if found is None:
        return []
    return [
        Contrast(
            found.start, found.end, "opposite", f"{found.said} became {found.told}", ("has", found.told), ("has", found.said)
        )
    ]


def _other_one(unit: Unit, contrast: Contrast, at: int, side: Side) -> bool:
    """Whether the clause beside a line tells of the other one what the unit does: *her new e-mail is x; the old one is closed*."""
    words = {each.stem for each in unit.terms}
    return any(
        _ONE.search(beside.text) is not None
        and beside.memory == side.lines[at].memory
        and not words.isdisjoint(beside.features - side.lines[at].features)
        and agrees(contrast.mine, side.told(number))
        for number in (at - 1, at + 1)
        if 0 <= number < len(side.lines)
        for beside in (side.lines[number],)
    )


_ONE = re.compile(r"\bones?\b", re.I)


def _put_instead(
    number: int, mine: Side, tops: dict[int, list[int]], side: Side, dominant: frozenset[str]
) -> tuple[Contrast, int] | None:
    """The same of the source that the line as a whole comes nearest to, where a clause alone has too little in common with it."""
    line = mine.lines[number]
    top = list(dict.fromkeys(at for index in line.units for at in tops[index][:1]))
    whole = Unit(number, line.start, line.end, (), [item for index in line.units for item in mine.units[index].items])
    for at in _asked_of(whole, line, top, side, dominant, _TELLS_SAME)[:1]:
        for contrast in _instead(mine.told(number), mine, at, side):
            return contrast, at
    return None


_TELLS_SAME = 0.3
"""A line that has one thing in the place of another needs no more of a source than this share: the thing itself cannot be held."""


def _is_told(word: str, side: Side) -> bool:
    """Whether a side has a word or one for it; no other one that only begins like it (*motorbike*, *motorhome*)."""
    if word in side.by_feature:
        return True
    return any(value > senses.BY_BEGINNING or of_one_root(word, other) for other, value in side.akin(word).items())


def _parts(side: Side, number: int, dominant: frozenset[str], grain: Grain) -> Sequence[Part]:
    if (number, grain) not in side.parts:
        if len(side.parts) >= _PARTS:
            side.parts.clear()
        side.parts[number, grain] = parts(side.told(number), number, dominant, grain)
    return side.parts[number, grain]


def _torn(number: int, mine: Side, tops: dict[int, list[int]], side: Side, back: Search) -> int | None:
    """The source line that a line behind a semicolon copies, where what stands before it there is something else, which goes on otherwise."""
    line, before = mine.lines[number], mine.lines[number - 1]
    same = back.by_phrase[line.phrase]
    if len(same) > VISIT or not all(side.lines[at].joined for at in same):
        return None  # what so many sources say is told of each of them
    told = {word for word in before.features - back.dominant if weigh(word) >= 0.5} | before.keys

    def share(at: int) -> float:
        other = side.lines[at]
        return sum(1.0 for word in told if word in other.features or word in other.keys)

    own = max(share(at - 1) for at in same)
    nearest = back.by_phrase.get(before.phrase) or [at for index in before.units for at in tops.get(index, ())[:2]]
    rivals = [
        at
        for at in nearest[:VISIT]
        if at + 1 < len(side.lines) and side.lines[at + 1].joined and side.lines[at + 1].phrase != line.phrase
    ]
    return same[0] if rivals and max(share(at) for at in rivals) >= own + 1 else None


_CLEFT = re.compile(r"It (?:is|was) [^.;]{1,60}? (?:who|that)\b")
"""*It was his sister who built it*: one clause in the form of two."""


def _exchange(
    number: int, mine: Side, tops: dict[int, list[int]], side: Side, there: Search, dominant: frozenset[str]
) -> tuple[Contrast, int] | None:
    """Whether a line has what belongs to another segment or line, which in turn has what belongs to this one."""
    line = mine.lines[number]
    sources = list(dict.fromkeys(at for index in line.units for at in tops[index][:2]))[:_EXCHANGED]
    if not sources or (len(sources) == 1 and _CLEFT.match(line.text)):
        return None
    if len(sources) == 1 and len(side.lines[sources[0]].units) == 1:
        return _far_exchange(number, mine, sources, tops, side, dominant)
    near = {number: None}
    for at in sources:
        for index in side.lines[at].units:
            near.update(dict.fromkeys(there.top(side.units[index], side.lines[at], side.units)[:1]))
    for grain, other_grain in _GRAINS:
        theirs = [part for at in sources for part in _parts(side, at, dominant, other_grain)]
        own = [part for at in list(near)[:_EXCHANGED] for part in _parts(mine, at, dominant, grain)]
        clauses = "clause" in (grain, other_grain)
        found = exchanged(own, theirs, number, clauses=clauses)
        if found is None and clauses and len(sources) > 1:
            # a thing of which several sources tell belongs to no single clause, but it does within one source
            lines = {at: _parts(side, at, dominant, "line") for at in sources}
            for at in sources:
                each = _parts(side, at, dominant, other_grain)
                rest = [part for other, found_parts in lines.items() if other != at for part in found_parts]
                found = exchanged(own, each, number, clauses=True, elsewhere=rest) if len(each) > 1 else None
                if found is not None:
                    break
        if found is not None:
            return Contrast(found.start, found.end, "swap", found.detail, ("has",), ("has",)), found.line
    return _far_exchange(number, mine, sources, tops, side, dominant)


def _far_exchange(
    number: int, mine: Side, sources: Sequence[int], tops: dict[int, list[int]], side: Side, dominant: frozenset[str]
) -> tuple[Contrast, int] | None:
    """The same with the sentences before and behind, whatever they tell: what changed places stands there, most of the time."""
    beside = [
        at for at in (number - 1, number + 1) if 0 <= at < len(mine.lines) and mine.lines[at].memory == mine.lines[number].memory
    ]
    around = [at for each in beside for index in mine.lines[each].units for at in tops.get(index, ())[:1]]
    lines = list(dict.fromkeys((*sources, *around)))[:_EXCHANGED]
    if not beside or len(lines) == 1:
        return None
    theirs = [part for at in lines for part in _parts(side, at, dominant, "line")]
    own = [part for at in (number, *beside) for part in _parts(mine, at, dominant, "line")]
    found = exchanged(own, theirs, number, far=True)
    return None if found is None else (Contrast(found.start, found.end, "swap", found.detail, ("has",), ("has",)), found.line)


_GRAINS: tuple[tuple[Grain, Grain], ...] = (
    ("segment", "segment"),
    ("line", "line"),
    ("clause", "clause"),
    ("clause", "line"),
    ("line", "clause"),
)
"""How finely the lines of the rewrite and of the sources are cut, in turn."""
_EXCHANGED = 5
"""So many lines of each side are asked for what changed places."""


def _contrasted(contrast: Contrast, at: int, unit: Unit, theirs: Side, ours: Side, there: Search, gone: set[int]) -> list[Gone]:
    """The fact of a source line that a contrast replaces, where it is not lost already and nothing else in the rewrite tells it."""
    source = ours.lines[at]
    number = next((one for one in source.units if one in gone), None)
    if number is not None or not source.units:
        return []
    words = {each.stem for each in unit.terms}
    number = max(source.units, key=lambda one: sum(each.weight for each in ours.units[one].terms if each.stem in words))
    fact = ours.units[number]
    changed_places = contrast.theirs == ("has",)  # then the line that seems to tell it has it of something else
    others = [] if changed_places else [one for one in there.top(fact, source, ours.units)[:3] if one != unit.line]
    for one in _asked_of(fact, source, others, theirs, there.dominant):
        if agrees(contrast.theirs, theirs.told(one)):
            return []
    gone.add(number)
    told = f"told the other way round: “{brief(shown(theirs, unit))}”"
    return [Gone(source.memory, fact.start, fact.end, contrast.kind, told, number)]


def find_swaps(ours: Side, theirs: Side, dominant: frozenset[str], lost: list[Gone], invented: list[Made]) -> list[Made]:
    """Facts that are all there, but with one another's subjects: ages exchanged, two people merged into one."""
    own_phrases = {line.phrase for line in ours.lines}
    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    out: list[Made] = []
    for line in theirs.lines:
        if (
            line.phrase in own_phrases
            or "respectively" in line.raw
            or "分别" in line.text
            or (line.memory, line.whole[1] if line.whole else line.start) in flagged
        ):
            continue
        for number in line.units:
            unit = theirs.units[number]
            swap = _swap(unit, ours, theirs, dominant)
            if swap is None:
                continue
            source, item = swap
            if paired(theirs.told(unit.line), ours.told(ours.units[source].line)) is True:
                continue
            memory = theirs.memories[line.memory]
            of = ours.units[source]
            from_line = ours.lines[of.line]
            detail = f"{brief(item.surface)}: the source says it in “{brief(from_line.text)}”"
            made = replace(
                make_invented(memory, line, shown(theirs, unit), "swap", detail),
                nearest_id=ours.memories[from_line.memory].memory_id,
                nearest=from_line.text,
            )
            out.append(Made(made, number))
            if source not in gone:
                gone.add(source)
                told = f"told of something else: “{brief(shown(theirs, unit))}”"
                lost.append(Gone(from_line.memory, of.start, of.end, "swap", told, source))
            break
    return out


_SAID = 0.5
"""A source line that has this share of the words of a clause tells it."""


def find_mistaken(
    ours: Side, theirs: Side, back: Search, lost: list[Gone], invented: Sequence[Made], tops: dict[int, list[int]]
) -> list[Made]:
    """Facts that a pronoun tells of somebody else than every source that tells them."""

    def naming(one: str, two: str) -> list[str]:
        lines = [ours.lines[at] for at in ours.by_feature.get(one, ())[:VISIT]]
        return [line.text for line in lines if two in line.features or two in line.text]

    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    out: list[Made] = []
    for number, line in enumerate(theirs.lines):
        if (line.memory, line.start) in flagged or back.by_phrase.get(line.phrase) or not begins_with_pronoun(line.text):
            continue
        before = [each.text for each in reversed(theirs.lines[max(0, number - FAR) : number]) if each.memory == line.memory]
        whom = antecedents(line.text, before, back.people)
        if not whom:
            continue
        memory = theirs.memories[line.memory]
        for at in line.units:
            unit = theirs.units[at]
            terms = [each for each in unit.terms if each.weight]
            telling = [top for top in tops.get(at, ()) if terms and back.share(terms, [top])[0] >= _SAID]
            others = [told_of(ours.lines[top].text) for top in telling]
            if not telling or any(
                not other or same_person(whom, other, naming) or _at_hand(other, unit, line, memory.memory) for other in others
            ):
                continue
            source = ours.lines[telling[0]]
            if told_from_the_other_side(line.text, source.text):
                continue
            detail = f"it stands where it speaks of somebody else: the source says it in “{brief(source.text)}”"
            made = make_invented(memory, line, shown(theirs, unit), "swap", detail)
            out.append(Made(replace(made, nearest_id=ours.memories[source.memory].memory_id, nearest=source.text), at))
            fact = source.units[0] if source.units else None
            lose(lost, gone, ours, fact, f"told of somebody else: “{brief(line.text)}”")
            break
    return out


_BESIDE_NAME = re.compile(r"[\s,(–—]+(?:(?:who|whose|an?|the|his|her|their)\s+)*")


def _at_hand(whom: frozenset[str], unit: Unit, line: Line, text: str) -> bool:
    """Whether a sentence has named whom a source tells a clause of, or does so right behind it: *trains with Olek, a physiotherapist*."""

    def root(word: str) -> str:
        return stem(re.sub(r"['’]s$", "", word))

    if any(root(word) in whom for word in _NAME_OR_WORD.findall(text[line.start : unit.end])):
        return True
    between = _BESIDE_NAME.match(text, unit.end - 1)
    after = _NAME_OR_WORD.match(text, between.end()) if between else None
    return after is not None and root(after[0].strip(".,;:")) in whom


_NAME_OR_WORD = re.compile(r"[A-Za-z\u00c0-\u024f][\w'’-]*")


def find_misplaced(
    ours: Side, theirs: Side, back: Search, lost: list[Gone], invented: Sequence[Made], tops: dict[int, list[int]]
) -> list[Made]:
    """Clauses that tell of one person what every source that tells it tells of another (see ``memopt.verify.whom``)."""
    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    people: People | None = None
    known: dict[int, list[Clause]] = {}

    def source_clauses(at: int, people: People) -> list[Clause]:
        if at not in known:
            known[at] = clauses_of(ours, at, people, Before())
        return known[at]

    out: list[Made] = []
    users = tuple(frozenset((name,)) for name in (*back.dominant, USER))
    clauses: dict[int, Read] = {}
    for number, line in enumerate(theirs.lines):
        if not line.units or (line.memory, line.start) in flagged or back.by_phrase.get(line.phrase):
            continue
        people = people or People(ours, theirs)
        mine, _ = read_clauses(theirs, number, people, users, clauses, _FAR)
        if not any(each.whom or each.others for each in mine):
            continue
        named = {key for each in mine for one in (*each.whom, *each.others) for key in one}
        lines = dict.fromkeys(at for index in line.units for at in tops.get(index, ()))
        lines.update(dict.fromkeys(at for key in named - back.dominant for at in ours.by_feature.get(key, ())[:_NAMED]))
        sources = [each for at in lines for each in source_clauses(at, people)]
        found = mistaken(mine, sources, ours, theirs, people, back.dominant)
        if found is None:
            continue
        memory = theirs.memories[line.memory]
        place = theirs.unit_at(line, line.start + found.clause.start)
        at = line.units[-1] if place is None else place
        source = ours.lines[found.source.line]
        if told_from_the_other_side(line.text[found.clause.start : found.clause.end], source.text):
            continue
        detail = f"told of {found.whom}: the source says it of {found.of} in “{brief(source.text)}”"
        made = make_invented(memory, line, shown(theirs, theirs.units[at]), "swap", detail)
        out.append(Made(replace(made, nearest_id=ours.memories[source.memory].memory_id, nearest=source.text), at))
        fact = ours.unit_at(source, source.start + found.source.start)
        lose(lost, gone, ours, fact, f"told of somebody else: “{brief(line.text)}”")
    return out


_FAR = 2
"""So many lines back a pronoun is followed."""
_NAMED = 30
"""Of a name that more lines have than this only so many are asked."""


def _anchors(unit: Unit, item: Item | None) -> dict[str, float]:
    """What the unit is about: its telling words, without those of the item."""
    inside = {stem(part) for part in item.norm.split()} if item is not None and item.kind == "name" else ()
    return {each.stem: each.weight for each in unit.terms if each.weight >= 0.5 and each.stem not in inside}


_BARE_YEAR = re.compile(r"d:\d{4}(?:-\d\d)?")
"""What only follows from a day: the source says no day by its year alone."""
_FEW = 300
"""Posting lists longer than this tell nothing about whose fact something is."""


def _swap(unit: Unit, ours: Side, theirs: Side, dominant: frozenset[str]) -> tuple[int, Item] | None:
    """A source unit whose item stands here with the words of another: (that unit, the item), or None."""
    for item in unit.items:
        if (
            item.weak
            or item.kind == "quote"
            or (item.kind == "name" and all(stem(part) in dominant for part in item.norm.split()))
        ):
            continue
        mine = _anchors(unit, item)
        keys = {key for key in item_keys(item) if not key.startswith("#:")}
        keys = {key for key in keys if not _BARE_YEAR.fullmatch(key)} or keys
        if not mine or not any(key in ours.units_by_key for key in keys):
            continue
        telling = sorted((len(ours.units_by_stem.get(name, ())), name) for name in mine)
        near: dict[int, float] = defaultdict(float)
        held = {key for one in unit.items for key in item_keys(one)}
        for size, name in telling:
            if 0 < size <= _FEW:
                for number in ours.units_by_stem[name]:
                    near[number] += mine[name]
            for kin, closeness in ours.akin(name).items():
                if closeness >= senses.BY_HAND and kin not in mine and len(ours.units_by_stem.get(kin, ())) <= _FEW:
                    for number in ours.units_by_stem.get(kin, ()):
                        near[number] += 0.8 * mine[name]
        if not near:
            continue
        for beside in unit.items:  # what else is told with it there
            if beside is not item and not beside.weak:
                found = {key for key in item_keys(beside) if not key.startswith("#:")}
                for number in {at for key in found for at in ours.units_by_key.get(key, ())[:_FEW]}:
                    near[number] += 0.0 if keys.isdisjoint(ours.keys_of(number)) else _ITEM
        nearest = sorted(near.items(), key=_closeness)
        best_own = next((value for number, value in nearest if _belongs(ours, number, keys, item)), 0.0)
        other_unit = -1
        for number, value in nearest:
            if value < best_own + 0.5:
                break
            other = ours.units[number]
            if not keys.isdisjoint(ours.keys_of(number)) or not _has_same_kind(other, item):
                continue
            if item.kind == "name" and (
                _names_part(item, ours.lines[other.line]) or _stands_for(item, ours.lines[other.line], ours)
            ):
                continue
            if all(not item_keys(one).isdisjoint(held) for one in other.items if one.kind == item.kind and not one.weak):
                continue  # it stands here with its own: two facts in one clause
            if item.kind != "name" and _tells_beside(unit, other, item, ours, theirs):
                continue
            if item.kind == "name" and mine.keys() <= _relatives() and _is_the_owner(item, unit, theirs, other, ours):
                continue
            other_unit = number
            break
        if other_unit < 0:
            continue
        holders = [number for key in sorted(keys) for number in ours.units_by_key.get(key, ())[:_FEW]]
        rival = _anchors(ours.units[other_unit], None)
        if item.kind == "name" and any(
            sum(
                weight
                for name, weight in _anchors(ours.units[number], item).items()
                if name not in rival and any(senses.closeness(name, other) >= senses.BY_HAND for other in mine)
            )
            >= 0.5
            for number in holders
        ):
            continue  # it stands with words of its own too: several facts in one sentence
        for number in holders:
            own = _anchors(ours.units[number], item)
            distinct = sum(
                weight for name, weight in own.items() if name not in mine and name not in rival and name not in dominant
            )
            if distinct >= 0.5 and not replaces(other_unit, ours.units[number].line, ours, dominant):
                return number, item
    return None


def _tells_beside(unit: Unit, other: Unit, item: Item, ours: Side, theirs: Side) -> bool:
    """Whether the sentence tells the source's other fact too, in a clause of its own that speaks of nothing else: *INC-5521, a P2 ticket*."""
    rival = _anchors(other, None)
    asked = {
        key for one in other.items if one.kind == item.kind and not one.weak for key in item_keys(one) if not key.startswith("#:")
    }
    for number in theirs.lines[unit.line].units:
        beside = theirs.units[number]
        if beside is unit or asked.isdisjoint(theirs.keys_of(number)):
            continue
        words = _anchors(beside, None)
        if all(word in rival or not ours.akin(word).keys().isdisjoint(rival) for word in words) and (words or item.kind == "id"):
            return True
    return False


def _names_part(item: Item, line: Line) -> bool:
    """Whether a line has a name or a part of it: *Brightwater* of *Brightwater Ltd*."""
    return not item_keys(item).isdisjoint(line.keys) or any(
        stem(part) in line.names for part in item.norm.split() if len(part) > 2
    )


def _stands_for(item: Item, line: Line, ours: Side) -> bool:
    """Whether a line speaks of the relative or pet that bears a name, and of none with another one: *his dog*, the sources having *a dog named Max*."""
    bearers = _relatives() & line.features
    for bearer in bearers:
        named = [ours.lines[at] for at in ours.by_feature.get(bearer, ())[:VISIT]]
        if any(_names_part(item, each) for each in named):
            return True
    return False


_OWNS_ONE = re.compile(r"\b(?P<owner>[A-Z][\w'’-]*?)['’]s (?:[\w-]+ ){0,2}?(?P<kind>[a-z-]+)\b")
_BESIDE_ONE = re.compile(r"\b(?:his|her|their) (?:[\w-]+ ){0,2}?(?P<kind>[a-z-]+) (?P<name>[A-Z][\w'’-]+)", re.I)
_MUTUAL = frozenset(
    stem(word)
    for word in lexicon.words(
        "colleague coworker friend neighbor neighbour flatmate roommate cousin partner twin teammate classmate schoolmate bandmate workmate"
    )
)
"""Relations that hold both ways round."""


def _is_the_owner(item: Item, unit: Unit, theirs: Side, other: Unit, ours: Side) -> bool:
    """Whether a name stands with a relative as the one whose he is, which the source tells by a pronoun.

    *Abe. His neighbour Gwen* is told by *Gwen, Abe's neighbour*, and *his colleague Sel* by *Sel and her colleague Bo*.
    """
    text, source = (side.memories[side.lines[of.line].memory].memory for side, of in ((theirs, unit), (ours, other)))
    source = source[other.start : other.end]
    told = _BESIDE_ONE.search(source)
    if told is None:
        return False
    kind, name = stem(told["kind"]), told["name"].removesuffix("'s")
    start = theirs.lines[unit.line].start
    for found in _OWNS_ONE.finditer(text, start, unit.end):
        if stem(found["kind"]) == kind and found["owner"] in item.surface and name in text[start : unit.end]:
            return True
    here = _BESIDE_ONE.search(text, unit.start, unit.end)
    return (
        here is not None
        and kind in _MUTUAL
        and stem(here["kind"]) == kind
        and here["name"] in item.surface
        and name in text[start : here.start()]
    )


@cache
def _relatives() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.RELATIONS)


def _closeness(entry: tuple[int, float]) -> float:
    return -entry[1]


def _belongs(side: Side, number: int, keys: set[str], item: Item) -> bool:
    """Whether a unit holds the item, or its line does and the unit has none of the kind for itself."""
    if not keys.isdisjoint(side.keys_of(number)):
        return True
    unit = side.units[number]
    if keys.isdisjoint(side.lines[unit.line].keys):
        return False
    return item.kind == "name" or not _has_same_kind(unit, item)


_COUNTED = frozenset(("number", "quantity", "money", "percent"))


def _has_same_kind(unit: Unit, item: Item) -> bool:
    for other in unit.items:
        if other.weak or not other.keys.isdisjoint(item.keys):
            continue
        if other.kind == item.kind or (other.kind in _COUNTED and item.kind in _COUNTED):
            return True
    return False
