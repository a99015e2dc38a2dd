"""Axes of which a thing holds one pole: morning or evening, sister or brother, from or to, lends or borrows. Pure.

``poles(text)`` lists them with their place. Two tellings of one thing that hold different poles of an axis contradict each other;
what else must agree before that is said depends on the axis (``Pole.way``) and is up to the caller (``memopt.verify.contrast``).
The table is written by hand, English and Chinese; ``antonyms()`` adds the pairs that WordNet 3.0 lists.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from memopt.facts.words import fold, tokens


class Pole(NamedTuple):
    """One pole as it stands in a text.

    Attributes:
        start: offset of its first character.
        end: offset behind its last character.
        axis: the name of its axis.
        value: which pole of the axis it is.
        way: what must agree: ``told`` (the clause alone), ``beside`` (a word next to it), ``side`` (the word on the same side of it, and
            who does it), ``object`` (what stands behind it).
        word: the word or phrase itself, folded.
    """

    start: int
    end: int
    axis: str
    value: str
    way: str
    word: str


# way, then the poles of one axis. A plus stands for the regular forms of a verb, a phrase has underscores for its blanks.
_AXES = """
told | sister sisters sis half-sister 姐姐 妹妹 姐妹 表姐 表妹 堂姐 堂妹 大姐 小妹 | brother brothers half-brother 哥哥 弟弟 兄弟 表哥 表弟 堂哥 堂弟 大哥 小弟
told | 姐姐 哥哥 大姐 大哥 表姐 表哥 堂姐 堂哥 elder_sister older_sister big_sister elder_brother older_brother big_brother | 妹妹 弟弟 小妹 小弟 表妹 表弟 堂妹 堂弟 younger_sister little_sister kid_sister younger_brother little_brother kid_brother
told | daughter daughters 女儿 闺女 千金 女孩 女孩子 | son sons 儿子 男孩 男孩子
told | mother mum mom mama mummy mommy 母亲 妈妈 老妈 | father dad papa daddy 父亲 爸爸 老爸
told | wife wives 妻子 老婆 太太 媳妇 | husband husbands 丈夫 老公
told | girlfriend 女友 女朋友 | boyfriend 男友 男朋友
told | fiancee fiancée 未婚妻 | fiance fiancé 未婚夫
told | grandmother grandma granny gran nana 奶奶 外婆 祖母 姥姥 外祖母 | grandfather grandpa granddad grandad 爷爷 外公 祖父 姥爷 外祖父
told | 爷爷 奶奶 祖父 祖母 paternal_grandmother paternal_grandfather | 外公 外婆 姥姥 姥爷 外祖父 外祖母 maternal_grandmother maternal_grandfather
told | aunt aunts auntie 阿姨 姑姑 姨妈 舅妈 婶婶 姑妈 | uncle uncles 叔叔 舅舅 伯伯 姑父 姨父
told | niece nieces 侄女 外甥女 | nephew nephews 侄子 外甥
told | granddaughter granddaughters 孙女 | grandson grandsons 孙子
told | mother-in-law 岳母 婆婆 丈母娘 | father-in-law 岳父 公公
told | stepmother 继母 | stepfather 继父
told | sister-in-law | brother-in-law
told | godmother | godfather
told | goddaughter | godson
side | parent parents 父母 爸妈 | child children kid kids 孩子 子女
side | boss manager supervisor superior 老板 上司 领导 主管 | employee employees subordinate subordinates 员工 下属 部下 | colleague colleagues coworker coworkers co-worker co-workers 同事
side | landlord landlady 房东 | tenant tenants lodger lodgers 租客 租户 房客
side | teacher teachers tutor instructor professor 老师 教师 教授 导师 | student students pupil pupils 学生 学员 徒弟
side | doctor physician 医生 大夫 | patient patients 病人 患者
side | employer employers 雇主 | employee employees 雇员 员工
side | buyer buyers 买家 买方 | seller sellers vendor vendors 卖家 卖方
side | client clients customer customers 客户 顾客 甲方 | supplier suppliers vendor vendors 供应商 乙方
side | lender creditor | borrower debtor
side | host hosts | guest guests
side | classmate classmates schoolmate 同学 | teacher teachers 老师 | colleague colleagues coworker 同事 | neighbour neighbours neighbor neighbors 邻居 | roommate flatmate housemate 室友 | cousin cousins 表哥 表姐 表弟 表妹 堂哥 堂弟 堂姐 堂妹
side | coach trainer 教练 | trainee player players athlete athletes 队员 球员 学员
side | winner | loser
side | mentor mentors | mentee mentees
side | plaintiff 原告 | defendant 被告
told | morning mornings forenoon daybreak dawn sunrise 早上 早晨 上午 清晨 早间 一早 大清早 每早 | noon midday lunchtime 中午 正午 午间 | afternoon afternoons 下午 午后 | evening evenings night nights nighttime dusk sunset midnight 晚上 晚间 夜里 夜间 夜晚 傍晚 半夜 深夜 当晚 每晚 睡前
told | weekday weekdays workday workdays working_day working_days 工作日 平日 | weekend weekends 周末 双休日
told | spring springtime 春天 春季 | summer summertime summers 夏天 夏季 | autumn 秋天 秋季 | winter wintertime winters 冬天 冬季
told | fixed_rate fixed-rate fixed_interest fixed 固定利率 | variable_rate variable floating adjustable 浮动利率
told | dating going_out_with in_a_relationship 约会 谈恋爱 交往 恋爱 | married marries wed 结婚 已婚 成婚 | divorced 离婚
told | 按期 如期 按时 准时 准点 | 延期 推迟 逾期 拖延 晚点 误点 迟到
told | 客满 满房 全满 爆满 订满 满座 住满 | 空房 空位 空座 余位
told | 左边 左侧 左面 左手边 | 右边 右侧 右面 右手边
beside | 免费 不要钱 不收费 不收钱 白送 | 收费 付费 要钱 自费 另付
told | postponed postpones postpone put_off pushed_back deferred rescheduled 推迟 延期 延后 改期 | cancelled canceled called_off scrapped 取消 | brought_forward moved_forward 提前
told | bankrupt bankruptcy insolvent went_under went_bust tanked collapsed 破产 倒闭 | thriving flourishing booming prospering profitable 红火 蓬勃 兴隆
told | stir sensation splash uproar viral 轰动 热议 | unnoticed overlooked 无人问津 没人注意
told | broke broken fractured fracture fractures 骨折 摔断 | sprained sprain sprains 扭伤 | dislocated 脱臼
told | inherited inherits inheritance 继承 | bought purchased buys 买了 买下 购买
told | 租自 租的 租来 租了 租用 | 买自 买的 买来 买了 购自 购买 购入
told | mediocre so-so meh unremarkable 一般 一般般 平平 平淡 中规中矩 | excellent outstanding superb fantastic brilliant delicious 很棒 极好 好吃 美味 出色 精彩 | terrible awful dreadful 糟糕 难吃 很差
told | light_mode light_theme 浅色 亮色 | dark_mode dark_theme 深色 暗色
told | hard_to difficult_to tough_to difficult | easy easy_to effortless
told | still_reading in_the_middle_of halfway_through 正在看 正在读 在读 在看 | finished_reading read_to_the_end has_finished 看完 读完 看完了 读完了
told | expire expires expired expiring runs_out ran_out 到期 过期 失效 | start starts started begin begins began commences 生效 起效
told | 死于 卒于 去世于 | 生于 出生于 诞生于
told | 时薪 | 日薪 | 周薪 | 月薪 | 年薪
told | hourly every_hour each_hour 每小时 | daily every_day each_day once_a_day every_single_day day_after_day nightly every_night each_night every_evening each_evening every_morning each_morning 每天 每日 天天 每晚 每夜 每早 每晚上 | weekly every_weekend each_weekend at_weekends 每个周末 每逢周末 every_week each_week once_a_week 每周 每星期 每个星期 每礼拜 | fortnightly biweekly every_two_weeks every_other_week every_second_week 每两周 隔周 | monthly every_month each_month once_a_month 每月 每个月 月费 | quarterly every_quarter each_quarter 每季度 每季 | yearly annually annual per_annum every_year each_year once_a_year 每年 年年 年费 年会员费 年会费
told | few_seconds several_seconds couple_of_seconds some_seconds many_seconds recent_seconds past_few_seconds last_few_seconds 几秒 数秒 好几秒 多秒 | few_minutes several_minutes couple_of_minutes some_minutes many_minutes recent_minutes past_few_minutes last_few_minutes 几分钟 数分钟 好几分钟 多分钟 | few_hours several_hours couple_of_hours some_hours many_hours recent_hours past_few_hours last_few_hours 几小时 数小时 好几小时 多小时 | few_days several_days couple_of_days some_days many_days recent_days past_few_days last_few_days 几天 数天 好几天 多天 | few_weeks several_weeks couple_of_weeks some_weeks many_weeks recent_weeks past_few_weeks last_few_weeks 几周 数周 好几周 多周 | few_months several_months couple_of_months some_months many_months recent_months past_few_months last_few_months 几个月 数个月 好几个月 多个月 | few_years several_years couple_of_years some_years many_years recent_years past_few_years last_few_years 几年 数年 好几年 多年 | few_decades several_decades couple_of_decades some_decades many_decades recent_decades past_few_decades last_few_decades decades 几十年 数十年
told | always every_time each_time invariably without_exception 总是 一直 每次 每回 一向 | sometimes occasionally now_and_then at_times from_time_to_time 有时 偶尔 有时候
told | always often usually frequently mostly regularly 总是 经常 常常 通常 时常 | occasionally now_and_then once_in_a_while 偶尔 rarely seldom hardly_ever almost_never infrequently 很少 极少 难得
told | 年初 开年 岁首 | 年中 | 年底 年末 岁末 年尾 年终 | 月初 | 月中 月半 | 月底 月末 | beginning_of_the_year start_of_the_year early_in_the_year | end_of_the_year year-end year_end | beginning_of_the_month start_of_the_month | end_of_the_month month-end month_end
told | breakfast breakfasts 早餐 早饭 | lunch lunches 午餐 午饭 | dinner dinners supper suppers 晚餐 晚饭
told | alone by_himself by_herself by_themselves on_his_own on_her_own 独自 独居 | with_colleagues with_friends with_others with_his_family with_her_family with_company 和同事一起 和朋友一起
told | e-books ebooks e-book ebook e-reader kindle 电子书 | paper_books paper_book printed_books paperbacks hardbacks 纸质书
beside | a_bit_of a_little little_bit_of some_words_of rudimentary 一点 略懂 | fluent fluently near-native 流利 精通
side | keep keeps kept keeping stays_in stayed_in stay_in holds_on_to held_on_to | leave leaves left leaving quit quits quitting gave_up gives_up give_up giving_up resigned_from resigns_from
side | use+ keep+ install+ 用 使用 | delete+ uninstall+ 删除 删了 卸载 卸载了
beside | busy 忙 忙碌 | idle 闲 清闲
told | upstairs | downstairs
told | indoor indoors 室内 | outdoor outdoors open-air 室外 户外 露天
told | north northern northwards 朝北 北边 北方 北部 北面 | south southern southwards 朝南 南边 南方 南部 南面 | east eastern eastwards 朝东 东边 东部 东面 | west western westwards 朝西 西边 西部 西面
told | vegan vegans 纯素 | vegetarian vegetarians | pescatarian pescatarians | meat-eater meat-eaters meat_eater meat_eaters omnivore omnivores carnivore 吃荤 肉食者 无肉不欢
told | full-time fulltime full_time 全职 全日制 | part-time parttime part_time half-time 兼职 非全日制
told | day_shift day_shifts early_shift early_shifts morning_shift morning_shifts 白班 早班 | night_shift night_shifts late_shift late_shifts evening_shift evening_shifts 夜班 晚班
told | cat cats kitten kittens 猫 猫咪 | dog dogs puppy puppies 狗 小狗 狗狗 | rabbit rabbits bunny 兔子 | hamster hamsters 仓鼠 | parrot parrots budgie 鹦鹉 | goldfish 金鱼 | tortoise tortoises turtle turtles 乌龟 | horse horses pony ponies
told | tea 茶 | coffee espresso 咖啡
told | introvert introverted introverts 内向 | extrovert extroverted extravert extroverts 外向
told | left-handed left-hander 左撇子 | right-handed right-hander 右撇子
told | window_seat 靠窗 | aisle_seat 靠过道 靠走道
told | bachelor's bachelors_degree bsc 本科 学士 | master's masters_degree msc 硕士 研究生 | phd doctorate doctoral 博士
told | kindergarten nursery_school preschool 幼儿园 | primary_school elementary_school grade_school 小学 | secondary_school high_school middle_school 中学 高中 初中 | university college 大学
told | get_up gets_up got_up getting_up wake_up wakes_up woke_up waking_up 起床 | go_to_bed goes_to_bed went_to_bed going_to_bed go_to_sleep goes_to_sleep fall_asleep falls_asleep 睡觉 入睡 上床
told | first-born firstborn oldest eldest 老大 最大的 | youngest last-born 老幺 最小的
told | bottle-fed bottle-feeding | breastfed breast-fed breastfeeding
told | type_1 type-1 1型 | type_2 type-2 2型
told | low-fat fat-free skimmed skim 低脂 脱脂 | full-fat full-cream whole_milk 全脂
told | promoted promotion 升职 晋升 | demoted demotion 降职
told | hired 录用 聘用 | fired sacked laid_off dismissed 解雇 辞退 裁掉
told | online 线上 网上 | offline in_person in-person face-to-face 线下 面对面
told | landline 座机 | mobile_phone cell_phone smartphone 手机
told | one-way 单程 | return_ticket round-trip round_trip 往返
told | handwritten 手写 | typed printed 打印
beside | hot warm 热 暖 | cold cool chilled iced ice-cold 冷 凉 冰
beside | sweet sugary 甜 | salty savoury savory 咸 | sour tart 酸 | bitter 苦 | spicy 辣 麻辣 | mild bland 清淡
beside | strong 浓 强 | weak 淡 弱 | decaf decaffeinated
beside | left left-hand 左 | right right-hand 右
beside | first earliest 第一 最早 | last latest final 最后 最晚
beside | single unmarried 单身 未婚 | married 已婚 结婚 成家 | divorced 离婚 离异 | widowed 丧偶 守寡 | engaged 订婚
beside | employed 在职 | unemployed jobless 失业 待业
beside | open opened 开门 营业 | closed shut 关门 打烊 歇业
beside | increase+ rise rises rose risen rising grow grows grew grown growing growth went_up go_up goes_up gone_up climbed 增加 上升 增长 上涨 提高 涨 多了 | decrease+ fall falls fell fallen falling shrink shrinks shrank shrunk shrinking declined declining decline declines dropped drop drops went_down goes_down go_down gone_down 减少 减轻 下降 下跌 降低 跌 少了
beside | raise+ increase+ 提高 上调 涨 | lower+ reduce+ cut cuts cutting 降低 下调 降
beside | early earlier 早 提前 | late later 晚 迟 推迟
beside | big large huge bigger larger 大 | small little tiny smaller 小 | medium medium-sized mid-sized 中等
beside | tall taller 高 | short shorter small 矮
beside | long lengthy longer 长 | short brief shorter 短
beside | detailed thorough verbose in-depth elaborate long lengthy 详细 冗长 | short brief concise terse succinct 简短 简洁 精简
beside | high higher 高 | low lower 低
beside | thick thicker 厚 | thin thinner 薄
beside | wide wider broad loose 宽 宽松 | narrow narrower tight 窄 紧身
beside | heavy heavier 重 | light lighter lightweight 轻
beside | dark darker 深 暗 | light lighter bright pale 浅 亮
beside | fast quick rapid faster quicker express 快 | slow slower 慢
beside | cheap cheaper inexpensive affordable 便宜 | expensive costly pricey dear 贵
beside | new newer brand-new 新 | old older used second-hand secondhand 旧 二手
beside | young younger 年轻 | old older elderly 老 年迈
beside | rich wealthy 富 有钱 | poor 穷
beside | easy simple easier 容易 简单 | hard difficult tough harder 难 困难
beside | loud noisy louder busy crowded lively bustling 吵 吵闹 热闹 | quiet silent calm quieter deserted 安静 冷清
beside | first | second | third | fourth | fifth
beside | wet damp humid oily greasy 湿 油性 | dry 干 干性 干燥
beside | soft 软 | hard firm 硬
beside | crunchy crispy 脆 | smooth creamy
beside | raw rare 生 | cooked well-done boiled 熟
beside | fresh 新鲜 | frozen tinned canned dried 冷冻 罐头
beside | sparkling fizzy carbonated | still flat
beside | full 满 | empty 空
beside | clean tidy 干净 整洁 | dirty messy untidy 脏 乱
beside | healthy 健康 | ill sick unwell 生病
beside | happy glad cheerful content 开心 高兴 快乐 | sad unhappy gloomy miserable 难过 伤心 悲伤
beside | good great excellent 好 | bad poor terrible awful 差 坏 糟
beside | better | worse
beside | best | worst
beside | biggest largest greatest | smallest tiniest littlest
beside | oldest eldest | youngest
beside | fastest quickest | slowest
beside | longest | shortest
beside | nearest closest | farthest furthest
beside | cheapest | priciest most_expensive dearest
beside | strongest | weakest
beside | hottest warmest | coldest
beside | easiest | hardest toughest
beside | earliest | latest
beside | richest wealthiest | poorest
beside | happiest | saddest
beside | heaviest | lightest
beside | tallest | shortest
beside | more 更多 | less fewer 更少
beside | most 最多 | least fewest 最少
beside | maximum max highest 最大 最高 | minimum min lowest 最小 最低
beside | near close nearby not_far_from not_far_off not_far_away 近 | far distant 远
told | 附近 不远 不太远 很近 较近 挺近 邻近 紧邻 | 很远 较远 太远 挺远 遥远 不近
told | 在职 仍在职 还在职 在岗 | 辞职 离职 辞去 失业 待业 下岗
told | 免费 无偿 不收费 不收钱 | 收费 付费 有偿 要收钱
told | 自愿 自觉自愿 | 被迫 强迫 迫不得已 被逼
told | 严格 严厉 苛刻 | 宽松 宽容 随和 好说话
told | 融洽 和睦 关系很好 关系好 关系不错 关系很铁 处得来 合得来 | 僵 闹僵 很僵 不和 不睦 关系紧张 关系不好 关系很差 关系差 关系一般 合不来 处不来
told | 大声 高声 放大音量 提高音量 | 小声 低声 轻声 放低音量 压低音量 降低音量
told | 满意 称心 | 不满意 不太满意 不大满意 失望 大失所望
told | 瞒着 隐瞒 | 商量后 商量过 商量好 告诉了 坦白
told | 急性子 急躁 性急 | 慢性子
told | 甲减 甲状腺功能减退 | 甲亢 甲状腺功能亢进
told | 便秘 | 腹泻 拉肚子
told | 近视 | 远视 老花
told | 所有 全部 全体 | 部分 一部分 小部分 少部分 少数 | 大部分 大多数 多数
told | 放生 放掉 放回 放走 放回去 | 吃掉 带回家
told | 自制 自家做 自己做 亲手做 | 批发 外购 进货
told | 按时 准时 如期 | 迟到 逾期 晚点 误点 拖延
told | 旺季 | 淡季
told | 涨价 | 降价
told | 涨工资 加薪 涨薪 | 降薪 减薪
told | 国产 | 进口
told | 精装 精装修 | 毛坯 毛坯房 | 简装
told | 全款 一次付清 一次性付清 | 贷款 按揭 分期 分期付款
told | 顺产 | 剖腹产 剖宫产
told | 走读 | 住校 寄宿 住宿舍
told | 文科 | 理科 | 工科
told | 长袖 | 短袖
told | 堂食 | 外卖
told | 全糖 | 半糖 | 三分糖 | 七分糖 | 少糖 | 无糖
told | 微辣 | 中辣 | 特辣 重辣 | 不辣
told | 跟团 跟团游 | 自由行 自助游 自驾游
told | 硬座 | 硬卧 | 软卧 | 商务座 | 一等座 | 二等座
told | 经济舱 | 商务舱 公务舱 | 头等舱
told | 农历 阴历 | 公历 阳历
told | 主卧 | 次卧 客卧
told | 头胎 一胎 | 二胎 | 三胎
told | 上铺 | 下铺 | 中铺
told | 前排 | 后排
told | 横屏 | 竖屏
told | 开卷 | 闭卷
told | 早起 | 晚起
told | 早睡 | 晚睡 熬夜
told | 偏高 | 偏低
told | 偏大 | 偏小
beside | public state-run state 公开 公立 公有 公共 | private 私人 私立 私有 | internal
beside | internal in-house 内部 | external outside 外部 外包
beside | manual manually by_hand 手动 手工 人工 | automatic automatically automated 自动
beside | formal 正式 | informal casual 随意 休闲 非正式
beside | temporary interim 临时 | permanent lasting 永久 长期
beside | 免费 义务 无偿 免费地 | 收费 付费 有偿
beside | 严格 严厉 严苛 严 | 宽松 宽容 随和 松散
beside | 大声 高声 提高嗓门 放大音量 | 小声 低声 轻声 压低声音 放低音量
beside | optional voluntary 可选 自愿 选填 | mandatory required compulsory obligatory 必须 强制 必填
beside | remote remotely 远程 | on-site onsite in-office 现场
beside | urban downtown 市区 市中心 城里 | rural suburban 郊区 农村 乡下 城外
beside | domestic 国内 | international foreign abroad overseas 国外 国际 海外
beside | junior 初级 | senior 高级 资深
beside | amateur hobby 业余 | professional 专业 职业
beside | beginner novice beginners basic elementary 初学者 新手 初级 入门 | advanced expert fluent 高手 高级 精通 熟练 | intermediate 中级
beside | front 前 | back rear 后
beside | upper top 上 | lower bottom 下
beside | inner inside 里 内 | outer outside 外
beside | black 黑 黑色 | white 白 白色 | red 红 红色 | green 绿 绿色 | blue 蓝 蓝色 | yellow 黄 黄色 | orange 橙 橙色 | purple violet 紫 紫色 | pink 粉色 粉红 | brown 棕色 | grey gray 灰 灰色 | beige 米色 | turquoise | silver 银色 | golden 金色
beside | male 男 男性 | female 女 女性
beside | man men gentleman 男人 | woman women lady 女人
beside | boy boys 男孩 | girl girls 女孩
beside | odd 单数 奇数 | even 双数 偶数
beside | 很好 挺好 不错 良好 很强 优秀 出色 很棒 拔尖 顺利 很顺利 理想 | 不好 不太好 并不好 不大好 不行 不大行 不太行 很差 较差 欠佳 不佳 不理想 不太理想 并不理想 不顺利 很弱 糟糕
beside | 一点 一点点 一点儿 少许 略懂 略会 | 流利 流利的 精通 熟练 地道
told | 每天 每日 天天 | 周末 双休日
beside | positive 阳性 积极 | negative 阴性 消极
beside | active 活跃 | inactive dormant passive 不活跃
beside | synchronous sync 同步 | asynchronous async 异步
beside | encrypted 加密 | plain unencrypted plaintext 明文
beside | serial sequential 串行 顺序 | parallel concurrent 并行 并发
beside | optimistic 乐观 | pessimistic 悲观
beside | liberal progressive 自由派 | conservative 保守 保守派
beside | electric battery-powered 电动 | petrol gasoline diesel 汽油 柴油 燃油 | hybrid 混动
beside | acoustic | electric
beside | digital 数字 电子 | analog analogue paper 模拟 纸质
beside | cash 现金 | card 刷卡 信用卡
beside | benign 良性 | malignant 恶性
beside | acute 急性 | chronic 慢性
beside | smoker smokers smoking 吸烟 抽烟 | non-smoker nonsmoker non-smokers smoke-free 无烟
beside | sunny 晴 晴天 | rainy cloudy 雨天 阴天
beside | curly wavy 卷发 卷 | straight 直发 直
beside | patient 耐心 | impatient 不耐烦
beside | guilty 有罪 | innocent acquitted 无罪
beside | major | minor
beside | major 主修 | minor 辅修
beside | native 母语 | foreign 外语
beside | winning won 赢 | losing lost 输
beside | passed 通过 及格 | failed 没通过 不及格 挂科
beside | alive living 活着 | dead deceased late died 去世 过世
side | buy+ bought purchase+ 买 买了 买下 购买 购入 买进 | sell+ sold 卖 卖了 卖给 出售 卖出 售出
side | lend lends lent lending loan loans loaned 借给 借出 | borrow+ 借了 借入 借来 借走 向_借
side | give gives gave given giving | get gets got receive+ take takes took
side | send sends sent sending transfer+ 寄 发给 汇给 寄给 | receive+ gets get got 收到 收
side | teach teaches taught teaching 教 教授 | taught_himself taught_herself taught_themselves teaches_himself teaches_herself teach_themselves teaching_himself teaching_herself learn+ learnt study studies studied studying 学 学习
side | employ employs employed employing hire hires | works_for work_for worked_for
side | rent+ leases lease 租 租住 租了 承租 租来 | own owns owned owning 自有 买了 | 出租 租给
side | import+ 进口 导入 | export+ 出口 导出
side | upload+ 上传 | download+ 下载
side | push+ 推送 | pull+ 拉取
side | upgrade+ 升级 | downgrade+ 降级
side | enable+ 启用 开启 打开 | disable+ 禁用 关闭
side | install+ 安装 | uninstall+ 卸载
side | add+ 添加 加 | remove+ delete+ 删除 去掉
side | read reads reading 读 | write writes wrote written writing 写
side | arrive+ arrival 到达 抵达 | depart+ departure leave leaves left leaving 出发 离开
side | join+ 加入 | leave leaves left leaving 退出 离开
side | enter+ 进入 | exit+ leave leaves left leaving 离开
side | win wins won winning 赢 赢了 战胜 | lose loses lost losing 输 输了 输给
side | gain+ 增重 长胖 长了 | lose loses lost losing shed 减重 瘦了 减了
side | open+ 开 打开 | close+ shut 关 关闭
side | start+ begin begins began begun beginning 开始 开 | stop+ end+ finish finishes finished finishing 停止 结束
side | pass passes passed passing 通过 考过 | fail+ 没过 挂了
side | approve+ 批准 | reject+ deny denies denied 驳回 否决
side | allow+ permit permits permitted 允许 | forbid forbids forbade forbidden prohibit prohibits prohibited ban bans banned 禁止
side | include+ contain+ 包含 包括 含 | exclude+ 排除 不含
side | attend+ visits visit join joins joined takes_part_in take_part_in took_part_in 参加 出席 | skip skips skipped skipping miss misses missed missing 缺席 翘掉
side | eat eats ate drink drinks drank have has take takes took 吃 喝 | skip skips skipped skipping 不吃 不喝
side | save+ 存 攒 | spend spends spent spending 花 花掉
side | receive+ 收到 拿到 领到 | pays paid pay 付 支付 缴 交
side | earn+ 挣 赚 | pay pays paid paying spend spends spent 付 支付 花
side | invite+ 邀请 | invited_by
side | lead leads led leading manage+ supervise+ 领导 管理 带领 | follow+ report_to reports_to reported_to 汇报给
side | accelerate+ speed_up speeds_up sped_up 加快 加速 | slow_down slows_down slowed_down slow slowed 放慢 减速
side | praise+ 表扬 夸 | criticise+ criticize+ 批评
side | agree+ 同意 赞成 | disagree+ 反对
side | believe+ trust+ 相信 信任 信赖 | doubt+ distrust+ 怀疑 不信任 不太信任 信不过
side | attract+ | repel+
side | encourage+ 鼓励 | discourage+ 劝阻
side | attack+ | defend+
side | strengthen+ | weaken+
side | shorten+ 缩短 | lengthen+ extend+ 延长
side | plant+ 种 | uproot+
side | marry marries married | divorce+ 离婚
side | support+ back+ favour+ favor+ 支持 | oppose+ 反对
side | cook+ | order_in orders_in
side | love loves loved 爱 | hate hates hated 恨
side | feed+ 喂 | walk+ 遛
side | dial+ | answer+
side | minimise+ minimize+ | maximise+ maximize+
object | before prior_to ahead_of until until_after till_after 之前 以前 前 | after following past since 之后 以后 后
object | above over on_top_of 上面 楼上 | below beneath under underneath 下面 楼下
object | in_front_of 前面 | behind 后面
object | inside within 里面 | outside out_of 外面
object | at_least no_less_than not_less_than no_fewer_than not_fewer_than a_minimum_of minimum min more_than over above upwards_of exceeding greater_than larger_than higher_than exceeds exceed 至少 最少 起码 不少于 不低于 不要低于 不能低于 不得低于 不可低于 不会低于 不应低于 别低于 超过 大于 高于 不止 | at_most no_more_than not_more_than up_to a_maximum_of maximum max less_than under below fewer_than smaller_than lower_than not_exceed within 最多 至多 不超过 不要超过 不能超过 不得超过 不可超过 不会超过 不许超过 不应超过 别超过 不多于 不高于 低于 小于 不到 不足
than | more higher bigger larger greater taller older longer faster better richer heavier earlier stronger stricter cheaper | less lower smaller fewer shorter younger slower worse poorer lighter later weaker
told | peanut peanuts 花生 | walnut walnuts 核桃 | almond almonds 杏仁 | hazelnut hazelnuts 榛子 | cashew cashews 腰果 | pistachio pistachios 开心果 | shrimp shrimps prawn prawns 虾 | crab crabs 螃蟹 蟹 | lobster lobsters 龙虾 | oyster oysters mussel mussels clams 生蚝 贝类 | egg eggs 鸡蛋 蛋类 | milk dairy lactose 牛奶 乳糖 奶制品 | wheat gluten 小麦 麸质 | soy soya tofu 大豆 黄豆 豆腐 | sesame 芝麻 | mango mangoes mangos 芒果 | kiwi kiwis 猕猴桃 | strawberry strawberries 草莓 | apple apples 苹果 | banana bananas 香蕉 | pineapple 菠萝 | peach peaches 桃子 | pollen 花粉 | dust dust_mites 尘螨 灰尘 | penicillin amoxicillin 青霉素 | aspirin 阿司匹林 | ibuprofen 布洛芬 | bee_stings wasp_stings 蜂毒 | celery 芹菜 | mustard 芥末 | nickel 镍 | latex 乳胶 | garlic 大蒜 | onion onions 洋葱 | coriander cilantro 香菜 | mushroom mushrooms 蘑菇 | tomato tomatoes 番茄 西红柿 | potato potatoes 土豆 | carrot carrots 胡萝卜 | aubergine eggplant 茄子 | bitter_melon 苦瓜 | chilli chili 辣椒
told | beef 牛肉 | pork 猪肉 | lamb mutton 羊肉 | chicken 鸡肉 | duck 鸭肉 | turkey | salmon 三文鱼 | tuna 金枪鱼 | cod
told | rice 米饭 | noodles 面条 面食 | bread 面包 | dumplings 饺子 | pasta spaghetti 意面 意大利面 | porridge oatmeal 粥 燕麦 | pizza 披萨
told | beer 啤酒 | red_wine 红酒 葡萄酒 | white_wine 白葡萄酒 | whisky whiskey 威士忌 | vodka 伏特加 | rum 朗姆酒 | gin 金酒 | 白酒 | 黄酒 | cider | champagne 香槟
told | orange_juice 橙汁 | apple_juice 苹果汁 | lemonade 柠檬水 | cola coke 可乐 | soy_milk soya_milk 豆浆 | oat_milk 燕麦奶 | almond_milk 杏仁奶 | coconut_milk 椰奶
told | black_tea 红茶 | green_tea 绿茶 | oolong oolong_tea 乌龙茶 乌龙 | jasmine_tea 茉莉花茶 | pu'er 普洱 普洱茶 | mint_tea peppermint_tea | chamomile_tea camomile_tea
told | piano 钢琴 | guitar 吉他 | violin fiddle 小提琴 | cello 大提琴 | viola 中提琴 | flute 长笛 | clarinet 单簧管 | oboe 双簧管 | trumpet 小号 | trombone 长号 | saxophone sax 萨克斯 | drums 架子鼓 鼓 | harp 竖琴 | tuba 大号 | accordion 手风琴 | ukulele 尤克里里 | banjo | mandolin | bassoon | double_bass | organ 管风琴 | harmonica 口琴 | 古筝 | 二胡 | 琵琶 | 笛子 | 古琴
told | football soccer 足球 | basketball 篮球 | volleyball 排球 | tennis 网球 | badminton 羽毛球 | table_tennis ping-pong 乒乓球 | squash 壁球 | golf 高尔夫 | baseball 棒球 | rugby 橄榄球 | hockey 曲棍球 | handball 手球 | cricket 板球 | boxing 拳击 | judo 柔道 | karate 空手道 | fencing 击剑 | archery 射箭 | rowing 划船 | sailing 帆船 | surfing 冲浪 | skiing 滑雪 | snowboarding 单板滑雪 | ice_skating figure_skating 滑冰 | swimming 游泳 | yoga 瑜伽 | pilates 普拉提 | bouldering climbing 攀岩 | diving scuba_diving 潜水 | bowling 保龄球 | 太极 太极拳 | chess 国际象棋 | 围棋 | 象棋
told | knitting 编织 | crocheting crochet 钩针 | sewing 缝纫 | embroidery 刺绣 | pottery ceramics 陶艺 | woodworking carpentry 木工 | photography 摄影 | painting 油画 画画 | calligraphy 书法 | gardening 园艺 | fishing angling 钓鱼 | birdwatching 观鸟 | stamp_collecting 集邮 | baking 烘焙 | origami 折纸
told | knee knees 膝盖 | shoulder shoulders 肩膀 肩 | ankle ankles 脚踝 | wrist wrists 手腕 | elbow elbows 手肘 | hip hips 髋 | back spine 背 腰 | neck 颈椎 脖子 | thumb 拇指 | collarbone 锁骨 | heel heels 脚跟
told | eye eyes 眼睛 | ear ears 耳朵 | nose 鼻子 | tooth teeth 牙齿 | tongue 舌头
told | diabetes 糖尿病 | asthma 哮喘 | hypertension high_blood_pressure 高血压 | hypotension low_blood_pressure 低血压 | anaemia anemia 贫血 | epilepsy 癫痫 | arthritis 关节炎 | gout 痛风 | migraine migraines 偏头痛 | psoriasis 银屑病 | eczema 湿疹 | glaucoma 青光眼 | cataract cataracts 白内障 | tinnitus 耳鸣 | gastritis 胃炎 | bronchitis 支气管炎 | pneumonia 肺炎 | hepatitis 肝炎
told | nurse 护士 | dentist 牙医 | lawyer attorney 律师 | plumber 水管工 | electrician 电工 | carpenter joiner 木匠 | baker 面包师 | butcher 屠夫 | chef cook 厨师 | pilot 飞行员 | journalist reporter 记者 | accountant 会计 | architect 建筑师 | librarian 图书管理员 | pharmacist 药剂师 | firefighter fireman 消防员 | policeman policewoman police_officer 警察 | farmer 农民 | hairdresser barber 理发师 | tailor 裁缝 | translator interpreter 翻译 | vet veterinarian 兽医 | beekeeper 养蜂人 | judge 法官 | midwife 助产士 | bus_driver taxi_driver 司机 | welder 焊工 | gardener 园丁 | waiter waitress 服务员
told | biology 生物 生物学 | chemistry 化学 | physics 物理 物理学 | mathematics maths math 数学 | history 历史 | geography 地理 | law 法律 法学 | medicine 医学 | economics 经济学 | philosophy 哲学 | psychology 心理学 | linguistics 语言学 | architecture 建筑学 | astronomy 天文学 | sociology 社会学 | theology | archaeology 考古 | pharmacy 药学 | geology 地质学
told | bicycle bike 自行车 单车 骑车 骑行 | motorbike motorcycle 摩托车 | tram 电车 | underground subway metro 地铁 | bus coach 公交 公交车 巴士 | ferry 轮渡 渡轮 | plane airplane aeroplane 飞机 | train 火车 高铁 | taxi cab 出租车 打车
told | sofa couch 沙发 | armchair 扶手椅 | wardrobe 衣柜 | bookshelf bookcase 书架 | mattress 床垫 | dishwasher 洗碗机 | washing_machine 洗衣机 | fridge refrigerator 冰箱 | oven 烤箱 | microwave 微波炉
told | laptop notebook 笔记本电脑 | desktop 台式机 | tablet 平板 | phone smartphone 手机 | printer 打印机 | camera 相机 | projector 投影仪
told | opera operas 歌剧 | ballet 芭蕾 | jazz 爵士 爵士乐 | rock_music 摇滚 | classical_music 古典音乐 | hip-hop rap 说唱 | techno 电子乐 | folk_music 民谣 | heavy_metal 重金属 | musicals 音乐剧
told | novels 小说 | poetry poems 诗 诗歌 | comics 漫画 | biographies 传记 | thrillers 惊悚 | crime_novels 推理小说 侦探小说 | science_fiction sci-fi 科幻
told | silk 丝绸 | wool woollen 羊毛 | cotton 棉 棉质 | linen 亚麻 | leather 皮革 | denim 牛仔
told | gold 黄金 | silver_jewellery 银饰
told | balcony 阳台 | garden 花园 | basement cellar 地下室 | attic loft 阁楼 | kitchen 厨房 | bathroom 浴室 卫生间 | bedroom 卧室 | garage 车库
told | mountain mountains 山里 山上 山区 | seaside beach 海边 沙滩 | lake 湖边 | forest woods 森林
told | chess_club | book_club 读书会 | choir 合唱团 | orchestra 管弦乐团
motion | from out_of leave leaves left leaving depart departs departed 从 来自 离开 自 | to into towards toward onto until till through for reach reaches reached arrive_in arrives_in arrived_in arrive_at 到 去 往 前往 飞往 抵达 至 搬到 搬去 迁到
"""

_PARTED_BOUND = re.compile(
    r"\b(?:no|not|never|cannot|nobody|nothing|\w+n't)(?: [a-z]+){1,5}? ((?:more|longer|later|higher|larger|greater|bigger|(less|fewer|lower|smaller|shorter)) than)\b",
    re.I,
)
"""*not* and *more than* with words between them: *must not use more than*."""
_RATE = re.compile(
    r"\b(?:once|twice|thrice|times|days|nights|hours?|minutes|mins|km|kilomet(?:er|re)s|miles|pages|cups|pills|tablets|euros?|dollars?|pounds|yuan|bucks|cents|"
    r"usd|eur|gbp|[\d.,]+[kKmM]?)\s(?:an?|per|each|every)\s(hour|day|night|week|month|quarter|year)\b"
    r"|(?<![\d每半整近约过第隔])一个?(天|周|星期|礼拜|月|季度|年)(?=[\u4e00-\u9fff]{0,5}?[一两二三四五六七八九十几\d]+[次遍回趟顿])"
)
"""How often or how much in a time: *three times a week*, *40 euros a month*, 一周三次. A span alone (*for a year*) is none."""
_SPAN = re.compile(r"\s(?:an?|per|each|every)\s(?:hour|day|night|week|month|quarter|year)|一个?[天周星礼月季年]")
_RATES = {
    "hour": "hourly", "day": "daily", "night": "daily", "week": "weekly", "month": "monthly", "quarter": "quarterly", "year": "yearly",
    "天": "每天", "周": "每周", "星期": "每周", "礼拜": "每周", "月": "每月", "季度": "每季度", "年": "每年",
}  # fmt: skip
_HERE = Path(__file__).parent
_LONG = 4000
"""A longer text is no sentence, and not looked into."""


class _Entry(NamedTuple):
    axis: str
    value: str
    way: str


def _forms(word: str) -> list[str]:
    """The word itself, or with a plus behind it the regular forms of a verb."""
    if not word.endswith("+"):
        return [word.replace("_", " ")]
    base = word[:-1]
    if base.endswith("e"):
        return [base, base + "s", base + "d", base[:-1] + "ing"]
    if base.endswith("y") and base[-2] not in "aeiou":
        return [base, base[:-1] + "ies", base[:-1] + "ied", base + "ing"]
    last = base[-1] if re.search(r"[^aeiou][aeiou][bdglmnprt]$", base) and len(base) < 5 else ""
    third = "es" if base.endswith(("s", "sh", "ch", "x", "z")) else "s"
    return [base, base + third, f"{base}{last}ed", f"{base}{last}ing"]


@cache
def _tables() -> tuple[dict[str, list[_Entry]], re.Pattern[str], re.Pattern[str]]:
    """(word or phrase, Chinese too, to its poles; the phrases; the Chinese words)."""
    known: dict[str, list[_Entry]] = {}
    for number, line in enumerate(_AXES.strip().splitlines()):
        way, *sides = (part.strip() for part in line.split(" | "))
        for place, side in enumerate(sides):
            for word in side.split():
                for form in _forms(word):
                    known.setdefault(form, []).append(_Entry(str(number), str(place), way))
    for number, (one, other) in enumerate(_antonyms()):
        if {entry.axis for entry in known.get(one, ())} & {entry.axis for entry in known.get(other, ())}:
            continue  # the table above knows better what must agree
        for place, word in enumerate((one, other)):
            known.setdefault(word, []).append(_Entry(f"a{number}", str(place), "beside"))
    for word in [word for word in known if " " in word and word[-1].isalpha() and not word.endswith("s")]:
        known.setdefault(word + "s", known[word])
    phrases = sorted(
        (word for word in known if word.isascii() and (" " in word or re.search(r"\d", word))), key=lambda word: -len(word)
    )
    chinese = sorted(
        (word for word in known if not word.isascii() and " " not in word and word[0] >= "\u3000"), key=lambda word: -len(word)
    )
    return (
        known,
        re.compile(rf"\b(?:{'|'.join(map(re.escape, phrases))})(?![\w-])", re.I),
        re.compile("|".join(("用户", *chinese))),  # 用户 has no 用
    )


@cache
def _antonyms() -> tuple[tuple[str, str], ...]:
    """The pairs of ``antonyms.txt``: made from WordNet 3.0 by ``scripts/build_senses.py``."""
    pairs = []
    for line in (_HERE / "antonyms.txt").read_text(encoding="ascii").splitlines():
        if not line.startswith("#"):
            pairs += [tuple(pair.split("|")) for pair in line.split()]
    return tuple((one, other) for one, other in pairs)


@lru_cache(maxsize=32768)
def poles(text: str) -> tuple[Pole, ...]:
    """All poles in a sentence, in order; one word may be a pole of several axes. English and Chinese; linear in its length."""
    if len(text) > _LONG:
        return ()
    known, phrases, chinese = _tables()
    plain = text.replace("’", "'")
    out: list[Pole] = []
    taken: list[tuple[int, int]] = []

    def add(start: int, end: int, word: str) -> None:
        for entry in known.get(word, ()):
            out.append(Pole(start, end, entry.axis, entry.value, entry.way, word))

    for found in _RATE.finditer(plain) if _SPAN.search(plain) is not None else ():
        word = _RATES[(found[1] or found[2]).casefold()]
        taken.append((found.start(), found.end()))
        add(found.start(), found.end(), word)
    parted = {found.start(1): "no less than" if found[2] else "no more than" for found in _PARTED_BOUND.finditer(plain)}
    for found in phrases.finditer(plain):
        taken.append((found.start(), found.end()))
        add(found.start(), found.end(), parted.get(found.start(), found[0].casefold()))
    for token in tokens(plain):
        if token.kind == "cjk":
            for found in chinese.finditer(token.text):
                if found[0] == "一般" and found.end() < len(token.text):
                    continue  # 一般在家: as a rule
                add(token.start + found.start(), token.start + found.end(), found[0])
        elif token.kind == "word" and not any(left <= token.start < right for left, right in taken):
            word = fold(token.text)
            start = token.start
            if word not in known and word.endswith("'s"):
                word = word[:-2]
            add(start, start + len(word), word)
    out.sort()
    return tuple(out)


__all__ = ["Pole", "poles"]
