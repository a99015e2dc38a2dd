"""The plan: the difference between what is stored and what a strategy returned. Pure values; the JSON form is documented here.

Plan file, version 1
--------------------
One JSON object, ASCII only, with these keys:

========================  ==============================================================================================
``format``, ``version``   ``"memopt.plan"`` and 1. Another version is refused.
``sha256``                hex digest over the object without this key, as JSON with sorted keys, no blanks and ASCII only.
``memopt``                version of the program that made the plan.
``made_at``               time of the read, ISO 8601 in UTC. Every time may also be a number of epoch seconds.
``store``                 ``kind``, ``location`` and ``table`` of the store the plan was made from.
``user_id``               the user; null for rows without one.
``steps``                 list of ``{"strategy": name, "options": {...}}``, in order.
``model``                 ``{"name", "endpoint"}`` or null where no model was asked.
``usage``                 ``{"requests", "prompt_tokens", "completion_tokens", "cost"}``; null: not told, or no price given;
                          ``judge``: null, or what of it a judge of its own took.
``encoding``              the tiktoken encoding of all token counts.
``filters``               ``{"agent", "team", "topic"}``: lists of what the strategy was shown; empty: everything.
``guards``                ``{"max_drop", "allow_empty"}`` as they were said.
``memories``              ``{"before", "after"}``: how many.
``tokens``                ``{"before", "after"}``, each ``{"text", "prompt"}``: tokens of the bare texts, and of the prompt lines
                          as Agno injects them; and ``"saved"`` and ``"reduction"`` (share, 0 to 1) of the prompt lines.
``counts``                how many memories are kept, revised, dropped, added.
``changes``               one object per memory, kept ones too: ``action``, ``memory_id``, ``reason``,
                          ``into`` (id of the memory that holds a dropped one's content),
                          ``sources`` (ids it was made from),
                          ``relies_on`` (ids that must be unchanged for this to be right),
                          ``class`` (``safe``: provably loses nothing; ``review``: a judgement; null where it is kept),
                          ``step`` (the strategy that made it),
                          ``before`` and ``after`` (the memory, or null), ``tokens``.
``unreadable``            rows that could not be decoded: ``memory_id``, ``problem``. They are never changed.
``fingerprints``          SHA-256 of the stored row, by id, for every row that the plan changes, drops or relies on.
``notes``                 sentences about the whole.
``verification``          null, or ``{"reports": [...]}``, one for each memory that a model wrote: ``memory_id`` (null where
                          it was not used), ``outcome`` (``written``, ``unused``: it saved too little, ``refused``),
                          ``label``, ``sources`` (how many), ``on_loss``, ``facts``, ``retention`` (0 to 1), ``lost``,
                          ``invented`` (removed), ``superseded``, ``doubtful``, ``by_meaning``, ``judged``, ``repairs``,
                          ``not_sent``,
                          ``lineage`` (sentence and source ids).
``recipe``                only in plans of a run over many users: digest of how they were made (``fleet.recipe_of``).
``gate``                  only in plans that were held to questions: ``min_recall`` (null: only told), ``asked``, ``answered``,
                          ``recall`` (0 to 1, or null), ``lost``: ``id``, ``text`` and ``needs`` of each question that is lost,
                          ``needs`` being, for each piece of evidence that is gone, ids of the memories that hold it before;
                          ``left_out``: ``id``, ``text`` and ``reason`` of each one that the plan cannot be held to.
========================  ==============================================================================================

Readers ignore keys they do not know; keys are only added within a version.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, overload

from memopt._version import __version__
from memopt.errors import PlanFileError, StrategyError, UsageError
from memopt.memory import CONTENT_FIELDS, UserMemory, iso_utc, newest, oldest, to_epoch
from memopt.tokens import TokenFigures
from memopt.usage import Usage

FORMAT = "memopt.plan"
VERSION = 1

_ID_NAMESPACE = uuid.UUID("6d0b1f0e-2f3a-5d53-9c1c-6b1f7f1f0a11")


@dataclass(frozen=True, slots=True)
class Decision:
    """Why a strategy did what it did to one memory.

    Attributes:
        reason: one sentence for people.
        into: for a dropped memory, the id of the memory that now holds what it said; else None.
        relies_on: ids of memories that must still be what they are for the decision to be right.
        safe: whether it provably loses nothing (an exact duplicate, a blank row); everything else is a judgement.
        step: the strategy that decided; filled in by the manager.
    """

    reason: str
    into: str | None = None
    relies_on: tuple[str, ...] = ()
    safe: bool = False
    step: str = ""


_UNEXPLAINED = Decision("")


def new_id(memories: Iterable[UserMemory], text: str, user_id: str | None = None) -> str:
    """An id for a memory made from others: a UUID that depends on its sources and its text alone.

    A preview that is made twice thus names the same id, and nothing pure needs a random source.

    Args:
        user_id: whose it is, where it has no sources that tell: two users may be given the same text.
    """
    parts = [text] if user_id is None else [text, user_id]
    for item in memories:
        parts += [item.user_id or "", item.memory_id or "", item.memory]
    digest = "\x1f".join(f"{len(part)}:{part}" for part in parts)
    return str(uuid.uuid5(_ID_NAMESPACE, digest.encode("utf-8", "surrogatepass").hex()))


class Action(StrEnum):
    """What happens to one memory."""

    KEPT = "kept"
    REVISED = "revised"
    DROPPED = "dropped"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to one memory, and why.

    Attributes:
        before: the stored memory; None for an added one.
        after: the memory that will be stored; None for a dropped one; for a kept one the same object as ``before``.
        into: for a dropped memory, the id of the memory that holds its content.
        sources: ids of the memories that ``after`` was made from.
        relies_on: ids of memories that must be what they were for this to be right.
        safe: whether the change provably loses nothing; else it is a judgement, to be reviewed.
        step: the strategy of the chain that made it.
        tokens_before, tokens_after: tokens of the bare text; 0 where there is none.
    """

    action: Action
    memory_id: str
    before: UserMemory | None
    after: UserMemory | None
    reason: str = ""
    into: str | None = None
    sources: tuple[str, ...] = ()
    relies_on: tuple[str, ...] = ()
    tokens_before: int = 0
    tokens_after: int = 0
    safe: bool = False
    step: str = ""

    @property
    def changed_fields(self) -> tuple[str, ...]:
        """The names of the fields in which what is stored of a revised memory differs."""
        if self.before is None or self.after is None:
            return ()
        # A text that a migration wrapped is stored with its topics inside, so both are written when it is unwrapped.
        unwrapped = self.before.prompt_text != self.after.prompt_text
        return tuple(
            name
            for name in CONTENT_FIELDS
            if getattr(self.before, name) != getattr(self.after, name) or (unwrapped and name in ("memory", "topics"))
        )


@dataclass(frozen=True, slots=True)
class StoreRef:
    """Which store a plan was made from: the store's kind, its location (a resolved path or a URL without password), its table."""

    kind: str
    location: str
    table: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A stored row that could not be decoded. It is shown and counted, and never changed."""

    memory_id: str
    problem: str
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One strategy of a chain, with its options as they were used."""

    strategy: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Filters:
    """What a strategy was shown. Several values of one filter mean any of them; several filters mean all of them."""

    agent: tuple[str, ...] = ()
    team: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.agent or self.team or self.topic)

    def admits(self, memory: UserMemory) -> bool:
        """Whether the strategy sees this memory. ``none`` stands for memories without an agent, team or topic."""

        if not self:
            return True

        def any_of(wanted: tuple[str, ...], has: Iterable[str | None]) -> bool:
            values = [value for value in has if value] or ["none"]
            return not wanted or any(value in wanted for value in values)

        return (
            any_of(self.agent, [memory.agent_id])
            and any_of(self.team, [memory.team_id])
            and any_of(self.topic, memory.topics or ())
        )


@dataclass(frozen=True, slots=True)
class Plan(Sequence[UserMemory]):
    """What would be written, whole. As a sequence it is the memories that result, as Agno's method returned them.

    The attributes are those of the plan file (see the module's docstring). ``run`` is the journal's run id once the plan was
    applied; it is not part of the file.
    """

    store: StoreRef
    user_id: str | None
    steps: tuple[Step, ...]
    changes: tuple[Change, ...]
    fingerprints: Mapping[str, str]
    made_at: int | float
    encoding: str
    tokens_before: TokenFigures
    tokens_after: TokenFigures
    unreadable: tuple[Unreadable, ...] = ()
    filters: Filters = field(default_factory=Filters)
    model: Mapping[str, str] | None = None
    usage: Usage = field(default_factory=Usage)
    notes: tuple[str, ...] = ()
    max_drop: str | None = None
    allow_empty: bool = False
    verification: Mapping[str, Any] | None = None
    memopt: str = __version__
    recipe: str | None = None
    gate: Mapping[str, Any] | None = None
    run: str | None = field(default=None, compare=False)

    @property
    def memories(self) -> tuple[UserMemory, ...]:
        """The memories that result, in the order in which the store will hold them: the kept and revised ones, then the added."""
        return tuple(change.after for change in self.changes if change.after is not None)

    @overload
    def __getitem__(self, index: int) -> UserMemory: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[UserMemory, ...]: ...

    def __getitem__(self, index: int | slice) -> UserMemory | tuple[UserMemory, ...]:
        return self.memories[index]

    def __len__(self) -> int:
        return sum(change.after is not None for change in self.changes)

    def __iter__(self) -> Iterator[UserMemory]:
        return iter(self.memories)

    def of(self, action: Action) -> tuple[Change, ...]:
        """The changes of one kind."""
        return tuple(change for change in self.changes if change.action is action)

    @property
    def has_changes(self) -> bool:
        """Whether applying would write anything."""
        return any(change.action is not Action.KEPT for change in self.changes)

    @property
    def counts(self) -> dict[str, int]:
        """How many memories are kept, revised, dropped, added."""
        counts = {action.value: 0 for action in Action}
        for change in self.changes:
            counts[change.action.value] += 1
        return counts

    @property
    def saved(self) -> int:
        """Prompt tokens that every run of the agent saves; negative where the plan adds."""
        return self.tokens_before.prompt - self.tokens_after.prompt

    @property
    def reduction(self) -> float:
        """``saved`` as a share of the prompt tokens before, 0 where there were none."""
        return self.saved / self.tokens_before.prompt if self.tokens_before.prompt else 0.0

    @property
    def facts(self) -> tuple[int, int] | None:
        """Facts that rewritten memories stood for, and how many of them the result holds; None where nothing was rewritten."""
        reports = (self.verification or {}).get("reports") or ()
        if not reports:
            return None
        lost = sum(not item.get("kept_beside") for report in reports for item in report["lost"])
        total = sum(report["facts"] for report in reports)
        return total, max(0, total - lost)

    @property
    def strategy(self) -> str:
        """The names of the steps, joined by ``+``."""
        return "+".join(step.strategy for step in self.steps)

    def to_dict(self) -> dict[str, Any]:
        """The plan file's object, with its digest."""
        body: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "memopt": self.memopt,
            "made_at": _time_json(self.made_at),
            "store": {"kind": self.store.kind, "location": self.store.location, "table": self.store.table},
            "user_id": self.user_id,
            "steps": [{"strategy": step.strategy, "options": dict(step.options)} for step in self.steps],
            "model": dict(self.model) if self.model else None,
            "usage": {
                "requests": self.usage.requests,
                "prompt_tokens": self.usage.prompt_tokens,
                "completion_tokens": self.usage.completion_tokens,
                "cost": self.usage.cost,
                "judge": self._judge_json(),
            },
            "encoding": self.encoding,
            "filters": {
                "agent": list(self.filters.agent),
                "team": list(self.filters.team),
                "topic": list(self.filters.topic),
            },
            "guards": {"max_drop": self.max_drop, "allow_empty": self.allow_empty},
            "memories": {"before": self.tokens_before.memories, "after": self.tokens_after.memories},
            "tokens": {
                "before": {"text": self.tokens_before.text, "prompt": self.tokens_before.prompt},
                "after": {"text": self.tokens_after.text, "prompt": self.tokens_after.prompt},
                "saved": self.saved,
                "reduction": round(self.reduction, 6),
            },
            "counts": self.counts,
            "changes": [_change_json(change) for change in self.changes],
            "unreadable": [
                {"memory_id": row.memory_id, "user_id": row.user_id, "problem": row.problem} for row in self.unreadable
            ],
            "fingerprints": dict(self.fingerprints),
            "notes": list(self.notes),
            "verification": self.verification,
        }
        if self.recipe is not None:
            body["recipe"] = self.recipe
        if self.gate is not None:
            body["gate"] = dict(self.gate)
        return {**body, "sha256": _digest(body)}

    def _judge_json(self) -> dict[str, Any] | None:
        used, model = self.usage.judge, self.model or {}
        if used is None:
            return None
        named = {"name": model.get("judge", model.get("name")), "endpoint": model.get("endpoint")}
        tokens = {"prompt_tokens": used.prompt_tokens, "completion_tokens": used.completion_tokens}
        return {**named, "requests": used.requests, **tokens}

    def to_json(self, indent: int | None = 1) -> str:
        """The plan file's text."""
        return json.dumps(self.to_dict(), indent=indent)

    @classmethod
    def from_dict(cls, data: Any) -> Plan:
        """The inverse of ``to_dict``.

        Raises:
            UsageError: not a plan at all.
            PlanFileError: another version, or changed since it was written.
        """
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise UsageError("this is not a memopt plan: it has no format 'memopt.plan'")
        if data.get("version") != VERSION:
            raise PlanFileError(
                f"the plan has format version {data.get('version')!r}, this memopt reads version {VERSION}; make the plan anew"
            )
        body = {key: value for key, value in data.items() if key != "sha256"}
        if data.get("sha256") != _digest(body):
            raise PlanFileError("the plan was changed after memopt wrote it (its digest does not fit); make it anew")
        try:
            return cls._read(body)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise PlanFileError(f"the plan is damaged ({type(error).__name__}: {error}); make it anew") from None

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """``from_dict`` of a plan file's text; raises UsageError where it is not JSON."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"this is not a memopt plan: not JSON ({error})") from None
        return cls.from_dict(data)

    @classmethod
    def _read(cls, body: dict[str, Any]) -> Plan:
        tokens, memories = body["tokens"], body["memories"]

        def figures(side: str) -> TokenFigures:
            return TokenFigures(memories[side], tokens[side]["text"], tokens[side]["prompt"])

        made_at = to_epoch(body["made_at"])
        if made_at is None:
            raise ValueError("made_at is missing")
        return cls(
            store=StoreRef(**_known(StoreRef, body["store"])),
            user_id=body["user_id"],
            steps=tuple(Step(step["strategy"], step["options"]) for step in body["steps"]),
            changes=tuple(_change_from(item) for item in body["changes"]),
            fingerprints=body["fingerprints"],
            made_at=made_at,
            encoding=body["encoding"],
            tokens_before=figures("before"),
            tokens_after=figures("after"),
            unreadable=tuple(Unreadable(r["memory_id"], r["problem"], r["user_id"]) for r in body["unreadable"]),
            filters=Filters(**{key: tuple(value) for key, value in _known(Filters, body["filters"]).items()}),
            model=body["model"],
            usage=_usage(body["usage"]),
            notes=tuple(body["notes"]),
            max_drop=body["guards"]["max_drop"],
            allow_empty=body["guards"]["allow_empty"],
            verification=body["verification"],
            memopt=body["memopt"],
            recipe=body.get("recipe"),
            gate=body.get("gate"),
        )


def plan_digest(plan: Plan) -> str:
    """A digest of what a plan would write and of the rows it was made from: the same for a plan and for its file."""
    changes = [
        [change.action.value, change.memory_id, None if change.after is None else memory_json(change.after)]
        for change in plan.changes
        if change.action is not Action.KEPT
    ]
    return _digest(
        {
            "user_id": plan.user_id,
            "recipe": plan.recipe,
            "made_at": _time_json(plan.made_at),
            "fingerprints": dict(plan.fingerprints),
            "changes": changes,
        }
    )


def _usage(data: Mapping[str, Any]) -> Usage:
    judge = data.get("judge")
    return Usage(**{**_known(Usage, data), "judge": None if judge is None else Usage(**_known(Usage, judge))})


def _known(kind: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that this version knows; a later one may have added some."""
    names = {item.name for item in fields(kind)}
    return {key: value for key, value in data.items() if key in names}


def _digest(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _time_json(value: int | float | None) -> str | int | float | None:
    text = iso_utc(value)
    return text if text is not None and to_epoch(text) == value else value


def memory_json(memory: UserMemory) -> dict[str, Any]:
    """One memory as it stands in plans and in ``--json``: every content field, null where it has no value."""
    out: dict[str, Any] = {"memory_id": memory.memory_id}
    for name in CONTENT_FIELDS:
        out[name] = getattr(memory, name)
    out["topics"] = None if memory.topics is None else list(memory.topics)
    out["created_at"], out["updated_at"] = _time_json(memory.created_at), _time_json(memory.updated_at)
    if memory.prompt_text is not None:
        out["prompt_text"] = memory.prompt_text
    if memory.sources:
        out["sources"] = list(memory.sources)
    if memory.rewrites:
        out["rewrites"] = memory.rewrites
    return out


def _change_json(change: Change) -> dict[str, Any]:
    return {
        "action": change.action.value,
        "memory_id": change.memory_id,
        "reason": change.reason,
        "into": change.into,
        "sources": list(change.sources),
        "relies_on": list(change.relies_on),
        "class": None if change.action is Action.KEPT else "safe" if change.safe else "review",
        "step": change.step,
        "before": None if change.before is None else memory_json(change.before),
        "after": None if change.after is None else memory_json(change.after),
        "tokens": {"before": change.tokens_before, "after": change.tokens_after},
    }


def _change_from(item: Mapping[str, Any]) -> Change:
    action = Action(item["action"])
    before = None if item["before"] is None else UserMemory(**_known(UserMemory, item["before"]))
    after = None if item["after"] is None else UserMemory(**_known(UserMemory, item["after"]))
    if action is Action.KEPT:
        after = before
    return Change(
        action=action,
        memory_id=item["memory_id"],
        before=before,
        after=after,
        reason=item["reason"],
        into=item["into"],
        sources=tuple(item["sources"]),
        relies_on=tuple(item["relies_on"]),
        safe=item["class"] == "safe",
        step=item["step"],
        tokens_before=item["tokens"]["before"],
        tokens_after=item["tokens"]["after"],
    )


def checked(before: Sequence[UserMemory], after: Iterable[UserMemory]) -> list[UserMemory]:
    """What a strategy returned for the memories ``before``, each with an id.

    Raises:
        StrategyError: it holds non-memories, memories that no store could give back, an id twice, or a memory of another user.
    """
    stored = {item.memory_id: item for item in before}
    users = {item.user_id for item in before}
    returned: dict[str, UserMemory] = {}
    for item in after:
        if not isinstance(item, UserMemory):
            raise StrategyError(f"returned {type(item).__name__} among the memories")
        memory_id = item.memory_id
        if item is not stored.get(memory_id):
            _check_fields(item, stored.get(memory_id))
        if memory_id is None:
            origins = [stored[i] for i in item.sources if i in stored]
            whose = None if origins else item.user_id
            memory_id = new_id(origins, item.memory, whose)
            copies = 0
            while memory_id in stored or memory_id in returned:  # the same text was added before, and is still there
                copies += 1
                memory_id = new_id(origins, f"{item.memory}\x1f{copies}", whose)
            item = item.but(memory_id=memory_id)
        if memory_id in returned:
            raise StrategyError(f"returned the memory {memory_id} twice")
        if users and item.user_id not in users:
            raise StrategyError(f"returned a memory of another user ({item.user_id!r})")
        returned[memory_id] = item
    return list(returned.values())


def _check_fields(item: UserMemory, old: UserMemory | None) -> None:
    """Raise StrategyError where a field holds what a store cannot hold, or would give back as something else."""
    if not isinstance(item.memory, str):
        raise StrategyError(f"returned a memory whose text is {type(item.memory).__name__}")
    if item.memory_id == "":
        raise StrategyError("returned a memory whose id is an empty text")
    if old is not None and item.is_blank and not old.is_blank:
        raise StrategyError(f"returned the memory {old.memory_id} with a blank text; to drop it, leave it out")
    if any(not isinstance(topic, str) for topic in item.topics or ()):
        raise StrategyError("returned a memory with a topic that is no text")
    for name in ("memory_id", "user_id", "input", "feedback", "agent_id", "team_id"):
        value = getattr(item, name)
        if value is None or (old is not None and value == getattr(old, name)):
            continue
        if not isinstance(value, str):
            raise StrategyError(f"returned a memory whose {name} is {type(value).__name__}")
        if not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                raise StrategyError(f"returned a memory whose {name} holds half a character (a lone surrogate)") from None


def diff(
    before: Sequence[UserMemory],
    after: Iterable[UserMemory],
    decisions: Mapping[str, Decision] | None = None,
    *,
    count: Callable[[str], int] | None = None,
    now: int | float | None = None,
) -> tuple[Change, ...]:
    """Compare by id: same content is kept, other content revised, missing dropped, new added.

    A memory that comes back without an id is given one (see ``new_id``). An added memory without ``created_at`` gets the oldest
    of its sources, and without ``updated_at`` the newest; where no source has one, ``now``.

    Args:
        before: the stored memories, in the store's order. Each has an id.
        after: what the strategy returned, in any order.
        decisions: reasons, by memory id.
        count: tokens of a text; without it the token fields stay 0.
        now: epoch seconds, for added memories whose sources are not known.

    Returns:
        One change per memory: those of ``before`` in its order, then the added in the order of ``after``.

    Raises:
        StrategyError: ``after`` is not what a strategy may return (see ``checked``).
    """
    said = decisions or {}
    tokens = count or (lambda _text: 0)
    stored = {item.memory_id: item for item in before}
    returned = {item.memory_id: item for item in checked(before, after)}

    changes: list[Change] = []
    for old in before:
        assert old.memory_id is not None
        decision = said.get(old.memory_id, _UNEXPLAINED)
        new = returned.pop(old.memory_id, None)
        size = tokens(old.in_prompt)
        if new is None:
            changes.append(
                Change(
                    Action.DROPPED,
                    old.memory_id,
                    old,
                    None,
                    decision.reason or "not among the memories that the strategy returned",
                    into=decision.into,
                    relies_on=decision.relies_on,
                    tokens_before=size,
                    safe=decision.safe,
                    step=decision.step,
                )
            )
        elif new.same_as(old):
            changes.append(
                Change(
                    Action.KEPT,
                    old.memory_id,
                    old,
                    old,
                    decision.reason,
                    tokens_before=size,
                    tokens_after=size,
                    step=decision.step,
                )
            )
        else:
            changes.append(
                Change(
                    Action.REVISED,
                    old.memory_id,
                    old,
                    new,
                    decision.reason or "changed by the strategy",
                    sources=new.sources,
                    relies_on=tuple(dict.fromkeys((*decision.relies_on, *(i for i in new.sources if i != old.memory_id)))),
                    tokens_before=size,
                    tokens_after=tokens(new.in_prompt),
                    safe=decision.safe,
                    step=decision.step,
                )
            )
    for memory_id, new in returned.items():
        assert memory_id is not None
        decision = said.get(memory_id, _UNEXPLAINED)
        origins = [stored[i] for i in new.sources if i in stored]
        if new.created_at is None:
            # Sources without a readable date say nothing, and a store may not take a memory without one.
            known = oldest(m.created_at for m in origins)
            new = new.but(created_at=now if known is None else known)
        if new.updated_at is None:
            latest = newest(m.last_changed for m in origins)
            new = new.but(updated_at=now if latest is None else latest)
        changes.append(
            Change(
                Action.ADDED,
                memory_id,
                None,
                new,
                decision.reason or "added by the strategy",
                sources=new.sources,
                relies_on=tuple(dict.fromkeys((*decision.relies_on, *new.sources))),
                tokens_after=tokens(new.in_prompt),
                safe=decision.safe,
                step=decision.step,
            )
        )
    return tuple(changes)


def lineage_groups(changes: Iterable[Change]) -> dict[str, int]:
    """Number the changes that belong together: what was merged into what, made from what, or relies on what is changed too.

    A strategy need not say where a memory came from. A new or changed text without sources may hold what any memory held that
    is dropped without saying into what, so all of those are one group: none of them may be written without the others.

    Returns:
        For each changing memory's id, the number of its group. Kept memories have none: many changes may rely on one of them
        without being tied to each other.
    """
    changing = {change.memory_id: change for change in changes if change.action is not Action.KEPT}
    parent = {memory_id: memory_id for memory_id in changing}

    def root(memory_id: str) -> str:
        while parent[memory_id] != memory_id:
            parent[memory_id] = parent[parent[memory_id]]
            memory_id = parent[memory_id]
        return memory_id

    for memory_id, change in changing.items():
        for other in (change.into, *change.sources, *change.relies_on):
            if other is not None and other in changing:
                parent[root(memory_id)] = root(other)
    used = {source for change in changing.values() for source in change.sources}
    unsaid = [
        c.memory_id
        for c in changing.values()
        if not c.sources and c.into is None and not c.relies_on and (c.after is not None or c.memory_id not in used)
    ]
    if len({changing[memory_id].after is None for memory_id in unsaid}) == 2:
        for memory_id in unsaid[1:]:
            parent[root(memory_id)] = root(unsaid[0])
    numbers: dict[str, int] = {}
    return {memory_id: numbers.setdefault(root(memory_id), len(numbers)) for memory_id in changing}


MOVED_ON = "left out: the stored row changed since the plan was made"


def without(
    plan: Plan,
    left_out: Container[str],
    count: Callable[[Iterable[UserMemory]], TokenFigures],
    reason: str | Callable[[Change], str],
) -> Plan:
    """The plan with the changes to some memories left out, for a reason, and its figures counted anew.

    What belongs together (``lineage_groups``) must be left out together; that is the caller's to see to.
    """
    changes = []
    for change in plan.changes:
        if change.memory_id not in left_out or change.action is Action.KEPT:
            changes.append(change)
        elif change.before is not None:
            changes.append(
                Change(
                    Action.KEPT,
                    change.memory_id,
                    change.before,
                    change.before,
                    reason if isinstance(reason, str) else reason(change),
                    tokens_before=change.tokens_before,
                    tokens_after=change.tokens_before,
                    step=change.step,
                )
            )
    part = replace(plan, changes=tuple(changes))
    return replace(part, tokens_after=count(part.memories))


def applied_part(plan: Plan, skipped: frozenset[str], count: Callable[[Iterable[UserMemory]], TokenFigures]) -> Plan:
    """What was written of a plan whose changes to some memories were skipped."""
    return without(plan, skipped, count, MOVED_ON) if skipped else plan


def review_groups(plan: Plan) -> list[tuple[Change, ...]]:
    """The changes in groups that can only be accepted or rejected together, in the plan's order."""
    groups: dict[int, list[Change]] = {}
    numbers = lineage_groups(plan.changes)
    for change in plan.changes:
        if change.memory_id in numbers:
            groups.setdefault(numbers[change.memory_id], []).append(change)
    return [tuple(group) for group in groups.values()]


def _left(change: Change) -> str:
    """Why a change is not written with the safe ones."""
    return "left for a review, as a judgement" + (f": {change.reason}" if change.reason else "")


def split_safe(plan: Plan, count: Callable[[Iterable[UserMemory]], TokenFigures]) -> tuple[Plan, Plan]:
    """The plan of the safe changes, and the plan of what is left for a review once the safe ones are written.

    A group of changes that belong together is safe if every one of them is.
    """
    safe: set[str] = set()
    judged: set[str] = set()
    for group in review_groups(plan):
        (safe if all(change.safe for change in group) else judged).update(change.memory_id for change in group)
    first = without(plan, judged, count, _left)
    if judged:  # they count and name what is left, too
        first = replace(first, notes=tuple(f"of the whole plan: {note}" for note in plan.notes))
    changes = []
    for change in plan.changes:
        if change.memory_id not in safe:
            changes.append(change)
        elif change.after is not None:
            size = change.tokens_after
            changes.append(
                Change(Action.KEPT, change.memory_id, change.after, change.after, "", tokens_before=size, tokens_after=size)
            )
    rest = replace(plan, changes=tuple(changes))
    stored = [change.before for change in changes if change.before is not None]
    rest = replace(rest, tokens_before=count(stored), tokens_after=count(rest.memories))
    return replace(first, verification=None) if not judged else first, rest
