"""Protection: memories that every strategy may read and none may change or drop. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from memopt.errors import UsageError
from memopt.memory import UserMemory

KINDS = ("topic", "id", "agent", "team", "match", "feedback")
_START = re.compile(rf"\s*(?:({'|'.join(KINDS)}):|(feedback)\s*(?=,|$))")


@lru_cache(64)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


@dataclass(frozen=True, slots=True)
class Protection:
    """Rules, any of which protects a memory.

    Attributes:
        rules: pairs of kind and value: ``topic``, ``id``, ``agent``, ``team`` (equal to the value), ``match`` (a regular
            expression found anywhere in the text), ``feedback`` (the memory has feedback; no value).
    """

    rules: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rules)

    def reason(self, memory: UserMemory) -> str | None:
        """The first rule that protects the memory, as it was written, or None."""
        for kind, value in self.rules:
            if kind == "feedback":
                if (memory.feedback or "").strip():
                    return kind
                continue
            if kind == "match":
                hit = _pattern(value).search(memory.memory) is not None
            elif kind == "topic":
                hit = value in (memory.topics or ())
            else:
                hit = value == {"id": memory.memory_id, "agent": memory.agent_id, "team": memory.team_id}[kind]
            if hit:
                return f"{kind}:{value}"
        return None

    def idle(self, memories: Iterable[UserMemory]) -> list[str]:
        """A sentence for each rule that fits none of the memories, with values that come near: a mistyped one protects nothing.

        ``feedback`` names nothing that could be mistyped and is left out.
        """
        from difflib import get_close_matches

        listed = list(memories)
        out = []
        for kind, value in dict.fromkeys(self.rules):
            if kind == "feedback" or any(Protection(((kind, value),)).reason(item) for item in listed):
                continue
            there = {
                "topic": (topic for item in listed for topic in item.topics or ()),
                "id": (item.memory_id for item in listed),
                "agent": (item.agent_id for item in listed),
                "team": (item.team_id for item in listed),
                "match": (),
            }[kind]
            folded = {each.casefold(): each for each in sorted({each for each in there if each})}
            near = [folded[each] for each in get_close_matches(value.casefold(), folded, 2, 0.6)] if len(value) < 200 else []
            meant = f"; did you mean {' or '.join(near)}?" if near else ""
            out.append(f"nothing is protected by {kind}:{value}: no memory of the user fits it{meant}")
        return out

    @classmethod
    def read(cls, texts: Iterable[str], where: str = "--protect") -> Protection:
        """Read ``topic:medical,id:m1,match:REGEX,agent:a,team:t,feedback``. A comma ends a value only before another rule.

        Args:
            where: what a message names as the place of a bad rule.

        Raises:
            UsageError: an unknown kind, a rule without a value, or a regular expression that is none.
        """
        rules: list[tuple[str, str]] = []
        for text in texts:
            for part in _split(text):
                match = _START.match(part)
                if match is None:
                    raise UsageError(
                        f"{where} takes rules such as topic:medical,id:m1,match:REGEX,agent:a,team:t,feedback, "
                        f"not {part.strip()!r}"
                    )
                kind = match[1] or match[2]
                value = part[match.end() :].strip()
                if kind == "feedback" and value:
                    raise UsageError(f"{where}: feedback protects every memory with feedback and takes no value, not {value!r}")
                if kind != "feedback" and not value:
                    raise UsageError(f"{where} {kind}: has no value")
                if kind == "match":
                    try:
                        _pattern(value)
                    except re.error as error:
                        raise UsageError(f"{where} match:{value} is no regular expression: {error}") from None
                rules.append((kind, "" if kind == "feedback" else value))
        return cls(tuple(rules))


def _split(text: str) -> list[str]:
    parts: list[str] = []
    for piece in text.split(","):
        if parts and _START.match(piece) is None:
            parts[-1] += "," + piece
        else:
            parts.append(piece)
    return parts
