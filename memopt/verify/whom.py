"""Of whom each clause of an English sentence tells, and whether every source tells it of somebody else.

*Mila plays the harp. Theo plays handball, and he also plays the harp.* gives Theo what is Mila's, though every word of it has a source.
So each clause gets the people at its head: a name, a relative, the user, or whom the clauses before a pronoun or a bare verb name. A
clause is judged only where its people and those of all sources that tell it are known, and they share nobody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from memopt.facts import lexicon, senses
from memopt.facts.kin import part_of_speech
from memopt.facts.polarity import segments
from memopt.facts.poles import poles
from memopt.facts.sorts import sort_of
from memopt.facts.words import Token, fold, stem, tokens
from memopt.verify.lines import Side, Told, item_keys, weigh
from memopt.verify.stance import meet

USER = "^"
"""Stands for the user among the people of a clause."""
_LONGEST = 800
_MOST = 16
"""A line of more clauses than this is a list, and not judged."""


class Clause(NamedTuple):
    """A clause of a line.

    Attributes:
        line: which line it stands in.
        start: its offset in the line's text.
        end: the offset behind it.
        whom: everybody it tells of, each as the words that may stand for them; () where that is not known.
        others: everybody else whom it names.
        words: the stems of its telling words, those for people left out, with their weights.
        keys: the keys of its figures and days.
        thing: the stem of what of theirs it is about: *the user's bike*.
    """

    line: int
    start: int
    end: int
    whom: tuple[frozenset[str], ...]
    others: tuple[frozenset[str], ...]
    words: dict[str, float]
    keys: frozenset[str]
    thing: str = ""


class _Mention(NamedTuple):
    """Somebody who is named: offsets of the words, with a title such as *his sister* before a name; ``he`` of a pronoun, ``who`` of a relative one."""

    start: int
    end: int
    keys: frozenset[str]
    owner: bool = False  # whether something of theirs is told: Ida's bike


_HE = frozenset(lexicon.words("he she they him them his her their it its who whose i my"))
_SUBJECT = frozenset(lexicon.words("he she they i it"))
_OWN = frozenset(lexicon.words("his her their my its the a an this that user's users"))
_MANY = frozenset(
    lexicon.words(
        "they them their both all everyone family parents kids children friends siblings team couple we our each twins everybody"
    )
)
_AND = frozenset(("and", "&"))
_LEADS = frozenset(
    lexicon.words(
        "in on at for from with since by after before during each every last next this to of as until about around over through now then today"
        " recently currently when while although though because if also later early"
    )
)
_CONJUNCTIONS = frozenset(lexicon.words("and but while whereas or also then so yet plus"))


_ROLES = frozenset(
    lexicon.words(
        "boss manager teacher mentor client doctor dentist therapist landlord assistant tutor coach trainer instructor colleague coworker partner supervisor"
        " employee customer student apprentice trainee stepchild stepson stepdaughter godson goddaughter bandmate classmate teammate lodger nanny caretaker accountant lawyer nurse babysitter gardener cleaner physician gp attorney solicitor counselor counsellor psychotherapist caregiver carer pupil workmate leader tenant landlady subtenant housekeeper"
    )
)
"""What somebody may be to the user, or by trade: *a product manager* is nobody else."""


@cache
def _relatives() -> frozenset[str]:
    more = "mate classmate flatmate housemate spouse grandchild grandson granddaughter gran granny grandad sibling ex in-laws".split()
    return (frozenset(lexicon.RELATIONS) | _ROLES | frozenset(more)) - {"dog", "cat"}  # a neighbour is read as a neighbor


def roles_around() -> frozenset[str]:
    """Words for relatives and others around the user, and for pets: what somebody by name may be."""
    return _relatives() | {"dog", "cat", "horse", "rabbit", "hamster", "parrot"}


def _relative(word: str) -> str | None:
    """The stem of a word for a relative or another person around the user, or None."""
    plain = word.removesuffix("'s")
    if plain.endswith("-in-law") or plain.startswith(("step-", "half-")):
        return stem(plain)
    if plain.startswith("neighbour"):
        plain = plain.replace("neighbour", "neighbor")
    single = plain.removesuffix("s")
    return stem(plain) if plain in _relatives() or (single in _relatives() and single != plain) else None


def _is_somebody(row: Sequence[Token], at: int, names: Names) -> bool:
    """Whether a word for a relative names one: a role alone is what somebody is, and a mother tongue is no mother."""
    word = fold(row[at].text).replace("’", "'").removesuffix("'s")
    behind = row[at + 1] if at + 1 < len(row) else None
    if behind is not None and fold(behind.text) in ("tongue", "tongues", "board", "land", "flat", "flats"):
        return False
    if word not in _ROLES and word.removesuffix("s") not in _ROLES:
        return True
    if fold(row[at].text).replace("’", "'").endswith("'s"):
        return True  # on doctor's advice
    if behind is not None and _named(behind, names):
        return True
    place = at - 1
    while place >= 0 and fold(row[place].text) in _KINDS_OF:
        place -= 1
    before = fold(row[place].text).replace("’", "'") if place >= 0 else ""
    if before in ("a", "an") and place:
        before = fold(row[place - 1].text)  # has a new manager
    elif before.isalpha() and place and _owns_next(row[place - 1]):
        before = fold(row[place - 1].text).replace("’", "'")  # John's yoga instructor
    return before in ("his", "her", "their", "my", "the", "has", "have", "got", "gets") or before.endswith("'s")


def _owns_next(token: Token) -> bool:
    word = fold(token.text).replace("’", "'")
    return word in ("his", "her", "their", "my") or word.endswith("'s")


def _says_which(row: Sequence[Token], at: int) -> bool:
    """Whether a word for a relative only says which one the next word names: *twin brother*, *kid sister*."""
    behind = row[at + 1] if at + 1 < len(row) else None
    return (
        behind is not None
        and behind.start == row[at].end + 1
        and fold(row[at].text) in _WHICH
        and _relative(fold(behind.text).replace("’", "'")) is not None
    )


_WHICH = frozenset(lexicon.words("twin kid baby friend colleague"))
_KINDS_OF = frozenset(
    lexicon.words(
        "new old former current previous first last best close good family team personal primary regular head own heart elderly young"
    )
)


def _mentions(row: Sequence[Token], names: Names) -> list[_Mention]:
    """Everybody whom a sentence names, in order; *his sister Ida* is one."""
    out: list[_Mention] = []
    at = 0
    while at < len(row):
        token = row[at]
        word = fold(token.text).replace("’", "'")
        if token.kind != "word":
            at += 1
            continue
        owner = word.endswith("'s") or word in ("his", "her", "their", "whose")
        plain = word.removesuffix("'s")
        relative = _relative(word)
        if relative is not None and (not _is_somebody(row, at, names) or _says_which(row, at)):
            relative = None  # a mother tongue, a twin brother
        if word in ("he", "she"):
            out.append(_Mention(token.start, token.end, frozenset((_PRONOUN + word,))))
        elif plain in ("user", "users"):
            out.append(_Mention(token.start, token.end, frozenset((USER,)), owner))
        elif relative is not None:
            keys = {relative}
            end = token.end
            many = relative in _MANY_STEMS or (plain.endswith("s") and plain not in _relatives() and plain[:-1] not in _ROLES)
            far = 1 if many else 2  # his sister, Ida; of the children, Ida; two sons: Omar
            if not owner and at + 2 < len(row) and fold(row[at + 1].text) in _TITLES and _named(row[at + 2], names):
                at += 1  # his doctor, Dr. Okafor
                end = row[at].end
            while not owner and at + 1 < len(row) and row[at + 1].start <= end + far and _named(row[at + 1], names):
                at += 1
                end = row[at].end
                owner = fold(row[at].text).replace("’", "'").endswith("'s")
                keys.add(_root(row[at]))
            out.append(_Mention(token.start, end, frozenset(keys), owner))
        elif _named(token, names):
            keys = {_root(token)}
            end = token.end
            while not owner and at + 1 < len(row) and row[at + 1].start == end + 1 and _named(row[at + 1], names):
                at += 1
                end = row[at].end
                owner = fold(row[at].text).replace("’", "'").endswith("'s")
                keys.add(_root(row[at]))
            out.append(_Mention(token.start, end, frozenset(keys), owner))
        at += 1
    return out


def _root(token: Token) -> str:
    return stem(fold(token.text).replace("’", "'").removesuffix("'s"))


def _named(token: Token, names: Names) -> bool:
    return token.kind == "word" and token.text[:1].isupper() and _root(token) in names


_ASKED = 60
"""Of a word that more lines have than this only so many are asked."""


class Names:
    """Which stems are names of people on one of some sides; each is looked for when it is asked for."""

    def __init__(self, *sides: Side) -> None:
        self._sides = sides
        self._known: dict[str, bool] = {}

    def __contains__(self, root: object) -> bool:
        if not isinstance(root, str):
            return False
        found = self._known.get(root)
        if found is None:
            found = self._known[root] = any(
                _english(side.lines[at].text) and root in _people_in(side.told(at))
                for side in self._sides
                for at in side.by_feature.get(root, ())[:_ASKED]
            )
        return found


class People:
    """The people that the sources name, and which words stand for the same one.

    Args:
        ours: the side of the sources. What is nobody's name there is nobody's name in the rewrite.
        theirs: that of the rewrite, which may tell whose sister somebody is, too.
        names: the names of people, where not only those of the sources are.
    """

    def __init__(self, ours: Side, theirs: Side, names: Names | None = None) -> None:
        self.names = Names(ours) if names is None else names
        self._sides = (ours, theirs)
        self._known: dict[str, frozenset[str]] = {}
        self._linked: set[tuple[int, int]] = set()
        self.same: dict[str, set[str]] = {}
        self.apart: set[str] = set()  # who is told of beside the user

    @cached_property
    def _relatives(self) -> frozenset[str]:
        """The relatives whom the sources name."""
        return frozenset(root for root in _stems() if root in self._sides[0].by_feature)

    def _same(self, key: str) -> frozenset[str]:
        found = self._known.get(key)
        if found is None:
            for number, side in enumerate(self._sides):
                for at in side.by_feature.get(key, ())[:_ASKED]:
                    if (number, at) not in self._linked and _english(side.lines[at].text):
                        self._linked.add((number, at))
                        self._link(side.lines[at].text)
            found = self._known[key] = frozenset(self.same.get(key, ()))
        return found

    def _link(self, text: str) -> None:
        """*his sister Ida*, *Ida, his sister*, *Ida is the user's sister*: the two words are one person's."""
        row = list(tokens(text))
        found = _mentions(row, self.names)
        for one in found:
            self._join(one.keys)
        found = [one for one in found if not _is_pronoun(one)]
        for one, two in pairwise(found):
            if USER in one.keys and not one.owner and USER not in two.keys and _BESIDE.search(text[one.end : two.start]):
                self.apart |= two.keys
            if one.owner:
                continue
            between = text[one.end : two.start]
            third = _LINKS.fullmatch(between) is not None or _IS_ONE_CALLED.fullmatch(between) is not None
            if third and bool(one.keys & _stems()) != bool(two.keys & _stems()) and USER not in one.keys | two.keys:
                self._join(one.keys | two.keys)
        for one, two, three in zip(found, found[1:], found[2:], strict=False):  # Ida is the user's sister; Ada, Hugo's wife
            if (
                two.owner
                and three.keys & _stems()
                and not one.keys & _stems()
                and _LINKS.fullmatch(text[one.end : two.start])
                and not text[two.end : three.start].strip()
            ):
                self._join(one.keys | three.keys)

    def _join(self, keys: frozenset[str]) -> None:
        if len(keys) > 1:
            for key in keys:
                self.same.setdefault(key, set()).update(keys)

    def all_of(self, keys: frozenset[str]) -> frozenset[str]:
        """With every word that may stand for the same person."""
        out = set(keys)
        for key in keys:
            out |= self._same(key)
        return frozenset(out)

    def names_of(self, keys: frozenset[str]) -> frozenset[str]:
        """The other names that a name stands with: *Ida* of *Ida Berg*."""
        return self.all_of(keys) - _stems()

    def owned(self, relatives: frozenset[str], names: frozenset[str]) -> bool:
        """Whether each relative so called that the sources name is said to be of somebody with one of the names: *Ivan's brother*."""
        lines = [line for root in relatives for line in self._sides[0].by_feature.get(root, ())[:_ASKED]]
        texts = [self._sides[0].lines[at].text for at in dict.fromkeys(lines)]
        return bool(texts) and all(
            any(stem(fold(found[1])) in names and stem(fold(found[2])) in relatives for found in _OWNER.finditer(text))
            for text in texts
        )

    def told(self, keys: frozenset[str], users: frozenset[str]) -> bool:
        """Whether the sources name somebody at all, by a name or as a relative of this sort."""
        if USER in keys or not keys.isdisjoint(users):
            return True
        return any(key in self.names or any(same_relative(key, other) for other in self._relatives) for key in keys)

    def known(self, keys: frozenset[str]) -> bool:
        """Whether it is told whose relative somebody is, so that the user is somebody else."""
        found = self.all_of(keys)
        return not found.isdisjoint(_stems()) or not found.isdisjoint(self.apart)

    def may_be(self, keys: frozenset[str], pronoun: str) -> bool:
        """Whether *he* or *she* may stand for somebody: whose sister she is, is told."""
        sex = {_SEX[key.removesuffix("-in-law")] for key in self.all_of(keys) if key.removesuffix("-in-law") in _SEX}
        return len(sex) != 1 or sex == {"she" if pronoun in ("she", "her") else "he"}


_OWNER = re.compile(r"\b([A-Z][\w-]*)['’]s (?:[a-z]+ ){0,2}?([a-z-]+)\b")
_BESIDE = re.compile(
    r"\b(?:with|to|from|by|for|and|met|meets?|visits?|visited|asked|told|helps?|helped|called|invited|mentors?|teaches|knows?|likes?|loves?)\s(?:his |her |the |a )?\Z",
    re.I,
)
_SEX = {
    **dict.fromkeys(
        map(
            stem,
            lexicon.words(
                "sister mother mom mum daughter granddaughter wife girlfriend fiancée fiancee aunt niece grandmother grandma stepmother"
            ),
        ),
        "she",
    ),
    **dict.fromkeys(
        map(
            stem,
            lexicon.words(
                "brother father dad son grandson husband boyfriend fiancé fiance uncle nephew grandfather grandpa stepfather"
            ),
        ),
        "he",
    ),
}
_IS_ONE_CALLED = re.compile(r" (?:is|was) (?:an?|the) (?:[\w'’-]+ ){1,5}(?:called|named) ", re.I)
"""*His coach is a former Olympian called Marit*."""
_LINKS = re.compile(
    r"\s*[,(:]?\s*(?:(?:who|that)\s+)?(?:is|was|are|called|named|is called|is named|'s name is|s name is)?\s*(?:his|her|their|the|a|an|my)?\s*(?:only|older|younger|elder|big|little|best|close|new|old)?\s*",
    re.I,
)


@cache
def _stems() -> frozenset[str]:
    plain = frozenset(_relatives())
    return frozenset(
        stem(word) for word in plain | {f"{one}-in-law" for one in ("mother", "father", "sister", "brother", "son", "daughter")}
    )


def _people_in(told: Told) -> frozenset[str]:
    """The names at the head of a sentence and those of relatives: they are people's, most of the time."""
    text = told.text
    out: set[str] = set()
    for item in told.items:
        if item.kind != "name" or not item.surface[:1].isupper():
            continue
        at = item.start - told.start
        word = re.search(r"([A-Za-z'’-]+)[\s,(:]*(?:(?:Mrs?|Ms|Dr|Prof|Miss|Professor|Coach)\.? ?)?$", text[max(0, at - 40) : at])
        relative = word is not None and _relative(fold(word[1])) is not None
        verb = re.match(r" ([a-z]+)", text[at + len(item.surface) :])
        clause = re.search(r"(?:[,;]|\b(?:and|but|while|whereas))\s*$", text[max(0, at - 10) : at])
        heads = (
            at <= 5
            or _WITH.search(text[max(0, at - 70) : at]) is not None
            or (clause is not None and verb is not None and _is_verb(verb[1]))
        )
        acts = at <= 1 and verb is not None and _is_verb(verb[1])  # Cole got
        surely = at <= 1 and _only_somebody(text[at + len(item.surface) :], fold(item.surface))
        titled = _TITLE.search(text[max(0, at - 12) : at]) is not None or _TITLE.match(item.surface) is not None
        if relative or surely or titled or (heads and (not item.weak or acts)) or _CALLED.search(text[max(0, at - 10) : at]):
            parts = [part for one in item.norm.split() if (part := fold(one).removesuffix("'s")) not in _TITLES or not titled]
            called = relative or surely or titled or _CALLED.search(text[max(0, at - 10) : at]) is not None
            out.update(stem(part) for part in parts if called or not senses.is_common(part) or (acts and part in _ALSO_WORDS))
    return frozenset(out)


_TITLE = re.compile(
    r"\b(?:Mrs?|Ms|Miss|Dr|Prof|Professor|Coach|Sir|Pastor|Rabbi|Uncle|Aunt|Auntie|Grandma|Grandpa)\.? (?:\Z|(?=[A-Z]))"
)
_DOES = re.compile(
    r" (?:also |really |always |never |usually |often |now |currently |still )?(?:likes?|loves?|wants|hopes|wishes|hates|dislikes|prefers|enjoys|lives|speaks|studies|studied|teaches|believes|thinks|owns|wears|drinks|eats|cooks|sings|"
    r"married|adores|fears|dreads|sleeps|barks|purrs|chews|steals|chases|weighs|snores|limps|smokes|jogs|knits|paints|collects|plays (?:the |football|soccer|tennis|chess|golf|piano|guitar|violin|drums|basketball|badminton|hockey)|works (?:as|at|for|in|from|part|full)|"
    r"has (?:an? |two |three |no )?(?:\w+ )?(?:dogs?|cats?|sons?|daughters?|sisters?|brothers?|kids|children|husband|wife|allergy|degree|phd|diabetes|asthma)|"
    r"(?:is|was) (?:deaf|blind|lame|shy|spayed|neutered|vaccinated|allergic|married|single|divorced|widowed|pregnant|vegetarian|vegan|retired|engaged|afraid|scared|learning|studying|lactose|diabetic|aged|left-handed|fluent|in (?:his|her)|\d{1,2}(?=[ .,;]|\Z)(?! (?:km|kg|m|euros?|dollars?|hours?|days|weeks|minutes)))|"
    r"(?:is|was) (?:an?|the) (?P<trade>(?:[a-z]+ )?[a-z]+))\b"
)
_NOBODY = frozenset(
    lexicon.words(
        "user everyone everybody someone somebody nobody one who he she they it this that these those team company family staff management firm office client group"
        " band crew customer people school police government the there what which both neither each"
    )
)


def _only_somebody(behind: str, word: str) -> bool:
    """Whether what stands behind the first word of a sentence says that it is somebody's name, even where it is a word: *Anna likes jazz*."""
    found = _DOES.match(behind)
    if found is None or word in _NOBODY or _relative(word) is not None:
        return False
    if found["trade"] is None:
        return True
    sorts = [sort_of(stem(one)) for one in found["trade"].split()]
    return sorts[-1] is not None and sorts[-1].name == "person"


_CALLED = re.compile(r"\b(?:named|called)\s\Z", re.I)
_ALSO_WORDS = frozenset(
    lexicon.words(
        "rose grace will mark max cole dana lily ivy hazel daisy violet jade ruby amber pearl iris faith hope joy dawn eve robin jay wren finn reed"
        " glen dale cliff heath hunter mason carter cooper parker taylor tyler chase grant frank earl duke rich bill bob jack drew pat sue penny"
        " ginger olive sage rosemary basil sandy rusty dusty buddy gene guy miles ray rob nick pierce harry gus colt beau dean ash bea willow heather"
        " ada adam ali ana angel ann anna anne bart belle beth billy carrie christian curt david deb dick dolores donna ella erin esme fay fern flora"
        " frances franco gabe gary george gia hal hank hans herb herman homer ida ike inga inge ira jake james jan jane jared jean john jordan julie"
        " kate ken kirk lance lea lee len lena leo leon lev levi lin louis louise luke luna mac malik mara marc maria marie marina martin mary matt"
        " maya meg michael mina molly nan nils nina norma ola paul pete peter pia pierre pip polly raj rex roman ron rosa rosie ross ruth sally sid"
        " tad tara ted teddy tia tim todd tracy uma ute viola wade wally wei wen"
        " holly laurel myrtle opal melody harmony patience prudence charity ernest victor norm chip skip chuck josh jimmy mike don ben tom sam dan"
    )
)
"""Given names that are words as well: before a verb at the head of a sentence they are somebody's."""
_WITH = re.compile(
    r"\b(?:report(?:s|ed|ing)? to|married(?: to)?|dating|engaged to|lives? with|talk(?:s|ed) (?:to|with)|sp(?:oke|eaks?) (?:to|with)|together with|works? with|work\w* on [\w' -]{1,40} with|mentors?|teaches|babysits"
    r"|invited|friends with|shares? \w+ \w+ with)\s\Z",
    re.I,
)
"""Before a name it says that it is somebody's."""


def _english(text: str) -> bool:
    return len(text) <= _LONGEST and (
        text.isascii() or not any("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)
    )


class _Group(NamedTuple):
    """People who stand in one list: *Priya and her sister Anjali*."""

    start: int
    end: int
    people: tuple[frozenset[str], ...]
    owner: bool


def _groups(text: str, found: Sequence[_Mention]) -> list[_Group]:
    out: list[_Group] = []
    at = 0
    while at < len(found):
        last = at
        people = [found[at].keys]
        joined = False
        while last + 1 < len(found) and not found[last].owner:
            between = re.sub(
                r"\b(?:his|her|their|the|my|user['’]s)\b|\([^()]{1,20}\)",
                " ",
                text[found[last].end : found[last + 1].start],
                flags=re.I,
            )
            nxt = found[last + 1]
            aside = next(
                (
                    place
                    for place in range(last + 1, min(last + 4, len(found)))
                    if _ASIDE.fullmatch(text, found[last].end, found[place].start)
                ),
                None,
            )
            if re.fullmatch(r"\s*,?\s*(?:and|&)\s*", between):
                joined = True
                people.append(nxt.keys)
            elif aside is not None:  # Ann, a neighbour, and her husband
                joined = True
                people.append(found[aside].keys)
                last = aside - 1
            elif re.fullmatch(r"\s*,\s*", between) and bool(people[-1] & _stems()) == bool(nxt.keys & _stems()):
                people.append(nxt.keys)
            else:
                break
            last += 1
        if len(people) > 1 and not joined:
            people, last = people[:1], at
        out.append(_Group(found[at].start, found[last].end, tuple(people), found[last].owner))
        at = last + 1
    return out


_IS_ONE_OF = re.compile(r",\s(?:his|her|their|the user['’]s)\s[\w-]+,\s")
"""*Lucas finds it too small, Ana, his wife, finds it too big*: she is told of, not named in passing."""
_EACH_WITH_ITS = re.compile(r"[A-Z]\w+, (?:an?|the|his|her|their) [^,;.]{2,40}, and\b")
"""*Nils, a land surveyor, and Ruth, an optician*: what such a clause tells is one's or the other's."""
_IS_SOMEBODY = re.compile(r"(?:['’]s)? (?:[\w-]+ ){1,2}(?:is|was) (?:[A-Z]|called )")
"""Behind whose relative it is: *the user's landlord is Mr. Gallagher* tells of both."""
_OWNS = re.compile(r"\s[\w-]+(?: [\w-]+)?[\s,]*")
"""What somebody is told to have, in an aside: *Miso, the user's old cat*."""
_ASIDE = re.compile(r"\s*,(?!\s*who)[^,;:.()]{1,40},\s*(?:and|&)\s*(?:(?:his|her|their|the|user['’]s)\s*)*", re.I)
_WHAT_HE_IS = re.compile(r",\s(?:an?|the)\s[^,;:.()]{1,40},")

_PRONOUN = "~"
"""Before a pronoun that stands for somebody."""


class Before(NamedTuple):
    """What stands before a clause.

    Attributes:
        last: everybody the clause before it tells of.
        seen: everybody who was named in the last lines.
        near: everybody who was named in the line before.
    """

    last: tuple[frozenset[str], ...] = ()
    seen: tuple[frozenset[str], ...] = ()
    near: tuple[frozenset[str], ...] = ()


def clauses_of(side: Side, number: int, people: People, before: Before) -> list[Clause]:
    """The clauses of a line with the people they tell of.

    Args:
        before: the people of the clauses before the line: a pronoun stands for one of them.
    """
    told = side.told(number)
    text = told.text
    if not _english(text):
        return []
    row = [token for token in tokens(text) if token.kind != "mark"]
    found = _mentions(row, people.names)
    owners = [
        one for one, two in pairwise(found) if one.owner and two.keys & _stems() and len(text[one.end : two.start].split()) <= 2
    ]
    groups = _groups(text, [one for one in found if one not in owners])
    lists = [
        (one.start, max(one.end, behind.end() if (behind := _WHAT_HE_IS.match(text, one.end)) else 0))
        for one in groups
        if len(one.people) > 1
    ]  # Ann, a neighbour, and Ben, a baker, are: an aside tells of one of them
    spans = _spans(text, row, groups)
    if len(spans) > _MOST:
        return []
    out: list[Clause] = []
    last, seen, near = before
    hung = False
    for left, right in spans:
        whom, own, hangs = _subject(text, left, right, row, groups, Before(last, seen, near), people)
        if hung and not own and whom == last and text[left] != ",":
            whom = ()  # "her mother, who lives alone and has two cats": it may go on with either
        else:
            hung = hangs and "," not in text[left + 1 : right]
        inside = [mention for mention in found if left <= mention.start < right]
        named = frozenset(key for mention in inside for key in mention.keys)
        words = {
            word.stem: weigh(word.stem)
            for word in told.words
            if left <= word.start - told.start < right
            and word.stem not in named
            and word.stem not in people.names
            and (word.stem not in _stems() or word.stem in _role_stems())
            and word.stem != _AGED
            and not any(start < word.start - told.start < end for start, end in lists)
        }
        keys: set[str] = set()
        for item in told.items:
            if item.weak or not left <= item.start - told.start < right:
                continue
            if item.kind == "name":  # a place, a firm
                roots = [stem(part) for part in item.norm.split()]
                words.update((root, 1.0) for root in roots if root not in named and root not in people.names)
            else:
                keys |= {key for key in item_keys(item) if not key.startswith("#:")}
        others = tuple(
            one.keys
            for one in inside
            if (one not in owners or _IS_SOMEBODY.match(text, one.end)) and one.keys not in own and not _is_pronoun(one)
        )
        each = () if len(whom) > 1 and _EACH_WITH_ITS.search(text, left, right) else whom
        out.append(Clause(number, left, right, each, others, words, frozenset(keys), _thing(text, left, right, row, groups)))
        if text[left] == ":":
            last = ()  # who is told of behind it is somebody else, or several
        if whom and not hangs:
            last = whom
        elif not whom and left == 0 and not _LEADS_IN.match(text):
            last = ()  # sheep distracted her and made her fail
        seen = (*seen, *(one.keys for one in inside if not _is_pronoun(one)))
    return out


Read = tuple[list[Clause], tuple[frozenset[str], ...]]
"""The clauses of a line, and whom the last of them tells of."""


def read_clauses(
    side: Side, number: int, people: People, users: tuple[frozenset[str], ...], known: dict[int, Read], far: int
) -> Read:
    """The clauses of a line read behind those before it, and the people that the last of them tells of that are known."""
    # at module level: a nested function that calls itself would hold both sides until the collector runs
    if number not in known:
        lines = [at for at in range(max(0, number - far), number) if side.lines[at].memory == side.lines[number].memory]
        before = [read_clauses(side, at, people, users, known, far - number + at) for at in lines]
        owners = [frozenset((name,)) for at in lines for name in sorted(side.lines[at].names) if name in people.names]
        seen = (*users, *owners, *(one for each, _ in before for clause in each for one in (*clause.whom, *clause.others)))
        last = before[-1][1] if before else ()
        near = tuple(one for each in before[-1][0] for one in (*each.whom, *each.others)) if before else ()
        found = clauses_of(side, number, people, Before(last, seen, near))
        known[number] = found, next((each.whom for each in reversed(found) if each.whom), last)
    return known[number]


_LEADS_IN = re.compile(
    r"\W*(?:in|on|at|for|from|with|since|by|after|before|during|each|every|last|next|to|of|as|when|while|because|if|then|now|also|later|and|but)\b",
    re.I,
)


@cache
def _role_stems() -> frozenset[str]:
    """What somebody is told to be, where it names nobody: *is a teacher*."""
    return frozenset(map(stem, _ROLES)) - _family()


_AGED = stem("aged")


def _thing(text: str, left: int, right: int, row: Sequence[Token], groups: Sequence[_Group]) -> str:
    """The stem of what somebody who stands first owns, in text[left:right]: *the user's bike*, *his bike*."""
    group = next((one for one in groups if left <= one.start < right), None)
    owner = next((token for token in row if left <= token.start < right and fold(token.text) in ("his", "her")), None)
    end = group.end if group is not None and group.owner else owner.end if owner is not None and group is None else None
    behind = next((token for token in row if end is not None and end <= token.start < right), None)
    return "" if behind is None or any(one.start <= behind.start < one.end for one in groups) else _root(behind)


def _is_pronoun(one: _Mention) -> bool:
    return any(key.startswith(_PRONOUN) for key in one.keys)


def _spans(text: str, row: Sequence[Token], groups: Sequence[_Group]) -> list[tuple[int, int]]:
    """Where the clauses of a sentence stand: a piece that begins with nobody and no verb goes on with what stands before it."""
    out: list[tuple[int, int]] = []
    for left, right in _cut_at_whose(text):
        inside = any(group.start < left < group.end for group in groups)
        if out and (inside or not _opens(text, left, right, row, groups)):
            out[-1] = (out[-1][0], right)
        else:
            out.append((left, right))
    return out


def _cut_at_whose(text: str) -> Iterator[tuple[int, int]]:
    for left, right in segments(text, fine=True):
        at = left
        for found in _WHOSE.finditer(text, left + 1, right):
            yield at, found.start()
            at = found.start()
        yield at, right


_WHOSE = re.compile(r"(?<=\w )whose\b")


def _opens(text: str, left: int, right: int, row: Sequence[Token], groups: Sequence[_Group]) -> bool:
    joined = False
    behind = text[left] in ",;" or text[:left].rstrip().endswith((",", ";"))
    for token in row:
        if not left <= token.start < right:
            continue
        word = fold(token.text).replace("’", "'")
        if word in _CONJUNCTIONS:
            joined = True
            continue
        if word in _OBJECTS:  # which Ida bakes
            continue
        if word.endswith("'s") or (word in _TITLES and token.text[0].isupper()):
            continue
        if word in _BOTH and _ACTS.match(text, token.end):
            return True
        if word in ("who", "whose", *_SUBJECT) or any(group.start <= token.start < group.end for group in groups):
            return True
        if word in _OWN:
            return _owned(text, token.end, groups) is not None or (joined and behind and word == "the")
        if joined and behind and _ARE.match(text, token.end):
            return True  # and museums are not
        return (joined or text[left] in ",;") and _is_verb(word)
    return False


_BOTH = frozenset(("both", "neither"))
_ACTS = re.compile(
    r"(?: of (?:them|whom))?(?: (?:also|now|still|really|always|never|usually|often|currently|regularly))? (?P<verb>[a-z]+)", re.I
)
_ARE = re.compile(r"\s(?:is|are|was|were|has|have|had)\b")
_OBJECTS = frozenset(("which", "that", "whom"))


def _is_verb(word: str) -> bool:
    """Whether a word is surely the verb of a clause whose subject was told before."""
    return (
        word in _VERBS
        or (word.endswith("ed") and len(word) > 4)
        or lexicon.IRREGULAR.get(word, word) in _VERBS
        or (word.endswith("s") and part_of_speech(stem(word)) == "v")
    )


_VERBS = frozenset(
    form
    for verb in lexicon.words(
        """
    play work live like love enjoy take teach study run swim speak drive ride cook bake paint write read sing dance collect own keep make
    want plan hope wish need prefer hate avoid use wear drink eat see meet visit travel go come start stop begin finish offer help give get
    buy sell rent pay earn cost owe lend borrow know think feel find believe say tell ask call send bring grow raise breed build repair sew
    knit draw design edit hold manage lead run maintain train coach volunteer attend join organize host win lose study learn practise practice
    hike climb ski cycle jog row sail fish hunt garden suffer break hurt recover sleep wake smoke quit move stay return arrive leave fly
    search look shop seek order deliver apply sign join serve act behave dress celebrate choose decide prefer mention describe explain show share
    listen watch follow support encourage advise recommend care look spend save invest carry weigh measure become turn remain lack
    """
    )
    for form in (verb, verb + "s", verb + "es", verb.removesuffix("y") + "ies")
) | frozenset(lexicon.words("is are was were has have had does did will would can could may might must went"))
VERBS = frozenset(stem(word) for word in _VERBS)
"""The stems of common verbs."""


_TITLES = frozenset(lexicon.words("mr mrs ms miss dr prof professor sir madam rev fr sr coach"))


_IS_SOMEBODY = re.compile(r" (?:is|was|became) (?:an?|the) (?:[\w-]+ ){1,4}")
"""Between somebody and what is told of him: *Bruno is a pilot who*."""
_AT = frozenset(lexicon.words("in at on with from for about near to"))


def _subject(
    text: str, left: int, right: int, row: Sequence[Token], groups: Sequence[_Group], before: Before, people: People
) -> tuple[tuple[frozenset[str], ...], tuple[frozenset[str], ...], bool]:
    """Whom text[left:right] tells of, those of them whom it names itself, and whether it is a relative clause.

    () where it tells of a thing, or nobody knows.
    """
    mine = [token for token in row if left <= token.start < right]
    if text[left] == "(" or (text[left] == ":" and not any(_is_verb(fold(token.text)) for token in mine)):
        return (), (), False  # a list
    at = 0
    while at < len(mine) and fold(mine[at].text) in _CONJUNCTIONS | _OBJECTS:
        at += 1
    nobody: tuple[frozenset[str], ...] = ()
    led = False
    while at < len(mine):
        token = mine[at]
        word = fold(token.text).replace("’", "'")
        group = next((one for one in groups if one.start <= token.start < one.end), None)
        if group is None and word in _TITLES and token.text[0].isupper():
            at += 1
            continue
        if group is None and word.endswith("'s"):  # whose sister it is says nothing of whom it tells
            at += 1
            continue
        if group is None and word in _OWN:
            group = _owned(text, token.end, groups)
        if group is not None:
            if led and _is_led(mine, at) and word not in _SUBJECT:
                at = next((place for place in range(at, len(mine)) if mine[place].start >= group.end), len(mine))
                continue
            whom = tuple(one for keys in group.people if (one := _meant(keys, token.start, groups, before, people)))
            if ")" in text[group.end : right] and "(" not in text[left:right]:
                return nobody, nobody, False  # in brackets
            behind = [fold(each.text) for each in mine if each.start >= group.end]
            alone = sum(one.end <= left for one in groups) == 1  # Ken is allergic to cats, and his wife to pollen
            if (
                left > 0
                and before.last
                and not alone
                and behind[:1]
                and behind[0] in _AT
                and not any(_is_verb(each) for each in behind)
            ):
                return before.last, nobody, False  # met Marta in Lisbon, Amira in Lyon and Tom in Brno
            if len(whom) < len(group.people):
                return nobody, nobody, False
            aside = (
                text[left] == ","
                and not _IS_ONE_OF.match(text, group.end)
                and (
                    not text[group.end : right].strip(" ,;.")
                    or (
                        group.owner
                        and _OWNS.fullmatch(text, group.end, right) is not None
                        and not any(_is_verb(each) for each in behind)
                    )
                )
            )
            if aside and group.owner:
                if not any(one.end == left for one in groups):
                    return whom, group.people, False
                return nobody, nobody, True  # Miso, the user's cat, hates
            return whom, group.people, aside
        if word in ("who", "whom", "whose"):
            last = [one for one in groups if one.end <= token.start]
            theirs = _owned(text, token.end, groups) if word == "whose" else None
            if theirs is not None and not theirs.people[0].isdisjoint(_stems()):
                return theirs.people, theirs.people, True  # whose father is a judge
            between = text[last[-1].end : token.start] if last else "-"
            if between.strip(" ,") and not _IS_SOMEBODY.fullmatch(between):
                return nobody, nobody, True
            several = at + 1 < len(mine) and fold(mine[at + 1].text) in ("both", "each", "are", "were", "have")
            return (last[-1].people if several else last[-1].people[-1:]), nobody, True
        if word in _BOTH or word == "they":
            return (nobody if led else _both(token.start, groups, before, people)), nobody, False
        if word in _HE:
            if word not in ("his", "her", "him"):
                return nobody, nobody, False
            if not led:
                meant = _meant(frozenset((_PRONOUN + word,)), token.start, groups, before, people)
                return ((meant,) if meant else nobody), nobody, False
        elif word in _LEADS:
            led = True
        elif not led:
            if word in _OWN:
                return nobody, nobody, False
            if left == 0:
                return ((frozenset((USER,)),) if _bare_verb(word) else nobody), nobody, False
            return before.last if _is_verb(word) else nobody, nobody, False
        at += 1
    return nobody, nobody, False


def _both(at: int, groups: Sequence[_Group], before: Before, people: People) -> tuple[frozenset[str], ...]:
    """The only two people whom a sentence names before an offset, or the one before it; () where there are not just two."""
    here = [_meant(keys, group.start, groups, before, people) for group in groups if group.end <= at for keys in group.people]
    for named in (here, before.last, before.near):
        told: list[frozenset[str]] = []
        for one in named:
            if one and not several((one,)) and not any(may_be_one(one, each, people, frozenset()) for each in told):
                told.append(one)
        if len(told) == 2:
            return tuple(told)
    return ()


def _meant(keys: frozenset[str], at: int, groups: Sequence[_Group], before: Before, people: People) -> frozenset[str]:
    """The words for whomever a mention names; of a pronoun those of all whom it may stand for."""
    pronoun = next((key for key in keys if key.startswith(_PRONOUN)), None)
    if pronoun is None:
        return keys
    near = (each for one in groups if one.end <= at for each in one.people)
    return frozenset(
        key
        for one in (*before.last, *before.seen, *near)
        if people.may_be(one, pronoun[1:])
        for key in one
        if not key.startswith(_PRONOUN)
    )


def _owned(text: str, at: int, groups: Sequence[_Group]) -> _Group | None:
    """Who stands right behind *his* or *the*: *his sister*, *his 66-year-old neighbour*."""
    group = next((one for one in groups if one.start >= at), None)
    if group is None:
        return None
    between = text[at : group.start].split()
    near = not between or (len(between) <= 2 and not group.people[0].isdisjoint(_stems()))
    return group if near and not re.search(r"[,;:.()]", text[at : group.start]) else None


def _is_led(mine: Sequence[Token], at: int) -> bool:
    """Whether a preposition stands right before a name: *with Emil*, *at his sister's*, *of her two children*."""
    while at and fold(mine[at - 1].text) in _OWN | _COUNTS:
        at -= 1
    return at > 0 and fold(mine[at - 1].text) in _LEADS


_COUNTS = frozenset(lexicon.words("two three four five six both all old other older younger new good best"))


def _bare_verb(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "'s"))


_SAYS = 0.5
"""A source clause that has this share of the words of a clause tells it."""
_HINTS = 0.3
"""One that tells of the right person and has this share of them may tell it."""
_HINTED = 0.6
"""And this share of what the clause has that tells most."""
_TELLS = 0.5
"""A clause whose words weigh less than this tells nothing but a figure."""
_ENOUGH = 0.8
"""A clause whose words weigh less than this together says too little to tell whose it is."""
_FIGURE = 1.0


def share(clause: Clause, other: Clause) -> float:
    """How much of a clause another one tells: its words, in their own or in others for them, and its figures."""
    total = sum(clause.words.values()) + _FIGURE * bool(clause.keys)
    if not total:
        return 0.0
    held = sum(
        weight for word, weight in clause.words.items() if word in other.words or any(meet(word, one) for one in other.words)
    )
    if held < _IN_WORDS * sum(clause.words.values()):
        return 0.0
    return (held + _FIGURE * (not clause.keys.isdisjoint(other.keys))) / total


_IN_WORDS = 0.25
"""Where a clause has telling words, a figure alone does not tell it: so much of them must be told as well."""


@cache
def _family() -> frozenset[str]:
    return frozenset(_SEX) | frozenset(f"{root}-in-law" for root in ("mother", "father", "sister", "brother"))


class Mistaken(NamedTuple):
    """A clause of the rewrite that tells of somebody what a clause of the sources tells of somebody else."""

    clause: Clause
    source: Clause
    whom: str
    of: str


def mistaken(
    clauses: Sequence[Clause], sources: Sequence[Clause], ours: Side, theirs: Side, people: People, users: frozenset[str]
) -> Mistaken | None:
    """The first of the clauses of a line of the rewrite that is told of the wrong person; None where there is none.

    Args:
        clauses: those of the line.
        sources: those of the lines of the sources that come nearest to it, and of others that name its people.
        ours: the side of the sources.
        theirs: that of the rewrite.
        users: stems of names that stand for the user.
    """
    for clause in clauses:
        telling_words = sum(clause.words.values())
        if telling_words < _TELLS:
            continue
        scored = [(share(clause, other), other) for other in sources]
        best = max((score for score, _ in scored), default=0.0)
        if best < _SAYS:
            continue
        if telling_words + _FIGURE * bool(clause.keys) < _ENOUGH and not any(
            score == 1.0 and share(other, clause) == 1.0 for score, other in scored
        ):
            continue
        telling = [other for score, other in scored if score >= best - _AS_GOOD]
        found = _for_another(clause, scored, best, telling, ours, people, users) or _merged(
            clause, sources, ours, theirs, people, users
        )
        if found is not None:
            return found
        if not clause.whom or any(not other.whom or several(other.whom) for other in telling):
            continue
        pet = next((other.thing for other in telling if _is_animal(other.thing)), "")
        if (
            pet
            and all(other.thing == pet for other in telling)
            and not clause.thing
            and not _names(clause, pet, theirs)
            and not _HAS_CALLED.search(theirs.lines[clause.line].text)
        ):
            return Mistaken(clause, telling[0], _shown(clause.whom[0]), pet)
        if any(_ALL.search(ours.lines[other.line].text) for other in telling) and len(clause.whom) > 1:
            continue
        if clause.thing and not any(
            clause.thing == word or meet(clause.thing, word) for other in telling for word in other.words
        ):
            continue  # the user's boy
        for one in clause.whom:
            if clause.keys and any(
                not clause.keys.isdisjoint(other.keys) and _tells_of(one, other, people, users)
                for other in sources
                if any(other.line == told.line for told in telling)
            ):
                continue  # "Ida has 3 published papers, Ben has 2"
            if (
                len(clause.whom) > 1
                and (USER in one or (_is_partner(one) and any(USER in each or each & users for each in clause.whom)))
                and not _HOUSEHOLD.isdisjoint(clause.words)
            ):
                continue  # the user and his wife have a baby
            if not people.told(one, users):
                if one <= _family() and all(
                    person.isdisjoint(_stems()) for other in telling for person in (*other.whom, *other.others)
                ):
                    return Mistaken(clause, telling[0], _shown(one), _shown(telling[0].whom[0]))
                continue
            if several((one,)) or any(
                _tells_of(one, other, people, users) for score, other in scored if score >= max(_HINTS, _HINTED * best)
            ):
                continue
            if any(
                may_be_one(named, person, people, users) for named in clause.others for other in telling for person in other.whom
            ):
                continue  # Ida was given it by Ben
            return Mistaken(clause, telling[0], _shown(one), _shown(telling[0].whom[0]))
    return None


_LIST = re.compile(r"\b([^\W\d_][\w-]*)(?:,| and| &|, and) (?:to |in |of |at |the |a |an |his |her |for )*([^\W\d_][\w-]*)")
_OF_MORE = re.compile(
    r"\b(?:so (?:do|does|is|did|was|has)|too|as well|also|both|together|they|them|their|we|our|shares?|same)\b", re.I
)
"""A source with such a word may tell it of another one, too."""


def _merged(
    clause: Clause, sources: Sequence[Clause], ours: Side, theirs: Side, people: People, users: frozenset[str]
) -> Mistaken | None:
    """Whether one is given what the sources tell of two: *Ken is allergic to cats and pollen*, the pollen being his wife's."""
    if len(clause.whom) != 1 or several(clause.whom):
        return None
    one = clause.whom[0]
    text = theirs.lines[clause.line].text
    read = {other.line for other in sources}
    for found in _LIST.finditer(text, clause.start, clause.end):
        pair = [stem(fold(word)) for word in found.groups()]
        if any(clause.words.get(word, 0.0) < _TELLS for word in pair):
            continue
        holders = [[other for other in sources if word in other.words] for word in pair]
        if not all(holders):
            continue
        own = [any(_tells_of(one, other, people, users) for other in held) for held in holders]
        if own[0] == own[1]:
            continue
        held, word = (holders[1], pair[1]) if own[0] else (holders[0], pair[0])
        if any(len(other.whom) != 1 or several(other.whom) or _OF_MORE.search(ours.lines[other.line].text) for other in held):
            continue
        if any(at not in read for key in (word, *ours.akin(word)) for at in ours.by_feature.get(key, ())[:_ASKED]):
            continue
        if any(may_be_one(named, person, people, users) for named in clause.others for other in held for person in other.whom):
            continue
        if not people.told(one, users):
            continue
        return Mistaken(clause, held[0], _shown(one), _shown(held[0].whom[0]))
    return None


def _for_another(
    clause: Clause,
    scored: Sequence[tuple[float, Clause]],
    best: float,
    telling: Sequence[Clause],
    ours: Side,
    people: People,
    users: frozenset[str],
) -> Mistaken | None:
    """Whether a clause is told for or with somebody, by a name, where the sources that tell it name somebody else: *a bike for Anton*."""
    if best < _SURELY or any(_HIM.search(ours.lines[other.line].text) for other in telling):
        return None
    for one in clause.others:
        if one <= _stems() or USER in one or not one.isdisjoint(users):
            continue
        if any(_tells_of(one, other, people, users) for score, other in scored if score >= _HINTS):
            continue
        instead = [
            person
            for other in telling
            for person in (*other.others, *other.whom)
            if person - _stems() - {USER}
            and person.isdisjoint(users)
            and not any(may_be_one(person, mine, people, users) for mine in (*clause.others, *clause.whom))
        ]
        if instead:
            return Mistaken(clause, telling[0], _shown(one), _shown(instead[0]))
        alone = best >= _OF_USER and not clause.whom and len(clause.others) == 1
        if alone and people.known(one) and all(other.whom == (frozenset((USER,)),) and not other.others for other in telling):
            return Mistaken(clause, telling[0], _shown(one), "user")  # raw fish is something Nadia cannot eat
    return None


_OF_USER = 0.7


_SURELY = 0.55
"""A source clause that has this share of the words of another surely tells it."""
_HIM = re.compile(r"\b(?:him|her|them|his|their|hers)\b", re.I)


def _is_animal(root: str) -> bool:
    sort = sort_of(root)
    return bool(root) and (root in _PETS or (sort is not None and sort.name == "animal"))


_HAS_CALLED = re.compile(r"\b(?:has|have|had|owns?|keeps?|got|adopted|and)\b[^.;]{1,40}\b(?:called|named)\b", re.I)
"""Has a corgi called Biscuit: what sort of animal it is, the sources tell."""
_PETS = frozenset(stem(word) for word in lexicon.words("cat dog puppy kitten pet horse pony rabbit hamster parrot"))


def _names(clause: Clause, root: str, theirs: Side) -> bool:
    """Whether the line of a clause, or the one before it, names an animal, by whatever word."""
    return any(
        word in theirs.lines[at].features or any(_is_animal(one) for one in theirs.lines[at].features)
        for at in range(max(0, clause.line - 1), clause.line + 1)
        for word in (root,)
    )


_PARTNERS = frozenset(
    stem(word) for word in lexicon.words("husband wife spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend")
)


_HOUSEHOLD = frozenset(
    stem(word)
    for word in lexicon.words(
        """
        child children kid kids son daughter baby boy girl toddler twin twins pregnant expect expecting adopt adopted raise house home flat apartment
        live living move moved rent mortgage buy bought own car garden cat dog pet puppy kitten trip travel holiday vacation honeymoon
        wedding marry married engaged anniversary
        """
    )
)
"""What two who live together share."""


def _is_partner(one: frozenset[str]) -> bool:
    return not one.isdisjoint(_PARTNERS)


_ALL = re.compile(rf"\b(?:{'|'.join(sorted(_MANY - {'team'}))}|together)\b", re.I)
_AS_GOOD = 0.2
"""Clauses that tell a clause as well as the one that tells it best, but for this share of its words."""


def several(whom: Sequence[frozenset[str]]) -> bool:
    return any(not one.isdisjoint(_MANY_STEMS) and one <= _stems() | _MANY_STEMS for one in whom)  # a friend by name is one


_MANY_STEMS = frozenset(stem(word) for word in _MANY)


def _tells_of(one: frozenset[str], other: Clause, people: People, users: frozenset[str]) -> bool:
    return any(may_be_one(one, person, people, users) for person in (*other.whom, *other.others))


def may_be_one(one: frozenset[str], two: frozenset[str], people: People, users: frozenset[str]) -> bool:
    """Whether two mentions may be of one person. Two names are one only where they are the same; a relative may be anybody so called."""
    mine, theirs = one - _stems() - {USER}, two - _stems() - {USER}
    if mine and theirs and USER not in one | two:
        return not (mine | people.names_of(mine)).isdisjoint(theirs)
    for named, related in ((one, two), (two, one)):
        if named.isdisjoint(_stems()) and related <= _stems() and people.owned(related, named):
            return False  # Ivan is not Ivan's brother
    mine, theirs = people.all_of(one), people.all_of(two)
    if not mine.isdisjoint(theirs) or any(same_relative(left, right) for left in mine & _stems() for right in theirs & _stems()):
        return True
    for user, person in ((one, two), (two, one)):
        if USER in user or not user.isdisjoint(users):
            return not person.isdisjoint(users) or not people.known(person)
    return False


@lru_cache(maxsize=1024)
def same_relative(one: str, two: str) -> bool:
    """Whether two words may stand for one relative: *mother* and *mum*, *boss* and *manager*."""
    here, there = ({(pole.axis, pole.value) for pole in poles(word)} for word in (one, two))
    return meet(one, two) or not here.isdisjoint(there)


def _shown(one: frozenset[str]) -> str:
    return "/".join(sorted("user" if key == USER else key for key in one))
