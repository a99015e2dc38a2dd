"""Letting a model answer the questions from what a search finds, and scoring its answers.

Exact match and token F1 are those of SQuAD (P. Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of text",
2016): case, punctuation and the articles a, an, the are left out. Scripts without blanks between words are compared character by
character.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from memopt.evaluation.measure import Row
from memopt.evaluation.questions import Question
from memopt.evaluation.stats import Estimate, Resamples
from memopt.memory import UserMemory
from memopt.models.base import Ask, Failed, Reply
from memopt.similarity.normalise import CJK
from memopt.strategies.base import Answering, MemoryOptimizationStrategy, Proposal, Steps, arun, run
from memopt.tokens import TokenCounter
from memopt.usage import Usage

PROMPT = (
    "You answer a question about a user from what is remembered of them, and from nothing else. Answer with the fact alone, in "
    "as few words as it takes and in the language of the question: a name, a number, a date, yes or no, a short phrase; no "
    "sentence and no explanation."
)
_FORM = "Write the answer between angle brackets, such as <Bern>. If what is remembered does not tell it, write <unknown>."
"""The brackets tell a bare yes from the yes before an answer."""
JUDGE = (
    "You compare a given answer to a question with the right one. The given answer is correct if it says the same, even in other "
    "words, in another form of the date or number, or with more detail. Answer with one word: correct or wrong."
)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_ALONE = re.compile(f"[{CJK}]|[^\\s{CJK}]+")
_MARKS = re.compile(r"(?!(?<=\d)\.(?=\d))[!-/:-@\[-`{-~’]")
_CORRECT = re.compile(r"\W*(?:correct|right|yes|true|正确|对|是)", re.IGNORECASE)
_BRACKETS = re.compile(r"<([^<>]+)>")


@dataclass(frozen=True, slots=True)
class Given:
    """One question's answer.

    Attributes:
        text: what the model said; None where it failed, and why in ``error``.
        exact, f1: its scores, 0 to 1; None without a right answer to compare with.
        judged: the judge's word; None where none was asked, or it failed.
        tokens: of the request and the answer, as the service counted them, else as memopt counts.
    """

    text: str | None
    exact: float | None
    f1: float | None
    judged: float | None
    tokens: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """What a model's answers from one contender's memories were worth.

    Attributes:
        given: one a question, in their order.
        exact, f1, judged: means with intervals, over the questions that have a right answer.
        tokens: per question.
        failed: how many requests brought no answer; each scores 0.
    """

    given: tuple[Given, ...]
    exact: Estimate
    f1: Estimate
    judged: Estimate
    tokens: Estimate
    failed: int


def words(text: str) -> list[str]:
    """The words that are compared. A point between digits stays, so that 9.5 is not 95."""
    plain = _ARTICLES.sub(" ", _MARKS.sub("", unicodedata.normalize("NFKC", text).casefold()))
    plain = "".join(" " if not char.isascii() and unicodedata.category(char)[0] == "P" else char for char in plain)
    return _ALONE.findall(plain)


def exact_match(answer: str, right: str) -> float:
    """1 where both have the same words in the same order, else 0."""
    return float(words(answer) == words(right))


def token_f1(answer: str, right: str) -> float:
    """The harmonic mean of precision and recall of the words, counted as often as they stand; 1 where neither has any."""
    said, wanted = words(answer), words(right)
    if not said or not wanted:
        return float(said == wanted)
    shared = sum((Counter(said) & Counter(wanted)).values())
    return 2 * shared / (len(said) + len(wanted))


def answer_all(
    questions: Sequence[Question],
    rows: Sequence[Sequence[Row]],
    answering: Answering,
    resamples: Resamples,
    prompt: str | None = None,
    count: TokenCounter | None = None,
) -> list[Answers]:
    """Let the model answer every question from what each contender's memories gave.

    The same question with the same memories is asked once, however many contenders share it. All requests are known before the
    first is sent, so a limit refuses them before anything is spent.

    Args:
        questions: those that were measured.
        rows: for each contender, one row a question.
        answering: who answers and who judges; a judge is asked where there is one.
        prompt: instructions instead of ``PROMPT``.

    Raises:
        LimitError: it would be more than may be asked.
        ModelError: no request to the service can succeed.
    """
    work = _Exam(questions, rows, prompt or PROMPT, answering.judge is not None)
    if answering.model is not None and answering.model.endpoint:
        import asyncio

        asyncio.run(arun(work, (), answering))
    else:
        run(work, (), answering)
    tokens = count or TokenCounter()
    return [_graded(questions, listed, work, resamples, tokens) for listed in rows]


class _Exam(MemoryOptimizationStrategy):
    """The requests as the steps of a strategy, so that the driver which knows limits and concurrency sends them."""

    name = "answers"
    needs_model: ClassVar[bool] = True

    def __init__(self, questions: Sequence[Question], rows: Sequence[Sequence[Row]], prompt: str, judged: bool) -> None:
        super().__init__()
        self.questions = questions
        self.prompt = prompt
        self.judged = judged
        asked = (self.key(question, row) for listed in rows for question, row in zip(questions, listed, strict=True))
        self.order = list(dict.fromkeys(asked))
        self.replies: dict[tuple[str, tuple[str, ...]], Reply | Failed] = {}
        self.verdicts: dict[tuple[str, tuple[str, ...]], Reply | Failed] = {}
        self.by_id = {question.id: question for question in questions}

    @staticmethod
    def key(question: Question, row: Row) -> tuple[str, tuple[str, ...]]:
        return question.id, row.read

    def ask(self, key: tuple[str, tuple[str, ...]]) -> Ask:
        question = self.by_id[key[0]]
        lines = "\n".join(f"- {text}" for text in key[1]) or "(nothing is remembered)"
        prompt = f"What is remembered of the user:\n{lines}\n\nQuestion: {question.text}"
        return Ask(self.prompt, prompt, purpose=f"answer to {question.id}", plain_form=_FORM, may_fail=True)

    def judge(self, key: tuple[str, tuple[str, ...]], said: str) -> Ask:
        question = self.by_id[key[0]]
        right = " / ".join(question.answers)
        prompt = f"Question: {question.text}\nRight answer: {right}\nGiven answer: {said}"
        return Ask(JUDGE, prompt, purpose=f"grade of {question.id}", may_fail=True, judge=True)

    def steps(self, memories: Sequence[UserMemory]) -> Steps:
        """Ask everything, then have it judged."""
        replies = yield [self.ask(key) for key in self.order]
        self.replies = dict(zip(self.order, replies, strict=True))
        if self.judged:
            said = {
                key: reply.text for key, reply in self.replies.items() if isinstance(reply, Reply) and self.by_id[key[0]].answers
            }
            if said:
                verdicts = yield [self.judge(key, text) for key, text in said.items()]
                self.verdicts = dict(zip(said, verdicts, strict=True))
        return Proposal(())


def said_in(reply: Reply) -> str:
    """The answer in a reply: what stands in the last brackets, else all of it."""
    found = _BRACKETS.findall(reply.text)
    return (found[-1] if found else reply.text).strip()


def _graded(
    questions: Sequence[Question], rows: Sequence[Row], work: _Exam, resamples: Resamples, tokens: TokenCounter
) -> Answers:
    given = []
    for question, row in zip(questions, rows, strict=True):
        key = work.key(question, row)
        reply = work.replies[key]
        text = said_in(reply) if isinstance(reply, Reply) else None
        exact = f1 = None
        if question.answers:
            exact = max(exact_match(text, right) for right in question.answers) if text is not None else 0.0
            f1 = max(token_f1(text, right) for right in question.answers) if text is not None else 0.0
        judged = None
        verdict = work.verdicts.get(key)
        if isinstance(verdict, Reply):
            judged = float(_CORRECT.match(verdict.text) is not None)
        elif work.judged and question.answers and text is None:
            judged = 0.0
        error = str(reply.error) if isinstance(reply, Failed) else None
        given.append(Given(text, exact, f1, judged, _tokens(work.ask(key), reply, tokens), error))
    return Answers(
        tuple(given),
        resamples.mean([item.exact for item in given]),
        resamples.mean([item.f1 for item in given]),
        resamples.mean([item.judged for item in given]),
        resamples.mean([float(item.tokens) for item in given]),
        sum(item.text is None for item in given),
    )


def _tokens(ask: Ask, reply: Reply | Failed, counter: TokenCounter) -> int:
    usage = reply.usage if isinstance(reply, Reply) else Usage()
    asked = usage.prompt_tokens
    said = usage.completion_tokens
    if asked is None:
        asked = counter.text(ask.instructions(False)) + counter.text(ask.prompt)
    if said is None:
        said = counter.text(reply.text) if isinstance(reply, Reply) else 0
    return asked + said
