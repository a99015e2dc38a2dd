"""The verifier on the ways in which large models put facts anew, and on the same with something changed."""

import pytest

from memopt.memory import UserMemory
from memopt.verify import verify


def check(sources, rewrite):
    memories = [UserMemory(text, memory_id=f"m{at}", updated_at=1_750_000_000) for at, text in enumerate(sources)]
    return verify(memories, [UserMemory(rewrite, memory_id="r")])


FAITHFUL = [
    (["User is afraid of heights."], "Heights scare the user."),
    (["User keeps fit with judo."], "Judo keeps the user fit."),
    (["User hates phone calls and prefers email."], "Email is preferred; phone calls are disliked."),
    (["User should spend at most 30 minutes on it."], "The user must not spend longer than half an hour on it."),
    (["User uses VS Code."], "VSCode is used by the user."),
    (["User's personal best is 3:28."], "The user has a PB of 3:28."),
    (["User is not allowed to eat grapefruit."], "Grapefruit is off limits for the user."),
    (["User never works on Sundays."], "The user does not work on Sunday."),
    (["User lives in Oslo.", "User works as a nurse."], "The user is an Oslo-based nurse."),
    (["User can't swim."], "The user is unable to swim."),
    (["User has a cat.", "User hates mushrooms.", "User loves ramen."], "The user can't stand mushrooms, adores ramen and has a cat."),
    (["User prefers tabs over spaces."], "The user indents with tabs, not spaces."),
    (["User has two flatmates, Max and Felix."], "Max and Felix are the user's flatmates."),
    (["用户住在杭州。"], "用户目前居住在杭州。"),
    (["用户不喝酒，也不抽烟。"], "用户烟酒不沾。"),
    (["用户对花生过敏。"], "用户不能吃花生，会过敏。"),
    (["用户是摄影师。"], "用户从事摄影工作。"),
    (["用户的车是特斯拉。"], "用户的车是一辆 Tesla。"),
    (["用户预算300万。"], "用户的预算为三百万元。"),
]  # fmt: skip


@pytest.mark.parametrize(("sources", "rewrite"), FAITHFUL)
def test_a_free_paraphrase_raises_no_alarm(sources, rewrite):
    report = check(sources, rewrite)
    assert not report.lost
    assert not report.invented


CHANGED = [
    ["User is allergic to penicillin and carries an EpiPen."], "Penicillin is avoided because of an allergy; an EpiPen is not carried."
], [
    ["User is not allowed to eat grapefruit."], "Grapefruit is not off limits for the user."
], [
    ["User quit smoking in January 2020."], "User is not a former smoker who stopped in January 2020."
], [
    ["User spends at most 60 euros a week."], "User spends at least 60 euros a week."
], [
    ["User likes fish and does not eat meat."], "User does not like fish and does not eat meat."
], [
    ["User's p95 latency is 845 ms."], "User's p95 latency is not 845 ms."
], [
    ["User likes tea."], "User likes tea. User can't swim."
], [
    ["User has a son named Leo."], "User has a daughter named Leo."
], [
    ["User moved to the city in 2019.", "User stopped eating meat in May 2021."],
    "The user moved to the city in May 2021. The user stopped eating meat in 2019.",
], [
    ["User accepted the offer; starts on 1 August 2025.", "User's birthday is on 17 July 1991; likes cake."],
    "User accepted the offer; starts on 17 July 1991\nUser's birthday is on 1 August 2025; likes cake",
], [
    ["用户对花生过敏。"], "用户没有花生过敏。"
], [
    ["用户喜欢喝茶。"], "用户喜欢喝茶。用户会弹钢琴。"
]  # fmt: skip


@pytest.mark.parametrize(("sources", "rewrite"), CHANGED)
def test_a_change_inside_a_free_paraphrase_is_found(sources, rewrite):
    report = check(sources, rewrite)
    assert report.lost or report.invented


def test_a_sentence_about_the_user_borrows_nothing_from_the_one_before_it():
    report = check(["Tom has a boat in Kiel.", "User has a house."], "Tom has a boat. The user has a house in Kiel.")
    assert report.lost


def test_a_name_in_another_writing_is_the_same_name_but_no_other():
    assert check(["User studies at 浙江大学."], "The user studies at 浙大.").passed
    assert not check(["User studies at 浙江大学."], "The user studies at 北大.").passed
