"""`memopt eval`: the table, the document, the picture, the model's answers; and what it refuses."""

from __future__ import annotations

import json
import re

import pytest
from support.agnofile import make_store, row, store_of, written
from support.endpoint import Endpoint, fail, say
from support.inprocess import call_memopt, json_of_memopt

TEXTS = {
    "home-old": "User lives in Basel.",
    "home": "User has moved to Bern.",
    "job": "User works as a structural engineer at Brückner AG.",
    "food": "User is allergic to peanuts and carries an EpiPen.",
    "food2": "User is allergic to peanuts, and carries an EpiPen",
    "bike": "User bought a cargo bike for 2,400 euros in March 2024.",
    "music": "User's daughter Ines plays the viola in a youth orchestra.",
    "hope": "User hopes to make a difference in the world.",
    "kind": "User believes in the importance of kindness.",
}
QUESTIONS = [
    {"id": "home", "text": "Where has the user moved?", "memory_ids": ["home"], "answer": "Bern", "stale_ids": ["home-old"]},
    {"id": "job", "text": "What does the user work as?", "memory_ids": ["job"], "answer": "structural engineer"},
    {"id": "food", "text": "What is the user allergic to?", "memory_ids": ["food"], "answer": "peanuts"},
    {"id": "bike", "text": "How much was the cargo bike?", "answer": "2400 EUR"},
    {
        "id": "viola",
        "text": "Which instrument does Ines play?",
        "memory_ids": ["music", "gone"],
        "answer": ["viola", "the viola"],
    },
    {"id": "odd", "text": "Who?", "memory_ids": ["nobody"]},
    {"id": "no", "text": "Why?", "answerable": False},
]


@pytest.fixture
def store(tmp_path):
    return store_of(tmp_path / "agno.db", TEXTS)


@pytest.fixture
def questions(tmp_path):
    return written(tmp_path / "q.jsonl", QUESTIONS)


def run(store, questions, *more, user="u1", **options):
    return call_memopt("eval", "--db", store, "--user", user, "--questions", questions, *more, **options)


def document(store, questions, *more, user="u1", code=0, **options):
    return json_of_memopt("eval", "--db", store, "--user", user, "--questions", questions, *more, code=code, **options)


def by_name(found):
    return {item["name"]: item for item in found["contenders"]}


def test_it_measures_each_contender_and_writes_nothing(store, questions):
    before = store.read_bytes()
    found = document(store, questions, "-s", "dedupe", "-s", "recent,keep=3", "--budget", "50%")
    assert store.read_bytes() == before
    each = by_name(found)
    assert list(each) == ["all memories", "dedupe", "recent,keep=3", "budget 50%"]
    assert found["questions"]["measured"] == 5 and found["questions"]["unanswerable"] == 1
    assert found["questions"]["left_out"] == [{"id": "odd", "reason": "no memory has any of its ids"}]
    assert {"id": "viola", "memory_ids": ["gone"]} in found["questions"]["unknown"]
    assert each["all memories"]["differences"] == {}
    assert each["dedupe"]["lost"] == [] and each["dedupe"]["tokens"]["share"] < 1
    assert each["dedupe"]["figures"]["evidence"]["value"] == 1
    assert each["recent,keep=3"]["lost"] == ["home", "job", "food", "bike"]
    assert each["recent,keep=3"]["figures"]["evidence"]["value"] == pytest.approx(0.2)
    gap = each["recent,keep=3"]["differences"]["recall@10"]
    assert gap["value"] == pytest.approx(-0.8) and gap["low"] < gap["value"] < gap["high"] and gap["p"] == pytest.approx(2 / 16)
    assert each["budget 50%"]["tokens"]["share"] <= 0.5


def test_what_superseded_the_outdated_wins(store, questions):
    each = by_name(document(store, questions, "-s", "supersede"))
    assert each["supersede"]["figures"]["stale_above"]["value"] == 0
    assert each["supersede"]["figures"]["evidence"]["value"] == 1


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_the_table_fits_the_terminal_and_names_what_is_lost(store, questions, columns):
    done = run(store, questions, "-s", "dedupe", "-s", "supersede+dedupe+recent,keep=3", env={"COLUMNS": columns})
    assert done.returncode == 0 and done.stderr == ""
    for line in done.stdout.splitlines():
        if str(store) not in line and columns != "60":
            assert len(line) <= int(columns), line
    assert "supersede+dedupe+recent,keep=3 loses, wholly or in part:" in done.stdout
    assert "  job: What does the user work as?" in done.stdout
    assert "nothing was written to the store" in done.stdout
    assert re.search(r"^ 1\.0 │", done.stdout, re.M)


def test_the_letters_of_the_chart_are_those_of_the_table(store, questions):
    text = run(store, questions, "-s", "recent,keep=3", env={"COLUMNS": "80"}).stdout
    chart = text[text.index("(up) against tokens left") :]
    rows = [line for line in chart.splitlines() if "│" in line]
    height = {letter: at for at, line in enumerate(rows) for letter in "ab" if letter in line.split("│")[1]}
    assert height["a"] == 0 and height["b"] == 8


def test_several_users_are_searched_each_for_its_own_questions(store, tmp_path):
    path = written(
        tmp_path / "two.jsonl",
        [
            {"id": "r", "text": "Where does the user live?", "answer": "Rome", "user": "v"},
            {"id": "j", "text": "What does the user work as?", "memory_ids": ["job"], "user": "u1"},
        ],
    )
    found = json_of_memopt("eval", "--db", store, "--questions", path, "-s", "recent,keep=1")
    assert found["users"] == ["v", "u1"]
    assert by_name(found)["recent,keep=1"]["lost"] == ["r", "j"]
    assert by_name(found)["recent,keep=1"]["memories"] == {"before": 11, "after": 2}
    only = document(store, path, "-s", "recent,keep=1", user="v")
    assert only["questions"]["left_out"] == [{"id": "j", "reason": "it is about other users"}]


def test_plans_contend_too(store, questions, tmp_path):
    plan = tmp_path / "plan.json"
    call_memopt("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=3", "--out", plan)
    each = by_name(document(store, questions, "--plan", plan, "-s", "recent,keep=3"))
    named = next(name for name in each if name.startswith("plan "))
    assert each[named]["figures"] == each["recent,keep=3"]["figures"] and each[named]["plan"] == str(plan)
    folder = tmp_path / "plans"
    call_memopt("optimize", "--db", store, "--all-users", "-s", "recent", "-o", "keep=3", "--out", folder)
    each = by_name(document(store, questions, "--plan", folder))
    assert each[f"plan {folder}"]["lost"] == ["home", "job", "food", "bike"]
    done = run(store, written(tmp_path / "v.jsonl", [{"text": "Chess?", "memory_ids": ["v2"]}]), "--plan", plan, user="v")
    assert done.returncode == 2 and "is about user u1, and looked at are user v" in done.stderr


def test_a_plan_whose_rows_moved_on_is_told(store, questions, tmp_path):
    plan = tmp_path / "plan.json"
    call_memopt("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=3", "--out", plan)
    call_memopt("optimize", "--db", store, "--user", "u1", "-s", "dedupe", "--apply")
    done = run(store, questions, "--plan", plan)
    assert done.returncode == 0 and "no longer those that it was made from" in done.stderr


def test_a_contender_that_fails_is_told_and_the_others_are_measured(store, questions, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(
        "from memopt import MemoryOptimizationStrategy\nclass Bad(MemoryOptimizationStrategy):\n"
        "    name = 'bad'\n    def steps(self, memories):\n        print('noise')\n        raise ValueError('no luck')\n"
    )
    done = run(store, questions, "-s", f"{path}:Bad", "-s", "dedupe", "--json")
    assert done.returncode == 4 and "could not be measured" in done.stderr and "no luck" in done.stderr
    each = {item["name"]: item for item in json.loads(done.stdout)["contenders"]}
    assert each[f"{path}:Bad"]["error"]["kind"] == "strategy" and each[f"{path}:Bad"]["figures"] is None
    assert each["dedupe"]["figures"]["evidence"]["value"] == 1
    assert run(store, questions, "-s", f"{path}:Bad").returncode == 4


def test_the_built_in_consolidator_contends(store, questions):
    each = by_name(document(store, questions, "-s", "summarize", env={"OPENAI_API_KEY": None}))
    assert each["summarize"]["figures"]["evidence"]["value"] == 1
    assert each["summarize"]["usage"]["requests"] == 0


def test_the_picture_is_drawn(store, questions, tmp_path):
    for kind, begins in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("html", b"<!doctype html>")):
        files = []
        for place in ("a", "b"):
            target = tmp_path / f"{place}.{kind}"
            done = run(store, questions, "-s", "dedupe", "--budget", "75%,50%", "--plot", target)
            assert done.returncode == 0, done.stderr
            assert "the chart is in" in done.stdout
            files.append(target.read_bytes())
        assert files[0].startswith(begins) and files[0] == files[1]
    page = (tmp_path / "a.html").read_text()
    assert (
        "budget 50%" in page
        and "<svg" in page
        and "http://" not in re.sub(r'(xmlns|rdf|resource)[^"]*"[^"]*"', "", page.split("<table>")[1])
    )


def test_the_same_call_prints_the_same(store, questions):
    one, other = (run(store, questions, "-s", "dedupe", "--budget", "50%", "--json").stdout for _ in range(2))
    assert one == other


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "say what to compare"),
        (["-s", "dedup"], "did you mean dedupe"),
        (["-s", "dedupe", "-o", "keep=3"], "no contender has that option"),
        (["-s", "recent"], "keep"),
        (["--budget", "50"], "--budget takes shares"),
        (["-s", "dedupe", "-k", "0"], "-k takes whole numbers"),
        (["-s", "dedupe", "--seed", "-1"], "--seed takes"),
        (["-s", "dedupe", "--weight", "colour=1"], "colour"),
        (["-s", "dedupe", "--plot", "x.pdf"], "the name ends in .png or .svg or .html"),
        (["-s", "dedupe", "--plot", "/nowhere/x.png"], "--plot /nowhere/x.png: the folder"),
        (["-s", "dedupe", "--judge", "m"], "--judge goes with --answer"),
        (["-s", "dedupe", "--protect", "x"], "--protect takes rules"),
        (["--plan", "nowhere.json"], "nowhere.json"),
        (["-s", "dedupe", "--answer"], "--answer lets a model answer"),
    ],
)
def test_bad_values_are_usage_errors(store, questions, arguments, said):
    done = run(store, questions, *arguments)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr and not done.stdout


def test_questions_and_users_are_asked_for(store, questions):
    done = call_memopt("eval", "--db", store, "--user", "u1", "-s", "dedupe")
    assert done.returncode == 2 and "say which questions" in done.stderr
    done = call_memopt("eval", "--db", store, "--questions", questions, "-s", "dedupe")
    assert done.returncode == 2 and "say whose memories" in done.stderr
    done = run(store, questions, "-s", "dedupe", user="u11")
    assert done.returncode == 2 and "u1" in done.stderr
    done = run(store, questions, "-s", "dedupe", user="v")
    assert done.returncode == 2 and "none of the 6 questions can be measured" in done.stderr


# -- answers of a model ------------------------------------------------------------------------------------------------

RIGHT = {
    "moved": "Bern.",
    "work as": "a structural engineer",
    "allergic": "peanuts.",
    "cargo": "2,400 euros",
    "instrument": "the viola",
}


def well(request):
    if "Given answer" in request.prompt:
        given = request.prompt.rsplit("Given answer: ", 1)[1]
        return say("wrong" if given == "unknown" else "Correct", usage={"prompt_tokens": 50, "completion_tokens": 1})
    question = request.prompt.rsplit("Question: ", 1)[1]
    answer = next(text for word, text in RIGHT.items() if word in question)
    known = request.prompt.rsplit("Question: ", 1)[0]
    told = any(word in known for word in answer.strip(".").split()[-1:]) or "2,400" in known
    return say(f"<{answer}>" if told else "unknown", usage={"prompt_tokens": 100, "completion_tokens": 3})


def asked(store, questions, endpoint, *more, code=0):
    return document(
        store,
        questions,
        "--answer",
        "--model",
        "m",
        "--base-url",
        endpoint.base_url,
        *more,
        code=code,
        env={"OPENAI_API_KEY": "sk-x"},
    )


def test_a_model_answers_from_what_is_found_and_is_scored(store, questions):
    with Endpoint(well) as endpoint:
        each = by_name(asked(store, questions, endpoint, "-s", "recent,keep=3"))
        requests = list(endpoint.requests)
    good, bad = each["all memories"]["answers"], each["recent,keep=3"]["answers"]
    assert {item["id"]: item["exact"] for item in good["given"]} == {"home": 1, "job": 1, "food": 1, "bike": 0, "viola": 1}
    assert {item["id"]: item["f1"] for item in good["given"]}["bike"] == 0.5  # "2400 euros" beside "2400 EUR"
    assert bad["exact"]["value"] < 0.5 < good["exact"]["value"] == 0.8
    assert good["tokens"]["value"] == 103 and good["judged"] is None and good["failed"] == 0
    assert len(requests) == 9  # the viola is found alike in both
    # they are under way together and arrive in any order; where little is left, a question may find nothing
    assert sum("User" in request.prompt for request in requests) >= 5
    assert all("sk-x" not in request.prompt for request in requests)


def test_the_same_memories_are_asked_about_once(store, questions):
    with Endpoint(well) as endpoint:
        asked(store, questions, endpoint, "-s", "retain,keep-last=99", "-s", "recent,keep=99")
        assert len(endpoint.requests) == 5


def test_a_judge_grades_what_other_words_say(store, questions):
    with Endpoint(well) as endpoint:
        each = by_name(asked(store, questions, endpoint, "--judge", "j"))
        judged = [request for request in endpoint.requests if request.body["model"] == "j"]
    assert each["all memories"]["answers"]["judged"]["value"] == 1 and len(judged) == 5
    assert "Right answer: viola / the viola" in judged[-1].prompt


def test_limits_hold_before_anything_is_asked(store, questions):
    with Endpoint(well) as endpoint:
        flags = (
            "eval",
            "--db",
            store,
            "--user",
            "u1",
            "--questions",
            questions,
            "--answer",
            "--model",
            "m",
            "--base-url",
            endpoint.base_url,
        )
        done = call_memopt(*flags, "--max-requests", "4", env={"OPENAI_API_KEY": "k"})
        assert done.returncode == 4 and "--max-requests allows 4" in done.stderr
        done = call_memopt(*flags, "--max-cost", "0.0001", "--price", "1/1", env={"OPENAI_API_KEY": "k"})
        assert done.returncode == 4 and "--max-cost" in done.stderr
        assert endpoint.requests == []
        done = call_memopt(*flags, "--max-requests", "5", env={"OPENAI_API_KEY": "k"})
        assert done.returncode == 0 and len(endpoint.requests) == 5
        assert "exact" in done.stdout and "asking m at" in done.stderr


def test_limits_hold_for_strategies_and_answers_together(store, questions):
    def both(request):
        return well(request) if "Question: " in request.prompt else say("User has moved to Bern.")

    with Endpoint(both) as endpoint:
        flags = ("--max-requests", "6", "-s", "summarize,on-loss=keep")
        done = run(
            store, questions, "--answer", "--model", "m", "--base-url", endpoint.base_url, *flags, env={"OPENAI_API_KEY": "k"}
        )
        assert done.returncode == 4 and 0 < len(endpoint.requests) <= 6


def test_answers_that_fail_score_nothing_and_are_counted(store, questions):
    def half(request):
        return fail(400, "no") if "allergic" in request.prompt.rsplit("Question: ", 1)[1] else well(request)

    with Endpoint(half) as endpoint:
        each = by_name(asked(store, questions, endpoint))
    answers = each["all memories"]["answers"]
    assert answers["failed"] == 1 and answers["exact"]["value"] == pytest.approx(0.6)
    assert next(item for item in answers["given"] if item["id"] == "food")["error"]


def test_a_service_that_refuses_the_key_ends_it(store, questions):
    with Endpoint(fail(401, "bad key")) as endpoint:
        document(
            store, questions, "--answer", "--model", "m", "--base-url", endpoint.base_url, code=8, env={"OPENAI_API_KEY": "k"}
        )


# -- bad days ----------------------------------------------------------------------------------------------------------


def test_a_missing_extra_is_named(store, questions, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "bm25s", None)
    done = run(store, questions, "-s", "dedupe")
    assert done.returncode == 2 and "pip install 'memopt[search]'" in done.stderr and "Traceback" not in done.stderr
    monkeypatch.undo()
    monkeypatch.setattr("memopt.evaluation.plot.find_spec", lambda name: None)
    done = run(store, questions, "-s", "dedupe", "--plot", "x.png")
    assert done.returncode == 2 and "pip install 'memopt[plots]'" in done.stderr


def test_without_embeddings_words_are_compared_and_that_is_said(store, questions, monkeypatch):
    from memopt.errors import UsageError

    def missing(name="x"):
        raise UsageError("no embedder")

    monkeypatch.setattr("memopt.similarity.embed.local", missing)
    done = run(store, questions, "-s", "dedupe")
    assert done.returncode == 0 and "only words are compared, not meanings" in done.stdout


def test_one_memory_and_one_question_are_enough(tmp_path):
    store = make_store(tmp_path / "one.db", [row("a", "用户住在伯尔尼。🙂", user=None)])
    path = written(tmp_path / "q.jsonl", [{"text": "用户住在哪里？", "answer": "伯尔尼", "user": None}])
    found = json_of_memopt("eval", "--db", store, "--questions", path, "-s", "dedupe", "--budget", "50%")
    assert found["users"] == [None] and found["contenders"][1]["figures"]["recall@1"]["value"] == 1
    assert json_of_memopt("eval", "--db", store, "--no-user", "--questions", path, "-s", "tidy")["questions"]["measured"] == 1


def test_rows_that_cannot_be_read_are_counted(tmp_path, questions):
    rows = [row(key, text) for key, text in TEXTS.items()] + [row("broken", None, memory="broken")]
    store = make_store(tmp_path / "broken.db", rows)
    found = document(store, questions, "-s", "dedupe")
    assert found["unreadable"] == 1
    assert "1 row that cannot be read" in run(store, questions, "-s", "dedupe").stdout


def test_texts_that_would_steer_the_terminal_are_shown_harmlessly(tmp_path):
    store = make_store(tmp_path / "evil.db", [row("a", "User lives in Bern."), row("b", "User likes tea.", at=1_767_300_000)])
    path = written(tmp_path / "q.jsonl", [{"id": "q\u001b[2J", "text": "Where\u001b]0;x\u0007 is home?", "memory_ids": ["a"]}])
    done = run(store, path, "-s", "recent,keep=1")
    assert done.returncode == 0 and "\x1b" not in done.stdout and "q\\x1b[2J" in done.stdout


@pytest.mark.parametrize("content", [b"\xff\xfe{}", b'{"text": "Q?", "answer": "a"}\n{"text": 3}', b"", b"[]"])
def test_a_broken_file_of_questions_is_one_line(store, tmp_path, content):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    done = run(store, path, "-s", "dedupe")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "bad.jsonl" in done.stderr


def test_questions_that_are_looked_for_in_part_are_told(store, tmp_path):
    asked = [*QUESTIONS, *({**QUESTIONS[1], "id": f"long-{n}", "text": "What does the user work as? " * 90} for n in range(2))]
    path = written(tmp_path / "long.jsonl", asked)
    said = "2 questions have more than 2,000 characters, of which the beginning is looked for: long-0, long-1"
    assert said in document(store, path, "-s", "dedupe")["notes"]
    assert said in " ".join(run(store, path, "-s", "dedupe").stdout.split())
