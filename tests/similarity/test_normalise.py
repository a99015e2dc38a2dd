"""Folding: what writers do either way is forgotten, what carries meaning stays."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.similarity.normalise import fold

SAME = [
    ("Favourite bar: Café Züri", "Favourite bar: Cafe\u0301 Zu\u0308ri"),
    ("Favourite bar: Café Züri", "Favourite  bar:\u00a0Café Züri "),
    ("User likes tea.", "user likes TEA"),
    ("User likes tea.", "\ufeffUser\u200b likes\u2003tea!"),
    ("Ｌｉｋｅｓ　ｔｅａ", "Likes tea"),
    ("ｶﾞｷﾞが好き", "ガギが好き"),
    ("User lives in Berlin , Germany", "User lives in Berlin, Germany."),
    ("dark-mode editors", "dark mode editors"),
    ("uses GPT-4", "uses GPT 4"),
    ("User’s “home”", 'User\'s "home"'),
    ("User doesn't eat meat", "User doesnt eat meat"),
    ("用户喜欢喝乌龙茶，也喜欢咖啡。", "用户喜欢喝乌龙茶 也喜欢咖啡"),
    ("我喜欢 Python 和茶。", "我喜欢Python和茶"),
    ("「東京」に住んでいる。", "東京に住んでいる"),
    ("名字：张伟", "名字: 张伟"),
    ("2025–08–01", "2025-08-01"),
    ("It is −5 °C", "It is -5 ℃"),
    ("٣٫٥ كم", "3.5 كم"),
    ("- User likes tea", "User likes tea"),
    ("• User likes tea", "* User likes tea"),
    ("**User** likes *tea*", "User likes tea"),
    ("I ❤️ tea", "I ❤ tea"),
    ("ﬁve oﬃces", "five offices"),
    ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ("first line\r\nsecond line", "first line second line"),
    ("see https://a.org/x.", "see https://a.org/x/"),
    ("Really?!", "really ??"),
    ("Works in IT", "works in IT."),
    ("User forgot a password.", "user forgot a password"),
    ("Username: ann.", "username: ann"),
    ("Login is broken and/or slow", "login is broken and/or slow."),
    ("Flag: Germany", "Flag: Germany!"),
    ("well -- ok", "well — ok..."),
]

WORDS = "C C++ C# tea Tea -5 5 1.5 , . no not 不 茶 👍 'it' it's"

DIFFERENT = [
    ("C++", "C"),
    ("uses C#", "uses C"),
    ("uses C++", "uses C#"),
    ("likes .NET", "likes net"),
    ("node.js", "nodejs"),
    ("+5", "-5"),
    ("balance: -5", "balance: 5"),
    ("it is −5 °C", "it is 5 °C"),
    ("owes -$5", "owes $5"),
    ("1.5", "15"),
    ("1.5 km", "1 5 km"),
    ("1,450 €", "1,450 $"),
    ("1,450", "1450"),
    ("3:45", "345"),
    ("2025-08-01", "20250801"),
    ("a != b", "a = b"),
    ("a < b", "a > b"),
    ("x == 1", "x 1"),
    ("blood type A-", "blood type A+"),
    ("blood type A-", "blood type A"),
    ("50%", "50"),
    ("#5", "5"),
    ("@anna", "anna"),
    ("me@a.org", "me a.org"),
    ("https://a.org/b", "https://a.org/c"),
    ("https://youtu.be/aBc", "https://youtu.be/abc"),
    ("key aB3dE9fG", "key ab3de9fg"),
    ("5 Gb", "5 GB"),
    ("works for US clients", "works for us clients"),
    ("Password: Hunter2", "Password: hunter2"),
    ("The wifi password is abc!", "The wifi password is abc"),
    ("Path is /tmp/A", "Path is /tmp/a"),
    ("config in ~/Work/x", "config in ~/work/x"),
    ("runs ./Build.sh", "runs ./build.sh"),
    ("Login is Admin", "Login is admin"),
    ("branch: Feature", "branch: feature"),
    ("密码是Abc1", "密码是abc1"),
    ("costs 3 M", "costs 3 m"),
    ("lacks vitamin A", "lacks vitamin a"),
    ("tea 👍", "tea 👎"),
    ("tea 👍", "tea"),
    ("👍🏽", "👍🏿"),
    ("fine :)", "fine :("),
    ("fine :-)", "fine"),
    ("moves to Berlin?", "moves to Berlin."),
    ("搬到柏林？", "搬到柏林。"),
    ("no, more sugar", "no more sugar"),
    ("不，喜欢茶", "不喜欢茶"),
    ("we're late", "were late"),
    ("she'll", "shell"),
    ("re-sign", "resign"),
    ("resume", "résumé"),
    ("ano", "año"),
    ("in Maßen", "in Massen"),
    ("10²", "102"),
    ("1½", "11/2"),
    ("rm -r", "rm r"),
    ("6'", '6"'),
    ("C:\\temp", "C temp"),
    ("a/b", "a b"),
    ("R&D", "R D"),
    ("?", "!"),
    ("...", "?!"),
    ("Likes jazz", "Hates jazz"),
    ("suka americano", "tidak suka americano"),
    ("std::vector", "std vector"),
    ("がく", "かく"),
    ("ZWNJ می\u200cخواهم", "ZWNJ میخواست"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_ways_of_writing_fold_to_one(left: str, right: str) -> None:
    assert fold(left) == fold(right)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_marks_that_carry_meaning_stay(left: str, right: str) -> None:
    assert fold(left) != fold(right)


def test_a_text_of_marks_alone_folds_to_itself_and_not_to_nothing() -> None:
    texts = ["!", "?", "...", "™", "、", "。", '""', "()"]
    assert len({fold(text) for text in texts}) == len(texts)
    assert all(fold(text) for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        "^" * 1_000_000,
        "a" * 1_000_000,
        "-" * 1_000_000,
        " " * 1_000_000 + "x",
        "`a" * 200_000,
        "token" * 100_000,
        "*a " * 200_000,
        "no," * 100_000,
        "http://" + "." * 500_000,
        "a\u0301" * 200_000,
        "不，" * 200_000,
        ":(" * 200_000,
        "." + "!" * 500_000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_folding_is_linear_in_the_length(text: str) -> None:
    import time

    def took(part: str) -> float:
        start = time.process_time()
        fold(part)
        return time.process_time() - start

    whole = min(took(text) for _ in range(2))
    tenth = min(took(text[: len(text) // 10]) for _ in range(3))
    assert whole < 0.5 or whole < 40 * tenth  # quadratic would be a hundred times


@given(st.text(max_size=60))
def test_composition_does_not_matter_and_every_text_has_a_fold(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)) == fold(unicodedata.normalize("NFD", text)) == fold(text)
    assert fold(text) or not text.strip()


@given(st.text(alphabet=st.characters(categories=["L", "N", "S"]), min_size=1, max_size=30))
def test_white_space_around_and_doubled_does_not_matter(text: str) -> None:
    assert fold(f"  {text}\n\t") == fold(text)


@given(st.lists(st.sampled_from(WORDS.split()), max_size=8))
def test_joining_with_any_white_space_gives_one_fold(words: list[str]) -> None:
    assert fold(" ".join(words)) == fold("\u00a0 \u2003".join(words))
