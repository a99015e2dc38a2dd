"""Details that a rewrite hangs on a fact that it otherwise tells as the source does: ``allergic to peanuts and shellfish``.

A sentence in which most words have a source is held, and a paraphrase has words of its own. So a word without a source counts as
an addition only where nothing of the source is left that it could stand for: all that the source line tells is told, and still
there is a part more (behind ``and``, ``with``, ``for`` ..., 和, 因为) whose telling words no memory has, nor one of their kin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

from memopt.facts import kinds, lexicon
from memopt.facts.cut_zh import is_noun
from memopt.facts.kin import SEEN, part_of_speech, things, told_in
from memopt.facts.polarity import turns
from memopt.facts.reading import Word
from memopt.facts.senses import chinese_for
from memopt.facts.sorts import sort_of
from memopt.facts.words import stem
from memopt.verify.heads import says_which
from memopt.verify.lines import COMMON_CHARS, Side, is_cjk, weigh
from memopt.verify.search import Search
from memopt.verify.whom import VERBS

_CLAUSE = 5
"""So many Chinese characters without a source are a clause of their own: nothing needs to join them."""
_REWORDED = 2
"""Where more words than this stand for others, the rewrite is too free to tell what is left over."""
_LOOKED_AT = 1_000
"""So many lines with the rarest character of a word are looked at, so that the time stays linear."""
_SINGLE = 0.2
"""A single Chinese character weighs as little as this where no table has it (虾), and yet tells something behind 和."""
TELLING = 0.6
"""From this weight on a word says something of its own."""

_CJK_FILLING = frozenset(
    lexicon.words(
        "独自 影响 造成 导致 引起 帮助 解决 避免 防止 处理 天气 时间 情况 地方 方面 感觉 样子 原因 事情 东西 过程 状态 程度 种类 类型 内容 整体 总体 相关 当地 平日 平时 拨打 拨 致电 拨通 发信 发送 留言 场所 地点 位置 事务 事项 用品 物品 品种 却 则 倒 带 配 附 设 含 且 即 便 皆 均 需 须 得 少许"
    )
)
"""General nouns that a rewrite puts in or leaves out without saying more: 天气凉爽 and 凉爽."""
_JOINING = (
    "and|or|nor|plus|as well as|with|without|for|because|due to|since|after|before|while|whose|who|which|in|at|on|from|by|via|about|of|to|"
    "near|next to|close to|beside|besides|behind|through|throughout|between|among|against|toward|towards|into|onto|that|"
    "than|over|under|during|as|so|when|whenever|wherever|if|unless|until|till|although|though|despite|lest"
)
_JOINS = re.compile(rf"[,;/&+(]|\b(?:{_JOINING})\b", re.I)
_CJK_JOINS = re.compile(r"(?:[和或与及跟、]|以及|还有|因为|由于|为了|[，,；;](?:也|还|并|且)?[是有养会]|[跟照]着)\Z")
_CJK_GOES_ON = re.compile(
    r"(?:(?<![合一归吞])并且?|兼(?!职)|顺[便带]|[，,；;](?:还|而且|同时))(?:(?![不没未别无])[\u4e00-\u9fff]){0,2}\Z"
)
"""What begins a short clause that is hung on another: *并附照片*, *，还因此休克*."""
_CJK_WHERE = re.compile(r"[在到去于]([\u4e00-\u9fff]{0,2})\Z")
_CJK_BEGINS = re.compile(r"[，,；;](?:[\u4e00-\u9fff]{0,2}[已现曾正刚]经?|目前|后来|最近|近来|今年)\Z")
_CJK_ALONE = re.compile(r"(?:\A|[，,；;。])(?:用户|[他她])?(?:[已现正刚也还]经?)?(?:是|有)?(?:一?[个名位])?\Z")
_ALONE_LONGEST = 14
_GAP = 5
_SAID_OTHERWISE = frozenset(
    lexicon.words(
        "老师 教师 医生 导师 学生 孩子 公司 采购 电话 产品 学习 工作 行动 腿脚 朋友 客户 客人 同事 手机 时间 信息 内容 价格 费用 吃饭 睡觉 起床 交友 唱歌"
    )
)
"""Words of which a rewrite tells what they do: *教历史* for *历史老师*."""
_CJK_STOPS = re.compile(r"[了过着]?(?:[，,；;。.！!]|\Z)")
_CJK_ENDS = re.compile(r"[了过着的]?[，,；;。.]|\Z")
"""Between two commas a word is a clause of its own: *，已经绝育，*."""
_CJK_BEFORE = re.compile(
    r"(?:每[次逢当]|(?<!第)(?<!之)一|[边趁用靠凭]着?|等到?|直到|除非|如果|要是|只要|因为?|以免|免得|以便|好让|省得|[为随]了?着?)[她他它]?\Z"
)
_CJK_IS = re.compile(r"是(?:一?[个名位])?\Z")
_CJK_BEHIND = re.compile(r"(?:[之以]?[后前]|时|的时候|期间|[上里中](?=[\u4e00-\u9fff]))")
"""What stands before or behind a part that says when, why, where or how."""
_LISTS = re.compile(r"[,;/&+]|\b(?:and|or|plus|as well as)\b", re.I)
# What rewrites put in without saying more: kinds of what stands there anyway, and how things are done in general.
FILLING = frozenset(
    stem(word)
    for word in lexicon.words(
        """
    hobby pastime leisure fun pleasure spare basis field industry sector career profession occupation job employment employer
    company team role position duty task pet animal companion food meal dish cuisine drink beverage city town country place
    location area home house household residence family relative friend partner child colleague coworker member age birthday
    year month week weekday weekend day morning evening night hour minute moment period date season daily weekly monthly
    health condition issue problem concern reason purpose goal aim plan project topic subject interest activity exercise sport
    game music book movie film language tool software program programming code coding application app system device machine
    computer phone email message note file document option choice favorite favourite beloved own future upcoming current
    ongoing different several various many multiple couple few certain overall side effect case term order sense form style
    manner method approach process result practice routine habit lifestyle diet dietary man woman guy boy girl tall long wide
    high heavy improve alternate help others means youngest oldest eldest deadline contain afternoon noon midday onwards aged
    though although duration taste list question care common increase whole wish mind matter part kind thing use world nature
    outdoors indoors trip travel vacation holiday visit event session class course lesson school study education training
    level background experience skill word quote flat apartment own part event instrument vehicle colour color material brand model breed genre channel platform latter further additional extra ability knowledge money cost price expense budget amount number quantity total
    plenty bunch handful loads heap numerous dozen dozens trouble directory folder entry item fact wear roughly approximately somewhere someplace anywhere sole solely middle mid someday
    sake piece dose dosage ought repository repo website site homepage url link address account username handle identifier reference little clock
    aber jedoch doch obwohl sondern sowie auch pero aunque sino también mais pourtant cependant aussi però anche mas embora também maar ook
    """
    )
)


def additions(
    number: int,
    theirs: Side,
    ours: Side,
    dominant: frozenset[str],
    nearest: Callable[[int], Sequence[int]],
    *,
    only_which: bool = False,
    dropped: bool = False,
) -> list[tuple[int, int, int]]:
    """The parts of a line of a rewrite that add a detail to what its sources tell.

    The other way round, with the sides exchanged: the details of a source that a rewrite leaves out of what it otherwise tells.

    Args:
        number: the line.
        theirs: the side of the rewrite.
        ours: the side of the sources.
        dominant: stems of names that stand for the user.
        nearest: the source lines that come nearest to a unit of the line, best first.
        only_which: only what says which sort of thing a noun names (``memopt.verify.heads``).
        dropped: the sides are exchanged. A rewrite puts in Chinese words around what it tells more freely than it leaves out when or why.

    Returns:
        For each the unit that it stands in, and its span (start, end) in the memory of the line.
    """
    line = theirs.lines[number]
    new = {feature for feature in line.features if is_new(feature, ours, dominant, line.features)}
    if not new:
        return []
    text = theirs.memories[line.memory].memory
    told = theirs.told(number)
    words = [
        word
        for word in told.words
        if word.stem in new or word.stem in dominant or word.stem in ours.by_feature or weigh(word.stem) >= TELLING
    ]
    taken = [(item.start, item.end) for item in told.items]
    out: list[tuple[int, int, int]] = []
    at = 0
    while at < len(words):
        last = at
        while last < len(words) and words[last].stem in new:
            if last > at and is_cjk(words[last].stem) and words[last].start != words[last - 1].end:
                break
            if last > at and words[last].stem in _DEGREES:
                break
            last += 1
        if last == at:
            at += 1
            continue
        ahead = at  # general words that the sources do not have belong to what is new: "as a home media server"
        while (
            ahead
            and not dropped
            and part_of_speech(words[at].stem) not in ("v", "r")
            and _is_put_in(words[ahead - 1], ours)
            and text[words[ahead - 1].end : words[ahead].start] == " "
        ):
            ahead -= 1
        run, before, after = words[at:last], words[ahead - 1] if ahead else None, words[last] if last < len(words) else None
        at = last
        if _PARENT.match(text, run[0].start) or any(
            start < word.end and word.start < end for word in run for start, end in taken
        ):
            continue  # names and figures are looked for by themselves
        if any(
            ((dropped and is_cjk(run[0].stem) and turn.kind == "lack") or (turn.sure and turn.kind == "end" and " " in line.text[turn.start : turn.end]))
            and line.start + turn.start < run[-1].end and run[0].start < line.start + turn.end
            for turn in turns(line.text)
        ):  # fmt: skip
            continue  # what turns the meaning is looked for as such: to say goodbye to somebody, to part with him, 休息
        gap = text[before.end if before is not None else line.start : run[0].start]
        behind = text[run[-1].end : after.start if after is not None else line.end]
        if not is_cjk(run[0].stem) and len(run) > 1 and _opens(run, text):
            gap += text[run[0].start : run[1].start]
            run = run[1:]
        if is_cjk(run[0].stem):
            joined = (
                run[-1].end - run[0].start >= _CLAUSE
                or (
                    run[-1].end - run[0].start > 1
                    and _CJK_GOES_ON.search(text[max(0, run[0].start - _GAP) : run[0].start]) is not None
                )
                or (dropped and _says_with_what(run, gap, text, after))
                or (
                    dropped
                    and run[-1].end - run[0].start > 1
                    and bool(
                        _CJK_BEFORE.search(gap)
                        or _CJK_BEHIND.match(behind)
                        or (_CJK_IS.search(gap) and _CJK_STOPS.match(text, run[-1].end))
                    )
                )
                or bool(_CJK_JOINS.search(gap))
                or (
                    (where := _CJK_WHERE.search(gap)) is not None
                    and any(_names_place(where[1] + text[run[0].start : word.end]) for word in run)
                )
                or (run[-1].end - run[0].start > 1 and bool(_CJK_BEGINS.search(gap)) and bool(_CJK_ENDS.match(behind or "。")))
                or (
                    run[-1].end - run[0].start > 1
                    and _CJK_ALONE.search(text[max(0, run[0].start - _ALONE_LONGEST) : run[0].start]) is not None
                    and _CJK_STOPS.match(text, run[-1].end) is not None
                )
            )
        else:
            joined = bool(
                _JOINS.search(gap)
                or (dropped and _IS_A.search(gap))
                or (before is None and after is not None and _LISTS.search(behind))
            )
        if run[0].stem == _SLIGHT and _COMPARED.match(text, run[-1].end):
            continue
        # how bad it is stands before what it is said of, and nothing needs to join it
        degree = not is_cjk(run[0].stem) and all(word.stem in _DEGREES for word in run)
        unit = _unit_of(run[0], line.units, theirs)
        if unit is None:
            continue
        # the unit before it may be what it was hung on
        around = line.units[max(0, line.units.index(unit) - 1) : line.units.index(unit) + 1]
        near = {found for each in around for found in nearest(each)[:1]}
        which = says_which(run, after, text, near, ours)
        if only_which and not which:
            continue
        if not (degree or which) and (
            not joined or _is_verb(run, text, gap, text[before.start : before.end] if before is not None else "")
        ):
            continue
        if near and (_of_one_root_told(run, near, ours) if which else akin_told(run, near, ours)):
            continue
        if near and not _stands_for_something(run, gap, near, theirs, ours, dominant):
            out.append((unit, run[0].start, run[-1].end))
    return out


def _says_with_what(run: Sequence[Word], gap: str, text: str, after: Word | None) -> bool:
    """Whether a thing of the list is what something is done with or at, or says which sort the noun right behind it names."""
    if not any(len(word.stem) > 1 and word.stem in kinds.chinese_words() and word.stem not in _SAID_OTHERWISE for word in run):
        return False
    sort = after is not None and after.start == run[-1].end and len(after.stem) > 1 and is_noun(after.stem)
    return sort or _CJK_WITH.search(gap) is not None


_CJK_WITH = re.compile(r"[对在给用从被因跟和与向][了着]?\Z")
_OPENERS = frozenset(lexicon.words("whenever wherever whilst close next adjacent"))
"""Words that begin a clause or tell where, and nothing themselves."""
_DOES = re.compile(r"\b(?:that|which|who)(?: \w+ly)? \Z", re.I)
_AS = re.compile(r" (?:as|for|with|by|from|in|at|on) (?:(?:an?|the|his|her|their|its) )?\Z", re.I)


def _opens(run: Sequence[Word], text: str) -> bool:
    """Whether the first word of a run only leads to what is told behind it: *close to the harbour*, *that doubles as a photo lab*."""
    if text[run[0].start : run[0].end].casefold() in _OPENERS:
        return True
    return bool(_DOES.search(text[max(0, run[0].start - 30) : run[0].start]) and _AS.fullmatch(text[run[0].end : run[1].start]))


def superfluous(number: int, theirs: Side, ours: Side, back: Search, there: Search) -> tuple[int, int] | None:
    """The first new word of a line that tells nothing else: all that its sources say is told by other lines of the rewrite.

    *Pia started a yoga class. She hopes to become a yoga instructor.* borrows its words from what is told anyway.

    Returns:
        Where the word stands in the memory of the line; None where the line is needed, or has no such word.
    """
    line = theirs.lines[number]
    if not line.text.isascii() or len(line.units) > _UNITS:
        return None
    words = [
        word
        for word in theirs.told(number).words
        if weigh(word.stem) >= _STRANGE and is_new(word.stem, ours, back.dominant, line.features)
    ]
    if not words:
        return None
    sources = dict.fromkeys(at for index in line.units for at in back.top(theirs.units[index], line, theirs.units))
    for at in sources:
        source = ours.lines[at]
        for index in source.units:
            top = there.top(ours.units[index], source, ours.units)
            if not top or top[0] == number:
                return None
            terms = [each for each in ours.units[index].terms if each.weight]
            if there.share(terms, top[:1])[0] < _TOLD:
                return None
    return (words[0].start, words[0].end) if sources else None


_UNITS = 3
_STRANGE = 0.75
"""A word of this weight is no other word for one that everybody uses."""
_TOLD = 0.7
"""A clause of which another line has this share of the words is told there."""


_PARENT = re.compile(r"(?:mother|father|mum|mom|dad|parent) of (?:two|three|four|five|six|\d)\b", re.I)
"""*a mother of three* says that she has three children."""


def is_new(word: str, ours: Side, dominant: frozenset[str], itself: frozenset[str] = frozenset()) -> bool:
    """Whether a word tells something, and the other side has neither it nor one of its kin.

    Args:
        itself: what stands beside the word. A kin that is told in its own words needs nothing to stand for it: *drink* in
            *does not drink coffee or alcohol*.
    """
    if word in dominant or word in FILLING or word in _CJK_FILLING or word in ours.by_feature:
        return False
    if weigh(word) < (TELLING if not is_cjk(word) else 0.5 if len(word) > 1 else _SINGLE) or word in COMMON_CHARS:
        return False
    kin = ours.akin(word)
    if kin.keys() - itself or any(_is_form_of(other, word) for other in kin):
        return False
    if not is_cjk(word):
        return True
    return not _stands_in(word, ours) and not any(len(other) > 1 and _stands_in(other, ours) for other, _ in chinese_for(word))


def _names_place(word: str) -> bool:
    """Whether a Chinese word names a place where things are done: a station, a shop, a park."""
    return len(word) > 1 and word[-1] in "店馆院校室厅房楼站场园厂所铺吧湖海山河岛街桥"


def _is_form_of(one: str, two: str) -> bool:
    """Whether two kin are of one root: *writing*, *writer*. That is told, whatever else stands beside it."""
    return one.isascii() and len(one) >= 4 and len(two) >= 4 and one[:4] == two[:4]


def _stands_in(word: str, side: Side) -> bool:
    """Whether the characters of a Chinese word stand together in a line of a side, however that line was cut into words."""
    places = [side.by_feature.get(char) for char in word]
    known = [numbers for numbers in places if numbers is not None]
    if len(known) < len(places):
        return False
    return any(word in side.lines[number].text for number in min(known, key=len)[:_LOOKED_AT])


_AUXILIARY = re.compile(
    r"(?:\b(?:has|have|had|is|are|was|were|be|been|being|to|not|never|would|will|can|cannot|could|should|must|may|might|does|do|did|who|which|that|"
    r"he|she|they|it|user)|n['’]t)\s+\Z",
    re.I,
)
_SUBORDINATE = re.compile(
    r"\b(?:so|when|whenever|wherever|if|unless|until|till|because|since|although|though|lest|in order to|so as to|while|before|after)\b|\bto\s+\Z",
    re.I,
)
"""What begins a clause that says when, why or what for: all of it is hung on the other one."""
_WEATHER = re.compile(r"\b(?:when|whenever|if|unless|until|because|since) it\s+\Z", re.I)
_IS_A = re.compile(r"\b(?:is|was) an? \Z", re.I)
_IS = re.compile(r"\b(?:is|are|was|were)\s+\Z", re.I)
_IS_ALL = re.compile(r"\s*(?:[,.;]|\Z|(?:and|but)\b)")
_PARTICIPLE = re.compile(r"(?:ing|ed|en)\Z")
_ENDS = re.compile(r"\s*(?:[,.;]|\Z)")
_GOES_ON = re.compile(rf"\s+(?!(?:{_JOINING})\b)[\w']")
_MORE = re.compile(r"\s+[\w'$€£]")


def _is_verb(run: Sequence[Word], text: str, gap: str, before: str) -> bool:
    """Whether an English run is a verb of a clause that tells what the source does: rewrites have other verbs for it."""
    if is_cjk(run[0].stem):
        return False
    if (len(run) > 1 and _SUBORDINATE.search(gap)) or (_WEATHER.search(gap) and _ENDS.match(text, run[-1].end)):
        return False
    if _AUXILIARY.search(gap):
        return not (
            len(run) == 1
            and _IS.search(gap)
            and part_of_speech(run[0].stem) == "a"
            and _IS_ALL.match(text, run[0].end)
            and not _PARTICIPLE.search(text, run[0].start, run[0].end)
        )
    if len(run) > 1:
        return False
    if part_of_speech(run[0].stem) == "v" and _AND.search(gap) and _GOES_ON.match(text, run[0].end):
        return True
    if _OBJECT.match(text, run[0].end):
        return True
    surface = text[run[0].start : run[0].end].lower().partition(" ")[0]  # "looks for" is one word
    if surface.endswith("ed"):
        return True
    if surface in _VERBS and _LISTS.search(gap):
        return True
    if surface.endswith("s") and not before.lower().endswith("s") and _LISTS.search(gap) and _MORE.match(text, run[0].end):
        return True
    if surface.endswith("ing"):
        return _MORE.match(text, run[0].end) is not None or not before.lower().endswith("ing")
    return surface.endswith("s") and not surface.endswith(("ss", "us", "is")) and _GOES_ON.match(text, run[0].end) is not None


_AND = re.compile(r"(?:\b(?:and|or|but|then|also)|[,;])\s*\Z", re.I)
_OBJECT = re.compile(r" (?:him|her|them|me|us|it)\b", re.I)
"""What stands behind a verb: *write him an e-mail*."""
_VERBS = frozenset(
    lexicon.words(
        "looks goes comes gets takes makes puts gives keeps finds seeks relies aims strives tries hopes wants needs cares deals depends asks listens"
        " belongs becomes remains stays seems serves acts helps lets sets brings sends leads turns waits prepares enjoys likes loves prefers hates"
    )
)
"""Forms in -s that are hardly ever nouns."""


def _is_put_in(word: Word, ours: Side) -> bool:
    """Whether an English word is a general one that the other side does not have."""
    return word.stem.isascii() and word.stem in FILLING and word.stem not in ours.by_feature and not ours.akin(word.stem)


def _unit_of(word: Word, units: Sequence[int], side: Side) -> int | None:
    """The unit that a word stands in."""
    return next((unit for unit in units if side.units[unit].start <= word.start < side.units[unit].end), None)


_SLIGHT = stem("slightly")
_COMPARED = re.compile(r" (?:less|more|under|over|below|above|fewer|longer|shorter)\b", re.I)
"""*Slightly less than a year* is *just under a year*: it says nothing of its own there."""
_DEGREES = frozenset(
    stem(word)
    for word in lexicon.words(
        "severe severely threatening mild mildly slight slightly serious seriously acute acutely chronic chronically deadly fatal fatally life-threatening lethal"
        " dangerous dangerously extreme extremely moderate moderately critical critically terminal terminally borderline partial partially heavily badly"
        " incurable benign harmless strenuous gruelling grueling intense intensely fierce fiercely strict strictly passionate passionately secretly"
        " reluctantly red blue green yellow orange purple pink brown grey gray black white golden wooden leather antique vintage brand-new second-hand"
        " secondhand elderly luxury luxurious organic award-winning famous huge tiny expensive cheap"
    )
)
"""How bad or how much something is: words that are easily hung on a fact, and that nothing else in a sentence tells."""
_REASON = re.compile(r"\b(?:because|due to|owing to|on account of|thanks to|reasons?)\b", re.I)
_CAUSES = re.compile(
    r"\b(?:because|due|since|as|for|so|after|from|to|owing|account|thanks|why|reason\w*|caus\w*|mak\w*|made|le[ad]d?s?|result\w*|by|with|that|when)\b|:",
    re.I,
)
"""What may tell a reason in other words."""
_OF_ITS_OWN = frozenset(("animal", "food", "plant"))
"""Sorts of things that no verb and no other sort of thing stands for."""


@cache
def _company() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon.RELATIONS)


def akin_told(run: Sequence[Word], lines: set[int], ours: Side) -> bool:
    """Whether each word of a run is loosely akin to one of the sources (*boyhood*, *boy*), so that it adds nothing."""

    def is_told(word: str) -> bool:
        # an ambulance is a sort of car, and another car
        loosely = word not in _DEGREES and not things(word) & SEEN
        return word.isascii() and (
            len(word) < 3 or any(told_in(word, ours.lines[found].text, loosely=loosely) for found in lines)
        )

    return all(is_told(word.stem) for word in run)


def _of_one_root_told(run: Sequence[Word], lines: set[int], ours: Side) -> bool:
    """Whether each word of a run is told in another form: *wooden*, *made of wood*."""
    return all(any(told_in(word.stem, ours.lines[found].text, loosely=False) for found in lines) for word in run)


def _stands_for_something(
    run: Sequence[Word], gap: str, lines: set[int], theirs: Side, ours: Side, dominant: frozenset[str]
) -> bool:
    """Whether the sources of what stands around the run tell something that the rewrite tells nowhere: the run may say that.

    Args:
        gap: what stands between the run and the word before it.
    """
    if is_cjk(run[0].stem):
        whole = "".join(ours.lines[found].text for found in lines)
        if any(char in whole for word in run for char in word.stem if char not in COMMON_CHARS):
            return True
    missing = {
        feature
        for found in lines
        for feature in ours.lines[found].features
        if feature not in dominant and feature not in theirs.by_feature and weigh(feature) >= TELLING
    }
    if len(missing) > _REWORDED:
        return True
    left = {feature for feature in missing if is_new(feature, theirs, dominant)}
    if not left:
        return False
    if (
        _REASON.search(gap)
        and any(sort_of(word.stem) for word in run)
        and not any(_CAUSES.search(ours.lines[found].text) for found in lines)
    ):
        return False  # nothing there tells why
    return not any(_stands_alone(word.stem, left) for word in run)


def _stands_alone(root: str, missing: set[str]) -> bool:
    """Whether none of the missing words can be what a word stands for: *sister* stands for somebody, *peanut* for something to eat."""
    if root in _DEGREES:  # neither what somebody does nor a thing is told by how it is
        return all(other.isascii() and (other in VERBS or sort_of(other) is not None) for other in missing)
    if root in _company():
        return not any(_is_somebody(other) for other in missing)
    sort = sort_of(root)
    if sort is None or sort.name not in _OF_ITS_OWN:
        return False
    return not any(not other.isascii() or (one := sort_of(other)) is None or one.name == sort.name for other in missing)


def _is_somebody(root: str) -> bool:
    sort = sort_of(root)
    return root in _company() or not root.isascii() or (sort is not None and sort.name in ("person", "group"))
