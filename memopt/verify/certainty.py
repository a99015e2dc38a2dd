"""How sure a statement is: ``may be allergic`` is not ``is allergic``, and who plans to move has not moved."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from memopt.facts import lexicon
from memopt.facts.words import fold, stem

_WORD = r"[^\W\d_]+(?:['’-][^\W\d_]+)*"


@cache
def _doubt() -> re.Pattern[str]:
    """Words that say outright that it is not sure. ``may`` is one only where it permits nothing."""
    return re.compile(
        r"\b(?:may(?= (?:(?:not )?(?:be|have|change|move|switch|come|leave|quit|join|buy|sell|apply|become|return|relocate|retire|lose)|also|still|well|even|need|want|like)\b)|might(?! n['’]?t)|maybe|perhaps|possibly|probably|presumably|supposedly|allegedly|reportedly|apparently|"
        r"seemingly|suspects?|suspected|rumou?red|could be|not sure|unsure|uncertain|unconfirmed)\b|可能|也许|或许|大概|似乎|好像|疑似|据说|不确定|怀疑|疑[心为是其](?!问)".replace(
            "可能", "(?<![尽儘不])可能(?!性)"
        ).replace("大概", "大概(?![^，。；]{0,5}[\\d一二两三四五六七八九十百千万几半])")
    )


@cache
def _open() -> re.Pattern[str]:
    """All that leaves a thing open, in any wording: where such a word stands, how sure it is cannot be told by words alone."""
    return re.compile(
        r"\b(?:may|might|maybe|perhaps|possibl[ey]|probabl[ey]|(?:un)?likely|presumably|supposed(?:ly)?|alleged(?:ly)?|reported(?:ly)?|apparently|"
        r"seem\w*|suspect\w*|rumou?r\w*|could|would|should|can|if|sure|certain|unsure|uncertain|unconfirmed|think\w*|thought|guess\w*|believe\w*|"
        r"consider\w*|plan\w*|intend\w*|intention\w*|want\w*|hope\w*|hoping|wish\w*|aim\w*|will|going to|look\w*|about to|tentative\w*|potential\w*|"
        r"undecided|doubt\w*|wonder\w*|risk\w*|chance\w*|option\w*|sometimes|occasional\w*|appear\w*|expect\w*|explor\w*|contemplat\w*|ponder\w*|"
        r"toy\w*|weigh\w*|prospect\w*|eventual\w*|upcoming|future|some ?day|one day|soon|next|tomorrow|dream\w*|goal\w*|ambition\w*|scheduled?|due)\b"
        r"|n['’]t sure|['’](?:ll|d)\b|(?<![尽儘不])可能(?!性)|也许|或许|大概|似乎|好像|(?<![质无])疑(?![问难])|据说|不确定|计划|打算|准备|想|希望|考虑|(?<!已)(?<!已经)将|(?<![主重需必])要(?![求素点])|(?<![社机学开聚集宴晚年工协])会(?![议计员馆场])|应该|答应|[承允许]诺|应允|发誓|保证|申请|有意|估计|如果|若|预计|拟|明年|下|明天|以后|未来|目标|愿|向往|憧憬|盼|争取|原定|约定|定于",
        re.I,
    )


@cache
def _plan() -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:plans?|planning|intends?|intending|hopes?|hoping|wants?|wanting|wishes|aims?|aiming|would like|['’]d like|will|is going|are going|"
        rf"considers?|considering|thinks? (?:of|about)|thinking (?:of|about)|dreams? of|dreaming of)(?: to| on| of| about)? ({_WORD})",
        re.I,
    )


_CJK_UNSURE = re.compile(
    r"(?<![尽儘不])可能(?!性)|也许|或许|大概|似乎|好像|看似|疑|据说|据传|听说|传闻|传言|不确定|没确定|未定|没定|待定|[再才]定|不一定|未必|说不[定准]|考虑|估计|预计|推测|猜|应该|没准|恐怕|八成|多半|看情况|取决|如果|若|要是|是否|会不会|怀|倾向|有望|打算|计划|想|希望|担心|怕|以为|觉得|认为|嫌|看来|拟|有意"
)
"""What leaves a thing open in Chinese, so that a doubt is told. Nothing of it says that it is still to come: 可能要搬 is not 要搬."""
_CJK_PLAN = re.compile(
    r"计划|打算|答应|[承允许]诺|应允|发誓|有意(?![义思外])|(?<!在)准备(?![^，。；]*(?:考试|面试|比赛|答辩|考研|雅思|托福))|想要|想(?=[^法念])|希望|考虑"
)
_CJK_DONE = re.compile(r"已经?|(?<![为除罢])了(?![解不])|(?<![超通不经越难])过(?![敏程节去滤])|曾")


def certainty(text: str, other: str) -> str | None:
    """Whether a clause leaves open what another text tells as certain, or plans what it tells as done.

    Args:
        text: the clause.
        other: the sentence that tells the same otherwise.

    Returns:
        What differs, for people; None: nothing does, or it cannot be told.
    """
    doubt, plans, plan = _left_open(text)
    if doubt and _DECIDED.search(other) and not _is_open(_DECIDED.sub(" ", other)):
        return f"only one says “{doubt}”"
    if doubt and not doubt.isascii() and not _doubts_another(text, other) and not _CJK_UNSURE.search(other):
        return f"only one says “{doubt}”"
    if not (doubt or plans or plan) or _is_open(other):
        return None
    if doubt:
        if doubt.casefold() == "may" and _PERMITS.search(text) and _PERMITS.search(other):
            return None  # "must not get chocolate but may have nuts"
        if not doubt.isascii() and _doubts_another(text, other):
            doubt = ""
        else:
            return f"only one says “{doubt}”"
    done = _told_as_done(other) if plans else {}
    for told, planned in plans:
        verb = stem(planned)
        if verb in done and fold(planned) != done[verb]:
            return f"“{told}” became “{done[verb]}”"
    past = _done_there(text, other) if plan else ""
    return f"“{plan}” became “{past}”" if past and past not in text else None


_DECIDED = re.compile(
    r"\b(?:will|(?:is|are|was|were) going to|has decided to|decided to)\b|['’]ll\b|要(?=[^，。；]*了)|决定|肯定会|一定会",
    re.I,
)
"""What tells the future as sure."""
_PERMITS = re.compile(
    r"\b(?:must not|mustn['’]t|not allowed|cannot|can['’]t|may not|forbid\w*|forbade|prohibit\w*|allow\w*|permit\w*|banned|off limits|fine|ok|okay|all right|tolerat\w*)\b",
    re.I,
)
_CJK_PARTS = re.compile(r"[，,。；;]")
_CJK_NOT_DONE = re.compile(r"[没未不尚]|取消|推迟|延后|延期|作罢|泡汤|搁置|放弃|原[定计]|本[来想]")
"""Where one of these stands, 了 and 过 tell no deed: 还没去过, 取消了."""
_CJK_PAIR = re.compile(r"(?=([\u4e00-\u9fff]{2}))")


def _done_there(text: str, other: str) -> str:
    """What says in a Chinese sentence that it was done, of what a clause of another one merely plans; "" where nothing does.

    A clause that tells of something done is held against the clause that tells the same, not against all of them: *打算五月办婚礼，
    酒店已经订了* plans the wedding alone.
    """
    planned = _clauses(text)
    for part in _CJK_PARTS.split(other):
        past = _CJK_DONE.search(part)
        if past is None or _CJK_NOT_DONE.search(part):
            continue
        told = _told(part)
        chars = _telling(part)
        shares = [(_share(told, chars, clause), clause, plan) for clause, plan in planned]
        most = max((share for share, _, _ in shares), default=0.0)
        best = [(clause, plan) for share, clause, plan in shares if share == most]
        if not any(len(chars & set(clause)) >= _TELLS_SAME * min(len(chars), len(_telling(clause))) for clause, _ in best):
            continue  # no more than whom it is about
        if most and all(plan and past[0] not in clause for clause, plan in best):
            return past[0]
    return ""


def _doubts_another(text: str, other: str) -> bool:
    """Whether a Chinese sentence doubts one clause, and another of its clauses tells what the other text does: 疑似乳糖不耐，已改喝燕麦奶."""
    told, chars = _told(other), _telling(other)
    shares = [(_share(told, chars, part), _doubt().search(part) is not None) for part in _CJK_PARTS.split(text) if part.strip()]
    unsure = max((share for share, doubted in shares if doubted), default=0.0)
    return any(share > unsure + 1 and not doubted for share, doubted in shares)


def _clauses(text: str) -> list[tuple[str, bool]]:
    """The clauses of a Chinese text, and whether each is planned: what follows a plan is, until something is done, or another thing told."""
    out: list[tuple[str, bool]] = []
    plans = False
    for part in _CJK_PARTS.split(text):
        if not part.strip():
            continue
        if _CJK_PLAN.search(part) and not _CJK_WAS.search(part):
            plans = True
        elif _CJK_DONE.search(part) or _CJK_WAS.search(part):
            plans = False
        out.append((part, plans))
    return out


_CJK_WAS = re.compile(r"实际|后来|最终|结果|如今|已|完[成工赛毕]|原[定计本]|本[来想]")
"""What says that a plan came to something."""


def _share(told: set[str], chars: set[str], clause: str) -> float:
    """How much of a clause another one tells: words of two characters first, single ones where there are none."""
    return sum(len(one) for one in told & _told(clause)) + 0.5 * len(chars & set(clause))


def _telling(text: str) -> set[str]:
    """The Chinese characters of a clause that are no small words."""
    return {char for char in text if "\u4e00" <= char <= "\u9fff" and char not in _CJK_SMALL}


_TELLS_SAME = 0.34
"""This part of the characters of a clause must be shared, if what is done is what was planned."""
_CJK_SMALL = frozenset(
    "的了过着已经也都投还又就在是和与或把被从到为于由对将会能要想打算计划准备希考虑用户他她它这那个一两几年月日号今明去来上下里中前后时候做办有没不"
)


def _told(text: str) -> set[str]:
    return {pair for pair in _CJK_PAIR.findall(text) if pair != "用户"} | set(re.findall(r"[A-Za-z]{2,}|\d+", text))


@lru_cache(maxsize=32768)
def _left_open(text: str) -> tuple[str, tuple[tuple[str, str], ...], str]:
    """What a text leaves open: the word of doubt, the plans with their verbs, the Chinese word of a plan. Each text is asked for often."""
    doubt, plan = _doubt().search(text), None if text.isascii() else _CJK_PLAN.search(text)
    plans = tuple(
        (found[0], found[1])
        for found in _plan().finditer(text)
        if not _DENIES.search(text, max(0, found.start() - _BEFORE), found.start())
    )
    return doubt[0] if doubt else "", plans, plan[0] if plan else ""


@lru_cache(maxsize=32768)
def _is_open(text: str) -> bool:
    return _open().search(text) is not None


_DENIES = re.compile(r"(?:\b(?:not|never|no|without|cannot)|n['’]t)(?: (?:yet|any|ever|been|be|have|really|actually))* $", re.I)
_BEFORE = 30


def _told_as_done(text: str) -> dict[str, str]:
    """The verbs of a text that stand in the past, by their stem."""
    out: dict[str, str] = {}
    for found in re.finditer(_WORD, text):
        if _DENIES.search(text, max(0, found.start() - _BEFORE), found.start()):
            continue  # "isn't married"
        plain = fold(found[0])
        if (plain.endswith("ed") and len(plain) > 4) or (plain in lexicon.IRREGULAR and not plain.endswith(("s", "ing"))):
            out[stem(plain)] = plain
    return out
