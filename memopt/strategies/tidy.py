"""Take away what should never have been stored, and list what probably should not.

Three kinds of treatment, by class:

- ``blank`` memories are dropped, unless ``drop`` says otherwise: they say nothing.
- What an old migration wrapped is turned back into the memory it was: the text of a dict that was stored whole.
- Everything else that looks like no memory is listed for review and stays, until its class is named in ``drop``.

No reason and no note quotes a memory: what is listed may hold a secret, and a plan is shown, mailed and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from memopt.errors import UsageError
from memopt.memory import UserMemory, to_epoch
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, option

CLASSES = {
    "blank": "without any text",
    "answers": "what an assistant said",
    "logs": "tool calls, logs and program output",
    "prompts": "instructions to a model",
    "data": "JSON, markup and encoded documents",
    "placeholders": "null, N/A, no memories found and the like",
    "secrets": "passwords, keys and tokens",
    "cards": "payment card and bank account numbers",
}
"""What may be named in ``drop``, and what it is."""

_QUIET = ("secrets", "cards")
"""Classes whose texts are not to be shown for review."""

TOLD = 100
"""So many ids are named in one note."""

_KNOWN = {
    "memory", "memory_id", "id", "topics", "input", "last_updated", "user_id", "agent_id", "team_id", "created_at", "updated_at",
    "feedback",
}  # fmt: skip
"""The keys of a memory that Agno, or its migrations, wrote as a dict."""


@dataclass(frozen=True, slots=True)
class TidyOptions:
    """Options of ``tidy``."""

    drop: str = option(
        "blank",
        "the classes to drop: any of blank,answers,logs,prompts,data,placeholders,secrets,cards; none: nothing. "
        "The others are listed for review",
    )
    restore: bool = option(True, "turn memories that an old migration wrapped in a dict back into what they were")


@dataclass(slots=True)
class _Work:
    """What becomes of the memories, as it is found out."""

    after: list[UserMemory] = field(default_factory=list)
    decisions: dict[str, Decision] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    quiet: dict[str, list[str]] = field(default_factory=dict)
    odd: int = 0
    held: int = 0
    dropped_secret: bool = False

    def say(self, item: UserMemory, decision: Decision) -> None:
        if item.memory_id is not None:
            self.decisions[item.memory_id] = decision

    def keep(self, item: UserMemory) -> None:
        self.after.append(item)


class TidyStrategy(MemoryOptimizationStrategy):
    """Drop blank memories, unwrap those of old migrations, and list answers, logs, prompts, data and secrets for review."""

    name = "tidy"
    summary = "drop blank memories, unwrap those of old migrations, list answers, logs, prompts, data and secrets for review"
    Options: ClassVar[type[Any]] = TidyOptions

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.drop = _classes(self.options.drop)

    def steps(self, memories: Sequence[UserMemory]) -> Proposal:
        """Look at each memory by itself."""
        work = _Work()
        for item in memories:
            if item.protected is not None:
                self._list_secrets(item, work)
                work.keep(item)
            elif item.is_blank:
                self._blank(item, work)
            else:
                self._look(item, work)
        return Proposal(work.after, work.decisions, tuple(self._notes(work)))

    def _blank(self, item: UserMemory, work: _Work) -> None:
        if "blank" not in self.drop:
            work.counts["blank"] = work.counts.get("blank", 0) + 1
            work.keep(item)
            return
        more = _beside(item)
        if more:
            work.say(item, Decision(f"no text; goes with its {_joined(more)}"))
        else:
            work.say(item, Decision("no text", safe=True))

    def _look(self, item: UserMemory, work: _Work) -> None:
        from memopt.strategies.clutter import clutter
        from memopt.strategies.secrets import find

        restored = _restored(item) if self.options.restore else None
        held = restored is not None and bool(find(restored.memory.memory))
        now = item if restored is None else restored.memory
        # A wrapped memory is judged by what it says: it is never taken for data, whatever else the dict holds.
        inner = None if now.prompt_text is not None else _dict(now.memory)
        found = clutter(now.memory if inner is None else inner["memory"])
        secret = _secrets(item)
        named = [name for name in CLASSES if name in self.drop and (name in found or name in secret)]
        if named:
            reasons = [found.get(name) or f"holds {secret[name]}" for name in named]
            work.dropped_secret |= bool(secret)
            work.say(item, Decision(f"{', '.join(reasons)} (drop={','.join(named)})"))
            return
        for name in found:
            work.counts[name] = work.counts.get(name, 0) + 1
        self._list_secrets(item, work, secret)
        if held:  # a preview shows what it changes, and with it the secret
            work.held += 1
            work.keep(item)
            return
        listed = f"listed for review: {', '.join(found.values())} (drop={','.join(found)} drops it)" if found else ""
        if restored is None:
            work.odd += self.options.restore and item.prompt_text is not None
            # A kept memory with a reason of its own is shown whole, which one with a secret must not be.
            if listed and not secret:
                work.say(item, Decision(listed))
            work.keep(item)
            return
        reason = restored.reason + (f"; {listed}" if listed else "")
        if now.memory_id == item.memory_id:
            work.say(item, Decision(reason, safe=restored.safe))
        else:
            into = str(now.memory_id)
            work.say(item, Decision(reason, into=into, safe=restored.safe))
            work.decisions[into] = Decision("the memory that an old migration wrapped in a dict", safe=restored.safe)
        work.keep(now)

    def _list_secrets(self, item: UserMemory, work: _Work, secret: Mapping[str, str] | None = None) -> None:
        for name, what in (_secrets(item) if secret is None else secret).items():
            work.quiet.setdefault(name, []).append(f"{item.memory_id or 'a memory without id'} ({what})")

    def _notes(self, work: _Work) -> Iterable[str]:
        for name in CLASSES:
            number = work.counts.get(name, 0)
            if number:
                is_ = "memory is" if number == 1 else "memories are"
                yield f"{number} {is_} listed as {name} ({CLASSES[name]}) and kept; -o drop={name} drops such"
        for name in _QUIET:
            places = work.quiet.get(name)
            if places:
                holds = "memory holds" if len(places) == 1 else "memories hold"
                more = f" and {len(places) - TOLD} more" if len(places) > TOLD else ""
                yield (
                    f"{len(places)} {holds} {CLASSES[name]}, listed without showing them and kept: "
                    f"{'; '.join(places[:TOLD])}{more}; -o drop={name} drops such memories whole"
                )
        if work.held:
            yield (
                f"{work.held} of these {'is' if work.held == 1 else 'are'} wrapped by an old migration and left so, as the "
                "preview of a change would show the secret"
            )
        if work.odd:
            yield (
                f"{work.odd} {'memory is' if work.odd == 1 else 'memories are'} stored within a dict that also holds "
                "what no memory has, and left as they are"
            )
        if work.dropped_secret:
            yield "what is dropped stays in the journal, for undo, until memopt history --prune takes it out"


def _classes(text: str) -> frozenset[str]:
    names = [part.strip().lower() for part in text.split(",")]
    if names == ["none"]:
        return frozenset()
    valid = ", ".join(CLASSES)
    if "migrated" in names:
        raise UsageError(
            "strategy tidy: wrapped memories of old migrations are restored, not dropped (-o restore=false leaves them)"
        )
    wrong = [name for name in names if name not in CLASSES]
    if wrong:
        what = repr(wrong[0]) if wrong[0] else "an empty name"
        raise UsageError(f"strategy tidy: option drop takes any of {valid}, or none alone, not {what}")
    return frozenset(names)


def _secrets(item: UserMemory) -> dict[str, str]:
    """By class, what secrets a memory holds, in words that tell none of them."""
    from memopt.strategies.secrets import find

    found: dict[str, dict[str, None]] = {}
    for where, text in (("", item.in_prompt), (" in its input", item.input), (" in its feedback", item.feedback)):
        if text and not (where and text in item.in_prompt):
            for secret in find(text):
                found.setdefault(secret.group, {})[secret.name + where] = None
    return {name: ", ".join(found[name]) for name in _QUIET if name in found}


def _beside(item: UserMemory) -> list[str]:
    """What a memory without text has that would be gone with it."""
    more = [name for name in ("input", "feedback") if (getattr(item, name) or "").strip()]
    if item.topics:
        more.append("topics")
    inner = _dict(item.prompt_text or "")
    more += [key for key in _left_out(item, inner) if key not in more] if inner is not None else []
    return more


# -- what old migrations wrapped ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Restored:
    memory: UserMemory
    reason: str
    safe: bool


def _restored(item: UserMemory) -> _Restored | None:
    """The memory that a migration wrapped in a dict, or None where there is none.

    Agno 1.x kept a memory as a dict, and its migration stored the dict's ``repr`` (later: the dict) as the text. The dict holds
    the topics, the message it came from and the date, which the migration replaced by its own.
    """
    text = item.in_prompt
    new = item
    left: dict[str, None] = {}
    for _ in range(5):  # a file that was migrated twice holds a dict within a dict
        inner = _dict(text)
        if inner is None:
            break
        before = new
        text = inner["memory"]
        new = _taken_over(new, inner).but(memory=text)
        left.update(dict.fromkeys(_left_out(new, inner)))
        if new.is_blank:
            new, text = before, ""
            break
    if new is item:
        return None
    dates = (new.created_at, new.updated_at) != (item.created_at, item.updated_at)
    reason = "an old migration stored it as a dict; turned back into the memory it was"
    if dates:
        reason += ", with its own date"
    if left:
        reason += f"; the dict's {_joined(list(left))} {'goes' if len(left) == 1 else 'go'}"
    safe = not dates and set(left) <= {"memory_id", "id"}
    return _Restored(new, reason, safe)


def _dict(text: str) -> dict[str, Any] | None:
    """The dict that a text is, if it is a memory of Agno's; None also where it holds keys that a memory does not have."""
    if not (text.startswith("{") and text.endswith("}") and "memory" in text):
        return None
    from memopt.strategies.clutter import parsed

    data = parsed(text)
    if not isinstance(data, dict) or not isinstance(data.get("memory"), str) or not set(data) <= _KNOWN:
        return None
    return data


def _taken_over(item: UserMemory, inner: Mapping[str, Any]) -> UserMemory:
    """The memory with what the dict tells and the row does not, and with the dict's date where that is the earlier one."""
    new: dict[str, Any] = {}
    topics = inner.get("topics")
    if item.topics is None and isinstance(topics, list | tuple) and all(isinstance(topic, str) for topic in topics):
        new["topics"] = tuple(topics)
    for name in ("input", "agent_id", "team_id", "feedback"):
        value = inner.get(name)
        if getattr(item, name) is None and isinstance(value, str) and value:
            new[name] = value
    changed = _time(inner.get("last_updated"), inner.get("updated_at"), inner.get("created_at"))
    created = _time(inner.get("created_at"), inner.get("last_updated"), inner.get("updated_at"))
    if changed is not None and (item.updated_at is None or changed < item.updated_at):
        new["updated_at"] = changed
    if created is not None and (item.created_at is None or created < item.created_at):
        new["created_at"] = created
    return item.but(**new) if new else item


def _time(*values: Any) -> int | float | None:
    """The first of these that is a time."""
    for value in values:
        try:
            if value and (moment := to_epoch(value)):
                return moment
        except (ValueError, OverflowError, TypeError):
            continue
    return None


def _left_out(item: UserMemory, inner: Mapping[str, Any]) -> list[str]:
    """The keys of the dict whose values the memory does not hold."""
    left = []
    for key, value in inner.items():
        if key == "memory" or value is None or value == "" or value == []:
            continue
        if key == "topics":
            held: bool = isinstance(value, list | tuple) and set(map(str, value)) <= set(item.topics or ())
        elif key in ("last_updated", "updated_at", "created_at"):
            moment = _time(value)
            held = moment is not None and any(
                at is not None and int(at) == int(moment) for at in (item.updated_at, item.created_at)
            )
        elif key in ("input", "user_id", "agent_id", "team_id", "feedback"):
            held = value == getattr(item, key)
        else:
            held = value == item.memory_id
        if not held:
            left.append(key)
    return left


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
