"""What may be asked: the limits of a whole run, and a service that all its users share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from memopt.errors import LimitError, ModelError
from memopt.models.base import Ask, Failed, Model, Reply
from memopt.models.spend import check_limits, more_needed, sent_requests
from memopt.strategies.base import used_by
from memopt.usage import Price, Usage

SOUND_SECONDS = 10.0
"""So long all users wait for the first answer of the service to one of them."""


class Budget:
    """Keeps count of what a whole run asks, and refuses to go beyond a limit. Users who are worked on at one time share it.

    Args:
        count: tokens of a text.
        max_requests: how many requests may be sent, repetitions included.
        max_cost: what they may cost together; needs ``price``.

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
    ) -> None:
        check_limits(max_requests, max_cost, price)
        self.count, self.max_requests, self.max_cost, self.price = count, max_requests, max_cost, price
        self.limited = max_requests is not None or max_cost is not None
        self.lock = threading.Lock()
        self.sent = 0
        self.spent = self.held = 0.0

    def user(self) -> UserBudget:
        """The watch of one user's requests (``strategies.base.Watch``)."""
        return UserBudget(self)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost, as far as there is a price and the service told its tokens."""
        return usage if self.price is None else self.price.on(usage)


class UserBudget:
    """One user's share of a Budget."""

    def __init__(self, whole: Budget) -> None:
        self._whole = whole
        self._requests = 0
        self._held = self._each = self._spent = 0.0
        self._failures: list[BaseException] = []
        self.usage = Usage()

    def asking(self, asks: Sequence[Ask], used: Usage) -> None:
        """Before a batch is sent. Raises LimitError where it would go beyond a limit."""
        whole = self._whole
        ahead = 0.0
        if whole.max_cost is not None and whole.price is not None:
            tokens = sum(whole.count(ask.instructions(ask.schema is not None)) + whole.count(ask.prompt) for ask in asks)
            ahead = whole.price.of(tokens, tokens)  # an answer is at most about as long as what it stands for
        with whole.lock:
            if whole.max_requests is not None and whole.sent + len(asks) > whole.max_requests:
                raise LimitError(
                    f"{sent_requests(whole.sent)} or under way and {more_needed(len(asks))} for the next user, and "
                    f"--max-requests allows {whole.max_requests}",
                    requests=0,
                )
            if whole.max_cost is not None and whole.spent + whole.held + ahead > whole.max_cost:
                raise LimitError(
                    f"the next user may cost {ahead:.4g}, {whole.spent:.4g} is spent and {whole.held:.4g} may be under way, and "
                    f"--max-cost allows {whole.max_cost:g}",
                    requests=0,
                    waits=whole.held > 0 and self._requests == 0,
                )
            whole.sent += len(asks)
            self._requests += len(asks)
            whole.held += ahead
            self._held += ahead
            self._each = ahead / len(asks) if asks else 0.0

    def repeating(self) -> None:
        """Before a request is sent once more. Raises LimitError where that would be one too many."""
        whole = self._whole
        with whole.lock:
            if whole.max_requests is not None and whole.sent >= whole.max_requests:
                raise LimitError(
                    f"{sent_requests(whole.sent)}, one has to be repeated, and --max-requests allows {whole.max_requests}",
                    requests=0,
                )
            whole.sent += 1
            self._requests += 1

    def answered(self, ask: Ask, reply: Reply | Failed) -> None:
        """After an answer, or a failure that the strategy goes on from."""
        if isinstance(reply, Failed):
            self._failures.append(reply.error)
        used = used_by(reply.error) if isinstance(reply, Failed) else reply.usage
        self.usage += used
        self._settle(self._each, used)

    def with_failure(self, error: BaseException) -> Usage:
        """What the user used in the end, where this ended its work: counted once, whoever raised it again."""
        if not isinstance(error, ModelError) or any(error is each for each in self._failures):
            return self.usage
        return self.usage + used_by(error, 0)

    def _settle(self, held: float, used: Usage) -> None:
        cost = self._whole.priced(used).cost or 0.0
        with self._whole.lock:
            held = min(held, self._held)
            self._held -= held
            self._whole.held -= held
            self._whole.spent += cost
            self._spent += cost

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost."""
        return self._whole.priced(usage)

    def close(self, used: Usage) -> Usage:
        """The user is done: what it used in the end. What was held back for it is free again."""
        priced = self._whole.priced(used)
        with self._whole.lock:
            self._whole.sent += used.requests - self._requests
            self._whole.held -= self._held
            self._whole.spent += (priced.cost or 0.0) - self._spent
        self._requests, self._held, self._spent = used.requests, 0.0, priced.cost or 0.0
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
        async with self._slots:
            self._check()
            try:
                reply = await self._inner.aanswer(ask)
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
