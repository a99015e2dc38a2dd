"""What is left of what memories say, at one budget after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memopt.memory import UserMemory
from memopt.strategies.worth import Weighed, Weights
from memopt.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Point:
    """One budget and what the best set within it keeps.

    Attributes:
        budget: tokens that the prompt lines may have.
        tokens: tokens that the prompt lines of the set have.
        memories: how many stay.
        worth: share of what all memories are worth to the ``budget`` strategy, 0 to 1.
        facts: share of the facts that the verifier finds again in what stays, 0 to 1; those that a newer kept memory replaces
            count as kept. None where it was not asked, or where there are none.
    """

    budget: int
    tokens: int
    memories: int
    worth: float
    facts: float | None = None


def trade_off(
    memories: Sequence[UserMemory],
    budgets: Sequence[int],
    counter: TokenCounter,
    weights: Weights | None = None,
    *,
    verified: bool = True,
) -> Iterator[Point]:
    """A point for each budget, exactly what ``budget -o max-tokens=`` would keep. Read once, chosen anew each time.

    Args:
        memories: a user's memories, protected ones marked.
        budgets: numbers of prompt tokens.
        counter: counts tokens.
        weights: how much each side of a memory's worth counts.
        verified: also measure the share of facts kept, which takes as long as a verification for each budget.
    """
    from memopt.verify import verify

    weighed = Weighed(memories, weights or Weights(), counter)
    whole = weighed.worth
    prompt = counter.figures(memories).prompt
    for budget in budgets:
        if prompt <= budget:
            kept, share = list(memories), 1.0
        else:
            choice = weighed.within_tokens(budget)
            places = {weighed.places[at] for at in choice.chosen}
            kept = [item for place, item in enumerate(memories) if place in places]
            share = min(1.0, choice.worth / whole) if whole else 1.0
        report = verify(memories, kept) if verified else None
        # where there is no fact to lose, what is left is told by its worth alone
        facts = None if report is None or not report.facts else report.retention
        yield Point(budget, counter.figures(kept).prompt, len(kept), share, facts)
