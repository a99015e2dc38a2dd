"""Whether the lines that come nearest to a statement say the contrary of it: denials counted, doubts, opposites, words replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from memopt.facts import kinds, lexicon, senses
from memopt.facts.items import Item
from memopt.facts.polarity import segments, turns
from memopt.facts.reading import opens_clause
from memopt.facts.words import brief, stem
from memopt.verify.apart import blanked
from memopt.verify.certainty import certainty
from memopt.verify.foreign import contrary, language
from memopt.verify.holding import holds_item
from memopt.verify.lines import COMMON_CHARS, LIKING, Line, Side, Term, Told, Unit, is_cjk, item_keys, weigh
from memopt.verify.order import compared_alike, told_from_the_other_side
from memopt.verify.search import VISIT, Search
from memopt.verify.slight import other_numeral, other_sign
from memopt.verify.stance import Verdict, compare, definite_people, explained, is_person, meet
from memopt.verify.status import status, tells
from memopt.verify.unread import says_contrary
from memopt.verify.wishes import got

ENOUGH = 0.55
"""Words that weigh less than this together are no fact of their own."""
_WEAK_OPPOSITES = frozenset(
    lexicon.words(
        """
    to from in out on off up down with without he she him her his husband wife day night old new young first last start stop begin end
    left right light dark hard easy good bad big small long short am pm input output yes no import export read write near far
    king queen man woman boy girl start starts started stopped stops began begins ended ends alone together over buy sell bought sold buying
    lend borrow lent borrowed lends borrows sells buys like likes love loves hate hates enjoys dislike dislikes liked disliked vegan meat
    lower raise raised lowered warm cool cold hot brief full empty new elder older younger early late earlier later
    single married fall rise present since before after above below more less brother sister mother father son daughter uncle aunt niece nephew
    girlfriend boyfriend grandmother grandfather grandma grandpa mom dad parents grandparents
    """
    )
)
_POLAR = frozenset(word for pair in lexicon.ANTONYMS for word in pair) - _WEAK_OPPOSITES


class _Stance(NamedTuple):
    """What the lines that come nearest to a line say of what it says: the contrary (of what stands at start:end of its memory), or the same."""

    contrary: bool
    start: int
    end: int
    other: Line


_SOMETHING = 0.3
"""A line that tells less than this of its own says no contrary."""
SAME_FACT = 0.45
"""A line must hold this much of what another tells, to be one that says the same or the contrary."""


def _stance(unit: Unit, number: int, mine: Side, items: Sequence[Item], top: Sequence[int], search: Search) -> _Stance | None:
    """One line that agrees is enough. None where nothing tells. Only lines that hold the items are asked."""
    line, side, dominant = mine.lines[number], search.side, search.dominant
    words = frozenset(each.stem for each in unit.terms if each.stem not in dominant)
    if sum(weigh(word) for word in words) < ENOUGH:
        words = line.features - dominant
    total = sum(weigh(word) for word in words)
    if total < _SOMETHING:
        return None  # "User's name is"
    found = [
        (sum(weigh(word) for word in words if side.holds(at, word) or not _opposed(word).isdisjoint(side.lines[at].features)), at)
        for at in top[:3]
        if all(holds_item(side.lines[at], item, dominant) for item in items)
    ]
    most = max((value for value, _ in found), default=0.0)
    worst: _Stance | None = None
    excused: _Stance | None = None
    for value, at in found:
        if not value or value < max(0.75 * most, SAME_FACT * total):
            continue
        verdict = compare(mine.told(number), side.told(at), dominant)
        if verdict is None and value >= total and _goes_on(line.phrase, side.lines[at].phrase):
            # word for word, with at most a day behind it: that the contrary is told too, of another time, changes nothing
            return _Stance(False, line.start, line.end, side.lines[at])
        if verdict is not None and verdict.overruled:
            verdict = _of_same_people(verdict, number, mine, at, search)
        if verdict is not None and verdict.contrary:
            verdict = _without_others(verdict, number, mine, at, search)
            if verdict is None:  # what it denies, another line tells
                excused = _Stance(False, line.start, line.end, side.lines[at])
        if verdict is not None and verdict.contrary:
            verdict = _of_same_people(verdict, number, mine, at, search)
            if verdict is None:
                excused = _Stance(False, line.start, line.end, side.lines[at])
        if verdict is not None and verdict.contrary and (_listed_denial(mine, number) or _listed_denial(side, at)):
            verdict = None
        if (
            verdict is not None
            and verdict.contrary
            and (compared_alike(line.text, side.lines[at].text) or _passed(line.text, side.lines[at].text))
        ):
            verdict = verdict._replace(contrary=False)
        if verdict is not None and verdict.contrary and _told_by_another(verdict, number, mine, at, side, dominant):
            verdict = verdict._replace(contrary=False)
        if verdict is not None:
            stance = _Stance(verdict.contrary, line.start + verdict.start, line.start + verdict.end, side.lines[at])
            if not verdict.contrary:
                return stance
            worst = worst or stance
    return worst or excused


def _told_by_another(verdict: Verdict, number: int, mine: Side, at: int, side: Side, dominant: frozenset[str]) -> bool:
    """Whether what one of two lines denies is what another line of the other's side denies, too: a rewrite joins both in one sentence.

    *Did not pass twice and will try again in May* denies nothing of *the next try is in May*: the first part is *failed twice*.
    """
    if verdict.turned is None:
        return False
    second, start, end = verdict.turned
    if second:
        long, of, short, among = at, side, number, mine
    else:
        long, of, short, among = number, mine, at, side
    told, known = of.told(long), among.lines[short].features
    own = {
        word.stem
        for word in told.words
        if start <= word.start - told.start < end and weigh(word.stem) >= _OWN_WORD and word.stem not in dominant
    }
    if told.text.isascii():  # "has no dog and no children" denies the dog as well
        turned = of.lines[long].denied_words & known - among.lines[short].denied_words - dominant
        shared = {word for word in turned if weigh(word) >= _OWN_WORD} if _DENIES.search(told.text) else set()
        own -= known
    else:
        shared = {word for word in own if _is_among(word, known) and not is_person(word, told, among.told(short))}
        if any(word in known and len(word) > 1 for word in shared):
            return False
    near = [at for word in sorted(own) for at in among.by_feature.get(word, ())[:_ASKED_FOR]]
    near += [at for word in sorted(own) for kin in sorted(among.akin(word)) for at in among.by_feature[kin][:_ASKED_FOR]]
    for other in list(dict.fromkeys(near))[:_ASKED_FOR]:
        there = among.lines[other]
        if other == short or not any(turn.sure for turn in turns(there.text)):
            continue
        if not all(word in there.denied_words if word.isascii() else _is_among(word, there.features) for word in shared):
            continue
        found = compare(told, among.told(other), dominant)
        if found is not None and not found.contrary:
            return True
    return False


def _is_among(word: str, known: Collection[str]) -> bool:
    """Whether a Chinese word is one of some, however these were cut: 羽毛球, 打羽毛球."""
    if word in known:
        return word not in COMMON_CHARS and (len(word) > 1 or len(known) <= _FEW_WORDS)
    return len(word) > 1 and any(len(other) > 1 and is_cjk(other) and (other in word or word in other) for other in known)


_DENIES = re.compile(r"\b(?:no|not|never|none|neither|nor|cannot)\b|n['’]t\b", re.I)
_FEW_WORDS = 3
"""A sentence of no more words than this tells something by each of its single characters: 养狗."""
_OWN_WORD = 0.5
"""A word that weighs as much as this tells what a denial is about."""
_ASKED_FOR = 6
"""So many lines are asked whether they deny the same."""


def _goes_on(one: str, two: str) -> bool:
    """Whether one phrase is the other's beginning."""
    short, long = sorted((one, two), key=len)
    return bool(short) and long.startswith(short)


@cache
def _opposed_stems() -> dict[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for word, others in lexicon.opposites().items():
        out.setdefault(stem(word), set()).update(stem(other) for other in others)
    return {word: frozenset(others) for word, others in out.items()}


def _opposed(word: str) -> frozenset[str]:
    """The stems of what is the opposite of a word: *not open* is told by *closed*."""
    return _opposed_stems().get(word, frozenset())


def _without_others(verdict: Verdict, number: int, mine: Side, at: int, search: Search) -> Verdict | None:
    """What is left of a contrary once the clauses are left out that deny what another line of the other side denies.

    *They stay four nights, in a hotel without breakfast* joins two sources; the denial belongs to the one that tells of the breakfast.
    """
    side, dominant, apart = search.side, search.dominant, search.apart(mine)
    here, there = mine.told(number), side.told(at)

    def of_mine(start: int, end: int, other: int) -> bool:
        return apart.tells_of_another(number, start, end, other, mine=True)

    def of_side(start: int, end: int, other: int) -> bool:
        return apart.tells_of_another(at, start, end, other, mine=False)

    left = _own_clauses(here, at, side, dominant, of_mine)
    right = _own_clauses(there, number, mine, dominant, of_side)
    if left is here and right is there:
        return verdict
    return None if left is None or right is None else compare(left, right, dominant)


def _of_same_people(verdict: Verdict, number: int, mine: Side, at: int, search: Search) -> Verdict | None:
    """A verdict without the clauses that tell of somebody of whom the other line tells nothing, where something is left of both."""
    left, right = search.apart(mine).kept(number, at) or (None, None)
    return verdict if left is None or right is None else compare(left, right, search.dominant)


def _own_clauses(
    told: Told, at: int, side: Side, dominant: frozenset[str], of_another: Callable[[int, int, int], bool]
) -> Told | None:
    """A sentence with blanks in the place of clauses that deny something, if another line of the other side than ``at`` denies that.

    None where nothing is left of it.

    Args:
        at: the line that it is held against, on ``side``.
        of_another: whether a part of the sentence, by its start and end, tells of somebody of whom a line of ``side`` does not.
    """
    turned = [turn for turn in turns(told.text) if turn.sure]
    spans = segments(told.text) if turned else []
    if not spans:
        return told
    text = told.text
    gone: list[tuple[int, int]] = []
    for left, right in spans:
        if not any(left <= turn.start < right for turn in turned):
            continue
        words, keys = within(told, left, right, dominant)
        names = {stem(part) for item in told.items if item.kind == "name" for part in item.norm.split()}
        bare = sum(weigh(word) for word in words - names) < _SOMETHING and all(key.startswith("name:") for key in keys)
        if left and bare:  # "but none for Bruno": what it is, stands before it
            before = [start for start, end in spans if start < left and any(char.isalnum() for char in text[start:end])]
            more = within(told, max(before, default=left), left, dominant)
            words, keys = words | more[0], keys | more[1]
        total = sum(weigh(word) for word in words)
        if total < _SOMETHING and not keys:
            continue
        kinds = {turn.kind for turn in turned if left <= turn.start < right}
        joined = len(spans) > 1
        own = _told_of_clause(words, keys, kinds, at, side, joined)
        others = {
            line for word in words for feature in (word, *side.akin(word)) for line in side.by_feature.get(feature, ())[:_ASKED]
        }
        others |= {line for key in keys for line in side.by_feature.get(key, ())[:_ASKED]}
        opposites = frozenset(opposite for word in words for opposite in _opposed(word))
        others |= {line for word in opposites for line in side.by_feature.get(word, ())[:_ASKED]}
        if any(
            other != at
            and (turns(side.lines[other].text) or not opposites.isdisjoint(side.lines[other].features))
            and _told_of_clause(words, keys, kinds, other, side, joined)
            > max(own + (_CLEARLY if keys.isdisjoint(side.lines[other].keys - side.lines[at].keys) else _BY_ITEM), 0.5 * total)
            and not of_another(left, right, other)
            for other in others
        ):
            gone.append((left, right))
    if not gone:
        return told
    if len(gone) == len(spans):
        return None
    return blanked(told, gone)


def within(told: Told, left: int, right: int, dominant: frozenset[str]) -> tuple[set[str], set[str]]:
    """The stems and the keys of items of a part of a sentence."""
    words = {word.stem for word in told.words if left <= word.start - told.start < right} - dominant
    items = [item for item in told.items if not item.weak and left <= item.start - told.start < right]
    return words, {key for item in items for key in item_keys(item)}


_CLEARLY = 0.4
"""A line must hold so much more of a clause than another one, that the clause is the first one's alone."""
_BY_ITEM = 0.25
"""The same where it alone has a figure or a day of the clause."""
_ASKED = 40
"""So many lines that have a word of a clause are asked whether they tell it."""


def _told_of_clause(words: set[str], keys: set[str], denials: set[str], at: int, side: Side, joined: bool) -> float:
    """The weight of the words and items of a clause that a line has, and of an item that both deny in one way: *paused*, *put on hold*.

    Args:
        joined: the clause is one of several, so that it may be another source's by its denial alone.
    """
    line = side.lines[at]
    items = len(keys & line.keys)
    told = sum(
        weigh(word) for word in words if side.holds(at, word) or not _opposed(word).isdisjoint(line.features)
    )  # *is not open*, *is closed*
    alike = (items > 0 or (joined and line.text.isascii() and told >= _OWN_WORD)) and any(
        turn.sure and turn.kind in denials for turn in turns(line.text)
    )
    return told + 0.3 * items + _DENIED_ALIKE * alike


_DENIED_ALIKE = 0.5
_LISTED_MOST = 4
"""A line of more English words goes on with no list, but says something itself; so does one with such a verb."""
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|do|does|did|will|would|can|cannot|could|may|must|should)\b", re.I)
_LIST_LONGEST = 30
"""So many lines back a list is followed to where it began."""


def _listed_denial(side: Side, number: int) -> bool:
    """Whether a line goes on with a list, behind a semicolon, that began with a denial."""
    text = side.lines[number].text
    if not side.lines[number].joined or opens_clause(text) or any(turn.sure for turn in turns(text)):
        return False
    if text.isascii() and (text.count(" ") >= _LISTED_MOST or _VERB.search(text)):
        return False
    for _ in range(_LIST_LONGEST):
        if not number or not side.lines[number].joined:
            break
        number -= 1
        if any(turn.sure for turn in turns(side.lines[number].text)):
            return True
    return False


def turned_by(
    unit: Unit, number: int, mine: Side, items: Sequence[Item], terms: Sequence[Term], top: Sequence[int], search: Search
) -> tuple[str, str] | None:
    """Whether the lines that come nearest to a unit say the contrary of it: (kind, detail), or None."""
    line, side = mine.lines[number], search.side
    if line.text.count(" ") > 1 and (name := language(line.text)) and any(language(side.lines[at].text) == name for at in top):
        against = contrary(line.text, unit.start - line.start, unit.end - line.start, [side.lines[at].text for at in top])
        if against is None and says_contrary(line.text, side.lines[top[0]].text):
            against = side.lines[top[0]].text
        return ("polarity", f"“{brief(against)}” says the contrary") if against is not None else None
    stance = _stance(unit, number, mine, items, top, search)
    if stance is not None and stance.contrary and unit.start < stance.end and stance.start < unit.end:
        return "polarity", f"“{brief(stance.other.text)}” says the contrary"
    if top:
        text = mine.memories[line.memory].memory[unit.start : unit.end]
        if not any(other_sign(text, side.lines[at].text) is None for at in top):
            return "id", other_sign(text, side.lines[top[0]].text) or ""
        other = side.lines[top[0]].text
        if not text.isascii() and not any(other_numeral(text, side.lines[at].text) is None for at in top[:1]):
            return "id", other_numeral(text, side.lines[top[0]].text) or ""
        if says_contrary(text, other):
            return "polarity", f"“{brief(other)}” says the contrary"
        unsure = certainty(text, other) or certainty(other, text) or got(text, other) or got(other, text)
        if unsure is not None and text.isascii() and (kept := search.apart(mine).kept(number, top[0])) is not None:
            other = "" if kept[1] is None else kept[1].text  # what is open for somebody else
            unsure = certainty(text, other) or certainty(other, text) or got(text, other) or got(other, text)
        if unsure is not None and not (line.text.isascii() and all(each.stem in line.names for each in unit.terms)):
            return "certainty", unsure
        marked = marked_otherwise(unit, number, mine, top, side)
        if marked is not None:
            return marked
    clash = _item_clash(items, line, top, side)
    if clash is None and (line.text.isascii() or _surely_turned(line, top, side)):
        # what has no figure, day or name of it tells something else: "would like to open a terrace", "is not open on Mondays"
        telling = [at for at in top if all(holds_item(side.lines[at], item, search.dominant) for item in items)]
        clash = _sign_clash(terms, line, telling or top, side)
        if clash is not None and (
            _denied_aside(unit, number, mine, telling or top, side)
            or (line.text.isascii() and explained(mine.told(number), side.told((telling or top)[0]), search.dominant))
            or (line.text.isascii() and _denied_of_others(number, mine, (telling or top)[0], search))
        ):
            clash = None
    if clash is not None and (
        (stance is not None and not stance.contrary)
        or (stance is None and not line.text.isascii() and _agrees(number, mine, top, side, search.dominant))
        or _listed_denial(mine, number)
        or any(_listed_denial(side, at) for at in top[:1])
    ):
        clash = None
    return (
        clash
        or _opposite_clash(line, top, side, agreed=stance is not None and not stance.contrary)
        or _replaced(terms, number, mine, top, side)
    )


def _agrees(number: int, mine: Side, top: Sequence[int], side: Side, dominant: frozenset[str]) -> bool:
    """Whether the denials of a Chinese line and of the nearest one, clause by clause, come to the same."""
    if not top:
        return False
    verdict = compare(mine.told(number), side.told(top[0]), dominant)
    if verdict is not None:
        return not verdict.contrary
    here, there = _denied_chars(mine.lines[number].text), _denied_chars(side.lines[top[0]].text)
    if not here or not there or len(here) % 2 != len(there) % 2:
        return False
    line, other = mine.lines[number], side.lines[top[0]]
    return any(not one.isdisjoint(two) for one in here for two in there) or any(
        meet(word, told) for word in line.denied_words for told in other.denied_words
    )


def _denied_chars(text: str) -> list[set[str]]:
    """For each sure denial of a Chinese sentence the characters of its clause that tell something: 不习惯甜口, 吃不惯."""
    spans = segments(text)
    return [
        set(text[left:right]) - set(text[turn.start : turn.end]) - COMMON_CHARS - _CJK_MARKS
        for turn in turns(text)
        if turn.sure
        for left, right in spans
        if left <= turn.start < right
    ]


_CJK_MARKS = frozenset("，。；、：用户的了是在有他她它和与也都就还很不没因为所以而但")
"""What stands in any Chinese clause."""


def slightly_turned(
    unit: Unit, number: int, mine: Side, items: Sequence[Item], top: Sequence[int], side: Side, dominant: frozenset[str]
) -> tuple[str, str] | None:
    """The same of a unit with few words beside its figure or day: *but paused it in April* is told by the line that has April."""
    line = mine.lines[number]
    if not items or not all(holds_item(side.lines[top[0]], item, dominant) for item in items):
        return None
    verdict = compare(mine.told(number), side.told(top[0]), dominant)
    if verdict is None or not verdict.contrary or verdict.plain or verdict.turned is None:
        return None
    start, end = line.start + verdict.start, line.start + verdict.end
    return (
        ("polarity", f"“{brief(side.lines[top[0]].text)}” says the contrary") if unit.start < end and start < unit.end else None
    )


def marked_otherwise(unit: Unit, number: int, mine: Side, top: Sequence[int], side: Side) -> tuple[str, str] | None:
    """What only one of a unit and the nearest line says that keeps it from being so, as (kind, detail), where no other line agrees."""
    line = mine.lines[number]
    within = unit.start - line.start, unit.end - line.start
    found = status(line.text, side.lines[top[0]].text, within)
    if found is None:
        return None
    detail, here = found
    for at in top[1:3]:
        other = side.lines[at].text
        if status(line.text, other, within) is None and tells(line.text if here else side.lines[top[0]].text, other):
            return None
    return "certainty", detail


def _denied_of_others(number: int, mine: Side, at: int, search: Search) -> bool:
    """Whether all that is denied in two lines is denied of somebody of whom the other line tells nothing."""
    kept = search.apart(mine).kept(number, at)
    return kept is not None and not any(turn.sure for told in kept if told is not None for turn in turns(told.text))


def _denied_aside(unit: Unit, number: int, mine: Side, top: Sequence[int], side: Side) -> bool:
    """Whether all that is denied here and in the lines that come nearest to it stands in clauses that tell of something else.

    *His mother, who fails to recognize him, lives in a home* denies nothing of *lives in a home*.
    """
    own = {each.stem for each in unit.terms if each.weight >= _SOMETHING}
    own = own - _people(mine.lines[number]) or own
    aside = False
    for of, at in ((mine, number), *((side, at) for at in top[:2])):
        told = of.told(at)
        denials = [turn for turn in turns(told.text) if turn.sure]
        for left, right in segments(told.text) if denials else ():
            if not any(left <= turn.start < right for turn in denials):
                continue
            if of is mine and unit.start - told.start < right and left < unit.end - told.start:
                return False
            words = {word.stem for word in told.words if left <= word.start - told.start < right}
            least = _SOMETHING
            if told.text.isascii():
                least = _OWN_WORD if _DENIES_WHAT_IS.search(told.text, left, right) else _DENIES_ITS_OWN
            if sum(weigh(word) for word in words) < least or any(
                word == mine_word or senses.closeness(word, mine_word) >= senses.BY_BEGINNING
                for word in words
                for mine_word in own
            ):
                return False
            aside = True
    return aside


_DENIES_WHAT_IS = re.compile(
    r"\w (?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)(?:n['’]t| not)\b|\w cannot\b", re.I
)
"""A verb of its own with its denial, behind whom it tells of: *the user wasn't bothered*. Then one telling word is enough."""
_DENIES_ITS_OWN = 0.9
"""A clause whose words weigh as much as this tells something of its own."""


def _passed(one: str, two: str) -> bool:
    """Whether two sentences tell one deed from its two sides, and neither denies or ends anything: *Helmut sold it to him*, *he bought it from Helmut*."""
    return not any(turn.sure for text in (one, two) for turn in turns(text)) and told_from_the_other_side(one, two)


def _clauses_of(unit: Unit, at: int, side: Side) -> str:
    """The text of a line without the clauses that tell nothing of a unit: what they leave open is another thing."""
    told = side.told(at)
    spans = segments(told.text)
    if len(spans) < 2:
        return told.text
    mine = {each.stem for each in unit.terms}
    out = []
    for left, right in spans:
        words = {word.stem for word in told.words if left <= word.start - told.start < right and weigh(word.stem) >= _SOMETHING}
        if not words or any(
            word in mine or not side.akin(word).keys().isdisjoint(mine) or any(senses.closeness(word, own) for own in mine)
            for word in words
        ):
            out.append(told.text[left:right])
    return "".join(out)


def _replaced(terms: Sequence[Term], line: int, mine: Side, top: Sequence[int], side: Side) -> tuple[str, str] | None:
    """Whether a word is nowhere on the other side, and the nearest line has another of its kind, which is nowhere on this one."""
    for each in terms:
        if not each.weight or not kinds.has_kind(each.stem) or told_anywhere(each.stem, side):
            continue
        for other in sorted(side.lines[top[0]].features) if top else ():
            if kinds.rivals(each.stem, other) and not told_anywhere(other, mine):
                mine_text, other_text = mine.lines[line].text, side.lines[top[0]].text
                if is_cjk(other) and _denied_soon(each.stem, mine_text) != _denied_soon(other, other_text):
                    continue  # 不能在室外用, 只能在室内用
                if told_from_the_other_side(mine_text, other_text):
                    continue  # Pia moves in with her father, Walter's daughter moves in with him
                return "opposite", f"{_surface(each.stem, mine_text)}: the other side has {_surface(other, other_text)}"
    return None


def _surface(root: str, text: str) -> str:
    """The first word of a text that has this stem."""
    return next((word for word in _WORD.findall(text) if stem(word) == root), root) if root.isascii() else root


_WORD = re.compile(r"[^\W\d_]+")


def told_anywhere(word: str, side: Side) -> bool:
    """Whether a side has a word, or one that may stand for it."""
    if word in side.by_feature:
        return True
    if any(value >= senses.BY_BEGINNING and not kinds.are_apart(word, other) for other, value in side.akin(word).items()):
        return True
    return is_cjk(word) and any(
        word in side.lines[number].text for char in word[:1] for number in side.by_feature.get(char, ())[:VISIT]
    )


def _surely_turned(line: Line, top: Sequence[int], side: Side) -> bool:
    """Whether Chinese lines hold a plain denial. What 不便 or 不太 turn lies before it or behind it: the words do not tell."""
    return any(turn.sure for text in (line.text, *(side.lines[at].text for at in top[:3])) for turn in turns(text))


def _item_clash(items: Sequence[Item], line: Line, top: Sequence[int], side: Side) -> tuple[str, str] | None:
    """Whether a number or a name is denied outright on one side alone: ``is not 845 ms``."""
    for item in items:
        keys = item_keys(item)
        here = not keys.isdisjoint(line.denied_keys)
        for number in top[:1]:
            other = side.lines[number]
            if keys.isdisjoint(other.keys):
                continue
            if (
                here != (not keys.isdisjoint(other.denied_keys))
                and line.denied != other.denied
                and not line.soft
                and not other.soft
            ):
                return "polarity", f"“{brief(other.text)}” says the contrary"
    return None


def _sign_clash(terms: Sequence[Term], line: Line, top: Sequence[int], side: Side) -> tuple[str, str] | None:
    """Whether the nearest line affirms what the unit denies, or the other way round.

    A word counts as turned only where nothing else says the same: what stands with ``allergic``, ``former`` or ``without`` on one
    side may be denied outright on the other.
    """
    denied = any(each.negated for each in terms) or line.denied or line.turned
    if not denied and not any(
        side.lines[number].denied or side.lines[number].denied_words or side.lines[number].turned for number in top[:2]
    ):
        return None
    verdicts = []
    telling = [each for each in terms if each.weight != 0.5 or not each.stem.isascii()]  # names are not denied
    english = line.text.isascii()
    if english:
        people = _people(line)
        telling = [each for each in telling if each.stem not in people]
    if sum(each.weight for each in telling) < 0.3:
        if (
            english
            and len(line.units) > 1
            and not any(each.negated for each in terms)
            and any(each.stem in definite_people(line.text) for each in terms)
        ):
            return None  # whom it tells of is not denied
        telling = list(terms)
    for number in top[:3]:
        other = side.lines[number]
        for_it = against = matched = excused = 0.0
        for each in telling:
            seen, soft = other.sign(each.stem), each.stem in other.soft
            for feature, value in side.akin(each.stem).items():
                if (
                    feature in other.features
                    and (value >= senses.BY_HAND or not seen)
                    and (weigh(feature) >= 0.3 or (feature in LIKING and each.stem in LIKING))
                ):
                    seen |= other.sign(feature)
                    soft = soft or feature in other.soft
            if not seen and is_cjk(each.stem):
                for feature in other.features:
                    if is_cjk(feature) and any(char in feature and char not in COMMON_CHARS for char in each.stem):
                        seen |= other.sign(feature)
            if not seen or (len(each.stem) == 1 and each.weight < 0.3):
                continue
            matched += each.weight
            if seen & (2 if each.negated else 1):
                for_it += each.weight
            elif _same_focus(each, line, other):
                continue  # the same is denied on both sides, and this word only stands beside it
            elif (each.soft and soft) or (soft and each.negated) or (each.soft and not each.negated):
                # Both deny by a word of their own (whether that one is denied is told by Line.turned), or one does and the other plainly.
                excused += each.weight
            else:
                against += each.weight
        verdicts.append((matched, for_it, against if against > excused else 0.0, other))
    most = max(entry[0] for entry in verdicts)
    near = [entry for entry in verdicts if entry[0] >= 0.75 * most and entry[0] > 0]
    if near and len(near) == 1:
        other = near[0][3]
        if line.denied != other.denied and not line.soft and not other.soft and _alike(line, other):
            return "polarity", f"“{brief(other.text)}” says the contrary"
    if near and all(
        entry[3].turned != line.turned and (line.soft or line.denied) and (entry[3].soft or entry[3].denied) for entry in near
    ):
        return "polarity", f"“{brief(near[0][3].text)}” says the contrary"
    # One line that agrees is enough, and a line is agreed with unless a word that both have changed its sign.
    worst: Line | None = None
    for _, for_it, against, other in near:
        if not against:
            return None
        denied_here, denied_there = any(each.negated for each in terms) or line.denied, other.denied or bool(other.denied_words)
        if denied_here and denied_there and for_it >= against:
            return None
        if for_it >= _MOSTLY * against and ((against < _SOMETHING and line.text.isascii()) or _hangs_on_another(line, other)):
            return None  # a word of it stands in another clause, which denies something else
        worst = worst or other
    if worst is None:
        return None
    return "polarity", f"“{brief(worst.text)}” says the contrary"


def _people(line: Line) -> frozenset[str]:
    """The stems of the names and of the definite relatives of a line."""
    return line.names | definite_people(line.text)


_MOSTLY = 1.5


def _hangs_on_another(line: Line, other: Line) -> bool:
    """Whether only one line denies, and what it denies are mostly words that the other one does not tell."""
    denying, affirming = (line, other) if line.denied_words else (other, line)
    told = [word for word in denying.denied_words - denying.both if weigh(word) >= _OWN_WORD]
    return len(told) > 1 and 2 * sum(word in affirming.features for word in told) <= len(told)


def _same_focus(each: Term, line: Line, other: Line) -> bool:
    """Whether a word is denied on one side only because it stands in a clause that denies what the other side denies too."""
    denying, affirming = (line, other) if each.negated else (other, line)
    for group in denying.denied_groups:
        if each.stem not in group and not any(senses.closeness(each.stem, one) >= senses.BY_HAND for one in group):
            continue
        for focus in group:
            if focus == each.stem or weigh(focus) < 0.3:
                continue
            if focus in affirming.denied_words or any(
                senses.closeness(focus, one) >= senses.BY_HAND for one in affirming.denied_words if weigh(one) >= 0.3
            ):
                return True
    return False


@lru_cache(maxsize=8192)
def _denying_clauses(text: str) -> tuple[frozenset[str], ...]:
    """The telling words of each clause of an English sentence that denies something."""
    sure = [turn for turn in turns(text) if turn.sure]
    out = []
    for left, right in segments(text) if sure else ():
        inside = [turn for turn in sure if left <= turn.start < right]
        if inside:
            words = [found for found in _WORD.finditer(text, left, right) if found[0].casefold() not in lexicon.STOP]
            out.append(
                frozenset(
                    root
                    for found in words
                    if weigh(root := stem(found[0].casefold())) >= _SOMETHING
                    and not any(turn.start <= found.start() < turn.end for turn in inside)
                )
            )
    return tuple(out)


def _alike(line: Line, other: Line) -> bool:
    """Whether two lines say the same, but for what denies: each holds nearly all words of the other."""
    if not line.features or not other.features:
        return False

    def held(feature: str, whole: Line) -> bool:
        return feature in whole.features or any(senses.closeness(feature, mine) >= senses.BY_HAND for mine in whole.features)

    denying, affirming = (line, other) if line.denied else (other, line)
    clauses = [stems for stems in _denying_clauses(denying.text) if stems] if denying.text.isascii() else []
    if clauses and not any(held(feature, affirming) for stems in clauses for feature in stems):
        return False  # *and lends them to nobody*: its clause tells something else
    under = denying.denied_words - denying.both
    under = frozenset([feature for feature in under if weigh(feature) >= 0.5]) or under
    under = frozenset([feature for feature in under if not (is_cjk(feature) and len(feature) == 1)]) or under  # what 碰 and 吃 is
    if under and not any(held(feature, affirming) for feature in under):
        return False  # what is denied is something else

    def share(part: frozenset[str], whole: Line) -> float:
        return sum(held(feature, whole) for feature in part) / len(part)

    return share(line.features, other) >= 0.65 and share(other.features, line) >= 0.65


def _opposite_clash(line: Line, top: Sequence[int], side: Side, *, agreed: bool) -> tuple[str, str] | None:
    """Whether the nearest line has the opposite of a word in its place.

    Args:
        agreed: denials were counted and agree: *uncomfortable* and *not comfortable* are one.
    """
    if not top:
        return None
    other = side.lines[top[0]]
    for one, two in (("maximum", "minimum"), ("minimum", "maximum")):
        if one in line.features and two not in line.features and two in other.features and one not in other.features:
            return "opposite", f"{one} became {two}"
    opposites = lexicon.opposites()
    here, there = line.raw, other.raw
    for word in here & _POLAR:
        if word in there:
            continue
        against = opposites[word] & there & _POLAR
        if word in ("never", "always") and (agreed or (line.denied and other.denied)):
            continue  # never flies, always by rail and no planes; never takes on, always turns down
        if agreed:
            against = frozenset(one for one in against if not one.endswith(word) and not word.endswith(one))
        against = frozenset(one for one in against if (stem(word) in line.denied_words) == (stem(one) in other.denied_words))
        if any(opposites[one] & text & _POLAR for one, text in ((word, here), *((one, there) for one in against))):
            continue  # "open on weekdays, shut on Sundays" tells both
        if against and not against & here:  # "is not open" and "is closed" are one
            return "opposite", f"{word} became {min(against)}"
    if not line.text.isascii():
        for one, two in _long_poles():
            if one not in line.text or two not in other.text or two in line.text or one in other.text:
                continue
            if one in _PARTS_OF_DAY and any(key.startswith("t:") for key in line.keys & other.keys):
                continue  # 下午三点半 and 15:30
            if agreed and (f"不{one}" in line.text or f"不{two}" in other.text):
                continue  # 不接受 and 拒绝
            if _denies_pole(one, other.text) or _denies_pole(two, line.text):
                continue  # 反对 is 不赞成 there
            if _denied_soon(one, line.text) != _denied_soon(two, other.text):
                continue  # 不能在室外用, 只能在室内用
            if not _only_denied(one, line.text) and not _only_denied(two, other.text):
                return "opposite", f"{one} became {two}"
    return None


_PARTS_OF_DAY = frozenset(("早上", "上午", "下午", "晚上", "白天"))


@cache
def _long_poles() -> tuple[tuple[str, str], ...]:
    """The opposites that are compared as words, either way round."""
    pairs = [
        (left, right)
        for left, right in lexicon.CJK_ANTONYMS
        if len(left) > 1 and len(right) > 1 and left not in ("喜欢", "总是", "经常")
    ]
    return tuple(pair for left, right in pairs for pair in ((left, right), (right, left)))


@cache
def _cjk_poles() -> dict[str, tuple[str, ...]]:
    out: dict[str, list[str]] = {}
    for left, right in lexicon.CJK_ANTONYMS:
        out.setdefault(left, []).append(right)
        out.setdefault(right, []).append(left)
    return {word: tuple(others) for word, others in out.items()}


def _denies_pole(word: str, text: str) -> bool:
    """Whether a Chinese text denies what is the opposite of a word, which says the same."""
    return any(f"不{other}" in text for other in _cjk_poles().get(word, ()))


def _denied_soon(word: str, text: str) -> bool:
    """Whether a denial stands in the same clause shortly before a Chinese word."""
    at = text.find(word)
    return re.search(r"[不没未别勿][^，。；、]{0,4}\Z", text[:at]) is not None


def _only_denied(word: str, text: str) -> bool:
    return f"不{word}" in text and text.count(word) == text.count(f"不{word}")
