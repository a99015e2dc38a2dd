"""Build memopt/facts/sorts.txt: common English words that are nouns before they are anything else, by what sort of thing they name.

    python scripts/build_sorts.py DICT > memopt/facts/sorts.txt

DICT is the folder of WordNet 3.0's database files (index.*, data.noun, cntlist.rev). A line holds a sort (the lexicographer file of the first
noun sense of its words) and for each word its stem (behind an equals sign the word itself, where a verb has the stem), the number of its synonym set and that of the set above it. A word is taken if it is a noun
far more often than a verb, and at least as often as anything else.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path

from build_senses import common_words, tagged

from memopt.facts.lexicon import STOP
from memopt.facts.words import stem

_SORTS = (
    "adj.all adj.pert adv.all Tops act animal artifact attribute body cognition communication event feeling food group location motive object"
    " person phenomenon plant possession process quantity relation shape state substance time"
).split()
"""The lexicographer files of WordNet by their number."""
_POS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


def main() -> None:
    folder = Path(sys.argv[1])
    known = common_words()
    often: dict[str, Counter[str]] = defaultdict(Counter)
    for (word, pos, _), count in tagged(folder).items():
        often[word][pos] += count
    sort_of = {}
    above: dict[str, str] = {}
    for line in (folder / "data.noun").read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            fields = line.split(" | ")[0].split()
            sort_of[fields[0]] = _SORTS[int(fields[1])]
            at = 4 + 2 * int(fields[3], 16)
            kinds = [fields[at + 2 + 4 * each] for each in range(int(fields[at])) if fields[at + 1 + 4 * each] in ("@", "@i")]
            above[fields[0]] = kinds[0] if kinds else ""
    forms: dict[str, Counter[str]] = defaultdict(Counter)  # how many senses as each part of speech
    first: dict[str, str] = {}
    for name, pos in _POS.items():
        for line in (folder / f"index.{name}").read_text(encoding="ascii").splitlines():
            fields = line.split()
            if line.startswith(" ") or fields[0] not in known:
                continue
            forms[fields[0]][pos] = int(fields[2])
            if pos == "n":
                first[fields[0]] = fields[6 + int(fields[3])]
    # "building" has the stem of a verb
    verbs = {stem(word) for word in forms if "v" in forms[word] and 2 * often[word]["v"] > often[word]["n"]}
    numbers: dict[str, str] = {"": ""}
    out: dict[str, dict[str, str]] = defaultdict(dict)
    for word, offset in first.items():
        counts = often[word]
        noun = counts["n"] >= max(2 * counts["v"], counts["a"], counts["r"]) and (
            counts["n"] or forms[word]["n"] > sum(forms[word].values()) / 2
        )
        if noun and word not in STOP and sort_of[offset] != "Tops":
            mine, over = (numbers.setdefault(one, f"{len(numbers):x}") for one in (offset, above[offset]))
            key = f"={word}" if stem(word) in verbs else stem(word)
            out[sort_of[offset]].setdefault(key, f"{key}.{mine}.{over}")
    print("# Made by scripts/build_sorts.py from WordNet 3.0: its license stands in senses.txt.")
    for sort, words in sorted(out.items()):
        print(sort, *(words[root] for root in sorted(words)))


if __name__ == "__main__":
    main()
