"""The command line in this process: the same arguments, streams and exit codes as a process of its own, without its start."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from memopt.cli.run import run
from support.agnofile import clean_environment


def call_memopt(
    *args: str | Path,
    env: Mapping[str, str | None] | None = None,
    cwd: Path | str | None = None,
    stdin: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """What ``support.agnofile.run_memopt`` does, in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given = io.TextIOWrapper(io.BytesIO((stdin or "").encode()), encoding="utf-8")
    before = Path.cwd()
    with (
        mock.patch.dict(os.environ, clean_environment(**(env or {})), clear=True),
        mock.patch.multiple(sys, stdout=out, stderr=err, stdin=given),
    ):
        try:
            os.chdir(cwd or before)
            code = run(list(map(str, args)))
        finally:
            os.chdir(before)
        shown = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(["memopt", *map(str, args)], code, *shown)


def json_of_memopt(*args: str | Path, code: int | None = 0, **options: Any) -> Any:
    """Run memopt with ``--json`` and return its one document; asserts the exit code unless ``code`` is None."""
    done = call_memopt(*args, "--json", **options)
    assert code is None or done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout)
