"""The LoCoMo converter on a file of its form, and the run of all benchmarks on data that small, with a scripted service."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from support.agnofile import REPO, clean_environment
from support.endpoint import Endpoint, say
from support.inprocess import json_of_memopt

BENCHMARKS = REPO / "benchmarks"

SAMPLE = {
    "sample_id": "conv-7",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [],
        "session_2_date_time": "12:09 am on 13 September, 2023",
        "session_2": [],
    },
    "observation": {
        "session_1_observation": {
            "Ann": [["Ann adopted a dog named Rex.", "D1:3"], ["Ann values kindness.", "D1:5"]],
            "Bo": [["Bo bakes bread every Sunday.", ["D1:2", "D1:4"]]],
        },
        "session_2_observation": {"Ann": [["Ann ran 10 km in Bern.", "D2:1, D2:3"]], "Bo": []},
    },
    "qa": [
        {"question": "What is the name of Ann's dog?", "answer": "Rex", "evidence": ["D1:3"], "category": 4},
        {"question": "What do Ann and Bo do?", "answer": "run, bake", "evidence": ["D1:4 D2:3"], "category": 1},
        {"question": "When did Ann run?", "answer": 2023, "evidence": ["D9:9"], "category": 2},
        {"question": "Why?", "evidence": ["D1:1"], "adversarial_answer": "so", "category": 5},
    ],
}


@pytest.fixture
def locomo(tmp_path):
    path = tmp_path / "locomo10.json"
    path.write_text(json.dumps([SAMPLE]), encoding="utf-8")
    return path


def script(name, *arguments, **environment):
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        env=clean_environment(**environment),
        check=False,
        cwd=REPO,
    )


def test_locomo_becomes_memories_and_questions_that_memopt_reads(locomo, tmp_path):
    done = script("locomo.py", locomo, "--out", tmp_path / "out", "--db", tmp_path / "agno.db")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "4 memories of 2 users; 3 questions, 2 with evidence among the memories; 1 without an answer left out\n"
    rows = [json.loads(line) for line in (tmp_path / "out" / "locomo_memories.jsonl").read_text().splitlines()]
    assert rows[0] == {
        "user_id": "conv-7_ann",
        "memory_id": "conv-7_ann_s01_00",
        "memory": "Ann adopted a dog named Rex.",
        "topics": ["session_1"],
        "created_at": 1683554160,
    }
    assert {row["created_at"] for row in rows} == {1683554160, 1694563740}
    questions = [json.loads(line) for line in (tmp_path / "out" / "locomo_questions.jsonl").read_text().splitlines()]
    assert questions[0]["memory_ids"] == ["conv-7_ann_s01_00"] and questions[0]["user"] == ["conv-7_ann", "conv-7_bo"]
    assert questions[1]["memory_ids"] == ["conv-7_bo_s01_00", "conv-7_ann_s02_00"]
    assert questions[2]["memory_ids"] == [] and questions[2]["answer"] == "2023"
    file = tmp_path / "out" / "locomo_questions.jsonl"
    found = json_of_memopt("eval", "--db", tmp_path / "agno.db", "--questions", file, "-s", "recent,keep=1")
    assert found["users"] == ["conv-7_ann", "conv-7_bo"] and found["contenders"][1]["lost"] == ["conv-7_q000"]


def test_all_benchmarks_run_and_write_one_page(locomo, tmp_path):
    def told(request):
        return say("Ann adopted a dog named Rex. Bo bakes bread every Sunday.")

    with Endpoint(told) as endpoint:
        out = tmp_path / "RESULTS.md"
        done = script(
            "run_all.py",
            "--locomo",
            locomo,
            "--out",
            out,
            "--facts",
            "40",
            "--parts",
            "locomo,facts,verifier",
            "--model",
            "m",
            "--base-url",
            endpoint.base_url,
            OPENAI_API_KEY="k",
        )
        assert done.returncode == 0, done.stderr
        assert endpoint.requests
    page = out.read_text(encoding="utf-8")
    for part in ("## LoCoMo", "## FactConsolidation 6k", "## The verifier", "### free-held"):
        assert part in page
    for share in ("100 %", "75 %", "50 %", "25 %", "10 %"):
        assert re.search(rf"^\| {share} \| ", page, re.M)
    for method in ("newest", "random (mean of 5)", "rare words", "budget", "`summarize`, m", "Agno's summarize, m"):
        assert f"| {method} |" in page, method
    assert str(tmp_path) not in page and "failed:" not in page and str(REPO) not in page
    assert page.count("| all memories |") >= 3
