"""The journal: one table of memopt's own in the store's file, written in the same transaction as the memories.

Table ``memopt_journal``, one row a run
---------------------------------------
``seq`` (order), ``run_id`` (8 hex digits), ``format`` (1), ``kind`` (``apply`` or ``undo``), ``at`` (ISO 8601 UTC), ``user_id``,
``memory_table``, ``undoes`` (the run an undo took back), and two JSON texts: ``about`` (strategy steps, model, encoding, tokens
and memories before and after, counts, skipped ids, memopt's version) and ``rows``:
``{"columns": [name, ...], "rows": [[id, group, before, after, why], ...]}``, where ``before`` and ``after`` are null or
``[rowid, [value, ...]]`` with the exact value of every column: null, number or text as in JSON, a BLOB as ``{"blob": hex}``.
``why`` is an object of what the plan told, as far as it did: ``reason``, ``step``, ``into``, ``sources``; else left out.
Where a row was erased for good, ``before`` or ``after`` is ``{"erased": SHA-256 of the row}`` and the entry's ``format`` is 2;
that row cannot be brought back any more. Option values that told what was erased read ``[erased]``.
A byte that is not UTF-8 stands in a text as the lone surrogate U+DC80 to U+DCFF, as Python's ``surrogateescape`` maps it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from memopt.errors import StoreError, UsageError
from memopt.memory import iso_utc, to_epoch
from memopt.plan import Step
from memopt.tokens import TokenFigures

if TYPE_CHECKING:
    from sqlite_utils import Database

TABLE = "memopt_journal"
USER_INDEX = "memopt_journal_user"
FORMAT = 1
FORMAT_ERASED = 2
ERASED = "[erased]"
_RUN = "run_id, format, kind, at, user_id, memory_table, undoes, about"


@dataclass(frozen=True, slots=True)
class Run:
    """One applied plan, or one undo.

    Attributes:
        kind: ``apply`` or ``undo``.
        at: when it was written (epoch seconds).
        table: the memory table.
        model: the model's name and endpoint, or None.
        before, after: memories and tokens of the user before and after.
        counts: how many memories were kept, revised, dropped, added.
        skipped: ids left out because their rows had moved on.
        undoes: the run that this one took back.
        undone_by: the run that took this one back.
        facts: facts that the rewritten memories stood for, and how many of them the rewrite holds; None: nothing was rewritten.
        rewritten: for each memory that a model wrote, how often what it says was rewritten by now.
        operator: the operating system's user who ran memopt.
        erased: how many of its rows were erased for good; they cannot be brought back.
    """

    run_id: str
    kind: str
    at: int | float
    user_id: str | None
    table: str
    steps: tuple[Step, ...]
    model: Mapping[str, str] | None
    encoding: str
    before: TokenFigures
    after: TokenFigures
    counts: Mapping[str, int]
    skipped: tuple[str, ...] = ()
    undoes: str | None = None
    undone_by: str | None = None
    memopt: str = ""
    operator: str = ""
    facts: tuple[int, int] | None = None
    rewritten: Mapping[str, int] = field(default_factory=dict)
    erased: int = 0

    @property
    def strategy(self) -> str:
        """The names of the steps, joined by ``+``."""
        return "+".join(step.strategy for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; times in ISO 8601 UTC."""
        return {
            "run_id": self.run_id,
            "kind": self.kind,
            "at": iso_utc(self.at),
            "user_id": self.user_id,
            "table": self.table,
            "undoes": self.undoes,
            "undone_by": self.undone_by,
            **self.about(),
        }

    def about(self) -> dict[str, Any]:
        """What the ``about`` column holds, JSON-ready."""
        return {
            "steps": [{"strategy": step.strategy, "options": dict(step.options)} for step in self.steps],
            "model": dict(self.model) if self.model else None,
            "encoding": self.encoding,
            "memories": {"before": self.before.memories, "after": self.after.memories},
            "tokens": {
                "before": {"text": self.before.text, "prompt": self.before.prompt},
                "after": {"text": self.after.text, "prompt": self.after.prompt},
            },
            "counts": dict(self.counts),
            "skipped": list(self.skipped),
            "facts": None if self.facts is None else {"before": self.facts[0], "kept": self.facts[1]},
            "rewritten": dict(self.rewritten),
            "memopt": self.memopt,
            "operator": self.operator,
            "erased": self.erased,
        }


@dataclass(slots=True)
class Day:
    """All runs of one day (UTC): how many, and the prompt tokens of their users before and after. An undo counts as a run."""

    date: date
    runs: int = 0
    before: int = 0
    after: int = 0

    @property
    def saved(self) -> int:
        """Tokens; below 0 where more was taken back than saved."""
        return self.before - self.after


@dataclass(frozen=True, slots=True)
class RowState:
    """A stored row, exact: its rowid (None for a table without), the columns' names, and their values in that order."""

    rowid: int | None
    columns: tuple[str, ...]
    values: tuple[Any, ...]

    def get(self, column: str) -> Any:
        """A column's value; None where there is no such column."""
        return self.values[self.columns.index(column)] if column in self.columns else None

    def same_as(self, other: RowState) -> bool:
        """Whether every column that this row has stands in the other one with the same value of the same type."""
        if self.columns == other.columns:
            theirs: tuple[Any, ...] = other.values
        elif set(self.columns) <= set(other.columns):
            theirs = tuple(other.get(name) for name in self.columns)
        else:
            return False
        return self.values == theirs and all(type(a) is type(b) for a, b in zip(self.values, theirs, strict=True))


@dataclass(frozen=True, slots=True)
class Why:
    """Why a row was changed, as the plan told; see ``plan.Change``."""

    reason: str = ""
    step: str = ""
    into: str | None = None
    sources: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, what is empty left out."""
        return {item.name: value for item in fields(self) if (value := getattr(self, item.name))}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Why:
        """The inverse of ``to_dict``; keys it does not know are ignored."""
        return cls(data.get("reason", ""), data.get("step", ""), data.get("into"), tuple(data.get("sources", ())))

    def but_reason(self) -> Why:
        """The same without its words, which may quote a memory."""
        return replace(self, reason="")


NOTHING_TOLD = Why()


@dataclass(frozen=True, slots=True)
class Edit:
    """One row's change. ``before`` None: insert; ``after`` None: delete; ``group``: edits that only make sense together.

    ``erased``: only digests of the rows are left; ``before`` and ``after`` then are RowStates of no column but ``sha256``.
    """

    memory_id: str
    before: RowState | None
    after: RowState | None
    group: int
    erased: bool = False
    why: Why = NOTHING_TOLD

    def inverse(self) -> Edit:
        """What takes this edit back."""
        return Edit(self.memory_id, self.after, self.before, self.group)


def pack_blob(value: Any) -> Any:
    """For ``json.dumps(default=...)``: the one kind of SQLite value that JSON has no form for."""
    return {"blob": bytes(value).hex()}


def _unpack(value: Any) -> Any:
    return bytes.fromhex(value["blob"]) if isinstance(value, dict) else value


def pack_edits(edits: Sequence[Edit]) -> str:
    """The ``rows`` column."""
    columns = next((row.columns for edit in edits if not edit.erased for row in (edit.before, edit.after) if row is not None), ())

    def pack(row: RowState | None, erased: bool) -> Any:
        if row is None:
            return None
        if erased:
            return {"erased": row.get(_DIGEST[0])}
        if row.columns != columns:  # a row that came back from before the table got another column
            row = RowState(row.rowid, columns, tuple(row.get(name) for name in columns))
        return [row.rowid, row.values]

    rows = [
        [
            edit.memory_id,
            edit.group,
            pack(edit.before, edit.erased),
            pack(edit.after, edit.erased),
            *([edit.why.to_dict()] if edit.why != NOTHING_TOLD and not edit.erased else []),
        ]
        for edit in edits
    ]
    return json.dumps({"columns": columns, "rows": rows}, separators=(",", ":"), default=pack_blob)


def unpack_edits(text: str) -> list[Edit]:
    """The inverse of ``pack_edits``."""
    data = json.loads(text)
    columns = tuple(data["columns"])

    def unpack(row: Any) -> RowState | None:
        if isinstance(row, dict):
            return RowState(None, _DIGEST, (row["erased"],))
        return None if row is None else RowState(row[0], columns, tuple(map(_unpack, row[1])))

    return [
        Edit(
            memory_id,
            unpack(before),
            unpack(after),
            group,
            isinstance(before, dict) or isinstance(after, dict),
            Why.from_dict(told[0]) if told else NOTHING_TOLD,
        )
        for memory_id, group, before, after, *told in data["rows"]
    ]


_DIGEST = ("sha256",)


def erased(edit: Edit, digest: Callable[[RowState], str]) -> Edit:
    """The edit with nothing left of its rows but their digests."""
    if edit.erased:
        return edit

    def only(row: RowState | None) -> RowState | None:
        return None if row is None else RowState(None, _DIGEST, (digest(row),))

    return Edit(edit.memory_id, only(edit.before), only(edit.after), edit.group, True)


def _database(conn: sqlite3.Connection) -> Database:
    from sqlite_utils import Database

    # A foreign file: no plugins of sqlite-utils on its connection, and its triggers behave as they always did.
    return Database(conn, execute_plugins=False, recursive_triggers=False)


def entry_of(run: Run, edits: Sequence[Edit]) -> dict[str, Any]:
    """The journal's row of a run, by its columns; ``seq`` is the database's."""
    return {
        "run_id": run.run_id,
        "format": FORMAT_ERASED if run.erased else FORMAT,
        "kind": run.kind,
        "at": iso_utc(run.at),
        "user_id": run.user_id,
        "memory_table": run.table,
        "undoes": run.undoes,
        "about": json.dumps(run.about(), separators=(",", ":")),
        "rows": pack_edits(edits),
    }


def write(conn: sqlite3.Connection, run: Run, edits: Sequence[Edit], *, there: bool = False) -> None:
    """Add a run, inside the caller's transaction; the table is made where there is none (``there``: it is known to be)."""
    if not there:
        _make(conn)
    row = entry_of(run, edits)
    # not table.insert(), which reads the row back, and with it every row that the run changed
    sql = f'INSERT INTO "{TABLE}" ({", ".join(row)}) VALUES ({", ".join("?" * len(row))})'
    if conn.execute(sql, tuple(row.values())).rowcount != 1:
        raise StoreError(f"the journal ({TABLE}) did not take the entry of run {run.run_id}; nothing was written")


def _make(conn: sqlite3.Connection) -> None:
    database = _database(conn)
    table = database.table(TABLE)
    if not table.exists():
        table.create(
            {
                "seq": int,
                "run_id": str,
                "format": int,
                "kind": str,
                "at": str,
                "user_id": str,
                "memory_table": str,
                "undoes": str,
                "about": str,
                "rows": str,
            },
            pk="seq",
            not_null={"run_id", "format", "kind", "at", "memory_table", "about", "rows"},
        )
        table.create_index(["run_id"], unique=True)
    # a run over many users asks for each of them, and an older journal has no such index
    conn.execute(f'CREATE INDEX IF NOT EXISTS "{USER_INDEX}" ON "{TABLE}" (user_id)')


def exists(conn: sqlite3.Connection) -> bool:
    """Whether the file has a journal."""
    found = conn.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (TABLE,)).fetchone()
    return found is not None


def holds(conn: sqlite3.Connection, run_id: str) -> bool:
    """Whether the journal has a run of this id."""
    return conn.execute(f'SELECT 1 FROM "{TABLE}" WHERE run_id = ?', (run_id,)).fetchone() is not None


def runs(conn: sqlite3.Connection, user_id: str | None = None) -> list[Run]:
    """All runs, newest first; of one user where one is named."""
    if not exists(conn):
        return []
    where, values = ("", ()) if user_id is None else ("WHERE user_id = ?", (user_id,))
    listed = [unpack_run(row) for row in conn.execute(f'SELECT {_RUN} FROM "{TABLE}" {where} ORDER BY seq DESC', values)]
    undone_by: dict[str, str] = {}
    for run in reversed(listed):
        if run.undoes is not None:
            undone_by[run.undoes] = run.run_id
    return [replace(run, undone_by=undone_by.get(run.run_id)) for run in listed]


def unpack_run(row: Sequence[Any]) -> Run:
    """A run from the columns ``run_id, format, kind, at, user_id, memory_table, undoes, about``.

    Raises:
        UsageError: a newer memopt wrote it.
    """
    run_id, format_, kind, at, user_id, table, undoes, about = row
    if format_ not in (FORMAT, FORMAT_ERASED):
        raise UsageError(f"the journal holds run {run_id} in format {format_}, which this memopt does not read; update memopt")
    data = json.loads(about)
    memories, tokens = data["memories"], data["tokens"]
    moment = to_epoch(at)
    assert moment is not None
    return Run(
        run_id=run_id,
        kind=kind,
        at=moment,
        user_id=user_id,
        table=table,
        steps=tuple(Step(step["strategy"], step["options"]) for step in data["steps"]),
        model=data["model"],
        encoding=data["encoding"],
        before=TokenFigures(memories["before"], tokens["before"]["text"], tokens["before"]["prompt"]),
        after=TokenFigures(memories["after"], tokens["after"]["text"], tokens["after"]["prompt"]),
        counts=data["counts"],
        skipped=tuple(data["skipped"]),
        undoes=undoes,
        memopt=data["memopt"],
        operator=data.get("operator", ""),
        facts=None if data.get("facts") is None else (data["facts"]["before"], data["facts"]["kept"]),
        rewritten=data.get("rewritten", {}),
        erased=data.get("erased", 0),
    )


def last_run(conn: sqlite3.Connection, user_id: str | None, table: str, other_than: str | None) -> Run | None:
    """The newest run on a user that is not ``other_than``."""
    if not exists(conn):
        return None
    sql = f'SELECT {_RUN} FROM "{TABLE}" WHERE user_id IS ? AND memory_table = ? AND run_id IS NOT ? ORDER BY seq DESC LIMIT 1'
    row = conn.execute(sql, (user_id, table, other_than)).fetchone()
    return None if row is None else unpack_run(row)


def days(conn: sqlite3.Connection, table: str, encoding: str, most: int) -> list[Day]:
    """See ``MemoryStore.days``. Entries are read one at a time, without the rows that they hold."""
    if not exists(conn):
        return []
    sql = f'SELECT at, about FROM "{TABLE}" WHERE memory_table = ? ORDER BY seq DESC'
    return days_of((figures_of(*row) for row in conn.execute(sql, (table,))), encoding, most)


def utc_day(epoch: int | float) -> date:
    """The day of a time, in UTC."""
    return datetime.fromtimestamp(epoch, UTC).date()


def figures_of(at: str, about: str) -> tuple[date, str, int, int]:
    """What ``days_of`` needs of an entry, from its columns; much quicker than the whole ``unpack_run``."""
    data = json.loads(about)
    tokens = data["tokens"]
    return date.fromisoformat(at[:10]), data["encoding"], tokens["before"]["prompt"], tokens["after"]["prompt"]


def days_of(newest_first: Iterable[tuple[date, str, int, int]], encoding: str, most: int) -> list[Day]:
    """The latest days (UTC) on which runs wrote something, the oldest first.

    Args:
        newest_first: of each run the day, the encoding, and prompt tokens before and after; no more are taken than are needed.
        encoding: runs whose tokens were counted otherwise are passed over.
        most: so many days.
    """
    found: dict[date, Day] = {}
    for when, counted_with, before, after in newest_first:
        if counted_with != encoding:
            continue
        day = found.get(when)
        if day is None:
            if len(found) >= most:
                break
            day = found[when] = Day(when)
        day.runs += 1
        day.before += before
        day.after += after
    return [found[when] for when in sorted(found)]


def rewrites(conn: sqlite3.Connection, user_id: str | None, table: str) -> dict[str, int]:
    """For each memory of a user that a model wrote, how often what it says was rewritten, as the newest run of it tells."""
    if not exists(conn):
        return {}
    out: dict[str, int] = {}
    sql = (
        f'SELECT {_RUN} FROM "{TABLE}" WHERE user_id IS ? AND memory_table = ? '
        "AND (about NOT LIKE '%\"rewritten\":{}%' OR format > ?) ORDER BY seq"  # most runs rewrite nothing
    )
    for row in conn.execute(sql, (user_id, table, FORMAT_ERASED)):
        out.update(unpack_run(row).rewritten)
    return out


def choose(listed: Sequence[Run], run_id: str | None) -> Run:
    """The run of this id, or the one whose id begins so; the first where none is named.

    Raises:
        UsageError: no such run, or several.
    """
    if not listed:
        raise UsageError("the journal is empty: memopt has not applied anything to this store")
    if run_id is None:
        return listed[0]
    matches = [item for item in listed if item.run_id == run_id] or [
        item for item in listed if run_id and item.run_id.startswith(run_id)
    ]
    if len(matches) != 1:
        what = "several runs begin with" if matches else "no run"
        known = ", ".join(item.run_id for item in (matches or listed)[:8])
        raise UsageError(f"{what} {run_id!r}; runs in the journal, newest first: {known}")
    return matches[0]


def load(conn: sqlite3.Connection, run_id: str | None) -> tuple[Run, list[Edit]]:
    """A run with its rows; the latest where none is named, and any unambiguous beginning of an id will do.

    Raises:
        UsageError: no such run.
    """
    found: list[Run] = []
    if exists(conn):
        if run_id:  # not all of them: a run over many users leaves one entry a user
            named = f'SELECT {_RUN} FROM "{TABLE}" WHERE run_id >= ? AND run_id < ? ORDER BY run_id <> ?, seq DESC LIMIT 9'
            found = [unpack_run(row) for row in conn.execute(named, (run_id, run_id + "\U0010ffff", run_id))]
        if not found:
            found = [unpack_run(row) for row in conn.execute(f'SELECT {_RUN} FROM "{TABLE}" ORDER BY seq DESC LIMIT 8')]
    run = choose(found, run_id)
    (rows,) = conn.execute(f'SELECT rows FROM "{TABLE}" WHERE run_id = ?', (run.run_id,)).fetchone()
    taken_back = conn.execute(f'SELECT run_id FROM "{TABLE}" WHERE undoes = ? ORDER BY seq DESC', (run.run_id,)).fetchone()
    return replace(run, undone_by=taken_back[0] if taken_back else None), unpack_edits(rows)


@dataclass(frozen=True, slots=True)
class Erasing:
    """What is to go from the entries of a journal.

    Attributes:
        wanted: whether an edit's rows are to be erased.
        tells: whether an option's text, or a reason, is to be erased.
        private: options that go in any case where rows of their run are erased.
        digest: what stays of a row.
    """

    wanted: Callable[[Edit], bool]
    tells: Callable[[str], bool]
    private: Container[str]
    digest: Callable[[RowState], str]


def erase(conn: sqlite3.Connection, user_id: str | None, table: str, what: Erasing) -> int:
    """Erase rows from a user's earlier entries, inside the caller's transaction (see ``erased_entry``).

    Returns:
        How many rows were erased now.
    """
    if not exists(conn):
        return 0
    count = 0
    listed = conn.execute(
        f'SELECT seq FROM "{TABLE}" WHERE user_id IS ? AND memory_table = ? ORDER BY seq', (user_id, table)
    ).fetchall()
    for (seq,) in listed:  # one entry at a time: an entry holds every row of its run
        entry = conn.execute(f'SELECT about, rows FROM "{TABLE}" WHERE seq = ?', (seq,)).fetchone()
        found = erased_entry(*entry, what=what)
        if found is not None:
            about, rows, format_, more = found
            sql = f'UPDATE "{TABLE}" SET about = ?, rows = ?, format = ? WHERE seq = ?'
            conn.execute(sql, (about, rows, format_, seq))
            count += more
    return count


def erased_entry(about_text: str, rows: str, *, what: Erasing) -> tuple[str, str, int, int] | None:
    """An entry without the rows that are to be erased.

    Args:
        about_text, rows: its columns.

    Returns:
        Its columns ``about``, ``rows`` and ``format`` as they are to be, and how many rows were erased; None: nothing is to go.
    """
    edits = unpack_edits(rows)
    after = [erased(edit, what.digest) if not edit.erased and what.wanted(edit) else edit for edit in edits]
    about = json.loads(about_text)
    more = sum(edit.erased for edit in after) - sum(edit.erased for edit in edits)
    # a reason may quote another memory: beside an erased row none stays, and elsewhere none that tells it
    after = [
        replace(edit, why=edit.why.but_reason()) if edit.why.reason and (more or what.tells(edit.why.reason)) else edit
        for edit in after
    ]
    quoting = any(old.why != new.why for old, new in zip(edits, after, strict=True))
    told = False
    for step in about["steps"]:
        for key, value in step["options"].items():
            quoted = key in what.private and any(edit.erased for edit in after)
            if isinstance(value, str) and value != ERASED and (quoted or what.tells(value)):
                step["options"][key] = ERASED
                told = True
    if not (more or told or quoting):
        return None
    about["erased"] = about.get("erased", 0) + more
    return (
        json.dumps(about, separators=(",", ":")),
        pack_edits(after) if more or quoting else rows,
        FORMAT_ERASED if about["erased"] else FORMAT,
        more,
    )


def prune(conn: sqlite3.Connection, *, keep: int | None, before: int | float | None) -> int:
    """Drop the runs that every given limit lets go, inside the caller's transaction. Returns how many."""
    if keep is not None and keep < 0:
        raise UsageError(f"how many runs to keep is a number from 0 on, not {keep}")
    gone = [
        run.run_id
        for place, run in enumerate(runs(conn))
        if (keep is None or place >= keep) and (before is None or run.at < before)
    ]
    if keep is None and before is None:
        raise UsageError("say what to prune: how many runs to keep, or how old they must be")
    conn.executemany(f'DELETE FROM "{TABLE}" WHERE run_id = ?', [(run_id,) for run_id in gone])
    return len(gone)
