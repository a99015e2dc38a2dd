"""What tells the stages of one matter stands together, in the order of time and with its days."""

import pytest

from memopt.memory import UserMemory
from memopt.models.builtin import consolidate
from memopt.models.threads import introduced, threads, unite, value_of
from memopt.verify import verify

DAY = 86_400


def dated(*texts, step=60 * DAY, topics=None):
    return [
        UserMemory(text, f"m{at}", created_at=1735689600 + at * step, topics=[topics[at]] if topics else None)
        for at, text in enumerate(texts)
    ]


def text_of(*texts, **more):
    rows = dated(*texts, **more)
    text = consolidate(rows).text
    report = verify(rows, [UserMemory(text)])
    assert (report.lost, report.invented) == ((), ())
    return text


@pytest.mark.parametrize(
    "told",
    [
        ("User is a vegetarian.", "User eats meat again."),
        ("User has a dog named Rex.", "User's dog died."),
        ("User has a dog named Rex.", "Rex died in the garden."),
        ("User drives a Ford Fiesta.", "User sold his car."),
        ("User smokes a pack a day.", "User quit smoking."),
        ("User is a member of the Alpine Club.", "User cancelled his membership in the Alpine Club."),
        ("User works night shifts.", "User no longer works night shifts.", "User works day shifts now."),
        ("User lives alone.", "User moved in with his daughter Claire."),
        ("User's mother is in hospital.", "User's mother has recovered."),
        ("User wants short answers.", "User prefers detailed answers."),
        ("The API base URL is https://api.example.com/v1.", "The API base URL is https://api.example.com/v2."),
        ("Database is PostgreSQL 14.", "The database was upgraded to PostgreSQL 16."),
        ("User's sister Anna lives in Graz.", "Anna moved to Linz."),
        ("Anna's son Max is 4.", "Anna's son Max is 5 years old."),
        ("用户是素食者。", "用户又开始吃肉了。"),
        ("用户养了一条狗，叫豆豆。", "豆豆去世了。"),
        ("用户的妈妈住院了。", "用户的妈妈出院了。"),
    ],
)
def test_what_cannot_be_true_at_once_is_told_in_the_order_of_time_with_its_months(told):
    between = "User's flat has a balcony."
    text = text_of(told[0], between, *told[1:], "User likes jazz.")
    places = [text.index(sentence.rstrip(".。")) for sentence in told]
    assert places == sorted(places)
    assert text.count("(noted ") + text.count("（记于") == len(told)
    first, last = text.index(told[0].rstrip(".。")), text.index(told[-1].rstrip(".。"))
    assert between not in text[first:last] and "jazz" not in text[first:last]


def test_the_same_words_in_another_order_of_time_are_told_in_that_order():
    text = text_of("User's dog died.", "User has a dog named Rex.")
    assert text.index("died (noted January 2025)") < text.index("Rex (noted March 2025)")


def test_stages_within_one_month_carry_their_days():
    text = text_of("User has a cat.", "User's cat ran away.", step=3 * DAY)
    assert "(noted 1 January 2025)" in text and "(noted 4 January 2025)" in text


@pytest.mark.parametrize(
    "told", [("User is pregnant.", "User gave birth to a girl."), ("User plans to buy a kayak.", "User bought a kayak.")]
)
def test_where_the_stages_tell_their_order_themselves_no_month_is_added(told):
    assert text_of(*told) == " ".join(told)


def test_a_marriage_that_ended_is_told_before_the_next():
    text = text_of("User is married to Ann.", "User got divorced.", "User married Beth.")
    assert text == "User got divorced (noted March 2025). User married Beth (noted May 2025); before: Ann."


def test_what_is_told_with_its_own_month_needs_no_other():
    text = text_of("User has a dog.", "User's dog died in May 2024.")
    assert "died in May 2024." in text


def test_undated_contraries_are_not_dated():
    text = consolidate([UserMemory("User is a vegetarian.", "a"), UserMemory("User eats meat.", "b")]).text
    assert "noted" not in text and "vegetarian" in text and "eats meat" in text


@pytest.mark.parametrize(
    "texts",
    [
        ("Gina lost her job.", "Gina lost her job at Door Dash."),  # one end told twice
        ("Anna sold her car.", "Anna plays the violin."),
        ("User is a vegetarian.", "User does not eat meat."),
        ("User's sister is a vegetarian.", "User eats meat."),
        ("User prefers short answers about Rust.", "User prefers detailed answers about Go."),
        ("The app is slow.", "The app is written in Go."),
        ("User likes dogs.", "User likes cars."),
    ],
)
def test_what_may_hold_at_once_is_no_thread(texts):
    assert threads(texts) == []
    assert len({value_of(text) for text in texts if value_of(text)}) < 2


def test_a_list_does_not_swallow_what_is_over():
    text = text_of("User is reading Dune.", "User finished reading Dune.", "User is reading Emma.")
    assert "Dune and Emma" not in text
    assert text.index("is reading Dune (noted January 2025)") < text.index("finished reading Dune (noted March 2025)")


def test_groups_that_share_a_member_are_one():
    assert unite([[3, 1], [1, 5], [7, 8]], float) == [[1, 3, 5], [7, 8]]


def test_a_foreign_sentence_gets_no_english_note():
    rows = dated("El usuario vive en Madrid.", "El usuario ya no vive en Madrid, ahora vive en Sevilla.")
    assert consolidate(rows).text == "El usuario vive en Madrid. El usuario ya no vive en Madrid, ahora vive en Sevilla."


def test_who_somebody_is_is_known_from_where_they_are_introduced():
    people = introduced(["User's sister Anna is a doctor.", "User has a dog named Rex.", "用户的女儿安安会弹琴。", "安安五岁。"])
    assert {name: found.who for name, found in people.items()} == {"anna": "sister", "rex": "dog", "安安": "女儿"}


def test_a_relative_is_told_of_together_whether_by_name_or_not():
    text = text_of(
        "User's sister Anna lives in Graz.",
        "User likes tea.",
        "User's bike is red.",
        "Anna is a doctor.",
        "User rows on Sundays.",
    )
    assert "User's sister Anna lives in Graz. Anna is a doctor." in text


def test_sentences_of_one_topic_stand_together():
    texts = (
        "User bought boots.",
        "Tom waters the plants.",
        "The trip costs 2,400 euros.",
        "User loves hiking.",
        "User plans to see Peru.",
    )
    text = text_of(*texts, topics=("hobbies", "home", "travel", "hobbies", "travel"))
    for one, two in (("boots", "hiking"), ("trip", "Peru")):
        first, last = sorted((text.index(one), text.index(two)))
        assert text[first:last].count(".") <= 1, text


def test_a_memory_that_must_stand_as_it_is_stays_beside_what_tells_of_it():
    text = text_of(
        "User goes to the gym three times a week.", "User goes to the gym 3x per week.", "User likes tea.", "User has a desk."
    )
    first, last = text.index("three times"), text.find("3x per week")
    assert last == -1 or text[first:last].count(".") == 1
