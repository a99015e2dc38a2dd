"""The guard for paraphrases: may one of two texts that mean about the same stand for both?

Texts that contradict each other lie as close together in any embedding as texts that say the same (``plays the flute``, ``plays
the guitar``), so closeness alone never merges. ``apart`` takes both texts to pieces and wants every piece of the one back in the
other: numbers, dates, names and quotes as they are; each content word as the same word or as one that means the same; denials,
doubts, tense, quantities and directions alike; and what does what to whom in the same order. It asks ``near`` how close two single
words are, and trusts it only for single words: those of one kind (*waiter*, *waitress*) that still come out close are listed here.

Unlike ``memopt.facts.conflict`` it allows other words. It is as strict everywhere else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

from memopt.facts import lexicon
from memopt.facts.guard import HEDGES, SPELLINGS
from memopt.facts.lexicon import words as word_list
from memopt.facts.reading import Reading, denies, read
from memopt.facts.words import Token, fold, stem, tokens

Near: TypeAlias = Callable[[str, str], float]
"""How much two words mean the same, 1 for no difference. Scaled by the caller so that ``SAME`` and ``RELATED`` hold."""

SAME = 1.0
"""From here on two words are one, whatever the thesaurus says."""
RELATED = 0.0
"""From here on two words are one where the thesaurus has them in one group, which is loose by itself (*hike*, *walk*)."""
_LONGEST = 60
"""Texts with more content words than this are never paraphrases: nobody writes so much twice in the same order."""

_TELLING = (
    HEDGES
    | frozenset(
        word_list(
            """
    from by with against about through toward towards away across above below inside outside behind between among under over
    down off into onto only too more most less least fewer fewest many much any every each both none nobody nothing always
    never often usually sometimes rarely seldom again still yet already once twice last next other another same
    he him his himself she her hers herself they them their theirs we us our ours gonna because can been since ago till until state states note notes report reports
    """
        )
    )
) - frozenset(word_list("called than says said say asked so as out"))
"""Small words that may not stand on one side alone."""
_HARMLESS = frozenset(
    word_list(
        """
    a an the this that these those of to in on at for and as so then am is are be being do does doing done have has having here there
    it its itself which who whom when where while very really quite just even also user users user's one some someone somebody out up
    i me my mine well currently now called such s t d ll re ve m than what how
    der das ein eine einen und im ist el la los las un una y en de del es le les une et du des est os um uma e em yang di ini itu
    """
    )
)
"""Words without content of their own that may stand on one side alone. All others of the list of stop words may not: in English
some of its foreign words say a lot (*son*, *hat*, *die*, *war*)."""
_WORKERS = {
    word: line.split()[0]
    for line in (
        "give gives gave given giving",
        "get gets got getting gotten",
        "take takes took taken taking",
        "put puts putting",
        "make makes made making",
        "go goes went gone going",
        "say says said saying",
        "tell tells told telling",
    )
    for word in line.split()
}
"""Verbs that mean little by themselves but exclude one another."""
_FREE = frozenset(
    word_list(
        """
    user users one
    一名 一位 一个 一只 一条 一台 一辆 一 名 位 个 只 条 台 辆 非常 很 目前 现在 正在 自己
    """
    )
)
"""Words that say nothing by themselves and may stand on one side alone."""
_LIGHT = frozenset(stem(word) for word in word_list("own possess"))
"""Verbs for which ``has`` may stand, which is no content word."""
_AS_ADJECTIVE = frozenset(word_list("is are am be been being the a an very so too his her their my and 's 're 'm"))
"""Before one of these a form in -ed does not tell of the past: ``is married``, ``a used car``."""
_ALIKE = {
    word: line.split()[0]
    for line in (
        "wants want wanted hopes hope hoped wishes wish wished",
        "may might maybe perhaps possibly",
        "stops stop stopped quit quits quitting stopping",
        "former formerly previously ex ex-",
        "barely hardly scarcely",
        "almost nearly",
    )
    for word in line.split()
}
"""Words of doubt and the like that may stand for one another. Their tense is not asked for: *quit* has none."""
_MUST = re.compile(r"\b(?:has|have|had|having|going|about|supposed|allowed|able|ought|got) to\b", re.I)

_RIVALS = tuple(
    frozenset(stem(word) for word in word_list(line))
    for line in """
    waiter waitress actor actress host hostess steward stewardess man woman boy girl male female king queen prince princess duke duchess
    husband wife spouse fiance fiancee boyfriend girlfriend widow widower bride groom
    mother father sister brother son daughter uncle aunt niece nephew cousin grandmother grandfather grandson granddaughter stepmother stepfather
    breakfast brunch lunch dinner
    morning noon afternoon evening night midnight
    monday tuesday wednesday thursday friday saturday sunday weekday weekend
    january february march april may june july august september october november december
    spring summer autumn winter
    second minute hour day week month quarter year decade
    hourly daily weekly monthly yearly
    millimeter centimeter meter kilometer mile foot inch yard
    gram kilogram pound ounce ton
    borrow lend buy sell teach learn give take send receive
    rent lease own
    vegan vegetarian pescatarian omnivore
    violin viola cello contrabass
    almond walnut hazelnut peanut cashew pistachio pecan
    strawberry raspberry blueberry blackberry cranberry
    marathon triathlon decathlon sprint duathlon pentathlon
    north south east west northern southern eastern western
    baby child teenager adult kid
    bachelor master doctorate diploma
    football soccer rugby basketball volleyball handball baseball softball
    ocean sea lake river
    single married divorced engaged widowed
    left right
    kindergarten school college university
    小提琴 中提琴 大提琴 钢琴
    网球 排球 乒乓球 羽毛球 篮球 足球
    哥哥 弟弟 姐姐 妹妹 爸爸 妈妈 父亲 母亲 儿子 女儿 丈夫 妻子 爷爷 奶奶
    春天 夏天 秋天 冬天
    早上 上午 中午 下午 晚上
    早饭 午饭 晚饭 早餐 午餐 晚餐
    """.strip().split("\n")
)
_ONE_KIND = tuple(
    frozenset(map(stem, pair.split()))
    for pair in ("football soccer", "kid child", "ocean sea", "wife spouse", "husband spouse", "school kindergarten")
)
"""Pairs of a list above that are one thing nevertheless."""


class Piece(NamedTuple):
    """One content word.

    Attributes:
        text: as it is written, folded; of Chinese and Japanese a whole run of characters.
        stem: its stem, or the head of its thesaurus group.
        heads: the thesaurus groups it stands in.
        fixed: a name, or a word with a capital inside a sentence: nothing else may stand for it.
        negated: whether it stands under a denial.
        past: whether it is told as past.
        one: whether it is one of its kind (``a dog``).
        start: its place in the text.
        end: the place behind it.
    """

    text: str
    stem: str
    heads: frozenset[str]
    fixed: bool
    negated: bool
    past: bool
    one: bool
    start: int
    end: int


class Told(NamedTuple):
    """What a text says, in the form in which it is compared.

    Attributes:
        text: the text itself.
        pieces: its content words and items, in order.
        items: how often each item is told, sorted.
        telling: the small words that must be on both sides.
        workers: the verbs of little meaning.
        raw: all words, folded.
        denied: whether anything is denied.
        asks: whether it asks.
        between: what stands before each piece and behind the one before it.
    """

    text: str
    pieces: tuple[Piece, ...]
    items: tuple[str, ...]
    telling: frozenset[str]
    workers: frozenset[str]
    raw: frozenset[str]
    denied: bool
    asks: bool
    between: tuple[tuple[str, ...], ...]


@lru_cache(maxsize=200_000)
def told(text: str) -> Told:
    """Take a text to pieces. Kept in a cache."""
    reading = read(text)
    plain = list(tokens(text))
    whole = [fold(token.text) for token in plain if token.kind == "word"]
    raw = frozenset(whole)
    telling = {
        _ALIKE.get(word, word)
        for word in map(_bare, raw)
        if word in _TELLING or (word in lexicon.STOP and word not in _HARMLESS and word not in _WORKERS)
    }
    if any(word in _SUBJECT for word in whole[2:]):
        telling.add("user")  # whoever is written about is not the subject
    if _MUST.search(text):
        telling.add("to")
    if not text.isascii():
        telling |= {sign for sign in _CJK_TELLING if sign in text}
        raw |= {"有"} & set(text)
        if text.find("用户") > 0 or text.count("用户") > 1:
            telling.add("user")
    pieces = sorted((*_words(reading, plain), *_items(reading)), key=lambda piece: (piece.start, piece.end))
    between: list[tuple[str, ...]] = []
    at = 0
    for piece in pieces:
        gap = tokens(text[at : piece.start]) if piece.start > at else ()
        between.append(tuple(part for token in gap for part in (token.text if token.kind == "cjk" else [fold(token.text)])))
        at = max(at, piece.end)
    return Told(
        text,
        tuple(pieces),
        tuple(sorted(piece.stem for piece in pieces if piece.stem.startswith("#"))),
        frozenset(telling),
        frozenset(_WORKERS[word] for word in raw if word in _WORKERS),
        raw,
        denies(text) or any(clause.negated for clause in reading.clauses),
        "?" in text or "\uff1f" in text,
        tuple(between),
    )


def _bare(word: str) -> str:
    return word.removesuffix("'s").removesuffix("’s")


_SUBJECT = frozenset(word_list("user user's users i me my mine"))
_CJK_TELLING = tuple(word_list("曾 将 想 或 仅 只 每 再 又 以前 之前 以后 之后 可能 打算 如果 他 她 他们 已 快要 必须"))


def _items(reading: Reading) -> list[Piece]:
    """The items but names, which are words. ``one`` and ``a`` are the same."""
    out: list[Piece] = []
    for item in reading.items:
        if item.kind == "name" or item.keys <= {"n:1"}:
            continue
        key = (
            "#"
            + item.kind
            + " "
            + (item.surface if len(item.keys) > 1 and item.kind in ("date", "time") else "|".join(sorted(item.keys)))
        )
        out.append(Piece(item.surface, key, frozenset(), True, False, False, False, item.start, item.end))
    return out


def _words(reading: Reading, plain: Sequence[Token]) -> list[Piece]:
    names = [item for item in reading.items if item.kind == "name" and not item.weak]
    place = {token.start: at for at, token in enumerate(plain)}
    out: list[Piece] = []
    for word in reading.words:
        start, end = word.start, word.end
        if _is_cjk(reading.text[start]):
            last = out[-1] if out else None
            if last is not None and start < last.end < end and not last.stem.startswith("="):
                # overlapping pairs of characters are one run
                run = reading.text[last.start : end]
                out[-1] = last._replace(text=run, stem=run, end=end)
                continue
            if reading.text[start:end] in ("职业", "工作") and reading.text[end : end + 1] == "是":
                continue
            heads = frozenset([word.stem]) if word.stem.startswith("=") else frozenset()
            fixed = any(name.start <= start < name.end for name in names)
            out.append(Piece(reading.text[start:end], word.stem, heads, fixed, word.negated, False, False, start, end))
            continue
        folded = fold(reading.text[start:end]).removesuffix("'s")
        fixed = any(name.start <= start < name.end for name in names)
        if "-" in folded:
            folded = next((each for each in folded.split("-") if stem(each) == word.stem), folded)
        at = place.get(start, 0)
        after = fold(plain[at + 1].text) if at + 1 < len(plain) and plain[at + 1].kind == "word" else ""
        if (folded in _EMPLOYED and after == "as") or (folded in _JOB and after == "is"):
            continue  # "works as a nurse" and "the job is nurse" are "is a nurse"
        before = [fold(token.text) for token in plain[max(0, at - 2) : at]]
        past = not fixed and folded not in _ALIKE and _is_past(folded) and not _AS_ADJECTIVE.intersection(before[-1:])
        one = not _SINGLE.isdisjoint(before) and (not after or after in lexicon.STOP)
        root = _ALIKE.get(folded) or (stem(SPELLINGS[folded]) if folded in SPELLINGS else word.stem)
        out.append(Piece(folded, root, lexicon.related().get(word.stem, frozenset()), fixed, word.negated, past, one, start, end))
    read_as_words = {piece.start for piece in out}
    for at, token in enumerate(plain):
        root = stem(fold(token.text)) if token.kind == "word" else ""
        if root in _HOMOGRAPHS and token.start not in read_as_words:
            before = [fold(each.text) for each in plain[max(0, at - 2) : at]]
            out.append(
                Piece(root, root, frozenset(), False, False, False, not _SINGLE.isdisjoint(before), token.start, token.end)
            )
    return [_without_measure(piece, reading.text) if _is_cjk(piece.text[0]) else piece for piece in out]


def _without_measure(piece: Piece, text: str) -> Piece:
    """Without the measure word before a noun: 一名软件工程师."""
    found = _MEASURE.match(text, max(0, piece.start - 1), piece.end)
    if found is None or found.end() <= piece.start:
        found = _MEASURE.match(text, piece.start, piece.end)
    if found is None or piece.stem.startswith("="):
        return piece
    rest = text[found.end() : piece.end]
    return piece._replace(text=rest, stem=rest, start=found.end())


_MEASURE = re.compile(r"有?[一二两三四五六七八九十几\d][名位个只条台辆件份种](?=.)|[名位只条台辆件份](?=..)")
_HOMOGRAPHS = frozenset(("son", "hat", "die", "war"))
"""English words that the list of stop words holds for other languages' sake."""
_EMPLOYED = frozenset(("work", "works", "working", "employed"))
_JOB = frozenset(("job", "occupation", "profession"))
_SINGLE = frozenset(("a", "an", "one", "another"))


def _is_cjk(char: str) -> bool:
    return "\u3040" <= char <= "\u9fff" or "\uf900" <= char <= "\ufaff" or ord(char) >= 0x20000


@cache
def _past_forms() -> frozenset[str]:
    return frozenset(
        word_list(
            """
    ran went bought taught spoke wrote met began gave took made came knew thought felt found left lost won sold sent spent paid kept
    slept ate drank drove rode swam sang grew fell broke chose wore built lent held led heard saw understood stood told said got
    became died flew threw woke caught brought fought drew hid forgot shook rose did
    """
        )
    )


def _is_past(word: str) -> bool:
    return word in _past_forms() or (len(word) > 4 and word.endswith("ed") and not word.endswith("eed"))


def apart(one: str, other: str, near: Near) -> str | None:
    """Why two texts must stay two, or None where either may stand for both.

    Args:
        near: see ``Near``. Called for single words, and only where all else agrees.

    Symmetric as long as ``near`` is. Linear in the length of the texts but for the few words that are not the same.
    """
    left, right = (told(text) for text in sorted((one, other)))
    return _difference(left, right, near, more=False)


def lacks(kept: str, dropped: str, near: Near) -> str | None:
    """What would be gone if of two texts only ``kept`` stayed; None: it says all that ``dropped`` says, and may say more.

    What it says more comes behind the rest. Nothing that could turn the meaning may be added: no denial or doubt, nobody else, no
    longer name.
    """
    return _difference(told(kept), told(dropped), near, more=True)


def _difference(left: Told, right: Told, near: Near, *, more: bool) -> str | None:
    reason = _plainly_apart(left, right, more=more and not left.denied)
    if reason is not None:
        return reason
    pairs = _align(left, right, near, more=more and not left.denied)
    if isinstance(pairs, str):
        return pairs
    added = left.telling - right.telling
    if added:  # only where one may say more: behind the rest, small words are part of what is added
        last = max((left.pieces[one].end for one, _ in pairs), default=0)
        behind = told(left.text[last:]).telling
        if not added <= behind:
            return f"only one says: {min(added - behind)}"
    return _other_order(left, right, pairs)


def _plainly_apart(left: Told, right: Told, *, more: bool) -> str | None:
    """What can be told without comparing words by meaning."""
    if left.denied != right.denied:
        return "a denial on one side"
    if left.asks != right.asks:
        return "a question on one side"
    if not left.pieces or not right.pieces or max(len(left.pieces), len(right.pieces)) > _LONGEST:
        return "nothing to compare" if not left.pieces or not right.pieces else "too long to be held against each other"
    if left.items != right.items:
        missing, extra = Counter(right.items) - Counter(left.items), Counter(left.items) - Counter(right.items)
        if missing or not more:
            return f"only one says: {_shown(min(missing or extra))}"
    odd = left.telling ^ right.telling
    if more:
        odd = (right.telling - left.telling) | ((left.telling - right.telling) & _TURNING)
    if odd:
        return f"only one says: {min(odd)}"
    if left.workers and right.workers and left.workers != right.workers:
        return f"different verbs: {', '.join(sorted(left.workers))} / {', '.join(sorted(right.workers))}"
    opposites = lexicon.opposites()
    for word in sorted(left.raw - right.raw):
        against = opposites.get(word)
        if against and not against.isdisjoint(right.raw - left.raw):
            return f"opposites: {word} / {min(against & (right.raw - left.raw))}"
    return None


_TURNING = HEDGES | frozenset(word_list("user to only too less least fewer can any gonna 曾 将 想 或 仅 只 可能 打算 如果"))


def _shown(item: str) -> str:
    return item.partition(" ")[2].partition("|")[0].partition(":")[2].replace(":", " ") or item[1:]


def _align(left: Told, right: Told, near: Near, *, more: bool) -> list[tuple[int, int]] | str:
    """Pairs of places, each piece of both sides in one (``more``: each of the right side); or why there are none."""
    pairs: list[tuple[int, int]] = []
    open_right = list(range(len(right.pieces)))
    open_left: list[int] = []
    for at, piece in enumerate(left.pieces):
        found = next((place for place in open_right if _same_word(piece, right.pieces[place])), None)
        if found is None:
            open_left.append(at)
            continue
        open_right.remove(found)
        pairs.append((at, found))
    for at in list(open_left):
        piece = left.pieces[at]
        best, score = None, RELATED
        for place in open_right:
            close = _closeness(piece, right.pieces[place], near)
            if close is not None and (best is None or close > score):
                best, score = place, close
        if best is not None:
            open_left.remove(at)
            open_right.remove(best)
            pairs.append((at, best))
    matched = [at for at, _ in pairs]
    for side, other, places in ((left, right, open_left), (right, left, open_right)):
        for place in places:
            piece = side.pieces[place]
            if more and side is left and _may_add(left, place, matched):
                continue
            if piece.text in _FREE or (piece.stem in _LIGHT and not other.raw.isdisjoint(("has", "have", "having"))):
                continue
            if piece.text in ("养", "拥有") and "有" in other.raw:
                continue
            if any(piece.stem == each.stem and not piece.fixed for each in other.pieces) and _told_twice(side, place):
                continue
            return f"only one says: {piece.text}"
    for one, two in pairs:
        if left.pieces[one].negated != right.pieces[two].negated:
            return f"a denial of {left.pieces[one].text} on one side"
        if left.pieces[one].past != right.pieces[two].past and left.pieces[one].stem not in _EVENTS:
            return f"told as past on one side: {left.pieces[one].text} / {right.pieces[two].text}"
        if _one_and_many(left.pieces[one], right.pieces[two]):
            return f"one on one side, several on the other: {left.pieces[one].text} / {right.pieces[two].text}"
    return pairs


def _one_and_many(piece: Piece, other: Piece) -> bool:
    single, many = (piece, other) if piece.one else (other, piece)
    return single.one and not many.one and many.text in (single.text + "s", single.text + "es", single.text[:-1] + "ies")


def _may_add(side: Told, place: int, matched: Sequence[int]) -> bool:
    """Whether a piece may stand in the fuller text alone."""
    piece = side.pieces[place]
    if not matched or place < max(matched) or piece.text in lexicon.RELATIONS or piece.negated:
        return False
    if piece.text in HEDGES or piece.stem in _INTENT or any(relation in piece.text for relation in lexicon.CJK_RELATIONS):
        return False
    return not (piece.fixed and side.pieces[place - 1].fixed)


_INTENT = frozenset(
    stem(word)
    for word in word_list(
        """
    decide agree promise offer expect prepare help start begin encourage support discuss dream consider suggest recommend learn finish
    ask invite advise request order let allow teach watch see hear remember miss
    """
    )
)
"""Verbs that make of a deed a plan, a memory, or somebody else's deed."""
_EVENTS = frozenset(
    stem(word)
    for word in word_list(
        """
    lose win donate join sign secure buy purchase sell move relocate start begin finish complete graduate adopt marry divorce develop
    publish create build launch injure break fall die receive earn open found invent discover arrive leave return attend organize
    organise host celebrate propose accept reject apply pass fail enroll enrol register release record complete achieve reach face
    """
    )
)
"""Verbs of things that happen once: told as past or as present they are the same (*loses her job*, *lost her job*)."""


def _told_twice(side: Told, place: int) -> bool:
    return sum(each.stem == side.pieces[place].stem for each in side.pieces) > 1


def _same_word(piece: Piece, other: Piece) -> bool:
    if piece.stem == other.stem or piece.text == other.text:
        return not (piece.stem.startswith("=") and piece.text != other.text)
    return False


def _closeness(piece: Piece, other: Piece, near: Near) -> float | None:
    """How close two pieces are that are not the same word; None where they cannot stand for each other."""
    if piece.fixed or other.fixed or _rivals(piece, other):
        return None
    if min(len(piece.text), len(other.text)) < (1 if _is_cjk(piece.text[0]) else 3):
        return None
    opposite = lexicon.opposites().get(piece.text)
    if opposite and other.text in opposite:
        return None
    if {piece.text, other.text} <= _pets():
        return None
    if _is_cjk(piece.text[0]) and _is_cjk(other.text[0]) and not _alike_runs(piece, other):
        return None
    close = near(piece.text, other.text)
    shared = not piece.heads.isdisjoint(other.heads)
    return close if close >= (RELATED if shared else SAME) else None


def _alike_runs(piece: Piece, other: Piece) -> bool:
    """Whether two runs of Chinese characters may be compared by meaning.

    What they have in common at their ends makes any two close, so what is left of each must be a word of its own.
    """
    if piece.stem.startswith("=") or other.stem.startswith("="):
        return True
    one, two = piece.text, other.text
    head = next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    one, two = one[head:], two[head:]
    tail = next(
        (at for at, (a, b) in enumerate(zip(reversed(one), reversed(two), strict=False)) if a != b), min(len(one), len(two))
    )
    if (head or tail) and min(len(one), len(two)) - tail < 2:
        return False
    for group in (*_RIVALS, *map(frozenset, lexicon.CJK_ANTONYMS)):
        if any(w in piece.text and w not in other.text for w in group) and any(
            w in other.text and w not in piece.text for w in group
        ):
            return False
    return True


@cache
def _pets() -> frozenset[str]:
    return frozenset(word_list("dog puppy cat kitten horse pony"))


@cache
def _rival_groups() -> dict[str, list[frozenset[str]]]:
    out: dict[str, list[frozenset[str]]] = {}
    for group in _RIVALS:
        for word in group:
            out.setdefault(word, []).append(group)
    return out


def _rivals(piece: Piece, other: Piece) -> bool:
    return rivals(piece.text, other.text)


def rivals(word: str, another: str) -> bool:
    """Whether two words name different things of one kind: *violin*, *cello*."""
    one, two = stem(word), stem(another)
    if one == two or frozenset((one, two)) in _ONE_KIND:
        return False
    return any(two in group for group in _rival_groups().get(one, ()))


def _other_order(left: Told, right: Told, pairs: list[tuple[int, int]]) -> str | None:
    """Whether the pieces stand in another order that may mean something else.

    Two neighbours may change places where a small word joins them on one side (``allergic to peanuts``, ``peanut allergy``), or
    ``and`` on both; names may not.
    """
    twin = dict(pairs)
    for one, two in pairs:
        # "the teacher of her son" is not "her teacher's son"
        if twin.get(one + 1) == two + 1 and {_small(left, one, one + 1), _small(right, two, two + 1)} == {frozenset(), _OF}:
            return "one is of the other, or the other way round"
    order = [two for _, two in sorted(pairs)]
    places = [one for one, _ in sorted(pairs)]
    at = 0
    while at < len(order):
        smaller = sum(each < order[at] for each in order[at + 1 :])
        if not smaller:
            at += 1
            continue
        swapped = (
            smaller == 1
            and at + 1 < len(order)
            and order[at + 1] < order[at]
            and not any(each < order[at + 1] for each in order[at + 2 :])
            and _may_swap(left, places[at], places[at + 1], right, order[at + 1], order[at])
        )
        if not swapped:
            return "the same words in another order"
        at += 2
    return None


_JOINS = frozenset(word_list("of in to for on at 在 对 的 于"))
_ARTICLES = frozenset(word_list("the a an his her their my its your"))
_OF = frozenset(["of"])
_LINKS = frozenset(word_list("and or & , 和 与 跟 、"))


def _may_swap(left: Told, first: int, second: int, right: Told, one: int, two: int) -> bool:
    if second != first + 1 or two != one + 1:
        return False
    if any(side.pieces[place].fixed for side, place in ((left, first), (left, second), (right, one), (right, two))):
        return False
    here, there = _small(left, first, second), _small(right, one, two)
    if here == there:
        return bool(here) and here <= _LINKS
    return not (here and there) and here | there <= _JOINS


def _small(side: Told, sooner: int, later: int) -> frozenset[str]:
    """The small words between two neighbours, articles aside."""
    text = side.pieces[sooner].text
    inside = {text[-1]} if len(text) > 1 and _is_cjk(text[0]) and text[-1] in _JOINS else set()
    return frozenset(inside.union(side.between[later])) - _ARTICLES


__all__ = ["RELATED", "SAME", "Near", "Piece", "Told", "apart", "lacks", "rivals", "told"]
