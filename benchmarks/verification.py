"""How much the verifier finds, and how often it cries wolf.

    python benchmarks/verification.py --data DIR [--part PART] [--seed 1] [--show KIND] [--semantic]

Faithful rewrites: paraphrases written by hand (verification_paraphrases.jsonl; LoCoMo sources are named by id and read
from --data), and groups of memories that were joined, reordered, put into bullets, told with other forms of numbers and
dates and other common words, or consolidated without a model. Each of them again with one seeded fault. A fault counts
as found only where the report names the source memory or the sentence of the rewrite that it was put into. The paraphrases
of ``tune`` were looked at while the verifier was written, those of ``held`` were not; the two also use other users and groups.
``free`` are invented people told as freely as large models write, looked at; ``free-held`` likewise, measured before anyone looked.
``wide`` are more of them, most also with their meaning turned by hand (docs/verification.md tells how its sets were used). ``turned``
are short facts with one word or place exchanged by hand: directions, relatives, opposites, whose figure it is. ``broad``
are told more freely still, half of them in Chinese, each also with a fault made by hand; ``broad-held`` likewise, not looked at. These
parts hold paraphrases alone, singly and several joined, and need no --data.
``judged`` (verification_judged.jsonl) are memories, a summary as a model writes one, and faults put into it, all by hand of people who
did not know the verifier; looked at since. ``judged-held`` likewise, not looked at. A fault of these counts as found where the report names
something that it does not name of the faithful rewrite.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from memopt.facts import conflict, read
from memopt.facts.reading import split_sentences
from memopt.memory import UserMemory
from memopt.verify import Report, verify
from memopt.verify.meaning import Meanings

HERE = Path(__file__).parent
PARTS = ("tune", "held", "free", "free-held", "wide", "turned", "broad", "broad-held", "judged", "judged-held", "all")


@dataclass(frozen=True)
class Pair:
    """Sources and a rewrite in parts, so that faults can be placed: ``parts[i]`` tells what the sources ``tells[i]`` say."""

    kind: str
    sources: tuple[UserMemory, ...]
    parts: tuple[str, ...]
    tells: tuple[tuple[int, ...], ...]
    joiner: str = " "
    fault: str = ""
    target: tuple[int, ...] = ()  # positions of sources hurt
    altered: str = ""  # the part that was altered or added
    flips: tuple[str, ...] = ()  # for each part the same with its meaning turned, by hand; "" where there is none
    faithful: str = ""  # of a fault put in by hand, the rewrite without it

    @property
    def text(self) -> str:
        return self.joiner.join(self.parts)


# ------------------------------------------------------------------------------------------------------------------ data


def memories_by_user(data: Path) -> dict[str, list[UserMemory]]:
    users: dict[str, list[UserMemory]] = defaultdict(list)
    for name in ("locomo_memories.jsonl", "real_mcp_memories.jsonl", "factconsolidation_memories.jsonl"):
        path = data / "bench" / name
        if path.exists():
            for line in path.read_text(encoding="utf8").splitlines():
                row = json.loads(line)
                users[row["user_id"]].append(
                    UserMemory(
                        row["memory"], memory_id=row["memory_id"], created_at=row.get("created_at"), user_id=row["user_id"]
                    )
                )
    path = data / "agno" / "agno_v3.db"
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as connection:
        rows = connection.execute(
            "SELECT memory_id, memory, user_id, created_at FROM agno_memories ORDER BY created_at, memory_id"
        )
        for memory_id, memory, user_id, created_at in rows:
            if user_id in ("u1", "u2", "u3"):
                users[user_id].append(UserMemory(json.loads(memory), memory_id=memory_id, user_id=user_id, created_at=created_at))
    return dict(users)


def paraphrases(part: str, users: dict[str, list[UserMemory]]) -> list[Pair]:
    by_id = {m.memory_id: m for rows in users.values() for m in rows}
    out = []
    for line in (HERE / "verification_paraphrases.jsonl").read_text(encoding="utf8").splitlines():
        row = json.loads(line)
        if part not in ("all", row["part"]):
            continue
        if "ids" in row:
            if not all(one in by_id for one in row["ids"]):
                continue
            sources = tuple(by_id[one] for one in row["ids"])
        else:
            sources = tuple(
                UserMemory(text, memory_id=f"{row['id']}-{at}", created_at=1735689600 + 86400 * at)
                for at, text in enumerate(row["sources"])
            )
        kind = f"paraphrase {row['lang']}" if len(sources) == 1 else f"paraphrase {row['lang']}, several facts"
        flips = (row["flip"],) if "flip" in row else ()
        out.append(Pair(kind, sources, (row["rewrite"],), (tuple(range(len(sources))),), flips=flips))
    return out


def judged(part: str, users: dict[str, list[UserMemory]]) -> list[Pair]:
    """Rewrites and faults written by hand, each as a whole."""
    by_id = {m.memory_id: m for rows in users.values() for m in rows}
    out = []
    for line in (HERE / "verification_judged.jsonl").read_text(encoding="utf8").splitlines():
        row = json.loads(line)
        if row["part"] != part or not all(one in by_id for one in row.get("ids", ())):
            continue
        sources = tuple(
            by_id[text] if "ids" in row else UserMemory(text, memory_id=f"{row['id']}-{at}", created_at=1735689600 + 86400 * at)
            for at, text in enumerate(row.get("ids") or row["sources"])
        )
        size = "1 to 3 memories" if len(sources) <= 3 else "4 and more"
        tells = (tuple(range(len(sources))),)
        out.append(Pair(f"{row['lang']}, {size}", sources, (row["rewrite"],), tells))
        for fault in row["faults"]:
            kind = f"{row['lang']}, {fault['kind']}"
            out.append(Pair(kind, sources, (fault["rewrite"],), tells, fault=kind, faithful=row["rewrite"]))
    return out


# -------------------------------------------------------------------------------------------------------- faithful rewrites

_MONTHS = "January February March April May June July August September October November December".split()
_WORDS = [
    (r"\bis working on\b", "works on"), (r"\bworks as\b", "is"), (r"\blives in\b", "resides in"),
    (r"\bwants to\b", "would like to"),
    (r"\boften\b", "frequently"), (r"\bprefers\b", "has a preference for"),
    (r"\bhas a deadline for (.+?) on\b", r"must deliver \1 by"),
    (r"\bloves\b", "really likes"), (r"\benjoys\b", "likes"), (r"\bbelieves\b", "thinks"), (r"\bbought\b", "purchased"),
    (r"\bhas been\b", "was"), (r"\bin order to\b", "to"), (r"\bis planning to\b", "plans to"), (r"\bstarted\b", "began"),
    (r"\bis passionate about\b", "has a passion for"), (r"\bfeels\b", "is feeling"), (r"\bhelps\b", "is of help to"),
    (r"\bcalled\b", "named"), (r"\bdoes not\b", "doesn't"), (r"\bis located in\b", "lies in"),
    (r"\bis married to\b", "is the spouse of"),
]  # fmt: skip


def other_forms(text: str, rng: random.Random) -> str:
    def iso(found: re.Match[str]) -> str:
        year, month, day = int(found[1]), int(found[2]), int(found[3])
        name = _MONTHS[month - 1]
        return rng.choice([f"{day} {name} {year}", f"{name} {day}, {year}", f"{day:02d}.{month:02d}.{year}"])

    def written(found: re.Match[str]) -> str:
        return f"{found[3]}-{_MONTHS.index(found[2]) + 1:02d}-{int(found[1]):02d}"

    out = re.sub(r"\b(20\d\d)-(\d\d)-(\d\d)\b", iso, text)
    if out == text:
        out = re.sub(rf"\b(\d{{1,2}}) ({'|'.join(_MONTHS)}) (\d{{4}})\b", written, text)
    out = re.sub(r"\b(\d),(\d{3})\b", r"\1\2", out)
    small = "zero one two three four five six seven eight nine ten".split()
    out = re.sub(r"(?<![\w.,:-])([2-9])(?= [a-z]{4,})", lambda found: small[int(found[1])], out)
    for pattern, into in _WORDS:
        out = re.sub(pattern, into, out)
    return re.sub(r"^User\b", "The user", out)


def sentence(text: str) -> str:
    text = text.strip()
    return text if text[-1:] in '.!?。！？"”' else text + ("。" if re.search(r"[\u4e00-\u9fff]$", text) else ".")


def grouped(rng: random.Random, rows: list[UserMemory], size: int) -> list[UserMemory]:
    pool = [m for m in rows if 10 < len(m.memory) < 260 and "\n" not in m.memory]
    start = rng.randrange(max(1, len(pool) - 3 * size))
    return rng.sample(pool[start : start + 3 * size], min(size, len(pool[start : start + 3 * size])))


def generated(kind: str, rng: random.Random, group: list[UserMemory]) -> Pair:
    order = list(range(len(group)))
    texts = [sentence(m.memory) for m in group]
    joiner = " "
    if kind == "reordered":
        rng.shuffle(order)
    elif kind == "bullets":
        rng.shuffle(order)
        joiner = "\n"
        texts = ["- " + text.rstrip(".") for text in texts]
    elif kind == "other forms":
        texts = [other_forms(text, rng) for text in texts]
    elif kind == "third person":
        texts = [re.sub(r"^User's", "Their", re.sub(r"^(?:The )?[Uu]ser (?!\()", "They ", text)) for text in texts]
    elif kind == "in clauses":
        texts = [re.sub(r"^(?:The )?[Uu]ser ", "", text).rstrip(".") for text in texts]
        joiner = "; "
    return Pair(kind, tuple(group), tuple(texts[at] for at in order), tuple((at,) for at in order), joiner)


def consolidated(group: list[UserMemory]) -> Pair | None:
    try:
        from memopt.models.builtin import consolidate
    except ImportError:
        return None
    made = consolidate(group)
    position = {m.memory_id: at for at, m in enumerate(group)}
    parts, tells = [], []
    for piece in made.sentences:
        parts.append(piece.text)
        tells.append(tuple(position[one] for one in getattr(piece, "sources", getattr(piece, "ids", ())) if one in position))
    return Pair("consolidator", tuple(group), tuple(parts), tuple(tells), "\n") if parts else None


# ------------------------------------------------------------------------------------------------------------------- faults

_NAMES = "Oliver Fatima Kenji Ingrid Carlos Beatrix Dmitri Aisha Rowan Wolfgang".split()
_PLACES = "Reykjavik Nairobi Valencia Osaka Tbilisi Winnipeg".split()
_CJK_NAMES = ["郑伟", "何静", "孙浩", "马丽"]
_INVENTIONS = [
    "User plays the electric guitar in a jazz band.", "User owns a red sports car.", "User is afraid of spiders.",
    "The user's grandfather was a sailor.", "User speaks fluent Swahili.", "User broke an arm while skiing.",
    "The user collects antique stamps.", "User is getting divorced next spring.", "User has a black belt in karate.",
    "User donates blood every three months.", "User works night shifts at a bakery.", "User's favourite colour is turquoise.",
]  # fmt: skip
_CJK_INVENTIONS = ["用户会弹钢琴。", "用户养了两条金鱼。", "用户害怕坐飞机。", "用户的叔叔是警察。", "用户喜欢收集邮票。"]
Fault = Callable[[Pair, random.Random], "Pair | None"]


def _pick(pair: Pair, rng: random.Random, usable: Callable[[str], object]) -> int | None:
    fitting = [at for at, part in enumerate(pair.parts) if usable(part)]
    return rng.choice(fitting) if fitting else None


def _with(pair: Pair, at: int, text: str, fault: str) -> Pair | None:
    if text == pair.parts[at]:
        return None
    parts = list(pair.parts)
    parts[at] = text
    return replace(pair, parts=tuple(parts), fault=fault, target=pair.tells[at], altered=text)


def drop(pair: Pair, rng: random.Random) -> Pair | None:
    folded = [" ".join(m.memory.lower().split()).rstrip(".! ") for m in pair.sources]
    if len(pair.parts) < 2:
        return None
    single = [at for at, told in enumerate(pair.tells) if len(told) == 1 and folded.count(folded[told[0]]) == 1]
    if not single:
        return None
    at = rng.choice(single)
    gone = pair.sources[pair.tells[at][0]].memory
    if any(conflict(gone, m.memory) is None for n, m in enumerate(pair.sources) if n != pair.tells[at][0]):
        return None  # the others still say it
    if any(folded[pair.tells[at][0]] in other for number, other in enumerate(folded) if number != pair.tells[at][0]):
        return None
    keep = [number for number in range(len(pair.parts)) if number != at]
    return replace(
        pair,
        parts=tuple(pair.parts[n] for n in keep),
        tells=tuple(pair.tells[n] for n in keep),
        fault="drop",
        target=pair.tells[at],
    )


def _quantities(text: str) -> list[tuple[int, int]]:
    return [
        (found.start(), found.end())
        for item in read(text).items
        if item.kind in ("number", "quantity", "money", "percent")
        for found in re.finditer(r"\d+(?:[.,]\d{3})*(?:[.,]\d+)?", item.surface)
        for found in [re.compile(re.escape(found[0])).search(text, item.start)]
        if found
    ]


def number(pair: Pair, rng: random.Random) -> Pair | None:
    at = _pick(pair, rng, _quantities)
    if at is None:
        return None
    text = pair.parts[at]
    start, end = rng.choice(_quantities(text))
    digits = text[start:end]
    place = rng.choice([n for n, ch in enumerate(digits) if ch.isdigit()])
    new = str((int(digits[place]) + rng.randrange(1, 9)) % 10)
    if place == 0 and new == "0":
        new = "9" if digits[0] != "9" else "4"
    return _with(pair, at, text[:start] + digits[:place] + new + digits[place + 1 :] + text[end:], "number")


def date(pair: Pair, rng: random.Random) -> Pair | None:
    def dates(text: str) -> list[tuple[int, int]]:
        return [(item.start, item.end) for item in read(text).items if item.kind == "date" and re.search(r"\d", item.surface)]

    at = _pick(pair, rng, dates)
    if at is None:
        return None
    text = pair.parts[at]
    start, end = rng.choice(dates(text))
    surface = text[start:end]
    runs = list(re.finditer(r"\d+", surface))
    run = rng.choice(runs)
    value = int(run[0])
    new = value + rng.choice([1, 2, 3]) if value > 31 else (value % 12) + 1
    months = [name for name in _MONTHS if name in surface]
    if months and rng.random() < 0.4:
        other = rng.choice([name for name in _MONTHS if name != months[0]])
        changed = surface.replace(months[0], other)
    else:
        changed = surface[: run.start()] + str(new).zfill(len(run[0])) + surface[run.end() :]
    return _with(pair, at, text[:start] + changed + text[end:], "date")


_UNITS = {
    "mg": "g", "km": "miles", "kg": "lb", "hours": "minutes", "hour": "minute", "ms": "s", "€": "$", "$": "€",
    "years": "months",
    "days": "weeks", "weeks": "months", "minutes": "hours", "kilometres": "miles", "dollars": "euros", "元": "美元", "毫克": "克",
    "岁": "个月", "小时": "分钟", "%": " kg", "percent": "euros", "months": "years",
}  # fmt: skip


def unit(pair: Pair, rng: random.Random) -> Pair | None:
    def units(text: str) -> list[tuple[int, int, str]]:
        out = []
        for item in read(text).items:
            if item.kind in ("quantity", "money", "percent") and not item.weak:
                for name, other in _UNITS.items():
                    found = re.search(rf"(?<![A-Za-z]){re.escape(name)}(?![A-Za-z])", item.surface)
                    if found:
                        out.append((item.start + found.start(), item.start + found.end(), other))
                        break
        return out

    at = _pick(pair, rng, units)
    if at is None:
        return None
    text = pair.parts[at]
    start, end, other = rng.choice(units(text))
    return _with(pair, at, text[:start] + other + text[end:], "unit")


def name(pair: Pair, rng: random.Random) -> Pair | None:
    def names(text: str) -> list[tuple[int, int, str]]:
        return [(item.start, item.end, item.surface) for item in read(text).names if not item.weak]

    at = _pick(pair, rng, names)
    if at is None:
        return None
    text = pair.parts[at]
    start, end, surface = rng.choice(names(text))
    pool = _CJK_NAMES if re.search(r"[\u4e00-\u9fff]", surface) else _NAMES + _PLACES
    new = rng.choice([one for one in pool if one not in text])
    return _with(pair, at, text[:start] + new + text[end:], "name")


_FLIPS = [
    (r"\bdoes not (?!exceed)(\w+)\b", r"does \1"), (r"\bdoesn't (\w+)\b", r"does \1"), (r"\bdislikes\b", "likes"),
    (r"\blikes\b", "dislikes"),
    (r"\bloves\b", "hates"), (r"\benjoys\b", "dislikes"), (r"\bnever\b", "always"), (r"\bis not\b", "is"),
    (r"\bno longer\b(?! than)", "still"),
    (r"\bis allergic\b", "is not allergic"), (r"\bdid not\b", "did"), (r"\bcannot\b", "can"),
    (r"\bis\b(?! not?\b)", "is not"), (r"\bwas\b(?! not?\b)", "was not"),
    (r"\bhas a\b", "has no"), (r"\bwants to\b", "does not want to"), (r"\bprefers\b", "does not prefer"),
    (r"\bbelieves\b", "does not believe"),
    (r"\bworks\b", "does not work"), (r"\bwent\b", "did not go"), (r"\bfeels\b", "does not feel"),
    (r"\blives\b", "does not live"),
    (r"不喜欢", "喜欢"), (r"讨厌", "喜欢"), (r"(?<!不)喜欢", "不喜欢"), (r"不吃", "吃"),
    (r"不再", "还在"), (r"住在", "不住在"), (r"(?<![不偏])爱", "不爱"),
    (r"(?<!不)会(?=[去弹])", "不会"), (r"(?<!没)有(?=[一花])", "没有"),
]  # fmt: skip


def negation(pair: Pair, rng: random.Random) -> Pair | None:
    def flips(text: str) -> list[tuple[str, str]]:
        return [(pattern, into) for pattern, into in _FLIPS if re.search(pattern, text)]

    at = _pick(pair, rng, flips)
    if at is None:
        return None
    text = pair.parts[at]
    pattern, into = flips(text)[0]
    return _with(pair, at, re.sub(pattern, into, text, count=1), "negation")


def turned(pair: Pair, rng: random.Random) -> Pair | None:
    """A part told the other way round, as somebody wrote it."""
    fitting = [at for at, text in enumerate(pair.flips) if text]
    if not fitting:
        return None
    at = rng.choice(fitting)
    return _with(pair, at, pair.flips[at], "negation by hand" if len(pair.parts) == 1 else "negation by hand, among others")


def invention(pair: Pair, rng: random.Random) -> Pair | None:
    chinese = sum("\u4e00" <= ch <= "\u9fff" for ch in pair.text) * 3 > len(pair.text)
    new = rng.choice(_CJK_INVENTIONS if chinese else _INVENTIONS)
    at = rng.randrange(len(pair.parts) + 1)
    parts = [*pair.parts[:at], new, *pair.parts[at:]]
    tells = [*pair.tells[:at], (), *pair.tells[at:]]
    return replace(pair, parts=tuple(parts), tells=tuple(tells), fault="invention", altered=new)


_DETAILS = [
    " together with a cousin", " because of a back injury", " for a charity", " and a parrot", " or walnuts", " with the neighbours",
    ", a trained electrician,", " after a divorce", " and the accordion", " for religious reasons",
]  # fmt: skip
_CJK_DETAILS = ["，还有一只鹦鹉", "，也是消防员", "，因为离婚", "以及核桃", "，也有哮喘"]


def detail(pair: Pair, rng: random.Random) -> Pair | None:
    """Something more, hung on a sentence that is otherwise told as it was."""
    at = rng.randrange(len(pair.parts))
    text = pair.parts[at]
    body = text.rstrip(" .!。！;；")
    chinese = sum("\u4e00" <= ch <= "\u9fff" for ch in text) * 3 > len(text)
    new = rng.choice(_CJK_DETAILS if chinese else _DETAILS)
    telling = [word for word in re.findall(r"[a-z]{4,}", new) if word not in ("with", "together", "because", "after")] or [
        new[-2:]
    ]
    if not body or any(word in source.memory.lower() for word in telling for source in pair.sources):
        return None
    return _with(pair, at, body + new.rstrip(",") + text[len(body) :], "detail added")


def borrowed(pair: Pair, rng: random.Random, strangers: list[UserMemory] | None = None) -> Pair | None:
    if not strangers:
        return None
    new = sentence(rng.choice(strangers).memory)
    parts = [*pair.parts, new]
    return replace(pair, parts=tuple(parts), tells=(*pair.tells, ()), fault="invention from another user", altered=new)


def _people(text: str) -> list[str]:
    return [item.surface for item in read(text).names if not item.weak and len(item.surface.split()) <= 2]


def merge(pair: Pair, rng: random.Random) -> Pair | None:
    """One person's fact told of another who is also in the sources."""
    found = []
    told = [_people(part) for part in pair.parts]
    for at, mine in enumerate(told):
        for other, theirs in enumerate(told):
            if (
                at != other
                and mine
                and theirs
                and mine[0] != theirs[0]
                and theirs[0] not in pair.parts[at]
                and mine[0] not in pair.parts[other]
            ):
                found.append((at, mine[0], theirs[0]))
    if not found:
        return None
    at, mine_name, other_name = rng.choice(found)
    text = pair.parts[at].replace(mine_name, other_name)
    if any(text.strip(" -.。").lower() in m.memory.lower() for m in pair.sources):
        return None
    return _with(pair, at, text, "merge of two")


def swap(pair: Pair, rng: random.Random) -> Pair | None:
    """Two quantities of one kind exchanged between two parts."""
    spots: dict[str, list[tuple[int, int, int, str]]] = defaultdict(list)
    for at, part in enumerate(pair.parts):
        items = [
            item
            for item in read(part).items
            if not item.weak and item.kind in ("number", "quantity", "money", "percent", "date", "time")
        ]
        if len(items) == 1 and len(pair.tells[at]) == 1:
            item = items[0]
            spots[item.kind + item.norm.rsplit(":", 1)[0]].append((at, item.start, item.end, item.norm))
    usable = [rows for rows in spots.values() if len({row[3] for row in rows}) > 1]
    if not usable:
        return None
    rows = rng.choice(usable)
    one = rng.choice(rows)
    two = rng.choice([row for row in rows if row[3] != one[3]])
    first, second = pair.parts[one[0]], pair.parts[two[0]]
    if (first[: one[1]] + first[one[2] :]).strip(" -.;") == (second[: two[1]] + second[two[2] :]).strip(" -.;"):
        return None  # the same thing said of two values: exchanged, they say the same together
    if one[3].startswith(two[3]) or two[3].startswith(one[3]):
        return None
    new_first = first[: one[1]] + second[two[1] : two[2]] + first[one[2] :]
    new_second = second[: two[1]] + first[one[1] : one[2]] + second[two[2] :]
    known = {" ".join(m.memory.lower().split()).rstrip(".! ") for m in pair.sources}
    if new_first.lower().strip(" -.") in known or new_second.lower().strip(" -.") in known:
        return None
    parts = list(pair.parts)
    parts[one[0]], parts[two[0]] = new_first, new_second
    return replace(
        pair, parts=tuple(parts), fault="quantities swapped", target=(*pair.tells[one[0]], *pair.tells[two[0]]), altered=new_first
    )


FAULTS: list[Fault] = [drop, number, date, unit, name, negation, turned, invention, detail, merge, swap]


# ------------------------------------------------------------------------------------------------------------------ measure


def check(pair: Pair, meanings: Meanings | None = None) -> Report:
    return verify(pair.sources, [UserMemory(pair.text, memory_id="rewrite")], meanings)


def by_meaning(embedder: str, threshold: float | None) -> Meanings:
    from memopt.strategies.meaning import choose
    from memopt.verify.meaning import THRESHOLDS

    return Meanings(choose(None, embedder, threshold or THRESHOLDS.get(embedder)))


def _named(report: Report) -> set[tuple[object, ...]]:
    lost = {(item.index, item.fact) for item in report.lost} | {(item.memory_id, item.fact) for item in report.superseded}
    return lost | {(item.sentence, item.fact) for item in report.invented}


def located(pair: Pair, report: Report) -> bool:
    if pair.faithful:
        return bool(_named(report) - _named(check(replace(pair, parts=(pair.faithful,)))))
    hurt = {item.index for item in report.lost} | {
        at for at, source in enumerate(pair.sources) for item in report.superseded if item.memory_id == source.memory_id
    }
    if hurt & set(pair.target):
        return True
    pieces = {pair.altered[start:end].strip(" -") for start, end in split_sentences(pair.altered)} if pair.altered else set()
    return any(item.sentence.strip(" -") in piece or piece in item.sentence for item in report.invented for piece in pieces)


def _apart(rng: random.Random, pairs: list[Pair], count: int) -> list[Pair]:
    """So many pairs of different sources: one source may have several paraphrases."""
    out: dict[str, Pair] = {}
    for pair in rng.sample(pairs, len(pairs)):
        out.setdefault(pair.sources[0].memory, pair)
        if len(out) == count:
            break
    return list(out.values())


def build(part: str, seed: int, data: Path, groups: int) -> list[Pair]:
    free = part.startswith(("free", "wide", "turned", "broad"))
    users = {} if free else memories_by_user(data)
    if part.startswith("judged"):
        return judged(part, users)
    rng = random.Random(f"{part}-{seed}")
    names = sorted(users)
    chosen = [
        one
        for at, one in enumerate(names)
        if part == "all" or one.startswith(("u", "fc", "real")) or (at % 2 == 0) == (part == "tune")
    ]
    faithful = paraphrases(part, users)
    singles = [pair for pair in faithful if len(pair.sources) == 1]
    chinese = [pair for pair in singles if pair.kind.endswith("zh")]
    kinds = ["joined", "reordered", "bullets", "other forms", "third person", "in clauses"]
    pool: list[Pair] = []
    for at in range(0 if free else groups):
        user = chosen[at % len(chosen)]
        group = grouped(rng, users[user], rng.randrange(3, 11))
        pool.append(generated(kinds[at % len(kinds)], rng, group))
        if at % 4 == 0:
            made = consolidated(group)
            if made is not None:
                pool.append(made)
    for at in range(groups // 3):  # several paraphrases of one language in one rewrite
        few = _apart(rng, chinese if at % 2 else [pair for pair in singles if pair not in chinese], rng.randrange(3, 7))
        sources = tuple(replace(pair.sources[0], memory_id=f"{n}") for n, pair in enumerate(few))
        kind = "paraphrases joined " + ("zh" if at % 2 else "en")
        pool.append(
            Pair(
                kind,
                sources,
                tuple(sentence(p.parts[0]) for p in few),
                tuple((n,) for n in range(len(few))),
                "" if at % 2 else " ",
                flips=tuple(sentence(p.flips[0]) if p.flips else "" for p in few),
            )
        )
    faithful += pool
    out = list(faithful)
    strangers = [m for one in names if one not in chosen for m in users[one] if 20 < len(m.memory) < 200]
    if not strangers:
        strangers = users[names[0]] if names else []
    for pair in faithful:
        for fault in FAULTS:
            made = fault(pair, rng)
            if made is not None:
                out.append(made)
        if rng.random() < 0.3:
            made = borrowed(pair, rng, strangers)
            if made is not None:
                out.append(made)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("MEMOPT_DATA", "data")))
    parser.add_argument("--part", choices=PARTS, default="held")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--groups", type=int, default=120)
    parser.add_argument("--show", help="print the misses of one kind, or 'all'")
    parser.add_argument("--semantic", action="store_true", help="also look for plain statements by meaning")
    parser.add_argument("--embedder", default="use-multilingual")
    parser.add_argument("--threshold", type=float, help="the cosine from which on two texts mean the same")
    options = parser.parse_args()
    meanings = by_meaning(options.embedder, options.threshold) if options.semantic else None
    pairs = build(options.part, options.seed, options.data, options.groups)
    total: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    started = time.perf_counter()
    for pair in pairs:
        report = check(pair, meanings)
        if pair.fault:
            kind = "fault: " + pair.fault
            good = located(pair, report)
        else:
            kind = "faithful: " + pair.kind
            good = not report.passed
        total[kind] += 1
        hit[kind] += good
        wrong = not good if pair.fault else good
        if options.show and wrong and options.show in ("all", kind, pair.fault, pair.kind):
            print(f"--- {kind}")
            for at, source in enumerate(pair.sources):
                print(f"   [{at}]{'*' if at in pair.target else ' '} {source.memory}")
            print("   =>", pair.altered if pair.fault and pair.altered else pair.text)
            for item in report.lost:
                print(f"      lost [{item.index}] {item.kind}: {item.fact} ({item.detail})")
            for made in report.invented:
                print(f"      invented {made.kind}: {made.fact} ({made.detail})")
    took = time.perf_counter() - started
    print(f"{len(pairs)} pairs, part {options.part}, seed {options.seed}, {took:.1f} s\n")
    for label, prefix in (("found", "fault: "), ("false alarms", "faithful: ")):
        print(f"{label:<45}{'pairs':>7}{'%':>8}")
        for kind in sorted(one for one in total if one.startswith(prefix)):
            print(f"  {kind.removeprefix(prefix):<43}{total[kind]:>7}{100 * hit[kind] / total[kind]:>8.1f}")
        count = sum(total[one] for one in total if one.startswith(prefix))
        whole = sum(hit[one] for one in total if one.startswith(prefix))
        print(f"  {'all':<43}{count:>7}{100 * whole / max(1, count):>8.1f}\n")


if __name__ == "__main__":
    main()
