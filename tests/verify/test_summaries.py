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


WEAVER = ["User weaves rugs and fires her own beads in a small kiln.", "Her rugs are sold in the shop Warp & Co. in Trondheim.", "User never uses nylon."]  # fmt: skip
COUPLE = ["Nils and Ruth are engaged and looking for a house in Kiel.", "Ruth wants a garden; Nils cares more about a short commute.", "Ruth works as an optician, Nils as a land surveyor."]  # fmt: skip
LETTING = ["The new studio is at Rua Augusta 9, second floor, no lift.", "Rent is €930 including heating.", "The moving company charges €610."]  # fmt: skip
RETAKE = ["Ines failed the statistics exam in July.", "She retakes the exam on 30 September.", "Statistics bores her."]
BIKE = ["Karim had to sell his canoe.", "Karim lives in Bergen."]


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (WEAVER, "The user weaves rugs, which are for sale in Trondheim in the shop Warp & Co., and never with nylon. Her beads are fired in a small kiln of her own."),
        (COUPLE, "Nils, a land surveyor, and Ruth, an optician, are engaged and looking for a house in Kiel; a garden is what she wants, whereas a short commute matters more to him."),
        (LETTING, "The new studio is a second-floor one without a lift at Rua Augusta 9 for €930 rent, heating included. The moving company is paid €610."),
        (RETAKE, "Statistics bores Ines; having failed the exam in it in July, she will sit it again on September 30."),
        (BIKE, "Karim, who lives in Bergen, was forced to part with his canoe."),
        (["The relaunch was planned for 4 May 2026.", "The relaunch has been pushed back to 25 May 2026."], "The relaunch was postponed to 25 May 2026."),
        (["User is moving from Lyon to Nantes on 3 June.", "The move has been brought forward to 28 May."], "The user's move from Lyon to Nantes now takes place on 28 May."),
        (["Otto works the early shift, which begins at 5:15.", "Otto switched to the late shift in April 2025."], "Since April 2025 Otto has been on the late shift."),
    ],
)  # fmt: skip
def test_clauses_of_several_sources_in_one_sentence_are_held(sources, rewrite):
    assert check(sources, rewrite).passed


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (WEAVER, "The user weaves rugs, which are for sale in Trondheim in the shop Warp & Co., and always with nylon. Her beads are fired in a small kiln of her own."),
        (COUPLE, "Nils, an optician, and Ruth, a land surveyor, are engaged and looking for a house in Kiel; a garden is what she wants, whereas a short commute matters more to him."),
        (LETTING, "The new studio is a second-floor one without a lift at Rua Augusta 9 for €610 rent, heating included. The moving company is paid €930."),
        (LETTING, "The new studio is a second-floor one with a lift at Rua Augusta 9 for €930 rent, heating included. The moving company is paid €610."),
        (RETAKE, "Statistics bores Ines; having passed the exam in it in July, she will not sit it again on September 30."),
        (BIKE, "Karim, who lives in Bergen, was able to keep his canoe."),
        (["The relaunch was planned for 4 May 2026.", "The relaunch has been pushed back to 25 May 2026."], "The relaunch was planned for 4 May 2026."),
        (["User is moving from Lyon to Nantes on 3 June.", "The move has been brought forward to 28 May."], "The user's move from Lyon to Nantes takes place on 3 June."),
        (["Otto works the early shift, which begins at 5:15.", "Otto switched to the late shift in April 2025."], "Otto is on the early shift, which begins at 5:15."),
    ],
)  # fmt: skip
def test_a_change_in_such_a_sentence_is_found(sources, rewrite):
    assert not check(sources, rewrite).passed


CLIENTS = [
    "Client Ostsee GmbH (contact: Wiebke Kuhn) is on the Gold plan, 30 seats.",
    "Client Alpen AG (contact: Reto Frei) is on the Basic plan, 8 seats.",
    "Wiebke prefers phone calls, Reto e-mail.",
    "Alpen complained about late invoices in ticket #771.",
]
GARAGES = [
    "User rents out two garages: one on Mill Lane, one on Oak Street.",
    "The tenant on Mill Lane is Ivy Hart, who pays £80 a month.",
    "The tenant on Oak Street is Ted Moss, who pays £95 a month.",
]


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (CLIENTS, "- Ostsee GmbH has the Gold plan with 30 seats. Contact: Wiebke Kuhn, who likes phone calls best.\n- Alpen AG has the Basic plan with 8 seats. Contact: Reto Frei, who would rather be e-mailed. In ticket #771 this client complained that invoices came late."),
        (GARAGES, "The user lets two garages.\n- Mill Lane: tenant Ivy Hart, at £80 per month.\n- Oak Street: tenant Ted Moss, at £95 per month."),
    ],
)  # fmt: skip
def test_an_entry_of_a_list_is_about_its_head(sources, rewrite):
    assert check(sources, rewrite).passed


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (CLIENTS, "- Ostsee GmbH has the Gold plan with 30 seats. Contact: Reto Frei, who likes phone calls best.\n- Alpen AG has the Basic plan with 8 seats. Contact: Wiebke Kuhn, who would rather be e-mailed. In ticket #771 this client complained that invoices came late."),
        (CLIENTS, "- Ostsee GmbH has the Gold plan with 30 seats. Contact: Wiebke Kuhn, who likes phone calls best. In ticket #771 this client complained that invoices came late.\n- Alpen AG has the Basic plan with 8 seats. Contact: Reto Frei, who would rather be e-mailed."),
        (CLIENTS, "- Ostsee GmbH has the Basic plan with 8 seats. Contact: Wiebke Kuhn, who likes phone calls best.\n- Alpen AG has the Gold plan with 30 seats. Contact: Reto Frei, who would rather be e-mailed. In ticket #771 this client complained that invoices came late."),
        (GARAGES, "The user lets two garages.\n- Mill Lane: tenant Ted Moss, at £80 per month.\n- Oak Street: tenant Ivy Hart, at £95 per month."),
        (GARAGES, "The user lets two garages.\n- Mill Lane: tenant Ivy Hart, at £95 per month.\n- Oak Street: tenant Ted Moss, at £80 per month."),
        (GARAGES, "The user lets two garages.\n- Mill Lane: tenant Ivy Hart, at £80 per month.\n- Elm Street: tenant Ted Moss, at £95 per month."),
    ],
)  # fmt: skip
def test_what_is_told_of_another_entry_is_found(sources, rewrite):
    assert not check(sources, rewrite).passed
