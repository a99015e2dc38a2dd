"""A real model that is too small for the task: whatever it writes, no fact of the store is lost."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from support.agnofile import FIXTURES, dump
from support.inprocess import call_memopt
from support.llama import LlamaServer

from memopt.manager import MemoryManager
from memopt.verify import verify


def texts(path, user):
    return list(MemoryManager(path).get_user_memories(user).memories)


def marks(text: str) -> set[str]:
    """Figures, and words capitalised within a sentence: what a reader would look for, by other means than the verifier's."""
    figures = set(re.findall(r"\d+(?:[.,:]\d+)*", text))
    names = set(re.findall(r"(?<=[a-z,] )[A-Z][\w'-]+", text))
    return figures | {name.removesuffix("'s") for name in names}


@pytest.mark.parametrize(("user", "flags"), [("u1", ("--on-loss", "accept")), ("u1", ()), ("u2", ())])
def test_no_fact_is_lost_whatever_it_writes(llama: LlamaServer, tmp_path, user, flags):
    path = tmp_path / "a.db"
    shutil.copy(FIXTURES / "agno" / "agno_v3.db", path)
    before, raw = texts(path, user), dump(path)
    done = call_memopt(
        *("optimize", "--db", path, "--user", user, "--strategy", "summarize", "--apply", "--json"),
        *("--model", llama.model, "--base-url", llama.base_url, "--context-tokens", str(llama.context_tokens)),
        *("--timeout", "45", "--max-requests", "2", *flags),
    )
    document = json.loads(done.stdout)
    if done.returncode != 0:
        # refused by the checks, or never answered usably: then nothing is written
        assert done.returncode in (4, 8) and document["error"]["kind"] in ("verification", "answer", "limit", "model", "context")
        assert dump(path) == raw
        return
    reports = (document["verification"] or {"reports": []})["reports"]
    assert document["usage"]["requests"] >= 1
    after = texts(path, user)
    found = verify(before, after)
    assert not found.invented
    if "accept" in flags:
        told = {item["fact"] for report in reports for item in report["lost"]}
        assert {item.fact for item in found.lost} <= told
        return
    assert not found.lost
    replaced = {item["memory_id"] for report in reports if report["outcome"] == "written" for item in report["superseded"]}
    whole = "\n".join(memory.memory for memory in after)
    assert {mark for memory in before if memory.memory_id not in replaced for mark in marks(memory.memory)} <= marks(
        "x " + whole
    ) | set(re.findall(r"\w[\w'-]*", whole))
