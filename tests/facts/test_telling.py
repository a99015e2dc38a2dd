"""How much a sentence tells."""

from __future__ import annotations

import pytest

from memopt.facts.telling import WEIGHTS, chance, told

# Of each pair the first holds something to ask for, the second a feeling, praise or general words about the same.
PAIRS = [
    ("Nora bought a cargo bike last Friday.", "Nora believes in the importance of sustainable choices."),
    ("Omar's band is called 'Salt Lanterns'.", "Omar feels grateful for the support of his band."),
    ("Ines ran 21 km in 1:52:08.", "Ines is proud of her progress and determination."),
    ("Pavel's flight to Lima leaves on 3 May at 07:40.", "Pavel hopes that new experiences will help him grow."),
    ("Yuki adopted a puppy named Mochi two months ago.", "Yuki values the joy and love that life gives her."),
    ("Lea moved to Aarhus in 2023.", "Lea appreciates the encouragement of others in tough times."),
    ("The rent is 1,450 euros.", "Money can be a challenge for everyone."),
    ("Tom went to a pottery class with his sister.", "Tom encourages his sister to keep pursuing her dreams."),
    ("小李上周买了一辆自行车。", "小李认为支持和鼓励非常重要。"),
    ("张伟2023年搬到了柏林。", "张伟感到自豪，相信努力的意义。"),
    ("王芳养了一只叫豆豆的狗。", "王芳珍惜生活中的幸福时刻。"),
    ("陈明昨天跑了10公里。", "陈明希望大家可以保持积极的态度。"),
]


def best(text):
    return max(sentence.score() for sentence in told(text))


@pytest.mark.parametrize(("specific", "general"), PAIRS)
def test_something_to_ask_for_tells_more_than_a_feeling(specific, general):
    assert best(specific) > best(general) + 0.4


@pytest.mark.parametrize(("specific", "general"), PAIRS)
def test_a_feeling_is_below_a_plain_sentence_and_a_fact_is_not(specific, general):
    assert best(specific) > 0 > best(general)


def test_of_all_pairs_every_fact_stands_above_nearly_every_feeling():
    wins = [best(fact) > best(feeling) for fact, _ in PAIRS for _, feeling in PAIRS]
    assert sum(wins) / len(wins) >= 0.98


@pytest.mark.parametrize(
    "text",
    [
        "User is allergic to peanuts; it's severe.",
        "User takes 5 mg of ramipril every morning.",
        "User's name is Ana Ferreira.",
        "User is vegan.",
        "User has type 1 diabetes.",
        "用户对花生过敏。",
        "用户每天吃药控制高血压。",
    ],
)
def test_what_hurts_when_it_is_forgotten_is_vital(text):
    assert any(sentence.is_vital for sentence in told(text))


@pytest.mark.parametrize(
    "text",
    ["User likes hiking.", "User sold the flat.", "User's dose of luck.", "User thinks that name tags help.", "用户喜欢喝茶。"],
)
def test_other_things_are_not_vital(text):
    # "dose of luck" shows the limit: words are looked at, not meanings
    assert any(sentence.is_vital for sentence in told(text)) == ("dose" in text)


def test_sentences_are_told_apart():
    first, second = told("User feels happy about everything. User paid 300 euros on 2 May.")
    assert first.is_opinion and not second.is_opinion
    assert second.score() > first.score()
    assert "User feels happy about everything. User paid 300 euros on 2 May."[second.start :] == "User paid 300 euros on 2 May."


def test_a_denied_word_is_another_word():
    (likes,) = told("User eats meat.")
    (does_not,) = told("User does not eat meat.")
    assert likes.words.isdisjoint(does_not.words)


def test_the_month_of_may_is_no_possibility():
    assert "possible" not in told("User sold a lamp in May.")[0].signs
    assert "possible" in told("User may sell a lamp.")[0].signs


def test_moved_to_is_no_feeling_but_is_moved_is():
    assert not told("User moved from Shanghai to Berlin.")[0].is_opinion
    assert told("User was deeply moved by the concert.")[0].is_opinion


def test_rare_names_raise_the_score_and_are_capped():
    (sentence,) = told("User met Ines, Omar, Pavel and Yuki.")
    assert sentence.score(1) == pytest.approx(sentence.score() + WEIGHTS["name"])
    assert sentence.score(9) == sentence.score(2)


@pytest.mark.parametrize("text", ["🎻", "?!", "...", "\ud83d", "—", "\x00"])
def test_a_text_without_words_is_one_sentence_of_itself(text):
    (only,) = told(text)
    assert only.words == {f"={text}"}
    assert only.score() == 0


def test_many_signs_do_not_count_without_end():
    many = " ".join(f"{number} euros," for number in range(2, 60))
    assert best(f"User paid {many}") < 8
    assert 0 < chance(-1000) < chance(0) == 0.5 < chance(1000) <= 1
