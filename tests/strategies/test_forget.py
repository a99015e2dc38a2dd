"""``forget``: what was asked for goes, clause by clause, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.strategies.base import run
from memopt.strategies.forget import ForgetStrategy
from memopt.testing import StrategyContract


def memories(*texts, **more):
    return [UserMemory(text, f"m{n}", user_id="u1", created_at=1_700_000_000 + n, **more) for n, text in enumerate(texts)]


def forget(given_memories, **options):
    proposal = run(ForgetStrategy(**options), given_memories, None)[0]
    return {item.memory_id: item for item in proposal.memories}, proposal


def texts(left):
    return [item.memory for item in left.values()]


class TestForgetWords(StrategyContract):
    def make_strategy(self):
        return ForgetStrategy(about="the cello")


class TestForgetPattern(StrategyContract):
    def make_strategy(self):
        return ForgetStrategy(match="tea|person [13]")


class TestForgetId(StrategyContract):
    def make_strategy(self):
        return ForgetStrategy(id="m3")

    def test_it_asks_no_model_where_there_is_nothing_to_do(self):
        assert not ForgetStrategy.needs_model


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"about": ""},
        {"about": "  "},
        {"match": ""},
        {"id": " , "},
        {"id": ""},
        {"about": "tea", "match": "tea"},
        {"about": "tea", "id": "m1"},
    ],
)
def test_without_exactly_one_thing_to_forget_nothing_is_removed(options):
    with pytest.raises(UsageError, match="forget"):
        ForgetStrategy(**options)


@pytest.mark.parametrize("pattern", ["", "x*", "(", ".*", "|", ".", r"\S", r"[\s\S]", "(?i)."])
def test_a_pattern_that_is_none_or_is_found_everywhere_is_refused(pattern):
    with pytest.raises(UsageError):
        ForgetStrategy(match=pattern)


def test_a_memory_that_says_nothing_else_goes_whole_and_others_are_cut():
    given_memories = memories(
        "User's phone number is 555-123-4567.",
        "User lives in Bern and her phone number is 555-123-4567.",
        "User's mother's phone number is 555-999-8888.",
        "User likes tea.",
    )
    left, proposal = forget(given_memories, about="her phone number")
    assert set(left) == {"m1", "m2", "m3"}
    assert left["m1"].memory == "User lives in Bern."
    assert left["m2"] is given_memories[2] and left["m3"] is given_memories[3]
    assert "score 1.00, threshold 0.60" in proposal.decisions["m0"].reason
    assert "score 1.00, threshold 0.60" in proposal.decisions["m1"].reason


def test_near_misses_stay_and_are_told_with_their_score():
    left, proposal = forget(memories("Bob's phone number is 555-123-4567.", "User likes tea."), about="her phone number")
    assert len(left) == 2
    assert "near miss" in proposal.decisions["m0"].reason
    assert "Bob" in proposal.decisions["m0"].reason and "0.40" in proposal.decisions["m0"].reason
    assert "m1" not in proposal.decisions


def test_people_of_similar_names_are_not_touched():
    given_memories = memories(
        "Ana Lim lives in Bern.",
        "Anna Lim lives in Bern.",
        "Ana Lin lives in Bern.",
        "User met Ana Lim and Bob in Rome.",
        "User's friend Ana Lim-Meyer likes tea.",
        "Ana Lim is User's colleague. She works at Noma.",
        "User met Ana.",
    )
    left, _ = forget(given_memories, about="everything about Ana Lim")
    assert texts(left) == [
        "Anna Lim lives in Bern.",
        "Ana Lin lives in Bern.",
        "User met Bob in Rome.",
        *[m.memory for m in (given_memories[4], given_memories[6])],
    ]


def test_a_name_in_small_letters_is_the_name_that_the_memories_know():
    left, _ = forget(memories("Ana Lim lives in Bern.", "Ana met Bruce Lim.", "Anna Lim is kind."), about="ana lim")
    assert set(left) == {"m1", "m2"}


def test_somebody_whom_a_pronoun_may_or_may_not_mean_is_kept():
    left, proposal = forget(memories("User met Bob. His phone number is 555-123-4567."), about="her phone number")
    assert texts(left) == ["User met Bob. His phone number is 555-123-4567."]
    assert "who is meant" in proposal.decisions["m0"].reason


def test_what_cannot_be_cut_is_listed_for_review_or_dropped_when_that_is_said():
    given_memories = memories("User moved to Bern because she got a job at Noma.", "User likes tea.")
    left, proposal = forget(given_memories, about="where she lives")
    assert left["m0"] is given_memories[0]
    assert proposal.decisions["m0"].reason.startswith("for review")
    assert any("could not be cut" in note for note in proposal.notes)
    left, _ = forget(given_memories, about="where she lives", uncuttable="drop")
    assert set(left) == {"m1"}


def test_chinese():
    given_memories = memories(
        "用户住在北京，电话是13812345678，喜欢喝茶。",
        "李娜的电话是13900000000。",
        "用户的邮箱是a@b.cn。",
        "用户喜欢茶、咖啡和牛奶。",
    )
    assert texts(forget(given_memories, about="她的电话号码")[0])[:2] == ["用户住在北京，喜欢喝茶。", "李娜的电话是13900000000。"]
    assert set(forget(given_memories, about="李娜")[0]) == {"m0", "m2", "m3"}
    assert forget(given_memories, about="咖啡")[0]["m3"].memory == "用户喜欢茶和牛奶。"


def test_a_pattern_removes_the_smallest_part_that_holds_it():
    given_memories = memories(
        "User likes tea, coffee and milk.", "Code: HUNTER2.", "User likes tea; her code is HUNTER2.", "hunter"
    )
    left, _ = forget(given_memories, match="HUNTER\\d|coffee")
    assert texts(left) == ["User likes tea and milk.", "User likes tea.", "hunter"]


def test_ids_go_whole_and_unknown_ones_are_told():
    left, proposal = forget(memories("a", "b", "c"), id="m0, m2 ,m9")
    assert texts(left) == ["b"]
    assert any("m9" in note for note in proposal.notes)


def test_the_input_that_a_memory_came_from_is_cleared_too():
    given_memories = memories("User has a new phone.", input="my phone number is 555-123-4567", feedback="good")
    left, proposal = forget(given_memories, about="her phone number")
    assert left["m0"].memory == "User has a new phone."
    assert left["m0"].input is None and left["m0"].feedback == "good"
    assert "input" in proposal.decisions["m0"].reason


def test_a_topic_that_tells_it_goes():
    left, _ = forget(memories("User likes tea.", topics=["Ana Lim", "drinks"]), about="Ana Lim")
    assert left["m0"].topics == ("drinks",)


def test_protected_and_blank_memories_are_left_alone():
    given_memories = [*memories("User's phone number is 555-123-4567.", protected="topic:x"), UserMemory(" ", "b", user_id="u1")]
    left, proposal = forget(given_memories, about="her phone number")
    assert list(left.values()) == given_memories
    assert "protected" in proposal.decisions["m0"].reason
    assert forget(given_memories, id="m0,b")[0]["m0"] is given_memories[0]


def test_the_threshold_decides():
    given_memories = memories("User changed her phone number last week.")
    assert forget(given_memories, about="her phone number")[0]
    assert not forget(given_memories, about="her phone number", threshold=0.4)[0]


def test_reasons_show_no_secret_whole():
    _, proposal = forget(memories("User likes tea; her password is xK9#mmQ2vv!p."), about="her password")
    assert "xK9#mmQ2vv!p" not in proposal.decisions["m0"].reason


class Meanings:
    """An embedder that knows one thing: what is about a marriage is near a divorce."""

    name = "use-multilingual"
    dimensions = 2

    def embed(self, texts):
        import numpy

        near = [any(word in text for word in ("marriage", "divorce")) for text in texts]
        return numpy.array([[1.0, 0.0] if each else [0.0, 1.0] for each in near], dtype="float32")


def test_meaning_finds_what_words_do_not_but_never_somebody_elses():
    given_memories = memories("User's marriage is over.", "User's sister's marriage is over.", "User likes tea.")
    strategy = ForgetStrategy(about="her divorce", semantic=True)
    strategy.embedder = Meanings()
    proposal = strategy.steps(given_memories)
    assert [item.memory for item in proposal.memories] == ["User's sister's marriage is over.", "User likes tea."]
    assert "cosine 1.00" in proposal.decisions["m0"].reason
    assert len(ForgetStrategy(about="her divorce").steps(given_memories).memories) == 3


def test_an_embedder_of_which_no_threshold_is_known_needs_one():
    strategy = ForgetStrategy(about="her divorce", semantic=True)
    strategy.embedder = Meanings()
    strategy.embedder.name = "unheard-of"
    with pytest.raises(UsageError, match="semantic-threshold"):
        strategy.steps(memories("User likes tea."))
    with pytest.raises(UsageError, match="about"):
        ForgetStrategy(match="tea", semantic=True)


_SENTENCES = st.sampled_from(
    [
        "User's phone number is 555-123-4567.",
        "User lives in Bern and her phone number is 555-123-4567.",
        "Bob's phone number is 555-999-8888.",
        "User likes tea, coffee and milk.",
        "She works at Noma.",
        "用户的电话是13812345678。",
        "User met Ana Lim. Her number is 555-222-1111.",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(_SENTENCES, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=5))
def test_what_was_forgotten_is_not_found_again_and_nothing_without_it_changes(listed):
    given_memories = memories(*listed)
    strategy = ForgetStrategy(about="her phone number")
    proposal = strategy.steps(given_memories)
    again = strategy.steps(list(proposal.memories))
    assert list(again.memories) == list(proposal.memories)
    before = {item.memory_id: item for item in given_memories}
    for item in proposal.memories:
        old = before[item.memory_id]
        if "555-123-4567" not in old.memory and "13812345678" not in old.memory and "555-222-1111" not in old.memory:
            assert item is old
        if item is not old:
            assert "555-123-4567" not in item.memory or "for review" in proposal.decisions[item.memory_id].reason


def test_a_heading_goes_with_its_lines_and_a_line_goes_alone():
    given_memories = memories(
        "User's address:\n  Rua da Boavista 12\n  1200-066 Lisboa",
        "Contact:\n- phone: 555-123-4567\n- e-mail: a@b.ch",
        "Contact:\n- phone: 555-123-4567\n\nUser likes tea.",
        "Bob:\n- phone: 555-123-4567",
    )
    assert set(forget(given_memories, about="her address")[0]) == {"m1", "m2", "m3"}
    assert texts(forget(given_memories, about="her phone number")[0]) == [
        given_memories[0].memory,
        "Contact:\n- e-mail: a@b.ch",
        "User likes tea.",
        given_memories[3].memory,
    ]


def test_what_stands_in_parentheses_is_of_what_stands_before_them():
    given_memories = memories(
        "User has a dog named Rex (6 years old, lives in Rome).", "Ana Lim (555-123-4567) is User's dentist."
    )
    left, proposal = forget(given_memories, about="where she lives")
    assert left["m0"] is given_memories[0] and "who is meant" in proposal.decisions["m0"].reason
    assert forget(given_memories, about="her phone number")[0]["m1"] is given_memories[1]
    assert forget(given_memories, about="Ana Lim's phone number")[0]["m1"].memory == "Ana Lim is User's dentist."


def test_who_has_no_telephone_loses_no_dates():
    given_memories = memories(
        "User has a deadline for the data warehouse on 2025-01-26.",
        "User booked the table for 01/02/2026 19:30.",
        "User's order 555-123-4567 was shipped.",
        "User pays CHF 1 234 567 for the house.",
    )
    assert list(forget(given_memories, about="her phone number")[0].values()) == given_memories


def test_what_tells_more_of_the_thing_that_is_gone_is_listed_and_not_cut():
    given_memories = memories("User needs a German Blue Card visa; appointment on 24 June 2025.")
    left, proposal = forget(given_memories, about="the visa")
    assert left["m0"] is given_memories[0]
    assert proposal.decisions["m0"].reason.startswith("for review")
