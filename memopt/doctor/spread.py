"""The same text at several users, found in any number of memories with the memory of a few: an external sort of digests.

Records of fixed size are gathered, sorted in pieces that go to a temporary file, and merged. The ids that belong to them lie in a
second temporary file, out of which the few that are told are read. Both files have no name and end with the process.
"""

from __future__ import annotations

import heapq
import json
import struct
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from types import TracebackType

_RECORD = struct.Struct(
    ">12sIQ"
)  # digest of the text, number of the user, place of the ids: sorted as bytes they sort by text, user
_PIECE = 100_000  # records that are sorted at a time
_AT_ONCE = 512  # records that are read of a piece at a time


@dataclass(frozen=True, slots=True)
class Shared:
    """One text that several users have.

    Attributes:
        users: how many.
        examples: user and memory id of a few of them.
    """

    users: int
    examples: tuple[tuple[str | None, str], ...]


@dataclass(slots=True)
class Spread:
    """What ``SharedTexts.result`` found.

    Attributes:
        texts: how many texts stand at more than one user.
        users: how many users the most widespread has.
        widest: the most widespread ones.
    """

    texts: int = 0
    users: int = 0
    widest: list[Shared] = field(default_factory=list)


class SharedTexts:
    """Takes users with their texts, one user at a time, and tells which texts are those of more than one.

    Use it as a context manager.

    Args:
        most: how many texts are told.
        examples: how many memories are told of each.
    """

    def __init__(self, most: int = 3, examples: int = 3) -> None:
        self._most, self._examples = most, examples
        self._open = ExitStack()
        self._ids, self._sorted = (
            self._open.enter_context(tempfile.TemporaryFile(prefix="memopt-"))  # noqa: SIM115 - closed with this object
            for _ in range(2)
        )
        self._pieces: list[tuple[int, int]] = []
        self._records: list[bytes] = []
        self._users = self._place = 0

    def __enter__(self) -> SharedTexts:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._open.close()

    def add(self, user_id: str | None, texts: Iterable[tuple[str, str]]) -> None:
        """One user's memory ids and texts."""
        known: set[bytes] = set()
        for memory_id, text in texts:
            digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
            if digest in known:
                continue
            known.add(digest)
            line = json.dumps((user_id, memory_id)).encode("ascii") + b"\n"
            self._ids.write(line)
            self._records.append(_RECORD.pack(digest, self._users, self._place))
            self._place += len(line)
            if len(self._records) >= _PIECE:
                self._put_piece()
        self._users += 1

    def _put_piece(self) -> None:
        start = self._sorted.seek(0, 2)
        self._records.sort()
        self._sorted.write(b"".join(self._records))
        self._pieces.append((start, len(self._records)))
        self._records = []

    def _piece(self, start: int, records: int) -> Iterator[bytes]:
        for done in range(0, records, _AT_ONCE):
            self._sorted.seek(start + done * _RECORD.size)
            block = self._sorted.read(min(_AT_ONCE, records - done) * _RECORD.size)
            for place in range(0, len(block), _RECORD.size):
                yield block[place : place + _RECORD.size]

    def result(self) -> Spread:
        """What was found; call it once, when all users were given."""
        self._records.sort()
        merged = heapq.merge(iter(self._records), *(self._piece(*piece) for piece in self._pieces))
        found = Spread()
        widest: list[tuple[int, bytes, list[int]]] = []
        for digest, group in groupby(merged, key=lambda record: record[:12]):
            users = 0
            places: list[int] = []
            for record in group:
                users += 1
                if len(places) < self._examples:
                    places.append(_RECORD.unpack(record)[2])
            if users > 1:
                found.texts += 1
                item = (users, digest, places)
                if len(widest) < self._most:
                    heapq.heappush(widest, item)
                else:
                    heapq.heappushpop(widest, item)
        for users, _, places in sorted(widest, reverse=True):
            found.users = max(found.users, users)
            found.widest.append(Shared(users, tuple(self._ids_at(place) for place in places)))
        return found

    def _ids_at(self, place: int) -> tuple[str | None, str]:
        self._ids.seek(place)
        user_id, memory_id = json.loads(self._ids.readline())
        return user_id, memory_id
