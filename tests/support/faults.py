"""Run memopt's command line in forked children that are killed, starved or interrupted at a chosen SQL statement.

    outcomes = run_jobs([Job(["undo", "--db", path], kill_at=7), ...])

One fresh interpreter imports memopt once and forks a child for every job, so that a hundred kills take seconds. The
kill is SIGKILL from inside, at the very start of the chosen statement: everything before it has run, nothing of it has.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

if __package__:
    from support.agnofile import clean_environment


@dataclass(frozen=True)
class Job:
    """One run of memopt, and what goes wrong in it.

    Attributes:
        args: the command line, without the program's name.
        kill_at: SIGKILL at the start of the n-th SQL statement of the process, from 1.
        kill_closing: SIGKILL when the n-th connection is about to be closed, from 1.
        kill_after_steps: SIGKILL once SQLite has run so many steps of its virtual machine in the writing transaction.
        alarm_in: die that many seconds after the COMMIT began, wherever SQLite then is (a signal, not a check).
        interrupt_at: SIGINT, as Ctrl-C sends it, when the n-th statement has just run.
        max_pages_more: no file may grow by more than so many pages on any connection: the disk is full.
        variables: SQLite's limit of variables in a statement.
    """

    args: Sequence[str]
    kill_at: int | None = None
    kill_closing: int | None = None
    kill_after_steps: int | None = None
    alarm_in: float | None = None
    interrupt_at: int | None = None
    max_pages_more: int | None = None
    variables: int | None = None


@dataclass(frozen=True)
class Outcome:
    """How a job ended: the exit code, or minus the signal; and the first words of every SQL statement that began."""

    code: int
    statements: list[str]
    stdout: str
    stderr: str

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL

    @property
    def begin(self) -> int:
        """The number of the statement that began the last writing transaction (from 1); 0: none did."""
        return max((n for n, s in enumerate(self.statements, 1) if s.upper().startswith("BEGIN IMMEDIATE")), default=0)

    @property
    def commit(self) -> int:
        """The number of the statement that committed it; 0: none did."""
        after = (n for n, s in enumerate(self.statements, 1) if n > self.begin > 0 and s.upper().startswith("COMMIT"))
        return next(after, 0)


def run_jobs(jobs: Sequence[Job], *, timeout: float = 120, **env: str | None) -> list[Outcome]:
    """Run the jobs one after the other, in the order given. A callable cannot be passed: prepare the files before."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(Path(__file__)), folder],
            input=json.dumps([asdict(job) for job in jobs]),
            env=clean_environment(**env),
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        codes = json.loads(done.stdout)
        return [
            Outcome(
                code,
                (Path(folder) / f"{n}.sql").read_text(encoding="utf-8").splitlines(),
                (Path(folder) / f"{n}.out").read_text(encoding="utf-8"),
                (Path(folder) / f"{n}.err").read_text(encoding="utf-8"),
            )
            for n, code in enumerate(codes)
        ]


def _serve(folder: Path, jobs: list[dict[str, Any]]) -> list[int]:
    # what every child would otherwise import anew; typer is needed in any case, openai only where a model is asked
    for name in ("rich.table", "sqlite_utils", "typer.main", "rapidfuzz.fuzz", *_modules()):
        importlib.import_module(name)
    importlib.import_module("memopt.tokens").load_encoding("o200k_base").encode("x")
    gc.freeze()
    codes = []
    for number, job in enumerate(jobs):
        child = os.fork()
        if child == 0:
            _child(folder / str(number), Job(**job))
        _, status = os.waitpid(child, 0)
        codes.append(os.waitstatus_to_exitcode(status))
    return codes


def _modules() -> list[str]:
    import memopt

    found = (module.name for module in pkgutil.walk_packages(memopt.__path__, "memopt."))
    return [name for name in found if not name.startswith(("memopt.__main__", "memopt.models.openai", "memopt.testing"))]


def _child(base: Path, job: Job) -> None:
    from memopt.__main__ import main

    code = 70
    try:
        log = os.open(f"{base}.sql", os.O_WRONLY | os.O_CREAT)
        for descriptor, end in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{base}.{end}", os.O_WRONLY | os.O_CREAT), descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["memopt", *job.args]
        _install(job, log)
        try:
            code = int(main() or 0)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _install(job: Job, log: int) -> None:
    real = sqlite3.connect
    begun = closing = steps = 0
    inside = pending = False

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def statement(sql: str) -> None:
        nonlocal begun, inside, pending
        begun += 1
        word = " ".join(sql[:100].split())[:60]
        if begun == job.kill_at:
            die()
        os.write(log, (word + "\n").encode("utf-8", "replace"))
        if begun == job.interrupt_at:
            pending = True
        upper = word.upper()
        if upper.startswith("BEGIN IMMEDIATE"):
            inside = True
        if upper.startswith("ROLLBACK"):
            inside = False
        if upper.startswith(("COMMIT", "END")) and inside:
            inside = False
            if job.alarm_in is not None:
                # the default action of SIGALRM ends the process at once, as SIGKILL does, in a system call too
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, job.alarm_in)

    def step() -> int:
        nonlocal steps
        steps += inside
        if steps == job.kill_after_steps:
            die()
        return 0

    def interrupt() -> None:
        # not from the trace callback: what Python raises in there is lost
        nonlocal pending
        if pending:
            pending = False
            os.kill(os.getpid(), signal.SIGINT)

    class Connection(sqlite3.Connection):
        def execute(self, *args: Any) -> sqlite3.Cursor:
            cursor = super().execute(*args)
            interrupt()
            return cursor

        def executemany(self, *args: Any) -> sqlite3.Cursor:
            cursor = super().executemany(*args)
            interrupt()
            return cursor

        def close(self) -> None:
            nonlocal closing
            closing += 1
            if closing == job.kill_closing:
                die()
            super().close()

    def connect(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        kwargs.setdefault("factory", Connection)
        connection: sqlite3.Connection = real(*args, **kwargs)
        if job.variables is not None:
            connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, job.variables)
        if job.max_pages_more is not None and args[0]:  # the folder for temporary files has room
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages + job.max_pages_more}")
        connection.set_trace_callback(statement)
        if job.kill_after_steps is not None:
            connection.set_progress_handler(step, 1)
        return connection

    sqlite3.connect = connect  # type: ignore[assignment]
    sqlite3.dbapi2.connect = connect  # type: ignore[attr-defined]


_FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = int(sys.argv.pop(1))
from memopt.__main__ import main
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
main()
"""


def on_a_full_disk(size: int, *args: str | Path, **env: str | None) -> subprocess.CompletedProcess[str]:
    """memopt in a process that may not write more than so many bytes to any file, as where a disk is full (Unix)."""
    env.setdefault("PYTHONDONTWRITEBYTECODE", "1")  # half a module's bytecode would fail every later import of it
    return subprocess.run(
        [sys.executable, "-c", _FULL, str(size), *map(str, args)],
        env=clean_environment(**env), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(_serve(Path(sys.argv[1]), json.load(sys.stdin))))
