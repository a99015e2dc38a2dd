"""Whether two sentences bind the same words to each other: whose age it is, who beats whom, what is drunk and what is eaten.

``exchanged`` looks at the segments of a few lines of each side that tell of the same: where a segment of the rewrite has words of
two segments of the sources, and another one has what is left of both, something was exchanged, if what changed places is of one kind
and stood at the same place in both. ``paired`` reads lists (*Ann and Ben are 34 and 38*), ``roles`` who does something to whom.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations, pairwise
from typing import Literal, NamedTuple

from memopt.facts import lexicon, senses
from memopt.facts.items import Item
from memopt.facts.polarity import segments
from memopt.facts.poles import poles
from memopt.facts.words import fold, stem, tokens
from memopt.verify.lines import Told, is_cjk, item_keys, once_a_sentence, weigh
from memopt.verify.stance import meet

_MOST = 8
"""Lines of more segments than this are lists of their own, and not judged."""
_NUMERIC = frozenset(("number", "quantity", "money", "percent", "time", "date", "weekday"))


class Exchange(NamedTuple):
    """What stands with another's words: offsets in the text of the line of the rewrite, and the segment of the source it belongs to."""

    start: int
    end: int
    detail: str
    line: int  # which of the lines of the sources tells it
    source_start: int


class Piece(NamedTuple):
    """A telling word, name or figure of a sentence, with its offsets in the text."""

    kind: str  # name, value or word
    keys: frozenset[str]
    start: int
    end: int
    shown: str
    near: str = ""  # the axis and its pole
    often: bool = False  # it stands in several segments of the rewrite


def _exact(item: Item) -> frozenset[str]:
    """The keys of a figure without what only follows from it: 3 June and 5 June are not one because of their month."""
    return item.keys | {key for key in item_keys(item) if key.startswith("#:")}


class Part(NamedTuple):
    """A segment of a line: its offsets in the line's text, and what in it tells something, in order."""

    line: int
    start: int
    end: int
    words: tuple[Piece, ...]
    text: str  # of the whole line


def _kind(item: Item) -> str:
    return "value" if item.kind in _NUMERIC else "name" if item.kind == "name" else ""


Grain = Literal["segment", "clause", "line"]
"""How finely a line is cut: at every comma and conjunction, into whole clauses, or not at all."""
_HANGS_ON = re.compile(
    r"[\s,;:(]*(?:(?:who|whom|whose|which|that|where|when|since|because|due|thanks|with|without|of|in|on|at|for|from|to|by|as|about|after|before|until|till|during"
    r"|is|are|was|were|has|have|had|will|does|did|not|named|called|aged|around|a|an|one of|both|all|\d[\d.,:]*)\b|\()",
    re.I,
)
"""What begins like this goes on with what stands before it, and is no clause of its own."""


def _spans(text: str, grain: Grain) -> list[tuple[int, int]]:
    spans = segments(text, fine=True)
    if len(spans) > _MOST:
        return []
    if grain == "line":
        return [(0, len(text))]
    if grain == "clause":
        out: list[tuple[int, int]] = []
        for left, right in spans:
            if out and (_HANGS_ON.match(text, left, right) or not any(char.isalnum() for char in text[left:right])):
                out[-1] = (out[-1][0], right)
            else:
                out.append((left, right))
        return out
    return spans


def parts(told: Told, line: int, ignored: frozenset[str], grain: Grain = "segment") -> list[Part]:
    """The pieces of a line with their telling words; [] where there are too many."""
    spans = _spans(told.text, grain)
    if not spans:
        return []
    found: list[Piece] = []
    covered: list[tuple[int, int]] = []
    loose: list[tuple[int, int]] = []  # of figures that say little alone: the *once* and *a month* of *once a month*
    for item in told.items:
        kind = _kind(item)
        at, end = item.start - told.start, item.end - told.start
        if kind == "name" and all(stem(part) in ignored for part in item.norm.split()):
            kind = ""
        if kind == "name":
            if item.weak and senses.is_common(item.surface):
                kind = "word"  # "Invoices go to Ann"
            found.append(Piece(kind, item_keys(item) | {stem(part) for part in item.norm.split()}, at, end, item.surface))
        elif kind and (not item.weak or item.kind == "weekday"):
            found.append(Piece(kind, _exact(item), at, end, item.surface))
        elif kind:
            loose.append((at, end))
            continue
        covered.append((at, end))
    for pole in poles(told.text):
        # what holds one place of an axis is of one kind with the others: mangoes and strawberries, the brother and the sister
        if (
            pole.way == "told"
            and " " not in pole.word
            and not any(left < pole.end and pole.start < right for left, right in covered)
        ):
            shown = told.text[pole.start : pole.end]
            near = f"{pole.axis}:{pole.value}"
            found.append(Piece(f"axis {pole.axis}", frozenset((stem(pole.word),)), pole.start, pole.end, shown, near))
            covered.append((pole.start, pole.end))
    covered += loose
    for place in _USER.finditer(told.text):
        found.append(Piece("word", _OF_USER, place.start(), place.end(), place[0]))
    for word in told.words:
        at, end = word.start - told.start, word.end - told.start
        if word.stem in ignored or not weigh(word.stem) or any(left < end and at < right for left, right in covered):
            continue
        if told.text[at:end] in _SAYS_HOW:
            continue
        kind = "name" if not word.stem.isascii() and word.stem in senses.same_names() else "word"
        found.append(Piece(kind, frozenset((word.stem,)), at, end, told.text[at:end]))
    out = []
    for left, right in spans:
        mine = tuple(sorted((word for word in found if left <= word.start < right), key=lambda word: word.start))
        if mine:
            out.append(Part(line, left, right, mine, told.text))
    return out


_SAYS_HOW = frozenset(
    lexicon.words(
        """主要 大约 大概 左右 目前 现在 如今 通常 一般 经常 常常 时常 总是 总 特别 非常 十分 比较 相当 最 更 已经 正在 一直 仍然 依然
        还是 其实 主要负责 主要用 大多 多数 基本 几乎 差不多 尤其 专门 一共 总共 合计 共计 因为 所以 由于 因此 为了 并且 而且 不过 但是 然后 之后 以后 进行"""
    )
)
"""Chinese words that say how much, how often or why, of whatever stands beside them: nothing is told of one of them."""


@lru_cache(maxsize=16384)
def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if not one.isdisjoint(other):
        return True
    return any(meet(mine, theirs) for mine in one if ":" not in mine for theirs in other if ":" not in theirs)


_OF_USER = frozenset(("^",))
_USER = re.compile(r"\b(?:the )?user\b(?!['’]s)|用户(?!的)", re.I)


def _fits(word: Piece, other: Piece) -> bool:
    return (word.kind == "value") == (other.kind == "value")


_SEVERAL = 3
"""A name that stands in more segments of the rewrite than this is bound to none of them."""
_Index = dict[tuple[bool, str], list[int]]


def _index(among: Sequence[Part]) -> _Index:
    """Which segments have a key, of figures and of others apart."""
    out: _Index = defaultdict(list)
    for at, part in enumerate(among):
        for word in part.words:
            for key in word.keys:
                out[word.kind == "value", key].append(at)
    return out


def _places(word: Piece, among: Sequence[Part], index: _Index) -> list[int]:
    """Which segments have a word: as it is, else one that may stand for it."""
    exact = sorted({at for key in word.keys for at in index.get((word.kind == "value", key), ())})
    if exact:
        return exact
    return [at for at, part in enumerate(among) if any(same_thing(word, one) for one in part.words)]


def exchanged(
    mine: Sequence[Part],
    theirs: Sequence[Part],
    own: int,
    *,
    clauses: bool = False,
    elsewhere: Sequence[Part] = (),
    far: bool = False,
) -> Exchange | None:
    """Whether something changed places between two segments.

    Args:
        mine: segments of the rewrite; one of the exchange is in its line ``own``.
        theirs: segments of the sources.
        clauses: they are whole clauses, so that what stands in one of them is told of one thing.
        elsewhere: other lines of the sources: what one of them binds together is right in the rewrite.
        far: the lines need not tell of the same, so that only names, figures and things of one kind may have changed places.
    """
    if len(mine) < 2 or len(theirs) < 2:
        return None
    in_mine, in_theirs = _index(mine), _index(theirs)
    told: list[
        dict[int, list[Piece]]
    ] = []  # for each segment of the sources, its words by the one segment of the rewrite that has them
    for at, part in enumerate(theirs):
        words: dict[int, list[Piece]] = {}
        for word in part.words:
            if clauses and word.keys == _OF_USER:
                continue  # most clauses are told of the user
            # what stands in several segments belongs to none of them alone
            if _places(word, theirs, in_theirs) != [at]:
                continue
            places = _places(word, mine, in_mine)
            if len(places) > 1 and (word.kind != "name" or len(places) > _SEVERAL):
                continue
            for place in places:
                word = word._replace(often=len(places) > 1)
                held = words.setdefault(place, [])
                if held and word.kind == held[-1].kind == "word" and word.start <= held[-1].end + 1:
                    held[-1] = held[-1]._replace(end=word.end, keys=held[-1].keys | word.keys)  # "birch pollen" is one thing
                else:
                    held.append(word)
        told.append(words)
    for one, left in enumerate(told):
        for two, right in enumerate(told):
            for first in left.keys() & right.keys():
                if one == two or mine[first].line != own or _same_two(theirs[one], theirs[two]):
                    continue
                for second in (left.keys() & right.keys()) - {first}:
                    found = _crossed(left, right, first, second) or (clauses and _bound(left, right, first, second)) or None
                    if found is not None:
                        anchor, word, lost, other = found
                        if _one_of(found) or (far and "word" in (word.kind, lost.kind)):
                            continue  # two words for one thing: nothing was exchanged
                        if any(_has(part, anchor) and _has(part, word) for part in elsewhere):
                            continue
                        if _listed(theirs, one, two, lost, word) or _listed(theirs, one, two, anchor, other):
                            continue
                        shown = f"{word.shown}: told of {anchor.shown}, and {lost.shown} of {other.shown}"
                        return Exchange(mine[first].start, mine[first].end, shown, theirs[one].line, theirs[one].start)
    return None


def _one_of(found: Sequence[Piece]) -> bool:
    """Whether two of four words stand for one another, or one of them tells of nothing: *reminds* and *a reminder*, *kids* and *children*."""
    words = [word for word in found if word.kind == "word"]
    if any(_stand_for(one, other) or _same_span(one, other) for one, other in combinations(words, 2)):
        return True
    light = [word.kind == "word" and not word.keys.isdisjoint(_LIGHT) for word in found]
    return len(words) == len(found) and sum(light) > 1


def _stand_for(one: Piece, other: Piece) -> bool:
    return any(mine == theirs or senses.closeness(mine, theirs) >= senses.BY_HAND for mine in one.keys for theirs in other.keys)


def _same_span(one: Piece, other: Piece) -> bool:
    """Whether two words tell the same of how often: 每月, 每个月; 每周, 每星期."""
    left, right = (  # of Chinese ones
        word.shown.replace("个", "").replace("星期", "周").replace("礼拜", "周") for word in (one, other)
    )
    return left == right


_LIGHT = frozenset(
    stem(word)
    for word in lexicon.words("use cause make have include need want start keep go get take find do give come lead let")
)


def _has(part: Part, word: Piece) -> bool:
    return any(_fits(word, one) and _alike(word.keys, one.keys) for one in part.words)


def same_thing(one: Piece, other: Piece) -> bool:
    """Whether two pieces tell the same: a figure, a pole of one axis, or words that may stand for one another."""
    return _fits(one, other) and ((one.near != "" and one.near == other.near) or _alike(one.keys, other.keys))


def _same_two(one: Part, two: Part) -> bool:
    """Whether two pieces tell of the same two people or things: what is told of each is bound to its name, not to the piece."""
    mine, theirs = ([word.keys for word in part.words if word.kind == "name"] for part in (one, two))
    return sum(any(not keys.isdisjoint(other) for other in theirs) for keys in dict.fromkeys(mine)) >= 2


def _listed(theirs: Sequence[Part], one: int, two: int, lost: Piece, word: Piece) -> bool:
    """Whether both stand in one list, of which the order tells nothing: *with A | and B every day*."""
    if theirs[one].line != theirs[two].line:
        return False
    if one > two:
        one, two, lost, word = two, one, word, lost
    between = theirs[one].text[lost.end : word.start]
    if between.strip() == "，" and len(theirs[two].words) > 2:
        return False  # 用英文回答，代码注释用中文: two clauses
    return (
        lost.kind != "value"
        and re.fullmatch(r"\s*(?:[,，、/&+]|\b(?:and|or)\b|[和与及或])?\s*(?:and |or )?(?:the |a |an )?", between) is not None
    )


def _crossed(
    left: dict[int, list[Piece]], right: dict[int, list[Piece]], first: int, second: int
) -> tuple[Piece, Piece, Piece, Piece] | None:
    """What ``first`` kept of one segment of the sources and took of another, and ``second`` took and kept in turn."""
    all_left, all_right = [
        sorted({word for words in side.values() for word in words}, key=lambda word: word.start) for side in (left, right)
    ]
    anchors, others = _once(left[first]), _once(right[second])
    given, taken = _apart(left[second], left[first]), _apart(right[first], right[second])
    kept = next(
        ((one, two) for one in anchors for two in others if _parallel(one, all_left, two, all_right)),
        None,
    )
    if kept is None:
        return None
    for word in taken:
        for lost in given:
            if _family(word) == "word" and (len(taken) > 1 or len(given) > 1):
                continue
            if (word.often or lost.often) and _family(word) == "word":
                continue
            if _parallel(word, all_right, lost, all_left):
                return kept[0], word, lost, kept[1]
    return None


def _apart(words: Sequence[Piece], others: Sequence[Piece]) -> list[Piece]:
    """The words that one segment of the rewrite has and another has not."""
    return [word for word in words if word not in others]


def _once(words: Sequence[Piece]) -> list[Piece]:
    """The words that stand in one segment of the rewrite alone."""
    return [word for word in words if not word.often]


def _bound(
    left: dict[int, list[Piece]], right: dict[int, list[Piece]], first: int, second: int
) -> tuple[Piece, Piece, Piece, Piece] | None:
    """The same of whole clauses, in whatever words: each has a telling word of both, and what tells something stands in one alone."""
    four = [_tellingest(_once(words)) for words in (left[first], right[first], left[second], right[second])]
    one, two, three, last = four
    if one and two and three and last and _who(one) == _who(two) != _who(three) == _who(last):
        return None  # both people here, both things there: two sentences tell of both
    return (one, two, three, last) if one and two and three and last else None


_TELLS = 0.5
"""A word that weighs as much as this tells something of its clause."""


def _tellingest(words: Sequence[Piece]) -> Piece | None:
    """The word that says most of what a clause is about; None where none does."""
    best = max(words, key=_telling, default=None)
    return best if best is not None and _telling(best) >= _TELLS else None


def _telling(word: Piece) -> float:
    if word.kind != "word":
        return 1.0
    return max((weigh(key) for key in word.keys if key != "^" and ":" not in key), default=0.0)


def _who(word: Piece) -> str:
    """The family of a word, those for relatives being people's like names."""
    return "name" if not word.keys.isdisjoint(_KIN) else _family(word)


def _family(word: Piece) -> str:
    return word.kind if word.kind in ("value", "name") else "word"


def _rank(word: Piece, words: Sequence[Piece], broad: bool) -> tuple[int, int]:
    same = [other for other in words if (_family(other) == _family(word) if broad else other.kind == word.kind)]
    at = same.index(word)
    return at, len(same) - at


def _parallel(word: Piece, of: Sequence[Piece], other: Piece, within: Sequence[Piece]) -> bool:
    """Whether two words are of one kind and stand at the same place among those of their kind."""
    for first, second in ((word, other), (other, word)):
        if first.keys == _OF_USER and first.shown.isascii() and second.kind == "word" and second.keys.isdisjoint(_KIN | _OF_USER):
            return False  # the user changes places with somebody
    for broad in (False, True):
        if (_family(word) == _family(other)) if broad else (word.kind == other.kind):
            one, two = _rank(word, of, broad), _rank(other, within, broad)
            if one[0] == two[0] or one[1] == two[1]:
                return True
    return False


# --------------------------------------------------------------------------------------------------------------- lists


def _order(told: Told) -> list[tuple[str, frozenset[str], int, str]]:
    """Names and people, and figures, in order: (``x`` or ``y``, keys, offset, as written)."""
    out: list[tuple[str, frozenset[str], int, str]] = []
    for item in told.items:
        kind = _kind(item)
        if kind == "name" or (kind and not item.weak):
            keys = _exact(item) if kind == "value" else item_keys(item)
            out.append(("y" if kind == "value" else "x", keys, item.start - told.start, item.surface))
    return sorted(out, key=lambda row: row[2])


def _pairs(row: Sequence[tuple[str, frozenset[str], int, str]]) -> list[tuple[int, int]] | None:
    """Which figure belongs to which name, as positions in the row; None where the order does not tell."""
    xs = [at for at, one in enumerate(row) if one[0] == "x"]
    ys = [at for at, one in enumerate(row) if one[0] == "y"]
    shape = "".join(one[0] for one in row)
    many = len(xs)
    if many < 2 or many != len(ys) or shape not in ("xy" * many, "yx" * many, "x" * many + "y" * many, "y" * many + "x" * many):
        return None
    return list(zip(xs, ys, strict=True))


def paired(one: Told, two: Told) -> tuple[str, str] | bool:
    """Whether a list binds its figures to the names that the list of the second sentence binds them to.

    Returns:
        True: it does. (a name, its figure here): it does not. False: it cannot be told.
    """
    mine, theirs = _order(one), _order(two)

    def meets(row: tuple[str, frozenset[str], int, str], other: tuple[str, frozenset[str], int, str]) -> bool:
        return row[0] == other[0] and not row[1].isdisjoint(other[1])

    here = [row for row in mine if any(meets(row, other) for other in theirs)]
    there = [row for row in theirs if any(meets(row, other) for other in mine)]
    if len(here) != len(there) or len(here) < 4:
        return False
    pairs, others = _pairs(here), _pairs(there)
    if pairs is None or others is None:
        return False
    bound = dict(others)
    for name, value in pairs:
        places = [at for at in bound if meets(here[name], there[at])]
        if len(places) != 1 or meets(here[value], there[bound[places[0]]]):
            continue  # "from Vue 2.7 to Vue 3.4": one name has two figures
        if any(meets(here[value], there[other]) for at, other in bound.items() if at != places[0]):
            return here[name][3], here[value][3]
    return True


# ------------------------------------------------------------------------------------------------------- who does it to whom

_SYMMETRIC = frozenset(
    stem(word)
    for word in lexicon.words(
        "meet met marry marries date know see divorce be have resemble equal match kiss hug like and or plus call"
    )
)
_EITHER_WAY = frozenset(("rent", "leas", "charter", "hir"))
"""What one does to another when he gets it from him: *rents a room to*, *rents a room from*."""
_LINKS = frozenset(
    lexicon.words(
        "a an the his her their my is was are were has had have been being will would does did often always to for from with at in on by of and"
    )
)


_BE = frozenset(("is", "was", "were", "are", "been", "being", "am", "keeps", "kept", "started", "stopped"))
_KIN = frozenset(stem(word) for word in lexicon.RELATIONS) - {"dog", "cat"}
_FAR = 8
"""Who does something and to whom stand no more words apart than this."""


class _Deed(NamedTuple):
    doer: str
    verb: str
    other: str


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[tuple[str, str, bool], ...]:
    """(folded, stem, whether it owns what follows) of each word."""
    out = []
    for token in tokens(text.replace("’", "'")):
        if token.kind == "word":
            word = fold(token.text)
            owner = word.endswith("'s")
            plain = word[:-2] if owner else word
            last = re.match(r"\s*(?:[.,;!?]|$)", text[token.end :]) is not None
            stands = plain in ("user", "him", "them") or (plain == "her" and last)
            out.append((plain, "^" if stands else stem(plain), owner))
        elif token.kind == "mark":
            out.append((token.text, token.text, False))
        else:
            out.append((token.text, token.text, False))
    return tuple(out)


@once_a_sentence
def _deeds(told: Told) -> list[_Deed]:
    """Who does something to whom, where both are named: *Ann beat Ben*, *Ben was beaten by Ann*."""
    people = {stem(item.norm.split()[0]) for item in told.items if item.kind == "name"} | {"^"} | _KIN
    parts_of_names = {stem(part) for item in told.items if item.kind == "name" for part in item.norm.split()}
    row = _words(told.text)
    out = []
    at = [
        place
        for place, (_, root, _) in enumerate(row)
        if root in people and not (root in _KIN and place + 1 < len(row) and row[place + 1][1] in people)
    ]
    for left, right in pairwise(at):
        between = row[left + 1 : right]
        if not 1 <= len(between) <= _FAR or row[left][2]:
            continue
        plain = [word for word, _, _ in between]
        if any(mark in plain for mark in (",", ";", ".", ":", "and", "or", "(", ")", "with", "like", "than")):
            continue
        verbs = [
            (word, root)
            for word, root, _ in between
            if word not in _LINKS and word.isalpha() and word not in lexicon.RELATIONS and root not in parts_of_names
        ]
        if not verbs:
            continue
        held = any(word.removesuffix("n't") in ("is", "was", "were", "are", "been", "being", "gets", "got") for word in plain)
        passive = held and "by" in plain
        if held and not passive and not verbs[0][0].endswith("ing"):
            continue  # "a trip is planned with"
        place = plain.index(verbs[0][0])
        if verbs[0][0].endswith("ing") and not passive and _BE.isdisjoint(plain[max(0, place - 2) : place]):
            continue  # "a publishing house is the biggest client"
        doer, other = row[left][1], row[right][1]
        verb = verbs[0][1]
        if verb in _EITHER_WAY and "from" in plain:
            passive = True  # rents a room from
        if row[right][2] and right + 1 < len(row):
            verb = f"{verb} {row[right + 1][1]}"  # corrects the user's essays
        if doer == other or verb in _SYMMETRIC:
            continue
        out.append(_Deed(other, verb, doer) if passive else _Deed(doer, verb, other))
    return out


_WHO = r"(?:(?:Mrs?|Ms|Dr|Prof)\.? )?(?P<{}>(?-i:[A-Z])[\w-]*|user)(?: (?-i:[A-Z])[\w-]*)*"
_STATIONS: tuple[tuple[str, str], ...] = (
    ("lead", r"{0}['’]s (?:\w+ )?(?:manager|boss|supervisor|team lead(?:er)?|superior) is {1}"),
    ("lead", r"{1} is {0}['’]s (?:\w+ )?(?:manager|boss|supervisor|team lead(?:er)?|superior)"),
    ("lead", r"{0} (?:reports to|works (?:for|under)|is managed by|is supervised by) {1}"),
    ("lead", r"{1} (?:manages|supervises|leads|is in charge of) {0}"),
    ("let", r"{0}['’]s land(?:lord|lady) is {1}"),
    ("let", r"{1} is {0}['’]s land(?:lord|lady)"),
    ("let", r"{0} (?:rents from|is a tenant of) {1}"),
    ("teach", r"{0}['’]s (?:[\w-]+ )?(?:teacher|tutor|coach|trainer|mentor|instructor) is {1}"),
    ("teach", r"{1} is {0}['’]s (?:[\w-]+ )?(?:teacher|tutor|coach|trainer|mentor|instructor)"),
    ("teach", r"{1} (?:teaches|tutors|coaches|trains|mentors) {0}"),
)
"""What puts somebody, {1}, above somebody else, {0}, in whatever words."""


@cache
def _stations() -> tuple[tuple[str, re.Pattern[str]], ...]:
    low, high = _WHO.format("low"), _WHO.format("high")
    return tuple(
        (verb, re.compile(rf"\b(?:the )?{pattern.replace('{0}', low).replace('{1}', high)}", re.I)) for verb, pattern in _STATIONS
    )


@once_a_sentence
def _ranks(told: Told) -> list[_Deed]:
    """Who stands above whom: *Prisca's manager is Oswin*, *Prisca reports to Oswin*."""
    if not _RANKED.search(told.text):
        return []

    def root(name: str) -> str:
        return "^" if fold(name) == "user" else stem(fold(name))

    return [
        _Deed(root(found["high"]), verb, root(found["low"]))
        for verb, pattern in _stations()
        for found in pattern.finditer(told.text)
    ]


_RANKED = re.compile(
    r"manag|boss|supervis|lead|superior|reports|works|in charge|landl|rents|tenant|teach|tutor|coach|train|mentor|instructor"
)


def _named_in(told: Told) -> set[str]:
    return {stem(item.norm.split()[0]) for item in told.items if item.kind == "name"}


def roles(one: Told, two: Told) -> tuple[str, tuple[str, ...], tuple[str, ...]] | None:
    """Who does it to whom in the first sentence, where the second tells it the other way round: (for a message, here, there)."""
    if not one.text.isascii() and any(is_cjk(char) for char in one.text):
        return _chinese_roles(one.text, two.text)
    here, there = (_deeds(told) + _ranks(told) for told in (one, two))
    for deed in here:
        for other in there:
            turned = (deed.doer, deed.other) == (other.other, other.doer)
            # "Ann introduced Ben to Cleo"
            third = (
                deed.other == other.other
                and deed.doer in _named_in(two)
                and other.doer in _named_in(one)
                and deed.doer != other.doer
            )
            if deed.verb == other.verb and (turned or third) and deed not in there:
                shown = f"{deed.doer} {deed.verb} {deed.other}".replace("^", "user")
                return shown, ("role", *deed), ("role", *other)
    return None


_CHINESE_PEOPLE = re.compile("用户|" + "|".join(sorted(lexicon.CJK_RELATIONS, key=len, reverse=True)))
_OTHER_WAY = re.compile("[被由是从跟向和与比让为把对]")
_GIVES = re.compile(
    "送给|借给|教|打给|寄给|租给|卖给|交给|还给|付给|介绍给|照顾|资助|推荐给|欠|帮|骂|批评|打败|赢了|输给|雇|拿到|收到|得到|借|买|学|继承"
)


def _chinese_roles(one: str, two: str) -> tuple[str, tuple[str, ...], tuple[str, ...]] | None:
    """Who gives what to whom, in sentences of two people."""
    if sorted(_OTHER_WAY.findall(one)) != sorted(_OTHER_WAY.findall(two)):
        return None  # other words for the roles
    here, there = _CHINESE_PEOPLE.findall(one), _CHINESE_PEOPLE.findall(two)
    rest, other = _CHINESE_PEOPLE.sub("，", one), _CHINESE_PEOPLE.sub("，", two)
    verbs = set(_GIVES.findall(rest)) & set(_GIVES.findall(other))
    if len(here) != 2 or here == there or here != there[::-1] or not verbs or any("用户的" in text for text in (one, two)):
        return None
    verb = min(verbs)
    return f"{here[0]}{verb}{here[1]}", ("role", here[0], verb, here[1]), ("role", there[0], verb, there[1])


def tells_role(told: Told, deed: tuple[str, ...]) -> bool:
    """Whether a sentence tells a deed of ``roles``."""
    doer, verb, other = deed
    if not doer.isascii():
        return _CHINESE_PEOPLE.findall(told.text) == [doer, other] and verb in told.text
    return any(tuple(one) == deed for one in _deeds(told) + _ranks(told))


__all__ = ["Exchange", "Grain", "Part", "exchanged", "paired", "parts", "roles", "tells_role"]
