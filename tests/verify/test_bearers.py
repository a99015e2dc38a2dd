"""Who is what to whom, by name: a role or a relative that went to somebody else."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify
from memopt.verify.bearers import bearers


def report(sources, rewrite):
    rows = [UserMemory(text, memory_id=f"m{at}", created_at=1735689600 + 86400 * at) for at, text in enumerate(sources)]
    return verify(rows, [UserMemory(rewrite, memory_id="r")])


CASES = [
    (["User's notary is Mr. Brandt.", "User's dentist is Ms. Yilmaz."], "The notary is Mr. Brandt; the dentist is Ms. Yilmaz.", "Mr. Brandt is the dentist; Ms. Yilmaz is the notary."),
    (["User's lodger Piet hums all day.", "Piet's sister Marije is a glazier on night shift."], "Lodger Piet hums all day. Marije, Piet's sister, is a glazier working nights.", "Lodger Piet hums all day. Marije, the user's sister, is a glazier working nights."),
    (["User's manager is Corinna; Corinna's assistant is Davide."], "Corinna is the user's manager, and Davide is Corinna's assistant.", "Corinna is the user's manager and Davide is the user's assistant."),
    (["Rasmus has a trainer, Jelka, and a lawyer, Bram.", "Rasmus's lawyer Bram won the case."], "Rasmus's trainer is Jelka; his lawyer Bram won the case.", "Rasmus's trainer is Bram; his lawyer Jelka won the case."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "changed"), CASES, ids=[row[2] for row in CASES])
def test_a_role_or_an_owner_that_changed_is_found(sources, faithful, changed):
    assert not [item for item in report(sources, faithful).invented if item.kind == "swap"]
    found = report(sources, changed)
    assert found.invented
    assert found.lost


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["User's friend Kofi trains him on Mondays.", "User's coach Dana moved away."], "Coach Dana moved away; the user's friend Kofi is his trainer on Mondays."),
        (["Nora's son Leo plays the horn.", "User's name is Nora."], "The user's son Leo plays the horn; the user is called Nora."),
        (["User's colleague Jing is vegan.", "User's friend Abel sings."], "The colleague Jing is vegan. Abel, the user's friend, sings."),
        (["User's brother-in-law Sepp repairs clocks."], "Sepp, the user's brother-in-law, repairs clocks."),
        (["User met Bob.", "His sister Ann and his coach Bob came to dinner."], "Ann, his sister, and Bob, his coach, came to dinner. The user met Bob."),
        (["User's manager is Oda Lind, who sits in Malmö.", "User has a desk there."], "The user reports to Oda Lind, who sits in Malmö, and has a desk there."),
    ],
)  # fmt: skip
def test_who_keeps_the_role_is_no_swap(sources, rewrite):
    assert not [item for item in report(sources, rewrite).invented if item.kind == "swap"]


def test_bearers_are_read_from_both_orders():
    assert [(one.role, one.owner, one.names) for one in bearers("Theo's coach Maud sings.")] == [("coach", "theo", {"maud"})]
    assert [(one.role, one.owner) for one in bearers("Maud, the user's coach, sings.")] == [("coach", "^")]
    assert not bearers("the coach sings")
