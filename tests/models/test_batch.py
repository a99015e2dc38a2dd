"""Lines of a batch, and a user's conversation with the answers in them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.errors import AnswerRefused, UsageError
from memopt.models.base import Ask, Failed
from memopt.models.batch import (
    Answer,
    Conversation,
    RequestFailed,
    Service,
    Unanswered,
    batch_of,
    dialect_of,
    read_line,
    read_without,
    request_line,
)
from memopt.models.wire import Dialect

ID = "memopt-0123abcd-" + "0" * 32
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda each: st.lists(each) | st.dictionaries(st.text(), each),
    max_leaves=8,
)


def line(**more):
    return json.dumps({"id": "x", "custom_id": ID, **more}).encode()


def completion(text="User lives in Bern.", **more):
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], **more}


def talk(answers, **how):
    given = {"batch": "0123abcd", "key": b"k", "whose": "u", "service": Service("m", "http://127.0.0.1:9/v1"), "judge": None}
    return Conversation(known=answers, **{**given, **how})


@given(st.binary(max_size=300))
def test_no_line_is_too_strange_to_read(data):
    told = read_line(data)
    assert told.custom_id is None or isinstance(told.custom_id, str)


@given(JSON, JSON, JSON)
def test_no_document_is_too_strange_to_read(response, error, body):
    for value in ({"response": response, "error": error}, {"response": {"status_code": response, "body": body}}, {"body": body}):
        told = read_line(line(**value))
        if told.answer is not None:
            assert isinstance(told.answer.body, str) and Answer.from_json(told.answer.to_json()) == told.answer
            told.answer.problem  # noqa: B018 - must not raise


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_a_request_is_one_line_for_every_reader(payload):
    written = request_line(ID, payload)
    assert written.endswith(b"\n") and written.count(b"\n") == 1
    text = written.decode("utf-8")
    assert "\u2028" not in text and "\u2029" not in text
    assert json.loads(text) == {"custom_id": ID, "method": "POST", "url": "/v1/chat/completions", "body": payload}
    assert read_line(written).request


@pytest.mark.parametrize(
    ("document", "status", "passing"),
    [
        ({"response": {"status_code": 200, "body": completion()}, "error": None}, 200, None),
        ({"response": {"status_code": 200, "body": json.dumps(completion())}}, 200, None),
        ({"response": {"body": completion()}}, 200, None),
        ({"response": completion()}, 200, None),
        ({"response": {"status_code": 500, "body": {"error": {"message": "oops"}}}, "error": None}, 500, True),
        ({"response": {"status_code": 400, "body": {"error": {"message": "no"}}}}, 400, False),
        (
            {"response": {"status_code": 400, "request_id": "r"}, "error": {"error": {"message": "too long", "code": 400}}},
            400,
            False,
        ),
        ({"response": {"status_code": 400, "request_id": "r", "body": None}, "error": "it failed"}, 400, False),
        ({"response": None, "error": {"code": "batch_expired", "message": "over"}}, 408, True),
        ({"response": None, "error": {"code": "batch_cancelled", "message": "over"}}, 408, True),
        ({"response": None, "error": {"code": "rate_limit_exceeded", "message": "slow"}}, 429, True),
        ({"response": None, "error": {"code": "invalid_request", "message": "no"}}, 400, False),
        ({"response": None, "error": {"code": 503, "message": "busy"}}, 503, True),
        ({"response": None, "error": "something"}, 500, True),
    ],
)
def test_a_result_is_read_as_it_would_have_come_over_the_wire(document, status, passing):
    answer = read_line(line(**document)).answer
    assert answer is not None and answer.status == status
    problem = answer.problem
    assert (problem is None) == (passing is None)
    assert problem is None or (problem.passing == passing and problem.message)


@pytest.mark.parametrize(
    "document", [{}, {"response": None, "error": None}, {"response": {"status_code": 200, "body": None}, "error": None}]
)
def test_a_line_without_an_answer_has_none(document):
    assert read_line(line(**document)).answer is None


def test_a_line_that_is_cut_off_still_tells_whose_it_is():
    whole = line(response={"status_code": 200, "body": completion()})
    assert read_line(whole[:80]).custom_id == ID and read_line(whole[:80]).answer is None
    assert read_line(whole[:30]).custom_id is None
    assert read_line(whole[:80] + whole).custom_id is None  # two lines in one: nobody knows
    assert batch_of(ID) == "0123abcd" and batch_of("memopt-x") is None and batch_of(ID + "0") is None


def test_what_is_left_out_is_told_by_word_and_by_the_name_of_the_model():
    assert read_without(["schema", "temperature"]) == Dialect(schema=False, temperature=False)
    with pytest.raises(UsageError, match="--without takes"):
        read_without(["max_tokens"])
    for name in ("o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "openai/gpt-5-mini", "gpt-5.1"):
        assert not dialect_of(name, Dialect()).temperature, name
    for name in ("gpt-4o", "gpt-4.1", "gpt-5-chat-latest", "gpt-oss-120b", "olmo-7b", "Qwen/Qwen2.5-7B-Instruct", "o1live"):
        assert dialect_of(name, Dialect()).temperature, name


def test_ids_depend_on_the_request_the_user_the_batch_and_the_secret_and_on_nothing_else():
    def ids(ask=None, **how):
        with pytest.raises(Unanswered) as error:
            talk(lambda _: None, **how).asking([ask or Ask("system", "prompt")], None)
        return [each.custom_id for each in error.value.wanted]

    same = ids()
    assert same == ids() and all(len(each) <= 64 for each in same)
    others = [
        ids(Ask("system", "prompt.")),
        ids(Ask("system.", "prompt")),
        ids(Ask("system", "prompt", schema={"type": "object"})),
        ids(whose="v"),
        ids(key=b"l"),
        ids(batch="0123abce"),
        ids(service=Service("n", "http://127.0.0.1:9/v1")),
    ]
    assert len({tuple(each) for each in [same, *others]}) == len(others) + 1


def test_requests_that_are_asked_together_are_all_named_before_any_is_answered():
    known = {}
    asks = [Ask("s", "a"), Ask("s", "b"), Ask("s", "a")]
    first = talk(known.get)
    with pytest.raises(Unanswered) as error:
        first.asking(asks, None)
    assert len({each.custom_id for each in error.value.wanted}) == 3
    for number, each in enumerate(error.value.wanted):
        known[each.custom_id] = Answer(200, json.dumps(completion(f"Answer {number}.")))
    again = talk(known.get)
    again.asking(asks, None)
    assert [again.model.answer(ask).text for ask in asks] == ["Answer 0.", "Answer 1.", "Answer 2."]
    assert again.used == set(known)


def test_what_one_answer_teaches_holds_for_the_next_requests_and_not_for_those_beside_it():
    known = {}
    refused = Answer(400, json.dumps({"error": {"message": "Unsupported value: 'temperature'"}}))
    beside = [Ask("s", "a"), Ask("s", "b")]
    seen = []
    for _ in range(4):
        conversation = talk(known.get)
        try:
            conversation.asking(beside, None)
            conversation.asking([Ask("s", "c")], None)
        except Unanswered as error:
            seen.append([("temperature" in each.payload, each.ask.prompt) for each in error.wanted])
            for each in error.wanted:
                known[each.custom_id] = refused if "temperature" in each.payload else Answer(200, json.dumps(completion()))
    assert seen == [[(True, "a"), (True, "b")], [(False, "a"), (False, "b")], [(False, "c")]]


def test_a_failure_of_one_request_is_no_failure_of_the_service():
    answers = {"status": Answer(401, json.dumps({"error": {"message": "no key"}}))}
    conversation = talk(lambda _: answers["status"])
    ask = Ask("s", "a", may_fail=True)
    conversation.asking([ask], None)
    with pytest.raises(RequestFailed) as error:
        conversation.model.answer(ask)
    assert not error.value.final and "no key" in str(error.value)
    conversation.answered(ask, Failed(error.value))
    assert conversation.usage.requests == 1 and conversation.refused is error.value
    answers["status"] = Answer(200, json.dumps(completion("I'm sorry, but I can't help with that.")))
    conversation.asking([ask], None)
    with pytest.raises(AnswerRefused):
        conversation.model.answer(ask)
