"""A run over many users as a recipe says it: the same where jobs are put in and where they are done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memopt.fleet import Fleet, Selection
from memopt.plan import Filters
from memopt.policy import Condition
from memopt.protect import Protection
from memopt.queue.recipe import Recipe

if TYPE_CHECKING:
    from memopt.models.base import Model
    from memopt.stores.base import MemoryStore
    from memopt.strategies.base import MemoryOptimizationStrategy


@dataclass(frozen=True, slots=True)
class Equipment:
    """What a recipe needs, made in the environment of whoever does it."""

    chain: Sequence[MemoryOptimizationStrategy]
    model: Model | None = None
    judge: Model | None = None


def fleet_of(recipe: Recipe, store: MemoryStore, equipment: Equipment, concurrency: int) -> Fleet:
    """The run. Its ``recipe`` is the digest that must be the same on both sides.

    Raises:
        UsageError: the recipe's rules cannot be read.
    """
    how: dict[str, Any] = {} if recipe.max_rewrites is None else {"max_rewrites": recipe.max_rewrites}
    if recipe.questions is not None:
        from memopt.evaluation.gate import Gate
        from memopt.evaluation.questions import read_questions

        asked = read_questions(recipe.questions, "the questions of the jobs").questions
        how["gate"] = Gate(asked, recipe.min_recall, of_many=True).hold
    return Fleet(
        store,
        equipment.chain,
        model=equipment.model,
        judge=equipment.judge,
        selection=Selection(when=None if recipe.when is None else Condition.read(recipe.when, "when")),
        apply=True,
        only_safe=recipe.only == "safe",
        filters=Filters(recipe.agent, recipe.team, recipe.topic) or None,
        protection=Protection.read(recipe.protect),
        max_drop=recipe.max_drop,
        allow_empty=recipe.allow_empty,
        on_conflict="skip" if recipe.on_conflict == "skip" else "stop",
        concurrency=concurrency,
        encoding=recipe.encoding,
        **how,
    )
