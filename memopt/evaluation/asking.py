"""Turning a plain sentence with a gap into a question. Rules for shapes that are common in memories; None for any other.

English asks by moving: ``User lives in Bern`` becomes ``Where does the user live?``. Chinese asks in place: 用户住在伯尔尼
becomes 用户住在哪里？
"""

from __future__ import annotations

import re
from functools import cache

from memopt.facts import lexicon
from memopt.facts.words import CJK

_BE = frozenset("is are was were".split())
_MODAL = frozenset("can could will would should must may might".split())
_PREPOSITIONS = "|".join(
    (
        "on in at since until till by from for to with about of as into near during before after under over around through "
        "against than"
    ).split()
)
_WHERE = frozenset("live work move stay study relocate reside settle grow bear born located based live stays".split())
_SILENT_E = frozenset(
    """
    move live use love like share create prepare receive decide invite arrange organize organise celebrate participate
    graduate donate     bake hike bike drive close name hope taste ride dine cycle commute relocate relate quote note vote
    manage change encourage engage charge urge challenge judge acquire admire hire require inquire explore store score restore
    ignore compete complete delete promote devote write include provide guide divide reside side schedule measure ensure insure
    figure practise practice advise raise praise exercise purchase promise reduce produce introduce notice place replace trace
    race dance achieve believe improve remove prove save serve observe solve resolve involve arrive survive leave give have love
    continue value argue pursue rescue issue review queue tie die lie
    handle settle struggle enable double assemble juggle tackle sample couple
    smoke joke wake take make bake shake like strike evoke
    combine define determine examine imagine line mine join shine phone tune time dime welcome become resume consume assume
    type hope cope shape tape escape wipe
    state rate update donate locate dedicate communicate appreciate create decorate educate estimate illustrate motivate
    operate celebrate collaborate concentrate contribute execute distribute substitute institute execute excite unite write invite
    describe subscribe prescribe bribe
    """.split()
)
_PARTICIPLES = frozenset(
    """
    had been gone got made taken seen done given known won lost met found left run come become begun written read bought built
    kept held sold sent spent told taught thought grown chosen driven spoken broken worn paid put cut quit
    """.split()
)
_NOT_A_VERB = frozenset("always often usually sometimes also this his its as has is was us plus thus yes news".split())


# -- English -----------------------------------------------------------------------------------------------------------


def asked_in_english(sentence: str, gap: int, gap_end: int, kind: str) -> str | None:
    """The question for what stands between ``gap`` and ``gap_end``.

    Args:
        kind: what stands there: ``date``, ``time``, ``number``, ``quantity``, ``money``, ``percent``, ``name``, ``value``, other.
    """
    clause, gap, gap_end = _clause(sentence, gap, gap_end)
    found = _parse(clause)
    if found is None or gap < 0:
        return None
    subject, verb, rest_at = found
    if gap < rest_at - len(verb) - 1:
        return _about_subject(clause, subject, verb, rest_at, gap, gap_end, kind)
    before, after = clause[rest_at:gap].strip(), clause[gap_end:].strip(" .!")
    answer = clause[gap:gap_end]
    if not before and not answer.strip():
        return None
    asked = _moved(verb, before)
    if asked is None:
        return None
    aux, base, before = asked
    who = _lowered(subject)
    word, before, after = _wh(kind, before, after, base, verb, answer)
    if word is None:
        return None
    parts = [word, aux, who, base, before, after]
    text = re.sub(r"\s+", " ", " ".join(part for part in parts if part)).strip(" ,")
    return re.sub(r"\s+([,.;:])", r"\1", text) + "?"


def _clause(sentence: str, gap: int, gap_end: int) -> tuple[str, int, int]:
    """The main clause, without a bullet before it and without what follows it, where the gap stands in it; else a gap of -1."""
    start = len(sentence) - len(sentence.lstrip("-*• \t"))
    end = len(sentence)
    for found in re.finditer(r"[;:()\[\]\"“”]|,\s|\s[-–—]\s|\s(?:and|but|because|which|who|while|so that)\s", sentence[start:]):
        at = start + found.start()
        if at >= gap_end:
            end = at
            break
        if at < gap and found.group().strip() not in ("–", "—", "-"):
            return sentence, -1, -1
    return sentence[start:end].rstrip(), gap - start, gap_end - start


_SUBJECT = re.compile(
    r"(?P<own>(?:The |the )?[Uu]ser|[A-Z][\w’'.-]*(?: (?:[A-Z][\w’'.-]*|of|de|van|von|the))*?)(?P<of>['’]s)?(?= )"
)


def _parse(clause: str) -> tuple[str, str, int] | None:
    """The subject as it is written, its verb, and where what follows the verb begins."""
    found = _SUBJECT.match(clause)
    if found is None or re.match(r"\w+ly\b|\w+(?:ed|ing)\b", clause):
        return None  # Successfully finished ..., Identified ...: nobody is named
    words = list(re.finditer(r"\S+", clause))
    first = sum(word.start() < found.end() for word in words)
    least = first + (1 if found["of"] else 0)
    for at in range(least, min(first + 6, len(words))):
        word = words[at].group()
        plain = word.lower().strip(",")
        if at > least and plain in ("and", "or", "who", "that", "which"):
            return None
        if not _is_verb(plain) or (word[:1].isupper() and plain not in _BE):
            if not found["of"] and not word[:1].isupper():
                return None  # an adverb, or no sentence of that shape
            continue
        if at + 1 < len(words) and found["of"] and at == least and _is_verb(words[at + 1].group().lower()):
            continue  # a noun that looks like a verb: the user's notes are
        return clause[: words[at].start()].strip(), word, words[at].end() + 1
    return None


def _is_verb(word: str) -> bool:
    if word in _BE or word in _MODAL or word in ("has", "had", "did", "does"):
        return True
    if word in _NOT_A_VERB or not word.isalpha():
        return False
    return (word in lexicon.IRREGULAR and lexicon.IRREGULAR[word] != word) or (word.endswith(("s", "ed")) and len(word) > 3)


def _lowered(subject: str) -> str:
    return re.sub(r"^(?:The |the )?[Uu]ser", "the user", subject)


def _moved(verb: str, rest: str) -> tuple[str, str, str] | None:
    """What the verb becomes in a question: the word that moves before the subject, what stays behind it, and the rest."""
    plain = verb.lower()
    following = rest.split(" ", 1)[0].lower() if rest else ""
    if following in ("not", "never", "no", "n't"):
        return None
    if plain in _BE or plain in _MODAL:
        return plain, "", rest
    if plain in ("has", "had") and (following in _PARTICIPLES or (following.endswith("ed") and len(following) > 4)):
        return plain, "", rest
    if plain == "had":
        return "did", "have", rest
    base = base_form(plain)
    if base is None:
        return None
    past = plain.endswith("ed") or (plain in lexicon.IRREGULAR and not plain.endswith("s"))
    return ("did" if past else "does"), base, rest


def base_form(verb: str) -> str | None:
    """The base of a verb in the third person or the past; None where that cannot be told."""
    if verb in ("has", "had"):
        return "have"
    if verb in lexicon.IRREGULAR:
        return lexicon.IRREGULAR[verb]
    if verb.endswith("ied"):
        return verb[:-3] + "y"
    if verb.endswith("ed"):
        stem = verb[:-2]
        if stem + "e" in _silent():
            return stem + "e"
        if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] in "bdgmnprt":
            return stem[:-1]
        if stem[-1] in "cuvz" or (stem.endswith("at") and not stem.endswith("eat")) or re.search(r"[^n]g$|ys$", stem):
            return stem + "e"
        unclear = stem.endswith("ng") or (len(stem) < 5 and re.search(r"[^aeiou][aeiou][^aeiouwxy]$", stem))
        return None if unclear else stem
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("ches", "shes", "sses", "xes", "zzes", "oes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else None


@cache
def _silent() -> frozenset[str]:
    return _SILENT_E | {base for base in lexicon.IRREGULAR.values() if base.endswith("e")}


_PREPOSITION_LAST = re.compile(rf"(?:^|\s)(?P<word>{_PREPOSITIONS})(?: (?:the|a|an|about|around))?$", re.IGNORECASE)


def _wh(kind: str, before: str, after: str, base: str, verb: str, answer: str) -> tuple[str | None, str, str]:
    """The word that asks, and what is left before and behind the gap."""
    found = _PREPOSITION_LAST.search(before)
    preposition = found["word"].lower() if found else ""
    head = before[: found.start()] if found else before
    if kind == "date":
        if preposition in ("on", "in", "at", "during", "around", ""):
            # without a preposition only behind is, was, or a verb that takes none
            return ("When", head, after) if preposition or not before else (None, "", "")
        if preposition in ("since", "until", "till", "by", "from", "for"):
            return f"{preposition.capitalize()} when", head, after
        return None, "", ""
    if kind == "time":
        return ("At what time", head, after) if preposition == "at" else (None, "", "")
    if kind in ("number", "quantity") and re.fullmatch(r"[\d.,]+|[a-z]+", answer):
        noun = re.match(r"[a-z][a-z-]+", after)
        if noun and not before and noun.group() not in ("of", "or", "and", "to", "in", "times"):
            tail = after[noun.end() :]
            tail = "" if re.match(r"\s*(?:,|named|called)", tail) else tail
            return f"How many {noun.group()}", "", tail
        return None, "", ""
    if kind == "quantity" and re.search(r"\b(?:year|month|week|day|hour|minute)s?$", answer):
        if preposition == "for" or answer.lower().startswith("for "):
            return "For how long", head if preposition == "for" else before, after
        return None, "", ""
    if kind == "money":
        if preposition == "for":
            return "For how much", head, after
        if not before and (base in ("pay", "cost", "earn", "spend", "save", "owe", "charge") or verb in _BE):
            return (f"How much {after}" if re.match(r"[a-z]", after) else "How much"), "", ""
        return None, "", ""
    if kind == "percent":
        return None, "", ""
    if after and not re.match(rf"(?:{_PREPOSITIONS})\b", after):
        return None, "", ""  # something that belongs to the name
    if kind == "quantity" and preposition == "in" and ":" in answer:
        return "In what time", head, after
    if kind not in ("name", "value", "quote", "email", "url", "phone"):
        return None, "", ""
    return _for_name(preposition, head, before, after, base, verb, answer)


def _for_name(
    preposition: str, head: str, before: str, after: str, base: str, verb: str, answer: str
) -> tuple[str | None, str, str]:
    """``_wh`` for names and other values."""
    last = head.split()[-1].lower() if head.split() else verb.lower()
    places = base in _WHERE or _ends_where(head, verb)
    if preposition == "in" and answer.lower() in _LANGUAGES:
        return "In which language", head, after
    if preposition in ("in", "at", "near") and last not in _ABOUT:
        return "Where", head, after
    if preposition == "to" and places:
        return "Where", head, after
    if re.match(r"to [a-z]", after) and not places:
        return None, "", ""  # reminds somebody to do something
    if preposition in ("since", "until", "during", "before", "after", "of", "than"):
        return None, "", ""
    thing = "where" if preposition == "from" and places else "whom" if preposition == "with" else "what"
    if preposition and after:
        return f"{preposition.capitalize()} {thing}", head, after
    if preposition:
        return {"what": "What", "whom": "Who", "where": "Where"}[thing], f"{head} {preposition}", ""
    if before:
        return None, "", ""
    return "Who" if base in _PEOPLE else "What", "", after


_ABOUT = frozenset(
    "interested fluent certified specialize specialise specializes specialises majors major invest invests invested "
    "experience degree expert skilled proficient believes believe participated participates engaged involved confidence "
    "faith trust pride".split()
)
"""Words after which ``in`` tells no place."""
_PEOPLE = frozenset("meet marry date call interview hire mentor thank know befriend coach teach".split())
_LANGUAGES = frozenset(
    "english chinese mandarin cantonese german french spanish italian portuguese dutch russian japanese korean arabic hindi "
    "turkish polish swedish danish norwegian finnish greek hebrew ukrainian vietnamese thai python rust go java javascript "
    "typescript".split()
)


def _ends_where(head: str, verb: str) -> bool:
    """Whether what stands before the preposition is a verb of place: has moved, is based, is working."""
    last = head.split()[-1].lower() if head.split() else verb.lower()
    plain = re.sub(r"(?:ing|ed|s|d)$", "", last)
    return last in _WHERE or plain in _WHERE or plain + "e" in _WHERE


def _about_subject(clause: str, subject: str, verb: str, rest_at: int, gap: int, gap_end: int, kind: str) -> str | None:
    """Where the gap is a name behind a noun of the subject: the user's colleague Marta."""
    found = re.fullmatch(r"(?P<own>.+?)['’]s (?P<noun>[a-z][a-z -]*?) ", clause[:gap])
    rest = clause[rest_at:].strip(" .!")
    if kind != "name" or found is None or clause[gap_end : gap_end + 1] != " " or subject != clause[:gap_end].strip() or not rest:
        return None
    return f"Which {found['noun']} of {_lowered(found['own'])} {verb} {rest}?"


# -- Chinese -----------------------------------------------------------------------------------------------------------

_NUMERALS = "0-9０-９零〇一二两三四五六七八九十百千万亿.,"
_CLASSIFIERS = "个只条辆本家份台次场位张部间座把件套幅首所栋瓶杯盒双支顶名岁天年周月小时分钟公里米斤公斤"


def asked_in_chinese(sentence: str, gap: int, gap_end: int, kind: str) -> str | None:
    """The question for what stands between ``gap`` and ``gap_end``, asked in its place."""
    start = max((sentence.rfind(mark, 0, gap) + 1 for mark in "，。；！,;"), default=0)
    ends = [at for at in (sentence.find(mark, gap_end) for mark in "，。；！,;") if at >= 0]
    clause = sentence[start : min(ends, default=len(sentence))].strip()
    lead = len(sentence[start:]) - len(sentence[start:].lstrip())
    at, at_end = gap - start - lead, gap_end - start - lead
    if at < 0 or at_end > len(clause):
        return None
    before, answer, after = clause[:at], clause[at:at_end], clause[at_end:]
    word = _word(kind, before, answer, after)
    if word is None:
        return None
    asked = f"{before}{word}{after}".rstrip(" .")
    subject = re.match(
        rf"用户(?:的[{CJK}]{{1,4}}?(?=[叫是在有住喜今每会刚从，]))?|[{CJK}A-Za-z·]{{1,8}}?(?=[是有在住])", sentence
    )
    if start and subject is not None and not re.match(r"用户|[他她]", asked):
        asked = f"{subject.group()}{asked}"
    return asked + "？"


def _word(kind: str, before: str, answer: str, after: str) -> str | None:
    if kind == "date":
        return "什么时候"
    if kind == "time":
        return "几点"
    if kind == "money":
        return "多少钱"
    if kind == "percent":
        return "百分之多少"
    if kind in ("number", "quantity"):
        found = re.match(rf"[{_NUMERALS}]+", answer)
        unit = answer[found.end() :] if found else ""
        if found is None:
            return None
        if re.search(r"小时|分钟|[年月周天秒]$", unit):
            return "多久" if re.search(r"\d", unit) or not re.fullmatch(rf"[{CJK}]{{1,2}}", unit) else f"多少{unit}"
        if re.search(r"\d", unit):
            return None
        return f"多少{unit}" if unit or after[:1] in _CLASSIFIERS or not after else "多少"
    if re.search(r"(?:住在|住|搬到|搬去|搬往|位于|来自|去|在|到|回)$", before):
        return "哪里"
    if kind == "phone":
        return "多少"
    return "什么"
