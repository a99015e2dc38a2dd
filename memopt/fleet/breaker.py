"""Ends a run when it would go no better with the users that are still to come: the service or the store fails many in a row, or
what is left of a limit is enough for nobody."""

from __future__ import annotations

from memopt.errors import LimitError, MemoptError, StoreError
from memopt.fleet.choosing import Line
from memopt.fleet.outcomes import Outcome, Status, UserBusy

MODEL_FAILURES = 5
"""After so many users in a row whom the model failed, the service is taken to be down and the run ends."""
STORE_FAILURES = 3
BEYOND = 20
"""After so many users in a row for whom what is left of a limit is not enough, the cheapest are tried next."""
BEYOND_CHEAPEST = 5
"""After so many of those, it is taken to be enough for nobody, and the run ends."""


class Breaker:
    """Counts the failures in a row.

    A failing service ends the run, but users that it cannot do must not keep the others from their turn every night. So when it
    failed many in a row and yet does answer, the cheapest users are tried next. If it fails those too, it is down.

    Attributes:
        line: the users that are still to come, where they come the most expensive first.
        limit: why the latest user for whom a limit left too little was not tried.
    """

    def __init__(self) -> None:
        self.line: Line | None = None
        self._model_failures = self._store_failures = 0
        self._doubted: set[str] | None = None
        self.limit: LimitError | None = None
        self._beyond = 0
        self._cheapest: set[str] | None = None
        self._trying: set[str] = set()

    @property
    def hesitates(self) -> bool:
        """Whether those under way are to be waited for: if the service fails them too, nobody else is to be tried."""
        return self._doubted is not None and len(self._trying) + self._model_failures >= MODEL_FAILURES

    def begins(self, user_id: str) -> None:
        """A user's work is begun."""
        for begun in (self._doubted, self._cheapest):
            if begun is not None:
                begun.add(user_id)
        if self._doubted is not None:
            self._trying.add(user_id)

    def over(self, user_id: str) -> None:
        """A user's work is over, whatever became of it."""
        self._trying.discard(user_id)

    def ended(self, outcome: Outcome) -> MemoptError | None:
        """A user's work has ended. Returns why the run should."""
        error = outcome.error
        if error is not None and error.kind == "model":
            self._model_failed(outcome.user_id, error)
        elif outcome.status is not Status.LEFT and outcome.status is not Status.SEEN:
            self._model_failures = 0
            self._doubt(None)
        if isinstance(error, StoreError) and not outcome.unreadable and not isinstance(error, UserBusy):
            self._store_failures += 1
        elif outcome.status is not Status.LEFT:
            self._store_failures = 0
        for failures, most, what in (
            (self._model_failures, MODEL_FAILURES, "the model"),
            (self._store_failures, STORE_FAILURES, "the store"),
        ):
            if failures >= most and error is not None:
                return type(error)(f"{what} failed {failures} users in a row, the others are not tried: {error}")
        return None

    def _model_failed(self, user_id: str | None, error: MemoptError) -> None:
        if self._doubted is not None and user_id not in self._doubted:
            return  # begun before
        self._model_failures += 1
        answers = error.details.get("status") is not None
        if self._model_failures >= MODEL_FAILURES and answers and self._doubted is None and self.line is not None:
            self._model_failures = 0
            self._doubt(set())

    def _doubt(self, users: set[str] | None) -> None:
        self._doubted = users
        self._turn()

    def _turn(self) -> None:
        if self.line is not None:
            self.line.backwards = self._doubted is not None or self._cheapest is not None

    def beyond(self, outcome: Outcome, *, exhausted: bool) -> LimitError | None:
        """A user's work has ended. Returns why the run should, where what is left of a limit is enough for nobody.

        Those who need more than there is must not keep cheaper ones from their turn. But each has to be read to know what it
        needs, so after many in a row the cheapest are looked at, and not all the others.

        Args:
            exhausted: nothing at all is left.
        """
        if not isinstance(outcome.error, LimitError):
            if outcome.usage.requests:
                self._beyond = 0
            return None
        self.limit = outcome.error
        if exhausted:
            return self.limit
        if self.line is None or (self._cheapest is not None and outcome.user_id not in self._cheapest):
            return None
        self._beyond += 1
        if self._cheapest is None and self._beyond >= BEYOND:
            self._beyond, self._cheapest = 0, set()
            self._turn()
        return self.limit if self._cheapest is not None and self._beyond >= BEYOND_CHEAPEST else None


__all__ = ["MODEL_FAILURES", "Breaker"]
