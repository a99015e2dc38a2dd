"""Connecting to a Postgres that belongs to somebody else: addresses, transactions, and errors in one line without secrets.

Addresses are libpq's: ``postgresql://`` and ``postgres://`` URLs, SQLAlchemy's ``postgresql+driver://``, and ``key=value`` texts
such as ``service=mem``. What an address lacks comes from where libpq looks (``PGUSER``, ``~/.pgpass``, ``pg_service.conf``, ...).

Passwords stay in ``Server`` alone. Addresses are checked here before libpq sees them, because libpq quotes what it cannot read,
and an unescaped ``@`` makes a piece of the password part of the host's name. Every setting of a transaction is made with ``SET
LOCAL``, so that a pooler that hands connections on between transactions does no harm.
"""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

from memopt.errors import Interrupted, MemoptError, StoreError, StoreLocked, UsageError

if TYPE_CHECKING:
    import psycopg

    Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

_URL = re.compile(r"postgres(?:ql)?(?:\+[A-Za-z0-9_]+)?:", re.IGNORECASE)
_ENCODE = (
    "a character of the password (or name) that means something in a URL must be percent-encoded: "
    "@ is %40, : is %3A, / is %2F, ? is %3F, # is %23, % is %25"
)
_KEYS = ("service", "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "sslmode")
_KEY_VALUE = re.compile(rf"\s*(?:{'|'.join(_KEYS)})\s*=", re.IGNORECASE)
_SECRET = ("password", "sslpassword", "passfile", "sslkey", "oauth_client_secret", "scram_client_key", "scram_server_key")

_MAY_HOLD_AT = ("user", "password", "options", "application_name", "host", "passfile", "sslcert", "sslkey", "sslrootcert")

CONNECT_TIMEOUT = 10
_MOST_IDLE = 8
# A client that vanished without a word (its machine lost power) must not hold its locks longer than this.
_IDLE_SECONDS = 60
_TOO_LATE = "interrupted, but the change was already written; see memopt history, and memopt undo takes it back"
_UNKNOWN_COMMIT = "the connection was lost during the commit: either all of it was written or nothing; memopt history tells which"

LOCK_NOT_AVAILABLE = "55P03"
INSUFFICIENT_PRIVILEGE = "42501"
_IN_THE_WAY = {"40P01": "a deadlock", "40001": "a serialization failure"}


def is_address(text: str) -> bool:
    """Whether a store's name is an address of Postgres. A file that is called so goes first."""
    if _URL.match(text):
        return True
    return bool(_KEY_VALUE.match(text)) and not os.path.exists(text)  # noqa: PTH110 - a text, perhaps no path at all


def public(address: str) -> str:
    """An address for the eye: without password and other secrets. Anything else comes back as it is."""
    if not is_address(address):
        return address
    if not _URL.match(address):
        return re.sub(rf"(?i)\b({'|'.join(_SECRET)})\s*=\s*('(?:[^'\\]|\\.)*'?|(?:[^\s\\]|\\.)*)\s*", "", address).strip()
    scheme, _, rest = address.partition(":")
    parts = _split(rest)
    if parts is None:
        return f"{scheme}://..."
    login, hosts, path, query = parts
    user = login.partition(":")[0]
    kept = "&".join(part for part in query.split("&") if part and part.partition("=")[0].lower() not in _SECRET)
    return f"{scheme}://{user}{'@' if user else ''}{hosts}{path}{'?' if kept else ''}{kept}"


def _split(rest: str) -> tuple[str, str, str, str] | None:
    """What stands behind a URL's scheme, as login, hosts, path and query; None where a character is in the wrong place."""
    if not rest.startswith("//"):
        return None
    authority = re.split(r"[/?]", rest[2:], maxsplit=1)[0]
    path, _, query = rest[2 + len(authority) :].partition("?")
    login, _, hosts = authority.rpartition("@")
    if "@" in login or "@" in path or re.search(r"%(?![0-9A-Fa-f]{2})|%00", rest):
        return None
    for part in query.split("&") if query else ():
        key, equals, value = part.partition("=")
        if not equals or "@" in key or ("@" in value and key not in _MAY_HOLD_AT):
            return None  # rather a ? in the password than a parameter
    if any(re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(:[0-9]*)?", host) is None for host in hosts.split(",")):
        return None
    return login, hosts, path, query


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError as error:
        if error.name not in (None, "psycopg"):
            raise
        raise UsageError("a Postgres store needs psycopg: pip install 'memopt[postgres]'") from None
    return psycopg


def read_address(address: str) -> dict[str, str]:
    """The connection parameters of an address, by libpq's names.

    Raises:
        UsageError: it cannot be read. The message quotes nothing of it that could be a secret.
    """
    psycopg = _psycopg()
    from psycopg import pq
    from psycopg.conninfo import conninfo_to_dict

    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    if not _URL.match(address):
        try:
            found = conninfo_to_dict(address)
        except psycopg.Error:
            raise UsageError(
                "the database is no connection text of key=value pairs that libpq can read; its keys are host, port, dbname, "
                "user, password, service, ...; values with blanks stand in single quotes"
            ) from None
        return {key: str(value) for key, value in found.items() if value is not None}

    _, _, rest = address.partition(":")
    if not rest.startswith("//"):
        raise UsageError("a Postgres URL begins with postgresql:// (two slashes)")
    parts = _split(rest)
    if parts is None:
        raise UsageError(f"the Postgres URL cannot be read; {_ENCODE}")
    query = parts[3]
    for part in query.split("&") if query else ():
        key = part.partition("=")[0]
        if key == "ssl":  # what asyncpg calls it
            rest = re.sub(r"([?&])ssl=(?=(?:disable|allow|prefer|require|verify-ca|verify-full)(?:&|$))", r"\1sslmode=", rest)
        elif key not in known:
            if "@" in query:
                raise UsageError(f"the Postgres URL cannot be read; {_ENCODE}")
            raise UsageError(f"the Postgres URL has a parameter that libpq does not know: {key!r}")
    try:
        found = conninfo_to_dict("postgresql:" + rest)
    except (psycopg.Error, UnicodeError):  # %CD may be no escape at all, but a piece of the password
        raise UsageError(f"the Postgres URL cannot be read; {_ENCODE}") from None
    return {key: str(value) for key, value in found.items() if value is not None}


def location_of(conn: Connection) -> str:
    """Where a connection leads, as a URL without user, password and parameters: the same for everyone who gets there this way."""
    found = {option.keyword.decode(): (option.val or b"").decode() for option in conn.pgconn.info}
    host = found.get("host") or found.get("hostaddr") or conn.info.host
    port = found.get("port") or str(conn.info.port)
    return _location(host, port, conn.info.dbname)


def _location(host: str, port: str, database: str) -> str:
    name = quote(database, safe="")
    if host.startswith(("/", "@")):
        return f"postgresql:///{name}?host={quote(host, safe='/')}&port={port}"
    hosts, ports = host.split(","), port.split(",")
    ports = ports * len(hosts) if len(ports) == 1 else ports
    shown = ",".join(f"{f'[{h}]' if ':' in h else h}:{p or '5432'}" for h, p in zip(hosts, ports, strict=False))
    return f"postgresql://{shown}/{name}"


def _where(params: dict[str, str]) -> str:
    """What is known of a location before there is a connection."""
    if "service" in params:
        return f"the Postgres service {params['service']}"
    host = params.get("host") or params.get("hostaddr") or os.environ.get("PGHOST")
    name = params.get("dbname") or os.environ.get("PGDATABASE") or params.get("user") or ""
    if host is None:
        return f"the Postgres of this machine (database {name or 'not named'})"
    return _location(host, params.get("port") or os.environ.get("PGPORT") or "5432", name)


def one_line(error: BaseException) -> str:
    """What the server said, without its details, which may quote stored values; or what libpq said, in one line."""
    diag = getattr(error, "diag", None)
    said = getattr(diag, "message_primary", None) or str(error)
    said = re.sub(r"\s*Is the server running .*?\?", "", said, flags=re.DOTALL)
    return " ".join(said.split()) or type(error).__name__


def translate(error: psycopg.Error, where: str, *, waited: float) -> MemoptError:
    """Postgres's error as one of ours, in one line.

    Args:
        where: the location.
        waited: how long a lock was waited for, seconds.
    """
    psycopg = _psycopg()
    state, said = error.sqlstate or "", one_line(error)
    if state == LOCK_NOT_AVAILABLE:
        return StoreLocked(
            f"{where} is locked by another session (a running agent, another memopt or a migration) and stayed so for "
            f"{waited:g} s; try again, or wait longer with --lock-timeout"
        )
    if state in _IN_THE_WAY:
        return StoreLocked(f"{where}: another session was in the way ({_IN_THE_WAY[state]}); nothing was written, try again")
    if state == "57014":
        return StoreError(
            f"{where}: the server stopped a statement ({said}); the role's or database's statement_timeout is too short for it: "
            "ALTER ROLE ... SET statement_timeout, or ?options=-cstatement_timeout%3D10min in the URL"
        )
    if state == "25006":
        return StoreError(f"{where} can only be read (a standby server, or default_transaction_read_only is on): {said}")
    if state in ("53100", "53200", "53300", "53400"):
        return StoreError(f"{where} has no resources left: {said}")
    if state in ("22P05", "22021"):
        return StoreError(f"{where} cannot hold a character of a text in its encoding: {said}; nothing was written")
    if state.startswith("57P") or (not state and isinstance(error, psycopg.OperationalError)):
        return StoreError(f"{where}: the connection was lost ({said}); nothing was written")
    return StoreError(f"{where}: {said}")


def _take_bytes(conn: Connection) -> None:
    """Let texts that are no UTF-8 come and go with their bytes escaped as in Python: SQL_ASCII promises no encoding."""
    from psycopg.adapt import Loader
    from psycopg.types.string import StrDumperUnknown

    psycopg = _psycopg()

    class Text(Loader):
        def load(self, data: Any) -> str:
            return bytes(data).decode("utf-8", "surrogateescape")

    class Str(StrDumperUnknown):
        def dump(self, obj: str) -> Any:
            data = obj.encode("utf-8", "surrogateescape")
            if b"\0" in data:
                raise psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
            return data

    # Asked for in UTF-8, the server would refuse the whole answer for one byte.
    conn.execute("SET client_encoding TO 'SQL_ASCII'")
    for type_ in ("text", "varchar", "bpchar", "name"):
        conn.adapters.register_loader(type_, Text)
    conn.adapters.register_dumper(str, Str)


_PARENTS: list[Any] = []  # connections of the process that forked this one; they must never be closed here


class Server:
    """Connections to one database, kept for the next transaction. Safe to use from several threads.

    Args:
        params: libpq's parameters, with the password if there is one.
        lock_timeout: how long to wait for another session's lock, seconds.

    Raises:
        StoreError: it cannot be reached, or refuses the login.
    """

    def __init__(self, params: dict[str, str], lock_timeout: float) -> None:
        self._params = params
        self.lock_timeout = lock_timeout
        self.where = _where(params)
        self._idle: list[Connection] = []
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self.close = weakref.finalize(self, _close_all, self._idle, self._pid)
        conn = self._connect()
        self.where = location_of(conn)
        self.role = conn.info.user
        self.database = conn.info.dbname
        self._give_back(conn)

    def __repr__(self) -> str:
        return f"Server({self.where!r})"

    def _connect(self) -> Connection:
        psycopg = _psycopg()
        params: dict[str, Any] = {"fallback_application_name": "memopt", **self._params, "client_encoding": "UTF8"}
        if "connect_timeout" not in params and not os.environ.get("PGCONNECT_TIMEOUT"):
            params["connect_timeout"] = CONNECT_TIMEOUT
        try:
            conn: Connection = psycopg.connect(**params, autocommit=True, prepare_threshold=None)
            if conn.info.parameter_status("server_encoding") == "SQL_ASCII":
                _take_bytes(conn)
        except (psycopg.Error, UnicodeError, ValueError) as error:
            # No cause: its frames would hold the parameters.
            raise StoreError(f"{self.where} cannot be opened: {self._scrubbed(one_line(error))}") from None
        return conn

    def _scrubbed(self, text: str) -> str:
        for key in _SECRET:
            secret = self._params.get(key, "")
            if len(secret) >= 3:
                text = text.replace(secret, "***")
        return re.sub(r"^connection (?:failed: connection )?(?=to server)", "", text)

    def session(self) -> Connection:
        """A connection of its own, which the caller closes: for what belongs to a session and not to a transaction."""
        conn = self._connect()
        with suppress(_psycopg().Error):
            conn.execute("SET idle_session_timeout = 0")  # Postgres 14; it may lie idle while a model thinks
        with suppress(_psycopg().Error):
            # Advisory locks of a machine that vanished without a word end after a minute, not after the system's two hours.
            conn.execute("SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3")
        return conn

    def _take(self) -> tuple[Connection, bool]:
        """A connection, and whether it was used before."""
        with self._lock:
            if self._pid != os.getpid():  # a forked child must not speak on its parent's connections
                _PARENTS.append(self._idle[:])
                self._idle.clear()
                self._pid = os.getpid()
            while self._idle:
                conn = self._idle.pop()
                if not conn.closed:
                    return conn, True
        return self._connect(), False

    def _give_back(self, conn: Connection) -> None:
        with self._lock:
            if not conn.closed and len(self._idle) < _MOST_IDLE and self.close.alive:
                self._idle.append(conn)
                return
        conn.close()

    def _begin(self, mode: str, *more: str) -> Connection:
        """A connection inside a transaction that was begun in one round trip."""
        psycopg = _psycopg()
        wait = max(1, round(self.lock_timeout * 1000))  # 0 would mean without end
        settings = (
            f"lock_timeout = {wait}",
            "DateStyle = 'ISO, MDY'",
            "IntervalStyle = 'postgres'",
            "TimeZone = 'UTC'",
            "bytea_output = 'hex'",
            "extra_float_digits = 1",
            *more,
        )
        sql = "; ".join((f"BEGIN ISOLATION LEVEL {mode}", *(f"SET LOCAL {setting}" for setting in settings)))
        while True:
            conn, used = self._take()
            try:
                conn.execute(sql)
                return conn
            except psycopg.OperationalError:
                broken = conn.closed or conn.broken
                conn.close()
                if not (used and broken):  # a kept connection may have died while it lay idle: the server was restarted
                    raise
            except BaseException:
                conn.close()
                raise

    def reading(self) -> AbstractContextManager[Connection]:
        """A connection in a transaction that sees one moment and cannot write.

        Raises:
            StoreError: errors of Postgres inside the block, translated; StoreLocked where a lock was not to be had.
        """
        return self._transaction("REPEATABLE READ READ ONLY", end=lambda conn: conn.execute("COMMIT"))

    def writing(self, *, commit: bool = True) -> AbstractContextManager[Connection]:
        """A connection in a transaction; committed at the end of the block, rolled back on any exception or without ``commit``.

        READ COMMITTED on purpose: what is compared is read after its locks were granted, and then is what everybody else
        committed before.

        Raises:
            StoreError: as ``reading``; also where the connection was lost during the commit.
            Interrupted: Ctrl-C came when the commit was done already.
        """
        idle = f"idle_in_transaction_session_timeout = {_IDLE_SECONDS * 1000}"
        return self._transaction("READ COMMITTED", idle, end=self._commit if commit else lambda conn: conn.execute("ROLLBACK"))

    @contextmanager
    def _transaction(self, isolation: str, *settings: str, end: Callable[[Connection], object]) -> Iterator[Connection]:
        psycopg = _psycopg()
        try:
            conn = self._begin(isolation, *settings)
            try:
                yield conn
                end(conn)
            except BaseException:
                self._roll_back(conn)
                raise
            self._give_back(conn)
        except psycopg.Error as error:
            raise translate(error, self.where, waited=self.lock_timeout) from error

    def _commit(self, conn: Connection) -> None:
        psycopg = _psycopg()
        row = conn.execute("SELECT txid_current_if_assigned()").fetchone()
        number = row[0] if row else None
        try:
            conn.execute("COMMIT")
        except KeyboardInterrupt:
            if number is not None and self._outcome(number) == "committed":
                raise Interrupted(_TOO_LATE) from None
            raise
        except psycopg.OperationalError as error:
            if number is None or not (conn.closed or conn.broken):
                raise
            outcome = self._outcome(number)
            if outcome == "committed":
                return
            if outcome != "aborted":
                raise StoreError(f"{self.where}: {_UNKNOWN_COMMIT}") from error
            raise

    def _outcome(self, number: int) -> str | None:
        """``committed``, ``aborted`` or ``in progress``, as another connection sees a transaction; None: not known."""
        psycopg = _psycopg()
        try:
            other = self._connect()
        except MemoptError:
            return None
        try:
            row = other.execute("SELECT txid_status(%s)", (number,)).fetchone()
            return row[0] if row else None
        except psycopg.Error:
            return None
        finally:
            other.close()

    def _roll_back(self, conn: Connection) -> None:
        from psycopg.pq import TransactionStatus

        psycopg = _psycopg()
        with suppress(psycopg.Error):
            if not conn.closed and conn.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
                conn.execute("ROLLBACK")
                self._give_back(conn)
                return
        conn.close()


def _close_all(idle: list[Connection], pid: int) -> None:
    if pid != os.getpid():
        return
    while idle:
        with suppress(Exception):
            idle.pop().close()


def lock_number(purpose: str, table: str, user_id: str | None) -> int:
    """The number of an advisory lock on a user: 64 bits with sign, out of SHA-256. The same on every machine."""
    who = "-" if user_id is None else f"+{user_id}"
    digest = sha256("\x1f".join(("memopt", purpose, table, who)).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def quote_name(name: str) -> str:
    """An SQL identifier, for a statement that is given parameters, be they none: in others psycopg leaves ``%%`` as it is."""
    return '"' + name.replace('"', '""').replace("%", "%%") + '"'


def as_typed(name: str) -> str:
    """An identifier as a person types it: in quotes only where it needs them."""
    return name if re.fullmatch(r"[a-z_][a-z0-9_$]*", name) else quote_name(name).replace("%%", "%")
