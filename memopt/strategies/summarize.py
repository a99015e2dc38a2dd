"""Many memories to one, through a model whose text is checked before it may stand for them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from memopt.errors import AnswerRefused, ModelError, VerificationError
from memopt.memory import UserMemory, newest, oldest, unite_topics
from memopt.models.base import Ask, AskLimits, Failed, Limits, Reply
from memopt.strategies import layout, prompts
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, Result, Steps, new_id, option
from memopt.strategies.parts import by_age, group, halves, merged, split
from memopt.strategies.stale import Stale, stale_across
from memopt.tokens import TokenCounter, prompt_lines

if TYPE_CHECKING:
    from memopt.similarity.embed import Embedder
    from memopt.verify import Verifier
    from memopt.verify.meaning import Meanings
    from memopt.verify.report import Doubt, Report
    from memopt.verify.settle import Settled

_JUDGED_AT_ONCE = 20
_NOTE_OVERHEAD = 28  # tokens of the line above each note: number, date, a few topics
_LEAST_ROOM = 64
_SHORTENINGS = 2
_HALVINGS = 3  # a service that calls every part too long is not asked for ever smaller ones
_LONGEST = 50_000  # characters; what is longer is a document or a mishap, and no summary says it in fewer words

_Asking = Generator["Ask | list[Ask] | AskLimits", Any, Any]


@dataclass(frozen=True, slots=True)
class SummarizeOptions:
    """Options of ``summarize``."""

    per: str = option("all", "what gets one summary", choices=("all", "topic", "month", "year"))
    on_loss: str = option(
        "keep",
        "when a fact is lost: keep its memory beside the summary, repair (ask again, then keep), fail, or accept",
        choices=("keep", "repair", "fail", "accept"),
    )
    repairs: int = option(2, "how often repair asks again", minimum=1, maximum=10)
    judge: bool = option(False, "ask a model about each doubtful fact")
    semantic: bool = option(
        False,
        "also look by meaning for plain statements that seem lost or invented (extra: embeddings)",
    )
    semantic_threshold: float | None = option(
        None,
        "how close their meanings are at least, as a cosine; default: as calibrated for the embedder",
        minimum=0.3,
        maximum=1,
    )
    embedding_model: str = option(
        "use-multilingual", "who compares meanings: use-multilingual, wordllama, or the model that --embedding-model names"
    )
    target_tokens: int | None = option(None, "the size to aim at, in tokens for each summary", minimum=16)
    min_saving: float = option(
        5.0,
        "least percent of the prompt tokens that a summary must save; else nothing is changed; 0: any",
        minimum=0,
        maximum=100,
    )
    part_tokens: int = option(6000, "most tokens of memories in one request", minimum=200)
    prompt: str | None = option(None, "instructions instead of memopt's own (--prompt-file reads them from a file)")


@dataclass(slots=True)
class _Text:
    """A text that stands for memories: a part's summary, or several merged.

    ``sentences``: (text, ids), empty if not told; ``sure``: by who joined them, not by a model; ``stumps``: sentences that an
    answer broke off in, and that were cut.
    """

    text: str
    sources: list[UserMemory]
    sentences: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    sure: bool = False
    stumps: tuple[str, ...] = ()


@dataclass(slots=True)
class _Job:
    """What gets one summary: ``alone`` where it is the only one, and not one of a topic, a month or a year (``label``)."""

    label: str
    sources: list[UserMemory]
    alone: bool = False
    texts: list[_Text] = field(default_factory=list)
    left: dict[int, str] = field(default_factory=dict)  # memories that no request held (by identity: ids may lack), and why
    meanings: Meanings | None = None
    rewrites: int = 0
    notes: list[str] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)  # memories that a memory of another job replaces, whole or in part
    shortened: dict[int, tuple[UserMemory, UserMemory]] = field(default_factory=dict)  # by identity: without that, and as it is
    reader: tuple[int, Verifier] | None = None  # how many memories it covers, and who has read them

    def leave(self, memories: Sequence[UserMemory], why: str) -> None:
        inside = {id(item) for item in self.sources}
        for item in memories:
            self.left[id(item) if id(item) in inside else id(self.original(item))] = why

    def original(self, item: UserMemory) -> UserMemory:
        """The memory as it is stored."""
        return self.shortened[id(item)][1] if id(item) in self.shortened else item

    def shorten(self, item: UserMemory, text: str) -> UserMemory:
        """The memory with a shorter text, of which the original is known."""
        short = item.but(memory=text)
        self.shortened[id(short)] = (short, item)
        return short

    @property
    def stored(self) -> list[UserMemory]:
        """All its memories as they are stored."""
        return [self.original(item) for item in self.sources] + [item.memory for item in self.stale if not item.rest]

    @property
    def covered(self) -> list[UserMemory]:
        return [item for item in self.sources if id(item) not in self.left]

    def verifier(self) -> Verifier:
        """Checks texts against the memories that it covers, which are read once.

        What was read takes many times the room of the texts: ``let_go`` while a model is waited for, and when the job is done.
        """
        from memopt.verify import Verifier

        covered = self.covered
        if self.reader is None or self.reader[0] != len(covered):  # what is left out is never taken in again
            self.reader = len(covered), Verifier(covered, self.meanings)
        return self.reader[1]

    def let_go(self) -> None:
        self.reader = None


class SummarizeStrategy(MemoryOptimizationStrategy):
    """Replace memories by a summary that was checked against them.

    Blank memories are left alone; for a single memory there is nothing to do. More than fits into one request is summarized in
    parts, and the parts are merged. What the summary lost stays beside it (``on_loss``), what it invented is cut out, and where
    that saves less than ``min_saving``, or nothing but the marks between memories, nothing is changed: each memory has a date and
    topics of its own, which a summary gives up.
    """

    name = "summarize"
    summary = "replace memories by a summary that keeps every fact, written by a model or the built-in consolidator"
    needs_model = True
    built_in_writes = True
    Options: ClassVar[type[Any]] = SummarizeOptions

    embedder: Embedder | None = None
    """Who compares meanings; None: the local embedder that the option names."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._tokens = TokenCounter()

    @property
    def compares_meaning(self) -> bool:
        """Whether an embedder is needed."""
        return bool(self.options.semantic)

    def _meanings(self) -> Meanings | None:
        """Who compares meanings, where that was asked for."""
        if not self.options.semantic:
            return None
        from memopt.strategies.meaning import choose
        from memopt.verify.meaning import THRESHOLDS, Meanings

        name = self.options.embedding_model if self.embedder is None else self.embedder.name
        return Meanings(choose(self.embedder, name, self.options.semantic_threshold or THRESHOLDS.get(name)))

    def get_system_prompt(self) -> str:
        """The instructions for the model."""
        return self.options.prompt or prompts.SUMMARIZE

    def steps(self, memories: Sequence[UserMemory]) -> Steps | Result:
        """Summarize everything that has a text."""
        free = [item for item in memories if not item.is_blank and item.protected is None]
        sources = [item for item in free if len(item.memory) <= _LONGEST]
        long = [item for item in free if len(item.memory) > _LONGEST]
        blank = [item for item in memories if item.is_blank or item.protected is not None] + long
        empty = sum(item.is_blank for item in memories)
        notes = [f"{empty} blank {'memory' if empty == 1 else 'memories'} left alone"] if empty else []
        notes += [
            f"memory {item.memory_id} left alone: {len(item.memory):,} characters are no note to be rewritten" for item in long
        ]
        jobs: list[_Job] = []
        single: list[UserMemory] = []
        for label, members in group(sources, self.options.per).items():
            if len(members) > 1:
                jobs.append(_Job(label, members, alone=self.options.per == "all"))
            else:
                single += members
        notes += [note for item in single if (note := self._over_target(item))]
        aside = [*blank, *single]
        jobs = _without_stale(jobs, aside)
        if not jobs:
            return Proposal(list(memories), notes=tuple(notes))
        return self._work(jobs, aside, notes)

    def _over_target(self, item: UserMemory) -> str | None:
        size, target = self._tokens.text(item.memory), self.options.target_tokens
        if not target or size <= target:
            return None
        return f"memory {item.memory_id} takes {size} tokens, not the {target} aimed at: one memory alone is not summarized"

    def _work(self, jobs: list[_Job], aside: list[UserMemory], notes: list[str]) -> Steps:
        limits: Limits = yield AskLimits()
        meanings = self._meanings()
        for job in jobs:
            job.meanings = meanings
        yield from self._write(jobs, limits)
        kept, decisions, reports = list(aside), dict[str, Decision](), list[dict[str, Any]]()
        refusals: list[str] = []
        written = 0
        for job in jobs:
            if not job.texts:
                kept += job.stored
                notes.append(_about(job, "not summarized: " + next(iter(job.left.values()), "no request succeeded")))
                continue
            outcome = yield from self._settle(job, limits)
            notes += [_about(job, note) for note in dict.fromkeys((*_left_out(job), *_broken_off(outcome.text), *job.notes))]
            if outcome.refusal is not None:
                refusals.append(outcome.refusal)
                kept += job.stored
                notes.append(_about(job, f"summary refused: {outcome.refusal}"))
                reports.append(self._report(job, outcome, None, "refused"))
            else:
                written += 1
                self._enter(job, outcome, limits, kept, decisions, reports, notes)
            job.let_go()
        if refusals and not written:
            raise VerificationError(f"the summary was refused: {refusals[0]}", refusals=refusals, reports=reports)
        return Proposal(kept, decisions, tuple(notes), tuple(reports))

    # -- writing -------------------------------------------------------------------------------------------------------

    def _write(self, jobs: list[_Job], limits: Limits) -> _Asking:
        """Give every job its text: all parts of all jobs at once, then what has to be merged."""
        room = self._room(limits)
        parts: list[tuple[_Job, list[UserMemory]]] = []
        for job in jobs:
            cuts, too_large = ([job.sources], []) if room is None else split(job.sources, room, self._note_size)
            job.leave(too_large, "too long for one request")
            cuts = _cut_without_stale(job, cuts)
            parts += [(job, part) for part in cuts if len(part) > 1]
            for part in cuts:
                if len(part) == 1:  # alone in its part, there is nothing to shorten it against: it goes into the merge as it is
                    job.texts.append(_Text(part[0].memory, part, [(part[0].memory, _ids(part))]))
        yield from self._ask_parts(parts, limits, first=True)
        for job in jobs:
            yield from self._merge(job, limits, room)
            yield from self._shorten(job, limits)
            if len(jobs) > 1:
                job.let_go()

    def _room(self, limits: Limits) -> int | None:
        """Tokens of notes that one request may hold; None: as many as there are."""
        if limits.reads_material:
            return None
        room: int = self.options.part_tokens
        if limits.context_tokens is not None:
            # The answer may become about as long as the notes are.
            fixed = self._tokens.text(self._ask([], 0).instructions(True)) + 128
            room = min(room, int((limits.context_tokens - fixed) * 0.45))
            if room < _LEAST_ROOM:
                raise ModelError(
                    f"a context of {limits.context_tokens} tokens leaves no room for memories beside the instructions "
                    f"({fixed} tokens); use a model with a larger one, or a shorter --prompt-file"
                )
        return room

    def _note_size(self, text: str) -> int:
        return self._tokens.text(text) + _NOTE_OVERHEAD

    def _ask(self, memories: Sequence[UserMemory], target: int | None, *, may_fail: bool = True) -> Ask:
        system = self.get_system_prompt()
        if target:
            system += "\n- " + prompts.AT_MOST.format(tokens=target, words=max(1, target * 3 // 4))
        return Ask(
            system=system,
            prompt=prompts.render_notes(memories),
            purpose=f"summary of {len(memories)} memories",
            schema=prompts.FACTS_SCHEMA,
            material=tuple(memories),
            plain_form=prompts.PLAIN_FORM,
            schema_form=prompts.FACTS_FORM,
            may_fail=may_fail,
        )

    def _ask_parts(self, parts: list[tuple[_Job, list[UserMemory]]], limits: Limits, *, first: bool) -> _Asking:
        """Ask for a summary of every part, together; a failed part is asked for once more alone, one too long in halves."""
        queue: list[tuple[_Job, list[UserMemory]]] = []
        for job, part in parts:
            queue += [(job, piece) for piece in self._measured(part, limits)]
        failed: ModelError | None = None
        succeeded = rounds = 0
        while queue:
            per_job = Counter(id(job) for job, _ in queue)
            target = self.options.target_tokens
            asks = [self._ask(part, target // per_job[id(job)] if target else None) for job, part in queue]
            asks = [replace(ask, group=name, part=place) for ask, (name, place) in zip(asks, _places(queue), strict=True)]
            asks = [replace(ask, spare=not first) for ask in asks]  # a merge that is not asked for costs nothing
            if not first:
                asks = [replace(ask, purpose=f"joining of {len(ask.material)} parts of the summary") for ask in asks]
            replies = yield asks
            again: list[tuple[_Job, list[UserMemory]]] = []
            for (job, part), ask, answer in zip(queue, asks, replies, strict=True):
                text = self._read(ask, answer, part)
                # of several parts, one that failed may do better alone; a single one was asked for often enough already
                if isinstance(text, ModelError) and not _too_long(text) and (len(asks) > 1 or not _is_final(text)):
                    plain = replace(ask, schema=None) if isinstance(answer, Reply) else ask
                    text = self._read(plain, (yield plain), part)
                if isinstance(text, _Text):
                    job.texts.append(text)
                    succeeded += 1
                elif _too_long(text) and len(part) > 2 and rounds < _HALVINGS:
                    again += [(job, piece) for piece in halves(part)]
                else:
                    failed = text
                    job.leave(part, str(text))
            queue, rounds = again, rounds + 1
        if failed is not None and not succeeded and first:
            raise failed

    def _measured(self, part: list[UserMemory], limits: Limits) -> list[list[UserMemory]]:
        """The part, or its halves where the request as it would be sent does not fit beside its answer."""
        if limits.reads_material or limits.context_tokens is None or len(part) < 4:
            return [part]
        ask = self._ask(part, None)
        notes = self._tokens.text(ask.prompt)
        if self._tokens.text(ask.instructions(True)) + 2 * notes <= limits.context_tokens:
            return [part]
        return [piece for half in halves(part) for piece in self._measured(half, limits)]

    def _read(self, ask: Ask, answer: Reply | Failed, part: Sequence[UserMemory]) -> _Text | ModelError:
        """The text of an answer with where its sentences came from, as far as the model told."""
        if isinstance(answer, Failed):
            return answer.error
        if answer.sentences:
            told = [(item.text, tuple(part[at].memory_id or "" for at in item.sources)) for item in answer.sentences]
            return _Text(answer.text, list(part), told, sure=True)
        data = _document(answer.text)
        if data is not None:  # also where plain text was asked for: no memory is to hold a model's JSON
            return _facts(data, answer.text, part, ask.prompt)
        plain = layout.plain(prompts.without_frame(answer.text, ask.prompt))
        if not plain:
            return AnswerRefused("the model repeated the request instead of answering")
        from memopt.models.answer import without_stump

        whole = without_stump(plain, "\n".join(item.memory for item in part))
        if not whole:
            return AnswerRefused(f"the model's answer breaks off within a sentence: {_short(plain)!r}", reason="broken")
        return _Text(whole, list(part), stumps=() if whole == plain else (plain[len(whole) :].strip(),))

    def _merge(self, job: _Job, limits: Limits, room: int | None) -> _Asking:
        """Merge the texts of a job until there is one, or a round makes nothing shorter; then they stand one after another.

        Where a merge lost so much that the parts one after another would take less in the end, those are taken.
        """
        if len(job.texts) < 2:
            return
        apart = _in_a_row(job.texts)
        while len(job.texts) > 1:
            known = {_note_of(text): text for text in job.texts}
            notes = by_age(list(known))
            if room is None:
                break
            cuts, too_large = split(notes, room, self._note_size)
            if too_large or len(cuts) >= len(notes) or all(len(part) < 2 for part in cuts):
                break
            before = sum(self._tokens.text(text.text) for text in job.texts)
            carrier = _Job(job.label, notes, alone=job.alone)
            yield from self._ask_parts([(carrier, part) for part in cuts if len(part) > 1], limits, first=False)
            if carrier.left:  # a merge that failed costs nothing: the parts are there
                break
            texts = [_unfold(text, known) for text in carrier.texts]
            texts += [known[part[0]] for part in cuts if len(part) == 1]
            after = sum(self._tokens.text(text.text) for text in texts)
            if after > before:
                break
            job.texts = texts
        job.texts = [self._better(job, _in_a_row(job.texts), apart)]

    def _better(self, job: _Job, new: _Text, old: _Text) -> _Text:
        """The text that serves better once it is checked: what is refused or loses most loses against what costs least."""
        if new.text == old.text or self.options.on_loss == "accept":
            return new
        from memopt.verify.settle import kept_beside, settle

        sources = job.covered
        found: list[tuple[bool, int, int, _Text]] = []
        for text in (new, old):
            settled = settle(sources, text.text, verify=job.verifier())
            lost = len(settled.report.lost) if self.options.on_loss == "fail" else 0
            beside: list[UserMemory] = []
            if settled.refusal is None:
                beside = kept_beside(sources, settled.text, settled.report, verify=job.verifier())
            size = self._tokens.text(prompt_lines([UserMemory(settled.text), *beside]))
            found.append((settled.refusal is not None, lost, size, text))
        return min(found, key=lambda each: each[:3])[3]

    def _shorten(self, job: _Job, limits: Limits) -> _Asking:
        target = self.options.target_tokens
        if not target or not job.texts or limits.reads_material:
            return
        for _ in range(_SHORTENINGS):
            text = job.texts[0]
            size = self._tokens.text(text.text)
            if size <= target:
                return
            job.let_go()
            note = _note_of(text)
            ask = self._ask([note], target)
            shorter = self._read(ask, (yield ask), [note])
            if isinstance(shorter, ModelError) or self._tokens.text(shorter.text) >= size:
                return
            candidate = _unfold(shorter, {note: text})
            if self._better(job, candidate, text) is text:
                return
            job.texts = [candidate]

    # -- checking ------------------------------------------------------------------------------------------------------

    def _settle(self, job: _Job, limits: Limits) -> Generator[Any, Any, _Outcome]:
        """Check the job's text, repair it as often as that is wanted, and decide what stays beside it."""
        from memopt.verify.settle import kept_beside, settle

        text, sources = job.texts[0], job.covered
        settled = settle(sources, text.text, verify=job.verifier())
        if self.options.on_loss == "repair" and not limits.reads_material:
            text, settled = yield from self._repaired(job, text, settled, limits)
        report, excused = settled.report, frozenset[tuple[int, str]]()
        verdicts: list[dict[str, Any]] = []
        if self.options.judge and not limits.reads_material:
            settled, report, excused = yield from self._judge(text, job, settled, limits, verdicts)
        if settled.refusal is not None:
            return _Outcome(text, settled, settled.found, (), verdicts, settled.refusal)
        lost = list(report.lost)
        if lost and self.options.on_loss == "fail":
            some = "; ".join(_short(item.detail) for item in lost[:3])
            more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
            raise VerificationError(
                f"the summary of {len(sources)} memories loses {report.facts_lost} of {report.facts} facts: {some}{more}. "
                "Nothing was written; --on-loss keep keeps their memories beside it",
                lost=[{"memory_id": item.memory_id, "fact": item.fact, "kind": item.kind} for item in lost],
            )
        beside: list[UserMemory] = []
        if self.options.on_loss != "accept":
            beside = kept_beside(sources, settled.text, report, excused, verify=job.verifier())
        return _Outcome(text, settled, report, beside, verdicts)

    def _repaired(self, job: _Job, text: _Text, settled: Settled, limits: Limits) -> Generator[Any, Any, tuple[_Text, Settled]]:
        """Ask again, telling what the last answer lost and invented, until one is sound; the best of the answers."""
        from memopt.verify.settle import settle

        best, draft, seen = (text, settled), (text, settled), {text.text}
        for _ in range(self.options.repairs):
            if not any(_faults(draft[1])):
                break
            ask = self._repair_request(job, *draft, limits)
            job.let_go()
            answer = self._read(ask, (yield ask), job.covered)
            if isinstance(answer, ModelError):
                job.notes.append(f"the summary was not repaired: {answer}")
                break
            job.rewrites += 1
            if answer.text in seen:
                break  # the same request would be answered the same way
            seen.add(answer.text)
            draft = (answer, settle(job.covered, answer.text, verify=job.verifier()))
            if _faults(draft[1]) < _faults(best[1]):
                best = draft
        return best

    def _repair_request(self, job: _Job, text: _Text, settled: Settled, limits: Limits) -> Ask:
        """The notes, the last answer, and what is wrong with it. Notes that are too many are left out, but for the lost ones."""
        sources, room = job.covered, self._room(limits)
        numbers = {place: place + 1 for place in range(len(sources))}
        shown = sources
        if room is not None and self._tokens.text(prompts.render_notes(sources)) > room:
            concerned = dict.fromkeys(item.index for item in settled.found.lost)
            shown, filled = [], 0
            numbers = {}
            for place in concerned:
                filled += self._note_size(sources[place].memory)
                if filled > room // 2:
                    break
                shown.append(sources[place])
                numbers[place] = len(shown)
        request = self._ask(shown, self.options.target_tokens)
        notes = request.prompt
        if shown is not sources:
            notes = (
                f"Your last answer stands for {len(sources)} notes, which are too many to be shown again. "
                f"Here are those that it lacks something of.\n{notes}"
            )
        return replace(
            request,
            prompt=prompts.render_repair(
                notes,
                text.text,
                [(numbers.get(item.index), item.fact) for item in settled.found.lost],
                list(dict.fromkeys(item.sentence for item in settled.removed)),
            ),
            purpose="repair of a summary",
            # who was shown a part of the notes cannot tell the sources of the whole
            schema=request.schema if shown is sources else None,
        )

    def _judge(
        self, text: _Text, job: _Job, settled: Settled, limits: Limits, verdicts: list[dict[str, Any]]
    ) -> Generator[Any, Any, tuple[Settled, Report, frozenset[tuple[int, str]]]]:
        """Put the doubtful facts to the judge; its verdicts replace the verifier's. Returns also the facts of sources (by
        position) that it found in the rewrite although the verifier did not."""
        from memopt.verify.settle import settle

        sources, room = job.covered, self._room(limits)
        notes = prompts.render_notes(sources)
        fits = room is None or self._tokens.text(notes) <= room

        def nearest(doubts: Sequence[Doubt]) -> str:
            return notes if fits else "\n".join(dict.fromkeys(doubt.nearest for doubt in doubts if doubt.nearest))

        new = [item for item in settled.found.doubtful if item.side == "invented"]
        judged = yield from self._ask_judge(job, new, nearest, verdicts)
        allowed = {doubt.fact for doubt, said in judged if said and doubt.verdict}
        denied = {doubt.fact for doubt, said in judged if not said and not doubt.verdict}
        if allowed or denied:
            settled = settle(sources, text.text, allowed, denied, verify=job.verifier())
        if settled.refusal is not None:
            return settled, settled.report, frozenset()
        report = settled.report
        gone = [item for item in report.doubtful if item.side == "lost"]
        judged = yield from self._ask_judge(job, gone, lambda _: settled.text, verdicts)
        for doubt, said in judged:
            report = _overrule(report, doubt, said)
        return settled, report, frozenset((doubt.index, doubt.fact) for doubt, said in judged if said)

    def _ask_judge(
        self, job: _Job, doubts: Sequence[Doubt], against: Callable[[Sequence[Doubt]], str], verdicts: list[dict[str, Any]]
    ) -> Generator[Any, Any, list[tuple[Doubt, bool]]]:
        if not doubts:
            return []
        pieces = [doubts[at : at + _JUDGED_AT_ONCE] for at in range(0, len(doubts), _JUDGED_AT_ONCE)]
        asks = [
            Ask(
                system=prompts.JUDGE,
                prompt=prompts.render_facts([doubt.fact for doubt in items], against(items)),
                purpose=f"verdict on {len(items)} doubtful fact{'' if len(items) == 1 else 's'}",
                schema=prompts.JUDGE_SCHEMA,
                plain_form=prompts.JUDGE_PLAIN_FORM,
                schema_form=prompts.JUDGE_FORM,
                may_fail=True,
                judge=True,
            )
            for items in pieces
        ]
        job.let_go()
        replies = yield asks
        out: list[tuple[Doubt, bool]] = []
        for items, reply in zip(pieces, replies, strict=True):
            said = {} if isinstance(reply, Failed) else _verdicts(reply.text)
            unsaid = sum(number not in said for number in range(1, len(items) + 1))
            if unsaid:
                of = f"{unsaid} doubtful {'fact' if unsaid == 1 else 'facts'}"
                why = str(reply.error) if isinstance(reply, Failed) else f"it answered {_short(reply.text)!r}"
                job.notes.append(f"the judge gave no verdict on {of}, which the verifier decided alone: {why}")
            for number, doubt in enumerate(items, 1):
                if number in said:  # what the judge did not answer stays as the verifier had it
                    out.append((doubt, said[number]))
                    verdicts.append({"side": doubt.side, "memory_id": doubt.memory_id, "fact": doubt.fact, "said": said[number]})
        return out

    # -- entering ------------------------------------------------------------------------------------------------------

    def _enter(
        self,
        job: _Job,
        outcome: _Outcome,
        limits: Limits,
        kept: list[UserMemory],
        decisions: dict[str, Decision],
        reports: list[dict[str, Any]],
        notes: list[str],
    ) -> None:
        """Write the job into the proposal, or leave its memories alone where the summary saves too little."""
        assert outcome.settled is not None and outcome.text is not None and outcome.report is not None
        sources, text = job.covered, outcome.settled.text
        beside = {id(item) for item in outcome.beside}
        reason_kept = _reasons(outcome)
        gone = [item.memory for item in job.stale if not item.rest]
        now = [UserMemory(text), *map(job.original, outcome.beside)]
        too_dear = self._too_dear([*map(job.original, sources), *gone], now, limits)
        if too_dear is not None:
            kept += job.stored
            target = self.options.target_tokens
            missed = f", and the target of {target} tokens is missed" if target and self._bare(now) > target else ""
            notes.append(_about(job, f"{too_dear}: nothing is changed{missed}{_found(outcome)}"))
            reports.append(self._report(job, outcome, None, "unused"))  # a model was paid for it
            return
        summary = merged(sources, text)
        assert summary.memory_id is not None
        replaced: dict[str | None, str] = {}
        for old in outcome.report.superseded:
            replaced.setdefault(old.memory_id, old.reason)
        accepted = {i: item.fact for item in reversed(outcome.report.lost) for i in (item.memory_id, *item.also)}
        for item in job.sources:
            if id(item) in beside:
                kept.append(job.original(item))
                reason, into = f"kept beside the summary, which lacks {reason_kept[id(item)]}", None
            elif id(item) in job.left:
                kept.append(job.original(item))
                reason, into = f"kept as it is: {job.left[id(item)]}", None
            else:
                reason, into = "summarized", summary.memory_id
                if item.memory_id in replaced:
                    reason += f"; superseded: {replaced[item.memory_id]}"
                if item.memory_id in accepted and self.options.on_loss == "accept":
                    reason += f"; lost, as was accepted: “{_short(accepted[item.memory_id].strip())}”"
            if item.memory_id is not None:
                decisions[item.memory_id] = Decision(reason, into=into)
        for stale in job.stale:
            if stale.rest or stale.memory.memory_id is None:
                continue
            newer = stale.newer.memory_id
            decisions[stale.memory.memory_id] = Decision(f"superseded: {stale.reason}", relies_on=(newer,) if newer else ())
        what = f"summary of {len(sources)} memories" + ("" if job.alone else f" ({self.options.per} {job.label})")
        share = f"{outcome.report.retention:.1%}".replace("100.0%", "100%")
        decisions[summary.memory_id] = Decision(f"{what}; {share} of {outcome.report.facts} facts held")
        kept.append(summary)
        size, target = self._bare(now), self.options.target_tokens
        if target and size > target:
            who = "the summary takes" if len(now) == 1 else f"the summary and the {len(now) - 1} kept beside it take"
            notes.append(_about(job, f"{who} {size} tokens, not the {target} aimed at"))
        reports.append(self._report(job, outcome, summary, "written"))

    def _too_dear(self, sources: Sequence[UserMemory], after: Sequence[UserMemory], limits: Limits) -> str | None:
        """Why a summary, with what would stay beside it, saves too little; None where it saves enough."""
        beside = len(after) - 1
        many = "the memory" if beside == 1 else f"the {beside} memories"
        with_it = f", with {many} that it does not hold" if beside else ""
        old, new = self._lines(sources), self._lines(after)
        if new >= old:
            return f"a summary would take {new} tokens{with_it} instead of {old}"
        saved = 100 * (old - new) / old
        if saved < self.options.min_saving:
            return (
                f"a summary would save {saved:.1f} % of the tokens ({new} instead of {old}{with_it}), less than the "
                f"{self.options.min_saving:g} % of min-saving"
            )
        if not self.options.min_saving:
            return None
        old, new = self._bare(sources), self._bare(after)
        if new > old or (new == old and limits.reads_material):
            return (
                f"a summary would save the marks between memories alone: its text takes {new} tokens{with_it}, theirs take {old}"
            )
        return None

    def _lines(self, memories: Sequence[UserMemory]) -> int:
        return self._tokens.figures(memories).prompt

    def _bare(self, memories: Sequence[UserMemory]) -> int:
        return self._tokens.texts(item.memory for item in memories)

    def _report(self, job: _Job, outcome: _Outcome, summary: UserMemory | None, ended: str) -> dict[str, Any]:
        """The plan's account of one summary: written, unused (it saved too little) or refused."""
        assert outcome.settled is not None and outcome.text is not None and outcome.report is not None
        beside = {item.memory_id for item in outcome.beside}
        left = {item.memory_id: job.left[id(item)] for item in job.sources if item.memory_id and id(item) in job.left}
        found = outcome.report.to_dict()
        return {
            "memory_id": None if summary is None else summary.memory_id,
            "outcome": ended,
            "label": job.label,
            "sources": len(job.covered),
            "on_loss": self.options.on_loss,
            "facts": found["facts"],
            "retention": found["retention"],
            "lost": [{**item, "kept_beside": summary is None or item["memory_id"] in beside} for item in found["lost"]],
            "invented": [{**item.told(), "removed": True} for item in outcome.settled.removed],
            "superseded": [*found["superseded"], *map(_replaced, job.stale)],
            "doubtful": found["doubtful"],
            "by_meaning": found["by_meaning"],
            "judged": outcome.verdicts,
            "repairs": job.rewrites,
            "not_sent": left,
            "lineage": [] if summary is None else _lineage(job, outcome.settled.text, outcome.text),
        }


@dataclass(frozen=True, slots=True)
class _Outcome:
    text: _Text | None = None
    settled: Settled | None = None
    report: Report | None = None
    beside: Sequence[UserMemory] = ()
    verdicts: Sequence[dict[str, Any]] = ()
    refusal: str | None = None


def _without_stale(jobs: list[_Job], aside: list[UserMemory]) -> list[_Job]:
    """The jobs without what a memory of another job replaces. One that has less than two memories then is none: they go aside."""
    found = stale_across([job.sources for job in jobs], [item for item in aside if not item.is_blank])
    out: list[_Job] = []
    for job in jobs:
        job.stale = [found[id(item)] for item in job.sources if id(item) in found]
        whole = {id(item.memory) for item in job.stale if not item.rest}
        if len(job.sources) - len(whole) < 2:
            aside += job.sources
            continue
        left = [item for item in job.sources if id(item) not in whole]
        job.sources = [job.shorten(item, found[id(item)].rest) if id(item) in found else item for item in left]
        out.append(job)
    return out


def _cut_without_stale(job: _Job, cuts: list[list[UserMemory]]) -> list[list[UserMemory]]:
    """The parts of a job without what a memory of another part replaces. What is left out whole is checked with the whole."""
    found = stale_across(cuts)
    if not found:
        return cuts
    parts = [
        [job.shorten(item, found[id(item)].rest) if id(item) in found else item for item in part]
        for part in ([item for item in part if id(item) not in found or found[id(item)].rest] for part in cuts)
    ]
    return [part for part in parts if part]


def _replaced(item: Stale) -> dict[str, Any]:
    return {
        "memory_id": item.memory.memory_id,
        "index": None,
        "fact": item.fact,
        "newer_id": item.newer.memory_id,
        "reason": item.reason,
    }


def _lineage(job: _Job, text: str, written: _Text) -> list[dict[str, Any]]:
    """Each sentence of a summary with the memories that the verifier finds in it: what a model tells of that is not believed.

    Args:
        text: what is left of what was written. It is cut into the sentences that its writer gave, else as any text is.
    """
    from memopt.facts.reading import split_sentences

    spans: list[tuple[int, int]] = []
    known: list[tuple[str, ...]] = []
    at = 0
    for sentence, ids in written.sentences:
        found = text.find(sentence.strip(), at) if sentence.strip() else -1
        if found >= 0:
            at = found + len(sentence.strip())
            spans.append((found, at))
            known.append(tuple(i for i in ids if i))
    if not written.sure:
        spans = spans or [(start, end) for start, end in split_sentences(text) if text[start:end].strip()]
        sources = job.covered
        origins = job.verifier().origins(UserMemory(text), spans)
        known = [tuple(i for place in places if (i := sources[place].memory_id)) for places in origins]
    return [{"sentence": text[start:end].strip(), "sources": list(ids)} for (start, end), ids in zip(spans, known, strict=True)]


def _ids(memories: Sequence[UserMemory]) -> tuple[str, ...]:
    return tuple(item.memory_id for item in memories if item.memory_id)


def _found(outcome: _Outcome) -> str:
    """What a summary that was paid for and not used had lost and invented, for a note: the figures of its report."""
    assert outcome.settled is not None
    lost = 0 if outcome.report is None else outcome.report.facts_lost
    invented = len({item.sentence for item in outcome.settled.removed if item.kind != "pronoun"})
    parts = [f"had lost {lost} {'fact' if lost == 1 else 'facts'}"] if lost else []
    parts += [f"had invented {invented} {'sentence' if invented == 1 else 'sentences'}"] if invented else []
    return f" (it {' and '.join(parts)})" if parts else ""


def _places(queue: Sequence[tuple[_Job, Any]]) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """For each part of a queue, the name of its group and which of how many parts of that it is."""
    of, seen = Counter(id(job) for job, _ in queue), Counter[int]()
    for job, _ in queue:
        seen[id(job)] += 1
        yield "" if job.alone else job.label, (seen[id(job)], of[id(job)]) if of[id(job)] > 1 else None


def _about(job: _Job, text: str) -> str:
    return text if job.alone else f"{job.label}: {text}"


def _left_out(job: _Job) -> list[str]:
    """A note for each reason for which memories of a job are in no part of its summary."""
    stay = "is not in the summary and stays as it is", "are not in the summary and stay as they are"
    return [
        f"{number} of {len(job.sources)} memories {stay[number != 1]}: {why}"
        for why, number in Counter(job.left.values()).items()
    ]


def _broken_off(text: _Text | None) -> list[str]:
    """A note for each sentence that an answer broke off in."""
    if text is None:
        return []
    return [f"the model's answer broke off within a sentence, which was cut: {_short(stump)!r}" for stump in text.stumps]


def _short(text: str) -> str:
    from memopt.facts.words import brief

    return brief(text)


def _reasons(outcome: _Outcome) -> dict[int, str]:
    """For each memory that stays beside (by identity), what of it the summary lacks."""
    assert outcome.report is not None
    out = {id(item): "a fact of it" for item in outcome.beside}
    by_id = {item.memory_id: id(item) for item in outcome.beside if item.memory_id}
    for lost in reversed(outcome.report.lost):
        for memory_id in (lost.memory_id, *lost.also):
            if memory_id in by_id:
                out[by_id[memory_id]] = f"“{_short(lost.fact.strip())}”"
    return out


def _faults(settled: Settled) -> tuple[bool, int]:
    return settled.refusal is not None, len(settled.report.lost) + len(settled.removed)


def _age(text: _Text) -> float:
    moment = newest(item.last_changed for item in text.sources)
    return float("-inf") if moment is None else moment


def _note_of(text: _Text) -> UserMemory:
    """A text of several memories as one note for a further request."""
    return UserMemory(
        memory=text.text,
        memory_id=new_id(text.sources, text.text),
        topics=unite_topics(text.sources),
        created_at=oldest(item.created_at for item in text.sources),
        updated_at=newest(item.last_changed for item in text.sources),
    )


def _unfold(text: _Text, known: dict[UserMemory, _Text]) -> _Text:
    """A text made from notes, told in terms of the memories behind the notes."""
    by_id = {note.memory_id: _ids(origin.sources) for note, origin in known.items()}
    return _Text(
        text.text,
        [item for note in text.sources for item in known[note].sources],
        [(sentence, tuple(i for note in ids for i in by_id.get(note, ()))) for sentence, ids in text.sentences],
        stumps=(*(stump for note in text.sources for stump in known[note].stumps), *text.stumps),
    )


def _in_a_row(texts: Sequence[_Text]) -> _Text:
    """Texts one after another, by age, as one; as it is where there is only one."""
    if len(texts) == 1:
        return texts[0]
    ordered = sorted(texts, key=_age)
    return _Text(
        "\n".join(text.text for text in ordered),
        [item for text in ordered for item in text.sources],
        [sentence for text in ordered for sentence in text.sentences] if all(t.sentences for t in ordered) else [],
        stumps=tuple(stump for text in ordered for stump in text.stumps),
    )


def _is_final(error: ModelError) -> bool:
    """Whether the same request would end the same way: the service was not reached or refused it, or the model did."""
    return not isinstance(error, AnswerRefused) or error.details.get("reason") in ("refusal", "filtered")


def _too_long(error: Any) -> bool:
    return isinstance(error, ModelError) and error.kind == "context"


def _document(text: str) -> Any:
    """The JSON object or array that an answer consists of, also in a code fence; None where it is prose."""
    if not text.lstrip("`\ufeff \n").startswith(("{", "[", "json")):
        return None
    from memopt.models.answer import parse_json_answer

    try:
        return parse_json_answer(text)
    except ModelError:
        return None


def _joined(sentences: Sequence[str]) -> str:
    """Sentences as one text: with blanks between them where a mark ends them, or as the script has it; else a line each."""
    out = ""
    for sentence in sentences:
        if out and out[-1] not in "。！？；":
            out += " " if out[-1] in ".!?;\"'”’»)]" else "\n"
        out += sentence
    return out


def _facts(data: Any, text: str, part: Sequence[UserMemory], prompt: str) -> _Text | ModelError:
    """An answer by the schema: sentences with the numbers of their sources. Numbers that were not offered are ignored."""
    try:
        facts = data["facts"] if isinstance(data, dict) else data
        if isinstance(facts, list):  # a service that does not keep to the schema may leave the sources out
            facts = [{"text": item} if isinstance(item, str) else item for item in facts]
        told = [
            (
                " ".join(item["text"].split()),
                tuple(
                    part[number - 1].memory_id or ""
                    for number in item.get("sources") or ()
                    if type(number) is int and 0 < number <= len(part)
                ),
            )
            for item in facts
            if prompts.without_frame(item["text"], prompt).strip()
        ]
    except (KeyError, TypeError, AttributeError):
        return AnswerRefused(f"the model's answer is not the JSON it was asked for: {_short(text)!r}")
    if not told:
        return AnswerRefused("the model answered with no fact at all")
    return _Text(_joined([sentence for sentence, _ in told]), list(part), told)


def _verdicts(text: str) -> dict[int, bool]:
    """A judge's verdicts by number, from JSON or from lines such as ``3. yes``."""
    from memopt.models.answer import parse_json_answer

    try:
        data = parse_json_answer(text)
        return {item["fact"]: item["said"] for item in data["verdicts"] if isinstance(item["said"], bool)}
    except (ModelError, KeyError, TypeError, ValueError):
        found = re.findall(r"(?m)^\W*(\d+)\W+(yes|no)\b", text.lower())
        return {int(number): word == "yes" for number, word in found}


def _overrule(report: Report, doubt: Doubt, said: bool) -> Report:
    """The report with the judge's word on one doubtful fact of a source."""
    from memopt.verify.report import Lost

    mine = [item for item in report.lost if item.index == doubt.index and item.fact == doubt.fact and item.kind == "statement"]
    if said and mine:
        lost = tuple(item for item in report.lost if item not in mine)
    elif not said and not mine:
        detail = f"the judge does not find {_short(doubt.fact)!r}"
        lost = (*report.lost, Lost(doubt.memory_id, doubt.index, doubt.fact, "statement", detail, 0, 0))
    else:
        return report
    retention = 1 - len(lost) / report.facts if report.facts else 1.0
    return replace(report, lost=lost, retention=max(0.0, retention))
