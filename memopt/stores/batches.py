"""The file in which a batch of requests is remembered until its plans are made: an SQLite file of memopt's own.

Tables
------
``head``      one row: a JSON object with ``format``, ``version`` and all that decides what is made of the answers.
``users``     one a user, in the order of export: ``place``, ``user_id`` (a JSON text, as ids may be no UTF-8), ``state`` (digest
              of the memories that the requests tell), ``at`` (when those were read, epoch seconds).
``requests``  one a request: ``id``, ``place`` of its user (NULL where the user's memories moved on), ``round``, ``tokens`` (of
              the request, counted), ``reply`` (NULL: none yet), ``failed`` (whether the reply is an error; one that was taken
              back leaves this), ``came`` (with which import), ``prompt_tokens`` and ``completion_tokens`` (as the service
              counted them), ``broken`` (a result line of it could not be read).

Replies tell what memories tell, so only its owner may read the file. Whoever changes it does so in one transaction.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memopt.errors import PlanFileError, StoreError, StoreLocked, UsageError
from memopt.stores.sqlite import reading, translate, writing

FORMAT = "memopt.batch"
VERSION = 1
SUFFIX = ".batch"
_TIMEOUT = 1.0
_TOGETHER = 500

_SCHEMA = (
    "CREATE TABLE head (value TEXT NOT NULL)",
    "CREATE TABLE users (place INTEGER PRIMARY KEY, user_id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, at INTEGER NOT NULL)",
    "CREATE TABLE requests (id TEXT PRIMARY KEY, place INTEGER, round INTEGER NOT NULL, tokens INTEGER NOT NULL, reply TEXT, "
    "failed INTEGER NOT NULL DEFAULT 0, came INTEGER, prompt_tokens INTEGER, completion_tokens INTEGER, "
    "broken INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX requests_place ON requests (place)",
)


@dataclass(frozen=True, slots=True)
class BatchUser:
    """One user of a batch. ``state``: of the memories that its requests tell; ``at``: when those were read (epoch seconds)."""

    place: int
    user_id: str
    state: str
    at: int


@dataclass(frozen=True, slots=True)
class Sums:
    """What a batch asked for by now: requests, tokens of those that have no counted reply, tokens as the service counted them."""

    requests: int
    waiting_tokens: int
    prompt_tokens: int
    completion_tokens: int


class BatchFile:
    """The file of a batch, inside a transaction."""

    def __init__(self, conn: sqlite3.Connection, path: Path) -> None:
        self._conn, self.path = conn, path
        self.head = _head(conn, path)
        self.imports = int(conn.execute("SELECT coalesce(max(came), 0) FROM requests").fetchone()[0])
        self.round = int(conn.execute("SELECT coalesce(max(round), 0) FROM requests").fetchone()[0])

    # -- users ---------------------------------------------------------------------------------------------------------

    def add_user(self, user_id: str, state: str, at: int) -> int:
        """Add a user, or start one anew whose memories moved on. Returns the user's place."""
        known = self.user(user_id)
        if known is None:
            sql = "INSERT INTO users (user_id, state, at) VALUES (?, ?, ?)"
            return int(self._conn.execute(sql, (json.dumps(user_id), state, at)).lastrowid or 0)
        if known.state != state:
            self._conn.execute("UPDATE requests SET place = NULL WHERE place = ?", (known.place,))
        self._conn.execute("UPDATE users SET state = ?, at = ? WHERE place = ?", (state, at, known.place))
        return known.place

    def user(self, user_id: str) -> BatchUser | None:
        """One user; None where it is not part of the batch."""
        sql = "SELECT place, user_id, state, at FROM users WHERE user_id = ?"
        row = self._conn.execute(sql, (json.dumps(user_id),)).fetchone()
        return None if row is None else _user(row)

    def users(self) -> Iterator[BatchUser]:
        """All users, in the order of export. The file may be changed meanwhile."""
        place = 0
        sql = "SELECT place, user_id, state, at FROM users WHERE place > ? ORDER BY place LIMIT ?"
        while rows := self._conn.execute(sql, (place, _TOGETHER)).fetchall():
            yield from map(_user, rows)
            place = rows[-1][0]

    def count_users(self) -> int:
        """How many there are."""
        return int(self._conn.execute("SELECT count(*) FROM users").fetchone()[0])

    # -- requests ------------------------------------------------------------------------------------------------------

    def issue(self, request_id: str, place: int, round_: int, tokens: int) -> None:
        """Note that a request is written to a file."""
        sql = (
            "INSERT INTO requests (id, place, round, tokens) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET place = excluded.place, round = excluded.round, failed = 0, broken = 0"
        )
        self._conn.execute(sql, (request_id, place, round_, tokens))

    def waiting(self, request_id: str) -> bool:
        """Whether a request was written to a file, and nothing came back for it."""
        sql = "SELECT 1 FROM requests WHERE id = ? AND reply IS NULL AND NOT failed"
        return self._conn.execute(sql, (request_id,)).fetchone() is not None

    def broken(self, request_id: str) -> bool:
        """Whether a result line of a request could not be read."""
        row = self._conn.execute("SELECT broken FROM requests WHERE id = ?", (request_id,)).fetchone()
        return row is not None and bool(row[0])

    def reply(self, request_id: str) -> str | None:
        """The reply to a request; None where there is none."""
        try:
            row = self._conn.execute("SELECT reply FROM requests WHERE id = ?", (request_id,)).fetchone()
        except sqlite3.Error as error:  # asked for while a strategy runs, which is not to be blamed for it
            raise translate(error, self.path, waited=_TIMEOUT) from error
        return None if row is None else row[0]

    def take(self, request_id: str, reply: str, *, failed: bool, tokens: tuple[int | None, int | None]) -> str:
        """Keep a reply.

        Returns:
            ``new``; ``again`` where the same was kept already; ``instead`` where it takes the place of an error; ``other`` where
            another one was kept already, which stays; ``outdated`` where the user's memories moved on; ``unknown`` where nothing
            such was asked.
        """
        sql = "SELECT place, reply, failed FROM requests WHERE id = ?"
        row = self._conn.execute(sql, (request_id,)).fetchone()
        if row is None:
            return "unknown"
        place, kept, was_failure = row
        if place is None:
            return "outdated"
        if kept == reply:
            return "again"
        if kept is not None and (failed or not was_failure):
            return "other"
        sql = (
            "UPDATE requests SET reply = ?, failed = ?, came = ?, prompt_tokens = ?, completion_tokens = ?, broken = 0 "
            "WHERE id = ?"
        )
        self._conn.execute(sql, (reply, int(failed), self.imports + 1, *tokens, request_id))
        return "new" if kept is None else "instead"

    def note_broken(self, request_id: str) -> bool:
        """Note that a result line of a request could not be read. False where nothing such was asked."""
        sql = "UPDATE requests SET broken = (reply IS NULL) WHERE id = ?"
        return self._conn.execute(sql, (request_id,)).rowcount > 0

    def forget_failures(self, request_ids: Iterable[str]) -> int:
        """Take back replies that are errors, so that those requests can be asked again. Returns how many."""
        sql = "UPDATE requests SET reply = NULL WHERE id = ? AND failed AND reply IS NOT NULL"
        return sum(self._conn.execute(sql, (each,)).rowcount for each in request_ids)

    def latest_replies(self, place: int) -> list[str]:
        """The requests of a user that were answered last, all with one import; none where some of the user's ever failed."""
        sql = (
            "SELECT id FROM requests WHERE place = :place AND reply IS NOT NULL AND came = "
            "(SELECT max(came) FROM requests WHERE place = :place AND reply IS NOT NULL) "
            "AND NOT EXISTS (SELECT 1 FROM requests WHERE place = :place AND failed)"
        )
        return [row[0] for row in self._conn.execute(sql, {"place": place})]

    def sums(self) -> Sums:
        """What was asked for by now."""
        sql = (
            "SELECT count(*), coalesce(sum(tokens) FILTER (WHERE prompt_tokens IS NULL), 0), coalesce(sum(prompt_tokens), 0), "
            "coalesce(sum(completion_tokens), 0) FROM requests"
        )
        return Sums(*map(int, self._conn.execute(sql).fetchone()))


def _user(row: tuple[Any, ...]) -> BatchUser:
    return BatchUser(int(row[0]), json.loads(row[1]), str(row[2]), int(row[3]))


def _head(conn: sqlite3.Connection, path: Path) -> dict[str, Any]:
    try:
        row = conn.execute("SELECT value FROM head").fetchone()
        head = json.loads(row[0]) if row else None
    except (sqlite3.Error, ValueError, TypeError):
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise UsageError(f"{path} is not a batch that memopt batch export made")
    if head.get("version") != VERSION:
        raise PlanFileError(f"{path} is of another version of memopt; export anew")
    return head


@contextmanager
def new_batch(path: Path, head: Mapping[str, Any]) -> Iterator[BatchFile]:
    """A new file, which takes its place when the block ends well; else nothing is left of it.

    Raises:
        UsageError: there is a file of that name, or none can be made.
    """
    path = path.absolute()
    if path.exists():
        raise UsageError(f"{path} is there already, perhaps with answers in it; name another --out, or delete it")
    temporary = path.with_name(f".memopt-{os.getpid()}-{path.name}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        os.close(os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise UsageError(f"{path} cannot be made: {error.strerror or error}") from None
    try:
        with writing(temporary, _TIMEOUT) as conn:
            for statement in _SCHEMA:
                conn.execute(statement)
            conn.execute("INSERT INTO head VALUES (?)", (json.dumps({"format": FORMAT, "version": VERSION, **head}),))
            yield BatchFile(conn, path)
        try:
            os.link(temporary, path)  # unlike a rename, it overwrites nothing
        except FileExistsError:
            raise UsageError(f"{path} was made by somebody else meanwhile; nothing was exported") from None
        except OSError:  # a file system without links
            temporary.rename(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be made: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def open_batch(path: Path) -> Iterator[BatchFile]:
    """The file of a batch, to be read and written: what the block did is kept if it ends well, else nothing of it.

    Raises:
        UsageError: it is not there, or is something else.
        PlanFileError: it is of another version.
        StoreLocked: another process is working on it.
    """
    path = path.absolute()
    if not path.is_file():
        raise UsageError(f"there is no batch {path}; memopt batch export makes one")
    with ExitStack() as stack:
        try:
            conn = stack.enter_context(writing(path, _TIMEOUT))
        except StoreLocked:
            raise StoreLocked(f"another memopt batch import is working on {path}; try again when it is done") from None
        yield BatchFile(conn, path)


def batch_id(path: Path) -> str | None:
    """The id of the batch in a file; None where it holds none."""
    try:
        with reading(path.absolute(), _TIMEOUT) as conn:
            return str(_head(conn, path).get("id"))
    except (StoreError, UsageError, PlanFileError):
        return None
