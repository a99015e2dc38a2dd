"""What one clause of a joined sentence denies, or whom a title names, is not held against the others."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def _alarmed(sources: list[str], text: str) -> bool:
    report = verify(
        [
            UserMemory(each, memory_id=f"s{at}", created_at=1_735_689_600 + 86_400 * at, updated_at=1_735_689_600 + 86_400 * at)
            for at, each in enumerate(sources)
        ],
        [UserMemory(text, memory_id="r")],
    )
    return bool(report.lost or report.invented)


@pytest.mark.parametrize(
    ("sources", "faithful", "faulty"),
    [
        pytest.param(
            ["User's aunt lives in a care home in Leeds.", "User's aunt has dementia and sometimes doesn't recognize him."],
            "The user's aunt, who suffers from dementia and at times fails to recognize him, resides in a Leeds care home.",
            "The user's aunt, who suffers from dementia and at times fails to recognize him, doesn't live in a Leeds care home.",
            id="a clause that denies something else",
        ),
        pytest.param(
            ["User gets up at 5 to bake.", "The bakery is closed on Mondays."],
            "The user gets up at 5 to bake, and the bakery does not open on Mondays.",
            "The user gets up at 5 to bake, and the bakery is open on Mondays.",
            id="not open is closed",
        ),
        pytest.param(
            ["User's parents emigrated from Cuba in 1962."],
            "Their parents left Cuba in 1962.",
            "Their parents came to Cuba in 1962.",
            id="whoever emigrates leaves",
        ),
        pytest.param(
            ["User runs a stall that sells pickles."],
            "The user operates a pickle stall.",
            "The user does not operate a pickle stall.",
            id="what a stall sells is not gone",
        ),
        pytest.param(
            ["User is thinking about switching to a cheaper phone plan."],
            "The user may switch to a less expensive phone plan.",
            "The user may switch to a more expensive phone plan.",
            id="less expensive is cheaper",
        ),
        pytest.param(
            ["User doesn't like meetings longer than an hour."],
            "The user dislikes meetings longer than an hour.",
            "The user likes meetings longer than an hour.",
            id="a length that is not liked sets no bound",
        ),
        pytest.param(
            ["User is back to lifting light weights.", "User doesn't plan to box again."],
            "The user can lift light weights again and has no plans to go back to boxing.",
            "The user can lift light weights again and has plans to go back to boxing.",
            id="no plans to go back",
        ),
        pytest.param(
            ["User's boss, Mr. Hale, approved two weeks of leave.", "User works in sales."],
            "The user works in sales. Mr. Hale, their manager, approved two weeks' leave.",
            "The user works in sales. Mr. Hall, their manager, approved two weeks' leave.",
            id="a title before a name",
        ),
        pytest.param(
            ["The cat steals food from the table."],
            "The cat swipes food off the table.",
            "The cat never steals food from the table.",
            id="off the table is where it was",
        ),
        pytest.param(
            ["User's daughter Mia is 7.", "User's son Tom is 4 and goes to kindergarten."],
            "The user has two children: Mia, seven, and Tom, a four-year-old boy who goes to kindergarten.",
            "The user has six children: Mia, seven, and Tom, a four-year-old boy who goes to kindergarten.",
            id="as many as are named",
        ),
        pytest.param(
            ["User worries that the roof will not hold."],
            "The user is concerned that the roof won't hold.",
            "The user is certain that the roof will hold.",
            id="is concerned that",
        ),
    ],
)
def test_a_faithful_sentence_passes_and_its_faulty_cousin_is_found(sources: list[str], faithful: str, faulty: str) -> None:
    assert not _alarmed(sources, faithful)
    assert _alarmed(sources, faulty)
