"""Labelled questions: what an agent should be able to answer from a user's memories. Pure: texts in, values out.

The file is JSONL, one object a line (a JSON list of such objects is read too). Each key has the name below, or one of the names
that public data sets use for it; other keys are left alone.

================  ==========================================================  ==================================================
key               also read as                                                meaning
================  ==========================================================  ==================================================
``id``            ``question_id``, ``qid``                                    names the question in reports; else ``line N``
``text``          ``question``                                                what is asked
``memory_ids``    ``memory_id``, ``evidence_memory_ids``, ``evidence``        the memories that together answer it
``answer``        ``answers``                                                 text or number; in a list, any of them is right
``stale_ids``     ``stale_memory_ids``                                        outdated memories that must not win
``user``          ``user_id``, ``users``                                      whose memories are asked: an id, null (the memories
                                                                              without a user), or a list of ids
``category``                                                                  a word for groups in reports
``answerable``                                                                false: the question is left out
================  ==========================================================  ==================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memopt.errors import UsageError

_NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "qid"),
    "text": ("text", "question"),
    "memory_ids": ("memory_ids", "memory_id", "evidence_memory_ids", "evidence"),
    "answer": ("answer", "answers"),
    "stale_ids": ("stale_ids", "stale_memory_ids"),
    "user": ("user", "user_id", "users"),
    "category": ("category",),
    "answerable": ("answerable",),
}
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Question:
    """One question with what answers it: memories, or a text, or both.

    Attributes:
        id: names it in reports.
        text: what is asked.
        memory_ids: the memories that together answer it.
        answer: the answer as a text; None where none is given.
        stale_ids: outdated memories that must not rank above what answers it.
        also: further texts that are right answers too.
        users: whose memories are asked, None among them for the memories without a user; None: whoever is looked at.
        category: a word for groups in reports.
    """

    id: str
    text: str
    memory_ids: tuple[str, ...] = ()
    answer: str | None = None
    stale_ids: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    users: tuple[str | None, ...] | None = None
    category: str | None = None

    @property
    def answers(self) -> tuple[str, ...]:
        """Every text that is a right answer."""
        return (() if self.answer is None else (self.answer,)) + self.also

    def asks(self, user_id: str | None) -> bool:
        """Whether it may be asked about this user's memories."""
        return self.users is None or user_id in self.users

    def to_dict(self) -> dict[str, Any]:
        """The question as an object of the file; keys without a value are left out, but for the first four."""
        out: dict[str, Any] = {"id": self.id, "text": self.text, "memory_ids": list(self.memory_ids)}
        out["answer"] = [self.answer, *self.also] if self.also else self.answer
        if self.stale_ids:
            out["stale_ids"] = list(self.stale_ids)
        if self.users is not None:
            out["user"] = self.users[0] if len(self.users) == 1 else list(self.users)
        if self.category is not None:
            out["category"] = self.category
        return out


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """The questions of a file.

    Attributes:
        questions: in the order of the file; at least one.
        unanswerable: how many the file marks as not answerable; they are left out.
    """

    questions: tuple[Question, ...]
    unanswerable: int = 0


def read_questions(text: str, where: str = "the questions") -> QuestionSet:
    """Read a file of questions.

    Args:
        text: JSONL, or a JSON list.
        where: names the file in errors.

    Raises:
        UsageError: naming the line, or the place in the list: not JSON, a key of the wrong kind, no text, an id twice, nothing
            that answers it; or there is no question at all.
    """
    questions: list[Question] = []
    seen: dict[str, str] = {}
    unanswerable = 0
    for place, row in _rows(text, where):
        question = _question(row, place, where)
        if question is None:
            unanswerable += 1
            continue
        if question.id in seen:
            raise UsageError(f"{where}, {place}: the id {question.id!r} is that of {seen[question.id]} already")
        seen[question.id] = place
        questions.append(question)
    if not questions:
        raise UsageError(
            f"{where} marks every question as not answerable"
            if unanswerable
            else f'{where} holds no question; a line is such as {{"id": "q1", "text": "Where does she live?", "answer": "Bern"}}'
        )
    return QuestionSet(tuple(questions), unanswerable)


def write_questions(questions: Iterable[Question]) -> str:
    """The text of a file: one JSON object a line, in UTF-8 as people read it."""
    return "".join(_line(question) for question in questions)


def _line(question: Question) -> str:
    text = json.dumps(question.to_dict(), ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half an emoji in a memory: no UTF-8 file can hold it but as an escape
        text = json.dumps(question.to_dict())
    return text + "\n"


def _rows(text: str, where: str) -> Iterable[tuple[str, Any]]:
    if text.lstrip().startswith("["):
        try:
            listed = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{where} begins as a JSON list and is none: {error}") from None
        yield from ((f"item {number}", row) for number, row in enumerate(listed, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield f"line {number}", json.loads(line)
        except (ValueError, RecursionError) as error:
            said = error.msg if isinstance(error, json.JSONDecodeError) else error
            raise UsageError(f"{where}, line {number}: not JSON ({said}); each line holds one question as an object") from None


def _question(row: Any, place: str, where: str) -> Question | None:
    at = f"{where}, {place}"
    if not isinstance(row, dict):
        raise UsageError(f"{at}: a question is a JSON object, not {_shown(row)}")
    _check_spelling(row, at)
    found = {key: _value(row, names, at) for key, names in _NAMES.items()}
    if found["answerable"] is False:
        return None
    text = found["text"]
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"{at}: the question has no text (key text or question)")
    key = found["id"]
    if isinstance(key, bool) or (key is not None and not isinstance(key, str | int)) or key == "":
        raise UsageError(f"{at}: id takes a text, not {_shown(key)}")
    answers = _answers(found["answer"], at)
    memory_ids = _ids(found["memory_ids"], "memory_ids", at)
    if not memory_ids and not answers:
        raise UsageError(
            f"{at}: nothing tells what answers the question: give memory_ids, answer or both"
            " (a question that cannot be answered has answerable: false)"
        )
    category = found["category"]
    return Question(
        id=place if key is None else str(key),
        text=text.strip(),
        memory_ids=memory_ids,
        answer=answers[0] if answers else None,
        stale_ids=_ids(found["stale_ids"], "stale_ids", at),
        also=tuple(answers[1:]),
        users=_users(row, found["user"], at),
        category=None if category is None else str(category),
    )


def _check_spelling(row: Mapping[str, Any], at: str) -> None:
    """Other keys are left alone, but one that is meant and misspelt would silently be missing."""
    known = [name for names in _NAMES.values() for name in names]
    for key in row:
        if key in known:
            continue
        from difflib import get_close_matches

        meant = get_close_matches(key.casefold().replace("-", "_"), known, 1, cutoff=0.84)
        if meant and meant[0] not in row:
            raise UsageError(f"{at}: there is no key {key!r}; did you mean {meant[0]}? Rename it, or leave it out")


def _value(row: Mapping[str, Any], names: Sequence[str], at: str) -> Any:
    """The value under one of the names; null counts as not given. Two names with different values are an error."""
    given = [(name, row[name]) for name in names if row.get(name) is not None]
    if len(given) > 1 and any(value != given[0][1] for _, value in given):
        raise UsageError(f"{at}: {given[0][0]} and {given[1][0]} mean the same and differ: give one of them")
    return given[0][1] if given else None


def _ids(value: Any, key: str, at: str) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else [] if value is None else value
    if not isinstance(listed, list) or not all(isinstance(item, str) and item for item in listed):
        raise UsageError(f"{at}: {key} takes a list of memory ids, not {_shown(value)}")
    return tuple(dict.fromkeys(listed))


def _answers(value: Any, at: str) -> list[str]:
    listed = value if isinstance(value, list) else [] if value is None else [value]
    out = []
    for item in listed:
        if isinstance(item, bool) or not isinstance(item, str | int | float) or not str(item).strip():
            raise UsageError(f"{at}: answer takes a text or a number, or a list of them, not {_shown(value)}")
        out.append(str(item).strip())
    return list(dict.fromkeys(out))


def _users(row: Mapping[str, Any], value: Any, at: str) -> tuple[str | None, ...] | None:
    if value is None:
        return (None,) if any(name in row for name in _NAMES["user"]) else None
    listed = value if isinstance(value, list) else [value]
    if not listed or not all(item is None or (isinstance(item, str) and item) for item in listed):
        raise UsageError(f"{at}: user takes a user's id, or a list of ids, not {_shown(value)}")
    return tuple(dict.fromkeys(listed))


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=True, default=str)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 4]} ..."
