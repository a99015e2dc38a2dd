"""Guards: checks of a whole plan before it is written. Pure."""

from __future__ import annotations

import re

from memopt.errors import UsageError
from memopt.plan import Action, Plan


def parse_max_drop(text: str) -> tuple[float, bool]:
    """Read ``N`` or ``N%``. Returns the number, and whether it is a percentage.

    Raises:
        UsageError: neither a whole number nor a percentage from 0 to 100.
    """
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d+)?)\s*(%?)\s*", text)
    if match is None or (not match[2] and "." in match[1]) or (match[2] and float(match[1]) > 100):
        raise UsageError(f"--max-drop takes a number of memories or a percentage such as 50%, not {text!r}")
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
    return tuple(reasons)
