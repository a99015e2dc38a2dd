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


THINGS = [
    ("User restores old tractors in his barn.", "In his barn the user does up old tractors.", "In his barn the user does up old motorcycles."),
    ("Ines grows lavender and thyme behind her house.", "Behind her house, Ines has lavender and thyme growing.", "Lavender and parsley grow behind the house of Ines."),
    ("Ravi bought a silver necklace for his niece.", "Ravi got his niece a necklace of silver.", "Ravi's niece got a silver bracelet that he bought for her."),
    ("Mia's uncle owns a vineyard in Tuscany.", "In Tuscany there is a vineyard that belongs to Mia's uncle.", "In Tuscany there is a brewery that belongs to Mia's uncle."),
    ("Zoe writes a column about gardening for a magazine.", "A gardening column by Zoe appears in a magazine.", "For a newspaper, Zoe writes a column on gardening."),
    ("The kids got a trampoline from their grandparents.", "A trampoline is what the grandparents gave the kids.", "A swing is what the grandparents gave the kids."),
    ("Elif redecorates the hall in yellow.", "Elif does up the hall again in yellow.", "Elif does up the hall again in green."),
    ("User had his wallet stolen in Naples.", "In Naples somebody stole the user's wallet.", "In Naples somebody stole the user's camera."),
    ("Sam fixed the leaking roof in May.", "In May Sam repaired the roof, which leaked.", "In May Sam repaired the leaking pipe."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "faithful", "other"), THINGS, ids=[row[2] for row in THINGS])
def test_the_only_thing_left_over_on_both_sides_was_put_in_the_place_of_the_other(source, faithful, other):
    assert report(source, faithful).passed
    assert not report(source, other).passed


MODIFIED = [
    ("Hannah wants a wooden fence around the garden.", "A fence of wood around the garden is what Hannah wants.", "A metal fence around the garden is what Hannah wants."),
    ("The firm runs a private clinic in Bonn.", "In Bonn the firm operates a clinic that is private.", "In Bonn the firm operates a public clinic."),
    ("Jo takes a digital camera on hikes.", "A digital camera comes along on Jo's hikes.", "An analogue camera comes along on Jo's hikes."),
    ("User has a lecture on Roman history every Tuesday.", "Each Tuesday the user attends a lecture about Roman history.", "Each Tuesday the user attends a lecture about medieval history."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "faithful", "other"), MODIFIED, ids=[row[2] for row in MODIFIED])
def test_another_word_that_says_what_the_same_noun_is_like_is_found(source, faithful, other):
    assert report(source, faithful).passed
    assert not report(source, other).passed


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("User keeps spare keys in a jar.", "Spare keys are kept by the user in a glass container."),
        ("Marta is the user's tenant.", "The user is Marta's landlord."),
        ("User's older brother runs a bakery.", "The big brother of the user has a bakery."),
        ("The couple honeymooned on an island.", "The pair spent their honeymoon on an isle."),
        ("Ben repairs watches in his attic.", "In the loft of his house Ben mends watches."),
        ("Lars films weddings for a living.", "Lars is a wedding videographer by trade."),
        (
            "User's niece Amelie has started an apprenticeship as a carpenter.",
            "Amelie, the user's niece, began training as a carpenter.",
        ),
        ("User is studying to become a nurse.", "The user is in nursing school."),
        ("User practises the trumpet in the basement.", "In the cellar the user practises the trumpet."),
    ],
)
def test_a_word_that_is_akin_to_the_one_that_is_gone_may_tell_it(source, rewrite):
    assert not [item for item in report(source, rewrite).invented if item.kind == "opposite"]


SORTS = [
    ("User collects foreign banknotes and files them by year.", "The user files their collection of foreign banknotes by year.", "The user files their collection of foreign stamps by year."),
    ("User plays the cello in a chamber ensemble.", "The user is a cellist in a chamber ensemble.", "The user is a violinist in a chamber ensemble."),
    ("Rosa grows cucumbers and mint on the terrace.", "On Rosa's terrace there are cucumbers and mint.", "On Rosa's terrace there are aubergines and mint."),
    ("A donkey kicked Ivo, who is nervous near donkeys now.", "Kicked by a donkey, Ivo is now nervous near donkeys.", "Kicked by a horse, Ivo is now nervous near donkeys."),
    ("User is saving up for a sailing boat to see the fjords.", "The user is putting money aside for a sailing boat to see the fjords.", "The user is putting money aside for a motorhome to see the fjords."),
    ("Lin wants the agenda by text message, not over the phone.", "Lin would like the agenda by text instead of over the phone.", "Lin would like the agenda by email instead of over the phone."),
    ("Tove missed her niece's recital because of a strike.", "A strike made Tove miss the recital of her niece.", "A fever made Tove miss the recital of her niece."),
    ("Jonah makes puppets for a theatre in Graz.", "A theatre in Graz gets its puppets from Jonah.", "A museum in Graz gets its puppets from Jonah."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "faithful", "other"), SORTS, ids=[row[2] for row in SORTS])
def test_a_thing_is_told_as_another_of_its_sort(source, faithful, other):
    assert report(source, faithful).passed
    assert not report(source, other).passed


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("User had a fracture of the left hand in 2019.", "Back in 2019 the user fractured their left hand."),
        ("The choir tours villages in spring.", "In spring the choir goes round the villages."),
        ("Vera films concerts for a living.", "Vera is a concert videographer by trade."),
        ("User has twins, Ada and Finn, born in 2019.", "The user is the parent of twins called Ada and Finn, born in 2019."),
        ("Bo plays the harp in a folk band.", "Bo is the harpist of a folk band."),
    ],
)
def test_a_word_that_is_no_noun_there_stands_in_no_things_place(source, rewrite):
    assert not [item for item in report(source, rewrite).invented if item.kind == "opposite"]
