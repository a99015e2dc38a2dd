"""A worker: takes jobs and does them, many at a time, until it is told to end or something concerns all of them.

What becomes of a job:

- done: there is something in the journal, or there was nothing to do;
- tried again later, with growing waits, where the model or the store failed in passing, or another run had the user; at most so
  many times, of which those that were no fault of the job do not count (``is_of_the_store``);
- given up, with the reason, where a guard refused, the store changed under the plan, or nothing else would come of another try;
- given back, uncounted, where the worker ends: it was told to, the service refuses everybody, or the store is gone.

A worker that cannot do what a recipe says (no key, a plugin that is not installed, no right to write) leaves the jobs of
that label to others and says so once; when none is left that it can do, it ends with that
error. Jobs that another version put in are given up, and say so.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from memopt.errors import (
    AnswerRefused,
    ConflictError,
    ExitCode,
    Interrupted,
    MemoptError,
    ModelError,
    StoreError,
    StoreLocked,
    UsageError,
)
from memopt.fleet import MODEL_FAILURES, STORE_FAILURES, Fleet, Outcome, Status, UserBusy
from memopt.queue.board import Board, open_board
from memopt.queue.engine import POOL, GivenUp, Note, TryAgain, make_app, quiet
from memopt.queue.equip import Equipment, fleet_of
from memopt.queue.recipe import Recipe, queue_name, unpack_user
from memopt.stores import open_store
from memopt.stores.postgres import read_address, translate
from memopt.tokens import TokenCounter

if TYPE_CHECKING:
    from memopt.stores.base import MemoryStore

THREADS = 4
"""Threads that use the store, each with a connection."""
CONNECTIONS = POOL + THREADS + 3
"""At most so many connections of a worker, for one memory table: the engine's, the threads', the claims', the board's two."""
MAX_WAIT = 3600.0
_PASSING_STATUS = (408, 409, 425, 429)
_OF_THE_STORE = ("08", "57P", "53100", "53300", "25006", "58030")
"""SQLSTATEs, or how they begin: no connection, the server ends or starts, its disk is full, its connections are all taken, it is
a standby, its disk fails."""
_SILENT_BEATS = 3
_TICK = 1.0
_HANGS = 60.0
"""An event loop that did not turn for so long hangs: then the worker gives no sign of life any more."""


@dataclass(frozen=True, slots=True)
class _Line:
    recipe: Recipe
    fleet: Fleet
    store: MemoryStore


@dataclass(slots=True)
class WorkSummary:
    """What a worker did.

    Attributes:
        counts: jobs by how they ended (``applied``, ``unchanged``, ``seen``, ``nothing``, ``failed``), and by ``retrying`` and
            ``given-back``.
        refused: the labels whose jobs it left to others, and why.
        stopped: why it ended by itself.
    """

    counts: Counter[str] = field(default_factory=Counter)
    refused: dict[str, MemoptError] = field(default_factory=dict)
    stopped: MemoptError | None = None
    seconds: float = 0.0

    @property
    def exit_code(self) -> ExitCode:
        """What the process ends with."""
        if self.stopped is not None:
            return self.stopped.exit_code
        return ExitCode.PARTIAL if self.counts["failed"] or self.refused else ExitCode.OK


@dataclass(frozen=True, slots=True)
class Told:
    """One job, as it is told: what became of it and of its user.

    Attributes:
        status: a note's status (``engine.Note``).
        wait: seconds until another try, where there is one.
    """

    job: int
    label: str
    user_id: str
    attempt: int
    status: str
    outcome: Outcome | None = None
    error: MemoptError | None = None
    wait: float | None = None


class Worker:
    """Takes jobs from the queue in the database of ``address``.

    Args:
        prepare: makes what a recipe needs; called in a thread, once a recipe. Raises MemoptError where it cannot.
        concurrency: how many jobs are under way at a time.
        labels: only jobs of these; none: all.
        retries: how many further tries a job has.
        backoff: seconds before the second try; each further wait is twice as long, an hour at most.
        heartbeat: seconds between two signs of life. A worker that gave none for three times as long is taken for dead, and its
            jobs are taken over: the same for all workers, please.
        grace: when told to end, jobs that are under way have so many seconds; then they are given back.
        poll: seconds between two looks for jobs when there are none.
        until_empty: end when no job is left, also none that waits for another try or that another worker has.
        told: is called with each job.
        refused: is called once for each label whose jobs are left to others.
        alive: is called about once a second, as long as the worker is able to work.
        unknown: is called at the start with those of ``labels`` of which there are no jobs yet, and those that there are.
    """

    def __init__(
        self,
        address: str,
        prepare: Callable[[Recipe], Equipment],
        *,
        lock_timeout: float = 5.0,
        concurrency: int = 32,
        labels: Sequence[str] = (),
        retries: int = 5,
        backoff: float = 10.0,
        heartbeat: float = 10.0,
        grace: float = 30.0,
        poll: float = 2.0,
        until_empty: bool = False,
        told: Callable[[Told], None] = lambda _told: None,
        refused: Callable[[str, MemoptError], None] = lambda _label, _error: None,
        alive: Callable[[], None] = lambda: None,
        unknown: Callable[[Sequence[str], Sequence[str]], None] = lambda _labels, _known: None,
    ) -> None:
        self._address, self._prepare, self._lock_timeout = address, prepare, lock_timeout
        self._concurrency, self._retries, self._backoff = max(1, concurrency), retries, backoff
        self._heartbeat, self._grace, self._poll, self._until_empty = heartbeat, grace, poll, until_empty
        self._told, self._tell_refused, self._alive, self._tell_unknown = told, refused, alive, unknown
        self._labels = tuple(labels)
        self._wanted = [queue_name(label) for label in labels] or None
        self._known: dict[str, str] = {}
        self._out: set[str] = set()
        self._lines: dict[str, _Line | ConflictError] = {}
        self._stores: dict[str, MemoryStore] = {}
        self._running = 0
        self._streak: dict[int, str] = {}
        self._store_streak: dict[int, str] = {}
        self._done_well = 0
        self._stumbles: dict[int, tuple[int, int]] = {}
        self._turned = time.monotonic()
        self._ended = threading.Event()
        self._ending = False
        self._begun = False
        self._run: asyncio.Task[None] | None = None
        self.summary = WorkSummary()

    def stop(self, why: MemoptError | None = None) -> None:
        """End: take no further job, finish those under way or give them back. Call it on the worker's event loop."""
        if why is not None and self.summary.stopped is None:
            self.summary.stopped = why
        if not self._ending:
            self._ending = True
            if self._run is not None and self._begun:
                self._run.cancel()

    async def arun(self) -> WorkSummary:
        """Work until told to end.

        Raises:
            UsageError: no Postgres, or an extra is missing.
            StoreError: the queue is not there, does not fit, or cannot be reached.
        """
        started = time.monotonic()
        quiet()
        board = await asyncio.to_thread(open_board, self._address, self._lock_timeout)
        try:
            await asyncio.to_thread(board.check)
            self._known = await asyncio.to_thread(board.queues)
            unknown, known = (
                [label for label in self._labels if queue_name(label) not in self._known],
                sorted(self._known.values()),
            )
            if unknown and self._until_empty:
                said = f"the queue has no jobs of {', '.join(map(repr, unknown))}; it knows: {', '.join(known) or 'none'}"
                raise UsageError(said)
            if unknown:
                self._tell_unknown(unknown, known)
            await self._work_at(board)
        finally:
            await asyncio.to_thread(board.close)
        self.summary.seconds = time.monotonic() - started
        return self.summary

    async def _work_at(self, board: Board) -> None:
        from procrastinate.exceptions import ConnectorException

        self._board = board
        self._preparing = asyncio.Lock()
        app, self._manager = make_app(read_address(self._address), self._job, self._takes)
        async with AsyncExitStack() as stack:
            self._stack = stack
            # the board is used by one thread at a time, so that it needs one connection
            self._desk = stack.enter_context(ThreadPoolExecutor(1, thread_name_prefix="memopt-board"))
            self._pool = stack.enter_context(ThreadPoolExecutor(THREADS, thread_name_prefix="memopt-store"))
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(self._concurrency + 4))
            try:
                await stack.enter_async_context(app.open_async())
                self._run = asyncio.ensure_future(
                    app.run_worker_async(
                        queues=self._wanted,
                        name="memopt",
                        concurrency=self._concurrency,
                        wait=True,
                        fetch_job_polling_interval=self._poll,
                        abort_job_polling_interval=60.0,
                        shutdown_graceful_timeout=self._grace,
                        listen_notify=False,
                        install_signal_handlers=False,
                        update_heartbeat_interval=self._heartbeat,
                        stalled_worker_timeout=self._heartbeat * _SILENT_BEATS,
                        delete_jobs="never",
                    )
                )
                if self._ending:
                    self._run.cancel()
                beating = asyncio.ensure_future(asyncio.to_thread(self._beat))
                ticking = asyncio.ensure_future(self._tick())
                ticking.add_done_callback(lambda _task: self.stop())
                try:
                    await self._until_ended(self._run)
                finally:
                    self._ended.set()
                    await beating
                    ticking.cancel()
                    with suppress(asyncio.CancelledError):
                        await ticking  # raises what nobody foresaw
            except ConnectorException as error:
                raise self._lost(error) from error.__cause__
            finally:
                await self._flush()
                await self._forgive()

    async def _until_ended(self, run: asyncio.Task[None]) -> None:
        try:
            await asyncio.shield(run)
        except asyncio.CancelledError:
            if not run.done():  # it is this function that was cancelled: end in order, and then be cancelled
                self._ending = True
                run.cancel()
                with suppress(asyncio.CancelledError):
                    await run
                raise
        if not self._ending and self.summary.stopped is None:
            where = self._board.where
            self.summary.stopped = StoreError(
                f"{where}: the worker could give no sign of life, the connection was lost; start it again"
            )

    def _lost(self, error: Exception) -> MemoptError:
        import psycopg

        cause = error.__cause__
        if isinstance(cause, psycopg.Error):
            return translate(cause, self._board.where, waited=self._lock_timeout)
        return StoreError(f"{self._board.where}: the queue cannot be used: {error}")

    # -- beside the jobs -----------------------------------------------------------------------------------------------

    def _beat(self) -> None:
        """Give signs of life from a thread of its own: what keeps the event loop busy for a while is no death."""
        while not self._ended.wait(self._heartbeat / 2):
            worker_id = self._manager.worker_id
            if worker_id is not None and time.monotonic() - self._turned < max(_HANGS, self._heartbeat * 6):
                with suppress(MemoptError):  # a lasting failure ends the worker where the engine does the same
                    self._manager.taken_for_dead |= not self._board.beat(worker_id)

    async def _tick(self) -> None:
        import psycopg

        pause = min(_TICK, self._poll, self._heartbeat / 2)
        rescued = -self._heartbeat
        while True:
            self._turned = time.monotonic()
            with suppress(psycopg.Error, StoreError):  # a lasting failure ends the worker where signs of life are given
                if time.monotonic() - rescued >= self._heartbeat:
                    rescued = time.monotonic()
                    await self._manager.rescue(self._heartbeat * _SILENT_BEATS, self._retries)
                await self._flush()
                if self._out:
                    self._known = await self._at_desk(self._board.queues)
                    self._end_if_nothing_is_left_to_try()
                if self._until_empty and not self._running:
                    left = await self._at_desk(self._board.any_left, self._allowed(self._wanted))
                    if not left and not self._running:
                        self.stop()
                self._alive()
            await asyncio.sleep(pause)

    async def _at_desk(self, function: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._desk, function, *args)

    async def _flush(self) -> None:
        loop = asyncio.get_running_loop()
        for line in [line for line in self._lines.values() if isinstance(line, _Line)]:
            await loop.run_in_executor(self._pool, line.fleet.flush, line.store)

    async def _forgive(self) -> None:
        """A service or a store that failed everybody until the worker ended did so for no fault of the jobs: those tries do not
        count."""
        of_model = isinstance(self.summary.stopped, ModelError)
        streak, many = (self._streak, MODEL_FAILURES) if of_model else (self._store_streak, STORE_FAILURES)
        users = len(set(streak.values()))
        if (of_model or isinstance(self.summary.stopped, StoreError)) and users > 1:
            # a few that fail over and over may be at fault themselves: they must come to an end
            forgiven = partial(self._board.uncount, list(streak), given_up=users >= many)
            with suppress(StoreError):
                again = await self._at_desk(forgiven)
                self.summary.counts["failed"] -= again
                self.summary.counts["given-back"] += again

    # -- which jobs ----------------------------------------------------------------------------------------------------

    def _takes(self, queues: Iterable[str] | None) -> list[str] | None:
        """``_allowed``, as the engine asks before each job. What ends it while it still starts may be lost in a connection of its
        own: then it is ended here, where it has begun."""
        if not self._begun:
            self._begun = True
            if self._ending and self._run is not None:
                self._run.cancel()
        return self._allowed(queues)

    def _allowed(self, queues: Iterable[str] | None) -> list[str] | None:
        """The queues from which jobs may be taken, as the engine asks."""
        if self._ending:
            return []
        if not self._out:
            return None if queues is None else list(queues)
        return [queue for queue in (self._known if queues is None else queues) if queue not in self._out]

    def _refuse(self, queue: str, error: MemoptError) -> None:
        """Leave the jobs of a label to others from now on."""
        if queue in self._out:
            return
        self._out.add(queue)
        label = self._known.get(queue, queue)
        self.summary.refused[label] = error
        self._tell_refused(label, error)
        self._end_if_nothing_is_left_to_try()

    def _end_if_nothing_is_left_to_try(self) -> None:
        if self._out and not self._allowed(self._wanted) and not self._ending:
            self.stop(next(iter(self.summary.refused.values())))

    async def _line(self, recipe_id: str) -> _Line:
        """What does the jobs of a recipe; made when the first one comes.

        Raises:
            ConflictError: the jobs were put in by another version; no worker like this one can do them.
            MemoptError: this worker cannot.
        """
        async with self._preparing:
            if recipe_id not in self._lines:
                try:
                    recipe = await self._at_desk(self._board.recipe, recipe_id)
                    self._lines[recipe_id] = await self._make_line(recipe)
                except ConflictError as error:
                    self._lines[recipe_id] = error
            found = self._lines[recipe_id]
        if isinstance(found, ConflictError):
            raise found
        return found

    async def _make_line(self, recipe: Recipe) -> _Line:
        loop = asyncio.get_running_loop()
        equipment = await loop.run_in_executor(self._pool, self._prepare, recipe)
        store = await self._store(recipe.table)
        fleet = fleet_of(recipe, store, equipment, self._concurrency)
        if fleet.recipe != recipe.digest:
            raise ConflictError(
                "the job was enqueued with another version of memopt, of a strategy or of its prompt than the worker has: give "
                "both the same version, and enqueue again"
            )
        await loop.run_in_executor(self._pool, _warm, fleet, recipe.encoding)
        for opened in fleet.models_kept_open():
            await self._stack.enter_async_context(opened)
        self._known[recipe.queue] = recipe.label
        return _Line(recipe, fleet, store)

    async def _store(self, table: str) -> MemoryStore:
        if table not in self._stores:
            loop = asyncio.get_running_loop()
            store = await loop.run_in_executor(self._pool, open_store, self._address, table, self._lock_timeout)
            context = store.fleet(write=True)
            self._stores[table] = await loop.run_in_executor(self._pool, context.__enter__)
            self._stack.callback(context.__exit__, None, None, None)
        return self._stores[table]

    # -- one job -------------------------------------------------------------------------------------------------------

    async def _job(self, context: Any, *, recipe: str, force: bool = False, **who: Any) -> None:
        """The engine's task."""
        self._running += 1
        try:
            await self._do(context.job, recipe, force, unpack_user(who))
        finally:
            self._running -= 1

    async def _do(self, job: Any, recipe_id: str, force: bool, user_id: str) -> None:
        if self._ending:
            self._give_back(job, user_id, None)
        try:
            line = await self._line(recipe_id)
        except asyncio.CancelledError:
            self._give_back(job, user_id, None)
        except ConflictError as error:
            self._give_up(job, user_id, None, error)
        except MemoptError as error:
            counts = not is_of_the_store(error)  # nobody's work was begun
            if is_passing(error) and (not counts or job.attempts < self._retries):
                self._stumbles[job.id] = (self._stumbles.get(job.id, (0, 0))[0] + 1, self._done_well)
                self._again(job, user_id, None, error, counts=counts)
            self._refuse(job.queue, error)
            self._give_back(job, user_id, error)
        outcome: Outcome | None
        try:
            if force:  # what was forced once is not forced again because its worker or the connection died after it
                force = not await self._at_desk(self._board.done_since, job.id, line.recipe, user_id, job.attempts > 0)
            outcome = await line.fleet.auser(line.store, user_id, self._pool, force=force)
        except asyncio.CancelledError:
            self._give_back(job, user_id, None)
        except (StoreError, UsageError) as error:
            outcome = Outcome(user_id, Status.FAILED, error=error, at=time.time())
        self._settle(job, line, user_id, outcome)

    def _settle(self, job: Any, line: _Line, user_id: str, outcome: Outcome | None) -> None:
        stopped = line.fleet.summary.stopped
        if stopped is not None and not isinstance(stopped, Interrupted):
            self.stop(stopped)
        error = None if outcome is None else outcome.error
        if isinstance(error, ModelError) and is_passing(error):
            self._streak[job.id] = user_id
        elif outcome is not None and outcome.usage.requests and error is None:
            self._streak.clear()
        counts = self._counts(job, outcome)
        if counts and _failed_by_store(outcome):
            self._store_streak[job.id] = user_id
        elif outcome is not None and outcome.status is not Status.LEFT and not isinstance(error, StoreError):
            self._store_streak.clear()
            self._done_well += 1
        if outcome is None:
            self._tell(job, user_id, Note("nothing"), None)
        elif outcome.status is Status.LEFT or (isinstance(error, ModelError) and error.final):
            self._give_back(job, user_id, error)
        elif outcome.status is not Status.FAILED or error is None:
            before, after = outcome.before, outcome.after
            note = Note(
                outcome.status.value,
                run=outcome.run,
                before=None if before is None else before.prompt,
                after=None if after is None else after.prompt,
            )
            self._tell(job, user_id, note, outcome)
        elif isinstance(error, UserBusy):
            self._again(job, user_id, outcome, error, counts=False)
        elif is_passing(error) and not outcome.unreadable and (not counts or job.attempts < self._retries):
            self._again(job, user_id, outcome, error, counts=counts)
        else:
            self._give_up(job, user_id, outcome, error)

    def _counts(self, job: Any, outcome: Outcome | None) -> bool:
        """Whether what became of a job is held against it. A failure of the store is not, unless the store did others well since
        it failed this job before: then it may be the job's own."""
        if not (_failed_by_store(outcome) and outcome is not None and outcome.error and is_of_the_store(outcome.error)):
            self._stumbles.pop(job.id, None)
            return True
        before = self._stumbles.get(job.id)
        self._stumbles[job.id] = ((before[0] if before else 0) + 1, self._done_well)
        return before is not None and self._done_well > before[1]

    def _give_up(self, job: Any, user_id: str, outcome: Outcome | None, error: MemoptError) -> NoReturn:
        self._tell(job, user_id, Note.of_error("failed", error), outcome, error)
        raise GivenUp

    def _again(self, job: Any, user_id: str, outcome: Outcome | None, error: MemoptError, *, counts: bool = True) -> NoReturn:
        tries = max(job.attempts, self._stumbles.get(job.id, (1, 0))[0] - 1)
        wait = backoff(self._backoff, tries, random.random())  # noqa: S311 - spreads tries, hides nothing
        self._tell(job, user_id, Note.of_error("retrying", error, counts=counts), outcome, error, wait)
        raise TryAgain(wait)

    def _give_back(self, job: Any, user_id: str, error: MemoptError | None) -> NoReturn:
        self._tell(job, user_id, Note("given-back"), None, error)
        raise TryAgain(0)

    def _tell(
        self,
        job: Any,
        user_id: str,
        note: Note,
        outcome: Outcome | None,
        error: MemoptError | None = None,
        wait: float | None = None,
    ) -> None:
        self._manager.notes[job.id] = note
        self.summary.counts[note.status] += 1
        label = self._known.get(job.queue, job.queue)
        self._told(Told(job.id, label, user_id, job.attempts + 1, note.status, outcome, error, wait))


def _warm(fleet: Fleet, encoding: str) -> None:
    """Load what takes a second in this thread, once: the vocabulary, not in each thread of the store at one time, and the
    libraries of a service, not on the event loop."""
    TokenCounter(encoding).text("a")

    async def once() -> None:
        async with AsyncExitStack() as stack:
            for opened in fleet.models_kept_open():
                await stack.enter_async_context(opened)

    asyncio.run(once())


def backoff(first: float, attempts: int, chance: float) -> float:
    """Seconds until the next try: ``first`` doubled with every try, an hour at most, a fifth more or less by chance.

    Args:
        attempts: how many there were before this one.
        chance: 0 to 1.
    """
    return float(min(first * 2.0 ** min(attempts, 30), MAX_WAIT) * (0.8 + 0.4 * chance))


def _failed_by_store(outcome: Outcome | None) -> bool:
    """Whether it was the store that failed a user, and not what was read there."""
    error = None if outcome is None else outcome.error
    return isinstance(error, StoreError) and not isinstance(error, UserBusy) and outcome is not None and not outcome.unreadable


def is_of_the_store(error: BaseException) -> bool:
    """Whether a failure tells nothing of the user who met it: the store was locked, out of reach, full or not to be written."""
    if isinstance(error, StoreLocked):
        return True
    if not isinstance(error, StoreError):
        return False
    import psycopg

    cause = error.__cause__ or error.__context__
    state = getattr(cause, "sqlstate", None)
    return state.startswith(_OF_THE_STORE) if state else isinstance(cause, psycopg.OperationalError)


def is_passing(error: BaseException) -> bool:
    """Whether a failure may be over by itself: the service or the store was out of reach, busy or overloaded."""
    if is_of_the_store(error):
        return True
    if isinstance(error, ModelError):
        if isinstance(error, AnswerRefused) or error.final or not error.details.get("requests"):
            return False
        status = error.details.get("status")
        return status is None or status in _PASSING_STATUS or status >= 500
    if isinstance(error, StoreError):
        import psycopg

        return isinstance(error.__cause__ or error.__context__, psycopg.OperationalError)
    return False


__all__ = ["CONNECTIONS", "THREADS", "Told", "WorkSummary", "Worker", "backoff", "is_of_the_store", "is_passing"]
