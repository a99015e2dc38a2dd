"""``memopt optimize --all-users`` and ``memopt apply DIR``: what is printed, logged and returned, by real processes where it counts."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from collections import Counter

import pytest
import yaml
from support.agnofile import REPO, START, clean_environment, dump, integrity, make_store, records, row, rows_of, run_memopt
from support.endpoint import Endpoint, fail, say
from support.inprocess import call_memopt, json_of_memopt
from support.terminal import run_on_terminal

from memopt.cli.render import cells
from memopt.errors import MemoptError
from memopt.spill import Spill
from memopt.stores import open_store

DEDUPE = ("--all-users", "-s", "dedupe")


@pytest.fixture
def store(tmp_path):
    return make_store(tmp_path / "agno.db", [*rows_of(["ann", "bob", "cy"]), row("z", "Only one.", user="zoe")], journal="wal")


def history(path):
    return Counter(run.user_id for run in open_store(str(path)).history())


def optimize(path, *args, **how):
    return call_memopt("optimize", "--db", path, *args, **how)


# -- what is shown -----------------------------------------------------------------------------------------------------


def test_a_preview_has_a_row_a_user_and_totals_and_writes_nothing(store):
    before = store.read_bytes()
    done = optimize(store, *DEDUPE)
    assert done.returncode == 0 and done.stderr == ""
    lines = done.stdout.splitlines()
    assert "Preview of 4 users" in lines[0]
    rows = [line.split() for line in lines if re.search(r"  (ann|bob|cy|zoe)$", line)]
    assert [line[-1] for line in rows] == ["ann", "bob", "cy", "zoe"]
    assert [line[-2] for line in rows] == ["changed", "changed", "changed", "unchanged"]
    total = next(line.split() for line in lines if line.endswith("total      4 users"))
    for column in range(8):
        assert int(total[column]) == sum(int(line[column]) for line in rows)
    assert "--apply writes it" in lines[-1]
    assert store.read_bytes() == before


def test_a_table_with_long_ids_fits_the_terminal_and_cuts_none(tmp_path):
    long, wide = "user-" + "0123456789" * 30, "用户" * 20
    path = make_store(tmp_path / "agno.db", rows_of(["user-00001", long, wide, "ann"]))
    done = optimize(path, *DEDUPE, env={"COLUMNS": "80"})
    lines = done.stdout.splitlines()
    assert max(cells(line) for line in lines[4:-1]) <= 80
    assert any(line.endswith("  ann") for line in lines) and "    user-00001" in lines
    whole = "".join(line.strip() for line in lines)
    assert long in whole and wide in whole


def test_a_run_that_went_well_is_silent_unless_asked(store, tmp_path):
    done = optimize(store, *DEDUPE, "--apply")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert history(store) == {"ann": 1, "bob": 1, "cy": 1}
    other = make_store(tmp_path / "b.db", rows_of(["ann"]))
    done = optimize(other, *DEDUPE, "--apply", "-v")
    assert "Applied to 1 user" in done.stdout and "1 applied" in done.stdout and done.stderr == ""


def test_failures_are_summed_up_by_reason_on_standard_error(tmp_path):
    path = make_store(tmp_path / "a.db", rows_of([f"u{n}" for n in range(9)], copies=4) + rows_of(["ok"]))
    done = optimize(path, *DEDUPE, "--max-drop", "1", "--apply")
    assert done.returncode == 7 and done.stdout == ""
    assert "9 of 10 users failed" in done.stderr
    assert "9 users, refused: 3 of 4 memories (75%) would be dropped" in done.stderr
    assert "'u0', 'u1', 'u2', 'u3', 'u4' and 4 more" in done.stderr
    assert "1 applied, 9 failed" in done.stderr
    assert history(path) == {"ok": 1}


def test_one_document_with_json_also_where_users_failed(store):
    with sqlite3.connect(store) as conn:
        conn.execute("UPDATE agno_memories SET memory = '42' WHERE user_id = 'zoe'")
    document = json_of_memopt("optimize", "--db", store, *DEDUPE, "--apply", code=7)
    assert [(item["user_id"], item["status"]) for item in document["users"]] == [
        ("ann", "applied"),
        ("bob", "applied"),
        ("cy", "applied"),
        ("zoe", "failed"),
    ]
    assert document["totals"]["statuses"]["applied"] == 3 and document["apply"] is True
    assert document["failures"][0]["kind"] == "store" and document["failures"][0]["examples"] == ["zoe"]
    assert document["users"][3]["unreadable"] == [{"memory_id": "z", "problem": "memory is a number"}]
    assert {item["run"] for item in document["users"][:3]} == {run.run_id for run in open_store(str(store)).history()}


def test_an_empty_list_of_users_is_a_document_too(tmp_path):
    path = make_store(tmp_path / "a.db", [])
    document = json_of_memopt("optimize", "--db", path, *DEDUPE)
    assert document["users"] == [] and document["totals"]["users"] == 0


def test_the_document_is_as_it_is_described(store):
    text = (REPO / "docs" / "json.md").read_text(encoding="utf-8")
    body = re.search(r"^## `optimize --all-users`.*?\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    document = json_of_memopt("optimize", "--db", store, *DEDUPE)
    keys = set(re.findall(r"^\| `([a-z_]+)`", body.split("Each of `users`")[0], re.MULTILINE))
    assert keys == set(document)
    lines = re.findall(r"^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|", body.split("Each of `users`")[1], re.MULTILINE)
    user = {name for line in lines for name in re.findall(r"`([a-z_]+)`", line)}
    assert user == set(document["users"][0])
    for name in document["totals"]:
        assert f"`{name}`" in body, name


def test_the_log_has_one_line_a_user_and_is_added_to(store, tmp_path):
    log = tmp_path / "memopt.jsonl"
    for _ in range(2):
        assert optimize(store, *DEDUPE, "--apply", "--log", log).returncode == 0
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(item["user_id"], item["status"]) for item in events] == [
        *((user, "applied") for user in ("ann", "bob", "cy")),
        ("zoe", "unchanged"),
        *((user, "seen") for user in ("ann", "bob", "cy", "zoe")),
    ]
    assert {item["event"] for item in events} == {"user"} and {item["apply"] for item in events} == {True}
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert "bicycle" not in log.read_text()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_log_that_cannot_grow_is_told_and_leaves_nobody_undone(store):
    done = optimize(store, *DEDUPE, "--apply", "--log", "/dev/full")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "--log /dev/full: No space left on device" in done.stderr
    assert history(store) == {"ann": 1, "bob": 1, "cy": 1}
    assert json_of_memopt("optimize", "--db", store, *DEDUPE, "--log", "/dev/full", code=1)["totals"]["statuses"]["seen"] == 4


def test_what_a_full_folder_for_temporary_files_left_undone_is_told(store, tmp_path, monkeypatch):
    add, seen = Spill.add, []

    def full(self, text, number=0.0):
        if text.startswith("{"):  # what is to be told at the end
            seen.append(text)
            if len(seen) == 3:
                raise MemoptError("a temporary file could not be written or read (disk full)")
        return add(self, text, number)

    monkeypatch.setattr(Spill, "add", full)
    log = tmp_path / "run.log"
    done = optimize(store, *DEDUPE, "--apply", "--log", log, "--report", tmp_path / "run.md")
    assert done.returncode == 1 and "temporary file" in done.stderr
    assert "what it wrote stands: 3 users: 3 applied; 1 more user not tried" in done.stderr
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [event["user_id"] for event in events if event["event"] == "user"] == ["ann", "bob", "cy"]
    assert events[-1]["event"] == "error"
    assert history(store) == {"ann": 1, "bob": 1, "cy": 1}


def test_whom_a_limit_can_never_pay_for_is_named(tmp_path):
    path = make_store(
        tmp_path / "agno.db", [*rows_of(["ann", "bob"]), *(row(f"big{n}", f"Big fact {n}.", user="big") for n in range(300))]
    )
    with Endpoint(say("no")) as endpoint:
        how = ("-s", "summarize", "--model", "m", "--base-url", endpoint.base_url, "--price", "1/2", "--max-cost", "0.004")
        done = optimize(path, "--all-users", *how)
        assert done.returncode == 7, done.stderr  # the answers are no good; the limit alone would be no failure
        assert "1 user will not fit into any run with this limit: it may cost 0.0" in done.stderr and "'big'" in done.stderr
        assert "--max-cost allows 0.004" in done.stderr and "does not tell how many tokens" in done.stderr
        document = json_of_memopt("optimize", "--db", path, "--all-users", *how, code=None)
    assert document["unpayable"]["examples"] == ["big"] and document["unpayable"]["users"] == 1
    assert document["stopped"]["kind"] == "limit" and len(document["notes"]) == 1
    (big,) = [user for user in document["users"] if user["user_id"] == "big"]
    assert big["status"] == "not-tried" and big["error"]["kind"] == "limit" and big["requests"] == 0
    assert document["totals"]["usage"]["cost"] > 0


def test_check_tells_by_its_exit_code_whether_there_is_something_to_do(store):
    assert optimize(store, *DEDUPE, "--check").returncode == 3
    optimize(store, *DEDUPE, "--apply")
    assert optimize(store, *DEDUPE, "--check").returncode == 0


def test_what_a_plugin_prints_stays_out_of_the_document_and_its_exit_is_one_users(store, tmp_path):
    (tmp_path / "loud.py").write_text(
        "import sys\nfrom memopt import MemoryOptimizationStrategy, Proposal\nprint('loaded')\n"
        "class Loud(MemoryOptimizationStrategy):\n    name = 'loud'\n    def steps(self, memories):\n"
        "        print('working on', memories[0].user_id)\n        if memories[0].user_id == 'bob':\n            sys.exit(0)\n"
        "        return Proposal(list(memories)[1:])\n"
    )
    done = run_memopt(
        "optimize",
        "--db",
        store,
        "--users",
        "[ab]*",
        "--users",
        "b?b",
        "--users",
        "ann",
        "-s",
        "./loud.py:Loud",
        "--json",
        cwd=tmp_path,
    )
    assert done.returncode == 7
    document = json.loads(done.stdout)
    assert {item["user_id"]: item["status"] for item in document["users"]} == {"ann": "changed", "bob": "failed"}
    assert document["failures"][0]["kind"] == "strategy" and "wanted to end the process" in document["failures"][0]["message"]
    assert "working on ann" in done.stderr


# -- who ---------------------------------------------------------------------------------------------------------------


def test_users_are_chosen_by_pattern_file_condition_part_and_number(store, tmp_path):
    def chosen(*args, **how):
        done = json_of_memopt("optimize", "--db", store, "-s", "dedupe", *args, **how)
        return [item["user_id"] for item in done["users"]]

    assert chosen("--users", "a*", "--users", "z?e") == ["ann", "zoe"]
    listed = tmp_path / "users.txt"
    listed.write_text('bob\r\n\n"cy"\n', encoding="utf-8")
    assert chosen("--users-from", listed) == ["bob", "cy"]
    assert chosen("--users-from", "-", stdin="zoe\n") == ["zoe"]
    assert chosen("--users-from", listed, "--users", "c*") == ["cy"]
    assert chosen("--all-users", "--when", "duplicates > 0") == ["ann", "bob", "cy"]
    assert chosen("--all-users", "--limit-users", "2") == ["ann", "bob"]
    parts = [chosen("--all-users", "--shard", f"{part}/3") for part in range(3)]
    assert sorted(user for part in parts for user in part) == ["ann", "bob", "cy", "zoe"]


def test_a_policy_says_whom_and_when_and_the_command_line_is_stronger(store, tmp_path):
    (tmp_path / "memopt.toml").write_text(
        '[policies.nightly]\nusers = ["ann", "z*"]\nwhen = "duplicates > 0"\nstrategies = ["dedupe"]\n'
        "[policies.nightly.options]\ndedupe.near = false\n"
    )
    document = json_of_memopt("optimize", "--db", store, "--all-users", "--policy", "nightly", cwd=tmp_path)
    assert [item["user_id"] for item in document["users"]] == ["ann"]
    assert document["policy"] == "nightly" and document["steps"][0]["options"]["near"] is False
    assert document["totals"]["passed_over"] == {"selection": 2, "when": 1, "limit": 0, "no-user": 0}
    document = json_of_memopt(
        "optimize", "--db", store, "--all-users", "--policy", "nightly", "--when", "memories > 0", cwd=tmp_path
    )
    assert [item["user_id"] for item in document["users"]] == ["ann", "zoe"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-s", "dedupe", "--when", "tokens > 1", "--user", "ann"), "--when goes with --all-users"),
        (("-s", "dedupe", "--force", "--user", "ann"), "--force goes with"),
        (("-s", "dedupe", "--shard", "1/2", "--user", "ann"), "--shard goes with"),
        (("-s", "dedupe", "--log", "x", "--user", "ann"), "--log goes with"),
        ((*DEDUPE, "--user", "ann"), "exclude"),
        ((*DEDUPE, "--no-user"), "exclude"),
        ((*DEDUPE, "--users", "a"), "--all-users excludes"),
        (("-s", "dedupe", "--users", " "), "--users is empty"),
        (("-s", "dedupe", "--users", "nobody*"), "no user of .* fits 'nobody"),
        ((*DEDUPE, "--when", "tokens >"), "--when takes comparisons"),
        ((*DEDUPE, "--limit-users", "0"), "--limit-users takes a whole number"),
        ((*DEDUPE, "--max-minutes", "-1"), "--max-minutes takes"),
        ((*DEDUPE, "--shard", "3"), "3/16"),
        ((*DEDUPE, "--purge", "--apply"), "--purge goes with --user"),
        ((*DEDUPE, "--prompt"), "--prompt goes with --user"),
        ((*DEDUPE, "--check", "--apply"), "say one of them"),
        ((*DEDUPE, "--apply", "--out", "plans"), "say one of them"),
        ((*DEDUPE, "--out", "-"), "path of a folder"),
        ((*DEDUPE, "--out", "missing/plans"), "does not exist"),
        ((*DEDUPE, "--log", "missing/x"), "No such file"),
        ((*DEDUPE, "--only", "unsafe"), "--only takes safe"),
        (("--all-users", "-s", "nothing"), "there is no strategy"),
        (("--all-users",), "say what to do"),
        (("--all-users", "--policy", "none"), "policy 'none'"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(store, tmp_path, args, said):
    before = store.read_bytes()
    done = optimize(store, *args, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert re.search(said, done.stderr), done.stderr
    assert store.read_bytes() == before
    assert sorted(item.name for item in tmp_path.iterdir()) == ["agno.db"]


def test_a_file_of_users_that_names_nobody_or_is_none_is_a_usage_error(store, tmp_path):
    for content, said in (("\n \n", "names no user"), ('"ann\n', "line 1"), (None, "there is no file of users")):
        file = tmp_path / "u.txt"
        file.unlink(missing_ok=True)
        if content is not None:
            file.write_text(content)
        done = optimize(store, "-s", "dedupe", "--users-from", file)
        assert done.returncode == 2 and said in done.stderr


# -- plans that are kept -----------------------------------------------------------------------------------------------


def test_plans_are_kept_one_a_user_and_written_later(store, tmp_path):
    folder = tmp_path / "plans"
    done = optimize(store, *DEDUPE, "--out", folder)
    assert done.returncode == 0 and f"memopt apply {folder}" in done.stdout
    assert len(list(folder.glob("*.plan.json"))) == 3 and not history(store)
    for item in folder.iterdir():
        assert stat.S_IMODE(item.stat().st_mode) == 0o600
    one = next(folder.glob("*.plan.json"))
    assert call_memopt("apply", one, "--max-drop", "0").returncode == 4  # each is a plan like any other
    done = call_memopt("apply", folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert history(store) == {"ann": 1, "bob": 1, "cy": 1}
    document = json_of_memopt("apply", folder)
    assert {item["status"] for item in document["users"]} == {"seen"}
    assert json_of_memopt("optimize", "--db", store, *DEDUPE)["totals"]["statuses"]["seen"] == 4


def test_a_folder_of_another_store_or_none_is_refused(store, tmp_path):
    folder = tmp_path / "plans"
    optimize(store, *DEDUPE, "--out", folder)
    other = make_store(tmp_path / "other.db", rows_of(["ann"]))
    done = call_memopt("apply", folder, "--db", other)
    assert done.returncode == 5 and "not from" in done.stderr
    (tmp_path / "empty").mkdir()
    assert call_memopt("apply", tmp_path / "empty").returncode == 2
    assert call_memopt("apply", folder, "--purge").returncode == 2
    assert call_memopt("apply", next(folder.glob("*.plan.json")), "--log", tmp_path / "x").returncode == 2
    assert not history(store)


def test_what_is_safe_is_written_and_the_rest_is_kept_for_review(tmp_path):
    rows = [
        *rows_of(["ann"]),
        row("c", "User likes tea.", user="ann", at=START + 2),
        row("d", "user likes TEA", user="ann", at=START + 3),
    ]
    path = make_store(tmp_path / "a.db", rows)
    done = optimize(path, *DEDUPE, "--only", "safe", "--apply", "--out", tmp_path / "rest")
    assert done.returncode == 0, done.stderr
    assert len(records(path)) == 3
    (rest,) = (tmp_path / "rest").glob("*.plan.json")
    assert json.loads(rest.read_text())["counts"]["dropped"] == 1
    assert call_memopt("apply", rest).returncode == 0 and len(records(path)) == 2


def test_where_nothing_is_left_to_judge_no_plan_is_named(store, tmp_path):
    done = optimize(store, *DEDUPE, "--only", "safe", "--apply", "--out", tmp_path / "rest", "-v")
    assert done.returncode == 0 and not list((tmp_path / "rest").glob("*.plan.json"))
    assert "nothing is left to judge" in done.stdout and "memopt review" not in done.stdout
    ann = make_store(tmp_path / "b.db", [row("c", "Likes tea.", user="ann"), row("d", "likes TEA", user="ann")])
    done = optimize(ann, *DEDUPE, "--only", "safe", "--apply", "--out", tmp_path / "more", "-v")
    assert f"what is left to judge is in {tmp_path / 'more'}: memopt review" in done.stdout


def test_no_change_is_called_so(store):
    assert re.search(r"(\d+) -> \1 tokens \(no change\)", optimize(store, "--users", "zoe", "-s", "dedupe").stdout)
    assert re.search(r"tokens \(-\d+\.\d%\)", optimize(store, "--users", "ann", "-s", "dedupe").stdout)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("flags", [("--json",), ("-v",)])
def test_an_output_that_is_full_is_named_and_what_was_written_is_told(store, flags):
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "memopt", "optimize", "--db", str(store), *DEDUPE, "--apply", *flags]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, env=clean_environment(), text=True, check=False)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert "memopt: standard output: No space left on device" in done.stderr
    assert "what it wrote stands: 4 users: 3 applied, 1 with nothing to do" in done.stderr
    assert history(store) == {"ann": 1, "bob": 1, "cy": 1}


def test_a_user_id_of_blanks_can_be_seen(tmp_path):
    path = make_store(tmp_path / "a.db", [*rows_of([" "]), *rows_of(["ann "]), *rows_of([""])])
    rows = [line.rpartition("  ")[2] for line in optimize(path, *DEDUPE).stdout.splitlines() if "changed" in line]
    assert '" " (a blank user id)' in rows and '"ann "' in rows and '"" (an empty user id)' in rows
    done = call_memopt("doctor", "--db", path)
    assert '" " (a blank user id): ' in done.stdout


def test_the_totals_stand_once_on_a_terminal(tmp_path):
    path = make_store(tmp_path / "a.db", rows_of(["ann", "bob"], copies=4))
    args = ("optimize", "--db", str(path), *DEDUPE, "--max-drop", "1")
    _, shown = run_on_terminal(*args)
    assert shown.count("2 users: 2 failed") == 1 and "2 of 2 users failed" in shown
    piped = call_memopt(*args)
    assert "2 users: 2 failed" in piped.stdout and "2 users: 2 failed" in piped.stderr


# -- models ------------------------------------------------------------------------------------------------------------


def summarize(path, endpoint, *args, **how):
    flags = ("--all-users", "-s", "summarize", "--model", "m", "--base-url", endpoint.base_url)
    return optimize(path, *flags, *args, env={"OPENAI_API_KEY": "k" * 24}, **how)


def test_a_refused_key_costs_one_request_and_names_how_many_were_not_tried(tmp_path):
    path = make_store(tmp_path / "a.db", rows_of([f"u{n}" for n in range(50)]))
    with Endpoint(fail(401, "no", "invalid_api_key")) as endpoint:
        done = summarize(path, endpoint, "--apply", "--concurrency", "8")
        assert done.returncode == 8
        assert len(endpoint.requests) == 1
    assert "49 users not tried" in done.stderr and "1 request" in done.stderr
    assert "k" * 24 not in done.stderr + done.stdout
    assert not history(path)


def test_the_next_night_asks_only_for_those_that_changed(tmp_path):
    facts = ("likes tea", "has two cats", "works in Bern")
    rows = [row(f"{u}{n}", f"User {fact}.", user=u, at=START + n) for u in "abc" for n, fact in enumerate(facts)]
    path = make_store(tmp_path / "a.db", rows)
    with Endpoint(
        say("User likes tea, has two cats and works in Bern.", usage={"prompt_tokens": 400, "completion_tokens": 20})
    ) as endpoint:
        assert summarize(path, endpoint, "--apply").returncode == 0
        assert len(endpoint.requests) == 3
        assert summarize(path, endpoint, "--apply").returncode == 0
        assert len(endpoint.requests) == 3
        with sqlite3.connect(path) as agent:
            agent.execute(
                "INSERT INTO agno_memories (memory_id, memory, user_id, topics, created_at) "
                "VALUES ('n', '\"User plays chess.\"', 'b', 'null', 1767999999)"
            )
        summarize(path, endpoint, "--apply")
        assert len(endpoint.requests) == 4 and "chess" in endpoint.requests[-1].prompt
        summarize(path, endpoint, "--apply", "--max-requests", "2", "--force")
        assert len(endpoint.requests) <= 6


# -- ended anywhere ----------------------------------------------------------------------------------------------------


def fleet_process(path, *args):
    return subprocess.Popen(
        [sys.executable, "-m", "memopt", "optimize", "--db", str(path), *DEDUPE, "--apply", *map(str, args)],
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_lines(process, log, number):
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        if log.exists() and log.read_bytes().count(b"\n") >= number:
            return
        time.sleep(0.002)


@pytest.mark.skipif(not hasattr(os, "kill"), reason="needs signals")
@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_killed_in_the_middle_and_started_again_every_user_is_done_once(tmp_path, journal):
    users = [f"user-{number:03d}" for number in range(120)]
    path = make_store(tmp_path / "a.db", rows_of(users, copies=3), journal=journal)
    whole = tmp_path / "whole.db"
    whole.write_bytes(path.read_bytes())
    assert optimize(whole, *DEDUPE, "--apply").returncode == 0
    log = tmp_path / "log.jsonl"
    for target in (20, 50, 80):
        process = fleet_process(path, "--log", log)
        wait_for_lines(process, log, target)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert integrity(path) == "ok"
    killed = sum(history(path).values())
    assert 0 < killed < len(users), "it was not killed in the middle"
    process = fleet_process(path)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out, err) == (0, "", "")
    assert history(path) == dict.fromkeys(users, 1)
    assert dump(path) == dump(whole)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_says_what_is_left_and_the_next_run_does_it(tmp_path, number):
    users = [f"user-{place:03d}" for place in range(400)]
    path = make_store(tmp_path / "a.db", rows_of(users))
    log = tmp_path / "log.jsonl"
    process = fleet_process(path, "--log", log, "--json")
    wait_for_lines(process, log, 20)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    document = json.loads(out)
    states = Counter(item["status"] for item in document["users"])
    assert states["applied"] == sum(history(path).values()) and states["not-tried"] > 0
    assert states["applied"] + states["not-tried"] == 400 and document["stopped"]["kind"] == "interrupted"
    assert "interrupted" in err and f"{states['not-tried']} users not tried" in err
    assert optimize(path, *DEDUPE, "--apply").returncode == 0
    assert history(path) == dict.fromkeys(users, 1)


def test_interrupted_while_it_waits_for_a_model_it_ends_at_once(tmp_path):
    path = make_store(tmp_path / "a.db", rows_of(["ann", "bob"]))
    with Endpoint(say("x", delay=30)) as endpoint:
        args = [
            "optimize",
            "--db",
            path,
            "--all-users",
            "-s",
            "summarize",
            "--apply",
            "--model",
            "m",
            "--base-url",
            endpoint.base_url,
        ]
        process = subprocess.Popen(
            [sys.executable, "-m", "memopt", *map(str, args)],
            env=clean_environment(OPENAI_API_KEY="k" * 24),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        until = time.monotonic() + 60
        while not endpoint.requests and time.monotonic() < until:
            time.sleep(0.01)
        asked = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert time.monotonic() - asked < 15
    assert process.returncode == 130 and "2 users not tried" in err and "Traceback" not in err
    assert not history(path)


@pytest.mark.parametrize(("applying", "number"), [(True, signal.SIGINT), (False, signal.SIGINT), (True, signal.SIGTERM)])
def test_interrupted_a_second_time_it_ends_at_once_and_says_how_things_stand(tmp_path, applying, number):
    users = [f"user-{place:03d}" for place in range(30)]
    path = make_store(tmp_path / "a.db", rows_of(users))
    (tmp_path / "slow.py").write_text(
        "import pathlib, time\n"
        "from memopt import MemoryOptimizationStrategy\n"
        "class Slow(MemoryOptimizationStrategy):\n"
        "    def steps(self, memories):\n"
        "        quick = memories[0].user_id < 'user-003'\n"
        "        quick or pathlib.Path(__file__).with_name('begun').touch()\n"
        "        time.sleep(0.05 if quick else 30)\n"
        "        return list(memories)[:1]\n"
    )
    log = tmp_path / "log.jsonl"
    args = ("--db", path, "--all-users", "-s", f"{tmp_path / 'slow.py'}:Slow", "--log", log, *(["--apply"] if applying else []))
    process = subprocess.Popen(
        [sys.executable, "-m", "memopt", "optimize", *map(str, args)],
        env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for_lines(process, log, 3)
    until = time.monotonic() + 30
    while not (tmp_path / "begun").exists() and time.monotonic() < until:
        time.sleep(0.02)  # between two users there is nothing to wait for
    process.send_signal(number)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130 and "Traceback" not in err
    if applying:
        assert "interrupted; what was done is written, and the next run does the rest" in err and sum(history(path).values()) == 3
    else:
        assert "interrupted; nothing was written" in err and not history(path)


def test_two_runs_at_one_time_do_every_user_once(tmp_path):
    users = [f"user-{number:03d}" for number in range(150)]
    path = make_store(tmp_path / "a.db", rows_of(users), journal="wal")
    processes = [fleet_process(path, "--json", "--lock-timeout", "30") for _ in range(3)]
    documents = []
    for process in processes:
        out, err = process.communicate(timeout=180)
        assert process.returncode == 0, err
        documents.append(json.loads(out))
    applied = [item["user_id"] for document in documents for item in document["users"] if item["status"] == "applied"]
    assert sorted(applied) == users
    assert history(path) == dict.fromkeys(users, 1)
    assert {item["status"] for document in documents for item in document["users"]} <= {"applied", "seen"}


def test_many_readers_of_the_table_may_go_away(store):
    done = subprocess.run(
        f"{shlex.quote(sys.executable)} -m memopt optimize --db {shlex.quote(str(store))} --all-users -s dedupe | head -1",
        shell=True,
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Preview of 4 users" in done.stdout and "Traceback" not in done.stderr


# -- the examples ------------------------------------------------------------------------------------------------------

EXAMPLES = REPO / "examples" / "fleet"


def crontab_lines():
    for line in (EXAMPLES / "crontab").read_text().splitlines():
        match = re.match(r"([\d*/,-]+)\s+([\d*/,-]+)\s+([\d*/,-]+)\s+([\d*/,-]+)\s+([\d*/,-]+)\s+(memopt .*)$", line)
        if match:
            assert not re.search(r"(?<!\\)%", line), "cron takes a bare % for the end of the line"
            yield match[6].replace("\\%", "%")
        else:
            assert not line or line.startswith("#") or re.match(r"[A-Z_]+=", line), line


def service_line():
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str
    parser.read(EXAMPLES / "memopt.service")
    return parser["Service"]["ExecStart"].replace("%%", "%")


def cronjob():
    return yaml.safe_load((EXAMPLES / "cronjob.yaml").read_text())["spec"]["jobTemplate"]["spec"]


def run_example(words, store, tmp_path, **env):
    """The words of an example's command line against a real store, with its folders moved to a temporary one."""
    (tmp_path / "log").mkdir(exist_ok=True)
    moved = [word.replace("/var/log/memopt", str(tmp_path / "log")).replace("/srv/agent", str(tmp_path)) for word in words]
    return run_memopt(*moved, env={"MEMOPT_DB": str(store), **env})


def test_every_line_of_the_crontab_runs(store, tmp_path):
    lines = list(crontab_lines())
    assert len(lines) == 3
    for line in lines:
        words = shlex.split(line.split(" > /")[0])
        assert words.pop(0) == "memopt"
        done = run_example(words, store, tmp_path)
        assert done.returncode == 0 and done.stderr == "", done.stderr
    assert history(store) == {"ann": 1, "bob": 1, "cy": 1}
    assert len((tmp_path / "log" / "nightly.jsonl").read_text().splitlines()) == 4
    assert "Applied to 4 users" in (tmp_path / "log" / "nightly.html").read_text()
    assert "Preview of 0 users" in (tmp_path / "log" / "weekly.md").read_text()


def test_the_systemd_unit_runs(store, tmp_path):
    words = shlex.split(service_line())
    assert words[0].endswith("/memopt")
    done = run_example(words[1:], store, tmp_path)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert (tmp_path / "log" / "nightly.html").is_file()
    timer = configparser.RawConfigParser()
    timer.read(EXAMPLES / "memopt.timer")
    assert timer["Timer"]["OnCalendar"] and timer["Install"]["WantedBy"] == "timers.target"


def test_the_pods_of_the_cronjob_share_the_users(tmp_path):
    job = cronjob()
    container = job["template"]["spec"]["containers"][0]
    assert container["command"] == ["memopt"] and job["completionMode"] == "Indexed"
    users = [f"user-{number}" for number in range(40)]
    path = make_store(tmp_path / "agno.db", rows_of(users, copies=300))
    done_by = Counter()
    for index in range(job["completions"]):
        words = [word.replace("$(JOB_COMPLETION_INDEX)", str(index)) for word in container["args"]]
        done = call_memopt(*words, env={"MEMOPT_DB": str(path)})
        assert done.returncode in (0, 7), done.stderr
        done_by.update(item["user_id"] for item in json.loads(done.stdout)["users"])
    assert done_by == dict.fromkeys(users, 1)


def test_users_who_fail_in_many_parts_do_not_end_the_other_parts_of_the_cronjob():
    """What each field does: kubernetes.io/docs/concepts/workloads/controllers/job, "Backoff limit per index"."""
    job = cronjob()
    assert job["backoffLimitPerIndex"] >= 1  # without it one failed pod counts for the whole Job, and FailIndex is refused
    assert job.get("maxFailedIndexes", job["completions"]) >= job["completions"]  # more than these end the Job at once
    assert "backoffLimit" not in job
    rules = job["podFailurePolicy"]["rules"]
    assert [rule["action"] for rule in rules if 7 in rule["onExitCodes"]["values"]] == ["FailIndex"]
    assert all(rule["action"] != "FailJob" for rule in rules)
    assert job["template"]["spec"]["restartPolicy"] == "Never"  # what podFailurePolicy asks for


def test_what_the_page_on_fleets_shows_runs(store, tmp_path):
    text = (REPO / "docs" / "fleet.md").read_text(encoding="utf-8")
    commands = [
        line
        for block in re.findall(r"```\n(.*?)```", text, re.DOTALL)
        for line in block.splitlines()
        if line.startswith("memopt ")
    ]
    assert len(commands) >= 8
    for line in commands:
        words = shlex.split(line.split("   #")[0])[1:]
        (tmp_path / "vip.txt").write_text("ann\n")
        done = run_memopt(*words, env={"MEMOPT_DB": str(store)}, cwd=tmp_path)
        assert done.returncode in (0, 3), (line, done.stderr)
