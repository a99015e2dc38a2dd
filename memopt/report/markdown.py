"""A report as Markdown (tables as in GitHub Flavored Markdown), for a mail or a ticket. It can be read as it is, too.

Ids and messages stand in code spans, so that nothing in them becomes a link, a mention or markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memopt.fleet import Outcome
from memopt.report.model import NONE, Report, difference, growth_of, reason_text, saved_of, signed, status_text
from memopt.wording import count, number, user_name, visible

_BAR = 32


def markdown(report: Report) -> str:
    """The whole document."""
    return "\n".join(_lines(report)) + "\n"


def code(text: str) -> str:
    """A code span that also holds backticks, and stands in a table."""
    shown = visible(text) or " "
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith(("`", " ")) or shown.endswith(("`", " ")) else ""
    return f"{fence}{pad}{shown}{pad}{fence}".replace("|", "\\|")


def _user(user_id: str | None) -> str:
    return code(user_id) if user_id is not None and user_id.strip() else user_name(user_id)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"| {' | '.join('---:' if place in right else '---' for place in range(len(header)))} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def _lines(report: Report) -> Iterator[str]:
    summary = report.summary
    title = report.title
    if summary.users == 1 and report.rows:
        title = title.removesuffix(user_name(report.rows[0].user_id)) + _user(report.rows[0].user_id)
    yield f"# memopt: {title}"
    yield ""
    mood, verdict = report.verdict
    yield f"**{'OK' if mood == 'good' else 'Look at this'}:** {_plain(verdict)}."
    yield ""
    before, after = summary.before, summary.after
    rows = [
        ["tokens", number(before.prompt), number(after.prompt), difference(before.prompt, after.prompt)],
        ["memories", number(before.memories), number(after.memories), difference(before.memories, after.memories)],
    ]
    yield from _table(("", "before", "after", "change"), rows, (1, 2, 3))
    for users, word in report.states:
        yield f"- {count(users, 'user')}: {word}"
    if report.cost_text:
        yield f"- {report.cost_text}"
    for remark in report.remarks:
        yield f"- {remark}"
    yield ""
    yield from _growth(report)
    yield from _failures(report)
    yield from _users(report)
    yield "## What was run"
    yield ""
    for name, text in report.facts_of_run:
        yield f"- {name}: {code(text)}"
    yield ""
    yield "No text of a memory is in this report."


def _plain(text: str) -> str:
    """A sentence of memopt's with foreign pieces in it, so that they stay what they are."""
    return re.sub(r"([\\`*_\[\]<>|#~&@])", r"\\\1", visible(text)).rstrip(".")


def _growth(report: Report) -> Iterator[str]:
    if not report.growth_text and not report.days:
        return
    yield f"## {report.since_title}"
    yield ""
    if report.growth_text:
        yield report.growth_text
        yield ""
    if report.days:
        yield "Tokens saved by day (UTC):"
        yield ""
        yield "```text"
        most = max(max(day.saved, 0) for day in report.days) or 1
        width = max(len(number(day.saved)) for day in report.days)
        for day in report.days:
            bar = "█" * round(_BAR * max(day.saved, 0) / most)
            yield f"{day.date.isoformat()}  {number(day.saved).rjust(width)}  {bar}".rstrip()
        yield "```"
        yield ""


def _failures(report: Report) -> Iterator[str]:
    if not report.failures and not report.unreadable:
        return
    yield "## Refused and failed"
    yield ""
    if report.failures:
        rows = []
        for failure in report.failures:
            shown = ", ".join(map(_user, failure.examples))
            more = failure.users - len(failure.examples)
            rows.append(
                [
                    number(failure.users),
                    failure.kind,
                    code(failure.message),
                    shown + (f" and {number(more)} more" if more else ""),
                ]
            )
        yield from _table(("users", "kind", "why", "who"), rows, (0,))
    if report.unreadable:
        yield "Rows that could not be decoded" + (
            ", the first of them:" if report.summary.unreadable > len(report.unreadable) else ":"
        )
        yield ""
        rows = [[_user(user), code(memory), code(problem)] for user, memory, problem in report.unreadable]
        yield from _table(("user", "memory", "problem"), rows)


def _users(report: Report) -> Iterator[str]:
    if not report.rows:
        return
    yield "## Users"
    yield ""
    grown = any(growth_of(row, report.about.encoding) is not None for row in report.rows)
    header = [
        "user",
        "what",
        "tokens before",
        "after",
        "saved",
        "memories before",
        "after",
        *(["since the last run"] if grown else []),
    ]
    rows = [_row(report, row, grown) for row in report.rows]
    yield from _table(header, rows, range(2, len(header)))
    if report.more:
        yield f"{_plain(report.more_text)}."
        yield ""
    charted = report.charted
    if len(charted) > 1:
        yield "Tokens before (░) and after (█), the most saved first:"
        yield ""
        yield "```text"
        most = max(max(row.before.prompt, row.after.prompt) for row in charted if row.before and row.after) or 1
        for row in charted:
            assert row.before is not None and row.after is not None
            left, right = (round(_BAR * side.prompt / most) for side in (row.before, row.after))
            yield _fenced(user_name(row.user_id))
            yield f"  {('█' * right).ljust(left, '░')} {number(row.before.prompt)} → {number(row.after.prompt)}"
        yield "```"
        yield ""


def _fenced(text: str) -> str:
    """A text that cannot end the block of code it stands in."""
    return text.replace("```", "` ` `")


def _row(report: Report, row: Outcome, grown: bool) -> list[str]:
    before, after = row.before, row.after
    cells = [
        _user(row.user_id),
        status_text(row) + (f": {code(reason_text(row))}" if reason_text(row) else ""),
        NONE if before is None else number(before.prompt),
        NONE if after is None else number(after.prompt),
        NONE if saved_of(row) is None else number(saved_of(row) or 0),
        NONE if before is None else number(before.memories),
        NONE if after is None else number(after.memories),
    ]
    return [*cells, signed(growth_of(row, report.about.encoding))] if grown else cells
