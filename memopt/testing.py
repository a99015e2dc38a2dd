"""Contract suites for people who write a store or a strategy. memopt itself never imports this module.

Subclass a suite in your tests, say how to make the thing, and pytest collects the whole contract::

    from memopt.testing import ScriptedModel, StoreContract, StrategyContract

    class TestMyStrategy(StrategyContract):
        def make_strategy(self):
            return MyStrategy(keep=2)

    class TestMyStore(StoreContract):
        def make_store(self, folder, memories):
            return MyStore(write_my_format(folder / "memories", memories))

        def write(self, store, memory):          # what the agent does beside memopt: insert or replace one memory
            ...

        def remove(self, store, memory):
            ...

A test that does not hold for a good reason is switched off by a class attribute where there is one (``idempotent``,
``order_matters``), never by leaving the method out.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memopt.errors import ConflictError, MemoptError, PlanFileError, UsageError
from memopt.memory import UserMemory, to_epoch
from memopt.models.base import Ask, Reply, Usage
from memopt.plan import Action, Plan, Step, diff
from memopt.stores.base import MemoryStore
from memopt.strategies.base import MemoryOptimizationStrategy, Proposal, arun, run
from memopt.tokens import TokenCounter


def told_once(ask: Ask) -> str:
    """Every text of the request's material once, one after another."""
    return " ".join(dict.fromkeys(item.memory for item in ask.material)) or "Nothing to tell."


class ScriptedModel:
    """A model whose answers are given beforehand.

    Args:
        answers: one text for every request, or a function that is given the request. By default each text of the material
            once, so that the answer loses and invents nothing.

    Attributes:
        asked: the requests so far.
    """

    name = "scripted"
    endpoint = "test:"
    context_tokens: int | None = None

    def __init__(self, answers: str | Callable[[Ask], str] | None = None) -> None:
        self._answers = told_once if answers is None else answers
        self.asked: list[Ask] = []

    def answer(self, ask: Ask) -> Reply:
        """Answer one request."""
        self.asked.append(ask)
        text = self._answers if isinstance(self._answers, str) else self._answers(ask)
        return Reply(text, Usage(1, len(ask.prompt), len(text)), "stop")

    async def aanswer(self, ask: Ask) -> Reply:
        """Answer one request on an event loop."""
        return self.answer(ask)


def samples() -> dict[str, list[UserMemory]]:
    """Lists of memories that strategies have stumbled over, by what they are."""

    def memory(number: int, text: str, **more: Any) -> UserMemory:
        values = {"memory_id": f"m{number}", "user_id": "ann", "created_at": 1_700_000_000 + number * 86_400, **more}
        values.setdefault("updated_at", values["created_at"])
        return UserMemory(text, **values)

    return {
        "none": [],
        "one": [memory(1, "Ann lives in Bern.")],
        "several": [
            memory(1, "Ann lives in Bern.", topics=["home"], agent_id="a", team_id="t"),
            memory(2, "Ann has a dog called Rex.", topics=["pets", "home"], agent_id="a", feedback="good"),
            memory(3, "Ann plays the cello.", topics=[], agent_id="b", input="I practised the cello"),
            memory(4, "Ann is allergic to 3 kinds of nuts.", topics=None),
            memory(5, "安住在伯尔尼。"),
        ],
        "the same text": [memory(n, "Ann likes tea.", topics=[f"t{n}"]) for n in range(6)],
        "the same moment": [memory(n, f"Ann met person {n}.", created_at=1_700_000_000) for n in range(6)],
        "no dates": [memory(n, f"Ann met person {n}.", created_at=None, updated_at=None) for n in range(4)],
        "blank": [memory(1, ""), memory(2, " \n"), memory(3, "\u200b"), memory(4, "Ann likes tea."), memory(5, "Ann likes tea.")],
        "odd characters": [
            memory(1, "line one\nline two\x00\x1b[31m\u2028end"),
            memory(2, "half a character: \ud83d"),
            memory(3, "👨‍👩‍👧 ÅÅ ﬁ 🎻"),
            memory(4, "[bold]{curly}%s'\"\\ --"),
        ],
        "long": [memory(1, "word " * 5_000), memory(2, "x" * 20_000), memory(3, "short")],
        "no user": [memory(n, f"fact {n}", user_id=None) for n in range(3)],
        "far dates": [
            memory(1, "from the future", created_at=32_503_680_000),
            memory(2, "from 1950", created_at=-631_152_000),
            memory(3, "with a fraction", created_at=1_700_000_000.25),
        ],
    }


_SAMPLES = samples()


class StrategyContract:
    """What every strategy keeps to.

    Attributes:
        idempotent: a second run over its own result changes nothing.
        order_matters: the order of the memories given may change which are kept.
    """

    idempotent: bool = True
    order_matters: bool = False

    def make_strategy(self) -> MemoryOptimizationStrategy:
        """A new strategy, with options."""
        raise NotImplementedError

    def make_model(self) -> Any:
        """What answers the strategy's requests; the requests of one that asks none are never made."""
        return ScriptedModel()

    @pytest.fixture(params=list(_SAMPLES))
    def memories(self, request: pytest.FixtureRequest) -> list[UserMemory]:
        """One list of memories after the other."""
        return list(_SAMPLES[request.param])

    def propose(self, memories: Sequence[UserMemory]) -> Proposal:
        """One run."""
        return run(self.make_strategy(), memories, self.make_model())[0]

    def test_its_result_is_one_that_diff_takes_and_each_change_has_a_reason(self, memories: list[UserMemory]) -> None:
        proposal = self.propose(memories)
        changes = diff(memories, proposal.memories, proposal.decisions, now=1_800_000_000)
        result = {change.memory_id for change in changes if change.after is not None}
        stored = {item.memory_id for item in memories}
        for change in changes:
            if change.action is Action.KEPT:
                continue
            assert change.reason.strip()
            assert "\n" not in change.reason
            if change.action is Action.DROPPED:
                assert change.memory_id in proposal.decisions, "a memory was dropped without a word"
            assert change.into is None or change.into in result, "a memory went into one that is not in the result"
            assert set(change.relies_on) <= stored | result
            assert set(change.sources) <= stored

    def test_decisions_speak_of_memories_that_there_are(self, memories: list[UserMemory]) -> None:
        proposal = self.propose(memories)
        there = {item.memory_id for item in memories} | {item.memory_id for item in proposal.memories}
        assert set(proposal.decisions) <= there

    def test_it_leaves_the_list_it_was_given_alone(self, memories: list[UserMemory]) -> None:
        given = list(memories)
        self.propose(given)
        assert len(given) == len(memories)
        assert all(a is b for a, b in zip(given, memories, strict=True))

    def test_it_gives_the_same_result_every_time(self, memories: list[UserMemory]) -> None:
        first, second = self.propose(memories), self.propose(memories)
        assert list(first.memories) == list(second.memories)
        assert dict(first.decisions) == dict(second.decisions)
        assert first.notes == second.notes

    def test_it_gives_the_same_result_on_an_event_loop(self, memories: list[UserMemory]) -> None:
        first = self.propose(memories)
        second = asyncio.run(arun(self.make_strategy(), memories, self.make_model()))[0]
        assert list(first.memories) == list(second.memories)
        assert dict(first.decisions) == dict(second.decisions)

    def test_optimize_and_aoptimize_return_the_memories(self, memories: list[UserMemory]) -> None:
        expected = list(self.propose(memories).memories)
        assert self.make_strategy().optimize(memories, self.make_model()) == expected
        assert asyncio.run(self.make_strategy().aoptimize(memories, self.make_model())) == expected

    def test_a_second_run_changes_nothing(self, memories: list[UserMemory]) -> None:
        if not self.idempotent:
            pytest.skip("this strategy says that it is not idempotent")
        once = diff(memories, self.propose(memories).memories, now=1_800_000_000)
        result = [change.after for change in once if change.after is not None]
        twice = diff(result, self.propose(result).memories)
        assert {change.action for change in twice} <= {Action.KEPT}

    def test_the_order_of_the_memories_does_not_decide(self, memories: list[UserMemory]) -> None:
        if self.order_matters or len({item.last_changed for item in memories}) < len(memories):
            pytest.skip("ties may be broken by the place in the store")
        forward = {item.memory_id for item in self.propose(memories).memories}
        backward = {item.memory_id for item in self.propose(memories[::-1]).memories}
        assert forward == backward

    def test_no_memory_of_nobody_and_nobody_elses(self, memories: list[UserMemory]) -> None:
        users = {item.user_id for item in memories}
        assert {item.user_id for item in self.propose(memories).memories} <= users

    def test_it_asks_no_model_where_there_is_nothing_to_do(self) -> None:
        for name in ("none", "one"):
            model = ScriptedModel()
            proposal, usage = run(self.make_strategy(), _SAMPLES[name], model)
            assert not model.asked
            assert usage == Usage()
            assert list(proposal.memories) == _SAMPLES[name]

    def test_without_a_need_for_a_model_none_is_asked(self, memories: list[UserMemory]) -> None:
        strategy = self.make_strategy()
        if strategy.needs_model:
            pytest.skip("this strategy asks a model")
        run(strategy, memories, None)

    def test_it_has_a_name_and_says_what_it_does(self) -> None:
        strategy = self.make_strategy()
        assert strategy.name.strip() and strategy.summary.strip()
        assert not set(strategy.name) & set(" .=:/\n"), "names stand in --strategy NAME and -o NAME.key=value"

    def test_an_option_it_does_not_have_is_refused(self) -> None:
        with pytest.raises(UsageError, match="no option 'no-such-option'"):
            type(self.make_strategy())(**{"no-such-option": 1})

    def test_its_options_go_to_json(self) -> None:
        from dataclasses import asdict

        options = asdict(self.make_strategy().options)
        assert json.loads(json.dumps(options)) == options


class StoreContract:
    """What every store keeps to. The memories are of the users ann, bob and nobody (None)."""

    def make_store(self, folder: Path, memories: Sequence[UserMemory]) -> MemoryStore:
        """A new store in an empty folder, holding these memories in this order."""
        raise NotImplementedError

    def write(self, store: MemoryStore, memory: UserMemory) -> None:
        """Put one memory into the store as the agent would, beside memopt: a new one, or other values for an id that is there."""
        raise NotImplementedError

    def remove(self, store: MemoryStore, memory: UserMemory) -> None:
        """Take one memory out of the store as the agent would, beside memopt."""
        raise NotImplementedError

    def state(self, store: MemoryStore) -> Any:
        """Everything that the store holds for the agent, as exact as can be told. memopt's own journal is no part of it."""
        return [(s.user_id, [(m.content(), m.memory_id) for m in s.memories], s.unreadable) for s in store.snapshots()]

    @staticmethod
    def memories() -> list[UserMemory]:
        """What the store holds at the beginning."""
        ann = [item.but(updated_at=item.last_changed) for item in _SAMPLES["several"]]
        bob = [item.but(memory_id=f"b-{item.memory_id}", user_id="bob") for item in ann[:2]]
        nobody = [ann[0].but(memory_id="n-1", user_id=None)]
        return [*ann, *bob, *nobody]

    @pytest.fixture
    def store(self, tmp_path: Path) -> MemoryStore:
        """The store under test."""
        return self.make_store(tmp_path, self.memories())

    def plan(self, store: MemoryStore, user_id: str | None, after: Sequence[UserMemory], **decisions: Any) -> Plan:
        """The plan that makes a user's memories these."""
        before = store.read(user_id).memories
        stored = {item.memory_id: item for item in before}
        changes = tuple(
            change if change.after is None else replace(change, after=store.storable(change.after))
            for change in diff(before, [store.storable(item) for item in after], decisions, now=1_750_000_000)
        )
        touched = [change for change in changes if change.action is not Action.KEPT]
        needed = {c.memory_id for c in touched} | {i for c in touched for i in c.relies_on}
        figures = TokenCounter().figures
        return Plan(
            store=store.ref,
            user_id=user_id,
            steps=(Step("contract", {"n": 1}),),
            changes=changes,
            fingerprints={i: store.fingerprint(stored[i]) for i in needed if i in stored},
            made_at=1_750_000_000,
            encoding="o200k_base",
            tokens_before=figures(before),
            tokens_after=figures(change.after for change in changes if change.after is not None),
        )

    def a_change(self, store: MemoryStore) -> Plan:
        """A plan that keeps, revises, drops and adds."""
        first, second, third, *rest = store.read("ann").memories
        of = (str(third.memory_id),)
        new = UserMemory("Ann likes “tea” 🍵.", user_id="ann", memory_id="new", topics=("a", "ü"), sources=of)
        return self.plan(store, "ann", [first, second.but(memory="Ann has a dog, Rex."), *rest, new])

    def test_it_gives_back_what_it_holds_user_by_user(self, store: MemoryStore) -> None:
        wanted = [store.storable(item) for item in self.memories()]
        for user in ("ann", "bob", None):
            snapshot = store.read(user)
            assert snapshot.user_id == user
            assert list(snapshot.memories) == [item for item in wanted if item.user_id == user]
        assert set(store.user_ids()) == {"ann", "bob", None}
        assert {s.user_id: s.memories for s in store.snapshots()} == {u: store.read(u).memories for u in store.user_ids()}

    def test_a_user_it_does_not_know_has_no_memories(self, store: MemoryStore) -> None:
        for user in ("nobody", "Ann", "ann ", "", "an%", "ann' OR '1'='1"):
            snapshot = store.read(user)
            assert not snapshot.memories and not snapshot.unreadable

    def test_reading_changes_nothing(self, store: MemoryStore) -> None:
        before = self.state(store)
        store.read("ann"), list(store.snapshots()), store.user_ids(), store.history()
        store.check_writable()
        assert self.state(store) == before

    def test_a_scan_and_an_inspection_see_every_row_and_change_nothing(self, store: MemoryStore) -> None:
        before = self.state(store)
        assert {s.user_id: s.memories for s in store.scan()} == {s.user_id: s.memories for s in store.snapshots()}
        for memory in (memory for snapshot in store.scan() for memory in snapshot.memories):
            assert {key: to_epoch(value) for key, value in store.stored_times(memory).items()} == {
                "created_at": memory.created_at,
                "updated_at": memory.updated_at,
            }
        assert store.inspect().damage is None and not store.inspect(integrity=True).damage
        assert self.state(store) == before

    def test_a_fingerprint_changes_with_the_memory_and_with_nothing_else(self, store: MemoryStore) -> None:
        first, *others = store.read("ann").memories
        prints = [store.fingerprint(item) for item in (first, *others)]
        assert [store.fingerprint(item) for item in store.read("ann").memories] == prints
        assert len(set(prints)) == len(prints)
        self.write(store, first.but(memory="Ann lives in Basel."))
        changed = {item.memory_id: store.fingerprint(item) for item in store.read("ann").memories}
        assert changed[first.memory_id] != prints[0]
        assert [changed[item.memory_id] for item in others] == prints[1:]

    def test_an_applied_plan_is_what_is_read_afterwards(self, store: MemoryStore) -> None:
        plan = self.a_change(store)
        done = store.apply(plan)
        assert {m.memory_id: m for m in store.read("ann").memories} == {m.memory_id: m for m in plan.memories}
        assert (done.kind, done.user_id, done.counts) == ("apply", "ann", {"kept": 3, "revised": 1, "dropped": 1, "added": 1})

    def test_an_apply_touches_no_other_user(self, store: MemoryStore) -> None:
        before = store.read("bob"), store.read(None)
        prints = [store.fingerprint(item) for snapshot in before for item in snapshot.memories]
        store.apply(self.a_change(store))
        after = store.read("bob"), store.read(None)
        assert after == before
        assert [store.fingerprint(item) for snapshot in after for item in snapshot.memories] == prints

    def test_kept_memories_are_not_written(self, store: MemoryStore) -> None:
        plan = self.a_change(store)
        kept = {c.memory_id for c in plan.of(Action.KEPT)}
        before = {m.memory_id: store.fingerprint(m) for m in store.read("ann").memories if m.memory_id in kept}
        store.apply(plan)
        assert {m.memory_id: store.fingerprint(m) for m in store.read("ann").memories if m.memory_id in kept} == before

    def test_a_plan_from_a_file_is_as_good_as_the_plan(self, store: MemoryStore) -> None:
        plan = Plan.from_json(self.a_change(store).to_json())
        store.apply(plan)
        assert {m.memory_id: m for m in store.read("ann").memories} == {m.memory_id: m for m in plan.memories}

    def test_a_memory_that_came_meanwhile_survives(self, store: MemoryStore) -> None:
        plan = self.a_change(store)
        late = store.storable(UserMemory("Ann moved.", "late", user_id="ann", created_at=1_760_000_000, updated_at=1_760_000_000))
        self.write(store, late)
        store.apply(plan)
        assert late in store.read("ann").memories
        store.undo(now=1_760_000_001)
        assert late in store.read("ann").memories

    @pytest.mark.parametrize("how", ["changed", "gone"])
    @pytest.mark.parametrize("which", ["revised", "dropped", "relied on"])
    def test_what_moved_under_the_plan_is_a_conflict_that_writes_nothing(self, store: MemoryStore, which: str, how: str) -> None:
        from memopt.plan import Decision

        first, second, third, *rest = store.read("ann").memories
        plan = self.plan(
            store,
            "ann",
            [first, second.but(memory="other"), *rest],
            **{str(third.memory_id): Decision("because", relies_on=(str(first.memory_id),))},
        )
        moved = {"revised": second, "dropped": third, "relied on": first}[which]
        if how == "changed":
            self.write(store, moved.but(memory="the agent wrote this"))
        else:
            self.remove(store, moved)
        before = self.state(store)
        with pytest.raises(ConflictError) as caught:
            store.apply(plan)
        assert str(moved.memory_id) in str(caught.value)
        assert self.state(store) == before
        assert store.history() == []

    def test_skip_leaves_out_what_moved_and_writes_the_rest(self, store: MemoryStore) -> None:
        first, second, third, *rest = store.read("ann").memories
        plan = self.plan(store, "ann", [first.but(memory="a"), second.but(memory="b"), third, *rest])
        self.write(store, first.but(memory="the agent wrote this"))
        done = store.apply(plan, on_conflict="skip", count=TokenCounter().figures)
        assert done.skipped == (first.memory_id,)
        texts = {m.memory_id: m.memory for m in store.read("ann").memories}
        assert (texts[first.memory_id], texts[second.memory_id]) == ("the agent wrote this", "b")

    def test_skip_never_drops_the_sources_of_what_it_leaves_out(self, store: MemoryStore) -> None:
        memories = store.read("ann").memories
        for sources in (tuple(str(m.memory_id) for m in memories), ()):
            plan = self.plan(store, "ann", [UserMemory("all", "sum", user_id="ann", sources=sources)])
            self.write(store, UserMemory("taken", "sum", user_id="ann", created_at=1, updated_at=1))
            before = self.state(store)
            store.apply(plan, on_conflict="skip", count=TokenCounter().figures)
            assert self.state(store) == before
            self.remove(store, UserMemory("taken", "sum", user_id="ann"))

    def test_the_same_plan_cannot_be_applied_twice(self, store: MemoryStore) -> None:
        plan = self.a_change(store)
        store.apply(plan)
        before = self.state(store)
        with pytest.raises(ConflictError):
            store.apply(plan)
        assert self.state(store) == before
        assert len(store.history()) == 1

    def test_an_id_of_another_user_is_never_overwritten(self, store: MemoryStore) -> None:
        memories = store.read("ann").memories
        taken = store.read("bob").memories[0].memory_id
        plan = self.plan(store, "ann", [*memories[1:], UserMemory("mine now", taken, user_id="ann")])
        before = store.read("bob")
        try:
            store.apply(plan)
        except MemoptError:
            assert store.read("ann").memories == memories
        assert store.read("bob") == before

    def test_a_plan_of_another_store_is_refused(self, store: MemoryStore) -> None:
        plan = self.a_change(store)
        before = self.state(store)
        for other in ({"location": "elsewhere"}, {"table": "other"}, {"kind": "other"}):
            with pytest.raises(PlanFileError):
                store.apply(replace(plan, store=replace(plan.store, **other)))
        assert self.state(store) == before

    def test_undo_puts_everything_back_exactly(self, store: MemoryStore) -> None:
        before = self.state(store)
        done = store.apply(self.a_change(store))
        changed = self.state(store)
        assert changed != before
        undone = store.undo(done.run_id, now=1_760_000_000)
        assert (undone.kind, undone.undoes) == ("undo", done.run_id)
        assert self.state(store) == before
        store.undo(undone.run_id, now=1_760_000_001)
        assert self.state(store) == changed
        store.undo(now=1_760_000_002)
        assert self.state(store) == before

    def test_undo_takes_the_latest_run_where_none_is_named(self, store: MemoryStore) -> None:
        store.apply(self.a_change(store))
        between = self.state(store)
        memories = store.read("bob").memories
        store.apply(self.plan(store, "bob", memories[:1]))
        store.undo(now=1_760_000_000)
        assert self.state(store) == between

    @pytest.mark.parametrize("what", ["revised", "added", "dropped"])
    def test_undo_refuses_where_a_row_of_the_run_moved_on(self, store: MemoryStore, what: str) -> None:
        plan = self.a_change(store)
        store.apply(plan)
        (change,) = plan.of(Action(what))
        memory = change.after or change.before
        assert memory is not None
        self.write(store, memory.but(memory="the agent wrote this"))
        before = self.state(store)
        with pytest.raises(ConflictError) as caught:
            store.undo(now=1_760_000_000)
        assert change.memory_id in str(caught.value)
        assert self.state(store) == before
        assert len(store.history()) == 1

    def test_undo_of_a_run_that_is_not_there_is_a_usage_error(self, store: MemoryStore) -> None:
        with pytest.raises(UsageError):
            store.undo(now=1)
        store.apply(self.a_change(store))
        with pytest.raises(UsageError, match="nosuchrun"):
            store.undo("nosuchrun", now=1)

    def test_the_history_tells_who_what_and_how_much(self, store: MemoryStore) -> None:
        assert store.history() == []
        plan = self.a_change(store)
        first = store.apply(plan)
        second = store.undo(now=1_760_000_000)
        listed = store.history()
        assert [item.run_id for item in listed] == [second.run_id, first.run_id]
        assert listed[1].undone_by == second.run_id
        assert (listed[1].before, listed[1].after) == (plan.tokens_before, plan.tokens_after)
        assert listed[1].steps == plan.steps
        assert store.history("bob") == []
        assert len(store.history("ann")) == 2

    def test_the_last_run_on_a_user_and_what_was_saved_by_day_are_told(self, store: MemoryStore) -> None:
        assert store.last_run("ann") is None and store.days("o200k_base", 7) == []
        first = store.apply(self.a_change(store))
        second = store.undo(first.run_id, now=time.time())
        found_runs = [store.last_run("ann"), store.last_run("ann", other_than=second.run_id)]
        assert [run and (run.run_id, run.after) for run in found_runs] == [(r.run_id, r.after) for r in store.history()]
        assert store.last_run("bob") is None and store.last_run(None) is None
        (*_, today) = found = store.days(first.encoding, 7)
        assert sum(day.runs for day in found) == 2 and sum(day.saved for day in found) == 0
        assert sum(day.before for day in found) == first.before.prompt + first.after.prompt
        assert store.days("another", 7) == [] and store.days(first.encoding, 1) == [today]

    def test_pruning_drops_what_every_limit_lets_go_and_nothing_else(self, store: MemoryStore) -> None:
        store.apply(self.a_change(store))
        state = self.state(store)
        kept = store.undo(now=4_000_000_000)
        with pytest.raises(UsageError):
            store.prune()
        assert store.prune(keep=5) == 0
        assert store.prune(keep=0, before=1) == 0
        assert store.prune(before=3_999_999_999) == 1
        assert [item.run_id for item in store.history()] == [kept.run_id]
        store.undo(now=4_000_000_001)
        assert self.state(store) == state
