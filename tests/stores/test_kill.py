"""Killed at every step of apply and undo, the file is the old state or the new one, and the journal agrees."""

from __future__ import annotations

import os
import shutil
import signal

import pytest
from support.agnofile import Sql, dump, integrity, journal_mode, make_store, many, row
from support.faults import Job, run_jobs

from memopt.manager import MemoryManager

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

ROWS = [
    row("a", "Likes jazz", topics=["music"], at=1767258000, agent_id="x"),
    row("b", "Likes jazz", topics=["taste"], at=1767344400, agent_id="x"),
    row("c", "Has two cats", at=1767430800),
    row("other", "Likes jazz", user="u2", at=1767430800),
    row("d", "用户住在上海 🏙️", at=1767517200, feedback="positive", input="hi"),
    row("e", "Works at Zalando", at="2026-01-05 09:00:00.123456+00:00", topics=None),
    row("broken", None, memory=Sql("CAST(x'22c32822' AS TEXT)")),
    row("f", "Rents a bike", at=1767603600, topics="[]"),
]
APPLY = ("optimize", "--user", "u1", "--strategy", "dedupe", "--strategy", "recent", "-o", "keep=3", "--apply")


class Case:
    """A store before and after one command, and copies of it to break."""

    def __init__(self, folder, journal, command):
        self.folder, self.command = folder, command
        self.base = make_store(folder / "base.db", ROWS, journal=journal)
        if command == "undo":
            # two runs, and only the second is taken back
            MemoryManager(self.base).optimize_memories("u1", "dedupe", apply=True)
            MemoryManager(self.base).optimize_memories("u1", "recent", apply=True, options={"keep": 3})
        self.old, self.old_runs = dump(self.base), self.runs(self.base)
        (done,) = self.run([self.job(self.copy("whole"))])
        assert done.code == 0, done.stderr
        self.whole, self.statements = folder / "whole.db", done.statements
        self.begin, self.commit = done.begin, done.commit
        self.new = dump(self.whole)
        assert self.new != self.old
        assert self.runs(self.whole) == self.old_runs + 1
        assert "BEGIN IMMEDIATE" in done.statements[done.begin - 1]
        assert done.begin < done.commit

    def copy(self, name):
        path = self.folder / f"{name}.db"
        shutil.copyfile(self.base, path)
        return path

    def job(self, path, **fault):
        args = APPLY if self.command == "apply" else ("undo",)
        return Job([*args, "--db", str(path)], **fault)

    def run(self, jobs):
        return run_jobs(jobs)

    @staticmethod
    def ids(state):
        """Id and user of every row of a dump of Agno's newer table."""
        return [(line[2], line[12]) for line in state["agno_memories"]]

    def runs(self, path):
        return len(MemoryManager(path).history())

    def is_whole(self, path):
        """Whether the file is wholly the new state; fails where it is neither that nor the old one."""
        # memopt looks first, at the file as the dead process left it
        runs = self.runs(path)
        assert integrity(path) == "ok"
        state = dump(path)
        assert state in (self.old, self.new)
        entries = len(dump(path, own=True).get("memopt_journal", []))
        assert runs == entries == self.old_runs + (state == self.new)
        return state == self.new

    def goes_on(self, path, whole):
        """The file can be used: what was done can be taken back, what was not can be done."""
        if whole:
            MemoryManager(path).undo()
            assert dump(path) == self.old
        else:
            (done,) = self.run([self.job(path)])
            assert done.code == 0, done.stderr
            assert dump(path) == self.new
        assert integrity(path) == "ok"


@pytest.fixture(params=["delete", "wal"], scope="module")
def journal(request):
    return request.param


@pytest.fixture(params=["apply", "undo"], scope="module")
def case(request, journal, tmp_path_factory):
    return Case(tmp_path_factory.mktemp(request.param), journal, request.param)


def test_sigkill_at_every_statement_leaves_old_or_new(case):
    numbers = range(1, len(case.statements) + 1)
    paths = [case.copy(f"n{number}") for number in numbers]
    jobs = [case.job(path, kill_at=number) for number, path in zip(numbers, paths, strict=True)]
    outcomes = case.run(jobs)
    assert all(outcome.killed for outcome in outcomes)
    for number, path in zip(numbers, paths, strict=True):
        whole = case.is_whole(path)
        assert whole == (number > case.commit), case.statements[number - 1]
    # at the first write, at the commit, and after it
    for number in (case.commit - 5, case.commit):
        case.goes_on(paths[number - 1], whole=False)


def test_sigkill_when_a_connection_closes_leaves_old_or_new(case):
    paths = [case.copy(f"c{number}") for number in range(1, 8)]
    outcomes = case.run([case.job(path, kill_closing=number) for number, path in enumerate(paths, 1)])
    assert outcomes[0].killed
    assert outcomes[-1].code == 0
    states = [case.is_whole(path) for path in paths]
    assert states == sorted(states)
    last = max(number for number, outcome in enumerate(outcomes) if outcome.killed)
    case.goes_on(paths[last], states[last])


def test_sigkill_inside_statements_of_the_transaction_leaves_the_old_state(case):
    steps = [1, 2, 5, 11, 23, 47, 90, 140, 200, 270, 350, 440, 540, 700]
    paths = [case.copy(f"s{number}") for number in steps]
    outcomes = case.run([case.job(path, kill_after_steps=n) for n, path in zip(steps, paths, strict=True)])
    killed = [path for path, outcome in zip(paths, outcomes, strict=True) if outcome.killed]
    assert len(killed) > 5
    for path in killed:
        assert not case.is_whole(path)
    case.goes_on(killed[-1], whole=False)


def test_death_within_the_commit_leaves_old_or_new(journal, tmp_path):
    base = make_store(tmp_path / "base.db", many(3000), journal=journal)
    old = dump(base)
    delays = [0.00005, 0.0002, 0.0004, 0.0008, 0.0012, 0.002, 0.003, 0.005]
    paths = [tmp_path / f"{number}.db" for number in range(len(delays))]
    for path in paths:
        shutil.copyfile(base, path)
    args = ("optimize", "--user", "u1", "--strategy", "recent", "-o", "keep=500", "--apply", "--json")
    jobs = [Job([*args, "--db", str(path)], alarm_in=delay) for path, delay in zip(paths, delays, strict=True)]
    outcomes = run_jobs(jobs)
    assert {outcome.code for outcome in outcomes} <= {0, -signal.SIGALRM}
    assert -signal.SIGALRM in {outcome.code for outcome in outcomes}
    for path in paths:
        runs = len(MemoryManager(path).history())
        assert integrity(path) == "ok"
        state = dump(path)
        assert (len(state["agno_memories"]), runs) in ((3000, 0), (500, 1))
        if runs:
            MemoryManager(path).undo()
            state = dump(path)
        assert state == old


def test_file_left_by_a_dead_writer_can_be_previewed_and_is_not_changed_by_it(case):
    path = case.copy("dead")
    (outcome,) = case.run([case.job(path, kill_at=case.commit)])
    assert outcome.killed
    files = {item.name: item.read_bytes() for item in case.folder.glob("dead*") if not item.name.endswith("-shm")}
    manager = MemoryManager(path)
    assert [memory.memory_id for memory in manager.get_user_memories("u1").memories] == [
        name.decode() for name, user in case.ids(case.old) if user == b"u1" and name != b"broken"
    ]
    manager.optimize_memories("u1", "recent", options={"keep": 2})
    after = {item.name: item.read_bytes() for item in case.folder.glob("dead*") if not item.name.endswith("-shm")}
    assert after == files


def test_ctrl_c_before_the_commit_writes_nothing_and_says_so(case):
    # of what only reads before the transaction every third will do
    turns = {n for n, sql in enumerate(case.statements, 1) if sql.startswith(("BEGIN", "COMMIT", "ROLLBACK"))}
    numbers = sorted({*range(1, case.begin, 3), *turns, *range(case.begin, case.commit)} - {*range(case.commit + 1, 999)})
    paths = [case.copy(f"i{number}") for number in numbers]
    outcomes = case.run([case.job(path, interrupt_at=n) for n, path in zip(numbers, paths, strict=True)])
    for number, path, outcome in zip(numbers, paths, outcomes, strict=True):
        whole = case.is_whole(path)
        if whole:
            # too late: the commit was under way; then it must not be reported as undone
            assert number == case.commit
            assert "nothing was written" not in outcome.stderr.lower()
        else:
            assert outcome.code == 130, (case.statements[number - 1], outcome.stderr)
            assert "nothing was written" in outcome.stderr.lower()
            assert "Traceback" not in outcome.stderr


def test_journal_mode_survives_apply_and_undo(case, journal):
    assert journal_mode(case.whole) == journal
    assert not case.whole.with_name("whole.db-wal").exists()
    assert not case.whole.with_name("whole.db-journal").exists()
