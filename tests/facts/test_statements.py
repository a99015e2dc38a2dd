"""Statements are read out of sentences, and only what is really replaced counts as replaced."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.facts.statements import read_statements, same_value, split_list, subject_key, superseded
from memopt.memory import UserMemory

BENCH = Path(__file__).parents[2] / "fixtures" / "bench"


def memories(*texts, start=1735689600, step=86400):
    return [UserMemory(text, f"m{at}", created_at=start + at * step) for at, text in enumerate(texts)]


def replaced(*texts, **options):
    return [(item.old_id, item.new_id) for item in superseded(memories(*texts), **options)]


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "values"),
    [
        ("User lives in Oslo.", "user", "residence", ("Oslo",)),
        ("The user resides in Oslo now.", "user", "residence", ("Oslo",)),
        ("Lives in Lisbon", "user", "residence", ("Lisbon",)),
        ("I live in Boston.", "user", "residence", ("Boston",)),
        ("User's sister Li lives in Berlin.", "user/sister li", "residence", ("Berlin",)),
        ("My name is Sam.", "user", "name", ("Sam",)),
        ("User likes tea, jazz and chess.", "user", "likes", ("tea", "jazz", "chess")),
        ("User's rent is 1,450 €.", "user", "rent", ("1,450 €",)),
        ("The chairperson of Fatah is Mahmoud Abbas.", "fatah", "chairperson", ("Mahmoud Abbas",)),
        ("Thomas Kyd was born in the city of London.", "thomas kyd", "birthplace", ("London",)),
        ("User speaks French at level B2.", "user", "level of french", ("B2",)),
        ("用户住在上海。", "user", "residence", ("上海",)),
        ("用户的姐姐李娜住在北京。", "user/姐姐李娜", "residence", ("北京",)),
        ("用户对花生过敏。", "user", "allergy", ("花生",)),
        ("用户的邮箱是 a@b.cn", "user", "email", ("a@b.cn",)),
    ],
)
def test_a_known_shape_is_read_as_subject_attribute_and_value(text, subject, attribute, values):
    first = read_statements(text)[0]
    assert (first.subject, first.attribute, first.values) == (subject, attribute, values)


@pytest.mark.parametrize(
    "text",
    [
        "Tom said he lives in Rome.",
        "User wants to live in Rome.",
        "User may move to Rome.",
        "Does the user live in Rome?",
        "If User lives in Rome, book a hotel.",
        "He lives in Rome.",
        "用户想搬到上海。",
        "El usuario vive en Roma.",
        "",
        "🎻",
    ],
)
def test_what_is_not_stated_gives_no_residence(text):
    assert not [item for item in read_statements(text) if item.attribute == "residence"]


def test_a_statement_knows_its_clause_polarity_and_former_value():
    text = "User became vegan (was vegetarian before). 用户喜欢茶，不喜欢咖啡。"
    diet, tea, coffee = read_statements(text)
    assert diet.before == ("vegetarian",)
    assert (tea.polarity, coffee.polarity) == (True, False)
    for item in (diet, tea, coffee):
        assert item.clause and item.clause in text[item.start : item.end]


@pytest.mark.parametrize(
    "texts",
    [
        ("User lives in Oslo.", "User moved from Oslo to Bergen."),
        ("User lives in Oslo.", "User lives in Bergen."),
        ("User is vegetarian.", "User became vegan."),
        ("User works as a cook at Noma.", "User works as a teacher at Eton."),
        ("User works as an engineer at Zalando.", "User got promoted to Staff Engineer at Zalando."),
        ("User likes olives.", "User hates olives."),
        ("User drinks coffee every morning.", "User stopped drinking coffee."),
        ("User's phone number is +49 30 1234.", "User asked the assistant to forget the phone number."),
        ("User's name is Ana.", "User's name is Eva."),
        ("User is learning German (A2).", "User's German level is now B1."),
        ("User prefers tea over coffee.", "User prefers coffee over tea."),
        ("用户住在上海。", "用户搬到了北京。"),
        ("用户喝咖啡。", "用户不喜欢咖啡。", "用户喜欢咖啡。", "用户不再喜欢咖啡。")[2:],
        ("用户的房租是2000元。", "用户把房租改成了3000元。"),
        ("用户在腾讯担任工程师。", "用户在美团担任经理。"),
    ],
)
def test_the_newer_of_two_that_cannot_both_hold_replaces_the_older(texts):
    assert replaced(*texts) == [("m0", "m1")]


@pytest.mark.parametrize(
    "texts",
    [
        ("User likes hiking.", "User likes sushi."),
        ("User owns a car.", "User owns a bike."),
        ("User visited Rome.", "User visited Oslo."),
        ("User's sister Li lives in Berlin.", "User lives in Rome."),
        ("User's sister Li lives in Berlin.", "User's sister Ann lives in Rome."),
        ("Tom lives in Berlin.", "Tom Hill lives in Rome."),
        ("User lives in Berlin.", "User lives in Germany."),
        ("User lives in Berlin.", "User lives in Berlin, Germany."),
        ("User lives in Berlin.", "User lived in Rome."),
        ("User lives in Berlin.", "User wants to live in Rome."),
        ("User lives in Berlin.", "User is travelling to Rome."),
        ("User lives in Berlin with his cat Tom.", "User lives in Rome."),
        ("User works as a cook at Noma.", "User works as a teacher."),
        ("User's colleague is Tom.", "User's colleague is Ann."),
        ("User likes olives.", "User's wife hates olives."),
        ("User likes green olives.", "User hates black olives."),
        ("User asked about the phone number.", "User's phone number is 123 456."),
        ("User switched from Figma to Go.", "User switched from Go to Figma."),
        ("用户的姐姐住在北京。", "用户住在上海。"),
        ("用户喜欢猫。", "用户喜欢狗。"),
    ],
)
def test_what_may_both_hold_replaces_nothing(texts):
    assert replaced(*texts) == []


def test_a_value_that_returns_is_current_and_what_was_between_is_not():
    found = replaced("User lives in Lisbon.", "User lives in Porto.", "User lives in Lisbon.")
    assert found == [("m1", "m2")]


def test_without_dates_or_at_the_same_second_nothing_is_decided():
    texts = ["User lives in Oslo.", "User lives in Rome."]
    assert superseded([UserMemory(text, text) for text in texts]) == ()
    assert superseded(memories(*texts, step=0)) == ()
    assert superseded([UserMemory(texts[0], "a", created_at=5), UserMemory(texts[1], "b")]) == ()


def test_updated_at_counts_before_created_at():
    old = UserMemory("User lives in Oslo.", "a", created_at=1, updated_at=300)
    new = UserMemory("User lives in Rome.", "b", created_at=200)
    assert [item.old_id for item in superseded([old, new])] == ["b"]


def test_what_was_replaced_is_named_with_its_clause_and_place():
    text = "User likes tea. User lives in Oslo."
    (item,) = superseded(memories(text, "User lives in Rome."))
    assert item.clause == "User lives in Oslo."
    assert text[item.span[0] : item.span[1]].strip() == item.clause
    assert "Oslo" in item.reason and "Rome" in item.reason


def test_attributes_that_mostly_hold_one_value_are_replaced_only_when_asked():
    texts = ("Ann is affiliated with the religion of Islam.", "Ann is affiliated with the religion of Judaism.")
    assert replaced(*texts) == []
    assert replaced(*texts, loose=True) == [("m0", "m1")]


def test_subjects_are_never_guessed():
    assert subject_key("the user") == subject_key("用户") == "user"
    assert subject_key("she") is None
    assert subject_key("Tom and Ann") is None
    assert subject_key("User's brother Tom") != subject_key("Tom")


def test_a_thousands_separator_is_no_list():
    assert split_list("1,450 €") == ("1,450 €",)
    assert split_list("tea, jazz and chess") == ("tea", "jazz", "chess")
    assert split_list("茶、咖啡和水") == ("茶", "咖啡", "水")


def test_a_longer_form_of_a_value_is_the_same_value():
    assert same_value("Berlin", "Berlin, Germany")
    assert not same_value("Berlin", "Rome")


@pytest.mark.skipif(not (BENCH / "factconsolidation_memories.jsonl").exists(), reason="the fixture is not here")
def test_in_a_stream_of_facts_the_stale_ones_are_found_and_no_current_one():
    rows = [json.loads(line) for line in (BENCH / "factconsolidation_memories.jsonl").read_text("utf-8").splitlines()]
    found = {
        item.old_id
        for item in superseded([UserMemory(r["memory"], r["memory_id"], created_at=r["created_at"]) for r in rows], loose=True)
    }
    stale = {row["memory_id"] for row in rows if row["status"] == "stale"}
    assert found <= stale
    assert len(found) >= 0.97 * len(stale)


@given(st.lists(st.text(max_size=60), max_size=8))
def test_any_text_is_read_without_failing_and_clauses_stand_where_they_say(texts):
    for text in texts:
        for item in read_statements(text):
            assert text[item.start : item.end].strip() == item.clause
    superseded(memories(*texts))


@given(st.permutations(["Oslo", "Rome", "Bern", "Oslo", "Cork"]))
def test_the_order_of_the_rows_does_not_matter(places):
    rows = memories(*(f"User lives in {place}." for place in places))
    there = {(item.old_id, item.new_id) for item in superseded(rows)}
    back = {(item.old_id, item.new_id) for item in superseded(rows[::-1])}
    assert there == back


def test_a_move_and_the_district_told_with_it_replace_the_old_home():
    def memories(*texts):
        return [UserMemory(text, memory_id=str(at), created_at=1_700_000_000 + 86_400 * at) for at, text in enumerate(texts)]

    for newer in ("用户2024年搬到了福州，现在住在鼓楼区。", "用户搬到福州了，租住在鼓楼区。", "用户移居福州。"):
        assert [item.clause for item in superseded(memories("用户定居兰州。", newer))] == ["用户定居兰州。"]
