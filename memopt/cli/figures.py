"""What ``memopt eval`` shows: the table, the chart in characters, and the JSON document."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memopt.cli.safe import visible

if TYPE_CHECKING:
    from memopt.cli.eval import Entry, Evaluation
    from memopt.cli.render import Screen
    from memopt.evaluation.answering import Answers
    from memopt.evaluation.measure import Figures
    from memopt.evaluation.plot import Dot
    from memopt.evaluation.stats import Difference, Estimate

_ROWS = 11
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAMED = 5


# -- JSON --------------------------------------------------------------------------------------------------------------


def document(found: Evaluation) -> dict[str, Any]:
    """``eval --json``."""
    from memopt.cli.documents import store_document
    from memopt.evaluation.stats import RESAMPLES

    trial = found.trial
    return {
        "store": store_document(found.manager.store.ref),
        "users": list(found.users),
        "encoding": found.manager.tokens.encoding,
        "unreadable": found.unreadable,
        "questions": {
            "measured": len(trial.questions),
            "unanswerable": found.given.unanswerable,
            "left_out": [{"id": item.question.id, "reason": item.reason} for item in trial.left_out],
            "unknown": [{"id": name, "memory_ids": list(ids)} for name, ids in trial.unknown.items()],
        },
        "k": list(trial.ks),
        "ranking": found.ranking.to_dict(),
        "embedder": found.embedder,
        "seed": found.seed,
        "resamples": RESAMPLES,
        "notes": list(found.notes),
        "contenders": [_entry(entry, found) for entry in found.entries],
    }


def _entry(entry: Entry, found: Evaluation) -> dict[str, Any]:
    figures = entry.figures
    usage = entry.usage
    error = entry.error
    return {
        "name": entry.name,
        "steps": entry.steps,
        "plan": entry.plan,
        "error": None if error is None else {"kind": error.kind, "message": str(error), "exit_code": int(error.exit_code)},
        "usage": None
        if usage is None
        else {
            "requests": usage.requests,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "cost": usage.cost,
        },
        "memories": None if figures is None else {"before": figures.memories[0], "after": figures.memories[1]},
        "tokens": None
        if figures is None
        else {"before": figures.tokens[0], "after": figures.tokens[1], "share": round(figures.share, 6)},
        "figures": None if figures is None else {name: _estimate(each) for name, each in figures.estimates.items()},
        "differences": None if figures is None else {name: _difference(each) for name, each in figures.differences.items()},
        "lost": None if figures is None else list(figures.lost),
        "answers": None if entry.answers is None else _answers(entry.answers, found),
    }


def _estimate(each: Estimate) -> dict[str, Any]:
    return {"value": _round(each.value), "low": _round(each.low), "high": _round(each.high), "questions": each.questions}


def _difference(each: Difference | None) -> dict[str, Any] | None:
    if each is None:
        return None
    return {"value": _round(each.value), "low": _round(each.low), "high": _round(each.high), "p": _round(each.p)}


def _answers(answers: Answers, found: Evaluation) -> dict[str, Any]:
    return {
        "exact": _estimate(answers.exact),
        "f1": _estimate(answers.f1),
        "judged": _estimate(answers.judged) if found.judged else None,
        "tokens": _estimate(answers.tokens),
        "failed": answers.failed,
        "given": [
            {
                "id": question.id,
                "answer": item.text,
                "exact": _round(item.exact),
                "f1": _round(item.f1),
                "judged": _round(item.judged),
                "tokens": item.tokens,
                "error": item.error,
            }
            for question, item in zip(found.trial.questions, answers.given, strict=True)
        ],
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


# -- the picture -------------------------------------------------------------------------------------------------------


def points(found: Evaluation) -> list[Dot]:
    """The contenders for ``--plot``: all memories and the shares of one budget on one line."""
    from memopt.evaluation.plot import Dot

    name = f"recall@{found.trial.ks[-1]}"
    out = []
    for entry in found.entries:
        if entry.figures is None:
            continue
        each = entry.figures.estimates[name]
        stem, _, share = entry.name.rpartition(" ")
        line = stem if share.endswith("%") and stem else ""
        out.append(Dot(entry.name, entry.figures.share, each.value or 0.0, each.low or 0.0, each.high or 0.0, line))
    return out


# -- people ------------------------------------------------------------------------------------------------------------


def view(screen: Screen, found: Evaluation, *, full: bool = False) -> None:
    """The tables, the chart and the questions that are lost."""
    from memopt.cli.render import count, store_text, user_name
    from memopt.cli.words import shortened_list

    trial = found.trial
    users = shortened_list([user_name(user) for user in found.users])
    screen.wrapped([(f"Recall on {count(len(trial.questions), 'question')} about {users}", "bold")])
    about = [("store", store_text(found.manager.store.ref)), ("search", _search(found)), ("intervals", _intervals(found))]
    for name, text in about:
        if name == "store":
            screen.lines([[(f"  {name:<12}", "dim"), (text, "")]])
        else:
            screen.wrapped([(text, "")], indent=f"  {name:<12}", hanging=" " * 14)
    for note in found.notes:
        screen.wrapped([(visible(note), "warn")], indent="  ", hanging="  ")
    screen.line()
    letters = _letters(found)
    _figures_table(screen, found, letters)
    screen.line()
    _difference_table(screen, found, letters)
    _answers_table(screen, found, letters)
    screen.line()
    _chart(screen, found, letters)
    screen.line()
    _left_out(screen, found)
    _lost(screen, found, full)
    screen.wrapped([("nothing was written to the store", "")])


def _search(found: Evaluation) -> str:
    ranking = found.ranking
    weights = f"words {ranking.lexical:g}, names and dates {ranking.entity:g}, recency {ranking.recency:g}"
    who = f"meaning {ranking.semantic:g} ({visible(found.embedder)}), " if found.embedder is not None else ""
    k = found.trial.ks[-1]
    return f"{who}{weights}; the {k} best, read as far as the tokens of all memories' {k} best go"


def _intervals(found: Evaluation) -> str:
    return f"95 %, bootstrap over the questions, seed {found.seed}; p by a paired permutation test"


def _letters(found: Evaluation) -> list[str]:
    return [_LETTERS[place] if place < len(_LETTERS) else "·" for place in range(len(found.entries))]


def share(value: float | None, digits: int = 3) -> str:
    """A share from 0 to 1, never rounded up to 1."""
    if value is None:
        return "-"
    scale = 10**digits
    cut = math.floor(value * scale + 1e-6) if 1 - 1 / scale < value < 1 else round(value * scale)
    return f"{cut / scale:.{digits}f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


def _figures_table(screen: Screen, found: Evaluation, letters: Sequence[str]) -> None:
    from memopt.cli.render import number

    ks = found.trial.ks
    shown = [f"recall@{k}" for k in ks[-3:]]
    names = ["evidence", *shown, "mrr", "support"]
    heads = ["left", "tokens", "kept", *(f"r@{k}" for k in ks[-3:]), "MRR", "supp"]
    stale = any(entry.figures is not None and entry.figures.estimates["stale_above"].questions for entry in found.entries)
    if stale:
        names.append("stale_above")
        heads.append("stale")
    rows = []
    for entry in found.entries:
        figures = entry.figures
        if figures is None:
            rows.append(["-"] * len(heads))
            continue
        cells = [share(figures.estimates[name].value) for name in names]
        rows.append([number(figures.memories[1]), _percent(figures.share), *cells])
    _table(screen, found, letters, heads, rows)
    outdated = "; stale: how often an outdated memory stands above what answers" if stale else ""
    legend = f"kept: evidence that is still told; r@k: of it, in the k best; supp: words of the answer in them{outdated}"
    screen.wrapped([(legend, "dim")], indent="  ", hanging="  ")


def _difference_table(screen: Screen, found: Evaluation, letters: Sequence[str]) -> None:
    k = found.trial.ks[-1]
    name = f"recall@{k}"
    heads = [f"r@{k}", "interval", "difference", "interval", "p"]
    rows = []
    for entry in found.entries:
        figures = entry.figures
        if figures is None:
            rows.append(["-"] * len(heads))
            continue
        each = figures.estimates[name]
        gap = figures.differences.get(name)
        row = [share(each.value), f"{share(each.low)}-{share(each.high)}"]
        row += [f"{gap.value:+.3f}", f"{gap.low:+.3f} {gap.high:+.3f}", _p(gap.p)] if gap is not None else ["", "", ""]
        rows.append(row)
    screen.wrapped([(f"recall@{k} and its difference to all memories", "")])
    _table(screen, found, letters, heads, rows)


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _answers_table(screen: Screen, found: Evaluation, letters: Sequence[str]) -> None:
    if not any(entry.answers is not None for entry in found.entries):
        return
    heads = ["exact", "interval", "F1", "interval", *(["judged"] if found.judged else []), "tokens", "failed"]
    rows = []
    for entry in found.entries:
        answers = entry.answers
        if answers is None:
            rows.append(["-"] * len(heads))
            continue
        row = [share(answers.exact.value), f"{share(answers.exact.low)}-{share(answers.exact.high)}"]
        row += [share(answers.f1.value), f"{share(answers.f1.low)}-{share(answers.f1.high)}"]
        row += [share(answers.judged.value)] if found.judged else []
        rows.append([*row, f"{answers.tokens.value or 0:,.0f}", str(answers.failed)])
    screen.line()
    screen.wrapped([("the model's answers from what was found; tokens per question, request and answer", "")])
    _table(screen, found, letters, heads, rows)


def _table(
    screen: Screen, found: Evaluation, letters: Sequence[str], heads: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Columns of figures with the contender's name before them, on a line of its own where it is too long for that."""
    from memopt.cli.render import cells, pad

    widths = [max(cells(head), *(cells(row[at]) for row in rows)) for at, head in enumerate(heads)]
    wide = sum(widths) + 2 * len(widths)
    names = [visible(entry.name) for entry in found.entries]
    room = max(12, screen.width - 2 - wide)
    front = min(room, max(map(cells, names)))

    def figures(row: Sequence[str]) -> str:
        return "".join(f"  {pad(text, width, right=True)}" for text, width in zip(row, widths, strict=True))

    screen.line((f"  {pad('', front)}{figures(heads)}", "head"))
    for letter, name, row in zip(letters, names, rows, strict=True):
        if cells(name) <= front:
            screen.line((f"{letter} {pad(name, front)}{figures(row)}", ""))
        else:
            screen.wrapped([(name, "")], indent=f"{letter} ", hanging="  ")
            screen.line((f"  {pad('', front)}{figures(row)}", ""))


def _chart(screen: Screen, found: Evaluation, letters: Sequence[str]) -> None:
    """Tokens against recall, each contender by its letter; where two would stand on one place, the later stands beside."""
    dots = [(letter, entry.figures) for letter, entry in zip(letters, found.entries, strict=True) if entry.figures is not None]
    most = max(1.0, *(figures.share for _, figures in dots))
    width = max(20, min(60, screen.width - 10))
    name = f"recall@{found.trial.ks[-1]}"
    grid = [[" "] * (width + 1) for _ in range(_ROWS)]
    beside = []
    for letter, figures in dots:
        column, row = round(figures.share / most * width), _ROWS - 1 - round((figures.estimates[name].value or 0) * (_ROWS - 1))
        free = next((at for at in _around(column, width) if grid[row][at] == " "), None)
        if free is None:
            beside.append(letter)
        else:
            grid[row][free] = letter
    screen.line((f"{name} (up) against tokens left (right)", ""))
    for row, cells in enumerate(grid):
        label = f"{1 - row / (_ROWS - 1):.1f}" if row % 2 == 0 else ""
        screen.line((f"{label:>4} │", "dim"), ("".join(cells).rstrip(), "in"))
    screen.line((f"     └{'─' * (width + 1)}", "dim"))
    marks = [" "] * (width + 7)
    for at in range(5):
        text = f"{100 * most * at / 4:.0f} %"
        start = 6 + round(width * at / 4) - (len(text) - 1 if at == 4 else 0)
        marks[start : start + len(text)] = text
    screen.line(("".join(marks).rstrip(), "dim"))
    if beside:
        screen.wrapped([(f"no room for {', '.join(beside)}: see the table", "dim")])


def _around(column: int, width: int) -> list[int]:
    return [at for at in (column, column - 1, column + 1, column - 2, column + 2) if 0 <= at <= width]


def _left_out(screen: Screen, found: Evaluation) -> None:
    from collections import defaultdict

    from memopt.cli.render import count
    from memopt.cli.words import shortened_list

    reasons: dict[str, list[str]] = defaultdict(list)
    for item in found.trial.left_out:
        reasons[item.reason].append(item.question.id)
    for reason, ids in reasons.items():
        told = f"{count(len(ids), 'question')} left out, because {reason}: {shortened_list(ids)}"
        screen.wrapped([(visible(told), "warn")], hanging="  ")
    if found.given.unanswerable:
        told = f"{count(found.given.unanswerable, 'question')} that cannot be answered, as the file says: left out"
        screen.wrapped([(told, "")], hanging="  ")
    known = {question.id for question in found.trial.questions}
    partly = [f"{name} ({', '.join(ids)})" for name, ids in found.trial.unknown.items() if name in known]
    if partly:
        told = f"no memory has these ids, which count for nothing: {shortened_list(partly)}"
        screen.wrapped([(visible(told), "warn")], hanging="  ")
    if found.unreadable:
        screen.wrapped([(f"{count(found.unreadable, 'row')} that cannot be read: not looked at", "")], hanging="  ")


def _lost(screen: Screen, found: Evaluation, full: bool) -> None:
    texts = {question.id: question.text for question in found.trial.questions}
    for entry in found.entries:
        figures = entry.figures
        if figures is None or not figures.lost:
            continue
        shown = figures.lost if full else figures.lost[:_NAMED]
        screen.wrapped([(f"{visible(entry.name)} loses, wholly or in part:", "")])
        for name in shown:
            screen.wrapped([(f"{visible(name)}: {visible(texts[name])}", "")], indent="  ", hanging="    ")
        if len(shown) < len(figures.lost):
            screen.line(f"  and {len(figures.lost) - len(shown)} more; --full names them all")
    if any(_costly(entry.figures) for entry in found.entries):
        k = found.trial.ks[-1]
        screen.wrapped([(f"read whole, however long the {k} best are:", "")])
        for entry in found.entries:
            if _costly(entry.figures) and entry.figures is not None:
                whole, cost = entry.figures.estimates["whole"].value or 0, entry.figures.estimates["cost"].value or 0
                told = f"{visible(entry.name)}: recall@{k} {share(whole)}, for {cost:,.0f} tokens a question"
                screen.wrapped([(told, "")], indent="  ", hanging="    ")


def _costly(figures: Figures | None) -> bool:
    """Whether the limit on tokens hid something."""
    if figures is None:
        return False
    k = [name for name in figures.estimates if name.startswith("recall@")][-1]
    return (figures.estimates["whole"].value or 0) > (figures.estimates[k].value or 0) + 1e-9
