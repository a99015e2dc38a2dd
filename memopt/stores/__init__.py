"""Stores: one file a framework format. ``open_store`` turns a path or URL into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memopt.errors import UsageError

if TYPE_CHECKING:
    from memopt.stores.base import MemoryStore

DEFAULT_LOCK_TIMEOUT = 5.0


def open_store(url: str, table: str | None = None, lock_timeout: float = DEFAULT_LOCK_TIMEOUT) -> MemoryStore:
    """The store at a path or URL. Nothing is created; the file is looked at, and not changed.

    Args:
        url: a path, or ``sqlite:///relative.db`` / ``sqlite:////absolute.db`` as SQLAlchemy writes them; for Postgres a URL
            (``postgresql://``, ``postgres://``, ``postgresql+driver://``) or libpq's ``key=value`` text (``service=mem``).
        table: the memory table, where there are several; in Postgres ``schema.table`` or its name alone.
        lock_timeout: how long to wait for another process's lock, seconds.

    Raises:
        UsageError: an unknown kind of URL, a table that is not there, or several tables and none named.
        StoreError: the file is missing, is no SQLite database, or holds no memory table.
    """
    from memopt.stores.postgres import is_address

    if not url.strip():
        raise UsageError("the database is an empty text; name a file with --db")
    if is_address(url):
        from memopt.stores.agno_postgres import AgnoPostgresStore

        return AgnoPostgresStore(url, table=table, lock_timeout=lock_timeout)
    scheme, separator, rest = url.partition("://")
    if separator and scheme.isascii() and scheme.replace("+", "").isalnum():
        if scheme.partition("+")[0] != "sqlite":
            raise UsageError(
                f"no store for {scheme}:// URLs; memopt reads Agno's SQLite files (a path or sqlite:///path) and Postgres"
            )
        url = rest.removeprefix("/").partition("?")[0]
        if not url or url == ":memory:":
            raise UsageError("a database in memory cannot be opened from outside; name a file")
    from memopt.stores.agno_sqlite import AgnoSqliteStore

    return AgnoSqliteStore(url, table=table, lock_timeout=lock_timeout)
