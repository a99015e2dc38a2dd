"""flag > environment > memopt.toml > default, and every bad value named with its place."""

import itertools

import pytest

from memopt.errors import UsageError
from memopt.settings import DEFAULT_LOCK_TIMEOUT, FILE_KEYS, VARIABLES, Settings, read_config, resolve


def test_without_anything_the_defaults_hold_and_no_store_is_guessed():
    found = resolve({})
    assert found == Settings()
    assert (found.encoding, found.lock_timeout) == ("o200k_base", DEFAULT_LOCK_TIMEOUT)
    with pytest.raises(UsageError, match=r"--db PATH, set MEMOPT_DB, .*memopt\.toml"):
        found.need_db()


def test_the_frameworks_own_file_is_the_last_resort():
    assert resolve({}, default_db=True).need_db() == "agno.db"
    assert resolve({}, {"MEMOPT_DB": "env.db"}, default_db=True).db == "env.db"
    assert resolve({}, {}, 'db = "file.db"', default_db=True).db == "file.db"


@pytest.mark.parametrize("name", ["db", "table", "model", "base_url", "encoding"])
def test_each_place_is_stronger_than_the_next(name):
    flag, environ, config = {name: "flag"}, {VARIABLES[name][0]: "env"}, f'{name.replace("_", "-")} = "file"'
    places = [("flag", lambda on: flag if on else {}), ("env", None), ("file", None)]
    for on in itertools.product([True, False], repeat=3):
        found = resolve(flag if on[0] else {}, environ if on[1] else {}, config if on[2] else None)
        expected = next((places[i][0] for i in range(3) if on[i]), None)
        if expected is not None:
            assert getattr(found, name) == expected
            assert (
                found.origin[name]
                == {"flag": "--" + name.replace("_", "-"), "env": VARIABLES[name][0], "file": "memopt.toml"}[expected]
            )


def test_an_empty_variable_counts_as_not_set():
    config = 'db = "file.db"\nencoding = "cl100k_base"\nlock-timeout = 2'
    environ = {variable: " " for variables in VARIABLES.values() for variable in variables}
    found = resolve({}, environ, config)
    assert (found.db, found.encoding, found.lock_timeout, found.model, found.api_key) == ("file.db", "cl100k_base", 2, None, None)


def test_an_empty_flag_is_an_error_and_not_a_missing_one():
    with pytest.raises(UsageError, match="--db is empty"):
        resolve({"db": ""}, {"MEMOPT_DB": "env.db"})
    with pytest.raises(UsageError, match="--base-url is empty"):
        resolve({"base_url": " "})


def test_memopts_own_variable_is_stronger_than_the_fields():
    environ = {"MEMOPT_BASE_URL": "http://a/v1", "OPENAI_BASE_URL": "http://b/v1", "OPENAI_API_KEY": "sk-1"}
    found = resolve({}, environ)
    assert (found.base_url, found.api_key) == ("http://a/v1", "sk-1")
    del environ["MEMOPT_BASE_URL"]
    assert resolve({}, environ).base_url == "http://b/v1"


def test_the_key_is_in_no_repr():
    assert "sk-secret" not in repr(resolve({}, {"OPENAI_API_KEY": "sk-secret"}))


@pytest.mark.parametrize("bad", ["abc", "-1", "nan", "inf", "1e9", "1_0", "5s"])
@pytest.mark.parametrize("place", ["--lock-timeout", "MEMOPT_LOCK_TIMEOUT"])
def test_a_bad_timeout_names_where_it_stands(bad, place):
    flags, environ = ({"lock_timeout": bad}, {}) if place.startswith("--") else ({}, {place: bad})
    with pytest.raises(UsageError, match=place):
        resolve(flags, environ)


def test_zero_seconds_is_a_timeout():
    assert resolve({"lock_timeout": "0"}).lock_timeout == 0


@pytest.mark.parametrize(
    ("config", "line", "says"),
    [
        ('db = "a"\n\ndatabase = "b"\n', 3, "unknown key 'database'"),
        ('# comment\n"odd key" = 1\n', 2, "unknown key 'odd key'"),
        ('db = "a"\n[policies.nightly]\nx = 1\n', 3, "unknown key 'x'"),
        ('db = "a"\napi-key = "sk"\n', 2, "OPENAI_API_KEY"),
        ("db = 3\n", 1, "takes a text"),
        ('db = ""\n', 1, "takes a text"),
        ('table = "x"\nlock-timeout = "5"\n', 2, "number of seconds"),
        ("lock-timeout = true\n", 1, "number of seconds"),
        ("lock-timeout = -2\n", 1, "number of seconds"),
        ('base-url = "a"\nbase_url = "b"\n', 2, "given twice"),
        ('db = "a"\ndb = "b"\n', 2, "not TOML"),
        ("db = \n", 1, "not TOML"),
        (b'db = "a"\ntable = "\xff"\n', 2, "not UTF-8"),
    ],
)
def test_a_bad_line_is_named(config, line, says):
    with pytest.raises(UsageError) as caught:
        resolve({}, {}, config)
    assert f"line {line}" in str(caught.value)
    assert says in str(caught.value)
    assert "memopt.toml" in str(caught.value)


def test_an_unknown_key_is_told_the_valid_ones():
    with pytest.raises(UsageError) as caught:
        read_config("datbase = 1")
    assert all(key in str(caught.value) for key in FILE_KEYS)


def test_a_file_is_read_under_either_spelling_and_with_a_byte_order_mark():
    assert read_config(b'\xef\xbb\xbfbase_url = "http://x"\nlock-timeout = 1.5') == {"base_url": "http://x", "lock_timeout": 1.5}


@pytest.mark.parametrize("name", ["context_tokens", "concurrency"])
@pytest.mark.parametrize("bad", ["0", "-1", "1.5", "x", "9" * 5000, "1_0", "²"])
def test_a_count_is_a_whole_number_above_0(name, bad):
    flag = "--" + name.replace("_", "-")
    with pytest.raises(UsageError, match=flag):
        resolve({name: bad})
    with pytest.raises(UsageError, match=VARIABLES[name][0]):
        resolve({}, {VARIABLES[name][0]: bad})
    assert getattr(resolve({name: "12"}), name) == 12


def test_the_weights_of_the_search_stand_in_a_table_of_their_own():
    assert resolve({}, {}, "[search]\nrecency = 0.1\nhalf-life-days = 90").search == {"recency": 0.1, "half_life_days": 90}
    assert resolve({}, {}, "search.half_life_days = 7").search == {"half_life_days": 7}
    assert resolve({}).search == {}


def test_its_keys_are_the_fields_of_a_ranking():
    from dataclasses import fields

    from memopt.retrieval import Ranking
    from memopt.settings import SEARCH_KEYS

    assert set(SEARCH_KEYS) == {item.name.replace("_", "-") for item in fields(Ranking)}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('db = "a"\n[search]\nrecency = 0.1\ncolour = 1\n', r"line 4: unknown key 'colour' in \[search\]; .*half-life-days"),
        (
            '[policies.a]\nusers = ["*"]\nstrategies = ["dedupe"]\n[search]\nrecency = "much"\n',
            r"line 5: recency takes a number from 0 on, not 'much'",
        ),
        ("[search]\nrecency = true\n", "line 2: recency takes a number"),
        ("[search]\nrecency = -1\n", "line 2: recency takes a number"),
        ("[search]\nrecency = inf\n", "line 2: recency takes a number"),
        ("[search]\nhalf-life-days = 1\nhalf_life_days = 2\n", "given twice"),
        ("search = 0.3\n", r"line 1: search is a table"),
        ("search.recency = -2\n", "line 1: recency takes a number"),
    ],
)
def test_what_is_wrong_in_it_is_told_with_its_line(config, said):
    with pytest.raises(UsageError, match=said):
        resolve({}, {}, config)
