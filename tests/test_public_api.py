"""The names that the package offers: all there, loaded late, and typed."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.agnofile import REPO, clean_environment

import memopt


def python(code):
    call = [sys.executable, "-c", code]
    return subprocess.run(call, capture_output=True, text=True, env=clean_environment(), check=True).stdout


def test_all_names_are_there_sorted_and_the_ones_that_can_be_loaded():
    assert list(memopt.__all__) == sorted(set(memopt.__all__))
    assert set(memopt.__all__) == set(memopt._HOME_OF) | {"__version__"}
    for name in memopt.__all__:
        assert getattr(memopt, name) is not None
    assert dir(memopt) == sorted(memopt.__all__)


def test_type_checkers_see_the_same_names():
    tree = ast.parse(Path(memopt.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {alias.asname or alias.name: node.module for node in block.body for alias in node.names}
    assert seen == memopt._HOME_OF


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = memopt.nope
    with pytest.raises(ImportError):
        exec("from memopt import nope")


def test_star_gives_all_and_nothing_else():
    space: dict[str, object] = {}
    exec("from memopt import *", space)
    assert set(space) - {"__builtins__"} == set(memopt.__all__)


def test_importing_the_package_loads_next_to_nothing():
    loaded = python("import sys; a = set(sys.modules); import memopt; print(*sorted(set(sys.modules) - a))").split()
    assert [name for name in loaded if name.startswith("memopt")] == ["memopt", "memopt._version"]
    assert not {"openai", "rich", "typer", "tiktoken", "sqlite_utils", "numpy", "sqlite3"} & set(loaded)


HEAVY = "{'openai', 'rich', 'typer', 'tiktoken', 'sqlite_utils', 'numpy', 'rapidfuzz', 'pytest', 'pydantic', 'agno'}"


@pytest.mark.parametrize("name", ["MemoryManager", "Plan", "UserMemory", "SummarizeStrategy", "AgnoSqliteStore", "TokenCounter"])
def test_a_name_brings_no_heavy_library_with_it(name):
    assert python(f"import sys; from memopt import {name}; print(sorted({HEAVY} & set(sys.modules)))") == "[]\n"


def test_memopt_itself_never_imports_its_test_suites():
    for path in Path(memopt.__file__).parent.rglob("*.py"):
        if path.name == "testing.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            imported = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            imported += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not {"memopt.testing", "pytest", "hypothesis"} & set(imported), path


def test_the_package_says_that_it_is_typed():
    assert (Path(memopt.__file__).parent / "py.typed").exists()


@pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
def test_the_way_the_library_is_used_is_accepted_by_a_strict_type_checker(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", str(tmp_path), "tests/typing_api.py"],
        capture_output=True,
        text=True,
        cwd=REPO,
        env={**os.environ, "MYPYPATH": str(REPO)},
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
