"""Where one statement ends and the next begins although no mark parts them: at a change of script, or at a capital predicate.

``对花生过敏 Has 3 cats`` tells two things; ``works at 字节跳动 as an engineer`` and ``我在 Google 工作`` tell one. So a text is cut only
where both sides say something of their own: what stands before must be able to end there, what follows must open with a predicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.lexicon import words as word_list
from memopt.facts.words import ALPHA, CJK, HANGUL, Token, fold, tokens

STATES = frozenset(
    word_list(
        """
    allergic vegan vegetarian pescatarian diabetic married divorced widowed engaged pregnant retired unemployed afraid scared lactose
    coeliac celiac intolerant alérgico alérgica vegano vegana vegetariano vegetariana allergisch vegetarier allergique végétarien
    végétarienne allergico allergica alergi аллергия вегетарианец вегетарианка веган
    """
    )
)
"""Words that say what somebody is without any verb: ``has 3 cats allergic to peanuts``."""
TELLING = frozenset(
    word_list(
        """
    has likes loves hates enjoys prefers dislikes lives works owns wants needs plays speaks uses plans avoids drinks eats takes wears
    studies visits runs rides drives reads sings cooks bakes swims cycles hikes volunteers attends collects suffers teaches rents
    moved started stopped
    """
    )
)
"""Verbs that open a statement about somebody who is not named again."""
_AUXILIARY = frozenset(word_list("is was had does did can cannot will would should have am are were do"))
_WITH = frozenset(word_list("to since for gegen a à contra alle al ai на к with and"))
_SUBJECT = frozenset(word_list("user he she they we i it"))
_EMOJI = r"\u2190-\u21ff\u2500-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff"
_GAP = re.compile(rf"[\s{_EMOJI}]*")
_PICTURE = re.compile(
    rf"(?<=[{ALPHA}{CJK}{HANGUL}\d\s)])[\u2600-\u27bf\U0001f000-\U0001faff][{_EMOJI}\s]*(?=[{ALPHA}{CJK}{HANGUL}])"
)
BARS = "|｜•●▪■►▶⇒"
"""Marks that part statements as a semicolon does; a bullet among them where it does not begin the line."""
_OTHER_SCRIPT = re.compile(rf"[\u0370-\u1cff{CJK}{HANGUL}]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
# What a Chinese statement begins with, and what lets the next words belong to it.
_OPENS_CJK = re.compile(
    r"用户|我|他|她|也|还|不|没|未|对|在|住|有|是|喜欢|喜歡|爱|愛|讨厌|討厭|养|養|吃|喝|会|會|想|要|去|来|每|常|正|已|最|曾|从|打算|计划|怕|患|戒|今年|目前|现在|需要|害怕|擅长|过敏"
)
_SAYS_CJK = re.compile(
    r"过敏|過敏|[在是有爱愛怕会會想要住养養吃喝不没未患用去学學读讀玩买買做开開了]|喜欢|喜歡|讨厌|討厭|"
    r"[はがをに].*[いうくすつぬむるただ]$|(?:です|ます|嫌い|好き|苦手|アレルギー)"
)
_NEEDS_MORE_CJK = re.compile(
    r"(?:[在是有爱愛怕用叫看听聽学學读讀玩吃喝去来到买買做住和与與跟及或的给給把被向从從对對为為于於名养養说說讲講写寫欢歡厌厭要想会會不没未、]|"
    r"使用|学习|喜欢|讨厌|[はがをにでのとも])$"
)
_ENDS_HANGUL = re.compile(r"(?:다|요|음|함|임|됨|죠|없음|있음|알레르기|싫어|좋아)$")


class _Run(NamedTuple):
    """Neighbouring words of one script, numbers and marks among them."""

    script: str
    start: int
    end: int
    words: list[Token]


@cache
def _capital() -> re.Pattern[str]:
    openers = "|".join(sorted(word.capitalize() for word in (TELLING | STATES | {"is", "does", "can"}) if word.isascii()))
    return re.compile(rf"(?<=[{ALPHA}\d{CJK}{_EMOJI}])[ \t\u00a0]+(?=(?:{openers})\s[a-z\d]|(?:The user|User)(?:'s)?\s[a-z])")


def _script(piece: Token) -> str:
    if piece.kind in ("cjk", "hangul"):
        return piece.kind
    if piece.kind != "word":
        return ""
    first = piece.text[0]
    if _LATIN.match(first):
        return "latin"
    return "cyrillic" if first <= "\u052f" else "other"


def _runs(text: str) -> Iterator[_Run]:
    run: _Run | None = None
    for piece in tokens(text):
        script = _script(piece)
        if run is None or (script and script != run.script):
            if not script:
                continue
            if run is not None:
                yield run
            run = _Run(script, piece.start, piece.end, [piece])
        elif script or piece.kind == "number":
            run.words.append(piece)
            run = run._replace(end=piece.end)
        else:
            run = run._replace(end=piece.end)
    if run is not None:
        yield run


def _needs_more(word: str) -> bool:
    """Whether a statement cannot end with this word: ``works at``, ``likes``."""
    return (
        word in lexicon.STOP
        or word in TELLING
        or word in _AUXILIARY
        or word in lexicon.LIKING
        or word in lexicon.NEGATORS
        or word in lexicon.NEGATIVE_VERBS
    )


def _goes_on(word: str) -> bool:
    """Whether a state that stands before this word is told of somebody, and does not describe the word: ``allergic to``."""
    return word in lexicon.STOP or word in TELLING or word in _AUXILIARY or not word[0].isalpha() or word in _WITH


def _predicate_in(words: list[Token]) -> bool:
    return any(plain in TELLING or plain in _AUXILIARY or plain in STATES for plain in (fold(word.text) for word in words))


def opens(words: list[Token]) -> bool:
    """Whether these words begin a statement whose subject is not told, or is the user."""
    if not words:
        return False
    first = fold(words[0].text)
    second = fold(words[1].text) if len(words) > 1 else ""
    if first in STATES:
        return not second or _goes_on(second)  # "vegan since May", but "vegan recipes"
    if first in TELLING or first in _AUXILIARY:
        return bool(second) and (first in TELLING or not words[1].text[0].isupper())
    return (first in _SUBJECT or (first == "the" and second == "user")) and (
        second in TELLING or second in _AUXILIARY or second in STATES or second == "user" or second in lexicon.LIKING
    )


def _may_end(text: str, left: list[_Run], strong: bool) -> bool:
    """Whether what stands before a change of script can be a statement that ends there."""
    last = left[-1]
    if last.script == "latin":
        word = fold(last.words[-1].text)
        words = [one for run in left for one in run.words]
        return not _needs_more(word) and (_predicate_in(words) or (strong and any(one.kind == "number" for one in words)))
    said = text[left[0].start : last.end].rstrip()
    if last.script == "cjk":
        piece = text[last.start : last.words[-1].end]
        return not _NEEDS_MORE_CJK.search(piece) and (strong or (len(said) > 2 and _SAYS_CJK.search(said) is not None))
    if last.script == "hangul":
        return strong or (_ENDS_HANGUL.search(last.words[-1].text) is not None and len(said) > 2)
    return strong or len(last.words) > 1


def _opens_run(text: str, run: _Run) -> bool:
    if run.script == "latin":
        return opens(run.words)
    piece = text[run.start : run.words[-1].end]
    if run.script == "cjk":
        return len(piece) > 2 and (
            _OPENS_CJK.match(piece) is not None
            or piece.endswith(("过敏", "過敏", "嫌い", "好き", "苦手", "です", "ます", "ている"))
        )
    if run.script == "hangul":
        return len(run.words) > 1 and _ENDS_HANGUL.search(run.words[-1].text) is not None
    return len(run.words) > 1


def _inside(text: str) -> bool:
    """Whether a bracket or a quotation that begins in the text is still open at its end."""
    return (
        text.count("(") + text.count("（") > text.count(")") + text.count("）")
        or text.count("“") > text.count("”")
        or text.count('"') % 2 == 1
        or text.count("《") > text.count("》")
        or text.count("「") > text.count("」")
    )


def unmarked_breaks(text: str) -> list[int]:
    """Offsets at which a new statement begins within a sentence, in order.

    Args:
        text: one sentence or line.
    """
    out = [found.end() for found in _capital().finditer(text) if _ends_before(text, found)]
    if not text.isascii():
        if _OTHER_SCRIPT.search(text):
            out += _script_breaks(text)
        out += [found.end() for found in _PICTURE.finditer(text) if _parts_two(text, found)]
    return sorted(at for at in set(out) if not _inside(text[:at]))


def _parts_two(text: str, found: re.Match[str]) -> bool:
    """Whether a picture stands between two statements, and not within one: ``has no 🐱 cats``."""
    before = [piece for piece in tokens(text[: found.start()]) if piece.kind != "mark"]
    if not before or (before[-1].kind == "word" and _needs_more(fold(before[-1].text))):
        return False
    after = text[found.end() : found.end() + 200]
    if before[-1].kind == "cjk" and _NEEDS_MORE_CJK.search(before[-1].text):
        return False
    run = next(_runs(after), None)
    return run is not None and run.start == 0 and _opens_run(after, run)


def _ends_before(text: str, found: re.Match[str]) -> bool:
    words = [piece for piece in tokens(text[: found.start()]) if piece.kind != "mark"]
    if not words:
        return False
    last = words[-1]
    if last.kind in ("cjk", "hangul") or _needs_more(fold(last.text)):
        return False
    # "Maria Has a dog": a name before it is its subject, where nothing else is said
    return not last.text[0].isupper() or _predicate_in(words[:-1])


def _script_breaks(text: str) -> list[int]:
    out: list[int] = []
    left: list[_Run] = []
    for run in _runs(text):
        if left and _GAP.fullmatch(text, left[-1].words[-1].end, run.start) and _opens_run(text, run):
            head = run.words[0].text
            strong = head[0].isupper() if run.script == "latin" else run.script == "cjk" and head[0] not in "是有在"
            if _may_end(text, left, strong):
                out.append(run.start)
                left = []
        left.append(run)
    return out


_FIGURE = re.compile(r"[@\d]\S*\Z")


@cache
def _lower() -> re.Pattern[str]:
    states = "|".join(sorted(STATES, key=len, reverse=True))
    verbs = "|".join(sorted(TELLING))
    return re.compile(rf"(?<=[{ALPHA}\d{CJK}])[ \t\u00a0]+(?=(?:(?P<state>{states})|{verbs})\b)", re.I)


def loose_breaks(text: str) -> list[int]:
    """Offsets at which something else is told of the same subject, although no mark parts the two: ``has 3 cats allergic to peanuts``.

    Less sure than ``unmarked_breaks``: both parts stay in one sentence and share its subject.

    Args:
        text: one sentence or line.
    """
    out: list[int] = []
    start = 0
    for found in _lower().finditer(text):
        words = [piece for piece in tokens(text[start : found.start()]) if piece.kind != "mark"]
        if not words:
            continue
        last = words[-1]
        plain = fold(last.text)
        if _needs_more(plain) or plain.endswith("ly") or plain in _SUBJECT:
            continue
        if found["state"] is not None:
            behind = next((piece for piece in tokens(text[found.end("state") : found.end("state") + 60])), None)
            if behind is not None and behind.kind != "mark" and not _goes_on(fold(behind.text)):
                continue
        if found["state"] is not None or _FIGURE.search(text, start, found.start()) or _predicate_in(words[:-1]):
            out.append(found.end())
            start = found.end()
    return out
