"""Store files in Agno's exact schemas, written through sqlite3 with raw values, and memopt as a real subprocess."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[2]
FIXTURES = REPO / "fixtures"
TABLE = "agno_memories"

_INDEXED = {
    "3": ("user_id", "created_at", "updated_at"),
    "2.0": ("updated_at", "user_id"),
    "migrated": ("updated_at", "user_id", "created_at"),
}

# Character for character (trailing blanks included) as Agno 2.3 to 3.x, Agno 2.0 to 2.2, and Agno's migration from 2.0
# leave them.
SCHEMAS = {
    "3": (
        "CREATE TABLE {table} (\n\tmemory_id VARCHAR NOT NULL, \n\tmemory JSON NOT NULL, \n\tinput VARCHAR, \n"
        "\tagent_id VARCHAR, \n\tteam_id VARCHAR, \n\tuser_id VARCHAR, \n\ttopics JSON, \n\tfeedback VARCHAR, \n"
        "\tcreated_at BIGINT NOT NULL, \n\tupdated_at BIGINT, \n\tPRIMARY KEY (memory_id)\n)"
    ),
    "2.0": (
        "CREATE TABLE {table} (\n\tmemory_id VARCHAR NOT NULL, \n\tmemory JSON NOT NULL, \n\tinput VARCHAR, \n"
        "\tagent_id VARCHAR, \n\tteam_id VARCHAR, \n\tuser_id VARCHAR, \n\ttopics JSON, \n\tupdated_at BIGINT, \n"
        "\tPRIMARY KEY (memory_id)\n)"
    ),
    "migrated": (
        "CREATE TABLE {table} (\n\tmemory_id VARCHAR NOT NULL, \n\tmemory JSON NOT NULL, \n\tinput VARCHAR, \n"
        "\tagent_id VARCHAR, \n\tteam_id VARCHAR, \n\tuser_id VARCHAR, \n\ttopics JSON, \n\tupdated_at BIGINT, "
        "created_at BIGINT NOT NULL DEFAULT 1796020449, feedback VARCHAR, \n\tPRIMARY KEY (memory_id)\n)"
    ),
}

_VERSIONS = (
    "CREATE TABLE agno_schema_versions (\n\ttable_name VARCHAR NOT NULL, \n\tversion VARCHAR NOT NULL, \n"
    "\tcreated_at VARCHAR NOT NULL, \n\tupdated_at VARCHAR, \n\tPRIMARY KEY (table_name)\n)"
)

COLUMNS = {
    "3": (
        "memory_id", "memory", "input", "agent_id", "team_id", "user_id", "topics", "feedback", "created_at",
        "updated_at",
    ),
    "2.0": ("memory_id", "memory", "input", "agent_id", "team_id", "user_id", "topics", "updated_at"),
    "migrated": (
        "memory_id", "memory", "input", "agent_id", "team_id", "user_id", "topics", "updated_at", "created_at",
        "feedback",
    ),
}  # fmt: skip


class Sql(str):
    """A column value given as an SQL expression, for what cannot be bound: ``Sql("CAST(x'22c32822' AS TEXT)")``."""

    __slots__ = ()


def row(memory_id: str, text: Any, *, user: str | None = "u1", at: Any = 1767258000, **columns: Any) -> dict[str, Any]:
    """One row as Agno writes it: ``text`` as a JSON string with escapes, topics a JSON list or ``null``.

    ``columns`` are raw column values that replace what Agno would have written; ``topics`` given as a list is encoded.
    """
    out: dict[str, Any] = {
        "memory_id": memory_id,
        "memory": json.dumps(text),
        "input": None,
        "agent_id": None,
        "team_id": None,
        "user_id": user,
        "topics": "null",
        "feedback": None,
        "created_at": at,
        "updated_at": at,
    }
    out.update(columns)
    if isinstance(out["topics"], list | tuple):
        out["topics"] = json.dumps(list(out["topics"]))
    return out


START = 1_767_258_000


def rows_of(users: Iterable[str], copies: int = 2) -> list[dict[str, Any]]:
    """Rows of users who each have one memory so many times, the first from ``START``, one a day."""
    return [
        row(f"{user}-{place}", f"{user} has a red bicycle.", user=user, at=START + place * 86_400)
        for user in users
        for place in range(copies)
    ]


def written(path: Path, rows: Iterable[Any]) -> Path:
    """A file of JSON objects, one a line."""
    path.write_text("".join(json.dumps(item) + "\n" for item in rows), encoding="utf-8")
    return path


def store_of(path: Path, texts: Mapping[str, str]) -> Path:
    """A store with these memories of ``u1`` by id, each a day later than the one before, and two of ``v``."""
    rows = [row(key, text, at=START + n * 86_400, topics=["t"]) for n, (key, text) in enumerate(texts.items())]
    rows += [row("v1", "User lives in Rome.", user="v"), row("v2", "User likes chess.", user="v", at=1_767_300_000)]
    return make_store(path, rows)


def raw(memory: Any) -> dict[str, Any]:
    """A UserMemory as raw column values."""
    return {
        "memory_id": memory.memory_id,
        "memory": json.dumps(memory.memory),
        "topics": json.dumps(None if memory.topics is None else list(memory.topics)),
        **{
            name: getattr(memory, name)
            for name in ("user_id", "input", "agent_id", "team_id", "feedback", "created_at", "updated_at")
        },
    }


def many(count: int, *, user: str = "u1", start: int = 1_700_000_000, step: int = 60) -> Iterator[dict[str, Any]]:
    """``count`` distinct memories of one user, as an agent would have gathered them, ``step`` seconds apart."""
    things = (
        "the billing service",
        "the search index",
        "a marathon",
        "a sourdough starter",
        "German grammar",
        "a cello piece",
    )
    for number in range(count):
        thing = things[number % len(things)]
        yield row(
            f"{number:08d}-5585-52e7-975c-12fbe5fc284e",
            f"User spent {number % 97 + 3} minutes on {thing} in session {number}.",
            user=user,
            at=start + number * step,
            topics=["work", thing],
            agent_id="assistant" if number % 3 else None,
            input=f"I worked on {thing}" if number % 4 == 0 else None,
        )


def make_store(
    path: Path | str,
    rows: Iterable[Mapping[str, Any]] = (),
    *,
    journal: str = "delete",
    schema: str = "3",
    table: str = TABLE,
    sql: Sequence[str] = (),
) -> Path:
    """Write a file with one memory table of Agno's, complete without its ``-wal``.

    Args:
        rows: dicts of raw column values, as ``row`` makes them; columns that the schema lacks are dropped, missing ones
            are NULL. A value of type ``Sql`` is put into the statement as it is.
        journal: ``delete`` (Agno 2.x) or ``wal`` (Agno 3.x).
        schema: a key of SCHEMAS.
        sql: further statements, run last (triggers and such).
    """
    path = Path(path)
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute(f"PRAGMA journal_mode={journal}")
        connection.execute("BEGIN")
        exists = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        if not exists:
            connection.execute(SCHEMAS[schema].format(table=table))
            for column in _INDEXED[schema]:
                connection.execute(f"CREATE INDEX idx_{table}_{column} ON {table} ({column})")
        if (
            schema != "2.0"
            and not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'agno_schema_versions'").fetchone()
        ):
            connection.execute(_VERSIONS)
            connection.execute("CREATE INDEX idx_agno_schema_versions_created_at ON agno_schema_versions (created_at)")
            connection.execute(
                "INSERT INTO agno_schema_versions VALUES (?, '3.0.0', ?, ?)",
                (table, *["2026-01-01T08:00:00.000001"] * 2),
            )
        insert(connection, rows, schema=schema, table=table)
        for statement in sql:
            connection.execute(statement)
        connection.execute("COMMIT")
        if journal == "wal":
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
    return path


def insert(connection: sqlite3.Connection, rows: Iterable[Mapping[str, Any]], *, schema: str = "3", table: str = TABLE) -> None:
    """Insert raw rows on an open connection; the caller commits."""
    columns = COLUMNS[schema]
    plain = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    batch: list[tuple[Any, ...]] = []
    for item in rows:
        values = [item.get(column) for column in columns]
        if any(isinstance(value, Sql) for value in values):
            connection.executemany(plain, batch)
            batch = []
            holes = ", ".join(value if isinstance(value, Sql) else "?" for value in values)
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({holes})",
                [value for value in values if not isinstance(value, Sql)],
            )
        else:
            batch.append(tuple(values))
    connection.executemany(plain, batch)


def copy_store(source: Path | str, target: Path | str) -> Path:
    """Copy a fixture (complete without its ``-wal``) to a place where it may be written."""
    target = Path(target)
    shutil.copyfile(source, target)
    return target


def fixture(name: str, folder: Path) -> Path:
    """A writable copy of ``fixtures/agno/<name>`` in ``folder``."""
    return copy_store(FIXTURES / "agno" / name, folder / name)


@contextmanager
def looking(path: Path | str) -> Iterator[sqlite3.Connection]:
    """A connection that only reads and leaves nothing beside the file that was not there before."""
    path = Path(path).resolve()
    beside = [path.with_name(path.name + end) for end in ("-wal", "-shm")]
    fresh = [item for item in beside if not item.exists()]
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    try:
        yield connection
    finally:
        connection.close()
        # a read-only connection to a WAL file makes both and may not remove them
        if len(fresh) == 2 and (not fresh[0].exists() or fresh[0].stat().st_size == 0):
            for item in fresh:
                item.unlink(missing_ok=True)


Dump = dict[str, list[tuple[Any, ...]]]


def dump(path: Path | str, *tables: str, own: bool = False) -> Dump:
    """Every row of every table: rowid, then per column its storage class and bytes; the schema under ``sqlite_master``.

    Args:
        tables: only these; by default all, without memopt's own (``memopt*``) unless ``own``.

    Two dumps are equal exactly when the tables are equal byte for byte, rowids and storage classes included.
    """
    with looking(path) as connection:
        connection.text_factory = bytes
        names = [name.decode() for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        names = [n for n in names if (not tables or n in tables) and (own or not n.startswith("memopt"))]
        out: Dump = {}
        for name in names:
            columns = [item[1].decode() for item in connection.execute(f'PRAGMA table_info("{name}")')]
            wanted = ", ".join(f'typeof("{column}"), CAST("{column}" AS BLOB)' for column in columns)
            # a WITHOUT ROWID table has no rowid to order by
            try:
                out[name] = connection.execute(f'SELECT rowid, {wanted} FROM "{name}" ORDER BY rowid').fetchall()
            except sqlite3.OperationalError:
                out[name] = sorted(connection.execute(f'SELECT {wanted} FROM "{name}"').fetchall())
        if not tables:
            schema = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
            out["sqlite_master"] = [item for item in schema if own or not item[2].startswith(b"memopt")]
        return out


def records(path: Path | str, user: str | None = None, table: str = TABLE) -> list[dict[str, Any]]:
    """The rows of the memory table as dicts of raw column values, in the order of Agno's prompt (rowid)."""
    with looking(path) as connection:
        connection.row_factory = sqlite3.Row
        where, values = ("WHERE user_id = ?", (user,)) if user is not None else ("", ())
        found = connection.execute(f"SELECT rowid, * FROM {table} {where} ORDER BY rowid", values)
        return [dict(item) for item in found]


def integrity(path: Path | str) -> str:
    """``ok``, or what ``PRAGMA integrity_check`` finds. Opens the file read-write: a hot journal is rolled back."""
    connection = sqlite3.connect(path)
    try:
        return "; ".join(str(line[0]) for line in connection.execute("PRAGMA integrity_check"))
    finally:
        connection.close()


def journal_mode(path: Path | str) -> str:
    """``wal`` or ``delete``, from bytes 18 and 19 of the file header, without opening it as a database."""
    with open(path, "rb") as file:
        return "wal" if file.read(20)[18:20] == b"\x02\x02" else "delete"


_KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV", "LD_LIBRARY_PATH")


def clean_environment(**env: str | None) -> dict[str, str]:
    """The environment for a subprocess: nothing of OPENAI_*, MEMOPT_*, proxies, colours or columns leaks in.

    ``env`` adds variables; None removes one.
    """
    out = {name: os.environ[name] for name in _KEPT if name in os.environ}
    out["PYTHONPATH"] = str(REPO)
    out["NO_PROXY"] = "localhost,127.0.0.1"
    for name, value in env.items():
        if value is None:
            out.pop(name, None)
        else:
            out[name] = value
    return out


def run_memopt(
    *args: str | Path,
    env: Mapping[str, str | None] | None = None,
    cwd: Path | str | None = None,
    timeout: float = 60,
    stdin: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``python -m memopt`` as a real process, in a clean environment; never raises for its exit code.

    Without ``stdin`` the process reads from /dev/null.
    """
    return subprocess.run(
        [sys.executable, "-m", "memopt", *map(str, args)],
        env=clean_environment(**(env or {})),
        cwd=cwd,
        timeout=timeout,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        **({"input": stdin} if stdin is not None else {"stdin": subprocess.DEVNULL}),
    )


def memopt_json(*args: str | Path, code: int | None = 0, **options: Any) -> Any:
    """Run memopt with ``--json`` and return its one document; asserts the exit code unless ``code`` is None."""
    done = run_memopt(*args, "--json", **options)
    assert code is None or done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout)
