"""Protected memories: which they are, and that no strategy gets past it."""

from __future__ import annotations

import pytest
from support.agnofile import dump, make_store, row
from support.inprocess import call_memopt, json_of_memopt

from memopt.errors import UsageError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.protect import Protection
from memopt.strategies.base import MemoryOptimizationStrategy
from memopt.testing import ScriptedModel


def rules(*texts):
    return Protection.read(texts).rules


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], ()),
        (["topic:medical"], (("topic", "medical"),)),
        (["topic:medical,id:m1", "agent:a"], (("topic", "medical"), ("id", "m1"), ("agent", "a"))),
        (["feedback"], (("feedback", ""),)),
        (["feedback,topic:a"], (("feedback", ""), ("topic", "a"))),
        (["topic:food, drink and tea"], (("topic", "food, drink and tea"),)),
        (["match:a{1,3}b,c,team:t"], (("match", "a{1,3}b,c"), ("team", "t"))),
        (["topic:id:5"], (("topic", "id:5"),)),
        ([" topic: medical "], (("topic", "medical"),)),
        (["match:^(?i:user), (has|had)"], (("match", "^(?i:user), (has|had)"),)),
    ],
)
def test_rules_are_read_as_they_are_written(texts, expected):
    assert rules(*texts) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "medical",
        "topics:medical",
        "topic",
        "topic:",
        "topic: ",
        "id:,agent:a",
        "match:(",
        "match:",
        "feedback:good",
        ",",
    ],
)
def test_what_is_no_rule_is_refused(text):
    with pytest.raises(UsageError, match="--protect"):
        Protection.read([text])


MEMORY = UserMemory("User is allergic to nuts.", "m1", topics=("medical", "food"), agent_id="a", team_id="t", feedback="good")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("topic:food", "topic:food"),
        ("topic:Food", None),
        ("topic:foo", None),
        ("id:m1", "id:m1"),
        ("id:m", None),
        ("agent:a", "agent:a"),
        ("team:t", "team:t"),
        ("agent:t", None),
        ("match:allerg", "match:allerg"),
        ("match:^allerg", None),
        ("match:(?i)ALLERG", "match:(?i)ALLERG"),
        ("feedback", "feedback"),
        ("id:zz,topic:medical", "topic:medical"),
    ],
)
def test_a_memory_is_protected_by_the_first_rule_that_fits(text, reason):
    assert Protection.read([text]).reason(MEMORY) == reason


def test_nothing_protects_without_rules_and_blank_feedback_is_none():
    assert Protection().reason(MEMORY) is None and not Protection()
    protection = Protection.read(["feedback"])
    assert protection.reason(MEMORY.but(feedback=" ")) is None and protection.reason(MEMORY.but(feedback=None)) is None


class Wiper(MemoryOptimizationStrategy):
    name = "wiper"

    def steps(self, memories):
        return []


class Rewriter(MemoryOptimizationStrategy):
    name = "rewriter"

    def steps(self, memories):
        return [m.but(memory=m.memory.upper(), topics=("x",)) for m in memories]


ROWS = [
    row("m1", "User is allergic to nuts.", topics=["medical"]),
    row("m2", "User likes tea.", at=1767258001),
    row("m3", "User has a dog called Rex.", at=1767258002),
]


@pytest.mark.parametrize("strategy", [Wiper(), Rewriter()])
def test_a_strategy_that_does_not_ask_cannot_touch_them(tmp_path, strategy):
    path = make_store(tmp_path / "a.db", ROWS)
    manager = MemoryManager(path)
    plan = manager.optimize_memories("u1", strategy, apply=True, protection=Protection.read(["topic:medical"]))
    left = {m.memory_id: m for m in manager.get_user_memories("u1").memories}
    assert left["m1"].memory == "User is allergic to nuts." and left["m1"].topics == ("medical",)
    assert all(m.memory.isupper() for i, m in left.items() if i != "m1")
    (change,) = [c for c in plan.changes if c.memory_id == "m1"]
    assert change.action.value == "kept" and "protected (topic:medical)" in change.reason and strategy.name in change.reason


def test_a_summary_leaves_them_out_and_alone(tmp_path):
    path = make_store(tmp_path / "a.db", ROWS)
    model = ScriptedModel()
    manager = MemoryManager(path, model)
    manager.optimize_memories("u1", "summarize", apply=True, protection=Protection.read(["match:nuts"]))
    assert all("nuts" not in ask.prompt for ask in model.asked)
    assert "m1" in {m.memory_id for m in manager.get_user_memories("u1").memories}


def test_on_the_command_line_they_stay_byte_for_byte(tmp_path):
    path = make_store(tmp_path / "a.db", ROWS)
    before = [line for line in dump(path)["agno_memories"] if "nuts" in str(line)]
    assert len(before) == 1
    done = call_memopt(
        "optimize", "--db", path, "--user", "u1", "-s", "recent", "-o", "keep=1", "--protect", "topic:medical", "--apply"
    )
    assert done.returncode == 0, done.stderr
    assert [line for line in dump(path)["agno_memories"] if "nuts" in str(line)] == before
    ids = {m["memory_id"] for m in json_of_memopt("show", "--db", path, "--user", "u1")["memories"]}
    assert ids == {"m1", "m3"}


def test_a_bad_rule_ends_with_usage_and_writes_nothing(tmp_path):
    path = make_store(tmp_path / "a.db", ROWS)
    before = dump(path)
    done = call_memopt(
        "optimize", "--db", path, "--user", "u1", "-s", "recent", "-o", "keep=1", "--protect", "medical", "--apply"
    )
    assert done.returncode == 2 and "--protect" in done.stderr and done.stdout == ""
    assert dump(path) == before


@pytest.mark.parametrize(("most", "changes"), [(1, False), (2, True)])
def test_what_was_rewritten_as_often_as_allowed_is_left_alone(tmp_path, most, changes):
    path = make_store(tmp_path / "a.db", ROWS)
    manager = MemoryManager(path, ScriptedModel(lambda ask: " ".join(m.memory for m in ask.material)))
    first = manager.optimize_memories("u1", "summarize", apply=True)
    assert first.run is not None
    with_more = [row(f"n{n}", text, at=1767268002 + n) for n, text in enumerate(["User plays the cello.", "User lives in Bern."])]
    make_store(path, with_more)
    again = manager.optimize_memories("u1", "summarize", max_rewrites=most)
    (summary,) = [c for c in first.changes if c.action.value == "added"]
    gone = {c.memory_id for c in again.changes if c.action.value == "dropped"}
    assert (summary.memory_id in gone) is changes
    named = [note for note in again.notes if f"1 memory ({summary.memory_id}) was rewritten too often already" in note]
    assert len(named) == (not changes)


def test_the_preview_names_what_was_rewritten_too_often_though_there_is_nothing_to_do(tmp_path):
    path = make_store(tmp_path / "a.db", ROWS)
    manager = MemoryManager(path, ScriptedModel(lambda ask: " ".join(m.memory for m in ask.material)))
    plan = manager.optimize_memories("u1", "summarize", apply=True)
    (summary,) = [change.memory_id for change in plan.changes if change.action.value == "added"]
    done = call_memopt("optimize", "--db", path, "--user", "u1", "-s", "summarize", "--max-rewrites", "1", env={"COLUMNS": "200"})
    assert done.returncode == 0 and "nothing to do" in done.stdout
    assert f"1 memory ({summary}) was rewritten too often already and left alone by summarize" in done.stdout


def test_a_rule_that_fits_nothing_is_told_with_what_comes_near(tmp_path):
    path = make_store(tmp_path / "a.db", ROWS)
    said = json_of_memopt(
        "optimize", "--db", path, "-u", "u1", "-s", "recent", "-o", "keep=1", "--protect", "topic:medcal,id:zzz,match:nuts"
    )["notes"]
    assert "nothing is protected by topic:medcal: no memory of the user fits it; did you mean medical?" in said
    assert "nothing is protected by id:zzz: no memory of the user fits it" in said
    assert not any("match:nuts" in note or "feedback" in note for note in said)


def test_a_rule_for_many_users_need_not_fit_each_of_them():
    memories = [UserMemory("User likes tea", "m1")]
    assert Protection.read(["feedback"]).idle(memories) == []
    assert Protection.read(["match:coffee"]).idle(memories) == [
        "nothing is protected by match:coffee: no memory of the user fits it"
    ]


@pytest.mark.parametrize(
    ("key", "line", "says"),
    [
        ('protect = ["foo"]', 4, "protect takes rules such as"),
        ('max-drop = "150%"', 4, "max-drop takes a number of memories or a percentage"),
        ('max_drop = "many"', 4, "max-drop takes a number of memories or a percentage"),
    ],
)
def test_a_bad_value_in_a_policy_names_its_line_and_no_flag(tmp_path, monkeypatch, key, line, says):
    path = make_store(tmp_path / "a.db", ROWS)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memopt.toml").write_text(f'[policies.n]\nstrategies = ["recent"]\noptions = {{ recent.keep = 1 }}\n{key}\n')
    done = call_memopt("optimize", "--db", path, "--user", "u1", "--policy", "n")
    assert done.returncode == 2 and f"memopt.toml, line {line}: {says}" in done.stderr and "--" not in done.stderr
