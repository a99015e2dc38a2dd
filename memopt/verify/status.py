"""A word that keeps a thing from being so, on one side alone: *almost bought*, *rarely eats*, *forgot to cancel*, *dreamed that*, *at most*.

All telling words of the plain statement stand there, too, so a search for words finds nothing. Each row below has what marks such a
statement and all that could stand for it in any wording. A contrary is seen where a clause has the mark, another sentence tells what
the mark governs, and there is nothing in the clause that tells it which could stand for the mark. Likewise for what was begun and is
told as reached (*is learning*, *is fluent in*), and for what was asked or read about and is told as had. Pure.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from memopt.facts import lexicon, senses
from memopt.facts.cut_zh import cut
from memopt.facts.polarity import segments
from memopt.facts.reading import opens_clause
from memopt.facts.words import CJK, fold, stem, tokens
from memopt.verify.bounds import LOWER, NUMBER, UPPER, bounds
from memopt.verify.lines import weigh

_LONG = 1200
"""Longer sentences are not read: a mark in them says little about the whole."""


class _Row(NamedTuple):
    """A kind of mark.

    Attributes:
        mark: the mark; its group ``of``, if any, is where what it governs begins.
        stands: what could stand for it.
        told: what the other sentence must have besides, "" for nothing.
        share: which part of the governed words the other sentence must tell, at the least; the first one always, where it is a verb's mark.
        first: whether the first governed word must be told.
        least: so many governed words must be told (one where there is but one).
        far: what could stand for it anywhere in the sentence, not only in the clause that tells what it governs; "" for nothing.
        done: whether the first governed word must be told as done, by a form of the past.
        bound: from which side the governed figure is bounded; one that the other sentence bounds from there, too, is told alike.
    """

    mark: str
    stands: str
    told: str = ""
    share: float = 0.5
    first: bool = True
    least: int = 2
    far: str = ""
    done: bool = False
    bound: str = ""


_NOT = r"not|never|no|none|nobody|nothing|without|cannot|\w+n['’]t|no longer"
_OPEN = r"will|would|should|shall|could|(?<!\d )may(?! \d)|might|must|needs?|plan\w*|intend\w*|want\w*|hop(?:e|es|ing)|aim\w*|consider\w*|going to|about to|if|whether|perhaps|maybe|probably"
_HAVING = (
    r"has|have|had|takes?|took|taking|suffers?|suffered|suffering|was diagnosed|diagnosed|owns?|owned|uses?|used|using|divorced|hired"
    r"|bought|stole|stolen|married|got|gets|became|adopted|sued|inherited|is an?|joined|founded|started"
)
_DONE_WITH = r"went|visited|visits|saw|attended|met|had|flew|took|passed|underwent|was (?:seen|examined|interviewed|treated)|has (?:been|seen|visited|attended|met)|gave|did|completed|finished"
_VERB_AHEAD = r"(?=[a-z]+(?:ed|ing)\b|(?:{irregular})\b)"
_THAT = (
    r"(?! (?:of|about|to|it|so|in|for|with|over|on|highly|twice|again)\b)"
    r"(?= that\b| (?:he|she|they|the user|user|i)\b| (?:if|whether)\b|[^.;,]{1,60}\b(?:is|are|was|were|has|have|had|will|would|can|could|should|must|[a-z]+ed|lied|went|got|left|took|made)\b)"
    r"(?: (?:that|if|whether)\b)?(?: |, )(?P<of>(?=\w))"
)

_SAID = (
    r"\b(?:think\w*|thought|belie\w+|opinion\w*|view|views|feels? that|consider\w*|finds?|found|regard\w*|convinced|according|claim\w*|says?|said|tells?|told|mention\w*|report\w*|jok\w+|jest|kidding|dream\w*"
    r"|imagin\w*|pretend\w*|fear\w*|worr\w*|afraid|concern\w*|anxious\w*|nervous\w*|uneas\w*|apprehens\w*|guess\w*|assum\w*|suspect\w*|suppos\w*|alleg\w*|wonder\w*|ask\w*|question\w*|inquir\w*|enquir\w*|unsure|whether|if|perhaps|maybe|probably|may|might|seem\w*|in (?:his|her|their) (?:eyes|mind|sleep)"
    r"|(?-i:[Ff]or (?:[A-Z]\w+|the user|him|her|them)))\b"
)
_SUPPOSED = r"\b(?:if|when\w*|in case|provided|depend\w*|condition\w*|once|unless|should|otherwise)\b"
_ABOUT = (
    r"\b(?:ask\w*|inquir\w*|enquir\w*|question\w*|quer\w+|read\w*|books?|articles?|research\w*|look(?:s|ed|ing)? (?:up|into)|googl\w*|search\w*|talk\w*|convers\w*|chat\w*|heard|discuss\w*|writ\w+|wrote|documentar\w*|curious|curiosity"
    r"|interest\w*|learn\w*|stud(?:y|ies|ied|ying)|consult\w*|advi[cs]e\w*|information|wonder\w*|about (?:it|that|this|them))\b"
)
_CJK_SAID = "觉得|认为|以为|说|梦|玩笑|假装|幻想|猜|问|怀疑|担心|看法|观点|看来|好奇|是否"
_CJK_SUPPOSED = "如果|若|要是|假如|一旦|只要|除非|否则|取决|的话"
_CJK_ABOUT = "问|咨询|请教|打听|读|看|书|文章|查|搜|了解|研究|讨论|聊|谈|关于"


def _english_rows() -> tuple[_Row, ...]:
    irregular = "|".join(sorted(word for word, plain in lexicon.IRREGULAR.items() if word != plain and not word.endswith("s")))
    return (
        _Row(
            rf"\b(?:almost|nearly|(?:came|was|were) (?:very )?close to|on the (?:verge|brink) of) {_VERB_AHEAD.format(irregular=irregular)}",
            rf"\b(?:almost|near\w*|close\w*|verge|brink|narrow\w*|but|decided|chang\w*|tempted|thought|instead|until|miss\w*|virtually|practically|escap\w*|avoid\w*|{_NOT}|{_OPEN})\b",
        ),
        _Row(
            r"\b(?:hardly ever|almost never|(?:very )?rarely|seldom|barely|hardly|scarcely|infrequently|only occasionally)\b(?! (?:any|a|enough|anyone|anything|\d))",
            rf"\b(?:rare\w*|seldom|hardly|barely|scarce\w*|infrequent\w*|occasion\w*|sometimes|little|few|fewer|less|least|limited|poor\w*|minimal\w*|minimum|basic\w*|low|bit|bits|now and then"
            rf"|once in a while|from time to time|every so often|once in a blue moon|avoid\w*|small|tiny|only|special|cut\w*|struggl\w*|difficult\w*|hard|weak\w*|smattering|rudiment\w*|beginner\w*|unusual\w*"
            rf"|exception\w*|treat|uncommon\w*|lack\w*|light\w*|un\w+|sporadic\w*|reluctan\w*|sparing\w*|as good as|next to|broken|moderat\w*|reduc\w*|{_NOT})\b",
        ),
        _Row(
            r"\b(?:has|have|had|is|are) yet to\b",
            rf"\b(?:yet|still|un\w+|has to|have to|remain\w*|outstanding|pending|owes?|due|await\w*|wait\w*|future|later|overdue|open|to do|to-do|miss\w*|lack\w*|late|left to|ahead|{_NOT}|{_OPEN})\b",
            least=1,
        ),
        _Row(
            r"\b(?:forgot|forgets|forgotten|neglect(?:ed|s)|omitted|omits|fail(?:ed|s)|(?:never|n['’]t) (?:got|get|gotten) (?:a)?round to|(?:n['’]t|not) manage)(?: to\b| (?=[a-z]+ing\b))",
            rf"\b(?:forg\w+|neglect\w*|omi\w+|fail\w*|miss\w*|still|un\w+|slip\w*|overlook\w*|remind\w*|remember\w*|laps\w*|late|refus\w*|declin\w*|reject\w*|unable|has to|have to|lost|loses?|drop\w*|{_NOT}|{_OPEN})\b",
            least=2,
        ),
        _Row(
            r"\b(?:(?:dream(?:s|ed|t|ing)|joke[sd]?|joking|imagine[sd]?|imagining|pretend(?:s|ed)?|fears|feared|worr(?:ies|ied))(?= (?:that|he|she|they|the user|user)\b)|guess(?:es|ed)|assume[sd]|thinks|thought|believes|believed|suspects|suspected"
            rf"|claims|claimed|wonders?|wondered|(?:asks|asked|asking|wants to know|wanted to know|wonders|wondered|not sure|unsure)(?: \w+)? (?:if|whether))\b{_THAT}",
            rf"\b(?:think\w*|thought|belie\w+|opinion|view\w*|feel\w*|felt|consider\w*|find|finds|found|sees?|saw|seen|regard\w*|holds?|held|convinced|sure|certain\w*|according|claim\w*|says?|said|tells?|told|mention\w*"
            rf"|report\w*|jok\w+|jest|kidding|humou?r\w*|dream\w*|imagin\w*|pretend\w*|fear\w*|worr\w*|afraid|concern\w*|anxious\w*|nervous\w*|uneas\w*|apprehens\w*|guess\w*|assum\w*|suspect\w*|suppos\w*|alleg\w*|wonder\w*|ask\w*|question\w*|inquir\w*|enquir\w*|unsure|whether"
            rf"|rather|prefer\w*|trust\w*|agree\w*|doubt\w*|seem\w*|appear\w*|argu\w+|maintain\w*|insist\w*|recommend\w*|advis\w*|suggest\w*|likes?|loves?|enjoys?|dislikes?|hates?|eyes|mind|sleep|know|curious|values?"
            rf"|(?-i:[Ff]or (?:[A-Z]\w+|the user|him|her|them)|[Tt]o (?:him|her|them))|(?<=[a-z] )(?:the )?user(?=\.|$)|advocat\w*|support\w*|appreciat\w*|admir\w*|conviction\w*|expect\w*|apparently|{_OPEN})\b",
            share=0.75,
            first=False,
            far=_SAID,
        ),
        _Row(
            r"(?<!not )(?<!the )(?<!an )(?<!if )\bonly\b(?! (?:child|son|daughter|a|an|the|one|two|three|once|twice|recently|just|son|when|if|after|\d))",
            rf"\b(?:only|just|sole\w*|exclusiv\w*|other|except\w*|alone|single|mere\w*|strict\w*|always|limit\w*|restrict\w*|but|avoid\w*|any\w*|all|every\w*|entire\w*|once|unless|until|pure\w*|prefer\w*|must|needs?|insist\w*|instead|rather|specific\w*|simpl[ey]|at most|hardly|rare\w*|few|requires?|stick\w*|keeps? to|stays?|nothing|{_NOT})\b",
        ),
        _Row(
            r"\b(?:except|except for|excepting|excluding|with the exception of|but not)(?: (?:on|in|at|for|to|during|with|the|his|her))*\b",
            rf"\b(?:except\w*|exclud\w*|exclus\w*|apart|other|others|rest|besides|aside|save|bar|barring|but|only|unless|outside|spar\w*|skip\w*|avoid\w*|off|fre\w+|{_NOT})\b",
            least=1,
            far=rf"\b(?:other|others|rest|remaining|clos\w+|shut|{_NOT})\b",
        ),
        _Row(
            rf"\b(?:at (?:the )?most|not? more than|(?:can|may|could|spends?|for|with|is|are|costs?|takes?|eats?|holds?|allows?|pays?|of|drinks?|lasts?|runs?|works?|needs?|to) up to|(?<!no )(?<!not )(?<!n't )(?:less|fewer) than|under|below|a maximum of|max(?:imum|\.)?) {NUMBER}(?! (?:years? old)\b)",
            rf"\b(?:most|max\w*|up to|limit\w*|cap\w*|within|exceed\w*|under|below|less|fewer|ceiling|upper|stay\w*|over|beyond|tops?|more|longer|later|until|till|by|between|inside|budget\w*|tolerat\w*|before|restrict\w*|{_NOT})\b|[≤<+]|\d ?[-–—~] ?\d|\bto \d",
            share=1.0,
            least=1,
            bound=UPPER,
        ),
        _Row(
            rf"\b(?:at (?:the very )?least|not? (?:less|fewer) than|(?<!no )(?<!not )(?<!n't )more than|a minimum of|min(?:imum|\.)?|upwards of) {NUMBER}",
            rf"\b(?:least|min\w*|more|over|above|exceed\w*|beyond|plus|upwards?|greater|from|less|below|under|fewer|starting|past|well|and counting|longer|later|before|after|floor|onwards?|between|{_NOT})\b|[≥>+]|\d ?[-–—~] ?\d|\bto \d",
            share=1.0,
            least=1,
            bound=LOWER,
        ),
        _Row(
            r"\b(?:(?:trying|tries|tried|attempts|attempted|attempting|struggles|struggled|needs?|needed|has|have|ought|(?:is|was|are|were) (?:supposed|meant|due|scheduled|required|about|to start)|promised|agreed|offered|asked|intends) to|should|must)\b(?! (?:be|have|not|never)\b)",
            rf"\b(?:try\w*|tries|tried|attempt\w*|effort\w*|struggl\w*|has to|have to|had to|ought|supposed|meant|due|schedul\w*|requir\w*|promis\w*|agree\w*|offer\w*|ask\w*|recommend\w*|advis\w*|told|still|next|soon|tomorrow|remind\w*|task|todo|to-do|necessary|{_NOT}|{_OPEN})\b",
            done=True,
        ),
        _Row(
            r"^(?P<if>if|as long as|provided(?: that)?|in case|unless) (?P<condition>[^,;]+), (?P<main>[^;]+)",
            r"\b(?:if|when\w*|in case|provided|depend\w*|condition\w*|once|would|should|after|before|upon|unless|until|otherwise|might|may|could|can|possib\w*|potential\w*|during|while|where\w*|whatever|which\w*|for|with|without|in|on|at|as|by|otherwise|hypothetic\w*)\b",
            share=0.75,
            first=False,
            far=_SUPPOSED,
        ),
        _Row(
            r"\b(?:learning|studying|practi[sc]ing|taking (?:\w+ )?(?:lessons|classes|courses?) (?:in|of)|(?:has |have )?(?:started|began|begun|wants|hopes|plans|trying|tries) to (?:learn|study))\b",
            r"\b(?:learn\w*|stud(?:y|ies|ied|ying|ent)|lessons?|class(?:es)?|courses?|practi[sc]\w*|beginner\w*|teach\w*|taught|improv\w*|tutor\w*|duolingo|working on|picking up|train\w*|levels?|progress\w*|some|bit|basic\w*|[abc][12]|since|first steps|novice|getting|taking|taken|took)\b",
            told=r"\b(?:fluent\w*|native|master(?:ed|s|y)|proficien\w*|(?:speaks?|spoke|knows?)(?! (?:with|to|of|about)\b)|excellent command|bilingual|expert|can (?:speak|play|read|write|swim|drive|code|cook|dance|sing))\b",
            share=0.34,
            first=False,
            least=1,
        ),
        _Row(
            r"\b(?:(?:is|are) (?:currently |still )?(?:reading|watching|writing|building|renovating|knitting)|(?:is|are) (?:currently |still )?(?:in the middle of|halfway through))\b",
            rf"\b(?:(?<!finished )(?<!done )(?<!completed )(?:reading|watching|writing|building|renovating|knitting)|middle|halfway|progress|currently|at present|so far|current|still|part|{_NOT}|{_OPEN})\b",
            told=r"\b(?:finished|completed|has (?:already )?(?:read|watched|written|built|renovated|knitted)|done with)\b",
            share=0.5,
            first=False,
            least=1,
        ),
        _Row(
            r"\b(?:not even|including)\b(?= (?:the |his |her |their )?\w)",
            r"\b(?:even|includ\w*|too|also|well)\b",
            told=r"\b(?:except\w*|apart from|other than|aside from|but for|save for)\b",
            share=0.5,
            first=False,
            least=1,
        ),
        _Row(
            r"\b(?:resum(?:es|ed|ing)|relaps(?:es|ed|ing)|took up \w+ again|(?:went|gone|goes|is) back to|(?:started|began|begun|starts|begins) (?:\w+ ){1,3}again)\b",
            rf"\b(?:resum\w*|relaps\w*|again|back|return\w*|re-?start\w*|re-?join\w*|once more|anew|continu\w*|re\w+|another|{_NOT}|{_OPEN})\b",
            told=r"\b(?:paus\w+|suspend\w*|stopp\w+|quit|gave up|given up|halt\w*|on hold)\b",
            share=0.3,
            first=False,
            least=1,
        ),
        _Row(
            r"\b(?:interested|interest) in(?: (?:buying|getting|owning|having|a|an|the))*\b",
            rf"\b(?:interest\w*|curious|curiosity|likes?|loves?|fascinat\w*|fan|fans|enthus\w*|passion\w*|enjoy\w*|into|keen|hobb\w+|appeal\w*|attract\w*|look\w*|fond|drawn|intrigu\w*|explor\w*|learn\w*|thing for|{_OPEN})\b",
            told=r"\b(?:owns?|owned|bought|buys|purchased|acquired|keeps|runs|collects|possesses|sells|builds|works? (?:as|at|in)|studies|studied|practises|practices|has (?:an?|two|three|several|many)|speaks)\b",
            share=0.5,
            least=1,
        ),
        _Row(
            r"\b(?:has|have|booked|books|scheduled|made|makes) (?:an? |the |her |his |their |another )?(?:[\w-]+ ){0,2}?(?:appointments?|interviews?|reservations?|bookings?|consultations?|viewings?|check-?ups?|tickets?|meetings?)\b",
            rf"\b(?:appoint\w*|interview\w*|reserv\w*|book\w*|schedul\w*|consultation\w*|viewing\w*|ticket\w*|meeting\w*|due|upcoming|next|calendar|expect\w*|sees|arranged|set|visits|meets|goes|attends|{_OPEN})\b",
            told=rf"\b(?:{_DONE_WITH})\b",
            share=0.3,
            first=False,
            least=1,
        ),
        _Row(
            r"\b(?:ask(?:s|ed|ing)?(?: \w+)? (?:about|how|for (?:information|advice|tips|help))|(?:inquir|enquir)\w+ (?:about|into)|(?:reads?|reading|researche[sd]|researching|talk(?:s|ed|ing)?|spoke|speaks|heard|hears|discuss(?:es|ed|ing)?"
            r"|look(?:s|ed|ing)? (?:up|into)|googl(?:es|ed|ing)|search(?:es|ed|ing) (?:for|about)|watched|watching|curious|chatted|learn(?:s|ed|t|ing)?)(?: up)?(?: (?!and\b|or\b|but\b)[\w'-]+){0,5}? (?:about|(?<=books )on|(?<=book )on|(?<=articles )on|(?<=article )on|(?<=documentary )on|(?<=lecture )on|(?<=report )on|(?<=video )on)(?! (?:\d|(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|half|once|twice) (?:\w+ )?(?:books?|novels?|pages?|chapters?|articles?|papers?|hours?|minutes?|times?|words?|day|week|month|year|dozen)\b))"
            r"|(?:discuss(?:es|ed|ing)?|googl(?:es|ed|ing)|researche[sd]|researching|asked (?-i:[A-Z])\w+ for|consult(?:s|ed|ing)?))\b",
            rf"\b(?:ask\w*|inquir\w*|enquir\w*|question\w*|quer\w+|read\w*|books?|articles?|research\w*|look\w*|googl\w*|search\w*|talk\w*|speak\w*|spoke|convers\w*|chat\w*|hear\w*|heard|discuss\w*|writ\w+|wrote|watch\w*|documentar\w*|curious"
            rf"|curiosity|interest\w*|learn\w*|stud(?:y|ies|ied|ying)|consult\w*|advi[cs]e\w*|about|regarding|concerning|information|info|know\w*|wonder\w*|tips?|topic\w*|subject\w*|likes?|loves?|enjoys?|prefers?|concern\w*|concerns?|request\w*|help\w*|seek\w*|sought|{_OPEN})\b",
            told=rf"\b(?:{_HAVING})\b",
            share=0.01,
            first=False,
            least=1,
            far=_ABOUT,
        ),
    )


_CJK_NOT = "不|没|未|无|非|别|勿"
_CJK_OPEN = "想|打算|计划|准备|考虑|将|会|要|应|该|可能|如果|若|希望|是否|需"
_CJK_NUMBER = r"(?P<of>\d[\d.,]*|[一两二三四五六七八九十百千万半]+)"
_CJK_ROWS = (
    _Row(r"差点儿?(?!没)|差一点(?!没)|险些(?!没)", f"差|险|几乎|本来|原本|但|临|{_CJK_NOT}|{_CJK_OPEN}"),
    _Row(
        r"(?<!不)很少|不经?常|极少|甚少|难得|鲜少|几乎不|几乎没有?",
        f"不(?:经常|常|太|大|怎么|多)|少|难得|偶|几乎|有时|罕|鲜|低|一点|只|仅|节制|控制|限|避|忌|基本|勉强|略|{_CJK_NOT}",
    ),
    _Row(
        r"(?:忘记|忘了|没来得及|未能|没能)(?:[去把给将要])*",
        f"忘|漏|还|遗|提醒|记得|疏忽|错过|失败|来得及|{_CJK_NOT}|{_CJK_OPEN}",
    ),
    _Row(
        r"(?:(?<=[\u4e00-\u9fff])(?<!用户)(?<!本人)(?<!也)(?<!还)(?<!我)(?<!一直)(?<!总)(?:觉得|认为)|以为|梦见|梦到|开玩笑说|假装|幻想|猜测?|担心|怀疑|好奇|不确定|问(?=[^，。；]*(?:是否|会不会|能不能|要不要|是不是|该不该)))(?:[他她自己]+)?",
        f"觉|认为|以为|嫌|说|梦|玩笑|假装|幻想|猜|问|怀疑|担心|看法|观点|感|眼中|看来|喜欢|相信|信|建议|推荐|主张|态度|意见|好奇|确定|疑|怕|讨厌|爱|支持|赞|{_CJK_OPEN}",
        share=0.75,
        first=False,
        far=_CJK_SAID,
    ),
    _Row(
        r"除了?(?P<of>)(?=[^，。；]{1,10}(?:以外|之外|外)?[，,]?[^，。；还也又]{0,12}都)|(?P<before>[^，。；但]{1,8})除外",
        f"除|例外|只|仅|避|其他|其余|另|{_CJK_NOT}",
        least=1,
    ),
    _Row(
        rf"(?:最多|至多|不超过|顶多|最高)(?:[吃喝花用睡跑走工作学习能可以]*){_CJK_NUMBER}|(?<!不)(?:少于|低于|不到|不足){_CJK_NUMBER.replace('of', 'of2')}",
        f"最多|至多|超|顶多|最高|上限|限|少于|低于|以内|以下|之内|内|到|足|控制|封顶|至|[-~～—–<≤]|{_CJK_NOT}",
        share=1.0,
        least=1,
    ),
    _Row(
        rf"(?:最少|至少|不少于|不低于|起码)(?:[吃喝花用睡跑走工作学习要]*){_CJK_NUMBER}|(?<!不)(?:多于|高于|超过){_CJK_NUMBER.replace('of', 'of2')}",
        f"最少|至少|少于|低于|起码|多|高于|以上|超|下限|不止|余|起|最低|至|[-~～—–>≥+]|{_CJK_NOT}",
        share=1.0,
        least=1,
    ),
    _Row(
        r"^(?:用户)?(?P<if>如果|若|要是|假如|一旦|只要)(?P<condition>[^，；。]+)[，](?P<main>[^；。]+)",
        "如|若|要是|假|一旦|只要|时|当|后|前|条件|否则|除非|可能|会不会|视|看|取决|遇|情况|对|在",
        share=0.75,
        first=False,
        far=_CJK_SUPPOSED,
    ),
    _Row(
        r"试图|尝试|努力(?=[戒学减练找])|需要?(?=[\u4e00-\u9fff])|应该|必须",
        f"试|尝|努力|必|得|提醒|待|建议|{_CJK_NOT}|{_CJK_OPEN}",
        told=r"已|[\u4e00-\u9fff]了",
    ),
    _Row(
        r"(?<![不一两几三四五六七八九十\d])(?:只|仅)(?=[在吃喝用穿看听买住去做说])(?![用花吃喝做买]了?[\d一两二三四五六七八九十几])",
        f"只|仅|唯|限|才|除|专|都|全|从|一律|照样|总|一直|坚持|{_CJK_NOT}",
    ),
    _Row(
        r"(?:正在|在|开始|刚开始)(?:自学|学习|学|练习|练)(?!校|院|生)",
        f"学|练|课|初|入门|进步|水平|教|一点|基础|班|{_CJK_NOT}",
        told=r"会[说讲弹拉游]|精通|流利|掌握|熟练|会[^，。；]{0,2}语|擅长|母语",
        share=0.5,
        first=False,
        least=1,
    ),
    _Row(
        r"(?:备考|备战|(?:准备|复习|在考)(?=[^，。；]{0,12}[考试证]))(?!.*(?:已|[考通]过))",
        f"备|准备|复习|目标|在考|{_CJK_NOT}|{_CJK_OPEN}",
        told=r"考[上过下取中]|通过了|当[上了]|拿到|取得|成为|已[经是]",
        share=0.5,
        first=False,
        least=1,
    ),
    _Row(
        r"(?:正在|仍在|还在|在)(?:看|读|写|追)(?=[^，。；]*《)",
        f"在|中|进度|还|仍|目前|一半|部分|{_CJK_NOT}|{_CJK_OPEN}",
        told=r"[看读写追]完|读过|看过",
        share=0.5,
        first=False,
        least=1,
    ),
    _Row(
        r"连(?P<of>)(?=[^，。；]{1,8}[也都]不)",
        "连|甚至|包括|也不例外",
        told=r"除|例外|只有|唯独",
        share=0.3,
        first=False,
        least=1,
    ),
    _Row(
        r"(?:后来|之后|最近|近来|现在|如今)?又(?=[^，。；]{1,4}(?:起来|上了|回来了|起了))|复吸|复饮|复发",
        "又|再|重|复|恢复|回",
        told=r"戒|不再|再没|没再|停",
        share=0.01,
        first=False,
        least=1,
    ),
    _Row(
        r"对(?P<of>)(?=[^，。；]{1,12}感兴趣)",
        f"兴趣|喜欢|爱|好奇|着迷|热衷|迷|关注|{_CJK_OPEN}",
        told=r"拥有|买了|有(?!兴趣|意)|养|收藏|经营",
        share=0.5,
        first=False,
        least=1,
    ),
    _Row(
        r"预约了?|约了|预订了?|挂了",
        f"预|约|挂|订|定于|安排|将|下|{_CJK_NOT}|{_CJK_OPEN}",
        told=r"去了|看了|去过|看过|做了|见了|参加了|完成",
        share=0.5,
        first=False,
        least=1,
    ),
    _Row(
        r"(?:询问|咨询|请教|打听|问(?!题))(?:过|了|起)?(?:关于)?|(?:在读|在看|读了|看了|读过|看过|正在读|正在看)(?=[^，。；]*(?:书|文章|纪录片|视频|资料|论文))|(?:查了|查过|查询|搜索|搜了|了解|研究|讨论|聊|谈)(?:过|了|到)?(?:关于)?",
        f"问|咨询|请教|打听|读|看|书|文章|查|搜|了解|研究|讨论|聊|谈|关于|兴趣|关注|喜欢|学|知识|信息|求助|请求|寻|找|{_CJK_OPEN}",
        told=r"(?<![没还])有|患|确诊|服用|[吃喝买雇]|使用|在用|拥有|[\u4e00-\u9fff]{1,2}了",
        share=0.01,
        first=False,
        least=1,
        far=_CJK_ABOUT,
    ),
)


class _Compiled(NamedTuple):
    row: _Row
    mark: re.Pattern[str]
    stands: re.Pattern[str]
    far: re.Pattern[str] | None
    told: re.Pattern[str] | None


@cache
def _rows(chinese: bool) -> tuple[_Compiled, ...]:
    rows = _CJK_ROWS if chinese else _english_rows()
    return tuple(
        _Compiled(
            row,
            re.compile(row.mark, re.I),
            re.compile(row.stands, re.I),
            re.compile(row.far, re.I) if row.far else None,
            re.compile(row.told, re.I) if row.told else None,
        )
        for row in rows
    )


class _Mark(NamedTuple):
    """A mark in a sentence.

    Attributes:
        kind: its row.
        start: where it begins.
        end: where it ends.
        said: the mark as it stands.
        words: the stems of what it governs, in order (Chinese: words).
        condition: the stems of what it depends on; a sentence that tells any of it leaves the condition in.
    """

    kind: _Compiled
    start: int
    end: int
    said: str
    words: tuple[str, ...]
    condition: tuple[str, ...] = ()


_GOVERNED = 6
"""So many telling words behind a mark are what it governs."""
_EMPTY = frozenset(
    lexicon.words("user users he she they i we you it him her them who his their really very still just also even usually often")
)
_CJK_EMPTY = frozenset("的了过着一只个辆条本位名台次些是有在和与就都也很被把用户他她它这那对从到为于上下里中能可以吃喝")
_VERB_ROWS = ("吃", "喝")


def _is_chinese(text: str) -> bool:
    return not text.isascii() and re.search(f"[{CJK}]", text) is not None


@lru_cache(maxsize=32768)
def _marks(text: str) -> tuple[_Mark, ...]:
    """All marks of a sentence with what they govern."""
    if len(text) > _LONG:
        return ()
    chinese = _is_chinese(text)
    spans: list[tuple[int, int]] = []
    out = []
    for kind in _rows(chinese):
        for found in kind.mark.finditer(text):
            groups = found.groupdict()
            at = next((found.start(name) for name in ("of", "of2") if groups.get(name) is not None), found.end())
            spans = spans or segments(text)
            end = next((right for left, right in spans if left <= max(at, found.end() - 1) < right), len(text))
            if groups.get("before"):
                at, end = found.span("before")
            words = _words(text[at:end], chinese)[:_GOVERNED]
            if len(words) == 1:  # "rarely sleeps before 2 am"
                end = next((right for left, right in segments(text, fine=False) if left <= max(at, found.end() - 1) < right), end)
                words = _words(text[at:end], chinese)[:_GOVERNED]
            if not words and not chinese and not kind.row.told:  # "eats meat rarely"
                left = next((left for left, right in spans if left <= found.start() < right), 0)
                words = _words(text[left : found.start()], chinese)[-3:]
            if kind.row.share == 1.0:
                number = groups.get("of") or groups.get("of2") or ""
                words = (number.strip(".,"),)
                if kind.row.bound and kind.row.bound not in bounds(text).get(words[0].casefold(), kind.row.bound):
                    continue  # "will not pay more than 50"
            condition: tuple[str, ...] = ()
            if groups.get("condition") is not None:
                condition = _words(groups["condition"], chinese)
                words = _words(groups["main"], chinese)[:_GOVERNED] if condition else ()
            if words:
                out.append(_Mark(kind, found.start(), found.end(), groups.get("if") or found[0].strip(), words, condition))
    return tuple(out)


@lru_cache(maxsize=4096)
def _words(text: str, chinese: bool) -> tuple[str, ...]:
    """The telling words of a piece of a sentence, in order: stems, for Chinese words as they stand."""
    out: list[str] = []
    for token in tokens(text):
        if token.kind == "cjk":
            pieces = [token.text[left:right] for left, right in cut(token.text)]
            out += [piece.strip("了过着") for piece in pieces if not set(piece) <= _CJK_EMPTY or piece in _VERB_ROWS]
        elif token.kind == "number" or chinese:
            out.append(fold(token.text).strip(".,"))
        elif token.kind == "word":
            word = fold(token.text)
            plain = word.removesuffix("'s")
            if plain not in lexicon.STOP and plain not in _EMPTY:
                out.append(stem(plain))
    return tuple(word for word in out if word.strip())


def status(text: str, other: str, within: tuple[int, int] | None = None) -> tuple[str, bool] | None:
    """Whether one of two sentences has a mark that the other one lacks, where it tells what the mark governs.

    Args:
        text: the sentence.
        other: the one that tells the same.
        within: the part of ``text``, as (start, end), that must have the mark or what it governs; None for all of it.

    Returns:
        (what differs, for people, whether the first has the mark); None: nothing does, or it cannot be told.
    """
    start, end = within or (0, len(text))
    for mark in _marks(text):
        if start <= mark.start < end and _lacks(mark, text, other) is not None:
            return f"only one says “{mark.said}”", True
    for mark in _marks(other):
        at = _lacks(mark, other, text)
        if at is not None and start <= at < end:
            return f"only one says “{mark.said}”", False
    return None


def tells(mark_text: str, text: str) -> bool:
    """Whether a sentence tells what a mark of another one governs, marked likewise or not at all."""
    return any(_place(mark, text) is not None for mark in _marks(mark_text))


_LIGHT = 0.2
"""Words that weigh no more than this tell little of what was thought or asked."""


def _place(mark: _Mark, text: str) -> tuple[int, int] | None:
    """Where a sentence tells what a mark governs, as the clause around it (start, end); None where it does not."""
    row = mark.kind.row
    places = _places(text)
    chinese = _is_chinese(text)
    found: list[int] = []
    words = mark.words if row.first or chinese else tuple(word for word in mark.words if weigh(word) > _LIGHT) or mark.words
    for at, word in enumerate(words):
        place = next(
            (start for told, start in places if word == told or (len(mark.words) > 1 and not chinese and _same(word, told))), -1
        )
        if place < 0 and chinese:
            split = re.search("[了过着]?".join(map(re.escape, word)), text)  # 浇水, 浇了水
            place = split.start() if split else -1
        if place < 0 and at == 0 and row.first:
            return None
        if place >= 0:
            found.append(place)
    if len(found) < min(row.least, len(words)) or len(found) < row.share * len(words):
        return None
    return found[0], found[-1]


def _lacks(mark: _Mark, marked: str, text: str) -> int | None:
    """Where a sentence tells flatly what a mark governs; None where it does not, or has a word that could stand for the mark."""
    place = _place(mark, text)
    if place is None:
        return None
    if mark.kind.row.bound and (sides := bounds(text).get(mark.words[0].casefold())):
        return None if mark.kind.row.bound in sides else place[0]
    around = _around(text, *place)
    # what stands beside the mark, too, stands for something else there
    beside = f"{marked[: mark.start]} {marked[mark.end :]}".casefold()
    if any(not _has(beside, found[0].casefold()) for found in mark.kind.stands.finditer(around)):
        return None
    if mark.kind.far is not None and any(not _has(beside, found[0].casefold()) for found in mark.kind.far.finditer(text)):
        return None
    if mark.condition and _tells_any(mark.condition, text):
        return None
    if mark.kind.row.done and not _is_done(mark.words[0], text, place[0], beside):
        return None
    told = mark.kind.told
    if told is not None and all(_has(beside, found[0].casefold()) for found in told.finditer(around)):
        return None
    return place[0]


@lru_cache(maxsize=4096)
def _places(text: str) -> tuple[tuple[str, int], ...]:
    """The telling words of a sentence with their places."""
    out: list[tuple[str, int]] = []
    for token in tokens(text):
        if token.kind == "cjk":
            out += [(token.text[left:right], token.start + left) for left, right in cut(token.text)]
        elif token.kind == "number":
            out.append((token.text.strip(".,"), token.start))
        elif token.kind == "word":
            plain = fold(token.text).removesuffix("'s")
            out.append((stem(plain), token.start))
            if plain != stem(plain):
                out.append((plain, token.start))
    return tuple(out)


def _same(one: str, two: str) -> bool:
    return one == two or one + one[-1:] == two or two + two[-1:] == one or senses.closeness(one, two) >= senses.BY_HAND


def _tells_any(words: tuple[str, ...], text: str) -> bool:
    told = _words(text, _is_chinese(text))
    return any(_same(word, other) or (not word.isascii() and word in text) for word in words for other in told)


_ONE_FORM = frozenset(lexicon.words("quit put cut set let hit shut split read spread bet"))


def _has(beside: str, word: str) -> bool:
    """Whether a word stands beside a mark, an English one as a whole: *not* is not in *notice*."""
    if word not in beside:
        return False
    return not (word.isascii() and word[:1].isalpha() and word[-1:].isalpha()) or (
        re.search(rf"\b{re.escape(word)}\b", beside) is not None
    )


def _is_done(verb: str, text: str, start: int, beside: str) -> bool:
    """Whether a verb stands in the past at a place, and not so beside the mark."""
    found = _WORD.match(text, start)
    word = fold(found[0]) if found is not None else ""
    if stem(word) != verb:
        return False
    past = word.endswith("ed") or (lexicon.IRREGULAR.get(word, word) != word and not word.endswith(("s", "ing")))
    return word in _ONE_FORM or (past and re.search(rf"\b{re.escape(word)}\b", beside) is None)


_WORD = re.compile(r"[^\W\d_]+")


def _around(text: str, first: int, last: int) -> str:
    """The clauses of a sentence from one place to another, with what leads them and a short one that goes on."""
    spans = segments(text, fine=False)
    at = next((index for index, (left, right) in enumerate(spans) if left <= first < right), 0)
    to = next((index for index, (left, right) in enumerate(spans) if left <= last < right), at)
    at, to = min(at, to), max(at, to)
    while at and not opens_clause(_LEAD.sub("", text[spans[at][0] : spans[at][1]])):
        at -= 1
    while to + 1 < len(spans) and _goes_on(text[spans[to + 1][0] : spans[to + 1][1]]):
        to += 1
    return text[spans[at][0] : spans[to][1]]


def _goes_on(text: str) -> bool:
    """Whether a piece behind a clause belongs to it: *or more*, *but seldom*."""
    if not text.isascii():
        return False
    lead = text[:8].casefold().lstrip(" ,;")
    return lead.startswith("or ") or (
        len(text.split()) <= _SHORT and (lead.startswith(("but ", "though ")) or not opens_clause(_LEAD.sub("", text)))
    )


_LEAD = re.compile(r"^(?:[\s,;.:，；、。]|(?:and|or|nor|but)\b)+", re.I)
_SHORT = 4

__all__ = ["status", "tells"]
