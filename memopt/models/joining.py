"""Joining sentences that say the same of several things, without saying more than they did.

Two ways, both kept narrow:

- a *join* puts a list where sentences differ in one place only: "User likes hiking." and "User likes sushi." become
  "User likes hiking and sushi.". Only a place behind a verb or preposition can hold a list, never the complement of ``is``, and never
  an attribute that holds one value at a time.
- an *ellipsis* writes a common beginning once: "User met Ana in Rome; Li in Oslo.". Every part keeps its own middle and end, so
  nothing crosses over.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from memopt.facts.statements import read_statements, split_list

MOST = 40
"""At most so many values stand in one list."""

FIGURES = 12
"""At most so many figures."""

_PREPOSITIONS = frozenset(
    "in on at with from to for of about by into over under via near during since until without around towards against between through".split()
)
_ENDS = _PREPOSITIONS | frozenset(
    """and or next this last every each because while per as than before after using who which that when where today tomorrow yesterday tonight
    daily weekly monthly twice once again""".split()
)
_COPULAS = frozenset(
    "is are was were be been feels felt seems seemed looks looked became becomes remains remained stays weighs weighed costs cost am named called".split()
)
_VERBS = frozenset(
    """has likes loves enjoys hates dislikes prefers owns uses wants needs knows speaks plays drives eats drinks reads watches works lives is was
    follows supports collects visits takes studies teaches attends wears carries avoids runs rides trains practices practises writes builds
    maintains manages leads asks plans hopes tries wishes considers thinks believes values finds keeps makes buys sells hosts grows cooks bakes
    listens belongs subscribes contributes volunteers pays rents suffers mentions said asked had""".split()
)
_PAST = frozenset(
    """slept met ran ate bought went saw won wrote took made gave told said left sold spent drove flew swam paid had got did began broke built
    caught chose came fell found forgot heard held kept knew led lost sent sang sat spoke stood taught thought wore read rode grew drew drank hurt hit
    put set cut quit""".split()
)
_MEETING = frozenset("met saw married joined visited called interviewed hired introduced invited told asked helped".split())
_ADVERBS = frozenset(
    "often also still now currently recently usually sometimes always really just already regularly occasionally finally".split()
)
_UNJOINABLE = re.compile(
    r"\b(?:only|just|either|neither|nor|both|except|instead|exactly|most|least|than|if|unless|but|so|he|she|him|his|her|hers|they|their|its|himself|herself|"
    r"themselves|same|other|another|respectively|former|latter|together|rather|although|though|however|whereas|which|who|whose|favou?rite|respectively|"
    r"first|second|third|old|older|oldest|younger|youngest|best|worst)\b|[\"“”‘`{}<>\[\]|\\*#=]|'[^s]|\?",
    re.IGNORECASE,
)
_ADVERB = re.compile(
    r"\b(?!(?:family|italy|july|early|only|daily|weekly|assembly|butterfly|jelly|reply|supply|belly|ally|bully|lily|holly|emily|sally|molly|billy)\b)\w+ly$|\b(?:well|better|much|more|less|too|very|alone|together|a lot|a bit|a little)$"
)
_NEGATED = re.compile(r"\b(?:not|never|no|cannot|without|avoids)\b|n['’]t\b", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|recently|soon|currently|now|ago|(?:next|last|this|coming|past) (?:week|weekend|month|quarter|year|"
    r"spring|summer|autumn|fall|winter|night|morning|evening|monday|tuesday|wednesday|thursday|friday|saturday|sunday|semester|term))\b|"
    r"今天|明天|昨天|后天|前天|今晚|昨晚|最近|目前|现在|(?:下|上|这|本)(?:个)?(?:周|月|星期|礼拜|季度|学期)|今年|明年|去年",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[€$£¥]?\d[\d.,:]*(?:ms|km|kg|cm|mm|g|h|s|m|%)?")
_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_TOKEN = re.compile(r"\s*(\S+?)([,;:.!]*)(?=\s|$)")

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
        dated: another sentence says otherwise and it is not known which one holds, so the day of writing must be told.
    """

    text: str
    sources: tuple[int, ...]
    originals: tuple[tuple[str, tuple[int, ...]], ...] = ()
    when: tuple[float, float] | None = None
    fixed: bool = False
    variants: tuple[str, ...] = ()
    bare: str = ""
    dated: bool = False
    form: Form | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Form:
    """A sentence cut into tokens, with the places where a list may stand.

    Attributes:
        tokens: words and punctuation marks.
        lead: how many tokens the subject and its verb phrase take; an ellipsis may leave these out.
        slots: (first, last + 1) of every place that may hold a list.
        past: whether the main verb tells of something over, so that figures may stand in a list.
    """

    tokens: tuple[str, ...]
    lead: int
    slots: tuple[tuple[int, int], ...]
    past: bool


DAY_WORD = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:next|last|this|coming|past) (?:night|morning|evening|weekend|monday|tuesday|wednesday|thursday|friday|saturday|"
    r"sunday)|(?:days?|weeks?|months?|years?|hours?) ago|in (?:an?|one|two|three|four|five|six|a few|a couple of|\d+) (?:days?|weeks?|months?|hours?))\b|今天|明天|昨天|后天|前天|今晚|昨晚|[天周月年]前|(?:下|上|这|本)(?:个)?(?:周|星期)[一二三四五六日天末]",
    re.IGNORECASE,
)
"""Times told from the very day of writing: two sentences with one are about two days, however alike."""


def tokens_of(text: str) -> tuple[str, ...]:
    """Words, and the punctuation behind them as tokens of their own; the final stop is left out."""
    out: list[str] = []
    for match in _TOKEN.finditer(text):
        word, marks = match[1], match[2]
        out.append(word)
        out.extend(marks)
    while out and out[-1] in ".!":
        out.pop()
    return tuple(out)


def write(tokens: Iterable[str]) -> str:
    """Tokens as text: no blank before a mark."""
    out = ""
    for token in tokens:
        out += token if not out or token in (",", ";", ":", ".", "!") else f" {token}"
    return out


@lru_cache(maxsize=131072)
def form_of(text: str) -> Form | None:
    """The form of an English sentence with a subject and verb that are understood, else None."""
    tokens = tokens_of(text)
    if not 3 <= len(tokens) <= 40 or not text.isprintable():
        return None
    verb = _verb_at(tokens)
    if verb is None:
        return None
    if any(item.cardinality != "many" for item in read_statements(text)) or _UNJOINABLE.search(text.replace("User's", "User")):
        return Form(tokens, 0, (), False)
    low = [token.casefold() for token in tokens]
    past = low[verb] in _PAST or (low[verb].endswith("ed") and low[verb] not in ("need",))
    lead = verb + 1
    openers = set()
    if low[verb] in _COPULAS:
        # is working on, is allergic to, is the owner of: the copula itself takes no list
        if low[verb] not in ("is", "was", "are", "were"):
            return Form(tokens, 0, (), past)
        if verb + 1 < len(tokens) and low[verb + 1].endswith("ing"):
            lead = verb + 2
            openers.add(verb + 1)
    elif low[verb] in (
        "does",
        "did",
        "do",
        "can",
        "cannot",
        "will",
        "would",
        "should",
        "may",
        "might",
        "don't",
        "doesn't",
        "can't",
    ):
        step = verb + 2 if verb + 1 < len(low) and low[verb + 1] == "not" else verb + 1
        if step >= len(tokens) or low[step] == "be":
            return Form(tokens, 0, (), past)
        lead = step + 1
        openers.add(step)
    else:
        openers.add(verb)
        if verb + 2 < len(low) and low[verb + 1] == "to":
            openers.discard(verb)
            openers.add(verb + 2)
            lead = verb + 3
    if lead < len(tokens) and low[lead] in _PREPOSITIONS:
        openers.discard(lead - 1)
        lead += 1
    openers |= {index for index in range(verb + 1, len(tokens)) if low[index] in _PREPOSITIONS}
    slots: list[tuple[int, int]] = []
    for opener in sorted(openers):
        start = opener + 1
        end = start
        while (
            end < len(tokens)
            and end - start < 7
            and tokens[end] not in (",", ";", ":", ".", "!")
            and (low[end] not in _ENDS or (low[end] == "of" and end > start))
        ):
            end += 1
        if end == start:
            continue
        if end < len(tokens) and low[end] not in _ENDS and tokens[end] not in (",", ";", "."):
            continue
        piece = tokens[start:end]
        if any(word in _VERBS or word in _COPULAS or word in _PAST for word in low[start:end]) or low[start] in (
            "to",
            "that",
            "how",
        ):
            continue  # a clause of its own
        if _ADVERB.search(" ".join(low[start:end])):
            continue  # "French fluently" says nothing of Spanish
        if past and (low[opener] == "with" or (low[verb] in _MEETING and opener == verb)):
            continue  # two meetings are not one with both
        if _holds_figure(piece):
            # a figure that differs in an account of the present is a newer figure, not one of a list
            dated = all(_DATE.fullmatch(token) for token in piece)
            if not (past or (dated and low[verb] == "has")):
                continue
        slots.append((start, end))
    if past:
        # a bare figure in an account of something over: slept 8 hours; the latency was 878 ms
        for index in range(lead, len(tokens)):
            if _NUMBER.fullmatch(tokens[index]) and not _DATE.fullmatch(tokens[index]):
                # with its unit, so that every figure of the list has its own
                end = index + 1
                if end < len(tokens) and re.fullmatch(r"[a-zµ%°/]{1,9}", tokens[end]) and low[end] not in _ENDS:
                    end += 1
                if (index, end) not in slots:
                    slots.append((index, end))
    if low[verb] in _COPULAS:
        lead = lead if lead > verb + 1 else 0
    return Form(tokens, lead, tuple(slots), past)


def _holds_figure(piece: Sequence[str]) -> bool:
    return any(token[0].isdigit() or token[0] in "€$£¥" for token in piece)


def _verb_at(tokens: Sequence[str]) -> int | None:
    """Where the main verb stands, for the subjects that are understood: the user, a name, what belongs to one, or none."""
    low = [token.casefold() for token in tokens]
    index = 0
    if low[:2] == ["the", "user"]:
        index = 2
    elif low[0] in ("user", "i"):
        index = 1
    elif low[0] in ("user's", "user’s") or re.fullmatch(r"[A-Z][\w.-]*['’]s", tokens[0]):
        for index in range(1, min(6, len(tokens))):
            if low[index] in _VERBS | _COPULAS | _PAST:
                return index
        return None
    elif low[0] in _VERBS and tokens[0][0].isupper():
        return 0
    elif (
        tokens[0][0].isupper()
        and tokens[0][0].isalpha()
        and low[0]
        not in (
            "the",
            "a",
            "an",
            "this",
            "that",
            "it",
            "he",
            "she",
            "they",
            "we",
            "you",
            "all",
            "in",
            "on",
            "at",
            "if",
            "no",
            "files",
            "file",
        )
        and not low[0].endswith(("ed", "ly", "ing"))
    ):
        while index < min(5, len(tokens)) and tokens[index][0].isupper():
            index += 1
    else:
        return None
    while index < len(tokens) and low[index] in _ADVERBS:
        index += 1
    if index >= len(tokens):
        return None
    word = low[index]
    if low[0] == "i" and (f"{word}s" in _VERBS or f"{word}es" in _VERBS or word in ("have", "am", "study", "carry")):
        return index
    if (
        word in _VERBS
        or word in _PAST
        or word in _COPULAS
        or word in ("does", "did", "do", "can", "cannot", "will", "would", "doesn't", "don't", "can't")
    ):
        return index
    if (
        tokens[index].isascii()
        and tokens[index].islower()
        and len(word) > 3
        and (word.endswith("ed") or (word.endswith("s") and not word.endswith("ss")))
    ):
        return index
    return None


def list_of(values: Sequence[str], word: str = "and") -> str:
    """``A, B and C``; a comma before the last where a value holds the word itself."""
    if len(values) == 1:
        return values[0]
    if all(value.startswith("the ") for value in values):
        values = [values[0], *(value[4:] for value in values[1:])]
    clash = any(re.search(r"\b(?:and|or)\b", value) for value in values)
    return f"{', '.join(values[:-1])}{',' if clash else ''} {word} {values[-1]}"


def join(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Join what differs in one place only. The order of first mention is kept; time is linear in the total number of places."""
    out: list[Sentence | None] = list(sentences)
    _join_chinese(out)
    frames: dict[tuple[tuple[str, ...], tuple[str, ...]], list[tuple[int, int, int]]] = defaultdict(list)
    for index, item in enumerate(out):
        if item is None or item.fixed or DAY_WORD.search(item.text):
            continue
        item.form = form_of(item.text)
        if item.form is None:
            continue
        folded = tuple(token.casefold() for token in item.form.tokens)
        for start, end in item.form.slots:
            frames[folded[:start], folded[end:]].append((index, start, end))
    ranked = []
    for (prefix, suffix), members in frames.items():
        if len(members) < 2:
            continue
        ranked.append((-(len(members) - 1) * (len(prefix) + len(suffix)), -len(prefix), members[0][0], (prefix, suffix)))
    ranked.sort(key=lambda entry: entry[:3])
    used: set[int] = set()
    for _, _, _, key in ranked:
        members = [entry for entry in frames[key] if entry[0] not in used]
        if len(members) < 2:
            continue
        figures = any(_holds_figure(out_form.tokens[start:end]) for out_form, start, end in _forms(out, members[:1]))
        most = FIGURES if figures else MOST
        for at in range(0, len(members), most):
            chosen = members[at : at + most]
            joined = _joined([(out[index], start, end) for index, start, end in chosen])
            if joined is None:
                break
            for index, _, _ in chosen:
                used.add(index)
                out[index] = None
            out[chosen[0][0]] = joined
    return [item for item in out if item is not None]


def _forms(out: Sequence[Sentence | None], members: Sequence[tuple[int, int, int]]) -> list[tuple[Form, int, int]]:
    found = [(out[index], start, end) for index, start, end in members]
    return [(item.form, start, end) for item, start, end in found if item is not None and item.form is not None]


def _joined(members: Sequence[tuple[Sentence | None, int, int]]) -> Sentence | None:
    members = sorted(members, key=lambda entry: entry[0].when[0] if entry[0] is not None and entry[0].when else 0)
    base, start, end = members[0]
    assert base is not None and base.form is not None
    tokens = base.form.tokens
    suffix = tokens[end:]
    low = [token.casefold() for token in suffix]
    if "it" in low:
        # "likes A and often orders it" speaks of A: several As are them; anything else named in between could be meant
        if low.count("it") > 1 or not low or low[0] not in ("and", ",") or low.index("it") > 4:
            return None
        suffix = tuple("them" if token.casefold() == "it" else token for token in suffix)
    values: dict[str, str] = {}
    for item, first, last in members:
        assert item is not None and item.form is not None
        piece = write(item.form.tokens[first:last])
        values.setdefault(piece.casefold(), piece)
    if len(values) < 2:
        return None
    word = "or" if _NEGATED.search(write(tokens[:start])) else "and"
    if any(_holds_figure(value.split()) and not _DATE.fullmatch(value) for value in values.values()):
        if any(item is None or item.when is None for item, _, _ in members):
            return None
        # figures of several occasions, in the order of time: neither a sum nor a range
        listed = ", then ".join(values.values())
    else:
        listed = list_of(list(values.values()), word)
    text = write((*tokens[:start], listed, *suffix)) + "."
    sources = sorted({index for item, _, _ in members if item is not None for index in item.sources})
    spans = [item.when for item, _, _ in members if item is not None]
    known = [span for span in spans if span is not None]
    when = (min(s[0] for s in known), max(s[1] for s in known)) if known and len(known) == len(spans) else None
    originals = tuple(
        pair for item, _, _ in members if item is not None for pair in (item.originals or ((item.text, item.sources),))
    )
    plain = write((*tokens[:start], ", ".join(values.values()), *suffix)) + "."
    out = Sentence(text, tuple(sources), originals, when, bare=plain if suffix == tokens[end:] else "")
    out.form = Form(tokens_of(text), base.form.lead, (), base.form.past)
    return out


def _join_chinese(out: list[Sentence | None]) -> None:
    pattern = _zh_pattern()
    groups: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for index, item in enumerate(out):
        if item is None or item.fixed or DAY_WORD.search(item.text) or "用户" not in item.text[:3]:
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
        if re.search(r"[他她它了着过很]|但|而且|因为|如果|比|最|只|都|除", value):
            continue
        groups[match[1], verb].append((index, value))
    for (subject, verb), members in groups.items():
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
        items = [out[index] for index, _ in members]
        sources = sorted({source for item in items if item is not None for source in item.sources})
        spans = [item.when for item in items if item is not None]
        known = [span for span in spans if span is not None]
        when = (min(s[0] for s in known), max(s[1] for s in known)) if known and len(known) == len(spans) else None
        originals = tuple(pair for item in items if item is not None for pair in (item.originals or ((item.text, item.sources),)))
        for index, _ in members:
            out[index] = None
        out[members[0][0]] = Sentence(text, tuple(sources), originals, when)


_CLAUSE = re.compile(
    r"\b(?:that|which|who|because|when|where|while|if|finding|been|there|here|herself|himself|it|them)\b", re.IGNORECASE
)
# these take a thing together with what is said of it, so that their objects do not stand in a row
_WITH_COMPLEMENT = frozenset(
    "gets got finds found thinks thought started starts keeps kept makes made considers believes said says".split()
)


def ellipsis_keys(item: Sentence) -> tuple[tuple[str, ...], ...]:
    """The beginnings that this sentence may share with others of its kind, longest first; none where it must stand alone."""
    form = item.form
    if item.fixed or form is None or form.lead < 2 or form.lead >= len(form.tokens):
        return ()
    if any(token in (";", ":", ".", "!") for token in form.tokens) or "(" in item.text or item.dated:
        return ()
    # long sentences read badly in a row, and the more a sentence says the likelier something in it points back
    for text, _ in item.originals:
        told = tokens_of(text)
        if len(told) > 12 or ("," in told and " and " not in text) or _CLAUSE.search(text):
            return ()
    rest = form.tokens[form.lead]
    low = [token.casefold() for token in form.tokens]
    if low[form.lead] in ("and", "or") or _WITH_COMPLEMENT & set(low[: form.lead]):
        return ()
    if any(one in ("and", ",") and two in _VERBS for one, two in zip(low[form.lead :], low[form.lead + 1 :], strict=False)):
        return ()  # a second predicate of the present, which a later part might seem to share
    verb = form.tokens[form.lead - 1].casefold()
    if rest.casefold() in ("that", "how", "to", "been", "as", "it", "not", "if") or (
        verb in ("has", "had", "have") and rest.casefold().endswith(("ing", "ed"))
    ):
        return ()
    folded = tuple(token.casefold() for token in form.tokens)
    further = [
        at + 1
        for at in range(form.lead, min(form.lead + 4, len(folded) - 1))
        if folded[at] in _PREPOSITIONS and not any(mark in folded[:at] for mark in (",", "and", "or"))
    ]
    return tuple(folded[:end] for end in sorted({form.lead, *further}, reverse=True))


def shorten(items: Sequence[Sentence], lead: int) -> str:
    """The sentences as one, with their ``lead`` common tokens written once."""
    first = items[0].form
    assert first is not None
    parts = [write(item.form.tokens[lead:]) for item in items if item.form is not None]
    return f"{write(first.tokens[:lead])} {'; '.join(parts)}."


def is_relative(text: str) -> bool:
    """Whether the text tells a time from the day it was written (next week, 昨天)."""
    return bool(_RELATIVE.search(text))


def list_in(text: str) -> tuple[str, tuple[str, ...]]:
    """A sentence's beginning and what it lists behind its verb, folded: ``user likes`` and ``tea``, ``jazz``; no values if it lists none.

    Reads the first sentence of a longer text. A list that holds a verb, a negation or a condition of its own is none.
    """
    first = re.match(r"[^.;:!?]+[.;:!?]?", text)
    form = form_of(first[0]) if first and " " in text else None
    if form is None or not form.slots or form.lead >= len(form.tokens):
        return "", ()
    rest = write(form.tokens[form.lead :]).casefold()
    if re.search(r"\b(?:not|never|no|without|when|while|because|after|before|for|with|on|in|at|from|to)\b", rest):
        return "", ()
    values = split_list(rest)
    if any(word in _VERBS or word in _PAST or word in _COPULAS for value in values for word in value.split()):
        return "", ()
    head = re.sub(r"^the user\b", "user", write(form.tokens[: form.lead]).casefold())
    return head, values
