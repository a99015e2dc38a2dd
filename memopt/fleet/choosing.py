"""Which users a run is for, and in which order they come."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256

from memopt.errors import UsageError
from memopt.policy import Condition, fits
from memopt.spill import Spill
from memopt.stores.base import Snapshot
from memopt.tokens import TokenFigures


@dataclass(frozen=True, slots=True)
class Shard:
    """One of ``count`` parts of all users. A user is always in the same part, on every machine."""

    index: int
    count: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """``3/16``. Counted from 0 or from 1, as one likes: 16/16 is 0/16. Raises UsageError for anything else."""
        match = re.fullmatch(r"\s*([0-9]{1,6})\s*/\s*([0-9]{1,6})\s*", text)
        if match is None or int(match[2]) == 0 or int(match[1]) > int(match[2]):
            raise UsageError(f"--shard takes a part and the number of parts, such as 3/16, not {text!r}")
        return cls(int(match[1]) % int(match[2]), int(match[2]))

    def holds(self, user_id: str) -> bool:
        """Whether a user is in this part: by SHA-256 of the id, not by Python's hash, which differs from process to process."""
        digest = sha256(user_id.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.index


@dataclass(frozen=True, slots=True)
class Selection:
    """Which users a run is for. Everything that is said must hold.

    Attributes:
        patterns: with ``*`` and ``?``, any of which must fit; none: every user.
        within: likewise, from a policy.
        ids: only these.
        when: a condition on the user's figures.
        shard: only this part of them.
        limit: only so many, the most expensive of those that have something to do.
    """

    patterns: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    ids: frozenset[str] | None = None
    when: Condition | None = None
    shard: Shard | None = None
    limit: int | None = None

    def fits(self, user_id: str) -> bool:
        """Whether a user is meant, as far as the id tells."""
        return (
            (not self.patterns or fits(user_id, self.patterns))
            and (not self.within or fits(user_id, self.within))
            and (self.ids is None or user_id in self.ids)
            and (self.shard is None or self.shard.holds(user_id))
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A user who is to be done.

    Attributes:
        chosen: whether the user's figures were looked at already.
        force: whether it is done although nothing changed since the last run of the kind.
    """

    user_id: str
    chosen: bool
    force: bool = False


class Line:
    """The users that are to be done, in order. Threads may share it, one at a time.

    Attributes:
        backwards: hand out the last ones first, for as long as this is set.
    """

    def __init__(self, listed_: Spill, most: int | None, *, chosen: bool) -> None:
        self._listed = listed_
        self._left = len(listed_) if most is None else min(most, len(listed_))
        self._ends = [listed_.in_order(self._left), listed_.in_order(self._left, backwards=True)]
        self._chosen = chosen
        self.backwards = False

    def __iter__(self) -> Line:
        return self

    def __next__(self) -> Candidate:
        if not self._left:
            self._listed.close()
            raise StopIteration
        self._left -= 1
        return Candidate(next(self._ends[self.backwards]), self._chosen)


def figures_of(snapshot: Snapshot, figures: TokenFigures) -> dict[str, float]:
    """What a condition may ask of a user."""
    texts = {item.memory for item in snapshot.memories}
    return {
        "memories": figures.memories,
        "tokens": figures.prompt,
        "text_tokens": figures.text,
        "duplicates": figures.memories - len(texts),
    }


__all__ = ["Candidate", "Line", "Selection", "Shard", "figures_of"]
