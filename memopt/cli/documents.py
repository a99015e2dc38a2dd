"""What programs see with ``--json``: one document a command, described in docs/json.md. ASCII only; keys are only ever added."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memopt.errors import MemoptError
from memopt.memory import iso_utc
from memopt.plan import Action, Plan, StoreRef, Unreadable, memory_json

if TYPE_CHECKING:
    from memopt.manager import UserSummary
    from memopt.memory import UserMemory
    from memopt.stores.base import RunChange, Snapshot
    from memopt.stores.journal import Run
    from memopt.tokens import TokenFigures


def dump(document: Mapping[str, Any]) -> str:
    """The document's text, line break included."""
    return json.dumps(document, indent=1, ensure_ascii=True, default=str) + "\n"


def error_document(error: MemoptError) -> dict[str, Any]:
    """Any command that fails."""
    return {
        "error": {
            **error.details,
            "kind": error.kind,
            "message": str(error),
            "exit_code": int(error.exit_code),
        }
    }


def plan_document(plan: Plan, *, refused: Sequence[str] = (), skipped: Sequence[str] = ()) -> dict[str, Any]:
    """``optimize`` and ``apply``: the plan file's object, and what became of it."""
    return {**plan.to_dict(), "applied": plan.run, "skipped": list(skipped), "refused": list(refused)}


PLAN_EXTRAS = ("applied", "skipped", "refused")
"""What ``plan_document`` adds to a plan file."""


def store_document(ref: StoreRef) -> dict[str, str]:
    """Which store it was."""
    return {"kind": ref.kind, "location": ref.location, "table": ref.table}


def _unreadable(rows: Sequence[Unreadable]) -> list[dict[str, Any]]:
    return [{"memory_id": row.memory_id, "user_id": row.user_id, "problem": row.problem} for row in rows]


def users_document(users: Sequence[UserSummary], ref: StoreRef, encoding: str) -> dict[str, Any]:
    """``users``."""
    return {
        "store": store_document(ref),
        "encoding": encoding,
        "users": [
            {
                "user_id": item.user_id,
                "memories": item.memories,
                "unreadable": item.unreadable,
                "tokens": {"text": item.text_tokens, "prompt": item.prompt_tokens},
                "duplicates": item.duplicates,
                "oldest": iso_utc(item.oldest),
                "newest": iso_utc(item.newest),
            }
            for item in users
        ],
    }


def show_document(
    snapshot: Snapshot, sizes: Sequence[int], figures: TokenFigures, ref: StoreRef, encoding: str, prompt: str | None
) -> dict[str, Any]:
    """``show``."""
    return {
        "store": store_document(ref),
        "user_id": snapshot.user_id,
        "encoding": encoding,
        "tokens": {"text": figures.text, "prompt": figures.prompt},
        "memories": [{**memory_json(memory), "tokens": size} for memory, size in zip(snapshot.memories, sizes, strict=True)],
        "unreadable": _unreadable(snapshot.unreadable),
        "prompt": prompt,
    }


def history_document(runs: Sequence[Run], ref: StoreRef) -> dict[str, Any]:
    """``history``."""
    return {"store": store_document(ref), "runs": [run.to_dict() for run in runs]}


def run_document(run: Run, changes: Sequence[RunChange], ref: StoreRef) -> dict[str, Any]:
    """``history RUN``."""
    from memopt.tokens import TokenCounter

    counted = TokenCounter(run.encoding).text

    def tokens(memory: UserMemory | None, gone: bool) -> int | None:
        return counted(memory.memory) if memory is not None else 0 if gone else None

    listed = [
        {
            "memory_id": change.memory_id,
            "action": change.action.value,
            "reason": change.why.reason,
            "step": change.why.step,
            "into": change.why.into,
            "sources": list(change.why.sources),
            "before": None if change.before is None else memory_json(change.before),
            "after": None if change.after is None else memory_json(change.after),
            "tokens": {
                "before": tokens(change.before, change.action is Action.ADDED),
                "after": tokens(change.after, change.action is Action.DROPPED),
            },
            "erased": change.erased,
        }
        for change in changes
    ]
    return {"store": store_document(ref), "run": run.to_dict(), "changes": listed}


def prune_document(pruned: int, left: int, ref: StoreRef) -> dict[str, Any]:
    """``history --prune``."""
    return {"store": store_document(ref), "pruned": pruned, "left": left}


def undo_document(run: Run, ref: StoreRef, holds_again: str | None = None) -> dict[str, Any]:
    """``undo``; ``holds_again``: the run whose changes hold again, where what was taken back was an undo."""
    return {"store": store_document(ref), "run": run.to_dict(), "holds_again": holds_again}


def strategies_document(strategies: Sequence[Mapping[str, Any]], plugins: Mapping[str, str]) -> dict[str, Any]:
    """``strategies``; ``plugins``: the place of each installed one by its name."""
    listed = [{"plugin": name, "place": place} for name, place in plugins.items()]
    return {"strategies": [dict(item) for item in strategies], "plugins": listed}
