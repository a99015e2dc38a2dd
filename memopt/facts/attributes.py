"""The attributes of a person that requests name often, and how a piece of text tells one: called by its name, by a verb, by its value.

What only looks like a value is none: a date, a time, a price, a version or a number that another word labels is no telephone
number. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from memopt.facts.cutting import subject_end
from memopt.facts.lexicon import words
from memopt.facts.reading import read
from memopt.facts.words import CJK

Finder = Callable[[str], "str | None"]

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
_DATE = re.compile(
    rf"\d{{4}}-\d\d-\d\d|(?<![\d.])\d{{1,2}}\s?[./]\s?\d{{1,2}}(?:\s?[./]\s?\d{{2,4}})?(?![\d%])|\b(?:{_MONTHS})\b\.?,?\s+\d{{1,4}}|\b\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?:{_MONTHS})\b"
    rf"|\d{{1,2}}月|\d{{4}}年|\b(?:in|of)\s+(?:19|20)\d\d\b|\b(?:on|in)\s+(?:{_MONTHS})\b|\b(?:19|20)\d\d\b"
)
_MONEY = re.compile(
    r"[$€£¥₹]\s?\d|\d[\d.,' ]*\s?(?:[kKmM]\b|[$€£¥₹%]|(?:USD|EUR|CHF|GBP|CNY|RMB|JPY|INR|dollars?|euros?|pounds?|francs?|yuan|bucks)\b|元|万|块|千)"
    r"|\b(?:USD|EUR|CHF|GBP|CNY|RMB|JPY|INR)\s?\d|\d[\d.,' ]*\s?(?:a|per|an)\s(?:year|month|week|hour|day)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"(?<![\w.,-])\d{1,3}(?:[.,'’ ]\d{3})+(?!\d)|(?<![\w.,-])\d{3,7}(?![\w-]|[.,]\d)")
_MAIL = re.compile(r"(?<![\w.+@/:-])(?!git@)[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?![\w@:/-]|\.\w)")
_IP = re.compile(
    r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)|(?<![\w:])(?:[0-9a-f]{1,4}:){2,7}:?[0-9a-f]{0,4}|::[0-9a-f]{1,4}",
    re.IGNORECASE,
)
_STREET = (
    r"\b\d{1,5}[a-z]?,? (?:[A-Z][\w'.-]+ ){1,3}(?:St|Street|Rd|Road|Ave|Avenue|Lane|Ln|Drive|Dr|Way|Blvd|Boulevard|Court|Ct|Square|Place|Terrace)\b"
    r"|\b[A-ZÄÖÜ][\wäöüß-]*(?:strasse|straße|str\.|gasse|weg|platz|allee)\s+\d{1,4}|[\u4e00-\u9fff]{1,12}(?:路|街|道|巷|弄)\d{1,5}号|\b(?:[Rr]ue|[Vv]ia|[Cc]alle|[Aa]venida|[Rr]ua) [\w' ]+,? \d{1,4}"
)
_PHONE = re.compile(
    r"(?<![A-Za-z0-9_.,:#/@-])(?:\+|\()?\d(?:[\s().\-/\u00a0]{0,2}\d){5,14}(?![A-Za-z0-9_@%-]|[.,:/]\d|\s?(?:%|[$€£¥]))"
)
# A telephone number wherever it stands: international, with its prefix in brackets, with a leading 0, in the North American
# grouping, or a Chinese mobile number.
_CLEAR_PHONE = re.compile(
    r"\+\d[\d\s().\-/\u00a0]{6,}|00[1-9][\d\s().\-/]{7,}|\(0?\d{2,5}\)[\s\-/]?\d[\d\s.\-/]{4,}|0[1-9]\d?\d?\d?[\s\-/.]\d[\d\s.\-/]{4,}|0[1-9]\d{8,9}"
    r"|(?:1[\s.-])?\(?[2-9]\d{2}\)?[\s.-]\d{3}[\s.-]\d{4}|1[3-9]\d[\s-]?\d{4}[\s-]?\d{4}"
)
_LABEL = re.compile(
    r"(?:\b(?:isbn|issn|ean|upc|iban|imei|order|invoice|ticket|case|booking|reservation|flight|tracking|serial|reference|ref|account|card|visa|passport|"
    r"ssn|social security|identity|id|version|build|release|port|ports|commit|hash|sku|part|model|article|item|licen[cs]e|policy|member(?:ship)?|customer|"
    r"insurance|tax|vat|patent|timestamp|epoch|unix time|coordinates?|lat|lon|score|range|page|pages|room|lot|batch|zip|postcode|pid|uid|process|row|rows|"
    r"numbers? from|doi|issue|pr|bug|error(?: code)?|code|pin)\b(?: ?(?:numbers?|nos?\.?|nr\.?|codes?|ids?|#|№))?|#|№"
    r"|(?:订单|快递|运单|编号|单号|身份证|护照|银行卡|卡|账|账户|车牌|版本|端口|发票|邮编|学)(?:号码?)?)(?:\s*(?:is|was|ending in|[:：=#是为]))?\s*$",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<!\d)\d{4}([ -])\d{4}\1\d{4}\1\d{1,4}(?!\d)|(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")
_LOOK_ALIKE = frozenset(words("date weekday relative time quantity money percent version email url handle ordinal"))
_DATE_LIKE = re.compile(
    r"(?:19|20)\d\d([-/. ])(?:0?[1-9]|1[0-2])\1(?:[0-2]?\d|3[01])(?:[ T]\d{1,2}[:.]?\d{0,2})?|(?:[0-2]?\d|3[01])([-/. ])(?:[0-2]?\d|3[01])\2(?:19|20)?\d\d"
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])(?:[ _-]?\d{4,6})?|(?:19|20)\d\d\s?[-/]\s?(?:19|20)\d\d|\d{1,3}(?:[ ]\d{3})+|\d{1,2}[.:]\d\d\s?-\s?\d{1,2}[.:]\d\d"
)


@lru_cache(maxsize=4096)
def without_look_alikes(text: str) -> str:
    """The text with dates, times, amounts, versions and addresses of the net blanked, every other character at its place."""
    chars = list(text)
    for item in read(text).items:
        if item.kind in _LOOK_ALIKE and any(char.isdigit() for char in item.surface):
            chars[item.start : item.end] = " " * (item.end - item.start)
    return "".join(chars)


def telephone(text: str, *, named: bool) -> str | None:
    """The first telephone number of a text.

    Args:
        named: whether the text says that it is one; then it needs no shape that only telephone numbers have.
    """
    for found in _PHONE.finditer(text):
        value = found.group().strip()
        digits = re.sub(r"\D", "", value)
        if (
            _LABEL.search(text[: found.start()])
            or re.search(r"\b[A-Z]{2}\d\d\s?$", text[: found.start()])
            or _CARD.fullmatch(value)
            or len(digits) > 15
        ):
            continue
        if _DATE_LIKE.fullmatch(value) or (value[0] not in "+(" and _blank(text, found.start(), found.end())):
            continue
        if named or (_CLEAR_PHONE.fullmatch(value) and len(digits) >= 7):
            return value
    return None


def _blank(text: str, start: int, end: int) -> bool:
    """Whether what is read here is something else than digits."""
    return sum(char.isdigit() for char in without_look_alikes(text)[start:end]) < 6


def _number(least: int) -> Finder:
    """A number with so many digits, letters among them allowed, that is no date and no amount."""
    pattern = re.compile(
        r"(?<![\w.,])(?:[A-Za-z]{1,4}[ -]?)?[\dXx*•](?:[ .\-]?[A-Za-z]?[\dXx*•])+[A-Za-z]?(?![\w%]|[.,]\d)|[A-Z]{2}\d\d(?: ?[\dA-Z]{4}){2,8}(?: ?[\dA-Z]{1,4})?"
    )

    def find(text: str) -> str | None:
        plain = without_look_alikes(text)
        for found in pattern.finditer(plain):
            value = found.group().strip()
            if sum(char.isdigit() or char in "Xx*•" for char in value) >= least and not _DATE_LIKE.fullmatch(value):
                return value
        return None

    return find


def _pattern(pattern: re.Pattern[str]) -> Finder:
    def find(text: str) -> str | None:
        found = pattern.search(text)
        return found.group().strip() if found else None

    return find


def _account(text: str) -> str | None:
    ending = re.search(r"\bend(?:s|ing) (?:in|with) \d{3,4}\b|尾号(?:是|为)?\d{3,4}", text)
    if ending is not None:
        return ending.group()
    iban = re.search(r"\b[A-Z]{2}\d\d(?: ?[\dA-Z]{4}\b| \S)", text)
    return iban.group() if iban else _number(7)(text)


_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_AGE = re.compile(rf"(?<![\d.,:-])\d{{1,3}}(?![\d.,:-]*\d)|\b(?:{_TENS}|eighteen|nineteen)\b|[一二三四五六七八九十]")
_PREDICATE = re.compile(r"(?:\s*\([^)]*\))?\s*(?:(?:is|was|are|were|am|changed (?:from .*)?to|[:：=])|是|为|叫|在|有)")


@dataclass(frozen=True, slots=True)
class Kind:
    """An attribute that requests name often.

    Attributes:
        name: for people.
        said: how it is called, in requests and in texts.
        value: finds what a value of it looks like; None: any words.
        tells: how a sentence tells it without calling it by name; where there is a value to find it must be there too.
        alone: finds a value that is enough without the name (a telephone number is one wherever it stands).
        predicated: whether the name counts only where something is said of it (``her name is``), not wherever it stands.
        other: what stands behind the name where it means something else (``name of the project``, ``job interview``).
    """

    name: str
    said: str
    value: Finder | None = None
    tells: str | None = None
    alone: Finder | None = None
    predicated: bool = False
    other: str | None = None

    @property
    def places(self) -> bool:
        """Whether its values are places, written with commas inside."""
        return self.name in ("address", "residence")


_ADVERB = r"(?:currently |now |still |just |recently |already |also |both |mainly |\w+ly )?"
_HOME = r"flat|apartment|house|home|city|town|village|country|place|neighbou?rhood|studio|suburbs?|countryside|coast|district|area|dorm|condo"
# Whoever moves from one of these to another has not moved house.
_TOOLS = (
    "VS Code|Visual Studio|Vim|Neovim|Emacs|Rust|Go(?:lang)?|Python|Java(?:Script)?|TypeScript|Ruby|PHP|Kotlin|Swift|Scala|C\\+\\+|C#|Redis|DuckDB|Terraform|Figma|"
    "Postgres\\w*|MySQL|SQLite|MongoDB|Kafka|Kubernetes|Docker|AWS|GCP|Azure|Linux|Windows|Mac\\w*|Android|iPhone|iOS|GitHub|GitLab|Slack|Notion|Obsidian|Linear|Jira|React|"
    "Vue|Svelte|Next\\.js|Node\\w*|Django|Flask|FastAPI|Spark|Snowflake|Teams|Zoom|Chrome|Firefox|Excel|Sheets|Google (?:Docs|Sheets|Drive)|OpenAI|Claude|ChatGPT|GPT\\S*|"
    "Sales|Marketing|Engineering|Finance|HR|Legal|Operations|Product|Staff|Senior|Lead|Head|Team|Plan|Phase|Version|Python\\S*"
)
_DAYS = f"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|{_MONTHS}"
_TO_PLACE = (
    rf"(?:(?:back |away |out |over |together |permanently |house |home |abroad )?(?:from|to|into|back to|in with) (?:(?:a|an|the|her|his|their|my) (?:[\w-]+ ){{0,2}}(?:{_HOME})\b"
    rf"|(?!(?:{_TOOLS}|{_DAYS})\b)(?-i:[A-Z])))"
)

# The order decides where one name holds another: "e-mail address" is no address.
KINDS = (
    Kind(
        "e-mail",
        r"e-?mail(?: address(?:es)?)?s?|mail address|电子邮[件箱](?:地址)?|邮箱(?:地址)?|邮件地址",
        _pattern(_MAIL),
        alone=_pattern(_MAIL),
    ),
    Kind(
        "telephone",
        r"(?:tele|mobile |cell |smart|contact )?phone(?: ?numbers?| nos?\.?)?|telephone(?: ?numbers?)?|mobile(?: (?:numbers?|nos?\.?))?(?=\s*(?:[:：]|is\b|\+|\(?\d))|mobile numbers?|cell(?:phone)?(?: numbers?)?"
        r"|contact number|联系电话|电话号码|电话|手机号码|手机号|手机",
        lambda text: telephone(text, named=True),
        r"\breach(?:ed|able)\b|\b(?:call|text|ring|dial|contact)(?:ed)? (?:the user|user|her|him|me|them)\b|\bwhatsapp\b|拨打|联系",
        alone=lambda text: telephone(text, named=False),
    ),
    Kind("IP address", r"IP(?: address(?:es)?)?", _pattern(_IP)),
    Kind(
        "residence",
        r"where (?:she|he|they|i|the user|user) (?:lives?|resides?|is living)|(?:place|city|town|country) of residence|residence|home ?town|where (?:she|he|they|i)(?:'s| is| are| am) based|住在(?:哪里|哪儿|哪)|居住地|家在哪",
        None,
        r"\b(?:lives?|living|lived|resid(?:es?|ing|ed)|dwells?)(?= (?:\w+ )?(?:in|at|on|near|with|alone|there|between|outside)\b)(?! in (?:fear|peace|harmony|hope|the moment)\b)|\bbased (?=in\b)"
        rf"|\b(?:moved|moving|moves|move|relocated|relocating)(?= {_TO_PLACE})|\b(?:home )?address\b(?! (?:to|the|these|this|an?|her|his|issues?|concerns?)\b)|\bhome is\b|住|居住|搬到|定居|住址|地址",
        predicated=True,
    ),
    Kind(
        "address",
        r"(?:home |postal |street |mailing |private )?(?<!to )address(?:es)?|住址|家庭住址|地址",
        _pattern(re.compile(r"\d|" + _STREET)),
        rf"(?:\b(?:live|resid|stay|move)\w*|\b(?:home|house|flat|apartment)\b)(?= .*?(?:{_STREET}))|住在?(?=.*[路街号])|^\s*(?={_STREET})",
        other=r"\s+(?:the|these|this|those|an?|her|his|their|issues?|concerns?|bars?|books?|spaces?|validation|fields?|forms?|space|all|any|how)\b",
    ),
    Kind(
        "birthday",
        r"birth ?days?|date of birth|birth ?date|dob|when (?:she|he|they|i) (?:was|were) born|生日|出生日期|出生年月",
        _pattern(_DATE),
        r"\bborn\b|出生于?|生于",
        other=r"\s+(?:party|parties|present|gift|cake|card|dinner|celebration|trip|wish|song)s?\b",
    ),
    Kind(
        "age",
        r"age|how old (?:she|he|they|i) (?:is|are|am)|年龄|年纪|多大",
        _pattern(_AGE),
        r"years? old|\baged?\b(?= \d)|\bturn(?:s|ed|ing) (?=\d)|岁",
        predicated=True,
        other=r"\s+(?:groups?|range|limit|of \d)\b",
    ),
    Kind(
        "work",
        r"(?-i:[Jj]ob)|(?:(?<=her )|(?<=his )|(?<=their )|(?<=my )|(?<='s )|(?<=two )|(?<=both )|^)jobs|employers?|(?<!un)employment|occupation|profession|where (?:she|he|they|i) works?|what (?:she|he|they|i) (?:does|do) for a living|工作(?:单位)?|职业|公司|单位|雇主",
        None,
        rf"\b(?:works|worked|working|employed)(?: {_ADVERB}(?:at|for|as|by|in)\b)|(?<=to )\bwork (?:at|for|as)\b"
        r"|\bis (?:an?|the) [\w -]*(?:engineer|nurse|teacher|doctor|manager|designer|developer|lawyer|analyst|consultant|chef|accountant|scientist|writer|artist)\b|\bhired\b|\bpromoted\b|就职|任职|上班|担任|在.{1,15}工作",
        other=r"\s+(?:offers?|interviews?|training|markets?|fairs?|search(?:es)?|hunt(?:ing)?|applications?|boards?|ads?|queues?|scheduler|runners?|postings?|listings?|(?:that )?(?:she|he|they|i) (?:want|wish|appl|hop|dream)\w*)\b",
    ),
    Kind(
        "pay",
        r"salar(?:y|ies)|income|wages?|earnings|paycheck|(?<=her )pay|(?<=his )pay|(?<=their )pay|(?<=my )pay|(?<='s )pay|^pay|工资|薪水|薪资|收入|月薪|年薪",
        lambda text: _pattern(_MONEY)(text) or _pattern(_AMOUNT)(text),
        r"\bearn(?:s|ed|ing)?\b|\bmak(?:es|ing|e)\b(?= (?:[\w]+ ){0,3}?(?:[$€£¥]\s?)?\d)|\bpaid (?=[$€£¥]?\d)|赚|挣",
    ),
    Kind(
        "name",
        r"(?:(?<='s )|(?<=her )|(?<=his )|(?<=their )|(?<=my )|(?<=the )|(?<=, )|(?<=: )|^)(?:full |first |last |family |real |given |middle |legal |maiden )?(?:sur|nick)?names?|姓名|名字|全名|昵称",
        _pattern(re.compile(r"\b(?:is|was|are)\b|[:：是为叫]")),
        r"\b(?:is|was) (?:called|named) (?=(?-i:[A-Z]))|名叫|叫做",
        predicated=True,
    ),
    Kind(
        "password",
        r"pass(?:word|code|phrase)s?|pin(?: code)?|密码|口令",
        _pattern(re.compile(r"\b(?:is|was)\b|[:：=是为]")),
        other=r"[\s-]+(?:managers?|reset|policy|policies|rules?|hash(?:es|ing)?|fields?|length|protection|protected|requirements?)\b",
    ),
    Kind(
        "account",
        r"iban|bank (?:account|details)(?: numbers?)?|account numbers?|credit card(?: numbers?)?|card numbers?|debit card(?: numbers?)?|银行账[号户]|银行卡号?|卡号|账号",
        _account,
        r"\biban\b|\bcard\b|\baccount\b",
    ),
    Kind(
        "identity number",
        r"passport(?: numbers?)?|social security(?: numbers?)?|ssn|id(?: card)? numbers?|identity (?:card|number)|driver'?s licen[cs]e(?: numbers?)?|tax (?:id|number)|身份证号?码?|护照号?码?|驾照号?码?",
        _number(5),
    ),
)


@cache
def said(kind: Kind) -> re.Pattern[str]:
    """How an attribute is called."""
    return re.compile(rf"(?<![A-Za-z])(?:{kind.said})(?![A-Za-z])", re.IGNORECASE)


@cache
def _told(kind: Kind) -> re.Pattern[str] | None:
    return re.compile(kind.tells, re.IGNORECASE) if kind.tells else None


@cache
def _other(kind: Kind) -> re.Pattern[str] | None:
    return re.compile(kind.other, re.IGNORECASE) if kind.other else None


def find_kind(body: str) -> tuple[Kind, int, int] | None:
    """The attribute that a request names, and where; the longest name wins."""
    best: tuple[Kind, int, int] | None = None
    for kind in KINDS:
        for match in said(kind).finditer(body):
            if best is None or match.end() - match.start() > best[2] - best[1]:
                best = (kind, match.start(), match.end())
    return best


def may_tell(kind: Kind, text: str) -> bool:
    """A quick look at a whole text: False only where no piece of it can tell this."""
    told = _told(kind)
    return bool(
        said(kind).search(text)
        or (told is not None and told.search(text))
        or (kind.alone is not None and kind.alone(text) is not None)
    )


@dataclass(frozen=True, slots=True)
class Telling:
    """How a piece tells an attribute.

    Attributes:
        score: 0 to 1.
        why: for people.
        start: where in the piece the name, the verb or the value stands.
        by: what was found: ``name``, ``verb``, ``value``, or ``""``.
    """

    score: float
    why: str
    start: int = 0
    by: str = ""


_NOTHING = Telling(0.0, "")


def telling(kind: Kind, piece: str) -> Telling:
    """How well a piece of text tells an attribute, whoever's it is."""
    text = _without_other_kinds(kind, piece)
    value = kind.value(text) if kind.value else None
    there = kind.value is None or value is not None
    weak = _NOTHING
    other = _other(kind)
    for match in said(kind).finditer(text):
        name = match.group().strip()
        if other is not None and other.match(text, match.end()):
            weak = Telling(0.5, f"{kind.name}: “{name}” stands in another word", match.start())
        elif there and not (kind.predicated and not _predicated(kind, text, match.start(), match.end())):
            return Telling(1.0, f"{kind.name}: “{name}”", match.start(), "name")
        elif not there and kind.name in ("address", "password") and _PREDICATE.match(text, match.end()):
            return Telling(0.8, f"{kind.name}: “{name}”", match.start(), "name")
        else:
            weak = Telling(0.5, f"{kind.name} is spoken of, without a value", match.start())
    told = _told(kind)
    verb = told.search(text) if told is not None else None
    if verb is not None and there:
        return Telling(0.9, f"{kind.name}: “{verb.group().strip() or kind.name}”", verb.start(), "verb")
    alone = kind.alone(text) if kind.alone is not None else None
    if alone is not None:
        return Telling(0.85, f"{kind.name}: “{alone}”", text.find(alone), "value")
    return weak


def _predicated(kind: Kind, text: str, start: int, end: int) -> bool:
    if kind.name == "age" and re.search(
        r"\b(?:since|from|at|by|until|the|of|under|over) (?:the )?$", text[:start], re.IGNORECASE
    ):
        return False
    rest = text[end:]
    alone = (
        not rest.strip(" .,;!") and len(text[:start].split()) < 3 and not re.search(r"\b(?:in|from|near|at|to) ", text[:start])
    )
    return bool(_PREDICATE.match(rest)) or alone or re.search(f"[{CJK}]", text[start:end]) is not None


def _without_other_kinds(kind: Kind, piece: str) -> str:
    """The piece with the names of other attributes that hold this one's blanked: an e-mail address is no address."""
    out = piece
    for other in KINDS:
        if other is kind or other.name not in ("e-mail", "IP address"):
            continue
        out = said(other).sub(lambda match: " " * len(match.group()), out)
        out = (_MAIL if other.name == "e-mail" else _IP).sub(lambda match: " " * len(match.group()), out)
    return out


# -- whose it is -----------------------------------------------------------------------------------------------------------

_PRONOUNS = frozenset(words("user she he they i her his their my our we you"))
_NEUTRAL = frozenset(
    words(
        """
        number numbers contact details detail info information line place home new current old work private personal main
        other primary second business office emergency user's handle data profile value
        """
    )
)
_AUXILIARY = frozenset(
    words(
        """
        is was are were am has had have having been being be will would can could may might must should to and also then still now
        currently recently just already always never not no longer once often usually since until originally who wants wanted plans
        planned hopes used got getting gets started starts starting began begins going about both best easily only
        ever temporarily finally formerly previously
        """
    )
)
_CALLING = re.compile(
    r"\b(?:call(?:s|ed|ing)?|phon(?:es|ed|ing)|ring(?:s|ing)?|rang|text(?:s|ed|ing)?|e-?mail(?:s|ed|ing)|wr(?:ote|ites?|iting|itten)|sen(?:t|ds?|ding)|forward(?:s|ed|ing)?|"
    r"contact(?:s|ed|ing)|report(?:s|ed|ing)?|dial(?:s|led|ed)?|repl(?:y|ies|ied)|complain(?:s|ed)?|appl(?:y|ies|ied)|subscri\w+|messag(?:es|ed|ing)|fax(?:es|ed)?|"
    r"got|received?|receives|from)\b(?! (?:the user|user|her|him|me|them)\b)",
    re.IGNORECASE,
)
_OWNER = re.compile(r"([\w-]+)(?:['’]s|(?<=s)['’])(?=\s)")


def is_told_as_value(kind: Kind, rest: str) -> bool:
    """Whether what stands before is called the attribute's value: `` is the password``, `` is her new phone number``."""
    return (
        re.match(
            r"\s*(?:is|was)\s+(?:now |still |currently )?(?:the|her|his|their|my|our|(?:the )?user['’]s)\s+"
            rf"(?:(?!(?:of|for|to|in|with|on|at|from|who|that|and)\b)[\w-]+ ){{0,2}}?(?:{kind.said})"
            r"(?=\s*(?:[.,;!?()]|$|\b(?:for|of|to|at|on|in|now|and|since)\b))",
            rest,
            re.IGNORECASE,
        )
        is not None
    )


def not_of(kind: Kind, found: Telling, piece: str, context: str, selves: Iterable[str]) -> str | None:
    """Why what a piece tells is not of the person who is asked for, as far as the grammar tells; else None.

    Args:
        found: what ``telling`` says of the piece.
        context: what stands before it: whom a pronoun means, the subject that it shares.
        selves: folded words for the person: a name's, or what else means the user.
    """
    if not found.by:
        return None
    own = {*_PRONOUNS, *selves}
    if re.search(f"[{CJK}]", piece):
        return _not_of_chinese(piece)
    before, rest = piece[: found.start], piece[found.start :]
    for owner in _OWNER.finditer(before if found.by == "name" else ""):
        word = owner[1].casefold()
        if word not in own and word not in ("today", "it", "that", "what", "who", "here", "there", "let", "one"):
            return f"of somebody or something else ({owner[1]})"
    if found.by == "name":
        named = said(kind).match(rest)
        if named is not None and kind.name not in ("work", "password", "account", "residence"):
            of = re.match(
                r"\s+(?:of|for)\s+(?:the|an?|his|her|their|user's|my|this|that)\s+([\w-]+)", rest[named.end() :], re.IGNORECASE
            )
            if of is not None and of[1].casefold() not in own:
                return f"of somebody or something else ({of[1]})"
        if re.search(
            r"\b(?:people|those|others|everyone|users|customers|men|women|students|someone|somebody)\b", before, re.IGNORECASE
        ):
            return "of other people"
    subject = _subject(piece, context)
    if subject is not None and not _is_own(kind, subject, own):
        return f"of something else ({subject})"
    if found.by == "value" and _CALLING.search(before):
        return "it may be of whoever is called or written to"
    if found.by == "verb" and kind.name in ("residence", "birthday", "age", "work", "name"):
        return _not_near(before or context, own)
    return None


def _not_of_chinese(piece: str) -> str | None:
    found = re.match(r"\s*(?:用户|我|她|他|本人)的([\u4e00-\u9fff]{1,6}?)(?:住|出生|生于|在|叫|今年|\d+岁|工作)", piece)
    if found and not any(
        found[1].startswith(word)
        for word in ("家", "生日", "年龄", "名字", "姓名", "全名", "地址", "住址", "工作", "职业", "公司")
    ):
        return f"of somebody or something else ({found[1]})"
    return None


def _subject(piece: str, context: str) -> str | None:
    """The words before the verb of a piece, or of what it continues; None where there is none."""
    opening = re.compile(r"^[\s\-•*]*(?:(?:and|but|so|also|then|that)\s+)?")
    piece, context = opening.sub("", piece), opening.sub("", context)
    end = subject_end(piece)
    if end is not None and piece[:end].strip(" ,"):
        return piece[:end].strip(" ,")
    before = subject_end(context)
    if before is None:  # a subject that is shared; a label is none
        return context.strip(" ,") if end is not None and context and not re.search(r"[:：.]", context) else None
    return context[:before].strip(" ,") or None


def _is_own(kind: Kind, subject: str, own: set[str]) -> bool:
    """Whether a subject is the person, or the attribute itself; a bare word (a label) may be either."""
    low = subject.casefold().replace("’", "'")
    low = re.sub(r"\([^)]*\)", "", low).split(", ")[-1].strip()
    plain = [word.strip(',.;:"“”') for word in low.split()]
    if not plain:
        return True
    last = plain[-1].removesuffix("'s")
    if last in own or last in _NEUTRAL or said(kind).search(plain[-1]) or said(kind).search(low):
        return True
    owned = any(
        word.endswith(("'s", "s'")) or word in ("the", "a", "an", "this", "that", "his", "her", "their", "my", "its")
        for word in plain[:-1]
    )
    return not owned


def _not_near(before: str, own: set[str]) -> str | None:
    """Why the subject of a verb is not the person: somebody or something else stands nearer to it."""
    low = before.casefold().replace("’", "'")
    plain = [word.strip(',.;:"“”()-•*') for word in low.split()]
    plain = [word for word in plain if word]
    at = next((place for place in range(len(plain) - 1, -1, -1) if plain[place] in own), None)
    between = plain if at is None else plain[at + 1 :]
    for word in between:
        if (
            word in _AUXILIARY
            or word.endswith("ly")
            or word.isdigit()
            or word in ("in", "on", "at", "after", "before", "from", "years", "year")
        ):
            continue
        if word.endswith(("ed", "ing")) and word.isalpha():
            continue
        return (
            f"of something else ({word})"
            if at is not None and word.isalpha() and word not in ("a", "an", "the")
            else "it is not told who is meant"
        )
    return None


__all__ = ["KINDS", "Kind", "Telling", "find_kind", "may_tell", "not_of", "said", "telephone", "telling", "without_look_alikes"]
