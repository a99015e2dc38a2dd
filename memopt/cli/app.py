"""The commands, put together. typer is told to leave rich alone: help without markup starts three times as fast."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memopt._version import __version__
from memopt.cli import init, look, optimize, review, runs, strategies
from memopt.cli.plain import PlainCommand, PlainGroup

app = typer.Typer(
    name="memopt",
    cls=PlainGroup,
    help="Keep an AI agent's long-term memory small, current and true: preview, apply and undo on the store that the agent's "
    "framework wrote. Nothing is written unless --apply says so.",
    epilog="Start with: memopt users --db agno.db; memopt optimize --db agno.db --user ID --strategy recent -o keep=50",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"memopt {__version__}")
        raise typer.Exit


@app.callback()
def memopt(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """The options of memopt itself; every other one stands after its command."""


_COMMANDS: tuple[tuple[str, Any], ...] = (
    ("optimize", optimize.optimize),
    ("apply", optimize.apply),
    ("review", review.review),
    ("undo", runs.undo),
    ("history", runs.history),
    ("users", look.users),
    ("show", look.show),
    ("strategies", strategies.strategies),
    ("init", init.init),
)

for _name, _function in _COMMANDS:
    app.command(_name, cls=PlainCommand, context_settings={"help_option_names": ["-h", "--help"]})(_function)
