"""Options in groups: what typer sees of them, and what a command gets."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from memopt.cli.grouped import Only, Without, grouped


@dataclass(frozen=True)
class Inner:
    tags: Annotated[tuple[str, ...], typer.Option("--tag")] = ()
    quick: bool = True


@dataclass(frozen=True)
class Group:
    where: Annotated[str | None, typer.Option("--where", help="The place.")] = None
    inner: Inner = Inner()
    loud: Annotated[bool, typer.Option("--loud", help="Say more.")] = False


@dataclass(frozen=True)
class Files:
    names: Annotated[tuple[str, ...], typer.Argument()]


def run(function, *args):
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command()(grouped(function))
    return CliRunner().invoke(app, args)


def command(kind):
    def show(name: Annotated[str, typer.Argument()], group: kind, last: Annotated[str, typer.Option("--last")] = "z") -> None:
        print([name, group, last])

    return show


def test_a_group_stands_for_its_options_and_those_of_the_groups_in_it():
    done = run(command(Group), "n", "--where", "here", "--tag", "a", "--tag", "b", "--loud", "--last", "y")
    assert done.output == f"{['n', Group('here', Inner(('a', 'b'), True), True), 'y']}\n"
    assert run(command(Group), "n").output == f"{['n', Group(), 'z']}\n"
    told = run(command(Group), "--help").output
    places = [told.index(name) for name in ("--where", "--tag", "--loud", "--last")]
    assert places == sorted(places) and "--quick" not in told
    assert run(command(Group), "n", "--wher", "x").exit_code == 2


def test_a_command_may_leave_options_of_a_group_out():
    without = command(Annotated[Group, Without("tags", "loud")])
    assert run(without, "n", "--where", "here").output == f"{['n', Group('here'), 'z']}\n"
    assert run(without, "n", "--tag", "a").exit_code == run(without, "n", "--loud").exit_code == 2
    only = command(Annotated[Group, Only("tags where", where="Somewhere else.")])
    assert run(only, "n", "--tag", "a").output == f"{['n', Group(None, Inner(('a',))), 'z']}\n"
    assert run(only, "n", "--loud").exit_code == 2
    assert "Somewhere else." in run(only, "--help").output and "Somewhere else." not in run(command(Group), "--help").output


def test_what_a_group_has_not_and_what_is_there_twice_is_a_mistake_at_once():
    for narrow in (Only("tags wher"), Without("wher")):
        with pytest.raises(TypeError, match="has no wher"):
            grouped(command(Annotated[Group, narrow]))

    def twice(group: Group, where: Annotated[str, typer.Option("--where")] = "") -> None: ...

    with pytest.raises(TypeError, match="two options are named where"):
        grouped(twice)


def test_an_argument_of_a_group_that_may_be_repeated_is_wanted_at_least_once():
    def show(files: Files) -> None:
        print(files.names)

    assert run(show, "a", "b").output == "('a', 'b')\n"
    assert run(show).exit_code == 2
