"""Claims on users of a Postgres store: which users a run is working on, so that two runs never work on the same user.

A claim is an advisory lock of a session of its own. It is there for all machines that work on the database, and goes with the
session, however that ends: there is no stale one. It needs no right and writes nothing. A pooler that gives every transaction
another session (PgBouncer in transaction mode) cannot keep it; then only the lock and the comparison of each apply hold two runs
apart.
"""

from __future__ import annotations

import threading

from memopt.errors import MemoptError
from memopt.stores.postgres import Server, lock_number, translate


class Claims:
    """The claims of one run on one table. Threads may share it.

    Raises:
        StoreError: the database cannot be reached.
    """

    def __init__(self, server: Server, table: str) -> None:
        self._server, self._table = server, table
        self._guard = threading.Lock()
        self._mine: set[str | None] = set()
        self._session = server.session()

    def take(self, user_id: str | None) -> bool:
        """Claim a user; False where another run has it, or this one already."""
        with self._guard:
            if user_id in self._mine or not self._lock(user_id):
                return False
            self._mine.add(user_id)
            return True

    def give(self, user_id: str | None) -> None:
        """Give a user back."""
        import psycopg

        with self._guard:
            if user_id not in self._mine:
                return
            self._mine.discard(user_id)
            try:
                self._session.execute("SELECT pg_catalog.pg_advisory_unlock(%s)", (self._number(user_id),))
            except psycopg.Error:
                self._session.close()  # which gives back all; the next claim takes the others again

    def close(self) -> None:
        """Give every user back."""
        with self._guard:
            self._mine.clear()
            self._session.close()

    def _number(self, user_id: str | None) -> int:
        # Not the number of an apply, which is taken in another session of the same run.
        return lock_number("claim", self._table, user_id)

    def _lock(self, user_id: str | None) -> bool:
        import psycopg

        sql = "SELECT pg_catalog.pg_try_advisory_lock(%s)"
        for last in (False, True):
            try:
                if self._session.closed:
                    self._again(sql)
                row = self._session.execute(sql, (self._number(user_id),)).fetchone()
                return bool(row and row[0])
            except psycopg.OperationalError as error:
                self._session.close()
                if last:
                    raise self._lost(error) from error
        raise AssertionError

    def _again(self, sql: str) -> None:
        """A new session after one that was lost, with the same claims as far as nobody else took them meanwhile."""
        self._session = self._server.session()
        for user_id in self._mine:
            self._session.execute(sql, (self._number(user_id),))

    def _lost(self, error: Exception) -> MemoptError:
        import psycopg

        assert isinstance(error, psycopg.Error)
        return translate(error, self._server.where, waited=0)
