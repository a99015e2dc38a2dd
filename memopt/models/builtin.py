"""The consolidator inside memopt: many memories of one user as one text, without a model.

It drops restatements, joins what is said of the same subject, keeps the newest of replaced facts with what was before, and orders by
subject and theme. It writes nothing it cannot place: a text of several lines, code, quotes, an unknown language or an unknown
sentence is copied as it is. Whatever it wrote is then held against the sources by ``memopt.verify``; a sentence that does not stand is
taken apart, in the end down to the source sentences themselves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from memopt.errors import AnswerRefused
from memopt.facts.senses import same_names
from memopt.facts.statements import Statement, Superseded, read_statements, same_value, superseded
from memopt.memory import UserMemory
from memopt.models.base import Ask, Reply, Usage
from memopt.models.base import Sentence as Part
from memopt.models.forms import PREPOSITIONS, form_of, list_in, write
from memopt.models.joining import (
    GROUP,
    Beginning,
    Sentence,
    ellipsis_keys,
    is_change,
    join,
    noted,
    shorten,
)
from memopt.models.reader import contrary, is_readable, points_back
from memopt.models.restated import heads, plain, strength
from memopt.models.threads import (
    MANY_STAGES,
    Introduced,
    ages,
    ends,
    introduced,
    named_by,
    telling,
    threads,
    unite,
    value_of,
    with_relation,
)
from memopt.models.times import (
    Grain,
    day,
    grain_of,
    holds_day,
    is_loose,
    label,
    labels,
    loose_end,
    month,
    noted_at,
    period,
    without_now,
)
from memopt.verify.collector import paused

if TYPE_CHECKING:
    from memopt.verify import Lost, Report
    from memopt.verify.lines import Seen

ROUNDS = 12
"""How often the text is checked and taken apart before everything doubtful is copied as it is."""
HISTORY = 12
"""At most so many former values are told, the newest of them."""
LONG = 20_000
"""A text of more characters is no note of a few sentences: it is copied whole."""
A_LIST = 5
"""A memory of so many sentences, half of them about the user, is a list of facts such as an earlier result, and no account of one thing."""
MANY = 2_000
"""From so many memories on, the text is checked in blocks, and only what was not copied: each round would read everything again."""
REPAIRS = 5
"""So often is the whole of them checked and what does not stand copied, before all is."""
BLOCK = 250
"""About so many source sentences are checked together then."""


@dataclass(frozen=True, slots=True)
class Consolidated:
    """One sentence (or a text copied whole) of the result.

    Attributes:
        text: as written.
        sources: ids of the memories it came from; ``#3`` for the fourth memory where it has no id.
        copied: whether it stands as it was, unjoined.
    """

    text: str
    sources: tuple[str, ...]
    copied: bool = False


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The result of ``consolidate``.

    Attributes:
        sentences: in reading order.
        notes: sentences for people: which facts were replaced, what was left alone.
        superseded: the replaced clauses that the text no longer holds as current.
        breaks: for each sentence, what stands in front of it in ``text``.
    """

    sentences: tuple[Consolidated, ...]
    notes: tuple[str, ...] = ()
    superseded: tuple[Superseded, ...] = ()
    breaks: tuple[str, ...] = field(default=(), repr=False)

    @property
    def text(self) -> str:
        """The whole as one text; "" where there was nothing readable."""
        return "".join(mark + item.text for mark, item in zip(self.breaks, self.sentences, strict=True))


class BuiltinModel:
    """Answers a request from its material, the memories, by ``consolidate``. It reads neither prompt nor network.

    Satisfies ``models.base.Model``.
    """

    name = "builtin"
    endpoint = ""
    context_tokens: int | None = None

    def answer(self, ask: Ask) -> Reply:
        """The consolidated text. Raises AnswerRefused where the request carries no readable memory."""
        result = consolidate(ask.material)
        if not result.text:
            raise AnswerRefused("the built-in consolidator was given no readable memory (it works on memories, not on prompts)")
        places = {item.memory_id or f"#{place}": place for place, item in enumerate(ask.material)}
        told = tuple(
            Part(item.text, tuple(places[source] for source in item.sources if source in places)) for item in result.sentences
        )
        return Reply(result.text, Usage(), "stop", told)

    async def aanswer(self, ask: Ask) -> Reply:
        """``answer``; it waits for nothing."""
        return self.answer(ask)


# --------------------------------------------------------------------------------------------------------------- reading

_ODD = re.compile(r"[\n\r\t\x0b\x0c\x85\u2028\u2029]|```|[{}<>|]|=>|->|\\n|^\s*(?:[-*•#]|\d+[.)])\s")
_BACK = re.compile(
    r"\b(?:he|she|it|they|him|them|hers?|its|this|that|these|those|there|then|also|such|former|latter|so|therefore|however)\b|[他她它这那该其]|因此|所以|然后",
    re.IGNORECASE,
)
_HEAD_END = re.compile(r"[,;(，；（]| and | but ")  # what a pronoun behind these points to may stand before them
_START = re.compile(r"(?:the )?user(?:['’]s)?\b|用户", re.IGNORECASE)


class _Piece(NamedTuple):
    """A part of a memory, and whether it must stand as it is: several sentences that hang together, or a text that is none."""

    text: str
    whole: bool


def _pieces(text: str) -> list[_Piece]:
    """The sentences of a memory that can stand alone, with those that hang on them; or all of it where it cannot be parted."""
    if "\n" in text and len(text) <= LONG:
        found = _of_lines(text.split("\n"))
        of_user = sum(_START.match(piece.text) is not None for piece in found)
        if of_user * 2 >= len(found) and (of_user >= A_LIST or all(not piece.whole for piece in found)):
            return found  # lines of plain sentences, such as an earlier result
    if len(text) > LONG or _ODD.search(text) or not text.isprintable():
        return [_Piece(text, True)]
    from memopt.facts.reading import split_sentences

    text = _said_once(text)
    spans = split_sentences(text)
    if not spans or text[: spans[0][0]].strip() or text[spans[-1][1] :].strip():
        return [_Piece(text.strip(), len(spans) != 1)]
    kept = [text[start:end].strip() for start, end in spans]
    if len(kept) == 1:
        return [_Piece(kept[0], False)]
    starts = [at for at, part in enumerate(kept) if _START.match(part)]
    many = len(kept) >= A_LIST and len(starts) * 2 >= len(kept)
    if len(starts) < len(kept) and not many:
        return [_Piece(_together(kept), True)]
    groups: list[list[str]] = []
    for part in kept:
        head = _HEAD_END.split(part, maxsplit=1)[0]
        alone = not _BACK.search(head) and (
            _START.match(part) is not None or (form_of(part) is not None and not _BACK.search(part))
        )
        if alone or not groups:
            groups.append([part])
        elif many:
            groups[-1].append(part)
        else:
            return [_Piece(_together(kept), True)]
    return [_Piece(_together(group), len(group) > 1) for group in groups]


def _of_lines(lines: Sequence[str]) -> list[_Piece]:
    """The sentences of plain lines; what stands between them, lines of code or of a list, stays as it is."""
    found: list[_Piece] = []
    block: list[str] = []
    for line in (*lines, "."):
        plain_line = line.strip() == line and line[-1:] in (".", "。") and not _ODD.search(line)
        if not plain_line:
            block.append(line)
            continue
        if "".join(block).strip():
            found.append(_Piece("\n".join(block).strip("\n"), True))
        block = []
        if line != ".":
            found += _pieces(line)
    return found


def _together(parts: Sequence[str]) -> str:
    return " ".join(parts) if all(part.isascii() for part in parts) else "".join(_spaced(parts))


def _said_once(text: str) -> str:
    """The text without parts that it has said before, word for word: a whole part, or the end of one behind a colon or blank."""
    parts = re.split(r"(?<=[.!?])\s+|(?<=[。！？])", text)
    if len(parts) < 2:
        return text
    kept: list[str] = []
    heard: set[str] = set()
    for part in parts:
        bare = part.strip(" .!?。！？")
        if len(bare) >= 8 and bare in heard and "?" not in part and "？" not in part:
            continue
        kept.append(part)
        heard.add(bare)
        tail = re.search(r"[:：]\s*(.+)$", bare)
        if tail:
            heard.add(tail[1])
    if len(kept) == len([part for part in parts if part.strip()]):
        return text
    return "".join(_spaced([part for part in kept if part.strip()]))


def _spaced(parts: Sequence[str]) -> list[str]:
    out: list[str] = []
    for part in parts:
        tight = not out or "\u3000" <= out[-1][-1] <= "\uffef"
        out.append(part if tight else f" {part}")
    return out


def _plain(sentence: str) -> str:
    """The sentence in the form used for joining: ``User`` in front, one final stop. Other sentences stay as they are."""
    text = " ".join(sentence.split())
    text = re.sub(r"^[Tt]he user(?=['’ ])", "User", text)
    text = re.sub(r"^user(?=['’ ])", "User", text)
    if _START.match(text) or form_of(text) is not None:
        text = re.sub(r"\s+(?=[,;.!])", "", text)
        text = re.sub(r"!$", ".", text) if not text.endswith("!!") else text
        text = re.sub(r"！$", "。", text)
        if (text[-1].isalnum() or text[-1] in ")）\"'”%€$") and not re.search(r"[.!?。！？][\"'”’]$", text):
            text += "。" if "\u4e00" <= text[0] <= "\u9fff" else "."
    return text


def _capitals(text: str) -> tuple[int, int]:
    return (sum(ch.isupper() for ch in text), -text.count("!"))


def _when(memories: Sequence[UserMemory], index: int) -> tuple[float, float] | None:
    moment = memories[index].last_changed
    return None if moment is None else (float(moment), float(moment))


def _span(whens: Sequence[tuple[float, float] | None]) -> tuple[float, float] | None:
    known = [when for when in whens if when is not None]
    if not known or len(known) < len(whens):
        return None
    return min(when[0] for when in known), max(when[1] for when in known)


@dataclass(slots=True)
class _State:
    """What is being put together, with how far each part has been taken apart."""

    memories: Sequence[UserMemory]
    units: list[Sentence]
    copied: dict[tuple[int, str], None]  # memories, or parts of them, to be added as they are
    levels: dict[
        int, int
    ]  # by position of a unit: 0 may share a beginning, 1 alone, 2 in its next variant ..., then as the sources said it


@paused()
def consolidate(memories: Sequence[UserMemory], *, whole: bool = True) -> Consolidation:
    """Write the memories of one user as one text that says all of it (see the module's docstring).

    Deterministic and pure; the order of the memories decides only between equals. Blank memories are skipped and noted.
    Time is near-linear in their number. The result passes ``verify(memories, [text])`` whole.

    Args:
        whole: False: more than MANY memories are only checked block by block, for callers that check the whole themselves.
    """
    readable = [index for index, item in enumerate(memories) if not item.is_blank]
    readable.sort(key=lambda index: (memories[index].last_changed is None, memories[index].last_changed or 0, index))
    notes: list[str] = []
    if len(readable) < len(memories):
        count = len(memories) - len(readable)
        notes.append(f"{count} blank {'memory was' if count == 1 else 'memories were'} left out")
    if not readable:
        return Consolidation((), tuple(notes))
    if len(readable) == 1:
        only = memories[readable[0]]
        text = only.memory.strip()
        if text.isprintable() and not _ODD.search(text):
            text = _said_once(text)
        alone = Consolidated(text, (only.memory_id or f"#{readable[0]}",), text == only.memory)
        return Consolidation((alone,), tuple(notes), (), ("",))
    replaced = superseded([memories[index] for index in readable])
    gone = [replace_indices(item, readable) for item in replaced]
    units, dropped = _units(memories, readable, gone)
    units = _without_restatements(units, memories)
    _tell_history(units, memories, dropped)
    state = _compose(units, memories)
    if len(readable) > MANY:
        return _settle_blocks(state, memories, readable, list(dropped), notes, whole)
    return _settle(state, memories, readable, list(dropped), notes)


def replace_indices(item: Superseded, positions: Sequence[int]) -> Superseded:
    """The same finding with positions of the whole sequence instead of those of a part of it."""
    return item._replace(old_index=positions[item.old_index], new_index=positions[item.new_index])


def _units(
    memories: Sequence[UserMemory], readable: Sequence[int], gone: Sequence[Superseded]
) -> tuple[list[Sentence], dict[Superseded, tuple[str, ...]]]:
    """Sentences without exact repetitions and without replaced ones; and which replaced clauses were really left out, each with
    the values that an earlier result had told of before it."""
    from memopt.similarity.normalise import fold

    old: dict[int, list[Superseded]] = defaultdict(list)
    for item in gone:
        old[item.old_index].append(item)
    dropped: dict[Superseded, tuple[str, ...]] = {}
    table: dict[str, Sentence] = {}
    units: list[Sentence] = []
    for index in readable:
        text = memories[index].memory
        parts = _pieces(text)
        moment = _when(memories, index)
        for part, whole in parts:
            if not whole:
                body, before = _without_history(part)
                hit = next((item for item in old.get(index, ()) if _bare(item.clause) in (_bare(part), _bare(body))), None)
                if hit is not None:
                    # the values that it had told of before go on behind its own
                    dropped[hit] = before
                    continue
            plain_text = part if whole else _plain(part)
            own = None if whole else noted_at(plain_text)
            when = (own, own) if own is not None else moment
            grain = None if whole else grain_of(plain_text)
            key = ("\n" if whole and "\n" in part else "") + fold(plain_text)
            if grain is not None and when is not None:
                # "next week" of two weeks is two times; and where its day is unknown, it is joined with nothing
                key += f"\n{grain}{period(grain, when[0])}"
            known = table.get(key)
            if known is None:
                unit = Sentence(
                    plain_text,
                    (index,),
                    ((part, (index,)),),
                    when,
                    fixed=whole or (grain is not None and when is None),
                    grain=grain,
                )
                unit.by = len(parts) > 2 and own is None
                table[key] = unit
                units.append(unit)
                continue
            known.sources = (*known.sources, index)
            # the best-written of equal texts stays; "gdańsk" has lost its capital
            if _capitals(plain_text) > _capitals(known.text) or (_capitals(plain_text) == _capitals(known.text) and not whole):
                known.text = plain_text
                known.originals = ((part, (index,)),)
            known.originals = ((known.originals[0][0], known.sources),)
            known.when = _span([known.when, when])
    return units, dropped


def _without_history(text: str) -> tuple[str, tuple[str, ...]]:
    """A sentence of an earlier result without what was before and when it was noted; and the values that were before."""
    found = re.search(r"(?:; before: |；之前：)(?P<values>.+?)[.。]?$", text)
    body = text[: found.start()] if found else text
    body = re.sub(r" ?(?:\(noted [^()]*\)|（记于[^（）]*）)$", "", body.rstrip(".。"))
    if found is None:
        return body, ()
    return body, tuple(re.split(r"; " if ";" in found["values"] else r"、|, ", found["values"]))


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(" .。!！;；").casefold()


_WEAKER = re.compile(
    r"\b(?:not|never|no|only|if|until|unless|before|after|but|except|former|was|were|used|than|or|instead|for)\b|n['’]t|[不没非]",
    re.IGNORECASE,
)


def _without_restatements(units: list[Sentence], memories: Sequence[UserMemory]) -> list[Sentence]:
    """Drop sentences that another one says whole: the same words otherwise arranged, or the beginning of a longer sentence."""
    from memopt.facts.guard import loses
    from memopt.similarity.near import Index, keys, words
    from memopt.similarity.normalise import fold

    people = introduced([unit.text for unit in units])
    related = [unit.text if unit.fixed else with_relation(unit.text, people) for unit in units]
    told = [text if unit.fixed else plain(text) for unit, text in zip(units, related, strict=True)]
    by_name = [unit.text is not text for unit, text in zip(units, related, strict=True)]
    folded = [fold(text) for text in told]
    bags = [words(text) for text in folded]
    longer: dict[str, list[int]] = defaultdict(list)
    fuller: dict[str, list[int]] = defaultdict(list)
    for index, text in enumerate(folded):
        if len(text) > 2_000:
            continue  # no sentence, and every place in it would be looked at
        # where a longer sentence could end and still be one: before a preposition, a comma or a bracket
        for match in re.finditer(
            r" (?=(?:in|on|at|with|from|and|who|which|since|near|called|named)\b)|(?=[,，;；(（])|(?<=[\u4e00-\u9fff])(?=[，,；;])",
            text,
        ):
            head = text[: match.start()]
            if len(head) >= 8 and not _WEAKER.search(text[match.start() :]) and len(longer[head]) < 8:
                longer[head].append(index)
        if not units[index].fixed and units[index].grain is None:
            for head in heads(told[index]):
                if len(fuller[fold(head)]) < 8:
                    fuller[fold(head)].append(index)
    index_of = Index()
    for position, bag in enumerate(bags):
        index_of.file(position, keys(bag))
    listed: dict[tuple[str, str], int] = {}
    alone: dict[int, tuple[str, str]] = {}
    for position, unit in enumerate(units):
        head, values = list_in(unit.text)
        if len(values) == 1 and not unit.fixed:
            alone[position] = head, values[0]
        elif len(values) > 1 and not (unit.fixed and _ODD.search(unit.text)):
            for value in values:
                listed.setdefault((head, value), position)
    over: list[tuple[float, frozenset[str]]] | None = None
    into: dict[int, int] = {}
    for position, unit in enumerate(units):
        if unit.fixed and "\n" in unit.text:
            continue
        if position in alone and alone[position] in listed:
            into[position] = listed[alone[position]]
            continue
        own = keys(bags[position])
        candidates = list(dict.fromkeys([*longer.get(folded[position], ()), *(index_of.under(own[0]) if own else ())]))
        for other in candidates:
            if other == position or other in into or (units[other].fixed and _ODD.search(units[other].text)):
                continue
            if unit.grain is not None and _period(unit) != _period(units[other]):
                continue  # "next week" of two weeks
            if by_name[other] and not by_name[position]:
                continue  # it does not say whose sister she is
            mine, theirs = told[position], told[other]
            if loses(theirs, mine) is None:
                same = loses(mine, theirs) is None
                rank, against = (strength(each.text) for each in (unit, units[other]))
                if same and rank > against:
                    continue  # of "likes" and "loves" the stronger stays
                if same and rank == against and other > position and _capitals(unit.text) >= _capitals(units[other].text):
                    continue  # equals: the other one will go into this
                into[position] = other
                break
        if position in into or unit.fixed or unit.grain is not None:
            continue
        for other in fuller.get(folded[position], ()):
            if other == position or other in into or (by_name[other] and not by_name[position]):
                continue
            if _last_said(unit) > _last_said(units[other]):
                # told again after what it tells of was over: that is another one
                over = _over(units) if over is None else over
                about = telling(units[other].text)
                if any(_last_said(units[other]) <= moment <= _last_said(unit) and about & ended for moment, ended in over):
                    unit.again = units[other].text
                    continue
            into[position] = other
            break
    out: list[Sentence] = []
    for position, unit in enumerate(units):
        if position not in into:
            out.append(unit)
            continue
        last = into[position]
        while last in into:
            last = into[last]
        kept = units[last]
        kept.sources = tuple(sorted({*kept.sources, *unit.sources}))
        if loses(told[position], told[last]) is None:
            kept.when = _span([kept.when, unit.when])
    return out


def _over(units: Sequence[Sentence]) -> list[tuple[float, frozenset[str]]]:
    """When something was over, and the words of it."""
    return [(_last_said(unit), words) for unit in units if not unit.fixed and (words := telling(unit.text)) and ends(unit.text)]


def _period(unit: Sentence) -> tuple[int, ...] | None:
    return None if unit.grain is None or unit.when is None else period(unit.grain, unit.when[0])


# -------------------------------------------------------------------------------------------------------------- history


def _tell_history(units: list[Sentence], memories: Sequence[UserMemory], dropped: Mapping[Superseded, tuple[str, ...]]) -> None:
    """Give the sentence with the current value what was before it: ``User lives in Porto since March 2026; before: Lyon.``"""
    slots: dict[tuple[str, str], list[Superseded]] = defaultdict(list)
    for item in dropped:
        if item.attribute.startswith("preference ") or item.attribute == "age":
            continue  # "prefers tea over coffee" tells what was before by itself
        for said in read_statements(item.clause):
            if said.attribute == item.attribute and said.cardinality == "one":
                slots[said.subject, said.attribute].append(item)
    if not slots:
        return
    holders: dict[tuple[str, str], tuple[Sentence, Statement]] = {}
    for unit in units:
        if unit.fixed:
            continue
        for one in read_statements(unit.text):
            key = (one.subject, one.attribute)
            if key not in slots or one.state != "current" or not one.polarity:
                continue
            best = holders.get(key)
            if best is None or (unit.when or (0, 0))[1] > (best[0].when or (0, 0))[1]:
                holders[key] = (unit, one)
    done: set[int] = set()
    for key, items in slots.items():
        found = holders.get(key)
        if found is None or id(found[0]) in done:
            continue
        unit, current = found
        newest_first = sorted(items, key=lambda item: -(memories[item.old_index].last_changed or 0))
        values: dict[str, str] = {}
        for item in newest_first:
            for text in (_former(item), *dropped[item]):
                if (
                    text
                    and not any(_bare(text) == _bare(value) for value in (*current.values, *current.before))
                    and _capitals(text) >= _capitals(values.get(_bare(text), ""))
                ):
                    values[_bare(text)] = text
        values = _once_each(values)
        chinese = bool(re.search(r"[\u4e00-\u9fff]", unit.text[:4]))
        stem = unit.text.rstrip(".。")
        since = ""
        # among very many memories a month that is added may be taken for another one's
        begun = _begun(unit, items, memories, current) if len(memories) <= MANY else None
        if (
            begun is not None
            and current.attribute == "residence"
            and re.search(r"\b(?:live|reside)|住", unit.text)
            and not current.times
            and not re.search(r"\d{4}年", unit.text)
            and current.clause.rstrip(".。 ").endswith(current.values[0].rstrip(".。"))
            and "moved" not in unit.text
            and "搬" not in unit.text
        ):
            since = f"（自{month(begun, True)}）" if chinese else f" since {month(begun)}"
        if not values and not since:
            continue  # what it left and came back to; another attribute may have more to tell
        done.add(id(unit))
        values = dict(list(values.items())[:HISTORY])
        listed = ("、" if chinese else "; " if any("," in value for value in values.values()) and len(values) > 1 else ", ").join(
            values.values()
        )
        tail = (f"；之前：{listed}" if chinese else f"; before: {listed}") if values else ""
        stop = "。" if chinese else "."
        plain = unit.text
        unit.text = f"{stem}{since}{tail}{stop}"
        unit.variants = tuple(dict.fromkeys(text for text in (f"{stem}{tail}{stop}", plain) if text != unit.text))


def _once_each(values: Mapping[str, str]) -> dict[str, str]:
    """The values without those that another one says more closely (Berlin; Berlin, Germany), or by another name (上海)."""
    names = same_names()
    out: dict[str, str] = {}
    for key, text in values.items():
        closer = any(
            other != key and other.startswith(key) and (other[len(key)] in ",，(（" or other[len(key)] >= "\u4e00")
            for other in values
        )
        if not closer and not any(other in out for other in names.get(key, ())):
            out[key] = text
    return out


def _former(item: Superseded) -> str:
    """The former value in as few words as say it."""
    clause = item.clause.rstrip(".。 ")
    for pattern in (
        r"(?:works|work|is working) as (?:an? |the )?(.+)$",
        r"(?:works|work) (?:at|for) (.+)$",
        r"(在.+(?:担任|当|任|做).+)$",
        r"(在.+工作)$",
    ):
        match = re.search(pattern, clause)
        if match:
            return match[1]
    return item.old_values[0] if item.old_values and item.attribute != "phone number" else ""


def _begun(unit: Sentence, items: Sequence[Superseded], memories: Sequence[UserMemory], current: Statement) -> float | None:
    """When the current value was first told after the last other one; None where a source is undated."""
    last_other = max((memories[item.old_index].last_changed or 0 for item in items), default=0)
    moments = [memories[index].last_changed for index in unit.sources]
    if any(moment is None for moment in moments):
        return None
    later = [float(moment) for moment in moments if moment is not None and moment > last_other]
    return min(later) if later and same_value(current.values[0], current.values[0]) else None


# ------------------------------------------------------------------------------------------------------------ composing

_THEMES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("who", r"\b(?:name is|is named|called|birthday|born|years old|pronouns|nationality)\b|名字|用户叫|姓名|生日|岁|出生"),
        ("contact", r"\b(?:phone|e-?mail|address|telegram|whatsapp)\b|电话|邮箱|地址|手机"),
        ("home", r"\b(?:lives|live|moved|resides|apartment|flat|rents?|hometown|house)\b|住在|搬|居住|房"),
        (
            "health",
            r"\b(?:allerg\w+|vegan|vegetarian|diet|doctor|medic\w+|mg|diabet\w+|intoleran\w+|injur\w+|pregnan\w+|health)\b|过敏|素食|吃药|医",
        ),
        (
            "family",
            r"\b(?:sister|brother|mother|father|wife|husband|son|daughter|partner|dating|married|family|parents?|kids?|children|dog|cat|pet|friend)\b|姐|妹|哥|弟|妈|爸|妻|丈夫|儿子|女儿|狗|猫",
        ),
        (
            "work",
            r"\b(?:works?|job|colleague|project|working on|team|promoted|manager|company|office|deadline|client|employ\w+|on-call|meeting)\b|工作|公司|项目|同事|担任|职",
        ),
        ("languages", r"\b(?:speaks|language|german|french|spanish|english|chinese|japanese|jlpt|level is)\b|会说|语"),
        ("preferences", r"\b(?:prefers?|answers?|wants answers|format|tone|style|annoyed)\b|偏好|回答"),
        ("tools", r"\b(?:uses|editor|python|rust|database|framework|tool|switched)\b|使用"),
        ("likes", r"\b(?:likes|loves|enjoys|hates|dislikes|favou?rite|hobby|hobbies|plays|interested)\b|喜欢|讨厌|爱好"),
        (
            "goals",
            r"\b(?:goal|wants to|plans?|planning|hopes|learn\w*|preparing|dream|considering|travel\w*)\b|目标|计划|打算|学习|想",
        ),
    )
)
_RANK = {name: rank for rank, (name, _) in enumerate(_THEMES)}


_TOPIC_THEMES = {
    word: theme
    for theme, words in (
        ("who", "name identity personal profile bio biography birthday demographics about background 身份 姓名 个人 生日 基本"),
        ("contact", "contact contacts phone email 联系 电话 邮箱"),
        ("home", "location home housing address residence living place house 住址 住所 居住 地点 位置 房"),
        ("health", "health medical diet allergy allergies medication medications wellness 健康 饮食 过敏 医疗"),
        ("family", "family relationship relationships pet pets people friends partner kids children social 家庭 家人 宠物 关系 朋友"),
        ("work", "work job career project projects employment company team business office professional 工作 职业 项目 公司"),
        ("languages", "language languages 语言"),
        ("preferences", "preference preferences style communication settings format 偏好 风格"),
        ("tools", "tool tools tech technology software editor coding programming stack 工具 技术 编程"),
        ("likes", "food drink drinks hobby hobbies interest interests music sport sports entertainment fitness leisure likes books 兴趣 爱好 美食 音乐 运动"),
        ("goals", "goal goals plan plans travel trip trips learning education study studies event events schedule 目标 计划 旅行 学习 教育"),
    )
    for word in words.split()
}  # fmt: skip


def _theme_of_topic(topic: str) -> int | None:
    """The theme that a topic's own name tells; None where it tells none."""
    for word in (topic.casefold(), *re.findall(r"[^\W\d_]+", topic.casefold())):
        if word in _TOPIC_THEMES:
            return _RANK[_TOPIC_THEMES[word]]
    return None


def _theme(text: str) -> int:
    head = text[:160]
    for name, pattern in _THEMES:
        if pattern.search(head):
            return _RANK[name]
    return len(_THEMES)


def _subject(text: str) -> str:
    match = _START.match(text)
    if match:
        return ""
    found = re.match(r"(?:[A-Z][\w'’.-]*\s?){1,3}", text)
    return found[0].strip().rstrip("'’s").casefold() if found else "~"


def _mark_undecided(units: Sequence[Sentence]) -> None:
    """Mark sentences that tell different values of what holds one at a time, or figures that differ in an otherwise equal sentence."""
    slots: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    frames: dict[str, list[int]] = defaultdict(list)
    people = introduced([unit.text for unit in units])
    for at, unit in enumerate(units):
        if unit.fixed:
            continue
        for said in read_statements(unit.text):
            if said.cardinality != "many" and said.values and said.state == "current":
                slots[_known_as(said.subject, people), said.attribute].append((at, said.values[0]))
        form = form_of(unit.text)
        if form is not None and not form.past and re.search(r"\d", unit.text):
            # figures in the subject tell things apart: the ticket of case 7 and that of case 17
            told = re.sub(r"\d[\d.,:]*", "0", plain(write(form.tokens[form.verb :])))
            frames[f"{write(form.tokens[: form.verb])} {told}".casefold()].append(at)
        elif "\u4e00" <= unit.text[0] <= "\u9fff" and re.search(r"\d", unit.text) and not re.search(r"\d{4}年|\d月", unit.text):
            frames[re.sub(r"\d[\d.,:]*", "0", plain(unit.text))].append(at)
        value = value_of(unit.text)
        if value is not None:
            slots[value.frame, ""].append((at, value.value))
        for name, age in ages(unit.text):
            slots[name, "age"].append((at, age))
    for members in _at_two_times(units):
        _date(members)
    groups = [
        [at for at, _ in entries]
        for entries in slots.values()
        if len(entries) > 1 and any(not same_value(entries[0][1], value) for _, value in entries[1:])
    ]
    groups += [
        alike
        for alike in frames.values()
        if len(alike) > 1 and not all(re.search(r"\d{4}-\d\d|\b(?:19|20)\d\d\b", units[at].text) for at in alike)
    ]
    place = {id(unit): at for at, unit in enumerate(units)}
    groups += [[place[id(unit)] for unit in members] for members in _now_otherwise(units)]
    known = {unit.text: at for at, unit in enumerate(units)}
    groups += [[known[unit.again], at] for at, unit in enumerate(units) if unit.again in known]
    _tie(units, groups)


def _known_as(subject: str, people: Mapping[str, Introduced]) -> str:
    """The subject by the name alone, where it is known who that is: ``user/sister anna`` is ``anna``."""
    name = subject.rpartition(" ")[2].rpartition("/")[2]
    return name if name in people else subject


def _tie(units: Sequence[Sentence], doubted: Sequence[Sequence[int]]) -> None:
    """Have what tells the stages of one matter stand together, in the order of time and with the days."""
    in_time = sorted(range(len(units)), key=lambda at: (_last_said(units[at]), at))
    told = threads(["" if units[at].fixed else units[at].text for at in in_time])
    groups = [[in_time[place] for place in thread.members] for thread in told]
    clear = {at for thread, members in zip(told, groups, strict=True) if thread.clear for at in members}
    opposed = [*doubted, *contrary(units)]
    doubtful = {at for members in opposed for at in members}
    doubtful |= {at for thread, members in zip(told, groups, strict=True) if not thread.clear for at in members}
    for places in unite([*opposed, *groups]):
        places = _in_turn(units, places)
        members = [units[at] for at in places]
        if not clear.issuperset(places) or not doubtful.isdisjoint(places):
            _date(members)
        for order, unit in enumerate(members):
            unit.beside, unit.order = members[0].text, order


def _in_turn(units: Sequence[Sentence], places: Sequence[int]) -> list[int]:
    """Positions in the order of time. What an earlier result tells without a day stands where it stands there."""
    times = {at: _last_said(units[at]) for at in places}
    for number, at in enumerate(places):
        if units[at].by and len(places) <= MANY_STAGES:
            near = (*reversed(places[:number]), *places[number + 1 :])
            same = (other for other in near if not units[other].by and units[other].sources[0] == units[at].sources[0])
            times[at] = next((times[other] for other in same), times[at])
    return sorted(places, key=lambda at: (times[at], at))


def _at_two_times(units: Sequence[Sentence]) -> list[list[Sentence]]:
    """Sentences that say what lasts (``is currently reading``) of different things, and those that deny what another one says."""
    lasting: dict[str, list[Sentence]] = defaultdict(list)
    said: dict[tuple[str, str], list[Sentence]] = defaultdict(list)
    denied: dict[tuple[str, str], list[Sentence]] = defaultdict(list)
    for unit in units:
        if unit.fixed:
            continue
        end = loose_end(unit.text)
        if end:
            lasting[unit.text[:end].casefold()].append(unit)
        for one in read_statements(unit.text):
            table = denied if not one.polarity or one.state in ("ended", "past") else said
            for value in one.values:
                table[one.subject, _thing(value)].append(unit)
    found = [members for members in lasting.values() if len(members) > 1]
    found += [[*said[key], *members] for key, members in denied.items() if key in said]
    return found


def _now_otherwise(units: Sequence[Sentence]) -> list[list[Sentence]]:
    """Sentences that say what is so now (``now teaches at Eton``) with those that begin likewise and say something else."""
    begins: dict[str, list[Sentence]] = defaultdict(list)
    now: list[list[str]] = []
    for unit in units:
        form = None if unit.fixed else form_of(without_now(unit.text))
        if form is None:
            continue
        low = [token.casefold() for token in form.tokens]
        ends = {at + 1 for at in range(form.verb + 1, len(low) - 1) if low[at] in PREPOSITIONS}
        keys = [" ".join(low[:end]) for end in sorted({form.verb + 1, *ends}) if end > 2]
        for key in keys:
            begins[key].append(unit)
        if is_loose(unit.text):
            now.append(keys)
    found = []
    for keys in now:
        alike = next((begins[key] for key in reversed(keys) if len(begins[key]) > 1), None)
        if alike is not None and len(alike) <= GROUP:
            found.append(alike)
    return found


def _thing(value: str) -> str:
    """A value without the verb that may stand in front of it: 喝咖啡 is of 咖啡."""
    return re.sub(r"^(?:drink(?:ing|s)? |eat(?:ing|s)? |play(?:ing|s)? |喝|吃|看|听|玩|学|用)", "", _bare(value))


def _date(units: Iterable[Sentence]) -> None:
    """Have the days of writing told where they tell the sentences apart; the months, where these do."""
    units = list(units)
    if all(unit.when is not None for unit in units) and len({day(unit.when[0]) for unit in units if unit.when}) > 1:
        months = [{period("month", moment) for moment in unit.when} for unit in units if unit.when]
        grain: Literal["day", "month"] = "month" if len(set().union(*months)) == sum(map(len, months)) else "day"
        for unit in units:
            unit.dated = "day" if unit.dated == "day" else grain


def _compose(units: list[Sentence], memories: Sequence[UserMemory]) -> _State:
    _mark_undecided(units)
    _put_changes_in_order(units)
    joinable = [unit for unit in units if not (unit.fixed and "\n" in unit.text)]
    blocks = [unit for unit in units if unit.fixed and "\n" in unit.text]
    joined = join(joinable)
    _give_topics(joined, memories)
    for unit in joined:
        _note_time(unit)
    return _State(memories, [*joined, *blocks], {}, {})


def _topics(memory: UserMemory) -> Sequence[str]:
    """The topics of a memory; none of one that tells so much that they are not those of each sentence."""
    many = len(memory.topics or ()) >= A_LIST or len(re.findall(r"[.!?](?=\s)|[。！？]", memory.memory)) >= A_LIST
    return () if many else memory.topics or ()


def _give_topics(units: Sequence[Sentence], memories: Sequence[UserMemory]) -> None:
    """Choose for each sentence the topic of its memories that most sentences have; one for all stages of a matter."""
    of = [dict.fromkeys(topic for index in unit.sources for topic in _topics(memories[index])) for unit in units]
    counts: dict[str, int] = defaultdict(int)
    for topics in of:
        for topic in topics:
            counts[topic] += 1
    first: dict[str, str] = {}
    for unit, topics in zip(units, of, strict=True):
        unit.topic = max(topics, key=lambda topic: counts[topic], default="")
        if unit.beside and unit.order == 0:
            first[unit.beside] = unit.topic
    for unit in units:
        unit.topic = first.get(unit.beside, unit.topic) if unit.beside else unit.topic


def _topic_places(units: Sequence[Sentence]) -> dict[str, tuple[int, int]]:
    """Where each topic stands among the others: by its name, else by what most of its sentences are about, then as it was first told."""
    themes: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for unit in units:
        if unit.topic:
            themes[unit.topic][_theme(unit.text) if _theme_of_topic(unit.topic) is None else 0] += 1
    out: dict[str, tuple[int, int]] = {}
    for place, (topic, found) in enumerate(themes.items(), start=1):
        theme = _theme_of_topic(topic)
        out[topic] = (min(found, key=lambda each: (-found[each], each)) if theme is None else theme, place)
    return out


def _put_changes_in_order(units: list[Sentence]) -> None:
    """Have changes follow each other as they were last told, so that the newest of them stands last."""
    places = [at for at, unit in enumerate(units) if not unit.fixed and unit.when is not None and is_change(unit.text)]
    for at, unit in zip(places, sorted((units[at] for at in places), key=_last_said), strict=True):
        units[at] = unit


def _last_said(unit: Sentence) -> float:
    return unit.when[1] if unit.when is not None else 0.0


def _note_time(unit: Sentence) -> None:
    """Add when a sentence was written, where it would be misread without."""
    text = unit.text
    if unit.when is None or unit.fixed or "\n" in text:
        return
    grain = grain_of(text)
    if grain is None and unit.dated is None:
        return
    if not is_readable(text) or (grain is None and holds_day(text) and value_of(text) is None):
        return
    chosen: Grain = grain or unit.dated or "day"
    chinese = bool(re.search(r"[\u4e00-\u9fff]", text[:4]))
    moments = [unit.when[0]]
    if grain is None:
        moments = list({period(chosen, moment): moment for moment in unit.when}.values())
    unit.variants = (text, *unit.variants)
    # a bare "May" or "March" behind another month may be taken for a name
    told = [label(chosen, moment, chinese) for moment in moments] if chosen == "month" else labels(chosen, moments, chinese)
    whens = list(dict.fromkeys(told))
    if unit.by:  # an earlier result says it, whose date is that of the newest in it
        whens[0] = f"{whens[0]}或之前" if chinese else f"by {whens[0]}"
    unit.text = noted(text, whens)


@dataclass(slots=True)
class _Line:
    text: str
    units: list[int]
    block: bool
    copied: bool


def _lines(state: _State) -> list[_Line]:
    """The text in order: the user first, by theme, then others; then texts of several lines."""
    first_of: dict[str, int] = {}
    kinds: dict[tuple[str, ...], int] = {}
    places: dict[int, tuple[int, int, int, int, int, int]] = {}
    leads: dict[int, tuple[Beginning, ...]] = {}
    shared: dict[Beginning, int] = defaultdict(int)
    topics = _topic_places(state.units)
    texts = [unit.text for unit in state.units]
    people = introduced(texts)
    for index, unit in enumerate(state.units):
        told = unit.beside or unit.text
        known = named_by(told, people)
        if known is not None:
            told = texts[known.at]  # beside the sentence that says who this is
        subject = _subject(told)
        words = [told[:4]] if "\u4e00" <= told[0] <= "\u9fff" else told.casefold().split()  # 用户的妹, 用户喜欢: no blanks there
        kind = (subject, *words[: 3 if subject else 2], unit.beside)
        block = 2 if "\n" in unit.text else 1 if points_back(unit.text) else 0
        rank = 0 if subject == "" else 1 + first_of.setdefault(subject, index)
        if topics:
            theme, topic = topics.get(unit.topic, (_theme(told), 0))
            places[index] = (block, theme, topic, rank, kinds.setdefault(kind, index), unit.order)
        else:
            places[index] = (block, rank, _theme(told), 0, kinds.setdefault(kind, index), unit.order)
        if block == 1:
            places[index] = (block, 0, 0, 0, index, 0)  # as the memories followed each other
        if state.levels.get(index, 0) == 0 and not unit.fixed and not block and not unit.variants and not unit.beside:
            if unit.form is None:
                unit.form = form_of(unit.text)
            leads[index] = ellipsis_keys(unit)
            for key in leads[index]:
                shared[key] += 1
    groups: dict[Beginning, list[int]] = {}
    parts: list[tuple[list[int], int]] = []
    for index in range(len(state.units)):
        best = next((key for key in leads.get(index, ()) if shared[key] > 1), None)
        if best is None:
            parts.append(([index], 0))
        else:
            groups.setdefault(best, []).append(index)
    for best, members in groups.items():
        # what stands later is not older
        members.sort(key=lambda index: _last_said(state.units[index]))
        for at in range(0, len(members), GROUP):
            parts.append((members[at : at + GROUP], len(best.tokens)))
    parts.sort(key=lambda part: (*places[part[0][0]], part[0][0]))
    out: list[_Line] = []
    for members, lead in parts:
        unit = state.units[members[0]]
        block = "\n" in unit.text or points_back(unit.text)
        if len(members) > 1:
            out.append(_Line(shorten([state.units[index] for index in members], lead), members, False, False))
            continue
        ways = _ways(unit)
        level = max(state.levels.get(members[0], 0) - 1, 0)
        if level >= len(ways):
            apart = unit.apart if level == len(ways) else ()
            for text in apart or dict.fromkeys(text for text, _ in unit.originals):
                out.append(_Line(text, members, "\n" in text or points_back(text), not apart))
        else:
            out.append(_Line(ways[level], members, block, unit.originals[0][0] == ways[level]))
    _put_copies(out, state)
    return out


def _put_copies(lines: list[_Line], state: _State) -> None:
    """Put the memories that have to stand as they are behind what else tells of them."""
    after: dict[int, list[_Line]] = defaultdict(list)
    end: list[_Line] = []
    line_of = {at: place for place, line in enumerate(lines) for at in line.units} if state.copied else {}
    teller: dict[int, list[int]] = defaultdict(list)
    for at, unit in enumerate(state.units):
        for source in unit.sources if state.copied else ():
            teller[source].append(at)
    for index, text in state.copied:
        copy = _Line(text, [-1 - index], "\n" in text or points_back(text), True)
        told = teller.get(index, ())
        place = line_of.get(told[0]) if len(told) == 1 else None
        if place is None or copy.block or lines[place].block or _BACK.search(text):
            end.append(copy)
        else:
            after[place].append(copy)
    if after:
        lines[:] = [line for place, told in enumerate(lines) for line in (told, *after.get(place, ()))]
    lines += end


# a stop behind these may be read as an abbreviation's, so that two sentences would run together
_UNENDED = re.compile(
    r"(?:^|[^\w])(?:\d{1,2}|[A-Z]|[A-Za-z](?:\.[A-Za-z])+|mr|mrs|ms|dr|prof|st|sr|jr|vs|etc|eg|ie|no|nr|approx|ca|inc|ltd|co|dept|sra|dra|bzw|usw)\.$",
    re.IGNORECASE,
)


def _render(lines: Sequence[_Line]) -> tuple[str, tuple[str, ...]]:
    breaks: list[str] = []
    text: list[str] = []
    before: _Line | None = None
    for line in lines:
        if before is None:
            mark = ""
        elif (
            before.block
            or line.block
            or before.text[-1] not in ".!?…。！？\"'”’)）»"
            or _UNENDED.search(before.text[-12:])
            or line.text[:1].islower()
        ):
            mark = "\n"
        elif before.text[-1] in "。！？":
            mark = "" if line.text[:1] >= "\u2e80" else " "
        else:
            mark = " "
        breaks.append(mark)
        text.append(mark + line.text)
        before = line
    return "".join(text), tuple(breaks)


# -------------------------------------------------------------------------------------------------------------- settling


def _settle(
    state: _State, memories: Sequence[UserMemory], readable: Sequence[int], dropped: Sequence[Superseded], notes: list[str]
) -> Consolidation:
    """Check and take apart until nothing is lost or invented.

    It ends: every round raises the level of a unit, of which there are few, or adds a memory whole; the last rounds copy what is in
    question at once, and where even that does not stand, the memories themselves are taken, each text once.
    """
    from memopt.verify import Verifier

    by_memory: dict[int, list[int]] = defaultdict(list)
    for at, unit in enumerate(state.units):
        for source in unit.sources:
            by_memory[source].append(at)
    asked = sorted(readable)  # in the order in which whoever gets the text will check it
    verify = Verifier([memories[index] for index in asked])
    rounds = ROUNDS
    for attempt in range(rounds + 1):
        lines = _lines(state)
        text, breaks = _render(lines)
        lost, invented = _check(verify, text, lines, breaks)
        if not lost and not invented:
            break
        changed = False
        suspects = {at for line in invented for at in lines[line].units if at >= 0}
        suspects = {at for at in suspects if state.levels.get(at, 0) < _last(state.units[at])}
        if not suspects:
            # what is told wrongly is often also missed; so the missing is looked at when nothing is told wrongly
            for memory, fact in ((asked[item.index], item.fact) for item in lost):
                tellers = by_memory.get(memory, ())
                told = [at for at in tellers if any(fact in text for text, _ in state.units[at].originals)]
                if not told and len(tellers) > 2:
                    tellers = ()  # an earlier result: what was lost has gone into another sentence
                own = [at for at in told or tellers if state.levels.get(at, 0) < _last(state.units[at])]
                suspects.update(own)
                copy = None if own else _copy(state, memory, fact)
                if copy is not None:
                    state.copied[copy] = None
                    changed = True
        grouped = {at for line in lines if len(line.units) > 1 for at in line.units}
        for at in suspects:
            level = state.levels.get(at, 0)
            step = level + 1 if at in grouped or level else 2
            state.levels[at] = _last(state.units[at]) if attempt >= rounds - 3 else step
            changed = True
        if not changed or attempt == rounds:
            lines = _verbatim(memories, readable)
            text, breaks = _render(lines)
            break
    return _finished(state, memories, lines, breaks, dropped, notes)


def _copy(state: _State, memory: int, fact: str) -> tuple[int, str] | None:
    """What to add of a memory as it is: the sentence that holds a fact, and where that did not help all of it; None if it is there."""
    text = state.memories[memory].memory.strip()
    if (memory, text) in state.copied:
        return None
    piece = next((piece.text for piece in _pieces(text) if fact in piece.text), text)
    return (memory, piece) if (memory, piece) not in state.copied else (memory, text)


def _finished(
    state: _State,
    memories: Sequence[UserMemory],
    lines: Sequence[_Line],
    breaks: tuple[str, ...],
    dropped: Sequence[Superseded],
    notes: list[str],
) -> Consolidation:
    whole = {index for index, text in state.copied if text == memories[index].memory.strip()}
    kept_out = [item for item in dropped if item.old_index not in whole]
    for item in kept_out:
        notes.append(f"replaced: {item.clause.strip()} ({item.reason})")
    sentences = tuple(Consolidated(line.text, _ids(memories, state, line), line.copied) for line in lines)
    return Consolidation(sentences, tuple(notes), tuple(kept_out), breaks)


def _settle_blocks(
    state: _State,
    memories: Sequence[UserMemory],
    readable: Sequence[int],
    dropped: Sequence[Superseded],
    notes: list[str],
    whole: bool,
) -> Consolidation:
    """``_settle`` for many memories: block by block, each against the source sentences that it stands for."""
    from memopt.verify import Verifier

    seen: Seen = {}
    lines: list[_Line] = []
    block: list[int] = []
    filled = 0
    ordered = _lines(state)
    for place, line in enumerate(ordered):
        block += line.units
        filled += sum(len(state.units[at].originals) for at in line.units)
        if filled >= BLOCK or place == len(ordered) - 1:
            units = list(dict.fromkeys(block))
            for found in _settle_block(_State(memories, [state.units[at] for at in units], {}, {}), seen):
                lines.append(_Line(found.text, [units[at] for at in found.units], found.block, found.copied))
            block, filled = [], 0
    text, breaks = _render(lines)
    if not whole:
        return _finished(state, memories, lines, breaks, dropped, notes)
    asked = sorted(readable)
    verify = Verifier([memories[index] for index in asked], seen=seen)
    positions = {index: position for position, index in enumerate(asked)}
    for attempt in range(REPAIRS):
        lost, invented = _check(verify, text, lines, breaks)
        seen.clear()  # the sources have been read, and nothing else is looked up there
        if not lost and not invented:
            break
        if attempt == REPAIRS - 1:
            lines = _verbatim(memories, readable)
            text, breaks = _render(lines)
            break
        doubted = set(invented)
        touched = {
            positions[index] for place in doubted for at in lines[place].units if at >= 0 for index in state.units[at].sources
        }
        lines = [
            each
            for place, line in enumerate(lines)
            for each in (_as_told(state, line.units) if place in doubted and not line.copied else (line,))
        ]
        while True:  # what stands for these alone has changed, so they are looked for before all are again
            touched.update(item.index for item in lost)
            more = False
            for item in lost:
                copy = _copy(state, asked[item.index], item.fact)
                if copy is not None:
                    more = True
                    state.copied[copy] = None
                    lines.append(_Line(copy[1], [-1 - copy[0]], "\n" in copy[1], True))
            text, breaks = _render(lines)
            if not more:
                break
            lost = list(verify.lost_of([UserMemory(text)], touched))
            if not lost:
                break
    return _finished(state, memories, lines, breaks, dropped, notes)


def _as_told(state: _State, units: Sequence[int]) -> list[_Line]:
    """The sentences as the sources said them."""
    texts: dict[str, int] = {}
    for at in units:
        for text, _ in state.units[at].originals:
            texts.setdefault(text, at)
    return [_Line(text, [at], "\n" in text, True) for text, at in texts.items()]


def _settle_block(state: _State, seen: Seen) -> list[_Line]:
    """The lines of a block, taken apart until those that were not copied stand. What was copied needs no check."""
    from memopt.verify import Verifier

    for attempt in range(ROUNDS):
        lines = _lines(state)
        written = [line for line in lines if not line.copied]
        if not written:
            return lines
        origins: dict[str, list[int]] = defaultdict(list)
        for line in written:
            for at in line.units:
                for text, _ in state.units[at].originals:
                    origins[text].append(at)
        sources: list[UserMemory] = []
        for text, ats in origins.items():
            when = state.units[ats[0]].when
            sources.append(UserMemory(text, created_at=None if when is None else when[1]))
        text, breaks = _render(written)
        lost, invented = _check(Verifier(sources, seen=seen), text, written, breaks)
        if not lost and not invented:
            return lines
        owners = list(origins.values())
        suspects = {at for place in invented for at in written[place].units} or {at for item in lost for at in owners[item.index]}
        grouped = {at for line in written if len(line.units) > 1 for at in line.units}
        for at in suspects:
            level = state.levels.get(at, 0)
            step = level + 1 if at in grouped or level else 2
            state.levels[at] = _last(state.units[at]) if attempt >= 2 else min(step, _last(state.units[at]))
    return _as_told(state, range(len(state.units)))


def _last(unit: Sentence) -> int:
    """The level at which a unit stands as the sources said it."""
    return 1 + len(_ways(unit)) + bool(unit.apart)


def _ways(unit: Sentence) -> tuple[str, ...]:
    """The ways to write a unit as one sentence, from the best to the plainest."""
    return tuple(dict.fromkeys(text for text in (unit.text, *unit.variants, unit.bare) if text))


def _ids(memories: Sequence[UserMemory], state: _State, line: _Line) -> tuple[str, ...]:
    found: list[int] = []
    for at in line.units:
        found.extend([-1 - at] if at < 0 else state.units[at].sources)
    return tuple(memories[index].memory_id or f"#{index}" for index in sorted(set(found)))


def _verbatim(memories: Sequence[UserMemory], readable: Sequence[int]) -> list[_Line]:
    texts: dict[str, list[int]] = defaultdict(list)
    for index in readable:
        texts[memories[index].memory.strip()].append(index)
    return [_Line(text, [-1 - index for index in indices], "\n" in text, True) for text, indices in texts.items()]


def _check(
    verify: Callable[[Sequence[UserMemory]], Report], text: str, lines: Sequence[_Line], breaks: Sequence[str]
) -> tuple[list[Lost], list[int]]:
    """The lost facts, and the positions of lines with something invented."""
    from bisect import bisect_right

    report = verify([UserMemory(text, memory_id="rewrite")])
    lost = list(report.lost)
    invented: dict[int, None] = {}
    if report.invented:
        ends: list[int] = []
        at = 0
        for mark, line in zip(breaks, lines, strict=True):
            at += len(mark) + len(line.text)
            ends.append(at)
        for item in report.invented:
            first = bisect_right(ends, item.start)
            last = bisect_right(ends, max(item.start, item.end - 1))
            invented.update(dict.fromkeys(range(first, min(last, len(lines) - 1) + 1)))
    return lost, list(invented)
