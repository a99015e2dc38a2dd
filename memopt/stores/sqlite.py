"""Opening SQLite files that belong to somebody else.

Looking must not write. A read-only connection alone does not promise that: on a file in WAL mode that nobody holds open,
SQLite creates ``-wal`` and ``-shm`` beside it and a read-only connection cannot remove them; on a file whose last writer died, it
must roll back first. In both cases a private copy is read instead, taken only while nobody writes. A file that a
running agent holds open is read in place, with the agent's committed rows.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from memopt.errors import Interrupted, MemoptError, StoreError, StoreLocked

_MAGIC = b"SQLite format 3\0"
_WAL = 2
_ROLLBACK = 1
_QUIET_SECONDS = 0.012  # file times may be as coarse as a clock tick (10 ms); younger changes could hide behind one
_TRIES = 50
_TOO_LATE = "interrupted, but the change was already written; see memopt history, and memopt undo takes it back"

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_NEEDS_RECOVERY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN}


def quote_name(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def resolve(path: str | os.PathLike[str]) -> Path:
    """The absolute path with symbolic links resolved. Raises StoreError where there is no such file."""
    shown = os.fspath(path)
    try:
        # not Path.expanduser, which takes "./~name" for somebody's home folder
        resolved = Path(os.path.realpath(os.path.expanduser(shown)))  # noqa: PTH111
        kind = resolved.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise StoreError(f"{shown}: there is no such file") from None
    except OSError as error:
        raise StoreError(f"{shown} cannot be opened: {error.strerror or error}") from error
    except (ValueError, RuntimeError) as error:  # a NUL in the name; "~somebody" who is not there
        raise StoreError(f"{shown!r} names no file: {error}") from error
    if stat.S_ISDIR(kind):
        raise StoreError(f"{shown} is a directory, not an SQLite file")
    if not stat.S_ISREG(kind):  # a pipe would be waited for without end
        raise StoreError(f"{shown} is not a regular file")
    return resolved


def translate(error: sqlite3.Error, path: Path, *, waited: float, hint: str = "") -> MemoptError:
    """SQLite's error as one of ours, in one line."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in _BUSY:
        return StoreLocked(
            f"{path} is locked by another process (a running agent, a backup or an open transaction) and stayed so for "
            f"{waited:g} s; try again, or wait longer with --lock-timeout"
        )
    if code == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{path} is not an SQLite database, or it is encrypted")
    if code == sqlite3.SQLITE_READONLY:
        return StoreError(f"{path} cannot be written: {error}")
    if code == sqlite3.SQLITE_FULL:
        return StoreError(f"{path} cannot grow: the disk may be full ({error}); nothing was written. Make room and try again")
    if code == sqlite3.SQLITE_IOERR:  # SQLite's word for a full disk as well, where a file beside the database cannot grow
        return StoreError(
            f"{path} cannot be read or written: the disk may be full, or fail ({error}); nothing was written. "
            "Make room, or look at the system's log"
        )
    return StoreError(f"{path}: {error}{hint}")


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def fetch_all(conn: sqlite3.Connection, sql: str, values: tuple[Any, ...]) -> list[Any]:
    """All rows of a query. Text that is not UTF-8 comes with its bytes escaped; looking for it costs only where there is some."""
    conn.text_factory = str
    try:
        return conn.execute(sql, values).fetchall()
    except sqlite3.OperationalError as error:
        if "decode to UTF-8" not in str(error):
            raise
    finally:
        conn.text_factory = _text
    return conn.execute(sql, values).fetchall()


def connect(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    """Open a file in autocommit mode; ``mode`` is that of SQLite's URIs (``ro``, ``rw``)."""
    # The path is quoted: a "?", "#" or "%" in a file's name would otherwise change which file is opened, and how.
    name = quote(os.fsencode(path).lstrip(b"/"))
    # A connection that is kept (``Kept``) serves several threads, one at a time.
    conn = sqlite3.connect(f"file:/{name}?mode={mode}", uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)
    conn.text_factory = _text
    return conn


@contextmanager
def reading(path: Path, timeout: float) -> Iterator[sqlite3.Connection]:
    """A connection that sees all committed rows and leaves no trace, inside one read transaction.

    Args:
        path: a resolved path.
        timeout: how long to wait for a lock, seconds.

    Raises:
        StoreError: the file cannot be opened or read; StoreLocked where it stayed locked. Errors of SQLite inside the block are
            translated too.
    """
    try:
        with _open_to_read(path, timeout) as conn:
            yield conn
    except sqlite3.Error as error:
        raise translate(error, path, waited=timeout) from error
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error


@contextmanager
def _open_to_read(path: Path, timeout: float) -> Iterator[sqlite3.Connection]:
    conn: sqlite3.Connection | None
    for _ in range(_TRIES):
        header = _header(path)
        if _WAL not in header[18:20]:
            conn = connect(path, "ro", timeout)
            try:
                _begin(conn)
            except sqlite3.OperationalError as error:
                conn.close()
                if ((error.sqlite_errorcode or 0) & 0xFF) not in _NEEDS_RECOVERY:
                    raise
                conn = None
            if conn is None:
                conn = _private_copy(path, timeout)
        elif _size(beside(path, "-wal")) and beside(path, "-shm").exists():
            conn = connect(path, "ro", timeout)
            try:
                _begin(conn)
            except BaseException:
                conn.close()
                raise
        else:
            conn = _private_copy(path, timeout)
        if conn is not None:
            with closing(conn):
                yield conn
            return
    raise StoreError(f"{path} is being written without a pause; try again")


def _begin(conn: sqlite3.Connection) -> None:
    conn.execute("BEGIN")
    conn.execute("SELECT count(*) FROM sqlite_master").fetchone()


class _Descriptors:
    """Descriptors of databases, for reading their bytes without SQLite. They are kept open.

    A POSIX lock belongs to the process and goes with the first descriptor of the file that is closed, whoever opened it: closing
    one would take SQLite's locks away from every connection in this process, the agent's own included, and let somebody else
    write in the middle of their transactions (https://sqlite.org/howtocorrupt.html, 2.2).
    """

    MOST = 256

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[int, int], int] = OrderedDict()
        self._used: Counter[int] = Counter()
        self._guard = threading.Lock()

    @contextmanager
    def of(self, path: Path) -> Iterator[int]:
        """A descriptor of the file, for ``os.pread``."""
        with self._guard:
            handle = self._of(path)
            self._used[handle] += 1
        try:
            yield handle
        finally:
            with self._guard:
                self._used[handle] -= 1
                if os.name == "nt":  # no such locks there, and an open file could not be deleted
                    self._close_unused(0)

    def _of(self, path: Path) -> int:
        found = path.stat()
        key = (found.st_dev, found.st_ino)
        if key in self._open:
            self._open.move_to_end(key)
            return self._open[key]
        self._close_unused(self.MOST - 1)
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0))
        found = os.fstat(handle)
        self._open[found.st_dev, found.st_ino] = handle
        return handle

    def _close_unused(self, most: int) -> None:
        for key, handle in list(self._open.items()):
            if len(self._open) <= most:
                break
            if not self._used[handle]:
                del self._open[key], self._used[handle]
                os.close(handle)


descriptors = _Descriptors()


def read_at(handle: int, size: int, place: int) -> bytes:
    """Up to ``size`` bytes of an open file from a place on; none at its end."""
    if hasattr(os, "pread"):
        return os.pread(handle, size, place)
    os.lseek(handle, place, os.SEEK_SET)
    return os.read(handle, size)


def _copy_database(path: Path, copy: Path) -> None:
    with descriptors.of(path) as handle, copy.open("wb") as file:
        place = 0
        while piece := read_at(handle, 1 << 20, place):
            file.write(piece)
            place += len(piece)


def _header(path: Path) -> bytes:
    with descriptors.of(path) as handle:
        header = read_at(handle, 100, 0)
    if header and not header.startswith(_MAGIC):
        raise StoreError(f"{path} is not an SQLite database, or it is encrypted")
    return header


def beside(path: Path, suffix: str) -> Path:
    """The file that SQLite keeps beside a database: its name and a suffix."""
    return path.with_name(path.name + suffix)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _state(paths: list[Path]) -> list[tuple[int, int, int] | None]:
    state: list[tuple[int, int, int] | None] = []
    for path in paths:
        try:
            found = path.stat()
        except FileNotFoundError:
            state.append(None)
        else:
            state.append((found.st_ino, found.st_size, found.st_mtime_ns))
    return state


def _private_copy(path: Path, timeout: float) -> sqlite3.Connection | None:
    """A connection to a copy that only this process can see; None where somebody wrote meanwhile."""
    sides = [beside(path, "-wal"), beside(path, "-journal")]
    shm = beside(path, "-shm")
    files = [path, *sides]
    before = _state(files)
    live = bool(_size(sides[0])) and shm.exists()
    youngest = max((entry[2] for entry in before if entry is not None), default=0)
    if live or time.time_ns() - youngest < _QUIET_SECONDS * 1e9:
        time.sleep(_QUIET_SECONDS)
        return None
    folder = Path(tempfile.mkdtemp(prefix="memopt-"))
    try:
        copy = folder / "copy.db"
        _copy_database(path, copy)
        recover = False
        for side, suffix in zip(sides, ("-wal", "-journal"), strict=True):
            if _size(side):
                shutil.copyfile(side, beside(copy, suffix))
                recover = True
        if _state(files) != before:
            return None
        if recover:
            with closing(connect(copy, "rw", timeout)) as conn:
                conn.execute("PRAGMA journal_mode = DELETE").fetchone()
                conn.execute("SELECT count(*) FROM sqlite_master").fetchone()
        with copy.open("r+b") as file:
            file.seek(18)
            if _WAL in file.read(2):
                # The copy has no WAL to read, so as a file in rollback mode it says the same and needs no side files.
                file.seek(18)
                file.write(bytes([_ROLLBACK, _ROLLBACK]))
        conn = connect(copy, "ro", timeout)
        try:
            _begin(conn)
        except BaseException:
            conn.close()
            raise
        return conn
    except OSError as error:
        raise StoreError(
            f"{path} must be read through a private copy, and {folder.parent} has no room for it ({error.strerror}); "
            "set TMPDIR to a folder that has"
        ) from error
    finally:
        # An open file outlives its name, so nothing stays behind however this process ends.
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def writing(path: Path, timeout: float, *, commit: bool = True, secure: bool = False) -> Iterator[sqlite3.Connection]:
    """A connection inside ``BEGIN IMMEDIATE``; committed at the end of the block, rolled back on any exception.

    Without ``commit`` it is rolled back in any case. With ``secure``, SQLite overwrites what is deleted with zeros.

    ``BEGIN IMMEDIATE`` takes the write lock before anything is read: a transaction that reads first and writes later is refused
    at once when another process wrote in between, however long it would wait. The file's journal mode is left as it is.
    """
    conn: sqlite3.Connection | None = None
    committing = committed = False
    try:
        conn = connect(path, "rw", timeout)
        if secure:
            conn.execute("PRAGMA secure_delete = ON").fetchone()
        conn.execute("BEGIN IMMEDIATE")
        yield conn
        if commit:
            committing = True
            conn.execute("COMMIT")
            committed = True
    except KeyboardInterrupt:
        # Python delivers Ctrl-C when SQLite has returned: the commit may be done although its line "failed".
        committed = committing and conn is not None and not conn.in_transaction
        if committed:
            raise Interrupted(_TOO_LATE) from None
        raise
    except sqlite3.Error as error:
        raise translate(error, path, waited=timeout) from error
    finally:
        if conn is not None:
            try:
                if conn.in_transaction:
                    conn.execute("ROLLBACK")
                conn.close()
            except KeyboardInterrupt:
                if committed:
                    raise Interrupted(_TOO_LATE) from None
                raise


class Kept:
    """One connection to a file, kept open for work on many users. Threads may share it; they wait for each other.

    Opening a file for every user would copy a whole file in WAL mode again and again (see ``reading``). No transaction is left
    open between two users, so that the agent can write.

    Args:
        path: a resolved path.
        timeout: how long to wait for a lock, seconds.
        write: whether it may be written; else a file in WAL mode that nobody holds open is read through one private copy.

    Raises:
        StoreError: the file cannot be opened.
    """

    def __init__(self, path: Path, timeout: float, *, write: bool) -> None:
        self._path, self._timeout, self._write = path, timeout, write
        self._lock = self._read_lock = threading.RLock()
        self._open = ExitStack()
        try:
            if write:
                self._conn = self._reader = self._open.enter_context(closing(connect(path, "rw", timeout)))
                self._conn.execute("SELECT count(*) FROM sqlite_master").fetchone()
                if self._conn.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                    # Readers and the writer keep nobody waiting there, so that users are read while a commit waits for the disk.
                    # It is closed first: the last connection empties the WAL, which one that only reads could not.
                    self._reader = self._open.enter_context(closing(connect(path, "ro", timeout)))
                    self._read_lock = threading.RLock()
            else:
                self._conn = self._reader = self._open.enter_context(_open_to_read(path, timeout))
                self._conn.execute("ROLLBACK")
        except sqlite3.Error as error:
            self._open.close()
            raise translate(error, path, waited=timeout) from error
        except OSError as error:
            self._open.close()
            raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error

    def close(self) -> None:
        """Give the file back."""
        with self._lock, self._read_lock:
            self._open.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """``reading`` on the kept connection: a read transaction of its own, or the one that this thread is in already."""
        conn = self._reader
        with self._read_lock:
            if conn.in_transaction:
                yield conn
                return
            try:
                conn.execute("BEGIN")
                yield conn
            except sqlite3.Error as error:
                raise translate(error, self._path, waited=self._timeout) from error
            finally:
                if conn.in_transaction:
                    conn.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, commit: bool = True, secure: bool = False) -> Iterator[sqlite3.Connection]:
        """``writing`` on the kept connection."""
        if not self._write:
            raise StoreError(f"{self._path} was opened to be read only")
        committing = False
        with self._lock:
            try:
                if secure:
                    self._conn.execute("PRAGMA secure_delete = ON").fetchone()
                self._conn.execute("BEGIN IMMEDIATE")
                yield self._conn
                if commit:
                    committing = True
                    self._conn.execute("COMMIT")
            except KeyboardInterrupt:
                if committing and not self._conn.in_transaction:
                    raise Interrupted(_TOO_LATE) from None
                raise
            except sqlite3.Error as error:
                raise translate(error, self._path, waited=self._timeout) from error
            finally:
                if self._conn.in_transaction:
                    self._conn.execute("ROLLBACK")
                if secure:
                    self._conn.execute("PRAGMA secure_delete = OFF").fetchone()
