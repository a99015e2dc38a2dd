"""The rows of Agno's memory tables: what is in each column, how it is read, and how a plan becomes edits. No database here.

Agno keeps the same columns in SQLite and in Postgres. ``memory`` is the JSON text of a string and ``topics`` of a list of
strings or null; what else occurs in them is told in ``agno_sqlite``. A store hands in its rows as ``RowState`` and writes the
``Edit`` objects that it gets back.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from types import MappingProxyType
from typing import Any

from memopt._version import __version__
from memopt.errors import ConflictError, PlanFileError, UsageError
from memopt.memory import UserMemory, to_epoch
from memopt.plan import Action, Change, Plan, StoreRef, Unreadable, applied_part, lineage_groups
from memopt.stores import journal
from memopt.stores.base import CountFigures, Erasure, OnConflict, RunChange, Snapshot
from memopt.stores.journal import Edit, RowState, Run, Why

IDENTIFYING = frozenset({"memory_id", "memory", "user_id", "topics"})
OPTIONAL = frozenset({"input", "agent_id", "team_id", "feedback", "created_at", "updated_at"})
AGNO_1 = frozenset({"id", "user_id", "memory", "created_at", "updated_at"})


class RowProblem(ValueError):
    """Why a row cannot be decoded."""


# -- columns -----------------------------------------------------------------------------------------------------------


def is_memory_table(columns: Iterable[str]) -> bool:
    """Whether a table with these columns holds memories as Agno writes them since 2.0."""
    return set(columns) >= IDENTIFYING


def is_of_agno_1(columns: Iterable[str]) -> bool:
    """Whether a table with these columns holds memories of Agno 1.x. Its sessions have those columns too."""
    names = set(columns)
    return names >= AGNO_1 and "session_id" not in names


def to_fit(memory: UserMemory, columns: Iterable[str]) -> dict[str, Any]:
    """What has to change of a memory so that the columns can hold it: fields without one are None, and times, which stand in
    BIGINT columns, are whole seconds."""
    changes: dict[str, Any] = {name: None for name in OPTIONAL - set(columns) if getattr(memory, name) is not None}
    for name in ("created_at", "updated_at"):
        value = getattr(memory, name)
        if isinstance(value, float) and name not in changes:
            changes[name] = int(value // 1)
    return changes


# -- from a plan to edits ----------------------------------------------------------------------------------------------


def same_store(plan: Plan, ref: StoreRef) -> None:
    """Raise PlanFileError where the plan was made from another store."""
    if plan.store != ref:
        raise PlanFileError(
            f"the plan was made from {plan.store.location} (table {plan.store.table}), this store is "
            f"{ref.location} (table {ref.table})"
        )


def ids_to_compare(plan: Plan) -> set[str]:
    """The ids whose rows must be what they were: what the plan changes or drops, and what that relies on."""
    changing = [change for change in plan.changes if change.action is not Action.KEPT]
    return {change.memory_id for change in changing} | {i for change in changing for i in change.relies_on}


def edits_of(
    plan: Plan,
    columns: tuple[str, ...],
    rows: Mapping[str, RowState],
    on_conflict: OnConflict,
    encode: Callable[[str, Any], Any] | None = None,
) -> tuple[list[Edit], frozenset[str]]:
    """What is to be written, and the ids that are left out because rows moved on.

    Args:
        columns: the table's columns.
        rows: the rows of ``ids_to_compare`` as they are now, by id.
        encode: a field's value as a column holds it; by default as SQLite does.

    Raises:
        ConflictError: rows moved on, and nothing may be left out.
    """
    changing = [change for change in plan.changes if change.action is not Action.KEPT]
    groups = lineage_groups(plan.changes)
    moved = moved_rows(plan.fingerprints, changing, rows)
    skipped: frozenset[str] = frozenset()
    if moved:
        if on_conflict == "stop":
            raise conflict(moved, "make the plan anew, or leave those changes out with --on-conflict skip")
        skipped = tied(changing, groups, moved)
    edits = [
        edit_of(change, columns, rows.get(change.memory_id), groups[change.memory_id], encode or encode_field)
        for change in changing
        if change.memory_id not in skipped
    ]
    return edits, skipped


def edit_of(
    change: Change, columns: tuple[str, ...], row: RowState | None, group: int, encode: Callable[[str, Any], Any]
) -> Edit:
    """One change as an edit of its row; what the change does not speak of keeps its value."""
    if change.after is None:
        return Edit(change.memory_id, row, None, group, why=_why(change))
    if row is None or change.before is None:
        # Columns that are not Agno's are left out, so that they get the defaults their owner gave them.
        columns = tuple(name for name in columns if name in IDENTIFYING | OPTIONAL)
        values: dict[str, Any] = dict.fromkeys(columns)
        values["memory_id"] = change.memory_id
        fields: Iterable[str] = ("user_id", "memory", "topics", *OPTIONAL)
    else:
        values = dict(zip(columns, row.values, strict=True))
        fields = change.changed_fields
    for name in fields:
        if name in values:
            values[name] = encode(name, getattr(change.after, name))
    after = RowState(row.rowid if row else None, columns, tuple(values.values()))
    return Edit(change.memory_id, row, after, group, why=_why(change))


def _why(change: Change) -> Why:
    return Why(change.reason, change.step, change.into, change.sources)


def told(edits: Sequence[Edit]) -> list[RunChange]:
    """What a run did to each memory, as far as its rows can still be read."""

    def memory(row: RowState | None) -> UserMemory | None:
        if row is None:
            return None
        try:
            return _decoder(row.columns)(row)
        except (RowProblem, ValueError):
            return None

    out = []
    for edit in edits:
        action = Action.DROPPED if edit.after is None else Action.ADDED if edit.before is None else Action.REVISED
        sides = (None, None) if edit.erased else (memory(edit.before), memory(edit.after))
        out.append(RunChange(edit.memory_id, action, *sides, edit.why, edit.erased))
    return out


def changed_columns(edit: Edit, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that an update must set."""
    old, new = edit.before, edit.after
    assert old is not None and new is not None
    return tuple(
        name
        for name, value in zip(new.columns, new.values, strict=True)
        if name in columns and not same_value(old.get(name), value)
    )


def run_of(plan: Plan, skipped: frozenset[str], count: CountFigures | None, run_id: str, table: str, at: int | float) -> Run:
    """The journal's entry for an applied plan."""
    part = applied_part(plan, skipped, count) if count is not None and skipped else plan
    return Run(
        run_id=run_id,
        kind="apply",
        at=at,
        user_id=plan.user_id,
        table=table,
        steps=plan.steps,
        model=plan.model,
        encoding=plan.encoding,
        before=part.tokens_before,
        after=part.tokens_after,
        counts=part.counts,
        skipped=tuple(sorted(skipped)),
        memopt=__version__,
        operator=operator(),
        facts=part.facts,
        rewritten={
            change.memory_id: change.after.rewrites
            for change in part.changes
            if change.action is not Action.KEPT and change.after is not None and change.after.rewrites
        },
    )


# -- taking a run back -------------------------------------------------------------------------------------------------


def still_undoable(
    old: Run,
    edits: Sequence[Edit],
    rows: Mapping[str, RowState],
    on_conflict: OnConflict,
    skipped: frozenset[str] = frozenset(),
) -> tuple[list[Edit], frozenset[str]]:
    """The edits whose rows are what the run left behind, and the ids that are left out.

    Args:
        edits: the inverse of what the run did.
        rows: the rows of these ids as they are now.
        skipped: ids that are left out already.

    Raises:
        ConflictError: rows moved on, and nothing may be left out, or nothing else is there.
    """
    moved: dict[str, str] = {}
    for edit in edits:
        is_now, expected = rows.get(edit.memory_id), edit.before
        if expected is None:
            if is_now is not None:
                moved[edit.memory_id] = "is there again"
        elif is_now is None:
            moved[edit.memory_id] = "is gone"
        elif not expected.same_as(is_now):
            moved[edit.memory_id] = "was changed"
    if not moved:
        return list(edits), skipped
    if on_conflict == "stop":
        raise conflict(moved, "restore the others with --on-conflict skip", since=f"run {old.run_id}")
    bad = {edit.group for edit in edits if edit.memory_id in moved}
    skipped |= frozenset(edit.memory_id for edit in edits if edit.group in bad)
    left = [edit for edit in edits if edit.memory_id not in skipped]
    if not left:
        raise conflict(moved, "there is nothing else in it to restore", since=f"run {old.run_id}")
    return left, skipped


def undo_run_of(old: Run, edits: Sequence[Edit], skipped: frozenset[str], run_id: str, at: int | float) -> Run:
    """The journal's entry for an undo."""
    return Run(
        run_id=run_id,
        kind="undo",
        at=at,
        user_id=old.user_id,
        table=old.table,
        steps=old.steps,
        model=old.model,
        encoding=old.encoding,
        before=old.after,
        after=old.before,
        counts=undo_counts(edits),
        skipped=tuple(sorted(skipped)),
        undoes=old.run_id,
        memopt=__version__,
        operator=operator(),
    )


def without_erased(run: Run, edits: Sequence[Edit], on_conflict: OnConflict) -> tuple[frozenset[str], list[Edit]]:
    """The ids that cannot be brought back because they, or what they belong with, were erased for good, and the other edits.

    Raises:
        UsageError: nothing else is left, or the others were not asked for.
    """
    bad = {edit.group for edit in edits if edit.erased}
    left = [edit for edit in edits if edit.group not in bad]
    if bad and not left:
        raise UsageError(
            f"run {run.run_id} cannot be taken back: what it changed was erased for good (--purge), and no copy is left",
            run=run.run_id,
            erased=run.erased,
        )
    if bad and on_conflict != "skip":
        raise UsageError(
            f"{sum(edit.erased for edit in edits)} of the {len(edits)} rows of run {run.run_id} were erased for good (--purge) "
            "and cannot be brought back. Nothing was written; restore the others with --on-conflict skip",
            run=run.run_id,
            erased=run.erased,
        )
    return frozenset(edit.memory_id for edit in edits if edit.group in bad), left


def undo_counts(edits: Sequence[Edit]) -> dict[str, int]:
    counts = Counter("added" if e.before is None else "dropped" if e.after is None else "revised" for e in edits)
    return {action.value: counts[action.value] for action in Action if action is not Action.KEPT}


def operator() -> str:
    """The operating system's user, as the journal names it; an empty text where there is none."""
    return _operator(tuple(map(os.environ.get, ("LOGNAME", "USER", "LNAME", "USERNAME"))))


@lru_cache(8)
def _operator(_named: tuple[str | None, ...]) -> str:
    # without such a variable the system's directory is asked, which may be on another machine: once, not for every user
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def same_value(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


# -- conflicts ----------------------------------------------------------------------------------------------------------


def moved_rows(fingerprints: Mapping[str, str], changing: Sequence[Change], rows: Mapping[str, RowState]) -> dict[str, str]:
    """The ids whose rows are not what the plan was made from, and what became of them."""
    moved: dict[str, str] = {}
    checked: set[str] = set()
    for change in changing:
        read = change.before.raw if change.before is not None else None
        for memory_id in (change.memory_id, *change.relies_on):
            if memory_id in checked:
                continue
            checked.add(memory_id)
            row, expected = rows.get(memory_id), fingerprints.get(memory_id)
            if expected is None:
                if row is not None:
                    moved[memory_id] = "is there already"
            elif row is None:
                moved[memory_id] = "is gone"
            elif (
                memory_id == change.memory_id and isinstance(read, RowState) and read.columns == row.columns and read.same_as(row)
            ):
                continue  # the row that was read is at hand; the digest is for plans that come from a file
            elif fingerprint(row) != expected:
                moved[memory_id] = "was changed"
    return moved


def tied(changing: Sequence[Change], groups: Mapping[str, int], moved: Mapping[str, str]) -> frozenset[str]:
    """The changes that cannot be made, with all that belong together with them."""
    bad = {groups[c.memory_id] for c in changing if c.memory_id in moved or any(i in moved for i in c.relies_on)}
    return frozenset(c.memory_id for c in changing if groups[c.memory_id] in bad)


def conflict(moved: Mapping[str, str], advice: str, since: str = "the plan was made") -> ConflictError:
    some = "; ".join(f"{memory_id} {what}" for memory_id, what in list(moved.items())[:3])
    more = f" and {len(moved) - 3} more" if len(moved) > 3 else ""
    return ConflictError(
        f"the store changed since {since}: {some}{more}. Nothing was written; {advice}",
        conflicts=[{"memory_id": memory_id, "problem": what} for memory_id, what in moved.items()],
    )


# -- encoding and decoding ----------------------------------------------------------------------------------------------


def fingerprint(row: RowState) -> str:
    data = sorted(zip(row.columns, row.values, strict=True))
    return hashlib.sha256(json.dumps(data, separators=(",", ":"), default=journal.pack_blob).encode("ascii")).hexdigest()


def state_of(rows: Iterable[Any]) -> str:
    """A digest of rows (RowState; others are passed over), independent of their order and of their rowids."""
    listed = [row for row in rows if isinstance(row, RowState)]
    listed.sort(key=lambda row: str(row.get("memory_id")))
    names = sorted({row.columns for row in listed})
    data = [names, [[names.index(row.columns), row.values] for row in listed]]
    return hashlib.sha256(json.dumps(data, separators=(",", ":"), default=journal.pack_blob).encode("ascii")).hexdigest()


def expected_rows(
    plan: Plan, skipped: Collection[str], edits: Sequence[Edit], now: Callable[[], Iterable[UserMemory]]
) -> list[Any] | None:
    """The rows that a plan keeps, as it saw them: with what it writes, the state that it leaves if nobody else wrote meanwhile.

    Args:
        now: reads the user's memories as they are; asked only for a plan that comes from a file, which holds no rows.

    Returns:
        None where the rows that the plan saw are not known any more.
    """
    written = {edit.memory_id for edit in edits}
    kept = [change.before for change in plan.changes if change.before is not None and change.memory_id not in written]
    if all(isinstance(item.raw, RowState) for item in kept):
        return [item.raw for item in kept]
    there = {item.memory_id: item for item in now()}
    rows: list[Any] = []
    for item in kept:
        found = there.get(item.memory_id)
        if found is None or not found.same_as(item):
            return None
        rows.append(found.raw)
    return rows


def encode_field(name: str, value: Any) -> Any:
    """A field's value as the SQLite columns of Agno's SQLAlchemy tables (JSON, BIGINT) hold it."""
    if name in ("memory", "topics"):
        return json.dumps(list(value) if isinstance(value, tuple) else value)
    return value


def snapshot(
    columns: tuple[str, ...],
    user_id: str | None,
    rows: Sequence[tuple[Any, ...]],
    problems: Mapping[int, str] = MappingProxyType({}),
) -> Snapshot:
    """Decode rows of ``(rowid, *columns)``.

    Args:
        problems: why a row, by its place, is not to be read.
    """
    memories: list[UserMemory] = []
    unreadable: list[Unreadable] = []
    id_place = columns.index("memory_id") + 1
    ids = Counter(row[id_place] for row in rows)
    decode = _decoder(columns)
    for place, row in enumerate(rows):
        try:
            if place in problems:
                raise RowProblem(problems[place])
            if ids[row[id_place]] > 1:
                raise RowProblem(f"the id stands on {ids[row[id_place]]} rows")
            memories.append(decode(RowState(row[0], columns, row[1:])))
        except RowProblem as problem:
            unreadable.append(Unreadable(shown_id(row[id_place]), str(problem), user_id))
    return Snapshot(user_id, tuple(memories), tuple(unreadable))


def missing_columns(columns: Iterable[str]) -> tuple[str, ...]:
    """What Agno's tables have today and this one has not."""
    return tuple(sorted((IDENTIFYING | OPTIONAL) - set(columns)))


def stored_times(memory: UserMemory, *, numbers: Collection[str] = ()) -> dict[str, Any]:
    """The times of a memory as its row holds them, by column.

    Args:
        numbers: columns whose texts stand for numbers.
    """
    row = memory.raw
    if not isinstance(row, RowState):
        raise TypeError("only a memory that this store read has stored times")
    out = {}
    for name in ("created_at", "updated_at"):
        value = row.get(name)
        if name in numbers and isinstance(value, str):
            value = int(value) if value.lstrip("-").isdigit() else float(value)
        out[name] = value
    return out


def user_of(value: Any) -> str | None:
    return None if value is None else shown_id(value)


def shown_id(value: Any) -> str:
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    return "NULL" if value is None else str(value)


def _decoder(columns: tuple[str, ...]) -> Callable[[RowState], UserMemory]:
    """A function that decodes rows of these columns, and raises RowProblem with the reason where it cannot."""
    absent = len(columns)
    place = {name: columns.index(name) if name in columns else absent for name in (*IDENTIFYING, *OPTIONAL)}
    id_, memory, topics, user = (place[name] for name in ("memory_id", "memory", "topics", "user_id"))
    input_, agent, team, feedback = (place[name] for name in ("input", "agent_id", "team_id", "feedback"))
    created, updated = place["created_at"], place["updated_at"]

    def decode(row: RowState) -> UserMemory:
        values = (*row.values, None)
        memory_id = values[id_]
        if not isinstance(memory_id, str) or not memory_id:
            raise RowProblem("memory_id is empty" if memory_id in (None, "") else "memory_id is not a text")
        if isinstance(values[user], int | float):
            raise RowProblem("user_id is a number")
        for at in (id_, memory, topics, user):
            _require_utf8(columns[at], values[at])
        text, prompt_text, inner = _decode_memory(values[memory])
        listed = _decode_topics(values[topics])
        if listed is None and inner is not None:
            old = inner.get("topics")
            if isinstance(old, list) and all(isinstance(item, str) for item in old):
                listed = tuple(old)
        return UserMemory(
            memory=text,
            memory_id=memory_id,
            topics=listed,
            user_id=values[user],
            input=_plain_text(values[input_]),
            created_at=_decode_time(values[created]),
            updated_at=_decode_time(values[updated]),
            feedback=_plain_text(values[feedback]),
            agent_id=_plain_text(values[agent]),
            team_id=_plain_text(values[team]),
            prompt_text=prompt_text,
            raw=row,
        )

    return decode


def _require_utf8(name: str, value: Any) -> None:
    if isinstance(value, bytes):
        raise RowProblem(f"{name} is a BLOB")
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise RowProblem(f"{name} is not valid UTF-8") from None


def _decode_memory(value: Any) -> tuple[str, str | None, Mapping[str, Any] | None]:
    """The text, what Agno injects where that is something else, and the dict the text was found in."""
    if value is None:
        return "", "None", None
    if not isinstance(value, str):
        raise RowProblem("memory is a number")
    try:
        data = _load_json(value)
    except (ValueError, RecursionError):
        inner = _dict_repr(value)
        if inner is None:
            raise RowProblem("memory is not JSON") from None
        return inner["memory"], value, inner
    if isinstance(data, str):
        inner = _dict_repr(data)
        return (data, None, None) if inner is None else (inner["memory"], data, inner)
    if data is None:
        return "", "None", None
    if isinstance(data, dict):
        if not isinstance(data.get("memory"), str):
            raise RowProblem("memory is a JSON object without a text under 'memory'")
        return data["memory"], str(data), data
    raise RowProblem(f"memory is a JSON {'list' if isinstance(data, list) else 'number or boolean'}")


def _load_json(value: str) -> Any:
    """``json.loads``, with a shorter way for what nearly every row holds: one string and nothing around it."""
    if value.startswith('"'):
        text, end = scanstring(value, 1)
        if end == len(value):
            return text
    return json.loads(value)


def _dict_repr(text: str) -> dict[str, Any] | None:
    """The dict whose ``repr`` the text is, if it holds a text under ``memory``: Agno's migration from 1.x wrote such."""
    if not (text.startswith("{") and text.endswith("}") and "memory" in text[:2_000_000]):
        return None
    import ast

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            data = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return data if isinstance(data, dict) and isinstance(data.get("memory"), str) else None


@lru_cache(4096)
def _decode_topics(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise RowProblem("topics is a number")
    try:
        data = json.loads(value)
    except (ValueError, RecursionError):
        raise RowProblem("topics is not JSON") from None
    if data is None:
        return None
    if not isinstance(data, list) or not all(isinstance(item, str) for item in data):
        raise RowProblem("topics is not a list of texts")
    return tuple(data)


def _decode_time(value: Any) -> int | float | None:
    """None also where the value is no point in time: the row can still be read, and its date is not known."""
    if isinstance(value, bytes):
        return None
    try:
        return to_epoch(value)
    except (ValueError, OverflowError, OSError):
        return None


def _plain_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)


def erasing(erasure: Erasure) -> journal.Erasing:
    """What a purge takes from the journal."""
    return journal.Erasing(
        wanted=lambda edit: edit.memory_id in erasure.ids or edit_tells(edit, erasure.tells),
        tells=erasure.tells,
        private=erasure.private_options,
        digest=fingerprint,
    )


def edit_tells(edit: Edit, tells: Callable[[str], bool]) -> bool:
    """Whether a text of the journalled rows says what is to be erased: the memory's own, or what stands in another column."""
    for row in (edit.before, edit.after):
        for name, value in () if row is None else zip(row.columns, row.values, strict=True):
            if not isinstance(value, str) or name in ("memory_id", "user_id"):
                continue
            with suppress(RowProblem):
                if name == "memory":
                    value = _decode_memory(value)[0]
                elif name == "topics":
                    value = "\n".join(_decode_topics(value) or ())
            if tells(value):
                return True
    return False
