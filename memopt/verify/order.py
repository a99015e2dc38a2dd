"""What goes from one to another, told the other way round: *from Jira to Linear*, *Priyanka is Farid's manager*, *prefers tea to coffee*.

Such a sentence keeps its meaning in many forms (*has replaced Jira with Linear*, *Farid reports to Priyanka*, *tea rather than coffee*), and
all its words when it is turned. So each form is read as a relation of two ends, and the ends are compared: where every source that
tells a relation of the same sort has an end on the other side, the rewrite has turned it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.polarity import turns
from memopt.facts.words import CJK, brief, fold, stem
from memopt.verify.findings import Gone, Made, lose, make_invented, shown
from memopt.verify.lines import Side, is_cjk
from memopt.verify.search import VISIT
from memopt.verify.stance import meet

USER = "^"
_LONGEST = 600


class Relation(NamedTuple):
    """Something that goes from one end to the other.

    Attributes:
        sort: what it is: only relations of one sort are compared.
        first: what stands at one end: who teaches, what was before, what is preferred. Words; empty where it is not told.
        second: what stands at the other end.
        start: where it stands in the text.
        end: the offset behind it.
    """

    sort: str
    first: frozenset[str]
    second: frozenset[str]
    start: int
    end: int


# ---------------------------------------------------------------------------------------------------------------- things

_X = r"\b(?P<{0}>(?:(?!(?:and|but|so|because|who|which|that|when|while|since|in|on|at|for|after|before|now|then|is|are|was|were|has|have|had)\b)(?:[\w'’+#./$€£¥%-]|(?<=\d),(?=\d))++ ?){{1,5}}?)"
_END = r"(?=[,.;:!?()—]|\Z|\s(?:and|but|so|because|when|while|since|in|on|at|for|after|before|as|who|which|last|this|by|now|due|to)\b)"


def _things() -> tuple[tuple[str, str], ...]:
    old, new, one, two = (_X.format(name) for name in ("first", "second", "first", "second"))
    be = r"(?:is|was|were|are|been|being|gets?|got|has been|have been|can be|to be|should be)"
    return (
        # what was before, what came after
        ("change", rf"\bfrom {old}\s?(?:in \w+ |on \w+ |last \w+ )?(?:up |down |over |back |on )?(?:in)?to {new}{_END}"),
        ("change", rf"\b(?:swap(?:s|ped|ping)?(?: out)?|exchang(?:es?|ed|ing)) {old}\s?(?:with|by|for) {new}{_END}"),
        ("change", rf"\b(?:replac(?:es?|ed|ing)) {old}\s?(?:with|by|for) {new}{_END}"),
        ("change", rf"{old}\s?(?:\w+ly )?{be} (?:\w+ly )?(?:replaced|superseded|swapped|exchanged) (?:with|by|for) {new}{_END}"),
        ("change", rf"{new}\s?(?:has |have |had |now )?(?:replac(?:ed|es)|supersed(?:ed|es)|(?:takes|took|has taken) the place of|(?:takes|took|has taken) over from|succeed(?:s|ed)) {old}{_END}(?! (?:with|by|for)\b)"),
        ("change", rf"\b(?:drop(?:s|ped)|ditch(?:es|ed)|abandon(?:s|ed)|left|leav(?:es|ing)|trad(?:es?|ed|ing)(?: in)?|gave up|quit|sold) {old}\s?(?:for|in favou?r of) {new}{_END}"),
        ("change", rf"\b(?:uses?|using|used|has|have|takes?|took|drinks?|eats?|chose|chooses|prefers?|picked|bakes? with|cooks? with|get|gets|with) {new}\s?(?:instead of|in place of|rather than) {old}{_END}"),
        ("change", rf"\binstead of {old}, (?:\w+ ){{0,3}}?(?:uses?|using|used|has|takes?|drinks?|eats?|now) {new}{_END}"),
        ("change", rf"\bsubstitut(?:es?|ed|ing) {new}\s?for {old}{_END}"),
        ("change", rf"\b(?:formerly|previously|originally|once|at first|initially|before that)(?: an?| the)? {old}, .{{0,40}}?\b(?:is|are|became|becomes|turned|lives in|works at|works as|uses|has|eats)(?: now)?(?: an?| the)? {new}{_END}"),
        ("change", rf"\b(?:now|became|turned|is|has reached)(?: an?| the)? {new}\s?[(,] ?(?:(?:and |but )?(?:formerly|previously|originally|before that|up from|down from|instead of)|(?:it |he |she |they )?(?:was|were|had been)(?: an?| the)?) {old}(?: (?:before|previously|earlier))?{_END}"),
        ("change", rf"\b(?:moved|switched|changed|upgraded|migrated|relocated|converted|transferred)(?: over| back| up| down)? (?:in)?to {new}{_END}"),
        ("change", rf"\b(?:now|currently) (?:is |uses |lives in |works at |works for |has |weighs |drives |at |on )?(?:an? |the )?{new}{_END}"),
        ("change", rf"{new}\s?,? (?:up|down) from {old}{_END}"),
        ("change", rf"\b(?:became|has become|has reached|turned) (?:an? |the )?{new}{_END}"),
        ("change", rf"\b(?:home is|home has been|lives in|has lived in|works at|works for|drives|is|uses|has been(?: in| with| at)?) {new}[,;] (?:and )?(?:before that|until then|previously|formerly)\b[^.;]{{0,25}}?\b(?:in|at|for|with|drove|used|was|had) {old}{_END}"),
        ("take over", rf"{one}\s?(?:has |have |had )?(?:acquir(?:ed|es)|(?:took|takes|taken) over|bought out|bought up|swallowed(?: up)?) {two}{_END}"),
        ("take over", rf"{two}\s?{be} (?:acquired|taken over|bought out|bought up|bought|swallowed(?: up)?) by {one}{_END}"),
        # what is liked better, what is liked less
        ("prefer", rf"\bprefer(?:s|red|ring)? {one}\s?(?:to|over|rather than|instead of|and not|more than) {two}{_END}"),
        ("prefer", rf"\b(?:likes?|loves?|enjoys?|wants?|finds?) {one}\s?(?:better|more|rather) than {two}{_END}"),
        ("prefer", rf"{one}\s?{be} preferred (?:to|over) {two}{_END}"),
        ("prefer", rf"\bwould rather (?:\w+ )?{one}\s?than {two}{_END}"),
        ("prefer", rf"\bfavou?rs? {one}\s?(?:over|rather than) {two}{_END}"),
        # what comes first, what comes then
        ("order", rf"{one}\s?(?:first|at the start|at the beginning|to begin with|up front),? ?(?:and )?(?:then|with|followed by|and only then|and afterwards|and|before)?(?: the| an?)? {two}(?: (?:afterwards|after|later|second|at the end|last))?{_END}"),
        ("order", rf"\bfirst (?:the |an? )?{one},? ?(?:and )?(?:then|followed by|and afterwards|afterwards)(?: the| an?)? {two}{_END}"),
        ("order", rf"{one}\s?(?:,? ?followed by) (?:the |an? )?{two}{_END}"),
        ("order", rf"{one}\s?(?:should |must |has to |needs to |is to )?(?:comes?|goes?|is given|be given) before (?:the |an? )?{two}{_END}"),
        ("order", rf"{two}\s?(?:should |must |has to |needs to |is to )?(?:comes?|goes?|is given|be given|follows?) (?:after|behind)? ?(?:the |an? )?{one}{_END}"),
        ("order", rf"\b(?:user |he |she |they |[A-Z]\w+ )(?:always |usually |often )?{one}\s?before {two}{_END}"),
        ("order", rf"\b(?:user |he |she |they |[A-Z]\w+ )(?:always |usually |often )?{two}\s?after {one}{_END}"),
        ("order", rf"(?:^|[.;] )Before {two}, (?:the )?(?:user|he|she|they|[A-Z]\w+) {one}{_END}"),
        ("order", rf"(?:^|[.;] )After {one}, (?:the )?(?:user|he|she|they|[A-Z]\w+) {two}{_END}"),
    )  # fmt: skip


_C = rf"(?P<{{0}}>[A-Za-z][A-Za-z0-9.+# ]*[A-Za-z0-9+#]|[A-Za-z0-9]+|[{CJK}A-Za-z0-9.]{{{{1,8}}}}?)"
_CEND = r"(?=[，,。；;！!？?、（）()]|\Z|[了的来做作和与并后]|\s)"


_ZH_MORE = (
    ("大|年长|长", "小|年幼|年轻"),
    ("高", "矮|低"),
    ("重", "轻"),
    ("早", "晚|迟"),
    ("快", "慢"),
    ("贵", "便宜"),
    ("多", "少"),
    ("远", "近"),
    ("胖", "瘦"),
    ("好", "差"),
    ("冷", "热|暖"),
    ("安静|清静", "吵|热闹"),
    ("有意思|有趣|好玩", "无聊|没意思"),
    ("轻松|容易|简单", "难|累|复杂"),
    ("喜欢", "讨厌"),
)
"""What two are compared by, and what says so from the other's side."""


def _chinese_things() -> tuple[tuple[str, str], ...]:
    old, new = (_C.format(name) for name in ("first", "second"))
    one, two = old, new
    to = r"\s?[^，。；从由把将]{0,4}?(?:换|改|转|变|升级?|降级?|调|搬|迁移?|切换|跳槽|迁居|涨|提高|提升|减|跌|过渡|发展)(?:回|成|为|到|至|去|往|用|了|过来)+\s?"
    return (
        ("change", rf"(?:从|由|自|把|将)\s?{old}{to}{new}{_CEND}"),
        ("change", rf"(?:弃用|停用|放弃|不再使?用|告别|离开|换掉)了?\s?{old}\s?[，,]?\s?(?:转而|并|而)?(?:改用|改成|换成|转用|换用|用起了?|选用|改喝|改吃)\s?{new}{_CEND}"),
        ("change", rf"(?:用|以|拿)\s?{new}\s?(?:来)?(?:取代|代替|替代|替换|换掉|换下)了?(?:团队的|原来的|原先的|之前的)?\s?{old}{_CEND}"),
        ("change", rf"(?:^|[，,。；;])\s?{new}\s?(?:已经?)?(?:取代|代替|替代|替换)了?\s?{old}{_CEND}"),
        ("change", rf"(?:^|[，,。；;])\s?{old}\s?(?:已经?)?被\s?{new}\s?(?:取代|代替|替代|替换)"),
        ("change", rf"(?:以前|之前|原来|原先|原本|曾经?|过去)(?:是|用|在|住在?|吃|叫|喝|爱喝|爱吃)?\s?{old}\s?[，,；;]\s?(?:而)?(?:现在|如今|现|目前|后来)(?:是|用|在|住在?|吃|喝|爱喝|爱吃|改[成用]|换成|叫)?\s?{new}{_CEND}"),
        ("change", rf"(?:现在|如今|现|目前)(?:是|用|在|住在?|吃|喝)?\s?{new}\s?[（(，,]\s?(?:以前|之前|原来|原先|原本|原|曾经?|过去)(?:是|用|在|住在?|吃|喝)?\s?{old}{_CEND}"),
        ("change", rf"(?:换|改|转|升级?|降级?|调|搬|迁移?|切换|跳槽|迁居|涨|降)(?:到|至|成|为|用)了?\s?{new}{_CEND}"),
        ("change", rf"(?:现在|如今|目前)(?:是|用的是|用|在|住在?)\s?{new}{_CEND}"),
        ("prefer", rf"(?:喜欢|爱|偏爱|偏好|倾向于?|愿意)(?:喝|吃|用|看|听|坐|住|选)?\s?{one}\s?[，,]?\s?(?:而不是|而非|胜过|多过|超过|不是|甚于|不要|不爱)(?:喝|吃|用|看|听|坐|住|选)?\s?{two}{_CEND}"),
        ("prefer", rf"(?:比起|相比|相较于?|较之)(?:喝|吃|用|看|听|坐|住|选)?\s?{two}\s?[，,]\s?(?:用户|[{CJK}]{{2,3}}?)?(?:更|还是|宁愿)(?:喜欢|爱|愿意|偏爱|倾向于?|中意)?(?:喝|吃|用|看|听|坐|住|选)?\s?{one}{_CEND}"),
        ("prefer", rf"(?:^|[，,。；;]|觉得|认为)\s?{one}\s?比\s?{two}\s?更?(?:合|受|得|讨|对|适合)(?:[他她]|用户)?[{CJK}]{{0,4}}"),
        ("prefer", rf"(?:与其)(?:喝|吃|用|看|听|坐|住|选)?\s?{two}\s?[，,]?\s?(?:不如|宁愿|宁可)(?:喝|吃|用|看|听|坐|住|选)?\s?{one}{_CEND}"),
        *(
            (f"more {more}", rf"(?:^|[，,。；;]|觉得|认为)\s?(?:用户的)?\s?{left}\s?(?:[{CJK}]得)?比\s?{right}\s?(?:(?:要|还|更|略|稍|年|离)[{CJK}]{{0,3}}?)?(?:{words})(?![{CJK}]*[不没])")
            for more, less in _ZH_MORE
            for left, right, words in ((one, two, more), (two, one, less))
        ),
        *(  # 用户三十五岁，比妻子大四岁
            (f"more {more}", rf"[，,；;]\s?(?:[他她]|用户)?比\s?{right}\s?(?:(?:要|还|更|略|稍)[{CJK}]{{0,3}}?)?(?:{words})(?![{CJK}]*[不没])")
            for more, less in _ZH_MORE
            for right, words in ((two, more), (one, less))
        ),
        ("order", rf"先\s?{one}\s?[，,]?\s?(?:然后|再|接着|之后|后|才)+\s?{two}(?=[，,。；;！!？?]|\Z)"),
        ("order", rf"(?:^|[，,。；;]|用户|[他她])\s?{one}\s?(?:之后|以后|后)\s?(?:才|再)?\s?{two}(?=[，,。；;！!？?]|\Z)"),
        ("order", rf"(?:^|[，,。；;]|用户|[他她])\s?{two}\s?(?:之前|以前|前)\s?(?:先|要先|得先|必须先|总要)\s?{one}(?=[，,。；;！!？?]|\Z)"),
    )  # fmt: skip


_GATES = (
    "replac|supersed|succeed|place of|over from",
    "from",
    "instead|in place of|rather than",
    "substitut",
    "swap|exchang",
    "drop|ditch|abandon|left|leav|trad|gave up|quit|sold",
    "formerly|previously|originally|once|at first|initially|before that",
    "now|became|turned|reached|currently|become",
    "moved|switched|changed|upgraded|migrated|relocated|converted|transferred",
    "before that|until then",
    "prefer",
    "than",
    "favo",
    "first|at the start|beginning|to begin with|up front",
    "followed",
    "before",
    "after|follow|behind",
    "acquir|swallow|bought|tak(?:en|es) over|took over",
)
"""What a form needs, as it stands in the form: a text without it is not looked at."""
_GATES_ZH = (
    "取代|代替|替代|替换|换掉|换下",
    "弃用|停用|放弃|不再|告别|离开|换掉",
    "以前|之前|原|曾|过去",
    "现在|如今|现|目前",
    "喜欢|爱|偏|倾向|愿意",
    "比起|相比|相较|较之",
    "比",
    "与其",
    "先",
    "之后|以后|后",
    "[换改转升降调搬迁切跳涨变提减跌过发]",
)


_Forms = tuple[tuple[re.Pattern[str], tuple[tuple[str, str], ...]], ...]
"""What must be in a text, and the forms, each with its sort, that are looked for there then."""


def _grouped(forms: Iterable[tuple[str, str, str]]) -> _Forms:
    out: dict[str, list[tuple[str, str]]] = {}
    for sort, gate, form in forms:
        out.setdefault(gate, []).append((sort, form))
    return tuple((re.compile(gate, re.I), tuple(each)) for gate, each in out.items())


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """A form, compiled when it is first looked for."""
    return re.compile(form, 0 if CJK in form else re.I)


def _gated(forms: Sequence[tuple[str, str]], gates: Sequence[str]) -> _Forms:
    """The forms by what must be in a text before they are looked for: one of the gates of which a word stands in one."""
    out = []
    for sort, form in forms:
        plain = form.replace(_X.format("first"), "").replace(_X.format("second"), "").replace(_END, "")
        plain = plain.replace(_C.format("first"), "").replace(_C.format("second"), "").replace(_CEND, "")
        gate = "|".join(one for one in gates if re.search(one, plain))
        out.append((sort, gate, form))
    return _grouped(out)


@cache
def _compiled(chinese: bool) -> _Forms:
    return _gated(_chinese_things(), _GATES_ZH) if chinese else _gated(_things(), _GATES)


_ASKED = re.compile(
    r"\b(?:from|replac|supersed|swap|exchang|trad|instead|in place of|rather|favou?r|prefer|than|formerly|previously|originally|before|after|first|followed|start|beginning|then|front|substitut|took|taken|takes|acquir|bought|drop|ditch|abandon|quit|gave up|succeed|now|became|turned|reached)",
    re.I,
)
_ASKED_ZH = re.compile(r"[从由自把将换改转代替弃停现先后前比与搬升降调迁跳涨]|不再|喜欢|爱|偏|愿意|以前|原|曾")


def _words_of(text: str) -> frozenset[str]:
    """What stands for one end: stems of telling words and figures; of Chinese the run itself."""
    out = set()
    for found in re.finditer(rf"[{CJK}]+|[A-Za-z0-9][\w+#.'’-]*", text):
        word = found[0].strip(".'’-")
        if is_cjk(word):
            out.add(word)
        elif word:
            plain = fold(word).removesuffix("'s").removesuffix("’s")
            if plain not in lexicon.STOP or any(char.isdigit() for char in plain) or len(plain) == 1:
                out.add(stem(plain))
    return frozenset(out)


# --------------------------------------------------------------------------------------------------------------- people

_AXES = (
    ("work", "manager boss supervisor superior", "report subordinate employee underling"),
    ("mentor", "mentor", "mentee protégé protege"),
    ("teach", "teacher tutor coach instructor trainer professor", "student pupil trainee apprentice"),
    ("advise", "advisor adviser", "advisee"),
    ("rent", "landlord landlady", "tenant lodger"),
    ("cure", "doctor dentist therapist physiotherapist nurse", "patient"),
    ("parent", "mother father mum mom dad parent", "son daughter child"),
    ("aunt", "aunt uncle", "niece nephew"),
    ("grandparent", "grandmother grandfather grandma grandpa granny", "grandson granddaughter grandchild"),
    ("godparent", "godmother godfather", "godson goddaughter godchild"),
    ("bride", "bride groom", "bridesmaid"),
)
_VERBS = (
    # sort, what the first end does to the second, what the second does to the first with a preposition
    ("work", "manag(?:es|ed|ing)|supervis(?:es|ed|ing)", r"(?:report(?:s|ed|ing)?|answers?) to"),
    ("mentor", "mentor(?:s|ed|ing)?(?! to)", r"(?:is|was) a mentee of"),
    ("teach", "teach(?:es|ing)?|taught|tutor(?:s|ed|ing)?(?! of)|coach(?:es|ed|ing)?(?! of)|train(?:s|ed)(?! for)|instruct(?:s|ed|ing)?", r"(?:learn(?:s|ed|t|ing)?|(?:takes?|took|taking|has|having|gets?) (?:[\w-]+ ){0,3}?(?:lessons|classes))(?: [\w'-]+){0,4}? (?:from|with)"),
    ("drive", "driv(?:es|ing)|drove|drive|picks? up|picked up|chauffeurs?", r"(?:gets?|got|getting|takes?|hitches|has|accepts?) (?:a |an? \w+ )?(?:lift|ride)s?(?: [\w'-]+){0,4}? (?:from|with)|rid(?:es|ing)(?: [\w'-]+){0,4}? with|is a passenger of"),
    ("lend", "len(?:ds?|t|ding)|loan(?:s|ed|ing)?", r"borrow(?:s|ed|ing)?(?: [\w'$€£.,-]+){0,6}? from"),
    ("sell", "sold|sells?|selling", r"(?:b(?:uys?|ought|uying)|purchas(?:es|ed|ing))(?: [\w'$€£.,-]+){0,6}? (?:from|off)"),
    ("give", "g(?:ives?|ave|iving)|present(?:s|ed)|hand(?:s|ed)", r"(?:got|gets?|received?|receives)(?: [\w'$€£.,-]+){0,6}? from"),
    ("let", "rents out|let out", r"rent(?:s|ed|ing)?(?: [\w'$€£.,-]+){0,6}? from"),
    ("care", "looks? after|looked after|looking after|(?:takes?|took|taking) care of|car(?:es|ed|ing) for|babysits?|minds", r"is cared for by"),
    ("beat", "beats?|beaten|defeat(?:s|ed)|outplay(?:s|ed)", r"los(?:t|es)(?: [\w'-]+){0,4}? to"),
    ("owe", "owes?|owed", r"is owed(?: [\w'$€£.,-]+){0,6}? by"),
    ("invite", "invit(?:es|ed|ing)", r"(?:got|received|accepted) an invitation from"),
    ("hire", "hir(?:es|ed|ing)|employ(?:s|ed|ing)", r"work(?:s|ed|ing)? for"),
    ("ask", "asked", r"was asked by"),
    ("stay", "mov(?:ed|es|ing) in with|(?:went|came|goes) to live with|moved to live with", r"took in|takes in"),
    ("treat", "treat(?:s|ed|ing)", r"(?:is|was) a patient of"),
)  # fmt: skip
_TO_WHAT_IS_THEIRS = lexicon.words(
    """review(?:s|ed|ing)? check(?:s|ed|ing)? correct(?:s|ed|ing)? proofread(?:s|ing)? edit(?:s|ed|ing)? feeds fed walks walked waters repair(?:s|ed|ing)? fix(?:es|ed|ing)?
    cleans cleaned translat(?:es|ed|ing) approv(?:es|ed|ing) sign(?:s|ed) test(?:s|ed|ing) maintain(?:s|ed|ing) illustrat(?:es|ed|ing) design(?:s|ed|ing) paint(?:s|ed|ing)
    pays paid cuts cook(?:s|ed|ing) edits records recorded films filmed produc(?:es|ed|ing) publish(?:es|ed|ing) represent(?:s|ed|ing) inherit(?:s|ed) bought sold stole"""
)
"""What one does to something of another's: *Omar reviews Nina's code*."""
_MORE = (
    ("older|elder", "younger"),
    ("taller|bigger", "shorter|smaller"),
    ("heavier", "lighter"),
    ("stronger", "weaker"),
    ("faster|quicker", "slower"),
    ("richer|wealthier|better off", "poorer|worse off"),
    ("better", "worse"),
    ("earlier|sooner", "later"),
    ("more", "less|fewer"),
    ("louder|noisier", "quieter"),
    ("stricter", "more lenient|laxer"),
)
"""What two people are compared by, and what says so from the other's side."""
_TO = frozenset(("lend", "sell", "give"))
"""What is done to whom stands behind *to*: *lent 200 euros to Sam*."""
_KIN = "|".join(sorted((word for word in lexicon.RELATIONS if len(word) > 2), key=len, reverse=True))
_NAME = r"(?-i:[A-Z][\w’'-]*[a-z\w](?: [A-Z][\w-]+)?)"
_P = (
    rf"(?:{_NAME}['’]s (?:team|club|company|band|class|firm|crew)\b|(?:the )?user(?!['’]s)|(?:(?:the user['’]s|user['’]s|his|her|their|my|the|an?) )?(?:[\w-]+ )?\b(?:{_KIN}|colleague|intern|neighbou?r|landlord|landlady)(?: (?:Mr|Mrs|Ms|Dr)\.?)?(?: ?,? {_NAME})?(?!['’]s)"
    rf"|(?:(?:Mr|Mrs|Ms|Dr)\.? )?{_NAME}(?!['’]s)|(?:an?|the) (?:[\w-]+ ){{0,2}}?(?:gamer|teen|teenager|girl|boy|man|woman|person|one|guy|child|kid|student)\b|(?:him|her|them|he|she|they)\b)"
)


@cache
def _people_forms() -> _Forms:
    first, second = rf"(?P<first>{_P})", rf"(?P<second>{_P})"
    out: list[tuple[str, str, str]] = []
    owner = rf"(?P<{{0}}>(?:the )?user['’]s|(?:(?:Mr|Mrs|Ms|Dr)\.? )?{_NAME}['’]s|his|her|their)"
    for sort, upper, lower in _AXES:
        up, down = ("(?:" + "|".join(words.split()) + ")" for words in (upper, lower))
        kind = r"(?:[\w-]+ ){0,2}?"
        for noun, own, of in ((up, "second", "first"), (down, "first", "second")):
            bearer = rf"(?P<{of}>{_P})"
            gate = rf"\b{noun}\b"
            out.append(
                (
                    sort,
                    gate,
                    rf"{bearer}(?:,? ?[^.;]{{0,30}},)? (?:is|was|became|are) (?:also |now )?{owner.format(own)} {kind}{noun}\b",
                )
            )
            out.append((sort, gate, rf"{owner.format(own)} {kind}{noun}(?: is| was|,| is called| is named|:)? {bearer}"))
            out.append((sort, gate, rf"{bearer}, {owner.format(own)} {kind}{noun}\b"))
            whose = rf"(?P<{own}>{_P})"
            out.append(
                (
                    sort,
                    gate,
                    rf"{bearer}[^.;,]{{0,40}}? (?:is|was|and is|works as|became) (?:the |an? ){kind}{noun} (?:of|to|for) {whose}",
                )
            )
    for sort, does, gets in _VERBS:
        who = r"(?:,? who [^.;,]{1,60},|,?(?: (?:who|that))?)"
        aux = r"(?: (?:also|now|often|always|usually|sometimes|currently|recently|once|would|will|wants? to|would like to|plans? to|hopes? to|is|has|had|was|been|to))*"
        out.append((sort, does, rf"{first}{who}{aux} (?:{does}) (?:the |his |her )?{second}"))
        out.append((sort, gets, rf"{second}{who}{aux} (?:{gets}) (?:the )?{first}"))
        out.append(
            (
                sort,
                does,
                rf"{second}(?:,[^.;,]{{0,30}},)? (?:is|was|are|were|been|gets|got|being) (?:\w+ly )?(?:{does})(?: [\w'$€£.,-]+){{0,6}}? by (?:the )?{first}",
            )
        )
        if sort == "lend":
            out.append((sort, gets, rf"{second}{who}{aux} borrow(?:s|ed|ing) (?P<first>(?:the )?user|{_NAME})['’]s\b"))
        if sort in _TO:
            out.append((sort, does, rf"{first}{who}{aux} (?:{does})(?: [\w'$€£.,-]+){{1,6}}? to (?:the )?{second}"))
        out.append((sort, does, rf"(?:^|[.;,] |and )(?:to )?(?:{does}) (?P<second>{_P})"))
        if sort == "let":
            out.append((sort, gets, rf"(?:^|[.;,] |and )(?:{gets}) (?P<first>{_P})"))
    does = "|".join(_TO_WHAT_IS_THEIRS)
    whose, theirs = rf"(?P<second>{_P}|(?:the )?user|{_NAME})['’]s", r"(?:[\w-]+ ){0,2}?[\w-]+"
    out.append(
        (
            "theirs",
            does,
            rf"{first},?(?: who)?(?: (?:also|now|often|always|usually|sometimes|has|had|will))* (?:{does}) {whose} {theirs}",
        )
    )
    out.append(("theirs", does, rf"(?:^|[.;,] |and )(?:{does}) {whose} {theirs}"))
    out.append(
        (
            "theirs",
            does,
            rf"{whose} {theirs} (?:is|are|was|were|gets|got|has been|being) (?:\w+ly )?(?:{does})(?: [\w'-]+){{0,4}}? by {first}",
        )
    )
    out += [
        (
            f"more {more}",
            word,
            rf"{left},? (?:(?:is|was|are|were|['’]s) |\w+(?:s|ed|t) )(?:[\w'’.-]+ ){{0,4}}?(?:{word}) (?:\w+ ){{0,2}}?than {right}",
        )
        for more, less in _MORE
        for left, right, word in ((first, second, more), (second, first, less))
    ]
    return _grouped((sort, rf"\b(?:{gate})", form) for sort, gate, form in out)


_ASKED_PEOPLE = re.compile(
    r"\b(?:"
    + "|".join(word for _, up, down in _AXES for word in f"{up} {down}".split())
    + r")s?\b|\b(?:"
    + "|".join(f"{does}|{gets}" for _, does, gets in _VERBS)
    + r"|than|"
    + "|".join(_TO_WHAT_IS_THEIRS)
    + r")\b",
    re.I,
)
_ZH_AXES = (
    ("work", "上级|直属上级|上司|领导|直属领导|老板|主管|经理|组长", "下属|部下|手下|员工"),
    ("teach", "老师|导师|师傅|教练|家教|教授", "学生|徒弟|学员|弟子"),
    ("rent", "房东", "房客|租客"),
    ("cure", "医生|主治医生|牙医|心理咨询师", "病人|患者"),
    ("parent", "父亲|母亲|爸爸|妈妈", "儿子|女儿"),
    ("maid", "伴娘|伴郎|证婚人", "新娘|新郎"),
    ("god", "干妈|干爹|教母|教父", "干儿子|干女儿|教子|教女"),
    ("backup", "替补", "主力"),
)
_ZH_VERBS = (
    ("work", "领导|管理", "汇报"),
    ("teach", "教|辅导|指导|带", "学|请教|拜师"),
    ("lend", "借给|借(?=了[他她])", "借"),
    ("let", "租给", "租"),
    ("sell", "卖给", "买"),
    ("give", "送给|送", "收到|得到|拿到"),
    ("care", "照顾|照料", ""),
    ("drive", "接送|载", ""),
    ("invite", "邀请", ""),
    ("beat", "赢了?|打败了?|击败了?|战胜了?", "输"),
    ("owe", "欠", ""),
)

_ZH_AROUND = sorted(
    {*lexicon.CJK_RELATIONS, *"同桌 同班同学 室友 老板 上司 房东 班主任 前男友 前女友 狗 猫".split()}, key=len, reverse=True
)
_ZH_DEEDS = (
    # sort, the verbs, whether they stand before whom it is done to or behind
    ("copy", "抄袭?", "does"),
    ("bite", "咬伤?|抓伤", "does"),
    ("bully", "欺负|霸凌|排挤|孤立", "does"),
    ("mock", "嘲笑|取笑|笑话", "does"),
    ("court", "追求|暗恋", "does"),
    ("refuse", "拒绝", "does"),
    ("scold", "批评|责备|责骂|训斥|数落", "does"),
    ("praise", "表扬|夸奖|称赞", "does"),
    ("complain", "投诉|举报", "does"),
    ("sue", "起诉", "does"),
    ("interview", "采访|面试", "does"),
    ("save", "救过|救了", "does"),
    ("admire", "羡慕|崇拜|佩服|敬佩", "does"),
    ("trust", "信任|信赖", "does"),
    ("rob", "抢走?|偷走?|抢了|偷了", "does"),
    ("cheat", "欺骗|骗走?|背叛|出卖", "does"),
    ("dump", "抛弃|甩", "does"),
    ("hit", "撞伤?|打伤|揍", "does"),
    ("theirs", "评审|审阅|审核|批改|校对|修理|遛|打扫|翻译|测试", "theirs"),
    ("remind", "提醒|催促|监督", "does"),
    ("sponsor", "资助|赞助", "does"),
    ("visit", "看望|探望|拜访", "does"),
    ("persuade", "劝说|说服|鼓励", "does"),
    ("recommend", "推荐|引荐", "to"),
    ("introduce", "介绍", "to"),
    ("promise", "答应|许诺|承诺", "does to"),
    ("propose", "求婚|表白|告白", "to"),
    ("apologize", "道歉|赔礼|认错", "to"),
    ("stand in", "值班|顶班|代班|代课|值.{1,6}的班", "to"),
)


@cache
def _zh_people_forms() -> _Forms:
    who = rf"(?:用户|[{CJK}·]{{2,4}}?|[A-Za-z]+|[他她])"
    head = r"(?:^|(?<=[，,。；;、：:（(]))\s?"
    first, second = rf"(?P<first>{who})", rf"(?P<second>{who})"
    stop = rf"(?=[，,。；;、（()）]|\Z|[了的{CJK}A-Za-z0-9])"
    out: list[tuple[str, str, str]] = []
    for sort, up, down in _ZH_AXES:
        for noun, own, of in ((up, "second", "first"), (down, "first", "second")):
            bearer = rf"(?P<{of}>用户|[{CJK}·]{{2,4}}|[A-Za-z]+(?: [A-Z]\w+)?|[他她])(?=[，,。；;、（()）]|\Z)"
            lead = rf"(?P<{of}>{who})"
            owner = rf"(?P<{own}>{who})"
            out.append(
                (sort, noun, rf"{head}{lead}(?:将|会|要|是|为|担任|当|做|就是|曾是|也是)+{owner}的(?:[{CJK}]{{1,3}}?)?(?:{noun})")
            )
            out.append((sort, noun, rf"{head}{owner}的(?:[{CJK}]{{1,3}}?)?(?:{noun})(?:是|叫|为|就是|名叫|由)\s?{bearer}"))
            out.append(
                (
                    sort,
                    noun,
                    rf"(?:请|让|邀请|叫|找)(?P<{of}>用户|[{CJK}·]{{2,3}}?|[A-Za-z]+)(?:当|做|担任|来当|来做)(?P<{own}>{who})?的?(?:{noun})",
                )
            )
    for sort, does, gets in _ZH_VERBS:
        mid = r"[^，。；;、]{0,8}?"
        if sort in ("lend", "let", "sell", "give"):
            out.append((sort, does, rf"{head}{first}{mid}(?:{does})了?{second}{stop}"))
        else:
            out.append(
                (
                    sort,
                    does,
                    rf"{head}{first}(?:想|打算|准备|要|会|将|正在|在|每天|平时|经常|负责|曾|也|很)*(?:{does})(?:了|过|着)?{second}{stop}",
                )
            )
            out.append((sort, does, rf"{head}{second}[^，。；;、]{{0,6}}?(?:由|被){first}(?:负责|所|来)?(?:{does})"))
        if gets:
            out.append(
                (
                    sort,
                    gets,
                    rf"{head}{second}{mid}(?:跟|向|从|找|和|问|给){first}(?:那里|那儿|处|那边)?[^，。；;、]{{0,6}}?(?:{gets})",
                )
            )
    whoever = rf"(?:用户的?)?(?:{'|'.join(_ZH_AROUND)})(?:[{CJK}]{{2,3}}?)?|用户|[{CJK}]{{2,4}}?|[A-Za-z]+(?: [A-Z]\w*)?|[他她]"
    known = (
        rf"(?:用户的?)?(?:{'|'.join(_ZH_AROUND)})(?:[{CJK}]{{2}}(?![{CJK}]))?|用户|[{CJK}]{{2}}|[A-Za-z]+(?: [A-Z]\w*)?|[他她]"
    )
    first, second = rf"\s?(?P<first>{whoever})\s?", rf"\s?(?P<second>{whoever})\s?"
    lead = r"(?:^|(?<=[，,。；;、：:（(])|(?<=因为)|(?<=由于)|(?<=不过)|(?<=但)|(?<=而)|(?<=觉得)|(?<=认为)|(?<=怀疑)|(?<=是))\s?"
    often = r"(?:想|打算|准备|要|会|将|正在|在|每天|每次|平时|经常|常常?|总是?|老是?|一直|曾经?|也|很|最|非常|十分|特别|还|都|已经?|昨天|去年|上周|在[^，。；;、]{1,4}里|去|来)*+"
    for sort, does, way in _ZH_DEEDS:
        if "to" in way:
            out.append(
                (sort, does, rf"{lead}{first}{often}(?:向|对|跟|给|替|帮|为)(?P<second>{known})[^，。；;、]{{0,6}}?(?:{does})")
            )
            out.append((sort, does, rf"{lead}{first}{often}(?:[把将][^，。；;、]{{1,8}}?)?(?:{does})了?给了?(?P<second>{known})"))
        if way == "theirs":
            out.append((sort, does, rf"{lead}{first}{often}[^，。；;、]{{0,6}}?(?:{does})(?:了|过)?(?P<second>{known})的"))
            out.append(
                (
                    sort,
                    does,
                    rf"(?P<second>{known})的[^，。；;、]{{1,6}}?(?:由|被)(?P<first>{known})[^，。；;、]{{0,6}}?(?:{does})",
                )
            )
        if "does" in way:
            out.append((sort, does, rf"{lead}{first}{often}(?:{does})(?:了|过|着)?(?P<second>{known})"))
            out.append(
                (sort, does, rf"{lead}{second}{often}(?:被|遭到?|受到?|让)\s?(?P<first>{whoever})\s?的?(?:{often})(?:{does})")
            )
            out.append(
                (
                    sort,
                    does,
                    rf"{lead}{second}(?:觉得|认为|怀疑|发现)\s?(?P<first>{whoever})\s?{often}(?:{does})(?:了|过|走了)?自己",
                )
            )
            out.append(
                (
                    sort,
                    does,
                    rf"{lead}{second}(?:觉得|认为|怀疑|发现)\s?自己的?[^，。；;、]{{0,4}}被\s?(?P<first>{whoever})\s?(?:{does})",
                )
            )
    out.append(("let", "租", rf"{head}{second}(?:住的房子是|住的是)?(?:向|从|跟|找)?{first}(?:那里)?租的"))
    out.append(("let", "租", rf"{head}{second}租了?{first}的"))
    return _grouped(out)


_ASKED_ZH_PEOPLE = re.compile(
    "|".join(
        [f"{up}|{down}" for _, up, down in _ZH_AXES]
        + [f"{does}|{gets}" if gets else does for _, does, gets in _ZH_VERBS]
        + [does for _, does, _ in _ZH_DEEDS]
    )
)
_NOBODY = frozenset(
    stem(word)
    for word in lexicon.words(
        "the a an his her their my user's him them he she they it who that new old mr mrs ms dr whom this these those person one someone somebody"
    )
)
_SAME_SORT = {"let": "rent", "hire": "work"}
_ZH_HIM = frozenset(("自己", "对方", "别人", "他人", "大家", "人家", "他们", "她们", "其他"))


def _person(text: str | None, selves: frozenset[str]) -> frozenset[str]:
    """The words for somebody; the user as ``USER``; nobody of a pronoun."""
    if not text:
        return frozenset()
    if re.fullmatch(r"(?:the )?user(?:['’]s)?|用户", text.strip(), re.I):
        return frozenset((USER,))
    if is_cjk(text.strip()[-1]):
        plain = re.sub("^用户的?(?=.)", "", text.strip())
        around = next((word for word in _ZH_AROUND if plain.startswith(word)), "")
        return frozenset(part for part in (around, plain.removeprefix(around)) if len(part) > 1 or part in ("狗", "猫")) - _ZH_HIM
    words = {stem(re.sub(r"['’]s$", "", fold(word))) for word in re.findall(r"[\w’'-]+", text)} - _NOBODY - {"user"}
    words = {word for word in words if word}
    return frozenset((USER,)) if words and words <= selves else frozenset(words)


def _asked(forms: _Forms, text: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    for gate, each in forms:
        if gate.search(text):
            for sort, form in each:
                yield sort, _pattern(form)


@lru_cache(maxsize=8192)
def relations(text: str, selves: frozenset[str] = frozenset()) -> tuple[Relation, ...]:
    """What goes from one end to another in a sentence. ``selves``: stems of the user's own names."""
    if len(text) > _LONGEST:
        return ()
    chinese = not text.isascii() and any(is_cjk(char) for char in text)
    out: list[Relation] = []
    if (_ASKED_ZH if chinese else _ASKED).search(text):
        for sort, form in _asked(_compiled(chinese), text):
            for found in form.finditer(text):
                groups = found.groupdict()
                first, second = _words_of(groups.get("first") or ""), _words_of(groups.get("second") or "")
                first, second = first - second, second - first  # Vue 2, Vue 3
                if second and (first or "first" not in groups):
                    out.append(Relation(sort, first, second, found.start(), found.end()))
    if (_ASKED_ZH_PEOPLE if chinese else _ASKED_PEOPLE).search(text):
        for sort, form in _asked(_zh_people_forms() if chinese else _people_forms(), text):
            for found in form.finditer(text):
                groups = found.groupdict()
                first, second = _person(groups.get("first"), selves), _person(groups.get("second"), selves)
                first, second = (first - second, second - first) if first != second else (first, second)  # Lea's team, Kim's team
                if (first or second) and first.isdisjoint(second):
                    out.append(Relation("@" + _SAME_SORT.get(sort, sort), first, second, found.start(), found.end()))
    return tuple(out)


def _meet(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two ends may be the same thing or person."""
    if not one or not other:
        return False
    if not one.isdisjoint(other):
        return True
    for left in one:
        for right in other:
            if is_cjk(left) and is_cjk(right):
                if _common(left, right) >= min(2, len(left), len(right)):
                    return True
            elif USER not in (left, right) and left.isalpha() and right.isalpha() and meet(left, right):
                return True
    return False


@lru_cache(maxsize=4096)
def _common(one: str, other: str) -> int:
    """The length of the longest run of characters that two have in common."""
    short, long = sorted((one, other), key=len)
    return next(
        (size for size in range(len(short), 0, -1) if any(short[at : at + size] in long for at in range(len(short) - size + 1))),
        0,
    )


def _is_turned(mine: Relation, others: Sequence[Relation]) -> Relation | None:
    """The relation of a source that one turns, where none tells it as it does."""
    same = [other for other in others if other.sort == mine.sort]
    turned = None
    for other in same:
        first, second = _meet(mine.first, other.first), _meet(mine.second, other.second)
        if (first and (second or not mine.second or not other.second)) or (second and (not mine.first or not other.first)):
            return None
        left, right = _meet(mine.first, other.second), _meet(mine.second, other.first)
        if first or second:
            continue
        if (left and right) or (left and not (other.first and mine.second)) or (right and not (other.second and mine.first)):
            turned = turned or other
    return turned


def compared_alike(one: str, two: str) -> bool:
    """Whether two sentences compare the same two, each from the other's side: *Ann is older than Ben*, *Ben is younger than Ann*."""
    if any(turn.sure for text in (one, two) for turn in turns(text)):
        return False  # not younger
    mine, theirs = ([each for each in relations(text) if "more " in each.sort] for text in (one, two))
    return any(_have_same_ends(left, right) for left in mine for right in theirs)


def passed_alike(one: str, two: str) -> bool:
    """Whether two sentences tell the same lending or teaching, each from another side: *A 借给 B*, *B 向 A 借*."""
    mine, theirs = ([each for each in relations(text) if each.sort in _PASSED] for text in (one, two))
    return any(_have_same_ends(left, right) for left in mine for right in theirs)


def told_from_the_other_side(one: str, two: str) -> bool:
    """Whether what one sentence tells of one of two people is what another tells of the other: *Owen manages Priya*, *Priya reports to Owen*."""
    mine, theirs = ([each for each in relations(text) if each.sort.startswith("@")] for text in (one, two))
    return any(_have_same_ends(left, right) and _share_an_end(left, right) for left in mine for right in theirs)


def _share_an_end(one: Relation, other: Relation) -> bool:
    return not one.first.isdisjoint(other.first) or not one.second.isdisjoint(other.second)


@cache
def _converses() -> frozenset[str]:
    return frozenset(word for _, upper, lower in _AXES for word in f"{upper} {lower}".split())


def is_converse(word: str) -> bool:
    """Whether a word says what somebody is to another who is something else to him: *godmother*, *tenant*."""
    return fold(word) in _converses()


_PASSED = ("@lend", "@let", "@sell", "@teach", "@give")


def _have_same_ends(one: Relation, other: Relation) -> bool:
    """Whether two relations are of one sort and go the same way, as far as both tell it: a pronoun may be the other one."""
    told = [_meet(*pair) for pair in ((one.first, other.first), (one.second, other.second)) if all(pair)]
    return one.sort == other.sort and bool(told) and all(told)


def gave_way(clause: str, text: str) -> bool:
    """Whether a text says that something else came in the place of what a clause names."""
    words = _words_of(clause)
    return any(one.sort == "change" and _meet(words, one.first) and not _meet(words, one.second) for one in relations(text))


_SMALL = 150
"""Of so many lines all are asked, of more those that have a word of an end."""


def _near(found: Iterable[Relation], ours: Side) -> Iterator[int]:
    if len(ours.lines) <= _SMALL:
        yield from range(len(ours.lines))
        return
    seen: set[int] = set()
    for one in found:
        for word in one.first | one.second:
            for key in word if is_cjk(word) else (word,):
                for at in ours.by_feature.get(key, ())[: VISIT if not is_cjk(word) else 20]:
                    if at not in seen:
                        seen.add(at)
                        yield at


def _told(side: Side, number: int, selves: frozenset[str]) -> tuple[Relation, ...]:
    """The relations of a line, with those that begin before its semicolon; offsets are in the line's text."""
    line = side.lines[number]
    if not line.joined or not number:
        return relations(line.text, selves)
    before = side.lines[number - 1]
    text = side.memories[line.memory].memory[before.start : line.end]
    shift = line.start - before.start
    return tuple(
        one._replace(start=max(0, one.start - shift), end=one.end - shift) for one in relations(text, selves) if one.end > shift
    )


def find_turned(ours: Side, theirs: Side, dominant: frozenset[str], lost: list[Gone], invented: Sequence[Made]) -> list[Made]:
    """The sentences of the rewrite that turn what goes from one to another; what they turn is added to ``lost``."""
    selves = dominant if len(dominant) == 1 else frozenset()
    flagged = {(one.public.index, one.public.start) for one in invented}
    gone = {item.unit for item in lost}
    own = {line.phrase for line in ours.lines}
    out: list[Made] = []
    told: list[tuple[int, tuple[Relation, ...]]] = [
        (number, found)
        for number, line in enumerate(theirs.lines)
        if line.units and line.phrase not in own and (found := _told(theirs, number, selves))
    ]
    right = [one for _, found in told for one in found]
    for number, found in told:
        line = theirs.lines[number]
        if (line.memory, line.start if line.whole is None else line.whole[1]) in flagged:
            continue
        sources = [(at, one) for at in _near(found, ours) for one in _told(ours, at, selves)]
        others = [one for _, one in sources]
        for mine in found:
            turned = _is_turned(mine, others)
            if turned is None:
                continue
            of = next(at for at, one in sources if one is turned)
            source = ours.lines[of]
            memory = theirs.memories[line.memory]
            found_at = theirs.unit_at(line, line.start + mine.start)
            at = line.units[-1] if found_at is None else found_at
            detail = f"{brief(line.text[mine.start : mine.end].strip())}: “{brief(source.text)}” says it the other way round"
            made = make_invented(memory, line, shown(theirs, theirs.units[at]), "swap", detail)
            nearest = ours.memories[source.memory].memory_id
            out.append(Made(replace(made, nearest_id=nearest, nearest=source.text), at))
            fact = ours.unit_at(source, source.start + turned.start)
            if not any(one.sort == turned.sort and _agrees(turned, one) for one in right):
                lose(lost, gone, ours, fact, f"told the other way round: “{brief(line.text)}”")
            break
    return out


def _agrees(one: Relation, other: Relation) -> bool:
    return _meet(one.first, other.first) and _meet(one.second, other.second)


__all__ = [
    "Relation",
    "compared_alike",
    "find_turned",
    "gave_way",
    "is_converse",
    "passed_alike",
    "relations",
    "told_from_the_other_side",
]
