"""One writing for sentences that say the same in other words, so that the second of them can be left out.

Only what always means the same is written alike: a time told in front and at the end, ``does not drink`` and ``never drinks``, ``owns``
and ``has``, ``has a peanut allergy`` and ``is allergic to peanuts``, 老公 and 丈夫. What is then equal is compared by ``facts.guard`` as
before. Pure; by hand, for English and Chinese. A text in another language, with quotes, brackets or code comes back as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

LONGEST = 240
"""A text of more characters is no single fact."""

_ODD = re.compile(r"[\"“”‘`<>{}\[\]()（）「」『』?？;；:：\n]|https?:|(?<!\w)'|'(?!\w)")
_HABITS = "drink|eat|smoke|use|watch|play|read|cook|drive|wear|take|gamble|vape|fly|work|eat|chew|attend|visit"
_PEOPLE = (
    "mother|father|sister|brother|wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|child|baby|cousin|uncle|aunt|niece|nephew|"
    "grandmother|grandfather|grandson|granddaughter|friend|colleague|boss|manager|teacher|doctor|dentist|therapist|neighbou?r|roommate|flatmate|"
    "dog|cat|puppy|kitten|rabbit|parrot|hamster|horse|pet|turtle|bird"
)
RELATION = rf"(?:(?:best|older|younger|elder|big|little|twin|eldest|youngest|late|ex-)[ ]?)*(?:{_PEOPLE})(?:-in-law)?"
"""A word for somebody who belongs to somebody, with what may stand before it."""
_TIMES = {"once": "1", "twice": "2", "thrice": "3", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_UNIT = r"(?:mg|mcg|µg|μg|g|ml|iu|units?|tablets?|pills?|drops?|puffs?)"
_SPAN = "day|week|month|year"
_DAILY = {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly"}
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_OFTEN = (
    rf"(?:every|each) (?:single |other )?(?:{_SPAN}|morning|evening|night|afternoon|weekend|spring|summer|autumn|fall|winter|{_DAYS})"
    rf"|(?:daily|weekly|monthly|yearly)|\d+x (?:daily|weekly|monthly|yearly)|on (?:{_DAYS}|weekend)s|in the (?:morning|evening|afternoon)s?|at night"
)


@cache
def _english() -> tuple[tuple[re.Pattern[str], str], ...]:
    rules = (
        (r"\bthe user\b", "user"),
        (r"\b(\w+)n['’]t\b", r"\1 not"),
        (r"\b(?:ca not|can not|cannot)\b", "can not"),
        (r"\bwo not\b", "will not"),
        (r" ?\b(?:really|very much|so much|a lot|quite|currently|at the moment|right now|presently)\b", ""),
        (r"^user (?:has said|said|says|mentioned|mentions|stated|told (?:me|us|the assistant)) that (?=user )", ""),
        # how often
        (rf"\b(once|twice|thrice) (?:a|an|per|each|every) ({_SPAN})\b", r"\1/\2"),
        (r"\b(once|twice|thrice) (dai|week|month|year)ly\b", r"\1/\2ly"),
        (rf"\b(one|two|three|four|five|six|\d+) ?(?:times?|x|×) (?:a|an|per|each|every) ({_SPAN})\b", r"\1/\2"),
        (r"\b(one|two|three|four|five|six|\d+) ?(?:times?|x|×) (dai|week|month|year)ly\b", r"\1/\2ly"),
        (rf"\b(?:every|each) ({_SPAN})\b(?! (?:of|before|after|since|until))", r"1/\1"),
        (rf" (?:a|an|per) ({_SPAN})$", r" 1/\1"),
        (r"\beveryday\b", "1/day"),
        (r"\bon (?:every )?((?:mon|tues|wednes|thurs|fri|satur|sun)day)s\b", r"every \1"),
        (r"\beach (?=morning|evening|night|afternoon|weekend|spring|summer|autumn|fall|winter|\w+day\b)", "every "),
        # what is had
        (r"\b(?:owns|possesses|has got)\b", "has"),
        (r"\b(?:with the name(?: of)?|by the name of|called|whose name is|which is called|who is called)\b", "named"),
        (rf"^user's ({RELATION}) is (?:named )([^\s,]+(?: [^\s,]+)?)$", r"user has a \1 named \2"),
        (rf"^user's ({RELATION})'s name is ([^\s,]+(?: [^\s,]+)?)$", r"user has a \1 named \2"),
        (rf"^(user has) (?:an? )?({RELATION}) named (?=\S)", r"\1 a \2 named "),
        (r"\b(?:has an allergy to|suffers from an allergy to|reacts allergically to)\b", "is allergic to"),
        (r"\b(?:has|suffers from) an? ([a-z]+(?: [a-z]+)?) allergy$", r"is allergic to \1"),
        (r"^user is an? ([a-z]+) allergy sufferer$", r"user is allergic to \1"),
        (r"\bhas an? membership (?:at|in|of|with) (?:the )?", "is a member of "),
        (r"^(user) has an? (gym|club|library) membership$", r"\1 is a member of \2"),
        # habits
        (rf"\b(?:does not|do not) (?:ever |any more )?({_HABITS})(?: any(?! ?more))?\b", r"never \1s"),
        (r"\b(eats|drinks|smokes|uses|takes|wears) no\b", r"never \1"),
        (r"\b(?:does|do) not have (?:any |an? )?(?=[a-z])", "has no "),
        (r"\bnever watchs\b", "never watches"),
        (r"\b(?:has (?:completely )?(?:quit|stopped|given up)|quit|gave up|has ceased|ceased) (?=\w+ing\b)", "stopped "),
        (r"\b(?:severely|badly|highly|extremely|strongly|very) (?=allergic)", ""),
        # where and what
        (r"\b(?:resides|is living|is residing|is based) in\b", "lives in"),
        (r"\b(?:is employed (?:by|at)|works for|is working (?:for|at))\b", "works at"),
        (r"\b(?:works|is working|is employed) as (?=an? )", "is "),
        (r"\bcan speak\b", "speaks"),
        (r"\bspeaks (?:fluent|native|perfect|excellent|good) (?=[A-Z])", "speaks "),
        (r"\b(speaks [A-Z]\w+) (?:fluently|well)$", r"\1"),
        (r"\b(?:comes|hails|is originally) from\b", "is from"),
        (r"\bis (?:a (?:big |huge |great )?fan of|fond of|into|keen on)\b|\b(?:loves|enjoys|adores)\b", "likes"),
        (r"\b(?:hates|detests|loathes|despises|can not stand|does not like|does not enjoy)\b", "dislikes"),
        (r"\b(?:is planning to|intends to|has plans to)\b", "plans to"),
        (r"\b(?:would like to|wishes to)\b", "wants to"),
        (r"^user was born on\b", "user's birthday is"),
        (r"^(user's birthday is) on\b", r"\1"),
        (r"^(.+) is (user's favou?rite [a-z]+)$", r"\2 is \1"),
        (r"\b(\d+) years old\b|\baged (\d+)\b", r"\1\2"),
        (r"\bprefers (\w+) to (\w+)$", r"prefers \1 over \2"),
        # persons and things
        (r"\b(?:kids|kiddos)\b", "children"),
        (r"\b(?:mom|mum|mommy|mummy)\b", "mother"),
        (r"\b(?:dad|daddy)\b", "father"),
        (r"\b(?:physician|medical doctor)\b", "doctor"),
        (r"\bapartment\b", "flat"),
        (r"\bautomobile\b", "car"),
        (r"\bbicycle\b", "bike"),
        (r"\b(?:tv|telly)\b", "television"),
        (rf"\b(takes|took) ([a-z]+(?: [a-z]+)?) (\d[\d.,]*) ?({_UNIT})\b", r"\1 \3 \4 \2"),
        (rf"\b(\d[\d.,]*) ?({_UNIT}) of\b", r"\1 \2"),
    )
    return tuple((re.compile(pattern, re.IGNORECASE), by) for pattern, by in rules)


_DIGITS = {
    word: str(at)
    for at, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
    if at > 1
}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_DIGITS)})(?= [a-z])", re.IGNORECASE)
_UNITS = {
    "litre": "liter", "litres": "liter", "liters": "liter", "kilometre": "km", "kilometres": "km", "kilometer": "km", "kilometers": "km",
    "kilo": "kg", "kilos": "kg", "kilogram": "kg", "kilograms": "kg", "metre": "m", "metres": "m", "meter": "m", "meters": "m",
    "milligram": "mg", "milligrams": "mg", "mins": "minutes", "hrs": "hours", "euros": "€", "euro": "€", "eur": "€",
}  # fmt: skip
_UNIT_WORD = re.compile(rf"(?<=\d) ({'|'.join(_UNITS)})\b", re.IGNORECASE)
_PER = re.compile(rf"\b(\w+)/({_SPAN}|daily|weekly|monthly|yearly)\b")
_FRONT = re.compile(
    rf"^((?:{_OFTEN})|(?:in|since|until) (?:(?:january|february|march|april|may|june|july|august|september|october|november|december) )?\d{{4}}),? (user(?:'s)? .+)$",
    re.IGNORECASE,
)
_INSIDE = re.compile(rf" ((?:{_OFTEN}))(?= |$)", re.IGNORECASE)


def _english_one(text: str) -> str:
    told = " ".join(text.replace("’", "'").split()).rstrip(".!")
    for pattern, by in _english():
        told = pattern.sub(by, told)
    told = _NUMBER_WORD.sub(lambda found: _DIGITS[found[0].casefold()], _PER.sub(_rate, told))
    told = " ".join(_UNIT_WORD.sub(lambda found: f" {_UNITS[found[1].casefold()]}", told).split())
    front = _FRONT.match(told)
    if front is not None:
        told = f"{front[2]} {front[1]}"
    often = _INSIDE.findall(told)
    if len(often) == 1 and not re.search(r" (?:and|or|but) ", told):
        # told behind all else, wherever it stood
        told = f"{_INSIDE.sub('', told)} {often[0]}"
    return told


def _rate(found: re.Match[str]) -> str:
    count = _TIMES.get(found[1].lower(), found[1])
    rate = _DAILY.get(found[2].lower(), found[2])
    return rate if count == "1" else f"{count}x {rate}"


_CHINESE = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"^(?:用户)?(每(?:天|日|周|月|年|晚|个月)?(?:早上|晚上|早晨|早|晚)?)用户", r"用户\1"),
        (r"(?:从来不|从不|从来没有|绝不)(?=[喝吃抽吸用看玩碰穿])", "不"),
        (r"(?:讨厌|不爱|不太喜欢|很讨厌|非常讨厌|最讨厌)(?=\S)", "不喜欢"),
        (r"(?:非常喜欢|特别喜欢|很喜欢|喜爱|热爱|最喜欢|爱(?=[吃喝看听玩]))", "喜欢"),
        (r"喜欢[吃喝](?=\S)", "喜欢"),
        (r"(?:饲养了|养着|养了|养有|拥有)", "有"),
        (r"有(一?[只条匹头个名位]|一)(?:名叫|名字叫|叫做?|名为)([^的，]{1,6})的([\u4e00-\u9fff]{1,4})$", r"有\1\3，叫\2"),
        (r"[，,](?:名字叫|名字是|名叫|名为|取名叫?|叫做|它叫|叫)", "，叫"),
        (r"(?:的)?(?:名字|姓名)(?:叫做?|是)|名叫", "叫"),
        (r"^(用户(?:的[\u4e00-\u9fff]{1,4})?)对([^，]{1,12})过敏$", r"\1\2过敏"),
        (r"老公|先生(?=[在是叫])", "丈夫"),
        (r"老婆|太太|媳妇", "妻子"),
        (r"母亲|妈(?!妈)(?<!妈妈)", "妈妈"),
        (r"父亲|爸(?!爸)(?<!爸爸)", "爸爸"),
        (r"小孩|孩子们", "孩子"),
        (r"上班|任职|供职", "工作"),
        (r"(?<=在)(.{1,12})(?:担任|当|做)(?=[\u4e00-\u9fff]*(?:师|员|工|经理|总监|医生|护士|律师|教授))", r"\1做"),
        (r"(?:居住在|定居在|定居于|居住于|现居|住在)", "住"),
        (r"(?:是(?:一[名位个])?)?(?:纯素食者|纯素食主义者|纯素者)|吃纯素", "是纯素"),
        (r"(?:是(?:一[名位个])?)?(?:素食主义者|素食者)|吃素(?!食)", "是素"),
        (r"简短|简洁|简明|精简", "简短"),
        (r"偏好|偏爱", "喜欢"),
        (r"使用|运用", "用"),
        (r"(?:能说|会讲|能讲|可以说|讲(?=[英日法德中韩]语))", "会说"),
        (r"每日|天天|每一天", "每天"),
        (r"^用户的?([\u4e00-\u9fff]{2,4}?)(?:是|为)?(每[天日月年周])(?:是|为)?(?=\d)", r"用户\2\1"),
        (r"服用|吃(?=\d)", "服"),
        (r"^用户(?:是)?一[名位个]", "用户是"),
        (r"现在|目前|当前", ""),
    )
)  # fmt: skip


def _chinese_one(text: str) -> str:
    told = "".join(text.split()).rstrip("。.!！") if not re.search(r"[A-Za-z] [A-Za-z]", text) else text.strip().rstrip("。.!！")
    told = re.sub(r"^我(?!们|国)", "用户", told)
    for pattern, by in _CHINESE:
        told = pattern.sub(by, told)
    return told


_NAMES_BEHIND = re.compile(r"(?<=[a-z])(?: \(|: |, )([A-Z][a-z]+(?:, [A-Z][a-z]+)*(?: and [A-Z][a-z]+)?)\)?$")
"""Two cats (Mimi and Tom)."""


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """The sentence in the one writing of all that say the same; good for comparing, not for reading."""
    if len(text) > LONGEST or not text.isprintable():
        return text
    named = _NAMES_BEHIND.sub(r" named \1", text.rstrip(".")) if text.isascii() else text
    if _ODD.search(named):
        return text
    text = named
    head = text.lstrip()[:6]
    if re.match(r"用户|我|每|[\u4e00-\u9fff]{2}", head) and not re.search(r"[\u3040-\u30ff]", text):
        return _chinese_one(text)
    return _english_one(text) if text.isascii() or re.match(r"(?:the )?user\b", head + text[6:12], re.IGNORECASE) else text


_STRONG = re.compile(
    r"\b(?:loves?|hates?|adores?|detests?|despises?|loathes?|never|severely|a lot|really|very much|fluent(?:ly)?|native)\b|非常|特别|讨厌|热爱|从不|从来|最"
)


def strength(text: str) -> int:
    """How much the sentence says where another says the same: of ``likes tea`` and ``loves tea`` the second stays."""
    return len(_STRONG.findall(text))


# ------------------------------------------------------------------------------------------------------ a fuller sentence

_OPINION = re.compile(
    r"\b(?:likes?|dislikes?|prefers?|hates?|wants?|needs?|trusts?|fears?|avoids?|allergic|intolerant|afraid|interested|favou?rite|can|could|may|might|"
    r"must|should|would|will|never|not|no|without|if|bad|good|supports?|believes?|thinks?|hopes?|refuses?|rarely|seldom|hardly|used|only|"
    r"from home|remote(?:ly)?|worried|angry|happy|tired|stopped|quit)\b"
)
"""What is said of a thing that is told more closely behind it: who likes tea with milk need not like tea."""
_MORE = re.compile(
    r", | (?:as an? |in |at |on |near |with |for |since |from |named |who |which |and |every |daily|weekly|monthly|\d+x (?:daily|weekly|monthly)|called )"
)
_STATE = re.compile(r" (?:is|are|was|were|feels|seems|looks) (?!an? |the |\w+ing\b|married\b|from\b|named\b|allergic\b)")
"""Who is free on Mondays is not free."""
_LESS = re.compile(
    r"\b(?:not|never|no longer|only|if|until|unless|before|after|but|except|former|formerly|was|were|used to|instead|anymore|any more|"
    r"though|although|wants?|plans?|hopes?|in case|for now|temporarily|past|game|dream|theory|mind|name|training|the making|heart|paper|disguise|summer|winter|spring|autumn|season|weekends?|weekdays?|holidays?|at home|at work|in public|in private|vacation)\b"
)


_ZH_LESS = re.compile(r"但|不过|如果|除非|以前|曾|只|仅|假如|要是|除|不|没|别|不再|之前|计划|打算|想|可能|就")


def heads(told: str) -> Sequence[str]:
    """The beginnings of a sentence (as ``plain`` writes it) that say less and are true with it; none for opinions and conditions."""
    told = told.casefold()
    if len(told) > LONGEST:
        return []
    if told.startswith("用户"):
        found = [told[: match.start()] for match in re.finditer("[，,]", told) if not _ZH_LESS.search(told[match.start() :])]
        post = re.match(r"(用户在[^，的]{1,12}?)做(?=[^，]{2,10}$)", told)
        return [head for head in (*found, f"{post[1]}工作" if post else "") if len(head) >= 5]
    if not told.startswith(("user ", "user's ")):
        return []
    found = []
    for match in _MORE.finditer(told):
        head, tail = told[: match.start()], told[match.start() :]
        closely = tail.startswith(",")
        if len(head.split()) < 3 or _LESS.search(tail) or re.search(r",| and | or ", head):
            continue
        if _STATE.search(head) and not tail.startswith(" since "):
            continue
        if re.search(r"\d", head) and not re.match(
            r" (?:as|named|called|since|daily|every (?:morning|evening|night)|\d+x daily)\b", tail
        ):
            continue  # who sleeps 9 hours on Sundays does not sleep 9 hours
        if not _OPINION.search(head if closely else told) or (closely and re.search(r" is allergic to \S+( \S+)?$", head)):
            found.append(head)
    return found
