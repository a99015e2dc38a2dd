"""memopt on a real pseudo-terminal."""

from __future__ import annotations

import os
import pty
import select
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSCTTY, TIOCSWINSZ

from support.agnofile import clean_environment


def run_on_terminal(
    *args: str | Path,
    columns: int = 80,
    env: Mapping[str, str | None] | None = None,
    timeout: float = 30,
    keys: bytes = b"",
    asked_with: str = "",
) -> tuple[int, str]:
    """Run memopt with all three streams on a terminal of so many columns. Returns the exit code and what it showed.

    Args:
        keys: what is typed: at once, or one key whenever ``asked_with`` was shown once more.
    """
    leader, follower = pty.openpty()
    ioctl(follower, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "memopt", *map(str, args)],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=clean_environment(**{"TERM": "xterm-256color", **(env or {})}),
        start_new_session=True,
        preexec_fn=lambda: ioctl(0, TIOCSCTTY, 0),  # so that Ctrl-C arrives
    )
    os.close(follower)
    if keys and not asked_with:
        os.write(leader, keys)
    typed = 0
    shown = bytearray()
    end = time.monotonic() + timeout
    try:
        while time.monotonic() < end:
            ready, _, _ = select.select([leader], [], [], 0.1)
            if ready:
                try:
                    data = os.read(leader, 65536)
                except OSError:  # Linux says EIO where the other side is closed
                    break
                if not data:
                    break
                shown += data
                while asked_with and typed < min(len(keys), shown.count(asked_with.encode())):
                    os.write(leader, keys[typed : typed + 1])
                    typed += 1
            elif process.poll() is not None:
                break
        code = process.wait(max(end - time.monotonic(), 0.1))
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(leader)
    return code, shown.decode("utf-8").replace("\r\n", "\n")
