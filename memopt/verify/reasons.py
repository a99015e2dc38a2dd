"""Clauses that say why, what for or when (``because of the night shifts``), left out of a rewrite that tells the rest freely.

``memopt.verify.added`` asks word by word, and where several words of a sentence are told by others it says nothing. A whole clause behind
such a word is another matter: where the rewrite has none of its words, nor one for them, something new must stand there for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from memopt.facts import lexicon
from memopt.facts.kin import part_of_speech, told_in
from memopt.facts.reading import denies
from memopt.facts.sorts import sort_of
from memopt.facts.words import stem
from memopt.verify.added import FILLING
from memopt.verify.holding import holds_item
from memopt.verify.lines import Line, Side, Term, weigh
from memopt.verify.search import word_held

_BEGINS = re.compile(
    r"\b(?:because(?: of)?|due to|owing to|on account of|thanks to|so that|so (?=(?:he|she|they|it|we|[A-Z]\w+)\b)|so as to|in order to|"
    r"for the sake of|instead of|rather than|during|in spite of|despite|out of(?= (?:fear|love|habit|respect|curiosity|boredom|guilt|pity|spite|loyalty)\b)|"
    r"(?:since|after|before|while|by|for)(?= [a-z]{3,}ing\b)|(?:since|after|before|while)(?= (?:he|she|they|it|his|her|their|the|an?) )|"
    r"whenever(?! (?:possible|necessary|needed|required|available))|(?:every|each|any) time|unless|until|if(?! (?:possible|necessary|needed|required|available))|when|lest|in case|provided|as long as)\b",
    re.IGNORECASE,
)
_AIMS = re.compile(
    r"\b(?P<before>[a-z'-]+) (?P<begins>to (?=(?:stay|keep|get|avoid|save|earn|make|improve|help|reduce|relieve|relax|lose|gain|raise|support|prevent|protect|impress"
    r"|clear|unwind|build|strengthen|practi[sc]e|learn|be|care|look|visit|attend|celebrate|escape|cope|treat|fund|finance|pay|ease|recover|train|prepare|catch"
    r"|meet|see|spend|reach|cool|warm|honou?r|mark|cover|afford|tour|stop|boost|calm|feel|teach|thank|surprise|find|fight|pass|qualify|become|write|cook|sell|buy"
    r"|give|take|bring|pick|watch|hear|listen|open|start|launch|found|join|pursue|communicate|talk|spare|hide|replace|repair|create|grow|heal|enjoy|perform|prove)\b))",
    re.IGNORECASE,
)
"""What an action is for. Some nouns ask for such a part themselves: *a plan to move*."""
_ASKS_FOR = frozenset(
    stem(word)
    for word in lexicon.words(
        """
        plan desire decision time chance ability right way reason offer permission attempt need wish goal aim dream opportunity promise order intention effort place
        someone somebody something anything nothing anyone everything love hope use want like try tendency ambition urge failure refusal ask tell help start work
        expect prefer mean due home close next back happy day step request invitation pressure willingness resolve struggle start fight pledge vow power capacity thing
        person people one first last only friend user
        """
    )
)
_ENDS = re.compile(r"[,;.:()]|\b(?:and|but|while|whereas|though|although)\b", re.IGNORECASE)
_PARTS = re.compile(r"[,;:()]|\.(?=\s|\Z)|\b(?:and|but)\b", re.IGNORECASE)
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
    return _BEGINS.search(text) is not None or _AIMS.search(text) is not None


def _clauses(text: str) -> Iterator[tuple[int, int, int]]:
    """Such clauses, in order: where each begins, where what joins it ends, and where it ends itself."""
    found = [each.span() for each in _BEGINS.finditer(text)]
    for aim in _AIMS.finditer(text):
        before = stem(aim["before"].lower())
        verb = aim["before"].endswith(("ed", "ing")) and sort_of("=" + aim["before"].lower()) is None
        noun = part_of_speech(before) == "n" or sort_of("=" + aim["before"].lower()) is not None
        if before not in _ASKS_FOR and noun and not verb:
            found.append(aim.span("begins"))
    found.sort()
    for at, (start, end) in enumerate(found):
        ends = _ENDS.search(text, end)
        behind = found[at + 1][0] if at + 1 < len(found) else len(text)
        yield start, end, min(ends.start() if ends else len(text), max(behind, end))


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
    if not near:
        return None
    new: set[str] | None = None
    for first, last, end in _clauses(line.text):
        start, stop = line.start + first, line.start + end
        words = [word.stem for word in ours.told(number).words if line.start + last <= word.start and word.end <= stop]
        telling = [word for word in words if weigh(word) >= 0.3 and word not in dominant and word not in line.names]
        lines = [theirs.lines[at] for at in near]
        whom = [word for word in telling if word in _somebody()]
        telling = [word for word in telling if word not in whom]
        total = sum(weigh(word) for word in telling)
        if total:
            total += sum(weigh(word) for word in whom if not any(word_held(_plain(word), each, theirs) for each in lines))
        if (
            total >= _FROM
            and not denies(line.text[last:end])
            and not any(
                line.start + last <= item.start < stop and any(holds_item(each, item, dominant) for each in lines)
                for item in ours.told(number).items
            )
            and not any(
                _is_written(line.text[last:end], each.text) or any(word_held(_plain(word), each, theirs) for word in telling)
                for each in lines
            )
        ):
            if new is None:
                new = _new_words(near, number, ours, theirs, dominant)
            if not any(_may_answer(each, new, whom) for each in lines):
                return start, stop
    return None


def _new_words(near: Collection[int], number: int, ours: Side, theirs: Side, dominant: frozenset[str]) -> set[str]:
    """The words of some lines, as written, that the other side does not have, nor the line of this number a form of them."""
    return {
        theirs.memories[theirs.lines[at].memory].memory[word.start : word.end].casefold()
        for at in near
        for word in theirs.told(at).words
        if weigh(word.stem) >= 0.5
        and word.stem not in dominant
        and word.stem not in FILLING
        and not _has(ours, word.stem)
        and not told_in(word.stem, ours.lines[number].text, loosely=False)
    }


def _may_answer(line: Line, new: set[str], whom: Sequence[str]) -> bool:
    """Whether a line may tell such a clause in other words: by new words behind or before what joins it, or by several new things.

    Args:
        whom: the stems of the people and pets that the clause tells of.
    """
    text = line.text.casefold()
    things = [word for word in new if word in text and not _DONE.search(word) and part_of_speech(stem(word)) in ("", "n")]
    if len(things) > 1:
        return True
    if any(word in found[0] for found in _UNDER.finditer(text) for word in new):
        return True
    for piece in _PARTS.split(text):
        joins = _MAKES.search(piece) or _ANSWERS.search(piece)
        if joins is None:
            continue
        behind = piece[0 if _MAKES.match(joins[0]) else joins.end() :]
        if any(word in behind for word in new) or any(word[:4] in behind for word in whom):
            return True
    return False


_MAKES = re.compile(r"\b(?:caus\w+|mak\w+|made|mean\w*|le[ad]d?s?|keeps?|kept|why|reasons?|forc\w+)\b", re.IGNORECASE)
"""What joins a reason that stands before it: *his illness kept him at home*."""
_UNDER = re.compile(r"\b(?:in|on|at|under|upon|amid|following|given)(?: [\w'’-]+){1,3}", re.IGNORECASE)
"""A short part that may tell the same: *in the user's absence*."""
_DONE = re.compile(r"(?:ed|ing)\Z")
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
