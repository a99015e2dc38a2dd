"""What is measured of a plan: the figures worked out by hand, lineage that is believed only with the words, and cheats that gain nothing."""

from __future__ import annotations

import pytest
from support.evaluating import START, measured, memories, new, outcome, trial, value

from memopt.errors import UsageError
from memopt.evaluation.evidence import Outcome, Store, ask, lineage
from memopt.evaluation.measure import Contender, Trial, check_ks
from memopt.evaluation.questions import Question
from memopt.memory import UserMemory
from memopt.plan import Decision, diff
from memopt.tokens import TokenCounter

TEXTS = {
    "home": "User lives in Bern with two cats named Momo and Kiki.",
    "job": "User works as a structural engineer at Brückner AG.",
    "food": "User is allergic to peanuts and carries an EpiPen.",
    "bike": "User bought a cargo bike for 2,400 euros in March 2024.",
    "music": "User's daughter Ines plays the viola in a youth orchestra.",
    "run": "User ran the Berlin marathon in 3:52 on 2023-09-24.",
}
QUESTIONS = [
    Question("q-home", "Where does the user live?", ("home",), "Bern"),
    Question("q-job", "What does the user work as?", ("job",), "structural engineer"),
    Question("q-food", "What is the user allergic to?", ("food",), "peanuts"),
    Question("q-bike", "How much was the bike?", ("bike",), "2400 EUR"),
    Question("q-music", "Which instrument does Ines play?", ("music",), "the viola"),
    Question("q-run", "When did the user run the marathon?", ("run",), "24 September 2023"),
]
BEFORE = memories(TEXTS)


def kept(*ids):
    return [item for item in BEFORE if item.memory_id in ids]


def test_all_memories_answer_everything():
    found = trial(QUESTIONS, BEFORE).before
    assert value(found, "evidence") == value(found, "recall@10") == value(found, "support") == 1
    assert found.share == 1 and found.lost == () and found.differences == {}


def test_a_dropped_memory_takes_its_answer_with_it_and_is_named():
    before, after = measured(QUESTIONS, BEFORE, kept("home", "job", "food", "bike", "music"))
    assert value(after, "evidence") == value(after, "recall@10") == pytest.approx(5 / 6)
    assert after.lost == ("q-run",)
    assert after.tokens[1] < after.tokens[0] == before.tokens[1]
    gap = after.differences["recall@10"]
    assert gap.value == pytest.approx(-1 / 6) and gap.p == 1.0  # one question says nothing


def test_recall_mrr_and_support_are_what_they_are_by_hand():
    texts = {"a": "Apples are red.", "b": "Apples are red and green apples.", "c": "Apples."}
    before = memories(texts)
    rows = trial([Question("q", "apples", ("a", "c"), "red")], before, ks=(1, 2, 3)).before.rows
    from memopt.retrieval import Index

    order = [hit.memory.memory_id for hit in Index(before).search("apples", 3)]
    first = min(order.index("a"), order.index("c"))
    assert rows[0].recall == tuple(len({"a", "c"} & set(order[:k])) / 2 for k in (1, 2, 3))
    assert rows[0].reciprocal_rank == 1 / (first + 1)
    assert rows[0].support == 1 and rows[0].recall[2] == 1


def test_a_duplicate_that_stays_is_as_good_as_the_one_that_went():
    before = [
        *BEFORE,
        UserMemory("user lives in Bern, with two cats named Momo and Kiki", "again", user_id="u", created_at=START),
    ]
    after = [item for item in before if item.memory_id != "home"]
    for decisions in (None, {"home": Decision("duplicate", into="again")}):
        base, found = measured(QUESTIONS, before, after, decisions)
        assert value(found, "evidence") == value(base, "evidence") == 1
        assert found.lost == ()


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("User lives in Bern and works as a structural engineer at Brückner AG.", 1.0),
        ("The user, a structural engineer at Brückner AG, lives in Bern.", 1.0),
        ("User lives in Basel and works as a structural engineer at Brückner AG.", 0.5),
        ("User works as a structural engineer.", 0.5),
        ("User has a home and a job.", 0.0),
        ("User does not live in Bern. User works as a structural engineer at Brückner AG.", 0.5),
    ],
)
def test_a_rewrite_counts_only_if_its_text_still_tells_the_answer(text, share):
    asked = [question for question in QUESTIONS if question.id in ("q-home", "q-job")]
    _, found = measured(asked, kept("home", "job"), [new(text, sources=("home", "job"))])
    assert value(found, "evidence") == share


def test_a_rewrite_counts_only_through_its_lineage():
    after = [*kept("job"), new("User lives in Bern with two cats named Momo and Kiki, maybe.", sources=("job",))]
    _, found = measured(QUESTIONS[:2], kept("home", "job"), after)
    assert found.lost == ("q-home",)


def test_a_new_text_of_which_nothing_is_said_may_hold_what_went_without_a_word():
    _, found = measured(
        QUESTIONS[:2], kept("home", "job"), [new("The user lives in Bern; a structural engineer at Brückner AG.")]
    )
    assert value(found, "evidence") == 1


def test_without_an_answer_the_facts_of_the_memory_must_be_there():
    asked = [Question("q", "What animals are there?", ("home",))]
    for text, share in (
        ("The user lives in Bern and has two cats, Momo and Kiki.", 1.0),
        ("The user lives in Bern and has three cats, Momo and Kiki.", 0.0),
        ("The user lives in Bern.", 0.0),
        ("Something else entirely.", 0.0),
    ):
        _, found = measured(asked, kept("home"), [new(text, sources=("home",))])
        assert value(found, "evidence") == share, text


def test_an_answer_alone_is_looked_for_in_every_text():
    asked = [Question("q", "Where is home?", answer="Bern"), Question("r", "Which animal?", answer="lion")]
    found = trial(asked, BEFORE)
    assert [item.id for item in found.questions] == ["q"]
    assert [(item.question.id, item.reason) for item in found.left_out] == [("r", "no memory tells its answer")]
    assert value(found.measure(Contender("less", {"u": outcome(BEFORE, kept("job"))})), "evidence") == 0


def test_chinese_answers_are_found_and_lost():
    before = memories({"a": "用户住在伯尔尼，有两只猫。", "b": "用户对花生过敏。"})
    asked = [Question("q1", "用户住在哪里？", ("a",), "伯尔尼"), Question("q2", "用户对什么过敏？", ("b",), "花生")]
    _, found = measured(asked, before, [new("用户住在伯尔尼，对坚果过敏。", sources=("a", "b"))])
    assert found.lost == ("q2",)


def test_unknown_ids_are_told_and_do_not_count_as_missed():
    asked = [Question("q1", "Where does the user live?", ("home", "nowhere")), Question("q2", "Who?", ("gone",))]
    found = trial(asked, BEFORE)
    assert found.unknown == {"q1": ("nowhere",), "q2": ("gone",)}
    assert value(found.before, "evidence") == 1
    assert [(item.question.id, item.reason) for item in found.left_out] == [("q2", "no memory has any of its ids")]


def test_the_outdated_must_not_rank_above_the_current():
    texts = {"old": "User lives in Basel, in the old town of Basel.", "new": "User has moved to Bern.", "x": "User likes tea."}
    before = memories(texts)
    asked = [Question("q", "Where in Basel does the user live?", ("new",), "Bern", ("old",)), Question("r", "Tea?", ("x",))]
    base, found = measured(asked, before, [item for item in before if item.memory_id != "old"])
    assert value(base, "stale_above") == 1 and base.estimates["stale_above"].questions == 1
    assert value(found, "stale_above") == 0
    told = [*before[1:2], *before[2:]]
    told[0] = told[0].but(memory="User has moved to Bern. (Before: lives in Basel, in the old town of Basel.)", sources=("old",))
    _, both = measured(asked, before, told)
    assert value(both, "stale_above") == 0


def test_users_that_a_question_does_not_name_are_not_searched():
    mine, other = memories({"m": "User lives in Bern."}), memories({"o": "User lives in Bern."}, user="v")
    baseline = {"u": Outcome.unchanged("u", mine, TokenCounter()), "v": Outcome.unchanged("v", other, TokenCounter())}
    asked = [
        Question("q", "Where?", answer="Bern", users=("u",)),
        Question("both", "Where does the user live?", ("m", "o"), users=("u", "v")),
        Question("else", "Where?", answer="Bern", users=("w",)),
    ]
    found = Trial(asked, baseline, TokenCounter())
    assert [item.reason for item in found.left_out] == ["it is about other users"]
    gone = found.measure(Contender("p", {"u": outcome(mine, [])}))
    assert [row.evidence for row in gone.rows] == [0, 0.5]
    assert gone.memories == (2, 1)


def test_equal_texts_of_two_users_are_not_one():
    mine, other = memories({"m": "User lives in Bern."}), memories({"m2": "User lives in Basel."}, user="v")
    baseline = {"u": Outcome.unchanged("u", mine, TokenCounter()), "v": Outcome.unchanged("v", other, TokenCounter())}
    found = Trial([Question("q", "Where does the user live?", ("m",))], baseline, TokenCounter())
    stolen = outcome(other, [new("User lives in Bern indeed.", user="v", sources=("m",))], user="v")
    left = found.measure(Contender("p", {"u": outcome(mine, []), "v": stolen}))
    assert left.lost == ("q",)


# -- cheats ------------------------------------------------------------------------------------------------------------

MANY = memories(
    {**TEXTS, **{f"n{at}": f"User noted that project {at * 37} needs {at + 2} more reviews by Tuesday." for at in range(60)}}
)


def test_everything_in_one_memory_gains_nothing():
    everything = " ".join(item.memory for item in reversed(MANY))
    base, found = measured(QUESTIONS, MANY, [new(everything, sources=[item.memory_id for item in MANY])])
    assert value(base, "recall@10") == 1
    assert value(found, "evidence") == 1  # nothing is lost ...
    assert value(found, "recall@10") <= 0.2 and value(found, "mrr") <= 0.2  # ... but nothing comes for free
    assert value(found, "whole") == 1 and value(found, "cost") > 5 * value(base, "cost")
    assert found.differences["recall@10"].p < 0.1 and found.differences["recall@10"].high < 0


def test_everything_in_every_memory_gains_nothing():
    everything = " ".join(item.memory for item in MANY)
    after = [item.but(memory=f"{everything} {at}", sources=[each.memory_id for each in MANY]) for at, item in enumerate(MANY)]
    base, found = measured(QUESTIONS, MANY, after)
    assert found.share > 20
    assert value(found, "recall@10") <= value(base, "recall@10")
    assert value(found, "recall@1") <= value(base, "recall@1")


@pytest.mark.parametrize("text", ["", " ", "\u200b", ".", "User."])
def test_a_text_without_content_gains_nothing_from_all_sources(text):
    made = UserMemory(text, "new", user_id="u", created_at=START, sources=tuple(TEXTS))
    _, found = measured(QUESTIONS, BEFORE, [made])
    assert value(found, "evidence") == value(found, "recall@10") == value(found, "mrr") == 0
    assert len(found.lost) == len(QUESTIONS)


def test_copies_of_the_questions_gain_nothing():
    asked = [*QUESTIONS, Question("choice", "Does the user live in Bern or in Basel?", ("home",), "Bern")]
    after = [new(question.text, f"copy-{at}", TEXTS) for at, question in enumerate(asked)]
    _, found = measured(asked, BEFORE, after)
    assert value(found, "evidence") == value(found, "recall@10") == 0
    beside, both = measured(asked, BEFORE, [*BEFORE, *after])
    assert value(both, "recall@10") <= value(beside, "recall@10")


def test_all_answers_in_a_heap_gain_nothing_without_what_they_answer():
    heap = "Bern, structural engineer, peanuts, 2400 EUR, viola, 2023-09-24."
    asked = [Question(each.id, each.text, each.memory_ids) for each in QUESTIONS]
    _, found = measured(asked, BEFORE, [new(heap, sources=tuple(TEXTS))])
    assert value(found, "evidence") == 0


def test_what_is_read_in_part_counts_only_through_its_lineage_and_for_its_user():
    question = QUESTIONS[0]
    told = "User lives in Bern with two cats named Momo and Kiki. And much more."
    after = [*kept("job"), new(told, sources=("job",))]
    left = outcome(kept("home", "job"), after)
    piece = ask(question, [left]).pieces[0]
    assert not Store([left], [piece]).holds(1, piece, question, cut=60)
    right = outcome(kept("home", "job"), [new(told, sources=("home",))])
    assert Store([right], [piece]).holds(0, piece, question, cut=60)
    assert not Store([right], [piece]).holds(0, piece, question, cut=10)
    other = Outcome.unchanged("v", memories({"m": TEXTS["home"]}, user="v"), TokenCounter())
    assert not Store([right, other], [piece]).holds(1, piece, question)


# -- lineage -----------------------------------------------------------------------------------------------------------


def test_lineage_follows_what_a_plan_says():
    before = memories({"a": "A.", "b": "B.", "c": "C.", "d": "D."})
    after = [before[1].but(memory="B and A.", sources=("a",)), before[2], new("D told anew.", "n", ("d",))]
    found = lineage(diff(before, after, {"a": Decision("merged", into="b")}))
    assert found == {"a": {"b"}, "b": {"b"}, "c": {"c"}, "d": {"n"}}


def test_what_went_without_a_word_may_be_in_what_came_without_one():
    before = memories({"a": "A.", "b": "B."})
    assert lineage(diff(before, [new("Both.")])) == {"a": {"new"}, "b": {"new"}}
    assert lineage(diff(before, before[:1])) == {"a": {"a"}, "b": frozenset()}


@pytest.mark.parametrize("text", ["", "0", "1,,2", "101", "-1", "ten", "1;2", "5.0"])
def test_bad_numbers_of_the_best_are_usage_errors(text):
    with pytest.raises(UsageError, match="-k takes whole numbers"):
        check_ks(text)
    assert check_ks("10, 1,5,5") == (1, 5, 10)


def test_it_is_the_same_every_time():
    one, other = (measured(QUESTIONS, MANY, MANY[3:])[1] for _ in range(2))
    assert one == other
