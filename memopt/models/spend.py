"""Keeping count of what is asked: the price of a run, and the limits that stop it before a request is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memopt.errors import LimitError, UsageError
from memopt.models.base import Ask, Failed, Reply
from memopt.usage import Price, Usage


def sent_requests(number: int) -> str:
    """``1 request is sent``."""
    return "1 request is sent" if number == 1 else f"{number} requests are sent"


def more_needed(number: int) -> str:
    """``1 more is needed``."""
    return "1 more is needed" if number == 1 else f"{number} more are needed"


def check_limits(max_requests: int | None, max_cost: float | None, price: Price | None) -> None:
    """Raise UsageError for a cost without a price, or a limit that is not above 0."""
    if max_cost is not None and price is None:
        raise UsageError("--max-cost needs to know what a token costs: say --price IN/OUT per million tokens")
    if (max_requests is not None and max_requests < 1) or (max_cost is not None and not max_cost > 0):
        raise UsageError("--max-requests and --max-cost are above 0")


class Spend:
    """Counts requests, tokens and cost, and refuses to go beyond a limit. It is the watch of a run (``strategies.base.Watch``).

    Args:
        count: tokens of a text, for what is about to be sent.
        max_requests: how many requests may be sent, repetitions included; None: any number.
        max_cost: what they may cost together; needs ``price``.
        price: of the model.
        tell: called with each batch of requests before it is sent: the requests, their tokens, and what was used so far.
        told: called after each answer with how many of the batch are done.

    Raises:
        UsageError: ``max_cost`` without ``price``, or a limit that is not above 0.
    """

    def __init__(
        self,
        count: Callable[[str], int],
        *,
        max_requests: int | None = None,
        max_cost: float | None = None,
        price: Price | None = None,
        tell: Callable[[Sequence[Ask], int, Usage], None] | None = None,
        told: Callable[[int, int], None] | None = None,
    ) -> None:
        check_limits(max_requests, max_cost, price)
        self.price = price
        self._count = count
        self._max_requests = max_requests
        self._max_cost = max_cost
        self._tell = tell
        self._told = told
        self._batch = self._done = self._sent = 0

    def asking(self, asks: Sequence[Ask], used: Usage) -> None:
        """Before a batch is sent. Raises LimitError where it would go beyond a limit."""
        tokens = sum(self._count(ask.instructions(ask.schema is not None)) + self._count(ask.prompt) for ask in asks)
        if self._max_requests is not None and used.requests + len(asks) > self._max_requests:
            raise LimitError(
                f"{sent_requests(used.requests)} and {more_needed(len(asks))}, and --max-requests allows "
                f"{self._max_requests}; nothing was written",
                requests=used.requests,
                needed=len(asks),
            )
        if self._max_cost is not None and self.price is not None:
            spent = self.priced(used).cost or 0.0
            # An answer is at most about as long as the memories it stands for.
            ahead = self.price.of(tokens, tokens)
            if spent + ahead > self._max_cost:
                ask = "the next request" if len(asks) == 1 else f"the next {len(asks)} requests"
                raise LimitError(
                    f"{ask} may cost {ahead:.4g}, {spent:.4g} is spent, and --max-cost allows "
                    f"{self._max_cost:g}; nothing was written",
                    spent=spent,
                    ahead=ahead,
                )
        self._batch, self._done = len(asks), 0
        self._sent = used.requests + len(asks)
        if self._tell is not None:
            self._tell(asks, tokens, used)

    def repeating(self) -> None:
        """Before a request of the batch is sent once more. Raises LimitError where that would be one too many."""
        if self._max_requests is not None and self._sent >= self._max_requests:
            raise LimitError(
                f"{sent_requests(self._sent)}, one has to be repeated, and --max-requests allows {self._max_requests}; "
                "nothing was written",
                requests=self._sent,
                needed=1,
            )
        self._sent += 1

    def answered(self, ask: Ask, reply: Reply | Failed) -> None:
        """After an answer."""
        self._done += 1
        if self._told is not None:
            self._told(self._done, self._batch)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost, as far as there is a price and the service told its tokens."""
        return usage if self.price is None else self.price.on(usage)
