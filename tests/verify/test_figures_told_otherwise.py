"""Figures, currencies, days and names as they stand in Chinese and in other countries, told in another form."""

from __future__ import annotations

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def clean(source: str, rewrite: str) -> bool:
    report = verify([UserMemory(source, memory_id="a")], [UserMemory(rewrite, memory_id="z")])
    return not report.lost and not report.invented


@pytest.mark.parametrize(
    ("source", "rewrite", "wrong"),
    [
        ("店面月租9万6千日元。", "店面每月租金9.6万日元。", "店面每月租金9.5万日元。"),
        ("工程预算1亿2000万元。", "工程预算1.2亿元。", "工程预算1.3亿元。"),
        ("摩托车花了2万3千5百块。", "摩托车花了23500元。", "摩托车花了23600元。"),
        ("Ola's kayak cost 5,300 kronor.", "Ola's kayak cost SEK 5,300.", "Ola's kayak cost NOK 5,300."),
        ("Rent is 900 francs.", "Rent is CHF 900.", "Rent is CHF 950."),
        ("A tram pass costs 110 zloty.", "A tram pass costs PLN 110.", "A tram pass costs CZK 110."),
        ("学费每学期300新元。", "每学期学费300新加坡元。", "每学期学费300泰铢。"),
        ("林芳在书店打工，每周四天。", "林芳每周在书店打四天工。", "林芳每周四在书店打工。"),
        ("贾明每周三居家办公。", "贾明周三居家办公。", "贾明周四居家办公。"),
        ("后端由贺兰负责，测试由Tom负责。", "贺兰管后端，Tom管测试。", "贺竹管后端，Tom管测试。"),
        ("郑凯对花粉过敏，但仍养花。", "郑凯虽对花粉过敏，却仍养花。", "郑平虽对花粉过敏，却仍养花。"),
    ],
)
def test_a_figure_or_name_passes_in_another_form_and_not_with_another_value(source: str, rewrite: str, wrong: str) -> None:
    assert clean(source, rewrite)
    assert not clean(source, wrong)


@pytest.mark.parametrize(
    ("source", "rewrite", "wrong"),
    [
        (
            "Mara's new number is 555 0102; the old one is dead.",
            "Mara's old number is dead; her new number is 555 0102.",
            "Mara's new number is dead; her old number is 555 0102.",
        ),
        (
            "Ivo's new e-mail is ivo@example.com; the old one is closed.",
            "Ivo's old e-mail is closed; his new address is ivo@example.com.",
            "Ivo's old e-mail is ivo@example.com; his new one is closed.",
        ),
    ],
)
def test_the_other_one_is_known_in_whatever_order_both_are_told(source: str, rewrite: str, wrong: str) -> None:
    assert clean(source, rewrite)
    assert not clean(source, wrong)
