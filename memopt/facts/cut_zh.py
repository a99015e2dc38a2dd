"""Cutting a run of Chinese characters into words: the cut whose words are likeliest together, each taken by itself.

The frequencies stand in ``words_zh.txt`` (see ``scripts/build_words_zh.py``; the license stands in the file). It is read on first use.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from memopt.facts import senses
from memopt.facts.kinds import chinese_words

_TOTAL = 26.0
"""Binary logarithm of how many words the frequencies were counted in."""
_UNSEEN = 0.0
"""The logarithm for a character that the list does not have."""
_LISTED = 5.0
"""The same for a word of the thesaurus that the list does not have."""
_LONGEST = 5
HEADS = frozenset(
    "茶酒水饭面肉鱼虾蟹果菜糖奶汤粥饼糕酱油醋豆米粉瓜枣莓桃梨橙柑蕉杏柿柚菇笋葱蒜姜椒"
    "店馆院校室厅房楼城镇村山河湖海岛路街桥站场园厂矿局所铺摊吧"
    "车船机艇琴鼓棋牌球剧戏歌舞操画书报刊课系师员匠医手友"
    "猫狗犬鸟兔马牛羊猪鸡鸭龟蛇花草树竹症病炎癌疹疮药片剂针素"
    "假节季历贷险税费金款卡券股债币账证照票函盘器仪灯锅杯碗刀床桌椅柜窗墙"
    "衣服裤裙鞋帽袜镜表肠肚色语腔乐曲队团社库端版线网板"
    "塞罩具炉饰箱架扇被枕毯巾袋绳链环戒坠钟锁梯栏盆缸桶罐壶勺筷刷梳伞笔尺纸墨胶钉锤锯管阀缆屏键卡板"
)
"""Last characters that say of a word that it names a thing, a place, a trade or an illness."""


@cache
def _counted() -> dict[str, float]:
    """The words of the list with their logarithms; below 0, and less one, where the word is a noun."""
    out = {}
    for line in (Path(__file__).parent / "words_zh.txt").read_text(encoding="utf8").splitlines():
        if line[0] == "#":
            continue
        band, *words = line.split(" ")
        value = -1.0 - float(band[:-1]) if band[-1] == "n" else float(band)
        for word in words:
            out[word] = value
    return out


@cache
def _words() -> dict[str, float]:
    counted = _counted()
    out = {word: _LISTED for word in senses.chinese() | chinese_words() if 1 < len(word) <= _LONGEST}
    for word, value in counted.items():
        out[word] = max(value if value >= 0 else -1.0 - value, out.get(word, 0.0))
    return out


def is_noun(text: str) -> bool:
    """Whether this is a common word that is a noun above all."""
    return _counted().get(text, 0.0) < 0


def is_word(text: str) -> bool:
    """Whether this is a common word, and no name of a person."""
    return len(text) > 1 and text in _words()


@lru_cache(maxsize=32768)
def cut(run: str) -> tuple[tuple[int, int], ...]:
    """The words of a run, as places in it: all of it, in order; characters that make no word stand alone. Linear in its length."""
    words = _words()
    best = [0.0] * (len(run) + 1)
    size = [1] * (len(run) + 1)
    for at in range(len(run) - 1, -1, -1):
        best[at] = words.get(run[at], _UNSEEN) - _TOTAL + best[at + 1]
        for length in range(2, min(_LONGEST, len(run) - at) + 1):
            found = words.get(run[at : at + length])
            if found is not None and found - _TOTAL + best[at + length] > best[at]:
                best[at], size[at] = found - _TOTAL + best[at + length], length
    out = []
    at = 0
    while at < len(run):
        out.append((at, at + size[at]))
        at += size[at]
    return tuple(out)


__all__ = ["cut", "is_noun", "is_word"]
