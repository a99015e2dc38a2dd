"""English sentences as tokens: where their verb is, and which places may hold a list."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memopt.facts.statements import read_statements, split_list
from memopt.models.times import grain_of

LONGEST = 600
"""A text of more characters is no sentence that is understood."""

PREPOSITIONS = frozenset(
    "in on at with from to for of about by into over under via near during since until without around towards against between through".split()
)
ENDS = PREPOSITIONS | frozenset(
    """and or next this last every each because while per as than before after using who which that when where today tomorrow yesterday tonight
    daily weekly monthly twice once again""".split()
)
COPULAS = frozenset(
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
MEETING = frozenset("met saw married joined visited called interviewed hired introduced invited told asked helped".split())
_ADVERBS = frozenset(
    "often also still now currently recently usually sometimes always really just already regularly occasionally finally".split()
)
UNJOINABLE = re.compile(
    r"\b(?:only|just|either|neither|nor|both|except|instead|exactly|most|least|than|if|unless|but|so|he|she|him|his|her|hers|they|their|its|himself|herself|"
    r"themselves|same|other|another|respectively|former|latter|together|rather|although|though|however|whereas|which|who|whose|favou?rite|respectively|"
    r"first|second|third|old|older|oldest|younger|youngest|best|worst)\b|[\"“”‘`{}<>\[\]|\\*#=]|'[^s]|\?",
    re.IGNORECASE,
)
_ADVERB = re.compile(
    r"\b(?!(?:family|italy|july|early|only|daily|weekly|assembly|butterfly|jelly|reply|supply|belly|ally|bully|lily|holly|emily|sally|molly|billy)\b)\w+ly$|\b(?:well|better|much|more|less|too|very|alone|together|a lot|a bit|a little)$"
)
POINTING = frozenset("it them there here this that these those me us one ones".split())
NEGATED = re.compile(r"\b(?:not|never|no|cannot|without|avoids)\b|n['’]t\b", re.IGNORECASE)
_NUMBER = re.compile(r"[€$£¥]?\d[\d.,:]*(?:ms|km|kg|cm|mm|g|h|s|m|%)?")
DATE = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_TOKEN = re.compile(r"\s*(\S+?)([,;:.!]*)(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Form:
    """A sentence cut into tokens, with the places where a list may stand.

    Attributes:
        tokens: words and punctuation marks.
        lead: how many tokens the subject and its verb phrase take; an ellipsis may leave these out.
        slots: (first, last + 1) of every place that may hold a list.
        past: whether the main verb tells of something over, so that figures may stand in a list.
        verb: where the main verb stands.
    """

    tokens: tuple[str, ...]
    lead: int
    slots: tuple[tuple[int, int], ...]
    past: bool
    verb: int = 0


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
    if len(text) > LONGEST or not text.isprintable():
        return None
    tokens = tokens_of(text)
    if not 3 <= len(tokens) <= 40:
        return None
    verb = _verb_at(tokens)
    if verb is None:
        return None
    if any(item.cardinality != "many" for item in read_statements(text)) or UNJOINABLE.search(text.replace("User's", "User")):
        return Form(tokens, 0, (), False, verb)
    low = [token.casefold() for token in tokens]
    past = low[verb] in _PAST or (low[verb].endswith("ed") and low[verb] not in ("need",))
    lead = verb + 1
    openers = set()
    if low[verb] in COPULAS:
        # is working on, is allergic to, is the owner of: the copula itself takes no list
        if low[verb] not in ("is", "was", "are", "were"):
            return Form(tokens, 0, (), past, verb)
        step = next((at for at in range(verb + 1, len(tokens)) if low[at] not in _ADVERBS), len(tokens))
        if step < len(tokens) and low[step].endswith("ing"):
            lead = step + 1
            openers.add(step)
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
            return Form(tokens, 0, (), past, verb)
        lead = step + 1
        openers.add(step)
    else:
        openers.add(verb)
        if verb + 2 < len(low) and low[verb + 1] == "to":
            openers.discard(verb)
            openers.add(verb + 2)
            lead = verb + 3
    if lead < len(tokens) and low[lead] in PREPOSITIONS:
        openers.discard(lead - 1)
        lead += 1
    openers |= {index for index in range(verb + 1, len(tokens)) if low[index] in PREPOSITIONS}
    counted = [index for index in range(verb + 1, len(tokens)) if low[index] in _COUNTS or _is_measure(tokens, index)]
    slots: list[tuple[int, int]] = []
    for opener in sorted(openers):
        start = opener + 1
        end = start
        while (
            end < len(tokens)
            and end - start < 7
            and tokens[end] not in (",", ";", ":", ".", "!")
            and (low[end] not in ENDS or (low[end] == "of" and end > start))
        ):
            end += 1
        if end == start:
            continue
        if end < len(tokens) and low[end] not in ENDS and tokens[end] not in (",", ";", "."):
            continue
        if any(not start <= index < end for index in counted):
            continue  # 5 kg of rice and 5 kg of flour are not 5 kg of rice and flour
        piece = tokens[start:end]
        if any(word in _VERBS or word in COPULAS or word in _PAST for word in low[start:end]) or low[start] in (
            "to",
            "that",
            "how",
        ):
            continue  # a clause of its own
        if _ADVERB.search(" ".join(low[start:end])) or not POINTING.isdisjoint(low[start:end]):
            continue  # "French fluently" says nothing of Spanish
        if grain_of(write(piece)) is not None:
            continue
        if past and (low[opener] == "with" or (low[verb] in MEETING and opener == verb)):
            continue  # two meetings are not one with both
        if holds_figure(piece):
            # a figure that differs in an account of the present is a newer figure, not one of a list
            dated = all(DATE.fullmatch(token) for token in piece)
            if not (past or (dated and low[verb] == "has")):
                continue
        slots.append((start, end))
    if past and len(counted) < 2:
        # a bare figure in an account of something over: slept 8 hours; the latency was 878 ms
        for index in range(lead, len(tokens)):
            if _NUMBER.fullmatch(tokens[index]) and not DATE.fullmatch(tokens[index]):
                # with its unit, so that every figure of the list has its own
                end = index + 1
                if end < len(tokens) and re.fullmatch(r"[a-zµ%°/]{1,9}", tokens[end]) and low[end] not in ENDS:
                    end += 1
                if (index, end) not in slots:
                    slots.append((index, end))
    if low[verb] in COPULAS:
        lead = lead if lead > verb + 1 else 0
    return Form(tokens, lead, tuple(slots), past, verb)


_COUNTS = frozenset(
    "two three four five six seven eight nine ten eleven twelve twenty dozen half hundred thousand million".split()
)
_MONTH = re.compile(r"jan\w*|feb\w*|mar(?:ch)?|apr\w*|may|jun\w*|jul\w*|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*")


def _is_measure(tokens: Sequence[str], index: int) -> bool:
    """Whether a token is a figure that says how much of something there is, and not a date, a time of day or part of a name."""
    token = tokens[index]
    if not holds_figure((token,)) or DATE.fullmatch(token) or re.fullmatch(r"(?:19|20)\d\d|\d{1,2}(?::\d\d){1,2}", token):
        return False
    around = [each.casefold() for each in (*tokens[max(0, index - 1) : index], *tokens[index + 1 : index + 2])]
    if any(_MONTH.fullmatch(each) for each in around):
        return False
    before = tokens[index - 1]
    return not (before[0].isupper() and before.isalpha() and index > 1)  # Python 3, JLPT N4


def holds_figure(piece: Sequence[str]) -> bool:
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
            if low[index] in _VERBS | COPULAS | _PAST:
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
        or word in COPULAS
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
    if any(word in _VERBS or word in _PAST or word in COPULAS for value in values for word in value.split()):
        return "", ()
    head = re.sub(r"^the user\b", "user", write(form.tokens[: form.lead]).casefold())
    return head, values
