"""Drafting labelled questions from the memories themselves, by rule. Pure, and the same every time.

Each dated, numbered or named fact of a memory may become one question whose answer is that date, number or name. Where the
sentence is of a shape that is understood, the question is asked as people ask (``memopt.evaluation.asking``); else the sentence
is given with a gap in it. A question is kept only if its answer is in the memory, it does not give the answer away, and no other
memory answers it otherwise; where a newer memory replaces an older one, the older one is what must not win (``stale_ids``).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memopt.evaluation.asking import asked_in_chinese, asked_in_english
from memopt.evaluation.marks import marks_of, needs_of
from memopt.evaluation.questions import Question
from memopt.facts import Item, read
from memopt.facts.statements import Statement, read_statements
from memopt.facts.telling import told
from memopt.facts.words import CJK
from memopt.memory import UserMemory
from memopt.similarity.normalise import fold

DEFAULT_NUMBER = 30
_LONGEST = 240
"""A longer sentence makes no question."""
_ANSWER_WORDS = 8
_KINDS = {"date": 4, "money": 4, "percent": 3, "quantity": 3, "time": 3, "number": 3, "phone": 3, "email": 3, "url": 2, "name": 2}
"""What is asked for, and how gladly."""
_PLAIN = 0.5
"""What a question as people ask it is worth over a gap."""
_EVERYWHERE = 0.2
"""A name in more than this share of the memories is nobody's answer."""
_CJK_RUN = re.compile(f"[{CJK}]")


@dataclass(frozen=True, slots=True)
class Draft:
    """One question that could be asked.

    Attributes:
        place: of its memory.
        worth: how gladly it is taken.
    """

    place: int
    text: str
    answer: str
    worth: float


def draft(memories: Sequence[UserMemory], number: int = DEFAULT_NUMBER, user_id: str | None = None) -> list[Question]:
    """At most so many questions, spread over the memories: the best one of each first.

    Args:
        memories: of one user, in any order.
        user_id: goes into each question.
    """
    from memopt.facts.statements import superseded

    ordered = sorted(
        (item for item in memories if not item.is_blank and item.memory_id is not None),
        key=lambda item: (item.last_changed is None, -(item.last_changed or 0), item.memory_id or ""),
    )
    distinct = list({fold(item.memory): item for item in reversed(ordered)}.values())[::-1]
    outdated = {item.old_index for item in superseded(distinct)}
    everywhere = _names_everywhere(distinct)
    drafts = [each for place, item in enumerate(distinct) for each in _drafts(place, item, everywhere)]
    stale: dict[int, list[int]] = {}
    chosen = _without_rivals(drafts, outdated, stale)
    rounds: dict[int, int] = defaultdict(int)
    ranked: list[tuple[int, float, int, Draft]] = []
    for each in sorted(chosen, key=lambda item: (-item.worth, item.place, item.text)):
        ranked.append((rounds[each.place], -each.worth, each.place, each))
        rounds[each.place] += 1
    ranked.sort(key=lambda entry: entry[:3])
    taken = [entry[3] for entry in ranked[:number]]
    return [
        Question(
            id=f"q{place:02d}",
            text=each.text,
            memory_ids=(str(distinct[each.place].memory_id),),
            answer=each.answer,
            stale_ids=tuple(str(distinct[old].memory_id) for old in stale.get(id(each), ())),
            users=(user_id,),
        )
        for place, each in enumerate(taken, 1)
    ]


def is_fair(question: str, answer: str, memory: UserMemory) -> bool:
    """Whether the memory tells the answer, and the question does not give it away."""
    needs = needs_of(answer)
    given, there = marks_of(question), marks_of(memory.memory, memory.created_at)
    return bool(needs) and all(need.held(there) for need in needs) and any(not need.held(given) for need in needs)


def _names_everywhere(memories: Sequence[UserMemory]) -> frozenset[str]:
    """Names that so many memories hold that they tell whom all of this is about."""
    counts = Counter(
        name
        for item in memories
        for name in {found.norm for found in read(item.memory, item.created_at).items if found.kind == "name"}
    )
    return frozenset(name for name, count in counts.items() if count > max(3, _EVERYWHERE * len(memories)))


# -- which of them -----------------------------------------------------------------------------------------------------


def _without_rivals(drafts: Sequence[Draft], outdated: set[int], stale: dict[int, list[int]]) -> list[Draft]:
    """The drafts that have one answer. Where newer memories replace older ones, the newest is asked, and the others are stale."""
    by_text: dict[str, list[Draft]] = defaultdict(list)
    for each in drafts:
        by_text[fold(each.text)].append(each)
    out = []
    for rivals in by_text.values():
        current = sorted((each for each in rivals if each.place not in outdated), key=lambda each: each.place)
        if not current or not all(_agree(current[0].answer, each.answer) for each in current):
            continue  # nobody answers it now, or several memories do, each otherwise
        first = current[0]
        old = sorted({each.place for each in rivals if each.place in outdated and not _agree(first.answer, each.answer)})
        if old:
            stale[id(first)] = old
        out.append(first)
    return out


def _agree(one: str, other: str) -> bool:
    """Whether two answers say the same, or one of them more of the same."""
    if fold(one) == fold(other):
        return True
    pairs = ((one, other), (other, one))
    return any(all(need.held(marks_of(longer)) for need in needs_of(shorter)) for shorter, longer in pairs) or (
        one.split(",")[0].split(" (")[0].strip().casefold() == other.split(",")[0].split(" (")[0].strip().casefold()
    )


# -- one memory --------------------------------------------------------------------------------------------------------


def _drafts(place: int, memory: UserMemory, everywhere: frozenset[str]) -> list[Draft]:
    text = memory.memory
    out: dict[str, Draft] = {}
    quotes = [item for item in read(text, memory.created_at).items if item.kind == "quote"]
    items = [
        item
        for item in read(text, memory.created_at).items
        if item.kind in _KINDS and not item.weak and not (item.kind == "name" and item.norm in everywhere)
    ]
    statements = [item for item in read_statements(text) if item.polarity and item.state == "current" and len(item.values) == 1]
    for sentence in told(text):
        whole = text[sentence.start : sentence.end]
        if not (4 if _is_chinese(whole) else 8) <= len(whole) <= _LONGEST or "?" in whole or "？" in whole:
            continue
        inside = [item for item in items if sentence.start <= item.start and item.end <= sentence.end]
        gaps = _gaps(text, sentence.start, sentence.end, inside, statements, quotes)
        for start, end, kind, gladly, usual in gaps:
            answer = text[start:end].strip(" .,;:。，；：")
            if not answer or len(answer.split()) > _ANSWER_WORDS or len(answer) > 60:
                continue
            ways = _asked(text, sentence.start, sentence.end, start, end, kind)
            for asked, natural in [(usual, True), *ways] if usual else ways:
                if not is_fair(asked, answer, memory) or _leaks(asked, answer):
                    continue
                worth = sentence.score() + gladly / 4 + (_PLAIN if natural else 0.0) + (1.0 if sentence.is_vital else 0.0)
                known = out.get(answer)
                if known is None or known.worth < worth:
                    out[answer] = Draft(place, asked, answer, round(worth, 6))
                break
    return list(out.values())


def _gaps(
    text: str, start: int, end: int, items: Sequence[Item], statements: Sequence[Statement], quotes: Sequence[Item]
) -> list[tuple[int, int, str, float, str]]:
    """What may be asked for in a sentence: spans of the text, each with its kind, how gladly it is asked for, and how people ask
    for it, where that is known."""
    gaps = []
    for statement in statements:
        value = statement.values[0]
        at = text.find(value, max(start, statement.start), end)
        usual = USUAL.get(statement.attribute) if statement.subject == "user" and not statement.under else None
        if at >= 0 and len(value) <= 60 and (statement.cardinality != "many" or usual):
            kinds = {item.kind for item in items if at <= item.start and item.end <= at + len(value)}
            kind = "date" if kinds == {"date"} else "value"
            within = any(item.start <= at and at + len(value) < item.end for item in items)  # 8 of 8 years
            if not within and (usual or kinds or re.search(r"[A-Z0-9]", value)):
                chinese = _is_chinese(statement.clause)
                gaps.append((at, at + len(value), kind, 4.0, "" if usual is None else usual[chinese]))
    taken = [(first, last) for first, last, _, _, _ in gaps]
    for item in items:
        if item.kind == "name" and item.start == start:
            continue  # whom the sentence is about
        if not any(first <= item.start and item.end <= last for first, last in taken):
            if text[item.start - 1 : item.start] in _JOINED or re.match(r"[-/:]\w", text[item.end : item.end + 2]):
                continue  # a part of 9-to-5, or of CS:GO
            quote = next((each for each in quotes if each.start < item.start and item.end < each.end <= end), None)
            if quote is not None:  # a title is asked for whole
                gaps.append((quote.start + 1, quote.end - 1, "name", float(_KINDS["name"]), ""))
                continue
            behind = text[item.end : end]
            part = item.kind == "name" and re.match(r"[ -][a-z]|['’]s\b", behind) and not _FUNCTION.match(behind)
            gaps.append((item.start, item.end, item.kind, 0.0 if part else float(_KINDS[item.kind]), ""))
    return gaps


_JOINED = frozenset("-/:_@#")
_FUNCTION = re.compile(
    r" (?:on|in|at|since|until|by|from|for|to|with|about|of|as|into|near|and|or|but|is|was|has|had|who|which|that|because|when"
    r"|while|\w+s|\w+ed)\b"
)
"""What may follow a name that stands for itself: ``in Berlin since``, not ``the Berlin office``."""
USUAL: dict[str, tuple[str, str]] = {
    "name": ("What is the user's name?", "用户叫什么名字？"),
    "residence": ("Where does the user live?", "用户住在哪里？"),
    "hometown": ("Where is the user from?", "用户是哪里人？"),
    "job role": ("What does the user work as?", "用户做什么工作？"),
    "job employer": ("Who does the user work for?", "用户在哪里工作？"),
    "diet": ("What diet does the user follow?", "用户的饮食习惯是什么？"),
    "birthday": ("When is the user's birthday?", "用户的生日是哪天？"),
    "phone number": ("What is the user's phone number?", "用户的电话号码是多少？"),
    "mobile number": ("What is the user's mobile number?", "用户的手机号码是多少？"),
    "email": ("What is the user's e-mail address?", "用户的邮箱是什么？"),
    "spouse": ("Who is the user married to?", "用户的配偶是谁？"),
    "partner": ("Who is the user's partner?", "用户的伴侣是谁？"),
    "timezone": ("Which time zone is the user in?", "用户在哪个时区？"),
    "allergy": ("What is the user allergic to?", "用户对什么过敏？"),
    "age": ("How old is the user?", "用户多大？"),
}
"""How people ask for what most stores hold, in English and Chinese, by attribute (``memopt.facts.statements``)."""


def _asked(text: str, start: int, end: int, gap: int, gap_end: int, kind: str) -> list[tuple[str, bool]]:
    """The question in the ways it can be asked, the best first, each with whether it is asked as people ask."""
    sentence = text[start:end].strip()
    shift = start + (len(text[start:end]) - len(text[start:end].lstrip()))
    chinese = _is_chinese(sentence)
    ways = asked_in_chinese if chinese else asked_in_english
    asked = ways(sentence, gap - shift, gap_end - shift, kind)
    out = [(asked, True)] if asked else []
    blank = f"{sentence[: gap - shift]}____{sentence[gap_end - shift :]}"
    out.append((f"空格处应填什么？{blank}" if chinese else f"What belongs in the gap? {blank}", False))
    return out


def _is_chinese(text: str) -> bool:
    return 2 * len(_CJK_RUN.findall(text)) > len(re.findall("[A-Za-z]", text))


def _leaks(question: str, answer: str) -> bool:
    """Whether the answer stands in the question as it is."""
    return fold(answer) in fold(question)


def renumbered(questions: Sequence[Question]) -> list[Question]:
    """The questions with ids in their order."""
    return [replace(item, id=f"q{place:02d}") for place, item in enumerate(questions, 1)]
