"""``memopt questions``: a first set of labelled questions, drafted from the memories themselves, for a person to edit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.asking import AskFlags, choose_model, make_watch
from memopt.cli.making import BaseUrl, Concurrency, MaxCost, MaxRequests, ModelName, PriceOf, Timeout
from memopt.cli.options import (
    NoUser,
    OnStore,
    User,
    one_user,
)
from memopt.cli.run import Work, print_document
from memopt.cli.safe import shown_path
from memopt.errors import UsageError

if TYPE_CHECKING:
    from memopt.evaluation.questions import Question
    from memopt.memory import UserMemory
    from memopt.settings import Settings

MOST = 1000


def questions(
    user: User = None,
    no_user: NoUser = False,
    number: Annotated[str | None, typer.Option("-n", metavar="N", help="At most so many questions; default 30.")] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", metavar="FILE", help="Write them into this file, which must be new; else print them."),
    ] = None,
    model: ModelName = None,
    base_url: BaseUrl = None,
    timeout: Timeout = None,
    concurrency: Concurrency = None,
    price: PriceOf = None,
    max_requests: MaxRequests = None,
    max_cost: MaxCost = None,
    *,
    common: OnStore,
) -> Work:
    """Draft labelled questions from one user's memories: a date, number or name each, by rule, or by a --model. Edit them."""
    asking = AskFlags(timeout, max_requests, max_cost)

    def work() -> int:
        user_id = one_user(user, no_user)
        from memopt.cli.files import NOTHING, check_target

        most = _number(number)
        target = None if out is None else check_target(out, kind=NOTHING)
        settings = common.settings(model=model, base_url=base_url, price=price, concurrency=concurrency)
        if model is None and (max_requests is not None or max_cost is not None):
            raise UsageError("--max-requests and --max-cost go with --model: the rules ask nobody")
        manager = common.manager(settings)
        snapshot = manager.get_user_memories(user_id)
        drafted, dropped, by = _drafted(snapshot.memories, most, user_id, settings, asking, model)
        from memopt.evaluation.questions import write_questions

        text = write_questions(drafted)
        if target is not None:
            from memopt.cli.files import write_atomic

            write_atomic(target, text)
        if common.json:
            from memopt.cli.documents import store_document

            document = {
                "store": store_document(manager.store.ref),
                "user_id": user_id,
                "memories": len(snapshot.memories),
                "unreadable": len(snapshot.unreadable),
                "drafted_by": by,
                "dropped": dropped,
                "file": None if target is None else str(target),
                "questions": [item.to_dict() for item in drafted],
            }
            print_document(document)
            return 0
        if target is None:
            sys.stdout.write(text)
        _tell(len(drafted), most, dropped, out)
        return 0

    return work


def _number(text: str | None) -> int:
    from memopt.evaluation.draft import DEFAULT_NUMBER

    if text is None:
        return DEFAULT_NUMBER
    plain = text.strip()
    if not (plain.isascii() and plain.isdigit() and len(plain) < 6 and 1 <= int(plain) <= MOST):
        raise UsageError(f"-n takes a whole number from 1 to {MOST}, not {text!r}")
    return int(plain)


def _drafted(
    memories: tuple[UserMemory, ...], most: int, user_id: str | None, settings: Settings, asking: AskFlags, model: str | None
) -> tuple[list[Question], int, str]:
    """The questions, how many of a model's were dropped, and who drafted them."""
    from memopt.evaluation.draft import draft

    if model is None:  # a model that only the environment names is not asked: the rules will do
        return draft(memories, most, user_id), 0, "rules"
    service: Any = choose_model(settings, asking)
    if not service.endpoint:
        raise UsageError("--model names a model of a service; without --model the questions are drafted by rule")
    from memopt.evaluation.asked import draft_with
    from memopt.strategies.base import Answering

    answering = Answering(service, None, make_watch(settings, asking, service), settings.concurrency)
    drafted, dropped = draft_with(answering, memories, most, user_id)
    return drafted, dropped, service.name


def _tell(found: int, most: int, dropped: int, out: str | None) -> None:
    from memopt.cli.render import count

    said = f"memopt: {count(found, 'question')}"
    if found < most:
        said += (
            f" of {most}: the memories hold no more dates, numbers and names that a question could ask for without giving it away"
        )
    if dropped:
        said += f"; {count(dropped, 'question')} of the model's were dropped, whose answer no memory tells or which give it away"
    sys.stderr.write(said + "\n")
    if out is not None:
        sys.stderr.write(
            f"memopt: they are in {shown_path(out)}: read and edit them, then memopt eval --questions {shown_path(out)}\n"
        )
