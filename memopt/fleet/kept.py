"""A run over plans that were kept in a folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from memopt.errors import MemoptError, PlanFileError, StoreError, UsageError
from memopt.fleet.breaker import Breaker
from memopt.fleet.outcomes import Outcome, Status, Summary, busy_outcome, questions_of, skipped_of, with_last
from memopt.fleet.together import in_threads
from memopt.folder import MANIFEST, listed, read_head, unchanged
from memopt.manager import MemoryManager
from memopt.plan import Plan, plan_digest
from memopt.stores.base import Mark, MemoryStore, OnConflict

_READ_TOGETHER = 100


class FolderRun:
    """Writes the plans of a folder, each exactly as it was shown, in a database server some at a time. No model is asked.

    Args:
        store: the store that the plans were made from.
        path: what ``--out`` wrote.
        told, sized, with_last: as for ``Fleet``.

    The other arguments are those of ``MemoryManager.apply``.

    Attributes:
        made: the first plan that was read; all of a folder are made the same way.
    """

    def __init__(
        self,
        store: MemoryStore,
        path: Path,
        *,
        on_conflict: OnConflict = "stop",
        max_drop: str | None = None,
        allow_empty: bool = False,
        told: Callable[[Outcome], None] = lambda _outcome: None,
        sized: Callable[[int], None] = lambda _users: None,
        with_last: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._path = store, path
        self._with_last = with_last
        self.made: Plan | None = None
        self._how: dict[str, Any] = {"on_conflict": on_conflict, "max_drop": max_drop, "allow_empty": allow_empty}
        self._told, self._sized, self._clock = told, sized, clock
        self._breaker = Breaker()
        self.summary = Summary()

    def stop(self, why: MemoptError) -> None:
        """End the run after the users that are being written."""
        self.summary.stopped = self.summary.stopped or why

    def run(self) -> Summary:
        """Write them. A plan that this folder's earlier run wrote is passed over; who had nothing to change is noted.

        Raises:
            UsageError, PlanFileError: no folder of plans.
            StoreError: the store cannot be opened or written.
        """
        started = time.monotonic()
        self._sized(sum(1 for _ in listed(self._path)))  # an altered manifest is found before anything is written
        with self._store.fleet(write=True) as store:
            if store.parallel > 1:
                in_threads(self._begun(), lambda item: self._one(store, *item), self._done, threads=store.parallel)
            else:
                for item in self._begun():
                    self._done(item, self._one(store, *item))
            if self.summary.stopped is None:
                with suppress(StoreError):  # a note that is missing only means that the user is looked at again
                    self._note_unchanged(store)
        self.summary.seconds = time.monotonic() - started
        return self.summary

    def _begun(self) -> Iterator[tuple[str, str]]:
        """The users with their files; where the run is ended, the rest is told as left."""
        for user_id, file in listed(self._path):
            if self.summary.stopped is None:
                yield user_id, file
            else:
                self._tell(Outcome(user_id, Status.LEFT, file=file, at=self._clock()))

    def _done(self, _item: tuple[str, str], outcome: Outcome) -> None:
        """Tell what became of a user; many failures of the store in a row end the run."""
        why = self._breaker.ended(outcome)
        if why is not None:
            self.stop(why)
        self._tell(outcome)

    def _tell(self, outcome: Outcome) -> None:
        self.summary.add(outcome)
        self._told(outcome)

    def _note_unchanged(self, store: MemoryStore) -> None:
        """Note the users for whom there was nothing to change and still is: a model was asked for that, and need not be again."""
        recipe = read_head(self._path / MANIFEST)["recipe"]
        found = unchanged(self._path)
        while piece := dict(islice(found, _READ_TOGETHER)):
            known = store.seen_of(list(piece), recipe)
            new = [user_id for user_id, state in piece.items() if user_id not in known or known[user_id].state != state]
            marks = []
            for snapshot in store.read_each(new) if new else ():
                user_id = snapshot.user_id
                if user_id is not None and store.state(snapshot.memories) == piece[user_id]:
                    marks.append(Mark(user_id, recipe, piece[user_id]))
            if marks:
                store.mark(marks)
            if self.summary.stopped is not None:
                return

    def _one(self, store: MemoryStore, user_id: str, file: str) -> Outcome:
        try:
            plan = self._read(user_id, file)
            if not store.claim(user_id):
                outcome = replace(busy_outcome(user_id, self._clock()), file=file)
            else:
                try:
                    outcome = self._write(store, plan, user_id, file)
                finally:
                    store.release(user_id)
        except MemoptError as error:
            outcome = Outcome(user_id, Status.FAILED, file=file, error=error, at=self._clock())
        return with_last(outcome, store) if self._with_last else outcome

    def _read(self, user_id: str, file: str) -> Plan:
        try:
            plan = Plan.from_json((self._path / file).read_bytes())
        except OSError as error:
            raise PlanFileError(f"the plan file {file} cannot be read: {error.strerror or error}") from None
        except UsageError as error:
            raise PlanFileError(f"{file}: {error}") from None
        if plan.user_id != user_id:
            raise PlanFileError(f"the plan file {file} is of user {plan.user_id!r}")
        self.made = self.made or plan
        return plan

    def _write(self, store: MemoryStore, plan: Plan, user_id: str, file: str) -> Outcome:
        seen = None if plan.recipe is None else store.seen(user_id, plan.recipe)
        if seen is not None and seen.plan is not None and seen.plan == plan_digest(plan):
            figures = plan.tokens_after
            return Outcome(user_id, Status.SEEN, figures, figures, file=file, at=self._clock())
        done = MemoryManager(store).apply(plan, **self._how)
        return Outcome(
            user_id,
            Status.APPLIED if done.run else Status.UNCHANGED,
            done.tokens_before,
            done.tokens_after,
            done.counts,
            run=done.run,
            file=file,
            skipped=skipped_of(plan, done),
            unreadable=plan.unreadable,
            notes=done.notes,
            facts=done.facts,
            questions=questions_of(plan),
            at=self._clock(),
        )


__all__ = ["FolderRun"]
