"""Keep what a retention policy keeps, and let the rest go. The vocabulary is that of ``restic forget`` and ``borg prune``.

``apply_policy(memories, policy, now)`` is pure: a verdict for each memory, with its reasons. The rules are OR-ed, so a memory
goes only when no rule keeps it. What no rule can judge, because its date is missing, cannot be read or lies in the future,
stays.

A memory's date is the later of ``updated_at`` and ``created_at``. Times are UTC and weeks are ISO 8601 weeks, whatever the
machine's time zone. A month before 31 March is the last day of February.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final

from memopt.errors import UsageError
from memopt.memory import UserMemory, iso_utc
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, option

MOST = 1_000_000
"""The largest count a rule takes."""

CLOCK_SKEW = 300
"""A date so many seconds after now is not yet in the future: two machines' clocks differ."""

TOLD = 20
"""So many groups that lose every memory are named; of more only the number is told."""

_GROUPS = ("agent", "team", "topic")
_UNITS = {
    **dict.fromkeys(("y", "yr", "yrs", "year", "years"), "y"),
    **dict.fromkeys(("mo", "mos", "mon", "month", "months"), "mo"),
    **dict.fromkeys(("w", "wk", "wks", "week", "weeks"), "w"),
    **dict.fromkeys(("d", "day", "days"), "d"),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), "min"),
}
_ORDER = ("y", "mo", "w", "d", "h", "min")
_PART = re.compile(r"\s*([0-9]+)\s*([A-Za-z]+)\s*")
_LONGEST_YEARS = 1_000


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time by the calendar: months first, then days, then minutes."""

    months: int = 0
    days: int = 0
    minutes: int = 0

    def before(self, epoch: float) -> float:
        """The moment this long before another (epoch seconds, UTC); no earlier than the year 1."""
        moment = datetime.fromtimestamp(epoch, UTC)
        year, month = divmod(moment.year * 12 + moment.month - 1 - self.months, 12)
        try:
            back = moment.replace(year=year, month=month + 1, day=min(moment.day, monthrange(year, month + 1)[1]))
            return (back - timedelta(days=self.days, minutes=self.minutes)).timestamp()
        except (ValueError, OverflowError):
            return datetime.min.replace(tzinfo=UTC).timestamp()


def parse_duration(text: str, option_name: str = "keep-within") -> Duration:
    """Read ``90d``, ``2y5m7d``, ``36h``, ``3 months``: whole numbers with units, the largest unit first.

    Units: y, mo, w, d, h, min and their words. ``m`` stands for months right after years or before weeks or days, as restic
    writes it; elsewhere it could as well be minutes.

    Raises:
        UsageError: no unit, an ambiguous or unknown one, a fraction, a sign, zero, or more than 1000 years.
    """

    def bad(why: str) -> UsageError:
        return UsageError(f"strategy retain: {option_name}={text!r}: {why}")

    stripped = text.strip()
    if not stripped:
        raise bad("it is empty; say how long, such as 90d, 36h or 2y5m7d")
    if re.fullmatch(r"[0-9]+", stripped):
        raise bad(f"a duration needs a unit: {stripped}d for days, {stripped}h, {stripped}w, {stripped}mo or {stripped}y")
    parts: list[tuple[int, str]] = []
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            hint = "; for part of a day say hours, such as 36h" if re.search(r"[0-9][.,][0-9]", text) else ""
            raise bad(f"it is not whole numbers with units, such as 90d, 36h or 2y5m7d{hint}")
        if len(match[1]) > 9:
            raise bad(f"it is more than {_LONGEST_YEARS} years")
        parts.append((int(match[1]), match[2].lower()))
        at = match.end()
    units: list[str] = []
    for place, (number, word) in enumerate(parts):
        if word == "m":
            after_years = bool(units) and units[-1] == "y"
            following = _UNITS.get(parts[place + 1][1]) if place + 1 < len(parts) else None
            if not (after_years or following in ("w", "d")):
                raise bad(f"'m' could be months or minutes; say {number}mo or {number}min")
            word = "mo"
        unit = _UNITS.get(word)
        if unit is None:
            raise bad(f"there is no unit {word!r}; units: y, mo, w, d, h, min")
        if units and _ORDER.index(unit) <= _ORDER.index(units[-1]):
            raise bad("each unit stands once, the largest first: y, mo, w, d, h, min")
        units.append(unit)
    sizes = dict(zip(units, (number for number, _ in parts), strict=True))
    months = sizes.get("y", 0) * 12 + sizes.get("mo", 0)
    days = sizes.get("w", 0) * 7 + sizes.get("d", 0)
    minutes = sizes.get("h", 0) * 60 + sizes.get("min", 0)
    if not (months or days or minutes):
        raise bad("zero would keep nothing; leave the rule out, or say how long")
    if months / 12 + days / 365.25 + minutes / 525_960 > _LONGEST_YEARS:
        raise bad(f"it is more than {_LONGEST_YEARS} years")
    return Duration(months, days, minutes)


@dataclass(frozen=True, slots=True)
class RetainOptions:
    """Options of ``retain``. A rule that is not given keeps nothing by itself; at least one is needed."""

    keep_last: int | None = option(None, "keep the N memories that changed last", minimum=1, maximum=MOST)
    keep_within: str | None = option(None, "keep what changed within a duration: 90d, 36h, 2y5m7d")
    keep_daily: int | None = option(
        None, "keep the newest memory of each of the last N days that have one", minimum=1, maximum=MOST
    )
    keep_weekly: int | None = option(None, "likewise for ISO weeks", minimum=1, maximum=MOST)
    keep_monthly: int | None = option(None, "likewise for months", minimum=1, maximum=MOST)
    keep_yearly: int | None = option(None, "likewise for years", minimum=1, maximum=MOST)
    keep_topic: str | None = option(None, "keep memories with one of these topics: medical,family (none: those without topics)")
    keep_match: str | None = option(None, "keep memories in whose text this regular expression is found")
    keep_feedback: bool = option(False, "keep memories with feedback")
    group_by: str = option(
        "none", "apply the policy to each group by itself: any of agent,team,topic; none: all memories together"
    )
    relative_to: str = option(
        "newest",
        "what keep-within counts back from: the user's newest memory, or now (which empties a dormant user's store)",
        choices=("newest", "now"),
    )


@dataclass(frozen=True, slots=True)
class Policy:
    """What to keep. Counts are None where the rule is not given.

    Attributes:
        within: a duration, with the text it was given as.
        topics: casefolded; ``none`` stands for memories without topics.
        group_by: any of agent, team, topic.
        relative_to: ``newest`` or ``now``.
    """

    last: int | None = None
    within: Duration | None = None
    within_text: str = ""
    daily: int | None = None
    weekly: int | None = None
    monthly: int | None = None
    yearly: int | None = None
    topics: tuple[str, ...] = ()
    match: re.Pattern[str] | None = None
    feedback: bool = False
    group_by: tuple[str, ...] = ()
    relative_to: str = "newest"

    @property
    def is_empty(self) -> bool:
        """Whether there is no rule that could keep anything."""
        counts = (self.last, self.daily, self.weekly, self.monthly, self.yearly)
        return not (any(counts) or self.within or self.topics or self.match or self.feedback)

    @classmethod
    def read(cls, options: RetainOptions) -> Policy:
        """Make the policy that the options describe.

        Raises:
            UsageError: no rule, a rule that means nothing or everything, or a value that cannot be read.
        """
        topics = _listed("keep-topic", options.keep_topic)
        group_by = _listed("group-by", options.group_by)
        unknown = [name for name in group_by if name not in (*_GROUPS, "none")]
        if unknown or ("none" in group_by and len(group_by) > 1):
            wrong = unknown[0] if unknown else options.group_by
            raise UsageError(f"strategy retain: option group-by takes any of agent,team,topic, or none, not {wrong!r}")
        policy = cls(
            last=options.keep_last,
            within=None if options.keep_within is None else parse_duration(options.keep_within),
            within_text=(options.keep_within or "").strip(),
            daily=options.keep_daily,
            weekly=options.keep_weekly,
            monthly=options.keep_monthly,
            yearly=options.keep_yearly,
            topics=tuple(dict.fromkeys(topic.casefold() for topic in topics)),
            match=None if options.keep_match is None else _pattern(options.keep_match),
            feedback=options.keep_feedback,
            group_by=tuple(name for name in _GROUPS if name in group_by),
            relative_to=options.relative_to,
        )
        if policy.is_empty:
            raise UsageError(
                "strategy retain: no policy was given, so nothing is removed; say what to keep, such as -o keep-last=50, "
                "-o keep-within=1y or -o keep-monthly=12"
            )
        return policy


def _listed(name: str, text: str | None) -> list[str]:
    if text is None:
        return []
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise UsageError(f"strategy retain: option {name} has an empty value ({text!r})")
    return parts


def _pattern(text: str) -> re.Pattern[str]:
    if not text.strip():
        raise UsageError("strategy retain: option keep-match is empty")
    try:
        pattern = re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"strategy retain: keep-match={text!r} is no regular expression: {error}") from None
    if pattern.search("\ue000") and pattern.search("a"):  # what picks some texts out is not found in both of these
        raise UsageError(f"strategy retain: keep-match={text!r} matches every text, so the policy would remove nothing")
    return pattern


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a policy says of one memory.

    Attributes:
        keep: whether it stays.
        reasons: for a kept memory every rule that keeps it, else what was decided by; never empty.
        relies_on: ids of kept memories without which it would have been kept itself.
    """

    keep: bool
    reasons: tuple[str, ...]
    relies_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retention:
    """What a policy says of a list of memories.

    Attributes:
        verdicts: one for each memory, in the order given.
        reference: what keep-within counts back from (epoch seconds), and ``since``, the moment from which it keeps; None where
            there is no such rule, or no date to count from.
        undated, future, blank, created: how many memories are without a readable date, dated in the future, without text, or
            dated by created_at.
        newest: the latest date that is not in the future.
        emptied: the groups that lose every memory, with how many those were.
    """

    verdicts: tuple[Verdict, ...]
    reference: float | None = None
    since: float | None = None
    undated: int = 0
    future: int = 0
    blank: int = 0
    created: int = 0
    newest: float | None = None
    emptied: tuple[tuple[str, int], ...] = ()


def dated(memory: UserMemory) -> tuple[float | None, str]:
    """When the memory last changed (epoch seconds; None: not known), and the field that says so.

    The later of the two dates counts: a date of change before the creation is wrong, and so is 1970-01-01T00:00:00, which
    programs write where they know none.
    """
    updated, created = memory.updated_at or None, memory.created_at or None
    if updated is not None and (created is None or updated >= created):
        return updated, "updated_at"
    return (created, "created_at") if created is not None else (None, "")


@dataclass(slots=True)
class _Dated:
    place: int
    at: float
    name: str
    memory: UserMemory
    kept_by: list[str] = field(default_factory=list)
    relies_on: dict[str, None] = field(default_factory=dict)


def _days(moment: datetime) -> tuple[int, ...]:
    return (moment.toordinal(),)


def _weeks(moment: datetime) -> tuple[int, ...]:
    return tuple(moment.isocalendar()[:2])


def _months(moment: datetime) -> tuple[int, ...]:
    return (moment.year, moment.month)


def _years(moment: datetime) -> tuple[int, ...]:
    return (moment.year,)


_Bucket = Callable[[datetime], tuple[int, ...]]
_BUCKETS: Final[tuple[tuple[str, _Bucket], ...]] = (
    ("daily", _days),
    ("weekly", _weeks),
    ("monthly", _months),
    ("yearly", _years),
)


def apply_policy(memories: Sequence[UserMemory], policy: Policy, now: float) -> Retention:
    """Judge each memory.

    Args:
        now: epoch seconds.

    Raises:
        UsageError: the policy is empty.
    """
    if policy.is_empty:
        raise UsageError("strategy retain: no policy was given, so nothing is removed")
    verdicts: dict[int, Verdict] = {}
    entries: list[_Dated] = []
    counts = {"undated": 0, "future": 0, "blank": 0, "created": 0}
    for place, item in enumerate(memories):
        at, name = dated(item)
        if item.is_blank:
            kind, reason = "blank", "kept: blank"
        elif at is None:
            kind, reason = "undated", "kept: no readable date"
        elif at > now + CLOCK_SKEW:
            kind, reason = "future", "kept: dated in the future"
        else:
            counts["created"] += name == "created_at"
            entries.append(_Dated(place, at, name, item))
            continue
        counts[kind] += 1
        verdicts[place] = Verdict(True, (reason,))
    entries.sort(key=lambda entry: (-entry.at, entry.memory.memory_id or "", entry.memory.memory))

    reference = since = None
    if policy.within is not None and entries:
        reference = entries[0].at if policy.relative_to == "newest" else now
        since = policy.within.before(reference)
    _judge_singly(entries, policy, since)
    groups = _grouped(entries, policy.group_by)
    for group in groups.values():
        _judge_group(group, policy)
    anchor = entries[0].memory.memory_id if since is not None and policy.relative_to == "newest" else None
    for entry in entries:
        if entry.kept_by:
            verdicts[entry.place] = Verdict(True, tuple(dict.fromkeys(entry.kept_by)))
        else:
            relies_on = dict.fromkeys([anchor]) if anchor is not None else {}
            reason = f"kept by no rule: last changed {iso_utc(entry.at)} ({entry.name})"
            verdicts[entry.place] = Verdict(False, (reason,), tuple(relies_on | entry.relies_on))
    emptied = [
        (name, len(group)) for name, group in groups.items() if policy.group_by and not any(entry.kept_by for entry in group)
    ]
    return Retention(
        verdicts=tuple(verdicts[place] for place in range(len(memories))),
        reference=reference,
        since=since,
        newest=entries[0].at if entries else None,
        emptied=tuple(sorted(emptied)),
        **counts,
    )


def _judge_singly(entries: Iterable[_Dated], policy: Policy, since: float | None) -> None:
    """The rules that look at one memory alone."""
    for entry in entries:
        item, kept_by = entry.memory, entry.kept_by
        if item.protected is not None:
            kept_by.append(f"protected ({item.protected})")
        if since is not None and entry.at >= since:
            kept_by.append(f"keep-within={policy.within_text}")
        if policy.topics:
            has = {topic.casefold() for topic in item.topics or ()} or {"none"}
            kept_by.extend(f"keep-topic={topic}" for topic in policy.topics if topic in has)
        if policy.match is not None and policy.match.search(item.memory):
            kept_by.append("keep-match")
        if policy.feedback and (item.feedback or "").strip():
            kept_by.append("keep-feedback")


def _grouped(entries: Iterable[_Dated], group_by: Sequence[str]) -> dict[str, list[_Dated]]:
    """The groups by their name. By topic, a memory is in the group of each of its topics, and stays if one of them keeps it."""
    groups: dict[str, list[_Dated]] = {}
    for entry in entries:
        item = entry.memory
        owners = [(name, getattr(item, f"{name}_id")) for name in group_by if name != "topic"]
        head = [f"{name} {value}" if value else f"no {name}" for name, value in owners]
        tails = [f"topic {topic}" for topic in dict.fromkeys(item.topics or ())] or ["no topic"]
        for name in [", ".join([*head, tail]) for tail in tails] if "topic" in group_by else [", ".join(head)]:
            groups.setdefault(name, []).append(entry)
    return groups


def _judge_group(group: Sequence[_Dated], policy: Policy) -> None:
    """The rules that count, for one group, newest first."""
    edges: list[str | None] = []  # while these stay, there are newer ones for everything that goes
    if policy.last is not None:
        for entry in group[: policy.last]:
            entry.kept_by.append(f"keep-last={policy.last}")
        if len(group) > policy.last:
            edges.append(group[policy.last - 1].memory.memory_id)
    asked = [(name, bucket, count) for name, bucket in _BUCKETS if (count := getattr(policy, name)) is not None]
    moments = [datetime.fromtimestamp(entry.at, UTC) for entry in group] if asked else []
    for name, bucket, count in asked:
        left, current, keeper = count, None, None
        for entry, moment in zip(group, moments, strict=True):
            if left and (found := bucket(moment)) != current:
                entry.kept_by.append(f"keep-{name}={count}")
                left, current, keeper = left - 1, found, entry.memory.memory_id
            elif left and entry is group[-1]:
                # As restic and borg do: while there are fewer days than asked for, the history's beginning stays.
                entry.kept_by.append(f"keep-{name}={count} (the oldest)")
            elif keeper is not None and not entry.kept_by:
                entry.relies_on[keeper] = None
    for entry in group:
        if not entry.kept_by:
            entry.relies_on.update(dict.fromkeys(edge for edge in edges if edge is not None))


class RetainStrategy(MemoryOptimizationStrategy):
    """Keep what a policy keeps: the last N, within a duration, the newest of each day, week, month or year, by topic, by text.

    Attributes:
        now: epoch seconds; the manager sets it. Without it nobody can say which dates lie in the future.
    """

    name = "retain"
    summary = "keep what a retention policy keeps (last N, within 90d, daily/weekly/monthly/yearly, by topic or text)"
    Options: ClassVar[type[Any]] = RetainOptions
    now: float | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__(**{key: value for key, value in options.items() if value is not None})
        self.policy = Policy.read(self.options)

    def steps(self, memories: Sequence[UserMemory]) -> Proposal:
        """Apply the policy. Raises UsageError where ``now`` was not set."""
        if self.now is None:
            raise UsageError("strategy retain needs the present time: set its attribute now to epoch seconds")
        found = apply_policy(memories, self.policy, self.now)
        decisions = {
            item.memory_id: Decision(", ".join(verdict.reasons), relies_on=verdict.relies_on)
            for item, verdict in zip(memories, found.verdicts, strict=True)
            if item.memory_id is not None
        }
        kept = [item for item, verdict in zip(memories, found.verdicts, strict=True) if verdict.keep]
        return Proposal(kept, decisions, tuple(_notes(memories, self.policy, found, self.now)))


def _notes(memories: Sequence[UserMemory], policy: Policy, found: Retention, now: float) -> Iterable[str]:
    if found.since is not None:
        what = "the user's newest memory" if policy.relative_to == "newest" else "now"
        yield (
            f"keep-within={policy.within_text} counts back from {what} ({_second(found.reference)}) and keeps what changed "
            f"since {_second(found.since)}"
        )
    if policy.daily or policy.weekly or policy.monthly or policy.yearly:
        yield "days, weeks, months and years are those of UTC; a week is an ISO week and begins on Monday"
    if found.undated:
        yield f"{_memories(found.undated)} without a readable date kept"
    if found.future:
        yield f"{_memories(found.future)} dated in the future kept, and not counted"
    if found.blank:
        yield f"{found.blank} blank {'memory' if found.blank == 1 else 'memories'} left alone"
    if found.created:
        yield f"{_memories(found.created)} dated by created_at, as there is no later updated_at"
    if policy.topics:
        there = {topic.casefold() for item in memories for topic in item.topics or ("none",)}
        for topic in policy.topics:
            if topic not in there:
                yield f"keep-topic: no memory has the topic {topic!r}"
    judged = [v for v, item in zip(found.verdicts, memories, strict=True) if not item.is_blank]
    if judged and found.newest is not None and not any(verdict.keep for verdict in judged):
        days = int(max(now - found.newest, 0) // 86_400)
        yield (
            f"the policy keeps none of the {_memories(len(judged))}: the newest changed {_second(found.newest)}, "
            f"{days} {'day' if days == 1 else 'days'} ago"
        )
    for name, size in found.emptied[:TOLD]:
        yield f"{name}: none of the {_memories(size)} stays" if size > 1 else f"{name}: its only memory goes"
    if len(found.emptied) > TOLD:
        yield f"{len(found.emptied) - TOLD} more groups lose every memory"


def _second(epoch: float | None) -> str:
    return (iso_utc(None if epoch is None else int(epoch // 1)) or "").removesuffix("Z") + "Z"


def _memories(number: int) -> str:
    return f"{number} {'memory' if number == 1 else 'memories'}"
