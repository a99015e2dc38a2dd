"""How the plans of a batch are made: what is kept from its first export to its last import."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from memopt.errors import PlanFileError
from memopt.fleet import Budget, recipe_of
from memopt.manager import DEFAULT_MAX_REWRITES
from memopt.models.batch import Answer, Conversation, Service
from memopt.models.wire import Dialect
from memopt.plan import Filters, StoreRef
from memopt.protect import Protection
from memopt.strategies.base import MemoryOptimizationStrategy
from memopt.tokens import DEFAULT_ENCODING, token_count
from memopt.usage import Price


@dataclass(frozen=True, slots=True)
class Batch:
    """All that decides what is made of a batch's answers, apart from the memories. Holds no key of a service.

    Attributes:
        batch_id, key: eight hexadecimal digits that begin the ids of the requests, and the secret they are made with.
        strategies, options: as for ``strategies.registry.make_chain``.
        max_requests, max_cost, price: limits of all rounds together, and what a million tokens cost (``IN/OUT``).
        recipe: digest of how plans are made (``fleet.recipe_of``); "" until it is known.
        questions, min_recall: the text of the file of questions that the plans are held to, and the share of answers to be kept.
    """

    store: StoreRef
    strategies: tuple[str, ...]
    options: Mapping[str, Any]
    service: Service
    judge: Service | None = None
    filters: Filters = field(default_factory=Filters)
    protect: tuple[str, ...] = ()
    max_rewrites: int = DEFAULT_MAX_REWRITES
    max_drop: str | None = None
    allow_empty: bool = False
    encoding: str = DEFAULT_ENCODING
    max_requests: int | None = None
    max_cost: float | None = None
    price: str | None = None
    questions: str | None = None
    min_recall: float | None = None
    recipe: str = ""
    batch_id: str = field(default_factory=lambda: secrets.token_hex(4))
    key: str = field(default_factory=lambda: secrets.token_hex(32))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready, as it stands in the file of the batch."""
        data = asdict(self)
        data["id"] = data.pop("batch_id")
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Batch:
        """The inverse of ``to_dict``. Raises PlanFileError where something is missing."""

        def service(value: Mapping[str, Any]) -> Service:
            return Service(value["name"], value["endpoint"], value["context_tokens"], Dialect(**value["without"]))

        plain = ("max_rewrites", "max_drop", "allow_empty", "encoding", "max_requests", "max_cost", "price", "recipe", "key")
        try:
            return cls(
                store=StoreRef(**data["store"]),
                strategies=tuple(data["strategies"]),
                options=dict(data["options"]),
                service=service(data["service"]),
                judge=None if data["judge"] is None else service(data["judge"]),
                filters=Filters(*(tuple(data["filters"][name]) for name in ("agent", "team", "topic"))),
                protect=tuple(data["protect"]),
                batch_id=data["id"],
                questions=data.get("questions"),
                min_recall=data.get("min_recall"),
                **{name: data[name] for name in plain},
            )
        except (KeyError, TypeError, ValueError) as error:
            raise PlanFileError(f"the file of the batch was altered: {type(error).__name__}: {error}") from None

    def made_with(self, chain: Sequence[MemoryOptimizationStrategy]) -> Batch:
        """The same, with the ``recipe`` of these strategies."""
        models = self.conversation("", lambda _request_id: None)
        return replace(
            self,
            recipe=recipe_of(
                chain,
                models.model,
                models.judge,
                filters=self.filters or None,
                protection=Protection.read(self.protect),
                max_rewrites=self.max_rewrites,
                encoding=self.encoding,
            ),
        )

    def conversation(self, whose: str, known: Callable[[str], Answer | None]) -> Conversation:
        """One user's models, which find their answers by ``known``; see there."""
        return Conversation(
            batch=self.batch_id,
            key=bytes.fromhex(self.key),
            whose=whose,
            service=self.service,
            judge=self.judge,
            known=known,
            price=None if self.price is None else Price.read(self.price),
            count_tokens=token_count(self.encoding),
        )

    def budget(self) -> Budget:
        """The limits of all rounds together."""
        price = None if self.price is None else Price.read(self.price)
        return Budget(
            token_count(self.encoding), max_requests=self.max_requests, max_cost=self.max_cost, price=price, bounded=False
        )


__all__ = ["Batch"]
