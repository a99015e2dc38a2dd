"""Build memopt/facts/kinds.txt: which common words name different things of one kind, English and Chinese.

    python scripts/build_kinds.py DICT COW WORDS > memopt/facts/kinds.txt

The arguments are those of ``build_senses_zh.py``. Each kind is a tree of WordNet: a line holds the words of one synonym set, its depth,
English stems, a bar and Chinese words. What stands below another is a sort of it (*terrier*, *dog*) and no rival of it. Only the first sense of a word is taken.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from build_senses import common_words, tagged
from build_senses_zh import common_chinese

from memopt.facts.lexicon import STOP
from memopt.facts.words import stem

_ROOTS = """
musical_instrument 1
edible_fruit 1
vegetable 1
animal 1
sport 1
illness 1
beverage 1
meat 1 seafood 1 cheese 1 nut 1 dish 2 dairy_product 1 grain 2
vehicle 1
worker 1 professional 1 artist 1 entertainer 1 leader 1 scientist 1 military_officer 1
chromatic_color 1
natural_language 1
garment 1
furniture 1
relative 1
discipline 1
body_part 1
season 2
meal 1
building 1 educational_institution 1
room 1
tree 1
flower 1
fabric 1
metallic_element 1
body_of_water 1
jewelry 1
"""
"""Each line is a kind: the roots of its trees, a word and the number of its sense."""


def _nouns(folder: Path) -> tuple[dict[str, tuple[list[str], list[str]]], dict[str, list[str]]]:
    below: dict[str, list[str]] = defaultdict(list)
    out: dict[str, tuple[list[str], list[str]]] = {}
    for line in (folder / "data.noun").read_text(encoding="ascii").splitlines():
        if line.startswith(" "):
            continue
        fields = line.split(" | ")[0].split()
        count = int(fields[3], 16)
        at = 4 + 2 * count
        above = [fields[at + 2 + 4 * number] for number in range(int(fields[at])) if fields[at + 1 + 4 * number] in ("@", "@i")]
        out[fields[0]] = ([fields[4 + 2 * number].lower() for number in range(count)], above)
        for one in above:
            below[one].append(fields[0])
    return out, below


def main() -> None:
    folder, cow, listed = map(Path, sys.argv[1:4])
    nouns, below = _nouns(folder)
    index = {}
    for line in (folder / "index.noun").read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            index[fields[0]] = fields[6 + int(fields[3]) :]
    often: dict[str, int] = defaultdict(int)
    for (word, pos, _), count in tagged(folder).items():
        often[word] += count if pos == "n" else -count
    known = {word for word in common_words() if often[word] >= 0}  # "bitter" is no beer
    common = common_chinese(listed)
    chinese: dict[str, set[str]] = defaultdict(set)
    for line in cow.read_text(encoding="utf8").splitlines():
        key, _, word = line.partition("\tcmn:lemma\t")
        if word and key.endswith("-n") and word.strip() in common:
            chinese[key[:8]].add(word.strip())

    def walk(offset: str, depth: int, seen: set[str]) -> Iterator[tuple[int, list[str], list[str]]]:
        if offset in seen:
            return
        seen.add(offset)
        words = [word for word in nouns[offset][0] if word in known and index[word][0] == offset and word not in STOP]
        # of a Chinese word only sets that hold a first sense of an English one
        others = (
            sorted(chinese[offset])
            if words or any(index[word][0] == offset for word in nouns[offset][0] if word in index)
            else []
        )
        if words or others:
            yield depth, sorted({stem(word) for word in words}), others
            depth += 1
        for child in below.get(offset, ()):
            yield from walk(child, depth, seen)

    print(
        "# Made by scripts/build_kinds.py from WordNet 3.0 and the Chinese Open Wordnet: their licenses stand in senses.txt and senses_zh.txt."
    )
    for kind in _ROOTS.strip().splitlines():
        fields = kind.split()
        print("=", fields[0])
        for word, number in zip(fields[::2], fields[1::2], strict=True):
            for depth, english, others in walk(index[word][int(number) - 1], 0, set()):
                print(f"{depth} {' '.join(english)}|{' '.join(others)}")


if __name__ == "__main__":
    main()
