"""Every fact of the sources is looked for in the rewrite."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cache

from memopt.facts import senses
from memopt.facts.items import Item
from memopt.facts.words import brief, stem
from memopt.verify.added import additions
from memopt.verify.findings import Gone, shown
from memopt.verify.holding import holds_item, is_pronoun, is_required
from memopt.verify.lines import Line, Side, Term, Unit, is_cjk
from memopt.verify.modifiers import modified
from memopt.verify.pronouns import told_of
from memopt.verify.proper import strange
from memopt.verify.reasons import says_why, unanswered
from memopt.verify.report import Doubt
from memopt.verify.search import (
    Search,
    all_nowhere,
    context_share,
    is_heading,
    is_only_address,
    is_slight,
    item_anywhere,
    line_terms,
    told_by_others,
    told_whole,
    with_items,
    word_anywhere,
)
from memopt.verify.signs import ENOUGH, marked_otherwise, slightly_turned, turned_by
from memopt.verify.slight import is_asked

LOST_BELOW = 0.5
"""A unit with less than this share of its words on the other side is gone. Calibrated by benchmarks/verification.py."""
ANCHORED_BELOW = 0.42
"""The same where the unit holds numbers or names, and the line found holds them all: they say which fact it is."""
DOUBT_BELOW = 0.65
"""Between the two a unit counts as kept and is listed as doubtful."""
RESTATED = 0.85
"""A line copied from another source may stand for a unit from this share on."""
UNSAID_BELOW = 0.1
UNSAID_FROM = 0.6
"""Of a unit that has words of this weight one figure or name alone is not enough: less than that share of them makes it another fact."""


def find_lost(ours: Side, there: Search, doubts: list[Doubt], among: Collection[int] | None = None) -> tuple[list[Gone], int]:
    """All source facts that are gone, how many facts there are; ``among``: of the memories at these positions alone."""
    lost: list[Gone] = []
    facts: set[object] = set()
    seen: dict[tuple[object, ...], int | None] = {}
    again: dict[int, list[tuple[int, str]]] = defaultdict(list)  # by memory: from which loss on another memory says the same
    for line_number, line in enumerate(ours.lines):
        if among is not None and line.memory not in among:
            continue
        identity = (line.phrase, frozenset(line.keys))
        if identity in seen:
            at = seen[identity]
            memory = ours.memories[line.memory]
            if at is not None and memory.memory_id is not None and ours.lines[line_number].memory != lost[at].index:
                again[lost[at].index].append((at, memory.memory_id))
            continue
        before, counted = len(lost), False
        for number in line.units:
            if _check_unit(number, line, line_number, ours, there, doubts, lost):
                facts.add(saying(number, ours))
                counted = True
        if len(lost) == before and is_slight(line, ours, there.dominant) and is_asked(line.text):
            number = line.units[0] if line.units else -1 - line_number
            if not counted:
                facts.add(saying(number, ours))
            if not told_whole(line, there):
                told = f"“{brief(line.text)}” is not in the rewrite"
                lost.append(Gone(line.memory, line.start, line.end, "words", told, number))
        if len(lost) == before and line.units and not there.by_phrase.get(line.phrase):
            lost += _left_out(line_number, ours, there)
        elif all(item.kind == "statement" for item in lost[before:]) and (hung := _not_answered(line_number, ours, there)):
            lost[before:] = [*(item for item in lost[before:] if item.unit != hung.unit), hung]  # no pair of clauses excuses it
        if len(lost) > before and _kept_whole(ours.memories[line.memory].memory, there, line, ours):
            del lost[before:]
        seen[identity] = before if len(lost) > before else None
    if again:
        for number, item in enumerate(lost):
            also = tuple(memory_id for at, memory_id in again.get(item.index, ()) if at <= number)
            if also:
                lost[number] = item._replace(also=also)
    return lost, len(facts)


def saying(number: int, side: Side) -> object:
    """What is the same for facts that are told in the same words, whatever stands between them: each is looked for, and counts once.

    Args:
        number: of a unit; below 0: -1 - the number of a line without any.
    """
    if number < 0:
        return side.lines[-1 - number].phrase
    unit = side.units[number]
    line = side.lines[unit.line]
    words = frozenset([(said, each.negated) for each in unit.terms if each.weight and (said := _plainly(each.stem))])
    keys = frozenset([key for item in unit.items if item.kind != "name" and not item.weak for key in item.keys])
    return line.subjects, words, keys


_PLAIN = ("=lik", "=want", "=nam", "=own", "=liv")
_SAYS_NOTHING = frozenset(("=nam", "=own"))
"""What *called* and *named*, *has* and *owns* tell is told by what stands with them."""


@cache
def _plainly(word: str) -> str:
    """One word for those that say the same as the few verbs that most memories are told with; "" for what adds nothing."""
    groups = senses.heads(word).hand
    found = next((group for group in _PLAIN if group in groups), word)
    return "" if found in _SAYS_NOTHING else found


def _left_out(number: int, ours: Side, there: Search) -> list[Gone]:
    """The details of a source line that the rewrite leaves out although it tells the rest: *shrimp* of an allergy to peanuts and shrimp."""
    line = ours.lines[number]

    def nearest(unit: int) -> list[int]:
        return there.top(ours.units[unit], line, ours.units)

    out = []
    text = ours.memories[line.memory].memory
    for unit, start, end in additions(number, ours, there.side, there.dominant, nearest, dropped=True):
        out.append(Gone(line.memory, start, end, "detail", f"{brief(text[start:end])} is not in the rewrite", unit))
    if out or not line.units:
        return out
    near = _around(number, ours, there)
    if (clause := _not_answered(number, ours, there)) is not None:
        return [clause]
    others = [there.side.lines[at].text for at in sorted(near)]
    for start, end in modified(line.text, others):
        start, end = line.start + start, line.start + end
        at = ours.unit_at(line, start)
        unit = line.units[-1] if at is None else at
        out.append(Gone(line.memory, start, end, "detail", f"{brief(text[start:end])} is not in the rewrite", unit))
    return out


def _around(number: int, ours: Side, there: Search) -> set[int]:
    """The lines of the rewrite that come nearest to a source line, and those beside them."""
    line = ours.lines[number]
    tops = {at for unit in line.units for at in there.top(ours.units[unit], line, ours.units)}
    return {at + step for at in tops for step in (-1, 0, 1) if 0 <= at + step < len(there.side.lines)}


def _not_answered(number: int, ours: Side, there: Search) -> Gone | None:
    """The clause of a source line that says why, what for or when, where nothing of the rewrite can tell it."""
    line = ours.lines[number]
    if not says_why(line.text) or line.phrase in there.by_phrase:
        return None
    clause = unanswered(number, ours, there.side, there.dominant, _around(number, ours, there))
    if clause is None:
        return None
    unit = ours.unit_at(line, clause[0])
    told = f"{brief(ours.memories[line.memory].memory[clause[0] : clause[1]])} is not in the rewrite"
    return Gone(line.memory, *clause, "detail", told, line.units[-1] if unit is None else unit)


def told_in(unit: Unit, line: Line, ours: Side, there: Search) -> int | None:
    """The line of the other side that tells a fact; None where none does."""
    items = [item for item in unit.items if is_required(item)]
    terms = [each for each in unit.terms if each.weight]
    best: tuple[float, int] | None = None
    for at in there.top(unit, line, ours.units):
        if there.side.lines[at].phrase == line.phrase:
            return at
        held = [item for item in items if holds_item(there.side.lines[at], item, there.dominant)]
        share, total = there.share(terms, [at])
        judged = with_items(share, total, len(items), len(items) - len(held)) if total else float(bool(held))
        if judged >= LOST_BELOW and (best is None or judged > best[0]):
            best = judged, at
    return None if best is None else best[1]


def _kept_whole(text: str, there: Search, line: Line, ours: Side) -> bool:
    """Whether the whole memory stands somewhere word for word."""
    text = text.strip()
    tops = [at for number in line.units for at in there.top(ours.units[number], line, ours.units)]
    return any(there.copies(memory).holds(text) for memory in dict.fromkeys(there.side.lines[at].memory for at in tops))


def _check_unit(
    number: int, line: Line, line_number: int, ours: Side, there: Search, doubts: list[Doubt], lost: list[Gone]
) -> int:
    """Look for one fact; returns 1, or 0 where there is nothing to look for."""
    unit = ours.units[number]
    text = ours.memories[line.memory].memory
    items = [item for item in unit.items if is_required(item) and not is_pronoun(item, text)]
    terms = [each for each in unit.terms if each.weight]
    facts = 1 if items or terms else 0
    if there.by_phrase.get(line.phrase) or (not items and _UNCHANGED.search(text, unit.start, unit.end)):
        return facts
    memory = ours.memories[line.memory]
    top = there.top(unit, line, ours.units)
    share, total = there.share(terms, top)
    if share < RESTATED:
        # A line that is another source's own words tells that source; it stands for this one only if it says nearly all of it.
        share, total = there.share(terms, [number for number in top if there.side.lines[number].phrase not in ours.phrases])
    gone: list[Item] = []
    around = [each for each in line_terms(line, ours) if each not in terms]
    if line.joined and line_number:
        around += line_terms(ours.lines[line_number - 1], ours)
    found_line = there.side.lines[top[0]] if top else None
    for item in items:
        if item.kind == "name" and all(stem(part) in there.dominant for part in item.norm.split()) and item_anywhere(there, item):
            continue
        if not there.has(item, top, terms, around) and not told_by_others(item, line, top, there):
            gone.append(item)
    missing = False
    short, middle = (0.6, 0.9) if line.chars else (0.8, 1.2)  # a Chinese word weighs half of an English one
    context = context_share(line, ours, there, top) if total < middle else share
    threshold = LOST_BELOW if gone or not items else ANCHORED_BELOW
    rest = sum(each.weight for each in around) + sum(
        0.7 for index in line.units if index != number for one in ours.units[index].items if is_required(one)
    )
    heading = is_heading(unit, ours) and unit.start == line.start and rest >= 1.5
    if (total >= ENOUGH or not items) and not heading:
        bare = share < UNSAID_BELOW and total >= UNSAID_FROM and len(items) - len(gone) == 1 and all_nowhere(terms, there)
        judged = share if unit.listed or bare else with_items(share, total, len(items), len(gone))
        hollow = not bare and (
            _only_subject(unit, line, terms, items, ours, there) or _only_names(terms, items, gone, top, there)
        )
        if total < middle and not unit.listed:
            judged = max(judged, 0.4 * judged + 0.6 * context if total < short else 0.5 * judged + 0.5 * context)
        if hollow:
            judged = 0.0
        elif (judged < threshold and _is_at(items, gone, there)) or (
            judged < threshold
            and not items
            and (_is_kind_of(unit, line, terms, ours, there, top) or _only_counts(unit, line, text, there, top))
        ):
            judged = threshold
        if judged < threshold and total >= (0.3 if len(ours.lines) and not items else ENOUGH):
            # with a number or a name that is gone too, it is no plain statement
            kind = gone[0].kind if gone else "statement"
            lost.append(
                Gone(line.memory, unit.start, unit.end, kind, f"“{brief(shown(ours, unit))}” is not in the rewrite", number)
            )
            missing = True
        if not gone and abs(judged - threshold) < DOUBT_BELOW - threshold and total >= ENOUGH and judged < 0.999:
            doubts.append(
                Doubt(
                    "lost",
                    memory.memory_id,
                    line.memory,
                    shown(ours, unit),
                    round(judged, 3),
                    judged < threshold,
                    found_line.text if found_line else "",
                )
            )
    role = None if missing else _role_left_out(text[unit.start : unit.end], items, gone, there)
    if role is not None:
        missing = True
        start, end = unit.start + role[0], unit.start + role[1]
        lost.append(Gone(line.memory, start, end, "detail", f"{brief(text[start:end])} is not in the rewrite", number))
    if gone and not missing:
        missing = True
        lost.append(
            Gone(line.memory, gone[0].start, max(item.end for item in gone), gone[0].kind, _not_there(gone, there), number)
        )
    if not missing and (strangers := strange(unit, line, ours, there.side, top)):
        missing = True
        shown_as = _listed([text[found.start : found.end] for found in strangers])
        told = f"{shown_as} {'is' if len(strangers) == 1 else 'are'} not in the rewrite"
        lost.append(Gone(line.memory, strangers[0].start, strangers[-1].end, "name", told, number))
    if top and not missing:
        if share >= threshold:
            clash = turned_by(unit, line_number, ours, items, terms, top, there)
        else:
            clash = marked_otherwise(unit, line_number, ours, top, there.side)
            clash = clash or slightly_turned(unit, line_number, ours, items, top, there.side, there.dominant)
        if clash:
            lost.append(Gone(line.memory, unit.start, unit.end, *clash, number))
    return facts


_UNCHANGED = re.compile(r"\b(?:stay|remain)\w* (?:the same|unchanged|as (?:before|it was|they were))\b", re.IGNORECASE)
"""What says that something is as another memory tells it. That one is looked for."""


def _only_names(terms: Sequence[Term], items: Sequence[Item], gone: Sequence[Item], top: Sequence[int], there: Search) -> bool:
    """Whether nothing but the names of a fact is there: *finds Korean honorifics hard*, *is learning Korean*."""
    held = [item for item in items if item not in gone]
    if not held or any(item.kind != "name" for item in held):
        return False
    names = {stem(part) for item in held for part in item.norm.split()}
    rest = [each for each in terms if each.stem not in names]
    strange = any(each.weight >= _STRANGE and not word_anywhere(each.stem, there) for each in rest)
    share, total = there.share(rest, top)
    return strange and total >= _TELLS and share < UNSAID_BELOW


_STRANGE = 0.75
_TELLS = 1.2


def _role_left_out(text: str, items: Sequence[Item], gone: Sequence[Item], there: Search) -> tuple[int, int] | None:
    """Where a text says what somebody is whose name is there, and nothing else of it: *User's physiotherapist is called Britt*, *knows Britt*."""
    if len(items) != 1 or gone or items[0].kind != "name":
        return None
    found = _ROLE_OF.match(text) or _CJK_ROLE_OF.match(text)
    if found is None:
        return None
    role = found["role"]
    if is_cjk(role[0]):
        pairs = {role[at : at + 2] for at in range(len(role) - 1)}
        told = word_anywhere(role, there) or any(pair in line.text for line in there.side.lines[:_ROLES_SOUGHT] for pair in pairs)
    else:
        told = word_anywhere(stem(role.lower()), there)
    return None if told else found.span("role")


_ROLES_SOUGHT = 200
_ROLE_OF = re.compile(
    r"(?:the )?(?:[A-Z][\w-]*|user|his|her|their|my)(?:['’]s)? (?:(?:new|old|former|current|main|family) )?"
    r"(?P<role>[a-z]*(?:therapist|ologist|iatrist|ician)|dentist|doctor|surgeon|vet|lawyer|solicitor|accountant|landlord|landlady|boss|manager|supervisor"
    r"|mentor|tutor|teacher|coach|trainer|instructor|assistant|nanny|babysitter|hairdresser|barber|plumber|electrician|gardener|cleaner|neighbou?r|roommate"
    r"|flatmate|colleague|coworker|midwife|nurse|client|tenant|lodger|agent|editor|publisher|supplier|adviser|advisor)"
    r"(?: (?:is|was|is called|is named|named|called|goes by)|,| is Dr\.?) ",
    re.I,
)
_CJK_ROLE_OF = re.compile(
    r"(?:用户|[他她]|[\u4e00-\u9fff]{2,3}?)的(?P<role>[\u4e00-\u9fff]{0,3}(?:[康治营设美厨理摄律]\w?师|医生|大夫|教练|老板|房东|会计|秘书|司机|保姆|月嫂|邻居|同事|室友|老师|导师|经理|主管|助理"
    r"|中介|客户|学生|徒弟|师傅|护士|牙医|兽医|编辑|顾问))(?:叫|是|名叫|姓|名字叫|：)"
)


def _only_subject(unit: Unit, line: Line, terms: Sequence[Term], items: Sequence[Item], ours: Side, there: Search) -> bool:
    """Whether all that the other side has of a fact is whom it is told of: *brother Jonas is a diabetic*, *brother Jonas lives in Oslo*."""
    if any(item.kind != "name" for item in items) or unit.start > line.start:
        return False
    whom = told_of(ours.memories[line.memory].memory[unit.start : unit.end])
    if not whom:
        return False
    rest = [each for each in terms if each.stem not in whom and each.stem not in line.names]
    return sum(each.weight for each in rest) >= UNSAID_FROM and not any(word_anywhere(each.stem, there) for each in rest)


_APPOSED = re.compile(r"\s*(?:(?:an?|the)\s+(?:[a-z-]+\s+){0,2}|called\s+|named\s+)?(?:(?:19|20)\d\d\s)?(?:[A-Z]|[\"“'‘])")


def _is_kind_of(unit: Unit, line: Line, terms: Sequence[Term], ours: Side, there: Search, top: Sequence[int]) -> bool:
    """Whether a fact only says what kind of thing the one behind its comma is: *User's car*, *a 2016 Skoda*. The name alone tells it."""
    text = ours.memories[line.memory].memory
    if unit.start > line.start or sum(1 for each in terms if each.weight >= 0.3) != 1 or text[unit.end - 1 : unit.end] != ",":
        return False
    if _OWNED.match(text[unit.start : unit.end]) is None or _APPOSED.match(text, unit.end) is None:
        return False
    behind = next((other for number in line.units if (other := ours.units[number]).start >= unit.end), None)
    names = [item for item in behind.items if item.kind == "name" and not item.weak] if behind is not None else []
    return bool(names) and any(all(holds_item(there.side.lines[at], item, there.dominant) for item in names) for at in top)


def _is_at(items: Sequence[Item], gone: Sequence[Item], there: Search) -> bool:
    """Whether a fact says where something is to be found, and the only address of its kind is there: *the site lives at*, *(https://...)*."""
    return not gone and bool(items) and all(is_only_address(item, there) for item in items)


def _only_counts(unit: Unit, line: Line, text: str, there: Search, top: Sequence[int]) -> bool:
    """Whether a fact is no more than a figure in words that the other side tells or comes to: *morning and night*, 对半分."""
    for item in unit.items:
        rest = text[unit.start : item.start] + text[item.end : unit.end]
        if (
            item.weak
            and item.kind in ("number", "percent")
            and len(item.surface) > 1
            and len(_LETTERS.findall(rest)) <= _FEW_LETTERS
        ):
            lines = [there.side.lines[number] for number in top]
            return any(holds_item(one, item, there.dominant) for one in lines) or told_by_others(item, line, top, there)
    return False


_LETTERS = re.compile(r"[^\W\d_]")
_FEW_LETTERS = 3


_OWNED = re.compile(r"\W*(?:(?:the )?user|[A-Z]\w+)['’]s (?:\w+ )?\w+,\Z|\W*(?:his|her|their) (?:\w+ )?\w+,\Z", re.I)


def _not_there(gone: Sequence[Item], there: Search) -> str:
    """What became of the items of one fact, for people."""
    nowhere = [item.surface for item in gone if not item_anywhere(there, item)]
    elsewhere = [item.surface for item in gone if item.surface not in nowhere]
    parts = [f"{_listed(nowhere)} {'is' if len(nowhere) == 1 else 'are'} not in the rewrite"] if nowhere else []
    parts += [f"{_listed(elsewhere)} {'is' if len(elsewhere) == 1 else 'are'} told of something else"] if elsewhere else []
    return "; ".join(parts)


_MOST_LISTED = 6


def _listed(surfaces: Sequence[str]) -> str:
    """Words for a message; of many the first few."""
    shown = [brief(surface, 60) for surface in surfaces[:_MOST_LISTED]]
    return " and ".join(shown) + (f" and {len(surfaces) - len(shown)} more" if len(surfaces) > len(shown) else "")
