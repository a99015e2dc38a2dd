"""``memopt strategies``."""

from __future__ import annotations

import sys
from dataclasses import MISSING, fields
from typing import Any

from memopt.cli.options import Debug, Json
from memopt.cli.run import Work, print_document


def strategies(as_json: Json = False, debug: Debug = False) -> Work:
    """List the strategies with their options, defaults and what they mean."""

    def work() -> int:
        from memopt.strategies.foreign import installed
        from memopt.strategies.registry import names

        plugins = installed()  # named, not imported: one that is broken must not hide the others
        listed = [describe(name) for name in names()]
        if as_json:
            from memopt.cli.documents import strategies_document

            print_document(strategies_document(listed, plugins))
        else:
            from memopt.cli.render import Screen, strategies_view

            strategies_view(Screen(sys.stdout), listed, plugins)
        return 0

    return work


def describe(name: str) -> dict[str, Any]:
    """A strategy as ``--json`` lists it: name, summary, whether it asks a model, its options."""
    from memopt.strategies.registry import strategy_class

    found = strategy_class(name)
    options = []
    for item in fields(found.Options):
        default = None if item.default is MISSING else item.default
        options.append(
            {
                "name": item.name.replace("_", "-"),
                "type": str(item.type).partition(" |")[0].strip("'\""),
                "required": bool(item.metadata.get("required", False)),
                "default": default,
                "help": item.metadata.get("help", ""),
                "choices": list(item.metadata["choices"]) if item.metadata.get("choices") else None,
                "minimum": item.metadata.get("minimum"),
                "maximum": item.metadata.get("maximum"),
            }
        )
    return {
        "name": name,
        "summary": found.summary,
        "needs_model": found.needs_model,
        "built_in_writes": bool(getattr(found, "built_in_writes", False)),
        "options": options,
    }
