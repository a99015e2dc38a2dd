"""Texts as search terms: folded, without stop words, stemmed; pairs of characters where a script has no blanks between words.

A text in an alphabet is stemmed in the language that its own stop words tell, English where they tell none. A query is often too
short to tell, so each of its words is looked for in the form that it takes in every language of the index.

Stemming is Snowball's (M. F. Porter, "Snowball: a language for stemming algorithms", 2001) through PyStemmer, stop words are
those of bm25s. Both come with the extra ``search``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from memopt.errors import UsageError
from memopt.facts import lexicon
from memopt.facts.words import CJK, Token, bare, bigrams, tokens

EXTRA = "search"
ENGLISH = "english"

_LATIN = ("german", "dutch", "french", "spanish", "portuguese", "italian", "swedish", "norwegian", "danish", "turkish")
"""The languages beside English that a Latin text can turn out to be: those with a stemmer and a list of stop words."""

_SCRIPTS = (
    ("russian", re.compile("[\u0400-\u052f]")),
    ("greek", re.compile("[\u0370-\u03ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("hindi", re.compile("[\u0900-\u097f]")),
    ("armenian", re.compile("[\u0530-\u058f]")),
    ("tamil", re.compile("[\u0b80-\u0bff]")),
)
"""Scripts that tell the language's stemmer by themselves."""

_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Burmese and Khmer: alphabets without blanks between words."""

_FUNCTION = frozenset("的了是在我你他她它们們吗嗎呢吧啊呀么麼什谁誰哪怎这這那也都就和与與或很请請はがをにのでとへもかますです")
"""Characters that carry grammar and no content in Chinese and Japanese; alone they are no term."""
_ASKING = re.compile(
    "什么|什麼|哪里|哪裡|哪儿|哪兒|哪个|哪些|怎么样|怎么|怎樣|多少|为什么|是不是|有没有|用户|使用者|誰|どこ|いつ|なに|何|誰か|ですか|ますか"
)
"""What asks without saying what for, and whom every memory is about."""


def missing(error: ImportError) -> UsageError:
    """The error where the extra is not installed."""
    return UsageError(f"searching needs the package {error.name or 'bm25s'}: pip install 'memopt[{EXTRA}]'")


@cache
def _stemmer(language: str) -> Callable[[str], str]:
    try:
        import Stemmer
    except ImportError as error:
        raise missing(error) from None
    stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord
    return stem


@lru_cache(maxsize=262_144)
def _stem(word: str, language: str) -> str:
    """Snowball's stem, without diacritics; irregular English forms go back to their root first (``bought`` to ``buy``)."""
    if language == ENGLISH:
        word = bare(word)
        return _stemmer(language)(lexicon.IRREGULAR.get(word, word))
    return bare(_stemmer(language)(word))


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that say nothing about what a text of this language is about; empty where there is no list."""
    try:
        from bm25s import stopwords
    except ImportError as error:
        raise missing(error) from None
    name = "EN_PLUS" if language == ENGLISH else language.upper()
    listed = frozenset(getattr(stopwords, f"STOPWORDS_{name}", ()))
    return listed | _ENGLISH_ALSO if language == ENGLISH else listed


_ENGLISH_ALSO = frozenset(
    """
    user users user's i'm i've i'd i'll would could well may might us shall must also too very really quite just only even still
    already yet again always often usually sometimes another same own many several few lot lots one ones someone something anyone
    anything everyone everybody everything somebody get gets got getting make makes made making take takes took taking go goes
    went going gone give gives gave given giving put puts say says said saying tell tells told mention mentions mentioned state
    states stated report reports reported note noted notes currently now later once together etc ie eg
    """.split()
)
"""Verbs and adverbs that carry nothing in most sentences, beside the closed classes."""


@cache
def _votes() -> dict[str, tuple[str, ...]]:
    """For each stop word, the Latin languages that have it."""
    out: dict[str, tuple[str, ...]] = {}
    for language in (ENGLISH, *_LATIN):
        for word in stop_words(language):
            out[word] = (*out.get(word, ()), language)
    return out


def language_of(words: Iterable[str]) -> str:
    """The language that the stop words among folded Latin words speak for; English unless another has more, and at least two."""
    votes = _votes()
    found = Counter(language for word in words for language in votes.get(word, ()))
    best, most = ENGLISH, max(found[ENGLISH], 1)
    for language in _LATIN:
        if found[language] > most:
            best, most = language, found[language]
    return best


def _words(text: str) -> list[Token]:
    """The pieces of a text, folded; ``C++``, ``C#`` and ``.NET`` stay what they are."""
    out: list[Token] = []
    end = -1
    for piece in tokens(unicodedata.normalize("NFKC", text)):
        if piece.kind == "mark" and piece.text in "+#" and out and out[-1].kind == "word" and piece.start == end:
            out[-1] = out[-1]._replace(text=out[-1].text + piece.text)
            end = piece.end
            continue
        out.append(piece._replace(text=piece.text.casefold().replace("’", "'").replace("ʼ", "'")))
        end = piece.end
    return out


class Terms:
    """Makes terms of texts, and remembers in which languages they were written, so that queries meet them."""

    def __init__(self) -> None:
        self.languages: set[str] = set()

    def of_text(self, text: str) -> list[str]:
        """The terms of a text that is searched, in order; the languages that it is written in are noted."""
        pieces = _words(text)
        language = language_of(piece.text for piece in pieces if piece.kind == "word")
        return [term for piece in pieces for term in _terms(piece, language, self.languages) if term]

    def of_query(self, text: str) -> list[str]:
        """The terms that a query looks for: each word as every language of the index stems it, each term once."""
        pieces = _words(_ASKING.sub(" ", text))
        own = language_of(piece.text for piece in pieces if piece.kind == "word")
        stop = stop_words(own)
        out: dict[str, None] = {}
        for language in dict.fromkeys((own, *sorted(self.languages))):
            for piece in pieces:
                if piece.text not in stop:
                    out.update(dict.fromkeys(_terms(piece, language, set())))
        return [term for term in out if term]


def _terms(piece: Token, language: str, used: set[str]) -> list[str]:
    text = piece.text
    if piece.kind == "word":
        return _of_word(text, language, used)
    if piece.kind == "cjk":
        return [*([] if len(text) == 1 else bigrams(text)), *(char for char in text if char not in _FUNCTION)]
    if piece.kind == "hangul":
        return bigrams(text)
    if piece.kind == "number":
        plain = text.replace(",", "")
        parts = re.split("[:/.]", plain)
        return [plain] if len(parts) == 1 else [plain, *parts]
    if unicodedata.category(text)[0] == "S" and not text.isascii():
        return [text]  # emoji, currency
    return []


def _of_word(word: str, language: str, used: set[str]) -> list[str]:
    if _UNSPACED.search(word):
        return bigrams(word)
    for name, script in _SCRIPTS:
        if script.search(word):
            used.add(name)
            return [] if word in stop_words(name) else [_stem(word, name)]
    stop = stop_words(language)
    used.add(language)
    if word in stop or word.endswith("n't"):
        return []
    if word.endswith("'s"):
        word = word[:-2]
    parts = re.split("['`\\-‐‑]", word)
    out = [_stem(part, language) for part in parts if part and part not in stop]
    written_in_one = len(parts) > 1 and ("'" not in word or (language == ENGLISH and len(parts[0]) == 1))  # co-worker, O'Brien
    return [*out, _stem("".join(parts), language)] if written_in_one else out


__all__ = ["CJK", "EXTRA", "Terms", "language_of", "missing", "stop_words"]
