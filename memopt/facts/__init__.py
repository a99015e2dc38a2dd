"""What a text says: one reading, shared by verification, the consolidator, supersede, forget and the near-duplicate guard.

``read(text)`` gives a ``Reading`` with sentences, clauses, content words and items; ``conflict(a, b)`` says why two look-alikes must
not be merged; ``loses(kept, dropped)`` says what would be gone if only one of them stayed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memopt.facts.guard import conflict, loses
    from memopt.facts.items import Item
    from memopt.facts.reading import Clause, Reading, Word, read

__all__ = ["Clause", "Item", "Reading", "Word", "conflict", "loses", "read"]

_HOMES = {
    "conflict": "memopt.facts.guard",
    "loses": "memopt.facts.guard",
    "Item": "memopt.facts.items",
    "Clause": "memopt.facts.reading",
    "Reading": "memopt.facts.reading",
    "Word": "memopt.facts.reading",
    "read": "memopt.facts.reading",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
