"""How denials are laid out over the clauses of a summary that joins several memories: what is told twice, aside, or of another thing."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify
from memopt.verify.bounds import LOWER, UPPER, bounds

# sources, a faithful summary, the same with a turned meaning
PAIRS = {
    "what two clauses deny, one denies": (
        ["Marlow can't eat gluten."],
        "Gluten is off the menu for Marlow, who cannot eat it.",
        "Gluten is on the menu for Marlow, who can eat it.",
    ),
    "what is ended is no more": (
        ["User cancelled the wine subscription."],
        "The user no longer gets the wine subscription, having cancelled it.",
        "The user still gets the wine subscription.",
    ),
    "what is denied beside says nothing of what is denied twice": (
        ["Marlow's old boat cannot cross the lake."],
        "Marlow's boat is old and unable to cross the lake.",
        "Marlow's boat is not old and unable to cross the lake.",
    ),
    "a denial of another thing in the same sentence excuses none": (
        ["Dilys unsubscribed from the choir newsletter.", "Dilys skips the warm-up because of a sore ankle."],
        "Dilys leaves out the warm-up on account of a sore ankle and has unsubscribed from the choir newsletter.",
        "Dilys leaves out the warm-up on account of a sore ankle and has subscribed to the choir newsletter.",
    ),
    "who shares a word is another one": (
        ["Petra doesn't mind early trains.", "Petra's husband hates missing trains at night."],
        "Petra does not mind early trains, but her husband can't stand missing trains at night.",
        "Petra can't bear early trains, but her husband can't stand missing trains at night.",
    ),
    "a whole clause behind a semicolon goes on with no list": (
        ["The clinic has no parking.", "The insurer won't cover the brace past August."],
        "The clinic has no parking; past August the insurer refuses to cover the brace.",
        "The clinic has no parking; past August the insurer agrees to cover the brace.",
    ),
    "a clause before a colon is no label": (
        ["Ines is not on speaking terms with Boris.", "Ines didn't open the parcel that Boris sent in spring."],
        "Ines and Boris are not on speaking terms: she did not open the parcel that Boris sent in spring.",
        "Ines and Boris are not on speaking terms: she opened the parcel that Boris sent in spring.",
    ),
    "not yet, and what is not done yet": (
        ["The scanner app still doesn't export tables."],
        "What the scanner app does not do yet is export tables.",
        "The scanner app now exports tables, too.",
    ),
    "whether one or the other": (
        ["Owen isn't sure whether to sell the barn or rebuild it."],
        "Whether to sell the barn or rebuild it is something Owen isn't sure of.",
        "Owen is sure that he will sell the barn.",
    ),
    "not before is until": (
        ["Rosalind must stay in bed until Sunday."],
        "Rosalind can't leave her bed before Sunday.",
        "Rosalind can leave her bed before Sunday.",
    ),
    "nothing before is the earliest": (
        ["The workshop has no free bench before 4 March."],
        "The workshop's earliest free bench is on 4 March.",
        "The workshop has a free bench before 4 March.",
    ),
    "what is out of reach cannot be reached": (
        ["Idris cannot reach the new allotment by tram."],
        "The new allotment is out of reach by tram for Idris.",
        "The new allotment is within reach by tram for Idris.",
    ),
    "what stays out is not let in": (
        ["User's dog is not allowed in the kitchen."],
        "The user's dog stays out of the kitchen.",
        "The user's dog is allowed in the kitchen.",
    ),
    "non- and no": (
        ["The concert ticket is non-refundable."],
        "No refund is given on the concert ticket.",
        "A refund is given on the concert ticket.",
    ),
    "unlikely and probably not": (
        ["Agnes probably won't extend the mortgage in May."],
        "Agnes is unlikely to extend the mortgage in May.",
        "Agnes is likely to extend the mortgage in May.",
    ),
    "dread and not look forward": (
        ["Conrad is not looking forward to the driving test."],
        "Conrad is dreading the driving test.",
        "Conrad is looking forward to the driving test.",
    ),
    "to let go and to keep": (
        ["The school agreed to keep Tomas on."],
        "The school has agreed not to let Tomas go.",
        "The school has decided to let Tomas go.",
    ),
    "got rid of and deleted": (
        ["Sunniva deleted her old profile in 2020 and has never regretted it."],
        "Sunniva got rid of her old profile in 2020 and has never regretted it.",
        "Sunniva kept her old profile in 2020 and has never regretted it.",
    ),
    "what is taken against an illness is not refused": (
        ["Edda has migraines but refuses to take triptans."],
        "Edda, who has migraines, won't take triptans.",
        "Edda takes triptans against her migraines.",
    ),
    "what ends a list that is kept": (
        ["Removed the old parser while preserving all existing names and comments"],
        "The old parser was removed without changing any existing names or comments.",
        "The old parser was removed without preserving any existing names or comments.",
    ),
    "an end with its reason": (
        ["Benno used to sail with the Harbour Club but no longer does after a broken mast."],
        "Benno once sailed with the Harbour Club, but ever since a mast broke he has stopped sailing with them.",
        "Benno still sails with the Harbour Club after a broken mast.",
    ),
    "yet to and not": (
        ["Orla's brother has not noticed the dent."],
        "Orla's brother is yet to notice the dent.",
        "Orla's brother has noticed the dent.",
    ),
    "closed, and open except then": (
        ["The kiosk closes on Wednesdays and opens at 8:15 on other days."],
        "The kiosk opens at 8:15 every day except Wednesday, when it is shut.",
        "The kiosk closes on Thursdays and opens at 8:15 on other days.",
    ),
    "no plans to marry": (
        ["Lothar is single and has no plans to marry."],
        "Lothar isn't married and does not intend to marry.",
        "Lothar is single and intends to marry.",
    ),
    "not more than, and at most": (
        ["Greta will not pay more than $80 for the lamp."],
        "Greta will pay $80 at most for the lamp.",
        "Greta will pay more than $80 for the lamp.",
    ),
    "not heavier than": (
        ["Bertil isn't allowed to carry anything heavier than 7 kg."],
        "Bertil isn't allowed to carry more than 7 kg.",
        "Bertil may carry more than 7 kg.",
    ),
    "of whom nobody is told": (
        ["Ruth collects stamps and owns 410 of them.", "Ruth never shows her stamps to anyone."],
        "A collector of stamps, Ruth owns 410 of them and shows them to nobody.",
        "A collector of stamps, Ruth owns 410 of them and shows them to everybody.",
    ),
}


def alarms(sources, rewrite):
    memories = [UserMemory(text, memory_id=str(number), created_at=1735689600 + number) for number, text in enumerate(sources)]
    report = verify(memories, [UserMemory(rewrite, memory_id="rewrite")])
    return [(item.kind, item.fact) for item in (*report.lost, *report.invented)]


@pytest.mark.parametrize("name", PAIRS)
def test_the_same_denial_laid_out_otherwise_raises_no_alarm(name):
    sources, faithful, _ = PAIRS[name]
    assert alarms(sources, faithful) == []


@pytest.mark.parametrize("name", PAIRS)
def test_a_meaning_turned_there_is_found(name):
    sources, _, turned = PAIRS[name]
    assert alarms(sources, turned)


@pytest.mark.parametrize(
    ("text", "number", "side"),
    [
        ("will not pay more than £50", "50", UPPER),
        ("a desk for £50 at most", "50", UPPER),
        ("never stays longer than 2 hours", "2", UPPER),
        ("costs over $400", "400", LOWER),
        ("runs 10 km or more", "10", LOWER),
        ("never sleeps less than 8 hours", "8", LOWER),
    ],
)
def test_a_figure_is_bounded_from_the_side_that_is_meant(text, number, side):
    assert bounds(text) == {number: frozenset((side,))}


def test_a_figure_alone_is_not_bounded():
    assert bounds("pays 50 for 2 hours") == {}
