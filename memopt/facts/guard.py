"""The guard for look-alikes: contradictions look like duplicates, so likeness alone never merges two texts.

The guard reads both texts into sequences of tokens: every number, date and the like in its normal form, every word as it is
written, Chinese by the character, and nothing that says nothing (articles, ``is``, the leading ``User``). What is then on one
side only decides. It is strict on purpose: a merge that was missed costs a line, a wrong one costs a fact.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.items import Item, find_items
from memopt.facts.lexicon import words
from memopt.facts.words import Token, fold, tokens

SPELLINGS = {
    "e-mail": "email", "e-mails": "emails", "colour": "color", "colours": "colors", "favourite": "favorite", "favourites": "favorites",
    "organise": "organize", "organised": "organized", "programme": "program", "theatre": "theater", "centre": "center", "grey": "gray",
    "travelling": "traveling", "travelled": "traveled", "neighbour": "neighbor", "ok": "okay", "t-shirt": "tshirt",
    "behaviour": "behavior", "licence": "license", "practise": "practice", "metre": "meter", "metres": "meters", "i'm": "i",
    "it's": "it", "he's": "he", "she's": "she", "they're": "they", "we're": "we", "you're": "you", "that's": "that",
    "like": "likes", "love": "loves", "prefer": "prefers", "enjoy": "enjoys", "hate": "hates", "dislike": "dislikes",
    "live": "lives", "work": "works", "want": "wants", "need": "needs", "use": "uses", "&": "and", "cannot": "can't",
    "dont": "don't", "doesnt": "doesn't", "cant": "can't", "wont": "won't", "isnt": "isn't", "didnt": "didn't", "named": "called",
}  # fmt: skip
_SHORT_NOT = {"can't": ("can",), "won't": ("will",), "shan't": ("shall",), "ain't": ()}
_CJK_FILLER = frozenset("的了也很吧呢啊呀嘛地得着")
_CJK_NEGATORS = frozenset("不没别未无非勿否莫")
_MEANINGFUL_MARKS = frozenset("+#%?？=<>≤≥≠~±*^$€£¥°")

# Words that are another word with a capital. In a text that uses capitals at all, the small one is the common word.
_CAPITAL_TELLS = frozenset(
    words("us it who may polish turkey march china jordan apple amazon august mark bill rose will jack frank reading nice mobile")
)
_PROGRESSIVE = {
    "working": "works",
    "living": "lives",
    "learning": "learns",
    "studying": "studies",
    "using": "uses",
    "renting": "rents",
}
_ORDER_WORDS = frozenset(
    words(
        "order first second third then rank ranks ranked ranking priority priorities steps step respectively before after next finally versus vs"
    )
)
_ADDS = frozenset(words("and because since called who which whose"))
"""Words that begin an addition, not a restriction: ``likes tea and jam`` holds ``likes tea``, ``likes jasmine tea`` does not."""

HEDGES = frozenset(
    words(
        """
    only almost nearly barely hardly scarcely may might could would should will shall must if unless maybe perhaps
    possibly probably used formerly previously former ex was were had wants want wanted plans planned hopes hoped
    considering considered considers trying tries tried wishes wished asked said says claims claimed thinks
    thought believes believed until except without before after than or instead rather half fake pretends dreamed dreams imagines imagined doubts doubted denies denied forgot forgets
    refused failed fails few little all anything far sort toy imaginary fictional so-called called unlike not formerly late ex-
    against stops stopped quit refuses avoids supposedly allegedly someday eventually 想 打算 可能 也许 如果 曾 以前
    """
    )
)
"""Words that change the truth of what they are added to, so that the longer text does not contain the shorter one."""


class _Signature(NamedTuple):
    sequence: tuple[str, ...]
    words: frozenset[str]
    items: frozenset[tuple[str, str]]  # kind, one canonical reading
    joined: tuple[str, ...]  # the sequence with plain lists in order
    adds: frozenset[int]  # places in the sequence before which an addition begins
    negative: bool


def _canonical(item: Item) -> str:
    """One reading for each item, so that likeness is transitive: what is ambiguous is only like itself."""
    if len(item.keys) == 1 or item.kind not in ("number", "date", "quantity", "money", "percent"):
        return item.norm
    if item.kind == "money":
        return max(item.keys, key=lambda key: (key.startswith("m:"), len(key.rpartition(":")[2].partition(".")[0])))
    kinds = {key.partition(":")[0] for key in item.keys}
    if len(kinds) > 1 and "/" not in item.surface:
        return item.norm
    return "as written:" + item.surface


@lru_cache(maxsize=262144)
def _signature(text: str) -> _Signature:
    items = find_items(text)
    out: list[str] = []
    links: list[bool] = []  # whether a token is tied to the one before it by "and", "or" or a comma
    words: set[str] = set()
    kept_items: list[tuple[str, str]] = []
    adds: set[int] = set()
    mixed = not text.islower() and not text.isupper()
    continuous = False  # whether the last word was is, are or am
    hard: set[int] = set()  # places of items in the sequence
    at = 0
    linked = False
    fresh = True  # nothing but filler so far in this sentence

    def add(token: str) -> None:
        nonlocal linked, fresh
        out.append(token)
        links.append(linked)
        linked = fresh = False

    pieces = list(tokens(text))
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        if at < len(items) and piece.end > items[at].start and (piece.kind != "cjk" or piece.start >= items[at].start):
            item = items[at]
            hard.add(len(out))
            token = _canonical(item)
            add(token)
            kept_items.append((item.kind, token))
            while index < len(pieces) and pieces[index].start < item.end:
                if pieces[index].end > item.end:
                    rest = pieces[index]
                    pieces[index] = Token(rest.text[item.end - rest.start :], item.end, rest.end, rest.kind)
                    break
                index += 1
            at += 1
            continue
        index += 1
        if piece.kind == "word":
            surface = piece.text
            capital = mixed and not fresh and surface[0].isupper()
            for plain in _plain_words(surface):
                if plain in _ADDS:
                    adds.add(len(out))
                if continuous:
                    plain = _PROGRESSIVE.get(plain, plain)
                continuous = plain in ("is", "are", "am")
                if mixed and not fresh and plain in _CAPITAL_TELLS:
                    if plain == "it":
                        if surface != "IT":
                            continue
                        plain = "it^"
                    elif not capital:
                        plain += "~"
                if plain in ("and", "or"):
                    linked = True
                    if plain == "and":
                        continue
                if plain in ("user", "users", "user's"):
                    if fresh:
                        continue
                elif plain in lexicon.FILLER and not (capital and plain in ("a", "the", "that", "so", "this")):
                    continue
                words.add(plain)
                add(plain)
        elif piece.kind == "cjk":
            run = piece.text
            if at < len(items) and piece.start < items[at].start < piece.end:
                cut = items[at].start - piece.start
                rest = Token(run[cut:], items[at].start, piece.end, "cjk")
                pieces.insert(index, rest)
                run = run[:cut]
            if fresh and run.startswith("用户"):
                run = run[2:]
            for ch in run:
                if ch in "、和与及跟":
                    linked = True
                    continue
                if ch not in _CJK_FILLER:
                    words.add(ch)
                    add(ch)
        elif piece.kind in ("hangul", "number"):
            words.add(piece.text)
            add(piece.text)
        elif piece.text in ",，、&":
            linked = True
            adds.add(len(out))
        elif piece.text in ".!。！;；":
            linked = False
            fresh = fresh or piece.text in ".!。！"
        elif piece.text in _MEANINGFUL_MARKS or (ord(piece.text) > 0x2190 and not _is_punctuation(piece.text)):
            mark = "?" if piece.text == "？" else piece.text
            words.add(mark)
            add(mark)
    negative = any(
        token in lexicon.NEGATORS or token in lexicon.NEGATIVE_VERBS or token in _CJK_NEGATORS or token.startswith("allerg")
        for token in words
    ) or any(word in text for word in ("讨厌", "过敏", "避免", "戒"))
    ordered = not words.isdisjoint(_ORDER_WORDS) or bool(hard)
    joined = tuple(out) if ordered else _sort_runs(out, links)
    return _Signature(tuple(out), frozenset(words), frozenset(kept_items), joined, frozenset(adds), negative)


def _is_punctuation(mark: str) -> bool:
    return (
        "\u3000" <= mark <= "\u303f" or "\uff00" <= mark <= "\uff0f" or "\ufe00" <= mark <= "\ufe0f" or mark in "：；？［］｛｝～"
    )


def _plain_words(surface: str) -> list[str]:
    plain = fold(surface).replace("`", "'")
    plain = SPELLINGS.get(plain, plain)
    if plain.endswith("n't"):
        return [*_SHORT_NOT.get(plain, (plain[:-3],)), "not"]
    if plain in ("user's", "users'"):
        return ["user's"]
    if "-" in plain:
        return [SPELLINGS.get(part, part) for part in plain.split("-") if part]
    return [plain]


def _sort_runs(sequence: list[str], links: list[bool]) -> tuple[str, ...]:
    """Plain lists (``hiking and sushi``) in order of the alphabet; two lists of one length may be paired and stay as they are."""
    runs: list[list[str]] = []
    for token, tied in zip(sequence, links, strict=True):
        if tied and runs:
            runs[-1].append(token)
        else:
            runs.append([token])
    lengths = [len(run) for run in runs if len(run) > 1]
    if len(lengths) != len(set(lengths)):
        return tuple(sequence)
    return tuple(token for run in runs for token in sorted(run))


_KIND_WORDS = {
    "number": "numbers", "quantity": "quantities", "money": "amounts", "percent": "percentages", "date": "dates", "time": "times",
    "weekday": "weekdays", "relative": "times", "ordinal": "ordinals", "email": "e-mail addresses", "url": "URLs", "phone": "phone numbers",
    "id": "identifiers", "version": "versions", "handle": "handles",
}  # fmt: skip


def conflict(a: str, b: str) -> str | None:
    """Why two look-alike texts must not be merged, or None when either could stand for both.

    Symmetric: ``conflict(a, b)`` is None exactly when ``conflict(b, a)`` is. None means that numbers, dates, names, polarity and every
    content word agree, whatever differs in case, punctuation, articles and order of lists. Where one text says more and
    contradicts nothing, there is still a reason; use ``loses`` when it is known which one stays.

    Both texts are read once and kept; the comparison itself works on small sets (about a million pairs in some seconds).
    """
    if a == b:
        return None
    left, right = _signature(a), _signature(b)
    if not left.sequence or not right.sequence:
        return None if fold(a).split() == fold(b).split() else "nothing to compare"
    if left.sequence == right.sequence:
        return None
    return _difference(left, right, both=True)


def loses(kept: str, dropped: str) -> str | None:
    """What would be gone, or become untrue, if of two look-alikes only ``kept`` stayed; None: nothing.

    Unlike ``conflict`` it lets ``kept`` add something: ``Has a dog, likes tea`` holds ``Has a dog``. Additions are only what begins
    with a comma or ``and``: a word more inside a phrase (``raw meat``, ``toy car``) makes it another statement, and so does any
    addition to a denial.
    """
    if kept == dropped:
        return None
    left, right = _signature(kept), _signature(dropped)
    if not left.sequence or not right.sequence:
        return None if fold(kept).split() == fold(dropped).split() else "nothing to compare"
    if left.sequence == right.sequence:
        return None
    return _difference(left, right, both=False)


def _difference(left: _Signature, right: _Signature, both: bool) -> str | None:
    missing, extra = right.items - left.items, left.items - right.items
    if missing and extra:
        (kind, one), (_, two) = min(missing), min(extra)
        return f"different {_KIND_WORDS.get(kind, kind)}: {_show_item(two)} / {_show_item(one)}"
    if missing or (extra and both):
        return f"only one has {_show_item(min(missing or extra)[1])}"
    only_left, only_right = left.words - right.words, right.words - left.words
    if only_left or only_right:
        for word in sorted(only_left | only_right):
            if word in lexicon.NEGATORS or word in _CJK_NEGATORS:
                return f"a negation on one side: {word}"
        opposites = lexicon.opposites()
        for word in sorted(only_left):
            against = opposites.get(word)
            if against and not against.isdisjoint(only_right):
                return f"opposites: {word} / {min(against & only_right)}"
        if only_left and only_right:
            return f"different words: {_show(only_left)} / {_show(only_right)}"
        if only_right or both:
            return f"only one says: {_show(only_right or only_left)}"
    if not both and (only_left or extra):
        changes = only_left & HEDGES
        if changes or left.negative or right.negative:
            return f"only one says: {_show(changes or only_left) or _show_item(min(extra)[1])}"
        size = len(right.sequence)
        if left.sequence[:size] == right.sequence and size in left.adds:
            return None
        return f"only one says: {_show(only_left) or _show_item(min(extra)[1])}"
    if left.joined == right.joined:
        return None
    return "the same words in another order, or another number of times"


def _show_item(token: str) -> str:
    return token.partition(":")[2].replace(":", " ") or token


def _show(words: frozenset[str]) -> str:
    return ", ".join(sorted(word.rstrip("~^") for word in words)[:3])
