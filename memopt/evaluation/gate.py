"""The gate: a plan that loses answers is refused. What it found is kept in the plan, so that applying its file is held to it too.

Recall here is the share of the questions that the memories answer now which what is left still answers, wholly: each piece of
evidence that is there must be there still. It asks what is in the memories, not what a search finds of them, so a plan that only
takes duplicates away never fails it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memopt.errors import UsageError
from memopt.evaluation.evidence import Outcome, Piece, Store, ask
from memopt.evaluation.questions import Question
from memopt.plan import Plan

_NAMED = 20


@dataclass
class Gate:
    """Questions that plans are held to.

    Args:
        questions: of any users; a plan is asked those that may be asked about its user.
        min_recall: plans that keep a smaller share of the answers are refused; None: it is only told.

    Attributes:
        asked: ids of the questions that some plan's memories answered before it.
        unknown: by question's id, the memory ids that the latest plan's user does not have.
    """

    questions: Sequence[Question]
    min_recall: float | None = None
    asked: set[str] = field(default_factory=set)
    unknown: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def check(self, plan: Plan) -> Plan:
        """The plan with what the gate found in ``plan.gate`` and told in its notes.

        It holds ``min_recall``; ``asked``, ``answered`` and ``recall``: how many questions the memories answer before, how many
        of them after, and the share (null where there are none); and ``lost``: for each question that is lost ``id``, ``text``
        and ``needs``, for each piece of evidence that is gone the ids of the memories that hold it before.
        """
        outcome = Outcome.of_plan(plan)
        unchanged = replace(
            outcome,
            after=outcome.before,
            lives_in={item.memory_id: frozenset((item.memory_id,)) for item in outcome.before if item.memory_id is not None},
        )
        listed = [ask(question, [outcome]) for question in self.questions if question.asks(plan.user_id)]
        self.unknown = {item.question.id: item.unknown for item in listed if item.unknown}
        pieces = [piece for item in listed for piece in item.pieces]
        before, after = Store([unchanged], pieces), Store([outcome], pieces)
        asked = 0
        lost: list[dict[str, Any]] = []
        for item in listed:
            there = [piece for piece in item.pieces if before.holding(piece, item.question)]
            if not there:
                continue
            asked += 1
            self.asked.add(item.question.id)
            gone = [piece for piece in there if not after.holding(piece, item.question)]
            if gone:
                needs = [_ids(before, piece, item.question) for piece in gone]
                lost.append({"id": item.question.id, "text": item.question.text, "needs": needs})
        found = {
            "min_recall": self.min_recall,
            "asked": asked,
            "answered": asked - len(lost),
            "recall": round(1 - len(lost) / asked, 6) if asked else None,
            "lost": lost,
        }
        return replace(plan, gate=found, notes=(*plan.notes, *_notes(found)))


def _ids(store: Store, piece: Piece, question: Question) -> list[str]:
    return [item.memory_id for at in sorted(store.holding(piece, question)) if (item := store.memories[at]).memory_id is not None]


def _notes(found: dict[str, Any]) -> list[str]:
    asked, answered, lost = found["asked"], found["answered"], found["lost"]
    if not asked:
        return ["none of the questions can be answered from this user's memories as they are"]
    questions = "the 1 question" if asked == 1 else f"{asked} questions"
    notes = [f"{answered} of {questions} that the memories answer now would still be answered (recall {share_text(found)})"]
    notes += [f"no longer answered: {item['id']}, {item['text']}" for item in lost[:_NAMED]]
    if len(lost) > _NAMED:
        notes.append(f"and {len(lost) - _NAMED} more that are no longer answered; --json lists them")
    return notes


def share_text(found: dict[str, Any]) -> str:
    """The recall to three decimals, never rounded up to what it is not."""
    return f"{math.floor(1000 * found['answered'] / found['asked'] + 1e-9) / 1000:.3f}"


def parse_min_recall(text: str) -> float:
    """Read ``0.95`` or ``95%``. Raises UsageError for anything but a share from 0 to 1."""
    match = re.fullmatch(r"\s*(\d{1,3}(?:\.\d{1,9})?|\.\d{1,9})\s*(%?)\s*", text)
    share = float(match[1]) / (100 if match[2] else 1) if match and text.isascii() else math.nan
    if not 0 <= share <= 1:
        raise UsageError(f"--min-recall takes a share from 0 to 1, such as 0.95 or 95%, not {text!r}")
    return share
