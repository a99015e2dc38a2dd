"""Times that are told from the day of writing ("next week", 最近): how exactly that day must be known, and how it is written. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

Grain = Literal["day", "week", "month", "quarter", "year"]
"""The unit of the calendar within which a relative time means the same, whichever day it was written on."""

Moment = float
"""Epoch seconds."""

_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SOME = "(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|few|several|a couple of|some|\\d+)"
_WHICH = "(?:next|last|this|coming|past|upcoming)"

_TOLD: tuple[tuple[Grain, str], ...] = (
        (
            "day",
            rf"\b(?:today|tonight|tomorrow|yesterday|this (?:morning|afternoon|evening)|{_WHICH} (?:night|evening|{_WEEKDAY})|"
            rf"(?:on|by|until|till|before|after|since) {_WEEKDAY}(?! (?:mornings|afternoons|evenings|nights))|"
            rf"{_SOME} (?:days?|nights?|hours?) ago|in {_SOME} days?)\b(?!['’]s\b)"
            r"|[今明昨后前]天|[今昨明]晚|[今明昨][日早]|(?<![\d一二三四五六七八九十])[几两数\d一二三四五六七八九十]{1,4}[天小]时?[前后]|(?:下|上|这|本)(?:个)?(?:周|星期|礼拜)[一二三四五六日天末]",
        ),
        (
            "week",
            rf"\b(?:{_WHICH} (?:week|weekend|fortnight)s?|{_SOME} (?:weeks?|weekends?) ago|in {_SOME} weeks?)\b"
            r"|(?:下|上|这|本)(?:个)?(?:周|星期|礼拜)|(?<![\d一二三四五六七八九十])[几两数\d一二三四五六七八九十]{1,4}(?:个)?(?:周|星期|礼拜)[前后]",
        ),
        (
            "month",
            rf"\b(?:{_WHICH} (?:month|spring|summer|autumn|fall|winter|season|holidays?)|{_SOME} months? ago|in {_SOME} months?|"
            r"recently|lately|(?<!as )soon(?! as)|shortly|just (?:now|started|got|began|finished)|the other day)\b"
            r"|(?:下|上|这|本)(?:个)?月|(?<![\d一二三四五六七八九十])[几两数\d一二三四五六七八九十]{1,4}个月[前后]|最近|近期|近来|近日|刚刚|刚才|不久|马上|即将",
        ),
        ("quarter", rf"\b{_WHICH} (?:quarter|semester|term|trimester)\b|(?:下|上|这|本)(?:个)?(?:季度|学期)"),
        ("year", rf"\b(?:{_WHICH} year|{_SOME} (?:years?|decades?) ago|in {_SOME} years?)\b|今年|明年|去年|前年|后年|(?<![\d一二三四五六七八九十])[几两数\d一二三四五六七八九十]{1,4}年[前后]"),
)  # fmt: skip
_GRAINS = tuple((grain, re.compile(pattern, re.IGNORECASE)) for grain, pattern in _TOLD)
_LOOSE = re.compile(
    r"\b(?:currently|now|nowadays|presently|at the moment|these days|so far)\b|目前|现在|如今|当前|眼下", re.IGNORECASE
)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」|『[^』]*』|(?<!\w)'[^']*'(?!\w)|‘[^’]*’")
_NOTED = re.compile(r"\(noted [^)]*\)|（记于[^）]*）")

_MONTHS = "January February March April May June July August September October November December".split()


def grain_of(text: str) -> Grain | None:
    """The finest grain of the times that a text tells from the day of its writing; None where it tells none.

    What stands in quotation marks is somebody's words, and what says itself when it was noted needs no more.
    """
    if _NOTED.search(text):
        return None
    bare = _QUOTED.sub(" ", text) if any(mark in text for mark in "\"“「『'‘") else text
    return next((grain for grain, pattern in _GRAINS if pattern.search(bare)), None)


_DAY_TOLD = re.compile(
    rf"\b(?:{'|'.join(_MONTHS)}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?(?: \d{{1,2}}(?:st|nd|rd|th)?,?)? (?:19|20)\d\d\b"
    r"|\b(?:19|20)\d\d-\d\d\b|(?:19|20)\d\d年\d{1,2}月"
)


def holds_day(text: str) -> bool:
    """Whether a text tells by itself in which month of which year it happened or holds."""
    return _DAY_TOLD.search(text) is not None


_NOTED_ONCE = re.compile(
    rf"\(noted (?:by )?(?:(?P<day>\d{{1,2}}) )?(?P<month>{'|'.join(_MONTHS)}) (?P<year>\d{{4}})\)(?=\.|; before: |$)"
    r"|（记于(?P<zh_year>\d{4})年(?P<zh_month>\d{1,2})月(?:(?P<zh_day>\d{1,2})日)?(?:或之前)?）(?=。|；之前：|$)"
)


def noted_at(text: str) -> Moment | None:
    """When a sentence says that it was noted, where it names one day or month alone (its first day)."""
    found = _NOTED_ONCE.search(text)
    if found is None or len(_NOTED.findall(text)) != 1:
        return None
    year, month, of_month = (
        found["year"] or found["zh_year"],
        found["month"] or found["zh_month"],
        found["day"] or found["zh_day"],
    )
    number = _MONTHS.index(month) + 1 if found["month"] else int(month)
    try:
        return datetime(int(year), number, int(of_month or 1), tzinfo=UTC).timestamp()
    except ValueError:
        return None


def is_loose(text: str) -> bool:
    """Whether a text speaks of the time of writing as of something that lasts (``currently``): true alone, and not of two times."""
    return _LOOSE.search(text) is not None


def without_now(text: str) -> str:
    """The text without the first such word."""
    return " ".join(_LOOSE.sub(" ", text, count=1).split()).replace(" .", ".")


def loose_end(text: str) -> int:
    """Where such a word and the one behind it end (two characters in Chinese); 0 where there is none."""
    found = _LOOSE.search(text)
    if found is None:
        return 0
    behind = re.compile(r"\s+\S+|[\u4e00-\u9fff]{0,2}").match(text, found.end())
    return behind.end() if behind else found.end()


def period(grain: Grain, moment: Moment) -> tuple[int, ...]:
    """The unit of the calendar (UTC) in which a moment lies; equal for two moments of one unit."""
    date = datetime.fromtimestamp(moment, UTC)
    if grain == "day":
        return date.year, date.month, date.day
    if grain == "week":
        year, week, _ = date.isocalendar()
        return year, week
    if grain == "month":
        return date.year, date.month
    if grain == "quarter":
        return date.year, (date.month + 2) // 3
    return (date.year,)


def label(grain: Grain, moment: Moment, chinese: bool = False, known_year: int | None = None) -> str:
    """When it was noted, as exactly as the grain needs: ``3 April 2025`` (day, week), ``April 2025`` (month, quarter), ``2025``.

    Args:
        known_year: the year that the reader has in mind already; it is left out then.
    """
    start = datetime.fromtimestamp(moment, UTC)
    if chinese:
        year = f"{start.year}年"
        if grain == "year":
            return year
        if grain in ("day", "week"):
            return f"{year}{start.month}月{start.day}日"
        return f"{year}{start.month}月"
    if grain == "year":
        return str(start.year)
    month = _MONTHS[start.month - 1]
    told = f"{start.day} {month}" if grain in ("day", "week") else month
    return told if known_year == start.year else f"{told} {start.year}"


def labels(grain: Grain, moments: Sequence[Moment], chinese: bool = False) -> list[str]:
    """The labels of several moments in the order of time; a year is told where it begins."""
    out: list[str] = []
    year: int | None = None
    for moment in moments:
        out.append(label(grain, moment, chinese, year))
        year = datetime.fromtimestamp(moment, UTC).year
    return out


def day(moment: Moment, chinese: bool = False) -> str:
    """A day: ``3 April 2025``."""
    return label("day", moment, chinese)


def month(moment: Moment, chinese: bool = False) -> str:
    """A month: ``April 2025``."""
    return label("month", moment, chinese)
