"""Sentences that tell the stages of one matter: had a dog, the dog died; a vegetarian, eats meat; pregnant, gave birth.

They may have no word in common that turns a meaning, and each sounds true alone. So they have to stand together, in the order of time, with
their days. Two ways lead there: *matters*, a table of what people are at one time and not at another, each with its poles; and *ends*, a
sentence that something died, was sold, finished or cancelled, beside the sentences that tell of that very thing. Pure; English and Chinese.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from memopt.models.restated import RELATION

_LONGEST = 300
_FEWER = 4
_COMMON = 200
MANY_STAGES = 40
"""What is told of a matter more often than this has no stages that a reader would follow."""
_FEW = 8
"""Of more sentences than this that share a thing, only those that tell nothing else of it are its stages."""

# ---------------------------------------------------------------------------------------------------------------- matters

_MEAT = "meat|chicken|beef|pork|steak|bacon|lamb|turkey|ham|sausages?|burgers?|fish|seafood|poultry"
_IS = r"(?:is|are|was|were|became|has become|has been|turned|went|has gone|got|gets|has gotten|is now|now) (?:now |again |currently |no longer |a |an |still |recently |newly |also |strictly |strict )*"
_MATTERS: dict[str, tuple[tuple[str, str], ...]] = {
    "diet": (
        ("meatless", rf"\b{_IS}(?:vegetarian|vegan|plant-based|meat-free)\b|\b(?:does not|doesn['’]t|never|stopped|gave up|quit) (?:eat(?:ing)?s?) (?:any )?(?:{_MEAT})\b|\bno longer eats (?:any )?meat\b|\beats no meat\b|是(?:一[名位个])?(?:纯)?素食|吃素|不(?:再)?吃肉"),
        ("meat", rf"\b(?:eats|eating|ate|orders|cooks) (?:some |red |white |grilled |a lot of |a little |only )?(?:{_MEAT})\b|\b{_IS}(?:omnivore|carnivore|pescatarian|flexitarian)\b|\bno longer (?:a )?(?:vegetarian|vegan)\b|(?<![不])(?:又|开始|重新|恢复|爱|喜欢)?吃(?:了)?(?:牛|猪|鸡|羊|鱼)?肉|不再吃素"),
    ),
    "dairy": (
        ("none", rf"\b{_IS}(?:vegan|dairy-free|lactose[- ]intolerant|lactose-free)\b|\b(?:does not|doesn['’]t|never|stopped) (?:eat|drink|consum)\w* (?:any )?(?:dairy|milk|cheese)\b|乳糖不耐|不喝牛奶|是纯素"),
        ("some", r"\b(?:eats|drinks|likes|loves|enjoys|buys) (?:[a-z]+ )?(?:cheese|milk|yogh?urt|butter|eggs|honey|ice cream)\b|(?<!不)(?<!不喜欢)喝牛奶"),
    ),
    "gluten": (
        ("none", rf"\b{_IS}(?:gluten-free|coeliac|celiac)\b|\b(?:coeliac|celiac) disease\b"),
        ("some", r"\b(?:eats|likes|loves|bakes) (?:[a-z]+ )?(?:pasta|bread|pizza|croissants?|bagels?)\b"),
    ),
    "marriage": (
        ("single", rf"\b{_IS}(?:single|a bachelor|unmarried)\b|单身|未婚"),
        ("together", r"\b(?:has a|has an|got a|met a|found a) (?:new |steady )?(?:girlfriend|boyfriend|partner)\b|\b(?:is|are|started|began) (?:dating|seeing)(?: (?:someone|somebody|a |[A-Z])|[.,]|$)|\bin a relationship\b|\bback together\b|\breconciled\b|\b(?:girlfriend|boyfriend)(?:['’]s name)? is\b|(?:女|男)朋友(?:叫|是)|复合|和好|有(?:了)?(?:一个)?(?:女|男)朋友|谈恋爱|在恋爱|交往"),
        ("engaged", rf"\b{_IS}engaged(?! in)\b|\bproposed to\b|\bhas an? fianc|订婚|求婚"),
        ("married", rf"\b{_IS}(?:married|remarried)\b|\b(?:married|remarried|wed) (?:[A-Z]|(?:his|her|their) )|\b(?:remarried|married again|got married)\b|\bhas a (?:husband|wife|spouse)\b|(?<!未)(?<!再)结婚|已婚|再婚|复婚"),
        ("apart", rf"\b{_IS}(?:divorced|separated|a widow|a widower|widowed|a divorcee)\b|\b(?:divorced|broke up|split up|separated|filed for divorce|left (?:his|her|their) (?:wife|husband|partner|girlfriend|boyfriend))\b|\b(?:wife|husband|spouse|partner|girlfriend|boyfriend)(?: [A-Z]\w+)? (?:died|passed away)\b|离婚|离异|分手|分居|丧偶"),
    ),
    "smoking": (
        ("smokes", r"\b(?:smokes|vapes|is a smoker|started smoking|(?:is|was) smoking|resumed smoking|relapsed)\b|(?<!不)(?<!不再)(?:抽烟|吸烟|抽[^，。]{0,6}烟|复吸)"),
        ("not", rf"\b(?:quit|stopped|gave up|given up) (?:smoking|vaping|cigarettes)\b|\b(?:does not|doesn['’]t|never|no longer) (?:smokes?|vapes?)\b|\b{_IS}(?:a non-?smoker|an ex-smoker|smoke-free)\b|戒烟|戒了烟|不(?:再)?(?:抽烟|吸烟)"),
    ),
    "alcohol": (
        ("drinks", r"\b(?:drinks|enjoys|likes|loves) (?:a (?:glass of|pint of|lot of) |red |white |craft |too much )?(?:alcohol|beers?|wine|whisky|whiskey|vodka|gin|cocktails|rum)\b|\bstarted drinking again\b|(?<!不)(?<!不再)(?:喝酒|饮酒|喝(?:红|白|啤)酒)"),
        ("not", rf"\b{_IS}(?:sober|teetotal|a teetotall?er|alcohol-free)\b|\b(?:does not|doesn['’]t|never|no longer) drinks? (?:any )?(?:alcohol|beer|wine)\b|\b(?:quit|stopped|gave up|given up) (?:drinking|alcohol)\b|戒酒|滴酒不沾|不(?:再)?(?:喝酒|饮酒)"),
    ),
    "work": (
        ("job", r"\b(?:works|is working|is employed|started (?:working|work)) (?:at|for|as|by)\b|\b(?:started|found|got|accepted|took|has) (?:a|his|her|their|an) (?:new |first |full-time |part-time )*job\b|\b(?:was|got) hired\b|\bjoined [A-Z]\w+ as\b|在[^，。]{1,12}(?:工作|上班|任职|担任|当|做)|入职|找到(?:了)?(?:新)?工作|跳槽"),
        ("none", rf"\b{_IS}(?:unemployed|jobless|out of work|between jobs|laid off|fired|made redundant|let go|dismissed)\b|\blost (?:his|her|their|the) job\b|\b(?:quit|left|resigned from) (?:his|her|their|the) (?:job|position|company)\b|\bresigned\b|\b(?:is |was )?(?:looking for|searching for|hunting for) (?:a |new )*(?:job|work|position)\b|失业|被裁|辞职|离职|待业|找工作|被解雇"),
        ("retired", rf"\b{_IS}retired\b|\bretired (?:from|in|at|early|last)\b|退休"),
    ),
    "leave": (
        ("away", r"\bon (?:maternity|paternity|parental|sick|medical|unpaid|annual)?[ ]?(?:leave|sabbatical)\b|\bon a sabbatical\b|休产假|产假|休假|病假"),
        ("back", r"\b(?:went|is|came|goes|has gone) back (?:to|at) work\b|\breturned (?:to work|from (?:\w+ )?(?:leave|sabbatical))\b|回去上班|恢复上班|复工|重返职场|回(?:到)?公司上班"),
    ),
    "shifts": (
        ("nights", r"\b(?:works|has|does|on) (?:the )?night[- ]shifts?\b|\bno longer works (?:the )?day[- ]shifts?\b|上夜班|值夜班"),
        ("days", r"\b(?:works|has|does|on) (?:the )?(?:day|morning|early)[- ]shifts?\b|\b(?:no longer|stopped) work(?:s|ing) (?:the )?night[- ]shifts?\b|\bdoes not work (?:the )?night[- ]shifts?\b|上白班|上早班|不(?:再)?上夜班"),
    ),
    "hours": (("part", r"\bpart[- ]time\b|兼职"), ("full", r"\bfull[- ]time\b|全职")),
    "where": (
        ("home", r"\bworks (?:\w+ )?(?:from home|remotely)\b|\b(?:fully|100 ?%) remote\b|\bworking (?:from home|remotely)\b|居家办公|远程办公|在家办公"),
        ("office", r"\bworks (?:\w+ )?(?:in the office|on[- ]?site|in a hybrid|hybrid)\b|\b(?:returned|back|goes) to the office\b|\bback in the office\b|回办公室|坐班|到岗"),
    ),
    "household": (
        ("alone", r"\blives (?:alone|by (?:him|her)self|on (?:his|her) own)\b|独居|一个人住|独自居住"),
        ("with", r"\blives with\b|\bmoved in with\b|\bshares (?:a|an|his|her|the) (?:flat|apartment|house|room)\b|\bhas (?:a |an |two |three |\d )?(?:room|flat|house)mates?\b|和[^，。]{1,8}(?:一起|同)住|与[^，。]{1,8}同住|合租"),
        ("place", r"\blives in an? (?:[\w-]+ ){0,3}(?:flat|apartment|house|room|studio)\b|(?:租|住)的房子在"),
        ("moved", r"\bmoved (?:in)?to an? (?:[\w-]+ ){0,3}(?:flat|apartment|house|room|studio)\b|搬进|搬到"),
        ("left", r"\bmoved out\b|搬出"),
    ),
    "home": (
        ("rents", r"\b(?:rents|is renting) (?:an?|the|his|her) (?:[\w-]+ ){0,2}(?:flat|apartment|house|room|studio|place)\b|租房|租了"),
        ("wants", r"\b(?:wants|plans|hopes|is looking|is saving) (?:to|for) (?:buy )?(?:an? )?(?:own )?(?:flat|apartment|house|home)\b|(?:想|打算|计划)买房"),
        ("owns", r"\b(?:bought|owns|purchased) (?:an?|the|his|her|their) (?:[\w-]+ ){0,2}(?:flat|apartment|house|home|condo)\b|(?<!想)(?<!打算)(?<!计划)买(?:了)?(?:一套)?房"),
        ("sold", r"\bsold (?:an?|the|his|her|their) (?:[\w-]+ ){0,2}(?:flat|apartment|house|home|condo)\b|卖(?:了|掉)(?:了)?房"),
    ),
    "driving": (
        ("drives", r"\b(?:drives|owns|has|bought|got) (?:an?|his|her|the|to work) ?(?:[\w-]+ ){0,3}?(?:car|van|suv|[A-Z]\w+)?\b(?<=car|van|suv)|\bdrives (?:an?|to|his|her|the)\b|开车上班|有一辆车|买了(?:一辆)?(?:新)?车"),
        ("not", r"\bsold (?:his|her|their|the) (?:[\w-]+ )?car\b|\b(?:does not|doesn['’]t|no longer|stopped|never) (?:own|drive|have a car)\w*\b|\bgave up driving\b|\bhas no (?:car|driving licen[cs]e)\b|卖(?:了|掉)(?:了)?车|把车卖|不(?:再)?开车|没有车"),
    ),
    "baby": (
        ("expects", rf"\b{_IS}(?:\w+ (?:weeks?|months?) )?pregnant\b|\bexpect(?:s|ing) (?:a|her|his|their|twins)\b|\btrying for a baby\b|怀孕|备孕"),
        ("born", r"\b(?:gave birth|had a (?:baby|son|daughter)|had twins|welcomed a|miscarried|had a miscarriage)\b|生了|流产|(?:女儿|儿子|宝宝)出生"),
    ),
    "illness": (
        ("ill", rf"\b{_IS}(?:very |seriously |quite )?(?:ill|sick|hospitali[sz]ed|infected|bedridden|depressed)\b|\bin (?:the )?hospital\b|\b(?:has|caught|got|was diagnosed with) (?:an? |the |breast |lung |skin )?(?:cancer|flu|cold|covid|pneumonia|infection|burnout|depression)\b|住院|生病|病了|患(?:了|有|上)|得了[^，。]{0,4}(?:病|癌|炎)|感冒"),
        ("well", rf"\b(?:recovered|has recovered|got better|feels better|is better|was discharged|left (?:the )?hospital|came home from (?:the )?hospital)\b|\b{_IS}(?:healthy again|cured|in remission|cancer-free|out of (?:the )?hospital|well again)\b|出院|康复|痊愈|病好|好转|治愈"),
    ),
    "injury": (
        ("hurt", r"\b(?:broke|sprained|tore|fractured|injured|twisted|pulled|hurt|dislocated) (?:his|her|their|a|an|the) \w+|\bhas an? (?:broken|sprained|torn|injured|fractured) \w+|\bhas an? (?:[a-z]+ )?injury\b|骨折|扭伤|受伤|拉伤"),
        ("healed", r"\b(?:has |have |is |are |was )?(?:fully |completely )?healed\b|\b(?:is|started) (?:running|walking|playing|training|climbing|cycling) again\b|\bcast (?:is|was|came) off\b|伤好|伤愈|恢复(?:跑步|训练|运动)"),
    ),
    "studies": (
        ("school", r"读高[一二三]|读初[一二三]|上小学|上初中|上高中|高考|\b(?:is|goes) (?:in|to) (?:high|primary|elementary|middle) school\b"),
        ("studies", rf"考上[^，。]{{0,8}}大学|\bstudies [\w ]+ at\b|\b{_IS}(?:\w+ )?(?:student|freshman|undergraduate|phd candidate)\b|\bstudies [a-z]+\b|\bgoes to (?:university|college)\b|读大学|上大学|读研|在读(?![高初小])|大学生|研究生"),
        ("done", r"\bgraduated\b|\bdropped out\b|\b(?:finished|completed) (?:his|her|their|the|a) (?:\w+ )?(?:degree|studies|phd|master\w*|bachelor\w*|thesis)\b|毕业|退学|休学"),
    ),
    "debt": (
        ("owes", r"\bowes\b|\blent\b|\bborrowed\b|欠"),
        ("paid", r"\bpaid\b.*\bback\b|\brepaid\b|\bsettled (?:the|his|her) debt\b|还(?:了|清)"),
    ),
    "answers": (
        ("short", r"\b(?:short|brief|concise|terse|succinct|shorter) (?:answers?|replies|responses|explanations|summaries)\b(?! (?:about|on|for|when|in|to)\b)|\b(?:answers?|replies|responses) (?:should be |to be |kept |that are )?(?:short|brief|concise)\b|(?:简短|简洁|简明|精简)的?(?:回答|回复|答案)|回答(?:要|应)?(?:简短|简洁)"),
        ("long", r"\b(?:long|longer|detailed|thorough|in-depth|comprehensive|lengthy|full) (?:answers?|replies|responses|explanations|summaries)\b(?! (?:about|on|for|when|in|to)\b)|\b(?:answers?|replies|responses) (?:should be |to be |that are )?(?:long|detailed|thorough)\b|详细的?(?:回答|回复|答案|解释)|回答(?:要|应)?详细"),
    ),
    "tone": (
        ("formal", r"\b(?:prefers|wants|likes) (?:a )?(?:more )?formal\b|正式的语气"),
        ("casual", r"\b(?:prefers|wants|likes) (?:a )?(?:more )?(?:casual|informal|relaxed)\b|轻松的语气|随意的语气"),
    ),
    "rising": (
        ("early", rf"\b{_IS}(?:early bird|early riser|morning person)\b|\b(?:gets|wakes) up (?:early|at [456]\b)|早起"),
        ("late", rf"\b{_IS}(?:night owl|late riser)\b|\b(?:gets|wakes) up (?:late|at (?:10|11|noon))|\bstays up late\b|熬夜|晚起|夜猫子"),
    ),
    "pets": (
        ("have", r"\b(?:has|adopted|owns|got|bought) (?:an?|two|three|\d) (?:[\w-]+ ){0,2}(?:dog|cat|puppy|kitten|rabbit|parrot|hamster|horse|pet)s?\b|养了[^，。]{0,4}(?:狗|猫|兔|鸟)|有[一两二三][只条][^，。]{0,2}(?:狗|猫|兔|鸟)"),
        ("none", r"\bhas no (?:pets?|animals|dogs?|cats?)\b|\b(?:does not|doesn['’]t) have (?:any |a )?(?:pets?|animals|dogs?|cats?)\b|\bno longer has (?:a |an |any )?(?:pets?|dogs?|cats?)\b|没有(?:养)?宠物|不养(?:宠物|狗|猫)"),
    ),
    "children": (
        ("none", r"\bhas no (?:children|kids)\b|\b(?:does not|doesn['’]t) have (?:any )?(?:children|kids)\b|\bis childless\b|没有孩子"),
        ("some", r"\bhas (?:a|one|two|three|four|\d) (?:[\w-]+ )?(?:son|daughter|child|kid|children|kids|sons|daughters|baby|twins)\b|有(?:一|两|二|三|\d)个(?:孩子|女儿|儿子)|生了"),
    ),
    "faith": (
        ("believes", rf"\b{_IS}(?:catholic|christian|muslim|jewish|buddhist|hindu|religious|protestant)\b|信(?:佛|基督|天主)"),
        ("not", rf"\b{_IS}(?:an? )?(?:atheist|agnostic|not religious)\b|\bleft the church\b|不信教|无神论"),
    ),
    "town": (
        ("there", r"\b(?:lives|is living|settled) in [A-Z]|\bmoved to [A-Z]|住在|搬到|搬去"),
        ("back", r"\b(?:moved|came|went|is) back (?:to|in) [A-Z]|\breturned to [A-Z]|回到(?!家|公司|办公室|工作)|搬回"),
    ),
    "permit": (
        ("student", r"\bstudent visa\b|学生签证"),
        ("work", r"\bwork (?:permit|visa)\b|\bblue card\b|工作签证|工签"),
        ("residence", r"\b(?:permanent resident|permanent residen\w+|residence permit|green card)\b|永久居留|绿卡"),
        ("citizen", r"\bcitizen(?:ship)?\b|\bnaturali[sz]ed\b|入籍"),
    ),
    "offer": (
        ("considers", r"\b(?:considering|considers|got|received|has|thinking about) (?:an? |the |another )?(?:job |new )?offer\b|收到[^，。]{0,12}offer"),
        ("decided", r"\b(?:accepted|declined|rejected|turned down|took|refused) (?:an? |the |another )?(?:[A-Z]\w+ |job )?offer\b|(?:接受|拒绝)[^，。]{0,12}offer"),
    ),
}  # fmt: skip
_ONE_WAY = {"offer": ("considers", "decided"), "baby": ("expects", "born")}
"""Matters whose stages tell by themselves which one came first, so that their order alone says it."""


_CUES = {
    "diet": "vegetarian vegan plant-based meat eat ate orders cooks vore flexitarian pescatarian 素 肉",
    "dairy": "vegan dairy lacto milk cheese eats drinks likes loves enjoys buys 乳糖 牛奶 纯素",
    "gluten": "gluten liac pasta bread pizza croissant bagel",
    "marriage": "single bachelor married wed girlfriend boyfriend partner dating seeing relationship engaged proposed fianc divorc separat widow broke split together reconcil wife husband spouse 单身 婚 朋友 恋爱 交往 分手 分居 离异 丧偶 复合 和好",
    "smoking": "smok vap cigarette relapsed 烟 复吸",
    "alcohol": "alcohol beer wine whisk vodka gin cocktail rum drinking sober teetotal 酒",
    "work": "work employed job hired joined laid fired redundant let dismissed resigned position company retired 工作 上班 任职 担任 当 做 入职 跳槽 失业 被裁 辞职 离职 待业 被解雇 退休",
    "leave": "leave sabbatical back returned 假 上班 复工 职场",
    "shifts": "shift 夜班 白班 早班",
    "hours": "part full 兼职 全职",
    "where": "home remote office site hybrid 居家 远程 在家 办公 坐班 到岗",
    "household": "lives moved shares mate 独居 住 搬 合租 租的房",
    "home": "rent flat apartment house home condo room studio place 房",
    "driving": "driv owns has bought got sold car van 车",
    "baby": "pregnan expect baby birth twins welcomed miscarr 孕 生了 流产 出生",
    "illness": "ill sick hospital infect bedridden depress cancer flu cold covid pneumonia burnout recover better discharged healthy cured remission out well 院 病 患 得了 感冒 康复 痊愈 好转 治愈",
    "injury": "broke sprain tore fractur injur twisted pulled hurt dislocated torn heal again cast 骨折 伤 恢复",
    "studies": "school 读 考上 小学 初中 高中 高考 stud freshman undergraduate phd university college graduated dropped finished completed 大学 研 在读 毕业 退学 休学",
    "debt": "owes lent borrowed paid repaid settled 欠 还",
    "answers": "answer replies reply response explanation summar 回答 回复 答案 解释",
    "tone": "formal casual relaxed 语气",
    "rising": "early late morning night wakes gets 早起 熬夜 晚起 夜猫",
    "pets": "dog cat pupp kitten rabbit parrot hamster horse pet animals 狗 猫 兔 鸟 宠物",
    "children": "child kid son daughter baby twins 孩子 女儿 儿子 生了",
    "faith": "catholic christian muslim jewish buddhist hindu religious protestant atheist agnostic church 信 无神论",
    "town": "lives living settled moved back returned 住在 搬 回到",
    "permit": "visa permit blue permanent residen green citizen naturali 签 居留 绿卡 入籍",
    "offer": "offer",
}  # fmt: skip
"""Pieces of words, small, one of which stands in whatever a matter's patterns find; looked for first, because that is fast."""


@cache
def _matters() -> tuple[tuple[str, tuple[str, ...], tuple[tuple[str, re.Pattern[str]], ...]], ...]:
    return tuple(
        (
            name,
            tuple(_CUES[name].split()),
            tuple((pole, re.compile(pattern, re.IGNORECASE if name != "marriage" else re.NOFLAG)) for pole, pattern in poles),
        )
        for name, poles in _MATTERS.items()
    )


@dataclass(frozen=True, slots=True)
class Thread:
    """The positions of sentences that tell the stages of one matter; ``clear``: which came first is told by what they say."""

    members: tuple[int, ...]
    clear: bool = False


_ZH_WHO = (
    "女儿|儿子|孙子|孙女|外孙女?|侄子|侄女|老伴|妹妹|姐姐|哥哥|弟弟|妻子|老婆|丈夫|老公|妈妈|母亲|爸爸|父亲|女朋友|男朋友|女友|男友|朋友|同事|老板|室友|奶奶|爷爷|外婆|外公|"
    "姥姥|姥爷|叔叔|舅舅|阿姨|姑姑|表哥|表姐|表弟|表妹"
)
_RELATIVE = re.compile(
    rf"^(?:the )?user['’]s ((?:{RELATION}))(?:,? [A-Z]\w+)?\b|^用户(?:的|有一?个)({_ZH_WHO})",
    re.IGNORECASE,
)
_COUPLE = frozenset(
    "wife husband spouse partner girlfriend boyfriend fiancé fiancée 妻子 老婆 丈夫 老公 女朋友 男朋友 女友 男友".split()
)
_NAME = re.compile(r"^([A-Z][\w-]+)(?: [A-Z][\w-]+)?(?:['’]s)? ")
_BODY = re.compile(
    r"^(?:the )?user['’]s (?:left |right )?(?:ankle|leg|arm|knee|foot|hand|wrist|back|shoulder|rib|hip|cast|injury|toe|finger|elbow|divorce|wedding)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=65536)
def whose(text: str) -> str:
    """Of whom a sentence tells: "" for the user, else the relative or the name."""
    if _BODY.match(text):
        return ""
    found = _RELATIVE.match(text)
    if found is not None:
        return (found[1] or found[2]).casefold()
    if re.match(r"(?:the )?user\b|用户|我", text, re.IGNORECASE):
        return ""
    named = _NAME.match(text)
    return named[1].casefold() if named else "~"


_INTRODUCED = re.compile(
    rf"^(?:the )?user(?:['’]s| has an?| has(?: got)?| adopted an?| got an?) (?:[a-z]+ ){{0,2}}?(?P<who>{RELATION}),? (?:(?:is |who is )?(?:named|called) |is )?(?P<name>[A-Z][\w-]+)",
    re.IGNORECASE,
)
_OF_USER = re.compile(r"(?:the )?user\b", re.IGNORECASE)
_CALLED = re.compile(
    r"\b(?:an?|the|his|her|their) (?:[a-z-]+ ){0,3}(?P<who>[a-z][a-z-]+),? (?:named|called) (?P<name>[A-Z][\w-]+)"
)
_ZH_INTRODUCED = re.compile(
    rf"^用户.{{0,8}}?(?P<who>{_ZH_WHO}|狗|猫|兔子|鸟)"
    r"(?:了?[，,]?(?:名字是|名字叫|名叫|取名叫?|叫做|叫)(?P<named>[\u4e00-\u9fff]{2,3})(?=[，,。]|$)|(?P<name>[\u4e00-\u9fff]{2}))"
)


class Introduced(NamedTuple):
    """Who somebody is (``sister``, 狗), and the position of the sentence that says so."""

    who: str
    at: int


def introduced(texts: Sequence[str]) -> dict[str, Introduced]:
    """The names of those who belong to the user, folded, as far as one sentence tells who each of them is."""
    out: dict[str, Introduced] = {}
    doubtful: dict[str, Introduced] = {}
    for at, text in enumerate(texts):
        if not text or len(text) > _LONGEST:
            continue
        thing = _CALLED.search(text) if _OF_USER.match(text) else None
        if thing is not None:
            out.setdefault(thing["name"].casefold(), Introduced(thing["who"].casefold(), at))
        found = _INTRODUCED.match(text)
        if found is not None and found["name"][0].isupper():
            out.setdefault(found["name"].casefold(), Introduced(found["who"].casefold(), at))
        chinese = _ZH_INTRODUCED.match(text)
        if chinese is not None and chinese["named"]:
            out.setdefault(chinese["named"], Introduced(chinese["who"], at))
        elif chinese is not None:
            doubtful.setdefault(chinese["name"], Introduced(chinese["who"], at))
    for text in texts:  # where a name ends is not written in Chinese, but a sentence may begin with it
        if text[:2] in doubtful:
            out.setdefault(text[:2], doubtful[text[:2]])
    return out


def named_by(text: str, people: Mapping[str, Introduced]) -> Introduced | None:
    """Whom a sentence that begins with a name tells of, where it is known."""
    if not people:
        return None
    found = _NAME.match(text)
    if found is not None:
        return people.get(found[1].casefold().removesuffix("'s").removesuffix("’s"))
    return people.get(text[:2]) or people.get(text[:3]) if re.match(r"[\u4e00-\u9fff]", text) else None


def with_relation(text: str, people: Mapping[str, Introduced]) -> str:
    """A sentence that begins with the name of one of the user's with who that is: ``User's son Tim`` for ``Tim``."""
    known = named_by(text, people)
    if known is None:
        return text
    if re.match(r"[\u4e00-\u9fff]", text):
        return f"用户的{known.who}{text}"
    return f"User's {known.who} {text}"


_EMPLOYER = re.compile(
    r"\b(?:works?|working|is employed|started(?: (?:working|work|a (?:new )?job))?) (?:at|for|by) (?P<en>[A-Z][\w&.-]*)|\b(?:joined|was hired by) (?P<hired>[A-Z][\w&.-]*)(?: as\b|\.?$)"
    r"|在(?P<zh>[^，。的和]{1,10}?)(?:任职|担任|当|做)|(?:入职|加入|跳槽到)了?(?P<new>[^，。的]{2,10})"
)


def _of_employers(texts: Sequence[str], people: Mapping[str, Introduced]) -> list[Thread]:
    """Sentences that name different employers of one person."""
    found: dict[str, dict[int, str]] = defaultdict(dict)
    for at, text in enumerate(texts):
        hit = _EMPLOYER.search(text) if text and len(text) <= _LONGEST else None
        if hit is None:
            continue
        known = named_by(text, people)
        person = whose(text) if known is None else known.who
        if person != "~":
            found[person][at] = next(value for value in hit.groups() if value).casefold()
    return [Thread(tuple(sorted(each))) for each in found.values() if len(set(each.values())) > 1 and len(each) <= _FEW]


def _of_matters(texts: Sequence[str], people: Mapping[str, Introduced]) -> list[Thread]:
    found: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for at, text in enumerate(texts):
        if not text or len(text) > _LONGEST:
            continue
        known = named_by(text, people)
        person = whose(text) if known is None else known.who
        couple = person in _COUPLE
        if person == "~":
            continue
        low = text.casefold()
        for name, cues, poles in _matters():
            if not any(cue in low for cue in cues):
                continue
            for pole, pattern in reversed(poles):  # what denies holds the words of what affirms
                if pattern.search(text):
                    found["" if couple and name == "marriage" else person, name][at] = pole
                    break
    out = []
    for (_, name), poles_of in found.items():
        if len(set(poles_of.values())) < 2 or len(poles_of) > MANY_STAGES:
            continue
        way = _ONE_WAY.get(name)
        told = [poles_of[at] for at in sorted(poles_of)]
        clear = way is not None and [way.index(pole) for pole in told] == sorted(way.index(pole) for pole in told)
        out.append(Thread(tuple(sorted(poles_of)), clear))
    return out


# ----------------------------------------------------------------------------------------------------------------- values

_HAS_VALUE = re.compile(
    r"^(?:The |Our |User['’]s )?(?P<what>(?!User\b|It\b|He\b|She\b|They\b|This\b|That\b|There\b)[A-Za-z][\w./-]*(?: [\w./-]+){0,4}?) (?P<verb>(?:is|are|was|were) (?:now )?(?:set|moved|changed|raised|lowered|increased|reduced|postponed|extended|upgraded|updated) to|(?:is|are|was|were) (?:now )?(?:planned|scheduled|booked|due|set) (?:for|on|in)|(?:moved|changed) to|is|are|runs? on|points to|expires? on|starts at|begins at|lives at) "
    r"(?:on |at |now |currently )*(?P<value>https?://\S+|(?:v?\d|[A-Z@])[\w.:/%$€+-]*(?: [\w.:/%-]+){0,5}?)\.?$"
)
_OPEN_WHAT = re.compile(
    r"\b(?:name|named|called|one|owner|lead|friend|favou?rite|example|goal|plan)s?\b|" + rf"\b(?:{RELATION})\b", re.IGNORECASE
)


_COUNT = re.compile(
    r"^(?P<who>(?:The user|User|I|[A-Z]\w+)(?:['’]s(?: [\w-]+){1,2})?) (?:now |also )?(?:has|owns|employs) (?:now )?(?P<count>\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve) (?P<what>[a-z][\w-]*)\b"
)
_ZH_AGE = re.compile(
    r"^(?P<who>[\u4e00-\u9fff]{2,10}?)(?:今年|已经|现在|都)?(?P<age>\d{1,3}|[一二三四五六七八九十]{1,3})岁了?[。]?$"
)


_NUMBERS = {
    word: str(at) for at, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_AGES = re.compile(
    r"\b(?P<one>[A-Z][a-zé]+) \((?P<in>\d{1,2})\)|^(?P<two>[A-Z][a-zé]+) is (?:now )?(?P<is>\d{1,2})(?: years old)?(?: now)?\.?$"
)


def ages(text: str) -> list[tuple[str, str]]:
    """The names, folded, whose age a sentence tells: ``two sons, Tim (9) and Ben (6)``; ``Ben is 8 now``."""
    return [((found["one"] or found["two"]).casefold(), found["in"] or found["is"]) for found in _AGES.finditer(text)]


class Value(NamedTuple):
    """A thing with the verb, as one string for all that tell of it, and the value that it has."""

    frame: str
    value: str


@lru_cache(maxsize=65536)
def value_of(text: str) -> Value | None:
    """What a sentence says that a thing's address, version, day or number is; None for other sentences, and for people."""
    if len(text) > _LONGEST:
        return None
    aged = _ZH_AGE.match(text)
    if aged is not None:
        return Value(f"{aged['who'][-2:]} 岁", aged["age"])
    count = _COUNT.match(text)
    if count is not None:
        return Value(
            f"{count['who'].casefold().removeprefix('the ')} has {_stemmed(count['what'])}",
            _NUMBERS.get(count["count"], count["count"]),
        )
    found = _HAS_VALUE.match(text)
    if (
        found is None
        or _OPEN_WHAT.search(found["what"])
        or not (found["what"].islower() or not found["what"].istitle() or " " not in found["what"])
    ):
        return None
    kind = "address" if found["value"].startswith("http") else "figure" if re.search(r"\d", found["value"]) else "name"
    what = " ".join(_stemmed(word) for word in found["what"].split())
    verb = found["verb"].split()[0] if re.fullmatch(r"(?:runs?|expires?|starts|begins|lives) (?:on|at)", found["verb"]) else "is"
    return Value(f"{what} {_stemmed(verb)} {kind}", found["value"])


# ------------------------------------------------------------------------------------------------------------------- ends

_GONE = r"(?:has |have |had |was |were |is |are |got )?(?:recently |just |finally |already |suddenly )?(?:died|passed away|dead|put down|put to sleep|ran away|left|retired|moved out|closed|shut down|expired|broke down|ended|deleted|discontinued|deprecated|stolen|arrived|delivered|repaired|renovated|replaced|cancelled|canceled|upgraded|migrated|renamed|postponed|fixed|resolved|archived|totaled|totalled)\b"
_DONE = (
    r"(?:has |have |had )?(?:recently |just |finally |already )?(?:sold|gave away|given away|gave up|given up|got rid of|threw away|cancelled|canceled|stopped|quit|"
    r"finished|completed|lost|returned|deleted|removed|dropped|ended|broke up with|left|fired|deprecated|fixed|resolved|passed|failed|unsubscribed from|outgrew|overcame|recovered from|got over|"
    r"resigned from|withdrew from|closed|paid off|paid back|repaid|broke|replaced|(?:does not|doesn['’]t) (?:like|love|enjoy|trust)|no longer (?:likes|loves|enjoys|has|owns|uses|plays|attends|visits|wears|takes|rents|needs|reads|watches|"
    r"works (?:on|with)|goes to|practi[cs]es|collects|sees|follows))\b"
)
_ENGLISH_END = re.compile(
    rf"^(?P<who>(?:the )?(?:[\w'’.()#/-]+ ){{1,6}}?)(?:(?P<gone>{_GONE})(?P<after>[^,;]*)|(?P<done>{_DONE}) (?P<what>[^,;]+))"
)
_LEFT_FOR = re.compile(r"\b(?:migrated|switched|changed) (?:away )?from (?P<what>[A-Z][\w.+#-]*(?: [A-Z][\w.+#-]*)?) to\b")
_ALTERED = re.compile(
    r"\b(?:changed|updated|renamed|increased|reduced|lowered|raised|extended|shortened) (?:the|his|her|their|its|our) (?P<what>[^,;]{3,60}?) (?:to|from|with|by)\b"
)
_USES = re.compile(r"\b(?:uses?|using|runs on|depends on|written in)\b", re.IGNORECASE)
_CHINESE_END = re.compile(
    r"^(?:用户)?的?(?P<what>[^，。；]{1,16}?)(?:已经|已|昨天|上周|上个月|今年|去年|最近)?(?:被|给)?(?:去世|死|走丢|丢|卖掉|卖|坏|退役|关闭|取消|结束|停用|下线|解散|修好|完成|读完|看完|出院|康复)(?:了|掉)?"
)
_CHINESE_DONE = re.compile(
    r"^用户(?:已经|已|终于|刚|昨天|上周)?(?:把)?(?:卖掉|卖|退掉|取消|退出|看完|读完|学完|完成|停用|停止|停掉|停|放弃|不再(?:用|玩|学|养|看|去|吃|喝|练)?|戒|辞去|离开|丢)(?:了|掉)?(?P<what>[^，。；了]{1,14})"
)
_SMALL = frozenset(
    """the a an his her their its my our this that these those user user's users of in on at with from to for by into and or it them all some any
    very his/her last next year month week day days years months weeks today yesterday again finally recently already still also away up out off
    has have had was were is are be been got january february march april may june july august september october november december about
    after before because due since during one two three new old first second own job work working going reading using playing taking doing anymore any more so too really very""".split()
)
_WORD = re.compile(r"[^\W\d_\u2e80-\uffff][\w.+#-]*")


_SAME_STEM = {
    "membership": "member",
    "subscription": "subscrib",
    "subscriber": "subscrib",
    "subscribed": "subscrib",
    "allergic": "allerg",
    "allergy": "allerg",
    "allergies": "allerg",
}


def _stemmed(word: str) -> str:
    word = word.casefold().strip(".-")
    if word in _SAME_STEM:
        return _SAME_STEM[word]
    for ending in ("'s", "’s", "ing", "ies", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=65536)
def telling(text: str) -> frozenset[str]:
    """The telling words of a text, without their endings."""
    plain = re.sub(r"['’]s\b", "", text)
    return frozenset(_stemmed(word) for word in _WORD.findall(plain) if word.casefold().strip(".-") not in _SMALL)


@lru_cache(maxsize=65536)
def _ended(text: str) -> tuple[frozenset[str], str]:
    """What an English sentence says is over, as words all of which tell of it; and what a Chinese one does, as a string."""
    if len(text) > _LONGEST:
        return frozenset(), ""
    if re.match(r"[\u4e00-\u9fff]", text):
        match = _CHINESE_DONE.match(text) or _CHINESE_END.match(text)
        if match is None:
            return frozenset(), ""
        what = re.sub(r"^(?:用户的?|把|的|一[只条个辆台部]|那[只条个辆])|(?:已经|已|被|的)$", "", match["what"])
        return frozenset(), what if len(what) >= 2 or what in "狗猫车房烟酒琴" else ""
    left = _LEFT_FOR.search(text) or _ALTERED.search(text)
    if left is not None:
        return telling(left["what"]), ""
    match = _ENGLISH_END.match(text)
    if match is None:
        return frozenset(), ""
    if match["gone"] and not re.match(r"\s*(?:the |his |her |their |an? |[A-Z])(?!.*\bin\b$)", match["after"] or ""):
        return telling(match["who"]), ""
    what = match["what"] or match["after"] or ""
    what = re.split(
        r" (?:because|and|after|when|in (?=\d|[A-Z][a-z]+ \d|January|February|March|April|May|June|July|August|September|October|November|December)|last|for good)\b",
        what,
    )[0]
    return telling(what), ""


_PLANNED = re.compile(
    r"\b(?:plan(?:s|ning)|wants to|prepar(?:es|ing)|training for|ordered|is waiting for|expects|intends|hopes|is going to|signed up|registered)\b|打算|计划|想|准备"
)
_REACHED = re.compile(r"\b(?:finished|completed|passed|bought|visited|ran|arrived|delivered)\b|完成|通过|跑完|读完")


def ends(text: str) -> bool:
    """Whether a sentence tells that something is over: died, sold, cancelled, no longer, 戒了."""
    words, what = _ended(_with_subject(text))
    return bool(words or what) or _DENIED.search(text) is not None


_DENIED = re.compile(r"\b(?:no longer|any ?more|not|never|used to|former(?:ly)?)\b|n['’]t\b|不再|不|没", re.IGNORECASE)


def _rare(places: Sequence[int]) -> Sequence[int]:
    """The places of a word, or none where it stands in so many sentences that it is no sign of one matter."""
    return places if len(places) <= _COMMON else ()


def _of_ends(texts: Sequence[str]) -> list[Thread]:
    ends = [(at, *_ended(text)) for at, text in enumerate(texts) if text]
    ends = [end for end in ends if end[1] or end[2]]
    if not ends:
        return []
    where: dict[str, list[int]] = defaultdict(list)
    wanted = {word for _, words, _ in ends for word in words}
    for at, text in enumerate(texts):
        if text and len(text) <= _LONGEST:
            for word in telling(text) & wanted:
                where[word].append(at)
    chinese = [at for at, text in enumerate(texts) if text and re.match(r"[\u4e00-\u9fff]", text) and len(text) <= _LONGEST]
    by_pair: dict[str, list[int]] = defaultdict(list)
    pairs = {what[:2] for _, _, what in ends if what}
    for at in chinese if pairs else ():
        text = texts[at]
        for pair in pairs.intersection((*text, *(text[place : place + 2] for place in range(len(text) - 1)))):
            by_pair[pair].append(at)
    out = []
    for at, words, what in ends:
        if what:
            others = [other for other in _rare(by_pair[what[:2]]) if other != at and what in texts[other]]
        else:
            rarest = min(
                sorted(words), key=lambda word: len(where[word])
            )  # sorted: the order of a set is another in each process
            others = [
                other for other in _rare(where[rarest]) if other != at and len(words - telling(texts[other])) <= (len(words) > 2)
            ]
            if _LEFT_FOR.search(texts[at]):
                others = [other for other in others if _USES.search(texts[other])]
        others = [other for other in others if not any(_ended(texts[other]))]  # the same end told again is no stage
        if others and len(others) <= (_FEW if what or len(words) > 1 else _FEWER):
            planned = all(_PLANNED.search(texts[other]) and other < at for other in others)
            out.append(Thread(tuple(sorted((at, *others))), planned and _REACHED.search(texts[at]) is not None))
    return out


_BARE = re.compile(
    r"(?:likes|loves|hates|plays|has|is|was|does|no longer|wants|bought|sold|owns|finished|stopped|quit|started|lives|works|moved|got|adopted|drives|smokes|drinks|eats|"
    r"cancelled|lost|left|takes|reads|is|uses|became|married|broke|recovered|retired|rents)\b",
    re.IGNORECASE,
)


def _with_subject(text: str) -> str:
    """The sentence with the user as its subject, where it leaves that out: ``likes tea``."""
    return f"User {text[0].lower()}{text[1:]}" if _BARE.match(text) else text


def threads(texts: Sequence[str]) -> list[Thread]:
    """The threads among sentences that stand in the order of time; "" at a position is skipped."""
    texts = [_with_subject(text) for text in texts]
    people = introduced(texts)
    return [*_of_matters(texts, people), *_of_employers(texts, people), *_of_ends(texts)]


def unite(groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Groups that share a member as one, each in ascending order."""
    root: dict[int, int] = {}

    def find(at: int) -> int:
        while root.setdefault(at, at) != at:
            root[at] = root[root[at]]
            at = root[at]
        return at

    for members in groups:
        for at in members[1:]:
            root[find(at)] = find(members[0])
    out: dict[int, list[int]] = defaultdict(list)
    for at in {at for members in groups for at in members}:
        out[find(at)].append(at)
    return sorted(sorted(members) for members in out.values())
