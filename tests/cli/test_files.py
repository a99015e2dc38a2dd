"""Files are written whole or not at all, and never over something else than what memopt wrote there for the same purpose."""

import json
import os
import stat

import pytest
from support.agnofile import make_store, row
from support.inprocess import call_memopt

from memopt.cli.files import CHART, LOG, NOTHING, PLAN, REPORT, check_target, read_plan_data, write_atomic
from memopt.errors import MemoptError, UsageError


def test_a_new_file_is_the_owners_alone_and_an_old_one_is_replaced(tmp_path):
    target = check_target(str(tmp_path / "plan.json"))
    write_atomic(target, '{"format": "memopt.plan", "ü": 1}\n')
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    write_atomic(check_target(str(target)), "zwei\n")
    assert target.read_bytes() == b"zwei\n"
    assert [item.name for item in tmp_path.iterdir()] == ["plan.json"]


def test_a_symbolic_link_stays_one(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text('{"format": "memopt.plan"}')
    link.symlink_to(real)
    write_atomic(check_target(str(link)), "new")
    assert link.is_symlink() and real.read_text() == "new"


@pytest.mark.parametrize("place", ["", "  ", "-", ".", "folder/", "missing/plan.json", "store.db", "pipe", "a\0b", "x" * 5000])
def test_a_place_that_cannot_take_a_plan_is_refused_before_anything_is_done(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "store.db").write_bytes(b"SQLite format 3\0" + bytes(100))
    os.mkfifo(tmp_path / "pipe")
    before = sorted(item.name for item in tmp_path.rglob("*"))
    with pytest.raises(UsageError, match="--out"):
        check_target(place)
    assert sorted(item.name for item in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("kind", [PLAN, REPORT, CHART, LOG, NOTHING])
@pytest.mark.parametrize(
    "content",
    [b"notes of mine", b"{}", b'{"format": "terraform"}', b"# Notes", b"\x89PNG\r\n\x1a\nSoftware\0gimp", b"\xff\xfe", b" "],
)
def test_the_file_of_somebody_else_is_never_a_target(tmp_path, kind, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is there already"):
        check_target(str(path), "--out", kind)
    path.write_bytes(b"")
    assert check_target(str(path), "--out", kind) == path  # mktemp made it: there is nothing to lose


@pytest.fixture
def store(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"id": "q", "text": "What is liked?", "memory_ids": ["b"]}\n')
    texts = enumerate(["Likes jazz", "likes jazz", "Has 2 cats", "Lives in Bern", "Works as a nurse"])
    return make_store(tmp_path / "agno.db", [row("abcde"[n], text, at=1_767_258_000 + n) for n, text in texts])


ONE, MANY = ("optimize", "--user", "u1", "-s", "dedupe"), ("optimize", "--all-users", "-s", "dedupe")
EXPORT = ("batch", "export", "--all-users", "-s", "summarize", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
WRITERS = [
    ("plan.json", (*ONE, "--out")),
    ("rest.json", (*ONE, "--only", "safe", "--out")),
    ("r.md", (*ONE, "--report")),
    ("r.html", (*ONE, "--report")),
    ("many.html", (*MANY, "--report")),
    ("c.svg", ("eval", "--user", "u1", "--questions", "q.jsonl", "-s", "dedupe", "--plot")),
    ("c.png", ("eval", "--user", "u1", "--questions", "q.jsonl", "-s", "dedupe", "--plot")),
    ("c.html", ("eval", "--user", "u1", "--questions", "q.jsonl", "-s", "dedupe", "--plot")),
    ("log.jsonl", (*MANY, "--log")),
    ("requests.jsonl", (*EXPORT, "--out")),
]


@pytest.mark.parametrize(("name", "command"), WRITERS, ids=[name for name, _ in WRITERS])
def test_what_a_command_wrote_it_writes_again_and_nothing_else_is_written_over(store, tmp_path, name, command):
    target = tmp_path / name
    done = call_memopt(*command, name, "--db", store, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first = target.read_bytes()
    assert first
    (tmp_path / "requests.batch").unlink(missing_ok=True)  # it may hold answers, and is never written over
    done = call_memopt(*command, name, "--db", store, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert target.read_bytes().startswith(first) if "--log" in command else target.read_bytes()
    (tmp_path / "requests.batch").unlink(missing_ok=True)
    target.write_text("notes of mine")
    files = sorted(tmp_path.iterdir())
    done = call_memopt(*command, name, "--db", store, "--json", cwd=tmp_path)
    assert done.returncode == 2 and "is there already" in json.loads(done.stdout)["error"]["message"]
    assert target.read_text() == "notes of mine" and sorted(tmp_path.iterdir()) == files


def test_drafted_questions_are_never_written_over(store, tmp_path):
    before = (tmp_path / "q.jsonl").read_bytes()
    done = call_memopt("questions", "--db", store, "--user", "u1", "--out", tmp_path / "q.jsonl")
    assert done.returncode == 2 and "may have been edited" in done.stderr and (tmp_path / "q.jsonl").read_bytes() == before


def test_no_log_is_added_to_a_file_of_another_kind(store, tmp_path):
    for path in (tmp_path / "q.jsonl", store):
        before = path.read_bytes()
        done = call_memopt("optimize", "--db", store, "--all-users", "-s", "dedupe", "--log", path)
        assert done.returncode == 2 and "--log" in done.stderr and path.read_bytes() == before


def test_a_log_that_a_full_disk_cut_off_is_gone_on_with(store, tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text('{"event":"user","user_id":"u1"}\n{"event":"us')
    for _ in range(2):
        assert call_memopt("optimize", "--db", store, "--all-users", "-s", "dedupe", "--log", log).returncode == 0
    first, cut_off, *new = log.read_text().splitlines()
    assert first and cut_off == '{"event":"us' and [json.loads(line)["status"] for line in new] == ["changed", "changed"]


def test_a_plan_and_a_report_do_not_share_a_file(store, tmp_path):
    done = call_memopt(
        "optimize", "--db", store, "--user", "u1", "-s", "dedupe", "--out", "x.md", "--report", "x.md", cwd=tmp_path
    )
    assert done.returncode == 2 and "name the same file" in done.stderr and not (tmp_path / "x.md").exists()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    target = tmp_path / "plan.json"
    target.write_text("old")

    def full(_descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(MemoptError, match=r"plan\.json could not be written: No space left"):
        write_atomic(target, "new")
    assert target.read_text() == "old"
    assert [item.name for item in tmp_path.iterdir()] == ["plan.json"]


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "not JSON"), (b"\xff\xfe", "not JSON"), (b"[" * 100_000, "not JSON"), (b"{", "not JSON")]
)
def test_a_file_that_is_no_plan_is_a_usage_error(tmp_path, content, says):
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=says):
        read_plan_data(str(path), ())


def test_a_missing_plan_and_a_folder_are_usage_errors(tmp_path):
    with pytest.raises(UsageError, match="no plan file"):
        read_plan_data(str(tmp_path / "none.json"), ())
    with pytest.raises(UsageError, match="directory"):
        read_plan_data(str(tmp_path), ())
