"""How a memory's place among the answers is made up: the weights, as one frozen value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from memopt.errors import UsageError

SIGNALS = ("semantic", "lexical", "entity")
"""What is fused, each scaled to 0..1 over the memories first."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The weights of a search.

    ``score = (1 - recency) * fused + recency * 0.5 ** (age / half_life)``; ``fused`` is the weighted mean of the three signals,
    each scaled to 0..1 over the user's memories (min-max). A signal that cannot tell anything (no embedder, no entity in the
    query) leaves its weight to the others.

    Attributes:
        semantic: weight of the closeness in meaning (cosine of embeddings).
        lexical: weight of BM25.
        entity: weight of the names, dates, numbers and topics in common.
        recency: share of the recency in the score, 0 to 1.
        half_life_days: after so many days a memory's recency has halved.
        k1: BM25: how soon a repeated word stops to count.
        b: BM25: how much a long text is held against it, 0 to 1.

    Raises:
        UsageError: a weight is not a finite number from 0 on, all three are 0, or a value is out of its range.
    """

    semantic: float = 0.50
    lexical: float = 0.20
    entity: float = 0.30
    recency: float = 0.25
    half_life_days: float = 30.0
    k1: float = 1.5
    b: float = 0.75

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            name = item.name.replace("_", "-")
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1e6:
                raise UsageError(f"{name} takes a number from 0 on, not {value!r}")
            if item.name in ("recency", "b") and value > 1:
                raise UsageError(f"{name} takes a number from 0 to 1, not {value!r}")
            object.__setattr__(self, item.name, float(value))
        if self.half_life_days <= 0:
            raise UsageError("half-life-days takes a number of days above 0; recency 0 leaves the age out")
        if not self.semantic + self.lexical + self.entity > 0:
            raise UsageError("semantic, lexical and entity are all 0: one of them must weigh something")

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Ranking:
        """From texts or numbers by name (``half-life-days`` or ``half_life_days``); what is not named stays the default.

        Raises:
            UsageError: an unknown name or a bad value; it lists the names.
        """
        known = {item.name for item in fields(cls)}
        found: dict[str, Any] = {}
        for key, value in values.items():
            name = key.strip().replace("-", "_")
            if name not in known:
                listed = ", ".join(item.name.replace("_", "-") for item in fields(cls))
                raise UsageError(f"a search has no option {key!r}; there are: {listed}")
            if name in found:
                raise UsageError(f"option {name.replace('_', '-')!r} is given twice")
            found[name] = _number(key, value)
        return cls(**found)

    def to_dict(self) -> dict[str, float]:
        """By name, JSON-ready."""
        return asdict(self)


def _number(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        if "_" in value:
            raise ValueError
        return float(value)
    except ValueError:
        raise UsageError(f"{name} takes a number, not {value!r}") from None
