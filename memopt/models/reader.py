"""What a reader of the joined text would take otherwise than a reader of the memories one by one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from memopt.facts.polarity import turns
from memopt.facts.words import stem
from memopt.memory import UserMemory
from memopt.models.forms import form_of
from memopt.models.joining import Sentence
from memopt.models.threads import ends

_POINTS_BACK = re.compile(
    r"(?:\w+,? )?(?:he|she|it|they|his|hers?|its|their|him|them|this|that|these|those)\b"
    r"|[^\W\d_，。,]{0,3}，?(?:[他她它]们?|其(?!他|实|中|余|它))|[这那该]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_\u2e80-\uffff]{3,}|[\u4e00-\u9fff]")
_TELLING = 0.5
_OF_SHORTER = 0.75
_OF_LONGER = 0.4
_COMMON = 40
"""A word in more sentences than this is no sign that two of them tell of the same."""


def points_back(text: str) -> bool:
    """Whether a sentence begins with a word that stands for somebody named elsewhere.

    Behind another sentence it would mean whoever that one speaks of.
    """
    return _POINTS_BACK.match(text) is not None


_KNOWN = re.compile(
    r"\b(?:the|a|an|is|are|was|were|has|have|had|of|and|to|in|on|at|with|for|not|his|her|user|does|did|likes|from)\b",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"\b(?:der|das|und|ist|nicht|ein|eine|mit|wohnt|el|la|los|las|en|es|una|uno|vive|que|y|le|les|du|des|et|est|dans|avec|il|di|che|non|"
    r"o|os|um|uma|não|com|ja|nie|och|är|het|een|van|benutzer|usuario|utilisateur)\b",
    re.IGNORECASE,
)


def is_readable(text: str) -> bool:
    """Whether a text is English or Chinese, so that a word in that language may be put into it."""
    if re.search(r"[\u3040-\u30ff\uac00-\ud7af]", text):
        return False
    if re.search(r"[\u4e00-\u9fff]", text[:4]):
        return True
    known, foreign = len(_KNOWN.findall(text)), len(_FOREIGN.findall(text))
    return known > foreign or (known == foreign and text.isascii() and (known > 0 or form_of(text) is not None or ends(text)))


def _related(units: Sequence[Sentence], some: Sequence[int]) -> list[int]:
    """The positions of some sentences and of all that share a rare word with one of them, by their letters alone."""
    words = {at: set(_WORD.findall(unit.text.casefold())) for at, unit in enumerate(units) if not unit.fixed}
    where: dict[str, list[int]] = defaultdict(list)
    for at, mine in words.items():
        for word in mine:
            if len(where[word]) <= _COMMON:
                where[word].append(at)
    return sorted({*some, *(other for at in some for word in words[at] if len(where[word]) <= _COMMON for other in where[word])})


def contrary(units: Sequence[Sentence]) -> list[list[int]]:
    """Groups of sentences that say the contrary of each other (takes it, stopped it, takes it again), by their positions.

    Only sentences with something in them that turns a meaning are compared, with those that share a telling word with them.
    """
    turned = {at: turns(unit.text) for at, unit in enumerate(units) if not unit.fixed}
    turning = [at for at, found in turned.items() if found]
    if not turning:
        return []
    from memopt.verify.lines import Side, weigh
    from memopt.verify.stance import compare

    def _alike(one: frozenset[str], two: frozenset[str]) -> bool:
        """Whether two sentences tell of the same: they share the telling words of the shorter one, or most of them and
        many of the other's."""
        mine, theirs = ({word for word in words if weigh(word) >= _TELLING and word not in turn_words} for words in (one, two))
        shared = len(mine & theirs)
        few, many = sorted((len(mine), len(theirs)))
        return shared > 0 and (shared == few or (shared >= _OF_SHORTER * few and shared >= _OF_LONGER * many))

    turn_words = {
        stem(word)
        for at, unit in enumerate(units)
        for turn in (turned[at] if at in turned else turns(unit.text))
        for word in unit.text[turn.start : turn.end].split()
    }
    open_units = _related(units, turning)
    side = Side([UserMemory(units[at].text) for at in open_units])
    line_of: dict[int, int] = {}  # of units that are one line
    by_word: dict[str, list[int]] = defaultdict(list)  # what is shared by many is no sign of anything
    for number, line in enumerate(side.lines):
        at = open_units[line.memory]
        line_of[at] = -1 if at in line_of else number
        for word in line.features:
            if weigh(word) >= _TELLING:
                by_word[word].append(at)
    group_of: dict[int, list[int]] = {}
    for at in turning:
        number = line_of.get(at, -1)
        if number < 0:
            continue
        shared = [by_word[word] for word in side.lines[number].features if 1 < len(by_word.get(word, ())) <= _COMMON]
        for other in sorted({other for ats in shared for other in ats if other != at}):
            if line_of[other] < 0 or not _alike(side.lines[number].features, side.lines[line_of[other]].features):
                continue
            verdict = compare(side.told(number), side.told(line_of[other]))
            if verdict is not None and verdict.contrary:
                mine, theirs = group_of.get(at, [at]), group_of.get(other, [other])
                if mine is not theirs:
                    mine = sorted({*mine, *theirs})
                    group_of.update(dict.fromkeys(mine, mine))
    return list({id(members): members for members in group_of.values()}.values())
