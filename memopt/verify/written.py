"""Memories in traditional Chinese characters: they are compared in simplified ones, and told in the report as they are written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memopt.facts.simplified import simplified
from memopt.memory import UserMemory
from memopt.verify.report import Invented, Lost, Report


def as_compared(memories: Sequence[UserMemory]) -> Sequence[UserMemory]:
    """The memories as they are compared; the same object where nothing is written otherwise."""
    texts = [simplified(item.memory) for item in memories]
    if all(text == item.memory for text, item in zip(texts, memories, strict=True)):
        return memories
    return [item if text == item.memory else replace(item, memory=text) for text, item in zip(texts, memories, strict=True)]


def lost_as_written(lost: Sequence[Lost], sources: Sequence[UserMemory], rewritten: Sequence[UserMemory]) -> tuple[Lost, ...]:
    """What was lost, in the words of the memories as they are written."""
    return _Written(sources, rewritten).lost(lost)


def as_written(report: Report, sources: Sequence[UserMemory], rewritten: Sequence[UserMemory]) -> Report:
    """A report on what was compared, in the words of the memories as they are written."""
    written = _Written(sources, rewritten)
    return replace(
        report,
        lost=written.lost(report.lost),
        invented=tuple(written.invented(item) for item in report.invented),
        superseded=tuple(
            replace(item, fact=written.text(item.fact), reason=written.text(item.reason)) for item in report.superseded
        ),
        doubtful=tuple(
            replace(item, fact=written.text(item.fact), nearest=written.text(item.nearest)) for item in report.doubtful
        ),
        by_meaning=tuple(
            replace(item, fact=written.text(item.fact), nearest=written.text(item.nearest)) for item in report.by_meaning
        ),
    )


_RUN = re.compile("[\u4e00-\u9fff]+")


class _Written:
    """Both sides as they are written and as they were compared."""

    def __init__(self, sources: Sequence[UserMemory], rewritten: Sequence[UserMemory]) -> None:
        self._sources = sources
        self._rewritten = rewritten
        self._as_written = "\n".join(item.memory for item in (*sources, *rewritten))
        self._compared = "\n".join(simplified(item.memory) for item in (*sources, *rewritten))

    def text(self, text: str) -> str:
        """A text of the report: what it quotes of a memory stands there as it is written."""
        return _RUN.sub(self._run, text)

    def _run(self, found: re.Match[str]) -> str:
        at = self._compared.find(found[0])
        return found[0] if at < 0 else self._as_written[at : at + len(found[0])]

    def lost(self, lost: Sequence[Lost]) -> tuple[Lost, ...]:
        return tuple(
            replace(
                item,
                fact=self._sources[item.index].memory[item.start : item.end].strip(" ,;，；、"),
                detail=self.text(item.detail),
            )
            for item in lost
        )

    def invented(self, item: Invented) -> Invented:
        return replace(
            item,
            sentence=self._rewritten[item.index].memory[item.start : item.end],
            fact=self.text(item.fact),
            detail=self.text(item.detail),
            nearest=self.text(item.nearest),
        )
