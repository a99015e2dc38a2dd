"""A noun in the place of another is found, and a noun of a paraphrase is not taken for one."""

import pytest

from memopt.facts.sorts import near, sort_of
from memopt.memory import UserMemory
from memopt.verify import verify


def report(source, rewrite):
    return verify([UserMemory(source, memory_id="m0")], [UserMemory(rewrite, memory_id="r")])


CASES = [
    ("Hilde ordered new shelves for her toy shop last month.", "Last month Hilde got new shelves for her toy shop.", "Last month Hilde got new shelves for her flower shop."),
    ("Ned visited a hospital and met a violinist named Otto.", "While visiting a hospital, Ned got to know Otto, a violinist.", "While visiting a prison, Ned got to know Otto, a violinist."),
    ("User collects postcards from every town he visits.", "From each town he visits the user collects a postcard.", "From each town he visits the user collects magnets."),
    ("User's build failed last night because the disk on ci-07 was full.", "A full disk on ci-07 made the user's build fail last night.", "An expired certificate on ci-07 made the user's build fail last night."),
    ("Ama met her husband at a climbing gym.", "It was at a climbing gym that Ama got to know her husband.", "It was at a library that Ama got to know her husband."),
    ("Rolf repairs lutes in a workshop behind his house.", "In a workshop behind his house Rolf mends lutes.", "In the basement of his house Rolf mends lutes."),
    ("Lotta had to sell her horse due to allergies.", "Lotta had to sell her horse because of allergies.", "Lotta had to sell her horse because of a new job."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "faithful", "other"), CASES, ids=[row[2] for row in CASES])
def test_a_noun_in_the_place_of_another_is_found(source, faithful, other):
    assert report(source, faithful).passed
    assert report(source, other).invented


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("Ines runs a small pottery studio in Coimbra.", "Ines owns a little ceramics workshop in Coimbra."),
        ("User's blood type is O negative.", "The user has blood group O negative."),
        ("User wants a room on a low floor.", "The user asks for a room low in the building."),
        ("User never checks luggage.", "The user never checks a bag."),
        ("User is in the final year of a nursing degree.", "The user is a nursing student in the final year."),
        ("User exports ceramics from Fez to Canada.", "From Fez the user ships ceramics to Canada."),
    ],
)
def test_a_noun_of_a_paraphrase_stands_in_nothings_place(source, rewrite):
    assert not [item for item in report(source, rewrite).invented if item.kind == "opposite"]


def test_nouns_are_told_from_verbs_and_by_what_they_are_sorts_of():
    assert sort_of("hospital").name == "artifact"
    assert sort_of("refus") is None
    assert near("studio", "workshop")
    assert not near("hospital", "prison")
