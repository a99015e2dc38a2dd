"""Clauses that say why, what for or when (``because of the night shifts``), left out of a rewrite that tells the rest freely.

``memopt.verify.added`` asks word by word, and where several words of a sentence are told by others it says nothing. A whole clause behind
such a word is another matter: where the rewrite has none of its words, nor one for them, something new must stand there for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache

from memopt.facts import lexicon
from memopt.facts.reading import denies
from memopt.facts.words import stem
from memopt.verify.added import FILLING
from memopt.verify.lines import Side, Term, weigh
from memopt.verify.search import word_held

_BEGINS = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|on account of|thanks to|so that|so (?=(?:he|she|they|it|we|[A-Z]\w+)\b)|so as to|in order to|"
    r"for the sake of|whenever(?! (?:possible|necessary|needed|required|available))|(?:every|each|any) time|unless|until|if(?! (?:possible|necessary|needed|required|available))|when|lest|in case|provided|as long as)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[,;.:()]|\b(?:and|but|while|whereas|though|although)\b", re.IGNORECASE)
_FROM = 0.7
"""So much the telling words of a clause must weigh together."""
_ANSWERS = re.compile(
    r"\b(?:because|due|since|as|for fear|so|therefore|thus|hence|after|once|owing|account|thanks|why|reasons?|sake|caus\w+|when\w*|while|if|should|unless|"
    r"until|till|time|times|in order|lest|otherwise|would|mak\w+|made|mean\w*|le[ad]d?s?|keeps?|kept|having|being|with|without|from|over|through)\b|[:;]|\bto (?!the\b|an?\b)",
    re.IGNORECASE,
)
"""What may begin the same clause in other words."""


def says_why(text: str) -> bool:
    """Whether a sentence may have a clause of this sort."""
    return _BEGINS.search(text) is not None


def unanswered(number: int, ours: Side, theirs: Side, dominant: frozenset[str], near: Collection[int]) -> tuple[int, int] | None:
    """The first clause of a source line that says why, what for or when, and that no line of the rewrite can tell.

    Args:
        number: the source line.
        dominant: stems of names that stand for the user.
        near: the lines of the rewrite that come nearest to it, and those beside them.

    Returns:
        Its span (start, end) in the memory of the line; None where there is none.
    """
    line = ours.lines[number]
    begins = _BEGINS.search(line.text)
    if begins is None or not near:
        return None
    new: set[str] | None = None
    while begins is not None:
        ends = _ENDS.search(line.text, begins.end())
        end = ends.start() if ends else len(line.text)
        start, stop = line.start + begins.start(), line.start + end
        words = [word.stem for word in ours.told(number).words if line.start + begins.end() <= word.start and word.end <= stop]
        telling = [word for word in words if weigh(word) >= 0.3 and word not in dominant and word not in line.names]
        telling = [word for word in telling if word not in _somebody()]
        lines = [theirs.lines[at] for at in near]
        if (
            sum(map(weigh, telling)) >= _FROM
            and not denies(line.text[begins.end() : end])
            and not any(
                _is_written(line.text[begins.end() : end], each.text)
                or any(word_held(_plain(word), each, theirs) for word in telling)
                for each in lines
            )
        ):
            if new is None:
                new = {
                    word
                    for each in lines
                    for word in each.features
                    if weigh(word) >= 0.5 and word not in dominant and word not in FILLING and not _has(ours, word)
                }
            if not new or (len(new) == 1 and not any(_ANSWERS.search(each.text) for each in lines)):
                return start, stop
        begins = _BEGINS.search(line.text, end)
    return None


_LONG = re.compile(r"[^\W\d_]{4,}")


def _is_written(clause: str, text: str) -> bool:
    """Whether a longer word of a clause stands in a text in whatever form: *feeling down*, *feel down*."""
    told = text.casefold()
    words = (found[0].casefold() for found in _LONG.finditer(clause))
    return any(
        word[:4] in told for word in words if word not in lexicon.STOP and stem(word) not in _somebody() and weigh(stem(word))
    )


@cache
def _somebody() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.RELATIONS)


def _plain(word: str) -> Term:
    return Term(word, weigh(word), False, False)


def _has(side: Side, word: str) -> bool:
    return word in side.by_feature or bool(side.akin(word))
