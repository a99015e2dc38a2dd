"""The page on evaluation: its commands run, its table is what memopt prints as far as no search has a say, its keys are those read."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

from support.agnofile import REPO
from support.inprocess import call_memopt

from memopt.evaluation.questions import _NAMES, read_questions

PAGE = (REPO / "docs" / "evaluation.md").read_text(encoding="utf-8")
ROW = re.compile(r"^[a-z·] (?:\S.*\n +| ?\S.*?  +)([\d,]+) +([\d.]+%) +([\d.]+) ", re.M)


def test_the_example_is_what_memopt_prints():
    command, shown = re.search(r"```text\n\$ (memopt eval [^\n]+)\n(.*?)```", PAGE, re.S).groups()
    done = call_memopt(*shlex.split(command)[1:], cwd=REPO, env={"COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    assert len(ROW.findall(shown)) == 6
    assert ROW.findall(done.stdout) == ROW.findall(shown)  # memories, tokens and evidence: whatever the search finds
    lost = re.compile(r"^\S.* loses, wholly or in part:\n(?:  .*\n)+", re.M)
    assert lost.findall(done.stdout) == lost.findall(shown) != []


def test_the_drafting_command_runs(tmp_path):
    command = re.search(r"^memopt questions (.+)$", PAGE, re.M)[1]
    arguments = [str(REPO / part) if part.startswith("fixtures/") else part for part in shlex.split(command)]
    done = call_memopt("questions", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert read_questions((tmp_path / "q.jsonl").read_text(encoding="utf-8")).questions


def test_every_option_of_the_page_exists():
    known = set()
    for command in ("eval", "questions", "optimize", "apply", "review"):
        known |= set(re.findall(r"(--[a-z][a-z-]+)", call_memopt(command, "--help").stdout))
    for option in set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+)", PAGE)) - {"--data"}:
        assert option in known, option


def test_every_key_of_a_question_is_on_the_page():
    for key, names in _NAMES.items():
        row = re.search(rf"^\| `{key}` \|([^|]*)\|", PAGE, re.M)[1]
        assert set(re.findall(r"`([a-z_]+)`", row)) == set(names) - {key}, key


def test_the_library_example_runs():
    code = re.search(r"```python\n(.*?)```", PAGE, re.S)[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=REPO, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    recall, figures = done.stdout.splitlines()
    assert recall == "1.0" and figures.endswith("()") and figures.startswith("0.9")
