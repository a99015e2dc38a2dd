"""How much a sentence tells: what an agent could be asked about, told apart from feelings, praise and general words.

A question about a person asks for something concrete: when, how many, which one, what happened, what is it called. So a sentence
tells much that holds numbers, dates, titles and names, that brings something new into the story (*a dog*, 一只狗) or reports an
event, and little where it states a feeling, praises, encourages or speaks in general words (*values the importance of support*).

The signs are general ones of the language, English and Chinese; a sentence in another language is judged by its numbers, dates,
names and rare words alone. They say nothing about what is true or current.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from memopt.facts.items import Item
from memopt.facts.lexicon import words
from memopt.facts.reading import Reading, read
from memopt.facts.statements import read_statements
from memopt.facts.words import fold, tokens

# The weights are log-odds, set by hand after a look at which signs go with answerable statements, and kept round on purpose:
# benchmarks/budget.py shows what they are worth, and leaves each out in turn.
WEIGHTS = {
    "vital": 1.0,  # what hurts when it is forgotten: allergies, illnesses, medicines, diet, the user's name
    "profile": 1.0,  # what holds of a person until it changes: home, job, birthday
    "hard": 0.6,  # a number with what it counts, a date, money, an address
    "quote": 1.2,  # a title, something said
    "soft": 0.4,  # one, once, first, an hour
    "name": 0.5,  # a name that few other memories hold
    "new": 0.3,  # a dog, 一只狗
    "event": 0.15,  # went, bought; 了
    "recent": 0.45,  # last week, ago, 最近
    "stance": -0.5,  # appreciates, believes, encourages; 感谢, 认为
    "stance first": -0.5,  # as what the sentence is about
    "feeling first": -0.7,  # is grateful, is proud
    "general": -0.3,  # importance, support, moments
    "possible": -0.8,  # can, would, might
}
_MOST = {"hard": 3, "quote": 1, "soft": 2, "name": 2, "new": 3, "event": 3, "recent": 1, "stance": 3, "general": 5, "possible": 1}
_HEAD = 5
"""So many words from its start a sentence says what it is about."""
_CJK_HEAD = 10

_STANCE = words(
    """
    appreciate value believe feel think hope wish admire cherish treasure respect trust acknowledge recognize recognise emphasize
    emphasise stress highlight express convey encourage support cheer motivate inspire congratulate praise commend compliment
    thank agree understand empathize empathise sympathize sympathise care regard view imagine expect strive aim
    remind assure reassure wonder advise suggest celebrate affirm echo validate comfort relate resonate
    """
)
_STANCE_AS_THEY_ARE = words("feels thinks finds understands felt feeling thinking understanding understood")
_FEELING = frozenset(
    words(
        """
    grateful thankful proud excited supportive passionate determined motivated inspired optimistic happy glad honored honoured blessed
    lucky fortunate eager confident committed dedicated open thrilled keen hopeful enthusiastic interested curious impressed amazed
    pleased delighted content touched moved fascinated encouraged appreciative sad sorry worried overwhelmed ready willing
    """
    )
)
_BEING = frozenset(words("is are was were am be been being feels felt feel feeling remains stays became becomes"))
"""Before a word of feeling, at most one word between: ``is very proud``, but not ``moved to Berlin``."""
_GENERAL = frozenset(
    words(
        """
    thing things something way ways life lives people others someone everyone everybody world moment moments time times support joy
    happiness peace dream dreams goal goals success importance difference passion power strength change changes challenge challenges
    journey sense feeling feelings emotion emotions experience experiences kindness compassion encouragement motivation inspiration
    impact opportunity opportunities positivity growth courage confidence attitude spirit purpose friendship bond bonds connection
    connections meaning value values effort efforts idea ideas memories interest kind lot bit part everything anything gratitude
    appreciation satisfaction fulfillment fulfilment wellbeing well-being resilience determination perseverance hope faith trust energy
    vision perspective mindset balance beauty freedom progress potential quality aspect aspects situation future past advice help
    """
    )
)
_POSSIBLE = frozenset(words("can could would may might should will"))
_RECENT = frozenset(words("recently last ago yesterday just since earlier"))
_EVENTS = frozenset(
    words(
        """
    went got had was were made took found won lost met bought saw gave told came left wrote read led ran held built taught sold spent
    began broke caught chose drew drove ate fell flew forgot grew heard hurt kept knew paid put rode rose sang sat sent set slept spoke
    swam threw wore became brought fought did said
    """
    )
)
_NOTHING_NEW = frozenset(
    words("lot bit few little way sense difference part great good big better real huge new strong positive")
)

_VITAL = frozenset(words("name allergy diet"))
"""Attributes of ``memopt.facts.statements``."""
_HEALTH = (
    r"\b(?:allerg(?:y|ies|ic)|anaphyla\w+|epipen|intoleran(?:t|ce)|c(?:o)?eliac|diabet\w+|insulin|asthma\w*|inhaler|epilep\w+|seizures?"
    r"|hypertension|blood pressure|blood type|arrhythmia|pacemaker|medications?|medicines?|prescri\w+|dos(?:e|age)|\d ?mg|pregnan\w+"
    r"|disab(?:led|ility)|wheelchair|autis\w+|adhd|dyslexi\w+|diagnos\w+|chronic|cancer|tumou?r|surgery|migraines?|arthritis|hiv)\b"
    "|过敏|不耐受|糖尿病|胰岛素|哮喘|癫痫|高血压|血型|心脏病|怀孕|残疾|轮椅|确诊|诊断|慢性|癌|手术|偏头痛|关节炎|服药|用药|药物|吃药"
)

_CJK_STANCE = "觉得|认为|相信|感到|感觉|感谢|感激|感恩|欣赏|重视|珍惜|珍视|支持|鼓励|希望|祝愿|祝福|祝贺|同意|赞同|理解|表示|表达|赞美|称赞|夸奖|佩服|敬佩|尊重|强调|期待|激励|鼓舞|安慰|关心|在乎|提醒|建议|承认"
_CJK_FEELING = "自豪|骄傲|高兴|开心|快乐|兴奋|激动|乐观|有信心|自信|幸运|满足|满意|感动|好奇|难过|担心|焦虑|愉快|热情|积极"
_CJK_GENERAL = (
    "东西|事情|生活|人生|大家|别人|他人|世界|时刻|时光|幸福|平静|梦想|目标|成功|重要性|意义|价值|力量|改变|挑战|旅程|感受|情感|体验|善良|同情|动力|灵感|影响|机会|成长|勇气|信心|态度|精神|友谊|联系|努力|想法|回忆|感激之情|热爱|激情"
    "|坚持|希望|信念|未来|重要"
)
_CJK_POSSIBLE = "可以|可能|能够|也许|或许|应该|将会|会让|愿意"
_CJK_RECENT = "最近|刚刚?|昨天|前天|上周|上个?月|去年|前年|前不久|上次|[天周月年]前"
_CJK_EVENT = r"了|(?<![超经通不])过(?![敏程渡度期于去来])"
_CJK_NEW = "一[个只条辆本家份台次场位张部间座把件套幅首所栋瓶杯盒双支顶]"


@cache
def _stances() -> frozenset[str]:
    forms = set(_STANCE_AS_THEY_ARE)
    for verb in _STANCE:
        stem = verb.removesuffix("e")
        third = f"{verb}es" if verb.endswith(("s", "sh", "ch")) else f"{verb}s"
        forms |= {verb, third, f"{stem}ed", f"{stem}ing"}
    return frozenset(forms)


@cache
def _rules() -> dict[str, re.Pattern[str]]:
    return {
        "health": re.compile(_HEALTH, re.IGNORECASE),
        "stance": re.compile(_CJK_STANCE),
        "feeling": re.compile(_CJK_FEELING),
        "general": re.compile(_CJK_GENERAL),
        "possible": re.compile(_CJK_POSSIBLE),
        "recent": re.compile(_CJK_RECENT),
        "event": re.compile(_CJK_EVENT),
        "new": re.compile(_CJK_NEW),
    }


class Told(NamedTuple):
    """One sentence and what it tells.

    Attributes:
        start, end: where it stands in the text.
        words: its content words, ``-`` before one that is denied; a general word (``importance``) is only in ``general``.
        general: content words that could stand in a sentence about anything.
        items: numbers, dates, titles, addresses: their likeliest readings.
        names: proper nouns, folded.
        signs: how often each sign of ``WEIGHTS`` is there, names excepted.
    """

    start: int
    end: int
    words: frozenset[str]
    general: frozenset[str]
    items: frozenset[str]
    names: frozenset[str]
    signs: dict[str, int]

    def score(self, rare_names: int = 0) -> float:
        """Log-odds that somebody could ask for what it says; 0 for a plain sentence.

        Args:
            rare_names: how many of ``names`` few other memories hold; the user's own name says nothing, and only the one who sees
                all memories can tell.
        """
        total = WEIGHTS["name"] * min(rare_names, _MOST["name"])
        for sign, count in self.signs.items():
            total += WEIGHTS[sign] * min(count, _MOST.get(sign, 1))
        return total

    @property
    def is_vital(self) -> bool:
        """Whether an agent that forgot it could do harm, or would not know whom it speaks to."""
        return bool(self.signs.get("vital"))

    @property
    def is_opinion(self) -> bool:
        """Whether it is about a feeling, an opinion or a wish for somebody."""
        return bool(self.signs.get("stance first") or self.signs.get("feeling first"))


def told(text: str) -> list[Told]:
    """What each sentence of a text tells. A text without any word or item is one sentence whose only word is itself."""
    reading = read(text)
    spans = reading.sentences
    said: list[set[str]] = [set() for _ in spans]
    items: list[list[Item]] = [[] for _ in spans]
    general: list[set[str]] = [set() for _ in spans]
    for clause in reading.clauses:
        for word in clause.words:
            where = general if _is_general(text[word.start : word.end]) else said
            where[clause.sentence].add(f"-{word.stem}" if word.negated else word.stem)
        items[clause.sentence] += clause.items
    current = [item for item in read_statements(text) if item.state == "current"]
    lasting = [(item.start, item.end) for item in current if item.cardinality != "many" and item.polarity]
    vital = [(item.start, item.end) for item in current if item.attribute in _VITAL]
    out = [
        _told(
            reading,
            span,
            frozenset(said[at]),
            frozenset(general[at] - said[at]),
            items[at],
            {"profile": _meets(span, lasting), "vital": _meets(span, vital)},
        )
        for at, span in enumerate(spans)
        if said[at] or general[at] or items[at]
    ]
    if not out:
        out = [Told(0, len(text), frozenset([f"={text}"]), frozenset(), frozenset(), frozenset(), {})]
    return out


def _meets(span: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(start < span[1] and span[0] < end for start, end in others)


def _is_general(word: str) -> bool:
    plain = fold(word)
    if plain.isascii():
        return plain in _GENERAL or plain in _stances() or plain in _FEELING
    rules = _rules()
    return any(rules[kind].fullmatch(plain) for kind in ("stance", "feeling", "general"))


def _told(
    reading: Reading,
    span: tuple[int, int],
    said: frozenset[str],
    general: frozenset[str],
    items: Sequence[Item],
    stated: dict[str, int],
) -> Told:
    text = reading.text[span[0] : span[1]]
    hard = {item.norm for item in items if not item.weak and item.kind not in ("name", "quote", "ordinal")}
    quotes = {item.norm for item in items if item.kind == "quote" and not item.weak}
    names = {item.norm for item in items if item.kind == "name" and not item.weak}
    soft = sum(item.kind not in ("name", "quote") and (item.weak or item.kind == "ordinal") for item in items)
    signs = {**stated, "vital": stated["vital"] or _rules()["health"].search(text) is not None}
    signs |= {"hard": len(hard), "quote": len(quotes), "soft": soft, **_english(text)}
    if not text.isascii():
        for sign, count in _chinese(text).items():
            signs[sign] = signs.get(sign, 0) + count
    return Told(
        span[0], span[1], said, general, frozenset(hard | quotes), frozenset(names), {k: n for k, n in signs.items() if n}
    )


def _english(text: str) -> dict[str, int]:
    written = [piece.text for piece in tokens(text) if piece.kind == "word"]
    plain = [fold(word) for word in written]
    stances = _stances()
    head = plain[1:_HEAD]
    new = sum(word in ("a", "an") and at + 1 < len(plain) and plain[at + 1] not in _NOTHING_NEW for at, word in enumerate(plain))
    events = sum(
        word in _EVENTS or (word.endswith("ed") and len(word) > 4 and word not in stances and word not in _FEELING)
        for word in plain[1:]
    )
    stance = sum(word in stances for word in plain)
    return {
        "new": new,
        "event": events,
        "recent": any(word in _RECENT for word in plain),
        "stance": stance,
        "stance first": any(word in stances for word in head),
        "feeling first": any(
            word in _FEELING and not _BEING.isdisjoint(plain[max(0, at - 2) : at]) for at, word in enumerate(plain[:_HEAD])
        ),
        "general": sum(word in _GENERAL for word in plain),
        "possible": any(word in _POSSIBLE for word in written),  # as it is written: May is a month, Will a man
    }


def _chinese(text: str) -> dict[str, int]:
    rules = _rules()
    head = text[:_CJK_HEAD]
    return {
        "new": len(rules["new"].findall(text)),
        "event": len(rules["event"].findall(text)),
        "recent": rules["recent"].search(text) is not None,
        "stance": len(rules["stance"].findall(text)),
        "stance first": rules["stance"].search(head) is not None,
        "feeling first": rules["feeling"].search(head) is not None,
        "general": len(rules["general"].findall(text)),
        "possible": rules["possible"].search(text) is not None,
    }


def chance(score: float) -> float:
    """The share that log-odds stand for, 0 to 1."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, score))))
