"""Which users are to be enqueued: those that are meant and whose memories are not what the last run of the kind left."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice

from memopt.fleet import Selection, figures_of
from memopt.spill import Spill
from memopt.stores.base import MemoryStore, Snapshot
from memopt.tokens import TokenCounter

AT_A_TIME = 100
"""So many users are read together."""


@dataclass(slots=True)
class Due:
    """Chooses users. Memory does not grow with their number, nor with what they have: only by those that a limit leaves.

    Args:
        store: the store.
        recipe: ``fleet.recipe_of``.
        selection: who is meant.
        force: also users whose memories are still what the last run of the recipe left.
        by_clock: time alone may give a user something to do, so that what was seen says nothing.
        weigh: count tokens, so that the most expensive users come first; always done where the selection needs them.

    Attributes:
        passed_over: users that are not enqueued, by why: ``selection``, ``when``, ``limit``, ``seen``, ``unreadable`` (none of
            their rows can be read), ``no-user`` (1 where there are rows without a user), ``unknown`` (named, and not there).
    """

    store: MemoryStore
    recipe: str
    selection: Selection
    encoding: str
    force: bool = False
    by_clock: bool = False
    weigh: bool = False
    passed_over: Counter[str] = field(default_factory=Counter)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """The users with their prompt tokens (0: not counted); where a limit is set, the most expensive ones."""
        limit = self.selection.limit
        if limit is None:
            yield from self._due()
            return
        total = 0

        def counted() -> Iterator[tuple[str, int]]:
            nonlocal total
            for item in self._due():
                total += 1
                yield item

        chosen = heapq.nsmallest(limit, counted(), key=lambda item: (-item[1], item[0]))
        self.passed_over["limit"] += total - len(chosen)
        yield from chosen

    def _due(self) -> Iterator[tuple[str, int]]:
        weigh = self.weigh or self.selection.when is not None or self.selection.limit is not None
        look = not (self.force or self.by_clock)
        meant = self._meant()
        while piece := list(islice(meant, AT_A_TIME)):
            seen = self.store.seen_of(piece, self.recipe) if look else {}
            new = piece if weigh else [user_id for user_id in piece if user_id in seen]
            read = {snapshot.user_id: snapshot for snapshot in self.store.read_each(new)} if new else {}
            for user_id in piece:
                snapshot = read.get(user_id)
                tokens: int | None = 0
                if snapshot is not None:
                    noted = seen.get(user_id)
                    if noted is not None and noted.state == self.store.state(snapshot.memories):
                        self.passed_over["seen"] += 1
                        continue
                    tokens = self._weighed(snapshot) if weigh else 0
                if tokens is not None:
                    yield user_id, tokens

    def _weighed(self, snapshot: Snapshot) -> int | None:
        """The user's prompt tokens; None where the user is not to be done."""
        if not snapshot.memories:
            self.passed_over["unreadable"] += bool(snapshot.unreadable)
            return None
        figures = TokenCounter(self.encoding).figures(snapshot.memories)  # a counter a user: its cache must not grow
        when = self.selection.when
        if when is not None and not when.holds(figures_of(snapshot, figures)):
            self.passed_over["when"] += 1
            return None
        return figures.prompt

    def _meant(self) -> Iterator[str]:
        """Who is meant. The ids lie in a temporary file meanwhile: no transaction stays open as long as the enqueueing takes."""
        found: set[str] = set()
        with closing(Spill()) as meant:
            for user_id in self.store.each_user_id():
                if user_id is None:
                    self.passed_over["no-user"] += 1
                elif self.selection.fits(user_id):
                    if self.selection.ids is not None:
                        found.add(user_id)
                    meant.add(user_id)
                else:
                    self.passed_over["selection"] += 1
            self.passed_over["unknown"] += sum(self.selection.fits(user_id) for user_id in (self.selection.ids or set()) - found)
            yield from meant.in_order()
