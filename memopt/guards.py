"""Guards: checks of a whole plan before it is written. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memopt.errors import UsageError
from memopt.plan import Action, Plan

_NAMED = 10


def parse_max_drop(text: str, where: str = "--max-drop") -> tuple[float, bool]:
    """Read ``N`` or ``N%``. Returns the number, and whether it is a percentage.

    Args:
        where: what a message names as the place of a bad value.

    Raises:
        UsageError: neither a whole number nor a percentage from 0 to 100.
    """
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d+)?)\s*(%?)\s*", text)
    if match is None or (not match[2] and "." in match[1]) or (match[2] and float(match[1]) > 100):
        raise UsageError(f"{where} takes a number of memories or a percentage such as 50%, not {text!r}")
    return float(match[1]), bool(match[2])


def refusals(plan: Plan) -> tuple[str, ...]:
    """Why the plan may not be applied, one sentence a guard; empty if it may.

    ``max_drop`` counts every memory that goes, those whose content went into another one too. An empty result is refused where
    the strategy was shown something with a text in it and leaves nothing with one.
    """
    reasons = []
    dropped = sum(change.action is Action.DROPPED for change in plan.changes)
    total = plan.tokens_before.memories
    if plan.max_drop is not None:
        limit, percent = parse_max_drop(plan.max_drop)
        if dropped > (total * limit / 100 if percent else limit):
            share = f" ({dropped / total:.0%})" if total else ""
            reasons.append(f"{dropped} of {total} memories{share} would be dropped, more than --max-drop {plan.max_drop} allows")
    if not plan.allow_empty:
        seen = [change for change in plan.changes if change.before is None or plan.filters.admits(change.before)]
        left = any(change.after is not None and not change.after.is_blank for change in seen)
        if not left and any(change.before is not None and not change.before.is_blank for change in seen):
            reasons.append("the strategy leaves no memory at all; say --allow-empty if that is meant")
    if plan.gate is not None:
        reasons += _lost_answers(plan, plan.gate)
    return tuple(reasons)


def _lost_answers(plan: Plan, gate: Mapping[str, Any]) -> list[str]:
    """Why the questions that the plan was held to refuse it, or the part of it that was accepted in a review."""
    least, asked = gate["min_recall"], gate["asked"]
    if least is None or not asked:
        return []
    kept = {change.memory_id for change in plan.changes if change.action is Action.KEPT}
    lost = [item for item in gate["lost"] if not all(any(i in kept for i in ids) for ids in item["needs"])]
    recall = 1 - len(lost) / asked
    if recall >= least - 1e-9:
        return []
    named = ", ".join(f"{item['id']} ({item['text']})" for item in lost[:_NAMED])
    more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
    questions = "question" if asked == 1 else "questions"
    return [
        f"{len(lost)} of {asked} {questions} would no longer be answered, and --min-recall {least:g} allows "
        f"{int(asked * (1 - least) + 1e-9)}: {named}{more}"
    ]
