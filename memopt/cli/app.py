"""The commands, put together. typer is told to leave rich alone: help without markup starts three times as fast."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from memopt._version import __version__
from memopt.cli import (
    batch,
    calibrate,
    curve,
    doctor,
    init,
    look,
    optimize,
    questions,
    queue,
    review,
    runs,
    search,
    strategies,
    tune,
)
from memopt.cli import eval as eval_
from memopt.cli.grouped import grouped
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


# Each with a line of its own for the list of commands: click would cut the first sentence of a longer help text.
_COMMANDS: tuple[tuple[str, Any, str], ...] = (
    ("optimize", optimize.optimize, "Show what a strategy would change; --apply writes it."),
    ("apply", optimize.apply, "Write a plan that was kept, exactly as it was shown."),
    ("review", review.review, "Walk through a plan, and write what you accept."),
    ("enqueue", queue.enqueue, "Put a job a user into a queue for many machines."),
    ("worker", queue.worker, "Do the jobs of the queue."),
    ("jobs", queue.jobs, "Show the queue, and why jobs failed."),
    ("undo", runs.undo, "Take a run back: put the exact rows back."),
    ("history", runs.history, "List what was applied, show one run, or drop old ones."),
    ("users", look.users, "List the users, and what their memories cost."),
    ("show", look.show, "Show one user's memories."),
    ("doctor", doctor.doctor, "Check a store, and tell what to do about it."),
    ("search", search.search, "Search one user's memories as an agent does."),
    ("tune", tune.tune, "Fit the weights of the search on labelled questions."),
    ("eval", eval_.evaluate, "Measure what strategies do to recall."),
    ("questions", questions.questions, "Draft labelled questions from the memories."),
    ("curve", curve.curve, "Plot what a budget would keep."),
    ("calibrate", calibrate.calibrate, "Show which memories come close in meaning."),
    ("strategies", strategies.strategies, "List the strategies with their options."),
    ("init", init.init, "Write a commented memopt.toml."),
)

for _name, _function, _short in _COMMANDS:
    app.command(_name, cls=PlainCommand, short_help=_short, context_settings={"help_option_names": ["-h", "--help"]})(
        grouped(_function)
    )

app.add_typer(batch.app, name="batch", short_help="Ask the model through files, as batch services take them.")
