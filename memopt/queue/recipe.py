"""What is to be done with users, written down once for all jobs of it: strategies, options, model's name, guards. Pure.

A worker does what the recipe says, not what a policy of the same name says in the worker's own memopt.toml: what was put into the
queue is what is done, however the file was changed since. No key, no password and no text of a memory is part of it, though
questions that plans are held to may tell what memories tell. Where a service is and how it is paid stands in the worker's own
settings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import Any

from memopt.errors import ConflictError

FORMAT = 1
MAX_QUEUE_BYTES = 40
"""procrastinate announces jobs on a channel ``procrastinate_queue_v1#NAME``, and a channel's name has 63 bytes at most."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is done with each user.

    Attributes:
        label: how it is called: the policy's name, else the strategies'.
        strategies, options: as ``make_chain`` takes them; options that came from files hold the files' texts.
        table: the memory table.
        digest: ``fleet.recipe_of`` where it was enqueued. A worker that comes to another one (another version of memopt or of a
            plugin, other prompts) leaves the jobs alone.
        model, judge: names; None: nobody is asked.
        base_url: where the service is, if that was said for these jobs; None: the worker's settings say it.
        when: the condition, which is looked at again when a job is done.
        questions, min_recall: the text of the file of questions that plans are held to, and the share of answers to be kept.
        only, max_drop, allow_empty, on_conflict, max_rewrites, protect: see ``MemoryManager.optimize_memories``.
    """

    label: str
    strategies: tuple[str, ...]
    table: str
    digest: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    encoding: str = ""
    model: str | None = None
    judge: str | None = None
    base_url: str | None = None
    agent: tuple[str, ...] = ()
    team: tuple[str, ...] = ()
    topic: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    max_rewrites: int | None = None
    only: str | None = None
    max_drop: str | None = None
    allow_empty: bool = False
    on_conflict: str = "stop"
    when: str | None = None
    questions: str | None = None
    min_recall: float | None = None

    @property
    def id(self) -> str:
        """A digest of all of it but the label: 32 hexadecimal digits."""
        data = asdict(self)
        del data["label"]
        return _digest(json.dumps(data, sort_keys=True))

    @property
    def queue(self) -> str:
        """The name of the engine's queue: the label where it fits, else its beginning and a digest."""
        return queue_name(self.label)

    def to_json(self) -> str:
        """The whole of it."""
        return json.dumps({"format": FORMAT, **asdict(self)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Recipe:
        """Read ``to_json``'s text. Raises ConflictError for what another version of memopt wrote."""
        data: Any = json.loads(text)
        known = {item.name for item in fields(cls)}
        if data.pop("format", None) != FORMAT or not set(data) <= known:
            raise ConflictError(
                "what these jobs are to do was written down by another version of memopt; enqueue again with this one"
            )
        lists = {"strategies", "agent", "team", "topic", "protect"}
        given: dict[str, Any] = {key: tuple(value) if key in lists else value for key, value in data.items()}
        return cls(**given)


def queue_name(label: str) -> str:
    """The name of the engine's queue for a label: at most MAX_QUEUE_BYTES bytes of printable characters."""
    plain = re.fullmatch(r"[^\x00-\x20\x7f]+(?: [^\x00-\x20\x7f]+)*", label) is not None
    if plain and "~" not in label and len(label.encode("utf-8", "replace")) <= MAX_QUEUE_BYTES:
        return label
    head = re.sub(r"[^0-9A-Za-z._+-]+", "-", label)[: MAX_QUEUE_BYTES - 14]
    return f"{head}~{_digest(label)[:12]}"


def user_lock(table: str, queue: str, user_id: str) -> str:
    """The lock of a user's jobs of one label, of which never two are done at one time, and which are done in their order.

    Not of all labels: a job that waits would hold up those of other labels, also where no worker can do it. Jobs of two labels
    are kept apart by the claim on the user. A digest: ids may be longer than an index takes.
    """
    return _digest(f"{table}\x1f{queue}\x1f{user_id}")


def queueing_lock(recipe_id: str, user_id: str) -> str:
    """What keeps a user from being enqueued twice for the same."""
    return _digest(f"{recipe_id}\x1f{user_id}")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def pack_user(user_id: str) -> dict[str, str]:
    """A user's id as arguments of a job. An id whose bytes are no UTF-8 (a database without an encoding) goes as its bytes."""
    try:
        user_id.encode("utf-8")
    except UnicodeEncodeError:
        return {"user_hex": user_id.encode("utf-8", "surrogateescape").hex()}
    return {"user": user_id}


def unpack_user(args: Mapping[str, Any]) -> str:
    """The user's id of ``pack_user``'s arguments."""
    if "user_hex" in args:
        return bytes.fromhex(str(args["user_hex"])).decode("utf-8", "surrogateescape")
    return str(args["user"])
