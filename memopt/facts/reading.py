"""Reading a text: sentences, clauses, content words with their polarity, and all items."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.breaks import BARS, opens, unmarked_breaks
from memopt.facts.cut_zh import cut, is_word
from memopt.facts.items import MONTHS, Item, bare_name, find_items
from memopt.facts.lexicon import words as word_list
from memopt.facts.senses import is_common
from memopt.facts.words import CJK, Token, bare, bigrams, fold, stem, tokens


class Word(NamedTuple):
    """One content word.

    Attributes:
        stem: light stem, folded and without diacritics; for Chinese and Japanese a pair of characters, or ``=head`` where the
            thesaurus knows the word.
        start: offset of its first character in the text.
        end: offset behind its last character.
        negated: whether it stands under a negation or a verb such as ``dislikes``, ``stopped``, ``avoids``.
    """

    stem: str
    start: int
    end: int
    negated: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence between strong breaks (``;``, ``but``, a comma before a new predicate).

    Attributes:
        start: offset of its first character in the text.
        end: offset behind its last character.
        sentence: index into ``Reading.sentences``.
        negated: whether anything in it is negated.
        words: its content words, in order.
        items: its items (those that begin in it), in order.
    """

    start: int
    end: int
    sentence: int
    negated: bool
    words: tuple[Word, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text says, as far as it can be read without a model.

    Attributes:
        text: the text that was read; all spans index it.
        sentences: (start, end) of each sentence, line or bullet, without the white space around it; they do not overlap.
        clauses: the sentences cut further; every content word and every item is in exactly one.
        items: numbers, dates, names, quotes ... (see ``memopt.facts.items``), in order of their start. Quotes may enclose others.
    """

    text: str
    sentences: tuple[tuple[int, int], ...]
    clauses: tuple[Clause, ...]
    items: tuple[Item, ...]

    @property
    def words(self) -> tuple[Word, ...]:
        """The content words of all clauses, in order."""
        return tuple(word for clause in self.clauses for word in clause.words)

    @property
    def names(self) -> tuple[Item, ...]:
        """The items that are proper nouns."""
        return tuple(item for item in self.items if item.kind == "name")

    @property
    def stems(self) -> frozenset[str]:
        """The stems of all content words."""
        return frozenset(word.stem for clause in self.clauses for word in clause.words)

    @property
    def keys(self) -> frozenset[str]:
        """All keys of all items but names and quotes."""
        return frozenset(key for item in self.items if item.kind not in ("name", "quote") for key in item.keys)


_ABBREVIATIONS = frozenset(
    word_list(
        """
    mr mrs ms dr prof st sr jr vs etc e.g i.e eg ie no nr approx ca inc ltd co dept u.s u.k d.c ph.d p.m a.m z.b
    bzw usw sra dra tel incl excl est resp mme mlle mgr attn ave blvd vol fig ext univ assn bros corp govt
    """
    )
)


@cache
def _break_pattern() -> re.Pattern[str]:
    return re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？｡]+[”’」』）]*|[\r\n\u2028\u2029]+|\.(?=[\u3400-\u9fff])")


def _is_counted(text: str, start: int, found: re.Match[str], word: str) -> bool:
    """Whether the dot belongs to a number: ``1. August``, or ``2.`` at the head of a list's line."""
    if not word.isdigit() or len(word) > 2:
        return False
    if not text[start : found.start() - len(word)].strip():
        return True
    following = _NEXT_WORD.match(text, found.end())
    return following is not None and fold(following[1]) in MONTHS


_NEXT_WORD = re.compile(r"\s*([^\W\d_]+)")


def _next_mark(text: str, at: int) -> str:
    """The first character from a place on that is no white space. A text may be long, so the rest of it is not copied."""
    while at < len(text) and text[at].isspace():
        at += 1
    return text[at : at + 1]


_INITIALS = re.compile(r"(?:[A-Z]\.)+")
_OPENS_SENTENCE = re.compile(
    r"\s*(?:He|She|It|They|His|Her|Its|Their|The|A|An|User|This|That|These|In|On|At|For|From|Since|After|Before|When|While|Both|Also|There|By|With|As|But|And)\b"
)
"""Behind several initials (*in the U.S. She works*) the next sentence may begin; behind *J.K.* a name goes on."""


_LONGEST = 4000
"""A sentence of more characters is no sentence that somebody wrote, and is not looked through for others."""


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Spans of sentences. Abbreviations, initials, ``1. August`` and decimal points do not end one; a line break does."""
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _break_pattern().finditer(text):
        mark = found.group()
        if mark[0] == "." and len(mark.rstrip("\"'”’»)]")) == 1 and found.end() < len(text):
            before = re.search(r"[^\s(\"'“‘]*$", text[max(start, found.start() - 24) : found.start()])
            word = before.group().casefold() if before else ""
            after = _next_mark(text, found.end())
            initials = _INITIALS.fullmatch(text, found.start() - len(word), found.end()) is not None
            ends = initials and len(word) > 1 and _OPENS_SENTENCE.match(text, found.end()) is not None
            measured = (
                re.search(r"\d\s?$", text[max(start, found.start() - len(word) - 2) : found.start() - len(word)]) is not None
            )
            if (
                (word in _ABBREVIATIONS and not ends and not (measured and not after.islower()))
                or (initials and not ends)
                or _is_counted(text, start, found, word)
                or after.islower()
            ):
                continue
        spans.append((start, found.end()))
        start = found.end()
    spans.append((start, len(text)))
    out = []
    for left, right in spans:
        piece = text[left:right]
        inner = piece.strip()
        if inner and any(ch.isalnum() or ord(ch) > 0x2000 for ch in inner):
            begin = left + len(piece) - len(piece.lstrip())
            cuts = [0, *unmarked_breaks(inner), len(inner)] if len(inner) <= _LONGEST else [0, len(inner)]
            for at, then in pairwise(cuts):
                out.append((begin + at, begin + at + len(inner[at:then].rstrip())))
    return out


_STRONG = frozenset(
    word_list(
        """
    but however although though while whereas except yet instead aber sondern pero sino mais ma tetapi tapi namun
    но
    """
    )
)
_PREDICATES = frozenset(
    word_list(
        """
    watches catches brushes washes fixes misses discusses wishes searches finishes carries tries cares hosts tutors coaches mentors advises repairs grows raises breeds builds designs
    leaves returns comes brings sends orders cancels rejects refuses pays tips calls texts emails chats talks listens hears helps joins visits hopes intends hopes expects dreams worries
    suspects remembers forgets admires respects trusts misses appreciates values treasures cherishes supports represents walks jogs skis surfs sails rows climbs camps fishes hunts paddles
    fears dreads resents misses lacks hosts shares rents leases mows vacuums irons orders imports exports distrusts mistrusts
    is are was were am has have had does do did will would can could should adores cooks bakes swims sings dances paints collects attends teaches manages leads holds spends earns saves owes
    buys sells sees meets finds gives gets goes sleeps wakes commutes practices practises trains follows supports volunteers cycles hikes
    travels considers seeks aims suffers swears tends handles maintains writes looks feels remains becomes stays sings
    likes like loves love enjoys enjoy
    prefers prefer uses use wants want needs need works work lives live plans plan owns own hates hate dislikes
    dislike avoids avoid knows know plays play eats eat drinks drink takes take wears wear speaks speak keeps keep
    runs run studies study learned learns visits travels moved started stopped switched became got made went said
    asked thinks believes feels hopes rents pays drives rides reads writes sleeps he she they it i we user mag
    liebt hasst ist hat wohnt arbeitet le es tiene vive est aime il elle gosta é tem suka adalah
    """
    )
)
# What a denial does not reach into: "does not eat gluten because of ...", "not successful before, to make a difference".
_SUBORDINATE = frozenset(
    word_list(
        "to with for which who whose where when so because as since in on at by then after due thanks until unless if although"
    )
)
_CUT_DENIAL = frozenset(word_list("because since so which who where although though due thanks despite when whenever during"))
_NEGATED_SHORT = frozenset(
    word_list(
        """
    dont doesnt didnt cant wont isnt arent wasnt werent hasnt havent hadnt shouldnt wouldnt couldnt aint
    """
    )
)
_EN_COMMON = frozenset(
    word_list(
        """
    user users name likes loves hates enjoys prefers lives works has owns wants needs plays speaks uses plans
    lately recently today yesterday tomorrow currently previously formerly later earlier soon since after before
    during once overall additionally moreover furthermore therefore however also finally meanwhile besides instead
    thus hence sometimes usually favorite favourite birthday address phone email goal goals hobby hobbies job work
    family pet pets diet home note notes summary next last first second third new old good great many several few
    two three four five six seven eight nine ten please yes no not never always none nobody both either neither
    every all some any another other others despite although because while when where what who why how if unless
    until even just only still success example pending status fixed added updated implemented verified identified
    refactored created removed involved important critical completed file files test tests all code project system
    though albeit whereas whilst lest till whenever wherever whichever whatever whoever nevertheless nonetheless accordingly consequently
    subsequently eventually originally initially apart aside regarding concerning according amid among amongst upon via per plus notwithstanding
    throughout within without toward towards unlike near nearby inside outside opposite given seeing considering provided supposing assuming
    granted thanks owing due except excluding including following together altogether apparently reportedly evidently certainly clearly
    admittedly fortunately unfortunately luckily sadly hopefully surprisingly interestingly afterwards thereafter beforehand hence
    user's users' success criteria der die das er sie es nutzer benutzer ein eine ich wir mein meine seine ihre im
    am seit el la los las un una usuario le les utilisateur il elle o os as um uma usuário lo gli utente pengguna
    dia saya
    """
    )
)
_NO_NAME = frozenset(
    word_list(
        """
    i i'm i've i'd i'll ok okay mr mrs ms dr prof pm am a an the user users user's users' utc tv
    """
    )
)
_NOT_GIVEN = (
    "ly",
    "ment",
    "ness",
    "tion",
    "sion",
    "ship",
    "ing",
    "ings",
    "ance",
    "ence",
    "ity",
    "ary",
    "ive",
    "able",
    "ful",
    "ous",
    "al",
    "ies",
)
_GIVEN_NAMES = frozenset(
    word_list(
        """
    al art april august autumn amber ash basil bill bob brook buck buddy carol charity chase chip clay cliff daisy dale dawn dean
    dolly don earl eve faith fern flora forest frank gene ginger glen grace grant guy hazel heather holly honor hope hunter iris ivy
    jack jade jasmine jasper jay jean jewel joy june lance laurel lee lily lucky luna mark mason max may melody mercy miles mike
    misty nick noble norm olive opal pat patience pearl peg penny pepper piper poppy ray reed rich river rob robin rocky rod roman rose
    ruby rusty sage sally sandy scarlet scout serenity shadow skip sky star stella sterling storm summer sunny terry trinity victor
    violet wade ward warren wayne will willow windy winter woody
    """
    )
)
_COMPOUND = re.compile(
    r"^(.+?)-(?:born|style|driven|speaking|made|built|run|led|grown|won|written|woven|compatible|only|[a-z]{2,}ed)$"
)
_CONNECTORS = frozenset(
    word_list(
        """
    of de da do dos das van von der den del della di du la le el al bin ibn y
    """
    )
)
_SURNAMES = (
    "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛"
    "叶葉阎閻余潘杜戴夏钟鍾汪田任姜范方石姚谭譚廖邹熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯尹黎易常武乔贺賀赖賴龚文欧安"
)
_NOT_CJK_NAMES = frozenset(
    word_list(
        """
    高兴 常常 方便 方法 方案 方面 方向 白天 金钱 文章 文化 文件 文字 周末 周一 周二 周三 周四 周五 周六 周日 高中 高级 高铁 马上 万一 何时 任何 于是 石头 江边 易于 常见 常用 安全 安排 安装
    老师 老板 老家 老婆 老公 老人 老年 老虎 老鼠 老外 老是 小学 小时 小说 小猫 小狗 小孩 小组 小区 小型 小吃 小提 小米 小麦 小腿 阿姨
    安静 金融 金额 田野 康复 程序 白酒 白色 黄色 黄油 金色 高考 高效 高温 高级 文学 夏天 秦朝 唐朝 宋朝 陆续 余下 于他 于她 周围 周年 周期 任务 任职 方式 许多 曾经 曾在 曾是 何处 张贴 石油
    龙虾 马拉 马拉松 马铃薯 杨梅 孔雀 熊猫 田径 毛衣 毛病 常去 常吃 常喝 常年 常住 常驻 时常 成天 成年 全年 全家 全程 全天 经年 终年 终于 终身 向来 万一 方才 方便 都在 都会 都是 都有 和好 和解 和睦 和谐 和平 平时 平日 平常 平均
    于是 于今 应该 应当 尚未 尚在 尚无 卓越 匆忙 时而 时刻 时隔 管家 盛夏 严冬 严重 单独 单身 单程 单次 高度 高中 高铁 温水 温和 温度 水果 水电 双方 双休 元旦 元宵 花店 花费 花园 明年 明天 明显 明确
    顾虑 顾客 安排 安装 安慰 毛笔 古董 房贷 房租 房东 房子 马上 马虎 牛奶 牛肉 白天 白班 黑色 黄昏 金鱼 银行 池塘 海鲜 海外 海边 雷雨 车贷 车位 冷静 冷战 游泳 游戏 游客
    常备 易怒 高烧 高血 白领 马尾 马桶 马路 江南 江边 金牌 金婚 方可 向往 任教 任课 文员 文具 石板 汤圆 毛巾 夏令 秋天 段子
    """
    )
)


CJK_TITLES = tuple(
    word_list(
        "老师 医生 经理 先生 女士 教授 总 律师 阿姨 叔叔 奶奶 爷爷 教练 师傅 主任 院长 校长 导师 护士 同学 秘书 会计 队长 组长 局长 部长 董事长 医师 大夫"
        " 老板 房东 编辑 博士"
    )
)
"""What stands behind a surname in the stead of a given name."""


@cache
def _cjk_name_pattern() -> re.Pattern[str]:
    relations = "|".join(sorted(lexicon.CJK_RELATIONS, key=len, reverse=True))
    cue = rf"名叫|叫做|叫|名字是|姓名是|姓名：|姓名:|名字：|名为|女士|先生|{relations}|和|与|跟|、|给|认识|遇见|见了|向(?!于)|由(?!于)|是|及|喜欢|最爱|作者|作家|歌手|演员|导演|偶像|班主任|辅导员|任课老师|客户经理|项目经理|物业经理|月嫂|钟点工|中介"
    after = rf"(?=[^{CJK}]|$|的|是|在|住|说|喜|爱|也|和|与|跟|有|会|去|来|从|将|叫|不|今|[借欠付租卖则又才就只再刚总该没并且却仍以帮带送寄请接找看听写读走跑陪修飞到患感认反支推介答告通发愿能可应须必怕嫌更最共各分自此现目原其那这你我他她管虽竟却掌骑唱弹练拿戒赚遭睡退]|同(?=[在住样时去为是])|每|想|要|工|负|说|对|于|很|正|已|因|为|被|都|比|结|给|学|讨|养|买|打|吃|喝|做|教|让|出|搬|换|过|毕|参|一起|了|还|仍|任|担|当|曾|先|后|另|均|皆|亦|尚|未|离|单身|单独|常|时常|经常|偶|始|能|也|们|家|谈|聊)"
    title = "|".join(CJK_TITLES)
    title_of_many = "|".join(word for word in CJK_TITLES if len(word) > 1 and word not in ("老板", "同学", "会计", "编辑"))
    return re.compile(
        rf"(?:(?P<cue>{cue})|(?<![{CJK}]))(?P<name>[{_SURNAMES}](?:(?:{title})|[{CJK}]{{1,2}}?)){after}"
        rf"|(?:小名|乳名|昵称|网名|外号|绰号|艺名|笔名|大名|学名)(?:是|叫|为)?(?P<nick>[{CJK}]{{1,4}}?)(?=[^{CJK}]|$|的|和|她|他|它|今年|在|是)"
        rf"|(?:名叫|叫做|(?<!大)叫(?![法作卖声停醒车板好苦])|名字是|名为)(?P<called>[{CJK}]{{1,4}}?)(?=[^{CJK}]|$|的|，|和|，|她|他|它|今年|在|是)"
        rf"|(?<=姓)(?<!百姓)(?P<family>[{_SURNAMES}])(?=[^{CJK}]|$|的|，|名|和|是)"
        rf"|(?P<titled>[{_SURNAMES}][{CJK}]{{2}})(?=(?:{title_of_many}))"
        rf"|(?P<pre>[小老阿][{CJK}])(?=是|在|的|和|说|喜|，|。|、|今年|住|也)"
        r"|(?P<kata>[\u30a0-\u30ff]{2,})"
    )


@cache
def _quote_pattern() -> re.Pattern[str]:
    return re.compile(
        r"[“„«\"]([^“”„»\"\n]{1,400})[”“»\"]|「([^「」\n]{1,400})」|『([^『』\n]{1,400})』|《([^《》\n]{1,200})》"
        r"|(?<![\w'’])['‘](?![\s])([^'‘’\n]{0,200}?(?:\w['’]\w[^'‘’\n]{0,200}?)*)['’](?!\w)"
    )


def _find_quotes(text: str) -> list[Item]:
    out = []
    for found in _quote_pattern().finditer(text):
        inner = next((group for group in found.groups() if group is not None), "")
        plain = fold_phrase(inner)
        if plain:
            out.append(Item("quote", plain, found.group(), found.start(), found.end(), frozenset([plain])))
    return out


_ASCII_PHRASE = re.compile(r"[a-z]+(?:['`-][a-z]+)*|\d+(?:[.,:/]\d+)*|[+#%$]|(?<![\w)])-(?=\d)")


def fold_phrase(text: str) -> str:
    """Words and numbers of a text in one line, bare: how quotes are looked for in a rewrite."""
    if text.isascii():  # the same in one step
        return " ".join(_ASCII_PHRASE.findall(text.lower()))
    return " ".join(
        bare(token.text).replace("−", "-")
        for token in tokens(text)
        if token.kind != "mark" or token.text in "+#%€$£¥" or (token.text in "-−" and _is_sign(text, token.start))
    )


def _is_sign(text: str, at: int) -> bool:
    """Whether a dash stands before a figure and behind nothing that it could join: *-18 degrees*."""
    return text[at + 1 : at + 2].isdigit() and not (at and (text[at - 1].isalnum() or text[at - 1] in "_)"))


def _looks_like_verb(word: str) -> bool:
    return word in _PREDICATES or (len(word) > 3 and word.endswith(("s", "ed")) and not word.endswith(("ss", "us")))


def _find_names(text: str, pieces: list[Token], starts: frozenset[int], taken: list[bool], chinese: list[bool]) -> list[Item]:
    """Proper nouns by capitals and their place; see ``Item.weak`` for a first word that may be just a first word."""
    out: list[Item] = []
    known = {
        fold(piece.text)
        for at, piece in enumerate(pieces)
        if piece.kind == "word"
        and piece.text[0].isupper()
        and piece.start not in starts
        and at
        and pieces[at - 1].text not in ("“", '"', "‘", "(", ":")
    }
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        if piece.kind != "word" or taken[at] or not _may_be_name(piece.text, chinese[at]):
            at += 1
            continue
        if fold(piece.text) in _OF_A_WORK and text[piece.start - 2 : piece.start - 1] in "'\"’”»』」":
            at += 1  # 'Dune' Trilogy
            continue
        first = piece.start in starts
        run = [piece]
        weak = False
        plain = fold(piece.text).removesuffix("'s")
        if first and not _inner_capital(piece.text):
            follow = pieces[at + 1] if at + 1 < len(pieces) else None
            verdict = _first_word(plain, piece.text, follow, text, known)
            if verdict == "no":
                at += 1
                continue
            weak = verdict == "weak"
        possessive = fold(piece.text).endswith("'s")
        ahead = at + 1
        while ahead < len(pieces) and not possessive:
            gap = text[run[-1].end : pieces[ahead].start]
            step = pieces[ahead]
            if (
                step.text == "."
                and gap == ""
                and len(run[-1].text) == 1
                and ahead + 1 < len(pieces)
                and pieces[ahead + 1].start != step.end
            ):
                ahead += 1  # the initial in "Ursula K. Le Guin"
                if (
                    pieces[ahead].kind == "word"
                    and pieces[ahead].text[0].isupper()
                    and not taken[ahead]
                    and pieces[ahead].start not in starts
                ):
                    run.append(pieces[ahead])
                    ahead += 1
                    continue
                break
            if gap not in (" ", "\u00a0") or step.kind != "word" or taken[ahead]:
                break
            if step.text in _CONNECTORS and ahead + 1 < len(pieces):
                then = pieces[ahead + 1]
                if then.kind == "word" and then.text[0].isupper() and not taken[ahead + 1] and text[step.end : then.start] == " ":
                    run += [step, then]
                    ahead += 2
                    continue
                break
            if not step.text[0].isupper() or fold(step.text) in _NO_NAME:
                break
            run.append(step)
            possessive = fold(step.text).endswith("'s")
            ahead += 1
        at = ahead
        if weak and len(run) > 1:
            # "Verified Recent tab": what follows the doubtful first word stands for itself.
            out.append(_name(text, run[:1], True))
            run, weak = run[1:], False
        out.append(_name(text, run, weak))
    return [name for name in out if len(name.norm) > 1]


def _name(text: str, run: list[Token], weak: bool) -> Item:
    end = run[-1].end
    made = _COMPOUND.match(run[-1].text)
    if made:  # "Oslo-based" names Oslo
        end = run[-1].start + len(made[1])
    surface = text[run[0].start : end]
    plain = fold(surface)
    if plain.endswith("'s"):
        end -= 2
        surface = surface[:-2]
    norm = bare_name(surface.replace(".", " "))
    return Item("name", norm, surface, run[0].start, end, frozenset([norm]), weak)


def _inner_capital(word: str) -> bool:
    return any(ch.isupper() for ch in word[1:]) and word not in ("OK",)


def _may_be_name(word: str, mostly_cjk: bool) -> bool:
    if fold(word) in _NO_NAME:
        return False
    return word[0].isupper() or (mostly_cjk and word.isascii() and len(word) > 1) or _inner_capital(word)


_OF_A_WORK = frozenset(
    word_list(
        "trilogy series saga book books movie movies film films show novel novels album song game games musical podcast magazine play"
    )
)
"""Behind a title in quotation marks these say what it is, and are no name."""
_OF_MANY = frozenset(
    word_list(
        "are were have do take run come go start begin make cost need last live get give help may can should must will belong happen"
    )
)
"""Verbs as they stand behind a noun in the plural."""


def _first_word(plain: str, surface: str, follow: Token | None, text: str, known: set[str]) -> str:
    """Whether a capitalised first word is a name: ``yes``, ``no`` or ``weak``."""
    if plain in _EN_COMMON or plain in lexicon.STOP or plain in lexicon.NEGATORS or plain in lexicon.NEGATIVE_VERBS:
        return "no"
    if plain in lexicon.LIKING or plain in lexicon.RELATIONS or plain in _PREDICATES:
        return "no"
    if plain in known or (fold(surface).endswith("'s") and plain != "user"):
        return "yes"
    if follow is None:
        return "weak"
    if (
        plain not in _GIVEN_NAMES
        and (follow.text[0].isupper() or plain.endswith(_NOT_GIVEN) or fold(follow.text) not in _PREDICATES)
        and all(is_common(part) for part in plain.split("-"))
    ):
        return "weak"
    gap = text[follow.start - 1 : follow.start]
    word = fold(follow.text)
    if follow.kind == "word" and gap == " ":
        if plain.endswith("s") and not plain.endswith(("ss", "us", "is")) and word in _OF_MANY:
            return "weak"  # "Rehearsals are on Wednesdays"
        if plain.endswith(("ing", "ed")) and len(plain) > 5:
            return "weak"
        if follow.text[0].islower() and _looks_like_verb(word):
            return "yes"
        if word in ("and", "&"):
            return "weak"
        if follow.text[0].isupper() and not _looks_like_verb(plain):
            return "yes"
    return "weak"


_SECOND = "老小大阿师医先女教经律阿叔奶爷"
"""Behind a surname these begin no given name: 王老师."""
_BEHIND_NAME = re.compile("[是在说住喜还仍曾没不已也爱最]")
_SURE_SURNAMES = frozenset(
    "王李张張刘劉陈陳杨楊赵趙吴吳徐朱郭梁宋郑鄭冯馮董萧蕭袁邓鄧傅沈彭吕呂苏蘇卢盧蒋蔣蔡贾賈魏薛阎閻潘杜汪姚谭譚廖邹陆陸郝崔邱秦侯邵孟尹黎乔賴赖龚"
)
"""Surnames that hardly ever begin a word of another kind."""


_ALSO_ADVERBS = frozenset("常时曾易")
"""Surnames that say how often, once or easily before a verb."""
_TITLES_BEHIND = tuple(title for title in CJK_TITLES if len(title) > 1)


_RUN = re.compile(rf"[{CJK}]{{1,12}}")


def _is_no_word(text: str, start: int, end: int) -> bool:
    """Whether the characters of a name belong to no common word with those beside them."""
    run = _RUN.match(text, start)
    return run is not None and all(right - left == 1 for left, right in cut(run[0]) if left < end - start)


_BEHIND_LATIN = re.compile("[A-Za-z] ?$")
_CALLED = re.compile(
    r"(?:叫|名|是|和|与|跟|由|给|、|[友事学师员伴长工客邻居亲人妹姐弟哥生狗猫犬鸟宠女儿子])[：:“「]?\Z|[A-Za-z] ?\Z"
)
_DOES = re.compile("[是在说住喜]")
_NEVER_LAST = frozenset("辞转既还仍曾没不也都就才已很会是的了去来到从向和与跟给说有用想要能可将被把让先另均皆亦尚未")


def _is_called(text: str, start: int, surface: str) -> bool:
    """Whether 小鹿, 老魏 or 阿芬 is somebody: 老伤 and 小酌 are not. A surname, who is introduced before it, or what somebody does behind it tells."""
    if is_word(surface) or surface[1] in _NEVER_LAST:
        return False
    if surface[0] == "阿" or surface[1] in _SURNAMES:
        return True
    if _CALLED.search(text[max(0, start - 3) : start]) is not None:
        return True
    return (
        surface[0] == "小" and _DOES.match(text, start + 2) is not None and not (start and re.match(rf"[{CJK}]", text[start - 1]))
    )


_NOT_BEFORE = frozenset("大小老高中的学科市省县区州")
_LATIN_FIRST = re.compile(
    rf"\b[A-Z][a-z]{{1,11}} ?(?!于|任|安|万|常|易|余|文|金|高|白|方|石|向|时|段|和)([{_SURNAMES}])(?![{CJK}]{{1,2}}(?:[^{CJK}]|\Z))"
)


def _stands_alone(text: str, at: int) -> bool:
    """Whether a surname ends here: no given name follows, but a mark, or what somebody does."""
    rest = text[at : at + 3]
    return (
        not rest
        or re.match(rf"[^{CJK}]", rest) is not None
        or rest[0] in _NEVER_LAST
        or rest[0] in "管教做办订负担主住喜爱买送帮"
        or is_word(rest[:2])
    )


def _find_cjk_names(text: str) -> list[Item]:
    out = []
    alone: set[int] = set()
    for found in _LATIN_FIRST.finditer(text):  # Kevin 刘
        at = found.start(1)
        if not is_word(text[at : at + 2]) and _stands_alone(text, at + 1):
            alone.add(at)
            out.append(Item("name", found[1], found[1], at, at + 1, frozenset([found[1]])))
    for found in _cjk_name_pattern().finditer(text):
        group = found.lastgroup if found.lastgroup != "cue" else "name"
        group = group or "name"
        surface = found[group]
        if found.start(group) in alone:
            continue
        if group == "titled" and (
            is_word(surface)
            or is_word(surface[:2])
            or surface[0] in "任于方金高白石时段文安万马"
            or is_word(text[max(0, found.start() - 1) : found.start() + 1])
            or surface[-1] in _NEVER_LAST
            or text[max(0, found.start() - 1) : found.start()] in _NOT_BEFORE
        ):
            continue  # 高尔夫|教练
        if not surface or surface in _NOT_CJK_NAMES or surface[:2] in _NOT_CJK_NAMES:
            continue
        if found["name"] and not found["cue"] and is_word(surface[:2]):  # 文档, 雷雨
            continue
        if surface[0] == "任" and is_word(text[found.start(group) + 1 : found.start(group) + 3]):
            continue  # 任|队长, 任|产品总监
        if group in ("called", "nick") and (surface[0] in "我他她它你用做什么车了" or len(surface) > 4):
            continue
        if group == "name" and found["cue"] in ("", None, "是", "喜欢", "最爱") and len(surface) < 3:
            sure = surface[0] in _SURE_SURNAMES and _is_no_word(text, *found.span(group))
            if surface[0] in _ALSO_ADVERBS and not found["cue"]:
                continue  # 常|遇到
            beside = not is_word(surface) and text.startswith(_TITLES_BEHIND, found.end(group))
            if not sure and not beside and (found["cue"] or not _BEHIND_NAME.match(text, found.end(group))):
                continue
        start, end = found.span(group)
        if group == "pre" and not _is_called(text, found.start(group), surface):
            continue
        latin = group == "name" and not found["cue"] and _BEHIND_LATIN.search(text[max(0, start - 2) : start])
        if latin and len(surface) == 3 and is_word(surface[1:]):
            continue  # Jason 刘|担任
        if group == "name" and len(surface) == 3 and surface[-1] in _NEVER_LAST:
            surface, end = surface[:-1], end - 1  # 何川|还
        if group == "name" and len(surface) == 3 and surface[-2] not in _SECOND and is_word(text[end - 1 : end + 1]):
            surface, end = surface[:-1], end - 1  # 何川|合租
        out.append(Item("name", surface, surface, start, end, frozenset([surface])))
    return out


def _cjk_runs_as_names(text: str, pieces: list[Token], taken: list[bool]) -> list[Item]:
    """In a text of another script a run of Chinese, Japanese or Korean is a name or a quotation of itself."""
    return [
        Item("name", piece.text, piece.text, piece.start, piece.end, frozenset([piece.text]))
        for at, piece in enumerate(pieces)
        if piece.kind in ("cjk", "hangul") and not taken[at]
    ]


_CJK_FUNCTION = frozenset(
    "的了是在和与跟及或也都很就还又而被把将给对为以于从到着过吧呢吗啊呀嘛地得之其这那个些们他她它我你您并且等曾会能可要让所如果因此但"
)
_CJK_NOUNS = frozenset(
    "和好 和解 和睦 和谐 和平 和气 和服 和面 会计 会议 会员 会场 会展 地铁 地图 地址 地理 地震 地板 可乐 可可 还款 还贷 还钱 对象 对手 和尚 着装 在线 与会 能源 能量 因素 果汁 被子 要点".split()
)
"""Words that begin with one of these characters, which is part of them."""
_CJK_NEGATION = re.compile(
    rf"{lexicon.CJK_HARMLESS_DENIALS}|不足(?!以)|不够|"
    r"(?P<neg>而非|并非|绝非|而不是|不是|[尚还仍]未|从不|从未|不再|不要|不能|不会|不想|不许|不准|禁止|严禁|不喜欢|不爱|没有|没能|不|没|未(?!来|婚)|别|勿|无(?!法)|无法|戒了|戒掉|戒|停止|停(?=[喝吃服抽练])|避免|讨厌|厌恶|拒绝|反对|放弃|取消|憎恨|忌)"
)
_POST_NEGATION = re.compile(r"ません|ない(?!と)|なかった|嫌い|嫌う|苦手|않|(?<![가-힣])안 |못하|못 |없|싫어|싫다|değil|yok\b")
_CJK_IDLE = re.compile(
    "正在|已经|一直|一起|目前|现在|可以|能够|因为|所以|由于|并且|而且|以及|或者|如果|其中|进行|也许|还是|就是|每次|为了|[一两几][次个种些下点]|有点|有些|比较|特别|十分|非常"
)
_CJK_VERBS = frozenset("吃喝看买住爱养读学用去说写做当常存")
_NEG_CJK_VERBS = ("讨厌", "厌恶", "憎恨")


def _cjk_words(run: Token, offset_negated: bool) -> tuple[list[Word], bool]:
    """Content words of a run of CJK characters, and whether negation holds at its end."""
    from memopt.facts.lexicon import thesaurus

    _, known = thesaurus()
    longest = 4
    negated = offset_negated
    out: list[Word] = []
    text = run.text
    last_end = -1  # where the last negator ended: 不讨厌 affirms
    pending = 0  # start of characters that are not yet a word
    until = -1  # where the reach of a prefix such as 无 ends
    at = 0

    def flush(end: int) -> None:
        piece = text[pending:end]
        if piece:
            for index, pair in enumerate(bigrams(piece)):
                begin = run.start + pending + index
                out.append(Word(pair, begin, begin + len(pair), negated))

    while at < len(text):
        if 0 <= until <= at:
            flush(at)
            negated, pending, until = offset_negated, at, -1
        skip = _CJK_NEGATION.match(text, at)
        if skip is not None:
            flush(at)
            if skip["neg"]:
                negated = not (negated and skip.start() == last_end)
                last_end = skip.end()
                if skip["neg"] == "无":
                    until = last_end + (1 if text[last_end : last_end + 1] in "糖盐酒烟肉" else 2)
                if skip["neg"] in ("不喜欢", "不爱", *_NEG_CJK_VERBS):
                    out.append(Word("=" + known["喜欢"], run.start + at, run.start + skip.end(), negated))
            at = pending = skip.end()
            continue
        idle = _CJK_IDLE.match(text, at)
        if idle is not None:
            flush(at)
            at = pending = idle.end()
            continue
        if text.startswith("用户", at):
            flush(at)
            at = pending = at + 2
            continue
        free = pending == at or text[at] == "常" or (text[at] == "学" and text[at - 1] not in "大小中同数科文化留自医哲")
        shortest = 0 if free and text[at] in _CJK_VERBS else 1
        hit = next((size for size in range(min(longest, len(text) - at), shortest, -1) if text[at : at + size] in known), 0)
        if hit:
            flush(at)
            out.append(Word("=" + known[text[at : at + hit]], run.start + at, run.start + at + hit, negated))
            at = pending = at + hit
            continue
        if text[at] in _CJK_FUNCTION and text[at : at + 2] not in _CJK_NOUNS:
            flush(at)
            if text[at] in "但而":
                negated = False
            at = pending = at + 1
            continue
        at += 1
    flush(len(text))
    return out, negated


_CJK_SENTENCE = re.compile(
    r"用户|[，。]|[\u4e00-\u9fff][的是在了和有不与为]|[的是在了和有不与为][\u4e00-\u9fff]|[はがをにでのも]"
)


_DENYING_VERBS = ("dislik", "hates", "hated", "avoid")


@cache
def _may_deny() -> re.Pattern[str]:
    """Finds something in every ASCII text that denies: most lines are done with after one look."""
    beginnings = "|".join(map(re.escape, sorted({*lexicon.NEGATORS, *_NEGATED_SHORT, *_DENYING_VERBS})))
    return re.compile(rf"n't|(?<![a-z])(?:{beginnings})")


def denies(text: str) -> bool:
    """Whether the text holds a plain denial (``not``, ``never``, ``n't``, 不, 没, ない), verbs such as ``avoids`` included, ``stopped`` not."""
    if text.isascii() and not _may_deny().search(text.lower()):
        return False
    for word in tokens(text):
        if word.kind == "word":
            plain = fold(word.text)
            if (is_negator(plain) and not is_harmless_negator(text, word)) or plain.startswith(_DENYING_VERBS):
                return True
        elif word.kind == "cjk":
            for found in _CJK_NEGATION.finditer(word.text):
                if found["neg"] and found["neg"] not in ("戒", "戒了", "戒掉", "停止", "放弃", "取消"):
                    return True
    return not text.isascii() and _POST_NEGATION.search(text) is not None


def is_negator(word: str) -> bool:
    """Whether one folded word negates."""
    return word in lexicon.NEGATORS or word.endswith("n't") or word in _NEGATED_SHORT


def _read_words(
    text: str, pieces: list[Token], sentence_of: list[int], items: list[Item]
) -> list[tuple[int, int, list[Word], bool]]:
    """Clauses as (first token, sentence, words, negated)."""
    clauses: list[tuple[int, int, list[Word], bool]] = []
    words: list[Word] = []
    negated = any_negated = False
    first, sentence = 0, -1
    covered, ranks = _covered(text, items)
    just_negated = -9
    outside: bool | None = None  # whether what stands around a bracket is negated
    passive = False
    tabbed = "\t" in text
    bare_after = -1  # how many words stood before a negator that nothing has followed yet

    def close(at: int) -> None:
        nonlocal words, negated, any_negated, first, outside, bare_after, passive
        if bare_after == len(words) and words:  # "but his girlfriend doesn't"; "phone calls are disliked"
            words = [word._replace(negated=True) for word in words[: len(words) - passive]] + words[len(words) - passive :]
        passive = False
        if at > first:
            clauses.append((first, sentence, words, any_negated))
        words, negated, any_negated, first, outside, bare_after = [], False, False, at, None, -1

    for at, piece in enumerate(pieces):
        if sentence_of[at] != sentence:
            close(at)
            sentence = sentence_of[at]
        elif tabbed and "\t" in text[pieces[at - 1].end : piece.start]:
            close(at)
        if piece.kind == "mark":
            if (
                piece.text in ";；–—"
                or piece.text in BARS
                or text[piece.start - 1 : piece.end + 1] in (" - ", " · ")
                or (
                    text[piece.start - 1 : piece.end + 1] in (" / ", " + ", " & ", " → ")
                    and _says_more(pieces, at + 1, sentence_of)
                )
                or (piece.text in ",，:：" and _new_predicate(pieces, at + 1, sentence_of))
                or (negated and piece.text == "," and _somebody_does(pieces, at + 1, sentence_of))
            ):
                close(at + 1)
            elif piece.text in "，":
                negated = False
            elif piece.text in "(（":
                outside, negated = negated, False
            elif piece.text in ")）" and outside is not None:
                negated, outside = outside, None
            continue
        if piece.kind == "word":
            plain = fold(piece.text)
            if (at > first and (plain in _STRONG or (negated and (plain in _CUT_DENIAL or _gives_reason(pieces, at))))) or (
                plain == "and" and _new_predicate(pieces, at + 1, sentence_of)
            ):
                close(at)
            if is_negator(plain) and not is_harmless_negator(text, piece):
                negated = any_negated = True
                just_negated = at
                following = fold(pieces[at + 1].text) if at + 1 < len(pieces) else ""
                if (
                    following == "part"
                    or plain in ("not", "never")
                    or plain.endswith("n't")
                    or (plain == "no" and following in ("role", "part", "place"))
                ):
                    bare_after = len(words)
                if following in ("role", "part", "place"):  # "religion plays no role in ..."
                    words = [word._replace(negated=True) for word in words]
                continue
            if plain == "lack" and at + 1 < len(pieces) and pieces[at + 1].text == "of":
                words.append(Word("lack", piece.start, piece.end, negated))
                continue
            if plain in lexicon.NEGATIVE_VERBS:
                # "does not dislike" affirms; a second denial further on ("no tea, hates coffee") does not.
                negated = at - just_negated > 2
                any_negated = True
                if plain.startswith(("dislik", "hat", "detest", "loath", "despis", "odia", "benci", "odei", "ненави")):
                    words.append(Word(stem("like"), piece.start, piece.end, negated))
                else:
                    words.append(Word(stem(plain), piece.start, piece.end, not negated))
                if negated and plain in _PASSIVE and at and fold(pieces[at - 1].text) in _PASSIVE_BEFORE:
                    bare_after = len(words)
                    passive = True
                continue
            plain = plain.removesuffix("'s")
            if plain in lexicon.STOP and not (piece.text.isupper() and len(piece.text) > 1):
                continue
            if covered[piece.start]:
                rank = ranks.pop(covered[piece.start], None) if covered[piece.start] > 1 else None
                if rank is not None:
                    words.append(Word(rank, piece.start, piece.end, negated))
                continue
            for part in plain.split("-"):
                if part and part not in lexicon.STOP and stem(part):  # no accent alone
                    begin = piece.start
                    words.append(Word(stem(part), begin, piece.end, negated))
        elif piece.kind == "cjk":
            for fragment in _uncovered(piece, covered):
                fresh, negated = _cjk_words(fragment, negated)
                words += fresh
                any_negated = any_negated or any(word.negated for word in fresh) or negated
        elif piece.kind == "hangul":
            words += [Word(pair, piece.start, piece.end, negated) for pair in bigrams(piece.text)]
    close(len(pieces))
    if not text.isascii() and _POST_NEGATION.search(text):
        clauses = [_negate_after(text, pieces, clause) for clause in clauses]
    return clauses


def _negate_after(text: str, pieces: list[Token], clause: tuple[int, int, list[Word], bool]) -> tuple[int, int, list[Word], bool]:
    """Japanese, Korean and Turkish negate at the end of the clause: all its words are under it."""
    first, sentence, words, _ = clause
    if not words:
        return clause
    if _POST_NEGATION.search(text, pieces[first].start, words[-1].end + 6):
        return first, sentence, [word._replace(negated=True) for word in words], True
    return clause


_PASSIVE = frozenset(("disliked", "hated", "avoided", "detested", "loathed", "refused", "rejected", "declined", "denied"))
_PASSIVE_BEFORE = frozenset(("is", "are", "was", "were", "be", "been", "being", "strongly", "strictly", "always"))


def _gives_reason(pieces: list[Token], at: int) -> bool:
    """``for privacy reasons``"""
    return pieces[at].text == "for" and any(piece.text in ("reason", "reasons") for piece in pieces[at + 1 : at + 4])


def _covered(text: str, items: list[Item]) -> tuple[bytearray, dict[int, str]]:
    """Which characters belong to items that are compared by themselves (not names: those are content too); 2 and more for an ordinal.

    Also the word that an ordinal is, by its mark: *third* and *3rd* are one.
    """
    out = bytearray(len(text) + 1)
    ranks: dict[int, str] = {}
    for item in items:
        if item.kind not in ("name", "quote") and not item.weak:
            mark = 1
            if item.kind == "ordinal" and len(ranks) < _MOST_RANKS:
                mark = 2 + len(ranks)
                ranks[mark] = item.norm[2:] + "th"
            out[item.start : item.end] = bytes((mark,)) * (item.end - item.start)
    return out, ranks


_MOST_RANKS = 250


def _uncovered(piece: Token, covered: bytearray) -> list[Token]:
    if not any(covered[piece.start : piece.end]):
        return [piece]
    out: list[Token] = []
    start: int | None = None
    for at in range(piece.start, piece.end + 1):
        free = at < piece.end and not covered[at]
        if free and start is None:
            start = at
        elif not free and start is not None:
            out.append(Token(piece.text[start - piece.start : at - piece.start], start, at, piece.kind))
            start = None
    return out


_BOUND = re.compile(
    r"(?!\s(?:like|enjoy|love|care)\b)(?:\s[a-z]+){1,5}?\s(?:more|longer|later|earlier|higher|lower|fewer|less|further|bigger|larger|heavier|older|younger) than\s(?:\d|[€$£¥]|[a-z]+\s[a-z]+|half)",
    re.I,
)


@cache
def _lookalikes() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(phrase) for phrase in lexicon.POSITIVE_LOOKALIKES), re.I)


_TITLE = re.compile(
    r"(?<!\w)(?:[\"“'‘])((?=[A-Z])(?:(?:[A-Z][\w’'-]*|of|the|a|an|and|in|on|at|to|for|with|who|that|is|or)[:,!?]? ){1,9}(?:[A-Z][\w’'-]*|\d+)[!?.]?)(?:[\"”'’])(?!\w)"
)


@lru_cache(maxsize=2048)
def titles(text: str) -> tuple[tuple[int, int], ...]:
    """Where titles of books and the like stand in quotation marks, all their words capitalised: what they deny is nothing that is told."""
    return tuple(found.span(1) for found in _TITLE.finditer(text)) if any(mark in text for mark in "\"“'‘") else ()


@cache
def _harmless() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{lexicon.HARMLESS_DENIALS})\b", re.I)


def is_harmless_negator(text: str, piece: Token) -> bool:
    """Whether a negator at this place denies nothing: ``not only``, ``no more than``, ``must not last longer than``."""
    plain = fold(piece.text)
    if plain == "no" and re.match(r"\.?\s?\d", text[piece.end : piece.end + 3]):
        return True
    if (plain in ("not", "never", "no", "cannot", "nobody", "nothing") or plain.endswith("n't")) and _BOUND.match(
        text, piece.end
    ):
        return True  # "must not last longer than" sets a bound and denies nothing
    if any(left <= piece.start < right for left, right in titles(text)):
        return True
    if any(
        found.start() <= piece.start < found.end()
        for found in _harmless().finditer(text, max(0, piece.start - 24), piece.end + 90)
    ):
        return True
    if (plain == "not" or plain.endswith("n't")) and re.match(r"\smind\b", text[piece.end : piece.end + 6]):
        return True
    if plain.endswith("n't") and re.match(r"\sexceed", text[piece.end : piece.end + 8]):
        return True
    if plain in ("no", "not", "if", "why", "non"):
        if _lookalikes().search(text, max(0, piece.start - 4), piece.end + 12):
            return True
        if plain == "non":
            return False
    return plain == "sin" and piece.text[0].isupper()


def _says_more(pieces: list[Token], at: int, sentence_of: list[int]) -> bool:
    """Whether a statement begins here, and no further item of a list: ``hates coriander / likes tea``."""
    ahead = [pieces[place] for place in range(at, min(at + 3, len(pieces))) if sentence_of[place] == sentence_of[at - 1]]
    return opens(ahead) or (bool(ahead) and ahead[0].kind in ("cjk", "hangul"))


def _somebody_does(pieces: list[Token], at: int, sentence_of: list[int]) -> bool:
    """Whether a name stands here with a verb behind it: *as he cannot pay, Cyril borrows one*."""
    if at + 1 >= len(pieces) or sentence_of[at + 1] != sentence_of[at - 1]:
        return False
    name, verb = pieces[at], pieces[at + 1]
    return (
        name.kind == verb.kind == "word"
        and name.text[0].isupper()
        and not name.text.endswith(("'s", "’s"))
        and verb.text[0].islower()
        and _looks_like_verb(fold(verb.text))
    )


def _new_predicate(pieces: list[Token], at: int, sentence_of: list[int]) -> bool:
    """Whether a new predicate begins within the next three tokens: ``, likes tea`` or ``and she is``."""
    if at < len(pieces) and sentence_of[at] == sentence_of[at - 1] and pieces[at].kind == "word":
        plain = fold(pieces[at].text)
        if plain in _SUBORDINATE or (pieces[at - 1].text in ",，" and plain.endswith("ing") and len(plain) > 5):
            return True
        if plain in _THEREFORE or (plain.endswith(("ed", "s")) and len(plain) > 3 and _takes_object(pieces, at + 1, sentence_of)):
            return True
        if plain in _ADVERBIAL and _has_own_subject(pieces, at + 1, sentence_of):
            return True
    for ahead in range(at, min(at + 2, len(pieces))):
        piece = pieces[ahead]
        if sentence_of[ahead] != sentence_of[at - 1] or piece.kind == "mark":
            return False
        if piece.kind == "word":
            plain = fold(piece.text)
            if plain in _PREDICATES or plain.endswith("n't"):
                return True
            if piece.text[0].islower() and plain not in lexicon.STOP and ahead == at:
                return False
        elif piece.kind == "cjk":
            return True
    return False


_ADVERBIAL = frozenset(
    word_list(
        "from in on at for during throughout every each most some with at by behind beside near besides once twice last next this lately recently now then today nowadays"
        " sometimes usually often occasionally currently instead afterwards since after before until when whenever while"
    )
)
"""What a clause may begin with before its subject: ``and on Sundays she``."""
_SUBJECTS = frozenset(word_list("he she they it we i user"))
_OPENING = 7
"""So many words are looked through for the subject of a clause that begins with something else."""


_THEREFORE = frozenset(word_list("therefore thus consequently hence so then afterwards"))
_DETERMINERS = frozenset(
    word_list("a an the his her their its my our this that these those two three four five another every each all")
)


def _takes_object(pieces: list[Token], at: int, sentence_of: list[int]) -> bool:
    """Whether what stands before is a verb with something behind it: ``missed a call``, ``watches the news``."""
    return (
        at < len(pieces)
        and sentence_of[at] == sentence_of[at - 1]
        and pieces[at].kind == "word"
        and fold(pieces[at].text) in _DETERMINERS
    )


def _has_own_subject(pieces: list[Token], at: int, sentence_of: list[int]) -> bool:
    """Whether a subject comes soon: ``and from each city she visits she``. ``in a town where she`` has none."""
    for ahead in range(at, min(at + _OPENING, len(pieces))):
        piece = pieces[ahead]
        if sentence_of[ahead] != sentence_of[at - 1] or piece.kind == "mark":
            return False
        plain = fold(piece.text)
        if plain in _SUBJECTS:
            return True
        if plain in _RELATIVE:
            return False
    return False


_RELATIVE = frozenset(word_list("that which who whom where because if as than"))


_LISTED = frozenset(word_list("or and from in of at with for"))


def opens_clause(text: str) -> bool:
    """Whether a piece of a sentence begins with a subject or a predicate, and does not merely go on with a list."""
    first = list(islice((piece for piece in tokens(text)), 3))
    for at, piece in enumerate(first[:2]):
        if piece.kind == "cjk":
            return True
        plain = fold(piece.text)
        if piece.kind == "word" and (plain in _PREDICATES or is_negator(plain)):
            return True
        if at == 0 and piece.kind == "word" and piece.text[0].islower() and _looks_like_verb(plain):
            following = first[1] if len(first) > 1 else None
            # "expressed concern", "owns a car", but "ladles or trowels", "tents in Sofia"
            return plain.endswith("ed") or (
                following is not None and following.kind == "word" and fold(following.text) not in _LISTED
            )
    return False


def read(text: str, written: int | float | None = None) -> Reading:
    """Read a text.

    Args:
        text: any text, any language. What is not understood is still cut into sentences and words.
        written: when it was written, epoch seconds; ``tomorrow`` then also carries the date it means. None: not known.

    Returns:
        A frozen value, kept in a cache of the last few thousand texts, and of the last few long ones.
    """
    if len(text) > HUGE:
        return _read(text, written)
    return _read_long(text, written) if len(text) > LONG else _read_short(text, written)


LONG = 4_000
"""Of texts with more characters only a few are remembered: each takes as much memory as many others."""
HUGE = 200_000
"""And of texts with more than these none."""


@lru_cache(maxsize=4096)
def _read_short(text: str, written: int | float | None) -> Reading:
    return _read(text, written)


@lru_cache(maxsize=4)
def _read_long(text: str, written: int | float | None) -> Reading:
    return _read(text, written)


def _read(text: str, written: int | float | None) -> Reading:
    spans = split_sentences(text)
    pieces = list(tokens(text))
    items = find_items(text, written)
    sentence_of, kept = _assign(pieces, spans)
    pieces = [pieces[at] for at in kept]
    taken = [False] * len(pieces)
    occupied = bytearray(len(text) + 1)
    for item in items:
        if not item.weak:
            occupied[item.start : item.end] = b"\x01" * (item.end - item.start)
    for at, piece in enumerate(pieces):
        taken[at] = bool(occupied[piece.start])
    cjk = any(piece.kind in ("cjk", "hangul") for piece in pieces)
    chinese = _chinese_sentences(text, pieces, sentence_of, len(spans)) if cjk else [False] * len(spans)
    starts = _starts(text, pieces, sentence_of)
    names = _find_names(text, pieces, starts, taken, [chinese[sentence] for sentence in sentence_of])
    if cjk:
        if any(chinese):
            begins = [start for start, _ in spans]
            for name in _find_cjk_names(text):
                at = bisect_right(begins, name.start) - 1
                if at >= 0 and chinese[at] and name.start < spans[at][1]:
                    names.append(name)
        alone = [is_taken or chinese[sentence] for is_taken, sentence in zip(taken, sentence_of, strict=True)]
        names += _cjk_runs_as_names(text, pieces, alone)
    quotes = _find_quotes(text)
    everything = sorted([*items, *_apart(names, items), *quotes], key=lambda item: (item.start, -item.end))
    clauses = []
    raw = _read_words(text, pieces, sentence_of, items)
    index = 0
    for number, (first, sentence, words, negated) in enumerate(raw):
        begin = pieces[first].start
        after = raw[number + 1][0] if number + 1 < len(raw) else len(pieces)
        end = pieces[after - 1].end
        mine = []
        while index < len(everything) and everything[index].start < end:
            mine.append(everything[index])
            index += 1
        clauses.append(Clause(begin, end, sentence, negated, tuple(words), tuple(mine)))
    return Reading(text, tuple(spans), tuple(clauses), tuple(everything))


def _chinese_sentences(text: str, pieces: list[Token], sentence_of: list[int], count: int) -> list[bool]:
    """Which sentences are written in Chinese, Japanese or Korean: the others may quote such words."""
    latin, cjk = [0] * count, [0] * count
    first: list[int] = [-1] * count
    last = [0] * count
    for piece, sentence in zip(pieces, sentence_of, strict=True):
        if first[sentence] < 0:
            first[sentence] = piece.start
        last[sentence] = piece.end
        if piece.kind == "word":
            latin[sentence] += len(piece.text)
        elif piece.kind in ("cjk", "hangul"):
            cjk[sentence] += len(piece.text)
    return [
        cjk[at] * 3 > latin[at] or (cjk[at] > 3 and _CJK_SENTENCE.search(text, first[at], last[at]) is not None)
        for at in range(count)
    ]


def _apart(names: list[Item], items: list[Item]) -> list[Item]:
    hard = sorted((item.start, item.end) for item in items if not item.weak)
    if not hard:
        return names
    begins = [start for start, _ in hard]
    reach = list(accumulate((end for _, end in hard), max))  # how far any item up to here reaches
    return [name for name in names if (at := bisect_left(begins, name.end)) == 0 or reach[at - 1] <= name.start]


def _assign(pieces: list[Token], spans: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The sentence of each token, and which tokens lie in one at all."""
    sentence_of: list[int] = []
    kept: list[int] = []
    at = 0
    for index, piece in enumerate(pieces):
        while at < len(spans) and spans[at][1] <= piece.start:
            at += 1
        if at < len(spans) and spans[at][0] <= piece.start:
            sentence_of.append(at)
            kept.append(index)
    return sentence_of, kept


def _starts(text: str, pieces: list[Token], sentence_of: list[int]) -> frozenset[int]:
    """Offsets of words that are capitalised for where they stand: at the head of a sentence, a bullet, a quotation or after a colon."""
    out = set()
    fresh, last = True, -1
    for at, piece in enumerate(pieces):
        if sentence_of[at] != last:
            fresh, last = True, sentence_of[at]
        if piece.kind == "mark":
            if piece.text in "“\"'‘:：-•*–—(«|｜·/→[":
                fresh = fresh or piece.text in '“"‘:：•*«|｜·/→['
            continue
        if fresh and piece.kind == "word":
            out.add(piece.start)
        if piece.kind != "number" or at + 1 >= len(pieces) or pieces[at + 1].text not in ".)":
            fresh = False
    return frozenset(out)


__all__ = word_list(
    """
    ALPHA HANGUL Clause Reading Word fold_phrase is_negator read split_sentences
    """
)
