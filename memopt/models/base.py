"""What a strategy asks and what a model answers. Values only: no network, no library."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from memopt.memory import UserMemory
from memopt.usage import Usage

__all__ = ["Ask", "Model", "Reply", "Usage"]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to a model.

    Attributes:
        system: the instructions.
        prompt: the material, as the user's message.
        purpose: a word or two for progress and errors, such as ``summary of 40 memories``.
        schema: a JSON Schema for the answer where structured output is wanted; an endpoint that cannot gives plain text.
        material: the memories the prompt was written from. Not sent; the built-in consolidator and the checks read them.
    """

    system: str
    prompt: str
    purpose: str = "answer"
    schema: dict[str, Any] | None = None
    material: tuple[UserMemory, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. ``text`` is what may be used: reasoning stripped, refusals and cut answers already refused."""

    text: str
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None


class Model(Protocol):
    """Answers requests. Both methods raise ModelError, and AnswerRefused where the answer may not be used.

    Attributes:
        name: the model's name, as it goes into plans and the journal.
        endpoint: where it is asked, without credentials; "" for a model inside memopt.
        context_tokens: how much fits into one request and its answer; None: not known.
    """

    name: str
    endpoint: str
    context_tokens: int | None

    def answer(self, ask: Ask) -> Reply: ...

    async def aanswer(self, ask: Ask) -> Reply: ...
