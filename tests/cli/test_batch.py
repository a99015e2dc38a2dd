"""``memopt batch export`` and ``import``: what is written, what becomes of the answers, and what of those that are missing."""

from __future__ import annotations

import io
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pytest
from support import llama
from support.agnofile import clean_environment, fixture, make_store, records, row, run_memopt
from support.batches import answers_of, requests_of, result, run_batch, write_lines
from support.endpoint import Endpoint, fail, say, send_json
from support.inprocess import call_memopt, json_of_memopt
from support.notes import notes_of, tell, wants_json, without

from memopt.cli.run import run

START = 1_767_258_000
FACTS = (
    "User lives in Bern.",
    "User works as a nurse at the Insel hospital.",
    "User has two cats called Mina and Tom.",
    "User is allergic to peanuts.",
    "User plays the cello on Sundays.",
)


def brief(request):
    """Every fact once."""
    notes = notes_of(request.prompt)
    return tell(request, [(note, [notes.index(note) + 1]) for note in dict.fromkeys(notes)])


def rows_of(users, facts=FACTS):
    return [
        row(f"{user}-{place}", text, user=user, at=START + place * 86_400)
        for user in users
        for place, text in enumerate([*facts, *facts])
    ]


@pytest.fixture
def store(tmp_path):
    return make_store(tmp_path / "agno.db", [*rows_of(["ann", "bob", "cy"]), row("z", "User likes tea.", user="zoe")])


@pytest.fixture
def endpoint():
    with Endpoint(brief) as server:
        yield server


def export(store, *args, out="requests.jsonl", base_url="http://127.0.0.1:9/v1", who=("--all-users",), code=0):
    chosen = () if "-s" in args or "--policy" in args else ("-s", "summarize")
    return json_of_memopt(
        "batch", "export", "--db", store, *who, *chosen, "--model", "m", "--base-url", base_url,
        "--out", store.parent / out, *args, code=code,
    )  # fmt: skip


def import_(store, *args, out="plans", code=0):
    return json_of_memopt(
        "batch", "import", *args, "--batch", store.parent / "requests.batch", "--out", store.parent / out, code=code
    )


def statuses(document):
    return {item["user_id"]: item["status"] for item in document["users"]}


def plans_of(folder):
    found = [json.loads(path.read_text()) for path in sorted(folder.glob("*.plan.json"))]
    return {plan["user_id"]: plan for plan in found}


def but_for_time(plan):
    """A plan without what tells when it was made."""
    text = json.dumps({key: value for key, value in plan.items() if key not in ("made_at", "sha256")})
    for change in plan["changes"]:
        if change["action"] in ("revised", "added") and change["after"]["updated_at"]:
            text = text.replace(json.dumps(change["after"]["updated_at"]), '"T"')
    return json.loads(text)


# -- there and back ----------------------------------------------------------------------------------------------------


def test_the_plans_are_those_of_a_live_run_with_the_same_answers(store, endpoint, tmp_path):
    before = store.read_bytes()
    done = export(store, base_url=endpoint.base_url)
    assert statuses(done) == {"ann": "waiting", "bob": "waiting", "cy": "waiting", "zoe": "unchanged"}
    assert endpoint.requests == []
    results = run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
    found = import_(store, results)
    assert statuses(found) == {"ann": "changed", "bob": "changed", "cy": "changed", "zoe": "unchanged"}
    assert found["results"]["answers"] == found["results"]["lines"] == 3 and found["failures"] == []

    optimize = ("optimize", "--db", store, "--all-users", "-s", "summarize", "--model", "m", "--base-url", endpoint.base_url)
    json_of_memopt(*optimize, "--out", tmp_path / "live")
    live, batch = plans_of(tmp_path / "live"), plans_of(tmp_path / "plans")
    assert set(live) == set(batch) == {"ann", "bob", "cy"}
    for user in live:
        assert but_for_time(batch[user]) == but_for_time(live[user])
        assert batch[user]["usage"]["requests"] == 1 and batch[user]["usage"]["prompt_tokens"] > 0
        assert batch[user]["verification"]["reports"][0]["lineage"]
    assert store.read_bytes() == before

    assert call_memopt("apply", tmp_path / "plans").returncode == 0
    left = records(store, "ann")
    assert len(left) == 1 and all(fact in json.loads(left[0]["memory"]) for fact in FACTS)
    seen = json_of_memopt(*optimize)
    assert statuses(seen) == {"ann": "seen", "bob": "seen", "cy": "seen", "zoe": "seen"}


def rounds(store, endpoint, *args, most=9):
    """Export, and import round after round until no user waits. Returns the documents and the files of results."""
    done = [export(store, *args, base_url=endpoint.base_url)]
    results = []
    while done[-1]["files"]:
        assert len(done) <= most
        number = len(done)
        fresh = []
        for place, file in enumerate(done[-1]["files"]):
            fresh.append(run_batch(file["path"], endpoint.base_url, store.parent / f"results-{number}-{place}.jsonl"))
        results += fresh
        done.append(import_(store, *fresh, "--next", store.parent / f"round-{number + 1}.jsonl", code=None))
    return done, results


def assert_live_makes_the_same(store, endpoint, *args):
    live = ("optimize", "--db", store, "--all-users", "--model", "m", "--base-url", endpoint.base_url, *args)
    chosen = () if "-s" in args else ("-s", "summarize")
    json_of_memopt(*live, *chosen, "--out", store.parent / "live", code=None)
    live, batch = plans_of(store.parent / "live"), plans_of(store.parent / "plans")
    assert set(live) == set(batch) != set()
    for user in live:
        assert but_for_time(batch[user]) == but_for_time(live[user])


MANY = [f"User spent {number + 3} minutes on German grammar in session {number}." for number in range(20)]


def test_parts_are_merged_in_further_rounds(tmp_path):
    store = make_store(tmp_path / "agno.db", [*rows_of(["ann"], MANY), *rows_of(["bob"])])
    with Endpoint(brief) as endpoint:
        args = ("-o", "part-tokens=600")
        done, _ = rounds(store, endpoint, *args)
        assert statuses(done[0]) == {"ann": "waiting", "bob": "waiting"}
        assert statuses(done[1]) == {"ann": "waiting", "bob": "changed"}
        assert statuses(done[-1]) == {"ann": "changed", "bob": "changed"}
        assert done[0]["requests"] > 3 and [each["round"] for each in done[:3]] == [1, 2, 3]
        assert_live_makes_the_same(store, endpoint, *args)


def test_a_repair_is_a_further_round_and_a_judge_has_a_file_of_its_own(tmp_path):
    store = make_store(tmp_path / "agno.db", rows_of(["ann"]))

    def forgetful(request):
        if "verdicts" in json.dumps(request.body):
            return say(json.dumps({"verdicts": [{"fact": n, "said": False} for n in range(1, 20)]}))
        if "DRAFT" in request.prompt.upper() or "missing" in request.prompt.lower():
            return brief(request)
        return without("cello")(request)

    with Endpoint(forgetful) as endpoint:
        args = ("--on-loss", "repair", "--judge", "j")
        done, _ = rounds(store, endpoint, *args)
        assert len(done) > 2 and statuses(done[-1]) == {"ann": "changed"}
        assert done[-1]["judge"]["name"] == "j"
        plan = plans_of(tmp_path / "plans")["ann"]
        assert plan["verification"]["reports"][0]["repairs"] >= 1
        assert "cello" in json.dumps([change["after"] for change in plan["changes"]])
        assert_live_makes_the_same(store, endpoint, *args)


def test_requests_for_a_model_and_a_judge_are_never_in_one_file(tmp_path):
    store = make_store(tmp_path / "agno.db", rows_of(["ann", "bob"]))
    (tmp_path / "both.py").write_text(
        "from memopt import MemoryOptimizationStrategy, Ask\n"
        "class Both(MemoryOptimizationStrategy):\n"
        "    needs_model = True\n"
        "    def steps(self, memories):\n"
        "        yield [Ask('a', 'b'), Ask('a', 'c', judge=True)]\n"
        "        return list(memories)\n"
    )
    made = call_memopt(
        "batch", "export", "--db", store, "--all-users", "-s", f"{tmp_path}/both.py:Both", "--model", "m",
        "--out", tmp_path / "requests.jsonl", "--json", env={"MEMOPT_JUDGE": "j"},
    )  # fmt: skip
    files = json.loads(made.stdout)["files"]
    assert [(Path(file["path"]).name, file["model"], file["requests"]) for file in files] == [
        ("requests-1.jsonl", "m", 2),
        ("requests-2.jsonl", "j", 2),
    ]
    for file in files:
        assert {line["body"]["model"] for line in requests_of(file["path"])} == {file["model"]}


def test_an_answer_in_broken_json_is_asked_for_as_plain_text_in_the_next_round(store):
    def broken(request):
        return say('{"facts": [{"text": "User') if wants_json(request) else brief(request)

    with Endpoint(broken) as endpoint:
        done, _ = rounds(store, endpoint, who := "-v")
        assert who and statuses(done[1])["ann"] == "waiting" and statuses(done[2])["ann"] == "changed"
        first, second = (requests_of(each["files"][0]["path"])[0]["body"] for each in done[:2])
        assert "response_format" in first and "response_format" not in second
        assert_live_makes_the_same(store, endpoint)
        assert plans_of(store.parent / "plans")["ann"]["usage"]["requests"] == 2


def test_what_a_service_refuses_to_take_is_left_out_in_the_next_round_or_from_the_beginning(store, tmp_path):
    def no_temperature(request):
        if "temperature" in request.body:
            return fail(400, "Unsupported value: 'temperature' does not support 0 with this model.", "unsupported_value")
        return brief(request)

    with Endpoint(no_temperature) as endpoint:
        done, _ = rounds(store, endpoint)
        assert [statuses(each)["ann"] for each in done] == ["waiting", "waiting", "changed"]
        told = export(store, "--without", "temperature", "--without", "schema", out="b.jsonl")
        assert told["requests"] == 3
        assert all(set(line["body"]) == {"model", "messages"} for line in requests_of(tmp_path / "b.jsonl"))
        export(store, "--model", "gpt-5-mini", out="c.jsonl")
        assert all("temperature" not in line["body"] for line in requests_of(tmp_path / "c.jsonl"))


@pytest.mark.parametrize("chain", [("dedupe", "summarize"), ("summarize", "recent"), ("profile",)])
def test_chains_and_other_strategies_go_through_files_too(store, chain, tmp_path):
    schema = {"type": "object", "properties": {"city": {"type": "string"}, "job": {"type": "string"}}}

    def answer(request):
        return say(json.dumps({"city": "Bern", "job": "a nurse"})) if '"city"' in json.dumps(request.body) else brief(request)

    with Endpoint(answer) as endpoint:
        args = [item for name in chain for item in ("-s", name)]
        args += ["-o", "keep=1"] if "recent" in chain else []
        args += ["-o", f"schema={json.dumps(schema)}"] if "profile" in chain else []
        done, _ = rounds(store, endpoint, *args)
        assert statuses(done[-1])["ann"] == "changed"
        assert_live_makes_the_same(store, endpoint, *args)


@pytest.mark.parametrize(
    "args", [("--on-loss", "repair"), ("-o", "part-tokens=500"), ("-s", "dedupe", "-s", "summarize", "-o", "per=topic")]
)
def test_real_memories_in_several_languages_are_planned_as_live(tmp_path, args):
    store = fixture("agno_v3.db", tmp_path)
    with Endpoint(without("coffee", "Bern", "tea")) as endpoint:
        args = ("--context-tokens", "4000", *args)
        done, _ = rounds(store, endpoint, *args)
        assert done[-1]["failures"] == [] and statuses(done[-1])["u2"] == "changed"
        assert_live_makes_the_same(store, endpoint, *args)


def test_processes_with_other_hash_seeds_ask_the_same(tmp_path):
    store = make_store(tmp_path / "agno.db", [*rows_of(["ann"], MANY), *rows_of(["bob"])])
    base = ("--batch", tmp_path / "requests.batch", "--out", tmp_path / "plans", "--json")
    with Endpoint(without("cello", "session 7")) as endpoint:
        run_memopt(
            "batch", "export", "--db", store, "--all-users", "-s", "summarize", "-o", "part-tokens=600", "--on-loss", "repair",
            "--model", "m", "--base-url", endpoint.base_url, "--out", tmp_path / "r1.jsonl", "--batch", tmp_path / "requests.batch",
            env={"PYTHONHASHSEED": "1"},
        )  # fmt: skip
        for number in range(1, 9):
            results = run_batch(tmp_path / f"r{number}.jsonl", endpoint.base_url, tmp_path / f"a{number}.jsonl")
            seed = {"PYTHONHASHSEED": str(number + 1)}
            done = run_memopt("batch", "import", results, *base, "--next", tmp_path / f"r{number + 1}.jsonl", env=seed)
            assert done.returncode == 0, done.stderr
            document = json.loads(done.stdout)
            if not document["files"]:
                break
        assert set(statuses(document).values()) == {"changed"} and number > 1
        assert document["results"]["unknown"] == 0


# -- what comes back otherwise -----------------------------------------------------------------------------------------


@pytest.fixture
def answered(store, endpoint):
    """A batch of three users, and their results by user."""
    export(store, base_url=endpoint.base_url)
    lines = answers_of(store.parent / "requests.jsonl", endpoint.base_url)
    return dict(zip(("ann", "bob", "cy"), lines, strict=True))


def failures(document):
    return {user: item["kind"] for item in document["failures"] for user in item["examples"]}


def changed(line, **message):
    body = json.loads(json.dumps(line["response"]["body"]))
    finish = message.pop("finish_reason", "stop")
    body["choices"][0]["message"].update(message)
    body["choices"][0]["finish_reason"] = finish
    return result(line["custom_id"], 200, body)


def error_line(line, status, error, response=True):
    given = {"status_code": status, "request_id": "r", "body": None} if response else None
    return {"id": "x", "custom_id": line["custom_id"], "response": given, "error": error}


OPENAI_ERROR = {"error": {"message": "The server had an error", "type": "server_error", "param": None, "code": None}}
EXPIRED = {"code": "batch_expired", "message": "This request could not be executed before the completion window expired."}

BAD = {
    "missing": (lambda line: [], "missing"),
    "cut-off line": (lambda line: [json.dumps(line)[:300]], "missing"),
    "http 500": (lambda line: [result(line["custom_id"], 500, OPENAI_ERROR)], "next-round"),
    "rate limit": (
        lambda line: [result(line["custom_id"], 429, {"error": {"message": "Rate limit reached. Please try again in 20m0s."}})],
        "next-round",
    ),
    "http 400": (lambda line: [result(line["custom_id"], 400, {"error": {"message": "bad model"}})], "request"),
    "vLLM 400": (
        lambda line: [error_line(line, 400, {"message": "max_tokens is bad", "code": 400})],
        "next-round",
    ),  # perhaps it is the schema
    "vLLM text": (lambda line: [error_line(line, 400, "The request was refused")], "next-round"),
    "expired": (lambda line: [error_line(line, 0, EXPIRED, response=False)], "next-round"),
    "no credit": (lambda line: [result(line["custom_id"], 429, {"error": {"code": "insufficient_quota"}})], "request"),
    "refusal": (lambda line: [changed(line, content=None, refusal="I cannot help with that.")], "answer"),
    "refusal in words": (lambda line: [changed(line, content="I'm sorry, but I can't help with that.")], "answer"),
    "length": (lambda line: [changed(line, content="User lives", finish_reason="length")], "next-round"),
    "empty": (lambda line: [changed(line, content="")], "next-round"),
    "no body": (lambda line: [error_line(line, 200, None)], "missing"),
    "no choices": (lambda line: [result(line["custom_id"], 200, {"object": "list"})], "request"),
    "nonsense body": (lambda line: [result(line["custom_id"], 200, "<html>")], "request"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_bad_line_is_told_and_the_other_users_get_their_plans(store, answered, name, tmp_path):
    spoil, kind = BAD[name]
    lines = [answered["ann"], answered["cy"], *spoil(answered["bob"])]
    found = import_(store, write_lines(tmp_path / "results.jsonl", lines), code=7)
    assert statuses(found) == {"ann": "changed", "bob": "failed", "cy": "changed", "zoe": "unchanged"}
    assert failures(found) == {"bob": kind}
    assert set(plans_of(tmp_path / "plans")) == {"ann", "cy"}
    told = call_memopt("batch", "import", tmp_path / "results.jsonl", "--out", tmp_path / "plans", cwd=tmp_path)
    assert told.returncode == 7 and "1 of 4 users failed" in told.stderr and "'bob'" in told.stderr
    assert call_memopt("apply", tmp_path / "plans").returncode == 0
    assert len(records(store, "bob")) == 10 and len(records(store, "ann")) == 1


def test_what_came_late_is_taken_up_where_the_first_import_left_off(store, answered, tmp_path):
    first = write_lines(tmp_path / "first.jsonl", [answered["ann"]])
    assert failures(import_(store, first, code=7)) == {"bob": "missing", "cy": "missing"}
    call_memopt("apply", tmp_path / "plans")
    second = write_lines(tmp_path / "second.jsonl", [answered["cy"], answered["bob"]])
    found = import_(store, second)
    assert statuses(found) == {"ann": "seen", "bob": "changed", "cy": "changed", "zoe": "unchanged"}
    applied = json_of_memopt("apply", tmp_path / "plans")
    assert statuses(applied) == {"ann": "seen", "bob": "applied", "cy": "applied"}


def test_duplicates_strangers_and_requests_among_the_results_are_counted(store, answered, tmp_path):
    other = changed(answered["ann"], content="User is a pirate.")
    stranger = result("memopt-00000000-" + "0" * 32, 200, {})
    foreign = result("request-1", 200, {})
    sent = requests_of(tmp_path / "requests.jsonl")[0]
    lines = [
        answered["ann"],
        "\n",
        other,
        answered["ann"],
        answered["bob"],
        stranger,
        foreign,
        sent,
        "{}\n",
        "nonsense\n",
        answered["cy"],
    ]
    found = import_(store, write_lines(tmp_path / "results.jsonl", lines))
    assert found["results"] == {
        "files": 1, "lines": 10, "answers": 3, "failures": 0, "repeated": 1, "duplicates": 1, "unknown": 2, "outdated": 0,
        "broken": 2, "requests": 1,
    }  # fmt: skip
    assert "pirate" not in json.dumps(plans_of(tmp_path / "plans"))


def test_an_answer_takes_the_place_of_an_error_and_never_the_other_way(store, answered, tmp_path):
    failed = {user: result(line["custom_id"], 500, OPENAI_ERROR) for user, line in answered.items()}
    errors = write_lines(tmp_path / "errors.jsonl", [failed["ann"], failed["bob"]])
    answers = write_lines(tmp_path / "answers.jsonl", [answered["ann"], answered["cy"], failed["cy"]])
    found = import_(store, errors, answers, code=7)
    assert failures(found) == {"bob": "next-round"} and found["results"]["duplicates"] == 1


def test_what_failed_for_a_while_is_asked_again_twice(store, endpoint, tmp_path):
    export(store, "--users", "ann", base_url=endpoint.base_url, who=())
    asked = []
    for number in range(1, 4):
        sent = requests_of(tmp_path / ("requests.jsonl" if number == 1 else f"r{number}.jsonl"))
        asked += [line["custom_id"] for line in sent]
        lines = [result(line["custom_id"], 503, OPENAI_ERROR) for line in sent]
        results = write_lines(tmp_path / "results.jsonl", lines)
        found = import_(store, results, "--next", tmp_path / f"r{number + 1}.jsonl", code=None)
        if number < 3:
            assert statuses(found) == {"ann": "waiting"}
    assert failures(found) == {"ann": "request"} and len(set(asked)) == 3


def test_a_request_that_failed_for_good_is_asked_again_where_that_is_said(store, answered, endpoint, tmp_path):
    no_credit = [result(line["custom_id"], 429, {"error": {"code": "insufficient_quota"}}) for line in answered.values()]
    results = write_lines(tmp_path / "results.jsonl", no_credit)
    assert set(failures(import_(store, results, code=7)).values()) == {"request"}
    found = import_(store, results, "--next", tmp_path / "next.jsonl", "--again", "failed")
    assert list(statuses(found).values()).count("waiting") == 3
    again = run_batch(tmp_path / "next.jsonl", endpoint.base_url, tmp_path / "again.jsonl")
    assert [line["custom_id"] for line in requests_of(tmp_path / "next.jsonl")] == [x["custom_id"] for x in answered.values()]
    found = import_(store, again)
    assert list(statuses(found).values()).count("changed") == 3


def test_what_has_no_line_is_asked_again_where_that_is_said(store, answered, tmp_path):
    results = write_lines(tmp_path / "results.jsonl", [answered["ann"]])
    found = import_(store, results, "--next", tmp_path / "next.jsonl", code=7)
    assert found["files"] == [] and not (tmp_path / "next.jsonl").exists()
    found = import_(store, results, "--next", tmp_path / "next.jsonl", "--again", "missing")
    assert [line["custom_id"] for line in requests_of(tmp_path / "next.jsonl")] == [
        answered[u]["custom_id"] for u in ("bob", "cy")
    ]
    last = write_lines(tmp_path / "last.jsonl", [answered["bob"], answered["cy"]])
    assert list(statuses(import_(store, last)).values()).count("changed") == 3


def test_the_order_of_the_lines_does_not_matter(tmp_path, endpoint):
    store = make_store(tmp_path / "agno.db", [*rows_of(["ann", "bob"], MANY), *rows_of(["cy"])])
    export(store, "-o", "part-tokens=600", base_url=endpoint.base_url)
    lines = answers_of(tmp_path / "requests.jsonl", endpoint.base_url)
    assert len(lines) > 5
    lines[1] = result(lines[1]["custom_id"], 500, OPENAI_ERROR)
    found = []
    for seed in range(5):
        random.Random(seed).shuffle(lines)
        folder = tmp_path / str(seed)
        folder.mkdir()
        batch = shutil.copy(tmp_path / "requests.batch", folder)
        halves = [write_lines(folder / f"{n}.jsonl", lines[n::2]) for n in range(2)]
        args = ("--batch", batch, "--out", folder / "plans", "--next", folder / "next.jsonl")
        assert call_memopt("batch", "import", *halves, *args).returncode == 0
        plans = {path.name: path.read_bytes() for path in (folder / "plans").glob("*.plan.json")}
        found.append((plans, (folder / "next.jsonl").read_bytes()))
    assert len(found[0][0]) == 1 and found[0][1].count(b"\n") > 1
    assert all(each == found[0] for each in found)


# -- memories that move on ---------------------------------------------------------------------------------------------


def change_one(store, user, text="User moved to Oslo."):
    with sqlite3.connect(store) as conn:
        conn.execute("UPDATE agno_memories SET memory = ? WHERE memory_id = ?", (json.dumps(text), f"{user}-0"))
    conn.close()


def test_nobody_is_planned_on_answers_about_memories_that_changed_since(store, answered, endpoint, tmp_path):
    change_one(store, "bob")
    with sqlite3.connect(store) as conn:
        conn.execute("DELETE FROM agno_memories WHERE user_id = 'cy'")
    conn.close()
    results = write_lines(tmp_path / "results.jsonl", answered.values())
    found = import_(store, results, code=7)
    assert failures(found) == {"bob": "conflict", "cy": "conflict"} and statuses(found)["ann"] == "changed"
    assert set(plans_of(tmp_path / "plans")) == {"ann"}

    found = import_(store, results, "--next", tmp_path / "next.jsonl", "--again", "stale", code=7)
    assert failures(found) == {"cy": "conflict"} and statuses(found)["bob"] == "waiting"
    (sent,) = requests_of(tmp_path / "next.jsonl")
    assert "Oslo" in json.dumps(sent["body"]) and sent["custom_id"] != answered["bob"]["custom_id"]
    late = import_(store, results, code=7)
    assert late["results"]["outdated"] == 1 and failures(late)["bob"] == "missing"
    again = run_batch(tmp_path / "next.jsonl", endpoint.base_url, tmp_path / "again.jsonl")
    assert statuses(import_(store, again, code=7))["bob"] == "changed"
    assert "Oslo" in json.dumps(plans_of(tmp_path / "plans")["bob"])
    assert call_memopt("apply", tmp_path / "plans").returncode == 0


def test_answers_to_the_same_words_are_stale_too_where_anything_in_the_row_changed(store, answered, tmp_path):
    with sqlite3.connect(store) as conn:
        conn.execute("UPDATE agno_memories SET feedback = 'good' WHERE memory_id = 'bob-0'")
    conn.close()
    results = write_lines(tmp_path / "results.jsonl", answered.values())
    assert failures(import_(store, results, code=7)) == {"bob": "conflict"}
    found = import_(store, results, "--next", tmp_path / "next.jsonl", "--again", "stale")
    assert statuses(found)["bob"] == "waiting"
    (sent,) = requests_of(tmp_path / "next.jsonl")
    old = next(line for line in requests_of(tmp_path / "requests.jsonl") if line["custom_id"] == answered["bob"]["custom_id"])
    assert sent["body"] == old["body"] and sent["custom_id"] != old["custom_id"]


def test_a_plan_that_was_made_too_early_is_a_conflict_when_it_is_written(store, answered, tmp_path):
    import_(store, write_lines(tmp_path / "results.jsonl", answered.values()))
    change_one(store, "bob")
    applied = json_of_memopt("apply", tmp_path / "plans", code=7)
    assert statuses(applied) == {"ann": "applied", "bob": "failed", "cy": "applied"}


def test_users_who_are_as_the_last_run_left_them_are_passed_over(store, answered, tmp_path):
    import_(store, write_lines(tmp_path / "results.jsonl", answered.values()))
    call_memopt("apply", tmp_path / "plans")
    again = export(store, out="b.jsonl", base_url="http://127.0.0.1:9/v1")
    assert statuses(again) == {"ann": "seen", "bob": "seen", "cy": "seen", "zoe": "seen"}
    assert again["files"] == [] and again["batch"] is None
    assert not (tmp_path / "b.jsonl").exists() and not (tmp_path / "b.batch").exists()
    # what is left of them is a single memory, of which there is nothing to summarize
    forced = export(store, "--force", out="b.jsonl")
    assert set(statuses(forced).values()) == {"unchanged"}


def test_nobody_is_asked_again_about_users_whom_the_answers_left_as_they_are(tmp_path):
    store = make_store(tmp_path / "agno.db", rows_of(["ann", "bob"], facts=("User likes tea.", "User has a cat.")))
    with Endpoint(say("User likes tea. User has a cat. " * 12)) as endpoint:
        export(store, base_url=endpoint.base_url)
        results = run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
    args = ("batch", "import", results, "--batch", tmp_path / "requests.batch", "--out", tmp_path / "plans")
    told = call_memopt(*args)
    assert told.returncode == 0 and "nothing to change" in told.stdout and "memopt apply" in told.stdout, told
    before = records(store, "ann")
    with sqlite3.connect(store) as conn:
        conn.execute("UPDATE agno_memories SET memory = '\"User likes beer.\"' WHERE memory_id = 'bob-0'")
    assert call_memopt("apply", tmp_path / "plans").returncode == 0
    assert records(store, "ann") == before
    again = export(store, out="b.jsonl")
    assert statuses(again) == {"ann": "seen", "bob": "waiting"}  # what was found of bob's memories is not true of others


def test_an_import_after_the_plans_were_applied_knows_that_they_were(store, answered, tmp_path):
    results = write_lines(tmp_path / "results.jsonl", answered.values())
    import_(store, results)
    call_memopt("apply", tmp_path / "plans")
    args = ("batch", "import", results, "--batch", tmp_path / "requests.batch", "--out", tmp_path / "plans")
    told = call_memopt(*args)
    assert told.returncode == 0 and "write exactly this" not in told.stdout
    assert statuses(import_(store, results)) == {"ann": "seen", "bob": "seen", "cy": "seen", "zoe": "unchanged"}
    with sqlite3.connect(store) as conn:
        (run,) = conn.execute("SELECT max(run_id) FROM memopt_journal WHERE user_id = 'bob'").fetchone()
    assert call_memopt("undo", run, "--db", store).returncode == 0
    assert statuses(import_(store, results))["bob"] == "changed"  # the memories are again those that the plan is for


def test_an_import_does_not_offer_a_plan_whose_memories_changed_since(store, answered, tmp_path):
    results = write_lines(tmp_path / "results.jsonl", answered.values())
    import_(store, results)
    change_one(store, "bob")
    assert failures(import_(store, results, code=7)) == {"bob": "conflict"}


def test_while_all_wait_for_a_further_round_it_says_what_is_to_be_done(store, answered, tmp_path):
    lines = [result(answered[user]["custom_id"], 500, {"error": {"message": "overloaded"}}) for user in answered]
    results = write_lines(tmp_path / "results.jsonl", lines)
    args = ("batch", "import", results, "--batch", tmp_path / "requests.batch", "--out", tmp_path / "plans")
    told = call_memopt(*args, "--next", tmp_path / "r2.jsonl")
    assert "\nnothing to do" not in told.stdout and "no plan to write yet" in told.stdout
    assert "r2.jsonl answered" in told.stdout and "memopt batch import RESULTS" in told.stdout


def test_the_clock_of_the_strategies_is_that_of_the_export(tmp_path):
    store = make_store(tmp_path / "agno.db", rows_of(["ann"]))
    (tmp_path / "dated.py").write_text(
        "from memopt import Ask, MemoryOptimizationStrategy\n"
        "class Dated(MemoryOptimizationStrategy):\n"
        "    needs_model = True\n"
        "    now = None\n"
        "    def steps(self, memories):\n"
        "        reply = yield Ask('Be brief.', f'It is {self.now}.')\n"
        "        return list(memories)[: int(reply.text)]\n"
    )
    export(store, "-s", f"{tmp_path}/dated.py:Dated")
    (sent,) = requests_of(tmp_path / "requests.jsonl")
    time.sleep(1.1)
    results = write_lines(tmp_path / "results.jsonl", [result(sent["custom_id"], 200, completion("3"))])
    assert statuses(import_(store, results)) == {"ann": "changed"}


def completion(text, finish_reason="stop", **usage):
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": text}}
    return {"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage or None}


# -- limits, files, secrets --------------------------------------------------------------------------------------------


def test_requests_and_cost_are_limited_over_all_rounds(tmp_path):
    store = make_store(tmp_path / "agno.db", [*rows_of(["ann"], MANY), *rows_of(["bob", "cy"])])
    with Endpoint(brief) as endpoint:
        parts = ("-o", "part-tokens=600")
        done = export(store, *parts, "--max-requests", "2", base_url=endpoint.base_url, out="two.jsonl")
        assert done["stopped"]["kind"] == "limit" and done["requests"] == 2
        assert list(statuses(done).values()) == ["not-tried", "waiting", "waiting"]  # ann alone needs more
        done = export(store, *parts, "--max-requests", "4", base_url=endpoint.base_url)
        asked = done["requests"]
        assert done["stopped"]["kind"] == "limit" and asked == 4
        assert list(statuses(done).values()) == ["waiting", "waiting", "not-tried"]
        results = run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
        limit = ("--max-requests", str(asked))
        found = import_(store, results, "--next", tmp_path / "next.jsonl", *limit)
        assert found["stopped"]["kind"] == "limit" and statuses(found)["ann"] == "not-tried" and found["files"] == []
        assert all(status == "changed" for user, status in statuses(found).items() if user != "ann")
        found = import_(store, results, "--next", tmp_path / "next.jsonl", "--max-requests", "100")
        assert statuses(found)["ann"] == "waiting" and found["stopped"] is None

    other = make_store(tmp_path / "b.db", rows_of(["ann", "bob"]))
    assert export(other, "--max-cost", "1", out="b.jsonl", code=2)["error"]["kind"] == "usage"
    done = export(other, "--max-cost", "0.0000001", "--price", "1/1", out="b.jsonl")
    assert done["files"] == [] and done["stopped"]["kind"] == "limit"
    done = export(other, "--max-cost", "0.0012", "--price", "1/1", out="b.jsonl")
    assert list(statuses(done).values()) == ["waiting", "not-tried"]


def test_answers_that_cost_more_than_was_allowed_are_told(tmp_path):
    def dear(request):
        answer = json.loads(brief(request).body)
        answer["usage"] = {"prompt_tokens": 900, "completion_tokens": 900_000}
        return send_json(answer)

    store = make_store(tmp_path / "agno.db", rows_of(["ann"]))
    with Endpoint(dear) as endpoint:
        export(store, "--max-cost", "0.01", "--price", "1/1", base_url=endpoint.base_url)
        results = run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
        found = import_(store, results)
    assert statuses(found) == {"ann": "changed"} and "the limit of cost was passed" in found["notes"][0]
    assert "0.9009 is spent, and --max-cost allows 0.01" in found["notes"][0]


def test_too_many_requests_for_one_file_go_into_several(tmp_path, endpoint):
    store = make_store(tmp_path / "agno.db", rows_of([f"u{n}" for n in range(5)]))
    done = export(store, "--max-per-file", "2", base_url=endpoint.base_url)
    names = [Path(file["path"]).name for file in done["files"]]
    assert names == ["requests-1.jsonl", "requests-2.jsonl", "requests-3.jsonl"]
    assert [file["requests"] for file in done["files"]] == [2, 2, 1]
    for file in done["files"]:
        assert len(requests_of(file["path"])) == file["requests"]
        assert Path(file["path"]).stat().st_size == file["bytes"]
    assert not (tmp_path / "requests.jsonl").exists()
    results = [run_batch(file["path"], endpoint.base_url, tmp_path / f"a{n}") for n, file in enumerate(done["files"])]
    found = import_(store, results[0], code=7)
    assert list(statuses(found).values()).count("changed") == 2
    found = import_(store, *results[::-1])
    assert set(statuses(found).values()) == {"changed"}


def test_nobody_else_can_read_the_files_and_no_id_names_a_user(store, endpoint, tmp_path):
    key = "sk-proj-0123456789abcdefghijklmnop"
    done = call_memopt(
        "batch", "export", "--db", store, "--all-users", "-s", "summarize", "--model", "m", "--out", tmp_path / "requests.jsonl",
        "--base-url", endpoint.base_url.replace("://", "://joe:secretword@"), env={"OPENAI_API_KEY": key},
    )  # fmt: skip
    assert done.returncode == 0 and not set(tmp_path.iterdir()) - {
        tmp_path / n for n in ("agno.db", "requests.jsonl", "requests.batch")
    }
    results = run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
    results.chmod(0o600)
    import_(store, results)
    for path in (tmp_path / "requests.jsonl", tmp_path / "requests.batch", *(tmp_path / "plans").iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert key not in path.read_text(errors="replace") and "secretword" not in path.read_text(errors="replace")
    ids = [line["custom_id"] for line in requests_of(tmp_path / "requests.jsonl")]
    other = export(store, out="other.jsonl", base_url=endpoint.base_url)
    assert other["requests"] == 3
    assert not set(ids) & {line["custom_id"] for line in requests_of(tmp_path / "other.jsonl")}
    assert not any(user in line for user in ("ann", "bob") for line in ids)


def test_ids_texts_and_lines_of_every_kind_come_back_whole(tmp_path):
    odd = ["李雷", "a b\nc", "émile\u2028x", "🦊", "x" * 300, "0"]
    facts = ["用户住在伯尔尼。", "User said 🦊\u2028and\u2029more.", "User's “quote” and \\ back."]
    rows = [row(f"{n}-{place}", text, user=user) for n, user in enumerate(odd) for place, text in enumerate(facts * 2)]
    store = make_store(tmp_path / "agno.db", [*rows, row("none", "Of nobody.", user=None)])
    with Endpoint(brief) as endpoint:
        done, _ = rounds(store, endpoint)
        assert [each["user_id"] for each in done[0]["users"]] != [] and set(statuses(done[-1])) == set(odd)
        raw = (tmp_path / "requests.jsonl").read_text(encoding="utf-8")
        assert len(raw.splitlines()) == len(odd)
        assert_live_makes_the_same(store, endpoint)


# -- what ends it early ------------------------------------------------------------------------------------------------


def test_an_import_that_is_killed_is_given_again(store, answered, tmp_path):
    results = write_lines(tmp_path / "results.jsonl", answered.values())
    (tmp_path / "kill.py").write_text(
        "import os, signal\n"
        "from memopt.folder import PlanFolder\n"
        "add = PlanFolder.add\n"
        "def killed(self, plan, state):\n"
        "    add(self, plan, state)\n"
        "    if plan.user_id == 'bob':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "PlanFolder.add = killed\n"
        "from memopt.__main__ import main\n"
        "main()\n"
    )
    args = ["batch", "import", results, "--batch", tmp_path / "requests.batch", "--out", tmp_path / "plans"]
    command = [sys.executable, tmp_path / "kill.py", *args, "--next", tmp_path / "next.jsonl"]
    assert subprocess.run(list(map(str, command)), capture_output=True, env=clean_environment()).returncode == -signal.SIGKILL
    half = {path.name: path.read_bytes() for path in (tmp_path / "plans").glob("*.plan.json")}
    assert len(half) == 2
    found = import_(store, results)
    assert statuses(found) == {"ann": "changed", "bob": "changed", "cy": "changed", "zoe": "unchanged"}
    assert all((tmp_path / "plans" / name).read_bytes() == data for name, data in half.items())
    assert found["results"]["answers"] == 3  # nothing of the killed import was kept


def test_a_signal_while_the_document_is_printed_comes_too_late(store, tmp_path, monkeypatch):
    class Interrupted(io.StringIO):
        def write(self, text):
            if not self.tell():
                os.kill(os.getpid(), signal.SIGTERM)
            return super().write(text)

    monkeypatch.setattr(sys, "stdout", out := Interrupted())
    monkeypatch.chdir(tmp_path)
    args = ["--db", str(store), "--all-users", "-s", "summarize", "--model", "m", "--out", "requests.jsonl", "--json"]
    assert run(["batch", "export", *args]) == 0
    document = json.loads(out.getvalue())
    assert [file["requests"] for file in document["files"]] == [3] and "error" not in document


def test_an_interrupted_export_leaves_nothing(store, tmp_path):
    (tmp_path / "stop.py").write_text(
        "import os, signal\n"
        "from memopt.batch import RequestFiles\n"
        "add = RequestFiles.add\n"
        "def stopped(self, model, line):\n"
        "    add(self, model, line)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "RequestFiles.add = stopped\n"
        "from memopt.__main__ import main\n"
        "main()\n"
    )
    args = [
        "batch",
        "export",
        "--db",
        store,
        "--all-users",
        "-s",
        "summarize",
        "--model",
        "m",
        "--out",
        tmp_path / "requests.jsonl",
    ]
    done = subprocess.run(
        list(map(str, [sys.executable, tmp_path / "stop.py", *args])), capture_output=True, text=True, env=clean_environment()
    )
    assert done.returncode == 130 and "interrupted" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"agno.db", "stop.py"}


def limited(size, *args):
    """memopt in a process whose files may not grow beyond so many bytes."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    command = [sys.executable, "-m", "memopt", "batch", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, env=clean_environment(), preexec_fn=limit)


@pytest.mark.parametrize("size", [1_000, 20_000, 32_000])
def test_a_full_disk_is_told_in_one_line_and_leaves_no_half_of_a_batch(tmp_path, size):
    store = make_store(tmp_path / "agno.db", rows_of([f"u{n}" for n in range(20)]))
    out = tmp_path / "requests.jsonl"
    args = ("export", "--db", store, "--all-users", "-s", "summarize", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    done = limited(size, *args, "--out", out)
    assert done.returncode in (1, 6) and len(done.stderr.splitlines()) == 1 and "Traceback" not in done.stderr, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"agno.db"}


def test_an_import_onto_a_full_disk_changes_nothing(tmp_path, endpoint):
    store = make_store(tmp_path / "agno.db", rows_of([f"u{n}" for n in range(20)]))
    export(store, base_url=endpoint.base_url)
    results = run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
    batch = tmp_path / "requests.batch"
    before = batch.read_bytes()
    args = ("import", results, "--batch", batch, "--out", tmp_path / "plans")
    done = limited(batch.stat().st_size, *args)
    assert done.returncode in (1, 6) and "Traceback" not in done.stderr, done.stderr
    with sqlite3.connect(batch) as conn:
        assert conn.execute("SELECT count(*) FROM requests WHERE reply IS NOT NULL").fetchone() == (0,)
    conn.close()
    assert batch.read_bytes() == before
    assert set(statuses(import_(store, results)).values()) == {"changed"}


def test_two_imports_of_one_batch_do_not_run_at_the_same_time(store, answered, tmp_path):
    results = write_lines(tmp_path / "results.jsonl", answered.values())
    with sqlite3.connect(tmp_path / "requests.batch", isolation_level=None) as conn:
        conn.execute("BEGIN IMMEDIATE")
        told = import_(store, results, code=6)
        assert told["error"]["kind"] == "locked" and "another memopt batch import" in told["error"]["message"]
    conn.close()
    assert import_(store, results)["failures"] == []


# -- strategies that do not go through files ---------------------------------------------------------------------------


def strategy(folder, body, name="Own"):
    text = "import os, random\nfrom memopt import Ask, MemoryOptimizationStrategy, UserMemory\n"
    path = folder / "own.py"
    path.write_text(f"{text}class {name}(MemoryOptimizationStrategy):\n    needs_model = True\n{body}")
    return f"{path}:{name}"


def test_a_strategy_that_asks_otherwise_each_time_ends(store, tmp_path):
    own = strategy(
        tmp_path,
        "    def steps(self, memories):\n        yield Ask('x', f'{os.urandom(8).hex()}')\n        return list(memories)[:1]\n",
    )
    export(store, "-s", own, "--users", "ann", who=())
    sent = requests_of(tmp_path / "requests.jsonl")
    results = write_lines(tmp_path / "results.jsonl", [result(line["custom_id"], 200, completion("ok")) for line in sent])
    found = import_(store, results, "--next", tmp_path / "next.jsonl", code=7)
    assert failures(found) == {"ann": "strategy"} and found["files"] == []


def test_a_strategy_that_takes_every_exception_for_an_answer_makes_no_plan_of_that(store, tmp_path):
    own = strategy(
        tmp_path,
        "    def optimize(self, memories, model=None):\n"
        "        try:\n"
        "            text = model.answer(Ask('x', 'y')).text\n"
        "        except Exception:\n"
        "            text = 'nothing'\n"
        "        return list(memories)[: 1 if text == 'one' else 2]\n",
    )
    done = export(store, "-s", own, "--users", "ann", who=())
    assert statuses(done) == {"ann": "waiting"}
    (sent,) = requests_of(tmp_path / "requests.jsonl")
    results = write_lines(tmp_path / "results.jsonl", [result(sent["custom_id"], 200, completion("one"))])
    found = import_(store, results)
    assert len([c for c in plans_of(tmp_path / "plans")["ann"]["changes"] if c["action"] == "kept"]) == 1
    assert statuses(found) == {"ann": "changed"}


def test_the_same_request_twice_is_two_requests(store, tmp_path):
    own = strategy(
        tmp_path,
        "    def steps(self, memories):\n"
        "        replies = yield [Ask('x', 'y'), Ask('x', 'y')]\n"
        "        third = yield Ask('x', 'y')\n"
        "        return list(memories)[: sum(int(r.text) for r in [*replies, third])]\n",
    )
    export(store, "-s", own, "--users", "ann", who=())
    first, second = requests_of(tmp_path / "requests.jsonl")
    assert first["body"] == second["body"] and first["custom_id"] != second["custom_id"]
    lines = [result(line["custom_id"], 200, completion(n)) for line, n in ((first, "1"), (second, "2"))]
    import_(store, write_lines(tmp_path / "a.jsonl", lines), "--next", tmp_path / "next.jsonl")
    (third,) = requests_of(tmp_path / "next.jsonl")
    import_(store, write_lines(tmp_path / "b.jsonl", [result(third["custom_id"], 200, completion("3"))]))
    assert plans_of(tmp_path / "plans")["ann"]["counts"]["kept"] == 6


def test_a_prompt_that_changed_since_the_export_is_told(store, answered, tmp_path):
    results = write_lines(tmp_path / "results.jsonl", answered.values())
    with mock.patch("memopt.strategies.prompts.SUMMARIZE", "Be brief."):
        told = import_(store, results, code=5)
    assert "export anew" in told["error"]["message"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-s", "dedupe", "--model", "m", "--all-users"), "ask no model"),
        (("-s", "summarize", "--all-users"), "--model NAME"),
        (("-s", "summarize", "--all-users", "--model", "builtin"), "--model NAME"),
        (("-s", "summarize", "--model", "m"), "say which users"),
        (("-s", "summarize", "--model", "m", "--all-users", "--user", "ann"), "exclude"),
        (("-s", "summarize", "--model", "m", "--user", "anna"), "did you mean 'ann'"),
        (("-s", "summarize", "--model", "m", "--users", "q*"), "no user"),
        (("-s", "summarize", "--model", "m", "--all-users", "--without", "tools"), "--without takes"),
        (("-s", "summarize", "--model", "m", "--all-users", "--max-per-file", "0"), "--max-per-file"),
        (("-s", "summarize", "--model", "m", "--all-users", "--max-drop", "x"), "max-drop"),
        (("-s", "summarize", "--model", "m", "--all-users", "--base-url", "ftp://x"), "base URL"),
        (("-s", "summarize", "-s", "dedupe", "-o", "semantic=true", "-o", "embedding-model=e", "--model", "m", "--all-users",
          "--base-url", "http://127.0.0.1:9/v1"), "embedding"),
        (("--model", "m", "--all-users"), "--strategy"),
    ],
)  # fmt: skip
def test_an_export_that_cannot_be_says_why_and_leaves_nothing(store, args, said, tmp_path):
    done = call_memopt("batch", "export", "--db", store, *args, "--out", tmp_path / "requests.jsonl")
    assert done.returncode in (2, 8) and said in done.stderr, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"agno.db"}


def test_the_group_alone_says_that_a_command_is_missing():
    for args in ((), ("nonsense",), ("import",)):
        done = call_memopt("batch", *args)
        assert done.returncode == 2 and done.stdout == "" and "see: memopt batch" in done.stderr


def test_an_import_that_cannot_be_says_why(store, answered, tmp_path):
    results = write_lines(tmp_path / "results.jsonl", answered.values())
    plans = ("--out", tmp_path / "plans")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    batch = ("--batch", tmp_path / "requests.batch")
    (folder / "nonsense").write_text("nonsense\n" * 3)
    other = write_lines(folder / "other.jsonl", [result("memopt-00000000-" + "0" * 32, 200, {})])
    (folder / "notes.txt").write_text("mine")
    for args, said in (
        ((results,), "--out DIR"),
        ((folder / "none", *plans), "there is no file of results"),
        ((folder, *plans), "is a folder"),
        ((tmp_path / "requests.jsonl", *plans, *batch), "is a file of requests"),
        ((folder / "nonsense", *plans, *batch), "no file of results"),
        ((other, *plans, *batch), "belongs to another batch"),
        ((other, *plans), "--batch FILE.batch"),
        ((results, *plans, "--batch", folder / "none.batch"), "there is no batch"),
        ((results, *plans, "--batch", store), "not a batch"),
        ((results, *plans, "--batch", folder / "notes.txt"), "not an SQLite database"),
        ((results, "--out", folder, *batch), "holds other files"),
        ((results, *plans, *batch, "--again", "missing"), "--next FILE"),
        ((results, *plans, *batch, "--next", folder / "n", "--again", "all"), "--again takes"),
        ((results, *plans, *batch, "--next", results), "file of results"),
        ((results, *plans, *batch, "--next", folder / "notes.txt"), "no file of requests"),
        ((results, *plans, *batch, "--max-cost", "1"), "--price"),
    ):
        done = call_memopt("batch", "import", *args, cwd=folder)
        assert done.returncode in (2, 6) and said in done.stderr, (args, done.stderr)
    assert (folder / "notes.txt").read_text() == "mine"
    assert call_memopt("batch", "import", results, *plans, cwd=folder).returncode == 0


def test_a_batch_that_is_there_is_never_overwritten(store, answered, tmp_path):
    before = (tmp_path / "requests.batch").read_bytes()
    told = export(store, code=2)
    assert "is there already" in told["error"]["message"] and (tmp_path / "requests.batch").read_bytes() == before
    assert {p.name for p in tmp_path.iterdir()} == {"agno.db", "requests.batch", "requests.jsonl"}


def test_a_policy_says_what_is_done_and_with_whom(store, endpoint, tmp_path):
    (tmp_path / "memopt.toml").write_text(
        '[policies.nightly]\nusers = ["a*", "b*"]\nwhen = "memories > 1"\nprotect = ["match:peanuts"]\n'
        'strategies = ["dedupe", "summarize"]\nmodel = "m"\n\n'
        '[policies.careful]\nstrategies = ["summarize"]\nmodel = "m"\nonly = "safe"\n'
    )
    args = (
        "batch",
        "export",
        "--db",
        store,
        "--all-users",
        "--base-url",
        endpoint.base_url,
        "--out",
        tmp_path / "requests.jsonl",
    )
    done = json_of_memopt(*args, "--policy", "nightly", cwd=tmp_path)
    assert statuses(done) == {"ann": "waiting", "bob": "waiting"} and done["policy"] == "nightly"
    results = run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
    refused = call_memopt(*args[:-1], tmp_path / "b.jsonl", "--policy", "careful", cwd=tmp_path)
    assert refused.returncode == 2 and "keeps whole plans" in refused.stderr
    (tmp_path / "memopt.toml").unlink()  # what holds is what was exported
    found = import_(store, results)
    assert [step["strategy"] for step in found["steps"]] == ["dedupe", "summarize"]
    plan = plans_of(tmp_path / "plans")["ann"]
    assert all(c["action"] == "kept" for c in plan["changes"] if "peanuts" in json.dumps(c["before"]))


def test_a_report_and_a_gate_of_questions_go_with_an_import(store, answered, tmp_path):
    results = write_lines(tmp_path / "results.jsonl", answered.values())
    questions = write_lines(
        tmp_path / "q.jsonl", [{"id": "q", "question": "Where does the user live?", "answer": "Bern", "user": "ann"}]
    )
    report = tmp_path / "report.md"
    found = import_(store, results, "--questions", questions, "--report", report, "--min-recall", "0.9")
    assert statuses(found)["ann"] == "changed" and "ann" in report.read_text()


def test_a_plan_that_loses_answers_is_refused_and_the_report_tells_who_waits(tmp_path):
    store = make_store(tmp_path / "agno.db", [*rows_of(["ann"], MANY), *rows_of(["bob"])])
    (tmp_path / "drop.py").write_text(
        "from memopt import Ask, MemoryOptimizationStrategy\n"
        "class Drop(MemoryOptimizationStrategy):\n"
        "    needs_model = True\n"
        "    def steps(self, memories):\n"
        "        yield Ask('x', 'y')\n"
        "        if len(memories) > 10:\n"
        "            yield Ask('x', 'z')\n"
        "        return list(memories)[1:5]\n"
    )
    question = {"id": "q", "question": "Where does the user live?", "memory_ids": ["bob-0", "bob-5"], "user": "bob"}
    questions = write_lines(tmp_path / "q.jsonl", [question])
    with Endpoint(say("User likes tea.")) as endpoint:
        export(store, "-s", f"{tmp_path}/drop.py:Drop", base_url=endpoint.base_url)
        results = run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
    args = ("--next", tmp_path / "next.jsonl", "--report", tmp_path / "r.html", "--questions", questions, "--min-recall", "1")
    found = import_(store, results, *args, code=7)
    assert failures(found) == {"bob": "refused"} and statuses(found) == {"ann": "waiting", "bob": "failed"}, found["failures"]
    assert "waiting for answers" in (tmp_path / "r.html").read_text()


def test_the_questions_of_a_policy_hold_the_plans_of_an_import(tmp_path):
    store = make_store(tmp_path / "agno.db", rows_of(["ann", "bob"]))
    (tmp_path / "drop.py").write_text(
        "from memopt import Ask, MemoryOptimizationStrategy\n"
        "class Drop(MemoryOptimizationStrategy):\n"
        "    needs_model = True\n"
        "    def steps(self, memories):\n"
        "        yield Ask('x', 'y')\n"
        "        return list(memories)[1:5]\n"
    )
    question = {"id": "home", "question": "Where does the user live?", "memory_ids": ["bob-0", "bob-5"], "user": "bob"}
    write_lines(tmp_path / "q.jsonl", [question])
    (tmp_path / "memopt.toml").write_text(
        f"[policies.p]\nstrategies = ['{tmp_path}/drop.py:Drop']\nquestions = 'q.jsonl'\nmin-recall = '100%'\n"
    )
    export = (
        "batch",
        "export",
        "--db",
        store,
        "--all-users",
        "--policy",
        "p",
        "--model",
        "m",
        "--out",
        tmp_path / "requests.jsonl",
    )
    with Endpoint(say("User likes tea.")) as endpoint:
        json_of_memopt(*export, "--base-url", endpoint.base_url, cwd=tmp_path)
        results = run_batch(tmp_path / "requests.jsonl", endpoint.base_url, tmp_path / "results.jsonl")
    (tmp_path / "memopt.toml").unlink()  # what holds is what was exported
    (tmp_path / "q.jsonl").unlink()
    found = import_(store, results, code=7)
    assert failures(found) == {"bob": "refused"} and statuses(found) == {"ann": "changed", "bob": "failed"}
    found = import_(store, results, "--min-recall", "0", out="more")
    assert statuses(found) == {"ann": "changed", "bob": "changed"}
    other = write_lines(tmp_path / "other.jsonl", [{**question, "memory_ids": ["bob-1"]}])
    found = import_(store, results, "--questions", other, out="others")
    assert statuses(found) == {"ann": "changed", "bob": "changed"}


# -- the real thing ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(llama.why_not() is not None, reason=str(llama.why_not()))
def test_a_real_small_model_answers_a_batch(tmp_path):
    store = make_store(tmp_path / "agno.db", rows_of(["ann"], FACTS[:3]))
    with llama.serve(max_tokens=100) as server:
        args = ("--model", server.model, "--context-tokens", str(server.context_tokens), "--without", "schema")
        done = export(store, *args, base_url=server.base_url)
        assert done["requests"] == 1
        for number in range(1, 5):
            results = run_batch(done["files"][0]["path"], server.base_url, tmp_path / f"results-{number}.jsonl")
            done = import_(store, results, "--next", tmp_path / f"round-{number + 1}.jsonl", code=None)
            assert done["results"]["answers"] == done["results"]["lines"] == 1
            if not done["files"]:
                break
    # so weak a model may be refused; what it says must be told, and what is planned must be checked
    assert set(statuses(done).values()) <= {"changed", "unchanged", "failed"}
    assert all(item["kind"] in ("verification", "answer") for item in done["failures"])
    for plan in plans_of(tmp_path / "plans").values():
        assert plan["verification"]["reports"] and plan["usage"]["prompt_tokens"] > 0
