"""What a sentence states, as subject, attribute and value, and which statements newer ones replace.

``read_statements(text)`` reads English and Chinese sentences of a few hundred known shapes. A sentence of no known shape gives no
statement: nothing here guesses. ``superseded(memories)`` compares statements across memories and names the clauses that a newer
memory replaces. Verification asks it which lost facts were only outdated; the built-in consolidator and a ``supersede`` strategy ask
it what is current.

Use by others: a clause that ``superseded`` names may be missing from a rewrite without being lost, provided that what the memory
``new_id`` says is still there. ``Superseded.clause`` is a verbatim piece of the old memory's text at ``span``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from memopt.facts.bearing import (
    BESIDE,
    UNSURE,
    circumstances,
    compete,
    holds_at,
    is_limited,
    is_open,
    is_open_clause,
    regarded,
    under_newest,
)
from memopt.facts.senses import same_names
from memopt.memory import UserMemory

Cardinality = Literal["one", "usual", "many"]
State = Literal["current", "past", "ended", "retracted"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that a clause says.

    Attributes:
        subject: folded key of what it is about: ``user``, ``user/sister li``, ``fatah``. Keys of two people are never equal unless
            the text names them alike.
        attribute: key such as ``residence``, ``job role``, ``job employer``, ``name``, ``diet``, ``likes``, ``phone number``, ``level of german``; for a
            plain verb its stem, such as ``own``.
        values: what it says of it, as written; several for a list. Empty for a retraction.
        cardinality: ``one``: the attribute holds one value at a time; ``usual``: mostly one, and a strategy that is told so may treat it as
            such; ``many``: a further value replaces nothing.
        polarity: False where the clause denies it (``does not eat``, 不喜欢).
        state: ``current``; ``past`` (used to, 以前); ``ended`` (no longer, stopped, 不再); ``retracted`` (asked to forget).
        before: values that the clause itself calls former (moved from X, was X before).
        times: time words of the clause, as written (since 2020, now).
        complete: whether the clause says nothing beyond this statement and its companions; else dropping it would lose more.
        clause, start, end: the clause as written and where it stands in the text.
        under: key of the circumstances under which it holds (winter, weekends, an addition), see ``memopt.facts.bearing``; "" for none.
            Statements under different circumstances do not replace each other.
    """

    subject: str
    attribute: str
    values: tuple[str, ...]
    cardinality: Cardinality
    polarity: bool = True
    state: State = "current"
    before: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    complete: bool = True
    clause: str = ""
    start: int = 0
    end: int = 0
    under: str = ""


class Superseded(NamedTuple):
    """A clause of an older memory that a newer memory replaces.

    ``old_index`` and ``new_index`` are positions in the sequence given, for memories without an id; ``span`` is where the clause
    stands in the old text; ``reason`` is one sentence for people; ``old_values`` and ``attribute`` say what was replaced.
    """

    old_id: str | None
    clause: str
    new_id: str | None
    reason: str
    old_index: int
    new_index: int
    span: tuple[int, int]
    attribute: str
    old_values: tuple[str, ...]


# ---------------------------------------------------------------------------------------------------------------- words

_LIKE = "has (?:come|grown|learned|learnt) to (?:love|like|enjoy|appreciate)|likes|loves|enjoys|adores|is fond of|is a (?:big |huge )?fan of|is into|appreciates|like|love|enjoy"
_DISLIKE = "dislikes|hates|detests|loathes|can ?not stand|can['’]t stand|despises|(?:does not|doesn['’]t|do not|don['’]t) (?:really |particularly )?(?:like|enjoy|love)|dislike|hate"
_ROLES = (
    "engineer|developer|programmer|manager|designer|teacher|nurse|doctor|architect|analyst|consultant|scientist|researcher|director|lead|"
    "officer|assistant|accountant|lawyer|chef|writer|journalist|editor|artist|student|professor|lecturer|translator|technician|"
    "administrator|intern|founder|co-founder|ceo|cto|cfo|coo|president|head|specialist|coordinator|driver|pilot|electrician|plumber|"
    "carpenter|mechanic|barista|cashier|salesperson|representative|recruiter|pharmacist|dentist|therapist|psychologist|veterinarian|"
    "librarian|photographer|musician|actor|actress|producer|strategist|marketer|operator|supervisor|executive|principal|staff|freelancer"
)
_SIDE_ROLES = frozenset(
    "student founder co-founder artist writer musician photographer actor actress lead founder parent president staff head editor".split()
)
"""Roles that many people have beside their job."""
_DIETS = "vegan|vegetarian|pescatarian|omnivore|carnivore|flexitarian|lacto-vegetarian|ovo-lacto vegetarian|fruitarian"
_MARITAL = "single|married|divorced|widowed|engaged|separated"

# Nouns that hold one value at a time when they stand in the singular: "User's N is V", "The N of X is V".
_ONE_NOUNS = frozenset(
    """address age birthday birthplace birthdate boss capital chairman chairperson chairwoman ceo cfo coo cto chancellor chief citizenship
    commander company continent creator currency dean diet director e-mail email employer gender governor headquarters height
    home hometown job landlord level leader lead location maintainer major manager mayor mobile monarch name nationality number nickname occupation officer
    owner pace password phone position pope postcode president pronouns price principal profession rank rent residence role salary size ssid status supervisor
    surname timezone title university version weight wifi zone husband wife spouse budget score deadline database framework editor broadcaster author
    girlfriend boyfriend partner fiancé fiancée religion language sport state government minister king queen founder developer employer color colour food movie film book song drink""".split()
)
# Nouns of which a person may have several, so that "User's N is V" twice is two facts.
MANY_NOUNS = frozenset(
    """allergy aunt brother cat child colleague contact cousin coworker daughter dog doctor friend goal grandchild grandparent hobby
    interest kid language nephew neighbour neighbor niece parent pet student problem project sibling sister skill son student team
    teammate tool uncle wish task meeting appointment trip idea plan concern issue favorite favourite dream""".split()
)
_HALF_ONE = frozenset(
    "author language religion sport founder developer number lead leader location position title role status creator".split()
)
_KEYS = {
    "job": "job role",
    "occupation": "job role",
    "profession": "job role",
    "job title": "job role",
    "employer": "job employer",
    "workplace": "job employer",
    "city": "residence",
    "home city": "residence",
    "current city": "residence",
    "city of residence": "residence",
    "place of residence": "residence",
    "home town": "hometown",
    "current residence": "residence",
    "current location": "residence",
    "husband": "spouse",
    "wife": "spouse",
    "phone": "phone number",
    "telephone": "phone number",
    "telephone number": "phone number",
    "mobile": "mobile number",
    "mobile phone": "mobile number",
    "mobile phone number": "mobile number",
    "cell phone": "mobile number",
    "cell phone number": "mobile number",
    "cell": "mobile number",
    "e-mail": "email",
    "e-mail address": "email",
    "email address": "email",
    "mail address": "email",
    "date of birth": "birthday",
    "birthdate": "birthday",
    "birth date": "birthday",
    "time zone": "timezone",
    "favourite color": "favorite color",
    "favourite colour": "favorite color",
    "favorite colour": "favorite color",
    "monthly rent": "rent",
    "relationship status": "marital status",
    "chief executive officer": "ceo",
    "current diet": "diet",
    "current job": "job role",
    "current employer": "job employer",
    "current address": "address",
    "home address": "address",
    "girlfriend": "partner",
    "boyfriend": "partner",
    "current age": "age",
    "current weight": "weight",
    "annual salary": "salary",
    "yearly salary": "salary",
}
"""Nouns that people use for the same attribute."""

_UNSURE = re.compile(
    r"\b(?:because|if|when|while|but|which|that|who|whose|it|them|they|he|she|unless|although|though|where|not|never|or|maybe|perhaps|"
    r"either|sometimes|often|usually|weekends?|part[- ]time|half|both|also|too|with|except|only)\b|[;:?!\n]|可能|也许|或者|但|如果|因为",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|would|should|wants?|plans? (?:to|on)|plans|planning|hopes?|considering|thinking|going|will|wish(?:es)?|dreams?|if|asked|said|"
    r"says|claims?|thinks?|believes?|heard|wonders?|whether|almost|nearly|tried|trying)\b|想|打算|计划|考虑|可能|也许|如果|希望|听说|准备"
)
_PRONOUN_SUBJECT = frozenset(
    "he she it they we you this that these those there his her its their our your who what which one someone".split()
)
_NOT_IN_SUBJECT = frozenset(
    """and or but if when while because not no never said says thinks asked told wants is are was were has have had does did do will would
    can could may might that who which whose to in on at by with from for about as than since until after before also often""".split()
)
_PLACE_WORD = re.compile(
    r"\b(?:team|department|role|plan|project|position|tier|group|squad|board|company|chapter|phase|level|bed|sofa)\b", re.I
)

_COUNTRIES = frozenset(
    """afghanistan albania algeria argentina armenia australia austria azerbaijan bangladesh belarus belgium bolivia brazil britain bulgaria
    cambodia cameroon canada chile china colombia croatia cuba cyprus czechia denmark ecuador egypt england estonia ethiopia europe finland france georgia
    germany ghana greece guatemala hungary iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya korea kuwait
    laos latvia lebanon lithuania luxembourg malaysia malta mexico moldova mongolia morocco myanmar nepal netherlands nigeria norway pakistan panama
    paraguay peru philippines poland portugal qatar romania russia scotland senegal serbia singapore slovakia slovenia spain sudan sweden switzerland syria
    taiwan tanzania thailand tunisia turkey türkiye uganda ukraine uk usa us uruguay venezuela vietnam wales yemen zambia zimbabwe asia africa
    中国 美国 英国 德国 法国 日本 韩国 意大利 西班牙 葡萄牙 俄罗斯 加拿大 澳大利亚 新西兰 印度 巴西 墨西哥 荷兰 瑞士 瑞典 挪威 芬兰 丹麦 波兰 奥地利 比利时 希腊 土耳其 泰国
    越南 马来西亚 印度尼西亚 菲律宾 爱尔兰 欧洲 亚洲 非洲""".split()
) | {
    "united states",
    "united states of america",
    "united kingdom",
    "south korea",
    "north korea",
    "south africa",
    "new zealand",
    "the netherlands",
    "the us",
    "the usa",
    "the uk",
    "the united states",
    "the united kingdom",
    "saudi arabia",
    "sri lanka",
    "czech republic",
    "costa rica",
    "north america",
    "south america",
}


def fold(text: str) -> str:
    """The text as a comparison key: NFKC, case-folded, single blanks, no outer punctuation or leading article."""
    out = " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split()).strip(
        " .,;:!?\"'“”。，；：！？、（）()"
    )
    return re.sub(r"^(?:the|a|an) (?=\S)", "", out)


def _stem(verb: str) -> str:
    """A verb form's key, the same for runs, run, running and stopped running."""
    word = verb.casefold()
    for end, instead in (
        ("ies", "y"),
        ("ying", "y"),
        ("ing", ""),
        ("sses", "ss"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
        ("oes", "o"),
        ("s", ""),
    ):
        if word.endswith(end) and len(word) - len(end) >= 2 and not (end == "s" and word.endswith("ss")):
            word = word[: len(word) - len(end)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) > 2 and word.endswith("e") else word


# -------------------------------------------------------------------------------------------------------------- subjects


@lru_cache(maxsize=65536)
def subject_key(text: str) -> str | None:
    """The key of a sentence's subject as written, or None where it is a pronoun, several people, or no noun phrase.

    The user is ``user`` (also for I and 我); what belongs to somebody is ``owner/what``: ``user/sister li``.
    """
    plain = " ".join(text.split()).strip()
    low = plain.casefold().replace("’", "'")
    if low in ("user", "the user", "i", "用户", "该用户", "我", "使用者", "用户本人"):
        return "user"
    if (
        len(plain) <= 80
        and len(plain.split()) in range(2, 11)
        and "'" not in low
        and _title_like(plain.replace(",", "").split())
        and not re.search(r"[;:?!\n]", plain)
    ):
        return fold(plain)
    if not low or low in _PRONOUN_SUBJECT or len(plain) > 80 or re.search(r"[;:?!,\n，。；：？！、\"“”「」]", plain):
        return None
    if low.startswith("my "):
        return _owned("user", plain[3:])
    match = re.match(r"(.{1,50}?)['’]s? (?=\S)(.+)$", plain)
    if match and plain[match.end(1) : match.end(1) + 2].strip("'’ ") in ("s", ""):
        owner = subject_key(match[1])
        return None if owner is None else _owned(owner, match[2])
    if re.search(r"[\u4e00-\u9fff]", plain):
        if "的" in plain:
            front, _, back = plain.partition("的")
            owner = subject_key(front)
            return (
                None
                if owner is None or not back or len(back) > 12 or re.search(r"[和与跟或不没是在有]", back)
                else f"{owner}/{fold(back)}"
            )
        if len(plain) > 20 or re.search(r"[和与跟或不没是在有了他她它们想说]", plain) or " " in plain.strip():
            return (
                fold(plain)
                if re.fullmatch(r"[\w·'’.\- ]{1,30}", plain) and not re.search(r"[和与跟或不没是在有了他她它们想说]", plain)
                else None
            )
        return fold(plain)
    words = plain.split()
    if len(words) > 8 or words[0].casefold() in _PRONOUN_SUBJECT:
        return None
    inner = words[1:] if words[0].casefold() == "the" else words
    if not inner or any(word.casefold() in _NOT_IN_SUBJECT for word in inner):
        return None if not _title_like(words) else fold(plain)
    return fold(plain)


def _title_like(words: Sequence[str]) -> bool:
    """Whether these are a title such as A Wizard of Earthsea: capitals but for small words, and no clause in it."""
    if "and" in words and len(words) < 4:
        return False  # Tom and Ann
    small = {
        "of",
        "the",
        "a",
        "an",
        "in",
        "on",
        "at",
        "for",
        "to",
        "by",
        "with",
        "from",
        "as",
        "and",
        "&",
        "du",
        "de",
        "von",
        "van",
        "la",
        "le",
        "al",
    }
    return all(word[0].isupper() or word[0].isdigit() or word in small for word in words) and words[0][0].isupper()


def _owned(owner: str, what: str) -> str | None:
    words = what.split()
    if not 1 <= len(words) <= 5 or any(word.casefold() in _NOT_IN_SUBJECT for word in words):
        return None
    return f"{owner}/{fold(what)}"


# ------------------------------------------------------------------------------------------------------------ predicates


@dataclass(frozen=True, slots=True)
class _Shape:
    verb: str
    attribute: str
    cardinality: Cardinality
    polarity: bool = True
    state: State = "current"
    implied: bool = True  # may the subject be missing ("Lives in Lisbon")?


_SHAPES: tuple[_Shape, ...] = (
    _Shape(r"is located in the continent of", "continent", "one", implied=False),
    _Shape(r"is located in the country of", "country", "one", implied=False),
    _Shape(r"(?:was|is) born in the city of", "birthplace", "one"),
    _Shape(r"died in the city of", "city of death", "one"),
    _Shape(r"was (?:created|founded|made) in the country of", "country of origin", "one"),
    _Shape(r"was (?:created|founded|made) in the city of", "city of origin", "one"),
    _Shape(
        r"(?:currently |now |still )?(?:lives|resides|is living|is residing|is based|live|lives now|is located)(?: now| currently)? (?:in|at)(?: the (?:city|town) of)?",
        "residence",
        "one",
    ),
    _Shape(r"(?:has )?settled (?:down )?in", "residence", "one"),
    _Shape(r"used to live in|previously lived in|formerly lived in|lived in", "residence", "one", state="past"),
    _Shape(
        r"no longer lives in|does not live in|doesn['’]t live in|has left|no longer resides in",
        "residence",
        "one",
        False,
        "ended",
    ),
    _Shape(r"(?:is|was) born in", "birthplace", "one"),
    _Shape(r"(?:is|was) born on", "birthday", "one"),
    _Shape(r"died in", "place of death", "one"),
    _Shape(r"is (?:now )?married to", "spouse", "one"),
    _Shape(r"(?:has )?(?:got |gotten |been )?married(?: to)?(?= [A-Z])", "spouse", "one", implied=False),
    _Shape(r"is (?:now )?engaged to", "fiance", "one"),
    _Shape(r"is (?:now )?employed by", "job employer", "one"),
    _Shape(r"works in the field of", "field of work", "usual"),
    _Shape(r"is a citizen of", "citizenship", "usual"),
    _Shape(r"is affiliated with the religion of", "religion", "usual"),
    _Shape(r"is associated with the sport of", "sport", "usual"),
    _Shape(r"plays the position of", "position", "usual"),
    _Shape(r"is famous for", "fame", "usual"),
    _Shape(r"speaks the language of", "language spoken", "usual"),
    _Shape(r"was (?:created|written) in the language of", "language of the work", "one"),
    _Shape(r"was founded by", "founder", "usual"),
    _Shape(r"was (?:developed|built) by", "developer", "usual"),
    _Shape(r"was performed by", "performer", "usual"),
    _Shape(r"is (?:currently )?owned by", "owner", "usual", implied=False),
    _Shape(r"is (?:currently )?represented by", "representative", "usual", implied=False),
    _Shape(r"worked in the city of", "place of work", "usual", implied=False),
    _Shape(r"is a member of", "membership", "many"),
    _Shape(r"was created by", "creator", "usual"),
    _Shape(r"(?:is|runs|listens) on port|uses port", "port", "usual"),
    _Shape(r"(?:now )?(?:" + _LIKE + r")", "likes", "many"),
    _Shape(_DISLIKE, "likes", "many", False),
    _Shape(r"no longer (?:likes|loves|enjoys)|stopped liking|used to (?:like|love|enjoy)", "likes", "many", False, "ended"),
    _Shape(r"is (?:severely |mildly |slightly )?allergic to", "allergy", "many"),
    _Shape(r"is (?:not|no longer) allergic to", "allergy", "many", False, "ended"),
    _Shape(r"is interested in", "interest", "many"),
    _Shape(r"wants to learn", "want learn", "many"),
    _Shape(r"is working on", "work on", "many"),
    _Shape(r"is (?:currently )?dating|is in a relationship with", "partner", "usual"),
    _Shape(r"weighs", "weight", "one"),
    _Shape(r"pays", "pay", "many"),
)
_MANY_VERBS = (
    "owns|has|drives|uses|speaks|knows|plays|visited|collects|reads|watches|drinks|eats|smokes|takes|practices|practises|studies|"
    "teaches|attends|follows|supports|rents|subscribes to|is learning|is studying|is reading|is using|trains|runs|rides|"
    "wears|carries|avoids|needs|wants|cooks|grows|keeps|sells|hosts|manages|leads|maintains|own|have|drive|use|speak|know|play|drink|eat"
)


@cache
def _english() -> tuple[tuple[re.Pattern[str], _Shape], ...]:
    out = []
    for shape in _SHAPES:
        subject = r"(?:(?P<subj>.{1,80}?)\s+)?" if shape.implied else r"(?P<subj>.{1,80}?)\s+"
        out.append((re.compile(rf"^{subject}(?:{shape.verb})\s+(?P<val>.+)$", re.IGNORECASE), shape))
    return tuple(out)


@cache
def _more() -> dict[str, re.Pattern[str]]:
    """The shapes with more than one slot, compiled at first use."""
    subject = r"^(?:(?P<subj>.{1,80}?)\s+)?"
    role = rf"(?P<role>(?:[\w/&+.\- ]+ )?(?:{_ROLES})(?: [\w/&+.\-]+){{0,3}}?)"
    source = {
        "move": subject
        + r"(?:has |recently |just |finally )*(?:moved|relocated|is moving|emigrated)(?: house| home| back)?(?: from (?P<old>.+?))? to (?P<val>.+)$",
        "switch": subject
        + r"(?:has |recently |just |now )*(?:switched|migrated|changed|moved|transitioned|converted|upgraded|downgraded)(?: (?P<what>(?!from\b|to\b)[\w ]{1,30}?))?(?: over)? from (?P<old>.+?) to (?P<val>.+)$",
        "swap": subject
        + r"(?:has |recently )*(?:switched|migrated|changed|moved|converted) (?:over )?to (?P<val>.+?) from (?P<old>.+)$",
        "replace": subject
        + r"(?:has |recently )*(?:replaced (?:(?:his|her|their|the|my|its|an?) )?(?P<old>.+?) (?:with|by)|(?:traded|swapped|exchanged)(?: in)? (?:(?:his|her|their|the|my|its|an?) )?(?P<old2>.+?) for) (?P<val>.+)$",
        "work": subject
        + r"(?:currently |now )?(?:works|is working|work|is employed|worked now)(?: (?:full|part)[- ]time)?(?: as (?:an? |the )?(?P<role>.+?))?(?: (?:at|for) (?P<emp>[^,]+?))?$",
        "workat": subject
        + r"(?:currently |now )?(?:works|is working|work|is employed)(?: (?:full|part)[- ]time)? (?:at|for|by) (?P<emp>[^,]+?),? as (?:an? |the )?(?P<role>.+?)$",
        "worked": subject
        + r"(?:used to work|previously worked|formerly worked|worked)(?: as (?:an? |the )?(?P<role>.+?))?(?: (?:at|for) (?P<emp>[^,]+?))?$",
        "isrole": subject + rf"is (?:now |currently )?(?:an? |the ){role}(?: (?:at|for) (?P<emp>[^,]+?))?$",
        "promoted": subject
        + r"(?:has been|was|got|is|has gotten) promoted(?: from (?P<old>.+?))? to (?:an? |the )?(?P<role>.+?)(?: at (?P<emp>[^,]+?))?$",
        "became": subject + r"(?:has )?(?:became|become|is becoming|turned|went|gone|has gone)(?: an?)? (?P<val>[\w -]+?)$",
        "joined": subject
        + r"(?:has |recently |just )*(?:joined|(?:started|got|took|accepted|found|has) (?:working |a (?:(?:new|full-time|part-time|permanent) )*(?:job|position|role) )?(?:at|with)) (?P<emp>(?:[A-Z]|an? |the )[^,]*?) as (?:an? |the )?(?P<role>.+?)$",
        "newjob": subject
        + r"(?:has |recently |just )*(?:started|got|took|accepted|found|has|began) (?:working (?:at|for)|a (?:(?:new|full-time|part-time|permanent) )*(?:job|position|role) (?:at|with)|a (?:(?:new|full-time|part-time|permanent) )*(?:job|position|role) as (?:an? )?(?P<role>[^,]+?) (?:at|with)) (?P<emp>(?:[A-Z]|an? |the )[^,]*?)$",
        "newrole": subject
        + r"(?:has |recently |just )*(?:started|got|took|accepted|found|began) (?:working|work|a (?:(?:new|full-time|part-time|permanent) )*(?:job|position|role)) as (?:an? |the )?(?P<role>[^,]+?)$",
        "leftjob": subject
        + r"(?:has |recently |just )*(?:left|quit|resigned from|was laid off (?:from|by)|was fired (?:from|by)|no longer works (?:at|for)|stopped working (?:at|for)|is no longer employed (?:by|at)|handed in (?:his|her|their) notice at|resigned at|retired from) (?:(?:his|her|their|the|a) (?:job|position) (?:at|with) )?(?P<val>(?:[A-Z]|the |an? ).*)$",
        "callshome": subject + r"calls (?P<val>[A-Z][\w'’. -]*?) home$",
        "downto": subject + r"is (?:down|up) to (?P<val>\d[\d.,]* ?(?:kg|kilos?|kilograms?|pounds|lbs?))$",
        "rentto": r"^(?:The |the |User['’]s )?(?:landlord|landlady|landlords) (?:has )?(?:raised|increased|lowered|reduced|put up) the rent(?: from (?P<old>.+?))? to (?P<val>.+)$",
        "jobless": subject + r"(?:is|became) (?P<val>unemployed|retired|between jobs|out of work|jobless)$",
        "brokeup": subject
        + r"(?:has )?(?:broke up|broken up|split up|split) with (?P<val>[A-Z][\w'’ -]*)$|^(?P<subj2>(?:The )?[Uu]ser) and (?P<val2>[A-Z][\w'’-]*) (?:broke up|split up|have broken up|have split up|separated)$",
        "haspartner": subject
        + r"has (?:an? )?(?:new )?(?:girlfriend|boyfriend|partner)(?: (?:named|called))?,? (?P<val>[A-Z][\w'’-]*)$",
        "nick": subject
        + r"(?:goes by|prefers to be called|wants to be called|likes to be called|asked to be called) (?P<val>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?)$",
        "prefers": subject
        + r"(?:prefers|wants|likes) (?P<adj>[a-z-]+) (?P<noun>mode|theme|themes|answers|responses|replies|tone|seats?|units|meetings|explanations|summaries|emails|messages)$",
        "habit": subject + r"(?P<verb>smokes|vapes|gambles|meditates|jogs|journals|drinks)(?: daily| every day| regularly)?$",
        "unhabit": subject
        + r"(?:(?:has |recently )*(?:quit|stopped|gave up|given up) (?P<verb>smoking|vaping|gambling|meditating|jogging|journaling|drinking)|no longer (?P<verb2>smokes|vapes|gambles|meditates|jogs|journals|drinks))$",
        "livingin": r"^(?P<subj>.{1,60}?) (?P<head>(?:is an? |works as an? )[^,;]+?),? (?:living|based|residing|who lives|who is based) in (?P<val>[A-Z][^,;]*)$",
        "nomore": subject + rf"(?:is|was) (?:no longer|not) (?:an? |the )?(?P<val>{_DIETS}|{_MARITAL})(?: any ?more)?$",
        "onadiet": subject
        + r"(?:now |currently |has )?(?:follows|is following|is on|started|has started|went on|switched to|eats) (?:an? |the )?(?P<val>[a-z][\w-]*(?: [a-z-]+)?) diet(?: now)?$",
        "costs": subject
        + r"(?:now |currently )?(?:costs(?: the user| him| her| them| me)?|is priced at|goes for|sells for) (?:about |around )?(?P<val>(?:[$€£¥]\s?)?\d[\d.,]*\s?(?:[$€£¥]|[A-Z]{3}\b|euros?|dollars?|pounds?|yen|yuan|francs?)?(?: (?:a|per|each|every) \w+)?)$",
        "paysfor": subject
        + r"(?:now |currently )?(?:pays|spends|is paying) (?:about |around )?(?P<val>(?:[$€£¥]\s?)?\d[\d.,]*\s?(?:[$€£¥]|[A-Z]{3}\b|euros?|dollars?|pounds?|yen|yuan|francs?)?(?: (?:a|per|each|every) \w+)?) (?:for|on|in) (?:the |his |her |their )?(?P<what>[A-Za-z][\w' -]{1,40}?)(?P<per> (?:a|per|each|every) \w+)?$",
        "earns": subject
        + r"(?:now |currently )?(?:earns|makes) (?:about |around )?(?P<val>(?:[$€£¥]\s?)?\d[\d.,]*[kK]?\s?(?:[$€£¥]|[A-Z]{3}\b|euros?|dollars?|pounds?|yen|yuan|francs?)?(?: (?:a|per|each|every) \w+)?)$",
        "dose": subject
        + r"(?:now |currently )?(?:takes|is taking|is on) (?:(?P<val>\d[\d.,]* ?(?:mg|mcg|µg|g|ml|IU|units?)) (?:of )?(?P<what>[A-Za-z][\w-]{2,30})|(?P<what2>[A-Za-z][\w-]{2,30}) (?P<val2>\d[\d.,]* ?(?:mg|mcg|µg|g|ml|IU|units?)))(?: (?:once |twice )?(?:a day|daily|per day|every \w+))?$",
        "at": r"^(?P<subj>(?:the |user['’]s |our |my )?[a-z][\w'’ -]{2,50}?)\s+(?:is|starts|begins|takes place|has been moved|was moved|moved|is now|now starts)(?: now| scheduled| daily| every \w+)?(?: from (?P<old>\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|h)?))? (?:at|to) (?P<val>\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.|h|o'clock)?)(?: now)?$",
        "amount": subject
        + r"(?:now |currently )?(?P<verb>drinks|sleeps|runs|works|walks|reads|trains|studies|swims|cycles|smokes|practi[cs]es|meditates) (?:about |around )?(?P<val>\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten) (?P<what>[a-z][\w -]{1,30}? (?:a|per|each|every) (?:day|night|week|month|year))$",
        "diet": subject
        + rf"is (?:now |currently )?(?:an? )?(?:strict |strictly |committed |lifelong )?(?P<val>{_DIETS})(?: now)?$",
        "marital": subject + rf"is (?:now |currently )?(?P<val>{_MARITAL})(?: now)?$",
        "age": subject
        + r"(?:is (?:now )?(?P<val>\d{1,3}|[a-z]+(?:-[a-z]+)?) years old|(?:has |just |recently )*turned (?P<val2>\d{1,3}))$",
        "called": subject + r"(?:is|was) (?:named|called) (?P<val>.+)$",
        "rename": subject + r"(?:was |has been |is )?renamed (?:from (?P<old>.+?) )?to (?P<val>.+)$",
        "notanymore": subject
        + r"(?:does not|doesn['’]t|do not|don['’]t) (?:really )?(?:like|love|enjoy) (?P<val>.+?) any ?more$",
        "again": subject + r"(?:has )?(?:started|began|resumed|went back to|is back to) (?P<verb>[a-z]+ing) (?P<val>.+?) again$",
        "nolonger": subject
        + r"(?:no longer|does not|doesn['’]t) (?P<verb>[a-z]+)(?P<prep> (?:to|in|at|for|on|with))? (?P<val>.+?)(?: any ?more)?$",
        "stopped": subject
        + r"(?:has )?(?:stopped|quit|gave up|given up|ceased) (?P<verb>[a-z]+ing)(?P<prep> (?:to|in|at|for|on|with))? (?P<val>.+?)$",
        "forget": subject
        + r"(?:asked|requested|wants|told|wanted)(?: (?:the )?(?:assistant|agent|model|ai|us|me|bot))?(?: to| that we)? (?:forget|delete|remove|erase|not (?:store|remember|keep)) (?:about )?(?:the|his|her|their|its|my|this|user['’]s)? ?(?P<val>.+)$",
        "learning": subject
        + r"(?:is (?:now )?(?:learning|studying)|speaks|learns) (?P<lang>[A-Z][a-z]+) (?:\((?P<lev>(?:level )?[ABC][12][+-]?)\)|at (?:the )?(?:level )?(?P<lev2>[ABC][12])(?: level)?)$",
        "level": subject
        + r"(?:is|has reached|reached)(?: now)?(?: at)? (?:the )?(?:level )?(?P<val>[ABC][12])(?: level)? in (?P<lang>[A-Z][a-z]+)$",
        "over": subject + r"(?:now )?prefers (?P<val>.+?) (?:over|to|rather than) (?P<other>.+)$",
        "possis": r"^(?P<owner>.{1,60}?)['’]s (?P<noun>[a-z0-9][\w'’\- ]{0,50}?|[A-Z]\w+ level|JLPT level|[A-Z]{2,5}) (?:is|are|was)(?P<now> now| currently)?(?: located in the city of| located in| on| at)? (?P<val>.+)$",
        "myis": r"^(?P<owner>my|My) (?P<noun>[a-z0-9][\w'’\- ]{0,50}?) is(?P<now> now| currently)? (?P<val>.+)$",
        "ofis": r"^The (?P<noun>[A-Za-z][\w' -]{1,50}?) (?:of|in) (?P<owner>.{1,80}?) is(?P<now> now| currently)?(?: located in the city of| located in)? (?P<val>.+)$",
        "whois": r"^The (?P<noun>[a-z][\w' -]{1,40}?) (?P<mid>that|where|which) (?P<owner>.{1,80}?) (?P<rel>is|was educated is|plays is|was born is|works is) (?P<val>.+)$",
        "thatis": r"^The (?P<noun>[a-z]\w+) that (?P<rel>produced|developed|founded|created|made|wrote|owns) (?P<owner>.{1,80}?) is (?P<val>.+)$",
        "headis": r"^The name of the current (?P<noun>head of (?:state|government)|head) (?:in|of)(?: the)? (?P<owner>.{1,80}?)(?: government)? is (?P<val>.+)$",
        "setto": r"^(?:(?P<subj>.{1,60}?) (?:has |have )*(?:changed|switched|updated|raised|improved|brought|lowered|moved|set|reset|increased|decreased|reduced|cut|postponed|renamed) (?:his|her|their|its|my) (?P<noun>[A-Za-z][\w' -]{1,40}?)|(?P<owner>.{1,60}?)['’]s (?P<noun2>[a-z][\w' -]{1,40}?) (?:has |was |has been |have )?(?:went up|gone up|rose|risen|increased|went down|gone down|dropped|fell|fallen|decreased|changed|raised|reduced|lowered|moved|postponed|updated|cut|improved|climbed|extended|jumped|grown|grew|shrunk|pushed back|pushed|rescheduled|bumped|slipped|bumped up)|(?:The |the )?(?P<noun3>[a-z]\w+|[A-Z][a-z]+|[a-z]\w+ [a-z]+) (?:of|for) (?P<owner2>.{1,60}?) (?:has |was |has been )?(?:went up|gone up|rose|risen|increased|went down|gone down|dropped|fell|fallen|decreased|changed|raised|reduced|lowered))(?: from (?P<old>.+?))? to (?P<val>.+)$",
        "asnoun": subject
        + r"(?:uses|prefers|chose|picked|has|selected) (?P<val>[^,;]+?) as (?:an?|the|his|her|their|its) (?:main |primary |preferred |default |new )?(?P<noun>[a-z]+(?: [a-z]+)?)$",
        "langat": r"^(?P<owner>.{1,60}?)['’]s (?P<lang>[A-Z][a-z]+)(?: level)? is (?:at )?(?:level )?(?P<lev>[ABC][12]|N[1-5])(?: level)?$",
        "exam": subject
        + r"(?:has )?passed (?:the |a |an )?(?P<lev>[ABC][12]|N[1-5])(?: level)? (?:exam|test|certificate)? ?(?:in|of|for) (?P<lang>[A-Z][a-z]+)$",
        "atlevel": subject + r"is at (?:the )?(?:level )?(?P<lev>[ABC][12]|N[1-5])(?: level)? in (?P<lang>[A-Z][a-z]+)$",
        "bareis": r"^(?:The |the )?(?P<noun>[Rr]ent|[Mm]onthly rent|[Ss]alary|[Pp]hone number|[Ee]mail address|[Ff]avou?rite [a-z]+) is (?P<val>.+)$",
        "keyis": r"^(?:(?:User|user|The user|the user)['’]s )?(?P<noun>[A-Za-z][A-Za-z -]{1,30}|[\u4e00-\u9fff]{1,8})\s?[:：]\s?(?P<val>\S.*)$",
        "many": subject + rf"(?:currently |still |now )?(?P<verb>{_MANY_VERBS}) (?P<val>.+)$",
    }
    return {
        name: re.compile(
            pattern,
            0
            if name
            in (
                "brokeup",
                "haspartner",
                "nick",
                "livingin",
                "setto",
                "langat",
                "exam",
                "atlevel",
                "bareis",
                "possis",
                "myis",
                "ofis",
                "joined",
                "newjob",
                "newrole",
                "leftjob",
                "learning",
                "level",
            )
            else re.IGNORECASE,
        )
        for name, pattern in source.items()
    }


_TAIL = re.compile(
    r"[\s,]+(?P<t>every (?:day|morning|evening|night|week|month|year|weekend|afternoon)|daily|weekly|monthly|regularly|"
    r"(?:once|twice|\w+ times) an? (?:day|week|month|year)|(?:right )?now|nowadays|these days|at the moment|currently|any ?more|today|(?:ever )?since [^,;()]{2,30}|"
    r"as of [^,;()]{2,25}|(?:in|on|until|from) (?:(?:early|late|mid)[- ])?(?:\d{4}(?:-\d\d(?:-\d\d)?)?|(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|"
    r"September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?(?: \d{1,2})?(?:,? \d{4})?)|(?:last|this|next) (?:week|month|year|spring|summer|autumn|fall|winter|weekend)|recently|as well|too|in addition|on the side|again|once more|once again|a (?:few|couple of) (?:days|weeks|months|years) ago|a (?:week|month|year) ago|yesterday)$",
    re.IGNORECASE,
)
_TOLD = re.compile(r"\s*(?:\((?P<en>before[ :][^()]*)\)|（(?P<zh>[^（）]*之前：[^（）]*)）)$")
_TOLD_PART = re.compile(r"before(?: [A-Z][a-z]+ \d{4})?: (?P<en>.+)|(?:\d{4}年\d{1,2}月)?之前：(?P<zh>.+)")


def told_before(history: str) -> tuple[str, ...]:
    """The former values in a history as ``supersede`` writes it: ``before May 2026: Lyon, before June 2025: Rome``."""
    found = [
        _TOLD_PART.fullmatch(part.strip()) for part in re.split(r", (?=before[ :])|、(?=(?:\d{4}年\d{1,2}月)?之前：)", history)
    ]
    return tuple((match["en"] or match["zh"]).strip() for match in found if match)


_NOTED = re.compile(r"\s*(?:\(noted [^()]*\)|（记于[^（）]*）)$")
"""When a summary says that it was told."""
_WAS = re.compile(
    r"\s*[(（,]\s*(?:it )?(?:was|formerly|previously|before(?: that)?:?|used to be|from|原来是?|之前是?|以前是?|曾是)\s*(?P<old>[^()（）]+?)(?P<w>\s+(?:before|previously|earlier|until [^()]+|in [^()]+))?\s*[)）]?$",
    re.IGNORECASE,
)


def _trim(value: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """A value without its time words and its ``(was X before)``: value, time words, former values."""
    times: list[str] = []
    before: list[str] = []
    value = value.strip(" .。!！")
    while True:
        noted = _NOTED.search(value)
        if noted and noted.start() > 0:
            value = value[: noted.start()].strip(" ,，")
            continue
        told = _TOLD.search(value)
        if told and told.start() > 0:
            before.extend(told_before(told["en"] or told["zh"]))
            value = value[: told.start()].strip(" ,，")
            continue
        was = _WAS.search(value)
        if was and was.start() > 0:
            before.append(was["old"].strip())
            if was["w"]:
                times.append(was["w"].strip())
            value = value[: was.start()].strip(" ,，")
            continue
        tail = _TAIL.search(value)
        if tail and tail.start() > 0:
            times.insert(0, tail["t"])
            value = value[: tail.start()].strip(" ,，")
            continue
        return value, tuple(times), tuple(before)


def split_list(value: str) -> tuple[str, ...]:
    """``A, B and C`` as its parts; a single value as it is."""
    if re.search(r"[\u4e00-\u9fff]", value) and not re.search(r"[A-Za-z] ", value):
        parts = re.split(r"\s*[、]\s*|(?<=[\u4e00-\u9fff])[和与](?=[\u4e00-\u9fff])", value)
    else:
        parts = re.split(r"\s*,\s+(?:and |or )?|\s+(?:and|or)\s+", value)
    return tuple(part.strip() for part in parts if part.strip())


def _plain_value(value: str) -> bool:
    if 0 < len(value) <= 80 and len(value.split()) <= 9 and not _UNSURE.search(value):
        return True
    if re.fullmatch(r"\d{1,2}:\d\d(?: ?(?:am|pm|a\.m\.|p\.m\.|h))?", value, re.IGNORECASE):
        return True
    # a title such as Doctor Who or The History of the Decline and Fall of the Roman Empire
    words = value.split()
    return (
        1 < len(words) <= 14
        and len(value) <= 100
        and all(word[0].isupper() or word in ("of", "the", "and", "de") for word in words)
        and value.isprintable()
        and not re.search(r"[;:?!]", value)
    )


# --------------------------------------------------------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    start: int
    end: int
    whole: bool  # nothing else stands in its sentence
    opening: str = ""  # what stands in front of it in its sentence


_SENTENCE = re.compile(
    r"[^。！？!?\n；;]*?(?:[。！？；;\n]|[.!?]+(?=\s+[^a-z\s]|\s*$)(?<!\b[A-Z]\.)(?<!\bvs\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bSt\.)(?<!\bInc\.)(?<!\bLtd\.)(?<!\bCo\.)|$)"
)


def _clauses(text: str) -> Iterator[_Clause]:
    for match in _SENTENCE.finditer(text):
        piece = match[0]
        if not piece.strip(" .。;；!！?？\n"):
            continue
        lead = len(piece) - len(piece.lstrip())
        start = match.start() + lead
        end = match.end()
        if "?" in piece or "？" in piece:
            continue
        chinese = len(re.findall(r"[\u4e00-\u9fff]", piece)) * 3 > len(piece)
        if chinese and re.search(r"[，,]", piece):
            position = start
            for part in re.split(r"(?<=[，,])", text[start:end]):
                yield _Clause(part.rstrip("，,。；;！! "), position, position + len(part), False, text[start:position])
                position += len(part)
            continue
        yield _Clause(text[start:end].strip().rstrip(";；"), start, end, True)


@lru_cache(maxsize=65536)
def read_statements(text: str) -> tuple[Statement, ...]:
    """Every statement whose shape is known, in the order of the text. Unknown shapes, questions and hedged clauses give none."""
    if len(text) > 4000 or "```" in text:
        return ()
    out: list[Statement] = []
    subject: str | None = None
    for clause in _clauses(text):
        body = clause.text.strip().rstrip(".。!！")
        if len(body) > 300 or not body:
            continue
        found = _read_chinese(body, subject) if re.search(r"[\u4e00-\u9fff]", body) else None
        if not found:
            found = _read_english(body, subject)
        found = borne(found, body, clause.opening)
        for item in found:
            out.append(
                replace(
                    item,
                    clause=text[clause.start : clause.end].strip(),
                    start=clause.start,
                    end=clause.end,
                )
            )
        subject = found[0].subject if found else _lead_subject(body) or subject
    return tuple(out)


def borne(found: Sequence[Statement], clause: str, before: str = "", after: str = "") -> list[Statement]:
    """The statements of a clause with the circumstances that its sentence tells, and under the attribute that the values are of.

    Args:
        clause: as written.
        before: what stands in front of it in its sentence.
        after: what follows it there.

    Returns:
        Nothing for what only follows from a condition, or what is a plan or a fiction.
    """
    clause = _HISTORY.sub("", clause)
    if not found or is_open(before, after) or is_open_clause(clause):
        return []
    opening = before if _OPENING.match(before) else ""
    out: list[Statement] = []
    for item in found:
        if item.cardinality == "many" or not item.values:
            limited = (opening and circumstances(item.attribute, "", "", opening)) or (item.before and is_limited(clause))
            out.append(replace(item, under=UNSURE) if limited else item)
            continue
        attribute, doubt = regarded(item.attribute, item.values[0], clause)
        if attribute != item.attribute and attribute not in ("address", "name"):
            item = replace(item, attribute=attribute, cardinality="usual" if attribute == "kind of home" else "many")
            out.append(item)
            continue
        under = doubt or circumstances(attribute, item.values[0], clause, opening)
        out.append(replace(item, attribute=attribute, under=under) if under or attribute != item.attribute else item)
    return out


_HISTORY = re.compile(r"\s*(?:\(before[ :][^()]*\)|（[^（）]*之前：[^（）]*）)")
"""What was before, as ``supersede`` writes it: its circumstances are not those of what is."""
_OPENING = re.compile(
    r"(?:in|on|at|during|over|throughout|from|starting|beginning|until|every|each|for|as|by|while|when|next|temporarily|additionally|besides|currently|sometimes|officially|after|before|for|this|these|that|between|within|upon|given|under|per|pending|depending|due|despite|\w+ly|\w+ing)\b"
    r"[^,;:.]*,\s*$|.*[\u4e00-\u9fff].*[，,]$",
    re.IGNORECASE,
)
"""What stands in front of a sentence's first clause and limits it."""


def _lead_subject(body: str) -> str | None:
    match = re.match(r"(?:the )?user(?:['’]s)?\b|用户", body, re.IGNORECASE)
    return "user" if match else None


def _subject(written: str | None, carried: str | None) -> str | None:
    if written is None or not written.strip():
        return carried or "user"
    return subject_key(written)


_NOW = re.compile(
    r"(?<=\w )(?:now|currently|presently|recently|just|finally|officially|these days|nowadays|at the moment) (?=[a-z])"
)
_FIRST_NOW = re.compile(
    r"^(?:now|currently|presently|nowadays|these days|at present|at the moment|since (?:(?:last|this) (?:week|month|year|spring|summer|autumn|fall|winter)"
    r"|(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{4})?|\d{4}))),? (?=[a-z])",
    re.IGNORECASE,
)
_AXES = {
    word: axis
    for axis, words in {
        "brightness": "dark light",
        "length": "short brief concise long detailed verbose lengthy thorough terse",
        "tone": "formal informal casual friendly professional",
        "place": "window aisle",
        "system": "metric imperial",
        "time": "morning afternoon evening",
        "presence": "remote in-person virtual online",
    }.items()
    for word in words.split()
}
"""Adjectives of which somebody prefers one at a time."""
_DAILY = re.compile(r"\b(?:daily|weekly|stand-?up|alarm|shift|bedtime|sync|retro|office hours|wake-up)\b", re.IGNORECASE)
"""What happens again and again, so that a new time replaces the old one. Flights and appointments do not."""
_NEW_JOB = re.compile(
    r"\b(?:has )?(?:switched|changed) (?:jobs?|careers?) and (?=(?:is|works|became)\b)|\b(?:got|has|found) a new job and (?=(?:is|works)\b)"
)


def _read_english(body: str, carried: str | None) -> list[Statement]:
    raw = body
    told_now = re.search(r"\b(?:now|currently|these days|nowadays)\b", body) is not None
    body = _NEW_JOB.sub("", _NOW.sub("", _FIRST_NOW.sub("", body)))
    hedged = bool(_HEDGE.search(body[0].lower() + body[1:]))
    shapes = _more()

    def make(
        subject: str | None,
        attribute: str,
        value: str | None,
        cardinality: Cardinality,
        polarity: bool = True,
        state: State = "current",
        old: str | None = None,
    ) -> list[Statement]:
        if subject is None or value is None:
            return []
        value, times, before = _trim(value)
        if cardinality == "many":
            # a clause with a tail that is no list says more than this statement
            values = split_list(value)
            complete = all(_plain_value(item) for item in values)
        else:
            values = (value,)
            # two values, or a second predicate; "Trinidad and Tobago" is one
            complete = _plain_value(value) and not re.search(
                r"\band\b" if attribute == "residence" else r"\band (?!(?:the |of )?[A-Z])", value
            )
        if not values or any(len(item) > 120 for item in values):
            return []
        former = (*before, *((_trim(old)[0],) if old else ()))
        return [Statement(subject, attribute, values, cardinality, polarity, state, former, times, complete)]

    match = shapes["forget"].match(body)
    if match and match["subj"]:
        subject = _subject(match["subj"], carried)
        noun = fold(re.sub(r"^(?:his|her|their|its|my|the|user['’]s) ", "", match["val"], flags=re.IGNORECASE))
        if subject and len(noun.split()) <= 4 and not _UNSURE.search(noun):
            return [Statement(subject, _KEYS.get(noun, noun), (), "many", False, "retracted")]
        return []
    match = shapes["nick"].match(raw)
    if match:
        return make(_subject(match["subj"], carried), "nickname", match["val"], "one")
    if hedged and not re.search(r"\b(?:wants to learn)\b", body):
        return []
    match = shapes["at"].match(body)
    if match and (_DAILY.search(match["subj"]) or re.search(r"\bmoved (?:from|to)\b", body)):
        return make(
            _subject(re.sub(r"(?i)\b(?:daily|weekly|regular) ", "", match["subj"]), carried),
            "time of day",
            match["val"],
            "one",
            old=match["old"],
        )
    match = shapes["move"].match(body)
    if match:
        subject = _subject(match["subj"], carried)
        value, times, before = _trim(match["val"])
        value = re.sub(
            r" for (?:work|(?:an?|the) (?:new |better )?(?:job|start|position|role|degree)|school|university|college|love|family|(?:his|her|their|my) .+|studies|retirement|good)$",
            "",
            value,
        )
        place = re.split(r"\s*[(,]", value)[0]
        if subject and re.match(r"\d+\w? [A-Z]", place) and _plain_value(value):
            return [Statement(subject, "address", (value,), "one", True, "current", before, times, True)]
        if (
            subject
            and place[:1].isupper()
            and " for " not in value
            and not _PLACE_WORD.search(value)
            and "moving" not in body.split()[:3]
        ):
            former = (_trim(match["old"])[0],) if match["old"] else before
            return [Statement(subject, "residence", (value,), "one", True, "current", former, times, _plain_value(value))]
    for name in ("switch", "swap", "replace"):
        match = shapes[name].match(body)
        if match:
            value = re.split(r" (?:for|because|as|due|since) ", match["val"])[0]
            old = match["old"] or match["old2"] if name == "replace" else match["old"]
            found = make(_subject(match["subj"], carried), "switch", value, "many", old=old)
            return [replace(item, complete=False) for item in found]
    match = shapes["leftjob"].match(body)
    if match:
        subject = _subject(match["subj"], carried)
        value = re.split(r",| (?:because|after|due|in order|to) ", match["val"])[0]
        return (
            []
            if subject is None
            else [replace(item, complete=True) for item in make(subject, "job employer", value, "one", False, "ended")]
        )
    for name, attribute in (("callshome", "residence"), ("downto", "weight")):
        match = shapes[name].match(body)
        if match:
            return make(_subject(match["subj"], carried), attribute, match["val"], "one")
    match = shapes["rentto"].match(body)
    if match:
        return make("user", "rent", match["val"], "one", old=match["old"])
    match = shapes["jobless"].match(body)
    if match:
        return make(_subject(match["subj"], carried), "job employer", match["val"], "one")
    match = shapes["brokeup"].match(body)
    if match:
        return make(
            _subject(match["subj"] or match["subj2"], carried), "partner", match["val"] or match["val2"], "one", False, "ended"
        )
    match = shapes["haspartner"].match(body)
    if match:
        return make(_subject(match["subj"], carried), "partner", match["val"], "one")
    match = shapes["prefers"].match(_trim(body)[0])
    if match and match["adj"].casefold() in _AXES:
        return make(
            _subject(match["subj"], carried),
            f"preferred {_AXES[match['adj'].casefold()]} of {match['noun'].casefold().removesuffix('s')}",
            match["adj"],
            "one",
        )
    for name, over in (("habit", False), ("unhabit", True)):
        match = shapes[name].match(body)
        if match:
            subject = _subject(match["subj"], carried)
            verb = _stem((match["verb"] or match["verb2"]) if over else match["verb"])
            return (
                []
                if subject is None
                else [Statement(subject, verb, ("at all",), "many", not over, "ended" if over else "current")]
            )
    match = shapes["livingin"].match(body)
    if match:
        subject = _subject(match["subj"], carried)
        roles = _read_english(f"{match['subj']} {match['head']}", carried)
        return [
            *(replace(item, complete=False) for item in roles),
            *(replace(item, complete=False) for item in make(subject, "residence", match["val"], "one")),
        ]
    match = shapes["promoted"].match(body)
    if match:
        subject = _subject(match["subj"], carried)
        role, emp = match["role"], match["emp"]
        out = make(subject, "job role", role, "one", old=match["old"])
        return [*out, *(make(subject, "job employer", emp, "one") if emp else [])]
    match = shapes["joined"].match(body)
    if match:
        subject = _subject(match["subj"], carried)
        return [*make(subject, "job role", match["role"], "one"), *make(subject, "job employer", match["emp"], "one")]
    match = shapes["newjob"].match(body)
    if match:
        subject = _subject(match["subj"], carried)
        return [
            *(make(subject, "job role", match["role"], "one") if match["role"] else []),
            *make(subject, "job employer", match["emp"], "one"),
        ]
    match = shapes["newrole"].match(body)
    if match:
        return make(_subject(match["subj"], carried), "job role", match["role"], "one")
    for name, state in (("worked", "past"), ("workat", "current"), ("work", "current"), ("isrole", "current")):
        match = shapes[name].match(body)
        if match and (match["role"] or match["emp"]):
            subject = _subject(match["subj"], carried)
            tail_state: State = "past" if state == "past" else "current"
            out = make(subject, "job role", match["role"], "one", state=tail_state) if match["role"] else []
            out += make(subject, "job employer", match["emp"], "one", state=tail_state) if match["emp"] else []
            if name == "isrole" and match["role"].split()[-1].casefold() in _SIDE_ROLES and not told_now:
                out = [replace(item, cardinality="usual") if item.attribute == "job role" else item for item in out]
            if out and all(item.complete for item in out):
                return out
            return [replace(item, complete=False) for item in out]
    match = shapes["nomore"].match(body)
    if match:
        attribute = "diet" if re.fullmatch(_DIETS, match["val"], re.IGNORECASE) else "marital status"
        return make(_subject(match["subj"], carried), attribute, match["val"], "one", False, "ended")
    match = shapes["onadiet"].match(body)
    if match and re.fullmatch(
        rf"(?:strict |strictly )?(?:{_DIETS}|keto|ketogenic|paleo|mediterranean|plant-based|raw|atkins)",
        match["val"],
        re.IGNORECASE,
    ):
        return make(_subject(match["subj"], carried), "diet", match["val"], "one")
    for name, attribute in (("costs", "price"), ("earns", "salary")):
        match = shapes[name].match(body)
        if match:
            if (
                re.match(r"(?:an?|this|that|each|every|some|one|another) ", match["subj"] or "a ", re.IGNORECASE)
                and name == "costs"
            ):
                return []  # a ticket for 20 euros and a ticket for 30
            return make(_subject(match["subj"], carried), attribute, match["val"], "one")
    match = shapes["paysfor"].match(body)
    if match:
        what = fold(match["what"])
        value = match["val"] + (match["per"] or "")
        return make(_subject(match["subj"], carried), "rent" if what == "rent" else f"price of {what}", value, "one")
    match = shapes["dose"].match(body)
    if match:
        return make(
            _subject(match["subj"], carried),
            f"dose of {fold(match['what'] or match['what2'])}",
            match["val"] or match["val2"],
            "one",
        )
    match = shapes["amount"].match(body)
    if match:
        first, _, rest = fold(match["what"]).partition(" ")
        return make(
            _subject(match["subj"], carried), f"{_stem(match['verb'])} {first.removesuffix('s')} {rest}", match["val"], "one"
        )
    for name in ("langat", "exam", "atlevel"):
        match = shapes[name].match(body)
        if match:
            subject = subject_key(match["owner"]) if name == "langat" else _subject(match["subj"], carried)
            return make(subject, f"level of {match['lang'].casefold()}", match["lev"], "one")
    match = shapes["setto"].match(body)
    if match and (match["old"] is None or len(match["old"]) <= 60):
        noun = fold(match["noun"] or match["noun2"] or match["noun3"])
        owner = match["owner"] or match["owner2"]
        subject = subject_key(owner) if owner else _subject(match["subj"], carried)
        noun = _KEYS.get(noun, noun)
        language = match["noun"] and re.fullmatch(r"[ABC][12]|N[1-5]", match["val"]) and re.fullmatch(r"[a-z]+", noun)
        if language:
            return make(subject, f"level of {noun}", match["val"], "one", old=match["old"])
        if noun and (noun.split()[-1] in _ONE_NOUNS or noun in _KEYS.values() or match["noun2"]):
            if noun == "price" and not owner:
                return []
            return make(subject, noun, match["val"], "one", old=match["old"])
    match = shapes["asnoun"].match(body)
    if match:
        noun = _KEYS.get(match["noun"], match["noun"])
        if noun.split()[-1] in _ONE_NOUNS or noun.split()[-1] in (
            "editor",
            "browser",
            "shell",
            "terminal",
            "keyboard",
            "laptop",
            "phone",
            "bank",
        ):
            return make(_subject(match["subj"], carried), noun, match["val"], "one")
    match = shapes["bareis"].match(body)
    if match:
        noun = fold(match["noun"])
        return make(carried or "user", _KEYS.get(noun, noun), match["val"], "one")
    match = shapes["learning"].match(body)
    if match:
        level = (match["lev"] or match["lev2"]).replace("level ", "")
        return make(_subject(match["subj"], carried), f"level of {match['lang'].casefold()}", level, "one")
    match = shapes["level"].match(body)
    if match:
        return make(_subject(match["subj"], carried), f"level of {match['lang'].casefold()}", match["val"], "one")
    match = shapes["age"].match(body)
    if match:
        return make(_subject(match["subj"], carried), "age", match["val"] or match["val2"], "one")
    match = shapes["became"].match(_trim(body)[0])
    if match:
        value = match["val"].strip()
        if re.fullmatch(_DIETS, value, re.IGNORECASE):
            _, times, before = _trim(body)
            subject = _subject(match["subj"], carried)
            return [] if subject is None else [Statement(subject, "diet", (value,), "one", True, "current", before, times)]
        if re.search(rf"\b(?:{_ROLES})$", value, re.IGNORECASE):
            return make(_subject(match["subj"], carried), "job role", value, "one")
        return []
    for name, attribute in (("diet", "diet"), ("marital", "marital status"), ("called", "name"), ("rename", "name")):
        match = shapes[name].match(_trim(body)[0] if name in ("diet", "marital") else body)
        if match:
            old = match["old"] if name == "rename" else None
            return make(_subject(match["subj"], carried), attribute, match["val"], "one", old=old)
    match = shapes["over"].match(body)
    if match:
        value, other = match["val"], match["other"]
        if _plain_value(value) and _plain_value(other):
            pair = " / ".join(sorted((fold(value), fold(other))))
            return make(_subject(match["subj"], carried), f"preference {pair}", value, "one")
        return []
    match = shapes["again"].match(body)
    if match:
        return [
            replace(item, times=("again",))
            for item in make(_subject(match["subj"], carried), _stem(match["verb"]), match["val"], "many")
        ]
    match = shapes["notanymore"].match(body)
    if match:
        return make(_subject(match["subj"], carried), "likes", match["val"], "many", False, "ended")
    for pattern, shape in _english():
        match = pattern.match(body)
        if match:
            subject = _subject(match["subj"], carried)
            if subject is None:
                continue
            if shape.attribute == "residence" and shape.state == "current" and re.match(r"\d+\w? [A-Z]", match["val"]):
                return make(subject, "address", match["val"], "one", shape.polarity)
            if (
                shape.attribute == "residence"
                and shape.cardinality == "one"
                and shape.state == "current"
                and "/" not in subject
                and re.match(r"(?:https?:|localhost|port\b|\d)", match["val"])
            ):
                continue
            return make(subject, shape.attribute, match["val"], shape.cardinality, shape.polarity, shape.state)
    for name in ("nolonger", "stopped"):
        match = shapes[name].match(body)
        if match:
            key = _stem(match["verb"]) + (match["prep"] or "")
            ended: State = "ended" if name == "stopped" or re.search(r"no longer|any ?more", body, re.IGNORECASE) else "current"
            return make(_subject(match["subj"], carried), key, match["val"], "many", False, ended)
    for name in ("headis", "thatis", "whois", "possis", "myis", "ofis"):
        match = shapes[name].match(body)
        if not match:
            continue
        group = match.groupdict()
        subject = "user" if name == "myis" else subject_key(group["owner"])
        noun = re.sub(r"^(?:new|current|latest|present|updated|actual) (?=\w)", "", fold(group["noun"]))
        noun = _KEYS.get(noun, noun)
        attribute = {"thatis": f"{noun} that {group.get('rel')}", "whois": f"{noun} {group.get('rel')}"}.get(name, noun)
        if subject is None:
            continue
        last = noun.split()[-1] if noun.split() else ""
        language = re.fullmatch(r"(\w+) level", noun) or re.fullmatch(r"level (?:in|of) (\w+)", noun)
        if language:
            attribute, last = f"level of {language[1]}", "level"
        if re.match(r"(?:an?|the) ", group["val"]) and last not in _ONE_NOUNS:
            return []
        if (name == "possis" and last in MANY_NOUNS | {"favorite", "favourite"}) or (
            last.endswith("s") and last not in ("headquarters", "address", "status", "boss", "pronouns")
        ):
            return []
        first = noun.split()[0]
        if last not in _ONE_NOUNS and first not in ("favorite", "favourite", "current", "preferred", "official"):
            kind: Cardinality = "usual"
        elif last in _HALF_ONE and name not in ("possis", "myis") and first != "official":
            kind = "usual"
        else:
            kind = "one"
        if told_now or group["noun"].startswith(("new ", "current ", "latest ")):
            kind = "one"
        if noun == "home" and group["val"].startswith("in "):
            return make(subject, "residence", group["val"][3:], "one")
        return make(subject, attribute, group["val"], kind)
    match = shapes["keyis"].match(body)
    if match:
        noun = re.sub(r"^(?:new|current|latest|present|updated) (?=\w)", "", fold(match["noun"]))
        job = re.fullmatch(r"(?P<role>[^,]+?) (?:at|for) (?P<emp>[^,]+)", match["val"]) if _KEYS.get(noun) == "job role" else None
        if job:
            about = carried or "user"
            return [*make(about, "job role", job["role"], "one"), *make(about, "job employer", job["emp"], "one")]
        if (noun.split()[-1] in _ONE_NOUNS and len(noun.split()) <= 3) or noun in _KEYS:
            return make(carried or "user", _KEYS.get(noun, noun), match["val"], "one")
        return []
    match = shapes["many"].match(body)
    if match:
        words = match["verb"].casefold().split()
        key = (
            "learn"
            if words[-1] == "learning"
            else _stem(words[0] if words[0] != "is" else words[-1])
            + (f" {words[1]}" if words[0] != "is" and len(words) > 1 else "")
        )
        return make(_subject(match["subj"], carried), key, match["val"], "many")
    return []


# --------------------------------------------------------------------------------------------------------------- Chinese

_ZH_NOUNS = "姓名|名字|全名|昵称|电话号码|电话|手机号码|手机号|手机|邮箱|电子邮箱|邮件地址|地址|住址|生日|出生日期|年龄|身高|体重|职业|职位|工作|公司|雇主|房租|租金|工资|薪水|月薪|年薪|血型|国籍|籍贯|家乡|老板|上司|经理|首都|主席|总统|总理|校长|首席执行官"
_ZH_KEYS = {
    "姓名": "name",
    "名字": "name",
    "全名": "name",
    "电话号码": "phone number",
    "电话": "phone number",
    "手机号码": "phone number",
    "手机号": "phone number",
    "手机": "phone number",
    "邮箱": "email",
    "电子邮箱": "email",
    "邮件地址": "email",
    "地址": "address",
    "住址": "address",
    "生日": "birthday",
    "出生日期": "birthday",
    "年龄": "age",
    "体重": "weight",
    "职业": "job role",
    "职位": "job role",
    "公司": "job employer",
    "雇主": "job employer",
    "房租": "rent",
    "租金": "rent",
    "工资": "salary",
    "薪水": "salary",
    "月薪": "salary",
}


@cache
def _chinese() -> tuple[tuple[str, re.Pattern[str]], ...]:
    s = r"^(?P<subj>[^，,。]{0,20}?)"
    adv = r"(?:现在|目前|如今|最近|已经|已|刚刚?|仍然?|还|一直|也|都|很|非常|特别|最|比较|(?:从|自)?\d{4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?(?:起|开始|以来)?)*"
    source = {
        "forget": s
        + r"(?:要求|请求|让|请)(?:助手|系统|我们|AI|我)?(?:忘记|忘掉|删除|不要记住|不要保存)(?:他的|她的|其|自己的|我的|用户的)?(?P<val>.+)$",
        "rise": rf"^(?P<owner>(?![^，,。]*[把将])[^，,。]{{1,20}}?)的?(?:每月)?(?P<noun>{_ZH_NOUNS})(?:现在|已经|最近)?(?:从(?P<old>[^，,]+?))?(?:涨到|降到|升到|增加到|减少到|提高到|上涨到|下降到|改成|改为|换成|变成|变为|调整为|调整到|改到)了?(?P<val>.+?)了?$",
        "permonth": r"^(?P<owner>[^，,。]{1,12}?)(?:的)?(?:每个?月|每年)的?(?P<noun>房租|租金|工资|薪水)(?:是|为)?(?P<val>\d.+)$",
        "newnumber": r"^(?P<owner>.{0,10}?)(?:新|现在的?)(?P<noun>号码|电话|手机号|邮箱|地址|住址)(?:是|为|：|:)(?P<val>.+)$",
        "nodiet": s + r"(?:现在)?(?:不再|不|不是)(?P<val>吃纯素|吃素|素食者|纯素食者)了?$",
        "roleat": s + r"(?:现在)?是(?P<emp>[^，,的]{2,20})的(?P<role>[^，,的]{2,12})$",
        "change": s
        + adv
        + r"(?:把|将)?(?P<what>[^，,从]{0,15}?)从(?P<old>.+?)(?:改成|改为|换成|换到|切换到|切换为|迁移到|升级到|变成|变为|转到|调整为)了?(?P<val>.+)$",
        "move": s + adv + r"(?:从(?P<old>.+?))?(?:搬到|搬去|搬家到|搬至|移居到?|迁居到?|搬回)了?(?P<val>.+)$",
        "setto": s + r"(?:把|将)(?P<what>.{1,15}?)(?:改成|改为|换成|改到)了?(?P<val>.+)$",
        "smoke": s + adv + r"(?:每天|经常)?(?:抽烟|吸烟)$",
        "nosmoke": s + adv + r"(?:戒烟|不再抽烟|不抽烟|不再吸烟|不吸烟)了?$",
        "nolonger": s
        + adv
        + r"(?:不再|已经不|戒掉?了?|停止)(?P<verb>喜欢|爱|喝|吃|抽|用|使用|去|学习?|做|玩|住在|养|看|开)?(?P<val>.+?)了?$",
        "dislike": s + adv + r"(?:不(?:太|怎么|是很)?(?:喜欢|爱)|讨厌|厌恶|反感)(?P<val>.+)$",
        "like": s + adv + r"(?:喜欢|喜爱|热爱|爱好是?|偏爱)(?P<val>.+)$",
        "past": s + r"(?:以前|之前|曾经|曾|过去|原来)(?:住在|居住在)(?P<val>.+)$",
        "live": s + adv + r"(?:住在|居住在|居住于|定居在|定居于|定居|租住在|租住于|家住|家在|生活在|现居于?|住)(?P<val>.+)$",
        "newjob": s
        + adv
        + r"(?:跳槽到|跳槽去|跳槽至|入职|加入|换到|换工作到|换工作去)了?(?P<emp>[^，,]{1,25}?)(?:(?:公司|单位)?(?:担任|做|当|任)(?P<role>[^，,]{1,20}))?了?$",
        "promoted": s
        + adv
        + r"(?:升职为|升职成|晋升为|升任|被提拔为|转岗为|转行做|转行当|改行做|改行当)了?(?P<role>[^，,]{1,20}?)了?$",
        "workas": s + adv + r"在(?P<emp>[^，,]{1,25}?)(?:担任|做|当|任职?)(?P<role>[^，,]{1,20})$",
        "workat": s + adv + r"(?:在(?P<emp>[^，,]{1,25}?)(?:工作|上班|任职|就职)|就职于(?P<emp2>.+))$",
        "workis": s + adv + r"(?:担任|从事)(?P<role>[^，,]{1,20})$",
        "called": s + r"(?:已经?)?(?:名叫|叫做|名字叫做?|改名叫|改名为|改名成|叫)(?P<val>[^，,]{1,20})$",
        "marital": s
        + adv
        + r"(?:是)?(?P<val>单身|未婚|已婚|结婚|离婚|离异|丧偶|订婚|有(?:了)?(?:女朋友|男朋友|女友|男友|对象))了?$",
        "leftwork": s + adv + r"(?:从(?P<emp>[^，,]{1,20}?)(?:离职|辞职|退休)|离开了?(?P<emp2>[^，,]{1,20}?公司))了?$",
        "barepay": r"^(?P<owner>(?:用户|我)?)的?(?P<noun>月薪|年薪|工资|薪水|房租)(?:现在)?(?:是|为)?(?P<val>[\d一二两三四五六七八九十百千万].*)$",
        "allergy": s + r"对(?P<val>[^，,]{1,20}?)(?:严重|轻微)?过敏$",
        "born": s + r"(?:出生于|生于|出生在)(?P<val>.+)$",
        "age": s + r"(?:今年|现年|现在)?(?P<val>\d{1,3}|[一二三四五六七八九十]{1,3})岁了?$",
        "nounis": rf"^(?P<owner>[^，,。]{{1,20}}?)的(?P<noun>{_ZH_NOUNS})(?:现在|目前)?(?:是|为|：|:|叫)(?P<val>.+)$",
        "levelis": r"^(?P<owner>[^，,。]{1,12}?)的?(?P<lang>德语|英语|日语|法语|西班牙语|韩语|汉语|中文|意大利语|葡萄牙语|俄语)(?:水平)?(?:现在|目前)?(?:是|为|达到了?|已达)(?P<val>[ABCN][1-5])(?:级|水平)?$",
        "diet": s
        + adv
        + r"(?:是|成为|变成)?(?:了)?(?:一名|一个|个)?(?P<val>纯素食者|素食者|纯素食主义者|素食主义者|吃素|吃纯素)(?:了)?$",
        "many": s
        + adv
        + r"(?P<verb>使用|用|会说|拥有|养了?|正在学习?|在学|学习|想学习?|打算学习?|会弹|会拉|常去|去过|负责)(?P<val>.+)$",
    }
    return tuple((name, re.compile(pattern)) for name, pattern in source.items())


_ZH_MARITAL = {"未婚": "单身", "结婚": "已婚", "离异": "离婚"}
_ZH_DIET = {"吃素": "素食者", "素食主义者": "素食者", "吃纯素": "纯素食者", "纯素食主义者": "纯素食者"}
_ZH_ROLE_ENDS = (
    "师",
    "员",
    "经理",
    "主管",
    "总监",
    "会计",
    "设计师",
    "医生",
    "护士",
    "老师",
    "教授",
    "律师",
    "司机",
    "厨师",
    "销售",
    "编辑",
    "记者",
    "顾问",
    "助理",
    "研究员",
    "负责人",
    "CEO",
    "CTO",
    "程序员",
)


def _read_chinese(body: str, carried: str | None) -> list[Statement]:
    body = re.sub(r"(?<=[\u4e00-\u9fff])\s+|\s+(?=[\u4e00-\u9fff])", "", body)
    for name, pattern in _chinese():
        match = pattern.match(body)
        if not match:
            continue
        group = match.groupdict()
        written = group.get("subj")
        if name in ("nounis", "levelis", "rise", "permonth", "newnumber", "barepay"):
            owner = (group["owner"] or "").removesuffix("的")
            subject = subject_key(owner) if owner else carried or "user"
        else:
            subject = (carried or "user") if not written else subject_key(written)
        if name == "called" and not written and carried:
            continue  # 有女朋友了，叫小雪: it is she who is called so
        if subject is None or (written and _HEDGE.search(written)):
            continue
        value, times, before = _trim(group["val"] or "") if group.get("val") else ("", (), ())
        if len(value) > 2:
            value = value.removesuffix("了")
        sure = 0 < len(value) <= 30 and not _UNSURE.search(value)

        about, when = subject, times

        def one(
            attribute: str,
            text: str,
            former: tuple[str, ...] = (),
            state: State = "current",
            polarity: bool = True,
            *,
            about: str = about,
            when: tuple[str, ...] = when,
        ) -> Statement:
            complete = 0 < len(text) <= 30 and not _UNSURE.search(text) and not re.search("[和与、]", text)
            return Statement(about, attribute, (text,), "one", polarity, state, former, when, complete)

        if name == "forget":
            noun = value.strip("。了的")
            return [Statement(subject, _ZH_KEYS.get(noun, noun), (), "many", False, "retracted")]
        if name in ("change", "setto"):
            what = group.get("what") or ""
            key = _ZH_KEYS.get(what.removeprefix("的"), what.removeprefix("的"))
            if name == "change" and not key:
                return [Statement(subject, "switch", (value,), "many", True, "current", (group["old"],), times, False)]
            former = (group["old"],) if group.get("old") else ()
            return [one(key, value, former)] if key and sure else []
        if name == "move":
            return [one("residence", value, (group["old"],) if group.get("old") else before)] if sure else []
        if name in ("live", "past"):
            return [one("residence", value, before, "past" if name == "past" else "current")]
        if name in ("like", "dislike"):
            values = split_list(value)
            ok = all(len(item) <= 20 and not _UNSURE.search(item) for item in values)
            return [Statement(subject, "likes", values, "many", name == "like", "current", (), times, ok)] if values else []
        if name == "nolonger":
            if group.get("verb") in ("喜欢", "爱"):
                return [Statement(subject, "likes", split_list(value), "many", False, "ended", (), times)]
            if group.get("verb") == "住在":
                return [one("residence", value, state="ended", polarity=False)]
            return (
                [Statement(subject, group.get("verb") or "做", split_list(value), "many", False, "ended", (), times)]
                if sure
                else []
            )
        if name == "leftwork":
            return [one("job employer", group["emp"] or group["emp2"] or "", state="ended", polarity=False)]
        if name in ("rise", "permonth", "newnumber", "barepay"):
            noun = "phone number" if group["noun"] == "号码" else group["noun"] or ""
            return [one(_ZH_KEYS.get(noun, noun), value, (group["old"],) if group.get("old") else before)] if sure else []
        if name == "nodiet":
            return [one("diet", _ZH_DIET.get(value, value), state="ended", polarity=False)]
        if name == "roleat" and (
            not (group["role"] or "").endswith(_ZH_ROLE_ENDS)
            or re.search("老师|导师|教练|医生|律师|家教|助理", group["role"] or "")
        ):
            continue  # somebody's teacher
        if name in ("workas", "workat", "workis", "newjob", "promoted", "roleat"):
            out = []
            if group.get("role"):
                out.append(one("job role", (group["role"] or "").removeprefix("一名").removeprefix("一个")))
            employer = group.get("emp") or group.get("emp2")
            if employer:
                out.append(one("job employer", employer))
            return out
        if name == "marital":
            return [
                one(
                    "marital status",
                    _ZH_MARITAL.get(group["val"] or "", "恋爱" if "有" in (group["val"] or "") else group["val"] or ""),
                )
            ]
        if name in ("smoke", "nosmoke"):
            return [Statement(subject, "抽烟", ("抽烟",), "many", name == "smoke", "current" if name == "smoke" else "ended")]
        if name == "allergy":
            return [Statement(subject, "allergy", split_list(value), "many", True, "current", (), times)]
        if name == "called":
            return [one("name", value)]
        if name == "born":
            return [one("birthplace" if not re.match(r"[\d一二]", value) else "birthday", value)]
        if name == "age":
            return [one("age", value)]
        if name == "diet":
            return [one("diet", _ZH_DIET.get(value, value), before)]
        if name == "levelis":
            return [one(f"level of {group['lang']}", value, before)]
        if name == "nounis":
            return [one(_ZH_KEYS.get(group["noun"] or "", group["noun"] or ""), value, before)]
        return [
            Statement(
                subject, (group.get("verb") or "").rstrip("了"), split_list(value), "many", True, "current", (), times, sure
            )
        ]
    return []


# ------------------------------------------------------------------------------------------------------------ superseding


def same_value(a: str, b: str) -> bool:
    """Whether two values may mean the same: equal when folded, or one says the other and more (Berlin; Berlin, Germany; Berlin (Mitte))."""
    left, right = (re.sub(r"(?<=\d),(?=\d{3}\b)", "", fold(text)) for text in (a, b))
    if left == right or re.split(r"\s*[,(（，]", left)[0] == re.split(r"\s*[,(（，]", right)[0]:
        return True
    if right in same_names().get(left, ()):
        return True
    if ("纯" in left) != ("纯" in right):
        return False  # a vegan is more than a vegetarian, though a longer word holds the shorter
    first, second = set(_value_words(left)), set(_value_words(right))
    if not first or not second:
        return True
    return first <= second or second <= first


def _value_words(value: str) -> list[str]:
    return re.findall(r"[\u4e00-\u9fff]|[^\W_]+(?:[.'+#-][^\W_]+)*[+#]*", value)


def _scripts_differ(a: str, b: str) -> bool:
    """Whether one is written in Chinese and the other in letters, so that they may say the same."""
    cjk = [re.search(r"[\u4e00-\u9fff]", text) is not None for text in (a, b)]
    return cjk[0] != cjk[1] and all(re.search(r"[^\W\d_]", text) for text in (a, b))


def _comparable(attribute: str, a: str, b: str) -> bool:
    """Whether the values are of one grain: a town does not replace the country around it."""
    if _scripts_differ(a, b) and fold(a) not in same_names() and fold(b) not in same_names():
        return False  # 数据分析师 may be the data analyst
    if attribute in ("residence", "birthplace", "place of death", "home", "location"):
        return (fold(a) in _COUNTRIES) == (fold(b) in _COUNTRIES)
    if attribute == "salary" or attribute.startswith("price"):
        return _same_period(a, b)
    if attribute == "birthday":
        return len(_value_words(fold(a))) == len(_value_words(fold(b)))
    return True


_PERIOD = re.compile(
    r"(?:\b(?:a|an|per|each|every) |/ ?)(hour|day|week|month|year)\b|(?:每|/)(时|小时|天|日|周|月|年)|\b(hourly|daily|weekly|monthly|annual|yearly|annually)\b"
)
_PERIODS = 4.0
"""A sum that is more than so many times another one may be for another period, where only one of them tells which."""


def _same_period(a: str, b: str) -> bool:
    """Whether two sums may be for the same period: a year's pay is no raise of a month's."""
    told = [match[1] or match[2] or match[3] if (match := _PERIOD.search(text.casefold())) else None for text in (a, b)]
    if told[0] == told[1]:
        return True
    if None not in told:
        return False
    sums = [
        float(re.sub(r"[^\d.]", "", found[0]) or 0) if (found := re.search(r"\d[\d,]*(?:\.\d+)?", text)) else 0.0
        for text in (a, b)
    ]
    return min(sums) > 0 and max(sums) <= _PERIODS * min(sums)


_ENDABLE = frozenset(("residence", "job role", "job employer", "us", "driv", "rid", "diet", "name", "prefer", "使用", "用"))

Loose = bool | Literal["others"]
"""Which attributes that usually hold one value are taken to hold one: all, none, or those of subjects other than the user and the user's."""
Key = tuple[int, int, str]
"""A statement: its memory's position, where its clause begins, its attribute."""


class Hit(NamedTuple):
    """What replaced a statement: the newer memory, why, where in it the newer clause begins (-1: not known), until when the old one held."""

    newer: int
    reason: str
    start: int = -1
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Undecided:
    """Two memories that tell different values of what may hold one, where no rule decides. ``index`` is the older, as far as is known."""

    index: int
    other: int
    key: Key
    reason: str


@dataclass(slots=True)
class Findings:
    """What ``find`` found.

    Attributes:
        per_clause: all statements, by memory and beginning of the clause.
        hits: the statements that a newer memory replaces.
        restated: statements that newer memories say again.
        returned: statements whose value was replaced and came back later: said again, with another value in between.
        partial: of statements with a list of values, those that newer memories turn round, folded.
        undecided: pairs for a review.
    """

    per_clause: dict[tuple[int, int], list[Statement]]
    hits: dict[Key, Hit] = field(default_factory=dict)
    restated: set[Key] = field(default_factory=set)
    returned: dict[Key, Hit] = field(default_factory=dict)
    partial: dict[Key, dict[str, Hit]] = field(default_factory=dict)
    undecided: list[Undecided] = field(default_factory=list)

    def gone(self, index: int, start: int) -> bool:
        """Whether a clause says nothing any more that newer memories do not say or replace."""
        items = self.per_clause[index, start]
        keys = [(index, start, item.attribute) for item in items]
        if not all(item.complete for item in items):
            return False
        over = [key for key in keys if key in self.hits or key in self.returned]
        return bool(over) and all(key in self.hits or key in self.returned or key in self.restated for key in keys)


def superseded(memories: Sequence[UserMemory], *, loose: bool = False) -> tuple[Superseded, ...]:
    """The clauses that newer memories replace.

    Newer is what changed later (``last_changed``); a memory without a date, or two of the same second, decide nothing. A clause is
    named only where all that it says is replaced or said again by newer memories; so "works as a cook at Noma" stays when only a new role
    is told. A value that returns (Lisbon, Porto, Lisbon) is current and its first mention is not named.

    Args:
        memories: of one user, in any order.
        loose: also treat attributes that usually hold one value (religion, founder, ``X's N is V`` with an unknown noun) as holding one.

    Returns:
        In the order of the memories, then of their text. Time is linear in the number of statements.
    """
    found = find(memories, [read_statements(memory.memory) for memory in memories], loose=loose)
    out: list[Superseded] = []
    for (index, start), items in found.per_clause.items():
        keys = [(index, start, item.attribute) for item in items]
        if not any(key in found.hits for key in keys) or not found.gone(index, start):
            continue
        first = next(key for key in keys if key in found.hits)
        hit = found.hits[first]
        if hit.newer == index:
            continue
        out.append(
            Superseded(
                memories[index].memory_id,
                items[0].clause,
                memories[hit.newer].memory_id,
                hit.reason,
                index,
                hit.newer,
                (items[0].start, items[0].end),
                first[2],
                tuple(value for item in items for value in item.values),
            )
        )
    out.sort(key=lambda item: (item.old_index, item.span))
    return tuple(out)


def find(
    memories: Sequence[UserMemory], statements: Sequence[Sequence[Statement]], *, loose: Loose = False, deep: bool = False
) -> Findings:
    """What of the memories' statements newer ones replace, return to, or leave undecided.

    Args:
        memories: of one user, in any order.
        statements: what each of them states, in the order of the memories.
        deep: for callers that still tell what was before: a new employer also ends the role told with the old one, and a switch from X to
            Y is taken as the new value of what was X.
    """
    per_clause: dict[tuple[int, int], list[Statement]] = defaultdict(list)
    slots: dict[tuple[str, str], list[_Entry]] = defaultdict(list)
    undated: dict[tuple[str, str], list[tuple[int, Statement]]] = defaultdict(list)
    changes: dict[str, list[_Entry]] = defaultdict(list)
    for index, memory in enumerate(memories):
        when = memory.last_changed
        for item in statements[index]:
            per_clause[index, item.start].append(item)
            if when is None:
                undated[item.subject, item.attribute].append((index, item))
                continue
            if item.under:
                item = replace(item, under=holds_at(item.under, float(when)))
            slots[item.subject, item.attribute].append((float(when), index, item))
            if item.before and compete(item.under):
                changes[item.subject].append((float(when), index, item))
    found = Findings(per_clause)
    attributes: dict[str, list[str]] = defaultdict(list)
    for subject, attribute in slots:
        attributes[subject].append(attribute)
    for subject, entries in changes.items():
        _moves(subject, slots, found)
        if deep:
            _learn(subject, entries, slots, attributes[subject], per_clause)
    for (subject, attribute), entries in slots.items():
        kinds = {item.cardinality for _, _, item in entries if item.state != "retracted"}
        _retract(entries, attribute, found)
        if "many" in kinds and not kinds & {"one"}:
            _flips([entry for entry in entries if not entry[2].under], attribute, found)
            continue
        if "many" in kinds:
            continue
        if _one_of_several(subject) and loose is not True:
            _doubt(entries, attribute, found, f"{attribute}: this may be about two of a kind")
        elif kinds <= {"one"} or _usual_is_one(subject, loose) or _newest_is_one(entries):
            for alike in _under(entries):
                _replace(alike, attribute, found)
                _end(alike, attribute, found)
            added = [entry for entry in entries if entry[2].under in ("", BESIDE)]
            if len(added) < len(entries) or any(entry[2].under for entry in added):
                _end(added, attribute, found)  # also what was an addition may be over
            _doubt_under(entries, attribute, found)
        else:
            _end(entries, attribute, found)
            _doubt(entries, attribute, found, f"{attribute}: this may have more than one value at a time")
    for (subject, attribute), rows in undated.items():
        _doubt_undated(rows, slots.get((subject, attribute), ()), attribute, found)
    for subject, entries in changes.items():
        _changed(subject, entries, slots, attributes[subject], found.hits)
    _jobs_left(found, deep)
    for subject in {subject for subject, attribute in slots if attribute == "marital status"}:
        _couples(subject, slots, found)
    for subject in {subject for subject, attribute in slots if attribute == "spouse"}:
        _wed(subject, slots, found)
    return found


def _under(entries: Sequence[_Entry]) -> Iterable[Sequence[_Entry]]:
    """The entries that may replace each other: those that hold under the same circumstances."""
    groups: dict[str, list[_Entry]] = defaultdict(list)
    if not any(entry[2].under for entry in entries):
        return (entries,)
    newest = max(entries, key=lambda entry: entry[:2])[2].under
    for entry in entries:
        if compete(entry[2].under):
            groups[under_newest(entry[2].under, newest)].append(entry)
    return groups.values()


def _doubt_under(entries: Sequence[_Entry], attribute: str, found: Findings) -> None:
    """List what was told under other circumstances than the newest, where one of the two is told without any."""
    current = sorted(
        (entry for entry in entries if entry[2].state == "current" and entry[2].polarity and entry[2].values),
        key=lambda entry: entry[:2],
    )
    if len(current) < 2 or not any(entry[2].under for entry in current):
        return
    newest = current[-1]
    if not compete(newest[2].under) and newest[2].under != UNSURE:
        return  # an addition, or what is not yet so
    others = [
        entry
        for entry in current[:-1]
        if (entry[2].under == UNSURE or under_newest(entry[2].under, newest[2].under) != newest[2].under)
        and (not (entry[2].under and newest[2].under) or newest[2].under == UNSURE)
    ]
    _doubt([*others, newest], attribute, found, f"{attribute}: both may hold, at other times or beside each other")


_SEVERAL = MANY_NOUNS | frozenset(
    "猫 狗 朋友 同事 哥哥 弟弟 姐姐 妹妹 儿子 女儿 孩子 同学 邻居 表哥 表弟 表姐 表妹 叔叔 阿姨 客户".split()
)


def _one_of_several(subject: str) -> bool:
    """Whether there may be another of that kind: "User's brother" may be two, "User's brother Tom" is one."""
    return "/" in subject and subject.rsplit("/", 1)[1] in _SEVERAL


def _newest_is_one(entries: Sequence[_Entry]) -> bool:
    """Whether the newest of them says by a word of change that it holds alone."""
    current = [entry for entry in entries if entry[2].state == "current" and entry[2].polarity and entry[2].values]
    return bool(current) and max(current, key=lambda entry: entry[:2])[2].cardinality == "one"


def _usual_is_one(subject: str, loose: Loose) -> bool:
    return loose is True or (loose == "others" and subject != "user" and not subject.startswith("user/"))


_Entry = tuple[float, int, Statement]
_Hits = dict[Key, Hit]


def _learn(
    subject: str,
    changes: list[_Entry],
    slots: dict[tuple[str, str], list[_Entry]],
    attributes: Sequence[str],
    per_clause: dict[tuple[int, int], list[Statement]],
) -> None:
    """Take "switched from Vim to Zed" as the editor's new value where Vim was told to be the editor."""
    switches = [
        entry for entry in changes if entry[2].attribute == "switch" and len(entry[2].before) == 1 and len(entry[2].values) == 1
    ]
    if not switches:
        return
    known: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for attribute in attributes:
        for when, _, item in slots[subject, attribute]:
            if item.cardinality != "many" and item.state == "current" and item.polarity and item.values:
                known[fold(item.values[0])].append((when, attribute))
    for entry in sorted(switches, key=lambda entry: entry[:2]):
        when, index, item = entry
        about = {attribute for earlier, attribute in known[fold(item.before[0])] if earlier < when}
        if len(about) != 1:
            continue
        attribute = about.pop()
        told = replace(item, attribute=attribute, cardinality="one", complete=_plain_value(item.values[0]))
        slots[subject, "switch"].remove(entry)
        slots[subject, attribute].append((when, index, told))
        changes[changes.index(entry)] = (when, index, told)
        clause = per_clause[index, item.start]
        clause[clause.index(item)] = told
        known[fold(item.values[0])].append((when, attribute))


def _moves(subject: str, slots: dict[tuple[str, str], list[_Entry]], found: Findings) -> None:
    """Who "moved from Vim to Emacs" lives where he did: a move between places where nobody is known to have lived is listed only.

    Known are the places that other sentences tell at any time, and those of the moves before; the first move of all is believed.
    """
    entries = slots.get((subject, "residence"), [])
    moves: list[_Entry] = []
    known: set[str] = set()
    for entry in entries:
        item = entry[2]
        if item.before and re.search(r"\b(?:moved|migrated|relocated|moving)\b.* from ", item.clause):
            moves.append(entry)
        elif item.state == "current" and item.polarity:
            known.update(_place(value) for value in item.values)
    doubtful: list[_Entry] = []
    for entry in sorted(moves, key=lambda entry: entry[:2]):
        places = {_place(value) for value in (*entry[2].before, *entry[2].values)}
        if known and not places & known:
            doubtful.append(entry)
        else:
            known |= places
    if doubtful:
        apart = {id(entry) for entry in doubtful}
        slots[subject, "residence"] = [entry for entry in entries if id(entry) not in apart]
        _doubt(entries, "residence", found, "residence: a move between places where nobody is known to have lived")


def _place(value: str) -> str:
    return re.split(r"\s*[,(（，]", fold(value))[0]


_VERB_NAMES = {
    "us": "use",
    "smok": "smoke",
    "driv": "drive",
    "vap": "vape",
    "gambl": "gamble",
    "ha": "have",
    "practic": "practice",
    "tak": "take",
}


def _named(attribute: str) -> str:
    return _VERB_NAMES.get(attribute, attribute)


def _retract(entries: Sequence[_Entry], attribute: str, found: Findings) -> None:
    asked = [(when, index, item) for when, index, item in entries if item.state == "retracted"]
    for when, index, item in asked:
        for old_when, old_index, old in entries:
            if old_when < when and old.state == "current" and old.polarity:
                found.hits.setdefault(
                    (old_index, old.start, attribute), Hit(index, f"the user asked to forget the {attribute}", item.start)
                )


def _replace(entries: Iterable[_Entry], attribute: str, found: Findings) -> None:
    current = sorted(
        (entry for entry in entries if entry[2].state == "current" and entry[2].polarity and entry[2].values),
        key=lambda entry: entry[:2],
    )
    if len(current) < 2:
        return
    newest_when, newest_index, newest = current[-1]
    value = newest.values[0]
    top = [entry for entry in current if entry[0] == newest_when]
    if attribute == "residence" and len(top) == 2 and top[0][1] == top[1][1]:
        # 搬到厦门，住在思明区: the second is a part of the first
        moved = [entry for entry in top if re.search(r"搬|移居|迁居|\bmoved\b", entry[2].clause)]
        if len(moved) == 1:
            newest_when, newest_index, newest = moved[0]
            value = newest.values[0]
            top = moved
            current = [entry for entry in current if entry[0] != newest_when] + moved
            if len(current) < 2:
                return
    if any(not same_value(entry[2].values[0], value) for entry in top):
        _doubt(top, attribute, found, f"{attribute}: two values of the same time")
        return  # two at the same second: undecidable
    if not newest.complete:
        short = re.split(r"\s*[(（,，]| with | near ", value)[0]
        if (
            attribute not in ("residence", "job role", "job employer")
            or not _plain_value(short)
            or re.search(r"\band\b|和", short)
        ):
            if attribute in ("residence", "job role", "job employer"):
                _doubt(current, attribute, found, f"{attribute}: the newest memory may tell more than one value")
                return
        else:
            value = short
    # until when a value held: the first later mention of another one
    last, until, following, left = newest_when, newest_when, value, False
    for when, index, item in reversed(current[:-1]):
        old = item.values[0]
        key = (index, item.start, attribute)
        promoted = attribute == "job role" and fold(old) != fold(value) and re.search(r"promot|升", newest.clause)
        if not same_value(old, following) and _comparable(attribute, old, following):
            following, until = old, last
        last = when
        if same_value(old, value) and not promoted:
            if when < newest_when and set(_value_words(fold(old))) <= set(_value_words(fold(value))):
                found.restated.add(key)
                if left:
                    reason = f"{attribute}: {old} was left, and a newer memory tells it again"
                    found.returned.setdefault(key, Hit(newest_index, reason, newest.start, until))
            continue
        if when >= newest_when or not _comparable(attribute, old, value):
            continue
        left = True
        found.hits.setdefault(key, Hit(newest_index, f"{attribute}: {old} was replaced by {value}", newest.start, until))


def _end(entries: Sequence[_Entry], attribute: str, found: Findings) -> None:
    """What a newer memory says is no longer so; and what was said to be over before it began again."""
    ordered = sorted(
        (entry for entry in entries if entry[2].state in ("current", "ended") and entry[2].values), key=lambda entry: entry[:2]
    )
    by_value: dict[str, list[_Entry]] = defaultdict(list)
    for entry in ordered:
        by_value[fold(entry[2].values[0])].append(entry)
    for mentions in by_value.values():
        newest_when, newest_index, newest = mentions[-1]
        if not any(not item.polarity for _, _, item in mentions):
            continue
        for when, index, item in mentions[:-1]:
            if when < newest_when and item.polarity != newest.polarity:
                reason = f"{attribute}: {'again' if newest.polarity else 'no longer'} {newest.values[0]}"
                found.hits.setdefault((index, item.start, attribute), Hit(newest_index, reason, newest.start, newest_when))


def _jobs_left(found: Findings, by_new: bool) -> None:
    """Who left an employer left the role there."""
    for (index, start, attribute), hit in list(found.hits.items()):
        if attribute == "job employer" and (by_new or hit.reason.startswith("job employer: no longer")):
            for item in found.per_clause[index, start]:
                if item.attribute == "job role":
                    found.hits.setdefault((index, start, "job role"), hit)


def _couples(subject: str, slots: dict[tuple[str, str], list[_Entry]], found: Findings) -> None:
    """A marital status replaces what was told of a spouse or partner before, and the reverse."""
    alone = frozenset(("divorced", "widowed", "separated", "single"))
    states = [entry for entry in slots[subject, "marital status"] if entry[2].state == "current" and entry[2].polarity]
    bonds = [
        entry
        for name in ("spouse", "fiance", "partner")
        for entry in slots.get((subject, name), ())
        if entry[2].state == "current" and entry[2].polarity
    ]
    for when, index, item in sorted(states, key=lambda entry: entry[:2]):
        for bond_when, bond_index, bond in bonds:
            if fold(item.values[0]) not in alone:
                continue
            if bond_when < when:
                reason = f"{bond.attribute}: {bond.values[0]} was told before the user was {item.values[0]}".replace(
                    "the user", "user" if subject == "user" else subject
                )
                found.hits.setdefault((bond_index, bond.start, bond.attribute), Hit(index, reason, item.start, when))
            elif bond_when > when and (bond.attribute != "partner" or fold(item.values[0]) == "single"):
                reason = f"marital status: {item.values[0]} was told before {bond.attribute} {bond.values[0]}"
                found.hits.setdefault((index, item.start, "marital status"), Hit(bond_index, reason, bond.start, bond_when))


def _wed(subject: str, slots: dict[tuple[str, str], list[_Entry]], found: Findings) -> None:
    """Who was dated, or engaged to, before a wedding."""
    spouses = [entry for entry in slots.get((subject, "spouse"), ()) if entry[2].state == "current" and entry[2].polarity]
    for when, index, item in sorted(spouses, key=lambda entry: entry[:2]):
        for name in ("partner", "fiance"):
            for old_when, old_index, old in slots.get((subject, name), ()):
                if old_when < when and old.state == "current" and old.polarity:
                    reason = f"{name}: {old.values[0]} was told before the wedding with {item.values[0]}"
                    found.hits.setdefault((old_index, old.start, name), Hit(index, reason, item.start, when))


def _doubt(entries: Sequence[_Entry], attribute: str, found: Findings, reason: str) -> None:
    """List what is told otherwise by the newest of them."""
    current = sorted(
        (entry for entry in entries if entry[2].state == "current" and entry[2].polarity and entry[2].values),
        key=lambda entry: entry[:2],
    )
    if len(current) < 2:
        return
    _, other, newest = current[-1]
    for _, index, item in current[:-1]:
        if (
            index != other
            and not same_value(item.values[0], newest.values[0])
            and _comparable(attribute, item.values[0], newest.values[0])
        ):
            found.undecided.append(Undecided(index, other, (index, item.start, attribute), reason))


def _doubt_undated(rows: Sequence[tuple[int, Statement]], dated: Sequence[_Entry], attribute: str, found: Findings) -> None:
    """List memories without a date that tell a value of their own of what holds one."""
    told = [
        (index, item)
        for index, item in rows
        if item.cardinality == "one" and item.state == "current" and item.polarity and item.values
    ]
    known = [
        (index, item)
        for _, index, item in sorted(dated, key=lambda entry: entry[:2])
        if item.state == "current" and item.polarity and item.values
    ]
    if not told:
        return
    other, against = known[-1] if known else told[-1]
    for index, item in told:
        if (
            index != other
            and not same_value(item.values[0], against.values[0])
            and _comparable(attribute, item.values[0], against.values[0])
        ):
            found.undecided.append(
                Undecided(
                    index, other, (index, item.start, attribute), f"{attribute}: without a date it is not known which is newer"
                )
            )


def _flips(entries: Sequence[_Entry], attribute: str, found: Findings) -> None:
    """Liking turned into disliking and the reverse, and things that stopped, per object."""
    last: dict[str, list[_Entry]] = defaultdict(list)
    for entry in entries:
        for value in entry[2].values:
            last[fold(value)].append(entry)
    gone: dict[tuple[int, int], dict[str, Hit]] = defaultdict(dict)
    for value, mentions in last.items():
        mentions.sort(key=lambda entry: entry[:2])
        newest_when, newest_index, newest = mentions[-1]
        if len(newest.values) > 1 and not newest.complete:
            continue
        # a plain "does not own X" beside "owns X" may be another X; a liking, or a word of change, decides
        if attribute != "likes" and not any(item.state == "ended" or "again" in item.times for _, _, item in mentions):
            continue
        for when, index, item in mentions[:-1]:
            if when < newest_when and item.polarity != newest.polarity:
                gone[index, item.start][value] = Hit(
                    newest_index, f"{_named(attribute)}: turned round by a newer memory", newest.start, newest_when
                )
    table = {(index, item.start): item for _, index, item in entries}
    for key, values in gone.items():
        latest = max(values.values(), key=lambda hit: (hit.until or 0, hit.newer))
        if all(fold(value) in values for value in table[key].values):
            found.hits.setdefault((*key, attribute), latest)
        else:
            found.partial[*key, attribute] = values


def _changed(
    subject: str, changes: Sequence[_Entry], slots: dict[tuple[str, str], list[_Entry]], attributes: Sequence[str], hits: _Hits
) -> None:
    """Older statements whose value a change names as the former one (switched from X to Y)."""
    by_value: dict[str, list[_Entry]] = defaultdict(list)
    wanted = {fold(value) for _, _, item in changes for value in item.before}
    told = {item.attribute for _, _, item in changes}
    for attribute in attributes:
        for entry in slots[subject, attribute]:
            if entry[2].cardinality == "many" and attribute not in _ENDABLE and attribute not in told:
                continue
            if (
                entry[2].polarity
                and entry[2].state == "current"
                and len(entry[2].values) == 1
                and fold(entry[2].values[0]) in wanted
            ):
                by_value[fold(entry[2].values[0])].append(entry)
    for when, index, item in changes:
        if item.attribute == "switch" and not item.values:
            continue
        for value in item.before:
            for old_when, old_index, old in by_value.get(fold(value), ()):
                if old.attribute == "switch" or old_index == index or not old_when < when:
                    continue
                if old.attribute in ("us", "使用", "用") and re.search(r"\bfor (?!good\b)", item.clause):
                    continue  # "for letters": it may still be used for other things
                if item.cardinality == "one" and old.attribute != item.attribute and item.attribute != "residence":
                    continue  # a price that was left says nothing of a name
                if item.attribute == "residence" and old.attribute not in (
                    "residence",
                    "us",
                    "使用",
                    "editor",
                    "database",
                    "framework",
                    "browser",
                    "language",
                    "prefer",
                    "bank",
                    "shell",
                ):
                    continue
                later = [entry for entry in by_value[fold(value)] if entry[0] > when and entry[2].attribute == old.attribute]
                if later:
                    continue  # it came back
                key = (old_index, old.start, old.attribute)
                reason = f"{_named(old.attribute)}: a newer memory says that {value} was given up for {', '.join(item.values)}"
                hits.setdefault(key, Hit(index, reason, item.start, when))
