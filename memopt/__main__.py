"""The console script ``memopt`` and ``python -m memopt``. Nothing is imported before it is needed."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and end the process with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from memopt._version import __version__

        sys.stdout.write(f"memopt {__version__}\n")
        return
    from memopt.cli.run import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
