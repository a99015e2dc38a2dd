"""What a verification found, as frozen values with a JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Lost:
    """A fact of a source that the rewrite does not hold.

    Attributes:
        memory_id: the source memory; None where it has no id.
        index: its position among the sources.
        fact: the words of the source that hold the fact.
        kind: number, quantity, money, percent, date, time, weekday, relative, ordinal, name, email, url, phone, handle, id, version,
            quote, polarity, opposite, certainty, detail, swap, statement (plain words) or words (a sentence whose words weigh too little
            to be looked for one by one).
        detail: one line for people.
        start: offset of ``fact`` in the source's text.
        end: offset behind it.
        also: ids of further memories that state the same fact in the same words.
    """

    memory_id: str | None
    index: int
    fact: str
    kind: str
    detail: str
    start: int
    end: int
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Invented:
    """Something the rewrite says without a source.

    Attributes:
        memory_id: the rewritten memory; None where it has no id.
        index: its position among the rewritten.
        sentence: the sentence that holds it.
        fact: the words that have no source.
        kind: as for ``Lost``.
        detail: one line for people.
        start: offset of the sentence in the rewritten text: ``text[:start] + text[end:]`` cuts it out.
        end: offset behind the sentence.
        nearest_id: the source memory that it contradicts or comes nearest to; None where none comes near or it has no id.
        nearest: the sentence of that memory; "" where none comes near.
    """

    memory_id: str | None
    index: int
    sentence: str
    fact: str
    kind: str
    detail: str
    start: int
    end: int
    nearest_id: str | None = None
    nearest: str = ""

    def told(self) -> dict[str, str | None]:
        """It for a document; of a text without an end, which is no memory's own, the beginning."""
        return {
            "sentence": _beginning(self.sentence),
            "fact": _beginning(self.fact),
            "kind": self.kind,
            "detail": self.detail,
            "nearest_id": self.nearest_id,
            "nearest": _beginning(self.nearest),
        }


_LONGEST = 1000


def _beginning(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


@dataclass(frozen=True, slots=True)
class Outdated:
    """A fact of a source that is gone because a newer source replaces it, and the newer one is kept.

    Attributes:
        memory_id: the older memory.
        index: its position among the sources.
        fact: the words that are gone.
        newer_id: the memory that replaces them.
        reason: one sentence for people.
    """

    memory_id: str | None
    index: int
    fact: str
    newer_id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """A fact found near the threshold: for a judge, or for a person.

    Attributes:
        side: ``lost`` (a source fact that may be gone) or ``invented``.
        memory_id: the memory that states it.
        index: its position on its side.
        fact: its words.
        score: the share of its words found on the other side, 0 to 1.
        verdict: what the verifier decided: True means reported as lost or invented.
        nearest: the sentence of the other side that comes nearest; "" where none does.
    """

    side: str
    memory_id: str | None
    index: int
    fact: str
    score: float
    verdict: bool
    nearest: str


@dataclass(frozen=True, slots=True)
class Excused:
    """A plain statement whose words are not on the other side, and whose meaning is.

    Attributes:
        side: ``lost`` (it would be a lost fact of a source) or ``invented``.
        memory_id: the memory that states it.
        index: its position on its side.
        fact: its words.
        nearest: the words of the other side that say the same.
        score: how close they are, a cosine.
    """

    side: str
    memory_id: str | None
    index: int
    fact: str
    nearest: str
    score: float


def how_many_lost(facts: int, retention: float, listed: int) -> int:
    """How many facts a report's share leaves lost: a fact that several memories tell, or that lacks several words, is listed for each."""
    return min(listed, max(1, round(facts * (1 - retention)))) if listed else 0


@dataclass(frozen=True, slots=True)
class Report:
    """The result of ``verify``.

    Attributes:
        lost: source facts that are gone.
        invented: statements of the rewrite without a source.
        superseded: source facts that are gone but were replaced by newer ones; not lost.
        doubtful: facts near the threshold.
        facts: source facts counted, each once however often it was said.
        retention: share of them that is still there or superseded, 0 to 1; 1 where there was no fact.
        by_meaning: statements that are neither lost nor invented because their meaning was found; empty where it was not looked for.
    """

    lost: tuple[Lost, ...] = ()
    invented: tuple[Invented, ...] = ()
    superseded: tuple[Outdated, ...] = ()
    doubtful: tuple[Doubt, ...] = ()
    facts: int = 0
    retention: float = 1.0
    by_meaning: tuple[Excused, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing was lost and nothing invented."""
        return not self.lost and not self.invented

    @property
    def facts_lost(self) -> int:
        """How many of the ``facts`` are gone; ``lost`` may list one of them for several memories."""
        return how_many_lost(self.facts, self.retention, len(self.lost))

    @property
    def lost_ids(self) -> tuple[str, ...]:
        """Ids of the source memories with a lost fact, each once, in order. Keeping these beside the rewrite loses nothing."""
        return tuple(dict.fromkeys(item.memory_id for item in self.lost if item.memory_id is not None))

    @property
    def lost_indexes(self) -> tuple[int, ...]:
        """Positions of the source memories with a lost fact, for sources without ids."""
        return tuple(dict.fromkeys(item.index for item in self.lost))

    def invented_spans(self, index: int) -> tuple[tuple[int, int], ...]:
        """(start, end) of the invented sentences of one rewritten memory, each once, in order: what to cut out."""
        return tuple(sorted({(item.start, item.end) for item in self.invented if item.index == index}))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; the inverse is ``from_dict``. Of what a rewrite made up in a sentence without an end only the beginning is told."""
        return {
            "lost": [_plain(item) for item in self.lost],
            "invented": [_plain(item) for item in self.invented],
            "superseded": [_plain(item) for item in self.superseded],
            "doubtful": [_plain(item) for item in self.doubtful],
            "facts": self.facts,
            "retention": self.retention,
            "by_meaning": [_plain(item) for item in self.by_meaning],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """Raises KeyError or TypeError for what is no report."""
        return cls(
            lost=tuple(Lost(**{**item, "also": tuple(item["also"])}) for item in data["lost"]),
            invented=tuple(Invented(**item) for item in data["invented"]),
            superseded=tuple(Outdated(**item) for item in data["superseded"]),
            doubtful=tuple(Doubt(**item) for item in data["doubtful"]),
            facts=int(data["facts"]),
            retention=float(data["retention"]),
            by_meaning=tuple(Excused(**item) for item in data.get("by_meaning", ())),
        )


def _plain(item: Lost | Invented | Outdated | Doubt | Excused) -> dict[str, Any]:
    out = asdict(item)
    if isinstance(item, Invented):
        out |= item.told()
    if "also" in out:
        out["also"] = list(out["also"])
    return out
