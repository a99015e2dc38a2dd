"""The gate: a plan that loses answers is refused. What it found is kept in the plan, so that applying its file is held to it too.

Recall here is the share of the questions that the memories answer now which what is left still answers, wholly: each piece of
evidence that is there must be there still. It asks what is in the memories, not what a search finds of them, so a plan that only
takes duplicates away never fails it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memopt.errors import GuardError, UsageError
from memopt.evaluation.evidence import Outcome, Piece, Store, ask, why_not
from memopt.evaluation.questions import Question
from memopt.plan import Plan

if TYPE_CHECKING:
    from memopt.stores.base import MemoryStore

_NAMED = 20


@dataclass
class Gate:
    """Questions that plans are held to.

    Args:
        questions: of any users; a plan is asked those that may be asked about its user.
        min_recall: plans that keep a smaller share of the answers are refused; None: it is only told.
        of_many: plans of many users are checked, each by itself, so that a question which names no user, and which the memories
            of one do not answer, is about another one.

    Attributes:
        asked: ids of the questions that some plan's memories answered before it.
        unknown: by question's id, the memory ids that the latest plan's user does not have.
    """

    questions: Sequence[Question]
    min_recall: float | None = None
    of_many: bool = False
    asked: set[str] = field(default_factory=set)
    unknown: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _of_user: dict[str | None, list[int]] = field(init=False, repr=False, default_factory=dict)
    _of_memory: dict[str, list[int]] = field(init=False, repr=False, default_factory=dict)
    _of_any: list[int] = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        for place, question in enumerate(self.questions):
            for user in question.users or ():
                self._of_user.setdefault(user, []).append(place)
            if question.users is None:
                for memory_id in question.memory_ids:
                    self._of_memory.setdefault(memory_id, []).append(place)
                if not question.memory_ids:
                    self._of_any.append(place)

    def _about(self, user_id: str | None, outcome: Outcome) -> list[Question]:
        """The questions that may be asked about a user. Of many users each has a few of very many questions."""
        if not self.of_many:
            return [question for question in self.questions if question.asks(user_id)]
        places = {*self._of_user.get(user_id, ()), *self._of_any}
        for item in outcome.before:
            places.update(self._of_memory.get(item.memory_id or "", ()))
        return [self.questions[place] for place in sorted(places)]

    def check(self, plan: Plan) -> Plan:
        """The plan with what the gate found in ``plan.gate`` and told in its notes.

        It holds ``min_recall``; ``asked``, ``answered`` and ``recall``: how many questions the memories answer before, how many
        of them after, and the share (null where there are none); ``lost``: for each question that is lost ``id``, ``text``
        and ``needs``, for each piece of evidence that is gone the ids of the memories that hold it before; and ``left_out``: for
        each question that the plan cannot be held to ``id``, ``text`` and ``reason``.
        """
        outcome = Outcome.of_plan(plan)
        unchanged = replace(
            outcome,
            after=outcome.before,
            lives_in={item.memory_id: frozenset((item.memory_id,)) for item in outcome.before if item.memory_id is not None},
        )
        listed = [ask(question, [outcome]) for question in self._about(plan.user_id, outcome)]
        self.unknown = {item.question.id: item.unknown for item in listed if item.unknown}
        pieces = [piece for item in listed for piece in item.pieces]
        before, after = Store([unchanged], pieces), Store([outcome], pieces)
        asked = 0
        lost: list[dict[str, Any]] = []
        left_out: list[dict[str, str]] = []
        for item in listed:
            there = [piece for piece in item.pieces if before.holding(piece, item.question)]
            if not there:
                if item.question.users is not None or not self.of_many:
                    left_out.append({"id": item.question.id, "text": item.question.text, "reason": why_not(item)})
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
            "left_out": left_out,
        }
        return replace(plan, gate=found, notes=(*plan.notes, *_notes(found)))

    def hold(self, plan: Plan) -> Plan:
        """``check``, for the plan of one of many users.

        Raises:
            GuardError: answers are to be kept, questions are about this user, and the memories answer none of them as they are.
        """
        checked = self.check(plan)
        named = plan.user_id in self._of_user
        if self.min_recall is not None and named and checked.gate is not None and not checked.gate["asked"] and plan.has_changes:
            raise GuardError(
                "none of the questions about this user can be answered from the memories as they are, so --min-recall holds "
                "nothing: mend the questions. Nothing was written"
            )
        return checked

    def check_whose(self) -> None:
        """Raise UsageError for a question of which nobody knows, among many users, whose answer it asks for."""
        for question in self.questions:
            if question.users is None and not question.memory_ids:
                raise UsageError(
                    f"question {question.id!r} names neither a user nor memory ids, so that among many users nobody knows whose "
                    "answer it asks for: give it a user"
                )

    def check_found(self, store: MemoryStore) -> None:
        """A gate that nothing is held to must not look like one that all passed.

        Raises:
            UsageError: answers are to be kept, and a question is about a user, or only about memories, that the store does not
                have.
        """
        if self.min_recall is None:
            return
        users = {user for question in self.questions for user in question.users or ()}
        if users:
            for user in store.each_user_id():
                users.discard(user)
            if users:
                question = next(each for each in self.questions if not users.isdisjoint(each.users or ()))
                missing = next(user for user in question.users or () if user in users)
                whom = (
                    "memories without a user, of which there are none"
                    if missing is None
                    else f"user {missing!r}, who has no memories"
                )
                raise UsageError(
                    f"question {question.id!r} is about {whom} in {store.ref.location}; memopt users lists those who have"
                )
        loose = [question for question in self.questions if question.users is None]
        if loose:
            wanted = {each for question in loose for each in question.memory_ids}
            for snapshot in store.snapshots():
                wanted.difference_update(item.memory_id for item in snapshot.memories if item.memory_id is not None)
                if not wanted:
                    return
            for question in loose:
                if wanted.issuperset(question.memory_ids):
                    raise UsageError(f"question {question.id!r} names memories, and {store.ref.location} has none of them")


def _ids(store: Store, piece: Piece, question: Question) -> list[str]:
    return [item.memory_id for at in sorted(store.holding(piece, question)) if (item := store.memories[at]).memory_id is not None]


def _notes(found: dict[str, Any]) -> list[str]:
    asked, answered, lost = found["asked"], found["answered"], found["lost"]
    left_out = [f"not held to {item['id']}, {item['text']} ({item['reason']})" for item in found["left_out"][:_NAMED]]
    if len(found["left_out"]) > _NAMED:
        left_out.append(f"nor to {len(found['left_out']) - _NAMED} more; --json lists them")
    if not asked:
        return ["none of the questions can be answered from this user's memories as they are", *left_out]
    questions = "the 1 question" if asked == 1 else f"{asked} questions"
    notes = [f"{answered} of {questions} that the memories answer now would still be answered (recall {share_text(found)})"]
    notes += [f"no longer answered: {item['id']}, {item['text']}" for item in lost[:_NAMED]]
    if len(lost) > _NAMED:
        notes.append(f"and {len(lost) - _NAMED} more that are no longer answered; --json lists them")
    return notes + left_out


def share_text(found: dict[str, Any]) -> str:
    """The recall to three decimals, never rounded up to what it is not."""
    return f"{math.floor(1000 * found['answered'] / found['asked'] + 1e-9) / 1000:.3f}"
