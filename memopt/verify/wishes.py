"""What somebody wants, seeks or saves for is not what somebody has: ``wants a cat`` and ``has a cat`` share all telling words."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memopt.facts import lexicon
from memopt.facts.words import fold, stem

_THING = r"((?:an?|the|another|one|two|three|some|more|her own|his own|their own)\b(?: [\w'’-]+){1,5})"


@cache
def _wish() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:wants?|wanted|would (?:like|love)|['’]d (?:like|love)|needs?|needed|hop(?:es?|ing) for|dream(?:s|ing)? of|wish(?:es|ing)? for|"
        rf"(?:looking|searching|hunting|shopping|saving|saving up|waiting|applying|applied|appl(?:y|ies)|saves|saves up) for|on the lookout for)"
        rf"(?: (?:to )?(?:own|have|get|buy|adopt|owning|having|getting|buying|adopting))? {_THING}",
        re.I,
    )


@cache
def _having() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!to )\b(?:has|have|had|owns?|owned|keeps?|got|gets|bought|purchased|adopted|acquired|found|finds|landed|secured|obtained|received|won|rents|rented|moved into|was (?:given|granted|awarded|offered))(?: got| bought)? {_THING}",
        re.I,
    )


_LEFT_OPEN = re.compile(
    r"\b(?:wants?|wanted|would|need\w*|hop(?:es?|ing)|dream\w*|wish\w*|look\w*|search\w*|hunt\w*|shopping|sav(?:es?|ing)|wait\w*|"
    r"appl(?:y|ies|ied|ying)|ask\w*|plan\w*|intend\w*|may|might|must|should|shall|ought|can|could|will|if|goal|aim\w*)\b|['’](?:ll|d)\b|想|找(?!到了?)|攒|需要|渴望|申请|希望|打算|计划|准备|将|会|如果",
    re.I,
)
_CJK_WISH = re.compile(r"(?:想要|想买|想养|想有|想找|想换|希望有|攒钱买|正在找|在找|寻找|需要|渴望|申请)了?([\u4e00-\u9fff]+)")
_CJK_HAVING = re.compile(
    r"(?:(?<![没还须需要应得必])有(?![想意计打愿点时趣])|拥有|养着|养了|买了|买到|找到了|领养了|得到了?|获得了?|拿到了?|租到?了|取得了?)([\u4e00-\u9fff]+)"
)
_CJK_MEASURE = re.compile(r"^[一两几]?[只个辆台位名条套间部把匹头件张]|^一")
_STOPS = frozenset(lexicon.words("of in on at for from to with and or but who that which near by as than because since"))
_DESCRIBING = frozenset(lexicon.words("good nice own small big second hand"))
_FURTHER = frozenset(lexicon.words("another new newer more bigger larger better smaller faster second third different other"))
"""Who wants a bigger boat may have a boat."""
_NO_THINGS = frozenset(
    stem(word)
    for word in lexicon.words(
        "wish need dream plan desire preference goal aim hope want intention interest idea appointment interview look request requirement chance"
    )
)


def got(text: str, other: str) -> str | None:
    """Whether a clause tells as wanted what another text tells as had; what differs, for people.

    Args:
        text: the clause.
        other: the sentence that tells of the same thing.
    """
    wished = _wished(text)
    if wished is None or _LEFT_OPEN.search(other):
        return None
    had = _had(other)
    return f"“{wished[0]}” became “{had[0]}”" if had is not None and _same_thing(wished[1], had[1]) else None


@lru_cache(maxsize=32768)
def _wished(text: str) -> tuple[str, str] | None:
    """What a text tells that somebody wants and not that somebody has, as (how it is told, the thing)."""
    found = _wish().search(text) or (None if text.isascii() else _CJK_WISH.search(text))
    return None if found is None or _had(text) is not None else (found[0], found[1])


@lru_cache(maxsize=32768)
def _had(text: str) -> tuple[str, str] | None:
    """What a text tells that somebody has or got, as (how it is told, the thing)."""
    found = _having().search(text) or (None if text.isascii() else _CJK_HAVING.search(text))
    if found is None or any(stem(word) in _NO_THINGS for word in fold(found[1]).split()):
        return None
    return found[0], found[1]


def _same_thing(one: str, two: str) -> bool:
    """Whether two descriptions are of the same thing, as far as they go."""
    if one.isascii() and two.isascii():
        (left, further), (right, other) = _noun(one), _noun(two)
        return left is not None and left == right and further <= other
    left_text, right_text = _CJK_MEASURE.sub("", one), _CJK_MEASURE.sub("", two)
    size = min(len(left_text), len(right_text))
    return size > 0 and left_text[:size] == right_text[:size]


def _noun(text: str) -> tuple[str | None, frozenset[str]]:
    """The stem of the last word before the first preposition or conjunction, and the words that tell it from one that is had."""
    head, further = None, set()
    for word in fold(text).split():
        if word in _STOPS:
            break
        if word in _FURTHER:
            further.add(word)
        if word not in _DESCRIBING:
            head = stem(word)
    return head, frozenset(further)
