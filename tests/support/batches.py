"""A batch runner for tests: answers a file of requests as OpenAI's Batch API and vLLM's run-batch do, by asking a real endpoint."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def requests_of(path: Path | str) -> list[dict[str, Any]]:
    """The requests of a file, as services read it: a JSON object on every line."""
    text = Path(path).read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def post(url: str, body: Any) -> tuple[int, Any]:
    """The status and the JSON document that an endpoint answers with."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        with opener.open(request, timeout=300) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def result(custom_id: str, status: int, body: Any, number: int = 0) -> dict[str, Any]:
    """One line of results."""
    response = {"status_code": status, "request_id": f"req_{number}", "body": body}
    return {"id": f"batch_req_{number}", "custom_id": custom_id, "response": response, "error": None}


def completion_line(custom_id: str, text: str) -> str:
    """A line of results with an answer."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return json.dumps(result(custom_id, 200, {"object": "chat.completion", "choices": [choice]})) + "\n"


def answers_of(path: Path | str, base_url: str) -> list[dict[str, Any]]:
    """The results of a file of requests. What services demand of such a file is demanded here."""
    lines = requests_of(path)
    assert len({line["custom_id"] for line in lines}) == len(lines)
    assert len({line["body"]["model"] for line in lines}) == 1
    out = []
    for number, line in enumerate(lines):
        assert set(line) == {"custom_id", "method", "url", "body"}
        assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
        assert 0 < len(line["custom_id"]) <= 64
        status, body = post(base_url.removesuffix("/v1") + line["url"], line["body"])
        out.append(result(line["custom_id"], status, body, number))
    return out


def write_lines(path: Path, lines: Iterable[Any]) -> Path:
    """A file of results; a text is written as it is, without a line break."""
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run_batch(
    path: Path | str, base_url: str, out: Path, mend: Callable[[list[dict[str, Any]]], Iterable[Any]] = lambda lines: lines
) -> Path:
    """Answer a file of requests into a file of results, whose lines ``mend`` may change."""
    return write_lines(out, mend(answers_of(path, base_url)))
