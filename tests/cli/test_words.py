"""What changed inside a text."""

from hypothesis import given
from hypothesis import strategies as st

from memopt.cli.words import MAX_WORDS, split_words, word_diff

TEXT = st.text(st.sampled_from(list("ab cd.,12 \n用户喜欢👩\u200d👧é'")), max_size=60)


@given(TEXT)
def test_words_joined_are_the_text(text):
    assert "".join(split_words(text)) == text


@given(TEXT, TEXT)
def test_both_texts_can_be_read_out_of_the_parts(before, after):
    parts = word_diff(before, after)
    assert "".join(t for kind, t in parts if kind != "added") == before
    assert "".join(t for kind, t in parts if kind != "removed") == after
    assert all(t for _, t in parts)


def test_a_changed_word_is_one_change():
    assert word_diff("User lives in Berlin.", "User lives in Köln.") == [
        ("same", "User lives in "),
        ("removed", "Berlin"),
        ("added", "Köln"),
        ("same", "."),
    ]


def test_a_replaced_phrase_reads_as_one():
    assert word_diff("moved to New York today", "moved to Sao Paulo today") == [
        ("same", "moved to "),
        ("removed", "New York"),
        ("added", "Sao Paulo"),
        ("same", " today"),
    ]


def test_chinese_changes_by_character():
    assert word_diff("用户喜欢茶", "用户喜欢咖啡") == [("same", "用户喜欢"), ("removed", "茶"), ("added", "咖啡")]


def test_numbers_change_as_a_whole():
    assert ("removed", "1,450") in word_diff("pays 1,450 euros", "pays 1,540 euros")


def test_one_word_changed_in_a_long_text_of_few_words_is_one_change():
    before = "tea and coffee and milk and sugar, " * 100
    after = before[:1000] + "salt" + before[1000:]
    parts = word_diff(before, after)
    assert sum(len(text) for kind, text in parts if kind == "same") > len(before) - 20


def test_a_huge_text_is_not_matched():
    text = "word " * (MAX_WORDS * 50)
    assert word_diff("a " + text, text + "z") == [("removed", "a " + text), ("added", text + "z")]
    assert word_diff(text, text + "x") == [("same", text), ("added", "x")]
