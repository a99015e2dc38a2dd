"""Whether a noun of an English sentence stands where a sentence that tells the same has another one: *gets stuck on macros*, *on lifetimes*.

A paraphrase has nouns of its own, too. So a noun counts as put in the place of another only where neither it nor any word for it is on
the other side, and both stand in the same place: before the same word (*clothing store*, *jewelry store*), behind the same word with the
same preposition (*visits a hospital*, *visiting a prison*), or alone as the reason for the same (*because of allergies*).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from memopt.facts import kinds, lexicon
from memopt.facts.kin import akin, part_of_speech, things
from memopt.facts.poles import poles
from memopt.facts.sorts import near, siblings, sort_of
from memopt.facts.words import stem
from memopt.verify.added import FILLING
from memopt.verify.lines import Told, is_cjk, item_keys, weigh
from memopt.verify.stance import meet


class Instead(NamedTuple):
    """Where a noun stands in the place of another: offsets in the text, and both nouns as written."""

    start: int
    end: int
    told: str
    said: str


class _Piece(NamedTuple):
    """A word or an item of a sentence: offsets, and the stem or the keys under which it is looked for."""

    start: int
    end: int
    root: str
    keys: frozenset[str]
    noun: str = ""  # the key under which its sort is found, where it is a noun


class _Place(NamedTuple):
    """What stands around a noun: the word before it and behind it with the small words between; None where there is none.

    Attributes:
        modifies: whether the word behind it is a noun of which it says more: *clothing* in *clothing store*.
        next: the word right behind it.
    """

    before: _Piece | None
    led: frozenset[str]
    behind: _Piece | None
    leads: frozenset[str]
    modifies: bool
    next: _Piece | None = None


_LEFT_OUT = frozenset(
    lexicon.words("a an the his her their its my our your this that some any own new s is are was were be been to")
)
_STOPS = re.compile(r"[,;.:()!?–—]|\b(?:and|or|but|while|who|which|because|since)\b", re.I)
_GAP = re.compile(r"(?:['’]s?)?[\s-]*")
_LEAST = 0.6
_LONGEST = 600


@lru_cache(maxsize=4096)
def _row(
    told_text: str, words: tuple[tuple[str, int, int], ...], items: tuple[tuple[int, int, frozenset[str]], ...]
) -> tuple[_Piece, ...]:
    pieces = [_Piece(start, end, root, frozenset((root,)), _noun(root, told_text[start:end])) for root, start, end in words]
    pieces += [
        _Piece(start, end, "", keys)
        for start, end, keys in items
        if not any(start < one.end and one.start < end for one in pieces)
    ]
    return tuple(sorted(pieces))


def _noun(root: str, written: str) -> str:
    """The key of a noun's sort; "" where a word is none: *stolen* is no *steal*, and *goes round* tells of no round."""
    if written.casefold() in lexicon.IRREGULAR and part_of_speech(root) == "v":
        return ""
    own = "=" + written.casefold()
    if part_of_speech(root) in ("a", "r") and not written.endswith("s") and sort_of(own) is None:
        return ""
    return own if sort_of(own) is not None else root if sort_of(root) is not None or kinds.has_kind(root) else ""


def _pieces(told: Told) -> tuple[_Piece, ...]:
    words = tuple((word.stem, word.start - told.start, word.end - told.start) for word in told.words if weigh(word.stem))
    items = tuple((item.start - told.start, item.end - told.start, item_keys(item)) for item in told.items if not item.weak)
    names = tuple(item.start - told.start for item in told.items if item.kind == "name" and not item.weak)
    return tuple(piece._replace(noun="") if piece.start in names else piece for piece in _row(told.text, words, items))


def _small(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", text.lower())) - _LEFT_OUT


def _place(text: str, row: Sequence[_Piece], at: int) -> _Place:
    first = at
    while first and _GAP.fullmatch(text[row[first - 1].end : row[first].start]) and row[first - 1].noun:
        first -= 1  # fridge magnets
    before, led = None, frozenset[str]()
    if first:
        between = text[row[first - 1].end : row[first].start]
        if not _STOPS.search(between):
            before, led = row[first - 1], _small(between)
    behind, leads, modifies, following = None, frozenset[str](), False, None
    if at + 1 < len(row):
        between = text[row[at].end : row[at + 1].start]
        if _GAP.fullmatch(between):
            following = row[at + 1]
            modifies = bool(following.noun)
        elif not _STOPS.search(between):
            behind, leads = row[at + 1], _small(between)
    return _Place(before, led, behind, leads, modifies, following)


def _match(one: _Piece | None, two: _Piece | None) -> bool:
    if one is None or two is None:
        return False
    if not one.keys.isdisjoint(two.keys):
        return True
    return bool(one.root and two.root) and meet(one.root, two.root)


def _same_place(one: _Place, two: _Place) -> bool:
    """Whether two nouns stand in one place."""
    if _match(one.next, two.next):
        return True
    if one.modifies or two.modifies:
        return False
    if one.led == two.led and _match(one.before, two.before):
        return True
    return bool(one.leads) and one.leads == two.leads and _match(one.behind, two.behind)


_REASON = re.compile(
    r"\b(?:because of|because|due to|on account of|owing to|thanks to|as a result of|for reasons of)\b(?P<why>[^,;.:()]*)", re.I
)


def instead(one: Told, two: Told, told_there: Callable[[str], bool], told_here: Callable[[str], bool]) -> Instead | None:
    """Whether the first sentence has a noun in the place of one of the second.

    Args:
        told_there: whether a word, or one for it, is told anywhere on the side of the second sentence.
        told_here: the same of the side of the first.
    """
    both = one.text + two.text
    if max(len(one.text), len(two.text)) > _LONGEST or (not both.isascii() and any(map(is_cjk, both))):
        return None
    mine, theirs = _pieces(one), _pieces(two)
    new = [at for at, piece in enumerate(mine) if _is_noun(piece, one.text) and not told_there(piece.root)]
    gone = [at for at, piece in enumerate(theirs) if _is_noun(piece, two.text) and not told_here(piece.root)] if new else []
    for at in new:
        place = _place(one.text, mine, at)
        for other in gone:
            if not _may_stand_for(mine[at], theirs[other]) and _same_place(place, _place(two.text, theirs, other)):
                return _instead(one, two, mine[at], theirs[other])
    left = [(at, _way(one.text, mine, at)) for at in _last_of(one.text, mine, new)]
    right = [(at, _way(two.text, theirs, at)) for at in _last_of(two.text, theirs, gone)]
    for way in ("where", "to", "why"):
        told, said = ([at for at, found in side if found == way] for side in (left, right))
        if len(told) == len(said) == 1:
            noun, other_noun = mine[told[0]], theirs[said[0]]
            if _one_kind(noun, other_noun, way) and not _may_stand_for(noun, other_noun):
                return _instead(one, two, noun, other_noun)
    here, there = _REASON.search(one.text), _REASON.search(two.text)
    if here is not None and there is not None:
        why = [piece for piece in mine if here.start("why") <= piece.start < here.end("why")]
        cause = [piece for piece in theirs if there.start("why") <= piece.start < there.end("why")]
        if (
            any(piece.noun for piece in why)
            and any(piece.noun for piece in cause)
            and not any(piece.root and weigh(piece.root) >= _LEAST and told_there(piece.root) for piece in why)
            and not any(piece.root and weigh(piece.root) >= _LEAST and told_here(piece.root) for piece in cause)
        ):
            return Instead(here.start("why"), here.end("why"), here["why"].strip(), there["why"].strip())
    return (
        _modified_otherwise(one, two, mine, theirs, told_there, told_here)
        or _only_one(one, two, mine, theirs, told_there, told_here)
        or _in_another_manner(one, two, told_there, told_here)
    )


_MANNER = re.compile(r"\b[a-z]{2,}ly\b")
_NO_MANNER = frozenset(
    lexicon.words(
        """
    family only early daily weekly monthly yearly hourly nightly quarterly biweekly fortnightly really likely unlikely nearly mainly mostly
    recently currently previously formerly actually especially particularly approximately roughly reply apply supply friendly lonely ugly
    silly lovely elderly july italy assembly fly rely jelly belly bully holy rally ally multiply imply comply tally folly lily ply sly
    usually normally typically generally commonly regularly frequently occasionally rarely constantly continually repeatedly finally lastly
    firstly initially originally eventually ultimately suddenly shortly lately newly formally officially fully completely entirely wholly
    totally absolutely partly partially largely highly deeply greatly truly certainly surely probably possibly definitely simply merely
    exactly precisely specifically namely additionally similarly accordingly consequently hardly barely scarcely slightly fairly relatively
    exclusively solely primarily chiefly predominantly nominally technically apparently reportedly allegedly hopefully unfortunately
    fortunately luckily sadly immediately instantly directly subsequently simultaneously jointly respectively annually temporarily
    permanently friendly costly curly woolly chilly hilly smelly bubbly cuddly worldly orderly scholarly neighbourly neighborly
    """
    )
)
"""Words in -ly that do not say in which manner something is done."""


def _in_another_manner(
    one: Told, two: Told, told_there: Callable[[str], bool], told_here: Callable[[str], bool]
) -> Instead | None:
    """Whether each of two sentences that tell the same has one word for the manner, and they have nothing to do with each other."""
    mine, theirs = ([each for each in _MANNER.finditer(side.text) if each[0] not in _NO_MANNER] for side in (one, two))
    if len(mine) != 1 or len(theirs) != 1:
        return None
    told, said = mine[0], theirs[0]
    root, other = stem(told[0]), stem(said[0])
    if told_there(root) or told_here(other) or akin(root, other):
        return None
    return Instead(told.start(), told.end(), told[0], said[0])


_BEFORE_MODIFIER = re.compile(
    r"(?:\A|[,;:(]\s*|\b(?:an?|the|his|her|their|its|my|our|whose|some|any|every|each|of|in|on|at|with|for|from|to|by|about|into|[\w-]+['’]s?|\d+))\s*\Z",
    re.I,
)
_FIGURE = re.compile(r"(?:['’]s?)?[\s-]*(?:\d[\d.,]*\s?(?:%|percent|per cent|[a-z]{1,3}\b)?\s*)?")


def _modified_otherwise(
    one: Told,
    two: Told,
    mine: Sequence[_Piece],
    theirs: Sequence[_Piece],
    told_there: Callable[[str], bool],
    told_here: Callable[[str], bool],
) -> Instead | None:
    """Whether a word says something else of the same noun: *a flooded building*, *a burning building*; *unit tests*, *integration tests*."""
    new = _modifiers(one.text, mine, told_there)
    gone = _modifiers(two.text, theirs, told_here, general=True) if new else []
    for piece, head in new:
        for other, other_head in gone:
            if (
                _match(head, other_head)
                and not _on_one_axis(one, two, piece, other)
                and not any(_is_akin(piece, each) for each in theirs if each.root)
                and not any(_is_akin(other, each) for each in mine if each.root)
            ):
                return _instead(one, two, piece, other)
    return None


def _modifiers(
    text: str, row: Sequence[_Piece], told: Callable[[str], bool], *, general: bool = False
) -> list[tuple[_Piece, _Piece]]:
    """The words without a counterpart that stand right before a noun and say what it is like, each with that noun.

    Args:
        general: also those that a rewrite puts in or leaves out without saying more: *birthday* in *birthday party*.
    """
    out = []
    for at, piece in enumerate(row):
        if (
            not piece.root
            or not piece.root.isascii()
            or weigh(piece.root) < _LEAST
            or piece.root[0].isdigit()  # the ninth
            or piece.root in _GENERAL
            or (piece.root in FILLING and not general)
            or told(piece.root)
        ):
            continue
        kind = part_of_speech(piece.root)
        written = text[piece.start : piece.end]
        if (
            kind not in ("n", "a")
            and not (not kind and _RARE.fullmatch(written))
            and not (kind == "v" and written.endswith(("ed", "ing", "en")))
        ):
            continue
        if not _BEFORE_MODIFIER.search(text[max(0, piece.start - _BEFORE) : piece.start]):
            continue
        head = next((each for each in row[at + 1 :] if each.root), None)
        if (
            head is not None
            and _FIGURE.fullmatch(text[piece.end : head.start])
            and (head.noun or part_of_speech(head.root) == "n")
        ):
            out.append((piece, head))
    return out


def _only_one(
    one: Told,
    two: Told,
    mine: Sequence[_Piece],
    theirs: Sequence[_Piece],
    told_there: Callable[[str], bool],
    told_here: Callable[[str], bool],
) -> Instead | None:
    """Whether one thing is left over in each of two sentences, both of one sort: *collects jerseys*, *is a collector of sneakers*."""
    new = _things(one.text, mine, theirs, told_there)
    gone = _things(two.text, theirs, mine, told_here) if new else []
    strange = [piece for piece in mine if piece.root and kinds.has_kind(piece.root) and not told_there(piece.root)]
    missing = (
        [piece for piece in theirs if piece.root and kinds.has_kind(piece.root) and not told_here(piece.root)] if strange else []
    )
    kin = [(piece, other) for piece in strange for other in missing if kinds.rivals(piece.root, other.root)]
    if len(kin) == 1 and not _on_one_axis(one, two, *kin[0]):
        return _instead(one, two, *kin[0])
    for piece in strange:
        if piece.root in FILLING and piece.root not in _PLAIN:
            continue
        if piece.root in _GENERAL and not _place(one.text, mine, mine.index(piece)).modifies:
            continue  # back in 2022
        nouns = [each for each in theirs if each.noun and _is_named(each, two.text)]
        if any(_is_akin(piece, each) for each in nouns):
            continue
        kin = [(piece, other) for other in nouns if kinds.rivals(piece.root, other.root)]
        if kin and not any(_on_one_axis(one, two, *pair) for pair in kin):
            return _instead(one, two, *kin[0])
    for sort in sorted(_SORTS) if new and gone else ():
        pieces = [piece for piece in new if sort in _sorts(piece, one.text)]
        others = [piece for piece in gone if sort in _sorts(piece, two.text)]
        if len(pieces) != 1 or len(others) != 1 or _close(pieces[0], others[0]):
            continue
        if not _on_one_axis(one, two, pieces[0], others[0]):
            return _instead(one, two, pieces[0], others[0])
    return None


_DETERMINER = r"(?:an?|the|his|her|their|its|my|our|whose|some|any|every|each)"
_DETERMINED = re.compile(rf"\b{_DETERMINER}\s+\Z", re.I)
_RARE = re.compile(r"[a-z]{4,}(?<!ed)(?<!ly)")
_LIKE = {"O": "L", "N": "E"}
"""A canal is an object and a cemetery a place."""
_SORTS = frozenset("ABCDEFGLPSTV")


def _sorts(piece: _Piece, text: str) -> frozenset[str]:
    """The sorts of things that a word may name: any, if it is a rare word of which nothing is known (*lorry*)."""
    if part_of_speech(piece.root):
        return frozenset(_LIKE.get(sort, sort) for sort in things(piece.root))
    return _SORTS if _RARE.fullmatch(text, piece.start, piece.end) else frozenset()


def _on_one_axis(one: Told, two: Told, piece: _Piece, other: _Piece) -> bool:
    """Whether two words are poles of one axis: what that means is looked at where poles are compared."""

    def axes(text: str, each: _Piece) -> set[object]:
        return {pole.axis for pole in poles(text) if pole.start < each.end and each.start < pole.end}

    return not axes(one.text, piece).isdisjoint(axes(two.text, other))


def _things(text: str, row: Sequence[_Piece], other: Sequence[_Piece], told: Callable[[str], bool]) -> list[_Piece]:
    """The things named by a sentence that are told nowhere else and are not even akin to a word of the other sentence."""
    out: list[_Piece] = []
    for at, piece in reversed(list(enumerate(row))):
        if not piece.root or piece.root[0].isdigit() or not _sorts(piece, text) or weigh(piece.root) < _LEAST:
            continue
        if piece.root in _GENERAL or (piece.root in FILLING and piece.root not in _PLAIN and piece.noun[:1] != "="):
            continue  # the stem of "car" is that of "care", too
        if told(piece.root):
            continue
        written = text[piece.start : piece.end]
        if (
            written.endswith("ed")
            or " " in written
            or (written.endswith("ing") and not _INGS.fullmatch(written) and part_of_speech(piece.root))
        ):
            continue
        if not _is_named(piece, text):
            continue
        if out and at + 1 < len(row) and out[-1] == row[at + 1] and out[-1].start - piece.end <= 1:
            continue  # it only says what the next one is: "film producers"
        if not any(_is_akin(piece, each) for each in other if each.root):
            out.append(piece)
    return out[::-1]


def _is_named(piece: _Piece, text: str) -> bool:
    """Whether a word is a noun where it stands."""
    before = text[: piece.start][-_BEFORE:]
    kind = part_of_speech(piece.root)
    if kind:
        return kind == "n" or _DETERMINED.search(before) is not None
    return not _BEFORE_VERB.search(before) and not _BEHIND_VERB.match(text, piece.end)


_BEFORE_VERB = re.compile(
    r"(?:\A|[,;:.]\s*|\b(?:to|and|or|but|who|which|that|he|she|they|it|user|we|not|also|often|always|never|will|would|can|could|should|must|may"
    r"|might|does|do|did)\s+)\Z",
    re.I,
)
_BEHIND_VERB = re.compile(r"\s+(?:an?|the|his|her|their|its|him|them|it|up|out|off|down|away|back)\b", re.I)
"""Where a word of which nothing is known is likelier a verb: *they lug the sofa*."""
_INGS = re.compile(
    r"[a-z]{0,3}ing|\w*(?:build|wedd|even|morn|paint|earr|ceil|plumb|cloth|furnish|dress|stock|pudd|gard|sibl|duck|herr|inkl)ing"
)
"""Words in -ing that name things, and no deeds."""
_PLAIN = frozenset(
    stem(word)
    for word in lexicon.words(
        "book movie phone computer clock music sport song game meal school home house birthday email letter message boy girl"
    )
)
"""General words that name things nevertheless."""


def _is_akin(one: _Piece, two: _Piece) -> bool:
    return akin(one.root, two.root) and not kinds.rivals(one.root, two.root)


def _close(one: _Piece, two: _Piece) -> bool:
    """Whether two nouns name sorts of the same, which is not something that everything is (*person*)."""
    return near(one.noun, two.noun) and siblings(one.noun) <= _FEW


_FEW = 12


def _last_of(text: str, row: Sequence[_Piece], nouns: Sequence[int]) -> list[int]:
    """Of nouns that stand side by side the last one, which says what it is: *gym* in *a climbing gym*."""
    return [at for at in nouns if not (at + 1 in nouns and _GAP.fullmatch(text[row[at].end : row[at + 1].start]))]


_WHERE = re.compile(
    r"\b(?:in|at|on|inside|behind|under|above|near)(?: (?:a|an|the|his|her|their|its|some|one))?(?: [\w'’-]+)?\s*\Z", re.I
)
_TO = re.compile(r"\b(?:to|for|with)(?: (?:a|an|the|his|her|their|some))?\s*\Z", re.I)
_WHY = re.compile(
    r"\b(?:due to|because of|owing to|on account of|thanks to)(?: (?:a|an|the|his|her|their|some))?(?: \w+)?\s*\Z", re.I
)
_THEREFORE = re.compile(
    r"\s*(?:has |have |had )?(?:led to|caused|forced|resulted in|meant|was the reason|is the reason|was why|is why"
    r"|(?:made|makes|kept|keeps|stopped|stops|prevented|prevents|delayed|cost) (?!by\b|up\b|to\b))",
    re.I,
)
_BEFORE = 30


def _way(text: str, row: Sequence[_Piece], at: int) -> str | None:
    """What a noun tells of a sentence by the small words at it: where, to whom, or why; None where they tell nothing."""
    before = text[max(0, row[at].start - _BEFORE) : row[at].start]
    if _WHY.search(before) or _THEREFORE.match(text, row[at].end):
        return "why"
    return "to" if _TO.search(before) else "where" if _WHERE.search(before) else None


def _one_kind(one: _Piece, two: _Piece, way: str) -> bool:
    """Whether two nouns name things of one sort, as far as is known, so that they answer the same question."""
    mine, theirs = sort_of(one.noun), sort_of(two.noun)
    return way == "why" or mine is None or theirs is None or mine.name == theirs.name


_GENERAL = frozenset(
    stem(word)
    for word in lexicon.words(
        "type group set class category variety range series version model brand piece item object product service unit center centre facility place spot"
        " property feature element detail point bit lot instrument equipment gear stuff building floor room goods living trade calling"
        " parent owner member fan lover holder keeper participant resident victim sufferer enthusiast user guy"
        " bottom top end start side corner middle front back edge left right foot head face hand part half rest piece bit"
    )
)
"""What may stand for nearly any noun."""


def _instead(one: Told, two: Told, mine: _Piece, theirs: _Piece) -> Instead:
    return Instead(mine.start, mine.end, one.text[mine.start : mine.end], two.text[theirs.start : theirs.end])


def _is_noun(piece: _Piece, text: str) -> bool:
    return bool(piece.noun) and piece.root not in FILLING | _GENERAL and weigh(piece.root) >= _LEAST and _is_named(piece, text)


def _may_stand_for(one: _Piece, two: _Piece) -> bool:
    """Whether two nouns may be one thing: sorts of the same, or somebody and what makes somebody that (*student*, *degree*)."""
    if kinds.rivals(one.root, two.root):
        return False
    if one.root and two.root and akin(one.root, two.root):
        return True
    mine, theirs = sort_of(one.noun), sort_of(two.noun)
    return near(one.noun, two.noun) or (
        mine is not None and theirs is not None and (mine.name == "person") != (theirs.name == "person")
    )


__all__ = ["Instead", "instead"]
