"""How contenders are written: chains, options of their own, options for several, budgets."""

from __future__ import annotations

import pytest

from memopt.errors import UsageError
from memopt.evaluation.contenders import build, read_shares, read_spec, with_budgets


def names(built):
    return {spec.name: [type(each).name for each in chain] for spec, chain in built}


def test_a_chain_with_options_of_its_own_is_read():
    spec = read_spec("dedupe+recent,keep=10+retain,keep-topic=a,b,keep-last=3")
    assert spec.steps == (("dedupe", {}), ("recent", {"keep": "10"}), ("retain", {"keep-topic": "a,b", "keep-last": "3"}))


def test_one_strategy_may_contend_twice_with_other_options():
    built = build([read_spec("recent,keep=10"), read_spec("recent,keep=20")], {})
    assert [chain[0].options.keep for _, chain in built] == [10, 20]


def test_an_option_goes_to_every_step_that_is_named_or_has_it():
    built = build([read_spec("dedupe"), read_spec("dedupe+recent"), read_spec("recent,keep=3")], {"recent.keep": "7"})
    assert [chain[-1].options.keep for spec, chain in built[1:]] == [7, 3]
    assert build([read_spec("dedupe"), read_spec("recent")], {"keep": "5"})[1][1][0].options.keep == 5


def test_budgets_multiply_what_has_a_budget_without_a_limit():
    specs = with_budgets([read_spec("dedupe+budget"), read_spec("recent,keep=1")], ["75%", "50%"])
    assert [spec.name for spec in specs] == ["dedupe+budget 75%", "dedupe+budget 50%", "recent,keep=1"]
    assert [spec.name for spec in with_budgets([read_spec("budget,max-tokens=9")], ["50%"])] == [
        "budget,max-tokens=9",
        "budget 50%",
    ]
    assert names(build(with_budgets([], ["25%"]), {})) == {"budget 25%": ["budget"]}


@pytest.mark.parametrize(
    ("specs", "options", "said"),
    [
        (["dedup"], {}, "did you mean dedupe"),
        (["dedupe", "dedupe"], {}, "given twice"),
        (["recent,keep=x"], {}, "option keep takes"),
        (["recent,kep=1"], {}, "has no option 'kep'"),
        (["recent,keep=1,keep=2"], {}, "given twice"),
        (["recent,10"], {}, "is no option"),
        (["+dedupe"], {}, "takes a name"),
        ([""], {}, "takes a name"),
        (["dedupe"], {"keep": "1"}, "no contender has that option"),
        (["dedupe"], {"recent.keep": "1"}, "no contender has that option"),
    ],
)
def test_mistakes_are_usage_errors(specs, options, said):
    with pytest.raises(UsageError, match=said):
        build([read_spec(text) for text in specs], options)


def test_shares_are_read():
    assert read_shares("75%, 50%,0.25") == ("75%", "50%", "0.25")
    for text in ("", "50", "0%", "150%", "half", "50%,"):
        with pytest.raises(UsageError, match="--budget takes shares"):
            read_shares(text)
