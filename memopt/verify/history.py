"""What a rewrite tells as over, where a newer memory of the same set says that it is: *formerly an accountant at Brightwell*.

The older memory says so flatly (*works as an accountant at Brightwell*), and a newer one what came after (*now works at Norvik*). A rewrite
that joins both says *formerly*, *used to*, 曾: a word that no memory has, and that turns what it stands with. Such a word is taken out before
the texts are compared, and nothing is said against it; what the report quotes are the rewrite's own words all the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from memopt.facts.polarity import turns
from memopt.facts.words import CJK
from memopt.memory import UserMemory
from memopt.verify.findings import Made
from memopt.verify.holding import is_required
from memopt.verify.lines import Line, Side, Unit
from memopt.verify.order import gave_way
from memopt.verify.search import VISIT, Search
from memopt.verify.updates import over_by_slot, replaces

if TYPE_CHECKING:
    from memopt.facts.statements import Superseded

_MARK = re.compile(
    r"\b(?:used to(?= \w)|(?:who |which |that )?no longer(?= \w)|formerly(?: known as)?|previously|former(?= \w)|previous(?= \w)|ex-(?=\w)|in the past"
    r"|back then|(?<=[\s(])once(?= (?:a|an|the|lived|worked|used|had|was|played|smoked|drove|owned|ate|taught|studied)\b)"
    r"|dropp?ed(?= \w)|ditched|abandoned|gave up(?: on)?|moved away from|stopped using|phased out)\b[ ,]*"
    rf"|曾经?(?=[{CJK}A-Z])|以前|之前|此前|原先|原来|原本|从前|早先|当年|原(?=[在住是为任用做吃养由])|(?<![两三四五六七八九])(?<!\d)不再|已?(?:弃用|停用|换掉)",
    re.IGNORECASE,
)
"""What says that something is over."""
_SWITCH = re.compile(
    r"\b(?:dropp?ed|ditched|abandoned|gave up|moved away|stopped using|phased out|no longer)|弃用|停用|换掉|不再", re.IGNORECASE
)
"""Such words that may also be told of something that nothing came after: they are taken out only where one thing was changed for another."""
_CHANGED = re.compile(
    r"\b(?:from|instead|switch\w*|replac\w*|migrat\w*|in favou?r|mov\w+|changed?)\b|[换改转切迁升]", re.IGNORECASE
)
_BOUND = re.compile(r"[,;.!?()—\n，；。！？（）、]|\b(?:and|but|then|who|which|now)\b", re.IGNORECASE)
_ENDED = re.compile(
    r"\b(?:paused|stopped|quit|gave up|given up|cancell?ed|ended|suspended|sold|switched|moved|until|no longer|retired|left|put on hold|dropped|not (?:any ?more|since))\b"
    r"|[戒停]|暂停|取消|不再|放弃|辞|搬|换|改[为成用到]|为止|卖",
    re.IGNORECASE,
)
_PAST = re.compile(r"\b(?:used to|no longer|formerly|previously|former|ex-)\b|以前|曾|不再|原先|原来|之前|从前", re.IGNORECASE)
_LEAST = 0.5
"""A source that has this share of the words of a clause tells it."""


class History:
    """Rewritten memories without the words that tell as over what a newer source says is."""

    def __init__(self, rewritten: Sequence[UserMemory], ours: Side, back: Search, replaced: Iterable[Superseded]) -> None:
        """``replaced``: what of the sources newer sources replace, by the shape of their sentences."""
        self.given = rewritten
        self._ours, self._back = ours, back
        self._gone: dict[int, list[tuple[int, int]]] = {}
        self._old = {entry.old_index for entry in replaced}
        self.texts: Sequence[UserMemory] = [self._plain(at, memory) for at, memory in enumerate(rewritten)]

    def _plain(self, number: int, memory: UserMemory) -> UserMemory:
        text = memory.memory
        out, last = "", 0
        for found in _MARK.finditer(text):
            if self._is_known(text, found.start(), found.end()):
                out += text[last : found.start()]
                last = found.end()
                self._gone.setdefault(number, []).append((found.start(), found.end()))
        return replace(memory, memory=out + text[last:]) if last else memory

    def _is_known(self, text: str, start: int, end: int) -> bool:
        """Whether a newer source says that what a word is told of is over."""
        before = max((found.end() for found in _BOUND.finditer(text, max(0, start - _FAR), start)), default=max(0, start - _FAR))
        behind = _BOUND.search(text, end, end + _FAR)
        stop = behind.start() if behind is not None else min(len(text), end + _FAR)
        clause = f"{text[before:start]}{text[end:stop]}".strip()
        switch = _SWITCH.match(text, start, end) is not None
        whole = text[max((text.rfind(mark, 0, start) for mark in ".。\n"), default=0) + 1 : stop + _FAR]
        told = list(self._told(clause))
        mark = "" if switch else text[start:end].strip(" ,").casefold()
        if any(_PAST.search(line.text) or (mark and mark in line.text.casefold()) for line, _ in told):
            return False  # a source says so itself
        return any(self._is_over(line, unit, clause if switch else "", whole) for line, unit in told)

    def _told(self, clause: str) -> Iterator[tuple[Line, Unit]]:
        """The sources that tell what a clause does."""
        side = Side([UserMemory(clause)]) if clause else None
        for line in side.lines if side is not None else ():
            for number in line.units:
                unit = side.units[number] if side is not None else None
                if unit is None:
                    continue
                items = [item for item in unit.items if is_required(item)]
                terms = [each for each in unit.terms if each.weight]
                for at in self._back.top(unit, line, side.units if side is not None else ())[:3]:
                    share, total = self._back.share(terms, [at])
                    held = sum(not item.keys.isdisjoint(self._ours.lines[at].keys) for item in items)
                    if (total and share >= _LEAST) or held:
                        of = self._ours.lines[at]
                        best = max(
                            of.units,
                            key=lambda one: sum(each.weight for each in self._ours.units[one].terms),
                            default=None,
                        )
                        if best is not None:
                            yield of, self._ours.units[best]

    def _is_over(self, line: Line, unit: Unit, clause: str, whole: str) -> bool:
        """``clause``: what was given up, or "" where that must be told by no more than a newer source."""
        memory = self._ours.memories[line.memory]
        if clause:
            found = [memory.memory, *(self._ours.lines[at].text for at in self._newer(line, unit))]
            return _CHANGED.search(whole) is not None and any(gave_way(clause, text) for text in found)
        if any(turn.sure for turn in turns(line.text)):
            return False  # a denial for a denial
        if line.memory in self._old or _ENDED.search(memory.memory):
            return True
        numbers = list(line.units)
        for at in self._newer(line, unit):
            if over_by_slot(line, self._ours.lines[at], self._back.dominant):
                return True
            if any(replaces(number, at, self._ours, self._back.dominant) for number in numbers):
                return True
        return False

    def _newer(self, line: Line, unit: Unit) -> list[int]:
        """The lines of newer sources that may say what became of one: those nearest to it, and in a small set all."""
        written = self._ours.memories[line.memory].last_changed
        if written is None:
            return []
        few = len(self._ours.lines) <= VISIT
        near = range(len(self._ours.lines)) if few else self._back.around(unit, line, self._ours.units)
        return [at for at in near if (self._ours.memories[self._ours.lines[at].memory].last_changed or 0) > written]

    @property
    def changed(self) -> bool:
        return bool(self._gone)

    def as_given(self, one: Made) -> Made:
        """A finding with the offsets and the sentence of the rewrite as it was given."""
        public = one.public
        if public.index not in self._gone:
            return one
        start, end = self._place(public.index, public.start), self._place(public.index, public.end)
        sentence = self.given[public.index].memory[start:end].strip()
        return Made(replace(public, start=start, end=end, sentence=sentence), one.unit)

    def _place(self, number: int, at: int) -> int:
        """Where in the given text a place of the plain one is."""
        starts, shift, sizes = [], 0, [0]
        for left, right in self._gone[number]:
            starts.append(left - shift)
            shift += right - left
            sizes.append(shift)
        count = bisect_right(starts, at - 1)
        return at + sizes[count]


_FAR = 120


@cache
def may_tell_history(text: str) -> bool:
    """Whether a text has a word that says that something is over."""
    return _MARK.search(text) is not None


__all__ = ["History", "may_tell_history"]
