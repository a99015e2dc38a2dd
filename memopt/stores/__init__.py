"""Stores: one file a framework format. ``open_store`` turns a path or URL into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memopt.errors import UsageError

if TYPE_CHECKING:
    from memopt.plan import StoreRef
    from memopt.stores.base import MemoryStore

DEFAULT_LOCK_TIMEOUT = 5.0
GROUP = "memopt.stores"


def open_store(url: str, table: str | None = None, lock_timeout: float = DEFAULT_LOCK_TIMEOUT) -> MemoryStore:
    """The store at a path or URL. Nothing is created; the file is looked at, and not changed.

    Args:
        url: a path, or ``sqlite:///relative.db`` / ``sqlite:////absolute.db`` as SQLAlchemy writes them; for Postgres a URL
            (``postgresql://``, ``postgres://``, ``postgresql+driver://``) or libpq's ``key=value`` text (``service=mem``).
            Another scheme is looked up among installed plugins (entry-point group ``memopt.stores``, named after the scheme).
        table: the memory table, where there are several; in Postgres ``schema.table`` or its name alone.
        lock_timeout: how long to wait for another process's lock, seconds.

    Raises:
        UsageError: an unknown kind of URL, a table that is not there, or several tables and none named.
        StoreError: the file is missing, is no SQLite database, or holds no memory table; or a plugin is broken.
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
            return _plugin(scheme, url, table, lock_timeout)
        url = rest.removeprefix("/").partition("?")[0]
        if not url or url == ":memory:":
            raise UsageError("a database in memory cannot be opened from outside; name a file")
    from memopt.stores.agno_sqlite import AgnoSqliteStore

    return AgnoSqliteStore(url, table=table, lock_timeout=lock_timeout)


def unopened(url: str, table: str | None = None) -> StoreRef:
    """What can be said of a store that was not opened, without any secret: the file, the server, or a plugin's scheme."""
    from memopt.plan import StoreRef
    from memopt.stores.postgres import is_address, public

    scheme, separator, rest = url.partition("://")
    if is_address(url):
        location = public(url)
    elif separator:
        location = rest.removeprefix("/").partition("?")[0] if scheme.partition("+")[0] == "sqlite" else f"{scheme}://"
    else:
        location = url
    return StoreRef("", location, table or "")


def _plugin(scheme: str, url: str, table: str | None, lock_timeout: float) -> MemoryStore:
    """The store that an installed package offers for URLs of this scheme: ``entry point(url, table=..., lock_timeout=...)``."""
    from importlib.metadata import entry_points

    from memopt.errors import MemoptError, StoreError
    from memopt.stores.base import MemoryStore

    offered = entry_points(group=GROUP)
    found = next((each for each in offered if each.name == scheme), None)
    if found is None:
        plugins = "".join(f", {name}://" for name in sorted({each.name for each in offered}))
        raise UsageError(
            f"no store for {scheme}:// URLs; memopt reads Agno's SQLite files (a path or sqlite:///path) and Postgres{plugins}"
        )
    try:
        store = found.load()(url, table=table, lock_timeout=lock_timeout)
    except MemoptError:
        raise
    except Exception as error:
        said = " ".join(str(error).split()) or "no message"
        raise StoreError(f"the store plugin {scheme} ({found.value}) failed: {type(error).__name__}: {said}") from error
    if not isinstance(store, MemoryStore):
        raise StoreError(f"the store plugin {scheme} ({found.value}) made a {type(store).__name__} and not a memopt MemoryStore")
    return store
