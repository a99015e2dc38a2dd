"""memopt calibrate, and the flag that names an embedder."""

import json

import pytest
from support.agnofile import dump, make_store, row
from support.endpoint import Endpoint, send_json
from support.inprocess import call_memopt as run_memopt
from support.inprocess import json_of_memopt as memopt_json

START = 1767258000


@pytest.fixture
def store(tmp_path):
    said = (
        "User bought a car", "User purchased an automobile", "user purchased an automobile!", "User likes jazz",
        "User does not like jazz", "User is allergic to peanuts",
    )  # fmt: skip
    return make_store(tmp_path / "agno.db", [row(f"id-{at}", text, at=START + at) for at, text in enumerate(said)])


def test_pairs_around_the_threshold_are_shown_with_score_and_verdict_and_nothing_is_written(store):
    before = dump(store)
    done = run_memopt("calibrate", "--db", store, "--user", "u1")
    assert done.returncode == 0, done.stderr
    assert "by use-multilingual, threshold 0.8" in done.stdout
    assert "would be merged" in done.stdout and "stay two: a denial on one side" in done.stdout
    assert done.stdout.index("User bought a car") < done.stdout.index("User does not like jazz")
    assert "peanuts" not in done.stdout
    assert dump(store) == before


def test_the_document_holds_all_of_it(store):
    document = memopt_json("calibrate", "--db", store, "--user", "u1", "--threshold", "0.7")
    assert document["threshold"] == 0.7 and document["calibrated"] == 0.8 and document["memories"] == 5
    assert [step["threshold"] for step in document["steps"]] == [0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55]
    by_ids = {(pair["newer"]["memory_id"], pair["older"]["memory_id"]): pair for pair in document["pairs"]}
    assert by_ids[("id-2", "id-0")]["apart"] is None
    assert by_ids[("id-4", "id-3")]["apart"] == "a denial on one side"
    merged = [step["merged"] for step in document["steps"]]
    assert merged == sorted(merged) and merged[-1] == 1


def test_fewer_pairs_on_request(store):
    assert len(memopt_json("calibrate", "--db", store, "--user", "u1", "--threshold", "0.5", "--pairs", "1")["pairs"]) == 1


@pytest.mark.parametrize("bad", [("--threshold", "2"), ("--threshold", "x"), ("--threshold", "nan"), ("--pairs", "0")])
def test_bad_values_are_usage_errors(store, bad):
    done = run_memopt("calibrate", "--db", store, "--user", "u1", *bad)
    assert done.returncode == 2 and bad[0] in done.stderr


def test_a_user_with_one_memory_has_no_pairs(tmp_path):
    store = make_store(tmp_path / "one.db", [row("a", "User likes tea")])
    done = run_memopt("calibrate", "--db", store, "--user", "u1")
    assert done.returncode == 0 and "no two memories come closer" in done.stdout


def alike(request):
    return send_json({"data": [{"index": at, "embedding": [1.0, 0.0]} for at, _ in enumerate(request.body["input"])]})


def test_a_service_is_asked_where_the_flag_the_environment_or_an_option_names_its_model(store):
    with Endpoint(alike) as endpoint:
        env = {"OPENAI_BASE_URL": endpoint.base_url}
        done = run_memopt("calibrate", "--db", store, "--user", "u1", "--embedding-model", "m", "--threshold", "0.9", env=env)
        assert done.returncode == 0, done.stderr
        assert "by m, threshold 0.9" in done.stdout
        common = (
            "optimize",
            "--db",
            store,
            "--user",
            "u1",
            "-s",
            "dedupe",
            "-o",
            "semantic=true",
            "-o",
            "semantic-threshold=0.9",
        )
        asked = len(endpoint.requests)
        for more, extra in (
            (("--embedding-model", "m"), {}),
            ((), {"MEMOPT_EMBEDDING_MODEL": "m"}),
            (("-o", "embedding-model=m"), {}),
        ):
            done = run_memopt(*common, *more, "--json", env={**env, **extra})
            assert done.returncode == 0, done.stderr
            plan = json.loads(done.stdout)
            assert plan["steps"][0]["options"]["embedding_model"] == "m"
            assert len(endpoint.requests) > asked
            asked = len(endpoint.requests)


def test_without_a_threshold_an_unknown_embedder_is_a_usage_error(store):
    env = {"OPENAI_BASE_URL": "http://127.0.0.1:9"}
    done = run_memopt("calibrate", "--db", store, "--user", "u1", "--embedding-model", "m", env=env)
    assert done.returncode == 2 and "--threshold" in done.stderr


def test_the_flag_goes_with_a_strategy_that_compares_meanings(store):
    done = run_memopt("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=1", "--embedding-model", "m")
    assert done.returncode == 2 and "compares meanings" in done.stderr


def test_semantic_dedupe_from_the_command_line_can_be_applied(store):
    done = run_memopt("optimize", "--db", store, "--user", "u1", "-s", "dedupe", "-o", "semantic=true", "--apply")
    assert done.returncode == 0, done.stderr
    assert "in other words" in done.stdout
    left = {memory["memory_id"] for memory in memopt_json("show", "--db", store, "--user", "u1")["memories"]}
    assert left == {"id-2", "id-3", "id-4", "id-5"}
