"""Memories, questions and plans for tests of the evaluation, in a few words each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memopt.evaluation.evidence import Outcome, lineage
from memopt.evaluation.measure import Contender, Figures, Trial
from memopt.evaluation.questions import Question
from memopt.memory import UserMemory
from memopt.plan import Decision, diff
from memopt.tokens import TokenCounter

COUNTER = TokenCounter()
DAY = 86_400
START = 1_735_689_600


def memories(texts: Mapping[str, str], user: str | None = "u") -> list[UserMemory]:
    """By id; each a day later than the one before."""
    return [
        UserMemory(text, key, user_id=user, created_at=START + DAY * at, updated_at=START + DAY * at)
        for at, (key, text) in enumerate(texts.items())
    ]


def new(text: str, key: str = "new", sources: Sequence[str] = (), user: str | None = "u") -> UserMemory:
    """A memory that a strategy made."""
    return UserMemory(text, key, user_id=user, created_at=START, updated_at=START, sources=tuple(sources))


def outcome(
    before: Sequence[UserMemory],
    after: Sequence[UserMemory],
    decisions: Mapping[str, Decision] | None = None,
    user: str | None = "u",
) -> Outcome:
    """What a plan that leaves these memories leaves."""
    changes = diff(before, after, decisions)
    left = tuple(change.after for change in changes if change.after is not None)
    return Outcome(user, tuple(before), left, lineage(changes), COUNTER.figures(before).prompt, COUNTER.figures(left).prompt)


def trial(questions: Sequence[Question], before: Sequence[UserMemory], user: str | None = "u", **options) -> Trial:
    return Trial(questions, {user: Outcome.unchanged(user, before, COUNTER)}, COUNTER, **options)


def measured(
    questions: Sequence[Question],
    before: Sequence[UserMemory],
    after: Sequence[UserMemory],
    decisions: Mapping[str, Decision] | None = None,
    **options,
) -> tuple[Figures, Figures]:
    """What is measured of all memories, and of what a plan leaves."""
    found = trial(questions, before, **options)
    return found.before, found.measure(Contender("plan", {"u": outcome(before, after, decisions)}))


def value(figures: Figures, name: str) -> float | None:
    return figures.estimates[name].value
