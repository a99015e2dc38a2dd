"""What may become a memory of an answer, and what is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.errors import AnswerRefused, ExitCode
from memopt.memory import UserMemory
from memopt.models.answer import clean, parse_json_answer, shown, sound, without_stump
from memopt.models.base import Ask

SYSTEM = "You merge the memories about one user into a single text, in the third person, without losing a fact."


def ask(*memories: str, schema: dict | None = None) -> Ask:
    return Ask(SYSTEM, "\n".join(f"- {m}" for m in memories), schema=schema, material=tuple(UserMemory(m) for m in memories))


PLAIN = ask("Lives in Bern", "Has a bike")


def refused(text: str | None, finish: str | None = "stop", request: Ask = PLAIN, **more: object) -> str:
    with pytest.raises(AnswerRefused) as caught:
        clean(text, finish, request, **more)  # type: ignore[arg-type]
    message = str(caught.value)
    assert "\n" not in message
    assert caught.value.exit_code is ExitCode.MODEL
    return message


@pytest.mark.parametrize("text", [None, "", "   \n\t", "\u200b\ufeff", "\x00", "...", "—", "- \n- ", '""', "```\n```"])
def test_an_answer_without_words_is_refused(text):
    refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "User said sorry to Tom.",
        "User cannot eat gluten.",
        "I can't eat nuts, the user said.",
        '"I can\'t help with the garden on Mondays," the user said.',
        "User is unable to attend meetings on Fridays. User can't help with the move.",
        "User works as an AI engineer. As an AI researcher, User reads a paper a day.",
        "As an assistant professor, User teaches on Mondays.",
        "Sorry is the word User wants to learn in Polish.",
        "Unfortunately, User can't eat gluten and won't eat fish.",
        "User apologized to the team for the outage on 2025-08-01.",
        "User works on content policy and refused to sign the contract.",
        "用户对Tom说对不起。",
        "用户不能吃花生，无法喝牛奶。",
        "对不起这个词是用户最先学会的中文。",
        "Der Benutzer kann kein Gluten essen. Leider kann er nicht schwimmen.",
        "L'utilisateur ne peut pas manger de noix.",
        "El usuario no puede comer gluten. No puede ayudar los lunes.",
        "ユーザーはナッツを食べることができません。",
        "사용자는 땅콩을 먹을 수 없습니다.",
        "Пользователь не может есть орехи. К сожалению, он не может плавать.",
        'User asked: "Which bank is best?"',
        "The user wonders: is Bern too expensive?",
        "User likes tea :)",
        "Here is what the user likes: tea and coffee.",
        "Here is a list of the user's allergies: nuts and milk.",
        "Summary judgment was granted in User's case.",
        "User has 2 < 3 rules: a > b.",
        "Sure enough, User moved to Bern.",
        "Notes: User's <b>important</b> deadline is 3:45.",
        'User said "hi" and "bye"',
        "User's memory: 64 GB.",
        "User likes to help. Please call User Max.",
        "User wants the assistant to answer in English: always.",
        "User's keyboard has no Turkish layout; would like me to be brief.",
    ],
)
def test_an_ordinary_summary_passes_unchanged(text):
    assert clean(text, "stop", PLAIN) == text


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t assist with that request.",
        "Sorry, I can't do that.",
        "I cannot assist with this.",
        "I apologize, but I am unable to summarize medical information.",
        "Unfortunately, I'm not able to process these memories.",
        "As an AI language model, I don't have personal memories.",
        "As an AI, it is not appropriate to store such details.",
        "I'm just a language model.",
        "I must respectfully decline.",
        "I can't.",
        "**I'm sorry**, but I won't be able to do so.",
        "I do not feel comfortable consolidating health data.",
        "This request goes against my guidelines.",
        "User takes sertraline. I'm sorry, but I can't share more about it.",
        "Sure! I'm sorry, but I can't help with that.",
        "```\nI cannot help with that.\n```",
        "抱歉，我无法协助处理这个请求。",
        "对不起，我不能提供帮助。",
        "很抱歉，作为AI助手，我无法完成该任务。",
        "作为一个人工智能语言模型，我没有记忆。",
        "作为AI，我不能存储医疗信息。",
        "我无法总结这些内容。",
        "抱歉，我無法提供協助。",
        "Es tut mir leid, aber dabei kann ich nicht helfen.",
        "Als KI-Sprachmodell habe ich keine Meinung.",
        "Leider kann ich diese Anfrage nicht bearbeiten.",
        "Je suis désolé, mais je ne peux pas vous aider.",
        "En tant qu'IA, je ne peux pas faire cela.",
        "Lo siento, pero no puedo ayudar con eso.",
        "Como modelo de lenguaje, no tengo acceso a eso.",
        "Desculpe, mas não posso ajudar com isso.",
        "Mi dispiace, ma non posso aiutarti.",
        "申し訳ありませんが、そのリクエストにはお応えできません。",
        "AIとして、個人情報を要約することはできません。",
        "죄송하지만 그 요청은 도와드릴 수 없습니다.",
        "Извините, но я не могу помочь с этим.",
        "К сожалению, я не могу выполнить этот запрос.",
        "Maaf, saya tidak dapat membantu.",
        "There are no memories provided to summarize.",
        "I don't see any memories in your message.",
    ],
)
def test_a_refusal_is_refused(text):
    assert "refused" in refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm unable to fulfill this request.",
        "I am sorry but I cannot fulfil that request as it goes against ethical guidelines.",
        "I'm really sorry, but I can't continue with this.",
        "Unfortunately I cannot summarize the content.",
        "My apologies, I cannot process this.",
        "As a helpful assistant, I cannot do this.",
        "I'm an AI assistant created by Anthropic, and I can't do this.",
        "It is not appropriate for me to summarize this.",
        "It's not possible for me to summarize these.",
        "I would prefer not to.",
        "No, I can't do that.",
        "I will not be summarizing this.",
        "I was unable to summarize the memories.",
        "I currently can't help.",
        "I'm afraid I can't do that, Dave.",
        "Apologies, but that's not something I can do.",
        "It looks like you haven't provided any memories.",
        "It seems that the memories are missing.",
        "You haven't provided any memories to summarize.",
        "I need more information to create a summary.",
        "I don't have enough information to summarize.",
        "Sorry. That is not something I am able to do.",
        "I'm sorry.",
        "我很抱歉，我不能提供这样的内容。",
        "不好意思，这个问题我无法回答。",
        "您好，我无法给到相关内容。",
        "作为一个助手，我不能这样做。",
        "这个话题我不便讨论。",
        "很遗憾，无法满足您的要求。",
        "抱歉，这个请求涉及敏感内容，我不能处理。",
        "抱歉。我不能帮助你。",
        "我不能帮助你。",
        "Ich kann dir dabei leider nicht helfen.",
        "Ich bin leider nicht in der Lage, das zusammenzufassen.",
        "Als KI kann ich das nicht tun.",
        "Es tut mir leid. Das kann ich nicht.",
        "Je regrette, mais je ne peux pas faire cela.",
        "Je ne suis pas en mesure de répondre à cette demande.",
        "Désolé, je ne peux pas répondre à cette demande.",
        "En tant que modèle de langage, je ne peux pas.",
        "Lo siento, no puedo continuar.",
        "Lo siento. No puedo hacer eso.",
        "No puedo cumplir con esa solicitud.",
        "Como IA, no tengo opiniones.",
        "Não posso ajudar com isso.",
        "Lamento, mas não posso fazer isso.",
        "Mi dispiace, non posso aiutarti con questo.",
        "Non sono in grado di soddisfare la richiesta.",
        "Come modello linguistico, non posso.",
        "申し訳ございませんが、そのご要望にはお応えできません。",
        "その質問にはお答えできません。",
        "私はAIなので、それはできません。",
        "죄송합니다. 해당 요청은 처리할 수 없습니다.",
        "저는 AI이므로 할 수 없습니다.",
        "Извините, я не могу помочь.",
        "Я не могу выполнить этот запрос.",
        "Как языковая модель, я не имею мнения.",
        "Sorry, maar ik kan je daar niet mee helpen.",
        "Przepraszam, ale nie mogę w tym pomóc.",
        "Üzgünüm, bu konuda yardımcı olamam.",
        "Xin lỗi, tôi không thể giúp bạn.",
        "عذراً، لا أستطيع المساعدة في ذلك.",
        "The conversation has been flagged by our content policy.",
        "[Refused]",
        "ERROR: model overloaded",
        "Error: context window exceeded",
        "null",
        "None",
        "N/A",
        "undefined",
        "{}",
        "[]",
        "I have summarized the memories as requested.",
        "The memories have been consolidated successfully.",
        "Done!",
        "Okay.",
        "Here are the user's memories, summarized:",
        "Sure, please share the memories.",
        "I'd be happy to help! Please provide the memories you'd like me to summarize.",
        "Hello! How can I help you today?",
        "Hello! How can I assist you today? I am here to help.",
        "Thank you for sharing these memories.",
        "好的！请把需要总结的记忆发给我。",
        "你好！有什么可以帮你的吗？",
        "<think>ok</think>I'm sorry, I can't.",
    ],
)
def test_what_a_model_says_instead_of_an_answer_is_refused(text):
    refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "User is sorry about the delay.",
        "Desculpe is the first Portuguese word User learned.",
        "Als KI-Forscher arbeitet der Benutzer bei Zalando in Berlin.",
        "Als Assistent der Geschäftsleitung plant der Benutzer Reisen.",
        "En tant qu'assistant de direction, l'utilisateur voyage beaucoup.",
        "Como asistente virtual, la usuaria trabaja desde Lima.",
        "Como assistente virtual, a usuária trabalha de casa.",
        "Come assistente virtuale, l'utente lavora da Roma.",
        "Как ИИ-исследователь, пользователь живёт в Москве.",
        "作为AI研究员，用户在北京工作。",
        "作为一个智能助手的开发者，用户喜欢Python。",
        "用户最喜欢的歌是《对不起，我爱你》。",
        "对不起，我爱你是用户最喜欢的歌。",
        "ユーザーはAIエンジニアとして働いている。",
        "사용자는 AI 엔지니어로서 일한다.",
        "User asked to be called Max, please.",
        "Please note: User is allergic to nuts.",
        "Sure Labs employs User as CTO.",
        'OK is the answer User prefers to "okay".',
        "User: never call before 9am.",
        "Name: Wei Zhang. City: Berlin.",
        "Profile: Wei, 34, engineer.",
        "**Allergies:** peanuts",
        "# Health",
        "- Takes 5 mg of carprofen",
        "Errors in User's code: 42 last week.",
        "None of User's siblings live in Berlin.",
        "N/A is User's Xbox handle.",
        "User's error budget is 5 %. Error: 404 is their favourite joke.",
        "Thank you letters are written by User every Friday.",
        "I am Wei. I live in Berlin.",
        "I cannot eat gluten.",
        "I can't swim, and I won't fly.",
        "I'm not able to eat nuts.",
        "I refuse to eat meat.",
        "I don't have access to a car.",
        "I was unable to attend the meeting on Monday.",
        "I need more sleep than six hours.",
        "No memories of the accident remain, User says.",
        "There is no data plan on User's phone.",
        "The request for a visa goes against policy of the office, says User.",
        "Hello Kitty is User's favourite brand.",
        "Done is better than perfect, says User.",
        "User wants me to answer in German.",
        "Let me know is what User says often.",
        "Feel free to call User after 6 pm.",
        "If you need to reach User, please call the office.",
        "User lives in Bern. If you need anything, ask Tom, says User.",
        "Would User like tea? Yes, always.",
        "User will help Tom with the merge on Friday.",
        "I'll help mother on Sundays.",
    ],
)
def test_what_only_looks_like_it_passes_unchanged(text):
    assert clean(text, "stop", PLAIN) == text


def test_the_field_of_the_service_for_refusals_counts():
    assert "I won't" in refused(None, "stop", refusal="I won't do this.")
    assert clean("Lives in Bern", "stop", PLAIN, refusal=None) == "Lives in Bern"
    assert clean("Lives in Bern", "stop", PLAIN, refusal="") == "Lives in Bern"


def test_a_memory_that_says_it_like_a_refusal_keeps_its_words():
    words = "I'm sorry, but I can't help with moving on Mondays."
    assert clean(f"Lives in Bern. {words}", "stop", ask("Lives in Bern", words)) == f"Lives in Bern. {words}"
    refused(f"Lives in Bern. {words}")


@pytest.mark.parametrize("finish", ["length", "LENGTH", "max_tokens", "MAX_TOKENS", "model_length", "max_output_tokens"])
def test_a_cut_answer_is_refused_and_names_the_limit(finish):
    message = refused("Lives in Bern. Has a", finish, completion_tokens=128)
    assert "cut off" in message and "128 tokens" in message and finish.lower() in message


@pytest.mark.parametrize("finish", ["content_filter", "SAFETY", "RECITATION", "error"])
def test_a_filtered_or_broken_answer_is_refused(finish):
    assert finish.lower() in refused("Takes sert", finish)


@pytest.mark.parametrize("finish", ["stop", None, "end_turn", "eos", "tool_calls"])
def test_an_answer_that_ended_by_itself_passes(finish):
    assert clean("Lives in Bern", finish, PLAIN) == "Lives in Bern"


def test_a_tool_call_instead_of_an_answer_is_refused():
    assert "tool" in refused(None, "tool_calls")


ANSWER = "- Lives in Bern; has a bike"


@pytest.mark.parametrize(
    "text",
    [
        f"Let me merge them.</think>\n{ANSWER}",
        f"<think>a</think><think>b</think>{ANSWER}",
        f"<think>\nLong\n\nreasoning\n</think>\n\n{ANSWER}",
        f"<thinking>a</thinking>\n{ANSWER}",
        f"<THINK>a</THINK>{ANSWER}",
        f"<reasoning>a</reasoning>{ANSWER}",
        f"<thought>a</thought>{ANSWER}",
        f"<think>a<think>b</think>c</think>{ANSWER}",
        f"<think>the tag <think> is what I write in</think>{ANSWER}",
        f'<think type="deep">a</think >{ANSWER}',
        f"<think>a</thinking>{ANSWER}",
        f"<think/>{ANSWER}",
        f"<seed:think>a</seed:think>{ANSWER}",
        f"[THINK]a[/THINK]{ANSWER}",
        f"◁think▷a◁/think▷{ANSWER}",
        f"<|begin_of_thought|>a<|end_of_thought|>{ANSWER}",
        f"<|START_THINKING|>a<|END_THINKING|>{ANSWER}",
        f"&lt;think&gt;a&lt;/think&gt;{ANSWER}",
        f"{ANSWER}\n<think>was that right?</think>",
        f"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>",
    ],
)
def test_reasoning_is_stripped(text):
    assert clean(text, "stop", PLAIN) == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        "<think>The user has two facts",
        "<think></think>",
        "<think>a</think>",
        f"{ANSWER} <think>and now",
        f"{ANSWER}</think>",
        f"think>a {ANSWER}",
        "<|channel|>analysis<|message|>We need to merge",
        "[THINK]a",
    ],
)
def test_reasoning_without_an_answer_is_refused(text):
    refused(text)


def test_a_memory_that_mentions_the_mark_survives_and_the_reasoning_does_not():
    source = ask("User filters <think> tags out of logs", "User filters <think>...</think> blocks")
    text = "User filters <think> tags out of logs, and <think>...</think> blocks."
    assert clean(text, "stop", source) == text
    assert clean(f"<think>About <think> tags.</think>\n{text}", "stop", source) == text
    assert clean(f"They speak of <think> tags.\n</think>\n{text}", "stop", source) == text
    refused("<think>They speak of tags", "stop", source)
    starts = ask("<think> is a tag that User filters")
    assert clean("<think> is a tag that User filters.", "stop", starts) == "<think> is a tag that User filters."


@given(st.text(alphabet="ab <>/\n.", max_size=30), st.sampled_from(["think", "thinking", "reasoning"]))
def test_the_mark_never_reaches_the_text_unless_the_source_has_it(noise, name):
    for text in (f"<{name}>{noise}</{name}>A.{noise}", f"{noise}</{name}>A.{noise}", f"A.{noise}<{name}>{noise}"):
        try:
            result = clean(text, "stop", PLAIN)
        except AnswerRefused:
            continue
        assert f"{name}>" not in result


@pytest.mark.parametrize(
    "text",
    [
        f"Here is the summary:\n{ANSWER}",
        f"Here is the consolidated summary of the user's memories:\n\n{ANSWER}",
        f"Sure! Here is the summary:\n{ANSWER}",
        f"Certainly! {ANSWER}",
        f"**Summary:**\n{ANSWER}",
        f"# Summary\n\n{ANSWER}",
        f"Summary: {ANSWER}",
        f"Here is the note:\n\n{ANSWER}",
        f"Note: {ANSWER}",
        f"**Note**\n\n{ANSWER}",
        f"Here's the final note: {ANSWER}",
        f"Here's the merged memory: {ANSWER}",
        f"```\n{ANSWER}\n```",
        f"```markdown\n{ANSWER}\n```",
        f"Here is the summary:\n\n```text\n{ANSWER}\n```\n\nLet me know if you need anything else!",
        f"<summary>\n{ANSWER}\n</summary>",
        f'"{ANSWER}"',
        f"“{ANSWER}”",
        f"{ANSWER}\n\nI hope this helps!",
        f"{ANSWER}\n\nWould you like me to shorten it?",
        f"\ufeff{ANSWER}\x00",
        f"{ANSWER}<|im_end|>",
        f"{ANSWER}<|im_end|>\n<|im_start|>user\nMore facts",
        f"{ANSWER}</s>",
        f"<|im_start|>assistant\n{ANSWER}",
        f"好的，以下是总结：\n{ANSWER}",
        f"以下是用户记忆的摘要：{ANSWER}",
        f"Hier ist die Zusammenfassung:\n{ANSWER}",
        f"Voici le résumé :\n{ANSWER}",
        f"Aquí está el resumen:\n{ANSWER}",
        f"以下は要約です：\n{ANSWER}",
        f"{ANSWER}\r\n",
    ],
)
def test_chatter_around_the_answer_is_stripped(text):
    assert clean(text, "stop", PLAIN) == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        "Sure! Here is the summary:",
        "Here is the consolidated memory:",
        "Sure, I can help with that!",
        "I'll summarize the memories now.",
        "Of course! Let me consolidate these facts.",
        "User's facts are as follows:",
        "好的，以下是总结：",
        "Summary:",
        "Certainly!",
    ],
)
def test_an_announcement_alone_is_refused(text):
    refused(text)


@pytest.mark.parametrize(
    "text",
    [
        "Could you provide more details?",
        "Sure! Which memories do you mean?",
        "What should I summarize? And for whom?",
        "Please provide the memories you would like me to merge.",
        "您想让我总结什么？",
        "请提供需要总结的内容。",
        "¿Qué quieres que resuma?",
        "ما الذي تريد تلخيصه؟",
    ],
)
def test_a_question_back_is_refused(text):
    assert "asked back" in refused(text)


def test_a_question_that_the_source_holds_is_no_question_back():
    assert clean("Which bank is best?", "stop", ask("Which bank is best?")) == "Which bank is best?"
    assert clean("Lives in Bern. Where next?", "stop", PLAIN) == "Lives in Bern. Where next?"


def test_instructions_repeated_instead_of_an_answer_are_refused():
    assert "instructions" in refused(f"{SYSTEM}\n- Lives in Bern")


def test_words_of_the_source_are_not_taken_for_chatter():
    quoted = '"Carpe diem"'
    assert clean(quoted, "stop", ask(quoted)) == quoted
    code = "```\nmake test\n```"
    assert clean(code, "stop", ask(code)) == code


def test_lone_surrogates_and_controls_are_made_sound_and_emoji_stay():
    assert clean("Likes \ud83d\ude00 and \ud83d tea\x07 👨‍👩‍👧 ❤️", "stop", PLAIN) == "Likes 😀 and \ufffd tea 👨‍👩‍👧 ❤️"


@given(st.text())
def test_sound_text_can_be_stored_and_stays(text):
    once = sound(text)
    once.encode("utf-8")
    assert "\x00" not in once and sound(once) == once


@given(st.text(max_size=200), st.sampled_from(["stop", None]))
def test_clean_ends_in_a_text_or_in_a_refusal_of_one_line(text, finish):
    try:
        result = clean(text, finish, PLAIN)
    except AnswerRefused as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert result.strip() == result and result


DOC = {"facts": [{"text": "Lives in Bern", "from": [1, 2]}]}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(DOC),
        f"```json\n{json.dumps(DOC)}\n```",
        f"Here you go:\n{json.dumps(DOC)}\nHope it helps",
        f"\ufeff{json.dumps(DOC)}",
        f"From [1] and {{all}} of these: {json.dumps(DOC, indent=2)} [done]",
        f"{json.dumps(DOC)}\n{json.dumps(DOC)}",
    ],
)
def test_json_is_found_whatever_stands_around_it(text):
    assert parse_json_answer(text) == DOC
    assert json.loads(clean(text, "stop", ask("Lives in Bern", schema={"type": "object"}))) == DOC


def test_line_breaks_inside_strings_are_taken():
    assert parse_json_answer('{"a": "x\ny"}') == {"a": "x\ny"}


@pytest.mark.parametrize(
    "text",
    ["", "no JSON", '{"a":1}{"a":2}', '{"a":1,}', '{"a": {"b": 1}, "c', '[{"a":1},{"b', '{"a": NaN}', "12", '"x"', "[" * 99_999],
)
def test_json_that_is_none_fails_and_shows_its_beginning(text):
    with pytest.raises(AnswerRefused) as caught:
        parse_json_answer(text)
    assert text[:20] in str(caught.value) and len(str(caught.value)) < 300


def test_prose_for_a_structured_request_comes_back_as_prose_and_a_refusal_is_refused():
    request = ask("Lives in Bern", schema={"type": "object"})
    assert clean("Sure! Lives in Bern.", "stop", request) == "Lives in Bern."
    refused("I'm sorry, but I can't help with that.", "stop", request)


def test_what_an_error_shows_is_one_short_line():
    assert shown("a\n\tb\x1b[31m" + "c" * 500).startswith("a b\\x1b[31mccc")
    assert len(shown("c" * 500)) == 201


GIVEN = "User works at Brix as a welder.\nUser is allergic to latex.\nUser plays the viola.\n用户在上海工作。用户喜欢喝绿茶。"


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("User plays the viola. User works at the", "User plays the viola."),
        ("User plays the viola. User works at Bri", "User plays the viola."),
        ("User plays the viola. User is allergic", "User plays the viola."),
        ("User plays the viola.\nUser works at Brix as a", "User plays the viola."),
        ("User plays the viola, and", ""),
        ("用户喜欢喝绿茶。用户在上", "用户喜欢喝绿茶。"),
    ],
)
def test_a_sentence_that_breaks_off_is_cut(text, whole):
    assert without_stump(text, GIVEN) == whole


@pytest.mark.parametrize(
    "text",
    [
        "User plays the viola. User is allergic to latex",
        "- plays the viola\n- is allergic to latex\n- works as a welder at Brix",
        "User works at Brix as a welder and plays the viola",
        "User plays the viola. (User is allergic to latex.)",
        "用户喜欢喝绿茶。用户在上海工作",
        "User's page is https://example.org/",
    ],
)
def test_a_last_sentence_without_its_full_stop_stays(text):
    assert without_stump(text, GIVEN) == text
