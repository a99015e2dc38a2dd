"""A word that says which sort of thing a noun names, and that one side alone has: *a backend developer*, *a developer*."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def report(source, rewrite):
    return verify([UserMemory(source, memory_id="m0")], [UserMemory(rewrite, memory_id="new")])


@pytest.mark.parametrize(
    ("told", "bare", "word"),
    [
        ("User is a backend developer in Bonn.", "User is a developer in Bonn.", "backend"),
        ("User works as a pediatric nurse at Inselspital.", "User works as a nurse at Inselspital.", "pediatric"),
        ("User is a jazz pianist and lives in Oslo.", "User is a pianist and lives in Oslo.", "jazz"),
        ("User rides an electric bike to work.", "User rides a bike to work.", "electric"),
        ("User's sister is a tax lawyer in Kiel.", "User's sister is a lawyer in Kiel.", "tax"),
        ("User plays jazz piano on Sundays.", "User plays piano on Sundays.", "jazz"),
        ("User wants to become a helicopter pilot.", "User wants to become a pilot.", "helicopter"),
        ("User is a full-stack developer in Bonn.", "User is a developer in Bonn.", "full-stack"),
    ],
)
def test_a_sort_that_is_left_out_is_lost_and_one_that_is_put_in_is_invented(told, bare, word):
    left_out, put_in = report(told, bare), report(bare, told)
    assert [item.memory_id for item in left_out.lost] == ["m0"] and word in left_out.lost[0].detail
    assert not left_out.invented and left_out.retention < 1
    assert [item.fact for item in put_in.invented] == [word] and not put_in.lost


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User is a backend developer in Bonn.", "The user develops backend software in Bonn."),
        ("User works as a pediatric nurse at Inselspital.", "User works as a children's nurse at Inselspital."),
        ("User works as a pediatric nurse at Inselspital.", "User is a nurse on the children's ward of Inselspital."),
        ("User is a jazz pianist and lives in Oslo.", "User lives in Oslo and is a pianist who plays jazz."),
        ("User rides an electric bike to work.", "User commutes on a bike with an electric motor."),
        ("User rides an electric bike to work.", "User commutes on an e-bike."),
        ("User wants to become a helicopter pilot.", "User dreams of becoming a pilot and flying helicopters."),
        ("User works as a freelance translator.", "User works as a translator on a freelance basis."),
        ("User enjoys a quiet evening with a good book.", "User enjoys an evening with a book."),
        ("User attended a local festival in May.", "User attended a festival in May."),
        ("User is a close friend of Ann.", "User is a friend of Ann."),
        ("User has a pet rabbit called Momo.", "User has a rabbit called Momo."),
        ("John is running for office again.", "John is once more a candidate running for office."),
        ("User is a professional photographer.", "User is a photographer by profession."),
    ],
)
def test_what_is_told_otherwise_and_how_something_is_are_no_faults(one, other):
    for source, rewrite in ((one, other), (other, one)):
        found = report(source, rewrite)
        assert (found.lost, found.invented) == ((), ())


def test_a_sort_that_another_sentence_tells_is_told():
    sources = [
        UserMemory("User has an electric bike.", memory_id="m0"),
        UserMemory("User's bike is electric and blue.", memory_id="m1"),
    ]
    found = verify(sources, [UserMemory("User has a bike, which is electric and blue.", memory_id="new")])
    assert (found.lost, found.invented) == ((), ())


def test_a_sort_that_is_told_by_another_form_of_its_word_is_neither_lost_nor_invented():
    told, otherwise = (
        "Greta's uncle carved the wooden chess set in the hall.",
        "The chess set in the hall, made of wood, was carved by Greta's uncle.",
    )
    assert report(told, otherwise).passed
    assert not report(told, "The chess set in the hall was carved by Greta's uncle.").passed
