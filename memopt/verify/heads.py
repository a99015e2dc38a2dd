"""Words before a noun that say which sort of thing it names: *backend* in *a backend developer*, *electric* in *an electric bike*.

Nothing joins them to the noun, and a paraphrase has nouns of its own, and puts in and leaves out how something is (*a quiet evening*). So
such a word counts as left out, or as put in, only where it names a sort, and a sentence that tells the same has that very noun without
any word before it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memopt.facts import lexicon
from memopt.facts.reading import Word
from memopt.facts.sorts import Sort, sort_of
from memopt.verify.lines import Side, is_cjk

_DETERMINED = re.compile(r"(?:\b(?:a|an|the|his|her|their|its|my|our|one|two|three)|['’]s|s['’])\s+\Z", re.I)
_LED = re.compile(rf"{_DETERMINED.pattern}|\b(?:as|of|for|with|plays?|rides?|owns?|has|likes|loves|is|was|became)\s+\Z", re.I)
_ENDS = re.compile(r"\W*\Z|\s*[.,;:!?)(]|['’]s?\b|\s+(?:[a-z]{1,4}|which|since|called|named|because|until|during|after|before)\b")
_SIDE_BY_SIDE = re.compile(r"[ -]")
_MOST = 2
_SORTS = frozenset(
    lexicon.words(
        "act animal artifact body cognition communication event food object person phenomenon plant possession substance"
    )
)
"""What says of another noun which sort of it is meant. When and where (*a summer job*, *a city flat*) is often told otherwise, or by nothing."""
_NO_SORT = frozenset(
    lexicon.words(
        "final local junior senior talented charming seasoned single dream fellow key master model star giant baby pet household hobby fun fan super top"
        " expert specialist professional pro novice beginner veteran native good great favorite favourite treat gem"
    )
)
"""Nouns that before another one say how it is."""
_ADJECTIVES = frozenset(
    lexicon.words(
        """
        backend back-end frontend front-end full-stack fullstack devops embedded mobile digital electric electronic electrical electrified
        mechanical industrial chemical structural civil nuclear marine maritime naval aerial agricultural architectural financial
        commercial criminal judicial legal medical clinical surgical dental orthopedic orthopaedic forensic veterinary pediatric
        paediatric neonatal geriatric psychiatric cardiac cardiothoracic vascular neurological oncological obstetric gynecological
        gynaecological intensive palliative acoustic classical orchestral choral operatic liturgical jazz baroque
        primary elementary secondary postgraduate undergraduate vocational bilingual remedial culinary botanical zoological historical
        archaeological linguistic mathematical statistical optical thermal solar hydraulic diesel hybrid inflatable foldable folding
        wooden woollen woolen golden leather ceramic plastic steel copper vegan vegetarian gluten-free lactose-free sugar-free decaf
        decaffeinated alcohol-free halal kosher freelance part-time rental guided carnivorous tropical alpine
        """
    )
)
"""Adjectives that name a sort, as written."""


def says_which(run: Sequence[Word], head: Word | None, text: str, near: Iterable[int], other: Side) -> bool:
    """Whether words say which sort of thing the noun right behind them names, and a line has that noun alone.

    Args:
        run: the words, side by side, in ``text``.
        head: the next telling word behind them.
        near: the lines of the other side that tell the same.
    """
    if head is None or is_cjk(head.stem) or is_cjk(run[0].stem) or len(run) > _MOST:
        return False
    if not _SIDE_BY_SIDE.fullmatch(text[run[-1].end : head.start]) or not any(_names_sort(word, text) for word in run):
        return False
    if text[head.start : head.end].endswith(("ing", "ed")):
        return False  # a candidate running for office
    if not _DETERMINED.search(text, 0, run[0].start) and _sort(head, text) is None:
        return False
    if not _alone(run[0].start, head.end, text):
        return False
    for number in near:
        there = other.memories[other.lines[number].memory].memory
        if any(word.stem == head.stem and _bare(word, there) for word in other.told(number).words):
            return True
    return False


def _sort(word: Word, text: str) -> Sort | None:
    return sort_of("=" + text[word.start : word.end].casefold()) or sort_of(word.stem)


def _names_sort(word: Word, text: str) -> bool:
    written = text[word.start : word.end].casefold()
    sort = _sort(word, text)
    return written in _ADJECTIVES or (sort is not None and sort.name in _SORTS and written not in _NO_SORT)


def _alone(start: int, end: int, text: str) -> bool:
    """Whether nothing that tells more stands right before and behind a part of a sentence."""
    return _LED.search(text, 0, start) is not None and _ENDS.match(text, end) is not None


def _bare(word: Word, text: str) -> bool:
    """Whether a noun has nothing before it, also no part of its own: *an e-bike*."""
    return _alone(word.start, word.end, text) and "-" not in text[word.start : word.end]
