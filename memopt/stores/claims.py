"""Claims: which users of a store a run is working on, so that two runs at one time never work on the same user.

A claim is a lock of the operating system on one byte of the store's own file, far behind anything that SQLite or data will ever
reach: SQLite locks bytes from 2^30 on, and its files end before 2^48. Nothing is written, nothing is left beside the file, and
the lock goes with the process, however that ends, so there is no stale lock. Runs under different accounts, in containers
with a ``/tmp`` of their own, or on hosts that share the file see each other, which a lock file in a temporary folder would not
give.

The byte's place is a hash of table and user. Two users whose places are equal (one in 2^61) would wait for each other, no more.

The locks are those of open files (``F_OFD_SETLK``), not POSIX locks: they do not end when another descriptor of the file is
closed, and SQLite's own are not touched. A descriptor is never closed while the process lives, because closing it would
take away SQLite's POSIX locks on the same file; it is used again by the next run instead.
"""

from __future__ import annotations

import errno
import os
import struct
import threading
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from memopt.errors import StoreError

_BEGINS = 2**61
_SPREAD = 2**61
_BUSY = {errno.EACCES, errno.EAGAIN}

_free: dict[tuple[int, int], list[int]] = {}
_guard = threading.Lock()


def place_of(table: str, user_id: str | None) -> int:
    """The byte that stands for a user: 2^61 to 2^62."""
    kind = "-" if user_id is None else "+"
    digest = sha256(f"{table}\x1f{kind}{user_id or ''}".encode("utf-8", "surrogatepass")).digest()
    return _BEGINS + int.from_bytes(digest[:8], "big") % _SPREAD


class Claims:
    """The claims of one run on one file. Threads may share it.

    On a system without locks of open files (Windows) every claim is granted.

    Raises:
        StoreError: the file cannot be opened for writing.
    """

    def __init__(self, path: Path, table: str) -> None:
        self._path, self._table = path, table
        self._mine: dict[str | None, int] = {}
        self._key = (0, 0)
        self._handle: int | None = None
        try:
            self._handle = self._open() if _set_lock is not None else None
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error

    def _open(self) -> int:
        found = self._path.stat()
        self._key = (found.st_dev, found.st_ino)
        with _guard:
            waiting = _free.get(self._key)
            return waiting.pop() if waiting else os.open(self._path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))

    def take(self, user_id: str | None) -> bool:
        """Claim a user; False where another run has it, or this one already."""
        with _guard:
            if user_id in self._mine:
                return False
            place = place_of(self._table, user_id)
            if self._handle is not None and not self._lock(place, True):
                return False
            self._mine[user_id] = place
            return True

    def give(self, user_id: str | None) -> None:
        """Give a user back."""
        with _guard:
            place = self._mine.pop(user_id, None)
            if place is not None and self._handle is not None and place not in self._mine.values():
                self._lock(place, False)

    def close(self) -> None:
        """Give every user back."""
        for user_id in list(self._mine):
            self.give(user_id)
        with _guard:
            if self._handle is not None:
                _free.setdefault(self._key, []).append(self._handle)
                self._handle = None

    def _lock(self, place: int, wanted: bool) -> bool:
        assert self._handle is not None and _set_lock is not None
        try:
            _set_lock(self._handle, place, wanted)
        except OSError as error:
            if error.errno in _BUSY:
                return False
            raise StoreError(f"{self._path} lies where files cannot be locked: {error.strerror or error}") from error
        return True


def _find_set_lock() -> Callable[[int, int, bool], None] | None:
    try:
        import fcntl
    except ImportError:
        return None
    command = getattr(fcntl, "F_OFD_SETLK", None)
    if command is None:
        return None

    def set_lock(handle: int, place: int, wanted: bool) -> None:
        # struct flock: l_type, l_whence, l_start, l_len, l_pid (0 for locks of open files)
        kind = fcntl.F_WRLCK if wanted else fcntl.F_UNLCK
        fcntl.fcntl(handle, command, struct.pack("hhqqi0q", kind, os.SEEK_SET, place, 1, 0))

    return set_lock


_set_lock = _find_set_lock()
