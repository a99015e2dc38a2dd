"""retain: a memory goes only when no rule keeps it, and every memory says why."""

import os
import random
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.errors import GuardError, UsageError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.plan import Action, diff
from memopt.strategies.base import Proposal, run
from memopt.strategies.registry import make_chain
from memopt.strategies.retain import Duration, Policy, RetainOptions, RetainStrategy, apply_policy, dated, parse_duration

DAY = 86_400


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


NOW = at("2026-03-01")


def mem(memory_id: str, when: int | str | None = 0, text: str = "", **more: Any) -> UserMemory:
    stamp = at(when) if isinstance(when, str) else when
    more.setdefault("created_at", stamp)
    more.setdefault("updated_at", stamp)
    return UserMemory(text or f"fact {memory_id}", memory_id, user_id="u", **more)


def retain(memories: list[UserMemory], now: float = NOW, **options: Any) -> Proposal:
    strategy = RetainStrategy(**options)
    strategy.now = now
    return run(strategy, memories, None)[0]


def kept(memories: list[UserMemory], now: float = NOW, **options: Any) -> list[str | None]:
    return [item.memory_id for item in retain(memories, now, **options).memories]


def days(*ages: float, now: int = NOW) -> list[UserMemory]:
    return [mem(f"d{age:g}", int(now - age * DAY)) for age in ages]


# ------------------------------------------------------------------------------------------------------------ durations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90d", Duration(days=90)),
        ("36h", Duration(minutes=36 * 60)),
        ("2y5m7d", Duration(months=29, days=7)),
        ("2y5m", Duration(months=29)),
        ("5m7d", Duration(months=5, days=7)),
        ("5m2w", Duration(months=5, days=14)),
        ("1y5m7d2h", Duration(months=17, days=7, minutes=120)),
        ("3months", Duration(months=3)),
        ("3 months", Duration(months=3)),
        ("1mo", Duration(months=1)),
        ("90min", Duration(minutes=90)),
        ("30 d", Duration(days=30)),
        (" 2W ", Duration(days=14)),
        ("1 year 2 weeks", Duration(months=12, days=14)),
        ("0y5d", Duration(days=5)),
    ],
)
def test_durations_are_whole_numbers_with_units(text: str, expected: Duration) -> None:
    assert parse_duration(text) == expected


@pytest.mark.parametrize("text", ["1m", "3m", "1 m", "1M", "1d5m", "2h5m", "5m2h", "5m30min"])
def test_an_m_that_could_be_months_or_minutes_is_refused_with_the_choice(text: str) -> None:
    with pytest.raises(UsageError, match=r"\dmo or \dmin"):
        RetainStrategy(keep_within=text)


@pytest.mark.parametrize(
    "text",
    "30|0|0d|0y0d|-5d|+5d|1.5d|1,5d|1e9d|∞|unlimited|d|d5|5|5q|5d5d|7d2y|P1M|1000000000d|99999y|1001y|400000d|"
    "99999999999999999999999d|٣d|３０d|½d|5d -3h|5d,3h||  |90d.|10d 5".split("|"),
)
def test_what_is_no_duration_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="retain: keep-within="):
        RetainStrategy(keep_within=text)


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("1mo", "2026-02-28T12:30"),
        ("1y", "2025-03-31T12:30"),
        ("13mo", "2025-02-28T12:30"),
        ("25mo", "2024-02-29T12:30"),
        ("3mo", "2025-12-31T12:30"),
        ("1mo1d", "2026-02-27T12:30"),
        ("36h", "2026-03-30T00:30"),
    ],
)
def test_months_go_by_the_calendar_and_end_on_its_last_day(text: str, since: str) -> None:
    assert parse_duration(text).before(at("2026-03-31T12:30")) == at(since)


def test_a_duration_never_leaves_the_calendar() -> None:
    first = datetime(1, 1, 1, tzinfo=UTC).timestamp()
    assert parse_duration("1000y").before(at("0500-01-01")) == first
    assert parse_duration("1000d").before(at("0001-06-01")) == first


@given(st.integers(-60_000_000_000, 250_000_000_000), st.integers(0, 11_000), st.integers(0, 300_000), st.integers(0, 10**6))
def test_what_lies_before_is_before(epoch: int, months: int, more_days: int, minutes: int) -> None:
    duration = Duration(months, more_days, minutes)
    assert duration.before(epoch) <= epoch
    assert Duration(months + 1, more_days, minutes).before(epoch) <= duration.before(epoch)


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"keep_feedback": False},
        {"group_by": "agent"},
        {"relative_to": "now"},
        {"keep_last": None, "keep_within": None},
    ],
)
def test_an_empty_policy_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="no policy was given, so nothing is removed"):
        RetainStrategy(**options)


@pytest.mark.parametrize("key", ["keep-last", "keep-daily", "keep-weekly", "keep-monthly", "keep-yearly"])
@pytest.mark.parametrize("value", ["0", 0, -1, "-1", "1.5", "", "all", 10**30, "1" * 30, "1000001", True])
def test_a_count_that_keeps_nothing_or_is_none_is_refused(key: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"option {key} takes a whole number of at least 1"):
        RetainStrategy(**{key: value})


@pytest.mark.parametrize("key", ["keep-topic", "group-by", "keep-match"])
@pytest.mark.parametrize("value", ["", " ", ",", "a,,b"])
def test_an_empty_value_is_refused(key: str, value: str) -> None:
    if key == "keep-match" and value.strip():
        return
    with pytest.raises(UsageError, match=f"{key}.*empty"):
        RetainStrategy(**{"keep-last": 1, key: value})


@pytest.mark.parametrize("pattern", [".*", "", "x*", ".", "^", "(?s).+", "|medical", "$"])
def test_a_pattern_that_matches_every_text_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match=r"matches every text|is empty"):
        RetainStrategy(keep_match=pattern)


@pytest.mark.parametrize("pattern", ["(", "[", "*", "(?P<x", "a{99999999999}"])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="is no regular expression"):
        RetainStrategy(keep_match=pattern)


@pytest.mark.parametrize("value", ["user", "none,agent", "agent,day", "agent team"])
def test_groups_are_by_agent_team_and_topic(value: str) -> None:
    with pytest.raises(UsageError, match="takes any of agent,team,topic"):
        RetainStrategy(keep_last=1, group_by=value)


def test_without_the_present_time_nothing_is_judged() -> None:
    with pytest.raises(UsageError, match="needs the present time"):
        run(RetainStrategy(keep_last=1), days(1, 2), None)


def test_the_pure_function_refuses_an_empty_policy_too() -> None:
    with pytest.raises(UsageError, match="no policy"):
        apply_policy(days(1), Policy(), NOW)


# ---------------------------------------------------------------------------------------------------------------- rules


def test_the_last_n_are_by_the_date_of_change() -> None:
    memories = [mem("old", "2024-01-01", updated_at=at("2026-02-28")), mem("mid", "2025-06-01"), mem("new", "2026-01-01")]
    assert kept(memories, keep_last=2) == ["old", "new"]


def test_the_later_of_two_dates_counts_and_is_named() -> None:
    memories = [
        mem("touched", created_at=at("2024-01-01"), updated_at=at("2026-02-28")),
        mem("old", created_at=at("2024-01-01"), updated_at=at("2024-01-01")),
        mem("created", created_at=at("2024-01-01"), updated_at=None),
        mem("reset", created_at=at("2026-02-01"), updated_at=at("2025-02-01")),
        mem("zero", created_at=at("2026-02-02"), updated_at=0),
        mem("pinned", "2024-01-01", topics=["pinned"]),
    ]
    after = retain(memories, keep_within="365d", keep_topic="pinned")
    assert [item.memory_id for item in after.memories] == ["touched", "reset", "zero", "pinned"]
    assert after.decisions["pinned"].reason == "keep-topic=pinned"
    assert after.decisions["old"].reason == "kept by no rule: last changed 2024-01-01T00:00:00Z (updated_at)"
    assert after.decisions["created"].reason == "kept by no rule: last changed 2024-01-01T00:00:00Z (created_at)"
    assert "3 memories dated by created_at, as there is no later updated_at" in after.notes


def test_a_duration_counts_from_the_users_newest_memory_and_the_note_says_so() -> None:
    memories = days(300, 380, 400)
    after = retain(memories, keep_within="90d")
    assert [item.memory_id for item in after.memories] == ["d300", "d380"]
    assert after.notes[0] == (
        "keep-within=90d counts back from the user's newest memory (2025-05-05T00:00:00Z) and keeps what changed since "
        "2025-02-04T00:00:00Z"
    )
    assert after.decisions["d400"].relies_on == ("d300",)


def test_a_duration_may_count_from_now_and_a_dormant_user_is_pointed_out() -> None:
    after = retain(days(637, 636), relative_to="now", keep_within="365d")
    assert not after.memories
    assert after.notes == (
        "keep-within=365d counts back from now (2026-03-01T00:00:00Z) and keeps what changed since 2025-03-01T00:00:00Z",
        "the policy keeps none of the 2 memories: the newest changed 2024-06-03T00:00:00Z, 636 days ago",
    )
    assert after.decisions["d637"].relies_on == ()


def test_what_changed_right_at_the_edge_is_kept() -> None:
    edge = NOW - 30 * DAY
    assert kept([mem("a", NOW), mem("in", edge), mem("out", edge - 1)], keep_within="30d") == ["a", "in"]


def test_the_newest_of_each_day_is_kept() -> None:
    memories = [
        mem("a", "2026-02-01T23:59:59"),
        mem("b", "2026-02-01T08:00"),
        mem("c", "2026-01-31T23:59:59"),
        mem("d", "2026-01-20"),
    ]
    assert kept(memories, keep_daily=2) == ["a", "c"]
    assert kept(memories, keep_daily=3) == ["a", "c", "d"]


def test_days_are_days_that_have_a_memory_not_days_of_the_calendar() -> None:
    assert kept(days(1, 100, 200, 300), keep_daily=3) == ["d1", "d100", "d200"]


def test_weeks_are_iso_weeks_across_the_turn_of_the_year() -> None:
    memories = [mem("thu", "2026-01-01"), mem("mon", "2025-12-29"), mem("sun", "2025-12-28"), mem("old", "2025-12-01")]
    assert kept(memories, keep_weekly=2) == ["thu", "sun"]  # Monday 29 December 2025 is in week 1 of 2026
    assert kept(memories, keep_yearly=2) == ["thu", "mon"]
    assert kept(memories, keep_monthly=2) == ["thu", "mon"]


def test_while_there_are_fewer_days_than_asked_for_the_oldest_stays() -> None:
    memories = [mem("a", "2026-02-03T12:00"), mem("b", "2026-02-03T10:00"), mem("c", "2026-02-03T09:00")]
    after = retain(memories, keep_daily=7)
    assert [item.memory_id for item in after.memories] == ["a", "c"]
    assert after.decisions["c"].reason == "keep-daily=7 (the oldest)"
    assert kept(memories, keep_daily=1) == ["a"]


def test_every_rule_that_keeps_a_memory_is_named() -> None:
    memories = [mem("a", "2026-02-03", topics=["Medical"], feedback="good", text="allergic to nuts"), mem("b", "2026-02-01")]
    after = retain(
        memories,
        keep_last=1,
        keep_within="1d",
        keep_daily=1,
        keep_weekly=1,
        keep_monthly=1,
        keep_yearly=1,
        keep_topic="medical,family",
        keep_match="allerg",
        keep_feedback=True,
    )
    assert after.decisions["a"].reason == (
        "keep-within=1d, keep-topic=medical, keep-match, keep-feedback, keep-last=1, keep-daily=1, keep-weekly=1, "
        "keep-monthly=1, keep-yearly=1"
    )
    assert "keep-topic: no memory has the topic 'family'" in after.notes
    assert [item.memory_id for item in after.memories] == ["a"]


def test_none_stands_for_memories_without_topics() -> None:
    memories = [mem("a", topics=["x"]), mem("b", topics=[]), mem("c", topics=None)]
    assert kept([item.but(created_at=5, updated_at=5) for item in memories], keep_topic="none") == ["b", "c"]


def test_blank_feedback_is_none() -> None:
    assert kept([mem("a", 5, feedback=" "), mem("b", 6, feedback="ok")], keep_feedback=True) == ["b"]


def test_a_rule_with_a_pattern_is_found_anywhere_in_the_text() -> None:
    memories = [mem("a", 5, text="Is allergic to nuts"), mem("b", 6, text="对坚果过敏"), mem("c", 7, text="Likes tea")]
    assert kept(memories, keep_match="过敏|allergic") == ["a", "b"]


# --------------------------------------------------------------------------------------------------------------- groups


def test_each_group_has_the_policy_to_itself() -> None:
    memories = [
        mem("a1", 10, agent_id="a"),
        mem("a2", 20, agent_id="a"),
        mem("b1", 30, agent_id="b"),
        mem("b2", 40, agent_id="b"),
        mem("n1", 50),
    ]
    assert kept(memories, keep_last=1) == ["n1"]
    assert kept(memories, keep_last=1, group_by="agent") == ["a2", "b2", "n1"]
    assert kept(memories, keep_last=1, group_by="agent,team") == ["a2", "b2", "n1"]


def test_by_topic_a_memory_goes_only_when_every_one_of_its_groups_lets_it_go() -> None:
    memories = [
        mem("both", 10, topics=["food", "home"]),
        mem("food", 20, topics=["food"]),
        mem("old food", 5, topics=["food"]),
        mem("none", 1, topics=[]),
    ]
    assert kept(memories, keep_last=1, group_by="topic") == ["both", "food", "none"]


def test_durations_count_from_the_users_newest_memory_not_the_groups() -> None:
    memories = [*(m.but(agent_id="a") for m in days(1, 2)), *(m.but(agent_id="b") for m in days(200, 201))]
    after = retain(memories, keep_within="30d", group_by="agent")
    assert [item.memory_id for item in after.memories] == ["d1", "d2"]
    assert "agent b: none of the 2 memories stays" in after.notes


def test_of_many_groups_that_go_whole_not_every_one_is_named() -> None:
    memories = [mem("new", NOW), *(mem(f"m{n}", 1, agent_id=f"a{n}") for n in range(25))]
    notes = retain(memories, keep_within="30d", group_by="agent").notes
    assert sum("its only memory goes" in note for note in notes) == 20
    assert "5 more groups lose every memory" in notes


# ---------------------------------------------------------------------------------------------------- what no rule judges


def test_memories_without_a_date_or_dated_in_the_future_or_blank_are_kept_and_take_no_place() -> None:
    memories = [
        mem("undated", None),
        mem("zero", 0),
        mem("future", "3000-01-01"),
        mem("blank", NOW - 1, text="\u200b"),
        mem("new", NOW - 2),
        mem("old", NOW - 400 * DAY),
    ]
    after = retain(memories, keep_last=1, keep_daily=1, keep_within="30d")
    assert [item.memory_id for item in after.memories] == ["undated", "zero", "future", "blank", "new"]
    assert after.decisions["future"].reason == "kept: dated in the future"
    assert after.decisions["undated"].reason == after.decisions["zero"].reason == "kept: no readable date"
    assert {
        "2 memories without a readable date kept",
        "1 memory dated in the future kept, and not counted",
        "1 blank memory left alone",
    } <= set(after.notes)


def test_a_clock_that_is_a_little_ahead_writes_no_future() -> None:
    assert kept([mem("ahead", NOW + 60), mem("old", NOW - 60)], keep_last=1) == ["ahead"]


def test_nothing_but_undated_memories_is_kept_as_it_is() -> None:
    memories = [mem("a", None), mem("b", None)]
    for options in ({"keep_last": 1}, {"keep_within": "1d"}, {"keep_within": "1d", "relative_to": "now"}):
        assert kept(memories, **options) == ["a", "b"]


def test_protected_memories_stay_and_say_why() -> None:
    memories = [mem("new", 20), mem("old", 10, protected="topic:medical")]
    after = retain(memories, keep_last=1)
    assert list(after.memories) == memories
    assert after.decisions["old"].reason == "protected (topic:medical)"


def test_equally_old_memories_are_chosen_by_their_id_whatever_their_order() -> None:
    memories = [mem(each, 5) for each in "dacb"]
    assert {tuple(sorted(map(str, kept(random.Random(n).sample(memories, 4), keep_last=2)))) for n in range(20)} == {("a", "b")}


def test_kept_memories_are_the_very_same_objects() -> None:
    memories = days(1, 2, 3, 500)
    after = retain(memories, keep_last=3)
    assert all(a is b for a, b in zip(after.memories, memories, strict=False))


def test_the_same_memories_are_chosen_in_every_time_zone() -> None:
    stamps = (1_774_740_600, 1_774_744_200, 1_774_821_540, 1_774_823_400, 1_792_888_200, 1_792_891_800)
    memories = [mem(f"m{n}", stamp) for n, stamp in enumerate(stamps)]
    before = os.environ.get("TZ")
    seen = set()
    try:
        for zone in ("UTC", "Europe/Rome", "Asia/Kolkata", "Pacific/Kiritimati", ":bad"):
            os.environ["TZ"] = zone
            time.tzset()
            for options in ({"keep_daily": 3}, {"keep_weekly": 9}, {"keep_within": "200d"}):
                after = retain(memories, stamps[-1], **options)
                seen.add((*options, *(item.memory_id for item in after.memories), *after.notes))
    finally:
        os.environ.pop("TZ", None)
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()
    assert len(seen) == 3


# ----------------------------------------------------------------------------------------------------------- properties

_moments = st.one_of(
    st.none(),
    st.integers(NOW - 1200 * DAY, NOW + 3 * DAY),
    st.sampled_from([0, NOW, NOW - DAY, NOW - 7 * DAY, NOW - 7 * DAY + 0.5, NOW + 10**9]),
)
_memories = st.lists(
    st.builds(
        lambda created, updated, topics, agent, text, feedback, protected: UserMemory(
            text, user_id="u", created_at=created, updated_at=updated, topics=topics, agent_id=agent, feedback=feedback,
            protected=protected,
        ),
        _moments, _moments,
        st.one_of(st.none(), st.lists(st.sampled_from("xyz"), max_size=3)),
        st.sampled_from([None, "a", "b"]),
        st.sampled_from(["likes tea", "allergic", "", "tea"]),
        st.sampled_from([None, None, "good"]),
        st.sampled_from([None, None, None, "id:1"]),
    ),
    max_size=30,
).map(lambda listed: [item.but(memory_id=f"m{place}") for place, item in enumerate(listed)])  # fmt: skip
_count = st.one_of(st.none(), st.integers(1, 5))
_options = st.fixed_dictionaries(
    {
        **{f"keep_{name}": _count for name in ("last", "daily", "weekly", "monthly", "yearly")},
        "keep_within": st.sampled_from([None, "1d", "36h", "2mo", "1y"]),
        "keep_topic": st.sampled_from([None, "x", "y,none"]),
        "keep_match": st.sampled_from([None, "allergic"]),
        "keep_feedback": st.booleans(),
        "group_by": st.sampled_from(["none", "agent", "topic", "agent,topic"]),
        "relative_to": st.sampled_from(["newest", "now"]),
    }
).filter(lambda o: any(v for k, v in o.items() if k.startswith("keep")))


@settings(max_examples=300, deadline=None)
@given(_memories, _options)
def test_keep_and_remove_are_all_and_each_has_a_reason(memories: list[UserMemory], options: dict[str, Any]) -> None:
    found = apply_policy(memories, RetainStrategy(**options).policy, NOW)
    assert len(found.verdicts) == len(memories)
    stays = {item.memory_id for item, verdict in zip(memories, found.verdicts, strict=True) if verdict.keep}
    for item, verdict in zip(memories, found.verdicts, strict=True):
        assert verdict.reasons and all(verdict.reasons)
        assert set(verdict.relies_on) <= stays
        assert not (verdict.keep and verdict.relies_on)
        if item.protected or item.is_blank or not (item.updated_at or item.created_at):
            assert verdict.keep


@settings(max_examples=300, deadline=None)
@given(_memories, _options, st.randoms(use_true_random=False))
def test_a_second_run_and_another_order_change_nothing(memories: list[UserMemory], options: dict[str, Any], rng: Any) -> None:
    once = retain(memories, **options)
    again = retain(list(once.memories), **options)
    assert list(again.memories) == list(once.memories)
    shuffled = rng.sample(memories, len(memories))
    other = retain(shuffled, **options)
    assert dict(other.decisions) == dict(once.decisions)
    assert other.notes == once.notes


@settings(max_examples=200, deadline=None)
@given(_memories, _options, _options)
def test_more_rules_never_keep_less(memories: list[UserMemory], options: dict[str, Any], others: dict[str, Any]) -> None:
    fixed = {key: options[key] for key in ("group_by", "relative_to")}
    added = {key: others[key] for key in others if options[key] in (None, False)}
    some = {item.memory_id for item in retain(memories, **options).memories}
    more = {item.memory_id for item in retain(memories, **{**options, **added, **fixed}).memories}
    assert some <= more


@settings(max_examples=300, deadline=None)
@given(_memories, _options)
def test_a_rule_that_counts_lets_nothing_go_without_a_newer_one_that_stays(
    memories: list[UserMemory], options: dict[str, Any]
) -> None:
    found = apply_policy(memories, RetainStrategy(**options).policy, NOW)
    date = {item.memory_id: dated(item)[0] or 0 for item in memories}
    counts = any(options[f"keep_{name}"] for name in ("last", "daily", "weekly", "monthly", "yearly"))
    for item, verdict in zip(memories, found.verdicts, strict=True):
        if verdict.keep:
            continue
        assert bool(verdict.relies_on) or not counts
        assert all(date[other] >= date[item.memory_id] for other in verdict.relies_on)


# ------------------------------------------------------------------------------------------------------------ as a whole


def test_its_changes_are_judgements() -> None:
    memories = days(1, 500)
    after = retain(memories, keep_last=1)
    (gone,) = [change for change in diff(memories, after.memories, after.decisions) if change.action is Action.DROPPED]
    assert not gone.safe and gone.relies_on == ("d1",)


def test_the_manager_tells_it_the_time_and_refuses_to_leave_nothing(tmp_path: Any) -> None:
    import shutil
    from pathlib import Path

    db = tmp_path / "agno.db"
    shutil.copy(Path(__file__).parents[2] / "fixtures" / "agno" / "agno_v3.db", db)
    manager = MemoryManager(db, clock=lambda: at("2030-01-01"))
    before = len(manager.get_user_memories("u2").memories)
    plan = manager.optimize_memories("u2", "retain", options={"keep-within": "1y", "relative-to": "now"})
    assert not plan.memories and any("keeps none of the" in note for note in plan.notes)
    with pytest.raises(GuardError, match="leaves no memory at all"):
        manager.apply(plan)
    assert len(manager.get_user_memories("u2").memories) == before
    written = manager.optimize_memories("u2", make_chain(["retain"], {"keep-last": "5"}), apply=True)
    assert len(written) == len(manager.get_user_memories("u2").memories) == 5
    manager.undo()
    assert len(manager.get_user_memories("u2").memories) == before


def test_options_without_a_rule_come_to_no_policy() -> None:
    with pytest.raises(UsageError):
        Policy.read(RetainOptions())
