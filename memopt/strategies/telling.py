"""Steps in words: a strategy with the options that are not what they are anyway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from memopt.plan import Step
from memopt.wording import visible

_SHORT = 60


def step_text(step: Step, *, public: bool = False) -> str:
    """``recent (keep=10)``.

    Args:
        public: for readers who need not know what a person asked to have forgotten: such options are named, not shown, and long
            ones are cut.
    """
    usual = _defaults(step.strategy)
    private = _private(step.strategy) if public else frozenset()
    options = ", ".join(
        f"{key.replace('_', '-')}={_shown(value, public, key in private)}"
        for key, value in step.options.items()
        if value is not None and (key.replace("-", "_"), value) not in usual.items()
    )
    return visible(f"{step.strategy} ({options})" if options else step.strategy)


def steps_text(steps: Sequence[Step], *, public: bool = False) -> str:
    """A chain in one line."""
    return " + ".join(step_text(step, public=public) for step in steps)


def value_text(value: Any) -> str:
    """An option's value as it is typed."""
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)


def _shown(value: Any, public: bool, private: bool) -> str:
    if private:
        return "[not shown]"
    text = value_text(value)
    return text if not public or len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


@cache
def _defaults(strategy: str) -> Mapping[str, Any]:
    """What the options of a built-in strategy are where nothing is said."""
    from dataclasses import fields

    from memopt.strategies.registry import names, strategy_class

    return {item.name: item.default for item in fields(strategy_class(strategy).Options)} if strategy in names() else {}


@cache
def _private(strategy: str) -> frozenset[str]:
    """The options of a strategy that may quote what is to be forgotten."""
    from memopt.errors import MemoptError
    from memopt.strategies.registry import strategy_class

    try:
        return frozenset(getattr(strategy_class(strategy), "private_options", ()))
    except MemoptError:
        return frozenset()  # a plugin that is not here
