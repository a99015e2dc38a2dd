"""What services do, over real HTTP: a scripted one for what goes wrong, a real model for what goes right."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import replace

import pytest
from support.endpoint import Answer, Endpoint, drop, fail, hang, say, send_json, send_raw, stream

from memopt.errors import AnswerRefused, ExitCode, LimitError, ModelError, UsageError
from memopt.memory import UserMemory
from memopt.models.base import Ask
from memopt.models.openai import ContextTooLong, ModelUnusable, OpenAIModel, from_environment, known_context_tokens

KEY = "topsecret-key-0123456789"
ASK = Ask("Merge the memories about the user into one text.", "- Lives in Bern\n- Has a bike", purpose="summary of 2 memories")
TEXT = "User lives in Bern and has a bike."
STRUCTURED = Ask(ASK.system, ASK.prompt, schema={"type": "object", "properties": {}, "additionalProperties": False})


def model(endpoint: Endpoint, **options):
    options = {"api_key": KEY, "backoff": 0.01, "timeout": 5, "environ": {}, **options}
    return OpenAIModel("tiny", endpoint.base_url, **options)


def sync(service, ask=ASK):
    return service.answer(ask)


def async_(service, ask=ASK):
    return asyncio.run(service.aanswer(ask))


def kept(service, ask=ASK):
    """As runs over many users ask: with clients that stay open."""

    async def main():
        async with service.kept_open():
            return await service.aanswer(ask)

    return asyncio.run(main())


both = pytest.mark.parametrize("call", [sync, async_, kept])


def failing(call, service, kind=ModelError, ask=ASK):
    """The one line of the failure, after what every failure has to keep to was checked."""
    with pytest.raises(kind) as caught:
        call(service, ask)
    error = caught.value
    message = str(error)
    assert error.final is isinstance(error, ModelUnusable)
    assert "\n" not in message and len(message) < 700
    assert error.exit_code is ExitCode.MODEL
    assert KEY not in "".join(traceback.format_exception(error))
    link: BaseException | None = error
    while link is not None:
        assert KEY not in repr(link) and KEY not in repr(getattr(link, "__dict__", "")), "the key is in the chain"
        assert type(link).__module__.partition(".")[0] not in ("openai", "httpx", "httpx2")
        link = link.__cause__ or link.__context__
    return message


@both
def test_an_answer_comes_back_with_its_usage(call):
    with Endpoint(say(f"Here is the summary:\n{TEXT}", usage={"prompt_tokens": 30, "completion_tokens": 9})) as endpoint:
        reply = call(model(endpoint))
    assert (reply.text, reply.finish_reason) == (TEXT, "stop")
    assert (reply.usage.requests, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 30, 9)
    (request,) = endpoint.requests
    assert request.roles == ["system", "user"]
    assert (request.system, request.prompt) == (ASK.system, ASK.prompt)
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["model"] == "tiny" and request.body["temperature"] == 0
    assert "response_format" not in request.body and "max_tokens" not in request.body


@pytest.mark.parametrize("more", [{}, {"base_url": "{url}?api-version=1&x=a%20b"}, {"base_url": "{login}", "api_key": None}])
def test_later_requests_of_an_open_client_are_as_the_library_made_the_first(more):
    async def main(service):
        async with service.kept_open():
            for number in range(3):
                assert (await service.aanswer(Ask(ASK.system, f"{ASK.prompt} {number} é 🎻"))).text == TEXT

    with Endpoint(say(TEXT)) as endpoint:
        more = {
            name: value and value.format(url=endpoint.base_url, login=endpoint.base_url.replace("//", "//me:secret@"))
            for name, value in more.items()
        }
        asyncio.run(main(OpenAIModel("tiny", **{"base_url": endpoint.base_url, "api_key": KEY, "environ": {}, **more})))
        first, *later = endpoint.requests
    assert len(later) == 2 and later[1].prompt.endswith("2 é 🎻")
    for other in later:
        assert (first.method, first.path) == (other.method, other.path)
        assert {**first.body, "messages": None} == {**other.body, "messages": None}
        apart = {"content-length", "idempotency-key"}
        assert {k: v for k, v in first.headers.items() if k not in apart} == {
            k: v for k, v in other.headers.items() if k not in apart
        }


@pytest.mark.parametrize(
    ("bad", "kind", "said"),
    [
        (drop(), ModelError, "cannot be reached"),
        (hang(), ModelError, "did not answer within"),
        (fail(500, "broken"), ModelError, "failed"),
        (fail(401, "no", "invalid_api_key"), ModelUnusable, "does not accept the key"),
        (fail(429, "slow", retry_after="600"), ModelUnusable, "asks to wait"),
    ],
)
def test_what_goes_wrong_later_is_told_as_at_first(bad, kind, said):
    answers = [say(TEXT), bad]

    async def main(service):
        async with service.kept_open():
            await service.aanswer(ASK)
            await service.aanswer(ASK)

    with Endpoint(lambda request: answers.pop(0) if len(answers) > 1 else answers[0]) as endpoint:
        message = failing(lambda service, _ask: asyncio.run(main(service)), model(endpoint, timeout=0.5, max_retries=1), kind)
    assert said in message


def test_clients_that_stay_open_are_used_again_one_a_request_under_way():
    async def main(service):
        async with service.kept_open():
            await asyncio.gather(*(service.aanswer(ASK) for _ in range(3)))
            for _ in range(4):
                await service.aanswer(ASK)
            return len(service._kept.free)

    with Endpoint(say(TEXT, delay=0.1)) as endpoint:
        assert asyncio.run(main(model(endpoint))) == 3
        assert len(endpoint.requests) == 7 and endpoint.busiest == 3


@pytest.mark.parametrize("tail", ["/v1/", "/v1//", "/v1 ", "/v1/chat/completions", "", "/"])
def test_every_way_to_write_the_base_url_reaches_the_service(tail):
    with Endpoint(say(TEXT)) as endpoint:
        assert OpenAIModel("tiny", endpoint.root + tail, environ={}).answer(ASK).text == TEXT
        assert OpenAIModel("tiny", endpoint.root.removeprefix("http://") + tail, environ={}).answer(ASK).text == TEXT
        assert not endpoint.stray


BAD = {
    "an HTML page": (send_raw("<html><head><title>Log in</title></head><p>x</html>"), ["web page", "text/html", "Log in"]),
    "an HTML page without a type": (send_raw("<!DOCTYPE html><html>", "application/json"), ["web page"]),
    "no chat document": (send_json({"detail": "ok"}), ["ok"]),
    "another document": (send_json({"hello": 1}), ["without choices", "hello"]),
    "a bare text": (send_json("hello"), ["hello"]),
    "nothing": (Answer(204), ["empty", "204"]),
    "an empty body": (send_raw("", "application/json"), ["empty"]),
    "cut JSON": (send_raw(b'{"id":"x","choices":', "application/json"), ["cut off", "application/json"]),
    "plain text": (send_raw("hello", "text/plain"), ["text/plain", "hello"]),
    "no choices": (send_json({"choices": []}), ["without choices"]),
    "an error in a 200": (send_json({"error": "model not found"}), ["model not found"]),
    "choices of null": (
        send_json({"choices": None, "error": {"message": "Provider returned error", "code": 400}}),
        ["Provider returned error", "400"],
    ),
    "a stream that broke off": (stream("User lives", finish_reason=None, done=False), ["broke off"]),
    "a stream with an error": (
        send_raw('data: {"error": {"message": "Upstream died", "code": 400}}\n\n', "text/event-stream"),
        ["Upstream died"],
    ),
    "a stream of junk": (send_raw("data: junk\n\n", "text/event-stream"), ["not JSON"]),
    "a refused request": (fail(400, "bad value"), ["refused the request", "400", "bad value"]),
    "a refused model": (fail(404, "The model `tiny` does not exist", "model_not_found"), ["no model 'tiny'", "--model"]),
    "a validation error": (send_json({"detail": [{"loc": ["body", "n"], "msg": "too big"}]}, 422), ["body.n: too big"]),
    "a forbidden request": (fail(403, "not in your country"), ["403", "not in your country"]),
    "a list for an error": (send_json([{"error": {"message": "API key not valid", "code": 400}}], 400), ["not valid"]),
    "a long request": (send_raw("too large", "text/plain", 413), ["too long", "413"]),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_one_line_after_one_request(name):
    answer, words = BAD[name]
    with Endpoint(answer) as endpoint:
        message = failing(sync, model(endpoint))
        assert len(endpoint.requests) == 1
        assert endpoint.base_url in message or "too long" in message
    for word in words:
        assert word in message
    assert "<" not in message.replace("<!", "")


@pytest.mark.parametrize("name", ["an HTML page", "nothing", "cut JSON", "choices of null", "a refused request"])
def test_a_bad_answer_is_one_line_on_an_event_loop_too(name):
    answer, words = BAD[name]
    with Endpoint(answer) as endpoint:
        message = failing(async_, model(endpoint))
        assert len(endpoint.requests) == 1
    assert all(word in message for word in words)


REFUSED = {
    "null": say(None),
    "blank": say(" \n"),
    "a refusal": say("I'm sorry, but I can't help with that."),
    "the refusal field": say(None, refusal="I will not."),
    "a refusal part": say([{"type": "refusal", "refusal": "No."}]),
    "a filtered answer": say("Takes sert", "content_filter"),
    "a cut answer": say("User lives in", "length", {"prompt_tokens": 9, "completion_tokens": 4}),
    "a question": say("What shall I merge?"),
    "an announcement": say("Sure! Here is the summary:"),
    "open reasoning": say("<think>The user has two facts"),
    "reasoning alone": say(None, reasoning_content="The user has two facts"),
    "a tool call": say(None, "tool_calls", tool_calls=[{"id": "1", "function": {"name": "f", "arguments": "{}"}}]),
    "a streamed refusal": stream("I'm sorry, ", "but I can't help with that."),
}


@pytest.mark.parametrize("name", REFUSED)
@both
def test_an_answer_that_is_none_is_refused_after_one_request(call, name):
    with Endpoint(REFUSED[name]) as endpoint:
        message = failing(call, model(endpoint), AnswerRefused)
        assert len(endpoint.requests) == 1
    assert message.startswith("summary of 2 memories: ")


@pytest.mark.parametrize(
    "answer",
    [
        stream("User lives in Bern ", "and has a bike."),
        stream(TEXT, usage={"prompt_tokens": 30, "completion_tokens": 9}),
        stream(TEXT, finish_reason=None),
        say([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": TEXT}]),
        say(f"<think>hm</think>{TEXT}"),
        say(TEXT, None),
        say(TEXT, reasoning_content="hm"),
        send_raw(b"\n\n\xef\xbb\xbf  " + say(TEXT).body, "application/json"),
        send_raw(say(TEXT).body, "text/plain"),
        send_json({"choices": [{"text": TEXT, "finish_reason": "stop"}]}),
        send_json({"choices": [{"message": {"content": TEXT}}], "error": None, "usage": None}),
    ],
)
def test_an_answer_in_another_form_is_read(answer):
    with Endpoint(answer) as endpoint:
        assert model(endpoint).answer(ASK).text == TEXT


@both
@pytest.mark.parametrize(
    "first",
    [
        fail(500, "oops"),
        fail(503),
        fail(429, "slow down"),
        fail(429, "slow down", retry_after="0"),
        fail(408),
        fail(409),
        send_raw("<html><title>502 Bad Gateway</title></html>", status=502),
        send_json({"choices": None, "error": {"message": "Provider returned error", "code": 429}}),
        drop(),
        Answer(200, b"{", {"Content-Type": "application/json"}, promise=100),
    ],
    ids=range(10),
)
def test_a_passing_failure_is_repeated_and_counted(call, first):
    with Endpoint(first, say(TEXT)) as endpoint:
        reply = call(model(endpoint))
        assert (reply.text, reply.usage.requests, len(endpoint.requests)) == (TEXT, 2, 2)


@both
def test_retries_are_bounded(call):
    with Endpoint(fail(500, "always down")) as endpoint:
        message = failing(call, model(endpoint, max_retries=2))
        assert len(endpoint.requests) == 3
    assert "500" in message and "always down" in message and "asked 3 times" in message
    with Endpoint(fail(500)) as endpoint:
        failing(call, model(endpoint, max_retries=0))
        assert len(endpoint.requests) == 1


def test_a_wait_that_the_service_asks_for_is_kept():
    with Endpoint(fail(429, retry_after="0.3"), say(TEXT)) as endpoint:
        model(endpoint).answer(ASK)
        assert endpoint.requests[1].at - endpoint.requests[0].at >= 0.3


@pytest.mark.parametrize("wait", ["86400", "Wed, 01 Jan 2098 00:00:00 GMT"])
def test_a_wait_of_a_day_is_not_slept_through(wait):
    with Endpoint(fail(429, "come back tomorrow", retry_after=wait)) as endpoint:
        began = time.monotonic()
        message = failing(sync, model(endpoint), ModelUnusable)
        assert time.monotonic() - began < 3 and len(endpoint.requests) == 1
    assert "asks to wait" in message and "60 s" in message


@both
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (fail(401, f"Incorrect API key provided: {KEY}"), ["does not accept the key", "OPENAI_API_KEY"]),
        (fail(401, f"Incorrect API key provided: {KEY[:9]}***{KEY[-9:]}"), ["does not accept the key"]),
        (fail(402, "Payment required"), ["no credit left"]),
        (fail(429, "You exceeded your current quota", "insufficient_quota"), ["no credit left", "insufficient_quota"]),
        (send_raw("<html><title>404</title>", status=404), ["base URL", "/v1"]),
    ],
)
def test_what_no_repetition_changes_is_asked_once_per_object(call, answer, words):
    with Endpoint(answer) as endpoint:
        service = model(endpoint)
        message = failing(call, service, ModelUnusable)
        assert all(word in message for word in words)
        assert KEY[:9] not in message and KEY[-9:] not in message
        again = failing(call, service, ModelUnusable)
        assert "not asked again" in again and words[0] in again
        assert len(endpoint.requests) == 1


def test_a_login_page_ends_a_run_but_not_the_object():
    with Endpoint(send_raw("<html><title>Log in</title></html>"), say(TEXT)) as endpoint:
        service = model(endpoint)
        assert "login" in failing(sync, service, ModelUnusable)
        assert service.answer(ASK).text == TEXT


def test_a_rate_limit_that_speaks_of_quota_and_says_how_long_is_waited_for():
    limited = fail(429, "You exceeded your current quota, please check your plan and billing details", retry_after="0")
    with Endpoint(limited, say(TEXT)) as endpoint:
        assert model(endpoint).answer(ASK).text == TEXT


@both
def test_a_silent_service_times_out(call):
    with Endpoint(hang()) as endpoint:
        began = time.monotonic()
        message = failing(call, model(endpoint, timeout=0.2, max_retries=1))
        assert time.monotonic() - began < 4 and len(endpoint.requests) == 2
    assert "0.2 s" in message


@both
def test_a_service_that_is_not_there_cannot_be_reached(call):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    message = failing(call, OpenAIModel("tiny", url, KEY, backoff=0, environ={}))
    assert "cannot be reached" in message and url in message


def test_a_redirect_names_where_it_leads():
    with Endpoint(say(TEXT)) as endpoint:
        moved = Answer(301, b"", {"Location": f"{endpoint.root}/elsewhere"})
        with Endpoint(moved) as first:
            assert f"{endpoint.root}/elsewhere" in failing(sync, model(first))


@both
def test_a_service_without_the_system_role_is_asked_without_it_from_then_on(call):
    def gemma(request):
        return fail(400, "System role not supported") if "system" in request.roles else say(TEXT)

    with Endpoint(gemma) as endpoint:
        service = model(endpoint)
        assert call(service).usage.requests == 2
        assert call(service).usage.requests == 1
        assert endpoint.requests[1].roles == ["user"]
        assert ASK.system in endpoint.requests[1].prompt and ASK.prompt in endpoint.requests[1].prompt
        assert all("developer" not in request.roles for request in endpoint.requests)


def test_a_model_that_takes_no_temperature_is_asked_without_it():
    def fussy(request):
        return fail(400, "Unsupported value: 'temperature' does not support 0") if "temperature" in request.body else say(TEXT)

    with Endpoint(fussy) as endpoint:
        assert model(endpoint).answer(ASK).usage.requests == 2


def test_a_model_that_wants_another_name_for_the_output_limit_gets_it():
    def newer(request):
        if "max_tokens" in request.body:
            return fail(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return say(TEXT) if request.body["max_completion_tokens"] == 50 else fail(400, "no")

    with Endpoint(newer) as endpoint:
        assert model(endpoint, max_output_tokens=50).answer(ASK).usage.requests == 2


def roomy(room, ask=ASK):
    return replace(ask, room=lambda used: room)


def room_of(request):
    return request.body.get("max_tokens", request.body.get("max_completion_tokens"))


@both
def test_an_answer_is_given_the_room_that_its_cost_has(call):
    with Endpoint(say(TEXT)) as endpoint:
        call(model(endpoint), roomy(777))
        call(model(endpoint), roomy(None))
        call(model(endpoint, max_output_tokens=50), roomy(777))
        call(model(endpoint, max_output_tokens=5000), roomy(777))
        call(model(endpoint, context_tokens=100, count_tokens=lambda text: 30), roomy(777))
    assert [room_of(request) for request in endpoint.requests] == [777, None, 50, 777, 40]


@pytest.mark.parametrize(
    ("message", "rooms"),
    [
        ("max_tokens is too large: 9000. This model supports at most 4096 completion tokens.", [9000, 4096]),
        ("max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for this model", [9000, 8192]),
        ("Invalid 'max_tokens': integer above maximum value. Expected a value <= 4096, but got 9000 instead.", [9000, 4096]),
        ("max_tokens must be less than or equal to 2048", [9000, 2048]),
        ("Unrecognized request argument supplied: max_tokens", [9000, None]),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and "
            "your request has 1200 input tokens (9000 > 8192 - 1200).",
            [9000, 6992],
        ),
        (
            "This model's maximum context length is 4097 tokens. However, you requested 9120 tokens (120 in the messages, 9000 in "
            "the completion). Please reduce the length of the messages or completion.",
            [9000, 3977],
        ),
    ],
)
def test_a_service_that_allows_less_room_gets_less(message, rooms):
    def answer(request):
        return say(TEXT) if room_of(request) == rooms[1] else fail(400, message)

    with Endpoint(answer) as endpoint:
        service = model(endpoint)
        assert service.answer(roomy(9000)).text == TEXT
        service.answer(roomy(9000))  # learned: it is not tried again
    assert [room_of(request) for request in endpoint.requests] == [*rooms, rooms[1]]


def test_a_service_that_wants_the_other_name_is_still_given_a_bound():
    def answer(request):
        if "max_tokens" in request.body:
            return fail(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'.")
        return say(TEXT)

    with Endpoint(answer) as endpoint:
        model(endpoint).answer(roomy(777))
    assert endpoint.requests[1].body["max_completion_tokens"] == 777


def test_a_request_that_is_too_long_whatever_room_it_leaves_is_still_too_long():
    message = (
        "This model's maximum context length is 4097 tokens. However, you requested 9120 tokens (5120 in the messages, 4000 in the "
        "completion). Please reduce the length of the messages or completion."
    )
    with Endpoint(fail(400, message)) as endpoint, pytest.raises(ContextTooLong):
        model(endpoint).answer(roomy(4000))


def test_an_answer_that_its_cost_cut_off_says_so():
    with Endpoint(say(TEXT, finish_reason="length")) as endpoint:
        assert "the limit of cost left 777 tokens" in failing(sync, model(endpoint), AnswerRefused, roomy(777))
        assert "cost" not in failing(sync, model(endpoint), AnswerRefused)
        assert "cost" not in failing(sync, model(endpoint, max_output_tokens=5), AnswerRefused, roomy(777))


def test_what_may_not_cost_more_is_not_asked_once_more():
    def room(used):
        if used.completion_tokens:
            raise LimitError("no more")
        return 100

    usage = {"prompt_tokens": 30, "completion_tokens": 9}
    with Endpoint(say('{"a": 1', usage=usage)) as endpoint, pytest.raises(AnswerRefused) as caught:
        model(endpoint).answer(replace(STRUCTURED, room=room))
    assert len(endpoint.requests) == 1 and caught.value.details["completion_tokens"] == 9


def test_a_web_page_among_good_answers_is_a_hiccup_and_one_before_them_is_a_wrong_address():
    page = send_raw("<html><title>Bad day</title></html>")
    with Endpoint(say(TEXT), page, say(TEXT), page) as endpoint:
        service = model(endpoint, max_retries=1)
        assert service.answer(ASK).text == TEXT
        assert service.answer(ASK).usage.requests == 2
        assert "try again later" in failing(sync, service, ModelError)
    with Endpoint(page) as endpoint:
        assert "base URL" in failing(sync, model(endpoint), ModelUnusable)


@both
def test_tokens_that_the_service_does_not_tell_are_counted(call):
    with Endpoint(say(TEXT)) as endpoint:
        usage = call(model(endpoint, count_tokens=len)).usage
        assert (usage.prompt_tokens, usage.completion_tokens) == (None, None)
        assert (usage.untold_prompt, usage.untold_completion) == (len(ASK.system) + len(ASK.prompt), len(TEXT))
    with Endpoint(say(TEXT, usage={"prompt_tokens": 30, "completion_tokens": 9})) as endpoint:
        usage = call(model(endpoint, count_tokens=len)).usage
        assert (usage.prompt_tokens, usage.untold_prompt, usage.untold_completion) == (30, 0, 0)
    with Endpoint(say('{"a": 1', usage=None), say(TEXT)) as endpoint:  # broken JSON, then plain text: both were paid for
        usage = call(model(endpoint, count_tokens=len), STRUCTURED).usage
        assert usage.requests == 2 and usage.untold_completion == len('{"a": 1') + len(TEXT)
    with Endpoint(say(TEXT, finish_reason="length")) as endpoint, pytest.raises(AnswerRefused) as caught:
        call(model(endpoint, count_tokens=len))
    assert caught.value.details["untold_completion"] == len(TEXT)


@both
def test_a_schema_is_sent_strictly_and_json_comes_back_bare(call):
    with Endpoint(say('```json\n{"facts": []}\n```')) as endpoint:
        assert json.loads(call(model(endpoint), STRUCTURED).text) == {"facts": []}
        sent = endpoint.requests[0].body["response_format"]
    assert sent["type"] == "json_schema" and sent["json_schema"]["strict"] is True
    assert sent["json_schema"]["schema"] == STRUCTURED.schema


@both
@pytest.mark.parametrize("words", ["'response_format.type' must be 'text'", "Invalid schema for response_format", "bad request"])
def test_a_service_that_refuses_schemas_is_asked_for_plain_text_from_then_on(call, words):
    def older(request):
        return send_json({"error": words}, 400) if "response_format" in request.body else say('{"facts": []}')

    with Endpoint(older) as endpoint:
        service = model(endpoint)
        assert call(service, STRUCTURED).text == '{"facts": []}'
        call(service, STRUCTURED)
        assert ["response_format" in request.body for request in endpoint.requests] == [True, False, False]


def together(service, ask, count, way="async"):
    """Answers to one request that is put several times at once; an error stands for the answer it ended."""
    if way == "async":

        async def run():
            return await asyncio.gather(*(service.aanswer(ask) for _ in range(count)), return_exceptions=True)

        return asyncio.run(run())
    from concurrent.futures import ThreadPoolExecutor

    def one(_):
        try:
            return service.answer(ask)
        except ModelError as error:
            return error

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def forms(endpoint):
    return ["response_format" in request.body for request in endpoint.requests]


@pytest.mark.parametrize("way", ["async", "threads"])
def test_requests_under_way_together_try_a_schema_once(way):
    def refusing(request):
        time.sleep(0.2)
        return fail(400, "unknown response_format") if "response_format" in request.body else say(TEXT)

    with Endpoint(refusing) as endpoint:
        replies = together(model(endpoint), STRUCTURED, 4, way)
    assert [reply.text for reply in replies] == [TEXT] * 4
    assert forms(endpoint).count(True) == 1 and len(endpoint.requests) == 5

    with Endpoint(say('{"a": 1}', delay=0.1)) as endpoint:
        assert len(together(model(endpoint), STRUCTURED, 4, way)) == 4
    assert forms(endpoint) == [True] * 4 and endpoint.busiest == 3  # the first one is alone until it is answered


@pytest.mark.parametrize("first", [fail(500, "boom"), fail(429, "slow down", retry_after="0"), hang(), drop()])
def test_a_schema_whose_trial_fails_for_another_reason_is_tried_by_the_next_and_blocks_nobody(first):
    with Endpoint(first, say('{"a": 1}')) as endpoint:
        service = model(endpoint, timeout=0.4, max_retries=0)
        begun = time.monotonic()
        replies = together(service, STRUCTURED, 4)
        assert time.monotonic() - begun < 10
        assert sum(isinstance(reply, ModelError) for reply in replies) == 1
    assert forms(endpoint) == [True] * 4 and service.dialect.schema


@pytest.mark.parametrize("way", ["async", "threads"])
def test_who_waits_for_a_trial_asks_nothing_where_it_finds_that_no_request_can_succeed(way):
    with Endpoint(fail(401, "no such key")) as endpoint:
        replies = together(model(endpoint), STRUCTURED, 4, way)
    assert all(isinstance(reply, ModelUnusable) for reply in replies) and len(endpoint.requests) == 1
    assert sorted(reply.details["requests"] for reply in replies) == [0, 0, 0, 1]


def test_a_refused_schema_is_not_given_up_where_the_request_fails_without_it_too():
    with Endpoint(fail(400, "response_format?"), fail(500, "boom"), say('{"a": 1}')) as endpoint:
        service = model(endpoint, max_retries=0)
        with pytest.raises(ModelError, match="boom"):
            service.answer(STRUCTURED)
        assert service.answer(STRUCTURED).text == '{"a": 1}'
    assert forms(endpoint) == [True, False, True]


def test_a_trial_that_gets_no_answer_keeps_the_others_waiting_for_a_moment_only(monkeypatch):
    monkeypatch.setattr("memopt.models.openai._TRIAL_SECONDS", 0.2)
    with Endpoint(hang(), say('{"a": 1}')) as endpoint:
        begun = time.monotonic()
        replies = together(model(endpoint, timeout=3, max_retries=0), STRUCTURED, 3)
        assert time.monotonic() - begun < 6
    assert [isinstance(reply, ModelError) for reply in replies] == [True, False, False]


def test_a_trial_that_is_given_up_is_left_to_the_next():
    async def run(service):
        first = asyncio.ensure_future(service.aanswer(STRUCTURED))
        while not endpoint.requests:
            await asyncio.sleep(0.01)
        second = asyncio.ensure_future(service.aanswer(STRUCTURED))
        await asyncio.sleep(0.1)
        first.cancel()
        await asyncio.wait([first])
        return await asyncio.wait_for(second, 5)

    with Endpoint(hang(), say('{"a": 1}')) as endpoint:
        assert asyncio.run(run(model(endpoint))).text == '{"a": 1}'


def test_a_service_that_ignores_schemas_is_not_sent_them_again():
    with Endpoint(say(TEXT)) as endpoint:
        service = model(endpoint)
        assert service.answer(STRUCTURED).text == TEXT
        service.answer(STRUCTURED)
        assert ["response_format" in request.body for request in endpoint.requests] == [True, False]


@both
def test_broken_json_is_asked_for_again_as_plain_text_and_never_used(call):
    with Endpoint(say('{"facts": [{"text": "User li'), say(TEXT), say('{"facts": []}')) as endpoint:
        service = model(endpoint)
        reply = call(service, STRUCTURED)
        assert (reply.text, reply.usage.requests) == (TEXT, 2)
        assert call(service, STRUCTURED).text == '{"facts": []}'
        assert ["response_format" in request.body for request in endpoint.requests] == [True, False, True]
    with Endpoint(say('{"facts": [{"text": "User li')) as endpoint:
        assert "not valid JSON" in failing(call, model(endpoint), AnswerRefused, STRUCTURED)
        assert len(endpoint.requests) == 2


def test_the_form_of_the_answer_is_asked_for_in_the_words_that_go_with_it():
    formed = Ask("S.", "P", schema={"type": "object"}, plain_form="Write a paragraph.", schema_form="Write JSON.")

    def older(request):
        return fail(400, "response_format is not supported") if "response_format" in request.body else say(TEXT)

    with Endpoint(older) as endpoint:
        model(endpoint).answer(formed)
        assert [request.system for request in endpoint.requests] == ["S.\n\nWrite JSON.", "S.\n\nWrite a paragraph."]


def test_an_ability_is_not_given_up_for_a_failure_that_had_another_cause():
    with Endpoint(fail(400, "nope"), fail(400, "nope"), say("{}")) as endpoint:
        service = model(endpoint)
        failing(sync, service, ask=STRUCTURED)
        service.answer(STRUCTURED)
        assert ["response_format" in request.body for request in endpoint.requests] == [True, False, True]


@pytest.mark.parametrize(
    "answer",
    [
        fail(400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded"),
        fail(400, "the request exceeds the available context size, try increasing it", "400", "exceed_context_size_error"),
        fail(400, "prompt is too long: 210000 tokens > 200000 maximum"),
        fail(400, "The input token count (2000000) exceeds the maximum number of tokens allowed (1048575)."),
        fail(400, "Trying to keep the first 5000 tokens when context the overflows."),
        fail(500, "context shift is disabled"),
    ],
)
@both
def test_a_request_that_is_too_long_says_so_with_a_class_of_its_own(call, answer):
    with Endpoint(answer) as endpoint:
        assert "too long" in failing(call, model(endpoint), ContextTooLong)
        assert len(endpoint.requests) == 1


def test_a_request_that_cannot_fit_is_not_sent():
    with Endpoint(say(TEXT)) as endpoint:
        message = failing(sync, model(endpoint, context_tokens=5, count_tokens=len), ContextTooLong)
        assert "nothing was sent" in message and not endpoint.requests


LONG = Ask(ASK.system, "\n".join(f"- 用户在第{n}天记录了一件很重要的事情，需要记住。" for n in range(600)))


@pytest.mark.parametrize("count", [None, len, lambda text: len(text) // 3])
@both
def test_an_answer_to_a_prompt_that_was_cut_in_silence_is_refused(call, count):
    read = 4096 if count is len else 700
    with Endpoint(say(TEXT, usage={"prompt_tokens": read, "completion_tokens": 9})) as endpoint:
        assert f"read {read}" in failing(call, model(endpoint, count_tokens=count), AnswerRefused, LONG)


@pytest.mark.parametrize("reported", [0, None, 9_000, 14_000, 40_000])
def test_another_tokenizer_is_not_taken_for_a_cut_prompt(reported):
    with Endpoint(say(TEXT, usage={"prompt_tokens": reported, "completion_tokens": 9})) as endpoint:
        assert model(endpoint, count_tokens=lambda text: len(text) // 2 * 1).answer(LONG).text == TEXT


def test_a_prompt_cut_to_a_round_context_is_noticed_though_more_than_half_was_read():
    size = sum(map(len, (LONG.system, LONG.prompt)))
    with Endpoint(say(TEXT, usage={"prompt_tokens": 8190})) as endpoint:
        failing(sync, model(endpoint, count_tokens=lambda text: len(text) * 12_000 // size), AnswerRefused, LONG)


def test_texts_that_no_encoder_takes_are_sent_soundly():
    with Endpoint(say("Likes \ud83d\ude00 and \ud83d\x00.")) as endpoint:
        assert model(endpoint).answer(Ask("S", "a \ud83d b \x00 c \ud83d\ude00")).text == "Likes 😀 and \ufffd."
        assert endpoint.requests[0].prompt == "a \ufffd b  c 😀"


def test_the_key_is_nowhere_to_be_seen(caplog):
    caplog.set_level(logging.DEBUG)
    with Endpoint(fail(500, f"no {KEY}"), say(f"User said {KEY}.")) as endpoint:
        service = model(endpoint)
        assert service.answer(ASK).text == "User said [key]."
        assert KEY not in repr(service) and KEY not in repr(vars(service)) and KEY not in caplog.text


def test_a_word_that_serves_as_key_stays_in_the_text():
    with Endpoint(say("User runs ollama and sk-learn.")) as endpoint:
        assert model(endpoint, api_key="ollama").answer(ASK).text == "User runs ollama and sk-learn."


def test_credentials_in_the_base_url_are_sent_and_never_shown():
    with Endpoint(fail(500, "hunter2secret")) as endpoint:
        url = endpoint.base_url.replace("://", "://me:hunter2secret@") + "?api-version=7"
        service = OpenAIModel("tiny", url, environ={}, max_retries=0)
        assert "hunter2" not in failing(sync, service) and "hunter2" not in service.endpoint + repr(service)
        (request,) = endpoint.requests
    assert request.headers["authorization"].startswith("Basic ") and request.path.endswith("?api-version=7")


# --- environment -----------------------------------------------------------------------------------------------------


def test_without_key_and_base_url_the_error_says_what_to_set():
    for environ in ({}, {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": " "}):
        with pytest.raises(ModelError, match=r"OPENAI_API_KEY.*--base-url.*OPENAI_BASE_URL"):
            from_environment("gpt-4o-mini", None, None, environ)


def test_an_empty_base_url_is_openai_only_with_a_note():
    service = from_environment("gpt-4o-mini", "", None, {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": ""})
    assert service.endpoint == "https://api.openai.com/v1"
    assert "api.openai.com" in service.notes[0]
    assert from_environment("gpt-4o-mini", None, KEY, {}).notes == ()


def test_what_is_said_goes_before_the_environment():
    environ = {"OPENAI_API_KEY": "from-environ", "OPENAI_BASE_URL": "http://environ.example/v1"}
    assert from_environment("m", None, None, environ).endpoint == "http://environ.example/v1"
    with Endpoint(say(TEXT)) as endpoint:
        from_environment("m", endpoint.base_url, KEY, environ).answer(ASK)
        assert endpoint.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("environ", [{}, {"OPENAI_API_KEY": ""}, {"OPENAI_API_KEY": "  "}])
def test_a_local_server_needs_no_key(environ):
    with Endpoint(say(TEXT)) as endpoint:
        assert from_environment("m", endpoint.base_url, None, environ).answer(ASK).text == TEXT


@pytest.mark.parametrize("key", ["clé", "k\n", "sk-“x”"])
def test_a_key_that_cannot_be_sent_is_one_line(key):
    with pytest.raises(ModelError, match="OPENAI_API_KEY") as caught:
        from_environment("m", "http://127.0.0.1:1/v1", None, {"OPENAI_API_KEY": key})
    assert "\n" not in str(caught.value) and key not in str(caught.value)


def test_a_wrong_base_url_names_where_it_was_set():
    with pytest.raises(ModelError, match=r"^OPENAI_BASE_URL: "):
        from_environment("m", None, None, {"OPENAI_BASE_URL": "ftp://x"})
    with pytest.raises(ModelError, match=r"^--base-url: "):
        from_environment("m", "ftp://x", None, {})


@both
@pytest.mark.parametrize(
    "environ",
    [
        {"ALL_PROXY": "socks5h://127.0.0.1:1080", "NO_PROXY": "localhost,127.0.0.1"},
        {"ALL_PROXY": "socks5h://127.0.0.1:1080"},
        {"HTTP_PROXY": "http://"},
        {"SSL_CERT_FILE": "/missing.pem"},
    ],
)
def test_proxies_and_certificates_do_not_matter_to_a_local_server(call, environ, monkeypatch):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    with Endpoint(say(TEXT)) as endpoint:
        assert call(model(endpoint, environ=None)).text == TEXT


@both
@pytest.mark.parametrize(
    ("url", "name", "value"),
    [
        ("http://api.invalid/v1", "HTTP_PROXY", "http://"),
        ("https://api.invalid/v1", "ALL_PROXY", "gopher://x"),
        ("https://api.invalid/v1", "SSL_CERT_FILE", "/missing.pem"),
        ("https://api.invalid/v1", "SSL_CERT_FILE", __file__),
    ],
)
def test_a_variable_that_is_in_the_way_is_named(call, url, name, value):
    message = failing(call, OpenAIModel("m", url, KEY, environ={name: value}))
    assert name in message


def test_a_proxy_is_used_for_other_hosts():
    with Endpoint(say(TEXT)) as proxy:
        service = OpenAIModel("m", "http://api.invalid/v1", KEY, environ={"HTTP_PROXY": proxy.root}, max_retries=0)
        failing(sync, service)
        assert proxy.stray and proxy.stray[0].path == "http://api.invalid/v1/chat/completions"


def test_arguments_out_of_range_are_usage_errors():
    for wrong in ({"timeout": 0}, {"max_retries": -1}):
        with pytest.raises(UsageError):
            OpenAIModel("m", "http://localhost/v1", **wrong)
    with pytest.raises(UsageError):
        OpenAIModel(" ", "http://localhost/v1")


def test_contexts_of_common_models_are_known_and_others_are_not():
    assert known_context_tokens("gpt-4o-mini") == 128_000
    assert known_context_tokens("openai/gpt-4.1-nano") == 1_047_576
    assert known_context_tokens("gpt-4-0613") == 8_192
    assert known_context_tokens("my-own-model") is None
    assert OpenAIModel("gpt-4o", "http://localhost/v1", context_tokens=10).context_tokens == 10


# --- stopping, and leaving nothing open --------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [hang(), fail(429, retry_after="30")])
def test_ctrl_c_passes_through_at_once(answer):
    def press(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    try:
        with Endpoint(answer) as endpoint:
            signal.setitimer(signal.ITIMER_REAL, 0.4)
            began = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                model(endpoint, timeout=30).answer(ASK)
            assert time.monotonic() - began < 3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    gc.collect()


def test_a_cancelled_request_leaves_nothing_open():
    async def run(endpoint):
        task = asyncio.ensure_future(model(endpoint).aanswer(ASK))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with Endpoint(hang()) as endpoint:
        asyncio.run(run(endpoint))
    gc.collect()


@both
@pytest.mark.parametrize("answer", [say(TEXT), say(None), fail(400, "no"), hang()], ids=range(4))
def test_the_connection_is_closed_however_the_call_ends(call, answer):
    opened = []

    class Watched(OpenAIModel):
        def _client(self, *classes):
            opened.append(super()._client(*classes))
            return opened[-1]

    with Endpoint(answer) as endpoint:
        service = Watched("tiny", endpoint.base_url, KEY, timeout=0.2, max_retries=0, environ={})
        with suppress(ModelError):
            call(service)
    assert len(opened) == 1 and opened[0].is_closed()


def test_one_object_serves_many_requests_at_once_and_several_loops():
    async def run(service):
        return await asyncio.gather(*(service.aanswer(ASK) for _ in range(5)))

    with Endpoint(say(TEXT, delay=0.2)) as endpoint:
        service = model(endpoint)
        for _ in range(2):
            assert [reply.text for reply in asyncio.run(run(service))] == [TEXT] * 5
        assert endpoint.busiest > 1
    gc.collect()


def test_the_client_library_is_loaded_by_the_first_request_alone():
    code = (
        "import sys; from memopt.models.openai import from_environment; "
        "from_environment('m', 'http://127.0.0.1:9/v1', None, {}); "
        "print([n for n in ('openai', 'httpx', 'httpx2', 'pydantic', 'asyncio') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ}, check=True)
    assert done.stdout.strip() == "[]"


# --- a real model ------------------------------------------------------------------------------------------------------

FACTS = ["User lives in Bern.", "User has a blue bike.", "User is allergic to peanuts."]
REAL = Ask(
    "You merge facts about a user into one short paragraph in the third person. Reply with the paragraph only.",
    "\n".join(f"- {fact}" for fact in FACTS),
    material=tuple(UserMemory(fact) for fact in FACTS),
)


@both
def test_a_real_model_answers(llama, call):
    service = from_environment(llama.model, llama.base_url, None, {}, context_tokens=llama.context_tokens)
    reply = call(service, REAL)
    assert "Bern" in reply.text and "<|" not in reply.text
    assert reply.usage.requests == 1 and (reply.usage.prompt_tokens or 0) > 20 and (reply.usage.completion_tokens or 0) > 5


def test_a_real_server_says_that_a_request_is_too_long(llama):
    service = from_environment(llama.model, llama.base_url, None, {})
    long = Ask(REAL.system, "\n".join(f"- User saw the number {n} on day {n}." for n in range(1500)))
    failing(sync, service, ContextTooLong, long)


def test_a_real_server_gives_structured_output(llama):
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 20}},
        "required": ["city"],
        "additionalProperties": False,
    }
    service = from_environment(llama.model, llama.base_url, None, {})
    reply = service.answer(Ask("Name the user's city as JSON.", "User lives in Bern.", schema=schema))
    assert set(json.loads(reply.text)) == {"city"}
