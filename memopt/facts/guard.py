"""The guard for look-alikes: contradictions look like duplicates, so likeness alone never merges two texts.

The guard reads both texts into sequences of tokens: every number, date and the like in its normal form, every word as it is
written, Chinese by the character, and nothing that says nothing (articles, ``is``, the leading ``User``). What is then on one
side only decides. It is strict on purpose: a merge that was missed costs a line, a wrong one costs a fact.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.items import find_items
from memopt.facts.lexicon import words
from memopt.facts.words import Token, fold, tokens

_SPELLINGS = {
    "e-mail": "email", "e-mails": "emails", "colour": "color", "colours": "colors", "favourite": "favorite", "favourites": "favorites",
    "organise": "organize", "organised": "organized", "programme": "program", "theatre": "theater", "centre": "center", "grey": "gray",
    "travelling": "traveling", "travelled": "traveled", "neighbour": "neighbor", "ok": "okay", "t-shirt": "tshirt",
    "behaviour": "behavior", "licence": "license", "practise": "practice", "metre": "meter", "metres": "meters", "i'm": "i",
    "it's": "it", "he's": "he", "she's": "she", "they're": "they", "we're": "we", "you're": "you", "that's": "that",
    "like": "likes", "love": "loves", "prefer": "prefers", "enjoy": "enjoys", "hate": "hates", "dislike": "dislikes",
    "live": "lives", "work": "works", "want": "wants", "need": "needs", "use": "uses", "&": "and", "cannot": "can't",
    "dont": "don't", "doesnt": "doesn't", "cant": "can't", "wont": "won't", "isnt": "isn't", "didnt": "didn't", "going": "going",
}  # fmt: skip
_SHORT_NOT = {"can't": ("can",), "won't": ("will",), "shan't": ("shall",), "ain't": ()}
_CJK_FILLER = frozenset("的了也很吧呢啊呀嘛地得着")
_CJK_NEGATORS = frozenset("不没别未无非勿否莫")
_MEANINGFUL_MARKS = frozenset("+#%?？=<>≤≥≠~±*^$€£¥°")

HEDGES = frozenset(
    words(
        """
    only almost nearly barely hardly scarcely may might could would should will shall must if unless maybe perhaps
    possibly probably used formerly previously former ex was were had wants want wanted plans planned hopes hoped
    considering considered considers trying tries tried wishes wished asked said says claims claimed thinks
    thought believes believed until except without before after than or instead rather half fake formerly late ex-
    against stops stopped quit refuses avoids supposedly allegedly someday eventually 想 打算 可能 也许 如果 曾 以前
    """
    )
)
"""Words that change the truth of what they are added to, so that the longer text does not contain the shorter one."""


class _Signature(NamedTuple):
    sequence: tuple[str, ...]
    words: frozenset[str]
    items: tuple[tuple[str, frozenset[str], str], ...]  # kind, keys, surface
    counts: tuple[int, int]  # tokens, distinct tokens
    joined: tuple[str, ...]  # the sequence with coordinated runs in order


@lru_cache(maxsize=262144)
def _signature(text: str) -> _Signature:
    items = find_items(text)
    out: list[str] = []
    links: list[bool] = []  # whether a token is tied to the one before it by "and", "or" or a comma
    words: set[str] = set()
    kept_items: list[tuple[str, frozenset[str], str]] = []
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
            add(item.norm)
            kept_items.append((item.kind, item.keys, item.surface))
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
            for plain in _plain_words(piece.text):
                if plain in ("and", "or"):
                    linked = True
                    if plain == "and":
                        continue
                if plain in ("user", "users", "user's"):
                    if fresh:
                        continue
                elif plain in lexicon.FILLER:
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
        elif piece.text in ".!。！;；":
            linked = False
            fresh = fresh or piece.text in ".!。！"
        elif piece.text in _MEANINGFUL_MARKS or (ord(piece.text) > 0x2190 and not _is_punctuation(piece.text)):
            mark = "?" if piece.text == "？" else piece.text
            words.add(mark)
            add(mark)
    return _Signature(tuple(out), frozenset(words), tuple(kept_items), (len(out), len(set(out))), _sort_runs(out, links))


def _is_punctuation(mark: str) -> bool:
    return (
        "\u3000" <= mark <= "\u303f" or "\uff00" <= mark <= "\uff0f" or "\ufe00" <= mark <= "\ufe0f" or mark in "：；？［］｛｝～"
    )


def _plain_words(surface: str) -> list[str]:
    plain = fold(surface).replace("`", "'")
    plain = _SPELLINGS.get(plain, plain)
    if plain.endswith("n't"):
        return [*_SHORT_NOT.get(plain, (plain[:-3],)), "not"]
    if plain in ("user's", "users'"):
        return ["user's"]
    if "-" in plain:
        return [_SPELLINGS.get(part, part) for part in plain.split("-") if part]
    return [plain]


def _sort_runs(sequence: list[str], links: list[bool]) -> tuple[str, ...]:
    out: list[str] = []
    start = 0
    for at in range(1, len(sequence) + 1):
        if at == len(sequence) or not links[at]:
            out += sorted(sequence[start:at])
            start = at
    return tuple(out)


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
    if left.sequence == right.sequence:
        return None
    return _difference(left, right, both=True)


def loses(kept: str, dropped: str) -> str | None:
    """What would be gone, or become untrue, if of two look-alikes only ``kept`` stayed; None: nothing.

    Unlike ``conflict`` it lets ``kept`` say more: ``Has a golden retriever named Biscuit`` may stand for ``Has a retriever named Biscuit``.
    """
    if kept == dropped:
        return None
    left, right = _signature(kept), _signature(dropped)
    if left.sequence == right.sequence:
        return None
    return _difference(left, right, both=False)


def _unmatched(mine: _Signature, other: _Signature) -> tuple[str, str] | None:
    for kind, keys, surface in mine.items:
        if not any(not keys.isdisjoint(others) for _, others, _ in other.items):
            return kind, surface
    return None


def _difference(left: _Signature, right: _Signature, both: bool) -> str | None:
    missing = _unmatched(right, left)
    extra = _unmatched(left, right)
    if missing and extra:
        return f"different {_KIND_WORDS.get(missing[0], missing[0])}: {extra[1]} / {missing[1]}"
    if missing or (extra and both):
        surface = (missing or extra or ("", ""))[1]
        return f"only one has {surface}"
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
        changes = only_left & HEDGES
        if changes:
            return f"only one says: {_show(changes)}"
        return None if _within(right.sequence, left.sequence) else "the same words in another order"
    if extra:
        return None if _within(right.sequence, left.sequence) else "the same words in another order"
    if _same_by_keys(left, right):
        return None
    if left.counts[0] != right.counts[0]:
        gone = Counter(right.sequence) - Counter(left.sequence)
        if both or gone:
            return "one says a word more often"
    return "the same words in another order"


def _same_by_keys(left: _Signature, right: _Signature) -> bool:
    """Equal but for the writing of numbers and dates, and for the order inside lists."""
    if left.joined == right.joined:
        return True
    if left.counts[0] != right.counts[0]:
        return False
    ours, theirs = {keys for _, keys, _ in left.items}, {keys for _, keys, _ in right.items}
    if ours == theirs:
        return False

    def meets(one: str, two: str) -> bool:
        if one == two:
            return True
        return any(one in keys and two in others and not keys.isdisjoint(others) for keys in ours for others in theirs)

    return all(meets(one, two) for one, two in zip(left.sequence, right.sequence, strict=True))


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    walk = iter(whole)
    return all(token in walk for token in part)


def _show(words: frozenset[str]) -> str:
    return ", ".join(sorted(words)[:3])
