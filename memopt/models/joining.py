"""Joining sentences that say the same of several things, without saying more than they did.

The ways, all kept narrow:

- a *join* puts a list where sentences differ in one place only: "User likes hiking." and "User likes sushi." become
  "User likes hiking and sushi.". Only a place behind a verb or preposition can hold a list, never the complement of ``is``, and never
  an attribute that holds one value at a time. What is told from the day of writing is joined within the same day, week, month or year
  only; members of several carry each their own: "User flies to Rome next week (noted 3 April 2025), Oslo (1 May).".
- a *chain* tells changes in the order of time, so that the last one is the newest: "User switched from Vim to Emacs, then from Emacs
  to Zed.".
- a *meeting* keeps person and place together: "User met Ana in Rome and Li in Oslo, and talked about the launch.".
- an *ellipsis* writes a common beginning once: "User is working on the app with Li; the website with Ana.". Every part keeps its own
  middle and end, of one shape, so nothing crosses over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from memopt.facts.statements import split_list
from memopt.models.forms import (
    COPULAS,
    DATE,
    ENDS,
    MEETING,
    NEGATED,
    POINTING,
    PREPOSITIONS,
    UNJOINABLE,
    Form,
    form_of,
    holds_figure,
    list_of,
    tokens_of,
    write,
)
from memopt.models.times import Grain, grain_of, is_loose, labels, period

MOST = 40
"""At most so many values stand in one list."""

MOST_WORDS = 36
"""And at most so many words in values of more than two words."""

FIGURES = 12
"""At most so many figures."""

GROUP = 12
"""At most so many sentences share one written beginning, so that a reader keeps the thread."""

_ZH_SUBJECT = r"用户(?:的[\u4e00-\u9fff]{1,3}[\u4e00-\u9fff\w]{0,8}?)?|我"
_ZH_VERB = (
    "非常喜欢|特别喜欢|最近喜欢|不太喜欢|不喜欢|喜欢喝|喜欢吃|喜欢看|喜欢听|喜欢玩|喜欢|喜爱|热爱|讨厌|爱喝|爱吃|爱看|爱听|不吃|不喝|使用|会说|会弹|"
    "负责|教|收集|经常去|正在学习|正在学|想学习|想学|想去|打算去|去过|拥有|养了|擅长|对"
)


def _zh_pattern() -> re.Pattern[str]:
    return re.compile(rf"^((?:{_ZH_SUBJECT}))({_ZH_VERB})([^，,。；;！!？?：:“”\"'（）()]{{1,20}})[。.]?$")


@dataclass(slots=True)
class Sentence:
    """One sentence on its way into the result.

    Attributes:
        text: as it will be written, with its final stop.
        sources: positions of the memories it came from, ascending.
        originals: the source sentences it stands for, for the case that it must be taken apart.
        when: the first and last dates of its sources (epoch seconds), None where one is undated.
        fixed: it may not be joined or shortened any more.
        variants: further ways to write it, each plainer than the one before, for the case that the text does not stand.
        bare: a joined sentence with no word that is not the sources' own, for the same case; "" for others.
        dated: how exactly the day of writing must be told, because another sentence says otherwise; None where it need not be.
        beside: the sentence next to which it is to stand, because the two say the contrary; "" for most.
        order: its place among those, by when they were last told.
        grain: how exactly the day of writing must be known, where the sentence tells a time from it.
        again: the sentence that was over before this one, which says no more than it, was told; "" for most.
        by: ``when`` is only the latest that it may have been told.
        topic: the topic of its memories under which it is told; "" where they have none.
        apart: the sentences to write instead, each with when it was noted, before the sources' own words are taken.
    """

    text: str
    sources: tuple[int, ...]
    originals: tuple[tuple[str, tuple[int, ...]], ...] = ()
    when: tuple[float, float] | None = None
    fixed: bool = False
    variants: tuple[str, ...] = ()
    bare: str = ""
    dated: Literal["day", "month"] | None = None
    beside: str = ""
    order: int = 0
    grain: Grain | None = None
    apart: tuple[str, ...] = ()
    again: str = ""
    by: bool = False
    topic: str = ""
    form: Form | None = field(default=None, repr=False)

    @property
    def stands_alone(self) -> bool:
        """Whether its own day or its place tells what holds, so that it may not go into a list."""
        return bool(self.beside) or (self.dated is not None and not is_loose(self.text))


def join(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Join what differs in one place only. The order of first mention is kept; time is near-linear in the total number of places."""
    out: list[Sentence | None] = list(sentences)
    _join_chinese(out)
    _chain(out)
    _meet(out)
    _succeed(out)
    frames: dict[tuple[tuple[str, ...], tuple[str, ...]], list[_Place]] = defaultdict(list)
    for index, item in enumerate(out):
        if item is None or item.fixed or item.stands_alone or is_change(item.text):
            continue
        item.form = form_of(item.text)
        if item.form is None:
            continue
        folded = tuple(token.casefold() for token in item.form.tokens)
        for start, end in item.form.slots:
            frames[folded[:start], folded[end:]].append(_Place(index, start, end))
    ranked = []
    for (prefix, suffix), members in frames.items():
        if len(members) < 2:
            continue
        ranked.append((-(len(members) - 1) * (len(prefix) + len(suffix)), -len(prefix), members[0].index, (prefix, suffix)))
    ranked.sort(key=lambda entry: entry[:3])
    used: set[int] = set()
    for _, _, _, key in ranked:
        members = [place for place in frames[key] if place.index not in used]
        if len(members) < 2:
            continue
        figures = any(holds_figure(form.tokens[place.start : place.end]) for place, form in _forms(out, members[:1]))
        for chosen in _chunks(_in_time(out, members), FIGURES if figures else MOST):
            joined = _joined([(out[place.index], place) for place in chosen])
            if joined is None:
                break
            _replace(out, [place.index for place in chosen], joined)
            used.update(place.index for place in chosen)
    _remark(out)
    _repeat(out)
    return [item for item in out if item is not None]


class _Place(NamedTuple):
    """The place of a sentence (by its index) that may hold a list: tokens ``start`` to ``end``."""

    index: int  # type: ignore[assignment]
    start: int
    end: int


def _forms(out: Sequence[Sentence | None], members: Sequence[_Place]) -> list[tuple[_Place, Form]]:
    found = [(place, out[place.index]) for place in members]
    return [(place, item.form) for place, item in found if item is not None and item.form is not None]


def _chunks(members: Sequence[_Place], most: int, most_words: int = MOST_WORDS) -> list[Sequence[_Place]]:
    """The members in lists of at most so many, and of fewer where each is long, so that a reader keeps the thread."""
    out: list[list[_Place]] = [[]]
    words = 0
    for place in members:
        size = place.end - place.start
        size = size if size > 2 else 0
        if len(out[-1]) == most or (out[-1] and words + size > most_words):
            out.append([])
            words = 0
        out[-1].append(place)
        words += size
    return [piece for piece in out if len(piece) > 1]


def _in_time(out: Sequence[Sentence | None], members: Sequence[_Place]) -> list[_Place]:
    """Members in the order in which they were last said, so that in every list what stands later is not older."""

    def said(place: _Place) -> float:
        item = out[place.index]
        return item.when[1] if item is not None and item.when is not None else 0.0

    return sorted(members, key=said)


def _in_order(items: Sequence[Sentence]) -> bool:
    """Whether it is known which was said after which: "then" may stand between them."""
    moments = {item.when[1] for item in items if item.when is not None}
    return len(moments) == len(items)


def _replace(out: list[Sentence | None], indices: Sequence[int], joined: Sentence) -> None:
    for index in indices:
        out[index] = None
    out[min(indices)] = joined


def united(members: Sequence[Sentence], text: str, **more: Any) -> Sentence:
    """One sentence that stands for several."""
    sources = sorted({index for item in members for index in item.sources})
    known = [item.when for item in members if item.when is not None]
    when = (min(s[0] for s in known), max(s[1] for s in known)) if len(known) == len(members) else None
    originals = tuple(pair for item in members for pair in (item.originals or ((item.text, item.sources),)))
    return Sentence(text, tuple(sources), originals, when, **more)


def _joined(members: Sequence[tuple[Sentence | None, _Place]]) -> Sentence | None:
    found = [(item, item.form, place) for item, place in members if item is not None and item.form is not None]
    base, form, place = found[0]
    tokens = form.tokens
    prefix, suffix = tokens[: place.start], tokens[place.end :]
    low = [token.casefold() for token in suffix]
    if "it" in low:
        # "likes A and often orders it" speaks of A: several As are them; anything else named in between could be meant
        if low.count("it") > 1 or not low or low[0] not in ("and", ",") or low.index("it") > 4:
            return None
        suffix = tuple("them" if token.casefold() == "it" else token for token in suffix)
    pieces = [(item, write(own.tokens[at.start : at.end])) for item, own, at in found]
    values = _distinct(piece for _, piece in pieces)
    if len(values) < 2:
        return None
    word = "or" if NEGATED.search(write(prefix)) else "and"
    grain = base.grain or ("month" if is_loose(base.text) else None)
    items = [item for item, _, _ in found]
    if grain is not None:
        if any(item.when is None for item in items):
            return None
        told = _by_period(pieces, grain)
        if len(told) > 1:
            if suffix != tokens[place.end :] or word == "or":
                return None
            return united(items, _told_apart(write(prefix), write(suffix), told, grain), apart=_noted(items, grain))
    bare = suffix == tokens[place.end :]
    if any(holds_figure(value.split()) and not DATE.fullmatch(value) for value in values):
        if not _in_order(items):
            return None
        listed = _figures(values)  # figures of several occasions, in the order of time: neither a sum nor a range
        bare = False  # and without that order they would be one or the other
    else:
        listed = list_of(values, word)
    text = write((*prefix, listed, *suffix)) + "."
    plain = write((*prefix, ", ".join(values), *suffix)) + "."
    out = united(items, text, bare=plain if bare else "", grain=base.grain)
    out.form = Form(tokens_of(text), form.lead, (), form.past, form.verb)
    return out


def _distinct(values: Iterable[str]) -> list[str]:
    """Values once, in the place where they are said last."""
    out: dict[str, str] = {}
    for value in values:
        best = out.pop(value.casefold(), value)
        out[value.casefold()] = max(best, value, key=lambda each: sum(ch.isupper() for ch in each))
    return list(out.values())


def _in_turn(values: Sequence[str]) -> str:
    """``A, then B, then C``; more of them as ``A, B, C, then D``."""
    if len(values) < 4:
        return ", then ".join(values)
    return f"{', '.join(values[:-1])}, then {values[-1]}"


def _figures(values: Sequence[str]) -> str:
    """``4, 9, then 5 hours``, with the unit once where all have the same."""
    cut = [re.fullmatch(r"(\d[\d.,]*)( [^\d]+)", value) for value in values]
    if all(cut) and len({match[2] for match in cut if match}) == 1 and not any("," in value for value in values):
        values = [*(match[1] for match in cut[:-1] if match), values[-1]]
    return f"{', '.join(values[:-1])}, then {values[-1]}"


# -------------------------------------------------------------------------------------------- told from the day of writing


def _by_period(pieces: Sequence[tuple[Sentence, str]], grain: Grain) -> list[tuple[float, list[str]]]:
    """What was said in each day, week ... , in the order of time: (its first moment, the values)."""
    found: dict[tuple[int, ...], list[tuple[float, str]]] = {}
    for item, value in pieces:
        assert item.when is not None
        found.setdefault(period(grain, item.when[0]), []).append((item.when[0], value))
    told = [(min(moment for moment, _ in said), _distinct(value for _, value in said)) for said in found.values()]
    return sorted(told, key=lambda entry: entry[0])


def _told_apart(prefix: str, suffix: str, told: Sequence[tuple[float, Sequence[str]]], grain: Grain) -> str:
    """``User flies to Rome next week (noted 3 April 2025), Oslo (1 May).``"""
    whens = labels(grain, [moment for moment, _ in told])
    first = write((prefix, list_of(told[0][1]), suffix)) if suffix else f"{prefix} {list_of(told[0][1])}"
    rest = [f"{list_of(values)} ({when})" for (_, values), when in zip(told[1:], whens[1:], strict=True)]
    return list_of([f"{first} (noted {whens[0]})", *rest]) + "."


_BEFORE = re.compile(r"(?:; before: |；之前：).*$", re.DOTALL)


def noted(text: str, whens: Sequence[str]) -> str:
    """The sentence with when it was noted, in front of what was before it."""
    found = _BEFORE.search(text)
    if found is not None and "." not in found[0][:-1] and "。" not in found[0][:-1]:
        return noted(text[: found.start()], whens).rstrip(".。") + found[0]
    if "\u4e00" <= text[:1] <= "\u9fff":
        return f"{text.rstrip('。')}（记于{'、'.join(whens)}）。"
    return f"{text.rstrip('.')} (noted {list_of(whens)})."


def _noted(items: Sequence[Sentence], grain: Grain) -> tuple[str, ...]:
    out = []
    for item in items:
        assert item.when is not None
        chinese = "\u4e00" <= item.text[:1] <= "\u9fff"
        out.append(noted(item.text, labels(grain, [item.when[0]], chinese)))
    return tuple(dict.fromkeys(out))


def _repeat(out: list[Sentence | None]) -> None:
    """Write a sentence that was said of several days, weeks ... once, with all of them."""
    same: dict[str, list[int]] = defaultdict(list)
    for index, item in enumerate(out):
        if item is not None and item.grain is not None and item.when is not None and not item.fixed:
            same[item.text.casefold()].append(index)
    for indices in same.values():
        for at in range(0, len(indices), MOST):
            chosen = [(index, item) for index in indices[at : at + MOST] if (item := out[index]) is not None]
            if len(chosen) < 2:
                continue
            items = sorted((item for _, item in chosen), key=lambda item: item.when or (0.0, 0.0))
            grain = items[0].grain
            assert grain is not None
            moments = [item.when[0] for item in items if item.when is not None]
            chinese = "\u4e00" <= items[0].text[:1] <= "\u9fff"
            text = noted(items[0].text, list(dict.fromkeys(labels(grain, moments, chinese))))
            _replace(out, [index for index, _ in chosen], united(items, text, apart=_noted(items, grain)))


# ------------------------------------------------------------------------------------------------------- changes, in order

_CHANGE = re.compile(
    r"\b(?:switch|mov|chang|migrat|upgrad|downgrad|transferr?|convert|relocat|shift|transition|swapp?|replac|renam|reschedul|postpon|"
    r"promot|demot|rais|lower|increas|decreas|reduc|turn)(?:ed|es|s|ing)\b.*\b(?:from|to|with|by|into)\b|\b(?:went|gone) from\b|"
    r"[从由].{1,20}(?:换|改|搬|转|调|升|降)|(?:换成|换到|改成|改用|改为|搬到|搬去|搬回|转到|转到|升到|升级到|升级为|降到|调到|调整为)",
    re.IGNORECASE,
)


def is_change(text: str) -> bool:
    """Whether the sentence tells that something took another's place, so that the order of several tells what holds now."""
    return _CHANGE.search(text) is not None


def _chain(out: list[Sentence | None]) -> None:
    """Write changes of one kind as one sentence, in the order of time."""
    groups: dict[tuple[str, ...], list[_Place]] = defaultdict(list)
    for index, item in enumerate(out):
        if (
            item is None
            or item.fixed
            or item.when is None
            or item.grain is not None
            or item.stands_alone
            or not is_change(item.text)
        ):
            continue
        item.form = form = form_of(item.text)
        if form is None or not form.past:
            continue
        low = tuple(token.casefold() for token in form.tokens)
        ends = [slot for slot in form.slots if slot[1] == len(low)]
        if len(ends) != 1 or low[ends[0][0] - 1] not in ("to", "into"):
            continue
        last = ends[0]
        first = next((slot for slot in form.slots if slot[1] == last[0] - 1 and low[slot[0] - 1] == "from"), None)
        start = last[0] - 1 if first is None else first[0] - 1
        if "from" in low[:start] or not _holds_only_words(low[:start]):
            continue
        groups[(*low[:start], "" if first is None else "from")].append(_Place(index, start, len(low)))
    for members in groups.values():
        for chosen in _chunks(_in_time(out, members), MOST, 4 * MOST):
            items = [(place, item) for place in chosen if (item := out[place.index]) is not None]
            steps = _distinct(write(tokens_of(item.text)[place.start :]) for place, item in items)
            if len(steps) < 2 or not _in_order([item for _, item in items]):
                continue
            if len(steps) > 3:  # the first word, from or to, need not be said each time
                steps = [steps[0], *(step.split(" ", 1)[1] for step in steps[1:])]
                listed = _in_turn(steps)
            else:
                listed = ", then ".join(steps)
            place, item = items[-1]
            text = f"{write(tokens_of(item.text)[: place.start])} {listed}."
            _replace(out, [place.index for place in chosen], united([item for _, item in items], text))


def _holds_only_words(tokens: Sequence[str]) -> bool:
    return not any(token in (",", ";", ":", "and", "or", "but") for token in tokens)


# ---------------------------------------------------------------------------------------------------------------- meetings


def _meet(out: list[Sentence | None]) -> None:
    """Write meetings that came to the same as one sentence, each person with the place: nobody is said to have met anybody else."""
    groups: dict[tuple[tuple[str, ...], str, tuple[str, ...]], list[tuple[int, str]]] = defaultdict(list)
    for index, item in enumerate(out):
        if item is None or item.fixed or item.grain is not None or is_change(item.text):
            continue
        form = form_of(item.text)
        if form is None or not form.past or not form.slots:
            continue
        low = tuple(token.casefold() for token in form.tokens)
        if low[form.verb] not in MEETING or low.count("and") != 1 or "," in low:
            continue
        joint = low.index("and")
        at = next((place for place in range(form.verb + 2, joint - 1) if low[place] in ("in", "at")), None)
        if at is None or at - form.verb > 4 or joint - at > 5 or joint + 2 >= len(low):
            continue
        if low[joint + 1] not in ("talked", "spoke", "discussed", "chatted", "argued", "worked", "agreed"):
            continue
        if any(token in PREPOSITIONS for token in low[at + 1 : joint]) or not POINTING.isdisjoint(low):
            continue
        groups[low[: form.verb + 1], low[at], low[joint:]].append((index, write(form.tokens[form.verb + 1 : joint])))
    for (lead, place, _), members in groups.items():
        for start in range(0, len(members), GROUP):
            chosen = members[start : start + GROUP]
            items = [item for index, _ in chosen if (item := out[index]) is not None]
            values = _distinct(value for _, value in chosen)
            people = {value.casefold().rsplit(f" {place} ", 1)[0] for value in values}
            if len(values) < 2 or len(people) < len(values):  # one person in two places is a plain list
                continue
            tokens = tokens_of(items[0].text)
            joint = [token.casefold() for token in tokens].index("and")
            text = f"{write(tokens[: len(lead)])} {list_of(values)}, {write(tokens[joint:])}."
            _replace(out, [index for index, _ in chosen], united(items, text))


def _remark(out: list[Sentence | None]) -> None:
    """Put a remark of one kind behind each thing it is of: ``asked about A (the price was 3 €) and B (the price was 4 €).``"""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[tuple[int, str]]] = defaultdict(list)
    for index, item in enumerate(out):
        form = None if item is None or item.fixed or item.grain or item.dated or item.apart else form_of(item.text)
        if form is None or not form.past or form.tokens.count(";") != 1 or form.lead < 2:
            continue
        low = [token.casefold() for token in form.tokens]
        at = low.index(";")
        what, remark = low[form.lead : at], low[at + 1 :]
        was = next((place for place, token in enumerate(remark) if token in COPULAS), None)
        if remark[:1] != ["the"] or was is None or was > 5 or not 1 <= len(what) <= 4 or not _holds_only_words(what):
            continue
        if not POINTING.isdisjoint(remark) or any(token in (":", ".", "(") for token in low):
            continue
        text = f"{write(form.tokens[form.lead : at])} ({write(form.tokens[at + 1 :])})"
        groups[tuple(low[: form.lead]), tuple(remark[: was + 1])].append((index, text))
    for (lead, _), members in groups.items():
        for at in range(0, len(members), GROUP):
            chosen = members[at : at + GROUP]
            items = [item for index, _ in chosen if (item := out[index]) is not None]
            if len(chosen) > 1:
                text = f"{write(tokens_of(items[0].text)[: len(lead)])} {list_of([text for _, text in chosen])}."
                _replace(out, [index for index, _ in chosen], united(items, text))


_OFFICE = re.compile(
    r"(?P<head>(?:User['’]s (?:[a-z]+ )+)?)(?P<name>[^\s,;:()]+(?: [A-Z][^\s,;:()]*){0,2}) is the (?P<office>(?:[a-z-]+ )?(?:owner|lead|leader|"
    r"manager|director|maintainer|captain|chair|chairman|chairwoman|head|president|editor|coach|supervisor|principal|mayor|ceo|cto|cfo)) of "
    r"(?P<thing>[^,;:()]+)\."
)


def _held(things: Sequence[str], names: Sequence[str]) -> str:
    """What somebody is in charge of, and who was before; the last of the names is the newest."""
    return f"{list_of(things)} (before: {', '.join(reversed(names[:-1]))})" if len(names) > 1 else list_of(things)


def _succeed(out: list[Sentence | None]) -> None:
    """Write who holds an office, and who held it before, the newest first."""
    groups: dict[tuple[str, str], dict[str, list[tuple[float, str, int]]]] = defaultdict(lambda: defaultdict(list))
    things: dict[str, str] = {}
    for index, item in enumerate(out):
        found = None if item is None or item.fixed or item.grain or item.when is None else _OFFICE.fullmatch(item.text)
        if item is None or item.when is None or found is None or not found["name"][0].isalpha() or found["name"][0].islower():
            continue
        if UNJOINABLE.search(found["thing"]) or any(word in ENDS - {"of"} for word in found["thing"].casefold().split()):
            continue
        key = things.setdefault(found["thing"].casefold(), found["thing"])
        groups[found["head"], found["office"]][key].append((item.when[1], found["name"], index))
    for (head, office), of in groups.items():
        if all(len({name for _, name, _ in holders}) < 2 for holders in of.values()):
            continue
        if any(len({moment for moment, _, _ in holders}) < len(holders) for holders in of.values()):
            continue  # who came after whom is not known
        chains: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for thing, holders in of.items():
            chains[tuple(_distinct(name for _, name, _ in sorted(holders)))].append(thing)
        told = list(chains.items())
        for at in range(0, len(told), GROUP):
            chosen = told[at : at + GROUP]
            indices = [index for _, each in chosen for thing in each for _, _, index in of[thing]]
            parts = [f"{names[-1]} of {_held(each, names)}" for names, each in chosen]
            names, each = chosen[0]
            parts[0] = f"{head}{names[-1]} is the {office} of {_held(each, names)}"
            items = [item for index in sorted(indices) if (item := out[index]) is not None]
            _replace(out, indices, united(items, "; ".join(parts) + "."))


# ----------------------------------------------------------------------------------------------------------------- Chinese


def _join_chinese(out: list[Sentence | None]) -> None:
    pattern = _zh_pattern()
    groups: dict[tuple[str, str, tuple[int, ...]], list[tuple[int, str]]] = defaultdict(list)
    for index, item in enumerate(out):
        if item is None or item.fixed or item.stands_alone or "用户" not in item.text[:3]:
            continue
        match = pattern.match(item.text)
        if not match:
            continue
        verb, value = match[2], match[3]
        if verb == "对":
            if not value.endswith("过敏") or len(value) < 3:
                continue
            value = value.removesuffix("过敏")
        if verb in ("使用", "用") and re.search(r"[A-Za-z]", value) and re.search(r"[\u4e00-\u9fff]", value):
            continue  # what it is used for may follow
        if re.search(r"[他她它了着过很]|但|而且|因为|如果|比|最|只|都|除", value) or grain_of(value) is not None:
            continue
        grain = item.grain or ("month" if is_loose(item.text) else None)
        if grain is not None and item.when is None:
            continue
        when = () if grain is None or item.when is None else period(grain, item.when[0])
        groups[match[1], verb, when].append((index, value))
    for (subject, verb, _), members in groups.items():
        values: dict[str, str] = {}
        for _, value in members:
            for part in split_list(value) if "和" in value or "、" in value else (value,):
                values.setdefault(part.casefold(), part)
        if len(members) < 2 or len(values) < 2:
            continue
        word = "或" if verb.startswith("不") else "和"
        listed = list(values.values())
        body = "、".join(listed[:-1]) + word + listed[-1]
        text = f"{subject}{verb}{body}{'过敏' if verb == '对' else ''}。"
        items = [item for index, _ in members if (item := out[index]) is not None]
        _replace(out, [index for index, _ in members], united(items, text, grain=items[0].grain))


# ---------------------------------------------------------------------------------------------------------------- ellipsis

_CLAUSE = re.compile(
    r"\b(?:that|which|who|because|when|where|while|if|finding|been|there|here|herself|himself|it|them)\b", re.IGNORECASE
)
# these take a thing together with what is said of it, so that their objects do not stand in a row
_WITH_COMPLEMENT = frozenset(
    "gets got finds found thinks thought started starts keeps kept makes made considers believes said says".split()
)


class Beginning(NamedTuple):
    """A beginning that a sentence may share with others, and the shape of what follows: its prepositions."""

    tokens: tuple[str, ...]
    shape: tuple[str, ...]


def ellipsis_keys(item: Sentence) -> tuple[Beginning, ...]:
    """The beginnings that this sentence may share with others of its kind, longest first; none where it must stand alone."""
    form = item.form
    if item.fixed or form is None or form.lead < 2 or form.lead >= len(form.tokens) or item.dated or item.apart or item.grain:
        return ()
    if any(token in (";", ":", ".", "!") for token in form.tokens) or "(" in item.text or is_change(item.text):
        return ()
    # long sentences read badly in a row, and the more a sentence says the likelier something in it points back
    for text, _ in item.originals:
        told = tokens_of(text)
        if len(told) > 12 or not _holds_only_words([token.casefold() for token in told]) or _CLAUSE.search(text):
            return ()
    rest = form.tokens[form.lead]
    low = [token.casefold() for token in form.tokens]
    if _WITH_COMPLEMENT & set(low[: form.lead]):
        return ()
    verb = form.tokens[form.lead - 1].casefold()
    if rest.casefold() in ("that", "how", "to", "been", "as", "it", "not", "if") or (
        verb in ("has", "had", "have") and rest.casefold().endswith(("ing", "ed"))
    ):
        return ()
    folded = tuple(low)
    further = [
        at + 1
        for at in range(form.lead, min(form.lead + 4, len(folded) - 1))
        if folded[at] in PREPOSITIONS and not any(mark in folded[:at] for mark in (",", "and", "or"))
    ]
    out = []
    for end in sorted({form.lead, *further}, reverse=True):
        shape = tuple(token for token in folded[end:] if token in PREPOSITIONS)
        if len(shape) == 1 and "to" not in shape:  # two things side by side; more of them read as one long thing
            out.append(Beginning(folded[:end], shape))
    return tuple(out)


def shorten(items: Sequence[Sentence], lead: int) -> str:
    """The sentences as one, with their ``lead`` common tokens written once.

    A preposition at their end is said again where what follows could be who does it: "works with Li on the website; with Ana on the app".
    """
    first = items[0].form
    assert first is not None
    rests = [item.form.tokens[lead:] for item in items if item.form is not None]
    again = first.tokens[lead - 1].casefold() in PREPOSITIONS and any(rest[0][0].isupper() for rest in rests[1:])
    link = f"{first.tokens[lead - 1]} " if again else ""
    return f"{write(first.tokens[:lead])} {f'; {link}'.join(map(write, rests))}."
