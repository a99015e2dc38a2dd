"""Searching a user's memories."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.retrieval import Index, Ranking
from memopt.retrieval.index import LONGEST_QUERY, PASSAGES, beginning, passages
from memopt.similarity.embed import local, unit

DAY = 86_400


class Letters:
    """An embedder that counts letters: quick, and a text's vector depends on that text alone."""

    name, dimensions = "letters", 128

    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked += texts
        out = np.zeros((len(texts), 128), dtype=np.float32)
        for row, text in enumerate(texts):
            for char in text.lower():
                out[row, ord(char) % 128] += char.isalnum()
        return unit(out)


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


def test_three_signals_are_scaled_and_weighed_as_it_says():
    index = Index(memories("Plays the guitar in Rome", "Plays chess", "Lives in Rome"), embedder=Letters())
    scored = index.scores("guitar in Rome")
    assert set(scored.weights) == {"semantic", "lexical", "entity"}
    assert scored.weights == {"semantic": 0.5, "lexical": 0.2, "entity": 0.3}
    for values in scored.scaled.values():
        assert values.min() == 0 and values.max() == 1
    fused = sum(scored.weights[name] * scored.scaled[name] for name in scored.weights)
    assert scored.fused == pytest.approx(fused)
    assert scored.share == 0 and scored.final == pytest.approx(fused)  # no memory has a date


def test_a_signal_that_tells_nothing_leaves_its_weight_to_the_others():
    scored = Index(memories("Plays the guitar", "Plays chess")).scores("guitar")
    assert scored.weights == pytest.approx({"lexical": 0.4, "entity": 0.6})
    (hit,) = Index(memories("Plays chess")).search("chess")
    assert hit.score == 1.0


def test_other_weights_rank_without_embedding_anew():
    embedder = Letters()
    index = Index(memories("abc abc", "abc xyz", "zzz"), embedder=embedder)
    asked = len(embedder.asked)
    other = index.under(Ranking(semantic=1, lexical=0, entity=0, k1=0.5))
    assert set(other.scores("abc").weights) == {"semantic"}
    assert len(embedder.asked) == asked + 1  # the query
    assert set(index.scores("abc").weights) == {"semantic", "lexical", "entity"}
    same = Index(index.memories, embedder=Letters(), ranking=Ranking(k1=0.5, b=0.1))
    assert index.under(Ranking(k1=0.5, b=0.1)).search("abc") == same.search("abc")


def test_other_half_lives_count_ages_anew():
    told = [UserMemory("Lives in Rome", "old", created_at=0), UserMemory("Lives in Rome", "new", created_at=30 * DAY)]
    index = Index(told)
    assert index.search("Rome")[1].parts["recency"] == pytest.approx(0.5)
    assert index.under(Ranking(half_life_days=15)).search("Rome")[1].parts["recency"] == pytest.approx(0.25)
    assert index.search("Rome")[1].parts["recency"] == pytest.approx(0.5)


def test_the_best_sentence_of_a_long_memory_counts():
    long = "She was told a long story about nothing much. Abc abc abc abc. Then there was some more of it, and more."
    scored = Index(memories(long, "no"), embedder=Letters()).scores("abc abc abc abc")
    assert scored.raw["semantic"][0] == pytest.approx(1.0, abs=1e-3)


def test_a_memory_of_thousands_of_sentences_is_cut_into_few_passages():
    embedder = Letters()
    Index(memories("This is one sentence. " * 5000), embedder=embedder)
    assert len(embedder.asked) <= PASSAGES + 1
    assert passages("One thing only") == ["One thing only"]


def test_equal_texts_are_embedded_once_and_progress_is_told():
    embedder, told = Letters(), []
    Index(memories(*["same thing"] * 50), embedder=embedder, told=lambda done, total: told.append((done, total)))
    assert embedder.asked == ["same thing"] and told[-1] == (1, 1)


def test_odd_texts_are_searched_like_any_other():
    odd = ["\x00\u200b", "half \ud83d", "a" * 10_000, "\n\n", "{'json': [1, 2]}", "🐶" * 100, "ﷺ"]
    index = Index([UserMemory(text) for text in odd], embedder=local())
    assert index.search("json")[0].memory.memory == odd[4]
    assert index.search("🐶")[0].memory.memory == odd[5]
    index.search("half \ud83d")


@given(st.lists(st.text("abc 猫犬.\n", max_size=12), max_size=8), st.text("abc 猫犬", min_size=1, max_size=8))
def test_the_order_is_that_of_the_scores_and_the_limit_only_cuts(texts, query):
    index = Index([UserMemory(text, f"{at}", created_at=at * DAY) for at, text in enumerate(texts)])
    if not query.strip():
        return
    hits = index.search(query, 100)
    assert [(-hit.score, hit.memory.memory_id) for hit in hits] == sorted((-hit.score, hit.memory.memory_id) for hit in hits)
    assert index.search(query, 2) == hits[:2]
    assert all(0 <= hit.score <= 1 for hit in hits)


@given(st.text("ab \n她👍", max_size=60), st.integers(0, 2_200))
def test_of_a_long_query_whole_words_of_its_beginning_are_looked_for(text, number):
    query = ("word " * 500)[:number] + text
    asked = beginning(query)
    assert len(asked) <= LONGEST_QUERY and query.strip().startswith(asked)
    if len(query.strip()) <= LONGEST_QUERY:
        assert asked == query.strip()
    elif len(asked) < LONGEST_QUERY:
        assert query.strip()[len(asked)].isspace()


def test_a_long_text_without_blanks_is_cut():
    assert beginning("她" * 3_000) == "她" * LONGEST_QUERY and beginning("x " + "y" * 3_000) == "x " + "y" * (LONGEST_QUERY - 2)


def test_what_stands_behind_the_beginning_of_a_query_changes_nothing():
    embedder = Letters()
    index = Index(memories("User likes jazz.", "User has a dog."), embedder=embedder)
    head = "jazz " + "filler " * 300
    assert [hit.score for hit in index.search(head + "dog " * 9_000)] == [hit.score for hit in index.search(head)]
    assert max(map(len, embedder.asked)) <= LONGEST_QUERY
