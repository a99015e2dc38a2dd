"""What a plan does to recall: each question asked of the memories before and after it, by the search that agents use.

A memory costs tokens whatever it tells, so every figure of the k best is also held to what the k best of *all memories* cost at
most: the texts of the best are read in their order until so many tokens are full, and what stands behind is not read. One memory
that holds everything thus shows what stands in its first lines, and no more. How it would be without that limit, and what the k
best then cost, is told beside it (``whole``, ``cost``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memopt.errors import UsageError
from memopt.evaluation.evidence import Asked, Key, Outcome, Piece, Store, ask, why_not
from memopt.evaluation.marks import marks_of, share_held, without_question
from memopt.evaluation.questions import Question
from memopt.evaluation.stats import Difference, Estimate, Resamples
from memopt.memory import UserMemory, newest
from memopt.similarity.embed import Remembering
from memopt.tokens import TokenCounter

if TYPE_CHECKING:
    from memopt.retrieval import Index, Ranking
    from memopt.similarity.embed import Embedder

DEFAULT_KS = (1, 5, 10)
MAX_K = 100


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that cannot be measured, and why."""

    question: Question
    reason: str


@dataclass(frozen=True, slots=True)
class Row:
    """One question, asked of one state of the memories.

    Attributes:
        evidence: the share of its evidence that some memory holds, 0 to 1.
        recall: for each k, the share of it that the k best hold.
        reciprocal_rank: 1 / the smallest k whose best hold any of it; 0 where no k within the largest does.
        support: the share of the answer's words in the texts of the best; None without an answer that has words of its own.
        stale_above: whether an outdated memory is among the best and above all that answers the question; None without one.
        whole: the share of its evidence in the texts of the best, however long they are.
        cost: tokens of these texts.
        read: the texts of the best, the last one as far as the tokens go.
    """

    evidence: float
    recall: tuple[float, ...]
    reciprocal_rank: float
    support: float | None
    stale_above: bool | None
    whole: float
    cost: int
    read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pool:
    """The questions that are asked of the memories of the same users.

    Attributes:
        users: whose memories are searched together.
        asked: the questions, each with its place among all that are measured.
        limits: for each k from 1 on, tokens that the texts of the k best may cost.
        now: what ages are counted from (epoch seconds): when the newest memory before last changed.
    """

    users: tuple[str | None, ...]
    asked: tuple[tuple[int, Asked], ...]
    limits: tuple[int, ...] = ()
    now: float | None = None


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to treat the memories.

    Attributes:
        name: as it is told.
        outcomes: by user, what it leaves.
    """

    name: str
    outcomes: Mapping[str | None, Outcome]


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured of one contender.

    Attributes:
        memories, tokens: before and after, of all users.
        rows: one a question, in the order of the questions.
        estimates: by figure: ``evidence``, ``recall@k`` for each k, ``mrr``, ``support``, ``whole``, ``cost``, ``stale_above``.
        differences: likewise, to all memories as they are; empty for these themselves.
        lost: ids of the questions that all memories answer wholly as far as they can, and these do not.
    """

    name: str
    memories: tuple[int, int]
    tokens: tuple[int, int]
    rows: tuple[Row, ...]
    estimates: Mapping[str, Estimate]
    differences: Mapping[str, Difference | None] = field(default_factory=dict)
    lost: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of the tokens that is left; 1 where there were none."""
        return self.tokens[1] / self.tokens[0] if self.tokens[0] else 1.0


class Trial:
    """Questions, ready to be asked of the memories as they are and of what plans would leave of them.

    Args:
        questions: what is asked.
        baseline: the memories as they are, by user.
        counter: counts tokens.
        ks: how many of the best are looked at.
        ranking: the weights of the search; None: the default.
        embedder: for the search; None: words alone.
        seed: of the resamples.
        watch: called with the number of questions asked, now and then.

    Attributes:
        questions: those that are measured, in their order.
        left_out: those that cannot be, and why.
        unknown: by question's id, the memory ids that nobody has.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        baseline: Mapping[str | None, Outcome],
        counter: TokenCounter,
        *,
        ks: Sequence[int] = DEFAULT_KS,
        ranking: Ranking | None = None,
        embedder: Embedder | None = None,
        seed: int = 0,
        watch: Callable[[int], None] | None = None,
    ) -> None:
        self.ks = tuple(sorted(set(ks)))
        self.counter = counter
        self.baseline = baseline
        self.ranking = ranking
        self.embedder = None if embedder is None else Remembering(embedder)
        self.questions: list[Question] = []
        self.left_out: list[LeftOut] = []
        self.unknown: dict[str, tuple[str, ...]] = {}
        self._watch = watch or (lambda _number: None)
        self._costs: dict[str, int] = {}
        self._pools = [self._limited(pool) for pool in self._sorted(questions)]
        self.resamples = Resamples(len(self.questions), seed)
        self.before = self._figures(Contender("all memories", baseline), None)

    # -- the questions -------------------------------------------------------------------------------------------------

    def _sorted(self, questions: Sequence[Question]) -> list[Pool]:
        pools: dict[tuple[str | None, ...], list[tuple[int, Asked]]] = {}
        stores: dict[tuple[str | None, ...], Store] = {}
        for question in questions:
            users = tuple(user for user in self.baseline if question.asks(user))
            if not users:
                self.left_out.append(LeftOut(question, "it is about other users"))
                continue
            outcomes = [self.baseline[user] for user in users]
            asked = ask(question, outcomes)
            if asked.unknown:
                self.unknown[question.id] = asked.unknown
            if users not in stores:
                stores[users] = Store(outcomes, ())
            held = [piece for piece in asked.pieces if stores[users].holding(piece, question)]
            if not held:
                self.left_out.append(LeftOut(question, why_not(asked)))
                continue
            stale = [piece for piece in asked.stale if stores[users].holding(piece, _plain(question))]
            asked = replace(asked, pieces=tuple(held), stale=tuple(stale))
            pools.setdefault(users, []).append((len(self.questions), asked))
            self.questions.append(question)
        return [
            Pool(
                users,
                tuple(listed),
                now=newest(item.last_changed for user in users for item in self.baseline[user].before),
            )
            for users, listed in pools.items()
        ]

    def _limited(self, pool: Pool) -> Pool:
        """The pool with the most that the k best of all memories cost for any of its questions."""
        store = self._store(pool, self.baseline)
        index = self._index(pool, store)
        depth = self.ks[-1]
        limits = [0] * depth
        for _, asked in pool.asked:
            spent = 0
            costs = [self._cost(hit.memory) for hit in index.search(asked.question.text, depth)]
            for k in range(depth):
                spent += costs[k] if k < len(costs) else 0
                limits[k] = max(limits[k], spent)
        return replace(pool, limits=tuple(limits))

    # -- measuring -----------------------------------------------------------------------------------------------------

    def measure(self, contender: Contender) -> Figures:
        """Ask every question of what a contender leaves. A user it says nothing about keeps all memories."""
        return self._figures(contender, self.before)

    def _figures(self, contender: Contender, before: Figures | None) -> Figures:
        outcomes = {user: contender.outcomes.get(user, same) for user, same in self.baseline.items()}
        rows: list[Row | None] = [None] * len(self.questions)
        for pool in self._pools:
            for place, row in self._rows(pool, outcomes):
                rows[place] = row
        listed = tuple(row for row in rows if row is not None)
        columns = self.columns(listed)
        differences: dict[str, Difference | None] = {}
        lost: tuple[str, ...] = ()
        if before is not None:
            old = self.columns(before.rows)
            differences = {name: self.resamples.difference(values, old[name]) for name, values in columns.items()}
            lost = tuple(
                question.id
                for question, row, other in zip(self.questions, listed, before.rows, strict=True)
                if row.evidence < other.evidence
            )
        return Figures(
            contender.name,
            (
                sum(len(outcome.before) for outcome in outcomes.values()),
                sum(len(outcome.after) for outcome in outcomes.values()),
            ),
            (
                sum(outcome.tokens_before for outcome in outcomes.values()),
                sum(outcome.tokens_after for outcome in outcomes.values()),
            ),
            listed,
            {name: self.resamples.mean(values) for name, values in columns.items()},
            differences,
            lost,
        )

    def columns(self, rows: Sequence[Row]) -> dict[str, list[float | None]]:
        """The rows by figure."""
        out: dict[str, list[float | None]] = {"evidence": [row.evidence for row in rows]}
        for place, k in enumerate(self.ks):
            out[f"recall@{k}"] = [row.recall[place] for row in rows]
        out["mrr"] = [row.reciprocal_rank for row in rows]
        out["support"] = [row.support for row in rows]
        out["whole"] = [row.whole for row in rows]
        out["cost"] = [float(row.cost) for row in rows]
        out["stale_above"] = [None if row.stale_above is None else float(row.stale_above) for row in rows]
        return out

    def _store(self, pool: Pool, outcomes: Mapping[str | None, Outcome]) -> Store:
        needed: dict[Key | None, Piece] = {}
        for _, asked in pool.asked:
            for piece in (*asked.pieces, *asked.stale):
                needed[piece.key] = piece
        return Store([outcomes[user] for user in pool.users], needed.values())

    def _index(self, pool: Pool, store: Store) -> Index:
        from memopt.retrieval import Index

        readable = [item for item in store.memories if not item.is_blank]
        return Index(readable, ranking=self.ranking, embedder=self.embedder, now=pool.now)

    def _cost(self, memory: UserMemory) -> int:
        text = memory.in_prompt
        if text not in self._costs:
            self._costs[text] = self.counter.text(f"- {text}\n")
        return self._costs[text]

    def _rows(self, pool: Pool, outcomes: Mapping[str | None, Outcome]) -> Iterable[tuple[int, Row]]:
        store = self._store(pool, outcomes)
        index = self._index(pool, store)
        depth = self.ks[-1]
        for number, (place, asked) in enumerate(pool.asked, 1):
            question = asked.question
            best = [hit.memory for hit in index.search(question.text, depth)]
            held = sum(bool(store.holding(piece, question)) for piece in asked.pieces) / len(asked.pieces)
            recalls = [self._recall(store, asked, best, k, pool.limits[k - 1]) for k in range(1, depth + 1)]
            texts = self._read(store, best, depth, pool.limits[depth - 1])
            pieces = tuple(store.memories[at].memory[:cut] for at, cut in texts)
            yield (
                place,
                Row(
                    evidence=held,
                    recall=tuple(recalls[k - 1] for k in self.ks),
                    reciprocal_rank=next((1 / k for k, share in enumerate(recalls, 1) if share > 0), 0.0),
                    support=_support(question, pieces, [store.memories[at].created_at for at, _ in texts]),
                    stale_above=_stale_above(store, asked, texts),
                    whole=self._recall(store, asked, best, depth, sum(map(self._cost, best))),
                    cost=sum(map(self._cost, best)),
                    read=pieces,
                ),
            )
            self._watch(number)

    def _recall(self, store: Store, asked: Asked, best: Sequence[UserMemory], k: int, limit: int) -> float:
        read = self._read(store, best, k, limit)
        found = sum(any(_holds(store, at, piece, asked.question, cut) for at, cut in read) for piece in asked.pieces)
        return found / len(asked.pieces)

    def _read(self, store: Store, best: Sequence[UserMemory], k: int, limit: int) -> list[tuple[int, int | None]]:
        """What is read of the k best: their places, and of the last one so many characters, where the tokens end in it."""
        out: list[tuple[int, int | None]] = []
        for memory in best[:k]:
            cost = self._cost(memory)
            if cost > limit:
                cut = len(memory.memory) * limit // cost
                if cut:
                    out.append((store.place(memory), cut))
                break
            out.append((store.place(memory), None))
            limit -= cost
        return out


def _plain(question: Question) -> Question:
    """The question without its answer: an outdated memory is there where it says what it said."""
    return replace(question, answer=None, also=())


def _support(question: Question, texts: Sequence[str], written: Sequence[float | None]) -> float | None:
    shares = []
    marks: set[str] = set()
    for text, when in zip(texts, written, strict=True):
        marks |= marks_of(without_question(text, question.text), when)
    for answer in question.answers:
        share = share_held(answer, frozenset(marks))
        if share is not None:
            shares.append(share)
    return max(shares, default=None)


def _holds(store: Store, at: int, piece: Piece, question: Question, cut: int | None) -> bool:
    return at in store.holding(piece, question) if cut is None else store.holds(at, piece, question, cut)


def _stale_above(store: Store, asked: Asked, read: Sequence[tuple[int, int | None]]) -> bool | None:
    """Whether an outdated memory stands above everything that answers the question; one that tells both is not outdated."""
    if not asked.stale:
        return None
    plain = _plain(asked.question)
    for at, cut in read:
        if any(_holds(store, at, piece, asked.question, cut) for piece in asked.pieces):
            return False
        if any(_holds(store, at, piece, plain, cut) for piece in asked.stale):
            return True
    return False


def check_ks(text: str) -> tuple[int, ...]:
    """Read ``1,5,10``. Raises UsageError for anything but whole numbers from 1 to 100."""
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 4 and 1 <= int(part) <= MAX_K for part in parts):
        raise UsageError(f"-k takes whole numbers from 1 to {MAX_K} with commas between, such as 1,5,10, not {text!r}")
    return tuple(sorted({int(part) for part in parts}))
