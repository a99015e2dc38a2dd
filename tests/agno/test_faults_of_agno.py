"""What Agno's own ``optimize_memories`` does to a store, each fault as a thing that memopt does not do.

The letters are those of a study of Agno 2.9 and 3.1 on these very files: A loses dates, agents and feedback; B resets
``updated_at`` and turns the order of the prompt around; C and D lose rows when writing stops half-way; E loses what is written
meanwhile; F stores whatever the model says; G works on a user nobody named; H loses rows to a lock; I fails for want of a
vocabulary after it has written; J does not find what is not ASCII.
"""

from __future__ import annotations

import inspect
import sqlite3
import subprocess
import sys

import pytest

pytest.importorskip("agno.db.sqlite")

from support.agnofile import (
    clean_environment,
    copy_store,
    dump,
    fixture,
    integrity,
    make_store,
    memopt_json,
    records,
    row,
    run_memopt,
)
from support.agnoside import Scripted, agno_prompt, agno_reads, agno_upsert
from support.endpoint import Answer, Endpoint, fail, say
from support.faults import Job, run_jobs

from memopt.errors import StoreError, StoreLocked, UnknownUser
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.plan import Filters
from memopt.strategies.base import MemoryOptimizationStrategy

ONLY = {"on_loss": "accept"}
"""Options of a summary that stands alone whatever it lost: these tests are about rows, not about texts."""

NAMES = {"u1": "User's name is Ana Ferreira.", "u2": "User's name is Wei Zhang (张伟)."}
"""What the first memory of a user says, which is what a scripted model answers."""

U1_TOPICS = [
    "name", "hobbies", "music", "preferences", "communication", "location", "address", "health", "allergy", "languages",
    "goals", "work", "achievements", "trivia",
]  # fmt: skip


@pytest.fixture
def store(tmp_path):
    return fixture("agno_v3.db", tmp_path)


def summarize(path, user, **more):
    model = Scripted(**more)
    return MemoryManager(path, model).optimize_memories(user, "summarize", apply=True, options=ONLY), model


# -- A: what a summary keeps -------------------------------------------------------------------------------------------


def test_a_summary_is_as_old_as_its_oldest_source_and_changed_when_its_newest_was(store):
    summarize(store, "u1")
    (only,) = agno_reads(store, "u1")
    assert (only["created_at"], only["updated_at"]) == (1740906764, 1768471810)


def test_a_summary_has_an_agent_or_team_only_where_all_sources_share_it(store, tmp_path):
    summarize(store, "u1")
    (only,) = agno_reads(store, "u1")
    assert (only["agent_id"], only["team_id"]) == (None, None)

    rows = [row(name, f"Fact {name}", agent_id="coach", team_id=team) for name, team in (("a", "t"), ("b", "t"), ("c", "t"))]
    shared = make_store(tmp_path / "shared.db", rows)
    summarize(shared, "u1")
    (only,) = agno_reads(shared, "u1")
    assert (only["agent_id"], only["team_id"]) == ("coach", "t")

    # two of three have the team and the third has none: the summary has none
    rows[2]["team_id"] = None
    mixed = make_store(tmp_path / "mixed.db", rows)
    summarize(mixed, "u1")
    (only,) = agno_reads(mixed, "u1")
    assert (only["agent_id"], only["team_id"]) == ("coach", None)


def test_topics_of_a_summary_come_in_the_same_order_in_every_process(store, tmp_path):
    found = []
    for seed in ("0", "1", "77"):
        path = copy_store(store, tmp_path / f"seed{seed}.db")
        with Endpoint(say(NAMES["u1"])) as endpoint:
            done = run_memopt(
                "optimize", "--db", path, "--user", "u1", "--strategy", "summarize", "--apply", "-o", "on-loss=accept",
                "--model", "any", "--base-url", endpoint.base_url,
                env={"PYTHONHASHSEED": seed},
            )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append([(item["memory_id"], item["topics"]) for item in agno_reads(path, "u1")])
    assert found[0] == found[1] == found[2]
    assert found[0][0][1] == U1_TOPICS


def test_what_a_summary_has_no_place_for_comes_back_with_undo(store):
    before = records(store, "u1")
    assert {item["feedback"] for item in before} == {None, "positive", "user asked for shorter answers"}
    summarize(store, "u1")
    MemoryManager(store).undo()
    assert records(store, "u1") == before


def test_a2_summarizing_one_memory_asks_no_model_and_writes_nothing(store):
    summarize(store, "u1")
    before = dump(store, own=True)
    plan, model = summarize(store, "u1")
    assert model.asked == []
    assert plan.run is None
    assert dump(store, own=True) == before


def test_a_model_is_told_the_dates_and_topics(store):
    _, model = summarize(store, "u1")
    (ask,) = model.asked
    for told in ("2025-03-02", "2025-04-11", "allergy", "EpiPen"):
        assert told in ask.prompt


# -- B: what is kept, and its order ------------------------------------------------------------------------------------


def test_b_kept_rows_keep_rowid_bytes_and_update_time(store):
    before = {item["memory_id"]: item for item in records(store, "u2")}
    MemoryManager(store).optimize_memories("u2", "recent", apply=True, options={"keep": 10})
    after = records(store, "u2")
    assert len(after) == 10
    assert all(item == before[item["memory_id"]] for item in after)
    assert {item["updated_at"] for item in after} >= {1771578000, 1773997200}  # the dog and the birthday, updated later


def test_b_a_second_keep_recent_drops_the_right_row(store):
    manager = MemoryManager(store)
    manager.optimize_memories("u2", "recent", apply=True, options={"keep": 10})
    plan = manager.optimize_memories("u2", "recent", apply=True, options={"keep": 9})
    (gone,) = [change.before for change in plan.changes if change.after is None]
    assert gone.memory.startswith("User celebrates Christmas")  # the oldest change of the ten; Agno drops the dog here
    assert any("Biscuit" in text for text in agno_prompt(store, "u2"))


def test_b_the_order_of_the_prompt_stays(store):
    before = agno_prompt(store, "u2")
    MemoryManager(store).optimize_memories("u2", "recent", apply=True, options={"keep": 10})
    after = agno_prompt(store, "u2")
    assert after == [text for text in before if text in after]


# -- C, D: writing that stops half-way ---------------------------------------------------------------------------------


class Ten(MemoryOptimizationStrategy):
    """Replaces everything by ten new memories."""

    name = "ten"

    def steps(self, memories):
        return [UserMemory(f"Digest {number}", user_id=memories[0].user_id) for number in range(10)]


@pytest.mark.parametrize("condition", ["1", "new.memory LIKE '%Digest 3%'"])
def test_c_a_failing_insert_leaves_all_forty_rows(condition, store):
    with sqlite3.connect(store) as connection:
        connection.execute(
            f"CREATE TRIGGER no BEFORE INSERT ON agno_memories WHEN {condition} BEGIN SELECT RAISE(ABORT, 'no room'); END"
        )
    connection.close()
    before = dump(store)
    with pytest.raises(StoreError, match="no room"):
        MemoryManager(store).optimize_memories("u2", Ten(), apply=True)
    assert dump(store) == before
    assert len(agno_reads(store, "u2")) == 40
    assert MemoryManager(store).history() == []


def test_d_sigkill_between_the_deletes_and_the_inserts_leaves_all_forty_rows(store, tmp_path):
    with Endpoint(say(NAMES["u2"])) as endpoint:
        args = ["optimize", "--user", "u2", "--strategy", "summarize", "--apply", "--model", "any"]
        args += ["-o", "on-loss=accept"]
        args += ["--base-url", endpoint.base_url, "--db"]
        (whole,) = run_jobs([Job([*args, str(copy_store(store, tmp_path / "whole.db"))])])
        assert whole.code == 0, whole.stderr
        words = [statement.split()[0] for statement in whole.statements]
        between = max(n for n, word in enumerate(words, 1) if word == "DELETE") + 1
        insert = next(n for n, s in enumerate(whole.statements, 1) if s.startswith('INSERT INTO "agno_memories"'))
        assert between <= insert < whole.commit
        paths = [copy_store(store, tmp_path / f"{n}.db") for n in (between, insert, insert + 1)]
        jobs = [Job([*args, str(p)], kill_at=n) for p, n in zip(paths, (between, insert, insert + 1), strict=True)]
        outcomes = run_jobs(jobs)
    for path, outcome in zip(paths, outcomes, strict=True):
        assert outcome.killed
        assert integrity(path) == "ok"
        assert len(agno_reads(path, "u2")) == 40


# -- E: what is written meanwhile --------------------------------------------------------------------------------------


def test_e_what_agno_adds_while_the_model_thinks_survives(store):
    def add():
        agno_upsert(store, memory="User broke an arm.", memory_id="fresh", user_id="u2", topics=["health"])

    plan, model = summarize(store, "u2", during=add)
    assert "broke" not in model.asked[0].prompt
    assert sorted(agno_prompt(store, "u2")) == sorted([NAMES["u2"], "User broke an arm."])
    assert plan.run is not None


# -- F: what a model may answer ----------------------------------------------------------------------------------------

BAD = {
    "a refusal": say("I'm sorry, but I can't help with that."),
    "the refusal field": say(None, refusal="I can't do that."),
    "blanks": say("   \n\t "),
    "nothing": say(""),
    "null": say(None),
    "zero-width": say("\u200b\ufeff"),
    "cut off": say("User is a backend engineer who lives in", finish_reason="length"),
    "filtered": say("User lives", finish_reason="content_filter"),
    "a question back": say("Could you tell me which memories I should summarize?"),
    "only reasoning": say("<think>The user has a dog.</think>"),
    "reasoning without an end": say("<think>The user has a dog and"),
    "no choices": Answer(200, b'{"choices": []}', {"Content-Type": "application/json"}),
    "server error": fail(500, "overloaded", retry_after="0.01"),
    "wrong key": fail(401, "bad key"),
}


@pytest.mark.parametrize("case", BAD)
def test_f_a_bad_answer_never_becomes_a_memory(case, store):
    before = dump(store)
    with Endpoint(BAD[case]) as endpoint:
        done = run_memopt(
            "optimize", "--db", store, "--user", "u2", "--strategy", "summarize", "--apply",
            "--model", "any", "--base-url", endpoint.base_url, "--timeout", "20",
        )  # fmt: skip
        assert 1 <= len(endpoint.requests) <= 8
    assert done.returncode == 8, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    assert dump(store) == before


# -- G: whose memories -------------------------------------------------------------------------------------------------


def test_g_no_user_is_guessed(store):
    before = dump(store)
    done = run_memopt("optimize", "--db", store, "--strategy", "recent", "-o", "keep=1", "--apply")
    assert done.returncode == 2
    assert "--user" in done.stderr
    assert dump(store) == before
    user = inspect.signature(MemoryManager.optimize_memories).parameters["user_id"]
    assert user.default is inspect.Parameter.empty


def test_g_rows_without_a_user_can_be_reached_and_are_not_those_of_default(tmp_path):
    rows = [row(name, "Likes jazz", user=user) for name, user in (("a", None), ("b", None), ("c", "default"), ("d", "default"))]
    path = make_store(tmp_path / "s.db", rows)
    MemoryManager(path).optimize_memories(None, "recent", apply=True, options={"keep": 1})
    assert [item["user_id"] for item in records(path)] == [None, "default", "default"]
    memopt_json("optimize", "--db", path, "--user", "default", "--strategy", "dedupe", "--apply")
    assert [item["user_id"] for item in records(path)] == [None, "default"]


def test_g_a_misspelt_user_is_an_error_that_names_the_right_one(store):
    with pytest.raises(UnknownUser, match="'u2'"):
        MemoryManager(store).optimize_memories("U2", "dedupe", apply=True)
    done = run_memopt("optimize", "--db", store, "--user", "U2", "--strategy", "dedupe")
    assert done.returncode == 2
    assert "u2" in done.stderr


# -- H: locks ----------------------------------------------------------------------------------------------------------


def test_h_a_lock_held_by_somebody_else_loses_no_row(store):
    before = dump(store)
    holder = sqlite3.connect(store, isolation_level=None)
    model = Scripted(during=lambda: holder.execute("BEGIN IMMEDIATE"))
    with pytest.raises(StoreLocked):
        MemoryManager(store, model, lock_timeout=0.2).optimize_memories("u2", "summarize", apply=True, options=ONLY)
    holder.execute("ROLLBACK")
    holder.close()
    assert dump(store) == before


# -- I: counting tokens ------------------------------------------------------------------------------------------------


def test_i_tokens_are_counted_without_a_network_or_a_cache(store, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    nowhere = "http://127.0.0.1:9"
    env = {
        "TIKTOKEN_CACHE_DIR": str(empty), "DATA_GYM_CACHE_DIR": str(empty), "TMPDIR": str(empty), "HOME": str(empty),
        "HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "ALL_PROXY": nowhere, "NO_PROXY": "",
    }  # fmt: skip
    shown = run_memopt("optimize", "--db", store, "--user", "u2", "--strategy", "recent", "-o", "keep=10", env=env)
    assert shown.returncode == 0, shown.stderr
    assert "712" in shown.stdout  # u2 as Agno injects it, o200k_base
    assert "669" in shown.stdout
    assert list(empty.iterdir()) == []


# -- J: text that is not ASCII -----------------------------------------------------------------------------------------


def test_j_chinese_and_quotes_are_shown_and_found_as_text(tmp_path, store):
    done = run_memopt("show", "--db", store, "--user", "u2", "--full")
    assert done.returncode == 0
    for text in ("火锅", "张伟", "🐶"):
        assert text in done.stdout
    assert 'called "Max"' in run_memopt("show", "--db", store, "--user", "u4", "--full").stdout
    rows = [row("a", "一", topics=["饮食"]), row("b", "二", topics=['say "hi"']), row("c", "三", topics=["饮食"])]
    path = make_store(tmp_path / "s.db", rows)
    for topic, gone in (("饮食", {"a"}), ('say "hi"', set())):
        plan = MemoryManager(path).optimize_memories("u1", "recent", options={"keep": 1}, filters=Filters(topic=(topic,)))
        assert {change.memory_id for change in plan.changes if change.after is None} == gone


def test_one_unreadable_row_does_not_stop_the_others(tmp_path):
    rows = [row("a", "Likes tea"), row("bad", None, memory="not json"), row("b", "Likes tea", at=1767344400)]
    path = make_store(tmp_path / "s.db", rows)
    code = f"import sys; sys.path.insert(0, 'tests'); from support.agnoside import agno_reads; agno_reads({str(path)!r}, 'u1')"
    agno = subprocess.run([sys.executable, "-c", code], capture_output=True, env=clean_environment(), cwd=".", check=False)
    assert agno.returncode != 0  # Agno cannot read the table at all
    bad = [item for item in records(path) if item["memory_id"] == "bad"]
    plan = MemoryManager(path).optimize_memories("u1", "dedupe", apply=True)
    assert [item.memory_id for item in plan.unreadable] == ["bad"]
    assert [item["memory_id"] for item in records(path)] == ["bad", "b"]
    assert [item for item in records(path) if item["memory_id"] == "bad"] == bad
