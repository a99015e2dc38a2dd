"""What a person sees. The one module that knows rich, which is imported when the first line is printed.

Every text that is not memopt's own goes through ``visible`` and reaches rich as a ``Text``, never as markup. The last column of a
table is never cut or padded, so that an id stands whole on one line however narrow the terminal is.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from memopt.cli.safe import shown_path, visible
from memopt.cli.words import word_diff
from memopt.memory import UserMemory
from memopt.plan import Action, Change, Filters, Plan, StoreRef, Unreadable
from memopt.strategies.telling import step_text as step_text
from memopt.strategies.telling import steps_text as steps_text
from memopt.strategies.telling import value_text
from memopt.tokens import TokenFigures, prompt_block
from memopt.wording import count as count
from memopt.wording import number as number
from memopt.wording import user_name as user_name

if TYPE_CHECKING:
    from rich.console import Console

    from memopt.stores.base import RunChange
    from memopt.stores.journal import Run
    from memopt.usage import Usage

PIPED_WIDTH = 100
NARROWEST = 24
"""Texts get at least so many columns, however narrow the terminal says it is."""

LONG_TEXT = 1_000
LONG_LINES = 40
NEW_TEXT = 4 * LONG_TEXT
"""A text that would be written is what a preview is for, so more of it is shown."""
FOLD_FROM = 6
"""So many kept memories of one reason are told in one line."""
TOLD_TOGETHER = 3
"""From so many memories on that went into one for the same reason, the reason is told once, above them."""

Segment: TypeAlias = tuple[str, str]
"""A harmless text and the name of its style."""
Line: TypeAlias = list[Segment]

_STYLES = {
    "": "",
    "dim": "dim",
    "bold": "bold",
    "kept": "dim",
    "revised": "yellow",
    "dropped": "red",
    "added": "green",
    "out": "red strike",
    "in": "green",
    "warn": "bold yellow",
    "head": "bold",
}


class Screen:
    """Standard output for people: its width, and whether it takes colour."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str] | None = None) -> None:
        given = os.environ if environ is None else environ
        self.stream = stream
        self.is_terminal = stream.isatty()
        self.width = _width(stream, given)
        dumb = given.get("TERM", "").lower() in ("dumb", "unknown")
        self.colour = self.is_terminal and not given.get("NO_COLOR") and not dumb
        self._console: Console | None = None

    @property
    def console(self) -> Console:
        """rich's console on the stream, with every interpretation of texts switched off."""
        if self._console is None:
            self._console = _console(self)
        return self._console

    def line(self, *segments: str | Segment) -> None:
        """Print one line as it is, unwrapped."""
        self.lines([[(part, "") if isinstance(part, str) else part for part in segments]])

    def lines(self, lines: Iterable[Line]) -> None:
        """Print lines as they are, unwrapped."""
        if not self.colour:
            self.stream.writelines("".join(text for text, _ in line).rstrip() + "\n" for line in lines)
            return
        from rich.text import Text

        for line in lines:
            self.console.print(Text.assemble(*((text, _STYLES[style]) for text, style in line)), soft_wrap=True)

    def wrapped(self, line: Line, *, indent: str = "", hanging: str | None = None) -> None:
        """Print a paragraph within the width."""
        room = max(self.width - max(len(indent), len(hanging or "")), NARROWEST)
        for place, part in enumerate(wrap(line, room)):
            self.lines([[(indent if place == 0 or hanging is None else hanging, ""), *part]])


def _width(stream: TextIO, environ: Mapping[str, str]) -> int:
    asked = environ.get("COLUMNS", "")
    if asked.isascii() and asked.isdigit() and len(asked) < 6 and int(asked) > 0:
        return int(asked)
    if stream.isatty():
        try:
            return os.get_terminal_size(stream.fileno()).columns or PIPED_WIDTH
        except (OSError, ValueError):
            return PIPED_WIDTH
    return PIPED_WIDTH


def _console(screen: Screen) -> Console:
    from rich.console import Console

    class Pipe(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the process with a code of its own

    return Pipe(
        file=screen.stream,
        width=screen.width,
        force_terminal=screen.is_terminal,
        color_system="auto" if screen.colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def cells(text: str) -> int:
    """How many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def pad(text: str, width: int, *, right: bool = False) -> str:
    """The text filled up with blanks to so many columns; a longer one stays as it is."""
    blanks = " " * max(width - cells(text), 0)
    return blanks + text if right else text + blanks


def wrap(line: Line, width: int) -> list[Line]:
    """Break a paragraph into lines of so many columns, at blanks where it has some; its line breaks stay line breaks."""
    return [part for paragraph in _paragraphs(line) for part in _wrapped(paragraph, width)]


def _paragraphs(line: Line) -> list[Line]:
    out: list[Line] = [[]]
    for text, style in line:
        first, *rest = text.split("\n")
        out[-1].append((first, style))
        out += [[(part, style)] for part in rest]
    return out


def _wrapped(line: Line, width: int) -> list[Line]:
    plain = "".join(text for text, _ in line)
    if len(plain) <= width and cells(plain) <= width:
        return [line]
    from rich.text import Text

    text = Text(no_wrap=False)
    for part, style in line:
        text.append(part, style or None)
    return [_segments(part) for part in text.wrap(_wrapper(), width, overflow="fold", tab_size=4)]


@cache
def _wrapper() -> Console:
    """A console that only lends its rules for breaking lines."""
    from rich.console import Console

    return Console(color_system=None, legacy_windows=False)


def _segments(text: Any) -> Line:
    """A one-line rich Text back as segments; its spans carry the names of our styles."""
    plain: str = text.plain
    cuts = sorted({0, len(plain), *(s.start for s in text.spans), *(s.end for s in text.spans)})
    out: Line = []
    for start, end in pairwise(cuts):
        style = next((str(s.style) for s in reversed(text.spans) if s.start <= start and end <= s.end), "")
        if plain[start:end]:
            out.append((plain[start:end], style))
    return out


def table(screen: Screen, header: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[int] = ()) -> None:
    """Columns two blanks apart; the last is printed whole, whatever its length."""
    listed = [list(row) for row in rows]
    widths = [max(cells(row[i]) for row in [list(header), *listed]) for i in range(len(header) - 1)]

    def shown(row: Sequence[str]) -> str:
        front = [pad(text, widths[i], right=i in right) for i, text in enumerate(row[:-1])]
        return "  ".join([*front, row[-1]])

    screen.lines([[(shown(header), "head")], [("─" * max(min(screen.width, cells(shown(header)) + 12), 20), "dim")]])
    screen.lines([(shown(row), "")] for row in listed)


# Small words


def day(epoch: int | float | None) -> str:
    """The date in UTC; "undated" where there is none."""
    return "undated" if epoch is None else _utc(epoch).date().isoformat()


def minute(epoch: int | float | None) -> str:
    """Date and time in UTC, to the second."""
    return "undated" if epoch is None else _utc(epoch).strftime("%Y-%m-%d %H:%M:%SZ").rjust(20, "0")


def _utc(epoch: int | float) -> datetime:
    return datetime.fromtimestamp(epoch, UTC)


def model_text(model: Mapping[str, str]) -> str:
    """Name and endpoint in one line."""
    endpoint = model.get("endpoint") or ""
    name = visible(model.get("name", ""))
    judge = f", judged by {visible(model['judge'])}" if model.get("judge") else ""
    return f"{name} at {visible(endpoint)}{judge}" if endpoint else f"{name}: memopt's own consolidator, which asks no service"


def store_text(ref: StoreRef) -> str:
    """Location and table in one line."""
    return f"{shown_path(ref.location)}, table {visible(ref.table)}"


def saving(before: int, after: int) -> str:
    """``70.6 % less (432 tokens)``."""
    if before == after:
        return "no change"
    gone = abs(before - after)
    word = "less" if after < before else "more"
    share = f"{gone / before:.1%} {word} ".replace("%", " %") if before else f"{word} "
    return f"{share}({count(gone, 'token')})"


# The diff table


def plan_view(
    screen: Screen,
    plan: Plan,
    *,
    full: bool = False,
    prompt: bool = False,
    title: str = "Preview",
    store: StoreRef | None = None,
) -> None:
    """A plan for people: what it is, each change, the totals.

    Args:
        full: show long texts whole.
        prompt: also the block that the framework puts in front of the model, before and after.
    """
    ref = store or plan.store
    about = [("store", store_text(ref)), ("strategy", steps_text(plan.steps))]
    if plan.model:
        asked = f" ({usage_text(plan.usage)})" if plan.usage.requests else ""
        about.append(("model", model_text(plan.model) + asked))
    if plan.filters:
        about.append(("shown to it", filters_text(plan.filters)))
    about.append(("tokens", f"counted with {visible(plan.encoding)}"))
    screen.line(
        (
            f"{title} for user {user_name(plan.user_id)}" if plan.user_id is not None else f"{title} for {user_name(None)}",
            "bold",
        )
    )
    for name, text in about:
        if name == "store":  # a path stays on one line
            screen.lines([[(f"  {name:<12}", "dim"), (text, "")]])
        else:
            screen.wrapped([(text, "")], indent=f"  {name:<12}", hanging=" " * 14)
    screen.line()
    if plan.has_changes or any(change.reason for change in plan.changes):
        screen.lines(change_lines(plan, screen.width, colour=screen.colour, full=full))
        screen.line()
    totals(screen, plan.tokens_before, plan.tokens_after)
    if plan.has_changes:
        classes_line(screen, plan.changes)
    if plan.verification is not None:
        verification_view(screen, plan.verification, full=full)
    unreadable(screen, plan.unreadable)
    for note in plan.notes:
        screen.wrapped([(visible(note), "")], indent="note: ", hanging="      ")
    if prompt:
        before = [change.before for change in plan.changes if change.before is not None]
        prompt_view(screen, before, f"The prompt block before ({count(plan.tokens_before.prompt, 'token')} of lines)")
        prompt_view(screen, plan.memories, f"The prompt block after ({count(plan.tokens_after.prompt, 'token')} of lines)")


def usage_text(usage: Usage) -> str:
    """What was asked, in one line."""
    parts = [count(usage.requests, "request")]
    if usage.prompt_tokens is not None:
        parts.append(f"{number(usage.prompt_tokens)} tokens in, {number(usage.completion_tokens or 0)} out")
    if usage.cost is not None:
        parts.append(f"cost {usage.cost:.4g}")
    if usage.judge is not None:
        parts.append(f"{number(usage.judge.requests)} of them to the judge")
    return ", ".join(parts)


def filters_text(filters: Filters) -> str:
    """What a strategy was shown, in one line."""
    parts = [
        f"{name}: {', '.join(map(visible, values))}"
        for name, values in (("agent", filters.agent), ("team", filters.team), ("topic", filters.topic))
        if values
    ]
    return "; ".join(parts) + " (all else is kept)"


SHOWN_FINDINGS = 12


def verification_view(screen: Screen, verification: Mapping[str, Any], *, full: bool = False) -> None:
    """What was checked of each rewritten memory: the figures, then every lost, invented and replaced fact with its memory."""
    from memopt.verify.report import how_many_lost

    for report in verification.get("reports", ()):
        name = "verification  "
        kept = sum(bool(item.get("kept_beside")) for item in report["lost"])
        parts = [
            f"{report['retention']:.1%} of {count(report['facts'], 'fact')} in {visible(_label(report))}".replace("%", " %", 1)
        ]
        used = report.get("outcome", "written") == "written"
        if report["lost"]:
            missing = how_many_lost(report["facts"], report["retention"], len(report["lost"]))
            own = "its memory is" if len(report["lost"]) == 1 else "their memories are"
            beside = (
                ""
                if not used
                else f", {own} kept beside it"
                if kept == len(report["lost"])
                else f", {own} not kept"
                if not kept
                else f", {kept} of them kept beside it"
                if missing == len(report["lost"])
                else ", some of their memories are kept beside it"
            )
            parts.append(f"{count(missing, 'fact')} lost{beside}")
        if report["superseded"]:
            parts.append(f"{len(report['superseded'])} superseded by newer ones")
        made_up, hanging = _made_up(report["invented"])
        if made_up:
            parts.append(f"{len(made_up)} invented and cut out")
        if hanging:
            parts.append(f"{count(len(hanging), 'sentence')} cut out with {'it' if len(made_up) == 1 else 'them'}")
        if report["repairs"]:
            parts.append(f"repaired {count(report['repairs'], 'time')}")
        if report["judged"]:
            parts.append(f"{len(report['judged'])} doubtful ones judged")
        excused = report.get("by_meaning", ())
        if excused:
            parts.append(f"{count(len(excused), 'statement')} told in other words")
        screen.wrapped([("; ".join(parts), "")], indent=name, hanging=" " * 14)
        findings = [("lost", item["fact"], item["memory_id"], _why_lost(item)) for item in report["lost"]]
        findings += [("invented", text, None, "; ".join(why)) for text, why in made_up.items()]
        findings += [("cut out", text, None, "; ".join(why)) for text, why in hanging.items()]
        findings += [("superseded", item["fact"], item["memory_id"], "") for item in report["superseded"]]
        findings += [
            (
                f"by meaning, {item['score']:.2f}",
                f"{item['fact']}” / “{item['nearest']}",
                item["memory_id"] if item["side"] == "lost" else None,
                "",
            )
            for item in excused
        ]
        for kind, fact, memory_id, why in findings if full else findings[:SHOWN_FINDINGS]:
            of = "" if memory_id is None else f" (of {visible(memory_id)})"
            text, more = (fact, 0) if full else shorten(fact, 200)
            rest = f"… {more} more characters" if more else ""
            line = f"{kind}: “{visible(' '.join(text.split()))}{rest}”{of}{': ' if why else ''}{visible(why)}"
            screen.wrapped([(line, "")], indent=" " * 14, hanging=" " * 16)
        if len(findings) > SHOWN_FINDINGS and not full:
            screen.wrapped([(f"… {len(findings) - SHOWN_FINDINGS} more; --full shows all", "dim")], indent=" " * 14)


def _made_up(invented: Sequence[Mapping[str, Any]]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Each sentence that was made up, once, with what is wrong in it; and those that were cut out because they hung on one."""
    made_up: dict[str, list[str]] = {}
    hanging: dict[str, list[str]] = {}
    for item in invented:
        near = item.get("nearest_id")
        why = item["detail"] + (f" (nearest: {near})" if near and item["kind"] != "pronoun" else "")
        told = (hanging if item["kind"] == "pronoun" else made_up).setdefault(item["sentence"], [])
        if any(known.startswith(why) for known in told):
            continue
        if item["detail"] in told:  # the same, told now with the memory that comes nearest
            told[told.index(item["detail"])] = why
        else:
            told.append(why)
    return made_up, {text: why for text, why in hanging.items() if text not in made_up}


def _why_lost(item: Mapping[str, Any]) -> str:
    """Why a fact is lost, where that says more than that it is not there."""
    detail = str(item.get("detail", ""))
    return "" if detail.endswith("” is not in the rewrite") else detail


def _label(report: Mapping[str, Any]) -> str:
    which = "the summary" if report["label"] == "all" else f"the summary of {report['label']}"
    return which + {"unused": ", which is not used", "refused": ", which was refused"}.get(report.get("outcome", ""), "")


def side_by_side(screen: Screen, left: tuple[str, str], right: tuple[str, str], *, full: bool = False) -> None:
    """Two texts beside each other, each under its title."""
    room = max((screen.width - 3) // 2, NARROWEST)
    columns = []
    for title, text in (left, right):
        columns.append([*wrap([(title, "dim")], room), *(text_lines(masked(text), room, full=full) if text else [[("", "")]])])
    for place in range(max(map(len, columns))):
        row: Line = []
        for side, lines in enumerate(columns):
            cell = lines[place] if place < len(lines) else []
            width = sum(cells(text) for text, _ in cell)
            row += cell if side else [*cell, (" " * max(room - width, 0), ""), (" │ ", "dim")]
        screen.lines([row])


def requests_view(screen: Screen, document: Mapping[str, Any]) -> None:
    """What ``--dry-request`` prints: the requests, whole."""
    model, requests = document["model"], document["requests"]
    if not requests:
        if model["endpoint"]:
            screen.wrapped([("no request would be sent: there is nothing to ask a model about", "")])
        else:
            screen.line(f"{visible(model['name'])} works inside memopt: nothing would be sent")
        return
    for place, request in enumerate(requests, 1):
        where = f"{visible(request['to']['name'])} at {visible(request['to']['endpoint'])}"
        part = request["part"] and f"part {request['part']['number']} of {request['part']['of']}"
        of = ", ".join(filter(None, (request["group"] and visible(request["group"]), part)))
        what = visible(request["purpose"]) + (f" ({of})" if of else "")
        head = f"request {place} of {len(requests)} to {where}: {what}, {count(request['tokens'], 'token')}"
        screen.wrapped([(head, "bold")], hanging="  ")
        for role, text in (("system", request["system"]), ("user", request["prompt"])):
            screen.line((f"{role}:", "dim"))
            for line in text.split("\n"):
                screen.wrapped([(visible(line), "")], indent="  ", hanging="  ")
        if request["schema"] is not None:
            screen.line(("answer by a JSON Schema where the service can, as plain text where it cannot", "dim"))
        screen.line()
    if document["judge"] is not None:
        judge = f"{visible(document['judge']['name'])} at {visible(document['judge']['endpoint'])}"
        screen.wrapped([(f"the judge {judge} would be asked afterwards, about facts that are in doubt", "")], hanging="  ")
    screen.line("nothing was sent")


def totals(screen: Screen, before: TokenFigures, after: TokenFigures) -> None:
    """Memories and tokens before and after, and what is saved."""
    rows = [
        ("memories", number(before.memories), number(after.memories), ""),
        ("prompt lines", number(before.prompt), number(after.prompt), f"tokens, {saving(before.prompt, after.prompt)}"),
        ("bare texts", number(before.text), number(after.text), f"tokens, {saving(before.text, after.text)}"),
    ]
    left = max(6, *(len(row[1]) for row in rows))
    width = max(6, *(len(row[2]) for row in rows))
    screen.lines([[(f"{'':12}  {'before':>{left}}  {'after':>{width}}", "dim")]])
    for name, old, new, rest in rows:
        bold = "bold" if name == "prompt lines" else ""
        screen.lines([[(f"{name:<12}  {old:>{left}}  {new:>{width}}  {rest}", bold)]])


def classes_line(screen: Screen, changes: Sequence[Change]) -> None:
    """How many changes provably lose nothing, and how many are judgements that want to be looked at."""
    made = [change for change in changes if change.action is not Action.KEPT]
    safe = sum(change.safe for change in made)
    parts = [f"{number(safe)} safe (provably lose nothing)"] if safe else []
    if len(made) > safe:
        parts.append(f"{number(len(made) - safe)} to review (a judgement)")
    screen.lines([[(f"{'changes':<12}  {', '.join(parts)}", "")]])


def unreadable(screen: Screen, rows: Sequence[Unreadable]) -> None:
    """The rows that could not be decoded."""
    if not rows:
        return
    screen.line((f"{count(len(rows), 'row')} could not be read and {'is' if len(rows) == 1 else 'are'} left alone:", "warn"))
    for row in rows:
        name = visible(row.memory_id) if row.memory_id.strip() else f'"{visible(row.memory_id)}"'
        screen.lines([[(f"  {name}: {visible(row.problem)}", "")]])


def prompt_view(screen: Screen, memories: Iterable[UserMemory], title: str) -> None:
    """The very block that the framework puts in front of the model, controls made visible."""
    screen.line()
    screen.line((title, "bold"))
    block = prompt_block(memories)
    screen.lines([(line, "")] for line in (visible(block, lines=True).split("\n") if block else ["(none)"]))


def change_lines(plan: Plan, width: int, *, colour: bool, full: bool = False) -> Iterator[Line]:
    """The rows of the diff table, header first."""
    return change_rows(plan.changes, width, steps=len(plan.steps), colour=colour, full=full)


def change_rows(changes: Sequence[Change], width: int, *, steps: int, colour: bool, full: bool = False) -> Iterator[Line]:
    """The rows of the diff table, header first; of several steps, each change tells its own."""
    shown = list(ordered([_with_step(change) for change in changes] if steps > 1 else changes))
    reasons = _kept_for(changes)
    sizes = [_tokens(item) for item in shown if isinstance(item, Change)]
    sizes += [number(sum(change.tokens_before for change in item)) for item in shown if not isinstance(item, Change)]
    size = max([len("tokens"), *map(len, sizes)])
    action = max(len(action.value) for action in Action)
    room = max(width - action - size - 4, NARROWEST)

    yield [(f"{'action':<{action}}  {'tokens':<{size}}  memory", "head")]
    yield [("─" * max(width, action + size + 4 + NARROWEST), "dim")]
    above = ""
    told = 0  # so many of the next dropped memories share the reason that was just told for all of them
    for place, item in enumerate(shown):
        if isinstance(item, Change):
            word, tokens = item.action.value, _tokens(item)
            if not told and (alike := _alike(shown, place, above)) >= TOLD_TOGETHER:
                told = alike
                together = f"{count(alike, 'memory', 'memories')} into the one above: {visible(item.reason)}"
                yield from _rows(word, "", wrap([(together, word)], room), action, size)
            if told:
                told -= 1
                item = replace(item, reason="", into=None)
            else:
                above = item.memory_id if item.action is not Action.DROPPED else above if item.into == above else ""
            if item.action is Action.KEPT and not item.reason:
                item = replace(item, reason=reasons.get(item.memory_id, ""))
            body = list(_change_body(item, room, colour=colour, full=full, above=above))
        else:
            word, tokens = Action.KEPT.value, number(sum(change.tokens_before for change in item))
            body, above = wrap([(_fold_text(item), "kept")], room), ""
        yield from _rows(word, tokens, body, action, size)


def _with_step(change: Change) -> Change:
    """The change with the step of the chain that made it told in its reason."""
    if not change.step or change.action is Action.KEPT:
        return change
    return replace(change, reason=f"{change.step}: {change.reason}" if change.reason else change.step)


def _rows(word: str, tokens: str, body: Iterable[Line], action: int, size: int) -> Iterator[Line]:
    """One cell of the table with what stands left of its first line."""
    for place, line in enumerate(body):
        front = f"{word:<{action}}  " if place == 0 else " " * (action + 2)
        figures = f"{tokens:<{size}}  " if place == 0 else " " * (size + 2)
        yield [(front, word), (figures, ""), *line]


def _alike(shown: Sequence[Change | tuple[Change, ...]], place: int, above: str) -> int:
    """How many memories from here on went into the one above for one reason."""
    first = shown[place]
    if not above or not isinstance(first, Change):
        return 0
    number_alike = 0
    for item in shown[place:]:
        if not (
            isinstance(item, Change) and item.action is Action.DROPPED and item.into == above and item.reason == first.reason
        ):
            break
        number_alike += 1
    return number_alike


def _kept_for(changes: Sequence[Change]) -> dict[str, str]:
    """What hangs on a memory, by its id."""
    merged: dict[str, int] = {}
    relied: dict[str, int] = {}
    for change in changes:
        if change.action is Action.KEPT:
            continue
        if change.into is not None:
            merged[change.into] = merged.get(change.into, 0) + 1
        for memory_id in change.relies_on:
            relied[memory_id] = relied.get(memory_id, 0) + 1
    said = {memory_id: f"{count(value, 'change relies', 'changes rely')} on it" for memory_id, value in relied.items()}
    return said | {
        memory_id: f"holds what {count(value, 'dropped memory', 'dropped memories')} said" for memory_id, value in merged.items()
    }


def _tokens(change: Change) -> str:
    if change.action is Action.KEPT:
        return number(change.tokens_after)
    return f"{number(change.tokens_before)} -> {number(change.tokens_after)}"


def _fold_text(changes: Sequence[Change]) -> str:
    reason = visible(changes[0].reason)
    return count(len(changes), "memory", "memories") + (f": {reason}" if reason else ", unchanged")


def ordered(changes: Sequence[Change]) -> Iterator[Change | tuple[Change, ...]]:
    """The changes in reading order: kept ones folded where nothing hangs on them, and what went into a memory below it.

    A kept memory is shown if something was merged into it or relies on it, or if it was kept for a reason that few others share.
    """
    tied: set[str] = set()
    merged: dict[str, dict[str, list[Change]]] = {}  # by target and reason
    present = {change.memory_id for change in changes if change.action is not Action.DROPPED}
    for change in changes:
        if change.action is Action.KEPT:
            continue
        tied.update(change.relies_on)
        if change.into is not None:
            tied.add(change.into)
            if change.action is Action.DROPPED and change.into in present:
                merged.setdefault(change.into, {}).setdefault(change.reason, []).append(change)

    alike: dict[str, list[Change]] = {}
    for change in changes:
        if change.action is Action.KEPT and change.memory_id not in tied:
            alike.setdefault(change.reason, []).append(change)
    folded = {reason: group for reason, group in alike.items() if not reason or len(group) >= FOLD_FROM}
    for group in folded.values():
        yield tuple(group)
    for change in changes:
        if change.action is Action.DROPPED and change.into in merged:
            continue  # stands below the memory it went into
        if change.action is Action.KEPT and change.memory_id not in tied and change.reason in folded:
            continue
        yield change
        for alike_ones in merged.get(change.memory_id, {}).values():
            yield from alike_ones


def _change_body(change: Change, room: int, *, colour: bool, full: bool, above: str) -> Iterator[Line]:
    memory = change.after if change.after is not None else change.before
    assert memory is not None
    if change.action is Action.REVISED:
        assert change.before is not None and change.after is not None
        yield from _revised(change, room, colour=colour, full=full)
    else:
        style = {"dropped": "out", "added": "in"}.get(change.action.value, "") if colour else ""
        limit = NEW_TEXT if change.action is Action.ADDED else LONG_TEXT
        yield from text_lines(masked(memory.memory), room, full=full, style=style, limit=limit)
    if change.reason or change.into is not None:
        yield from _why(change, room, above)
    yield from _meta(memory, change.memory_id, room)


def _why(change: Change, room: int, above: str) -> Iterator[Line]:
    reason = visible(change.reason)
    if change.into is None:
        yield from wrap([(reason, change.action.value)], room)
    elif change.into == above:
        yield from wrap([(f"{reason} (into the memory above)" if reason else "into the memory above", change.action.value)], room)
    else:
        where = f"into {visible(change.into)}"
        if reason and cells(reason) + 2 + cells(where) <= room:
            yield [(f"{reason}; {where}", change.action.value)]
        else:
            if reason:
                yield from wrap([(reason, change.action.value)], room)
            yield [(where, change.action.value)]


def _meta(memory: UserMemory, memory_id: str, room: int) -> Iterator[Line]:
    """The id, whole on one line, then date and topics where there is room, else below."""
    shown = visible(memory_id)
    rest = day(memory.last_changed)
    if memory.topics:
        rest += " · " + ", ".join(map(visible, memory.topics))
    if cells(shown) + 3 + cells(rest) <= room:
        yield [(f"{shown} · {rest}", "dim")]
        return
    yield [(shown, "dim")]
    yield from wrap([(rest, "dim")], room)


def masked(text: str) -> str:
    """The text with secrets and card numbers made unreadable: a preview may end up in a log."""
    from memopt.strategies.secrets import masked as masked_text

    return masked_text(text)


def text_lines(text: str, room: int, *, full: bool = False, style: str = "", limit: int = LONG_TEXT) -> list[Line]:
    """A memory's text within so many columns; a very long one is visibly shortened unless ``full``."""
    shown = visible(text, lines=True)
    if not shown.strip():
        return [[("(blank)" if not shown else f"(blank: {count(len(text), 'character')})", "dim")]]
    kept, left = (shown, 0) if full else shorten(shown, limit)
    lines = wrap([(kept, style)], room)
    if left:
        lines += wrap([(f"… {count(left, 'more character')}; --full shows all", "warn")], room)
    return lines


def shorten(text: str, limit: int = LONG_TEXT) -> tuple[str, int]:
    """The beginning of a long text, and how many characters are left out; a little over the limit is shown whole."""
    cut = len(text)
    if cut > limit + limit // 10:
        cut = limit
    most = max(LONG_LINES * limit // LONG_TEXT, 1)
    lines = text.split("\n", most)
    if len(lines) > most and text.count("\n") > most + 4:
        cut = min(cut, len(text) - len(lines[-1]) - 1)
    floor = max(cut - 32, 0)
    while floor < cut < len(text) and not text[cut].isalnum() and not text[cut].isspace() and ord(text[cut]) > 0x2FF:
        cut -= 1  # not inside an emoji sequence or before a combining mark
    if 0 < cut < len(text) and text[cut].isalnum() and text[cut - 1].isalnum():
        blank = text.rfind(" ", cut - 32, cut)
        cut = blank + 1 if blank >= 0 else cut
    return text[:cut], len(text) - cut


def _revised(change: Change, room: int, *, colour: bool, full: bool) -> Iterator[Line]:
    before, after = change.before, change.after
    assert before is not None and after is not None
    old_text, new_text = masked(before.memory), masked(after.memory)
    old, new = visible(old_text, lines=True), visible(new_text, lines=True)
    if old == new:
        yield from text_lines(new_text, room, full=full)
        if old_text != new_text:
            yield [("only line breaks or tabs changed", "revised")]
        elif before.memory != after.memory:
            yield [("only what is masked changed", "revised")]
        elif before.prompt_text != after.prompt_text:
            yield [("stored as the text alone, without what an old migration wrapped around it", "revised")]
    else:
        line, left = _marked(word_diff(old, new), colour=colour, limit=None if full else NEW_TEXT)
        yield from wrap(line, room)
        if left:
            yield from wrap([(f"… {count(left, 'more character')} left out above; --full shows all", "warn")], room)
    for name, was, now in _field_changes(before, after):
        parts = (
            [("removed", was), ("same", " "), ("added", now)] if was and now else [("removed", was)] if was else [("added", now)]
        )
        yield from wrap([(f"{name}: ", "dim"), *_marks(parts, colour=colour)], room)


def _field_changes(before: UserMemory, after: UserMemory) -> Iterator[tuple[str, str, str]]:
    if before.topics != after.topics:
        old, new = before.topics or (), after.topics or ()
        gone = ", ".join(visible(topic) for topic in old if topic not in new)
        come = ", ".join(visible(topic) for topic in new if topic not in old)
        if not gone and not come:
            gone, come = (
                ", ".join(map(visible, t)) if t else ("none" if t is None else "empty list")
                for t in (before.topics, after.topics)
            )
        yield "topics", gone, come
    for name, label in (("created_at", "created"), ("updated_at", "updated")):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            same_day = was is not None and now is not None and day(was) == day(now)
            shown = minute if same_day else day
            yield label, shown(was), shown(now)
    for name in ("user_id", "agent_id", "team_id", "input", "feedback"):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield name.removesuffix("_id"), *("none" if v is None else shorten(visible(v), 200)[0] for v in (was, now))  # type: ignore[misc]


def _marked(parts: Sequence[tuple[str, str]], *, colour: bool, limit: int | None) -> tuple[Line, int]:
    """The parts of a word diff as segments; beyond the limit, long parts are cut in their middle and what is left out counted."""
    if limit is None or sum(len(text) for _, text in parts) <= limit + limit // 10:
        return _marks(parts, colour=colour), 0
    share = max(limit // max(len(parts), 1), 60)
    out: list[tuple[str, str]] = []
    left = 0
    for kind, text in parts:
        room = share if kind == "same" else max(share, limit // 2)
        if len(text) > room + 40:
            gone = len(text) - room
            text = f"{text[: room // 2]} […{number(gone)} characters…] {text[-(room - room // 2) :]}"
            left += gone
        out.append((kind, text))
    return _marks(out, colour=colour), left


def _marks(parts: Sequence[tuple[str, str]], *, colour: bool) -> Line:
    line: Line = []
    for kind, text in parts:
        if kind == "same":
            line.append((text, ""))
        elif kind == "removed":
            line.append((text if colour else f"[-{text}-]", "out"))
        else:
            line.append((text if colour else f"{{+{text}+}}", "in"))
    return line


# The other commands


def memories_view(
    screen: Screen,
    memories: Sequence[UserMemory],
    bad: Sequence[Unreadable],
    sizes: Sequence[int],
    figures: TokenFigures,
    *,
    user_id: str | None,
    store: StoreRef,
    encoding: str,
    full: bool,
) -> None:
    """One user's memories with full ids."""
    screen.line((f"User {user_name(user_id)}" if user_id is not None else user_name(None), "bold"))
    screen.lines([[("  store       ", "dim"), (store_text(store), "")]])
    screen.lines([[("  tokens      ", "dim"), (f"counted with {visible(encoding)}", "")]])
    screen.line()
    size = max([len("tokens"), *(len(number(value)) for value in sizes)])
    room = max(screen.width - size - 2, NARROWEST)
    if memories:
        screen.lines([[(f"{'tokens':<{size}}  memory", "head")], [("─" * screen.width, "dim")]])
    for memory, value in zip(memories, sizes, strict=True):
        body = [*text_lines(memory.memory, room, full=full), *details(memory, room)]
        screen.lines(
            [(f"{number(value):<{size}}  " if place == 0 else " " * (size + 2), ""), *line] for place, line in enumerate(body)
        )
    if memories:
        screen.line()
    unreadable(screen, bad)
    screen.line(
        f"{count(figures.memories, 'memory', 'memories')}, {count(figures.prompt, 'token')} as prompt lines, "
        f"{number(figures.text)} as bare texts"
    )


def details(memory: UserMemory, room: int) -> Iterator[Line]:
    """What is known of a memory beside its text: the id, whole on one line, then dates, topics and whose it is."""
    yield [(visible(memory.memory_id or "(no id)"), "dim")]
    parts = [f"created {minute(memory.created_at)}" if memory.created_at is not None else "no created_at"]
    if memory.updated_at is not None and memory.updated_at != memory.created_at:
        parts.append(f"updated {minute(memory.updated_at)}")
    if memory.topics:
        parts.append("topics: " + ", ".join(map(visible, memory.topics)))
    for name, value in (("agent", memory.agent_id), ("team", memory.team_id), ("feedback", memory.feedback)):
        if value:
            parts.append(f"{name}: {visible(value)}")
    yield from wrap([(" · ".join(parts), "dim")], room)
    if memory.prompt_text is not None and memory.prompt_text != memory.memory:
        yield from wrap([("the prompt holds: ", "dim"), (shorten(visible(memory.prompt_text, lines=True))[0], "")], room)


def users_view(screen: Screen, users: Sequence[Any], *, store: StoreRef, encoding: str) -> None:
    """One line a user; the user's id last, whole."""
    if not users:
        screen.line(f"no memories in {store_text(store)}")
        return
    rows = [
        (
            number(item.memories),
            number(item.prompt_tokens),
            number(item.duplicates),
            number(item.unreadable),
            day(item.oldest) if item.oldest is not None else "-",
            day(item.newest) if item.newest is not None else "-",
            user_name(item.user_id),
        )
        for item in users
    ]
    table(screen, ("memories", "tokens", "duplicates", "unreadable", "oldest", "newest", "user"), rows, right=(0, 1, 2, 3))
    screen.line((f"{count(len(users), 'user')} in {store_text(store)}; tokens of prompt lines, {visible(encoding)}", "dim"))


def runs_view(screen: Screen, runs: Sequence[Run], *, store: StoreRef, user_id: str | None = None) -> None:
    """One line a run, newest first."""
    if not runs:
        whose = "" if user_id is None else f" on user {user_name(user_id)}"
        screen.line(f"no runs{whose} in the journal of {store_text(store)}")
        return
    rows = []
    for run in runs:
        what = f"undo of {visible(run.undoes or '')}" if run.kind == "undo" else steps_text(run.steps)
        if run.undone_by:
            what += f"; undone by {visible(run.undone_by)}"
        if run.skipped:
            what += f"; {number(len(run.skipped))} left out"
        if run.facts is not None and run.facts[1] < run.facts[0]:
            what += f"; {number(run.facts[0] - run.facts[1])} of {count(run.facts[0], 'fact')} lost"
        if run.erased:
            what += f"; {count(run.erased, 'row')} erased for good"
        rows.append(
            (
                visible(run.run_id),
                minute(run.at),
                f"{number(run.before.memories)} -> {number(run.after.memories)}",
                f"{number(run.before.prompt)} -> {number(run.after.prompt)}",
                f"{user_name(run.user_id)}: {what}",
            )
        )
    table(screen, ("run", "when", "memories", "tokens", "user: what"), rows)


def run_changes_view(screen: Screen, run: Run, changes: Sequence[RunChange], *, store: StoreRef, full: bool = False) -> None:
    """One run: its line of the history, then what it did to each memory and why."""
    from memopt.tokens import TokenCounter

    runs_view(screen, [run], store=store)
    screen.line()
    count_text = TokenCounter(run.encoding).text
    whole = [
        item for item in changes if not (_lacks(item.before, item.action, "added") or _lacks(item.after, item.action, "dropped"))
    ]
    told = [
        Change(
            item.action,
            item.memory_id,
            item.before,
            item.after,
            item.why.reason,
            item.why.into,
            item.why.sources,
            tokens_before=0 if item.before is None else count_text(item.before.memory),
            tokens_after=0 if item.after is None else count_text(item.after.memory),
            step=item.why.step,
        )
        for item in whole
    ]
    if told:
        screen.lines(change_rows(told, screen.width, steps=len(run.steps), colour=screen.colour, full=full))
    for item in changes:
        if item not in whole:
            what = "erased for good" if item.erased else "its row cannot be read"
            screen.lines([[(f"{item.action.value}  {visible(item.memory_id)}  ({what})", "dim")]])


def _lacks(side: UserMemory | None, action: Action, where_none: str) -> bool:
    """Whether a side of a change that should be there is not."""
    return side is None and action.value != where_none


def run_view(screen: Screen, run: Run) -> None:
    """What an undo did."""
    screen.line(
        f"user {user_name(run.user_id)}: {count(run.before.memories, 'memory', 'memories')} -> {number(run.after.memories)}, "
        f"{number(run.before.prompt)} -> {count(run.after.prompt, 'token')} as prompt lines"
    )
    skipped(screen, run.skipped)


def skipped(screen: Screen, ids: Sequence[str]) -> None:
    """The memories that a conflict left out."""
    if ids:
        screen.line((f"{count(len(ids), 'memory', 'memories')} left out, because the stored rows changed meanwhile:", "warn"))
        if len(ids) <= SHOWN_FINDINGS:
            screen.lines([(f"  {visible(memory_id)}", "")] for memory_id in ids)
        else:
            screen.wrapped([(", ".join(map(visible, ids)), "")], indent="  ", hanging="  ")


def strategies_view(screen: Screen, strategies: Sequence[Mapping[str, Any]], plugins: Mapping[str, str]) -> None:
    """Each strategy with its options, their defaults and what they mean; then the installed plugins by name and place."""
    for place, item in enumerate(strategies):
        if place:
            screen.line()
        # one that the built-in consolidator can do says so itself
        asks = " (asks a model, which must be named)" if item["needs_model"] and not item["built_in_writes"] else ""
        screen.wrapped([(f"{visible(item['name'])}", "bold"), (f": {visible(item['summary'])}{asks}", "")], hanging="")
        for option in item["options"]:
            limits = _limits(option)
            line = [
                (f"-o {visible(option['name'])}={option['type'].upper()}", "bold"),
                (f"  {visible(option['help'])}", ""),
            ]
            if limits:
                line.append((f" ({limits})", "dim"))
            screen.wrapped(line, indent="    ", hanging="        ")
    for name, where in plugins.items():
        screen.line()
        screen.wrapped([(visible(name), "bold"), (f": installed plugin ({visible(where)})", "")], hanging="")


def _limits(option: Mapping[str, Any]) -> str:
    parts = []
    if option.get("choices"):
        parts.append("one of " + ", ".join(map(str, option["choices"])))
    if option.get("minimum") is not None:
        parts.append(f"at least {option['minimum']}")
    if option.get("maximum") is not None:
        parts.append(f"at most {option['maximum']}")
    if option["required"]:
        parts.insert(0, "required")
    elif option["default"] is not None:  # None: not set, and the word none may be a value with a meaning of its own
        parts.append(f"default: {value_text(option['default'])}")
    return visible("; ".join(parts))
