"""Tokens against recall as a picture. The one module that knows matplotlib, which the extra ``plots`` brings."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.util import find_spec
from typing import Any

from memopt.errors import UsageError

EXTRA = "plots"
FORMATS = ("png", "svg", "html")


@dataclass(frozen=True, slots=True)
class Dot:
    """One contender in the picture.

    Attributes:
        name: as it is told.
        share: of the tokens that are left, 0 to 1 (or more, where a plan adds).
        value, low, high: recall with its interval, 0 to 1.
        line: dots of one line are joined, in the order of their shares; "" stands alone.
    """

    name: str
    share: float
    value: float
    low: float
    high: float
    line: str = ""


def check_extra() -> None:
    """Raise UsageError where the extra is not installed."""
    if find_spec("matplotlib") is None:
        raise UsageError(f"drawing a chart needs the package matplotlib: pip install 'memopt[{EXTRA}]'")


def draw(dots: Sequence[Dot], measure: str, kind: str) -> bytes:
    """The chart as a file's bytes, the same for the same figures.

    Args:
        dots: one a contender.
        measure: what is measured, for the axis.
        kind: one of ``FORMATS``.

    Raises:
        UsageError: the extra is not installed.
    """
    check_extra()
    if kind == "html":
        return _page(dots, measure, _picture(dots, measure, "svg")).encode("utf-8")
    return _picture(dots, measure, kind)


def _picture(dots: Sequence[Dot], measure: str, kind: str) -> bytes:
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    style: Any = {"svg.hashsalt": "memopt", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    with matplotlib.rc_context(style), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name may hold characters that the font lacks; the table beside it has them
        figure = Figure(figsize=(7.2, 4.6), dpi=150, layout="constrained")
        (FigureCanvasSVG if kind == "svg" else FigureCanvasAgg)(figure)
        axes = figure.add_subplot()
        for line in dict.fromkeys(dot.line for dot in dots if dot.line):
            joined = sorted((dot for dot in dots if dot.line == line), key=lambda dot: dot.share)
            axes.plot([100 * dot.share for dot in joined], [dot.value for dot in joined], color="#9aa0a6", linewidth=1, zorder=1)
        for number, dot in enumerate(dots):
            axes.errorbar(
                [100 * dot.share],
                [dot.value],
                yerr=[[max(0.0, dot.value - dot.low)], [max(0.0, dot.high - dot.value)]],
                fmt="o",
                markersize=5,
                capsize=2,
                linewidth=1,
                color=f"C{number % 10}",
                label=_plain(dot.name),
            )
        axes.set_xlabel("tokens left, % of all memories")
        axes.set_ylabel(f"{measure} (95 % interval)")
        axes.set_xlim(0, max(105.0, *(105 * dot.share for dot in dots)))
        axes.set_ylim(0, 1.02)
        axes.grid(color="#e0e0e0", linewidth=0.5)
        axes.set_axisbelow(True)
        figure.legend(loc="outside right upper", frameon=False, fontsize=8)
        out = io.BytesIO()
        metadata: dict[str, Any] = {"Date": None, "Creator": "memopt"} if kind == "svg" else {"Software": "memopt"}
        figure.savefig(out, format=kind, metadata=metadata)
    return out.getvalue()


def _plain(name: str) -> str:
    """A name for the legend: no mathematics, no underscore that hides it, not too long."""
    text = name.replace("$", r"\$")
    text = text if len(text) <= 40 else text[:38] + " …"
    return f" {text}" if text.startswith("_") else text


def _page(dots: Sequence[Dot], measure: str, picture: bytes) -> str:
    svg = picture.decode("utf-8")
    svg = svg[svg.index("<svg") :]
    rows = "".join(
        f"<tr><td>{escape(dot.name)}</td><td>{100 * dot.share:.1f}&nbsp;%</td><td>{dot.value:.3f}</td>"
        f"<td>{dot.low:.3f} – {dot.high:.3f}</td></tr>\n"
        for dot in dots
    )
    style = (
        "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#202124;background:#fff}"
        "svg{width:100%;height:auto}table{border-collapse:collapse;width:100%}"
        "td,th{padding:.3rem .6rem;border-bottom:1px solid #dadce0;text-align:right;overflow-wrap:anywhere}"
        "td:first-child,th:first-child{text-align:left}"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>memopt: tokens against {escape(measure)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"<h1>Tokens against {escape(measure)}</h1>\n{svg}\n<table>\n"
        f"<thead><tr><th>contender</th><th>tokens</th><th>{escape(measure)}</th><th>95&nbsp;% interval</th></tr></thead>\n"
        f"<tbody>\n{rows}</tbody>\n</table>\n</body>\n</html>\n"
    )
