"""Items: the hard facts in a text, each with its span and a form that can be compared.

Every item carries ``keys``, all the readings it may have, written so that equal keys mean the same thing:

====================== ==============================================================================================
``n:1450``             a bare number. ``1.450`` has two keys (1450, 1.45); ``1,5`` is 1.5; ``1,450`` and ``1 450`` are 1450
``q:g:0.005``          a quantity in the base unit of its dimension (m, g, l, s, day, month, byte, K is not: degrees stay as written)
``m:eur:1450``         money, by currency code
``p:15``               per cent
``t:09:00``            a time of day on the 24-hour clock; ``9:00`` alone has two keys
``d:2025-08-01``       a date; ``d:2025-08``, ``d:2025``, ``d:--08-01``, ``d:--08`` where parts are not told; ``5/7/2023`` has two keys
``w:1``                a weekday, Monday is 1
``r:next week``        a time that is told from where the text was written
``o:3``                an ordinal
``e:`` ``u:`` ``tel:`` ``id:`` ``v:`` ``@:`` e-mail, URL, telephone (digits), identifier, version, handle
====================== ==============================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache

from memopt.facts.lexicon import words
from memopt.facts.words import ALPHA, CJK, bare, fold


@dataclass(frozen=True, slots=True)
class Item:
    """One hard fact of a text.

    Attributes:
        kind: email, url, phone, handle, id, version, date, weekday, relative, time, quantity, money, percent, number, ordinal,
            name or quote.
        norm: the likeliest reading, in the form of the module's table (names: folded, without diacritics).
        surface: the text itself, ``text[start:end]``.
        start: offset of its first character.
        end: offset behind its last character.
        keys: all readings; two items can mean the same when these meet.
        weak: it may support another text's item but is not itself worth missing (``an hour``, ``one``, ``first``).
    """

    kind: str
    norm: str
    surface: str
    start: int
    end: int
    keys: frozenset[str]
    weak: bool = False


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner enero janvier janeiro gennaio januari ene januari",
            "february feb februar febrero février fevrier fevereiro febbraio februari",
            "march mar märz maerz marzo mars março marco maret maart",
            "april apr abril avril aprile",
            "may mai mayo maio maggio mei",
            "june jun juni junio juin junho giugno",
            "july jul juli julio juillet julho luglio",
            "august aug agosto août aout agustus augustus",
            "september sept sep septiembre septembre setembro settembre",
            "october oct oktober okt octubre octobre outubro ottobre",
            "november nov noviembre novembre novembro",
            "december dec dezember dez diciembre décembre decembre dezembro dicembre desember",
        ),
        1,
    )
    for name in names.split()
}
_BARE_MONTHS = frozenset(
    words(
        """
    january february april june july august september october november december januar februar juni juli oktober
    dezember
    """
    )
)

WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon mondays montag montags lundi",
            "tuesday tue tues tuesdays dienstag dienstags mardi",
            "wednesday wed wednesdays mittwoch mittwochs mercredi",
            "thursday thu thurs thur thursdays donnerstag donnerstags jeudi",
            "friday fri fridays freitag freitags vendredi",
            "saturday sat saturdays samstag samstags samedi",
            "sunday sun sundays sonntag sonntags dimanche",
        ),
        1,
    )
    for name in names.split()
}
_LOWER_WEEKDAYS = frozenset(name for name in WEEKDAYS if name.endswith(("day", "days")))
_CJK_DAYS = {"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "日": 7, "天": 7, "末": 8}

_SMALL = dict(
    zip(
        words(
            """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen
    """
        ),
        range(20),
        strict=True,
    )
)
_TENS = dict(zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True))
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_OTHER_NUMBERS = {
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "zwölf": 12,
    "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "huit": 8, "dix": 10, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5,
    "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "dois": 2, "duas": 2, "três": 3, "quatro": 4, "oito": 8,
    "dez": 10, "tre": 3, "quattro": 4, "cinque": 5, "sette": 7, "otto": 8, "dieci": 10, "dua": 2, "tiga": 3, "empat": 4,
    "enam": 6, "tujuh": 7, "delapan": 8, "два": 2, "две": 2, "три": 3, "четыре": 4, "пять": 5,
}  # fmt: skip
_ORDINALS = dict(
    zip(
        words(
            """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
    seventeenth eighteenth nineteenth
    """
        ),
        range(1, 20),
        strict=True,
    )
) | dict(
    zip(words("twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth"), range(20, 100, 10), strict=True)
)
_TIMES_WORDS = {"once": 1, "twice": 2, "thrice": 3}

_CJK_DIGITS = {ch: value for value, ch in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2}
_CJK_UNITS = {"十": 10, "百": 100, "千": 1000}
_CJK_SCALES = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_MAGNITUDES = {
    "k": 10**3, "thousand": 10**3, "million": 10**6, "mio": 10**6, "mn": 10**6, "mln": 10**6, "billion": 10**9, "bn": 10**9,
    "trillion": 10**12, "hundred": 100, "dozen": 12, "lakh": 10**5, "crore": 10**7,
    "十": 10, "百": 100, "千": 1000, "万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8, "만": 10**4, "억": 10**8,
}  # fmt: skip

# unit text (folded) -> (dimension, factor to the base unit)
UNITS: dict[str, tuple[str, str]] = {}
for _line in """m 1000 km ㎞ kilometer kilometers kilometre kilometres kms 公里 千米 キロ
m 1 m meter meters metre metres 米 公尺
m 0.9144 yard yards yd
m 0.01 cm ㎝ centimeter centimeters centimetre centimetres 厘米 公分
m 0.001 mm ㎜ millimeter millimeters millimetre millimetres 毫米
m 1609.344 mile miles mi 英里
m 0.3048 ft foot feet 英尺
m 0.0254 inch inches 英寸
g 1000000 tonne tonnes 吨
g 28.349523125 oz ounce ounces 盎司
g 6350.29318 stone
g 1000 kg ㎏ kgs kilo kilos kilogram kilograms 公斤 千克
g 500 斤
g 1 g gram grams gramm 克
g 0.001 mg ㎎ milligram milligrams 毫克
g 0.000001 µg μg mcg microgram micrograms 微克
g 453.59237 lb lbs 磅
l 1 l liter liters litre litres 升 公升
l 0.001 ml ㎖ milliliter milliliters millilitre millilitres 毫升
s 1 s sec secs second seconds 秒 秒钟
s 0.001 ms millisecond milliseconds 毫秒
s 60 min mins minute minutes minuten 分钟 分鐘
s 3600 h hr hrs hour hours std stunde stunden 小时 小時 个小时 個小時 钟头 个钟头 鐘頭 個鐘頭 heure heures hora horas ore jam 時間 시간
day 1 day days tag tage tagen jour jours día días dia dias giorni hari 天
day 7 week weeks wk wks woche wochen semaine semaines semana semanas minggu 周 星期 个星期 礼拜 週間 주
month 1 month months monat monate monaten mois mes meses mesi bulan 个月 個月 月份 ヶ月 か月 개월
month 120 decade decades
month 1200 century
month 12 year years yr yrs jahr jahre jahren année années ans año años ano anos anni tahun
byte 1000000000000 tb tib terabyte terabytes
byte 1000000000 gb gib gigabyte gigabytes
byte 1000000 mb 兆 mib megabyte megabytes
byte 1000 kb kib kilobyte kilobytes
c 1 °c ℃ celsius degrees_celsius degrees_centigrade °_c 摄氏度
f 1 °f fahrenheit degrees_fahrenheit °_f 华氏度
deg 1 ° degree degrees 度
kwh 1 kwh kilowatt-hours kilowatt_hours kilowatt-hour kilowatt_hour
w 1 watt watts
mhz 1 mhz megahertz
ghz 1 ghz gigahertz
mbps 1 mbps mbit/s megabits_per_second megabits_a_second
fps 1 fps frames_per_second frames_a_second
wpm 1 wpm words_per_minute words_a_minute
rpm 1 rpm revolutions_per_minute
px 1 px pixel pixels
kcal 1 kcal calorie calories 卡路里 大卡 千卡
m2 1 m² m2 ㎡ sqm sq_m square_meters square_metres square_meter square_metre 平方米 平米 平方 平
m3 1 m³ m3 ㎥ cubic_meters cubic_metres 立方米 立方
ft2 1 sqft sq_ft square_feet square_foot
kmh 1 km/h kmh kph km_per_hour km_an_hour kilometers_per_hour kilometres_per_hour kilometers_an_hour kilometres_an_hour
mph 1 mph miles_per_hour miles_an_hour
bpm 1 bpm beats_per_minute beats_a_minute
ha 1 ha hectare hectares 公顷
m2 666.666667 亩
m2 4046.8564224 acre acres
m2 3.305785 坪""".splitlines():
    _dimension, _factor, *_names = _line.split()
    for _name in _names:
        UNITS[_name.replace("_", " ")] = (_dimension, _factor)
_AGE_UNITS = frozenset(["周岁", "岁", "歲", "歳", "세", "살"])
_CJK_YEARS = ("年", "年间", "年间")
CURRENCIES = {
    "€": "eur", "eur": "eur", "euro": "eur", "euros": "eur", "欧元": "eur", "欧": "eur",
    "$": "usd", "us$": "usd", "usd": "usd", "dollar": "usd", "dollars": "usd", "美元": "usd", "美金": "usd", "bucks": "usd",
    "£": "gbp", "gbp": "gbp", "quid": "gbp", "英镑": "gbp", "pounds sterling": "gbp",
    "¥": "cny", "￥": "cny", "cny": "cny", "rmb": "cny", "yuan": "cny", "元": "cny", "块": "cny", "块钱": "cny", "人民币": "cny",
    "元人民币": "cny", "jpy": "jpy", "yen": "jpy", "日元": "jpy", "円": "jpy", "chf": "chf", "sek": "sek", "nok": "nok", "dkk": "dkk",
    "pln": "pln", "zł": "pln", "inr": "inr", "₹": "inr", "rupees": "inr", "rupee": "inr", "₩": "krw", "krw": "krw", "won": "krw",
    "원": "krw", "cad": "cad", "c$": "cad", "aud": "aud", "a$": "aud", "r$": "brl", "brl": "brl", "reais": "brl", "rub": "rub",
    "₽": "rub", "rp": "idr", "idr": "idr", "rupiah": "idr", "港币": "hkd", "港元": "hkd", "hkd": "hkd", "hk$": "hkd", "sgd": "sgd",
    "s$": "sgd", "nt$": "twd", "twd": "twd", "btc": "btc", "₿": "btc", "try": "try", "₺": "try",
}  # fmt: skip
for _line in """\
aud australian_dollar australian_dollars 澳元 澳币
cad canadian_dollar canadian_dollars 加元 加币 加拿大元
chf franc francs swiss_franc swiss_francs 瑞士法郎 瑞郎 法郎
cny chinese_yuan renminbi
czk czk koruna korunas czech_koruna czech_crowns kč 捷克克朗
dkk danish_krone danish_kroner 丹麦克朗
gbp british_pound british_pounds 镑
hkd hong_kong_dollar hong_kong_dollars 港纸
huf huf forint forints 福林
idr 印尼盾 印尼卢比
ils ils shekel shekels ₪ 谢克尔
inr indian_rupee indian_rupees 印度卢比 卢比
jpy japanese_yen 日圆 日币
krw korean_won 韩元 韩币
mop mop 澳门元 澳门币
myr myr ringgit 林吉特 马币
nok norwegian_krone norwegian_kroner 挪威克朗
nzd nzd nz$ new_zealand_dollar new_zealand_dollars 纽元 纽币 新西兰元
php php philippine_peso philippine_pesos 菲律宾比索
pln zloty zlotys złoty złotych 兹罗提
rub ruble rubles rouble roubles 卢布
sek krona kronor swedish_krona swedish_kronor 瑞典克朗
sgd singapore_dollar singapore_dollars 新币 新元 新加坡元 坡币
thb thb baht ฿ 泰铢
try lira turkish_lira 里拉
twd 台币 新台币 台幣 新臺幣
usd us_dollar us_dollars american_dollars 美刀
vnd vnd ₫ 越南盾
zar zar rand 兰特""".splitlines():
    _code, *_names = _line.split()
    CURRENCIES.update((_name.replace("_", " "), _code) for _name in _names)
_CURRENCY_WORDS_AFTER = frozenset(CURRENCIES) - {"try", "won", "欧", "php", "mop"}
_CURRENCY_BEFORE = frozenset(name for name in CURRENCIES if not name.isalpha() or len(name) == 3) - {"won", "try", "yen", "php", "mop", "镑"} | {
    "人民币", "rp",
}  # fmt: skip


def plain_number(value: Decimal) -> str:
    """A number without exponent and without zeros that say nothing."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text or "0"


def read_number(text: str) -> list[Decimal]:
    """All values digits with separators may stand for, likeliest first; [] for what is no number.

    One comma with three digits behind it groups thousands; one dot with three digits is read both ways; two kinds of separators
    or a repeated one leave no doubt.
    """
    digits = text.replace("\u00a0", " ").replace("\u202f", " ").replace("’", "'").replace("_", "")
    sign = ""
    if digits[:1] in "+-−":
        sign = "-" if digits[0] in "-−" else ""
        digits = digits[1:]
    digits = re.sub(r"[ ']", "", digits)
    commas, dots = digits.count(","), digits.count(".")
    values: list[str]
    if commas and dots:
        last = max(digits.rfind(","), digits.rfind("."))
        other = "." if digits[last] == "," else ","
        values = [digits[:last].replace(other, "") + "." + digits[last + 1 :]]
    elif commas > 1 or dots > 1:
        groups = re.split(r"[.,]", digits)
        if not all(len(group) in (2, 3) for group in groups[1:]) or len(groups[-1]) != 3:  # 2: Indian lakh groups
            return []
        values = ["".join(groups)]
    elif commas:
        whole, _, rest = digits.partition(",")
        values = [whole + rest] if len(rest) == 3 and whole not in ("", "0") and len(whole) < 4 else [whole + "." + rest]
    elif dots:
        whole, _, rest = digits.partition(".")
        values = [digits]
        if len(rest) == 3 and whole not in ("", "0") and len(whole) < 4:
            values.append(whole + rest)
    else:
        values = [digits]
    try:
        return [Decimal(sign + value) for value in values]
    except InvalidOperation:
        return []


def read_cjk_number(text: str) -> Decimal | None:
    """``二十三`` is 23, ``三万五`` is 35000, ``二〇二五`` is 2025, ``3万`` is 30000; None for what is no number."""
    if all(ch in _CJK_DIGITS for ch in text):
        return Decimal("".join(str(_CJK_DIGITS[ch]) for ch in text))
    total = section = digit = 0
    last_unit = 1
    for ch in text:
        if ch in _CJK_DIGITS:
            digit = _CJK_DIGITS[ch]
            if digit == 0:
                last_unit = 1
        elif ch in _CJK_UNITS:
            last_unit = _CJK_UNITS[ch]
            section += (digit or 1) * last_unit
            digit = 0
        elif ch in _CJK_SCALES:
            last_unit = _CJK_SCALES[ch]
            if total > last_unit:  # 一亿两千万: the smaller one counts what stands between
                total += (section + digit) * last_unit
            else:
                total = (total + section + digit) * last_unit
            section = digit = 0
        else:
            return None
    # A last digit without its unit stands for the next lower one: 三万五 is 35,000, 一百二 is 120.
    tail = digit * last_unit // 10 if digit and last_unit >= 100 and text[-2:-1] not in "零〇" else digit
    return Decimal(total + section + tail)


def words_to_number(words: list[str]) -> Decimal | None:
    """``["twenty", "three"]`` is 23, ``["two", "hundred", "and", "five"]`` is 205; None for what is no number."""
    total = current = 0
    seen = False
    for word in words:
        if word == "and":
            continue
        if word in _SMALL:
            current += _SMALL[word]
        elif word in _TENS:
            current += _TENS[word]
        elif word in ("hundred", "dozen"):
            current = (current or 1) * _SCALES[word]
        elif word in _SCALES:
            total += (current or 1) * _SCALES[word]
            current = 0
        else:
            return None
        seen = True
    return Decimal(total + current) if seen else None


class _Finder:
    """Collects items, each character belonging to at most one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.items: list[Item] = []
        self._rest = text
        self._cut: list[tuple[int, int]] = []  # spans that are taken and not yet blanked in _rest
        self._taken = bytearray(len(text))

    @property
    def rest(self) -> str:
        """The text with a NUL for each character that belongs to an item; rebuilt once after many were taken."""
        if self._cut:
            parts: list[str] = []
            at = 0
            for start, end in sorted(self._cut):
                if end > at:
                    start = max(start, at)
                    parts += (self._rest[at:start], "\x00" * (end - start))
                    at = end
            self._rest = "".join((*parts, self._rest[at:]))
            self._cut = []
        return self._rest

    def take(self, kind: str, start: int, end: int, keys: list[str], weak: bool = False) -> None:
        self.items.append(Item(kind, keys[0], self.text[start:end], start, end, frozenset(keys), weak))
        self._cut.append((start, end))
        self._taken[start:end] = b"\x01" * (end - start)

    def is_taken(self, start: int, end: int) -> bool:
        return 1 in self._taken[start:end]

    def skip(self, start: int, end: int) -> None:
        """Takes characters that are no item."""
        self._cut.append((start, end))
        self._taken[start:end] = b"\x01" * (end - start)

    def scan(self, pattern: re.Pattern[str], use: Callable[[re.Match[str]], None]) -> None:
        for found in list(pattern.finditer(self.rest)):
            if 1 not in self._taken[found.start() : found.end()]:
                use(found)


def _alternatives(names: list[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


_CJK_MEASURES = words(
    """
    个 只 条 本 次 位 名 人 天 年 月 周 岁 元 块 公里 米 公斤 斤 小时 分钟 秒 点 遍 辆 台 套 间 层 杯 瓶 张 件 家 篇 门 种 句 行 倍 页 支 首 部 场 匹 头 口 份 岁 克 毫克
    毫升 升 平 座 所 栋 幢 把 顿 趟 项 副 封 稿 档 筐 篮 幕 剂 贴 帖 股 阵 袋 包 盒 罐 碗 盘 滴 片 朵 株 度 折 楼 号 科 款 轮 笔 幅 桶 粒 针 架 艘 壶 根 串 组 站 圈 局 段 盏 扇 室 居 周岁 级 届 章 节 课 步 回 枚 颗 棵 双 对 晚 夜 桌 厅 卫 集 期 批 群 册 道 处 代 任 版 卷 餐 队 类 样 顶 捆 束 排 列 勺 壶 管 台
    """
)


_LATIN = rf"{ALPHA}\d_"


def _narrow(pattern: str) -> str:
    r"""A pattern whose ``\w`` and ``\b`` know no Chinese: it stands right beside dates, figures and names, with no blank between."""
    edge = rf"(?:(?<=[{_LATIN}])(?![{_LATIN}])|(?<![{_LATIN}])(?=[{_LATIN}]))"
    return pattern.replace(r"[\w", f"[{_LATIN}").replace(r"\w", f"[{_LATIN}]").replace(r"\b", edge)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    month = _alternatives(list(MONTHS))
    cjk_number = "[零〇一二三四五六七八九十两\\d]"
    cjk_digits = "零〇一二三四五六七八九"
    return {
        "url": re.compile(
            r"(?:(?:https?|ftp|file|postgres(?:ql)?|redis|ssh|git)://|www\.)[^\s<>\"'“”‘’，。；！？、（）《》「」\x00]+"
            r"|\b(?:[a-z0-9-]{1,63}\.){1,9}(?:com|org|net|io|dev|de|uk|cn|co|app|ai|edu|gov|eu|fr|it|es|jp|me|info|ch|nl|pl|se|dk|fi|pt|ru|br|au|nz|ca|za|kr|tw|hk|sg|gg|tv|biz|xyz|tech|shop|store|blog|site|cloud|page|example)(?:/[^\s<>\"'“”，。；、（）\x00]*)?(?![\w@-])",
            re.I,
        ),
        "email": re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+", re.A),
        "handle": re.compile(rf"(?<![{_LATIN}/.@])[@#](?:[{_LATIN}][{_LATIN}.-]*|[{CJK}][{ALPHA}{CJK}\d_.-]*)(?<![.-])"),
        "iso": re.compile(
            _narrow(
                r"(?<![\w.-])((?:19|20|21)\d\d)([-/.])(0?[1-9]|1[0-2])\2(0?[1-9]|[12]\d|3[01])(?:[T ](\d\d:\d\d(?::\d\d)?)Z?)?(?![\w-])(?!\.\d)"
            )
        ),
        "iso_month": re.compile(_narrow(r"(?<![\w.-])((?:19|20)\d\d)-(0[1-9]|1[0-2])(?![\w-])(?!\.\d)")),
        "cjk_date": re.compile(
            rf"(?:(?P<y>(?<!\d)(?:19|20)?\d\d|[零〇一二三四五六七八九]{{4}}|(?<![零〇一二三四五六七八九十百千])[零〇五六七八九][零〇一二三四五六七八九](?=年(?!级|代|[来以之前后内多间里]))|今|明|去|前|后)\s?(?:[年년]|(?<=[12]\d\d\d)[届款])\s?)(?:(?P<m>{cjk_number}{{1,3}})\s?[月월]\s?"
            rf"(?:(?P<d>{cjk_number}{{1,3}})\s?[日号號일])?)?"
            rf"|(?P<season>[今明去])(?=[春夏秋冬](?![节奥运晚眠装菜至虫]))|(?P<m2>{cjk_number}{{1,3}})\s?[月월]\s?(?P<d2>{cjk_number}{{1,3}})\s?[日号號일]"
            rf"|(?<!个)(?P<m3>{cjk_number}{{1,3}})(?:月(?!薪|饼|亮|球|经|租|费)份?|월)"
        ),
        "cjk_months": re.compile(
            r"(?<![\d年月.一二三四五六七八九十])(?P<n>\d{1,2}|[一二三四五六七八九十]{1,2})(?=(?:至|到|[-–—~～]|、)(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?!\d))"
        ),
        "day_month": re.compile(
            rf"(?<![\w.,/-])(?:(?P<d0>\d{{1,2}})(?:st|nd|rd|th|\.|º)?\s?(?:[-–—/&,]|to|and|und|bis|until)\s?(?:(?:{_alternatives(sorted(_LOWER_WEEKDAYS))})\s(?:the )?)?)?(?P<d>\d{{1,2}})"
            rf"(?:st|nd|rd|th|er|\.|º|ª)?[ \-]?\s?(?:of |de |di )?"
            rf"(?P<m>{month})\b\.?(?:,?[ \-](?:de |of |del )?(?P<y>\d{{4}}|['’]\d\d)\b(?!\s?(?:euros?|people|km)))?",
            re.I,
        ),
        "month_day": re.compile(
            rf"(?<![\w-])(?P<m>{month})\b\.?[ \-]\s?(?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%€$])"
            rf"(?:\s?(?:[-–—&]|to|and|until)\s?(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:]))?"
            rf"(?:(?:,|,? of)?[ \-]?\s?(?P<y>(?:19|20)\d\d)\b)?(?!\s?(?:am|pm|a\.m|p\.m))",
            re.I,
        ),
        "month_year": re.compile(rf"(?<![\w-])(?P<m>{month})\b\.?,?[ \-/](?:of |de |del )?(?P<y>(?:19|20)\d\d|['’]\d\d)\b", re.I),
        "month_slash": re.compile(_narrow(r"(?<![\w./-])(0?[1-9]|1[0-2])/((?:19|20)\d\d)(?![\w/])")),
        "slash": re.compile(_narrow(r"(?<![\w./-])(\d{1,2})([./-])(\d{1,2})\2((?:19|20)?\d\d)(?![\w./-]\w|\w)")),
        "dot_day": re.compile(r"(?<![\w.,])(\d{1,2})\.(\d{1,2})\.(?=\s|$|[,;:)])"),
        "mixed": re.compile(r"(?<![\w./])(\d{1,3})[ -]([1-9])/([2-9])(?![\w/])(?:[ -](?P<unit>[a-z]{2,}))?", re.I),
        "pressure": re.compile(
            r"(?<![\w.,/-])([4-9]\d|[12]\d\d)(?: over |/)(\d{2,3})(?![\w/%]|[.,]\d)(?! (?:years|percent|euros?|dollars?))", re.I
        ),
        "slash_day": re.compile(_narrow(r"(?<![\w./])(\d{1,2})/(\d{1,2})(?![\w/]|\s?[杯勺匙个圈寸的])")),
        "month": re.compile(
            rf"(?<![\w-])(?P<cue>(?:in|since|by|until|till|last|next|early|late|mid|this|from|during|before|after|of|every|each|around|"
            rf"seit|im|en|em|pada)[ -])?(?P<m>{_alternatives([name for name in MONTHS if len(name) > 2])})\b(?!\s?'(?!s\b))",
            re.I,
        ),
        "year": re.compile(
            rf"(?<![{_LATIN}.,:/€$£¥+#-])"  # of 2000人 and the like no year
            r"((?:19|20)\d\d)(?:s\b)?(?![\w:%/€$£¥]|[.,]\d|-\d|\s?(?:km|kg|m|g|mg|ml|€|\$|£|ms|px|kcal|euros?|dollars?|usd|eur|元|块|円|米|steps|people|calories)(?![a-z]))",
            re.I,
        ),
        "weekend": re.compile(
            r"\b(?:sat(?:urday)?s?\s?(?:and|&|/|[-–])\s?sun(?:day)?s?\b|weekends?\b|weekend days?\b)|周末|週末|双休日|(?:周|星期|礼拜)六(?:[、和及与]?(?:周|星期|礼拜)[日天]|[、和及与][日天]|日)",
            re.I,
        ),
        "part_of_period": re.compile(
            rf"\b(?:(?P<early>early|late|mid)(?P<gap>[ -]?)(?=(?:{_PERIOD}))|(?:(?:at|in|by|from|since|until|towards?|around|before) )?(?:the )?(?P<of>beginning|start|middle|end|close) of (?=(?:the |each |every )?(?:{_PERIOD}|(?:year|month)\b))"
            rf"|(?:(?:by|at) )?(?:the |each |every )?(?P<years>year|month)(?:-|'s | )end\b|(?P<over>before) (?=\x00+ (?:is over|is out|ends|runs out)\b))",
            re.I,
        ),
        "both_ends": re.compile(
            r"早[、和]?中?[、和]?晚(?=[^餐饭]{0,3}(?:各|一次|两次))|早晚(?:各|两)|\b(?:mornings?|noon|breakfast),? (?:noon )?(?:and|&) (?:evenings?|nights?|bedtime|dinner)\b",
            re.I,
        ),
        "short_year": re.compile(r"(?:(?<=\s)|(?<=\A)|(?<=\())['’‘](?P<y>\d\d)(?![\d'’:%]|\.\d|\w)"),
        "weekday": re.compile(
            rf"(?<![\w-])({_alternatives(list(WEEKDAYS))})\b\.?|(?:周|星期|礼拜|禮拜|週)([一二三四五六日天末])(?![次回遍两三四五六七八九十]|(?<=[一二三四五六])天(?!气))|([月火水木金土日])曜日?",
            re.I,
        ),
        "cjk_weekdays": re.compile(
            rf"(?:周|星期|礼拜|禮拜|週)(?P<days>[一二三四五六日天](?:[、,，/和及与]?(?:周|星期)?(?:[一二三四五六日]|(?<![一二三四五六])天)){{1,6}})(?![一二三四五六七八九十百千万点點时號号半几]|{_alternatives(_CJK_MEASURES)})"
        ),
        "relative": re.compile(
            r"\b(?:(?:the )?(?:day (?:before yesterday|after tomorrow)|(?:week|weekend|month|year) (?:before last|after next))"
            r"|(?P<far>two|2) (?P<span>weekends|weeks|months|years) (?P<way>later|from (?:now|then)|hence|ago|earlier)|(?:an?|one|the) (?P<one>day|week|month|year) (?P<side>before|after|ago|later|earlier|from now)|today|tonight|yesterday|tomorrow|(?:(?:last|next|this|past|coming|upcoming|previous|following)|(?:later|earlier) in the)"
            r" (?:week(?:end)?|month|year|quarter|summer|winter|spring|autumn|fall|night|evening|morning|afternoon|semester|season)"
            r"|heute|morgen|gestern|hoy|mañana|ayer|demain|hier|aujourd'hui|besok|kemarin)\b"
            r"|上上个?(?:周末?|星期|礼拜|月)|下下个?(?:周末?|星期|礼拜|月)(?![一二三四五六日天])|大前天|大后天|今天|明天|昨天|前天|后天|今晚|昨晚|明晚|(?<!\d)[上下]月(?!\d|[一二三四五六七八九十])|[上下这本]个?(?:星期|礼拜)(?![一二三四五六日天])|[上下这本]周(?![一二三四五六日天末])|上个月|下个月|这个月|本月|本季度|下季度|上季度|今日|明日|昨日",
            re.I,
        ),
        "clock": re.compile(
            r"(?<![A-Za-z0-9_.:/])(?P<h>\d{1,2})(?:[:.](?P<mi>[0-5]\d))?(?::(?P<s>\d\d))?\s?(?P<ap>a\.?m\.?|p\.?m\.?)(?!\w)"
            r"|(?<![A-Za-z0-9_.:/])(?P<h2>\d{1,2})[:：](?P<mi2>[0-5]\d)(?:[:：](?P<s2>[0-5]\d))?(?![\d:]|\.\d)(?:\s?(?P<uhr>uhr|h|o'clock)\b)?"
            r"|(?<![A-Za-z0-9_.:/])(?P<h3>\d{1,2})\s?(?P<oc>o['’]?clock|uhr)\b"
            r"|(?<![\w.:/])(?P<h6>\d{1,2})h(?P<mi6>[0-5]\d)(?!\w)"
            r"|\b(?P<word>noon|midday|midnight)\b"
            r"|(?P<part>凌晨|清晨|早晨|早上|清早|大早|上午|中午|正午|午后|午夜|下午|傍晚|晚上|夜晚|深夜|半夜|夜里|今早|明早|今晚|明晚|晚|早)?(?:(?P<less>差(?:[一二三四五六七八九十]{1,3}|\d{1,2})分|差一刻))?"
            r"(?<![周週第\d.])(?<!星期)(?<!礼拜)(?<!禮拜)(?P<h4>\d{1,2}|[一二三四五六七八九十两兩]{1,3})(?:点鐘|點鐘|點鍾|点钟|点|點|時|时(?=[整许半]|\d{1,2}分|[一二三四五六七八九十]{1,3}分))(?!钟?心|赞|击|子|名|菜|单|评|缀|燃|滴)(?P<half>半)?(?:过?(?P<ke>[一三两]刻)钟?)?"
            r"(?:过?(?P<mi4>[0-5]\d|[零〇][一二三四五六七八九]|[一二三四五六七八九十]{1,3})分(?!钟)|(?P<mi5>[0-5]\d(?![\d.,]|\s?[年月日号元块人位名个])|[零〇][一二三四五六七八九]|[二三四五]?十[一二三四五六七八九]?(?![一二三四五六七八九十百千万几多来余]|[人位名个只条本次元块岁天年斤里份家件张台套杯瓶公名钟分秒小米]))|(?P<less2>差(?:[一二三四五六七八九十]{1,3}|\d{1,2})分(?!钟)|差一刻))?",
            re.I,
        ),
        "cjk_shift": re.compile(
            r"[早朝](?P<h>[五六七八九十]|\d{1,2})(?:点半?)?[到至]?晚(?P<h2>[一二三四五六七八九十]{1,2}|\d{1,2})(?:点(?!半))?(?![\d次])"
        ),
        "clock_from": re.compile(
            r"(?<![\w.,:/€$£-])(?P<h>\d{1,2})(?::(?P<mi>[0-5]\d))?"
            r"(?=\s?(?:[-–—]|to|and|or|until|till|through)\s?(?P<h2>\d{1,2})(?::[0-5]\d)?\s?(?:(?P<ap>[ap])\.?m\b|in the (?P<part>morning|afternoon|evening)\b))",
            re.I,
        ),
        "spoken_clock": re.compile(
            rf"\b(?:(?:(?P<half>half)|(?:a )?(?P<quarter>quarter)|(?P<few>five|ten|twenty|twenty-five)(?: minutes)?) (?P<past>past|after)"
            rf"|(?:a )?(?P<to>quarter) (?:to|before)|(?P<few2>five|ten|twenty|twenty-five) minutes to|(?:(?<=at )|(?<=by )|(?<=before )|(?<=until )|(?<=around )|(?<=about ))(?P<few3>five|ten|twenty|twenty-five) to) (?P<hour>{_HOURS}|\d{{1,2}})(?![\w:])"
            rf"|\b(?:(?<=at )|(?<=by )|(?<=before )|(?<=until )|(?<=around )|(?<=about )|(?<=from ))(?P<half2>half) (?P<hour7>{_HOURS})(?=\s?(?:[.,;)]|\Z|and\b|to\b|in\b|on\b|every\b|each\b))"
            rf"|\b(?P<hour2>{_HOURS}) o['’]?clock\b"
            rf"|\b(?:(?<=at )|(?<=by )|(?<=before )|(?<=until )|(?<=around )|(?<=about )|(?<=from ))(?P<hour6>{_HOURS}) (?P<minutes>oh[ -](?:one|two|three|four|five|six|seven|eight|nine)|fifteen|ten|(?:twenty|thirty|forty|fifty)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine))?)(?=\s?(?:[.,;)]|\Z|and\b|to\b|till\b|in\b|at\b|on\b|every\b|each\b|a\.?m|p\.?m|sharp\b|daily\b|o))"
            rf"|(?<=morning at )(?P<hour4>{_HOURS})(?![\w:])|(?<=evening at )(?P<hour5>{_HOURS})(?![\w:])"
            rf"|\b(?:(?<=at |by )|(?<=before )|(?<=after )|(?<=until )|(?<=till )|(?<=from )|(?<=around )|(?<=about )|(?<=since )|(?<=and )|(?<=or )|(?<= to )|(?<=-)|(?<=–))(?P<hour3>{_HOURS}|\d{{1,2}})(?= (?:in the (?:morning|afternoon|evening)|at night)\b)",
            re.I,
        ),
        "share": re.compile(
            rf"(?<![\w-])(?<!\band )(?:(?P<high>an?|one|two|three|four|five|six|seven|eight|nine) (?P<low>half|thirds?|quarters?|fourths?|fifths?|sixths?|eighths?|tenths?)(?= of\b| (?:the|his|her|their|its)\b|\s?(?:[.;)]|\Z)| (?:is|are|was|were|has|have|had|goes|go|went|more|less|lower|higher|cheaper|fewer|larger|smaller|shorter|longer|faster)\b)"
            rf"|(?P<high2>{_FEW}|\d{{1,3}}) (?:out of|in) (?:every )?(?P<low2>{_FEW}|\d{{1,3}})(?![\w:/]|[.,]\d| of\b)|(?<!\band a )(?P<half>half|one half|one-half)(?= of\b(?! an? )| (?:the|his|her|their|its|my)\b)"
            rf"|(?P<high3>one|two|three|four)-(?P<low3>thirds?|quarters?|fourths?|fifths?)(?![\w-]))",
            re.I,
        ),
        "part_of_unit": re.compile(r"\b(?:(three)[ -]quarters|(?:(?:a|one) )?(quarter)|(half)) of an? (hour|year)\b", re.I),
        "age": re.compile(
            r"\b(?:(?<=his )|(?<=her )|(?<=mid )|(?<=mid-)|(?<=their )|(?<=early )|(?<=late ))"
            r"(?:(twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)|([2-9]0)['’]?s)\b",
            re.I,
        ),
        "times": re.compile(r"(?<![\w.])(\d{1,3})\s?[x×](?= (?:a|per|each|every|daily|weekly|monthly|yearly)\b|/)", re.I),
        "decade": re.compile(
            r"\b(?<!his )(?<!her )(?<!their )(?:(twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)\b|(?:(?<=the )|(?<=['’]))([2-9]0)s\b)",
            re.I,
        ),
        "every_other": re.compile(
            r"\b(?:(?:once )?every (?:other|second|2nd)|(?:on )?alternate|alternating) (?P<other>day|evening|night|morning|afternoon|week|weekend|month|year)s?\b"
            r"|\b(?:every (?:other|second|2nd)|alternate) (?=(?P<dow>mon|tues|wednes|thurs|fri|satur|sun)days?\b)"
            r"|\bevery (?P<nth>third|fourth|fifth|sixth|3rd|4th|5th|6th) (?P<unit>day|evening|night|morning|week|month|year)\b|(?P<zh>每?隔(?P<gap>[一两二三四五六1-6])个?(?:天|日|晚|周|星期|礼拜|月|年)|隔(?:天|日|晚|月|年)(?![然壁])|双(?=周[一二三四五六日末]))|\b(biweekly|fortnightly)\b|\b(?P<qu>quarterly|(?:every|each|per|a) quarter)\b(?! of)|(?P<quzh>每个?季度?(?!节))|\b(?:a|per|each|every) (fortnight)\b|(隔周|隔週)",
            re.I,
        ),
        "workdays": re.compile(
            r"\bmon(?:day)?s?\s?(?:to|through|thru|till|until|[-–—])\s?fri(?:day)?s?\b|\b(?:weekdays?|(?<!his )(?<!her )(?<!my )(?<!their )(?:workdays?|working days?))\b"
            r"|\bduring the (?:working )?week\b|(?:周|星期)一(?:到|至|[-–—~])(?:周|星期)?五|工作日|平日(?![里常])",
            re.I,
        ),
        "quarter": re.compile(
            rf"(?:(?<![{_LATIN}])|(?<=(?<!\d)20\d\d))(?:(?P<q>Q)(?P<n>[1-4])|(?P<n2>[1-4])(?P<q2>Q))(?![{_LATIN}])"
            r"|\b(?:(?P<word>first|second|third|fourth|1st|2nd|3rd|4th) quarter(?! of an?\b)|quarter (?P<n3>[1-4]|one|two|three|four))\b(?! final)"
            r"|(?:第\s?)?(?P<n4>[一二三四1-4])季度|(?P<half>[上下])半年",
            re.I,
        ),
        "cjk_decimal": re.compile(
            rf"(?<![{cjk_digits}\d])(?P<n>[{cjk_digits}十百两]{{1,4}})[点點](?P<rest>[{cjk_digits}]{{1,3}})(?=(?P<mag>[万亿萬億]?)(?P<unit>{_units([name for name in UNITS if not name.isascii() and name != '分钟'])}|倍|折|万|亿))"
        ),
        "cjk_decade": re.compile(
            r"(?:上(?:个)?世纪)?(?P<c>19|20)?(?P<d>\d0|[二三四五六七八九]十)年代|(?<![\d岁零])(?P<h>[5-9]0|00|[五六七八九零]零)后(?![面来天续期退悔院])"
        ),
        "cjk_done": re.compile(r"(?P<n>[一二三四五六七八九]|(?<![\d.])\d)分(?:熟|糖|甜|辣|饱)"),
        "cjk_about": re.compile(
            r"(?<![\d.])(?P<n>[一二三四五六七八九十百]{1,4}|\d{1,4})[几多来余](?P<mag>[万千百亿])(?P<unit>元|块钱?|美元|欧元|公里|米)?"
        ),
        "cjk_rank": re.compile(r"(?:(?<=排行)|(?<=是)|(?<=里)|(?<=家))老(?P<n>[大二三四五六])(?![人师板家公婆年])"),
        "cjk_tenths": re.compile(
            r"(?<![第每.\d年月])(?P<n>[一二三四五六七八九两兩]|(?<!\d)\d)成(?P<half>半)?(?:(?=[员年]工|年轻|员|人(?!士|员|气))|(?![为為员立功就长長年绩績果人本品都交份群分员名])(?!(?<=[八九]成)(?:是|会|要|不|没|得|能|又|还|已|可))(?!(?<=[八九]成半)是))"
        ),
        "cjk_fraction": re.compile(
            r"(?P<low>\d{1,3}|[一二两兩三四五六七八九十百]{1,3})分之(?P<high>\d{1,3}|[一二两兩三四五六七八九十]{1,3})(?![点\d])"
        ),
        "cjk_portion": re.compile(r"(?<!另)(?<!另外)一半(?![以夜天])|半数|过半|对半|五五开"),
        "cjk_discount": re.compile(
            r"(?P<n>\d{1,2}(?:\.\d)?|[一二三四五六七八九]{1,2}|[一二三四五六七八九]点[一二三四五六七八九])折(?!叠|腾|磨|扣价|返|旧|断|服|中|合|算|射)"
        ),
        "cjk_points": re.compile(
            r"(?<![\d.一二三四五六七八九十])(?P<n>\d{1,3}(?:\.\d+)?|[一二两三四五六七八九十]{1,2})个(?:百分)?点(?![钟心子头])"
        ),
        "cjk_score": re.compile(
            r"(?<![\d一二三四五六七八九十])(?P<n>\d{1,3}|[零一二三四五六七八九十])比(?P<n2>\d{1,3}|[零一二三四五六七八九十])(?![\d一二三四五六七八九十个只位名月年天])"
        ),
        "cjk_liang": re.compile(
            rf"(?<![{cjk_digits}\d十百千万.])(?:(?P<n>[二四五六七八九半]|[一三](?=两(?:[酒肉白茶米面黄银金油盐糖饭葱姜，。,.；、;]|\Z)))"
            r"|(?P<d>\d{1,2}(?:\.5)?))两(?![三个只位名人百千万天年次])"
        ),
        "cjk_half_of": re.compile(
            r"(?<![一二两三四五六七八九十百\d个個大多前后上下])半(?P<unit>斤|公斤|公里|升|米|亩|里|[杯瓶碗片勺粒袋包盒桶壶打](?![夜路天价途]))"
        ),
        "cjk_few": re.compile(
            rf"(?<![{cjk_digits}十百千万\d初第号])(?P<n>一两|[二两]三|三两(?=[个只位天])|三四|四五|五六|六七|七八|八九)(?P<ten>十)?"
            rf"(?P<unit>{_units(['年', *(name for name in (*UNITS, *_AGE_UNITS) if not name.isascii() and name != '月份')])}|(?=(?!点|月(?!薪))(?:{_alternatives(_CJK_MEASURES)})))"
        ),
        "cjk_ke": re.compile(r"(?<!第)(?P<n>[一两兩三])刻[钟鐘鍾]"),
        "cjk_height": re.compile(
            rf"(?<![\d.{cjk_digits}])(?P<n>[12]|[一二两])\s?(?:米|[mM](?=\s?\d))\s?(?P<rest>\d{{1,2}}|[{cjk_digits}]{{1,2}})(?![\d.,]|[{cjk_digits}十百]|{_alternatives(_CJK_MEASURES)}|\s?(?:m|cm|kg|km)\b)"
        ),
        "cjk_degrees": re.compile(
            rf"(?P<n>\d{{1,3}}|[{cjk_digits}十]{{1,4}})[度℃](?P<rest>\d|[{cjk_digits}])(?![\d{cjk_digits}十]|{_alternatives(_CJK_MEASURES)})"
        ),
        "cjk_coins": re.compile(
            rf"(?<![\d.{cjk_digits}十百千万])(?P<n>\d{{1,4}}|[{cjk_digits}十百千两]{{1,6}})(?:[块塊]|元(?=[\d{cjk_digits}][毛角]))(?P<rest>\d|[{cjk_digits}])(?:毛|角)?(?:钱)?(?![\d{cjk_digits}十百]|{_alternatives(_CJK_MEASURES)})"
        ),
        "lunar": re.compile(
            r"(?P<cue>农历|阴历|旧历|農曆|陰曆|舊曆)?(?P<y>的)?(?P<m>正|腊|臘|冬|闰?[一二三四五六七八九十]{1,2}|(?<!\d)\d{1,2})月(?P<d>初[一二三四五六七八九十]|[二廿][十]?[一二三四五六七八九]|[十二三]?十[一二三四五六七八九]?|\d{1,2}(?=[日号號]))(?P<end>[日号號])?(?![一二三四五六七八九十百千万\d个名位])"
        ),
        "cjk_minutes": re.compile(
            r"(?<=小时|小時|钟头)[零又]?(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3})分(?![钟数之])"
            r"|(?<![\d.点時时:：])(?P<n2>\d{1,3}|[一二两三四五六七八九十]{1,3})分(?=[零又]?(?:\d{1,2}|[一二两三四五六七八九十]{1,3})秒)"
        ),
        "cjk_half": re.compile(
            r"(?P<num>\d+|[一二两三四五六七八九十]+)[个個]半(?P<unit>小时|钟头|小時|鐘頭|月|星期|礼拜)|(?<![上下大前后多一点])半[个個]?(?P<unit2>小时|钟头|小時|鐘頭|月(?![板刊谈湾形])|年|天|星期)(?!前夜)"
            r"|(?P<num3>\d+|[一二两三四五六七八九十]+)(?P<unit3>年|天|周|小时)半(?![年天夜价])"
        ),
        "feet": re.compile(
            r"(?<![\d.,'’])(?P<ft>[3-7])(?:['’′]\s?|\s?(?:ft|foot|feet)\s)(?P<inch>1[01]|\d)(?:[\"”″]|''|’’)?(?![\d\w])(?!\s?(?:in|inch|inches|x|by)\b)"
        ),
        "iban": re.compile(_narrow(r"(?<![\w])[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?(?![\w])")),
        "blood": re.compile(
            r"(?<![A-Za-z])(?:(?P<a>AB|A|B|O)\s?型?血(?!管)|(?P<d>AB|A|B|O)(?=\s?型(?![A-Za-z]|肝炎|号)))|血型\s?[是为：:]?\s?(?P<b>AB|A|B|O)(?![A-Za-z])(?:\s?型)?"
            r"|(?:blood type|blood group)(?: is| of)? (?P<c>AB|A|B|O)(?![A-Za-z])|(?<![A-Za-z\d])(?P<e>AB|B|O|0)(?=[ -](?:negative|positive|neg\b|pos\b))"
        ),
        "plate": re.compile(
            r"[京沪津渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]\s?[A-Z]\s?[·•.\- ]?\s?[A-Z\d]{5,6}(?![A-Z\d])"
        ),
        "grade": re.compile(
            r"(?P<a>大|研|博|高|初)(?P<n>[一二三四])(?=[，。、,.；;的学生上下时毕就读那这在暑寒年级开男女新同了]|\Z)(?<!最大.)(?<!月初.)(?<!年初.)"
            r"|(?P<b>大学|本科|研究生|博士|高中|初中|小学)?(?P<n2>[一二三四五六]|(?<!\d)[1-6])年级"
        ),
        "births": re.compile(r"(?P<n>[一二三四头])(?:胎|宝(?!贝|山|藏|物|石))"),
        "ticket": re.compile(_narrow(r"(?<![\w-])[A-Z][A-Za-z]{0,9}-\d+(?:[-.]\w+)*(?![\w])")),
        "version": re.compile(
            _narrow(
                r"(?<![\w.])v?\d+\.\d+(?:\.\d+)+(?:[-+.]?(?:rc|alpha|beta|dev|post|pre)[.\d]*)?(?![\w])|(?<!\w)v\d+(?:\.\d+)*(?:[-.]?(?:rc|alpha|beta)\d*)?(?![\w])"
                r"|(?:(?<=version )|(?<=版本)|(?<=版本 ))\d+(?:\.\d+)+(?![\w])"
            ),
            re.I,
        ),
        "phone": re.compile(
            _narrow(
                r"(?<![\w.+])(?:\+|00)\d{1,3}[\s.\-/]?(?:\(\d+\)[\s.\-/]?)?\d(?:[\s.\-/]?\d){5,13}(?![\w])|(?<![\w.+])\(\d{2,5}\)[\s\-/]?\d(?:[\s.\-/]?\d){4,9}(?!\w)|(?<![\w.+])\d{2,5}(?:[\s\-/.]\d{2,5}){2,4}(?![\w])|(?<![\w.+])\d{3,5}[\-/]\d{4,8}(?![\w])|(?<![\w.+-])\d{3,5}(?: \d{3,5}){3,5}(?![\w])|(?<![\w.+])0\d{1,5}[ /-]\d{5,9}(?![\w]|[.,]\d)|(?<![\w.+,])(?:0|1[3-9])\d{9,10}(?![\w]|[.,]\d)"
            )
        ),
        "ident": re.compile(
            _narrow(
                rf"(?<![{ALPHA}\d_])(?=[{ALPHA}\d_])(?=[{ALPHA}_./\\:#+-]{{0,99}}\d)(?=[\d_./\\:#+-]{{0,99}}[A-Za-z_])[{ALPHA}\d_][{ALPHA}\d_./\\:#+-]*[{ALPHA}\d_+#]"
                rf"|(?<![{ALPHA}\d_])[A-Za-z_][\w.-]*_[\w.-]*\w|(?<![\w/])(?:[\w-]+/)+[\w.-]+\.\w+|\b[\w-]+\.(?:py|tsx?|jsx?|md|json|ya?ml|toml|rs|go|java|db|sql|sh|txt|pdf|csv|css|html)\b"
                r"|\b[a-z]\w*\(\)|(?<!\w)#\d+|\b[a-z]+[A-Z]\w+\b|(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?"
            )
        ),
    }


_FEW = "one|two|three|four|five|six|seven|eight|nine|ten"
_HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_PERIOD = (
    r"\x00|(?:(?:19|20)\d\d|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|spring|summer|autumn|winter|(?:next|this|last) (?:year|month|spring|summer|autumn|winter))\b"
)
_PERIOD_CUES = frozenset(words("over ends out early late mid beginning start middle end close"))
_NUM = r"\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?![\d])(?:[.,]\d+)?|\d+(?:[.,]\d+)*"


_GOES_ON = {
    "升": "级到至为高职学值温旗起降迁入", "周": "年末围边", "平": "均时台安静常衡等面坦日板稳", "年": "级轮", "克": "拉服制", "天": "气空津然", "度": "假过",
    "米": "饭粉线其", "秒": "杀", "元": "旦宵月",
    "新元": "旦素",
}  # fmt: skip
"""Behind a unit the characters with which it is another word: 升 is no litre in 升级, and 年 no year in 年级."""


def _units(names: list[str]) -> str:
    return "|".join(
        re.escape(name) + (f"(?![{_GOES_ON[name]}])" if name in _GOES_ON else "") for name in sorted(names, key=len, reverse=True)
    )


@cache
def _quantity_pattern() -> re.Pattern[str]:
    before = _alternatives(list(_CURRENCY_BEFORE))
    after = _units(
        ["年", *UNITS, *_CURRENCY_WORDS_AFTER, "%", "％", "percent", "per cent", "prozent", "pounds", "pound", *_AGE_UNITS]
    )
    magnitude = _alternatives(list(_MAGNITUDES))
    numeral = rf"(?:{_NUM})"
    return re.compile(
        rf"(?P<cur>(?<![A-Za-z])(?:{before})\s?)?(?P<sign>(?:(?<![\w)])|(?<=[为是约在达]))[-−+]|(?<![\w-])(?:minus|negative) |零下|(?<![{CJK}])负)?(?P<num>(?<![\d])(?<!\d[.,]){numeral})"
        rf"(?P<frac>/\d+(?![\d/])|[½¼¾⅓⅔])?"
        rf"(?:\s?(?P<mag>(?:{magnitude})(?![a-zA-Z\d](?<![万萬千亿億百十]\d))))?"
        r"(?P<rest>(?<=[万萬千亿億])(?:\d{1,4}(?:[万萬千百](?!分))?+)++(?![.,:/\d%年月号个名位]|日(?![元圆币])))?"
        rf"(?:(?P<dash>\s?(?:[-–—~～]|to|bis|至|到)\s?)(?:{before})?(?P<num2>{numeral})(?P<frac2>[½¼¾⅓⅔])?(?P<mag2>\s?(?:{magnitude})(?![a-zA-Z]))?(?!\s?[:/])(?!\d))?"
        r"(?:\s(?:working|vacation|holiday|sick|leave|rest|school|business|calendar|extra|additional|full|whole|paid|unpaid|consecutive|straight)(?=\s[a-z]))?"
        rf"(?:[\s\u00a0\u202f-]?(?P<unit>{after})(?![A-Za-z\u00c0-\u024f²])(?P<age>[ -]?old| of age)?)?",
        re.I,
    )


@cache
def _number_words_pattern() -> re.Pattern[str]:
    small = "|".join([*_SMALL, *_TENS])
    scales = "|".join(_SCALES)
    unit = _alternatives(
        [
            name
            for name in [*UNITS, *_CURRENCY_WORDS_AFTER, "percent", "per cent", "pounds", "pound"]
            if (name.isalpha() and len(name) > 2) or name == "per cent"
        ]
    )
    return re.compile(
        rf"(?:(?<![\w-])|(?<=\w-to-)|(?<=\w-or-))(?P<words>(?:half[ -]a(?=[ -]dozen\b)[ -])?(?:(?:a|an)[ ](?=(?:{scales})\b))?(?:{small}|{scales})(?:(?:[ -]|[ ]and[ ])(?:{small}|{scales})\b)*)"
        rf"\b(?P<half>[ ]and a half)?(?:[ -](?P<unit>(?:{unit}))\b(?P<age>[ -]old\b| of age\b)?)?"
        rf"|(?<![\w-])(?P<couple>an? couple of)(?= [a-z]+s\b(?! (?:of|back)\b)(?<!hours)(?<!days)(?<!weeks)(?<!months)(?<!years)(?<!times)(?<!minutes))"
        rf"|(?<![\w-])(?P<half2>half an|half a|a half|an?|one)[ -](?P<unit2>{unit})\b(?P<half3> and a half)?"
        rf"|(?<![\w-])(?P<other>{'|'.join(_OTHER_NUMBERS)})(?:[ ](?P<unit3>{unit}))?\b"
        r"|(?<![\w-])(?P<times>once|twice|thrice)\b",
        re.I,
    )


@cache
def _cjk_number_pattern() -> re.Pattern[str]:
    measure = _alternatives(_CJK_MEASURES)
    unit = _units(
        [name for name in ["年", *UNITS, *CURRENCIES, *_AGE_UNITS] if not name.isascii() and re.match(f"[{CJK}]", name)]
    )
    return re.compile(
        rf"百分之(?P<pc>[零一二三四五六七八九十百点\d]+)|第(?P<ord>[一二三四五六七八九十百\d]+)"
        rf"|(?P<num>[零〇一二三四五六七八九十百千万亿两]{{2,}}|[零二三四五六七八九十百千万亿两一](?=(?:多|几|来|余|餘|幾)?(?:{measure}|{_CJK_COUNTED}))(?!(?<=[周週][一二三四五六])(?:[点點晚夜号]|居家|天气))(?!(?<=星期[一二三四五六])(?:[点點晚夜号]|居家|天气))(?!(?<=礼拜[一二三四五六])[点點晚夜号])|(?P<pair>两(?=[{CJK}])))"
        rf"(?P<unit>{unit})?(?P<half>半)?"
    )


_CJK_COUNTED = "兄妹|兄弟|姐妹|姊妹|姐弟|兄姐|胞胎|女一|子一|男一|儿一|世同堂|代同堂|室友|老人|孩子|夫妻|口之家|位数"
_HOLIDAYS = re.compile(
    rf"(?:五一|六一|三八|七一|八一)(?!{_alternatives(_CJK_MEASURES)}|[路中]|[百千万])|十一(?:国庆)?(?=长假|小长假|假|期间|黄金周|放假|前后|后|去|回|出|当天|在|要|想|打算|[，。、,.]|\Z)"
)

_NOT_NUMBERS = frozenset(
    words("十分 千万 万一 万万 一一 百千 三七 一二 万千 亿万 一百一 一两 一二 二三 两三 三四 四五 五六 六七 七八 八九")
)


def _date_key(year: int | None, month: int | None, day: int | None) -> str | None:
    if month is not None and not 1 <= month <= 12:
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    if year is not None and month is not None and day is not None:
        try:
            date(year, month, day)
        except ValueError:
            return None
    head = f"{year:04d}" if year is not None else "-"
    if month is None:
        return f"d:{head}"
    return f"d:{head}-{month:02d}" + ("" if day is None else f"-{day:02d}")


def _full_year(text: str | None) -> int | None:
    if not text:
        return None
    digits = text.lstrip("'’")
    if len(digits) == 4:
        return int(digits)
    return 2000 + int(digits) if int(digits) < 70 else 1900 + int(digits)


def _cjk_int(text: str | None) -> int | None:
    if text is None:
        return None
    if text.isdigit():
        return int(text)
    value = read_cjk_number(text)
    return None if value is None else int(value)


def find_items(text: str, written: int | float | None = None) -> list[Item]:
    """All items but names and quotes, in order of their place.

    Args:
        text: any text.
        written: when it was written (epoch seconds): relative times then also carry the date they mean.
    """
    finder = _Finder(text)
    has_digit = any(ch.isdigit() for ch in text)
    patterns = _patterns()
    lower = text.casefold()
    # Most texts hold few kinds of items: the patterns that can match only at certain words are tried only where those stand.
    held = set(_LETTERS.findall(lower))
    dotted = "." in text and _DOTTED.search(text) is not None
    if "@" in text or "#" in text:
        finder.scan(patterns["email"], lambda f: finder.take("email", f.start(), f.end(), ["e:" + f.group().casefold()]))
    if dotted or "://" in text:
        finder.scan(patterns["url"], lambda f: _take_url(finder, f))
    if "@" in text or "#" in text:
        finder.scan(
            patterns["handle"],
            lambda f: finder.take("handle", f.start(), f.end(), ["@:" + fold(f.group())]),
        )
    if has_digit:
        _scan_dates(finder, patterns, not held.isdisjoint(MONTHS))
    if not held.isdisjoint(MONTHS):
        _scan_months(finder, patterns)
    if not text.isascii() and ("年代" in text or "后" in text):
        finder.scan(patterns["cjk_decade"], lambda f: _take_cjk_decade(finder, f))
    if not text.isascii() and "月" in text:
        finder.scan(patterns["lunar"], lambda f: _take_lunar(finder, f))
    if not text.isascii():
        if "点" in text or "點" in text:
            finder.scan(patterns["cjk_decimal"], lambda f: _take_cjk_decimal(finder, f))
        if "月" in text:
            finder.scan(patterns["cjk_months"], lambda f: _take_cjk_month(finder, f))
        finder.scan(patterns["cjk_date"], lambda f: _take_cjk_date(finder, f, written))
    if ("早" in text or "朝" in text) and "晚" in text:
        finder.scan(patterns["cjk_shift"], lambda f: _take_cjk_shift(finder, f))
    clock = _CLOCK_CUE.search(text) is not None or " in the " in lower
    if clock:
        finder.scan(patterns["clock_from"], lambda f: _take_clock_from(finder, f))
    if clock or (not text.isascii() and _CJK_CLOCK_CUE.search(text) is not None):
        finder.scan(patterns["clock"], lambda f: _take_clock(finder, f))
    if not held.isdisjoint(_HOUR_WORDS) or any(
        cue in lower
        for cue in (
            "past ",
            "clock",
            "quarter ",
            "quarters ",
            " of an ",
            " minutes to ",
            "half after",
            " in the ",
            " at night",
        )
    ):
        finder.scan(patterns["spoken_clock"], lambda f: _take_spoken_clock(finder, f))
        finder.scan(patterns["part_of_unit"], lambda f: _take_part(finder, f))
    if not held.isdisjoint(_SHARE_CUES) or (
        (" in " in lower or " out of " in lower) and (has_digit or not held.isdisjoint(_HOUR_WORDS))
    ):
        finder.scan(patterns["share"], lambda f: _take_share(finder, f))
    if "ies" in lower or "0s" in lower or "0's" in lower or "0’s" in lower:
        finder.scan(patterns["age"], lambda f: _take_age(finder, f))
        finder.scan(patterns["decade"], lambda f: _take_decade(finder, f))
    if has_digit and ("x" in lower or "×" in text):
        finder.scan(patterns["times"], lambda f: finder.take("number", f.start(), f.end(), ["n:" + f[1]]))
    if "day" in lower or "mon" in lower or "during the" in lower or not text.isascii():
        finder.scan(
            patterns["workdays"], lambda f: finder.take("weekday", f.start(), f.end(), ["w:1-5"], weak=f.group() == "平日")
        )
    if "早" in text or "morning" in held or "mornings" in held:
        finder.scan(patterns["both_ends"], lambda f: _take_both_ends(finder, f))
    if "weekend" in lower or "sat" in lower or "周" in text or "休" in text or "六" in text or "週" in text:
        finder.scan(patterns["weekend"], lambda f: _take_weekend(finder, f))
    if not held.isdisjoint(_PERIOD_CUES) or "mid" in lower:
        finder.scan(patterns["part_of_period"], lambda f: _take_part_of_period(finder, f))
    if "年" in text or "月" in text:
        _scan_cjk_periods(finder)
    if has_digit and ("'" in text or "’" in text or "‘" in text):
        finder.scan(patterns["short_year"], lambda f: _take_short_year(finder, f))
    if (
        "alternat" in lower
        or "双" in text
        or "每" in text
        or "quarter" in lower
        or "every " in lower
        or "week" in lower
        or "fortnight" in lower
        or "隔" in text
    ):
        finder.scan(patterns["every_other"], lambda f: _take_every_other(finder, f))
    if _QUARTER_CUE.search(lower):
        finder.scan(patterns["quarter"], lambda f: _take_quarter(finder, f))
    if "分" in text:
        finder.scan(patterns["cjk_minutes"], lambda f: _take_cjk_minutes(finder, f))
    if not text.isascii():
        _scan_cjk_set(finder, patterns, text)
        _scan_cjk_shares(finder, patterns, text)
    if _GRADE_CUE.search(text) is not None:
        finder.scan(patterns["grade"], lambda f: _take_grade(finder, f))
    if "胎" in text or "宝" in text:
        finder.scan(
            patterns["births"],
            lambda f: finder.take("ordinal", f.start(), f.end(), [f"o:{max(1, '头一二三四'.index(f['n']))}"], weak=True),
        )
    if "血" in text or "型" in text or "blood " in lower:
        finder.scan(
            patterns["blood"],
            lambda f: finder.take(
                "id", f.start(), f.end(), ["id:blood " + next(one for one in f.groups() if one).lower().replace("0", "o")]
            ),
        )
    if "半" in text:
        finder.scan(patterns["cjk_half"], lambda f: _take_cjk_half(finder, f))
    if has_digit:
        if "'" in text or "’" in text or "′" in text or "ft " in lower or "foot " in lower or "feet " in lower:
            finder.scan(patterns["feet"], lambda f: _take_feet(finder, f))
        finder.scan(patterns["iban"], lambda f: _take_ident(finder, f))
        if not text.isascii():
            finder.scan(patterns["plate"], lambda f: _take_plate(finder, f))
        if "-" in text:
            finder.scan(patterns["ticket"], lambda f: _take_ident(finder, f))
        if "." in text or "v" in lower:
            finder.scan(patterns["version"], lambda f: _take_version(finder, f))
        if sum(map(str.isdigit, text)) >= _PHONE_DIGITS:
            finder.scan(patterns["phone"], lambda f: _take_phone(finder, f))
        finder.scan(patterns["year"], lambda f: _take_year(finder, f))
        finder.scan(_quantity_pattern(), lambda f: _take_quantity(finder, f))
    if not text.isascii() or not held.isdisjoint(_RELATIVE_CUES) or not (held.isdisjoint(_STEP_CUES) or held.isdisjoint(_SPANS)):
        finder.scan(patterns["relative"], lambda f: _take_relative(finder, f, written))
    if has_digit or dotted or _IDENT_CUE.search(text):
        finder.scan(patterns["ident"], lambda f: _take_ident(finder, f))
    if has_digit:
        finder.scan(re.compile(_NUM), lambda f: _take_bare(finder, f))
    if not held.isdisjoint(_number_cues()) or (not held.isdisjoint(("a", "an")) and not held.isdisjoint(UNITS)):
        if not held.isdisjoint(_ORDINALS):
            finder.scan(_long_ordinal_pattern(), lambda f: _take_ordinal(finder, f))
        finder.scan(_number_words_pattern(), lambda f: _take_number_words(finder, f))
    if has_digit or not held.isdisjoint(_ORDINALS):
        finder.scan(_ordinal_pattern(), lambda f: _take_ordinal(finder, f))
    if not text.isascii():
        finder.scan(patterns["cjk_weekdays"], lambda f: _take_weekdays(finder, f))
        finder.scan(_cjk_number_pattern(), lambda f: _take_cjk_number(finder, f))
    if not text.isascii() or not held.isdisjoint(WEEKDAYS):
        finder.scan(patterns["weekday"], lambda f: _take_weekday(finder, f))
    _tell_rates(finder.items, text)
    if clock or has_digit:
        _share_hours(finder.items, text)
    return _share_units(_join_durations(sorted(finder.items, key=lambda item: item.start), text), text)


_QUARTER_CUE = re.compile(r"q[1-4]|[1-4]q|quarter|季度|[上下]半年")
_LETTERS = re.compile(r"[^\W\d_]+")
_JOINED_FIGURES = re.compile(r"\d[-/.]\d")
_GRADE_CUE = re.compile("[大研博高初][一二三四]|年级")
_CJK_CLOCK_CUE = re.compile("[点點時时:：]|[oO]['’]?[cC]lock|[uU]hr")
_CLOCK_CUE = re.compile(r"\d(?::|\s?[apouh])|noon|mid|in the [mae]", re.I)
_PHONE_DIGITS = 6
"""No pattern of a phone number matches fewer."""
_DOTTED = re.compile(r"\w\.\w")
_IDENT_CUE = re.compile(r"[_/#(\\]|[a-z][A-Z]")
_HOUR_WORDS = frozenset(words("one two three four five six seven eight nine ten eleven twelve"))
_STEP_CUES = frozenset(words("before after ago hence now then"))
_SPANS = frozenset(words("day week weekend weekends month year weeks months years"))
_RELATIVE_CUES = frozenset(
    words(
        """
    yesterday today tonight tomorrow last next this past coming upcoming previous following later earlier heute morgen gestern hoy mañana ayer demain hier
    aujourd besok kemarin
    """
    )
)


@cache
def _number_cues() -> frozenset[str]:
    return frozenset([*_SMALL, *_TENS, *_SCALES, *_OTHER_NUMBERS, *_TIMES_WORDS, "half", "couple"])


@cache
def _long_ordinal_pattern() -> re.Pattern[str]:
    """*Twenty-first*; its groups are those of ``_ordinal_pattern``, the second one for both words."""
    ones = "|".join(name for name, value in _ORDINALS.items() if value < 10)
    return re.compile(rf"(?<![\w-])(\d{{4,}}th)?((?:{'|'.join(_TENS)})[ -](?:{ones}))\b", re.I)


@cache
def _ordinal_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:(\d{{1,4}})(?:st|nd|rd|th)|({'|'.join(_ORDINALS)}))\b", re.I)


def _take_url(finder: _Finder, found: re.Match[str]) -> None:
    surface = found.group().rstrip(".,;:!?)]}'\"*")
    behind = _BEHIND_URL.search(surface)
    if behind is not None:
        surface = surface[: behind.start()]
    plain = re.sub(r"^[a-z]+://", "", surface, flags=re.I)
    if "://" not in surface and not surface.lower().startswith("www.") and re.search(r"[A-Z]", surface[1:]):
        return  # Word.Word without a space is more often two sentences or a product than a host
    host, _, path = re.sub(r"^www\.", "", plain, flags=re.I).partition("/")
    key = "u:" + host.casefold() + ("/" + path.rstrip("/") if path.rstrip("/") else "")
    finder.take("url", found.start(), found.start() + len(surface), [key])


_BEHIND_URL = re.compile(rf"(?<=[A-Za-z0-9])[{CJK}].*")
"""A sentence goes on right behind an address; in one Chinese stands behind a mark (/wiki/北京, 例子.com)."""


def _scan_dates(finder: _Finder, patterns: dict[str, re.Pattern[str]], months: bool) -> None:
    def iso(found: re.Match[str]) -> None:
        key = _date_key(int(found[1]), int(found[3]), int(found[4]))
        if key:
            end = found.start(5) - 1 if found[5] else found.end()
            finder.take("date", found.start(), end, [key])

    def iso_month(found: re.Match[str]) -> None:
        key = _date_key(int(found[1]), int(found[2]), None)
        if key:
            finder.take("date", found.start(), found.end(), [key])

    def written_out(found: re.Match[str]) -> None:
        groups = found.groupdict()
        name = fold(found["m"])
        if name not in MONTHS:
            return
        if name in ("may", "mar", "march", "sept", "sep", "dec", "mars", "mai", "mei") and found["m"].islower():
            return
        month, year = MONTHS[name], _full_year(groups.get("y"))
        keys = [_date_key(year, month, int(groups["d"]))]
        other = groups.get("d0") or groups.get("d2")
        if keys[0] is None:
            return
        start, end = found.start(), found.end()
        if other:
            first = _date_key(year, month, int(other))
            if first is None:
                start = found.start("d")
            else:
                if groups.get("d0"):
                    finder.take("date", start, found.end("d0"), [first])
                    finder.take("date", found.start("d"), end, [keys[0]])
                else:
                    finder.take("date", start, found.end("d"), [keys[0]])
                    finder.take("date", found.start("d2"), end, [first])
                return
        finder.take("date", start, end, [keys[0]])

    def month_year(found: re.Match[str]) -> None:
        key = _date_key(_full_year(found["y"]), MONTHS[fold(found["m"])], None)
        if key:
            finder.take("date", found.start(), found.end(), [key])

    def slash(found: re.Match[str]) -> None:
        first, second, year = int(found[1]), int(found[3]), _full_year(found[4])
        day_first = _date_key(year, second, first)
        month_first = _date_key(year, first, second)
        keys = [key for key in ((day_first,) if found[2] == "." else (month_first, day_first)) if key]
        if keys:
            finder.take("date", found.start(), found.end(), list(dict.fromkeys(keys)))

    def dot_day(found: re.Match[str]) -> None:
        key = _date_key(None, int(found[2]), int(found[1]))
        if key:
            # "version is 3.11." at the end of a sentence may as well be a number
            ends = re.match(r"\s*$|\s+[A-Z]", found.string[found.end() :]) is not None
            value = "n:" + plain_number(Decimal(f"{found[1]}.{found[2]}"))
            finder.take("date", found.start(), found.end(), [key, value] if ends else [key])

    def slash_day(found: re.Match[str]) -> None:
        first, second = int(found[1]), int(found[2])
        keys = [f"n:{first}/{second}"]
        if 0 < first < second:
            keys += _share_keys(first, second)
        keys += [key for key in (_date_key(None, first, second), _date_key(None, second, first)) if key]
        finder.take("number", found.start(), found.end(), list(dict.fromkeys(keys)))

    def month_slash(found: re.Match[str]) -> None:
        finder.take("date", found.start(), found.end(), [f"d:{found[2]}-{int(found[1]):02d}"])

    joined = _JOINED_FIGURES.search(finder.text) is not None
    if joined:
        finder.scan(patterns["iso"], iso)
        finder.scan(patterns["slash"], slash)
        finder.scan(patterns["month_slash"], month_slash)
        finder.scan(patterns["iso_month"], iso_month)
    if months:
        finder.scan(patterns["day_month"], written_out)
        finder.scan(patterns["month_day"], written_out)
        finder.scan(patterns["month_year"], month_year)

    def mixed(found: re.Match[str]) -> None:
        """1 1/2 cups are 1.5."""
        if int(found[2]) >= int(found[3]):
            return
        value = (Decimal(found[1]) + Decimal(found[2]) / Decimal(found[3])).quantize(Decimal("0.001")).normalize()
        unit = fold(found["unit"]) if found["unit"] and fold(found["unit"]) in UNITS else None
        kind, keys = _quantity_keys([value], unit, None)
        finder.take(kind, found.start(), found.end() if unit else found.end(3), keys)

    if joined:
        finder.scan(patterns["mixed"], mixed)
    if joined or " over " in finder.text:
        finder.scan(patterns["pressure"], lambda f: finder.take("number", f.start(), f.end(), [f"n:{f[1]}/{f[2]}"]))
    if joined:
        finder.scan(patterns["dot_day"], dot_day)
        finder.scan(patterns["slash_day"], slash_day)


def _scan_months(finder: _Finder, patterns: dict[str, re.Pattern[str]]) -> None:
    def month(found: re.Match[str]) -> None:
        name, surface = fold(found["m"]), found["m"]
        certain = name in _BARE_MONTHS and surface[0].isupper()
        cued = found["cue"] is not None and surface[0].isupper() and len(surface) > 2 and name not in ("mar", "sep", "mars")
        if certain or cued:
            finder.take("date", found.start("m"), found.end("m"), [f"d:--{MONTHS[name]:02d}"])

    finder.scan(patterns["month"], month)


def _take_cjk_date(finder: _Finder, found: re.Match[str], written: int | float | None) -> None:
    surface = found.group()
    year_text = found["y"] or found["season"]
    month, day = _cjk_int(found["m"] or found["m2"] or found["m3"]), _cjk_int(found["d"] or found["d2"])
    year: int | None = None
    if year_text in ("今", "明", "去", "前", "后"):
        shift = {"今": 0, "明": 1, "去": -1, "前": -2, "后": 2}[year_text]
        if year_text in ("前", "后") and month is None:
            return  # 前年 and 后年 are rare beside 前/后 as words of their own
        keys = [f"r:{year_text}年" + ("" if month is None else f"{month}月") + ("" if day is None else f"{day}")]
        if month is not None:
            keys.append(_date_key(None, month, day) or keys[0])
        if written is not None:
            key = _date_key(datetime.fromtimestamp(written, UTC).year + shift, month, day)
            keys += [key] if key else []
        finder.take("relative", found.start(), found.end(), keys, weak=year_text == "今" and month is None)
        return
    if year_text:
        if (
            len(year_text) < 4
            and month is None
            and not _is_year(year_text, found.string[max(0, found.start() - 1) : found.start()])
        ):
            return  # 10年 is a span of years
        digits = year_text if year_text.isdigit() else str(_cjk_int(year_text))
        year = _full_year(digits)
    if found["m3"] and not found["m3"].isdigit() and found["m3"] in ("一", "二", "三") and not surface.endswith(("月", "月份")):
        return
    if year is None and day is None and found["m3"] is None:
        return
    key = _date_key(year, month, day)
    if key:
        finder.take("date", found.start(), found.end(), [key])


def _take_cjk_month(finder: _Finder, found: re.Match[str]) -> None:
    """The 4 of 4至6月."""
    key = _date_key(None, _cjk_int(found["n"]), None)
    if key:
        finder.take("date", found.start(), found.end(), [key])


_NEXT_TO = ("五六", "六七", "七八", "八九")


def _is_year(told: str, before: str) -> bool:
    """Whether two figures before 年 are a year: 八五年, 零八年, 06年; 七八年 is seven or eight years, and 15年 fifteen."""
    if told.isascii():
        return told[0] in "089" and told[0] + told[1] != "80"
    return told not in _NEXT_TO or before in tuple("于在从自生")


def _take_clock(finder: _Finder, found: re.Match[str]) -> None:
    groups = found.groupdict()
    if groups["word"]:
        name = "t:00:00" if found["word"].lower() == "midnight" else "t:12:00"
        finder.take("time", found.start(), found.end(), [name])
        return
    hour_text = groups["h"] or groups["h2"] or groups["h3"] or groups["h6"] or groups["h4"]
    hour = _cjk_int(hour_text)
    if hour is None or hour > 24:
        if groups["h2"] and groups["s2"] is None and hour is not None:  # 52:08, a result in minutes
            seconds = hour * 60 + int(groups["mi2"])
            finder.take("quantity", found.start(), found.end(), [f"q:s:{seconds}"])
        return
    minute = _cjk_int(groups["mi"] or groups["mi2"] or groups["mi6"] or groups["mi4"] or groups["mi5"]) or (
        30 if groups["half"] else 0
    )
    if groups["ke"]:
        minute = {"一": 15, "两": 30}.get(groups["ke"][0], 45)
    less = groups["less"] or groups["less2"]
    if less:  # 差五分八点, 八点差五分
        hour, minute = hour - 1, 60 - (15 if less == "差一刻" else _cjk_int(less[1:-1]) or 0)
        if hour < 0 or not 0 < minute < 60:
            return
    second = groups["s"] or groups["s2"]
    if groups["ap"]:
        if hour > 12:
            return
        hour = hour % 12 + (12 if found["ap"].lower().startswith("p") else 0)
        finder.take("time", found.start(), found.end(), [f"t:{hour:02d}:{minute:02d}"])
        return
    if groups["h4"]:
        part = groups["part"] or ""
        if not (
            part
            or groups["half"]
            or groups["mi4"]
            or groups["mi5"]
            or groups["ke"]
            or less
            or hour_text.isdigit()
            or _CJK_SPAN_BEFORE.search(finder.text[max(0, found.start() - 6) : found.start()])
            or _CJK_SPAN_AFTER.match(finder.text, found.end())
            or found.group()[-1] in "钟鐘鍾"
        ) and not (_CJK_CLOCK_AFTER.match(finder.text, found.end()) or _ends_as_hour(finder.text, found, hour)):
            return  # 一点 is "a little", 三点 is "three points"
        if _BETWEEN_HOURS.fullmatch(hour_text):
            return  # 两三点 is about two or three
        if (part in _LATE and hour < 12) or (part in ("深夜", "半夜", "夜里") and 8 <= hour < 12):
            hour += 12
        elif (part in ("中午", "正午") and 1 <= hour <= 2) or (part == "午夜" and hour == 12):
            hour = (hour + 12) % 24
        elif part in ("晚上", "夜晚", "晚", "今晚", "明晚", "深夜", "半夜", "夜里", "凌晨") and hour == 12:
            hour = 0
        keys = [f"t:{hour % 24:02d}:{minute:02d}"]
        if not part and hour <= 12:
            keys.append(f"t:{(hour + 12) % 24:02d}:{minute:02d}")
        finder.take("time", found.start(), found.end(), keys)
        return
    if second:
        seconds = hour * 3600 + minute * 60 + int(second)
        finder.take("quantity", found.start(), found.end(), [f"q:s:{seconds}", f"t:{hour % 24:02d}:{minute:02d}:{second}"])
        return
    part = _CJK_PART_BEFORE.search(finder.text, max(0, found.start() - 3), found.start()) if hour <= _NOON else None
    if part is not None:
        late = part[0] in _LATE or (part[0] == "中午" and hour < _SMALL_HOURS)
        finder.take("time", part.start(), found.end(), [f"t:{(hour % 12 + 12) if late else hour % 24:02d}:{minute:02d}"])
        return
    told = _PART_OF_DAY.match(finder.text, found.end()) if hour <= _NOON else None
    if told is not None:
        late = (told[1] or "night").lower() != "morning" and not (told[2] and hour < _SMALL_HOURS)
        finder.take("time", found.start(), told.end(), [f"t:{hour % 12 + 12 * late:02d}:{minute:02d}"])
        return
    keys = [f"t:{hour % 24:02d}:{minute:02d}"]
    if hour <= 12 and not groups["uhr"] and not hour_text.startswith("0"):
        keys.append(f"t:{(hour + 12) % 24:02d}:{minute:02d}")
    if groups["h6"]:
        keys.append(f"q:s:{hour * 3600 + minute * 60}")  # takes 2h30
    if groups["h2"] and not groups["uhr"]:
        keys += [f"q:s:{hour * 3600 + minute * 60}", f"q:s:{hour * 60 + minute}"]
    finder.take("time", found.start(), found.end(), keys)


_NOON, _SMALL_HOURS = 12, 5
_CJK_PART_BEFORE = re.compile("(?:凌晨|清晨|早晨|早上|上午|中午|下午|午后|傍晚|晚上|[今明]晚)(?=\\s?\\Z)")
_PART_OF_DAY = re.compile(r"\s(?:in the (morning|afternoon|evening)|at (night))\b", re.I)
_BETWEEN_HOURS = re.compile("一两|两三|二三|三四|四五|五六|六七|七八|八九")
_LATE = frozenset(("下午", "午后", "傍晚", "晚上", "夜晚", "晚", "今晚", "明晚"))


def _ends_as_hour(text: str, found: re.Match[str], hour: int) -> bool:
    """Whether a clause ends in an hour that is hardly so many points: 周末闹钟八点."""
    behind = text[found.end() : found.end() + 1]
    return (
        hour >= _SMALL_HOURS
        and (not behind or behind in "，。；、,.;!！")
        and text[found.start() - 1 : found.start()] not in tuple("第有共提了下这那列")
    )


def _take_clock_from(finder: _Finder, found: re.Match[str]) -> None:
    """The 7 of *7 to 9 pm* and of *between 7 and 9:30 pm*; the 11 of *11 to 1 pm* is before noon."""
    hour, until = int(found["h"]), int(found["h2"])
    if not (1 <= hour <= 12 and 1 <= until <= 12):
        return
    evening = found["ap"].lower() == "p" if found["ap"] else found["part"].lower() != "morning"
    late = evening == (hour % 12 <= until % 12)
    finder.take("time", found.start(), found.end(), [f"t:{hour % 12 + 12 * late:02d}:{found['mi'] or '00'}"])


def _take_cjk_shift(finder: _Finder, found: re.Match[str]) -> None:
    """早九晚六 is from 9:00 to 18:00."""
    for group, later in (("h", 0), ("h2", 12)):
        hour = _cjk_int(found[group])
        if hour is None or hour > 12:
            return
        half = ":30" if finder.text[found.end(group) : found.end(group) + 2] == "点半" else ":00"
        finder.take("time", found.start(group), found.end(group), [f"t:{hour % 12 + later:02d}{half}"])


_CJK_SPAN_BEFORE = re.compile(r"[点點半刻钟分](?:到|至|[-–—~～])\Z")
_CJK_SPAN_AFTER = re.compile(
    r"(?:到|至|[-–—~～])(?:凌晨|早上|上午|中午|下午|晚上)?[一二三四五六七八九十两\d]{1,3}[点點](?![心数])"
)
_CJK_CLOCK_AFTER = re.compile(
    r"(?:左右|整|之?前|以前|之?后|准时)?(?:[下上]班|起床|睡|开会|开门|关门|开始|结束|出发|放学|上课|下课|开播|开演|起飞|降落|发车|出门|到家|吃药|入睡|关灯|熄灯|打烊|营业|接|吃[早午晚]?饭|见面|到|回家|左右|之?前)"
)


def _take_spoken_clock(finder: _Finder, found: re.Match[str]) -> None:
    """``half past six``, ``quarter to nine``, ``two o'clock``, ``at seven in the morning``."""
    groups = found.groupdict()
    text = next(groups[name] for name in ("hour", "hour2", "hour3", "hour4", "hour5", "hour6", "hour7") if groups[name]).lower()
    hour = int(text) if text.isdigit() else _SMALL[text]
    if hour > 23:
        return
    few = groups["few"] or groups["few2"] or groups["few3"]
    minute = 0
    if groups["half"] or groups["half2"]:
        minute = 30
    elif groups["quarter"] or groups["to"]:
        minute = 15
    elif few:
        minute = sum(_SMALL.get(part, 0) or _TENS.get(part, 0) for part in few.lower().split("-"))
    if groups["minutes"]:
        minute = sum(_SMALL.get(part, 0) or _TENS.get(part, 0) for part in re.split(r"[ -]", groups["minutes"].lower()))
    if groups["to"] or groups["few2"] or groups["few3"]:
        hour, minute = (hour - 1) % 24, 60 - minute
    after = re.match(
        r"\s(?:in the (morning|afternoon|evening)|at (night)|([ap])\.?m\b)", finder.text[found.end() : found.end() + 20], re.I
    )
    keys = [f"t:{hour:02d}:{minute:02d}"]
    if hour <= 12:
        later = f"t:{(hour + 12) % 24:02d}:{minute:02d}"
        if after is None:
            keys.append(later)
        elif after[2] or (after[1] or "").lower() in ("afternoon", "evening") or (after[3] or "").lower() == "p":
            keys = [later]
    finder.take("time", found.start(), found.end() + (after.end() if after and after[1] else 0), keys)


_SHARE_CUES = frozenset(
    words("half third thirds quarter quarters fourth fourths fifth fifths sixth sixths eighth eighths tenth tenths")
)
_SHARE_OF = {"ha": 2, "th": 3, "qu": 4, "fo": 4, "fi": 5, "si": 6, "ei": 8, "te": 10}


_LOWEST_SHARE = 20


def _take_share(finder: _Finder, found: re.Match[str]) -> None:
    """*A third of*, *three out of four*, *half of*: also in per cent."""
    if found["half"]:
        finder.take("percent", found.start(), found.end(), ["p:50", "f:1/2"], weak=True)
        return
    high_text, low_text = found["high"] or found["high2"] or found["high3"], found["low"] or found["low2"] or found["low3"]
    high = 1 if high_text.lower() in ("a", "an") else int(high_text) if high_text.isdigit() else _SMALL[high_text.lower()]
    if found["low2"]:
        low = int(low_text) if low_text.isdigit() else _SMALL[low_text.lower()]
        if not 0 < high < low:
            return
        if "out of" in found.group().lower() and low > _LOWEST_SHARE and 100 * high % low:
            return  # 12 out of 340
        if "out of" not in found.group().lower() and (high_text.isdigit() or low_text.isdigit()) and high > 1:
            return  # "scored 3 in 5 games"
        keys = _share_keys(high, low)
    else:
        low = _SHARE_OF[low_text[:2].lower()]
        if high > low:
            return
        keys = _share_keys(high, low)
    finder.take("number", found.start(), found.end(), keys)


def _take_part(finder: _Finder, found: re.Match[str]) -> None:
    share = Decimal("0.75") if found[1] else Decimal("0.25") if found[2] else Decimal("0.5")
    kind, keys = _quantity_keys([share], found[4].lower(), None)
    finder.take(kind, found.start(), found.end(), keys)


_DECADES = dict(
    zip(words("twenties thirties forties fifties sixties seventies eighties nineties"), range(20, 100, 10), strict=True)
)


def _take_both_ends(finder: _Finder, found: re.Match[str]) -> None:
    """Morning and evening are twice a day."""
    finder.take(
        "number", found.start(), found.end(), ["n:3" if "中" in found.group() or "noon" in found.group() else "n:2"], weak=True
    )


_PART_OF = {
    "early": "early",
    "beginning": "early",
    "start": "early",
    "mid": "mid",
    "middle": "mid",
    "late": "late",
    "end": "late",
    "close": "late",
}


def _take_part_of_period(finder: _Finder, found: re.Match[str]) -> None:
    """*Late 1988* is *the end of 1988*; *mid-May* is *the middle of May*."""
    if found["early"] and not found["gap"] and found["early"].lower() != "mid":
        return
    told = _PART_OF[(found["early"] or found["of"] or "end").lower()]
    end = (
        found.end("over")
        if found["over"]
        else found.end()
        if found["years"]
        else found.end("early")
        if found["early"]
        else found.end("of") + 3
    )
    bound = told == "early" and found.group().lower().startswith(("by ", "before "))  # by the start of May: before May
    finder.take("relative", found.start(), end, [f"part:{told}"], weak=bound)


_CJK_PARTS = re.compile(
    r"(?P<of>[年月])(?:份?的?)(?P<part>底|末|尾|终(?!奖|总|考|于)|初(?![一二三四五六七八九十中级次恋])|中旬|中(?=[，。,.、]|\Z)|上旬|下旬)"
)


def _scan_cjk_periods(finder: _Finder) -> None:
    """年底, 5月初, 中旬: which part of a year or month; year and month may be told before it."""
    for found in _CJK_PARTS.finditer(finder.text):
        start, end = found.span("part")
        if finder.is_taken(start, end):
            continue
        told = {"初": "early", "上": "early", "中": "mid"}.get(found["part"][0], "late")
        if not finder.is_taken(max(0, found.start() - 1), found.start() + 1):  # 2025年底, 2025年年底
            continue  # 年底 alone is a word like others
        finder.take("relative", start, end, [f"part:{told} {'year' if found['of'] == '年' else 'month'}"])


def _take_feet(finder: _Finder, found: re.Match[str]) -> None:
    """5'11" is 5 feet 11 inches."""
    metres = Decimal(found["ft"]) * Decimal(UNITS["ft"][1]) + Decimal(found["inch"]) * Decimal(UNITS["inch"][1])
    finder.take("quantity", found.start(), found.end(), [f"q:m:{plain_number(metres)}"])


def _take_plate(finder: _Finder, found: re.Match[str]) -> None:
    """沪C·7K902."""
    finder.take("id", found.start(), found.end(), ["id:" + re.sub(r"[^\w]", "", found.group()).casefold()])


_STAGES = {"大": "大学", "研": "研究生", "博": "博士", "高": "高中", "初": "初中", "本科": "大学"}


def _take_grade(finder: _Finder, found: re.Match[str]) -> None:
    """大三, 研二, 高一, 小学二年级: the year of a school."""
    stage = found["a"] or found["b"] or ""
    stage = _STAGES.get(stage, stage)
    number = found["n"] or found["n2"]
    number = "一二三四五六"[int(number) - 1] if number.isdigit() else number
    keys = [f"id:{stage}{number}年级"]
    if not stage or stage == "小学":
        keys = [f"id:小学{number}年级", f"id:{number}年级"]
    finder.take("id", found.start(), found.end(), keys)


def _take_weekend(finder: _Finder, found: re.Match[str]) -> None:
    """*Weekends* are Saturday and Sunday. The word alone is as plain as any other."""
    plain = found.group().lower().startswith("weekend") or found.group() in ("周末", "週末", "双休日")
    if plain and re.search(
        r"(?:two|2|next|last|this|after|before|the|[上下这本]个?)\s?\Z", finder.text[max(0, found.start() - 6) : found.start()]
    ):
        return
    finder.take("weekday", found.start(), found.end(), ["w:6-7"] if plain else ["w:6-7", "w:6", "w:7"], weak=plain)


_SURELY_NEW, _MAYBE_NEW = 30, 40


def _take_short_year(finder: _Finder, found: re.Match[str]) -> None:
    """The *'16* of *the '16 Finals*."""
    short = int(found["y"])
    years = [2000 + short] if short <= _SURELY_NEW else [1900 + short] if short > _MAYBE_NEW else [2000 + short, 1900 + short]
    keys = [f"d:{year}" for year in years] + [f"n:{year}" for year in years]
    finder.take("date", found.start(), found.end(), [*keys, f"n:{short}"])


def _take_every_other(finder: _Finder, found: re.Match[str]) -> None:
    if found["qu"] or found["quzh"]:
        finder.take("quantity", found.start(), found.end(), ["q:month:3"])
        return
    many = {"t": 3, "3": 3, "4": 4, "5": 5, "6": 6}.get(found["nth"][0].lower(), 0) if found["nth"] else 2
    if not many:  # fourth, fifth, sixth
        many = {"fo": 4, "fi": 5, "si": 6}[found["nth"][:2].lower()]
    unit = (found["unit"] or found["other"] or "week").lower()
    if found["zh"]:
        told = found["zh"].lstrip("每隔双").lstrip("一两二三四五六123456").lstrip("个")
        unit = {"天": "day", "日": "day", "晚": "day", "月": "month", "年": "year"}.get(told, "week")
        many = 1 + (_cjk_int(found["gap"]) or 1) if found["gap"] else 2
    unit = {"evening": "day", "night": "day", "morning": "day", "afternoon": "day", "weekend": "week"}.get(unit, unit)
    kind, keys = _quantity_keys([Decimal(many)], unit, None)
    if found["gap"] and many > 2:
        keys += _quantity_keys([Decimal(many - 1)], unit, None)[1]
    finder.take(kind, found.start(), found.end(), keys)


def _take_decade(finder: _Finder, found: re.Match[str]) -> None:
    tens = _DECADES[found[1].lower()] if found[1] else int(found[2])
    finder.take("id", found.start(), found.end(), [f"id:19{tens}s", f"id:{tens}s"])


_QUARTERS = {
    "一": 1,
    "二": 2,
    "三": 3,
    "四": 4,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
}


def _take_quarter(finder: _Finder, found: re.Match[str]) -> None:
    """``Q2``, ``the second quarter``, 第二季度; 上半年 is H1. The year, where one stands with it, is a date of its own."""
    if found["half"]:
        finder.take("id", found.start(), found.end(), ["id:h1" if found["half"] == "上" else "id:h2"], weak=True)
        return
    told = (found["n"] or found["n2"] or found["n3"] or found["n4"] or found["word"]).lower()
    number = _QUARTERS.get(told) or int(told[0])
    finder.take("id", found.start(), found.end(), [f"id:q{number}"])


def _take_cjk_decade(finder: _Finder, found: re.Match[str]) -> None:
    told = found["d"] or found["h"] or ""
    tens = told if told.isdigit() else f"{'零一二三四五六七八九'.index(told[0])}0"
    century = found["c"] or ("20" if int(tens) < 30 else "19")
    finder.take("id", found.start(), found.end(), [f"id:{century}{tens}s", f"id:{tens}s"])


def _scan_cjk_set(finder: _Finder, patterns: dict[str, re.Pattern[str]], text: str) -> None:
    """Decades, done-ness, ranks among siblings, sums of about so many ten thousand; and figures of idioms, which count nothing."""

    def about(found: re.Match[str]) -> None:
        number = _cjk_int(found["n"])
        if number is not None:
            kind, keys = _quantity_keys([Decimal(number) * _MAGNITUDES[found["mag"]]], found["unit"], None)
            finder.take(kind, found.start(), found.end(), [*keys, f"n:{number * _MAGNITUDES[found['mag']]}"])

    def done(found: re.Match[str]) -> None:
        number = _cjk_int(found["n"])
        if number is not None:
            finder.take("number", found.start("n"), found.end("n") + 1, [f"n:{number}", f"p:{10 * number}"])

    if "两" in text or "三" in text or "八" in text or "一" in text:
        finder.scan(_IDIOMS, lambda f: finder.skip(f.start(), f.end()))
    if "分" in text:
        finder.scan(patterns["cjk_done"], done)
    if "万" in text or "千" in text or "百" in text or "亿" in text:
        finder.scan(patterns["cjk_about"], about)
    if "老" in text:
        finder.scan(
            patterns["cjk_rank"],
            lambda f: finder.take("ordinal", f.start(), f.end(), [f"o:{'大二三四五六'.index(f['n']) + 1}"], weak=True),
        )


_IDIOMS = re.compile(
    "三天两头|三心二意|一心一意|七上八下|乱七八糟|五花八门|四面八方|一五一十|三三两两|九牛一毛|一举两得|三言两语|两全其美|千方百计|四通八达|五颜六色|三更半夜|七嘴八舌|"
    "丢三落四|颠三倒四|不三不四|说三道四|接二连三|独一无二|一清二楚|一干二净|八九不离十|四平八稳|六神无主|千辛万苦|千山万水|万无一失|一年四季|三番两次|三番五次|隔三差五"
)


def _scan_cjk_shares(finder: _Finder, patterns: dict[str, re.Pattern[str]], text: str) -> None:
    """Shares, discounts, heights and the like as they are said: 三成, 四分之三, 八折, 一米七二, 三十八度五, 三块五, 一刻钟."""

    def tenths(found: re.Match[str]) -> None:
        value = Decimal(_cjk_int(found["n"]) or 0) * 10 + (5 if found["half"] else 0)
        finder.take("percent", found.start(), found.end(), ["p:" + plain_number(value)])

    def fraction(found: re.Match[str]) -> None:
        low, high = _cjk_int(found["low"]), _cjk_int(found["high"])
        if low and high and low != 100:
            finder.take("number", found.start(), found.end(), _share_keys(high, low))

    def discount(found: re.Match[str]) -> None:
        told = found["n"]
        value = Decimal(told) if told[0].isdigit() else Decimal("".join(str(_CJK_DIGITS[char]) for char in told if char != "点"))
        share = value if value > 10 else value * 10  # 85折, 8.5折, 八折
        finder.take("number", found.start(), found.end(), [f"zhe:{plain_number(share)}", f"p:{plain_number(100 - share)}"])

    def tail(found: re.Match[str], unit: str, also: str = "") -> None:
        head, rest = _cjk_int(found["n"]), found["rest"]
        digits = rest if rest.isdigit() and rest.isascii() else "".join(str(_CJK_DIGITS[char]) for char in rest)
        if head is None:
            return
        value = Decimal(f"{head}.{digits}")
        kind, keys = _quantity_keys([value], unit, None)
        finder.take(kind, found.start(), found.end(), keys + ([f"{also}{plain_number(value)}"] if also else []))

    def score(found: re.Match[str]) -> None:
        for group in ("n", "n2"):
            number = _cjk_int(found[group])
            if number is not None:
                finder.take("number", found.start(group), found.end(group), [f"n:{number}"])

    def points(found: re.Match[str]) -> None:
        """亏了8个点 is 8 per cent."""
        told = found["n"]
        value = Decimal(told) if told[0].isdigit() and told.isascii() else read_cjk_number(told)
        if value is not None:
            finder.take("percent", found.start(), found.end(), ["p:" + plain_number(value)])

    def half_of(found: re.Match[str]) -> None:
        unit = found["unit"]
        value, unit = (Decimal(6), None) if unit == "打" else (Decimal("0.5"), unit if unit in UNITS else None)
        kind, keys = _quantity_keys([value], unit, None)
        finder.take(kind, found.start(), found.end(), keys)

    def few(found: re.Match[str]) -> None:
        scale = 10 if found["ten"] else 1
        values = [Decimal(_CJK_DIGITS[char] * scale) for char in found["n"]]
        kind, keys = _quantity_keys(values, found["unit"] or None, None)
        finder.take(kind, found.start(), found.end(), keys)

    if "成" in text:
        finder.scan(patterns["cjk_tenths"], tenths)
    if "分之" in text:
        finder.scan(patterns["cjk_fraction"], fraction)
    if "折" in text:
        finder.scan(patterns["cjk_discount"], discount)
    if "比" in text:
        finder.scan(patterns["cjk_score"], score)
    if "个点" in text or "百分点" in text:
        finder.scan(patterns["cjk_points"], points)
    if "两" in text:
        finder.scan(patterns["cjk_liang"], lambda f: _take_liang(finder, f))
    if "半" in text:
        finder.scan(patterns["cjk_half_of"], half_of)
    if _FEW_CUE.search(text) is not None:
        finder.scan(patterns["cjk_few"], few)
    if "刻" in text:
        finder.scan(
            patterns["cjk_ke"],
            lambda f: finder.take("quantity", f.start(), f.end(), [f"q:s:{900 * (_CJK_DIGITS[f['n']])}"]),
        )
    if "半" in text:
        finder.scan(patterns["cjk_portion"], lambda f: finder.take("percent", f.start(), f.end(), ["p:50", "f:1/2"], weak=True))
    if "米" in text or "m" in text:
        finder.scan(patterns["cjk_height"], lambda f: tail(f, "米"))
    if "度" in text or "℃" in text:
        finder.scan(patterns["cjk_degrees"], lambda f: tail(f, "度", "q:c:"))
    if "块" in text or "塊" in text or "元" in text:
        finder.scan(patterns["cjk_coins"], lambda f: tail(f, "块"))


def _take_cjk_decimal(finder: _Finder, found: re.Match[str]) -> None:
    """三点五公里, 一点二万; before a measure that can be counted it would be a time of day."""
    value = Decimal(f"{_cjk_int(found['n'])}.{''.join(str(_CJK_DIGITS[char]) for char in found['rest'])}")
    magnitude = found["mag"] or (found["unit"] if found["unit"] in ("万", "亿") else "")
    if magnitude:
        value *= _MAGNITUDES[magnitude]
    unit = found["unit"] if found["unit"] in UNITS else None
    kind, keys = _quantity_keys([value], unit, None)
    finder.take(kind, found.start(), found.end("unit"), keys)


_FEW_CUE = re.compile("一两|[二两]三|三[四两]|四五|五六|六七|七八|八九")


def _take_liang(finder: _Finder, found: re.Match[str]) -> None:
    """二两酒 is 100 g."""
    value = Decimal("0.5") if found["n"] == "半" else Decimal(found["d"] or _CJK_DIGITS[found["n"]])
    finder.take("quantity", found.start(), found.end(), [f"q:g:{plain_number(value * 50)}", f"n:{plain_number(value)}"])


def _share_keys(high: int, low: int) -> list[str]:
    """Three quarters are 75 per cent, and three of four."""
    share = Fraction(high, low)
    keys = [f"f:{share.numerator}/{share.denominator}"]
    percent = share * 100
    if percent.denominator == 1 and 0 < percent < 100:
        keys.append(f"p:{percent.numerator}")
    return keys


def _take_lunar(finder: _Finder, found: re.Match[str]) -> None:
    """农历八月十五, 正月初三, 腊月二十三; 八月十五 without a word for day may be one."""
    month_text, day_text = found["m"].lstrip("闰"), found["d"]
    month = {"正": 1, "冬": 11, "腊": 12, "臘": 12}.get(month_text) or _cjk_int(month_text)
    day = _cjk_int(day_text.lstrip("初").replace("廿", "二十").replace("十十", "十"))
    before = finder.text[max(0, found.start() - 8) : found.start()]
    lunar = bool(found["cue"]) or month_text in "正腊臘" or day_text[0] in "初廿" or _LUNAR.search(before) is not None
    solar = _date_key(None, month, day)
    if month is None or day is None or solar is None or not (lunar or not found["end"]):
        return
    if not lunar and (day_text[0].isdigit() or month_text[0].isdigit()):
        return
    keys = [f"l:{month:02d}-{day:02d}"] + ([] if lunar else [solar])
    finder.take("date", found.start("m"), found.end(), keys)


_LUNAR = re.compile(r"(?:农历|阴历|旧历|農曆|陰曆)[^,，。;；]{0,4}\Z")


def _take_cjk_minutes(finder: _Finder, found: re.Match[str]) -> None:
    """``1小时52分``, ``5分30秒``: elsewhere 分 is a point or a cent."""
    group = "n" if found["n"] else "n2"
    value = _cjk_int(found[group])
    if value is not None:
        kind, keys = _quantity_keys([Decimal(value)], "分钟", None)
        finder.take(kind, found.start(group), found.end(), keys)


def _take_age(finder: _Finder, found: re.Match[str]) -> None:
    """*In his thirties*, *in her 30s*."""
    finder.take("id", found.start(), found.end(), [f"id:age {_DECADES[found[1].lower()] if found[1] else int(found[2])}s"])


def _take_cjk_half(finder: _Finder, found: re.Match[str]) -> None:
    value = Decimal(_cjk_int(found["num"] or found["num3"]) or 0) + Decimal("0.5")
    unit = found["unit"] or found["unit2"] or found["unit3"]
    kind, keys = _quantity_keys([value], {"月": "个月"}.get(unit, unit), None)
    finder.take(kind, found.start(), found.end(), keys + (["q:day:15", "q:day:14"] if keys[0] == "q:month:0.5" else []))


def _take_version(finder: _Finder, found: re.Match[str]) -> None:
    """v2.3 may be told as 2.3."""
    if _DOTTED_CALL.fullmatch(found.group()):
        return
    told = found.group().casefold().lstrip("v")
    finder.take("version", found.start(), found.end(), ["v:" + told] + (["n:" + told] if told.count(".") == 1 else []))


_DOTTED_CALL = re.compile(r"\d{3}\.\d{3}\.\d{4}")
"""555.123.4567 is called."""


def _take_phone(finder: _Finder, found: re.Match[str]) -> None:
    surface = found.group()
    digits = re.sub(r"\D", "", surface.replace("(0)", ""))
    groups = re.split(r"[\s.\-/]+", surface)
    if not _SHORTEST_CALL <= len(digits) <= _LONGEST_CALL:
        return
    if surface[0] not in "+(0" and groups[1:] and all(len(g) == 3 for g in groups[1:]) and re.fullmatch(r"[\d ]+", surface):
        return  # 1 234 567 is a number
    if re.fullmatch(r"(19|20)\d\d[-/](19|20)\d\d", surface):
        return
    if surface.startswith("00"):
        digits = digits[2:]
    keys = ["tel:" + digits] + (["n:" + digits] if surface.isdigit() else [])
    finder.take("phone", found.start(), found.end(), keys)


_SHORTEST_CALL, _LONGEST_CALL = 7, 24
"""Digits in groups are one number that is called, of a card or of a meeting."""


def _undivided(figures: str) -> list[str]:
    """The key of a number without any separator that may be told in groups elsewhere: 81244309967 and 812 4430 9967."""
    return ["tel:" + figures] if figures.isdigit() and _SHORTEST_CALL <= len(figures) <= _LONGEST_CALL else []


def _take_year(finder: _Finder, found: re.Match[str]) -> None:
    if found.group().endswith("s"):
        finder.take("id", found.start(), found.end(), ["id:" + found.group(), "id:" + found.group()[2:]])
    else:
        finder.take("date", found.start(), found.end(), [f"d:{found[1]}", f"n:{found[1]}"])


def _quantity_keys(values: list[Decimal], unit: str | None, currency: str | None) -> tuple[str, list[str]]:
    if currency:
        return "money", [f"m:{currency}:{plain_number(value)}" for value in values]
    if unit is None:
        return "number", ["n:" + plain_number(value) for value in values]
    if unit in ("%", "％", "percent", "per cent", "prozent"):
        return "percent", ["p:" + plain_number(value) for value in values]
    if unit in ("pounds", "pound"):
        keys = [f"m:gbp:{plain_number(value)}" for value in values]
        return "quantity", keys + [f"q:g:{plain_number(value * Decimal(UNITS['lb'][1]))}" for value in values]
    if unit in _CURRENCY_WORDS_AFTER:
        return "money", [f"m:{CURRENCIES[unit]}:{plain_number(value)}" for value in values]
    if unit in _AGE_UNITS or unit == "年":
        dimension, factor = "month", Decimal(12)
    else:
        dimension, text = UNITS[unit]
        factor = Decimal(text)
    keys = [f"q:{dimension}:{plain_number(value * factor)}" for value in values]
    for scale in {"度": "c", "degree": "cf", "degrees": "cf"}.get(unit, ""):
        keys += [f"q:{scale}:{plain_number(value)}" for value in values]
    return "quantity", keys


def _take_quantity(finder: _Finder, found: re.Match[str]) -> None:
    groups = found.groupdict()
    start, end = found.start(), found.end()
    after = finder.text[found.end("num") : found.end("num") + 1]
    follows_letter = start > 0 and re.match(rf"[{ALPHA}_]", finder.text[start - 1]) is not None
    if follows_letter or (start > 0 and finder.text[start - 1] in "_#"):
        return
    unit = fold(groups["unit"]) if groups["unit"] else None
    currency = CURRENCIES.get(fold(groups["cur"]).strip()) if groups["cur"] else None
    magnitude = fold(groups["mag"]) if groups["mag"] else None
    if unit is None and magnitude is None and re.match(rf"[{ALPHA}_]", after):
        return  # 2nd, 4chan, 3d: an ordinal or an identifier
    if unit is None and groups["unit"] is None and re.match(rf"[{ALPHA}]", finder.text[end : end + 1] or " "):
        return
    aged = unit == "s" and _OF_AN_AGE.search(finder.text[max(0, start - 8) : start]) is not None and after == "s"  # under-12s
    if aged or (unit in ("m", "g", "l", "s", "h", "w") and groups["unit"] != unit and groups["unit"] != "L"):
        unit, end = None, found.end("mag") if magnitude else found.end("num")
        if not aged and re.match(rf"[{ALPHA}]", finder.text[end : end + 1]):
            return
    if unit in ("day", "week") and finder.text[found.start("unit") - 1] == "-" and finder.text[end : end + 1] == "-":
        pass
    sign = "-" if groups["sign"] and groups["sign"] != "+" else ""
    values = read_number(sign + groups["num"])
    if not values:
        return
    if groups["frac"]:
        values = _with_fraction(values, groups["frac"])
    if magnitude:
        values = [value * _MAGNITUDES[magnitude] + _rest_of(groups["rest"], _MAGNITUDES[magnitude]) for value in values]
    elif currency and unit == "m":
        values, unit = [value * 10**6 for value in values], None
    if groups["num2"]:
        seconds = read_number(groups["num2"])
        if groups["frac2"]:
            seconds = _with_fraction(seconds, groups["frac2"])
        if groups["mag2"]:
            factor = _MAGNITUDES[fold(groups["mag2"]).strip()]
            seconds = [value * factor for value in seconds]
            if not magnitude:
                values = [value * factor for value in values]
        kind, keys = _quantity_keys(values, unit, currency)
        kind2, keys2 = _quantity_keys(seconds, unit, currency) if seconds else ("", [])
        finder.take(kind, start, found.start("dash"), keys)
        if keys2:
            finder.take(kind2, found.start("num2"), end, keys2)
        return
    kind, keys = _quantity_keys(values, unit, currency)
    if kind == "number" and len(keys[0]) <= 4 and keys[0][2:].isdigit() and _AT.search(finder.text[max(0, start - 8) : start]):
        hour = int(keys[0][2:])  # "gets up at 7" and "at 7 am"
        if hour < 24:
            keys += [f"t:{hour:02d}:00"] + ([f"t:{(hour + 12) % 24:02d}:00"] if hour <= 12 else [])
    if kind == "number":
        if (clock := _DOTTED_CLOCK.fullmatch(groups["num"])) and _AT.search(finder.text[max(0, start - 8) : start]):
            keys.append(f"t:{int(clock[1]):02d}:{clock[2]}")  # at 18.30
        keys += _undivided(finder.text[start:end]) + _behind_letters(finder.text, start, end)
        if (
            groups["frac"]
            and groups["frac"][0] == "/"
            and groups["num"].isdigit()
            and 0 < int(groups["num"]) < int(groups["frac"][1:])
        ):
            keys += _share_keys(int(groups["num"]), int(groups["frac"][1:]))
    finder.take(kind, start, end, keys)


_OF_AN_AGE = re.compile(r"\b(?:under|over|the|u)[ -]\Z|\bU\Z", re.I)
_DOTTED_CLOCK = re.compile(r"([01]?\d|2[0-3])\.([0-5]\d)")
_LETTERS_BEFORE = re.compile(r"(?<![A-Za-z\d])([A-Z]{1,4}|[A-Z][A-Za-z]{1,11}|i[A-Z][a-z]{2,8})[ -]\Z")


def _behind_letters(text: str, start: int, end: int) -> list[str]:
    """The key of a figure with the capitals before it: *LH 1832* is *LH1832*."""
    found = _LETTERS_BEFORE.search(text[max(0, start - 14) : start])
    return [f"id:{found[1].lower()}{text[start:end]}"] if found and text[start:end].isdigit() else []


def _rest_of(text: str | None, above: int) -> Decimal:
    """What stands behind a magnitude in a number of figures and characters: 12万8千 ends in 8,000, 3万5 in 5,000, 1亿2000万 in 20,000,000."""
    total = Decimal(0)
    for figures, unit in re.findall(r"(\d+)([万萬千百]?)", text or ""):
        short = not unit and len(figures) == 1
        total += Decimal(figures) * (_MAGNITUDES[unit] if unit else above // 10 if short else 1)
    return total


def _with_fraction(values: list[Decimal], text: str) -> list[Decimal]:
    marks = {"½": "0.5", "¼": "0.25", "¾": "0.75", "⅓": "0.333333", "⅔": "0.666667"}
    if text in marks:
        return [value + Decimal(marks[text]) for value in values]
    lower = Decimal(text[1:])
    return [value / lower for value in values] if lower else values


def _take_ident(finder: _Finder, found: re.Match[str]) -> None:
    surface = found.group().rstrip(".,:;/-")
    plain = fold(surface)
    if not surface or re.fullmatch(r"\d+(?:st|nd|rd|th)", plain):
        return
    keys = ["id:" + plain]
    glued = re.sub(r"[\s\-–]", "", plain)
    if glued != plain and len(glued) >= 4:
        keys.append("id:" + glued)
    host, _, port = plain.rpartition(":")
    if host and port.isdigit():
        keys.append("n:" + port)
    numbered = _NUMBERED.fullmatch(plain)
    if numbered is not None:
        keys.append("n:" + plain_number(Decimal(numbered[1] or numbered[2])))
    size = _SIZE.fullmatch(surface)
    if size is not None:
        keys += [f"q:byte:{int(size[1]) * int(UNITS[size[2].lower() + 'b'][1])}"]
    finder.take("id", found.start(), found.start() + len(surface), keys)


_NUMBERED = re.compile(r"[a-z]{2,}(\d+\.\d+)|[a-z]{3,}(\d{1,3})")
"""``Python3.11`` is ``Python 3.11``."""
_SIZE = re.compile(r"(\d+)([GMT])")
"""``16G`` is ``16 GB``, and maybe also a name: ``5G``."""


def _take_bare(finder: _Finder, found: re.Match[str]) -> None:
    before = finder.text[found.start() - 1 : found.start()]
    after = finder.text[found.end() : found.end() + 2]
    if re.match(rf"[{ALPHA}]", before) or re.match(r"(?:st|nd|rd|th)", after):
        return
    values = read_number(found.group())
    keys = (["n:" + plain_number(value) for value in values] or ["id:" + found.group()]) + _undivided(found.group())
    finder.take("number", found.start(), found.end(), keys)


_SPAN = re.compile(r"\b(?:in|within|for|only|just|after|takes?|took|lasts?|than|least|most|about) \Z", re.I)
_AT = re.compile(r"\b(?:at|by|until|till|before|after|around|from|between) \Z", re.I)


def _take_number_words(finder: _Finder, found: re.Match[str]) -> None:
    groups = found.groupdict()
    half = Decimal("0.5")
    if groups["couple"]:
        finder.take("number", found.start(), found.end(), ["n:2"], weak=True)
        return
    if groups["times"]:
        value = Decimal(_TIMES_WORDS[found["times"].lower()])
        finder.take("number", found.start(), found.end(), ["n:" + plain_number(value)], weak=value == 1)
        return
    if groups["other"]:
        if found["other"][0].isupper():
            return
        unit = fold(groups["unit3"]) if groups["unit3"] else None
        kind, keys = _quantity_keys([Decimal(_OTHER_NUMBERS[fold(found["other"])])], unit, None)
        finder.take(kind, found.start(), found.end(), keys)
        return
    if groups["unit2"]:
        value = half if "half" in found["half2"].lower() else Decimal(1)
        if groups["half3"]:
            value += half
        kind, keys = _quantity_keys([value], fold(groups["unit2"]), None)
        finder.take(kind, found.start(), found.end(), keys, weak=value == 1)
        return
    words = re.split(r"[ -]", found["words"].lower())
    if words[0] == "half":  # half a dozen
        finder.take("number", found.start(), found.end("words"), ["n:6"])
        return
    if words[0] in ("a", "an"):
        words = words[1:]
    start = found.start()
    while len(words) > 1 and _SMALL.get(words[0], 0) in range(1, 10) and words[1] in _SMALL:  # became one two years later
        value = Decimal(_SMALL[words[0]])
        finder.take("number", start, start + len(words[0]), ["n:" + plain_number(value)], weak=value == 1)
        start += len(words[0]) + 1
        words = words[1:]
    number = words_to_number(words)
    if number is None:
        return
    if groups["half"]:
        number += half
    unit = fold(groups["unit"]) if groups["unit"] else None
    if unit == "second" and number == 1:
        unit = None
    kind, keys = _quantity_keys([number], unit, None)
    if (
        kind == "number"
        and 1 <= number <= 12
        and _AT.search(finder.text[max(0, found.start() - 8) : found.start()])
        and _NO_NOUN.match(finder.text, found.end())
    ):
        keys += [f"t:{int(number):02d}:00", f"t:{(int(number) + 12) % 24:02d}:00"]
    some_day = unit == "day" and number == 1 and not _SPAN.search(finder.text[max(0, found.start() - 10) : found.start()])
    finder.take(kind, start, found.end(), keys, weak=number == 1 and (unit is None or some_day))


_NO_NOUN = re.compile(r"\s?(?:[.,;)]|\Z|sharp\b|and\b|to\b|on\b|every\b|each\b|daily\b|in the\b|at night\b)", re.I)


def _take_ordinal(finder: _Finder, found: re.Match[str]) -> None:
    tens, _, ones = (found[2] or "").lower().replace("-", " ").rpartition(" ")
    value = int(found[1]) if found[1] else _TENS.get(tens, 0) + _ORDINALS[ones]
    finder.take("ordinal", found.start(), found.end(), [f"o:{value}", f"n:{value}"], weak=not found[1] and value <= 2)


def _take_cjk_number(finder: _Finder, found: re.Match[str]) -> None:
    if found["pc"]:
        text = found["pc"]
        value = Decimal(text) if text.isdigit() else read_cjk_number(text)
        if value is not None:
            finder.take("percent", found.start(), found.end(), ["p:" + plain_number(value)])
        return
    if found["ord"]:
        number = _cjk_int(found["ord"])
        if number is not None:
            finder.take("ordinal", found.start(), found.end(), [f"o:{number}", f"n:{number}"], weak=number == 1)
        return
    text = found["num"]
    if text in _NOT_NUMBERS:
        return
    if text in ("五一", "六一", "三八", "十一", "七一", "八一") and _is_holiday(finder.text, found.start("num")):
        return
    value = read_cjk_number(text)
    if value is None:
        return
    if found["half"]:
        value += Decimal("0.5")
    kind, keys = _quantity_keys([value], found["unit"], None)
    finder.take(kind, found.start(), found.end(), keys, weak=value == 1 or found["pair"] is not None)


def says_october_first(text: str) -> bool:
    """Whether a text speaks of the first of October by its figures: 十一去桂林."""
    return any(
        text[found.start() - 1 : found.start()] not in tuple("第周期零百千万月有共点二三四五六七八九")
        for found in _ELEVENTH.finditer(text)
    )


_ELEVENTH = re.compile(r"十一(?=长假|小长假|假|期间|黄金周|放假|前后|后|去|回|出|当天|在|要|想|打算|[，。、,.]|\Z)")


def _is_holiday(text: str, at: int) -> bool:
    return text[at - 1 : at] not in tuple("第周期零百千万月有共点二三四五六七八九") and _HOLIDAYS.match(text, at) is not None


def _take_weekdays(finder: _Finder, found: re.Match[str]) -> None:
    """``周一、三、五``: each of them is a day."""
    start, end = found.span("days")
    for at in range(start, end):
        if finder.text[at] in _CJK_DAYS:
            left = found.start() if at == start else at
            finder.take("weekday", left, at + 1, [f"w:{_CJK_DAYS[finder.text[at]]}"])


_BEHIND_WEEKDAY = re.compile(r"[.,;)]|$|\s(?:and|at|to|\d)")


def _take_weekday(finder: _Finder, found: re.Match[str]) -> None:
    if found[1]:
        name = fold(found[1])
        if not found[1][0].isupper() and name not in _LOWER_WEEKDAYS:
            return
        if name in ("sun", "sat", "mon", "wed") and not _BEHIND_WEEKDAY.match(finder.text, found.end(1)):
            return
        number = WEEKDAYS[name]
    elif found[2]:
        number = _CJK_DAYS[found[2]]
        if finder.text[found.start() : found.end()] == "周末" or number == 8:
            return
        if finder.text[found.end() : found.end() + 1] in ("年", "岁"):
            return
    else:
        number = "月火水木金土日".index(found[3]) + 1
    finder.take("weekday", found.start(), found.end(), [f"w:{number}"])


_ALIASES = {
    "今天": "today", "今日": "today", "明天": "tomorrow", "明日": "tomorrow", "昨天": "yesterday", "昨日": "yesterday",
    "今晚": "tonight", "下月": "next month", "上月": "last month", "上星期": "last week", "上个星期": "last week", "下星期": "next week", "下个星期": "next week",
    "这星期": "this week", "这个星期": "this week", "本星期": "this week", "上礼拜": "last week", "下礼拜": "next week",
    "这礼拜": "this week", "上周": "last week", "下周": "next week", "这周": "this week", "本周": "this week", "上个月": "last month",
    "下个月": "next month", "这个月": "this month", "本月": "this month", "past week": "last week", "coming week": "next week",
    "following week": "next week", "previous week": "last week", "本季度": "this quarter", "下季度": "next quarter",
    "上季度": "last quarter",
}  # fmt: skip


_FAR = {
    "the day before yesterday": ("day", -2), "the day after tomorrow": ("day", 2), "前天": ("day", -2), "后天": ("day", 2),
    "大前天": ("day", -3), "大后天": ("day", 3),
}  # fmt: skip
_FAR_SPANS = {"day": ("day", 1), "week": ("day", 7), "weekend": ("day", 7), "month": ("month", 1), "year": ("month", 12)}
_CJK_SPANS = {"周": "week", "周末": "weekend", "星期": "week", "礼拜": "week", "月": "month"}


_RATED = re.compile(
    r"(?:\b(?:once|twice|thrice|times|half|quarters?|hours?|minutes|mins|days|nights|evenings|km|miles|euros?|dollars?|pounds|bucks|yuan|pages|cups|pills|often|least|most|more|"
    r"less|much|many)|[\d€$£¥%][kK]?)\s\Z",
    re.I,
)


def _far_off(found: re.Match[str], name: str) -> list[str]:
    """The keys of what lies two steps away, and of a day or year before or after: also as the span that *two days ago* tells."""
    if name in _FAR or "the " + name in _FAR:
        span, steps = _FAR.get(name) or _FAR["the " + name]
    elif found["far"]:
        span, steps = found["span"].removesuffix("s").lower(), -2 if found["way"].lower() in ("ago", "earlier") else 2
    elif found["one"]:
        span, steps = found["one"].lower(), -1 if found["side"].lower() in ("before", "ago", "earlier") else 1
        if found["side"].lower() in ("before", "after"):
            size, many = _FAR_SPANS[span]
            relative = "last" if found["side"].lower() == "before" else "next"
            return [f"q:{size}:{many}", f"r:{found['side'].lower()} {span}", f"r:{relative} {span}"]
    elif name.startswith(("上上", "下下")):
        span, steps = _CJK_SPANS[name[2:].lstrip("个")], -2 if name[0] == "上" else 2
    else:
        parts = name.removeprefix("the ").split(" ")
        if len(parts) != 3 or parts[1:] not in (["before", "last"], ["after", "next"]):
            return []
        span, steps = parts[0], -2 if parts[1] == "before" else 2
    size, many = _FAR_SPANS[span]
    keys = [f"r:{steps:+d} {span}", f"q:{size}:{abs(steps) * many}"]
    return [*keys, f"r:{'last' if steps < 0 else 'next'} {span}"] if abs(steps) == 1 and span != "day" else keys


_WHICH = {
    "coming": "next", "upcoming": "next", "following": "next", "past": "last", "previous": "last",
    "later in the": "this", "earlier in the": "this",
}  # fmt: skip


def _take_relative(finder: _Finder, found: re.Match[str], written: int | float | None) -> None:
    name = fold(found.group())
    if found["one"] and _RATED.search(finder.text[max(0, found.start() - 16) : found.start()]):
        return  # "twice a week before lunch", "3,200 euros a month after taxes"
    far = _far_off(found, name)
    if far:
        days = {"q:day:2": 2, "q:day:3": 3}.get(far[1])
        if written is not None and days is not None and far[0].endswith("day"):
            moved = datetime.fromtimestamp(written, UTC).date() + timedelta(days=days if far[0][2] == "+" else -days)
            far.append("d:" + moved.isoformat())
        finder.take("relative", found.start(), found.end(), far)
        return
    which, _, span = name.rpartition(" ")
    if span == "fall":
        span, name = "autumn", f"{which} autumn"
    name = _ALIASES.get(name, f"{_WHICH[which]} {span}" if which in _WHICH else name)
    keys = ["r:" + name]
    if written is not None:
        keys += _resolve(name, datetime.fromtimestamp(written, UTC).date())
    said = finder.text[max(0, found.start() - 14) : found.start()]
    finder.take("relative", found.start(), found.end(), keys, weak=span == "year" and _MONTH_OF.search(said) is not None)


_MONTH_OF = re.compile(r"(?:January|February|March|April|May|June|July|August|September|October|November|December) (?:of )?\Z")
"""*October of last year* is *last October*."""


def _resolve(name: str, today: date) -> list[str]:
    days = {
        "today": 0,
        "tonight": 0,
        "yesterday": -1,
        "tomorrow": 1,
        "the day before yesterday": -2,
        "the day after tomorrow": 2,
    }
    if name in days:
        return ["d:" + (today + timedelta(days=days[name])).isoformat()]
    which, _, span = name.partition(" ")
    shift = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1, "following": 1}.get(which)
    if shift is None:
        return []
    if span == "year":
        return [f"d:{today.year + shift:04d}"]
    if span == "month":
        index = today.year * 12 + today.month - 1 + shift
        return [f"d:{index // 12:04d}-{index % 12 + 1:02d}"]
    if span in ("week", "weekend"):
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=shift)
        return ["d:" + (monday + timedelta(days=offset)).isoformat() for offset in range(7)]
    return []


def _join_durations(items: list[Item], text: str) -> list[Item]:
    """``1 hour 52 minutes`` is one duration; so is ``5 feet 10 inches``, and ``2 years and 3 months``."""
    out: list[Item] = []
    for item in items:
        if out and item.kind == out[-1].kind == "quantity":
            gap = text[out[-1].end : item.start]
            left, right = out[-1].norm.split(":"), item.norm.split(":")
            if (
                ":" not in out[-1].surface + item.surface  # "1:52:30, eight minutes faster"
                and gap.strip() in ("", "and", ",", "und", "et", "y", "零", "又")
                and left[1] == right[1]
                and left[1] in ("s", "m", "month", "g")
            ):
                one, two = Decimal(left[2]), Decimal(right[2])
                if one > two and _unit_of(out[-1]) != _unit_of(item):  # 202 ms, 115 ms are two
                    key = f"q:{left[1]}:{plain_number(one + two)}"
                    out[-1] = Item("quantity", key, text[out[-1].start : item.end], out[-1].start, item.end, frozenset([key]))
                    continue
        out.append(item)
    return out


_RATE_BEHIND = re.compile(
    r"\s?(?:times |x )?(?:(?:an?|per|each|every) (?P<en>day|year)\b|(?P<ly>daily|yearly|annually)\b)|次(?!方)", re.I
)
_RATE_BEFORE = re.compile(r"(?:每|一)个?(?P<zh>[天日年])[^,，。;；]{0,4}\Z")
_PERIODS = {"day": ("s", 86400), "year": ("month", 12)}


def _tell_rates(items: list[Item], text: str) -> None:
    """*Twice a year* is every six months; 每天三次 is every eight hours."""
    for at, item in enumerate(items):
        found = _RATE_BEHIND.match(text, item.end) if item.kind == "number" and item.norm in _FEW_TIMES else None
        if found is None:
            continue
        if found.group() == "次":
            before = _RATE_BEFORE.search(text, max(0, item.start - 8), item.start)
            if before is None:
                continue
            period = "year" if before["zh"] == "年" else "day"
        else:
            period = "day" if (found["en"] or found["ly"]).lower() in ("day", "daily") else "year"
        unit, size = _PERIODS[period]
        items[at] = replace(item, keys=item.keys | {f"q:{unit}:{size // int(item.norm[2:])}"})


_FEW_TIMES = frozenset(("n:2", "n:3", "n:4", "n:6"))


_HOURS_APART = re.compile(r"\s?(?:to|till|until|[-–—~])\s?")


def _share_hours(items: list[Item], text: str) -> None:
    """*Works 9 to 5*: two small figures may be hours."""
    last = -1
    for at, item in sorted(enumerate(items), key=lambda entry: entry[1].start):
        if last >= 0:
            before = items[last]
            if (
                before.kind == item.kind == "number"
                and (
                    _HOURS_APART.fullmatch(text, before.end, item.start)
                    or (
                        text[max(0, before.start - 8) : before.start].lower() == "between "
                        and text[before.end : item.start] == " and "
                    )
                )
                and before.surface.isdigit()
                and item.surface.isdigit()
                and 0 < int(before.surface) <= 12
                and 0 < int(item.surface) <= 24
            ):
                for place in (last, at):
                    hour = int(items[place].surface)
                    later = {f"t:{hour + 12:02d}:00"} if hour < 12 else set()
                    items[place] = replace(items[place], keys=items[place].keys | {f"t:{hour % 24:02d}:00"} | later)
        last = at


def _unit_of(item: Item) -> str:
    """What stands behind the figures of a quantity; of several, the last."""
    return re.split(r"[\d.,]+", item.surface)[-1].strip().casefold().rstrip("s")


_LISTED = re.compile(r"\s?(?:[,、]?\s?(?:\b(?:and|or|then|to|und|et|y)\b|[和或至到])|[,、])\s?")


def _share_units(items: list[Item], text: str) -> list[Item]:
    """``ran 5, 10 and 21 km``: a figure in a list has the unit that stands behind the last one. It may still be a bare number."""
    out = list(items)
    for at in range(len(items) - 2, -1, -1):
        item, follows = out[at], out[at + 1]
        if item.kind != "number" or not item.surface.isdigit() or follows.kind not in ("quantity", "percent", "number", "money"):
            continue
        if not _LISTED.fullmatch(text, item.end, follows.start):
            continue
        shared = {key for key in follows.keys if key.startswith(("q:", "p:", "m:"))}
        for key in shared:
            head, _, value = key.rpartition(":")
            figure = re.match(r"\d+(?:\.\d+)?", follows.surface)
            if figure and float(figure[0]):
                factor = Decimal(value) / Decimal(figure[0])
                own = f"{head}:{plain_number(Decimal(item.surface) * factor)}"
                out[at] = item = replace(item, keys=item.keys | {own})
    return out


def bare_name(surface: str) -> str:
    """The form in which names are compared: folded, without diacritics, one blank between parts."""
    return " ".join(bare(part) for part in surface.split())
