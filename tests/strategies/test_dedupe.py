"""dedupe: one of each group of memories that say the same; contradictions and look-alikes stay apart."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.strategies.base import Proposal, run
from memopt.strategies.dedupe import DedupeStrategy

DAY = 86_400


def mem(text: str, memory_id: str, at: int | None = 0, **more: Any) -> UserMemory:
    more.setdefault("created_at", at)
    more.setdefault("updated_at", at)
    return UserMemory(memory=text, memory_id=memory_id, user_id="u", **more)


def texts(*said: str, start: int = DAY) -> list[UserMemory]:
    return [mem(text, chr(97 + place), start + place) for place, text in enumerate(said)]


def dedupe(memories: list[UserMemory], **options: Any) -> Proposal:
    return run(DedupeStrategy(**options), memories, None)[0]


def ids(proposal: Proposal) -> list[str | None]:
    return [item.memory_id for item in proposal.memories]


# ------------------------------------------------------------------------------------------------------------ survivors


def test_of_equal_texts_the_newest_stays_and_says_why_the_others_go() -> None:
    after = dedupe(texts("Likes jazz", "Likes jazz", "Has two cats"))
    assert ids(after) == ["b", "c"]
    assert after.decisions["a"].reason == "same text as a newer memory"
    assert after.decisions["a"].into == "b"
    assert after.decisions["a"].relies_on == ("b",)
    assert "c" not in after.decisions


def test_equally_old_copies_leave_exactly_one_whatever_their_order() -> None:
    copies = [mem("Has two cats", each, 5) for each in "dce"]
    left = {tuple(ids(dedupe(random.Random(seed).sample(copies, 3)))) for seed in range(20)}
    assert left == {("c",)}


def test_equally_old_texts_that_differ_all_stay() -> None:
    assert len(dedupe([mem(text, text, 5) for text in ("Said hi", "Said hey", "Said hello")]).memories) == 3


def test_an_undated_memory_is_the_oldest() -> None:
    after = dedupe([mem("Likes tea", "none", None), mem("Likes tea", "dated", 1)])
    assert ids(after) == ["dated"]
    assert after.decisions["none"].reason == "same text as a dated memory"


def test_an_undated_memory_is_older_than_one_from_before_1970() -> None:
    assert ids(dedupe([mem("Likes tea", "a", None), mem("Likes tea", "b", -5)])) == ["b"]


def test_updated_at_decides_before_created_at() -> None:
    one = mem("Likes tea", "one", created_at=10, updated_at=100)
    two = mem("Likes tea", "two", created_at=50, updated_at=50)
    assert ids(dedupe([one, two])) == ["one"]


def test_what_stays_takes_the_oldest_creation_date_and_all_topics_and_nothing_else() -> None:
    new = mem("Likes tea", "new", 90, topics=("drinks",), input="i", agent_id="a1", team_id="t1")
    old = mem("likes tea.", "old", 10, topics=("food", "drinks"), agent_id="a1", team_id="t1")
    mid = mem("Likes tea", "mid", 50, topics=("habits",), agent_id="a2")
    after = dedupe([old, new, mid])
    assert list(after.memories) == [new.but(created_at=10, topics=("drinks", "habits", "food"))]
    assert after.decisions["new"].reason == "takes over the oldest date of creation and topics of 2 duplicates"
    assert set(after.decisions["new"].relies_on) == {"old", "mid"}


def test_what_gains_nothing_is_returned_untouched() -> None:
    new = mem("Likes tea", "new", created_at=1, updated_at=90, topics=("x", "x"))
    after = dedupe([mem("Likes tea", "old", 5, topics=None), new])
    assert after.memories[0] is new
    assert "new" not in after.decisions


def test_no_list_of_topics_appears_where_none_has_a_topic() -> None:
    after = dedupe([mem("Likes tea", "old", 5, topics=()), mem("Likes tea", "new", created_at=1, updated_at=90)])
    assert after.memories[0].topics is None


def test_a_memory_without_updated_at_does_not_grow_old_by_an_older_creation_date() -> None:
    moved = [
        mem("Lives in Rome", "a", created_at=1, updated_at=None),
        mem("Lives in Paris", "b", created_at=2, updated_at=None),
        mem("Lives in Rome", "c", created_at=3, updated_at=None),
    ]
    rome = next(item for item in dedupe(moved).memories if item.memory_id == "c")
    assert rome.created_at == 1
    assert rome.last_changed == 3


def test_the_text_that_stays_is_one_of_the_originals_to_the_letter() -> None:
    written = "Favourite  bar:\u00a0Café Züri "
    after = dedupe(texts("Favourite bar: Café Züri", "Favourite bar: Cafe\u0301 Zu\u0308ri", written))
    assert [item.memory for item in after.memories] == [written]
    assert after.decisions["a"].reason == "equal to a newer memory after folding case and punctuation"


def test_memories_without_ids_are_deduplicated_too() -> None:
    after = dedupe([UserMemory(memory="a b c", created_at=2), UserMemory(memory="a b c", created_at=1)])
    assert [item.created_at for item in after.memories] == [1]


# ---------------------------------------------------------------------------------------------------- what stays apart

APART = [
    ("Likes jazz", "Hates jazz"),
    ("suka americano", "tidak suka americano"),
    ("Tea is great 👍", "Tea is great 👎"),
    ("User slept 8 hours and felt stressed.", "User slept 9 hours and felt stressed."),
    ("The user's deadline for the billing service is 2025-04-09", "The user's deadline for the billing service is 2025-10-23"),
    ("User's colleague Tom is the owner of the mobile app.", "User's colleague Tim is the owner of the mobile app."),
    ("User is working on the mobile app with 李娜.", "User is working on the mobile app with 李明."),
    ("User switched from Figma to Go.", "User switched from Go to Figma."),
    ("A man is playing the guitar", "A man is playing the flute"),
    ("A man is playing the guitar", "A woman is playing the guitar"),
    ("User takes 5 mg of carprofen twice a day", "User takes 5 g of carprofen twice a day"),
    ("User likes tea", "User likes tea?"),
    ("It is -5 °C in the cellar of the user", "It is 5 °C in the cellar of the user"),
    ("User programs in C++ at work", "User programs in C at work"),
    ("用户喜欢喝乌龙茶，不喜欢咖啡。", "用户不喜欢喝乌龙茶，喜欢咖啡。"),
    ("The appointment with the dentist is before lunch", "The appointment with the dentist is after lunch"),
    ("Ann, 28, and Tom, 30, are the user's friends", "Ann, 30, and Tom, 28, are the user's friends"),
    ("User lives in Berlin with a dog", "User lived in Berlin with a dog"),
    ("User is allergic to pine nuts", "User is allergic to nuts"),
    ("Ann, twenty, and Tom, thirty, are friends", "Ann, thirty, and Tom, twenty, are friends"),
    ("User called Ann on Monday", "User named Ann on Monday"),
    ("Who ranks first: Rust, Go, Python in that order", "Who ranks first: Go, Rust, Python in that order"),
    ("name: Marlon", "name: Marvin"),
    ("User takes vitamin A every day", "User takes vitamin D every day"),
]


@pytest.mark.parametrize("pair", APART, ids=lambda pair: pair[0][:20])
def test_look_alikes_that_differ_in_what_they_say_never_merge(pair: tuple[str, str]) -> None:
    for said in (pair, pair[::-1]):
        assert len(dedupe(texts(*said), threshold=0.5).memories) == 2


NEAR = [
    ("User is working on the billing service with Tom.", "The user is working on the billing service with Tom."),
    ("User doesn't eat meat", "User does not eat meat"),
    ("User pays 1,450 € warm rent.", "The user pays 1450 € warm rent."),
    ("User has three cats and a dog", "User has 3 cats and a dog"),
    ("User's birthday is on 5 May 1990", "User's birthday is on May 5, 1990"),
    ("Has a dog called Rex", "Has a dog named Rex"),
    ("User likes tea, coffee and milk", "User likes milk, tea and coffee"),
    ("User's name is Anna Schmidt", "The user's name is Anna Schmidt"),
]


@pytest.mark.parametrize("pair", NEAR, ids=lambda pair: pair[0][:20])
def test_near_duplicates_merge_into_the_newer(pair: tuple[str, str]) -> None:
    for said in (pair, pair[::-1]):
        after = dedupe(texts(*said))
        assert ids(after) == ["b"]
        assert after.decisions["a"].reason.startswith("near-duplicate of a newer memory, 0.")
        assert len(dedupe(texts(*said), near=False).memories) == 2
        assert len(dedupe(texts(*said), threshold=1).memories) == 2


def test_a_text_that_says_more_is_not_dropped_for_a_newer_one_that_says_less() -> None:
    said = ("User likes ramen with egg and sushi", "User likes ramen with egg")
    assert len(dedupe(texts(*said)).memories) == 2
    assert len(dedupe(texts(*said), contained=True).memories) == 2
    assert len(dedupe(texts(*said[::-1])).memories) == 2
    assert ids(dedupe(texts(*said[::-1]), contained=True)) == ["b"]


def test_blank_memories_are_left_alone_and_counted() -> None:
    blank = [mem("", "a", 1), mem("   ", "b", 2), mem("\u200b", "c", 3), mem("", "d", 4), mem("Likes tea", "e", 5)]
    after = dedupe(blank)
    assert list(after.memories) == blank
    assert after.notes == ("4 blank memories left alone",)


def test_texts_of_marks_alone_merge_only_with_themselves() -> None:
    assert ids(dedupe(texts("?", "!", "...", "👍", "👎", "!", "。"))) == ["a", "c", "d", "e", "f", "g"]


# ------------------------------------------------------------------------------------------ feedback, agents and teams


def test_feedback_moves_to_what_stays() -> None:
    after = dedupe([mem("Likes tea", "old", 1, feedback="positive"), mem("Likes tea", "new", 2)])
    assert [(item.memory_id, item.feedback) for item in after.memories] == [("new", "positive")]
    assert "feedback" in after.decisions["new"].reason


def test_memories_whose_feedback_differs_stay_apart_and_are_counted() -> None:
    rows = [
        mem("Likes tea", "a", 1, feedback="negative"),
        mem("Likes tea", "b", 2, feedback="positive"),
        mem("The user likes tea", "c", 3, feedback="positive"),
        mem("Likes tea", "d", 4),
        mem("Likes tea", "e", 0, feedback=" "),
    ]
    after = dedupe(rows, near=False)
    assert [(item.memory_id, item.feedback) for item in after.memories] == [
        ("a", "negative"),
        ("c", "positive"),
        ("d", "positive"),
    ]
    assert after.notes == ("1 duplicate kept because of feedback that differs",)


def test_agents_and_teams_are_merged_across_unless_told_otherwise() -> None:
    rows = [
        mem("Likes tea", "a", 1, agent_id="x"),
        mem("Likes tea", "b", 2, agent_id="y"),
        mem("Likes tea", "c", 3, agent_id="y", team_id="t"),
    ]
    after = dedupe(rows)
    assert ids(after) == ["c"]
    assert after.memories[0].agent_id == "y"
    assert any("2 duplicates were of another agent or team" in note for note in after.notes)
    assert ids(dedupe(rows, group_by="agent")) == ["a", "c"]
    assert ids(dedupe(rows, group_by="team")) == ["b", "c"]
    assert ids(dedupe(rows, group_by="agent,team")) == ["a", "b", "c"]
    near = [mem("User prefers dark mode", "a", 1, agent_id="x"), mem("The user prefers dark mode", "b", 2, agent_id="y")]
    assert ids(dedupe(near)) == ["b"]
    assert ids(dedupe(near, group_by="agent")) == ["a", "b"]


def test_bad_options_are_refused() -> None:
    for bad in ({"threshold": "1.5"}, {"threshold": "x"}, {"near": "perhaps"}, {"group_by": "topic"}, {"nope": "1"}):
        with pytest.raises(UsageError):
            DedupeStrategy(**bad)


# ----------------------------------------------------------------------------------------------------------- properties

_SAID = [
    "User likes tea",
    "The user likes tea.",
    "user likes TEA",
    "User likes tea and milk",
    "User likes milk and tea",
    "User hates tea",
]
_SAID += [
    "User has 2 cats",
    "User has two cats",
    "The user has 3 cats",
    "User has two black cats",
    "The user has two cats!",
    "",
    "?",
    "用户喜欢茶",
]
_SAID += ["喜欢茶", "用户很喜欢茶。", "用户不喜欢茶", "User does not like tea", "User doesn't like tea"]

memories = st.lists(
    st.builds(
        lambda text, at, updated, topics, feedback, agent: {
            "memory": text,
            "created_at": at,
            "updated_at": updated,
            "topics": topics,
            "feedback": feedback,
            "agent_id": agent,
        },
        st.sampled_from(_SAID),
        st.sampled_from([None, 1, 2, 3, 4]),
        st.sampled_from([None, 2, 3, 5]),
        st.sampled_from([None, (), ("a",), ("b", "a")]),
        st.sampled_from([None, None, "good", "bad"]),
        st.sampled_from([None, "x", "y"]),
    ),
    max_size=10,
).map(lambda rows: [UserMemory(memory_id=f"m{place}", user_id="u", **row) for place, row in enumerate(rows)])
options = st.fixed_dictionaries(
    {
        "group_by": st.sampled_from(["none", "agent"]),
        "contained": st.booleans(),
        "near": st.booleans(),
        "threshold": st.sampled_from([0.5, 0.8]),
    }
)


@settings(deadline=None, max_examples=300)
@given(memories, options)
def test_a_second_run_changes_nothing(rows: list[UserMemory], chosen: dict[str, Any]) -> None:
    once = list(dedupe(rows, **chosen).memories)
    twice = list(dedupe(once, **chosen).memories)
    assert all(left is right for left, right in zip(once, twice, strict=True))


@settings(deadline=None, max_examples=300)
@given(memories, options, st.randoms(use_true_random=False))
def test_the_order_of_the_rows_does_not_matter(rows: list[UserMemory], chosen: dict[str, Any], chance: random.Random) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)

    def by_id(proposal: Proposal) -> list[Any]:
        return sorted(proposal.memories, key=lambda item: item.memory_id or "")

    left, right = dedupe(rows, **chosen), dedupe(shuffled, **chosen)
    assert by_id(left) == by_id(right)
    assert left.decisions == right.decisions


@settings(deadline=None, max_examples=300)
@given(memories, options)
def test_nothing_but_duplicates_goes_and_each_goes_into_something_that_stays(
    rows: list[UserMemory], chosen: dict[str, Any]
) -> None:
    after = dedupe(rows, **chosen)
    left = {item.memory_id: item for item in after.memories}
    before = {item.memory_id: item for item in rows}
    for memory_id, item in before.items():
        if memory_id in left:
            kept = left[memory_id]
            assert (kept.memory, kept.updated_at or kept.last_changed) == (item.memory, item.updated_at or item.last_changed)
            continue
        into = left[after.decisions[str(memory_id)].into]
        assert ("not" in item.memory or "n't" in item.memory) == ("not" in into.memory or "n't" in into.memory)
        assert ("hates" in item.memory) == ("hates" in into.memory)
        assert ("不" in item.memory) == ("不" in into.memory)
        assert ("3" in item.memory) == ("3" in into.memory)
        assert (into.last_changed is not None, into.last_changed or 0) >= (item.last_changed is not None, item.last_changed or 0)
        assert set(item.topics or ()) <= set(into.topics or ())
        assert item.feedback is None or item.feedback == into.feedback
        assert item.created_at is None or (into.created_at is not None and into.created_at <= item.created_at)


# ------------------------------------------------------------------------------------------------------------------ size


def test_huge_texts_and_large_groups_are_done_in_seconds() -> None:
    import time

    rows = [mem("^" * 1_000_000, "a", 1), mem("a" * 100_000, "b", 2), mem("a" * 100_001, "c", 3), mem("word " * 100_000, "d", 4)]
    rows += [mem("word " * 100_000 + "more", "e", 5), mem("^" * 1_000_000, "f", 6)]
    rows += [mem(f"User wants to learn {number:05} this quarter", f"x{number}", number) for number in range(5_000)]
    rows += [mem(f"User wants to learn {number * 7 % 1000:05} this quarter!", f"y{number}", number) for number in range(5_000)]
    start = time.process_time()
    after = dedupe(rows)
    assert time.process_time() - start < 30
    assert len(after.memories) == 5 + 5_000
