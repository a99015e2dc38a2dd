"""Files of requests, and of results."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO

from memopt.errors import MemoptError, UsageError
from memopt.models.batch import MOST_BYTES, MOST_REQUESTS, batch_of, read_line
from memopt.models.wire import Heard, read
from memopt.stores.batches import BatchFile

LONGEST_LINE = 64 * 2**20
"""Bytes of a line of results; a longer one is broken."""


@dataclass(slots=True)
class RequestFile:
    """A file of requests, all for one model, as services want it."""

    path: Path
    model: str
    requests: int = 0
    bytes: int = 0


class RequestFiles:
    """Takes requests, and writes as many files as the limits of a service demand. They take their names when all are known.

    Only their owner may read them: requests tell what memories tell.

    Args:
        path: the file; where several are needed, ``name-1.jsonl``, ``name-2.jsonl`` ... beside it.
        max_requests, max_bytes: of one file.

    Raises:
        UsageError: a file cannot be made there, or something else than requests of a batch has its name.
    """

    def __init__(self, path: Path, max_requests: int = MOST_REQUESTS, max_bytes: int = MOST_BYTES) -> None:
        self._path, self._max_requests, self._max_bytes = path, max_requests, max_bytes
        self._files: list[tuple[RequestFile, Path]] = []
        self._open: dict[str, tuple[RequestFile, IO[bytes]]] = {}
        _check_overwritten(path)

    @property
    def requests(self) -> int:
        """How many there are."""
        return sum(file.requests for file, _ in self._files)

    def add(self, model: str, line: bytes) -> None:
        """Write a request. Raises MemoptError where that fails."""
        try:
            file, stream = self._open.get(model) or self._begin(model)
            if file.requests and (file.requests >= self._max_requests or file.bytes + len(line) > self._max_bytes):
                _close(stream)
                file, stream = self._begin(model)
            stream.write(line)
        except OSError as error:
            raise MemoptError(f"{self._path} could not be written: {error.strerror or error}") from error
        file.requests += 1
        file.bytes += len(line)

    def _begin(self, model: str) -> tuple[RequestFile, IO[bytes]]:
        handle, name = tempfile.mkstemp(prefix=".memopt-", suffix=".tmp", dir=self._path.parent)  # mode 0600
        file = RequestFile(self._path, model)
        self._files.append((file, Path(name)))
        self._open[model] = file, os.fdopen(handle, "wb")
        return self._open[model]

    def finish(self) -> list[RequestFile]:
        """Give the files their names.

        Raises:
            UsageError, MemoptError: that cannot be done; no file was written.
        """
        if len(self._files) > 1:
            for number, (file, _) in enumerate(self._files, 1):
                file.path = self._path.with_name(f"{self._path.stem}-{number}{self._path.suffix}")
                _check_overwritten(file.path)
        try:
            for _, stream in self._open.values():
                _close(stream)
            for file, temporary in self._files:
                temporary.replace(file.path)
        except OSError as error:
            raise MemoptError(f"{self._path} could not be written: {error.strerror or error}") from error
        done = [file for file, _ in self._files]
        self._files, self._open = [], {}
        return done

    def discard(self) -> None:
        """Leave nothing of what is not finished."""
        for _, stream in self._open.values():
            with suppress(OSError):
                stream.close()
        for _, temporary in self._files:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        self._files, self._open = [], {}


def _close(stream: IO[bytes]) -> None:
    stream.flush()
    os.fsync(stream.fileno())
    stream.close()


def _check_overwritten(path: Path) -> None:
    """Raise UsageError where a file that is no file of requests would be overwritten."""
    if not path.exists():
        return
    try:
        with path.open("rb") as stream:
            first = read_line(stream.readline(LONGEST_LINE))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
    if not first.request or batch_of(first.custom_id or "") is None:
        raise UsageError(f"{path} is there already, and no file of requests; name another one")


@dataclass(slots=True)
class Results:
    """What the lines of files of results were.

    Attributes:
        answers, failures: replies that came with this import, and how many of them are errors.
        repeated: lines that say what was known already.
        duplicates: second answers to a request, which are not used; the first one stands.
        unknown: lines whose id no request of this batch has; ``outdated``: requests of users whose memories moved on.
        broken: lines that are cut off, no JSON, or hold neither an answer nor an error.
        requests: lines of a file of requests.
    """

    files: int = 0
    lines: int = 0
    answers: int = 0
    failures: int = 0
    repeated: int = 0
    duplicates: int = 0
    unknown: int = 0
    outdated: int = 0
    broken: int = 0
    requests: int = 0


def take_results(batch: BatchFile, paths: Iterable[Path]) -> Results:
    """Keep the replies in files of results, whatever their order.

    Raises:
        UsageError: a file cannot be read, or is no file of results of this batch.
    """
    found = Results()
    for path in paths:
        before = asdict(found)
        found.files += 1
        try:
            with path.open("rb") as stream:
                for line in _lines(stream):
                    found.lines += 1
                    _take(batch, line, found)
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
        fresh = {name: value - before[name] for name, value in asdict(found).items()}
        if fresh["requests"] == fresh["lines"] > 0:
            raise UsageError(f"{path} is a file of requests; name the file that came back for it")
        if fresh["lines"] and fresh["broken"] == fresh["lines"] and fresh["lines"] > 1:
            raise UsageError(f"{path} is no file of results: none of its {fresh['lines']} lines is one")
        if fresh["lines"] and fresh["unknown"] + fresh["broken"] == fresh["lines"] and fresh["unknown"]:
            raise UsageError(f"{path} answers no request of {batch.path}; it belongs to another batch")
    return found


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    while line := stream.readline(LONGEST_LINE):
        whole = line.endswith(b"\n") or len(line) < LONGEST_LINE
        while not line.endswith(b"\n") and (rest := stream.readline(LONGEST_LINE)):
            line = line[:1000] + rest[-1:]
        if line.strip():
            yield line if whole else line[:1000]


def _take(batch: BatchFile, line: bytes, found: Results) -> None:
    told = read_line(line)
    if told.request:
        found.requests += 1
        return
    if told.answer is None or told.custom_id is None:
        found.broken += 1
        if told.custom_id is not None:
            batch.note_broken(told.custom_id)
        return
    heard = read(told.answer.outcome, 0.0)
    tokens = (heard.prompt_tokens, heard.completion_tokens) if isinstance(heard, Heard) else (None, None)
    failed = not isinstance(heard, Heard)
    became = batch.take(told.custom_id, told.answer.to_json(), failed=failed, tokens=tokens)
    if became in ("new", "instead"):
        found.answers += 1
        found.failures += failed
    elif became == "again":
        found.repeated += 1
    elif became == "other":
        found.duplicates += 1
    elif became == "outdated":
        found.outdated += 1
    else:
        found.unknown += 1


__all__ = ["LONGEST_LINE", "RequestFile", "RequestFiles", "Results", "take_results"]
