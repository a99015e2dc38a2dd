"""BM25 agrees with an independent implementation, on the facts and questions of FactConsolidation."""

import json
import math

import numpy as np
import pytest
from rank_bm25 import BM25Okapi, BM25Plus
from support.agnofile import REPO

from memopt.memory import UserMemory
from memopt.retrieval import Index, Ranking
from memopt.retrieval.index import BM25
from memopt.retrieval.terms import Terms

BENCH = REPO / "fixtures" / "bench"


class Lucene(BM25Okapi):
    """rank-bm25 with the idf of Lucene; everything else is its own."""

    def _calc_idf(self, nd):
        self.idf = {word: math.log(1 + (self.corpus_size - n + 0.5) / (n + 0.5)) for word, n in nd.items()}


@pytest.fixture(scope="module")
def facts():
    def rows(name):
        return [json.loads(line) for line in (BENCH / name).read_text(encoding="utf-8").splitlines()]

    memories = [UserMemory(row["memory"], row["memory_id"]) for row in rows("factconsolidation_memories.jsonl")]
    return memories, [row for row in rows("factconsolidation_questions.jsonl") if row["evidence_memory_ids"]]


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.3), (2.0, 0.0), (1.2, 1.0)])
def test_every_score_is_that_of_rank_bm25(facts, k1, b):
    memories, questions = facts
    terms = Terms()
    texts = [terms.of_text(item.memory) for item in memories]
    ours, theirs = BM25(texts, k1, b), Lucene(texts, k1=k1, b=b)
    for question in questions:
        words = terms.of_query(question["question"])
        # Okapi's numerator has a factor k1 + 1 that Lucene leaves out: it moves no memory
        assert np.allclose(ours.scores(words) * (k1 + 1), theirs.get_scores(words), atol=1e-9)


def test_recall_is_that_of_rank_bm25_to_the_third_decimal(facts):
    memories, questions = facts
    terms = Terms()
    theirs = Lucene([terms.of_text(item.memory) for item in memories])
    index = Index(memories, ranking=Ranking(semantic=0, entity=0, recency=0))
    mine, other = [], []
    for question in questions:
        wanted = set(question["evidence_memory_ids"])
        scores = theirs.get_scores(terms.of_query(question["question"]))
        order = sorted(range(len(memories)), key=lambda at, scores=scores: (-round(scores[at], 9), memories[at].memory_id))
        best = {memories[at].memory_id for at in order[:10] if scores[at] > 0}  # what scores nothing is not found
        found = {hit.memory.memory_id for hit in index.search(question["question"], 10)}
        mine.append(len(found & wanted) / len(wanted))
        other.append(len(best & wanted) / len(wanted))
    assert sum(mine) / len(mine) == pytest.approx(sum(other) / len(other), abs=0.0005)
    assert 0.3 < sum(mine) / len(mine) < 1


def test_another_variant_would_not_pass(facts):
    memories, _ = facts
    texts = [item.memory.lower().split() for item in memories]
    query = facts[1][0]["question"].lower().split()
    ours = BM25(texts).scores(query) * 2.5
    assert not np.allclose(ours, BM25Okapi(texts).get_scores(query), atol=1e-3)
    assert not np.allclose(ours, BM25Plus(texts).get_scores(query), atol=1e-3)


def test_unknown_words_and_empty_texts_score_nothing():
    assert BM25([["a"], []]).scores(["b"]).tolist() == [0, 0]
    assert BM25([["a"], []]).scores(["a"])[1] == 0
    assert BM25([[], []]).scores(["a"]).tolist() == [0, 0]
    assert BM25([]).scores(["a"]).tolist() == []
