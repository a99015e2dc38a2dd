"""How a report counts."""

from memopt.memory import UserMemory
from memopt.verify import verify


def test_a_fact_that_several_memories_tell_is_lost_once():
    told = [
        "User is allergic to peanuts.",
        "User is allergic to peanuts!",
        "User has a peanut allergy, to peanuts.",
        "User lives in Ghent.",
    ]
    report = verify([UserMemory(text, memory_id=f"m{n}") for n, text in enumerate(told)], [UserMemory("User plays the viola.")])
    assert len(report.lost) >= report.facts_lost
    assert 0 < report.facts_lost <= report.facts
    assert abs(report.facts_lost - report.facts * (1 - report.retention)) < 1


def test_fewer_facts_than_listed_losses_are_counted_where_memories_tell_the_same():
    told = ["User is a backend engineer.", "User works in Bonn at Acme.", "User is called a backend engineer."]
    report = verify([UserMemory(text, memory_id=f"m{n}") for n, text in enumerate(told)], [UserMemory("User plays the viola.")])
    assert (len(report.lost), report.facts_lost, report.facts) == (3, 2, 2)


def test_a_report_without_losses_counts_none():
    same = [UserMemory("User lives in Ghent.", memory_id="m0")]
    assert verify(same, same).facts_lost == 0
