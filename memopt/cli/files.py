"""Files that a command is told to write: whole or not at all, and never in the place of anything but what memopt wrote there for
the same purpose. And plan files, read with errors a person can act on."""

from __future__ import annotations

import json
import os
import re
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memopt.cli.safe import native_path, shown_path
from memopt.errors import MemoptError, UsageError

MAX_PLAN_BYTES = 2**31
_HEAD = 4096


@dataclass(frozen=True, slots=True)
class Kind:
    """What a file is written for, and how one that memopt wrote begins."""

    name: str
    head: re.Pattern[bytes]


PLAN = Kind("a plan", re.compile(rb'\s*\{\s*"format":\s*"memopt\.plan"'))
REPORT = Kind("a report", re.compile(rb"# memopt: |<!doctype html>.*<title>memopt: ", re.DOTALL))
CHART = Kind(
    "a chart",
    re.compile(rb"\x89PNG\r\n.*Software\0memopt|<\?xml.*<dc:title>memopt</dc:title>|<!doctype html>.*<title>memopt: ", re.DOTALL),
)
LOG = Kind("a log", re.compile(rb'\{"event":'))
NOTHING = Kind("nothing", re.compile(rb"(?!)"))
"""What no file is: for what may have been edited, so that nothing is ever written over."""


def _expanded(given: str) -> Path:
    # Not Path.expanduser: it takes "./~name" for somebody's home folder.
    return Path(os.path.expanduser(native_path(given)))  # noqa: PTH111


def check_target(given: str, flag: str = "--out", kind: Kind | None = PLAN) -> Path:
    """Where ``--out`` (or another flag) would write.

    Args:
        kind: what may be overwritten beside an empty file: what memopt wrote for the same purpose; None: the caller sees to that.

    Raises:
        UsageError: before any work, for a place that cannot take a file, or where something else lies.
    """
    if not given.strip():
        raise UsageError(f"{flag} is empty; it takes the path of a file")
    if given == "-":
        raise UsageError(f"{flag} takes the path of a file; --json prints on standard output")
    shown = shown_path(given)
    try:
        target = Path(os.path.realpath(_expanded(given)))
        if target.is_dir() or given.endswith("/"):
            raise UsageError(f"{flag} {shown} is a directory; it takes the path of a file")
        if not target.parent.is_dir():
            raise UsageError(f"{flag} {shown}: the folder {shown_path(str(target.parent))} does not exist")
        if target.exists():
            if not stat.S_ISREG(target.stat().st_mode):
                raise UsageError(f"{flag} {shown} is not a regular file")
            check_overwritten(target, flag, shown, kind)
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise UsageError(f"{flag} {shown}: the folder {shown_path(str(target.parent))} is not writable")
    except (OSError, ValueError) as error:
        raise UsageError(f"{flag} {shown}: {getattr(error, 'strerror', None) or error}") from None
    return target


def check_overwritten(target: Path, flag: str, shown: str, kind: Kind | None) -> None:
    """Raise UsageError where something else lies than what memopt writes there. Raises OSError where that cannot be seen."""
    with target.open("rb") as stream:
        head = stream.read(_HEAD)
    if head.startswith(b"SQLite format 3\0"):
        raise UsageError(f"{flag} {shown} is a database; the file would destroy it")
    if kind is NOTHING and head:
        raise UsageError(f"{flag} {shown} is there already, and may have been edited: name another file")
    if kind is not None and head and not kind.head.match(head):
        raise UsageError(f"{flag} {shown} is there already, and is not {kind.name} of memopt's: name another file")


def same_file(one: str, other: str) -> bool:
    """Whether two names that were given name one file."""
    return os.path.realpath(_expanded(one)) == os.path.realpath(_expanded(other))


def probe(target: Path, flag: str) -> None:
    """Raise UsageError where no file can be made beside the target now, whatever its rights say: a disk that is full."""
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(prefix=".memopt-", suffix=".tmp", dir=target.parent) as file:
            file.write(b"\n")
    except OSError as error:
        raise UsageError(f"{flag} {shown_path(str(target))}: {error.strerror or error}") from None


def write_atomic(target: Path, text: str | bytes, *, mode: int = 0o600) -> None:
    """Write a file that only its owner may read, or with other rights: a new one beside it, synced, then put in its place."""
    import tempfile

    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=".memopt-", suffix=".tmp", dir=target.parent)  # mode 0600
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8") if isinstance(text, str) else text)
            stream.flush()
            if mode != 0o600:
                os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        Path(temporary).replace(target)
        temporary = ""
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise MemoptError(f"{shown_path(str(target))} could not be written: {error.strerror or error}") from error
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _read_bytes(given: str, what: str) -> bytes:
    shown = shown_path(given)
    try:
        path = _expanded(given)
        if path.is_dir():
            raise UsageError(f"{shown} is a directory, not a {what}")
        with path.open("rb") as stream:
            return stream.read(MAX_PLAN_BYTES)
    except FileNotFoundError:
        raise UsageError(f"there is no {what} {shown}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{shown} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def read_text(given: str, what: str) -> str:
    """A text file in UTF-8. Raises UsageError where it cannot be read."""
    try:
        return _read_bytes(given, what).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{shown_path(given)} is not a text in UTF-8") from None


def read_plan_data(given: str, extras: tuple[str, ...]) -> Any:
    """The JSON of a plan file, ``-`` for standard input. What ``--json`` adds to a plan is left out.

    Raises:
        UsageError: it cannot be read, or is not JSON.
    """
    if given == "-":
        if sys.stdin is None:
            raise UsageError("standard input is closed; name a plan file")
        raw = sys.stdin.buffer.read(MAX_PLAN_BYTES)
    else:
        raw = _read_bytes(given, "plan file")
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{shown_path(given)} is not a memopt plan: not JSON ({error})") from None
    if isinstance(data, dict):
        for key in extras:
            data.pop(key, None)
    return data
