"""``--report FILE``: looked at before a run, written when it is over, however it ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from memopt.cli.files import REPORT, check_target, probe, write_atomic
from memopt.cli.safe import shown_path, visible
from memopt.errors import ExitCode, Interrupted, MemoptError, UsageError

if TYPE_CHECKING:
    from memopt.fleet import Outcome, Summary
    from memopt.plan import Plan, StoreRef
    from memopt.report import About, Collector
    from memopt.stores.base import MemoryStore


def report_target(given: str) -> Path:
    """Where ``--report`` would write.

    Raises:
        UsageError: before any work, for a name that says no form, or a place that cannot take a file.
    """
    target = check_target(given, "--report", REPORT)
    suffix = Path(given).suffix.lower()
    if suffix not in (".md", ".markdown", ".html", ".htm"):
        raise UsageError(
            f"--report {shown_path(given)}: the name says what is written: .md for Markdown, .html for a page in one file"
        )
    probe(target, "--report")
    return target


class RunReport:
    """The report of one run. Use it as a context manager around the run; it writes when that ends, also with an error.

    Nothing is written where it was never said what is to be run (no ``about``), or where that was a usage error.

    Args:
        given: what ``--report`` says.

    Attributes:
        about, summary, store: set when the run begins; ``store`` stays None where it could not be opened.
        problem: why the report could not be written; the run itself stands.
    """

    def __init__(self, given: str, listed: str | None = None) -> None:
        self._target = report_target(given)
        self._suffix = Path(given).suffix.lower()
        self._listed = "" if listed is None else shown_path(listed)
        self._started = time.time()
        self._collector: Collector | None = None
        self.about: About | None = None
        self.summary: Summary | None = None
        self.store: MemoryStore | None = None
        self._one: Outcome | None = None
        self.problem: MemoptError | None = None

    def begin(self, store: MemoryStore, summary: Summary, **about: Any) -> None:
        """The run is about to begin. Further arguments are those of ``expect``."""
        self.expect(store.ref, **about)
        self.store, self.summary = store, summary

    def expect(self, ref: StoreRef, *, applying: bool, encoding: str, settings: Mapping[str, Any], **about: Any) -> None:
        """A store is about to be opened; where it cannot be, that is what there is to tell.

        Args:
            settings: what was said, by option.
            about: further arguments of ``report.About``.
        """
        from memopt.fleet import Summary
        from memopt.report import About, Collector

        self.summary = Summary()
        self.about = About(
            ref=ref,
            mode="applied" if applying else "preview",
            encoding=encoding,
            started=self._started,
            settings=_told(settings),
            listed=self._listed,
            **about,
        )
        self._collector = Collector(encoding)

    def begin_one(self, store: MemoryStore, user_id: str | None, **about: Any) -> None:
        """``begin`` for one user."""
        from memopt.fleet import Outcome, Status, Summary, with_last

        self.begin(store, Summary(), **about)
        self._one = with_last(Outcome(user_id, Status.LEFT, at=self._started), store)

    def plan(self, plan: Plan, refused: Sequence[str] = (), *, skipped: tuple[str, ...] = ()) -> None:
        """How far the one user's plan has come: made, or written. Told again, it replaces what was told before."""
        from memopt.errors import GuardError
        from memopt.fleet import Status

        assert self._one is not None
        status = Status.APPLIED if plan.run else Status.CHANGED if plan.has_changes else Status.UNCHANGED
        self._one = replace(
            self._one,
            status=Status.FAILED if refused else status,
            before=plan.tokens_before,
            after=None if refused else plan.tokens_after,
            counts={} if refused else plan.counts,
            run=plan.run,
            skipped=skipped,
            unreadable=plan.unreadable,
            usage=plan.usage,
            notes=plan.notes,
            facts=plan.facts,
            error=GuardError("; ".join(refused)) if refused else None,
        )

    def _end_one(self, error: BaseException | None) -> None:
        from memopt.fleet import Status

        assert self._one is not None and self.summary is not None and self._collector is not None
        if error is not None and self._one.run is None:
            ours = _as_ours(error)
            if isinstance(ours, Interrupted):
                self.summary.stopped = ours
                self._one = replace(self._one, status=Status.LEFT, after=None, counts={})
            else:
                self._one = replace(self._one, status=Status.FAILED, after=None, counts={}, error=ours)
        elif self._one.status is Status.LEFT:
            return  # a policy's condition did not hold: nobody was to be done
        self.summary.add(self._one)
        self._collector.add(self._one)

    def made_by(self, plan: Plan | None) -> None:
        """What plans of a folder say of how they were made."""
        if plan is not None and self.about is not None and self._collector is not None and not self.about.steps:
            self.about = replace(self.about, steps=plan.steps, model=plan.model, encoding=plan.encoding)
            self._collector.encoding = plan.encoding

    def outcome(self, outcome: Outcome) -> None:
        """One user is done."""
        assert self._collector is not None
        self._collector.add(outcome)

    def __enter__(self) -> RunReport:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.about is None or self.summary is None or isinstance(error, UsageError | BrokenPipeError):
            return
        if self._one is not None:
            self._end_one(error)
        elif error is not None and self.summary.stopped is None:
            self.summary.stopped = _as_ours(error)
        try:
            self._write(self.about, self.summary)
        except MemoptError as problem:
            self.problem = problem
            if error is not None:
                self.tell()

    def _write(self, about: About, summary: Summary) -> None:
        from memopt.report import DAYS, render

        assert self._collector is not None
        try:
            days: Sequence[Any] = () if self.store is None else self.store.days(about.encoding, DAYS)
        except MemoptError:
            days = ()  # the journal cannot be read now; what was done is told all the same
        report = self._collector.report(about, summary, time.time(), days)
        write_atomic(self._target, render(report, self._suffix))

    def tell(self) -> None:
        """Say on standard error that there is no report, where that is so."""
        if self.problem is not None:
            sys.stderr.write(f"memopt: there is no report: {visible(str(self.problem))}\n")

    def exit_code(self, code: int) -> int:
        """The process's exit code; a report that is missing is a failure, and says so, where the run itself was none."""
        self.tell()
        return int(ExitCode.FAILURE) if self.problem is not None and code == 0 else code


def _as_ours(error: BaseException) -> MemoptError:
    if isinstance(error, MemoptError):
        return error
    if isinstance(error, KeyboardInterrupt):
        return Interrupted("interrupted")
    return MemoptError(f"unexpected error, {type(error).__name__}")


def _told(flags: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """What was said on the command line, by the names of the options, where something was."""
    listed = []
    for name, value in flags.items():
        for each in value if isinstance(value, tuple) else (value,):
            if each:
                listed.append((name.replace("_", "-"), "yes" if each is True else str(each)))
    return tuple(listed)
