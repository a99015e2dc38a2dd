"""A plain statement in other words is found by its meaning; nothing else ever is."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest
from support.agnofile import make_store, row

from memopt.errors import ModelError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.plan import Plan
from memopt.similarity.embed import local
from memopt.strategies.meaning import choose
from memopt.strategies.summarize import SummarizeStrategy
from memopt.testing import ScriptedModel
from memopt.verify import verify
from memopt.verify.meaning import Meanings, opposed, pieces

TEXTS = [
    "User gets seasick.",
    "User lives in Bern and works as a nurse at Inselspital.",
    "User is allergic to peanuts and paid 1,450 euros for a bike.",
    "User has a dog called Rex, and the dog called Rex is old.",
]
SUMMARY = (
    "The user lives in Bern, works as a nurse at Inselspital, is allergic to peanuts, paid 1,450 euros for a bike and has an old "
    "dog called Rex. Boats make the user sick."
)


def meanings():
    return Meanings(choose(None, "use-multilingual", 0.7))


def both(source, rewrite, **more):
    return verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="b")], **more)


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [("User gets seasick.", "Boats make the user sick."), ("用户丧偶。", "用户的配偶已经亡故。")],
)
def test_a_paraphrase_without_a_common_word_is_found_by_meaning(source, rewrite):
    assert not both(source, rewrite).passed
    report = both(source, rewrite, meanings=meanings())
    assert report.passed and report.retention == 1.0
    assert report.by_meaning and {item.side for item in report.by_meaning} <= {"lost", "invented"}
    assert all(0.7 < item.score <= 1 and item.fact and item.nearest for item in report.by_meaning)


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("User gets seasick.", "Boats do not make the user sick."),
        ("User gets seasick.", "Boats make Tom sick."),
        ("User's sister gets seasick.", "Boats make the user's brother sick."),
        ("User has three cats.", "The user owns four cats."),
        ("User moved to Bern in 2019.", "In 2021 the user relocated to Bern."),
        ("User plays the violin.", "The user plays the cello."),
        ("User is studying to become a nurse.", "The user is not in nursing school."),
        ("用户没有驾照。", "用户拿到了驾驶证。"),
    ],
)
def test_what_contradicts_is_never_excused_however_close_it_is(source, rewrite):
    loose = Meanings(choose(None, "use-multilingual", 0.3))
    report = both(source, rewrite, meanings=loose)
    assert not report.passed


def test_without_an_embedder_nothing_is_excused_and_the_report_is_as_before():
    report = both("User gets seasick.", "Boats make the user sick.")
    assert report.by_meaning == () and report.to_dict()["by_meaning"] == []


@pytest.mark.parametrize(
    ("fact", "other", "why"),
    [
        ("the user's mother is ill", "the user's father is ill", "people"),
        ("the user may move", "the user moves", "doubt"),
        ("Anna likes tea", "Bella likes tea", "Anna"),
        ("the user likes dogs", "the user does not like dogs", "denial"),
        ("the user was once a judge", "the user is a judge", "denial"),
        ("the shop is cheap", "the shop is expensive", "opposites"),
        ("用户的姐姐是护士", "用户的妹妹是护士", "opposites"),
    ],
)
def test_what_speaks_against_two_close_texts_is_said(fact, other, why):
    assert why in (opposed(fact, other, fact) or "")


def test_a_sentence_is_compared_whole_and_by_its_clauses():
    assert pieces("The user sings, and her brother paints.") == (
        "The user sings, and her brother paints",
        "The user sings",
        "and her brother paints",
    )


class Counting:
    """The local embedder, with how often and in which threads it was asked."""

    name = "use-multilingual"
    dimensions = 512

    def __init__(self):
        self.texts: list[str] = []
        self.threads: set[int] = set()

    def embed(self, texts):
        self.texts += texts
        self.threads.add(threading.get_ident())
        return local().embed(texts)


class Failing(Counting):
    def embed(self, texts):
        raise ModelError("the embedder is gone")


def strategy(embedder=None, **options):
    made = SummarizeStrategy(semantic=True, min_saving=0, **options)
    made.embedder = embedder
    return made


@pytest.fixture
def path(tmp_path):
    return make_store(tmp_path / "a.db", [row(f"m{n}", text, at=86_400 * n) for n, text in enumerate(TEXTS)])


@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_summary_is_checked_by_meaning_where_that_was_asked_for(path, way):
    def plan(made):
        manager = MemoryManager(path, model=ScriptedModel(SUMMARY))
        if way == "sync":
            return manager.optimize_memories("u1", made)
        return asyncio.run(manager.aoptimize_memories("u1", made))

    (before,) = plan(SummarizeStrategy(min_saving=0)).verification["reports"]
    assert [item["memory_id"] for item in before["lost"]] == ["m0"] and before["by_meaning"] == []
    (after,) = plan(strategy()).verification["reports"]
    assert after["lost"] == [] and after["invented"] == [] and after["retention"] == 1.0
    assert {(item["side"], item["memory_id"]) for item in after["by_meaning"]} >= {("lost", "m0")}


def test_the_plan_keeps_what_was_excused(path):
    plan = MemoryManager(path, model=ScriptedModel(SUMMARY)).optimize_memories("u1", strategy())
    again = Plan.from_dict(plan.to_dict())
    assert again.verification == plan.verification


def test_no_text_is_embedded_twice(path):
    embedder = Counting()
    MemoryManager(path, model=ScriptedModel(SUMMARY)).optimize_memories("u1", strategy(embedder))
    assert embedder.texts and len(embedder.texts) == len(set(embedder.texts))


def test_an_embedder_is_asked_beside_the_event_loop(path):
    embedder = Counting()

    async def go():
        await MemoryManager(path, model=ScriptedModel(SUMMARY)).aoptimize_memories("u1", strategy(embedder))
        return threading.get_ident()

    assert embedder.threads == set() and asyncio.run(go()) not in embedder.threads and embedder.threads


def test_an_embedder_that_fails_fails_the_run_and_writes_nothing(path):
    before = path.read_bytes()
    with pytest.raises(ModelError, match="the embedder is gone"):
        MemoryManager(path, model=ScriptedModel(SUMMARY)).optimize_memories("u1", strategy(Failing()), apply=True)
    assert path.read_bytes() == before


def test_many_sentences_are_only_compared_where_words_are_shared(monkeypatch):
    import memopt.verify.meaning as meaning

    monkeypatch.setattr(meaning, "MOST", 1)
    found = meanings()
    sources = [UserMemory("User gets seasick.", memory_id="a"), UserMemory("User likes tea.", memory_id="b")]
    report = verify(sources, [UserMemory("Boats make the user sick. The user likes tea. The user likes tea a lot.")], found)
    assert [item.memory_id for item in report.lost] == ["a"]


def test_vectors_need_not_come_from_memopt():
    class Same:
        threshold = 0.5

        def vectors(self, texts):
            return np.ones((len(texts), 1), dtype=np.float32)

    assert both("User gets seasick.", "Boats make the user sick.", meanings=Meanings(Same())).passed
    assert not both("User gets seasick.", "Boats never make the user sick.", meanings=Meanings(Same())).passed
