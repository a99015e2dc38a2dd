"""Which words name different things of one kind (*violin*, *piano*; 猫, 狗): where one stands in the place of the other, something else is told.

``kinds.txt`` is made from WordNet and the Chinese Open Wordnet (see ``scripts/build_kinds.py``); what is missing there stands here, and for
Chinese in ``kinds_zh.txt``. They are read on first use.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from memopt.facts import senses


class _Place(NamedTuple):
    """Where a word stands: the kind, and the numbers of the sets above it and its own."""

    kind: str
    path: tuple[int, ...]


_ENGLISH = """
primary/elementary|secondary|university/college
biology|chemistry|physics|maths/mathematics|history|geography
fantasy|crime|romance|horror|thriller|western|biography
goalkeeper/goalie/keeper|referee|striker|defender|midfielder|coach
dispatcher|driver|mechanic|accountant|electrician|plumber|carpenter|welder|nurse|teacher|lawyer|chef|barber|waiter
guard|center/centre|forward|quarterback|linebacker|pitcher|catcher|shortstop|winger
yarn|npm|pnpm
rest|graphql|grpc|soap
postgres/postgresql|mysql|sqlite|mongodb
mining|fishing|farming
bakery|laundry|pharmacy|florist
spring|summer|autumn/fall|winter
knee|hip|shoulder|ankle|wrist|elbow|back|neck
imperial|metric
red/crimson/scarlet|blue/navy|green|yellow|orange|purple/violet/lilac|pink|brown|black|white|gray/grey|turquoise/teal|beige
wooden/wood|metal/steel/iron|plastic|glass|concrete|brick|leather|ceramic/porcelain/clay|cardboard/paper
cotton|wool/woollen/woolen|silk|linen|denim|nylon|velvet
ballet|tango|salsa|waltz|flamenco|swing|contemporary|ballroom|breakdance|zumba
painting|photograph/photo|sculpture|drawing/sketch|collage|poster
portrait|landscape|still-life
watercolor/watercolour|oil|acrylic|charcoal|pastel
novel|poem|screenplay/script|song|essay|memoir|film/movie|musical|podcast
newspaper|magazine|blog|newsletter
hardware|software
unit|integration|regression|end-to-end
electricity/electric|gas|water|internet|phone
cash|card|transfer|cheque/check|invoice
oat|almond|rice|wheat|rye|corn|soy|coconut|hazelnut
basil|mint|parsley|thyme|rosemary|coriander/cilantro|dill|sage|oregano|chive
orchard|meadow|forest/wood|vineyard|field|swamp
van|lorry/truck|motorbike/motorcycle|bus|tram/streetcar|taxi/cab|scooter|tractor|ferry|metro/subway|train|plane/airplane|bicycle/bike|car|helicopter|motorhome/campervan
fireplace|desk|sofa/couch|bed|piano|sink|wardrobe|bookcase/bookshelf
cardiologist|endocrinologist|dermatologist|neurologist|oncologist|gynecologist/gynaecologist|urologist|radiologist|psychiatrist|pediatrician/paediatrician|orthodontist|dentist|rheumatologist
dental/dentist|veterinary/vet|legal|medical
broke/broken/break/fracture|sprain|dislocate|bruise|burn
migraine|asthma|eczema|diabetes|epilepsy|arthritis|anemia/anaemia|gout
whiskey/whisky|wine|beer|rum|gin|vodka|champagne
beef|pork|lamb|chicken|turkey|venison|duck
assist|rebound|steal|dunk
jersey|sneaker|scarf|cap/hat|badge|sticker|stamp|coin|map|postcard|magnet|banknote|comic|figurine|teapot|vinyl|medal|fossil|shell|doll|matchbox|butterfly|mineral|typewriter|thimble|marble
quarterly|yearly/annual|weekly|monthly|daily|hourly
wedding|funeral|christening/baptism|graduation|birthday|housewarming|reunion|inauguration
festival|concert|exhibition|fair|parade|rally
church|mosque|synagogue|temple
fixed|variable/floating
regional|national|international|local
private|public
digital|analog/analogue
acoustic|electric
indoor|outdoor
homeless|elderly
flood/flooded|burn/burning|collapse/collapsed
email/e-mail|letter|sms|phone|fax|voicemail|leaflet|postcard
hospital|school|prison/jail|museum|library|orphanage|hospice|zoo|airport|bank|courthouse|embassy|theatre/theater|cinema|gym|stadium|factory|warehouse|brewery|winery|bookshop/bookstore|florist|pharmacy/chemist|café/cafe|restaurant|bar/pub|hotel|hostel|campsite|station|harbour/harbor/port|church|mosque|synagogue|monastery|cathedral|castle|casino|nursery/kindergarten|university|laundromat|supermarket|sawmill|quarry|bakery|butcher|dentist
nosebleed|toothache|backache|migraine/headache|cough|rash|cramp|insomnia|vertigo/dizziness|nausea|tinnitus|dyslexia|colour-blindness|stutter|fever|sunburn|hiccup
laptop|phone/smartphone|tablet|camera|printer|monitor|keyboard|headphone/headset|television/tv|radio|smartwatch|drone|console|router|projector|microphone|webcam
umbrella|key|wallet/purse|passport|glove|scarf|hat|backpack/rucksack|suitcase|phone|laptop|ring|ticket|necklace|bracelet|earring
kettle|toaster|oven|microwave|blender|fridge/refrigerator|freezer|dishwasher|stove/cooker|mixer|grill|dryer|vacuum
sofa/couch|armchair|wardrobe|bed|mattress|desk|bookcase/bookshelf|rug/carpet|lamp|mirror|piano|fridge
barrel|bucket|tank|pond|well|hose|jar
beach|forest/wood|mountain|desert|lake|river|canal|park|cave|island|valley|vineyard|orchard|swamp|glacier|waterfall|meadow
roof|cellar/basement|attic/loft|kitchen|bathroom|bedroom|balcony|garage|garden|shed|staircase/stair|hallway|ceiling|fence|porch|window
pepper|tomato|cucumber|courgette/zucchini|aubergine/eggplant|lettuce|spinach|potato|carrot|onion|garlic|cabbage|pumpkin|beetroot|leek|radish|mushroom|strawberry|raspberry|broccoli|asparagus
sourdough|baguette|pie|cake|biscuit/cookie|muffin|croissant|pretzel|pancake|waffle|brownie|bagel|tart|doughnut|scone
pasta|pizza|sushi|curry|soup|salad|burger|taco|stew|risotto|ramen|dumpling|sandwich|omelette|steak|lasagne/lasagna|paella|noodle|pancake
tea|coffee|juice|milk|cocoa|smoothie|lemonade|kombucha|beer|wine|cider|whisky/whiskey|soda
jam|honey|butter|cheese|syrup|candle|soap|wax|yoghurt/yogurt
knit|crochet|sew|pottery|woodwork|embroider/embroidery|weave|quilt|origami|calligraphy|photography|juggle
hike|cycle|swim|climb|ski|row|sail|surf|box|fence|skate|fish|ride|dive|archery|judo|karate|yoga|pilates|tennis|golf|football/soccer|handball|baseball|lacrosse|basketball|hockey|volleyball|badminton|rugby|cricket|gymnastics
chess|poker|scrabble|checkers/draughts|backgammon|darts|billiards|bingo|mahjong|dominoes|sudoku|crossword
violinist|violist|cellist|pianist|guitarist|drummer|flautist/flutist|trumpeter|bassist|saxophonist|harpist|organist|singer/vocalist|clarinetist
violin/fiddle|viola|cello|piano|guitar|flute|clarinet|trumpet|drum|saxophone|harp|oboe|trombone|accordion|banjo|ukulele|mandolin|harmonica|bassoon|tuba
choir|orchestra|band|quartet|trio
lifeguard|bartend/bartender|babysit/babysitter|tutor|proofread/proofreader|translate/translator/translation|courier|cashier|receptionist|cleaner|gardener|librarian|paramedic|firefighter|baker|butcher|brewer|florist|tailor|jeweller/jeweler|blacksmith|carpenter|roofer|fisherman|miner|shepherd|midwife|pharmacist|physiotherapist|dietitian/dietician|optician|surveyor|notary|pilot|sailor|soldier|diplomat|archaeologist|geologist|meteorologist
diary/journal|blog|poem|novel|recipe|memoir|postcard|sermon
fog|snow|storm|hail|heatwave|drought|frost|flood|earthquake|wildfire|avalanche|strike|hurricane
podcast|audiobook|radio|opera|musical|documentary|sitcom
rent|mortgage|pension|insurance|scholarship|alimony|bonus|tip
table|bullet|chart|diagram|emoji|paragraph
aisle|window
theatre/theater|film|television|circus|opera
chess|debate|drama|robotics|photography|gardening|book
ankle|wrist|rib|collarbone|leg|arm|finger|toe|knee|shoulder|hip|elbow|nose|jaw|back|neck|thumb|hand|foot
peanut|shellfish|pollen|latex|penicillin|egg|soy|gluten|lactose|nickel|wasp|bee
metre/meter|mile|kilometre/kilometer|pound|kilogram|gram|litre/liter|gallon|ounce|foot
honeymoon|safari|cruise|pilgrimage|camping|festival|conference
piano|violin|singing|drum|guitar|painting|ballet|swimming|riding|karate|chess|coding
autism|adhd|dyslexia|epilepsy|diabetes|asthma
emperor|king|queen|president|mayor|bishop
barn|garage|cellar/basement|attic/loft|shed|studio|church|greenhouse
plumber|electrician|carpenter|painter|roofer|locksmith|gardener|glazier
cat|dog|rabbit|parrot|hamster|tortoise|ferret|goldfish|horse|pony|pig|goat|sheep|cow|donkey|pigeon|snail|chicken|duck|goose
"""


@cache
def _table() -> dict[str, tuple[_Place, ...]]:
    from memopt.facts.words import stem

    out: dict[str, list[_Place]] = {}
    kind = ""
    path: list[int] = []
    for number, line in enumerate((Path(__file__).parent / "kinds.txt").read_text(encoding="utf8").splitlines()):
        if line[0] == "#":
            continue
        if line[0] == "=":
            kind = line[2:]
            continue
        depth, _, words = line.partition(" ")
        path = [*path[: int(depth)], number]
        for word in words.replace("|", " ").split():
            out.setdefault(word, []).append(_Place(kind, tuple(path)))
    for table in (_chinese_rows(), _ENGLISH.strip().splitlines()):
        for at, line in enumerate(table):
            for number, names in enumerate(line.split("|")):
                for word in names.split("/"):
                    root = stem(word) if word.isascii() else word
                    out.setdefault(root, []).append(_Place(f"{line[:1]}{at}", (number,)))
    return {word: tuple(places) for word, places in out.items()}


@cache
def _chinese_rows() -> tuple[str, ...]:
    lines = (Path(__file__).parent / "kinds_zh.txt").read_text(encoding="utf8").splitlines()
    return tuple(line for line in lines if line[0] != "#")


@cache
def chinese_words() -> frozenset[str]:
    """The Chinese words of ``kinds_zh.txt``."""
    return frozenset(word for line in _chinese_rows() for names in line.split("|") for word in names.split("/"))


def has_kind(word: str) -> bool:
    """Whether anything is known of a stem or a Chinese word."""
    return word in _table()


@lru_cache(maxsize=65536)
def are_apart(one: str, two: str) -> bool:
    """Whether two Chinese words stand apart in a line of ``kinds_zh.txt``, whatever the wordnet says: 舅舅 and 姑父 are both an uncle."""
    if one.isascii() or two.isascii() or senses.closeness(one, two) >= senses.BY_HAND:
        return False
    mine = {place.kind: place.path for place in _table().get(one, ()) if not place.kind[0].isascii()}
    theirs = {place.kind: place.path for place in _table().get(two, ()) if not place.kind[0].isascii()}
    return any(mine[kind] != theirs[kind] for kind in mine.keys() & theirs.keys())


@lru_cache(maxsize=65536)
def are_one(one: str, two: str) -> bool:
    """Whether two Chinese words stand for one thing in a line of ``kinds_zh.txt``."""
    mine, theirs = (
        {(place.kind, place.path) for place in _table().get(word, ()) if not place.kind[0].isascii()} for word in (one, two)
    )
    return not mine.isdisjoint(theirs)


@lru_cache(maxsize=65536)
def rivals(one: str, two: str) -> bool:
    """Whether two stems (Chinese words as written) name different things of one kind, and neither is a sort of the other."""
    table = _table()
    mine, theirs = table.get(one), table.get(two)
    if mine is None or theirs is None or one == two:
        return False
    if are_apart(one, two):
        return True
    if senses.closeness(one, two) >= senses.BY_BEGINNING:
        return False
    found = False
    for here in mine:
        for there in theirs:
            if here.kind == there.kind:
                if here.path[-1] in there.path or there.path[-1] in here.path:
                    return False
                found = True
    return found


__all__ = ["are_apart", "are_one", "has_kind", "rivals"]
