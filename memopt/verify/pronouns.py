"""Whom a pronoun at the head of a sentence stands for, and whom a source tells the same of.

*Tim is strict. He is 34.* tells Tim's age. Where the sources tell it of Jonas alone, one person's fact is told of another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache

from memopt.facts import lexicon
from memopt.facts.words import fold, stem

_HE = re.compile(r"\b(?:he|she|his|her)\b|[他她](?!们|人)", re.IGNORECASE)
_OPENING = 60
"""So many characters may stand before a pronoun: *Two weeks ago, after a long search, she*."""
_NAME = re.compile(r"[A-Z][\w'’-]*[a-z]")
_USER = re.compile(r"\buser\b|用户", re.IGNORECASE)
_OPENER = re.compile(
    r"\A[\s\-•*–—(\"“]*(?:(?:at|in|on|for|from|since|after|before|during|while|when|as|with|by|besides|beyond|through|about|around|over|until|"
    r"this|that|these|those|both|all|each|every|some|most|last|next|the|a|an|and|but|also|so|then|now|here|there|today|yesterday|two|three|four|"
    r"five|six|seven|eight|nine|ten|\d+(?:st|nd|rd|th)?|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|years?|months?|weeks?|days?|ago|[A-Z][a-z]{3,}ly)\b[\s,]*)+",
    re.IGNORECASE,
)
_POSSESSIVE = re.compile(r"['’]s$")
FAR = 8
"""So many sentences back a pronoun is followed."""
_MALE = frozenset(
    lexicon.words(
        "brother father dad son husband boyfriend fiancé fiance uncle nephew grandfather grandpa stepfather"
        " 哥哥 弟弟 爸爸 父亲 儿子 丈夫 老公 男朋友 男友 表哥 表弟 堂哥 堂弟 爷爷 外公 叔叔 舅舅 侄子 未婚夫"
    )
)
_FEMALE = frozenset(
    lexicon.words(
        "sister mother mom mum daughter wife girlfriend fiancée fiancee aunt niece grandmother grandma stepmother"
        " 姐姐 妹妹 妈妈 母亲 女儿 妻子 老婆 太太 女朋友 女友 表姐 表妹 堂姐 堂妹 奶奶 外婆 阿姨 姑姑 侄女 未婚妻"
    )
)
_POINTERS = {
    "m": re.compile(r"\b(?:he|his|him|himself)\b|他(?!们)", re.IGNORECASE),
    "f": re.compile(r"\b(?:she|hers?|herself)\b|她(?!们)", re.IGNORECASE),
}


_RELATIVE_OF = re.compile(rf"[他她]的?(?:{'|'.join(sorted(lexicon.CJK_RELATIONS, key=len, reverse=True))})")
"""他的妻子 names whom it tells of."""


def begins_with_pronoun(text: str) -> bool:
    """Whether a sentence tells something of *he*, *she*, *his*, *her*, 他 or 她, and names nobody before."""
    found = _HE.search(text, 0, _OPENING)
    if found is None or _RELATIVE_OF.match(text, found.start()):
        return False
    opening = _OPENER.sub("", text[: found.start()])
    return not _named(opening) and not _USER.search(opening)


_AS_CHILD = re.compile(
    r"\b(?:as|(?:when|since|while) (?:he|she|they|the user) (?:was|were)(?: still)?) (?:a |an )?(?:\w+ )?(?:child|kid|boy|girl|student|teen|teenager|baby)\b",
    re.IGNORECASE,
)
"""Nobody else is meant."""


def antecedents(head: str, before: list[str], known: frozenset[str]) -> frozenset[str]:
    """Whom a pronoun at the head of a sentence may stand for, as stems of names and relatives; the user is not among them.

    The last sentence that names a person tells. One that itself points back to somebody adds whom that is: behind *Margaret, his late
    wife, was from Cardiff*, *he* is nobody of that sentence.

    Args:
        head: the sentence with the pronoun.
        before: the sentences before it, from the last one back.
        known: stems of those of whom the other side tells something. What else a sentence names may be no person at all.

    Returns:
        Nobody where none of them is a person for certain: then the pronoun may stand for anybody.
    """
    found = _HE.search(head)
    gender = "m" if found is not None and found[0].casefold() in ("he", "his", "他") else "f"
    out: set[str] = set()
    sure = False
    for text in before[:FAR]:
        text = _AS_CHILD.sub(" ", text)
        named = _named(text) - _of_other_gender(text, gender)
        out |= named
        persons = {name for name in named if name in known or name in _relatives() or name in lexicon.CJK_RELATIONS}
        sure = sure or bool(persons)
        if persons and not _points_back(text, persons, gender):
            break
    return frozenset(out) if sure else frozenset()


def _of_other_gender(text: str, gender: str) -> set[str]:
    """The relatives of the other gender that a sentence names, with their names: *Margaret, his late wife*, *sister Lea*."""
    out: set[str] = set()
    for word in _FEMALE if gender == "m" else _MALE:
        if not word.isascii():
            out |= {word} if word in text else set()
            continue
        for found in re.finditer(rf"(?i:\b{word}\b)((?:,? (?-i:[A-Z][\w'’-]*[a-z]))*)", text):
            out |= {stem(word), *(stem(_POSSESSIVE.sub("", name)) for name in _NAME.findall(found[1]))}
            ahead = _BEFORE_RELATIVE.search(text[: found.start()])
            out |= {stem(name) for name in _NAME.findall(ahead[1])} if ahead else set()
    return out


_BEFORE_RELATIVE = re.compile(
    r"((?:[A-Z][\w'’-]*+(?<=[a-z]) ?){1,3}), (?:his|her|their|the user['’]s|[A-Z]\w+['’]s?) (?:[\w-]+ ){0,2}\Z"
)


def _points_back(text: str, persons: set[str], gender: str) -> bool:
    """Whether a sentence has a pronoun of a gender before any of these persons."""
    found = _POINTERS[gender].search(text)
    if found is None:
        return False
    ahead = text[: found.start()]
    return not any(
        word in ahead
        if not word.isascii()
        else word in {stem(_POSSESSIVE.sub("", one)) for one in re.findall(r"[\w'’-]+", ahead)}
        for word in persons
    )


def _named(text: str) -> frozenset[str]:
    """Everybody and everything that a sentence names: too many are better than too few."""
    names = {stem(_POSSESSIVE.sub("", found)) for found in _NAME.findall(text) if fold(found) not in ("user", "the")}
    return frozenset((names | _relatives_in(text)) - {"he", "she", stem("his"), stem("her"), stem("user")})


@lru_cache(maxsize=32768)
def told_of(text: str) -> frozenset[str]:
    """Of whom a source tells something: the relatives at its head with their names, or the name that it begins with."""
    words = re.findall(r"[A-Za-z][\w'’-]*", text)[:8]
    out: set[str] = set()
    for at, word in enumerate(words):
        root = stem(_POSSESSIVE.sub("", word))
        if root in _relatives() and (at <= 3):
            owner = stem(_POSSESSIVE.sub("", words[at - 1])) if at and _is_who(words[at + 1 : at + 3]) else ""
            out = {root, owner} - {""}  # not the owner: "Harold's wife likes"; but who she is, is told of both
            for name in words[at + 1 : at + 3]:
                if not _NAME.fullmatch(name):
                    break
                out.add(stem(name))
            break
        if at == 0 and _NAME.fullmatch(word) and fold(word) not in _NO_NAMES and not _OPENER.match(text):
            out.add(root)
    if not out and (found := re.match(r"(?:用户的?)?(.{1,3})", text)):
        out |= {word for word in lexicon.CJK_RELATIONS if found[1].startswith(word)}
    return frozenset(out)


def _is_who(behind: list[str]) -> bool:
    """Whether what stands behind a relative says who that is: *Priya's manager is Owen*."""
    return len(behind) > 1 and behind[0] in ("is", "was") and behind[1][:1].isupper()


def same_person(one: frozenset[str], two: frozenset[str], told: Callable[[str, str], Iterable[str]]) -> bool:
    """Whether two sets may stand for one person: they share a word, or a source names one with the other.

    Args:
        told: the texts of the sources that have two stems.
    """
    return not one.isdisjoint(two) or any(
        not _owns(text, left, right) for left in one for right in two for text in told(left, right)
    )


def _owns(text: str, one: str, two: str) -> bool:
    """Whether a text tells two apart, as somebody and what somebody has: *Harold's late wife Edith*."""
    words = [stem(word) if not word.endswith(("'s", "’s")) else stem(word[:-2]) + "'" for word in re.findall(r"[\w'’-]+", text)]
    for owner, other in ((one, two), (two, one)):
        if owner + "'" in words and owner not in words and other in words[words.index(owner + "'") :]:
            return True
    return False


def _relatives_in(text: str) -> set[str]:
    found = {root for word in re.findall(r"[a-z]+", text) if (root := stem(word)) in _relatives()}
    return found | {word for word in lexicon.CJK_RELATIONS if word in text}


@cache
def _relatives() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.RELATIONS) - {stem("dog"), stem("cat")}


_NO_NAMES = frozenset(
    lexicon.words(
        "user users user's the a an he she they it his her their its this these i my in on at since for from when while after before during"
        " lives works has is was likes loves enjoys prefers plays takes uses owns speaks wants plans moved born studies studied does did no"
    )
)
