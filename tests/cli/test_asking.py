"""Asking a model from the command line: what is sent, what is said about it, and how it ends."""

from __future__ import annotations

import json
import sqlite3

import pytest
from support.agnofile import clean_environment, dump, make_store, row
from support.endpoint import Endpoint, fail, say, send_json
from support.inprocess import call_memopt, json_of_memopt
from support.notes import COMPLETION_TOKENS, TEXTS, adding, but, faithful, notes_of, usage_of, wants_json, without
from support.terminal import run_on_terminal


@pytest.fixture
def path(tmp_path):
    topics = ["home", "health", "pets", "sport"]
    rows = [row(f"m{n}", text, at=1_735_689_600 + n * 86_400, topics=[topics[n // 2]]) for n, text in enumerate(TEXTS)]
    return make_store(tmp_path / "a.db", rows)


def optimize(path, endpoint, *flags, code=0, as_json=True, env=None, **more):
    args = ["optimize", "--db", path, "--user", "u1", "--strategy", "summarize", *flags]
    if endpoint is not None:
        args += ["--model", "scripted", "--base-url", endpoint.base_url]
    done = call_memopt(*args, *(["--json"] if as_json else []), env=env, **more)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout) if as_json else done


def memories(path):
    return [item["memory"] for item in json_of_memopt("show", "--db", path, "--user", "u1")["memories"]]


def test_a_preview_says_whom_it_asks_what_and_writes_nothing(path):
    before = dump(path)
    with Endpoint(faithful) as endpoint:
        done = optimize(path, endpoint, as_json=False, env={"COLUMNS": "200"})
    (request,) = endpoint.requests
    assert f"asking scripted at {endpoint.base_url}: 1 request," in done.stderr and "tokens" in done.stderr
    assert endpoint.base_url in done.stdout and "nothing was written" in done.stdout
    assert dump(path) == before and wants_json(request)


def test_an_apply_that_nobody_watches_is_quiet(path):
    with Endpoint(faithful) as endpoint:
        done = optimize(path, endpoint, "--apply", as_json=False)
    assert done.stderr == "" and memories(path) == [" ".join(TEXTS)]


def test_usage_and_cost_are_in_the_document(path):
    with Endpoint(faithful) as endpoint:
        plan = optimize(path, endpoint, "--price", "1.5/2")
    told = usage_of(endpoint.requests[0])["prompt_tokens"]
    usage = plan["usage"]
    assert (usage["requests"], usage["prompt_tokens"], usage["completion_tokens"]) == (1, told, COMPLETION_TOKENS)
    assert usage["cost"] == pytest.approx((told * 1.5 + COMPLETION_TOKENS * 2) / 1_000_000)


@pytest.mark.parametrize("where", ["environment", "file"])
def test_a_price_may_come_from_the_settings(path, tmp_path, where):
    (tmp_path / "memopt.toml").write_text('price = "1/1"\n' if where == "file" else "")
    with Endpoint(faithful) as endpoint:
        plan = optimize(path, endpoint, env={"MEMOPT_PRICE": "1/1"} if where == "environment" else None, cwd=tmp_path)
    assert plan["usage"]["cost"] > 0


def test_the_table_tells_what_was_lost_invented_and_paid(path):
    first = but(lambda notes: [*(note for note in notes if "peanuts" not in note), "User owns a yacht called Nemo."])
    with Endpoint(first) as endpoint:
        done = optimize(path, endpoint, "--price", "1/1", as_json=False, env={"COLUMNS": "160"})
    shown = " ".join(done.stdout.split())
    assert "kept beside the summary, which lacks" in shown and "peanuts" in shown
    assert "Nemo" in shown and "1 request" in shown


def test_the_table_tells_what_is_wrong_in_a_sentence_once_and_which_memory_is_near(path):
    first = but(lambda notes: [*notes[:-1], "User lives in Bern with 3 dogs and 2 boats for 1,540 euros."])
    with Endpoint(first) as endpoint:
        done = optimize(path, endpoint, as_json=False, env={"COLUMNS": "300"})
        (report,) = optimize(path, endpoint)["verification"]["reports"]
    assert "1 invented and cut out" in done.stdout
    assert done.stdout.count("invented: ") == 1
    (line,) = [line for line in done.stdout.splitlines() if "invented: " in line]
    assert "no source has it" in line or "no source says it" in line
    assert "nearest: " in line
    assert len(report["invented"]) > 1
    assert all(item["nearest_id"] and item["nearest"] in TEXTS for item in report["invented"])
    assert ", its memory is kept beside it" in done.stdout or "facts lost" in done.stdout


def test_a_dry_request_shows_what_would_be_sent_and_sends_nothing(path):
    before = dump(path)
    with Endpoint(faithful) as endpoint:
        shown = optimize(path, endpoint, "--dry-request")
        text = optimize(path, endpoint, "--dry-request", as_json=False).stdout
    assert endpoint.requests == [] and endpoint.stray == [] and dump(path) == before
    (request,) = shown["requests"]
    assert notes_of(request["prompt"]) == TEXTS and "JSON" in request["system"] and request["tokens"] > 100
    assert shown["model"]["endpoint"] == endpoint.base_url
    assert "User is allergic to peanuts." in text and "You maintain the long-term memory" in text


@pytest.mark.parametrize(
    ("flags", "groups"),
    [
        (("-o", "per=topic"), ["home", "health", "pets", "sport"]),
        (("-o", "per=month"), ["2025-01"]),
        (("-o", "per=year"), ["2025"]),
        ((), [None]),
    ],
)
def test_a_dry_request_names_the_group_that_each_request_is_for(path, flags, groups):
    with Endpoint(faithful) as endpoint:
        document = optimize(path, endpoint, *flags, "--dry-request")
        shown = " ".join(optimize(path, endpoint, *flags, "--dry-request", as_json=False).stdout.split())
    assert [(request["group"], request["part"]) for request in document["requests"]] == [(name, None) for name in groups]
    for place, name in enumerate(groups, 1):
        head = f"request {place} of {len(groups)} to scripted at {endpoint.base_url}: summary of {len(TEXTS) // len(groups)} memories"
        assert head + (f" ({name}), " if name else ", ") in shown


def test_a_dry_request_names_the_part_that_each_request_is_for(tmp_path):
    rows = [
        row(f"m{n}", f"Fact number {n} is told here.", at=1_735_689_600 + n * 86_400, topics=[f"t{n % 2}"]) for n in range(24)
    ]
    path = make_store(tmp_path / "b.db", rows)
    with Endpoint(faithful) as endpoint:
        parts = optimize(path, endpoint, "-o", "part-tokens=300", "--dry-request")["requests"]
        both = optimize(path, endpoint, "-o", "part-tokens=300", "-o", "per=topic", "--dry-request")["requests"]
        shown = " ".join(optimize(path, endpoint, "-o", "part-tokens=300", "--dry-request", as_json=False).stdout.split())
    assert [request["part"] for request in parts] == [{"number": n, "of": len(parts)} for n in range(1, len(parts) + 1)]
    assert len(parts) > 2 and all(request["group"] is None for request in parts)
    assert f"memories (part 2 of {len(parts)}), " in shown
    of = [(request["group"], request["part"]["number"], request["part"]["of"]) for request in both]
    assert of == [("t0", 1, 2), ("t0", 2, 2), ("t1", 1, 2), ("t1", 2, 2)]


def test_a_dry_request_names_a_topic_that_is_called_all(tmp_path):
    rows = [row(f"m{n}", text, topics=["all" if n % 2 else "home"], at=1_735_689_600 + n) for n, text in enumerate(TEXTS)]
    with Endpoint(faithful) as endpoint:
        requests = optimize(make_store(tmp_path / "b.db", rows), endpoint, "-o", "per=topic", "--dry-request")["requests"]
    assert [request["group"] for request in requests] == ["home", "all"]


@pytest.mark.parametrize(("number", "flags"), [(1, ()), (3, ("-o", "per=topic"))])
def test_a_dry_request_of_which_nothing_would_be_sent_says_so(tmp_path, number, flags):
    rows = [row(f"m{n}", text, topics=[f"t{n}"], at=1_735_689_600 + n) for n, text in enumerate(TEXTS[:number])]
    path, plan = make_store(tmp_path / "b.db", rows), tmp_path / "plan.json"
    with Endpoint(faithful) as endpoint:
        document = optimize(path, endpoint, *flags, "--dry-request", "--out", plan)
        shown = optimize(path, endpoint, *flags, "--dry-request", as_json=False).stdout
        assert document == {"model": {"name": "scripted", "endpoint": endpoint.base_url}, "judge": None, "requests": []}
    assert shown == "no request would be sent: there is nothing to ask a model about\n"
    assert endpoint.requests == [] and not plan.exists()


def test_what_a_dry_request_shows_is_what_is_sent(path):
    with Endpoint(faithful) as endpoint:
        (shown,) = optimize(path, endpoint, "--dry-request")["requests"]
        optimize(path, endpoint)
    (request,) = endpoint.requests
    assert (request.system, request.prompt) == (shown["system"], shown["prompt"])


def test_a_dry_request_of_the_consolidator_says_that_there_is_none(path):
    shown = json_of_memopt("optimize", "--db", path, "--user", "u1", "-s", "summarize", "--model", "builtin", "--dry-request")
    assert shown["requests"] == []


@pytest.mark.parametrize("flags", [("--dry-request", "--apply")])
def test_a_dry_request_neither_applies_nor_goes_with_a_rule(path, flags):
    with Endpoint(faithful) as endpoint:
        assert "--dry-request" in optimize(path, endpoint, *flags, code=2)["error"]["message"]
    done = call_memopt("optimize", "--db", path, "--user", "u1", "-s", "recent", "-o", "keep=1", "--dry-request")
    assert done.returncode == 2 and "--dry-request" in done.stderr


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (("--max-requests", "1", "-o", "part-tokens=200"), "--max-requests"),
        (("--max-cost", "0.0000001", "--price", "1/1"), "--max-cost"),
    ],
)
@pytest.mark.parametrize("apply", [(), ("--apply",)])
def test_a_limit_stops_before_anything_is_sent(path, flags, word, apply):
    before = dump(path)
    with Endpoint(faithful) as endpoint:
        error = optimize(path, endpoint, *flags, *apply, code=4)["error"]
    assert error["kind"] == "limit" and word in error["message"] and "nothing was written" in error["message"]
    assert endpoint.requests == [] and dump(path) == before


def short_of_tokens(request):
    """As ``faithful``, without a word on tokens."""
    answer = json.loads(faithful(request).body)
    del answer["usage"]
    return send_json(answer)


def test_a_limit_of_cost_holds_where_the_service_tells_no_tokens(path):
    limit = ("--price", "1/1", "-o", "part-tokens=200", "-o", "min-saving=0")
    with Endpoint(short_of_tokens) as endpoint:
        plan = optimize(path, endpoint, *limit, "--max-cost", "1")
        used = plan["usage"]
        whole = plan["usage"]["cost"]
        assert used["prompt_tokens"] is None and whole > 0 and len(endpoint.requests) == used["requests"] > 1
        assert any("does not tell how many tokens" in note for note in plan["notes"])
    bodies = sum(len(request.system) + len(request.prompt) for request in endpoint.requests)
    assert bodies / 8 < whole * 1_000_000 < bodies
    with Endpoint(short_of_tokens) as endpoint:
        done = call_memopt(
            *("optimize", "--db", path, "--user", "u1", "-s", "summarize", "--model", "m", "--base-url", endpoint.base_url),
            *(*limit, "--max-cost", f"{whole / 2:.9f}", "--apply"),
        )
    assert done.returncode == 4 and "--max-cost" in done.stderr and "nothing was written" in done.stderr


def test_an_answer_that_passes_the_limit_of_cost_is_told_also_in_cron(path):
    def dear(request):
        answer = json.loads(faithful(request).body)
        answer["usage"]["completion_tokens"] = 900_000
        return send_json(answer)

    with Endpoint(dear) as endpoint:
        done = optimize(path, endpoint, "--apply", "--max-cost", "0.01", "--price", "1/1", as_json=False)
        assert "the limit of cost was passed" in done.stderr and "--max-cost allows 0.01" in done.stderr
        (request,) = endpoint.requests
        assert 0 < request.body["max_tokens"] < 10_000
    run = json_of_memopt("history", "--db", path, "--user", "u1", "--json")["runs"][0]
    assert run


def test_parts_that_are_paid_for_are_not_lost_where_their_merge_would_pass_the_limit(path):
    with Endpoint(faithful) as endpoint:
        flags = ("-o", "part-tokens=200", "-o", "min-saving=0")
        whole = optimize(path, endpoint, *flags)["usage"]["requests"]
        asked = len(endpoint.requests)
        assert asked == whole > 2
        plan = optimize(path, endpoint, *flags, "--max-requests", str(whole - 1), "--apply")
    assert len(endpoint.requests) - asked < whole and any("not asked, because" in note for note in plan["notes"])
    (summary,) = memories(path)
    assert all(text in summary for text in TEXTS)


def test_after_an_answer_that_passes_the_limit_of_cost_nothing_more_of_its_batch_is_asked(path):
    def dear(request):
        answer = json.loads(faithful(request).body)
        answer["usage"]["completion_tokens"] = 900_000
        return send_json(answer)

    before = dump(path)
    with Endpoint(dear) as endpoint:
        flags = ("--max-cost", "0.1", "--price", "1/1", "-o", "part-tokens=200", "--concurrency", "1", "--apply")
        done = optimize(path, endpoint, *flags, as_json=False, code=4)
        assert len(endpoint.requests) == 1
    assert "the limit of cost was passed" in done.stderr and "nothing was written" in done.stderr and dump(path) == before


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (("--max-requests", "0"), "--max-requests"),
        (("--max-requests", "x"), "--max-requests"),
        (("--max-cost", "1"), "--price"),
        (("--max-cost", "-1", "--price", "1/1"), "--max-cost"),
        (("--max-cost", "x", "--price", "1/1"), "--max-cost"),
        (("--price", "cheap"), "price"),
        (("--concurrency", "0"), "--concurrency"),
        (("--context-tokens", "-5"), "--context-tokens"),
        (("--timeout", "x"), "--timeout"),
        (("--on-loss", "shrug"), "on-loss"),
        (("--on-loss", "keep", "-o", "on-loss=fail"), "--on-loss"),
        (("--prompt-file", "/does/not/exist"), "prompt file"),
        (("-o", "part-tokens=1"), "part-tokens"),
        (("-o", "per=week"), "per"),
    ],
)
def test_a_flag_that_cannot_be_is_a_usage_error_and_asks_nobody(path, flags, word):
    with Endpoint(faithful) as endpoint:
        error = optimize(path, endpoint, *flags, code=2)["error"]
    assert error["kind"] == "usage" and word in error["message"] and endpoint.requests == []


@pytest.mark.parametrize("who", [("--user", "u1"), ("--all-users",)])
@pytest.mark.parametrize("how", [("-s", "dedupe"), ("-s", "summarize", "--model", "builtin")])
@pytest.mark.parametrize("limit", [("--max-requests", "0"), ("--max-cost", "1"), ("--max-cost", "1", "--price", "cheap")])
def test_a_limit_that_cannot_be_is_refused_also_where_nobody_is_asked(path, who, how, limit):
    done = call_memopt("optimize", "--db", path, *who, *how, *limit)
    assert done.returncode == 2 and done.stdout == ""


def test_a_dry_request_with_a_limit_that_cannot_be_is_refused(path):
    with Endpoint(faithful) as endpoint:
        assert "--max-requests" in optimize(path, endpoint, "--dry-request", "--max-requests", "0", code=2)["error"]["message"]


def test_the_amount_before_a_batch_is_said_to_be_for_that_batch(path):
    with Endpoint(faithful) as endpoint:
        done = optimize(path, endpoint, "--price", "1/1", "-o", "part-tokens=200", as_json=False)
        assert "for at most about 0.00" in done.stderr and "may be asked about again" in done.stderr.splitlines()[0]
        done = optimize(path, endpoint, as_json=False)
        assert "asked about again" not in done.stderr and "at most" not in done.stderr


@pytest.mark.parametrize("flag", [("--on-loss", "keep"), ("--judge", "j"), ("--prompt-file", "p.txt")])
def test_flags_of_rewriting_go_with_a_rewriting_strategy(path, tmp_path, flag):
    (tmp_path / "p.txt").write_text("Be brief.")
    done = call_memopt("optimize", "--db", path, "--user", "u1", "-s", "recent", "-o", "keep=1", *flag, cwd=tmp_path)
    assert done.returncode == 2 and flag[0] in done.stderr


def test_a_prompt_file_replaces_the_instructions(path, tmp_path):
    (tmp_path / "p.txt").write_text("\ufeffWrite like a captain. ⚓\n")
    with Endpoint(faithful) as endpoint:
        optimize(path, endpoint, "--prompt-file", tmp_path / "p.txt")
    assert endpoint.requests[0].system.startswith("Write like a captain. ⚓\n")
    assert "long-term memory" not in endpoint.requests[0].system


def test_an_empty_prompt_file_is_refused(path, tmp_path):
    (tmp_path / "p.txt").write_text(" \n")
    with Endpoint(faithful) as endpoint:
        assert "is empty" in optimize(path, endpoint, "--prompt-file", tmp_path / "p.txt", code=2)["error"]["message"]


@pytest.mark.parametrize(
    ("answer", "code", "kind"),
    [
        (say("I'm sorry, but I can't help with that."), 8, "answer"),
        (say(""), 8, "answer"),
        (say("User lives", finish_reason="length"), 8, "answer"),
        (fail(401, "Incorrect API key provided: sk-abc", "invalid_api_key"), 8, "model-unusable"),
        (fail(404, "The model `scripted` does not exist", "model_not_found"), 8, "model-unusable"),
        (fail(429, "slow down", retry_after="3600"), 8, "model-unusable"),
        (say("User owns a yacht called Nemo."), 4, "verification"),
    ],
)
def test_what_cannot_be_used_ends_with_its_code_one_line_and_nothing_written(path, answer, code, kind):
    before = dump(path)
    with Endpoint(answer) as endpoint:
        error = optimize(path, endpoint, "--apply", code=code)["error"]
        done = optimize(path, endpoint, "--apply", code=code, as_json=False)
    assert error["kind"] == kind and error["exit_code"] == code and "\n" not in error["message"]
    assert done.stdout == "" and done.stderr.startswith("memopt: ") and done.stderr.count("\n") == 1
    assert dump(path) == before


def test_nobody_there_is_code_8(path):
    where = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--timeout", "1")
    done = call_memopt("optimize", "--db", path, "--user", "u1", "-s", "summarize", *where)
    assert done.returncode == 8 and "cannot be reached" in done.stderr


def test_fail_is_code_4_and_names_what_was_lost(path):
    before = dump(path)
    with Endpoint(without("peanuts")) as endpoint:
        error = optimize(path, endpoint, "--apply", "--on-loss", "fail", code=4)["error"]
    assert error["kind"] == "verification" and "peanuts" in error["message"]
    assert error["lost"][0]["memory_id"] == "m1"
    assert dump(path) == before


def test_repair_asks_again_and_the_document_says_how_often(path):
    with Endpoint(without("peanuts"), faithful) as endpoint:
        plan = optimize(path, endpoint, "--on-loss", "repair")
    assert len(endpoint.requests) == 2 and "peanuts" in endpoint.requests[1].prompt
    (report,) = plan["verification"]["reports"]
    assert report["repairs"] == 1 and report["lost"] == [] and plan["usage"]["requests"] == 2


LOOSE = "User skis in winter with school friends."
SOURCE = "User spends winter weekends skiing with old school friends in the mountains."


def judged(path, endpoint, *flags, **more):
    make_store(path, [row("ski", SOURCE, at=1_735_000_000)])
    return optimize(path, endpoint, *flags, **more)


def judging(said):
    def answer(request):
        if request.body["model"] == "wise":
            facts = [line for line in request.prompt.partition("=== rewrite")[0].splitlines() if line[:1].isdigit()]
            return say(json.dumps({"verdicts": [{"fact": n, "said": said} for n, _ in enumerate(facts, 1)]}))
        return but(lambda notes: [LOOSE, *notes[1:]])(request)

    return answer


@pytest.mark.parametrize("how", ["flag", "environment", "file"])
def test_a_judge_is_another_model_at_the_same_service(path, tmp_path, how):
    (tmp_path / "memopt.toml").write_text('judge = "wise"\n' if how == "file" else "")
    flags = ("--judge", "wise") if how == "flag" else ()
    with Endpoint(judging(True)) as endpoint:
        plan = judged(path, endpoint, *flags, env={"MEMOPT_JUDGE": "wise"} if how == "environment" else None, cwd=tmp_path)
    assert {request.body["model"] for request in endpoint.requests} == {"scripted", "wise"}
    (report,) = plan["verification"]["reports"]
    assert report["judged"] and all(item["said"] for item in report["judged"])


def test_the_judge_is_asked_and_counted_under_its_own_name(path):
    with Endpoint(judging(True)) as endpoint:
        plan = judged(path, endpoint, "--judge", "wise", "--price", "1/2")
        asked = [request.body["model"] for request in endpoint.requests]
        shown = optimize(path, endpoint, "--judge", "wise", "--price", "1/2", as_json=False, env={"COLUMNS": "200"})
        alone = optimize(path, endpoint, "-o", "judge=true", as_json=False)
    assert plan["usage"]["requests"] == len(asked) > asked.count("wise") > 0
    judge = {name: plan["usage"]["judge"][name] for name in ("name", "endpoint", "requests")}
    assert judge == {"name": "wise", "endpoint": endpoint.base_url, "requests": asked.count("wise")}
    assert "what the judge wise took is counted at the price that was given for scripted" in plan["notes"]
    first, second = [line for line in shown.stderr.splitlines() if line.startswith("asking")][:2]
    assert first.startswith(f"asking scripted at {endpoint.base_url}: 1 request, ") and first.endswith(" at the price given")
    assert second.startswith(f"asking the judge wise at {endpoint.base_url}: 1 request, ")
    assert second.endswith(" at the price given for scripted")
    assert f"{asked.count('wise')} of them to the judge" in " ".join(shown.stdout.split())
    assert f"asking again scripted at {endpoint.base_url}: 1 request, " in alone.stderr and "the judge" not in alone.stderr


def test_a_plan_from_a_file_knows_what_the_judge_took(path, tmp_path):
    with Endpoint(judging(True)) as endpoint:
        made = judged(path, endpoint, "--judge", "wise", "--out", tmp_path / "plan.json")
    applied = json_of_memopt("apply", tmp_path / "plan.json")
    assert applied["usage"] == made["usage"] and applied["usage"]["judge"]["requests"] > 0


def test_a_dry_request_names_the_judge_who_would_be_asked_afterwards(path):
    with Endpoint(faithful) as endpoint:
        document = optimize(path, endpoint, "--judge", "wise", "--dry-request")
        shown = optimize(path, endpoint, "--judge", "wise", "--dry-request", as_json=False).stdout
        alone = optimize(path, endpoint, "--dry-request")
    assert endpoint.requests == []
    assert document["judge"] == {"name": "wise", "endpoint": endpoint.base_url} and alone["judge"] is None
    assert [request["to"]["name"] for request in document["requests"]] == ["scripted"]
    assert f"the judge wise at {endpoint.base_url} would be asked afterwards" in " ".join(shown.split())


def test_a_named_judge_can_be_left_out(path):
    with Endpoint(judging(True)) as endpoint:
        judged(path, endpoint, "-o", "judge=false", env={"MEMOPT_JUDGE": "wise"})
    assert {request.body["model"] for request in endpoint.requests} == {"scripted"}


def test_without_a_judge_none_is_asked(path):
    with Endpoint(judging(True)) as endpoint:
        plan = judged(path, endpoint)
    assert len(endpoint.requests) == 1
    assert all(report["judged"] == [] for report in (plan["verification"] or {"reports": []})["reports"])


def test_requests_are_under_way_together(path):
    def slow(request):
        import time

        time.sleep(0.2)
        return faithful(request)

    with Endpoint(slow) as endpoint:
        optimize(path, endpoint, "-o", "per=topic", "--concurrency", "2")
    assert len(endpoint.requests) == 4 and endpoint.busiest == 2


def test_progress_is_shown_on_a_terminal_and_nowhere_else(path):
    with Endpoint(faithful) as endpoint:
        where = ("--model", "scripted", "--base-url", endpoint.base_url)
        args = ("optimize", "--db", path, "--user", "u1", "-s", "summarize", "-o", "per=topic", *where)
        code, shown = run_on_terminal(*args, env=clean_environment())
        piped = call_memopt(*args)
    assert code == 0 and "4 of 4 answered" in shown and "4 requests" in shown
    assert piped.returncode == 0 and "answered" not in piped.stderr and "4 requests" in piped.stderr


def test_an_invented_sentence_never_reaches_the_store(path):
    with Endpoint(adding("User owns a yacht called Nemo.")) as endpoint:
        plan = optimize(path, endpoint, "--apply")
    assert memories(path) == [" ".join(TEXTS)]
    assert plan["verification"]["reports"][0]["invented"][0]["sentence"].strip() == "User owns a yacht called Nemo."


def test_a_plan_from_a_file_writes_what_was_shown_and_asks_nobody(path, tmp_path):
    file = tmp_path / "plan.json"
    with Endpoint(without("Rex")) as endpoint:
        optimize(path, endpoint, "--out", file)
        asked = len(endpoint.requests)
        shown = json_of_memopt("apply", file)
        assert len(endpoint.requests) == asked
    assert set(memories(path)) == {TEXTS[2], " ".join(TEXTS[:2] + TEXTS[3:])}
    assert shown["verification"]["reports"][0]["lost"][0]["kept_beside"]


def test_where_nothing_is_saved_the_plan_says_so(path):
    before = dump(path)
    with Endpoint(say("User lives in Bern.")) as endpoint:
        done = optimize(path, endpoint, "--apply", as_json=False, env={"COLUMNS": "200"})
    assert "nothing is changed" in done.stdout and "nothing to do" in done.stdout and dump(path) == before


def test_the_consolidator_is_the_default_where_nothing_is_set_and_that_is_said(path):
    plan = optimize(path, None)
    assert plan["model"]["name"] == "builtin" and plan["usage"]["requests"] == 0
    done = optimize(path, None, "--apply", as_json=False)
    assert "built-in consolidator" in done.stderr and "builtin" in done.stdout


@pytest.mark.parametrize("env", [{"OPENAI_API_KEY": "sk-x"}, {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}])
def test_it_is_not_the_default_where_a_key_or_a_service_is_set(path, env):
    done = optimize(path, None, code=2, as_json=False, env=env)
    assert "--model" in done.stderr


def test_limits_do_not_hold_back_the_consolidator_which_sends_nothing(path):
    plan = optimize(path, None, "-o", "per=topic", "--max-requests", "1", "--max-cost", "0.000001", "--price", "9/9")
    assert plan["model"]["name"] == "builtin"


def test_a_key_is_in_no_output(path, tmp_path):
    key = "sk-verysecretkey1234567890"
    with Endpoint(fail(401, f"Incorrect API key provided: {key}", "invalid_api_key")) as endpoint:
        done = optimize(path, endpoint, code=8, as_json=False, env={"OPENAI_API_KEY": key})
    assert key not in done.stdout + done.stderr and endpoint.requests[0].headers["authorization"] == f"Bearer {key}"
    with Endpoint(faithful) as endpoint:
        optimize(path, endpoint, "--out", tmp_path / "p.json", env={"OPENAI_API_KEY": key})
    assert key not in (tmp_path / "p.json").read_text()


def test_a_dry_request_needs_no_key(tmp_path):
    store = make_store(tmp_path / "agno.db", [row(f"m{n}", f"User likes thing {n}.") for n in range(3)])
    done = call_memopt("optimize", "--db", store, "--user", "u1", "-s", "summarize", "--model", "gpt-4o-mini", "--dry-request")
    assert done.returncode == 0, done.stderr
    assert "request 1 of 1" in done.stdout and "nothing was sent" in done.stdout
    done = call_memopt("optimize", "--db", store, "--user", "u1", "-s", "summarize", "--model", "gpt-4o-mini")
    assert done.returncode == 8 and "no key" in done.stderr


def test_the_history_tells_what_a_run_lost_and_only_the_options_that_were_set(tmp_path):
    texts = ["User lives in Bern.", "User is allergic to peanuts.", "User has a dog called Rex."]
    make_store(tmp_path / "agno.db", [row(f"m{n}", text, at=1_735_689_600 + n) for n, text in enumerate(texts)])
    with Endpoint(say("User lives in Bern.")) as endpoint:
        asked = ("--model", "m", "--base-url", endpoint.base_url, "--on-loss", "accept", "--apply")
        done = call_memopt("optimize", "--user", "u1", "-s", "summarize", *asked, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in call_memopt("history", cwd=tmp_path).stdout.splitlines() if "u1: " in line]
    run = json_of_memopt("history", cwd=tmp_path)["runs"][0]
    lost = run["facts"]["before"] - run["facts"]["kept"]
    assert lost > 0 and f"; {lost} of {run['facts']['before']} facts lost" in line
    assert "summarize (on-loss=accept)" in line


def in_other_words(request):
    return say(" ".join(["Boats make the user sick." if "seasick" in note else note for note in notes_of(request.prompt)]))


@pytest.mark.parametrize("whose", [("--user", "u1"), ("--all-users",)])
def test_a_paraphrase_is_found_by_meaning_where_that_is_asked_for_and_shown_with_its_score(tmp_path, whose):
    texts = [*TEXTS, "User gets seasick."]
    path = make_store(tmp_path / "b.db", [row(f"m{n}", text, at=1_735_689_600 + n * 86_400) for n, text in enumerate(texts)])
    args = ["optimize", "--db", path, *whose, "--strategy", "summarize", "--model", "scripted", "-o", "min-saving=0"]

    def reports(*more):
        plans = tmp_path / f"plans{len(more)}"
        out = plans if whose[0] == "--all-users" else plans.with_suffix(".json")
        with Endpoint(in_other_words) as endpoint:
            done = call_memopt(*args, "--base-url", endpoint.base_url, "--out", out, *more)
        assert done.returncode == 0, done.stderr
        (file,) = [each for each in (plans.iterdir() if plans.is_dir() else [out]) if b"verification" in each.read_bytes()]
        return json.loads(file.read_text(encoding="utf8"))["verification"]["reports"], done.stdout

    (plain,), _ = reports()
    assert [item["fact"] for item in plain["lost"]] == ["User gets seasick."] and plain["by_meaning"] == []
    (found,), shown = reports("-o", "semantic=true")
    assert found["lost"] == [] and found["retention"] == 1
    assert {item["nearest"] for item in found["by_meaning"] if item["side"] == "lost"} == {"Boats make the user sick"}
    if whose[0] == "--user":
        assert "told in other words" in shown and "by meaning, 0." in shown and "(of m8)" in shown


def test_what_is_said_of_a_service_to_the_built_in_consolidator_is_told(path):
    done = optimize(path, None, "--model", "builtin", "--judge", "judge-x", "--price", "1/1", "--max-requests", "3")
    assert done["model"]["name"] == "builtin"
    shown = optimize(path, None, "--model", "builtin", "--judge", "judge-x", "--price", "1/1", as_json=False)
    assert "asks no service: --judge, --price have no effect" in shown.stderr
    assert "no effect" not in optimize(path, None, "--model", "builtin", as_json=False).stderr


def changing(path, *ids):
    """Answers faithfully, and has the agent change memories while the first answer is made."""
    left = list(ids)

    def answer(request):
        with sqlite3.connect(path) as agent:
            while left:
                agent.execute("UPDATE agno_memories SET memory = '\"Told anew.\"' WHERE memory_id = ?", (left.pop(),))
        agent.close()
        return faithful(request)

    return answer


MANY_PARTS = ("-o", "part-tokens=200", "--concurrency", "1", "-o", "min-saving=0")


@pytest.mark.parametrize("mode", ["stop", "skip"])
def test_what_joins_parts_is_not_paid_for_where_a_memory_changed_and_nothing_can_be_written(path, mode):
    with Endpoint(faithful) as endpoint:
        optimize(path, endpoint, *MANY_PARTS)
        whole = len(endpoint.requests)
    with Endpoint(changing(path, "m3")) as endpoint:
        failed = optimize(path, endpoint, *MANY_PARTS, "--apply", "--on-conflict", mode, code=5)["error"]
        sent = len(endpoint.requests)
    assert failed["kind"] == "conflict" and failed["conflicts"] == [{"memory_id": "m3", "problem": "was changed"}]
    assert failed["message"] == (
        "the store changed while the model was asked: m3 was changed. So nothing of this could be written, and nothing more was "
        "asked; make the plan anew"
    )
    assert 1 < sent < whole and "Told anew." in memories(path) and len(memories(path)) == len(TEXTS)


def test_a_preview_goes_on_where_a_memory_changed_since(path):
    with Endpoint(changing(path, "m3")) as endpoint:
        plan = optimize(path, endpoint, *MANY_PARTS)
    assert plan["counts"]["added"] == 1 and plan["counts"]["dropped"] == len(TEXTS)


def test_other_summaries_are_written_where_a_memory_of_one_changed_and_that_is_to_be_skipped(tmp_path):
    rows = [
        row(
            f"m{n}",
            f"User keeps the {'red' if n % 2 else 'blue'} file number {n} on shelf {n + 40}.",
            topics=[f"t{n % 2}"],
            at=1_735_689_600 + n,
        )
        for n in range(20)
    ]
    path = make_store(tmp_path / "b.db", rows)
    flags = ("-o", "per=topic", "-o", "part-tokens=250", "-o", "min-saving=0", "--apply", "--on-conflict")
    with Endpoint(changing(path, "m3")) as endpoint:
        done = optimize(path, endpoint, *flags, "skip")
    assert done["applied"] and "m3" in done["skipped"] and "m2" not in done["skipped"]
    assert "Told anew." in memories(path)
    json_of_memopt("undo", "--db", path)
    with Endpoint(changing(path, "m4")) as endpoint:
        assert optimize(path, endpoint, *flags, "stop", code=5)["error"]["kind"] == "conflict"


def test_a_memory_may_change_whose_request_failed_for_no_summary_holds_it(tmp_path):
    rows = [
        row(
            f"m{n}",
            f"User keeps the file number {n} on shelf {n + 40}.",
            topics=["far" if n < 2 else "near"],
            at=1_735_689_600 + n,
        )
        for n in range(14)
    ]
    path = make_store(tmp_path / "b.db", rows)

    def answer(request):
        if "number 0 " not in request.prompt:
            return faithful(request)
        with sqlite3.connect(path) as agent:
            agent.execute("UPDATE agno_memories SET memory = '\"Told anew.\"' WHERE memory_id = 'm0'")
        agent.close()
        return fail(400, "this text is not allowed")

    flags = ("-o", "per=topic", "-o", "part-tokens=200", "-o", "min-saving=0", "--concurrency", "1", "--apply")
    with Endpoint(answer) as endpoint:
        done = optimize(path, endpoint, *flags)
        assert len(endpoint.requests) > 3  # there was something to join
    assert done["applied"] and done["counts"]["dropped"] == 12 and "Told anew." in memories(path)


def test_a_sentence_that_an_answer_breaks_off_in_is_told_in_the_table_and_the_document(path):
    with Endpoint(say(" ".join(TEXTS) + " User has a dog called")) as endpoint:
        plan = optimize(path, endpoint)
        shown = " ".join(optimize(path, endpoint, as_json=False).stdout.split())
    note = "the model's answer broke off within a sentence, which was cut: 'User has a dog called'"
    assert note in plan["notes"] and f"note: {note}" in shown


def test_the_judge_is_named(path):
    with Endpoint(faithful) as endpoint:
        plan = optimize(path, endpoint, "--judge", "judge-x")
        shown = optimize(path, endpoint, "--judge", "judge-x", as_json=False).stdout
    assert plan["model"]["judge"] == "judge-x" and plan["model"]["name"] == "scripted"
    assert "judged by judge-x" in " ".join(shown.split())
