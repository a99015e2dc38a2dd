"""``--policy``: what memopt.toml says under a name, with the command line's word above it."""

from __future__ import annotations

import json

import pytest
from support.agnofile import dump, make_store, row, written
from support.endpoint import Endpoint, fail
from support.inprocess import call_memopt, json_of_memopt
from support.notes import faithful


@pytest.fixture
def folder(tmp_path):
    rows = [row(f"m{n}", f"User likes thing {n}.", at=1_735_689_600 + n, topics=["medical" if n == 0 else "x"]) for n in range(6)]
    make_store(tmp_path / "agno.db", [*rows, row("z1", "User is somebody else.", user="other")])
    return tmp_path


def config(folder, text):
    (folder / "memopt.toml").write_text(text)


def optimize(folder, *flags, code=0, user="u1", **more):
    done = call_memopt("optimize", "--user", user, *flags, "--json", cwd=folder, **more)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout)


def left(folder):
    return sorted(item["memory_id"] for item in json_of_memopt("show", "--user", "u1", cwd=folder)["memories"])


NIGHTLY = """
[policies.nightly]
users = ["u*"]
when = "memories > 3"
strategies = ["recent"]
protect = ["topic:medical"]
[policies.nightly.options]
recent.keep = 2
"""


def test_a_policy_does_what_it_says(folder):
    config(folder, NIGHTLY)
    optimize(folder, "--policy", "nightly", "--apply")
    assert left(folder) == ["m0", "m4", "m5"]


def test_it_only_previews_without_apply(folder):
    config(folder, NIGHTLY)
    before = dump(folder / "agno.db")
    assert any(change["action"] == "dropped" for change in optimize(folder, "--policy", "nightly")["changes"])
    assert dump(folder / "agno.db") == before


def test_the_command_line_is_stronger_and_protections_add_up(folder):
    config(folder, NIGHTLY)
    optimize(folder, "--policy", "nightly", "-o", "recent.keep=1", "--protect", "id:m1", "--apply")
    assert left(folder) == ["m0", "m1", "m5"]


def test_another_strategy_may_be_said(folder):
    config(folder, "[policies.p]\nstrategies = ['recent']\n")
    plan = optimize(folder, "--policy", "p", "--strategy", "dedupe")
    assert [step["strategy"] for step in plan["steps"]] == ["dedupe"]


def test_where_it_is_not_due_nothing_is_done_and_the_figures_are_told(folder):
    config(folder, NIGHTLY.replace("memories > 3", "memories > 30 or tokens > 9000"))
    before = dump(folder / "agno.db")
    document = optimize(folder, "--policy", "nightly", "--apply")
    assert document["due"] is False and document["figures"]["memories"] == 6
    done = call_memopt("optimize", "--user", "u1", "--policy", "nightly", "--apply", cwd=folder)
    assert done.returncode == 0 and "memories > 30 or tokens > 9000" in done.stdout and "memories 6" in done.stdout
    assert dump(folder / "agno.db") == before


def test_where_it_is_not_due_no_model_is_asked(folder):
    with Endpoint(fail(500, "must not be asked")) as endpoint:
        named = f"[policies.p]\nstrategies = ['summarize']\nmodel = 'm'\nbase-url = '{endpoint.base_url}'\n"
        config(folder, named + "when = 'memories > 99'\n")
        assert optimize(folder, "--policy", "p", "--apply")["due"] is False
    assert endpoint.requests == []


def test_a_user_it_is_not_for_is_a_usage_error(folder):
    config(folder, NIGHTLY)
    error = optimize(folder, "--policy", "nightly", "--apply", code=2, user="other")["error"]
    assert "u*" in error["message"] and "other" in error["message"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (NIGHTLY, "has no policy 'weekly'; its policies: nightly"),
        ("", "has no policy 'weekly'; it has none"),
        ("[policies.weekly]\nstrategies = ['nope']", "there is no strategy 'nope'"),
        ("[policies.weekly]\nstrategies = ['recent']\noptions = { kep = 5 }", "kep"),
        (
            "[policies.weekly]\nstrategies = ['recent']\noptions = { keep = 1 }\nprotect = ['medical']",
            "memopt.toml, line 4: protect takes rules",
        ),
        ("[policies.weekly]\nstrategies = ['recent']\noptions = { keep = 1 }\nmax-drop = 'x'", "max-drop"),
        ("[policies.weekly]\nstrategies = ['recent']\noptions = { keep = 1 }\nonly = 'risky'", "safe"),
        ("[policies.weekly]\nstrategies = ['recent']\nwen = 'x'", "line 3"),
    ],
)
def test_a_policy_that_cannot_be_followed_is_said_and_nothing_is_done(folder, text, says):
    config(folder, text)
    before = dump(folder / "agno.db")
    assert says in optimize(folder, "--policy", "weekly", "--apply", code=2)["error"]["message"]
    assert dump(folder / "agno.db") == before


def test_its_limits_hold(folder):
    config(folder, "[policies.p]\nstrategies = ['recent']\noptions = { keep = 1 }\nmax-drop = '50%'\n")
    before = dump(folder / "agno.db")
    done = call_memopt("optimize", "--user", "u1", "--policy", "p", "--apply", cwd=folder)
    assert done.returncode == 4 and dump(folder / "agno.db") == before


def test_its_model_endpoint_and_way_with_losses_are_used(folder):
    with Endpoint(faithful) as endpoint:
        text = f"[policies.p]\nstrategies = ['summarize']\nmodel = 'mine'\nbase-url = '{endpoint.base_url}'\non-loss = 'fail'\n"
        config(folder, text)
        plan = optimize(folder, "--policy", "p")
    assert endpoint.requests[0].body["model"] == "mine"
    assert plan["steps"][0]["options"]["on_loss"] == "fail"


def test_where_there_is_no_file_a_policy_is_not_said_to_be_missing_in_it(folder):
    done = call_memopt("optimize", "--user", "u1", "--policy", "nightly", cwd=folder)
    assert done.returncode == 2 and "there is no ./memopt.toml" in done.stderr and "memopt init" in done.stderr


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('[policies.nightly]\nusers = ["u*"]\nstrategies = ["dedup"]\n', 3, "did you mean dedupe"),
        ('[policies.nightly]\nstrategies = ["recent"]\n[policies.nightly.options]\nrecent.keep = "many"\n', 4, "keep"),
        ('[policies.nightly]\nstrategies = ["recent"]\n[policies.nightly.options]\nrecent.keep = 2\nkep = 3\n', 5, "kep"),
    ],
)
def test_a_strategy_or_an_option_that_is_none_is_told_with_its_line(folder, text, line, says):
    config(folder, text)
    done = call_memopt("optimize", "--user", "u1", "--policy", "nightly", cwd=folder)
    assert done.returncode == 2
    assert f"./memopt.toml, line {line}: " in done.stderr and says in done.stderr


HELD = "[policies.p]\nstrategies = ['recent']\noptions = { keep = 1 }\nquestions = 'q.jsonl'\nmin-recall = 0.9\n"


@pytest.fixture
def questions(folder):
    rows = [
        {"id": "five", "text": "What is liked?", "memory_ids": ["m5"], "user": "u1"},
        {"id": "two", "text": "What is liked?", "memory_ids": ["m2"], "user": "u1"},
    ]
    written(folder / "q.jsonl", rows)


def test_its_plans_are_held_to_its_questions(folder, questions):
    config(folder, HELD)
    before = dump(folder / "agno.db")
    for who in (("--user", "u1"), ("--users", "u1")):
        done = call_memopt("optimize", *who, "--policy", "p", "--apply", cwd=folder)
        assert done.returncode == (4 if "--user" in who else 7) and "two (" in done.stderr, done.stderr
    assert dump(folder / "agno.db") == before


def test_the_command_line_is_stronger_than_its_questions(folder, questions):
    config(folder, HELD)
    (folder / "other.jsonl").write_text(json.dumps({"id": "five", "text": "What is liked?", "memory_ids": ["m5"]}) + "\n")
    assert optimize(folder, "--policy", "p", "--questions", "other.jsonl")["gate"]["min_recall"] == 0.9
    optimize(folder, "--policy", "p", "--min-recall", "50%", "--apply")
    assert left(folder) == ["m5"]


def test_its_share_without_questions_holds_nothing_and_is_an_error(folder, questions):
    config(folder, HELD.replace("questions = 'q.jsonl'\n", ""))
    error = optimize(folder, "--policy", "p", "--apply", code=2)["error"]
    assert "that of the policy) needs questions" in error["message"]
    assert optimize(folder, "--policy", "p", "--questions", "q.jsonl", code=4)["gate"]["lost"][0]["id"] == "two"


def test_its_file_of_questions_has_to_be_there(folder):
    config(folder, HELD)
    for who in (("--user", "u1"), ("--all-users",)):
        done = call_memopt("optimize", *who, "--policy", "p", "--apply", "--json", cwd=folder)
        assert done.returncode == 2
        said = json.loads(done.stdout)["error"]["message"]
        assert said.startswith("./memopt.toml, line 4: questions: there is no file of questions q.jsonl")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("ftp://models.example", "the base URL begins with ftp://"),
        ("http://", "the base URL"),
        ("http://a b/v1", "names no host"),
    ],
)
def test_a_base_url_that_is_none_is_told_with_its_line(folder, url, says):
    config(folder, f"[policies.p]\nstrategies = ['summarize']\nmodel = 'm'\nbase_url = '{url}'\n")
    error = optimize(folder, "--policy", "p", code=8)["error"]
    assert error["message"].startswith("./memopt.toml, line 4: base-url: ") and says in error["message"]
    # the command line is stronger, and one that nobody is asked at harms nobody
    with Endpoint(faithful) as endpoint:
        optimize(folder, "--policy", "p", "--base-url", endpoint.base_url)
    optimize(folder, "--policy", "p", "-s", "recent", "-o", "keep=2")
