"""What holds for any chain of the offline strategies: protection, order, repetition."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.agnofile import make_store, row

from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.models.builtin import BuiltinModel
from memopt.plan import Action
from memopt.protect import Protection
from memopt.strategies.registry import make_chain

DAY = 86_400
START = 1_735_689_600

SENTENCES = (
    "User lives in {city}.",
    "User moved to {city}.",
    "User works at {firm}.",
    "User likes {thing}.",
    "User does not like {thing}.",
    "User is allergic to {thing}.",
    "user likes {thing}",
    "User pays {number} EUR rent.",
    "User's phone number is +49 30 {number}.",
    "用户喜欢{thing}。",
    "User's sister {name} lives in {city}.",
    "",
)
WORDS = {
    "city": ("Berlin", "Lisbon", "Oslo"),
    "firm": ("Acme", "Zalando"),
    "thing": ("tea", "coffee", "hiking"),
    "number": ("1450", "1540"),
    "name": ("Li", "Ann"),
}
STEPS: dict[str, dict[str, Any]] = {
    "recent": {"recent.keep": 4},
    "dedupe": {},
    "retain": {"retain.keep-last": 4, "retain.keep-monthly": 2},
    "tidy": {},
    "budget": {"budget.share": "60%"},
    "supersede": {},
    "forget": {"forget.about": "phone number"},
    "summarize": {},
}


@st.composite
def texts(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(SENTENCES)).format(**{key: draw(st.sampled_from(values)) for key, values in WORDS.items()})


@st.composite
def memories(draw: st.DrawFn) -> list[tuple[str, int, tuple[str, ...]]]:
    """(text, day, topics); no two of one day, so that nothing hangs on the order of rows."""
    days = draw(st.lists(st.integers(0, 400), min_size=2, max_size=9, unique=True))
    topics = st.sampled_from([(), ("medical",), ("home", "food"), ("food",)])
    return [(draw(texts()), day, draw(topics)) for day in days]


def known() -> list[str]:
    from memopt.strategies.registry import names

    return [name for name in STEPS if name in names()]


chains = st.lists(st.sampled_from(known()), min_size=1, max_size=3, unique=True)


def plan_of(path: Any, chosen: list[str], protect: str | None = None) -> Any:
    options = {key: value for name in chosen for key, value in STEPS[name].items()}
    manager = MemoryManager(path, BuiltinModel(), clock=lambda: START + 500 * DAY)
    protection = Protection.read([protect]) if protect else None
    return manager.optimize_memories("u", make_chain(chosen, options), protection=protection, allow_empty=True)


def store_of(folder: Any, listed: list[tuple[str, int, tuple[str, ...]]]) -> Any:
    rows = [row(f"m{day}", text, user="u", at=START + day * DAY, topics=list(topics)) for text, day, topics in listed]
    return make_store(folder / "agno.db", rows)


SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SETTINGS
@given(memories(), chains)
def test_a_protected_memory_never_changes_under_any_chain(tmp_path_factory, listed, chosen):
    path = store_of(tmp_path_factory.mktemp("s"), listed)
    plan = plan_of(path, chosen, "topic:medical,match:allergic")
    for change in plan.changes:
        before = change.before
        if before is not None and ("medical" in (before.topics or ()) or "allergic" in before.memory):
            assert change.action is Action.KEPT, (chosen, before)


@SETTINGS
@given(memories(), chains, st.randoms(use_true_random=False))
def test_what_a_chain_leaves_does_not_depend_on_the_order_of_the_rows(tmp_path_factory, listed, chosen, random):
    shuffled = list(listed)
    random.shuffle(shuffled)
    one = plan_of(store_of(tmp_path_factory.mktemp("a"), listed), chosen)
    two = plan_of(store_of(tmp_path_factory.mktemp("b"), shuffled), chosen)

    def left(plan: Any) -> list[tuple[Any, ...]]:
        return sorted((m.memory, m.created_at, m.updated_at, tuple(sorted(m.topics or ()))) for m in plan)

    assert left(one) == left(two)


@SETTINGS
@given(memories(), chains)
def test_a_chain_changes_nothing_the_second_time(tmp_path_factory, listed, chosen):
    if {"budget", "retain", "forget"} & set(chosen) and len(chosen) > 1:
        return  # a share of what an earlier step left, or a rule over fewer memories, is another question
    path = store_of(tmp_path_factory.mktemp("s"), listed)
    manager = MemoryManager(path, BuiltinModel(), clock=lambda: START + 500 * DAY)
    first = plan_of(path, chosen)
    manager.apply(first)
    if not manager.store.read("u").memories or chosen == ["budget"]:
        return  # a share of a share is less again
    second = plan_of(path, chosen)
    assert not second.has_changes, [(c.action, c.memory_id, c.reason) for c in second.changes if c.action is not Action.KEPT]


@pytest.mark.parametrize("name", known())
def test_every_change_says_why_and_which_step_made_it(tmp_path, name):
    listed = [(SENTENCES[n % 11].format(**{k: v[n % len(v)] for k, v in WORDS.items()}), n * 20, ()) for n in range(22)]
    plan = plan_of(store_of(tmp_path, listed), [name])
    for change in plan.changes:
        if change.action is not Action.KEPT:
            assert change.reason and change.step == name
            assert isinstance(change.before or change.after, UserMemory)


def test_a_blank_memory_that_a_later_step_drops_is_not_told_to_be_left_alone(tmp_path):
    path = make_store(tmp_path / "a.db", [row("m1", "User likes tea", user="u"), row("m2", " ", user="u")])
    manager = MemoryManager(path)
    notes = manager.optimize_memories("u", make_chain(["supersede", "dedupe", "tidy"], {})).notes
    assert not any("left alone" in note for note in notes)
    notes = manager.optimize_memories("u", make_chain(["supersede", "dedupe"], {})).notes
    assert [note for note in notes if "left alone" in note] == ["1 blank memory left alone"]
