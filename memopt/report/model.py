"""What a report tells, gathered while a run goes on. Nothing of what memories say is in it.

Users are not kept: sums, and the few users that are told most about (``MOST_ROWS``).
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from memopt.errors import Interrupted, LimitError, MemoptError
from memopt.fleet import Outcome, Status, Summary
from memopt.memory import iso_utc
from memopt.plan import Step, StoreRef
from memopt.stores.journal import Day
from memopt.wording import applied_to, count, number, user_name

MOST_ROWS = 50
"""So many users stand in the table."""
CHARTED = 10
"""So many of them stand in the chart."""
DAYS = 14
"""So many of the latest days with runs are told."""
_EXAMPLES = 5

# What these kinds of errors quote may be a memory; their beginnings say enough.
_QUOTING = frozenset(("verification", "answer", "strategy", "failure"))
_MESSAGE = 400
NONE = "–"
"""For a figure that is not known."""

STATUS_WORDS = {
    Status.APPLIED: "applied",
    Status.CHANGED: "to change",
    Status.UNCHANGED: "nothing to do",
    Status.SEEN: "unchanged since the last run",
    Status.FAILED: "failed",
    Status.LEFT: "not tried",
    Status.WAITING: "waiting for answers",
}


@dataclass(frozen=True, slots=True)
class About:
    """What was run.

    Attributes:
        mode: ``preview`` (nothing was written to the store) or ``applied``.
        encoding: of all token counts.
        started: epoch seconds.
        model: name and endpoint; None where none was asked.
        settings: further things that were said, by name.
        listed: where every user is listed, for those whom the table has no room for.
    """

    ref: StoreRef
    mode: Literal["preview", "applied"]
    encoding: str
    started: float
    steps: tuple[Step, ...] = ()
    model: Mapping[str, str] | None = None
    settings: tuple[tuple[str, str], ...] = ()
    listed: str = ""


@dataclass(slots=True)
class Growth:
    """What came since the last runs: of the users that had one, the tokens that it left and those that are there now.

    Attributes:
        oldest, newest: when the first and the latest of these runs was (epoch seconds).
    """

    users: int = 0
    left: int = 0
    now: int = 0
    oldest: float = float("inf")
    newest: float = float("-inf")

    @property
    def tokens(self) -> int:
        """How many came; below 0 where fewer are there."""
        return self.now - self.left


@dataclass(frozen=True, slots=True)
class Failure:
    """One reason for failures; ``message`` quotes no memory."""

    kind: str
    message: str
    users: int
    examples: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All that is told.

    Attributes:
        ended: epoch seconds.
        rows: those that failed or were refused, the most expensive first; then those with the most saved, most first; users
            that were passed over only where there is room.
        best: the users with the most saved, however many failed.
        facts: facts that rewritten memories stood for, and how many of them the rewrites hold; None: nothing was rewritten.
        skipped: changes that were left out because their rows had moved on.
        partly: users of whom a rewrite was refused in part and the memories kept.
        unreadable: a few rows that could not be decoded: user, memory id, problem.
        days: what runs saved on the latest days on which there were some.
    """

    about: About
    ended: float
    summary: Summary
    rows: tuple[Outcome, ...] = ()
    best: tuple[Outcome, ...] = ()
    growth: Growth = field(default_factory=Growth)
    facts: tuple[int, int] | None = None
    skipped: int = 0
    partly: int = 0
    unreadable: tuple[tuple[str | None, str, str], ...] = ()
    days: tuple[Day, ...] = ()

    @property
    def title(self) -> str:
        """One line."""
        applied = self.about.mode == "applied"
        if self.summary.users == 1 and self.rows and (self.summary.done or not applied):
            return f"{'Applied to' if applied else 'Preview for'} user {user_name(self.rows[0].user_id)}"
        return applied_to(self.summary.done, self.summary.users) if applied else f"Preview of {count(self.summary.users, 'user')}"

    @property
    def verdict(self) -> tuple[Literal["good", "mixed", "bad"], str]:
        """Whether it went well, and a sentence."""
        summary, stopped = self.summary, self.summary.stopped
        failed, left = summary.counted["failed"], summary.counted["not-tried"]
        parts = []
        if stopped is not None:
            said = public_message(stopped)
            if not isinstance(stopped, Interrupted):  # which says so itself, and what becomes of the rest
                said = f"{'ended by a limit' if isinstance(stopped, LimitError) else 'ended early'}: {said}"
            parts.append(said)
            if left:
                never = 0 if summary.unpayable is None else summary.unpayable.users
                rest = "" if isinstance(stopped, Interrupted) or never == left else "; the next run does the rest"
                if never:
                    rest += f"; no run with this limit can do {number(never)} of them"
                parts.append(f"{count(left, 'user')} not tried{rest}")
        if failed:
            parts.append(f"{number(failed)} of {count(summary.users, 'user')} failed")
        good = not parts
        mild = isinstance(stopped, LimitError) and not failed
        preview = self.about.mode == "preview"
        if good:
            looked = "everything was looked at" if preview else "everything was done"
            parts.append(looked if summary.users else "there was nobody to do")
        if preview:
            parts.append("this is a preview, and nothing was written to the store")
        mood: Literal["good", "mixed", "bad"] = (
            "good" if good else "mixed" if mild or (summary.done and stopped is None) else "bad"
        )
        return mood, "; ".join(parts)

    @property
    def states(self) -> list[tuple[int, str]]:
        """How many users became what, in words."""
        return [(self.summary.statuses[status], word) for status, word in STATUS_WORDS.items() if self.summary.statuses[status]]

    @property
    def more(self) -> int:
        """How many users the table has no room for."""
        return self.summary.users - len(self.rows)

    @property
    def more_text(self) -> str:
        """Where they are."""
        where = f"see {self.about.listed}" if self.about.listed else "--log FILE lists every user"
        return f"and {count(self.more, 'more user')}: {where}" if self.more else ""

    @property
    def failures(self) -> list[Failure]:
        """By reason, the most frequent first."""
        listed = sorted(self.summary.reasons.values(), key=lambda reason: -reason.users)
        return [Failure(each.kind, _without_quotes(each.kind, each.message), each.users, tuple(each.examples)) for each in listed]

    @property
    def charted(self) -> list[Outcome]:
        """The users of the chart."""
        return [row for row in self.best if saved_of(row)][:CHARTED]

    @property
    def growth_text(self) -> str:
        """Growth in a sentence or two; empty where no user had a run before."""
        grown = self.growth
        if not grown.users:
            return ""
        which = (
            f"the last run left {count(grown.left, 'token')}"
            if grown.users == 1
            else f"the last runs of {count(grown.users, 'user')} left {count(grown.left, 'token')} together"
        )
        first, last = (day_text(moment) for moment in (grown.oldest, grown.newest))
        when = first if first == last else f"{first} to {last}"
        now = f"before this one it was {number(grown.now)}: {difference(grown.left, grown.now)}"
        return f"{which[0].upper()}{which[1:]} ({when}); {now}."

    @property
    def since_title(self) -> str:
        """What stands above growth and days."""
        return "Since the last runs" if self.growth.users else "Saved by day"

    @property
    def remarks(self) -> list[str]:
        """What was lost, left out or left alone, a sentence each."""
        said = []
        if self.facts is not None:
            before, kept = self.facts
            lost = before - kept
            said.append(
                f"Rewritten memories stood for {count(before, 'fact')}; "
                + (f"{number(lost)} {'is' if lost == 1 else 'are'} in no rewrite any more." if lost else "none was lost.")
            )
        if self.partly:
            said.append(f"At {count(self.partly, 'user')} a rewrite was refused in part, and the memories were kept as they are.")
        if self.skipped:
            said.append(f"{count(self.skipped, 'change')} left out because the rows had changed meanwhile.")
        unreadable = self.summary.unreadable
        if unreadable:
            left = "was" if unreadable == 1 else "were"
            said.append(f"{count(unreadable, 'row')} could not be decoded and {left} left alone.")
        return said

    @property
    def cost_text(self) -> str:
        """Requests, tokens and cost; empty where no model was asked."""
        usage = self.summary.usage
        if not usage.requests:
            return ""
        parts = [count(usage.requests, "request")]
        if usage.prompt_tokens is not None:
            parts.append(f"{number(usage.prompt_tokens)} + {number(usage.completion_tokens or 0)} tokens")
        if usage.cost is not None:
            parts.append(f"cost {usage.cost:.4g}")
        return ", ".join(parts)

    @property
    def facts_of_run(self) -> list[tuple[str, str]]:
        """What was run, by name."""
        from memopt.strategies.telling import steps_text

        about = self.about
        listed = [("store", about.ref.location), ("table", about.ref.table)]
        if about.steps:
            listed.append(("strategy", steps_text(about.steps, public=True)))
        if about.model is not None:
            endpoint = about.model.get("endpoint") or ""
            name = about.model.get("name") or ""
            listed.append(("model", f"{name} at {endpoint}" if endpoint else f"{name} (memopt's own, asks no service)"))
        listed += about.settings
        listed.append(("tokens", f"of prompt lines, counted with {about.encoding}"))
        listed.append(("begun", f"{moment_text(about.started)}, took {max(0.0, self.ended - about.started):,.1f} s"))
        return listed


class Collector:
    """Takes each user's outcome.

    Args:
        encoding: of the token counts; runs that counted otherwise tell nothing about growth. None: all are taken to be alike.
        most: how many users are kept for the table.
    """

    def __init__(self, encoding: str | None = None, most: int = MOST_ROWS) -> None:
        self.encoding, self._most = encoding, most
        self._rows: list[_Item] = []
        self._failed: list[_Item] = []
        self._number = 0
        self._growth = Growth()
        self._facts: tuple[int, int] | None = None
        self._skipped = self._partly = 0
        self._unreadable: list[tuple[str | None, str, str]] = []

    def add(self, outcome: Outcome) -> None:
        """One user is done."""
        self._number += 1
        item = (_weight(outcome), -self._number, outcome)
        rows = self._failed if outcome.status is Status.FAILED else self._rows
        if len(rows) < self._most:
            heapq.heappush(rows, item)
        else:
            heapq.heappushpop(rows, item)
        grown = growth_of(outcome, self.encoding)
        if grown is not None and outcome.last is not None and outcome.before is not None:
            growth = self._growth
            growth.users += 1
            growth.left += outcome.last.after.prompt
            growth.now += outcome.before.prompt
            growth.oldest, growth.newest = min(growth.oldest, outcome.last.at), max(growth.newest, outcome.last.at)
        if outcome.facts is not None:
            before, kept = self._facts or (0, 0)
            self._facts = (before + outcome.facts[0], kept + outcome.facts[1])
        self._skipped += len(outcome.skipped)
        self._partly += outcome.error is None and any("refused" in note for note in outcome.notes)
        for row in outcome.unreadable[: _EXAMPLES - len(self._unreadable)]:
            self._unreadable.append((outcome.user_id, row.memory_id, row.problem))

    def report(self, about: About, summary: Summary, ended: float, days: Sequence[Day] = ()) -> Report:
        """What there is to tell."""
        best = _in_order(self._rows)
        return Report(
            about=about,
            ended=ended,
            summary=summary,
            rows=(*_in_order(self._failed), *best)[: self._most],
            best=best,
            growth=self._growth,
            facts=self._facts,
            skipped=self._skipped,
            partly=self._partly,
            unreadable=tuple(self._unreadable),
            days=tuple(days),
        )


_Item: TypeAlias = tuple[tuple[int, int, int], int, Outcome]


def _in_order(items: Sequence[_Item]) -> tuple[Outcome, ...]:
    return tuple(outcome for _, _, outcome in sorted(items, key=lambda item: item[:2], reverse=True))


def _weight(outcome: Outcome) -> tuple[int, int, int]:
    before = 0 if outcome.before is None else outcome.before.prompt
    done = outcome.status in (Status.APPLIED, Status.CHANGED)
    return int(done), saved_of(outcome) or 0, before


def status_text(outcome: Outcome) -> str:
    """What became of a user, in words; of a failure also its kind."""
    word = STATUS_WORDS[outcome.status]
    return word if outcome.error is None else f"{word} ({outcome.error.kind})"


def reason_text(outcome: Outcome) -> str:
    """Why a user failed, without what may quote a memory; empty where it did not."""
    return "" if outcome.error is None else public_message(outcome.error)


def saved_of(outcome: Outcome) -> int | None:
    """Prompt tokens that are saved, or would be; None where that is not known."""
    if outcome.before is None or outcome.after is None:
        return None
    return outcome.before.prompt - outcome.after.prompt


def growth_of(outcome: Outcome, encoding: str | None) -> int | None:
    """Prompt tokens that came since the user's last run; None where there was none, or its tokens were counted otherwise."""
    last, before = outcome.last, outcome.before
    if last is None or before is None or (encoding is not None and last.encoding != encoding):
        return None
    return before.prompt - last.after.prompt


def public_message(error: MemoptError) -> str:
    """An error's text without what may quote a memory."""
    return _without_quotes(error.kind, str(error))


def _without_quotes(kind: str, message: str) -> str:
    text = " ".join(message.split())
    if kind in _QUOTING:
        head, colon, _ = text.partition(":")
        return f"{head[:_MESSAGE]} (what it quotes is left out here)" if colon else text[:_MESSAGE]
    return text if len(text) <= _MESSAGE else f"{text[: _MESSAGE - 1]}…"


# Figures in words


def difference(before: int, after: int) -> str:
    """``-432 (-70.6 %)``, with a real minus sign; ``no change``."""
    change = after - before
    if not change:
        return "no change"
    share = f" ({_signed(f'{change / before:+.1%}')})".replace("%", " %") if before else ""
    return _signed(f"{change:+,}") + share


def _signed(text: str) -> str:
    return text.replace("-", "\u2212")


def signed(value: int | None) -> str:
    """``+12``, ``−3``, ``0``; a dash where it is not known."""
    return NONE if value is None else _signed(f"{value:+,}") if value else "0"


def moment_text(epoch: float) -> str:
    """``2026-01-01 09:00:00 UTC``."""
    return (iso_utc(int(epoch)) or "").replace("T", " ").replace("Z", " UTC")


def day_text(epoch: float) -> str:
    """``2026-01-01``."""
    return (iso_utc(int(epoch)) or "")[:10]
