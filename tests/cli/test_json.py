"""docs/json.md is true: the keys it names are the keys that are printed, no more and no fewer."""

import json
import re
from pathlib import Path

import pytest
from support import postgres, queues
from support.agnofile import REPO, make_store, row
from support.inprocess import call_memopt as run_memopt
from support.inprocess import json_of_memopt as memopt_json

from memopt import errors
from memopt.cli.runs import read_age

TEXT = Path(REPO / "docs" / "json.md").read_text(encoding="utf-8")


def documented(section):
    """First-column keys of a section's table, and by key the names in backticks of its second column."""
    return documented_in(re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)[1])


def documented_in(body):
    keys = {}
    for line in body.splitlines():
        if line.startswith("| `"):
            first, second = line.strip("| ").split(" | ", 1)
            for key in re.findall(r"`([^`]+)`", first):
                keys[key] = re.findall(r"`([a-z_]+)`", second)
    return keys


def memory_keys():
    sentence = re.search(r"^A memory has (.*?); `prompt_text`", TEXT, re.MULTILINE | re.DOTALL)[1]
    return set(re.findall(r"`([a-z_]+)`", sentence))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    rows = [
        row("a", "Same.", topics=["t"]),
        row("b", "Same.", at=1767344400),
        row("c", "Other."),
        row("d", None, memory="broken"),
    ]
    return make_store(tmp_path_factory.mktemp("json") / "agno.db", rows)


def test_optimize_and_apply(store):
    document = memopt_json("optimize", "--db", store, "--user", "u1", "-s", "dedupe")
    keys = documented("`optimize`, `apply`")
    assert set(document) == set(keys)
    for name in ("store", "usage", "filters", "guards", "memories", "counts"):
        assert set(document[name]) == set(keys[name]), name
    assert set(document["tokens"]) == {"before", "after", "saved", "reduction"}
    assert set(document["tokens"]["before"]) == {"text", "prompt"}
    assert set(document["steps"][0]) == set(keys["steps"])
    assert set(document["unreadable"][0]) == set(keys["unreadable"])
    for change in document["changes"]:
        assert set(change) == set(keys["changes"])
        for side in ("before", "after"):
            assert change[side] is None or memory_keys() <= set(change[side]) <= memory_keys() | {"sources", "prompt_text"}
    applied = json.loads(run_memopt("apply", "-", "--json", stdin=json.dumps(document)).stdout)
    assert set(applied) == set(keys) and applied["applied"]


def test_a_plan_that_was_held_to_questions(store, tmp_path):
    path = tmp_path / "q.jsonl"
    rows = ('{"text": "Which?", "memory_ids": ["c"]}', '{"text": "Who?", "memory_ids": ["x"]}')
    path.write_text("\n".join(rows), encoding="utf-8")
    asked = ("--questions", path, "--min-recall", "0")
    document = memopt_json("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=1", *asked)
    named = re.search(r"also has `gate`:\n(.*?)\n\n", TEXT, re.DOTALL)[1]
    listed = [*document["gate"]["lost"], *document["gate"]["left_out"]]
    assert set(document["gate"]) | {key for item in listed for key in item} == set(re.findall(r"`([a-z_]+)`", named))


def test_eval(store, tmp_path):
    path = tmp_path / "q.jsonl"
    path.write_text('{"text": "Which?", "memory_ids": ["c", "x"], "stale_ids": ["a"]}', encoding="utf-8")
    document = memopt_json("eval", "--db", store, "--user", "u1", "--questions", path, "-s", "recent,keep=1", "-s", "dedupe")
    section = re.search(r"^## `eval`\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL)[1]
    top, each = (documented_in(part) for part in section.split("Each of `contenders`"))
    assert set(document) == set(top)
    assert set(document["questions"]) | {"id", "reason", "memory_ids"} == set(top["questions"])
    for contender in document["contenders"]:
        assert set(contender) == set(each)
        assert set(contender["figures"]) == {
            "evidence",
            "recall@1",
            "recall@5",
            "recall@10",
            "mrr",
            "support",
            "whole",
            "cost",
            "stale_above",
        }
        assert {"value", "low", "high", "questions"} == set(contender["figures"]["evidence"])
        for gap in contender["differences"].values():
            assert gap is None or set(gap) == {"value", "low", "high", "p"}
        assert set(contender["tokens"]) == set(each["tokens"]) and set(contender["memories"]) == set(each["memories"])
    assert len(document["contenders"]) == 3 and document["contenders"][1]["lost"] == ["line 1"]


def test_questions(store):
    document = memopt_json("questions", "--db", REPO / "fixtures" / "agno" / "agno_v3.db", "--user", "u2")
    keys = documented("`questions`")
    assert set(document) == set(keys)
    assert {key for item in document["questions"] for key in item} == set(keys["questions"])


def test_dry_request(store):
    summarize = ("optimize", "--db", store, "--user", "u1", "-s", "summarize", "--model", "m", "--base-url", "http://127.0.0.1:9")
    document = memopt_json(*summarize, "--dry-request")
    keys = documented("`optimize --dry-request`")
    assert set(document) == set(keys)
    assert set(document["model"]) == set(keys["model"])
    assert set(document["requests"][0]) == set(keys["requests"])


def test_history_undo_and_prune(store):
    plan = memopt_json("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=1", "--apply")
    undone = memopt_json("undo", "--db", store)
    assert set(undone) == set(documented("`undo`"))
    document = memopt_json("history", "--db", store)
    keys = documented("`history`")
    assert set(document) == set(keys)
    names = set(keys["runs"]) - {"apply", "undo"}
    assert all(set(run) == names for run in document["runs"])
    assert set(undone["run"]) == names
    one = memopt_json("history", undone["run"]["undoes"], "--db", store)
    of_one = documented("`history RUN`")
    assert set(one) == set(of_one) and set(one["run"]) == names
    assert all(set(change) == set(of_one["changes"]) - {"dropped", "revised", "added"} for change in one["changes"])
    sizes = {change["memory_id"]: change["tokens"] for change in plan["changes"] if change["action"] == "dropped"}
    assert sizes and {change["memory_id"]: change["tokens"] for change in one["changes"]} == sizes
    pruned = memopt_json("history", "--db", store, "--prune", "--keep", "1")
    assert set(pruned) == set(documented("`history --prune`"))
    assert pruned["left"] == 1


def test_users_show_and_strategies(store):
    users = memopt_json("users", "--db", store)
    keys = documented("`users`")
    assert set(users) == set(keys)
    assert set(users["users"][0]) == set(keys["users"]) - {"text", "prompt"}
    show = memopt_json("show", "--db", store, "--user", "u1", "--prompt")
    assert set(show) == set(documented("`show`"))
    assert show["prompt"].startswith("<memories_from_previous_interactions>")
    assert all(set(memory) == memory_keys() | {"tokens"} for memory in show["memories"])
    strategies = memopt_json("strategies")
    assert set(strategies) == set(documented("`strategies`"))
    named = set(documented("`strategies`")["strategies"])
    options = set(re.findall(r"`([a-z_]+)`", TEXT.rsplit("Each of `options` has", 1)[1])) - {"int", "float", "bool", "str"}
    for item in strategies["strategies"]:
        assert set(item) == named
        assert all(set(option) == options for option in item["options"])


def test_search(store):
    document = memopt_json("search", "--db", store, "--user", "u1", "same", "--now", "newest")
    keys = documented("`search`")
    assert set(document) == set(keys)
    assert set(document["ranking"]) == {*keys["ranking"], "k1"}
    parts = {"semantic", "lexical", "entity", "fused", "recency", "recency_weight"}
    for hit in document["hits"]:
        assert set(hit) == set(keys["hits"])
        assert {name.removesuffix("_scaled").removesuffix("_weight") for name in hit["parts"]} - {"recency"} <= parts


def test_tune(tmp_path):
    things = "tea coffee soup bread cheese fruit song film novel painter".split()
    store = make_store(tmp_path / "tune.db", [row(thing, f"Likes {thing}") for thing in things])
    asked = [json.dumps({"text": f"Which {thing}?", "memory_ids": [thing]}) for thing in things]
    (tmp_path / "q.jsonl").write_text("\n".join(asked), encoding="utf-8")
    document = memopt_json("tune", "--db", store, "--user", "u1", "--questions", tmp_path / "q.jsonl")
    keys = documented("`tune`")
    assert set(document) == set(keys)
    assert set(document["questions"]) == set(keys["questions"])
    assert set(document["figures"]) == set(keys["figures"])
    figure = re.search(r"^Each of `figures` has (.*)$", TEXT, re.MULTILINE)[1]
    assert {*document["figures"]["all"], *document["figures"]["all"]["difference"]} == set(re.findall(r"`([a-z]+)`", figure))


def test_calibrate(store):
    document = memopt_json("calibrate", "--db", store, "--user", "u1", "--threshold", "0.3")
    keys = documented("`calibrate`")
    named = {"embedder", "threshold", "calibrated", "user_id", "store", "memories", "steps", "pairs"}
    assert set(document) == named == set(keys)
    assert all(set(step) == set(keys["steps"]) for step in document["steps"])
    pair = document["pairs"][0]
    assert set(pair) | set(pair["newer"]) == set(keys["pairs"])


def test_enqueue_worker_and_jobs(tmp_path):
    with postgres.database() as db:
        queue = queues.Queue(db.make(queues.fleet(["u1", "u2"])), tmp_path)
        found, keys = queue.enqueue("--strategy", "dedupe", "--max-drop", "0"), documented("`enqueue`")
        assert set(found) == set(keys)
        assert set(found["passed_over"]) == set(
            re.findall(r"`([a-z-]+)`", TEXT.split("| `passed_over` | users that got none")[1].split("\n")[0])
        )
        worker = queue.json("worker", "--until-empty", *queues.QUICK, "--log", "log", code=7)
        assert set(worker) == set(documented("`worker`"))
        section = TEXT.split("\n## `worker`")[1].split("\n## ")[0]
        assert all(f"`{name}`" in section for name in worker["jobs"])
        lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
        assert len(lines) == 2 and all(f"`{name}`" in section for line in lines for name in line)
        jobs, keys = queue.json("jobs", "--failed"), documented("`jobs`")
        assert set(jobs) == set(keys)
        assert set(jobs["workers"]) == set(keys["workers"])
        reason = jobs["policies"][0]["failures"][0]
        assert set(jobs["policies"][0]) | set(jobs["policies"][0]["ended"]) | set(reason) == set(keys["policies"])
        assert set(jobs["failed"][0]) == set(keys["failed"])
        assert set(queue.json("jobs", "--retry")) == {"store", "retried"}
        assert set(queue.json("jobs", "--prune", "--older-than", "1d")) == {"store", "pruned"}
        assert set(queue.json("jobs", "--init-sql")) == {"sql"}
        assert set(queue.json("enqueue", "--init")) == {"store", "ready"}


def test_errors(store):
    document = memopt_json("show", "--db", store, "--user", "U1", code=2)
    assert {f"error.{key}" for key in document["error"]} - {"error.close_matches"} == set(documented("Errors"))
    assert document["error"]["kind"] == "unknown-user" and document["error"]["close_matches"] == ["u1"]


def test_every_kind_of_error_is_listed():
    import memopt.models.openai  # noqa: F401 - brings its own

    kinds, waiting = set(), [errors.MemoptError]
    while waiting:
        found = waiting.pop()
        kinds.add(found.kind)
        waiting += found.__subclasses__()
    listed = set(re.findall(r"`([a-z-]+)`", re.search(r"a stable word: (.*)\|", TEXT)[1]))
    assert kinds <= listed


@pytest.mark.parametrize(
    ("text", "seconds"), [("90d", 7_776_000), ("12h", 43_200), ("8w", 4_838_400), ("30 min", 1_800), ("1 Day", 86_400)]
)
def test_an_age_is_read(text, seconds):
    assert read_age(text) == seconds


def test_batch(store, tmp_path):
    out = tmp_path / "requests.jsonl"
    how = ("-s", "summarize", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    document = memopt_json("batch", "export", "--db", store, "--all-users", *how, "--out", out)
    keys = documented("`batch export`, `batch import`")
    assert set(document) == set(keys) - {"folder", "results"}
    assert set(document["files"][0]) == set(keys["files"])
    assert set(document["model"]) == set(keys["model"])
    (tmp_path / "results.jsonl").write_text("")
    args = ("batch", "import", tmp_path / "results.jsonl", "--batch", tmp_path / "requests.batch", "--out", tmp_path / "plans")
    document = memopt_json(*args, code=7)
    assert set(document) == set(keys) - {"policy"}
    assert set(document["results"]) == set(keys["results"])
    assert set(document["totals"]["statuses"]) == set(documented_words("`status`"))


def documented_words(key):
    """The words that a key may have."""
    line = next(line for line in TEXT.splitlines() if line.startswith(f"| {key} |"))
    return re.findall(r"`([a-z-]+)`", line.removeprefix(f"| {key} |").replace("`batch`", ""))
