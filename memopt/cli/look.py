"""``memopt users`` and ``memopt show``: looking, without a change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.options import (
    Common,
    Full,
    NoUser,
    User,
    one_user,
)
from memopt.cli.run import Work, print_document
from memopt.errors import UsageError

if TYPE_CHECKING:
    from memopt.manager import UserSummary

SORTS = ("user", "memories", "tokens", "duplicates", "oldest", "newest")

Sort = Annotated[
    str | None,
    typer.Option(
        "--sort",
        metavar="|".join(SORTS),
        help="Order by this: the most memories, tokens or duplicates first, the oldest or the newest first; default by user.",
        autocompletion=lambda incomplete: [name for name in SORTS if name.startswith(incomplete)],
    ),
]


def users(
    sort: Sort = None,
    *,
    common: Common,
) -> Work:
    """List the users with their memories, tokens, exact duplicates, oldest and newest memory."""

    def work() -> int:
        order = sort or "user"
        if order not in SORTS:
            raise UsageError(f"--sort takes one of {', '.join(SORTS)}, not {order!r}")
        manager = common.manager(common.settings())
        listed = sorted(manager.users(), key=_by_user)
        if order != "user":
            listed.sort(key=_KEYS[order])
        encoding_name = manager.tokens.encoding
        if common.json:
            from memopt.cli.documents import users_document

            print_document(users_document(listed, manager.store.ref, encoding_name))
        else:
            from memopt.cli.render import Screen, users_view

            users_view(Screen(sys.stdout), listed, store=manager.store.ref, encoding=encoding_name)
        return 0

    return work


def _by_user(item: UserSummary) -> tuple[bool, str]:
    return item.user_id is not None, item.user_id or ""


def _undated_last(value: int | float | None, sign: int) -> tuple[bool, float]:
    return value is None, 0 if value is None else sign * value


_KEYS: dict[str, Callable[[Any], Any]] = {
    "memories": lambda item: -item.memories,
    "tokens": lambda item: -item.prompt_tokens,
    "duplicates": lambda item: -item.duplicates,
    "oldest": lambda item: _undated_last(item.oldest, 1),
    "newest": lambda item: _undated_last(item.newest, -1),
}


def show(
    user: User = None,
    no_user: NoUser = False,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Also the very block that the framework puts in front of the model.")
    ] = False,
    full: Full = False,
    *,
    common: Common,
) -> Work:
    """Show one user's memories with ids, dates (UTC), topics and tokens."""

    def work() -> int:
        user_id = one_user(user, no_user)
        manager = common.manager(common.settings())
        snapshot = manager.get_user_memories(user_id)
        sizes = [manager.tokens.text(memory.in_prompt) for memory in snapshot.memories]
        figures = manager.tokens.figures(snapshot.memories)
        encoding_name, ref = manager.tokens.encoding, manager.store.ref
        if common.json:
            from memopt.cli.documents import show_document
            from memopt.tokens import prompt_block

            block = prompt_block(snapshot.memories) if prompt else None
            print_document(show_document(snapshot, sizes, figures, ref, encoding_name, block))
            return 0
        from memopt.cli.render import Screen, count, memories_view, prompt_view

        screen = Screen(sys.stdout)
        memories_view(
            screen,
            snapshot.memories,
            snapshot.unreadable,
            sizes,
            figures,
            user_id=user_id,
            store=ref,
            encoding=encoding_name,
            full=full,
        )
        if prompt:
            prompt_view(screen, snapshot.memories, f"The prompt block ({count(figures.prompt, 'token')} of lines)")
        return 0

    return work
