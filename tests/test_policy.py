"""Named policies: conditions that are only comparisons, and every mistake named with its line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.errors import UsageError
from memopt.policy import CONDITION_NAMES, Condition, Policy, find_place
from memopt.settings import resolve

FIGURES = {"memories": 60, "tokens": 1500, "text_tokens": 1400, "duplicates": 3}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("tokens > 2000 or memories > 50", True),
        ("tokens > 2000 and memories > 50", False),
        ("not tokens > 2000", True),
        ("(tokens > 2000 or memories > 50) and duplicates >= 3", True),
        ("10 < memories <= 60", True),
        ("10 < memories < 60", False),
        ("memories == 60", True),
        ("memories != 60", False),
        ("duplicates > 0.5", True),
        ("text_tokens < tokens", True),
        (" \n memories > 1 \n", True),
    ],
)
def test_a_condition_is_a_comparison_of_figures(text, holds):
    assert Condition.read(text, "here").holds(FIGURES) is holds


@pytest.mark.parametrize(
    "text",
    [
        "memories",
        "5",
        "True",
        "memories > ",
        "memories > 'a'",
        "memories > True",
        "memory > 5",
        "memories is 5",
        "memories in [5]",
        "memories > 5; tokens > 1",
        "__import__('os').system('true') > 0",
        "memories.__class__ > 0",
        "memories > 5 or nothing > 1",
        "memories > (lambda: 1)()",
        "memories + 1 > 5",
        "-memories > 5",
        "(" * 500 + "memories > 1" + ")" * 500,
        "not memories",
        "memories > 1e999999 or x",
        "\x00",
    ],
)
def test_anything_else_is_refused_where_it_is_read(text):
    with pytest.raises(UsageError, match=r"here takes comparisons of memories, tokens, text_tokens, duplicates"):
        Condition.read(text, "here")


@settings(deadline=None)
@given(st.text(max_size=40))
def test_no_text_does_anything_but_hold_or_be_refused(text):
    try:
        condition = Condition.read(text, "here")
    except UsageError:
        return
    assert condition.holds(FIGURES) in (True, False)


@settings(deadline=None)
@given(st.sampled_from(CONDITION_NAMES), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), st.integers(0, 2000))
def test_a_comparison_means_what_it_says(name, operator, number):
    expected = eval(f"{FIGURES[name]} {operator} {number}")
    assert Condition.read(f"{name} {operator} {number}", "here").holds(FIGURES) is expected


@pytest.mark.parametrize(
    ("patterns", "user", "fits"),
    [
        ((), "anyone", True),
        ((), None, True),
        (("*",), "anyone", True),
        (("*",), None, False),
        (("team-*", "ann"), "team-a", True),
        (("team-*", "ann"), "ann", True),
        (("team-*", "ann"), "Ann", False),
        (("u?",), "u12", False),
        (("[ab]*",), "ann", True),
        (("team[[]1]*",), "team[1]-ann", True),
    ],
)
def test_a_policy_is_for_the_users_its_patterns_fit(patterns, user, fits):
    assert Policy("p", ("recent",), users=patterns).fits(user) is fits


def policies(text):
    return resolve({}, {}, text).policies


FULL = """
db = "x.db"

[policies.nightly]
users = ["team-*"]
when = "tokens > 2000"
strategies = ["dedupe", "recent"]
protect = "topic:medical"
max-drop = 5
questions = "q.jsonl"
min-recall = 0.95
max_rewrites = 2
model = "m"
base-url = "http://h/v1"
judge = "j"
on-loss = "fail"
only = "safe"

[policies.nightly.options]
recent.keep = 100
threshold = 0.9
near = true
topics = ["a", "b"]

[policies."by hand"]
strategies = "recent"
options = { keep = 5, "recent.other" = "x" }
"""


def test_a_policy_is_read_whole():
    found = policies(FULL)
    assert list(found) == ["nightly", "by hand"]
    assert found["nightly"] == Policy(
        "nightly",
        ("dedupe", "recent"),
        users=("team-*",),
        when=Condition("tokens > 2000"),
        options={"recent.keep": 100, "threshold": 0.9, "near": True, "topics": "a,b"},
        protect=("topic:medical",),
        model="m",
        base_url="http://h/v1",
        judge="j",
        on_loss="fail",
        max_drop="5",
        questions="q.jsonl",
        min_recall="0.95",
        max_rewrites=2,
        only="safe",
    )
    assert found["by hand"] == Policy("by hand", ("recent",), options={"keep": 5, "recent.other": "x"})


def test_without_policies_there_are_none():
    assert policies('db = "a"') == {}


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ("strategies = ['recent']\nwen = 'x'", 3, "unknown key 'wen'"),
        ("users = ['*']", 1, "names no strategy"),
        ("strategies = []", 1, "names no strategy"),
        ("strategies = [5]", 2, "strategies takes a text or a list of texts"),
        ("strategies = ['']", 2, "strategies takes a text or a list of texts"),
        ("strategies = ['recent']\nusers = 5", 3, "users takes a text or a list of texts"),
        ("strategies = ['recent']\nwhen = 'memories'", 3, "when takes comparisons"),
        ("strategies = ['recent']\nwhen = 5", 3, "when takes a text"),
        ("strategies = ['recent']\nmax-rewrites = 0", 3, "max-rewrites takes a whole number above 0"),
        ("strategies = ['recent']\nmax-rewrites = true", 3, "max-rewrites takes a whole number above 0"),
        ("strategies = ['recent']\nmodel = ''", 3, "model takes a text that is not empty"),
        ("strategies = ['recent']\nmax-drop = true", 3, "max-drop takes a text"),
        ("strategies = ['recent']\nonly = 'risky'", 3, "only takes safe"),
        ("strategies = ['recent']\nmin-recall = 2", 3, "min-recall takes a share from 0 to 1"),
        ("strategies = ['recent']\nmin-recall = true", 3, "min-recall takes a share from 0 to 1"),
        ("strategies = ['recent']\nmin-recall = [1]", 3, "min-recall takes a share from 0 to 1"),
        ("strategies = ['recent']\nquestions = []", 3, "questions takes a text"),
        ("strategies = ['recent']\noptions = 5", 3, "options is a table"),
        ("strategies = ['recent']\noptions = { a = [[1]] }", 3, "option a takes a text, a number or true or false"),
        ("strategies = ['recent']\n[policies.p.options]\nrecent.keep = 1979-05-27", 3, "option recent.keep takes"),
    ],
)
def test_a_mistake_is_named_with_its_line(body, line, says):
    with pytest.raises(UsageError) as caught:
        policies(f"[policies.p]\n{body}\n")
    assert f"memopt.toml, line {line}: " in str(caught.value) and says in str(caught.value)


@pytest.mark.parametrize("text", ["policies = 5", "policies = ['a']", "[policies]\np = 5"])
def test_policies_are_tables(text):
    with pytest.raises(UsageError, match="table"):
        policies(text)


def test_the_line_is_that_of_the_policy_itself():
    text = "[policies.a]\nmodel = 'x'\n\n[policies.b]\nmodel = 'y'\n[policies.b.options]\nkeep = 1\n"
    assert find_place(text, "f", "a", "model") == "f, line 2"
    assert find_place(text, "f", "b", "model") == "f, line 5"
    assert find_place(text, "f", "b", "options") == "f, line 6"
    assert find_place(text, "f", "b", "gone") == "f, line 4"
    assert find_place(text, "f", "c", "gone") == "f"
