"""The contract of a strategy, and the two drivers that run one.

A strategy is pure: it is given memories and returns memories; it knows no store, no terminal and no clock. One that needs a
model does not call it. It is a generator that yields requests and is sent the replies, so that the same body runs
synchronously, asynchronously, or against a file of answers.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Container, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from inspect import isgenerator
from typing import Any, ClassVar, Protocol, TypeAlias

from memopt.errors import LimitError, ModelError, StrategyError, UsageError
from memopt.memory import UserMemory
from memopt.models.base import Ask, AskLimits, Failed, Limits, Model, Reply, tokens_of, used_by
from memopt.plan import Decision, new_id
from memopt.usage import Usage

__all__ = [
    "Answering",
    "Decision",
    "MemoryOptimizationStrategy",
    "NoOptions",
    "Proposal",
    "Result",
    "Steps",
    "Watch",
    "arun",
    "as_proposal",
    "compose",
    "new_id",
    "option",
    "read_options",
    "run",
]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a strategy returns: all memories the user shall have, and why.

    Attributes:
        memories: the memories after the strategy, in any order.
        decisions: by memory id, for memories that were changed, dropped, added or kept for a reason worth telling.
        notes: sentences about the whole, such as how many undated memories were kept.
        reports: one report per rewritten memory, JSON-ready: what it was checked against, what it lost, and where it came from.
    """

    memories: Sequence[UserMemory]
    decisions: Mapping[str, Decision] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reports: tuple[Mapping[str, Any], ...] = ()


Result: TypeAlias = "Proposal | Sequence[UserMemory]"
Steps: TypeAlias = "Generator[Ask | list[Ask] | AskLimits, Any, Result]"


def option(default: Any, help: str, **limits: Any) -> Any:
    """Declare one option of a strategy, for its ``Options`` dataclass.

    Args:
        default: the value when it is not given; ``...`` makes the option required.
        help: one line for ``memopt strategies``.
        limits: ``minimum`` and ``maximum`` (inclusive) for numbers; ``choices`` for texts.
    """
    metadata = {"help": help, **limits}
    if default is ...:
        return field(metadata={**metadata, "required": True})
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of a strategy that has none."""


class MemoryOptimizationStrategy(ABC):
    """Memories in, memories out.

    Write ``steps``, and the rest follows. A class that was written for Agno overrides ``optimize`` and ``aoptimize`` instead and
    runs here unchanged.

    Attributes:
        name: as it is given to ``--strategy``.
        summary: one line for ``memopt strategies``.
        needs_model: whether ``steps`` yields requests.
        takes_arguments: set by memopt for a class without Options whose constructor has arguments: those are its options.
        built_in_writes: whether memopt's built-in consolidator answers them where no model is named.
        Options: a frozen dataclass of the options, each declared with ``option``.
        private_options: only for strategies that forget: the options whose values may quote what is to be forgotten. Such a
            strategy also has ``forgets(text)``, whether a text tells it, and ``forgotten_ids()``; a purge asks them about
            what earlier runs left in the journal.
    """

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    needs_model: ClassVar[bool] = False
    built_in_writes: ClassVar[bool] = False
    takes_arguments: ClassVar[bool] = False
    Options: ClassVar[type[Any]] = NoOptions
    private_options: ClassVar[tuple[str, ...]] = ()

    options: Any

    def __init__(self, **options: Any) -> None:
        self.options = NoOptions() if self.takes_arguments else read_options(type(self), options)

    def steps(self, memories: Sequence[UserMemory]) -> Steps | Result:
        """Do the work: return a Proposal (or plain memories), or be a generator that yields ``Ask`` or a list of them first.

        A list of requests may be answered at the same time; its replies come back as a list in the same order.
        """
        raise NotImplementedError(f"{type(self).__name__} has neither steps() nor optimize()")

    def get_system_prompt(self) -> str:
        """The instructions for the model; only for strategies that ask one."""
        raise NotImplementedError(f"{type(self).__name__} asks no model")

    def optimize(self, memories: Sequence[UserMemory], model: Model | None = None) -> list[UserMemory]:
        """The memories that result. Raises ModelError where a model is needed and fails."""
        proposal, _ = run(self, memories, model)
        return list(proposal.memories)

    async def aoptimize(self, memories: Sequence[UserMemory], model: Model | None = None) -> list[UserMemory]:
        """``optimize`` on an event loop."""
        proposal, _ = await arun(self, memories, model)
        return list(proposal.memories)

    def count_tokens(self, memories: Sequence[UserMemory]) -> int:
        """Tokens of the bare texts, with the default encoding."""
        from memopt.tokens import TokenCounter

        return TokenCounter().texts(m.memory for m in memories)


def read_options(strategy: type[MemoryOptimizationStrategy], given: Mapping[str, Any]) -> Any:
    """Make the strategy's Options from texts or values.

    Raises:
        UsageError: an unknown key (the valid ones are named), a missing required one, or a value out of its type or limits.
    """
    declared = {item.name: item for item in fields(strategy.Options)}
    name = strategy.name or strategy.__name__
    values: dict[str, Any] = {}
    for key, value in given.items():
        plain = key.replace("-", "_")
        if plain not in declared:
            known = ", ".join(sorted(item.replace("_", "-") for item in declared)) or "none"
            raise UsageError(f"strategy {name} has no option {key!r}; its options: {known}")
        values[plain] = _read_value(name, declared[plain], value)
    for plain, item in declared.items():
        if item.metadata.get("required") and plain not in values:
            raise UsageError(
                f"strategy {name} needs the option {plain.replace('_', '-')} ({item.metadata['help']}): "
                f"-o {plain.replace('_', '-')}=..."
            )
    return strategy.Options(**values)


HAND_OVER = "MemoryManager(db, model) takes one, such as memopt.models.builtin.BuiltinModel(); on the command line it is --model"
"""What to do where a strategy asks a model and has none."""

_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}


def _read_value(strategy: str, item: Any, value: Any) -> Any:
    kind = str(item.type)
    key = item.name.replace("_", "-")

    def bad(expected: str) -> UsageError:
        return UsageError(f"strategy {strategy}: option {key} takes {expected}, not {value!r}")

    limits = item.metadata
    if "bool" in kind:
        if isinstance(value, bool):
            return value
        word = str(value).strip().lower()
        if word not in _TRUE | _FALSE:
            raise bad("true or false")
        return word in _TRUE
    if "int" in kind or "float" in kind:
        whole = "int" in kind
        span = " ".join(
            part
            for part in (
                "a whole number" if whole else "a number",
                f"of at least {limits['minimum']}" if "minimum" in limits else "",
                f"and at most {limits['maximum']}" if "maximum" in limits else "",
            )
            if part
        )
        if isinstance(value, bool):
            raise bad(span)
        try:
            number: int | float = (int(value) if whole else float(value)) if isinstance(value, str) else value
            if isinstance(value, str) and "_" in value:
                raise ValueError(value)
        except ValueError:
            raise bad(span) from None
        if not isinstance(number, int if whole else int | float) or number != number:
            raise bad(span)
        if number < limits.get("minimum", number) or number > limits.get("maximum", number):
            raise bad(span)
        return number
    text = str(value)
    if "choices" in limits and text not in limits["choices"]:
        raise bad("one of " + ", ".join(limits["choices"]))
    return text


def as_proposal(result: Any) -> Proposal:
    """Take a Proposal or an iterable of memories; raises StrategyError for anything else."""
    if isinstance(result, Proposal):
        return result
    if result is None or isinstance(result, str | bytes | Mapping) or not isinstance(result, Iterable):
        raise StrategyError(f"returned {type(result).__name__} instead of a list of memories")
    return Proposal(list(result))


POLL_SECONDS = 0.05
"""So often those look again who wait for others' answers before they may ask."""


class Watch(Protocol):
    """Is told of every request.

    ``asking`` may raise, and then nothing of that batch is sent; ``repeating`` may, before one request is sent once more;
    ``priced`` adds what it cost. One that limits a cost may also have ``rooms``, which is called after ``asking`` and gives each
    of those requests its ``Ask.room``, and ``notes``: sentences about what was asked, for the plan. ``given_up`` is told of
    requests whose answers are not waited for.

    A LimitError of ``asking`` whose details hold ``waits`` says that there may be room when the answers to others are in.
    """

    def asking(self, asks: Sequence[Ask], used: Usage) -> None: ...

    def repeating(self) -> None: ...

    def answered(self, ask: Ask, reply: Reply | Failed) -> None: ...

    def priced(self, usage: Usage) -> Usage: ...


@dataclass(frozen=True, slots=True)
class Answering:
    """Who answers a strategy's requests.

    Attributes:
        model: None: requests are a usage error.
        judge: answers what is marked for a judge; None: the model does.
        watch: is told of every request.
        concurrency: how many requests may be under way at a time, on an event loop.
    """

    model: Model | None = None
    judge: Model | None = None
    watch: Watch | None = None
    concurrency: int = 4


class _Conversation:
    """One run of a strategy's ``steps``: what both drivers share. They only differ in how they wait for an answer."""

    def __init__(self, strategy: MemoryOptimizationStrategy, memories: Sequence[UserMemory], who: Answering) -> None:
        self.strategy = strategy
        self.who = who
        self.usage = Usage()
        self._failures: list[ModelError] = []
        self.notes: list[str] = []
        self.proposal: Proposal | None = None
        work: Any = strategy.steps(memories)
        self._work: Generator[Any, Any, Any] | None = work if isgenerator(work) else None
        self._asked: Any = None
        if self._work is None:
            self.proposal = as_proposal(work)

    def next_asks(self, replies: list[Reply | Failed] | None) -> list[Ask] | None:
        """Hand over the replies to the last requests and return the next ones; None when the strategy is done."""
        if self._work is None:
            return None
        answer: Any = None
        if replies is not None:
            answer = replies if isinstance(self._asked, list | tuple) else replies[0]
        try:
            self._asked = self._work.send(answer)
            while isinstance(self._asked, AskLimits):
                self._asked = self._work.send(self._limits())
        except StopIteration as stop:
            self.proposal = as_proposal(stop.value)
            if self.notes:
                self.proposal = replace(self.proposal, notes=(*self.proposal.notes, *dict.fromkeys(self.notes)))
            return None
        asks = list(self._asked) if isinstance(self._asked, list | tuple) else [self._asked]
        for item in asks:
            if not isinstance(item, Ask):
                raise StrategyError(f"yielded {type(item).__name__} instead of a request (Ask)")
        return asks

    def allowed(self, asks: list[Ask]) -> list[Ask]:
        """The requests as they may be sent. Raises LimitError where they may not."""
        watch = self.who.watch
        if watch is None or not asks:
            return asks
        self._model()
        watch.asking(asks, self.usage)
        rooms = watch.rooms() if hasattr(watch, "rooms") else [None] * len(asks)
        given_up = getattr(watch, "given_up", None)
        return [
            replace(item, repeating=watch.repeating, room=room, given_up=given_up) for item, room in zip(asks, rooms, strict=True)
        ]

    def without(self, asks: Sequence[Ask], error: LimitError) -> list[Reply | Failed]:
        """The replies to requests that a limit leaves no room for. Raises the error where the strategy cannot do without them."""
        if not (self.usage.requests and all(ask.spare and ask.may_fail for ask in asks)):
            raise error
        why = str(error).partition("; nothing was written")[0]
        self.notes.append(f"{asks[0].purpose}: not asked, because {why}")
        return [Failed(ModelError(why, requests=0)) for _ in asks]

    def _model(self) -> Model:
        if self.who.model is None:
            name = self.strategy.name or type(self.strategy).__name__
            raise UsageError(f"strategy {name} asks a model, and none was given: {HAND_OVER}")
        return self.who.model

    def _limits(self) -> Limits:
        model = self._model()
        return Limits(model.context_tokens, reads_material=model.endpoint == "")

    def model_for(self, ask: Ask) -> Model:
        return self.who.judge if ask.judge and self.who.judge is not None else self._model()

    def _by_whom(self, ask: Ask, used: Usage) -> Usage:
        return replace(used, judge=used) if ask.judge and self.who.judge is not None else used

    def took(self, ask: Ask, reply: Reply | Failed) -> Reply | Failed:
        """Count what an answer, or a failure, took; raise a failure that the strategy cannot go on from."""
        if isinstance(reply, Failed):
            self.usage += self._by_whom(ask, used_by(reply.error))
            self._failures.append(reply.error)
        else:
            self.usage += self._by_whom(ask, reply.usage)
        if self.who.watch is not None:
            self.who.watch.answered(ask, reply)
        if isinstance(reply, Failed) and (not ask.may_fail or reply.error.final):
            raise reply.error
        return reply

    def ended_by(self, error: ModelError) -> None:
        """Let the failure that ends the strategy tell what all of its requests took, not only the last one."""
        if any(error is each for each in self._failures):
            took = self.usage
            error.details.update(requests=took.requests, **tokens_of(took))

    def close(self) -> None:
        if self._work is not None:
            self._work.close()


def run(
    strategy: MemoryOptimizationStrategy, memories: Sequence[UserMemory], model: Model | Answering | None
) -> tuple[Proposal, Usage]:
    """Run ``steps``, answering its requests one after the other. Returns the proposal and what the model used."""
    talk = _Conversation(strategy, memories, model if isinstance(model, Answering) else Answering(model))
    try:
        asks = talk.next_asks(None)
        while asks is not None:
            replies: list[Reply | Failed] = []
            try:
                allowed = talk.allowed(asks)
            except LimitError as error:
                asks = talk.next_asks(talk.without(asks, error))
                continue
            for ask in allowed:
                try:
                    reply: Reply | Failed = talk.model_for(ask).answer(ask)
                except ModelError as error:
                    reply = Failed(error)
                replies.append(talk.took(ask, reply))
            asks = talk.next_asks(replies)
    except ModelError as error:
        talk.ended_by(error)
        raise
    finally:
        talk.close()
    assert talk.proposal is not None
    return talk.proposal, talk.usage


async def arun(
    strategy: MemoryOptimizationStrategy, memories: Sequence[UserMemory], model: Model | Answering | None
) -> tuple[Proposal, Usage]:
    """``run`` on an event loop; requests that were yielded together are answered together."""
    import asyncio

    talk = _Conversation(strategy, memories, model if isinstance(model, Answering) else Answering(model))
    slots = asyncio.Semaphore(max(1, talk.who.concurrency))

    async def ask_one(ask: Ask) -> Reply | Failed:
        async with slots:
            try:
                reply: Reply | Failed = await talk.model_for(ask).aanswer(ask)
            except ModelError as error:
                reply = Failed(error)
            return talk.took(ask, reply)

    async def next_asks(replies: list[Reply | Failed] | None) -> list[Ask] | None:
        if not getattr(strategy, "compares_meaning", False):
            return talk.next_asks(replies)
        # between its requests it may wait for an embedder, which must not keep the others on the loop waiting
        step = asyncio.ensure_future(asyncio.to_thread(talk.next_asks, replies))
        try:
            return await asyncio.shield(step)
        except asyncio.CancelledError:
            await asyncio.wait([step])  # it is not to be closed while it runs
            raise

    async def allowed(asks: list[Ask]) -> list[Ask]:
        while True:
            try:
                return talk.allowed(asks)
            except LimitError as error:
                if not error.details.get("waits"):
                    raise
            await asyncio.sleep(POLL_SECONDS)

    try:
        asks = await next_asks(None)
        while asks is not None:
            try:
                granted = await allowed(asks)
            except LimitError as error:
                asks = await next_asks(talk.without(asks, error))
                continue
            tasks = [asyncio.ensure_future(ask_one(ask)) for ask in granted]
            try:
                replies = list(await asyncio.gather(*tasks))
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
            asks = await next_asks(replies)
    except ModelError as error:
        talk.ended_by(error)
        raise
    finally:
        talk.close()
    assert talk.proposal is not None
    return talk.proposal, talk.usage


def compose(first: Proposal, second: Proposal, stored: Container[str | None]) -> Proposal:
    """Two steps of a chain as one: what the second made of the first one's result.

    A memory that the first step added and the second took away again never reaches the store, so whatever pointed to it
    now points to what became of it, and to what it was made from.

    Args:
        stored: the ids of the memories that the chain began with.
    """
    final = {item.memory_id for item in second.memories}
    passing = {
        item.memory_id: item.sources
        for item in first.memories
        if item.memory_id is not None and item.memory_id not in final and item.memory_id not in stored
    }

    if not passing and all(d.into is None or d.into in final for d in first.decisions.values()):
        return Proposal(
            second.memories,
            {**first.decisions, **second.decisions},
            (*first.notes, *second.notes),
            (*first.reports, *second.reports),
        )

    def origins(ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(origin for each in ids for origin in passing.get(each, (each,))))

    decisions: dict[str, Decision] = {}
    for memory_id, decision in {**first.decisions, **second.decisions}.items():
        into = decision.into
        if into is not None and into not in final and into in second.decisions:
            into = second.decisions[into].into
        if into is not None and into not in final:
            into = None  # where its content went is not known to be in the result
        if memory_id not in passing:
            decisions[memory_id] = replace(decision, into=into, relies_on=origins(decision.relies_on))
    memories = [item.but(sources=origins(item.sources)) if item.sources else item for item in second.memories]
    return Proposal(memories, decisions, (*first.notes, *second.notes), (*first.reports, *second.reports))
