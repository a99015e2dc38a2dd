"""tidy: blank memories go, wrapped ones come back, and all else is listed until it is named; no secret is ever told."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memopt.errors import UsageError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory, to_epoch
from memopt.plan import Action, diff
from memopt.strategies.base import Proposal, run
from memopt.strategies.tidy import CLASSES, TidyStrategy

FIXTURES = Path(__file__).parents[2] / "fixtures" / "agno"
MIGRATED = to_epoch("2026-11-30T08:00:00")
CARD = "4242 4242 4242 4242"


def mem(text: str, memory_id: str = "m", **more: Any) -> UserMemory:
    return UserMemory(text, memory_id, user_id="u", **{"created_at": MIGRATED, "updated_at": MIGRATED, **more})


def tidy(memories: list[UserMemory], **options: Any) -> Proposal:
    return run(TidyStrategy(**options), memories, None)[0]


def wrapped(**inner: Any) -> dict[str, Any]:
    return {"memory_id": "old", "memory": "Likes tea", "topics": ["drinks"], "last_updated": "2025-03-02T09:12:44", **inner}


def as_agno_shows(inner: dict[str, Any], memory_id: str = "m", **row: Any) -> UserMemory:
    """A wrapped row as the store for Agno reads it: the dict's text, and the dict where the prompt gets it."""
    topics = row.pop("topics", inner.get("topics"))
    return mem(inner["memory"], memory_id, prompt_text=str(inner), topics=topics, **row)


# ---------------------------------------------------------------------------------------------------------------- blank


def test_blank_memories_are_dropped_and_that_is_safe() -> None:
    memories = [mem("", "a"), mem(" \n\u200b", "b"), mem("Likes tea", "c")]
    after = tidy(memories)
    assert list(after.memories) == memories[2:]
    assert after.memories[0] is memories[2]
    assert all(after.decisions[each].safe and after.decisions[each].reason == "no text" for each in "ab")
    assert not after.notes


def test_a_blank_memory_that_has_more_than_its_text_is_a_judgement() -> None:
    for more, name in (({"input": "I like tea"}, "input"), ({"feedback": "wrong"}, "feedback"), ({"topics": ["x"]}, "topics")):
        decision = tidy([mem("", "a", **more)]).decisions["a"]
        assert not decision.safe and decision.reason == f"no text; goes with its {name}"
    decision = tidy([as_agno_shows(wrapped(memory=" ", input="I like tea"))]).decisions["m"]
    assert not decision.safe and "input" in decision.reason


def test_blank_memories_stay_where_their_class_is_not_named() -> None:
    for drop in ("none", "answers", "logs,data"):
        memories = [mem("", "a"), mem("", "b")]
        after = tidy(memories, drop=drop)
        assert list(after.memories) == memories
        assert after.notes == ("2 memories are listed as blank (without any text) and kept; -o drop=blank drops such",)


# ------------------------------------------------------------------------------------------------------------- restoring


def test_what_a_migration_wrapped_comes_back_with_its_topics_its_message_and_its_date() -> None:
    item = as_agno_shows(wrapped(input="I like tea"), agent_id="a")
    after = tidy([item])
    (new,) = after.memories
    assert (new.memory, new.in_prompt, new.topics, new.input) == ("Likes tea", "Likes tea", ("drinks",), "I like tea")
    assert new.created_at == new.updated_at == to_epoch("2025-03-02T09:12:44")
    assert (new.agent_id, new.user_id, new.sources) == ("a", "u", ())
    assert (new.memory_id, after.decisions["m"].into) == ("m", None)
    assert after.decisions["m"].reason == (
        "an old migration stored it as a dict; turned back into the memory it was, with its own date; the dict's memory_id goes"
    )
    assert not after.decisions["m"].safe
    assert {change.action for change in diff([item], after.memories, after.decisions)} == {Action.REVISED}


def test_a_wrapped_text_that_the_store_does_not_unwrap_is_revised_in_place() -> None:
    for text in (str(wrapped()), json.dumps(wrapped(agent_id=None)), str(wrapped(memory=str(wrapped())))):
        after = tidy([mem(text)])
        (new,) = after.memories
        assert (new.memory_id, new.memory, new.topics) == ("m", "Likes tea", ("drinks",))
        (change,) = diff([mem(text)], after.memories, after.decisions)
        assert change.action is Action.REVISED


def test_the_rows_own_values_stand_before_those_of_the_dict() -> None:
    early = to_epoch("2020-01-01")
    item = as_agno_shows(wrapped(input="from the dict"), topics=("own",), input="own", created_at=early, updated_at=early)
    after = tidy([item])
    (new,) = after.memories
    assert (new.topics, new.input, new.created_at, new.updated_at) == (("own",), "own", early, early)
    assert after.decisions["m"].reason.endswith("the dict's memory_id, topics, last_updated and input go")
    assert not after.decisions["m"].safe


def test_restoring_is_safe_where_nothing_but_the_old_id_goes() -> None:
    assert tidy([as_agno_shows({"memory_id": "old", "memory": "Likes tea", "topics": ["drinks"]})]).decisions["m"].safe
    assert not tidy([as_agno_shows({"memory": "Likes tea", "last_updated": "yesterday"})]).decisions["m"].safe


def test_a_dict_that_holds_more_than_a_memory_is_left_alone() -> None:
    item = as_agno_shows(wrapped(weight=3))
    after = tidy([item], drop="data")
    assert list(after.memories) == [item] and after.memories[0] is item
    assert any("also holds what no memory has" in note for note in after.notes)
    machine = mem('{"memory": "16 GB", "cpu": "M2"}')
    after = tidy([machine])
    assert list(after.memories) == [machine]
    assert after.decisions["m"].reason == "listed for review: a JSON document (drop=data drops it)"


@pytest.mark.parametrize("item", [as_agno_shows(wrapped()), mem(str(wrapped()))])
def test_wrapped_memories_are_left_where_that_is_asked_for_and_never_dropped_as_data(item: UserMemory) -> None:
    after = tidy([item], restore=False, drop="blank,data")
    assert list(after.memories) == [item] and after.memories[0] is item
    with pytest.raises(UsageError, match="restored, not dropped"):
        TidyStrategy(drop="migrated")


# --------------------------------------------------------------------------------------------------------------- listing

DOUBTFUL = {
    "answers": "Sure! Here's a recipe you can try.",
    "logs": "[ERROR] connection refused",
    "prompts": "You are a helpful assistant.",
    "data": '{"a": 1}',
    "placeholders": "N/A",
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_is_doubtful_is_listed_and_kept_until_its_class_is_named(name: str) -> None:
    memories = [mem(DOUBTFUL[name], "a"), mem("Likes tea", "b")]
    others = ",".join(each for each in CLASSES if each != name)
    for options in ({}, {"drop": others}):
        after = tidy(memories, **options)
        assert list(after.memories) == memories and after.memories[0] is memories[0]
        assert after.decisions["a"].reason.startswith("listed for review: ")
        assert after.decisions["a"].reason.endswith(f"(drop={name} drops it)")
        assert after.notes == (f"1 memory is listed as {name} ({CLASSES[name]}) and kept; -o drop={name} drops such",)
        assert "b" not in after.decisions
    gone = tidy(memories, drop=f"blank,{name}")
    assert [item.memory_id for item in gone.memories] == ["b"]
    assert gone.decisions["a"].reason.endswith(f"(drop={name})") and not gone.decisions["a"].safe


@pytest.mark.parametrize("value", ["", "all", "blank,", "blank,,logs", "everything", "none,blank", "Secret"])
def test_classes_that_there_are_not_are_refused_and_the_valid_ones_named(value: str) -> None:
    with pytest.raises(
        UsageError, match="takes any of blank, answers, logs, prompts, data, placeholders, secrets, cards, or none"
    ):
        TidyStrategy(drop=value)


# --------------------------------------------------------------------------------------------------------------- secrets


def said(proposal: Proposal) -> str:
    return " ".join([*(decision.reason for decision in proposal.decisions.values()), *proposal.notes])


def test_secrets_are_listed_by_id_and_kind_and_told_nowhere() -> None:
    memories = [
        mem("User's password is Zebra!99", "a"),
        mem(f"Pays with {CARD}", "b"),
        mem("Likes tea", "c", input="my PIN is 4821"),
        mem("Sure! Your password is Zebra!99.", "d"),
    ]
    after = tidy(memories)
    assert list(after.memories) == memories
    assert "2 memories hold" not in said(after)
    assert after.notes[-2:] == (
        "3 memories hold passwords, keys and tokens, listed without showing them and kept: a (a password); "
        "c (a PIN in its input); d (a password); -o drop=secrets drops such memories whole",
        "1 memory holds payment card and bank account numbers, listed without showing them and kept: "
        "b (a card number ending in 4242); -o drop=cards drops such memories whole",
    )
    for secret in ("Zebra", "4821", "4242 4242"):
        assert secret not in said(after)


def test_a_kept_memory_with_a_secret_gets_no_reason_of_its_own_as_it_would_be_shown_for_it() -> None:
    after = tidy([mem("User's password is Zebra!99", "a"), mem("Sure! Your password is Zebra!99.", "b")])
    assert not after.decisions


def test_secrets_go_when_they_are_named_and_the_journal_is_spoken_of() -> None:
    memories = [mem("User's password is Zebra!99", "a"), mem(f"Pays with {CARD}", "b"), mem("Likes tea", "c")]
    after = tidy(memories, drop="secrets,cards")
    assert [item.memory_id for item in after.memories] == ["c"]
    assert after.decisions["a"].reason == "holds a password (drop=secrets)"
    assert after.decisions["b"].reason == "holds a card number ending in 4242 (drop=cards)"
    assert "what is dropped stays in the journal, for undo, until memopt history --prune takes it out" in after.notes
    assert "Zebra" not in said(after) and "4242 4242" not in said(after)


def test_a_secret_within_what_a_migration_wrapped_is_listed_too() -> None:
    after = tidy([as_agno_shows(wrapped(input="my password is Zebra!99"))])
    assert "m (a password)" in after.notes[0] and "Zebra" not in said(after)
    assert len(after.memories) == 1


@pytest.mark.parametrize("agno", [True, False])
def test_a_wrapped_memory_that_holds_a_secret_stays_wrapped_as_a_preview_would_show_it(agno: bool) -> None:
    inner = wrapped(memory=f"Pays with {CARD}")
    item = as_agno_shows(inner) if agno else mem(str(inner))
    after = tidy([item])
    assert list(after.memories) == [item] and after.memories[0] is item and not after.decisions
    assert (
        "1 of these is wrapped by an old migration and left so, as the preview of a change would show the secret" in after.notes
    )
    assert "card number ending in 4242" in said(after) and "4242 4242" not in said(after)
    assert not tidy([item], drop="cards").memories


def test_of_many_secrets_not_every_id_is_told() -> None:
    note = tidy([mem("User's password is Zebra!99", f"m{n}") for n in range(150)]).notes[0]
    assert note.startswith("150 memories hold") and "m99 " in note and "m100" not in note and "and 50 more" in note


def test_protected_memories_are_left_alone_and_their_secrets_listed() -> None:
    memories = [
        mem("", "a", protected="id:a"),
        mem(DOUBTFUL["answers"], "b", protected="id:b"),
        mem("User's password is Zebra!99", "c", protected="id:c"),
        as_agno_shows(wrapped(), "d").but(protected="id:d", prompt_text=str(wrapped())),
    ]
    after = tidy(memories, drop=",".join(CLASSES))
    assert all(one is two for one, two in zip(after.memories, memories, strict=True))
    assert not after.decisions and "c (a password)" in after.notes[0]


# ------------------------------------------------------------------------------------------------------------ properties

_texts = st.one_of(
    st.sampled_from([*DOUBTFUL.values(), "", "Likes tea", "password is Zebra!99", CARD, str(wrapped()), str(wrapped(memory=""))]),
    st.text(max_size=30),
)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(_texts, st.booleans(), st.sampled_from([None, "x"])), max_size=12),
    st.sets(st.sampled_from(sorted(CLASSES))),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_order_does_not_matter_a_second_run_does_nothing_and_nothing_goes_unnamed(
    listed: list[tuple[str, bool, str | None]], drop: set[str], restore: bool, rng: Any
) -> None:
    memories = [
        as_agno_shows(wrapped(memory=text), f"m{place}") if agno else mem(text, f"m{place}", protected=protected)
        for place, (text, agno, protected) in enumerate(listed)
    ]
    options = {"drop": ",".join(sorted(drop)) or "none", "restore": restore}
    once = tidy(memories, **options)
    again = tidy(list(once.memories), **options)
    assert [item.content() for item in again.memories] == [item.content() for item in once.memories]
    assert {item.memory_id for item in again.memories} == {item.memory_id for item in once.memories}
    other = tidy(rng.sample(memories, len(memories)), **options)
    assert dict(other.decisions) == dict(once.decisions)
    for change in diff(memories, once.memories, once.decisions):
        if change.action is Action.DROPPED and change.into is None:
            assert (drop and "no text" in change.reason) or "(drop=" in change.reason


# ------------------------------------------------------------------------------------------------------------ as a whole


def test_a_migrated_file_becomes_what_it_was_and_comes_back(tmp_path: Path) -> None:
    db = tmp_path / "agno.db"
    shutil.copy(FIXTURES / "agno_v18_migrated.db", db)

    def rows() -> list[tuple[Any, ...]]:
        with sqlite3.connect(db) as conn:
            return sorted(conn.execute("SELECT memory_id, memory, topics, input, created_at, updated_at FROM agno_memories"))

    stored = rows()
    manager = MemoryManager(db)
    before = {item.memory: item for item in manager.get_user_memories("u1").memories}
    plan = manager.optimize_memories("u1", "tidy", apply=True)
    after = {item.memory: item for item in manager.get_user_memories("u1").memories}
    assert plan.saved > 0 and set(after) == set(before)
    assert all(item.prompt_text is None and item.topics == before[text].topics for text, item in after.items())
    assert all(item.updated_at < before[text].updated_at for text, item in after.items())
    assert not manager.optimize_memories("u1", "tidy").has_changes
    manager.undo()
    assert rows() == stored
