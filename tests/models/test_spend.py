"""Limits stop a run before a request is sent, not after."""

from __future__ import annotations

import asyncio

import pytest

from memopt.errors import ExitCode, LimitError, UsageError
from memopt.memory import UserMemory
from memopt.models.base import Ask, Failed, Reply
from memopt.models.spend import NOT_TOLD, Spend, money
from memopt.strategies.base import Answering, MemoryOptimizationStrategy, arun, run
from memopt.testing import ScriptedModel
from memopt.usage import Price, Usage


def spend(**more):
    return Spend(len, **more)


ASKS = [Ask("sys", "prompt"), Ask("sys", "prompt 2")]


def test_without_limits_everything_passes():
    spend().asking(ASKS * 1000, Usage(10**6, 10**9, 10**9))


@pytest.mark.parametrize(("used", "most", "passes"), [(0, 2, True), (0, 1, False), (3, 5, True), (3, 4, False), (9, 2, False)])
def test_a_batch_is_sent_whole_or_not_at_all(used, most, passes):
    watch = spend(max_requests=most)
    if passes:
        watch.asking(ASKS, Usage(used))
    else:
        with pytest.raises(LimitError, match=rf"{used} requests? (is|are) sent and 2 more .* allows {most}; nothing was written"):
            watch.asking(ASKS, Usage(used))


def test_one_is_not_many():
    with pytest.raises(LimitError, match=r"^1 request is sent and 1 more is needed, and --max-requests allows 1;"):
        spend(max_requests=1).asking(ASKS[:1], Usage(1))
    watch = spend(max_requests=1)
    watch.asking(ASKS[:1], Usage(0))
    with pytest.raises(LimitError, match=r"^1 request is sent, one has to be repeated"):
        watch.repeating()
    with pytest.raises(LimitError, match=r"^the next request may cost"):
        spend(max_cost=0.1, price=Price(1_000_000, 1_000_000)).asking(ASKS[:1], Usage(0))


def test_a_request_that_is_sent_again_counts():
    watch = spend(max_requests=3)
    watch.asking(ASKS, Usage(0))
    watch.repeating()
    with pytest.raises(LimitError, match="3 requests are sent, one has to be repeated, and --max-requests allows 3"):
        watch.repeating()
    spend().repeating()


def test_the_cost_ahead_counts_what_is_sent_and_an_answer_of_its_length():
    tokens = sum(len(ask.system) + len(ask.prompt) for ask in ASKS)
    price = Price(1_000_000, 2_000_000)  # one a token in, two a token out
    spend(price=price, max_cost=tokens * 3).asking(ASKS, Usage())
    with pytest.raises(LimitError, match="may cost"):
        spend(price=price, max_cost=tokens * 3 - 0.001).asking(ASKS, Usage())


def test_what_was_spent_counts_too():
    price = Price(1_000_000, 2_000_000)
    spend(price=price, max_cost=50 + 27).asking([Ask("sys", "prompt")], Usage(1, 10, 20))
    with pytest.raises(LimitError, match="50 is spent"):
        spend(price=price, max_cost=50 + 26).asking([Ask("sys", "prompt")], Usage(1, 10, 20))


def test_the_form_of_the_answer_is_counted_as_it_is_sent():
    told = []
    watch = spend(tell=lambda asks, tokens, used: told.append(tokens))
    watch.asking([Ask("sys", "p", schema={}, schema_form="json", plain_form="plain!")], Usage())
    watch.asking([Ask("sys", "p", schema_form="json", plain_form="plain!")], Usage())
    assert told == [len("sys\n\njson") + 1, len("sys\n\nplain!") + 1]


@pytest.mark.parametrize("wrong", [{"max_requests": 0}, {"max_requests": -1}, {"max_cost": 0.0}, {"max_cost": float("nan")}])
def test_a_limit_is_above_zero(wrong):
    with pytest.raises(UsageError, match="above 0"):
        spend(price=Price(1, 1), **wrong)


def test_a_cost_needs_a_price():
    with pytest.raises(UsageError, match="--price"):
        spend(max_cost=1.0)


def test_a_limit_is_a_refusal():
    assert LimitError("").exit_code is ExitCode.REFUSED


def test_the_cost_is_told_only_where_price_and_tokens_are_known():
    assert spend().priced(Usage(1, 10, 10)).cost is None
    assert spend(price=Price(1, 1)).priced(Usage(1)).cost is None
    assert spend(price=Price(1, 3)).priced(Usage(1, 1_000_000, 2_000_000)).cost == 7
    assert spend(price=Price(1, 3)).priced(Usage(1, 1_000_000)).cost == 1


def test_progress_is_counted_batch_by_batch():
    seen = []
    watch = spend(told=lambda done, total: seen.append((done, total)))
    for batch in (ASKS, ASKS[:1]):
        watch.asking(batch, Usage())
        for ask in batch:
            watch.answered(ask, Reply("x"))
    assert seen == [(1, 2), (2, 2), (1, 1)]


class Rounds(MemoryOptimizationStrategy):
    name = "rounds"

    def steps(self, memories):
        for size in (1, 2, 3):
            yield [Ask("s", f"{size}.{n}", may_fail=True) for n in range(size)]
        return list(memories)


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize(("most", "sent"), [(1, 1), (2, 1), (3, 3), (5, 3), (6, 6)])
def test_no_driver_sends_more_than_is_allowed(way, most, sent):
    model = ScriptedModel("x")
    who = Answering(model, watch=spend(max_requests=most))
    memories = [UserMemory("a", "a", user_id="u")]

    def go():
        return run(Rounds(), memories, who) if way == "sync" else asyncio.run(arun(Rounds(), memories, who))

    if most < 6:
        with pytest.raises(LimitError):
            go()
    else:
        assert go()[1].requests == 6
    assert len(model.asked) == sent


def test_what_a_failure_took_is_counted_as_far_as_it_tells():
    from memopt.errors import AnswerRefused

    class Refusing(ScriptedModel):
        def answer(self, ask):
            raise AnswerRefused("no", requests=2, prompt_tokens=7, completion_tokens=3)

    class Once(MemoryOptimizationStrategy):
        name = "once"

        def steps(self, memories):
            reply = yield Ask("s", "p", may_fail=True)
            assert isinstance(reply, Failed)
            return list(memories)

    assert run(Once(), [], Refusing())[1] == Usage(2, 7, 3)


def test_each_request_has_the_room_that_the_limit_leaves():
    watch = spend(price=Price(1_000_000, 2_000_000), max_cost=100)
    watch.asking([Ask("sys", "prompt")], Usage())
    (room,) = watch.rooms()
    # 9 of 100 are for the request itself, a quarter more of which a service may find in it
    assert room(Usage()) == int((100 - 9 * 1.25) / 2)
    assert room(Usage(1, 9, 10)) == int((100 - 29 - 9 * 1.25) / 2)
    with pytest.raises(LimitError, match="asking once more"):
        room(Usage(1, 9, 36))
    watch.asking(ASKS, Usage())
    assert sum(each(Usage()) * 2 + each.asked for each in watch.rooms()) <= 100


def test_a_limit_that_is_just_enough_leaves_an_answer_the_length_of_its_request():
    watch = spend(price=Price(1_000_000, 2_000_000), max_cost=27)
    watch.asking([Ask("sys", "prompt")], Usage())
    assert watch.rooms()[0](Usage()) == 9


def test_no_answer_is_given_endless_room_and_none_is_bounded_without_a_limit():
    watch = spend(price=Price(1, 1), max_cost=10**6)
    watch.asking([Ask("s", "x" * 10), Ask("s", "x" * 50_000)], Usage())
    assert [each(Usage()) for each in watch.rooms()] == [16_000, 200_004]
    for free in (spend(price=Price(1, 1)), spend(max_requests=3)):
        free.asking(ASKS, Usage())
        assert free.rooms() == [None, None]
    free = spend(price=Price(1, 0), max_cost=1)  # answers cost nothing
    free.asking(ASKS, Usage())
    assert [each(Usage()) for each in free.rooms()] == [None, None]


def test_strategies_of_a_chain_share_a_limit_though_each_counts_from_nothing():
    watch = spend(price=Price(1_000_000, 1_000_000), max_cost=60, max_requests=5)
    ask = Ask("sys", "prompt")
    watch.asking([ask], Usage())
    watch.answered(ask, Reply("x", Usage(1, 9, 40)))
    with pytest.raises(LimitError, match="49 is spent"):
        watch.asking([ask], Usage())
    watch = spend(max_requests=1)
    watch.asking([ask], Usage())
    watch.answered(ask, Reply("x", Usage(1)))
    with pytest.raises(LimitError, match="1 request is sent"):
        watch.asking([ask], Usage())


def test_what_nobody_tells_is_counted_and_said():
    said = []
    watch = spend(price=Price(1_000_000, 1_000_000), max_cost=30, warn=said.append)
    ask = Ask("sys", "prompt")
    watch.asking([ask], Usage())
    watch.answered(ask, Reply("12345"))
    assert watch.notes == (NOT_TOLD,) and said == [NOT_TOLD]
    with pytest.raises(LimitError, match="14 is spent"):
        watch.asking([ask], Usage())


def test_an_answer_that_passes_the_limit_is_never_silent():
    said = []
    watch = spend(price=Price(1_000_000, 1_000_000), max_cost=30, warn=said.append)
    ask = Ask("sys", "prompt")
    watch.asking([ask], Usage())
    watch.answered(ask, Reply("x", Usage(1, 9, 20)))
    assert not said and watch.notes == ()
    watch.answered(ask, Reply("x", Usage(1, 9, 900)))
    watch.answered(ask, Reply("x", Usage(1, 9, 900)))
    assert len(said) == 1 and "938 is spent" in said[0] and "--max-cost allows 30" in said[0]


def test_amounts_are_told_without_powers_of_ten():
    assert [money(each) for each in (0.0221, 1e-06, 1.5e-07, 12.0, 1234567, 0, 0.1 + 0.2)] == [
        "0.0221",
        "0.000001",
        "0.00000015",
        "12",
        "1234567",
        "0",
        "0.3",
    ]


def test_a_third_is_exactly_a_third_of_three():
    price = Price.read("0.7/1.3")
    assert sum(price.exactly(1, 0) for _ in range(10**4)) == price.exactly(10**4, 0)
    assert price.of(3, 7) == pytest.approx(1.12e-5)


class Spare(MemoryOptimizationStrategy):
    name = "spare"

    def steps(self, memories):
        first = yield [Ask("s", "1", may_fail=True, spare=True)]
        more = yield [Ask("s", "2", may_fail=True, spare=True), Ask("s", "3", may_fail=True, spare=True)]
        assert isinstance(first[0], Reply) and all(isinstance(each, Failed) for each in more)
        return list(memories)


@pytest.mark.parametrize("way", ["sync", "async"])
def test_what_a_strategy_can_do_without_is_not_asked_and_what_was_paid_for_is_not_lost(way):
    model = ScriptedModel("x")
    memories = [UserMemory("a", "a", user_id="u")]

    def go(most):
        who = Answering(model, watch=spend(max_requests=most))
        return run(Spare(), memories, who) if way == "sync" else asyncio.run(arun(Spare(), memories, who))

    proposal, usage = go(2)
    assert usage.requests == 1 == len(model.asked)
    (note,) = proposal.notes
    assert "not asked, because 1 request is sent and 2 more are needed, and --max-requests allows 2" in note
    model.asked.clear()
    who = Answering(model, watch=spend(max_cost=0.000001, price=Price(1, 1)))  # nothing is paid for yet: nothing is lost
    with pytest.raises(LimitError):
        run(Spare(), memories, who)
    assert not model.asked
