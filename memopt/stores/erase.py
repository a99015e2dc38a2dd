"""Overwriting what an SQLite file still holds of deleted rows, and looking for what is left.

``secure_delete`` overwrites what is deleted from then on; it does nothing about pages that were freed before, about
free space inside of pages, nor about the write-ahead log. ``VACUUM`` rebuilds the file without either, and
``wal_checkpoint(TRUNCATE)`` empties the log. Both need that nobody else is reading or writing; where that cannot be had,
what is left is told and not forced. SQLite's temporary files and the disk's own blocks are beyond what a program can promise.
"""

from __future__ import annotations

import json
import shlex
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

from memopt.stores import journal
from memopt.stores.sqlite import beside, connect, descriptors, quote_name, read_at

_MOST_NEEDLES = 24
_AGAIN = "Repeat the same command with --purge --apply when nothing else has the file open"


def sweep(path: Path, timeout: float, table: str, user_id: str | None, needles: Sequence[str]) -> tuple[str, ...]:
    """Rebuild the file and empty its log, then look for the needles.

    Args:
        path: a resolved path.
        timeout: how long to wait for a lock, seconds.
        table: the memory table; of it, only the user's rows are searched for the needles.

    Returns:
        Sentences about what is left, each with what to do; empty where nothing is.
    """
    left: list[str] = []
    try:
        with closing(connect(path, "rw", timeout)) as conn:
            conn.execute("PRAGMA secure_delete = ON").fetchone()
            vacuumed = _vacuum(conn, path, left)
            _checkpoint(conn, path, left)
            found = list(_in_tables(conn, table, user_id, needles))
    except sqlite3.Error as error:
        return (f"{path} could not be rebuilt, so that free space in it may still hold the removed text ({error}). {_AGAIN}",)
    left += found
    if needles and vacuumed and not found:
        for place in (path, *(beside(path, suffix) for suffix in ("-wal", "-journal"))):
            if _holds(place, needles) and not any(str(place) in sentence for sentence in left):
                left.append(f"{place} still holds bytes of the removed text. {_AGAIN}")
    return tuple(left)


def _vacuum(conn: sqlite3.Connection, path: Path, left: list[str]) -> bool:
    renumbered = _renumbered(conn)
    if renumbered:
        left.append(
            f"{path} was not rebuilt, because that would renumber the rows of {', '.join(renumbered)}, which have neither "
            "primary key nor index; free space in it may still hold the removed text. To rebuild it all the same: "
            f"sqlite3 {shlex.quote(str(path))} VACUUM"
        )
        return False
    try:
        conn.execute("VACUUM")
    except sqlite3.OperationalError as error:
        left.append(f"{path} could not be rebuilt ({error}): free space in it may still hold the removed text. {_AGAIN}")
        return False
    return True


def _renumbered(conn: sqlite3.Connection) -> list[str]:
    """The tables whose rowids VACUUM would change: those without a primary key or index, with gaps in their numbers.

    Others may point to such rowids (a full-text index does). Source: https://www.sqlite.org/lang_vacuum.html, and
    ``xferOptimization`` in SQLite's insert.c, which numbers rows anew where a table has no index.
    """
    out: list[str] = []
    for (name,) in conn.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%'"
    ).fetchall():
        if conn.execute("SELECT 1 FROM pragma_index_list(?)", (name,)).fetchone():
            continue
        keys = [row for row in conn.execute("SELECT * FROM pragma_table_info(?)", (name,)) if row[5]]
        if len(keys) == 1 and str(keys[0][2]).upper() == "INTEGER":
            continue
        try:
            low, high, count = conn.execute(f"SELECT min(_rowid_), max(_rowid_), count(*) FROM {quote_name(name)}").fetchone()
        except sqlite3.OperationalError:
            continue  # WITHOUT ROWID
        if count and (low != 1 or high != count):
            out.append(name)
    return out


def _checkpoint(conn: sqlite3.Connection, path: Path, left: list[str]) -> None:
    (mode,) = conn.execute("PRAGMA journal_mode").fetchone()
    if mode != "wal":
        return
    busy, _, _ = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        left.append(
            f"{path} and {beside(path, '-wal')} may still hold the removed text: another process is reading, and its view of "
            f"the file needs the old pages. {_AGAIN}"
        )


def _forms(needle: str) -> set[str]:
    """The needle as it may stand in a column: as it is, and as JSON writes it."""
    return {needle, json.dumps(needle)[1:-1], json.dumps(needle, ensure_ascii=False)[1:-1]}


def all_forms(needles: Iterable[str]) -> list[str]:
    """The first few needles, as they may stand in a column."""
    shortened = list(dict.fromkeys(needle for needle in needles if len(needle) >= 4))[:_MOST_NEEDLES]
    return sorted({form for needle in shortened for form in _forms(needle)})


def _in_tables(conn: sqlite3.Connection, table: str, user_id: str | None, needles: Sequence[str]) -> Iterable[str]:
    """Which tables still hold a needle. Other users' memories are not looked at: what is theirs is not forgotten."""
    forms = all_forms(needles)
    if not forms:
        return

    def tells(value: object) -> bool:
        return isinstance(value, str) and any(form in value for form in forms)

    # one call a column: a chain of comparisons would be longer than SQLite takes
    conn.create_function("memopt_tells", 1, tells, deterministic=True)
    names = conn.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
    ).fetchall()
    for (name,) in names:
        try:
            columns = [row[1] for row in conn.execute("SELECT * FROM pragma_table_xinfo(?)", (name,)) if row[6] == 0]
            if not columns:
                continue
            test = " OR ".join(f"memopt_tells({quote_name(column)})" for column in columns)
            values: list[str | None] = []
            sql = f"SELECT count(*) FROM {quote_name(name)} WHERE ({test})"
            if name in (table, journal.TABLE):
                sql += " AND user_id IS ?"
                values.append(user_id)
            (count,) = conn.execute(sql, values).fetchone()
        except sqlite3.OperationalError:
            continue  # a virtual table of an extension that is not loaded here
        if not count:
            continue
        rows = f"{count} {'row' if count == 1 else 'rows'}"
        if name == table:
            yield f"{rows} of this user's memories still hold words of the removed text; see the plan for those that were kept"
        elif name == journal.TABLE:
            yield f"{rows} of the journal still hold words of the removed text; memopt history --prune drops them"
        else:
            yield f"the table {name} still holds words of the removed text in {rows}; memopt changes memories only"


def _holds(path: Path, needles: Sequence[str]) -> bool:
    """Whether the raw bytes of a file hold a needle."""
    try:
        if not path.stat().st_size:
            return False
        wanted: list[bytes] = []
        for form in all_forms(needles):
            with suppress(UnicodeEncodeError):  # no file holds half a surrogate pair
                wanted += [form.encode("utf-8"), form.encode("utf-16-le")]
        overlap = max(map(len, wanted), default=1) - 1
        with descriptors.of(path) as handle:
            place, tail = 0, b""
            while piece := read_at(handle, 1 << 22, place):
                data = tail + piece
                if any(form in data for form in wanted):
                    return True
                place += len(piece)
                tail = data[len(data) - overlap :] if overlap else b""
        return False
    except (OSError, ValueError):
        return False
