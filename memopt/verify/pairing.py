"""What seems lost and what seems made up, laid beside each other: two statements that tell one thing in other words."""

from __future__ import annotations

from memopt.facts.kin import told_in
from memopt.verify.added import additions
from memopt.verify.findings import Gone, Made
from memopt.verify.holding import is_required
from memopt.verify.lines import Line, Side, Unit, is_cjk, item_keys
from memopt.verify.lost import LOST_BELOW
from memopt.verify.search import Search, word_held
from memopt.verify.signs import turned_by

_TOLD = 0.6
"""A unit that has this share of its words in one unit of the other side is told there, whatever else that one says."""
_HINT = 0.15
"""So much of the other unit must be found the other way round."""
_HALF = 0.3
"""Two units of sentences that tell each other, one of them without a match, are one when this much of their words is the same, on average."""
_AKIN = 0.6
"""How far a word stands for one that is no more than akin to it, between two units."""
_ALIKE = 0.2
"""Two units of sentences that tell each other, both without a match, are one when this much of their words is the same, on average."""


def without_pairs(
    lost: list[Gone], invented: list[Made], ours: Side, theirs: Side, there: Search, back: Search
) -> tuple[list[Gone], list[Made]]:
    """Without plain statements that lie beside a statement of the other side which tells them in other words.

    A clause that is told shortly is found where it is told at length (*最怕数学*, *数学是她最发怵的科目*), though not the other way round. And
    what is left over on both sides of two sentences that tell each other otherwise is likely to be one thing.
    """
    gone = {item.unit for item in lost if item.kind == "statement"}
    made = {one.unit for one in invented if one.public.kind == "statement"}
    all_gone, all_made = {item.unit for item in lost}, {one.unit for one in invented}
    free_gone: set[int] = set()
    free_made: set[int] = set()
    for number in sorted(gone):
        for other in _units_near(number, ours, there):
            one_way, other_way = _shares(number, other, ours, theirs)
            if other in made:
                good = one_way + other_way >= 2 * _ALIKE and _aligned(number, other, ours, theirs, all_gone)
            elif other in all_made or number != _nearest(other, theirs, ours, back, swapped=True):
                good = False
            else:
                good = (other_way >= _TOLD and one_way >= _HINT) or (
                    one_way + other_way >= 2 * _HALF
                    and min(one_way, other_way) >= _HINT
                    and _aligned(number, other, ours, theirs, all_gone)
                )
            if good and not _parted(number, other, ours, theirs, there, back):
                free_gone.add(number)
                if other in made:
                    free_made.add(other)
    for number in sorted(made - free_made):
        for other in _units_near(number, theirs, back):
            if other in all_gone:
                continue
            one_way, other_way = _shares(other, number, ours, theirs)
            good = (one_way >= _TOLD and other_way >= _HINT) or (
                one_way + other_way >= 2 * _HALF
                and min(one_way, other_way) >= _HINT
                and _aligned(other, number, ours, theirs, all_gone)
            )
            if good and number == _nearest(other, ours, theirs, there) and not _parted(other, number, ours, theirs, there, back):
                free_made.add(number)
    if not free_gone and not free_made:
        return lost, invented
    return (
        [item for item in lost if item.unit not in free_gone],
        [one for one in invented if one.unit not in free_made],
    )


def _units_near(number: int, mine: Side, search: Search) -> list[int]:
    """The units of the lines of the other side that come nearest to a unit."""
    unit = mine.units[number]
    return [other for at in search.top(unit, mine.lines[unit.line], mine.units)[:2] for other in search.side.lines[at].units]


def _nearest(number: int, mine: Side, other: Side, search: Search, *, swapped: bool = False) -> int | None:
    """The unit of the other side that shares most with one."""
    best, most = None, 0.0
    for at in _units_near(number, mine, search):
        shares = _shares(at, number, other, mine) if swapped else _shares(number, at, mine, other)
        if sum(shares) > most:
            best, most = at, sum(shares)
    return best


def _shares(one: int, two: int, ours: Side, theirs: Side) -> tuple[float, float]:
    """How much of the words of a unit of ours one of theirs has, and the other way round."""
    mine, other = ours.units[one], theirs.units[two]
    return _share_in(mine, _as_line(two, theirs), theirs), _share_in(other, _as_line(one, ours), ours)


def _share_in(unit: Unit, line: Line, side: Side) -> float:
    terms = [each for each in unit.terms if each.weight]
    total = sum(each.weight for each in terms)
    found = sum(each.weight * max(word_held(each, line, side), _akin_in(each.stem, line)) for each in terms)
    items = [item for item in unit.items if is_required(item)]
    held = sum(not item_keys(item).isdisjoint(line.keys) for item in items)
    return (found + 0.7 * held) / (total + 0.7 * len(items)) if total >= 0.3 or items else 0.0


def _akin_in(word: str, line: Line) -> float:
    """How far an English word is held by one that is loosely akin to it: *benefit*, *help*."""
    return _AKIN if word.isascii() and told_in(word, line.text, loosely=True) else 0.0


def _as_line(number: int, side: Side) -> Line:
    """A unit alone, to be looked into."""
    unit = side.units[number]
    line = side.lines[unit.line]
    text = side.memories[line.memory].memory[unit.start : unit.end]
    out = Line(line.memory, unit.start, unit.end, text, features=frozenset(each.stem for each in unit.terms))
    out.chars = frozenset(char for each in unit.terms if is_cjk(each.stem) for char in each.stem)
    out.keys = side.keys_of(number)
    return out


def _aligned(one: int, two: int, ours: Side, theirs: Side, gone: set[int]) -> bool:
    """Whether the sentences of two units tell each other otherwise: another clause, or an item of theirs, is on both sides."""
    mine, other = ours.lines[ours.units[one].line], theirs.lines[theirs.units[two].line]
    if not mine.keys.isdisjoint(other.keys):
        return True
    rest = [number for number in mine.units if number != one and number not in gone]
    return any(_share_in(ours.units[number], other, theirs) >= LOST_BELOW for number in rest)


def _other_of_kind(one: Unit, two: Unit) -> bool:
    """Whether a word of one has another of its kind in its place: *grandmother*, *aunt*."""
    from memopt.facts.paraphrase import rivals

    mine, other = ({each.stem.removeprefix("=") for each in unit.terms} for unit in (one, two))
    return any(rivals(word, name) for word in mine - other for name in other - mine)


def _parted(one: int, two: int, ours: Side, theirs: Side, there: Search, back: Search) -> bool:
    """Whether two units that seem to be one say the contrary of each other."""
    mine, other = ours.units[one], theirs.units[two]
    if any(not item.weak and item_keys(item).isdisjoint(theirs.lines[other.line].keys) for item in mine.items):
        return True
    terms = [each for each in mine.terms if each.weight]
    return (
        _other_of_kind(mine, other)
        or any(
            unit == one
            for unit, _, _ in additions(mine.line, ours, theirs, there.dominant, lambda _: [other.line], only_which=True)
        )
        or any(
            unit == two
            for unit, _, _ in additions(other.line, theirs, ours, back.dominant, lambda _: [mine.line], only_which=True)
        )
        or turned_by(mine, mine.line, ours, [], terms, [other.line], there) is not None
        or turned_by(other, other.line, theirs, [], [each for each in other.terms if each.weight], [mine.line], back) is not None
    )
