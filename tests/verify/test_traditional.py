"""Traditional characters are compared as simplified ones, and told as they are written."""

from __future__ import annotations

import pytest

from memopt.facts.simplified import simplified
from memopt.memory import UserMemory
from memopt.verify import Verifier, verify


def _check(sources: list[str], rewrite: str):
    return verify([UserMemory(text, memory_id=f"m{at}") for at, text in enumerate(sources)], [UserMemory(rewrite, memory_id="r")])


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["用戶對堅果過敏。"], "用戶有堅果過敏。"),
        (["用戶的爸爸是國中數學老師。"], "用戶父親在國中教數學。"),
        (["用戶每週三晚上學書法。"], "每逢週三晚間，用戶都會學書法。"),
        (["用戶的媽媽住在臺南。", "用戶的弟弟在做護理師。"], "用戶母親住在台南，弟弟是護理師。"),
        (["用户的母亲住在苏州。"], "用戶的媽媽住在蘇州。"),
    ],
)
def test_a_faithful_rewrite_in_traditional_characters_passes(sources: list[str], rewrite: str) -> None:
    report = _check(sources, rewrite)
    assert report.passed, (report.lost, report.invented)


@pytest.mark.parametrize(
    ("sources", "rewrite"),
    [
        (["用戶對堅果過敏。"], "用戶對堅果不過敏。"),
        (["用戶的爸爸是國中數學老師。"], "用戶的媽媽是國中數學老師。"),
        (["用戶養了一隻貓。"], "用戶養了一隻狗。"),
        (["用戶住在臺南。"], "用戶住在高雄。"),
        (["用戶每週三晚上學書法。"], "用戶每週三早上學書法。"),
    ],
)
def test_a_fault_in_traditional_characters_is_found(sources: list[str], rewrite: str) -> None:
    assert not _check(sources, rewrite).passed


def test_the_report_quotes_what_is_written() -> None:
    sources = ["用戶對花生過敏。", "用戶養了三隻烏龜。"]
    rewrite = "用戶對花生過敏。用戶買了一輛摩托車。"
    report = _check(sources, rewrite)
    assert [item.fact for item in report.lost] == ["用戶養了三隻烏龜。"]
    assert "三隻烏龜" in report.lost[0].detail
    assert [item.sentence for item in report.invented] == ["用戶買了一輛摩托車。"]
    assert rewrite[report.invented[0].start : report.invented[0].end] == "用戶買了一輛摩托車。"
    assert all("戶" in item.nearest for item in report.invented if item.nearest)


def test_what_was_lost_of_single_memories_is_told_as_written() -> None:
    sources = [UserMemory("用戶養了三隻烏龜。", memory_id="a"), UserMemory("用戶會說閩南語。", memory_id="b")]
    lost = Verifier(sources).lost_of([UserMemory("用戶會說閩南語。", memory_id="r")], [0, 1])
    assert [item.fact for item in lost] == ["用戶養了三隻烏龜。"]


def test_places_in_a_text_do_not_move_and_japanese_stays() -> None:
    assert simplified("妳的頭髮乾了嗎？著急") == "你的头发乾了吗？着急"
    assert simplified("東京で働いている") == "東京で働いている"
    text = "用戶後來於臺灣學習鋼琴。" * 300
    assert len(simplified(text)) == len(text)
    assert simplified("plain") == "plain"
