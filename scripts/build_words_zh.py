"""Build memopt/facts/words_zh.txt: common Chinese words with how common each is, by which a run of characters is cut into words.

    python scripts/build_words_zh.py WORDS > memopt/facts/words_zh.txt

WORDS is ``jieba/dict.txt`` of jieba 0.42.1 (Sun Junyi, MIT). A line holds all words of one frequency: its binary logarithm, then the
words; those that are nouns above all stand in a line of their own, with an ``n`` behind the number. Taken are characters and words that
are not rare, without people's names and without proverbs.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path

from memopt.facts.cut_zh import HEADS

LEAST = {1: 30, 2: 30, 3: 100, 4: 150}
"""How often a word of so many characters must occur."""
LEAST_THING = {2: 5, 3: 8}
"""The same for a noun that names a thing, as its last character tells."""
_LEFT_OUT = ("nr", "nt", "x", "zg", "i")

_LICENSE = """\
# Made by scripts/build_words_zh.py from the word list of jieba. Its license: The MIT License (MIT). Copyright (c) 2013 Sun Junyi. Permission
# is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to
# deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute,
# sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following
# conditions: The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.
# THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
# MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
# CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
# SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."""


def main() -> None:
    bands: dict[tuple[int, str], list[str]] = defaultdict(list)
    for line in Path(sys.argv[1]).read_text(encoding="utf8").splitlines():
        word, count, kind = line.split()
        thing = kind in ("n", "nz") and word[-1] in HEADS
        if int(count) < (LEAST_THING if thing else LEAST).get(len(word), LEAST.get(len(word), sys.maxsize)) or not all(
            "\u4e00" <= char <= "\u9fff" for char in word
        ):
            continue
        if len(word) > 1 and kind.startswith(_LEFT_OUT) and not (kind == "i" and int(count) > 1000):
            continue
        noun = "n" if len(word) > 1 and kind in ("n", "nz") else ""
        bands[round(math.log2(int(count))), noun].append(word)
    print(_LICENSE)
    for band in sorted(bands):
        print(f"{band[0]}{band[1]}", *sorted(bands[band]))


if __name__ == "__main__":
    main()
