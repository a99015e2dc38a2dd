"""memopt.toml, changed in place: the values of one table, and not a character beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memopt.errors import MemoptError, UsageError

_HEADER = re.compile(r"\s*\[(?!\[)\s*([^\[\]#]+?)\s*\]\s*(?:#.*)?$")
_ANY_HEADER = re.compile(r"\s*\[")


def with_table(text: str, table: str, values: Mapping[str, float]) -> str:
    """The text with these values in a table of plain numbers; everything else, comments and line ends too, stays as it is.

    Keys are kebab-case; one that the file writes with ``_`` keeps its spelling. A table that is not there is added at the end.

    Raises:
        UsageError: the text is not TOML.
        MemoptError: the table is written in a form that cannot be changed in place (an inline table, say).
    """
    before = _parsed(text)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    if isinstance(before.get(table), dict) and not _spans(lines, table) and not _dotted(lines, table):
        raise _stuck(table, values)
    for key, value in values.items():
        _put(lines, table, key, _number(value), end)
    out = "".join(lines)
    wanted = {**{key.replace("_", "-"): value for key, value in (before.get(table) or {}).items()}, **values}
    try:
        after = _parsed(out)
    except UsageError:
        raise _stuck(table, values) from None
    got = {key.replace("_", "-"): value for key, value in (after.get(table) or {}).items()}
    if got != wanted or {**before, table: None} != {**after, table: None}:
        raise _stuck(table, values)
    return out


def table_text(table: str, values: Mapping[str, float]) -> str:
    """The table as it would be written into an empty file."""
    return f"[{table}]\n" + "".join(f"{key} = {_number(value)}\n" for key, value in values.items())


def _stuck(table: str, values: Mapping[str, float]) -> MemoptError:
    return MemoptError(
        f"the table [{table}] is written in a way that cannot be changed in place; nothing was written. Put this there by hand:\n"
        + table_text(table, values).rstrip()
    )


def _parsed(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"memopt.toml is not TOML: {error}") from None


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) >= 1 else repr(float(value))


def _spans(lines: list[str], table: str) -> tuple[int, int] | None:
    """From the line behind the table's header to the next header, or the end."""
    for at, line in enumerate(lines):
        header = _HEADER.match(line.removeprefix("\ufeff").rstrip("\r\n"))
        if header and header[1].strip("\"'") == table:
            for end in range(at + 1, len(lines)):
                if _ANY_HEADER.match(lines[end]):
                    return at + 1, end
            return at + 1, len(lines)
    return None


def _top(lines: list[str]) -> int:
    """How many lines stand before the first header."""
    return next((at for at, line in enumerate(lines) if _ANY_HEADER.match(line)), len(lines))


def _dotted(lines: list[str], table: str) -> list[int]:
    """Lines such as ``search.recency = 0.1`` before the first header."""
    begins = re.compile(rf"""\ufeff?\s*["']?{re.escape(table)}["']?\s*\.""")
    return [at for at in range(_top(lines)) if begins.match(lines[at])]


def _put(lines: list[str], table: str, key: str, value: str, end: str) -> None:
    spelled = "[-_]".join(map(re.escape, key.split("-")))
    span = _spans(lines, table)
    dotted = [] if span else _dotted(lines, table)
    front = rf"""["']?{re.escape(table)}["']?\s*\.\s*""" if dotted else ""
    line_of = re.compile(rf"""(\ufeff?\s*{front}(["']?){spelled}\2\s*=\s*)[^\s#]+""")
    for at in dotted or range(*(span or (0, 0))):
        if found := line_of.match(lines[at]):
            lines[at] = found[1] + value + lines[at][found.end() :]
            return
    if span is None and not dotted:
        if lines and not lines[-1].endswith(("\n", "\r")):
            lines[-1] += end
        if lines and lines[-1].strip():
            lines.append(end)
        lines += [f"[{table}]{end}", f"{key} = {value}{end}"]
        return
    last = dotted[-1] + 1 if dotted else _last_told(lines, *(span or (0, 0)))
    if lines[last - 1] and not lines[last - 1].endswith(("\n", "\r")):
        lines[last - 1] += end
    lines.insert(last, f"{table}.{key} = {value}{end}" if dotted else f"{key} = {value}{end}")


def _last_told(lines: list[str], start: int, end: int) -> int:
    """Behind the last key of the table: what follows it belongs to what comes next."""
    for at in range(end, start, -1):
        line = lines[at - 1].strip()
        if line and not line.startswith("#"):
            return at
    return start
