"""`memopt curve`, and what the page on `budget` shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from support.agnofile import make_store, row
from support.inprocess import call_memopt, json_of_memopt

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs" / "strategies" / "budget.md").read_text(encoding="utf-8")
DAY = 86_400
TEXTS = (
    "Nora bought a cargo bike for 2,400 euros in March 2024.",
    "Nora appreciates the support of the people around her.",
    "Nora's daughter Ines plays the viola in a youth orchestra.",
    "Nora believes in the importance of kindness and compassion.",
    "Nora ran a half marathon in 1:52:08 last autumn.",
    "Nora hopes to make a difference in the world.",
)


@pytest.fixture
def store(tmp_path):
    rows = [row(f"id-{n}", text, at=1_767_258_000 + n * DAY, topics=["t"]) for n, text in enumerate(TEXTS)]
    rows.append(row("o-1", "Other user.", user="u2"))
    return make_store(tmp_path / "agno.db", rows)


def curve(store, *more, **options):
    return call_memopt("curve", "--db", store, "--user", "u1", *more, **options)


def bars(text):
    return [
        (int(a.replace(",", "")), int(b), float(c), d)
        for a, b, c, d in re.findall(r"^ *([\d,]+) +(\d+) +([\d.]+) % *(.*)$", text, re.M)
    ]


def test_it_plots_what_each_budget_keeps_and_writes_nothing(store):
    before = store.read_bytes()
    done = curve(store, "--points", "5")
    assert (done.returncode, done.stderr) == (0, "")
    found = bars(done.stdout)
    assert len(found) == 5
    assert [budget for budget, *_ in found] == sorted((budget for budget, *_ in found), reverse=True)
    assert found[0][1:3] == (6, 100.0)
    assert all(len(bar) <= 50 for *_, bar in found)
    lengths = [len(bar) for *_, bar in found]
    assert lengths[0] == 50 and lengths[-1] < lengths[0]
    assert "share of facts" in done.stdout and "max-tokens" in done.stdout
    assert store.read_bytes() == before


@pytest.mark.parametrize("columns", ["40", "80", "120"])
def test_it_stays_within_the_terminal(store, columns):
    for line in curve(store, env={"COLUMNS": columns}).stdout.splitlines():
        if str(store) not in line:
            assert len(line) <= int(columns)


def test_a_point_is_what_optimize_would_leave(store):
    document = json_of_memopt("curve", "--db", store, "--user", "u1", "--points", "4")
    for point in document["points"]:
        plan = json_of_memopt(
            "optimize",
            "--db",
            store,
            "--user",
            "u1",
            "--allow-empty",
            "--strategy",
            "budget",
            "-o",
            f"max-tokens={point['budget']}",
        )
        assert plan["memories"]["after"] == point["memories"]
        assert plan["tokens"]["after"]["prompt"] == point["tokens"] <= point["budget"]


def test_the_document_says_what_was_measured(store):
    document = json_of_memopt("curve", "--db", store, "--user", "u1")
    assert set(document) == {"store", "user_id", "encoding", "memories", "unreadable", "tokens", "measure", "points"}
    assert (document["user_id"], document["memories"], document["measure"]) == ("u1", 6, "facts")
    first, last = document["points"][0], document["points"][-1]
    assert first == {
        "budget": document["tokens"],
        "share": 1.0,
        "tokens": document["tokens"],
        "memories": 6,
        "facts": 1.0,
        "worth": 1.0,
    }
    assert last["facts"] < 1 and last["worth"] < 1
    quick = json_of_memopt("curve", "--db", store, "--user", "u1", "--measure", "worth")
    assert quick["measure"] == "worth" and all(point["facts"] is None for point in quick["points"])
    assert [point["worth"] for point in quick["points"]] == [point["worth"] for point in document["points"]]


def test_the_tokens_are_those_of_the_encoding_asked_for(store):
    one = json_of_memopt("curve", "--db", store, "--user", "u1", "--encoding", "cl100k_base", "--points", "2")
    assert one["encoding"] == "cl100k_base"
    assert all(point["tokens"] <= point["budget"] for point in one["points"])


def test_protected_memories_stay_at_every_budget(store):
    document = json_of_memopt("curve", "--db", store, "--user", "u1", "--protect", "id:id-3")
    assert all(point["memories"] >= 1 for point in document["points"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--points", "0"], "--points takes"),
        (["--points", "101"], "--points takes"),
        (["--points", "-3"], "--points takes"),
        (["--points", "five"], "--points takes"),
        (["--measure", "recall"], "--measure takes one of facts, worth"),
        (["--protect", "nonsense"], "--protect takes rules"),
    ],
)
def test_bad_values_are_usage_errors(store, arguments, said):
    done = curve(store, *arguments)
    assert done.returncode == 2
    assert said in done.stderr and not done.stdout


def test_a_user_is_asked_for_and_an_unknown_one_is_named(store):
    assert call_memopt("curve", "--db", store).returncode == 2
    done = call_memopt("curve", "--db", store, "--user", "u11")
    assert done.returncode == 2 and "u1" in done.stderr


def test_every_command_of_the_page_runs():
    commands = re.findall(r"^memopt .+$", PAGE, re.M)
    assert len(commands) >= 4
    for command in commands:
        done = call_memopt(*shlex.split(command)[1:], cwd=ROOT)
        assert done.returncode == 0, (command, done.stderr)


def test_the_plot_of_the_page_is_what_memopt_prints():
    command, shown = re.search(r"```text\n\$ (memopt curve .+)\n(.*?)```", PAGE, re.S).groups()
    done = call_memopt(*shlex.split(command)[1:], cwd=ROOT, env={"COLUMNS": "80"})
    assert done.stdout.replace(f"{ROOT}/", "") == shown


def test_every_option_is_on_the_page():
    from dataclasses import fields

    from memopt.strategies.budget import BudgetOptions

    for item in fields(BudgetOptions):
        assert f"| `{item.name.replace('_', '-')}" in PAGE


def test_where_there_is_no_fact_the_worth_is_told(tmp_path):
    path = make_store(tmp_path / "a.db", [row("m1", "👍", user="u"), row("m2", "🙂", user="u")])
    found = json_of_memopt("curve", "--db", path, "--user", "u")
    assert found["measure"] == "worth" or all(point["facts"] is not None for point in found["points"])
    assert found["points"][-1]["memories"] == 2 or (found["points"][-1]["facts"] or found["points"][-1]["worth"]) < 1
