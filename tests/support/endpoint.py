"""A scripted OpenAI-compatible endpoint: real HTTP on 127.0.0.1 that answers what a test says and records what it was asked.

    with Endpoint(say("User lives in Bern.")) as endpoint:
        OpenAIModel("any", base_url=endpoint.base_url).answer(...)
    endpoint.requests[0].system, endpoint.requests[0].prompt, endpoint.requests[0].headers["authorization"]

The script is a row of answers, given one a request; the last one is repeated for ever. Where an answer depends on the request,
give a function of the ``Request`` instead. Requests to any other path than POST /v1/chat/completions or /v1/embeddings get a 404 page in HTML.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATH = "/v1/chat/completions"
EMBEDDINGS = "/v1/embeddings"


@dataclass(frozen=True)
class Request:
    """One request as it arrived. Header names are in lower case; ``body`` is the JSON, or None where it was none."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    at: float

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list((self.body or {}).get("messages") or [])

    @property
    def roles(self) -> list[str]:
        return [message.get("role", "") for message in self.messages]

    def _content(self, role: str) -> str:
        return "\n".join(str(m.get("content")) for m in self.messages if m.get("role") == role)

    @property
    def system(self) -> str:
        return self._content("system")

    @property
    def prompt(self) -> str:
        return self._content("user")


@dataclass(frozen=True)
class Answer:
    """One HTTP answer.

    Attributes:
        delay: seconds to wait before it.
        hang: never answer: hold the connection until the client or the test ends.
        drop: close the connection instead of answering.
        promise: bytes that Content-Length promises beyond the body, so that the transfer breaks off.
    """

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    hang: bool = False
    drop: bool = False
    promise: int = 0


Script = Answer | Callable[[Request], Answer]


def send_json(value: Any, status: int = 200, headers: Mapping[str, str] | None = None, delay: float = 0.0) -> Answer:
    """Any JSON value with any status."""
    try:
        body = json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half an emoji goes over the wire as an escape
        body = json.dumps(value).encode()
    return Answer(status, body, {"Content-Type": "application/json", **(headers or {})}, delay)


def send_raw(body: str | bytes, content_type: str = "text/html", status: int = 200, **more: Any) -> Answer:
    """Any bytes with any content type."""
    data = body.encode() if isinstance(body, str) else body
    return Answer(status, data, {"Content-Type": content_type}, **more)


def say(
    content: Any,
    finish_reason: str | None = "stop",
    usage: Mapping[str, Any] | None = None,
    delay: float = 0.0,
    **message: Any,
) -> Answer:
    """A chat completion. ``message`` adds fields to the message, such as ``refusal`` or ``tool_calls``."""
    value: dict[str, Any] = {
        "id": "chatcmpl-scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
    }
    if usage is not None:
        value["usage"] = dict(usage)
    return send_json(value, delay=delay)


def fail(status: int, message: str = "", code: str | None = None, kind: str | None = None, **headers: str) -> Answer:
    """An error in OpenAI's form. Header names are given with underscores: ``retry_after="1"``."""
    error = {"message": message, "type": kind, "code": code, "param": None}
    return send_json({"error": error}, status, {name.replace("_", "-"): value for name, value in headers.items()})


def stream(*texts: str, finish_reason: str | None = "stop", done: bool = True, usage: Mapping[str, Any] | None = None) -> Answer:
    """Server-sent events, as a streaming service sends them."""
    chunks: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]} for text in texts
    ]
    if finish_reason is not None:
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]})
    if usage is not None:
        chunks.append({"choices": [], "usage": dict(usage)})
    lines = [f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n" for chunk in chunks]
    if done:
        lines.append("data: [DONE]\n\n")
    return send_raw("".join(lines), "text/event-stream; charset=utf-8")


def hang() -> Answer:
    """Never answer."""
    return Answer(hang=True)


def drop() -> Answer:
    """Close the connection without an answer."""
    return Answer(drop=True)


class Endpoint:
    """The server. Use it as a context manager; ``base_url`` is what ``--base-url`` takes, ``root`` is it without /v1.

    Attributes:
        requests: every request to the chat path, in the order of arrival.
        stray: every other request.
        busiest: the largest number of requests that were being answered at one time.
    """

    def __init__(self, *script: Script) -> None:
        if not script:
            raise ValueError("an endpoint needs at least one answer")
        self.script: Sequence[Script] = script
        self.requests: list[Request] = []
        self.stray: list[Request] = []
        self.busiest = 0
        self._busy = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.endpoint = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"{self.root}/v1"

    @property
    def prompts(self) -> list[str]:
        return [request.prompt for request in self.requests]

    def __enter__(self) -> Endpoint:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def _answer(self, request: Request) -> Answer:
        if request.method != "POST" or request.path.partition("?")[0] not in (PATH, EMBEDDINGS):
            with self._lock:
                self.stray.append(request)
            return send_raw("<html><head><title>404</title></head><body><h1>Not Found</h1></body></html>", status=404)
        with self._lock:
            step = self.script[min(len(self.requests), len(self.script) - 1)]
            self.requests.append(request)
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
        try:
            answer = step if isinstance(step, Answer) else step(request)
            if answer.hang:
                self._closing.wait(60)
            elif answer.delay:
                self._closing.wait(answer.delay)
            return answer
        finally:
            with self._lock:
                self._busy -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    endpoint: Endpoint

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is what some tests are about: nothing to print."""


class _Handler(BaseHTTPRequestHandler):
    def _serve(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        data = self.rfile.read(size)
        try:
            body = json.loads(data)
        except ValueError:
            body = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        endpoint = self.server.endpoint  # type: ignore[attr-defined]
        answer = endpoint._answer(Request(self.command, self.path, headers, body, time.monotonic()))
        self.close_connection = True
        if answer.hang or answer.drop:
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(answer.body) + answer.promise))
        self.end_headers()
        self.wfile.write(answer.body)

    do_POST = do_GET = _serve  # noqa: N815 - the names that http.server looks for

    def log_message(self, format: str, *args: Any) -> None:
        pass
