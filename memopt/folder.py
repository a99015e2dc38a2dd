"""A folder of plans, one file a user, and what is known of each: what ``--out DIR`` of a run over many users writes.

``manifest.jsonl`` begins with one line about the run (``format``, ``version``, ``recipe``, ``store``), followed by one line a
user in the order in which they were done: ``user_id``, ``file`` (null where there is nothing to change), ``state`` (digest of the
memories the plan was made from), ``memories``, ``tokens`` and ``counts`` as in the plan. A later line on a user replaces an
earlier one; a last line that was cut off by a killed run is passed over. A plan's file is named by a hash, never by the user's
id, and only its owner may read it.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from memopt.errors import MemoptError, PlanFileError, UsageError
from memopt.plan import Plan, StoreRef
from memopt.spill import Places
from memopt.tokens import TokenFigures

_OLD_SECONDS = 60.0

FORMAT = "memopt.plans"
VERSION = 1
MANIFEST = "manifest.jsonl"
SUFFIX = ".plan.json"


def file_name(user_id: str) -> str:
    """The name of a user's plan file: a hash, so that no id leaves the folder and no two users share a file."""
    return sha256(user_id.encode("utf-8", "surrogatepass")).hexdigest()[:40] + SUFFIX


@dataclass(frozen=True, slots=True)
class Entry:
    """What the manifest says of one user."""

    user_id: str
    file: str | None
    state: str
    before: TokenFigures
    after: TokenFigures
    counts: Mapping[str, int]


class PlanFolder:
    """A folder that plans are written to.

    Args:
        path: made where it is missing; else it must be empty, or hold plans that were made the same way.
        ref: the store that the plans are for.
        recipe: how they are made (``fleet.recipe_of``).

    Raises:
        UsageError: the folder holds something else, or cannot be written.
    """

    def __init__(self, path: Path, ref: StoreRef, recipe: str) -> None:
        self.path = path
        self._places: Places | None = None
        self._lock = threading.Lock()
        try:
            path.mkdir(mode=0o700, exist_ok=True)
            manifest = path / MANIFEST
            fresh = not manifest.exists()
            if fresh and any(path.iterdir()):
                raise UsageError(f"--out {path} holds other files; name a new folder")
            if not fresh:
                self._resume(manifest, ref, recipe)
            handle = os.open(manifest, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            self._file = os.fdopen(handle, "r+b")
            self._end_line()
        except OSError as error:
            raise UsageError(f"--out {path}: {error.strerror or error}") from None
        if fresh:
            store = {"kind": ref.kind, "location": ref.location, "table": ref.table}
            self._add({"format": FORMAT, "version": VERSION, "recipe": recipe, "store": store})

    def _resume(self, manifest: Path, ref: StoreRef, recipe: str) -> None:
        head = read_head(manifest)
        if head["store"] != {"kind": ref.kind, "location": ref.location, "table": ref.table}:
            raise UsageError(f"--out {self.path} holds the plans of another store; name a new folder")
        if head["recipe"] != recipe:
            raise UsageError(
                f"--out {self.path} holds plans that were made otherwise (other strategies, options, model or prompt); "
                "name a new folder"
            )
        self._places = _last_places(manifest)
        self._clear()

    def _clear(self) -> None:
        """Remove what runs that were killed while they wrote a plan left behind; another run may be writing one now."""
        old = time.time() - _OLD_SECONDS
        for left in self.path.glob(".memopt-*.tmp"):
            with suppress(OSError):
                if left.stat().st_mtime < old:
                    left.unlink()

    def _end_line(self) -> None:
        """Close a line that a killed run left open, so that the next one stands on its own."""
        size = self._file.seek(0, os.SEEK_END)
        if size:
            self._file.seek(size - 1)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")
                self._file.flush()

    def known(self, user_id: str) -> Entry | None:
        """What an earlier run into this folder left of a user; None where it left nothing, or its file is gone."""
        with self._lock:
            place = None if self._places is None else self._places.find(_key(user_id))
            if place is None:
                return None
            self._file.seek(place)
            entry = _entry(self._file.readline())
        if entry is None or entry.user_id != user_id or (entry.file is not None and not (self.path / entry.file).is_file()):
            return None
        return entry

    def add(self, plan: Plan, state: str) -> str | None:
        """Keep a plan. Returns its file's name, or None for one without changes, of which only a line is kept."""
        assert plan.user_id is not None
        name = file_name(plan.user_id) if plan.has_changes else None
        if name is not None:
            self._write(name, plan.to_json() + "\n")
        self._add(
            {
                "user_id": plan.user_id,
                "file": name,
                "state": state,
                "memories": {"before": plan.tokens_before.memories, "after": plan.tokens_after.memories},
                "tokens": {
                    "before": {"text": plan.tokens_before.text, "prompt": plan.tokens_before.prompt},
                    "after": {"text": plan.tokens_after.text, "prompt": plan.tokens_after.prompt},
                },
                "counts": plan.counts,
            }
        )
        return name

    def _add(self, line: Mapping[str, Any]) -> None:
        try:
            with self._lock:
                self._file.seek(0, os.SEEK_END)
                self._file.write(json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n")
                self._file.flush()
        except OSError as error:
            raise MemoptError(f"{self.path / MANIFEST} could not be written: {error.strerror or error}") from error

    def _write(self, name: str, text: str) -> None:
        temporary = ""
        try:
            handle, temporary = tempfile.mkstemp(prefix=".memopt-", suffix=".tmp", dir=self.path)  # mode 0600
            with os.fdopen(handle, "w", encoding="ascii", newline="\n") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).replace(self.path / name)
            temporary = ""
        except OSError as error:
            raise MemoptError(f"{self.path / name} could not be written: {error.strerror or error}") from error
        finally:
            if temporary:
                Path(temporary).unlink(missing_ok=True)

    def close(self) -> None:
        """Write everything through to the disk."""
        if self._places is not None:
            self._places.close()
            self._places = None
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            folder = os.open(self.path, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise MemoptError(f"{self.path} could not be written: {error.strerror or error}") from error


def read_head(manifest: Path) -> dict[str, Any]:
    """The first line of a manifest.

    Raises:
        UsageError: it is no manifest.
        PlanFileError: one of another version.
    """
    try:
        with manifest.open("rb") as file:
            head = json.loads(file.readline(1_000_000))
    except FileNotFoundError:
        raise UsageError(f"{manifest.parent} is not a folder of plans: it has no {MANIFEST}") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{manifest} cannot be read: {error}") from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise UsageError(f"{manifest} is not a manifest of memopt plans")
    if head.get("version") != VERSION or not isinstance(head.get("store"), dict) or not isinstance(head.get("recipe"), str):
        raise PlanFileError(f"{manifest} is of another version of memopt; make the plans anew")
    return head


def listed(path: Path) -> Iterator[tuple[str, str]]:
    """The users and the plan files of a folder, in the order of its manifest, each once.

    Raises:
        UsageError, PlanFileError: it is no folder of plans.
    """
    manifest = path / MANIFEST
    for entry in _last_entries(manifest):
        if entry.file is not None:
            # a name from a file that somebody may have altered must not lead out of the folder
            if entry.file != file_name(entry.user_id):
                raise PlanFileError(f"{manifest} was altered: {entry.file!r} is not the file of user {entry.user_id!r}")
            yield entry.user_id, entry.file


def unchanged(path: Path) -> Iterator[tuple[str, str]]:
    """The users of a folder for whom there was nothing to change, with the state of their memories that this was found of.

    Raises:
        UsageError, PlanFileError: it is no folder of plans.
    """
    return ((entry.user_id, entry.state) for entry in _last_entries(path / MANIFEST) if entry.file is None)


def _last_entries(manifest: Path) -> Iterator[Entry]:
    """What the manifest says last of each user, in its order."""
    read_head(manifest)
    last = _last_places(manifest)
    try:
        for place, entry in _entries(manifest):
            if last.find(_key(entry.user_id)) == place:
                yield entry
    finally:
        last.close()


def _entries(manifest: Path) -> Iterator[tuple[int, Entry]]:
    """What a manifest says of users, line by line, with the place of each line in the file."""
    with manifest.open("rb") as file:
        place = len(file.readline())
        for line in file:
            entry = _entry(line)
            if entry is not None:
                yield place, entry
            place += len(line)


def _last_places(manifest: Path) -> Places:
    """Where the last line on each user is."""
    places = Places()
    for place, entry in _entries(manifest):
        places.note(_key(entry.user_id), place)
    return places


def _key(user_id: str) -> bytes:
    return sha256(user_id.encode("utf-8", "surrogatepass")).digest()[:12]


def _entry(line: bytes) -> Entry | None:
    try:
        data = json.loads(line)
        memories, tokens = data["memories"], data["tokens"]
        sides = [TokenFigures(memories[s], tokens[s]["text"], tokens[s]["prompt"]) for s in ("before", "after")]
        return Entry(str(data["user_id"]), data["file"], data["state"], sides[0], sides[1], data["counts"])
    except (ValueError, KeyError, TypeError):
        return None
