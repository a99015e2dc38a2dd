"""UserMemory: times in every form, what counts as content, blankness, and the small folds over lists."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agnofile import clean_environment

from memopt.memory import CONTENT_FIELDS, UserMemory, iso_utc, newest, oldest, to_epoch, unanimous, unite_topics

SHANGHAI = timezone(timedelta(hours=8))


@pytest.mark.parametrize(
    ("value", "epoch"),
    [
        (None, None),
        ("", None),
        ("  \n", None),
        (0, 0),
        (1767258000, 1767258000),
        (1767258000.0, 1767258000),
        (1767258000.25, 1767258000.25),
        ("1767258000", 1767258000),
        (" 1767258000.5 ", 1767258000.5),
        ("-5", -5),
        (1767258000000, 1767258000),
        (1767258000123456, 1767258000.123456),
        ("2026-01-01T09:00:00Z", 1767258000),
        ("2026-01-01 09:00:00", 1767258000),
        ("2026-01-01 17:00:00+08:00", 1767258000),
        ("2026-01-01T09:00:00.500000+00:00", 1767258000.5),
        ("2026-01-01", 1767225600),
        (datetime(2026, 1, 1, 9), 1767258000),
        (datetime(2026, 1, 1, 9, tzinfo=UTC), 1767258000),
        (datetime(2026, 1, 1, 17, tzinfo=SHANGHAI), 1767258000),
        ("1950-01-01T00:00:00Z", -631152000),
    ],
)
def test_times_are_read_in_every_form(value, epoch):
    got = to_epoch(value)
    assert got == epoch
    assert type(got) is type(epoch)


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        "yesterday",
        "2026-13-01",
        "nan",
        "inf",
        float("nan"),
        float("inf"),
        float("-inf"),
        b"5",
        [5],
        {},
        10**18,
        10**400,
        -(10**400),
        "9" * 5000,
        1e300,
        99999999999999999,  # read as microseconds it would be 1973, and the oldest of all
        "99999999999999999",
        200_000_000_000,
        -1e12,
        253402300800 * 10**6,
    ],
)
def test_what_is_no_time_is_a_value_error_and_nothing_else(value):
    with pytest.raises(ValueError):
        to_epoch(value)


@given(st.one_of(st.integers(-62135596800, 253402300799), st.floats(-6e10, 9e10)))
def test_reading_a_time_twice_changes_nothing(value):
    try:
        once = to_epoch(value)
    except ValueError:
        return  # tested above
    assert to_epoch(once) == once
    assert to_epoch(str(once)) == once


@given(st.integers(-62135596800, 253402300799))
def test_iso_text_and_epoch_are_one(epoch):
    text = iso_utc(epoch)
    assert text.endswith("Z")
    if abs(epoch) < 1e11:
        assert to_epoch(text) == epoch


def test_the_time_zone_of_the_machine_moves_nothing():
    code = (
        "from memopt.memory import UserMemory\n"
        "m = UserMemory('x', created_at='2026-01-01 09:00:00', updated_at=1767258000)\n"
        "n = UserMemory.from_dict(m.to_dict())\n"
        "print(m.created_at, n == m, m.to_dict()['created_at'])"
    )
    for zone in ("UTC", "Asia/Shanghai", "America/New_York"):
        env = clean_environment(TZ=zone)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True, cwd=os.getcwd())
        assert done.stdout == "1767258000 True 2026-01-01T09:00:00Z\n"


texts = st.text(st.characters(), max_size=20)
times = st.one_of(st.none(), st.integers(-62135596800, 99_999_999_999))
memories = st.builds(
    UserMemory,
    memory=texts,
    memory_id=st.one_of(st.none(), texts),
    topics=st.one_of(st.none(), st.lists(texts, max_size=3)),
    user_id=st.one_of(st.none(), texts),
    input=st.one_of(st.none(), texts),
    feedback=st.one_of(st.none(), texts),
    agent_id=st.one_of(st.none(), texts),
    team_id=st.one_of(st.none(), texts),
    created_at=times,
    updated_at=times,
)


@given(memories)
def test_to_dict_and_back_is_the_same_memory(memory):
    assert UserMemory.from_dict(memory.to_dict()) == memory


@given(memories, memories)
def test_content_is_equal_exactly_where_all_content_fields_are(a, b):
    assert (a.content() == b.content()) == all(getattr(a, n) == getattr(b, n) for n in CONTENT_FIELDS)


def test_none_and_no_topics_are_two_things():
    assert UserMemory("x", topics=None) != UserMemory("x", topics=[])
    assert UserMemory("x", topics=["a"]).topics == ("a",)
    with pytest.raises(TypeError):
        UserMemory("x", topics="music")


def test_a_memory_cannot_be_changed_in_place():
    memory = UserMemory("x", topics=["a"])
    with pytest.raises(AttributeError):
        memory.memory = "y"
    assert hash(memory) == hash(UserMemory("x", topics=("a",)))


def test_raw_sources_and_what_is_injected_are_no_part_of_equality_and_raw_is_never_shown():
    memory = UserMemory("x", raw={"secret": 1}, sources=["a"], prompt_text="{'memory': 'x'}")
    assert memory == UserMemory("x")
    assert "secret" not in repr(memory)


def test_a_changed_text_is_also_what_is_injected():
    memory = UserMemory("x", prompt_text="{'memory': 'x'}")
    assert memory.in_prompt == "{'memory': 'x'}"
    assert memory.but(topics=["t"]).in_prompt == "{'memory': 'x'}"
    assert memory.but(memory="y").in_prompt == "y"


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b", "\ufeff", "\u00a0\u3000", "\x00\x1b", "\u2028", "\u00ad", "\u202e"])
def test_nothing_readable_is_blank(text):
    assert UserMemory(text).is_blank


@pytest.mark.parametrize("text", ["a", ".", "日", "🎻", "\u200ba", "0", "-", "\u0db2\ud7fc", "\U000323af"])
def test_anything_readable_is_not_blank(text):
    assert not UserMemory(text).is_blank


def test_last_changed_is_the_update_else_the_creation():
    assert UserMemory("x", created_at=1, updated_at=2).last_changed == 2
    assert UserMemory("x", created_at=1).last_changed == 1
    assert UserMemory("x", created_at=5, updated_at=0).last_changed == 0
    assert UserMemory("x").last_changed is None


def test_topics_are_united_in_order_of_first_appearance():
    several = [UserMemory("x", topics=t) for t in (["b", "a"], None, ["c", "a"], [])]
    assert unite_topics(several) == ("b", "a", "c")
    assert unite_topics([UserMemory("x")]) is None
    assert unite_topics([UserMemory("x", topics=[]), UserMemory("y")]) == ()
    assert unite_topics([]) is None


def test_unanimous_counts_none_as_a_value_of_its_own():
    assert unanimous(["a", "a"]) == "a"
    assert unanimous(["a", None]) is None
    assert unanimous(["a", "b"]) is None
    assert unanimous([None, None]) is None
    assert unanimous([]) is None


def test_oldest_and_newest_pass_over_what_is_not_known():
    assert oldest([None, 3, 1.5]) == 1.5
    assert newest([None, 3, 1.5]) == 3
    assert oldest([None]) is None
    assert newest([]) is None
    assert oldest([0, None]) == 0
