"""What is compared: chains of strategies, written ``dedupe+recent,keep=10``. Pure but for loading what is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from memopt.errors import UsageError
from memopt.strategies.base import MemoryOptimizationStrategy
from memopt.strategies.registry import strategy_class

BUDGET = "budget"
_LIMITS = ("max_tokens", "max_memories", "share")


@dataclass(frozen=True, slots=True)
class Spec:
    """One contender as it was written.

    Attributes:
        name: as it is told.
        steps: the strategies in order, each with its own options.
    """

    name: str
    steps: tuple[tuple[str, Mapping[str, str]], ...] = field(default=())


def read_spec(text: str) -> Spec:
    """Read ``NAME[,KEY=VALUE...][+NAME...]``. A comma that no ``KEY=`` follows belongs to the value before it.

    Raises:
        UsageError: a step without a name, or an option without a value.
    """
    steps = []
    for part in _parts(text):
        name, *pieces = part.split(",")
        if not name.strip():
            raise UsageError(f"--strategy takes a name, or a chain such as dedupe+recent,keep=10, not {text!r}")
        options: dict[str, str] = {}
        last = ""
        for piece in pieces:
            key, separator, value = piece.partition("=")
            if separator and key.strip():
                last = key.strip()
                if last in options:
                    raise UsageError(f"--strategy {text}: option {last!r} is given twice")
                options[last] = value
            elif last:
                options[last] += "," + piece
            else:
                raise UsageError(f"--strategy {text}: {piece!r} is no option; write NAME,KEY=VALUE")
        steps.append((name.strip(), options))
    return Spec(text.strip(), tuple(steps))


def _parts(text: str) -> list[str]:
    """The steps. A plus joins them where a name follows: not in ``C++`` or ``+41 79 ...`` inside a value."""
    parts: list[str] = []
    for piece in text.split("+"):
        if parts and not piece[:1].isalpha() and piece[:1] not in ("_", ".", "/"):
            parts[-1] += "+" + piece
        else:
            parts.append(piece)
    return parts


def with_budgets(specs: Sequence[Spec], shares: Sequence[str]) -> list[Spec]:
    """The contenders with each one that has a ``budget`` without a limit once for every share; ``budget`` alone where none has.

    Args:
        shares: such as ``50%``.
    """
    if not shares:
        return list(specs)
    out: list[Spec] = []
    grown = False
    for spec in specs:
        places = [
            at
            for at, (name, options) in enumerate(spec.steps)
            if name == BUDGET and not any(key.replace("-", "_") in _LIMITS for key in options)
        ]
        if not places:
            out.append(spec)
            continue
        grown = True
        for share in shares:
            steps = list(spec.steps)
            for at in places:
                steps[at] = (BUDGET, {**steps[at][1], "share": share})
            out.append(Spec(f"{spec.name} {share}", tuple(steps)))
    if not grown:
        out += [Spec(f"{BUDGET} {share}", ((BUDGET, {"share": share}),)) for share in shares]
    return out


def read_shares(text: str) -> tuple[str, ...]:
    """Read ``75%,50%,25%``. Raises UsageError for what is no share."""
    from memopt.strategies.budget import parse_share

    shares = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for share in shares:
        try:
            parse_share(share)
        except UsageError:
            raise UsageError(f"--budget takes shares of today's tokens, such as 75%,50%,25%, not {text!r}") from None
    return shares


def build(
    specs: Sequence[Spec], options: Mapping[str, str], read_option: Callable[[str, str, str], Any] = lambda _n, _k, value: value
) -> list[tuple[Spec, list[MemoryOptimizationStrategy]]]:
    """The chains.

    Args:
        options: as ``-o`` gives them: ``STRATEGY.KEY`` for every step of that name, or ``KEY`` for every step that has it. What
            a contender says itself is stronger.
        read_option: turns a value as it was written (strategy, key, value) into the option's: the text of the file that it names.

    Raises:
        UsageError: an unknown strategy, option or value, an option that no contender takes, or one contender twice.
    """
    used: set[str] = set()
    out: list[tuple[Spec, list[MemoryOptimizationStrategy]]] = []
    for spec in specs:
        if any(spec.name == other.name for other, _ in out):
            raise UsageError(f"--strategy {spec.name} is given twice")
        chain = []
        for name, own in spec.steps:
            kind = strategy_class(name)
            known = {item.name for item in fields(kind.Options)}
            given: dict[str, Any] = {}
            for key, value in options.items():
                plain = key.removeprefix(f"{name}.")
                if plain != key or plain.replace("-", "_") in known:
                    used.add(key)
                    given[plain.replace("-", "_")] = value
            given.update((key.replace("-", "_"), value) for key, value in own.items())
            chain.append(kind(**{key: read_option(name, key, value) for key, value in given.items()}))
        out.append((spec, chain))
    for key in options:
        if key not in used:
            raise UsageError(f"-o {key}=...: no contender has that option; memopt strategies lists them")
    return out
