"""Whether a noun of a Chinese sentence stands where a sentence that tells the same has another one: 房贷, 车贷; *喝一杯温水*, *喝一杯咖啡*.

Chinese says by the last character of a noun what sort of thing it names. So two nouns that end alike and begin otherwise are two things of
one sort, and of nouns that end otherwise each must stand beside the same word. Neither may be told anywhere else, nor any word for it, nor
the characters that tell it apart: a paraphrase has nouns of its own, and most of them share a character with what they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from memopt.facts import kinds, senses
from memopt.facts.cut_zh import HEADS, cut, is_noun
from memopt.facts.items import CURRENCIES, UNITS
from memopt.facts.words import tokens
from memopt.verify.lines import COMMON_CHARS, weigh

_IDLE = frozenset(
    "的了着过是在有一两几这那个位名只条台辆件张套支把本份间座部块瓶杯盒双对头匹棵朵株颗粒片种些点也都又还就才很被给"
)
_TAILS = frozenset(
    "片馆店师员病症课书剧茶酒车机室厅费节证卡柜站舍班队社厂局院校园菜汤面饭肉奶糖桶轮椅毯器仪灯锅壶箱架铺摊林田膏丸布鞋帽裤裙"
)
"""Single characters that say of what stands before them what sort of thing it is."""
_PARADIGMS = tuple(
    map(
        frozenset,
        "东南西北 左右 大中小 高低 早午晚 春夏秋冬 男女 甲乙丙丁 红黄蓝绿黑白紫灰粉橙 公母雌雄 爷奶 爸妈 哥弟 姐妹 日周月季年 生熟 冷热温凉 长短 新旧 正副 主副"
        " 软硬 咸甜酸辣苦淡 金银铜 粗细 深浅 轻重 快慢 胖瘦 单双 增减 升降 涨跌 松紧 干湿 文理 阴阳 初高".split(),
    )
)
"""Characters of which one stands in the place of another: 南门, 北门; 年底, 月底."""
_MEASURES = frozenset("杯碗瓶盘双条件套台辆棵束份盒罐包袋场顿部首幅把张块副架匹头颗盆")
"""Measure words that say what sort of thing is counted."""
_LONGEST = 400


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[tuple[str, int, int], ...]:
    """The Chinese words of a text with their places; what is no Chinese word stands as "|"."""
    out: list[tuple[str, int, int]] = []
    for token in tokens(text):
        if token.kind == "cjk":
            for left, right in cut(token.text):
                word = token.text[left:right]
                if word in HEADS and left and out[-1][2] == token.start + left and _leads(out[-1][0], word):
                    out[-1] = (out[-1][0] + word, out[-1][1], token.start + right)  # 爱情|片, 喝|茶
                else:
                    out.append((word, token.start + left, token.start + right))
        else:
            out.append(("|" if token.kind == "mark" else token.text, token.start, token.end))
    return tuple(out)


def _leads(word: str, head: str) -> bool:
    """Whether a word says which thing the character right behind it names."""
    if word in _SILENT or head in _ALSO_VERBS:
        return word not in _SILENT and len(word) == 2 and head in _TAILS and is_noun(word)
    if len(word) == 1:
        return word not in _LOOSE and "\u4e00" <= word <= "\u9fff"
    return len(word) == 2 and (is_noun(word) or (head in _TAILS and word[-1] not in _LOOSE and weigh(word) >= _LEAST))


_LOOSE = _IDLE | set("和与跟对把为是会能要上下到去不没从以将而里中前后时所用来让叫每最更太想则却倒便仅才刚已正再又")
"""Characters that belong to no word behind them."""
_ALSO_VERBS = frozenset("被症病炎癌疹疮管报画操锁刷梳塞印锯锤版面手友色费课班罩箭罐钉带")


@lru_cache(maxsize=16384)
def _is_noun(word: str) -> bool:
    if not 2 <= len(word) <= 4 or not "\u4e00" <= word[0] <= "\u9fff" or weigh(word) < _LEAST:
        return False
    if word in UNITS or word in CURRENCIES:
        return False  # 摄氏度 counts
    return word not in _NEVER and (
        ((len(word) > 2 or word[0] not in _DOES) and (word[-1] in HEADS or is_noun(word)))
        or word in _NOUNS
        or kinds.has_kind(word)
    )


_NOUNS = frozenset(
    "雅思 托福 邻居 教练 健身 海鲜 吉他 越剧 编辑 导游 领导 会计 翻译 主播 编剧 导演 裁缝 助理 经理 怀表 护工 电工 木工 技工 焊工 瓦工 义工 社工 保姆 月嫂 保安 门卫 前台 客服 文员 骑手 司仪 伴娘 伴郎 模特 唱片 骨折 中风 视频 照片 日记 游记 菜谱 攻略".split()
)
"""Nouns that the list takes for something else."""
_DOES = frozenset(
    "打开唱喝看读写上下请退还付交收发放买卖坐骑乘吃做炒烤煮摆出入进住带穿戴弹拉吹跳学教养种遛喂免自过游跑爬修换租借送寄搬去回问答说讲谈想记"
)
"""First characters of words that end in what is done something to: 摆摊, 打球."""
_NEVER = frozenset(
    "开车 驾照 义务 方向 岗位 情况 时候 时间 方面 地方 东西 问题 事情 原因 结果 目的 方式 方法 过程 状态 程度 内容 部分 样子 感觉 计划 打算 目标 习惯 爱好 兴趣 工作 职业 职位"
    " 生活 日常 早上 晚上 上午 下午 中午 清晨 傍晚 周末 平时 平日 目前 最近 今年 去年 明年 年底 月底 每天 每周 名字 用户 本人 自己 家里 期间 之前 之后"
    " 价格 价钱 费用 花费 票价 总价 单价 租金 报价 开价 售价 面积 总额 比例 前提 主张 数量 总数 地点 位置 日期 时段 水平 能力 经验 经历 关系 身份 角色 任务 活动 作品 产品 服务 系统 电脑 设备 托管 滴酒 滴酒 消息 信息 资料 数据 公里 小时"
    " 地址 代码 网址 编号 电话 号码 上面 下面 里面 外面 前面 后面 旁边 中间 左边 右边 私人 个人 公共 功能 特性 特点 版本 类型 种类 品牌 名称"
    " 父母 双亲 家长 父子 母女 母子 父女 分钟 平方 平米 公斤 厘米 一次 两次 次数 家人 家庭 夫妻 全家 朋友 孩子 老人 人员 成员 人士 对方 双方".split()
)
"""Nouns that say little, and stand for many."""


_LEAST = 0.5


def _beside(row: Sequence[tuple[str, int, int]], at: int, step: int) -> str:
    """The next word that says something in one direction; "" at a mark."""
    at += step
    while 0 <= at < len(row) and all(char in _IDLE for char in row[at][0]):
        at += step
    return row[at][0] if 0 <= at < len(row) and row[at][0] != "|" else ""


def _meets(one: str, two: str) -> bool:
    if not one or not two:
        return False
    return one == two or senses.closeness(one, two) > 0 or (one[-1] == two[-1] and (one in two or two in one))


def _apart(one: str, two: str, text: str, other: str) -> bool:
    """Whether nothing of what tells a noun apart is told in the sentence of the other, nor a word for it."""
    mine = [char for char in one if char not in two and char not in COMMON_CHARS]
    theirs = [char for char in two if char not in one and char not in COMMON_CHARS]
    if (
        not mine
        or not theirs
        or any(char in two[-1:] for char in one[:-1])
        or any(char in one[-1:] for char in two[:-1])
        or any(char in other for char in mine)
        or any(char in text for char in theirs)
    ):
        return False
    return not any(senses.closeness(char, rival) > 0 for char in mine for rival in theirs)


def instead_in_chinese(
    text: str, other: str, told_there: Callable[[str], bool], told_here: Callable[[str], bool]
) -> tuple[int, int, str, str] | None:
    """Whether a text has a noun in the place of one of another: its offsets, the noun and the other.

    Args:
        told_there: whether a word, or one for it, is told anywhere on the side of the second text.
        told_here: the same of the side of the first.
    """
    if max(len(text), len(other)) > _LONGEST:
        return None
    mine, theirs = _words(text), _words(other)
    for word, start, end in mine:
        if 2 <= len(word) <= 3 and word not in other:
            for rival, _, _ in theirs:
                alike = len(rival) == len(word) and rival not in text and _of_one_row(word, rival)
                if alike and not told_there(word) and not told_here(rival):
                    return start, end, word, rival
    new = [at for at, (word, _, _) in enumerate(mine) if _is_noun(word) and word not in other and not told_there(word)]
    gone = (
        [at for at, (word, _, _) in enumerate(theirs) if _is_noun(word) and word not in text and not told_here(word)]
        if new
        else []
    )
    left, rest = _left_over(mine, other), _left_over(theirs, text)
    for at in new:
        word, start, end = mine[at]
        for place in gone:
            rival = theirs[place][0]
            if senses.closeness(word, rival) > 0 or kinds.are_one(word, rival) or not _apart(word, rival, left, rest):
                continue
            measured = at and place and mine[at - 1][0] == theirs[place - 1][0] and mine[at - 1][0][-1] in _MEASURES
            alike = word[-1] == rival[-1] and word[-1] in HEADS
            beside = _meets(_beside(mine, at, 1), _beside(theirs, place, 1)) or _meets(
                _beside(mine, at, -1), _beside(theirs, place, -1)
            )
            if (
                alike
                or beside
                or measured
                or _only_ones(mine, at, new, theirs, place, gone)
                or (_is_concrete(word) and _is_concrete(rival) and _share_a_word(mine, at, theirs, place))
            ):
                return start, end, word, rival
    return _of_another_sort(mine, theirs, (left, rest), told_there, told_here)


def _of_another_sort(
    mine: Sequence[tuple[str, int, int]],
    theirs: Sequence[tuple[str, int, int]],
    over: tuple[str, str],
    told_there: Callable[[str], bool],
    told_here: Callable[[str], bool],
) -> tuple[int, int, str, str] | None:
    """Whether another word says which sort of thing the same general noun names: *预约小程序*, *点餐小程序*.

    Args:
        over: what is left over of both texts. No character of either word may be among that of the other one.
    """
    sorts = _sorts_of(theirs)
    for head, at in _sorts_of(mine).items() if sorts else ():
        (word, start, end), rival = mine[at], theirs[sorts[head]][0] if head in sorts else ""
        if (
            rival
            and word != rival
            and not any(char in over[1].replace(rival, "") or char in rival for char in word)
            and not any(char in over[0].replace(word, "") for char in rival)
            and not told_there(word)
            and not told_here(rival)
            and not senses.closeness(word, rival)
        ):
            return start, end, word, rival
    return None


def _sorts_of(row: Sequence[tuple[str, int, int]]) -> dict[str, int]:
    """The general nouns that have a word of two characters right before them, each with the place of that word."""
    out = {}
    for at in range(1, len(row)):
        before = at - 2 if row[at - 1][0] == "小" and at > 1 else at - 1  # 点餐|小|程序
        word, _, end = row[before]
        if (
            row[at][0] in _GENERAL
            and end == row[before + 1][1]
            and len(word) == 2
            and word not in _NEVER | _HOW
            and word[0] not in _COUNTS
        ):
            out[row[at][0]] = before
    return out


_GENERAL = frozenset(
    "脚本 程序 小程序 软件 应用 工具 插件 系统 平台 公司 企业 学校 学院 专业 课程 培训 讲座 工厂 机器人 模型 邮箱 账号 账户 部门 中心 项目 论文 报告 手册 老师 教练"
    " 医生 师傅 工程师 设计师 经理 专家 顾问 杂志 节目 频道 比赛 大赛 社团 协会 俱乐部 手术 检查 治疗 保险 贷款 基金 基因 博物馆 餐厅 商店 市场 行业 生意 业务 服务 设备 用品"
    " 材料 机器 仪器 眼镜 手杖 手表 手套 衣服 鞋子 帽子 家具 玩具 游戏 电影 小说 音乐 舞蹈 画展 考试 证书 执照 竞赛 训练 实验 研究 志愿者 工人 员工 司机 警察 法律 银行 医院 病房 车间".split()
)
"""Nouns of which the word before them says which sort is meant."""
_COUNTS = frozenset("一二两三四五六七八九十几多每各某这那上下本该此首第几数")
_HOW = frozenset(
    "所在 整个 全部 主要 重要 相关 有关 现有 原有 目前 现在 以前 之前 新的 旧的 一些 许多 很多 各种 不同 其他 其它 另外 这个 那个 某个 一个 一家 一款 两款 三个 几个 大型 小型 知名 著名 普通 专门 常用 喜欢 使用 参加 通过 准备 负责 开发 编写 制作 设计 购买 经营 从事 接受 完成 提供 进行 学习 打算 希望 需要 觉得 认为 发现 查出 改用 换成 安装 管理 运营 创办 成立 加入 离开 收到 拥有 属于 担任 位于".split()
)
"""Words before a noun that do not say which sort of thing it is."""


def _is_concrete(word: str) -> bool:
    """Whether a noun names what can be seen or somebody: its last character, or the list of kinds, says so."""
    return (word[-1] in HEADS and word[-1] not in _ALSO_VERBS) or word[-1] in _PLACES or kinds.has_kind(word)


_PLACES = frozenset("林行园田地洞池塘沟坡岸")
"""Further last characters of places."""


def _share_a_word(mine: Sequence[tuple[str, int, int]], at: int, theirs: Sequence[tuple[str, int, int]], place: int) -> bool:
    """Whether the clauses around two words have a telling word in common."""
    left, right = _clause(mine, at)
    first, last = _clause(theirs, place)
    there = {word for word, _, _ in theirs[first:last] if _tells(word)}
    return any(
        word in there or any(senses.closeness(word, other) > 0 for other in there)
        for word, _, _ in mine[left:right]
        if _tells(word)
    )


def _left_over(row: Sequence[tuple[str, int, int]], other: str) -> str:
    """What a text says in words that another one does not have: in the same words nothing is told otherwise."""
    return "".join(word for word, _, _ in row if len(word) == 1 or word not in other)


def _of_one_row(one: str, two: str) -> bool:
    """Whether two words are the same but for one character, which stands in the place of another of its row."""
    differ = [(left, right) for left, right in zip(one, two, strict=True) if left != right]
    return len(differ) == 1 and any(differ[0][0] in row and differ[0][1] in row for row in _PARADIGMS)


def _clause(row: Sequence[tuple[str, int, int]], at: int) -> tuple[int, int]:
    """The words between two marks around one, as (first, behind the last)."""
    left, right = at, at + 1
    while left and row[left - 1][0] != "|":
        left -= 1
    while right < len(row) and row[right][0] != "|":
        right += 1
    return left, right


def _only_ones(
    mine: Sequence[tuple[str, int, int]],
    at: int,
    new: Sequence[int],
    theirs: Sequence[tuple[str, int, int]],
    place: int,
    gone: Sequence[int],
) -> bool:
    """Whether two clauses tell the same but for a single noun in each."""
    left, right = _clause(mine, at)
    first, last = _clause(theirs, place)
    if sum(left <= one < right for one in new) != 1 or sum(first <= one < last for one in gone) != 1:
        return False
    here = {word for word, _, _ in mine[left:right] if word != mine[at][0] and word not in _SILENT}
    there = {word for word, _, _ in theirs[first:last] if word != theirs[place][0] and word not in _SILENT}
    telling = [word for word in here if _tells(word)]
    met = [
        word for word in telling if word in there or any(senses.closeness(word, other) > 0 for other in there if _tells(other))
    ]
    return bool(met) and len(met) >= _MOST_MET * len(telling)


def _tells(word: str) -> bool:
    return word[0].isdigit() or (len(word) > 1 and weigh(word) >= _LEAST) or word[0].isascii()


_SILENT = _IDLE | {
    "用户",
    "他",
    "她",
    "它",
    "和",
    "与",
    "跟",
    "对",
    "把",
    "为",
    "是",
    "有",
    "会",
    "能",
    "要",
    "上",
    "到",
    "去",
    "不",
    "没",
    "从",
    "以",
    "将",
    "而",
}
_MOST_MET = 0.5


__all__ = ["instead_in_chinese"]
