"""What is done with a rewrite that was checked: what it invented is cut out, what it lost stays beside it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memopt.memory import UserMemory
from memopt.verify.report import Invented, Report

_ROUNDS = 6


@dataclass(frozen=True, slots=True)
class Settled:
    """A rewrite without what it invented.

    Attributes:
        text: the text that is left.
        report: what ``text`` still lacks of the sources.
        removed: what was cut out.
        refusal: why nothing sound is left, or None; then ``text`` is not to be used.
    """

    text: str
    report: Report
    removed: tuple[Invented, ...] = ()
    refusal: str | None = None


def cut(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text without the spans (start, end), and without the blanks and lone marks that they would leave behind."""
    for start, end in sorted(spans, reverse=True):
        text = text[:start].rstrip(" \t") + (" " if start and text[end : end + 1].strip() else "") + text[end:].lstrip(" \t")
    text = re.sub(r"(?m)^[ \t]*[-*•][ \t]*$\n?", "", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def settle(sources: Sequence[UserMemory], text: str, allowed: frozenset[str] = frozenset()) -> Settled:
    """Check a rewrite of the sources and cut out every sentence that says something no source says.

    Args:
        allowed: sentences that a judge found to be said by the sources.
    """
    from memopt.verify import verify

    removed: list[Invented] = []
    for _ in range(_ROUNDS):
        report = verify(sources, [UserMemory(text, memory_id="rewrite")])
        invented = [item for item in report.invented if item.sentence not in allowed]
        if not invented:
            return Settled(text, report, tuple(removed))
        removed += invented
        text = cut(text, {(item.start, item.end) for item in invented})
        if UserMemory(text).is_blank:
            break
    first = removed[0]
    return Settled("", report, tuple(removed), f"it says what no memory says: {first.detail}")


def kept_beside(sources: Sequence[UserMemory], text: str, report: Report) -> list[UserMemory]:
    """The sources that must stay beside a rewrite so that nothing is lost.

    The result is checked as a whole; in the end every source stays.
    """
    from memopt.verify import verify

    keep = set(report.lost_indexes)
    rewrite = UserMemory(text, memory_id="rewrite")
    for _ in range(_ROUNDS):
        kept = [item for place, item in enumerate(sources) if place in keep]
        if not kept:
            return kept
        more = set(verify(sources, [rewrite, *kept]).lost_indexes) - keep
        if not more:
            return kept
        keep |= more
    return list(sources)
