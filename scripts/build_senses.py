"""Build memopt/facts/senses.txt: which common English words may stand for one another, and antonyms.txt: which are opposites.

    python scripts/build_senses.py DICT > memopt/facts/senses.txt
    python scripts/build_senses.py DICT antonyms > memopt/facts/antonyms.txt

DICT is the folder of WordNet 3.0's database files (index.*, data.*, cntlist.rev). Only words that are one token of o200k_base are
taken, which is about those that people write often; only the first senses of each, because the rare ones join what nobody would
exchange. A line holds the stems of one synonym set, or of a word and what is derived from it (``teach teacher``).
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

from memopt.facts.lexicon import STOP
from memopt.facts.words import stem

_POS = {"noun": ("n", 3), "verb": ("v", 4), "adj": ("a", 3), "adv": ("r", 2)}
_DERIVED = ("+", "\\")


def common_words() -> frozenset[str]:
    """Words in small letters that are one token behind a blank."""
    from memopt.tokens import load_encoding

    encoding = load_encoding("o200k_base")
    out = set()
    for raw in encoding.token_byte_values():
        if raw[:1] == b" " and raw[1:].isalpha() and raw[1:].islower() and len(raw) > 3:
            out.add(raw[1:].decode("ascii"))
    return frozenset(out)


def tagged(folder: Path) -> dict[tuple[str, str, int], int]:
    """How often a sense was met in tagged text: (word, part of speech, number of the sense) to count."""
    out: dict[tuple[str, str, int], int] = {}
    for line in (folder / "cntlist.rev").read_text(encoding="ascii").splitlines():
        key, number, count = line.split()
        word, _, rest = key.partition("%")
        out[word, {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}[rest[0]], int(number)] = int(count)
    return out


def first_senses(
    folder: Path, known: frozenset[str], counts: dict[tuple[str, str, int], int]
) -> dict[tuple[str, str], dict[str, int]]:
    """Synonym sets, by part of speech and offset, to the words for which each is one of the first senses, with its number."""
    first: dict[tuple[str, str], dict[str, int]] = {}
    for name, (pos, most) in _POS.items():
        for line in (folder / f"index.{name}").read_text(encoding="ascii").splitlines():
            if line.startswith(" "):
                continue
            fields = line.split()
            word, pointers = fields[0], int(fields[3])
            offsets = fields[6 + pointers :]
            if word not in known:
                continue
            for number, offset in enumerate(offsets[:most], 1):
                if number == 1 or counts.get((word, pos, number), 0) > 1:
                    first.setdefault((pos, offset), {})[word] = number
    return first


def groups(folder: Path) -> list[tuple[str, ...]]:
    """All lines, each sorted, without repetition."""
    first = first_senses(folder, common_words(), tagged(folder))
    out: set[tuple[str, ...]] = set()
    for name, (pos, _) in _POS.items():
        for line in (folder / f"data.{name}").read_text(encoding="ascii").splitlines():
            if line.startswith(" "):
                continue
            fields = line.split(" | ")[0].split()
            mine = first.get((pos, fields[0]), {})
            count = int(fields[3], 16)
            words = [fields[4 + 2 * at].split("(")[0].lower() for at in range(count)]
            members = {stem(word) for word in words if word in mine and word not in STOP}
            if len(members) > 1:
                out.add(tuple(sorted(members)))
            at = 4 + 2 * count
            derived: dict[str, set[str]] = defaultdict(set)
            for number in range(int(fields[at])):
                symbol, offset, kind, where = fields[at + 1 + 4 * number : at + 5 + 4 * number]
                if symbol not in _DERIVED or where == "0000":
                    continue
                word = words[int(where[:2], 16) - 1]
                if word not in mine or word in STOP:
                    continue
                for other in first.get(({"s": "a"}.get(kind, kind), offset), {}):
                    if other[:3] == word[:3] or symbol == "\\":
                        derived[word].add(stem(other))
            for word, others in derived.items():
                family = {stem(word), *others}
                if len(family) > 1:
                    out.add(tuple(sorted(family)))
    return sorted(out)


_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "mis", "anti")
_NO_OPPOSITES = frozenset(
    """
    all some few many less more least most other same here there have lack like unlike dislike disliked liking keep lose act refrain
    accept reject refuse admit deny affected move stay to from answer question bore interest present absent fall attend miss lost won
    ever never adopted common individual wind whole fractional
    """.split()
)
"""Words of so many senses, or such as the counting of denials looks after, that their opposites say nothing."""


def opposites(folder: Path) -> list[tuple[str, str]]:
    """Pairs of common words that are opposites in one of their first senses; not those that only a prefix parts."""
    known = common_words()
    counts = tagged(folder)
    out: set[tuple[str, str]] = set()
    for name, (pos, most) in _POS.items():
        first: dict[str, set[str]] = defaultdict(set)
        for line in (folder / f"index.{name}").read_text(encoding="ascii").splitlines():
            fields = line.split()
            if line.startswith(" ") or fields[0] not in known:
                continue
            for number, offset in enumerate(fields[6 + int(fields[3]) :][:most], 1):
                if number == 1 or counts.get((fields[0], pos, number), 0) > 1:
                    first[offset].add(fields[0])
        members: dict[str, list[str]] = {}
        against: list[tuple[str, int, str, int]] = []
        for line in (folder / f"data.{name}").read_text(encoding="ascii").splitlines():
            if line.startswith(" "):
                continue
            fields = line.split(" | ")[0].split()
            count = int(fields[3], 16)
            members[fields[0]] = [fields[4 + 2 * at].split("(")[0].lower() for at in range(count)]
            at = 4 + 2 * count
            for number in range(int(fields[at])):
                symbol, offset, _, where = fields[at + 1 + 4 * number : at + 5 + 4 * number]
                if symbol == "!" and where != "0000":
                    against.append((fields[0], int(where[:2], 16) - 1, offset, int(where[2:], 16) - 1))
        for offset, number, other, place in against:
            word, opposite = sorted((members[offset][number], members[other][place]))
            if {word, opposite} - (first[offset] | first[other]) or {word, opposite} & (STOP | _NO_OPPOSITES):
                continue
            if any(one == prefix + two for prefix in _PREFIXES for one, two in ((word, opposite), (opposite, word))):
                continue
            out.add((word, opposite))
    return sorted(out)


_LICENSE = """\
# Made by scripts/build_senses.py from WordNet 3.0. WordNet's license:
# This software and database is being provided to you, the LICENSEE, by Princeton University under the following license. By
# obtaining, using and/or copying this software and database, you agree that you have read, understood, and will comply with
# these terms and conditions.: Permission to use, copy, modify and distribute this software and database and its documentation
# for any purpose and without fee or royalty is hereby granted, provided that you agree to comply with the following copyright
# notice and statements, including the disclaimer, and that the same appear on ALL copies of the software, database and
# documentation, including modifications that you make for internal use or for distribution. WordNet 3.0 Copyright 2006 by
# Princeton University. All rights reserved. THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO
# REPRESENTATIONS OR WARRANTIES, EXPRESS OR IMPLIED. BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON UNIVERSITY MAKES NO
# REPRESENTATIONS OR WARRANTIES OF MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE OF THE LICENSED
# SOFTWARE, DATABASE OR DOCUMENTATION WILL NOT INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR OTHER RIGHTS. The
# name of Princeton University or Princeton may not be used in advertising or publicity pertaining to distribution of the
# software and/or database. Title to copyright in this software, database and any associated documentation shall at all times
# remain with Princeton University and LICENSEE agrees to preserve same."""


def main() -> None:
    print(_LICENSE)
    if sys.argv[2:] == ["antonyms"]:
        pairs = ["|".join(pair) for pair in opposites(Path(sys.argv[1]))]
        for at in range(0, len(pairs), 8):
            print(*pairs[at : at + 8])
        return
    made = groups(Path(sys.argv[1]))
    for line in made:
        print(*line)
    folder = Path(sys.argv[1])
    listed = {
        line.split(" ", 1)[0] for name in _POS for line in (folder / f"index.{name}").read_text(encoding="ascii").splitlines()
    }
    single = sorted({stem(word) for word in common_words() & listed} - {word for line in made for word in line})
    print("# Other common words")
    for at in range(0, len(single), 14):
        print("!", *single[at : at + 14])


if __name__ == "__main__":
    main()
