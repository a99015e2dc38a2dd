"""Runs over many users: who is chosen, in which order, and one plan a user, made, kept or written. Also on an event loop.

What holds for one user holds for each of many: one plan, one transaction, one journal entry. A user's failure is told and the
others go on. A run may be ended at any point, by a limit, by Ctrl-C or by ``kill -9``; the next one does what is left, because
a note of what was done is written in the same transaction (``MemoryStore.seen``), and a user whose memories are still what
a run of the same ``recipe_of`` left is passed over without asking anybody.

Memory does not grow with the number of users, nor with what they have: lists of users are kept in temporary files.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from copy import copy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from memopt.errors import (
    ExitCode,
    GuardError,
    Interrupted,
    LimitError,
    MemoptError,
    ModelError,
    PlanFileError,
    StoreError,
    StoreLocked,
    UnknownUser,
    UsageError,
)
from memopt.folder import MANIFEST, PlanFolder, file_name, listed, read_head, unchanged
from memopt.guards import refusals
from memopt.manager import DEFAULT_MAX_REWRITES, Begun, MemoryManager, embeds_elsewhere
from memopt.models.base import Ask, Failed, Model, Reply
from memopt.models.spend import more_needed, sent_requests
from memopt.plan import Action, Filters, Plan, Unreadable, plan_digest, split_safe
from memopt.policy import Condition, fits
from memopt.protect import Protection
from memopt.spill import Spill
from memopt.stores.base import Mark, MemoryStore, OnConflict, Seen, Snapshot
from memopt.stores.journal import Run
from memopt.strategies.base import MemoryOptimizationStrategy, Proposal, used_by
from memopt.tokens import DEFAULT_ENCODING, TokenCounter, TokenFigures, token_count
from memopt.usage import Price, Usage

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Executor, Future

T = TypeVar("T")

MODEL_FAILURES = 5
"""After so many users in a row whom the model failed, the service is taken to be down and the run ends."""
STORE_FAILURES = 3
SOUND_SECONDS = 10.0
"""So long all users wait for the first answer of the service to one of them."""
_NOTHING = TokenFigures(0, 0, 0)
_MARKS_TOGETHER = 500
_READ_TOGETHER = 100
_POLL_SECONDS = 0.05
_REASONS = 50


# -- who ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``count`` parts of all users. A user is always in the same part, on every machine."""

    index: int
    count: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """``3/16``. Counted from 0 or from 1, as one likes: 16/16 is 0/16. Raises UsageError for anything else."""
        match = re.fullmatch(r"\s*([0-9]{1,6})\s*/\s*([0-9]{1,6})\s*", text)
        if match is None or int(match[2]) == 0 or int(match[1]) > int(match[2]):
            raise UsageError(f"--shard takes a part and the number of parts, such as 3/16, not {text!r}")
        return cls(int(match[1]) % int(match[2]), int(match[2]))

    def holds(self, user_id: str) -> bool:
        """Whether a user is in this part: by SHA-256 of the id, not by Python's hash, which differs from process to process."""
        digest = sha256(user_id.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.index


@dataclass(frozen=True, slots=True)
class Selection:
    """Which users a run is for. Everything that is said must hold.

    Attributes:
        patterns: with ``*`` and ``?``, any of which must fit; none: every user.
        within: likewise, from a policy.
        ids: only these.
        when: a condition on the user's figures.
        shard: only this part of them.
        limit: only so many, the most expensive of those that have something to do.
    """

    patterns: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    ids: frozenset[str] | None = None
    when: Condition | None = None
    shard: Shard | None = None
    limit: int | None = None

    def fits(self, user_id: str) -> bool:
        """Whether a user is meant, as far as the id tells."""
        return (
            (not self.patterns or fits(user_id, self.patterns))
            and (not self.within or fits(user_id, self.within))
            and (self.ids is None or user_id in self.ids)
            and (self.shard is None or self.shard.holds(user_id))
        )


# -- what was done -----------------------------------------------------------------------------------------------------


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
        error: why it failed.
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
        questions: of those that plans were held to, how many the memories answered, and how many still after the plans; None: no
            plan was held to any.
        ungated: users with changes whom none of the questions is about.
        failed_by: the exit code that all failures have by themselves; of several, the one for partial failure.
    """

    statuses: Counter[Status] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    before: TokenFigures = _NOTHING
    after: TokenFigures = _NOTHING
    counts: Counter[str] = field(default_factory=Counter)
    unreadable: int = 0
    usage: Usage = field(default_factory=Usage)
    reasons: dict[tuple[str, str], Reason] = field(default_factory=dict)
    stopped: MemoptError | None = None
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

    def _add_reason(self, user_id: str | None, error: MemoptError) -> None:
        add_reason(self.reasons, user_id, error.kind, str(error))


def add_reason(reasons: dict[tuple[str, str], Reason], user_id: str | None, kind: str, message: str) -> None:
    """Count a failure under its reason. Ids, counts and the user's name differ from user to user where the reason is the same."""
    text = message.replace(user_id, "") if user_id else message
    key = (kind, re.sub(r"[0-9a-fA-F]{6,}[-0-9a-fA-F]*|'[^']*'|\"[^\"]*\"|\d+", "N", text)[:200])
    if key not in reasons and len(reasons) >= _REASONS:
        key = ("", "")
    reason = reasons.setdefault(key, Reason(*((kind, message) if key[0] else ("other", "other reasons"))))
    reason.users += 1
    if len(reason.examples) < 5:
        reason.examples.append(user_id)


def with_last(outcome: Outcome, store: MemoryStore) -> Outcome:
    """The outcome with the user's last run before this one. A journal that cannot be read is no reason to end a run."""
    with suppress(MemoptError):
        return replace(outcome, last=store.last_run(outcome.user_id, other_than=outcome.run))
    return outcome


def _plus(a: TokenFigures, b: TokenFigures) -> TokenFigures:
    return TokenFigures(a.memories + b.memories, a.text + b.text, a.prompt + b.prompt)


# -- what may be asked -------------------------------------------------------------------------------------------------


class Budget:
    """Keeps count of what a whole run asks, and refuses to go beyond a limit. Users who are worked on at one time share it.

    Args:
        count: tokens of a text.
        max_requests: how many requests may be sent, repetitions included.
        max_cost: what they may cost together; needs ``price``.

    Raises:
        UsageError: ``max_cost`` without ``price``, or a limit that is not above 0.
    """

    def __init__(
        self,
        count: Callable[[str], int],
        *,
        max_requests: int | None = None,
        max_cost: float | None = None,
        price: Price | None = None,
    ) -> None:
        if max_cost is not None and price is None:
            raise UsageError("--max-cost needs to know what a token costs: say --price IN/OUT per million tokens")
        if (max_requests is not None and max_requests < 1) or (max_cost is not None and not max_cost > 0):
            raise UsageError("--max-requests and --max-cost are above 0")
        self.count, self.max_requests, self.max_cost, self.price = count, max_requests, max_cost, price
        self.limited = max_requests is not None or max_cost is not None
        self.lock = threading.Lock()
        self.sent = 0
        self.spent = self.held = 0.0

    def user(self) -> UserBudget:
        """The watch of one user's requests (``strategies.base.Watch``)."""
        return UserBudget(self)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost, as far as there is a price and the service told its tokens."""
        return usage if self.price is None else self.price.on(usage)


class UserBudget:
    """One user's share of a Budget."""

    def __init__(self, whole: Budget) -> None:
        self._whole = whole
        self._requests = 0
        self._held = self._each = self._spent = 0.0
        self._failures: list[BaseException] = []
        self.usage = Usage()

    def asking(self, asks: Sequence[Ask], used: Usage) -> None:
        """Before a batch is sent. Raises LimitError where it would go beyond a limit."""
        whole = self._whole
        ahead = 0.0
        if whole.max_cost is not None and whole.price is not None:
            tokens = sum(whole.count(ask.instructions(ask.schema is not None)) + whole.count(ask.prompt) for ask in asks)
            ahead = whole.price.of(tokens, tokens)  # an answer is at most about as long as what it stands for
        with whole.lock:
            if whole.max_requests is not None and whole.sent + len(asks) > whole.max_requests:
                raise LimitError(
                    f"{sent_requests(whole.sent)} or under way and {more_needed(len(asks))} for the next user, and "
                    f"--max-requests allows {whole.max_requests}",
                    requests=0,
                )
            if whole.max_cost is not None and whole.spent + whole.held + ahead > whole.max_cost:
                raise LimitError(
                    f"the next user may cost {ahead:.4g}, {whole.spent:.4g} is spent and {whole.held:.4g} may be under way, and "
                    f"--max-cost allows {whole.max_cost:g}",
                    requests=0,
                    waits=whole.held > 0 and self._requests == 0,
                )
            whole.sent += len(asks)
            self._requests += len(asks)
            whole.held += ahead
            self._held += ahead
            self._each = ahead / len(asks) if asks else 0.0

    def repeating(self) -> None:
        """Before a request is sent once more. Raises LimitError where that would be one too many."""
        whole = self._whole
        with whole.lock:
            if whole.max_requests is not None and whole.sent >= whole.max_requests:
                raise LimitError(
                    f"{sent_requests(whole.sent)}, one has to be repeated, and --max-requests allows {whole.max_requests}",
                    requests=0,
                )
            whole.sent += 1
            self._requests += 1

    def answered(self, ask: Ask, reply: Reply | Failed) -> None:
        """After an answer, or a failure that the strategy goes on from."""
        if isinstance(reply, Failed):
            self._failures.append(reply.error)
        used = used_by(reply.error) if isinstance(reply, Failed) else reply.usage
        self.usage += used
        self._settle(self._each, used)

    def with_failure(self, error: BaseException) -> Usage:
        """What the user used in the end, where this ended its work: counted once, whoever raised it again."""
        if not isinstance(error, ModelError) or any(error is each for each in self._failures):
            return self.usage
        return self.usage + used_by(error, 0)

    def _settle(self, held: float, used: Usage) -> None:
        cost = self._whole.priced(used).cost or 0.0
        with self._whole.lock:
            held = min(held, self._held)
            self._held -= held
            self._whole.held -= held
            self._whole.spent += cost
            self._spent += cost

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost."""
        return self._whole.priced(usage)

    def close(self, used: Usage) -> Usage:
        """The user is done: what it used in the end. What was held back for it is free again."""
        priced = self._whole.priced(used)
        with self._whole.lock:
            self._whole.sent += used.requests - self._requests
            self._whole.held -= self._held
            self._whole.spent += (priced.cost or 0.0) - self._spent
        self._requests, self._held, self._spent = used.requests, 0.0, priced.cost or 0.0
        return priced


class _Sounded:
    """A model of a service as all users share it: the first request goes alone, and after a final failure none is sent any more.

    So a wrong key costs one request, however many users wait.

    Args:
        concurrency: how many requests of all users may be under way at a time.
    """

    def __init__(self, inner: Model, concurrency: int) -> None:
        import asyncio

        self._inner = inner
        self._slots = asyncio.Semaphore(concurrency)
        self.name, self.endpoint, self.context_tokens = inner.name, inner.endpoint, inner.context_tokens
        self._sound = False
        self._final: ModelError | None = None
        self._turn = asyncio.Lock()
        self._thread_turn = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _check(self) -> None:
        if self._final is not None:
            details = {**self._final.details, "requests": 0}
            raise type(self._final)(str(self._final), **details)

    def _failed(self, error: ModelError) -> None:
        if error.final:
            self._final = self._final or error
        elif error.details.get("status") is not None or error.kind != "model":
            self._sound = True  # it serves; this one request is what it does not like

    async def aanswer(self, ask: Ask) -> Reply:
        import asyncio

        if not self._sound:
            try:
                await asyncio.wait_for(self._turn.acquire(), SOUND_SECONDS)
            except TimeoutError:
                self._sound = True  # it does not refuse, it is slow; a wrong key is refused sooner
            else:
                try:
                    if not self._sound:
                        return await self._aask(ask)
                finally:
                    self._turn.release()
        return await self._aask(ask)

    async def _aask(self, ask: Ask) -> Reply:
        async with self._slots:
            self._check()
            try:
                reply = await self._inner.aanswer(ask)
            except ModelError as error:
                self._failed(error)
                raise
        self._sound = True
        return reply

    def answer(self, ask: Ask) -> Reply:
        if self._sound:
            return self._ask(ask)
        with self._thread_turn:
            if not self._sound:
                return self._ask(ask)
        return self._ask(ask)

    def _ask(self, ask: Ask) -> Reply:
        self._check()
        try:
            reply = self._inner.answer(ask)
        except ModelError as error:
            self._failed(error)
            raise
        self._sound = True
        return reply


# -- how ---------------------------------------------------------------------------------------------------------------


def recipe_of(
    chain: Sequence[MemoryOptimizationStrategy],
    model: Model | None = None,
    judge: Model | None = None,
    *,
    filters: Filters | None = None,
    protection: Protection | None = None,
    max_rewrites: int = DEFAULT_MAX_REWRITES,
    only_safe: bool = False,
    encoding: str = DEFAULT_ENCODING,
) -> str:
    """A digest of all that decides what a run makes of the same memories: strategies, options, model, prompts and rules."""
    from dataclasses import asdict, is_dataclass

    steps = []
    asks = False
    for each in chain:
        kind = type(each)
        prompt = ""
        if getattr(each, "needs_model", False):
            asks = True
            with suppress(Exception):  # a plugin may have none, or need memories for it
                prompt = str(each.get_system_prompt())
        options: Any = getattr(each, "options", None)
        steps.append(
            [
                f"{kind.__module__}.{kind.__qualname__}",
                getattr(each, "name", ""),
                asdict(options) if is_dataclass(options) and not isinstance(options, type) else {},
                sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest(),
            ]
        )
    # by name, not by address: a server that moves, or a proxy in between, is no reason to pay again
    models = [None if each is None or not asks else each.name for each in (model, judge)]
    data = {
        "steps": steps,
        "models": models,
        "filters": [list(filters.agent), list(filters.team), list(filters.topic)] if filters else None,
        "protection": list(protection.rules) if protection else [],
        "max_rewrites": max_rewrites if asks else None,
        "only_safe": only_safe,
        "encoding": encoding,
    }
    return sha256(json.dumps(data, sort_keys=True, default=str).encode("ascii")).hexdigest()


@dataclass(frozen=True, slots=True)
class _Candidate:
    user_id: str
    chosen: bool
    """whether the user's figures were looked at already"""
    force: bool = False
    """whether it is done although nothing changed since the last run of the kind"""


class _Line:
    """The users that are to be done, in order. Threads may share it, one at a time.

    Attributes:
        backwards: hand out the last ones first, for as long as this is set.
    """

    def __init__(self, listed_: Spill, most: int | None, *, chosen: bool) -> None:
        self._listed = listed_
        self._left = len(listed_) if most is None else min(most, len(listed_))
        self._ends = [listed_.in_order(self._left), listed_.in_order(self._left, backwards=True)]
        self._chosen = chosen
        self.backwards = False

    def __iter__(self) -> _Line:
        return self

    def __next__(self) -> _Candidate:
        if not self._left:
            self._listed.close()
            raise StopIteration
        self._left -= 1
        return _Candidate(next(self._ends[self.backwards]), self._chosen)


@dataclass(frozen=True, slots=True)
class _Started:
    """One user's work, begun."""

    user_id: str
    manager: MemoryManager
    begun: Begun
    state: str
    before: TokenFigures
    budget: UserBudget | None
    last: Run | None = None


@dataclass(frozen=True, slots=True)
class _Ready:
    """One user's plan, made and checked, that is to be written; or noted, where there is nothing to change."""

    started: _Started
    plan: Plan
    used: Usage
    file: str | None


class Fleet:
    """One run of the same strategies over many users of one store.

    Args:
        store: any store; the run keeps it open by ``MemoryStore.fleet``.
        chain: the strategies; each user gets copies of these.
        model, judge: as for ``MemoryManager``; shared by all users.
        selection: who.
        apply: write. Else nothing is written to the store.
        force: also users whose memories are still what the last such run left.
        only_safe: write only what provably loses nothing; a folder gets the rest.
        budget: limits of what may be asked, over all users.
        concurrency: how many users are worked on at a time where a service is asked (``arun``).
        max_seconds: no further user is begun after so long.
        gate: given a plan, gives it back with what questions found of it (``plan.gate``).
        folder: makes the folder that takes the plans, given how they are made.
        told: is called with each user's outcome, by one thread at a time.
        sized: is called once it is known how many users there are to do.
        with_last: look up each user's last run before this one (``Outcome.last``).
        clock: gives the time in epoch seconds.

    The other arguments are those of ``MemoryManager.optimize_memories``.
    """

    in_threads: ClassVar[bool] = True
    """Whether several users may be worked on at a time where nobody is awaited."""

    def __init__(
        self,
        store: MemoryStore,
        chain: Sequence[MemoryOptimizationStrategy],
        *,
        model: Model | None = None,
        judge: Model | None = None,
        selection: Selection | None = None,
        apply: bool = False,
        force: bool = False,
        only_safe: bool = False,
        filters: Filters | None = None,
        protection: Protection | None = None,
        max_rewrites: int = DEFAULT_MAX_REWRITES,
        max_drop: str | None = None,
        allow_empty: bool = False,
        on_conflict: OnConflict = "stop",
        budget: Budget | None = None,
        concurrency: int = 4,
        max_seconds: float | None = None,
        gate: Callable[[Plan], Plan] | None = None,
        folder: Callable[[str], PlanFolder] | None = None,
        encoding: str = DEFAULT_ENCODING,
        told: Callable[[Outcome], None] = lambda _outcome: None,
        sized: Callable[[int], None] = lambda _users: None,
        with_last: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._chain = store, tuple(chain)
        self._with_last = with_last
        self._asks = any(getattr(each, "needs_model", False) for each in chain)
        asked = self._asks and model is not None and bool(model.endpoint)
        self._embeds = any(map(embeds_elsewhere, chain))
        self.awaits = asked or self._embeds
        self._model: Model | None = _Sounded(model, max(1, concurrency)) if model is not None and asked else model
        self._judge: Model | None = _Sounded(judge, max(1, concurrency)) if judge is not None and asked else judge
        self._kept_models = [each for each in (model, judge) if asked and hasattr(each, "kept_open")]
        self.selection = selection or Selection()
        self.apply, self._force, self._only_safe = apply, force, only_safe
        self._filters, self._protection, self._max_rewrites = filters, protection, max_rewrites
        self._guards: dict[str, Any] = {"filters": filters, "max_drop": max_drop, "allow_empty": allow_empty}
        self._on_conflict = on_conflict
        self._budget = budget or (Budget(token_count(encoding)) if self.awaits else None)
        self.concurrency = max(1, concurrency)
        self._max_seconds = max_seconds
        self._gate = gate
        self._encoding, self._told, self._sized, self._clock = encoding, told, sized, clock
        self.recipe = recipe_of(
            self._chain,
            model,
            judge,
            filters=filters,
            protection=protection,
            max_rewrites=max_rewrites,
            only_safe=only_safe,
            encoding=encoding,
        )
        self._by_clock = any(hasattr(each, "now") for each in chain)
        self._make_folder = folder
        self._folder: PlanFolder | None = None
        self.summary = Summary()
        self._marks: list[Mark] = []
        self._deadline: float | None = None
        self._model_failures = self._store_failures = 0
        self._line: _Line | None = None
        self._doubted: set[str] | None = None
        self._workers: list[asyncio.Task[None]] = []
        self._ended: dict[str, Outcome | None] = {}
        self._lock = threading.Lock()
        self._wait = float(getattr(store, "lock_timeout", 5.0))

    @property
    def by_clock(self) -> bool:
        """Whether time alone may give a user something to do."""
        return self._by_clock

    def models_kept_open(self) -> list[AbstractAsyncContextManager[Any]]:
        """Contexts within which requests to a service share its connections."""
        return [model.kept_open() for model in self._kept_models]  # type: ignore[union-attr]

    # -- running -------------------------------------------------------------------------------------------------------

    def stop(self, why: MemoptError) -> None:
        """End the run: no further user is begun; with Interrupted, requests that are under way are given up.

        Call it in the thread of the run.
        """
        if isinstance(self.summary.stopped, Interrupted):
            return
        self.summary.stopped = self.summary.stopped or why
        if isinstance(why, Interrupted):
            self.summary.stopped = why
            for task in self._workers:
                task.cancel()

    def run(self) -> Summary:
        """Do it, one user after the other.

        Raises:
            UsageError: nobody is meant, or what is to be done cannot be.
            StoreError: the store cannot be opened or, with ``apply``, written.
        """
        started = self._begin()
        with self._store.fleet(write=self.apply) as store:
            try:
                busy: list[_Candidate] = []
                _, candidates = self._candidates(store)
                if self.in_threads and store.parallel > 1:
                    self._run_in_threads(store, candidates, busy)
                else:
                    for candidate in candidates:
                        if self._over():
                            self._leave(candidate, candidates)
                            break
                        if not self._one(store, candidate):
                            busy.append(candidate)
                self._wait_for(store, busy)
            finally:
                self._end(store)
        self.summary.seconds = time.monotonic() - started
        return self.summary

    def _run_in_threads(self, store: MemoryStore, candidates: Iterator[_Candidate], busy: list[_Candidate]) -> None:
        """Some users at a time, told in their order: a database server answers one while another is worked on here."""
        from concurrent.futures import ThreadPoolExecutor

        under_way: deque[tuple[_Candidate, Future[Outcome | object | None]]] = deque()

        def settle() -> None:
            candidate, work = under_way.popleft()
            found = work.result()
            if isinstance(found, Outcome):
                self._done(found)
            elif found is _BUSY:
                busy.append(candidate)

        TokenCounter(self._encoding).text("once")  # or each thread would load a vocabulary of its own
        with ThreadPoolExecutor(store.parallel, thread_name_prefix="memopt-user") as pool:
            try:
                for candidate in candidates:
                    if self._over():
                        self._leave(candidate, candidates)
                        break
                    under_way.append((candidate, pool.submit(self._do_and_write, store, candidate)))
                    if len(under_way) >= 2 * store.parallel:
                        settle()
            finally:
                while under_way:  # what is under way is written, and told, also where something ends the run
                    settle()

    async def arun(self) -> Summary:
        """``run`` on an event loop: many users at a time, each waiting for its own answers; the store is used in threads."""
        import asyncio
        from concurrent.futures import ThreadPoolExecutor

        started = self._begin()
        async with AsyncExitStack() as stack:
            store = stack.enter_context(self._store.fleet(write=self.apply))
            pool = stack.enter_context(ThreadPoolExecutor(store.threads, thread_name_prefix="memopt-store"))
            for opened in self.models_kept_open():
                await stack.enter_async_context(opened)
            try:
                loop = asyncio.get_running_loop()
                number, candidates = await loop.run_in_executor(pool, self._candidates, store)
                busy: list[_Candidate] = []

                async def work() -> None:
                    for candidate in candidates:
                        if self._over():
                            self._leave(candidate)
                            return
                        if not await self._aone(store, candidate, pool):
                            busy.append(candidate)

                # While as many requests as may be are under way, others are read, checked and written.
                users = self.concurrency if self.concurrency == 1 or self._embeds else 2 * self.concurrency
                self._workers = [asyncio.ensure_future(work()) for _ in range(min(users, number))]
                if isinstance(self.summary.stopped, Interrupted):
                    self.stop(self.summary.stopped)
                try:
                    results = await asyncio.gather(*self._workers, return_exceptions=True)
                finally:
                    for task in self._workers:
                        task.cancel()
                for result in results:
                    if isinstance(result, Exception) and not isinstance(result, asyncio.CancelledError):
                        raise result
                for candidate in candidates:
                    self._leave(candidate)
                await self._await_for(store, busy, pool)
            finally:
                self._end(store)
        self.summary.seconds = time.monotonic() - started
        return self.summary

    def _begin(self) -> float:
        started = time.monotonic()
        self._deadline = None if self._max_seconds is None else started + self._max_seconds
        if self._make_folder is not None:
            self._folder = self._make_folder(self.recipe)
        return started

    def _end(self, store: MemoryStore) -> None:
        try:
            self._flush(store)
        finally:
            if self._folder is not None:
                self._folder.close()

    def _over(self) -> bool:
        """Whether no further user may be begun."""
        if self.summary.stopped is None and self._deadline is not None and time.monotonic() >= self._deadline:
            minutes = (self._max_seconds or 0.0) / 60
            over = "the minute of --max-minutes is over" if minutes == 1 else f"the {minutes:g} minutes of --max-minutes are over"
            self.stop(LimitError(over))
        return self.summary.stopped is not None

    def _leave(self, candidate: _Candidate, others: Iterable[_Candidate] = ()) -> None:
        for each in (candidate, *others):
            self._tell(Outcome(each.user_id, Status.LEFT, at=self._clock()))

    def _tell(self, outcome: Outcome) -> None:
        self.summary.add(outcome)
        if outcome.user_id in self._ended:
            self._ended[outcome.user_id] = outcome
        self._told(outcome)

    # -- who -----------------------------------------------------------------------------------------------------------

    def _candidates(self, store: MemoryStore) -> tuple[int, Iterator[_Candidate]]:
        """How many users there are to do, and those, the most expensive first.

        Where nothing can end the run early and nobody is awaited, the order is of no use and the users come as they are stored,
        so that each is read once.
        """
        ids = Spill()
        for user_id in self._ids(store):
            ids.add(user_id)
        if not (self.awaits or self.selection.limit is not None or self._deadline is not None):
            self._sized(len(ids))
            return len(ids), _Line(ids, None, chosen=False)
        weighed = Spill()
        for candidate in _Line(ids, None, chosen=False):
            if self._over():
                self._leave(candidate)
                continue
            found = self._look(store, candidate.user_id, False)
            hopeless = isinstance(found, Outcome) and found.status is Status.FAILED and bool(found.unreadable)
            if hopeless and self.selection.limit is not None:
                weighed.add(candidate.user_id)  # it comes last, and counts as one of so many
            elif isinstance(found, Outcome):
                told = self._with_last_run(store, found)
                assert isinstance(told, Outcome)
                self._tell(told)
            elif found is not None:
                weighed.add(candidate.user_id, -found.before.prompt)
        limit = self.selection.limit
        number = len(weighed) if limit is None else min(limit, len(weighed))
        if number < len(weighed):
            self.summary.passed_over["limit"] += len(weighed) - number
        self._sized(number)
        self._line = _Line(weighed, limit, chosen=True)
        return number, self._line

    def _ids(self, store: MemoryStore) -> Iterator[str]:
        passed = self.summary.passed_over
        found: set[str] = set()
        for user_id in store.each_user_id():
            if user_id is None:
                passed["no-user"] += 1
            elif self.selection.fits(user_id):
                if self.selection.ids is not None:
                    found.add(user_id)
                yield user_id
            else:
                passed["selection"] += 1
        for user_id in sorted((self.selection.ids or set()) - found):
            if self.selection.fits(user_id):
                where = store.ref.location
                error = UnknownUser(f"{where} has no memories of user {user_id!r}")
                self._tell(Outcome(user_id, Status.FAILED, error=error, at=self._clock()))

    def _look(self, store: MemoryStore, user_id: str, chosen: bool, force: bool = False) -> _Started | Outcome | None:
        """Read a user. None: not to be done; an outcome: nothing is left to do."""
        try:
            force = force or self._force
            with store.at_once():
                snapshot = store.read(user_id)
                left_out = not snapshot.memories or (bool(store.journal_hidden) and not self._asks)
                rewrites = {} if left_out else store.rewrites(user_id)
                noted = None if force or left_out else store.seen(user_id, self.recipe)
            return self._weigh(store, snapshot, rewrites, noted, chosen, force)
        except (UsageError, KeyboardInterrupt):
            raise
        except Exception as error:
            return self._failed(user_id, error)

    def _with_last_run(self, store: MemoryStore, found: _Started | Outcome | None) -> _Started | Outcome | None:
        """What was found, with the user's last run where that is wanted: looked up where a thread may wait for the store."""
        if not self._with_last or found is None:
            return found
        return replace(found, last=with_last(Outcome(found.user_id, Status.LEFT), store).last)

    def _weigh(
        self,
        store: MemoryStore,
        snapshot: Snapshot,
        rewrites: Mapping[str, int],
        noted: Seen | None,
        chosen: bool,
        force: bool,
    ) -> _Started | Outcome | None:
        user_id = snapshot.user_id
        assert user_id is not None
        if not snapshot.memories:
            if not snapshot.unreadable:
                return None  # gone since the list was read
            if self._below(figures_of(snapshot, _NOTHING), chosen):
                return None
            why = snapshot.unreadable[0]
            rows = len(snapshot.unreadable)
            none = "the user's only row cannot be read" if rows == 1 else f"none of the user's {rows} rows can be read"
            error = StoreError(f"{none}: {why.memory_id}: {why.problem}")
            return Outcome(user_id, Status.FAILED, unreadable=snapshot.unreadable, error=error, at=self._clock())
        budget = None if self._budget is None else self._budget.user()
        manager = MemoryManager(
            store,
            self._model,
            judge=self._judge,
            watch=budget,
            concurrency=self.concurrency,
            encoding=self._encoding,
            clock=self._clock,
        )
        before = manager.tokens.figures(snapshot.memories)
        if self._below(figures_of(snapshot, before), chosen):
            return None
        state = store.state(snapshot.memories)
        begun = manager.begin(user_id, filters=self._filters, protection=self._protection, snapshot=snapshot, rewrites=rewrites)
        started = _Started(user_id, manager, begun, state, before, budget)
        if not force:
            found = self._known(started, snapshot)
            if found is not None:
                return found
            if noted is not None and noted.state == state and not (self._by_clock and self._rules_change(started)):
                return Outcome(user_id, Status.SEEN, before, before, unreadable=snapshot.unreadable, at=self._clock())
        return started

    def _below(self, figures: Mapping[str, float], chosen: bool) -> bool:
        """Whether the condition does not hold for a user, which is counted."""
        when = self.selection.when
        if when is None or chosen or when.holds(figures):
            return False
        with self._lock:
            self.summary.passed_over["when"] += 1
        return True

    def _known(self, started: _Started, snapshot: Snapshot) -> Outcome | None:
        """What an earlier run into the same folder left, where the memories are still those it was made from."""
        if self._folder is None or self.apply or self._by_clock:
            return None
        entry = self._folder.known(started.user_id)
        if entry is None or entry.state != started.state:
            return None
        status = Status.CHANGED if entry.file else Status.UNCHANGED
        return Outcome(
            started.user_id,
            status,
            started.before,
            entry.after,
            entry.counts,
            file=entry.file,
            unreadable=snapshot.unreadable,
            at=self._clock(),
        )

    def _rules_change(self, started: _Started) -> bool:
        """Whether the strategies that ask nobody would change something by now, as time goes on."""
        rules = [each for each in self._copies() if not getattr(each, "needs_model", False)]
        if not rules:
            return False
        proposal, usage = started.manager.propose(started.begun, rules, self._max_rewrites)
        return started.manager.conclude(started.begun, rules, proposal, usage, **self._guards).has_changes

    def _copies(self) -> list[MemoryOptimizationStrategy]:
        return [copy(each) for each in self._chain]

    # -- one user ------------------------------------------------------------------------------------------------------

    def _one(self, store: MemoryStore, candidate: _Candidate) -> bool:
        """Do one user; False where another run is working on it."""
        found = self._do_and_write(store, candidate)
        if isinstance(found, Outcome):
            self._done(found)
        return found is not _BUSY

    def _do(self, store: MemoryStore, candidate: _Candidate) -> Outcome | _Ready | object | None:
        """What became of one user, not yet told, or is to be written; None where it is not to be done.

        ``_BUSY`` where another run has it.
        """
        self._begins(candidate)
        started = self._open(store, candidate)
        if not isinstance(started, _Started):
            return started
        ready: Outcome | _Ready | None = None
        try:
            chain = self._copies()
            proposal, usage = started.manager.propose(started.begun, chain, self._max_rewrites)
            ready = self._conclude(started, chain, proposal, usage)
        except UsageError:
            raise
        except Exception as error:
            ready = self._failed(started.user_id, error, started)
        finally:
            if not isinstance(ready, _Ready):
                store.release(started.user_id)
        return ready

    def _do_and_write(self, store: MemoryStore, candidate: _Candidate) -> Outcome | object | None:
        found = self._do(store, candidate)
        return self._write_ready(store, found) if isinstance(found, _Ready) else found

    async def auser(self, store: MemoryStore, user_id: str, pool: Executor, *, force: bool = False) -> Outcome | None:
        """Do one user, for those who are handed users one at a time; many may be under way together.

        Args:
            store: what ``MemoryStore.fleet`` gave, with the notes of ``flush`` still to be written.
            pool: threads for what blocks.
            force: also where the user's memories are still what the last run of this recipe left.

        Returns:
            What became of the user, told to ``told`` too: with ``Status.LEFT`` where the run was ended or cancelled before, with
            StoreLocked as its error where another run is working on the user. None: there was nothing to do any more, because
            the user is gone or below the condition.

        Raises:
            UsageError: a strategy cannot be run as it was asked for.
        """
        import asyncio

        candidate = _Candidate(user_id, False, force)
        if not self.awaits:
            # The rules run in a thread: whoever hands users out must not be kept waiting by a long one.
            found = await self._whole(asyncio.get_running_loop().run_in_executor(pool, self._do_and_write, store, candidate))
            if isinstance(found, Outcome):
                self._done(found)
            ended = found if isinstance(found, Outcome) else None
            busy = found is _BUSY
        else:
            self._ended[user_id] = None
            try:
                busy = not await self._aone(store, candidate, pool)
            finally:
                ended = self._ended.pop(user_id, None)
        if busy:
            ended = _busy(user_id, self._clock())
            self._done(ended)
        return ended

    def flush(self, store: MemoryStore) -> None:
        """Write the notes on users that had nothing to change, which are collected for a while."""
        self._flush(store)

    async def _aone(self, store: MemoryStore, candidate: _Candidate, pool: Executor) -> bool:
        import asyncio

        while True:
            try:
                return await self._atry(store, candidate, pool)
            except LimitError:
                # What is held back for others' answers is more than they will cost: there may be room when they are in.
                await asyncio.sleep(_POLL_SECONDS)

    async def _atry(self, store: MemoryStore, candidate: _Candidate, pool: Executor) -> bool:
        """``_aone``; raises LimitError where nothing was asked and there may be room later."""
        import asyncio

        loop = asyncio.get_running_loop()
        self._begins(candidate)
        started = await self._whole(loop.run_in_executor(pool, self._open, store, candidate))
        if isinstance(started, Outcome):
            self._done(started)
        if not isinstance(started, _Started):
            return started is not _BUSY
        try:
            if isinstance(self.summary.stopped, Interrupted):
                raise self.summary.stopped
            chain = self._copies()
            proposal, usage = await started.manager.apropose(started.begun, chain, self._max_rewrites)
            work = loop.run_in_executor(pool, self._conclude, started, chain, proposal, usage)
            ready = await self._whole(work)
            if isinstance(ready, Outcome):
                outcome = ready
            else:
                outcome = await self._whole(loop.run_in_executor(pool, self._write_ready, store, ready))
        except UsageError:
            raise
        except asyncio.CancelledError:
            self._cancelled()
            outcome = self._failed(started.user_id, Interrupted("interrupted"), started)
        except LimitError as error:
            if error.details.get("waits") and self.summary.stopped is None:
                raise
            outcome = self._failed(started.user_id, error, started)
        except Exception as error:
            outcome = self._failed(started.user_id, error, started)
        finally:
            store.release(started.user_id)
        self._done(outcome)
        return True

    async def _whole(self, work: asyncio.Future[T]) -> T:
        """Wait for what a thread does. It cannot be called back, so when the run is interrupted it is waited for all the same."""
        import asyncio

        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self._cancelled()
            return await work

    def _cancelled(self) -> None:
        self.summary.stopped = self.summary.stopped or Interrupted("interrupted")

    def _open(self, store: MemoryStore, candidate: _Candidate) -> _Started | Outcome | object | None:
        """Claim a user and read it; ``_BUSY`` where another run has it."""
        user_id = candidate.user_id
        if not self.apply:
            return self._with_last_run(store, self._look(store, user_id, candidate.chosen, candidate.force))
        try:
            if not store.claim(user_id):
                return _BUSY
        except Exception as error:
            return self._failed(user_id, error)
        found: object = None
        try:
            found = self._with_last_run(store, self._look(store, user_id, candidate.chosen, candidate.force))
            return found
        finally:
            if not isinstance(found, _Started):
                store.release(user_id)

    def _conclude(
        self, started: _Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage
    ) -> Outcome | _Ready:
        """From what the strategies made of a user's memories to its plan: guards, the plan's file."""
        manager = started.manager
        plan = replace(manager.conclude(started.begun, chain, proposal, usage, **self._guards), recipe=self.recipe)
        used = plan.usage if started.budget is None else started.budget.close(plan.usage)
        kept = plan
        if self._only_safe:
            plan, kept = split_safe(plan, manager.tokens.figures)
            kept = replace(kept, recipe=None)  # it is for review, and does not end this user's work
        if self._gate is not None:
            whole, plan = plan, self._gate(plan)
            kept = plan if kept is whole else self._gate(kept)
        refused = refusals(plan)
        if refused:
            raise GuardError("; ".join(refused) + ". Nothing was written", reasons=list(refused), usage=used)
        ready = _Ready(started, plan, used, None if self._folder is None else self._folder.add(kept, started.state))
        if not self.apply:
            return self._outcome(ready, plan)
        if plan.has_changes or used.requests:
            return ready
        # what a model was not paid for costs little to do again
        with self._lock:
            self._marks.append(Mark(started.user_id, self.recipe, started.state))
            full = len(self._marks) >= _MARKS_TOGETHER
        if full:
            self._flush(manager.store)
        return self._outcome(ready, plan)

    def _write_ready(self, store: MemoryStore, ready: _Ready) -> Outcome:
        """Write a user's plan, or note that there was nothing to change, and give the user back. Returns what became of it."""
        result: Plan | Exception = ready.plan
        try:
            if ready.plan.has_changes:
                result = ready.started.manager.apply(ready.plan, on_conflict=self._on_conflict)
            else:
                store.mark([Mark(ready.started.user_id, self.recipe, ready.started.state)])
        except Exception as error:
            result = error
        finally:
            store.release(ready.started.user_id)
        return self._outcome(ready, result)

    def _outcome(self, ready: _Ready, result: Plan | Exception) -> Outcome:
        """What became of a user whose plan was written so, or was not."""
        plan, started = ready.plan, ready.started
        if isinstance(result, Exception):
            return self._failed(started.user_id, result, started)
        changed = Status.APPLIED if result.run else Status.UNCHANGED if self.apply else Status.CHANGED
        return Outcome(
            started.user_id,
            changed if plan.has_changes else Status.UNCHANGED,
            result.tokens_before,
            result.tokens_after,
            result.counts,
            run=result.run,
            file=ready.file,
            skipped=_skipped(plan, result) if self.apply and plan.has_changes else (),
            unreadable=plan.unreadable,
            usage=ready.used,
            notes=plan.notes,
            facts=plan.facts,
            questions=_questions_of(plan),
            at=self._clock(),
            last=started.last,
        )

    def _flush(self, store: MemoryStore) -> None:
        with self._lock:
            marks, self._marks = self._marks, []
        if marks:
            with suppress(StoreError):  # a note that is missing only means that the user is looked at again
                store.mark(marks)

    def _failed(self, user_id: str, error: BaseException, started: _Started | None = None) -> Outcome:
        """A user's failure; one that concerns all users ends the run."""
        if not isinstance(error, MemoptError):
            said = " ".join(str(error).split())
            error = MemoptError(f"unexpected error, {type(error).__name__}: {said}", error=type(error).__name__)
        used = error.details.get("usage")
        if not isinstance(used, Usage):
            if started is not None and started.budget is not None:
                used = started.budget.close(started.budget.with_failure(error))
            else:
                used = used_by(error, 0) if isinstance(error, ModelError) else Usage()
        status = Status.FAILED
        if isinstance(error, LimitError | Interrupted):
            self.stop(error)
            status = Status.LEFT
        elif isinstance(error, ModelError) and error.final:
            if self.summary.stopped is not None and not used.requests:
                status = Status.LEFT  # it was about to ask when another user's answer ended the run
            self.stop(error)
        return Outcome(
            user_id,
            status,
            before=None if started is None else started.before,
            unreadable=() if started is None else started.begun.snapshot.unreadable,
            usage=used,
            error=error if status is Status.FAILED else None,
            at=self._clock(),
            last=None if started is None else started.last,
        )

    def _done(self, outcome: Outcome) -> None:
        """Tell what became of a user; many failures of one kind in a row end the run."""
        error = outcome.error
        if error is not None and error.kind == "model":
            self._model_failed(outcome.user_id, error)
        elif outcome.status is not Status.LEFT and outcome.status is not Status.SEEN:
            self._model_failures = 0
            self._doubt(None)
        if isinstance(error, StoreError) and not outcome.unreadable and not isinstance(error, UserBusy):
            self._store_failures += 1
        elif outcome.status is not Status.LEFT:
            self._store_failures = 0
        for failures, most, what in (
            (self._model_failures, MODEL_FAILURES, "the model"),
            (self._store_failures, STORE_FAILURES, "the store"),
        ):
            if failures >= most and error is not None and self.summary.stopped is None:
                self.stop(type(error)(f"{what} failed {failures} users in a row, the others are not tried: {error}"))
        self._tell(outcome)

    def _model_failed(self, user_id: str | None, error: MemoptError) -> None:
        """A failing service ends the run, but users that it cannot do must not keep the others from their turn every night.

        So when it failed many in a row and yet does answer, the cheapest users are tried next. If it fails those too, it is down.
        """
        if self._doubted is not None and user_id not in self._doubted:
            return  # begun before
        self._model_failures += 1
        answers = error.details.get("status") is not None
        if self._model_failures >= MODEL_FAILURES and answers and self._doubted is None and self._line is not None:
            self._model_failures = 0
            self._doubt(set())

    def _begins(self, candidate: _Candidate) -> None:
        if self._doubted is not None:
            self._doubted.add(candidate.user_id)

    def _doubt(self, users: set[str] | None) -> None:
        self._doubted = users
        if self._line is not None:
            self._line.backwards = users is not None

    # -- users that another run had ------------------------------------------------------------------------------------

    def _wait_for(self, store: MemoryStore, busy: list[_Candidate]) -> None:
        """Try once more those that another run was working on, until its turn is over or the time to wait is."""
        until = time.monotonic() + self._wait
        while busy and not self._over():
            busy = [candidate for candidate in busy if not self._one(store, candidate)]
            if not busy or time.monotonic() >= until:
                break
            time.sleep(_POLL_SECONDS)
        self._give_up(busy)

    async def _await_for(self, store: MemoryStore, busy: list[_Candidate], pool: Executor) -> None:
        import asyncio

        until = time.monotonic() + self._wait
        while busy and not self._over():
            busy = [candidate for candidate in busy if not await self._aone(store, candidate, pool)]
            if not busy or time.monotonic() >= until:
                break
            await asyncio.sleep(_POLL_SECONDS)
        self._give_up(busy)

    def _give_up(self, busy: Sequence[_Candidate]) -> None:
        for candidate in busy:
            if self.summary.stopped is not None:
                self._leave(candidate)
            else:
                self._done(_busy(candidate.user_id, self._clock()))


class UserBusy(StoreLocked):
    """Another run is working on the user."""


_BUSY = object()


def _busy(user_id: str, at: float) -> Outcome:
    error = UserBusy("another memopt run is working on this user; the next run does what it leaves")
    return Outcome(user_id, Status.FAILED, error=error, at=at)


def figures_of(snapshot: Snapshot, figures: TokenFigures) -> dict[str, float]:
    """What a condition may ask of a user."""
    texts = {item.memory for item in snapshot.memories}
    return {
        "memories": figures.memories,
        "tokens": figures.prompt,
        "text_tokens": figures.text,
        "duplicates": figures.memories - len(texts),
    }


def _questions_of(plan: Plan) -> tuple[int, int] | None:
    return None if plan.gate is None else (plan.gate["asked"], plan.gate["answered"])


def _skipped(plan: Plan, done: Plan) -> tuple[str, ...]:
    written = {change.memory_id for change in done.changes if change.action is not Action.KEPT}
    return tuple(c.memory_id for c in plan.changes if c.action is not Action.KEPT and c.memory_id not in written)


# -- plans that were kept ----------------------------------------------------------------------------------------------


class FolderRun:
    """Writes the plans of a folder, each exactly as it was shown. No model is asked.

    Args:
        store: the store that the plans were made from.
        path: what ``--out`` wrote.
        told, sized, with_last: as for ``Fleet``.

    The other arguments are those of ``MemoryManager.apply``.

    Attributes:
        made: the first plan that was read; all of a folder are made the same way.
    """

    def __init__(
        self,
        store: MemoryStore,
        path: Path,
        *,
        on_conflict: OnConflict = "stop",
        max_drop: str | None = None,
        allow_empty: bool = False,
        told: Callable[[Outcome], None] = lambda _outcome: None,
        sized: Callable[[int], None] = lambda _users: None,
        with_last: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._path = store, path
        self._with_last = with_last
        self.made: Plan | None = None
        self._how: dict[str, Any] = {"on_conflict": on_conflict, "max_drop": max_drop, "allow_empty": allow_empty}
        self._told, self._sized, self._clock = told, sized, clock
        self._failures = 0
        self.summary = Summary()

    def stop(self, why: MemoptError) -> None:
        """End the run after the user that is being written."""
        self.summary.stopped = self.summary.stopped or why

    def run(self) -> Summary:
        """Write them. A plan that this folder's earlier run wrote is passed over; who had nothing to change is noted.

        Raises:
            UsageError, PlanFileError: no folder of plans.
            StoreError: the store cannot be opened or written.
        """
        started = time.monotonic()
        self._sized(sum(1 for _ in listed(self._path)))  # an altered manifest is found before anything is written
        with self._store.fleet(write=True) as store:
            manager = MemoryManager(store)
            for user_id, file in listed(self._path):
                if self.summary.stopped is not None:
                    outcome = Outcome(user_id, Status.LEFT, file=file, at=self._clock())
                else:
                    outcome = self._one(manager, user_id, file)
                self._failures = self._failures + 1 if isinstance(outcome.error, StoreError) else 0
                if self._failures >= STORE_FAILURES and outcome.error is not None:
                    text = f"the store failed {self._failures} users in a row, the others are not tried: {outcome.error}"
                    self.stop(type(outcome.error)(text))
                self.summary.add(outcome)
                self._told(with_last(outcome, store) if self._with_last else outcome)
            if self.summary.stopped is None:
                with suppress(StoreError):  # a note that is missing only means that the user is looked at again
                    self._note_unchanged(store)
        self.summary.seconds = time.monotonic() - started
        return self.summary

    def _note_unchanged(self, store: MemoryStore) -> None:
        """Note the users for whom there was nothing to change and still is: a model was asked for that, and need not be again."""
        recipe = read_head(self._path / MANIFEST)["recipe"]
        found = unchanged(self._path)
        while piece := dict(islice(found, _READ_TOGETHER)):
            known = store.seen_of(list(piece), recipe)
            new = [user_id for user_id, state in piece.items() if user_id not in known or known[user_id].state != state]
            marks = []
            for snapshot in store.read_each(new) if new else ():
                user_id = snapshot.user_id
                if user_id is not None and store.state(snapshot.memories) == piece[user_id]:
                    marks.append(Mark(user_id, recipe, piece[user_id]))
            if marks:
                store.mark(marks)
            if self.summary.stopped is not None:
                return

    def _one(self, manager: MemoryManager, user_id: str, file: str) -> Outcome:
        store = manager.store
        try:
            plan = self._read(user_id, file)
            if not store.claim(user_id):
                return replace(_busy(user_id, self._clock()), file=file)
            try:
                return self._write(manager, plan, user_id, file)
            finally:
                store.release(user_id)
        except MemoptError as error:
            return Outcome(user_id, Status.FAILED, file=file, error=error, at=self._clock())

    def _read(self, user_id: str, file: str) -> Plan:
        try:
            plan = Plan.from_json((self._path / file).read_bytes())
        except OSError as error:
            raise PlanFileError(f"the plan file {file} cannot be read: {error.strerror or error}") from None
        except UsageError as error:
            raise PlanFileError(f"{file}: {error}") from None
        if plan.user_id != user_id:
            raise PlanFileError(f"the plan file {file} is of user {plan.user_id!r}")
        self.made = self.made or plan
        return plan

    def _write(self, manager: MemoryManager, plan: Plan, user_id: str, file: str) -> Outcome:
        seen = None if plan.recipe is None else manager.store.seen(user_id, plan.recipe)
        if seen is not None and seen.plan is not None and seen.plan == plan_digest(plan):
            figures = plan.tokens_after
            return Outcome(user_id, Status.SEEN, figures, figures, file=file, at=self._clock())
        done = manager.apply(plan, **self._how)
        return Outcome(
            user_id,
            Status.APPLIED if done.run else Status.UNCHANGED,
            done.tokens_before,
            done.tokens_after,
            done.counts,
            run=done.run,
            file=file,
            skipped=_skipped(plan, done),
            unreadable=plan.unreadable,
            notes=done.notes,
            facts=done.facts,
            questions=_questions_of(plan),
            at=self._clock(),
        )


__all__ = [
    "Budget",
    "Fleet",
    "FolderRun",
    "Outcome",
    "Reason",
    "Selection",
    "Shard",
    "Status",
    "Summary",
    "add_reason",
    "error_dict",
    "figures_of",
    "file_name",
    "recipe_of",
    "with_last",
]
