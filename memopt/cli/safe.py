"""Paths and arguments for the eye, whatever the locale; how foreign texts are shown harmlessly is told in ``memopt.wording``."""

from __future__ import annotations

import os
import sys

from memopt.wording import visible

__all__ = ["native_path", "repaired", "shown_path", "visible"]


def shown_path(path: str) -> str:
    """A path or argument for the eye: its bytes read as UTF-8 whatever the locale, made harmless."""
    return visible(repaired(path))


def repaired(text: str) -> str:
    """Text from the command line or the environment whose bytes are UTF-8 but were read with another encoding (C locale)."""
    if text.isascii():
        return text
    try:
        return os.fsencode(text).decode("utf-8")
    except (UnicodeError, ValueError):
        return text


def native_path(path: str) -> str:
    """The inverse of ``repaired``, for the operating system: a path that Python can open under any locale."""
    if path.isascii() or sys.getfilesystemencoding().lower().replace("-", "") == "utf8":
        return path
    try:
        return os.fsdecode(path.encode("utf-8", "surrogateescape"))
    except UnicodeError:
        return path
