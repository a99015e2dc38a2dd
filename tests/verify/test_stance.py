"""The same told the other way round is found, and the same told with another denial is not."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

TURNED = [
    ("User gave up smoking after a scare with his lungs.", "User has been smoking since a scare with his lungs."),
    ("User used to play the cello in an orchestra.", "The user plays the cello in an orchestra."),
    ("User is learning to weld.", "The user gave up learning to weld."),
    (
        "User has an appointment with the tax adviser on Friday.",
        "The user's appointment with the tax adviser on Friday was cancelled.",
    ),
    (
        "User would rather work in small teams than in large ones.",
        "The user would rather work in large teams than in small ones.",
    ),
    ("User has trouble concentrating in the afternoon.", "The user has no trouble concentrating in the afternoon."),
    ("User sleeps badly when there is a full moon.", "The user sleeps well when there is a full moon."),
    ("User dislikes being interrupted during deep work.", "The user does not mind being interrupted during deep work."),
    ("User's blood type is O negative.", "The user's blood type is O positive."),
    ("User thinks the new manager is unfair.", "The user thinks the new manager is fair."),
    ("User distrusts online banking.", "The user trusts online banking."),
    ("User can't sleep without earplugs.", "The user can sleep without earplugs."),
    ("User's doctor advised against running.", "The user's doctor advised running."),
    ("User speaks Tamil but cannot read it.", "The user reads Tamil but cannot speak it."),
    ("User's cousin was acquitted of fraud.", "The user's cousin was convicted of fraud."),
    ("User enjoys small talk.", "The user finds small talk exhausting."),
    ("User is allergic to bee stings.", "The user is not allergic to bee stings."),
    ("User's salary was cut by ten percent.", "The user's salary was raised by ten percent."),
    ("用户对花生过敏。", "用户对花生不过敏。"),
    ("用户不同意涨价。", "用户同意涨价。"),
    ("用户宁愿走路也不坐公交。", "用户宁愿坐公交也不走路。"),
    ("用户喜欢安静的餐厅，不喜欢自助餐。", "用户喜欢自助餐，不喜欢安静的餐厅。"),
    ("用户取消了六月去云南旅行的计划。", "用户计划六月去云南旅行。"),
    ("用户辞去了银行的工作。", "用户没有辞去银行的工作。"),
]


def check(source, rewrite):
    return verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="b")])


@pytest.mark.parametrize(("source", "rewrite"), TURNED)
def test_a_turned_meaning_is_found_both_ways(source, rewrite):
    assert not check(source, rewrite).passed
    assert not check(rewrite, source).passed


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("User stopped eating meat.", "The user no longer eats meat."),
        ("User can't stand cilantro.", "The user strongly dislikes cilantro."),
        ("User is unable to lift heavy things since the accident.", "Since the accident, lifting heavy things is impossible for the user."),
        ("User hates being interrupted while coding.", "Being interrupted during coding is something the user can't stand."),
        ("User is allergic to penicillin.", "Penicillin must be avoided because of an allergy."),
        ("User had a knee operation in 2022 and cannot ski anymore.", "Since knee surgery in 2022 the user can no longer ski."),
        ("User wants to lose 6 kg before summer.", "Before summer, the user hopes to drop 6 kg."),
        ("User finds the new chair uncomfortable.", "The new chair isn't comfortable for the user."),
        ("User quit the volleyball team after a quarrel with the coach.", "After a quarrel with the coach, the user left the volleyball team."),
        ("User was rejected by the academy in Weimar.", "The academy in Weimar turned the user down."),
        ("User has been unemployed since the factory closed.", "Since the closing of the factory the user has had no job."),
        ("用户不接受远程面试。", "用户拒绝远程面试。"),
        ("User has no siblings.", "The user has neither brothers nor sisters."),
        ("用户不再使用微信支付。", "用户已经停用微信支付。"),
    ],
)  # fmt: skip
def test_the_same_with_another_denial_raises_no_alarm(source, rewrite):
    assert check(source, rewrite).passed


def test_a_denial_of_something_else_in_the_same_sentence_turns_nothing():
    report = check("User works from home.", "The user works from home.")
    assert report.passed
    sources = [UserMemory("User works from home on Mondays.", memory_id="a"), UserMemory("User hates noise.", memory_id="b")]
    assert verify(sources, [UserMemory("The user works from home on Mondays because he hates noise.")]).passed


def test_a_list_behind_a_semicolon_is_still_denied():
    sources = [
        UserMemory(f"User does not want to hear about {thing}.", memory_id=thing)
        for thing in ("ladles from Lyon", "tents from Bonn")
    ]
    assert verify(sources, [UserMemory("User does not want to hear about ladles from Lyon; tents from Bonn.")]).passed


@pytest.mark.parametrize(
    "parts",
    [
        ("Mara is allergic to peanuts", "takes 5 mg of ramipril every morning"),
        ("Jonas is allergic to nuts", "plays chess every morning"),
        ("Mara hates loud bars", "plays the cello"),
        ("Mara does not eat meat", "has two children"),
    ],
)
def test_what_is_joined_to_a_denial_of_the_same_person_is_not_denied(parts):
    name, verb = parts[0].split()[0], parts[1]
    sources = [UserMemory(f"{parts[0]}.", "a"), UserMemory(f"{name} {verb}.", "b")]
    assert verify(sources, [UserMemory(f"{parts[0]} and {verb}.")]).passed
    assert verify(sources, [UserMemory(f"{name} {verb} and {parts[0].removeprefix(name).strip()}.")]).passed


def test_a_denial_of_what_a_person_does_is_still_found():
    assert not check("Mara plays the cello.", "Mara does not play the cello.").passed
    assert not check("Mara is allergic to peanuts.", "Mara is not allergic to peanuts.").passed


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("User left Acme.", "User works at Acme."),
        ("User left Oslo.", "User lives in Oslo."),
    ],
)
def test_who_left_is_not_there(one, other):
    for source, rewrite in ((one, other), (other, one)):
        report = verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="b")])
        assert report.invented


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("User left Oslo in 2020.", "User moved away from Oslo in 2020."),
        ("User left Acme in May.", "User quit Acme in May."),
        ("User left his phone in Oslo.", "User's phone was left in Oslo."),
    ],
)
def test_one_departure_in_other_words_is_the_same(source, rewrite):
    assert verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="b")]).passed


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("Anna had to say goodbye to her pony, Bruno.", "Anna had to part with Bruno, her pony."),
        ("User used to row.", "In earlier days the user rowed."),
        ("User finds Bach rewarding but cannot stand Liszt.", "Liszt is unbearable for the user, Bach rewarding."),
    ],
)
def test_an_end_and_a_dislike_are_the_same_in_other_words(source, rewrite):
    assert verify([UserMemory(source, "m0")], [UserMemory(rewrite)]).passed
