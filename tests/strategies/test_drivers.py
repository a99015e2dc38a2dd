"""The two drivers of a strategy, and two steps of a chain as one."""

from __future__ import annotations

import asyncio

import pytest

from memopt.errors import StrategyError, UsageError
from memopt.memory import UserMemory
from memopt.models.base import Ask, Reply, Usage
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, arun, as_proposal, compose, new_id, run
from memopt.testing import ScriptedModel

A, B, C = (UserMemory(i, i, user_id="u") for i in "abc")


class Steps(MemoryOptimizationStrategy):
    name = "steps"

    def __init__(self, body):
        super().__init__()
        self.body = body

    def steps(self, memories):
        return self.body(memories)


def drive(way, strategy, model=None):
    if way == "sync":
        return run(strategy, [A, B], model)
    return asyncio.run(arun(strategy, [A, B], model))


WAYS = pytest.mark.parametrize("way", ["sync", "async"])


@WAYS
def test_replies_come_back_in_the_order_of_their_requests(way):
    def body(memories):
        one = yield Ask("s", "first")
        several = yield [Ask("s", m.memory) for m in memories]
        none = yield []
        assert none == []
        return [UserMemory(" ".join([one.text, *(r.text for r in several)]), user_id="u")]

    model = ScriptedModel(lambda ask: ask.prompt.upper())
    proposal, usage = drive(way, Steps(body), model)
    assert [m.memory for m in proposal.memories] == ["FIRST A B"]
    assert usage.requests == 3


class Slow:
    """Answers the later request first."""

    name, endpoint, context_tokens = "slow", "", None

    async def aanswer(self, ask):
        await asyncio.sleep(0.02 if ask.prompt == "a" else 0)
        return Reply(ask.prompt, Usage(1))


def test_requests_that_were_made_together_are_answered_together_and_in_order():
    def body(memories):
        replies = yield [Ask("s", m.memory) for m in memories]
        return [UserMemory("".join(r.text for r in replies), user_id="u")]

    assert drive("async", Steps(body), Slow())[0].memories[0].memory == "ab"


@WAYS
def test_the_body_is_closed_where_a_model_fails(way):
    closed = []

    def body(memories):
        try:
            yield Ask("s", "p")
        finally:
            closed.append(True)
        return list(memories)

    def broken(ask):
        raise RuntimeError("away")

    with pytest.raises(RuntimeError, match="away"):
        drive(way, Steps(body), ScriptedModel(broken))
    assert closed == [True]


@WAYS
@pytest.mark.parametrize("wrong", ["text", None, 5, [Ask("s", "p"), "text"], {"a": 1}])
def test_what_is_no_request_is_refused(way, wrong):
    def body(memories):
        yield wrong
        return list(memories)

    with pytest.raises(StrategyError, match="instead of a request"):
        drive(way, Steps(body), ScriptedModel())


@WAYS
def test_no_model_is_a_usage_error_where_one_is_asked_and_no_error_where_not(way):
    def asks(memories):
        yield Ask("s", "p")
        return list(memories)

    with pytest.raises(UsageError, match="--model"):
        drive(way, Steps(asks))
    assert list(drive(way, Steps(lambda memories: list(memories)))[0].memories) == [A, B]


def test_any_iterable_of_memories_is_a_result_and_nothing_else_is():
    assert list(as_proposal(iter([A, B])).memories) == [A, B]
    assert list(as_proposal((A,)).memories) == [A]
    for wrong in (None, "text", b"text", {"a": A}, 5, A):
        with pytest.raises(StrategyError, match="instead of a list of memories"):
            as_proposal(wrong)


def test_a_strategy_that_does_nothing_says_what_is_missing():
    with pytest.raises(NotImplementedError, match="neither steps"):
        MemoryOptimizationStrategy().optimize([A])


def test_new_ids_depend_on_sources_and_text_alone():
    assert new_id([A, B], "x") == new_id([A, B], "x")
    made = {new_id(*args) for args in (([A, B], "x"), ([B, A], "x"), ([A], "x"), ([], "x"), ([A, B], "y"), ([], "x\ud800"))}
    assert len(made) == 6


STORED = frozenset("abc")


def test_what_went_into_a_memory_that_goes_later_is_followed_or_not_claimed():
    first = Proposal([B, C], {"a": Decision("same", into="b", relies_on=("b",))})
    followed = compose(first, Proposal([C], {"b": Decision("same", into="c")}), STORED)
    assert followed.decisions["a"].into == "c"
    dropped = compose(first, Proposal([C], {"b": Decision("old")}), STORED)
    assert dropped.decisions["a"].into is None
    in_silence = compose(first, Proposal([C]), STORED)
    assert in_silence.decisions["a"].into is None
    assert in_silence.decisions["a"].relies_on == ("b",)


def test_sources_lead_through_memories_that_never_reach_the_store():
    middle = UserMemory("ab", "n", user_id="u", sources=("a", "b"))
    first = Proposal([C, middle], {i: Decision("merged", into="n") for i in "ab"}, ("one",))
    last = UserMemory("abc", "z", user_id="u", sources=("n", "c"))
    second = Proposal([last], {i: Decision("merged", into="z", relies_on=("n",)) for i in ("n", "c")}, ("two",))
    whole = compose(first, second, STORED)
    assert whole.memories[0].sources == ("a", "b", "c")
    assert {i: d.into for i, d in whole.decisions.items()} == dict.fromkeys("abc", "z")
    assert whole.decisions["c"].relies_on == ("a", "b")
    assert whole.notes == ("one", "two")
