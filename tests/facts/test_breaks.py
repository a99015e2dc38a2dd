"""Where one statement ends and the next begins without a mark."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.facts import read
from memopt.facts.breaks import loose_breaks, unmarked_breaks
from memopt.facts.reading import split_sentences


def cut(text, at):
    edges = [0, *at, len(text)]
    return [text[left:right].strip() for left, right in pairwise(edges)]


@pytest.mark.parametrize(
    "parts",
    [
        ("对花生过敏", "Has 3 cats"),
        ("Has 3 cats", "对花生过敏"),
        ("住在北京", "likes tea"),
        ("セロリが嫌い", "Has 3 cats"),
        ("Has 3 cats", "セロリが嫌い"),
        ("땅콩 알레르기가 있다", "Has 3 cats"),
        ("Has 3 cats", "땅콩 알레르기가 있다"),
        ("Аллергия на арахис", "Has 3 cats"),
        ("Has 3 cats", "Аллергия на арахис"),
        ("لديه حساسية من الفول", "Has 3 cats"),
        ("has 3 cats", "对花生过敏", "lives in Oslo"),
        ("在 Google 工作", "allergic to peanuts"),
        ("vegan", "Has 3 cats"),
        ("lives in Rome", "Likes 2 bands"),
        ("hates rain", "User has a dog"),
        ("Has 3 cats 🎉", "allergic to peanuts"),
        ("Likes jazz 🎷", "对花生过敏"),
    ],
)
def test_two_statements_without_a_mark_are_two(parts):
    text = " ".join(parts)
    assert cut(text, unmarked_breaks(text)) == list(parts)
    assert [text[start:end] for start, end in split_sentences(text)] == list(parts)
    assert len({clause.sentence for clause in read(text).clauses}) == len(parts)


@pytest.mark.parametrize(
    "text",
    [
        "works at 字节跳动 as an engineer",
        "User likes 火锅 (hotpot)",
        "User likes the dish 麻婆豆腐 from Sichuan",
        "User says (对花生过敏 Has 3 cats) in jest",
        "我在 Google 工作",
        "用户在 New York 住了 5 年",
        "用户讨厌 loud music",
        "用户不喜欢 Likes and shares",
        "用户用 Python 和 Rust 编程",
        "User reads Война и мир",
        "User is called 민준",
        "Maria Has a dog",
        "User Likes And Dislikes",
        "has no 🐱 cats",
        "loves 🍕 and 🍣",
        "The user has a dog",
        "User's sister is vegan",
        "",
    ],
)
def test_a_name_or_a_picture_in_a_statement_parts_nothing(text):
    assert unmarked_breaks(text) == []


@pytest.mark.parametrize(
    "parts",
    [
        ("has 3 cats", "allergic to peanuts"),
        ("allergic to peanuts", "has 3 cats"),
        ("lives in Rome 2 kids", "hates coriander"),
        ("works at Google", "vegetarian"),
        ("email bob@x.org", "hates loud music"),
        ("tiene 3 gatos", "alérgico a los cacahuetes"),
    ],
)
def test_a_predicate_behind_a_whole_statement_opens_another(parts):
    text = " ".join(parts)
    assert cut(text, loose_breaks(text)) == list(parts)


@pytest.mark.parametrize(
    "text",
    [
        "is very allergic to peanuts",
        "User likes tea",
        "his sister likes tea",
        "taught vegan recipes on television",
        "the user really enjoys chess",
        "does not eat meat",
        "he is severely allergic to nuts",
    ],
)
def test_a_predicate_with_its_subject_or_its_adverb_opens_nothing(text):
    assert loose_breaks(text) == []


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Has", "has 3 cats", "过敏", "对花生", "🎉", "(", '"', "用户", "다", "на", "  ", "\t", "allergic", "A"])
    )
)
def test_breaks_lie_within_the_text_in_order(pieces):
    text = " ".join(pieces)
    for at in (unmarked_breaks(text), loose_breaks(text)):
        assert at == sorted(set(at))
        assert all(0 < one < len(text) and not text[one].isspace() for one in at)
