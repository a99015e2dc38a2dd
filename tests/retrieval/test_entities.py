"""What can be pointed at in a memory and in a question."""

import math

import pytest

from memopt.memory import UserMemory
from memopt.retrieval.entities import Entities

MAY = 1746266400  # 2025-05-03


def best(query, *texts, now=None, **fields):
    scores = Entities([UserMemory(text, str(at), **fields) for at, text in enumerate(texts)]).scores(query, now)
    return int(scores.argmax()) if scores.max() > 0 else None


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("Who is Anna Schmidt?", 0),
        ("who is anna schmidt", 0),
        ("what happened on 3 May 2025", 1),
        ("what happened in May 2025", 1),
        ("what cost 1450", 2),
        ("any injuries?", 3),  # by a related word
        ("support group", 4),
        ("guitars", None),
    ],
)
def test_it_is_found(query, wanted):
    texts = (
        "Her boss is Anna Schmidt.", "The wedding was on 2025-05-03.", "The sofa cost 1,450 euros.", "She was hurt in an accident.",
        "She goes to a support group.",
    )  # fmt: skip
    assert best(query, *texts) == wanted


def test_a_rare_name_weighs_more_than_a_frequent_one():
    texts = ["Anna likes tea", "Anna likes jazz", "Anna reads", "Bruno reads"]
    scores = Entities([UserMemory(text) for text in texts]).scores("Anna Bruno")
    assert scores.argmax() == 3


def test_two_words_side_by_side_weigh_more_than_apart():
    scores = Entities([UserMemory("The group gave support"), UserMemory("A support group")]).scores("support group")
    assert scores[1] > scores[0] > 0


def test_a_name_counts_the_same_in_small_letters_and_at_the_head_of_a_sentence():
    index = Entities(
        [UserMemory("Her dog is Bella"), UserMemory("Bella and the cat"), UserMemory("Met Anna Schmidt"), UserMemory("x")]
    )
    assert index.scores("bella").tolist() == index.scores("Bella").tolist()
    assert index.scores("anna schmidt").tolist() == index.scores("Anna Schmidt").tolist()
    assert index.scores("Bella")[0] == index.scores("Bella")[1] > 0


def test_a_capital_at_the_head_of_a_sentence_makes_no_name():
    index = Entities([UserMemory("Adopted a dog"), UserMemory("She adopted a cat"), UserMemory("x")])
    assert index.scores("adopted")[0] == index.scores("adopted")[1] > 0


def test_the_worth_of_a_number_is_its_idf():
    scores = Entities([UserMemory("1450"), UserMemory("1450"), UserMemory("7"), UserMemory("")]).scores("1450")
    assert scores.tolist() == pytest.approx([math.log(1 + 2.5 / 2.5)] * 2 + [0, 0])


def test_a_topic_and_the_day_it_was_written_count():
    memories = [UserMemory("Rex", "a", topics=("pets",)), UserMemory("Tea", "b", created_at=MAY)]
    index = Entities(memories)
    assert index.scores("pets").argmax() == 0
    assert index.scores("what was told in May 2025?").argmax() == 1
    assert index.scores("what was told yesterday?", MAY + 86_400).argmax() == 1


def test_whom_most_memories_are_about_is_left_out_of_what_is_embedded():
    texts = [f"Caroline {verb} pottery" for verb in "likes makes sells breaks paints".split()]
    index = Entities([UserMemory(text) for text in [*texts, "Caroline met Anna"]])
    assert index.told("Caroline likes pottery").split() == ["likes", "pottery"]
    assert index.told("what does caroline's friend like").split() == ["what", "does", "friend", "like"]
    assert "Anna" in index.told("Caroline met Anna")
    assert index.told("Caroline") == "Caroline"  # nothing would be left
    assert index.told("User lives in Rome") == "lives in Rome"
    assert index.told("用户住在上海") == "住在上海"
    few = Entities([UserMemory("Caroline likes tea"), UserMemory("Caroline reads")])
    assert few.told("Caroline likes tea") == "Caroline likes tea"


def test_no_memories_and_no_words():
    assert Entities([]).scores("anything").tolist() == []
    assert Entities([UserMemory("")]).scores("anything").tolist() == [0.0]
    assert Entities([UserMemory("tea")]).scores("???").tolist() == [0.0]
