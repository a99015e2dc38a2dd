"""What tells the stages of one matter stands together, in the order of time and with its days."""

from pathlib import Path

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
        ("User teaches maths at Lincoln High.", "User now teaches maths at Eton."),
        ("User's doctor is Dr. Meyer.", "User's doctor is now Dr. Singh."),
        ("The wedding is planned for June 2026.", "The wedding was moved to September 2026."),
        ("User has a student visa.", "User got a work permit."),
        ("User lives in a shared flat in Altona.", "User moved into a studio in Ottensen."),
        ("Noah is allergic to eggs.", "Noah outgrew his egg allergy."),
        ("plays Elden Ring on PS5", "finished Elden Ring"),
        ("The project uses Poetry.", "We migrated from Poetry to uv."),
        ("API rate limit is 100 requests per minute.", "API rate limit is 250 requests per minute."),
        ("User's wife Eva filed for divorce.", "User and Eva got back together."),
        ("User's favorite restaurant is Kronenhalle.", "User does not like Kronenhalle anymore because it got too expensive."),
        ("User has two sons, Tim (9) and Ben (6).", "Ben is 8 now."),
        ("User moved out.", "User lives in a rented studio.", "User lives with Eva again."),
        ("User has two cats, Mimi and Tom.", "User's cat Mimi died.", "User has one cat, Tom."),
        ("User's sourdough recipe uses 300 g of rice flour.", "User changed the sourdough recipe to 250 g of rice flour."),
        ("User's van is a white Kangoo.", "User sold the Kangoo and leases a bike."),
        ("用户的团队有5个人。", "用户的团队有8个人。"),
        ("用户在美团担任产品经理。", "用户入职小红书。"),
        ("用户的孙子小宝三岁。", "小宝四岁了。"),
        ("用户有个弟弟，在读高三。", "用户的弟弟考上了浙江大学。"),
        ("用户的男朋友叫阿杰。", "用户和阿杰分手了。"),
        ("用户租的房子在徐汇区。", "用户搬到了浦东，房租5200元。"),
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


def test_every_pattern_of_a_matter_holds_one_of_its_cues():
    from memopt.models import threads as module

    told = Path(__file__).read_text(encoding="utf-8")
    for name, cues, poles in module._matters():
        hits = [match[0].casefold() for _, pattern in poles for match in pattern.finditer(told)]
        assert all(any(cue in hit for cue in cues) for hit in hits), name


def test_groups_that_share_a_member_are_one():
    assert unite([[3, 1], [1, 5], [7, 8]]) == [[1, 3, 5], [7, 8]]


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


def again(*texts, later, step=60 * DAY):
    """What becomes of a result when newer memories come to it."""
    rows = dated(*texts, step=step)
    first = UserMemory(consolidate(rows).text, "s", created_at=rows[-1].created_at)
    new = [UserMemory(text, f"n{at}", created_at=rows[-1].created_at + (at + 1) * step) for at, text in enumerate(later)]
    text = consolidate([first, *new]).text
    report = verify([first, *new], [UserMemory(text)])
    assert (report.lost, report.invented) == ((), ())
    return first.memory, text


def test_the_history_of_an_earlier_result_goes_on():
    first, text = again(
        "User lives in Oslo.", "User moved to Bergen.", "User likes tea.", "User weighs 80 kg.",
        later=["User lives in Rome.", "User weighs 77 kg."],
    )  # fmt: skip
    assert "User moved to Bergen; before: Oslo." in first
    assert "; before: Bergen, Oslo." in text and "User weighs 77 kg; before: 80 kg." in text
    assert "since" in text and text.count("Bergen") == 1


def test_a_sentence_of_an_earlier_result_is_not_said_to_be_noted_on_its_day():
    _, text = again(
        "User has a dog named Rex.",
        "User likes tea.",
        "User plays tennis.",
        "User owns a kayak.",
        later=["Rex died in the garden."],
    )
    assert "User has a dog named Rex (noted by June 2025). Rex died in the garden (noted August 2025)." in text


def test_the_months_that_an_earlier_result_tells_are_kept() -> None:
    first, text = again(
        "User has a dog named Rex.", "Rex died in the garden.", "User likes tea.", "User plays tennis.", "User owns a kayak.",
        later=["User adopted a dog named Max.", "Max ran away."],
    )  # fmt: skip
    kept = "User has a dog named Rex (noted January 2025). Rex died in the garden (noted March 2025)."
    assert kept in first and kept in text
    assert "User adopted a dog named Max (noted October 2025). Max ran away (noted December 2025)." in text


def test_an_earlier_result_with_other_people_and_lines_of_code_is_taken_apart():
    _, text = again(
        "User's sister Anna is a doctor.", "Anna moved to Linz.", "User likes tea.", "User plays chess.", "User owns a kayak.", "User reads a lot.",
        "- one\n- two", later=["User likes jazz.", "Anna is a doctor at the clinic."],
    )  # fmt: skip
    assert "User likes tea and jazz." in text and "- one\n- two" in text


def test_an_account_of_one_thing_is_not_taken_apart():
    account = "User went to Paris with Ann. Ann fell ill. The trip was cut short."
    assert account in text_of(account, "User likes tea.", "Ann likes jazz.")


def test_only_the_sentence_that_was_lost_is_copied_and_not_all_of_an_earlier_result():
    from memopt.models import builtin

    state = builtin._State(dated("User likes tea. User plays chess. User owns a kayak."), [], {}, {})
    assert builtin._copy(state, 0, "plays chess") == (0, "User plays chess.")
    state.copied[0, "User plays chess."] = None
    assert builtin._copy(state, 0, "plays chess") == (0, "User likes tea. User plays chess. User owns a kayak.")


@pytest.mark.parametrize(
    ("texts", "forbidden"),
    [
        (("User works at Alibaba as a data analyst.", "用户在阿里巴巴做数据分析师。"), "before|之前"),
        (("用户住在上海。", "User lives in Shanghai."), "before"),
        (("用户叫李明。", "用户有女朋友了，叫小雪。"), "之前：李明"),
    ],
)
def test_no_history_is_made_of_what_may_be_the_same(texts, forbidden):
    import re

    assert not re.search(forbidden, text_of(*texts))


def test_what_is_told_more_closely_is_told_once_in_the_history():
    text = text_of("用户住在深圳。", "用户住在深圳南山区。", "用户搬到了北京。")
    assert text == "用户搬到了北京；之前：深圳南山区。"
    assert "在腾讯做工程师" in text_of("用户在腾讯做工程师。", "用户在阿里担任经理。")


def test_a_version_at_the_end_of_a_sentence_is_no_date():
    rows = dated("Python version is 3.11.", "Python version is 3.12.")
    text = consolidate(rows).text
    assert text == "Python version is 3.11 (noted January 2025). Python version is 3.12 (noted March 2025)."
