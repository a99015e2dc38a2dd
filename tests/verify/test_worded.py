"""What a faithful rewrite says in words of its own is held; the same with one thing changed is found."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def check(sources, rewrite):
    memories = [UserMemory(text, memory_id=f"m{number}") for number, text in enumerate(sources.split(" | "))]
    return verify(memories, [UserMemory(rewrite)])


def held_and_found(sources, faithful, faulted):
    report = check(sources, faithful)
    assert not report.lost, report.lost
    assert not report.invented, report.invented
    report = check(sources, faulted)
    assert report.lost or report.invented


IDIOMS = [
    ("User met Carla in Porto recently.", "Not long ago the user met Carla in Porto.", "The user has never met Carla in Porto."),
    ("User's flat is near the station.", "The user's flat is not far from the station.", "The user's flat is not near the station."),
    ("User never misses a chance to sing.", "The user takes every chance to sing.", "The user takes no chance to sing."),
    ("User loves crime podcasts.", "The user can't get enough of crime podcasts.", "The user has had enough of crime podcasts."),
    ("User divides the week into three blocks.", "The user breaks the week up into three blocks.", "The user does not divide the week into blocks."),
    ("User had to say goodbye to his horse, Juno, in May.", "In May the user had to bid farewell to Juno, his horse.", "In May the user did not have to say goodbye to Juno, his horse."),
    ("User has known Petra since moving from Chile.", "The user has known Petra ever since he moved away from his home country, Chile.", "The user has not known Petra since moving from Chile."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), IDIOMS)
def test_a_denial_inside_an_idiom_turns_nothing(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


TURNED_IN_ONE_WORD = [
    ("Reports must not include salaries.", "Salaries are to be left out of reports.", "Salaries are to be included in reports."),
    ("Reports must not include salaries.", "Reports are to omit salaries.", "Reports are not to omit salaries."),
    ("User missed the last two choir rehearsals.", "The user did not attend the last two choir rehearsals.", "The user attended the last two choir rehearsals."),
    ("User sold her boat in 2021 and now rents one.", "Since selling her boat in 2021 the user has been renting one.", "Since buying her boat in 2021 the user has been renting one."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), TURNED_IN_ONE_WORD)
def test_what_one_side_denies_the_other_may_tell_by_a_verb(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


BOUNDS = [
    ("Uploads must not use more than 3 connections.", "No upload may open more than three connections.", "Uploads must use more than three connections."),
    ("Uploads must use at least 3 connections.", "Uploads must use three connections or more.", "No upload may use more than three connections."),
    ("User needs at least 64 GB of storage. | User's limit is 900 euros.", "The user wants to spend no more than €900 and needs 64 GB of storage or more.", "The user wants to spend no more than €900 and needs 64 GB of storage at most."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), BOUNDS)
def test_a_bound_with_words_between_denies_nothing(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


REACH = [
    ("The family's parrot Kiwi must not get chocolate. | User feeds Kiwi 30 g of seeds twice a day.", "Twice a day the user gives Kiwi, the family parrot, 30 g of seeds. Chocolate is forbidden for Kiwi.", "Twice a day the user gives Kiwi, the family parrot, 30 g of seeds. Chocolate is fine for Kiwi."),
    ("User never irons shirts. | User buys postcards in every town he visits.", "The user never irons a shirt, and in each town he visits he buys postcards.", "The user never irons a shirt, and in no town he visits he buys postcards."),
    ("User doesn't eat lamb. | User bakes bread on Sundays.", "The user doesn't eat lamb, and on Sundays she bakes bread.", "The user eats lamb, and on Sundays she bakes bread."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), REACH)
def test_a_denial_reaches_no_other_statement(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


FIGURES = [
    ("User gave up a 9-5 job in Turin.", "The user gave up a nine-to-five job in Turin.", "The user gave up a nine-to-six job in Turin."),
    ("User's pulse at rest is 58 bpm.", "At rest the user's pulse is 58 beats per minute.", "At rest the user's pulse is 85 beats per minute."),
    ("The speed limit for user's scooter is 25 km/h.", "The user's scooter may go 25 kilometres per hour at most.", "The user's scooter may go 25 miles per hour at most."),
    ("User wants no phone calls before 9 am.", "The user wants no phone calls before nine in the morning.", "The user wants no phone calls before nine in the evening."),
    ("User plays handball for Lugi in the upcoming season.", "For the coming season the user plays handball for Lugi.", "Last season the user played handball for Lugi."),
    ("User is planning a bake sale later in the month.", "Later this month the user is planning a bake sale.", "Later next month the user is planning a bake sale."),
    ("User's aunt is in her thirties.", "The user's aunt is in her 30s.", "The user's aunt is in her 40s."),
    ("User takes the drops 3x per day.", "The user takes the drops three times per day.", "The user takes the drops four times per day."),
    ("The launch is planned for Q3.", "The launch is planned for the third quarter.", "The launch is planned for the fourth quarter."),
    ("User's son had his 21st birthday in May.", "In May the user's son had his twenty-first birthday.", "In May the user's son had his twenty-second birthday."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), FIGURES)
def test_a_figure_in_another_writing_is_the_same(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


PHRASES = [
    ("User met Hedda, a potter, at a fair.", "At a fair the user got to know Hedda, a potter.", "At a fair the user got to know Hedda, a glazier."),
    ("User forgot the deposit last year.", "Last year the deposit slipped the user's mind.", "Last year the user paid the deposit twice."),
    ("User had a great time in Tallinn.", "The user had a wonderful time in Tallinn.", "The user had a wonderful time in Riga."),
    ("User is grateful for Ebba's courage.", "The user appreciates how brave Ebba is.", "The user appreciates how brave Egon is."),
    ("User's bracelet symbolizes hope.", "The user's bracelet stands for hope.", "The user's bracelet stands for grief."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), PHRASES)
def test_a_phrase_may_stand_for_a_word(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


POINTING = [
    ("User's office moved from Jira to Linear in May. | User finds Linear fast.", "In May Linear replaced Jira at the user's office. The user thinks it is fast.", "In May Linear replaced Jira at the user's office. The user thinks it is slow."),
    ("User now prefers tea, but her first love was coffee.", "The user's first love was coffee, but today she prefers tea.", "The user's first love was tea, but today she prefers coffee."),
    ("User comes from a small Midwestern town.", "The user comes from a small town in the Midwest.", "The user comes from a small town in the South."),
    ("User's deadline was moved from 3 March to 17 March.", "The user's deadline is no longer March 3 but March 17.", "The user's deadline is no longer March 17 but March 3."),
    ("User is reading Momo to get ideas for a play.", "The user is reading Momo and hopes it will give her ideas for a play.", "The user is reading Momo and hopes it will give her ideas for a film."),
    ("User ran 12 km on Sunday, a personal best.", "On Sunday the user ran 12 km, more than ever before.", "On Sunday the user ran 12 km, as ordered by the coach."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), POINTING)
def test_a_thing_a_time_or_a_place_may_be_pointed_to_otherwise(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


JOINED = [
    ("User failed the sailing exam twice. | User's third attempt is on 22 August at 8:15.", "The user did not pass the sailing exam on the first two attempts and will try a third time on August 22 at 8:15 am.", "The user passed the sailing exam on the first two attempts and will try a third time on August 22 at 8:15 am."),
    ("User's flight to Accra was cancelled. | The airline rebooked User on flight KQ 117 on 6 May.", "After the user's flight to Accra had been called off, the airline moved the user to KQ 117 on May 6.", "After the user's flight to Accra had left, the airline moved the user to KQ 118 on May 6."),
    ("User never answers letters in July. | User checks the mailbox at 9 am and 4 pm.", "The user checks the mailbox at nine in the morning and four in the afternoon; in July she does not answer letters.", "The user checks the mailbox at nine in the morning and five in the afternoon; in July she does not answer letters."),
    ("User avoids ferries since a storm in 2021. | User rides a red moped.", "Ever since a storm in 2021 the user has kept off ferries. The user has a moped, a red one.", "Ever since a storm in 2021 the user has been fond of ferries. The user has a moped, a red one."),
    ("User's friend Iris lives in Toronto. | Iris and User have known each other since primary school.", "Iris, who is based in Toronto, is a friend of the user; the two have been acquainted since elementary school.", "Iris, who is based in Toronto, is a friend of the user; the two have been acquainted since college."),
    ("The cast on user's wrist comes off on 12 July.", "The cast on the user's wrist will be removed on July 12.", "The cast on the user's wrist will be removed on July 21."),
    ("User has kept bees for ten years.", "For a decade the user has been keeping bees.", "For two decades the user has been keeping bees."),
    ("User wants a flatmate, preferably a non-smoker.", "The user wants a flatmate who ideally does not smoke.", "The user wants a flatmate who ideally smokes."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), JOINED)
def test_two_memories_joined_in_one_sentence_are_both_held(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


MORE = [
    ("User does not own a TV. | User watches series on a tablet in bed.", "The user has no television and watches series in bed on a tablet.", "The user has a television and watches series in bed on a tablet."),
    ("User's car, a 2016 Skoda Octavia, failed its inspection.", "The user's 2016 Skoda Octavia did not pass its inspection.", "The user's boat, a 2016 Skoda Octavia, did not pass its inspection."),
    ("Rehearsals are on Wednesdays from 19:00 to 21:30. | User plays the viola.", "The user is a violist who rehearses Wednesdays between 7 and 9:30 pm.", "The user is a violist who rehearses Wednesdays between 8 and 9:30 pm."),
    ("User worries about her mother, who lives alone and has had two falls this year.", "The user is concerned about her mother, who lives by herself and fell twice this year.", "The user is concerned about her mother, who lives by herself and fell three times this year."),
    ("User can't have caffeine after 2 pm because it keeps her awake.", "Caffeine after 14:00 keeps the user awake, so she cannot have it then.", "Caffeine after 14:00 does not keep the user awake, so she can have it then."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), MORE)
def test_a_clause_may_be_told_from_another_side(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


FORMS = [
    ("User uses tech for good in her village.", "The user uses technology for good in her village.", "The user uses poetry for good in her village."),
    ("User had to shut down his blog account.", "The user was forced to close his blog account.", "The user was forced to open a blog account."),
    ("Otto received a signed ball from his teammates.", "Otto's teammates gave him a signed ball.", "Otto gave a signed ball to his teammates."),
    ("User is low on confidence lately.", "Lately the user has been lacking confidence.", "Lately the user has not been lacking confidence."),
    ("User's phone broke on 4 May and he lost two days of notes.", "A broken phone on May 4 cost the user two days of notes.", "A broken phone on May 4 cost the user three days of notes."),
    ("User is nervous because it is her first exam in five years.", "The user is nervous, as she has not had an exam for five years.", "The user is nervous, as she has not had an exam for six years."),
    ("User taught herself Welsh.", "The user learned Welsh on her own.", "The user learned Irish on her own."),
    ("User finds pottery good for self-expression.", "The user finds pottery good for expressing herself.", "The user finds cycling good for expressing herself."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), FORMS)
def test_a_verb_a_noun_or_a_short_form_may_stand_for_one_another(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)


def test_what_another_memory_binds_together_has_changed_no_places():
    sources = "Jon follows his passion for dance and looks for a place for his dance studio. | Jon plans to collaborate with Gina on making content and managing his social media accounts to promote the dance studio."
    held_and_found(
        sources,
        "Jon pursues his passion for dance and looks for a place for his dance studio. To promote the studio he intends to team up with Gina on creating content and running his social media accounts.",
        "Gina pursues her passion for dance and looks for a place for her dance studio. To promote the studio she intends to team up with Jon on creating content and running his social media accounts.",
    )


TURNED_TWICE = [
    ("User has no siblings.", "The user is an only child.", "The user is not an only child."),
    ("User has read nothing by Eco except a short story.", "A short story is the only thing by Eco that the user has read.", "A short story is one thing by Eco that the user has not read."),
    ("User's stove is broken; the fitter comes on 14 January.", "The user's stove does not work, and on January 14 the fitter will come.", "The user's stove works, and on January 14 the fitter will come."),
    ("User can't dive. | User is scared of deep water.", "The user is unable to dive and fears deep water.", "The user is able to dive and fears deep water."),
    ("User wrote a book called 'The Owl Who Couldn't Hoot'. | The drawings are by her sister Maren.", "'The Owl Who Couldn't Hoot' is a book that the user wrote and her sister Maren did the drawings for.", "'The Owl Who Couldn't Hoot' is a book that the user wrote and her sister Petra did the drawings for."),
    ("User's line was down from 9 to 11 am on Tuesday. | User missed a bank call because of it.", "On Tuesday the user's line was down between 9 and 11 in the morning, and she therefore missed a call from the bank.", "On Tuesday the user's line was down between 9 and 10 in the morning, and she therefore missed a call from the bank."),
    ("User has 18 days of vacation left this year.", "This year the user still has 18 vacation days.", "This year the user still has 16 vacation days."),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "faithful", "faulted"), TURNED_TWICE)
def test_what_denies_in_another_place_is_counted_there(sources, faithful, faulted):
    held_and_found(sources, faithful, faulted)
