"""Embeddings of an OpenAI-compatible service, asked over real HTTP."""

import json
import threading
import time

import numpy as np
import pytest
from support.endpoint import EMBEDDINGS, Endpoint, fail, send_json, send_raw

from memopt.errors import LimitError, ModelError
from memopt.fleet import Budget
from memopt.memory import UserMemory
from memopt.models.base import Ask, Reply
from memopt.models.openai import ModelUnusable, OpenAIEmbedder, OpenAIModel
from memopt.strategies.base import run
from memopt.strategies.dedupe import DedupeStrategy
from memopt.usage import Price, Usage


def answer(request):
    """Vectors by the length of the text, in turned order."""
    rows = [{"index": place, "embedding": [float(len(text)), 1.0]} for place, text in enumerate(request.body["input"])]
    return send_json({"object": "list", "data": rows[::-1], "model": request.body["model"]})


def embedder(endpoint, batch=128, **more):
    more = {"max_retries": 1, "backoff": 0.01, **more}
    return OpenAIEmbedder(OpenAIModel("embed-1", base_url=endpoint.base_url, api_key="k", **more), batch)


def test_texts_are_sent_in_batches_each_once_and_come_back_in_their_order_with_length_one():
    with Endpoint(answer) as endpoint:
        found = embedder(endpoint, batch=2)
        vectors = found.embed(["a", "bb", "", "a", "ccc"])
    assert [request.path for request in endpoint.requests] == [EMBEDDINGS] * 2
    assert [request.body["input"] for request in endpoint.requests] == [["a", "bb"], ["ccc"]]
    assert endpoint.requests[0].headers["authorization"] == "Bearer k"
    assert vectors.dtype == np.float32 and found.dimensions == 2
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 0, 1, 1])
    assert vectors[1] == pytest.approx(np.array([2, 1]) / 5**0.5)
    assert (vectors[0] == vectors[3]).all()


def test_nothing_is_sent_for_blank_texts():
    with Endpoint(answer) as endpoint:
        assert embedder(endpoint).embed(["", "  "]).shape == (2, 0)
    assert not endpoint.requests


def test_a_passing_failure_is_asked_again():
    with Endpoint(fail(503), answer) as endpoint:
        assert embedder(endpoint).embed(["a"]).shape == (1, 2)
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize(("most", "kind", "sent"), [(9, ModelError, 2), (1, LimitError, 1)])
def test_what_failed_is_under_way_no_more_so_that_nobody_waits_for_it(most, kind, sent):
    budget = Budget(len, max_requests=most, max_cost=1.0, price=Price(1, 1))
    user = budget.user()
    with Endpoint(fail(503)) as endpoint, pytest.raises(kind):
        embedder(endpoint).watched(user).embed(["a"])
    assert budget.under_way == 0 == budget.held and user.usage.requests == sent == len(endpoint.requests)


def test_who_wants_vectors_waits_for_those_who_may_leave_room():
    budget = Budget(len, max_cost=3.0, price=Price(1_000_000, 1_000_000))
    ask = Ask("", "a")
    other = budget.user()
    other.asking([ask], Usage())  # holds back 2 of 3
    with Endpoint(answer) as endpoint:
        waiting = threading.Thread(target=lambda: embedder(endpoint).watched(budget.user()).embed(["b"]))
        waiting.start()
        time.sleep(0.3)
        assert not endpoint.requests
        other.answered(ask, Reply("", Usage(1, 1, 0)))
        waiting.join(10)
        assert len(endpoint.requests) == 1 and not waiting.is_alive()


def test_a_refused_key_stops_at_once_and_is_not_asked_again():
    with Endpoint(fail(401, "bad key")) as endpoint:
        found = embedder(endpoint)
        for _ in range(2):
            with pytest.raises(ModelUnusable, match="OPENAI_API_KEY"):
                found.embed(["a"])
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"data": [{"index": 0, "embedding": [1.0]}]}, "1 embeddings for 2 texts"),
        ({"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]}, "told apart"),
        ({"data": [{"embedding": [1.0]}, {"embedding": "AAAA"}]}, "no list of numbers"),
        ({"data": [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}]}, "different lengths"),
        ({"error": {"message": "no such model"}}, "no such model"),
        ({"choices": []}, "without embeddings"),
        ([], "without embeddings"),
    ],
)
def test_an_answer_that_is_not_one_vector_a_text_is_an_error(body, said):
    with Endpoint(send_raw(json.dumps(body), "application/json")) as endpoint, pytest.raises(ModelError, match=said):
        embedder(endpoint).embed(["a", "b"])


def test_a_service_without_embeddings_is_named_so():
    with Endpoint(fail(404)) as endpoint, pytest.raises(ModelError, match="has no embeddings"):
        embedder(endpoint).embed(["a"])


def test_dedupe_asks_the_service_for_memories_and_then_for_the_words_that_differ():
    def alike(request):
        return send_json({"data": [{"index": at, "embedding": [1.0, 0.0]} for at, _ in enumerate(request.body["input"])]})

    memories = [
        UserMemory("User bought a car in May", "a", created_at=1),
        UserMemory("User purchased a car in May", "b", created_at=2),
        UserMemory("User bought a car in June", "c", created_at=3),
    ]
    with Endpoint(alike) as endpoint:
        strategy = DedupeStrategy(semantic=True, semantic_threshold=0.9)
        strategy.embedder = embedder(endpoint)
        after, _ = run(strategy, memories, None)
    assert {item.memory_id for item in after.memories} == {"b", "c"}
    assert len(endpoint.requests[0].body["input"]) == 3
    assert set(endpoint.requests[1].body["input"]) == {"bought", "purchased"}
    assert len(endpoint.requests) == 2
