"""Summaries that join what several people do: what is denied of one is no denial of what another does."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import Report, verify


def check(sources: str, rewrite: str) -> Report:
    memories = [
        UserMemory(text, memory_id=f"m{at}", created_at=1_735_689_600 + at) for at, text in enumerate(sources.split(" | "))
    ]
    return verify(memories, [UserMemory(rewrite, memory_id="rewrite")])


JOINED = [
    (
        "Iva drinks her tea sweet. | Her husband Goran never touches tea and drinks cocoa instead.",
        "Iva takes her tea sweet, while her husband Goran drinks cocoa and never tea.",
        "Iva never takes her tea sweet, while her husband Goran drinks cocoa and never tea.",
    ),
    (
        "User's cousin Edwin is allergic to horses. | User keeps two horses, Bim and Lo. | User's cousin refuses to visit the stable.",
        "User keeps two horses, Bim and Lo, and their cousin Edwin, who is allergic to horses, won't visit the stable.",
        "User keeps two horses, Bim and Lo, and their cousin Edwin, who is not allergic to horses, won't visit the stable.",
    ),
    (
        "Vikram can't skate. | Vikram's daughter Sunita skates for the town club.",
        "Vikram cannot skate, but his daughter Sunita is in the town's skating club.",
        "Vikram cannot skate, and his daughter Sunita does not skate for the town club either.",
    ),
    (
        "Ilse pays the fee late every year. | The previous tenant always paid the fee on time.",
        "Ilse is late with the fee each year; the tenant before her was always punctual with the fee.",
        "Ilse is punctual with the fee each year; the tenant before her was always late with the fee.",
    ),
    (
        "Tove lent her kayak to Aron. | Aron returned it with a crack. | Tove doesn't lend him anything any more.",
        "When Tove lent Aron her kayak, he returned it with a crack, and she no longer lends him anything.",
        "When Tove lent Aron her kayak, he returned it with a crack, but she still lends him things.",
    ),
    (
        "Levin says the attic is too small. | His wife Mona says it is big enough.",
        "Levin finds the attic too small, Mona, his wife, finds it large enough.",
        "Levin finds the attic too small, Mona, his wife, does not find it large enough either.",
    ),
]


@pytest.mark.parametrize(("sources", "faithful", "faulted"), JOINED)
def test_what_is_denied_of_one_is_not_denied_of_another(sources: str, faithful: str, faulted: str) -> None:
    assert check(sources, faithful).passed, (check(sources, faithful).lost, check(sources, faithful).invented)
    assert not check(sources, faulted).passed


TOLD_OTHERWISE = [
    (
        "The Brandts wanted to buy a caravan but decided against it because of the narrow drive.",
        "Because the drive is narrow, the Brandts decided not to buy a caravan after all.",
        "Although the drive is narrow, the Brandts decided to buy a caravan.",
    ),
    (
        "Ugo isn't going to move because he loves the terrace.",
        "Ugo is staying because he loves the terrace.",
        "Ugo is moving although he loves the terrace.",
    ),
    (
        "Hedda isn't vaccinated against rabies yet. | Her mate Sissel had the shot in 2021.",
        "Her mate Sissel got a rabies shot in 2021, Hedda still needs hers.",
        "Hedda got her rabies shot in 2021, her mate Sissel still needs hers.",
    ),
    ("Arvo says he doesn't miss the boat.", "Arvo says he isn't missing the boat.", "Arvo says he is missing the boat."),
    (
        "Alva looks after the girls every Monday.",
        "Alva minds the girls on Mondays.",
        "Alva refuses to mind the girls on Mondays.",
    ),
    (
        "They agreed to wait with the loft until the baby is born.",
        "They've agreed to wait with the loft until after the birth of the baby.",
        "They've agreed to start with the loft before the birth of the baby.",
    ),
    (
        "The kiosk is open on weekdays. | It is closed on Sundays.",
        "On weekdays the kiosk is open, and on Sundays it stays shut.",
        "On weekdays and on Sundays the kiosk is open.",
    ),
    ("The kettle broke down in May.", "A breakdown of the kettle happened in May.", "The kettle did not break down in May."),
]


@pytest.mark.parametrize(("sources", "faithful", "faulted"), TOLD_OTHERWISE)
def test_a_denial_may_be_told_by_its_other_side(sources: str, faithful: str, faulted: str) -> None:
    kinds = {item.kind for item in (*check(sources, faithful).lost, *check(sources, faithful).invented)}
    assert not kinds & {"polarity", "opposite", "certainty", "swap"}, kinds
    assert not check(sources, faulted).passed


RELATED = [
    (
        "Abel likes tulips. | His neighbour Gerda grows roses.",
        "Gerda, Abel's neighbour, grows roses; Abel likes tulips.",
        "Abel, Gerda's neighbour, grows roses; Gerda likes tulips.",
    ),
    (
        "Selda's train was cancelled. | Her colleague Bulut arrived on time by car.",
        "Bulut came by car and arrived on time, whereas his colleague Selda's train was cancelled.",
        "Selda came by car and arrived on time, whereas her colleague Bulut's train was cancelled.",
    ),
    (
        "Prisca's manager is Oswin Hale, who works from the Malmo office.",
        "Prisca works for Oswin Hale, who is her manager and works from the Malmo office.",
        "Oswin Hale works for Prisca, who is his manager and works from the Malmo office.",
    ),
    (
        "User's landlord is Mr. Farrow. | User lives in Cork.",
        "The user lives in Cork and rents from landlord Mr. Farrow.",
        "The user's brother is Mr. Farrow. The user lives in Cork.",
    ),
]


@pytest.mark.parametrize(("sources", "faithful", "faulted"), RELATED)
def test_who_somebody_is_may_be_told_from_either_side(sources: str, faithful: str, faulted: str) -> None:
    kinds = {item.kind for item in (*check(sources, faithful).lost, *check(sources, faithful).invented)}
    assert not kinds & {"polarity", "opposite", "swap"}, kinds
    assert not check(sources, faulted).passed


def test_only_somebodys_mention_ties_no_denial() -> None:
    sources = "Mr. Halvorsen is user's landlord and lives upstairs. | User hasn't told the landlord about the leak."
    assert check(sources, "The user's landlord, Mr. Halvorsen, lives upstairs; the user has not told him about the leak.").passed
    assert not check(
        sources, "The user's landlord, Mr. Halvorsen, lives upstairs; the user has told the landlord about the leak."
    ).passed


def test_what_is_preferred_is_compared_by_its_kind() -> None:
    source = "Emeric prefers trains to planes."
    assert check(source, "Emeric would rather take the train than the plane.").passed
    assert not check(source, "Emeric would rather fly than take the train.").passed


MORE = [
    (
        "Lorin doesn't allow fish in his pots. | His flatmate Edda eats fish every day.",
        "Lorin, a vegetarian, bans fish from his pots, and his flatmate Edda has fish daily.",
        "Lorin, a vegetarian, allows fish in his pots, and his flatmate Edda has fish daily.",
    ),
    (
        "Fritjof never remembers birthdays.",
        "Fritjof always forgets birthdays.",
        "Fritjof always remembers birthdays.",
    ),
    (
        "Gesa's application for the plot was turned down. | Her friend Mungo got a plot in the same garden.",
        "Gesa was refused the plot she applied for, while her friend Mungo was given one in the same garden.",
        "Mungo was refused the plot he applied for, while his friend Gesa was given one in the same garden.",
    ),
    (
        "User isn't allowed to work from home. | User's colleague Tarik may work from home because he has a sick child.",
        "Colleague Tarik, who has a sick child, may work from home, but the user may not.",
        "Colleague Tarik, who has a sick child, may not work from home, but the user may.",
    ),
    (
        "Fenja takes the tram because her bike was stolen. | Fenja doesn't want a new bike before spring.",
        "Fenja, whose bike was stolen, takes the tram and doesn't want another bike until spring.",
        "Fenja, whose bike was not stolen, takes the tram and doesn't want another bike until spring.",
    ),
]


@pytest.mark.parametrize(("sources", "faithful", "faulted"), MORE)
def test_a_clause_is_held_against_the_one_that_it_tells(sources: str, faithful: str, faulted: str) -> None:
    kinds = {item.kind for item in (*check(sources, faithful).lost, *check(sources, faithful).invented)}
    assert not kinds & {"polarity", "opposite", "certainty"}, kinds
    assert not check(sources, faulted).passed


def test_a_pronoun_for_somebody_named_further_up_excuses_nothing() -> None:
    sources = "Alwin cannot stand the new market. | His granddaughter Cerys takes him shopping. | Alwin got a new hip in 2022."
    rewrite = "Alwin got a new hip in 2022. His granddaughter Cerys takes him shopping. He {} the new market."
    assert check(sources, rewrite.format("detests")).passed
    assert not check(sources, rewrite.format("is fond of")).passed
