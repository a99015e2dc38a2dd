"""Facts that no mark parts from the ones before: each is looked for by itself."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

JAZZ, ROME = "Likes jazz", "Lives in Rome"


def check(memory, rewrite):
    sources = [UserMemory(text, memory_id=f"m{at}") for at, text in enumerate((JAZZ, JAZZ, memory, ROME))]
    return verify(sources, [UserMemory(f"{JAZZ}. {ROME}. {rewrite}.", memory_id="r")])


SEPARATORS = [" ", "\t", "\n", " - ", " / ", " | ", "｜", "; ", " • ", " · ", " → ", " & ", " 🎉 ", ", "]
PAIRS = [
    ("对花生过敏", "Has 3 cats"),
    ("Has 3 cats", "对花生过敏"),
    ("住在北京", "Has 3 cats 🎉"),
    ("セロリが嫌い", "Has 3 cats"),
    ("땅콩 알레르기가 있다", "Has 3 cats"),
    ("Аллергия на арахис", "Has 3 cats"),
    ("has 3 cats", "allergic to peanuts"),
    ("works at Google", "vegetarian"),
    ("养了3只猫", "对花生过敏"),
]


@pytest.mark.parametrize("separator", SEPARATORS)
@pytest.mark.parametrize("pair", PAIRS, ids="+".join)
def test_what_is_left_out_is_lost_whatever_parts_it(pair, separator):
    memory = separator.join(pair)
    for kept, gone in (pair, pair[::-1]):
        report = check(memory, kept)
        assert [item for item in report.lost if item.index == 2], gone
        assert report.retention < 1


@pytest.mark.parametrize("separator", [" ", "\t", " | ", "; ", " • ", " · ", " 🎉 "])
@pytest.mark.parametrize("pair", PAIRS[:3], ids="+".join)
def test_both_told_apart_are_held(pair, separator):
    assert check(separator.join(pair), f"{pair[1]}. {pair[0]}").passed


@pytest.mark.parametrize(
    ("memory", "rewrite"),
    [
        ("works at 字节跳动 as an engineer", "The user is an engineer at 字节跳动"),
        ("User likes 火锅 (hotpot)", "The user likes 火锅 (hotpot)"),
        ("我在 Google 工作", "用户在 Google 工作"),
        ("has 3 cats allergic to peanuts", "The user owns 3 cats and is allergic to peanuts"),
        ("lives in Rome 2 kids hates coriander", "Has two children and dislikes coriander"),
        ("taught vegan recipes on television", "Has taught vegan recipes on TV"),
    ],
)
def test_a_faithful_rewrite_passes(memory, rewrite):
    assert check(memory, rewrite).passed


@pytest.mark.parametrize("separator", [" | ", " • ", "\t", " · "])
def test_a_denial_ends_where_a_bar_or_a_tab_parts_it(separator):
    assert check(f"hates coriander{separator}owns a boat", "Owns a boat. Hates coriander").passed
    assert not check(f"hates coriander{separator}owns a boat", "Hates boats. Hates coriander").passed


def test_a_figure_told_of_something_else_holds_no_fact_of_which_no_word_is_there():
    sources = [UserMemory("养了两条金鱼", memory_id="a"), UserMemory("Has 2 kids", memory_id="b")]
    report = verify(sources, [UserMemory("Has 2 kids", memory_id="r")])
    assert [item.memory_id for item in report.lost] == ["a"]
    assert verify(sources, [UserMemory("Has 2 kids. 用户养两条金鱼。", memory_id="r")]).passed
