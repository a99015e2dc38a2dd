"""The README tells the truth: its preview, its tables, its code and its commands."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest
from readme import EXIT_CODES, PREVIEW, ROOT, generated
from support.agnofile import run_memopt

from memopt.errors import UsageError
from memopt.manager import MemoryManager

README = (ROOT / "README.md").read_text(encoding="utf-8")
STORE = ROOT / "fixtures" / "agno" / "agno_v3.db"


def commands() -> list[str]:
    done = subprocess.run([sys.executable, "-m", "memopt", "--help"], capture_output=True, text=True, check=True)
    listed = done.stdout.split("Commands:")[1]
    return re.findall(r"^  ([a-z-]+)  ", listed, re.MULTILINE)


def test_the_preview_and_the_exit_codes_are_what_memopt_prints():
    assert PREVIEW.search(README) and EXIT_CODES.search(README)
    assert generated(README) == README, "run: python tests/readme.py"


def test_the_preview_is_on_the_first_screen():
    match = PREVIEW.search(README)
    assert match is not None
    assert README[: match.start()].count("\n") < 12


@pytest.mark.parametrize("command", commands())
def test_every_command_is_in_the_table(command):
    assert re.search(rf"^\| `memopt {command}\b", README, re.MULTILINE)


def test_every_strategy_is_in_the_table():
    from memopt.strategies.registry import names

    for name in names():
        assert re.search(rf"^\| `{name}\b", README, re.MULTILINE), name


def test_every_setting_is_in_the_table():
    from memopt.settings import FILE_KEYS, VARIABLES

    table = README[README.index("### Settings") :]
    for variables in VARIABLES.values():
        for variable in variables:
            assert f"`{variable}`" in table, variable
    for key in FILE_KEYS:
        assert f"| `{key}` |" in table, key


def test_every_option_that_the_readme_names_exists():
    known = set()
    for command in commands():
        known |= set(re.findall(r"(--[a-z][a-z-]+)", run_memopt(command, "--help").stdout))
    known |= {"--install-completion", "--version"}
    for option in set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", README)):
        assert option in known, option


def test_the_two_set_up_commands_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"\nmake {target} " in README
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_the_cron_line_runs(tmp_path):
    match = re.search(r"^30 3 \* \* \*  (MEMOPT_DB=\S+ )(memopt .+?) > ", README, re.MULTILINE)
    assert match is not None
    store = shutil.copy(STORE, tmp_path / "agno.db")
    done = run_memopt(*match[2].split()[1:], env={"MEMOPT_DB": str(store)})
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_the_strategy_of_the_readme_runs_as_the_readme_says(tmp_path):
    code = next(block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "class ShortOnly" in block)
    (tmp_path / "short.py").write_text(code, encoding="utf-8")
    done = run_memopt("optimize", "--db", str(STORE), "--user", "u2", "--strategy", "./short.py:ShortOnly", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "longer than ten words" in done.stdout


def test_the_library_example_runs(tmp_path):
    code = next(block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "MemoryManager(" in block)
    shutil.copy(STORE, tmp_path / "agno.db")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "'dropped': 3" in done.stdout


def test_the_library_takes_its_model_as_the_readme_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(STORE, tmp_path / "agno.db")
    code = next(block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "BuiltinModel()" in block)
    names: dict[str, object] = {}
    exec(code, names)
    assert names["plan"].tokens_after.prompt < names["plan"].tokens_before.prompt
    with pytest.raises(UsageError, match=r"MemoryManager\(db, model\) takes one"):
        MemoryManager("agno.db").optimize_memories("u2", "summarize")
