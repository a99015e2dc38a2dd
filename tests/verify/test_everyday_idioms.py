"""Everyday idioms stand for the plain word, and not for another one."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def clean(source: str, rewrite: str) -> bool:
    report = verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="z")])
    return not report.lost and not report.invented


@pytest.mark.parametrize(
    ("source", "kept", "changed"),
    [
        ("Vera made peace with her sister.", "Vera made up with her sister.", "Vera fell out with her sister."),
        ("Omar is jealous of his colleague's raise.", "Omar envies his colleague's raise.", ""),
        ("User had surgery on his knee in May.", "In May the user went under the knife for his knee.", "In May the user went under the knife for his shoulder."),
        ("Lia was hospitalized in March with pneumonia.", "In March Lia ended up in hospital with pneumonia.", ""),
        ("Lia goes running before work.", "Before work Lia jogs.", "Before work Lia goes for a swim."),
        ("User feels bad about the secret.", "The secret weighs on the user's conscience.", ""),
        ("Declan handles the accounts at the bakery.", "At the bakery Declan keeps the books.", ""),
    ],
)  # fmt: skip
def test_an_idiom_stands_for_the_plain_word(source: str, kept: str, changed: str) -> None:
    assert clean(source, kept)
    assert not changed or not clean(source, changed)
