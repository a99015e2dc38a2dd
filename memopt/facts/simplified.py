"""Chinese in traditional characters, read as if it were written in simplified ones: all tables have those.

Character for character, so that no place in the text moves. Which stand for which is in ``simplified.txt`` (see ``scripts/build_simplified.py``;
the license stands in the file). It is read on first use.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

_OTHER = re.compile("[\u3040-\u30ff\uac00-\ud7af]")
"""What only Japanese and Korean have: their characters are no traditional Chinese."""
_HAN = re.compile("[\u4e00-\u9fff]")


@cache
def _table() -> dict[int, int]:
    traditional, simple = [
        line
        for line in (Path(__file__).parent / "simplified.txt").read_text(encoding="utf8").splitlines()
        if line and line[0] != "#"
    ]
    return {ord(one): ord(other) for one, other in zip(traditional, simple, strict=True)}


@lru_cache(maxsize=8192)
def _short(text: str) -> str:
    return text if _OTHER.search(text) else text.translate(_table())


def simplified(text: str) -> str:
    """A text with simplified characters in the place of traditional ones, as long as it was; Japanese and Korean stay as they are."""
    if text.isascii() or _HAN.search(text) is None:
        return text
    return _short(text) if len(text) < _LONG else _short.__wrapped__(text)


_LONG = 2_000


__all__ = ["simplified"]
