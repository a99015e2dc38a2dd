"""Which words may stand for one another: the thesaurus that the verifier reads.

Four sources, by how far they are trusted: the groups of ``memopt.facts.lexicon`` and those of ``thesaurus.txt`` and
``thesaurus_zh.txt``, all written by hand, ``senses.txt``, made from WordNet, and ``senses_zh.txt``, made from the Chinese Open Wordnet (see ``scripts/build_senses.py`` and
``scripts/build_senses_zh.py``; the licenses stand in the files). Everything is read on first use.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.words import stem

_HERE = Path(__file__).parent
BY_HAND = 0.95
"""How much a word of the same hand-made group counts for the word itself."""
BY_WORDNET = 0.85
BY_BEGINNING = 0.8
_PREFIX = 5


class Heads(NamedTuple):
    """The groups a word stands in."""

    hand: frozenset[str]
    wordnet: frozenset[str]


_NONE = Heads(frozenset(), frozenset())


@cache
def _groups() -> tuple[str, ...]:
    """The lines of ``thesaurus.txt``, and those of ``thesaurus_zh.txt`` as lines of it."""
    both, chinese = ((_HERE / name).read_text(encoding="utf8").splitlines() for name in ("thesaurus.txt", "thesaurus_zh.txt"))
    return (*both, *(line if line.startswith("#") else "|" + line for line in chinese))


@cache
def _hand() -> dict[str, frozenset[str]]:
    """Word (stem, or Chinese as written) to its hand-made groups."""
    out: dict[str, set[str]] = {}
    for word, heads in lexicon.related().items():
        out[word] = set(heads)
    for number, line in enumerate(_groups()):
        if line.startswith("#"):
            continue
        latin, _, chinese = line.partition("|")
        members = [(stem(word.rstrip("*")), word.endswith("*")) for word in latin.split()]
        members += [(word.rstrip("*~"), word.rstrip("~").endswith("*")) for word in chinese.split()]
        narrow = any(wide for _, wide in members)
        for at, (word, wide) in enumerate(members):
            if not narrow or wide:
                out.setdefault(word, set()).add(f"+{number}")
            # What stands under a wider word shares a group with that one alone.
            if narrow and not wide:
                out.setdefault(word, set()).add(f"+{number}.{at}")
        if narrow:
            below = {f"+{number}.{at}" for at, (_, wide) in enumerate(members) if not wide}
            for word, wide in members:
                if wide:
                    out[word] |= below
    for number, names in enumerate(_name_rows()):
        for name in names:
            if " " not in name and (len(name) > 2 or not name.isascii()):
                out.setdefault(stem(name), set()).add(f"@{number}")
    return {word: frozenset(heads) for word, heads in out.items()}


@cache
def phrases() -> frozenset[str]:
    """What the groups written by hand have in Chinese that is looked for in a text as it stands: several words, or a part of many."""
    written = {word for line in _groups() if line[:1] != "#" for word in line.partition("|")[2].split()}
    return frozenset(word.rstrip("*~") for word in written if word.endswith("~")) - {word.rstrip("*") for word in written}


@cache
def _wordnet() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """(stem to its groups, all common stems)."""
    out: dict[str, list[str]] = {}
    common: set[str] = set()
    for number, line in enumerate((_HERE / "senses.txt").read_text(encoding="ascii").splitlines()):
        if line[0] == "#":
            continue
        members = line.split()
        if members[0] == "!":
            common.update(members)
            continue
        name = f"~{number}"
        for word in members:
            out.setdefault(word, []).append(name)
    common.update(out)
    return {word: frozenset(heads) for word, heads in out.items()}, frozenset(common)


@cache
def _chinese_wordnet() -> dict[str, frozenset[str]]:
    """Word (English stem, or Chinese as written) to its groups."""
    out: dict[str, set[str]] = {}
    for number, line in enumerate((_HERE / "senses_zh.txt").read_text(encoding="utf8").splitlines()):
        if line[0] == "#":
            continue
        latin, _, chinese = line.partition("|")
        for word in (*latin.split(), *chinese.split()):
            out.setdefault(word, set()).add(f"^{number}")
    return {word: frozenset(heads) for word, heads in out.items()}


@lru_cache(maxsize=65536)
def heads(word: str) -> Heads:
    """The groups of a stem, of a Chinese word as written, or of ``=head`` as the reading gives it."""
    hand = _hand().get(word, frozenset())
    if word[0] == "=":
        return Heads(hand | {word}, frozenset())
    wordnet = _chinese_wordnet().get(word, frozenset())
    if word.isascii():
        wordnet |= _wordnet()[0].get(word, frozenset())
    return Heads(hand, wordnet) if hand or wordnet else _NONE


def beginning(word: str) -> str | None:
    """What a longer word shares with its relatives (``allergi`` with ``allergen``); None for short ones and other scripts."""
    return word[:_PREFIX] if len(word) >= _PREFIX and word[0] != "=" and word.isascii() else None


def is_common(word: str) -> bool:
    """Whether an English word (any form) is one that people write often in small letters: at the head of a sentence it is no name."""
    return stem(word) in _wordnet()[1] and word.casefold() not in lexicon.GIVEN_NAMES


@cache
def chinese() -> frozenset[str]:
    """All Chinese words of the groups, without ``phrases``."""
    words = {word for table in (_hand(), _chinese_wordnet()) for word in table if word and not word.isascii()}
    return frozenset(words - (phrases() - _chinese_wordnet().keys()))


@cache
def _chinese_groups() -> dict[str, tuple[str, ...]]:
    out: dict[str, list[str]] = {}
    for table in (_hand(), _chinese_wordnet()):
        for word, heads in table.items():
            if word and not word.isascii():
                for head in heads:
                    out.setdefault(head, []).append(word)
    return {head: tuple(sorted(members)) for head, members in out.items()}


@lru_cache(maxsize=16384)
def chinese_for(word: str) -> tuple[tuple[str, float], ...]:
    """The Chinese words that may stand for a word of any script, the word itself left out, with how far they do, best first."""
    groups = _chinese_groups()
    mine = heads(word)
    out: dict[str, float] = {}
    for kind, value in ((mine.wordnet, BY_WORDNET), (mine.hand, BY_HAND)):
        for head in kind:
            for other in groups.get(head, ()):
                if other != word:
                    out[other] = value
    return tuple(sorted(out.items(), key=lambda entry: (-entry[1], entry[0])))


@lru_cache(maxsize=65536)
def closeness(one: str, two: str) -> float:
    """How far one stem may stand for another, 0 to 1."""
    if one == two:
        return 1.0
    mine, theirs = heads(one), heads(two)
    if not mine.hand.isdisjoint(theirs.hand):
        return BY_HAND
    if not mine.wordnet.isdisjoint(theirs.wordnet):
        return BY_WORDNET
    start = beginning(one)
    return BY_BEGINNING if start is not None and start == beginning(two) else 0.0


_IDIOMS = {
    "hypertension": "high blood pressure|raised blood pressure",
    "care": "look after|take care of|care for",
    "quit": "give up|cut out|kick the habit",
    "reduce": "cut down|cut back|scale back",
    "wake": "get up|wake up|get out of bed",
    "sleep": "go to bed|turn in|get to sleep",
    "begin": "take up|start out|get into|kick off|get going|set out|get underway|get under way|embark on|set about",
    "save": "set aside|put aside|put away|save up",
    "repay": "pay back|pay off|pay _ back|pay _ off",
    "native": "mother tongue|native language|native tongue|first language|native speaker",
    "split": "break up|split up",
    "childhood": "grow up|bring up|be raised",
    "layoff": "lay off|let go",
    "die": "pass away",
    "born": "come into the world|be born",
    "exercise": "work out",
    "join": "sign up|take part|be part of|be a member of",
    "search": "look for|be on the lookout",
    "manage": "be in charge of|in charge",
    "before": "prior to|ahead of|in advance|ahead of time",
    "late": "night owl",
    "early": "early bird|early riser",
    "forbid": "off limits",
    "maximum": "at most|no more than|not more than|no longer than|not exceed|no later than|at the latest|up to|or less|or fewer|or under|or below|or lower|or shorter|or earlier",
    "minimum": "at least|no less than|not less than|no fewer than|or more|or above|or over|or higher|or longer|or later|and up|and above|upwards of",
    "dislike": "can't stand|cannot stand|can not stand|can't bear",
    "rent": "rent out|let out|rent _ out",
    "retire": "stop working|stop work|give up work|go into retirement|enter retirement",
    "alone": "by himself|by herself|by themself|on their own|on his own|on her own|live alone",
    "allergy": "react badly",
    "together": "as well as",
    "weekly": "every week|each week|once a week|per week",
    "daily": "every day|each day|a day|per day|once a day",
    "monthly": "every month|each month|a month|per month",
    "annual": "every year|each year|a year|per year",
    "approximately": "more or less|or so",
    "avoid": "steer clear|stay away|keep away|stay clear|keep off|stay off|keep clear",
    "favorite": "like most|like best|best of all",
    "marry": "tie the knot|get married",
    "always": "all the time",
    "live": "call home|be home",
    "second-hand": "second hand|pre owned",
    "play": "be a player",
    "speak": "be fluent",
    "meet": "get to know|make the acquaintance|become acquainted|get acquainted|run into|come across|get together",
    "forget": "slip _ mind|escape _ mind|slip _ memory",
    "example": "for instance|for example|such as|among others",
    "especially": "above all|most of all|in particular|first and foremost",
    "encourage": "cheer up|cheer on|spur on|egg on|lift _ spirits|give a boost",
    "symbol": "stand for",
    "cope": "get by|get along|make do|deal with",
    "determine": "set on|bent on|make up _ mind|be set",
    "decide": "make up _ mind|settle on|opt for|make a decision",
    "adopt": "take in",
    "raise": "bring up|put up",
    "discover": "find out",
    "invent": "come up with|think up|make up",
    "visit": "drop by|stop by|call on|go to see|pay a visit|come over|come to see|come round|come around|pop in|drop in|come by|swing by|pop over|call round|pay _ a visit|drop in on|look in on",
    "postpone": "put off|push back|put _ off|put on the back burner|move to a later date|shift to a later date|hold off on|push _ back",
    "arrange": "set up|put together|put on",
    "establish": "set up|build up",
    "tolerate": "put up with|live with it|cope with it",
    "recover": "get over|get well",
    "investigate": "look into",
    "anticipate": "look forward to|look forward",
    "admire": "look up to",
    "expire": "run out|come to an end",
    "examine": "go over|look over",
    "understand": "figure out|work out|make sense of",
    "resign": "step down",
    "reject": "turn down|decide against|vote against|say no to|pass up|pass on the offer|knock back",
    "try": "try out|have a go|give it a go|give it a try|give _ a try|give a try",
    "rely": "lean on|count on|depend on|fall back on",
    "important": "mean a lot|mean everything|mean the world|make a difference|matter a lot|be of importance",
    "occasionally": "now and then|from time to time|once in a while|every now and then|at times",
    "repeatedly": "again and again|over and over|time and again",
    "enjoy": "have fun|take pleasure in|take pleasure|take delight|have a blast|have a great time|have a good time",
    "successful": "go well|do well|turn out well|make a success of",
    "serious": "take seriously",
    "participate": "take part in|take part",
    "married": "get married|tie the knot",
    "photograph": "take a photo|take a picture|take pictures|take photos|take a photograph",
    "walk": "go for a walk|take a walk|go for walks|take walks|on foot|go on foot",
    "record": "personal best|than ever before|than ever|his _ ever|her _ ever|their _ ever|its _ ever|personal record|highest ever|most ever|best ever|all time high|all time best|career high|career best",
    "misspell": "spell wrong|spell _ wrong|spell incorrectly|spell _ incorrectly|write wrong|write _ wrong",
    "mispronounce": "pronounce wrong|pronounce _ wrong|pronounce incorrectly",
    "misunderstand": "understand wrong|get _ wrong",
    "!sibling": "only child",
    "learn": "teach himself|teach herself|teach themselves|teach themself|be self taught|find out about",
    "make": "lead to|result in|give rise to|bring about",
    "satisfy": "sense of satisfaction",
    "okay": "all right|safe and sound",
    "accept": "do not mind|does not mind|doesn't mind|don't mind|is fine with|is ok with|is okay with",
    "touch": "make emotional|make him emotional|make her emotional|make them emotional|move to tears|get emotional",
    "currently": "at present|at the moment|right now|these days|for now|at this point|for the time being|as of now|at this time",
    "become": "end up|wind up|turn out to be",
    "backup": "back up|back _ up",
    "repeat": "happen again|do again|do it again|take place again|occur again|come up again",
    "inspire": "draw on|draw upon|draw from|draw inspiration from|take inspiration from",
    "require": "be forced to|be obliged to|be compelled to|have no choice but to|be required to",
    "sell": "part with",
    "retake": "sit _ again|take _ again|try again",
    "responsible": "be responsible for|be in charge of",
    "speech": "give a talk|give a speech",
    "free": "without pay|without payment|without being paid|without asking for money|at no charge|free of charge|for free|at no cost|no charge|without charge",
    "useful": "come in handy|be of use|come in useful|come handy",
    "believe": "in his eyes|in her eyes|in their eyes|in his view|in her view|in their view|in his opinion|in her opinion|in their opinion|in his book|in her book|in their book|to his mind|to her mind|to their mind",
    "due": "fall due|become due",
    "continue": "go on|carry on|keep on|push on|press on",
    "cancel": "call off",
    "relax": "wind down|chill out|let off steam|calm down|switch off",
    "contact": "get in touch|keep in touch|reach out|stay in touch|be in touch",
    "like": "be fond of|be keen on|have a soft spot for|to his liking|to her liking|to their liking|to his taste|to her taste|to their taste|be a fan of",
    "sometimes": "every so often|now and again|on occasion",
    "nearby": "close by|around the corner|round the corner",
    "remember": "bear in mind|keep in mind",
    "finish": "wrap up|finish off|come to a close|be through with|be done with",
    "proud": "take pride",
    "help": "lend a hand|give a hand|be of help",
    "submit": "hand in",
    "distribute": "hand out|give out",
    "remove": "take away|take out",
    "vacation": "time off|day off|days off",
    "consider": "think about|think of|toy with",
    "nauseous": "feel sick",
    "unemployed": "out of work|between jobs",
    "famous": "well known",
    "breakfast": "morning meal",
    "dinner": "evening meal",
    "lunch": "midday meal",
    "vet": "animal doctor",
    "tired": "worn out",
    "energetic": "full of energy",
    "noisy": "make noise|make a lot of noise",
    "renovate": "do up",
    "invest": "put money into",
    "punctual": "on time",
    "permanent": "for good",
    "immediately": "right away|at once|straight away",
    "pause": "put on hold|put _ on hold|put on ice|put _ on ice",
    "attract": "draw attention|bring attention|call attention|get attention|win attention|attract attention|bring more attention|draw more attention|attract more attention|get more attention",
    "progress": "move forward|make progress|move along|come along nicely|make headway|get further|gain ground",
    "exhausted": "wear out|wear _ out|tire out|tire _ out|run down|burn out|be drained",
    "handle": "in the hands of|be in the hands of|see to|attend to",
    "equip": "be equipped with|be fitted with|be furnished with",
    "share": "go halves|split the cost",
    "notice": "catch sight of",
    "celebrate": "throw a party|hold a party|throw _ a party",
    "mock": "make fun of|poke fun at",
    "use": "make use of",
    "collaborate": "team up|join forces|work together|pair up|partner up",
    "succeed": "pull off|pull _ off|make it through",
    "fail": "fall through|fall flat|come to nothing|not make it",
    "leave": "move out|set off|take off|head off|move away|say goodbye to the",
    "arrive": "show up|turn up",
    "return": "bring back|bring _ back|give back|give _ back|hand back|take back|come back|go back|get back|head back|be back",
    "hurry": "in a hurry|in a rush|in haste|in a great rush",
    "struggle": "have a hard time|have trouble|have difficulty|have a tough time|find it hard|find it difficult|go through a tough time|go through a hard time|go through a rough patch|have difficulties|have problems|go through a difficult time",
    "lose": "be beaten|suffer a defeat|suffer defeat|go down to|be defeated",
    "win": "take first place|come first|come out on top|take first prize|take home the title|finish first",
    "buy": "splash out on|treat himself to|treat herself to|get hold of",
    "send": "send off|mail out|send out|send in",
    "explain": "spell out|shed light on",
    "increase": "step up|ramp up",
    "decrease": "cut back on|scale down|cut down on",
    "accompany": "go with him|go with her|tag along",
    "agree": "see eye to eye|be on the same page",
    "study": "read up on|do a degree in|do a degree",
    "research": "look up|read up",
    "love": "fall for|fall in love|be crazy about|be mad about|be passionate about|have a passion for|be into|be big on|be obsessed with",
    "afraid": "be scared|have a fear of|be terrified|be frightened|be fearful",
    "supervise": "keep an eye on|watch over",
    "inform": "let _ know|keep _ posted|keep _ updated|fill _ in",
    "publish": "bring out|put out|come out with",
    "demolish": "tear down|pull down|knock down",
    "fix": "patch up",
    "discard": "throw away|throw out|get rid of|chuck out|toss out",
    "donate": "give away|give to charity",
    "apologize": "say sorry|make an apology",
    "suggest": "put forward|bring up the idea|come up with the idea|make a suggestion",
    "mention": "make mention of",
    "replace": "take the place of|step in for|fill in for|swap out",
    "exceed": "go beyond|go over",
    "faint": "pass out|black out",
    "vomit": "throw up",
    "grow": "shoot up",
    "relative": "family member|family members",
    "colleague": "work mate|work friend|fellow worker|team member|people at work",
    "snack": "bite to eat",
    "homesick": "miss home",
    "broke": "short of money|short on money|low on funds|strapped for cash|money problems|money troubles|money trouble|financial trouble|financial problems|financial difficulties",
    "rich": "well off|well to do",
    "drunk": "have one too many",
    "dress": "get dressed|put on clothes|dress up",
    "attend": "show up at|be present at",
    "reach": "make it to|make it as far as|get as far as",
    "accustomed": "get used to|be used to|grow used to|become used to|become accustomed|get accustomed|be accustomed",
    "gradual": "step by step|little by little|bit by bit",
    "eventually": "in the end|in the long run",
    "reconcile": "make up with|make peace|bury the hatchet|patch things up|patch it up|make it up with",
    "guilty": "feel bad|weigh on _ conscience|have a bad conscience|on _ conscience",
    "envy": "be jealous of|be envious of|green with envy",
    "annoy": "get on _ nerves|drive _ mad|drive _ crazy|drive _ up the wall|rub _ the wrong way",
    "sick": "under the weather|come down with|fall ill|be taken ill|feel unwell|off colour|be laid up",
    "quarrel": "fall out|have words|fall out with|have a row|have a falling out|be at loggerheads|be at odds",
    "accounting": "keep the books|handle the accounts|keep the accounts",
    "support": "back up _|stand behind|root for|be in favour of|be in favor of|stick up for|stand up for",
    "fear": "be afraid of|be scared of|be terrified of|be frightened of|live in fear of|be apprehensive about",
    "unharmed": "get off lightly|come to no harm",
    "criticize": "find fault with|pick holes in|take issue with",
    "praise": "speak highly of|sing _ praises",
    "trust": "have faith in|have confidence in|confide in",
    "nap": "take a nap|have a nap|lie down for|have a lie down|take a siesta",
    "shower": "take a shower|have a shower",
    "bathe": "take a bath|have a bath",
    "cook": "make dinner|make food|rustle up|whip up",
    "clean": "tidy up|clean up",
    "wash": "wash up",
    "shop": "go shopping|run errands",
    "hire": "take on|bring on board",
    "promote": "move up|rise to the position|rise to the rank",
    "overwork": "work too much|be snowed under|be up to _ ears|burn the candle at both ends",
    "cheap": "on a shoestring|for next to nothing|for a song",
    "expensive": "cost a fortune|cost an arm and a leg|cost a lot|break the bank",
    "owe": "be in debt|be indebted",
    "economize": "tighten _ belt|watch _ spending|cut costs|make ends meet",
    "drive": "go by car|travel by car|get around by car|take the car|by car",
    "cycle": "go by bike|travel by bike|by bike|by bicycle|go by bicycle|take the bike|take _ bike",
    "fly": "go by plane|travel by plane|by plane|take a plane|by air|take a flight|catch a flight",
    "abroad": "out of the country|to another country|in another country|in a foreign country",
    "graduate": "finish university|finish college|complete _ degree|get _ degree|earn _ degree|leave school|leave university",
    "enroll": "sign up for|register for|put _ name down",
    "babysit": "look after the kids|look after the children|mind the kids|mind the children|watch the kids|watch the children",
    "pregnant": "be expecting|have a baby on the way|expect a baby|expect a child",
    "engaged": "pop the question|get engaged|agree to marry",
    "divorce": "go through a divorce|get divorced|end _ marriage",
    "date": "go out with|see each other|be going out|go steady",
    "argue": "have an argument|get into an argument",
    "laugh": "crack up|burst out laughing",
    "cry": "burst into tears|be in tears|break down in tears|break into tears",
    "shout": "raise _ voice",
    "lie": "tell lies|make things up|tell a lie",
    "hide": "keep under wraps",
    "reveal": "let slip|come clean|open up about|own up",
    "deploy": "go live|push to production|roll out|put into production",
    "update": "bring up to date|bring _ up to date|keep up to date",
    "debug": "track down the bug|hunt down the bug",
    "configure": "set _ up",
    "delete": "wipe out",
    "login": "sign in|log in|log on|sign on",
    "test": "put to the test",
    "weigh": "tip the scales",
    "healthy": "in good shape|in good health|in shape|be fit",
    "operate": "go under the knife|undergo surgery|have surgery|have an operation|be operated on",
    "hospitalize": "be in hospital|be in the hospital|be admitted to hospital|land in hospital|be taken to hospital|end up in hospital",
    "injure": "get hurt|be hurt|suffer an injury|sustain an injury",
    "vegetarian": "give up meat",
    "practice": "hone _ skills|brush up on|polish up",
    "perform": "take the stage|go on stage|be on stage",
    "compete": "take on _ rivals",
    "hike": "go hiking|go for a hike|go on hikes|go on a hike",
    "swim": "go swimming|go for a swim|take a dip|take a swim|have a swim|go for a dip",
    "jog": "go jogging|go for a run|go running|go for a jog",
    "ski": "go skiing|hit the slopes|on the slopes|on the piste",
    "camp": "go camping|sleep in a tent|pitch a tent",
    "fish": "go fishing|go angling",
    "dance": "go dancing",
    "read": "have _ nose in a book|be a bookworm|leaf through",
    "paint": "do paintings",
    "garden": "work in the garden|potter in the garden",
    "move": "up sticks|pull up stakes",
    "neighbor": "next door|the people next door|live next door|person next door|live across the street|live across the road",
    "commute": "ride to work|trip to work|journey to work",
    "mood": "state of mind|frame of mind",
    "grateful": "be thankful|owe a debt of gratitude|give thanks|appreciate deeply",
    "miss": "long for|pine for",
    "anxious": "have butterflies|be on tenterhooks",
    "sad": "down in the dumps|be heartbroken|be gutted",
    "happy": "over the moon|on cloud nine|thrilled to bits|in good spirits|be delighted|be pleased",
    "angry": "lose _ temper|blow _ top|fly off the handle|see red|be furious|be mad at",
    "shy": "keep to himself|keep to herself|keep to themselves",
    "stubborn": "dig _ heels in|stick to _ guns",
    "hesitate": "think twice|have second thoughts|get cold feet",
    "promise": "give _ word|make a promise",
    "remind": "jog _ memory",
    "ignore": "turn a blind eye|take no notice|pay no attention",
    "busy": "have _ hands full|be tied up|have a lot on _ plate",
    "disappoint": "let down|let _ down",
    "betray": "stab _ in the back|go behind _ back",
    "escape": "break free|run away",
    "choose": "plump for",
    "check": "have a look at|take a look at|double check",
    "solve": "sort out|iron out|sort _ out",
    "stuck": "with writer's block|have writer's block|can not get away|could not get away|be unable to get away|could not leave",
    "tell": "own up to",
    "earn": "bring home|take home",
    "spend": "fork out|shell out|lay out",
    "overturn": "turn around|turn _ around|come from behind",
    "onset": "at the first sign of|at the first signs of|as soon as it starts|announce itself|make itself felt",
    "pseudonym": "pen name|nom de plume|assumed name",
    "leak": "let in water|let water in|let in rain|let the rain in",
    "downsize": "move to a smaller place|move into a smaller place|move somewhere smaller|move to a smaller flat|move to a smaller home",
    "stranger": "someone he not know|someone she not know|someone they not know|somebody he not know|somebody she not know|person he not know|person she not know",
    "emigrate": "go abroad to work|move abroad|leave the country|go to live abroad|leave for another country",
    "concise": "to the point|short and sweet|in a nutshell",
    "small-talk": "small talk|chit chat|idle chatter",
    "gossip": "talk behind _ back|spread rumors|spread rumours",
    "skip": "give _ a miss",
}


ANY = "_"
"""In an idiom: whose, in one to three words (``slipped her mind``, ``slipped the user's mind``)."""


@cache
def idioms() -> dict[str, tuple[tuple[tuple[str, ...], str], ...]]:
    """First stem of a phrase to all phrases that begin with it, as (stems, the stem they stand for), longest first."""
    out: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for head, phrases in _IDIOMS.items():
        for phrase in phrases.split("|"):
            parts = tuple(word if word == ANY else stem(word) for word in phrase.split())
            out.setdefault(parts[0], []).append((parts, "!" + stem(head[1:]) if head[0] == "!" else stem(head)))
    return {first: tuple(sorted(rows, key=lambda row: -len(row[0]))) for first, rows in out.items()}


@cache
def _name_rows() -> tuple[tuple[str, ...], ...]:
    lines = (_HERE / "names.txt").read_text(encoding="utf8").splitlines()
    return tuple(tuple(line.split("|")) for line in lines if line[0] != "#")


@cache
def same_names() -> dict[str, tuple[str, ...]]:
    """A name as ``fold_phrase`` writes it, to the other names of the same."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for names in _name_rows():
        for name in names:
            found[name].update((other, None) for other in names if other != name)
    return {name: tuple(others) for name, others in found.items()}
