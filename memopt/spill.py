"""Lists that may be longer than memory, in a temporary file: texts in order of a number, and places by a key.

Both are temporary SQLite databases, which keep about two megabytes in memory and the rest in a nameless file of the folder for
temporary files (``SQLITE_TMPDIR``, ``TMPDIR``). It goes with the process, however that ends.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from memopt.errors import MemoptError

_AT_A_TIME = 256


class Spill:
    """Texts with a number each. Threads may share it, one at a time."""

    def __init__(self) -> None:
        self._conn = _temporary("CREATE TABLE item (place INTEGER PRIMARY KEY, number REAL NOT NULL, text BLOB NOT NULL)")
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, text: str, number: float = 0.0) -> None:
        """Add a text. Raises MemoptError where the temporary file cannot grow."""
        with _told():
            self._conn.execute("INSERT INTO item (number, text) VALUES (?, ?)", (number, text.encode("utf-8", "surrogatepass")))
        self._count += 1

    def in_order(self, most: int | None = None, *, backwards: bool = False) -> Iterator[str]:
        """The texts, the smallest number first, equal ones as they came; at most so many. Nothing may be added meanwhile.

        Args:
            backwards: the same texts from the last of them to the first.
        """
        sql = "SELECT number, place, text FROM item ORDER BY number, place LIMIT ?"
        sql = f"SELECT text FROM ({sql}) ORDER BY number DESC, place DESC" if backwards else sql.replace("number, place, ", "", 1)
        with _told():
            cursor = self._conn.execute(sql, (-1 if most is None else most,))
            while rows := cursor.fetchmany(_AT_A_TIME):
                for (text,) in rows:
                    yield text.decode("utf-8", "surrogatepass")

    def close(self) -> None:
        """Give the temporary file back."""
        self._conn.close()


class Places:
    """The last place that was noted under each key."""

    def __init__(self) -> None:
        self._conn = _temporary("CREATE TABLE item (key BLOB PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID")

    def note(self, key: bytes, place: int) -> None:
        """Note a place, instead of an earlier one. Raises MemoptError where the temporary file cannot grow."""
        with _told():
            self._conn.execute("INSERT OR REPLACE INTO item VALUES (?, ?)", (key, place))

    def find(self, key: bytes) -> int | None:
        """The place under a key, or None."""
        with _told():
            row = self._conn.execute("SELECT place FROM item WHERE key = ?", (key,)).fetchone()
        return None if row is None else int(row[0])

    def close(self) -> None:
        """Give the temporary file back."""
        self._conn.close()


def _temporary(table: str) -> sqlite3.Connection:
    with _told():
        conn = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        conn.execute("PRAGMA journal_mode = OFF").fetchone()
        conn.execute("PRAGMA synchronous = OFF")
        conn.execute("PRAGMA cache_size = -2000")  # KiB
        conn.execute(table)
        conn.execute("BEGIN")  # one, without end: nothing of it is ever to outlive the process
        return conn


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise MemoptError(
            f"a temporary file could not be written or read ({error}); the folder for temporary files may be full, and "
            "SQLITE_TMPDIR can name one that has room"
        ) from error
