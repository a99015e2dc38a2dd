"""``memopt optimize --strategy forget`` and ``--purge``: what is said, what is written, and what is left."""

from __future__ import annotations

import re

import pytest
from support.agnofile import make_store, row
from support.inprocess import call_memopt, json_of_memopt

SECRET = "SECRETWORD"


@pytest.fixture(params=["delete", "wal"])
def folder(tmp_path, request):
    rows = [
        row("a", f"IBAN DE00 1234 {SECRET}"),
        row("b", "Likes tea"),
        row("c", f"User likes rice; her IBAN is DE00 1234 {SECRET}."),
    ]
    make_store(tmp_path / "agno.db", rows, journal=request.param)
    return tmp_path


def memopt(folder, *args, code=0):
    done = call_memopt(*args, "--db", "agno.db", cwd=folder)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


def forget(folder, *more, code=0, what="about=her IBAN"):
    return memopt(folder, "optimize", "--user", "u1", "-s", "forget", "-o", what, *more, code=code)


def hits(folder):
    return sorted(each.name for each in folder.iterdir() if SECRET.encode() in each.read_bytes())


def test_a_preview_writes_nothing_even_with_purge(folder):
    done = forget(folder, "--purge")
    assert "without an undo" in done.stdout and "score" in done.stdout and "threshold" in done.stdout
    assert hits(folder) == ["agno.db"]


def test_a_plain_forget_says_what_undo_still_holds_where_and_until_when(folder):
    done = forget(folder, "--apply")
    text = " ".join(done.stdout.split())
    assert "memopt undo" in text
    assert "agno.db (table memopt_journal) still holds the removed text, until memopt history --prune" in text
    assert "--purge" in text
    assert hits(folder) == ["agno.db"]
    memopt(folder, "undo")
    assert len(json_of_memopt("show", "--user", "u1", "--db", "agno.db", cwd=folder)["memories"]) == 3


def test_a_purge_leaves_no_hit_and_undo_says_that_it_is_gone(folder):
    forget(folder, "--apply")
    memopt(folder, "undo")
    done = forget(folder, "--purge", "--apply")
    assert hits(folder) == []
    assert "cannot be taken back" in done.stdout and "memopt undo" not in done.stdout
    assert "not erased" not in done.stdout and "unless it is applied with --purge" not in done.stdout
    gone = memopt(folder, "undo", code=2)
    assert gone.stderr.count("\n") == 1 and "erased for good" in gone.stderr
    memopt(folder, "history")
    assert hits(folder) == []
    (newest, *_) = json_of_memopt("history", "--db", "agno.db", cwd=folder)["runs"]
    assert newest["erased"] == 2 and newest["steps"][0]["options"]["about"] == "[erased]"


def test_a_kept_plan_can_be_applied_with_purge_and_is_told_to_hold_the_text(folder):
    done = forget(folder, "--purge", "--out", "plan.json")
    assert "delete" in done.stdout and "plan.json" in done.stdout
    applied = memopt(folder, "apply", "plan.json", "--purge")
    assert "plan.json" in applied.stderr
    assert hits(folder) == ["plan.json"]
    memopt(folder, "undo", code=2)


def test_afterwards_the_same_command_erases_what_a_plain_forget_left(folder):
    forget(folder, "--apply")
    assert hits(folder) == ["agno.db"]
    done = forget(folder, "--purge", "--apply")
    assert re.search(
        r"\b(?:1 row of earlier runs that told it was|\d+ rows of earlier runs that told it were) erased",
        " ".join(done.stdout.split()),
    )
    assert done.stdout.startswith("Applied for user u1") and "nothing to do" not in done.stdout
    assert "no memory was changed; what was erased" in done.stdout
    assert hits(folder) == []


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-o", "about="),
        ("-o", "about=everything about her"),
        ("-o", "match=.*"),
        ("-o", "id=,"),
        ("-o", "about=x", "-o", "id=a"),
    ],
)
def test_nothing_named_means_nothing_removed(folder, options):
    done = memopt(folder, "optimize", "--user", "u1", "-s", "forget", *options, "--apply", code=2)
    assert "forget" in done.stderr or "names nothing" in done.stderr
    assert len(json_of_memopt("show", "--user", "u1", "--db", "agno.db", cwd=folder)["memories"]) == 3


def test_forgetting_everything_is_stopped_like_any_plan_that_leaves_nothing(folder):
    done = forget(folder, "--apply", "--purge", what="id=a,b,c", code=4)
    assert "allow-empty" in done.stderr
    assert hits(folder) == ["agno.db"]


def test_reasons_in_the_journal_are_erased_with_the_rows_they_may_quote(folder):
    forget(folder, "--apply")
    run = json_of_memopt("history", "--db", "agno.db", cwd=folder)["runs"][0]["run_id"]
    assert any(change["reason"] for change in json_of_memopt("history", run, "--db", "agno.db", cwd=folder)["changes"])
    forget(folder, "--purge", "--apply")
    for change in json_of_memopt("history", run, "--db", "agno.db", cwd=folder)["changes"]:
        assert change["erased"] and change["reason"] == "" and change["before"] is None
    assert hits(folder) == []
