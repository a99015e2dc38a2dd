"""Words that turn a meaning, and how far they reach."""

import pytest

from memopt.facts.polarity import segments, turns


def kinds(text):
    return [turn.kind for turn in turns(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User gave up smoking.", ["end"]),
        ("User no longer plays the cello.", ["deny"]),
        ("User cannot ski anymore.", ["deny"]),
        ("User used to play the cello.", ["past"]),
        ("User can't stand cilantro.", ["dislike"]),
        ("User refuses to fly.", ["refuse"]),
        ("User is not unable to walk.", ["deny", "unable"]),
        ("用户戒了烟，从不喝酒。", ["end", "deny"]),
        ("用户不喜欢爬山。", ["dislike"]),
    ],
)
def test_each_word_that_turns_a_meaning_is_found_once(text, expected):
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "User doesn't mind working late.", "User eats not only rice.", "User wants to lose 6 kg.", "User lost his father in 2015.",
        "The talk must not last longer than ten minutes.", "User lives under the bridge with an uncle.", "用户的工作离不开电脑，非常忙。", "用户未婚妻住在无锡。",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_denial_turns_nothing(text):
    assert not [turn for turn in turns(text) if turn.sure]


def test_a_prefix_tells_what_it_denies():
    assert [turn.base for turn in turns("The boss is unfair and the chair uncomfortable.")] == ["fair", "comfortabl"]


def test_a_sentence_is_cut_where_a_denial_ends_its_reach():
    text = "User does not eat pork because of his faith, but likes lamb."
    assert [text[a:b].strip(" ,") for a, b in segments(text)] == [
        "User does not eat pork",
        "because of his faith",
        "",
        "but likes lamb.",
    ]
    assert len(segments(text, fine=False)) == len(segments(text)) - 1
