"""Messages quote the beginning of a text without an end, and documents keep what is a memory's own."""

import pytest

from memopt.facts.words import brief
from memopt.memory import UserMemory
from memopt.verify import verify
from memopt.verify.settle import settle

WALL = "X" * 200_000
SOURCES = [UserMemory("User lives in Berlin.", memory_id="a"), UserMemory("User has a dog.", memory_id="b")]


@pytest.mark.parametrize(
    "text",
    [
        WALL,
        WALL.lower(),
        "字" * 100_000,
        "9" * 5_000,
        "9" * 5_000 + " years",
        "$" + "9" * 5_000,
        "User moved to Atlantis " + "and on " * 20_000,
        f"“{WALL}”",
    ],
)
def test_an_answer_without_an_end_is_refused_in_one_short_line(text):
    settled = settle(SOURCES, text)
    assert settled.refusal is not None
    assert len(settled.refusal) < 600
    assert "…" in settled.refusal or "characters" in settled.refusal
    assert all(len(item.detail) < 500 for item in (*settled.found.lost, *settled.found.invented))


def test_a_document_tells_the_beginning_of_what_was_made_up():
    found = verify(SOURCES, [UserMemory(f"User lives in Berlin. User has a dog. {WALL}", memory_id="r")])
    assert found.invented
    for item in found.to_dict()["invented"]:
        assert len(item["sentence"]) <= 1000
        assert len(item["fact"]) <= 1000
        assert item["end"] > 100_000  # where it stands is told in full


def test_a_document_keeps_a_lost_fact_whole_and_its_detail_short():
    long = "User keeps " + " ".join(f"Pet{chr(97 + n % 26)}x{chr(97 + n // 26)}" for n in range(300))
    found = verify([UserMemory(long, memory_id="a"), SOURCES[0]], [UserMemory(SOURCES[0].memory, memory_id="r")])
    lost = found.to_dict()["lost"]
    assert lost
    assert long.endswith(lost[-1]["fact"].rstrip("."))
    for item in lost:
        assert item["fact"] in long and "…" not in item["fact"]
        assert len(item["detail"]) < 500


def test_many_names_are_counted():
    names = "Anna, Bob, Carla, Dmitri, Elif, Farid, Gustav, Hana and Igor"
    found = verify(
        [UserMemory(f"User met {names} in Rome.", memory_id="a")], [UserMemory("User met people in Rome.", memory_id="r")]
    )
    assert found.lost
    assert all(len(item.detail) < 300 for item in found.lost)


@pytest.mark.parametrize(
    ("text", "most", "told"),
    [("a\n b", 10, "a b"), ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("", 5, ""), (" " * 100 + "a", 5, "…")],
)
def test_brief(text, most, told):
    assert brief(text, most) == told
