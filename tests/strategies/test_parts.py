"""Groups that get a summary each, and parts that fit into one request: nobody is left out, nobody is in twice."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.memory import UserMemory
from memopt.strategies.parts import by_age, group, halves, split

DAY = 86_400


def memory(number, text="text", **more):
    return UserMemory(text, f"m{number}", user_id="u", **{"created_at": number * DAY, **more})


def ids(memories):
    return [item.memory_id for item in memories]


def test_all_is_one_group_oldest_first_undated_in_front():
    items = [memory(5), memory(1), memory(3, created_at=None), memory(2, updated_at=9 * DAY)]
    assert {label: ids(members) for label, members in group(items, "all").items()} == {"all": ["m3", "m1", "m5", "m2"]}


def test_a_topic_is_a_memorys_first_one_that_is_not_blank():
    items = [
        memory(1, topics=["b", "a"]),
        memory(2, topics=["a"]),
        memory(3, topics=None),
        memory(4, topics=[]),
        memory(5, topics=[" ", "a"]),
        memory(6, topics=["b"]),
    ]
    found = {label: ids(members) for label, members in group(items, "topic").items()}
    assert found == {"b": ["m1", "m6"], "a": ["m2", "m5"], "no topic": ["m3", "m4"]}


def test_a_period_is_that_of_the_last_change_in_utc():
    items = [
        memory(1, created_at=1_735_689_599),  # 2024-12-31T23:59:59Z
        memory(2, created_at=1_735_689_600),  # a second later
        memory(3, created_at=0, updated_at=1_738_368_000),  # 2025-02-01
        memory(4, created_at=None),
    ]
    months = {label: ids(members) for label, members in group(items, "month").items()}
    assert months == {"no date": ["m4"], "2024-12": ["m1"], "2025-01": ["m2"], "2025-02": ["m3"]}
    years = {label: ids(members) for label, members in group(items, "year").items()}
    assert years == {"no date": ["m4"], "2024": ["m1"], "2025": ["m2", "m3"]}


memories = st.lists(
    st.builds(
        lambda size, topics, at: (size, topics, at),
        st.integers(1, 40),
        st.none() | st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=3),
        st.none() | st.integers(0, 50),
    ),
    max_size=30,
).map(
    lambda rows: [
        UserMemory("x" * size, f"m{n}", topics=topics, created_at=None if at is None else at * DAY)
        for n, (size, topics, at) in enumerate(rows)
    ]
)


@settings(deadline=None)
@given(memories, st.sampled_from(["all", "topic", "month", "year"]))
def test_every_memory_is_in_exactly_one_group(items, per):
    groups = group(items, per)
    assert sorted(ids([m for members in groups.values() for m in members])) == sorted(ids(items))
    assert all(members and members == by_age(members) for members in groups.values())


@settings(deadline=None)
@given(memories, st.integers(1, 60))
def test_every_memory_is_in_exactly_one_part_and_no_part_is_too_large(items, room):
    parts, too_large = split(items, room, len)
    assert sorted(ids([m for part in parts for m in part] + too_large)) == sorted(ids(items))
    assert all(len(item.memory) > room for item in too_large)
    for part in parts:
        assert part and sum(len(item.memory) for item in part) <= room
        assert part == by_age(part)


@settings(deadline=None)
@given(memories, st.integers(1, 60))
def test_there_are_no_more_parts_than_twice_what_is_needed(items, room):
    parts, too_large = split(items, room, len)
    fitting = sum(len(item.memory) for item in items if item not in too_large)
    assert len(parts) <= 2 * fitting / room + 1


@settings(deadline=None)
@given(memories, st.integers(1, 60))
def test_the_given_order_changes_nothing_but_ties(items, room):
    dated = [item.but(created_at=n * DAY) for n, item in enumerate(items)]
    one, two = split(dated, room, len), split(dated[::-1], room, len)
    assert [ids(part) for part in one[0]] == [ids(part) for part in two[0]]


def test_what_fits_is_one_part_whatever_its_topics():
    items = [memory(n, "x" * 10, topics=["ab"[n % 2]]) for n in range(6)]
    assert [ids(part) for part in split(items, 60, len)[0]] == [["m0", "m1", "m2", "m3", "m4", "m5"]]


def test_a_topic_stays_together_where_it_fits():
    items = [memory(n, "x" * 10, topics=["ab"[n % 2]]) for n in range(6)]
    assert [ids(part) for part in split(items, 35, len)[0]] == [["m0", "m2", "m4"], ["m1", "m3", "m5"]]


def test_a_topic_that_is_too_large_is_cut_by_time():
    items = [memory(n, "x" * 10, topics=["a"]) for n in (3, 1, 0, 2)]
    assert [ids(part) for part in split(items, 25, len)[0]] == [["m0", "m1"], ["m2", "m3"]]


def test_what_is_left_over_is_shared_out_over_the_parts():
    items = [memory(n, "x" * 10) for n in range(23)]
    assert sorted(len(part) for part in split(items, 105, len)[0]) == [7, 8, 8]
    assert [memory_id for part in split(items, 105, len)[0] for memory_id in ids(part)] == ids(items)


def test_each_topic_that_is_too_large_is_shared_out_and_none_is_mixed_with_another():
    items = [memory(n, "x" * 10, topics=["abcdef"[n % 6]]) for n in range(120)]
    parts = split(items, 170, len)[0]
    assert [len(part) for part in parts] == [10] * 12
    assert all(len({item.topics[0] for item in part}) == 1 for part in parts)


def test_a_few_of_a_small_topic_do_not_make_a_part_of_their_own_beside_large_ones():
    items = [memory(n, "x" * 10, topics=["a"]) for n in range(2)] + [memory(n, "x" * 10, topics=["b"]) for n in range(2, 20)]
    assert sorted(len(part) for part in split(items, 105, len)[0]) == [6, 7, 7]


@settings(deadline=None)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=40), st.integers(20, 80))
def test_parts_of_one_topic_differ_by_little_more_than_a_memory(sizes, room):
    items = [memory(n, "x" * size) for n, size in enumerate(sizes)]
    filled = [sum(len(item.memory) for item in part) for part in split(items, room, len)[0]]
    greedy, left = 1, room
    for size in sizes:
        greedy, left = (greedy, left - size) if size <= left else (greedy + 1, room - size)
    assert len(filled) == greedy
    if sum(sizes) <= 0.8 * room * greedy and max(sizes) <= room / 4:
        assert max(filled) - min(filled) <= 2 * max(sizes)


def test_the_most_frequent_topic_gathers():
    items = [memory(0, "x" * 10, topics=["rare", "often"]), *(memory(n, "x" * 10, topics=["often"]) for n in (1, 2))]
    items += [memory(n, "x" * 10, topics=["other"]) for n in (3, 4)]
    assert [ids(part) for part in split(items, 30, len)[0]] == [["m0", "m1", "m2"], ["m3", "m4"]]


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_halves_are_the_whole(count):
    items = [memory(n) for n in range(count)]
    one, two = halves(items)
    assert one + two == items and len(two) - len(one) in (0, 1)
