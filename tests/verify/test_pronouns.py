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
        (["Ida adopted a ferret from a shelter.", "Ralf plays chess."], "Ralf plays chess. Lately he has adopted a ferret from a shelter.", "m0"),
        (["Ida adopted a ferret on 3 May 2024.", "Ralf plays chess."], "Ralf plays chess. On 3 May 2024 he adopted a ferret.", "m0"),
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


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (
            ["Wilma got a canary two weeks ago.", "Wilma recently adopted a lizard named Speck.", "Wilma did not own any pets as a child."],
            "Two weeks ago Wilma got a canary. Lately she has also adopted a lizard, Speck. As a child she did not own any pets.",
        ),
        (
            ["Wilma did not own any pets as a child.", "Wilma watched a meteor shower while camping."],
            "Wilma watched a meteor shower while camping. As a child she did not own any pets.",
        ),
        (["Ines set her best time in Graz.", "Ines broke a toe in 2022."], "It was in Graz that Ines set her best time. In 2022 she broke a toe."),
    ],
)  # fmt: skip
def test_a_name_is_told_where_a_pronoun_within_a_sentence_stands_for_it(sources, rewrite):
    assert check(sources, rewrite).passed


WIDOWER = [
    "Harold retired from the post office in 2015.",
    "Harold's late wife Edith came from Truro.",
    "Harold had a knee operation on 4 May 2023.",
]
RUNNER = [
    "Mateo is training for a triathlon.",
    "His coach Ingrid Dahl is a former swimmer.",
    "His club mate Rui is a nurse and lives in Sintra.",
]


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        # nobody of the sentence before it can be meant
        (WIDOWER, "Harold retired from the post office in 2015. Edith, his late wife, was from Truro. He underwent a knee operation on 4 May 2023."),
        # the sentence before it names no person
        (
            ["Nora likes her kitchen in Lyon.", "Nora repairs old clocks in her free time."],
            "Nora likes her kitchen. It lies in Lyon. In her free time she repairs old clocks. Her kitchen is what she likes.",
        ),
        # the clause says itself whom it is told of
        (RUNNER, "Mateo is training for a triathlon. He is coached by Ingrid Dahl, who used to be a swimmer, and shares a club with Rui, a nurse living in Sintra."),
        (["User is a translator.", "Colleague Mira Holt checks her work."], "The user is a translator for Otava. Her work is checked by a colleague, Mira Holt."),
    ],
)  # fmt: skip
def test_a_pronoun_may_point_further_back_than_to_the_last_name(sources, rewrite):
    report = check(sources, rewrite)
    assert not [item for item in (*report.lost, *report.invented) if item.kind == "swap"]


@pytest.mark.parametrize(
    ("sources", "rewrite", "lost"),
    [
        (WIDOWER, "Harold retired from the post office in 2015. Edith, his late wife, was from Truro. She underwent a knee operation on 4 May 2023.", "m2"),
        (RUNNER, "Mateo is training for a triathlon. His coach Ingrid Dahl used to be a swimmer. She is a nurse and lives in Sintra.", "m2"),
    ],
)  # fmt: skip
def test_a_pronoun_that_fits_the_wrong_person_is_still_found(sources, rewrite, lost):
    assert lost in check(sources, rewrite).lost_ids
