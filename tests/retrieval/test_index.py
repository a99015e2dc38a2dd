"""Searching a user's memories."""

import pytest

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.retrieval import Index, Ranking

DAY = 86_400


def memories(*texts, **fields):
    return [UserMemory(text, f"m{place}", **fields) for place, text in enumerate(texts)]


def found(index, query, limit=10):
    return [hit.memory.memory_id for hit in index.search(query, limit)]


def test_another_form_of_the_word_is_found():
    index = Index(memories("Enjoys hiking in the Alps", "Works as a nurse", "Has two cats"))
    assert found(index, "Where did they hike?") == ["m0"]
    assert found(index, "cat") == ["m2"]


def test_a_memory_that_has_nothing_in_common_is_not_found():
    assert found(Index(memories("Enjoys hiking", "Works as a nurse")), "guitar") == []


def test_an_empty_query_is_a_usage_error():
    for query in ("", "  \n", "\u200b"):
        with pytest.raises(UsageError, match="empty"):
            Index(memories("a")).search(query)
    with pytest.raises(UsageError, match="limit"):
        Index(memories("a")).search("a", 0)


def test_of_equal_scores_the_id_decides():
    same = [UserMemory("Likes tea", key) for key in ("c", "a", "b")]
    assert found(Index(same), "tea") == ["a", "b", "c"]
    assert found(Index(same), "tea", 2) == ["a", "b"]


def test_the_newer_one_wins_and_the_half_life_is_what_it_says():
    told = [UserMemory("Lives in Rome", "old", created_at=0), UserMemory("Lives in Rome", "new", created_at=30 * DAY)]
    new, old = Index(told, ranking=Ranking(half_life_days=30)).search("Rome")
    assert (new.memory.memory_id, old.memory.memory_id) == ("new", "old")
    assert new.parts["recency"] == 1.0 and old.parts["recency"] == pytest.approx(0.5)
    assert new.score - old.score == pytest.approx(0.25 * 0.5)


def test_an_undated_memory_is_taken_for_one_of_middle_age():
    told = [UserMemory("Rome", str(days), created_at=days * DAY) for days in (1, 10, 30)] + [UserMemory("Rome", "undated")]
    assert found(Index(told), "Rome") == ["30", "10", "undated", "1"]


def test_no_memories_are_no_hits():
    assert Index([]).search("anything") == []
    assert Index(memories("", "  ", "…")).search("anything") == []


@pytest.mark.parametrize("bad", [{"semantic": -1}, {"recency": 1.5}, {"b": 2}, {"half_life_days": 0}, {"k1": float("nan")}])
def test_a_weight_out_of_its_range_is_refused(bad):
    with pytest.raises(UsageError):
        Ranking(**bad)


def test_weights_that_are_all_zero_are_refused():
    with pytest.raises(UsageError, match="all 0"):
        Ranking(semantic=0, lexical=0, entity=0)
