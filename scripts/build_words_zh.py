"""Build memopt/facts/words_zh.txt: common Chinese words with how common each is, by which a run of characters is cut into words.

    python scripts/build_words_zh.py WORDS > memopt/facts/words_zh.txt

WORDS is ``jieba/dict.txt`` of jieba 0.42.1 (Sun Junyi, MIT). A line holds all words of one frequency: its binary logarithm, then the
words. Taken are characters and words that are not rare, without people's names and without proverbs.
"""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path

LEAST = {1: 30, 2: 30, 3: 100, 4: 150}
"""How often a word of so many characters must occur."""
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
    bands: dict[int, list[str]] = defaultdict(list)
    for line in Path(sys.argv[1]).read_text(encoding="utf8").splitlines():
        word, count, kind = line.split(" ")
        if int(count) < LEAST.get(len(word), sys.maxsize) or not all("\u4e00" <= char <= "\u9fff" for char in word):
            continue
        if len(word) > 1 and kind.startswith(_LEFT_OUT) and not (kind == "i" and int(count) > 1000):
            continue
        bands[round(math.log2(int(count)))].append(word)
    print(_LICENSE)
    for band in sorted(bands):
        print(band, *sorted(bands[band]))


if __name__ == "__main__":
    main()
