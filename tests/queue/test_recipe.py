"""What is to be done, written down for workers: nothing is lost on the way, and names fit where they must."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.errors import ConflictError
from memopt.queue.recipe import (
    MAX_QUEUE_BYTES,
    Recipe,
    pack_user,
    queue_name,
    queueing_lock,
    unpack_user,
    user_lock,
)

RECIPE = Recipe(
    label="nightly",
    strategies=("dedupe", "recent"),
    table="ai.agno_memories",
    digest="d",
    options={"recent.keep": "100"},
    encoding="o200k_base",
    model="m",
    protect=("topic:medical",),
    when="tokens > 2000",
    max_drop="50%",
)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), min_size=1)


@given(TEXTS, st.lists(TEXTS), st.dictionaries(TEXTS, TEXTS))
def test_a_recipe_comes_back_as_it_was_written_down(label, strategies, options):
    recipe = replace(RECIPE, label=label, strategies=tuple(strategies), options=options)
    assert Recipe.from_json(recipe.to_json()) == recipe


def test_all_but_the_label_makes_another_recipe():
    assert replace(RECIPE, label="other").id == RECIPE.id
    for change in (
        {"max_drop": None},
        {"when": None},
        {"table": "ai.x"},
        {"options": {}},
        {"digest": "e"},
        {"model": None},
        {"questions": "q"},
        {"min_recall": 1.0},
    ):
        assert replace(RECIPE, **change).id != RECIPE.id, change


@pytest.mark.parametrize("text", [{"format": 2}, {"of_the_future": 1}])
def test_what_another_version_wrote_down_is_refused(text):
    written = json.loads(RECIPE.to_json()) | text
    with pytest.raises(ConflictError, match="another version"):
        Recipe.from_json(json.dumps(written))


@given(TEXTS)
def test_a_queue_has_a_name_that_a_channel_can_have(label):
    name = queue_name(label)
    assert 0 < len(name.encode()) <= MAX_QUEUE_BYTES
    assert name.isprintable() or name == label
    assert len(f"procrastinate_queue_v1#{name}".encode()) < 64


@given(TEXTS, TEXTS)
def test_two_labels_have_two_queues(one, other):
    assert (queue_name(one) == queue_name(other)) == (one == other)


def test_a_plain_label_is_the_name_of_its_queue():
    assert queue_name("nightly") == "nightly"
    assert queue_name("夜間") == "夜間"
    assert queue_name("a" * 41) != "a" * 41
    assert queue_name("x~y") != "x~y"  # it could be the name of another label's queue


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=())))
def test_every_id_that_a_store_gives_comes_back(user):
    try:
        user.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return  # no database holds such an id
    try:
        user = user.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")
    finally:
        assert unpack_user(json.loads(json.dumps(pack_user(user)))) == user


@given(TEXTS, TEXTS)
def test_locks_tell_users_tables_labels_and_recipes_apart(one, other):
    assert (user_lock("t", "q", one) == user_lock("t", "q", other)) == (one == other)
    assert len({user_lock("t", "q", one), user_lock("u", "q", one), user_lock("t", "r", one), queueing_lock("t", one)}) == 4
    assert len(user_lock("t", "q", one * 1000)) == 32
