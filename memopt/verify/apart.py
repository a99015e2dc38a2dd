"""What a sentence of several people tells of others than a line of the other side does.

*Anil cannot swim, but his daughter Meera is on the swimming team* joins two sources. What it denies of Anil is no denial of what a source
tells of Meera, though both tell of swimming.
"""

from __future__ import annotations

import re

from memopt.facts import lexicon
from memopt.verify.lines import Side, Told
from memopt.verify.whom import Clause, Names, People, Read, may_be_one, read_clauses, several

_PRONOUN = re.compile(
    r"[\s,;]*(?:(?:and|but|so|while|whereas|also|then|now|still) )*"
    rf"(?:(?:he|she|they)\b|(?:his|her|their)\b(?! (?:[\w-]+ ){{0,2}}?(?:{'|'.join(sorted(lexicon.RELATIONS))})\b))",
    re.I,
)
"""A clause that tells of whom a pronoun stands for; *his sister* names somebody."""
_FAR = 2
"""So many lines back a pronoun is followed."""


class Apart:
    """Leaves out of two lines what each tells of people of whom the other one tells nothing.

    Args:
        dominant: stems of names that stand for the user.
    """

    def __init__(self, mine: Side, other: Side, dominant: frozenset[str]) -> None:
        self.mine = mine
        self._people = People(mine, other, Names(mine, other))
        self._users = dominant
        self._known: tuple[dict[int, Read], dict[int, Read]] = ({}, {})
        self._other = other

    def _clauses(self, number: int, *, mine: bool) -> list[Clause]:
        """Those of a line. Of whom one tells is not known where a pronoun stands for somebody named further up."""
        side, known = (self.mine, self._known[0]) if mine else (self._other, self._known[1])
        out: list[Clause] = []
        named = False
        for clause in read_clauses(side, number, self._people, (), known, _FAR)[0]:
            named = named or _PRONOUN.match(side.lines[number].text, clause.start) is None
            out.append(clause if named else clause._replace(whom=()))
        return out

    def kept(self, number: int, at: int) -> tuple[Told | None, Told | None] | None:
        """Both sentences with blanks in the place of the clauses of others; None where there are none such.

        Args:
            number: of the line of the first side.
            at: of the line of the second.
        """
        here, there = self._clauses(number, mine=True), self._clauses(at, mine=False)
        gone = [self._of_others(here, there), self._of_others(there, here)]
        if not any(gone):
            return None
        left, right = (
            None if len(spans) == len(clauses) else blanked(told, spans)
            for told, clauses, spans in (
                (self.mine.told(number), here, gone[0]),
                (self._other.told(at), there, gone[1]),
            )
        )
        return left, right

    def tells_of_another(self, number: int, start: int, end: int, at: int, *, mine: bool) -> bool:
        """Whether a part of a line tells for certain of nobody of whom a line of the other side tells.

        Args:
            number: of the line.
            start: of the part, in its text.
            end: of the part.
            at: of the line of the other side.
            mine: whether the first line is one of the first side.
        """
        here = [each for each in self._clauses(number, mine=mine) if each.start < end and start < each.end]
        return bool(here) and len(self._of_others(here, self._clauses(at, mine=not mine))) == len(here)

    def _of_others(self, here: list[Clause], there: list[Clause]) -> list[tuple[int, int]]:
        """Where the clauses of one line stand that tell of nobody of whom those of the other tell."""
        if not any(clause.whom for clause in there):
            return []
        known = [one for clause in there for one in (*clause.whom, *clause.others)]
        return [
            (clause.start, clause.end)
            for clause in here
            if clause.whom
            and not several(clause.whom)
            and not any(
                may_be_one(one, other, self._people, self._users) for one in (*clause.whom, *clause.others) for other in known
            )
        ]


def blanked(told: Told, gone: list[tuple[int, int]]) -> Told:
    """A sentence with blanks in some places, and without the words and items that begin there."""
    text = told.text
    for left, right in gone:
        text = text[:left] + " " * (right - left) + text[right:]

    def stays(start: int) -> bool:
        return not any(left <= start - told.start < right for left, right in gone)

    return Told(
        text, told.start, [word for word in told.words if stays(word.start)], [item for item in told.items if stays(item.start)]
    )


__all__ = ["Apart", "blanked"]
