"""Plans as values: JSON without loss, a digest that notices every change, diff by id, and what belongs together."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.errors import MemoptError, PlanFileError, StrategyError, UsageError
from memopt.memory import UserMemory
from memopt.plan import (
    Action,
    Change,
    Decision,
    Filters,
    Plan,
    Step,
    StoreRef,
    Unreadable,
    applied_part,
    checked,
    diff,
    lineage_groups,
)
from memopt.tokens import TokenCounter, TokenFigures

texts = st.text(st.characters(), max_size=12)
optional = st.one_of(st.none(), texts)
times = st.one_of(st.none(), st.integers(-62135596800, 99_999_999_999), st.floats(-6e10, 9e10))
ids = st.text(st.characters(), min_size=1, max_size=6)


@st.composite
def memories(draw, memory_id=None):
    return UserMemory(
        draw(texts),
        memory_id if memory_id is not None else draw(ids),
        topics=draw(st.one_of(st.none(), st.lists(texts, max_size=3))),
        user_id=draw(optional),
        input=draw(optional),
        feedback=draw(optional),
        agent_id=draw(optional),
        team_id=draw(optional),
        created_at=draw(times),
        updated_at=draw(times),
        prompt_text=draw(optional),
        sources=draw(st.lists(ids, max_size=2)),
    )


@st.composite
def changes(draw):
    action = draw(st.sampled_from(Action))
    before = None if action is Action.ADDED else draw(memories())
    after = before if action is Action.KEPT else None if action is Action.DROPPED else draw(memories())
    return Change(
        action,
        draw(ids),
        before,
        after,
        reason=draw(texts),
        into=draw(optional),
        sources=tuple(draw(st.lists(ids, max_size=2))),
        relies_on=tuple(draw(st.lists(ids, max_size=2))),
        tokens_before=draw(st.integers(0, 9)),
        tokens_after=draw(st.integers(0, 9)),
    )


figures = st.builds(TokenFigures, *[st.integers(0, 10**9)] * 3)
options = st.dictionaries(texts, st.one_of(texts, st.integers(), st.booleans()))
plans = st.builds(
    Plan,
    store=st.builds(StoreRef, texts, texts, texts),
    user_id=optional,
    steps=st.lists(
        st.builds(Step, texts, st.dictionaries(texts, st.one_of(texts, st.integers(), st.booleans()))), max_size=2
    ).map(tuple),
    changes=st.lists(changes(), max_size=4).map(tuple),
    fingerprints=st.dictionaries(ids, texts, max_size=3),
    made_at=st.one_of(st.integers(0, 4_000_000_000), st.floats(0, 4e9)),
    encoding=texts,
    tokens_before=figures,
    tokens_after=figures,
    unreadable=st.lists(st.builds(Unreadable, texts, texts, optional), max_size=2).map(tuple),
    filters=st.builds(Filters, *[st.lists(texts, max_size=2).map(tuple)] * 3),
    model=st.one_of(st.none(), st.fixed_dictionaries({"name": texts, "endpoint": texts})),
    notes=st.lists(texts, max_size=2).map(tuple),
    max_drop=st.sampled_from([None, "3", "50%"]),
    allow_empty=st.booleans(),
)


@settings(max_examples=60)
@given(plans)
def test_a_plan_goes_to_json_and_back_without_loss(plan):
    text = plan.to_json()
    assert text.isascii()
    again = Plan.from_json(text)
    assert again == plan
    assert [(c.before and c.before.prompt_text, c.after and c.after.sources) for c in again.changes] == [
        (c.before and c.before.prompt_text, c.after and c.after.sources) for c in plan.changes
    ]
    assert again.to_dict() == plan.to_dict()
    assert Plan.from_json(plan.to_json(indent=None).encode()) == plan


def example() -> Plan:
    before = [UserMemory(f"text {n}", f"m{n}", user_id="u", topics=["t"], created_at=n, updated_at=n + 0.5) for n in range(4)]
    after = [before[0], before[1].but(memory="other"), UserMemory("new", "n", user_id="u", sources=("m2", "m3"))]
    decisions = {"m2": Decision("into the new one", into="n"), "m3": Decision("same", into="m0", relies_on=("m0",))}
    counter = TokenCounter()
    return Plan(
        StoreRef("agno-sqlite", "/x/agno.db", "agno_memories"),
        "u",
        (Step("recent", {"keep": 3}), Step("dedupe", {"near": True})),
        diff(before, after, decisions, count=counter.text, now=99),
        {f"m{n}": "f" * 64 for n in range(4)},
        1_767_258_000,
        "o200k_base",
        counter.figures(before),
        counter.figures(after),
        unreadable=(Unreadable("bad", "memory is not JSON", "u"),),
        filters=Filters(topic=("t",)),
        notes=("a note",),
        max_drop="80%",
    )


def leaves(data, path=()):
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list) and data:
        for place, value in enumerate(data):
            yield from leaves(value, (*path, place))
    else:
        yield path


def other(value):
    if isinstance(value, bool) or value is None:
        return "x" if value is None else not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value + " "
    return "x"


ALL_LEAVES = [path for path in leaves(example().to_dict()) if path not in (("format",), ("version",))]


def at(data, path):
    for key in path:
        data = data[key]
    return data


def test_a_changed_value_anywhere_is_refused():
    whole = example().to_dict()
    assert len(ALL_LEAVES) > 100
    for path in ALL_LEAVES:
        data = copy.deepcopy(whole)
        at(data, path[:-1])[path[-1]] = other(at(data, path))
        with pytest.raises(PlanFileError) as caught:
            Plan.from_json(json.dumps(data))
        assert caught.value.exit_code == 5
        assert "\n" not in str(caught.value)


def test_a_value_that_is_taken_away_or_put_in_is_refused():
    whole = example().to_dict()
    for path in ALL_LEAVES:
        data = copy.deepcopy(whole)
        del at(data, path[:-1])[path[-1]]
        with pytest.raises(PlanFileError):
            Plan.from_dict(data)
    for path in ((), ("store",), ("guards",), ("changes", 0), ("changes", 0, "before")):
        data = copy.deepcopy(whole)
        at(data, path)["allow_everything"] = True
        with pytest.raises(PlanFileError):
            Plan.from_dict(data)
    data = copy.deepcopy(whole)
    data["changes"].reverse()
    with pytest.raises(PlanFileError):
        Plan.from_dict(data)


@pytest.mark.parametrize("version", [0, 2, "1", None, 1.5, []])
def test_another_version_is_refused_with_both_versions(version):
    with pytest.raises(PlanFileError, match=r"version .*this memopt reads version 1"):
        Plan.from_dict({**example().to_dict(), "version": version})


def test_true_is_not_the_version_1():
    with pytest.raises(PlanFileError):
        Plan.from_dict({**example().to_dict(), "version": True})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "5",
        '"x"',
        "{}",
        '{"format": "other", "version": 1}',
        "\ufeff{}",
        "[" * 100000,
        b"\xff\xfe",
        b"\x00",
        "9" * 5000,
        '{"format": null}',
        "NaN",
    ],
)
def test_what_is_no_plan_is_a_usage_error(text):
    with pytest.raises(UsageError, match="not a memopt plan") as caught:
        Plan.from_json(text)
    assert "\n" not in str(caught.value)


def resealed(data):
    """What a later memopt of the same version may write: more keys, and a digest that fits."""
    from memopt.plan import _digest

    body = {key: value for key, value in data.items() if key != "sha256"}
    return {**body, "sha256": _digest(body)}


def test_keys_that_a_later_memopt_adds_are_ignored():
    data = example().to_dict()
    for path in (
        (),
        ("store",),
        ("usage",),
        ("filters",),
        ("guards",),
        ("tokens", "before"),
        ("changes", 0),
        ("changes", 1, "after"),
    ):
        at(data, path)["added_later"] = ["anything"]
    data["unreadable"][0]["added_later"] = 1
    assert Plan.from_dict(resealed(data)) == example()


@settings(max_examples=80)
@given(st.data())
def test_a_damaged_plan_with_a_fitting_digest_is_an_error_of_ours_and_no_traceback(data):
    body = example().to_dict()
    path = data.draw(st.sampled_from([p for p in ALL_LEAVES if p != ("sha256",)]))
    path = path[: data.draw(st.integers(1, len(path)))]
    junk = st.sampled_from([None, 5, -1, "x", [], {}, [None], {"a": 1}, True, 1e300, 10**400])
    at(body, path[:-1])[path[-1]] = data.draw(junk)
    try:
        Plan.from_dict(resealed(body))
    except MemoptError as error:
        assert "\n" not in str(error)


# -- diff ----------------------------------------------------------------------------------------------------------------


@st.composite
def before_and_after(draw):
    names = draw(st.lists(st.integers(0, 30), unique=True, max_size=8))
    before = [UserMemory(f"t{n}", f"m{n}", user_id="u", created_at=n) for n in names]
    after = []
    for item in before:
        what = draw(st.sampled_from(["same", "equal", "other", "gone"]))
        if what == "same":
            after.append(item)
        elif what == "equal":
            after.append(UserMemory(item.memory, item.memory_id, user_id="u", created_at=item.created_at))
        elif what == "other":
            after.append(item.but(memory=item.memory + "!"))
    new = draw(st.lists(st.integers(100, 120), unique=True, max_size=4))
    after += [UserMemory(f"t{n}", f"n{n}", user_id="u") for n in new]
    return before, draw(st.permutations(after))


@given(before_and_after())
def test_diff_is_by_id_and_loses_nothing(pair):
    before, after = pair
    made = diff(before, after, now=7)
    old, new = {m.memory_id: m for m in before}, {m.memory_id: m for m in after}
    assert [c.memory_id for c in made] == [*old, *(m.memory_id for m in after if m.memory_id not in old)]
    for change in made:
        i = change.memory_id
        assert change.before is old.get(i)
        expected = (
            Action.ADDED
            if i not in old
            else Action.DROPPED
            if i not in new
            else Action.KEPT
            if new[i].content() == old[i].content()
            else Action.REVISED
        )
        assert change.action is expected
        if expected is Action.KEPT:
            assert change.after is change.before
        if expected is Action.ADDED:
            assert (change.after.memory, change.after.created_at, change.after.updated_at) == (new[i].memory, 7, 7)
        assert change.reason or expected is Action.KEPT


@given(before_and_after())
def test_the_inverse_of_a_diff_is_a_diff(pair):
    before, after = pair
    there = [c.after for c in diff(before, after, now=7) if c.after is not None]
    back = diff(there, before)
    assert {c.memory_id: c.after for c in back if c.after is not None} == {m.memory_id: m for m in before}
    turned = {
        Action.KEPT: Action.KEPT,
        Action.REVISED: Action.REVISED,
        Action.DROPPED: Action.ADDED,
        Action.ADDED: Action.DROPPED,
    }
    assert {c.memory_id: c.action for c in back} == {c.memory_id: turned[c.action] for c in diff(before, after)}


M = [UserMemory(f"t{n}", f"m{n}", user_id="u", created_at=10 + n, updated_at=20 + n) for n in range(3)]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ([None], "NoneType"),
        (["text"], "str"),
        ([{"memory": "x"}], "dict"),
        ([UserMemory(None, "x", user_id="u")], "NoneType"),
        ([UserMemory(5, "x", user_id="u")], "int"),
        ([M[0], M[0]], "m0 twice"),
        ([M[0], M[0].but(memory="other")], "m0 twice"),
        ([UserMemory("x", "x", user_id="v")], "another user"),
        ([UserMemory("x", "x", user_id=None)], "another user"),
        ([M[0].but(user_id="U")], "another user"),
        ([UserMemory("x", "", user_id="u")], "empty"),
        ([UserMemory("x", 5, user_id="u")], "memory_id is int"),
        ([UserMemory("x", "\ud800", user_id="u")], "lone surrogate"),
        ([UserMemory("x", topics=[1], user_id="u")], "topic"),
        ([UserMemory("x", topics=[None], user_id="u")], "topic"),
        ([UserMemory("x", feedback=b"x", user_id="u")], "feedback is bytes"),
        ([UserMemory("x", agent_id=["a"], user_id="u")], "agent_id is list"),
        ([M[0].but(input=1.5)], "input is float"),
    ],
)
def test_what_a_strategy_may_not_return_is_refused_with_its_reason(after, said):
    with pytest.raises(StrategyError, match=said):
        diff(M, after)
    with pytest.raises(StrategyError, match=said):
        checked(M, after)


def test_a_value_that_was_stored_that_way_may_stay_that_way():
    odd = UserMemory("x", "m", user_id="u", feedback="\udcff", input="\udc80")
    assert diff([odd], [odd.but(memory="y")])[0].changed_fields == ("memory",)


def test_a_new_memory_takes_the_dates_of_its_sources_and_relies_on_them():
    made = diff(M, [UserMemory("new", user_id="u", sources=("m1", "m2", "gone"))], now=99)
    (added,) = [c for c in made if c.action is Action.ADDED]
    assert (added.after.created_at, added.after.updated_at) == (11, 22)
    assert set(added.relies_on) >= {"m1", "m2"}


def test_a_memory_without_an_id_gets_the_same_one_every_time_and_never_a_taken_one():
    new = [UserMemory("new", user_id="u"), UserMemory("new", user_id="u"), UserMemory("other", user_id="u")]
    first, second = ([c.memory_id for c in diff(M, [*M, *new])] for _ in range(2))
    assert first == second
    assert len(set(first)) == 6
    stored = [*M, UserMemory("new", first[3], user_id="u")]
    again = diff(stored, [*stored, UserMemory("new", user_id="u")])
    assert [c.action for c in again].count(Action.ADDED) == 1


def test_changed_fields_name_what_differs():
    (change,) = diff([M[0]], [M[0].but(memory="x", topics=["a"], updated_at=1)])
    assert change.changed_fields == ("memory", "topics", "updated_at")


# -- lineage -------------------------------------------------------------------------------------------------------------


def groups(before, after, decisions=None):
    numbers = lineage_groups(diff(before, after, decisions))
    by_number = {}
    for memory_id, number in numbers.items():
        by_number.setdefault(number, set()).add(memory_id)
    return sorted(map(sorted, by_number.values()))


MANY = [UserMemory(f"t{n}", f"m{n}", user_id="u") for n in range(6)]


def test_what_was_merged_belongs_together_and_nothing_else_does():
    decisions = {
        "m1": Decision("same", into="m0", relies_on=("m0",)),
        "m3": Decision("same", into="n"),
        "m5": Decision("old", relies_on=("m4",)),
    }
    new = UserMemory("n", "n", user_id="u", sources=("m2", "m3"))
    found = groups(MANY, [MANY[0].but(memory="x"), MANY[4], new], decisions)
    assert found == [["m0", "m1"], ["m2", "m3", "n"], ["m5"]]


def test_a_kept_memory_ties_nothing_together():
    decisions = {f"m{n}": Decision("same", into="m0", relies_on=("m0",)) for n in (1, 2, 3)}
    assert groups(MANY, [MANY[0], *MANY[4:]], decisions) == [["m1"], ["m2"], ["m3"]]


def test_memories_that_went_nobody_knows_where_belong_to_every_text_of_unknown_origin():
    assert groups(MANY, [MANY[0], UserMemory("sum", "s", user_id="u")]) == [["m1", "m2", "m3", "m4", "m5", "s"]]
    assert groups(MANY, [MANY[0].but(memory="all"), *MANY[2:]]) == [["m0", "m1"]]
    assert groups(MANY, MANY[2:]) == [["m0"], ["m1"]]
    assert groups(MANY, [MANY[0].but(memory="x"), MANY[1].but(memory="y"), *MANY[2:]]) == [["m0"], ["m1"]]


def test_the_part_that_was_applied_keeps_what_was_left_out_and_counts_anew():
    plan = example()
    counter = TokenCounter()
    part = applied_part(plan, frozenset({"m2", "n"}), counter.figures)
    assert part.counts == {"kept": 2, "revised": 1, "dropped": 1, "added": 0}
    assert part.tokens_after == counter.figures(part.memories)
    assert [m.memory_id for m in part] == ["m0", "m1", "m2"]
    assert applied_part(plan, frozenset(), counter.figures) is plan


def test_a_plan_is_the_sequence_of_the_memories_that_result():
    plan = example()
    assert [m.memory_id for m in plan] == ["m0", "m1", "n"]
    assert len(plan) == 3 and plan[-1].memory == "new" and [m.memory_id for m in plan[:2]] == ["m0", "m1"]
    assert plan[0] in plan and M[2] not in plan
    assert plan.strategy == "recent+dedupe"
    assert plan.has_changes
    assert plan.saved == plan.tokens_before.prompt - plan.tokens_after.prompt
    assert plan.reduction == pytest.approx(plan.saved / plan.tokens_before.prompt)


@pytest.mark.parametrize(
    ("filters", "seen"),
    [
        (Filters(), "abcd"),
        (Filters(agent=("x",)), "a"),
        (Filters(agent=("none",)), "bcd"),
        (Filters(agent=("x", "none")), "abcd"),
        (Filters(topic=("t",)), "ac"),
        (Filters(topic=("none",)), "bd"),
        (Filters(topic=("t",), agent=("none",)), "c"),
        (Filters(team=("y",)), "d"),
        (Filters(topic=("T",)), ""),
    ],
)
def test_filters_say_what_a_strategy_sees(filters, seen):
    listed = [
        UserMemory("x", "a", agent_id="x", topics=["t", "s"]),
        UserMemory("x", "b", topics=[]),
        UserMemory("x", "c", topics=["t"]),
        UserMemory("x", "d", team_id="y"),
    ]
    assert "".join(m.memory_id for m in listed if filters.admits(m)) == seen
    assert bool(filters) == (filters != Filters())
