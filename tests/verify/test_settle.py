"""What was invented is cut out so that sound text is left, and what was lost stays beside it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.memory import UserMemory
from memopt.verify import verify
from memopt.verify.settle import cut, kept_beside, settle

TEXTS = ["User lives in Bern.", "User is allergic to peanuts.", "User has a dog called Rex.", "User paid 1,450 euros for a bike."]
SOURCES = [UserMemory(text, f"m{n}", created_at=86_400 * n) for n, text in enumerate(TEXTS)]
WHOLE = " ".join(TEXTS)


def cut_words(text, *words):
    return cut(text, [(text.index(word), text.index(word) + len(word)) for word in words])


@pytest.mark.parametrize(
    ("text", "words", "left"),
    [
        ("A one. B two. C three.", ["B two."], "A one. C three."),
        ("A one. B two. C three.", ["A one."], "B two. C three."),
        ("A one. B two. C three.", ["C three."], "A one. B two."),
        ("A one. B two. C three.", ["A one.", "C three."], "B two."),
        ("A one.  B two.\tC three.", ["B two."], "A one.  C three."),
        ("甲是一。乙是二。丙是三。", ["乙是二。"], "甲是一。丙是三。"),
        ("A one.\nB two.\nC three.", ["B two."], "A one.\nC three."),
        ("A one.\r\nB two.\r\nC three.", ["B two."], "A one.\r\nC three."),
        ("- A one.\n- B two.\n- C three.", ["- B two."], "- A one.\n- C three."),
        ("- A one.\n- B two.\n- C three.", ["B two."], "- A one.\n- C three."),
        ("1. A one.\n2. B two.\n3. C three.", ["B two."], "1. A one.\n3. C three."),
        ("- A one. B two.\n- C three.", ["B two."], "- A one.\n- C three."),
        ("- A one. B two.\n- C three.", ["A one."], "- B two.\n- C three."),
        ("Pets:\n- B two.\n\nFood:\n- C three.", ["- B two."], "Food:\n- C three."),
        ("Pets:\n- A one.\n- B two.\n\nFood:\n- C three.", ["- A one."], "Pets:\n- B two.\n\nFood:\n- C three."),
        ("Food:\n- C three.\n\nPets:\n- B two.", ["- B two."], "Food:\n- C three."),
        ("## Pets\n- B two.\n## Food\n- C three.", ["- B two."], "## Food\n- C three."),
        ("A one.\n\nB two.\n\nC three.", ["B two."], "A one.\n\nC three."),
        ("A one.", ["A one."], ""),
    ],
)
def test_nothing_is_left_of_a_sentence_that_was_cut(text, words, left):
    assert cut_words(text, *words) == left


@settings(deadline=None)
@given(st.lists(st.text("ab.。 \n-:1#", min_size=1, max_size=8), min_size=1, max_size=6), st.data())
def test_cutting_takes_no_word_of_what_is_left(pieces, data):
    text = " ".join(pieces)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    expected = [ch for ch in text[:start] + text[end:] if ch in "ab"]
    found = [ch for ch in cut(text, [(start, end)]) if ch in "ab"]
    # but for a heading that has nothing under it any more
    assert found == expected or ":" in text or "#" in text


def test_tens_of_thousands_of_cuts_take_time_by_their_number():
    lines = [f"- User has note {number}, which is told with a few words more than others." for number in range(60_000)]
    text, spans, at = "\n".join(lines), [], 0
    for number, line in enumerate(lines):
        if number % 2:
            spans.append((at + 2, at + len(line)))
        at += len(line) + 1
    begun = time.process_time()
    left = cut(text, spans)
    assert time.process_time() - begun < 3
    assert left == "\n".join(lines[::2])


def test_a_break_of_two_characters_goes_with_the_line_that_was_cut():
    assert cut("A one. B two. \r\nC three.", [(7, 13)]) == "A one.\r\nC three."
    assert cut("Pets:\r\n- B two.\r\n\r\nC three.", [(7, 15)]) == "C three."


@pytest.mark.parametrize(
    "invention",
    ["User plays the guitar.", "User's sister is called Maria.", "User weighs 82 kg.", "User is not married.", "用户喜欢爬山。"],
)
@pytest.mark.parametrize("place", [0, 2, 4])
def test_an_invented_sentence_is_cut_out_wherever_it_stands(invention, place):
    sentences = TEXTS.copy()
    sentences.insert(place, invention)
    settled = settle(SOURCES, " ".join(sentences))
    assert settled.refusal is None and settled.text == WHOLE
    assert {item.sentence.strip() for item in settled.removed} == {invention}
    assert settled.report.passed and settled.found.invented


def test_a_sound_text_is_not_touched():
    settled = settle(SOURCES, WHOLE)
    assert (settled.text, settled.removed, settled.refusal) == (WHOLE, (), None)
    assert settled.report.retention == 1 and settled.found == settled.report


def test_where_nothing_sound_is_left_it_is_refused_with_the_sentence():
    settled = settle(SOURCES, "User plays the guitar. User's sister is called Maria.")
    assert settled.text == "" and settled.refusal is not None
    assert "User plays the guitar." in settled.refusal or "Maria" in settled.refusal


def test_a_true_fact_goes_with_the_sentence_that_holds_an_invented_one_and_is_then_missed():
    settled = settle(SOURCES, "User lives in Bern with a cat called Tom. User is allergic to peanuts. " + " ".join(TEXTS[2:]))
    assert "Tom" not in settled.text and settled.refusal is None
    assert 0 in settled.report.lost_indexes
    assert kept_beside(SOURCES, settled.text, settled.report) == [SOURCES[0]]


def test_what_is_kept_beside_makes_the_whole_complete():
    text = "User lives in Bern. User paid 1,540 euros for a bike."
    settled = settle(SOURCES, text)
    beside = kept_beside(SOURCES, settled.text, settled.report)
    assert verify(SOURCES, [UserMemory(settled.text), *beside]).passed
    assert SOURCES[0] not in beside and len(beside) == 3


def test_nothing_stays_beside_a_whole_text():
    settled = settle(SOURCES, WHOLE)
    assert kept_beside(SOURCES, settled.text, settled.report) == []


def test_memories_without_ids_stay_beside_as_well():
    bare = [item.but(memory_id=None) for item in SOURCES]
    settled = settle(bare, "User lives in Bern.")
    assert kept_beside(bare, settled.text, settled.report) == bare[1:]


def test_a_fact_said_twice_is_kept_once_at_least():
    twice = [*SOURCES, UserMemory("User has a dog called Rex.", "m9")]
    settled = settle(twice, "User lives in Bern. User is allergic to peanuts. User paid 1,450 euros for a bike.")
    beside = kept_beside(twice, settled.text, settled.report)
    assert verify(twice, [UserMemory(settled.text), *beside]).passed
    assert 1 <= len(beside) <= 2 and all("Rex" in item.memory for item in beside)


def test_a_judge_can_allow_a_plain_statement_and_nothing_else():
    text = WHOLE + " User plays the guitar. User weighs 82 kg."
    found = settle(SOURCES, text).removed
    facts = {item.fact for item in found} | {item.sentence for item in found}
    settled = settle(SOURCES, text, allowed=facts)
    assert settled.text == WHOLE + " User plays the guitar."
    assert all("82" in item.sentence for item in settled.removed)


def test_what_a_judge_denies_is_cut_out():
    settled = settle(SOURCES, WHOLE, denied={"User has a dog called Rex"})
    assert "Rex" not in settled.text and settled.refusal is None
    assert 2 in settled.report.lost_indexes


def test_what_a_judge_excuses_need_not_stay():
    sources = [*SOURCES[:3], UserMemory("User gets seasick on small boats.", "m3", created_at=0)]
    settled = settle(sources, "User lives in Bern. User is allergic to peanuts. User has a dog called Rex.")
    lost = settled.report.lost
    assert lost and kept_beside(sources, settled.text, settled.report) == [sources[3]]
    assert kept_beside(sources, settled.text, settled.report, {(item.index, item.fact) for item in lost}) == []


def test_a_lost_number_stays_whatever_a_judge_says():
    settled = settle(SOURCES, "User lives in Bern. User is allergic to peanuts. User has a dog called Rex.")
    said = {(item.index, item.fact) for item in settled.report.lost}
    assert kept_beside(SOURCES, settled.text, settled.report, said) == [SOURCES[3]]


WORDS = st.sampled_from(
    [
        "User",
        "lives",
        "in",
        "Bern",
        "not",
        "never",
        "likes",
        "tea",
        "30",
        "Ann",
        "Tom",
        "and",
        ".",
        "\n",
        "- ",
        "1.",
        "喜欢",
        "茶",
        "。",
        ":",
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(WORDS, max_size=25).map(" ".join),
    st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=4),
)
def test_whatever_a_model_says_the_result_loses_and_invents_nothing(text, sources):
    memories = [UserMemory(each, f"m{n}") for n, each in enumerate(sources)]
    settled = settle(memories, text or "x")
    if settled.refusal is not None:
        assert settled.text == ""
        return
    beside = kept_beside(memories, settled.text, settled.report)
    assert not verify(memories, [UserMemory(settled.text)]).invented
    if len(beside) < len(memories):
        assert not verify(memories, [UserMemory(settled.text), *beside]).lost


FAMILY = [
    "User's boss Tim Ruler is strict.",
    "User's brother Jonas lives in Oslo.",
    "User's brother Jonas is 34.",
    "User's brother Jonas has been a diabetic for years.",
]


@pytest.mark.parametrize("pronoun", ["He", "Since 2019 he", "Also, he", "In winter he"])
def test_a_sentence_that_points_to_what_was_cut_out_goes_with_it(pronoun):
    sources = [
        UserMemory(text, f"m{n}") for n, text in enumerate([*FAMILY, "User's brother Jonas plays chess in winter since 2019."])
    ]
    text = f"User's boss Tim Ruler is strict. User's brother Jonas lives in Bergen. {pronoun} plays chess."
    found = settle(sources, text)
    assert found.text == "User's boss Tim Ruler is strict."
    assert {item.kind for item in found.removed} > {"pronoun"}
    assert {item.memory_id for item in kept_beside(sources, found.text, found.report)} == {"m1", "m2", "m3", "m4"}


def test_it_stays_where_it_speaks_of_whom_the_text_spoke_of_before():
    sources = [UserMemory(text) for text in ("User's sister Ana lives in Bern.", "Ana plays the cello.")]
    found = settle(sources, "User's sister Ana lives in Bern. Ana owns 3 boats. She plays the cello.")
    assert found.text == "User's sister Ana lives in Bern. She plays the cello."


def test_it_stays_where_it_names_whom_it_speaks_of():
    sources = [UserMemory(text) for text in FAMILY]
    found = settle(sources, "User's brother Jonas lives in Bergen. User's boss Tim Ruler is strict.")
    assert found.text == "User's boss Tim Ruler is strict."


def test_chinese_pronouns_point_back_as_well():
    sources = [UserMemory(text) for text in ("用户叫李明。", "用户的弟弟李强住在上海。", "用户的弟弟李强有糖尿病。")]
    assert "糖尿病" not in settle(sources, "用户叫李明。用户的弟弟李强住在2026年的杭州。他有糖尿病。").text


LOOPS = ["likes ", " and tea", "喜欢茶，", "x; ", "a-", "a.", "1.", "a\t", "不"]


@pytest.mark.parametrize("piece", LOOPS)
def test_a_loop_in_an_answer_is_checked_in_time_that_grows_with_its_length(piece):
    def seconds(many):
        began = time.process_time()
        verify(SOURCES, [UserMemory(WHOLE + " " + piece * many)])
        return time.process_time() - began

    seconds(50)
    # sixteen times as long: squared it would take 256 times as long
    assert seconds(8000) < 100 * max(seconds(500), 0.1)


def test_what_is_far_longer_than_the_memories_is_refused_unread():
    found = settle(SOURCES, WHOLE + " " + "a" * 2_000_000)
    assert found.refusal is not None and "2,000," in found.refusal
    assert found.report.retention == 0.0


@pytest.mark.parametrize(
    ("texts", "rewrite", "left"),
    [
        (
            ["User works at the Kessler bakery in Ghent.", "User earns 1,450 euros a month."],
            "User works at the Kessler bakery in Ghent and earns €1,540 per month.",
            "User works at the Kessler bakery in Ghent.",
        ),
        (
            ["User plays the cello.", "User has a cat."],
            "User plays the cello, and has 3 boats in Monaco.",
            "User plays the cello.",
        ),
        (["用户住在上海。", "用户月薪15000元。"], "用户住在上海，月薪18000元。", "用户住在上海。"),
    ],
)
def test_of_a_sentence_that_is_right_up_to_its_end_the_end_is_cut_out(texts, rewrite, left):
    found = settle([UserMemory(text, f"m{n}") for n, text in enumerate(texts)], rewrite)
    assert found.text == left
    assert found.removed
    assert found.report.lost_ids == ("m1",)


def test_a_sentence_that_is_wrong_at_its_beginning_goes_whole():
    sources = [UserMemory("User plays the cello."), UserMemory("User lives in Bern.")]
    assert settle(sources, "User lives in Bern. User owns 3 boats and plays the cello.").text == "User lives in Bern."


def test_the_end_alone_is_told_as_what_was_cut_out():
    sources = [UserMemory("User works at the Kessler bakery in Ghent."), UserMemory("User earns 1,450 euros a month.")]
    found = settle(sources, "User works at the Kessler bakery in Ghent and earns €1,540 per month.")
    assert {item.sentence for item in found.removed} == {"and earns €1,540 per month"}


def test_a_sentence_goes_whole_where_the_next_one_points_to_its_end():
    sources = [UserMemory(text) for text in [*FAMILY, "User's boss Tim Ruler lives in Oslo."]]
    text = "User's boss Tim Ruler lives in Oslo, and brother Jonas owns 3 boats. He has been a diabetic for years."
    assert "diabetic" not in settle([*sources, UserMemory("User lives in Bern.")], f"User lives in Bern. {text}").text
