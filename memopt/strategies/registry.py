"""Strategies by name. Names are listed without importing the strategies."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from importlib import import_module
from typing import Any

from memopt.errors import UsageError
from memopt.strategies.base import MemoryOptimizationStrategy

_BUILT_IN = {
    "summarize": "memopt.strategies.summarize:SummarizeStrategy",
    "recent": "memopt.strategies.recent:RecentOnlyStrategy",
    "dedupe": "memopt.strategies.dedupe:DedupeStrategy",
    "retain": "memopt.strategies.retain:RetainStrategy",
    "budget": "memopt.strategies.budget:BudgetStrategy",
    "tidy": "memopt.strategies.tidy:TidyStrategy",
    "forget": "memopt.strategies.forget:ForgetStrategy",
    "profile": "memopt.strategies.profile:ProfileStrategy",
    "supersede": "memopt.strategies.supersede:SupersedeStrategy",
}


class MemoryOptimizationStrategyType(StrEnum):
    """The built-in strategies."""

    SUMMARIZE = "summarize"
    RECENT = "recent"
    DEDUPE = "dedupe"
    RETAIN = "retain"
    BUDGET = "budget"
    TIDY = "tidy"
    FORGET = "forget"
    PROFILE = "profile"
    SUPERSEDE = "supersede"


def names() -> tuple[str, ...]:
    """The names of the built-in strategies."""
    return tuple(_BUILT_IN)


def strategy_class(name: str) -> type[MemoryOptimizationStrategy]:
    """The class of a strategy: a built-in one, an installed plugin, ``./file.py:Class`` or ``package.module:Class``.

    Raises:
        UsageError: unknown name; the known ones are named.
        StrategyError: a plugin that cannot be imported.
    """
    if name not in _BUILT_IN:
        from memopt.strategies import foreign

        found_elsewhere = foreign.load(name)
        if found_elsewhere is not None:
            return found_elsewhere
        from difflib import get_close_matches

        known = sorted({*_BUILT_IN, *foreign.entry_point_names()})
        near = get_close_matches(name, known, 1)
        meant = f" (did you mean {near[0]}?)" if near else ""
        raise UsageError(f"there is no strategy {name!r}{meant}; strategies: {', '.join(known)}; or ./file.py:Class")
    module, _, attribute = _BUILT_IN[name].partition(":")
    found: type[MemoryOptimizationStrategy] = getattr(import_module(module), attribute)
    return found


class MemoryOptimizationStrategyFactory:
    """Makes strategies by type or name."""

    @classmethod
    def create_strategy(cls, strategy_type: MemoryOptimizationStrategyType | str, **options: Any) -> MemoryOptimizationStrategy:
        """A strategy with these options. Raises UsageError for an unknown name, option or value."""
        return strategy_class(str(strategy_type))(**options)


def make_chain(chosen: list[str], options: Mapping[str, Any]) -> list[MemoryOptimizationStrategy]:
    """The strategies of a chain with their options.

    Args:
        chosen: names in order.
        options: by ``key``, for every step that has such an option, or by ``step.key``.

    Raises:
        UsageError: unknown names, steps, options or values.
    """
    from dataclasses import fields

    classes = [strategy_class(name) for name in chosen]
    known = [{item.name for item in fields(each.Options)} for each in classes]
    given: list[dict[str, Any]] = [{} for _ in chosen]
    for key, value in options.items():
        step, dot, rest = key.partition(".")
        # a name may have dots of its own: ./file.py:Class
        named = max((name for name in chosen if key.startswith(f"{name}.")), key=len, default=None)
        if named is not None:
            step, dot, rest = named, ".", key[len(named) + 1 :]
        if dot:
            if step not in chosen:
                raise UsageError(f"option {key!r} names the step {step!r}, which is not in the chain ({', '.join(chosen)})")
            places = [place for place, name in enumerate(chosen) if name == step]
        else:
            rest = key
            places = [place for place in range(len(chosen)) if rest.replace("-", "_") in known[place]]
            if not places and len(chosen) > 1:
                valid = ", ".join(f"{n}.{k.replace('_', '-')}" for n, ks in zip(chosen, known, strict=True) for k in sorted(ks))
                raise UsageError(f"no step of the chain has the option {key!r}; their options: {valid or 'none'}")
            places = places or [0]
        for place in places:
            given[place][rest] = value
    return [each(**chosen_options) for each, chosen_options in zip(classes, given, strict=True)]
