"""Word tables for reading memories: closed classes, polarity, opposites and a small thesaurus.

Tables only. Everything is casefolded; ``thesaurus()`` and the like are built on first use, because most commands need none.
The thesaurus is small on purpose: it holds what people write about people (home, work, family, food, taste, health, plans), not
a language.
"""

from __future__ import annotations

from functools import cache


def words(text: str) -> list[str]:
    """The words of a table."""
    return text.split()


NEGATORS = frozenset(
    words(
        """
    not no never none nobody nothing neither nor without cannot nowhere non nicht kein keine keinen keinem keiner
    keines nie niemals ohne nichts niemand nunca jamás jamas sin tampoco ningún ninguno ninguna nadie pas jamais
    sans aucun aucune rien não nao nunca sem nem nenhum nenhuma ninguém non mai senza nessuno nessuna niente né
    tidak bukan belum jangan tanpa tak tiada takkan gak nggak enggak niet geen nooit zonder не нет никогда без ни
    никто ничего нельзя nie nigdy bez brak değil asla olmadan hiç inte aldrig utan ikke aldri uden ingen không
    chưa
    """
    )
)
"""Words that negate what follows (and, in some languages, what precedes). ``n't`` is split off its verb before."""

POSITIVE_LOOKALIKES = (
    "not only",
    "no matter",
    "no doubt",
    "not to mention",
    "no problem",
    "if not",
    "why not",
    "no wonder",
    "no more than",
    "not more than",
    "no longer than",
    "no later than",
    "not exceed",
    "no less than",
    "not less than",
    "no fewer than",
    "no charge",
    "no cost",
    "no fee",
)
"""Phrases that hold a negator and deny nothing."""

HARMLESS_DENIALS = (
    r"no(?:ne|body| one)? other than|none (?:of )?(?:other|but)|not (?:so |too |that |very |all that )?long (?:ago|before|after|since|afterwards?)"
    r"|not (?:so |too |that |very |all that )?far (?:from|off|away)|not a long time ago|not (?:just|merely|simply|solely)(?= [\w' ,-]{1,80}?\bbut\b)"
    r"|not to (?:say|speak of)|without (?:fail|exception|a? ?doubt|question|delay)|in no time|no end of|never ceases? to|second to none|no stranger to"
    r"|never[- ](?:ending|failing)|never (?:fails?|failed|tires?|tired) (?:to|of)|(?:never|(?:does not|doesn['’]t|do not|don['’]t) ever) (?:misse[sd]|miss|skips?) (?:an? |any |one )?(?:single )?(?:chance|opportunity)"
    r"|can(?:not| not|['’]t) (?:get|have) enough|can(?:not| not|['’]t) stop(?= \w+ing\b)|could(?: not|n['’]t) (?:be|have been) (?:happier|prouder|better|more)"
    r"|could(?: not|n['’]t) agree more|nothing short of|whether or not|no[- ]nonsense|not alone(?= in\b)|last but not least|not (?:a day|a week) goes by"
    r"|(?:does|do|did|would)(?: not|n['’]t) mind|(?:absolutely |really )?no objections?|nothing against"
)
"""The same as a regular expression, where one is needed: ``not long ago``, ``none other than``, ``cannot get enough``."""
CJK_HARMLESS_DENIALS = (
    r"赔(?:个|了|了个)?不是|[离距][^，。；,;不]{1,8}不远|不远(?:处|的地方)|不动声色|不声不响|不吭声|不停地?|不断地?|不由得|不约而同|二话不说|不请自来|说不定"
    r"|不相上下|不愧|恨不得|巴不得|不得不|不可或缺|离不开|少不了"
    r"|(?:不[要得能可许准宜应]|别|不可以|不应该?)(?=(?:超过|多于|低于|少于)[^，。；]{0,4}[\d一二两三四五六七八九十半])|(?<=[元块个只人天次年岁度克斤米里])不等(?=[，。；,;.]|\Z)"
    r"|不小心|(?<![见找看听等买想说得做办受碰遇感达赶])不到\Z|不(?:到(?=\d|[一二三四五六七八九十])|超过|晚于|早于|少于|低于|迟于|多于|高于|仅|但|过(?!敏|期)|只|同(?!意)|错|断|久|少|管(?=[^，。；]{0,12}[都也还怎多谁什哪是])|论|如(?!何)|客气|好意思)"
    r"|非常|非洲|无论|无线|别人|别墅|别的|特别|分别|区别|级别|性别|没事|没(?:什么|啥|多大|大)(?:问题|毛病|大?碍|影响)|没毛病|无大?碍|无恙|无虞|(?<![终直迟曾])未来|未婚[妻夫]|不知不觉"
    r"|差不多|不得已|忍不住|无比|非凡|对不起|了不起|不一会|动不动|要不|没关系|没有?问题|不成问题|无妨|识别|别名|告别|别致|免不了|不锈钢|无印良品|停车|停在|别处|别家|别国"
)
"""The same in Chinese: 不得不, 没问题, 别人."""

NEGATIVE_VERBS = frozenset(
    words(
        """
    dislike dislikes disliked disliking hate hates hated hating detest detests detested loathe loathes loathed
    despise despises avoid avoids avoided avoiding refuse refuses refused refusing stop stops stopped stopping
    quit quits quitting cease ceases ceased lack lacks lacked lacking deny denies denied fail fails failed unable
    reject rejects rejected decline declines declined hasst hasse vermeidet meidet aufgehört odia odio odiar evita
    evitar dejó déteste deteste détester évite arrêté odeia detesta evita parou odia detesta smesso benci membenci
    menghindari berhenti ненавидит избегает бросил
    """
    )
)
"""Verbs and adjectives that turn what follows into its contrary: ``avoids sugar``, ``stopped smoking``."""

SOFT_NEGATION = frozenset(
    words(
        """
    stop stops stopped stopping quit quits quitting refuse refuses refused decline declines declined fail fails failed reject rejects
    rejected cease ceased lack lacks lacking deny denied unable leave leaves left former formerly ex drop drops dropped resign resigned
    cancel cancelled canceled without free rather except instead allergic allergy intolerant intolerance against barely rarely seldom
    hardly until skip skips anymore ended abandon abandoned missing lost lapsed expired prevent prevents unless forget removed
    eliminated unaffected unrelated unlike outdated only too vegetarian vegan pescatarian teetotal teetotaler sober abstinent abstains
    owe owes owed owing debt unpaid pending forbidden banned prohibited limits laid divorced alone novice beginner afraid fear fears
    scared phobia trouble difficulty hard difficult struggles struggling exclusively solely just nothing none unavailable hates hated
    hate reluctant limited unsweetened blind deaf uncomfortable uneasy bother bothers bothered annoy annoys annoyed dislike dislikes disliked avoid
    avoids avoided avoiding over than nothing free less fewer few little broken defective faulty miss misses missed omit omits omitted omitting exclude excludes
    excluded excluding
    """
    )
)
"""Words that deny in passing (``quit``, ``without``, ``allergic``): another word may say the same without a denial."""

SOFT_PHRASES = (
    "can't stand", "cannot stand", "can’t stand", "gave up", "given up", "give up", "giving up", "turned down", "turn down", "rid of", "used to", "far from", "off limits", "cut out",
    "steer clear", "steers clear", "stay away", "stays away", "keeps away", "laid off", "let go of", "free of", "free from", "for free",
    "戒", "忌", "不沾", "只吃", "只喝", "只能", "只用", "只在", "只想", "只买", "仅", "素", "反感", "讨厌", "厌恶", "怕", "欠", "停止", "放弃", "过敏", "失眠", "畏惧", "取消", "避免", "拒绝", "不耐受", "远离",
)  # fmt: skip
DENYING = frozenset(
    words(
        """
    stop quit refuse decline fail reject cease lack deny leave drop avoid skip abandon anymore without unable former ex cancel resign
    hate dislike detest loathe give except unless instead rather
    """
    )
)
"""Those of them that say little more than the denial itself."""
CONTRAST = frozenset(
    words(
        "over than rather instead except unless unlike without but only too just nothing exclusively solely free less fewer few little"
    )
)
"""Soft denials that reach only what stands behind them: ``tea rather than coffee``."""

TURNABLE = (
    SOFT_NEGATION
    - CONTRAST
    - frozenset(
        words(
            """
    anymore missing outdated barely rarely seldom hardly until ended hard difficult trouble difficulty against forget forgotten limits
    limited lost busy
    """
        )
    )
)
"""Soft denials whose own denial turns the whole: ``is not allergic``."""

LIKING = frozenset(
    words(
        """
    like likes liked liking love loves loved loving enjoy enjoys enjoyed enjoying adore adores adored mag liebt
    liebe gerne gusta gustan encanta encantan ama aime aimer adore gosta adora piace piacciono ama suka menyukai
    любит нравится lubi kocha houdt
    """
    )
)

ARTICLES = frozenset(
    words(
        """
    a an the this that these those der die das ein eine einen einem einer den dem des el la los las un una unos
    unas le les une l o os as um uma il lo gli i
    """
    )
)

STOP = frozenset(
    words(
        """
    a an the this that these those of to in on at by for from with as and or but so than then into onto about over
    under up out off within upon via per while when where which who whom whose what why how if whether because since until
    during through between among against toward towards i me my mine myself you your yours he him his himself she
    her hers herself it its itself we us our they them their theirs themselves one ones someone something anyone
    anything everyone everybody everything somebody am is are was were be been being do does did doing done have
    has had having will would shall should can could may might must there here also too very really quite just
    only even still already yet again always often usually sometimes user users such other another same own both
    each all any some most more less much many few several lot lots get gets got getting make makes made making
    take takes took taking go goes went going give gives gave given put puts say says said saying tell tells told
    mention mentions mentioned state states stated report reports reported note noted notes currently now later
    once together well etc ie eg s t d ll re ve m der die das und oder in im am an auf mit von zu für bei ist sind
    war hat haben wird er sie es sein seine ihr ihre nutzer benutzer el la los las un una y o en de del al con por
    para es son está están su sus se que usuario le les un une et ou dans de du des au aux avec pour par est sont
    son sa ses il elle se que qui utilisateur o os as um uma e ou em no na nos nas do da dos das com por para é
    são seu sua se que usuário il lo gli una e o in di del della con per è sono suo sua si che utente yang dan di
    ke dari untuk dengan adalah ini itu pengguna
    """
    )
)
"""Words that carry no content of their own for coverage. The guard for near-duplicates uses the far smaller FILLER."""

FILLER = frozenset(
    words(
        "a an the user users of that which is are am be been being do does did please really very also so it its this there and"
    )
)
"""Words whose presence on one side alone never keeps two look-alikes apart."""

GIVEN_NAMES = frozenset(
    words(
        """
    ada adam ali ana ann anna annie beth billy bob britt carl colin curt dan dana dick dolores donna elke ella erin ernest fay hank hans harry ida ike inga ira
    james jane jem jimmy john josh jude kat kate ken kirk len lena leo leon lin liv louis luc luke mara marc maria mary matt mei mina
    nils nina omar paul pete pia polly raj rex rob ron rosa ruth sally sam sid sue ted tia tim tod tom tracy tyler vic victor wally
        """
    )
)
"""Given names that a dictionary has as words, too, which nobody means by them."""

RELATIONS = frozenset(
    words(
        """
    sister brother mother father mom mum dad son daughter wife husband partner girlfriend boyfriend fiancé fiancée
    fiance fiancee friend colleague coworker boss manager neighbour neighbor cousin aunt uncle niece nephew
    grandmother grandfather grandma grandpa roommate flatmate teacher mentor client doctor dentist therapist
    landlord parent parents child children kid kids twin stepmother stepfather dog cat
    """
    )
)
"""Words for people (and pets) around the user: whose fact it is depends on them."""

CJK_RELATIONS = words(
    """
    姐姐 妹妹 哥哥 弟弟 妈妈 母亲 爸爸 父亲 儿子 女儿 妻子 老婆 太太 丈夫 老公 男朋友 女朋友 男友 女友 朋友 同事 老板 上司 经理 邻居 表哥 表姐 表弟 表妹 堂哥 堂姐 堂弟 堂妹 爷爷 奶奶 外公
    外婆 叔叔 阿姨 舅舅 姑姑 室友 老师 导师 客户 医生 牙医 房东 孩子 同学 侄子 侄女 未婚妻 未婚夫
    """
)

ANTONYMS: tuple[tuple[str, str], ...] = tuple(
    (left, right)
    for line in [
        "before|after before|since earlier|later left|right increase|decrease increased|decreased increases|decreases",
        "    increasing|decreasing rise|fall rose|fell raise|lower raised|lowered grow|shrink more|less most|least morning|evening",
        "    morning|night morning|afternoon afternoon|evening day|night like|dislike likes|dislikes likes|hates like|hate loves|hates",
        "    love|hate enjoys|hates enjoys|dislikes always|never often|rarely often|never usually|never sometimes|never sometimes|always",
        "    frequently|rarely regularly|rarely open|closed open|shut opens|shuts opens|closes opened|closed opening|closing on|off in|out inside|outside",
        "    indoors|outdoors indoor|outdoor up|down upstairs|downstairs above|below over|under minimum|maximum min|max early|late earliest|latest",
        "    first|last hot|cold warm|cold warm|cool big|small large|small long|short tall|short high|low higher|lower highest|lowest",
        "    old|new old|young older|younger elder|younger fast|slow faster|slower cheap|expensive rich|poor strong|weak",
        "    light|dark light|heavy easy|hard easy|difficult good|bad better|worse best|worst happy|sad full|empty near|far",
        "    accept|reject accepted|rejected accepts|rejects accept|decline accepted|declined accepts|declines approved|rejected approved|denied",
        "    approve|deny granted|denied allow|forbid allowed|forbidden allows|forbids agree|disagree agrees|disagrees agreed|disagreed",
        "    buy|sell buys|sells bought|sold buying|selling lend|borrow lent|borrowed lends|borrows win|lose won|lost wins|loses",
        "    pass|fail passed|failed passes|fails start|stop starts|stops started|stopped begin|end begins|ends began|ended",
        "    join|leave joined|left joins|leaves arrive|depart arrives|departs arrived|departed enable|disable enabled|disabled enables|disables",
        "    add|remove added|removed adds|removes install|uninstall installed|uninstalled married|divorced married|single single|married",
        "    public|private internal|external active|inactive sync|async vegetarian|omnivore full-time|part-time employed|unemployed",
        "    north|south east|west northern|southern eastern|western male|female man|woman men|women boy|girl husband|wife mother|father",
        "    brother|sister son|daughter him|her he|she his|her king|queen uncle|aunt introvert|extrovert introverted|extroverted",
        "    with|without to|from import|export upload|download input|output read|write push|pull success|failure succeed|fail",
        "    succeeded|failed correct|incorrect true|false yes|no possible|impossible legal|illegal safe|unsafe healthy|unhealthy",
        "    vegan|meat sweet|savoury sweet|savory sober|drunk alone|together asleep|awake weekday|weekend weekdays|weekends",
        "    am|pm required|optional mandatory|optional temporary|permanent manual|automatic manually|automatically formal|informal formal|casual",
        "    concise|detailed short|detailed brief|detailed concise|verbose brief|verbose short|lengthy concise|lengthy likely|unlikely",
        "    able|unable capable|incapable aware|unaware comfortable|uncomfortable satisfied|dissatisfied liked|disliked like|hates",
        "    gained|lost gain|lose gains|loses upgrade|downgrade upgraded|downgraded promoted|demoted hired|fired include|exclude",
        "    included|excluded includes|excludes girlfriend|boyfriend grandmother|grandfather grandma|grandpa niece|nephew mom|dad parents|grandparents recovered|relapsed alive|dead born|died wet|dry standing|sitting",
    ]
    for left, right in (pair.split("|") for pair in line.split())
)

CJK_ANTONYMS: tuple[tuple[str, str], ...] = tuple(
    (pair.split("|")[0], pair.split("|")[1])
    for pair in words(
        """
    之前|之后 以前|以后 早上|晚上 上午|下午 上午|晚上 早上|下午 白天|晚上 增加|减少 上升|下降 提高|降低 左|右 喜欢|讨厌 爱|恨 总是|从不 经常|很少 打开|关闭 开始|结束 开始|停止 接受|拒绝
    同意|反对 批准|拒绝 通过|失败 买|卖 已婚|未婚 已婚|离婚 结婚|离婚 男|女 哥哥|弟弟 姐姐|妹妹 哥哥|姐姐 弟弟|妹妹 父亲|母亲 爸爸|妈妈 儿子|女儿 丈夫|妻子 老公|老婆 大|小
    多|少 高|低 长|短 新|旧 快|慢 冷|热 最大|最小 最多|最少 早|晚 里面|外面 室内|室外 上面|下面 以上|以下 超过|低于 内向|外向 全职|兼职 公开|私人 简洁|详细 简短|详细 北|南 东|西
    升职|降职 录取|拒绝 安装|卸载 启用|禁用
    """
    )
)

_GROUPS = """
live reside dwell inhabit home based|住 居住 定居 家住 住在
move relocate|搬到 搬家 搬去 迁居 搬
work hire hired job employed employer employ employment profession occupation career|工作 上班 任职 就职 供职 当 做 职业 担任
name call known|叫 名叫 名字 名为 姓名
like love enjoy adore fond fan keen into favor favour passionate pleasure|喜欢 爱 热爱 喜爱 爱好 钟爱
prefer preference rather|偏好 更喜欢 偏爱 倾向
favorite favourite top|最喜欢 最爱
want wish hope desire intend aim would-like like plan|想 希望 想要 打算 愿意 计划
plan planning schedule arrange intend|计划 打算 规划 安排 准备
need require must|需要 必须
own have possess has keep|有 拥有 养
buy purchase acquire bought|买 购买 买了
pay cost spend salary wage|支付 花费 付 交 月薪 工资 薪水 薪资
rent lease|租 租金 房租
learn study studying learning|学 学习
teach instruct coach|教 教授
speak talk fluent conversation chat discuss|说 讲 会说 谈
write author wrote written|写 写作
read reader reading|读 阅读 看书 看
run jog running jogging|跑 跑步
walk stroll hike hiking trek|散步 徒步
travel trip journey visit tour go|旅行 旅游 出差 去 前往
begin start commence launch onset|开始 起
finish complete end conclude wrap completed|完成 结束
get receive obtain|得到 收到 获得
give gift present donate|送 给
marry wed wife husband married spouse|结婚 已婚 妻子 丈夫 配偶
child kid children|孩子
mother mom mum mama|妈妈 母亲
father dad papa daddy|爸爸 父亲
colleague coworker co-worker workmate teammate|同事
boss manager supervisor superior|老板 上司 经理
friend buddy pal mate|朋友
flat apartment condo|公寓
house home place|房子 家 家住
car automobile vehicle|车 汽车
bike bicycle cycle cycling|自行车 单车 骑车
picture photo photograph image|照片 图片
movie film cinema|电影
book novel|书 小说
song track music|歌 音乐
game match play|比赛 游戏
dog puppy retriever hound|狗 小狗
cat kitten|猫
illness disease sick condition|病 疾病
doctor physician|医生
medicine medication drug pill|药 药物
allergic allergy allergen|过敏
vegetarian|素食 吃素 素食者 素食主义者
often frequently usually regularly|经常 常常 时常 通常 常
nurse|护士
weekend|周末 每周末 每个周末
break split separate separated breakup|分手
save saving|存 存钱 储蓄
increase grow rise raise boost gain build|增加 提高
tell encourage urge advise|鼓励
quiet silent|安静
happy glad delighted pleased joyful thrilled excite excited|高兴 开心
sad unhappy upset|难过 伤心
angry mad annoyed irritated annoy irritate|生气 恼火
tired exhausted fatigued weary|累 疲惫
afraid scared frightened fear|害怕 怕
important essential crucial key vital significant|重要
help assist aid support|帮助 支持
think believe feel opinion consider view|认为 觉得 考虑
answer reply response respond|回答 答复 回复
ask request inquire enquire question query|问 询问 要求
short brief concise succinct terse|简短 简洁
detail detailed thorough depth|详细
big large huge great|大
small little tiny|小
fast quick rapid swift|快
city town|城市
country nation|国家
company firm business employer|公司
meet met encounter meeting|见 见面 认识 遇到
celebrate celebration party|庆祝
birthday born birth|生日 出生
degree diploma graduate graduated|毕业 学位
university college|大学
school academy|学校
money cash fund fund|钱
food meal dish cuisine eat dine|食物 菜 吃
drink beverage|喝 饮料
dinner supper|晚饭 晚餐
breakfast|早饭 早餐
lunch|午饭 午餐
project initiative|项目
task todo assignment|任务
deadline due|截止 期限
goal target objective aim aspire|目标
hobby pastime interest interested leisure|爱好 兴趣
email e-mail mail|邮件 邮箱 电子邮件
phone telephone mobile cell call|电话 手机 打电话
number|号码
address|地址
contact reach|联系
use utilize utilise employ using|用 使用 采用
choose pick select opt|选择 选
change switch replace swap migrate shift|换 改 切换 改成 换成
fix repair resolve mend|修复 修
build construct create make develop develope produce|建 做 开发 创建
show display demonstrate|显示 展示
try attempt|尝试 试
promote promotion advance|升职 晋升
quit resign leave left|辞职 离开
join enroll enrol enter signup register participate|加入 参加
win victory won award|赢 获奖
lose lost|丢 输
injure injury hurt wound|受伤
sleep slept asleep|睡 睡觉
weight weigh|体重 重
height tall|身高 高
age old year-old aged|岁 年龄
weekly week|每周 每个星期 每星期
daily day everyday|每天 一天
monthly month|每月 每个月
yearly annual annually year|每年 年
currently now present|现在 目前
former previous previously past ago earlier before used-to|以前 之前 曾经
near close nearby|附近
together with|一起
attend participate went join|参加 出席
candidate campaign run|竞选
open launch start found establish|开 创办
turn-down reject decline refuse|拒绝
fail|失败
busy occupied|忙
husband spouse wife married|丈夫
reduce lower decrease cut|减少
observe see watch notice view|看 观看
opinion think believe thought belief faith trust|认为
success successful succeed|成功
direct director head lead leader manage|负责
citizen citizenship national|公民
capital|首都
language speak spoken|语言
reside resident residence live lived|居住
anxious worried concerned concern worry nervous|担心 焦虑
allow let enable|让
fun enjoyable entertaining|有趣
chat talk speak converse|聊天
route way path|路线
remain stay keep continue|保持
abroad overseas foreign|国外
kids children child youngster|孩子
teenager teen adolescent youth young|青少年
beverage drink|饮料
physician doctor gp|医生
advice advise recommend suggest recommendation suggestion|建议
strong strength power|强
income salary pay wage earn|收入
feedback comment review|反馈
group team club|团队 小组
event gathering get-together party meeting|活动
create creation made|创建
headquarter headquartered hq seat|总部
associate affiliated affiliate connected linked|关联
play player playing|玩 弹 踢
perform performance|表演
musician music|音乐家
artist art|艺术
visit go see|参观
proud pride|骄傲
share post|分享
missing lack without|缺
habit routine|习惯
locate located lie situated|位于
share tell talk|分享
inspire motivate motivation inspiration encourage|启发 鼓励
grateful thankful appreciate thanks|感激 感谢
improve enhance better|改善 提高
difficult hard tough challenging challenge|难 困难
easy simple straightforward|容易 简单
relax unwind destress de-stress|放松
beautiful pretty gorgeous lovely|美 漂亮
volunteer volunteering|志愿
community neighborhood neighbourhood|社区
paint painting|画 绘画
cook cooking prepare|做饭 烹饪
garden gardening|园艺
swim swimming|游泳
owner own charge responsible|负责 负责人
deputy|副
travelling traveling travel|
vacation holiday|假期 休假
remember recall remind|记得 记住 提醒
forget delete remove erase|忘记 删除
instrument|乐器
amateur|业余
approve accept grant|批准 通过 接受
offer proposal|录用
twice two|两次
severe serious|严重
dating date relationship seeing together|约会 交往
developer engineer programmer|工程师 程序员
vehicle car|
shop store boutique|商店 店
customer client|客户
sell sale|卖 销售
adopt adoption|领养 收养
roommate flatmate housemate|室友
neighbour neighbor|邻居
colour color|颜色
organise organize|组织
programme program|程序
theatre theater|剧院
centre center|中心
grey gray|灰
tyre tire|
realise realize|意识到
analyse analyze|分析
practise practice train training exercise workout|练习 锻炼 训练
gym fitness|健身房 健身
diet eating|饮食
headache migraine|头痛 偏头痛
diagnose diagnosis|诊断
surgery operation|手术
pregnant expecting pregnancy|怀孕
""".strip()


@cache
def thesaurus() -> tuple[dict[str, str], dict[str, str]]:
    """Stem of an alphabetic word to the first word of its group, and CJK word to the same (longest first in use)."""
    from memopt.facts.words import stem

    latin: dict[str, str] = {}
    cjk: dict[str, str] = {}
    for line in _GROUPS.splitlines():
        words, _, chars = line.partition("|")
        members = words.split()
        head = stem(members[0])
        for word in members:
            latin.setdefault(stem(word), head)
        for word in chars.split():
            cjk.setdefault(word, head)
    return latin, cjk


@cache
def related() -> dict[str, frozenset[str]]:
    """Stem to the heads of all groups it stands in; a word may stand in several (``date``, ``support``)."""
    from memopt.facts.words import stem

    out: dict[str, set[str]] = {}
    for line in _GROUPS.splitlines():
        words, _, chars = line.partition("|")
        members = words.split()
        head = "=" + stem(members[0])
        for word in [stem(w) for w in members] + chars.split():
            out.setdefault(word, set()).add(head)
    return {word: frozenset(heads) for word, heads in out.items()}


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Word (as written, folded) to the words that contradict it."""
    out: dict[str, set[str]] = {}
    for left, right in (*ANTONYMS, *CJK_ANTONYMS):
        out.setdefault(left, set()).add(right)
        out.setdefault(right, set()).add(left)
    return {word: frozenset(others) for word, others in out.items()}


IRREGULAR = dict(
    pair.split("=")
    for pair in words(
        """
    ran=run went=go gone=go bought=buy taught=teach spoke=speak spoken=speak wrote=write written=write met=meet
    began=begin begun=begin gave=give given=give took=take taken=take made=make came=come knew=know known=know
    thought=think felt=feel found=find left=leave lost=lose won=win sold=sell sent=send spent=spend paid=pay
    kept=keep slept=sleep ate=eat eaten=eat drank=drink drunk=drink drove=drive driven=drive rode=ride ridden=ride
    swam=swim swum=swim sang=sing sung=sing grew=grow grown=grow fell=fall fallen=fall broke=break broken=break
    chose=choose chosen=choose wore=wear worn=wear built=build lent=lend held=hold led=lead read=read heard=hear
    saw=see seen=see understood=understand stood=stand told=tell said=say got=get gotten=get became=become
    had=have has=have children=child men=man women=woman people=person feet=foot teeth=tooth mice=mouse wives=wife
    lives=live knives=knife leaves=leave has=have does=do did=do done=do was=be were=be is=be are=be been=be
    being=be better=good best=good worse=bad worst=bad died=die dying=die lying=lie tried=try studied=study
    married=marry carried=carry flew=fly flown=fly threw=throw thrown=throw woke=wake woken=wake caught=catch
    brought=bring fought=fight hurt=hurt cut=cut put=put quit=quit shot=shoot stuck=stick swore=swear tore=tear
    drew=draw drawn=draw hid=hide hidden=hide forgot=forget forgotten=forget shook=shake rose=rise risen=rise
    sister=sister brother=brother news=news always=always species=species series=series this=this his=his its=its
    us=us bus=bus gas=gas allergies=allergy allergic=allergy christmas=christmas texas=texas paris=paris
    planning=plan planned=plan preferred=prefer preferring=prefer running=run swimming=swim dating=date dated=date
    using=use used=use moving=move moved=move laid=lay ads=ad ids=id tvs=tv pcs=pc cds=cd paid=pay fed=feed bred=breed shed=shed spread=spread dealt=deal meant=mean
    arisen=arise arose=arise awoke=awake awoken=awake borne=bear beaten=beat bent=bend bitten=bite blew=blow blown=blow burnt=burn clung=cling crept=creep
    dug=dig dreamt=dream fled=flee flung=fling forbade=forbid forbidden=forbid forgave=forgive forgiven=forgive froze=freeze frozen=freeze hung=hang
    knelt=kneel leant=lean learnt=learn lain=lie lit=light mistook=mistake mistaken=mistake overcame=overcome rang=ring rung=ring sought=seek sewn=sew
    shaken=shake shone=shine shown=show shrank=shrink shrunk=shrink sank=sink sunk=sink sat=sit sown=sow spelt=spell spilt=spill spun=spin spoilt=spoil
    sprang=spring sprung=spring stole=steal stolen=steal stung=sting stank=stink struck=strike stricken=strike strove=strive striven=strive sworn=swear
    swept=sweep swollen=swell swung=swing torn=tear undertook=undertake wove=weave woven=weave wept=weep withdrew=withdraw withdrawn=withdraw
    overtook=overtake overtaken=overtake outgrew=outgrow outgrown=outgrow rebuilt=rebuild repaid=repay retold=retell rewrote=rewrite rewritten=rewrite
    underwent=undergo undergone=undergo unwound=unwind upheld=uphold foresaw=foresee mown=mow proven=prove sawn=saw shorn=shear shaven=shave strewn=strew
    throve=thrive trodden=tread slain=slay strode=stride wrung=wring pled=plead snuck=sneak leapt=leap smelt=smell dwelt=dwell babysat=babysit
    overslept=oversleep overrode=override overridden=override outran=outrun overate=overeat misled=mislead misunderstood=misunderstand resold=resell
    rethought=rethink retook=retake retaken=retake redid=redo redone=redo undid=undo undone=undo withheld=withhold withstood=withstand overheard=overhear
    oversaw=oversee overseen=oversee
    travelled=travel travelling=travel cancelled=cancel cancelling=cancel modelled=model modelling=model labelled=label labelling=label controlled=control
    controlling=control signalled=signal levelled=level fuelled=fuel quarrelled=quarrel counselled=counsel counselling=counsel marvelled=marvel
    totalled=total expelled=expel rebelled=rebel propelled=propel patrolled=patrol patrolling=patrol excelled=excel unravelled=unravel dialled=dial
    pedalled=pedal pedalling=pedal compelled=compel kidnapped=kidnap worshipped=worship biased=bias focussed=focus
    chilies=chili chillies=chilli geese=goose loaves=loaf shelves=shelf halves=half wolves=wolf calves=calf thieves=thief scarves=scarf hooves=hoof elves=elf oxen=ox cacti=cactus
    crises=crisis theses=thesis diagnoses=diagnosis analyses=analysis criteria=criterion quizzes=quiz tying=tie
    """
    )
)
