"""Facts that are told of another person, by the people at the head of each clause."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def report(sources, rewrite):
    rows = [UserMemory(text, memory_id=f"m{at}", created_at=1735689600 + 86400 * at) for at, text in enumerate(sources)]
    return verify(rows, [UserMemory(rewrite, memory_id="r")])


STROKE = ["User swims every Monday.", "User's father had a heart attack at 58."]
TRIP = ["User toured Ghent in 2018 with his cousin Ruben.", "User plans a week in Riga in April with his wife Hedda."]
HELP = ["User's neighbour Otto offered to feed the cats; Otto's wife Greta works at the bakery."]
LESSONS = [
    "User's son Emil (12) plays hockey; daughter Runa (10) plays the flute.",
    "Emil has practice on Mondays and Runa has lessons on Fridays.",
]
STAFF = ["Carmen runs a florist's; her assistant Ivo drives the van; her assistant Lotte does the books and speaks Danish."]
ELDERS = [
    "User's mother-in-law Solveig moved into the annex in May 2024.",
    "Solveig can't drive and needs a hearing aid.",
    "User's father Matthias still lives on his own in Ulm.",
]
COMMON_NAMES = ["Paul keeps bees on the roof of the library.", "Maria paints birds in the garden."]
TWIN = ["User works at the aquarium in Genoa.", "User's twin sister works at the mint in Bern."]
CASES = [
    (COMMON_NAMES, "On the library's roof Paul keeps bees; Maria paints birds in the garden.",
     "Paul keeps bees on the roof of the library and paints birds in the garden; so does Maria."),
    (TWIN, "The user is employed at Genoa's aquarium, the twin sister at the mint in Bern.",
     "The user is with the mint in Bern; the twin sister is with the aquarium in Genoa."),
    (["John's yoga teacher Ines wants quiet during the poses.", "John teaches physics."], "John is a physics teacher. His yoga teacher Ines wants it quiet during the poses.",
     "Ines is a physics teacher. Her yoga teacher John wants it quiet during the poses."),
    (["Anna and Tim want to foster a dog.", "Anna grew up on a dairy farm herself."], "Anna, who herself grew up on a dairy farm, and Tim want to foster a dog.",
     "Anna and Tim, who himself grew up on a dairy farm, want to foster a dog."),
    (["Tilda follows FC Basel.", "Tilda's boyfriend supports Servette."], "Tilda is an FC Basel supporter, her boyfriend one of Servette.", "Tilda is a supporter of Basel and Servette; she has a boyfriend."),
    (["Jonah is allergic to wasps, and his wife Edda to birch pollen.", "They run a nursery."], "Jonah and his wife Edda run a nursery; he is allergic to wasps, she to birch pollen.",
     "Jonah and his wife Edda run a nursery; Jonah is allergic to wasps and birch pollen."),
    (["Iver's father is a retired bishop; his mother still sells stamps.", "Iver himself is a welder."], "Iver is a welder whose father is a retired bishop and whose mother still sells stamps.",
     "Iver is a retired bishop whose father is a welder and whose mother still sells stamps."),
    (["Mirja's husband Anders is a diver.", "Mirja is afraid of deep water."], "Mirja's husband Anders is a diver, whereas she is afraid of deep water.",
     "Mirja's husband Anders is a diver who is afraid of deep water."),
    (["Lena and Paul share a workshop in Ghent.", "Lena is a glazier, Paul a saddler."], "Lena, a glazier, and Paul, a saddler, share a workshop in Ghent.",
     "Lena, a saddler, and Paul, a glazier, share a workshop in Ghent."),
    (STROKE, "Every Monday the user goes swimming. Her father had a heart attack at the age of 58.",
     "Every Monday the user goes swimming. She had a heart attack at the age of 58."),
    (STROKE, "The user swims each Monday. The user's dad suffered a heart attack at 58.", "The user swims each Monday and suffered a heart attack at 58."),
    (["User's cat had kidney surgery last year.", "User volunteers at a food bank."], "Last year the user's cat underwent kidney surgery. The user is a volunteer at a food bank.",
     "Last year the user underwent kidney surgery. The user is a volunteer at a food bank."),
    (["User's niece Ilse is 7; his nephew Bengt is 12.", "User is looking for a tent for Ilse, at most 90 euros."], "The user's niece Ilse is 7, his nephew Bengt 12. He wants to find a tent for Ilse that costs no more than 90 euros.",
     "The user's niece Ilse is 7, his nephew Bengt 12. He wants to find a tent for Bengt that costs no more than 90 euros."),
    (TRIP, "In 2018 the user toured Ghent with Ruben, his cousin. In April he and his wife Hedda plan to spend a week in Riga.",
     "In 2018 the user toured Ghent with Ruben, his cousin. In April he, Ruben and his wife Hedda plan to spend a week in Riga."),
    (HELP, "Otto, a neighbour of the user, offered to feed the cats. His wife Greta works at the bakery.",
     "Otto, a neighbour of the user, and his wife Greta, who works at the bakery, offered to feed the cats."),
    (LESSONS, "Runa, the user's daughter, is 10 and plays the flute, with lessons every Friday. Emil, the son, is 12 and a hockey player, with practice every Monday.",
     "Runa, the user's daughter, is 10. Emil, the son, is 12 and a hockey player, with practice every Monday; he also plays the flute, with lessons every Friday."),
    (STAFF, "Carmen runs a florist's. Of her assistants, Ivo drives the van, and Lotte, who speaks Danish, keeps the books.",
     "Carmen runs a florist's. Her assistants are Ivo and Lotte; Ivo, who speaks Danish, drives the van and keeps the books."),
    (ELDERS, "In May 2024 Solveig, the user's mother-in-law, moved into the annex. She cannot drive and needs a hearing aid. Matthias, the user's father, still lives alone in Ulm.",
     "In May 2024 Solveig, the user's mother-in-law, moved into the annex. She and Matthias, the user's father, who still lives alone in Ulm, cannot drive and need a hearing aid."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "merged"), CASES, ids=[row[2] for row in CASES])
def test_what_is_told_of_somebody_else_is_found(sources, faithful, merged):
    assert not [item for item in report(sources, faithful).invented if item.kind == "swap"]
    found = report(sources, merged)
    assert found.invented
    assert found.lost


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["User's mother was a surgeon."], "The user's mum was a surgeon."),
        (["User's boss comes from Narvik."], "The user's manager is a native of Narvik."),
        (["User's manager denied the request for a sabbatical."], "The user's request for a sabbatical was turned down by the manager."),
        (["User's password manager is Bitwarden."], "The user keeps passwords in Bitwarden."),
        (["User has two sons, Otis (5) and Hugo (8).", "User's wife Mona is a nurse."], "Family: wife Mona, a nurse, and two sons, Otis (5) and Hugo (8)."),
        (["Arvid keeps eight hives.", "Arvid's neighbour Britt is 66 and feeds the hens when he is away."],
         "Arvid keeps eight hives. The hens, which Britt, his 66-year-old neighbour, feeds when he is away, are well."),
        (["User met Amira in Porto and talked about the index.", "User met Priya in Malmö and talked about the index.", "Amira moved to Bern."],
         "User met Amira in Porto and Priya in Malmö, and talked about the index. Amira moved to Bern."),
        (["User's wife is pregnant and the baby is due in March."], "The user and his wife are going to have a baby in March."),
        (["Maya takes piano lessons on Tuesdays; Arjun plays football on Saturdays.", "User has two children: Maya, 9, and Arjun, 6."],
         "Of the user's two children, Maya is 9 and takes piano lessons on Tuesdays, while Arjun is 6 and plays football on Saturdays."),
    ],
)  # fmt: skip
def test_other_words_for_the_same_person_are_nobody_else(sources, rewrite):
    assert not [item for item in report(sources, rewrite).invented if item.kind == "swap"]


def test_a_name_alone_does_not_tell_what_is_said_beside_it():
    sources = ["Bjarte is learning Korean.", "Bjarte finds Korean honorifics hard."]
    assert "m1" in report(sources, "Bjarte is learning Korean these days.").lost_ids
    assert not report(sources, "Bjarte is learning Korean and finds its honorifics difficult.").lost
    assert not report(
        ["User trusts only one mechanic, a man called Duarte."], "The only mechanic the user trusts is Duarte."
    ).lost


@pytest.mark.parametrize(
    ("sources", "rewrite", "faulted"),
    [
        (["Odile runs a bakery.", "Her friend Hugo repairs clocks."], "Odile has a bakery, and her friend Hugo mends clocks.",
         "Odile has a bakery and repairs clocks; Hugo is a friend of hers."),
        (["User has a horse called Ginger and a pony called Biscuit.", "Ginger loves apples.", "Biscuit is afraid of water."],
         "Ginger, the user's horse, loves apples, and Biscuit, the pony, is afraid of water.",
         "Ginger, the user's horse, loves apples and is afraid of water; the pony is called Biscuit."),
        (["Grace sold her flat in May.", "Max plays the oboe in a wind quintet."], "Grace sold her flat in May; Max is the oboist of a wind quintet.",
         "Grace sold her flat in May and plays the oboe in a wind quintet; Max does not live there."),
        (["User has two sons: Omar, 9, and Idris, 6.", "Omar plays chess.", "Idris is allergic to eggs."],
         "The user has two sons: Omar, aged 9, plays chess; Idris, aged 6, has an egg allergy.",
         "The user has two sons: Omar, aged 9, has an egg allergy; Idris, aged 6, plays chess."),
    ],
)  # fmt: skip
def test_what_one_of_two_does_is_not_told_of_the_other(sources, rewrite, faulted):
    assert not report(sources, rewrite).invented
    assert [item.kind for item in report(sources, faulted).invented if item.kind == "swap"]
