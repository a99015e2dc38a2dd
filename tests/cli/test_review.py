"""``memopt review``: each change is shown, taken or left, and only what was taken is written."""

from __future__ import annotations

import json

import pytest
from support.agnofile import dump, make_store, row
from support.endpoint import Endpoint
from support.inprocess import call_memopt, json_of_memopt
from support.notes import faithful
from support.terminal import run_on_terminal


@pytest.fixture
def plan(tmp_path):
    """A plan that drops four of six memories, each a change of its own."""
    rows = [row(f"m{n}", f"User likes thing {n}.", at=1_735_689_600 + n) for n in range(6)]
    make_store(tmp_path / "agno.db", rows)
    made = call_memopt("optimize", "--user", "u1", "-s", "recent", "-o", "keep=2", "--out", tmp_path / "plan.json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    return tmp_path / "plan.json"


def left(plan):
    return sorted(item["memory_id"] for item in json_of_memopt("show", "--user", "u1", cwd=plan.parent)["memories"])


def review(plan, answers, *flags, code=0):
    done = call_memopt("review", plan, *flags, stdin=answers)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


def test_what_was_accepted_is_written_and_what_was_rejected_stays(plan):
    done = review(plan, "a\nr\na\nr\n")
    assert left(plan) == ["m1", "m3", "m4", "m5"]
    assert "change 1 of 4" in done.stdout and "change 4 of 4" in done.stdout and "memopt undo" in done.stdout
    assert done.stdout.count("accepted") >= 2 and done.stdout.count("rejected") >= 2


@pytest.mark.parametrize(
    ("answers", "stays"),
    [
        ("A\n", ["m4", "m5"]),
        ("R\n", ["m0", "m1", "m2", "m3", "m4", "m5"]),
        ("r\nA\n", ["m0", "m4", "m5"]),
        ("a\nR\n", ["m1", "m2", "m3", "m4", "m5"]),
        ("accept\nreject\nA\n", ["m1", "m4", "m5"]),
        ("y\nn\nA\n", ["m1", "m4", "m5"]),
        ("\nx\n?\na\nR\n", ["m1", "m2", "m3", "m4", "m5"]),
    ],
)
def test_capitals_decide_all_that_follow_and_other_lines_are_asked_again(plan, answers, stays):
    review(plan, answers)
    assert left(plan) == stays


def test_a_key_that_is_none_is_answered(plan):
    done = review(plan, "?\n\na\nR\n")
    assert "'?' is none of the keys: [a]ccept" in done.stdout and "'Enter' is none of the keys" in done.stdout


def test_rejecting_all_writes_nothing_at_all(plan):
    before = dump(plan.parent / "agno.db", own=True)
    assert "nothing to do" in review(plan, "R\n").stdout
    assert dump(plan.parent / "agno.db", own=True) == before


def test_quitting_writes_nothing_and_leaves_the_file(plan):
    before, text = dump(plan.parent / "agno.db"), plan.read_text()
    done = review(plan, "a\na\nq\n", code=130)
    assert "nothing was written" in done.stderr
    assert dump(plan.parent / "agno.db") == before and plan.read_text() == text


@pytest.mark.parametrize("answers", ["", "a\n", "a\nr\na\n"])
def test_answers_that_end_too_early_write_nothing(plan, answers):
    before = dump(plan.parent / "agno.db")
    done = review(plan, answers, code=2)
    assert "needs an answer" in done.stderr and dump(plan.parent / "agno.db") == before


def test_with_json_the_document_alone_is_on_stdout(plan):
    done = review(plan, "a\nR\n", "--json")
    document = json.loads(done.stdout)
    assert document["applied"] and [c["memory_id"] for c in document["changes"] if c["action"] == "dropped"] == ["m0"]
    assert "change 1 of 4" in done.stderr
    rejected = [c["reason"] for c in document["changes"] if c["memory_id"] == "m1"]
    assert rejected == ["rejected in the review"]


def test_standard_input_cannot_be_the_plan_too(plan):
    done = call_memopt("review", "-", stdin=plan.read_text())
    assert done.returncode == 2 and "standard input" in done.stderr


def test_a_plan_that_no_longer_fits_is_a_conflict(plan):
    call_memopt("optimize", "--user", "u1", "-s", "recent", "-o", "keep=5", "--apply", cwd=plan.parent)
    review(plan, "A\n", code=5)
    assert left(plan) == ["m1", "m2", "m3", "m4", "m5"]
    review(plan, "r\nA\n")  # the change that clashed was rejected
    assert left(plan) == ["m4", "m5"]


def test_an_altered_plan_is_refused(plan):
    data = json.loads(plan.read_text())
    data["changes"][0]["reason"] = "because"
    plan.write_text(json.dumps(data))
    review(plan, "A\n", code=5)


def test_what_belongs_together_is_one_question(tmp_path):
    texts = ["User lives in Bern.", "User has a dog called Rex.", "User plays the cello.", "User works as a nurse."]
    make_store(tmp_path / "agno.db", [row(f"m{n}", text, at=1_735_689_600 + n) for n, text in enumerate(texts)])
    with Endpoint(faithful) as endpoint:
        where = ("--model", "m", "--base-url", endpoint.base_url)
        call_memopt("optimize", "--user", "u1", "-s", "summarize", *where, "--out", tmp_path / "plan.json", cwd=tmp_path)
    done = review(tmp_path / "plan.json", "r\n")
    assert "change 1 of 1, 5 that belong together (a judgement)" in done.stdout
    assert all(text in done.stdout.replace("\n", " ") for text in texts)
    # what all of them went into stands there once, in front
    summary = next(
        c["after"]["memory"] for c in json.loads((tmp_path / "plan.json").read_text())["changes"] if c["action"] == "added"
    )
    walk = done.stdout.partition("[a]ccept")[0]
    assert walk.count("added: ") == 1 and walk.count("dropped: ") == 4
    assert walk.count(summary.split(".")[0] + ".") <= 2 and walk.index("added: ") < walk.index("dropped: ")
    assert walk.count("(summarized)") <= 1
    assert left(tmp_path / "plan.json") == ["m0", "m1", "m2", "m3"]
    review(tmp_path / "plan.json", "a\n")
    assert len(left(tmp_path / "plan.json")) == 1


def test_only_safe_writes_what_loses_nothing_and_leaves_the_rest_for_a_review(tmp_path):
    rows = [row(f"m{n}", "User likes tea.", at=1_735_689_600 + n) for n in range(3)]
    rows += [row(f"n{n}", f"User likes thing {n}.", at=1_735_600_000 + n) for n in range(3)]
    make_store(tmp_path / "agno.db", rows)
    chain = ("-s", "dedupe", "-s", "recent", "-o", "keep=2")
    args = ("optimize", "--user", "u1", *chain, "--only", "safe", "--out", "rest.json")
    done = call_memopt(*args, "--apply", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "memopt review rest.json" in done.stdout
    stay = left(tmp_path / "rest.json")
    assert len([i for i in stay if i.startswith("m")]) == 1 and len([i for i in stay if i.startswith("n")]) == 3
    review(tmp_path / "rest.json", "A\n")
    assert len(left(tmp_path / "rest.json")) == 2


def test_what_was_typed_ahead_is_not_lost(plan):
    code, shown = run_on_terminal("review", plan, keys=b"arA", timeout=60)
    assert code == 0, shown
    assert left(plan) == ["m1", "m4", "m5"]


@pytest.mark.parametrize("columns", [80, 120])
def test_on_a_terminal_a_key_is_enough(plan, columns):
    code, shown = run_on_terminal("review", plan, columns=columns, keys=b"arA", asked_with="[q]uit", timeout=60)
    assert code == 0, shown
    assert left(plan) == ["m1", "m4", "m5"]
    assert "[a]ccept" in shown and "change 3 of 4" in shown and "change 4 of 4" not in shown


@pytest.mark.parametrize("key", [b"q", b"\x04", b"a\x03"])
def test_on_a_terminal_it_can_be_left_by_q_the_end_of_input_or_ctrl_c(plan, key):
    before = dump(plan.parent / "agno.db")
    code, shown = run_on_terminal("review", plan, keys=key, asked_with="[q]uit", timeout=60)
    assert code == 130 and "nothing was written" in shown
    assert dump(plan.parent / "agno.db") == before
