"""Headings, tables and numbers of an answer become plain lines; what they say stays."""

import pytest

from memopt.memory import UserMemory
from memopt.strategies.layout import plain
from memopt.verify.settle import settle


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Summary of Tilda\n\n## Health\n- Takes ramipril.\n", "\nHealth:\n- Takes ramipril.\n"),
        ("## Health ##\nTakes ramipril.", "Health:\nTakes ramipril."),
        ("Lives in Bern.\n## More\n", "Lives in Bern.\n"),
        ("| Topic | Fact |\n|---|:--:|\n| Health | Takes ramipril. |\n| Home | Lives in Bern. |", "- Health: Takes ramipril.\n- Home: Lives in Bern."),
        ("Fact | Since\n--- | ---\nLives in Bern | 2021", "- Lives in Bern: 2021"),
        ("1. Lives in Bern.\n2. Has a cat.", "- Lives in Bern.\n- Has a cat."),
        ("User uses C# and a | b.", "User uses C# and a | b."),
        ("#1 in chess", "#1 in chess"),
        ("--- a\n---", "--- a\n---"),
    ],
)  # fmt: skip
def test_layout_becomes_plain_lines(text, told):
    assert plain(text) == told


def test_what_stands_in_a_table_or_under_a_heading_is_taken_as_it_is_said():
    texts = ["User takes ramipril every morning.", "User lives in Bern.", "User has a cat called Pixel."]
    sources = [UserMemory(text, f"m{n}", topics=("health",)) for n, text in enumerate(texts)]
    rows = "\n".join(f"| topic | {text} |" for text in texts)
    for answer in (f"| Topic | Fact |\n|---|---|\n{rows}", "# Summary\n\n## Facts\n" + "\n".join(f"- {text}" for text in texts)):
        found = settle(sources, plain(answer))
        assert found.refusal is None and not found.report.lost and not found.removed
        assert "|" not in found.text and "#" not in found.text
