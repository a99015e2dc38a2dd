"""Which English words are loosely akin (*atmosphere*, *environment*; *boy*, *boyhood*): less than standing for one another.

A word that is akin to one of the other side may tell what that one tells, so it is no sign of something added or put in its place; it is
no proof that it was told either. ``kin.txt`` is made from WordNet (see ``scripts/build_kin.py``) and read on first use.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from memopt.facts import senses
from memopt.facts.lexicon import words
from memopt.facts.words import stem


@cache
def _rows() -> tuple[dict[str, int], tuple[str, ...]]:
    """(stem to its row, all rows as they are written)."""
    lines = [
        line for line in (Path(__file__).parent / "kin.txt").read_text(encoding="ascii").splitlines() if not line.startswith("#")
    ]
    return {line.split(" ", 1)[0]: at for at, line in enumerate(lines)}, tuple(lines)


@lru_cache(maxsize=4096)
def _after(row: int) -> frozenset[int]:
    """The rows behind one whose words are akin to its own."""
    _, lines = _rows()
    return frozenset(row + int(step, 36) for step in lines[row].split()[2:])


def part_of_speech(root: str) -> str:
    """``n``, ``v``, ``a`` or ``r``: what a stem mostly is; "" where it is not known."""
    return _kind(root)[:1]


def things(root: str) -> frozenset[str]:
    """The sorts of things that a noun names in its first senses, a letter each (see the script): animals, plants, people, artifacts ..."""
    return frozenset(_kind(root)[1:])


SEEN = frozenset("ABFGLOPSTV")
"""Sorts of what can be seen and touched; the others are acts, what is told, events and phenomena."""


@lru_cache(maxsize=16384)
def _kind(root: str) -> str:
    index, lines = _rows()
    row = index.get(root)
    return "" if row is None else lines[row].split(" ", 2)[1]


_ENDINGS = frozenset(
    words(
        "hood ship ful less ness ish i er or r ist st ment al ial ic ical iti ism ion ation tion ition en n like wai wise some abl ibl ous iv ativ dom"
        " e ee l le let ag ward fold man woman person proof free th ian an ant ent anc enc iz is fi at ari eri ri d t ci cy si sy"
    )
)
"""How a stem goes on in words of the same root."""
_HEADS = ("co", "ex", "be", "en", "em", "self-", "ever-", "well-")
_IRREGULAR = {
    pair: root
    for root, group in enumerate(
        """
        strong strength strengthen strongly|long length lengthy lengthen|wide width widen|deep depth deepen|broad breadth broaden|high height heighten|warm warmth
        true truth|young youth|dead death die deadly|sell sale|choose choice|lose loss|live life alive|believe belief|prove proof|grow growth
        speak speech|sing song singer|give gift|fly flight|weigh weight|see sight|think thought thoughtful|know knowledge|advise advice|breathe breath
        bathe bath|serve service|able ability enable|poor poverty|wise wisdom|free freedom|hot heat|proud pride|angry anger|hungry hunger|thirsty thirst
        clean cleanse|shelve shelf|half halve|full fill|food feed|tale tell|tooth teeth dental|mouse mice|foot feet|goose geese|sea marine|sun solar
        pronounce pronunciation|explain explanation|receive receipt reception recipient|deceive deception|describe description|decide decision decisive
        divide division|defend defence defense|offend offence offense|expand expansion|extend extension extent|succeed success|exceed excess
        compete competition competitor|repeat repetition|acquire acquisition|require requirement|destroy destruction|produce production|reduce reduction
        persuade persuasion|conclude conclusion|include inclusion|exclude exclusion|permit permission|admit admission|submit submission|commit commitment
        marry marriage|bury burial|carry carriage|vary variety variation various|rely reliable reliance|apply application applicant|supply supplier
        solve solution|resolve resolution|absent absence|silent silence|patient patience|efficient efficiency|frequent frequency|urgent urgency
        lower low down|higher high rise rose|old older elder eldest big|young younger youngest little|jealous envy|sick ill illness sickness|sad sadden sadness|glad gladden|red redden|widow widower|hero heroine|bride bridal|north northern|south southern
        east eastern|west western|five fifth|twelve twelfth|winter wintry|maintain maintenance|appear appearance|disappear disappearance|arrive arrival
        depart departure|approve approval|refuse refusal|propose proposal|renew renewal|survive survival survivor|remove removal|deny denial|betray betrayal
        intend intention intent|attend attendance|pretend pretense|tense tension|suspect suspicion|suspend suspension|invade invasion|collide collision
        choir choral|nose nasal|mouth oral|moon lunar|city urban civic|country rural|dog canine|cat feline|horse equine equestrian|mother maternal|father paternal
        brother fraternal|parent parental|child childhood childish|king royal|law legal|eye visual|ear aural hearing hear|heart cardiac|brain mental mind|skin dermal
        """.replace("\n", "|").split("|")
    )
    for word in group.split()
    for pair in (stem(word),)
}


def _goes_on(one: str, two: str) -> bool:
    """Whether the longer of two stems is a form of the shorter, or a word made of it and another: *road*, *roadway*."""
    short, long = (one, two) if len(one) <= len(two) else (two, one)
    if len(short) < 3:
        return False
    for cut in (short, short + short[-1], short[:-1] if short[-1] in "iey" and len(short) > 3 else short):
        if long.startswith(cut) and (long[len(cut) :] in _ENDINGS or not long[len(cut) :]):
            return True
    for head in _HEADS:
        if long.startswith(head) and long[len(head) :].lstrip("-") == short:
            return True
    index, _ = _rows()
    for first in (short, short + "e"):  # a stem has lost the e of its word
        if len(first) > 3 and len(long) > len(first) + 2 and long.startswith(first) and stem(long[len(first) :]) in index:
            return True
    return len(short) > 3 and len(long) > len(short) + 2 and long.endswith(short) and stem(long[: -len(short)]) in index


@lru_cache(maxsize=16384)
def _positive(root: str) -> str:
    """The stem of *strong* for that of *stronger* and *strongest*."""
    for ending in ("er", "est"):
        rest = root.removesuffix(ending)
        if rest != root and len(rest) > 3 and part_of_speech(rest) == "a":
            return rest
    return root


@lru_cache(maxsize=65536)
def of_one_root(one: str, two: str) -> bool:
    """Whether two English stems are forms of one word: *boy*, *boyhood*; *strong*, *strength*; *leg*, *three-legged*."""
    one, two = _positive(one.removeprefix("=")), _positive(two.removeprefix("="))
    if one == two:
        return True
    if not one.isascii() or not two.isascii() or not one or not two:
        return False
    if "-" in one or "-" in two:
        mine, theirs = _parts(one), _parts(two)
        return any(a == b or (len(a) > 3 < len(b) and of_one_root(a, b)) for a in mine for b in theirs)
    return _goes_on(one, two) or (one in _IRREGULAR and _IRREGULAR[one] == _IRREGULAR.get(two))


@lru_cache(maxsize=65536)
def akin(one: str, two: str) -> bool:
    """Whether two English stems are loosely akin, by their form or by what they mean; words that stand for one another are."""
    if of_one_root(one, two):
        return True
    one, two = one.removeprefix("="), two.removeprefix("=")
    if not one or not two:
        return False
    if senses.closeness(one, two):
        return True
    index, _ = _rows()
    mine_row, other = index.get(one), index.get(two)
    if mine_row is None or other is None:
        return False
    first, last = sorted((mine_row, other))
    return last in _after(first)


_IDLE = frozenset(
    words(
        "a an the of to in on at by for from with and or but is are was were be been being am has have had having do does did done it its this that these"
        " those he she they his her hers their him them user user's who whom which what as not no so if when while than then there here will would can"
        " could should may might must also very i my me we our you your into out up off over s t"
    )
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@lru_cache(maxsize=4096)
def roots_of(text: str) -> frozenset[str]:
    """The stems of all words of a text that may be akin to others; those in a foreign script left out."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word.isascii() and word not in _IDLE)


def told_in(word: str, text: str, *, loosely: bool) -> bool:
    """Whether a text has a word of the same root as a stem, or loosely one that is akin to it."""
    return any((akin if loosely else of_one_root)(word, other) for other in roots_of(text))


def _parts(root: str) -> tuple[str, ...]:
    """A compound with a hyphen as the stems of its parts, those of two letters left out: *three-legged*."""
    if "-" not in root:
        return (root,)
    parts = (stem(stem(part)) for part in root.split("-") if len(part) > 2)
    return tuple(stem(part) for part in parts if part)


__all__ = ["SEEN", "akin", "of_one_root", "part_of_speech", "roots_of", "things", "told_in"]
