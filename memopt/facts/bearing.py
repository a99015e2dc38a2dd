"""Under which circumstances a statement holds, and of what kind its value is. Pure.

Two values are rivals only where they are values of the same thing under the same circumstances. "Lives in a shared flat" tells the
kind of home, not the town; "works at night" tells when, not for whom; "lives in Spain in summer" leaves the winter alone; "works at
IKEA as well" adds. ``circumstances`` gives a key: statements with different keys never replace each other. ``is_open`` finds what a
condition, a plan, a dream or a book says. ``regarded`` gives a value its right attribute.

Where the words are not known, the answer is that which replaces nothing: a stale memory that stays costs less than a true one lost.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

BESIDE = "beside"
"""The key of what is told as an addition: it neither replaces nor is replaced."""
UNSURE = "unsure"
"""The key of what may be a value of another thing: it is listed for a review at most."""
_LATER = "later"

_SEASONS = "spring|summer|autumn|fall|winter|monsoon|rainy season|dry season|low season|high season|off[- ]season"
_PARTS = "morning|forenoon|afternoon|evening|night|daytime|night-?time"
_DAYS = "Mon(?:day)?|Tue(?:s|sday)?|Wed(?:nesday)?|Thu(?:rs|rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?"
_FEASTS = "Christmas|Easter|Ramadan|Lent|Diwali|Passover|Hanukkah|Thanksgiving|New Year"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_CIRCLE = (
    r"(?:close |old |school |work )?(?:friends|mates|family|colleagues|co-?workers|teammates|relatives|neighbou?rs|parents|siblings|grandparents|"
    r"grandmother|grandfather|mother|father|mum|mom|dad|wife|husband|partner|sister|brother|children|kids|students|pupils|teachers|customers|clients|"
    r"patients|fans|everyone|everybody|people|strangers|most people|some|others)"
)
_OF = r"(?:(?:the|her|his|their|my|its|a|an|some|most|all) )?"

# Where a phrase of these stands beside a value, the value holds then, there or for those only.
_SCOPES: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?:in|during|over|throughout|through|each|every|for) (?:the )?(?:early |late |whole |entire |summer |winter )?(?:{_SEASONS})(?:s|time)?\b(?: months?\b| holidays?\b| vacation\b| break\b)?",
        rf"\b(?:in|during|each|every|for|throughout) (?:the )?(?:early |late |week(?:day|end) )?(?:{_PARTS})s?\b",
        r"\b(?:at|by|before|after|around|over) (?:night|day|dawn|dusk|noon|midday|midnight|lunch ?time|lunch|breakfast|dinner|bedtime|sunset|sunrise|work|school|class)\b",
        rf"\b(?:on|each|every|until|till)(?: (?:other|second|first|last|most|some))* (?:{_DAYS})s?\b(?: (?:{_PARTS})s?\b)?",
        rf"\bfrom (?:{_DAYS}) (?:to|till|until|through) (?:{_DAYS})\b|\b(?:{_DAYS})(?:-| to | through )(?:{_DAYS})\b",
        r"\b(?:on|at|over|during|each|every|for)(?: (?:the|other|most|some|second|long))* (?:week-?ends?|week-?days?|work(?:ing)? ?days|school days|holidays|days off|bank holidays|public holidays)\b",
        rf"\b(?:at|over|during|for|around) (?:the )?(?:{_FEASTS})\b",
        rf"\b(?:in|during|every|each) (?:{_MONTHS}) and (?:{_MONTHS})\b|\bfrom (?:{_MONTHS}) (?:to|till|until|through) (?:{_MONTHS})\b(?! \d{{4}})|\b(?:every|each|in|during) (?:{_MONTHS})\b(?!,? \d)",
        r"\bbetween (?:the )?\w+ and (?:the )?\w+",
        r"\bduring (?:the |her |his |their |my |a |an )?[\w' -]{2,30}",
        r"\b(?:half|part|most|some|much|the rest|a third|two thirds|three quarters)(?: of)? (?:the |each |every )?(?:year|week|time|month|day)\b",
        r"\b(?:one|two|three|four|five|six|several|\d+) (?:days|nights|weeks|months|mornings|evenings|afternoons|hours) (?:a|per|each|every|of the|out of)(?: \w+)?\b",
        r"\b(?:every|each) (?:other|second|third) (?:day|week|month|year)\b|\bon alternate \w+\b|\bfrom time to time\b|\bnow and then\b|\boff and on\b|\bon and off\b",
        r"\b(?:in|over) (?:the |her |his |their )?(?:holidays|vacations?|term(?:[- ]time)?|semester breaks?|school breaks?|lunch break|breaks|spare time|free time|daytime|meantime|interim)\b",
        r"\bthis (?:week|month|weekend|semester|term|season|summer|winter|spring|autumn|fall|morning|evening|afternoon)\b|\btonight\b",
        r"\b(?:as|in the role of) (?:a |an |the )?(?:guest|tourist|visitor|au pair|second|side|extra|additional|stopgap|stand-in|temp|substitute|reserve|exchange student)\b(?: \w+)?",
        r"\b(?:part|half)[- ]time\b",
        r"\bfreelance\b|\bas (?:a )?(?:freelancer?|contractor)\b|\bon call\b",
        rf"\b(?:at|on|in|for) {_OF}(?:work|school|home|uni(?:versity)?|church|the office|office|parties|the gym|meetings|interviews|court|stage|travels?|trips?|journeys|business|holiday|vacation|leave|paper|flights|short flights|long flights|long trips|public|private|company|secret|emergencies|emergency|special occasions|formal occasions|sports?|training|races?|competitions?)\b(?! (?:of|for|to)\b)",
        r"\b(?:when|while|whenever|wherever|except|unless|whilst|apart from|instead of|in case|outside|outside of|inside|depending on|according to)\b(?: [\w' -]{2,40})?",
        r"\b(?:officially|unofficially|legally|formally|nominally) (?:lives?|resides?|works?|based|registered)\b|\bin (?:theory|practice)\b",
        rf"\b(?:by|among|amongst|between|to) {_OF}{_CIRCLE}\b",
        r"\b(?:online|offline|in class|in writing|in person)\b",
    )
)
_TEMPORARY = re.compile(
    r"\btemporar(?:y|ily)\b|\bprovisionally\b|\bshort[- ]term\b|\bfor (?:now|the time being|the moment|a while|a bit|the present|the duration)\b|\buntil [\w ]{3,30}|"
    rf"\bfor (?:the |this |one |a |an |some |several |a few |a couple of |the next |another |two |three |four |five |six |\d+ )(?:{_SEASONS}|days?|nights?|week-?ends?|weeks?|months?|semesters?|terms?|years?|festival|season|project|holidays?|internship|course)\b"
)
"""Also limits what a word of change tells: who moved for the summer has not moved house."""
_LATER_EN = re.compile(
    rf"\b(?:from |as of |starting |beginning |by |in |for |until )?(?:next|the coming|the following|the upcoming) (?:week|month|year|{_SEASONS}|semester|term|quarter|weekend|season|{_DAYS}|{_MONTHS})\b"
    r"|\btomorrow\b|\bsoon\b(?! after)|\bshortly\b(?! after| before)|\bone day\b|\bsome ?day\b|\bin the (?:near )?future\b|\bfrom then on\b|\blater (?:this|on|in)\b|\bby then\b"
    r"|\bin (?:a|one|two|three|four|five|six|\d+|a few|several) (?:days?|weeks?|months?|years?)(?:' time)?\b|\b(?:eventually|hopefully|tentatively)\b|\b(?:starting|beginning|effective) (?:in|on|from|with|at)\b(?! \d{4})"
)
_BESIDE_EN = re.compile(
    r"\b(?:also|too|as well|likewise|additionally|besides|in addition|on top|alongside|simultaneously|at the same time|in parallel|moreover|furthermore"
    r"|on the side|as a second \w+|moonlights?"
    r"|both|alternately|alternates?|sometimes|occasionally|often|usually|partly|mostly|mainly|partially|voluntarily|as a volunteer|volunteers?|unpaid|pro bono|for free|as a hobby)\b"
)
_BESIDE_NOUN = re.compile(
    r"\b(?:side (?:job|gig|hustle|project|business)|second (?:job|home|flat|house|name|employer|residence|number|phone)|secondary|another|additional|extra|further|honorary"
    r"|holiday home|weekend home|summer (?:house|home))\b"
)
"""Adds only where it stands outside of the value: a secondary school is an employer like any other."""
_OPEN_EN = re.compile(
    r"(?:^|[,;:(–—] ?|\b(?:and|but|or|then) )(?:only )?(?:if|when|once|unless|as soon as|as long as|so long as|provided|providing|supposing|suppose|assuming|in case|should|were|whenever|until|till|"
    r"on condition|given that|whether|the (?:day|moment|minute) (?:that )?|by the time|lest)\b"
    r"|(?:^|[,;:(–—] ?)(?:in (?:the|a|an|her|his|their|my|one|some) (?:\w+ )?(?:dreams?|nightmare|games?|video games?|novels?|stor(?:y|ies)|books?|films?|movies?|play|series|show|scenario|plans?|draft|example|fantas(?:y|ies)|simulation|"
    r"alternate \w+|hypothetical \w+|worst case|best case|ideal world|theory|lie)|in theory|ideally|hypothetically|allegedly|supposedly|according to|ostensibly|rumou?r has it|on paper)\b"
)
_OPEN_AFTER_EN = re.compile(
    r"^[\s,(–—-]*(?:but |and )?(?:only |even )?(?:if|once|unless|as soon as|as long as|provided|providing|supposing|assuming|in case|on condition|in (?:her|his|their|my|the|a) (?:dreams?|games?|novel|stor(?:y|ies)|plans?|imagination|film|movie|book)|or so)\b"
)
_HYPOTHESIS = re.compile(
    r"\b(?:as soon as|as long as|provided (?:that|the|her|his|it)|providing|supposing|assuming|in case|on condition|allegedly|supposedly|hypothetically|pretends?|imagin\w+|fictional|once (?:the|her|his|their|she|he|they|it|a|an|user|this|that|all|everything)\b"
    r"|in (?:the|a|her|his|their|my) (?:\w+ )?(?:dreams?|plans?|drafts?|games?|novels?|scenario|imagination|ideal world))\b"
)
_OPEN_ZH = re.compile(
    r"^(?:等(?!级)|如果|要是|若是|若(?!干)|假如|假设|假使|倘若|倘|除非|只要|万一|一旦|当.+时|有朝一日|梦里|梦中|在?(?:.{0,4}(?:梦里|梦中|游戏里|游戏中|小说里|小说中|书里|电影里|剧里|故事里|计划中|计划里|方案里|设想中)))"
    r"|一旦|如果|要是|的话|倘若|假如|除非|万一|据说|听说|号称|理论上|名义上|梦里|梦中|游戏里|游戏中|计划中|计划里|小说里|(?<!签)签了.{0,6}就|以后(?:就|会|要)|之后(?:就|会|要)"
)
_LATER_ZH = re.compile(
    r"明年|后年|明天|后天|下个?月|下周|下星期|下学期|下半年|下季度|将来|未来|今后|即将|马上|快要|到时候?|很快(?:就|会|要)|不久(?:后|就|会)|将(?:会|要|于|在)"
)
_BESIDE_ZH = re.compile(
    r"(?<!住在)也(?!门)|还(?!是|没|未|款|贷|清)|同时|另外|此外|兼职|副业|兼任|业余|第二(?:份|个|套)|另一(?:份|个|套|处)|志愿|义务|有时|偶尔|经常|常常|主要|轮流"
)
_SCOPES_ZH = re.compile(
    r"春[天季]|夏[天季]|秋[天季]|冬[天季]|早上|上午|中午|下午|傍晚|晚上|夜里|夜间|夜晚|白天|周末|(?:周|星期|礼拜)[一二三四五六日天末]|工作日|平日|平时|假期|寒假|暑假|节假日|过年|春节|国庆"
    r"|期间|暂时|临时|短期|时候|半年|半个月|每(?:隔|逢).{1,6}|一半时间|被(?:朋友|同事|家人|家里人|大家|同学|父母|妈妈|爸爸|粉丝|网友)们?|在(?:公司|学校|单位|家里|网上|班里)(?=叫|被)|(?:朋友|同事|家人|同学|大家|家里人|网友|粉丝)们?(?:都)?(?:叫|称)"
    r"|出差|旅游|放假|上班时|上学时|开学|度假"
)
_FUTURE_DATE = re.compile(
    rf"\b(?:from|as of|starting|beginning|in|on|by|effective)(?: on| in| from)? (?:(?:early|mid|late)[- ])?(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? )?(?:(?P<month>{_MONTHS}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?(?: \d{{1,2}}(?:st|nd|rd|th)?)?,? )?(?P<year>(?:19|20|21)\d\d)(?:-(?P<number>\d\d)(?:-\d\d)?)?\b"
    r"|(?P<zhyear>(?:19|20|21)\d\d)年(?:(?P<zhmonth>\d{1,2})月)?(?:\d{1,2}[日号])?(?:起|开始|后|将|会|要)"
)
_CHANGED = re.compile(
    r"\b(?:moved|relocated|emigrated|migrated|settled|switched|changed|started|joined|became|become|turned|got|took|accepted|found|left|quit|resigned|retired|began|has been|was|were|renamed|raised|rose|went|gone|increased"
    r"|decreased|dropped|reached|passed|married|promoted)\b|搬|跳槽|入职|加入|换|改|升|转|离|涨|降|调整|达到"
)
_WHEN_NOUNS = frozenset(
    """deadline birthday birthdate date time day appointment meeting flight departure arrival exam wedding slot schedule alarm shift
    bedtime interview anniversary due launch release""".split()
)
_STATES = frozenset(
    ("residence", "address", "job role", "job employer", "diet", "marital status", "spouse", "partner", "fiance", "name")
)


_REACHED = frozenset(("email", "phone number", "mobile number", "address", "password", "website"))


def is_open(before: str, after: str = "") -> bool:
    """Whether what stands in its sentence before or after a clause makes it a condition's consequence, a plan or a fiction.

    Args:
        before: what stands in front of the clause in its sentence.
        after: what follows it there.
    """
    if re.search(r"[\u4e00-\u9fff]", before) and _OPEN_ZH.search(before.strip()):
        return True
    head = before.strip()
    return bool(head and _OPEN_EN.search(head[:1].lower() + head[1:])) or _OPEN_AFTER_EN.search(after) is not None


def is_open_clause(clause: str) -> bool:
    """Whether the clause says itself that it is a consequence of something not yet so, a plan or a fiction."""
    if re.search(r"[\u4e00-\u9fff]", clause):
        return _OPEN_ZH.search(clause.strip()) is not None
    return _HYPOTHESIS.search(clause) is not None


def circumstances(attribute: str, value: str, clause: str, opening: str = "") -> str:
    """The key of the circumstances under which a clause says that something has a value; "" where it says it without any.

    Args:
        attribute: of the statement.
        value: of the statement, as written in the clause.
        clause: as written.
        opening: what stands in front of the clause in its sentence, such as ``In summer,``.

    Returns:
        BESIDE for an addition; UNSURE for a quantity with more words behind it than a unit; ``later`` for what is not yet so, ``from
        2027-03`` for what a date says to begin (``holds_at`` compares it); else the words that limit it, joined.
    """
    words = attribute.split()
    if words and (words[-1] in _WHEN_NOUNS or attribute == "time of day"):
        return ""
    chinese = re.search(r"[\u4e00-\u9fff]", clause) is not None
    if chinese:
        text = f"{opening}{clause}"
        at = clause.rfind(value) + len(opening) if value else -1
        around = text[:at] + "\n" + text[at + len(value) :] if at >= len(opening) else text
        if _LATER_ZH.search(around):
            return _LATER
        if _BESIDE_ZH.search(around):
            return BESIDE
        key = "+".join(sorted({found.group() for found in _SCOPES_ZH.finditer(text)}))
        if not key and re.search(r"(?:后|前|时)[，,]\s*$", opening) and not _CHANGED.search(clause):
            return UNSURE  # after what may not have come yet
    else:
        lead = opening.strip()
        lead = f"{lead[:1].lower()}{lead[1:]} " if lead else ""
        text = lead + clause
        at = clause.find(value) + len(lead) if value else -1
        first = at + len(value.split()[0]) if at >= len(lead) and value.split() else -1
        free = [
            found
            for pattern in (_LATER_EN, _BESIDE_EN, _BESIDE_NOUN, _TEMPORARY, *_SCOPES)
            for found in pattern.finditer(text)
            if not (found.start() < first and at < found.end())
            and found.group().casefold() not in attribute
            and not (pattern is _BESIDE_NOUN and len(lead) <= at <= found.start() < at + len(value))
        ]
        if any(found.re is _LATER_EN for found in free):
            return _LATER
        if any(found.re in (_BESIDE_EN, _BESIDE_NOUN) for found in free):
            return BESIDE
        changed = _CHANGED.search(clause) is not None
        key = "+".join(
            sorted(
                {
                    re.sub(r"^(?:in|on|at|by|to|for|during|over|every|each)\s+|\bthe\s+|s$", "", found.group())
                    for found in free
                    if found.re is _TEMPORARY or not changed
                }
            )
        )
    begins = _FUTURE_DATE.search(text) if attribute in _STATES else None
    if begins is not None:
        year = begins["year"] or begins["zhyear"]
        month = begins["number"] or begins["zhmonth"] or _number_of(begins["month"])
        key = f"from {year}-{int(month or 0):02}" + (f"+{key}" if key else "")
    if (
        not key
        and _is_quantity(attribute)
        and re.search(r"\b(?:in|with|on|at|for|by|when|without|from|to|if|including|plus|than|more|less)\b", value)
    ):
        return UNSURE
    if not key and not chinese and _is_quantity(attribute) and _says_more(value):
        return UNSURE  # "84 kg fully dressed"
    if not key and not chinese and opening and not _HARMLESS.match(opening.strip()) and not _CHANGED.search(clause):
        return UNSURE  # "Pending a background check, user works at Colruyt"
    if not key and attribute in _REACHED and re.search(r"\b(?:for|when|during|while|only|as)\b", value):
        return UNSURE  # "c@d.com for newsletters"
    return key


_HARMLESS = re.compile(
    r"(?:since|now|currently|recently|finally|actually|fortunately|unfortunately|sadly|happily|luckily|personally|professionally|thankfully|today|at present|at the moment|as of|in (?:\w+ )?\d{4}|by now)\b",
    re.IGNORECASE,
)
_AFTER_SUM = frozenset(
    "old net gross tax before after warm cold total million thousand hundred dollars euros pounds francs yen yuan kilos kilograms now month year week day hour monthly yearly per a an each every or so approximately".split()
)


def _says_more(value: str) -> bool:
    """Whether more stands behind a sum than its unit and its period."""
    found = re.match(r"(?:[A-Za-z]+ )?[$€£¥]?\s?\d[\d.,'’]*", value)
    rest = [] if found is None else re.findall(r"[A-Za-z]+", value[found.end() :])
    return any(word.casefold() not in _AFTER_SUM for word in rest[1:])


def _number_of(month: str | None) -> int:
    return 0 if not month else 1 + "jan feb mar apr may jun jul aug sep oct nov dec".split().index(month[:3].lower())


def holds_at(key: str, moment: float) -> str:
    """The key of the circumstances as seen at a moment (epoch seconds): what began before it is no circumstance any more."""
    begins = re.match(r"from (\d{4})-(\d\d)\+?", key)
    if begins is None:
        return key
    day = datetime.fromtimestamp(moment, UTC)
    year, month = int(begins[1]), int(begins[2])
    # memories of tests and toys may be dated 1970: nothing that they tell of is ahead then
    if moment > 1_000_000_000 and (year > day.year or (year == day.year and month > day.month)):
        return _LATER
    return key[begins.end() :]


def under_newest(key: str, newest: str) -> str:
    """The key of an older statement as the newest of its attribute leaves it: a full position ends one for half the time."""
    return "" if not newest and re.fullmatch(r"(?:part|half)[- ]time", key) else key


_FOR_ONE = re.compile(
    r"\bfor (?:the|this|that|one|her|his|their|my|some|certain|a|an) (?:\w+ ){0,2}(?:projects?|clients?|customers?|courses?|class|team|reports?|tasks?|teammates?|prototype|thesis)\b"
)


def is_limited(clause: str) -> bool:
    """Whether a change is told for some hours, places or works only: ``switched from Vim to Zed at work``."""
    return _FOR_ONE.search(clause) is not None or _is_limited(clause)


def compete(key: str) -> bool:
    """Whether values told under these circumstances may replace each other."""
    return key not in (BESIDE, UNSURE, _LATER)


def _is_quantity(attribute: str) -> bool:
    return attribute in ("weight", "age", "salary", "rent", "height", "体重", "身高") or attribute.startswith(("price", "dose"))


# ----------------------------------------------------------------------------------------------------- kinds of values

_DWELLING = (
    r"flats?|apartments?|houses?|homes?|rooms?|studios?|lofts?|condos?|condominium|bungalow|cottage|cabin|hut|farmhouse|farm|villa|mansion|townhouse|terrace|duplex|maisonette|penthouse|basement|attic|garage|"
    r"caravan|camper(?: ?van)?|van|motorhome|rv|trailer|tent|yurt|boat|houseboat|ship|barge|dorms?|dormitory|dormitories|residence hall|hall of residence|barracks|hostels?|hotels?|motel|shelter|commune|household|co-?op|"
    r"co-?living \w+|flat ?share|house ?share|shared accommodation|accommodation|housing|shared housing|student housing|retirement home|nursing home|care home|monastery|convent|palace|castle|tower|building|block|"
    r"floor|storey|story|place|space|tree ?house|tiny house|annex|granny flat|squat|skyscraper|high-rise|estate|gated community|community|property"
)
_SETTING = (
    r"city|cities|town|village|hamlet|countryside|country|suburbs?|suburbia|outskirts|neighbou?rhood|district|quarter|borough|area|region|centre|center|city cent(?:re|er)|downtown|uptown|mountains?|hills?|coast|seaside|beach|"
    r"island|valley|forest|woods|desert|north|south|east|west|metropolis|capital|ghetto|slums?|wilderness|middle of nowhere|sticks|province|street|road|cul-de-sac|square|zone|time ?zone|part of town|climate|culture|society|world"
)
_HOME_HEAD = re.compile(rf"\b(?:{_DWELLING}|{_SETTING})\b(?!-)", re.IGNORECASE)
_STREET = re.compile(
    r"\b(?:Street|St(?=\.?,? \d)|Road|Avenue|Ave|Lane|Boulevard|Blvd|Crescent|Terrace|Close|Drive)\b|\w(?:straße|strasse|gasse)\b|\b(?:[Rr]ue|[Vv]ia|[Cc]alle) [A-Z]"
)
_BLOCK = re.compile(
    rf"^(?:the )?(?:{_DWELLING}|unit|suite|bungalow|apt\.?) (?:no\.? |number )?(?:\d+\w?|[A-Z]\d*)\b|^(?:number|no\.?) \d",
    re.IGNORECASE,
)
_AT_SOMEBODYS = re.compile(
    r"\b\w+['’]s? (?:\w+ )?(?:place|flat|house|home|apartment|room|basement|attic|garage|parents?|sofa|couch|family)\b|^(?!St\.? )[A-Z]\w+['’]s$"
)
_QUARTER = re.compile(
    r"(?:,| \(|\bthe) [^,]*\b(?:district|neighbou?rhood|quarter|borough|suburb|part of|area|arrondissement|ward)\b"
)
_TWO_WORD_TOWNS = frozenset(
    """new san los las el la le saint st st. santa são sao port puerto hong tel rio buenos kuala cape ho addis salt fort mexico mar bad den the des novi
    nizhny abu costa palm santo villa ciudad monte nur baden stoke""".split()
)
_MANNERS = frozenset(
    """fear peace harmony poverty luxury exile pain hiding debt comfort solitude isolation sin style denial squalor hope misery silence darkness chaos
    captivity shame dread abroad retirement town suburbia dorms barracks tents hotels hostels housing accommodation safety freedom abundance grief
    hardship moderation seclusion secrecy terror terrror anxiety bliss sync limbo care foster cohabitation monogamy polygamy celibacy need want here there somewhere
    nowhere anywhere everywhere elsewhere person private public sickness wedlock joy love faith prayer misery despair agony rooms flats houses apartments""".split()
)
_ORGANISATION = (
    r"bak(?:ery|eries)|librar(?:y|ies)|hospital|schools?|kindergarten|preschool|nursery|daycare|day care|creche|crèche|academy|college|university|uni|polytechnic|bank|credit union|compan(?:y|ies)|firm|start-?up|scale-?up|corporation|"
    r"agency|agencies|office|bureau|department|ministry|council|government|municipality|administration|authority|commission|parliament|embassy|consulate|court|police|police station|army|navy|air force|military|fire department|fire brigade|"
    r"restaurant|pizzeria|diner|bistro|caf[eé]|coffee ?shop|bar|pub|hotel|hostel|shop|store|supermarket|market|department store|mall|boutique|bookshop|bookstore|florist|butcher'?s?|grocer'?s?|grocery|pharmacy|chemist'?s?|drugstore|"
    r"clinic|practice|surgery|dentist'?s?|vet'?s?|laboratory|lab|institute|research cent(?:re|er)|think tank|museum|gallery|theatre|theater|cinema|opera|orchestra|circus|zoo|aquarium|park|garden cent(?:re|er)|nursery|farm|vineyard|winery|brewery|distillery|"
    r"factory|plant|mill|mine|refinery|shipyard|dockyard|port|harbou?r|airport|airline|railway|train station|station|post office|warehouse|garage|workshop|dealership|car dealer|gas station|petrol station|"
    r"newspaper|magazine|publisher|publishing house|broadcaster|radio station|tv station|channel|studio|recording studio|label|consultanc(?:y|ies)|practice|law firm|accounting firm|insurance|insurer|insurance company|brokerage|hedge fund|fund|"
    r"ngo|charity|non-?profit|foundation|association|union|trade union|church|parish|mosque|temple|synagogue|monastery|shelter|animal shelter|refuge|care home|nursing home|retirement home|hospice|orphanage|"
    r"gym|fitness cent(?:re|er)|sports club|club|nightclub|casino|spa|salon|hairdresser'?s?|barber ?shop|call cent(?:re|er)|contractor|developer|provider|manufacturer|retailer|wholesaler|supplier|carmaker|chain|group|concern|business|"
    r"enterprise|cooperative|co-?op|organi[sz]ation|institution|team|project|unicorn|competitor|utility|telecom|city|state|county|eu|un|boutique|tax office|job cent(?:re|er)|kiosk|stall|food truck|franchise|cent(?:re|er)|society|bureau|house"
)
_FIRM_HEAD = re.compile(rf"(?:^|[\s-])(?:{_ORGANISATION})$", re.IGNORECASE)
_APART_FIRM = r" (?:in|of|near|on|with|that|which|called|named|for|from|as|by|at|and|outside) "
_NO_FIRM = re.compile(
    r"^(?:(?:a|an|the|her|his|their|my|its|own|full|top|maximum|half|double|high|low|great|any|all|odd|different|various|irregular|unusual|late|early) )*"
    r"(?:home|house|night|nights|noon|midnight|dawn|dusk|day|daytime|week-?ends?|weekdays|all|times?|hours?|pace|speed|capacity|level|rate|desk|table|standing desk|computer|screen|laptop|heights?|scale|sea|ease|random|risk|work|once|"
    r"free|fun|money|pocket money|cash|peanuts|pennies|room and board|nothing|pleasure|food|peace|justice|change|good|tips|minimum wage|wage|herself|himself|themselves|itself|myself|yourself|oneself|ones?|least|most|best|worst|present|moment|distance|temperatures?|intervals?|"
    r"length|strength|heart|kitchen table|dining table|kitchen counter|bed|couch|sofa|window|balcony|garden|basement|attic|living|life|future|years?|months?|weeks?|days?|minutes?|long|short|while|time|today|tomorrow|"
    r"now|it|this|that|them|what|equality|freedom|rights|climate|exposure|experience|credit|college credit|cause|goals?|results|promotion|degree|exams?|keeps|hire|profit)\b",
    re.IGNORECASE,
)
_NOT_A_ROLE = re.compile(
    r"^(?:team|pair|group|couple|unit|duo|hard|well|much|long|fast|usual|before|planned|requested|needed|expected|intended|a whole|hobby|favou?r|job|one|example|side|part|side|(?:many|much|hard|little|late|early|quickly|slowly) .*)\b",
    re.IGNORECASE,
)
_SIDE_ROLE = re.compile(
    r"(?:honorary|volunteer|part-time|freelance|unpaid|weekend|substitute|temp|temporary|acting|interim|guest|occasional|seasonal|second|backup|visiting|adjunct)\b",
    re.IGNORECASE,
)
_TOWNS_ZH = frozenset(
    """北京 上海 天津 重庆 广州 深圳 成都 杭州 武汉 西安 南京 苏州 郑州 长沙 东莞 沈阳 青岛 合肥 佛山 宁波 昆明 福州 无锡 厦门 哈尔滨 长春 南昌 济南 大连 贵阳 温州 石家庄 泉州
    南宁 金华 常州 珠海 惠州 嘉兴 南通 中山 保定 兰州 台州 徐州 太原 绍兴 烟台 海口 乌鲁木齐 呼和浩特 银川 西宁 拉萨 三亚 桂林 洛阳 扬州 香港 澳门 台北 高雄 东京 大阪 京都 首尔
    新加坡 曼谷 伦敦 巴黎 柏林 慕尼黑 纽约 旧金山 洛杉矶 西雅图 波士顿 多伦多 温哥华 悉尼 墨尔本 莫斯科 罗马 米兰 马德里 里斯本 阿姆斯特丹 苏黎世 维也纳 迪拜 硅谷 国外 海外 外地 老家 本地 当地 中国 美国 英国 德国
    法国 日本 韩国 加拿大 澳大利亚 意大利 西班牙 瑞士 荷兰 浦东 海淀 朝阳""".split()
)
_NO_FIRM_ZH = re.compile(
    r"^(?:家|家里|家中|晚上|夜里|夜间|夜晚|白天|早上|上午|下午|中午|凌晨|周末|平时|这里|那里|外面|户外|室内|室外|办公室|书房|客厅|卧室|厨房|床上|沙发上|线上|网上|远程|电脑前|一起|"
    r"自己.*|.*(?:市|省|县|镇|乡|村|楼|层|下|时|点|前|中|期间|状态|环境下?|压力|桌前|桌子上?)|努力|安静.*|深夜|半夜|通宵|.*帮忙|.*的时候)$"
)
_DWELLING_ZH = re.compile(
    r"(?:公寓|房子?|屋|宿舍|别墅|酒店|宾馆|旅馆|旅店|民宿|青旅|[一二三四五六七八九十\d两]+(?:楼|层|室|栋|号楼)|楼上|楼下|顶楼|底层|父母家|妈家|爸家|朋友家|.的?家|家里|家中|单位|学校|校内|校外|船上|车里|房车|帐篷|地下室|阁楼|四合院|平房|楼房|小区|居室|套间|单间|套房)(?:里|中|上|内)?$"
    r"|^(?:得.*|[一两](?:套|间|栋|座|个|处|幢).*|家|家里|城里|城市|市区|市中心|市郊|郊区|郊外|农村|乡下|乡村|小镇上?|村里|村子里|海边|山上|山里|山区|附近|隔壁|国外|海外|外地|这里|那里|一起|大城市|小城市|南方|北方|.*(?:附近|旁边|隔壁|对面|一起|之中|当中|恐惧|痛苦|幻想|回忆|过去|阴影).*)$"
)
_NO_NAME_ZH = re.compile(
    r"^(?:外卖|车|出租车|滴滴|网约车|救护车|人|醒|停|好|苦|他|她|它|我|你|什么|不出.*|号|了.*|.*(?:一声|起床|过来|出来|回来|快递|餐|菜))$"
)


_NO_SPOUSE = re.compile(
    r"(?:her|his|their|the|my|its|an?) (?:\w+ )?(?:job|work|career|sea|company|firm|business|phone|laptop|music|art|game|craft|cause|church|idea|money|land|sport|stage|army|navy)\b"
)


def regarded(attribute: str, value: str, clause: str) -> tuple[str, str]:
    """The attribute that a value really is of, and UNSURE where that is not known, else "".

    ``residence`` may turn out ``kind of home`` or ``way of life``, ``job employer`` and ``job role`` ``way of work``, ``name`` ``called``.
    """
    if attribute == "residence" and not re.search(r"\blocated\b", clause):
        return _regarded_home(value, clause)
    if attribute == "job employer":
        return _regarded_firm(value, clause)
    if attribute == "job role" and not re.search(r"[\u4e00-\u9fff]", value):
        return ("way of work", "") if _NOT_A_ROLE.search(value) else (attribute, UNSURE if _SIDE_ROLE.match(value) else "")
    if attribute == "name":
        return _regarded_name(value)
    if attribute == "spouse" and _NO_SPOUSE.match(value):
        return "way of life", ""
    return attribute, ""


def _regarded_home(value: str, clause: str) -> tuple[str, str]:
    if re.search(r"[\u4e00-\u9fff]", value):
        return ("kind of home", "") if _DWELLING_ZH.search(value) else ("residence", "")
    body = re.sub(r"^(?:the )?(?:city|town|village) of (?=[A-Z])", "", value).strip()
    first = body.split()[0] if body else ""
    if first in _MANNERS or re.match(
        r"(?!north|south|east|west|outside|just)[a-z]+ (?:of|about|with|for|to|between|among|under) ", body
    ):
        return ("kind of home", "") if _HOME_HEAD.match(body) else ("way of life", "")
    if _AT_SOMEBODYS.search(body) or _BLOCK.search(body):
        return "kind of home", ""
    named = re.search(r"\b[A-Z]", body)
    if named:
        if _STREET.search(body) and not re.search(r", [A-Z]", body):
            return "address", ""
        if re.match(r"(?:an?|the|his|her|their|its|my|one|two) ", body) and not re.search(
            r"\b(?:in|near|called|named|of|outside|at|around|to) (?:the )?[A-Z]", body
        ):
            # "the Netherlands", but "a Victorian house", "an IKEA tiny house"
            return ("kind of home", "") if re.search(rf"\b(?:{_DWELLING}|{_SETTING})\b", body) else ("residence", "")
        if re.search(r"\b(?:with|because|among) ", body[: named.start()]):
            return "kind of home", ""
        more = re.search(
            r"\w['’]s [a-z]|\b[A-Z][\w.'’-]*(?: \d+)? (?:in|on|at|by|for|from|under|as|of|to|inside|via) (?!(?:the )?[A-Z])", body
        )
        if _QUARTER.search(body) or (more and not _is_limited(body[more.start() :])):
            return "residence", UNSURE
        return "residence", ""
    if _HOME_HEAD.search(body):
        return "kind of home", ""
    words = body.split()
    if not words or not all(word.isalpha() for word in words):
        return "way of life", ""
    if (
        words[0] in ("a", "an", "the", "her", "his", "their", "its", "my", "our", "constant", "one", "two")
        or words[0] in _MANNERS
    ):
        return "way of life", ""
    if (len(words) == 2 and words[0] in _TWO_WORD_TOWNS) or (
        len(words) == 1 and not re.search(r"(?:ness|ment|tion|sion|ance|ence|ship|ing|hood|dom|ity|ly)$", body)
    ):
        # "user lives in oslo" is by somebody who writes no capitals; "User lives in filth" need not be
        return "residence", "" if clause == clause.lower() else UNSURE
    return "way of life", ""


def _is_limited(words: str) -> bool:
    """Whether these words say when or where, as ``circumstances`` reads them."""
    return any(pattern.search(words) for pattern in (_TEMPORARY, _LATER_EN, *_SCOPES))


def _regarded_firm(value: str, clause: str) -> tuple[str, str]:
    if re.search(r"[\u4e00-\u9fff]", value):
        if value in _TOWNS_ZH:
            return "place of work", ""
        return ("way of work", "") if _NO_FIRM_ZH.search(value) else ("job employer", "")
    if re.fullmatch(r"unemployed|retired|between jobs|out of work|jobless", value, re.IGNORECASE):
        return "job employer", ""
    if (_NO_FIRM.search(value) and not (value[:1].isupper() and not value.isupper())) or re.match(
        r"(?:about |around |over )?\d|\w+ hours\b", value
    ):
        head = re.split(_APART_FIRM, value)[0]
        return ("job employer", "") if _FIRM_HEAD.search(head) and not _NO_FIRM.fullmatch(head) else ("way of work", "")
    if re.match(rf"(?:{_DAYS}|{_FEASTS})s?\b(?! [A-Z])", value):
        return "way of work", ""
    if re.search(r"\b[A-Z]", value):
        if re.match(r"[a-z]+ing\b", value):
            return "way of work", ""  # "works at improving her Spanish"
        head = re.split(_APART_FIRM, value)[0]
        last = head.split()[-1] if head.split() else ""
        # "the Berlin site", "Bosch's rival"; but "a Catholic school", "Acme labs"
        generic = re.match(r"(?:the|an?|her|his|their|my|its)\b|.*['’]s ", head) and not _FIRM_HEAD.search(head)
        other = (
            (generic and not re.search(r"[A-Z]", last))
            or re.match(r"[A-Z]\S*['’]s [a-z]", head)
            or re.search(r" for [a-z]", value)
        )
        begins = re.search(rf" (?:from|until|till|by|in) (?:{_MONTHS})\b(?! \d{{4}})", value)
        return "job employer", UNSURE if other or begins else ""
    head = re.split(_APART_FIRM, value)[0]
    if _FIRM_HEAD.search(head):
        return "job employer", ""
    words = value.split()
    if len(words) == 1 and value.isalpha() and re.search(r"\b(?:at|for|by|from) ", clause):
        return "job employer", ""  # whoever writes no capitals
    return "job employer", UNSURE


def _regarded_name(value: str) -> tuple[str, str]:
    if re.search(r"[\u4e00-\u9fff]", value):
        return ("called", "") if _NO_NAME_ZH.search(value) else ("name", "")
    if re.match(
        r"(?:at|by|to|for|on|in|upon|back|off|out|into|up|before|after|every|when|names|an?|one|his|her|their|away|over|again|as|about|if|daily|weekly|twice|once|not|often|things|whatever|both|so)\b",
        value,
    ):
        return "called", ""
    first = value.strip("\"'“”‘’«»")[:1]
    if first.isupper() or first.isdigit() or not first.isascii():
        # "Captain on the team", but "Ludwig van Beethoven" and "The Lord of the Rings"
        more = re.search(
            r" (?:in|on|at|by|for|from|as|to|because|when|after|with|among)(?: (?:the|a|an|her|his|their|my|all|some|most))? [a-z]",
            value,
        )
        return "name", UNSURE if more and not _is_limited(value[more.start() :]) else ""
    # whoever writes no capitals, and names of branches and files
    return ("name", "") if len(value.split()) == 1 else ("name", UNSURE)
