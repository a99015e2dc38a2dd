"""What a purge must erase: read out of a plan, and out of the strategies that made it. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from memopt.plan import Action, Change, Plan, Step
from memopt.stores.base import Erasure

_HARD = frozenset(("email", "url", "phone", "handle", "id"))
_DIGITS = 5  # a number of so many digits is hardly in a text by chance


def erasure_of(plan: Plan) -> Erasure:
    """What the plan removes, by id and by words, and what its steps were told to forget (see ``MemoryOptimizationStrategy``)."""
    kept = [_plain(change.after.memory) for change in plan.changes if change.after is not None]
    ids: set[str] = set()
    pieces: dict[str, str] = {}
    for change in plan.changes:
        if not _removes(change):
            continue
        ids.add(change.memory_id)
        for piece in _pieces(change):
            plain = _plain(piece)
            if _long_enough(plain):
                pieces.setdefault(plain, piece)
    # what another memory still says word for word was not forgotten
    whole = set(kept)
    few = len(pieces) * len(kept) <= 2_000_000
    gone = {p: w for p, w in pieces.items() if p not in whole and not (few and any(p in text for text in kept))}
    told: list[Callable[[str], bool]] = []
    for step in plan.steps:
        strategy = _strategy(step)
        if strategy is not None:
            ids |= set(strategy.forgotten_ids())
            told.append(strategy.forgets)

    def tells(text: str) -> bool:
        plain = _plain(text)
        return plain in gone or any(piece in plain for piece in gone) or any(forgets(text) for forgets in told)

    return Erasure(frozenset(ids), tells, tuple(dict.fromkeys((*gone.values(), *_hard_items(gone.values())))), _private())


def _private() -> frozenset[str]:
    from memopt.strategies.forget import ForgetStrategy

    return frozenset(ForgetStrategy.private_options)


def without_private(plan: Plan) -> Plan:
    """The plan with the option values that may quote what is to be erased blotted out, as the journal is to hold it."""
    return replace(plan, steps=tuple(_blotted(step) for step in plan.steps))


def lasting_notes(notes: Iterable[str]) -> list[str]:
    """A plan's notes without what is only true without a purge."""
    from memopt.strategies.forget import UNDO_NOTE

    return [note for note in notes if note != UNDO_NOTE]


def forgetting(plan: Plan) -> bool:
    """Whether a step of the plan was there to forget something."""
    return any(_strategy(step) is not None for step in plan.steps)


def _strategy(step: Step) -> Any:
    """The step's strategy with its options again, where it is one that forgets."""
    from memopt.errors import MemoptError
    from memopt.strategies.registry import strategy_class

    try:
        kind = strategy_class(step.strategy)
        if not getattr(kind, "private_options", ()):
            return None
        return kind(**{key: value for key, value in step.options.items() if value is not None})
    except MemoptError:
        return None  # a plugin that is not here any more; what the plan itself tells is erased


def _blotted(step: Step) -> Step:
    from memopt.errors import MemoptError
    from memopt.stores.journal import ERASED
    from memopt.strategies.registry import strategy_class

    try:
        private = getattr(strategy_class(step.strategy), "private_options", ())
    except MemoptError:
        private = tuple(step.options)
    return Step(step.strategy, {k: ERASED if k in private and v is not None else v for k, v in step.options.items()})


def _removes(change: Change) -> bool:
    before, after = change.before, change.after
    if change.action is Action.KEPT or before is None:
        return False
    return after is None or (after.memory, after.input, after.feedback) != (before.memory, before.input, before.feedback)


def _pieces(change: Change) -> Iterable[str]:
    """What stood in the memory and does not any more: the whole text, or the clauses that are gone."""
    from memopt.facts import read

    assert change.before is not None
    text = change.before.memory
    if change.after is None:
        return (text,)
    left = _plain(change.after.memory)
    clauses = [text[clause.start : clause.end].strip(" ,;，；") for clause in read(text).clauses]
    return [piece for piece in clauses if _plain(piece) not in left]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,;:!?。，；：！？")


def _long_enough(text: str) -> bool:
    return len(text) >= (8 if text.isascii() else 4)


def _hard_items(texts: Iterable[str]) -> Iterable[str]:
    from memopt.facts import read

    for text in texts:
        for item in read(text).items:
            if item.kind in _HARD or sum(ch.isdigit() for ch in item.surface) >= _DIGITS:
                yield item.surface
