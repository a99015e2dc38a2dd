"""Figures that follow from others: *from 5 to 7 pm* is *two hours from 5 pm*, half of 60 is 30, *two cats and a dog* are three pets. Pure.

A figure that the other side has not is told all the same where that side has those from which it can be reckoned. An error in one of
them shows all the same: what was told right is then gone, and follows from nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from fractions import Fraction

from memopt.facts.items import Item

_DAY_SECONDS = 86400
_MOST = 40
"""Of longer lists of figures nothing is reckoned: there something always fits."""
_LEAST_AGE = 10


def follows(item: Item, lines: Sequence[Sequence[Item]]) -> bool:
    """Whether a figure, day or time follows from others: as a point of time, the span between two, a share of an amount, or a sum.

    Args:
        item: what the other side has not.
        lines: the figures, days and times of the sentences of the other side that come nearest.
    """
    others = [one for items in lines for one in items]
    if item.kind not in _RECKONED or len(others) > _MOST:
        return False
    keys = {key for key in item.keys if key[0] in _SORTS}
    return bool(keys) and not (keys.isdisjoint(_reckoned(others, keys)) and keys.isdisjoint(_sums(lines)))


def _sums(lines: Sequence[Sequence[Item]]) -> set[str]:
    """What all amounts of one unit that a sentence tells are together."""
    out: set[str] = set()
    for items in lines:
        amounts: dict[str, list[Fraction]] = {}
        for item in items:
            if item.kind in ("quantity", "money") and item.norm.startswith(("q:", "m:")):
                amounts.setdefault(item.norm.rpartition(":")[0], []).append(_size(item.norm))
        out |= {
            f"{head}:{told}" for head, sizes in amounts.items() if len(sizes) > 1 and (told := _plain(sum(sizes, Fraction(0))))
        }
    return out


_RECKONED = frozenset(("time", "date", "weekday", "relative", "quantity", "number", "ordinal", "money", "percent"))
_SORTS = frozenset("tdwrqnompf")
_MONTH = re.compile(r"d:(?:\d{4}|-)-\d\d")
_SPANS = frozenset(("quantity", "relative"))
_BACK = ("r:before", "r:last", "r:-")


def _reckoned(others: Sequence[Item], wanted: set[str]) -> set[str]:
    """The keys of what follows from two of them; no more than is asked for."""
    sorts = {key[0] for key in wanted}
    points = [key for item in others for key in item.keys if key[0] in "tdw"]
    spans = [
        (key, -1 if any(one.startswith(_BACK) for one in item.keys) else 1)
        for item in others
        if item.kind in _SPANS
        for key in item.keys
        if key.startswith(("q:s:", "q:day:", "q:month:"))
    ]
    out: set[str] = set()
    if sorts & set("tdw"):
        out |= {moved for point in points for span, way in spans for moved in _moved(point, span, way)}
        days = {key[2:] for item in others if item.kind == "ordinal" for key in item.keys if key.startswith("o:")}
        out |= {f"{point}-{int(day):02d}" for point in points if _MONTH.fullmatch(point) for day in days if int(day) <= 31}
    if "o" in sorts:  # on the 21st
        out |= {f"o:{day}" for point in points if (day := _parts(point)[2]) is not None}
    if sorts & set("qnor"):
        for at, one in enumerate(points):
            for other in points[at + 1 :]:
                out |= _between(one, other)
    if sorts & set("mqnpf"):
        out |= _shares(others)
    return out


def _size(key: str) -> Fraction:
    return Fraction(key.rpartition(":")[2])


def _moved(point: str, span: str, way: int) -> set[str]:
    """Where a span behind a point of time ends; ``way`` -1: where it began before it, which only a word such as *before* tells."""
    size = _size(span)
    unit = span.split(":")[1]
    if size.denominator != 1 or not 0 < size < 10**6:
        return set()
    step = way * int(size)
    if point[0] == "t":
        minutes = _minutes(point)
        if unit != "s" or minutes is None or size % 60:
            return set()
        return {f"t:{(minutes + step // 60) // 60 % 24:02d}:{(minutes + step // 60) % 60:02d}"}
    if point[0] == "w":
        number = point[2:]
        return {f"w:{(int(number) + step - 1) % 7 + 1}"} if unit == "day" and number.isdigit() else set()
    year, month, day = _parts(point)
    if unit == "month" and year is not None and month is None:
        return set() if step % 12 else {f"d:{year + step // 12:04d}"}
    if unit == "month" and month is not None:
        moved = _told(year, month + step, day)
        return {moved} | _moved(moved, "q:day:1", -1)  # a contract ends on the day before
    if unit == "day" and month is not None and day is not None:
        then = _day(year or _ANY_YEAR, month, day, step)
        return set() if then is None else {f"d:{then:%Y-%m-%d}" if year else f"d:--{then:%m-%d}"}
    return set()


_ANY_YEAR = 2023


def _told(year: int | None, month: int, day: int | None) -> str:
    year = None if year is None else year + (month - 1) // 12
    return f"d:{'-' if year is None else f'{year:04d}'}-{(month - 1) % 12 + 1:02d}" + ("" if day is None else f"-{day:02d}")


def _day(year: int, month: int, day: int, step: int) -> date | None:
    try:
        return date(year, month, day) + timedelta(days=step)
    except (ValueError, OverflowError):
        return None


def _minutes(key: str) -> int | None:
    found = re.fullmatch(r"t:(\d\d):(\d\d)", key)
    return int(found[1]) * 60 + int(found[2]) if found else None


def _parts(key: str) -> tuple[int | None, int | None, int | None]:
    """Year, month and day of the key of a date, as far as they are told."""
    found = re.fullmatch(r"d:(?:(\d{4})|-)(?:-(\d\d)(?:-(\d\d))?)?", key)
    if found is None:
        return None, None, None
    year, month, day = (int(one) if one else None for one in found.groups())
    return year, month, day


def _between(one: str, other: str) -> set[str]:
    """The span from one point of time to another; of days and months also with both ends."""
    if one[0] != other[0]:
        return set()
    if one[0] == "t":
        first, last = _minutes(one), _minutes(other)
        apart = None if first is None or last is None else abs(last - first)
        return {f"q:s:{60 * size}" for size in (apart, 24 * 60 - apart)} if apart else set()
    if one[0] == "w":
        if not (one[2:].isdigit() and other[2:].isdigit()) or abs(int(one[2:]) - int(other[2:])) not in (1, 6):
            return set()
        return {"q:day:1", "r:after day", "r:before day"}
    (year, month, day), (year2, month2, day2) = _parts(one), _parts(other)
    if year and year2 and year != year2 and (month is None) == (month2 is None):
        years = abs(year - year2)
        if month is None or month2 is None:
            return {f"q:month:{12 * years}"} | ({f"n:{years}", f"o:{years}"} if years >= _LEAST_AGE else set())
    if month is None or month2 is None or (year is None) != (year2 is None):
        return set()
    if day is None and day2 is None:
        months = abs(((year or 0) - (year2 or 0)) * 12 + month - month2)
        return {f"q:month:{months}", f"q:month:{months + 1}"} if months else set()
    if day is None or day2 is None:
        return set()
    first_day, last_day = _day(year or _ANY_YEAR, month, day, 0), _day(year2 or _ANY_YEAR, month2, day2, 0)
    if first_day is None or last_day is None or first_day == last_day:
        return set()
    days = abs((last_day - first_day).days)
    out = {f"q:day:{days}", f"q:day:{days + 1}"} | ({"r:after day", "r:before day"} if days == 1 else set())
    if day == day2:
        out.add(f"q:month:{abs(((year or 0) - (year2 or 0)) * 12 + month - month2)}")
    return out


def _shares(others: Sequence[Item]) -> set[str]:
    """Parts of amounts, by the shares that are told, and the shares that amounts are of each other."""
    amounts: dict[str, list[Fraction]] = {}
    shares: set[Fraction] = set()
    for item in others:
        for key in item.keys:
            head, _, figure = key.rpartition(":")
            if key.startswith("f:"):
                shares.add(Fraction(figure))
            elif key.startswith(("p:", "zhe:")):
                shares.add(Fraction(figure) / 100)
            elif head == "n" and item.kind == "number" and re.fullmatch(r"\d+", figure) and not item.weak:
                amounts.setdefault("n", []).append(Fraction(figure))
            elif head.startswith(("m:", "q:g", "q:m", "q:l", "q:m2")) and re.fullmatch(r"\d+(?:\.\d+)?", figure):
                amounts.setdefault(head, []).append(Fraction(figure))
    out: set[str] = set()
    for head, sizes in amounts.items():
        for size in sizes:
            parts = [size * share for share in shares if 0 < share < 1]
            out |= {f"{head}:{_plain(part)}" for part in parts if _plain(part)}
        for small in sizes:
            for big in sizes:
                if 0 < small < big:
                    share = small / big
                    out |= {f"f:{share.numerator}/{share.denominator}"} if share.denominator <= _LEAST_AGE else set()
                    out |= {f"p:{share * 100}"} if (share * 100).denominator == 1 else set()
    return out


def _plain(value: Fraction) -> str:
    """A number as items have it; "" for one that cannot be told with two decimals."""
    hundredths = value * 100
    if hundredths.denominator != 1:
        return ""
    text = f"{float(value):.2f}".rstrip("0").rstrip(".")
    return text


def adds_up(many: int, texts: Iterable[str], noun: str = "") -> bool:
    """Whether a text counts the sorts of something one by one that are so many together: *two cats and a dog* are three.

    Args:
        many: the figure.
        texts: where they may be counted.
        noun: what the figure counts, as it is written; only members of it count. "" where the list stands behind the figure itself.
    """
    members = next((names for whole, names in _SORTED if noun and whole.fullmatch(noun)), None)
    if noun and members is None:
        return False
    return any(_sum(text, members) == many for text in texts)


_FIGURES = {
    name: number
    for number, names in enumerate(("", "a an one 一 1", "two 两 二 俩 2", "three 三 仨 3", "four 四", "five 五", "six 六", "seven 七", "eight 八", "nine 九", "ten 十"))
    for name in names.split()
}  # fmt: skip
_PART = re.compile(
    r"(?<![\w.,-])(?P<many>\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten) (?:(?!and\b|or\b)[a-z][\w'’-]* ){0,2}?(?P<noun>[a-z]{3,})\b"
    r"|(?P<zh>\d{1,4}|[一两二三四五六七八九十俩仨])(?:个|只|条|名|位|头|匹)?(?P<zh_noun>[男女]?[\u4e00-\u9fff]{1,2}?)(?=[，。、；,.和及与（(]|\Z|一|两)",
    re.I,
)
_SORTED = (
    (re.compile(r"(?:grand)?(?:children|kids)", re.I), re.compile(r"(?:(?:step|grand)?(?:sons?|daughters?)|boys?|girls?|twins)", re.I)),
    (re.compile(r"siblings", re.I), re.compile(r"(?:step)?(?:brothers?|sisters?)", re.I)),
    (re.compile(r"pets|animals", re.I), re.compile(r"(?:cat|dog|rabbit|hamster|parrot|budgie|canary|tortoise|turtle|pony|horse|goat|guinea pig|kitten|pupp(?:y|ie)|hen|goldfish|ferret|gecko|snake)s?", re.I)),
    (re.compile(r"people|members|players|students|pupils|employees|guests|adults|singers|staff|participants", re.I),
     re.compile(r"(?:wo)?m[ae]n|boys?|girls?|adults?|children|child|kids?|males?|females?|teachers?|nurses?", re.I)),
    (re.compile(r"孩子|子女|小孩|娃"), re.compile(r"儿子?|女儿?|儿|男孩?|女孩?|儿子|女儿|男|女|男孩|女孩")),
    (re.compile(r"宠物"), re.compile(r"猫|狗|兔子?|鹦鹉|乌龟|仓鼠")),
)  # fmt: skip
"""What has several sorts, as (whole, its sorts)."""


def _sum(text: str, members: re.Pattern[str] | None) -> int:
    total = count = 0
    for found in _PART.finditer(text):
        noun = found["noun"] or found["zh_noun"]
        if members is not None and members.fullmatch(noun) is None:
            continue
        told = (found["many"] or found["zh"]).lower()
        total += int(told) if told.isdigit() else _FIGURES.get(told, 0)
        count += 1
    return total if count > 1 else 0


__all__ = ["adds_up", "follows"]
