"""Files of questions: what is read, under which names, and which line a mistake is in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agnofile import REPO

from memopt.errors import UsageError
from memopt.evaluation.questions import Question, read_questions, write_questions


def lines(*rows):
    return "\n".join(row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)


def one(row):
    return read_questions(lines(row)).questions[0]


def test_the_plain_names_are_read():
    found = one(
        {
            "id": "q1",
            "text": "Where? ",
            "memory_ids": ["a", "b", "a"],
            "answer": "Bern",
            "stale_ids": ["c"],
            "user": "u1",
            "category": "place",
        }
    )
    assert found == Question("q1", "Where?", ("a", "b"), "Bern", ("c",), (), ("u1",), "place")


def test_the_names_of_public_data_are_read():
    found = one(
        {
            "question_id": 7,
            "question": "When?",
            "evidence_memory_ids": ["a"],
            "answer": 2022,
            "stale_memory_ids": ["b"],
            "user_id": "u",
        }
    )
    assert found == Question("7", "When?", ("a",), "2022", ("b",), (), ("u",))


def test_several_right_answers_and_several_users():
    found = one({"text": "Who?", "answer": ["Ann", "Anna", "Ann"], "user": ["u1", "u2"]})
    assert found.answers == ("Ann", "Anna") and found.users == ("u1", "u2") and found.id == "line 1"
    assert found.asks("u1") and not found.asks("u3") and not found.asks(None)


def test_a_null_user_means_memories_without_one_and_no_user_means_anybody():
    assert one({"text": "Who?", "answer": "Ann", "user": None}).users == (None,)
    assert one({"text": "Who?", "answer": "Ann"}).users is None


def test_what_cannot_be_answered_is_left_out_and_counted():
    found = read_questions(lines({"text": "A?", "answer": "a"}, {"text": "B?", "answerable": False}))
    assert [item.text for item in found.questions] == ["A?"] and found.unanswerable == 1


def test_blank_lines_windows_line_ends_and_lists_are_read():
    assert len(read_questions('\r\n{"text": "A?", "answer": "a"}\r\n\r\n{"text": "B?", "answer": "b"}\r\n').questions) == 2
    assert [item.id for item in read_questions('[{"text": "A?", "answer": "a"}]').questions] == ["item 1"]


@pytest.mark.parametrize("key", ["answr", "Answer", "memory-ids", "stale_id", "usr", "ansswer"])
def test_a_misspelt_key_is_an_error_and_not_left_out_in_silence(key):
    right = {"text": "Where?", "answer": "Bern", "memory_ids": ["m"], "stale_ids": ["s"], "user": "u"}
    rest = {name: value for name, value in right.items() if name[:3] != key.casefold()[:3] and (name, key) != ("user", "usr")}
    if "answer" not in rest and "memory_ids" not in rest:
        rest["memory_ids"] = ["m"]
    with pytest.raises(UsageError, match=f"line 1: there is no key '{key}'; did you mean"):
        read_questions(json.dumps({**rest, key: "x"}))


def test_other_keys_are_left_alone():
    row = {"text": "Where?", "answer": "Bern", "evidence_dialog_ids": ["D1"], "source": "x", "note": 1}
    assert read_questions(json.dumps(row)).questions[0].answer == "Bern"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2: a question is a JSON object, not [1]"),
        ('"text"', "line 2: a question is a JSON object"),
        ({"id": "x", "answer": "a"}, "line 2: the question has no text"),
        ({"text": "  ", "answer": "a"}, "line 2: the question has no text"),
        ({"text": "Q?"}, "line 2: nothing tells what answers the question"),
        ({"text": "Q?", "memory_ids": []}, "line 2: nothing tells what answers the question"),
        ({"text": "Q?", "memory_ids": [1]}, "line 2: memory_ids takes a list of memory ids, not [1]"),
        ({"text": "Q?", "memory_ids": {"a": 1}}, "line 2: memory_ids takes"),
        ({"text": "Q?", "answer": {"a": 1}}, "line 2: answer takes a text or a number"),
        ({"text": "Q?", "answer": " "}, "line 2: answer takes"),
        ({"text": "Q?", "answer": True}, "line 2: answer takes"),
        ({"text": "Q?", "answer": "a", "user": 3}, "line 2: user takes a user's id"),
        ({"text": "Q?", "answer": "a", "stale_ids": 3}, "line 2: stale_ids takes"),
        ({"id": "first", "text": "Q?", "answer": "a"}, "line 2: the id 'first' is that of line 1 already"),
        ({"text": "Q?", "question": "R?", "answer": "a"}, "line 2: text and question mean the same and differ"),
        ({"id": [], "text": "Q?", "answer": "a"}, "line 2: id takes a text"),
    ],
)
def test_a_mistake_is_named_with_its_line(row, said):
    with pytest.raises(UsageError) as error:
        read_questions(lines({"id": "first", "text": "Q?", "answer": "a"}, row), "q.jsonl")
    assert str(error.value).startswith("q.jsonl, ") and said in str(error.value)
    assert len(str(error.value)) < 250


@pytest.mark.parametrize("text", ["", "\n \n", "[]", '{"text": "Q?", "answerable": false}', "[1,"])
def test_a_file_without_a_question_is_an_error(text):
    with pytest.raises(UsageError, match=r"^q\.jsonl"):
        read_questions(text, "q.jsonl")


def test_the_shipped_questions_are_read():
    path = REPO / "fixtures" / "bench" / "factconsolidation_questions.jsonl"
    found = read_questions(path.read_text(encoding="utf-8"))
    assert len(found.questions) + found.unanswerable == 200
    assert found.questions[0] == Question(
        "fc_6k_si_000",
        "Which sport is goaltender associated with?",
        ("fc_6k_00310",),
        "pesäpallo",
        ("fc_6k_00223",),
        (),
        ("fc_6k",),
        "single_hop",
    )


texts = st.text(min_size=1).map(str.strip).filter(bool)
questions = st.builds(
    Question,
    id=st.text(min_size=1),
    text=texts,
    memory_ids=st.lists(st.text(min_size=1), min_size=1, unique=True).map(tuple),
    answer=st.none() | texts,
    stale_ids=st.lists(st.text(min_size=1), unique=True).map(tuple),
    users=st.none() | st.lists(st.none() | st.text(min_size=1), min_size=1, unique=True).map(tuple),
    category=st.none() | st.text(),
)


@given(st.lists(questions, min_size=1, unique_by=lambda item: item.id))
def test_what_is_written_is_read_back(listed):
    assert list(read_questions(write_questions(listed)).questions) == listed


def test_half_an_emoji_is_written_as_an_escape():
    written = write_questions([Question("q", "Which \ud83d?", answer="x")])
    assert written.isascii() and read_questions(written).questions[0].text == "Which \ud83d?"
