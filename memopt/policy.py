"""Policies: what is to be done with whose memories, under a name, in memopt.toml. Pure.

    [policies.nightly]
    users = ["*"]                                     # patterns with *, ? and [ab], any of which must fit
    when = "tokens > 2000 or memories > 50"           # else there is nothing to do
    strategies = ["dedupe", "recent"]
    protect = ["topic:medical"]
    max-drop = "50%"
    questions = "q.jsonl"                             # a plan that loses more answers than min-recall allows is refused
    min-recall = 0.95

    [policies.nightly.options]
    recent.keep = 100

``when`` compares ``memories``, ``tokens`` (of the prompt lines), ``text_tokens`` and ``duplicates`` with numbers, joined by
``and``, ``or``, ``not`` and parentheses.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memopt.errors import UsageError

CONDITION_NAMES = ("memories", "tokens", "text_tokens", "duplicates")

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one user's figures, such as ``tokens > 2000 or memories > 50``."""

    text: str

    @classmethod
    def read(cls, text: str, where: str) -> Condition:
        """Check the text. Raises UsageError naming ``where`` for anything but comparisons of known names with numbers."""
        condition = cls(text)
        try:
            condition.holds(dict.fromkeys(CONDITION_NAMES, 0))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            raise UsageError(
                f"{where} takes comparisons of {', '.join(CONDITION_NAMES)} with numbers, joined by and, or, not, such as "
                f"'tokens > 2000 or memories > 50', not {text!r}"
            ) from None
        return condition

    def holds(self, figures: Mapping[str, float]) -> bool:
        """Whether it is met by these figures (every name of CONDITION_NAMES)."""
        return _truth(ast.parse(self.text.strip(), mode="eval").body, figures)


def _truth(node: ast.expr, figures: Mapping[str, float]) -> bool:
    if isinstance(node, ast.BoolOp):
        # every part is read, also those that do not decide, so that a mistake in one is found at once
        parts = [_truth(part, figures) for part in node.values]
        return all(parts) if isinstance(node.op, ast.And) else any(parts)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _truth(node.operand, figures)
    if isinstance(node, ast.Compare):
        values = [_number(item, figures) for item in (node.left, *node.comparators)]
        pairs = zip(values, node.ops, values[1:], strict=False)
        return all(_comparison(op)(left, right) for left, op, right in pairs)
    raise ValueError("no comparison")


def _comparison(op: ast.cmpop) -> Callable[[Any, Any], bool]:
    if type(op) not in _COMPARE:
        raise ValueError("no comparison")
    return _COMPARE[type(op)]


def _number(node: ast.expr, figures: Mapping[str, float]) -> float:
    if isinstance(node, ast.Name) and node.id in figures:
        return figures[node.id]
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return node.value
    raise ValueError("no number")


def fits(user_id: str, patterns: Iterable[str]) -> bool:
    """Whether any of the patterns fits, as a shell reads them: ``*``, ``?``, ``[ab]``, ``[!ab]``; ``[[]`` is a bracket."""
    from fnmatch import fnmatchcase

    return any(fnmatchcase(user_id, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Policy:
    """One named policy; each field is empty or None where the file says nothing.

    Attributes:
        users: patterns, any of which must fit the user; none: every user.
        options: as ``-o`` takes them, ``key`` or ``step.key``.
        questions: the file of labelled questions that plans are held to.
        min_recall: the share of answers that has to be kept, as ``read_share`` takes it.
    """

    name: str
    strategies: tuple[str, ...]
    users: tuple[str, ...] = ()
    when: Condition | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    protect: tuple[str, ...] = ()
    model: str | None = None
    base_url: str | None = None
    judge: str | None = None
    on_loss: str | None = None
    max_drop: str | None = None
    max_rewrites: int | None = None
    only: str | None = None
    questions: str | None = None
    min_recall: str | None = None

    def fits(self, user_id: str | None) -> bool:
        """Whether the policy is for this user."""
        return not self.users or (user_id is not None and fits(user_id, self.users))


_TEXTS = ("model", "base-url", "judge", "on-loss", "max-drop", "only", "questions")
_LISTS = ("strategies", "users", "protect")
KEYS = tuple(sorted((*_TEXTS, *_LISTS, "when", "options", "max-rewrites", "min-recall")))


def read_policies(data: Any, place: Callable[[str, str], str]) -> dict[str, Policy]:
    """The policies of a parsed ``policies`` table.

    Args:
        place: gives ``memopt.toml, line N`` for a key of a policy.

    Raises:
        UsageError: an unknown key or a bad value, with its place and the valid keys.
    """
    if not isinstance(data, dict):
        raise UsageError(f"{place('', 'policies')}: policies is a table of tables, such as [policies.nightly]")
    return {name: _read_policy(name, body, place) for name, body in data.items()}


def _read_policy(name: str, body: Any, place: Callable[[str, str], str]) -> Policy:
    if not isinstance(body, dict):
        raise UsageError(f"{place(name, name)}: a policy is a table: [policies.{name}]")
    values: dict[str, Any] = {}
    for given, value in body.items():
        key = given.replace("_", "-")
        where = place(name, given)
        if key not in KEYS:
            raise UsageError(f"{where}: unknown key {given!r}; the keys of a policy are: {', '.join(KEYS)}")
        if key in _LISTS:
            listed = [value] if isinstance(value, str) else value
            if not isinstance(listed, list) or not all(isinstance(item, str) and item.strip() for item in listed):
                raise UsageError(f"{where}: {key} takes a text or a list of texts, not {value!r}")
            values[key] = tuple(listed)
        elif key == "options":
            values[key] = _flat(value, where)
        elif key == "max-rewrites":
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise UsageError(f"{where}: {key} takes a whole number above 0, not {value!r}")
            values[key] = value
        elif key == "min-recall":
            values[key] = str(value)
            read_share(values[key], f"{where}: {key}")
        elif key == "max-drop" and isinstance(value, int) and not isinstance(value, bool):
            values[key] = str(value)
        elif not isinstance(value, str) or not value.strip():
            raise UsageError(f"{where}: {key} takes a text that is not empty, not {value!r}")
        elif key == "only" and value != "safe":
            raise UsageError(f"{where}: only takes safe, not {value!r}")
        else:
            values[key] = Condition.read(value, f"{where}: when") if key == "when" else value
    if not values.get("strategies"):
        raise UsageError(f'{place(name, name)}: the policy {name!r} names no strategy: strategies = ["dedupe"]')
    return Policy(name=name, **{key.replace("-", "_"): value for key, value in values.items()})


def read_share(text: str, where: str) -> float:
    """Read ``0.95`` or ``95%``. Raises UsageError naming ``where`` for anything but a share from 0 to 1."""
    match = re.fullmatch(r"\s*(\d{1,3}(?:\.\d{1,9})?|\.\d{1,9})\s*(%?)\s*", text)
    share = float(match[1]) / (100 if match[2] else 1) if match and text.isascii() else math.nan
    if not 0 <= share <= 1:
        raise UsageError(f"{where} takes a share from 0 to 1, such as 0.95 or 95%, not {text!r}")
    return share


def _flat(value: Any, where: str) -> dict[str, Any]:
    """Options as ``key`` or ``step.key``, whether they are written as dotted keys or as tables."""
    if not isinstance(value, dict):
        raise UsageError(f"{where}: options is a table, such as options = {{ recent.keep = 100 }}")
    out: dict[str, Any] = {}
    for key, item in value.items():
        if isinstance(item, dict):
            for inner, deep in item.items():
                out[f"{key}.{inner}"] = _option(deep, where, f"{key}.{inner}")
        else:
            out[key] = _option(item, where, key)
    return out


def _option(value: Any, where: str, key: str) -> Any:
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ",".join(map(str, value))
    if not isinstance(value, str | int | float | bool):
        raise UsageError(f"{where}: option {key} takes a text, a number or true or false, not {value!r}")
    return value


def find_place(text: str, file: str, policy: str, key: str) -> str:
    """``FILE, line N`` of a key of a policy: the first line that begins with it behind the policy's own table header."""
    inside = not policy
    header = re.compile(rf"""\s*\[\s*policies\s*\.\s*["']?{re.escape(policy)}["']?\s*[\].]""") if policy else None
    begins = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*(?:=|\.)""")
    first: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if header is not None and header.match(line):
            inside = True
            first = first or number
            if key == policy or re.search(rf"\.\s*{re.escape(key)}\s*\]", line):
                return f"{file}, line {number}"
        elif header is not None and inside and re.match(r"\s*\[", line):
            inside = False
        elif inside and begins.match(line):
            return f"{file}, line {number}"
    return f"{file}, line {first}" if first else file
