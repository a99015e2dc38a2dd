"""Build memopt/facts/senses_zh.txt: which common Chinese words may stand for one another, and for which English ones.

    python scripts/build_senses_zh.py DICT COW WORDS > memopt/facts/senses_zh.txt

DICT is the folder of WordNet 3.0's database files, COW the Chinese Open Wordnet as ``wn-data-cmn.tab`` (Francis Bond and Shan Wang;
its license is WordNet's), WORDS a list of words with how often each occurs, as ``jieba/dict.txt``; only which words are common is
taken from it. A line holds one synonym set: English stems, a bar, Chinese words. A set is taken where it is one of the first senses
of a common English word, and of a Chinese word only the few sets that are met most often: the others join what nobody would exchange.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from build_senses import _POS, common_words, first_senses, tagged

from memopt.facts.lexicon import CJK_ANTONYMS, CJK_RELATIONS, STOP
from memopt.facts.words import stem

LEAST = 8
"""So often must a word occur in the list to be common."""
MOST = 8
"""So many sets of one Chinese word are taken."""
LONGEST = 4


def common_chinese(path: Path) -> dict[str, int]:
    out: dict[str, int] = {}
    for line in path.read_text(encoding="utf8").splitlines():
        word, count, *_ = line.split(" ")
        if 2 <= len(word) <= LONGEST and int(count) >= LEAST:
            out[word] = int(count)
    return out


def groups(folder: Path, cow: Path, listed: Path) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    known = common_words()
    counts = tagged(folder)
    first = first_senses(folder, known, counts)
    frequent: dict[tuple[str, str], int] = defaultdict(int)
    for name, (pos, _) in _POS.items():
        for line in (folder / f"index.{name}").read_text(encoding="ascii").splitlines():
            if line.startswith(" "):
                continue
            fields = line.split()
            for number, offset in enumerate(fields[6 + int(fields[3]) :], 1):
                frequent[pos, offset] += counts.get((fields[0], pos, number), 0)
    common = common_chinese(listed)
    chinese: dict[tuple[str, str], set[str]] = defaultdict(set)
    for line in cow.read_text(encoding="utf8").splitlines():
        key, _, word = line.partition("\tcmn:lemma\t")
        if not word:
            continue
        offset, _, pos = key.partition("-")
        pos = "a" if pos == "s" else pos
        word = word.strip().replace("+", "")
        plain = word.removesuffix("的").removesuffix("地") if len(word) > 2 and pos in "ar" else word
        for each in {word, plain}:
            if each in common and (pos, offset) in first:
                chinese[pos, offset].add(each)
    by_word: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for synset, words in chinese.items():
        for word in words:
            by_word[word].append(synset)
    taken: dict[tuple[str, str], set[str]] = defaultdict(set)
    for word, synsets in by_word.items():
        for synset in sorted(synsets, key=lambda one: (-frequent[one], one))[:MOST]:
            taken[synset].add(word)
    out = set()
    for synset, words in taken.items():
        english = tuple(sorted({stem(word) for word in first[synset] if word not in STOP}))
        words -= {word for pair in CJK_ANTONYMS if words.issuperset(pair) for word in pair}
        relations = words.intersection(CJK_RELATIONS)
        if len(relations) > 1:
            words -= relations  # an elder and a younger sister are one word in English
        if words and len(words) + len(english) > 1:
            out.add((english, tuple(sorted(words))))
    return sorted(out)


_LICENSE = """\
# Made by scripts/build_senses_zh.py from the Chinese Open Wordnet and WordNet 3.0. The license of WordNet stands in senses.txt. That of the
# Chinese Open Wordnet: This software and database is being provided to you, the LICENSEE under the following license. By obtaining,
# using and/or copying this software and database, you agree that you have read, understood, and will comply with these terms and
# conditions: Permission to use, copy, modify and distribute this software and database and its documentation for any purpose and without
# fee or royalty is hereby granted, provided that you agree to comply with the following copyright notice and statements, including the
# disclaimer, and that the same appear on ALL copies of the software, database and documentation, including modifications that you make for
# internal use or for distribution. Chinese Open Wordnet Copyright 2013,2014 by Francis Bond and Shan Wang. All rights reserved. THIS
# SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND WE MAKE NO REPRESENTATIONS OR WARRANTIES, EXPRESS OR IMPLIED. BY WAY OF EXAMPLE, BUT NOT
# LIMITATION, WE MAKE NO REPRESENTATIONS OR WARRANTIES OF MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE OF THE
# LICENSED SOFTWARE, DATABASE OR DOCUMENTATION WILL NOT INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR OTHER RIGHTS. Title to
# copyright in this software, database and any associated documentation shall at all times remain with the copyright holders and LICENSEE
# agrees to preserve same."""


def main() -> None:
    print(_LICENSE)
    for english, chinese in groups(*map(Path, sys.argv[1:4])):
        print(f"{' '.join(english)}|{' '.join(chinese)}")


if __name__ == "__main__":
    main()
