"""``profile``: one document of a given form, each of its values said by a memory, and nothing lost."""

from __future__ import annotations

import json

import pytest
from support.agnofile import make_store, row
from support.endpoint import Endpoint, fail, say
from support.inprocess import call_memopt, json_of_memopt

from memopt.errors import AnswerRefused, ModelError, UsageError, VerificationError
from memopt.memory import UserMemory
from memopt.models.builtin import BuiltinModel
from memopt.strategies.base import run
from memopt.strategies.profile import ProfileStrategy
from memopt.testing import ScriptedModel, StrategyContract

FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "city": {"type": "string", "description": "where the user lives"},
        "birthday": {"type": "string", "description": "date on which the user was born"},
        "smoker": {"type": "boolean"},
        "pets": {"type": "array", "items": {"$ref": "#/$defs/Pet"}},
        "allergies": {"type": "array", "items": {"type": "string"}, "description": "what the user is allergic to"},
    },
    "additionalProperties": False,
    "$defs": {
        "Pet": {"type": "object", "properties": {"kind": {"type": "string"}, "name": {"type": "string"}}, "required": ["name"]}
    },
}
TEXTS = (
    "User lives in Bern.",
    "User has a dog called Rex.",
    "User was born on 3 May 1990.",
    "User is allergic to nuts.",
    "User plays the cello every Friday.",
)
ANSWER = {
    "allergies": ["nuts"],
    "pets": [{"name": "Rex", "kind": "dog"}],
    "birthday": "1990-05-03",
    "city": "Bern",
}


def memories(*texts, start=1_700_000_000, **more):
    return [UserMemory(text, f"m{n}", user_id="u1", created_at=start + n, **more) for n, text in enumerate(texts)]


def profile(given, *answers, form=FORM, **options):
    model = ScriptedModel(_one_by_one(answers))
    return run(ProfileStrategy(schema=json.dumps(form), **options), given, model)[0], model


def _one_by_one(answers):
    left = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in answers]
    return lambda _ask: left.pop(0) if len(left) > 1 else left[0]


def document(proposal):
    (found,) = [item for item in proposal.memories if item.memory.startswith("{")]
    return json.loads(found.memory), found


class TestProfileContract(StrategyContract):
    def make_strategy(self):
        return ProfileStrategy(schema=json.dumps({"type": "object", "properties": {"facts": {"type": "array"}}}))

    def make_model(self):
        return ScriptedModel(lambda ask: json.dumps({"facts": list(dict.fromkeys(item.memory for item in ask.material))}))


def test_the_document_has_the_order_of_its_form_and_what_does_not_fit_stays():
    given = memories(*TEXTS)
    proposal, model = profile(given, ANSWER)
    data, found = document(proposal)
    assert list(data) == ["city", "birthday", "pets", "allergies"] and data == ANSWER
    assert found.sources == tuple(item.memory_id for item in given)
    assert [item for item in proposal.memories if item is not found] == [given[4]]
    assert "cello" in proposal.decisions["m4"].reason
    assert all(proposal.decisions[f"m{n}"].into == found.memory_id for n in range(4))
    (ask,) = model.asked
    assert ask.schema == FORM and json.dumps(FORM) in ask.plain_form
    (report,) = proposal.reports
    assert report["sources"] == 5 and any(item["kept_beside"] for item in report["lost"])


def test_a_value_that_no_memory_says_is_taken_out():
    proposal, _ = profile(memories(*TEXTS), {**ANSWER, "name": "Zoe Quinn", "pets": [{"name": "Rex"}, {"name": "Whiskers"}]})
    data, _ = document(proposal)
    assert "name" not in data and data["pets"] == [{"name": "Rex"}]
    assert any("Zoe Quinn" in note for note in proposal.notes)
    assert {item["sentence"] for item in proposal.reports[0]["invented"]} == {"Zoe Quinn", "Whiskers"}


def test_what_a_memory_denies_is_taken_out():
    given = memories("User is not allergic to nuts.", "User lives in Bern.")
    proposal, _ = profile(given, {"city": "Bern", "allergies": ["nuts"]})
    assert document(proposal)[0] == {"city": "Bern"}
    assert given[0] in proposal.memories


def test_a_demanded_value_that_no_memory_says_refuses_the_whole():
    with pytest.raises(VerificationError, match="Zoe"):
        profile(memories(*TEXTS), {**ANSWER, "name": "Zoe Quinn"}, form={**FORM, "required": ["name"]})
    with pytest.raises(VerificationError, match=r"nothing in it|empty"):
        profile(memories(*TEXTS), {"name": "Zoe Quinn"})
    with pytest.raises(VerificationError, match="empty"):
        profile(memories(*TEXTS), {})


def test_an_answer_that_does_not_fit_is_asked_for_again_with_what_is_wrong():
    proposal, model = profile(memories(*TEXTS), {**ANSWER, "city": 3}, "no idea", ANSWER)
    assert document(proposal)[0] == ANSWER
    assert "city: must be string" in model.asked[1].prompt
    assert len(model.asked) == 3


def test_an_answer_that_never_fits_is_refused():
    with pytest.raises(AnswerRefused, match="city: must be string"):
        profile(memories(*TEXTS), {"city": 3}, repairs=1)


def test_a_second_run_asks_nobody_and_a_new_memory_is_put_into_the_document():
    proposal, _ = profile(memories(*TEXTS), ANSWER)
    again, model = profile(list(proposal.memories), {"city": "Nowhere"})
    assert list(again.memories) == list(proposal.memories) and not model.asked
    moved = UserMemory("User moved to Oslo.", "n", user_id="u1", created_at=1_800_000_000)
    later, model = profile([*proposal.memories, moved], {"city": "Oslo"})  # and forgot all the rest
    data, found = document(later)
    assert data == {**ANSWER, "city": "Oslo"}
    assert '"Bern"' in model.asked[0].prompt and "cello" not in model.asked[0].prompt
    assert moved not in later.memories and "n" in found.sources


def test_more_than_one_request_holds_is_put_in_part_by_part():
    given = memories(*TEXTS[:4], *(f"User spent {n + 3} hours on project {n} with the team in room {n}." for n in range(60)))
    proposal, model = profile(given, ANSWER, part_tokens=600)
    assert len(model.asked) > 2
    assert '"Bern"' in model.asked[1].prompt
    assert document(proposal)[0] == ANSWER
    assert len(proposal.memories) == 61, "none of the others fitted"


def test_blank_and_protected_memories_are_left_alone():
    given = [*memories(*TEXTS[:3]), *memories("User has a secret.", protected="topic:x"), UserMemory(" ", "b", user_id="u1")]
    given[3] = given[3].but(memory_id="p")
    proposal, model = profile(given, {"city": "Bern", "birthday": "1990-05-03", "pets": ANSWER["pets"]})
    assert given[3] in proposal.memories and given[4] in proposal.memories
    assert "secret" not in model.asked[0].prompt


def test_where_nothing_fits_nothing_is_changed():
    given = memories("User plays the cello every Friday.", "User reads novels at night.")
    proposal, _ = profile(given, {"notes": "cello"}, form={"type": "object", "properties": {"notes": {"type": "string"}}})
    assert list(proposal.memories) == given


def test_the_built_in_consolidator_cannot_fill_in_a_form():
    with pytest.raises(UsageError, match="--model"):
        run(ProfileStrategy(schema=json.dumps(FORM)), memories(*TEXTS), BuiltinModel())


def test_a_context_too_small_for_the_schema_is_told():
    model = ScriptedModel(json.dumps(ANSWER))
    model.context_tokens = 300
    with pytest.raises(ModelError, match="context"):
        run(ProfileStrategy(schema=json.dumps(FORM)), memories(*TEXTS), model)


def test_chinese_stays_readable_in_the_document():
    given = memories("用户住在北京。", "用户对花生过敏。")
    proposal, _ = profile(given, {"city": "北京", "allergies": ["花生"]})
    data, found = document(proposal)
    assert data == {"city": "北京", "allergies": ["花生"]} and "北京" in found.memory


@pytest.fixture
def folder(tmp_path):
    make_store(tmp_path / "agno.db", [row(f"m{n}", text, at=1_767_258_000 + n) for n, text in enumerate(TEXTS)])
    (tmp_path / "form.json").write_text(json.dumps(FORM))
    return tmp_path


def optimize(folder, endpoint, schema, *more, code=0):
    flags = ("--user", "u1", "-s", "profile", "-o", f"schema={schema}", "--model", "any", "--base-url", endpoint.base_url)
    return json_of_memopt("optimize", *flags, *more, code=code, cwd=folder, env={"OPENAI_API_KEY": "k"})


def test_the_command_reads_the_schema_from_a_file_and_asks_for_that_form(folder):
    with Endpoint(say(json.dumps(ANSWER))) as endpoint:
        plan = optimize(folder, endpoint, "form.json", "--apply")
    assert endpoint.requests[0].body["response_format"]["json_schema"]["schema"] == FORM
    assert plan["counts"] == {"kept": 1, "revised": 0, "dropped": 4, "added": 1}
    shown = json_of_memopt("show", "--user", "u1", cwd=folder)["memories"]
    assert json.loads(shown[-1]["memory"]) == ANSWER


def test_a_service_without_structured_output_is_told_the_schema_in_words(folder):
    with Endpoint(
        fail(400, "response_format is not supported"), say("Here it is:\n```json\n" + json.dumps(ANSWER) + "\n```")
    ) as endpoint:
        plan = optimize(folder, endpoint, "form.json")
    assert plan["counts"]["added"] == 1
    assert "where the user lives" in endpoint.requests[-1].system


def test_a_pydantic_model_gives_the_schema(folder):
    (folder / "forms.py").write_text(
        "import pydantic\n\nclass Person(pydantic.BaseModel):\n    city: str\n    birthday: str | None = None\n"
    )
    with Endpoint(say(json.dumps({"city": "Bern", "birthday": "1990-05-03"}))) as endpoint:
        plan = optimize(folder, endpoint, "./forms.py:Person")
    added = [change for change in plan["changes"] if change["action"] == "added"]
    assert json.loads(added[0]["after"]["memory"]) == {"city": "Bern", "birthday": "1990-05-03"}


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ("nothing.json", "there is no"),
        ("./nothing.py:Person", "there is no"),
        ("./empty.py:Person", "has no class Person"),
        ("./empty.py:Other", "no Pydantic model"),
        ("./broken.py:Person", "fails when it is run"),
        ("broken.json", "not JSON"),
    ],
)
def test_a_schema_that_cannot_be_had_is_a_usage_error(folder, schema, told):
    (folder / "empty.py").write_text("class Other: ...\n")
    (folder / "broken.py").write_text("1 / 0\n")
    (folder / "broken.json").write_text("{")
    done = call_memopt("optimize", "--user", "u1", "-s", "profile", "-o", f"schema={schema}", cwd=folder)
    assert done.returncode == 2 and told in done.stderr, done.stderr


def test_without_a_schema_it_says_what_it_needs(folder):
    done = call_memopt("optimize", "--user", "u1", "-s", "profile", cwd=folder)
    assert done.returncode == 2 and "needs the option schema" in done.stderr
