"""How much, how often, with whom: a word that changes a fact and that one side alone has (*severely allergic*, *lives there alone*, 兼职).

A paraphrase puts in many adverbs that say nothing (*really*, *also*). The rows below are those that do say something, each with all that could
tell the same in other words. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

_ENGLISH: tuple[tuple[str, str], ...] = (
    (r"severely|severe|deathly|life-threatening", r"sever\w*|serious\w*|death\w*|deadly|life-threatening|extreme\w*|heav\w+|bad\w*|acute\w*|intense\w*|strong\w*|anaphyla\w*|danger\w*|fatal\w*|epipen|worst|bitter\w*|major|critical\w*|grave\w*|harsh\w*|debilitat\w*|terrib\w+|awful\w*|high\w*|very|kill\w*|hospital\w*"),
    (r"mildly|mild", r"mild\w*|slight\w*|bit|little|light\w*|low\w*|somewhat|minor|gentle|soft|faint\w*|moderate\w*|weak\w*|not (?:very|too|so)"),
    (r"alone", r"alone|lone\w*|self|himself|herself|themselves|own|solo|single\w*|individual\w*|solitary|solitude|only|company|nobody|no one|without|independent\w*|one-person|unaccompanied|let alone"),
    (r"secretly|in secret", r"secret\w*|hid\w*|private\w*|without (?:telling|knowing|his|her)|nobody knows|quiet\w*|conceal\w*|confid\w*|surprise|unknown|covert\w*"),
    (r"part[- ]time", r"part[- ]time|half|side|hours|days|weekend\w*|evening\w*|mini-?job|percent|%|besides|additional\w*"),
    (r"full[- ]time", r"full[- ]time|hours|whole|all day|percent|%|40"),
    (r"temporarily", r"temporar\w*|for now|interim|short|until|meantime|meanwhile|currently|while|moment|brief\w*|provisional\w*|for (?:a|the|two|three|some)\b"),
    (r"occasionally|sometimes|now and then|once in a while|from time to time", r"occasion\w*|sometimes|now and (?:then|again)|time to time|once in|rare\w*|seldom|few|at times|every so often|here and there|irregular\w*|not (?:always|often)|can|may|might|some|every|when\w*|if|tends?|likes? to|often|usual\w*"),
    (r"daily|every day|each day", r"da(?:y|ys|ily)|every|each|morning\w*|evening\w*|night\w*|noon|breakfast|dinner|lunch|\bbed|constant\w*|always|hours?|regular\w*|routine\w*|\d{1,2}[:.]\d\d|\d ?[ap]\.?m|p\.d\.|habit\w*|nightly|diary|journal"),
    (r"weekly|every week|each week", r"week\w*|every|each|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?"),
    (r"as needed|when needed|if needed|when necessary|as required", r"need\w*|necessar\w*|requir\w*|on demand|prn|when|if"),
    (r"online", r"online|internet|web\w*|apps?|zoom|remote\w*|virtual\w*|digital\w*|video\w*|skype|duolingo|site|sites|e-\w+|stream\w*|http\w*|www|cours\w+|platform\w*|chat\w*|forum\w*|shop\w*|e-?mail\w*|youtube|amazon"),
    (r"remotely", r"remot\w*|home|telework\w*|distan\w*|online|anywhere|virtual\w*|office"),
    (r"adopted(?= (?:son|daughter|child|children|kid|kids|twins|sister|brother)\b)", r"adopt\w*|foster\w*"),
    (r"eldest|oldest", r"eldest|oldest|first-?born|elder|older|younger|first|\d+|big|siblings?|sisters?|brothers?"),
    (r"youngest", r"youngest|younger|elder|older|last|baby|\d+|little|small\w*|siblings?|sisters?|brothers?"),
    (r"illegally|illegal", r"illegal\w*|illicit\w*|unlawful\w*|law\w*|without (?:a )?(?:permit|licen[cs]e|permission)|black|off the books|banned|forbidden"),
    (r"professionally", r"profession\w*|career|living|job|jobs|works?|worked|paid|pro|trade|business|employ\w*|occupation\w*|is an?"),
    (r"a high dose of|high doses of|a low dose of", r"high\w*|low\w*|large|small|strong\w*|dos\w+|\d"),
    (r"in-laws?", r"in-laws?|wife\w*|husband\w*|married|marr\w+|spouse\w*|partner\w*|fianc\w+|girlfriend\w*|boyfriend\w*|wives|widow\w*"),
    (r"step-?(?:sons?|daughters?|child|children|kids?|mothers?|mum|mom|fathers?|dad|brothers?|sisters?|siblings?|parents?)", r"step\w*|step-\w+|half-\w+|wife\w*|husband\w*|partner\w*|previous|former|first|remarri\w*|married|marriage\w*|spouse\w*|girlfriend\w*|boyfriend\w*|relationship"),
    (r"except|excluding", r"except\w*|exclud\w*|exempt\w*|but|apart|only|not|no|\w+n['’]t|other|others|unless|save|besides|without|bar|barring|rest|never|otherwise|though|however|while|minus|outside|cannot|avoid\w*|free|skip\w*|less"),
    (r"retired", r"retir\w*|former\w*|ex-?\w*|used to|pension\w*|past|once|career|emerit\w*|worked|was|until|stopped|left|give[ns]?|gave|rehom\w*"),
    (r"business partners?", r"business\w*|co-?\w+|partner\w*|compan\w*|firm|start-?up|ventures?|together|jointly"),
    (r"biological", r"biolog\w*|birth\w*|blood|own|real|genetic\w*|natural\w*|step\w*|adopt\w*"),
    (r"unpaid", r"unpaid|volunt\w*|free|no|not|without|\w+n['’]t|pro bono|paid|pay\w*|owe\w*|outstanding|due|overdue|pending|open|intern\w*"),
    (r"days? off", r"off|free|vacation\w*|holidays?|leave|not|\w+n['’]t|no|never|rest\w*|break\w*|weekends?|part[- ]time|workdays?"),
    (r"after (?:breakfast|lunch|dinner|supper|meals|eating)", r"after\w*|follow\w*|post\w*|once|later|then|meals?|food|evening\w*|night\w*|noon|eat\w*|breakfast|lunch\w*|dinner\w*|supper"),
    (r"valuable", r"valu\w*|worth\w*|expensive|precious|rare|treasur\w*|pric\w*|costly|important|useful\w*|help\w*|appreciat\w*|great|good|learn\w*|meaningful|inspir\w*|insight\w*|rich|enrich\w*|benef\w*|reward\w*|cherish\w*|enjoy\w*|power\w*"),
    (r"hand-?(?:dyed|made|painted|knitted|carved|sewn|crafted)|home-?made", r"hand-?\w*|home-?\w*|own|self|himself|herself|themselves|mak\w+|made|dye\w*|paint\w*|carv\w*|craft\w*|bak\w+|cook\w*|creat\w*|built|build\w*|scratch|diy|brew\w*|ferment\w*|prepar\w*|art\w*|pottery|potter|crochet\w*|wood\w*"),
    (r"(?<=day )mornings?", r"\w*morning\w*|a\.?m\.?|\d+ ?a\.?m\.?|\d{1,2}[:.]\d\d|early|before|breakfast|brunch|dawn|sunrise|wak\w+|noon|midday|start\w*|first|o['’]clock|\w+ (?:o['’]clock|sharp)"),
    (r"(?<=day )evenings?|(?<=day )nights?", r"\w*evening\w*|\w*night\w*|p\.?m\.?|\d+ ?p\.?m\.?|\d{1,2}[:.]\d\d|after|dinner\w*|supper|late\w*|sunset|dusk|bed\w*|o['’]clock|eve|sleep\w*|overnight|party|midnight"),
    (r"(?<=day )afternoons?", r"\w*afternoon\w*|p\.?m\.?|\d+ ?p\.?m\.?|\d{1,2}[:.]\d\d|after|lunch\w*|midday|noon|later|o['’]clock|tea"),
    (r"since (?:childhood|(?:his|her|their) (?:childhood|youth|teens))", r"child\w*|young\w*|boy\w*|girl\w*|kids?|youth\w*|gr[eo]w\w*|teen\w*|early|school\w*|always|\d+|born|life\w*|ago|little|aged?|small|upbringing|raised"),
    (r"(?:most|the majority) of (?=the|his|her|its|their|these|those|them|it)", r"most\w*|majority|main\w*|large\w*|chief\w*|primar\w*|bulk|near\w*|almost|much|many|usual\w*|predomin\w*|percent|greater|better|half|normal\w*|general\w*|typical\w*|often|big\w*|lion['’]s|\d+|few|rarely|seldom|hardly|little|lots?|mass\w*|heavi\w*|quarters?|thirds?|remain\w*|rest|far"),
    (r"free of charge|for free|at no cost|without charge", r"free\w*|charg\w*|gratis|cost\w*|pay\w*|paid|unpaid|volunt\w*|nothing|pro bono|complimentary|gift\w*|gives? away|fees?|donat\w*|without money"),
    (r"by hand", r"hand\w*|manual\w*|machine\w*|own|himself|herself|themselves|scratch"),
    (r"on foot", r"foot|walk\w*|hik\w*|stroll\w*|pedestrian\w*|steps"),
    (r"by heart", r"heart|memor\w*|recit\w*|remember\w*|learn\w*|notes"),
    (r"in person|face to face|in-person", r"person\w*|fac(?:e|es|ing)|meet\w*|met|visit\w*|physical\w*|on-?site|see|sees|saw|seeing|live|together|office|video|remote\w*"),
    (r"(?:by|over the) (?:tele)?phone", r"phone\w*|call\w*|telephon\w*|ring\w*|rang|dial\w*|voice|line|spoke|speak\w*|talk\w*"),
    (r"in cash", r"cash|coins?|notes?|money|bills?|cards?|bank\w*|transfer\w*"),
    (r"in advance|ahead of time|beforehand", r"advance\w*|ahead|before\w*|early|earlier|earliest|prior|prepa\w*|pre-?\w+|already|upfront|notice|first|until|by|book\w*|reserv\w*|plan\w*|days?|weeks?|hours?|soon\w*|last[- ]minute|spontaneous\w*|forward"),
    (r"for fun|as a hobby|in (?:his|her|their) (?:spare|free) time", r"fun|hobb\w+|leisure\w*|spare|free|enjoy\w*|enthusias\w*|amateur\w*|pastimes?|pleasure|side|recreation\w*|passion\w*|weekends?|evenings?|relax\w*|interest\w*|off|downtime|unwind\w*|lov\w+|likes?|keen|avid|favou?rite|professional\w*"),
    (r"from scratch", r"scratch|home-?made|own|himself|herself|themselves|ground up|zero|new|begin\w*|start\w*|re\w+|blank|anew|hand\w*|raw|nothing"),
    (r"out loud|aloud", r"loud\w*|aloud|voice\w*|recit\w*|vocal\w*|speak\w*|spoken|listen\w*|read\w* to|hear\w*|silen\w*"),
    (r"on purpose|deliberately|intentionally", r"purpose\w*|deliberat\w*|inten\w*|conscious\w*|wil+ful\w*|choos\w*|chose\w*|choice|knowing\w*|want\w*|design|avoid\w*|refus\w*|to"),
    (r"by accident|by mistake|accidentally|mistakenly", r"accident\w*|mistak\w*|chance|uninten\w*|inadverten\w*|wrong\w*|coinciden\w*|unexpected\w*|luck\w*|happen\w*|errors?|erroneous\w*|random\w*|slip\w*|surpris\w*|oversight|stumbl\w*|came across|forg[eo]t\w*|mix\w*|confus\w*|purpose"),
    (r"barefoot", r"bare\w*|shoes?|socks?|boots?|unshod"),
    (r"voluntarily", r"volunt\w*|unpaid|free\w*|choice|choos\w*|chose\w*|willing\w*|own|decid\w*|forced"),
    (r"reluctantly|grudgingly|unwillingly", r"reluct\w*|grudg\w*|unwilling\w*|hesita\w*|half-?heart\w*|protest\w*|doubts?|despite|forced|pressur\w*|against|persua\w*|not (?:really|very|too|keen|happy)|enthusias\w*|resist\w*|want\w*"),
    (r"anonymously", r"anonym\w*|names?|pseudonym\w*|identit\w*|secret\w*|un(?:known|named|signed)|credit\w*|undisclosed"),
    (r"in silence|silently", r"silen\w*|quiet\w*|music|talk\w*|noise|sound\w*|speak\w*|word|mute\w*|wordless\w*|still\w*|peace\w*"),
    (r"on (?:his|her|their) own", r"own|alone|lone\w*|self|himself|herself|themselves|solo|single\w*|independent\w*|without|unaccompanied|solitary|help|private\w*|only|nobody|no one|individual\w*"),
    (r"all of (?=the|his|her|its|their|these|those|them|it)", r"all|every\w*|each|whole|entire\w*|complet\w*|total\w*|full\w*|any\w*|no|none|nothing|never|both|always|throughout|together|\w+ing|out|only|set|collection"),
)  # fmt: skip
_CHINESE: tuple[tuple[str, str], ...] = (
    ("严重|重度", "严重|重|厉害|太|很|非常|极|休克|危险|致命|强烈|住院|剧|大"),
    ("轻微|轻度", "轻|微|一点|有点|稍|略|不太|不高|不深|低|浅"),
    ("独自|一个人住|独居", "独|一个人|单独|自己|单身|一人|孤"),
    ("偷偷|暗地里", "偷|暗|秘密|瞒|私下|悄悄"),
    ("兼职", "兼|半职|副业|业余|小时|打工|周末|晚上"),
    ("全职", "全职|专职|全天|小时"),
    ("暂时|临时", "暂|临时|目前|短期|过渡|先|眼下|直到"),
    ("偶尔|有时(?!候|间)", "偶|有时|时而|间或|不时|少|难得|会|可|如果|时|常"),
    ("每天|天天|每日", "天|日|每|通勤|上班|下班|早|晚|夜|中午|睡前|饭后|经常|总|一直|坚持|习惯|平时|平日|通常|常|都"),
    ("必要时|需要时|按需", "必要|需|时"),
    ("在线|网上|线上(?!环境|故障|事故|服务|告警)", "生产|正式|线上|在线|网|远程|视频|App|app|平台|直播|课"),
    ("远程", "远程|居家|在家|线上|异地"),
    ("领养的(?=[孩儿女])|收养的", "领养|收养|养|捡"),
    ("违法|非法", "违法|非法|违规|无证|黑"),
    ("一个人(?=[值住去吃睡守带过看做开跑旅玩干扛])", "一个人|独|单独|自己|自个|一人|没人|孤|单枪|无人|陪"),
    ("二手", "二手|旧|用过|转手|转让|闲置|别人|接手"),
    ("进口", "进口|外国|国外|海外|原装|国产|[\u4e00-\u9fff]国|日本"),
    ("亲手|亲自", "亲|自己|手|本人"),
    ("双胞胎|龙凤胎|孪生", "双胞|孪生|龙凤|一对|双|同卵"),
    ("顺便|顺路|顺带", "顺|同时|一并|一起|还|也|再"),
    ("折叠", "折叠|叠|折|便携"),
    ("实木|真皮|纯棉|不锈钢|纯银|羊绒|真丝", "木|皮|棉|钢|银|绒|丝"),
    ("重点(?=小学|中学|初中|高中|大学|班)", "重点|名校|好|优|实验|示范"),
    ("无糖|低脂|低糖|脱脂|全脂|低盐|无盐", "糖|脂|盐|甜|淡|低|清"),
)  # fmt: skip


@cache
def _compiled(chinese: bool) -> tuple[re.Pattern[str], tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]]:
    rows = _CHINESE if chinese else _ENGLISH
    edge = "" if chinese else r"\b"
    each = tuple(
        (re.compile(rf"{edge}(?:{mark}){edge}", re.I), re.compile(rf"{edge}(?:{stands}){edge}" if not chinese else stands, re.I))
        for mark, stands in rows
    )
    return re.compile(rf"{edge}(?:{'|'.join(mark for mark, _ in rows)}){edge}", re.I), each


def modified(text: str, others: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The words of a sentence, as (start, end), that say how much, how often or with whom, where no other text could tell it.

    Args:
        text: the sentence.
        others: the texts of the other side that tell the same; where there are none, nothing is found.
    """
    if not others:
        return
    for chinese in (False, True):
        if chinese and text.isascii():
            return
        some, rows = _compiled(chinese)
        if some.search(text) is None:
            continue
        for mark, stands in rows:
            for found in mark.finditer(text):
                if not any(stands.search(other) for other in others):
                    yield found.start(), found.end()
