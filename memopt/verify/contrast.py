"""Whether a sentence tells another pole of what a second one tells: *morning* and *evening*, *to Bern* and *from Bern*, *lends* and *borrows*.

Both sentences are cut into segments, and the segments that tell of the same are laid together (as in ``memopt.verify.stance``).
What must agree beside the poles depends on the axis, see ``memopt.facts.poles``. Where the two sides deny differently (*not cold*, *hot*)
nothing is said: ``stance`` counts denials.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from memopt.facts import lexicon, senses
from memopt.facts.cut_zh import cut, is_word
from memopt.facts.kin import akin
from memopt.facts.polarity import turns
from memopt.facts.poles import Pole, poles
from memopt.facts.words import CJK, fold, stem, tokens
from memopt.verify.acts import done_or_not, other_way
from memopt.verify.exchange import paired, roles, tells_role
from memopt.verify.lines import Told, is_cjk, item_keys, once_a_sentence, weigh
from memopt.verify.order import compared_alike, is_converse, passed_alike, told_from_the_other_side
from memopt.verify.stance import Group, laid_together, meet

_LONG = 1200
USER = "^"
"""Stands for the user among the words beside a pole."""


class Contrast(NamedTuple):
    """Where the first of two sentences tells another pole: offsets in its text, what is told there and what the second one tells.

    Attributes:
        mine: the axis and pole of the first sentence, with what it is said of; another line that has the same agrees with it.
        theirs: the same of the second sentence.
    """

    start: int
    end: int
    kind: str
    detail: str
    mine: tuple[str, ...]
    theirs: tuple[str, ...]


class _Piece(NamedTuple):
    """A word that tells something, as it stands beside a pole."""

    start: int
    end: int
    key: str
    whole: str  # folded
    link: str  # the function words between it and the piece before it


_ADVERBS = frozenset(
    lexicon.words(
        "really very quite rather too so also still just even gladly usually often always sometimes rarely currently now again only mostly mainly"
    )
)
_BE = frozenset(lexicon.words("is are was were be been being am becomes became remains"))
_KEPT = frozenset(lexicon.words("of from to by for with in on at 's not and or is are was were be been than as"))
_PRONOUNS = frozenset(lexicon.words("he she they i we you"))


@lru_cache(maxsize=8192)
def _pieces(text: str) -> tuple[_Piece, ...]:
    """The telling words of an English sentence in order; ``user`` is one of them."""
    out: list[_Piece] = []
    between: list[str] = []
    for token in tokens(text.replace("’", "'")):
        if token.kind == "mark":
            if token.text in ",;:.!?()":
                between.append(token.text)
            continue
        word = fold(token.text)
        owner = word.endswith("'s")
        plain = word[:-2] if owner else word
        if token.kind == "word" and plain in ("user", "users"):
            out.append(_Piece(token.start, token.end, USER, plain, " ".join(between)))
        elif token.kind == "word" and plain in _PRONOUNS:
            out.append(_Piece(token.start, token.end, "~", plain, " ".join(between)))
        elif token.kind == "word" and (plain in lexicon.STOP or plain in _ADVERBS) and plain not in ("took", "take", "takes"):
            if plain in _KEPT:
                between.append(plain)
            continue
        elif token.kind == "word":
            out.append(_Piece(token.start, token.end, stem(plain), plain, " ".join(between)))
        else:
            out.append(_Piece(token.start, token.end, token.text, token.text, " ".join(between)))
        between = ["'s"] if owner else []
    return tuple(out)


class _Beside(NamedTuple):
    left: str
    left_link: str
    right: str
    right_link: str
    head: str = ""  # the word behind the one on the right, where nothing parts them: *class* in *a beginner yoga class*


_SKIPPED = "的了很太较最更是在把地得也都就会能爱着过正有要还个只一那这其比较非常"


@lru_cache(maxsize=8192)
def _chinese_beside(text: str, start: int, end: int) -> _Beside:
    left, right = start, end
    while left and text[left - 1] in _SKIPPED:
        left -= 1
    while right < len(text) and text[right] in _SKIPPED:
        right += 1
    known = senses.chinese()
    before, after = text[max(0, left - 4) : left], text[right : right + 4]
    run = re.search(rf"[{CJK}]+$|[A-Za-z0-9]+$", before)
    head = run[0] if run else ""
    run = re.match(rf"[{CJK}]+|[A-Za-z0-9]+", after)
    tail = run[0] if run else ""
    if head.endswith("用户"):
        head = USER
    elif head:
        head = next(
            (head[-size:] for size in (4, 3, 2) if head[-size:] in known and len(head) >= size),
            head[-1:] if not head.isascii() else head,
        )
    if tail:
        tail = next(
            (tail[:size] for size in (4, 3, 2) if tail[:size] in known and len(tail) >= size),
            tail[:1] if not tail.isascii() else tail,
        )
    return _Beside(head, "", tail, "")


def _beside(text: str, pole: Pole, start: int, end: int) -> _Beside:
    """The telling words on both sides of a pole within text[start:end]."""
    if not pole.word.isascii():
        return _chinese_beside(text[:end], pole.start, pole.end)
    left = right = left_link = right_link = head = ""
    behind = -1
    for piece in _pieces(text):
        if piece.end <= pole.start and piece.start >= start:
            left, left_link = piece.key, ""
        elif piece.start >= pole.end and piece.start < end and not right:
            right, right_link, behind = piece.key, piece.link, piece.end
            if text[pole.end : piece.start].strip():
                behind = -1
        elif piece.start == behind + 1 and not head:
            head = piece.key
        elif piece.start < pole.end and piece.end > pole.start and left:
            left_link = piece.link
    return _Beside(left, left_link, right, right_link, head)


def _same(one: str, other: str) -> bool:
    if not one or not other:
        return False
    if one == other:
        return True
    if USER in (one, other) or "~" in (one, other):
        return {one, other} <= {USER, "~"}
    if not one.isascii() and not other.isascii() and (one in other or other in one):
        return True
    return meet(one, other)


def _tells(word: str) -> bool:
    return bool(word) and word not in (USER, "~") and (not word.isascii() or weigh(word) >= 0.3)


def _agree_beside(one: _Beside, two: _Beside, text: str, other: str, pole: Pole, rival: Pole, linked: bool) -> bool:
    """Whether the same telling word stands next to both; of *is single* the one it is said of."""
    for mine in (one.left, one.right, one.head):
        for theirs in (two.left, two.right, two.head):
            if _tells(mine) and _tells(theirs) and _same(mine, theirs):
                return True
    if linked and one.left == two.left and one.left not in (USER, "~") and one.left and not one.right and not two.right:
        return True  # "should be kept short"
    if _same(one.left, two.left):
        return _is_said(text, pole) and _is_said(other, rival)
    return False


def _is_said(text: str, pole: Pole) -> bool:
    """Whether a pole is what somebody *is*."""
    before = text[max(0, pole.start - 30) : pole.start]
    if not pole.word.isascii():
        return re.search(r"(?:用户|是|很|已经|还|目前|现在)$", before) is not None
    return (
        re.search(
            r"\b(?:is|are|was|were|be|been|remains|became|becomes)(?: (?:a|an|the|still|now|currently|very|quite))* $",
            before,
            re.I,
        )
        is not None
    )


def _agree_aside(one: _Beside, two: _Beside) -> bool:
    """Whether both have the same doer and, where both have one, the same thing behind them."""
    if not _same(one.left, two.left) and (one.left or two.left) and "~" not in (one.left, two.left):
        return False
    if one.right and two.right:
        return (
            _same(one.right, two.right)
            and _owns(one.right_link) == _owns(two.right_link)
            and _owns(one.left_link) == _owns(two.left_link)
        )
    return bool(one.left and two.left) and not one.right and not two.right and _owns(one.left_link) == _owns(two.left_link)


def _named(told: Told, pole: Pole) -> frozenset[str]:
    """The name that stands right behind a word for a person: *a colleague named Ines*, *his boss, Ines*."""
    for item in told.items:
        at = item.start - told.start
        if (
            item.kind == "name"
            and at >= pole.end
            and re.fullmatch(r"[\s,:(]*(?:named|called|is|is called|叫|是)?\s*", told.text[pole.end : at])
        ):
            return item_keys(item)
    return frozenset()


def _of_others(one: Told, two: Told, pole: Pole, rival: Pole) -> bool:
    """Whether two words for a relative are said of two people: *his sister Ida* and *her brother Leo*, *Ann is Bob's wife* and *Bob is Ann's husband*."""
    mine, theirs = _named(one, pole), _named(two, rival)
    if mine and theirs:
        return mine.isdisjoint(theirs)
    first, second = _owner(one.text, pole), _owner(two.text, rival)
    return bool(first and second) and not _same(first, second)


def _owner(text: str, pole: Pole) -> str:
    """Whose relative it is: the word that owns what a pole says."""
    if not pole.word.isascii():
        found = re.search(rf"([{CJK}]{{2}}|[A-Za-z]+)的?$", text[: pole.start])
        return "" if found is None else USER if found[1] == "用户" else ""
    before = [piece for piece in _pieces(text) if piece.end <= pole.start]
    behind = next((piece for piece in _pieces(text) if piece.start <= pole.start < piece.end), None)
    return before[-1].key if before and behind is not None and _owns(behind.link) == "'s" else ""


def _owns(link: str) -> str:
    return "of" if "of" in link.split() else "'s" if "'s" in link.split() else ""


_PARTICIPANTS = lexicon.RELATIONS | frozenset(
    lexicon.words("man woman boy girl team company client people uncle nephew landlady tenant employer employee student")
)


_ASIDE_ZH = re.compile(
    rf"(?:(?:(?:给|对|为|替|帮|由|在)[{CJK}A-Za-z]{{1,5}}?|(?:从|向|跟)[{CJK}A-Za-z]{{1,10}}?)(?:那里|那儿|处|那边)?)+$"
)
"""With whom, for whom or where somebody does it, before the verb: 为开店向吴桐借, 跟楼下的邻居老秦学."""


def _doer(text: str, pole: Pole, start: int, end: int, names: frozenset[str], beside: _Beside) -> _Beside:
    """The words beside a verb, with the nearest participant before it in place of the nearest word."""
    if not pole.word.isascii():
        before = text[start : pole.start]
        before = _ASIDE_ZH.sub("", before)
        if before.endswith("的"):  # whose boss it is
            return beside._replace(left=USER if before.endswith("用户的") else before[:-1][-2:])
        return beside._replace(left=USER if "用户" in before else before[-2:])
    pieces = [piece for piece in _pieces(text) if start <= piece.start < end]
    passive = re.search(r"\b(?:is|are|was|were|been|being)(?: \w+ly)? $", text[max(0, pole.start - 24) : pole.start]) is not None
    if passive:
        by = next((piece for piece in pieces if piece.start >= pole.end and "by" in piece.link.split()), None)
        subject = next((piece.key for piece in reversed(pieces) if piece.end <= pole.start), "")
        return _Beside(by.key if by else "", "", subject, "")
    owners = {one.start for one, then in pairwise(pieces) if "'s" in then.link.split()}
    doer = next(
        (
            piece
            for piece in reversed(pieces)
            if piece.end <= pole.start
            and piece.start not in owners
            and (piece.key in names or piece.key in (USER, "~") or piece.whole in _PARTICIPANTS)
        ),
        None,
    )
    return beside._replace(left=doer.key) if doer is not None else beside


def _in(spans: Sequence[tuple[int, int]], at: int) -> tuple[int, int] | None:
    return next(((left, right) for left, right in spans if left <= at < right), None)


_PASSING = frozenset(lexicon.words("give gives gave given giving get gets got receive receives received receiving"))
_GOT_FROM = re.compile(r"\b(?:get|gets|got|receiv\w+)\b[^;.]*? from (?:(?:his|her|their|the|an?|user's) )?([\w’'-]+)", re.I)
_GAVE = re.compile(r"\b(?:gives?|gave|given|giving)\b", re.I)


def _passed_on(one: str, two: str) -> bool:
    """Whether one text tells from the other side what another one gave: *got a pen from his wife*, *his wife gave him a pen*."""
    got, gave = _GOT_FROM.search(one), _GAVE.search(two)
    return (
        got is not None
        and gave is not None
        and re.search(rf"\b{re.escape(got[1].casefold())}\b", two[: gave.start()].casefold()) is not None
    )


def contrasts(one: Told, two: Told, ignored: frozenset[str] = frozenset()) -> list[Contrast]:
    """Where the first sentence tells another pole than the second: [] where it does not, or where it cannot be told."""
    if len(one.text) > _LONG or len(two.text) > _LONG:
        return []
    here, there = _free_poles(one), _free_poles(two)
    if _passed_on(one.text, two.text) or _passed_on(two.text, one.text):
        here, there = ([pole for pole in side if pole.word not in _PASSING] for side in (here, there))
    out: list[Contrast] = []
    if {pole.axis for pole in here} & {pole.axis for pole in there}:
        groups = laid_together(one, two, ignored)
        for group in groups:
            out += _in_group(one, two, here, there, group)
        if not out and groups:
            out += _put_first(one, two, here, there, groups)
    out += _over(one, two)
    if not out:
        out += _done(one, two)
    out += _directions(one, two)
    whole = (0, len(one.text))
    turned = roles(one, two)
    if turned is not None:
        out.append(Contrast(*whole, "swap", f"{turned[0]}: the source says it the other way round", turned[1], turned[2]))
    way = other_way(one.text, two.text) or done_or_not(one.text, two.text)
    if way is not None:
        start, end, detail = way
        out.append(Contrast(start, end, "swap", detail, ("has", one.text[start:end]), ("has", detail)))
    bound = paired(one, two)
    if isinstance(bound, tuple):
        name, value = bound
        out.append(
            Contrast(*whole, "swap", f"{name}, {value}: the source says it of another", ("has", name, value), ("has", name))
        )
    if out and _COMPARED.search(one.text) and _COMPARED.search(two.text) and compared_alike(one.text, two.text):
        return []
    return out or replaced(one, two)


_COMPARED = re.compile(r"\bthan\b|比", re.I)


@cache
def _times() -> frozenset[str]:
    """The axes that tell when or how long."""
    words = ("morning", "weekday", "spring", "few years", "daily", "breakfast")
    return frozenset(pole.axis for word in words for pole in poles(word))


def _put_first(one: Told, two: Told, here: list[Pole], there: list[Pole], groups: Sequence[Group]) -> list[Contrast]:
    """The same of when something was, where that stands before a comma and so hangs together with nothing: *A few days ago, he moved*."""
    for axis in sorted({pole.axis for pole in here} & {pole.axis for pole in there} & _times()):
        mine, theirs = ([pole for pole in side if pole.axis == axis] for side in (here, there))
        if len(mine) > 1 or len(theirs) > 1 or mine[0].value == theirs[0].value:
            continue
        held = [
            any(segment.start <= pole.start < segment.end for segment in segments)
            for pole, segments in (
                (mine[0], [segment for group in groups for segment in group.mine]),
                (theirs[0], [segment for group in groups for segment in group.theirs]),
            )
        ]
        if (
            all(held)
            or _denials(one.text, [(0, len(one.text))], mine[0]) % 2 != _denials(two.text, [(0, len(two.text))], theirs[0]) % 2
        ):
            continue
        detail = f"{_shown(two.text, theirs[0])} became {_shown(one.text, mine[0])}"
        return [Contrast(mine[0].start, mine[0].end, "opposite", detail, (axis, mine[0].value), (axis, theirs[0].value))]
    return []


def agrees(pole: tuple[str, ...], two: Told) -> bool:
    """Whether a sentence tells what another one does (``Contrast.mine`` or ``theirs``)."""
    axis = pole[0]
    if axis == "has":
        text = two.text.casefold()
        return all(part.casefold() in text for part in pole[1:])
    if axis == "time":
        return bool(_is_over(two.text)) == (pole[1] == "past")
    if axis == "role":
        return tells_role(two, pole[1:])
    said = frozenset(pole[2:])
    return any(
        (other.axis, other.value) == pole[:2] and (not said or _any_same(said, _objects(two, other, other.way)))
        for other in _free_poles(two)
    )


_OVER = re.compile(
    r"\b(?:former|formerly|previous|previously|one-time|erstwhile|ex|(?<=was )once(?= (?:the|a|an) ))[ -]+(?:the |a |an )?([a-z]+)|\bex-([a-z]+)|(?:前(?=[男女妻夫任室同老队上雇东])|曾是?|以前|(?<![寄走送搬拿跑飞开发转打带过])过去|原先|当年)",
    re.I,
)
_ONCE = re.compile(
    r"\b(?:was|were|had|did|[a-z]{2,}ed|went|ran|wrote|taught|spoke|drove|rode|kept|sang|grew|wore|built|held|led|ate|drank|bought|left|used to|no longer|once|before|until|till|ago|retired|ex|"
    r"former|formerly|previous|previously|last|past|earlier|any ?more|gave up|stopped|quit|since|then|over|past|back then|split|divorced|separated|broke|turned|turning|became|become|becoming|trained|training|changed|changing|career|instead|replac\w+|switch\w+)\b|[曾前原]|本[来想]|起初|最初|一开始|迁移|换[成到为]|改[成用为吃喝做]|[转变][为成]|从[^，。；]{1,10}[到成为]|取代|以前|过去|不再|过|了$|退休|离婚|分手|离开|旧",
    re.I,
)


def _is_over(text: str) -> bool:
    return _ONCE.search(text) is not None or any(turn.sure for turn in turns(text))


def _over(one: Told, two: Told) -> list[Contrast]:
    """Whether one tells as former what the other tells as if nothing had ended."""
    out = []
    for text, other, mine in ((one.text, two.text, True), (two.text, one.text, False)):
        found = _OVER.search(text)
        if found is None or _is_over(other):
            continue
        word = found[1] or found[2]
        if word is not None and not any(_same(stem(word.casefold()), piece.key) for piece in _pieces(other)):
            continue
        start, end = found.span() if mine else (0, len(one.text))
        detail = f"{found[0].strip()}: the source does not say that it is over" if mine else f"the source says {found[0].strip()}"
        keys = ("time", "past"), ("time", "now")
        out.append(Contrast(start, end, "opposite", detail, keys[0 if mine else 1], keys[1 if mine else 0]))
    return out


_UP = re.compile(
    r"\b(?:up|more|higher|rise|rises|rose|risen|rising|grew|grow|grows|grown|growth|gain\w*|increas\w*|plus|climb\w*|jump\w*|surplus|profit|faster|longer|older|taller|heavier"
    r"|warmer)\b|上涨|增长|增加|上升|提高|上涨|高出",
    re.I,
)
_DOWN = re.compile(
    r"\b(?:down|less|lower|fewer|fall|falls|fell|fallen|falling|drop\w*|shrank|shrink\w*|shrunk|loss|lost|decreas\w*|declin\w*|minus|reduc\w*|deficit|slower|shorter|younger"
    r"|lighter|colder|cooler)\b|下跌|减少|下降|降低|跌|低于|少",
    re.I,
)
_NEAR_FIGURE = 16


def _directions(one: Told, two: Told) -> list[Contrast]:
    """Whether a figure goes up in one sentence and down in the other: *up 8 % on the year*, *8 % less than a year ago*."""
    out = []
    for item in one.items:
        if item.kind not in ("percent", "quantity", "money", "number") or item.weak:
            continue
        same = [other for other in two.items if other.kind == item.kind and not item.keys.isdisjoint(other.keys)]
        if len(same) != 1:
            continue
        ways = []
        for told, figure in ((one, item), (two, same[0])):
            start, end = figure.start - told.start, figure.end - told.start
            around = (
                told.text[max(0, start - _NEAR_FIGURE) : start].rpartition(",")[2]
                + " "
                + told.text[end : end + _NEAR_FIGURE].partition(",")[0]
            )
            ways.append((_UP.search(around) is not None, _DOWN.search(around) is not None))
        if ways in ([(True, False), (False, True)], [(False, True), (True, False)]) and not any(
            turn.sure and turn.kind == "deny" for text in (one.text, two.text) for turn in turns(text)
        ):
            start, end = item.start - one.start, item.end - one.start
            detail = f"{item.surface}: the source has it go the other way"
            out.append(Contrast(start, end, "opposite", detail, ("has", item.surface), ("has", item.surface)))
    return out


_FUTURE = re.compile(
    r"\b(?:will|shall|going to|plans?|planning|planned|wants?|intends?|intending|hopes?|hoping|considers?|considering|would|might|may|could|wishes|aims?|due to|set to|about to|thinking|scheduled|upcoming|next)\b"
    r"|打算|计划|准备|想|将|要|希望|考虑|可能|下周|下个?月|明年",
    re.I,
)
_ENDS = re.compile(
    r"\b(?:until|till|once(?! (?:a|an|per|every)\b)|in the past|back then|at one time|for a (?:time|while)|years ago|in (?:his|her|their) youth|as a child)\b",
    re.I,
)


_BEFORE_PARTICIPLE = frozenset(lexicon.words("is are am be been being has have had"))


@lru_cache(maxsize=1024)
def _forms(text: str) -> dict[str, set[str]]:
    """Each stem with the times its forms may tell: past, present; ``planned`` where it stands soon behind a word of intent."""
    out: dict[str, set[str]] = {}
    before = earlier = ""
    for token in tokens(text):
        if token.kind == "word":
            word = fold(token.text)
            last, before, earlier = (earlier, before), word, before
            if word in lexicon.STOP:
                continue
            irregular = lexicon.IRREGULAR.get(word, word) != word and not word.endswith(("s", "ing"))
            past = _BEFORE_PARTICIPLE.isdisjoint(last) and (word.endswith("ed") or irregular)
            out.setdefault(stem(word), set()).add("past" if past else "present")
            if _FUTURE.search(text[max(0, token.start - _SOON) : token.start]):
                out[stem(word)].add("planned")
    return out


def _done(one: Told, two: Told) -> list[Contrast]:
    """Whether one tells as over or as done what the other only plans or still does, by the same verb."""
    if any(is_cjk(char) for char in one.text):
        return []
    here, there = _forms(one.text), _forms(two.text)
    for stems, others, text, other, mine in ((here, there, one.text, two.text, True), (there, here, two.text, one.text, False)):
        past = [word for word, times in stems.items() if times == {"past"} and "past" not in others.get(word, {"past"})]
        if not past or _FUTURE.search(text):
            continue
        planned = any("planned" in others[word] for word in past) and _DONE.search(other) is None
        ended = _ENDS.search(text) is not None and not _is_over(other) and _PRESENT_VERB.search(other) is not None
        if not planned and not ended:
            continue
        keys = ("time", "past"), ("time", "now")
        detail = "told as over or done" if mine else "the source tells it as over or done"
        return [Contrast(0, len(one.text), "opposite", detail, keys[0 if mine else 1], keys[1 if mine else 0])]
    return []


_SOON = 24
_DONE = re.compile(r"\b(?:has|have|had|was|were)\b")
_PRESENT_VERB = re.compile(r"\b(?:is|are|has|[a-z]{3,}s)\b")

# ---------------------------------------------------------------------------------------------------- one word for another

_NEAR = 0.8
"""Sentences of which this share of the words, in order, is the same but for one word are copies with that word replaced."""
_NUMBER = re.compile(
    r"\d|^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|once|twice|first|second|third|half|dozen|couple|several)$"
)


@lru_cache(maxsize=4096)
def _row(text: str) -> tuple[tuple[str, int, int], ...]:
    """(stem, start, end) of all words but articles and the user; ``|`` for marks and both ends."""
    out: list[tuple[str, int, int]] = [("|", 0, 0)]
    for token in tokens(text.replace("’", "'")):
        if token.kind == "mark":
            if token.text in ",;:.!?()" and out[-1][0] != "|":
                out.append(("|", token.start, token.end))
            continue
        word = fold(token.text)
        word = word[:-2] if word.endswith("'s") else word
        if word in _LEFT_OUT:
            continue
        out.append((stem(word) if token.kind == "word" else word, token.start, token.end))
    if out[-1][0] != "|":
        out.append(("|", len(text), len(text)))
    return tuple(out)


_LEFT_OUT = frozenset(lexicon.words("a an the user users his her their he she they it its my i very really also"))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    row = [0] * (len(other) + 1)
    for word in one:
        last = 0
        for at, rival in enumerate(other, 1):
            above = row[at]
            row[at] = last + 1 if word == rival else max(row[at], row[at - 1])
            last = above
    return row[-1]


def replaced(one: Told, two: Told) -> list[Contrast]:
    """Whether the first sentence is the second with one word replaced by another that cannot stand for it."""
    if not one.text.isascii() and any(is_cjk(char) for char in one.text):
        return _replaced_in_chinese(one.text, two.text)
    here, there = _row(one.text), _row(two.text)
    if len(here) > _WORDS or len(there) > _WORDS:
        return []
    places: dict[tuple[str, str], list[int]] = {}
    for at in range(1, len(there) - 1):
        places.setdefault((there[at - 1][0], there[at + 1][0]), []).append(at)
    mine, theirs = {row[0] for row in here}, {row[0] for row in there}
    out: list[Contrast] = []
    for at in range(1, len(here) - 1):
        word, start, end = here[at]
        if word in theirs or word == "|":
            continue
        for place in places.get((here[at - 1][0], here[at + 1][0]), ()):
            rival = there[place][0]
            if rival in mine or rival == "|" or not _replaces(one, two, here[at], there[place]):
                continue
            stems, others = [row[0] for row in here if row[0] != "|"], [row[0] for row in there if row[0] != "|"]
            if _common(stems, others) < _NEAR * (max(len(stems), len(others)) - 1):
                continue
            if any(meet(word, other) for other in theirs) or any(meet(rival, other) for other in mine):
                continue
            told, said = one.text[start:end], two.text[there[place][1] : there[place][2]]
            out.append(Contrast(start, end, "opposite", f"{said} became {told}", ("has", told), ("has", said)))
    return out


_STOPS = " .,;:!?。，；：！？、"


def _replaced_in_chinese(one: str, two: str) -> list[Contrast]:
    """The same in a Chinese sentence, where it is not known for sure where a word ends.

    All but one stretch must be the same, character for character, and on both sides one whole word must fill it: *番茄* and *黄瓜*,
    *银牌* and *金牌*.
    """
    mine, theirs = (_CHINESE_SUBJECT.sub("", text.strip(_STOPS)) for text in (one, two))
    lead = one.find(mine)
    shorter = min(len(mine), len(theirs))
    if shorter < _SHORTEST or mine == theirs:
        return []
    left = next((at for at in range(shorter) if mine[at] != theirs[at]), shorter)
    right = next((at for at in range(shorter - left) if mine[-1 - at] != theirs[-1 - at]), shorter - left)
    if left + right < _NEAR_CHINESE * max(len(mine), len(theirs)):
        return []
    for before, behind in ((0, 0), (0, 1), (1, 0)):  # 银|牌: the word may reach into what is the same
        start, end, to = left - before, len(mine) - right + behind, len(theirs) - right + behind
        if start < 0 or end > len(mine) or to > len(theirs):
            continue
        told, said = mine[start:end], theirs[start:to]
        if _stands_as_word(mine, start, end) and _stands_as_word(theirs, start, to):
            if senses.closeness(told, said) > 0 or weigh(told) < _TOLD_BY_CHINESE or weigh(said) < _TOLD_BY_CHINESE:
                return []
            return [Contrast(lead + start, lead + end, "opposite", f"{said} became {told}", ("has", told), ("has", said))]
    return []


def _stands_as_word(text: str, start: int, end: int) -> bool:
    """Whether a stretch is one common word, and none of its characters belongs to a word beside it."""
    return is_word(text[start:end]) and (start, end) in cut(text)


_CHINESE_SUBJECT = re.compile(r"^(?:该?用户|[他她])的?")
_SHORTEST = 6
_NEAR_CHINESE = 0.7
_TOLD_BY_CHINESE = 0.5
_WORDS = 60


def _replaces(one: Told, two: Told, mine: tuple[str, int, int], theirs: tuple[str, int, int]) -> bool:
    """Whether both are words that tell something, outside of names and figures."""
    for told, (word, start, end) in ((one, mine), (two, theirs)):
        plain = told.text[start:end].casefold()
        if (
            plain in lexicon.STOP
            or plain in _ADVERBS
            or _NUMBER.search(plain)
            or not plain[0].isalpha()
            or "'" in plain
            or plain in lexicon.NEGATORS
            or weigh(word) < 0.5
        ):
            return False
        if any(item.start - told.start < end and start < item.end - told.start and not item.weak for item in told.items):
            return False
    return not akin(mine[0], theirs[0])


@once_a_sentence
def _free_poles(told: Told) -> list[Pole]:
    """The poles of a sentence outside of its names and of its times: 早上7:50 is compared as 7:50."""
    names = [
        (item.start - told.start, item.end - told.start)
        for item in told.items
        if (item.kind == "name" and not item.weak) or (item.kind == "time" and len(item.keys) == 1)
    ]
    return [
        pole
        for pole in poles(told.text)
        if not any(left < pole.end and pole.start < right and not _is_only(told.text, left, right, pole) for left, right in names)
    ]


def _is_only(text: str, left: int, right: int, pole: Pole) -> bool:
    """Whether a name is nothing but a pole in small letters."""
    return (left, right) == (pole.start, pole.end) and text[left:right].islower()


def _in_group(one: Told, two: Told, here: list[Pole], there: list[Pole], group: Group) -> list[Contrast]:
    mine = [(segment.start, segment.end) for segment in group.mine]
    theirs = [(segment.start, segment.end) for segment in group.theirs]
    left = [pole for pole in here if _in(mine, pole.start)]
    right = [pole for pole in there if _in(theirs, pole.start)]
    out = []
    for axis in dict.fromkeys(pole.axis for pole in left):
        ours = [pole for pole in left if pole.axis == axis]
        others = [pole for pole in right if pole.axis == axis]
        if not others:
            continue
        found = _conflict(one, two, ours, others, mine, theirs, bool(group.linked) or len(mine) == len(theirs) == 1)
        if found is not None:
            pole, rival = found
            if _denials(one.text, mine, pole) % 2 == _denials(two.text, theirs, rival) % 2:
                detail = f"{_shown(two.text, rival)} became {_shown(one.text, pole)}"
                said, told = _said_of(one, pole), _said_of(two, rival)
                out.append(
                    Contrast(pole.start, pole.end, "opposite", detail, (axis, pole.value, *said), (axis, rival.value, *told))
                )
    return out


def _said_of(told: Told, pole: Pole) -> list[str]:
    """What stands behind a pole that is said of something."""
    return sorted(_objects(told, pole, pole.way)) if pole.way in ("object", "than", "motion") else []


def _shown(text: str, pole: Pole) -> str:
    return text[pole.start : pole.end]


def _denials(text: str, spans: Sequence[tuple[int, int]], pole: Pole) -> int:
    """How many words surely turn what stands in the segments, the pole itself left out."""
    less = pole.word.isascii() and _LESS.search(text, max(0, pole.start - 12), pole.start) is not None
    if not pole.word.isascii():
        less = _CJK_LESS.search(text, max(0, pole.start - 3), pole.start) is not None
    return less + sum(
        turn.sure
        and _in(spans, turn.start) is not None
        and not (turn.start < pole.end and pole.start < turn.end)
        and not (less and pole.start - 3 <= turn.start and not pole.word.isascii())
        for turn in turns(text)
    )


_CJK_LESS = re.compile(r"(?<!不)不[太大怎]?\Z")
_LESS = re.compile(r"\bless \Z", re.I)
"""*Less expensive* is *cheaper*."""


def _conflict(
    one: Told,
    two: Told,
    ours: list[Pole],
    others: list[Pole],
    mine: Sequence[tuple[int, int]],
    theirs: Sequence[tuple[int, int]],
    linked: bool,
) -> tuple[Pole, Pole] | None:
    way = ours[0].way
    if way in ("told", "beside", "side") and {pole.value for pole in ours} & {pole.value for pole in others}:
        return None
    if way == "side" and not ours[0].word.isascii() and passed_alike(one.text, two.text):
        return None
    if is_converse(ours[0].word) and is_converse(others[0].word) and told_from_the_other_side(one.text, two.text):
        return None
    if len(ours) + len(others) > 2 and any(
        told.text[max(0, pole.start - 1) : pole.start] == "不" for told, side in ((one, ours), (two, others)) for pole in side
    ):
        return None  # 赞成, 反对: 同意, 不赞成
    if way == "told":
        axis = ours[0].axis
        told = {pole.value for pole in _free_poles(one) if pole.axis == axis}
        said = {pole.value for pole in _free_poles(two) if pole.axis == axis}
        if told & said or _of_others(one, two, ours[0], others[0]):
            return None  # in a list each pole may belong to anybody
        return ours[0], others[0]
    names = frozenset(
        stem(part) for told in (one, two) for item in told.items if item.kind == "name" for part in item.norm.split()
    )
    for pole in ours:
        span = _in(mine, pole.start) or (0, len(one.text))
        for rival in others:
            if rival.value == pole.value:
                continue
            place = _in(theirs, rival.start) or (0, len(two.text))
            if way in ("beside", "side"):
                if way == "beside" and (_compares(one.text, pole) or _compares(two.text, rival)):
                    continue
                first, second = _beside(one.text, pole, *span), _beside(two.text, rival, *place)
                if way == "beside" and _agree_beside(first, second, one.text, two.text, pole, rival, linked):
                    return pole, rival
                if way == "side" and (_THING_DOES.search(one.text[: pole.start]) or _THING_DOES.search(two.text[: rival.start])):
                    continue  # "gets tips from it" and "it gives him tips"
                if way == "side":
                    first, second = _doer(one.text, pole, *span, names, first), _doer(two.text, rival, *place, names, second)
                    if _agree_aside(first, second) or _named(one, pole) & _named(two, rival):
                        return pole, rival
                    if (
                        linked
                        and not pole.word.isascii()
                        and not rival.word.isascii()
                        and first.left
                        and first.left == second.left
                    ):
                        return pole, rival
    if way in ("object", "than", "motion"):
        return _by_object(one, two, ours, others, way)
    return None


_THING_DOES = re.compile(
    r"\b(?:it|this|that|which|these|those)(?: (?:will|would|can|could|may|might|should|has|have|had|also|always|often|usually|soon))* $",
    re.I,
)
"""A verb that a thing does: whoever gets what it gives is another."""


def _compares(text: str, pole: Pole) -> bool:
    """Whether a word compares two things: who is older than whom is told by what stands behind *than*."""
    return re.match(r"(?:\s+\w+){0,2}\s+than\b", text[pole.end :]) is not None


def axes_of(text: str) -> dict[str, set[str]]:
    """The axes of each word of a sentence that is a pole: by its stem, Chinese as it is written."""
    out: dict[str, set[str]] = {}
    for pole in poles(text):
        for word in pole.word.split():
            out.setdefault(stem(word), set()).add(pole.axis)
    return out


def _objects(told: Told, pole: Pole, way: str) -> frozenset[str]:
    """What a pole is said of: the keys of the item, or the word, behind it (in Chinese: before 前 and 后)."""
    text = told.text
    end = pole.end
    if way == "than":
        found = re.compile(r"[^,;.]{0,40}?\bthan\b|比").match(text, pole.end)
        if found is None or not pole.word.isascii():
            return frozenset()
        end = found.end()
    if not pole.word.isascii():
        behind = re.compile(rf"[了在]?([{CJK}]{{1,2}}|[A-Za-z]+)").match(text, end)
        item = next(
            (
                item
                for item in told.items
                if 0 <= item.start - told.start - end <= 3
                and not item.weak
                and told.text[end : item.start - told.start].isalpha() | (item.start - told.start == end)
            ),
            None,
        )
        if pole.word in (
            "前",
            "后",
            "之前",
            "之后",
            "以前",
            "以后",
            "上面",
            "下面",
            "楼上",
            "楼下",
            "前面",
            "后面",
            "里面",
            "外面",
        ):
            before = text[max(0, pole.start - 2) : pole.start].replace("的", "").replace("吃", "")
            return frozenset((before[-1:],)) if before and re.match(rf"[{CJK}]", before[-1:]) else frozenset()
        if pole.word == "离开" or item is not None or pole.way == "motion":
            if item is not None:
                return item_keys(item)
            return frozenset((behind[1],)) if behind else frozenset()
        return frozenset((behind[1],)) if behind else frozenset()
    for item in told.items:
        at = item.start - told.start
        if at >= end and not item.weak:
            between = text[end:at].strip(" ~").casefold()
            if between in ("", "the", "a", "an", "about", "around", "roughly"):
                return item_keys(item) | frozenset((stem(item.norm.split()[0]),) if item.kind == "name" else ())
            break
    behind_it = [piece for piece in _pieces(text) if piece.start >= end]
    if len(behind_it) > 1 and behind_it[0].key in (USER, "~") and behind_it[1].link == "'s":
        behind_it = [behind_it[1]._replace(start=behind_it[0].start, link=behind_it[0].link)]
    nearest = behind_it[0] if behind_it else None
    if nearest is None or re.search(r"[,;.:()]", text[end : nearest.start]):
        return frozenset()
    between = text[end : nearest.start].strip().casefold()
    plain = not between or all(word in _ARTICLES for word in between.split())
    return frozenset((nearest.key,)) if plain or way == "than" else frozenset()


_ARTICLES = frozenset(lexicon.words("the a an his her their its my your our this that these those about roughly around"))


_MOTION = re.compile(
    r"\b(?:mov|travel|fl[iye]|flew|flown|driv|drove|train|bus|ferry|tram|commut|relocat|sen[dt]|export|import|migrat|switch|walk|went|go(?:es|ing)?\b|com(?:e|es|ing)\b|came|ship|pull|push"
    r"|rid|rode|cycl|run|ran|sail|depart|leav|left|arriv|transfer|emigrat|immigrat|mov|trip|road|route|way|tour|journey|bound|head|copi|sync|back up|backup|deliver|open|work|shift|last|stay)"
    r"|[搬飞迁来往去赶开出寄发转调]",
    re.I,
)
_NO_DIRECTION = re.compile(
    r"\b(?:prefer\w*|allerg\w*|married|engaged|listen\w*|used|want\w*|ha[sd]|have|like\w*|able|unable|due|similar|related|close|next|according|hop\w*|plan\w*|need\w*|try\w*|tri\w*|learn\w*|start\w*|begin\w*"
    r"|beg[au]n|get|get\w*|sensitive|intolerant|react\w*|suffer\w*|free|away|opposed|object\w*|reluctant|willing|belong\w*|apart|different|far|thanks|made|recover\w*|responsible|known|named|allow\w*|ban\w*|barr\w*|prevent\w*|stop\w*|keep\w*|kept|exempt\w*|refrain\w*|abstain\w*|search\w*|look\w*|car\w*)\s*$",
    re.I,
)


def _by_object(one: Told, two: Told, ours: list[Pole], others: list[Pole], way: str) -> tuple[Pole, Pole] | None:
    """Whether a thing stands behind one pole here and behind another there; not where it stands behind both."""

    def said(told: Told, side: list[Pole]) -> list[tuple[Pole, frozenset[str]]]:
        return [(pole, found) for pole in side if (found := _objects(told, pole, way)) and _leads(told.text, pole, way)]

    here, there = said(one, ours), said(two, others)
    for pole, what in here:
        for rival, thing in there:
            if rival.value == pole.value or not _any_same(what, thing):
                continue
            if any(other.value == rival.value and _any_same(keys, what) for other, keys in here):
                continue
            if any(other.value == pole.value and _any_same(keys, thing) for other, keys in there):
                continue
            both = all(len({other.value for other in side}) > 1 for side in (ours, others))  # from one to the other
            if way == "motion" and not both and not (_MOTION.search(one.text) and _MOTION.search(two.text)):
                span = (0, len(one.text)), (0, len(two.text))
                before, behind = _beside(one.text, pole, *span[0]).left, _beside(two.text, rival, *span[1]).left
                if not _tells(before) or before != behind:
                    continue
            if _often(one, what) or _often(two, thing):
                continue  # from Bern to Rome, Rome to Oslo
            return pole, rival
    return None


def _often(told: Told, keys: frozenset[str]) -> bool:
    """Whether a thing stands in a sentence more than once."""
    many = sum(not keys.isdisjoint(item_keys(item)) for item in told.items)
    return max(many, sum(piece.key in keys for piece in _pieces(told.text))) > 1


def _any_same(one: frozenset[str], other: frozenset[str]) -> bool:
    if not one.isdisjoint(other):
        return True
    return any(_same(mine, theirs) for mine in one if ":" not in mine for theirs in other if ":" not in theirs)


def _leads(text: str, pole: Pole, way: str) -> bool:
    """Whether *to* and *from* tell a direction."""
    if way != "motion" or not pole.word.isascii():
        return True
    before = text[max(0, pole.start - 24) : pole.start]
    if pole.word in ("to", "from", "for") and _NO_DIRECTION.search(before):
        return False
    return (
        pole.word != "for"
        or re.search(
            r"\b(?:leav\w*|left|depart\w*|train|bus|flight|ferry|bound|heading|set off|sets off)\b[^,;.]*$", before, re.I
        )
        is not None
    )


__all__ = ["Contrast", "agrees", "axes_of", "contrasts"]
