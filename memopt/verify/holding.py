"""Whether a line holds a figure, a day, a name or a quotation, in whatever writing."""

from __future__ import annotations

import re

from memopt.facts import lexicon, senses
from memopt.facts.items import Item
from memopt.facts.reading import CJK_TITLES, fold_phrase
from memopt.facts.words import bare, stem
from memopt.verify.lines import Line

_OF_PLACE = ("er", "ern", "ers", "erner", "erners", "ite", "ites", "side")
"""What makes the people and things of a place of its name: *Midwest*, *Midwestern*; *London*, *Londoner*."""
_LITTLE = frozenset(lexicon.words("of the de da von van la le mr mrs ms dr prof professor doctor miss sir"))
"""Parts of a name that say nothing of whom it names."""
_OF_A_KIND = frozenset(("county", "fc", "inc", "ltd", "llc", "gmbh", "corp", "co", "ag", "plc", "saint", "st"))
"""Parts of a name that say what bears it, and that people leave out."""
_NOW = frozenset(("now", "currently", "presently", "nowadays", "today", "present"))
_DEMONYM = ("an", "ese", "ish", "ian", "ch", "i", "ic", "en")


def _has_word(part: str, line: Line, dominant: frozenset[str]) -> bool:
    root = stem(part)
    if root in line.features or root in line.also or root in line.near or root in dominant:
        return True
    if not part.isascii():
        if part in line.text or bare(part) in line.phrase:
            return True
        title = next((title for title in CJK_TITLES if part.endswith(title) and len(part) > len(title)), None)
        return title is not None and part.removesuffix(title) in line.text
    if any(senses.closeness(root, other) >= senses.BY_HAND for other in line.features):
        return True  # "MA" and "master's degree"
    if len(part) <= 4 and any(word.startswith(part) and word[len(part) :].isdigit() for word in line.phrase.split()):
        return True  # "LH 1832" and "LH1832"
    if "'" in part and any(word.replace("'", "") == part.replace("'", "") for word in line.phrase.split()):
        return True
    if "'" in line.phrase and part in line.phrase.replace("'", "").split():
        return True  # Jun'ichi
    if "-" in part and all(_has_word(piece, line, dominant) for piece in part.split("-") if len(piece) > 1):
        return True  # "Jekyll-built", "German-made"
    words = line.phrase.split()
    if "-" in line.phrase:
        words += [piece for word in words if "-" in word for piece in word.split("-")]
    if len(part) >= 5 and any(_of_place(part, word) or _of_place(word, part) for word in words):
        return True
    if len(part) >= 5:
        prefix = part[:4]
        for name in words:  # "Ethiopian" at the head of a sentence is no name
            if name[:4] == prefix and (part.endswith(_DEMONYM) or name.endswith(_DEMONYM)) and abs(len(name) - len(part)) <= 4:
                return True
    return part in words


def _of_place(place: str, other: str) -> bool:
    return len(place) >= 5 and other.startswith(place) and other[len(place) :] in _OF_PLACE


def _named_otherwise(name: str, line: Line) -> bool:
    others = senses.same_names().get(name)
    if others is None:
        return False
    phrase = f" {line.phrase} "
    return any((f" {other} " in phrase) if other.isascii() else (other in line.text) for other in others)


def _other_name(item: Item, line: Line) -> bool:
    """Whether a line has the name in another writing: ``VSCode``, ``VS Code``; ``PB``, ``personal best``; ``Tesla``, ``特斯拉``."""
    if _named_otherwise(item.norm, line):
        return True
    if not item.norm.isascii():
        return False
    words = line.phrase.replace("-", " ").split()
    parts = item.norm.replace("-", " ").split()
    glued = "".join(parts)
    if len(glued) >= 4:
        for size in (1, 2, 3):
            if size != len(parts) and any("".join(words[at : at + size]) == glued for at in range(len(words) - size + 1)):
                return True
    if len(parts) == 1 and 2 <= len(glued) <= 5 and item.surface.isupper():
        return any(
            all(word[0] == letter for word, letter in zip(words[at : at + len(glued)], glued, strict=True))
            for at in range(len(words) - len(glued) + 1)
        )
    if 2 <= len(parts) <= 5:
        initials = "".join(part[0] for part in parts)
        return initials in words and initials.upper() in line.text
    return False


def _replaced(parts: list[str], missing: int, line: Line) -> bool:
    """Whether another word with a capital stands in a name where a line leaves one out: *Linea Mini*, *Linea Micra*."""
    words = [bare(word) for word in _CAPITAL.findall(line.text)]
    before, behind = parts[missing - 1] if missing else "", parts[missing + 1] if missing + 1 < len(parts) else ""
    for at, word in enumerate(words):
        if word in parts:
            continue
        left, right = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
        if (
            (not before or left == before)
            and (not behind or right == behind)
            and _adjoin(line.text, left if before else right, word)
        ):
            return True
    return False


def _adjoin(text: str, one: str, other: str) -> bool:
    folded = bare(text)
    return f"{one} {other}" in folded or f"{other} {one}" in folded


_CAPITAL = re.compile(r"[A-ZÀ-Þ][\w'’-]*")


def holds_item(line: Line, item: Item, dominant: frozenset[str]) -> bool:
    if item.kind == "name":
        parts = [part for part in item.norm.split() if part not in _LITTLE]
        if len(parts) > 1:
            parts = [part for part in parts if part not in _OF_A_KIND] or parts
        if len(parts) > 1 and parts[-1] in ("api", "app", "db", "ui", "sdk", "cli"):
            parts.pop()  # "GraphQL API"
        held = [_has_word(part, line, dominant) or _named_otherwise(part, line) for part in parts]
        hits = sum(held)
        if hits == len(parts) or _other_name(item, line):
            return True
        if hits < len(parts) - 1 or len(parts) < 2:
            return False
        missing = held.index(False)
        return len(parts) >= 3 and not _replaced(parts, missing, line)
    if item.kind == "quote":
        if item.norm in line.phrase:
            return True
        words = [word for word in item.norm.split() if len(word) > 1]
        if not words:
            return True
        roots = {stem(word) for word in words if stem(word) not in lexicon.STOP}
        if not roots:  # "less is more" is told in its own words alone
            return False
        got = sum(
            1
            for root in roots
            if root in line.features or root in line.near or any(root == stem(word) for word in line.phrase.split())
        )
        return got >= (len(roots) if len(words) <= 3 else 0.5 * len(roots))
    keys = line.keys | line.near_keys
    if not item.keys.isdisjoint(keys):
        return True
    if item.norm == "q:month:3" and "quarter" in line.phrase:
        return True  # "quarterly" and "for the quarter"
    if item.norm in _GROUPS and _GROUPS[item.norm].search(line.text):
        return True
    if item.kind in ("date", "relative") and any(
        (days := _DAY_NAMES.get(key[-5:])) and days.search(line.text) for key in item.keys if key.startswith("d:")
    ):
        return True  # 10月1日 and 国庆节
    if item.kind in ("number", "date", "id", "ordinal") and any(
        "#:" + key.split(":", 1)[1] in keys for key in item.keys if key.startswith(("n:", "o:"))
    ):
        return True
    if item.kind == "money" and any(key.startswith("m:cny:") and "n:" + key[6:] in keys for key in item.keys):
        return True  # 300万 and 300万元
    if item.kind == "quantity" and (found := _SO_MANY_DAYS.fullmatch(item.norm)) and f"n:{found[1]}" in keys:
        return _TIMES.search(line.text) is not None  # "two days a week" and "three times a week"
    if item.kind == "number" and f"q:day:{item.norm[2:]}" in keys and _DAYS_A_WEEK.search(line.text):
        return True
    if item.kind == "handle" and item.surface[0] == "#" and f" {fold_phrase(item.surface[1:])} " in f" {line.phrase} ":
        return True  # "#A-77193" and "A-77193"
    if item.kind in ("id", "url", "email", "version", "handle"):
        told = fold_phrase(item.surface)
        return told in line.phrase or (item.kind == "id" and _named_otherwise(told, line))
    if item.norm.startswith("q:month:"):
        years = float(item.norm.rpartition(":")[2]) / 12
        if years.is_integer() and f"n:{int(years)}" in keys:
            return True  # "is 30" and "is 30 years old"
    if item.kind == "phone":
        digits = item.norm.removeprefix("tel:")
        return any(key.startswith("tel:") and _same_call(digits, key[4:]) for key in keys)
    if "r:today" in item.keys and not _NOW.isdisjoint(line.phrase.split()):
        return True  # "today he prefers tea" and "now prefers tea"
    if item.kind == "relative" and line.written is not None:
        return any(key in keys for key in item.keys)
    return False


_OWN_DIGITS = 9


def _same_call(one: str, other: str) -> bool:
    """Whether two telephone numbers differ in nothing but the country's code, or the 0 that stands for it."""
    short, long = sorted((one.lstrip("0"), other.lstrip("0")), key=len)
    return len(short) >= _OWN_DIGITS and long.endswith(short)


def is_required(item: Item) -> bool:
    return not item.weak


_SO_MANY_DAYS = re.compile(r"q:day:([2-7])")
_DAYS_A_WEEK = re.compile(
    r"\bdays (?:a|per|each|every|of the) week\b|\bdays weekly\b|(?:每周|一周|每星期|每个星期|一星期).{0,4}天", re.I
)
_TIMES = re.compile(r"\b(?:twice|times|x) (?:a|per|each|every) week\b|\btimes weekly\b|每周|一周|每星期|次", re.I)
_GROUPS = {
    "n:2": re.compile(r"\b(?:both|couples?|pairs?|twice|twins?|double[sd]?|dual|duo|duet)\b|双|俩|一对|[龙孪]", re.I),
    "n:3": re.compile(r"\b(?:trios?|triplets?|triple[sd]?|thrice|threesome)\b|仨|三胞胎", re.I),
    "n:4": re.compile(r"\b(?:quartets?|quadruplets?|quadruple[sd]?|foursome)\b|四胞胎", re.I),
    "o:1": re.compile(r"\b(?:winner|won|wins?|champions?|gold medal|first)\b|冠军|金牌|夺冠|榜首", re.I),
    "o:2": re.compile(r"\b(?:runner-up|silver medal)\b|亚军|银牌", re.I),
    "o:3": re.compile(r"\bbronze\b|季军|铜牌", re.I),
    "n:12": re.compile(r"\bdozen\b|一打", re.I),
}
"""How many a word tells that is no number."""


_DAY_NAMES = {
    day: re.compile(names, re.I)
    for day, names in (
        ("01-01", r"new year['’]s(?: day)?\b(?! eve)|元旦"),
        ("02-14", r"valentine|情人节"),
        ("03-08", r"women['’]s day|妇女节|三八"),
        ("05-01", r"may day|五一|劳动节"),
        ("06-01", r"六一|儿童节"),
        ("07-04", r"independence day"),
        ("09-10", r"教师节"),
        ("10-01", r"国庆|十一"),
        ("10-31", r"halloween|万圣节"),
        ("12-24", r"christmas eve|平安夜"),
        ("12-25", r"christmas(?! eve)|圣诞"),
        ("12-31", r"new year['’]s eve|除夕|跨年"),
    )
}
"""What days are called that have the same date every year."""


_THE_TWO = re.compile(r"\b(?:the|these|those|all) \Z", re.I)
_NO_NOUN = re.compile(
    r"\s*(?:\Z|[,.;:)]|of (?:them|whom|us)\b|(?:have|has|had|are|were|is|was|will|would|can|could|do|did|also|both|often|usually|always|never|"
    r"still|now|live|share|met|meet|go|get|got|spend|want|plan|hope|speak|eat|play|work|know|talk|see|like|love|enjoy)\b)",
    re.I,
)


_BOTH = re.compile("(?!人)[\u4e00-\u9fff]{1,2}[都均皆]")
"""两科都: both of them."""
_COUNTS_WHAT_IS_TOLD = frozenset("只位者名")
"""两只狗: both of those that were named."""
_ROOM = frozenset("间份座床组桌套局队")
"""两人间 is a room."""


def is_pronoun(item: Item, text: str) -> bool:
    """Whether an item stands for no figure or day: *the two* are they, like ``两人``; ``的今天`` is *now*."""
    if item.kind == "number" and item.norm in ("n:2", "n:3", "n:4") and item.surface.isalpha() and item.surface.isascii():
        return (
            _THE_TWO.search(text, max(0, item.start - 8), item.start) is not None and _NO_NOUN.match(text, item.end) is not None
        )
    before, after = text[max(0, item.start - 1) : item.start], text[item.end : item.end + 1]
    if item.kind == "number" and item.norm == "n:2":
        if _BOTH.match(text, item.end):
            return True
        return (
            (after == "人" or (after in _COUNTS_WHAT_IS_TOLD and item.surface in ("两", "二")))
            and (not before or before in ",，。;；、在由给让被据对予与和送请陪帮带是")
            and text[item.end + 1 : item.end + 2] not in _ROOM
        )
    return item.surface == "今天" and before == "的"


def is_copied(source: str, rewrite: str, start: int, end: int) -> bool:
    """Whether rewrite[start:end] lies inside a verbatim, undivided copy of the source."""
    text = source.strip()
    if len(text) < 2:
        return False
    last = start + len(text)  # one that begins behind the start is not asked for, and a rewrite may be long
    at = rewrite.find(text, max(0, start - len(text)), last)
    while at >= 0:
        if at + len(text) >= end and stands_alone(rewrite, at, at + len(text), text):
            return True
        at = rewrite.find(text, at + 1, last)
    return False


def stands_alone(rewrite: str, start: int, end: int, text: str) -> bool:
    """Whether a copy stands by itself: nothing in its own sentence before or behind it that could turn its meaning."""
    before, behind = start, end  # of a long rewrite neither half is copied
    while before and rewrite[before - 1] in _BULLETS:
        before -= 1
    if before and rewrite[before - 1] not in _OPENS:
        return False
    while behind < len(rewrite) and rewrite[behind] in " \t":
        behind += 1
    rest = rewrite[behind : behind + 2]
    return (
        not rest or rest[0] in "\n;；" or text[-1] in '.!?。！？…"”' or (rewrite[end] in ".!?。！？" and not rest[1:].isalnum())
    )


_BULLETS = " \t-•*"
_OPENS = ".!?。！？…;；\n:\"”'’)"
_BEGINNING = re.compile(rf"(?:\A|[{_OPENS}])[ \t\-•*]*")


class Copies:
    """Finds where texts stand by themselves in a long rewrite, which is not read through for each."""

    def __init__(self, rewrite: str) -> None:
        self._rewrite = rewrite
        self._places: dict[int, dict[int, list[int]]] = {}

    def holds(self, text: str) -> bool:
        """Whether the text stands there as ``stands_alone`` wants it."""
        rewrite = self._rewrite
        size = next((size for size in _PREFIXES if len(text) >= size), 0)
        if size and len(rewrite) > _READ_THROUGH:
            places = self._beginnings(size).get(hash(text[:size]), ())
            return any(rewrite.startswith(text, at) and stands_alone(rewrite, at, at + len(text), text) for at in places)
        at = rewrite.find(text)
        while at >= 0:
            if stands_alone(rewrite, at, at + len(text), text):
                return True
            at = rewrite.find(text, at + 1)
        return False

    def _beginnings(self, size: int) -> dict[int, list[int]]:
        """Where such a text may begin, by the hash of its first characters."""
        known = self._places.get(size)
        if known is None:
            known = self._places[size] = {}
            for found in _BEGINNING.finditer(self._rewrite):
                for at in range(min(found.start() + 1, found.end()) if found.start() else 0, found.end() + 1):
                    known.setdefault(hash(self._rewrite[at : at + size]), []).append(at)
        return known


_PREFIXES = (24, 14, 8)
_READ_THROUGH = 20_000
