"""What an answer costs: looked up in sys.modules of a real process, not on the clock."""

import json
import subprocess
import sys

import pytest
from support.agnofile import clean_environment, make_store, row

HEAVY = ("rich", "openai", "httpx", "tiktoken", "sqlite_utils", "sqlite3", "pydantic", "numpy", "rapidfuzz", "asyncio")

PROBE = """
import json, sys
sys.argv = ["memopt", *sys.argv[1:]]
from memopt.__main__ import main
try:
    main()
except SystemExit as stop:
    code = stop.code or 0
else:
    code = 0
sys.stdout.flush()
print("\\n" + json.dumps({"code": code, "modules": sorted(sys.modules)}))
"""


def probe(*args, cwd=None):
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *map(str, args)],
        capture_output=True, encoding="utf-8", env=clean_environment(), cwd=cwd, stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    result = json.loads(done.stdout.splitlines()[-1])
    return result["code"], set(result["modules"]), done


def loaded(modules, names):
    return {name for name in names if name in modules}


def test_the_version_imports_nothing_at_all():
    code, modules, done = probe("--version")
    assert code == 0
    assert done.stdout.startswith("memopt ")
    assert not loaded(modules, (*HEAVY, "typer", "dataclasses"))
    assert {name for name in modules if name.startswith("memopt")} <= {"memopt", "memopt.__main__", "memopt._version"}


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["--help"], 0),
        (["-h"], 0),
        (["optimize", "--help"], 0),
        (["history", "-h"], 0),
        ([], 2),
        (["optimise"], 2),
        (["optimize", "--no-such"], 2),
        (["optimize", "--user"], 2),
        (["optimize"], 2),
        (["optimize", "--user", "u"], 2),
        (["optimize", "--user", "u", "--strategy", "recnt"], 2),
        (["optimize", "--user", "u", "--strategy", "recent", "-o", "kep=3"], 2),
        (["optimize", "--user", "u", "--strategy", "recent", "-o", "keep=x"], 2),
        (["optimize", "--user", "", "--strategy", "recent", "-o", "keep=3"], 2),
        (["optimize", "--user", "u", "--strategy", "recent", "-o", "keep=3", "--max-drop", "x"], 2),
        (["optimize", "--user", "u", "--strategy", "recent", "-o", "keep=3", "--out", "no/such/folder"], 2),
        (["users", "--sort", "name"], 2),
        (["doctor", "--fail-on", "bad"], 2),
        (["optimize", "--user", "u", "--strategy", "recent", "-o", "keep=3", "--report", "report.txt"], 2),
        (["history", "--prune"], 2),
        (["apply", "no-such-plan.json"], 2),
        (["show"], 2),
        (["users"], 2),
        (["optimize", "--bad", "--json"], 2),
        (["enqueue", "--all-users"], 2),
        (["enqueue", "--strategy", "dedupe"], 2),
        (["worker", "--retries", "x"], 2),
        (["worker"], 2),
        (["jobs", "--prune"], 2),
    ],
)
def test_help_and_a_bad_argument_answer_at_once(args, expected, tmp_path):
    code, modules, done = probe(*args, cwd=tmp_path)
    assert code == expected, done.stderr
    assert not loaded(modules, HEAVY), args


def test_a_preview_needs_neither_pydantic_nor_openai_nor_sqlite_utils(tmp_path):
    store = make_store(tmp_path / "agno.db", [row(str(i), f"Fact {i}.", at=1767258000 + i) for i in range(5)])
    code, modules, done = probe("optimize", "--db", store, "--user", "u1", "--strategy", "recent", "-o", "keep=3")
    assert code == 0, done.stderr
    assert not loaded(modules, ("openai", "pydantic", "httpx", "sqlite_utils", "numpy", "asyncio"))


def test_listing_users_needs_no_model_library(tmp_path):
    store = make_store(tmp_path / "agno.db", [row("a", "Fact.")])
    code, modules, _ = probe("users", "--db", store)
    assert code == 0
    assert not loaded(modules, ("openai", "pydantic", "rich", "sqlite_utils"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_strategy_names_are_completed_without_opening_anything_heavy(shell):
    complete = {
        "bash": {"COMP_WORDS": "memopt optimize --strategy re", "COMP_CWORD": "3"},
        "zsh": {"_TYPER_COMPLETE_ARGS": "memopt optimize --strategy re"},
        "fish": {"_TYPER_COMPLETE_ARGS": "memopt optimize --strategy re", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "memopt"],
        env=clean_environment(_MEMOPT_COMPLETE=f"complete_{shell}", **complete),
        capture_output=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert "recent" in done.stdout and "dedupe" not in done.stdout
    for name in ("openai", "sqlite_utils", "tiktoken", "pydantic"):
        assert f" {name}\n" not in done.stderr
