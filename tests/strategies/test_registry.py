"""Strategies by name, and options in every form they may be given."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest
from support.agnofile import clean_environment

from memopt.errors import UsageError
from memopt.strategies.base import MemoryOptimizationStrategy, option
from memopt.strategies.registry import (
    MemoryOptimizationStrategyFactory,
    MemoryOptimizationStrategyType,
    make_chain,
    names,
    strategy_class,
)


def test_every_name_is_a_type_and_leads_to_a_class_of_that_name():
    assert set(names()) == {item.value for item in MemoryOptimizationStrategyType}
    for name in names():
        assert strategy_class(name).name == name
        assert strategy_class(name).summary
    made = MemoryOptimizationStrategyFactory.create_strategy(MemoryOptimizationStrategyType.RECENT, keep=3)
    assert type(made) is strategy_class("recent") and made.options.keep == 3


@pytest.mark.parametrize("name", ["", "nope", "Recent", "recent ", "summarise"])
def test_an_unknown_name_lists_the_known_ones(name):
    with pytest.raises(UsageError, match=r"dedupe.*recent.*summarize"):
        strategy_class(name)


def test_listing_imports_no_strategy():
    code = (
        "import sys; from memopt.strategies.registry import names; names()\n"
        "print([m for m in sys.modules if m.startswith('memopt.strategies.') and m.split('.')[2] not in ('base', 'registry')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=clean_environment(), check=True)
    assert done.stdout == "[]\n"


@dataclass(frozen=True)
class Options:
    whole: int = option(5, "a whole number", minimum=1, maximum=10)
    share: float = option(0.5, "a number", minimum=0.0, maximum=1.0)
    flag_two: bool = option(False, "yes or no")
    word: str = option("a", "one of them", choices=("a", "b"))
    text: str = option("", "anything")
    maybe: int | None = option(None, "or none", minimum=1)


class Sample(MemoryOptimizationStrategy):
    name = "sample"
    Options = Options


@pytest.mark.parametrize(
    ("key", "given", "read"),
    [
        ("whole", "7", 7),
        ("whole", 7, 7),
        ("whole", " 7 ", 7),
        ("whole", "10", 10),
        ("share", "0.25", 0.25),
        ("share", "1", 1.0),
        ("share", 0, 0),
        ("flag-two", "true", True),
        ("flag_two", "YES", True),
        ("flag-two", "on", True),
        ("flag-two", "1", True),
        ("flag-two", "off", False),
        ("flag-two", "No", False),
        ("flag-two", True, True),
        ("word", "b", "b"),
        ("text", "a=b c", "a=b c"),
        ("text", "", ""),
        ("maybe", "3", 3),
    ],
)
def test_values_are_read_from_texts_and_taken_as_they_are(key, given, read):
    value = getattr(Sample(**{key: given}).options, key.replace("-", "_"))
    assert value == read and type(value) is type(read)


@pytest.mark.parametrize(
    ("key", "given", "said"),
    [
        ("whole", "0", "a whole number of at least 1 and at most 10"),
        ("whole", "11", "at most 10"),
        ("whole", "1.0", "a whole number"),
        ("whole", 1.0, "a whole number"),
        ("whole", "", "a whole number"),
        ("whole", "1_0", "a whole number"),
        ("whole", "9" * 5000, "a whole number"),
        ("whole", True, "a whole number"),
        ("whole", [1], "a whole number"),
        ("share", "1.01", "a number of at least 0.0 and at most 1.0"),
        ("share", "nan", "a number"),
        ("share", "inf", "a number"),
        ("share", "half", "a number"),
        ("flag-two", "maybe", "true or false"),
        ("flag-two", "", "true or false"),
        ("flag-two", 2, "true or false"),
        ("word", "c", "one of a, b"),
        ("word", "A", "one of a, b"),
    ],
)
def test_a_bad_value_says_what_the_option_takes(key, given, said):
    with pytest.raises(UsageError) as caught:
        Sample(**{key: given})
    assert f"strategy sample: option {key} takes " in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("key", ["nope", "", "Whole", "whole ", "flag.two"])
def test_an_unknown_key_names_the_valid_ones(key):
    with pytest.raises(UsageError, match="its options: flag-two, maybe, share, text, whole, word"):
        Sample(**{key: 1})


def test_a_strategy_without_options_says_none():
    class Plain(MemoryOptimizationStrategy):
        name = "plain"

    with pytest.raises(UsageError, match="its options: none"):
        Plain(anything=1)


def test_options_are_given_to_the_steps_that_have_them():
    recent, dedupe = make_chain(["recent", "dedupe"], {"keep": "4", "near": "false"})
    assert (recent.options.keep, dedupe.options.near) == (4, False)
    first, second = make_chain(["recent", "recent"], {"keep": "4"})
    assert (first.options.keep, second.options.keep) == (4, 4)
    assert make_chain(["dedupe", "recent"], {"recent.keep": "2"})[1].options.keep == 2


@pytest.mark.parametrize(
    ("chosen", "options", "said"),
    [
        (["dedupe", "recent"], {"kepp": 1}, r"no step of the chain has the option 'kepp'.*recent\.keep"),
        (["dedupe", "recent"], {"dedupe.keep": 1}, "strategy dedupe has no option 'keep'"),
        (["dedupe", "recent"], {"summarize.keep": 1}, "names the step 'summarize', which is not in the chain"),
        (["recent"], {"kepp": 1}, "strategy recent has no option 'kepp'; its options: keep"),
        (["recent"], {"keep": "x"}, "option keep takes a whole number"),
        (["recent"], {"recent.": 1}, "no option ''"),
        (["recent"], {}, "needs the option keep"),
        (["nope"], {}, "no strategy 'nope'"),
    ],
)
def test_a_wrong_option_of_a_chain_names_what_would_be_right(chosen, options, said):
    with pytest.raises(UsageError, match=said):
        make_chain(chosen, options)
