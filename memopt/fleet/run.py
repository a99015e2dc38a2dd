"""A run over many users: one after the other, some at a time in threads, or many on an event loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from memopt.errors import Interrupted, LimitError, MemoptError, UnknownUser, UsageError
from memopt.fleet.breaker import Breaker
from memopt.fleet.choosing import Candidate, Line, Selection
from memopt.fleet.limits import Budget, Sounded
from memopt.fleet.outcomes import Outcome, Status, Summary, busy_outcome, with_last
from memopt.fleet.recipe import recipe_of
from memopt.fleet.together import in_threads
from memopt.fleet.work import Busy, Started, Terms, Work
from memopt.folder import PlanFolder
from memopt.manager import DEFAULT_MAX_REWRITES, embeds_elsewhere
from memopt.models.base import Model
from memopt.plan import Filters, Plan
from memopt.protect import Protection
from memopt.spill import Spill
from memopt.stores.base import MemoryStore, OnConflict
from memopt.strategies.base import MemoryOptimizationStrategy
from memopt.tokens import DEFAULT_ENCODING, TokenCounter, token_count

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Executor

T = TypeVar("T")

_POLL_SECONDS = 0.05


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
        asked = any(getattr(each, "needs_model", False) for each in chain) and model is not None and bool(model.endpoint)
        self._embeds = any(map(embeds_elsewhere, chain))
        self.awaits = asked or self._embeds
        self.apply, self.concurrency = apply, max(1, concurrency)
        self.selection = selection or Selection()
        self.recipe = recipe_of(
            chain,
            model,
            judge,
            filters=filters,
            protection=protection,
            max_rewrites=max_rewrites,
            only_safe=only_safe,
            encoding=encoding,
        )
        self._kept_models = [each for each in (model, judge) if asked and hasattr(each, "kept_open")]
        self._store, self._max_seconds, self._make_folder = store, max_seconds, folder
        self._told, self._sized, self._clock = told, sized, clock
        self.summary = Summary()
        terms = Terms(
            chain=tuple(chain),
            recipe=self.recipe,
            model=Sounded(model, self.concurrency) if model is not None and asked else model,
            judge=Sounded(judge, self.concurrency) if judge is not None and asked else judge,
            when=self.selection.when,
            apply=apply,
            force=force,
            only_safe=only_safe,
            filters=filters,
            protection=protection,
            max_rewrites=max_rewrites,
            max_drop=max_drop,
            allow_empty=allow_empty,
            on_conflict=on_conflict,
            budget=budget or (Budget(token_count(encoding)) if self.awaits else None),
            concurrency=self.concurrency,
            gate=gate,
            encoding=encoding,
            with_last=with_last,
            clock=clock,
        )
        self.work = self.make_work(terms)
        self._breaker = Breaker()
        self._deadline: float | None = None
        self._workers: list[asyncio.Task[None]] = []
        self._ended: dict[str, Outcome | None] = {}
        self._wait = float(getattr(store, "lock_timeout", 5.0))

    @property
    def by_clock(self) -> bool:
        """Whether time alone may give a user something to do."""
        return self.work.terms.by_clock

    # -- what others may override --------------------------------------------------------------------------------------

    def make_work(self, terms: Terms) -> Work:
        """What does one user's work; called once, at the end of ``__init__``. May be overridden."""
        return Work(terms, self.summary, self.stop)

    def candidates(self, store: MemoryStore) -> tuple[int, Iterator[Candidate]]:
        """How many users there are to do, and those, the most expensive first. May be overridden; tell ``sized``.

        Where nothing can end the run early and nobody is awaited, the order is of no use and the users come as they are stored,
        so that each is read once.
        """
        ids = Spill()
        for user_id in self._ids(store):
            ids.add(user_id)
        if not (self.awaits or self.selection.limit is not None or self._deadline is not None):
            self.sized(len(ids))
            return len(ids), Line(ids, None, chosen=False)
        weighed = Spill()
        for candidate in Line(ids, None, chosen=False):
            if self._over():
                self._leave(candidate)
                continue
            found = self.work.look(store, candidate)
            hopeless = isinstance(found, Outcome) and found.status is Status.FAILED and bool(found.unreadable)
            if hopeless and self.selection.limit is not None:
                weighed.add(candidate.user_id)  # it comes last, and counts as one of so many
            elif isinstance(found, Outcome):
                self.tell(with_last(found, store) if self.work.terms.with_last else found)
            elif found is not None:
                weighed.add(candidate.user_id, -found.before.prompt)
        limit = self.selection.limit
        number = len(weighed) if limit is None else min(limit, len(weighed))
        if number < len(weighed):
            self.summary.passed_over["limit"] += len(weighed) - number
        self.sized(number)
        self._breaker.line = Line(weighed, limit, chosen=True)
        return number, self._breaker.line

    def sized(self, users: int) -> None:
        """It is known how many users there are to do."""
        self._sized(users)

    def tell(self, outcome: Outcome) -> None:
        """Count what became of a user, and tell it. May be overridden."""
        self.summary.add(outcome)
        if outcome.user_id in self._ended:
            self._ended[outcome.user_id] = outcome
        self._told(outcome)

    # -- running -------------------------------------------------------------------------------------------------------

    def models_kept_open(self) -> list[AbstractAsyncContextManager[Any]]:
        """Contexts within which requests to a service share its connections."""
        return [model.kept_open() for model in self._kept_models]  # type: ignore[union-attr]

    def stop(self, why: MemoptError) -> None:
        """End the run: no further user is begun; with Interrupted, requests that are under way are given up.

        Call it in the thread of the run.
        """
        if isinstance(self.summary.stopped, Interrupted):
            return
        self.summary.stopped = self.summary.stopped or why
        if self.work.terms.budget is not None:
            self.work.terms.budget.closed = True
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
                _, candidates = self.candidates(store)
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
        """Some users at a time, told in their order."""

        def begun() -> Iterator[Candidate]:
            for candidate in candidates:
                if self._over():
                    self._leave(candidate, candidates)
                    return
                yield candidate

        def settled(candidate: Candidate, found: Outcome | Busy | None) -> None:
            if isinstance(found, Outcome):
                self._done(found)
            elif isinstance(found, Busy):
                busy.append(candidate)

        TokenCounter(self.work.terms.encoding).text("once")  # or each thread would load a vocabulary of its own
        in_threads(begun(), lambda candidate: self._do(store, candidate), settled, threads=store.parallel)

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
                number, candidates = await loop.run_in_executor(pool, self.candidates, store)
                busy: list[Candidate] = []

                async def work() -> None:
                    while True:
                        while self._breaker.hesitates and not self._over():
                            await asyncio.sleep(_POLL_SECONDS)
                        candidate = next(candidates, None)
                        if candidate is None:
                            return
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
        if self.work.terms.budget is not None:
            self.work.terms.budget.deadline = self._deadline
        if self._make_folder is not None:
            self.work.folder = self._make_folder(self.recipe)
        return started

    def _end(self, store: MemoryStore) -> None:
        if self.summary.stopped is None:
            self.summary.stopped = self._breaker.limit  # there was a limit, and some were not tried for it
        try:
            self.flush(store)
        finally:
            if self.work.folder is not None:
                self.work.folder.close()

    def _over(self) -> bool:
        """Whether no further user may be begun."""
        if self.summary.stopped is None and self._deadline is not None and time.monotonic() >= self._deadline:
            minutes = (self._max_seconds or 0.0) / 60
            over = "the minute of --max-minutes is over" if minutes == 1 else f"the {minutes:g} minutes of --max-minutes are over"
            self.stop(LimitError(over))
        return self.summary.stopped is not None

    def _leave(self, candidate: Candidate, others: Iterable[Candidate] = ()) -> None:
        for each in (candidate, *others):
            self.tell(Outcome(each.user_id, Status.LEFT, at=self._clock()))

    # -- who -----------------------------------------------------------------------------------------------------------

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
                self.tell(Outcome(user_id, Status.FAILED, error=error, at=self._clock()))

    # -- one user ------------------------------------------------------------------------------------------------------

    def _do(self, store: MemoryStore, candidate: Candidate) -> Outcome | Busy | None:
        self._breaker.begins(candidate.user_id)
        return self.work.do(store, candidate)

    def _one(self, store: MemoryStore, candidate: Candidate) -> bool:
        """Do one user; False where another run is working on it."""
        found = self._do(store, candidate)
        if isinstance(found, Outcome):
            self._done(found)
        return not isinstance(found, Busy)

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
            found = await self._whole(asyncio.get_running_loop().run_in_executor(pool, self._do, store, candidate))
            if isinstance(found, Outcome):
                self._done(found)
            ended = found if isinstance(found, Outcome) else None
            busy = isinstance(found, Busy)
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
        self.work.flush(store)

    async def _aone(self, store: MemoryStore, candidate: Candidate, pool: Executor) -> bool:
        self._breaker.begins(candidate.user_id)
        try:
            return await self._atry(store, candidate, pool)
        finally:
            self._breaker.over(candidate.user_id)

    async def _atry(self, store: MemoryStore, candidate: Candidate, pool: Executor) -> bool:
        import asyncio

        loop = asyncio.get_running_loop()
        started = await self._whole(loop.run_in_executor(pool, self.work.open, store, candidate))
        if isinstance(started, Outcome):
            self._done(started)
        if not isinstance(started, Started):
            return not isinstance(started, Busy)
        try:
            if isinstance(self.summary.stopped, Interrupted):
                raise self.summary.stopped
            chain = self.work.chain()
            proposal, usage = await started.manager.apropose(started.begun, chain, self.work.terms.max_rewrites)
            work = loop.run_in_executor(pool, self.work.finish, store, started, chain, proposal, usage)
            outcome = await self._whole(work)
        except UsageError:
            raise
        except asyncio.CancelledError:
            self._cancelled()
            outcome = self.work.failed(started.user_id, Interrupted("interrupted"), started)
        except Exception as error:
            outcome = self.work.failed(started.user_id, error, started)
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

    def _done(self, outcome: Outcome) -> None:
        """Tell what became of a user; many failures of one kind in a row end the run, and so does a limit that was reached."""
        why = self._breaker.ended(outcome)
        budget = self.work.terms.budget
        if budget is not None:
            why = why or budget.passed or self._breaker.beyond(outcome, exhausted=budget.exhausted)
            self.summary.notes = budget.notes
        if why is not None and self.summary.stopped is None:
            self.stop(why)
        self.tell(outcome)

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


__all__ = ["Fleet"]
