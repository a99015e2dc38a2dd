"""From figures to findings: what is wrong, how bad it is, and what to do about it. Pure.

``error``: something is broken, or cannot be read. ``warning``: somebody should act. ``info``: worth knowing. The limits stand in
docs/doctor.md and are chosen so that a store in daily use has no warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from memopt.doctor.figures import NO_DATE, NO_TIME, SECONDS, Figures, Tally, Week
from memopt.doctor.spread import Spread
from memopt.stores.base import Inspection
from memopt.wording import count, number

MANY_DUPLICATES = 0.10
WIDESPREAD_USERS = 10
WIDESPREAD_SHARE = 0.10
FAST, FASTER = 1.5, 3.0
FAST_FROM = 100
KNOWN_MAJOR = 3
FREE_SHARE, FREE_FROM = 0.25, 4_000_000
LOG_FROM = 64_000_000
JOURNAL_SHARE, JOURNAL_FROM = 0.5, 64_000_000
JOURNAL_DAYS = 180


class Severity(IntEnum):
    """How bad a finding is."""

    OK = 0
    INFO = 1
    WARNING = 2
    ERROR = 3

    @property
    def word(self) -> str:
        """``ok``, ``info``, ``warning`` or ``error``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: a stable word.
        severity: None where this store cannot be asked, or it was not asked for.
        count: how many rows (or what the message counts); 0 where nothing was found.
        message: what was found, in one sentence; empty where nothing was.
        examples: user and memory id of the first few.
        advice: what to do, in one sentence; empty where nothing was found.
    """

    name: str
    severity: Severity | None = Severity.OK
    count: int = 0
    message: str = ""
    examples: tuple[tuple[str | None, str], ...] = ()
    advice: str = ""

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "check": self.name,
            "severity": None if self.severity is None else self.severity.word,
            "count": self.count,
            "message": self.message,
            "examples": [{"user_id": user, "memory_id": memory} for user, memory in self.examples],
            "advice": self.advice,
        }


def checks(found: Figures, spread: Spread | None, told: Inspection, problems: Sequence[str], now: int | float) -> list[Check]:
    """Everything that is looked at, in the order in which it is told.

    Args:
        spread: None where not all users could be read.
        problems: what could not be read at all, a sentence each.
        now: epoch seconds.
    """
    return [
        _damage(found, told, problems),
        _unreadable(found),
        _no_user(found),
        _blank(found),
        _times(found),
        _dates(found),
        _duplicates(found),
        _shared(found, spread),
        _growth(found.weeks),
        _schema(told),
        _free(told),
        _log(told),
        _journal(told, now),
    ]


def _damage(found: Figures, told: Inspection, problems: Sequence[str]) -> Check:
    lines = [*problems, *(told.damage or ())]
    if found.damaged.count:
        some = next((problem for problem in found.problems if _is_damage(problem)), "")
        lines.append(f"{count(found.damaged.count, 'user')} cannot be read{f': {some}' if some else ''}")
    if not lines:
        return Check("damage")
    more = f" (and {number(len(lines) - 3)} more)" if len(lines) > 3 else ""
    return Check(
        "damage",
        Severity.ERROR,
        len(lines),
        f"the store is damaged: {'; '.join(lines[:3])}{more}",
        tuple(found.damaged.examples),
        "stop what writes to it, keep a copy, and restore a backup or recover the file (sqlite3 FILE .recover)",
    )


def _is_damage(problem: str) -> bool:
    return "malformed" in problem or "disk" in problem


def _unreadable(found: Figures) -> Check:
    tally = found.unreadable
    if not tally.count:
        return Check("unreadable")
    kinds = [(problem, times) for problem, times in found.problems.most_common() if not _is_damage(problem)]
    why = ", ".join(f"{problem} ({number(times)})" for problem, times in kinds[:3])
    return Check(
        "unreadable",
        Severity.ERROR,
        tally.count,
        f"{count(tally.count, 'row')} cannot be decoded: {why}{', ...' if len(kinds) > 3 else ''}",
        tuple(tally.examples),
        "memopt leaves such rows alone and the agent may stumble over them: memopt show --user ID tells each one's problem; "
        "repair or delete them by hand",
    )


def _no_user(found: Figures) -> Check:
    total = found.nobody.count + found.blank_user.count
    if not total:
        return Check("no-user")
    parts, advice = [], []
    if found.nobody.count:
        parts.append(f"{count(found.nobody.count, 'row')} without a user (NULL)")
        advice.append(
            "no user gets to see rows without a user, and no run over all users touches them: look with memopt show --no-user"
        )
    if found.blank_user.count:
        parts.append(f"{count(found.blank_user.count, 'row')} of a user whose id is blank")
        advice.append("a blank id is a user like any other to a run over all users, and --user cannot name it")
    advice.append("find out which agent ran without a user id")
    return Check(
        "no-user",
        Severity.WARNING,
        total,
        " and ".join(parts),
        (*found.nobody.examples, *found.blank_user.examples)[:5],
        "; ".join(advice),
    )


def _removed_by(strategy: str, tally: Tally) -> str:
    """The commands that remove what was found. A run over all users leaves rows without a user alone."""
    whose = ["--all-users"] if tally.count > tally.of_nobody else []
    whose += ["--no-user"] if tally.of_nobody else []
    commands = [f"memopt optimize {who} --strategy {strategy} --apply" for who in whose]
    return f"{' and '.join(commands)} {'removes' if len(commands) == 1 else 'remove'} them"


def _blank(found: Figures) -> Check:
    if not found.blank.count:
        return Check("blank")
    return Check(
        "blank",
        Severity.WARNING,
        found.blank.count,
        f"{count(found.blank.count, 'memory says', 'memories say')} nothing",
        tuple(found.blank.examples),
        _removed_by("tidy", found.blank),
    )


def _times(found: Figures) -> Check:
    told: list[str] = []
    examples: list[tuple[str | None, str]] = []
    rows = 0
    severity = Severity.OK
    for column, forms in found.forms.items():
        there = sorted(((form, tally) for form, tally in forms.items() if form != NO_TIME), key=lambda item: -item[1].count)
        if not {form for form, _ in there} - {SECONDS}:
            continue
        told.append(
            f"{column} {'mixes' if len(there) > 1 else 'holds'} "
            + " and ".join(f"{form} ({number(tally.count)})" for form, tally in there)
        )
        for _, tally in there[1:] or there:
            rows += tally.count
            examples += tally.examples
        severity = max(severity, Severity.WARNING if len(there) > 1 or there[0][0] == NO_DATE else Severity.INFO)
    if not told:
        return Check("times")
    return Check(
        "times",
        severity,
        rows,
        f"{'; '.join(told)}, where Agno writes epoch seconds",
        tuple(dict.fromkeys(examples))[:5],
        "memopt reads every form except what is no date, a database that sorts by the column does not: bring the rows to epoch "
        "seconds with an UPDATE of your own",
    )


def _dates(found: Figures) -> Check:
    total = found.ahead.count + found.early.count
    if not total:
        return Check("dates")
    parts = []
    if found.ahead.count:
        parts.append(f"{count(found.ahead.count, 'memory is', 'memories are')} dated in the future")
    if found.early.count:
        parts.append(f"{count(found.early.count, 'memory is', 'memories are')} dated before the year 2000")
    return Check(
        "dates",
        Severity.WARNING,
        total,
        " and ".join(parts),
        (*found.ahead.examples, *found.early.examples)[:5],
        "where the newest are kept, a future one stays for ever and an early one goes first: look with memopt show --user ID, "
        "and correct the clock of the machine that wrote them",
    )


def _duplicates(found: Figures) -> Check:
    extra = found.duplicates.count
    if not extra:
        return Check("duplicates")
    share = extra / found.memories
    where = [f"at {count(found.duplicate_users, 'user')}"] if found.duplicate_users else []
    where += ["in rows without a user"] if found.duplicates.of_nobody else []
    return Check(
        "duplicates",
        Severity.WARNING if share >= MANY_DUPLICATES else Severity.INFO,
        extra,
        f"{count(extra, 'memory repeats', 'memories repeat')} a text that the same user has already ({_percent(share)} of all, "
        f"{' and '.join(where)})",
        tuple(found.duplicates.examples),
        _removed_by("dedupe", found.duplicates),
    )


def _shared(found: Figures, spread: Spread | None) -> Check:
    if spread is None:
        return Check("shared", None)
    if not spread.texts:
        return Check("shared")
    share = spread.users / found.users if found.users else 0.0
    wide = spread.users >= WIDESPREAD_USERS and share >= WIDESPREAD_SHARE
    examples = [example for text in spread.widest for example in text.examples]
    return Check(
        "shared",
        Severity.WARNING if wide else Severity.INFO,
        spread.texts,
        f"{count(spread.texts, 'text stands', 'texts stand')} at more than one user, the most widespread at "
        f"{number(spread.users)}",
        tuple(examples[:5]),
        "that many users hardly said the same: the agent may have stored something of its own, such as its instructions"
        if wide
        else "often chance; else one person under two ids, or memories that were stored for the wrong user",
    )


def trend(weeks: Sequence[Week]) -> tuple[Week, Week, float | None]:
    """What the last four whole weeks brought, what the four before did, and how many times as many tokens that is."""
    whole = weeks[:-1]
    sums = []
    for some in (whole[-4:], whole[-8:-4]):
        sums.append(Week(some[0].begins, sum(week.memories for week in some), sum(week.tokens for week in some)))
    late, early = sums
    return late, early, late.tokens / early.tokens if early.tokens else None


def _growth(weeks: Sequence[Week]) -> Check:
    late, early, times = trend(weeks)
    if late.memories < FAST_FROM or times is None or times < FAST:
        return Check("growth")
    return Check(
        "growth",
        Severity.WARNING if times >= FASTER else Severity.INFO,
        late.memories,
        f"the last four whole weeks brought {count(late.tokens, 'token')}, {times:.1f} times the {number(early.tokens)} of the "
        "four before",
        (),
        "memopt users --sort tokens shows whose; a nightly run keeps them in bounds (memopt init writes a policy to begin with)",
    )


def _schema(told: Inspection) -> Check:
    missing = ", ".join(told.missing)
    if told.version is not None:
        major = told.version.partition(".")[0]
        if major.isdigit() and int(major) > KNOWN_MAJOR:
            return Check(
                "schema",
                Severity.WARNING,
                1,
                f"the table is of Agno's schema {told.version}, and this memopt knows those up to {KNOWN_MAJOR}",
                (),
                "update memopt, and try with a preview before anything is applied",
            )
        if missing:
            return Check(
                "schema",
                Severity.WARNING,
                1,
                f"Agno notes schema {told.version} of the table, without a column {missing}: a migration stopped half-way",
                (),
                "let Agno migrate it again; memopt goes on with the columns that are there",
            )
    elif missing:
        return Check(
            "schema",
            Severity.INFO,
            1,
            f"the table is of an early Agno 2 (no column {missing}, no version noted)",
            (),
            "memopt works with it; Agno's own migration adds the columns",
        )
    return Check("schema")


def _free(told: Inspection) -> Check:
    if told.size is None or told.free is None:
        return Check("free-space", None)
    if told.free < FREE_FROM or told.free < FREE_SHARE * told.size:
        return Check("free-space")
    return Check(
        "free-space",
        Severity.INFO,
        told.free,
        f"{megabytes(told.free)} of {megabytes(told.size)} hold nothing any more",
        (),
        "new memories fill it up again; to make the store smaller run VACUUM while no agent works with it",
    )


def _log(told: Inspection) -> Check:
    if told.log_size is None:
        return Check("write-ahead-log", Severity.OK if told.size is not None else None)
    if told.log_size < LOG_FROM or told.log_size < 0.5 * (told.size or 0):
        return Check("write-ahead-log")
    return Check(
        "write-ahead-log",
        Severity.WARNING,
        told.log_size,
        f"the write-ahead log beside the file has {megabytes(told.log_size)}",
        (),
        "some process holds an old read transaction open, so that it cannot be taken over into the file: find and restart it",
    )


def _journal(told: Inspection, now: int | float) -> Check:
    own = told.journal
    if told.hidden:
        return Check(
            "journal",
            Severity.INFO,
            1,
            "memopt's journal was left out: this role may not read it",
            (),
            told.hidden,
        )
    if own is None or not own.rows:
        return Check("journal")
    age = 0 if own.oldest is None else max(0, int((now - own.oldest) // 86_400))
    size = own.size or 0
    big = size >= JOURNAL_FROM and size >= JOURNAL_SHARE * (told.size or 0)
    if not big and age < JOURNAL_DAYS:
        return Check("journal")
    what = f"memopt's journal has {count(own.rows, 'run')}" + (f" in {megabytes(size)}" if own.size is not None else "")
    return Check(
        "journal",
        Severity.WARNING if big else Severity.INFO,
        own.rows,
        f"{what}, the oldest {count(age, 'day')} old; it keeps the old texts",
        (),
        "memopt history --prune --older-than 90d drops what nobody will take back any more",
    )


def megabytes(size: int) -> str:
    """``12.3 MB`` (of 1,000,000 bytes), ``345 kB`` below one."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{-(-size // 1000):,} kB"


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def worst(found: Iterable[Check]) -> Severity:
    """The worst of all."""
    return max((check.severity for check in found if check.severity is not None), default=Severity.OK)


def at_least(found: Iterable[Check], severity: Severity) -> Iterator[Check]:
    """Those that are at least so bad."""
    return (check for check in found if check.severity is not None and check.severity >= severity)
