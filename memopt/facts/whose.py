"""Of whom each clause of a Chinese text tells something: *妹妹林珊31岁，住在南京* tells both of the sister.

A Chinese clause names its subject once and leaves it out of the clauses that follow. ``sayings(text, people)`` follows it. Nothing is said
of a clause that may have a subject of its own (*房租5200元*) or that speaks of several people.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from memopt.facts.cut_zh import cut, is_word
from memopt.facts.words import CJK

USER = "用户"

# Each line: the words for one relation. Wide words (behind a star) may stand for the others of their line and for those that name them.
_FAMILIES = """
母亲 妈妈 老妈 妈 娘亲 老母亲 娘
父亲 爸爸 老爸 爸 老父亲 爹 老爹
妻子 老婆 太太 媳妇 夫人 内人 爱妻
丈夫 老公 先生
老伴
女友 女朋友
男友 男朋友
未婚妻
未婚夫
前妻
前夫
前女友
前男友
姐姐 大姐 二姐 三姐 姐 姊姊 家姐 亲姐
妹妹 小妹 二妹 大妹 亲妹
哥哥 大哥 二哥 三哥 兄长 亲哥
弟弟 小弟 二弟 大弟 胞弟 亲弟
表姐 表姊
表妹
表哥
表弟
堂姐 堂姊
堂妹
堂哥
堂弟
爷爷 祖父 阿公
奶奶 祖母 阿嬷
外公 姥爷 外祖父
外婆 姥姥 外祖母
岳父 老丈人 丈人
岳母 丈母娘
公公
婆婆 婆母
舅舅 大舅 二舅 小舅 舅父
舅妈 舅母
叔叔 二叔 三叔 小叔 叔父
婶婶 婶子
伯伯 大伯 伯父
伯母
姑姑 姑妈 大姑 小姑
姑父 姑丈
姨妈 阿姨 大姨 小姨 二姨
姨父 姨丈
嫂子 嫂嫂
姐夫
妹夫
弟媳 弟妹
女婿
儿媳 儿媳妇
小舅子
小姨子
侄子 侄儿
侄女
外甥
外甥女
孙子
孙女
外孙
外孙女
教父
教母
儿子 大儿子 小儿子 二儿子 长子 次子 三儿子
女儿 大女儿 小女儿 二女儿 长女 次女 三女儿 闺女 千金
室友 舍友 合租室友
老板
上司 领导 上级 主管 顶头上司 直属领导 直属上级 直属上司
下属 部下
搭档 拍档 搭子 伙伴
合伙人 合作伙伴
导师
师弟
师妹
师兄
师姐
同学 老同学 同窗
同桌
同事
闺蜜
发小
朋友 好友 好朋友 友人 老朋友 老友
邻居 街坊
房东 屋主
房客 租客
保姆
助理 助手
秘书
徒弟
师傅 师父
语伴 语言伙伴
网友
笔友
教练 私教 健身教练
班主任
跑友
球友
牌友
棋友
书友
钓友
驴友
队友 队员
战友
病友
校友
老乡 同乡
学长
学姐
学弟
学妹
继父 后爸
继母 后妈
养父
养母
干爹 干爸
干妈
"""
_RELATION = {word: words.split()[0] for words in _FAMILIES.strip().splitlines() for word in words.split()}
_ELDEST = re.compile(r"[大小二三长次老](?=[姐妹哥弟儿女舅叔姨姑子])")
_SEVERAL = (
    "孩子 子女 父母 爸妈 家人 全家 夫妻 夫妇 夫妻俩 两人 二人 俩人 双方 大家 他们 她们 双胞胎 兄弟 姐妹 兄妹 姐弟 爱人 对象 伴侣 亲戚 一家人 一家三口 一家四口 一家五口 家里人 彼此 各自 三人 四人 恋人 情侣 祖孙 母女 父子 母子 父女 姐妹俩"
).split()
"""Words for people that do not tell which."""
_LOOK_ALIKES = (
    "朋友圈",
    "同学会",
    "老板娘",
    "导师制",
    "领导力",
    "姐妹",
    "兄弟",
    "妈妈群",
    "领导层",
    "领导者",
    "主管部门",
    "上级部门",
    "伙伴关系",
    "父亲节",
    "母亲节",
    "公公里",
    "教练车",
    "阿姨们",
    "师傅们",
)


class Person(NamedTuple):
    """Somebody as the text speaks of him: offsets, and which people the word may stand for (``""``: it cannot be told)."""

    start: int
    end: int
    who: str
    kin: bool


class Saying(NamedTuple):
    """A clause and of whom it tells something.

    Attributes:
        who: of whom, as keys of ``people``; empty where it cannot be told.
        mentioned: who else is named in it.
        around: who is named in its sentence.
        named: whether the clause itself names its subject.
        people: the places of all words for people in it.
        one_of: whether it tells of one of ``who``, as a pronoun does that may stand for any of them.
    """

    start: int
    end: int
    who: frozenset[str]
    mentioned: frozenset[str]
    around: frozenset[str]
    named: bool
    people: tuple[tuple[int, int], ...]
    one_of: bool = False


def relation(word: str) -> str:
    """The word that stands for a relation, by whatever word it is told; which of several daughters is kept: ``大女儿``."""
    plain = _RELATION[word]
    rank = _ELDEST.match(word)
    return (
        rank[0].replace("长", "大").replace("次", "二") + plain
        if rank is not None and len(word) == 3 and plain in ("儿子", "女儿")
        else plain
    )


_KIN_WORDS = "|".join(sorted((word for word in _RELATION if len(word) > 1), key=len, reverse=True))
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文"
    "欧安谷章肖韦闫陶苗卞戚茅庞项童樊莫宗郁吉钮嵇荣储巫宫仇栾费廉滕毕臧狄伍谈桂曲涂丛佘邸覃苟邝揭粟隋仝迟楚谌邬晁蓝骆温裴柯尤祝颜柳施岳齐梅庄严牛洪华祁俞翁倪穆葛鲍盛殷佟聂焦包耿关向左兰闻甘季单褚卫詹娄柏纪岑骆阮舒屈闵凌霍虞裘缪邢荀甄芮靳桑冉卓蔺屠翟姬冀晏柴瞿茹艾匡寇巩敖辛阚饶鞠荆竺"
)
_AFTER_KIN = re.compile(
    rf"(?P<kin>{_KIN_WORDS})(?:名?叫做?|是|名为|[:：])?\s?(?:(?P<name>[{CJK}]{{2,4}})|(?P<latin>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?))"
)
_PET = "(?:猫|狗|犬|兔子?|鹦鹉|仓鼠|乌龟|金毛|柯基|泰迪|柴犬|边牧|拉布拉多|哈士奇|萨摩耶|比熊|贵宾|布偶|英短|美短|蓝猫|猫咪|狗狗|小猫|小狗)"
_PET_CALLED = re.compile(
    rf"{_PET}(?P<link>，?(?:名叫|叫做?|名为|名字是|名字叫|是)\s?)?(?:(?P<name>[{CJK}]{{2,3}})|(?P<latin>[A-Z][a-z]+))"
)
"""An animal with its name: 橘猫南瓜, 一只狗叫豆豆."""
_CALLED = re.compile(rf"(?:名叫|叫做|(?<![大喊把])叫|名为|名字是)\s?(?P<name>[{CJK}]{{1,4}})")
_SURNAMED = re.compile(rf"(?=(?P<name>[{_SURNAMES}][{CJK}]{{1,2}}))")
_AT_HEAD = re.compile(rf"(?:^|[，。；、,;\s])(?=([{CJK}]{{2}}))", re.MULTILINE)
_NO_NAME = frozenset(
    "的是在住说喜爱也和与有会去来从将叫不今每想要对于很正已因被都比结给学养打吃喝做教让出搬换过参目现则曾刚最常负既又还能只仍了着为家工岁用患她他它这那其，"
)


def names_in(texts: Sequence[str], others: Sequence[str]) -> frozenset[str]:
    """The names of people in Chinese texts, by what stands before them and how they go on; each stands in the other texts, too."""
    whole, other = "\n".join(texts), "\n".join(others)
    heads = {found[1] for found in _AT_HEAD.finditer(f"{whole}\n{other}")}
    heads_of_both = {found[1] for found in _AT_HEAD.finditer(whole)} & {found[1] for found in _AT_HEAD.finditer(other)}
    out: set[str] = set()

    def take(run: str, *, sure: bool) -> None:
        sizes = [size for size in range(1 if sure else 2, min(4, len(run)) + 1) if not set(run[:size]) & _NO_NAME]
        sizes = [size for size in sizes if size > 1]
        best = ""
        longer = set(re.findall(rf"{re.escape(run[:2])}[{CJK}]", whole)) if len(run) > 1 else set()
        if sum(name[2] not in _NO_NAME and name in other for name in longer) > 1:
            sizes = [size for size in sizes if size > 2] or sizes  # 陈建国 and 陈建英
        for size in sizes:
            name = run[:size]
            doubled = size == 2 and name[0] == name[1]  # 朵朵
            if name not in other or name in _RELATION or USER in name or (is_word(name) and not (sure and doubled)):
                continue
            if size > 2 and name[0] not in _SURNAMES and size > 3:
                continue
            if not best or whole.count(name) + other.count(name) >= whole.count(best) + other.count(best):
                best = name
        if best:
            out.add(best)

    for found in _AFTER_KIN.finditer(whole):
        if found["latin"]:
            if found["latin"] in other:
                out.add(found["latin"])
        else:
            take(found["name"], sure=True)
    for found in _PET_CALLED.finditer(f"{whole}\n{other}"):
        name = found["latin"] or next(
            (
                found["name"][:size]
                for size in (2, 3)
                if found["name"][:size] in whole and found["name"][:size] in other and not set(found["name"][:size]) & _NO_NAME
            ),
            "",
        )
        if name and (found["link"] or not is_word(name)) and name in whole and name in other and name not in _RELATION:
            out.add(name)
    for found in _CALLED.finditer(whole):
        take(found["name"], sure=True)
    for found in _SURNAMED.finditer(whole):
        run = found["name"]
        also = run[0] in _ALSO_WORDS
        if run[:2] in heads_of_both and (also or is_word(run[:2])) and _DOES.match(whole, found.start() + 2):
            out.add(run[:2])
        if also or not _stands_alone(whole, found.start(), found.start() + 2):
            continue
        if run[:2] in heads and run[:2] in other:
            take(run, sure=False)
    for pattern in (_OWNER, _LATIN, _SMALL):
        for found in pattern.finditer(f"{whole}\n{other}"):
            name = found["name"]
            if name in whole and name in other and name not in _RELATION and (name.isascii() or _sounds_named(name)):
                out.add(name)
    for found in _TITLED.finditer(f"{whole}\n{other}"):
        name, at = found[0], found.start()
        before = found.string[at - 1 : at + 1] if at else ""
        if name in whole and name in other and not is_word(before):
            out.add(name)
    for name in _NICKNAME.findall(f"{whole}\n{other}"):
        known = name[0] in "小老" and name[1] not in _ALSO_WORDS and name[1] not in "康夏龙马雷"  # 老周 stands in the word list
        if name in whole and name in other and (known or not is_word(name)) and name not in _RELATION:
            out.add(name)
    for run in _TRANSLITERATED.findall(f"{whole}\n{other}"):
        for size in (4, 3, 2):
            name = run[:size]
            if len(name) == size and name in whole and name in other and not is_word(name) and not set(name) & set("的是在"):
                if size > 2 or len(re.findall(rf"(?:^|[，。；、,;\s]){name}", f"{whole}\n{other}", re.MULTILINE)) > 1:
                    out.add(name)
                break
    return frozenset(out)


def _sounds_named(name: str) -> bool:
    """Whether an unknown word may be somebody's name: by a surname, a 小 or 阿 before it, or doubled."""
    if set(name) & _NO_NAME or USER in name or (is_word(name) and name[0] != name[-1]):
        return False
    return name[0] in _SURNAMES or name[0] in "小阿老" or (len(name) == 2 and name[0] == name[1])


_NICKNAME = re.compile(
    rf"(?:^|(?<=[，。；、,;：:\s和与跟]))(?:(?:[小老大](?=[{_SURNAMES}])|阿)[{CJK}](?=[{CJK}\d])|[小阿老][A-Z][a-z]+)",
    re.MULTILINE,
)
"""小林, 老李, 阿强, 阿Ken at the head of a clause."""
_OWNER = re.compile(
    rf"(?:^|(?<=[，。；、,;：:\s是为]))(?P<name>(?![他她它我其这那])[^\W\d_的]{{2,3}})的(?={_KIN_WORDS})", re.MULTILINE
)
"""Who has a relative or a teacher is somebody: 小雅的女儿."""
_SMALL = re.compile(
    rf"(?:^|(?<=[，。；、,;：:\s由归]))(?P<name>小[{CJK}]|(?P<one>[{CJK}])(?P=one))(?=[和与跟同是在想说会怕对爱不教养学总常管]|负责|害怕|喜欢|讨厌|今年|\d)",
    re.MULTILINE,
)
"""小蕾, 婷婷 before what only somebody does."""
_LATIN = re.compile(
    r"(?:^|(?<=[，。；、,;：:\s由归]))(?P<name>[A-Z][a-z]+)\s?(?=负责|[管会说想怕休住爱]|擅长|喜欢|讨厌|今年|\d+岁)",
    re.MULTILINE,
)
"""A foreign name, told by what only somebody does: Kevin管前端."""
_SOUNDS = (
    "阿艾安奥巴班贝本比波伯博布查达戴丹道德蒂迪杜多恩尔法菲费芬弗福盖戈格古哈海汉赫亨胡霍基吉加贾杰卡凯坎康考科可克肯库夸拉莱兰劳勒雷里莉丽利列林琳卢鲁露罗洛马玛迈麦曼梅门蒙米莫默姆穆娜纳内尼妮"
    "诺帕佩皮珀普奇齐乔切琼让萨塞桑森沙舍圣施史丝斯苏索塔泰坦汤特提托瓦威韦维温沃乌伍西希夏肖谢辛休雅亚延耶伊依因英尤约扎泽詹珍朱兹佐"
)
_TRANSLITERATED = re.compile(rf"(?:^|(?<=[，。；、,;：:\s]))(?=[{_SOUNDS}]{{2}})([{_SOUNDS}]{{2,4}})", re.MULTILINE)
"""A foreign name at the head of a clause, by the characters that spell the sounds of such names: 马雷克, 佐伊."""
_DOES = re.compile(r"负责|[是在住当做管教]|擅长|喜欢|讨厌|今年|已经?|[和与跟]|\d")
"""What stands behind somebody's name at the head of a clause, also where the name is a word: 高远负责测试."""
_ALSO_WORDS = "戴常向易万金高方白黄石江关温安包牛甘单乐时明马于和孔简全"
"""Surnames that are words: a name with one must be introduced."""


_TITLED = re.compile(
    rf"(?:[{_SURNAMES}])(?:老师|医生|大夫|教练|教授|师傅|阿姨|叔叔|律师|主任|经理|总监|校长|院长|大爷|大妈|大姐|大哥|奶奶|爷爷|先生|女士|小姐|姐|哥|总)(?![{CJK}]?[们团群部室])"
)
"""Who is called by a title: 何老师, 孙医生."""


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no word reaches into text[start:end] or out of it, and it is none itself."""
    left, right = start, end
    while left and text[left - 1] >= "\u4e00" and start - left < _CONTEXT:
        left -= 1
    while right < len(text) and text[right] >= "\u4e00" and right - end < _CONTEXT:
        right += 1
    return not any(
        stop - begin > 1 and begin + left < end and start < stop + left and not (start < begin + left and stop + left <= end)
        for begin, stop in cut(text[left:right])
    )


_CONTEXT = 6
_LEADING = re.compile(
    r"[\s\-•*·–—\"“”'‘’]*(?:(?:而且|而|但是|但|不过|并且|并|且|另外|此外|其中|同时|还有|以及|及|和|与|也|则|既|又|至于|后来|之后|对了|虽然|虽|却|可|所以|于是|因为|因)[，,]?)*\s*"
)
_OPENING = re.compile(
    rf"(?:[\s\d年月日号周星期一二三四五六七八九十初点半时分上下早晚午中夜每天今明去前后末当春夏秋冬季目现在如近来起原本另外还此刚才]|直属|大学|高中|部门|家务|工作|生活|方面|同时|其中|据说|听说|曾经|宠物|爱犬|爱猫|家里有|家有|身边有|(?:亲|双胞胎)?(?:兄弟|姐妹)俩?|另有|还有|[一两]?只|[黑白橘花灰黄棕]色?|狸花|三花|{_PET})*"
)
"""What may stand before the subject of a clause."""
_BEFORE_KIN = re.compile(rf"{_OPENING.pattern}(?:[他她其]的?|[{CJK}]{{2,4}}(?:时|期间))")
"""The same before a relative: 体检时妻子, 她丈夫."""
_CUT = re.compile(r"[，,；;。！？!?、：（）()\n]|(?<!\d):|:(?!\d)")
_STOPS = frozenset("。！？!?；;\n")
_GOES_ON = re.compile(
    r"(?:[在住居有是为做当任教读念喜爱讨怕会能不没未从每常已曾正将要想打计准希养育吃喝戴佩患服注对去来搬离负擅精支信拥毕退获拿赢参入弹拉唱跳画写拍踢跑骑种玩看听用说讲懂练考备卖买租借欠存赚付嫁娶结订失辞换转升调回接送带陪照帮值倒睡醒也都均还并既又仍刚最只至很非更经开现目如今去年\d]"
    r"|患|近来|近期|近日|眼下|确诊|得了|出生|来自|一[^\d个只位，。]{1,4}就|一[周月年天](?!的)|怕|害怕|老家|手机号?码?|电话|邮箱|微信号?|生日(?!礼)|车牌|身份证号?|护照号?|鞋码|工号|学号|住址|籍贯|星座|网名|昵称|身高|体重|血型|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]|擅|酷爱|热爱|偏爱|痴迷|戒|跟|[\u4e00-\u9fff]{1,4}过敏|离异|未婚|已婚|单身|丧偶|怀孕|住院|休|学(?![校费生期历])|生(?![日活病意])|家住|视力|听力|耳|记性|性格|脾气|近视|远视|散光|受不了|受过|受伤|扭|崴|摔|伤|主要|小名|[\u4e00-\u9fff]{2,3}人(?=[，,。；;\s]|\Z)|平时|平日|通常|经常|偶尔|一直|总是|春|夏|秋|冬|周|工作日|早|晚|白天|下班后|业余|除了|嫌|宁[愿可]|坚持|拒|答应|同意|反对|支持|担[任心]|承担|继续|申请|投|成长|毕业|进门|乘|搭|遵|评上|认[为识]|觉得|感到)"
)
_NOT_ON = re.compile(
    r"学校|生日[礼会蛋派当那]|生活|住处|住址|爱好|爱人|对象|会议|工作|工资|开销|画作|看法|现金|目标|信用|每(?:月|年|周|天|日)?(?:房租|租金|工资|收入|费)|去处|结婚照|如果|今后|会员|有人|在场|考试|服务|服装|教材|用品|对方|打印|画室|信息|能力|正式|伤口|申请[表书]|投[影诉]|家人|客人|别人|有人|老人|病人|大人|众人|本人"
)


def sayings(text: str, people: Mapping[str, str]) -> tuple[Saying, ...]:
    """The clauses of a text with whom they tell something of.

    Args:
        people: names and words for people, with a key that is the same for all words for one person.
    """
    found = _people(text, people)
    out: list[Saying] = []
    subject: frozenset[str] = frozenset()  # empty: it cannot be told
    outer: frozenset[str] | None = None  # that of the sentence around a bracket
    start, opened, first, at = 0, "", 0, 0
    last: Person | None = None  # who stands at the very end of the clause before
    one_of = False  # whether the subject is one of several that are meant
    alone = False  # whether the clause before names people and tells nothing
    opens = True  # whether the sentence begins here
    for bound in (*_CUT.finditer(text), None):
        stop = bound.start() if bound is not None else len(text)
        mine = []
        while at < len(found) and found[at].start < stop:
            mine.append(found[at])
            at += 1
        if text[start:stop].strip():
            lead = _LEADING.match(text, start, stop)
            head_at = lead.end() if lead is not None else start
            aside = _aside(text, mine, head_at, stop)
            if aside is not None:
                if opened == "、" and out and not out[-1].named:
                    out[-1] = out[-1]._replace(who=frozenset())  # 68岁、有糖尿病的婆婆
                out.append(aside)
                start = head_at = aside.end
            head = _head(text, mine, head_at, stop) or _behind(text, mine, head_at, stop)
            with_him = _HE_AND.match(text, head_at, stop) if head is None and subject else None
            other = _head(text, mine, with_him.end(), stop) if with_him is not None else None
            if other is not None:
                head = subject | other[0], other[1]  # 她和同事徐涛
            if opened in ("（", "("):
                outer = subject
                subject = frozenset((last.who,)) if last is not None else subject
            if head is not None:
                who, rest_at = head
                rest = text[rest_at:stop].strip(" 的")
                if not rest and opened in ("（", "("):
                    who |= subject  # 沈嘉宁（用户）
                elif alone and opened == "、":
                    who = frozenset(("",))  # 爸爸、妈妈都
                alone = not rest
                one_of = False
                subject = frozenset() if "" in who or (not opens and _ONLY_NAMES.match(rest)) else who
                agent = _behind(text, mine, head_at, stop) if rest.startswith("由") else None
                if agent is not None:
                    who, rest_at = agent  # 奶奶由二姑照顾 tells what the aunt does, and goes on with the grandmother
                who = frozenset() if "" in who else who
            else:
                alone = False
                pronoun = _HE.match(text, head_at, stop)
                meant = _meant(pronoun[0], found, head_at) if pronoun is not None else frozenset()
                goes_on = meant or (_GOES_ON.match(text, head_at, stop) and not _NOT_ON.match(text, head_at, stop))
                # "给她寄药" tells whom it does not tell of
                of_him = _OF_HIM.search(text, pronoun.end() if pronoun is not None and meant else start, stop)
                one_of = len(meant) > 1 if meant else one_of
                subject = meant or subject
                who = subject if goes_on and not of_him else frozenset()
                if who and _EACH.match(text, head_at, stop):
                    pair = frozenset(_last_two(text, head_at, found[:at])) - {""}
                    who, subject = pair, pair or subject  # 赵磊在银行，孙倩在学校，都会法语
                if not goes_on and opened not in ("（", "("):
                    subject = frozenset()
            for name in _CALLED_HERE.finditer(text, start, stop):
                more = next((one.who for one in mine if one.start == name.end()), "")
                if more and subject:
                    subject |= {more}
            rest_at = rest_at if head is not None else start  # whose relative somebody is does not count
            mentioned = frozenset(one.who for one in mine if one.who and one.start >= rest_at) - who
            out.append(
                Saying(
                    start,
                    stop,
                    who,
                    mentioned,
                    frozenset(),
                    head is not None,
                    tuple((one.start, one.end) for one in mine if one.who),
                    one_of and who <= subject,
                )
            )
            last = mine[-1] if mine and not text[mine[-1].end : stop].strip() else None
            opens = False
        if bound is not None and bound[0] in ("）", ")") and outer is not None:
            subject = outer if not subject or not outer or subject <= outer else frozenset()
            outer = None
        if bound is None or bound[0] in _STOPS:
            around = frozenset(key for one in out[first:] for key in one.mentioned | one.who)
            out[first:] = [one._replace(around=around) for one in out[first:]]
            first, subject, outer, last, alone, opens = len(out), frozenset(), None, None, False, True
        opened = bound[0] if bound is not None else ""
        start = bound.end() if bound is not None else stop
    return tuple(out)


_ONLY_NAMES = re.compile(rf"(?:名?叫做?|是|为|名为|名字是|名字叫)[{CJK}A-Za-z ]{{1,6}}\Z")
"""What tells no more than who somebody is: behind *女儿叫小溪* the sentence goes on with whom it began."""
_CALLED_HERE = re.compile(r"名叫|叫做|叫|名为|名字是")
_OWNS = re.compile(
    r"的(?:(?:[一二三四五六两几]+[个位名]|小|那个|这个|直属|大学|高中|初中|小学|研究生|博士|公司|部门|隔壁|楼上|楼下|同组|同班|前|新|老|好|亲|远房|合租|双胞胎|黑|白|橘|花|狸花|布偶)*(?:猫|狗|兔子|鹦鹉|仓鼠|金毛|柯基|泰迪)?)"
)
_OF_HIM = re.compile(r"[他她]")
_HAS_SUCH = re.compile(r"(?:还|也)?有")
_HAS_PET = re.compile(
    rf"(?:还|也|又)?(?:有|养了?|领养了?|收养了?)(?:[一两]?[只条匹])?[{CJK}]{{0,3}}{_PET}，?(?:名?叫做?|名为|名字是)?\\s?"
)
_HAS = re.compile(r"(?:还|也)?有(?:一|两)?[位个名]?\Z")


def _head(text: str, mine: Sequence[Person], start: int, stop: int) -> tuple[frozenset[str], int] | None:
    """Who stands at the head of a clause, text[start:stop], and where what is told of them begins; None where nobody does."""
    if not mine or not (
        _OPENING.fullmatch(text, start, mine[0].start) or (mine[0].kin and _BEFORE_KIN.fullmatch(text, start, mine[0].start))
    ):
        return None
    at = 0
    who = {mine[0].who}
    end = mine[0].end
    while at + 1 < len(mine):
        between = text[end : mine[at + 1].start].strip()
        if _OWNS.fullmatch(between) or (
            between == "" and mine[at].who == USER and mine[at + 1].kin and mine[at].start < mine[at + 1].start
        ):
            who = {mine[at + 1].who}  # whose relative it is does not count
        elif between == "" and mine[at].kin and not mine[at + 1].kin and mine[at].end <= mine[at + 1].start:
            who = who - {mine[at].who} | {mine[at + 1].who}  # 大学同学赵磊
        elif between == "" or between in ("和", "与", "跟", "及", "、", "以及", "，"):
            who.add(mine[at + 1].who)
        elif mine[at].who == USER and mine[at + 1].kin and _HAS.match(between):
            who = {mine[at + 1].who}
        elif mine[at].who == USER and mine[at + 1].kin and _HAS_SUCH.match(between):
            who.add(mine[at + 1].who)  # 用户有一位85岁的爷爷
        elif _HAS_PET.fullmatch(between):
            who.add(mine[at + 1].who)  # 用户养了一只橘猫叫南瓜
        else:
            break
        at += 1
        end = mine[at].end
    return frozenset(who), end


_HE = re.compile("[他她](?![们的家和与跟同]|自己的)")
_WOMEN = frozenset(
    "母亲 妻子 女友 未婚妻 前妻 前女友 姐姐 妹妹 表姐 表妹 堂姐 堂妹 奶奶 外婆 岳母 婆婆 舅妈 婶婶 伯母 姑姑 姨妈 嫂子 弟媳 儿媳 小姨子 侄女 外甥女"
    " 孙女 外孙女 教母 女儿 大女儿 小女儿 二女儿 三女儿 师妹 师姐 闺蜜 学姐 学妹 继母 养母 干妈 保姆".split()
)
_MEN = frozenset(
    "父亲 丈夫 男友 未婚夫 前夫 前男友 哥哥 弟弟 表哥 表弟 堂哥 堂弟 爷爷 外公 岳父 公公 舅舅 叔叔 伯伯 姑父 姨父 姐夫 妹夫 女婿 小舅子 侄子 外甥"
    " 孙子 外孙 教父 儿子 大儿子 小儿子 二儿子 三儿子 师弟 师兄 学长 学弟 继父 养父 干爹".split()
)


def _meant(pronoun: str, found: Sequence[Person], at: int) -> frozenset[str]:
    """Everybody named before whom 他 or 她 may stand for."""
    others = _MEN if pronoun == "她" else _WOMEN
    meant = frozenset(one.who for one in found if one.end <= at and one.who and one.who not in others)
    return meant if not meant or any(one.who == USER for one in found) else meant | {USER}  # by a name that is not known: 阮女士


_BY = re.compile(r".{1,14}(?:由|归)|[^的]{2,12}的(?:正|就|便|则)?是|(?:由|归)")
"""What may stand before who does it: 后端由贺兰负责, 送货归阿武, 照顾奶奶的是二姑."""


def _behind(text: str, mine: Sequence[Person], start: int, stop: int) -> tuple[frozenset[str], int] | None:
    """Who stands behind what he does in a clause, text[start:stop], and where what is told of them begins; None where nobody does."""
    for at, one in enumerate(mine):
        found = _BY.fullmatch(text, start, one.start)
        if found is None:
            continue
        head = _head(text, mine[at:], one.start, stop)
        if head is None or (found[0][-1] == "是" and text[head[1] : stop].strip()):
            return None
        return head[0], start
    return None


_TRADE = re.compile(r"[^，的]{0,12}(?:[师生员手家长匠者工士]|编剧|导演|教授|主任|经理|总监|顾问|司机|店主)")
_OF_WHICH = re.compile(r"(?!的)[^的，]{3,14}的")


def _aside(text: str, mine: Sequence[Person], start: int, stop: int) -> Saying | None:
    """What a clause tells of somebody before it names him: 在医院当护士的用户, 儿科医生岑朗."""
    if not mine:
        return None
    does = _GOES_ON.match(text, start, mine[0].start) is not None
    trade = (
        not does and not mine[0].kin and not text.startswith(USER, mine[0].start) and _TRADE.fullmatch(text, start, mine[0].start)
    )
    if not trade and not (does and _OF_WHICH.fullmatch(text, start, mine[0].start)):
        return None
    head = _head(text, mine, mine[0].start, stop)
    if head is None:
        return None
    who = head[0] if len(head[0]) == 1 else frozenset((mine[0].who,))  # with whom he does something does not count
    if "" in who:
        return None
    return Saying(start, mine[0].start, who, frozenset(), frozenset(), True, ())


_DEEDS = frozenset(("领导", "主管", "娘", "爹", "伙伴"))
_TITLES = frozenset(("先生", "太太", "夫人"))
"""Behind a character these are titles or parts of other words."""


def _people(text: str, people: Mapping[str, str]) -> list[Person]:
    longest = max(map(len, people), default=0)
    out: list[Person] = []
    at = 0
    pair = ("", "")  # the former and the latter
    while at < len(text):
        both = _BOTH.match(text, at)
        if both is not None:
            first, second = _last_two(text, at, out)
            out.extend(Person(at, both.end(), who, True) for who in ((first, second) if first else ("",)))
            at = both.end()
            continue
        if text.startswith(("前者", "后者"), at):
            if text[at] == "前":
                pair = _pair(text, out)
            out.append(Person(at, at + 2, pair[text[at] == "后"], False))
            at += 2
            continue
        size = next((size for size in range(min(longest, len(text) - at), 0, -1) if text[at : at + size] in people), 0)
        if size and not any(text.startswith(other, at) or text.startswith(other, max(0, at - 1)) for other in _LOOK_ALIKES):
            word = text[at : at + size]
            if word in _DEEDS and text[max(0, at - 1) : at] not in ("的", "他", "她"):
                at += size  # 领导一个小组
                continue
            if word in _TITLES and at and text[at - 1] >= "\u4e00" and text[at - 1] not in "的他她我，":
                at += size  # 王先生
                continue
            out.append(Person(at, at + size, people[word], word in _RELATION or word in _SEVERAL))
            at += size
        else:
            at += max(1, size)
    return out


_JOINS = re.compile(rf"(?:和|与|同|跟|及|、|以及)(?:[^，。；;]{{0,8}}的|[{CJK}]{{0,2}})?")


_HE_AND = re.compile("[他她](?:和|与|跟|同)")
_EACH = re.compile("(?:也|又)?(?:都|均|全都)(?!很?[严不是属因])")
_KIN_PAIRS = "夫妻|夫妇|兄妹|姐弟|兄弟|姐妹|母女|父子|母子|父女|祖孙|情侣|小两口|老两口|师徒|婆媳|翁婿|妯娌"
_BOTH = re.compile(
    rf"(?:{_KIN_PAIRS})(?:俩|二人|两人|两个)|(?:他们|她们)?(?:两人|二人|俩人|两个人)(?![间份房世转座制])|[他她]们?俩|[他她]们(?=都|均|全|也都|各)|(?:{_KIN_PAIRS})(?=都|均|也都)|双方(?=都|均)"
)
"""Two people who were named before: 兄妹俩, 两人, 他们都."""


_ENDS = "。！？\n"
_IS_SUCH = re.compile("[是为][^，。；用]{0,6}$")


_HAS_ONE = re.compile("用户[^，。；]{0,4}[有养][^，。；]{0,12}(?:[姐妹哥弟儿女友事]|孩子)")
"""用户有两个弟弟，都在读大学: it is they, not he and one of them."""
_EACH_OF = re.compile(rf"[^有养]*?(?:[和与跟同及、]|以及|{_BOTH.pattern})|(?:也|又)?(?:都|均)")


def is_each(text: str) -> bool:
    """Whether a clause that tells of several people tells it of each: 周敏和周航都…, 两人都…, not 用户有个女儿."""
    return _EACH_OF.match(text.lstrip(" ，,；;")) is not None


def _last_two(text: str, at: int, found: Sequence[Person]) -> tuple[str, str]:
    """The only two people that the sentence names before a place, or the last two of the sentence before; "" where there are not just two."""
    start = max(text.rfind(stop, 0, at) for stop in _ENDS) + 1
    for left, right in ((start, at), (max(text.rfind(stop, 0, max(0, start - 1)) for stop in _ENDS) + 1, start)):
        named = [one for one in found if left <= one.start < right]
        told = dict.fromkeys(
            one.who
            for place, one in enumerate(named)
            if not (one.kin and _IS_SUCH.search(text, max(0, one.start - 10), one.start))
            and not (place + 1 < len(named) and _OWNS.fullmatch(text[one.end : named[place + 1].start]) and named[place + 1].kin)
            and not (one.who == USER and place + 1 < len(named) and one.end == named[place + 1].start and named[place + 1].kin)
        )
        if len(told) == 2 and "" not in told:
            first, second = told
            return ("", "") if _HAS_ONE.search(text, left, right) else (first, second)
        if len(told) > 1:
            break
    return "", ""


def _pair(text: str, found: Sequence[Person]) -> tuple[str, str]:
    """The two people that were named last, if they stand beside each other: whom 前者 and 后者 stand for."""
    names: list[Person] = []
    for one in reversed(found):
        if names and one.who == names[-1].who:
            names[-1] = one  # 表哥宋涛
        elif len(names) < 2:
            names.append(one)
        else:
            break
    if len(names) < 2 or not all(one.who for one in names):
        return "", ""
    second, first = names
    before = max((one.end for one in found if one.who == first.who and one.end <= second.start), default=first.end)
    return (first.who, second.who) if _JOINS.fullmatch(text, before, second.start) else ("", "")


def people_of(texts: Iterable[str], names: Iterable[str], selves: Iterable[str]) -> dict[str, str]:
    """All words for people in texts, each with the key of whom it stands for.

    Args:
        names: the names of people.
        selves: the user's own names.
    """
    out: dict[str, str] = {word: relation(word) for word in _RELATION if len(word) > 1}
    out |= dict.fromkeys(_SEVERAL, "")
    out[USER] = USER
    out |= {name: name for name in names}
    out |= {name: USER for name in selves if name in out}
    for text in texts:
        for one, other in _same(text, out):
            first, second = out[one], out[other]
            if first == second or not first or not second:
                continue
            kept, gone = (
                (second, first) if USER not in (first, one) and (second == USER or other in _RELATION) else (first, second)
            )
            for word, key in out.items():
                if key == gone:
                    out[word] = kept
    return out


_IS = re.compile(
    r"(?:[^。；;，]{0,12}，(?=(?:小名|大名|昵称|名字)?(?:叫|是)|名叫))?(?:小名|大名|昵称|名字)?\s?(?:今年)?(?:名叫|叫做|叫|名为|名字是|名字叫|的名字是|的名字叫|是|为|[:：（(])?(?:用户的?)?\s?"
)


def _same(text: str, people: Mapping[str, str]) -> list[tuple[str, str]]:
    """Words that a text uses for one person: a relative or the user and a name beside it, or one called the other."""
    found = _people(text, people)
    out = []
    for at in range(len(found) - 1):
        one, other = found[at], found[at + 1]
        between = text[one.end : other.start]
        left, right = text[one.start : one.end], text[other.start : other.end]
        if left not in people or right not in people:
            continue  # 夫妇俩
        if other.who == USER and at + 2 < len(found) and text[other.end : found[at + 2].start] in ("的", ""):
            listed = text[: one.start].rstrip().endswith(("和", "与", "、", "及", "跟"))  # 苏晴和高远是用户的同事
            if between.strip() in ("是", "为") and found[at + 2].kin and not one.kin and not listed:
                out.append((left, text[found[at + 2].start : found[at + 2].end]))  # 王建国是用户的岳父
            continue
        if one.kin == other.kin and USER not in (left, right):
            continue
        if left == USER and other.kin:
            continue
        names = not (one.kin or left == USER), not (other.kin or right == USER)
        if names.count(True) == 1 and _IS.fullmatch(between) and not (names[0] and between.strip() == ""):
            out.append((left, right))
    return out


@lru_cache(maxsize=1024)
def may_be_one(one: str, other: str) -> bool:
    """Whether two keys may stand for one person: the same, or which of several daughters is told on one side alone."""
    if one == other:
        return True
    if {one, other} & {"老伴"} and {one, other} & {"妻子", "丈夫"}:
        return True
    if {one, other} <= {
        "朋友",
        "同学",
        "闺蜜",
        "发小",
        "同事",
        "室友",
        "网友",
        "笔友",
        "同桌",
        "搭档",
        "合伙人",
        "语伴",
        "邻居",
    } | {"上司", "老板", "导师", "下属", "教练", "师傅"}:
        return "朋友" in (one, other) or "同事" in (one, other) or {one, other} <= {"上司", "老板", "导师"}
    return len(one) != len(other) and (one.endswith(other) or other.endswith(one)) and one[-2:] in ("儿子", "女儿")


__all__ = ["USER", "Saying", "is_each", "may_be_one", "names_in", "people_of", "relation", "sayings"]
