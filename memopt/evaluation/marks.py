"""What an answer needs of a text: its words, numbers and dates, in whatever form the text writes them. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memopt.facts import lexicon, read
from memopt.facts.reading import split_sentences
from memopt.facts.words import bare, bigrams, fold, stem, tokens
from memopt.verify.lines import general_dates

_SETS_OFF = re.compile(r"[\W_]*")
_ASKS = re.compile(r"[?？⁇]")
_OTHER = ("name", "quote")
"""Items that are told by their words."""


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that a text must hold.

    Attributes:
        keys: the forms it may have, any of which is enough.
        literally: or all of these together, where the text writes it as the answer does.
    """

    keys: frozenset[str]
    literally: tuple[str, ...] = ()

    @property
    def is_hard(self) -> bool:
        """Whether it is a number, a date or the like, and not a word."""
        return any(":" in key for key in self.keys)

    def held(self, marks: frozenset[str]) -> bool:
        """Whether a text with these marks holds it."""
        return not self.keys.isdisjoint(marks) or (bool(self.literally) and marks.issuperset(self.literally))


@lru_cache(maxsize=32_768)
def marks_of(text: str, written: int | float | None = None) -> frozenset[str]:
    """What can be looked up in a text: stems, numbers, (pairs of) characters of scripts without blanks, dates by all they mean.

    Args:
        written: when it was written (epoch seconds), so that ``yesterday`` is a date too.
    """
    out = set(words_of(text))
    for item in read(text, written).items:
        if item.kind not in _OTHER:
            for key in item.keys:
                out.update(general_dates(key) if key.startswith("d:") else (key,))
    return frozenset(out)


@lru_cache(maxsize=131_072)
def words_of(text: str) -> frozenset[str]:
    """The part of ``marks_of`` that needs no reading: stems, numbers as they are written, pairs and single characters."""
    out: set[str] = set()
    for piece in tokens(text):
        out.update(_forms(piece.text, piece.kind))
        if piece.kind == "cjk":
            out.update(piece.text)
    return frozenset(out)


def _forms(text: str, kind: str) -> list[str]:
    if kind == "word":
        whole = stem(fold(text))
        parts = [stem(part) for part in re.split(r"[-‐‑]", text) if part]
        return [whole, *parts] if len(parts) > 1 else [whole]
    if kind == "cjk":
        return bigrams(text)
    return [] if kind == "mark" else [bare(text)]


@lru_cache(maxsize=32_768)
def needs_of(answer: str) -> tuple[Need, ...]:
    """What a text must hold to tell an answer; empty where it has no word, number or date of its own (``yes``, ``no``)."""
    items = [item for item in read(answer).items if item.kind not in _OTHER]
    out: dict[Need, None] = {}
    for item in items:
        literal = tuple(bare(piece.text) for piece in tokens(item.surface) if piece.kind in ("word", "number"))
        out[Need(item.keys, literal if any(part[:1].isdigit() for part in literal) else ())] = None
    for piece in tokens(answer):
        if any(item.start <= piece.start < item.end for item in items):
            continue
        if piece.kind == "word" and (bare(piece.text) in lexicon.STOP or bare(piece.text) in _SAYS_NOTHING):
            continue
        forms = _forms(piece.text, piece.kind)
        if piece.kind == "word":  # any of the forms of a word with a hyphen; else its parts would be words of the answer
            out[Need(frozenset(forms[:1]), tuple(forms[1:]))] = None
        else:
            out.update((Need(frozenset((form,))), None) for form in forms)
    return tuple(out)


_SAYS_NOTHING = frozenset("yes no not never none true false unknown likely probably maybe".split())


def share_held(answer: str, marks: frozenset[str]) -> float | None:
    """The share of what an answer needs that a text holds, 0 to 1; None where it needs nothing that could be looked up."""
    needs = needs_of(answer)
    return sum(need.held(marks) for need in needs) / len(needs) if needs else None


@lru_cache(maxsize=4096)
def _as_asked(question: str) -> re.Pattern[str] | None:
    words = [re.escape(piece.text) for piece in tokens(question) if piece.kind != "mark"]
    return re.compile(_SETS_OFF.pattern.join(words), re.IGNORECASE) if len(words) > 1 else None


def without_question(text: str, question: str) -> str:
    """The text without copies of the question and without sentences that end in a question mark: asking is not telling."""
    pattern = _as_asked(question)
    told = text if pattern is None else pattern.sub(" ", text)
    if not _ASKS.search(told):
        return told
    return " ".join(sentence for sentence in sentences(told) if not _ASKS.search(sentence[-3:]))


def sentences(text: str) -> list[str]:
    """The sentences, lines and bullets of a text."""
    return [text[start:end] for start, end in split_sentences(text)]
