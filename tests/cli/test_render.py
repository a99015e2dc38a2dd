"""The diff table: right at any width, in any script, whatever a text holds."""

import io
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from memopt.cli.render import Screen, change_lines, number, ordered, plan_view, saving, shorten, text_lines
from memopt.memory import UserMemory
from memopt.plan import Plan, Step, StoreRef, Unreadable, diff
from memopt.strategies.base import Decision
from memopt.tokens import TokenFigures

LONG_ID = "bf87d5e0-7809-511d-9a67-e74466334c99"


def memory(memory_id, text, **fields):
    return UserMemory(text, memory_id, user_id="u", **{"created_at": 1767258000, "updated_at": 1767344400, **fields})


def plan_of(before, after, decisions=None, **fields):
    changes = diff(before, after, decisions, count=len)
    return Plan(
        **{
            "store": StoreRef("agno-sqlite", "/data/agno.db", "agno_memories"),
            "user_id": "u",
            "steps": (Step("recent", {"keep": 3, "by_topic": False}),),
            "changes": changes,
            "fingerprints": {},
            "made_at": 1767258000,
            "encoding": "o200k_base",
            "tokens_before": TokenFigures(len(before), 1000, 1200),
            "tokens_after": TokenFigures(len(after), 400, 480),
            **fields,
        }
    )


def shown(plan, columns=80, **options):
    stream = io.StringIO()
    plan_view(Screen(stream, {"COLUMNS": str(columns)}), plan, **options)
    return stream.getvalue()


@pytest.fixture
def every_kind():
    before = [
        memory("a", "User lives in Berlin since 2024."),
        memory("b", "User lives in Berlin.", topics=["home"]),
        memory("c", "用户喜欢喝乌龙茶。"),
        memory("d", "Old news."),
        *(memory(f"k{i}", f"Fact {i}.") for i in range(262)),
    ]
    after = [
        before[0].but(memory="User lives in Köln since 2025.", topics=["home"], created_at=1767000000),
        *before[4:],
        memory("n", "A new one.", sources=("c",)),
    ]
    decisions = {
        "b": Decision("said by a newer one", into="a", relies_on=("a",)),
        "c": Decision("summarized", into="n"),
        "d": Decision("older than the 3 newest"),
    }
    return plan_of(before, after, decisions)


@pytest.mark.parametrize("columns", [80, 120])
def test_every_kind_of_change_is_told_with_its_tokens_reason_and_id(every_kind, columns):
    text = shown(every_kind, columns)
    lines = text.splitlines()
    assert max(map(cell_len, lines)) <= columns
    for expected in (
        r"^kept     2,\d{3} +262 memories, unchanged$",
        r"^revised  32 -> 30 +User lives in \[-Berlin-\]\{\+Köln\+\} since \[-2024-\]\{\+2025\+\}\.$",
        r"^ +topics: \{\+home\+\}$",
        r"^ +created: \[-2026-01-01-\] \{\+2025-12-29\+\}$",
        r"^dropped  21 -> 0 +User lives in Berlin\.$",
        r"^ +said by a newer one \(into the memory above\)$",
        r"^ +b · 2026-01-02 · home$",
        r"^dropped  4?9 -> 0 +",
        r"^ +older than the 3 newest$",
        r"^added    0 -> 10 +A new one\.$",
        r"^ +summarized \(into the memory above\)$",
        r"^prompt lines +1,200 +480  tokens, 60\.0 % less \(720 tokens\)$",
        r"^bare texts +1,000 +400  tokens, 60\.0 % less \(600 tokens\)$",
        r"^memories +266 +264",
        r"^  strategy +recent \(keep=3, by-topic=false\)$",
        r"^  store +/data/agno\.db, table agno_memories$",
        r"^  tokens +counted with o200k_base$",
    ):
        assert re.search(expected, text, re.MULTILINE), (expected, text)
    assert "Fact 17." not in text


def test_what_went_into_a_memory_stands_below_it(every_kind):
    order = [item.memory_id for item in ordered(every_kind.changes) if hasattr(item, "memory_id")]
    assert order == ["a", "b", "d", "n", "c"]


def test_a_reason_that_many_share_is_told_once_above_them():
    before = [memory(f"m{i}", f"Fact {i}.") for i in range(8)]
    decisions = {f"m{i}": Decision("summarized", into="n") for i in range(8)}
    decisions["m3"] = Decision("superseded", into="n")
    plan = plan_of(before, [memory("n", "All facts.", sources=tuple(decisions))], decisions)
    text = shown(plan)
    assert text.count("summarized") == 1
    assert re.search(r"^dropped +7 memories into the one above: summarized$", text, re.MULTILINE)
    assert re.search(r"Fact 3\.\n +superseded \(into the memory above\)\n +m3 · ", text)
    assert [int(i) for i in re.findall(r"Fact (\d)\.", text)] == [0, 1, 2, 4, 5, 6, 7, 3]
    few = shown(plan_of(before[:2], [memory("n", "All facts.", sources=("m0", "m1"))], decisions))
    assert few.count("summarized (into the memory above)") == 2


def test_a_chain_tells_which_step_made_a_change_and_which_changes_are_safe():
    before = [memory("a", "Same."), memory("b", "Same."), memory("c", "Old.")]
    decisions = {"b": Decision("same text", into="a"), "c": Decision("older than the newest")}
    one = plan_of(before, before[:1], decisions)
    changes = tuple(
        replace(change, safe=change.memory_id == "b", step={"b": "dedupe", "c": "recent"}.get(change.memory_id, ""))
        for change in one.changes
    )
    chain = replace(one, changes=changes, steps=(Step("dedupe"), Step("recent", {"keep": 1})))
    text = shown(chain)
    assert "  strategy    dedupe + recent (keep=1)\n" in text
    assert "dedupe: same text (into the memory above)" in text and "recent: older than the newest" in text
    assert "changes       1 safe (provably lose nothing), 1 to review (a judgement)\n" in text
    alone = shown(replace(chain, steps=(Step("dedupe"),)))
    assert "dedupe: same" not in alone


def test_a_text_that_would_be_written_is_shown_further_than_one_that_goes():
    text = "word " * 600
    before = [memory("a", text)]
    shown_text = shown(plan_of(before, [memory("n", text.upper(), sources=("a",))], {"a": Decision("summarized", into="n")}))
    assert shown_text.count("WORD") == 600
    assert 195 <= shown_text.count("word") <= 200 and "more characters; --full shows all" in shown_text


def test_a_kept_memory_that_others_hang_on_is_shown_and_says_so():
    before = [memory("a", "The one."), memory("b", "The one"), memory("c", "Edge."), *(memory(f"k{i}", "x") for i in range(9))]
    plan = plan_of(before, [before[0], *before[2:]], {"b": Decision("same", into="a", relies_on=("a", "c"))})
    text = shown(plan)
    assert "holds what 1 dropped memory said" in text
    assert "1 change relies on it" in text
    assert "9 memories, unchanged" in text


def test_kept_memories_with_a_reason_are_shown_until_they_are_many():
    before = [memory(f"u{i}", f"undated {i}", created_at=None, updated_at=None) for i in range(20)] + [
        memory("p", "pinned"),
        memory("x", "x"),
    ]
    decisions = {f"u{i}": Decision("kept: it has no date") for i in range(20)} | {"p": Decision("protected")}
    text = shown(plan_of(before, before[:-1], decisions))
    assert "20 memories: kept: it has no date" in text
    assert "undated 7" not in text
    assert "pinned" in text and "protected" in text


@pytest.mark.parametrize("columns", [20, 80, 120])
def test_an_id_stands_whole_on_one_line_however_narrow(columns):
    odd = "customer with blanks and 日本 " + "x" * 150
    before = [memory(LONG_ID, "word " * 50, topics=["t" * 30, "u" * 30]), memory(odd, "y")]
    target = memory(LONG_ID[::-1], "z" * 300)
    text = shown(
        plan_of(before, [target], {LONG_ID: Decision("a reason", into=odd), odd: Decision("r " * 60, into="elsewhere " * 20)}),
        columns,
    )
    lines = text.splitlines()
    for whole in (LONG_ID, odd, LONG_ID[::-1], f"into {odd}", "into " + ("elsewhere " * 20).strip()):
        assert any(whole in line for line in lines), whole
    assert text.count("word") == 50 and text.count("z") == 300
    assert len(re.findall("u", re.sub(r"\s", "", text).split("t" * 30)[1][:33])) >= 30


EMOJI = ["👩‍👩‍👧‍👦", "❤️", "🏳️‍🌈", "🏃🏽‍♀️", "🎻", "1️⃣"]
TEXTS = st.lists(
    st.sampled_from(
        [
            "word",
            "用户喜欢喝乌龙茶",
            "ありがとう",
            "안녕하세요",
            "e\u0301te\u0301",
            *EMOJI,
            " ",
            "\n",
            "x" * 90,
            "[/b]",
            ":smile:",
            "\x1b[2J",
            "\u202e",
        ]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS.filter(lambda text: not UserMemory(text).is_blank), st.sampled_from([60, 80, 120]))
def test_no_line_is_wider_than_the_terminal_and_no_text_is_lost(old, new, columns):
    before = [memory("a", old), memory("b", old)]
    plan = plan_of(before, [before[0].but(memory=new)], {"b": Decision("why", into="a")})
    lines = ["".join(text for text, _ in line) for line in change_lines(plan, columns, colour=False, full=True)]
    assert all(cell_len(line) <= columns for line in lines)
    everything = "\n".join(lines)
    assert not set("\x1b\x07\r\u202e") & set(everything)
    squeezed = re.sub(r"\s", "", everything)
    from memopt.cli.safe import visible

    assert re.sub(r"\s", "", visible(old, lines=True)) in squeezed


def test_columns_line_up_with_wide_characters():
    before = [memory("a", "用户" * 60), memory("b", "👩‍👩‍👧‍👦 " * 40), memory("c", "plain " * 40)]
    lines = ["".join(t for t, _ in line) for line in change_lines(plan_of(before, []), 80, colour=False)]
    starts = {len(line) - len(line.lstrip()) for line in lines[2:] if line.startswith(" ")}
    assert len(starts) == 1  # every continuation begins below the text
    widest = max(cell_len(line.rstrip()) for line in lines[2:] if "用" in line)
    assert 78 <= widest <= 80


def test_a_long_text_is_shortened_visibly_and_full_shows_it_whole():
    text = "".join(f"sentence {i}. " for i in range(400))
    before = [memory("a", text), memory("b", "x")]
    plan = plan_of(before, before[1:])
    short = shown(plan)
    left = re.search(r"… ([\d,]+) more characters; --full shows all", short)
    assert left and int(left[1].replace(",", "")) == len(text) - 1000
    assert "sentence 399." not in short
    full = shown(plan, full=True)
    assert "sentence 399." in re.sub(r"\s+", " ", full) and "more characters" not in full


def test_a_little_over_the_limit_is_not_shortened():
    assert shorten("a" * 1100) == ("a" * 1100, 0)
    assert shorten("a" * 1101) == ("a" * 1000, 101)
    many_lines = "line\n" * 300
    kept, left = shorten(many_lines)
    assert kept.count("\n") <= 40 and len(kept) + left == len(many_lines)


def test_a_text_is_not_cut_inside_an_emoji():
    text = "a" * 998 + "👩‍👩‍👧‍👦" * 200
    kept, _ = shorten(text)
    assert kept.rstrip("a") == ""


def test_a_text_of_emoji_alone_is_cut_somewhere():
    kept, left = shorten("👩‍👩‍👧‍👦" * 1000)
    assert 960 <= len(kept) <= 1000 and len(kept) + left == 7000


def test_a_long_revised_text_shows_its_changes_and_counts_what_it_leaves_out():
    text = "".join(f"sentence {i}. " for i in range(400))
    before = [memory("a", text)]
    plan = plan_of(before, [before[0].but(memory=text.replace("sentence 200.", "SENTENCE 200."))])
    short = shown(plan)
    flat = re.sub(r"\s+", " ", short)
    assert "[-sentence-] {+SENTENCE+}" in flat or "[-sentence-]{+SENTENCE+}" in flat
    assert re.search(r"… [\d,]+ more characters left out above; --full shows all", flat)
    assert len(short) < 4000


def test_blank_texts_are_named():
    assert text_lines("", 40) == [[("(blank)", "dim")]]
    assert "blank: 3 characters" in text_lines("   ", 40)[0][0][0]


def test_a_change_of_line_ends_alone_is_told():
    before = [memory("a", "one\r\ntwo")]
    assert "only line breaks or tabs changed" in shown(plan_of(before, [before[0].but(memory="one\ntwo")]))


def test_unreadable_rows_notes_model_filters_and_odd_names_are_shown():
    before = [memory("a", "x"), memory("b", "y")]
    from memopt.models.base import Usage
    from memopt.plan import Filters

    text = shown(
        plan_of(
            before,
            before[1:],
            user_id="[bold]u\x1b[8m",
            unreadable=(Unreadable("[/bad]\x07", "not JSON: '\x1b'"),),
            notes=("3 undated memories kept",),
            model={"name": "gpt-x", "endpoint": "http://h/v1"},
            usage=Usage(2),
            filters=Filters(topic=("[/t]",)),
        )
    )
    assert "Preview for user [bold]u\\x1b[8m" in text
    assert "1 row could not be read and is left alone:\n  [/bad]\\x07: not JSON: '\\x1b'" in text
    assert "note: 3 undated memories kept" in text
    assert "gpt-x at http://h/v1 (2 requests)" in text
    assert "topic: [/t] (all else is kept)" in text


def test_the_prompt_block_is_the_frameworks_own_before_and_after():
    before = [memory("a", "Likes tea"), memory("b", "Owns\ttwo\ncats")]
    text = shown(plan_of(before, before[1:]), prompt=True)
    old, new = text.split("The prompt block before")[1].split("The prompt block after")
    assert (
        "<memories_from_previous_interactions>\n- Likes tea\n- Owns    two\ncats\n</memories_from_previous_interactions>" in old
    )
    assert "Likes tea" not in new and "- Owns    two\ncats" in new


def test_more_tokens_are_called_more():
    assert saving(100, 125) == "25.0 % more (25 tokens)"
    assert saving(0, 5) == "more (5 tokens)"
    assert saving(7, 7) == "no change"
    assert number(1234567) == "1,234,567"


def test_colour_marks_a_change_without_brackets():
    before = [memory("a", "in Berlin [-x-]")]
    plan = plan_of(before, [before[0].but(memory="in Köln [-x-]")])
    segments = [segment for line in change_lines(plan, 80, colour=True) for segment in line]
    assert ("Berlin", "out") in segments and ("Köln", "in") in segments
