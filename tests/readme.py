"""Writes the parts of README.md that come from memopt itself: `python tests/readme.py` rewrites them, the tests compare them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PREVIEW = re.compile(
    r"<!-- preview: (?P<command>memopt [^\n]+) -->\n```text\n(?P<text>.*?)```\n<!-- end of preview -->", re.DOTALL
)
EXIT_CODES = re.compile(r"<!-- exit codes -->\n(?P<text>.*?)<!-- end of exit codes -->", re.DOTALL)


def preview(command: str) -> str:
    """What the command prints on 80 columns, with the command before it and the store's path as it was given."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEMOPT_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=ROOT,
        env={**environment, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    return f"$ {command}\n" + done.stdout.replace(f"{ROOT}{os.sep}", "")


def exit_codes() -> str:
    """The table of exit codes."""
    from memopt import errors

    rows = "".join(f"| {int(code)} | {text} |\n" for code, text in errors.EXIT_CODES.items())
    return f"| exit code | meaning |\n| --- | --- |\n{rows}"


def generated(text: str) -> str:
    """The README with its generated parts as they are now."""

    def shown(match: re.Match[str]) -> str:
        body = preview(match["command"])
        return f"<!-- preview: {match['command']} -->\n```text\n{body}```\n<!-- end of preview -->"

    text = PREVIEW.sub(shown, text)
    return EXIT_CODES.sub(lambda _: f"<!-- exit codes -->\n{exit_codes()}<!-- end of exit codes -->", text)


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(generated(readme.read_text(encoding="utf-8")), encoding="utf-8")
