"""What asking a model took, and what it costs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

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
    """

    requests: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            _whole(_add(self.prompt_tokens, other.prompt_tokens)),
            _whole(_add(self.completion_tokens, other.completion_tokens)),
            _add(self.cost, other.cost),
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

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The cost of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1_000_000

    def on(self, usage: Usage) -> Usage:
        """The usage with its cost, as far as the service told its tokens."""
        if usage.prompt_tokens is None:
            return usage
        return replace(usage, cost=self.of(usage.prompt_tokens, usage.completion_tokens or 0))
