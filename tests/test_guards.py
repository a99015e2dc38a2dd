"""Guards: what may not be applied, and the sentence that says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memopt.errors import UsageError
from memopt.guards import parse_max_drop, refusals
from memopt.memory import UserMemory
from memopt.plan import Filters, Plan, StoreRef, diff
from memopt.tokens import TokenCounter


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("0", (0, False)),
        ("10", (10, False)),
        ("50%", (50, True)),
        (" 33.3 % ", (33.3, True)),
        ("0%", (0, True)),
        ("100%", (100, True)),
    ],
)
def test_a_limit_is_a_number_or_a_percentage(text, read):
    assert parse_max_drop(text) == read


@pytest.mark.parametrize(
    "text", ["", "%", "-1", "1.5", "101%", "ten", "1e3", "10 memories", "50 %%", "1_000", "+5", "∞", "nan%", "9" * 20, "0x5"]
)
def test_anything_else_is_a_usage_error_that_shows_it(text):
    with pytest.raises(UsageError, match="--max-drop") as caught:
        parse_max_drop(text)
    assert repr(text) in str(caught.value)


def plan(before, after, **more):
    counter = TokenCounter()
    return Plan(
        StoreRef("k", "l", "t"),
        "u",
        (),
        diff(before, after),
        {},
        0,
        "o200k_base",
        counter.figures(before),
        counter.figures(after),
        **more,
    )


TEN = [UserMemory(f"t{n}", f"m{n}", user_id="u", topics=["even"] if n % 2 == 0 else ["odd"]) for n in range(10)]
BLANK = [UserMemory(text, f"b{n}", user_id="u") for n, text in enumerate(("", " ", "\u200b"))]


@pytest.mark.parametrize(
    ("limit", "refused"),
    [("5", False), ("4", True), ("50%", False), ("49.9%", True), ("0", True), ("0%", True), ("100%", False), ("999", False)],
)
def test_more_than_the_limit_is_refused_and_the_limit_itself_is_not(limit, refused):
    reasons = refusals(plan(TEN, TEN[:5], max_drop=limit))
    assert bool(reasons) is refused
    if refused:
        assert f"5 of 10 memories (50%) would be dropped, more than --max-drop {limit} allows" in reasons[0]


def test_nothing_dropped_passes_the_strictest_limit():
    assert refusals(plan(TEN, TEN, max_drop="0")) == ()
    assert refusals(plan(TEN, [*TEN, UserMemory("new", user_id="u")], max_drop="0%")) == ()


def test_memories_that_went_into_another_one_count_as_dropped():
    assert refusals(plan(TEN, [UserMemory("all", "n", user_id="u", sources=[m.memory_id for m in TEN])], max_drop="9"))


@pytest.mark.parametrize("after", [[], [UserMemory("", "n", user_id="u")], [UserMemory("\u200b\n", "n", user_id="u")], BLANK])
def test_a_result_without_any_text_is_refused_unless_that_was_said(after):
    before = [*TEN, *BLANK]
    (reason,) = refusals(plan(before, after))
    assert "--allow-empty" in reason
    assert refusals(plan(before, after, allow_empty=True)) == ()


def test_a_user_who_has_nothing_to_lose_is_no_empty_result():
    assert refusals(plan([], [])) == ()
    assert refusals(plan(BLANK, [])) == ()


def test_what_the_filter_kept_from_the_strategy_does_not_hide_an_empty_result():
    odd = TEN[1::2]
    assert refusals(plan(TEN, odd, filters=Filters(topic=("even",))))
    assert not refusals(plan(TEN, odd))
    assert not refusals(plan(TEN, [*odd, TEN[0]], filters=Filters(topic=("even",))))
    assert not refusals(plan(TEN, [*odd, UserMemory("all even", user_id="u")], filters=Filters(topic=("even",))))


def test_every_guard_that_refuses_is_told():
    assert len(refusals(plan(TEN, [], max_drop="1"))) == 2
    assert len(refusals(replace(plan(TEN, [], max_drop="1"), allow_empty=True))) == 1
