"""The best memories within a budget."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.strategies.base import run
from memopt.strategies.budget import BudgetStrategy, parse_share
from memopt.strategies.tradeoff import trade_off
from memopt.tokens import TokenCounter

DAY = 86_400


def memory(number, text, **more):
    values = {"memory_id": f"m{number}", "user_id": "ann", "created_at": 1_700_000_000 + number * DAY, **more}
    return UserMemory(text, **values)


FACTS = [
    "Nora bought a cargo bike for 2,400 euros in March 2024.",
    "Nora's daughter Ines plays the viola in a youth orchestra.",
    "Nora ran a half marathon in 1:52:08 last autumn.",
    "Nora works as a nurse at the Charité.",
]
FEELINGS = [
    "Nora appreciates the support of the people around her.",
    "Nora believes in the importance of kindness and compassion.",
    "Nora feels grateful for the encouragement of her friends.",
    "Nora hopes to make a difference in the world.",
]


def mixed():
    return [memory(n, text) for n, text in enumerate(x for pair in zip(FEELINGS, FACTS, strict=True) for x in pair)]


def kept(memories, **options):
    return [item.memory for item in run(BudgetStrategy(**options), memories, None)[0].memories]


def proposal(memories, **options):
    return run(BudgetStrategy(**options), memories, None)[0]


@pytest.mark.parametrize("options", [{"max_memories": 4}, {"share": "60%"}, {"max_tokens": 65}])
def test_facts_stay_and_feelings_go(options):
    assert sorted(kept(mixed(), **options)) == sorted(FACTS)


@pytest.mark.parametrize("tokens", [1, 7, 12, 20, 33, 50, 90, 127])
def test_the_prompt_lines_fit_and_what_they_say_is_counted_as_the_plan_counts(tokens):
    left = proposal(mixed(), max_tokens=tokens).memories
    assert TokenCounter().figures(left).prompt <= tokens


def test_what_fits_is_left_alone_to_the_last_token_duplicates_too():
    memories = [*mixed(), memory(80, FACTS[0]), memory(81, FACTS[0])]
    whole = TokenCounter().figures(memories).prompt
    for options in ({"max_tokens": whole}, {"max_memories": len(memories)}, {"share": "100%"}):
        result = proposal(memories, **options)
        assert all(a is b for a, b in zip(result.memories, memories, strict=True))
        assert not result.decisions
    assert len(proposal(memories, max_tokens=whole - 1).memories) < len(memories)


def test_a_restatement_goes_before_a_fact_that_nobody_else_tells():
    memories = [
        memory(1, "Nora's son Pavel started school in Potsdam in August 2023."),
        memory(2, "Nora's son Pavel began school in Potsdam in August 2023."),
        memory(3, "Nora collects stamps."),
    ]
    result = proposal(memories, max_memories=2)
    assert {item.memory_id for item in result.memories} == {"m2", "m3"}
    decision = result.decisions["m1"]
    assert "m2" in decision.reason and "covered" in decision.reason
    assert decision.relies_on == ("m2",)


def test_a_duplicate_goes_into_the_newest_and_loses_nothing():
    memories = [memory(1, "Nora likes tea."), memory(2, "Nora likes tea."), memory(3, "Nora sold her car in May.")]
    result = proposal(memories, max_memories=2)
    assert [item.memory_id for item in result.memories] == ["m2", "m3"]
    assert (result.decisions["m1"].into, result.decisions["m1"].safe) == ("m2", True)


@pytest.mark.parametrize("more", [{"topics": ["drinks"]}, {"agent_id": "other"}, {"feedback": "good"}])
def test_a_duplicate_that_holds_more_than_its_text_is_a_judgement(more):
    memories = [memory(1, "Nora likes tea.", **more), memory(2, "Nora likes tea."), memory(3, "Nora likes jam.", **more)]
    result = proposal(memories, max_memories=2)
    for decision in result.decisions.values():
        assert not decision.safe


def test_the_same_words_the_other_way_round_are_no_duplicate():
    memories = [
        memory(1, "Tom called Ann on Monday."),
        memory(2, "Ann called Tom on Monday."),
        memory(3, "Ann called Tom on Monday."),
    ]
    result = proposal(memories, max_memories=2)
    assert {item.memory_id for item in result.memories} == {"m1", "m3"}


def test_the_same_said_of_two_people_is_no_restatement():
    memories = [
        memory(1, "Tom plays the viola in Potsdam."),
        memory(2, "Ann plays the viola in Potsdam."),
        memory(3, "Nora thinks that life is full of opportunities and meaning."),
    ]
    assert {item.memory_id for item in proposal(memories, max_memories=2).memories} == {"m1", "m2"}


def test_a_denial_does_not_stand_for_what_it_denies():
    memories = [
        memory(1, "Nora eats meat."),
        memory(2, "Omar does not eat fish."),
        memory(3, "Omar eats fish.", created_at=1_600_000_000),
    ]
    result = proposal(memories, max_memories=2)
    for decision in result.decisions.values():
        assert decision.into is None


def test_of_two_about_one_subject_the_newer_stays():
    for first, second in ((1, 2), (2, 1)):
        memories = [memory(first, "User lives in Shanghai, China."), memory(second, "User lives in Berlin, Germany.")]
        result = proposal(memories, max_memories=1)
        assert [item.memory_id for item in result.memories] == ["m2"]
        assert result.decisions["m1"].reason == "outdated by m2"
        assert result.decisions["m1"].relies_on == ("m2",)


def test_an_outdated_fact_does_not_fill_what_is_left_of_the_budget():
    memories = [
        memory(1, "User lives in Shanghai."),
        memory(2, "User lives in Berlin."),
        memory(3, "User's plan for the coming years is to write a long novel about the history of lighthouses in the north."),
    ]
    left = kept(memories, max_tokens=20)
    assert left == ["User lives in Berlin."]


def test_good_feedback_keeps_and_bad_feedback_lets_go():
    texts = ["Nora sold a lamp.", "Nora sold a vase.", "Nora sold a sofa."]
    plain = [memory(n, text, created_at=5) for n, text in enumerate(texts)]
    for place in range(3):
        liked = [item.but(feedback="very helpful") if n == place else item for n, item in enumerate(plain)]
        assert texts[place] in kept(liked, max_memories=1)
        blamed = [item.but(feedback="this is wrong") if n == place else item for n, item in enumerate(plain)]
        assert texts[place] not in kept(blamed, max_memories=2)
        assert kept(blamed, max_memories=2, feedback=0) == kept(plain, max_memories=2)


def test_what_hurts_when_it_is_forgotten_stays_longest():
    memories = [
        memory(n, text) for n, text in enumerate([*FACTS, "Nora is allergic to penicillin.", "User's name is Nora Weiss."])
    ]
    assert set(kept(memories, max_memories=2)) == {"Nora is allergic to penicillin.", "User's name is Nora Weiss."}


def test_chinese_memories_are_weighed_too():
    memories = [
        memory(1, "小李认为支持和鼓励非常重要。"),
        memory(2, "小李上周买了一辆自行车。"),
        memory(3, "小李珍惜生活中的幸福时刻。"),
        memory(4, "小李对花生过敏。"),
    ]
    assert {item.memory_id for item in proposal(memories, max_memories=2).memories} == {"m2", "m4"}


def test_protected_memories_stay_first_and_take_their_room():
    memories = [item.but(protected="topic:x") if item.memory in FEELINGS[:2] else item for item in mixed()]
    result = proposal(memories, max_memories=3)
    texts = [item.memory for item in result.memories]
    assert set(FEELINGS[:2]) < set(texts) and len(texts) == 3
    assert any("2 protected memories stay in any case" in note for note in result.notes)


@pytest.mark.parametrize("options", [{"max_memories": 1}, {"max_tokens": 10}])
def test_protected_memories_that_exceed_the_budget_stay_and_it_is_said(options):
    memories = [item.but(protected="topic:x") if item.memory in FEELINGS[:2] else item for item in mixed()]
    result = proposal(memories, **options)
    assert [item.memory for item in result.memories] == FEELINGS[:2]
    assert any("alone take" in note and "nothing else does" in note for note in result.notes)
    again = proposal(result.memories, **options)
    assert list(again.memories) == list(result.memories)


def test_blank_memories_are_left_alone():
    memories = [*mixed(), memory(90, ""), memory(91, "\u200b")]
    assert {"m90", "m91"} <= {item.memory_id for item in proposal(memories, max_memories=3).memories}


def test_every_dropped_memory_says_why():
    reasons = {d.reason for d in proposal(mixed(), max_memories=2).decisions.values()}
    assert any("a feeling or an opinion" in reason for reason in reasons)
    assert any("tells less for its" in reason for reason in reasons)
    assert len(proposal(mixed(), max_memories=2).decisions) == 6


def test_kept_memories_are_the_very_same_objects_in_their_order():
    memories = mixed()
    left = proposal(memories, max_memories=3).memories
    places = [next(n for n, item in enumerate(memories) if item is one) for one in left]
    assert places == sorted(places)


@pytest.mark.parametrize("options", [{"max_memories": 3}, {"max_tokens": 60}, {"share": "40%"}])
def test_the_order_of_the_rows_decides_nothing(options):
    memories = [*mixed(), *(item.but(memory_id=f"x{n}", created_at=None) for n, item in enumerate(mixed()))]
    expected = proposal(memories, **options)
    for seed in range(5):
        other = memories[:]
        random.Random(seed).shuffle(other)
        found = proposal(other, **options)
        assert {item.memory_id for item in found.memories} == {item.memory_id for item in expected.memories}
        assert found.decisions == expected.decisions


def test_of_equal_ones_the_order_of_the_rows_decides_nothing_either():
    things = "lamp vase sofa desk rug bed chair mirror shelf clock".split()
    memories = [memory(n, f"Nora sold a {thing}.", created_at=5) for n, thing in enumerate(things)]
    sets = set()
    for seed in range(8):
        other = memories[:]
        random.Random(seed).shuffle(other)
        sets.add(frozenset(kept(other, max_memories=4)))
    assert len(sets) == 1


@pytest.mark.parametrize("options", [{"max_memories": 3}, {"max_tokens": 60}])
def test_a_second_run_changes_nothing(options):
    once = proposal(mixed(), **options).memories
    assert list(proposal(once, **options).memories) == list(once)


def test_a_share_says_that_another_run_would_take_the_share_of_the_rest():
    assert any("another run" in note for note in proposal(mixed(), share="50%").notes)


def test_a_share_never_leaves_nothing():
    result = proposal(mixed(), share="1%")
    assert len(result.memories) == 1
    assert result.memories[0].memory in FACTS
    assert any("the one that tells most stays" in note for note in result.notes)
    assert len(proposal(mixed()[:1], share="50%").memories) == 1


@pytest.mark.parametrize(
    ("text", "value"), [("50%", 0.5), ("0.5", 0.5), (" 33.3 % ", 0.333), ("100%", 1.0), ("1", 1.0), ("50％", 0.5), (".25", 0.25)]
)
def test_shares_are_read(text, value):
    assert parse_share(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["0", "0%", "-5%", "", "%", "half", "101%", "50", "1e-1", "nan", "inf", "5 0%", "1,5%"])
def test_shares_that_mean_nothing_or_two_things_are_refused(text):
    with pytest.raises(UsageError, match="share"):
        BudgetStrategy(share=text)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"max_tokens": 0},
        {"max_tokens": -1},
        {"max_memories": 0},
        {"max_tokens": 10, "share": "50%"},
        {"max_tokens": 10, "max_memories": 5},
        {"max_memories": 5, "specificity": -1},
        {"max_memories": 5, "recency": "nan"},
    ],
)
def test_exactly_one_limit_and_no_useless_one(options):
    with pytest.raises(UsageError, match="budget"):
        BudgetStrategy(**options)


def test_weights_turn_a_side_off():
    long = "Nora appreciates gardening, baking, pottery, poetry, chess, jazz, trains, maps, kites, moss and fog."
    short = "Nora bought a bike."
    memories = [memory(1, long), memory(2, short)]
    assert kept(memories, max_memories=1, redundancy=0) == [short]
    assert kept(memories, max_memories=1, specificity=0) == [long]
    twice = [
        memory(1, "Nora bought a red lamp in May."),
        memory(2, "Nora bought a red lamp in May, too."),
        memory(3, "Nora hums."),
    ]
    assert "Nora hums." in kept(twice, max_memories=2)
    assert "Nora hums." not in kept(twice, max_memories=2, redundancy=0)
    moved = [memory(1, "Nora lives in Shanghai, near the Bund."), memory(2, "Nora lives in Berlin.")]
    assert kept(moved, max_memories=1) == [moved[1].memory]
    assert kept(moved, max_memories=1, recency=0) == [moved[0].memory]


def test_ten_times_the_memories_take_about_ten_times_as_long():
    def seconds(size):
        chance = random.Random(size)
        words = [f"w{chance.randrange(5000)}" for _ in range(size * 8)]
        memories = [memory(n, f"User saw {' '.join(words[n * 8 : n * 8 + 8])} and left {n}.") for n in range(size)]
        memories += [memory(size + n, "User wants to learn Go this quarter.") for n in range(size // 2)]
        start = time.process_time()
        run(BudgetStrategy(share="50%"), memories, None)
        return time.process_time() - start

    seconds(50)
    assert seconds(1500) < 40 * seconds(150)


def test_the_curve_is_what_the_strategy_keeps():
    memories = [*mixed(), memory(80, FACTS[0])]
    counter = TokenCounter()
    whole = counter.figures(memories).prompt
    budgets = [whole, whole // 2, whole // 4, 1]
    points = list(trade_off(memories, budgets, counter))
    for budget, point in zip(budgets, points, strict=True):
        left = proposal(memories, max_tokens=budget).memories
        assert (point.budget, point.memories) == (budget, len(left))
        assert point.tokens == counter.figures(left).prompt
    assert (points[0].worth, points[0].facts) == (1.0, 1.0)
    assert (points[-1].worth, points[-1].memories) == (0.0, 0)
    assert [p.worth for p in points] == sorted((p.worth for p in points), reverse=True)
    assert all(point.facts is None for point in trade_off(memories, budgets, counter, verified=False))


def test_what_a_share_keeps_does_not_hang_on_which_row_stands_last():
    told = [("User lives in Berlin.", 1), ("user likes tea", 2), ("User pays 1450 EUR rent.", 3), ("User lives in Berlin.", 4)]
    memories = [memory(n, text) for text, n in told]
    kept_of = {
        tuple(sorted(item.memory_id for item in run(BudgetStrategy(share="60%"), order, None)[0].memories))
        for order in itertools.permutations(memories)
    }
    assert len(kept_of) == 1
