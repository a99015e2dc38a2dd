"""Runs over many users: who is done, in what order, at what cost, and what is left when a run ends anywhere."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import tracemalloc
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.agnofile import Sql, clean_environment, dump, integrity, make_store, records, row
from support.endpoint import Endpoint, fail, say, send_json
from support.faults import Job, run_jobs

from memopt.errors import Interrupted, LimitError, ModelError, PlanFileError, StoreError, UsageError
from memopt.fleet import Budget, Fleet, FolderRun, Selection, Shard, Status, recipe_of
from memopt.folder import PlanFolder, file_name
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.models.base import Ask, Reply
from memopt.models.openai import OpenAIEmbedder, OpenAIModel
from memopt.plan import Decision
from memopt.policy import Condition
from memopt.stores import open_store
from memopt.stores.claims import Claims
from memopt.strategies.base import MemoryOptimizationStrategy, Proposal
from memopt.strategies.registry import make_chain
from memopt.usage import Price, Usage

DAY = 86_400
START = 1_767_258_000


def twice(user, number=1, start=START):
    """``number`` facts of a user, each stored twice."""
    out = []
    for place in range(number):
        text = f"User owns the book number {place} of the series."
        out += [row(f"{user}/{place}/{copy}", text, user=user, at=start + (2 * place + copy) * DAY) for copy in (0, 1)]
    return out


@pytest.fixture(params=["wal", "delete"])
def store(request, tmp_path):
    rows = [line for number, user in enumerate(("anna", "ben", "carl", "dora"), 1) for line in twice(user, number)]
    return make_store(tmp_path / "agno.db", rows, journal=request.param)


def run(path, strategies=("dedupe",), options=None, **how):
    """A synchronous run. Returns the summary and the outcomes by user, in order."""
    told = []
    fleet = Fleet(open_store(str(path)), make_chain(list(strategies), options or {}), told=told.append, **how)
    return fleet.run(), {outcome.user_id: outcome for outcome in told}


def arun(path, chain, **how):
    told = []
    fleet = Fleet(open_store(str(path)), chain, told=told.append, **how)
    return asyncio.run(fleet.arun()), {outcome.user_id: outcome for outcome in told}


def statuses(told):
    return {user: outcome.status.value for user, outcome in told.items()}


def journal_users(path):
    return Counter(item.user_id for item in open_store(str(path)).history())


def texts(path, user):
    return [json.loads(line["memory"]) for line in records(path, user)]


class AskOnce(MemoryOptimizationStrategy):
    """Asks one question a user; drops the oldest memory where the answer is "drop"."""

    name = "ask-once"
    needs_model = True

    def get_system_prompt(self):
        return "drop or keep?"

    def steps(self, memories):
        reply = yield Ask("drop or keep?", "\n".join(item.memory for item in memories), f"question about {memories[0].user_id}")
        if reply.text != "drop" or len(memories) < 2:
            return Proposal(list(memories))
        return Proposal(list(memories[1:]), {memories[0].memory_id: Decision("told to")})


class Scripted:
    """A model that needs no network: answers by a function of the prompt, and remembers what it was asked."""

    name, endpoint, context_tokens = "scripted", "http://scripted.invalid/v1", None

    def __init__(self, answer):
        self._answer = answer
        self.asked = []

    def answer(self, ask):
        raise AssertionError("asked synchronously")

    async def aanswer(self, ask):
        self.asked.append(ask.purpose)
        found = self._answer(ask)
        if asyncio.iscoroutine(found):
            found = await found
        return Reply(found, Usage(1, 100, 10))


# -- who ---------------------------------------------------------------------------------------------------------------


def test_a_user_is_in_the_same_part_on_every_machine():
    # pinned: a change of these would move users between the machines of a running fleet
    assert [user for user in map(str, range(20)) if Shard(3, 5).holds(user)] == ["1", "3", "5", "11"]


@given(st.text(), st.integers(1, 50))
def test_every_user_is_in_exactly_one_part(user, count):
    assert sum(Shard(index, count).holds(user) for index in range(count)) == 1


def test_parts_may_be_counted_from_0_or_from_1():
    assert [Shard.read(f"{index}/4") for index in (0, 1, 2, 3)] == [Shard(0, 4), Shard(1, 4), Shard(2, 4), Shard(3, 4)]
    assert Shard.read("4/4") == Shard(0, 4) and Shard.read(" 3 / 16 ") == Shard(3, 16)


@pytest.mark.parametrize("text", ["", "3", "5/4", "0/0", "-1/4", "1/4/5", "a/b", "1.5/4"])
def test_a_part_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match="3/16"):
        Shard.read(text)


def test_all_that_is_said_of_a_user_must_hold():
    chosen = Selection(patterns=("team-*", "x"), within=("*-1",), ids=frozenset({"team-1", "x"}))
    assert chosen.fits("team-1")
    assert not chosen.fits("x")  # outside the policy
    assert not chosen.fits("team-a-1")  # not in the list
    assert not Selection(patterns=("Team-*",)).fits("team-1")
    assert Selection(patterns=("a[12]*",)).fits("a1-x") and Selection(patterns=("a[[]1]*",)).fits("a[1]-x")


def test_users_above_a_threshold_only_and_the_most_expensive_first(store):
    summary, told = run(store, selection=Selection(when=Condition("memories > 2"), limit=2))
    assert list(told) == ["dora", "carl"]
    assert summary.passed_over == {"when": 1, "limit": 1}


def test_rows_without_a_user_are_nobodys_and_are_left_alone(tmp_path):
    path = make_store(
        tmp_path / "a.db", [*twice("u"), row("x", "Same."), row("y", "Same.", user=None), row("z", "Same.", user=None)]
    )
    summary, told = run(path, apply=True)
    assert set(told) == {"u", "u1"}
    assert summary.passed_over["no-user"] == 1
    assert len([line for line in records(path) if line["user_id"] is None]) == 2


def test_a_user_who_is_not_there_is_a_failure_of_that_user_alone(store):
    summary, told = run(store, selection=Selection(ids=frozenset({"anna", "nobody"})), apply=True)
    assert statuses(told) == {"anna": "applied", "nobody": "failed"}
    assert told["nobody"].error.kind == "unknown-user"
    assert summary.exit_code == 7


# -- what is done --------------------------------------------------------------------------------------------------------


def test_a_preview_changes_no_byte_and_leaves_nothing_beside_the_file(store):
    before = store.read_bytes()
    summary, told = run(store)
    assert set(statuses(told).values()) == {"changed"}
    assert summary.counts["dropped"] == 10 and summary.saved > 0
    assert store.read_bytes() == before
    assert sorted(item.name for item in store.parent.iterdir()) == [store.name]


def test_every_user_is_one_run_of_the_journal_and_can_be_taken_back_alone(store):
    old = dump(store)
    _, told = run(store, apply=True)
    assert journal_users(store) == {"anna": 1, "ben": 1, "carl": 1, "dora": 1}
    assert [len(records(store, user)) for user in ("anna", "ben", "carl", "dora")] == [1, 2, 3, 4]
    after = {user: records(store, user) for user in ("anna", "carl", "dora")}
    open_store(str(store)).undo(told["ben"].run, now=START)
    assert {user: records(store, user) for user in after} == after
    for user in ("anna", "carl", "dora"):
        open_store(str(store)).undo(told[user].run, now=START)
    assert dump(store) == old


def test_the_result_is_that_of_single_runs(store, tmp_path):
    alone = tmp_path / "alone.db"
    alone.write_bytes(store.read_bytes())
    for user in ("anna", "ben", "carl", "dora"):
        MemoryManager(alone).optimize_memories(user, "dedupe", apply=True)
    run(store, apply=True)
    assert dump(store) == dump(alone)


def test_bad_rows_are_told_and_left_alone_and_a_user_with_nothing_else_fails(tmp_path):
    rows = [
        *twice("good"),
        *twice("mixed"),
        row("bad", None, user="mixed", memory=Sql("CAST(x'22c32822' AS TEXT)")),
        row("worse", None, user="broken", memory="42"),
    ]
    path = make_store(tmp_path / "a.db", rows)
    summary, told = run(path, apply=True)
    assert statuses(told) == {"good": "applied", "mixed": "applied", "broken": "failed"}
    assert [item.memory_id for item in told["mixed"].unreadable] == ["bad"]
    assert "worse" in str(told["broken"].error) and summary.unreadable == 2
    with sqlite3.connect(path) as conn:
        assert conn.execute("SELECT count(*) FROM agno_memories WHERE memory_id IN ('bad', 'worse')").fetchone() == (2,)


def test_a_user_of_whom_nothing_can_be_read_is_chosen_like_any_other(tmp_path):
    broken = [row(f"b{n}", None, user=f"broken-{n}", memory="42") for n in range(3)]
    path = make_store(tmp_path / "a.db", [*twice("good"), *twice("big", 3), *broken])
    summary, told = run(path, selection=Selection(when=Condition("memories > 2")))
    assert statuses(told) == {"big": "changed"} and summary.exit_code == 0 and summary.passed_over["when"] == 4
    summary, told = run(path, selection=Selection(when=Condition("memories > 2")), apply=True, max_seconds=60)
    assert statuses(told) == {"big": "applied"} and summary.passed_over["when"] == 4
    summary, told = run(path, selection=Selection(when=Condition("memories < 1")))
    assert statuses(told) == {f"broken-{n}": "failed" for n in range(3)} and summary.exit_code != 0
    for apply in (False, True):
        summary, told = run(path, selection=Selection(limit=3), apply=apply, force=True)
        assert len(told) == 3 and summary.passed_over["limit"] == 2
        assert list(statuses(told).items())[2] == ("broken-0", "failed") and told["broken-0"].unreadable


@pytest.mark.parametrize("minutes", [None, 60])
def test_the_last_run_is_looked_up_where_the_loop_is_not_kept_waiting(tmp_path, monkeypatch, minutes):
    path = make_store(tmp_path / "a.db", [*twice("ann", 3), *twice("bob", 3), row("x", "Only one.", user="cy")])
    run(path, apply=True)
    threads = []
    inner = type(open_store(str(path))).last_run

    def last_run(self, user_id, other_than=None):
        threads.append((user_id, threading.current_thread()))
        return inner(self, user_id, other_than=other_than)

    monkeypatch.setattr(type(open_store(str(path))), "last_run", last_run)
    how = {"model": Scripted(lambda _: "drop"), "with_last": True, "max_seconds": minutes, "apply": True}
    _, told = arun(path, [AskOnce()], **how)
    assert sorted(user for user, _ in threads) == ["ann", "bob", "cy"]  # once each
    assert threading.main_thread() not in {thread for _, thread in threads}
    assert told["ann"].run and told["ann"].last.run_id not in (None, told["ann"].run) and told["cy"].last is None
    _, told = arun(path, [AskOnce()], **how)
    assert statuses(told) == {"ann": "seen", "bob": "seen", "cy": "seen"} and told["ann"].last.before.memories == 3


def test_a_refused_user_fails_alone(store):
    summary, told = run(store, ("recent",), {"keep": "3"}, apply=True, max_drop="4")
    assert statuses(told) == {"dora": "failed", "carl": "applied", "ben": "applied", "anna": "unchanged"}
    assert told["dora"].error.kind == "refused" and len(records(store, "dora")) == 8
    assert summary.exit_code == 7
    assert [(item.kind, item.users, item.examples) for item in summary.reasons.values()] == [("refused", 1, ["dora"])]


def test_a_conflict_fails_alone(tmp_path):
    path = make_store(tmp_path / "a.db", [*twice("u1"), *twice("u2")])

    def answer(ask):
        if "u1" in ask.purpose:
            with sqlite3.connect(path) as other:
                other.execute("UPDATE agno_memories SET memory = '\"Something else.\"' WHERE memory_id = 'u1/0/0'")
        return "drop"

    _, told = arun(path, [AskOnce()], model=Scripted(answer), apply=True)
    assert statuses(told) == {"u1": "failed", "u2": "applied"}
    assert told["u1"].error.kind == "conflict"
    assert texts(path, "u1")[0] == "Something else."


def test_reasons_that_differ_by_id_and_number_alone_are_one(tmp_path):
    path = make_store(tmp_path / "a.db", [line for user in range(30) for line in twice(f"user {user}", user % 7 + 2)])
    summary, _ = run(path, ("recent",), {"keep": "1"}, max_drop="1")
    (reason,) = summary.reasons.values()
    assert reason.users == 30 and len(reason.examples) == 5


def test_a_strategy_that_breaks_on_one_user_is_told_and_the_others_go_on(store):
    class Fragile(MemoryOptimizationStrategy):
        name = "fragile"

        def steps(self, memories):
            if memories[0].user_id == "ben":
                raise RuntimeError("what now")
            return list(memories[1:])

    told = []
    summary = Fleet(open_store(str(store)), [Fragile()], apply=True, told=told.append).run()
    assert {item.user_id: item.status for item in told}["ben"] is Status.FAILED
    assert summary.statuses[Status.APPLIED] == 3
    assert "fragile" in str(next(item.error for item in told if item.error))


def test_the_agent_can_write_between_two_users(store):
    written = []

    def told(outcome):
        with sqlite3.connect(store, timeout=0.1) as agent:
            agent.execute("UPDATE agno_memories SET feedback = ? WHERE user_id = 'anna'", (outcome.user_id,))
        written.append(outcome.user_id)

    Fleet(open_store(str(store)), make_chain(["dedupe"], {}), told=told).run()
    Fleet(open_store(str(store)), make_chain(["dedupe"], {}), apply=True, told=told).run()
    assert len(written) == 8


def test_the_journal_mode_stays_and_nothing_is_left_beside_the_file(store):
    mode = store.read_bytes()[18:20]
    run(store, apply=True)
    assert store.read_bytes()[18:20] == mode
    assert sorted(item.name for item in store.parent.iterdir()) == [store.name]


# -- not twice -----------------------------------------------------------------------------------------------------------


def test_what_a_run_left_is_passed_over_until_it_changes(store):
    run(store, apply=True)
    _, told = run(store, apply=True)
    assert set(statuses(told).values()) == {"seen"}
    with sqlite3.connect(store) as agent:
        agent.execute("UPDATE agno_memories SET feedback = 'yes' WHERE memory_id = 'ben/0/1'")
    assert statuses(run(store, apply=True)[1]) == {"anna": "seen", "ben": "unchanged", "carl": "seen", "dora": "seen"}
    assert set(statuses(run(store, apply=True)[1]).values()) == {"seen"}
    assert set(statuses(run(store, apply=True, force=True)[1]).values()) == {"unchanged"}


def test_other_options_or_strategies_are_another_matter(store):
    run(store, apply=True)
    assert "seen" not in statuses(run(store, ("dedupe",), {"near": "false"})[1]).values()
    assert "seen" not in statuses(run(store, ("tidy",))[1]).values()
    assert set(statuses(run(store)[1]).values()) == {"seen"}


def test_a_preview_takes_no_note(store):
    run(store)
    run(store, ("recent",), {"keep": "99"})
    assert b"memopt_seen" not in store.read_bytes()


def test_what_is_undone_is_done_again(store):
    _, told = run(store, apply=True)
    open_store(str(store)).undo(told["carl"].run, now=START)
    assert statuses(run(store)[1])["carl"] == "changed"


def test_a_limit_of_users_goes_on_where_the_last_run_ended(store):
    seen = []
    for _ in range(5):
        _, told = run(store, apply=True, selection=Selection(limit=1))
        seen.append([user for user, outcome in told.items() if outcome.status is Status.APPLIED])
    assert seen == [["dora"], ["carl"], ["ben"], ["anna"], []]


def test_nobody_is_asked_twice_for_the_same(store):
    model = Scripted(lambda ask: "keep")
    _, told = arun(store, [AskOnce()], model=model, apply=True)
    assert set(statuses(told).values()) == {"unchanged"} and len(model.asked) == 4
    again = Scripted(lambda ask: "keep")
    summary, told = arun(store, [AskOnce()], model=again, apply=True)
    assert again.asked == [] and set(statuses(told).values()) == {"seen"} and summary.usage.requests == 0
    arun(store, [AskOnce()], model=again, apply=True, force=True)
    assert len(again.asked) == 4
    other = Scripted(lambda ask: "keep")
    other.name = "another"
    arun(store, [AskOnce()], model=other, apply=True)
    assert len(other.asked) == 4


def test_what_the_agent_wrote_while_the_model_was_thinking_is_looked_at_next_time(tmp_path):
    path = make_store(tmp_path / "a.db", [*twice("u1"), *twice("u2")])

    def answer(ask):
        if "u1" in ask.purpose:
            with sqlite3.connect(path) as agent:
                agent.execute(
                    "INSERT INTO agno_memories (memory_id, memory, user_id, topics, created_at) "
                    "VALUES ('n', '\"New.\"', 'u1', 'null', 1)"
                )
        return "drop"

    arun(path, [AskOnce()], model=Scripted(answer), apply=True)
    assert "New." in texts(path, "u1")
    again = Scripted(lambda ask: "keep")
    _, told = arun(path, [AskOnce()], model=again, apply=True)
    assert statuses(told) == {"u1": "unchanged", "u2": "seen"} and len(again.asked) == 1


def test_time_alone_may_give_a_policy_something_to_do(tmp_path):
    path = make_store(tmp_path / "a.db", [row("a", "Old."), row("b", "New.", at=START + 50 * DAY)])
    how = {"strategies": ("retain",), "options": {"keep-within": "30d", "relative-to": "now"}, "apply": True}
    day = START + 20 * DAY
    assert statuses(run(path, clock=lambda: day, **how)[1]) == {"u1": "unchanged"}
    assert statuses(run(path, clock=lambda: day + DAY, **how)[1]) == {"u1": "seen"}
    assert statuses(run(path, clock=lambda: day + 40 * DAY, **how)[1]) == {"u1": "applied"}
    assert texts(path, "u1") == ["New."]


def test_the_recipe_knows_strategy_options_model_prompt_and_rules():
    class Other(AskOnce):
        def get_system_prompt(self):
            return "another prompt"

    other = Scripted(str)
    other.name = "x"
    recipes = [
        recipe_of([AskOnce()], Scripted(str)),
        recipe_of([AskOnce()], other),
        recipe_of([Other()], Scripted(str)),
        recipe_of([AskOnce()], Scripted(str), other),
        recipe_of([AskOnce()], Scripted(str), max_rewrites=5),
        recipe_of(make_chain(["recent"], {"keep": "1"})),
        recipe_of(make_chain(["recent"], {"keep": "2"})),
        recipe_of(make_chain(["dedupe", "recent"], {"keep": "2"})),
        recipe_of(make_chain(["recent", "dedupe"], {"keep": "2"})),
    ]
    assert len(set(recipes)) == len(recipes)
    assert recipe_of([AskOnce()], Scripted(str)) == recipes[0]
    # who would be asked is of no matter to rules
    assert recipe_of(make_chain(["recent"], {"keep": "1"}), other) == recipes[5]


# -- models --------------------------------------------------------------------------------------------------------------


def fleet_of(tmp_path, users, **more):
    return make_store(tmp_path / "fleet.db", [line for user in range(users) for line in twice(f"u{user:03d}", **more)])


def ask(path, endpoint, **how):
    model = OpenAIModel("m", base_url=endpoint.base_url, api_key="k" * 20, backoff=0.01)
    return arun(path, [AskOnce()], model=model, **how)


def test_users_wait_for_a_model_together_and_each_is_asked_once(tmp_path):
    path = fleet_of(tmp_path, 24)
    with Endpoint(say("drop", delay=0.05)) as endpoint:
        summary, _ = ask(path, endpoint, apply=True, concurrency=8)
    assert summary.statuses == {Status.APPLIED: 24} and summary.usage.requests == 24 == len(endpoint.requests)
    assert 4 <= endpoint.busiest <= 8
    assert set(journal_users(path).values()) == {1} and len(records(path)) == 24
    assert integrity(path) == "ok"


@pytest.mark.parametrize(
    "answer",
    [
        fail(401, "bad key", "invalid_api_key"),
        fail(402, "no credit"),
        fail(429, "quota", "insufficient_quota"),
        fail(429, "slow down", retry_after="86400"),
    ],
)
def test_what_holds_for_all_users_is_asked_once(tmp_path, answer):
    path = fleet_of(tmp_path, 50)
    started = time.monotonic()
    with Endpoint(answer) as endpoint:
        summary, told = ask(path, endpoint, apply=True, concurrency=16)
    assert len(endpoint.requests) == 1 == summary.usage.requests
    assert summary.statuses == {Status.FAILED: 1, Status.LEFT: 49} and len(told) == 50
    assert summary.stopped is not None and summary.stopped.kind == "model-unusable"
    assert summary.exit_code == 8
    assert time.monotonic() - started < 30
    assert not journal_users(path)


def test_a_service_that_fails_everybody_ends_the_run(tmp_path):
    path = fleet_of(tmp_path, 50)
    with Endpoint(fail(400, "no")) as endpoint:
        summary, _ = ask(path, endpoint, apply=True, concurrency=2)
    assert len(endpoint.requests) < 20  # five users, those who wait beside them, and the five cheapest
    assert summary.statuses[Status.LEFT] > 30 and summary.stopped is not None and summary.exit_code == 8
    assert summary.usage.requests == len(endpoint.requests)


@pytest.mark.parametrize("concurrency", [1, 6])
def test_users_that_the_service_cannot_do_keep_nobody_else_from_a_turn(tmp_path, concurrency):
    dear = [line for user in range(13) for line in twice(f"dear{user:02d}", 4)]
    cheap = [line for user in range(20) for line in twice(f"cheap{user:02d}")]
    path = make_store(tmp_path / "fleet.db", dear + cheap)

    def answer(request):
        return fail(500, "it crashed on this") if "number 3" in request.prompt else say("drop")

    with Endpoint(answer) as endpoint:
        summary, told = ask(path, endpoint, apply=True, concurrency=concurrency)
    assert {told[f"cheap{user:02d}"].status for user in range(20)} == {Status.APPLIED}
    assert {told[f"dear{user:02d}"].status for user in range(13)} == {Status.FAILED}
    assert summary.stopped is None and summary.exit_code == 7
    assert summary.usage.requests == len(endpoint.requests)


def test_a_service_that_fails_everybody_ends_the_run_soon_also_with_many_at_a_time(tmp_path):
    path = fleet_of(tmp_path, 80)
    with Endpoint(fail(400, "no")) as endpoint:
        summary, told = ask(path, endpoint, apply=True, concurrency=8)
    # those who were under way when it began to fail, and the five cheapest
    assert len(endpoint.requests) <= 2 * 8 + 5 + 5 and len(told) == 80
    assert summary.exit_code == 8 and summary.stopped is not None and summary.stopped.kind == "model"


def test_a_service_that_cannot_be_reached_is_not_tried_with_the_cheapest(tmp_path):
    path = fleet_of(tmp_path, 30)
    model = OpenAIModel("m", base_url="http://127.0.0.1:9/v1", api_key="k" * 20, backoff=0.01)
    summary, _ = arun(path, [AskOnce()], model=model, apply=True, concurrency=1)
    assert summary.statuses == {Status.FAILED: 5, Status.LEFT: 25} and summary.exit_code == 8


def test_requests_of_users_who_fail_are_counted_once(tmp_path):
    path = fleet_of(tmp_path, 6, number=4)
    with Endpoint(say("User owns a boat.", "length")) as endpoint:
        model = OpenAIModel("m", base_url=endpoint.base_url, api_key="k" * 20, backoff=0.01)
        summary, told = arun(path, make_chain(["summarize"], {}), model=model, apply=True)
        assert summary.statuses == {Status.FAILED: 6}
        assert summary.usage.requests == len(endpoint.requests) == sum(each.usage.requests for each in told.values())
        assert summary.exit_code == 8  # nobody was done, and it was the model each time
        sent = len(endpoint.requests)
        with pytest.raises(ModelError) as caught:
            MemoryManager(open_store(str(path)), model).optimize_memories("u001", "summarize")
        assert caught.value.details["requests"] == len(endpoint.requests) - sent


def test_a_key_that_ends_in_the_middle_keeps_what_is_done(tmp_path):
    path = fleet_of(tmp_path, 30)
    with Endpoint(*[say("drop")] * 10, fail(401, "expired")) as endpoint:
        summary, _ = ask(path, endpoint, apply=True, concurrency=4)
    assert summary.statuses[Status.APPLIED] == 10 and summary.exit_code == 7
    assert summary.statuses[Status.LEFT] >= 16
    assert len(endpoint.requests) <= 14
    with Endpoint(say("drop")) as endpoint:
        summary, _ = ask(path, endpoint, apply=True)
    assert summary.statuses == {Status.APPLIED: 20, Status.SEEN: 10} and len(endpoint.requests) == 20


def test_one_users_failure_is_one_users_and_is_tried_again_next_time(tmp_path):
    path = make_store(tmp_path / "a.db", [row(f"{u}{i}", f"{u} number {i}", user=u, at=START + i) for u in "xyz" for i in (1, 2)])
    broken = True

    def answer(request):
        return fail(500, "oops") if broken and "y number" in request.prompt else say("drop")

    with Endpoint(answer) as endpoint:
        summary, told = ask(path, endpoint, apply=True)
        assert statuses(told) == {"x": "applied", "y": "failed", "z": "applied"} and summary.exit_code == 7
        assert len(records(path, "y")) == 2
        broken = False
        _, told = ask(path, endpoint, apply=True)
    assert statuses(told) == {"x": "seen", "y": "applied", "z": "seen"}


def test_one_retry_after_holds_for_all(tmp_path):
    path = fleet_of(tmp_path, 12)
    with Endpoint(say("keep"), fail(429, "slow down", retry_after="1"), say("keep", delay=0.02)) as endpoint:
        summary, _ = ask(path, endpoint, concurrency=4)
    assert summary.statuses == {Status.UNCHANGED: 12}
    told_at = endpoint.requests[1].at
    # those that were under way at that moment may still have arrived; from then on there is silence for a second
    assert sum(told_at < request.at < told_at + 0.2 for request in endpoint.requests) <= 3
    assert not [request for request in endpoint.requests if told_at + 0.2 < request.at < told_at + 0.95]
    assert len(endpoint.requests) == 13


def test_a_limit_of_requests_ends_the_run_and_the_next_one_goes_on(tmp_path):
    path = fleet_of(tmp_path, 20)
    with Endpoint(say("drop")) as endpoint:
        for expected in ({"applied": 8, "not-tried": 12}, {"seen": 8, "applied": 8, "not-tried": 4}, {"seen": 16, "applied": 4}):
            summary, told = ask(path, endpoint, apply=True, budget=Budget(len, max_requests=8), concurrency=3)
            assert Counter(statuses(told).values()) == expected
            assert summary.exit_code == 0
    assert len(endpoint.requests) == 20
    assert set(journal_users(path).values()) == {1}


def test_a_limit_of_cost_holds_for_all_users_together(tmp_path):
    path = fleet_of(tmp_path, 20)
    # a request is counted as 1,000 tokens each way beforehand, and took 500 and 100
    budget = Budget(lambda text: 500, max_cost=5.0, price=Price.read("1000/1000"))
    with Endpoint(say("drop", usage={"prompt_tokens": 500, "completion_tokens": 100})) as endpoint:
        summary, _ = ask(path, endpoint, apply=True, budget=budget, concurrency=5)
    assert isinstance(summary.stopped, LimitError)
    assert summary.usage.requests == len(endpoint.requests)
    assert budget.priced(summary.usage).cost == pytest.approx(0.6 * len(endpoint.requests))
    assert 3.0 <= budget.spent <= 5.0 and budget.held == pytest.approx(0.0)


class Priced(Scripted):
    """Takes as many tokens as its request has characters, and a third of that for its answer."""

    async def aanswer(self, ask):
        reply = await super().aanswer(ask)
        await asyncio.sleep(0.001)
        asked = len(ask.instructions(False)) + len(ask.prompt)
        return Reply(reply.text, Usage(1, asked, asked // 3), reply.finish_reason)


def limited(path, price, max_cost, concurrency, **how):
    """A run that may cost so much; it is to end by itself."""
    budget = Budget(len, max_cost=max_cost, price=Price.read(price))
    told = []
    model = Priced(lambda ask: "drop")
    fleet = Fleet(
        open_store(str(path)),
        [AskOnce()],
        told=told.append,
        model=model,
        budget=budget,
        concurrency=concurrency,
        apply=True,
        **how,
    )

    async def main():
        return await asyncio.wait_for(fleet.arun(), 60)

    return asyncio.run(main()), {outcome.user_id: outcome for outcome in told}, budget, model


@pytest.mark.parametrize("max_cost", [0.0011, 0.0023, 0.0037, 0.0043, 0.007])
def test_a_limit_of_cost_ends_the_run_and_leaves_nothing_held_back(tmp_path, max_cost):
    path = fleet_of(tmp_path, 30)
    summary, told, budget, model = limited(path, "0.7/1.3", max_cost, 8)
    assert len(told) == 30 == summary.users
    assert budget.held == 0 == budget.under_way and budget.spent <= budget.max_cost
    assert float(budget.spent) == pytest.approx(sum(outcome.usage.cost or 0 for outcome in told.values()))
    assert 0 < summary.statuses[Status.APPLIED] == len(model.asked)
    # nobody was left who could have been paid for
    left = budget.max_cost - budget.spent
    if summary.statuses[Status.LEFT]:
        assert isinstance(summary.stopped, LimitError) and summary.exit_code == 0
        assert left < Price(0.7, 1.3).exactly(200, 200)


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("limit", ["cost", "requests"])
def test_users_that_a_limit_can_never_pay_for_keep_nobody_else_from_a_turn(tmp_path, concurrency, limit):
    dear = [line for user in range(23) for line in twice(f"dear{user:02d}", 20)]
    cheap = [line for user in range(12) for line in twice(f"cheap{user:02d}")]
    path = make_store(tmp_path / "fleet.db", dear + cheap)
    if limit == "cost":
        summary, told, _, model = limited(path, "1/1", 0.003, concurrency)
    else:

        class AskMuch(AskOnce):
            def steps(self, memories):
                replies = yield [Ask("drop or keep?", item.memory, memories[0].user_id) for item in memories]
                return Proposal(list(memories[1:]), {memories[0].memory_id: Decision("told to")} if replies else {})

        model = Scripted(lambda ask: "drop")
        summary, told = arun(
            path, [AskMuch()], model=model, budget=Budget(len, max_requests=30), concurrency=concurrency, apply=True
        )
    assert {user for user, outcome in told.items() if outcome.status is Status.APPLIED} == {
        f"cheap{user:02d}" for user in range(12)
    }
    assert summary.statuses[Status.LEFT] == 23 and summary.exit_code == 0 and isinstance(summary.stopped, LimitError)
    assert summary.unpayable is not None and all(user.startswith("dear") for user in summary.unpayable.examples)
    assert not any("dear" in purpose for purpose in model.asked)


def test_an_answer_that_passes_the_limit_of_cost_ends_the_run(tmp_path):
    path = fleet_of(tmp_path, 30)
    budget = Budget(len, max_cost=10.0, price=Price.read("1/1"))
    with Endpoint(say("drop", usage={"prompt_tokens": 100, "completion_tokens": 20_000_000})) as endpoint:
        summary, told = ask(path, endpoint, apply=True, budget=budget, concurrency=3)
    assert len(endpoint.requests) <= 4 and len(told) == 30  # the first goes alone
    assert "the limit of cost was passed" in str(summary.stopped) and summary.exit_code == 0
    assert summary.statuses[Status.APPLIED] == len(endpoint.requests) and summary.unpayable is None


def test_where_a_limit_is_enough_for_nobody_not_everybody_is_read(tmp_path, monkeypatch):
    path = fleet_of(tmp_path, 60)
    read = []
    steps = AskOnce.steps
    monkeypatch.setattr(AskOnce, "steps", lambda self, memories: read.append(1) or steps(self, memories))
    summary, told, _, model = limited(path, "1/1", 0.00001, 1)
    assert summary.statuses == {Status.LEFT: 60} and len(told) == 60 and not model.asked
    assert len(read) < 30


def test_a_run_that_is_stopped_counts_those_who_wait_for_others(tmp_path):
    path = fleet_of(tmp_path, 20)
    asked = asyncio.Event()

    async def answer(ask):
        asked.set()
        await asyncio.sleep(30)

    told = []
    budget = Budget(lambda text: 500, max_cost=2.5, price=Price.read("1000/1000"))
    fleet = Fleet(
        open_store(str(path)),
        [AskOnce()],
        told=told.append,
        model=Scripted(answer),
        budget=budget,
        concurrency=4,
        apply=True,
    )

    async def main():
        running = asyncio.ensure_future(fleet.arun())
        await asked.wait()
        await asyncio.sleep(0.3)
        fleet.stop(Interrupted("interrupted"))
        return await asyncio.wait_for(running, 20)

    summary = asyncio.run(main())
    assert summary.statuses == {Status.LEFT: 20} and {outcome.user_id for outcome in told} == {f"u{n:03d}" for n in range(20)}
    assert budget.held == 0
    # the service was asked, though nobody waited for its answers
    asked = len(fleet.work.terms.model.asked)
    assert 0 < asked < 5 and summary.usage.requests == asked and budget.priced(summary.usage).cost == asked


def test_a_budget_needs_a_price_and_limits_above_0():
    for wrong in ({"max_cost": 1.0}, {"max_requests": 0}):
        with pytest.raises(UsageError):
            Budget(len, **wrong)


def test_time_that_is_over_begins_no_further_user(tmp_path):
    path = fleet_of(tmp_path, 20)
    with Endpoint(say("drop", delay=0.2)) as endpoint:
        summary, _ = ask(path, endpoint, apply=True, max_seconds=0.5, concurrency=2)
    assert isinstance(summary.stopped, LimitError) and summary.exit_code == 0
    assert 0 < summary.statuses[Status.APPLIED] < 15
    assert summary.users == 20


def test_time_that_is_over_repeats_no_request_of_those_who_have_no_answer(tmp_path):
    path = fleet_of(tmp_path, 12)
    with Endpoint(fail(500, "boom")) as endpoint:
        model = OpenAIModel("m", base_url=endpoint.base_url, backoff=0.6, max_retries=5)
        started = time.monotonic()
        summary, told = arun(path, [AskOnce()], model=model, max_seconds=1.0, concurrency=3)
    assert time.monotonic() - started < 6 and len(told) == 12
    assert summary.statuses[Status.LEFT] == 12 and summary.exit_code == 0
    assert "--max-minutes" in str(summary.stopped)
    assert 0 < summary.usage.requests == len(endpoint.requests) < 12


def test_a_slow_user_holds_nobody_up(tmp_path, monkeypatch):
    path = fleet_of(tmp_path, 12)
    done = []

    async def answer(request):
        if "u000" in request.purpose:
            while len(done) < 11:
                await asyncio.sleep(0.01)
        return "keep"

    fleet = Fleet(
        open_store(str(path)), [AskOnce()], model=Scripted(answer), told=lambda o: done.append(o.user_id), concurrency=2
    )
    asyncio.run(asyncio.wait_for(fleet.arun(), 30))
    assert done[-1] == "u000" and len(done) == 12


def test_an_interrupted_run_tells_what_it_wrote_and_the_next_one_does_the_rest(tmp_path):
    path = fleet_of(tmp_path, 20)
    told = []
    fleet = None

    def take(outcome):
        told.append(outcome)
        if len([item for item in told if item.status is Status.APPLIED]) == 6:
            fleet.stop(Interrupted("enough"))

    async def answer(request):
        await asyncio.sleep(0.01)
        return "drop"

    fleet = Fleet(open_store(str(path)), [AskOnce()], model=Scripted(answer), apply=True, concurrency=4, told=take)
    summary = asyncio.run(fleet.arun())
    assert summary.exit_code == 130
    assert len(told) == 20 == len({item.user_id for item in told})
    applied = {item.user_id for item in told if item.status is Status.APPLIED}
    assert applied == set(journal_users(path)) and 6 <= len(applied) <= 6 + 2 * 4  # those under way are written
    again = Scripted(lambda ask: "drop")
    arun(path, [AskOnce()], model=again, apply=True)
    assert len(again.asked) == 20 - len(applied)
    assert set(journal_users(path).values()) == {1} and len(records(path)) == 20


def test_a_run_that_is_cancelled_from_outside_ends_and_writes_no_half(tmp_path):
    path = fleet_of(tmp_path, 6)

    async def answer(request):
        await asyncio.sleep(30)

    async def main():
        fleet = Fleet(open_store(str(path)), [AskOnce()], model=Scripted(answer), apply=True)
        task = asyncio.ensure_future(fleet.arun())
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 10)

    asyncio.run(main())
    assert not journal_users(path)


# -- two at one time -------------------------------------------------------------------------------------------------------


def test_a_user_that_another_run_has_is_waited_for_and_then_told(store):
    other = Claims(store.resolve(), "agno_memories")
    try:
        assert other.take("ben")
        slow = open_store(str(store), lock_timeout=0.3)
        told = []
        summary = Fleet(slow, make_chain(["dedupe"], {}), apply=True, told=told.append).run()
        assert {item.user_id: item.status.value for item in told}["ben"] == "failed"
        assert summary.exit_code == 7 and told[-1].error.kind == "locked" and "another memopt run" in str(told[-1].error)
        assert len(records(store, "ben")) == 4
        threading.Timer(0.3, other.give, ("ben",)).start()
        assert statuses(run(store, apply=True)[1])["ben"] == "applied"
    finally:
        other.close()


def test_a_claim_ends_with_the_process_that_had_it(store):
    code = (
        "import sys, time; from pathlib import Path; from memopt.stores.claims import Claims\n"
        "c = Claims(Path(sys.argv[1]), 'agno_memories'); assert c.take('ben'); print('taken', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(store.resolve())], stdout=subprocess.PIPE, env=clean_environment(), text=True
    )
    mine = Claims(store.resolve(), "agno_memories")
    try:
        assert child.stdout.readline() == "taken\n"
        assert not mine.take("ben") and mine.take("anna")
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert mine.take("ben")
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        mine.close()


def test_two_runs_in_one_process_do_not_share_a_user(store):
    first, second = (Claims(store.resolve(), "agno_memories") for _ in range(2))
    assert first.take("ben") and not first.take("ben") and not second.take("ben")
    first.give("ben")
    assert second.take("ben")
    first.close(), second.close()
    third = Claims(store.resolve(), "agno_memories")
    assert third.take("ben")
    third.close()


def test_claims_leave_sqlites_own_locks_alone(store):
    """A descriptor of the file that is closed would take away SQLite's locks in the whole process."""
    writer = sqlite3.connect(store, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE agno_memories SET feedback = 'x'")
    claims = Claims(store.resolve(), "agno_memories")
    claims.take("ben")
    claims.close()
    code = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0.1, isolation_level=None).execute('BEGIN IMMEDIATE')"
    other = subprocess.run([sys.executable, "-c", code, str(store)], capture_output=True, text=True, check=False)
    assert "locked" in other.stderr
    writer.execute("ROLLBACK")
    writer.close()


def test_a_store_that_stays_locked_ends_the_run(tmp_path):
    path = fleet_of(tmp_path, 40)
    slow = open_store(str(path), lock_timeout=0.05)
    agent = sqlite3.connect(path, isolation_level=None)
    told = []

    def take(outcome):
        told.append(outcome)
        if len(told) == 2:
            agent.execute("BEGIN EXCLUSIVE")

    summary = Fleet(slow, make_chain(["dedupe"], {}), apply=True, told=take).run()
    agent.execute("ROLLBACK")
    agent.close()
    assert summary.statuses == {Status.APPLIED: 2, Status.FAILED: 3, Status.LEFT: 35}
    assert isinstance(summary.stopped, StoreError) and summary.exit_code == 7
    assert run(path, apply=True)[0].statuses == {Status.SEEN: 2, Status.APPLIED: 38}


def test_a_store_that_cannot_be_written_asks_nobody(tmp_path):
    path = fleet_of(tmp_path, 3)
    agent = sqlite3.connect(path, isolation_level=None)
    agent.execute("BEGIN EXCLUSIVE")
    model = Scripted(lambda ask: "drop")
    with pytest.raises(StoreError):
        asyncio.run(Fleet(open_store(str(path), lock_timeout=0.05), [AskOnce()], model=model, apply=True).arun())
    agent.close()
    assert model.asked == []


# -- plans that are kept ---------------------------------------------------------------------------------------------------


STRANGE = ["alice/bob", "alice?bob", "../../etc/x", "..", "CON", "u" * 300, "a\nb", "nul\x01", "Ärger", "ärger", "🙂"]


def keep(path, folder, **how):
    store = open_store(str(path))
    return run(path, folder=lambda recipe: PlanFolder(folder, store.ref, recipe), **how)


def test_no_user_leaves_the_folder_and_no_two_share_a_file(tmp_path):
    path = make_store(tmp_path / "a.db", [line for user in STRANGE for line in twice(user)])
    folder = tmp_path / "plans"
    _, told = keep(path, folder)
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.db", "plans"]
    files = {outcome.file for outcome in told.values()}
    assert len(files) == len(STRANGE) == len(list(folder.glob("*.plan.json")))
    assert all(len(name) < 60 and name.isascii() for name in files)
    for item in folder.iterdir():
        assert stat.S_IMODE(item.stat().st_mode) == 0o600, item
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    summary = FolderRun(open_store(str(path)), folder).run()
    assert summary.statuses == {Status.APPLIED: len(STRANGE)}
    after = {user: records(path, user) for user in STRANGE[1:]}
    open_store(str(path)).undo(next(r.run_id for r in open_store(str(path)).history() if r.user_id == "alice/bob"), now=START)
    assert len(records(path, "alice/bob")) == 2
    assert {user: records(path, user) for user in STRANGE[1:]} == after


def test_what_is_kept_is_what_is_written_and_nobody_is_asked_again(tmp_path):
    path, folder = fleet_of(tmp_path, 5), tmp_path / "plans"
    store = open_store(str(path))
    make = {"folder": lambda recipe: PlanFolder(folder, store.ref, recipe)}
    model = Scripted(lambda ask: "drop" if "u003" not in ask.purpose else "keep")
    _, told = arun(path, [AskOnce()], model=model, **make)
    assert Counter(statuses(told).values()) == {"changed": 4, "unchanged": 1} and len(records(path)) == 10
    # interrupted or not: a second preview into the same folder asks nobody whose memories are the same
    with sqlite3.connect(path) as agent:
        agent.execute("UPDATE agno_memories SET feedback = 'x' WHERE memory_id = 'u001/0/1'")
    again = Scripted(lambda ask: "drop")
    _, retold = arun(path, [AskOnce()], model=again, **make)
    assert again.asked == ["question about u001"]
    assert statuses(retold) == statuses(told)
    assert retold["u000"].after == told["u000"].after and retold["u000"].counts == told["u000"].counts
    summary = FolderRun(store, folder).run()
    assert summary.statuses == {Status.APPLIED: 4}
    assert len(records(path)) == 6
    # and the run that comes after knows what was written, and whom there was nothing to do for
    later = Scripted(lambda ask: "drop")
    _, told = arun(path, [AskOnce()], model=later, apply=True)
    assert later.asked == []


def test_a_folder_that_was_written_is_not_written_again(tmp_path):
    path, folder = fleet_of(tmp_path, 4), tmp_path / "plans"
    keep(path, folder)
    told = []
    run_ = FolderRun(
        open_store(str(path)), folder, told=lambda o: (told.append(o), len(told) == 2 and run_.stop(Interrupted("x")))
    )
    assert run_.run().statuses == {Status.APPLIED: 2, Status.LEFT: 2}
    assert FolderRun(open_store(str(path)), folder).run().statuses == {Status.SEEN: 2, Status.APPLIED: 2}
    before = dump(path, own=True)
    assert FolderRun(open_store(str(path)), folder).run().statuses == {Status.SEEN: 4}
    assert dump(path, own=True) == before


def test_users_whom_another_run_has_are_no_failing_store(tmp_path):
    path, folder = fleet_of(tmp_path, 6), tmp_path / "plans"
    keep(path, folder)
    other = Claims(path.resolve(), "agno_memories")
    assert all(other.take(f"u00{number}") for number in range(4))
    summary = FolderRun(open_store(str(path)), folder).run()
    other.close()
    assert summary.statuses == {Status.FAILED: 4, Status.APPLIED: 2} and summary.stopped is None


def test_a_plan_that_is_stale_or_altered_fails_alone(tmp_path):
    path, folder = fleet_of(tmp_path, 4), tmp_path / "plans"
    keep(path, folder)
    with sqlite3.connect(path) as agent:
        agent.execute("UPDATE agno_memories SET memory = '\"Else.\"' WHERE memory_id = 'u000/0/0'")
    altered = folder / file_name("u001")
    altered.write_text(altered.read_text().replace("series", "SERIES"))
    (folder / file_name("u002")).unlink()
    told = {}
    summary = FolderRun(open_store(str(path)), folder, told=lambda o: told.__setitem__(o.user_id, o)).run()
    assert {user: (o.status.value, o.error and o.error.kind) for user, o in told.items()} == {
        "u000": ("failed", "conflict"),
        "u001": ("failed", "plan-file"),
        "u002": ("failed", "plan-file"),
        "u003": ("applied", None),
    }
    assert summary.exit_code == 7
    assert texts(path, "u000")[0] == "Else." and len(records(path, "u001")) == 2


def test_a_manifest_cannot_lead_out_of_its_folder(tmp_path):
    path, folder = fleet_of(tmp_path, 2), tmp_path / "plans"
    keep(path, folder)
    outside = tmp_path / "outside.json"
    (folder / file_name("u000")).rename(outside)
    manifest = folder / "manifest.jsonl"
    manifest.write_text(manifest.read_text().replace(file_name("u000"), "../outside.json"))
    with pytest.raises(PlanFileError, match="altered"):
        FolderRun(open_store(str(path)), folder).run()


def test_a_folder_of_something_else_is_refused(tmp_path):
    path = fleet_of(tmp_path, 2)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("mine")
    with pytest.raises(UsageError, match="other files"):
        keep(path, tmp_path / "full")
    keep(path, tmp_path / "plans")
    with pytest.raises(UsageError, match="made otherwise"):
        keep(path, tmp_path / "plans", strategies=("recent",), options={"keep": "1"})
    other = make_store(tmp_path / "other.db", twice("u000"))
    with pytest.raises(UsageError, match="another store"):
        keep(other, tmp_path / "plans")
    assert (tmp_path / "full" / "x").read_text() == "mine"
    with pytest.raises(UsageError, match="manifest"):
        FolderRun(open_store(str(path)), tmp_path / "full").run()


def test_a_manifest_whose_last_line_was_cut_off_goes_on(tmp_path):
    path, folder = fleet_of(tmp_path, 3), tmp_path / "plans"
    keep(path, folder)
    manifest = folder / "manifest.jsonl"
    manifest.write_bytes(manifest.read_bytes()[:-40])
    _, told = keep(path, folder)
    assert set(statuses(told).values()) == {"changed"}
    assert FolderRun(open_store(str(path)), folder).run().statuses == {Status.APPLIED: 3}


def test_what_a_killed_run_left_half_written_goes_with_the_next_one(tmp_path):
    path, folder = fleet_of(tmp_path, 2), tmp_path / "plans"
    keep(path, folder)
    for name, age in ((".memopt-old.tmp", 3600), (".memopt-new.tmp", 0), ("notes.tmp", 3600)):
        (folder / name).write_text("{")
        os.utime(folder / name, (time.time() - age,) * 2)
    keep(path, folder)
    assert {file.name for file in folder.glob("*.tmp")} | {file.name for file in folder.glob(".*.tmp")} == {
        ".memopt-new.tmp",  # another run may be writing it
        "notes.tmp",
    }


# -- the promise under kill -9 ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_killed_at_any_statement_and_started_again_every_user_is_done_once(tmp_path, journal):
    base = many_users(tmp_path / "base.db", 24, journal)
    args = ["optimize", "--all-users", "-s", "dedupe", "--apply", "--db"]
    old = {user: texts(base, user) for user in (f"u{n:02d}" for n in range(24))}
    whole = tmp_path / "whole.db"
    shutil.copyfile(base, whole)
    (done,) = run_jobs([Job([*args, str(whole)])])
    assert done.code == 0, done.stderr
    new = {user: texts(whole, user) for user in old}
    places = [
        n for n, s in enumerate(done.statements, 1) if s.startswith(("BEGIN IMM", "COMMIT", 'INSERT INTO "memopt_', "RELEASE"))
    ]
    places = sorted({*places[:: max(1, len(places) // 14)], *(n for n in places if done.statements[n - 1].startswith("COMMIT"))})
    jobs = []
    for number in places:
        shutil.copyfile(base, tmp_path / f"{number}.db")
        jobs.append(Job([*args, str(tmp_path / f"{number}.db")], kill_at=number))
    halves = 0
    for number, outcome in zip(places, run_jobs(jobs), strict=True):
        path = tmp_path / f"{number}.db"
        assert outcome.killed
        assert integrity(path) == "ok"
        written = journal_users(path)
        assert set(written.values()) <= {1}
        assert {user: texts(path, user) for user in old} == {user: (new if written[user] else old)[user] for user in old}
        halves += 0 < len(written) < 24
        summary, _ = run(path, apply=True)
        assert summary.counted["seen"] == len(written) and summary.counted["applied"] == 24 - len(written)
        assert set(journal_users(path).values()) == {1} and dump(path) == dump(whole)
    assert halves, "none was killed between two users"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("pages", [1, 2, 6, 12])
def test_a_full_disk_leaves_every_user_old_or_new_and_is_told(tmp_path, pages):
    path = many_users(tmp_path / "a.db", 40, "delete")
    old = {f"u{n:02d}": texts(path, f"u{n:02d}") for n in range(40)}
    job = Job(["optimize", "--all-users", "-s", "dedupe", "--apply", "--db", str(path)], max_pages_more=pages)
    (done,) = run_jobs([job])
    assert done.code in (6, 7), (done.code, done.stderr)
    assert "disk may be full" in done.stderr and "nothing was written" in done.stderr and "Traceback" not in done.stderr
    assert integrity(path) == "ok"
    written = journal_users(path)
    assert len(written) < 40
    for user, before in old.items():
        assert texts(path, user) == (before[1:] if written[user] else before)
    assert run(path, apply=True)[0].counted["applied"] == 40 - len(written)
    assert set(journal_users(path).values()) == {1}


def test_the_note_and_the_change_are_one_transaction(store):
    """A trigger refuses the note; then nothing of the user is written either."""
    run(store, apply=True, selection=Selection(ids=frozenset({"anna"})))
    with sqlite3.connect(store) as conn:
        conn.execute("CREATE TRIGGER no BEFORE INSERT ON memopt_seen BEGIN SELECT RAISE(ABORT, 'no notes'); END")
    before = records(store)
    _, told = run(store, apply=True)
    assert statuses(told) == {"anna": "seen", "ben": "failed", "carl": "failed", "dora": "failed"}
    assert records(store) == before and set(journal_users(store)) == {"anna"}


def test_many_claims_at_one_time(tmp_path):
    path = make_store(tmp_path / "a.db", [])
    claims = Claims(Path(path).resolve(), "agno_memories")
    other = Claims(Path(path).resolve(), "agno_memories")
    assert all(claims.take(f"user {number}") for number in range(2_000))
    assert not any(other.take(f"user {number}") for number in range(0, 2_000, 100))
    claims.close()
    assert all(other.take(f"user {number}") for number in range(0, 2_000, 100))
    other.close()
    assert os.path.getsize(path) < 100_000


def test_a_kept_plan_beside_which_something_else_changed_is_written_and_looked_at_next_time(tmp_path):
    rows = [*twice("u1"), row("x", "User owns a bicycle.", user="u1", at=START + 9), *twice("u2")]
    path, folder = make_store(tmp_path / "a.db", rows), tmp_path / "plans"
    keep(path, folder)
    with sqlite3.connect(path) as agent:
        agent.execute("UPDATE agno_memories SET memory = '\"User owns the book number 0 of the series.\"' WHERE memory_id = 'x'")
    assert FolderRun(open_store(str(path)), folder).run().statuses == {Status.APPLIED: 2}
    assert statuses(run(path, apply=True)[1]) == {"u1": "applied", "u2": "seen"}
    assert texts(path, "u1") == ["User owns the book number 0 of the series."]


def test_choosing_users_ends_when_the_run_does(tmp_path):
    path = fleet_of(tmp_path, 12)
    looked, told = [], []

    class Slow(Condition):
        def holds(self, figures):
            looked.append(figures)
            if len(looked) == 3:
                fleet.stop(Interrupted("enough"))
            return True

    fleet = Fleet(
        open_store(str(path)),
        make_chain(["dedupe"], {}),
        selection=Selection(when=Slow("tokens > 0"), limit=50),
        told=told.append,
    )
    assert fleet.run().exit_code == 130
    assert len(looked) == 3 and {outcome.status for outcome in told} == {Status.LEFT} and len(told) == 12


# -- vectors from a service --------------------------------------------------------------------------------------------


def vectors(request):
    """Two directions: what holds the word "tea", and all else."""
    rows = [{"index": n, "embedding": [1.0, 0.0] if "tea" in t else [0.0, 1.0]} for n, t in enumerate(request.body["input"])]
    return send_json({"data": rows})


def tea_drinkers(tmp_path, number):
    rows = []
    for user in (f"u{n:02d}" for n in range(number)):
        rows += [row(f"{user}{n}", text, user=user, at=START + n) for n, text in enumerate(("Likes tea.", "Likes tea a lot."))]
    return make_store(tmp_path / "tea.db", rows)


def by_meaning(path, endpoint, *, retries=0, **how):
    chain = make_chain(["dedupe"], {"semantic": "true", "embedding-model": "embed", "semantic-threshold": "0.9"})
    chain[0].embedder = OpenAIEmbedder(OpenAIModel("embed", base_url=endpoint.base_url, api_key="k" * 20, max_retries=retries))
    return arun(path, chain, **how)


def test_users_wait_for_vectors_together_and_their_requests_are_counted(tmp_path):
    path = tea_drinkers(tmp_path, 12)
    with Endpoint(lambda request: (time.sleep(0.1), vectors(request))[1]) as endpoint:
        summary, _ = by_meaning(path, endpoint, apply=True, concurrency=6)
        assert summary.done == 12 and 2 < endpoint.busiest <= 6
        assert summary.usage.requests == len(endpoint.requests) >= 12
        asked = len(endpoint.requests)
        assert by_meaning(path, endpoint, apply=True)[0].counted["seen"] == 12
        assert len(endpoint.requests) == asked


def test_a_limit_of_requests_holds_for_vectors_too(tmp_path):
    path = tea_drinkers(tmp_path, 12)
    with Endpoint(vectors) as endpoint:
        summary, _ = by_meaning(path, endpoint, apply=True, concurrency=3, budget=Budget(len, max_requests=4))
        assert isinstance(summary.stopped, LimitError) and summary.exit_code == 0
        assert len(endpoint.requests) <= 4 and summary.counted["not-tried"] > 0


def test_a_key_that_gets_no_vectors_costs_one_request(tmp_path):
    path = tea_drinkers(tmp_path, 12)
    with Endpoint(fail(401, "no", "invalid_api_key")) as endpoint:
        summary, _ = by_meaning(path, endpoint, apply=True, concurrency=6)
        assert len(endpoint.requests) == 1 and summary.exit_code == 8
    assert not journal_users(path)


def test_one_retry_after_holds_for_all_who_want_vectors(tmp_path):
    path = tea_drinkers(tmp_path, 6)
    told = []

    def answer(request):
        if len(told) == 2:
            told.append(time.monotonic())
            return fail(429, "slow down", **{"Retry-After": "1"})
        told.append(time.monotonic())
        return vectors(request)

    with Endpoint(answer) as endpoint:
        summary, _ = by_meaning(path, endpoint, apply=True, concurrency=3, retries=2)
        assert summary.done == 6
    waited = [at - told[2] for at in told[3:]]
    assert sum(gap < 0.9 for gap in waited) <= 2  # those that were under way already


def test_two_users_may_be_given_the_same_text(store):
    class Adds(MemoryOptimizationStrategy):
        name = "adds"

        def steps(self, memories):
            return [*memories, UserMemory("User speaks German.", user_id=memories[0].user_id)]

    told = []
    summary = Fleet(open_store(str(store)), [Adds()], apply=True, told=told.append).run()
    assert summary.statuses == {Status.APPLIED: 4}, summary.reasons
    assert len({line["memory_id"] for line in records(store) if "German" in line["memory"]}) == 4


# -- memory ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighed", [False, True])
def test_choosing_among_many_users_holds_none_of_them_in_memory(store, weighed):
    class Many(type(open_store(str(store)))):
        def each_user_id(self):
            return (f"user-{number:09d}" for number in range(30_000))

        def read(self, user_id):
            return replace(one, user_id=user_id)

        def seen(self, user_id, recipe):
            return None

        def rewrites(self, user_id):
            return {}

    one = open_store(str(store)).read("anna")
    many = open_store(str(store))
    many.__class__ = Many
    number = 30_000 if not weighed else 1_000
    fleet = Fleet(many, make_chain(["dedupe"], {}), selection=Selection(limit=number if weighed else None))
    if weighed:  # each of these is read
        Many.each_user_id = lambda self: (f"user-{number:09d}" for number in range(3_000))
    next(fleet.candidates(many)[1])  # the tokenizer's vocabulary
    tracemalloc.start()
    try:
        count, candidates = fleet.candidates(many)
        assert count == number == sum(1 for _ in candidates)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 600_000


# -- one transaction a user --------------------------------------------------------------------------------------------


def many_users(path, number=40, journal="wal"):
    return make_store(path, [line for n in range(number) for line in twice(f"u{n:02d}")], journal=journal)


def commits_of(path, **how):
    """How often a run commits, and the run's summary and outcomes."""
    sql = []
    store = open_store(str(path))
    opened = store.fleet

    @contextmanager
    def traced(*, write):
        with opened(write=write) as inner:
            inner._kept._conn.set_trace_callback(sql.append)
            yield inner

    store.fleet = traced
    told = []
    summary = Fleet(store, make_chain(["dedupe"], {}), told=told.append, apply=True, **how).run()
    return sum(line == "COMMIT" for line in sql), summary, told


def test_every_user_is_a_transaction_and_users_are_told_in_order(tmp_path):
    path = many_users(tmp_path / "a.db")
    commits, summary, told = commits_of(path)
    assert summary.counted["applied"] == 40 and set(journal_users(path).values()) == {1}
    assert [item.user_id for item in told] == sorted(item.user_id for item in told)
    assert commits == 40
    assert {item.run for item in told} == {item.run_id for item in open_store(str(path)).history()}


def test_a_conflict_is_that_users_alone(tmp_path):
    path = many_users(tmp_path / "a.db")

    class Meddled(type(make_chain(["dedupe"], {})[0])):
        def steps(self, memories):
            if memories[0].user_id == "u07":
                with sqlite3.connect(path) as agent:
                    agent.execute("UPDATE agno_memories SET topics = '[\"new\"]' WHERE user_id = 'u07'")
            return super().steps(memories)

    told = []
    summary = Fleet(open_store(str(path)), [Meddled()], told=told.append, apply=True).run()
    assert [(item.user_id, item.error.kind) for item in told if item.error] == [("u07", "conflict")]
    assert summary.counted["applied"] == 39 and len(records(path)) == 41 and len(records(path, "u07")) == 2


@pytest.mark.parametrize("how", ["ABORT", "ROLLBACK", "FAIL"])
def test_a_trigger_that_refuses_one_user_takes_no_other_with_it(tmp_path, how):
    path = many_users(tmp_path / "a.db")
    with sqlite3.connect(path) as conn:
        conn.execute(
            "CREATE TRIGGER mine BEFORE DELETE ON agno_memories WHEN old.user_id = 'u07' "
            f"BEGIN SELECT RAISE({how}, 'not this one'); END"
        )
    told = []
    summary = Fleet(open_store(str(path)), make_chain(["dedupe"], {}), told=told.append, apply=True).run()
    assert [(item.user_id, item.error.kind) for item in told if item.error] == [("u07", "store")]
    assert "not this one" in str(next(item.error for item in told if item.error))
    assert summary.counted["applied"] == 39 and len(records(path, "u07")) == 2
    assert journal_users(path) == {f"u{n:02d}": 1 for n in range(40) if n != 7}
    assert integrity(path) == "ok"


def test_commits_that_fail_leave_every_user_as_it_was_and_each_is_told(tmp_path):
    path = many_users(tmp_path / "a.db", journal="delete")
    before = dump(path)
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM agno_memories").fetchone()  # without a WAL, a reader keeps a commit waiting
    try:
        told = []
        store = open_store(str(path), lock_timeout=0.2)
        summary = Fleet(store, make_chain(["dedupe"], {}), told=told.append, apply=True).run()
    finally:
        reader.close()
    assert summary.exit_code == 6 and summary.done == 0 and len(told) == 40
    assert {item.error.kind for item in told if item.error} == {"locked"}
    assert summary.counted["failed"] == 3 and summary.counted["not-tried"] == 37
    assert dump(path) == before
