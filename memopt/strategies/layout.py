"""The layout of a model's answer, as plain lines: what headings and tables say stays, their marks are no facts of a memory."""

from __future__ import annotations

import re

_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.+?)[\s#:：]*")
_LONGEST_HEADING = 60


def plain(text: str) -> str:
    """A text without Markdown's headings, tables and numbered lists.

    A heading becomes a line that ends in a colon; one that only another heading follows goes. A row of a table becomes an item
    ``first cell: the other cells``, its head and rule go. A list that is numbered from 1 on gets dashes.
    """
    return _unnumbered(_without_tables(_without_headings(text)))


def _without_headings(text: str) -> str:
    lines = text.split("\n")
    titles = {at: found[1].strip("*_ ") for at, line in enumerate(lines) if (found := _HEADING.fullmatch(line))}
    out: list[str] = []
    for at, line in enumerate(lines):
        title = titles.get(at)
        if title is None:
            out.append(line)
            continue
        following = next((place for place in range(at + 1, len(lines)) if lines[place].strip()), None)
        if following is None or following in titles:
            continue  # a title of titles, or of nothing
        out.append(title if len(title) > _LONGEST_HEADING or title[-1] in ".!?。！？" else f"{title}:")
    return "\n".join(out)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _without_tables(text: str) -> str:
    lines = text.split("\n")
    out: list[str] = []
    inside = False
    for at, line in enumerate(lines):
        rule = at > 0 and "|" in line and _RULE.fullmatch(line) is not None and "|" in lines[at - 1]
        if rule:
            inside = True
            if out:
                out.pop()  # the head of the table
        elif inside and "|" in line:
            cells = [cell for cell in _cells(line) if cell]
            if cells:
                out.append("- " + (": ".join((cells[0], ", ".join(cells[1:]))) if len(cells) > 1 else cells[0]))
        else:
            inside = False
            out.append(line)
    return "\n".join(out)


def _unnumbered(text: str) -> str:
    """A list whose items are numbered from 1 on, as one with dashes: the numbers are no facts."""
    lines = text.split("\n")
    marked = [(at, re.match(r"(\s*)(\d{1,3})[.)]\s+(?=\S)", line)) for at, line in enumerate(lines)]
    found = [(at, match) for at, match in marked if match]
    if len(found) < 2 or [int(match[2]) for _, match in found] != list(range(1, len(found) + 1)):
        return text
    for at, match in found:
        lines[at] = f"{match[1]}- {lines[at][match.end() :]}"
    return "\n".join(lines)
