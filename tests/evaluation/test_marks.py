"""What an answer needs of a text, in English and Chinese, in whatever form numbers and dates are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.evaluation.marks import marks_of, needs_of, share_held, without_question

MAY_8 = 1_683_504_000  # 2023-05-08


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Bern", "User lives in Bern."),
        ("adoption agencies", "She called an adoption agency."),
        ("7 May 2023", "They met on 2023-05-07."),
        ("May 2023", "They met on 2023-05-07."),
        ("2023", "They met on 7 May 2023."),
        ("1,450 euros", "The rent is €1450."),
        ("伯尔尼", "用户现在住在伯尔尼。"),
        ("猫", "用户有一只猫。"),
        ("the 3 cats", "User has three cats."),
        ("Zoë", "Her sister is Zoe."),
        ("part-time", "User works part-time."),
        ("서울", "사용자는 서울 산다"),
    ],
)
def test_an_answer_is_found(answer, text):
    assert share_held(answer, marks_of(text)) == 1


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Bern", "User lives in Basel."),
        ("8 May 2023", "They met on 2023-05-07."),
        ("7 May 2023", "They met in May 2023."),
        ("1,540 euros", "The rent is 1,450 euros."),
        ("伯尔尼", "用户住在巴塞尔。"),
        ("3 cats", "User has 4 cats."),
        ("Bern", ""),
    ],
)
def test_another_answer_is_not(answer, text):
    assert share_held(answer, marks_of(text)) < 1


def test_yesterday_is_a_date_where_it_is_known_when_it_was_written():
    assert share_held("7 May 2023", marks_of("She went to the group yesterday.", MAY_8)) == 1
    assert share_held("7 May 2023", marks_of("She went to the group yesterday.")) < 1


@pytest.mark.parametrize("answer", ["yes", "No.", "the", "?"])
def test_an_answer_without_a_word_of_its_own_needs_nothing(answer):
    assert needs_of(answer) == () and share_held(answer, marks_of("yes no the")) is None


def test_part_of_an_answer_is_a_share():
    assert share_held("psychology and counseling", marks_of("Wants to study psychology.")) == 0.5


def test_a_copy_of_the_question_tells_nothing():
    question = "Does she live in Bern or Basel?"
    assert without_question("q: does she live in  Bern, or Basel", question).strip() == "q:"
    assert without_question("She lives in Bern.", question) == "She lives in Bern."
    assert without_question("Is it Bern? It is Basel.", question) == "It is Basel."


@given(st.text(), st.text())
def test_any_text_can_be_read(answer, text):
    share = share_held(answer, marks_of(text))
    assert share is None or 0 <= share <= 1
    assert share_held(answer, marks_of(answer)) in (None, 1)
    without_question(text, answer)
