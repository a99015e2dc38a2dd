"""The contract of a strategy, held against the built-in ones."""

from __future__ import annotations

import pytest

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.strategies.base import MemoryOptimizationStrategy, Proposal, option
from memopt.strategies.budget import BudgetStrategy
from memopt.strategies.dedupe import DedupeStrategy
from memopt.strategies.forget import ForgetStrategy
from memopt.strategies.recent import RecentOnlyStrategy
from memopt.strategies.retain import RetainStrategy
from memopt.strategies.summarize import SummarizeStrategy
from memopt.strategies.supersede import SupersedeStrategy
from memopt.strategies.tidy import TidyStrategy
from memopt.testing import StrategyContract


class TestRecent(StrategyContract):
    def make_strategy(self):
        return RecentOnlyStrategy(keep=2)


class TestRecentOfOne(StrategyContract):
    def make_strategy(self):
        return RecentOnlyStrategy(keep=1)


class TestDedupe(StrategyContract):
    def make_strategy(self):
        return DedupeStrategy()


class TestDedupeByMeaning(StrategyContract):
    def make_strategy(self):
        return DedupeStrategy(semantic=True)


class TestSummarize(StrategyContract):
    def make_strategy(self):
        return SummarizeStrategy()


class TestForget(StrategyContract):
    def make_strategy(self):
        return ForgetStrategy(about="the cello")


class TestRetain(StrategyContract):
    def make_strategy(self):
        strategy = RetainStrategy(keep_last=1, keep_daily=2, keep_within="36h")
        strategy.now = 1_750_000_000
        return strategy


class TestRetainByTopic(StrategyContract):
    def make_strategy(self):
        strategy = RetainStrategy(keep_monthly=1, keep_topic="pets", keep_match="tea", group_by="topic,agent")
        strategy.now = 1_750_000_000
        return strategy


class TestSupersede(StrategyContract):
    def make_strategy(self):
        return SupersedeStrategy()


class TestSupersedeWithoutHistory(StrategyContract):
    def make_strategy(self):
        return SupersedeStrategy(history="drop", loose="true")


class TestSupersedeWithAModel(StrategyContract):
    def make_strategy(self):
        return SupersedeStrategy(ask=True)


class TestTidy(StrategyContract):
    def make_strategy(self):
        return TidyStrategy()


class TestTidyOfAll(StrategyContract):
    def make_strategy(self):
        return TidyStrategy(drop="blank,answers,logs,prompts,data,placeholders,secrets,cards")


class TestBudgetOfTokens(StrategyContract):
    def make_strategy(self):
        return BudgetStrategy(max_tokens=20)


class TestBudgetOfMemories(StrategyContract):
    def make_strategy(self):
        return BudgetStrategy(max_memories=2)


class TestBudgetOfAShare(StrategyContract):
    idempotent = False  # half of the half is another half

    def make_strategy(self):
        return BudgetStrategy(share="90%")


class Lossy(MemoryOptimizationStrategy):
    """Breaks the contract in a chosen way."""

    name = "lossy"
    summary = "breaks the contract"

    def __init__(self, how):
        super().__init__()
        self.how = how

    def steps(self, memories):
        if self.how == "silent":
            return list(memories[1:])
        if self.how == "mutates":
            memories.clear()
            return []
        if self.how == "foreign":
            return [item.but(user_id="eve") for item in memories]
        return Proposal([item.but(memory=item.memory + "!") for item in memories])


@pytest.mark.parametrize(
    ("how", "test"),
    [
        ("silent", "test_its_result_is_one_that_diff_takes_and_each_change_has_a_reason"),
        ("mutates", "test_it_leaves_the_list_it_was_given_alone"),
        ("foreign", "test_no_memory_of_nobody_and_nobody_elses"),
        ("restless", "test_a_second_run_changes_nothing"),
    ],
)
def test_the_contract_notices_a_strategy_that_breaks_it(how, test):
    class Broken(StrategyContract):
        def make_strategy(self):
            return Lossy(how)

    memories = [UserMemory(f"fact {n}", f"m{n}", user_id="ann", created_at=n) for n in range(3)]
    with pytest.raises(AssertionError):
        getattr(Broken(), test)(memories)


def test_options_that_are_required_are_asked_for():
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Options:
        size: int = option(..., "how big")

    class Sized(Lossy):
        name = "sized"

    Sized.Options = Options
    with pytest.raises(UsageError, match="needs the option size \\(how big\\)"):
        MemoryOptimizationStrategy.__init__(Sized.__new__(Sized))
