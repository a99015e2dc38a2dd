"""A pronoun that stands behind another person tells that person's fact, which no source says."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

FAMILY = [
    "User lives in Bern.",
    "User's boss Tim Ruler is strict.",
    "User's brother Jonas lives in Oslo.",
    "User's brother Jonas has been a diabetic for years.",
]


def check(sources, rewrite):
    return verify([UserMemory(text, f"m{n}") for n, text in enumerate(sources)], [UserMemory(rewrite)])


@pytest.mark.parametrize(
    ("sources", "rewrite", "lost"),
    [
        (FAMILY, "User's boss Tim Ruler is strict. He has been a diabetic for years.", "m3"),
        (FAMILY, "User lives in Bern. Tim Ruler is strict. He lives in Oslo.", "m2"),
        (["User's sister Lea is a nurse.", "User's brother Tom lives in Rome."], "User's sister Lea is a nurse. She lives in Rome.", "m1"),
        (["用户的妹妹是护士。", "用户的弟弟患有糖尿病。"], "用户的妹妹是护士。她患有糖尿病。", "m1"),
    ],
)  # fmt: skip
def test_a_fact_behind_the_wrong_person_is_lost_and_made_up(sources, rewrite, lost):
    report = check(sources, rewrite)
    assert report.invented
    assert lost in report.lost_ids


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (FAMILY, "User lives in Bern. User's boss Tim Ruler is strict. User's brother Jonas lives in Oslo. He has been a diabetic for years."),
        (["User's sister Lea is a nurse.", "Lea lives in Rome."], "User's sister Lea is a nurse. She lives in Rome."),
        (["User's sister is called Lea.", "User's sister lives in Rome."], "The sister is called Lea. She lives in Rome."),
        (["User's brother Jonas is strict.", "User plays the cello."], "User's brother Jonas is strict. She plays the cello."),
        (["Mara lives in Bern.", "Mara has a cat."], "Mara lives in Bern. She has a cat."),
        (["用户的妹妹是护士。", "用户的妹妹患有糖尿病。"], "用户的妹妹是护士。她患有糖尿病。"),
    ],
)  # fmt: skip
def test_a_pronoun_behind_its_own_person_is_right(sources, rewrite):
    assert check(sources, rewrite).passed
