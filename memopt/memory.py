"""The memory of an agent about a user, as a frozen value."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

CONTENT_FIELDS = (
    "memory",
    "topics",
    "user_id",
    "input",
    "agent_id",
    "team_id",
    "feedback",
    "created_at",
    "updated_at",
)
"""The fields that make a memory's content: two memories of one id are the same when these are equal."""


_MILLENNIUM = 946_684_800  # 2000-01-01
_NO_SECONDS = 1e11


def to_epoch(value: Any) -> int | float | None:
    """Read a point in time in any form that agent frameworks have written.

    Args:
        value: int or float (epoch seconds; from 1e11 on milliseconds and microseconds are recognised, as far as that gives a
            year from 2000 on), numeric text, ISO 8601 text with a
            blank or ``T``, with or without offset (without: UTC), a datetime, or None.

    Returns:
        Seconds since 1970-01-01 UTC, or None for None and blank text.

    Raises:
        ValueError: the value is none of these, or lies outside the years 1 to 5138 (1e11 seconds: from there on a number is
            taken for milliseconds, so that a later time would change when it is read again).
    """
    if value is None or (type(value) is int and -1e10 < value < 1e10):  # by far the most frequent, and always a date
        return value
    if isinstance(value, bool):
        raise ValueError(f"not a point in time: {value!r}")
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        return _plain(_within(moment.timestamp(), value))
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        try:
            value = int(text)
        except ValueError:
            try:
                value = float(text)
            except ValueError:
                moment = datetime.fromisoformat(text)
                return to_epoch(moment)
    if not isinstance(value, int | float):
        raise ValueError(f"not a point in time: {value!r}")
    if value != value or value in (float("inf"), float("-inf")):
        raise ValueError(f"not a point in time: {value!r}")
    try:
        if abs(value) >= _NO_SECONDS:
            given = value
            value = value / 1000 if abs(value) < 1e14 else value / 1_000_000
            if value < _MILLENNIUM:  # no agent wrote a memory then: it is no point in time at all
                raise ValueError(f"not a point in time: {given!r}")
        datetime.fromtimestamp(value, UTC)  # raises where no calendar reaches
    except (OverflowError, OSError):
        raise ValueError(f"outside the years 1 to 9999: {value!r}") from None
    return _plain(_within(value, value))


def _within(seconds: int | float, given: Any) -> int | float:
    if abs(seconds) >= _NO_SECONDS:
        raise ValueError(f"outside the years 1 to 5138: {given!r}")
    return seconds


def _plain(value: int | float) -> int | float:
    return int(value) if float(value).is_integer() else value


def iso_utc(epoch: int | float | None) -> str | None:
    """Epoch seconds as ISO 8601 in UTC with a Z, to the second (microseconds only where there are any)."""
    if epoch is None:
        return None
    try:
        moment = datetime.fromtimestamp(epoch, UTC)
    except (OverflowError, OSError, ValueError):
        return None
    return moment.isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class UserMemory:
    """One stored record about a user.

    The fields are Agno's. ``created_at`` and ``updated_at`` are seconds since 1970 UTC; the constructor takes every form that
    ``to_epoch`` reads. ``topics`` keeps the difference between None and an empty tuple.

    Attributes:
        memory: what is remembered, as plain text.
        memory_id: the store's id; None for a memory that no store has seen yet.
        prompt_text: what the framework puts into the prompt where that is not ``memory`` (rows of old migrations); else None.
        sources: ids of the memories this one was made from, as far as the strategy says. Not stored.
        protected: why it may be read but neither changed nor dropped (``topic:medical``); None where it may. Not stored.
        rewrites: how often what it says was rewritten by a model already, as far as the journal tells. Not stored.
        raw: the store's own record, untouched. Neither compared nor shown.
    """

    memory: str
    memory_id: str | None = None
    topics: tuple[str, ...] | None = None
    user_id: str | None = None
    input: str | None = None
    created_at: int | float | None = None
    updated_at: int | float | None = None
    feedback: str | None = None
    agent_id: str | None = None
    team_id: str | None = None
    prompt_text: str | None = field(default=None, compare=False)
    sources: tuple[str, ...] = field(default=(), compare=False)
    protected: str | None = field(default=None, compare=False)
    rewrites: int = field(default=0, compare=False)
    raw: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.topics is not None:
            if isinstance(self.topics, str):
                raise TypeError("topics is a list of texts, not one text")
            object.__setattr__(self, "topics", tuple(self.topics))
        object.__setattr__(self, "sources", tuple(self.sources))
        object.__setattr__(self, "created_at", to_epoch(self.created_at))
        object.__setattr__(self, "updated_at", to_epoch(self.updated_at))

    @property
    def last_changed(self) -> int | float | None:
        """When the memory last changed: updated_at, else created_at, else None (epoch seconds)."""
        return self.updated_at if self.updated_at is not None else self.created_at

    @property
    def is_blank(self) -> bool:
        """Whether the text holds nothing readable: white space, control and zero-width characters only.

        A character that Python's Unicode tables do not know yet may be a letter of a newer standard, and counts as readable.
        """
        text = self.memory
        return not any(ch.isprintable() and not ch.isspace() for ch in text) and all(
            unicodedata.category(ch) not in ("Cn", "Co") for ch in text
        )

    @property
    def in_prompt(self) -> str:
        """The text that the framework puts into the prompt for this memory."""
        return self.memory if self.prompt_text is None else self.prompt_text

    def content(self) -> tuple[Any, ...]:
        """The values of CONTENT_FIELDS, for comparison."""
        return tuple(getattr(self, name) for name in CONTENT_FIELDS)

    def same_as(self, other: UserMemory) -> bool:
        """Whether storing one instead of the other would change nothing: same content, and the same text in the prompt."""
        return self is other or (self.content() == other.content() and self.prompt_text == other.prompt_text)

    def but(self, **changes: Any) -> UserMemory:
        """A copy with some fields changed. A changed text is also what the framework will inject."""
        if "memory" in changes:
            changes.setdefault("prompt_text", None)
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """The fields that are set, JSON-ready. Times are ISO 8601 in UTC, so that no reader's time zone moves them."""
        out: dict[str, Any] = {"memory_id": self.memory_id}
        for name in CONTENT_FIELDS:
            value = getattr(self, name)
            if value is None:
                continue
            if name in ("created_at", "updated_at"):
                value = iso_utc(value)
            elif name == "topics":
                value = list(value)
            out[name] = value
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> UserMemory:
        """The inverse of ``to_dict``. Raises TypeError for unknown keys and ValueError for unreadable times."""
        return cls(**dict(data))


def unite_topics(memories: Iterable[UserMemory]) -> tuple[str, ...] | None:
    """All topics once, in order of first appearance; None where no memory has a list."""
    seen: dict[str, None] = {}
    any_list = False
    for item in memories:
        if item.topics is not None:
            any_list = True
            seen.update(dict.fromkeys(item.topics))
    return tuple(seen) if any_list else None


def unanimous(values: Iterable[str | None]) -> str | None:
    """The one value that all share, None included as a value of its own; else None."""
    distinct = set(values)
    return distinct.pop() if len(distinct) == 1 else None


def oldest(values: Iterable[int | float | None]) -> int | float | None:
    """The smallest time that is known, else None."""
    return min((value for value in values if value is not None), default=None)


def newest(values: Iterable[int | float | None]) -> int | float | None:
    """The largest time that is known, else None."""
    return max((value for value in values if value is not None), default=None)
