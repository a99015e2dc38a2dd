"""What models say around an answer and instead of one, in the languages they say it in.

Each refusal is anchored at the start of a sentence and needs the first person, or a machine that speaks of itself: a summary
speaks of the user in the third person, so that ordinary memories do not match. Collected from the chat templates of open models
and from published answers; compiled when first used.
"""

from __future__ import annotations

import re
from functools import cache

GENERIC = frozenset(
    """a an the this that these those all of for from in into on as by with and or to your you my me i it its is are was be been
    have has had here there's here's heres below above following follows now just single one brief short concise clear
    comprehensive complete coherent cohesive final full new updated revised clean cleaned compact dense detailed simple plain
    summary summaries summarized summarised summarizing summarising summarization consolidated consolidation consolidating
    combined combining combination merged merging condensed rewritten rewrite rewriting compressed optimized optimised memory
    memories facts fact information details user user's users' users person third third-person text paragraph sentence
    sentences note notes list bullet bullets points bulleted version form format english output result results answer reply
    response overview recap profile record records entry entries requested request asked based provided given about according
    instructions known existing original together sure certainly course okay ok absolutely alright great yes understood got
    problem happily gladly can do i've made created written produced prepared generated json structured data object optimization
    deduplicated without duplicates""".split()
)


HEADS = ("summar", "consolidat", "memory", "memories", "merged", "combined", "condensed", "rewrit", "answer", "result",
          "output", "response", "reply", "version", "overview", "recap", "json", "list", "facts", "profile", "note")  # fmt: skip


OPENERS = frozenset(
    """sure certainly of okay ok absolutely alright great yes understood got here here's heres below this these the following
    summary summarized summarised consolidated merged combined condensed updated final rewritten revised answer result output
    response reply memory concise based i've i no note""".split()
)


@cache
def announced_elsewhere() -> re.Pattern[str]:
    """An announcement in other languages: greeting, "here is", a noun for summary, a few words that say nothing, a colon."""
    return re.compile(
        r"^(?:(?:好的?|当然(?:可以)?|當然|没问题|沒問題|可以|明白了?|收到)[，,。.!！\s]*)?"
        r"(?:(?:以下|下面|这里|這裡|这|這)(?:就)?(?:是|为|為))?(?:您|你|用户|用戶|关于|關於|对|對|的|所有|这些|這些|整合|合并|合併|后|後|简洁|簡潔|一份|一个|一個|版)*"
        r"(?:总结|總結|摘要|概括|概要|记忆|記憶|汇总|彙總|小结|小結|整理|内容|如下|结果|信息|版本|的|后|後)+\s*[:：]"
        r"|^(?:(?:natürlich|gerne?|klar|sicher)[!,.]?\s*)?(?:hier (?:ist|sind|kommt) )?(?:die |eine |der |das )?"
        r"(?:kurze |zusammengefasste |konsolidierte )?(?:zusammenfassung|erinnerung)(?: der erinnerungen)?\s*:"
        r"|^(?:(?:bien sûr|d'accord|certainement|voilà)[!,.\s]*)?(?:voici )?(?:le |un |la )?(?:résumé|synthèse|"
        r"mémoire)"
        r"(?: consolidée?| concise?| des souvenirs| demandée?)?\s*:"
        r"|^(?:(?:¡?claro(?: que sí)?|por supuesto)[!,.]*\s*)?(?:aquí (?:está|tienes?|va) )?(?:el |un |la )?"
        r"(?:resumen|memoria)(?: consolidad[oa]| solicitado| de (?:las|los) (?:memorias|recuerdos))?\s*:"
        r"|^(?:(?:claro|com certeza)[!,.]*\s*)?(?:aqui está )?(?:o |um |a )?(?:resumo|"
        r"memória)(?: consolidad[oa]| das memórias)?\s*:"
        r"|^(?:(?:certo|certamente|ecco)[!,.]*\s*)?(?:ecco )?(?:il |un |la )?(?:riassunto|riepilogo|sintesi)"
        r"(?: delle memorie| consolidato)?\s*:"
        r"|^(?:はい[、。]?)?(?:以下[はが]|こちら[はが])?(?:ユーザー|記憶|情報|の|を)*(?:要約|まとめ|概要)(?:した(?:もの|内容))?(?:です)?\s*[:：。]"
        r"|^(?:네[,.]?\s*)?(?:다음은|아래는)?\s*(?:사용자|기억|정보|의|에 대한|\s)*(?:요약|정리)(?:한 내용)?(?:입니다)?\s*[:：.]"
        r"|^(?:(?:конечно|хорошо)[!,.]*\s*)?(?:вот )?(?:краткое |краткая |итоговое )?(?:резюме|сводка|обобщение|итог)"
        r"(?: воспоминаний)?\s*:",
        re.IGNORECASE,
    )


@cache
def pleasantry() -> re.Pattern[str]:
    return re.compile(
        r"^(?:sure(?: thing)?|certainly|of course|okay|ok|absolutely|alright|understood|got it|no problem|"
        r"great|yes|hello|hi|done|all done|finished|ready|i(?:'m| am) here to (?:help|assist)[^.!?]*|"
        r"hi there|hello there|thanks?|thank you(?: for [^.!?]*)?|"
        r"(?:(?:sure|okay|ok|yes|of course|certainly|absolutely)[,!]? )?i (?:can|will|'ll)(?: certainly|"
        r" definitely)? "
        r"(?:do|help(?: you)? with) (?:that|this)|(?:i'm |i am )?(?:happy|glad) to (?:help|assist)[^.!?]*|"
        r"i(?:'d| would) be (?:happy|glad|delighted) to (?:help|assist)[^.!?]*|"
        r"好的?|当然(?:可以)?|當然(?:可以)?|没问题|沒問題|明白了?|收到|可以|您好|你好|"
        r"natürlich|gerne?|bien sûr|d'accord|claro(?: que sí)?|por supuesto|com certeza|certo|конечно|はい|"
        r"네)[\s.!,。！，、~😊🙂👍]*$",
        re.IGNORECASE,
    )


@cache
def farewell() -> re.Pattern[str]:
    return re.compile(
        r"^(?!.*\busers?\b)(?:(?:please )?let me know (?:if|how|whether|what|when|should)\b.*|"
        r"(?:please )?feel free to (?:ask|reach|let|contact|provide|share|modify|adjust|edit|tell|make)\b.*|"
        r"(?:i )?hope (?:this|that|it) (?:helps|is helpful|works|meets)\b.*|is there anything else\b.*\?|"
        r"would you like (?:me|any|to)\b.*\?|do you (?:want|need) (?:me|any)\b.*\?|"
        r"if you (?:need|want|have|would like|'d like) (?:any(?:thing)? (?:else|other|more|further|changes|"
        r"adjustments|questions|corrections|assistance|help)?|"
        r"further|more|additional|me to|changes|questions|help).*|"
        r"(?:is|does) (?:this|that) (?:ok|okay|correct|help|work|look)\b.*\?|"
        r"(?:希望|如果?(?:有|您|你|需要|还))(?!.*用户).*(?:帮助|幫助|告诉我|告訴我|随时|隨時|请|請).*|"
        r"(?:还|還)有(?:什么|什麼|其他).*[?？])$",
        re.IGNORECASE,
    )


_CANNOT = (
    r"(?:can(?:'t|not|t| not)|could(?:n't| not)|(?:am|was) (?:\w+ )?unable|'m (?:\w+ )?unable|(?:am|"
    r"was) not (?:\w+ )?able|"
    r"'m not (?:\w+ )?able|won't|will not|"
    r"must (?:respectfully |politely )?decline|(?:have|need) to (?:respectfully )?decline|"
    r"(?:respectfully )?decline|refuse|"
    r"am not (?:going|allowed|permitted|programmed|designed|comfortable)|'m not (?:going|allowed|permitted|"
    r"programmed|designed|comfortable)|"
    r"(?:do not|don't) (?:feel comfortable|have (?:access|the ability|enough|any|the information)|see any))"
)


_ASSIST = (
    r"(?:help|assist|comply|fulfil|provide|provid|complete|creat|generat|produc|summari|process|discuss|answer|"
    r"respond|continu|engag|"
    r"shar|do (?:that|this|so|it)\b|giv|writ|consolidat|merg|rewrit|proceed|participat|perform|offer|disclos|"
    r"store|access|satisfy|"
    r"accommodat|honou?r|find any|see any|that request|this request|your request|the request|with (?:this|that|"
    r"your)|support (?:this|that|your))"
)


_APOLOGY = (
    r"(?:sorry|apologies|my apologies|(?:i'm|i am) (?:\w+ )?(?:sorry|afraid)|i (?:\w+ )?apologi[sz]e|"
    r"unfortunately|regrettably)"
)


_MACHINE = r"(?:ai|a\.i\.|artificial intelligence|(?:large )?language model|llm|chatbot)"


@cache
def refusals() -> re.Pattern[str]:
    """Sentences in which a model speaks of itself and declines. Each is anchored at the start of a sentence and needs the first
    person: a summary speaks of the user in the third."""
    english = (
        rf"{_APOLOGY}\b[^.!?\n]{{0,90}}?\bi ?{_CANNOT}\b",
        rf"(?:(?:{_APOLOGY}|however|but|well|note that|please note that|at this time|right now|"
        rf"currently|no|nope)[,;:]? )*i ?(?:really |simply |just |currently |also )?{_CANNOT}\b"
        rf"(?:[^.!?\n]{{0,30}}?)\b{_ASSIST}",
        rf"i ?{_CANNOT}[.! ]*$",
        rf"(?:{_APOLOGY}[,;:]? (?:but )?)?as an? (?:[\w-]+ ){{0,4}}?{_MACHINE}(?: model| assistant| system|"
        rf" developed by \w+| trained by \w+)*,",
        rf"as an? (?:[\w-]+ ){{0,4}}?(?:{_MACHINE}|assistant)\b[^.!?\n]{{0,60}}?\bi(?:'m| am| can| cannot| do|"
        rf" don't| have| must| will)\b",
        rf"(?:{_APOLOGY}[,;:]? (?:but )?)?i(?:'m| am) (?:just |only |merely |"
        rf"simply )?an? (?:[\w-]+ ){{0,3}}?{_MACHINE}\b",
        r"(?:this|that|your|the) (?:request|content|prompt|topic|conversation|"
        r"message)\b[^.!?\n]{0,60}\b(?:violat|goes against|against)\w*\b"
        r"[^.!?\n]{0,30}\b(?:my|our|openai|usage|safety|content)\b[^.!?\n]{0,20}\b(?:guideline|polic|"
        r"programming|principle)",
        r"(?:sorry|i'm (?:\w+ )?sorry|i am (?:\w+ )?sorry|apologies|my apologies|(?:非常|很|十分|我很)?抱歉|对不起|對不起|"
        r"不好意思|申し訳(?:ありません|ございません)が?|すみません|"
        r"죄송합니다|미안합니다|es tut mir leid|tut mir leid|(?:je suis )?désolée?|lo siento|desculpe|sinto muito|"
        r"mi dispiace|извините|простите|"
        r"przepraszam|üzgünüm|maaf|xin lỗi)[.!,。！， ]*$",
        r"(?:(?:apologies|sorry|i'm sorry|i am sorry|unfortunately)[,.]? (?:but )?)?(?:that|this|it)(?:'s|"
        r" is) (?:not something|beyond what|outside what) i (?:can|am|do)",
        r"(?:i think )?(?:it is|it's|it would be|it wouldn't be|it would not be|it isn't) (?:not |"
        r"in)?(?:appropriate|possible|ethical|right)\b[^.!?\n]{0,20}\bfor me to\b",
        r"i(?:'d| would)(?: rather| prefer) not\b",
        r"(?:this|that|your|the) (?:request|content|prompt|conversation|response|message|"
        r"output)\b[^.!?\n]{0,20}\b(?:flagged|blocked|filtered|rejected) (?:by|due|because|for)\b",
        r"(?:it (?:looks|seems|appears)(?: like| that)?,? ?(?:that )?|i (?:notice|see)d? (?:that )?)?(?:you|"
        r"your (?:message|request|prompt|input))"
        r"(?: have|'ve| has| does| do| did)?(?:n't| not)(?: yet)? (?:provid|includ|shar|attach|past|contain|"
        r"giv|suppl|sent|send)\w*\b[^.!?\n]{0,60}[.! ]*$",
        r"it (?:looks|seems|appears)\b[^.!?\n]{0,30}\b(?:memor|text|input|content|data)\w* (?:is|are|was|were|"
        r"has|have) (?:\w+ )?(?:missing|empty|not|been cut)",
        r"i (?:would |will |'ll |'d )?need (?:more|additional|further|some more|the actual) (?:information|"
        r"details?|context|text|memories|input)\b",
        r"(?:there (?:are|is|were) no|no|i (?:don't|do not|didn't|did not|can't|cannot) (?:see|have|find|"
        r"receive)(?: any)?) (?:[\w-]+ ){0,3}"
        r"(?:memor|text|input|content|data)\w*\b[^.!?\n]{0,30}\b(?:provided|given|supplied|to summari|"
        r"to consolidate|to merge|shared|attached|in your)",
    )
    others = (
        # Chinese, simplified and traditional
        r"(?:您好[，,。！!]*)?我?(?:[很非常十分真的]{0,3}(?:抱歉|遗憾|遺憾|对不起|對不起|不好意思))[^。！？\n]{0,20}?"
        r"(?:作为|作為|无法|無法|不能|没办法|沒辦法|没法|不便|不可以|帮不了|幫不了)",
        r"作[为為](?:一个|一個|一名|一款|一位)?(?:AI|人工智能|人工智慧|(?:大型?)?语言模型|(?:大型?)?語言模型|智能|聊天机器人|聊天機器人|助手)"
        r"(?:AI|语言|語言|模型|助手|系统|系統|大)*[，,、 ]*(?:我|无法|無法|不能|本)",
        r"(?:我是|我只是)(?:一个|一個|一名|一款)?(?:AI|人工智能|人工智慧|语言模型|語言模型)",
        r"(?:您好|你好)?[，,。！!]*(?:(?:这个|這個|该|該|此|这|這|您的|相关|相關|目前|当前|當前)[^。！？，,\n]{0,10}?)?我?(?:暂时|暫時|目前|也)?"
        r"(?:无法|無法|不能|没办法|沒辦法|没法|不便|拒绝|拒絕)(?:继续|繼續|为您|為您|为你|為你|向您|向你|给您|给你|给到|给出|直接|协助|協助|提供|帮助|幫助|帮您|"
        r"帮你|满足|滿足|完成|回答|处理|處理|执行|執行|生成|总结|總結|讨论|討論|参与|參與|响应|回应|回應)",
        # Japanese
        r"[^。！？\n]{0,20}(?:申し訳|すみません|ごめんなさい|恐れ入りますが|残念ながら)[^。！？\n]{0,60}(?:できません|できかね|いたしかね|お答え|対応|お手伝い|出来ません)",
        r"(?:私は|わたしは)?(?:AI|人工知能|(?:大規模)?言語モデル)(?:アシスタント)?(?:として|なので|ですので|であるため)",
        r"[^。！？\n]{0,30}(?:お手伝い|お答え|対応|ご提供|提供|要約)(?:することは|することが|は|が|を)?(?:でき|いたし|出来)(?:ません|かね)",
        # Korean
        r"(?:정말 )?(?:죄송|미안)[^.!?\n]{0,60}(?:수 없|못|어렵|불가)",
        r"(?:저는 )?(?:AI|인공지능|언어 모델)(?: ?(?:언어 모델|어시스턴트|비서))?(?:로서|로써|이기 때문에|이므로|이라서)",
        # German
        r"(?:es tut mir (?:sehr )?leid|tut mir leid|entschuldigung|verzeihung|leider)\b[^.!?\n]{0,40}\b(?:kann|"
        r"darf|bin|möchte|werde) ich\b|"
        r"(?:es tut mir (?:sehr )?leid|tut mir leid|entschuldigung|leider)\b[^.!?\n]{0,20}\bich (?:kann|darf|"
        r"bin|werde)\b[^.!?\n]{0,80}\b(?:nicht|kein|keine|außerstande)\b",
        r"als (?:eine? )?(?:\w+ )?(?:ki|künstliche intelligenz|sprachmodell|ki-(?:modell|sprachmodell|"
        r"assistent)\w*|assistent)\b,?[^.!?\n]{0,30}\bich\b",
        r"ich bin (?:\w+ ){0,2}nicht in der lage",
        r"(?:das |dabei |hierbei )?(?:ich )?(?:kann|darf) (?:ich )?(?:\w+ ){0,6}nicht (?:\w+ ){0,2}(?:helfen|"
        r"weiterhelfen|unterstützen|beantworten|erfüllen|zusammenfassen)",
        # French
        r"(?:je suis (?:vraiment |sincèrement )?désolée?|désolée?|je m'excuse|je regrette|pardon|"
        r"malheureusement)\b[^.!?\n]{0,40}\bje ne (?:peux|puis|suis)\b",
        r"en tant qu(?:'|e )(?:une? )?(?:ia|intelligence artificielle|modèle (?:de )?lang\w+|"
        r"assistant)\b[^.!?\n]{0,30}\bje\b",
        r"je ne (?:peux|puis|suis) (?:pas (?:en mesure de )?)(?:\w+ ){0,4}(?:vous )?(?:aider|répondre|fournir|"
        r"résumer|"
        r"satisfaire|traiter|accéder)",
        # Spanish
        r"(?:lo siento|lo lamento|disculpa|disculpe|perdón|lamentablemente|"
        r"desafortunadamente)\b[^.!?\n]{0,40}\bno (?:puedo|me es posible|soy capaz|estoy)\b",
        r"como (?:una? )?(?:ia|inteligencia artificial|modelo de lenguaje|asistente (?:de ia|"
        r"virtual))\b[^.!?\n]{0,20},? (?:no (?:puedo|tengo|soy)|yo|soy|tengo|mi)\b",
        r"no (?:puedo|soy capaz de) (?:\w+ ){0,2}(?:ayudar\w*|asistir\w*|proporcionar\w*|cumplir|responder|"
        r"resumir|procesar|completar)",
        # Portuguese
        r"(?:desculpe|me desculpe|sinto muito|lamento|infelizmente)\b[^.!?\n]{0,40}\bnão (?:posso|consigo|"
        r"sou capaz)\b",
        r"como (?:uma? )?(?:ia|inteligência artificial|modelo de linguagem|assistente (?:de ia|"
        r"virtual))\b[^.!?\n]{0,20},? (?:(?:eu )?não (?:posso|tenho|consigo)|eu|sou|tenho)\b",
        r"(?:eu )?não (?:posso|consigo) (?:\w+ ){0,2}(?:ajudar|ajudá\w*|fornecer|atender|responder|resumir|"
        r"processar)",
        # Italian
        r"(?:mi dispiace|sono spiacente|spiacente|purtroppo|mi scuso)\b[^.!?\n]{0,40}\bnon (?:posso|"
        r"sono in grado|riesco)\b",
        r"(?:in quanto|come) (?:un')?(?:ia|intelligenza artificiale|modello (?:di )?linguis?\w*|"
        r"assistente (?:ia|virtuale))\b"
        r"[^.!?\n]{0,20},? (?:non (?:posso|ho|sono)|io|sono|ho)\b",
        r"non (?:posso|sono in grado di) (?:\w+ ){0,2}(?:aiutar\w*|assister\w*|fornir\w*|risponder\w*|"
        r"riassumer\w*|soddisfar\w*)",
        # Russian
        r"(?:извините|простите|к сожалению|прошу прощения|"
        r"мне (?:очень )?жаль)[^.!?\n]{0,40}\b(?:я )?не (?:могу|в состоянии|имею)\b",
        r"(?:как|будучи) (?:ии|искусственн\w+ интеллект\w*|(?:\w+ )?языков\w+ модел\w+|ии-(?:модель|"
        r"ассистент)\w*)\b[^.!?\n]{0,20}\b(?:я|мне|меня)\b",
        r"(?:я )?не могу (?:\w+ ){0,3}(?:помочь|предоставить|выполнить|обсуждать|ответить|обобщить)",
        # Dutch, Polish, Turkish, Indonesian, Vietnamese, Arabic
        r"(?:het spijt me|sorry|helaas)\b[^.!?\n]{0,30}\b(?:kan ik|ik kan)\b[^.!?\n]{0,60}\bniet\b",
        r"(?:przepraszam|niestety|przykro mi)\b[^.!?\n]{0,40}\bnie (?:mogę|jestem w stanie)\b",
        r"(?:üzgünüm|maalesef|özür dilerim)\b[^.!?\n]{0,60}(?:yardımcı olamam|yapamam|edemem|olamıyorum|"
        r"sağlayamam|veremem)",
        r"(?:maaf|mohon maaf)\b[^.!?\n]{0,30}\bsaya (?:tidak|tak) (?:dapat|bisa|boleh)\b",
        r"(?:xin lỗi|rất tiếc)\b[^.!?\n]{0,30}\btôi không thể\b",
        r"(?:عذر[اًا]*|آسف|أعتذر)[^.!?؟\n]{0,40}(?:لا أستطيع|لا يمكنني|لا يمكن)",
    )
    return re.compile("|".join(f"(?:{text})" for text in (*english, *others)), re.IGNORECASE)


@cache
def attributed() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:users?|he|she|they|client|customer|patient)\s+(?:once |also |has |had )?(?:said|says|stated|"
        r"states|told|mentioned|wrote|noted|added|"
        r"explained|replied|reported)\b|\b(?:said|says|told|wrote|according to)\b[^.!?]{0,12}\b(?:users?|him|"
        r"her|them)\b|用户(?:说|表示|提到|称)",
        re.IGNORECASE,
    )


@cache
def asks_for_material() -> re.Pattern[str]:
    return re.compile(
        r"^(?:(?:sure|okay|ok|yes|of course|certainly|great)[,!.]? )?(?:please|kindly|just|could you please|"
        r"go ahead and) (?:\w+ ){0,2}?(?:provide|share|send|paste|give|"
        r"specify|clarify|tell|supply|list|enter|"
        r"upload|include|type|let me know)\b|^(?:请|請)(?:您|你)?"
        r"(?:先)?(?:(?:把|将|將)[^。]{0,20}(?:发|發|提供|粘贴|貼|告诉)|提供|"
        r"告诉|告訴|问|問|给出|給出|"
        r"输入|輸入|发送|發送|分享|说明|說明)|"
        r"^(?:bitte (?:geben|senden|teilen|nennen)|veuillez|por favor,? (?:proporcion|comparte|envía|indica|"
        r"forneça)|per favore,? (?:fornisci|indica)|"
        r"пожалуйста,? (?:предоставьте|укажите|пришлите))\b|(?:提供して|教えて)ください|(?:제공해|알려) ?주세요",
        re.IGNORECASE,
    )


@cache
def announces() -> re.Pattern[str]:
    """Sentences that speak of the work instead of doing it."""
    matter = r"[^.!?]*\b(?:memor|fact|summar|information|this|that|these|those|them|details|text|you|data|it)\w*\b"
    return re.compile(
        r"^(?:(?:sure|okay|ok|certainly|of course|absolutely|yes|alright|great)[,!.]? )?"
        r"(?:i(?:'ll| will| can| am going to|'m going to| shall|'m ready to| am ready to)|let me|allow me to|"
        r"let's|we will|we'll) "
        rf"(?:\w+ ){{0,4}}?(?:summari|consolidat|condens|help (?:you|with (?:this|that|these|your))|do (?:that|this)|"
        rf"(?:merg|combin|rewrit|creat|provid|writ|analy[sz]|start|review|process|go through|begin|organi){matter})|"
        r"^(?:(?:the|all|your|these|user) )*(?:memories|memory|facts|information|records|summary) (?:have|has|"
        r"were|was|are|is)(?: now)?(?: been)?"
        r"(?: now| successfully)? (?:consolidat|merg|summari|updat|combin|sav|process|complet|condens|rewrit|"
        r"ready)\w*(?: successfully| as requested| below)?[.!: ]*$|"
        r"^i(?:'ve| have)(?: now| successfully)? (?:summari|consolidat|merg|combin|condens|updat|rewrit|"
        r"process)\w*\b[^.!?]*[.!: ]*$|"
        r"^(?:我(?:会|會|将|將|来|來|可以|已经|已經|已)|让我|讓我)[^。！？]{0,10}(?:总结|總結|整理|概括|合并|合併|帮|幫)",
        re.IGNORECASE,
    )


@cache
def placeholders() -> re.Pattern[str]:
    """Whole answers that stand for none."""
    return re.compile(
        r"\W*(?:null|none|nil|undefined|nan|n/?a|error|refused|redacted|empty|todo|tbd|no (?:answer|response|"
        r"output|summary|content|result)|"
        r"(?:internal )?(?:server )?error\s*[:\]-][^\n]*|无|空|無)\W*",
        re.IGNORECASE,
    )
