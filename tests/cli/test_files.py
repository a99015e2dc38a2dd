"""Plan files are written whole or not at all, and never over something that is not one."""

import os
import stat

import pytest

from memopt.cli.files import check_target, read_plan_data, write_atomic
from memopt.errors import MemoptError, UsageError


def test_a_new_file_is_the_owners_alone_and_an_old_one_is_replaced(tmp_path):
    target = check_target(str(tmp_path / "plan.json"))
    write_atomic(target, "eins ü\n")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    write_atomic(check_target(str(target)), "zwei\n")
    assert target.read_bytes() == b"zwei\n"
    assert [item.name for item in tmp_path.iterdir()] == ["plan.json"]


def test_a_symbolic_link_stays_one(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
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
