"""Exact match and F1 as SQuAD counts them, in English and Chinese."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.evaluation.answering import exact_match, said_in, token_f1, words
from memopt.models.base import Reply


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("The Eiffel Tower.", "eiffel tower"),
        ("a  structural engineer", "structural engineer"),
        ("Müller's", "müllers"),
        ("2,400", "2400"),
        ("伯尔尼。", "伯尔尼"),
        ("Yes", "yes"),
        ("9.5", "9.5"),
    ],
)
def test_case_punctuation_and_articles_do_not_count(answer, right):
    assert exact_match(answer, right) == token_f1(answer, right) == 1


@pytest.mark.parametrize(
    ("answer", "right", "f1"),
    [
        ("in Bern, Switzerland", "Bern", 0.5),
        ("Basel", "Bern", 0),
        ("住在伯尔尼", "伯尔尼", 0.75),
        ("伯尔", "伯尔尼", 0.8),
        ("", "Bern", 0),
        ("cat cat", "cat", 2 / 3),
        ("9.5", "95", 0),
    ],
)
def test_f1_is_worked_out_by_hand(answer, right, f1):
    assert exact_match(answer, right) == 0
    assert token_f1(answer, right) == pytest.approx(f1)


def test_words_of_both_scripts_are_told_apart():
    assert words("住在Bern市") == ["住", "在", "bern", "市"]


@pytest.mark.parametrize(
    ("text", "said"), [("<Bern>", "Bern"), ("Bern", "Bern"), ("It is <Bern>.", "Bern"), ("<a> no, <b>", "b"), ("3 < 4", "3 < 4")]
)
def test_the_answer_is_what_stands_in_the_brackets(text, said):
    assert said_in(Reply(text)) == said


@given(st.text(), st.text())
def test_f1_is_a_share_and_symmetric(one, other):
    assert 0 <= token_f1(one, other) <= 1
    assert token_f1(one, other) == pytest.approx(token_f1(other, one))
    assert token_f1(one, one) == exact_match(one, one) == 1
