"""Questions drafted from memories: answerable, not given away, the same every time, in English and Chinese."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.agnofile import REPO, make_store, row
from support.endpoint import Endpoint, fail, say
from support.evaluating import memories, trial, value
from support.inprocess import call_memopt, json_of_memopt

from memopt.evaluation.asking import asked_in_chinese, asked_in_english, base_form
from memopt.evaluation.draft import draft
from memopt.evaluation.questions import read_questions
from memopt.memory import UserMemory

STORE = REPO / "fixtures" / "agno" / "agno_v3.db"


def ask(sentence, answer, kind):
    start = sentence.index(answer)
    ways = asked_in_chinese if any("\u4e00" <= char <= "\u9fff" for char in sentence) else asked_in_english
    return ways(sentence, start, start + len(answer), kind)


@pytest.mark.parametrize(
    ("sentence", "answer", "kind", "question"),
    [
        ("User lives in Bern.", "Bern", "name", "Where does the user live?"),
        ("The user has moved to Bern.", "Bern", "name", "Where has the user moved?"),
        ("User met Priya in Malmö and talked about the index.", "Priya", "name", "Who did the user meet in Malmö?"),
        ("User met Priya in Malmö and talked about the index.", "Malmö", "name", "Where did the user meet Priya?"),
        (
            "User has a deadline for the index on 2025-07-06.",
            "2025-07-06",
            "date",
            "When does the user have a deadline for the index?",
        ),
        (
            "Nora bought a cargo bike for 2,400 euros in March 2024.",
            "March 2024",
            "date",
            "When did Nora buy a cargo bike for 2,400 euros?",
        ),
        (
            "Nora bought a cargo bike for 2,400 euros in March 2024.",
            "2,400 euros",
            "money",
            "For how much did Nora buy a cargo bike in March 2024?",
        ),
        ("User pays 1,450 € warm rent.", "1,450 €", "money", "How much warm rent does the user pay?"),
        ("User has two cats named Momo and Kiki.", "two", "number", "How many cats does the user have?"),
        (
            "User's colleague Marta is the owner of the data warehouse.",
            "Marta",
            "name",
            "Which colleague of the user is the owner of the data warehouse?",
        ),
        ("User's birthday is on 17 July 1991; likes hotpot.", "17 July 1991", "date", "When is the user's birthday?"),
        (
            "User is working on the billing service with Tom.",
            "Tom",
            "name",
            "Who is the user working on the billing service with?",
        ),
        (
            "User finished the half marathon in 1:52:08.",
            "1:52:08",
            "quantity",
            "In what time did the user finish the half marathon?",
        ),
        ("Melanie has been married for 5 years.", "for 5 years", "quantity", "For how long has Melanie been married?"),
        ("User switched from Rust to Airflow.", "Rust", "name", "From what did the user switch to Airflow?"),
        ("Nate has had turtles for 3 years.", "3 years", "quantity", "For how long has Nate had turtles?"),
        ("- User lives in Bern", "Bern", "name", "Where does the user live?"),
        ("用户住在伯尔尼，有两只猫。", "伯尔尼", "name", "用户住在哪里？"),
        ("用户2024年3月花了2400欧元买了一辆自行车。", "2400欧元", "money", "用户2024年3月花了多少钱买了一辆自行车？"),
        ("用户的女儿叫小雨，今年8岁。", "8岁", "quantity", "用户的女儿今年多少岁？"),
        ("用户从2020年开始学习德语。", "2020年", "date", "用户从什么时候开始学习德语？"),
        ("用户每天6:30起床。", "6:30", "time", "用户每天几点起床？"),
    ],
)
def test_a_sentence_becomes_a_question(sentence, answer, kind, question):
    assert ask(sentence, answer, kind) == question


@pytest.mark.parametrize(
    ("sentence", "answer", "kind"),
    [
        ("Accepted the offer; starts on 1 August 2025.", "1 August 2025", "date"),
        ("User does not live in Bern.", "Bern", "name"),
        ("User accepted it (from Zalando).", "Zalando", "name"),
        ("User needs a German visa.", "German", "name"),
        ("In Bern, user met Tom.", "Tom", "name"),
        ("Melanie reminds Caroline to pursue her dreams.", "Caroline", "name"),
        ("Successfully finished the migration on July 4, 2025.", "July 4, 2025", "date"),
        ("Completed the migration on July 4, 2025.", "July 4, 2025", "date"),
    ],
)
def test_a_shape_that_is_not_understood_is_left_alone(sentence, answer, kind):
    assert ask(sentence, answer, kind) is None


@pytest.mark.parametrize(
    ("verb", "base"),
    [
        ("lives", "live"), ("studies", "study"), ("watches", "watch"), ("goes", "go"), ("has", "have"), ("moved", "move"),
        ("stopped", "stop"), ("finished", "finish"), ("accepted", "accept"), ("visited", "visit"), ("tried", "try"), ("bought", "buy"),
        ("celebrated", "celebrate"), ("played", "play"), ("used", "use"), ("eliminated", "eliminate"), ("treated", "treat"), ("merged", "merge"), ("improved", "improve"), ("miss", None),
    ],
)  # fmt: skip
def test_the_base_of_a_verb(verb, base):
    assert base_form(verb) == base


TEXTS = {
    "a": "User lives in Basel.",
    "b": "User has moved to Bern.",
    "c": "User is allergic to peanuts.",
    "d": "User bought a cargo bike for 2,400 euros in March 2024.",
    "e": "User bought a cargo bike for 2,400 euros in March 2024",
    "f": "User appreciates kindness.",
    "g": "",
    "h": "用户的女儿叫小雨，今年8岁。",
}


def test_a_drafted_set_is_answered_by_all_memories_and_not_given_away():
    before = memories(TEXTS)
    drafted = draft(before, 30, "u")
    assert [item.id for item in drafted] == [f"q{at:02d}" for at in range(1, len(drafted) + 1)]
    found = trial(drafted, before)
    assert not found.left_out and not found.unknown and value(found.before, "evidence") == 1
    for item in drafted:
        assert item.answer in {memory.memory_id: memory for memory in before}[item.memory_ids[0]].memory
        assert item.answer.lower() not in item.text.lower()
        assert item.users == ("u",)
    assert "What is the user allergic to?" in {item.text for item in drafted}


def test_what_a_newer_memory_replaced_is_what_must_not_win():
    drafted = draft(memories(TEXTS), 30)
    home = next(item for item in drafted if item.text == "Where does the user live?")
    assert (home.memory_ids, home.answer, home.stale_ids) == (("b",), "Bern", ("a",))


def test_what_several_memories_answer_otherwise_is_not_asked():
    before = memories({"a": "User likes pho.", "b": "User met Tom in Bern.", "c": "User met Ann in Bern."})
    assert "Who did the user meet in Bern?" not in {item.text for item in draft(before)}


def test_every_memory_has_its_turn_before_one_has_two():
    names = ("Tom", "Ann", "Priya", "Marta", "Chloé", "Dmitri", "Amira", "Jonas")
    before = memories({f"m{at}": f"User met {name} in Bern on 2025-01-{at + 10}." for at, name in enumerate(names)})
    first = draft(before, 8)
    assert len({item.memory_ids for item in first}) == 8
    assert len(draft(before, 16)) == 16 and draft(before, 8) == first


def test_the_order_of_the_rows_decides_nothing():
    before = memories(TEXTS)
    assert draft(before) == draft(before[::-1])


def test_a_title_is_asked_for_whole_and_a_part_of_a_word_not_at_all():
    before = memories({"a": "Nate watched 'The Lord of the Rings' and liked it.", "b": "Jon left his secure 9-5 job."})
    drafted = draft(before)
    assert [item.answer for item in drafted] == ["The Lord of the Rings"]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(alphabet=st.sampled_from("User livesin Bn.2,04年用户住在哪里？?；;'s met Tom€()\n"), max_size=60), max_size=6
    )
)
def test_any_text_can_be_drafted_from(texts):
    before = [UserMemory(text, f"m{at}", user_id="u", created_at=at) for at, text in enumerate(texts)]
    for item in draft(before, 50, "u"):
        assert item.text.strip() and item.answer


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command_prints_what_eval_reads(tmp_path):
    done = call_memopt("questions", "--db", STORE, "--user", "u2", "-n", "12")
    assert done.returncode == 0 and done.stderr == "memopt: 12 questions\n"
    assert len(read_questions(done.stdout).questions) == 12
    again = call_memopt("questions", "--db", STORE, "--user", "u2", "-n", "12")
    assert again.stdout == done.stdout
    target = tmp_path / "q.jsonl"
    written = call_memopt("questions", "--db", STORE, "--user", "u2", "-n", "12", "--out", target)
    assert written.stdout == "" and target.read_text(encoding="utf-8") == done.stdout
    assert f"memopt eval --questions {target}" in written.stderr
    found = json_of_memopt("eval", "--db", STORE, "--questions", target, "-s", "dedupe")
    assert found["questions"]["measured"] == 12 and found["contenders"][1]["lost"] == []


def test_a_file_that_may_have_been_edited_is_not_written_over(tmp_path):
    target = tmp_path / "q.jsonl"
    target.write_text("mine")
    done = call_memopt("questions", "--db", STORE, "--user", "u2", "--out", target)
    assert done.returncode == 2 and "may have been edited" in done.stderr and target.read_text() == "mine"


def test_it_says_when_there_is_no_more_to_ask(tmp_path):
    store = make_store(tmp_path / "a.db", [row("a", "User likes kindness."), row("b", "User lives in Bern.")])
    done = call_memopt("questions", "--db", store, "--user", "u1")
    assert len(done.stdout.splitlines()) == 1 and "1 question of 30: the memories hold no more" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-n", "0"], "-n takes a whole number"),
        (["-n", "many"], "-n takes a whole number"),
        (["--out", "/nowhere/q.jsonl"], "does not exist"),
        (["--model", "builtin"], "--model names a model of a service"),
        (["--max-requests", "3"], "go with --model"),
    ],
)
def test_bad_values_are_usage_errors(arguments, said):
    done = call_memopt("questions", "--db", STORE, "--user", "u2", *arguments)
    assert done.returncode == 2 and said in done.stderr and not done.stdout


# -- with a model ------------------------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path):
    rows = [row(key, text, at=1_767_258_000 + at * 86_400) for at, (key, text) in enumerate(TEXTS.items()) if key != "g"]
    return make_store(tmp_path / "agno.db", rows)


def by_model(store, endpoint, *more, code=0):
    flags = ("--db", store, "--user", "u1", "--model", "m", "--base-url", endpoint.base_url, *more)
    return json_of_memopt("questions", *flags, code=code, env={"OPENAI_API_KEY": "k"})


def test_a_models_questions_are_taken_where_the_memories_bear_them_out(store):
    said = {
        "questions": [
            {"memory": 2, "question": "In which city is home these days?", "answer": "Bern"},
            {"memory": 3, "question": "What must not be on the menu?", "answer": "shellfish"},  # no memory says so
            {"memory": 4, "question": "Were 2,400 euros paid for the bike?", "answer": "2,400 euros"},  # gives it away
            {"memory": 99, "question": "Who?", "answer": "Nobody"},
            {"memory": "x", "question": "Who?", "answer": "Nobody"},
            {"memory": 2, "question": "In which city is home these days?", "answer": "Bern"},  # twice
        ]
    }
    with Endpoint(say(json.dumps(said))) as endpoint:
        found = by_model(store, endpoint, "-n", "3")
    assert found["drafted_by"] == "m" and found["dropped"] == 5
    first, *rest = found["questions"]
    assert first == {
        "id": "q01",
        "text": "In which city is home these days?",
        "memory_ids": ["b"],
        "answer": "Bern",
        "user": "u1",
    }
    assert len(rest) == 2 and all(item["memory_ids"] != ["b"] for item in rest)  # filled up by rule


def test_nonsense_leaves_the_rules_questions(store):
    with Endpoint(say("I like turtles.")) as endpoint:
        found = by_model(store, endpoint)
    assert found["dropped"] == 1 and found["questions"]


def test_limits_hold_and_a_dead_service_is_an_error(store):
    with Endpoint(say("{}")) as endpoint:
        by_model(store, endpoint, "--max-cost", "0.00001", "--price", "1/1", code=4)
        assert endpoint.requests == []
    with Endpoint(fail(401, "no")) as endpoint:
        by_model(store, endpoint, code=8)


def test_a_model_that_only_the_environment_names_is_not_asked(store):
    with Endpoint(say("{}")) as endpoint:
        env = {"MEMOPT_MODEL": "m", "OPENAI_BASE_URL": endpoint.base_url, "OPENAI_API_KEY": "k"}
        found = json_of_memopt("questions", "--db", store, "--user", "u1", env=env)
        assert found["drafted_by"] == "rules" and endpoint.requests == []
