"""The options that commands share, and the values behind them. All are read as texts: each is checked where it is used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.grouped import Without
from memopt.cli.safe import native_path
from memopt.errors import UsageError
from memopt.settings import CONFIG_FILE, DEFAULT_DB, Settings, resolve

if TYPE_CHECKING:
    from memopt.manager import MemoryManager
    from memopt.models.base import Model
    from memopt.strategies.base import Watch

STORE_PANEL = "Store"


def complete_strategy(incomplete: str) -> list[str]:
    """Names for the shell; nothing is imported but the list of names."""
    from memopt.strategies.registry import names

    return [name for name in names() if name.startswith(incomplete)]


Db = Annotated[
    str | None, typer.Option("--db", metavar="PATH", help="The store: a path, or a sqlite:/// or postgresql:// URL [MEMOPT_DB].")
]
Table = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="The memory table, where there are several [MEMOPT_TABLE]."),
]
Encoding = Annotated[
    str | None,
    typer.Option("--encoding", metavar="NAME", help="Count tokens with this tiktoken encoding, or a model's [MEMOPT_ENCODING]."),
]
LockTimeout = Annotated[
    str | None,
    typer.Option("--lock-timeout", metavar="SECONDS", help="Wait so long for a locked store; default 5 [MEMOPT_LOCK_TIMEOUT]."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
User = Annotated[str | None, typer.Option("--user", "-u", metavar="ID", help="The user whose memories are meant.")]
NoUser = Annotated[bool, typer.Option("--no-user", help="The memories that belong to no user.")]
OnConflict = Annotated[
    str | None,
    typer.Option(
        "--on-conflict",
        metavar="stop|skip",
        help="Where stored rows changed meanwhile: write nothing (stop, the default), or leave out what is tied to them (skip).",
    ),
]
MaxDrop = Annotated[
    str | None,
    typer.Option("--max-drop", metavar="N|N%", help="Refuse (exit 4) if more memories than this would be dropped."),
]
Questions = Annotated[
    str | None,
    typer.Option("--questions", metavar="FILE", help="Labelled questions, one JSON object a line: see docs/evaluation.md."),
]
MinRecall = Annotated[
    str | None,
    typer.Option(
        "--min-recall",
        metavar="SHARE",
        help="Refuse (exit 4) a plan after which less than this share of the --questions that the memories answer now is "
        "still answered, such as 0.95.",
    ),
]
AllowEmpty = Annotated[bool, typer.Option("--allow-empty", help="Accept a plan that leaves no memory at all.")]
Purge = Annotated[
    bool,
    typer.Option("--purge", help="When writing, leave no copy of what is removed, in the journal or the file. There is no undo."),
]
Log = Annotated[
    str | None,
    typer.Option("--log", metavar="FILE", help="With many users: add one JSON line a user to this file."),
]
Report = Annotated[
    str | None,
    typer.Option("--report", metavar="FILE", help="Sum the run up in a file for a mail or a ticket: .md (Markdown) or .html."),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="With many users: the table also where plans are written, and where nobody looks.")
]
Full = Annotated[bool, typer.Option("--full", help="Show long texts whole.")]


@dataclass(frozen=True, slots=True)
class Common:
    """The options that commands on a store take. ``debug`` is looked at before anything else (``cli.run``)."""

    db: Db = None
    table: Table = None
    encoding: Encoding = None
    lock_timeout: LockTimeout = None
    json: Json = False
    debug: Debug = False

    def settings(self, **flags: str | None) -> Settings:
        """These flags with the environment, ./memopt.toml and the defaults behind them."""
        given = {
            "db": self.db,
            "table": self.table,
            "encoding": self.encoding,
            "lock_timeout": self.lock_timeout,
            **flags,
        }
        return settings_here(given)

    def manager(
        self, settings: Settings, model: Model | None = None, judge: Model | None = None, watch: Watch | None = None
    ) -> MemoryManager:
        """A manager on the store that the settings name."""
        db = native_path(settings.need_db())
        from memopt.manager import MemoryManager

        return MemoryManager(
            db,
            model,
            judge=judge,
            watch=watch,
            concurrency=settings.concurrency,
            table=settings.table,
            encoding=settings.encoding,
            lock_timeout=settings.lock_timeout,
        )


OnStore = Annotated[Common, Without("encoding")]
OnDatabase = Annotated[Common, Without("table", "encoding")]


def settings_here(flags: dict[str, str | None]) -> Settings:
    """Settings for this process: its environment and the current folder's files."""
    import os

    from memopt.cli.safe import repaired

    for name, value in flags.items():
        if value is not None and name != "db":
            checked_text(value, "--" + name.replace("_", "-"))
    environ = {name: repaired(value) for name, value in os.environ.items() if name.startswith(("MEMOPT_", "OPENAI_"))}
    try:
        config: bytes | None = Path(CONFIG_FILE).read_bytes()
    except FileNotFoundError:
        config = None
    except OSError as error:
        raise UsageError(f"./{CONFIG_FILE} cannot be read: {error.strerror}") from None
    return resolve(flags, environ, config, default_db=Path(DEFAULT_DB).is_file())


def checked_text(value: str, where: str) -> str:
    """A text from the command line that goes into a store or a request. Raises UsageError where its bytes were not UTF-8."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{where}: {value!r} is not UTF-8") from None
    return value


def read_pairs(texts: Iterable[str]) -> dict[str, str]:
    """The values of ``-o KEY=VALUE`` by key, in order. Raises UsageError for another form, or a key that is given twice."""
    found: dict[str, str] = {}
    for text in texts:
        key, separator, value = checked_text(text, "-o").partition("=")
        key = key.strip()
        if not separator or not key:
            raise UsageError(f"-o takes KEY=VALUE, not {text!r}")
        if key in found:
            raise UsageError(f"option {key!r} is given twice")
        found[key] = value
    return found


def one_user(user: str | None, no_user: bool) -> str | None:
    """The user that was named; None for the memories of nobody. Raises UsageError where none or both were named."""
    if user is not None and no_user:
        raise UsageError("--user and --no-user exclude each other")
    if user is None and not no_user:
        raise UsageError("say which user: --user ID, or --no-user for memories that belong to nobody; memopt users lists them")
    if user is not None and not user.strip():
        raise UsageError("--user is empty; --no-user means the memories that belong to nobody")
    return None if user is None else checked_text(user, "--user")


def conflict_mode(value: str | None) -> Any:
    """``stop`` or ``skip``."""
    if value not in (None, "stop", "skip"):
        raise UsageError(f"--on-conflict takes stop or skip, not {value!r}")
    return value or "stop"
