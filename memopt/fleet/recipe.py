"""By what two runs of the same kind know each other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from memopt.manager import DEFAULT_MAX_REWRITES
from memopt.models.base import Model
from memopt.plan import Filters
from memopt.protect import Protection
from memopt.strategies.base import MemoryOptimizationStrategy
from memopt.tokens import DEFAULT_ENCODING


def recipe_of(
    chain: Sequence[MemoryOptimizationStrategy],
    model: Model | None = None,
    judge: Model | None = None,
    *,
    filters: Filters | None = None,
    protection: Protection | None = None,
    max_rewrites: int = DEFAULT_MAX_REWRITES,
    only_safe: bool = False,
    encoding: str = DEFAULT_ENCODING,
) -> str:
    """A digest of all that decides what a run makes of the same memories: strategies, options, model, prompts and rules."""
    from dataclasses import asdict, is_dataclass

    steps = []
    asks = False
    for each in chain:
        kind = type(each)
        prompt = ""
        if getattr(each, "needs_model", False):
            asks = True
            with suppress(Exception):  # a plugin may have none, or need memories for it
                prompt = str(each.get_system_prompt())
        options: Any = getattr(each, "options", None)
        steps.append(
            [
                f"{kind.__module__}.{kind.__qualname__}",
                getattr(each, "name", ""),
                asdict(options) if is_dataclass(options) and not isinstance(options, type) else {},
                sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest(),
            ]
        )
    # by name, not by address: a server that moves, or a proxy in between, is no reason to pay again
    models = [None if each is None or not asks else each.name for each in (model, judge)]
    data = {
        "steps": steps,
        "models": models,
        "filters": [list(filters.agent), list(filters.team), list(filters.topic)] if filters else None,
        "protection": list(protection.rules) if protection else [],
        "max_rewrites": max_rewrites if asks else None,
        "only_safe": only_safe,
        "encoding": encoding,
    }
    return sha256(json.dumps(data, sort_keys=True, default=str).encode("ascii")).hexdigest()


__all__ = ["recipe_of"]
