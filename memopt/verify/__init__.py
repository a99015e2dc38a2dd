"""Checks a rewrite against the memories it was made from: what was lost, what was invented. No model, no network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memopt.verify.check import Verifier, verify
    from memopt.verify.report import Doubt, Invented, Lost, Outdated, Report

__all__ = ["Doubt", "Invented", "Lost", "Outdated", "Report", "Verifier", "verify"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("memopt.verify.check" if name in ("Verifier", "verify") else "memopt.verify.report"), name)
