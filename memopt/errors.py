"""One exception family. Every class carries the exit code of the process it ends, so that nobody maps codes twice."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, ClassVar


class ExitCode(IntEnum):
    """Exit codes of the command line; the README's table is generated from the comments' twin, ``EXIT_CODES``."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    PENDING = 3
    REFUSED = 4
    CONFLICT = 5
    STORE = 6
    PARTIAL = 7
    MODEL = 8
    INTERRUPTED = 130


EXIT_CODES: dict[ExitCode, str] = {
    ExitCode.OK: "done, or nothing to do",
    ExitCode.FAILURE: "failure that has no code of its own",
    ExitCode.USAGE: "usage: unknown option, strategy, user, table or setting, or a bad value",
    ExitCode.PENDING: "changes are pending (only with `--check`), or `memopt doctor` found something (`--fail-on`)",
    ExitCode.REFUSED: "refused by a guard: verification (`--on-loss fail`), `--max-drop`, lost answers (`--min-recall`), an "
    "empty result, a limit on requests or cost, a strategy that broke its contract",
    ExitCode.CONFLICT: "conflict: the store changed since the plan was made, or the plan is altered, of another version "
    "or from another store",
    ExitCode.STORE: "the store is locked, cannot be opened or cannot be written",
    ExitCode.PARTIAL: "some users failed (runs over many users)",
    ExitCode.MODEL: "the model could not be reached or answered unusably",
    ExitCode.INTERRUPTED: "interrupted (Ctrl-C, SIGTERM); nothing was written unless it says so",
}


class MemoptError(Exception):
    """Base of all errors memopt raises on purpose. ``str(error)`` is the one line a person reads.

    Attributes:
        exit_code: the process's exit code.
        kind: a stable word for programs (``--json`` prints it).
        details: further facts for programs, JSON-ready.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.FAILURE
    kind: ClassVar[str] = "failure"

    def __init__(self, message: str, **details: Any) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = details


class UsageError(MemoptError):
    """The caller asked for something that does not exist or cannot be."""

    exit_code = ExitCode.USAGE
    kind = "usage"


class UnknownUser(UsageError):
    """No memory of that user is in the store."""

    kind = "unknown-user"


class GuardError(MemoptError):
    """A guard refused the plan; nothing was written."""

    exit_code = ExitCode.REFUSED
    kind = "refused"


class StrategyError(GuardError):
    """A strategy raised, or returned something that is not the memories of the user it was given."""

    kind = "strategy"


class VerificationError(GuardError):
    """A rewrite lost or invented facts, and was refused."""

    kind = "verification"


class LimitError(GuardError):
    """The next request would go beyond what was allowed to be asked or spent; nothing was written."""

    kind = "limit"


class ConflictError(MemoptError):
    """Rows the plan changes, drops or relies on are no longer what it was made from; nothing was written."""

    exit_code = ExitCode.CONFLICT
    kind = "conflict"


class PlanFileError(MemoptError):
    """A plan file that is altered, of another version, or made from another store."""

    exit_code = ExitCode.CONFLICT
    kind = "plan-file"


class StoreError(MemoptError):
    """The store cannot be opened, read or written."""

    exit_code = ExitCode.STORE
    kind = "store"


class StoreLocked(StoreError):
    """Another process held the store's lock for longer than the time we wait."""

    kind = "locked"


class ModelError(MemoptError):
    """The model could not be reached, or refused to serve.

    Attributes:
        final: no further request to this service can succeed now.
    """

    exit_code = ExitCode.MODEL
    kind = "model"
    final: ClassVar[bool] = False


class AnswerRefused(ModelError):
    """The model answered, but not with something that may become a memory."""

    kind = "answer"


class Interrupted(MemoptError):
    """Ctrl-C or a termination signal."""

    exit_code = ExitCode.INTERRUPTED
    kind = "interrupted"
