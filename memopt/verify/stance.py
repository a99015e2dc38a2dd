"""Whether two sentences that tell of the same thing tell it the same way round: affirmed or denied, begun or ended.

Both are cut into segments, and the segments that share a telling word are laid together. On each side of such a group the words are
counted that turn a meaning (``memopt.facts.polarity``). What both sides have is taken away; where an odd number is left, one says
the contrary of the other, unless the other side says so in passing (*allergic* for *cannot eat*, *only tea* for *no coffee*).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from memopt.facts import lexicon, senses
from memopt.facts.polarity import Turn, segments, turns
from memopt.facts.reading import denies, opens_clause
from memopt.facts.words import fold, stem
from memopt.verify.crossed import Clause, crossed
from memopt.verify.lines import COMMON_CHARS, LIKING, Told, is_cjk, item_keys, once_a_sentence, weigh
from memopt.verify.switched import told_backwards

_LONG = 4000
_MOST = 40
"""A sentence of more segments than this is no sentence, and not judged."""
_LINK = 0.5
"""A word of this weight ties two segments together, if what they share is this much of the lesser one:"""
_SHARED = 0.34
_LIGHT = 0.14
"""What no such word ties may be tied by one of this weight."""
_LEAST = 0.8
_LABEL = 30
"""A label has at most so many characters."""
_PAST = re.compile(
    r"\b(?:was|were|had|did|would(?! like| love| rather| prefer)|[a-z]{2,}ed|went|ran|wrote|taught|spoke|drove|rode|kept|sang|grew|wore|built|held|led|ate|drank|bought|left)\b",
    re.I,
)
_EXPLAINS = {
    "past": frozenset(("past", "deny", "end")),
    "over": frozenset(("deny", "refuse", "dislike")),
    "prefer": frozenset(("deny", "refuse", "dislike")),
    "than": frozenset(("deny", "refuse", "dislike")),
    "last": frozenset(("deny",)),
    "only": frozenset(("deny", "lack")),
    "mind": frozenset(),
}
"""Which denials on the other side a word that denies in passing may stand for; one that is not listed, for all."""
_CAUSES = frozenset(("allergy", "diet", "forget", "blind", "harm"))
"""Words that explain a denial of the other side even where both have them: *cannot eat nuts, being allergic*."""
_SAYS_SO_CJK = frozenset(("allergy", "forget", "lack", "idiom", "trouble"))
_SAYS_SO = frozenset(("last", "harm", "than", "kept", "optional", "todo", "unwed"))
"""Those that leave no doubt: *makes him sick* tells why he does not eat it."""
_OWN = frozenset(
    (
        "trouble",
        "idiom",
        "fear",
        "allergy",
        "dislike",
        "refuse",
        "un",
        "unable",
        "lack",
        "rare",
        "end",
        "debt",
        "forget",
        "blind",
        "diet",
    )
)
"""Words whose own denial affirms: *no trouble*, *not afraid*."""


_TASTE = LIKING | frozenset(
    (
        "喜欢",
        "不喜欢",
        "爱",
        "不爱",
        "讨厌",
        "喜爱",
        "偏爱",
        "会说",
        "说",
        "讲",
        "会讲",
        "喝",
        "吃",
        "会",
        "用",
        "使用",
        "做",
        "去",
        "看",
        "玩",
        "学",
        "养",
        "买",
    )
)
"""What says no more than whether something is liked, or done, ties nothing together."""


_DOING = frozenset(stem(word) for word in lexicon.words("eat drink consume take use have do make go get keep"))
"""Verbs so common that one ties nothing to another one of them: *eats*, *drinks*."""


class _Segment(NamedTuple):
    start: int
    end: int
    words: dict[str, bool]  # stems, and whether denied
    keys: frozenset[str]
    turns: tuple[Turn, ...]


class _Group(NamedTuple):
    """Segments of both sides that hang together, and the words that tie them."""

    mine: list[_Segment]
    theirs: list[_Segment]
    linked: list[tuple[str, str]]


class Verdict(NamedTuple):
    """Whether two sentences say the contrary of each other, and where in the first: offsets in its text.

    ``plain``: by nothing but a denial (``not``, 不). ``groups``: how many groups of segments do. ``turned``: which segment holds what
    only one of them denies, as (whether it is the second sentence's, start, end in that one's text); None where no word stands for it.
    ``overruled``: whether clause by clause they do, and in the longer parts of them they do not.
    """

    contrary: bool
    start: int
    end: int
    plain: bool = False
    groups: int = 1
    turned: tuple[bool, int, int] | None = None
    overruled: bool = False


@cache
def _antonyms() -> dict[str, frozenset[str]]:
    out: dict[str, set[str]] = {}
    for pair in lexicon.words(
        """good|bad well|badly well|poorly better|worse large|small big|small bigger|smaller more|less most|least positive|negative happy|sad
        together|apart loud|quiet rich|poor cheap|expensive early|late punctual|late always|seldom often|seldom often|rarely frequently|rarely
        always|rarely usually|rarely usually|seldom always|hardly often|hardly guilty|innocent
        alive|dead healthy|ill proud|ashamed single|married open|closed strong|weak kept|left true|false safe|dangerous everything|nothing
        died|survived dies|survives killed|survived cut|raised reduced|raised reduced|increased cut|increased
        returned|kept deleted|kept removed|kept discarded|kept raised|lowered increased|decreased grew|shrank gained|shed fast|slow hot|cold full|empty married|divorced married|separated starts|ends started|ended stays|move stays|moves stays|moving staying|move staying|moves staying|moving begin|end begins|ends began|ended
        forget|remember forgets|remembers forgot|remembered forgetting|remembering"""
    ):
        one, other = pair.split("|")
        out.setdefault(one, set()).add(other)
        out.setdefault(other, set()).add(one)
    # what surely turns a meaning is counted as that
    sure = {word for word in out if any(turn.sure for turn in turns(word))}
    return {word: frozenset(others - sure) for word, others in out.items() if word not in sure and others - sure}


def _segments(told: Told, fine: bool) -> list[_Segment]:
    return _fine_segments(told) if fine else _coarse_segments(told)


@once_a_sentence
def _fine_segments(told: Told) -> list[_Segment]:
    return _find_segments(told, True)


@once_a_sentence
def _coarse_segments(told: Told) -> list[_Segment]:
    return _find_segments(told, False)


def _find_segments(told: Told, fine: bool) -> list[_Segment]:
    found = turns(told.text)
    spans = _with_labels(told.text, segments(told.text, fine=fine))
    if found and not told.text.isascii():
        spans = _with_lists(told.text, _by_denial(spans, found, told.text), found)
    if len(spans) > _MOST:
        return []
    out: list[_Segment] = []
    for left, right in spans:
        words: dict[str, bool] = {}
        for word in told.words:
            if left <= word.start - told.start < right:
                words[word.stem] = words.get(word.stem, True) and word.negated
        keys = {
            key for item in told.items if not item.weak and left <= item.start - told.start < right for key in item_keys(item)
        }
        mine = tuple(turn for turn in found if left <= turn.start < right)
        if out and not mine and _SO_TOO.match(told.text, left, right):
            mine = out[-1].turns  # "nuts are off limits, and so is sesame"
        elif out and len(mine) == 1 and _ELLIPTIC.search(told.text, left, right):
            # "thunder scares him, a hoover does not": it denies what was said of the one before
            at = mine[0].end
            mine = (*mine, *(turn._replace(start=at, end=at) for turn in out[-1].turns if turn.kind in _OWN))
            before = next((each for each in reversed(out) if each.words), out[-1])
            if not before.turns and not any(map(_is_telling, words)) and not is_cjk(told.text[mine[0].start]):
                words = {**dict.fromkeys(before.words, True), **words}  # "Tariq may work from home, but the user may not"
        if (
            out
            and not keys
            and any(turn.sure for turn in mine)
            and not any(
                _is_telling(word) and not any(turn.kind != "lack" and word in told.text[turn.start : turn.end] for turn in mine)
                for word in words
            )
            and is_cjk(told.text[mine[0].start])
        ):  # "所以他不看" goes on with what stands before it
            last = out[-1]
            again = _DENIED_TOO.match(told.text, left) and any(turn.kind == "deny" for turn in last.turns)
            turns_of_both = last.turns if again else (*last.turns, *mine)  # 没学过，也不想学 denies twice, and not the denial
            out[-1] = _Segment(last.start, right, {**words, **last.words}, last.keys, turns_of_both)
            continue
        if out and mine and not keys and _BARE.fullmatch(told.text, left, right):  # ", something she has never done"
            last = out[-1]
            out[-1] = _Segment(last.start, right, last.words, last.keys, (*last.turns, *mine))
            continue
        if (
            out
            and mine
            and not out[-1].turns
            and _GOES_ON.fullmatch(told.text, left, mine[0].start)
            and _REFERS_BACK.match(told.text, mine[-1].end, right)
        ):
            last = out[-1]  # "wanted a dog but decided against it because of the flat"
            out[-1] = _Segment(last.start, right, {**words, **last.words}, last.keys | keys, (*last.turns, *mine))
            continue
        if out and _NOT_THERE.match(told.text, left):
            words = {**dict.fromkeys(out[-1].words, False), **words}  # "dogs are welcome in the garden but not in the house"
        if out and not fine and not mine and _APPOSITION.fullmatch(told.text, left, right):
            last = out[-1]
            out[-1] = _Segment(last.start, right, {**words, **last.words}, last.keys | keys, last.turns)
            continue
        out.append(_Segment(left, right, words, frozenset(keys), mine))
    return out


_GOES_ON = re.compile(
    r"[\s,;]*(?:(?:but|and|yet|then|though|although|he|she|they|later|eventually|finally|in the end|has|have|had) ?)+", re.I
)
_REFERS_BACK = re.compile(
    r" (?:(?:it|that|this)(?= (?:because|as|since|so|for|after|in the end|again|last|when|due)\b|[.,;]|\s*\Z)|doing (?:so|it|that)\b|the (?:idea|plan|thought)\b)",
    re.I,
)
"""Behind a denial: it denies what the clause before tells."""
_DENIED_TOO = re.compile("[，,；;]?(?:也|又|更|并|且|并且|而且)+[不没]")
_NOT_THERE = re.compile(r"[\s,;]*(?:but|and|though) not (?:of|for|to|with|by|in|on|at|from)\b", re.I)
_NEEDS = frozenset(("need", "else"))
"""Words that say that something must be so: 必须检查，否则…, for 不检查就…."""
_ELLIPTIC = re.compile(
    r"[\u4e00-\u9fff](?:[则則就却卻倒]|[则則就却卻倒]?并)(?:不[会會怕]?|没有?|沒有?)[。；;，,.\s]*\Z"
    r"|\b(?:do|does|did|is|are|was|were|has|have|can|could|will|would|may|might|must|should)(?: not|n['’]t)[.;,\s]*\Z"
    rf"|\A{_NOT_THERE.pattern}",
    re.I,
)
"""A clause that only denies, of another thing, what the one before says."""


_BARE = re.compile(
    r"[\s,;]*(?:(?:but|and|though|although|yet|a place|a thing|something|somewhere|which|where|that|so far) )*(?:(?:he|she|they|it|the user|user|this|that) )?"
    r"(?:has|have|had|is|was|were|did|does|do|been|can|could)?(?:n['’]t| not| never| yet| so far| ever){1,3}"
    r"(?: (?:been|done|do|have|tried|seen|visited|experienced|happened|used|had|so|there|that|it|this|one|before|yet|so far|till now|until now|ever|far)){0,4}[\s.;,!]*",
    re.I,
)
"""A clause that denies what the one before it tells, and tells nothing itself."""


_SECOND = re.compile(r"[不没沒](?![不没沒是会會过過]).")
_MAY_NOT = re.compile("[不没][许能准让可得行肯给]")
_EVER_SINCE = re.compile(r"(?<![，,；;。])(?:以来|之后(?![，,])|以后(?![，,]))")
"""自戒烟以来|没再抽过: what was ended is one thing, and that it is so since another."""
_LIST_HEAD = 7
"""What stands before 和 or 、 in a list that begins a clause has at most so many characters."""


def _by_denial(spans: list[tuple[int, int]], found: Sequence[Turn], text: str) -> list[tuple[int, int]]:
    """Chinese clauses cut where a second denial follows without a mark: 不加糖不加奶."""
    denials = [turn for turn in found if turn.sure and turn.kind == "deny" and _SECOND.match(text, turn.start)]
    sure = [turn for turn in found if turn.sure]
    after = [
        place.end()
        for place in _EVER_SINCE.finditer(text)
        if any(turn.end <= place.end() for turn in sure) and any(place.end() <= turn.start for turn in sure)
    ]
    cuts = set(after) | {
        turn.start
        for before, turn in pairwise(denials)
        if turn.start >= before.end + 2
        and (not _MAY_NOT.match(text, turn.start) or _MAY_NOT.match(text, before.start))  # 不戴头盔不许上路
        and text[turn.start - 1] not in "也都还還又就并且而在是把对给有想会能要用到于从向跟和与"
    }
    out: list[tuple[int, int]] = []
    for left, right in spans:
        places = [left, *sorted(at for at in cuts if left < at < right), right]
        out += list(pairwise(places))
    return out


def _with_lists(text: str, spans: list[tuple[int, int]], found: Sequence[Turn]) -> list[tuple[int, int]]:
    """Chinese lists put together again: 糖|和奶都不放, 不碰股票|和加密货币."""
    out: list[tuple[int, int]] = []
    for left, right in spans:
        if out and text[left] in "、和与與及或" and not text[left : left + 2].startswith(("和解", "与其")):
            start = out[-1][0]
            before = text[start:left].strip("，,；;。 ")
            head = not any(start <= turn.start < left for turn in found)
            if (head and len(before) <= _LIST_HEAD) or (not head and not any(left <= turn.start < right for turn in found)):
                out[-1] = (start, right)
                continue
        out.append((left, right))
    return out


_APPOSITION = re.compile(r",\s+(?:(?:his|her|their|the user['’]s) [a-z]+|[A-Z][\w'’-]+)\s*[,.;!]?\s*")
"""A name behind what bears it, and the other way round: *his dog, Max*."""


_TOPIC = re.compile(
    r"[，,；;]?\s*(?:(?:至于|关于|对于|针对|有关|谈到|说到|提到)[^，。；]*|(?!用户)[^，。；]{1,8}(?:上|方面|而言|来说))\Z"
)
"""``对于这个计划，`` and ``饮食上，`` say nothing before what follows."""


_SO_TOO = re.compile(r"[\s,;]*and so (?:is|are|was|were|do|does|did|has|have|can|will)\b", re.I)


_TELLS = re.compile(r"\b(?:is|are|was|were|has|have|had|do|does|did|will|would|can|cannot|could|must|should)\b", re.I)
"""A verb before a colon: what stands there is no label, but says something itself."""


def _with_labels(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """``allergies: nuts`` is one statement: a label turns what stands behind its colon, and so does what a Chinese sentence is about."""
    out: list[tuple[int, int]] = []
    for left, right in spans:
        if out and (
            (text[left] in ":：" and left - out[-1][0] <= _LABEL and not _TELLS.search(text, out[-1][0], left))
            or (text[left] in "，," and _TOPIC.match(text, out[-1][0], left))
        ):
            out[-1] = (out[-1][0], right)
        else:
            out.append((left, right))
    return out


@lru_cache(maxsize=16384)
def _meet(one: str, two: str) -> bool:
    if one == two:
        return True
    if is_cjk(one) or is_cjk(two):
        if any(char in two and char not in COMMON_CHARS for char in one):
            return True
        return senses.closeness(one, two) >= _LEAST
    return senses.closeness(one, two) >= _LEAST


def _by_character(one: str, two: str) -> bool:
    return one != two and is_cjk(one) and is_cjk(two) and senses.closeness(one, two) < _LEAST


_BEARS = frozenset(stem(word) for word in lexicon.words("tolerate tolerates tolerated tolerable tolerance"))


def _borne(one: str, two: str) -> bool:
    """Whether one word says that something is borne, and the other one is of another kind: *tolerates*, *allergic*."""
    return (one in _BEARS) != (two in _BEARS)


def _telling(segment: _Segment, ignored: frozenset[str], least: float) -> dict[str, float]:
    """The words of some weight of a segment."""
    return {word: weigh(word) for word in segment.words if word not in ignored and weigh(word) >= least and word not in _TASTE}


def _linked(mine: dict[str, float], theirs: dict[str, float], both: frozenset[str]) -> list[tuple[str, str]]:
    """The words of some weight that two segments share; [] where they are few beside what both tell.

    ``both``: the words that both sentences have. What one of them shares with another is no more than a character: 川菜, 香菜.
    """
    out = []
    for word in mine:
        other: str | None = word
        if word not in theirs:
            other = next(
                (each for each in theirs if _meet(word, each) and not {word, each} <= _DOING and not _borne(word, each)), None
            )
        if other is not None and _by_character(word, other) and (word in both or other in both):
            continue
        if other is not None:
            out.append((word, other))
    shared = min(sum(mine[word] for word, _ in out), sum(theirs[word] for word in {word for _, word in out}))
    return out if shared >= _SHARED * min(sum(mine.values()), sum(theirs.values())) else []


def compare(one: Told, two: Told, ignored: frozenset[str] = frozenset()) -> Verdict | None:
    """Whether two sentences that tell of the same say the contrary of each other.

    Args:
        ignored: stems that tell nothing here, such as the user's name.

    Returns:
        None where nothing that turns a meaning is in them, or where it cannot be told.
    """
    backwards = told_backwards(one.text, two.text, _meet)
    if backwards:
        return Verdict(True, 0, len(one.text))
    if not turns(one.text) and not turns(two.text) and not (_antonym_words(one.text) and _antonym_words(two.text)):
        return None
    ignored = ignored | (_head(one) & _head(two))  # whom both tell of ties no clause of one to a clause of the other
    fine = _compare(one, two, ignored, fine=True)
    if fine is None or not fine.contrary:
        return fine
    if backwards is False and fine.groups == 1:
        return Verdict(False, 0, len(one.text))  # what one gave up, the other tells as what gave way
    if fine.plain and fine.groups > 1:
        return fine  # what one denies of the first, the other denies of the second
    # "hates noise while coding", "noise during work is what he cannot stand": such a word may hang on either part of a sentence.
    coarse = _compare(one, two, ignored, fine=False)
    if coarse is not None and not coarse.contrary:
        return coarse._replace(overruled=True)
    rest = _compare(one, two, ignored, fine=True, beside=True)
    return fine if rest is not None and rest.contrary else Verdict(False, 0, len(one.text))


def explained(one: Told, two: Told, ignored: frozenset[str]) -> bool:
    """Whether one of two sentences denies what the other says in passing to be so: *cannot climb stairs*, *stairs are beyond her*.

    For rules that see less of a sentence than this one does: such a denial counts on neither side.
    """
    ignored = ignored | (_head(one) & _head(two))
    for fine in (True, False):
        left, right = _segments(one, fine), _segments(two, fine)
        for group in _groups(left, right, ignored) if left and right else ():
            here, there = ([turn for segment in side for turn in segment.turns] for side in (group.mine, group.theirs))
            for denying, other, text in ((here, there, two.text), (there, here, one.text)):
                if (
                    [turn.kind for turn in denying] in _DENIED_PLAINLY
                    and other
                    and all(_in_passing(turn, text) for turn in other)
                    and _answer(group.mine, group.theirs, text, denying is here)
                    and not _clash(one, two, group, (frozenset(), frozenset()))
                ):
                    return True
    return False


def _answer(mine: Sequence[_Segment], theirs: Sequence[_Segment], text: str, first: bool) -> bool:
    """Whether what a side says in passing stands with what the other side denies, and is not the very word that it denies.

    Args:
        text: of the side that says something in passing.
        first: whether the first side denies.
    """
    denies, other = (mine, theirs) if first else (theirs, mine)
    denied = [word for segment in denies for word, negated in segment.words.items() if negated]
    for segment in other:
        for turn in segment.turns:
            word = text[turn.start : turn.end]
            if stem(word.casefold()) in denied or word in denied:
                return False  # challenging, not challenging
        if segment.turns and denied and not any(_meet(word, known) for word in denied for known in segment.words):
            return False  # "not challenging", "apart from her meetings"
    return True


_DENIED_PLAINLY = (["deny"], ["unable"], ["refuse"])


def _in_passing(turn: Turn, text: str) -> bool:
    """Whether a turn says that something is not so, and tells nothing besides."""
    return not (turn.sure or turn.kind in ("prefer", "than", "past", "rare", "todo", "kept", "end", "dislike")) and (
        turn.kind != "over" or _ONLY.fullmatch(text, turn.start, turn.end) is None
    )


def _head(told: Told) -> frozenset[str]:
    """The stems of a name that a sentence begins with."""
    first = next((item for item in told.items if item.kind == "name" and item.start - told.start <= 3), None)
    return frozenset() if first is None else frozenset(stem(part) for part in first.norm.split())


def _compare(one: Told, two: Told, ignored: frozenset[str], *, fine: bool, beside: bool = False) -> Verdict | None:
    """``beside``: leave out what says more of what a clause of the same sentence tells completely."""
    left, right = _segments(one, fine), _segments(two, fine)
    if not left or not right:
        return None
    agreed = False
    groups = _groups(left, right, ignored, apart=True, beside=beside)
    mine = {segment.start for group in groups for segment in group.mine}
    theirs = {segment.start for group in groups for segment in group.theirs}
    loose = _loose(left, mine, ignored), _loose(right, theirs, ignored)
    first: Verdict | None = None
    for group in groups:
        clash = _clash(one, two, group, loose)
        if clash and _tied_by_people_alone(one, two, group):
            clash = None
        if clash and first is None:
            first = Verdict(True, group.mine[0].start, group.mine[-1].end, clash == "deny", turned=_turned(one, two, group))
        elif clash and first is not None:
            first = first._replace(groups=first.groups + 1)
        agreed = agreed or clash == ""
    if first is not None:
        return first
    if (
        _exchanged(one.text, two.text)
        or _crossed(one, two, ignored)
        or _crossed_clauses(one, two, ignored)
        or _lumped(one, two)
        or _denied_throughout(one, two)
    ):
        return Verdict(True, 0, len(one.text))
    return Verdict(False, 0, len(one.text)) if agreed else None


def _loose(side: list[_Segment], tied: set[int], ignored: frozenset[str]) -> frozenset[str]:
    """What turns something in segments that hang together with nothing: kinds; ``_ANY`` where it may turn what another one tells.

    One that tells a fact of its own (*skips leg day because of a bad knee*) denies that alone.
    """
    out: set[str] = set()
    for segment in side:
        if segment.start in tied:
            continue
        kinds = {turn.kind for turn in segment.turns if turn.sure or turn.kind == "un"}
        if not kinds:
            continue
        own = sum(_telling(segment, ignored, _LINK).values())
        small = own < _OWN_FACT or any(is_cjk(word) for word in segment.words)
        out |= {_ANY} if small else kinds - {"deny"}
    return frozenset(out)


_ANY = "*"
_OWN_FACT = 1.0
"""A segment whose telling words weigh this much together tells a fact of its own."""
Group = _Group
"""Segments of two sentences that tell of the same."""
meet = _meet
"""Whether two stems may stand for each other."""


def laid_together(one: Told, two: Told, ignored: frozenset[str] = frozenset()) -> list[_Group]:
    """The segments of both sentences that tell of the same; two that cannot be cut are laid together whatever they share."""
    left, right = _segments(one, fine=False), _segments(two, fine=False)
    if len(left) == 1 and len(right) == 1:
        return [_Group(left, right, [])]
    return _groups(left, right, ignored) if left and right else []


def _groups(
    left: list[_Segment], right: list[_Segment], ignored: frozenset[str], *, apart: bool = False, beside: bool = False
) -> list[_Group]:
    """Each group once: by telling words and items first, then what is left by any word.

    Args:
        apart: leave out a segment that turns something of its own, and shares no more than another segment tells better.
        beside: also one that shares a part of what another segment tells completely.
    """
    links: dict[tuple[int, int], list[tuple[str, str]]] = {}
    both = frozenset(word for segment in left for word in segment.words) & {word for segment in right for word in segment.words}
    for least in (_LINK, _LIGHT):
        free = (
            set(range(len(left))) - {at for at, _ in links},
            set(range(len(right))) - {at for _, at in links},
        )
        others = {place: _telling(right[place], ignored, least) for place in sorted(free[1])}
        for at in sorted(free[0]):
            words = _telling(left[at], ignored, least)
            for place, rivals in others.items():
                shared = _linked(words, rivals, both)
                if shared or any(not _ignores(key, ignored) for key in left[at].keys & right[place].keys):
                    links[at, place] = shared
    links = _best(links, left, right)
    if apart:
        links = _without_asides(links, left, right, ignored, beside)
    group_of: dict[tuple[str, int], int] = {}
    groups: list[set[tuple[str, int]]] = []
    for at, place in links:
        ends = {("l", at), ("r", place)}
        merged = ends.union(*(groups[group_of[node]] for node in ends if node in group_of))
        groups.append(merged)
        for node in merged:
            group_of[node] = len(groups) - 1
    out = []
    for number in sorted(set(group_of.values())):
        mine = sorted(at for side, at in groups[number] if side == "l")
        theirs = sorted(at for side, at in groups[number] if side == "r")
        linked = [pair for at in mine for place in theirs for pair in links.get((at, place), ())]
        out.append(_Group([left[at] for at in mine], [right[at] for at in theirs], linked))
    return out


def _ignores(key: str, ignored: frozenset[str]) -> bool:
    """Whether a key is that of a name which tells nothing here."""
    return key.startswith("name:") and all(stem(part) in ignored for part in key[5:].split())


_NAMED = 0.5
"""What it adds that two segments tell of the same person, or begin with the same word."""


def _best(
    links: dict[tuple[int, int], list[tuple[str, str]]], left: list[_Segment], right: list[_Segment]
) -> dict[tuple[int, int], list[tuple[str, str]]]:
    """The links without those that are weak beside another one at both their ends."""

    def force(at: int, place: int) -> float:
        # 白酒 and 啤酒 share a character, and are two things
        shared = links[at, place]
        told = sum(weigh(word) * (0.5 if _by_character(word, other) else 1.0) for word, other in shared) or 1.0  # an item
        named = any(key.startswith("name:") for key in left[at].keys & right[place].keys)
        first = next(iter(left[at].words), "")
        named = named or (is_cjk(first) and first == next(iter(right[place].words), ""))
        return told + (_NAMED if named else 0.0)

    most: dict[tuple[str, int], float] = {}
    for at, place in links:
        for end in (("l", at), ("r", place)):
            most[end] = max(most.get(end, 0.0), force(at, place))

    def holds(at: int, place: int, shared: list[tuple[str, str]]) -> bool:
        mine, theirs, own = most["l", at], most["r", place], force(at, place)
        if shared and all(_by_character(*pair) for pair in shared) and own < 0.5 * max(mine, theirs):
            return False
        if own < max(mine, theirs) and any(map(is_cjk, left[at].words)) and _of_others(left[at], right[place]):
            return False  # 顾航从不迟到 is not told by what 徒弟阿磊 does, where it is told of 顾航
        return own > 0.5 * min(mine, theirs)

    return {(at, place): shared for (at, place), shared in links.items() if holds(at, place, shared)}


def _without_asides(
    links: dict[tuple[int, int], list[tuple[str, str]]],
    left: list[_Segment],
    right: list[_Segment],
    ignored: frozenset[str],
    beside: bool,
) -> dict[tuple[int, int], list[tuple[str, str]]]:
    """The links without those to a segment that turns a thing of its own: *cannot bear night shifts*, *who hates being alone at night*.

    Such a one shares a part of what another segment shares, and has more words beside; or (``beside``) the other one tells all of it:
    *lent Robbie her tent*, *no longer lends him anything*.
    """
    if len(links) < 2:
        return links
    names = {
        stem(part) for segment in (*left, *right) for key in segment.keys if key.startswith("name:") for part in key[5:].split()
    }
    out = dict(links)
    for swapped, near, far in ((False, left, right), (True, right, left)):
        if len(far) < 2 or not any(segment.turns for segment in far):
            continue
        for number in range(len(near)):
            mine = {
                place if not swapped else at: {pair[swapped] for pair in shared}
                for (at, place), shared in links.items()
                if (at if not swapped else place) == number
            }
            for other, shared in mine.items():
                segment = far[other]
                if not segment.turns or is_cjk(next(iter(segment.words), "a")):
                    continue
                weight = sum(weigh(word) for word in shared)
                rivals = [better for rival, better in mine.items() if rival != other]
                own = sum(_telling(segment, ignored, _LINK).values())
                named = shared <= names and any(not better <= names for better in rivals) and own > weight
                complete = (
                    beside
                    and not near[number].turns
                    and not segment.keys - near[number].keys
                    and any(
                        shared < better and better.issuperset(_telling(near[number], ignored, _LINK)) and not far[rival].turns
                        for rival, better in mine.items()
                    )
                )
                told = complete or (
                    own >= 2 * weight and segment.keys.isdisjoint(near[number].keys) and any(shared < better for better in rivals)
                )
                if named or told:
                    out.pop((number, other) if not swapped else (other, number), None)
    return out


def _of_others(one: _Segment, two: _Segment) -> bool:
    """Whether two segments name people, and none of them both."""
    here = {key for key in one.keys if key.startswith("name:")}
    there = {key for key in two.keys if key.startswith("name:")}
    return bool(here) and bool(there) and here.isdisjoint(there)


class _Count(NamedTuple):
    """What turns the meaning on one side of a group."""

    sure: list[tuple[str, Turn | None]]  # kind, and where it stands
    maybe: set[str]


def _count(
    text: str, side: list[_Segment], other: list[_Segment], linked: list[str], other_text: str, governed: frozenset[str]
) -> _Count:
    """``governed``: kinds of words that are denied somewhere: then each of them counts."""
    known = {word for segment in other for word in segment.words}
    sure: list[tuple[str, Turn | None]] = []
    maybe: set[str] = set()
    for segment in side:
        for turn in segment.turns:
            if turn.sure and turn.kind == "end" and _is_no_turn(text[turn.start : turn.end], other, "end"):
                continue
            if turn.base and _has_base(turn.base, known, other_text):
                sure.append(("un", turn))
            elif (
                turn.sure
                and not (
                    len(other) == 1
                    and sum(each.sure for each in other[0].turns) < 2
                    and turn.kind == "deny"
                    and turn.start <= segment.start + _SOON
                    and _denied_before(sure, segment)
                )
            ) or (
                not turn.sure
                and turn.kind in governed
                and not (turn.kind == "lack" and _is_no_turn(text[turn.start : turn.end], other, "lack"))
            ):
                sure.append((turn.kind, turn))
            elif not turn.sure and not (turn.kind == "lack" and _is_no_turn(text[turn.start : turn.end], other, "lack")):
                maybe.add(turn.kind)
    if (
        not sure
        and not maybe
        and any(segment.words.get(word) for segment in side for word in linked)
        and (
            all(_goes_on(text[segment.start : segment.end]) for segment in side)
            or all(
                _OR.match(text, segment.start) and _goes_on(text[segment.start : segment.end])
                for segment in side
                if any(segment.words.get(word) for word in linked)
            )
        )
    ):
        sure.append(("deny", None))  # "no pork, beef or shrimp": the denial stands in a segment before
    past = next((entry for entry in sure if entry[0] == "past"), None)
    if past is not None and any(
        kind in ("deny", "end") and turn is not None and _holder(turn, side) != _holder(past[1], side) for kind, turn in sure
    ):  # "used to sail but no longer does" tells one end
        sure.remove(past)
        maybe.add("past")
    return _Count(sure, maybe)


def _denied_one_by_one(count: _Count, side: list[_Segment], none: _Count, other: list[_Segment]) -> bool:
    """Whether clauses deny, each for itself, things that the other side affirms: an even number of denials, and still the contrary."""
    parts = [segment for segment in side if any(turn.sure for turn in segment.turns)]
    if none.sure or none.maybe or count.maybe or len(parts) < 2 or any(segment.turns for segment in other):
        return False
    return all(
        [turn.kind for turn in part.turns] == ["deny"]
        and any(
            word == told or _meet(word, told)
            for word in part.words
            for segment in other
            for told in segment.words
            if _is_telling(word)
        )
        for part in parts
    )


def _said_again(
    many: _Count, side: list[_Segment], single: _Count, other: list[_Segment], linked: list[tuple[str, str]], text: str
) -> bool:
    """Whether two clauses of one side deny what the other side denies once: *is off the menu for him, who cannot eat it*.

    Denials of one clause turn each other round (*does not refuse*); those of several each deny for themselves, unless the other side
    affirms what one of them denies.
    """
    if len(many.sure) != len(single.sure) + 1 or not single.sure:
        return False
    own = [_holder(turn, side) for _, turn in many.sure]
    if any(segment is None or len(segment.turns) > 1 for segment in own):
        return False  # "is not a former smoker"
    theirs = [_holder(turn, other) for _, turn in single.sure]
    denied = {word for segment in theirs if segment is not None for word in segment.words}
    affirmed = {word for segment in other if segment not in theirs for word in segment.words} - denied
    if all(kind == "deny" for kind, _ in single.sure):
        plain = {word for segment in other for word, negated in segment.words.items() if not negated}
        affirmed |= plain - {word for segment in other for word, negated in segment.words.items() if negated}
        own = [
            segment and segment._replace(words={word: True for word, negated in segment.words.items() if negated})
            for segment in own
        ]
    return not any(
        text[segment.start : segment.end].lstrip(" ,").startswith(("or ", "nor ", "that "))
        or any(mine in segment.words and told in affirmed for mine, told in linked if weigh(mine) >= _WORD)
        for segment in own
        if segment is not None
    )


def _holder(turn: Turn | None, side: list[_Segment]) -> _Segment | None:
    """The segment of a side in which a turn stands."""
    return None if turn is None else next((each for each in side if each.start <= turn.start < each.end), None)


def _one_affirmed(side: list[_Segment], none: _Count, other: list[_Segment]) -> bool:
    """Whether the other side affirms one of several things that Chinese clauses deny each for itself: 没养过，也不想养, 养过，还想再养."""
    parts = [segment for segment in side if any(turn.sure for turn in segment.turns)]
    if none.sure or len(parts) < 2:
        return False
    for part in parts:
        words = [word for word in part.words if _is_telling(word)]
        told = [each for each in other if any(_meet(word, known) for word in words for known in each.words)]
        if [turn.kind for turn in part.turns] == ["deny"] and told and not any(each.turns for each in told):
            return True
    return False


def _denied_in_parts(many: list[_Segment], single: list[_Segment], text: str) -> bool:
    """Whether several clauses deny, one by one, what one clause of the other side denies at once: 不加糖，不加奶, 糖和奶都不加."""
    parts = [segment for segment in many if any(turn.sure for turn in segment.turns)]
    whole = [segment for segment in single if any(turn.sure for turn in segment.turns)]
    if len(parts) < 2 or len(whole) != 1 or any(sum(turn.sure for turn in each.turns) != 1 for each in (*parts, *whole)):
        return False
    if is_cjk(text[0]):
        if len(single) == 1:
            return True
        return all(
            any(_meet(word, other) for word in part.words for other in whole[0].words if _is_telling(word)) for part in parts
        )
    return len(many) > 1 and len(single) == 1 and sum(_tells(segment) for segment in many) < 2


_CHAR = 0.2
"""A word of one character, 葱 or 虾, weighs this much."""
_SINCE = frozenset(("之后", "以后", "后来", "此后", "从此", "以来", "至今", "如今", "现在", "目前"))
_MEASURES = frozenset("口根支滴次杯瓶点个只条天回")
_VERBS = frozenset(
    "行放加打抽买卖看听学住用做开走跑坐站拿给说写读穿戴养带收送借还教喝吃玩去来碰沾选要过再都也没不口根次回点就却则支杯滴条"
)
"""Characters that stand as words and name no thing that is denied."""


def _is_telling(word: str) -> bool:
    """Whether a word names something, if only by one character."""
    if word in _TASTE or word in _SINCE or (word[0] in "一半" and all(char in _MEASURES for char in word[1:])):
        return False
    return weigh(word) >= _LINK or (
        len(word) == 1 and is_cjk(word) and weigh(word) >= _CHAR and word not in COMMON_CHARS and word not in _VERBS
    )


def _tells(segment: _Segment) -> bool:
    """Whether a segment has a telling word or an item of its own."""
    return bool(segment.keys) or any(weigh(word) >= _LINK and word not in _TASTE for word in segment.words)


def _is_no_turn(word: str, other: list[_Segment], kind: str) -> bool:
    """Whether the other side has a form of a word that turns nothing there: *the beads are fired*, *fires her beads*; *is missing it*, *misses it*."""
    if not word.isascii() or not word.isalpha() or any(turn.kind == kind for segment in other for turn in segment.turns):
        return False
    root = stem(word)
    return any(root in segment.words for segment in other)


_LIST = re.compile(r"\s*(?:[,，、]|(?:or|and|nor)\b|[和或与及])\s*(?:(?:or|and|nor)\b\s*)?", re.I)


_OR = re.compile(r"[\s,]*(?:or|nor|and)\b", re.I)
_THE_TWO = re.compile(r"\s*(?:the (?:two|three|four|pair|couple|others?)|both(?: of them)?|all of them) [a-z]+", re.I)
"""*and the two argue* goes on with no list."""
_IMPERATIVE = re.compile(r"\s*[a-z]+ (?:him|her|them|me|us|it)\b", re.I)
"""*does not use Slack, write him an e-mail* goes on with no list."""


def _goes_on(text: str) -> bool:
    """Whether a segment merely goes on with a list, which may be denied by what stands before it."""
    found = _LIST.match(text)
    if found is None or denies(text) or _IMPERATIVE.match(text, found.end()) or _THE_TWO.match(text, found.end()):
        return False
    return found[0].strip()[:1] in "、和或与及" or not opens_clause(text[found.end() :])


def _denied_before(sure: list[tuple[str, Turn | None]], segment: _Segment) -> bool:
    """``neither brothers nor sisters`` denies once what is told in one word."""
    return any(kind == "deny" and turn is not None and turn.end <= segment.start for kind, turn in sure)


_SOON = 6
"""A denial within so many characters of a segment's head repeats the one before it: ``nor``, ``and no``."""


_CJK_OPPOSITES = {
    "好": "差坏糟",
    "高": "低",
    "大": "小",
    "多": "少",
    "远": "近",
    "长": "短",
    "快": "慢",
    "强": "弱",
    "低": "高",
    "贵": "便宜",
}


def _told_otherwise(side: list[_Segment], text: str) -> bool:
    """Whether the other side has the opposite of what is denied: 不好, 差."""
    bases = [turn.base for segment in side for turn in segment.turns if turn.base in _CJK_OPPOSITES]
    return any(char in text for base in bases for char in _CJK_OPPOSITES[base])


_MINDING = "(?:介意|在意|在乎|当回|计较)"


def _has_base(base: str, known: set[str], text: str) -> bool:
    if is_cjk(base):
        return re.search(rf"(?<![不没太]){_MINDING if re.fullmatch(_MINDING, base) else base}", text) is not None
    return any(_meet(base, word) for word in known)


def _clash(one: Told, two: Told, group: _Group, loose: tuple[frozenset[str], frozenset[str]]) -> str | None:
    """What turns one side of a group into the contrary of the other; "" where they agree, None where it cannot be told."""
    mine, theirs, linked = group
    here_text = " ".join(one.text[segment.start : segment.end] for segment in mine)
    there_text = " ".join(two.text[segment.start : segment.end] for segment in theirs)
    governed = _governed(one.text, mine) | _governed(two.text, theirs)
    here = _count(one.text, mine, theirs, [pair[0] for pair in linked], there_text, governed)
    there = _count(two.text, theirs, mine, [pair[1] for pair in linked], here_text, governed)
    if any(_denied_in_parts(many, single, one.text) for many, single in ((mine, theirs), (theirs, mine))):
        return ""
    for count, side, text in ((here, theirs, two.text), (there, mine, one.text)):
        if [turn for _, turn in count.sure] == [None] and all(_goes_on(text[part.start : part.end]) for part in side):
            return None  # both go on with a list: whether it is denied is told by what stands before it on either side
    turned = _antonym(here_text, there_text)
    for one_side, other_side, other_text, hangs in ((here, there, two.text, loose[1]), (there, here, one.text, loose[0])):
        # "takes penicillin" of "is allergic to penicillin": nothing on the other side tells in other words that it does harm
        if (
            _ALLERGY in one_side.maybe
            and not _of_two(one, two)
            and not (other_side.sure or other_side.maybe or hangs)
            and not _harms(other_text)
        ):
            return "opposite"
    if is_cjk(one.text[0]) and (_one_affirmed(mine, there, theirs) or _one_affirmed(theirs, here, mine)):
        return "deny"
    if _denied_one_by_one(here, mine, there, theirs) or _denied_one_by_one(there, theirs, here, mine):
        return "deny"
    if not here.sure and not there.sure:
        if _told_otherwise(mine, there_text) or _told_otherwise(theirs, here_text):
            return ""
        disliked = _DISLIKES & here.maybe and not there.maybe & _DISLIKES and _likes(there_text) and not _likes(here_text)
        disliked = disliked or (
            _DISLIKES & there.maybe and not here.maybe & _DISLIKES and _likes(here_text) and not _likes(there_text)
        )
        if "mind" in here.maybe & there.maybe and not turned:
            return ""  # 不在意, 不当回事
        return "opposite" if turned or disliked else None
    if not turned and (
        _said_again(here, mine, there, theirs, linked, one.text)
        or _said_again(there, theirs, here, mine, [(told, word) for word, told in linked], two.text)
    ):
        return ""
    _cancel(here, there)
    both = here.maybe & there.maybe
    for count, text in ((here, here_text), (there, there_text)):
        if "prefer" in count.maybe and _PREFERRED_TO.search(text):
            count.maybe.add("over")
    left = len(here.sure) + len(there.sure) + turned
    if left % 2 == 0:
        return ""
    swapped = not here.sure
    rest, other = (there, here) if swapped else (here, there)
    if not rest.sure:
        return None if rest.maybe or other.maybe else "opposite"
    kind, turn = rest.sure[-1]
    if loose[0 if swapped else 1] & {_ANY, kind}:
        return None  # it may stand in what hangs together with nothing
    if turn is not None and is_cjk(one.text[0]):
        clause = _holder(turn, theirs if swapped else mine)
        if (
            clause is not None
            and kind in _POLED
            and _of_other_pole((two if swapped else one).text[turn.end : clause.end], here_text if swapped else there_text)
        ):
            return ""
    own_text = two.text if swapped else one.text
    states = turn is None or _STATES.search(own_text[: turn.end])  # "is not fun" has a word of its own for what it denies
    if (
        kind == "deny"
        and len(rest.sure) == 1
        and linked
        and not states
        and _denies_else(*((theirs, mine) if swapped else (mine, theirs)), turn)
    ):
        return None
    if kind == "deny" and turn is not None and not is_cjk(own_text[0]):
        other_text = here_text if swapped else there_text
        if own_text[turn.start : turn.end].casefold() == "without" and _UNLESS.search(other_text):
            return ""  # "won't go without him", "refuses to go unless he comes"
        bound = _BEFORE.search(own_text, turn.end)
        if bound is not None and _FROM_THEN[bound[0].casefold()].search(other_text):
            return ""  # "cannot leave before Friday", "must stay until Friday"
    if kind == "deny" and _EXCEPT.search(own_text) and _ONLY.search(one.text if swapped else two.text):
        return ""  # "uses none except one", "one is the only one"
    if kind == "deny" and _says_most(own_text, one.text if swapped else two.text):
        return ""  # "no flower sells better", "the best-selling flower"
    if kind == "deny" and "prefer" in other.maybe and _prefers_denied(one, two, theirs if swapped else mine, turn, swapped):
        return kind
    if turn is not None and is_cjk(own_text[0]) and _excepted(own_text, here_text if swapped else there_text):
        return ""  # 很满意，只有瓷砖不喜欢, 除瓷砖外很满意
    outright = kind == "deny" and _told_outright(theirs if swapped else mine, mine if swapped else theirs, turn, own_text)
    for flexible in other.maybe:
        if outright:
            break  # "a vegetarian, allows meat in his pans"
        if kind == "un" and turn is not None and is_cjk(turn.base) and flexible in ("dislike", "end"):
            continue  # 嫌贵，要搬走, 不贵，要续租
        if flexible in both and is_cjk(one.text[0]) and _says_twice(theirs if swapped else mine, turn, flexible):
            return ""  # 没想清楚做什么，很迷茫: one of them says what the other does
        if flexible in both and (flexible not in _CAUSES or (turn is not None and _STATES.search(own_text[: turn.end]))):
            continue
        if (
            flexible == "over"
            and kind == "deny"
            and _same_denied(theirs if swapped else mine, [pair[swapped] for pair in linked])
        ):
            continue  # "only trusts", "does not trust"
        if (
            flexible == "over"
            and kind == "deny"
            and turn is not None
            and _only_that(own_text, _clause_of_turn(theirs if swapped else mine, turn), here_text if swapped else there_text)
        ):
            continue  # 周三不开放, 只在周三开放
        if kind in _EXPLAINS.get(flexible, (kind,)):
            return "" if flexible in _SAYS_SO or (flexible in _SAYS_SO_CJK and is_cjk(one.text[0])) else None
    if kind == "past" and _PAST.search(here_text if swapped else there_text):
        return None  # "used to smoke" and "smoked"
    if kind == "past" and any(turn.sure and turn.kind in ("end", "deny") for turn in turns(one.text if swapped else two.text)):
        return None  # "used to pay in, and stopped in March", "pays in, but stopped in March"
    return kind


def _told_outright(side: list[_Segment], other: list[_Segment], turn: Turn | None, text: str) -> bool:
    """Whether an English clause that turns nothing tells all that a clause with a denial denies, and its verb."""
    clause = _holder(turn, side)
    if clause is None or is_cjk(text[0]) or len(clause.turns) > 1 or len(other) < 2:
        return False
    denied = [word for word, negated in clause.words.items() if negated]
    return len(denied) > 2 and any(
        not each.turns and all(any(_meet(word, told) for told in each.words) for word in denied) for each in other
    )


_POLED = frozenset(("deny", "refuse", "unless"))


def _clause_of_turn(side: list[_Segment], turn: Turn) -> tuple[int, int]:
    """Where the clause that holds a turn begins and ends."""
    return next(((each.start, each.end) for each in side if each.start <= turn.start < each.end), (turn.start, turn.end))


def _of_other_pole(denied: str, text: str) -> bool:
    """Whether what a Chinese clause denies is the other pole of what a text affirms: 不能在室外用, 只能在室内用."""
    return any(
        (left in denied and right not in denied and right in text and left not in text)
        or (right in denied and left not in denied and left in text and right not in text)
        for left, right in lexicon.CJK_ANTONYMS
        if len(left) > 1 and len(right) > 1
    )


def _says_twice(side: list[_Segment], turn: Turn | None, kind: str) -> bool:
    """Whether a word of a kind that explains a denial stands in another clause than the denial."""
    clause = next((each for each in side if turn is not None and each.start <= turn.start < each.end), None)
    return (
        kind in ("trouble", "idiom")
        and clause is not None
        and all(other.kind != kind for other in clause.turns)
        and any(other.kind == kind for each in side if each is not clause for other in each.turns)
    )


def _tied_by_people_alone(one: Told, two: Told, group: _Group) -> bool:
    """Whether all that two groups of English clauses share is of whom they tell: *hasn't told the landlord*, *the user's landlord*."""
    if not group.linked or not one.text.isascii() or not two.text.isascii():
        return False
    relatives = definite_people(one.text) | definite_people(two.text)
    people = relatives | {
        stem(part)
        for told in (one, two)
        for item in told.items
        if item.kind == "name" and not item.weak
        for part in item.norm.split()
    }
    tie = next(word for word, _ in group.linked)
    if tie not in people or any({word, other} != {tie} for word, other in group.linked):
        return False
    for told, side in ((one, group.mine), (two, group.theirs)):
        if tie in relatives and all(_ONLY_WHO.fullmatch(told.text, segment.start, segment.end) for segment in side):
            return True
    if not all(any(next(iter(segment.words), "") == tie for segment in side) for side in (group.mine, group.theirs)):
        return False  # "made peace with her sister", "fell out with her sister"
    for segment in (*group.mine, *group.theirs):
        if segment.turns and not any(_is_telling(word) for word in segment.words if word not in people):
            return False  # "said no to it"
    words, others = ({word for segment in side for word in segment.words} - people for side in (group.mine, group.theirs))
    if not any(map(_is_telling, words)) or not any(map(_is_telling, others)):
        return False  # "agreed to it"
    return not any(_meet(word, other) for word in words for other in others)


_ONLY_WHO = re.compile(r"[\s,]*(?:(?:the|his|her|their|user) |(?:the )?user['’]s |[A-Z]\w+['’]s ){1,2}[a-z-]+[\s,.;]*", re.I)
"""A clause that only says who: *the user's landlord*."""


@lru_cache(maxsize=4096)
def definite_people(text: str) -> frozenset[str]:
    """The stems of relatives and others of whom an English sentence says whose they are: *his sister*, *the landlord*, not *no sisters*."""
    return frozenset(root for found in _DEFINITE.finditer(text) if (root := stem(found[1])) in _RELATIVES)


_DEFINITE = re.compile(r"\b(?:the|his|her|their|my|\w+['’]s) (?:[a-z-]+ )??([a-z-]+)\b", re.I)
_RELATIVES = frozenset(map(stem, lexicon.RELATIONS))


def is_person(word: str, *of: Told) -> bool:
    """Whether a Chinese word names somebody in one of these sentences, or a relative."""
    if word in _RELATIONS or word[0] == "阿":
        return True
    return any(word in item.norm for told in of for item in told.items if item.kind == "name")


_RELATIONS = frozenset(lexicon.CJK_RELATIONS)
_BUT_THIS = re.compile(r"除了?([^，。；]{2,12}?)(?:以外|之外|外|，)")
_THIS_ALONE = re.compile(r"(?:只有|唯独|唯有|就是|除了)([^，。；]{2,12})")


def _excepted(text: str, other: str) -> bool:
    """Whether one Chinese text excepts what the other one tells to be otherwise: 只有瓷砖不喜欢, 除瓷砖外."""
    return any(
        any(part in alone[1] for part in (but[1][at : at + 2] for at in range(len(but[1]) - 1)))
        for one, two in ((text, other), (other, text))
        for but in _BUT_THIS.finditer(one)
        for alone in _THIS_ALONE.finditer(two)
    )


_ONLY_THAT = re.compile(r"(?:只|仅|唯独)(?:限于?|有|能)?(?:在|于|逢)?([\u4e00-\u9fff\d]{2,4})")
_BUT_FOR = re.compile("除|以外|之外|其他|其余|别的")


def _only_that(text: str, clause: tuple[int, int], other: str) -> bool:
    """Whether another text limits to a thing what a Chinese clause denies of that thing: 周三不开放, 只在周三开放."""
    denied = text[clause[0] : clause[1]]
    return _BUT_FOR.search(denied) is None and any(found[1][:2] in denied for found in _ONLY_THAT.finditer(other))


_PREFERRED = re.compile(
    r"\b(?:prefer(?:s|red)?|favou?r(?:s|ed)?)\b(?P<what>[^,;.]*?)(?=\b(?:to|over|than|rather|and|but)\b|[,;.]|\Z)", re.I
)


def _prefers_denied(one: Told, two: Told, side: list[_Segment], turn: Turn | None, swapped: bool) -> bool:
    """Whether what one side does not want is the very thing that the other prefers, and not what it prefers it to."""
    own, other = (two, one) if swapped else (one, two)
    segment = next((each for each in side if turn is not None and each.start <= turn.start < each.end), None)
    found = _PREFERRED.search(other.text)
    if segment is None or turn is None or found is None:
        return False
    left, right = found.span("what")
    liked = {word.stem for word in other.words if left <= word.start - other.start < right and weigh(word.stem) >= _LINK}
    denied = {word.stem for word in own.words if turn.end <= word.start - own.start < segment.end and weigh(word.stem) >= _LINK}
    return bool(liked) and liked <= denied


_UNLESS = re.compile(r"\bunless\b", re.I)
_BEFORE = re.compile(r"\b(?:before|until|till)\b", re.I)
_FROM_THEN = {
    "before": re.compile(r"\A(?!.*\bbefore\b).*\b(?:until|till|only (?:after|from)|as of|as from|starting|earliest|soonest|first)\b", re.I | re.S),
    "until": re.compile(r"\A(?!.*\b(?:until|till|before)\b).*\b(?:(?:only|start\w*|begin\w*|open\w*|arriv\w*|com(?:es|ing)) (?:on|in|at|from|after)|from|as of|starting)\b", re.I | re.S),
}  # fmt: skip
_FROM_THEN["till"] = _FROM_THEN["until"]
"""What is said of the time from then on, where the other side denies it of the time before."""
_EXCEPT = re.compile(r"\b(?:except|other than|apart from|aside from|besides|save for)\b", re.I)
_ONLY = re.compile(r"\b(?:only|solely|exclusively|nothing but|no one but)\b", re.I)


_NONE_MORE = re.compile(r"\b(?:no|none|nothing|nobody|never)\b([^,;.]*)", re.I)
_MORE = re.compile(r"\b(?:more|better|worse|[a-z]{2,}er)\b", re.I)
_MOST_OF_ALL = re.compile(r"\b(?:most|best|worst|favou?rite|top)\b", re.I)


def _says_most(denying: str, text: str) -> bool:
    """Whether a text says of something that it is the most of all, where another denies that there is more: *none is faster*, *the fastest*."""
    found = _NONE_MORE.search(denying)
    for more in _MORE.findall(found[1].casefold()) if found is not None else ():
        most = (
            _MOST_OF_ALL.search(text) if more in ("more", "better", "worse") else re.search(rf"\b{more[:-2]}e?st\b", text, re.I)
        )
        if most is not None:
            return True
    return False


def _turned(one: Told, two: Told, group: _Group) -> tuple[bool, int, int] | None:
    """The segment with the denial that is left over in a group, and whether it is one of the second sentence."""
    mine, theirs, linked = group
    texts = [" ".join(told.text[segment.start : segment.end] for segment in side) for told, side in ((one, mine), (two, theirs))]
    governed = _governed(one.text, mine) | _governed(two.text, theirs)
    here = _count(one.text, mine, theirs, [pair[0] for pair in linked], texts[1], governed)
    there = _count(two.text, theirs, mine, [pair[1] for pair in linked], texts[0], governed)
    _cancel(here, there)
    for second, rest, side in ((False, here, mine), (True, there, theirs)):
        turn = rest.sure[0][1] if len(rest.sure) == 1 else None
        if turn is not None and not (there if rest is here else here).sure:
            return next(((second, part.start, part.end) for part in side if part.start <= turn.start < part.end), None)
    return None


def _denies_else(side: list[_Segment], other: list[_Segment], turn: Turn | None) -> bool:
    """Whether what one side denies is nothing that the other tells: *Pepper, the dog* and *the dog Pepper must not get chicken*."""
    if turn is None:
        return False
    own = next((segment for segment in side if segment.start <= turn.start < segment.end), None)
    denied = [word for word, negated in own.words.items() if negated and weigh(word) >= _LINK] if own is not None else []
    if all(word in _HAPPENS for word in denied):
        return False  # "his speech has not returned"
    known = [word for segment in other for word in segment.words]
    return bool(denied) and not any(word == told or senses.closeness(word, told) for word in denied for told in known)


_HAPPENS = frozenset(
    stem(word) for word in lexicon.words("""return come happen exist work improve recover heal continue last apply change""")
)


def _same_denied(side: list[_Segment], linked: list[str]) -> bool:
    """Whether several words that both sides have are what one denies."""
    denied = [segment.words[word] for word in set(linked) for segment in side if word in segment.words and weigh(word) >= _LINK]
    return len(denied) > 1 and all(denied)


_PREFERRED_TO = re.compile(r"\bprefer\w*\b.*?\b(?:over|to|than)\b", re.I)
_STATES = re.compile(r"\b(?:is|are|was|were)(?: \w+|n['’]t)$", re.I)
"""A denial of what something is, which no allergy explains: *the allergy is not serious*."""
_DISLIKES = frozenset(("dislike", "fear"))
_LIKES = re.compile(
    r"\b(?:enjoy|like|love|adore)s?\b|\b(?:fond of|keen on|delighted|looks? forward|at ease)\b|(?<!不)喜欢|(?<!不)爱", re.I
)


def _of_two(one: Told, two: Told) -> bool:
    """Whether two sentences begin with two different names: what one cannot have the other may like."""
    mine, theirs = _head(one), _head(two)
    return bool(mine) and bool(theirs) and mine.isdisjoint(theirs)


_ALLERGY = "allergy"
_HARMS = re.compile(
    r"\b(?:allerg|intoleran|react|rash|hives|anaphyla|epipen|itch|swell|swollen|sneez|hay fever|poison|toxic|danger|harm|hurt|ill|sick|sensitiv"
    r"|risk|emergency|kill|deadly|fatal|antihistamine|symptom|attack|asthma|safe|stomach|wheeze|-free|gluten|lactose|intolera|(?:not|n['’]t|poorly|badly) (?:be )?tolerat|digest)"
    r"|过敏|敏感|不能碰|[碰吃沾]不得|肿|喷嚏|发炎|红疹|疹|休克|窒息|腹泻|痒|不耐|皮疹|起疹|哮喘|发痒|危险|有害|中毒|不适|反应|忌",
    re.I,
)
"""What tells that something does harm, in whatever words."""


def _harms(text: str) -> bool:
    return _HARMS.search(text) is not None


def _likes(text: str) -> bool:
    return _LIKES.search(text) is not None


def _governed(text: str, side: list[_Segment]) -> frozenset[str]:
    """The kinds of words that a denial stands right before: ``not allergic``, ``no trouble``."""
    out = set()
    for segment in side:
        for turn in segment.turns:
            near = 3 if is_cjk(text[turn.start]) else 14
            if turn.sure and turn.kind == "deny":
                out |= {
                    other.kind
                    for other in segment.turns
                    if not other.sure and other.kind in _OWN and 0 <= other.start - turn.end <= near
                }
    return frozenset(out)


def _cancel(here: _Count, there: _Count) -> None:
    """Take away what both sides have: first what is of one kind, then any denial against any other."""
    for kind in [kind for kind, _ in here.sure]:
        mine = next((entry for entry in here.sure if entry[0] == kind), None)
        theirs = next((entry for entry in there.sure if entry[0] == kind), None)
        if mine is not None and theirs is not None:
            here.sure.remove(mine)
            there.sure.remove(theirs)
    for one, other in ((here, there), (there, here)):
        _cancel_need(one, other)
    while here.sure and there.sure:
        here.sure.pop()
        there.sure.pop()
    for one, other in ((here, there), (there, here)):
        for entry in list(one.sure):
            if entry[0] in other.maybe and entry[0] not in one.maybe:
                one.sure.remove(entry)
                other.maybe.discard(entry[0])


def _cancel_need(one: _Count, other: _Count) -> None:
    """不检查就出门，会不安 says 必须检查，否则不安."""
    denied = next((entry for entry in one.sure if entry[0] == "unless"), None)
    needs = _NEEDS & other.maybe
    if denied is None or not needs:
        return
    one.sure.remove(denied)
    other.maybe.difference_update(needs)


def _antonym_words(text: str) -> set[str]:
    if len(text) > _LONG:
        return set()
    return {word for word in (fold(found) for found in re.findall(r"[^\W\d_]+", text)) if word in _antonyms()}


def _antonym(one: str, two: str) -> bool:
    """Whether a word of one text stands as its opposite in the other."""
    here, there = _antonym_words(one), _antonym_words(two)
    return any(word not in there and not (_antonyms()[word] & there).isdisjoint(there - here) for word in here)


def _crossed(one: Told, two: Told, ignored: frozenset[str]) -> bool:
    """Whether what one affirms the other denies, and the reverse: *speaks but cannot read*, *reads but cannot speak*."""
    if not one.text.isascii() and {turn.kind for turn in _denials(one.text)} != {turn.kind for turn in _denials(two.text)}:
        return False  # what 反对 stands behind, 不同意 stands before
    here, there = _signs(one), _signs(two)
    ignored = ignored | _head(one) | _head(two)
    shared = [word for word in here.keys() & there.keys() if word not in ignored and weigh(word) >= _WORD]
    only_here = [word for word in shared if here[word] and not there[word]]
    only_there = [word for word in shared if there[word] and not here[word]]
    return any(
        _in_two_clauses(told, word, other)
        for word in only_here
        for other in only_there
        if not (is_cjk(word) and word[0] == other[0] and _near(word, other))  # 发布前先测，周五不发版 and 发版前…，…不发布
        for told in (one, two)
    )


@once_a_sentence
def _signed(told: Told) -> list[Clause]:
    """The clauses of a sentence, each with what it tells and whether it denies it."""
    out: list[Clause] = []
    for segment in _segments(told, fine=False):
        own = {stem(word) for turn in segment.turns for word in told.text[turn.start : turn.end].split()}
        words = frozenset(
            word
            for word in segment.words
            if word not in _TASTE and word not in own and (weigh(word) >= _WORD or _is_telling(word))
        )
        if any(turn.kind == "end" and told.text[turn.start] not in "戒停取丢" for turn in segment.turns):
            words = frozenset()  # whether it was so or is so no more depends on when it is told
        denied = sum(turn.sure or turn.kind in _AGAINST for turn in segment.turns) % 2 == 1
        if (
            out
            and _JOINED.match(told.text, segment.start)
            and not any(turn.start < segment.start + _SOON for turn in segment.turns)
        ):
            words, denied = words | out[-1].words, denied != out[-1].denied  # what two things have in common is said of both
            out.pop()
        out.append(Clause(words, denied))
    return out


_JOINED = re.compile(r"(?:and|or|nor) (?!(?:he|she|they|it|his|her|their|the|is|are|was|does|has|can|still|also)\b)", re.I)
_AGAINST = frozenset(("allergy", "fear", "refuse", "unable"))
"""Words that tell of what stands with them that it is not liked, not done or not borne."""


def _crossed_clauses(one: Told, two: Told, ignored: frozenset[str]) -> bool:
    """*Jazz is to his taste, opera is not*, told of the other one each."""
    here, there = _signed(one), _signed(two)
    if not any(clause.denied for clause in here) or not any(clause.denied for clause in there):
        return False
    return crossed(here, there, ignored, _near)


def _denied_throughout(one: Told, two: Told) -> bool:
    """Whether one Chinese sentence denies twice what a clause of the other affirms: 不借给人，也不问人借, 常借给人，但不问人借."""
    if one.text.isascii() or two.text.isascii():
        return False
    for told, other in ((one, two), (two, one)):
        denied = [each for each in _segments(told, fine=False) if [turn.kind for turn in each.turns if turn.sure] == ["deny"]]
        twice = [word for each in denied for word in each.words if sum(word in more.words for more in denied) > 1]
        for word in twice if len(denied) > 1 else ():
            if len(word) < _SPECIFIC or is_person(word, one, two) or not _is_telling(word):
                continue
            everywhere = all(each in denied for each in _segments(told, fine=False) if word in each.words)
            if everywhere and any(word in each.words and not each.turns for each in _segments(other, fine=False)):
                return True
    return False


_SPECIFIC = 2
_ALL_OF_IT = re.compile("[和与跟及、][^，。；]{1,12}?(?:(?<![成首古京])都(?!市)|均|全部)")


def _lumped(one: Told, two: Told) -> bool:
    """Whether a Chinese clause says of two things at once what the other sentence says of one and denies of the other: 烟酒都戒了."""
    if one.text.isascii() or two.text.isascii():
        return False
    for told, other in ((one, two), (two, one)):
        if not _ALL_OF_IT.search(told.text):
            continue
        apart = _segments(other, fine=False)
        for segment in _segments(told, fine=False):
            if not _ALL_OF_IT.search(told.text, segment.start, segment.end):
                continue
            signs = {}
            for word in segment.words:
                places = [each for each in apart if word in each.words]
                if len(places) == 1 and _is_telling(word) and all(turn.sure for turn in places[0].turns):
                    signs[word] = (places[0].start, len(places[0].turns) % 2)
            if len(set(signs.values())) > 1 and len({sign for _, sign in signs.values()}) > 1:
                return True
    return False


def _near(mine: str, other: str) -> bool:
    return senses.closeness(mine, other) >= _LEAST


def _in_two_clauses(told: Told, word: str, other: str) -> bool:
    """Whether two words stand in different clauses. Within one, *chess is of no interest to Emil* denies what *Emil has no interest in chess* does."""
    spans = segments(told.text)

    def places(root: str) -> set[int]:
        starts = [each.start - told.start for each in told.words if each.stem == root]
        return {at for at, (left, right) in enumerate(spans) for start in starts if left <= start < right}

    return places(word).isdisjoint(places(other))


_WORD = 0.3


_NEAR = 2
"""A denial reaches a Chinese word surely that begins at most so many characters behind it."""


def _denials(text: str) -> list[Turn]:
    """All that surely turns something in a sentence, 而非 and 而不是 included: what stands behind them is denied."""
    return [
        turn._replace(kind="deny") if turn.kind == "over" else turn
        for turn in turns(text)
        if turn.sure or text[turn.start : turn.end] in ("而非", "而不是")
    ]


_DOES_NOT = re.compile(
    r"\b(?:(?:no longer|not|never) (?:does|do|did|is|was|has)|(?:does|do|did|is|was|has)(?:n['’]t| not)(?: any ?more| any longer)?)"
    r"(?P<aside> (?:after|since|because|due|owing|ever since|now that|following)\b[^,;.]*)"
    r"|\b(?:refused|rejected|denied|declined|turned down|opposed|banned|forbidden|avoided|ignored|cancelled|canceled|dropped|abandoned|vetoed)(?P<doer> by\b[^,;.]*)",
    re.I,
)
"""A denial of what the clause before tells, and what it gives besides: *used to, but no longer does after a lost suitcase*; who refuses what."""


def _signs(told: Told) -> dict[str, bool]:
    """Each word that is denied or affirmed, and not both: whether it is denied."""
    both: set[str] = set()
    out: dict[str, bool] = {}
    cut = [(left, right) for left, right in segments(told.text)] if not told.text.isascii() else []
    denials = _denials(told.text) if cut else []
    again = (
        [found.span("aside" if found["aside"] else "doer") for found in _DOES_NOT.finditer(told.text)]
        if told.text.isascii()
        else []
    )
    for word in told.words:
        if any(left <= word.start - told.start < right for left, right in again):
            both.add(word.stem)
        if is_cjk(told.text[word.start - told.start]):
            # in Chinese the reading denies all that stands behind a denial, and sometimes what stands before it
            at = word.start - told.start
            here = [
                turn
                for turn in denials
                for left, right in cut
                if left <= at < right and left <= turn.start < right and (at > turn.start or told.text[turn.start] != "而")
            ]
            if here and not any(0 <= at - turn.end <= _NEAR for turn in here):
                both.add(word.stem)
        if out.setdefault(word.stem, word.negated) != word.negated:
            both.add(word.stem)
    return {word: denied for word, denied in out.items() if word not in both}


_THAN = re.compile(
    r"\b(?:rather than|(?<!less )(?<!shorter )(?<!longer )(?<!fewer )(?<!older )(?<!younger )than(?! \d| (?:a|an|one|two|three|four|five|six|seven|eight|nine|ten)\b)|instead of|over|as opposed to|not)\b|而不是|不(?=喜欢|要)",
    re.I,
)
_PREFER_TO = re.compile(r"\bprefer\w*\b.*?\b(to)\b(?! be\b| have\b| \w+ (?:in|at|with|by)\b)", re.I)


def _sides(text: str) -> tuple[set[str], set[str]] | None:
    """The words before and behind ``than``; None where nothing is preferred to anything."""
    if len(text) > _LONG or not re.search(
        r"\b(?:prefer\w*|rather|better|more|instead|favou?rs?|likes?|wants?|over)\b", text, re.I
    ):
        return None
    found = _THAN.search(text)
    at = (found.start(), found.end()) if found else None
    if at is None:
        other = _PREFER_TO.search(text)
        at = other.span(1) if other else None
    if at is None:
        return None

    def roots(part: str) -> set[str]:
        return {stem(word) for word in re.findall(r"[^\W\d_]+", part) if fold(word) not in lexicon.STOP and len(word) > 1}

    return roots(text[: at[0]]), roots(text[at[1] :])


def _exchanged(one: str, two: str) -> bool:
    """Whether what is preferred to what is told the other way round."""
    here, there = _sides(one), _sides(two)
    if here is None or there is None:
        return False
    first, second = here[0] - here[1], here[1] - here[0]
    third, fourth = there[0] - there[1], there[1] - there[0]
    if first & fourth and second & third:
        return True
    prefers = _PREFERS.search(one) is not None and _PREFERS.search(two) is not None
    return prefers and _any_meet(first, fourth) and _any_meet(second, third)


_PREFERS = re.compile(r"\b(?:prefer\w*|rather)\b", re.I)


def _any_meet(one: set[str], two: set[str]) -> bool:
    return any(_meet(word, other) for word in one for other in two)


__all__ = ["Group", "Verdict", "compare", "definite_people", "explained", "is_person", "laid_together", "meet"]
