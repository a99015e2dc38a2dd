"""Build memopt/facts/kin.txt: which common English words are loosely akin, and what part of speech a word mostly is.

    python scripts/build_kin.py DICT > memopt/facts/kin.txt

DICT is the folder of WordNet 3.0's database files (index.*, data.*, cntlist.rev). Two words are loosely akin where one of their senses is
the same, is derived from, implies, resembles or stands right above the other's, or where a definition has the other word, unless many
definitions have it; pairs that ``memopt.facts.senses`` knows are left out. A line holds a stem, its part of speech (n, v, a or r) with the
sorts of things that its first senses as a noun name (see ``SORTS``), and the later ones of the stems that are akin to it, as differences
of their line numbers to base 36.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from build_senses import common_words, tagged

from memopt.facts import senses
from memopt.facts.lexicon import STOP
from memopt.facts.words import stem
from memopt.verify.lines import weigh

_POS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}
_MOST = {"n": 4, "v": 4, "a": 4, "r": 2}
"""So many senses of a word are looked at."""
_DEFINED = 2
"""So many of its definitions."""
_ABOVE = 3
"""Of so many what stands above them."""
_OFTEN = 45
"""A word that more definitions have than this says nothing of what they define."""
_LEAST = 0.3
_STEPS = 3
"""So many steps above a noun what it is a sort of is akin to it (*jar*, *container*), unless more than ``_WIDE`` sets stand right below that."""
_WIDE = 150
_DERIVED = ("+", "\\", "<")
_NEAR = ("&", "^", "=", "*", ">", "$")


def _defining(gloss: str, known: frozenset[str]) -> set[str]:
    return {word for word in re.findall(r"[a-z]+", re.split(r';\s*"', gloss)[0].lower()) if word in known}


def akin(folder: Path, known: frozenset[str]) -> set[tuple[str, str]]:
    """All pairs of stems, each sorted."""
    sets: dict[tuple[str, str], tuple[list[str], list[tuple[str, tuple[str, str], str]], str]] = {}
    senses_of: dict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for name, pos in _POS.items():
        for line in (folder / f"data.{name}").read_text(encoding="latin-1").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            count = int(fields[3], 16)
            words = [fields[4 + 2 * at].split("(")[0].lower() for at in range(count)]
            at = 4 + 2 * count
            links = []
            for number in range(int(fields[at])):
                symbol, offset, kind, where = fields[at + 1 + 4 * number : at + 5 + 4 * number]
                links.append((symbol, ({"s": "a"}.get(kind, kind), offset), where))
            sets[pos, fields[0]] = words, links, gloss
        for line in (folder / f"index.{name}").read_text(encoding="latin-1").splitlines():
            fields = line.split()
            if not line.startswith(" ") and fields[0] in known:
                senses_of[fields[0]] += [(pos, offset, at) for at, offset in enumerate(fields[6 + int(fields[3]) :], 1)]
    below = Counter(key for _, links, _ in sets.values() for symbol, key, _ in links if symbol in ("@", "@i"))

    def over(key: tuple[str, str], steps: int) -> Iterator[str]:
        for symbol, above, _ in sets[key][1]:
            if symbol in ("@", "@i") and below[above] <= _WIDE:
                yield from sets[above][0]
                if steps > 1:
                    yield from over(above, steps - 1)

    often = Counter(root for _, _, gloss in sets.values() for root in {stem(word) for word in _defining(gloss, known)})

    def others(word: str) -> Iterator[str]:
        for pos, offset, number in senses_of[word]:
            if number > _MOST[pos]:
                continue
            words, links, gloss = sets[pos, offset]
            yield from words
            for symbol, key, where in links:
                there = sets[key][0]
                if symbol in _DERIVED and where != "0000":
                    if words[int(where[:2], 16) - 1] == word:
                        yield there[int(where[2:], 16) - 1]
                elif symbol in _NEAR or (symbol == "@" and number <= _ABOVE):
                    yield from there
            if pos == "n" and number == 1:
                yield from over((pos, offset), _STEPS)
            if number <= _DEFINED:
                yield from (
                    each for each in _defining(gloss, known) if often[stem(each)] <= _OFTEN and weigh(stem(each)) >= _LEAST
                )

    out = set()
    for word in senses_of:
        for other in others(word):
            one, two = sorted((stem(word), stem(other)))
            if other in known and one != two and not senses.closeness(one, two):
                out.add((one, two))
    return out


def mostly(folder: Path, known: frozenset[str]) -> dict[str, str]:
    """Of each stem the part of speech in which tagged text has its words most often, else the one with most senses."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, pos in _POS.items():
        for line in (folder / f"index.{name}").read_text(encoding="latin-1").splitlines():
            fields = line.split()
            if not line.startswith(" ") and fields[0] in known:
                counts[stem(fields[0])][pos] += int(fields[2])
    for (word, pos, _), count in tagged(folder).items():
        if word in known:
            counts[stem(word)][pos] += 10 * count
    return {root: max("navr", key=lambda pos: count[pos]) for root, count in counts.items()}


SORTS = {4: "D", 10: "C", 11: "E", 19: "N", 5: "A", 6: "T", 8: "B", 13: "F", 14: "G", 15: "L", 17: "O", 18: "P", 20: "V", 27: "S"}
"""Lexicographer files of WordNet: act (deed), communication, event, phenomenon (of nature), animal, artifact (thing), body, food, group, location, object, person, plant (vegetation), substance."""
_ABSTRACT = "CDEN"
"""Sorts that are asked of the first sense alone."""
_NAMED = 3
"""So many senses of a noun are asked what sort of thing it names."""


def sorts(folder: Path, known: frozenset[str]) -> dict[str, str]:
    """Of each stem of a noun the letters of the sorts of things that it names."""
    sort_of = {
        fields[0]: SORTS.get(int(fields[1]), "")
        for line in (folder / "data.noun").read_text(encoding="latin-1").splitlines()
        if not line.startswith(" ")
        for fields in (line.split(" ", 2),)
    }
    out: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "index.noun").read_text(encoding="latin-1").splitlines():
        fields = line.split()
        if not line.startswith(" ") and fields[0] in known:
            named = [sort_of[offset] for offset in fields[6 + int(fields[3]) :][:_NAMED]]
            out[stem(fields[0])].update(named[:1], (letter for letter in named[1:] if letter not in _ABSTRACT))
    return {root: "".join(sorted(letters)) for root, letters in out.items()}


_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _base36(number: int) -> str:
    return (_base36(number // 36) if number >= 36 else "") + _DIGITS[number % 36]


def main() -> None:
    folder = Path(sys.argv[1])
    names = {
        line.split(" ", 1)[0] for name in _POS for line in (folder / f"index.{name}").read_text(encoding="latin-1").splitlines()
    }
    known = frozenset((common_words() & names) - STOP)
    pos = mostly(folder, known)
    things = sorts(folder, known)
    row = {root: at for at, root in enumerate(sorted(pos))}
    after: dict[str, list[int]] = defaultdict(list)
    for one, two in akin(folder, known):
        if one in row and two in row:
            after[one].append(row[two] - row[one])
    print("# Made by scripts/build_kin.py from WordNet 3.0: its license stands in senses.txt.")
    for root in row:
        print(root, pos[root] + things.get(root, ""), *map(_base36, sorted(after[root])))


if __name__ == "__main__":
    main()
