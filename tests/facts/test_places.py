"""Which Chinese words are proper words, and which names one thing has."""

from __future__ import annotations

import pytest

from memopt.facts.places import keys_of, propers


def _found(text: str) -> list[str]:
    return [text[one.start : one.end] for one in propers(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("现居苏州", ["苏州"]),
        ("在温哥华经营饺子馆", ["温哥华"]),
        ("妻子是广州人，在南京大学教书", ["广州", "南京大学"]),
        ("顺利马上到", []),
        ("发展中国家", []),
        ("lives in Berlin", []),
    ],
)
def test_a_proper_word_is_found_where_it_is_no_part_of_other_words(text: str, names: list[str]) -> None:
    assert _found(text) == names


@pytest.mark.parametrize(
    ("one", "two"), [("悉尼", "雪梨"), ("深圳", "深圳市"), ("皇马", "皇家马德里"), ("慕尼黑", "慕尼黑"), ("英文", "英语")]
)
def test_all_names_of_one_thing_have_one_key(one: str, two: str) -> None:
    assert {found.key for found in propers(one)} == {found.key for found in propers(two)} != set()


def test_a_place_tells_what_it_lies_in() -> None:
    assert keys_of("苏州") >= keys_of("江苏")
    assert not keys_of("江苏") >= keys_of("苏州")
