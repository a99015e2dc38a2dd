"""A report as one HTML file: no request to anywhere, no script, charts as inline SVG; for screens from 320 px on, and for paper.

Every foreign text goes through ``_text``. The page forbids itself everything but its own style by a content security policy
(https://www.w3.org/TR/CSP3/), so that even markup that got through would load and run nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from memopt.fleet import Outcome, Status
from memopt.report.model import NONE, Report, difference, growth_of, reason_text, saved_of, signed, status_text
from memopt.wording import number, user_name, visible

_COLUMN_HEIGHT = 120
_STYLE = Path(__file__).with_name("page.css")


def page(report: Report) -> str:
    """The whole document."""
    return "\n".join(_lines(report)) + "\n"


def _text(text: str) -> str:
    """A foreign text: harmless to the eye, to the parser, and to the direction of what stands beside it."""
    return f"<bdi>{escape(visible(text))}</bdi>"


def _own(text: str) -> str:
    """A sentence of memopt's, which may have foreign pieces in it."""
    return escape(visible(text))


def _lines(report: Report) -> Iterator[str]:
    summary, about = report.summary, report.about
    mood, verdict = report.verdict
    yield "<!doctype html>"
    yield '<html lang="en">'
    yield '<head><meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer"><meta name="robots" content="noindex">'
    yield f'<link rel="icon" href="data:,"><title>memopt: {_own(report.title)}</title>'
    yield f"<style>{_STYLE.read_text(encoding='utf-8')}</style></head>"
    yield "<body><main>"
    yield f"<header><h1>{_own(report.title)}</h1>"
    yield f'<p class="soft small">{_text(about.ref.location)}, table {_text(about.ref.table)}</p>'
    yield f'<strong class="verdict {mood}">{_own(verdict[:1].upper() + verdict[1:])}.</strong></header>'
    yield '<div class="tiles">'
    for name, sides in (
        ("Tokens of prompt lines", (summary.before.prompt, summary.after.prompt)),
        ("Memories", (summary.before.memories, summary.after.memories)),
    ):
        value = f"{number(sides[0])} → {number(sides[1])}"
        yield _tile(name, value, difference(*sides))
    yield _tile("Users", number(summary.users), ", ".join(f"{number(users)} {word}" for users, word in report.states))
    if report.cost_text:
        first, _, rest = report.cost_text.partition(", ")
        yield _tile("Model", first, rest)
    yield "</div>"
    if report.remarks:
        yield "<section><h2>Worth knowing</h2><ul>"
        yield from (f"<li>{_own(remark)}</li>" for remark in report.remarks)
        yield "</ul></section>"
    yield from _failures(report)
    yield from _since(report)
    yield from _chart(report)
    yield from _users(report)
    yield "<section><h2>What was run</h2><dl>"
    for name, text in report.facts_of_run:
        yield f"<dt>{_own(name)}</dt><dd>{_text(text)}</dd>"
    yield "</dl></section>"
    yield "<footer>Written by memopt. No text of a memory is in this report.</footer>"
    yield "</main></body></html>"


def _tile(name: str, value: str, rest: str) -> str:
    below = f'<div class="soft small">{_own(rest)}</div>' if rest else ""
    return f'<section><div class="tile-name">{_own(name)}</div><div class="tile-value">{_own(value)}</div>{below}</section>'


def _figure(value: int | None) -> str:
    return NONE if value is None else number(value).replace("-", "\u2212")


def _change(before: int | None, after: int | None) -> str:
    """``12 → 3``; one figure where there is no other."""
    if before is None and after is None:
        return NONE
    return _figure(before) if after is None or before == after else f"{_figure(before)} → {_figure(after)}"


def _cells(header: Sequence[str], cells: Sequence[tuple[str, str]]) -> str:
    """The cells of a row; each with its class, and with its column's name for narrow screens. Their texts are HTML already."""
    return "".join(
        f'<td class="{kind}{" none" if cell == NONE else ""}" data-name="{escape(name)}">{cell}</td>'
        for name, (kind, cell) in zip(header, cells, strict=True)
    )


def _head(header: Sequence[str], kinds: Sequence[str]) -> str:
    cells = "".join(f'<th scope="col" class="{kind}">{escape(name)}</th>' for name, kind in zip(header, kinds, strict=True))
    return f"<thead><tr>{cells}</tr></thead>"


def _failures(report: Report) -> Iterator[str]:
    if not report.failures and not report.unreadable:
        return
    yield "<section><h2>Refused and failed</h2>"
    if report.failures:
        header = ("Why", "Kind", "Users", "Who")
        yield f'<table class="cards">{_head(header, ("text", "", "number", "text"))}<tbody>'
        for failure in report.failures:
            shown = ", ".join(_text(user_name(user)) for user in failure.examples)
            more = failure.users - len(failure.examples)
            who = shown + (f" and {number(more)} more" if more else "")
            cells = [
                ("wide", _text(failure.message)),
                ("", escape(failure.kind)),
                ("number", number(failure.users)),
                ("text", who),
            ]
            yield f"<tr>{_cells(header, cells)}</tr>"
        yield "</tbody></table>"
    if report.unreadable:
        some = report.summary.unreadable > len(report.unreadable)
        yield f"<p>Rows that could not be decoded{', the first of them' if some else ''}:</p>"
        header3 = ("User", "Memory", "Problem")
        yield f'<table class="cards">{_head(header3, ("", "", ""))}<tbody>'
        for user, memory, problem in report.unreadable:
            cells = [("wide", _text(user_name(user))), ("", _text(memory)), ("", _text(problem))]
            yield f"<tr>{_cells(header3, cells)}</tr>"
        yield "</tbody></table>"
    yield "</section>"


def _since(report: Report) -> Iterator[str]:
    days = report.days
    if not report.growth_text and not days:
        return
    yield f"<section><h2>{report.since_title}</h2>"
    if report.growth_text:
        yield f"<p>{_own(report.growth_text)}</p>"
    if len(days) > 1:
        saved = [max(day.saved, 0) for day in days]
        most = max(saved) or 1
        step = 100 / len(days)
        spoken = "; ".join(f"{day.date.isoformat()}: {number(day.saved)}" for day in days)
        yield '<p class="soft small">Tokens saved by day (UTC)</p>'
        yield (
            f'<svg class="days" role="img" width="100%" height="{_COLUMN_HEIGHT}" '
            f'aria-label="Tokens saved by day. {escape(spoken)}">'
        )
        width = min(step * 0.7, 12.0)
        for place, (day, value) in enumerate(zip(days, saved, strict=True)):
            height = max((_COLUMN_HEIGHT - 4) * value / most, 1.0)
            left = place * step + (step - width) / 2
            yield (
                f'<rect class="after" x="{left:.2f}%" y="{_COLUMN_HEIGHT - height:.1f}" width="{width:.2f}%" '
                f'height="{height:.1f}" rx="2"><title>{day.date.isoformat()}: {number(day.saved)}</title></rect>'
            )
        yield "</svg>"
        yield f'<div class="ends"><span>{days[0].date.isoformat()}</span><span>{days[-1].date.isoformat()}</span></div>'
    if days:
        yield f"<table>{_head(('Day', 'Runs', 'Tokens saved'), ('', 'number', 'number'))}<tbody>"
        for day in reversed(days):
            yield (
                f'<tr><td>{day.date.isoformat()}</td><td class="number">{number(day.runs)}</td>'
                f'<td class="number">{_figure(day.saved)}</td></tr>'
            )
        yield "</tbody></table>"
    yield "</section>"


def _chart(report: Report) -> Iterator[str]:
    charted = report.charted
    if not charted:
        return
    most = max(max(row.before.prompt, row.after.prompt) for row in charted if row.before and row.after) or 1
    what = "Before and after" + (
        f": the {number(len(charted))} users with the most saved" if report.summary.users > len(charted) else ""
    )
    yield f"<section><h2>{_own(what)}</h2>"
    now = "after" if report.about.mode == "applied" else "after, if it is applied"
    yield '<div class="legend">'
    yield '<span><span class="swatch before"></span>tokens before</span>'
    yield f'<span><span class="swatch after"></span>{now}</span></div>'
    for row in charted:
        assert row.before is not None and row.after is not None
        before, after = row.before.prompt, row.after.prompt
        yield '<div class="bars"><div class="bars-head">'
        yield f'<span class="bar-user">{_text(user_name(row.user_id))}</span>'
        yield f'<span class="bar-figures">{number(before)} → {number(after)}</span></div>'
        yield f'<svg role="img" width="100%" height="18" aria-label="{number(before)} tokens before, {number(after)} after">'
        yield f'<rect class="before" y="0" width="{100 * before / most:.2f}%" height="8" rx="2"/>'
        yield f'<rect class="after" y="10" width="{100 * after / most:.2f}%" height="8" rx="2"/></svg></div>'
    yield "</section>"


def _users(report: Report) -> Iterator[str]:
    if not report.rows:
        return
    grown = any(growth_of(row, report.about.encoding) is not None for row in report.rows)
    header = ["User", "What", "Tokens", "Saved", "Memories"]
    header += ["Since the last run"] if grown else []
    kinds = ["", "", *["number"] * (len(header) - 2)]
    yield f"<section><h2>{_own('Users' if report.summary.users != 1 else 'User')}</h2>"
    yield f'<table class="cards users">{_head(header, kinds)}<tbody>'
    for row in report.rows:
        failed = ' class="failed"' if row.status is Status.FAILED else ""
        yield f"<tr{failed}>{_cells(header, _row(report, row, grown))}</tr>"
    yield "</tbody></table>"
    if report.more:
        yield f'<p class="soft small">{_own(report.more_text)}</p>'
    yield "</section>"


def _row(report: Report, row: Outcome, grown: bool) -> list[tuple[str, str]]:
    reason = reason_text(row)
    before, after = row.before, row.after
    tokens = [None if side is None else side.prompt for side in (before, after)]
    memories = [None if side is None else side.memories for side in (before, after)]
    cells = [
        ("wide", _text(user_name(row.user_id))),
        (
            "text" if reason else "",
            escape(status_text(row)) + (f'<div class="soft small">{_text(reason)}</div>' if reason else ""),
        ),
        ("number", _change(*tokens)),
        ("number", _figure(saved_of(row))),
        ("number", _change(*memories)),
    ]
    if grown:
        cells.append(("number", signed(growth_of(row, report.about.encoding))))
    return cells
