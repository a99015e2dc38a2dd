"""A readable summary of a run, as Markdown or as one HTML file, for a mail, a ticket or a phone."""

from __future__ import annotations

from memopt.report.model import DAYS, About, Collector, Report

SUFFIXES = {".md": "Markdown", ".markdown": "Markdown", ".html": "HTML", ".htm": "HTML"}
"""What a file's name must end with, and what is then written to it."""


def render(report: Report, suffix: str) -> str:
    """The report as a text of the form that belongs to a file name's ending (a key of ``SUFFIXES``)."""
    if SUFFIXES[suffix] == "HTML":
        from memopt.report.page import page

        return page(report)
    from memopt.report.markdown import markdown

    return markdown(report)


__all__ = ["DAYS", "SUFFIXES", "About", "Collector", "Report", "render"]
