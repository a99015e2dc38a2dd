"""English clauses that a rewrite hangs on what it tells, and that no source has anything of: *an orchestra, which tours abroad*.

A paraphrase has words of its own, too, but they stand for words of the source. So a clause or phrase that begins with *which*, *when*,
*to*, *with her* ... counts as hung on only where none of its telling words has a source, and nothing of the sources around it is left
untold that it could stand for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memopt.facts import lexicon
from memopt.facts.reading import Word
from memopt.facts.words import stem
from memopt.verify.added import TELLING, akin_told, is_new
from memopt.verify.lines import Side, weigh

_OPENS = re.compile(
    r"(?P<which>\b(?:which|who|where|that)\b)|(?P<when>\b(?:when|whenever|while|since|after|before|because|although|though|despite|unless|until|if|so that|in order)\b)"
    r"|(?P<to>(?<!able )(?<!going )(?<!used )(?<!order )\bto (?=[a-z]))|(?P<with>\bwith (?:his|her|their|an?|two|three|some|several) (?=[a-z]))",
    re.I,
)
"""What a clause or phrase begins with that is hung on something."""
_SO_TO = re.compile(
    r"\b(?:some|any|no|every)(?:where|thing|one|body)|\b(?:way|time|chance|opportunity|ability|place|room|right|need|wish|desire|plan|decision|attempt|"
    r"(?:hard|difficult|easy|easier|impossible|possible|free|ready|glad|happy|keen|eager|likely|unlikely|willing|unwilling|able|unable|afraid|reluctant|due|set|sure|quick|slow|cheap|"
    r"how|what|where|when|whether|too \w+|enough|began|begun|wants?|wanted|likes?|liked|loves?|hopes?|plans?|planned|tries|tried|needs?|needed|has|have|had|got|gets?|goes|went|used|"
    r"is|are|was|were|decided|refuses?|refused|prefers?|forgot|forgets|learn(?:s|ed|t|ing)?|manage[sd]?|failed|fails|asked|told|told him|agreed|promised|promises|intends?|wishes|dreams|seems?))\s*\Z",
    re.I,
)
"""What *to* belongs to, so that it says nothing of why: *hard to take*, *somewhere to live*."""
_CLOSES = re.compile(
    r"[,;:.()]|\b(?:and|but|or|while|which|who|where|whenever|because|although|though|unless|until|since|if)\b", re.I
)
_COMPANY = frozenset(map(stem, lexicon.RELATIONS)) | frozenset(
    map(stem, lexicon.words("friend colleague coworker neighbor neighbour classmate roommate flatmate boss client student team"))
)
_SAYS_LITTLE = frozenset(
    map(
        stem,
        lexicon.words(
            """
            serve mean call name refer describe consider include feature contain consist offer provide allow enable know situate locate base
            happen occur apply belong involve concern relate regard refer note say state mention stand lie remain stay keep go come get make
            take use do be have see look seem appear become turn hold run reach ensure help let express need require want like able
            save avoid prevent handle manage deal cover count amount total equal bear carry bring show reflect represent mark complete achieve
            place spot time thing way one person people matter fact case part kind side live spend accept own work job finish start begin done
            """
        ),
    )
)
"""Words that only join what is told to what it is told of: *a flat that is located in Graz*."""


def hung(
    number: int, theirs: Side, ours: Side, dominant: frozenset[str], nearest: Callable[[int], Sequence[int]]
) -> list[tuple[int, int, int]]:
    """The clauses of a line that are hung on what it tells, and say what no source does.

    Args:
        number: the line.
        theirs: the side of the rewrite.
        ours: the side of the sources.
        dominant: stems of names that stand for the user.
        nearest: the source lines that come nearest to a unit of the line, best first.

    Returns:
        For each the unit that it stands in, and its span (start, end) in the memory of the line.
    """
    line = theirs.lines[number]
    if not line.text.isascii() or not line.units:
        return []
    told = theirs.told(number)
    shift = told.start
    out: list[tuple[int, int, int]] = []
    end = 0
    for found in _OPENS.finditer(line.text):
        if found.start() < end:
            continue
        stop = _CLOSES.search(line.text, found.end())
        end = stop.start() if stop is not None else len(line.text)
        inside = [word for word in told.words if found.end() <= word.start - shift < end and word.stem not in dominant]
        if found["to"] and _SO_TO.search(line.text, 0, found.start()):
            continue
        if not _is_strange(inside, found, ours, dominant):
            continue
        if any(found.start() < item.end - shift and item.start - shift < end for item in told.items):
            continue  # names and figures are looked for by themselves
        unit = next((one for one in line.units if theirs.units[one].end > line.start + found.end()), line.units[-1])
        place = line.units.index(unit)
        around = line.units[max(0, place - 1) : place + (2 if found.start() == 0 else 1)]
        near = {at for each in around for at in nearest(each)[:1]}
        if near and not _left(near, theirs, ours, dominant) and not akin_told(inside, near, ours):
            out.append((unit, line.start + found.start(), line.start + end))
    return out


def _is_strange(inside: Sequence[Word], found: re.Match[str], ours: Side, dominant: frozenset[str]) -> bool:
    """Whether a clause tells something, and none of its telling words has a source."""
    if found["with"]:
        return (
            bool(inside)
            and all(word.stem in _COMPANY or weigh(word.stem) < TELLING for word in inside)
            and not any(word.stem in ours.by_feature or ours.akin(word.stem) for word in inside if word.stem in _COMPANY)
        )
    telling = [word.stem for word in inside if weigh(word.stem) >= _WORD and word.stem not in _SAYS_LITTLE]
    return bool(telling) and all(is_new(word, ours, dominant) for word in telling)


_WORD = 0.5


def _left(near: set[int], theirs: Side, ours: Side, dominant: frozenset[str]) -> bool:
    """Whether some of the source lines tell something that the rewrite tells nowhere in the same words."""
    return any(
        feature not in dominant
        and feature not in theirs.by_feature
        and weigh(feature) >= TELLING
        and is_new(feature, theirs, dominant)
        for at in near
        for feature in ours.lines[at].features
    )


__all__ = ["hung"]
