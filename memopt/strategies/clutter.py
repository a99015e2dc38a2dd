"""Telling apart what an agent stored by mistake from what it was meant to remember. Pure.

A memory is a statement about a user. What is found here is none: what an assistant said (``answers``), what a tool wrote
(``logs``), what was meant for a model (``prompts``), what a program exchanges (``data``) and what stands for nothing
(``placeholders``). Each needs a mark that such texts carry at their beginning, at their end or on most of their lines, so that
a memory which only speaks of an assistant, an error or a prompt is none. All of it is a judgement.
"""

from __future__ import annotations

import json
import re
from functools import cache

LONGEST = 200_000
"""So many characters of a text are looked at."""


def clutter(text: str) -> dict[str, str]:
    """What a text is, if it is no memory: by class (``data``, ``logs``, ``prompts``, ``answers``, ``placeholders``) what gives it away.

    The descriptions quote nothing of the text.
    """
    said = text.strip()[:LONGEST]
    found: dict[str, str] = {}
    for name, look in (
        ("placeholders", _placeholder),
        ("logs", _log),
        ("data", _data),
        ("prompts", _prompt),
        ("answers", _answer),
    ):
        what = None if name == "data" and "logs" in found else look(said)
        if what is not None:
            found[name] = what
            if name in ("placeholders", "data"):
                break
    return found


# -- placeholders ------------------------------------------------------------------------------------------------------


@cache
def _nothing() -> re.Pattern[str]:
    return re.compile(
        r"\W*(?:null|none|nil|undefined|nan|n/?a|empty|todo|tbd|test|lorem ipsum.{0,400}|unknown|\[object object\]|"
        r"no (?:memory|memories|new memor(?:y|ies)|information|info|data|content|facts?)(?: (?:found|available|provided|stored|yet|to (?:store|add|save)))?|"
        r"无|無|空|没有|暂无|なし|없음)\W*",
        re.IGNORECASE | re.DOTALL,
    )


def _placeholder(text: str) -> str | None:
    if _nothing().fullmatch(text):
        return "a word that stands for nothing"
    if text.isascii() and not any(map(str.isalnum, text)) and len(text) <= 20:
        return "punctuation alone"
    return None


# -- data --------------------------------------------------------------------------------------------------------------


@cache
def _fence() -> re.Pattern[str]:
    return re.compile(r"```[\w-]*\n(?P<body>[\s\S]*?)\n?```\s*")


@cache
def _markup() -> re.Pattern[str]:
    return re.compile(r"(?i)<\?xml\b|<!doctype\b|<(html|svg|body|table|div|[\w:-]+)(?:\s[^<>]*)?>[\s\S]*</\1\s*>\s*")


@cache
def _cut_json() -> re.Pattern[str]:
    return re.compile(r"""(?:\[\s*)?\{\s*(?P<q>["'])[^"'\n]{1,80}(?P=q)\s*:[\s\S]*(?P=q)[^"'\n]{1,80}(?P=q)\s*:""")


@cache
def _encoded() -> re.Pattern[str]:
    return re.compile(
        r"data:[\w.+/-]{0,60}(?:;[\w=-]+)*;base64,[\s\S]*|(?=[^\n]*[0-9+/])(?=[^\n]*[A-Z])(?=[^\n]*[a-z])[A-Za-z0-9+/\n\r_-]{120,}={0,2}"
    )


def _data(text: str) -> str | None:
    fenced = _fence().fullmatch(text)
    body = fenced["body"].strip() if fenced else text
    if body[:1] in ("{", "[") and body[-1:] in ("}", "]"):
        value = parsed(body)
        if isinstance(value, dict | list) and value:
            return "a JSON document"
    if _cut_json().match(body):
        return "a JSON document"
    if body.startswith("<") and _markup().fullmatch(body):
        return "a markup document"
    if _encoded().fullmatch(body):
        return "encoded bytes"
    return None


def parsed(text: str) -> object:
    """The value that a text is as JSON or as Python writes it; None where it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    import ast

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


# -- logs --------------------------------------------------------------------------------------------------------------

_LEVEL = r"(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|TRACE|CRITICAL|SEVERE)"


@cache
def _log_line() -> re.Pattern[str]:
    """A line that a program wrote."""
    return re.compile(
        rf"\W{{0,2}}(?:\d{{4}}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\W{{0,3}}.*\b{_LEVEL}\b.*"
        rf"|[\[(<]{_LEVEL}[\])>]:?\s.*|{_LEVEL}(?::[\w.]+:|\s+\[|\s+\d{{4}}-).*"
        rf"|(?:\w{{3}} +\d{{1,2}} )\d\d:\d\d:\d\d \S+ \S+?(?:\[\d+\])?: .*"
        r"|Traceback \(most recent call last\):|  File \"[^\"]+\", line \d+.*|\s*at [\w.$<>/\[\] ]+\([^()]*:\d+(?::\d+)?\)|Caused by: .*"
        r"|(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Warning): .*|(?:npm|yarn|pip) (?:ERR!|WARN|notice).*|fatal: .*|panic: .*|\+\+\+ exited .*"
        r"|HTTP/\d(?:\.\d)? \d{3}.*|(?:GET|POST|PUT|PATCH|DELETE|HEAD) /\S* HTTP/\d.*|\$ [A-Za-z./~][\w./-]*.*|[\w.-]+@[\w.-]+:[^\s]*[$#] .*|>>> .*"
        r"|(?i:process (?:exited|finished) with (?:exit )?code \d+|exit(?:ed with)?(?: code| status)?:? -?\d+|command (?:failed|exited) with .*)\W*"
    )


@cache
def _tool_start() -> re.Pattern[str]:
    return re.compile(
        r"</?(?:tool_?calls?|tool_?response|tool_?result|tool_?use|function_?calls?|function_?results?|function=[^>]*|invoke|antml:\w+|\|python_tag\|)\b[^>]*>"
        r"|\W{0,3}(?i:(?:tool|function|api|mcp)[ _-]?(?:call|use|result|output|response|invocation|execution)s?)\b\s*(?:\W{0,3}\s*[:=(\[{]|for [`\w])"
        r"|\W{0,3}(?i:(?:calling|called|invoking|invoked|executing|executed|running) (?:the )?(?:tool|function)\b)"
        r"|\[(?i:tool|function|system|search)[ _-]?(?:use|call|result|output)?\s*:"
        r"|(?i:observation|action input)\s*:"
    )


def _log(text: str) -> str | None:
    if _tool_start().match(text):
        return "a tool's call or output"
    lines = [line for line in text.split("\n")[:400] if line.strip()]
    hits = sum(_log_line().fullmatch(line.rstrip()) is not None for line in lines)
    if hits and (hits * 2 >= len(lines) or lines[0].startswith("Traceback (most recent call last)")):
        return "a log or a program's output"
    steps = sum(re.match(r"(?:Thought|Action|Action Input|Observation|Final Answer)\s*:", line) is not None for line in lines)
    return "a tool's call or output" if steps >= 2 else None


# -- prompts -----------------------------------------------------------------------------------------------------------


@cache
def _prompt_start() -> re.Pattern[str]:
    ends = r"(?:assistant|ai\b|a\.i\.|agent|chat ?bot|bot\b|language model|llm\b|copilot|persona)"
    return re.compile(
        r"<\|(?:im_start|system|user|assistant|begin_of_text|start_header_id)\|>|\[INST\]|<<SYS>>|<s>\s*\[INST\]|<start_of_turn>"
        r"|#{1,4}\s*(?:instructions?|system(?: prompt| message)?|response|role|task|output format|constraints)\b\s*:?\s*(?:\n|$)"
        r"|system(?: prompt| message)?\s*:\s*\S"
        rf"|(?:from now on,? )?(?:you are|you're|act as|pretend to be|behave as|you will act as)\b(?: now)?(?: an?| the| my)?(?: [\w'’,-]+){{0,8}}? {ends}"
        r"|(?:from now on,? )?you are (?:now )?an? (?:[\w'’-]+ ){0,5}(?:expert|specialist|engineer|analyst|writer|editor|translator|reviewer|tutor)\b[\s\S]{0,200}?"
        r"[.!,]\s*(?:your (?:task|job|role|goal)|you (?:will|must|should)|respond|answer|reply|output|return|always|never|do not|write|translate|given)\b"
        r"|your (?:task|job|role|goal|objective|mission) is (?:to|as)\b"
        r"|(?:please )?(?:respond|reply|answer|output|return)(?: (?:only|strictly|exclusively))?(?: (?:in|with|as|using))(?: (?:only|valid|strict|a|the|following))* (?:json|xml|yaml|csv|format)\b"
        r"|(?:你是|您是|你现在是|你現在是|请扮演|請扮演|你将扮演)[^。！？\n]{0,24}(?:助手|助理|AI|人工智能|机器人|機器人|智能体|模型|专家|專家)"
        r"|(?:你的任务是|你的任務是|你的职责是|请(?:以|用|按照?)\s?(?:JSON|XML|以下格式)|系统提示|系統提示|系统消息|提示词)\s*[:：]?"
        r"|(?:du bist|sie sind) ein(?:e)? (?:\w+ ){0,3}(?:assistent|ki|experte)|tu es un(?:e)? (?:\w+ ){0,3}(?:assistant|ia|expert)|eres un(?:a)? (?:\w+ ){0,3}(?:asistente|ia|experto)",
        re.IGNORECASE,
    )


@cache
def _override() -> re.Pattern[str]:
    """A sentence that tells a model to forget what it was told."""
    return re.compile(
        r"(?:^[\"'*\s]*|[.!?\n:>]\s*)(?:please |now |system:? )*(?:ignore|disregard|forget|override|bypass)\s+(?:all |any |the |everything |of |your |my |these )*"
        r"(?:previous|prior|above|preceding|earlier|system|existing|former)\s*(?:[\w-]+ )?(?:instructions?|prompts?|rules?|messages?|directions?|context|guidelines?)\b"
        r"|(?:^|[.!?\n]\s*)(?:ignore|forget) (?:everything|all) (?:above|before|you were told)"
        r"|</(?:memories|memory|system|instructions|context|user|assistant)[\w-]*>"
        r"|(?:^|[。！？\n])\s*(?:请|請)?(?:忽略|无视|無視|忘记|忘記)(?:之前|以上|前面|上述|先前|所有|此前)[^。\n]{0,8}(?:指令|指示|提示|规则|規則|要求|内容)",
        re.IGNORECASE,
    )


def _prompt(text: str) -> str | None:
    if _override().search(text):
        return "instructions to a model that would override its own"
    return "instructions to a model" if _prompt_start().match(text) else None


# -- answers -----------------------------------------------------------------------------------------------------------


@cache
def _answer_start() -> re.Pattern[str]:
    """What only one who was asked begins with."""
    return re.compile(
        r"(?:sure(?: thing)?|certainly|of course|absolutely|got it|understood|no problem|okay|ok|alright|great|thanks?|thank you|perfect|hello|hi)\b"
        r"(?: there)?[!,.—–:-]+\s+(?:(?:and )?(?:i(?:'ll|’ll|'ve|’ve|'m|’m| will| have| can| am|'d| would)\b|here(?:'s|’s| is| are)\b|let me\b|let's\b|how (?:can|may) i\b|you(?:r|'re| can| are| have)?\b|below\b)"
        r"|(?:[^.!?\n]{0,60}\b(?:you|your)\b))"
        r"|(?:great|good|excellent|interesting|that's an? \w+) question\b"
        r"|thank(?:s| you) for (?:sharing|asking|letting me know|your|the (?:update|information|clarification)|reaching out)"
        r"|(?:i'm|i am|i’m) (?:an? )?(?:ai|large language model|virtual assistant|chatbot)\b|as an? (?:ai|artificial intelligence|(?:large )?language model|virtual assistant|assistant)\b"
        r"|(?:i(?:'d| would|’d) be|i(?:'m|’m| am)) (?:happy|glad|delighted|here) to (?:help|assist)"
        r"|(?:i(?:'m|’m| am) )?(?:so |very )?(?:sorry|afraid|unfortunately)[,.]?(?: but)?[^.!?\n]{0,30}\bi (?:can(?:'t|’t|not)|am (?:not able|unable)|do(?:n't|’t| not) have|don't|cannot)\b[^.!?\n]{0,60}\b(?:you|your|that|this|access|information|assist|comply|real-?time|request|browse|provide)\b"
        r"|i (?:can(?:'t|’t|not)|am unable to|do(?:n't|’t| not) have (?:any )?(?:access to|information (?:about|on)|memor|record|enough))\b[^.!?\n]{0,50}\b(?:you|your|that|this|request|internet|previous|assist|help with|real-?time)\b"
        r"|(?:okay|ok|sure|done|got it|noted)?[,.!]?\s*i(?:'ve|’ve| have|'ll|’ll| will)(?: now| just| also)? (?:noted|saved|stored|remember(?:ed)?|recorded|added|updated|deleted|removed|make a note|keep (?:that|this) in mind)\b(?=[^.!?\n]{0,60}\b(?:you|your|that|this|memor|preference|information|note|it)\b)"
        r"|(?:the )?(?:memory|memories|preferences?|profile|information)(?: (?:has|have|was|were|is))?(?: now)?(?: been)?(?: successfully)? (?:added|updated|saved|deleted|stored|recorded|created|noted)(?: successfully)?\W*$"
        r"|(?:there (?:is|are|was|were) )?(?:nothing(?: new| relevant| memorable)*|no (?:new |relevant |memorable |additional |further |other )*(?:memor\w+|information|facts?|details|updates?|changes)\b)[^.!?\n]{0,40}\b(?:to (?:add|store|save|update|remember|capture|record|extract)|(?:was |were |is |are )?(?:needed|necessary|required|found|captured))\W*"
        r"|(?:here(?:'s|’s| is| are)) (?:a|an|the|some|your|what|how|my)\b[^.!?\n]{0,80}(?::|\b(?:you|your)\b)"
        r"|(?:based on|according to) (?:what you|your|our|the (?:information|conversation|context|memories))\b[^.!?\n]{0,80}\b(?:you|your|i)\b"
        r"|it (?:sounds|looks|seems) like you\b|you(?:'re| are|’re) (?:very |most )?welcome\b|how (?:can|may) i (?:help|assist)|what (?:would you like|can i (?:do|help))\b|how about (?:you|we)\b"
        r"|(?:好的|好|当然(?:可以)?|當然(?:可以)?|没问题|沒問題|明白了?|收到|您好|你好|了解)[，,。！!：:～~]+\s*(?:我|这|這|以下|下面|请|請|您|你|根据|根據|很高兴|很高興)"
        r"|(?:很高兴|很高興|乐意|樂意)(?:为|為|能|帮|幫)|作[为為](?:一个|一個|一名|一款|一位)?(?:AI|人工智能|(?:大型)?语言模型|語言模型|智能助手|助手)"
        r"|(?:很|非常|十分)?(?:抱歉|对不起|對不起|遗憾)[，,]?[^。！？\n]{0,16}(?:我)?(?:无法|無法|不能|没办法|没有)|我(?:已经?|會|会)(?:帮您|为您|將|将)?(?:记住|記住|记录|記錄|保存|更新|记下)(?:了|您|你|这|這)?"
        r"|(?:natürlich|gerne|klar|selbstverständlich)[!,.]\s+(?:ich|hier|du|sie|ihr)\b|bien sûr\s?[!,.]\s*(?:je|voici|vous)|(?:claro|por supuesto|com certeza)[!,.]\s*(?:aquí|te|le|aqui|vou|puedo)"
        r"|(?:はい|承知しました|かしこまりました|もちろん)[、。！!]\s*(?:です|お|私|以下|こちら)|申し訳(?:ありません|ございません)が|(?:네|알겠습니다|물론입니다)[,.!]\s*(?:도와|제가|아래|다음)",
        re.IGNORECASE,
    )


@cache
def _answer_end() -> re.Pattern[str]:
    """What only one who was asked ends with."""
    return re.compile(
        r"(?:(?:please )?(?:let me know|feel free to|don't hesitate to)\b[^.!?\n]{0,120}\b(?:you|if|ask|reach|contact|questions?|help|more|know|how)\b[^.!?\n]{0,80}|(?:is|was) there anything else\b[^.!?\n]*"
        r"|would you like (?:me|to|some|more|help|any|a)\b[^.!?\n]*|do you (?:want|need|have|prefer)\b[^.!?\n]*\?|how (?:can|may|else can) i (?:help|assist)\b[^.!?\n]*|what (?:would|do|can|else) (?:you|i)\b[^.!?\n]*\?|(?:shall|should|can|may) i\b[^.!?\n]*\?"
        r"|i(?:'m|’m| am) here (?:to help|if you|for you)\b[^.!?\n]*|(?:i )?hope (?:this|that) helps\b[^.!?\n]*|if you (?:have|need|want|would like|'d like)\b[^.!?\n]{0,60}\b(?:let me know|feel free|just ask|questions?|help)\b[^.!?\n]*"
        r"|(?:如果?(?:您|你)?(?:有|需要|还)[^。！？\n]{0,30}(?:告诉我|告訴我|随时|隨時|联系|请)|还有(?:什么|其他)|請問|请问(?:您|你|还)|希望(?:这|對|对)[^。\n]{0,12}(?:您|你)?[^。\n]{0,8}帮助|需要我|您(?:想|希望|需要|还))[^。！？\n]*)[\s.!?。！？😊🙂👍)\"”*]*$",
        re.IGNORECASE,
    )


@cache
def _speakers() -> re.Pattern[str]:
    return re.compile(r"\**(user|human|assistant|ai|agent|bot|system|customer|用户|助手|model)\**\s*[:：]\**\s*\S", re.IGNORECASE)


@cache
def _of_a_user() -> re.Pattern[str]:
    """Speaks of the user in the third person, as memories do and answers do not."""
    return re.compile(
        r"\b(?:the )?users?\b(?! (?:guide|manual|interface|story|stories))|用户|用戶|ユーザー|사용자|\bbenutzer\b|\butilisateur\b|\busuario\b",
        re.IGNORECASE,
    )


def _answer(text: str) -> str | None:
    lines = [line for line in text.split("\n")[:400] if line.strip()]
    turns = [match[1].casefold() for line in lines if (match := _speakers().match(line.strip()))]
    if len(turns) >= 2 and len(set(turns)) >= 2:
        return "a piece of a conversation"
    start = _answer_start().match(text)
    if start is not None and not _of_a_user().match(text[:12].lstrip("\"'*- ")):
        return "what an assistant said"
    if lines and not _of_a_user().search(text):
        last = re.split(r"(?<=[.!?。！？])\s*(?=\S)", lines[-1].strip())[-1]
        if len(lines) + text.count(". ") > 1 and _answer_end().match(last):
            return "what an assistant said"
    return None
