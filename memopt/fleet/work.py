"""One user's work: read, given to the strategies, made a plan, written. Each step may run in another thread than the one before.

``open`` claims a user and reads it (``look``), the strategies make a proposal of it, ``conclude`` makes a plan of that, and
``write`` writes it. What goes wrong on the way comes to ``failed``. A run that asks its model in another way than by waiting for
it overrides ``look``, ``conclude`` and ``failed``, and hands its class to the run by ``Fleet.make_work``; ``memopt.batch`` does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from memopt.errors import GuardError, Interrupted, LimitError, MemoptError, ModelError, StoreError, UsageError
from memopt.fleet.choosing import Candidate, figures_of
from memopt.fleet.limits import Budget, UserBudget
from memopt.fleet.outcomes import NOTHING, Outcome, Status, Summary, questions_of, skipped_of, with_last
from memopt.folder import PlanFolder
from memopt.guards import refusals
from memopt.manager import Begun, MemoryManager
from memopt.models.base import Model, used_by
from memopt.plan import Filters, Plan, split_safe
from memopt.policy import Condition
from memopt.protect import Protection
from memopt.stores.base import Mark, MemoryStore, OnConflict, Seen, Snapshot
from memopt.stores.journal import Run
from memopt.strategies.base import MemoryOptimizationStrategy, Proposal
from memopt.tokens import TokenFigures
from memopt.usage import Usage

_MARKS_TOGETHER = 500


class Busy:
    """Another run is working on the user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is the same for all users of a run. What is not said here is said at ``Fleet``.

    Attributes:
        model, judge: as all users share them.
        recipe: digest of how plans are made (``recipe_of``).
        when: a condition on the user's figures.
        budget: limits over all users; None: nothing is asked.
    """

    chain: Sequence[MemoryOptimizationStrategy]
    recipe: str
    model: Model | None
    judge: Model | None
    when: Condition | None
    apply: bool
    force: bool
    only_safe: bool
    filters: Filters | None
    protection: Protection | None
    max_rewrites: int
    max_drop: str | None
    allow_empty: bool
    on_conflict: OnConflict
    budget: Budget | None
    concurrency: int
    gate: Callable[[Plan], Plan] | None
    encoding: str
    with_last: bool
    clock: Callable[[], float]

    @property
    def asks(self) -> bool:
        """Whether a strategy needs a model."""
        return any(getattr(each, "needs_model", False) for each in self.chain)

    @property
    def by_clock(self) -> bool:
        """Whether time alone may give a user something to do."""
        return any(hasattr(each, "now") for each in self.chain)


@dataclass(frozen=True, slots=True)
class Started:
    """One user's work, begun.

    Attributes:
        manager: makes the user's plan; its ``watch`` is the ``budget``.
        state: digest of the memories (``MemoryStore.state``).
        budget: the user's share of what may be asked; None: nothing is, or it is counted elsewhere.
        last: the user's last run before this one, where it is asked for.
    """

    user_id: str
    manager: MemoryManager
    begun: Begun
    state: str
    before: TokenFigures
    budget: UserBudget | None
    last: Run | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """One user's plan, made and checked, that is to be written; or noted, where there is nothing to change."""

    started: Started
    plan: Plan
    used: Usage
    file: str | None


class Work:
    """Does the work on one user at a time, or on many in threads; they share this object.

    Args:
        terms: what is the same for all users.
        summary: of the run; it is told here of users who are below the condition.
        stop: ends the run, for a reason that concerns all users.

    Attributes:
        folder: takes the plans, while the run lasts.
    """

    def __init__(self, terms: Terms, summary: Summary, stop: Callable[[MemoptError], None]) -> None:
        self.terms, self._summary, self._stop = terms, summary, stop
        self.folder: PlanFolder | None = None
        self._marks: list[Mark] = []
        self._lock = threading.Lock()

    def chain(self) -> list[MemoryOptimizationStrategy]:
        """The strategies, as copies for one user."""
        return [copy(each) for each in self.terms.chain]

    # -- step by step --------------------------------------------------------------------------------------------------

    def do(self, store: MemoryStore, candidate: Candidate) -> Outcome | Busy | None:
        """All steps of one user, where nobody is awaited. None: it is not to be done.

        Raises:
            UsageError: a strategy cannot be run as it was asked for.
        """
        started = self.open(store, candidate)
        if not isinstance(started, Started):
            return started
        ready: Outcome | Ready | None = None
        try:
            chain = self.chain()
            proposal, usage = started.manager.propose(started.begun, chain, self.terms.max_rewrites)
            ready = self.conclude(started, chain, proposal, usage)
        except UsageError:
            raise
        except Exception as error:
            ready = self.failed(started.user_id, error, started)
        finally:
            if not isinstance(ready, Ready):
                store.release(started.user_id)
        return self.write(store, ready) if isinstance(ready, Ready) else ready

    def open(self, store: MemoryStore, candidate: Candidate) -> Started | Outcome | Busy | None:
        """Claim a user and read it (``look``). Who gets a ``Started`` releases it in the end: ``write`` does."""
        user_id = candidate.user_id
        if not self.terms.apply:
            return self._with_last_run(store, self.look(store, candidate))
        try:
            if not store.claim(user_id):
                return Busy()
        except Exception as error:
            return self.failed(user_id, error)
        found: Started | Outcome | None = None
        try:
            found = self._with_last_run(store, self.look(store, candidate))
            return found
        finally:
            if not isinstance(found, Started):
                store.release(user_id)

    def look(self, store: MemoryStore, candidate: Candidate) -> Started | Outcome | None:
        """Read a user. None: not to be done; an outcome: nothing is left to do. May be overridden.

        Raises:
            UsageError: a strategy cannot be run as it was asked for.
        """
        try:
            force = candidate.force or self.terms.force
            with store.at_once():
                snapshot = store.read(candidate.user_id)
                left_out = not snapshot.memories or (bool(store.journal_hidden) and not self.terms.asks)
                rewrites = {} if left_out else store.rewrites(candidate.user_id)
                noted = None if force or left_out else store.seen(candidate.user_id, self.terms.recipe)
            return self._weigh(store, snapshot, rewrites, noted, candidate.chosen, force)
        except (UsageError, KeyboardInterrupt):
            raise
        except Exception as error:
            return self.failed(candidate.user_id, error)

    def conclude(
        self, started: Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage
    ) -> Outcome | Ready:
        """From what the strategies made of a user's memories to its plan: guards, the plan's file. May be overridden.

        Returns:
            What is to be written, or what became of the user where nothing is.

        Raises:
            MemoptError: there is no plan, or a guard refuses it (GuardError); it comes to ``failed``.
        """
        manager = started.manager
        plan = replace(self._plan(started, chain, proposal, usage), recipe=self.terms.recipe)
        used = plan.usage if started.budget is None else started.budget.close(plan.usage)
        kept = plan
        if self.terms.only_safe:
            plan, kept = split_safe(plan, manager.tokens.figures)
            kept = replace(kept, recipe=None)  # it is for review, and does not end this user's work
        gate = self.terms.gate
        if gate is not None:
            whole, plan = plan, gate(plan)
            kept = plan if kept is whole else gate(kept)
        refused = refusals(plan)
        if refused:
            raise GuardError("; ".join(refused) + ". Nothing was written", reasons=list(refused), usage=used)
        ready = Ready(started, plan, used, None if self.folder is None else self.folder.add(kept, started.state))
        if not self.terms.apply:
            return self._outcome(ready, plan)
        if plan.has_changes or used.requests:
            return ready
        # what a model was not paid for costs little to do again
        with self._lock:
            self._marks.append(Mark(started.user_id, self.terms.recipe, started.state))
            full = len(self._marks) >= _MARKS_TOGETHER
        if full:
            self.flush(manager.store)
        return self._outcome(ready, plan)

    def finish(
        self, store: MemoryStore, started: Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage
    ) -> Outcome:
        """``conclude`` and ``write``, for those who wait for both."""
        ready = self.conclude(started, chain, proposal, usage)
        return ready if isinstance(ready, Outcome) else self.write(store, ready)

    def write(self, store: MemoryStore, ready: Ready) -> Outcome:
        """Write a user's plan, or note that there was nothing to change, and give the user back. Returns what became of it."""
        result: Plan | Exception = ready.plan
        try:
            if ready.plan.has_changes:
                result = ready.started.manager.apply(ready.plan, on_conflict=self.terms.on_conflict)
            else:
                store.mark([Mark(ready.started.user_id, self.terms.recipe, ready.started.state)])
        except Exception as error:
            result = error
        finally:
            store.release(ready.started.user_id)
        return self._outcome(ready, result)

    def failed(self, user_id: str, error: BaseException, started: Started | None = None) -> Outcome:
        """What becomes of a user whose work ended so; what concerns all users ends the run. May be overridden."""
        if not isinstance(error, MemoptError):
            said = " ".join(str(error).split())
            error = MemoptError(f"unexpected error, {type(error).__name__}: {said}", error=type(error).__name__)
        used = error.details.get("usage")
        if not isinstance(used, Usage):
            if started is not None and started.budget is not None:
                used = started.budget.close(started.budget.with_failure(error))
            else:
                used = used_by(error, 0) if isinstance(error, ModelError) else Usage()
        status = Status.FAILED
        if isinstance(error, LimitError):
            status = Status.LEFT  # there may be room for others, who need less
        elif isinstance(error, Interrupted):
            self._stop(error)
            status = Status.LEFT
        elif isinstance(error, ModelError) and error.final:
            if self._summary.stopped is not None and not used.requests:
                status = Status.LEFT  # it was about to ask when another user's answer ended the run
            self._stop(error)
        return Outcome(
            user_id,
            status,
            before=None if started is None else started.before,
            unreadable=() if started is None else started.begun.snapshot.unreadable,
            usage=used,
            error=error if status is Status.FAILED or isinstance(error, LimitError) else None,
            at=self.terms.clock(),
            last=None if started is None else started.last,
        )

    def flush(self, store: MemoryStore) -> None:
        """Write the notes on users that had nothing to change, which are collected for a while."""
        with self._lock:
            marks, self._marks = self._marks, []
        if marks:
            with suppress(StoreError):  # a note that is missing only means that the user is looked at again
                store.mark(marks)

    # -- what the steps are made of ------------------------------------------------------------------------------------

    def _with_last_run(self, store: MemoryStore, found: Started | Outcome | None) -> Started | Outcome | None:
        """What was found, with the user's last run where that is wanted: looked up where a thread may wait for the store."""
        if not self.terms.with_last or found is None:
            return found
        return replace(found, last=with_last(Outcome(found.user_id, Status.LEFT), store).last)

    def _weigh(
        self,
        store: MemoryStore,
        snapshot: Snapshot,
        rewrites: Mapping[str, int],
        noted: Seen | None,
        chosen: bool,
        force: bool,
    ) -> Started | Outcome | None:
        user_id = snapshot.user_id
        assert user_id is not None
        if not snapshot.memories:
            if not snapshot.unreadable:
                return None  # gone since the list was read
            if self._below(figures_of(snapshot, NOTHING), chosen):
                return None
            why = snapshot.unreadable[0]
            rows = len(snapshot.unreadable)
            none = "the user's only row cannot be read" if rows == 1 else f"none of the user's {rows} rows can be read"
            error = StoreError(f"{none}: {why.memory_id}: {why.problem}")
            return Outcome(user_id, Status.FAILED, unreadable=snapshot.unreadable, error=error, at=self.terms.clock())
        terms = self.terms
        budget = None if terms.budget is None else terms.budget.user()
        manager = MemoryManager(
            store,
            terms.model,
            judge=terms.judge,
            watch=budget,
            concurrency=terms.concurrency,
            encoding=terms.encoding,
            clock=terms.clock,
        )
        before = manager.tokens.figures(snapshot.memories)
        if self._below(figures_of(snapshot, before), chosen):
            return None
        state = store.state(snapshot.memories)
        begun = manager.begin(user_id, filters=terms.filters, protection=terms.protection, snapshot=snapshot, rewrites=rewrites)
        started = Started(user_id, manager, begun, state, before, budget)
        if not force:
            found = self._known(started, snapshot)
            if found is not None:
                return found
            if noted is not None and noted.state == state and not (terms.by_clock and self._rules_change(started)):
                return Outcome(user_id, Status.SEEN, before, before, unreadable=snapshot.unreadable, at=self.terms.clock())
        return started

    def _below(self, figures: Mapping[str, float], chosen: bool) -> bool:
        """Whether the condition does not hold for a user, which is counted."""
        when = self.terms.when
        if when is None or chosen or when.holds(figures):
            return False
        with self._lock:
            self._summary.passed_over["when"] += 1
        return True

    def _known(self, started: Started, snapshot: Snapshot) -> Outcome | None:
        """What an earlier run into the same folder left, where the memories are still those it was made from."""
        if self.folder is None or self.terms.apply or self.terms.by_clock:
            return None
        entry = self.folder.known(started.user_id)
        if entry is None or entry.state != started.state:
            return None
        status = Status.CHANGED if entry.file else Status.UNCHANGED
        return Outcome(
            started.user_id,
            status,
            started.before,
            entry.after,
            entry.counts,
            file=entry.file,
            unreadable=snapshot.unreadable,
            at=self.terms.clock(),
        )

    def _rules_change(self, started: Started) -> bool:
        """Whether the strategies that ask nobody would change something by now, as time goes on."""
        rules = [each for each in self.chain() if not getattr(each, "needs_model", False)]
        if not rules:
            return False
        proposal, usage = started.manager.propose(started.begun, rules, self.terms.max_rewrites)
        return self._plan(started, rules, proposal, usage).has_changes

    def _plan(self, started: Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage) -> Plan:
        terms = self.terms
        guards: dict[str, Any] = {"filters": terms.filters, "max_drop": terms.max_drop, "allow_empty": terms.allow_empty}
        return started.manager.conclude(started.begun, chain, proposal, usage, **guards)

    def _outcome(self, ready: Ready, result: Plan | Exception) -> Outcome:
        """What became of a user whose plan was written so, or was not."""
        plan, started = ready.plan, ready.started
        if isinstance(result, Exception):
            return self.failed(started.user_id, result, started)
        changed = Status.APPLIED if result.run else Status.UNCHANGED if self.terms.apply else Status.CHANGED
        return Outcome(
            started.user_id,
            changed if plan.has_changes else Status.UNCHANGED,
            result.tokens_before,
            result.tokens_after,
            result.counts,
            run=result.run,
            file=ready.file,
            skipped=skipped_of(plan, result) if self.terms.apply and plan.has_changes else (),
            unreadable=plan.unreadable,
            usage=ready.used,
            notes=plan.notes,
            facts=plan.facts,
            questions=questions_of(plan),
            at=self.terms.clock(),
            last=started.last,
        )


__all__ = ["Busy", "Ready", "Started", "Terms", "Work"]
