"""Token counts: what tiktoken says of the very text that Agno injects, with no network and in bounded time."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.agnofile import FIXTURES, clean_environment, copy_store

from memopt import tokens
from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.stores import open_store
from memopt.tokens import TokenCounter, TokenFigures, encoding_name, load_encoding, prompt_block, prompt_lines

PIECES = [
    "a",
    "Ab",
    "é",
    "日本",
    "🎻",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "-",
    "- ",
    "/",
    "1",
    "2026",
    "'s",
    ".",
    "!!",
    "\u2028",
    "\x00",
    "\u0301",
]
texts = st.one_of(
    st.text(st.characters(), max_size=30),
    st.lists(st.sampled_from([*PIECES, "<|endoftext|>", "\ud83c"]), max_size=10).map("".join),
)


@settings(max_examples=150)
@given(st.lists(texts, max_size=6), st.sampled_from(["o200k_base", "cl100k_base"]))
def test_both_figures_are_what_tiktoken_says_of_the_whole(listed, encoding):
    memories = [UserMemory(text) for text in listed]
    plain = load_encoding(encoding).encode_ordinary
    figures = TokenCounter(encoding).figures(memories)
    assert figures.memories == len(listed)
    assert figures.text == sum(len(plain(text)) for text in listed)
    assert figures.prompt == len(plain("".join(f"\n- {text}" for text in listed)))


@given(st.lists(texts, max_size=4), st.lists(texts, max_size=4))
def test_a_counter_that_counted_before_counts_the_same(first, second):
    used, fresh = TokenCounter(), TokenCounter()
    used.figures([UserMemory(text) for text in first])
    memories = [UserMemory(text) for text in second]
    assert used.figures(memories) == fresh.figures(memories)


@pytest.mark.parametrize(("user", "text", "prompt"), [("u1", 187, 201), ("u2", 669, 712), ("u3", 3220, 3521)])
@pytest.mark.parametrize("name", ["agno_v3.db", "agno_v2.db", "agno_v20.db"])
def test_the_users_of_the_fixtures_have_the_counts_that_were_measured(tmp_path, name, user, text, prompt):
    store = open_store(str(copy_store(FIXTURES / "agno" / name, tmp_path / name)))
    figures = TokenCounter().figures(store.read(user).memories)
    assert (figures.text, figures.prompt) == (text, prompt)


NO_NETWORK = """
import socket, sys, os
def refuse(*args, **kwargs):
    raise AssertionError("the network was asked")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from memopt.tokens import TokenCounter
for name in ("o200k_base", "cl100k_base", "o200k_harmony", "gpt-4o", "gpt-4", "gpt-3.5-turbo"):
    print(TokenCounter(name).text("User likes tea, 用户喜欢喝乌龙茶 🎻"), end=" ")
assert os.listdir(os.environ["TIKTOKEN_CACHE_DIR"]) == []
"""


def test_no_network_and_no_cache_are_needed(tmp_path):
    env = clean_environment(TIKTOKEN_CACHE_DIR=str(tmp_path), DATA_GYM_CACHE_DIR=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", NO_NETWORK], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    counts = done.stdout.split()
    assert counts[0] == counts[2] == counts[3] and counts[1] == counts[4] == counts[5] and counts[0] != counts[1]


def test_an_encoding_that_is_not_at_hand_is_one_line_without_a_network(tmp_path):
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise OSError('no network')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from memopt.tokens import TokenCounter\n"
        "from memopt.errors import MemoptError\n"
        "try: TokenCounter('p50k_base').text('x')\n"
        "except MemoptError as error: print(error)"
    )
    env = clean_environment(TIKTOKEN_CACHE_DIR=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=False)
    assert done.stdout.count("\n") == 1 and "p50k_base" in done.stdout and "o200k_base" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("o200k_base", "o200k_base"),
        ("cl100k_base", "cl100k_base"),
        ("gpt-4o", "o200k_base"),
        ("gpt-4o-mini-2024-07-18", "o200k_base"),
        ("gpt-4", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("o3", "o200k_base"),
    ],
)
def test_an_encoding_is_found_by_its_name_or_a_models(name, encoding):
    assert encoding_name(name) == encoding
    assert TokenCounter(name).encoding == encoding


@pytest.mark.parametrize("name", ["", "nope", "claude-9", "o200k", "../o200k_base"])
def test_an_unknown_name_is_a_usage_error_that_lists_the_encodings(name):
    with pytest.raises(UsageError, match=r"cl100k_base, .*o200k_base") as caught:
        TokenCounter(name).text("x")
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize(
    "text", ["^" * 1_000_000, "a" * 300_000, " " * 300_000, "日" * 100_000, "\n" * 300_000, "a1" * 100_000, "🎻" * 50_000]
)
def test_long_runs_are_counted_in_seconds_and_do_not_panic(text):
    start = time.process_time()
    count = TokenCounter().figures([UserMemory(text), UserMemory("x")])
    assert time.process_time() - start < 5
    assert 1 < count.text <= len(text.encode()) + 1
    assert count.prompt > count.text


def test_what_is_injected_is_counted_where_that_is_not_the_text():
    memory = UserMemory("tea", prompt_text="{'memory': 'tea', 'topics': ['drinks']}")
    counter = TokenCounter()
    assert counter.figures([memory]) == counter.figures([UserMemory(memory.prompt_text)])
    assert counter.figures([memory]).text > counter.figures([UserMemory("tea")]).text


def test_nothing_costs_nothing():
    assert TokenCounter().figures([]) == TokenFigures(0, 0, 0)
    assert prompt_block([]) == ""


def test_the_block_is_the_one_that_agno_writes():
    memories = [UserMemory("one"), UserMemory("tw\no"), UserMemory("", prompt_text="None")]
    assert prompt_lines(memories) == "\n- one\n- tw\no\n- None"
    assert prompt_block(memories) == (
        "<memories_from_previous_interactions>\n- one\n- tw\no\n- None\n</memories_from_previous_interactions>"
    )


def test_threads_that_begin_at_one_moment_load_the_vocabulary_once(monkeypatch):
    loads = []
    real = tokens._load

    def slow(name):
        loads.append(name)
        time.sleep(0.1)
        return real(name)

    monkeypatch.setattr(tokens, "_load", slow)
    monkeypatch.setattr(tokens, "_LOADED", {})
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(TokenCounter().text, ["a b c"] * 4)) == [3] * 4
    assert loads == ["o200k_base"]
