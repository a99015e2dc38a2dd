"""The one road, synchronous and on an event loop: what is asked, what is refused, and that nothing is written unsaid."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace

import pytest
from support.agnofile import FIXTURES, copy_store, dump, make_store, row
from support.doing import Does

from memopt.errors import ConflictError, GuardError, ModelError, PlanFileError, StrategyError, UnknownUser, UsageError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.models.base import Ask
from memopt.plan import Action, Decision, Filters, Plan
from memopt.strategies.base import MemoryOptimizationStrategy, Proposal
from memopt.strategies.dedupe import DedupeStrategy
from memopt.strategies.recent import RecentOnlyStrategy
from memopt.strategies.registry import MemoryOptimizationStrategyType, make_chain
from memopt.testing import ScriptedModel


class Asks(MemoryOptimizationStrategy):
    """One request for each memory, all at once, then one for all."""

    name = "asks"
    needs_model = True

    def steps(self, memories):
        replies = yield [Ask("each", item.memory) for item in memories]
        last = yield Ask("all", "\n".join(reply.text for reply in replies))
        ids = tuple(item.memory_id for item in memories)
        return Proposal([UserMemory(last.text, "sum", user_id=memories[0].user_id, sources=ids)])


ROWS = [row(f"m{n}", f"fact number {n}", at=100 + n, topics=["even" if n % 2 == 0 else "odd"]) for n in range(6)]


@pytest.fixture
def path(tmp_path):
    return make_store(tmp_path / "agno.db", [*ROWS, row("z", "other", user="u2")], journal="wal")


def manager(path, model=None, **more):
    return MemoryManager(path, model, clock=lambda: 1_800_000_000, **more)


def optimize(way, one, *args, **more):
    if way == "sync":
        return one.optimize_memories(*args, **more)
    return asyncio.run(one.aoptimize_memories(*args, **more))


WAYS = pytest.mark.parametrize("way", ["sync", "async"])


def echo(ask):
    return ask.prompt


@pytest.mark.parametrize(
    "make",
    [
        lambda: RecentOnlyStrategy(keep=2),
        DedupeStrategy,
        Asks,
        lambda: Does(lambda ms: [ms[0].but(memory="x"), *ms[2:]]),
        lambda: [DedupeStrategy(), RecentOnlyStrategy(keep=3), Asks()],
    ],
)
def test_both_ways_give_the_same_plan(path, make):
    models = ScriptedModel(echo), ScriptedModel(echo)
    first = optimize("sync", manager(path, models[0]), "u1", make())
    second = optimize("async", manager(path, models[1]), "u1", make())
    assert first == second
    assert first.to_json() == second.to_json()
    assert sorted(a.prompt for a in models[0].asked) == sorted(a.prompt for a in models[1].asked)


def test_both_ways_take_the_same_arguments():
    one, other = MemoryManager.optimize_memories, MemoryManager.aoptimize_memories
    assert str(inspect.signature(one)) == str(inspect.signature(other))
    assert inspect.signature(one).parameters["apply"].default is False


@WAYS
def test_nothing_is_written_unless_apply_is_said(tmp_path, path, way):
    def everything():
        return {p.name: (p.read_bytes(), p.stat().st_mtime_ns, p.stat().st_ino) for p in tmp_path.iterdir()}

    before = everything()
    one = manager(path, ScriptedModel(echo))
    for strategy in (Asks(), RecentOnlyStrategy(keep=1), DedupeStrategy(), Does(lambda ms: [])):
        plan = optimize(way, one, "u1", strategy)
        assert plan.run is None
        assert everything() == before
    one.users(), one.history(), one.get_user_memories("u1")
    assert everything() == before


@WAYS
def test_what_was_shown_is_what_is_written_and_no_model_is_asked_again(path, way):
    answers = iter(range(100))
    model = ScriptedModel(lambda ask: ask.prompt + "!" * next(answers))
    one = manager(path, model)
    plan = optimize(way, one, "u1", Asks())
    asked = len(model.asked)
    one.apply(Plan.from_json(plan.to_json()))
    assert len(model.asked) == asked == 7
    assert [m.memory for m in one.get_user_memories("u1").memories] == [m.memory for m in plan]
    assert plan.usage.requests == 7 and plan.model == {"name": "scripted", "endpoint": "test:"}


@WAYS
def test_apply_writes_and_names_its_run(path, way):
    one = manager(path)
    plan = optimize(way, one, "u1", RecentOnlyStrategy(keep=2), apply=True)
    assert [run.run_id for run in one.history()] == [plan.run]
    assert [m.memory_id for m in one.get_user_memories("u1").memories] == ["m4", "m5"]
    assert one.undo(plan.run).undoes == plan.run


def test_a_strategy_that_needs_no_model_names_none_and_asks_none(path):
    class Forbidden:
        name, endpoint, context_tokens = "gpt", "https://api", None

        def answer(self, ask):
            raise AssertionError("a model was asked")

    plan = manager(path, Forbidden()).optimize_memories("u1", "recent", options={"keep": 2})
    assert plan.model is None and plan.usage.requests == 0


@WAYS
def test_a_strategy_that_needs_a_model_says_so_where_there_is_none(path, way):
    before = dump(path, own=True)
    with pytest.raises(UsageError, match="--model"):
        optimize(way, manager(path), "u1", Asks(), apply=True)
    assert dump(path, own=True) == before


@WAYS
def test_a_model_that_fails_leaves_everything_as_it_was(path, way):
    def broken(ask):
        raise ModelError("the service is away")

    before = dump(path, own=True)
    with pytest.raises(ModelError, match="the service is away"):
        optimize(way, manager(path, ScriptedModel(broken)), "u1", Asks(), apply=True)
    assert dump(path, own=True) == before


# -- which strategy ------------------------------------------------------------------------------------------------------


def test_a_strategy_is_named_by_type_name_or_instance(path):
    one = manager(path)
    by = [MemoryOptimizationStrategyType.RECENT, "recent"]
    plans = [one.optimize_memories("u1", each, options={"keep": 2}) for each in by]
    plans.append(one.optimize_memories("u1", RecentOnlyStrategy(keep=2)))
    assert plans[0] == plans[1] == plans[2]
    assert plans[0].steps[0].options == {"keep": 2}


def test_a_list_is_a_chain_and_so_is_make_chain(path):
    one = manager(path)
    first = one.optimize_memories("u1", [DedupeStrategy(), RecentOnlyStrategy(keep=2)])
    second = one.optimize_memories("u1", make_chain(["dedupe", "recent"], {"keep": "2"}))
    assert first == second
    assert first.strategy == "dedupe+recent"
    assert first.counts["dropped"] == 4


@pytest.mark.parametrize(
    ("strategy", "more", "said"),
    [
        ("nope", {}, "no strategy 'nope'"),
        ([], {}, "no strategy given"),
        ("recent", {}, "needs the option keep"),
        ("recent", {"options": {"keep": 0}}, "at least 1"),
        ("recent", {"options": {"kepp": 1}}, "no option 'kepp'; its options: keep"),
        (RecentOnlyStrategy, {}, "is a class"),
        (RecentOnlyStrategy(keep=1), {"options": {"keep": 1}}, "instance"),
        (["dedupe", "recent"], {"options": {"keep": 1}}, "make_chain"),
        (RecentOnlyStrategy(keep=1), {"max_drop": "lots"}, "--max-drop"),
        (RecentOnlyStrategy(keep=1), {"on_conflict": "Skip"}, "'stop' or 'skip'"),
    ],
)
@WAYS
def test_a_wrong_argument_is_a_usage_error_before_anything_is_asked(path, way, strategy, more, said):
    model = ScriptedModel()
    with pytest.raises(UsageError, match=said):
        optimize(way, manager(path, model), "u1", strategy, **more)
    assert not model.asked


class ForAgno:
    """As Agno's documentation shows a custom strategy: no base class of memopt's, both methods its own."""

    def __init__(self, keep=2):
        self.keep = keep

    def optimize(self, memories, model):
        assert model is None
        return sorted(memories, key=lambda m: m.updated_at or m.created_at, reverse=True)[: self.keep]

    async def aoptimize(self, memories, model):
        await asyncio.sleep(0)
        return self.optimize(memories, model)


class ForAgnoWithBase(ForAgno, MemoryOptimizationStrategy):
    name = "for-agno"


class SyncOnly(MemoryOptimizationStrategy):
    def optimize(self, memories, model=None):
        return list(memories)[-2:]


@pytest.mark.parametrize("make", [ForAgno, ForAgnoWithBase, SyncOnly])
@WAYS
def test_a_strategy_written_for_agno_runs_unchanged(path, way, make):
    one = manager(path)
    plan = optimize(way, one, "u1", make(), apply=True)
    assert [m.memory_id for m in plan] == ["m4", "m5"]
    assert [m.memory_id for m in one.get_user_memories("u1").memories] == ["m4", "m5"]
    assert plan.strategy in ("ForAgno", "for-agno", "SyncOnly")


# -- strategies that do what they may not --------------------------------------------------------------------------------


def raises(error):
    def work(memories):
        raise error

    return work


class Odd:
    pass


BAD = {
    "raises": (raises(RuntimeError("boom\nin two lines")), "failed: RuntimeError: boom in two lines"),
    "raises without words": (raises(KeyError()), "failed: KeyError"),
    "returns None": (lambda ms: None, "returned NoneType"),
    "returns a text": (lambda ms: "all of it", "returned str"),
    "returns a dict": (lambda ms: {m.memory_id: m for m in ms}, "returned dict"),
    "returns a number": (lambda ms: 5, "returned int"),
    "returns texts": (lambda ms: [m.memory for m in ms], "returned str among"),
    "returns other objects": (lambda ms: [Odd()], "returned Odd among"),
    "returns None among them": (lambda ms: [ms[0], None], "returned NoneType among"),
    "returns an id twice": (lambda ms: [*ms, ms[0].but(memory="x")], "m0 twice"),
    "returns another user's": (lambda ms: [UserMemory("other", "z", user_id="u2")], "another user"),
    "returns nobody's": (lambda ms: [UserMemory("other", "n")], "another user"),
    "gives them away": (lambda ms: [m.but(user_id="u2") for m in ms], "another user"),
    "asks for nonsense": (lambda ms: (lambda: (yield "a question"))(), "yielded str"),
}


@pytest.mark.parametrize("how", BAD)
@pytest.mark.parametrize("place", ["alone", "first", "last"])
@WAYS
def test_a_strategy_that_breaks_its_contract_is_refused_by_name(path, way, how, place):
    work, said = BAD[how]
    keep = Does(lambda ms: ms)
    keep.name = "keeps"
    chain = {"alone": [Does(work)], "first": [Does(work), keep], "last": [keep, Does(work)]}[place]
    before = dump(path, own=True)
    with pytest.raises(StrategyError) as caught:
        optimize(way, manager(path, ScriptedModel()), "u1", chain, apply=True)
    message = str(caught.value)
    assert message.startswith("strategy does ") and said in message and "nothing was written" in message
    assert "\n" not in message
    assert caught.value.exit_code == 4
    assert dump(path, own=True) == before


@WAYS
def test_ctrl_c_in_a_strategy_is_not_turned_into_something_else(path, way):
    with pytest.raises(KeyboardInterrupt):
        manager(path).optimize_memories("u1", Does(raises(KeyboardInterrupt())))


def test_a_strategy_that_empties_the_list_it_was_given_harms_nobody(path):
    def work(ms):
        ms.clear()
        return ms

    class Clears(MemoryOptimizationStrategy):
        name = "clears"

        def steps(self, memories):
            memories.clear()
            return memories

    one = manager(path)
    plan = one.optimize_memories("u1", Clears())
    assert plan.counts == {"kept": 0, "revised": 0, "dropped": 6, "added": 0}
    with pytest.raises(GuardError, match="--allow-empty"):
        one.apply(plan)


# -- guards, filters, chains ---------------------------------------------------------------------------------------------


@WAYS
@pytest.mark.parametrize(
    ("work", "more", "said"),
    [
        (lambda ms: [], {}, "--allow-empty"),
        (lambda ms: ms[:3], {"max_drop": "2"}, "3 of 6 memories"),
        (lambda ms: ms[:3], {"max_drop": "49%"}, "3 of 6 memories"),
    ],
)
def test_a_guard_shows_the_plan_and_refuses_to_write_it(path, way, work, more, said):
    before = dump(path, own=True)
    one = manager(path)
    plan = optimize(way, one, "u1", Does(work), **more)
    assert plan.has_changes
    for apply in (lambda: one.apply(plan), lambda: optimize(way, one, "u1", Does(work), apply=True, **more)):
        with pytest.raises(GuardError, match=said):
            apply()
    with pytest.raises(GuardError, match=said):
        one.apply(Plan.from_json(plan.to_json()))
    assert dump(path, own=True) == before


@WAYS
def test_a_text_that_was_made_blank_is_no_revision(path, way):
    before = dump(path, own=True)
    with pytest.raises(StrategyError, match="blank text"):
        optimize(way, manager(path), "u1", Does(lambda ms: [ms[0].but(memory=" \u200b"), *ms[1:]]), apply=True)
    assert dump(path, own=True) == before


def test_a_guard_said_at_apply_holds_too_and_allow_empty_can_be_said_there(path):
    one = manager(path)
    plan = one.optimize_memories("u1", Does(lambda ms: []))
    with pytest.raises(GuardError, match="max-drop 1"):
        one.apply(plan, allow_empty=True, max_drop="1")
    one.apply(plan, allow_empty=True)
    assert one.store.read("u1").memories == ()


@WAYS
def test_a_strategy_sees_what_the_filters_admit_and_the_rest_is_kept(path, way):
    seen = []

    def work(ms):
        seen.extend(m.memory_id for m in ms)
        return ms[:1]

    plan = optimize(way, manager(path), "u1", Does(work), filters=Filters(topic=("odd",)))
    assert seen == ["m1", "m3", "m5"]
    assert {c.memory_id for c in plan.of(Action.DROPPED)} == {"m3", "m5"}
    assert any("3 of 6" in note for note in plan.notes)
    with pytest.raises(StrategyError, match="not shown"):
        work_with_hidden = Does(lambda ms: [*ms, UserMemory("x", "m0", user_id="u1")])
        optimize(way, manager(path), "u1", work_with_hidden, filters=Filters(topic=("odd",)))


def test_a_chain_says_in_the_end_where_everything_went(path):
    def merge(ms):
        new = UserMemory("0 and 1", "n", user_id="u1", sources=("m0", "m1"))
        return Proposal([*ms[2:], new], {i: Decision("merged", into="n") for i in ("m0", "m1")})

    def merge_again(ms):
        new = UserMemory("0, 1 and 2", "n2", user_id="u1", sources=("n", "m2"))
        rest = [m for m in ms if m.memory_id not in ("n", "m2")]
        return Proposal([*rest, new], {i: Decision("merged", into="n2") for i in ("n", "m2")})

    plan = manager(path).optimize_memories("u1", [Does(merge), Does(merge_again)])
    changes = {c.memory_id: c for c in plan.changes}
    assert "n" not in changes
    assert {i: changes[i].into for i in ("m0", "m1", "m2")} == dict.fromkeys(("m0", "m1", "m2"), "n2")
    assert changes["n2"].sources == ("m0", "m1", "m2")
    assert set(changes["n2"].relies_on) == {"m0", "m1", "m2"}


def test_a_memory_is_never_said_to_be_in_one_that_a_later_step_dropped(path):
    first = Does(lambda ms: Proposal(ms[1:], {"m0": Decision("same", into="m1", relies_on=("m1",))}))
    plan = manager(path).optimize_memories("u1", [first, Does(lambda ms: ms[1:])])
    changes = {c.memory_id: c for c in plan.changes}
    assert changes["m0"].action is changes["m1"].action is Action.DROPPED
    assert changes["m0"].into is None


def test_what_a_step_added_and_a_later_one_dropped_leaves_no_trace(path):
    add = Does(lambda ms: [*ms, UserMemory("for a moment", "n", user_id="u1")])
    plan = manager(path).optimize_memories("u1", [add, Does(lambda ms: [m for m in ms if m.memory_id != "n"])])
    assert not plan.has_changes


# -- users and stores ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("U1", "did you mean 'u1'?"),
        (" u1 ", "did you mean 'u1'?"),
        ("anne", "did you mean 'anna'"),
        ("xyz", "its users: 'anna', 'u1', 'u2'"),
        ("", "its users"),
        (None, "no memories without a user"),
    ],
)
@WAYS
def test_an_unknown_user_is_an_error_that_names_the_close_ones(tmp_path, way, wanted, said):
    path = make_store(tmp_path / "a.db", [row("a", "x"), row("b", "x", user="u2"), row("c", "x", user="anna")])
    with pytest.raises(UnknownUser) as caught:
        optimize(way, manager(path), wanted, Does(lambda ms: ms))
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


def test_many_users_are_counted_and_not_listed(tmp_path):
    path = make_store(tmp_path / "a.db", [row(f"m{n}", "x", user=f"person {n}") for n in range(50)])
    with pytest.raises(UnknownUser, match="it has 50 users"):
        manager(path).get_user_memories("qqqqqq")


def test_rows_without_a_user_are_reached_by_none_alone(tmp_path):
    path = make_store(tmp_path / "a.db", [row("a", "x", user=None), row("b", "y", user="default"), row("c", "z", user="None")])
    one = manager(path)
    plan = one.optimize_memories(None, Does(lambda ms: [m.but(memory="!") for m in ms]), apply=True)
    assert [c.memory_id for c in plan.changes] == ["a"]
    assert one.history()[0].user_id is None
    with pytest.raises(UsageError):
        one.optimize_memories(5, Does(lambda ms: ms))


def test_a_plan_of_another_store_or_by_another_hand_is_refused(tmp_path, path):
    one, plan = manager(path), manager(path).optimize_memories("u1", RecentOnlyStrategy(keep=2))
    copy = copy_store(path, tmp_path / "copy.db")
    before = dump(copy, own=True)
    with pytest.raises(PlanFileError):
        manager(copy).apply(plan)
    assert dump(copy, own=True) == before
    data = plan.to_dict()
    data["changes"][5]["action"] = "dropped"
    with pytest.raises(PlanFileError):
        one.apply(Plan.from_dict(data))
    with pytest.raises(ConflictError):
        one.apply(replace(plan, fingerprints=dict.fromkeys(plan.fingerprints, "0" * 64)))


def test_users_are_summed_up(tmp_path):
    rows = [
        row("a", "x", at=5),
        row("b", "x", at=9),
        row("c", "y", at=7, created_at=2),
        row("bad", "", memory="42"),
        row("d", "z", user="u0"),
    ]
    one = manager(make_store(tmp_path / "a.db", rows))
    first, second = one.users()
    assert (first.user_id, second.user_id) == ("u0", "u1")
    assert (second.memories, second.unreadable, second.duplicates, second.oldest, second.newest) == (3, 1, 1, 2, 9)
    assert second.text_tokens == 3


def test_the_fixture_of_agno_is_optimized_end_to_end(tmp_path):
    path = copy_store(FIXTURES / "agno" / "agno_v3.db", tmp_path / "agno.db")
    before = dump(path)
    one = manager(path)
    plan = one.optimize_memories("u3", make_chain(["dedupe", "recent"], {"keep": 100}), apply=True)
    assert len(plan) == len(one.get_user_memories("u3").memories) == 100
    assert plan.tokens_after == one.tokens.figures(one.get_user_memories("u3").memories)
    one.undo()
    assert dump(path) == before


# -- what a model wrote through somebody else's strategy -----------------------------------------------------------------


TEXTS = ["Ann lives in Bern.", "Ann has a dog called Rex.", "Ann plays the cello.", "Ann is allergic to nuts."]


class AsksItself:
    """Calls the model on its own, as a strategy for Agno does."""

    def __init__(self, sources=()):
        self.sources = sources

    def optimize(self, memories, model):
        return [UserMemory(model.answer(Ask("s", "p")).text, "new", user_id="u1", sources=self.sources)]


class Yields(AsksItself, MemoryOptimizationStrategy):
    name = "yields"
    needs_model = True
    optimize = MemoryOptimizationStrategy.optimize

    def steps(self, memories):
        reply = yield Ask("s", "p")
        return [UserMemory(reply.text, "new", user_id="u1", sources=self.sources)]


class Tightlipped(ScriptedModel):
    """Does not tell what it used."""

    def answer(self, ask):
        return replace(super().answer(ask), usage=replace(super().answer(ask).usage, requests=0))


@pytest.mark.parametrize("model", [ScriptedModel, Tightlipped])
@pytest.mark.parametrize("sources", [(), ("m0",), ("m0", "m1", "m2", "m3")])
@pytest.mark.parametrize("strategy", [AsksItself, Yields])
@WAYS
def test_what_its_text_lacks_stays_beside_it_whatever_it_says_of_its_sources(tmp_path, way, strategy, sources, model):
    path = make_store(tmp_path / "a.db", [row(f"m{n}", text, at=n + 1) for n, text in enumerate(TEXTS)])
    plan = optimize(way, manager(path, model("Ann lives in Bern.")), "u1", strategy(sources))
    assert {m.memory for m in plan} == set(TEXTS)
    assert [c.memory_id for c in plan.of(Action.DROPPED)] == ["m0"]


@pytest.mark.parametrize("strategy", [AsksItself, Yields])
@WAYS
def test_what_it_invents_is_refused(tmp_path, way, strategy):
    path = make_store(tmp_path / "a.db", [row(f"m{n}", text, at=n + 1) for n, text in enumerate(TEXTS)])
    before = dump(path, own=True)
    with pytest.raises(GuardError, match="says what no memory says"):
        one = manager(path, ScriptedModel(" ".join([*TEXTS, "Ann owns 17 boats in Oslo."])))
        optimize(way, one, "u1", strategy(), apply=True)
    assert dump(path, own=True) == before


def test_a_memory_dropped_for_a_reason_of_its_own_need_not_be_in_the_new_text(tmp_path):
    path = make_store(tmp_path / "a.db", [row(f"m{n}", text, at=n + 1) for n, text in enumerate(TEXTS)])

    class Chooses(MemoryOptimizationStrategy):
        name = "chooses"
        needs_model = True

        def steps(self, memories):
            reply = yield Ask("s", "p")
            new = UserMemory(reply.text, "new", user_id="u1", sources=("m0", "m1"))
            merged = {i: Decision("merged", into="new") for i in ("m0", "m1")}
            return Proposal([memories[2], new], {**merged, "m3": Decision("out of date")})

    plan = manager(path, ScriptedModel(" ".join(TEXTS[:2]))).optimize_memories("u1", Chooses())
    assert {c.memory_id for c in plan.of(Action.DROPPED)} == {"m0", "m1", "m3"}
