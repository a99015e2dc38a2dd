"""The pages of retain and tidy: their commands run, and they name every option and class."""

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
from support.inprocess import call_memopt

from memopt.strategies.retain import RetainOptions
from memopt.strategies.tidy import CLASSES, TidyOptions

ROOT = Path(__file__).parents[2]
PAGES = {name: (ROOT / "docs" / "strategies" / f"{name}.md").read_text(encoding="utf-8") for name in ("retain", "tidy")}
COMMANDS = [
    line
    for page in PAGES.values()
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    for line in block.splitlines()
]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_the_pages_previews(command: str) -> None:
    name, *arguments = shlex.split(command)
    done = call_memopt(*arguments, cwd=ROOT)
    assert (name, done.returncode, done.stderr) == ("memopt", 0, "")
    assert "nothing was written" in done.stdout or "nothing to do" in done.stdout


def test_the_pages_name_every_option_and_class() -> None:
    assert len(COMMANDS) == 9
    for page, options in ((PAGES["retain"], RetainOptions), (PAGES["tidy"], TidyOptions)):
        for item in fields(options):
            assert f"| `{item.name.replace('_', '-')}=" in page
    for name in CLASSES:
        assert f"| `{name}` |" in PAGES["tidy"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--strategy", "retain"], "no policy was given, so nothing is removed"),
        (["--strategy", "retain", "-o", "keep-within=1m"], "say 1mo or 1min"),
        (["--strategy", "retain", "-o", "keep-last=0"], "keep-last takes a whole number of at least 1"),
        (["--strategy", "tidy", "-o", "drop=all"], "drop takes any of blank"),
    ],
)
def test_what_the_pages_call_refused_is_a_usage_error(arguments: list[str], said: str) -> None:
    done = call_memopt("optimize", "--db", "fixtures/agno/agno_v3.db", "--user", "u2", *arguments, cwd=ROOT)
    assert done.returncode == 2 and said in done.stderr and not done.stdout
