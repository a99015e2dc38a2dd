"""What asking a model took, and what it costs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from memopt.errors import UsageError


def _add(a: float | None, b: float | None) -> float | None:
    return None if a is None and b is None else (a or 0) + (b or 0)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


@dataclass(frozen=True, slots=True)
class Usage:
    """What the model used.

    Attributes:
        requests: requests sent, repetitions included.
        prompt_tokens, completion_tokens: as the service counted them; None: it did not tell.
        cost: in the currency of the price that was given; None: no price was given.
        untold_prompt, untold_completion: tokens of requests and answers of which the service did not tell them, by our own count.
        judge: what of all this a judge of its own took; None: none was asked.
    """

    requests: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    untold_prompt: int = 0
    untold_completion: int = 0
    judge: Usage | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            _whole(_add(self.prompt_tokens, other.prompt_tokens)),
            _whole(_add(self.completion_tokens, other.completion_tokens)),
            _add(self.cost, other.cost),
            self.untold_prompt + other.untold_prompt,
            self.untold_completion + other.untold_completion,
            self.judge + other.judge if self.judge and other.judge else self.judge or other.judge,
        )


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, per million tokens in and out, in any currency."""

    prompt: float
    completion: float

    @classmethod
    def read(cls, text: str) -> Price:
        """Read ``IN/OUT``, such as ``0.15/0.60``.

        Raises:
            UsageError: not two numbers of at least 0.
        """
        match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*/\s*(\d{1,9}(?:\.\d{1,9})?)\s*", text)
        if match is None:
            raise UsageError(f"a price is IN/OUT per million tokens, such as 0.15/0.60, not {text!r}")
        return cls(float(match[1]), float(match[2]))

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The cost of so many tokens."""
        return float(self.exactly(prompt_tokens, completion_tokens))

    def exactly(self, prompt_tokens: int, completion_tokens: int) -> Fraction:
        """``of`` without rounding, for what is added up and taken away again."""
        return (exact(self.prompt) * prompt_tokens + exact(self.completion) * completion_tokens) / 1_000_000

    def taken(self, usage: Usage) -> Fraction:
        """What a usage cost, by the tokens that the service told, else by our own count of them; without rounding."""
        return self.exactly(
            (usage.prompt_tokens or 0) + usage.untold_prompt, (usage.completion_tokens or 0) + usage.untold_completion
        )

    def on(self, usage: Usage) -> Usage:
        """The usage with its cost, as far as its tokens are known."""
        if usage.prompt_tokens is None and not usage.untold_prompt:
            return usage
        return replace(usage, cost=float(self.taken(usage)))


def exact(amount: float) -> Fraction:
    """An amount as it is written in decimals: 0.1 is a tenth."""
    return Fraction(str(amount))
