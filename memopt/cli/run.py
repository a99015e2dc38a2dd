"""One call of the command line, from the argument texts to the exit code. typer reads the arguments; the work is done after it.

A command function only checks its arguments and returns its work as a function. So nothing of the work runs inside typer,
whose own handling of interrupts, closed pipes and errors would take exit codes away from us.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from memopt.cli.safe import repaired, shown_path, visible
from memopt.errors import ExitCode, Interrupted, MemoptError, UsageError

Work: TypeAlias = Callable[[], int]

SIGPIPE_CODE = 141

_MOMENT = 1.0
"""Seconds for saying how it ended: a signal that comes later finds that nobody takes what is said."""
_SAME = 0.1
"""Seconds in which a second SIGTERM is the first one again: ``timeout`` sends it to the process and to the process's group."""


@dataclass
class Progress:
    """How far the work has come, for what is said when it is interrupted."""

    writing: Callable[[], str | None] | None = None
    """While a store is being written: tells afterwards which run was committed, if one was."""
    done: str | None = None
    """The run that was written."""
    left: str | None = None
    """While a run over many users is under way: how things stand if it is interrupted at once."""
    ended: str | None = None
    """What a run over many users wrote, in a few words, while only the telling of it is left."""
    telling: bool = False
    """Whether the command's document has been begun on standard output, so that no other one may follow it."""
    told_to_end: float | None = None
    """When SIGTERM came first (time.monotonic)."""


progress = Progress()


def run(argv: Sequence[str]) -> int:
    """Do what the arguments say. Returns the exit code; prints errors itself."""
    _prepare_streams()
    args = [repaired(arg) for arg in argv]
    options = args[: args.index("--")] if "--" in args else args
    as_json, debug = "--json" in options, "--debug" in options
    progress.writing = progress.done = progress.left = progress.ended = None
    progress.telling, progress.told_to_end = False, None
    before = {name: signal.getsignal(name) for name in (signal.SIGINT, signal.SIGTERM)}
    end_on_sigterm()
    try:
        code = _dispatch(args)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _reader_gone()
    except KeyboardInterrupt:
        before.clear()  # it stays so to the end of the process: what comes in its last moments is no news
        _only_telling()
        # One that broke into an exec of somebody's, as an import does it, is remembered by the interpreter, which would end by
        # SIGINT instead of with our exit code; the next exec makes it forget.
        exec("")  # noqa: S102
        return _report(_interrupted(), as_json=as_json, debug=debug)
    except MemoptError as error:
        return _report(error, as_json=as_json, debug=debug)
    except Exception as error:
        return _report(_translated(error), as_json=as_json, debug=debug)
    finally:
        with suppress(ValueError):  # not in the main thread
            for name, handler in before.items():
                if signal.getsignal(name) is not handler:
                    signal.signal(name, handler)


def end_on_sigterm() -> None:
    """From now on SIGTERM, as the stop of a container sends it, ends the work as Ctrl-C does; not where someone else listens to
    it, or whoever started us had it ignored."""
    with suppress(ValueError, OSError):  # not in the main thread
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _as_ctrl_c)


def told_to_end() -> bool:
    """Note that SIGTERM came. Returns whether it is the one again that is noted already."""
    now = time.monotonic()
    if progress.told_to_end is not None and now - progress.told_to_end < _SAME:
        return True
    progress.told_to_end = now
    return False


def _only_telling() -> None:
    """From now on Ctrl-C and SIGTERM are too late to end anything: what is left is to say how it ended. They end that only where
    it takes longer than a moment, because nobody reads it."""
    since = time.monotonic()

    def handle(number: int, frame: object) -> None:
        if time.monotonic() - since > _MOMENT:
            os._exit(int(ExitCode.INTERRUPTED))

    with suppress(ValueError):  # not in the main thread
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, handle)


def _as_ctrl_c(number: int, frame: Any) -> None:
    if told_to_end():
        return
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # a job in the background: a shell has Ctrl-C ignored there
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


@contextmanager
def stopping_by(stop: Callable[[], None]) -> Iterator[None]:
    """While this lasts, the first Ctrl-C or SIGTERM calls ``stop``, and the second one does what it always does."""
    before: dict[signal.Signals, Any] = {}

    def handle(number: int, frame: object) -> None:
        if number == signal.SIGTERM:
            told_to_end()
        for name, handler in before.items():
            signal.signal(name, handler)
        stop()

    with suppress(ValueError):  # not in the main thread
        for name in (signal.SIGINT, signal.SIGTERM):
            before[name] = signal.signal(name, handle)
    try:
        yield
    finally:
        with suppress(ValueError):
            for name, handler in before.items():
                signal.signal(name, handler)


@contextmanager
def telling() -> Iterator[None]:
    """While a document is printed. All work is done by then, so the first Ctrl-C or SIGTERM comes too late to end anything:
    it is printed whole. A second one ends that, where nobody reads it. No other document is put behind it, whole or not."""
    progress.telling = True
    with stopping_by(lambda: None):
        yield
        sys.stdout.flush()


def print_document(document: Mapping[str, Any]) -> None:
    """Print the one document of a command."""
    from memopt.cli.documents import dump

    text = dump(document)
    with telling():
        sys.stdout.write(text)


def _prepare_streams() -> None:
    """Make sure that every text can be printed: UTF-8 where the locale offers ASCII only, escapes for what it lacks."""
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if stream is None:  # the descriptor was closed by whoever started us
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - lives as long as the process
            continue
        if not hasattr(stream, "reconfigure"):
            continue
        ascii_only = (stream.encoding or "ascii").lower().replace("_", "-") in (
            "ascii",
            "us-ascii",
            "ansi-x3.4-1968",
            "646",
        )
        stream.reconfigure(encoding="utf-8" if ascii_only else stream.encoding, errors="backslashreplace")


def _dispatch(args: list[str]) -> int:
    from memopt.cli.app import app

    if not args:
        _parse(app, ["--help"])
        return int(ExitCode.USAGE)
    result = _parse(app, args)
    if callable(result):
        work: Work = result
        return work()
    return result if isinstance(result, int) else 0


def _parse(app: Any, args: list[str]) -> Any:
    try:
        result = app(args, prog_name="memopt", standalone_mode=False)
    except SystemExit as stop:
        if stop.code in (0, None):
            return 0  # shell completion ends this way
        raise BrokenPipeError from None  # typer's answer to a closed pipe, the only other one
    if result == int(ExitCode.INTERRUPTED):
        raise KeyboardInterrupt
    return result


def _translated(error: Exception) -> MemoptError:
    """typer's usage errors (duck-typed: older ones come from click) and what nobody foresaw, as errors of ours."""
    message = getattr(error, "format_message", None)
    if callable(message):
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "memopt"
        text = " ".join(str(message()).split())
        if path == "memopt" and text.startswith("No such option"):
            text = f"{text.rstrip('.')}; options stand after their command"
        return UsageError(f"{text.rstrip('.')}\nsee: {path} --help")
    said = " ".join(str(error).split())
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    if isinstance(error, OSError):
        name = error.filename
        where = f"{shown_path(os.fsdecode(name))}: " if isinstance(name, str | bytes) else ""
        if not where and _cannot_be_written(sys.stdout, error):
            where = "standard output: "
        return MemoptError(f"{where}{error.strerror}" if error.strerror else said or what)
    return MemoptError(f"unexpected error, {what}; --debug shows where", error=type(error).__name__)


def _cannot_be_written(stream: Any, error: OSError) -> bool:
    """Whether it is this stream that failed so: what it holds back cannot be written now either."""
    try:
        stream.flush()
    except OSError as again:
        return again.errno == error.errno
    return False


def _interrupted() -> Interrupted:
    run_id = progress.done
    if run_id is None and progress.writing is not None:
        try:
            run_id = progress.writing()
        except Exception:
            return Interrupted("interrupted while the store was written: either all of it was or nothing; memopt history tells")
    if run_id is not None:
        return Interrupted(f"interrupted, but the plan was already written as run {run_id}", run=run_id)
    if progress.ended is not None:
        return Interrupted("interrupted")  # what it wrote is told beside it
    if progress.left is not None:
        return Interrupted(f"interrupted; {progress.left}")
    return Interrupted("interrupted; nothing was written")


def _report(error: MemoptError, *, as_json: bool, debug: bool) -> int:
    _only_telling()
    code = int(error.exit_code)
    if progress.done is not None and "run" not in error.details:
        # Only the telling failed. Whoever reads the error must not take the store for unchanged.
        note = f"the store was already written, as run {progress.done}"
        error = _copied(error, f"{error}\n{note}", run=progress.done)
    elif progress.ended is not None:
        error = _copied(error, f"{error}\nthe run itself is over, and what it wrote stands: {progress.ended}")
    if debug:
        import traceback

        cause: BaseException = error.__context__ if type(error) is MemoptError and error.__context__ else error
        _print_error("".join(traceback.format_exception(cause)).rstrip())
    if as_json and not progress.telling:
        from memopt.cli.documents import dump, error_document

        try:
            sys.stdout.write(dump(error_document(error)))
            sys.stdout.flush()
            return code
        except BrokenPipeError:
            _reader_gone()
            return code
        except OSError:
            _to_nowhere(sys.stdout)  # it cannot be written; say it on the other stream
    try:
        sys.stdout.flush()
    except OSError:
        _reader_gone()
    _print_error(f"memopt: {error}")
    return code


def _copied(error: MemoptError, message: str, **details: Any) -> MemoptError:
    new = type(error)(message, **{**error.details, **details})
    new.__cause__, new.__context__, new.__traceback__ = error.__cause__, error.__context__, error.__traceback__
    return new


def _print_error(text: str) -> None:
    first, *rest = text.split("\n")
    try:
        sys.stderr.write("\n".join([visible(first), *("  " + visible(line, lines=True) for line in rest)]) + "\n")
        sys.stderr.flush()
    except OSError:
        _to_nowhere(sys.stderr)  # nobody is left to be told; the exit code tells it still


def _reader_gone() -> int:
    """Whoever read our output has gone. What we wrote to a store stands; the rest of the output has no reader."""
    _to_nowhere(sys.stdout)
    return SIGPIPE_CODE


def _to_nowhere(stream: Any) -> None:
    """Let a stream that cannot be written end in the null device, so that the interpreter's last flush is not an error too."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, stream.fileno())
    except (OSError, ValueError):
        pass
