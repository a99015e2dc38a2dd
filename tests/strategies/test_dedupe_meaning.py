"""dedupe -o semantic=true: paraphrases, found by an embedder and let through by a guard."""

import random

import pytest

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.similarity.embed import unit
from memopt.strategies.base import run
from memopt.strategies.dedupe import DedupeStrategy
from memopt.strategies.meaning import choose, one_of_each, survey

DAY = 86_400


def mem(text, memory_id, at=0, **more):
    return UserMemory(text, memory_id, user_id="u", created_at=at, updated_at=at, **more)


def texts(*said):
    return [mem(text, chr(97 + place), DAY * (place + 1)) for place, text in enumerate(said)]


def dedupe(memories, **options):
    return run(DedupeStrategy(semantic=True, **options), memories, None)[0]


def ids(proposal):
    return [item.memory_id for item in proposal.memories]


def test_of_two_paraphrases_the_newer_stays_and_the_other_tells_how_close_it_was():
    after = dedupe(texts("User bought a car", "User likes tea", "User purchased an automobile"))
    assert ids(after) == ["b", "c"]
    decision = after.decisions["a"]
    assert decision.into == "c" and decision.relies_on == ("c",) and not decision.safe
    assert decision.reason.startswith("says the same as a newer memory in other words, 0.9")
    assert any("use-multilingual from 0.8 on: 1 paraphrase found" in note for note in after.notes)


def test_without_the_option_paraphrases_stay_and_no_embedder_is_loaded(monkeypatch):
    monkeypatch.setattr("memopt.strategies.meaning.local", lambda name: pytest.fail("loaded"))
    said = texts("User bought a car", "User purchased an automobile")
    assert ids(run(DedupeStrategy(), said, None)[0]) == ["a", "b"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User plays the flute", "User plays the guitar"),
        ("User likes jazz", "User does not like jazz"),
        ("User started smoking", "User stopped smoking"),
        ("User has 2 dogs and 3 cats", "User has 3 dogs and 2 cats"),
        ("User's sister is a doctor", "User's brother is a doctor"),
        ("User moved to Berlin", "User moved from Berlin"),
        ("用户养了一只猫", "用户养了一只狗"),
    ],
)
def test_contradictions_stay_two_however_close_they_are(one, other):
    assert len(dedupe(texts(one, other), semantic_threshold=0.3).memories) == 2


def test_chinese_paraphrases_are_found():
    assert ids(dedupe(texts("用户住在上海", "用户喜欢喝茶", "用户在上海居住"))) == ["b", "c"]


def test_the_threshold_decides():
    said = texts("User bought a car", "User purchased an automobile")
    assert len(dedupe(said, semantic_threshold=0.99).memories) == 2
    assert len(dedupe(said, semantic_threshold=0.5).memories) == 1


def test_the_newer_may_say_more_only_where_that_was_asked_for():
    said = texts(
        "Maria volunteers at a homeless shelter.", "Maria volunteers at a homeless shelter and is driven to make a difference."
    )
    assert len(dedupe(said).memories) == 2
    assert ids(dedupe(said, contained=True)) == ["b"]
    assert len(dedupe(texts(said[1].memory, said[0].memory), contained=True).memories) == 2  # the newer one says less


def test_groups_are_no_chains():
    """Each is held against the one that stays: the middle one goes into the newest, the oldest is only like the middle one."""

    class Line:
        name, dimensions = "line", 2

        def embed(self, said):
            angles = {"user owns a car": 0.0, "user has a car": 0.5, "user possesses a car": 1.0}
            import math

            return unit([[math.cos(angles.get(text, 0.0)), math.sin(angles.get(text, 0.0))] for text in said])

    strategy = DedupeStrategy(semantic=True, semantic_threshold=0.8)
    strategy.embedder = Line()
    after = run(strategy, texts("User owns a car", "User has a car", "User possesses a car"), None)[0]
    assert ids(after) == ["a", "c"]
    assert after.decisions["b"].into == "c"


def test_feedback_that_differs_keeps_paraphrases_apart_and_is_counted():
    after = dedupe(
        [mem("User bought a car", "a", 1, feedback="good"), mem("User purchased an automobile", "b", 2, feedback="bad")]
    )
    assert ids(after) == ["a", "b"]
    assert any("1 duplicate kept because of feedback" in note for note in after.notes)


def test_agents_keep_paraphrases_apart_where_that_was_asked_for():
    said = [mem("User bought a car", "a", 1, agent_id="x"), mem("User purchased an automobile", "b", 2, agent_id="y")]
    assert len(dedupe(said, group_by="agent").memories) == 2
    assert len(dedupe(said).memories) == 1


def test_what_had_gone_into_a_paraphrase_goes_with_it():
    after = dedupe(texts("User bought a car", "user bought a car!", "User purchased an automobile"))
    assert ids(after) == ["c"]
    assert after.decisions["a"].into == after.decisions["b"].into == "c"
    assert after.memories[0].created_at == DAY


def test_a_second_run_finds_nothing_and_the_order_of_rows_does_not_matter():
    said = texts(
        "User bought a car", "User purchased an automobile", "User has two kids", "User has two children", "User likes tea",
        "User is scared of spiders", "User is afraid of spiders", "User has three kids", "用户喜欢喝茶", "用户爱喝茶",
    )  # fmt: skip
    first = dedupe(said)
    assert len(first.memories) == 6
    again = dedupe(first.memories)
    assert list(again.memories) == list(first.memories) and not again.decisions
    for seed in range(5):
        shuffled = random.Random(seed).sample(said, len(said))
        assert {item.memory_id for item in dedupe(shuffled).memories} == {item.memory_id for item in first.memories}


class Unknown:
    name, dimensions = "somebodys-model", 2

    def embed(self, said):
        return unit([[1.0, 0.0] for _ in said])


def test_an_embedder_that_is_not_known_needs_a_threshold():
    strategy = DedupeStrategy(semantic=True)
    strategy.embedder = Unknown()
    with pytest.raises(UsageError, match="semantic-threshold"):
        run(strategy, texts("User likes tea", "User likes rice"), None)


def test_an_embedder_that_finds_everything_the_same_merges_no_different_facts():
    strategy = DedupeStrategy(semantic=True, semantic_threshold=0.9)
    strategy.embedder = Unknown()
    said = texts("User likes tea", "User likes rice", "User lives in Oslo", "User lives in Rome", "User has 2 dogs")
    assert len(run(strategy, said, None)[0].memories) == 5


def test_a_name_that_is_no_local_embedder_names_the_flag():
    with pytest.raises(UsageError, match="--embedding-model"):
        dedupe(texts("User likes tea"), embedding_model="text-embedding-3-small")


def test_a_survey_tells_the_pairs_around_a_threshold_with_reasons():
    said = texts(
        "User bought a car", "user bought a car!", "User purchased an automobile", "User likes jazz", "User does not like jazz"
    )
    told = one_of_each(said)
    assert len(told) == 4
    pairs = survey(told, choose(None, "use-multilingual", None), 0.6)
    verdicts = {(pair.newer.memory_id, pair.older.memory_id): pair.apart for pair in pairs}
    assert verdicts[("c", "b")] is None
    assert verdicts[("e", "d")] == "a denial on one side"
    assert [pair.score for pair in pairs] == sorted((pair.score for pair in pairs), reverse=True)
