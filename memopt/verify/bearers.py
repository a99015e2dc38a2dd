"""Who is what to whom, by name: *her coach Dana*, *Omar is the dentist*, *Dominik's sister Alina*.

A role that the rewrite gives to somebody whom the sources give another one, while they give this one to others, was exchanged; and
a relative by name who is said to be of another than in all the sources has changed the owner.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.words import brief, fold, stem
from memopt.verify.findings import Gone, Made, lose, make_invented, shown
from memopt.verify.lines import Side
from memopt.verify.whom import USER, roles_around, same_relative

_LONGEST = 600
_ASKED = 60
"""Of a name or a role that more lines have than this only so many are asked."""


class Bearer(NamedTuple):
    """Somebody by name, and what he or she is to whom.

    Attributes:
        role: the word for it, as a stem.
        owner: whose: ``USER`` or the stem of a name; "" where that is not told, or by a pronoun.
        names: the stems of the name.
        start: where it stands in the text.
        end: the offset behind it.
    """

    role: str
    owner: str
    names: frozenset[str]
    start: int
    end: int


_SEVERAL = frozenset(
    map(
        stem,
        lexicon.words(
            "friend colleague coworker neighbor neighbour teammate classmate bandmate workmate cousin client customer student pupil employee"
            " sibling child kid grandchild partner relative flatmate housemate roommate twin dog cat horse rabbit hamster parrot"
        ),
    )
)
"""What several are to one: who else is so called tells nothing."""
_NAME = r"(?-i:(?:(?:Mr|Mrs|Ms|Dr|Prof|Miss)\.? )?[A-Z][\w’'-]*[\w](?: [A-Z][\w-]+)?)"
_NOT_OWNER = r"(?!['’]s\b|\w)"


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    role = "(?P<role>(?:" + "|".join(sorted(roles_around(), key=len, reverse=True)) + r")(?:-in-law)?)\b"
    owner = rf"(?:(?P<user>\b(?:the )?user['’]s|\bmy)|(?P<owner>{_NAME})['’]s|\b(?:his|her|their|the|an?|our)\b)"
    which = r"(?: [a-z-]+){0,2}?"
    name = rf"(?P<name>{_NAME}){_NOT_OWNER}"
    alone = r"(?=[.,;:)]|\Z| (?:is|was|has|lives|works|who|and (?:is|was|has|lives|works)|in|at|from|on|for)\b)"
    return (
        re.compile(rf"(?:{owner}{which} )?\b{role}(?:,| is| was| is called| is named| called| named|:)? {name}", re.I),
        re.compile(rf"{name}(?:,| is| was| became| \()(?: also| now)? ?{owner}{which} {role}{alone}", re.I),
    )


@lru_cache(maxsize=8192)
def bearers(text: str, selves: frozenset[str] = frozenset()) -> tuple[Bearer, ...]:
    """Everybody who is named together with what he or she is. ``selves``: stems of the user's own names."""
    if len(text) > _LONGEST or not _word().search(text) or not re.search(r"[A-Z]", text):
        return ()
    out = []
    for form in _forms():
        for found in form.finditer(text):
            if form is _forms()[1] and re.match(r",? and\b", text[found.end() :]) and "," in found[0]:
                continue  # Bob, his sister and his coach
            names = _names(found["name"])
            owner = USER if found["user"] else "".join(sorted(_names(found["owner"]))[:1]) if found["owner"] else ""
            if names and owner not in names:
                out.append(
                    Bearer(stem(fold(found["role"])), USER if owner in selves else owner, names, found.start(), found.end())
                )
    return tuple(out)


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(sorted(roles_around(), key=len, reverse=True)) + r")\b", re.I)


@cache
def _role_stems() -> frozenset[str]:
    return frozenset(stem(role) for role in roles_around())


_TITLES = frozenset(map(stem, ("mr", "mrs", "ms", "dr", "prof", "miss", "user")))


def _names(text: str) -> frozenset[str]:
    return frozenset(stem(fold(word)) for word in re.findall(r"[^\W\d_][\w’'-]*", text)) - _TITLES


def _around(one: Bearer, ours: Side, selves: frozenset[str]) -> Iterator[tuple[int, Bearer]]:
    """Who is named in the sources with the name or the role of somebody in the rewrite, and in which line."""
    lines = dict.fromkeys(at for key in (*sorted(one.names), one.role) for at in ours.by_feature.get(key, ())[:_ASKED])
    for at in lines:
        for other in bearers(ours.lines[at].text, selves):
            yield at, other


def _another(one: Bearer, ours: Side, selves: frozenset[str]) -> tuple[int, Bearer] | None:
    """Who bears the role in the sources, where the one who bears it here bears another there; or of whom the same one is there."""
    found = list(_around(one, ours, selves))
    own = [(at, other) for at, other in found if not one.names.isdisjoint(other.names)]
    same = [(at, other) for at, other in own if _is_one(one.role, other.role)]
    if same:
        known = all(other.owner for _, other in same) and one.owner
        if not known or any(other.owner == one.owner for _, other in same):
            return None
        at, other = same[0]
        named = (one.owner, other.owner)
        if USER in named and not any(_is_around(owner, ours, selves) for owner in named if owner != USER):
            return None  # whoever is named may be the user
        return at, other
    if not own or one.role in _SEVERAL or all(other.role in _SEVERAL for _, other in own):
        return None
    others = [
        (at, other)
        for at, other in found
        if other.role == one.role
        and one.names.isdisjoint(other.names)
        and (not one.owner or not other.owner or one.owner == other.owner)
    ]
    if not others or any(
        one.role in line.features
        for name in one.names
        for line in (ours.lines[at] for at in ours.by_feature.get(name, ())[:_ASKED])
        if not any(not other.names.isdisjoint(line.features) for _, other in others)
    ):
        return None
    return others[0]


def _is_one(role: str, other: str) -> bool:
    return role == other or ("-" not in role + other and same_relative(role, other))


def _is_around(name: str, ours: Side, selves: frozenset[str]) -> bool:
    """Whether the sources say what somebody is to somebody: it is not the user."""
    return any(
        name in one.names
        for at in ours.by_feature.get(name, ())[:_ASKED]
        for one in bearers(ours.lines[at].text, selves)
        if name != one.owner
    ) or any(_BESIDE_USER.search(ours.lines[at].text) for at in ours.by_feature.get(name, ())[:_ASKED])


_BESIDE_USER = re.compile(
    r"\buser\b(?!['’]s).{0,30}\b(?:married to|dating|engaged to|lives with|met|works with|friends with|lives next to)\s[A-Z]"
)


def find_borne(ours: Side, theirs: Side, dominant: frozenset[str], lost: list[Gone], invented: Sequence[Made]) -> list[Made]:
    """The sentences of the rewrite that give somebody another's role, or to another one; what they replace is added to ``lost``."""
    selves = dominant if len(dominant) == 1 else frozenset()
    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    own = {line.phrase for line in ours.lines}
    out: list[Made] = []
    for line in theirs.lines:
        if (
            not line.units
            or _role_stems().isdisjoint(line.features)
            or line.phrase in own
            or (line.memory, line.whole[1] if line.whole else line.start) in flagged
        ):
            continue
        for one in bearers(line.text, selves):
            found = _another(one, ours, selves)
            if found is None:
                continue
            at, other = found
            source, memory = ours.lines[at], theirs.memories[line.memory]
            place = theirs.unit_at(line, line.start + one.start)
            number = line.units[-1] if place is None else place
            detail = f"{brief(line.text[one.start : one.end])}: the source says otherwise in “{brief(source.text)}”"
            made = make_invented(memory, line, shown(theirs, theirs.units[number]), "swap", detail)
            out.append(Made(replace(made, nearest_id=ours.memories[source.memory].memory_id, nearest=source.text), number))
            fact = ours.unit_at(source, source.start + other.start)
            lose(lost, gone, ours, fact, f"told of somebody else: “{brief(line.text)}”")
            break
    return out


__all__ = ["Bearer", "bearers", "find_borne"]
