"""Who is asked, what may be asked, and telling people about it: the part of ``optimize`` that deals with models."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from memopt.cli.making import MaxCost, MaxRequests, Timeout
from memopt.cli.safe import visible
from memopt.errors import MemoptError, UsageError

if TYPE_CHECKING:
    from memopt.models.base import Ask, Failed, Model, Reply
    from memopt.models.openai import OpenAIModel
    from memopt.models.spend import Spend
    from memopt.settings import Settings
    from memopt.similarity.embed import Embedder
    from memopt.stores.base import MemoryStore
    from memopt.usage import Price, Usage

BUILT_IN = "builtin"


@dataclass(frozen=True, slots=True)
class AskFlags:
    """What the command line says about asking, as texts."""

    timeout: Timeout = None
    max_requests: MaxRequests = None
    max_cost: MaxCost = None
    dry_request: Annotated[
        bool, typer.Option("--dry-request", help="Print the first requests that would be sent, and send nothing.")
    ] = False
    preview: bool = True
    """whether nothing will be written"""


class DryRequest(MemoptError):
    """Carries the requests that would have been sent, out of the run that would have sent them."""

    def __init__(self, asks: Sequence[Ask]) -> None:
        super().__init__("nothing was sent")
        self.asks = tuple(asks)


class DryWatch:
    """A watch that lets nothing be sent."""

    def asking(self, asks: Sequence[Ask], used: Usage) -> None:
        """Stop with the requests."""
        raise DryRequest(asks)

    def repeating(self) -> None:
        """Never called: nothing is sent."""

    def answered(self, ask: Ask, reply: Reply | Failed) -> None:
        """Never called: nothing is sent."""

    def priced(self, usage: Usage) -> Usage:
        """Nothing was used."""
        return usage


def choose_model(settings: Settings, flags: AskFlags) -> Model:
    """The model that the settings name; the built-in one where they name none, and neither a key nor an endpoint.

    Raises ModelError or UsageError that says what to set.
    """
    if settings.model == BUILT_IN or not (settings.model or settings.base_url or settings.api_key):
        from memopt.models.builtin import BuiltinModel

        return BuiltinModel()
    if settings.model is None:
        raise UsageError(
            f"the strategy asks a model, and none is named: say --model NAME or set MEMOPT_MODEL ({BUILT_IN} needs no service)"
        )
    return _service(settings, flags, settings.model)


def choose_judge(settings: Settings, flags: AskFlags) -> Model | None:
    """The judge that the settings name, at the same service as the model; None where they name none."""
    if settings.judge is None:
        return None
    if settings.judge == BUILT_IN:
        raise UsageError(f"--judge takes a model of a service; {BUILT_IN} does not judge")
    return _service(settings, flags, settings.judge)


def equip(chain: Sequence[Any], settings: Settings, flags: AskFlags) -> None:
    """Hand the embedder that the settings or the options name to the strategies that compare meanings.

    Raises:
        UsageError, ModelError: a service is to be asked and cannot be, or nothing may be sent.
    """
    for strategy in chain:
        if getattr(strategy, "compares_meaning", False) and strategy.embedder is None:
            strategy.embedder = choose_embedder(settings, flags, strategy.options.embedding_model)


def choose_embedder(settings: Settings, flags: AskFlags, name: str) -> Embedder | None:
    """The embedder of a service; None for a local one, which is loaded where it is first needed."""
    from memopt.similarity.embed import LOCAL

    if name in LOCAL:
        return None
    if flags.dry_request:
        raise UsageError(f"--dry-request sends nothing, and {name} would be asked for embeddings first")
    from memopt.models.openai import OpenAIEmbedder

    return OpenAIEmbedder(_service(settings, flags, name))


def _service(settings: Settings, flags: AskFlags, name: str) -> OpenAIModel:
    from memopt.models.openai import from_environment
    from memopt.settings import seconds
    from memopt.tokens import token_count

    options: dict[str, Any] = {
        "count_tokens": token_count(settings.encoding),
        "context_tokens": settings.context_tokens,
    }
    if flags.timeout is not None:
        options["timeout"] = seconds(flags.timeout, "--timeout")
    environ = os.environ
    if flags.dry_request and settings.api_key is None and settings.base_url is None:
        environ = {**os.environ, "OPENAI_API_KEY": "nothing-is-sent"}  # type: ignore[assignment]
    # What stands in OpenAI's own variables is left to the model, which then names them where something is wrong with them.
    given = None if settings.origin.get("base_url") == "OPENAI_BASE_URL" else settings.base_url
    return from_environment(name, given, None, environ, **options)


class AskLimits(NamedTuple):
    """What may be asked, as numbers."""

    max_requests: int | None
    max_cost: float | None
    price: Price | None


def read_limits(settings: Settings, flags: AskFlags) -> AskLimits:
    """What may be asked, whether or not anybody will be. Raises UsageError for a limit or a price that cannot be."""
    from memopt.models.spend import check_limits
    from memopt.settings import whole_number
    from memopt.usage import Price

    limits = AskLimits(
        None if flags.max_requests is None else whole_number(flags.max_requests, "--max-requests"),
        None if flags.max_cost is None else read_amount(flags.max_cost),
        None if settings.price is None else Price.read(settings.price),
    )
    check_limits(*limits)
    return limits


def make_watch(settings: Settings, flags: AskFlags, model: Model, judge: Model | None = None) -> Spend | DryWatch | None:
    """What counts, limits and tells of the requests; None where none is sent, because the model is inside memopt.

    Args:
        judge: who answers what is meant for a judge; None: the model.

    Raises:
        UsageError: a limit or a price that cannot be read.
    """
    limits = read_limits(settings, flags)
    if flags.dry_request:
        return DryWatch()
    from memopt.models.spend import Spend
    from memopt.tokens import TokenCounter

    price = limits.price
    teller = _Teller(model, judge, price, flags.preview)
    watch = Spend(
        TokenCounter(settings.encoding).text,
        max_requests=limits.max_requests,
        max_cost=limits.max_cost,
        price=price,
        tell=teller.before,
        told=teller.after,
        warn=warn,
    )
    return watch if model.endpoint else None


class StillThere:
    """A watch that has nothing more asked, once what was asked about has changed so that the answers cannot be written.

    A summary stands for all of its memories or for none. One that changes while the model is asked makes a conflict of it, and
    what joins, repairs and judges it would be paid for nothing. The store is looked at before each batch but the first.

    Args:
        inner: the watch that knows the limits.
        skips: whether changes that cannot be written are left out, and others are written.
    """

    def __init__(self, inner: Any, store: MemoryStore, user_id: str | None, *, skips: bool) -> None:
        self._inner, self._store, self._user_id, self._skips = inner, store, user_id, skips
        self._asked: dict[str, dict[str, str]] = {}  # of each group the fingerprints of what was asked about, by id

    def asking(self, asks: Sequence[Ask], used: Usage) -> None:
        """Before a batch is sent. Raises ConflictError, and LimitError."""
        if self._asked:
            self._look()
        self._inner.asking(asks, used)
        for ask in asks:
            for item in ask.material:
                if item.memory_id is not None and item.raw is not None:
                    self._asked.setdefault(ask.group, {}).setdefault(item.memory_id, self._store.fingerprint(item))

    def _look(self) -> None:
        from memopt.cli.words import shortened_list
        from memopt.errors import ConflictError

        try:
            now = {item.memory_id: self._store.fingerprint(item) for item in self._store.read(self._user_id).memories}
        except MemoptError:
            return  # it cannot be read just now: whoever writes will tell
        moved = {
            group: {i: "was changed" if i in now else "is gone" for i, was in asked.items() if now.get(i) != was}
            for group, asked in self._asked.items()
        }
        if not any(moved.values()) or (self._skips and not all(moved.values())):
            return
        found = {memory_id: what for each in moved.values() for memory_id, what in each.items()}
        raise ConflictError(
            f"the store changed while the model was asked: {shortened_list([f'{i} {what}' for i, what in found.items()])}. "
            "So nothing of this could be written, and nothing more was asked; make the plan anew",
            conflicts=[{"memory_id": memory_id, "problem": what} for memory_id, what in found.items()],
        )

    def rooms(self) -> list[Any]:
        """What each request of the batch may cost."""
        return list(self._inner.rooms())

    def repeating(self) -> None:
        """Before one request is sent once more. Raises LimitError."""
        self._inner.repeating()

    def answered(self, ask: Ask, reply: Reply | Failed) -> None:
        """After an answer. What a request was about that failed stays as it is, and may change: no summary holds it."""
        from memopt.models.base import Failed

        if isinstance(reply, Failed) and ask.group in self._asked:
            for item in ask.material:
                self._asked[ask.group].pop(item.memory_id or "", None)
            if not self._asked[ask.group]:
                del self._asked[ask.group]
        self._inner.answered(ask, reply)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what was asked."""
        return tuple(self._inner.notes)

    def priced(self, usage: Usage) -> Usage:
        """The usage with its cost."""
        priced: Usage = self._inner.priced(usage)
        return priced


def read_amount(text: str) -> float:
    """The amount of ``--max-cost``. Raises UsageError for what is none."""
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 < amount < 1e12:
        raise UsageError(f"--max-cost takes an amount above 0, not {text!r}")
    return amount


def warn(sentence: str) -> None:
    """Say what must not go unsaid, also in cron."""
    over = "\r" + " " * _PROGRESS + "\r" if sys.stderr.isatty() else ""  # how far it is may stand on this line
    sys.stderr.write(f"{over}memopt: {visible(sentence)}\n")
    sys.stderr.flush()


_PROGRESS = 40


class _Teller:
    """Says what is about to be sent, and how far it is. Quiet in cron: a preview speaks always, an apply only to a terminal."""

    def __init__(self, model: Model, judge: Model | None, price: Price | None, preview: bool) -> None:
        self._model, self._judge = model, judge
        self._price = price
        self._terminal = sys.stderr.isatty()
        self._speaks = preview or self._terminal
        self._said: set[str] = set()

    def before(self, asks: Sequence[Ask], tokens: int, used: Usage) -> None:
        """Before a batch of requests."""
        if not self._speaks:
            return
        from memopt.models.spend import money

        who, judged = self._addressed(asks)
        given = f"the price given for {visible(self._model.name)}" if judged else "the price given"
        cost = "" if self._price is None else f", for at most about {money(self._price.of(tokens, tokens))} at {given}"
        verb = "asking again" if who in self._said else "asking"
        requests = f"{len(asks)} request" + ("" if len(asks) == 1 else "s")
        if not self._said and len(asks) > 1:
            cost += "; what they answer may be asked about again, which will be said here"
        sys.stderr.write(f"{verb} {who}: {requests}, {tokens:,} tokens{cost}\n")
        sys.stderr.flush()
        self._said.add(who)

    def _addressed(self, asks: Sequence[Ask]) -> tuple[str, bool]:
        """Who is asked, with where, and whether a judge of its own is among them."""
        judges = {ask.judge and self._judge is not None for ask in asks}
        model, judge = self._model, self._judge
        if judge is None or True not in judges:
            return f"{visible(model.name)} at {visible(model.endpoint)}", False
        named = f"the judge {visible(judge.name)} at {visible(judge.endpoint)}"
        return (f"{visible(model.name)} and {named}" if False in judges else named), True

    def after(self, done: int, total: int) -> None:
        """After an answer."""
        if self._terminal and total > 1:
            sys.stderr.write(f"\r  {done} of {total} answered" + ("\n" if done == total else ""))
            sys.stderr.flush()


def requests_document(asks: Sequence[Ask], model: Model, judge: Model | None = None) -> dict[str, Any]:
    """What ``--dry-request --json`` prints. ``judge``: who would be asked about doubtful facts; None: the model, or nobody."""
    from memopt.tokens import TokenCounter

    count = TokenCounter().text
    requests = []
    for ask in asks:
        system = ask.instructions(ask.schema is not None)
        requests.append(
            {
                "purpose": ask.purpose,
                "group": ask.group or None,
                "part": None if ask.part is None else {"number": ask.part[0], "of": ask.part[1]},
                "to": _named(judge if ask.judge and judge is not None else model),
                "tokens": count(system) + count(ask.prompt),
                "system": system,
                "prompt": ask.prompt,
                "schema": ask.schema,
            }
        )
    return {
        "model": _named(model),
        "judge": None if judge is None else _named(judge),
        "requests": requests if model.endpoint else [],
    }


def _named(model: Model) -> dict[str, str]:
    return {"name": model.name, "endpoint": model.endpoint}
