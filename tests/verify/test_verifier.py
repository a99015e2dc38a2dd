"""One verifier for several rewrites, and what is remembered between them."""

from memopt.memory import UserMemory
from memopt.verify import Verifier, verify

SOURCES = (
    UserMemory("User is allergic to peanuts.", "a", created_at=1_700_000_000),
    UserMemory("User rents a flat in Bergen.", "b", created_at=1_700_100_000),
)
WHOLE = [UserMemory("User is allergic to peanuts. User rents a flat in Bergen.", "rewrite")]


def test_the_answer_to_one_question_is_not_given_to_another():
    assert verify(SOURCES, WHOLE).passed
    others = (SOURCES[0].but(memory="User is allergic to shrimp."), SOURCES[1])
    assert [item.memory_id for item in verify(others, WHOLE).lost] == ["a"]
    renamed = (others[0].but(memory_id="c"), SOURCES[1])
    assert [item.memory_id for item in verify(renamed, WHOLE).lost] == ["c"]
    assert not verify(SOURCES, [WHOLE[0].but(memory="User is allergic to peanuts.")]).passed
    assert verify(SOURCES, WHOLE).passed


def test_the_day_of_writing_is_part_of_the_question():
    source = UserMemory("User flies to Oslo tomorrow.", "a", created_at=1_736_553_600)  # 11 January 2025
    rewrite = [UserMemory("User flies to Oslo on 12 January 2025.")]
    assert verify([source], rewrite).passed
    later = source.but(created_at=1_739_145_600, updated_at=None)
    assert not verify([later], rewrite).passed


def test_what_is_remembered_stays_small():
    from memopt.verify import check

    for number in range(3 * check._REMEMBERED):
        verify(SOURCES, [UserMemory(f"User rents a flat in Bergen, number {number}.")])
    assert len(check._LAST) <= check._REMEMBERED


def test_only_the_memories_asked_for_are_looked_for():
    verifier = Verifier(SOURCES)
    empty = [UserMemory("User likes tea.")]
    assert [item.index for item in verifier.lost_of(empty, {1})] == [1]
    assert [item.index for item in verifier.lost_of(empty, {0, 1})] == [0, 1]
    assert verifier.lost_of(WHOLE, {0, 1}) == ()
