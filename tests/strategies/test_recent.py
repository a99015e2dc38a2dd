"""``recent``: which are kept, how ties are broken, and what happens to memories without a date."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.strategies.base import run
from memopt.strategies.recent import RecentOnlyStrategy


def memory(memory_id, created=None, updated=None):
    return UserMemory(memory_id, memory_id, user_id="u", created_at=created, updated_at=updated)


def kept(memories, keep):
    return {m.memory_id for m in run(RecentOnlyStrategy(keep=keep), memories, None)[0].memories}


def test_the_last_change_counts_and_the_creation_where_there_is_none():
    memories = [memory("old touched", 1, 100), memory("old", 2, 2), memory("new", 50), memory("created last", 99, 3)]
    assert kept(memories, 2) == {"old touched", "new"}


def test_of_equally_old_ones_the_later_in_the_store_is_kept_every_time():
    memories = [memory(i, 5) for i in "abcd"]
    assert all(kept(memories, 2) == {"c", "d"} for _ in range(20))


def test_memories_without_a_date_are_kept_besides_and_reported():
    memories = [memory("a"), memory("b", 1), memory("c", 2), memory("d")]
    proposal = run(RecentOnlyStrategy(keep=1), memories, None)[0]
    assert {m.memory_id for m in proposal.memories} == {"a", "c", "d"}
    assert proposal.notes == ("2 memories without a date kept",)
    assert run(RecentOnlyStrategy(keep=9), memories[:1], None)[0].notes == ("1 memory without a date kept",)


def test_each_dropped_memory_says_how_old_it_is_and_relies_on_the_edge_of_what_is_kept():
    memories = [memory("a", 0), memory("b", 86_400), memory("c", 2 * 86_400), memory("d", 3 * 86_400)]
    proposal = run(RecentOnlyStrategy(keep=2), memories, None)[0]
    assert set(proposal.decisions) == {"a", "b"}
    assert proposal.decisions["b"].reason == "older than the 2 newest: last changed 1970-01-02"
    assert {d.relies_on for d in proposal.decisions.values()} == {("c",)}
    assert {d.into for d in proposal.decisions.values()} == {None}


def test_kept_memories_are_the_very_same_objects_in_the_same_order():
    memories = [memory(i, n) for n, i in enumerate("badc")]
    result = run(RecentOnlyStrategy(keep=3), memories, None)[0].memories
    assert [id(m) for m in result] == [id(m) for m in memories[1:]]


@given(st.lists(st.one_of(st.none(), st.integers(-5, 5)), max_size=12), st.integers(1, 14), st.randoms())
def test_it_keeps_the_newest_n_whatever_the_order(dates, keep, rng):
    memories = [memory(f"m{n}", date) for n, date in enumerate(dates)]
    result = run(RecentOnlyStrategy(keep=keep), memories, None)[0].memories
    dated = sorted((d for d in dates if d is not None), reverse=True)
    assert sorted((m.created_at for m in result if m.created_at is not None), reverse=True) == dated[:keep]
    assert sum(m.created_at is None for m in result) == dates.count(None)
    if len(set(dates)) == len(dates):
        shuffled = list(memories)
        random.Random(rng.random()).shuffle(shuffled)
        assert kept(shuffled, keep) == {m.memory_id for m in result}


@pytest.mark.parametrize("keep", [0, -1, "0", "-5", "", "many", "1.5", 1.5, "1e3", True, None, "1_0", "∞", float("nan"), [3]])
def test_keeping_nothing_by_accident_is_a_usage_error(keep):
    with pytest.raises(UsageError, match="strategy recent: option keep takes a whole number of at least 1"):
        RecentOnlyStrategy(keep=keep)


def test_without_a_number_it_asks_for_one():
    with pytest.raises(UsageError, match="needs the option keep"):
        RecentOnlyStrategy()
    assert RecentOnlyStrategy(keep="7").options.keep == 7
