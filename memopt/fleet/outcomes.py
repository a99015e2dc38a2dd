"""What became of one user, and of all of a run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from memopt.errors import ExitCode, Interrupted, LimitError, MemoptError, StoreLocked
from memopt.plan import Action, Plan, Unreadable
from memopt.stores.base import MemoryStore
from memopt.stores.journal import Run
from memopt.tokens import TokenFigures
from memopt.usage import Usage

NOTHING = TokenFigures(0, 0, 0)
_REASONS = 50


class Status(StrEnum):
    """What became of one user."""

    CHANGED = "changed"
    """there is something to change; nothing was written"""
    APPLIED = "applied"
    UNCHANGED = "unchanged"
    """nothing to change"""
    SEEN = "seen"
    """nothing changed since the last run of the same kind, so nothing was done"""
    WAITING = "waiting"
    """its requests are written to a file, and the answers are not here yet (``memopt.batch``)"""
    FAILED = "failed"
    LEFT = "not-tried"
    """the run ended before"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one user.

    Attributes:
        user_id: None, for rows without a user, only where one user was worked on.
        before, after: memories and tokens; None where they were not read.
        counts: how many memories are kept, revised, dropped, added.
        run: the journal's id where something was written.
        file: the name of the plan's file.
        skipped: ids that were left out because their rows had moved on.
        unreadable: rows that could not be decoded; they are never changed.
        notes: sentences about the plan.
        facts: see ``Plan.facts``.
        questions: of the questions that the plan was held to, how many the memories answer now, and how many still after it.
        error: why it failed, or which limit it was not tried for.
        at: when (epoch seconds).
        last: the run before this one, as the journal tells; only where it was asked for.
    """

    user_id: str | None
    status: Status
    before: TokenFigures | None = None
    after: TokenFigures | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    run: str | None = None
    file: str | None = None
    skipped: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    facts: tuple[int, int] | None = None
    questions: tuple[int, int] | None = None
    error: MemoptError | None = None
    at: float = 0.0
    last: Run | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; every key is always there."""
        from memopt.memory import iso_utc

        def side(figures: TokenFigures | None, of: str) -> Any:
            if figures is None:
                return None
            return figures.memories if of == "memories" else {"text": figures.text, "prompt": figures.prompt}

        return {
            "user_id": self.user_id,
            "status": self.status.value,
            "at": iso_utc(int(self.at)),
            "memories": {"before": side(self.before, "memories"), "after": side(self.after, "memories")},
            "tokens": {"before": side(self.before, "tokens"), "after": side(self.after, "tokens")},
            "counts": {action.value: self.counts.get(action.value, 0) for action in Action},
            "run": self.run,
            "plan": self.file,
            "skipped": list(self.skipped),
            "unreadable": [{"memory_id": row.memory_id, "problem": row.problem} for row in self.unreadable],
            "requests": self.usage.requests,
            "cost": self.usage.cost,
            "notes": list(self.notes),
            "facts": None if self.facts is None else {"before": self.facts[0], "kept": self.facts[1]},
            "questions": None if self.questions is None else {"asked": self.questions[0], "answered": self.questions[1]},
            "error": None if self.error is None else error_dict(self.error),
        }


def error_dict(error: MemoptError) -> dict[str, Any]:
    """An error as it stands in documents and logs."""
    return {"kind": error.kind, "message": str(error), "exit_code": int(error.exit_code)}


@dataclass(slots=True)
class Reason:
    """One reason for failures: its kind, the first message of it, how many users it hit, and the first few of them."""

    kind: str
    message: str
    users: int = 0
    examples: list[str | None] = field(default_factory=list)

    def add(self, user_id: str | None) -> None:
        """One more of them."""
        self.users += 1
        if len(self.examples) < 5:
            self.examples.append(user_id)


@dataclass(slots=True)
class Summary:
    """A whole run.

    Attributes:
        statuses: how many users became what.
        passed_over: users of the store that were not chosen, and why: ``selection``, ``when``, ``limit``, ``no-user`` (1 where
            there are rows without a user).
        before, after: sums over the users that were done.
        counts: sums over what was changed, or would be.
        unreadable: rows that could not be decoded.
        usage: what the model used, that of failed users too.
        reasons: of the failures.
        stopped: why the run ended before all users were tried.
        notes: sentences about the whole run.
        unpayable: users who need more than the whole of a limit: no run with it can do them.
        questions: of those that plans were held to, how many the memories answered, and how many still after the plans; None: no
            plan was held to any.
        ungated: users with changes whom none of the questions is about.
        failed_by: the exit code that all failures have by themselves; of several, the one for partial failure.
    """

    statuses: Counter[Status] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    before: TokenFigures = NOTHING
    after: TokenFigures = NOTHING
    counts: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0
    usage: Usage = field(default_factory=Usage)
    reasons: dict[tuple[str, str], Reason] = field(default_factory=dict)
    stopped: MemoptError | None = None
    notes: tuple[str, ...] = ()
    unpayable: Reason | None = None
    questions: tuple[int, int] | None = None
    ungated: int = 0
    failed_by: ExitCode | None = None
    seconds: float = 0.0

    @property
    def users(self) -> int:
        """How many were chosen."""
        return sum(self.statuses.values())

    @property
    def counted(self) -> dict[str, int]:
        """How many users became what, every status by its word."""
        return {status.value: self.statuses[status] for status in Status}

    @property
    def done(self) -> int:
        """How many were brought to an end."""
        return self.users - self.statuses[Status.FAILED] - self.statuses[Status.LEFT]

    @property
    def saved(self) -> int:
        """Prompt tokens saved, or that would be."""
        return self.before.prompt - self.after.prompt

    @property
    def exit_code(self) -> ExitCode:
        """What the process ends with: a run that a limit ended is no failure."""
        if isinstance(self.stopped, Interrupted):
            return ExitCode.INTERRUPTED
        if self.stopped is not None and not isinstance(self.stopped, LimitError) and not self.done:
            return self.stopped.exit_code
        if self.statuses[Status.FAILED] == self.users and self.failed_by in (ExitCode.MODEL, ExitCode.STORE):
            return self.failed_by
        return ExitCode.PARTIAL if self.statuses[Status.FAILED] else ExitCode.OK

    def add(self, outcome: Outcome) -> None:
        """Count one user."""
        self.statuses[outcome.status] += 1
        self.unreadable += len(outcome.unreadable)
        self.usage += outcome.usage
        if outcome.before is not None and outcome.after is not None:
            self.before, self.after = _plus(self.before, outcome.before), _plus(self.after, outcome.after)
        self.counts.update(outcome.counts)
        if outcome.questions is not None:
            asked, answered = self.questions or (0, 0)
            self.questions = (asked + outcome.questions[0], answered + outcome.questions[1])
            self.ungated += not outcome.questions[0] and outcome.status in (Status.CHANGED, Status.APPLIED)
        if outcome.error is not None and outcome.status is Status.FAILED:
            code = outcome.error.exit_code
            self.failed_by = code if self.failed_by in (None, code) else ExitCode.PARTIAL
            self._add_reason(outcome.user_id, outcome.error)

        if isinstance(outcome.error, LimitError) and outcome.error.details.get("never"):
            self.unpayable = self.unpayable or Reason(outcome.error.kind, str(outcome.error.details["never"]))
            self.unpayable.add(outcome.user_id)

    def _add_reason(self, user_id: str | None, error: MemoptError) -> None:
        add_reason(self.reasons, user_id, error.kind, str(error))


def add_reason(reasons: dict[tuple[str, str], Reason], user_id: str | None, kind: str, message: str) -> None:
    """Count a failure under its reason. Ids, counts and the user's name differ from user to user where the reason is the same."""
    text = message.replace(user_id, "") if user_id else message
    key = (kind, re.sub(r"[0-9a-fA-F]{6,}[-0-9a-fA-F]*|'[^']*'|\"[^\"]*\"|\d+", "N", text)[:200])
    if key not in reasons and len(reasons) >= _REASONS:
        key = ("", "")
    reason = reasons.setdefault(key, Reason(*((kind, message) if key[0] else ("other", "other reasons"))))
    reason.add(user_id)


def with_last(outcome: Outcome, store: MemoryStore) -> Outcome:
    """The outcome with the user's last run before this one. A journal that cannot be read is no reason to end a run."""
    with suppress(MemoptError):
        return replace(outcome, last=store.last_run(outcome.user_id, other_than=outcome.run))
    return outcome


def _plus(a: TokenFigures, b: TokenFigures) -> TokenFigures:
    return TokenFigures(a.memories + b.memories, a.text + b.text, a.prompt + b.prompt)


class UserBusy(StoreLocked):
    """Another run is working on the user."""


def busy_outcome(user_id: str, at: float) -> Outcome:
    error = UserBusy("another memopt run is working on this user; the next run does what it leaves")
    return Outcome(user_id, Status.FAILED, error=error, at=at)


def questions_of(plan: Plan) -> tuple[int, int] | None:
    return None if plan.gate is None else (plan.gate["asked"], plan.gate["answered"])


def skipped_of(plan: Plan, done: Plan) -> tuple[str, ...]:
    written = {change.memory_id for change in done.changes if change.action is not Action.KEPT}
    return tuple(c.memory_id for c in plan.changes if c.action is not Action.KEPT and c.memory_id not in written)


__all__ = [
    "NOTHING",
    "Outcome",
    "Reason",
    "Status",
    "Summary",
    "UserBusy",
    "add_reason",
    "busy_outcome",
    "error_dict",
    "questions_of",
    "skipped_of",
    "with_last",
]
