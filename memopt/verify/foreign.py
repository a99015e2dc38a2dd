"""Whether a clause in German, Spanish, French, Italian, Portuguese or Dutch denies what another one affirms.

Their grammar is not read: a sentence is cut at its marks and conjunctions, and each clause is its words and whether a word of denial stands
in it. That is enough to tell *no come carne y tiene dos hijos* from *come carne y no tiene hijos*.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.words import bare

_LANGUAGES = {
    "de": "der die das ein eine einen einem einer ist hat und mit im am nicht kein keine keinen fur auf zu von den dem sein seine sie er nutzer nutzerin benutzer gern aber oder wird als bei gegen seit nach bis uber um aus",
    "es": "el la los las un una es en y con de del su sus no se le que por para al usuario usuaria pero tiene esta muy como desde",
    "fr": "le la les un une est et dans avec de du des ne pas au aux son sa ses il elle utilisateur utilisatrice en mais que qui pour chez depuis",
    "it": "il lo la gli un una e con di del della non al nel utente ha che per ma suo sua da in sono come",
    "pt": "o a os as um uma e com de do da nao no na usuario usuaria tem que por para mas seu sua em como ao",
    "nl": "de het een is heeft en met van niet geen gebruiker op in te voor zijn haar maar of als bij",
}
"""Words without a meaning of their own, folded; they tell the language."""
_ENGLISH = frozenset(
    lexicon.words(
        "the a an is has and with in of to not user who his her for are was does on at likes lives works but they she he"
    )
)
_DENIALS = frozenset(
    lexicon.words(
        """
    nicht kein keine keinen keinem keiner keines nie niemals nichts niemand weder
    no nunca jamas tampoco ningun ninguno ninguna nadie nada ni
    pas jamais aucun aucune rien plus ne guere
    non mai nessuno nessuna niente ne
    nao nem nenhum nenhuma ninguem
    niet geen nooit niets niemand
    ohne sin sans senza sem zonder
    hasst verabscheut meidet vermeidet odia detesta evita deteste evite odeia haat
    """
    )
)
_ONLY = re.compile(
    r"\b(?:nicht nur|no solo|no sólo|pas seulement|non solo|não só|niet alleen|no hay duda|kein problem)\b", re.IGNORECASE
)
_CUT = re.compile(
    r"[,;.:!?()]|\b(?:und|aber|sondern|jedoch|obwohl|weil|denn|sowie|während|pero|sino|aunque|porque|mientras|mais|et|car|bien que|tandis que|ma|però|"
    r"mentre|perché|mas|embora|maar|terwijl|omdat|y)\b|(?<=\s)e(?=\s)|\b(?=ohne\s|sin\s|sans\s|senza\s|sem\s|zonder\s)",
    re.IGNORECASE,
)
_OR = re.compile(r"\b(?:oder|noch|ni|o|ou|of|nem|né)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST = 3
_SAME = 5
"""Words that begin with so many same letters are forms of one."""
_SHARED = 0.6
_COMMON = frozenset(
    lexicon.words(
        "hat ist tiene esta est ont ha tem heeft gern sehr muy tres molto muito heel auch tambien aussi anche tambem ook immer siempre"
    )
)
"""What ties no two clauses together."""


class _Clause(NamedTuple):
    start: int
    end: int
    words: tuple[str, ...]
    denied: bool
    sure: bool  # whether a denial before it does not reach it


@cache
def _function_words() -> dict[str, frozenset[str]]:
    return {name: frozenset(lexicon.words(words)) for name, words in _LANGUAGES.items()}


@cache
def _signs() -> frozenset[str]:
    """Words that stand in nearly every sentence of one of the languages and hardly ever in an English one."""
    return frozenset(
        lexicon.words(
            "der das ein eine einen einem einer ist und mit nicht kein keine keinen für auf zu von dem den sein seine nutzer nutzerin "
            "el los las un una es y en con del su sus que por para usuario usuaria le les une est et dans avec du des ne pas au aux il lo gli e è di della "
            "non al nel utente ha uma é um da do não nao na no os usuário usuária tem l'utente het een heeft met van niet geen gebruiker l'utilisateur l'utilisatrice la"
        )
    ) - {
        "no",
        "do",
        "met",
        "en",
        "es",
        "pas",
        "e",
        "al",
        "un",
        "le",
        "non",
        "la",
        "los",
        "las",
        "el",
        "san",
        "van",
        "den",
        "an",
        "der",
    }


@lru_cache(maxsize=32768)
def language(text: str) -> str:
    """Which of the languages a text is in; "" for English, other scripts and where it cannot be told."""
    if _signs().isdisjoint(text.casefold().split()):
        return ""
    words = [bare(word.casefold()) for word in _WORD.findall(text)]
    english = sum(word in _ENGLISH for word in words)
    best, name = max((sum(word in known for word in words), name) for name, known in _function_words().items())
    return name if best >= 2 and best > english else ""


def is_idle(word: str, name: str) -> bool:
    """Whether a word of a language means nothing of its own."""
    return bare(word.casefold()) in _function_words()[name]


@lru_cache(maxsize=8192)
def _clauses(text: str) -> tuple[_Clause, ...]:
    idle = _function_words()[language(text)]
    plain = _ONLY.sub(lambda found: " " * len(found[0]), text)
    bounds = [0, *(found.start() for found in _CUT.finditer(plain)), len(plain)]
    out: list[_Clause] = []
    for at, start in enumerate(bounds[:-1]):
        piece = plain[start : bounds[at + 1]]
        folded = [part for word in _WORD.findall(piece) for part in _parts(bare(word.casefold()))]
        words = tuple(
            word
            for word in folded
            if len(word) >= _SHORTEST and word not in idle and word not in _DENIALS and not _CUT.fullmatch(word)
        )
        denied = any(word in _DENIALS for word in folded)
        if words:
            follows = bool(out) and out[-1].denied and not denied and len(words) < 2
            out.append(
                _Clause(start, bounds[at + 1], words, denied, not follows and not (denied and _OR.search(piece) is not None))
            )
    return tuple(out)


_COMPOUND = re.compile(r"(\w{3,}?)(?:en|n|s)?(allergie|unvertraglichkeit|intoleranz)")


def _parts(word: str) -> tuple[str, ...]:
    """A word, or a German compound as its two words."""
    found = _COMPOUND.fullmatch(word)
    return (word,) if found is None else (found[1], found[2])


def contrary(text: str, start: int, end: int, others: Sequence[str]) -> str | None:
    """The sentence that denies what the clauses of text[start:end] affirm, or the other way round; None where none does."""
    name = language(text)
    there = [(clause, other) for other in others if language(other) == name for clause in _clauses(other)]
    for clause in _clauses(text):
        if clause.start >= end or clause.end <= start or not clause.sure:
            continue
        shares = [
            (_share(clause.words, other.words), other.denied == clause.denied, whole) for other, whole in there if other.sure
        ]
        agreed = max((share for share, same, _ in shares if same), default=0.0)
        against = max(((share, whole) for share, same, whole in shares if not same), default=(0.0, ""))
        if against[0] >= _SHARED and against[0] > agreed:
            return against[1]
    return None


def _share(mine: Sequence[str], theirs: Sequence[str]) -> float:
    """The share of the shorter clause's telling words that the other one has."""
    one, two = ([word for word in words if word not in _COMMON] for words in (mine, theirs))
    if not one or not two:
        return 0.0
    return sum(any(_alike(word, other) for other in two) for word in one) / min(len(one), len(two))


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return (
        (len(short) >= _SAME - 1 and long.startswith(short))
        or (len(short) >= _SAME and one[:_SAME] == other[:_SAME])
        or one == other
    )


__all__ = ["contrary", "is_idle", "language"]
