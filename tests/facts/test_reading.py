"""What is read out of a text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.facts import read
from memopt.facts.items import read_cjk_number
from memopt.facts.reading import split_sentences


def keys(text, written=None):
    return {key for item in read(text, written).items for key in item.keys}


SAME_DATE = [
    "2025-08-01",
    "1 August 2025",
    "August 1, 2025",
    "Aug 1st, 2025",
    "1. August 2025",
    "01.08.2025",
    "2025年8月1日",
    "2025/8/1",
]


@pytest.mark.parametrize("form", SAME_DATE)
def test_one_date_in_many_forms_is_one_key(form):
    assert keys(f"It starts on {form}.") == {"d:2025-08-01"}


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("in August 2025", "d:2025-08"),
        ("am 1. August", "d:--08-01"),
        ("8月1日出发", "d:--08-01"),
        ("since 2018", "d:2018"),
        ("pays 1,450 € rent", "m:eur:1450"),
        ("pays 1.450 € rent", "m:eur:1450"),
        ("pays $1.2k", "m:usd:1200"),
        ("月薪3万元", "m:cny:30000"),
        ("has 1 450 books", "n:1450"),
        ("twenty-three people", "n:23"),
        ("one hundred and five people", "n:105"),
        ("二十三个人", "n:23"),
        ("walks 1,5 km", "q:m:1500"),
        ("takes 5 mg", "q:g:0.005"),
        ("an hour and a half", "q:s:5400"),
        ("1 hour 52 minutes 8 seconds", "q:s:6728"),
        ("finished in 1:52:08", "q:s:6728"),
        ("saves 15%", "p:15"),
        ("saves 15 percent", "p:15"),
        ("at 9am", "t:09:00"),
        ("at 9 o'clock", "t:09:00"),
        ("下午3点半开会", "t:15:30"),
        ("6 years old", "q:month:72"),
        ("6 months old", "q:month:6"),
        ("今年六岁", "q:month:72"),
        ("call +86 138 0013 8000", "tel:8613800138000"),
        ("write to Ana@Example.com", "e:ana@example.com"),
        ("see https://www.example.com/a/", "u:example.com/a"),
        ("version v1.2.3", "v:1.2.3"),
        ("ticket EPIC-882", "id:epic-882"),
        ("每周五开会", "w:5"),
    ],
)
def test_an_item_is_read_in_its_normal_form(text, key):
    assert key in keys(text)


def test_an_ambiguous_date_keeps_both_readings():
    assert keys("on 5/7/2023") == {"d:2023-05-07", "d:2023-07-05"}
    assert keys("on 25/7/2023") == {"d:2023-07-25"}


def test_once_a_week_is_no_monday():
    assert not any(key.startswith("w:") for key in keys("每周一次"))
    assert "w:1" in keys("每周一开会")


def test_tomorrow_gets_its_date_from_when_it_was_written():
    assert "d:2025-08-02" in keys("leaves tomorrow", 1_754_049_600)
    assert not any(key.startswith("d:") for key in keys("leaves tomorrow"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("User met Ursula K. Le Guin in Gdańsk.", {"ursula k le guin", "gdansk"}),
        ("Tim enjoys Harry Potter.", {"tim", "harry potter"}),
        ("User's name is Wei Zhang (张伟).", {"wei zhang", "张伟"}),
        ("用户的姐姐李娜住在北京。", {"李娜"}),
        ("用户用 Python 写代码", {"python"}),
        ("User likes hiking.", set()),
        ("Likes jazz", set()),
    ],
)
def test_names_are_found_and_first_words_are_not(text, names):
    assert {item.norm for item in read(text).names if not item.weak} == names


@pytest.mark.parametrize(
    ("text", "denied", "affirmed"),
    [
        ("User does not like coffee and prefers tea", "coffe", "tea"),
        ("User dislikes coffee but loves tea", "coffe", "tea"),
        ("User avoids gluten because of celiac disease", "gluten", "celiac"),
        ("User no longer smokes; user runs marathons", "smok", "marathon"),
        ("suka teh, tidak suka kopi", "kopi", "teh"),
        ("用户不喜欢咖啡，喜欢牛奶", "咖啡", "牛奶"),
    ],
)
def test_a_denial_reaches_what_it_denies_and_no_further(text, denied, affirmed):
    signs = {word.stem: word.negated for word in read(text).words}
    assert signs[denied] is True
    assert signs[affirmed] is False


def test_sentences_end_where_they_end():
    text = "Ann met person 0. Dr. Li lives at No. 5. Latency was 651 ms. On 1. August e.g. 3.14 counts.\n- A bullet。第二句！"
    assert [text[start:end] for start, end in split_sentences(text)] == [
        "Ann met person 0.",
        "Dr. Li lives at No. 5.",
        "Latency was 651 ms.",
        "On 1. August e.g. 3.14 counts.",
        "- A bullet。",
        "第二句！",
    ]


@pytest.mark.parametrize(
    ("text", "value"), [("二十三", 23), ("一百零五", 105), ("三万五", 35000), ("二〇二五", 2025), ("两千", 2000)]
)
def test_chinese_numerals_are_numbers(text, value):
    assert read_cjk_number(text) == value


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("aA1 .,-/:€%年月日不喜欢3点周五一\n'\"“(@#kmUser"), max_size=60))
def test_any_text_is_read_with_exact_spans(text):
    reading = read(text)
    for item in reading.items:
        assert item.surface == text[item.start : item.end]
        assert item.norm in item.keys
    held = [word for clause in reading.clauses for word in clause.words]
    assert all(0 <= word.start < word.end <= len(text) for word in held)
    assert all(left[1] <= right[0] for left, right in zip(reading.sentences, reading.sentences[1:], strict=False))


def test_a_figure_in_a_list_has_the_unit_behind_the_last_one_and_equal_units_are_not_added_up():
    def keys(text):
        return [item.keys for item in read(text).items]

    assert [("q:m:5000" in keys("ran 5, 10 and 21 km")[0]), ("q:m:10000" in keys("ran 5, 10 and 21 km")[1])] == [True, True]
    assert "q:s:14400" in keys("用户睡了4、9和5小时")[0]
    assert [sorted(each) for each in keys("202 ms, 115 ms")] == [["q:s:0.202"], ["q:s:0.115"]]
    assert [sorted(each) for each in keys("1 hour, 5 minutes")] == [["q:s:3900"]]
    assert all("q:" not in key for key in keys("has 3 cats, 5 km away")[0])
