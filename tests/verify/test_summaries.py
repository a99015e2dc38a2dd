"""What summaries of several memories do to figures, days, abbreviations and small words: all of it is held, and a change is found."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify

DAY = 86_400


def check(sources, rewrite):
    memories = [UserMemory(text, f"m{n}", created_at=1_735_689_600 + n * DAY) for n, text in enumerate(sources)]
    return verify(memories, [UserMemory(rewrite)])


PETS = ["User has a cat, Mimi (12), and a dog, Rex (3).", "Mimi has asthma and takes 5 mg of prednisone daily.", "Rex must not eat grapes."]  # fmt: skip
GRANT = ["User's grant of $2,000 a month ends in May 2027.", "User wants to submit the thesis in February 2027."]
MATCH = ["The match was lost 2.5 to 5.5.", "User's rating is 1600."]
DENTIST = ["The dentist is Dr. Lund at the Hill Road practice, phone 555-0199."]
TOOL = ["User's project is a mapping tool written in Rust 1.78, repository github.com/acme/mapper."]
BAND = ["They practise on Mondays at 8 pm in a barn near Ulm.", "Practice was moved to Fridays in May; time and place stay the same."]  # fmt: skip
SUPPLIER = ["Her biggest supplier is Lind & Sons in Malmö."]
RUN = ["Dora ran 12 km last week, her longest ever."]
SLACK = ["Ben doesn't use Slack, write him an e-mail."]
SHOP = ["User runs a diner called Blue Door with 40 seats.", "The restaurant isn't open on Mondays or Tuesdays.", "User wants to open a terrace in spring."]  # fmt: skip
GOALS = ["Mara uses a mentor, goal setting and finding gaps to stay motivated."]


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (PETS, "The user has two pets. Mimi is a 12-year-old cat with asthma who gets 5 mg of prednisone every day. Rex, a dog aged 3, must not be fed grapes."),
        (["A poem by W.B. Yeats is dear to Nora.", "Nora reads W.B. Yeats every night."], "Nora reads W.B. Yeats each night; a poem of his is dear to her."),
        (["Rosa moved to the U.S. in 2015. She teaches maths."], "In 2015 Rosa moved to the U.S. She is a maths teacher."),
        (DENTIST, "The dentist is Dr. Lund at the Hill Road practice (tel. 555-0199)."),
        (MATCH, "The match ended in a 2½–5½ defeat. The user's rating is 1600."),
        (GRANT, "The user would like to hand in the thesis in February 2027; the monthly grant of $2,000 runs out in May of the same year."),
        (TOOL, "**Project:** mapping tool in Rust 1.78 (github.com/acme/mapper)."),
        (BAND, "They practise in a barn near Ulm at 8 p.m., since May on Fridays instead of Mondays."),
        (SUPPLIER, "Lind & Sons of Malmö is her largest supplier."),
        (RUN, "Last week Dora ran 12 km, a personal best."),
        (SLACK, "Ben isn't on Slack and should be e-mailed."),
        (SHOP, "- The user runs Blue Door, a diner that seats 40, and would like to open a terrace in spring.\n- Closed on Mondays and Tuesdays."),
        (GOALS, "To stay motivated Mara relies on a mentor, sets goals and looks for gaps."),
        (["Property tax of €400 is due in June."], "Property tax, €400, falls due in June."),
        (["User knows some Dutch, which she finds useful at work."], "She knows some Dutch, which comes in handy at work."),
        (["Lou Reed is an inspiration for Pia's writing, and she takes notes on his writing."], "Lou Reed inspires Pia as a writer, and she takes notes on his writing."),
    ],
)  # fmt: skip
def test_the_same_in_the_forms_of_a_summary_is_held(sources, rewrite):
    assert check(sources, rewrite).passed


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (PETS, "The user has four pets. Mimi is a 12-year-old cat with asthma who gets 5 mg of prednisone every day. Rex, a dog aged 3, must not be fed grapes."),
        (DENTIST, "The dentist is Dr. Lund at the Hill Road practice (tel. 555-0188)."),
        (MATCH, "The match ended in a 3½–4½ defeat. The user's rating is 1600."),
        (GRANT, "The user would like to hand in the thesis in February 2027; the monthly grant of $2,000 runs out in April of the same year."),
        (GRANT, "The user would like to hand in the thesis in February 2027; the monthly grant of $2,000 runs out in May of the next year."),
        (TOOL, "**Project:** mapping tool in Rust 1.80 (github.com/acme/mapper)."),
        (BAND, "They practise in a barn near Ulm at 7 p.m., since May on Fridays instead of Mondays."),
        (SUPPLIER, "Lind & Sons of Malmö is her smallest supplier."),
        (RUN, "Last week Dora ran 12 km."),
        (SLACK, "Ben isn't on Slack and should be phoned."),
        (SHOP, "- The user runs Blue Door, a diner that seats 40, and would like to open a terrace in spring.\n- Open on Mondays and Tuesdays."),
        (GOALS, "To stay motivated Mara relies on a mentor, sets goals and looks for sponsors."),
        (["Property tax of €400 is due in June."], "Property tax, €400, falls due in July."),
    ],
)  # fmt: skip
def test_a_change_among_them_is_found(sources, rewrite):
    assert not check(sources, rewrite).passed
