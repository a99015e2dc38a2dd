"""Places and other proper words in Chinese texts: cities, countries, languages, firms, clubs, festivals, with all names of each.

A proper word is no paraphrase of another one: what tells of Nanjing does not tell of Suzhou. ``places_zh.txt`` lists places (see
``scripts/build_places_zh.py``); what else people name in Chinese without any sign that it is a name stands here. Read on first use.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from memopt.facts.cut_zh import cut
from memopt.facts.words import CJK


class Proper(NamedTuple):
    """A proper word as it stands in a text.

    Attributes:
        start: offset of its first character.
        end: offset behind its last character.
        key: the same for all names of one thing.
    """

    start: int
    end: int
    key: int


# A line: what one thing is called, and after a bar the next of its kind.
_OTHERS = """
中文/汉语/华语/普通话/国语/汉字|英语/英文|日语/日文|韩语/韩文|法语/法文|德语/德文|西班牙语/西语/西班牙文|葡萄牙语/葡语|意大利语/意语|俄语/俄文|阿拉伯语|泰语/泰文|越南语|印尼语|马来语|印地语|荷兰语|瑞典语|挪威语|芬兰语|丹麦语|波兰语|希腊语|土耳其语|拉丁语|粤语/广东话/白话/广州话|闽南语/闽南话/台语|客家话|上海话/沪语|四川话|东北话|温州话|文言文|手语|世界语
春节/农历新年/农历年/大年初一/过年/过大年/逢年过节|除夕/大年三十/年三十|元宵节/元宵|清明节/清明|端午节/端午|七夕节/七夕|中元节|中秋节/中秋|重阳节/重阳|国庆节/国庆/十一黄金周/十一长假/十一假期/十一期间|劳动节/五一|元旦|儿童节/六一|教师节|妇女节|母亲节|父亲节|情人节|圣诞节/圣诞/平安夜|感恩节|万圣节|复活节|双十一/双11|冬至|腊八节
腾讯|阿里巴巴/阿里|字节跳动/字节|华为|小米|百度|京东|美团|拼多多|滴滴|网易|新浪|搜狐|快手|携程|联想|中兴|大疆|比亚迪|宁德时代|蔚来|小鹏汽车/小鹏|特斯拉|大众汽车|丰田|本田|日产|宝马|奔驰|奥迪|沃尔沃|保时捷|三星|索尼|微软|谷歌|亚马逊|英伟达|英特尔|高通|台积电|富士康|格力|海尔|美的集团|顺丰|中通|圆通|申通|韵达|蚂蚁集团|商汤|科大讯飞|海康威视|中芯国际|茅台|五粮液|星巴克|瑞幸|麦当劳|肯德基|必胜客|海底捞|喜茶|奈雪|蜜雪冰城|宜家|优衣库|无印良品|耐克|阿迪达斯|李宁|安踏|普华永道|德勤|毕马威|安永|麦肯锡|高盛|摩根士丹利|工商银行/工行|建设银行/建行|农业银行/农行|中国银行/中行|招商银行/招行|交通银行/交行|中国移动|中国联通|中国电信|国家电网|中石油|中石化|平安保险|中国人寿
汇丰银行/汇丰|渣打银行/渣打|花旗银行/花旗|恒生银行/恒生|中信银行|光大银行|民生银行|兴业银行|浦发银行/浦发|平安银行|广发银行/广发|邮储银行/邮政储蓄|宁波银行|北京银行|上海银行|江苏银行|微众银行|网商银行|瑞银|摩根大通|德意志银行|太平洋保险|友邦保险/友邦|泰康人寿/泰康|新华保险|华泰证券|中信证券|国泰君安|海通证券|申万宏源
国航/中国国际航空|东航/东方航空|南航/南方航空|海航/海南航空|厦航/厦门航空|川航/四川航空|深航/深圳航空|山航|春秋航空|吉祥航空|国泰航空|港龙航空|长荣航空|华航/中华航空|新航/新加坡航空|全日空|日航/日本航空|大韩航空|汉莎航空/汉莎|阿联酋航空
雅思/IELTS|托福/TOEFL|托业|法考/司法考试|注会/注册会计师|教资/教师资格证|国考|省考|四级/英语四级|六级/英语六级|专四|专八|高考|中考|普通话考试
京剧|越剧|昆曲|粤剧|黄梅戏|豫剧|评剧|川剧|秦腔|沪剧|评弹|二人转|歌仔戏|布袋戏|皮影戏
协和医院/协和|同济医院|湘雅医院/湘雅|华西医院/华西|瑞金医院/瑞金|仁济医院|中山医院|华山医院|齐鲁医院|西京医院|人民医院|中医院|妇幼保健院|儿童医院|口腔医院
菜鸟驿站/菜鸟|丰巢柜/丰巢|妈妈驿站|蜂巢|顺丰速运
微信|支付宝|淘宝|天猫|抖音|小红书|知乎|哔哩哔哩|微博|豆瓣|钉钉|飞书|企业微信|腾讯会议|网易云音乐/网易云|闲鱼|饿了么|高德地图/高德|百度地图|今日头条|拼多多|得物|有道词典|多邻国|语雀|石墨文档
曼联|曼城|利物浦|阿森纳|切尔西|热刺|皇家马德里/皇马|巴塞罗那/巴萨|马德里竞技/马竞|拜仁/拜仁慕尼黑|多特蒙德|尤文图斯/尤文|国际米兰/国米|巴黎圣日耳曼|上海申花/申花|上海海港|北京国安/国安|山东泰山|广州恒大/恒大|湖人|勇士队|火箭队|凯尔特人|公牛队|热火队|雷霆队|马刺|辽宁队|广东宏远
清华/清华大学|北大/北京大学|复旦/复旦大学|上海交通大学/上海交大/上交大|浙江大学/浙大|南京大学/南大|中国科学技术大学/中科大|武汉大学/武大|华中科技大学/华科|中山大学/中大|同济/同济大学|人民大学/人大|北京师范大学/北师大|南开大学|天津大学|厦门大学/厦大|四川大学/川大|电子科技大学|西安交通大学/西交大|哈尔滨工业大学/哈工大|山东大学/山大|吉林大学|中南大学|湖南大学|华南理工大学/华工|东南大学|北京航空航天大学/北航|北京理工大学/北理工|北京邮电大学/北邮|上海财经大学|华东师范大学/华师大|暨南大学|深圳大学/深大|香港大学/港大|香港中文大学/港中文|台湾大学/台大|东京大学/东大|哈佛/哈佛大学|斯坦福/斯坦福大学|麻省理工/麻省理工学院|耶鲁/耶鲁大学|普林斯顿大学|牛津大学|剑桥大学|帝国理工/帝国理工学院|多伦多大学|墨尔本大学|悉尼大学|新加坡国立大学/国大|南洋理工大学|早稻田/早稻田大学|庆应大学|首尔大学|慕尼黑工业大学
佛教/信佛/佛教徒|道教/道教徒|基督教/基督徒/基督教徒|天主教/天主教徒|伊斯兰教/穆斯林|印度教/印度教徒|犹太教/犹太教徒
汉族|回族|藏族|维吾尔族|蒙古族|满族|苗族|彝族|壮族|朝鲜族|哈萨克族|土家族|白族|傣族|纳西族|侗族|瑶族
属鼠|属牛|属虎|属兔|属龙|属蛇|属马|属羊|属猴|属鸡|属狗|属猪
龙井/龙井茶|普洱/普洱茶|铁观音|大红袍|碧螺春|毛尖|白牡丹|金骏眉|正山小种|茉莉花茶
围棋|象棋/中国象棋|国际象棋|五子棋|军棋|跳棋|桥牌|麻将|扑克/扑克牌
太极拳/太极|八段锦|咏春|散打|柔道|跆拳道|空手道|击剑|拳击
古筝|二胡|琵琶|古琴|扬琴|笛子|唢呐|小提琴|大提琴|中提琴|吉他|贝斯|尤克里里|钢琴|电子琴|手风琴|萨克斯|长笛|单簧管|双簧管|小号|架子鼓|口琴|陶笛
白羊座|金牛座|双子座|巨蟹座|狮子座|处女座|天秤座|天蝎座|射手座/人马座|摩羯座|水瓶座|双鱼座
川菜|粤菜/广东菜|湘菜/湖南菜|鲁菜|苏菜|浙菜|闽菜|徽菜|东北菜|本帮菜|日料/日本料理/日本菜|韩餐/韩国料理/韩国菜|泰餐/泰国菜|法餐/法国菜|意大利菜|印度菜|墨西哥菜|西餐|中餐
红楼梦|西游记|三国演义/三国|水浒传/水浒|三体|活着|平凡的世界|围城|百年孤独
"""


class _Known(NamedTuple):
    keys: dict[str, int]
    names: dict[int, tuple[str, ...]]  # the other way round, Latin names as they are folded
    inside: dict[int, tuple[str, ...]]
    longest: int


_PLACE_ENDS = ("市", "省", "县", "区")


@cache
def _known() -> _Known:
    keys: dict[str, int] = {}
    names: dict[int, tuple[str, ...]] = {}
    inside: dict[int, tuple[str, ...]] = {}
    number = 0

    def put(latin: str, chinese: list[str], above: str) -> None:
        nonlocal number
        number += 1
        for name in chinese:
            keys.setdefault(name, number)
        names[number] = (*chinese, *([latin.replace("_", " ")] if len(latin) > 3 else []))
        inside[number] = tuple(above.split())

    for line in _OTHERS.strip().splitlines():
        for one in line.split("|"):
            put("", one.split("/"), "")
    for line in (Path(__file__).parent / "places_zh.txt").read_text(encoding="utf8").splitlines():
        if line[0] != "#":
            latin, chinese, above = line.split("|")
            put(latin, chinese.split(" "), above)
    return _Known(keys, names, inside, max(map(len, keys)))


_RUN = re.compile(rf"[{CJK}]+")


@lru_cache(maxsize=16384)
def propers(text: str) -> tuple[Proper, ...]:
    """The proper words of a text, in order, the longest where one holds another; none that begins or ends inside a word."""
    if text.isascii():
        return ()
    known = _known()
    out = []
    for run in _RUN.finditer(text):
        chars = run[0]
        bounds = None
        at = 0
        while at < len(chars) - 1:
            size = next(
                (size for size in range(min(known.longest, len(chars) - at), 1, -1) if chars[at : at + size] in known.keys), 0
            )
            if not size:
                at += 1
                continue
            if bounds is None:
                bounds = _inner(cut(chars))
            if at in bounds or (at + size in bounds and not chars.startswith(_PLACE_ENDS, at + size)):
                at += 1
                continue
            out.append(Proper(run.start() + at, run.start() + at + size, known.keys[chars[at : at + size]]))
            at += size
    return tuple(out)


def _inner(words: tuple[tuple[int, int], ...]) -> frozenset[int]:
    """The places inside of words."""
    return frozenset(at for start, end in words for at in range(start + 1, end))


def names_of(key: int) -> tuple[str, ...]:
    """All names of what a proper word stands for, Latin ones folded."""
    return _known().names[key]


@lru_cache(maxsize=16384)
def keys_of(text: str) -> frozenset[int]:
    """The keys of a text's proper words and of what they lie in."""
    known = _known()
    out: set[int] = set()
    todo = [found.key for found in propers(text)]
    while todo:
        key = todo.pop()
        if key not in out:
            out.add(key)
            todo += [known.keys[name] for name in known.inside[key] if name in known.keys]
    return frozenset(out)


def is_told(key: int, text: str) -> bool:
    """Whether a text has one of the names of a proper word, as written, or speaks of a country by its first character: 法餐."""
    for name in names_of(key):
        if name in text:
            return True
        if len(name) == 2 and name[1] == "国" and re.search(f"{name[0]}[语文式餐菜料系剧货籍裔漫企]", text):
            return True
    return False


__all__ = ["Proper", "is_told", "keys_of", "names_of", "propers"]
