"""The statements of a text clause by clause, with the piece that would have to go if a statement were outdated.

``read_statements`` reads whole sentences. A sentence of several clauses ("lives in Berlin and works as a nurse") is read here one clause
after the other, each with the subject it shares, and every statement carries where its own clause stands, so that
``memopt.facts.cutting`` can take that clause out and leave the others.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from memopt.facts.cutting import Part, parts
from memopt.facts.statements import Statement, borne, read_statements

_JOINED = re.compile(r"[,;，；、。]|[.!?]\s|\b(?:and|but|or|plus)\b|[和与及]|\n")
_EDGE = " \t\r\n.。!！?？,，;；"
_LONGEST = 4000


def may_hold_several(text: str) -> bool:
    """Whether the text may tell more than one thing."""
    return _JOINED.search(text.rstrip(_EDGE)) is not None


@lru_cache(maxsize=16384)
def read_clauses(text: str) -> tuple[Statement, ...]:
    """Every statement of a known shape, each with the span of the smallest clause that holds it.

    Where a whole sentence is one statement, it is read as one ("The director of Jake and Co is Tom"). A clause is read on its own only
    where the sentence is none, or says more than one thing.
    """
    whole = read_statements(text)
    if len(text) > _LONGEST or not may_hold_several(text):
        return whole
    out: list[Statement] = []
    done: list[tuple[int, int]] = []
    sound: dict[tuple[int, int], list[Statement]] = {}
    for item in whole:
        sound.setdefault((item.start, item.end), []).append(item)
    pieces = parts(text)
    for (start, end), items in sound.items():
        if all(item.complete for item in items):
            out += items
            done.append((start, end))
    for piece in pieces:
        if piece.level != 1 or any(start < piece.end and piece.start < end for start, end in done):
            continue
        out += _alone(text, piece)
    read = {item.start for item in out}
    for (start, end), items in sound.items():
        if not all(item.complete for item in items) and not any(start <= at < end for at in read):
            out += items
    out.sort(key=lambda item: item.start)
    return tuple(out)


def _alone(text: str, piece: Part) -> list[Statement]:
    body = text[piece.start : piece.end]
    lead = text[piece.lead[0] : piece.lead[1]]
    if lead and (
        re.search(r"[,，(（:：]", lead) or re.match(r"(?:he|she|they|it|we|who|which|that)\b|[他她它]", body, re.IGNORECASE)
    ):
        return []  # "User, a nurse," is no subject that can be repeated
    spaced = " " if lead and not re.search(r"[\u4e00-\u9fff]$", lead) else ""
    if not lead and piece.start and not re.match(r"[A-Z\u4e00-\u9fff]|(?:the )?user\b", body):
        return []
    found = borne(read_statements(f"{lead}{spaced}{body}"), body, *_around(text, piece))
    return [replace(item, clause=body, start=piece.start, end=piece.end) for item in found]


_STOPS = re.compile(r"[;；。！？!?\n]|\.(?=\s|$)")


def _around(text: str, piece: Part) -> tuple[str, str]:
    """What stands in a piece's sentence before and after it."""
    begin = max((found.end() for found in _STOPS.finditer(text, 0, piece.start)), default=0)
    stop = _STOPS.search(text, piece.end)
    return text[begin : piece.start].lstrip(), text[piece.end : stop.start() if stop else len(text)]


def part_of(text: str, start: int, end: int) -> Part | None:
    """The piece of the text that consists of just this clause; None where none does."""
    clause = text[start:end].strip(_EDGE)
    for piece in parts(text):
        if piece.start < end and start < piece.end and piece.level < 2 and text[piece.start : piece.end].strip(_EDGE) == clause:
            return piece
    return None


def item_of(text: str, start: int, end: int, folded: str) -> Part | None:
    """The item of a list inside a clause that is this value; None where there is none, or several."""
    from memopt.facts.statements import fold

    found = [
        p for p in parts(text) if p.level == 2 and start <= p.start and p.end <= end and fold(text[p.start : p.end]) == folded
    ]
    return found[0] if len(found) == 1 else None
