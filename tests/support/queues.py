"""A fleet of users in a Postgres, and memopt's queue worked in this process or in real ones."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from support.agnofile import clean_environment, row
from support.inprocess import call_memopt
from support.postgres import Database

QUICK = ("--poll", "0.05", "--heartbeat", "1.5")


def fleet(users: Iterable[str], copies: int = 2) -> Iterator[dict[str, Any]]:
    """Rows of users: each has a memory ``copies`` times, and one more."""
    for number, user in enumerate(users):
        for copy in range(copies):
            yield row(f"{number}-{copy}", "Likes jazz", user=user, at=1767258000 + copy)
        yield row(f"{number}-x", f"Has {number + 2} cats", user=user, at=1767258100)


def names(number: int) -> list[str]:
    return [f"user-{place:03d}" for place in range(number)]


class Queue:
    """memopt with one database, in one folder."""

    def __init__(self, db: Database, folder: Path, **env: str) -> None:
        self.db, self.folder = db, folder
        self.env: dict[str, str | None] = {"MEMOPT_DB": db.url, **env}

    def call(self, *args: str, code: int | None = 0, **env: str) -> subprocess.CompletedProcess[str]:
        done = call_memopt(*args, env={**self.env, **env}, cwd=self.folder)
        assert code is None or done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return done

    def json(self, *args: str, code: int | None = 0, **env: str) -> Any:
        return json.loads(self.call(*args, "--json", code=code, **env).stdout)

    def enqueue(self, *args: str, who: tuple[str, ...] = ("--all-users",), **more: Any) -> Any:
        return self.json("enqueue", *who, *(args or ("--strategy", "dedupe")), **more)

    def work(self, *args: str, **more: Any) -> Any:
        """A worker until the queue is empty. Returns how many jobs ended how."""
        found = self.json("worker", "--until-empty", *QUICK, *args, **more)
        return {name: number for name, number in found["jobs"].items() if number}

    def jobs(self, *args: str) -> Any:
        return self.json("jobs", *args)

    def start(self, *args: str, **env: str) -> subprocess.Popen[str]:
        """A worker of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "memopt", "worker", *QUICK, *args], env=clean_environment(**{**self.env, **env}), cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def journal(self) -> list[str]:
        """The users of the runs in the journal, in order of the ids."""
        if self.db.ask("SELECT to_regclass('memopt.journal') IS NULL") == [(True,)]:
            return []
        return sorted(found[0] for found in self.db.ask("SELECT user_id FROM memopt.journal"))

    def statuses(self) -> dict[str, int]:
        """How many jobs the engine has in which state."""
        return dict(self.db.ask("SELECT status::text, count(*) FROM memopt.procrastinate_jobs GROUP BY 1"))


def wait_for(true: Any, seconds: float = 90.0) -> None:
    """Wait until something is true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.02)


def policies(folder: Path, text: str) -> None:
    """The policies of a folder."""
    (folder / "memopt.toml").write_text(text, encoding="utf-8")
