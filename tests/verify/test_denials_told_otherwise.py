"""Denials told in other words, in other clauses, or of something else: no contrary. And the same with the meaning turned."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def check(sources, rewrite):
    return verify([UserMemory(text, f"m{n}") for n, text in enumerate(sources)], [UserMemory(rewrite)])


STAY = ["They stay three nights in Trento, then two nights in Verona.", "The hotel in Trento charges €90 a night, parking not included.", "User can't eat shellfish."]  # fmt: skip
UNITS = ["She prefers recipes in grams, not cups.", "He prefers e-mail over calls."]
BALLET = ["User's daughter Pia isn't interested in ballet; she does karate."]
NOTARY = ["User's uncle is a notary and checked the contract for free."]
UNCLES = ["User takes care of her uncles, Otto (79) and Emil (84), in Linz.", "Emil refuses to wear a hearing aid."]
PETS = ["User has a hamster, Kiki (2), and a parrot, Rollo (9).", "Kiki is chipped, Rollo is not."]
SHOP = ["The shop is closed on Sundays and Mondays.", "The store isn't open on Sundays or Mondays.", "User wants to open a second shop in autumn."]  # fmt: skip
GLUTEN = ["User is gluten intolerant but can eat oats.", "User never drinks wine."]
IDA = ["Ida is no longer allowed to cycle.", "Ida has arthritis."]
CAR = ["User has no car and no bike.", "User walks to work."]
MUSEUM = ["The museum doesn't charge students.", "The museum isn't open on Mondays."]
TOBACCO = ["User refuses tobacco clients.", "She never takes on tobacco work."]


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (STAY, "They stay in Trento for 3 nights, in a hotel that charges €90 per night without parking, and after that in Verona for 2. Shellfish is something the user cannot eat."),
        (UNITS, "She likes her recipes in grams rather than cups. He would rather get e-mails than calls."),
        (BALLET, "Ballet holds no interest for the user's daughter Pia, who does karate."),
        (NOTARY, "The contract was checked at no charge by the user's uncle, who is a notary."),
        (UNCLES, "The user cares for her uncles in Linz: Otto, 79, and Emil, 84. Emil won't wear a hearing aid."),
        (PETS, "The user has two pets: Kiki, a hamster aged 2, and Rollo, a parrot aged 9. Kiki has a chip, but Rollo has none."),
        (SHOP, "The user would like to open a second shop in autumn. Closed on Sundays and Mondays."),
        (GLUTEN, "Gluten is not tolerated, though oats are fine, and wine is never drunk."),
        (IDA, "Ida has arthritis and may not cycle any more."),
        (CAR, "The user, who owns neither a car nor a bike, goes to work on foot."),
        (MUSEUM, "Students get into the museum for free; on Mondays it is closed."),
        (TOBACCO, "She always turns down tobacco work and tobacco clients."),
        (["User can eat hard cheese but no milk."], "Milk is nothing the user can have, though hard cheese is fine."),
    ],
)  # fmt: skip
def test_the_same_denied_otherwise_is_held(sources, rewrite):
    assert check(sources, rewrite).passed


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (STAY, "They don't stay in Trento for 3 nights, in a hotel that charges €90 per night without parking, but go to Verona for 2. Shellfish is something the user cannot eat."),
        (STAY, "They stay in Trento for 3 nights, in a hotel that charges €90 per night with parking, and after that in Verona for 2. Shellfish is something the user cannot eat."),
        (UNITS, "She likes her recipes in cups rather than grams. He would rather get e-mails than calls."),
        (BALLET, "Ballet is of great interest to the user's daughter Pia, who does karate."),
        (NOTARY, "The contract was checked for a fee by the user's uncle, who is a notary."),
        (UNCLES, "The user cares for her uncles in Linz: Otto, 79, and Emil, 84. Emil likes to wear a hearing aid."),
        (PETS, "The user has two pets: Kiki, a hamster aged 2, and Rollo, a parrot aged 9. Both Kiki and Rollo have a chip."),
        (SHOP, "The user would like to open a second shop in autumn. Open on Sundays and Mondays."),
        (GLUTEN, "Gluten is not tolerated, nor are oats, and wine is never drunk."),
        (IDA, "Ida has arthritis and may still cycle."),
        (CAR, "The user, who owns a car and a bike, goes to work on foot."),
        (MUSEUM, "Students pay full price in the museum; on Mondays it is closed."),
        (TOBACCO, "She always takes on tobacco work and tobacco clients."),
        (["User can eat hard cheese but no milk."], "Hard cheese is nothing the user can have, though milk is fine."),
        (["Rudi speaks Greek but cannot read it.", "Rudi plays chess."], "Rudi reads Greek but cannot speak it. He plays chess."),
    ],
)  # fmt: skip
def test_the_contrary_is_found(sources, rewrite):
    assert not check(sources, rewrite).passed


def test_two_people_keep_what_is_told_of_each():
    sources = ["Ida sings and writes the songs, Omar plays the drums.", "Ida works as a welder, Omar studies law."]
    assert check(
        sources, "Ida, who works as a welder, sings and writes the songs; Omar, who studies law, plays the drums."
    ).passed
    exchanged = "Ida, who studies law, sings and writes the songs; Omar, who works as a welder, plays the drums."
    assert not check(sources, exchanged).passed
