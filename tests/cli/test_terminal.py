"""On a real terminal: colour, the terminal's own width, escapes only of ours, and nothing asked."""

import re

import pytest
from rich.cells import cell_len
from support.agnofile import make_store, row
from support.terminal import run_on_terminal

SGR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def store(tmp_path):
    texts = (
        "用户喜欢喝乌龙茶，不喜欢咖啡。" * 6,
        "Family: 👩‍👩‍👧‍👦, runner 🏃🏽‍♀️, heart ❤️. " * 5,
        "User lives in Berlin, Germany.",
        "user lives in berlin, germany",
        "evil \x1b[31mred\x1b[0m \x1b]0;title\x07 text",
    )
    return make_store(tmp_path / "agno.db", [row(f"id-{i}", text, at=1767258000 + i * 86400) for i, text in enumerate(texts)])


def preview(store, *more, **options):
    return run_on_terminal(
        "optimize", "--db", store, "--user", "u1", "-s", "dedupe", "-s", "recent", "-o", "keep=1", *more, **options
    )


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fills_the_terminal_and_lines_up(store, columns):
    code, shown = preview(store, columns=columns)
    assert code == 0
    assert "\x1b[" in shown
    plain = SGR.sub("", shown)
    assert "\x1b" not in plain and "\x07" not in plain  # what is left of the escapes in the memory is visible text
    assert "evil \\x1b[31mred\\x1b[0m \\x1b]0;title\\x07 text" in plain
    lines = plain.splitlines()
    table = lines[lines.index(next(line for line in lines if line.startswith("action"))) :]
    assert max(map(cell_len, table)) == columns
    chinese = [line for line in table if "乌龙茶" in line]
    assert len({cell_len(line[: re.search("[用户喜欢喝乌龙茶，不咖啡。]", line).start()]) for line in chinese}) == 1


def test_changes_are_coloured_and_not_bracketed(store):
    _, shown = preview(store)
    assert "{+" not in shown and "[-" not in shown
    assert re.search(r"\x1b\[[0-9;]*31[0-9;]*m", shown)  # red: dropped


def test_no_color_takes_the_colour_away_unless_it_is_empty(store):
    _, plain = preview(store, env={"NO_COLOR": "1"})
    assert "\x1b" not in plain
    _, dumb = preview(store, env={"TERM": "dumb"})
    assert "\x1b" not in dumb
    _, coloured = preview(store, env={"NO_COLOR": ""})
    assert "\x1b[" in coloured


def test_without_colour_the_same_is_said_as_through_a_pipe(store):
    from support.agnofile import run_memopt

    _, terminal = preview(store, columns=100, env={"NO_COLOR": "1"})
    piped = run_memopt("optimize", "--db", store, "--user", "u1", "-s", "dedupe", "-s", "recent", "-o", "keep=1")
    assert terminal == piped.stdout


def test_an_apply_asks_nothing_and_writes(store):
    code, shown = preview(store, "--apply", keys=b"n\n")
    assert code == 0 and "applied as run" in SGR.sub("", shown)


def test_columns_is_stronger_than_the_terminal(store):
    _, shown = preview(store, columns=80, env={"COLUMNS": "120", "NO_COLOR": "1"})
    assert max(map(cell_len, shown.splitlines())) == 120
