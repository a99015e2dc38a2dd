"""The table of docs/strategies/summarize.md is what the consolidator writes."""

import re
from pathlib import Path

import pytest

from memopt.memory import UserMemory
from memopt.models.builtin import consolidate

DOC = Path(__file__).parents[2] / "docs" / "strategies" / "summarize.md"
DAY = 86_400
ROWS = [
    [cell.strip() for cell in line.strip("|\n ").split("|")]
    for line in DOC.read_text(encoding="utf-8").splitlines()
    if re.match(r"\| (?:User|用户)", line)
]


@pytest.mark.parametrize(("told", "expected"), ROWS)
def test_the_page_shows_what_is_written(told, expected):
    texts = [text for text in re.split(r"(?<=[.。])(?: \(\w+\))?\s*", told) if text]
    gap = 30 if "next week" in told else 40
    rows = [UserMemory(text, f"m{n}", created_at=1735689600 + (10 + n * gap) * DAY) for n, text in enumerate(texts)]
    assert consolidate(rows).text == expected


def test_the_page_has_the_table():
    assert len(ROWS) >= 7
