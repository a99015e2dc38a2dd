"""The runs of a batch: ``Export`` writes requests, ``Import`` makes plans of the answers and writes the next requests."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from memopt.batch.files import RequestFiles
from memopt.batch.made import Batch
from memopt.errors import ConflictError, LimitError, MemoptError, ModelError, PlanFileError, StrategyError, UsageError
from memopt.fleet import Candidate, Fleet, Outcome, Ready, Selection, Started, Status, Summary, Terms, Work
from memopt.folder import PlanFolder
from memopt.manager import MemoryManager
from memopt.models.base import used_by
from memopt.models.batch import Answer, Conversation, RequestFailed, Unanswered, Wanted, request_line
from memopt.models.spend import passed
from memopt.plan import Plan, plan_digest
from memopt.protect import Protection
from memopt.stores.base import MemoryStore
from memopt.stores.batches import BatchFile
from memopt.strategies.base import MemoryOptimizationStrategy, Proposal
from memopt.tokens import TokenFigures, token_count
from memopt.usage import Usage

AGAIN = ("missing", "failed", "stale")
"""What ``Import`` may ask for again: requests without a result line, failed ones, and users whose memories moved on."""


class NextRound(MemoptError):
    """A user's answers lead to further requests, and there is no file to write them to."""

    kind = "next-round"


class AnswerMissing(MemoptError):
    """Requests of a user have no line in the results."""

    kind = "missing"


@dataclass(slots=True)
class _Clock:
    """Stands at the time by which the plan of the present user is made (epoch seconds)."""

    now: int

    def __call__(self) -> float:
        return self.now


class _Exchange:
    """What the users of a run ask, and are answered, through files.

    Attributes:
        tokens: of the requests that were written, counted.
        limit: what kept a user's requests from being written.
        notes: that the answers which are here cost more than was allowed.
    """

    def __init__(self, made: Batch, batch: BatchFile, files: RequestFiles | None, clock: _Clock) -> None:
        self.made, self.batch, self.files, self.clock = made, batch, files, clock
        self.tokens = 0
        self.limit: LimitError | None = None
        self.notes: tuple[str, ...] = ()
        self._count = token_count(made.encoding)
        self._limits = made.budget()
        sums = batch.sums()
        self._limits.sent = sums.requests
        if self._limits.price is not None:
            self._limits.spent = self._limits.price.exactly(
                sums.prompt_tokens + sums.waiting_tokens, sums.completion_tokens + sums.waiting_tokens
            )
            told = self._limits.price.exactly(sums.prompt_tokens, sums.completion_tokens)
            if self._limits.max_cost is not None and told > self._limits.max_cost:
                self.notes = (passed(told, self._limits.max_cost),)

    def answer_to(self, request_id: str) -> Answer | None:
        kept = self.batch.reply(request_id)
        return None if kept is None else Answer.from_json(kept)

    def begin(self, started: Started) -> Started:
        """The same work, whose model is what came back in files."""
        talk = self.made.conversation(f"{started.state}\x1f{started.user_id}", self.answer_to)
        manager = MemoryManager(
            started.manager.store,
            talk.model,
            judge=talk.judge,
            watch=talk,
            encoding=self.made.encoding,
            clock=self.clock,
        )
        return replace(started, manager=manager, budget=None)

    def add_user(self, started: Started) -> int:
        return self.batch.add_user(started.user_id, started.state, self.clock.now)

    def write(self, started: Started, talk: Conversation) -> Outcome:
        """Write a user's requests. Raises LimitError where they would go beyond a limit."""
        assert self.files is not None
        self._limits.user().asking([each.ask for each in talk.wanted], Usage())
        place = self.add_user(started)
        for each in talk.wanted:
            tokens = self._count(each.ask.instructions(each.ask.schema is not None)) + self._count(each.ask.prompt)
            self.tokens += tokens
            self.batch.issue(each.custom_id, place, self.batch.round + 1, tokens)
            self.files.add(each.model, request_line(each.custom_id, each.payload))
        return Outcome(
            started.user_id,
            Status.WAITING,
            before=started.before,
            unreadable=started.begun.snapshot.unreadable,
            usage=talk.priced(talk.usage),
            at=self.clock(),
        )


class _FileWork(Work):
    """One user's work, as far as the answers reach."""

    def __init__(self, terms: Terms, summary: Summary, stop: Callable[[MemoptError], None], exchange: _Exchange) -> None:
        super().__init__(terms, summary, stop)
        self.exchange = exchange

    def conclude(
        self, started: Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage
    ) -> Outcome | Ready:
        talk = _talk(started)
        if talk.wanted:  # a strategy that takes every exception for an answer has made something up
            raise Unanswered(talk.wanted)
        return super().conclude(started, chain, proposal, usage)

    def failed(self, user_id: str, error: BaseException, started: Started | None = None) -> Outcome:
        if started is None:
            return super().failed(user_id, error)
        if isinstance(error, Unanswered):
            try:
                return self.unanswered(started, _talk(started))
            except (LimitError, StrategyError, NextRound, AnswerMissing) as told:
                error = told
        outcome = super().failed(user_id, error, started)
        if isinstance(error, MemoptError) and isinstance(error.details.get("usage"), Usage):
            return outcome
        talk = _talk(started)
        used = talk.usage
        if isinstance(error, MemoptError) and error is not talk.refused:
            used += used_by(error, 0)
        return replace(outcome, usage=talk.priced(used))

    def unanswered(self, started: Started, talk: Conversation) -> Outcome:
        """What becomes of a user whose requests have no answers yet."""
        raise NotImplementedError


def _talk(started: Started) -> Conversation:
    talk = started.manager.answering.watch
    assert isinstance(talk, Conversation)
    return talk


class _ExportWork(_FileWork):
    """Writes a user's first requests."""

    def look(self, store: MemoryStore, candidate: Candidate) -> Started | Outcome | None:
        found = super().look(store, candidate)
        return self.exchange.begin(found) if isinstance(found, Started) else found

    def conclude(
        self, started: Started, chain: Sequence[MemoryOptimizationStrategy], proposal: Proposal, usage: Usage
    ) -> Outcome | Ready:
        outcome = super().conclude(started, chain, proposal, usage)
        self.exchange.add_user(started)
        return outcome

    def unanswered(self, started: Started, talk: Conversation) -> Outcome:
        return self.exchange.write(started, talk)


class _ImportWork(_FileWork):
    """Makes a user's plan of the answers, or writes the next requests.

    Args:
        again: of ``AGAIN``, what is asked for again.
        today: the time by which users whose memories moved on are begun anew.
    """

    def __init__(
        self,
        terms: Terms,
        summary: Summary,
        stop: Callable[[MemoptError], None],
        exchange: _Exchange,
        again: frozenset[str],
        today: int,
    ) -> None:
        super().__init__(terms, summary, stop, exchange)
        self._batch, self._again, self._today = exchange.batch, again, today

    def look(self, store: MemoryStore, candidate: Candidate) -> Started | Outcome | None:
        user_id = candidate.user_id
        user = self._batch.user(user_id)
        assert user is not None
        clock = self.exchange.clock
        assert self.folder is not None
        entry = self.folder.known(user_id)
        clock.now = user.at
        found = super().look(store, candidate)
        if isinstance(found, Outcome):
            return found
        if entry is not None and entry.state == user.state:
            if found is not None and found.state == user.state:
                status = Status.CHANGED if entry.file else Status.UNCHANGED
                return Outcome(user_id, status, entry.before, entry.after, entry.counts, file=entry.file, at=self.terms.clock())
            noted = store.seen(user_id, self.terms.recipe)
            if noted is not None and noted.plan is not None and noted.plan == self._digest(entry.file):  # applied since
                return Outcome(user_id, Status.SEEN, entry.after, entry.after, file=entry.file, at=self.terms.clock())
        if found is None or found.state != user.state:
            if found is None or "stale" not in self._again:
                return self._moved_on(user_id, None if found is None else found.before)
            clock.now = self._today
            self.exchange.add_user(found)
        return self.exchange.begin(found)

    def _digest(self, file: str | None) -> str | None:
        """The digest of a plan that is kept in the folder; None where there is none that can be read."""
        assert self.folder is not None
        if file is None:
            return None
        try:
            return plan_digest(Plan.from_json((self.folder.path / file).read_bytes()))
        except (OSError, MemoptError):
            return None

    def _moved_on(self, user_id: str, before: TokenFigures | None) -> Outcome:
        how = "are gone" if before is None else "changed"
        what = "" if before is None else "; --again stale with --next FILE asks anew"
        error = ConflictError(f"its memories {how} since the requests were written{what}")
        return Outcome(user_id, Status.FAILED, before, error=error, at=self.terms.clock())

    def unanswered(self, started: Started, talk: Conversation) -> Outcome:
        self._check_same(started, talk)
        missing = [each for each in talk.wanted if self._batch.waiting(each.custom_id)]
        if missing and "missing" not in self._again:
            raise AnswerMissing(self._missing(missing, len(talk.wanted)))
        if self.exchange.files is None:
            raise NextRound(_why_another(talk.wanted, talk.refused))
        try:
            return self.exchange.write(started, talk)
        except LimitError as error:
            self.exchange.limit = self.exchange.limit or error
            return Outcome(started.user_id, Status.LEFT, started.before, usage=talk.priced(talk.usage), at=self.terms.clock())

    def failed(self, user_id: str, error: BaseException, started: Started | None = None) -> Outcome:
        ask_again = started is not None and "failed" in self._again and isinstance(error, RequestFailed)
        if started is None or not ask_again or not self._batch.forget_failures(_talk(started).used):
            return super().failed(user_id, error, started)
        started = self.exchange.begin(started)
        try:
            started.manager.propose(started.begun, self.chain(), self.terms.max_rewrites)
        except Exception as found:
            return super().failed(user_id, found, started)
        return super().failed(user_id, error, started)

    def _check_same(self, started: Started, talk: Conversation) -> None:
        """Raise StrategyError where a strategy asks something else each time it is run: it would ask for ever."""
        user = self._batch.user(started.user_id)
        latest = [] if user is None else self._batch.latest_replies(user.place)
        if latest and talk.used.isdisjoint(latest):
            raise StrategyError(
                f"what came back answers nothing that is asked now ({len(latest)} answers): the strategy does not ask the same "
                "of the same memories twice, so that it cannot be asked through files"
            )

    def _missing(self, missing: Sequence[Wanted], asked: int) -> str:
        cut = sum(self._batch.broken(each.custom_id) for each in missing)
        which = "its request has" if asked == 1 else f"{len(missing)} of its {asked} requests have"
        why = "no line in the results" if not cut else "a line in the results that is cut off or broken"
        return f"{which} {why}; --again missing with --next FILE asks for it again"


def _why_another(wanted: Sequence[Wanted], refused: ModelError | None) -> str:
    failed = next((each.failed for each in wanted if each.failed is not None), None)
    requests = "1 request" if len(wanted) == 1 else f"{len(wanted)} requests"
    if failed is None and refused is not None:
        return f"{refused}; --next FILE asks once more ({requests})"
    if failed is None:
        return f"it needs another round ({requests}: {wanted[0].ask.purpose}); --next FILE writes it"
    code = failed.code or (failed.status if failed.status is not None else "")
    return f"a request failed ({code}): {failed.message}; --next FILE asks for it again"


class _FileRun(Fleet):
    """What both runs share.

    Attributes:
        kept: whether something outlasts a run that is ended early.
    """

    kept: ClassVar[bool] = False
    in_threads: ClassVar[bool] = False
    """The clock of the plans is that of one user at a time, and the files are written by one thread."""

    def __init__(
        self,
        store: MemoryStore,
        chain: Sequence[MemoryOptimizationStrategy],
        made: Batch,
        batch: BatchFile,
        files: RequestFiles | None,
        *,
        now: int,
        folder: Callable[[str], PlanFolder] | None = None,
        gate: Callable[[Plan], Plan] | None = None,
        with_last: bool = False,
        selection: Selection | None = None,
        force: bool = False,
        told: Callable[[Outcome], None] = lambda _outcome: None,
        sized: Callable[[int], None] = lambda _users: None,
    ) -> None:
        self.made = made
        self._exchange = _Exchange(made, batch, files, _Clock(now))
        models = made.conversation("", self._exchange.answer_to)
        super().__init__(
            store,
            chain,
            model=models.model,
            judge=models.judge,
            selection=selection,
            force=force,
            filters=made.filters or None,
            protection=Protection.read(made.protect),
            max_rewrites=made.max_rewrites,
            max_drop=made.max_drop,
            allow_empty=made.allow_empty,
            folder=folder,
            gate=gate,
            with_last=with_last,
            encoding=made.encoding,
            told=told,
            sized=sized,
            clock=self._exchange.clock,
        )

    @property
    def tokens(self) -> int:
        """Of the requests that were written, counted."""
        return self._exchange.tokens

    def tell(self, outcome: Outcome) -> None:
        super().tell(replace(outcome, at=time.time()))  # the clock of the plans stands still


class Export(_FileRun):
    """Writes the first requests of every user that is chosen.

    Args:
        made: how plans are made; its ``recipe`` is not looked at.
        batch: a new file, which takes the users and the requests.
        files: take the requests.
        now: when the memories are read (epoch seconds); strategies that look at the calendar go by it in every round.
        selection, force, told, sized: as for ``Fleet``.
    """

    def make_work(self, terms: Terms) -> Work:
        return _ExportWork(terms, self.summary, self.stop, self._exchange)


class Import(_FileRun):
    """Makes plans of the answers, as far as those reach.

    Args:
        made: as the batch's file has it.
        batch: its file, with the replies (``take_results``).
        folder: makes the folder that takes the plans, given how they are made.
        files: take the next round's requests; None: users that need one fail.
        again: of ``AGAIN``, what is asked for again; needs ``files``.
        now: the time by which users whose memories moved on are begun anew.
        gate, with_last, told, sized: as for ``Fleet``.

    Raises:
        PlanFileError: memopt or a strategy makes other plans by now.
    """

    kept = True

    def __init__(
        self,
        store: MemoryStore,
        chain: Sequence[MemoryOptimizationStrategy],
        made: Batch,
        batch: BatchFile,
        files: RequestFiles | None,
        *,
        folder: Callable[[str], PlanFolder],
        gate: Callable[[Plan], Plan] | None = None,
        with_last: bool = False,
        again: Collection[str] = (),
        now: int,
        told: Callable[[Outcome], None] = lambda _outcome: None,
        sized: Callable[[int], None] = lambda _users: None,
    ) -> None:
        self._again = frozenset(again) if files is not None else frozenset[str]()
        super().__init__(
            store,
            chain,
            made,
            batch,
            files,
            now=now,
            folder=folder,
            gate=gate,
            with_last=with_last,
            force=True,
            told=told,
            sized=sized,
        )
        if self.recipe != made.recipe:
            raise PlanFileError(
                "the prompts or the strategies are not those that the requests were written with (another version of memopt, "
                "or another file of a strategy); export anew"
            )

    def make_work(self, terms: Terms) -> Work:
        exchange = self._exchange
        return _ImportWork(terms, self.summary, self.stop, exchange, self._again, exchange.clock.now)

    def run(self) -> Summary:
        """``Fleet.run``. A limit ends the asking and not the planning."""
        super().run()
        self.summary.stopped = self.summary.stopped or self._exchange.limit
        self.summary.notes += self._exchange.notes
        return self.summary

    def candidates(self, store: MemoryStore) -> tuple[int, Iterator[Candidate]]:
        batch = self._exchange.batch
        number = batch.count_users()
        self.sized(number)
        return number, (Candidate(user.user_id, True) for user in batch.users())


def read_again(words: Sequence[str]) -> frozenset[str]:
    """What is asked for again. Raises UsageError for anything but ``missing``, ``failed`` and ``stale``."""
    for word in words:
        if word not in AGAIN:
            raise UsageError(f"--again takes {', '.join(AGAIN[:-1])} or {AGAIN[-1]}, not {word!r}")
    return frozenset(words)


__all__ = ["AGAIN", "AnswerMissing", "Export", "Import", "NextRound", "read_again"]
