"""What gave way to what: *switched from Jira to Linear*, *replaced Jira with Linear*, 弃用 A，改用 B. Told the other way round it is the contrary.

A sentence is read for pairs of (what was, what is now). The verbs are many, but each of them stands in one of few places: before both,
between both, or before one of them each. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.words import CJK, fold, stem


class Switch(NamedTuple):
    """What was and what is now, as the stems of their words (Chinese: as they are written)."""

    old: frozenset[str]
    new: frozenset[str]


_LONG = 1200
_MOST = 12
"""So many changes of one sentence are compared."""
_THING = r"(?:(?!and\b|but\b|who\b|which\b|because\b|since\b|after\b|when\b|for\b|in\b|at\b|on\b|from\b|to\b|with\b|by\b|as\b|is\b|was\b|has\b|have\b|now\b)[.&]*+[\w+#'’/-]++(?:[.&]++[\w+#'’/-]++)*+ ?){1,4}"
_MOVES = r"(?:switch|mov|chang|migrat|convert|transfer|swap|transition|relocat|cross)\w*(?: over)?|went|go(?:es|ne|ing)?|came over|came|shift\w*"
_ENDS = r"(?:abandon|ditch|drop|scrap|quit|discontinu)\w*|(?:gave|given|giving|give) up|left|stopped using|(?:no longer|not) (?:uses?|using|works? (?:at|for)|lives? in|with|on)"
_USES = r"(?:uses?|using|is (?:with|on|at)|works? (?:at|for|with)|(?:is )?employed (?:by|at)|lives? in|(?:has )?moved to|went (?:back )?to|goes? (?:back )?to|joined|runs|adopted|took up|chose|picked)"
_FORMER = r"(?:formerly|previously|earlier|once|before that|until then)(?: (?:of|at|in|with|on|by|from|a|an|the))*"
_ENGLISH = (
    rf"\b(?:{_MOVES})(?: [\w'’-]+){{0,6}}? from (?:the |his |her |their |a |an )?(?P<old>{_THING})(?:[\w'’,. -]{{0,24}}? )?(?:back )?(?:to|into) (?:the |his |her |their |a |an )?(?P<new>{_THING})",
    rf"\b(?:(?:replac|substitut)\w*|swapp\w*|exchang\w*) (?:the |his |her |their |a |an )?(?P<old>{_THING})(?:with|by) (?:the |his |her |their |a |an )?(?P<new>{_THING})",
    rf"\b(?:swapp|exchang|trad)(?:ed|es|ing|s)? (?:in )?(?:the |his |her |their |a |an )?(?P<old>{_THING})(?:for|against) (?:the |his |her |their |a |an )?(?P<new>{_THING})",
    rf"(?P<old>{_THING})(?:(?:was|were|is|are|been|being) )+replaced (?:by|with) (?P<new>{_THING})",
    rf"(?P<new>{_THING})(?:(?:has|have|had) )?(?:replaced|replaces|superseded|supersedes|ousted) (?!by\b|with\b)(?P<old>{_THING})(?!(?:with|by|for)\b)",
    rf"\b(?:{_ENDS}) (?:the |his |her |their )?(?P<old>{_THING})(?:in favou?r of|for|to) (?P<new>{_THING})",
    rf"\b(?:{_ENDS}) (?:the |his |her |their )?(?P<old>{_THING})(?:in \w+ )?,? ?(?:and|but)(?: (?:he|she|they|now|then|instead))* (?:{_USES}) (?P<new>{_THING})",
    rf"\b(?:{_USES}) (?P<new>{_THING})(?:now |instead )*(?:rather than|instead of|and no longer|not) (?P<old>{_THING})",
    rf"\b{_FORMER} (?P<old>{_THING})[,)] ?(?:but |and )?(?:(?:he|she|they|the user|now|is|has|[A-Z]\w+) )*(?:{_USES}) (?P<new>{_THING})",
    rf"\b(?:{_USES}) (?P<new>{_THING})(?:now |these days )*[,(] ?(?:but |and )?{_FORMER} (?P<old>{_THING})",
)
_A = r"(?P<old>[^，。；、！？的了用户从由把将换改转\s][^，。；、！？的了从由把将换改转]{0,14}?)\s*"
_B = rf"\s*(?P<new>[A-Za-z][\w+#.-]*(?: [A-Z0-9][\w+#.-]*){{0,2}}|[{CJK}\w]{{1,8}})"
_INTO = "(?:成|到|为|至|用|去|往|投)?(?:了|为)?"
_CHINESE = (
    rf"(?:从|由|把|将)\s*{_A}(?:那?里?[，,]?\s*)(?:已|已经|全部|都|又|再)*(?:换|改|转|搬|迁移?|跳槽|跳|升|降|切换|调){_INTO}{_B}",
    rf"(?:用|以)\s*(?P<new>[^，。；、\s][^，。；、]{{0,14}}?)\s*(?:替换|取代|代替|替代|替){_INTO}(?:了|掉)?\s*(?P<old>[A-Za-z][\w+#.-]*(?: [A-Z0-9][\w+#.-]*){{0,2}}|[{CJK}\w]{{1,8}})",
    rf"(?:弃用|不再[用去在使]{{0,2}}|不用|放弃|停用|抛弃|告别|离开|辞去|退掉|卖掉)了?\s*{_A}(?:了)?(?:[，,；;]|而|并|后)\s*(?:而|并|转而|现在?|如今|目前|已经?|于是)*(?:改用|换成|换用|转用|转投|改为|改成|改去|用的是|用|加入|去了)了?{_B}",
    r"(?:现在?|如今|目前)(?:已经?|又|都)?(?:是|用|在|吃|喝|住在?)\s*(?P<new>[^，。；\s（(]{1,12}?)(?:者|的)?\s*[，,（(]\s*(?:以前|原来|之前|过去|曾经?)(?:是|用|在|吃|喝|住在?)\s*(?P<old>[^，。；\s）)]{1,12})",
    rf"(?:曾经?|以前|原先|原来|过去|之前)(?:是|在|用|住在?|任职于|就职于|供职于)\s*(?P<old>[^，。；\s]{{1,12}}?)\s*(?:(?:担?任|做|当|工作|上班|就职|任职|[，,；;])[^，。；]{{0,10}})?[，,；;][^，。；]{{0,8}}?(?:现在?|如今|目前|后来?|跳槽|搬|换|改|转)[{CJK}]{{0,3}}?(?:在|到|去|用|至|是|成)了?{_B}",
)


@cache
def _english() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(form, re.I) for form in _ENGLISH)


@cache
def _chinese() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(form) for form in _CHINESE)


@cache
def _hint() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:from|replac|swap|exchang|abandon|ditch|drop|scrap|quit|gave up|given up|left|stopped|no longer|instead|rather|not|supersed|oust|former|previous|once|earlier|before that)"
        r"|[从由把将]|替|取代|弃|不再|不用|停用|告别|离开|辞|退掉|卖掉|曾|以前|原|过去|之前",
        re.I,
    )


def _parts(text: str) -> frozenset[str]:
    if not text.isascii() and re.search(f"[{CJK}]", text):
        return frozenset((text.strip(" 了的").casefold(),))
    words = re.findall(r"[\w+#.&-]*[\w+#]", text)
    return frozenset(stem(word) for word in words if (fold(word) not in lexicon.STOP and len(word) > 1) or word.isupper())


@lru_cache(maxsize=4096)
def switches(text: str) -> tuple[Switch, ...]:
    """All that gave way to something else in a sentence. Long ones are not read."""
    if len(text) > _LONG or not _hint().search(text):
        return ()
    chinese = not text.isascii() and re.search(f"[{CJK}]", text) is not None
    out = []
    for form in _chinese() if chinese else _english():
        for found in form.finditer(text):
            old, new = _parts(found["old"]), _parts(found["new"])
            if old and new and old.isdisjoint(new):
                out.append(Switch(old, new))
    return tuple(dict.fromkeys(out))[:_MOST]


def told_backwards(one: str, two: str, meet: Callable[[str, str], bool]) -> bool | None:
    """Whether what gave way in one sentence is what it gave way to in the other; None where they do not tell of one change."""
    here = switches(one)
    there = switches(two) if here else ()

    def same(left: frozenset[str], right: frozenset[str]) -> bool:
        return any(_alike(mine, other, meet) for mine in left for other in right)

    alike = False
    for mine in here:
        for other in there:
            straight = same(mine.old, other.old), same(mine.new, other.new)
            if all(straight):
                alike = True
            elif not any(straight) and same(mine.old, other.new) and same(mine.new, other.old):
                return True
    return False if alike else None


def _alike(one: str, other: str, meet: Callable[[str, str], bool]) -> bool:
    if one.isascii() and other.isascii():
        return meet(one, other)
    short, long = sorted((one, other), key=len)
    return len(short) > 1 and short in long


__all__ = ["Switch", "switches", "told_backwards"]
