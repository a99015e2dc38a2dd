"""procrastinate as memopt uses it: connections into memopt's own schema, and a note on how each job ended, in one transaction
with the job's new state.

What the engine does by itself is left to it: handing out jobs, locks, heartbeats, tries at a later time, ending gracefully. Added
is what it leaves to its users: taking over the jobs of workers that fell silent, and keeping why a job failed.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from memopt.errors import MemoptError
from memopt.queue.schema import EVENTS, JOBS, NOTES
from memopt.stores.journal_postgres import SCHEMA

if TYPE_CHECKING:
    import psycopg

POOL = 3
"""Connections of a worker to the queue: one that hands out jobs, one that takes them back, one for signs of life."""
LONGEST_REASON = 2_000
"""Characters of a reason that are kept: a service may say anything."""
_RESCUING = 0x6D656D73  # advisory lock of the one worker that looks for silent ones; the number is of no meaning
_TRIES = 5
_PAUSE = 0.5
_NOTE = (
    f"INSERT INTO {NOTES} (job_id, queue, at, status, kind, message, run, tokens_before, tokens_after) "
    "VALUES (%(job)s, %(queue)s, now(), %(status)s, %(kind)s, %(message)s, %(run)s, %(before)s, %(after)s) "
    "ON CONFLICT (job_id) DO UPDATE SET queue = excluded.queue, at = excluded.at, status = excluded.status, "
    "kind = excluded.kind, message = excluded.message, run = excluded.run, tokens_before = excluded.tokens_before, "
    "tokens_after = excluded.tokens_after"
)


@dataclass(frozen=True, slots=True)
class Note:
    """How a job ended, or why it waits for another try.

    Attributes:
        status: one of ``board.ENDED``, ``retrying``, or ``given-back``: begun and not done, for no fault of its own.
        kind, message: of the error.
        run: the journal's id where something was written.
        before, after: prompt tokens.
        counts: whether it was a try.
    """

    status: str
    kind: str | None = None
    message: str | None = None
    run: str | None = None
    before: int | None = None
    after: int | None = None
    counts: bool = True

    @classmethod
    def of_error(cls, status: str, error: MemoptError, *, counts: bool = True) -> Note:
        """A note with the error's kind and what it says."""
        return cls(status, error.kind, _storable(str(error)), counts=counts)

    def values(self, job: int, queue: str) -> dict[str, Any]:
        """For the statement that writes it."""
        return {
            "job": job,
            "queue": queue,
            "status": self.status,
            "kind": self.kind,
            "message": self.message,
            "run": self.run,
            "before": self.before,
            "after": self.after,
        }


def _storable(text: str) -> str:
    text = text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"
    return text.replace("\0", "").encode("utf-8", "replace").decode()


class TryAgain(Exception):
    """Raised by a job's function: the engine is to hand the job out again after ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__("to be tried again")
        self.seconds = seconds


class GivenUp(Exception):
    """Raised by a job's function: the job failed for good."""


def connector(params: Mapping[str, str]) -> Any:
    """A connector whose connections see memopt's schema alone, POOL of them at most.

    Args:
        params: libpq's parameters, with the password if there is one; they go no further than into libpq.
    """
    from procrastinate.psycopg_connector import PsycopgConnector

    from memopt.stores.postgres import CONNECT_TIMEOUT

    given: dict[str, Any] = {
        "fallback_application_name": "memopt-worker",
        "connect_timeout": CONNECT_TIMEOUT,
        **params,
        "client_encoding": "UTF8",
        "prepare_threshold": None,
    }
    return PsycopgConnector(
        kwargs=given,
        min_size=1,
        max_size=POOL,
        timeout=CONNECT_TIMEOUT,
        configure=_configure,
        json_dumps=partial(json.dumps, ensure_ascii=False),
    )


async def _configure(conn: psycopg.AsyncConnection[Any]) -> None:
    # A server that crashes may forget the last moment of the queue's own bookkeeping: a job is then done again, and is seen.
    # What is written to memories waits for the disk, on other connections.
    await conn.set_autocommit(True)
    await conn.execute(
        f"SET search_path = {SCHEMA}; SET synchronous_commit = off; SET TimeZone = 'UTC'; "
        "SET idle_in_transaction_session_timeout = 60000"
    )
    await conn.set_autocommit(False)


def quiet() -> None:
    """Keep the engine's own log from standard error: it quotes users, and what it has to say is said by the worker."""
    for name in ("procrastinate", "psycopg.pool"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def make_app(
    params: Mapping[str, str],
    work: Callable[..., Any],
    allowed: Callable[[Iterable[str] | None], list[str] | None],
) -> tuple[Any, Any]:
    """The engine with the one task there is, and its manager of jobs.

    Args:
        work: the task's function: awaited with the job's context and arguments; raises TryAgain or GivenUp.
        allowed: given the queues that are wanted (None: all), those from which jobs may be taken now; an empty list: none.
    """
    import psycopg
    from procrastinate import App, exceptions, sql
    from procrastinate.jobs import Job, Status
    from procrastinate.manager import JobManager
    from procrastinate.retry import BaseRetryStrategy, RetryDecision

    from memopt.queue.board import TASK

    class Retry(BaseRetryStrategy):
        def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
            if not isinstance(exception, TryAgain):
                return None
            return RetryDecision(retry_at=datetime.now(UTC) + timedelta(seconds=exception.seconds))

    class Jobs(JobManager):
        """The engine's manager of jobs, which writes a job's note with its state and loses no job to a broken connection."""

        def __init__(self, connector: Any) -> None:
            super().__init__(connector)
            self.notes: dict[int, Note] = {}
            self.worker_id: int | None = None
            self.taken_for_dead = False

        async def register_worker(self) -> int:
            self.worker_id = await super().register_worker()
            return self.worker_id

        async def unregister_worker(self, worker_id: int) -> None:
            registered, self.worker_id = self.worker_id, None
            for each in {worker_id, registered} - {None}:
                await super().unregister_worker(each)  # type: ignore[arg-type]

        async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
            wanted = allowed(queues)
            if wanted is not None and not wanted:
                return None
            for attempt in range(_TRIES):
                if self.taken_for_dead:
                    # It was silent for too long (stopped, or on a machine that slept), and is not dead. What others took over of
                    # its jobs is kept apart by claims and notes.
                    self.taken_for_dead = False
                    await self.register_worker()
                try:
                    return await super().fetch_job(queues=wanted, worker_id=self.worker_id or worker_id)
                except exceptions.UniqueViolation:  # another worker took another job of the same user at this very moment
                    await asyncio.sleep(0.01 * 2**attempt)
                except exceptions.ConnectorException as error:
                    if not isinstance(error.__cause__, psycopg.errors.ForeignKeyViolation):
                        raise
                    self.taken_for_dead = True
            return None

        async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
            found = self.notes.pop(job.id or 0, None)
            if found is None and status is not Status.SUCCEEDED:
                found = Note(
                    "failed", "failure", "the worker's engine could not run the job: its arguments or its task are not known here"
                )
            await self._settle(
                job,
                found or Note("unchanged"),
                str(sql.queries["finish_job"]),
                {"job_id": job.id, "status": status.value, "delete_job": delete_job},
            )

        async def retry_job(
            self,
            job: Job,
            retry_at: Any = None,
            priority: int | None = None,
            queue: str | None = None,
            lock: str | None = None,
        ) -> None:
            note = self.notes.pop(job.id or 0, None) or Note("given-back")
            again = {"job_id": job.id, "retry_at": retry_at, "new_priority": priority, "new_queue_name": queue, "new_lock": lock}
            try:
                await self._settle(job, note, str(sql.queries["retry_job"]), again)
            except (
                psycopg.errors.UniqueViolation
            ):  # the same work waits already, put in by somebody else: this job has become idle
                await self._settle(
                    job,
                    Note("nothing"),
                    str(sql.queries["finish_job"]),
                    {"job_id": job.id, "status": Status.SUCCEEDED.value, "delete_job": False},
                )

        async def _settle(self, job: Job, note: Note, statement: str, values: dict[str, Any]) -> None:
            """Write a job's new state and its note. A worker that was taken for dead may find that another has the job by now."""
            assert job.id is not None
            for attempt in range(_TRIES):
                try:
                    async with self.connector.pool.connection() as conn:  # type: ignore[attr-defined]
                        await _write(conn, job.id, job.queue, note, statement, values)
                    return
                except (psycopg.errors.RaiseException, psycopg.errors.ForeignKeyViolation):
                    return  # not ours any more, or put in anew
                except psycopg.OperationalError:
                    if attempt == _TRIES - 1:
                        raise
                    await asyncio.sleep(_PAUSE * 2**attempt)

        async def rescue(self, silent: float, most: int) -> int:
            """Put back the jobs of workers that fell silent; returns how many. One worker at a time does it for all.

            Where the server was started anew after a job was begun, its worker lost the connection: that counts as no try.

            Args:
                silent: a worker is taken for dead after so many seconds without a sign of life.
                most: a job that was begun so often is given up: it may be what kills its workers.
            """
            async with self.connector.pool.connection() as conn:  # type: ignore[attr-defined]
                found = await (await conn.execute("SELECT pg_catalog.pg_try_advisory_xact_lock(%s)", (_RESCUING,))).fetchone()
                if found != (True,):
                    return 0
                await conn.execute(str(sql.queries["prune_stalled_workers"]), {"seconds_since_heartbeat": silent})
                wanted = {"queue": None, "task_name": None, "seconds_since_heartbeat": silent}
                async with conn.cursor() as cursor:
                    await cursor.execute(str(sql.queries["select_stalled_jobs_by_heartbeat"]), wanted)
                    names = [item[0] for item in cursor.description or ()]
                    jobs = [Job.from_row(dict(zip(names, row, strict=True))) for row in await cursor.fetchall()]
                older = await conn.execute(
                    f"SELECT job_id FROM {EVENTS} WHERE job_id = ANY(%s) AND type = 'started' GROUP BY job_id "
                    "HAVING max(at) < pg_catalog.pg_postmaster_start_time()",
                    ([job.id for job in jobs],),
                )
                spared = {row[0] for row in await older.fetchall()}
                for job in jobs:
                    assert job.id is not None
                    if job.attempts >= most and job.id not in spared:
                        told = f"its workers fell silent, killed or cut off, at the last of {job.attempts + 1} tries"
                        note, statement = Note("failed", "worker", told), str(sql.queries["finish_job"])
                        values: dict[str, Any] = {"job_id": job.id, "status": Status.FAILED.value, "delete_job": False}
                    else:
                        note, statement = (
                            Note("retrying", "worker", "its worker fell silent, killed or cut off", counts=job.id not in spared),
                            str(sql.queries["retry_job"]),
                        )
                        values = {
                            "job_id": job.id,
                            "retry_at": None,
                            "new_priority": None,
                            "new_queue_name": None,
                            "new_lock": None,
                        }
                    try:
                        async with conn.transaction():
                            await _write(conn, job.id, job.queue, note, statement, values)
                    except (psycopg.errors.RaiseException, psycopg.errors.UniqueViolation):
                        continue
            return len(jobs)

    app = App(connector=connector(params))
    manager = Jobs(app.connector)
    app.job_manager = manager
    app.task(name=TASK, pass_context=True, retry=Retry())(work)
    return app, manager


async def _write(conn: Any, job: int, queue: str, note: Note, statement: str, values: Mapping[str, Any]) -> None:
    await conn.execute(statement, values)
    given_back = note.status == "given-back"
    if given_back or not note.counts:
        await conn.execute(
            f"UPDATE {JOBS} SET attempts = attempts - 1 WHERE id = %s AND status = 'todo' AND attempts > 0", (job,)
        )
    if given_back:
        await conn.execute(f"DELETE FROM {NOTES} WHERE job_id = %s AND status <> 'retrying'", (job,))
    else:
        await conn.execute(_NOTE, note.values(job, queue))


__all__ = ["POOL", "GivenUp", "Note", "TryAgain", "connector", "make_app", "quiet"]
