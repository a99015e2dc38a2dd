"""What turns the meaning of a text into its contrary: ``not``, ``no longer``, ``gave up``, ``refuses``, ``unfair``, 不, 戒. Pure.

``turns(text)`` lists them with their place. Two tellings of one thing hold the same number of them, but for pairs: *does not
mind* and *is happy to*, *cannot stand* and *dislikes*, *gave up* and *no longer*. How they are counted is up to the caller
(``memopt.verify.stance``).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from memopt.facts import lexicon
from memopt.facts.reading import is_harmless_negator, titles
from memopt.facts.senses import is_common
from memopt.facts.words import CJK, fold, stem, tokens


class Turn(NamedTuple):
    """One word or phrase that turns what it stands with.

    Attributes:
        start: offset of its first character.
        end: offset behind its last character.
        kind: deny, end, past, refuse, dislike, lack, unable, un, or what else it says beside the denial (``allergy``, ``trouble``...).
        sure: whether it always turns; else it may (``allergic`` says *cannot eat*, and also names an illness).
        base: for a prefix (``unfair``) the stem of what it denies, else "".
    """

    start: int
    end: int
    kind: str
    sure: bool
    base: str = ""


# kind, whether it always turns, its forms as a regular expression. An earlier row takes the place of a later one.
_PHRASES: tuple[tuple[str, bool, str], ...] = (
    ("", False, r"(?:does|do|did|would)(?: not|n['’]t) mind|not only|(?:does|do|did|would|is|was|are|were)(?: not|n['’]t) (?:really |at all )?(?:bother(?:ed)?|object(?:ing)?|put off|disturbed)"
     r"|no doubt|no wonder|no matter|no problem|not to mention|why not|if not"
     r"|not? (?:more|less|fewer|later|longer) than|not exceed|no sooner|is used to|get(?:s|ting)? used to|got used to|can(?:not| not|['’]t) wait"
     r"|may not be long|not hesitate|nothing but|stops? by|quit(?:e)? a|lost (?:weight|kilos|\d+)|left[- ]hand\w*|fell? in love|no\. ?\d|not least"
     r"|can(?:not| not|['’]t) help|dropped(?= (?:since|by|to|from|below|under)\b)|(?:lost|loses?) (?:the|a|an|every|his|her|their) (?:\w+ )?(?:final|match|game|race|bet|election|case|semi-final|tournament|set|round)"
     r"|s(?:old|ells?) (?:[\w'-]+ ){1,4}?to(?= (?-i:[A-Z])| (?:a|an|the|his|her|their|my|one|some)\b)|fail[- ]?safe|over there|out of office"
     r"|(?:vaccinat|immuni[sz]|inoculat|insur|protect|guard|shield|secur|safeguard)\w* against|(?:jabs?|shots?|vaccines?|boosters?|insurance|cover|coverage|protection|policy|policies) against"
     r"|(?:tak(?:es?|ing)|took|us(?:es?|ed|ing)|drinks?|wears?|help(?:s|ed)?|work(?:s|ed)?|remed(?:y|ies)|pills?|tablets?|drops?|plays?|played|race[sd]?|compete[sd]?) (?:[\w'-]+ ){0,3}?against"
     rf"|{lexicon.HARMLESS_DENIALS}"
     r"|(?:(?:prevent|avoid|guard against)(?:s|ed|ing)?(?: (?:him|her|them|it|the user|ever|from)){0,2}|(?:keep|stop)(?:s|ing)? (?:him|her|them|the user) from) (?:losing|missing|forgetting|failing|lacking|stopping|dropping|the loss of|loss of)|(?:so as|in order) not to (?:lose|miss|forget|fail|lack|stop|drop)"
     r"|(?:is|are|was|were|be|been|being|gets?|got) sold(?= (?:in|at|by|through|on|via|online|from|for|as|under)\b)|sells? (?:[\w'-]+ ){0,3}?(?:well|out|online|at|in|on|through|via|for)(?= )"
     r"|(?:kiln|oven|pots?|bowls?|vases?|clay|pottery|ceramics?|pieces?|shots?|guns?|cannons?|engines?|bricks?|tiles?) (?:is|are|was|were|gets?|got) fired"
     r"|fired (?:the|a|an|his|her|their) (?:kiln|oven|pots?|bowls?|vases?|clay|pottery|ceramics?|gun|shot|cannon|engine)"
     r"|(?:break|breaks|breaking|broke|broken|split|splits|splitting|cut|cuts|cutting) (?:up |down )?(?:[\w'-]+ ){0,6}?(?:into|between|among|in (?:two|three|four|half|halves|parts|pieces|chunks|steps|groups|blocks|sections|smaller))(?= |[.,;]|$)"
     r"|(?:feel|feels|feeling|felt) left out"
     r"|hard(?= (?!to|time|for|on|and|or|but|with|at|enough|because|since|when|in|going|of|as|these|now|that|if|by|from|not|too|due|while|lately)[a-z])"
     r"|(?:los(?:e|es|ing|t)|drop(?:s|ped|ping)?) (?:[\w-]+ ){0,3}?(?:kg|kilos?|kilograms?|pounds|lbs|weight|stones?)"
     r"|los(?:es|ing|t) (?:his|her|their|my|a|an|both|one of) (?:[\w-]+ ){0,2}?(?:father|mother|dad|mum|mom|parents?|brother|sister|son|daughter|husband|wife|spouse|partner"
     r"|friend|dog|cat|grandmother|grandfather|aunt|uncle|child|baby)"),
    ("", False, r"mind(?:s|ed|ing)? (?:the|his|her|their|my) (?:[\w'’-]+ )?(?:boys?|girls?|child(?:ren)?|kids?|bab(?:y|ies)|twins?|grand\w+|nephews?|nieces?|toddlers?|dogs?|cats?|shop|store|stall|house)\b"),
    ("dislike", True, r"can(?:not| not|['’]t) (?:stand|bear|stomach|abide)|could(?: not|n['’]t) (?:stand|bear)|(?:isn['’]t|is not|not) (?:a fan|fond|keen|into)\b"
     r"|no (?:fan|friend) of|(?:has|have|shows?) no (?:taste|liking|love) for"),
    ("past", False, r"no longer(?= [^,;.]{1,60}? but (?:now |instead |rather )?(?:in|at|on|to|for|with|the|a|an|his|her|their|\d|[A-Z]))"),
    ("deny", True, r"no longer|(?:not|\w+n['’]t|cannot|never|no) (?:[\w'’]+ ){0,6}?(?:any ?more|any longer)(?! than)|no more(?! than)|out of the question|anything but|far from"
     r"|is (?:over|gone) for"),
    ("end", True, r"sells (?:his|her|their|the)(?! [\w-]+s\b)(?= )|(?:was|were|been|got|gets|had) (?:\w+ )?taken away|(?:since|after|upon|having) (?:selling|(?:the|a) sale of)|sw(?:ore|ears?|orn|earing) off|wean(?:ed|s)? (?:\w+ )?off|opt(?:s|ed|ing)? out|cut(?:s|ting)? ties|lost interest in|loses interest in|fell out (?:of love )?with|fallen out with|did away with|does away with"
     r"|(?:is|are|was) (?:done|finished|through) with(?! (?:work|school|class|lunch|dinner|breakfast|homework|chores|the|it|this|that|his|her|their)\b)|(?:has|have|had) had enough of|turn(?:s|ed|ing)? (?:his|her|their|my) back on|(?:say|says|said|saying|bid|bids|bade|bidding|wave[sd]?|waving) (?:a )?(?:(?:final|last|sad|fond|tearful) )?(?:goodbye|good-bye|farewell|adieu)(?: to)?|(?<!take )(?<!takes )(?<!took )(?<!taking )part(?:s|ed|ing)? (?:company )?(?:with|from)|pull(?:s|ed)? the plug on|bail(?:s|ed)? (?:out )?on|bow(?:s|ed)? out|(?:gave|giv(?:es?|en|ing)) (?:(?:it|this|that|them|these|those|everything|all that) )?up|(?:call|called|calls|calling) off|dropp?(?:ed|s|ing)? out|(?:c[ao]me?|com(?:es|ing)) off(?! (?:on|in|at|next|this|tomorrow|well|as)\b)|laid off|let (?:(?:him|her|them|me|us|[A-Z]\w+|(?:the|his|her|their) \w+) )?go(?: of)?"
     r"|gets? rid of|got rid of|getting rid of|mov(?:ed|es|ing) out|(?:dr[io]v(?:es?|en|ing)|forc(?:es?|ed|ing)|kick(?:s|ed|ing)?|threw|throw[ns]?) (?:[\w'’-]+ ){1,3}out\b|(?:broke|breaks|breaking|split|splits) (?:off|up)|broken up|(?:closed?|closes|closing|shuts?|shutting) (?:down (?:the|his|her|their|its)\b|(?:the|his|her|their|its) (?:[\w'’-]+ ){0,2}?(?:accounts?|shops?|stores?|business|bakery|branch|office|factory|plant|restaurant|caf[eé]|bar|pub|practice|company|firm|studio|gallery|school|club|salon|gym|hotel|clinic|workshop|line|chapter|channel|blog|website|site|forum)\b)|(?:broke|breaks?|broken|breaking) down|out of order|parted (?:ways )?with|kick(?:ed|s)? the habit|back(?:ed|s|ing)? out"
     r"|pulled? out|cut(?:s|ting)? out|phas(?:ed|es) out|steps? down|stepped down|fell through|gone back on|walked away from|let (?:\w+ ){1,4}lapse"
     r"|(?:left|leaves?|leaving) (?:the|his|her|their) (?:[\w-]+ ){0,3}?(?:band|job|company|team|firm|club|party|church|university|school|group|choir|board|course|army|husband|quartet|trio|orchestra|ensemble|troupe|squad|programme|program"
     r"|committee|council|union|charity|agency|hospital|clinic|bank|studio|lab|start-?up|business|faculty|crew|class|practice|newspaper|magazine"
     r"|wife|position|post|role|work|network|project)"
     r"|(?:left|leaves|leaving) (?-i:[A-Z][\w&]*(?: [A-Z][\w&]*){0,2})(?=[.,;!]|\Z| (?:in|last|after|on|because|for good|and)\b)"
     r"|mov(?:ed|es|ing) away from(?! (?:the |a |an |his |her |their |my |our |its )?(?:\w+ )?(?:home|home country|country|hometown|town|village|city|suburbs?|capital|neighbou?rhood|area|state|region|island|coast|parents|family|place|there|house)\b)"),
    ("refuse", True, r"(?:is|are|was|were) (?:wary|leery|suspicious|distrustful|sceptical|skeptical) of|want(?:s|ed)? nothing to do with|pass(?:es|ed) up|draw(?:s|ing)? the line at|think(?:s)? (?:little|nothing) of|turns? up (?:his|her|their) nose at"
     r"|(?:is|are|been|stays?) off(?= (?!(?:to|on|at|for|in|from|work|duty|the|this|next|until|till|today|tomorrow|every|and|or|sick|school|again|by|when|while|since|of|limits?|with|mon|tues|wednes|thurs|fri|satur|sun)\w*\b)[a-z])|turn(?:s|ed|ing)? (?:[\w'’]+ ){0,3}?down|object(?:s|ed|ing)? to|rul(?:es|ed) out|sa(?:ys|id) no to|stay(?:s|ed|ing)? away|keep(?:s|ing)? (?:away|off|clear)|kept (?:away|off|clear)"
     r"|(?:advis|counsel|warn|caution)\w* (?:[\w'’-]+ ){0,4}?against|(?:recommend|decid|vot|argu|speak|spoke|campaign|protest|fight|fought|lobb|rall|demonstrat)\w* against|(?:is|are|was|were|been|be) (?:strictly |firmly |strongly )?against|(?:been|stays?|stayed|went) off(?= [a-z])"
     r"|(?:is|are|was|were) (?:taboo|out of bounds|an? no-go|no option)|off the menu|(?:is|are|was|were|be|been|being|stays?|remains?|puts?|takes?|took|taken|keeps?|kept) (?:[\w'’-]+ ){0,2}off the table|steer(?:s|ed|ing)? clear|stay(?:s|ed)? clear|off limits|does without|do without|did without|go(?:es)? without"),
    ("deny", False, r"(?:forgot|forgets|forgotten|neglected|neglects|omitted|omits|(?:has|have|had|is|are) yet) to"),
    ("deny", False, r"(?:is|are|was|were|remains?|remained|stays?|stayed|still|as|in) (?:still |all )?(?:a |an |his |her |their )?(?:well-kept )?secret|(?:keep|keeps|keeping|kept) (?:[\w'’-]+ ){1,4}to (?:himself|herself|themselves|myself|yourself)|behind (?:his|her|their|[\w'’]+['’]s) back"),
    ("lack", False, r"(?:takes?|took|taken|taking|has|have|had|having|on) (?:a |an )?(?:\w+ )?(?:breaks?|hiatus|rest|time off)"),
    ("refuse", True, r"(?:stay|stays|stayed|staying|keep|keeps|keeping|kept) (?:(?!up\b|track\b)[\w'’-]+ ){0,3}out of(?! (?:habit|duty|love|loyalty|respect|curiosity|the corner)\b)"),
    ("deny", False, r"(?:keep|keeps|keeping|kept|hid(?:es?|den|ing)?|conceal(?:s|ed|ing)?|withh[eo]ld(?:s|ing)?) (?:[\w'’-]+ ){0,5}?(?:secret|hidden|from (?!work\b|home\b|school\b|falling\b)(?:his|her|their|the|him|them|everyone|everybody|anyone|(?-i:[A-Z])))"
     r"|(?:kept|keeps?|keeping|left) (?:[\w'’-]+ ){1,3}in the dark|in the dark (?:about|as to)|unaware|(?:keep|keeps|keeping|kept|stay|stays|staying|stayed|remain(?:s|ed)?) (?:quiet|silent|mum|tight-lipped)"),
    ("lack", True, r"(?:leav(?:e|es|ing)|left) (?:[\w'-]+ ){0,4}?out(?! (?:of|in|on|at|for)\b)"),
    ("lack", False, r"(?:miss|misses|missed|missing) (?:out on )?(?:(?:the|a|an|his|her|their|my|its|one|two|three|several|some|many|every|last|first|this|that) ){1,3}(?:[\w'-]+ ){0,2}?(?:sessions?|class(?:es)?|lessons?"
     r"|meetings?|appointments?|flights?|trains?|bus(?:es)?|ferry|deadlines?|payments?|doses?|pills?|calls?|match(?:es)?|games?|practices?|trainings?|rehearsals?|part(?:y|ies)|weddings?|interviews?|exams?|tests?|shifts?|lectures?|concerts?"
     r"|shows?|events?|seasons?|finals?|opportunit(?:y|ies)|chances?|workouts?|runs?|races?|birthdays?|turns?|reunions?|ceremon(?:y|ies)|conferences?|courses?|workshops?)"),
    ("past", True, r"used to(?= \w)|in the past|in (?:former|earlier|younger|past|bygone) (?:times|days|years)|in (?:his|her|their) (?:youth|(?:younger|earlier) (?:days|years))|back then|at one time"),
    ("end", False, r"(?:replac|supersed)(?:es|ed|ing|e)"),
    ("end", False, r"emigrat(?:ed|es)|escaped|fled|(?:relocat|migrat|mov)(?:es?|ed|ing) (?:away |out |here |there |over )?from"),
    ("end", False, r"(?:went|switche[sd]|changed|transferred|moved on|moved|migrated|came over) from (?-i:[A-Z][\w&]*(?: [A-Z][\w&]*){0,2})"),
    ("past", False, r"(?:until|till)(?= (?:about |around |early |late |mid-|the end of )?(?:\d{4}|last|recently|then)\b)|before(?=:)|once(?!\s*(?:[.,;!?)]|\Z))(?! (?:(?:a|an|every|per) (?:day|week|month|year|hour|night|decade|fortnight|quarter|semester)|more|again|in|or)\b)|(?<=was )once|(?<=were )once|(?:was|were) (?:[\w'’-]+ ){1,4}once|formerly|former|previously|previous|ex-\w+|retired|as a child"),
    ("last", False, r"(?:his|her|their|the|my)? ?first (?:[\w'’-]+ ){1,4}?(?:in|for) (?:[\w'’-]+ ){1,3}?(?:years?|months?|weeks?|days?|decades?|ages)\b"),
    ("lack", False, r"(?:mon|tues|wednes|thurs|fri|satur|sun)days? (?:off|free)|off on (?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:days?|weeks?) off"),
    ("lack", False, r"(?:is|was|are|were|been|went|goes) (?:down|out|offline|unavailable)(?= (?:from|for|on|all|since|between|until|again|yesterday|today|last|this|in|at|most|because)\b|[.,;]|$)"),
    ("lack", False, r"(?:low|short) (?:on|of)|(?:ran|runs?|running) (?:low|short|out) (?:on|of)"),
    ("todo", False, r"still needs? (?:(?:his|hers|theirs|one|it|this|that|some)(?=[.,;]|\Z)|to be \w+|\w+ing)|still (?:has|have|had|needs?|must|owes?)(?: \w+ to| to| \d+| one| two| three| four| five| some| several| many)|still to\b|remain(?:s|ed|ing)?(?: to)?|(?:is|are|has|have) (?:(?!no\b|not\b)\w+ ){0,3}(?:left|to go(?! to\b| back\b| home\b| there\b| on\b))|on (?:his|her|their|the|my) (?:bucket|wish|to-do|todo) list|yet to"),
    ("kept", False, r"(?:keep|keeps|keeping|kept|leav\w+|left) (?:[\w'’-]+ ){1,4}?(?:intact|unchanged|as (?:is|it was|they were)|untouched|unaffected)|preserv(?:e|es|ed|ing)|unchanged|unaffected|untouched|intact"),
    ("optional", False, r"optional|voluntary|(?:his|her|their) (?:own )?choice"),
    ("end", False, r"(?:got|gets?|received|made|earned|fetched|brought (?:him |her |them |the user )?(?:in )?)(?: (?:about |around )?[€$£¥]?\d[\w.,]*(?: \w+)?){1,2}(?= (?:for|from) )"),
    ("end", True, r"(?:put|puts|putting|placed|places|is|are|was|were|now) (?:[\w'’-]+ ){0,4}?on (?:hold|ice|pause)"),
    ("over", False, r"(?:outside|beyond)(?: of)? (?:the|his|her|their|my|its)"),
    ("end", False, r"costs? (?:the user|him|her|them|me)(?= (?:\w+ ){0,3}?\w+)"),
    ("last", False, r"last (?:[\w'’]+ ){1,5}ago|since (?:the )?last"),
    ("end", False, r"(?:the )?end of (?:the|a|an|his|her|their) (?:relationship|marriage|engagement|affair|friendship)"),
    ("end", False, r"(?:closed?|closes|closing|shuts?|shutting) (?:the|his|her|their|its)\b"),
    ("end", False, r"move out"),
    ("rare", False, r"hardly ever|almost never|scarcely ever"),
    ("unable", True, r"(?:is|are|was|were|got|gets) (?:broken|defective|faulty)(?! (?:into|down|up|in)\b)"),
    ("unable", False, r"(?:out of|beyond) (?:(?:his|her|their|its|the|\w+['’]s) )?reach"),
    ("lack", False, r"out of (?:stock|print|service|use|touch|season|action|bounds)"),
    ("unable", False, r"(?:miss|misses|missed|missing) (?:passing|qualifying|winning|out on|the (?:cut|mark|target|goal|pass mark))"),
    ("unable", False, r"(?:is|are|was|were) (?:now )?(?:beyond|too much for) (?:him|her|them|the user|(?-i:[A-Z])\w+)\b|beyond (?:him|her|them|the user)\b"),
    ("lack", False, r"(?:at |for )?no (?:extra |additional |further )?(?:charge|cost|fee)s?|free of charge|without (?:any )?(?:charge|cost)"),
    ("lack", True, r"hardly any|scarcely any|barely any|next to no|almost no(?! )|free (?:of|from)|[a-z]+-free\b|devoid of|absence of|unsweetened|undisturbed"),
    ("lack", True, r"only child"),
    ("over", False, r"too \w+ to|rather than|instead of|apart from|other than|aside from|in place of|as opposed to"),
)  # fmt: skip
_WORDS: tuple[tuple[str, bool, str], ...] = (
    ("deny", True, "not never no none nobody nothing neither nor without cannot nowhere non"),
    ("end", True, """stop stops stopped stopping quit quits quitting cease ceases ceased ceasing abandon abandons abandoned abandoning cancel cancels cancelled
     canceled cancelling canceling cancellation resign resigns resigned resigning resignation withdraw withdraws withdrew withdrawn
     discontinue discontinues discontinued discontinuing unsubscribe unsubscribed unsubscribes unsubscribing sold sell lost lose loses losing fired dismissed sacked lapsed lapse
     breakdown breakdowns dropped scrapped scraps scrapping shelved called-off anymore ditched ditches ditching dumped dumps jilted axed uninstalled relinquished revoke revokes revoked revoking rescinded confiscated confiscate confiscates forfeited ceded disbanded dissolved terminate terminates terminated terminating termination
     suspend suspends suspended suspending pauses paused pausing halt halts halted halting"""),
    ("end", False, """drop drops dropping pause splitting left ended ends expired expire expires divorced divorce separated split single unemployed jobless retire retires retired retiring retirement sells leaving gone rid stolen stole dropout drop-out
     robbed robbery delete deletes deleted deleting remove removes removed removing discard discards discarded discarding eliminate eliminates eliminated eliminating erased erases donated rehomed
     disposed"""),
    ("refuse", True, """refuse refuses refused refusing reject rejects rejected rejecting decline declines declined declining avoid avoids avoided avoiding oppose opposes
     opposed opposing disagree disagrees disagreed disagreeing disapprove disapproves disapproved disapproving forbid forbids forbidden forbade forbidding ban bans banned banning
     prohibit prohibits prohibited prohibiting boycott boycotts boycotted boycotting acquitted exonerated abstain abstains abstained abstaining shun shuns shunned shunning disallow disallowed
     distrust distrusts distrusted distrusting mistrust mistrusts mistrusted mistrusting dissuade vetoed eschew eschews eschewed forgo forgoes forwent spurn spurns spurned renounce renounces renounced
     repudiates repudiated rebuffed disowned disowns denied denies ignore ignores ignored ignoring disregard disregards disregarded disregarding"""),
    ("deny", False, "unlike"),
    ("forget", False, "forget forgets forgot forgotten forgetting forgetful"),
    ("refuse", False, """against prevent prevents prevented preventing skip skips skipped skipping resist resists resisted resisting hesitant unwilling reluctant reluctance
     refusal avoidance opposition opponent kosher halal sober teetotal teetotaler teetotaller abstinent clean fasting allergist doubt doubts doubted doubting doubtful sceptical skeptical sceptic skeptic wary"""),
    ("dislike", True, "dislike dislikes disliked disliking hate hates hated hating detest detests detested detesting loathe loathes loathed loathing despise despises despised despising minds abhor abhors abhorred abhorring"),
    ("dislike", False, """unbearable intolerable insufferable annoy annoys annoyed annoying bother bothers bothered bothering irritate irritates irritated irritating uncomfortable uneasy exhausting tiring tires unpleasant
     boring bored dull tedious frustrating frustrated stressful horrible nasty ugly disappointing disappointed aversion resent resents disgusting awful terrible mind minds ashamed unhappy complain complains"""),
    ("lack", True, "exempt exempts exempted exemption waived waives waive lack lacks lacked lacking omit omits omitted omitting omission exclude excludes excluded excluding exclusion"),
    ("lack", False, "loss missing absent scarce deprived sugarless careless homeless short free empty"),
    ("unable", True, "unable incapable impossible inability fail fails failed failing flunk flunked flunks"),
    ("unable", False, "failure failures unsuccessful break breaks broke"),
    ("blind", False, "blind blindness deaf deafness mute illiterate"),
    ("allergy", False, "allergic allergy allergies intolerant intolerance hypersensitive celiac coeliac"),
    ("diet", False, "vegan vegetarian pescatarian vegetarianism veganism plant-based"),
    ("fear", False, "afraid fear fears feared scared scare scares frighten frightens frightening phobia frightened dread dreads dreaded dreading terrified terrifies fearing fearful anxious claustrophobic claustrophobia"),
    ("trouble", False, "trouble difficulty difficulties difficult hard struggle struggles struggling problem problems tough barely hardly scarcely"),
    ("rare", False, "rarely seldom infrequently little few fewer less least"),
    ("debt", False, "owe owes owed owing debt unpaid pending outstanding"),
    ("over", False, "than rather instead except unless only solely exclusively"),
    ("prefer", False, "prefer prefers preferred preference"),
)  # fmt: skip
"""Words that turn what stands with them. What is listed as not sure settles nothing by itself, but explains a denial opposite."""

_CJK_PHRASES: tuple[tuple[str, bool, str], ...] = (
    ("rare", False, r"不(?:太|大)?(?:经?常|常常)"),
    ("deny", True, r"(?<=[信吃喝看听睡受顾比])不过"),
    ("", False, lexicon.CJK_HARMLESS_DENIALS),
    ("unless", True, r"(?:如果|若|要是|倘若|假如|万一|一旦)[^，。；不没未]{0,6}[不没未](?!是|想到|料|必|来)|(?<![\u4e00-\u9fff])(?:用户)?不(?=[把先]|[^不没，。；]{1,6}(?<![爱喜友美偏嗜])[完好够到掉](?=[，,不就便才绝]))|(?<![要差])不(?=[^，。；不没]{1,8}[就便](?![是利宜]))"),
    ("end", False, r"[换改转](?:成|到|为|至|用|投)|跳槽|取代|替[换代]|代替"),
    ("dislike", True, r"不喜欢|不爱|讨厌|厌恶|厌烦|憎恨|憎恶|痛恨|恨透|反感|嫌弃|瞧不上|看不上|不感兴趣|没有?兴趣|无兴趣|受不了|看不惯|腻了|不待见|不满意?"),
    ("deny", True, r"[尚还]未|未(?=[婚能被获通达入考参拿去做见到取受]|成功|完成)|从来?(?:没有?|未|不)|一次[都也]?没|再也不|不再|没有|没能|不会|不能|不可|不要|不想|不是|无法|没法|不曾|未曾|并非|绝不|决不|毫无|一窍不通"),
    ("end", True, r"(?<=[没沒未])(?:卖|辞|退(?!休)|戒|取消|放弃|停|搬走|扔|丢)|(?<=没有)(?:卖|辞|退(?!休)|戒|取消|放弃|停|搬走|扔|丢)(?!点)|戒[了掉酒烟除]?|弃用|弃[了掉坑]|抛弃|断绝|(?<![摔折弄打撞压])断了|解散|拉黑|绝交|告别了|扔掉|停止|停用|停掉|停了|停业|停[售播产办刊运更航]|关张|关店|卸任|卸下|辞任|离任|去职|退役|退赛|退学|退群|退会|退伙|退股|撤资|撤回|下架|失业|断供|断更|散伙|决裂|分道扬镳|甩掉|摆脱|停(?=[喝吃服抽练])|放弃|取消|辞去|辞掉|辞了|关掉|关门|倒闭|关停|辞职|离职|离开了|退出|退订|退掉|终止|中断|[变甩]?卖掉|卖了|失去|遗失|(?<![乱随])丢(?![人脸下三在得])失?|不干了|淘汰|辞退|解聘|解雇|开除|裁掉|炒掉|注销|吊销|撤销|没收|作废|搁置"),
    ("dislike", False, r"嫌(?![疑犯弃])|不满"),
    ("deny", False, r"蒙在鼓里|一无所知|原因不明|不详|未明|瞒着?|保密|守口如瓶"),
    ("else", False, r"否则|(?<!要)不然(?!后)|要不然"),
    ("need", False, r"必[须需]|一定[要得]|务必|非[得要]|必(?=[查做看备带先])|除非"),
    ("idiom", False, r"寡言|沉默|话少|闷葫芦|准时|守时|按时|准点|按期|如期|耳背|怕生|认生|轻视|忽视|敷衍|冷落|冷淡"),
    ("deny", True, r"另[算计付收交]|自理|自付|自掏|自己[出付掏]"),
    ("lack", False, r"不足(?!为奇|以|挂齿)|短缺|紧缺|(?<=[金源手应间量货位房])紧张|缺(?=[人钱货水觉电])|不够"),
    ("refuse", True, r"回绝|推辞|推掉|辞谢|(?<=被)拒|拒(?![之马])|(?<=被)退[回稿]|退稿|否决|否定|推脱|推却|抗拒|抵触|逃避|躲开|躲着|缺席|缺勤|翘课|逃课|懒得|厌倦|谢绝|婉拒|反对|抵制|避免|避开|忌口|忌食|忌|禁止|禁|远离|排斥|杜绝|驳回"),
    ("lack", True, r"无偿|义务(?=教(?!育)|帮|做|演|打理|运营|辅导|照[看顾])|免[费收息税押]|全免|缺乏|缺少|欠缺|空缺|断货|脱销|售罄|[售卖]光|[售卖]完|抢[光空]|缺货|告罄|豁免|滴酒不沾|不沾"),
    ("unable", True, r"失败|落榜|落选|落空|未遂|挂科|泡汤|告吹|黄了|作罢|错[过失]了?|误了(?=[车点机航班高火])"),
    ("than", False, r"比起|相比|较之|与其|胜过"),
    ("over", False, r"而不是|而非|只|仅|唯独|除了|偏爱|更"),
    ("allergy", False, r"过敏|不耐受?|失眠"),
    ("blind", False, r"文盲|失明|失聪|聋|盲人"),
    ("fear", False, r"害怕|惧怕|畏惧|怕|恐惧|恐"),
    ("todo", False, r"还剩|还差|还欠|剩下|剩余|尚余|尚剩|仍需|还[需要得]|尚需|有待"),
    ("lack", False, r"休息|公休|歇业|停[训跑练课]|轮休|放假"),
    ("past", False, r"曾经?|以前|过去|之前|原来|原先|当年|退休|前(?=妻|夫|男友|女友|同事|任)"),
    ("end", False, r"(?<![不没未])[出已]售|售出|卖出|出手(?![大阔不机工脚头动上里续套法段术册表办])|脱手|转[手让]|[盘卖]出|甩卖|变卖|[换撤]掉了?|离婚|离异|分手|结束|离开|到期|过期|离|停|搬走|搬离|走了|关闭|删除|退"),
    ("diet", False, r"吃素|素食|素菜"),
    ("kept", False, r"[不没未]变(?![成得])"),
    ("trouble", False, r"困难|难|很少|少|欠|独自|未(?=[必免知完])|待|(?<!相)差(?![点别距异不旅遣事价额评])|糟|薄弱|吃力|勉强|迷茫|迷惘|茫然|困惑|犹豫|纠结|糊涂|不[便足够]|不方便"),
    ("unwed", False, r"单身|独身|打光棍"),
    ("forget", False, r"忘"),
    ("harm", False, r"引发|诱发|引起|受不|难受|不适(?![合应用宜])|发作|加重|恶化|心慌|心悸|头痛|头疼|头晕|胃痛|胃疼|反胃|恶心|腹泻|拉肚子|起疹|伤身"),
    ("mind", False, r"[不没](?:太|大|怎么)?(?=介意|在意|在乎|当回事|计较)"),
    ("un", False, r"不(?=[高好大多远长贵稳胖瘦快慢强低太佳])"),
    ("deny", True, r"不|没|(?<=[终直迟曾])未|未(?!来|央|成年)|无(?!锡|人机|线|论)|(?<![特分区级性个类告识鉴辨道离差送派惜])别(?![人墅名的处致扭针样国家所号称克])|勿|非(?=会员|必要|全)"),
)  # fmt: skip


@cache
def _english() -> re.Pattern[str]:
    return re.compile("|".join(rf"(?P<p{at}>\b(?:{forms})(?![\w-]))" for at, (_, _, forms) in enumerate(_PHRASES)), re.I)


@cache
def _word_table() -> dict[str, tuple[str, bool]]:
    out: dict[str, tuple[str, bool]] = {}
    for kind, sure, forms in _WORDS:
        for form in lexicon.words(forms):
            out.setdefault(form, (kind, sure))
    return out


@cache
def _chinese() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<p{at}>{forms})" for at, (_, _, forms) in enumerate(_CJK_PHRASES)))


_BASES = {"un": 1, "mind": 2}
"""How many characters behind a Chinese denial are what it denies, where only the same affirmed is its contrary."""
_NOT_UN = re.compile(
    r"un(?:der|i(?![nm])|cle|til|less|load|lock|pack|box|wind|fold|do$|does$|dergo|ion|ited|ique|like(?!ly)|tie|veil|dress|plug|subscri)|non(?:e|etheless|sense)|nonstop"
)
_UN = {
    "disagreement": "agree", "dissatisfied": "satisfy", "dishonest": "honest", "disinterested": "interest", "disconnected": "connect",
    "disabled": "enable", "disobedient": "obedient", "disloyal": "loyal", "disrespectful": "respect", "disorganized": "organize",
    "inactive": "active", "impatient": "patient", "irregular": "regular", "irresponsible": "responsible", "illegal": "legal",
    "invalid": "valid", "inaccessible": "accessible", "incomplete": "complete", "incorrect": "correct", "insecure": "secure",
    "inedible": "edible", "infertile": "fertile", "inexperienced": "experience", "inaccurate": "accurate", "informal": "formal",
    "infrequent": "frequent", "intolerable": "tolerable", "impolite": "polite", "impractical": "practical", "imperfect": "perfect",
    "immature": "mature", "immobile": "mobile", "insufficient": "sufficient", "inconvenient": "convenient", "inflexible": "flexible",
    "ineligible": "eligible", "independent": "depend", "intolerant": "tolerate", "intolerance": "tolerate", "unaware": "aware",
    "unable": "able", "incapable": "capable", "impossible": "possible", "distrusts": "trust", "distrust": "trust",
}  # fmt: skip
"""Words with such a prefix other than un- and non-, with what they deny."""
_LESS = frozenset(
    lexicon.words(
        "regardless nonetheless nevertheless wireless endless priceless restless stainless countless timeless unless less"
    )
)


@lru_cache(maxsize=16384)
def _prefixed(word: str) -> str:
    """The stem of what a word such as ``unfair``, ``irregular`` or ``windowless`` denies; "" for all others."""
    if word in _UN:
        return stem(_UN[word])
    if word.startswith("non-") and len(word) > 5:
        return stem(word[4:])
    if word.startswith(("un", "non")) and len(word) > 5 and not _NOT_UN.match(word):
        rest = word.removeprefix("non").removeprefix("un").strip("-")
        return stem(rest) if is_common(rest) or is_common(re.sub(r"e?d$", "", rest)) or is_common(rest.removesuffix("d")) else ""
    if word.endswith("less") and len(word) > 6 and word not in _LESS and is_common(word[:-4]):
        return stem(word[:-4])
    return ""


_SHORT = frozenset(
    lexicon.words("dont doesnt didnt cant wont isnt arent wasnt werent hasnt havent hadnt shouldnt wouldnt couldnt aint")
)


@lru_cache(maxsize=32768)
def turns(text: str) -> tuple[Turn, ...]:
    """All that turns a meaning in a sentence, in order. English and Chinese; linear in the length of the text."""
    out: list[Turn] = []
    plain = text.replace("’", "'")
    phrases = list(_english().finditer(plain))
    taken = [found.span() for found in phrases]
    for found in phrases:
        kind, sure, _ = _PHRASES[int((found.lastgroup or "p0")[1:])]
        if kind:
            out.append(Turn(found.start(), found.end(), kind, sure))
    at = 0
    table = _word_table()
    for token in tokens(plain):
        if token.kind == "cjk":
            for found in _chinese().finditer(token.text):
                kind, sure, _ = _CJK_PHRASES[int((found.lastgroup or "p0")[1:])]
                if kind:
                    base = token.text[found.end() : found.end() + _BASES.get(kind, 0)]
                    out.append(Turn(token.start + found.start(), token.start + found.end(), kind, sure, base))
            continue
        if token.kind != "word":
            continue
        while at < len(taken) and taken[at][1] <= token.start:
            at += 1
        if at < len(taken) and taken[at][0] < token.end:
            continue
        word = fold(token.text)
        entry = table.get(word)
        if entry is None and (word.endswith("n't") or word in _SHORT):
            entry = ("deny", True)
        if entry is not None and entry[0] == "deny" and is_harmless_negator(plain, token):
            continue
        base = _prefixed(word)
        if entry is not None:
            out.append(Turn(token.start, token.end, *entry, base))
        elif base:
            out.append(Turn(token.start, token.end, "un", False, base))
    out.sort()
    inside = titles(plain)
    if inside:
        out = [turn for turn in out if not any(left <= turn.start < right for left, right in inside)]
    return tuple(out)


_JOINS = rf"(?<!\d),|,(?!\d{{3}}(?!\d))|(?<!\d):|:(?!\d)|[;，；、：。()（）]|\s[–—-]\s|\b(?:and|or|nor|but|while|whereas|plus|(?<!not )(?<!n't )(?<!n’t )(?<!as )yet(?= (?:he|she|they|it|i|the|his|her|their|still|also|is|are|was|has|have|does|did|can|cannot|could|never|not|[a-z]{{2,}}s)\b))\b|(?<=[{CJK}])(?:和|以及|并且|而且|但是|但|与|及)(?=[{CJK}A-Za-z])|(?<=[{CJK}])也(?=[不没会喜爱很想])"
_HANGS = (
    r"\b(?:because|since|as (?=(?:it|he|she|they|the|his|her|their|this|that|i)\b)|which|who|whom|that|where|when|whenever|although|though|despite|so(?! much as\b)|after|before|if|unless|until|due|thanks|during|while)\b"
    rf"|(?<=[{CJK}])(?:因为|所以)(?=[{CJK}A-Za-z])"
)


@cache
def _cut(fine: bool) -> re.Pattern[str]:
    return re.compile(f"{_JOINS}|{_HANGS}" if fine else _JOINS.replace("|while|whereas", "|whereas"), re.I)


_DENIED = re.compile(r"\bnot\b|n['’]t\b", re.I)
_WHETHER = re.compile(r"\bwhether\b", re.I)


def segments(text: str, *, fine: bool = True) -> list[tuple[int, int]]:
    """A sentence cut at its commas and conjunctions; ``fine``: wherever a denial may end its reach, at relative clauses too."""
    return list(_segments(text, fine))


@lru_cache(maxsize=16384)
def _segments(text: str, fine: bool) -> tuple[tuple[int, int], ...]:
    cuts = [0]
    for found in _cut(fine).finditer(text):
        word = found[0].casefold()
        if (word == "yet" and _DENIED.search(text, cuts[-1], found.start())) or (
            word == "or" and _WHETHER.search(text, cuts[-1], found.start())
        ):
            continue  # "what it does not do yet is this", "whether to stay or go"
        cuts.append(found.start())
    cuts.append(len(text))
    return tuple((left, right) for left, right in pairwise(cuts) if right > left)


__all__ = ["Turn", "segments", "turns"]
