"""memopt.toml is changed in one table, and not a character beside it."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.cli.tomlfile import with_table
from memopt.errors import MemoptError, UsageError

VALUES = {"recency": 0.1, "half-life-days": 90.0}


def changed(text):
    out = with_table(text, "search", VALUES)
    before, after = tomllib.loads(text), tomllib.loads(out)
    found = {key.replace("_", "-"): value for key, value in after.pop("search").items()}
    kept = {key.replace("_", "-"): value for key, value in before.pop("search", {}).items()}
    assert found == {**kept, **VALUES}
    assert after == before
    return out


def test_an_empty_file_gets_the_table():
    assert changed("") == "[search]\nrecency = 0.1\nhalf-life-days = 90\n"


def test_a_file_without_the_table_gets_it_at_its_end():
    text = '# mine\ndb = "a.db"  # here\n\n[policies.x]\nusers = ["*"]'
    assert changed(text) == text + "\n\n[search]\nrecency = 0.1\nhalf-life-days = 90\n"


def test_values_are_replaced_in_place_with_their_comments_and_new_keys_stand_behind_the_last():
    text = "[search] # weights\nrecency=0.25# age\nk1 = 1.2\n\n# the next one\n[policies.x]\nrecency = 3\n"
    assert changed(text) == (
        "[search] # weights\nrecency=0.1# age\nk1 = 1.2\nhalf-life-days = 90\n\n# the next one\n[policies.x]\nrecency = 3\n"
    )


def test_a_spelling_with_an_underscore_and_line_ends_of_windows_stay():
    out = with_table('db = "a"\r\n[search]\r\nhalf_life_days = 30\r\n', "search", VALUES)
    assert out == 'db = "a"\r\n[search]\r\nhalf_life_days = 90\r\nrecency = 0.1\r\n'


def test_dotted_keys_stay_dotted():
    assert changed('search.recency = 0.5\ndb = "a"\n[policies.x]\nmax-drop = 1\n') == (
        'search.recency = 0.1\nsearch.half-life-days = 90\ndb = "a"\n[policies.x]\nmax-drop = 1\n'
    )


def test_a_table_inside_a_text_is_no_table():
    text = 'note = """\n[search]\nrecency = 9\n"""\n[search]\nrecency = 0.3\n'
    try:
        changed(text)
    except MemoptError as error:  # refused rather than written wrong
        assert "by hand" in str(error)


@pytest.mark.parametrize("text", ["search = { recency = 0.2 }\n", '"sea\\u0072ch" = { recency = 0.2 }\n'])
def test_a_form_that_cannot_be_changed_in_place_is_refused_with_what_to_write(text):
    with pytest.raises(MemoptError, match="by hand") as caught:
        with_table(text, "search", VALUES)
    assert "recency = 0.1" in str(caught.value)


def test_what_is_no_toml_is_a_usage_error():
    with pytest.raises(UsageError, match="not TOML"):
        with_table("db = ", "search", VALUES)


@given(st.lists(st.sampled_from([
    "# c", "", '[policies.a]', 'users = ["*"]', "[search]", "recency = 0.5  # r", "half_life_days = 3", "k1=2", '[other."search"]',
]), max_size=9), st.sampled_from(["\n", "\r\n"]))  # fmt: skip
def test_whatever_the_file_holds_only_the_table_changes_or_nothing_does(lines, end):
    text = end.join(lines)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    out = changed(text)
    assert [line for line in out.splitlines() if line.startswith("#") or "users" in line] == [
        line for line in text.splitlines() if line.startswith("#") or "users" in line
    ]
