"""Questions that a model drafts from the memories. What it says is believed only as far as the memories bear it out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from memopt.errors import AnswerRefused
from memopt.evaluation.draft import draft, is_fair, renumbered
from memopt.evaluation.questions import Question
from memopt.memory import UserMemory
from memopt.models.answer import parse_json_answer
from memopt.models.base import Ask, Reply
from memopt.similarity.normalise import fold
from memopt.strategies.base import Answering, MemoryOptimizationStrategy, Proposal, Steps, arun, run

AT_ONCE = 40
"""So many memories are shown in one request."""
PROMPT = (
    "You write questions that test what an assistant remembers of a user. Each question asks for one fact of the memories below, "
    "such as a date, a number, a name or a place. It is asked in other words than the memory has, as the user or a colleague "
    "would ask it weeks later, in the language of the memory; it does not give the answer away, and only one memory answers it. "
    "The answer is a few words that stand in that memory as they are."
)
_FORM = 'Answer with a JSON object alone: {"questions": [{"memory": 1, "question": "...", "answer": "..."}]}'
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "questions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "memory": {"type": "integer"},
                    "question": {"type": "string"},
                    "answer": {"type": "string"},
                },
                "required": ["memory", "question", "answer"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["questions"],
    "additionalProperties": False,
}


def draft_with(
    answering: Answering, memories: Sequence[UserMemory], number: int, user_id: str | None
) -> tuple[list[Question], int]:
    """At most so many questions by a model, filled up by rule; and how many of the model's were dropped.

    Raises:
        LimitError: it would be more than may be asked.
        ModelError: the service cannot be reached, or answered nothing of use.
    """
    work = _Writer([item for item in memories if not item.is_blank and item.memory_id is not None], number)
    if answering.model is not None and answering.model.endpoint:
        import asyncio

        asyncio.run(arun(work, (), answering))
    else:
        run(work, (), answering)
    found: list[Question] = []
    texts: set[str] = set()
    for place, question, answer in work.found:
        memory = work.memories[place]
        text = fold(question)
        if text in texts or not is_fair(question, answer, memory) or fold(answer) in text:
            work.dropped += 1
            continue
        texts.add(text)
        found.append(Question("", question, (str(memory.memory_id),), answer, users=(user_id,)))
    found = _spread(found, number)
    taken = {each for item in found for each in item.memory_ids}
    for item in draft(memories, number + len(found), user_id):
        if len(found) < number and not taken.intersection(item.memory_ids) and fold(item.text) not in texts:
            found.append(item)
    return renumbered(found), work.dropped


def _spread(questions: Sequence[Question], number: int) -> list[Question]:
    """At most so many, evenly over the memories where there are more."""
    if len(questions) <= number:
        return list(questions)
    return [questions[at * len(questions) // number] for at in range(number)]


class _Writer(MemoryOptimizationStrategy):
    """The requests as the steps of a strategy, so that the driver which knows limits and concurrency sends them."""

    name = "questions"
    needs_model: ClassVar[bool] = True

    def __init__(self, memories: Sequence[UserMemory], number: int) -> None:
        super().__init__()
        self.memories = list(memories)
        self.number = number
        self.found: list[tuple[int, str, str]] = []
        self.dropped = 0

    def steps(self, memories: Sequence[UserMemory]) -> Steps:
        """Ask for each part of the memories, as many questions as its share of them is."""
        starts = list(range(0, len(self.memories), AT_ONCE))
        if len(starts) > self.number:  # more parts than questions: one each, evenly spread
            starts = [starts[at * len(starts) // self.number] for at in range(self.number)]
        if not starts:
            return Proposal(())
        each = -(-self.number // len(starts))
        replies = yield [self._ask(start, each) for start in starts]
        failures = [reply.error for reply in replies if not isinstance(reply, Reply)]
        if len(failures) == len(starts):
            raise failures[0]
        for start, reply in zip(starts, replies, strict=True):
            if isinstance(reply, Reply):
                self._read(start, reply.text)
        return Proposal(())

    def _ask(self, start: int, number: int) -> Ask:
        part = self.memories[start : start + AT_ONCE]
        listed = "\n".join(f"{at}. {' '.join(item.memory.split())}" for at, item in enumerate(part, 1))
        prompt = f"Write {number} questions about different memories.\n\nMemories:\n{listed}"
        return Ask(
            PROMPT,
            prompt,
            purpose=f"questions about {len(part)} memories",
            schema=_SCHEMA,
            plain_form=_FORM,
            schema_form=_FORM,
            may_fail=True,
        )

    def _read(self, start: int, text: str) -> None:
        try:
            data = parse_json_answer(text)
        except (AnswerRefused, ValueError, json.JSONDecodeError):
            self.dropped += 1
            return
        rows = data.get("questions") if isinstance(data, dict) else data
        for row in rows if isinstance(rows, list) else []:
            try:
                place, question, answer = int(row["memory"]) - 1, str(row["question"]).strip(), str(row["answer"]).strip()
            except (KeyError, TypeError, ValueError):
                self.dropped += 1
                continue
            if not 0 <= place < AT_ONCE or start + place >= len(self.memories) or not question or not answer:
                self.dropped += 1
                continue
            self.found.append((start + place, question, answer))
