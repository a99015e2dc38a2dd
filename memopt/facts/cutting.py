"""Taking one thing that a text says out of it, so that the rest stays as it was written and is still sound.

A text is cut into sentences, these into clauses, and clauses into the items of a list. ``parts`` gives all of them; ``without``
takes some away. What is left keeps its words; only what held the pieces together changes: a comma or ``and``, a capital at a sentence's
head, the subject that a clause shared with the one before it, and a pronoun that pointed to a subject that is gone.
Where it is not known what would be left, ``without`` gives None: nothing here guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.lexicon import words as word_list

_VERBS = frozenset(
    word_list(
        """
    is are was were has have had does did do will would can could may might must should cannot isn't aren't wasn't doesn't
    likes loves enjoys hates dislikes prefers owns uses wants needs knows speaks plays drives eats drinks reads watches
    works lives follows supports collects visits takes studies teaches attends wears carries avoids runs rides trains
    practices practises writes builds maintains manages leads asks plans hopes tries considers thinks believes finds keeps
    makes buys sells hosts grows cooks bakes listens belongs subscribes contributes volunteers pays rents suffers mentions
    said asked moved became got made went bought took gave told left sold spent drove flew won wrote met saw ran ate knew
    felt held kept led lost sent spoke taught thought wore grew drank started stopped switched joined graduated married
    slept bought sat stood sang swam hurt found forgot heard rode read set quit lost chose caught broke began built
    done been gone seen taken given written known eaten grown worn shown drawn driven ridden spoken chosen broken begun flown drunk won
    came fell cut hit shared showed values helps feels cares resides goes comes gets gives says tells sees feels sleeps wakes walks swims sings dances paints draws codes
    develops designs commutes travels celebrates hails comes earns weighs graduates graduated stays starts begins began
    """
    )
)
# What somebody has and nobody could be: a name that follows is its value.
_THINGS = frozenset(
    word_list(
        """
    address phone number email e-mail mail birthday birthplace birthdate age height weight job employer company workplace
    home house flat apartment city town hometown residence street salary rent income password account iban card car bike
    school university degree diet hobby timezone zip postcode room office licence license passport username handle website
    """
    )
)
_PARTICIPLES = frozenset(
    word_list("called named based located titled aged owned used related advanced detailed limited united red")
)
_ADVERBS = frozenset(
    word_list("also often still now currently recently usually sometimes always really just already occasionally never no")
)
_AUXILIARIES = frozenset(
    word_list("is are was were has have had does did do will would can could may might must should cannot be been being to")
)
_DETERMINERS = frozenset(word_list("a an the his her their its my your our this that these those it them him us me"))
_OBJECTS = frozenset(word_list("it them this these those there both"))
_PRONOUNS = frozenset(word_list("he she they it we"))
_POSSESSIVES = frozenset(word_list("his her their its"))
_SUBORDINATE = frozenset(
    word_list(
        "because since although though while whereas when where which who whose whom that so if unless until after before as than"
    )
)
_RELATIVE = frozenset(word_list("that which who whose whom where when"))
_POINTS_BACK = frozenset(
    word_list(
        "this that these those there then it its both such so therefore thus hence however also too instead otherwise him them same"
    )
)
_PREPOSITIONS = frozenset(word_list("in on at with from to for of about by near during since until"))
_CORRELATIVE = re.compile(
    r"\b(?:not only|either|neither|whether|both(?= (?:\w+ )+and\b)|between(?= (?:\w+ )+and\b))\b|不仅|不但|要么|无论",
    re.IGNORECASE,
)
_CJK = "\u3400-\u9fff"
_BACKWARD = re.compile(r"[\s\-•*]*(?:(?:he|she|they|his|her|their)\b|[她他])", re.IGNORECASE)
_ZH_ATTRIBUTE = (
    "(?:姓名|名字|昵称|电话号码|电话|手机号码|手机号|手机|微信号?|邮箱|电子邮箱|邮件地址|地址|住址|生日|出生日期|年龄|身高|体重|职业|职位|工作|公司|房租|工资|薪水|血型|国籍|籍贯|家乡|密码|身份证号?|护照号?|账号|卡号)"
    "(?:是|为|：|:|有)"
)
_ZH_SUBJECT = rf"用户|我|(?!{_ZH_ATTRIBUTE})[{_CJK}]{{2,4}}(?=的|住|在|是|喜|爱|有|说|想)"
_ZH_SUBORDINATE = ("因为", "所以", "因此", "由于", "如果", "虽然", "尽管", "从而", "以便", "于是", "其中", "这", "那", "该", "此")
_ZH_LISTING = re.compile(
    r"(?:喜欢(?:吃|喝|看|听|玩)?|爱(?:吃|喝)?|讨厌|使用|会说|养了?|有|去过|对|包括|认识|见(?:过|了|到)|买了|是)(?!.*(?:喜欢|使用|会说|包括))"
)


class Part(NamedTuple):
    """A piece that can be asked to go.

    Attributes:
        start, end: where it stands in the text.
        level: -1 a heading with all the lines under it, 0 a sentence or a line, 1 a clause of a sentence with several, 2 an item of
            a list, or what stands in parentheses.
        lead: where what it needs from its sentence to be understood stands (a shared subject, the verb before a list); empty: (0, 0).
        loose: an item that nothing but commas ties to the others, so that it may also be a part of the one before it.
    """

    start: int
    end: int
    level: int
    lead: tuple[int, int] = (0, 0)
    loose: bool = False


@dataclass(slots=True)
class _Unit:
    """A clause: what stands before it, its kind (head, full, pron, pred, sub), and its items if it holds a list."""

    start: int
    end: int
    mark: str
    kind: str
    items: list[tuple[int, int, str]] = field(default_factory=list)
    doubtful: bool = False  # what is joined here may be no list of things alike


@dataclass(slots=True)
class _Sentence:
    start: int
    end: int
    body_end: int  # without the final stop
    units: list[_Unit]
    asides: list[tuple[int, int]]


@cache
def _separator() -> re.Pattern[str]:
    return re.compile(
        r"\s*[;；]\s*(?:and\s+|but\s+)?|\s*,\s+(?:and|but|or|yet|plus)\s+|\s*,\s+|\s+(?:and|but|or|plus)\s+"
        r"|\s+(?=(?:because|although|though|whereas)\b)"
        r"|\s+(?=(?:after|before|since|while|when|until)\s+(?:\w+ing|she|he|they|the user|user)\b)"
        rf"|[，]\s*(?:而且|并且|但是|但|并|也)?|、|(?<=[{_CJK}\w])(?:和|以及|与|及)(?=[{_CJK}A-Za-z])"
    )


def _structure(text: str) -> list[_Sentence]:
    return [_sentence(text, start, end) for start, end in _sentences(text)]


@lru_cache(maxsize=4096)
def _cached(text: str) -> tuple[_Sentence, ...]:
    return tuple(_structure(text))


def _sentences(text: str) -> list[tuple[int, int]]:
    from memopt.facts.reading import split_sentences

    out: list[tuple[int, int]] = []
    for start, end in split_sentences(text):
        # the initials of a name end no sentence
        if out and re.search(r"(?:^|[\s.(])[A-Z]\.$", text[out[-1][0] : out[-1][1]]) and "\n" not in text[out[-1][1] : start]:
            out[-1] = (out[-1][0], end)
        else:
            out.append((start, end))
    return out


def _sentence(text: str, start: int, end: int) -> _Sentence:
    bullet = re.match(r"[-*•–]\s+|\d{1,2}[.)]\s+", text[start:end])
    inner = start + (bullet.end() if bullet else 0)
    body_end = inner + len(text[inner:end].rstrip().rstrip(".!?。！？…"))
    asides = [(m.start(), m.end()) for m in re.compile(r"\s?\([^()]*\)|（[^（）]*）").finditer(text, inner, body_end)]
    blocked = _blocked(text, inner, body_end, asides)
    cuts = [
        m
        for m in _separator().finditer(text, inner, body_end)
        if m.end() < body_end and m.start() > inner and not any(a < m.end() and m.start() < b for a, b in blocked)
    ]
    pieces: list[tuple[int, int, str]] = []
    at, mark = inner, ""
    for cut in cuts:
        pieces.append((at, cut.start(), mark))
        at, mark = cut.end(), cut.group()
    pieces.append((at, body_end, mark))
    units: list[_Unit] = []
    for place, (a, b, sep) in enumerate(pieces):
        kind = _kind(text[a:b], first=place == 0)
        if kind == "item" and units:
            unit = units[-1]
            if not unit.items:
                unit.items.append((_list_start(text, unit.start, unit.end), unit.end, ""))
            unit.items.append((a, b, sep))
            unit.end = b
        else:
            units.append(_Unit(a, b, sep, kind))
    for unit in units:
        if not unit.items:
            continue
        if unit.items[0][0] >= unit.items[0][1]:
            unit.items[0] = (unit.start, unit.items[0][1], "")
            unit.doubtful = True
        else:
            unit.doubtful = _is_doubtful(text, unit)
    return _Sentence(start, end, body_end, units, asides)


def _is_doubtful(text: str, unit: _Unit) -> bool:
    """Whether what is joined in a clause may be something else than a list of things alike, so that none can be taken out."""
    if any(re.search(r"\b(?:but|yet)\b", mark) for _, _, mark in unit.items):
        return True
    before = text[unit.start : unit.items[0][0]]
    labelled = before.rstrip().endswith((":", "："))
    marks = [mark for _, _, mark in unit.items[1:]]
    if not labelled and any(";" in mark or "；" in mark for mark in marks):
        return True  # "needs a visa; appointment on 4 May": what follows is said of what stands before it
    if not labelled and len(marks) == 1 and not re.search(r"\b(?:and|or|plus)\b|[、和与及]", marks[0]):
        return True
    head = _words(before)
    last = len(unit.items) - 1
    for place, (a, b, _) in enumerate(unit.items):
        piece = text[a:b]
        if re.search(rf"[{_CJK}]", piece):
            if len(piece) > 10 or re.search(r"[，因如但想是在]", piece):
                return True
            continue
        words = _words(piece)
        if not words or (len(words) > 6 and place != last):
            return True
        if any(word in _SUBORDINATE or word in _OBJECTS or word == "to" or word in _PRONOUNS for word in words):
            return True
        if any(_is_verb(words, at) for at in range(1, len(words))):
            return True
        if place and len(words) > 1 and re.match(r"[a-z]+[^s\W]s\s", piece):
            return True  # "supports the team and expresses joy": a verb that is not known
        if place != last and any(word in _PREPOSITIONS - {"of"} for word in words):
            return True
        if words[0] in _ADVERBS or _led_by_verb(words):
            return True
        if (
            place
            and len(words) > 1
            and head[-1:] != ["to"]
            and "to" in head
            and words[0] not in _DETERMINERS
            and piece[0].islower()
        ):
            return True  # "wants to learn Spanish and visit Rome"
        if (
            place
            and head[-1:] != ["to"]
            and any(verb.startswith(words[0]) and len(verb) - len(words[0]) <= 2 for verb in _VERBS if len(words[0]) > 2)
        ):
            return True
    return False


def _led_by_verb(words: Sequence[str]) -> bool:
    """Whether an unknown word begins a predicate: no noun stands before a determiner (``values their love``)."""
    closed = _DETERMINERS | _PREPOSITIONS | _ADVERBS | _SUBORDINATE | _POINTS_BACK
    return len(words) > 1 and words[0] not in closed and words[0].isalpha() and words[1] in _DETERMINERS


def _blocked(text: str, start: int, end: int, asides: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where no cut may be: in parentheses, quotations, and hard items such as dates and addresses of the net."""
    from memopt.facts.reading import read

    spans = list(asides)
    for item in read(text).items:
        if start <= item.start < end and item.kind not in ("number",) and item.end - item.start > 2:
            spans.append((item.start, item.end))
    return spans


def _words(text: str) -> list[str]:
    return re.findall(r"[^\s,;:.!?()\"“”]+", text.casefold().replace("’", "'"))


def _is_verb(words: Sequence[str], at: int) -> bool:
    word = words[at]
    if word in _VERBS:
        return True
    if not (len(word) > 4 and word.endswith("ed") and word.isascii()) or word in _PARTICIPLES:
        return False
    if words[at + 1 : at + 2] == ["by"] and (not at or words[at - 1] not in _AUXILIARIES):
        return False  # money raised by Ann
    return words[0] not in ("a", "an")  # a cat loved by all


def _kind(piece: str, *, first: bool) -> str:
    if re.search(rf"[{_CJK}]", piece):
        return _zh_kind(piece, first)
    words = _words(piece)
    if not words:
        return "head" if first else "item"
    if words[0] in _SUBORDINATE and not first:
        return "sub"
    if words[0] in _PRONOUNS and len(words) > 1:
        return "pron"
    at = 0
    while at < len(words) - 1 and words[at] in _ADVERBS:
        at += 1
    if not first and len(words) == at + 1 and words[at] not in _VERBS:
        return "item"  # "more connected, relaxed": one word may be a participle
    if _is_verb(words, at) or (_led_by_verb(words[at:]) and words[at].endswith("s") and not first):
        return "pred"
    # what stands behind "that", or behind a second subject (the photos she takes), is said of a thing and is no clause of its own
    stop = next(
        (
            place
            for place, word in enumerate(words)
            if place
            and ((word in _PREPOSITIONS and word != "of") or word in _RELATIVE or word in _PRONOUNS or word in ("i", "you"))
        ),
        len(words),
    )
    if any(_is_verb(words, place) for place in range(1, min(stop, 9))):
        return "full"
    return "head" if first else "item"


def _zh_kind(piece: str, first: bool) -> str:
    body = piece.strip()
    if body.startswith(_ZH_SUBORDINATE) and not first:
        return "sub"
    if re.match(r"[她他它]", body):
        return "pron"
    if not first and re.match(_ZH_ATTRIBUTE, body):
        return "pred"
    if re.match(_ZH_SUBJECT, body):
        return "full"
    if first:
        return "full"
    return (
        "pred"
        if re.search(rf"[是在有为喜爱住去吃喝养会做过]|{'|'.join(('工作', '学习', '使用', '毕业', '出生'))}|[:：]", body[:12])
        else "item"
    )


def _list_start(text: str, start: int, end: int) -> int:
    """Where the first item of a list begins: behind the verb, or behind a colon."""
    piece = text[start:end]
    if re.search(rf"[{_CJK}]", piece):
        found = list(_ZH_LISTING.finditer(piece))
        return start + found[-1].end() if found else end
    colon = re.match(r"[^:]{1,40}:\s+", piece)
    if colon:
        return start + colon.end()
    spans = [(m.start(), m.end(), m.group().casefold()) for m in re.finditer(r"[^\s,;:.!?()\"“”]+", piece)]
    words = [word for _, _, word in spans]
    for place in range(len(words)):
        if _is_verb(words, place):
            while place + 1 < len(words) and (
                words[place + 1] in _PREPOSITIONS or _is_verb(words, place + 1) or words[place + 1] in _ADVERBS
            ):
                place += 1
            return start + spans[place + 1][0] if place + 1 < len(spans) else end
    return end


def parts(text: str) -> tuple[Part, ...]:
    """Every piece of a text that may be asked to go, outer ones before the inner ones, in the order of the text."""
    out: list[Part] = []
    sentences = _cached(text)
    blocks = _blocks(text, sentences)
    for place, each in enumerate(sentences):
        if place in blocks:
            out.append(Part(each.start, sentences[blocks[place]].end, -1, (each.start, each.end)))
            continue
        above = next((head for head, last in blocks.items() if head < place <= last), None)
        heading = (0, 0) if above is None else (sentences[above].start, sentences[above].end)
        out.append(Part(each.start, each.end, 0, heading))
        lead = (0, 0)
        for unit in each.units:
            if unit.kind in ("head", "full"):
                lead = (unit.start, _subject_end(text, unit))
            if len(each.units) > 1:
                out.append(Part(unit.start, unit.end, 1, (0, 0) if unit.kind in ("head", "full") else lead))
            for a, b, _ in unit.items:
                loose = not re.search(r"\b(?:and|or|plus)\b|[、和与及]", unit.items[-1][2])
                out.append(Part(a, b, 2, (unit.start, unit.items[0][0]), loose))
        out += [Part(a, b, 2, (_around(each, a, b), a)) for a, b in each.asides]
    return tuple(part for part in out if part.start < part.end)


def _around(each: _Sentence, start: int, end: int) -> int:
    """Where what a parenthesis is said of begins: the item of a list, else the clause, that it stands in."""
    for unit in each.units:
        if unit.start <= start and end <= unit.end:
            return next((a for a, b, _ in unit.items if a <= start and end <= b), unit.start)
    return each.start


def _blocks(text: str, sentences: Sequence[_Sentence]) -> dict[int, int]:
    """Headings, lines that end with a colon, by position, and the last line that stands under each."""
    out: dict[int, int] = {}
    for place, each in enumerate(sentences):
        if not text[each.start : each.end].rstrip().endswith((":", "：")) or "\n" not in text[each.end : each.end + 2]:
            continue
        last = place
        for under in range(place + 1, len(sentences)):
            gap = text[sentences[under - 1].end : sentences[under].start]
            if gap.count("\n") > 1 or text[sentences[under].start : sentences[under].end].rstrip().endswith((":", "：")):
                break
            last = under
        if last > place:
            out[place] = last
    return out


def _subject_end(text: str, unit: _Unit) -> int:
    """Where a clause's subject ends: before its verb."""
    piece = text[unit.start : unit.end]
    if re.search(rf"[{_CJK}]", piece):
        found = re.match(_ZH_SUBJECT, piece)
        return unit.start + (found.end() if found else 0)
    end = subject_end(piece)
    return unit.end if end is None else unit.start + end


def subject_end(text: str) -> int | None:
    """Where the subject of an English clause ends, which is before its verb and the adverbs there; None where no verb is known."""
    spans = [(m.start(), m.group().casefold()) for m in re.finditer(r"[^\s,;:.!?()\"“”]+", text)]
    words = [word for _, word in spans]
    for place in range(len(words)):
        if _is_verb(words, place):
            while place and (words[place - 1] in _ADVERBS or (place > 1 and words[place - 1].endswith("ly"))):
                place -= 1
            return len(text[: spans[place][0]].rstrip())
    return None


def subject_of(text: str, start: int) -> tuple[str, bool]:
    """Whom a sentence that begins with ``she``, ``her`` or 她 is about: the words, and whether nobody else could be meant.

    Args:
        start: where the sentence begins, as ``parts`` gives it.

    Returns:
        The subject of the sentence before it; ``("", True)`` for a sentence that has a subject of its own.
    """
    before: _Sentence | None = None
    for each in _cached(text):
        if each.start >= start:
            break
        before = each
    opening = text[start : start + 40]
    implied = _BACKWARD.match(opening) is not None
    if before is None or not implied:
        return "", True
    whom = _owner(text, before)
    if whom is not None and _BACKWARD.match(whom):
        return subject_of(text, before.start)
    return (text[before.start : before.end], False) if whom is None else (whom, True)


def without(text: str, gone: Iterable[Part]) -> str | None:
    """The text without these parts; ``""`` where nothing is left; None where no sound text would be."""
    chosen = list(gone)
    spans = {(part.start, part.end) for part in chosen}
    sentences = _cached(text)
    for part in chosen:
        if part.level < 0:
            spans |= {(each.start, each.end) for each in sentences if part.start <= each.start and each.end <= part.end}
    for head, last in _blocks(text, sentences).items():
        if all((each.start, each.end) in spans for each in sentences[head + 1 : last + 1]):
            spans.add((sentences[head].start, sentences[head].end))  # a heading of nothing
    out = ""
    at = 0
    lost: str | None = None  # whom a pronoun of the next sentence points to, where the sentence before it is gone
    missing = False
    last_subject: str | None = None
    for each in sentences:
        gap = text[at : each.start]
        at = each.end
        new = "" if (each.start, each.end) in spans else _rebuilt(text, each, spans)
        if new is None:
            return None
        opening = text[each.start : each.start + 40]
        whom = last_subject if _BACKWARD.match(opening) else _owner(text, each)
        if not new:
            if not (missing and _BACKWARD.match(opening)):
                lost = whom
            missing = True
            continue
        if missing:
            fixed = _anchored(new, lost, last_subject)
            if fixed is None:
                return None
            if new != fixed or _BACKWARD.match(new):
                whom = lost
            new, missing = fixed, False
        last_subject = whom
        out += (gap if out else "") + new
    tail = text[at:]
    return (out + tail).strip("\n") if out else ""


def _owner(text: str, each: _Sentence) -> str | None:
    """Whom he or she behind this sentence would be, as written; None where it could be somebody else too, or is not told."""
    return _whom(text, each.units[0], each.body_end) if each.units else None


def _whom(text: str, unit: _Unit, end: int) -> str | None:
    from memopt.facts.reading import read

    until = _subject_end(text, unit)
    subject = text[unit.start : until].strip()
    if not subject or _BACKWARD.match(subject):
        return None
    split = _possession(subject)
    owner, thing = split or (subject, "")
    person = any(_is_relation(word) for word in _words(thing)) or thing.startswith(tuple(lexicon.CJK_RELATIONS))
    if split is not None and not person and (_words(thing) or [""])[-1] in _THINGS:
        return owner
    described = re.match(r"\s+(?:is|was|are)\s+(?!with\b)|[是]", text[until:end]) is not None
    for item in read(text).items:  # anybody else who is named
        if item.kind == "name" and until <= item.start < end and not _is_place(text, item.start):
            return None
    relative = any(_is_relation(word) for word in _words(text[until:end])) or any(
        who in text[until:end] for who in lexicon.CJK_RELATIONS
    )
    if relative and not described:  # "Ann is User's colleague" tells who she is, and nobody else
        return None
    return subject if person or split is None else owner


def _is_relation(word: str) -> bool:
    return word.removesuffix("'s") in lexicon.RELATIONS


def _is_place(text: str, at: int) -> bool:
    return re.search(r"\b(?:in|at|from|near|around)\s(?:the\s)?$|[在去到于]$", text[max(0, at - 12) : at]) is not None


def _possession(subject: str) -> tuple[str, str] | None:
    """``Ann Lee's phone number`` as the owner and what is owned."""
    found = re.match(r"(.+)['’]s\s+(.+)$", subject) or re.match(rf"([{_CJK}]{{1,9}})的(.*)$", subject)
    return (found[1], found[2]) if found else None


def _anchored(sentence: str, lost: str | None, before: str | None) -> str | None:
    """A sentence behind one that is gone: its pronoun gets the name that it pointed to; None where it points to something else."""
    words = _words(sentence)
    first = words[0] if words else ""
    if any(word in _OBJECTS for word in words[:6]):
        return None
    zh = re.match(r"([她他])(的?)", sentence)
    if zh or first in ("he", "she", "his", "her"):
        if lost is None:
            return None
        if before is not None and before.casefold() == lost.casefold():
            return sentence
        if zh:
            return f"{lost}{zh[2]}{sentence[zh.end() :]}"
        return lost + ("'s" if first in ("his", "her") else "") + sentence[len(first) :]
    if sentence.startswith(("这", "那", "该", "此", "其", "它")):
        return None
    if first in _POINTS_BACK or first in _PRONOUNS or first in _POSSESSIVES:
        return None
    return sentence


def _halting(sentence: str) -> bool:
    """Whether two finite verbs stand side by side (``left turn``), as where a cut went through a verb phrase."""
    words = _words(sentence)
    return any(a in _VERBS and b in _VERBS and a not in _AUXILIARIES and b not in _AUXILIARIES for a, b in pairwise(words))


def _rebuilt(text: str, each: _Sentence, spans: set[tuple[int, int]]) -> str | None:
    """One sentence without the spans; "" where nothing of it is left."""
    head = text[each.start : each.units[0].start] if each.units else ""
    stop = text[each.body_end : each.end]
    asides = [span for span in each.asides if span in spans]
    pieces: list[tuple[_Unit, str]] = []
    removed: list[_Unit] = []
    touched = bool(asides)
    for unit in each.units:
        if (unit.start, unit.end) in spans:
            removed.append(unit)
            touched = True
            continue
        body = _listed(text, unit, spans)
        if body is None:
            return None
        if not body:
            removed.append(unit)
            touched = True
            continue
        touched = touched or body != text[unit.start : unit.end]
        pieces.append((unit, body))
    if not touched:
        return text[each.start : each.end]
    if not pieces:
        return ""
    if _CORRELATIVE.search(text[each.start : each.end]):
        return None  # one half of "not only ... but also" says something else
    for a, b in asides:
        aside = text[a:b]
        pieces = [(unit, body.replace(aside, "", 1) if unit.start <= a and b <= unit.end else body) for unit, body in pieces]
    for unit in removed:
        follower = each.units[each.units.index(unit) + 1] if unit is not each.units[-1] else None
        if follower is not None and follower.kind == "sub" and follower not in removed:
            return None  # a reason or a condition of what is gone
        if (
            unit.kind == "sub"
            and follower is not None
            and follower.kind == "pred"
            and follower not in removed
            and not re.match(r"(?:who|whose|whom|which)\b", _body(unit, text))
        ):
            return None  # "because she is kind and wanted to help": it may go on with the reason
        if follower is not None and follower not in removed and _points_to(text, unit, follower):
            return None
    first, body = pieces[0]
    if (
        first is each.units[0]
        and _words(body)[:1]
        and _words(body)[0] in _SUBORDINATE
        and each.units[1:2]
        and each.units[1] in removed
    ):
        return None  # "When she was ill, her mother came and helped" without her mother
    if each.units[0] in removed:
        started = _started(text, each.units[0], first, body)
        if started is None:
            return None
        body = started
    out = body
    for place, (_, more) in enumerate(pieces[1:], 1):
        out += _joint(each, pieces, place, removed) + more
    if (
        not _finite(out)
        or re.search(r"\b(?:that|because|when|where|while)\s+(?:\w+ing\s+)?\w+$", out)
        or (_halting(out) and not _halting(text[each.start : each.end]))
    ):
        return None
    if text[each.units[0].start].isupper() and out[0].islower():
        out = out[0].upper() + out[1:]
    return head + out.strip() + stop


def _points_to(text: str, gone: _Unit, follower: _Unit) -> bool:
    """Whether a kept clause has a word that may mean something in the clause before it that is gone: it, them, her of somebody else."""
    words = _words(_body(follower, text))
    if any(word in _OBJECTS for word in words[:6]) or any(word in ("it", "them", "him", "both") for word in words):
        return True
    if not any(word in _POSSESSIVES for word in words[1:]):
        return False
    from memopt.facts.reading import read

    until = _subject_end(text, gone)
    behind = text[until : gone.end]
    named = any(
        item.kind == "name" and until <= item.start < gone.end and not _is_place(text, item.start) for item in read(text).items
    )
    return named or any(_is_relation(word) for word in _words(behind))


def _body(unit: _Unit, text: str) -> str:
    return text[unit.start : unit.end]


def _started(text: str, gone: _Unit, unit: _Unit, body: str) -> str | None:
    """A clause that now begins its sentence, with the subject that it shared with the clause that is gone."""
    subject = text[gone.start : _subject_end(text, gone)].strip()
    if unit.kind in ("pron", "full") and _person(body) and _person(body) == _person(text[gone.start : gone.end]):
        return body  # both said she: whoever that is
    if gone.kind in ("sub", "head") or (not subject and gone.kind != "pred"):
        return None
    if re.search(r":\s|：", text[gone.start : gone.end]):
        return None  # what the colon announced
    if re.search(r"[;；]", unit.mark) and (unit.kind == "pred" or re.match(r"the (?!user\b)", body)):
        return None  # "accepted the offer; starts in May": it may go on about what is gone
    whom = _whom(text, gone, gone.end)
    if re.search(rf"[{_CJK}]", body):
        if unit.kind == "full":
            return body
        if unit.kind == "pron":
            return None if whom is None else whom + body[1:]
        if unit.kind == "pred":
            noun = re.match(_ZH_ATTRIBUTE, body) is not None
            owner = (_possession(subject) or (subject, ""))[0]
            return f"{owner}{'的' if noun else ''}{body}"
        return None
    words = _words(body)
    if gone.kind == "pred":  # the subject was never written: Lives in Bern and works at Noma
        return body if unit.kind == "pred" else None
    if unit.kind == "pred":
        return f"{subject} {body}"
    if unit.kind == "pron":
        if words[0] not in ("he", "she") or whom is None:
            return None
        return whom + body[len(words[0]) :]
    if unit.kind == "full":
        if words[0] in ("his", "her"):
            return None if whom is None else f"{whom}'s{body[len(words[0]) :]}"
        if words[0] in _POINTS_BACK or words[0] in _POSSESSIVES:
            return None
        owned = _possession(subject)
        if body[0].islower() and owned and words[0] not in ("the", "a", "an", "my", "our", "user", "user's"):
            return f"{owned[0]}'s {body}"
        return body
    return None


_PERSONS = {"she": "f", "her": "f", "he": "m", "his": "m", "they": "p", "their": "p", "她": "f", "他": "m"}


def _person(clause: str) -> str | None:
    """Which pronoun a clause begins with, whatever its case."""
    found = re.match(r"\s*(?:(she|her|he|his|they|their)\b|([她他]))", clause, re.IGNORECASE)
    return _PERSONS[(found[1] or found[2]).casefold()] if found else None


def _joint(each: _Sentence, pieces: Sequence[tuple[_Unit, str]], place: int, removed: Sequence[_Unit]) -> str:
    """What stands between a kept clause and the kept one before it."""
    unit, before = pieces[place][0], pieces[place - 1][0]
    if before.kind == "head" and unit.kind == "pred" and len(removed) and each.units.index(before) + 1 != each.units.index(unit):
        return " "  # Ann Lee, whose ..., lives in Bern
    last_gone = each.units[-1] in removed
    last_kept = place == len(pieces) - 1
    mark = unit.mark
    if last_gone and last_kept and mark.strip() == "," and re.search(r"\b(and|or)\b", each.units[-1].mark):
        word = re.search(r"\b(and|or)\b", each.units[-1].mark)
        assert word is not None
        return f" {word[1]} "
    if len(pieces) == 2 and len(removed) and unit.kind == "pred" and re.fullmatch(r"\s*,\s+(and|or)\s+", mark):
        return " " + mark.strip(" ,") + " "
    return mark


def _listed(text: str, unit: _Unit, spans: set[tuple[int, int]]) -> str | None:
    """A clause without those of its items that go; "" where all of them go."""
    gone = [place for place, (a, b, _) in enumerate(unit.items) if (a, b) in spans]
    if not gone:
        return text[unit.start : unit.end]
    kept = [place for place in range(len(unit.items)) if place not in gone]
    if not kept:
        return ""
    if unit.doubtful:
        return None
    values = [text[a:b] for a, b, _ in unit.items]
    tail = ""
    if gone[-1] == len(values) - 1 and text.isascii():
        words = re.search(rf"\s+(?:{'|'.join(sorted(_PREPOSITIONS - {'of'}))})\s.*$", values[-1])
        tail = words.group() if words else ""  # "Ann and Bob in Rome": where it was belongs to both
        if tail and not values[-1][:1].isupper():
            return None  # "other cultures and connecting with people": it may belong to the last alone
    final = unit.items[-1][2]
    marks = [mark for _, _, mark in unit.items]
    out = values[kept[0]]
    for number, place in enumerate(kept[1:], 1):
        if number == len(kept) - 1:
            # a list of two takes no comma before its "and"; Chinese writes its last mark as it stood
            plain = re.fullmatch(r"\s*,\s+(and|or)\s+", final)
            mark = f" {plain[1]} " if plain and len(kept) == 2 else final
        else:
            mark = marks[place]
        out += mark + values[place]
    return text[unit.start : unit.items[0][0]] + out + tail


def _finite(sentence: str) -> bool:
    """Whether it can stand alone: it has a verb, or it is a label with a value."""
    if re.search(rf"[{_CJK}]", sentence):
        return len(sentence.strip()) > 2
    words = _words(sentence)
    return any(_is_verb(words, place) for place in range(len(words))) or bool(re.search(r":\s*\S", sentence))


__all__ = ["Part", "parts", "subject_end", "subject_of", "without"]
