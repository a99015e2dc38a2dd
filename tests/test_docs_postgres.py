"""The page on Postgres tells the truth: the rights that it names are enough, and each of them is needed."""

from __future__ import annotations

import re
from contextlib import ExitStack

import pytest
from readme import ROOT
from support.agnofile import row, run_memopt
from support.postgres import PASSWORD, TABLE, database

PAGE = (ROOT / "docs" / "postgres.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)


def statements(block):
    return [line.rstrip(";") for line in block.strip().splitlines()]


@pytest.fixture
def db():
    with ExitStack() as stack:
        made = stack.enter_context(database())
        for role in ("memopt_reader", "memopt_writer"):
            made.run(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'", user="postgres")
            stack.callback(made.run, f"DROP OWNED BY {role} CASCADE", f"DROP ROLE {role}", user="postgres")
        yield made.make([row("a", "Likes tea"), row("b", "Likes tea"), row("c", "Other", user="u2")])


def memopt(db, role, *args):
    return run_memopt(*args, "--db", db.server.url(db.name, role)).returncode


PREVIEW = ("optimize", "--user", "u1", "--strategy", "dedupe")


def test_the_rights_of_a_reader_are_enough_for_previews_and_all_are_needed(db):
    grants = statements(BLOCKS[0])
    for grant in grants:
        assert memopt(db, "memopt_reader", *PREVIEW) == 6
        db.run(grant, user="postgres")
    assert memopt(db, "memopt_reader", *PREVIEW) == 0
    assert memopt(db, "memopt_reader", *PREVIEW, "--apply") == 6


def test_the_rights_of_a_writer_are_enough_and_all_are_needed(db):
    before = db.dump()
    for grant in statements(BLOCKS[1]):
        assert memopt(db, "memopt_writer", *PREVIEW, "--apply") == 6
        db.run(grant, user="postgres")
    assert db.dump() == before
    assert memopt(db, "memopt_writer", *PREVIEW, "--apply") == 0
    assert memopt(db, "memopt_writer", "undo") == 0
    assert db.dump() == before
    assert memopt(db, "memopt_writer", "history", "--prune", "--keep", "1") == 0


def test_a_reader_beside_a_journal_needs_what_the_page_says(db):
    for grant in (*statements(BLOCKS[0]), *statements(BLOCKS[1])):
        db.run(grant, user="postgres")
    assert memopt(db, "memopt_writer", *PREVIEW, "--apply") == 0
    for grant in statements(BLOCKS[2]):
        assert memopt(db, "memopt_reader", "history") == 6
        db.run(grant, user="postgres")
    assert memopt(db, "memopt_reader", "history") == 0


def test_a_reader_without_the_journal_looks_at_the_memories_all_the_same(db, tmp_path):
    for grant in (*statements(BLOCKS[0]), *statements(BLOCKS[1])):
        db.run(grant, user="postgres")
    assert memopt(db, "memopt_writer", *PREVIEW, "--apply") == 0
    before = db.dump()
    url = db.server.url(db.name, "memopt_reader")
    for who in (("--user", "u1"), ("--all-users",)):
        done = run_memopt("optimize", *who, "-s", "dedupe", "--db", url, "--report", tmp_path / "r.md")
        assert done.returncode == 0 and "the journal is left out" in done.stderr and "GRANT SELECT" in done.stderr, done.stderr
        assert (tmp_path / "r.md").exists() and PASSWORD not in done.stderr
        # what a model may rewrite once more only the journal knows
        assert memopt(db, "memopt_reader", "optimize", *who, "-s", "summarize") != 0
        assert memopt(db, "memopt_reader", "optimize", *who, "-s", "dedupe", "--apply") == 6
    doctor = run_memopt("doctor", "--db", url, "--fail-on", "warning")
    assert doctor.returncode == 0, doctor.stdout
    assert "left out: this role may not read it" in doctor.stdout and "GRANT USAGE ON SCHEMA memopt" in doctor.stdout
    assert memopt(db, "memopt_reader", "show", "--user", "u1") == 0 and memopt(db, "memopt_reader", "history") == 6
    assert db.dump() == before


def test_the_page_names_the_tables_and_the_extra_that_there_are():
    from memopt.stores import journal_postgres as journal

    assert f"`{journal.NAME}`" in PAGE and f"`{journal.SEEN_NAME}`" in PAGE
    assert TABLE in PAGE
    assert "postgres = [" in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
