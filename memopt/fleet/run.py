"""A run over many users: one after the other, some at a time in threads, or many on an event loop."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from memopt.errors import GuardError, Interrupted, LimitError, MemoptError, ModelError, StoreError, UnknownUser, UsageError
from memopt.fleet.choosing import Candidate, Line, Selection, figures_of
from memopt.fleet.limits import MODEL_FAILURES, STORE_FAILURES, Budget, Sounded, UserBudget
from memopt.fleet.outcomes import NOTHING, Outcome, Status, Summary, UserBusy, busy_outcome, questions_of, skipped_of, with_last
from memopt.fleet.recipe import recipe_of
from memopt.folder import PlanFolder
from memopt.guards import refusals
from memopt.manager import DEFAULT_MAX_REWRITES, Begun, MemoryManager, embeds_elsewhere
from memopt.models.base import Model
from memopt.plan import Filters, Plan, split_safe
from memopt.protect import Protection
from memopt.spill import Spill
from memopt.stores.base import Mark, MemoryStore, OnConflict, Seen, Snapshot
from memopt.stores.journal import Run
from memopt.strategies.base import MemoryOptimizationStrategy, Proposal, used_by
from memopt.tokens import DEFAULT_ENCODING, TokenCounter, TokenFigures, token_count
from memopt.usage import Usage

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Executor, Future

T = TypeVar("T")

_MARKS_TOGETHER = 500
_POLL_SECONDS = 0.05
BUSY = object()
"""Another run is working on the user."""


@dataclass(frozen=True, slots=True)
class Started:
    """One user's work, begun."""

    user_id: str
    manager: MemoryManager
    begun: Begun
    state: str
    before: TokenFigures
    budget: UserBudget | None
    last: Run | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """One user's plan, made and checked, that is to be written; or noted, where there is nothing to change."""

    started: Started
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
        self._model: Model | None = Sounded(model, max(1, concurrency)) if model is not None and asked else model
        self._judge: Model | None = Sounded(judge, max(1, concurrency)) if judge is not None and asked else judge
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
        self._line: Line | None = None
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
                busy: list[Candidate] = []
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

    def _run_in_threads(self, store: MemoryStore, candidates: Iterator[Candidate], busy: list[Candidate]) -> None:
        """Some users at a time, told in their order: a database server answers one while another is worked on here."""
        from concurrent.futures import ThreadPoolExecutor

        under_way: deque[tuple[Candidate, Future[Outcome | object | None]]] = deque()

        def settle() -> None:
            candidate, work = under_way.popleft()
            found = work.result()
            if isinstance(found, Outcome):
                self._done(found)
            elif found is BUSY:
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
                busy: list[Candidate] = []

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

    def _leave(self, candidate: Candidate, others: Iterable[Candidate] = ()) -> None:
        for each in (candidate, *others):
            self._tell(Outcome(each.user_id, Status.LEFT, at=self._clock()))

    def _tell(self, outcome: Outcome) -> None:
        self.summary.add(outcome)
        if outcome.user_id in self._ended:
            self._ended[outcome.user_id] = outcome
        self._told(outcome)

    # -- who -----------------------------------------------------------------------------------------------------------

    def _candidates(self, store: MemoryStore) -> tuple[int, Iterator[Candidate]]:
        """How many users there are to do, and those, the most expensive first.

        Where nothing can end the run early and nobody is awaited, the order is of no use and the users come as they are stored,
        so that each is read once.
        """
        ids = Spill()
        for user_id in self._ids(store):
            ids.add(user_id)
        if not (self.awaits or self.selection.limit is not None or self._deadline is not None):
            self._sized(len(ids))
            return len(ids), Line(ids, None, chosen=False)
        weighed = Spill()
        for candidate in Line(ids, None, chosen=False):
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
        self._line = Line(weighed, limit, chosen=True)
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

    def _look(self, store: MemoryStore, user_id: str, chosen: bool, force: bool = False) -> Started | Outcome | None:
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

    def _with_last_run(self, store: MemoryStore, found: Started | Outcome | None) -> Started | Outcome | None:
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
    ) -> Started | Outcome | None:
        user_id = snapshot.user_id
        assert user_id is not None
        if not snapshot.memories:
            if not snapshot.unreadable:
                return None  # gone since the list was read
            if self._below(figures_of(snapshot, NOTHING), chosen):
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
        started = Started(user_id, manager, begun, state, before, budget)
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

    def _known(self, started: Started, snapshot: Snapshot) -> Outcome | None:
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

    def _rules_change(self, started: Started) -> bool:
        """Whether the strategies that ask nobody would change something by now, as time goes on."""
        rules = [each for each in self._copies() if not getattr(each, "needs_model", False)]
        if not rules:
            return False
        proposal, usage = started.manager.propose(started.begun, rules, self._max_rewrites)
        return started.manager.conclude(started.begun, rules, proposal, usage, **self._guards).has_changes

    def _copies(self) -> list[MemoryOptimizationStrategy]:
        return [copy(each) for each in self._chain]

    # -- one user ------------------------------------------------------------------------------------------------------

    def _one(self, store: MemoryStore, candidate: Candidate) -> bool:
        """Do one user; False where another run is working on it."""
        found = self._do_and_write(store, candidate)
        if isinstance(found, Outcome):
            self._done(found)
        return found is not BUSY

    def _do(self, store: MemoryStore, candidate: Candidate) -> Outcome | Ready | object | None:
        """What became of one user, not yet told, or is to be written; None where it is not to be done.

        ``BUSY`` where another run has it.
        """
        self._begins(candidate)
        started = self._open(store, candidate)
        if not isinstance(started, Started):
            return started
        ready: Outcome | Ready | None = None
        try:
            chain = self._copies()
            proposal, usage = started.manager.propose(started.begun, chain, self._max_rewrites)
            ready = self._conclude(started, chain, proposal, usage)
        except UsageError:
            raise
        except Exception as error:
            ready = self._failed(started.user_id, error, started)
        finally:
            if not isinstance(ready, Ready):
                store.release(started.user_id)
        return ready

    def _do_and_write(self, store: MemoryStore, candidate: Candidate) -> Outcome | object | None:
        found = self._do(store, candidate)
        return self._write_ready(store, found) if isinstance(found, Ready) else found

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

        candidate = Candidate(user_id, False, force)
        if not self.awaits:
            # The rules run in a thread: whoever hands users out must not be kept waiting by a long one.
            found = await self._whole(asyncio.get_running_loop().run_in_executor(pool, self._do_and_write, store, candidate))
            if isinstance(found, Outcome):
                self._done(found)
            ended = found if isinstance(found, Outcome) else None
            busy = found is BUSY
        else:
            self._ended[user_id] = None
            try:
                busy = not await self._aone(store, candidate, pool)
            finally:
                ended = self._ended.pop(user_id, None)
        if busy:
            ended = busy_outcome(user_id, self._clock())
            self._done(ended)
        return ended

    def flush(self, store: MemoryStore) -> None:
        """Write the notes on users that had nothing to change, which are collected for a while."""
        self._flush(store)

    async def _aone(self, store: MemoryStore, candidate: Candidate, pool: Executor) -> bool:
        import asyncio

        while True:
            try:
                return await self._atry(store, candidate, pool)
            except LimitError:
                # What is held back for others' answers is more than they will cost: there may be room when they are in.
                await asyncio.sleep(_POLL_SECONDS)

    async def _atry(self, store: MemoryStore, candidate: Candidate, pool: Executor) -> bool:
        """``_aone``; raises LimitError where nothing was asked and there may be room later."""
        import asyncio

        loop = asyncio.get_running_loop()
        self._begins(candidate)
        started = await self._whole(loop.run_in_executor(pool, self._open, store, candidate))
        if isinstance(started, Outcome):
            self._done(started)
        if not isinstance(started, Started):
            return started is not BUSY
        try:
            if isinstance(self.summary.stopped, Interrupted):
                raise self.summary.stopped
            chain = self._copies()
            proposal, usage = await started.manager.apropose(started.begun, chain, self._max_rewrites)
            work = loop.run_in_executor(pool, self._conclude_and_write, store, started, chain, proposal, usage)
            outcome = await self._whole(work)
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

    def _open(self, store: MemoryStore, candidate: Candidate) -> Started | Outcome | object | None:
        """Claim a user and read it; ``BUSY`` where another run has it."""
        user_id = candidate.user_id
        if not self.apply:
            return self._with_last_run(store, self._look(store, user_id, candidate.chosen, candidate.force))
        try:
            if not store.claim(user_id):
                return BUSY
        except Exception as error:
            return self._failed(user_id, error)
        found: object = None
        try:
            found = self._with_last_run(store, self._look(store, user_id, candidate.chosen, candidate.force))
            return found
        finally:
            if not isinstance(found, Started):
                store.release(user_id)

    def _conclude(
        self, started: Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage
    ) -> Outcome | Ready:
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
        ready = Ready(started, plan, used, None if self._folder is None else self._folder.add(kept, started.state))
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

    def _conclude_and_write(
        self, store: MemoryStore, started: Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage
    ) -> Outcome:
        ready = self._conclude(started, chain, proposal, usage)
        return ready if isinstance(ready, Outcome) else self._write_ready(store, ready)

    def _write_ready(self, store: MemoryStore, ready: Ready) -> Outcome:
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

    def _outcome(self, ready: Ready, result: Plan | Exception) -> Outcome:
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
            skipped=skipped_of(plan, result) if self.apply and plan.has_changes else (),
            unreadable=plan.unreadable,
            usage=ready.used,
            notes=plan.notes,
            facts=plan.facts,
            questions=questions_of(plan),
            at=self._clock(),
            last=started.last,
        )

    def _flush(self, store: MemoryStore) -> None:
        with self._lock:
            marks, self._marks = self._marks, []
        if marks:
            with suppress(StoreError):  # a note that is missing only means that the user is looked at again
                store.mark(marks)

    def _failed(self, user_id: str, error: BaseException, started: Started | None = None) -> Outcome:
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

    def _begins(self, candidate: Candidate) -> None:
        if self._doubted is not None:
            self._doubted.add(candidate.user_id)

    def _doubt(self, users: set[str] | None) -> None:
        self._doubted = users
        if self._line is not None:
            self._line.backwards = users is not None

    # -- users that another run had ------------------------------------------------------------------------------------

    def _wait_for(self, store: MemoryStore, busy: list[Candidate]) -> None:
        """Try once more those that another run was working on, until its turn is over or the time to wait is."""
        until = time.monotonic() + self._wait
        while busy and not self._over():
            busy = [candidate for candidate in busy if not self._one(store, candidate)]
            if not busy or time.monotonic() >= until:
                break
            time.sleep(_POLL_SECONDS)
        self._give_up(busy)

    async def _await_for(self, store: MemoryStore, busy: list[Candidate], pool: Executor) -> None:
        import asyncio

        until = time.monotonic() + self._wait
        while busy and not self._over():
            busy = [candidate for candidate in busy if not await self._aone(store, candidate, pool)]
            if not busy or time.monotonic() >= until:
                break
            await asyncio.sleep(_POLL_SECONDS)
        self._give_up(busy)

    def _give_up(self, busy: Sequence[Candidate]) -> None:
        for candidate in busy:
            if self.summary.stopped is not None:
                self._leave(candidate)
            else:
                self._done(busy_outcome(candidate.user_id, self._clock()))


__all__ = ["BUSY", "Fleet", "Ready", "Started"]
