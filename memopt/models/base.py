"""What a strategy asks and what a model answers. Values only: no network, no library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from memopt.errors import MemoptError, ModelError
from memopt.memory import UserMemory
from memopt.usage import Usage

__all__ = ["Ask", "AskLimits", "Failed", "Limits", "Model", "Reply", "Sentence", "Usage", "used_by"]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to a model.

    Attributes:
        system: the instructions, without a word on the form of the answer.
        prompt: the material, as the user's message.
        purpose: a word or two for progress and errors, such as ``summary of 40 memories``.
        group: which of several summaries it is for, such as a topic or a month; "" where there is but one.
        part: the number of the part that it is for, and of how many; None where there is but one.
        schema: a JSON Schema for the answer where structured output is wanted; an endpoint that cannot gives plain text.
        material: the memories the prompt was written from. Not sent; the built-in consolidator and the checks read them.
        plain_form, schema_form: what the instructions end with where plain text, or an answer by the schema, is asked for.
        may_fail: a failure comes back as a Failed instead of ending the run, unless no further request can succeed either.
        spare: the strategy can do without, so that what was paid for by then is not lost: where a limit leaves no room for it,
            a request that may fail comes back as a Failed.
        judge: put to the judge where one was chosen, else to the model.
        repeating: set by whoever drives the strategy; a model calls it before it sends the same request once more. It raises
            LimitError where that is not allowed.
        room: set likewise, where a cost is not to be passed: given what answers to this request took that were not used, the
            tokens that its answer may have; None: any number. It raises LimitError where none are left.
        given_up: set likewise; to be called where a request that was sent is not waited for any longer.
    """

    system: str
    prompt: str
    purpose: str = "answer"
    group: str = ""
    part: tuple[int, int] | None = None
    schema: dict[str, Any] | None = None
    material: tuple[UserMemory, ...] = ()
    plain_form: str = ""
    schema_form: str = ""
    may_fail: bool = False
    spare: bool = False
    judge: bool = False
    repeating: Callable[[], None] | None = field(default=None, compare=False, repr=False)
    room: Callable[[Usage], int | None] | None = field(default=None, compare=False, repr=False)
    given_up: Callable[[Ask], None] | None = field(default=None, compare=False, repr=False)

    def instructions(self, structured: bool) -> str:
        """The system message as it is sent."""
        form = self.schema_form if structured and self.schema is not None else self.plain_form
        return f"{self.system}\n\n{form}" if form else self.system


@dataclass(frozen=True, slots=True)
class Sentence:
    """A part of an answer whose origin the model told: the text, and the positions of its sources in the request's material."""

    text: str
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. ``text`` is what may be used: reasoning stripped, refusals and cut answers already refused.

    Attributes:
        sentences: the answer in parts with their sources, from a model that knows them without being asked for a form.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    sentences: tuple[Sentence, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """Stands for the reply to a request that may fail, and did."""

    error: ModelError


def used_by(error: MemoptError, requests: int = 1) -> Usage:
    """What a failure took, as far as its error tells: so many requests where it does not."""
    told = error.details
    return Usage(
        int(told.get("requests", requests)),
        told.get("prompt_tokens"),
        told.get("completion_tokens"),
        untold_prompt=told.get("untold_prompt", 0),
        untold_completion=told.get("untold_completion", 0),
    )


def tokens_of(usage: Usage) -> dict[str, int]:
    """The tokens of a usage as they stand in an error's details (``used_by``)."""
    names = ("prompt_tokens", "completion_tokens", "untold_prompt", "untold_completion")
    return {name: value for name in names if (value := getattr(usage, name))}


@dataclass(frozen=True, slots=True)
class AskLimits:
    """Yielded by a strategy that must know how much fits into one request; answered with Limits, and no request is sent."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one request may hold.

    Attributes:
        context_tokens: request and answer together; None: not known.
        reads_material: the model works from the material itself, however much it is, and not from the prompt.
    """

    context_tokens: int | None = None
    reads_material: bool = False


class Model(Protocol):
    """Answers requests. Both methods raise ModelError, and AnswerRefused where the answer may not be used.

    Attributes:
        name: the model's name, as it goes into plans and the journal.
        endpoint: where it is asked, without credentials; "" for a model inside memopt, which reads the material.
        context_tokens: how much fits into one request and its answer; None: not known.
    """

    name: str
    endpoint: str
    context_tokens: int | None

    def answer(self, ask: Ask) -> Reply: ...

    async def aanswer(self, ask: Ask) -> Reply: ...
