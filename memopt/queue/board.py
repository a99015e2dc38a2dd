"""The queue as those see it who do not work: putting jobs in, counting them, putting failed ones back, dropping old ones."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from memopt.errors import ConflictError, UsageError
from memopt.fleet import Reason, add_reason
from memopt.queue import schema
from memopt.queue.recipe import Recipe, pack_user, queueing_lock, unpack_user, user_lock
from memopt.queue.schema import EVENTS, JOBS, NOTES, RECIPES, SEARCH_PATH, WORKERS
from memopt.stores import journal_postgres as journal
from memopt.stores.postgres import Server, is_address, public, read_address

if TYPE_CHECKING:
    from memopt.stores.postgres import Connection

TASK = "memopt.user"
TOGETHER = 2_000
"""So many jobs are put in by one transaction."""
ENDED = ("applied", "unchanged", "seen", "nothing", "failed")
"""How a job may end; other notes are on jobs that wait for another try."""
DONE = ENDED[:-1]
SILENT_SECONDS = 60
_ENQUEUEING = 0x6D656D72  # advisory lock: two who enqueue at one time must see each other's jobs
_MAX_PRIORITY = 2**31 - 1
_REASONS_OF = 10_000
_PRUNED_TOGETHER = 10_000
_ENQUEUED_WITHIN = 86_400
"""Seconds; between what is to be done and the last job of it less time passes."""


@dataclass(frozen=True, slots=True)
class Deferred:
    """What became of users that were to be enqueued: jobs made, and users that have a waiting or running job of it already."""

    jobs: int = 0
    waiting: int = 0

    def __add__(self, other: Deferred) -> Deferred:
        return Deferred(self.jobs + other.jobs, self.waiting + other.waiting)


@dataclass(slots=True)
class QueueFigures:
    """The jobs of one label.

    Attributes:
        queue: the engine's queue.
        waiting: may be begun now.
        later: wait for the time of another try.
        running: a worker has them.
        ended: how many ended how (``ENDED``).
        saved: prompt tokens saved by those that changed something.
        rate: jobs done a second over the last minutes; None where none was.
        reasons: why jobs failed, and why others wait for another try.
    """

    queue: str
    label: str
    waiting: int = 0
    later: int = 0
    running: int = 0
    ended: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ENDED, 0))
    saved: int = 0
    rate: float | None = None
    failures: list[Reason] = field(default_factory=list)
    retries: list[Reason] = field(default_factory=list)

    @property
    def done(self) -> int:
        """How many ended well."""
        return sum(self.ended[name] for name in DONE)

    @property
    def failed(self) -> int:
        """How many were given up."""
        return self.ended["failed"]

    @property
    def left(self) -> int:
        """How many have not ended."""
        return self.waiting + self.later + self.running

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at this rate; None: not known."""
        return self.left / self.rate if self.rate and self.left else None


@dataclass(frozen=True, slots=True)
class WorkerFigures:
    """Workers, by their last sign of life: seen within SILENT_SECONDS, or silent for longer."""

    alive: int
    silent: int


@dataclass(frozen=True, slots=True)
class Failure:
    """A job that was given up."""

    job: int
    label: str
    user_id: str
    attempts: int
    at: float
    kind: str
    message: str


def open_board(address: str, lock_timeout: float) -> Board:
    """The queue in the database of an address; nothing is made or checked yet.

    Raises:
        UsageError: no Postgres, or an extra is missing.
        StoreError: it cannot be reached.
    """
    if not is_address(address):
        raise UsageError(
            f"the queue lives in Postgres, beside the memories: --db postgresql://..., and {public(address)} is none; "
            "memopt optimize --all-users works through any store without a queue"
        )
    schema.engine()
    return Board(Server(read_address(address), lock_timeout))


class Board:
    """The queue in one database. All methods raise StoreError where the database cannot be reached, read or written."""

    def __init__(self, server: Server) -> None:
        self.server = server

    @property
    def where(self) -> str:
        """The database, as a URL without user and password."""
        return self.server.where

    def close(self) -> None:
        """Close the connections that are kept."""
        self.server.close()

    def exists(self) -> bool:
        """Whether there is a queue."""
        with self.server.reading() as conn:
            return schema.is_there(conn)

    def check(self, *, write: bool = True) -> None:
        """Raise StoreError or UsageError where the queue cannot be used, or looked at, and say what to do."""
        with self.server.reading() as conn:
            schema.check(conn, self.where, self.server.role, write=write)

    def make(self) -> None:
        """Make the tables where they are missing, and check them.

        Raises:
            StoreError: the role may not, or the tables there do not fit.
        """
        if not self.exists():
            with self.server.writing() as conn:
                schema.make(conn, self.where, self.server.role, self.server.database)
        self.check()

    # -- putting in ----------------------------------------------------------------------------------------------------

    def register(self, recipe: Recipe) -> str:
        """Write down what is to be done; returns its id, which the jobs carry."""
        with self._writing() as conn:
            conn.execute(
                f"INSERT INTO {RECIPES} (id, queue, label, recipe) VALUES (%s, %s, %s, %s) "
                "ON CONFLICT (id) DO UPDATE SET queue = excluded.queue, label = excluded.label, recipe = excluded.recipe, "
                "made_at = now()",
                (recipe.id, recipe.queue, recipe.label, recipe.to_json()),
            )
        return recipe.id

    def recipe(self, recipe_id: str) -> Recipe:
        """What was written down. Raises ConflictError where it is not there or of another version."""
        with self._reading() as conn:
            row = conn.execute(f"SELECT recipe FROM {RECIPES} WHERE id = %s", (recipe_id,)).fetchone()
        if row is None:
            raise ConflictError(f"{self.where}: the queue does not say any more what these jobs are to do; enqueue again")
        return Recipe.from_json(row[0])

    def defer(self, recipe: Recipe, users: Iterable[tuple[str, int]], *, force: bool = False) -> Iterator[Deferred]:
        """Put a job in for each user, in pieces of TOGETHER, each a transaction; yields what became of each piece.

        A user that has a waiting or a running job of this recipe gets none. A failed one of it is replaced.

        Args:
            users: ids, each with how urgent it is (the highest is done first): prompt tokens, say.
            force: the jobs do it although nothing changed since.
        """
        from procrastinate.jobs import Job
        from procrastinate.manager import JobManager
        from procrastinate.sync_psycopg_connector import SyncPsycopgConnector

        manager = JobManager(SyncPsycopgConnector(json_dumps=_dumps))
        recipe_id = self.register(recipe)
        waiting = iter(users)
        while piece := list(islice(waiting, TOGETHER)):
            locks = {queueing_lock(recipe_id, user): (user, weight) for user, weight in piece}
            with self._writing() as conn:
                conn.execute("SELECT pg_catalog.pg_advisory_xact_lock(%s)", (_ENQUEUEING,))
                there = {
                    row[0]
                    for row in conn.execute(
                        f"SELECT queueing_lock FROM {JOBS} WHERE status IN ('todo', 'doing') AND lock = ANY(%s) "
                        "AND queueing_lock = ANY(%s)",
                        ([user_lock(recipe.table, recipe.queue, user) for user, _ in piece], list(locks)),
                    )
                }
                wanted = [item for lock, item in locks.items() if lock not in there]
                jobs = [
                    Job(
                        queue=recipe.queue,
                        task_name=TASK,
                        priority=min(max(weight, 0), _MAX_PRIORITY),
                        lock=user_lock(recipe.table, recipe.queue, user),
                        queueing_lock=queueing_lock(recipe_id, user),
                        task_kwargs={**pack_user(user), "recipe": recipe_id, **({"force": True} if force else {})},
                    )
                    for user, weight in wanted
                ]
                conn.execute(
                    f"DELETE FROM {JOBS} WHERE status = 'failed' AND queueing_lock = ANY(%s)",
                    ([job.queueing_lock for job in jobs],),
                )
                if jobs:
                    manager.batch_defer_jobs(jobs, connection=conn)
            yield Deferred(len(jobs), len(piece) - len(jobs))

    def analyze(self) -> None:
        """Let the server look at the tables again: what it knows of them is of before many jobs came. For owners only."""
        with self._writing() as conn:
            row = conn.execute(
                "SELECT pg_catalog.pg_has_role(c.relowner, 'USAGE') FROM pg_catalog.pg_class c WHERE c.oid = %s::regclass",
                (JOBS,),
            ).fetchone()
            if row and row[0]:
                conn.execute(f"ANALYZE {JOBS}")

    # -- looking -------------------------------------------------------------------------------------------------------

    def any_left(self, queues: Sequence[str] | None = None) -> bool:
        """Whether a job of these queues (None: of any) has not ended: waits for its turn or another try, or runs anywhere."""
        with self._reading() as conn:
            row = conn.execute(
                f"SELECT EXISTS (SELECT 1 FROM {JOBS} WHERE status IN ('todo', 'doing') "
                "AND (%s::text[] IS NULL OR queue_name = ANY(%s)))",
                (queues, queues),
            ).fetchone()
        return row == (True,)

    def uncount(self, jobs: Sequence[int], *, given_up: bool = False) -> int:
        """Take the last try of jobs that wait for another one back: it failed for no fault of theirs.

        Args:
            given_up: so too for those that were given up for it; they wait again.

        Returns:
            How many are no longer given up.
        """
        rows: list[tuple[int]] = []
        with self._writing() as conn:
            if given_up:
                conn.execute("SELECT pg_catalog.pg_advisory_xact_lock(%s)", (_ENQUEUEING,))
                rows = conn.execute(
                    f"UPDATE {JOBS} j SET status = 'todo' WHERE j.id = ANY(%s) AND j.status = 'failed' "
                    f"AND NOT EXISTS (SELECT 1 FROM {JOBS} o WHERE o.lock = j.lock AND o.queueing_lock = j.queueing_lock "
                    "AND o.status IN ('todo', 'doing')) RETURNING j.id",
                    (list(jobs),),
                ).fetchall()
                conn.execute(f"UPDATE {NOTES} SET status = 'retrying' WHERE job_id = ANY(%s)", ([row[0] for row in rows],))
            conn.execute(
                f"UPDATE {JOBS} SET attempts = attempts - 1 WHERE id = ANY(%s) AND status = 'todo' AND attempts > 0",
                (list(jobs),),
            )
        return len(rows)

    def queues(self) -> dict[str, str]:
        """The engine's queues, and the label of each."""
        with self._reading() as conn:
            return dict(
                conn.execute(f"SELECT DISTINCT ON (queue) queue, label FROM {RECIPES} ORDER BY queue, made_at DESC").fetchall()
            )

    def figures(self, minutes: float = 5.0) -> list[QueueFigures]:
        """The jobs of each label, those with unfinished ones first, then by name.

        Args:
            minutes: the rate is that of so many last minutes, or since the first job that ended in them, if that is shorter.
        """
        labels = self.queues()
        found: dict[str, QueueFigures] = {queue: QueueFigures(queue, label) for queue, label in labels.items()}

        def of(queue: str) -> QueueFigures:
            return found.setdefault(queue, QueueFigures(queue, queue))

        with self._reading() as conn:
            for queue, status, number, later in conn.execute(
                f"SELECT queue_name, status::text, count(*), count(*) FILTER (WHERE scheduled_at > now()) FROM {JOBS} "
                "WHERE status IN ('todo', 'doing', 'failed') GROUP BY 1, 2"
            ):
                figures = of(queue)
                if status == "todo":
                    figures.waiting, figures.later = number - later, later
                elif status == "doing":
                    figures.running = number
                else:
                    figures.ended["failed"] = number
            for queue, status, number, saved in conn.execute(
                f"SELECT queue, status, count(*), sum(tokens_before - tokens_after) FROM {NOTES} "
                "WHERE status = ANY(%s) GROUP BY 1, 2",
                (list(DONE),),
            ):
                of(queue).ended[status] = number
                of(queue).saved += int(saved or 0) if status == "applied" else 0
            for queue, rate in conn.execute(
                f"SELECT queue, count(*) / greatest(extract(epoch FROM now() - min(at)), 1)::float8 FROM {NOTES} "
                "WHERE at > now() - %s * interval '1 minute' AND status = ANY(%s) GROUP BY 1",
                (minutes, list(DONE)),
            ):
                of(queue).rate = rate
            for status, place in (("failed", "failures"), ("retrying", "retries")):
                reasons: dict[str, dict[tuple[str, str], Reason]] = {}
                for queue, args, kind, message in conn.execute(_NOTED.format(which="LIMIT %s"), (status, _REASONS_OF)):
                    add_reason(reasons.setdefault(queue, {}), unpack_user(args), kind or "failure", message or "")
                for queue, by_key in reasons.items():
                    setattr(of(queue), place, sorted(by_key.values(), key=lambda reason: -reason.users))
        listed = [figures for figures in found.values() if figures.left or figures.done or figures.failed]
        return sorted(listed, key=lambda figures: (not figures.left, figures.label))

    def workers(self) -> WorkerFigures:
        """How many workers there are."""
        with self._reading() as conn:
            row = conn.execute(
                f"SELECT count(*) FILTER (WHERE last_heartbeat > now() - %s * interval '1 second'), count(*) FROM {WORKERS}",
                (SILENT_SECONDS,),
            ).fetchone()
        return WorkerFigures(row[0], row[1] - row[0]) if row else WorkerFigures(0, 0)

    def done_since(self, job: int, recipe: Recipe, user_id: str, tried: bool = True) -> bool:
        """Whether a run of the recipe was noted on the user since the job was put in: by the job, before its worker died.

        Args:
            tried: whether the job was begun before; else that is so if there is a note on it.
        """
        with self._reading() as conn:
            if not journal.exists(conn, journal.SEEN):
                return False
            row = conn.execute(
                f"SELECT EXISTS (SELECT 1 FROM {journal.SEEN_NAME} WHERE memory_table = %s AND user_id = %s AND recipe = %s "
                f"AND at >= (SELECT date_trunc('second', min(at)) FROM {EVENTS} WHERE job_id = %s AND type = 'deferred')) "
                f"AND (%s OR EXISTS (SELECT 1 FROM {NOTES} WHERE job_id = %s))",
                (recipe.table, user_id, recipe.digest, job, tried, job),
            ).fetchone()
        return row == (True,)

    def beat(self, worker_id: int) -> bool:
        """A sign of life of a worker; False where it was taken for dead and is no longer registered."""
        from procrastinate import sql

        with self._writing() as conn:
            conn.execute("SET LOCAL synchronous_commit = off")
            conn.execute(sql.queries["update_heartbeat"], {"worker_id": worker_id})
            return conn.execute(f"SELECT 1 FROM {WORKERS} WHERE id = %s", (worker_id,)).fetchone() is not None

    def failures(self, queues: Sequence[str] | None = None) -> Iterator[Failure]:
        """The jobs that were given up, the latest first."""
        labels = self.queues()
        sql = (
            "SELECT j.id, j.queue_name, j.args, j.attempts, coalesce(n.at, now()), coalesce(n.kind, 'failure'), "
            "coalesce(n.message, '') "
            f"FROM {JOBS} j LEFT JOIN {NOTES} n ON n.job_id = j.id WHERE j.status = 'failed' "
            "AND (%s::text[] IS NULL OR j.queue_name = ANY(%s)) ORDER BY n.at DESC NULLS LAST, j.id DESC"
        )
        with self._reading() as conn, conn.cursor("memopt_failures") as cursor:
            for job, queue, args, attempts, at, kind, message in cursor.execute(sql, (queues, queues)):
                moment = at if isinstance(at, datetime) else datetime.fromisoformat(str(at))
                yield Failure(job, labels.get(queue, queue), unpack_user(args), attempts, moment.timestamp(), kind, message)

    # -- changing ------------------------------------------------------------------------------------------------------

    def retry(self, queues: Sequence[str] | None = None) -> int:
        """Put jobs that were given up back, as if they had never been tried; those that wait again already stay as they are."""
        with self._writing() as conn:
            conn.execute("SELECT pg_catalog.pg_advisory_xact_lock(%s)", (_ENQUEUEING,))
            rows = conn.execute(
                f"UPDATE {JOBS} j SET status = 'todo', attempts = 0, scheduled_at = NULL WHERE j.status = 'failed' "
                "AND (%s::text[] IS NULL OR j.queue_name = ANY(%s)) "
                f"AND NOT EXISTS (SELECT 1 FROM {JOBS} o WHERE o.lock = j.lock AND o.queueing_lock = j.queueing_lock "
                "AND o.status IN ('todo', 'doing')) "
                f"AND NOT EXISTS (SELECT 1 FROM {JOBS} o WHERE o.queueing_lock = j.queueing_lock AND o.status = 'failed' "
                "AND o.id > j.id) "
                "RETURNING j.id",
                (queues, queues),
            ).fetchall()
            conn.execute(f"DELETE FROM {NOTES} WHERE job_id = ANY(%s)", ([row[0] for row in rows],))
        return len(rows)

    def prune(self, seconds: float, *, failed_only: bool = False, queues: Sequence[str] | None = None) -> int:
        """Drop jobs that ended so long ago, with all that is known of them. Returns how many.

        What is to be done (the recipe) goes too, where no job is left that says it and none was put in for as long, a day at
        least: questions in it may tell what memories tell.
        """
        statuses = ["failed"] if failed_only else list(ENDED)
        gone = 0
        while True:
            with self._writing() as conn:
                number = conn.execute(
                    f"DELETE FROM {JOBS} WHERE status NOT IN ('todo', 'doing') AND id IN (SELECT job_id FROM {NOTES} WHERE "
                    "at < now() - %s * interval '1 second' AND status = ANY(%s) AND (%s::text[] IS NULL OR queue = ANY(%s)) "
                    "ORDER BY at LIMIT %s)",
                    (seconds, statuses, queues, queues, _PRUNED_TOGETHER),
                ).rowcount
            gone += number
            if number < _PRUNED_TOGETHER:
                break
        with self._writing() as conn:
            conn.execute(
                f"DELETE FROM {RECIPES} r WHERE made_at < now() - greatest(%s, %s) * interval '1 second' "
                "AND (%s::text[] IS NULL OR queue = ANY(%s)) "
                f"AND NOT EXISTS (SELECT 1 FROM {JOBS} j WHERE j.args ->> 'recipe' = r.id)",
                (seconds, _ENQUEUED_WITHIN, queues, queues),
            )
        return gone

    # -- connections ---------------------------------------------------------------------------------------------------

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with self.server.reading() as conn:
            conn.execute(SEARCH_PATH)
            yield conn

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self.server.writing() as conn:
            conn.execute(SEARCH_PATH)
            yield conn


_NOTED = (
    f"SELECT j.queue_name, j.args, n.kind, n.message FROM {NOTES} n JOIN {JOBS} j ON j.id = n.job_id "
    "WHERE n.status = %s ORDER BY n.at DESC {which}"
)


def _dumps(value: Any) -> str:
    # not as escapes: a database without an encoding has no characters for them
    return json.dumps(value, ensure_ascii=False)
