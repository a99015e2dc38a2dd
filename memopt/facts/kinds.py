"""Which words name different things of one kind (*violin*, *piano*; 猫, 狗): where one stands in the place of the other, something else is told.

``kinds.txt`` is made from WordNet and the Chinese Open Wordnet (see ``scripts/build_kinds.py``); what is missing there stands here. It is
read on first use.
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


_CHINESE = """
狗/犬/小狗/狗狗/牧羊犬/柯基/金毛/泰迪/边牧|猫/小猫/猫咪/橘猫/布偶|兔子/兔|仓鼠|鹦鹉|乌龟/龟|金鱼
小学|初中|高中|大学|幼儿园
小学|中学|大学|幼儿园
国画|书法|油画|素描|水彩|剪纸|陶艺|雕塑|刺绣
唐朝/唐代|宋朝/宋代|元朝/元代|明朝/明代|清朝/清代|民国|汉朝/汉代
国企/国有企业/央企|外企/外资企业|民企/私企/民营企业
靠窗/窗边|靠过道/过道/走道
前排|后排|中排
川菜|粤菜|湘菜|鲁菜|潮汕菜|东北菜|日料|西餐
米饭|面条|饺子|馒头|包子|粥
可乐|雪碧|果汁|牛奶|豆浆|奶茶|咖啡|绿茶|红茶|乌龙茶|花茶|普洱/普洱茶|大麦茶
啤酒|红酒/葡萄酒|白酒|黄酒|威士忌
芒果|菠萝|苹果|香蕉|桃子|草莓|葡萄|西瓜|猕猴桃|荔枝|榴莲
花生|核桃|杏仁|腰果|开心果|榛子
虾|螃蟹/蟹|贝类|鱼|鱿鱼
牛肉|羊肉|猪肉|鸡肉|鸭肉
会计|出纳|调度/调度员|司机|护士|医生|律师|厨师|工程师|设计师|程序员|销售|教师/老师|记者|警察|消防员|翻译|保安|建筑师|产品经理|快递员|理发师/美发
数学|物理|化学|生物|历史|地理|英语|语文|政治|体育|音乐|美术
网球|羽毛球|乒乓球|篮球|足球|排球|高尔夫
跑步|游泳|骑行|瑜伽|登山|滑雪|攀岩|拳击|跳绳|太极
钢琴|小提琴|大提琴|吉他|古筝|二胡|笛子|架子鼓|尤克里里|萨克斯
法语|德语|日语|韩语|西班牙语/西语|葡萄牙语/葡语|意大利语|俄语|阿拉伯语|泰语|英语|粤语
春天/春季|夏天/夏季|秋天/秋季|冬天/冬季
红色|蓝色/深蓝|绿色|黄色|紫色|黑色|白色|灰色|橙色|粉色
膝盖|手腕|脚踝|肩膀|腰|脖子|髋|肘
糖尿病|高血压|低血压|哮喘|癫痫|肾病|心脏病|胃病|肝病|痛风
卧室|厨房|客厅|书房|浴室|阳台
肥胖|消瘦
悬疑|喜剧|爱情|科幻|恐怖|武侠|动作
早餐/早饭|午餐/午饭|晚餐/晚饭
图书馆|医院|学校|银行|超市|邮局|博物馆|养老院
咖啡馆|书店|酒吧|面包店|花店|餐厅
"""
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
    for table in (_CHINESE, _ENGLISH):
        for at, line in enumerate(table.strip().splitlines()):
            for number, names in enumerate(line.split("|")):
                for word in names.split("/"):
                    root = stem(word) if word.isascii() else word
                    out.setdefault(root, []).append(_Place(f"{line[:1]}{at}", (number,)))
    return {word: tuple(places) for word, places in out.items()}


def has_kind(word: str) -> bool:
    """Whether anything is known of a stem or a Chinese word."""
    return word in _table()


@lru_cache(maxsize=65536)
def rivals(one: str, two: str) -> bool:
    """Whether two stems (Chinese words as written) name different things of one kind, and neither is a sort of the other."""
    table = _table()
    mine, theirs = table.get(one), table.get(two)
    if mine is None or theirs is None or one == two or senses.closeness(one, two) >= senses.BY_BEGINNING:
        return False
    found = False
    for here in mine:
        for there in theirs:
            if here.kind == there.kind:
                if here.path[-1] in there.path or there.path[-1] in here.path:
                    return False
                found = True
    return found


__all__ = ["has_kind", "rivals"]
