"""What a plan does to recall, measured on labelled questions: whether the answers are still told, and whether search finds them.

``Gate`` holds a plan to questions; ``Trial`` measures what each ``Contender`` leaves; ``draft`` (a module) writes questions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memopt.evaluation.evidence import Outcome
    from memopt.evaluation.gate import Gate
    from memopt.evaluation.measure import Contender, Figures, Trial
    from memopt.evaluation.questions import Question, QuestionSet, read_questions, write_questions

__all__ = [
    "Contender",
    "Figures",
    "Gate",
    "Outcome",
    "Question",
    "QuestionSet",
    "Trial",
    "read_questions",
    "write_questions",
]

_HOMES = {
    "Contender": "measure",
    "Figures": "measure",
    "Gate": "gate",
    "Outcome": "evidence",
    "Question": "questions",
    "QuestionSet": "questions",
    "Trial": "measure",
    "read_questions": "questions",
    "write_questions": "questions",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"memopt.evaluation.{_HOMES[name]}"), name)
