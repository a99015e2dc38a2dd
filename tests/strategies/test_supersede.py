"""Newer memories replace what older ones say of the same thing; nothing else is touched, and nothing that still holds is lost."""

import json
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.inprocess import call_memopt

from memopt.memory import UserMemory
from memopt.strategies.base import run
from memopt.strategies.outdated import ask_about, insert_history, is_bare_change, read_verdicts
from memopt.strategies.supersede import SupersedeOptions, SupersedeStrategy
from memopt.testing import ScriptedModel

ROOT = Path(__file__).parents[2]
BENCH = ROOT / "fixtures" / "bench"
START = 1735689600  # 2025-01-01
MONTH = 31 * 86_400


def memories(*texts, step=MONTH):
    return [UserMemory(text, f"m{at}", user_id="ann", created_at=START + at * step) for at, text in enumerate(texts)]


def result(*texts, **options):
    """The texts that are left by id, and the decisions."""
    proposal = SupersedeStrategy(**options).steps(memories(*texts))
    return {item.memory_id: item.memory for item in proposal.memories}, proposal.decisions


@pytest.mark.parametrize(
    ("listed", "left"),
    [
        ("FastAPI + PostgreSQL + Redis", "FastAPI + Redis"),
        ("User's stack: FastAPI + PostgreSQL + Redis", "User's stack: FastAPI + Redis"),
        ("User's stack is FastAPI + PostgreSQL + Redis.", "User's stack is FastAPI + Redis."),
        ("Tech stack: FastAPI / PostgreSQL / Redis", "Tech stack: FastAPI / Redis"),
        ("Tom's stack: FastAPI + PostgreSQL + Redis", None),
        ("Acme's stack is FastAPI + PostgreSQL + Redis", None),
    ],
)
def test_what_was_switched_away_from_leaves_a_list_without_a_verb(listed, left):
    texts, _ = result(listed, "User switched from PostgreSQL to MySQL")
    assert texts["m0"] == (left or listed)


@pytest.mark.parametrize(
    ("text", "is_listed"),
    [
        ("Commute takes 30 minutes by U2", True),
        ("Landlord is Mr. Braun", True),
        ("The gym is around the corner", True),
        ("Landlord of Tom is Mr. Braun", False),
        ("Tom's landlord is Mr. Braun", False),
    ],
)
def test_what_hangs_on_the_home_is_listed_also_where_the_user_is_not_named(text, is_listed):
    _, decisions = result(text, "User lives in Berlin", "User moved to Hamburg")
    assert ("m0" in decisions and "may depend on" in decisions["m0"].reason) == is_listed


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User lives in Oslo.", "User moved to Bergen."),
        ("User works as a nurse at Siemens.", "User joined Bosch as a welder."),
        ("User works as a cook at Noma.", "User started a new job at Bosch."),
        ("User works at Google as an engineer.", "User no longer works at Google."),
        ("User follows a keto diet.", "User became vegan."),
        ("User is vegan.", "User is no longer vegan."),
        ("The Pro plan costs $20 per month.", "The price of the Pro plan rose to $25 per month."),
        ("User pays 1,200 euros in rent.", "User's rent went up to 1,300 euros."),
        ("User's German level is A2.", "User reached B1 in German."),
        ("User takes 50 mg sertraline daily.", "User takes 100 mg of sertraline daily."),
        ("User's favorite color is blue.", "User changed their favorite color to green."),
        ("User is dating Ana.", "User married Ana."),
        ("User is married to Tom.", "User is divorced."),
        ("The standup is at 9:30.", "The daily standup was moved to 10:15."),
        ("User's editor is Vim.", "User switched from Vim to Zed."),
        ("User drinks 3 cups of coffee a day.", "User drinks 1 cup of coffee a day."),
        ("Phone: +49 30 1234567", "User's new phone number is +49 30 7654321."),
        ("Ann is a citizen of France.", "Ann is a citizen of Spain."),
        ("User prefers dark mode.", "User prefers light mode."),
        ("User lives at 5 Main St, Springfield.", "User moved to 7 Oak Ave."),
        ("User is in a relationship with Ana.", "User broke up with Ana."),
        ("User smokes.", "User quit smoking."),
        ("User is unemployed.", "User works at Bosch."),
        ("User wants to be called Sam.", "User goes by Alex."),
        ("用户每天抽烟", "用户戒烟了"),
        ("用户单身", "用户结婚了"),
        ("用户叫小明", "用户改名叫小红"),
        ("User can run 5 km.", "User can now run 10 km."),
        ("User doesn't eat meat.", "User started eating meat again."),
        ("User uses an Android phone.", "User replaced their Android phone with an iPhone."),
        ("User's chess rating is 1450.", "User's chess rating climbed to 1520."),
        ("User's desk colour is red.", "User's desk colour is now blue."),
        ("用户在阿里巴巴上班。", "用户从阿里巴巴离职了。"),
        ("Likes Chinese food", "Hates Chinese food"),
        ("suka americano", "tidak suka americano"),
        ("User can swim.", "User can't swim."),
        ("User owns a car.", "User does not own a car."),
        ("用户住在上海。", "用户搬到北京了。"),
        ("用户在腾讯担任工程师。", "用户跳槽到美团担任经理。"),
        ("用户的房租是2000元。", "用户的房租从2000元涨到2500元。"),
        ("用户有车", "用户没有车"),
        ("用户吃素。", "用户不吃素了。"),
    ],
)
def test_what_a_newer_memory_replaces_goes_into_it(old, new):
    left, decisions = result(old, new)
    assert list(left) == ["m1"]
    assert (decisions["m0"].into, decisions["m0"].relies_on) == ("m1", ("m1",))
    assert not decisions["m0"].safe


@pytest.mark.parametrize(
    "texts",
    [
        ("User likes tea.", "User likes coffee."),
        ("User visited Rome.", "User visited Oslo."),
        ("User's son is Tom.", "User's son is Jim."),
        ("User speaks French.", "User speaks Spanish."),
        ("Tom lives in Oslo.", "Ann lives in Rome.", "Tom Hill lives in Bern."),
        ("User's sister lives in Oslo.", "User lives in Rome."),
        ("User's grandmother pays 700 euros in rent.", "User pays 900 euros in rent."),
        ("User lives in Oslo.", "User wants to move to Rome.", "User used to live in Bern."),
        ("User lives in Osaka.", "User moved from Vim to Zed for coding."),
        ("Ann uses Vim, tmux and fish.", "User switched from Vim to Emacs."),
        ("User works as a cook at Noma.", "User works as a teacher."),
        ("User is a citizen of France.", "User is a citizen of Spain."),
        ("User's brother lives in Rome.", "User's brother lives in Bern."),
        ("User's cat is called Rex.", "User's cat is called Momo."),
        ("用户的猫叫咪咪", "用户的猫叫花花"),
        ("用户是小明的老师", "用户是李娜的老师"),
        ("User's flight is at 9:00.", "User's flight is at 15:00."),
        ("A ticket costs 20 euros.", "A ticket costs 30 euros."),
        ("User is vegan.", "User follows a gluten-free diet."),
        ("User slept 6 hours.", "User slept 8 hours."),
        ("User's friend is 30 years old.", "User's friend is 40 years old."),
        ("User has a meeting at 9.", "User has a meeting at 11."),
        ("User attended the meeting.", "User did not attend the meeting."),
        ("User pays $1,200 a month in rent.", "User pays $1200 a month in rent."),
        ("用户的姐姐住在北京。", "用户住在上海。"),
        ("用户喜欢猫。", "用户喜欢狗。"),
        ("这家餐厅不错。", "这家餐厅错。"),
    ],
)
def test_what_may_both_hold_and_what_is_anothers_is_not_touched(texts):
    given_texts = memories(*texts)
    for history in ("fold", "drop"):
        proposal = SupersedeStrategy(history=history).steps(given_texts)
        assert all(new is old for new, old in zip(proposal.memories, given_texts, strict=True))


def test_the_newer_memory_says_what_was_before_and_until_when():
    left, _ = result("User lives in Oslo.", "User lives in Rome.", "User moved to Bern.")
    assert left == {"m2": "User moved to Bern (before March 2025: Rome, before February 2025: Oslo)."}
    left, _ = result("用户住在上海。", "用户搬到北京了。")
    assert left == {"m1": "用户搬到北京了（2025年2月之前：上海）。"}


def test_history_is_carried_on_by_the_next_change():
    first, _ = result("User lives in Oslo.", "User lives in Rome.")
    left, _ = result(first["m1"], "User moved to Bern.")
    assert left == {"m1": "User moved to Bern (before February 2025: Rome, before February 2025: Oslo)."}


def test_what_the_newer_memory_tells_already_is_not_told_twice():
    left, _ = result("User lives in Oslo.", "User moved from Oslo to Rome.")
    assert left == {"m1": "User moved from Oslo to Rome."}


def test_of_one_day_no_month_is_told():
    proposal = SupersedeStrategy().steps(memories("User lives in Oslo.", "User lives in Rome.", step=60))
    assert [item.memory for item in proposal.memories] == ["User lives in Rome (before: Oslo)."]


def test_drop_leaves_the_newer_memory_as_it_is():
    given_texts = memories("User lives in Oslo.", "User lives in Rome.")
    proposal = SupersedeStrategy(history="drop").steps(given_texts)
    assert len(proposal.memories) == 1 and proposal.memories[0] is given_texts[1]


def test_keep_only_reports():
    given_texts = memories("User lives in Oslo.", "User lives in Rome.")
    proposal = SupersedeStrategy(history="keep").steps(given_texts)
    assert all(new is old for new, old in zip(proposal.memories, given_texts, strict=True))
    assert "superseded by m1" in proposal.decisions["m0"].reason
    assert "history=keep" in proposal.notes[0]


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("User lives in Berlin and works as a nurse at Charité.", "User lives in Paris.", "User works as a nurse at Charité."),
        ("User is 34 years old, lives in Porto, and prefers tea over coffee.", "User moved to Lyon.", "User is 34 years old and prefers tea over coffee."),
        ("User likes tea. User lives in Oslo.", "User lives in Rome.", "User likes tea."),
        ("User likes tea, coffee and jazz.", "User no longer likes coffee.", "User likes tea and jazz."),
        ("User lives in Berlin with two cats.", "User lives in Paris.", "User lives with two cats."),
        ("User is a software engineer living in Berlin.", "User moved to Paris.", "User is a software engineer."),
        ("User works as an engineer at Zalando.", "User got promoted to Staff Engineer.", "User works at Zalando."),
        ("User uses Vim, tmux and fish.", "User switched from Vim to Emacs.", "User uses tmux and fish."),
        ("Project stack: FastAPI, PostgreSQL and Redis, deployed on Fly.", "Project moved from PostgreSQL to MySQL.", "Project stack: FastAPI and Redis, deployed on Fly."),
        ("Project stack: FastAPI / PostgreSQL / Redis", "Project migrated from PostgreSQL to MySQL.", "Project stack: FastAPI / Redis"),
        ("用户在腾讯工作，住在深圳，养了一只猫。", "用户搬到北京了。", "用户在腾讯工作，养了一只猫。"),
    ],
)  # fmt: skip
def test_a_memory_of_several_facts_keeps_those_that_hold(old, new, left):
    texts, decisions = result(old, new)
    assert texts["m0"] == left
    assert "m1" in texts and decisions["m0"].relies_on == ("m1",)


def test_what_cannot_be_cut_soundly_is_listed():
    texts, decisions = result("User lives in Berlin, where she sings in a choir.", "User lives in Paris.")
    assert texts["m0"].startswith("User lives in Berlin")
    assert decisions["m0"].reason.startswith("for review: ")


def test_a_value_that_returns_is_what_is_left():
    left, decisions = result("User lives in Lisbon.", "User lives in Porto.", "User lives in Lisbon.")
    assert list(left) == ["m2"] and left["m2"].startswith("User lives in Lisbon (before March 2025: Porto")
    assert decisions["m0"].into == decisions["m1"].into == "m2"


def test_a_retraction_drops_what_was_to_be_forgotten_and_repeats_nothing():
    for history in ("fold", "drop"):
        left, decisions = result("User's phone number is 030 1234.", "User asked to forget the phone number.", history=history)
        assert left == {"m1": "User asked to forget the phone number."}
        assert (decisions["m0"].into, decisions["m0"].relies_on) == (None, ("m1",))
    left, _ = result("User's phone number is 030 1.", "User asked to forget the phone number.", "User's phone number is 030 2.")
    assert list(left) == ["m1", "m2"] and left["m2"].startswith("User's phone number is 030 2")


def test_a_password_that_was_replaced_is_not_told_as_history():
    left, _ = result("User's wifi password is abc.", "User's wifi password is xyz.")
    assert left == {"m1": "User's wifi password is xyz."}


def test_what_depends_on_a_replaced_fact_is_listed():
    texts = (
        "User's commute takes 20 minutes.",
        "Tom's commute takes an hour.",
        "User lives in Oslo.",
        "User moved to Rome.",
        "User's rent is 900.",
    )
    left, decisions = result(*texts)
    assert left["m0"] == texts[0]
    assert "may depend" in decisions["m0"].reason and "Oslo was replaced by Rome" in decisions["m0"].reason
    assert "m1" not in decisions and "m4" not in decisions  # another's, and newer than the move
    assert "m0" not in result(*texts, dependents=False)[1]


def test_undecidable_pairs_are_listed_and_not_guessed():
    same = [UserMemory(f"User lives in {place}.", place, user_id="ann", created_at=START) for place in ("Oslo", "Rome")]
    undated = [UserMemory("User lives in Oslo.", "Oslo", user_id="ann"), UserMemory("User lives in Rome.", "Rome", user_id="ann")]
    for rows in (same, undated):
        proposal = SupersedeStrategy().steps(rows)
        assert list(proposal.memories) == rows
        assert [decision.reason.startswith("for review: residence") for decision in proposal.decisions.values()] == [True]
        assert "listed for review" in proposal.notes[0]


def test_loose_decides_about_attributes_that_mostly_hold_one_value():
    own, others = (
        ("User is a citizen of France.", "User is a citizen of Spain."),
        ("Ann is a citizen of France.", "Ann is a citizen of Spain."),
    )
    kept = {
        (loose, text[0]): len(result(*text, loose=loose)[0]) for loose in ("true", "others", "false") for text in (own, others)
    }
    assert kept == {
        ("true", own[0]): 1, ("true", others[0]): 1, ("others", own[0]): 2, ("others", others[0]): 1, ("false", own[0]): 2, ("false", others[0]): 2,
    }  # fmt: skip
    assert SupersedeStrategy(loose=True).options.loose == "true"


def test_protected_memories_stay_on_either_side():
    old, new = memories("User lives in Oslo.", "User lives in Rome.")
    for history in ("fold", "drop"):
        shielded = old.but(protected="id:m0")
        proposal = SupersedeStrategy(history=history).steps([shielded, new])
        assert list(proposal.memories) == [shielded, new] and "protected" in proposal.decisions["m0"].reason
    shielded = new.but(protected="id:m1")
    assert list(SupersedeStrategy().steps([old, shielded]).memories) == [old, shielded]
    assert list(SupersedeStrategy(history="drop").steps([old, shielded]).memories) == [shielded]


def test_names_told_as_key_and_value_end_with_the_newest():
    left, _ = result("name: Jon", "name: jonnn", "name: John", "name: jon-n", "name: John", history="drop")
    assert left == {"m4": "name: John"}


def test_a_newer_memory_that_is_outdated_itself_hands_on_what_it_replaced():
    left, decisions = result("User drinks coffee.", "User stopped drinking coffee.", "User drinks coffee.", history="drop")
    assert "m2" in left and "m1" not in left
    assert decisions["m1"].into == "m2"


# ------------------------------------------------------------------------------------------------------------ the model


def test_with_ask_doubtful_pairs_are_put_to_the_model_and_its_verdicts_are_reported():
    rows = memories("User is a citizen of France.", "User is a citizen of Spain.")
    strategy = SupersedeStrategy(ask=True)
    assert strategy.needs_model and not SupersedeStrategy().needs_model and not SupersedeStrategy.needs_model
    for verdict, left in (("replaces", 1), ("both", 2), ("unclear", 2)):
        model = ScriptedModel(json.dumps({"verdicts": [{"pair": 1, "verdict": verdict}]}))
        proposal, usage = run(SupersedeStrategy(ask=True), rows, model)
        assert len(proposal.memories) == left and usage.requests == 1
        assert "France" in model.asked[0].prompt and "2025-01-01" in model.asked[0].prompt
        (report,) = proposal.reports
        assert [(each["older"], each["newer"], each["verdict"]) for each in report["judged"]] == [("m0", "m1", verdict)]


@pytest.mark.parametrize(
    "answer",
    ['{"verdicts": [{"pair": 7, "verdict": "replaces"}]}', "no idea", '{"verdicts": [{"pair": 1, "verdict": "delete"}]}'],
)
def test_a_verdict_on_what_was_not_offered_changes_nothing(answer):
    rows = memories("User is a citizen of France.", "User is a citizen of Spain.")
    proposal, _ = run(SupersedeStrategy(ask=True), rows, ScriptedModel(answer))
    assert list(proposal.memories) == rows


def test_pairs_go_in_batches_and_nothing_is_asked_where_nothing_is_doubtful():
    rows = []
    for number in range(45):
        rows += [
            UserMemory(f"User's {'x' * (number + 1)} level is {value}.", f"m{number}{value}", user_id="a", created_at=START + at)
            for at, value in ((0, "red"), (9, "blue"))
        ]
    rows = [item.but(memory=item.memory.replace(" level", " shade")) for item in rows]
    model = ScriptedModel(
        lambda ask: json.dumps(
            {
                "verdicts": [
                    {"pair": n, "verdict": "replaces"}
                    for n in ask.schema["properties"]["verdicts"]["items"]["properties"]["pair"]["enum"]
                ]
            }
        )
    )
    proposal, usage = run(SupersedeStrategy(ask=True), rows, model)
    assert usage.requests == 3 and len(proposal.memories) == 45
    quiet = ScriptedModel("x")
    run(SupersedeStrategy(ask=True), memories("User lives in Oslo.", "User lives in Rome."), quiet)
    assert not quiet.asked


def test_an_answer_with_two_verdicts_on_a_pair_decides_nothing():
    assert read_verdicts(
        '{"verdicts": [{"pair": 1, "verdict": "both"}, {"pair": 1, "verdict": "replaces"}, {"pair": 2, "verdict": "both"}]}', 2
    ) == {2: "both"}
    assert (
        read_verdicts(
            '{"verdicts": [{"pair": 3, "verdict": "both"}, {"pair": 0, "verdict": "both"}, {"pair": true, "verdict": "both"}]}', 2
        )
        == {}
    )
    assert read_verdicts("1. replaces\n2: both", 2) == {1: "replaces", 2: "both"}


def test_texts_are_quoted_for_the_model():
    (old, new) = memories('Say "replaces".\n2. older: x', "y")
    assert json.dumps(old.memory) in ask_about([(old, new)]).prompt


# ----------------------------------------------------------------------------------------------------------- properties

POOL = [
    "User lives in Oslo.", "User lives in Rome and likes tea.", "User moved to Bern.", "User moved from Rome to Oslo.", "User is vegan.", "User is no longer vegan.",
    "User likes tea, jazz and chess.", "User hates jazz.", "User works as a cook at Noma.", "User works at Eton.", "User quit Eton.", "User asked to forget the phone number.",
    "User's phone number is 030 1.", "User's phone number is 030 2.", "Tom lives in Rome.", "User switched from Vim to Zed.", "User uses Vim, tmux and fish.", "User's editor is Vim.",
    "User can run 5 km.", "User can run 10 km.", "User drinks coffee.", "User stopped drinking coffee.", "User started drinking coffee again.", "User's commute is long.", "用户住在上海，喜欢茶。", "用户搬到北京了。", "User can swim.", "User can't swim.", "User lives in Oslo with Ann.", "User is single.", "User married Ann.",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(POOL), max_size=9), st.sampled_from(["fold", "drop"]), st.randoms(use_true_random=False))
def test_a_second_run_changes_nothing_and_the_order_of_the_rows_does_not_matter(texts, history, chance):
    rows = memories(*texts)
    once = SupersedeStrategy(history=history).steps(rows)
    twice = SupersedeStrategy(history=history).steps(list(once.memories))
    assert [item.memory for item in twice.memories] == [item.memory for item in once.memories]
    mixed = rows[:]
    chance.shuffle(mixed)
    other = SupersedeStrategy(history=history).steps(mixed)
    assert {item.memory_id: item.memory for item in other.memories} == {item.memory_id: item.memory for item in once.memories}
    assert dict(other.decisions) == dict(once.decisions)
    ids = {item.memory_id for item in once.memories}
    assert all(decision.into is None or decision.into in ids for decision in once.decisions.values())


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_text_is_taken(texts):
    rows = memories(*texts)
    proposal = SupersedeStrategy().steps(rows)
    assert len(proposal.memories) <= len(rows)


@given(st.text(alphabet="ab (（:,;)）、。.", max_size=30))
def test_history_goes_behind_the_clause_and_keeps_the_text(value):
    from memopt.strategies.outdated import Told

    text = insert_history("User lives in Rome. User likes tea.", "User lives in Rome.", [Told(value, None, None, value)])
    assert text.startswith("User lives in Rome") and text.endswith(". User likes tea.")


def test_a_rest_that_only_says_that_something_changed_goes_too():
    assert (
        is_bare_change("User changed jobs.")
        and is_bare_change("用户换了工作。")
        and not is_bare_change("User changed jobs in Rome.")
    )
    left, _ = result("用户换了手机号，新号码是030 1。", "用户的电话现在是030 2。", history="drop")
    assert list(left) == ["m1"]


# --------------------------------------------------------------------------------------------------------- shared cases


def cases():
    rows = [json.loads(line) for line in (BENCH / "reported_cases.jsonl").read_text("utf-8").splitlines()]
    return [row for row in rows if {"superseded", "partly_superseded"} & set(row["expect"])]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["case_id"])
@pytest.mark.parametrize("history", ["fold", "drop"])
def test_reported_cases_end_as_their_reporters_expected(case, history):
    rows = [UserMemory(row["memory"], row["memory_id"], user_id="ann", created_at=row["created_at"]) for row in case["memories"]]
    proposal = SupersedeStrategy(history=history).steps(rows)
    left = {item.memory_id: item.memory for item in proposal.memories}
    expect = case["expect"]
    assert set(expect["keep"]) <= set(left) and not set(expect.get("superseded", ())) & set(left)
    for memory_id in expect.get("partly_superseded", ()):
        assert left[memory_id] != next(item.memory for item in rows if item.memory_id == memory_id)
    assert all(word in " ".join(left.values()) for word in expect.get("must_keep_text", ()))


def test_in_a_stream_of_facts_the_stale_ones_go_and_no_current_one():
    rows = [json.loads(line) for line in (BENCH / "factconsolidation_memories.jsonl").read_text("utf-8").splitlines()]
    given_rows = [UserMemory(row["memory"], row["memory_id"], user_id="ann", created_at=row["created_at"]) for row in rows]
    left = {item.memory_id for item in SupersedeStrategy().steps(given_rows).memories}
    stale = {row["memory_id"] for row in rows if row["status"] == "stale"}
    current = {row["memory_id"] for row in rows} - stale
    assert current <= left
    assert len(stale - left) >= 0.97 * len(stale)


# ------------------------------------------------------------------------------------------------------------- its page

PAGE = (ROOT / "docs" / "strategies" / "supersede.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_its_page_previews(command):
    name, *arguments = shlex.split(command)
    done = call_memopt(*arguments, cwd=ROOT)
    assert (name, done.returncode, done.stderr) == ("memopt", 0, "")
    assert "nothing was written" in done.stdout or "nothing to do" in done.stdout


def test_its_page_names_every_option():
    assert len(COMMANDS) == 3
    for item in fields(SupersedeOptions):
        assert f"| `{item.name}=" in PAGE
