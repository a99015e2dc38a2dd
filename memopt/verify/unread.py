"""Denials in languages of which nothing but the denying words is known: who drinks coffee there, and who does not.

English and Chinese are read in full (``memopt.facts.polarity``), six languages more in part (``memopt.verify.foreign``). Elsewhere the
clauses of two sentences are laid beside each other by the words they share, and a clause that is denied on one side alone says the
contrary. Two denials in one clause (*no come nunca carne*) are one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from memopt.facts.words import fold
from memopt.verify.foreign import language

_LETTER = r"(?:[^\W\d_]|[\u0591-\u06ed\u0900-\u0dff])"  # vowel signs are letters there
_WORD = re.compile(rf"{_LETTER}+(?:['’]{_LETTER}+)*|\d+")
_CUT = re.compile(
    r"[,;:.!?،؛。、，；：！？।()（）\n]+|\b(?:y|e|et|und|och|og|und|oder|aber|pero|mais|mas|ma|maar|men|ale|i|и|но|а|та|але|ve|ama|fakat|dan|tetapi|tapi|và|nhưng|και|αλλά|और|लेकिन)\b",
    re.I,
)
_DENYING = frozenset(
    fold(word)
    for word in """no nunca jamás tampoco sin ningún ninguno ninguna nada nadie odia odio detesta não nao jamais sem nenhum nenhuma ninguém odeia ne pas
    rien aucun aucune sans déteste hait non mai senza nessuno nessuna niente odia nicht kein keine keinen keinem keiner keines nie niemals ohne nichts
    niemand hasst verabscheut niet geen nooit zonder niets haat inte aldrig utan ingen inget hatar ikke aldri aldrig uden uten ingen hader nie nigdy bez
    nienawidzi ne není nikdy bez nesnáší nenávidí не нет ни никогда без нельзя ненавидит никто ничего нема немає ніколи ненавидить değil yok asla hiç
    olmadan tidak bukan belum jangan tanpa benci không chưa chẳng đừng ghét δεν δε μη μην ποτέ χωρίς μισεί لا ليس ليست لم لن بدون غير دون يكره تكره
    ولا وليس لسنا לא אין בלי אינו אינה שונא נעה नहीं ना मत बिना न नफ़रत না নেই নয় نہیں نه نیست بدون nu niciodată fără nici nem soha nélkül nincs ei eivät
    koskaan ilman""".split()
)
"""Words that deny, and those for hating, of about 30 languages."""
_PARTS = {
    "ja": re.compile(r"ない|なく|なかった|ません|なし|無い|ぬ(?=[。、])|嫌い|苦手|やめ"),
    "ko": re.compile(r"않|없|(?<![가-힣])안 |(?<![가-힣])못|아니|싫"),
    "th": re.compile(r"ไม่|เกลียด"),
    "tr": re.compile(r"\w{2,}m[ıiuü]yor\w*|\w{3,}m[ae]z\b|\w{2,}m[ae]d[ıi]\w*|\bdeğil|\byok\b"),
}
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("other", re.compile(r"[\u0370-\u06ff\u0900-\u0dff]")),
)
_HARMLESS = re.compile(
    r"だけ(?:で)?(?:は)?なく|かもしれない|なければ|なくては|に違いない|間違いない|없이는|뿐(?:만)? 아니라|no solo|não só|non solo|nicht nur|niet alleen|не только",
    re.I,
)
_FOREIGN = frozenset(
    fold(word)
    for word in """el la los las una unos unas del al que es está tiene con por para su sus usuario utilisateur utilisatrice le les des du une est ses son sa avec pour dans
    der das ein eine einen ist hat mit für und nutzer nutzerin benutzer il lo gli di della è ha con per utente os um uma do da é tem com usuário usuária het een
    van met voor gebruiker gebruikster ett är och har med för användaren det er og bruger brugeren brukeren się jest ma w z na użytkownik uživatel je má
    bir ve ile için kullanıcı yang dan di untuk pengguna của và một là người dùng có felhasználó egy és käyttäjä on utilizatorul este""".split()
)
_ENGLISH = frozenset(
    "the user is has and of to in with for on at by an was are does not likes lives works her his their from".split()
)
_SHARED = 0.5
"""Two clauses that share this much of the shorter one's words tell of the same."""


class _Clause(NamedTuple):
    words: frozenset[str]
    denied: bool


def says_contrary(one: str, two: str) -> bool:
    """Whether a clause of one text, in a language that is not read in full, is denied in the other and not here, or the other way round."""
    name = _language(one)
    if not name or _language(two) != name:
        return False
    theirs = _clauses(two, name)
    if language(one) and (len(theirs) > 1 or len(_clauses(one, name)) > 1):
        return False  # memopt.verify.foreign lays its clauses beside each other
    for clause in _clauses(one, name):
        best: dict[bool, float] = {}
        for other in theirs:
            size = min(len(clause.words), len(other.words))
            share = len(clause.words & other.words) / size if size else 0.0
            best[other.denied] = max(best.get(other.denied, 0.0), share)
        against, agreeing = best.get(not clause.denied, 0.0), best.get(clause.denied, 0.0)
        if against >= _SHARED and against > agreeing:
            return True
    return False


@lru_cache(maxsize=32768)
def _language(text: str) -> str:
    """The language of a text, or what is known of it: ``ja``, ``ko``, ``th``, ``tr``, ``other``; "" for English, Chinese and what shows none."""
    if not text.isascii():
        for name, script in _SCRIPTS:
            if script.search(text) is not None:
                return name
    words = [fold(word) for word in _WORD.findall(text)]
    foreign = sum(word in _FOREIGN for word in words)
    english = sum(word in _ENGLISH for word in words)
    if foreign <= english or not foreign:
        return ""
    return "tr" if "kullanici" in words or "kullanıcı" in text.lower() else "other"


@lru_cache(maxsize=4096)
def _clauses(text: str, language: str) -> tuple[_Clause, ...]:
    text = _HARMLESS.sub(" ", text)
    out = []
    for part in _CUT.split(text):
        if language in ("ja", "ko", "th"):
            denied = _PARTS[language].search(part) is not None
            letters = re.sub(r"[\W\d_]", "", _PARTS[language].sub("", part))
            words = frozenset(letters[at : at + 2] for at in range(len(letters) - 1))
        else:
            found = [fold(word) for word in _WORD.findall(part.replace("n'", "ne ").replace("n’", "ne "))]
            denied = any(word in _DENYING and not (word == "no" and "usuário" in found) for word in found) or (
                language == "tr" and _PARTS["tr"].search(part) is not None
            )
            words = frozenset(word[:5] for word in found if word not in _DENYING and word not in _FOREIGN and len(word) > 1)
        if words:
            out.append(_Clause(words, denied))
    return tuple(out)
