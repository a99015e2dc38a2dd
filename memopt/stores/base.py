"""The contract of a store: read one user's memories, apply a plan, undo a run. One class per framework format."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from memopt.errors import UsageError
from memopt.memory import UserMemory
from memopt.plan import Action, Plan, StoreRef, Unreadable
from memopt.stores.journal import Day, Run, Why, days_of, utc_day
from memopt.tokens import TokenFigures

OnConflict: TypeAlias = Literal["stop", "skip"]
CountFigures: TypeAlias = Callable[[Iterable[UserMemory]], TokenFigures]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One user's rows as they were at one moment.

    Attributes:
        memories: what could be decoded, in the order in which the framework puts them into the prompt.
        unreadable: the rows that could not.
    """

    user_id: str | None
    memories: tuple[UserMemory, ...]
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a store can do; strategies and guards ask before they rely on it.

    Attributes:
        delete: memories can be removed.
        rewrite: the text of a memory can be changed in place.
        transactional: an apply is written whole or not at all.
        purge: what an apply removes can be erased for good, out of the journal and the file.
    """

    delete: bool = True
    rewrite: bool = True
    transactional: bool = True
    purge: bool = False


@dataclass(frozen=True, slots=True)
class RunChange:
    """What a run did to one memory.

    Attributes:
        action: dropped, revised or added.
        before, after: the memory; None where there was none, where its row cannot be read, and where it was erased.
        why: as the plan told; empty for an undo, and where an older memopt did not keep it.
        erased: its rows were erased for good.
    """

    memory_id: str
    action: Action
    before: UserMemory | None
    after: UserMemory | None
    why: Why
    erased: bool


@dataclass(frozen=True, slots=True)
class Erasure:
    """What a purge must leave no copy of.

    Attributes:
        ids: memories whose former rows are erased wherever the journal holds them.
        tells: whether a text says what is to be erased; such rows of the journal are erased too.
        needles: pieces of text by which a copy is recognised, for the search for what is left.
        private_options: options of a strategy that may quote what it removed; blotted out in runs of which rows are erased.
    """

    ids: frozenset[str]
    tells: Callable[[str], bool]
    needles: tuple[str, ...] = ()
    private_options: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Purged:
    """What a purge did.

    Attributes:
        run: the run, with nothing in its journal entry but ids and hashes; None where the plan changed nothing.
        journal_rows: how many rows of earlier runs were erased from the journal.
        left: sentences about what could not be erased, and what to do about it; empty where no copy is left in the file.
    """

    run: Run | None
    journal_rows: int
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What was noted of the last run of one kind on a user.

    Attributes:
        state: digest of the memories that it left (``MemoryStore.state``).
        plan: digest of the plan that it wrote (``plan.plan_digest``); None where it changed nothing.
    """

    state: str
    plan: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A note that there was nothing to change in a user's memories as they are (``MemoryStore.mark``)."""

    user_id: str | None
    recipe: str
    state: str


@dataclass(frozen=True, slots=True)
class OwnTable:
    """A table of memopt's own in a store.

    Attributes:
        rows: how many entries.
        size: bytes of their contents; None where the store does not tell.
        oldest: when the oldest was written (epoch seconds); None where there is none.
    """

    rows: int
    size: int | None = None
    oldest: int | float | None = None


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a store tells of itself, beside its memories. None, or empty: it does not tell, or has no such thing.

    Attributes:
        version: which version of the framework the table was made by or migrated to, as the framework itself notes it.
        missing: columns that the framework's tables have today and this one has not.
        size: bytes of the store: of the file; in a database server of the memory table with its indexes.
        free: how many of them hold nothing any more.
        log_size: bytes of the write-ahead log beside the file.
        journal, seen: memopt's own tables.
        hidden: why memopt's own tables could not be looked at, in one line; empty where they were.
        damage: what a check of the whole store found, a line each; None: it was not asked for, or cannot be done.
    """

    version: str | None = None
    missing: tuple[str, ...] = ()
    size: int | None = None
    free: int | None = None
    log_size: int | None = None
    journal: OwnTable | None = None
    seen: OwnTable | None = None
    hidden: str = ""
    damage: tuple[str, ...] | None = None


class MemoryStore(ABC):
    """A place where an agent framework keeps memories. Reading never writes.

    ``user_id`` is the user's id, or None for the rows that have none. All methods raise StoreError (StoreLocked) where the store
    cannot be opened, read or written.
    """

    capabilities: ClassVar[Capabilities] = Capabilities()
    threads: ClassVar[int] = 3
    """How many threads of a run over many users are of use; more would wait for each other."""
    parallel: ClassVar[int] = 1
    """How many users a run over many works on at a time, where no model is awaited."""

    @property
    @abstractmethod
    def ref(self) -> StoreRef:
        """Which store this is."""

    @property
    def journal_hidden(self) -> str:
        """Why the journal cannot be read where the memories can, in one line; empty where it can, or where there is none."""
        return ""

    @abstractmethod
    def read(self, user_id: str | None) -> Snapshot:
        """One user's memories; an empty snapshot for an unknown user."""

    @abstractmethod
    def snapshots(self) -> Iterator[Snapshot]:
        """Every user's memories, one user at a time, ordered by user id."""

    @abstractmethod
    def user_ids(self) -> list[str | None]:
        """The users that have memories, ordered; None for rows without a user."""

    @abstractmethod
    def fingerprint(self, memory: UserMemory) -> str:
        """A digest of the whole stored row of a memory that this store read."""

    @abstractmethod
    def storable(self, memory: UserMemory) -> UserMemory:
        """The memory as this store would give it back: fields it has no place for are None."""

    @abstractmethod
    def check_writable(self) -> None:
        """Raise StoreError if an apply would fail now because the store is locked or read-only. Changes nothing."""

    @abstractmethod
    def apply(self, plan: Plan, *, on_conflict: OnConflict = "stop", count: CountFigures | None = None) -> Run:
        """Write the plan and its journal entry in one transaction.

        Args:
            plan: a plan made from this store.
            on_conflict: ``stop`` writes nothing where a row moved on; ``skip`` leaves out what is tied to such rows.
            count: counts tokens anew where changes were left out.

        Raises:
            ConflictError: rows that the plan changes, drops or relies on moved on. Nothing was written.
            PlanFileError: the plan is of another store. Nothing was written.
        """

    def purge(
        self, plan: Plan, erasure: Erasure, *, on_conflict: OnConflict = "stop", count: CountFigures | None = None
    ) -> Purged:
        """``apply``, and leave no copy of what it removes: one transaction, and then the file itself.

        The plan may change nothing; then only copies that earlier runs left are erased. It cannot be undone.

        Raises:
            UsageError: this store cannot (``capabilities.purge``).
        """
        raise UsageError(f"a store of the kind {self.ref.kind} cannot erase for good; nothing was written")

    @abstractmethod
    def undo(self, run_id: str | None = None, *, on_conflict: OnConflict = "stop", now: int | float) -> Run:
        """Put back the rows of a run (default: the latest) exactly, as a run of its own.

        Raises:
            UsageError: no such run, or rows of it were erased for good (``purge``); ``skip`` restores the others.
            ConflictError: a row of the run was changed since. Nothing was written.
        """

    @abstractmethod
    def history(self, user_id: str | None = None) -> list[Run]:
        """The runs in the journal, newest first; of one user where one is named."""

    def last_run(self, user_id: str | None, *, other_than: str | None = None) -> Run | None:
        """The newest run on a user, the run ``other_than`` left out; None where there is none."""
        runs = [run for run in self.history() if run.user_id == user_id and run.run_id != other_than]
        return runs[0] if runs else None

    def days(self, encoding: str, most: int) -> list[Day]:
        """What was saved on each of the latest days on which runs wrote something, the oldest first.

        Args:
            encoding: runs whose tokens were counted otherwise are passed over.
            most: so many days.
        """
        runs = self.history()
        return days_of(((utc_day(run.at), run.encoding, run.before.prompt, run.after.prompt) for run in runs), encoding, most)

    def changes(self, run_id: str) -> tuple[Run, list[RunChange]]:
        """A run of the journal and what it did to each memory. Raises UsageError: no such run, or the store does not tell."""
        raise UsageError(f"a store of the kind {self.ref.kind} does not tell what a run did")

    def rewrites(self, user_id: str | None) -> dict[str, int]:
        """For each memory of a user that a model wrote, how often what it says was rewritten by now, as the journal tells."""
        return {}

    @abstractmethod
    def prune(self, *, keep: int | None = None, before: int | float | None = None) -> int:
        """Drop journal entries, except the ``keep`` newest, and those at or after the time ``before`` (epoch seconds).

        An entry goes only if every limit that is given lets it go. Returns how many went; they can no longer be undone.
        """

    # -- looking after a store -----------------------------------------------------------------------------------------

    def scan(self) -> Iterator[Snapshot]:
        """Every user's memories, one user at a time, for a look at all of them that takes its time.

        Unlike ``snapshots`` it need not show one moment, never keeps a writer waiting for longer than one user takes, and goes on
        behind what cannot be read: that is told as ``unreadable`` with an empty id.
        """
        return self.snapshots()

    def stored_times(self, memory: UserMemory) -> Mapping[str, Any]:
        """The times of a memory that this store read, by column, in the form in which they are stored."""
        return {"created_at": memory.created_at, "updated_at": memory.updated_at}

    def inspect(self, *, integrity: bool = False) -> Inspection:
        """What the store tells of itself. Like all reading it writes nothing.

        Args:
            integrity: also check the whole store for damage, which may take long.
        """
        runs = self.history()
        return Inspection(journal=OwnTable(len(runs), oldest=min((run.at for run in runs), default=None)) if runs else None)

    # -- runs over many users ------------------------------------------------------------------------------------------

    def each_user_id(self) -> Iterator[str | None]:
        """``user_ids``, one after the other, so that they need not fit into memory. A read transaction is open until the end."""
        return iter(self.user_ids())

    def at_once(self) -> AbstractContextManager[None]:
        """Within the block everything that is read is of one moment and costs one transaction. The block is to be short."""
        return nullcontext()

    def fleet(self, *, write: bool) -> AbstractContextManager[MemoryStore]:
        """This store for a run over many users: opened once, and usable from several threads until the block ends.

        Args:
            write: whether something is to be written; raises StoreError where that would fail.
        """
        return nullcontext(self)

    def claim(self, user_id: str | None) -> bool:
        """Take a user for this run; False where another run, in this process or another, is working on it.

        A claim ends with ``release``, with the block of ``fleet``, and with the process, however that ends.
        """
        return True

    def release(self, user_id: str | None) -> None:  # noqa: B027 - nothing to do where claims are not kept
        """Give a user back."""

    def state(self, memories: Iterable[UserMemory]) -> str:
        """A digest of all the rows of a user's memories, independent of their order."""
        from hashlib import sha256

        lines = sorted(f"{item.memory_id}\x1f{self.fingerprint(item)}" for item in memories)
        return sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()

    def seen(self, user_id: str | None, recipe: str) -> Seen | None:
        """What was noted of the last run of this recipe on a user; None where nothing was, or the store takes no notes.

        An apply of a plan that has a ``recipe`` takes a note in its own transaction.
        """
        return None

    def seen_of(self, user_ids: Sequence[str], recipe: str) -> dict[str, Seen]:
        """``seen`` of many users: the notes that there are."""
        return {user_id: found for user_id in user_ids if (found := self.seen(user_id, recipe)) is not None}

    def read_each(self, user_ids: Sequence[str]) -> Iterator[Snapshot]:
        """``read`` of many users, in their order; keep the number of them small enough for memory."""
        return map(self.read, user_ids)

    def mark(self, marks: Sequence[Mark]) -> None:  # noqa: B027 - as it says
        """Note runs that had nothing to change, in one transaction. A store that takes no notes does nothing."""
