"""Keep the set of memories that tells most within a budget. What they are worth is told in ``memopt.strategies.worth``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, option
from memopt.strategies.choose import Choice
from memopt.strategies.worth import STANDS_FOR, Weighed, Weights, in_canonical_order
from memopt.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """Options of ``budget``. Exactly one of the first three."""

    max_tokens: int | None = option(None, "what the memories may cost in the prompt, in tokens of their lines", minimum=1)
    max_memories: int | None = option(None, "how many memories may stay", minimum=1)
    share: str | None = option(None, "the share of today's tokens that may stay: 50% (another run takes the share of the rest)")
    specificity: float = option(1.0, "weight of numbers, dates, names and events over feelings and praise", minimum=0, maximum=10)
    redundancy: float = option(1.0, "weight of saying something that no other kept memory says", minimum=0, maximum=10)
    recency: float = option(1.0, "weight of the newer of two memories about the same subject", minimum=0, maximum=10)
    feedback: float = option(1.0, "weight of feedback: good raises a memory, bad lowers it", minimum=0, maximum=10)


def parse_share(text: str) -> float:
    """Read ``50%`` or ``0.5`` as 0.5.

    Raises:
        UsageError: no such number, zero, negative, more than everything, or a bare number that could be either.
    """
    plain = text.strip().replace("％", "%")
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(%?)", plain)
    value = float(found[1]) / (100 if found[2] else 1) if found else 0.0
    if found and not found[2] and value > 1:
        raise UsageError(f"strategy budget: share={text!r} has no unit: {found[1]}% of the tokens?")
    if not 0 < value <= 1:
        raise UsageError(f"strategy budget: option share takes a part of the tokens, such as 50% or 0.5, not {text!r}")
    return value


class BudgetStrategy(MemoryOptimizationStrategy):
    """Keep the set of memories that tells most within a number of tokens or memories, or a share of today's tokens.

    Attributes:
        counter: counts tokens; None: with the default encoding.
    """

    name = "budget"
    summary = "keep the memories that tell most within a number of tokens or memories, or a share of today's tokens"
    Options: ClassVar[type[Any]] = BudgetOptions
    counter: TokenCounter | None = None

    def __init__(self, **options: Any) -> None:
        super().__init__(**{key: value for key, value in options.items() if value is not None})
        given = [name for name in ("max_tokens", "max_memories", "share") if getattr(self.options, name) is not None]
        if len(given) != 1:
            said = " and ".join(name.replace("_", "-") for name in given)
            raise UsageError(
                "strategy budget needs one of the options max-tokens, max-memories and share, such as -o max-tokens=2000 or "
                f"-o share=50%; {'they exclude each other: ' + said if given else 'none was given'}"
            )
        chosen = self.options
        self.weights = Weights(chosen.specificity, chosen.redundancy, chosen.recency, chosen.feedback)
        self._share = None if self.options.share is None else parse_share(self.options.share)

    def steps(self, memories: Sequence[UserMemory]) -> Proposal:
        """Keep everything where it fits; else choose."""
        counter = self.counter or TokenCounter()
        # the last line of a prompt has no line break, so that the tokens of all may hang on which memory that is
        listed = memories if self._share is None else [item for _, item in in_canonical_order(memories)]
        prompt = counter.figures(listed).prompt
        most: int | None = self.options.max_memories
        tokens = self.options.max_tokens if self._share is None else int(self._share * prompt)
        notes = []
        if self._share is not None:
            notes.append(
                f"share={self.options.share.strip()} of {prompt:,} prompt tokens is {tokens:,}; another run would take the share "
                "of what is then left: for a regular job say max-tokens"
            )
        if (prompt <= tokens) if most is None else (len(memories) <= most):
            return Proposal(list(memories), notes=tuple(notes))
        weighed = Weighed(memories, self.weights, counter)
        choice = weighed.within_tokens(tokens) if most is None else weighed.within_count(most)
        if self._share is not None and not choice.chosen and memories:
            choice = weighed.within_count(1)  # a share of something is never nothing
            notes.append(f"no memory fits into {tokens:,} tokens: the one that tells most stays")
        notes += _about_fixed(weighed, choice, tokens if most is None else most, "tokens" if most is None else "memories")
        kept = {weighed.places[at] for at in choice.chosen}
        return Proposal(
            [item for place, item in enumerate(memories) if place in kept],
            _explain(weighed, choice),
            tuple(notes),
        )


def _about_fixed(weighed: Weighed, choice: Choice, limit: int, what: str) -> list[str]:
    if not weighed.fixed:
        return []
    cost = sum(weighed.costs[at] for at in weighed.fixed) if what == "tokens" else len(weighed.fixed)
    blank = sum(weighed.memories[at].is_blank for at in weighed.fixed)
    protected = len(weighed.fixed) - blank
    names = " and ".join(
        f"{number} {word} {'memory' if number == 1 else 'memories'}"
        for number, word in ((protected, "protected"), (blank, "blank"))
        if number
    )
    if cost + (weighed.first if what == "tokens" else 0) > limit:
        return [f"{names} alone take {cost:,} {what}, more than the {limit:,} that may stay: they stay, and nothing else does"]
    return [f"{names} stay in any case, and take {cost:,} of the {limit:,} {what}"]


def _explain(weighed: Weighed, choice: Choice) -> dict[str, Decision]:
    """Why each memory goes that goes."""
    values, memories = weighed.values, weighed.memories
    kept = set(choice.chosen)
    stands: dict[int, tuple[float, int]] = {}  # by sentence: how well it is represented, and by which memory
    for at in choice.chosen:
        for feature, strength in zip(values.features[at], values.strengths[at], strict=True):
            if feature < len(values.sentences) and strength > stands.get(feature, (0.0, 0))[0]:
                stands[feature] = (strength, at)
    typical = sorted(value for at in kept if (value := values.score(at)) is not None)
    middle = typical[len(typical) // 2] if typical else 0.0
    out: dict[str, Decision] = {}
    for at, item in enumerate(memories):
        if at in kept or item.memory_id is None:
            continue
        out[item.memory_id] = _reason(weighed, at, stands, middle, kept)
    return out


def _reason(weighed: Weighed, at: int, stands: dict[int, tuple[float, int]], middle: float, kept: set[int]) -> Decision:
    from memopt.facts import loses

    values, memories = weighed.values, weighed.memories
    item, held, cost = memories[at], values.held[at], weighed.costs[at]
    newer = held.replaced_by
    if newer is not None and newer in kept and memories[newer].memory_id is not None:
        newer_id = str(memories[newer].memory_id)
        return Decision(f"outdated by {newer_id}", relies_on=(newer_id,))
    by: dict[int, float] = defaultdict(float)
    for number in held.sentences:
        strength, keeper = stands.get(number, (0.0, -1))
        if strength:
            by[keeper] += values.shared(number, keeper)
    if by:
        keeper = min(by, key=lambda other: (-by[other], other))
        there = memories[keeper]
        share = by[keeper] / len(held.sentences)
        if there.memory_id is not None and share >= STANDS_FOR:
            relies_on = (there.memory_id,)
            if item.memory == there.memory:
                same = (item.agent_id, item.team_id, item.feedback) == (there.agent_id, there.team_id, there.feedback)
                safe = same and set(item.topics or ()) <= set(there.topics or ())
                return Decision(f"the same text as {there.memory_id}", there.memory_id, relies_on, safe)
            if loses(there.memory, item.memory) is None:
                return Decision(f"covered by {there.memory_id}", there.memory_id, relies_on)
            return Decision(
                f"mostly covered by {there.memory_id}, which holds {int(share * 100)} % of its words; not worth {cost} tokens",
                relies_on=relies_on,
            )
    score = values.score(at)
    if score is not None and score < middle:
        if held.opinions == len(held.sentences):
            return Decision(f"among the least specific for its {cost} tokens: a feeling or an opinion")
        if held.plain == len(held.sentences):
            return Decision(f"among the least specific for its {cost} tokens: no number, date, title or event in it")
    return Decision(f"does not fit: it tells less for its {cost} tokens than what stays")
