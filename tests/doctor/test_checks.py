"""What is a finding, and how bad it is: limits, plurals, mixtures. Over any rows, and without a store."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.doctor.checks import Severity, checks, megabytes, trend, worst
from memopt.doctor.figures import WEEKS, Collector, _week, time_form
from memopt.doctor.spread import SharedTexts, Spread
from memopt.memory import UserMemory
from memopt.plan import Unreadable
from memopt.stores.base import Inspection, OwnTable, Snapshot

NOW = datetime(2026, 3, 18, 12, tzinfo=UTC).timestamp()  # a Wednesday
WEEK = 7 * 86_400


def memory(number, text="x", at=NOW - 86_400, **more):
    return UserMemory(text, memory_id=f"m{number}", created_at=at, **more)


def collected(*snapshots, times=None):
    collector = Collector(NOW, len, times or (lambda item: {"created_at": item.created_at, "updated_at": item.updated_at}))
    for snapshot in snapshots:
        list(collector.add(snapshot))
    return collector.figures


def found(figures=None, *, spread=None, told=None, problems=()):
    listed = checks(figures or collected(), spread or Spread(), told or Inspection(), problems, NOW)
    json.dumps([check.to_dict() for check in listed])
    return {check.name: check for check in listed}


def test_a_store_without_faults_has_no_finding_and_what_cannot_be_asked_says_so():
    listed = found(collected(Snapshot("u", (memory(1, "a"), memory(2, "b")))))
    assert worst(listed.values()) is Severity.OK
    assert all(not check.message and not check.advice and not check.examples for check in listed.values())
    assert listed["free-space"].severity is None and listed["write-ahead-log"].severity is None


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (None, "none"),
        ("", "none"),
        (1767258000, "seconds"),
        (1767258000.5, "seconds"),
        (0, "seconds"),
        (1767258000123, "milliseconds"),
        (1767258000123456, "microseconds"),
        ("1767258000", "number as text"),
        ("2026-01-01T09:00:00Z", "ISO text"),
        ("2026-01-01 09:00:00", "ISO text"),
        ("yesterday", "no date"),
        (b"\x00", "no date"),
        (float("nan"), "no date"),
        (True, "no date"),
        (10**30, "no date"),
    ],
)
def test_the_form_of_a_stored_time(value, form):
    assert time_form(value) == form


@given(st.one_of(st.none(), st.integers(), st.floats(), st.text(), st.binary(), st.booleans(), st.datetimes()))
def test_every_value_has_a_form(value):
    assert time_form(value) in {
        "none", "seconds", "milliseconds", "microseconds", "ISO text", "number as text", "no date",
    }  # fmt: skip


def timed(*values):
    stored = {f"m{place}": value for place, value in enumerate(values)}
    items = tuple(memory(place, str(place)) for place in range(len(values)))
    return found(collected(Snapshot("u", items), times=lambda item: {"created_at": stored[item.memory_id]}))["times"]


def test_times_in_more_than_one_form_are_a_warning_that_names_the_rarer_rows():
    check = timed(1767258000, 1767258001, "2026-01-01T09:00:00Z", 1767258000123)
    assert check.severity is Severity.WARNING and check.count == 2
    assert check.examples == (("u", "m2"), ("u", "m3"))
    assert "created_at mixes seconds (2) and ISO text (1) and milliseconds (1)" in check.message
    assert timed(1767258000, None, 1767258000.5).severity is Severity.OK
    only_text = timed("2026-01-01", "2026-01-02")
    assert only_text.severity is Severity.INFO and only_text.count == 2
    assert timed("2026-01-01", 1767258000, 1767258001).examples == (("u", "m0"),)
    assert timed("soon").severity is Severity.WARNING


def test_rows_of_nobody_and_of_a_blank_user_are_told_apart():
    nobody = Snapshot(None, (memory(1),), (Unreadable("r0", "memory is not JSON", None),))
    listed = found(collected(nobody, Snapshot(" ", (memory(3, "y"),))))
    check = listed["no-user"]
    assert check.severity is Severity.WARNING and check.count == 3 and listed["unreadable"].count == 1
    assert "2 rows without a user (NULL) and 1 row of a user whose id is blank" in check.message
    assert set(check.examples) == {(None, "m1"), (None, "r0"), (" ", "m3")}


def test_undecodable_rows_are_errors_told_by_their_problem():
    rows = tuple(Unreadable(f"r{place}", "memory is not JSON" if place else "topics is a number", "u") for place in range(7))
    check = found(collected(Snapshot("u", (), rows)))["unreadable"]
    assert check.severity is Severity.ERROR and check.count == 7 and len(check.examples) == 5
    assert "memory is not JSON (6), topics is a number (1)" in check.message


def test_a_user_who_cannot_be_read_is_damage_and_not_a_row():
    listed = found(collected(Snapshot("u", (), (Unreadable("", "a.db: database disk image is malformed", "u"),))))
    assert listed["damage"].severity is Severity.ERROR and "1 user cannot be read" in listed["damage"].message
    assert listed["unreadable"].severity is Severity.OK
    assert found(told=Inspection(damage=("row 3 missing from index i",)))["damage"].count == 1
    assert found(told=Inspection(damage=()))["damage"].severity is Severity.OK


def test_the_advice_fits_whose_rows_they_are():
    twice = (memory(1), memory(2), memory(3, " "))
    of_user = found(collected(Snapshot("u", twice)))
    of_nobody = found(collected(Snapshot(None, twice)))
    of_both = found(collected(Snapshot("u", twice), Snapshot(None, twice)))
    for name, strategy in (("duplicates", "dedupe"), ("blank", "tidy")):
        all_users, no_user = (f"memopt optimize {who} --strategy {strategy} --apply" for who in ("--all-users", "--no-user"))
        assert of_user[name].advice == f"{all_users} removes them"
        assert of_nobody[name].advice == f"{no_user} removes them"
        assert of_both[name].advice == f"{all_users} and {no_user} remove them"
    assert "at 1 user)" in of_user["duplicates"].message
    assert "in rows without a user)" in of_nobody["duplicates"].message and "1 user" not in of_nobody["duplicates"].message
    assert "at 1 user and in rows without a user)" in of_both["duplicates"].message


def test_a_blank_user_is_not_called_out_of_reach():
    blank = found(collected(Snapshot(" ", (memory(1),))))["no-user"]
    assert "like any other to a run over all users" in blank.advice and "--no-user" not in blank.advice
    nobody = found(collected(Snapshot(None, (memory(1),))))["no-user"]
    assert "memopt show --no-user" in nobody.advice and "blank" not in nobody.advice


def test_blank_memories_count_once_and_are_no_duplicates():
    listed = found(collected(Snapshot("u", (memory(1, " \n"), memory(2, ""), memory(3, "x")))))
    assert (listed["blank"].count, listed["blank"].severity) == (2, Severity.WARNING)
    assert "2 memories say nothing" in listed["blank"].message
    assert listed["duplicates"].count == 0


def test_duplicates_of_one_user_are_a_warning_from_a_tenth_on():
    def share(copies, others):
        items = [memory(place, "same") for place in range(copies + 1)]
        items += [memory(100 + place, f"other {place}") for place in range(others)]
        return found(collected(Snapshot("u", tuple(items))))["duplicates"]

    assert share(1, 20).severity is Severity.INFO and share(1, 20).count == 1
    assert share(3, 20).severity is Severity.WARNING
    assert "1 memory repeats" in share(1, 20).message and "3 memories repeat" in share(3, 20).message
    assert share(0, 5).severity is Severity.OK


def test_dates_of_tomorrow_are_a_question_of_time_zones_and_those_of_next_month_are_not():
    soon, later, early = (memory(place, str(place), at) for place, at in enumerate((NOW + 80_000, NOW + 30 * 86_400, 1_000)))
    assert found(collected(Snapshot("u", (soon,))))["dates"].severity is Severity.OK
    check = found(collected(Snapshot("u", (soon, later, early))))["dates"]
    assert check.severity is Severity.WARNING and check.count == 2
    assert "1 memory is dated in the future and 1 memory is dated before the year 2000" in check.message
    assert collected(Snapshot("u", (soon, later))).newest == NOW + 80_000


def test_growth_is_counted_by_the_week_of_creation():
    weeks = (0, 0, 1, 4, 4, 5, 11, 12, 300)
    items = [memory(n, "four", NOW - back * WEEK) for n, back in enumerate(weeks)]
    figures = collected(
        Snapshot("u", tuple(items)),
        Snapshot("v", (memory(98, "later", NOW + 40 * 86_400), UserMemory("when?", memory_id="m99"))),
    )
    assert len(figures.weeks) == WEEKS
    assert [week.memories for week in figures.weeks] == [1, 0, 0, 0, 0, 0, 1, 2, 0, 0, 1, 2]
    assert [week.begins.isoformat() for week in figures.weeks][-2:] == ["2026-03-09", "2026-03-16"]
    assert sum(week.tokens for week in figures.weeks) == 7 * 4
    late, early, times = trend(figures.weeks)
    assert (late.memories, early.memories, times) == (3, 1, 3.0)
    assert figures.undated == 1 and figures.ahead.count == 1


@given(st.dates(), st.dates())
def test_weeks_begin_on_monday(one, other):
    apart = (other - timedelta(days=other.weekday()) - one + timedelta(days=one.weekday())).days // 7
    first, second = (int((day - date(1970, 1, 1)).total_seconds()) for day in (one, other))
    assert _week(second) - _week(first) == apart == _week(second + 86_399.5) - _week(first)


@pytest.mark.parametrize(("late", "severity"), [(140, Severity.OK), (160, Severity.INFO), (320, Severity.WARNING)])
def test_growth_that_gathers_speed_is_a_finding(late, severity):
    items = [memory(n, f"{n:04}", NOW - 2 * WEEK) for n in range(late)]
    items += [memory(9000 + n, f"{n:04}", NOW - 6 * WEEK) for n in range(100)]
    check = found(collected(Snapshot("u", tuple(items))))["growth"]
    assert check.severity is severity
    if severity is not Severity.OK:
        assert f"{late / 100:.1f} times the 400 of the four before" in check.message


def test_a_first_month_is_no_sudden_growth():
    items = [memory(n, f"{n:04}", NOW - WEEK) for n in range(500)]
    assert found(collected(Snapshot("u", tuple(items))))["growth"].severity is Severity.OK


@pytest.mark.parametrize(
    ("told", "severity"),
    [
        (Inspection(version="3.0.0"), Severity.OK),
        (Inspection(version="2.5.6"), Severity.OK),
        (Inspection(version="4.0.0"), Severity.WARNING),
        (Inspection(version="2.5.6", missing=("created_at",)), Severity.WARNING),
        (Inspection(missing=("created_at", "feedback")), Severity.INFO),
        (Inspection(version="custom"), Severity.OK),
        (Inspection(), Severity.OK),
    ],
)
def test_the_schema_is_a_finding_where_it_is_newer_or_half_migrated(told, severity):
    assert found(told=told)["schema"].severity is severity


MB = 10**6


@pytest.mark.parametrize(
    ("name", "told", "severity"),
    [
        ("free-space", Inspection(size=100 * MB, free=20 * MB), Severity.OK),
        ("free-space", Inspection(size=100 * MB, free=30 * MB), Severity.INFO),
        ("free-space", Inspection(size=1 * MB, free=MB), Severity.OK),
        ("write-ahead-log", Inspection(size=100 * MB, log_size=40 * MB), Severity.OK),
        ("write-ahead-log", Inspection(size=100 * MB, log_size=80 * MB), Severity.WARNING),
        ("write-ahead-log", Inspection(size=100 * MB), Severity.OK),
        ("journal", Inspection(size=100 * MB, journal=OwnTable(5, 80 * MB, NOW - 86_400)), Severity.WARNING),
        ("journal", Inspection(size=1000 * MB, journal=OwnTable(5, 80 * MB, NOW - 86_400)), Severity.OK),
        ("journal", Inspection(size=100 * MB, journal=OwnTable(1, 100, NOW - 200 * 86_400)), Severity.INFO),
        ("journal", Inspection(size=100 * MB, journal=OwnTable(0, 0, None)), Severity.OK),
    ],
)
def test_what_lies_about_is_a_finding_from_a_size_or_an_age_on(name, told, severity):
    check = found(told=told)[name]
    assert check.severity is severity and bool(check.advice) == bool(check.message) == (severity is not Severity.OK)


def test_sizes_are_told_in_the_unit_that_fits():
    assert [megabytes(size) for size in (0, 1, 999, 1_500, 999_999, 1_000_000, 12_345_678)] == [
        "0 kB", "1 kB", "1 kB", "2 kB", "1,000 kB", "1.0 MB", "12.3 MB",
    ]  # fmt: skip


# -- the same text at several users ------------------------------------------------------------------------------------


def shared(users, **how):
    with SharedTexts(**how) as texts:
        for user, listed in users.items():
            texts.add(user, [(f"{user}/{place}", text) for place, text in enumerate(listed)])
        return texts.result()


def test_the_widest_texts_are_told_by_ids_and_never_by_what_they_say():
    spread = shared({"a": ["tea", "own"], "b": ["tea", "tea", "chess"], "c": ["chess", "tea"], "d": ["alone"]})
    assert (spread.texts, spread.users) == (2, 3)
    assert spread.widest[0].examples == (("a", "a/0"), ("b", "b/0"), ("c", "c/1"))
    assert spread.widest[1].users == 2


def test_ids_of_any_kind_come_back():
    spread = shared({'a"\n': ["x"], "\udce4": ["x"], "鳥": ["x"]})
    assert [user for user, _ in spread.widest[0].examples] == ['a"\n', "\udce4", "鳥"]


def test_a_text_at_a_tenth_of_the_users_is_a_warning():
    figures, many = collected(), collected()
    figures.users, many.users = 80, 200
    assert found(figures, spread=Spread(1, 2))["shared"].severity is Severity.INFO
    assert found(figures, spread=Spread(1, 10))["shared"].severity is Severity.WARNING
    assert found(many, spread=Spread(1, 10))["shared"].severity is Severity.INFO
    assert checks(figures, None, Inspection(), (), NOW)[7].severity is None


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=6), max_size=8), st.integers(1, 5))
def test_pieces_on_disk_give_what_a_dictionary_would(users, piece):
    from unittest import mock

    by_text = {}
    for number, listed in enumerate(users):
        for text in listed:
            by_text.setdefault(text, set()).add(number)
    sizes = sorted((len(who) for who in by_text.values() if len(who) > 1), reverse=True)
    with mock.patch("memopt.doctor.spread._PIECE", piece), mock.patch("memopt.doctor.spread._AT_ONCE", 2):
        spread = shared({f"u{number}": listed for number, listed in enumerate(users)})
    assert spread.texts == len(sizes)
    assert [text.users for text in spread.widest] == sizes[:3]
    assert spread.users == (sizes[0] if sizes else 0)
    for text in spread.widest:
        assert len({user for user, _ in text.examples}) == min(text.users, 3)
