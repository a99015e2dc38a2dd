"""The joined text is read as the memories were: pronouns point to nobody new, and of two that contradict the newer comes last."""

import pytest

from memopt.memory import UserMemory
from memopt.models.builtin import consolidate
from memopt.models.joining import Sentence
from memopt.models.reader import contrary, points_back

DAY = 86_400
BEGIN = 1_735_700_000


def joined(*texts: str) -> str:
    memories = [
        UserMemory(text, memory_id=f"m{at}", user_id="u", created_at=BEGIN + 30 * DAY * at, updated_at=BEGIN + 30 * DAY * at)
        for at, text in enumerate(texts)
    ]
    return consolidate(memories).text


@pytest.mark.parametrize(
    "text",
    ["She plays the cello.", "Her sister Lea is a nurse.", "Also, he is 34.", "他喜欢下棋。", "现在他住在柏林。", "这是他的猫。"],
)
def test_a_sentence_that_begins_with_a_pronoun_points_back(text: str) -> None:
    assert points_back(text)


@pytest.mark.parametrize(
    "text",
    [
        "User plays the cello.",
        "Mara and her sister live in Bern.",
        "Thesis is due.",
        "用户的妹妹叫小雨，她29岁。",
        "其实用户不吃肉。",
    ],
)
def test_a_sentence_that_names_whom_it_speaks_of_does_not(text: str) -> None:
    assert not points_back(text)


def test_a_pronoun_follows_no_sentence_about_another_person() -> None:
    text = joined("Mara lives in Bern.", "Mara's sister Lea is a nurse.", "She plays the cello.", "Mara lives in Bern.")
    assert "She plays the cello." in text.split("\n")


def test_pronouns_keep_the_order_of_their_memories() -> None:
    text = joined("用户叫李明。", "他有糖尿病。", "他的弟弟叫李强。", "他喜欢下棋。", "他喜欢下棋。")
    assert text.split("\n") == ["用户叫李明。", "他有糖尿病。", "他的弟弟叫李强。", "他喜欢下棋。"]


def test_what_was_ended_and_holds_again_is_told_in_the_order_of_time_and_with_its_days() -> None:
    again = "User takes ibuprofen every day for his back pain."
    text = joined(again, "User stopped ibuprofen.", again, "User lives in Bern.", again)
    assert text.index("stopped ibuprofen") < text.index("takes ibuprofen")
    assert "stopped ibuprofen (noted 31 January 2025)" in text


def test_sentences_that_only_share_a_word_are_no_contraries() -> None:
    units = [
        Sentence(text, (at,)) for at, text in enumerate(("User stopped smoking in Bern.", "User lives in Bern with two cats."))
    ]
    assert contrary(units) == []
