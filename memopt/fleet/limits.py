"""What may be asked: the limits of a whole run, and a service that all its users share."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from memopt.errors import LimitError, ModelError
from memopt.models.base import Ask, Failed, Model, Reply, used_by
from memopt.models.spend import (
    NOT_TOLD,
    Room,
    check_limits,
    money,
    more_needed,
    passed,
    request_tokens,
    rooms,
    sent_requests,
    taken,
)
from memopt.usage import Price, Usage, exact

SOUND_SECONDS = 10.0
"""So long all users wait for the first answer of the service to one of them."""

_SHARE = Fraction(1, 16)
"""What is free of a limit beside what requests are expected to cost is held back for one user's answers to this part."""


class Budget:
    """Keeps count of what a whole run asks, and refuses to go beyond a limit. Users who are worked on at one time share it.

    Args:
        count: tokens of a text.
        max_requests: how many requests may be sent, repetitions included.
        max_cost: what they may cost together; needs ``price``.
        bounded: answers are given no more room than there is (``Ask.room``), and that is held back for them.

    Attributes:
        held: what is held back for the requests that are under way.
        closed: set where the run ends: nobody waits any more for a first request of its own.
        deadline: by ``time.monotonic``, when the run's time is over; from then on nobody is asked who has no answer yet.

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
        bounded: bool = True,
    ) -> None:
        check_limits(max_requests, max_cost, price)
        self.count, self.max_requests, self.price = count, max_requests, price
        self.max_cost = None if max_cost is None else exact(max_cost)
        self.limited = max_requests is not None or max_cost is not None
        self.bounded = bounded
        self.lock = threading.Lock()
        self.sent = self.under_way = 0
        self.spent = self.held = Fraction(0)
        self.untold = self.closed = False
        self.deadline: float | None = None

    def user(self) -> UserBudget:
        """The watch of one user's requests (``strategies.base.Watch``)."""
        return UserBudget(self)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost, as far as there is a price and its tokens are known."""
        return usage if self.price is None else self.price.on(usage)

    @property
    def exhausted(self) -> bool:
        """Whether nobody can be asked anything any more."""
        return (self.max_requests is not None and self.sent >= self.max_requests) or (
            self.max_cost is not None and self.spent >= self.max_cost
        )

    @property
    def passed(self) -> LimitError | None:
        """Why the run should end: more was spent than was allowed."""
        if self.max_cost is None or self.spent <= self.max_cost:
            return None
        return LimitError(passed(self.spent, self.max_cost), requests=0)

    def check(self) -> None:
        """Raise LimitError where more was spent than was allowed."""
        if self.passed is not None:
            raise self.passed

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what was asked."""
        return (NOT_TOLD,) if self.untold and self.price is not None else ()


class UserBudget:
    """One user's share of a Budget."""

    def __init__(self, whole: Budget) -> None:
        self._whole = whole
        self._requests = self._under_way = 0
        self._held = self._spent = Fraction(0)
        self._rooms: list[Room] = []
        self._counted: tuple[Sequence[Ask], list[int]] = ((), [])
        self._failures: list[BaseException] = []
        self._untold = False
        self.usage = Usage()

    def asking(self, asks: Sequence[Ask], used: Usage) -> None:
        """Before a batch is sent. Raises LimitError where it would go beyond a limit.

        The error's details hold ``waits`` where there may be room when the answers to others are in, and ``never``, a sentence,
        where no run with these limits could ask it.
        """
        whole = self._whole
        self._check_time()
        ahead = Fraction(0)
        if whole.max_cost is not None and whole.price is not None:
            if self._counted[0] is not asks:  # who waits asks often
                self._counted = (asks, [request_tokens(ask, whole.count) for ask in asks])
            tokens = sum(self._counted[1])
            ahead = whole.price.exactly(tokens, tokens)
        with whole.lock:
            needed = self._requests + len(asks)
            if whole.max_requests is not None and whole.sent + len(asks) > whole.max_requests:
                raise LimitError(
                    f"{sent_requests(whole.sent)} or under way and {more_needed(len(asks))} for the next user, and "
                    f"--max-requests allows {whole.max_requests}",
                    requests=0,
                    never=None
                    if needed <= whole.max_requests
                    else f"{needed} requests are needed, and --max-requests allows {whole.max_requests}",
                )
            if whole.max_cost is not None and whole.spent + whole.held + ahead > whole.max_cost:
                waits = whole.under_way > 0 and whole.spent + ahead <= whole.max_cost
                raise LimitError(
                    f"the next user may cost {money(ahead)}, {money(whole.spent)} is spent and {money(whole.held)} may be under "
                    f"way, and --max-cost allows {money(whole.max_cost)}",
                    requests=0,
                    waits=waits and not (whole.closed and self._requests == 0),
                    never=None
                    if self._spent + ahead <= whole.max_cost
                    else f"it may cost {money(self._spent + ahead)}, and --max-cost allows {money(whole.max_cost)}",
                )
            self._rooms = []
            if whole.bounded and whole.max_cost is not None and whole.price is not None:
                free = (whole.max_cost - whole.spent - whole.held - ahead) * _SHARE
                self._rooms = list(rooms(self._counted[1], whole.price, free, whole.check))
            held = sum((room.held for room in self._rooms), Fraction(0)) if self._rooms else ahead
            whole.sent += len(asks)
            self._requests += len(asks)
            whole.under_way += len(asks)
            self._under_way += len(asks)
            whole.held += held
            self._held += held

    def rooms(self) -> list[Room] | list[None]:
        """What each request of the batch may cost."""
        return self._rooms or [None] * self._under_way

    def repeating(self) -> None:
        """Before a request is sent once more. Raises LimitError where that would be one too many, or too late."""
        whole = self._whole
        self._check_time()
        with whole.lock:
            if whole.max_requests is not None and whole.sent >= whole.max_requests:
                raise LimitError(
                    f"{sent_requests(whole.sent)}, one has to be repeated, and --max-requests allows {whole.max_requests}",
                    requests=0,
                )
            whole.sent += 1
            self._requests += 1

    def _check_time(self) -> None:
        """Raise LimitError where the run's time is over and the user has no answer yet: nothing of it would be lost."""
        deadline = self._whole.deadline
        if deadline is not None and not self.usage.requests and time.monotonic() >= deadline:
            raise LimitError("the time of the run is over", requests=0)

    def answered(self, ask: Ask, reply: Reply | Failed) -> None:
        """After an answer, or a failure that the strategy goes on from."""
        if isinstance(reply, Failed):
            self._failures.append(reply.error)
        used = used_by(reply.error) if isinstance(reply, Failed) else reply.usage
        self.usage += used
        whole = self._whole
        if whole.price is not None:
            used = taken(ask, reply, whole.count)
        cost = Fraction(0) if whole.price is None else whole.price.taken(used)
        with whole.lock:
            ended = min(1, self._under_way)
            room = ask.room
            held = min(room.held if isinstance(room, Room) else self._held / max(1, self._under_way), self._held)
            if self._under_way <= 1:
                held = self._held
            self._under_way -= ended
            whole.under_way -= ended
            self._held -= held
            whole.held -= held
            whole.spent += cost
            self._spent += cost
            self._untold = self._untold or bool(used.untold_prompt or used.untold_completion)
            whole.untold = whole.untold or self._untold

    def given_up(self, ask: Ask) -> None:
        """A request was sent, and nobody waits for its answer any longer: it is counted, and so is what it took to read it."""
        used = Usage(1)
        if self._whole.price is not None:
            used = Usage(1, untold_prompt=request_tokens(ask, self._whole.count))
        self.usage += used

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what was asked, for the user's plan."""
        return (NOT_TOLD,) if self._untold and self._whole.price is not None else ()

    def with_failure(self, error: BaseException) -> Usage:
        """What the user used in the end, where this ended its work: counted once, whoever raised it again."""
        if not isinstance(error, ModelError | LimitError) or any(error is each for each in self._failures):
            return self.usage
        return self.usage + used_by(error, 0)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost."""
        return self._whole.priced(usage)

    def close(self, used: Usage) -> Usage:
        """The user is done: what it used in the end. What was held back for it is free again."""
        whole = self._whole
        priced = whole.priced(used)
        cost = self._spent if whole.price is None else max(self._spent, whole.price.taken(used))
        with whole.lock:
            whole.sent += used.requests - self._requests
            whole.under_way -= self._under_way
            whole.held -= self._held
            whole.spent += cost - self._spent
        self._requests, self._under_way, self._held, self._spent = used.requests, 0, Fraction(0), cost
        return priced


class Sounded:
    """A model of a service as all users share it: the first request goes alone, and after a final failure none is sent any more.

    So a wrong key costs one request, however many users wait.

    Args:
        concurrency: how many requests of all users may be under way at a time.
    """

    def __init__(self, inner: Model, concurrency: int) -> None:
        import asyncio

        self._inner = inner
        self._slots = asyncio.Semaphore(concurrency)
        self.name, self.endpoint, self.context_tokens = inner.name, inner.endpoint, inner.context_tokens
        self._sound = False
        self._final: ModelError | None = None
        self._turn = asyncio.Lock()
        self._thread_turn = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def _check(self) -> None:
        if self._final is not None:
            details = {**self._final.details, "requests": 0}
            raise type(self._final)(str(self._final), **details)

    def _failed(self, error: ModelError) -> None:
        if error.final:
            self._final = self._final or error
        elif error.details.get("status") is not None or error.kind != "model":
            self._sound = True  # it serves; this one request is what it does not like

    async def aanswer(self, ask: Ask) -> Reply:
        import asyncio

        if not self._sound:
            try:
                await asyncio.wait_for(self._turn.acquire(), SOUND_SECONDS)
            except TimeoutError:
                self._sound = True  # it does not refuse, it is slow; a wrong key is refused sooner
            else:
                try:
                    if not self._sound:
                        return await self._aask(ask)
                finally:
                    self._turn.release()
        return await self._aask(ask)

    async def _aask(self, ask: Ask) -> Reply:
        import asyncio

        async with self._slots:
            self._check()
            try:
                reply = await self._inner.aanswer(ask)
            except asyncio.CancelledError:
                if ask.given_up is not None:
                    ask.given_up(ask)
                raise
            except ModelError as error:
                self._failed(error)
                raise
        self._sound = True
        return reply

    def answer(self, ask: Ask) -> Reply:
        if self._sound:
            return self._ask(ask)
        with self._thread_turn:
            if not self._sound:
                return self._ask(ask)
        return self._ask(ask)

    def _ask(self, ask: Ask) -> Reply:
        self._check()
        try:
            reply = self._inner.answer(ask)
        except ModelError as error:
            self._failed(error)
            raise
        self._sound = True
        return reply


__all__ = ["Budget", "Sounded", "UserBudget"]
