"""Many memories to one structured document, through a model whose answer is checked before it may stand for them."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from memopt.errors import AnswerRefused, ModelError, UsageError, VerificationError
from memopt.memory import UserMemory
from memopt.models.base import Ask, AskLimits, Limits, Reply
from memopt.strategies import prompts
from memopt.strategies.base import Decision, MemoryOptimizationStrategy, Proposal, Result, Steps, option
from memopt.strategies.parts import by_age, merged
from memopt.strategies.schema import branch, problems, read_schema, tidied
from memopt.tokens import TokenCounter

if TYPE_CHECKING:
    from memopt.verify.report import Invented, Report

_NOTE_OVERHEAD = 28  # tokens of the line above each note
_LEAST_ROOM = 64
_SHOWN = 120
_ROUNDS = 6
_CLASHES = frozenset(("swap", "polarity", "opposite"))


@dataclass(frozen=True, slots=True)
class ProfileOptions:
    """Options of ``profile``."""

    schema: str = option(..., "the document's form: a file with a JSON Schema, or FILE.py:CLASS with a Pydantic model", file=True)
    repairs: int = option(2, "how often to ask again where an answer does not fit the form", minimum=0, maximum=10)
    part_tokens: int = option(6000, "most tokens of memories in one request; more are put in part by part", minimum=200)


@dataclass(frozen=True, slots=True)
class _Leaf:
    """One value of a document: where it stands, and what says it: alone, with its keys, and with all that the schema tells."""

    path: tuple[Any, ...]
    plain: str
    keyed: str
    rich: str


class ProfileStrategy(MemoryOptimizationStrategy):
    """Replace memories by one JSON document of a given form.

    Every value of the document must be said by a memory, else it is taken out again. A memory that says anything that did
    not fit into the document stays beside it. When the document is there already, only memories that changed since are
    put into it; where none did, no model is asked. Blank and protected memories are left alone.
    """

    name = "profile"
    summary = "consolidate memories into one JSON document of a given schema, every value checked against them"
    needs_model = True
    Options: ClassVar[type[Any]] = ProfileOptions

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._schema = read_schema(self.options.schema)
        self._tokens = TokenCounter()

    def get_system_prompt(self) -> str:
        """The instructions for the model."""
        return prompts.PROFILE

    def steps(self, memories: Sequence[UserMemory]) -> Steps | Result:
        """Put what the memories say into the document."""
        usable = [item for item in memories if not item.is_blank and item.protected is None]
        former = [item for item in usable if self._document(item.memory) is not None]
        if len(former) > 1:  # the newest is carried on; an older one is a memory like any other
            former = [max(former, key=lambda item: (item.last_changed or float("-inf"), item.memory_id or ""))]
        old = former[0] if former else None
        new = [item for item in usable if item is not old and (old is None or _since(item, old))]
        if not new or (old is None and len(new) < 2):
            return Proposal(
                list(memories), notes=("nothing has changed since the profile was written",) if old and usable else ()
            )
        return self._work(list(memories), old, by_age(new))

    def _document(self, text: str) -> dict[str, Any] | None:
        """The document that a memory's text is, if it is one of this form."""
        if not text.startswith("{"):
            return None
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            return None
        return data if isinstance(data, dict) and not problems(data, self._schema) else None

    def _work(self, memories: list[UserMemory], old: UserMemory | None, new: list[UserMemory]) -> Steps:
        limits: Limits = yield AskLimits()
        if limits.reads_material:
            raise UsageError("profile asks a model to fill in the form, which the built-in consolidator cannot: say --model")
        document = self._document(old.memory) if old is not None else None
        parts, too_long = self._parts(new, self._room(limits))
        for part in parts:
            filled = yield from self._filled(part, document)
            # a model that was shown a document may forget half of it
            document = filled if document is None else self._carried(document, filled)
        if document is None:
            return Proposal(memories, notes=("no memory fits into one request: nothing is changed",))
        sources = [*([old] if old is not None else []), *(item for part in parts for item in part)]
        document, report, removed = self._supported(document, sources)
        beside = self._beside(document, sources)
        return self._proposal(memories, sources, document, report, removed, beside, too_long, old)

    # -- asking --------------------------------------------------------------------------------------------------------

    def _room(self, limits: Limits) -> int:
        room: int = self.options.part_tokens
        if limits.context_tokens is not None:
            fixed = self._tokens.text(self._ask([], None).instructions(False)) + 256
            room = min(room, int((limits.context_tokens - fixed) * 0.4))
            if room < _LEAST_ROOM:
                raise ModelError(
                    f"a context of {limits.context_tokens} tokens leaves no room for memories beside the schema ({fixed} tokens)"
                )
        return room

    def _parts(self, items: Sequence[UserMemory], room: int) -> tuple[list[list[UserMemory]], list[UserMemory]]:
        parts: list[list[UserMemory]] = []
        too_long: list[UserMemory] = []
        filled = 0
        for item in items:
            size = self._tokens.text(item.memory) + _NOTE_OVERHEAD
            if size > room:
                too_long.append(item)
                continue
            if not parts or filled + size > room:
                parts.append([])
                filled = 0
            parts[-1].append(item)
            filled += size
        return parts, too_long

    def _ask(
        self, part: Sequence[UserMemory], document: Mapping[str, Any] | None, wrong: Sequence[str] = (), draft: str = ""
    ) -> Ask:
        so_far = None if document is None else _text(document)
        return Ask(
            system=self.get_system_prompt(),
            prompt=prompts.render_profile(prompts.render_notes(part), so_far, wrong, draft),
            purpose=f"profile of {len(part)} memories",
            schema=self._schema,
            material=tuple(part),
            plain_form=prompts.PROFILE_PLAIN_FORM.format(schema=json.dumps(self._schema, ensure_ascii=False)),
            schema_form=prompts.PROFILE_FORM,
        )

    def _filled(self, part: Sequence[UserMemory], document: Mapping[str, Any] | None) -> Generator[Ask, Any, dict[str, Any]]:
        """The document with a part's memories in it, asked for again where the answer does not fit the form."""
        from memopt.models.answer import parse_json_answer

        wrong: list[str] = []
        draft = ""
        for _ in range(self.options.repairs + 1):
            reply: Reply = yield self._ask(part, document, wrong, draft)
            draft = reply.text
            try:
                data = parse_json_answer(draft)
            except AnswerRefused as error:
                wrong = [str(error)]
                continue
            if not isinstance(data, dict):
                wrong = ["the document: must be a JSON object"]
                continue
            filled: dict[str, Any] = tidied(data, self._schema, self._schema)
            wrong = problems(filled, self._schema)
            if not wrong:
                return filled
        some = "; ".join(_short(each) for each in wrong[:3])
        raise AnswerRefused(f"the model's answer does not fit the schema: {some}. Nothing was written", problems=wrong)

    def _carried(self, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        """The new document with what it left out of the old one, as far as that is still valid."""
        both: dict[str, Any] = tidied(_united(old, new), self._schema, self._schema)
        return both if not problems(both, self._schema) else new

    # -- checking ------------------------------------------------------------------------------------------------------

    def _supported(
        self, document: dict[str, Any], sources: Sequence[UserMemory]
    ) -> tuple[dict[str, Any], Report, list[tuple[_Leaf, Invented]]]:
        """The document without the values that no memory says.

        Raises:
            VerificationError: the form demands such a value, or nothing is left.
        """
        from memopt.verify import verify
        from memopt.verify.report import Invented

        removed: list[tuple[_Leaf, Invented]] = []
        spoken = [_spoken(item, self._document(item.memory), self._schema) for item in sources]
        said, close = _vocabulary(spoken)
        for _ in range(_ROUNDS):
            leaves = list(_leaves(document, self._schema, self._schema, ()))
            if not leaves:
                break
            report = verify(spoken, [UserMemory(leaf.plain, memory_id=str(at)) for at, leaf in enumerate(leaves)])
            unsaid = {
                item.index: item for item in report.invented if item.kind not in _CLASHES
            }  # "nuts" denies no allergy to them
            # with the keys: a number under the wrong one, or what a memory denies
            for texts in ([leaf.keyed for leaf in leaves], [leaf.rich for leaf in leaves]):
                told = verify(spoken, [UserMemory(text, memory_id=str(at)) for at, text in enumerate(texts)])
                unsaid |= {item.index: item for item in told.invented if item.kind in _CLASHES}
            for at, leaf in enumerate(leaves):
                missing = _unheard(leaf.plain, said, close)
                if at not in unsaid and missing is not None:
                    unsaid[at] = Invented(
                        None, at, leaf.plain, missing, "statement", f"{_short(missing)}: no memory has it", 0, 0
                    )
            if not unsaid:
                return document, report, removed
            cut: list[tuple[Any, ...]] = []
            for index in sorted(unsaid, reverse=True):
                leaf = leaves[index]
                removed.append((leaf, unsaid[index]))
                if any(leaf.path[: len(path)] == path for path in cut):
                    continue
                taken = self._taken_out(document, leaf.path)
                if taken is None:
                    raise VerificationError(
                        f"the profile was refused: “{_short(leaf.plain)}” is said by no memory, and the schema demands a value "
                        "there. Nothing was written",
                        invented=[{"path": list(map(str, leaf.path)), "detail": item.detail} for leaf, item in removed],
                    )
                document, path = taken
                cut.append(path)
        if removed:
            raise VerificationError(
                f"the profile was refused: nothing in it is said by a memory: {removed[0][1].detail}. Nothing was written"
            )
        raise VerificationError("the profile was refused: it is empty. Nothing was written")

    def _taken_out(self, document: dict[str, Any], path: tuple[Any, ...]) -> tuple[dict[str, Any], tuple[Any, ...]] | None:
        """The document without a value, or without the smallest thing around it that may go, and the path that went."""
        for length in range(len(path), 0, -1):
            left = tidied(_without(document, path[:length]), self._schema, self._schema)
            if not problems(left, self._schema):
                return left, path[:length]
        return None

    def _beside(self, document: Mapping[str, Any], sources: Sequence[UserMemory]) -> list[UserMemory]:
        """The memories that say more than the document holds."""
        from memopt.verify.settle import kept_beside

        text, report = self._against(document, sources)
        spoken = [_spoken(item, self._document(item.memory), self._schema) for item in sources]
        kept = {item.memory_id for item in kept_beside(spoken, text, report)}
        return [item for item in sources if item.memory_id in kept]

    def _against(self, document: Mapping[str, Any], sources: Sequence[UserMemory]) -> tuple[str, Report]:
        from memopt.verify import verify

        text = "\n".join(leaf.rich for leaf in _leaves(document, self._schema, self._schema, ()))
        spoken = [_spoken(item, self._document(item.memory), self._schema) for item in sources]
        return text, verify(spoken, [UserMemory(text, memory_id="profile")])

    def _replaces(self, document: Mapping[str, Any], old: UserMemory) -> bool:
        """Whether a former document has no key and no list's item that this one lacks: other values are newer ones."""
        former = self._document(old.memory)
        return former is not None and _text(tidied(_united(former, document), self._schema, self._schema)) == _text(document)

    # -- the result ----------------------------------------------------------------------------------------------------

    def _proposal(
        self,
        memories: list[UserMemory],
        sources: list[UserMemory],
        document: Mapping[str, Any],
        checked: Report,
        removed: Sequence[tuple[_Leaf, Invented]],
        beside: Sequence[UserMemory],
        too_long: Sequence[UserMemory],
        old: UserMemory | None,
    ) -> Proposal:
        # of the former document, what is not in this one was replaced by a newer value
        staying = {id(item) for item in beside if item is not old or not self._replaces(document, item)}
        gone = [item for item in sources if id(item) not in staying]
        notes = [f"too long for one request and kept as they are: {len(too_long)}"] if too_long else []
        if not gone or (old is not None and _text(document) == old.memory):
            notes.append("nothing of what the memories say fits the schema: nothing is changed")
            return Proposal(memories, notes=tuple(notes))
        profile = merged(sources, _text(document))
        assert profile.memory_id is not None
        _, report = self._against(document, sources)
        lacking: dict[str | None, str] = {}
        for lost in report.lost:
            for memory_id in (lost.memory_id, *lost.also):
                lacking[memory_id] = max(lacking.get(memory_id, ""), lost.fact, key=len)
        decisions: dict[str, Decision] = {}
        replaced: dict[str | None, str] = {}
        for outdated in report.superseded:
            replaced.setdefault(outdated.memory_id, outdated.reason)
        for item in sources:
            if item.memory_id is None:
                continue
            if id(item) in staying:
                fact = _short(lacking.get(item.memory_id, item.memory))
                decisions[item.memory_id] = Decision(f"kept beside the profile, which has no place for “{fact}”")
            else:
                why = f"; superseded: {replaced[item.memory_id]}" if item.memory_id in replaced else ""
                decisions[item.memory_id] = Decision(f"its facts stand in the profile{why}", into=profile.memory_id)
        decisions[profile.memory_id] = Decision(f"profile of {len(sources)} memories; {len(staying)} stay beside it")
        if removed:
            some = ", ".join(f"“{_short(leaf.plain)}”" for leaf, _ in removed[:3])
            notes.append(
                f"taken out of the profile, because no memory says it: {some}"
                + (f" and {len(removed) - 3} more" if len(removed) > 3 else "")
            )
        left = {id(item) for item in gone}
        kept = [item for item in memories if id(item) not in left]
        return Proposal([*kept, profile], decisions, tuple(notes), (_account(profile, sources, report, removed, staying),))


def _account(
    profile: UserMemory,
    sources: Sequence[UserMemory],
    report: Report,
    removed: Sequence[tuple[_Leaf, Invented]],
    staying: set[int],
) -> dict[str, Any]:
    """The plan's account of the document."""
    found = report.to_dict()
    beside = {item.memory_id for item in sources if id(item) in staying}
    return {
        "memory_id": profile.memory_id,
        "label": "profile",
        "sources": len(sources),
        "on_loss": "keep",
        "facts": found["facts"],
        "retention": found["retention"],
        "lost": [{**item, "kept_beside": item["memory_id"] in beside} for item in found["lost"]],
        "invented": [{**replace(item, sentence=leaf.plain).told(), "removed": True} for leaf, item in removed],
        "superseded": found["superseded"],
        "doubtful": found["doubtful"],
        "by_meaning": [],
        "judged": [],
        "repairs": 0,
        "not_sent": {},
        "lineage": [],
    }


def _since(item: UserMemory, old: UserMemory) -> bool:
    """Whether a memory changed after the document was written; one without a date is taken to be in it, or beside it, already."""
    return item.last_changed is not None and (old.last_changed is None or item.last_changed > old.last_changed)


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _plain_key(key: Any) -> str:
    """A key as words: homeAddress, home_address and home-address are all home address."""
    return re.sub(r"[_\-.]+", " ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", str(key))).strip().lower()


def _leaves(value: Any, schema: Any, root: Mapping[str, Any], path: tuple[Any, ...], told: str = "") -> Iterator[_Leaf]:
    """Each value with the keys that lead to it, in words."""
    form = branch(schema, root, value)
    told = " ".join(
        part for part in (told, form.get("title") or "", form.get("description") or "") if isinstance(part, str) and part
    )
    if isinstance(value, dict):
        declared, extra = form.get("properties", {}), form.get("additionalProperties", True)
        for key, item in value.items():
            yield from _leaves(item, declared.get(key, extra), root, (*path, key), told)
        return
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield from _leaves(item, form.get("items", True), root, (*path, at), told)
        return
    if value is None or value == "":
        return
    keys = [_plain_key(step) for step in path if not isinstance(step, int)]
    label = " ".join(keys)
    if isinstance(value, bool):
        plain = f"{'' if value else 'not '}{keys[-1] if keys else ''}"
        yield _Leaf(path, plain, plain, plain)
        return
    plain = value if isinstance(value, str) else json.dumps(value)
    keyed = f"{label}: {plain}"
    yield _Leaf(path, plain, keyed, f"{label} ({told}): {plain}" if told else keyed)


def _spoken(item: UserMemory, document: Mapping[str, Any] | None, schema: Mapping[str, Any]) -> UserMemory:
    """A memory as it can be compared: a document of this form as the sentences it stands for."""
    if document is None:
        return item
    return item.but(memory="\n".join(leaf.rich for leaf in _leaves(document, schema, schema, ())))


def _vocabulary(sources: Sequence[UserMemory]) -> tuple[set[str], set[str]]:
    """Stems of all words of the sources, and what they are related to."""
    from memopt.facts import read
    from memopt.facts.words import stem, tokens
    from memopt.verify.lines import related_features

    said: set[str] = set()
    for item in sources:
        said |= read(item.memory).stems
        said |= {stem(token.text) for token in tokens(item.memory) if token.kind == "word"}
    return said, {each for word in said for each in related_features(word)}


def _unheard(value: str, said: set[str], close: set[str]) -> str | None:
    """The words of a value that no source has, where that is most of them; None where enough of it was said.

    The verifier looks for what a sentence says; a value may be a single word, which it lets pass.
    """
    from memopt.facts import read
    from memopt.verify.lines import related_features

    words = [word for word in read(value).words if value[word.start : word.end].strip()]
    missing = [word for word in words if word.stem not in said and not related_features(word.stem) & close]
    if not words or len(missing) * 5 < len(words) * 2:
        return None
    return ", ".join(value[word.start : word.end] for word in missing)


def _united(old: Any, new: Any) -> Any:
    """The new value, with the keys and the items of lists that only the old one has."""
    if isinstance(old, dict) and isinstance(new, Mapping):
        return {
            **{key: item for key, item in old.items() if key not in new},
            **{k: _united(old.get(k), v) for k, v in new.items()},
        }
    if isinstance(old, list) and isinstance(new, list):
        return [*new, *(item for item in old if item not in new)]
    return new


def _without(value: Any, path: tuple[Any, ...]) -> Any:
    """A copy of a document without the value at a path."""
    step, *rest = path
    if isinstance(value, dict):
        if rest:
            return {key: _without(item, tuple(rest)) if key == step else item for key, item in value.items()}
        return {key: item for key, item in value.items() if key != step}
    if rest:
        return [_without(item, tuple(rest)) if at == step else item for at, item in enumerate(value)]
    return [item for at, item in enumerate(value) if at != step]
