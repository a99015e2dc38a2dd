"""``memopt batch export`` and ``import``: what is written, what becomes of the answers, and what of those that are missing."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from support.agnofile import make_store, records, row, run_memopt
from support.batches import answers_of, requests_of, result, run_batch, write_lines
from support.endpoint import Endpoint, fail, say
from support.inprocess import call_memopt, json_of_memopt
from support.notes import notes_of, tell, wants_json, without

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
    assert statuses(seen) == {"ann": "seen", "bob": "seen", "cy": "seen", "zoe": "unchanged"}


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
    assert statuses(found) == {"ann": "changed", "bob": "changed", "cy": "changed", "zoe": "unchanged"}
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
