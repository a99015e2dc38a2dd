"""The one road: read, run the strategies, make the plan, check it, apply it. Synchronous and on an event loop."""

from __future__ import annotations

import difflib
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

from memopt.errors import GuardError, MemoptError, StrategyError, UnknownUser, UsageError, VerificationError
from memopt.guards import parse_max_drop, refusals
from memopt.memory import UserMemory, newest, oldest
from memopt.models.base import Ask, Model, Reply, Usage
from memopt.plan import Action, Change, Decision, Filters, Plan, Step, applied_part, checked, diff
from memopt.protect import Protection
from memopt.stores import DEFAULT_LOCK_TIMEOUT, open_store
from memopt.stores.base import MemoryStore, OnConflict, RunChange, Snapshot
from memopt.stores.journal import Run
from memopt.strategies.base import Answering, MemoryOptimizationStrategy, Proposal, Watch, arun, as_proposal, compose, run
from memopt.strategies.registry import MemoryOptimizationStrategyFactory, MemoryOptimizationStrategyType
from memopt.tokens import DEFAULT_ENCODING, TokenCounter

DEFAULT_MAX_REWRITES = 3
_TOO_OFTEN = "rewritten"

Strategy: TypeAlias = "MemoryOptimizationStrategyType | str | MemoryOptimizationStrategy"


@dataclass(frozen=True, slots=True)
class UserSummary:
    """One user of a store.

    Attributes:
        memories: how many could be decoded; ``unreadable`` could not.
        text_tokens, prompt_tokens: tokens of the bare texts, and of the prompt lines.
        duplicates: memories whose text another one has exactly.
        oldest, newest: first creation and last change (epoch seconds), as far as known.
    """

    user_id: str | None
    memories: int
    unreadable: int
    text_tokens: int
    prompt_tokens: int
    duplicates: int
    oldest: int | float | None
    newest: int | float | None


@dataclass(frozen=True, slots=True)
class Begun:
    """One user's memories as a plan begins with them: as they were read, and as the strategies see them."""

    snapshot: Snapshot
    seen: tuple[UserMemory, ...]
    notes: tuple[str, ...] = ()


class MemoryManager:
    """Maintains the memories in one store.

    Args:
        db: a path or URL, or a store.
        model: what answers the requests of strategies that ask a model.
        judge: answers the requests that are meant for a judge; None: the model does.
        watch: is told of every request, and may stop the run before it is sent.
        concurrency: how many requests may be under way at a time (``aoptimize_memories``).
        table: the memory table, where the file holds several.
        encoding: tiktoken encoding, or model name, for all token counts.
        lock_timeout: how long to wait for another process's lock, seconds.
        clock: gives the time in epoch seconds.

    Raises:
        UsageError, StoreError: the store cannot be opened (see ``open_store``).
    """

    def __init__(
        self,
        db: str | os.PathLike[str] | MemoryStore,
        model: Model | None = None,
        *,
        judge: Model | None = None,
        watch: Watch | None = None,
        concurrency: int = 4,
        table: str | None = None,
        encoding: str = DEFAULT_ENCODING,
        lock_timeout: float = DEFAULT_LOCK_TIMEOUT,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.store = db if isinstance(db, MemoryStore) else open_store(os.fspath(db), table, lock_timeout)
        self.model = model
        self.answering = Answering(model, judge, watch, concurrency)
        self.tokens = TokenCounter(encoding)
        self.clock = clock

    # -- reading -------------------------------------------------------------------------------------------------------

    def get_user_memories(self, user_id: str | None) -> Snapshot:
        """One user's memories.

        Raises:
            UnknownUser: the store has no row of this user; close matches are named.
        """
        snapshot = self.store.read(user_id)
        if not snapshot.memories and not snapshot.unreadable:
            raise self._unknown(user_id)
        return snapshot

    def _unknown(self, user_id: str | None) -> UnknownUser:
        where = self.store.ref.location
        if user_id is None:
            return UnknownUser(f"{where} has no memories without a user")
        known = [each for each in self.store.user_ids() if each is not None]
        folded: dict[str, list[str]] = {}
        for each in known:
            folded.setdefault(each.casefold().strip(), []).append(each)
        wanted = user_id.casefold().strip()
        close = (
            folded.get(wanted, [])[:5]
            or [each for match in difflib.get_close_matches(wanted, folded, n=5, cutoff=0.6) for each in folded[match]][:5]
        )
        if close:
            hint = f"did you mean {', '.join(map(repr, close))}?"
        elif known and len(known) <= 10:
            hint = f"its users: {', '.join(map(repr, known))}"
        else:
            hint = f"it has {len(known)} users; memopt users lists them"
        return UnknownUser(f"{where} has no memories of user {user_id!r}; {hint}", close_matches=close)

    def users(self) -> list[UserSummary]:
        """Every user of the store, ordered by id."""
        return [self._summary(snapshot) for snapshot in self.store.snapshots()]

    def figures(self, user_id: str | None) -> dict[str, float]:
        """What a policy's condition may ask of a user: memories, tokens (prompt lines), text_tokens, duplicates.

        Raises:
            UnknownUser: the store has no row of this user.
        """
        summary = self._summary(self.get_user_memories(user_id))
        return {
            "memories": summary.memories,
            "tokens": summary.prompt_tokens,
            "text_tokens": summary.text_tokens,
            "duplicates": summary.duplicates,
        }

    def _summary(self, snapshot: Snapshot) -> UserSummary:
        memories = snapshot.memories
        counter = TokenCounter(self.tokens.asked_for)  # its cache must not grow with the number of users
        figures = counter.figures(memories)
        return UserSummary(
            user_id=snapshot.user_id,
            memories=len(memories),
            unreadable=len(snapshot.unreadable),
            text_tokens=figures.text,
            prompt_tokens=figures.prompt,
            duplicates=len(memories) - len({item.memory for item in memories}),
            oldest=oldest(item.created_at if item.created_at is not None else item.last_changed for item in memories),
            newest=newest(item.last_changed for item in memories),
        )

    # -- making plans --------------------------------------------------------------------------------------------------

    def optimize_memories(
        self,
        user_id: str | None,
        strategy: Strategy | Sequence[Strategy] = MemoryOptimizationStrategyType.SUMMARIZE,
        apply: bool = False,
        *,
        options: Mapping[str, Any] | None = None,
        filters: Filters | None = None,
        max_drop: str | None = None,
        allow_empty: bool = False,
        on_conflict: OnConflict = "stop",
        protection: Protection | None = None,
        max_rewrites: int = DEFAULT_MAX_REWRITES,
        purge: bool = False,
    ) -> Plan:
        """Make a plan for one user, and write it where ``apply`` says so. Nothing is written otherwise.

        Args:
            user_id: the user; None means the rows that have no user, not a default one.
            strategy: a type, a name, an instance, or a list of them that is run as a chain.
            options: options for a strategy that is given by type or name.
            filters: which memories the strategy sees; all others are kept.
            max_drop: refuse a plan that drops more memories than this, ``"10"`` or ``"50%"``.
            allow_empty: accept a plan that leaves nothing.
            on_conflict: see ``MemoryStore.apply``.
            protection: memories that no strategy may change or drop.
            max_rewrites: memories that a model rewrote as often as this already are protected from strategies that ask one.
            purge: with ``apply``, leave no copy of what is removed (see ``apply``).

        Returns:
            The plan; as a sequence it is the memories that result. ``plan.run`` is the journal's id where it was written.

        Raises:
            UnknownUser, UsageError: no such user, strategy or option.
            StoreError, ConflictError, GuardError, StrategyError, ModelError: nothing was written.
        """
        _check_on_conflict(on_conflict)
        if purge:
            self.check_purge()
        chain = self.chain(strategy, options)
        if max_drop is not None:
            parse_max_drop(max_drop)
        rewrites = self.journal_left_out(chain)
        begun = self.begin(user_id, filters=filters, protection=protection, writing=apply, rewrites=rewrites)
        proposal, usage = self.propose(begun, chain, max_rewrites)
        plan = self.conclude(begun, chain, proposal, usage, filters=filters, max_drop=max_drop, allow_empty=allow_empty)
        return self.apply(plan, on_conflict=on_conflict, purge=purge) if apply else plan

    async def aoptimize_memories(
        self,
        user_id: str | None,
        strategy: Strategy | Sequence[Strategy] = MemoryOptimizationStrategyType.SUMMARIZE,
        apply: bool = False,
        *,
        options: Mapping[str, Any] | None = None,
        filters: Filters | None = None,
        max_drop: str | None = None,
        allow_empty: bool = False,
        on_conflict: OnConflict = "stop",
        protection: Protection | None = None,
        max_rewrites: int = DEFAULT_MAX_REWRITES,
        purge: bool = False,
    ) -> Plan:
        """``optimize_memories`` on an event loop: requests are awaited, and the store is read and written in a thread."""
        from asyncio import to_thread

        _check_on_conflict(on_conflict)
        if purge:
            self.check_purge()
        chain = self.chain(strategy, options)
        if max_drop is not None:
            parse_max_drop(max_drop)
        rewrites = self.journal_left_out(chain)
        begun = await to_thread(self.begin, user_id, filters=filters, protection=protection, writing=apply, rewrites=rewrites)
        proposal, usage = await self.apropose(begun, chain, max_rewrites)
        guards: dict[str, Any] = {"filters": filters, "max_drop": max_drop, "allow_empty": allow_empty}
        plan = await to_thread(self.conclude, begun, chain, proposal, usage, **guards)
        return await to_thread(self.apply, plan, on_conflict=on_conflict, purge=purge) if apply else plan

    # -- the parts of making a plan, which runs over many users take one by one ----------------------------------------

    def chain(
        self, strategy: Strategy | Sequence[Strategy], options: Mapping[str, Any] | None = None
    ) -> list[MemoryOptimizationStrategy]:
        """The strategies to run. Raises UsageError for what ``optimize_memories`` does not take."""
        listed = [strategy] if isinstance(strategy, str) or not isinstance(strategy, Sequence) else list(strategy)
        if not listed:
            raise UsageError("no strategy given")
        for each in listed:
            if isinstance(each, type):
                raise UsageError(f"strategy {each.__name__} is a class; give an instance, with its options")
        if options and any(not isinstance(each, str) for each in listed):
            raise UsageError("options go with a strategy given by name; give them to the instance otherwise")
        if len(listed) > 1 and options:
            raise UsageError("options for a chain: give instances, or use strategies.registry.make_chain")
        return [
            MemoryOptimizationStrategyFactory.create_strategy(each, **(options or {})) if isinstance(each, str) else each
            for each in listed
        ]

    def begin(
        self,
        user_id: str | None,
        *,
        filters: Filters | None = None,
        protection: Protection | None = None,
        writing: bool = False,
        snapshot: Snapshot | None = None,
        rewrites: Mapping[str, int] | None = None,
    ) -> Begun:
        """Read a user's memories, and mark those that are protected.

        Args:
            writing: whether the store must be writable.
            snapshot: the user's rows where they were read already; one that moves on meanwhile is found when the plan is written.
            rewrites: what ``MemoryStore.rewrites`` says, where it was asked already.

        Raises:
            UnknownUser, UsageError, StoreError.
        """
        if user_id is not None and not isinstance(user_id, str):
            raise UsageError(f"user_id is a text or None, not {type(user_id).__name__}")
        alone = snapshot is None  # of many users, most have nothing that a rule is meant for
        if snapshot is None:
            snapshot = self.get_user_memories(user_id)
        if writing:
            self.store.check_writable()  # a model that was paid for a store that cannot be written was paid for nothing
        seen = [item for item in snapshot.memories if filters is None or filters.admits(item)]
        if rewrites is None:
            rewrites = self.store.rewrites(user_id)
        for place, item in enumerate(seen):
            why = protection.reason(item) if protection else None
            often = rewrites.get(item.memory_id or "", 0)
            if why is not None or often:
                seen[place] = item.but(protected=why, rewrites=often)
        return Begun(snapshot, tuple(seen), tuple(protection.idle(snapshot.memories)) if protection and alone else ())

    def journal_left_out(self, chain: Sequence[MemoryOptimizationStrategy]) -> Mapping[str, int] | None:
        """No rewrites, where the journal that tells them may not be read and no strategy needs to know; else None: ask it."""
        return {} if self.store.journal_hidden and not any(getattr(each, "needs_model", False) for each in chain) else None

    def propose(
        self, begun: Begun, chain: Sequence[MemoryOptimizationStrategy], max_rewrites: int = DEFAULT_MAX_REWRITES
    ) -> tuple[Proposal, Usage]:
        """Run the strategies. Returns what they made of the memories, and what the model used."""
        stored = {item.memory_id for item in begun.seen}
        proposal, usage = Proposal(begun.seen), Usage()
        for each in chain:
            given = self._given(each, proposal.memories, max_rewrites)
            with _blame(each), _Embedding(each, self.answering.watch) as embedding:
                if _overrides(each, "optimize"):
                    metered = _metered(self.model)
                    step = as_proposal(each.optimize(given, metered))
                    used = metered.usage if metered else _used(each)
                else:
                    step, used = run(each, given, self.answering)
            step = self._verified(each, given, self._checked(each, given, step), used)
            proposal, usage = compose(proposal, step, stored), usage + used + embedding.usage
        return proposal, usage

    async def apropose(
        self, begun: Begun, chain: Sequence[MemoryOptimizationStrategy], max_rewrites: int = DEFAULT_MAX_REWRITES
    ) -> tuple[Proposal, Usage]:
        """``propose`` on an event loop."""
        from asyncio import to_thread

        stored = {item.memory_id for item in begun.seen}
        proposal, usage = Proposal(begun.seen), Usage()
        for each in chain:
            given = self._given(each, proposal.memories, max_rewrites)
            with _blame(each), _Embedding(each, self.answering.watch) as embedding:
                if _overrides(each, "aoptimize"):
                    metered = _metered(self.model)
                    step = as_proposal(await each.aoptimize(given, metered))
                    used = metered.usage if metered else _used(each)
                elif _overrides(each, "optimize"):
                    metered = _metered(self.model)
                    step = as_proposal(await to_thread(each.optimize, given, metered))
                    used = metered.usage if metered else _used(each)
                elif embedding.waits and not getattr(each, "needs_model", False):
                    step, used = await to_thread(run, each, given, self.answering)
                else:
                    step, used = await arun(each, given, self.answering)
            step = self._checked(each, given, step)
            if _unverified(each, step, used):
                step = await to_thread(self._verified, each, given, step, used)
            proposal, usage = compose(proposal, step, stored), usage + used + embedding.usage
        return proposal, usage

    def _given(self, strategy: MemoryOptimizationStrategy, memories: Sequence[UserMemory], max_rewrites: int) -> list[UserMemory]:
        """What a strategy is given: for one that asks a model, what was rewritten too often already is protected."""
        if getattr(strategy, "now", 0) is None:
            strategy.now = int(self.clock())  # type: ignore[attr-defined]
        if getattr(strategy, "counter", 0) is None:
            strategy.counter = self.tokens  # type: ignore[attr-defined]
        if not getattr(strategy, "needs_model", False):
            return list(memories)
        return [
            item.but(protected=f"{_TOO_OFTEN} {item.rewrites} times already")
            if item.protected is None and item.rewrites >= max_rewrites
            else item
            for item in memories
        ]

    def _checked(self, strategy: MemoryOptimizationStrategy, given: Sequence[UserMemory], step: Proposal) -> Proposal:
        """The step with every memory's id, its strategy's name on each decision, and protected memories as they were.

        Raises:
            StrategyError: the strategy returned what it may not.
        """
        name = _name(strategy)
        with _blame(strategy):
            memories = checked(given, step.memories)
        returned = {item.memory_id: item for item in memories}
        decisions = {memory_id: replace(decision, step=name) for memory_id, decision in step.decisions.items()}
        restored: list[UserMemory] = []
        notes = list(step.notes)
        tired = [item.memory_id or "" for item in given if (item.protected or "").startswith(_TOO_OFTEN)]
        if tired:
            who = f"1 memory ({tired[0]}) was" if len(tired) == 1 else f"{len(tired)} memories ({_some(tired)}) were"
            notes.append(f"{who} rewritten too often already and left alone by {name}; --max-rewrites sets how often that may be")
        for item in given:
            assert item.memory_id is not None
            new = returned.get(item.memory_id)
            if new is not None and new.same_as(item):
                continue
            if item.protected is None:
                decisions.setdefault(item.memory_id, Decision("", step=name))
                continue
            restored.append(item)
            decisions[item.memory_id] = Decision(f"protected ({item.protected}); {name} would have changed it", step=name)
        if restored:
            back = {item.memory_id: item for item in restored}
            memories = [back.pop(item.memory_id, item) for item in memories] + list(back.values())
        for memory_id in returned.keys() - {item.memory_id for item in given}:
            if memory_id is not None:
                decisions.setdefault(memory_id, Decision("", step=name))
        if getattr(strategy, "needs_model", False):
            # That protection was against this strategy alone; a rule of the next step may drop such a memory.
            memories = [
                item.but(protected=None) if (item.protected or "").startswith(_TOO_OFTEN) else item
                for item in _counted(given, memories)
            ]
        return replace(step, memories=memories, decisions=decisions, notes=tuple(notes))

    def _verified(
        self, strategy: MemoryOptimizationStrategy, given: Sequence[UserMemory], step: Proposal, used: Usage
    ) -> Proposal:
        """A step in which a model took part and that was not checked by the strategy itself: lost memories stay beside it.

        Raises:
            VerificationError: it says what no memory says.
        """
        if not _unverified(strategy, step, used):
            return step
        from memopt.verify import verify

        texts = {item.memory_id: item.memory for item in given}
        written = [item for item in step.memories if texts.get(item.memory_id) != item.memory and not item.is_blank]
        if not written:
            return step  # the model chose, and wrote nothing
        left = {item.memory_id: item for item in step.memories}
        gone = [item for item in given if left.get(item.memory_id) is not item and not item.is_blank]
        ids = {item.memory_id for item in written}
        # What is dropped for a reason of its own went nowhere, and need not be in what was written. All else may have gone there.
        named = {memory_id for item in written for memory_id in item.sources} | ids
        apart = {memory_id for memory_id, decision in step.decisions.items() if decision.reason and decision.into not in ids}
        sources = [item for item in gone if item.memory_id in named or item.memory_id not in apart]
        name = _name(strategy)
        report = verify([*sources, *(item for item in given if left.get(item.memory_id) is item)], list(step.memories))
        new = [item for item in report.invented if step.memories[item.index].memory_id in ids]
        if new:
            raise VerificationError(
                f"strategy {name} was refused: it says what no memory says: {new[0].detail}. Nothing was written",
                invented=[{"sentence": item.sentence, "kind": item.kind} for item in new],
            )
        back = {sources[place].memory_id: sources[place] for place in report.lost_indexes if place < len(sources)}
        memories = [item for item in step.memories if item.memory_id not in back] + list(back.values())
        decisions = dict(step.decisions)
        for memory_id in back:
            if memory_id is not None:
                decisions[memory_id] = Decision(f"kept: what {name} wrote lacks a fact of it", step=name)
        found = report.to_dict()
        account = {
            "memory_id": None,
            "outcome": "written",
            "label": name,
            "sources": len(sources),
            "on_loss": "keep",
            "facts": found["facts"],
            "retention": found["retention"],
            "lost": [{**item, "kept_beside": True} for item in found["lost"]],
            "invented": [],
            "superseded": found["superseded"],
            "doubtful": found["doubtful"],
            "by_meaning": [],
            "judged": [],
            "repairs": 0,
            "not_sent": {},
            "lineage": [],
        }
        return replace(step, memories=memories, decisions=decisions, reports=(account,))

    def conclude(
        self,
        begun: Begun,
        chain: Sequence[MemoryOptimizationStrategy],
        proposal: Proposal,
        usage: Usage,
        *,
        filters: Filters | None = None,
        max_drop: str | None = None,
        allow_empty: bool = False,
    ) -> Plan:
        """The plan. Raises StrategyError where a strategy returned what it may not."""
        snapshot, seen = begun.snapshot, begun.seen
        before = snapshot.memories
        shown = {item.memory_id for item in seen}
        stored = {item.memory_id: item for item in before}
        after: list[UserMemory] = [item for item in before if item.memory_id not in shown]
        for item in proposal.memories:
            if item.memory_id in stored and item.memory_id not in shown:
                raise StrategyError(f"strategy {_name(chain[-1])} returned the memory {item.memory_id}, which it was not shown")
            after.append(item)
        now = int(self.clock())
        changes = diff(before, after, proposal.decisions, count=self.tokens.text, now=now)
        wanted = changes
        changes = tuple(self._as_stored(change) for change in wanted)
        touched = [change for change in changes if change.action is not Action.KEPT]
        needed = {change.memory_id for change in touched} | {i for change in touched for i in change.relies_on}
        asked = any(getattr(each, "needs_model", False) for each in chain) and (usage.requests > 0 or proposal.reports)
        notes = [*proposal.notes, *begun.notes]
        if len(chain) > 1 and not any(item.is_blank for item in after):
            # a later step dropped what an earlier one had left alone
            notes = [note for note in notes if not _LEFT_BLANK.fullmatch(note)]
        notes = list(dict.fromkeys(notes))
        if filters and len(seen) < len(before):
            notes.append(f"{len(before) - len(seen)} of {len(before)} memories lie outside the filter and are kept")
            notes += _strangers(before, filters)
        cut = sum(_cut(one.after, other.after) for one, other in zip(wanted, changes, strict=True))
        if cut:
            what = "1 memory" if cut == 1 else f"{cut} memories"
            notes.append(f"characters that the store cannot hold (NUL, halves of surrogate pairs) were left out of {what}")
        if usage.requests:
            notes += getattr(self.answering.watch, "notes", ())
        priced = usage if self.answering.watch is None else self.answering.watch.priced(usage)
        if usage.judge is not None and priced.cost is not None and self.answering.judge is not None and self.model is not None:
            judge = self.answering.judge
            notes.append(f"what the judge {judge.name} took is counted at the price that was given for {self.model.name}")
        plan = Plan(
            store=self.store.ref,
            user_id=snapshot.user_id,
            steps=tuple(map(step_of, chain)),
            changes=changes,
            fingerprints={i: self.store.fingerprint(stored[i]) for i in sorted(needed) if i in stored},
            made_at=now,
            encoding=self.tokens.encoding,
            tokens_before=self.tokens.figures(before),
            tokens_after=self.tokens.figures(change.after for change in changes if change.after is not None),
            unreadable=snapshot.unreadable,
            filters=filters or Filters(),
            model=self._writer(chain) if asked else None,
            usage=priced,
            notes=tuple(notes),
            max_drop=max_drop,
            allow_empty=allow_empty,
            verification={"reports": [dict(report) for report in proposal.reports]} if proposal.reports else None,
        )
        return plan

    def _writer(self, chain: Sequence[MemoryOptimizationStrategy]) -> dict[str, str] | None:
        """Who was asked, and the judge where one of its own was."""
        if self.model is None:
            return None
        judge = self.answering.judge
        named = {"judge": judge.name} if judge is not None and asks_judge(chain) else {}
        return {"name": self.model.name, "endpoint": self.model.endpoint, **named}

    def _as_stored(self, change: Change) -> Change:
        """The change with what the store can hold, so that the preview is what will be read back."""
        if change.action is Action.KEPT or change.after is None:
            return change
        after = self.store.storable(change.after)
        if (
            change.before is not None
        ):  # what the plan does not change stays as it is stored, also where memopt would store it otherwise
            same = {
                name: getattr(change.before, name)
                for name in ("created_at", "updated_at")
                if getattr(change.after, name) == getattr(change.before, name) != getattr(after, name)
            }
            after = after.but(**same) if same else after
        if change.before is not None and after.same_as(change.before):
            return replace(change, action=Action.KEPT, after=change.before, sources=(), relies_on=())
        if after.memory != change.after.memory:
            change = replace(change, tokens_after=self.tokens.text(after.memory))
        return replace(change, after=after)

    # -- writing -------------------------------------------------------------------------------------------------------

    def apply(
        self,
        plan: Plan,
        *,
        on_conflict: OnConflict = "stop",
        max_drop: str | None = None,
        allow_empty: bool = False,
        purge: bool = False,
    ) -> Plan:
        """Write a plan. No model is asked, and what is written is what the plan holds.

        Args:
            purge: leave no copy of what is removed, neither in the journal nor in the file's free space: there is no undo. Also
                done for a plan without changes, for what earlier runs left. What could not be erased is among the plan's notes.

        Returns:
            The plan as it was written, with ``run`` set; a plan without changes comes back as it is, and writes nothing.

        Raises:
            GuardError: a guard refuses the plan.
            ConflictError, PlanFileError, StoreError: see ``MemoryStore.apply``; nothing was written.
            UsageError: the store cannot purge.
        """
        _check_on_conflict(on_conflict)
        if purge:
            self.check_purge()
        plan = replace(plan, max_drop=max_drop or plan.max_drop, allow_empty=allow_empty or plan.allow_empty)
        reasons = refusals(plan)
        if reasons:
            raise GuardError("; ".join(reasons) + ". Nothing was written", reasons=list(reasons))
        if purge:
            return self._purge(plan, on_conflict)
        if not plan.has_changes:
            return plan
        counter = TokenCounter(plan.encoding)
        done = self.store.apply(plan, on_conflict=on_conflict, count=counter.figures)
        part = applied_part(plan, frozenset(done.skipped), counter.figures)
        return replace(part, run=done.run_id if part.has_changes else None)

    def check_purge(self) -> None:
        """Raise UsageError where the store cannot erase for good."""
        if not self.store.capabilities.purge:
            raise UsageError(f"a store of the kind {self.store.ref.kind} cannot erase for good; leave out --purge")

    def _purge(self, plan: Plan, on_conflict: OnConflict) -> Plan:
        from memopt.purge import erasure_of, lasting_notes, without_private

        counter = TokenCounter(plan.encoding)
        done = self.store.purge(without_private(plan), erasure_of(plan), on_conflict=on_conflict, count=counter.figures)
        part = plan if done.run is None else applied_part(plan, frozenset(done.run.skipped), counter.figures)
        notes = lasting_notes(part.notes)
        if done.run is not None and part.has_changes:
            notes.append("what was removed was erased for good: this run cannot be taken back")
        if done.journal_rows:
            rows, were, them = ("1 row", "was", "it") if done.journal_rows == 1 else (f"{done.journal_rows} rows", "were", "them")
            notes.append(
                f"{rows} of earlier runs that told it {were} erased from the journal; those runs cannot bring {them} back"
            )
        notes += [f"not erased: {sentence}" for sentence in done.left]
        return replace(part, run=done.run.run_id if done.run is not None and part.has_changes else None, notes=tuple(notes))

    def undo(self, run_id: str | None = None, *, on_conflict: OnConflict = "stop") -> Run:
        """Put back the rows of a run, by default the latest. See ``MemoryStore.undo``."""
        _check_on_conflict(on_conflict)
        return self.store.undo(run_id, on_conflict=on_conflict, now=self.clock())

    def history(self, user_id: str | None = None) -> list[Run]:
        """The runs in the journal, newest first."""
        return self.store.history(user_id)

    def changes(self, run_id: str) -> tuple[Run, list[RunChange]]:
        """A run of the journal, by its id or any unambiguous beginning of it, and what it did to each memory and why."""
        return self.store.changes(run_id)


def asks_judge(chain: Sequence[MemoryOptimizationStrategy]) -> bool:
    """Whether a strategy puts doubtful facts to a judge."""
    return any(getattr(getattr(strategy, "options", None), "judge", False) is True for strategy in chain)


def _check_on_conflict(value: str) -> None:
    if value not in ("stop", "skip"):
        raise UsageError(f"on_conflict is 'stop' or 'skip', not {value!r}")


def step_of(strategy: object) -> Step:
    """A strategy with its options, as plans and the journal name it."""
    return Step(_name(strategy), _options(strategy))


def _name(strategy: object) -> str:
    return str(getattr(strategy, "name", "") or type(strategy).__name__)


def _cut(wanted: UserMemory | None, stored: UserMemory | None) -> bool:
    """Whether a store holds a memory's text or topics otherwise than they were wanted."""
    if wanted is None or stored is None:
        return False
    return wanted.memory != stored.memory or (stored.topics is not None and wanted.topics != stored.topics)


def _options(strategy: object) -> dict[str, Any]:
    from dataclasses import asdict, is_dataclass

    options = getattr(strategy, "options", None)
    return asdict(cast(Any, options)) if is_dataclass(options) else {}


def _counted(given: Sequence[UserMemory], memories: Sequence[UserMemory]) -> list[UserMemory]:
    """The memories with how often what they say was rewritten: once more than the most rewritten of their sources."""
    before = {item.memory_id: item for item in given}
    most = max((item.rewrites for item in given), default=0)
    out: list[UserMemory] = []
    for item in memories:
        old = before.get(item.memory_id)
        if old is None or old.memory != item.memory:
            known = [before[i].rewrites for i in item.sources if i in before] or [old.rewrites if old else most]
            item = item.but(rewrites=max(known) + 1)
        out.append(item)
    return out


class _Embedding:
    """The embedder of a strategy that asks a service for vectors, so that its requests count as any others while it runs."""

    def __init__(self, strategy: object, watch: Watch | None) -> None:
        self._strategy: Any = strategy
        self._given: Any = getattr(strategy, "embedder", object())
        self.waits = embeds_elsewhere(strategy)
        self._mine = self._given.watched(watch) if self.waits else None

    def __enter__(self) -> _Embedding:
        if self.waits:
            self._strategy.embedder = self._mine
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self.waits:
            self._strategy.embedder = self._given

    @property
    def usage(self) -> Usage:
        used: Usage = self._mine.usage if self._mine is not None else Usage()
        return used


def embeds_elsewhere(strategy: object) -> bool:
    """Whether a strategy asks a service for vectors."""
    return hasattr(getattr(strategy, "embedder", None), "watched")


class _Metered:
    """The model as it is handed to a strategy that asks by itself, so that its requests are counted whatever it tells."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.name, self.endpoint, self.context_tokens = model.name, model.endpoint, model.context_tokens
        self.usage = Usage()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def answer(self, ask: Ask) -> Reply:
        return self._count(self._model.answer(ask))

    async def aanswer(self, ask: Ask) -> Reply:
        return self._count(await self._model.aanswer(ask))

    def _count(self, reply: Reply) -> Reply:
        self.usage += reply.usage if reply.usage.requests else replace(reply.usage, requests=1)
        return reply


def _metered(model: Model | None) -> _Metered | None:
    return None if model is None else _Metered(model)


def _used(strategy: object) -> Usage:
    """What a strategy that asks by itself used, as far as it tells."""
    used = getattr(strategy, "used", None)
    return used if isinstance(used, Usage) else Usage()


def _some(ids: Sequence[str], most: int = 3) -> str:
    """The first few ids, and how many more there are."""
    return ", ".join(ids[:most]) + (f" and {len(ids) - most} more" if len(ids) > most else "")


def _unverified(strategy: object, step: Proposal, used: Usage) -> bool:
    """Whether a model took part in a step that the strategy did not check itself."""
    return bool(used.requests or getattr(strategy, "needs_model", False)) and not step.reports


def _overrides(strategy: object, method: str) -> bool:
    """Whether the strategy brings its own ``optimize`` or ``aoptimize``, as one written for Agno does."""
    own = getattr(type(strategy), method, None)
    return own is not None and own is not getattr(MemoryOptimizationStrategy, method)


def _strangers(memories: Sequence[UserMemory], filters: Filters) -> list[str]:
    """For each value of a filter that no memory of the user has, a note with the values that come near."""
    from difflib import get_close_matches

    out = []
    for name, values, there in (
        ("agent", filters.agent, {item.agent_id for item in memories}),
        ("team", filters.team, {item.team_id for item in memories}),
        ("topic", filters.topic, {topic for item in memories for topic in item.topics or ()}),
    ):
        known = sorted(value for value in there if value)
        for value in values:
            if value == "none" or value in known:
                continue
            folded = {each.casefold(): each for each in known}
            near = [folded[each] for each in get_close_matches(value.casefold(), folded, 2)]
            meant = f"; did you mean {' or '.join(near)}?" if near else ""
            out.append(f"no memory of the user has the {name} {value!r}{meant}")
    return out


_LEFT_BLANK = re.compile(r"\d+ blank memor(?:y|ies) left alone")


class _blame:  # noqa: N801 - reads as a statement
    """Turn whatever a strategy raises into a StrategyError with its name; memopt's own errors pass."""

    def __init__(self, strategy: object) -> None:
        self.name = _name(strategy)

    def __enter__(self) -> None: ...

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, StrategyError):
            raise StrategyError(f"strategy {self.name} {error}; nothing was written") from error
        if isinstance(error, SystemExit):  # or cron would see a success of which nothing was written
            raise StrategyError(f"strategy {self.name} wanted to end the process; nothing was written") from error
        if isinstance(error, Exception) and not isinstance(error, MemoptError):
            said = " ".join(str(error).split()) or "no message"
            raise StrategyError(f"strategy {self.name} failed: {type(error).__name__}: {said}; nothing was written") from error
