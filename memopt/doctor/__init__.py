"""A look at a whole store, without a change: what is wrong with its rows, how it grows, what lies in it that nobody needs.

Users are read one after the other, and nothing is kept of them but sums and a few ids; the one thing that needs all texts at a
time, the same text at several users, goes through temporary files (``spread``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

from memopt.doctor.checks import Check, Severity, checks, trend, worst
from memopt.doctor.figures import Collector, Figures
from memopt.doctor.spread import SharedTexts, Spread
from memopt.errors import MemoptError, StoreError, StoreLocked
from memopt.memory import iso_utc
from memopt.plan import StoreRef
from memopt.stores.base import Inspection, MemoryStore, OwnTable
from memopt.tokens import DEFAULT_ENCODING, TokenCounter, token_count


@dataclass(frozen=True, slots=True)
class Health:
    """What was found in a store.

    Attributes:
        at: when it was looked at (epoch seconds).
        encoding: of the token counts.
        complete: whether all users could be gone through.
        figures: sums over what could be read.
        inspection: what the store tells of itself.
        checks: everything that was looked at, findings or not.
    """

    ref: StoreRef
    at: int | float
    encoding: str
    complete: bool
    figures: Figures
    inspection: Inspection
    checks: tuple[Check, ...]

    @property
    def worst(self) -> Severity:
        """The worst finding."""
        return worst(self.checks)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; every key is always there."""
        found, told = self.figures, self.inspection
        late, early, times = trend(found.weeks)
        return {
            "store": {"kind": self.ref.kind, "location": self.ref.location, "table": self.ref.table},
            "at": iso_utc(int(self.at)),
            "encoding": self.encoding,
            "worst": self.worst.word,
            "complete": self.complete,
            "users": found.users,
            "memories": found.memories,
            "unreadable": found.unreadable.count,
            "tokens": found.tokens,
            "undated": found.undated,
            "newest": iso_utc(found.newest),
            "growth": [
                {"week": week.begins.isoformat(), "memories": week.memories, "tokens": week.tokens} for week in found.weeks
            ],
            "trend": {
                "last": {"memories": late.memories, "tokens": late.tokens},
                "before": {"memories": early.memories, "tokens": early.tokens},
                "times": None if times is None else round(times, 3),
            },
            "schema": {"version": told.version, "missing": list(told.missing)},
            "size": {"total": told.size, "free": told.free, "log": told.log_size},
            "journal": _own(told.journal),
            "seen": _own(told.seen),
            "checks": [check.to_dict() for check in self.checks],
        }


def _own(table: OwnTable | None) -> dict[str, Any] | None:
    return None if table is None else {"rows": table.rows, "bytes": table.size, "oldest": iso_utc(table.oldest)}


def examine(store: MemoryStore, *, now: int | float, encoding: str = DEFAULT_ENCODING, integrity: bool = False) -> Health:
    """Look at a store.

    Args:
        now: epoch seconds.
        encoding: counts the tokens.
        integrity: also check the whole store for damage, where it can (``MemoryStore.inspect``).

    Raises:
        StoreLocked: it stayed locked. What else cannot be read is a finding.
        UsageError: an unknown encoding.
        MemoptError: the temporary folder is full.
    """
    name = TokenCounter(encoding).encoding
    problems: list[str] = []
    collector = Collector(now, token_count(encoding), store.stored_times)
    spread: Spread | None = None
    try:
        spread = _go_through(store, collector)
    except StoreLocked:
        raise
    except StoreError as error:
        problems.append(f"not all users could be read: {error}")
    except OSError as error:
        raise MemoptError(
            f"the temporary folder {tempfile.gettempdir()} could not be used ({error.strerror or error}); set TMPDIR to one with "
            "room"
        ) from error
    try:
        told = store.inspect(integrity=integrity)
    except StoreLocked:
        raise
    except StoreError as error:
        told = Inspection()
        problems.append(f"the store does not tell about itself: {error}")
    found = collector.figures
    return Health(
        ref=store.ref,
        at=now,
        encoding=name,
        complete=spread is not None and not found.damaged.count,
        figures=found,
        inspection=told,
        checks=tuple(checks(found, spread, told, problems, now)),
    )


def _go_through(store: MemoryStore, collector: Collector) -> Spread:
    with ExitStack() as stack:
        shared = stack.enter_context(SharedTexts())
        users = store.scan()
        if isinstance(users, Generator):
            stack.enter_context(closing(users))
        for snapshot in users:
            texts = list(collector.add(snapshot))
            if snapshot.user_id is not None and snapshot.user_id.strip():
                shared.add(snapshot.user_id, texts)
        return shared.result()


__all__ = ["Check", "Health", "Severity", "examine"]
