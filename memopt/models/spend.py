"""Keeping count of what is asked: the price of a run, and the limits that stop it before a request is sent.

Money is added up in fractions, so that what is held back and given free again leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from memopt.errors import LimitError, UsageError
from memopt.models.base import Ask, Failed, Reply, used_by
from memopt.usage import Price, Usage, exact

MOST_ANSWER_TOKENS = 16_000
"""No answer is given more room than this, or than four times its request: services refuse limits that they do not know."""

_MARGIN = Fraction(5, 4)
"""So many times as many tokens as we count may a service find in a request."""


def sent_requests(number: int) -> str:
    """``1 request is sent``."""
    return "1 request is sent" if number == 1 else f"{number} requests are sent"


def more_needed(number: int) -> str:
    """``1 more is needed``."""
    return "1 more is needed" if number == 1 else f"{number} more are needed"


def money(amount: Fraction | float) -> str:
    """An amount for people: four digits, and never in powers of ten."""
    digits = f"{float(amount):.4g}"
    if "e" not in digits:
        return digits
    return f"{float(amount):.15f}".rstrip("0").rstrip(".") if amount < 1 else f"{float(amount):.0f}"


def check_limits(max_requests: int | None, max_cost: float | None, price: Price | None) -> None:
    """Raise UsageError for a cost without a price, or a limit that is not above 0."""
    if max_cost is not None and price is None:
        raise UsageError("--max-cost needs to know what a token costs: say --price IN/OUT per million tokens")
    if (max_requests is not None and max_requests < 1) or (max_cost is not None and not max_cost > 0):
        raise UsageError("--max-requests and --max-cost are above 0")


def request_tokens(ask: Ask, count: Callable[[str], int]) -> int:
    """The tokens of a request as it is sent."""
    return count(ask.instructions(ask.schema is not None)) + count(ask.prompt)


def taken(ask: Ask, reply: Reply | Failed, count: Callable[[str], int]) -> Usage:
    """What a request took. What neither the service nor the model that asked it tells is counted here."""
    if isinstance(reply, Failed):
        return used_by(reply.error)
    usage = reply.usage
    if usage.prompt_tokens is None and not usage.untold_prompt:
        usage = replace(usage, untold_prompt=request_tokens(ask, count))
    if usage.completion_tokens is None and not usage.untold_completion:
        usage = replace(usage, untold_completion=count(reply.text))
    return usage


@dataclass(frozen=True, slots=True)
class Room:
    """What one request may cost, its answer included.

    Attributes:
        asked: its tokens. An answer is expected to be about as long: it stands for memories that the request holds.
        held: the cost that is held back for it.
        check: raises LimitError where answers to others have passed the limit meanwhile.
    """

    price: Price
    asked: int
    held: Fraction
    check: Callable[[], None]

    def __call__(self, used: Usage) -> int | None:
        """How many tokens its answer may have, after answers that took ``used``; None: any number. Raises LimitError."""
        self.check()
        if not self.price.completion:
            return None
        each = self.price.exactly(0, 1)
        left = self.held - self.price.taken(used)
        room = int((left - _MARGIN * self.price.exactly(self.asked, 0)) / each)
        least = min(self.asked, int((left - self.price.exactly(self.asked, 0)) / each))
        if max(room, least) < self.asked:
            raise LimitError("an answer could not be used, and asking once more may cost more than --max-cost allows", requests=0)
        return max(room, least, 1)


def rooms(requests: Sequence[int], price: Price, free: Fraction, check: Callable[[], None]) -> Iterator[Room]:
    """The room of each of some requests of so many tokens, where ``free`` may be spent beside what all are expected to cost."""
    for asked in requests:
        most = price.exactly(0, max(MOST_ANSWER_TOKENS, 4 * asked) - asked) + (_MARGIN - 1) * price.exactly(asked, 0)
        yield Room(price, asked, price.exactly(asked, asked) + max(Fraction(0), min(free / len(requests), most)), check)


class Spend:
    """Counts requests, tokens and cost, and refuses to go beyond a limit. It is the watch of a run (``strategies.base.Watch``).

    What several strategies of a run ask counts together, whatever each of them says that it used.

    Args:
        count: tokens of a text, for what is about to be sent, and for what a service does not tell.
        max_requests: how many requests may be sent, repetitions included; None: any number.
        max_cost: what they may cost together; needs ``price``.
        price: of the model.
        tell: called with each batch of requests before it is sent: the requests, their tokens, and what was used so far.
        told: called after each answer with how many of the batch are done.
        warn: called once with each sentence of ``notes``, as soon as it holds.

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
        warn: Callable[[str], None] | None = None,
    ) -> None:
        check_limits(max_requests, max_cost, price)
        self.price = price
        self._count = count
        self._max_requests = max_requests
        self._max_cost = None if max_cost is None else exact(max_cost)
        self._tell = tell
        self._told = told
        self._warn = warn
        self._warned: set[str] = set()
        self._batch = self._done = self._sent = 0
        self._used = Usage()
        self._rooms: list[Room] = []

    def asking(self, asks: Sequence[Ask], used: Usage) -> None:
        """Before a batch is sent. Raises LimitError where it would go beyond a limit."""
        requests = [request_tokens(ask, self._count) for ask in asks]
        tokens = sum(requests)
        sent = max(used.requests, self._used.requests)
        if self._max_requests is not None and sent + len(asks) > self._max_requests:
            raise LimitError(
                f"{sent_requests(sent)} and {more_needed(len(asks))}, and --max-requests allows "
                f"{self._max_requests}; nothing was written",
                requests=sent,
                needed=len(asks),
            )
        self._rooms = []
        if self._max_cost is not None and self.price is not None:
            spent = max(self.price.taken(used), self.price.taken(self._used))
            ahead = self.price.exactly(tokens, tokens)
            if spent + ahead > self._max_cost:
                ask = "the next request" if len(asks) == 1 else f"the next {len(asks)} requests"
                raise LimitError(
                    f"{ask} may cost {money(ahead)}, {money(spent)} is spent, and --max-cost allows "
                    f"{money(self._max_cost)}; nothing was written",
                    spent=float(spent),
                    ahead=float(ahead),
                )
            self._rooms = list(rooms(requests, self.price, self._max_cost - spent - ahead, self._check))
        self._batch, self._done = len(asks), 0
        self._sent = sent + len(asks)
        if self._tell is not None:
            self._tell(asks, tokens, used)

    def _check(self) -> None:
        """Raise LimitError where answers have passed the limit."""
        if self._max_cost is not None and self.price is not None and self.price.taken(self._used) > self._max_cost:
            raise LimitError(f"{passed(self.price.taken(self._used), self._max_cost)}; nothing was written")

    def rooms(self) -> list[Room] | list[None]:
        """What each request of the batch may cost."""
        return self._rooms or [None] * self._batch

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
        self._used += taken(ask, reply, self._count)
        if self._told is not None:
            self._told(self._done, self._batch)
        if self._warn is not None:
            for note in self.notes:
                if note.partition(",")[0] not in self._warned:
                    self._warned.add(note.partition(",")[0])
                    self._warn(note)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what was asked: where a cost is our own count, and where it is more than was allowed."""
        if self.price is None:
            return ()
        notes = []
        if self._used.untold_prompt or self._used.untold_completion:
            notes.append(NOT_TOLD)
        if self._max_cost is not None and (spent := self.price.taken(self._used)) > self._max_cost:
            notes.append(passed(spent, self._max_cost))
        return tuple(notes)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost, as far as there is a price and its tokens are known."""
        return usage if self.price is None else self.price.on(usage)


NOT_TOLD = "the service does not tell how many tokens it took, so the cost is by memopt's own count"


def passed(spent: Fraction, most: Fraction) -> str:
    """That more was spent than was allowed."""
    return (
        f"the limit of cost was passed, because an answer took more than could be foreseen: {money(spent)} is spent, "
        f"and --max-cost allows {money(most)}; nothing more is asked"
    )
