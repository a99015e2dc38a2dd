"""What there is in a store: counts of what is wrong with its rows, and its growth by week. Takes one user after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from memopt.memory import UserMemory, to_epoch
from memopt.stores.base import Snapshot

WEEKS = 12
"""So many weeks of growth are told, the one that is not over included."""
EXAMPLES = 5
AHEAD_SECONDS = 26 * 3_600
"""A time so far ahead is no question of clocks and time zones any more."""
EARLIEST = 946_684_800
"""2000-01-01: before that no agent had a memory."""

NO_TIME, SECONDS, NO_DATE = "none", "seconds", "no date"


@dataclass(slots=True)
class Tally:
    """How often something was found, how often in rows without a user, and where the first few times: user and memory id."""

    count: int = 0
    of_nobody: int = 0
    examples: list[tuple[str | None, str]] = field(default_factory=list)

    def add(self, user_id: str | None, memory_id: str | None, times: int = 1) -> None:
        """Found once more."""
        self.count += times
        self.of_nobody += times if user_id is None else 0
        if len(self.examples) < EXAMPLES:
            self.examples.append((user_id, memory_id or ""))


@dataclass(slots=True)
class Week:
    """What came in one week, as far as it is still there: memories by their date of creation, tokens of their texts."""

    begins: date
    memories: int = 0
    tokens: int = 0


@dataclass(slots=True)
class Figures:
    """Sums over all rows.

    Attributes:
        users: who have rows; rows without a user are not counted as one.
        tokens: of the bare texts, each counted alone.
        newest: the latest time of a memory that is not ahead of now (epoch seconds).
        problems: unreadable rows by their problem.
        forms: how times are stored, by column and form, with the rows of each form.
    """

    users: int = 0
    memories: int = 0
    tokens: int = 0
    undated: int = 0
    newest: int | float | None = None
    nobody: Tally = field(default_factory=Tally)
    blank_user: Tally = field(default_factory=Tally)
    unreadable: Tally = field(default_factory=Tally)
    problems: Counter[str] = field(default_factory=Counter)
    damaged: Tally = field(default_factory=Tally)
    blank: Tally = field(default_factory=Tally)
    ahead: Tally = field(default_factory=Tally)
    early: Tally = field(default_factory=Tally)
    duplicates: Tally = field(default_factory=Tally)
    duplicate_users: int = 0
    forms: dict[str, dict[str, Tally]] = field(default_factory=dict)
    weeks: list[Week] = field(default_factory=list)


def time_form(value: Any) -> str:
    """In which form a time is stored: ``none``, ``seconds``, ``milliseconds``, ``microseconds``, ``ISO text``, ``number as text``
    or ``no date``."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return NO_TIME
    try:
        if to_epoch(value) is None:
            return NO_TIME
    except (ValueError, OverflowError, OSError):
        return NO_DATE
    if isinstance(value, int | float):
        size = abs(value)
        return SECONDS if size < 1e11 else "milliseconds" if size < 1e14 else "microseconds"
    if isinstance(value, str):
        try:
            float(value)
        except ValueError:
            return "ISO text"
        return "number as text"
    return "ISO text"  # a datetime, as the store's own reader gives it


class Collector:
    """Adds up users.

    Args:
        now: epoch seconds.
        count: tokens of a text.
        times: the stored times of a memory (``MemoryStore.stored_times``).
    """

    def __init__(self, now: int | float, count: Callable[[str], int], times: Callable[[UserMemory], Mapping[str, Any]]) -> None:
        self._now, self._count, self._times = now, count, times
        today = datetime.fromtimestamp(now, UTC).date()
        monday = today - timedelta(days=today.weekday())
        self._week = _week(now)
        self.figures = Figures(weeks=[Week(monday - timedelta(weeks=back)) for back in reversed(range(WEEKS))])

    def add(self, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
        """Take one user. Yields the id and text of each memory that says something, which must be read to the end."""
        found, user = self.figures, snapshot.user_id
        for row in snapshot.unreadable:
            if not row.memory_id:
                found.damaged.add(user, "")
                found.problems[row.problem] += 1
                continue
            found.unreadable.add(user, row.memory_id)
            found.problems[row.problem] += 1
            self._whose(user, row.memory_id)
        if user is not None:
            found.users += 1
        texts: set[str] = set()
        extra = 0
        for memory in snapshot.memories:
            found.memories += 1
            self._whose(user, memory.memory_id)
            tokens = self._count(memory.in_prompt)
            found.tokens += tokens
            self._dates(user, memory, tokens)
            if memory.is_blank:
                found.blank.add(user, memory.memory_id)
                continue
            if memory.memory in texts:
                extra += 1
                found.duplicates.add(user, memory.memory_id)
                continue
            texts.add(memory.memory)
            yield memory.memory_id or "", memory.memory
        found.duplicate_users += extra > 0 and user is not None

    def _whose(self, user: str | None, memory_id: str | None) -> None:
        if user is None:
            self.figures.nobody.add(user, memory_id)
        elif not user.strip():
            self.figures.blank_user.add(user, memory_id)

    def _dates(self, user: str | None, memory: UserMemory, tokens: int) -> None:
        found = self.figures
        for column, value in self._times(memory).items():
            form = time_form(value)
            forms = found.forms.get(column)
            if forms is None:
                forms = found.forms[column] = {}
            tally = forms.get(form)
            if tally is None:
                tally = forms[form] = Tally()
            tally.add(user, memory.memory_id)
        known = [value for value in (memory.created_at, memory.updated_at) if value is not None]
        if not known:
            found.undated += 1
            return
        latest = max(known)
        if latest > self._now + AHEAD_SECONDS:
            found.ahead.add(user, memory.memory_id)
        elif found.newest is None or latest > found.newest:
            found.newest = latest
        if min(known) < EARLIEST:
            found.early.add(user, memory.memory_id)
        born = memory.created_at if memory.created_at is not None else latest
        if born > self._now + AHEAD_SECONDS:
            return
        back = self._week - _week(born)
        if back < WEEKS:
            week = found.weeks[WEEKS - 1 - max(back, 0)]
            week.memories += 1
            week.tokens += tokens


def _week(epoch: int | float) -> int:
    """The number of the week, from Monday on, UTC. 1970 began on a Thursday."""
    return int(epoch // 86_400 + 3) // 7
