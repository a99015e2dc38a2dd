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
岳父/丈人/老丈人|公公|舅舅/舅父|叔叔/叔父|伯伯/伯父/大伯|姑父/姑丈|姨父|父亲/爸爸|爷爷/祖父|外公/姥爷|哥哥|弟弟|姐夫|妹夫|表哥|表弟|堂哥|堂弟|孙子|外孙|侄子|外甥|女婿|丈夫/老公|男友/男朋友
岳母/丈母娘|婆婆|舅妈|婶婶|姑姑/姑妈|姨妈/小姨/大姨|母亲/妈妈|奶奶|外婆/姥姥|姐姐|妹妹|嫂子|弟媳|表姐|表妹|堂姐|堂妹|孙女|外孙女|侄女|外甥女|儿媳|妻子/老婆/太太|女友/女朋友
高铁/动车|飞机|自驾/开车/驾车|地铁|公交/公交车/巴士|自行车/单车/骑车|打车/出租车/网约车|步行/走路|轮船/轮渡|大巴/长途车|摩托车/摩托|电动车/电瓶车
荷花/莲花|牡丹|菊花|梅花|兰花|竹子|玫瑰|百合|郁金香|向日葵|樱花|桂花|茉莉|月季|绣球花|仙人掌
半马/半程/半程马拉松|全马/全程/全程马拉松
电信/中国电信|联通/中国联通|中国移动
书房|儿童房|衣帽间|影音室|储物间/储藏室|茶室|琴房|游戏室|客房
火锅|烧烤|麻辣烫|寿司|拉面|披萨|汉堡|沙拉|牛排|馄饨|米线|螺蛳粉|小龙虾|烤鸭|炸鸡
香菜|芹菜|苦瓜|茄子|番茄/西红柿|胡萝卜|洋葱|大蒜|韭菜|青椒|土豆/马铃薯|豆腐|木耳|蘑菇|菠菜|白菜|西兰花
古典音乐|爵士乐/爵士|摇滚|民谣|说唱/嘻哈|电子乐
听力|视力|嗅觉|味觉
感冒|发烧|咳嗽|牙痛/牙疼|失眠|胃炎|鼻炎|咽炎|肺炎|皮炎|湿疹|荨麻疹|颈椎病|贫血|甲亢|甲减|抑郁症|焦虑症|近视|远视|散光|白内障|青光眼
青霉素|头孢|阿司匹林|布洛芬|二甲双胍|胰岛素
内科|外科|儿科|骨科|妇科|眼科|牙科/口腔科|皮肤科|精神科|急诊科|麻醉科|放射科|神经科|心内科
计算机|金融|会计学|法学/法律|医学|新闻学|材料科学|土木工程|建筑学|心理学|经济学|哲学|社会学|化学|物理
象棋|围棋|国际象棋|五子棋|军棋|麻将|扑克|桥牌
芭蕾|街舞|广场舞|拉丁舞|民族舞|爵士舞|交谊舞|古典舞
跆拳道|柔道|散打|空手道|击剑|拳击|太极
木工|编织|缝纫|插花|烘焙|陶艺|书法
律所/律师事务所|会计师事务所|出版社|报社|电视台|工厂|保险公司|证券公司|旅行社|设计院|研究所|航空公司|医院|银行
飞行员|空姐/空乘|主播|编辑|编剧|导演|演员|歌手|药剂师|兽医|牙医|心理咨询师|导游|公务员|军人|农民|木匠|裁缝|护士|律师|会计|厨师
长发|短发|卷发|寸头
裙子|裤子|衬衫|外套|帽子|围巾|手套|袜子
日报|周报|月报|季报|年报
日薪|周薪|月薪|年薪|时薪
早会|晨会|晚会|周会|月会
早班|中班|晚班/夜班
月租|年租|日租
注会/注册会计师|司法考试/法考|公务员考试/公考|教师资格证/教资|驾照|雅思|托福|四级|六级|考研|日语能力考试
滑雪|滑冰/溜冰|冲浪|潜水|划船|滑板|跳伞|蹦极|射箭|骑马|钓鱼|露营|打球
地铁/捷运|公交/公车/公交车/巴士|高铁|火车|飞机|出租车/计程车|自行车/脚踏车|摩托车/机车|电动车/电瓶车|班车
硕士|博士|本科|大专/专科|高中
贝斯|鼓/架子鼓|键盘|吉他|主唱|小号
大厨/厨师|服务员|收银员|店长|咖啡师|调酒师|面点师
房贷|车贷|消费贷|信用贷|助学贷款
产假|病假|年假|婚假|丧假|事假|陪产假
越剧|京剧|昆曲|粤剧|豫剧|黄梅戏|评剧|川剧|话剧|歌剧|舞剧|音乐剧
农历/阴历/旧历|公历/阳历/新历
内存|硬盘|磁盘|显卡|处理器|主板|带宽
血压|血糖|血脂|尿酸|心率|体温
左膝|右膝
左手|右手
左眼|右眼
左腿|右腿
左脚|右脚
左耳|右耳
左肩|右肩
姐姐|妹妹|堂姐|表姐|堂妹|表妹
哥哥|弟弟|堂哥|表哥|堂弟|表弟
父母/爸妈/双亲|岳父母|公婆|爷爷奶奶/祖父母|外公外婆/姥姥姥爷
自家/自己家|邻居家/邻家|亲戚家|朋友家
同学|同事|室友|邻居|老乡/同乡|战友|网友|亲戚|客户|孩子
书房|客厅|卧室|厨房|餐厅|阳台|儿童房|浴室|储藏室|车库|地下室|院子
物业|门卫/保安室|驿站|快递柜|居委会|前台
海关|税务局|法院|检察院|公安局|银行|邮局|社保局|教育局|卫健委|市政府|环保局
外贸|餐饮|教育|医疗|物流|房地产|金融|互联网|制造业|旅游|零售|电商|服装
皮具|银饰|陶瓷|首饰|蜡烛|香皂|毛衣
耳塞|眼罩|口罩|护膝|护腕
床单|毛巾|枕头|被子|拖鞋|牙刷
电饭煲|微波炉|烤箱|洗衣机|冰箱|空调|电视|吸尘器|扫地机/扫地机器人|洗碗机|除湿机|加湿器|空气炸锅|热水器|电风扇
助听器|老花镜|轮椅|拐杖|假牙|血压计|血糖仪
招聘|培训|绩效|薪酬|考勤|采购|销售|财务|法务|行政|市场|运营|客服|测试|运维|设计|开发
绝育|洗牙|体检|驱虫|打疫苗
水管|电灯|门锁|马桶|空调|水龙头|窗户
糖|盐|醋|酱油|味精
牛奶|豆浆|酸奶|咖啡|茶|果汁|可乐|温水/热水/白开水|冰水|啤酒
硕士论文|博士论文|本科论文
主食|蔬菜/青菜|水果|肉|海鲜
小提琴|钢琴|古筝|吉他|二胡|琵琶|笛子|大提琴|葫芦丝|手风琴
围棋|象棋|国际象棋|五子棋|跳棋
瑜伽|普拉提|动感单车|拳击|搏击|健身|游泳
健身教练|瑜伽老师/瑜伽教练|游泳教练|网球教练|驾校教练
支付|登录|注册|订单|库存|搜索|推荐
浅色/浅色模式|深色/深色模式
舅舅|叔叔|表舅|表叔|表姑|表姨|堂叔|堂舅|大伯|小叔|小舅|大姨|小姨|姑姑|姑父|姨父
挖掘机|叉车|吊车|铲车|推土机|拖拉机|卡车|货车
自来水|天然气|宽带|暖气|电话|光纤
汉服|童装|女装|男装|西装|旗袍|运动服|婚纱|校服|工作服
毛肚|鸭肠|黄喉|肥牛|虾滑|鸭血|百叶|脑花
香油|麻酱|蒜泥|沙茶酱|蚝油|辣椒油|醋
房车|摩托车|越野车|轿车|面包车|自行车|拖拉机
净化器/空气净化器|加湿器|除湿机|新风机|空调
甲醛|噪音|粉尘|潮气|油烟
外卖员|出租车司机|快递员|网约车司机|卡车司机|环卫工/清洁工|保安|月嫂|钟点工|骑手
中风|骨折|癌症|痴呆|瘫痪|截肢|心梗
护工|护士|医生|药师|护士长|清洁工
场记|灯光师|摄影师|化妆师|剪辑师|录音师|道具师|美术指导
手工|画画/绘画|书法|唱歌|跳舞|弹琴|下棋|朗诵|编程|英语
唱片|收音机|磁带|电台|播客|评书|相声|有声书
手表|怀表|项链|戒指|耳环|手镯|手链|玉佩
照片|视频|语音|文字|表情包
散文|小说|诗歌|非虚构|剧本|绘本|日记|论文|游记
汇报|周报|年报
褪黑素|安定|维生素|钙片|鱼油|益生菌|蛋白粉
抽血|打疫苗|输液|打针
旺季|淡季
手术|化疗|放疗|针灸|按摩|理疗
基督徒|佛教徒|穆斯林
猫瘟|猫癣|猫藓|耳螨|口炎|肾衰|犬瘟|细小
三花猫|狸花猫|橘猫|布偶猫/布偶|英短|美短|暹罗猫|黑猫|白猫|奶牛猫|加菲猫
哈士奇|金毛|拉布拉多|柯基|柴犬|泰迪|边牧|萨摩耶|博美|吉娃娃|法斗|比熊|雪纳瑞|德牧|土狗
晚饭/晚餐|早饭/早餐|午饭/午餐|夜宵|下午茶
宋体|黑体|楷体|仿宋|微软雅黑
乘务员/列车员|司机|检票员|站务员|列车长|安检员
法务|财务|人事|行政|市场部|技术部|销售部|客服部|采购部
美式|拿铁|卡布奇诺|摩卡|浓缩|澳白|手冲|冷萃
太淡/偏淡|太咸/偏咸|太甜/偏甜|太辣/偏辣|太油/偏油/油腻|太酸/偏酸
公立|私立
线上/网上|线下
有线|无线
横版/横屏|竖版/竖屏
升序|降序
同步|异步
国产|进口
室内|室外/户外
手动|自动
失恋|失业
批发|零售|自制
单程|来回/往返
面授|网课/线上课程
面试|笔试
现金|刷卡|转账
全款|首付|分期
甲状腺功能亢进|甲状腺功能减退
搭桥|支架
水库|海边|河边|湖边|江边|池塘
度假|出差|探亲
浇水|施肥|宅基地|修路
首都机场|大兴机场|虹桥机场|浦东机场
人民币|美元|欧元|日元|港币|英镑|韩元
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
red/crimson/scarlet|blue/navy|green|yellow|orange|purple/violet/lilac|pink|brown|black|white|gray/grey|turquoise/teal|beige
wooden/wood|metal/steel/iron|plastic|glass|concrete|brick|leather|ceramic/porcelain/clay|cardboard/paper
cotton|wool/woollen/woolen|silk|linen|denim|nylon|velvet
ballet|tango|salsa|waltz|flamenco|swing|contemporary|ballroom|breakdance|zumba
painting|photograph/photo|sculpture|drawing/sketch|collage|poster
portrait|landscape|still-life
watercolor/watercolour|oil|acrylic|charcoal|pastel
novel|poem|screenplay/script|song|essay|memoir|film/movie|musical|podcast
newspaper|magazine|blog|newsletter
hardware|software
unit|integration|regression|end-to-end
electricity/electric|gas|water|internet|phone
cash|card|transfer|cheque/check|invoice
oat|almond|rice|wheat|rye|corn|soy|coconut|hazelnut
basil|mint|parsley|thyme|rosemary|coriander/cilantro|dill|sage|oregano|chive
orchard|meadow|forest/wood|vineyard|field|swamp
van|lorry/truck|motorbike/motorcycle|bus|tram|taxi|scooter|tractor
fireplace|desk|sofa/couch|bed|piano|sink|wardrobe|bookcase/bookshelf
cardiologist|endocrinologist|dermatologist|neurologist|oncologist|gynecologist/gynaecologist|urologist|radiologist|psychiatrist|pediatrician/paediatrician|orthodontist|dentist|rheumatologist
dental/dentist|veterinary/vet|legal|medical
broke/broken/break/fracture|sprain|dislocate|bruise|burn
migraine|asthma|eczema|diabetes|epilepsy|arthritis|anemia/anaemia|gout
whiskey/whisky|wine|beer|rum|gin|vodka|champagne
beef|pork|lamb|chicken|turkey|venison|duck
assist|rebound|steal|dunk
jersey|sneaker|scarf|cap/hat|badge|sticker|stamp|coin|map|postcard|magnet
quarterly|yearly/annual|weekly|monthly|daily|hourly
wedding|funeral|christening|graduation
festival|concert|exhibition|fair|parade|rally
church|mosque|synagogue|temple
fixed|variable/floating
regional|national|international|local
private|public
digital|analog/analogue
acoustic|electric
indoor|outdoor
homeless|elderly
flood/flooded|burn/burning|collapse/collapsed
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


@cache
def chinese_words() -> frozenset[str]:
    """The Chinese words of the table above."""
    return frozenset(word for line in _CHINESE.split() for names in line.split("|") for word in names.split("/"))


def has_kind(word: str) -> bool:
    """Whether anything is known of a stem or a Chinese word."""
    return word in _table()


@lru_cache(maxsize=65536)
def are_apart(one: str, two: str) -> bool:
    """Whether two Chinese words stand apart in a line above, whatever the wordnet says: 舅舅 and 姑父 are both an uncle."""
    if one.isascii() or two.isascii() or senses.closeness(one, two) >= senses.BY_HAND:
        return False
    mine = {place.kind: place.path for place in _table().get(one, ()) if not place.kind[0].isascii()}
    theirs = {place.kind: place.path for place in _table().get(two, ()) if not place.kind[0].isascii()}
    return any(mine[kind] != theirs[kind] for kind in mine.keys() & theirs.keys())


@lru_cache(maxsize=65536)
def rivals(one: str, two: str) -> bool:
    """Whether two stems (Chinese words as written) name different things of one kind, and neither is a sort of the other."""
    table = _table()
    mine, theirs = table.get(one), table.get(two)
    if mine is None or theirs is None or one == two:
        return False
    if are_apart(one, two):
        return True
    if senses.closeness(one, two) >= senses.BY_BEGINNING:
        return False
    found = False
    for here in mine:
        for there in theirs:
            if here.kind == there.kind:
                if here.path[-1] in there.path or there.path[-1] in here.path:
                    return False
                found = True
    return found


__all__ = ["are_apart", "has_kind", "rivals"]
