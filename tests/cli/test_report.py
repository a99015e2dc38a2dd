"""``--report FILE``: what is in it, for one user and for many, however a run ends; and what it costs a run that it cannot be written."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from html.parser import HTMLParser

import pytest
from support.agnofile import REPO, START, clean_environment, fixture, insert, make_store, row, rows_of, run_memopt
from support.endpoint import Endpoint, say
from support.faults import on_a_full_disk
from support.inprocess import call_memopt
from support.postgres import PASSWORD, database

from memopt.stores import open_store

DEDUPE = ("--all-users", "-s", "dedupe")
NASTY = "<script>alert(1)</script>"
FORMS = ("r.md", "r.html")


@pytest.fixture
def store(tmp_path):
    return make_store(tmp_path / "agno.db", [*rows_of(["ann", NASTY, "cy"]), row("z", "Only one.", user="zoe")], journal="wal")


class Page(HTMLParser):
    """The texts, tags and attributes of a page; a tag that is not closed fails."""

    VOID = ("meta", "link", "rect")

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.texts, self.tags, self.attributes, self._open = [], set(), [], []
        self.feed(text)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in self.VOID or tag == "rect":
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open[-1:] != ["style"]:
            self.texts.append(data)


def told(path):
    """The words of a report, blanks folded."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        page = Page(text)
        assert not page.tags & {"script", "iframe", "img", "object", "form", "a"}
        assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("src", "srcset")]
        assert [value for name, value in page.attributes if name == "href"] == ["data:,"]
        style = text.partition("<style>")[2].partition("</style>")[0]
        assert "url(" not in style and "@import" not in style
        text = " ".join(page.texts)
    return " ".join(text.split())


def optimize(path, *args, **how):
    return call_memopt("optimize", "--db", path, *args, **how)


# -- what is in it -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMS)
def test_the_title_of_a_run_that_did_not_reach_all_says_how_many_it_did(store, tmp_path, name):
    path = tmp_path / name
    done = optimize(store, *DEDUPE, "--apply", "--max-minutes", "0.0000001", "--report", path)
    assert done.returncode == 0 and "Applied to none of 4 users" in told(path)


@pytest.mark.parametrize("name", FORMS)
def test_users_that_no_run_with_this_limit_can_do_are_told(store, tmp_path, name):
    path = tmp_path / name
    with Endpoint(say("no")) as endpoint:
        how = ("-s", "summarize", "--model", "m", "--base-url", endpoint.base_url, "--price", "1/1", "--max-cost", "0.0000001")
        done = optimize(store, "--all-users", *how, "--apply", "--report", path)
    assert done.returncode == 0 and not endpoint.requests
    assert "3 users not tried; no run with this limit can do 3 of them" in told(path)
    assert "the next run does the rest" not in told(path)


@pytest.mark.parametrize("name", FORMS)
def test_a_run_over_many_users_is_summed_up(store, tmp_path, name):
    path = tmp_path / name
    done = optimize(store, *DEDUPE, "--apply", "--max-drop", "50%", "--report", path, "--log", tmp_path / "l.jsonl")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = told(path)
    log = {e["user_id"]: e for e in map(json.loads, (tmp_path / "l.jsonl").read_text().splitlines())}
    before = sum(item["tokens"]["before"]["prompt"] for item in log.values())
    after = sum(item["tokens"]["after"]["prompt"] for item in log.values())
    assert "Applied to 4 users" in text and str(store) in text and "dedupe" in text and "max-drop" in text
    for figure in (before, after, f"−{before - after}", 7, 4):
        assert f" {figure} " in f" {text} ", figure
    for user in ("ann", NASTY, "cy", "zoe"):
        assert user in text
    assert re.search(r"3 (users: )?applied", text) and re.search(r"1 (user: )?nothing to do", text)
    assert "bicycle" not in text and "Only one" not in text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(item.name for item in tmp_path.iterdir()) == sorted(["agno.db", "l.jsonl", name])


def test_a_user_called_like_markup_stays_text(store, tmp_path):
    optimize(store, *DEDUPE, "--report", tmp_path / "r.html", "--report", tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    assert "<script" not in text and "&lt;script&gt;" in text
    assert "default-src 'none'" in text
    evil = make_store(
        tmp_path / "e.db",
        rows_of(["a|b", "`x`", "[l](http://h)", "x\u202ey", "l\nm", '"><b onload=x>', "@everyone", "<!--", "``", " "]),
    )
    optimize(evil, *DEDUPE, "--report", tmp_path / "e.md")
    optimize(evil, *DEDUPE, "--report", tmp_path / "e.html")
    shown = told(tmp_path / "e.html")
    assert '"><b onload=x>' in shown and "x\\u202ey" in shown and "l\\x0am" in shown and "<!--" in shown
    table = re.search(r"## Users\n\n(.*?)\n\n", (tmp_path / "e.md").read_text(), re.DOTALL)[1].splitlines()
    assert len(table) == 12
    for line in table:  # every row has its seven cells, whatever stands in the first
        assert len(re.split(r"(?<!\\)\|", line)) == 9, line
    assert any("`` `x` ``" in line for line in table) and any("``` `` ```" in line for line in table)
    assert any("`[l](http://h)`" in line for line in table) and any("`@everyone`" in line for line in table)


@pytest.mark.parametrize("name", FORMS)
def test_what_was_refused_or_failed_is_told_by_reason(tmp_path, name):
    path = make_store(tmp_path / "a.db", rows_of([f"u{n}" for n in range(9)], copies=4) + rows_of(["ok"]))
    with closing(sqlite3.connect(path)) as agent, agent:
        agent.execute("UPDATE agno_memories SET memory = '42' WHERE memory_id IN ('u1-0', 'ok-0', 'ok-1')")
    done = optimize(path, *DEDUPE, "--max-drop", "2", "--apply", "--report", tmp_path / name)
    assert done.returncode == 7
    text = told(tmp_path / name)
    assert "9 of 10 users failed" in text and "3 of 4 memories (75%) would be dropped, more than --max-drop 2 allows" in text
    assert re.search(r"8 .*u0.*u2.* and 3 more|u0.*u2.* and 3 more", text)
    assert "none of the user's 2 rows can be read" in text and "memory is a number" in text
    assert "3 rows could not be decoded and were left alone" in text and "failed (refused)" in text


@pytest.mark.parametrize("name", FORMS)
def test_growth_since_the_last_runs_is_told(store, tmp_path, name):
    optimize(store, *DEDUPE, "--apply")
    with closing(sqlite3.connect(store)) as agent, agent:
        agent.execute("UPDATE memopt_journal SET at = '2026-01-02T03:30:00Z'")
        insert(agent, [row("new", "Has a cat now.", user="ann", at=START + 5)])
        insert(agent, [row("new2", "Has a cat now.", user="ann", at=START + 6)])
    last = {run.user_id: run.after.prompt for run in open_store(str(store)).history()}
    done = optimize(store, *DEDUPE, "--apply", "--report", tmp_path / name, "--json")
    (ann,) = (item for item in json.loads(done.stdout)["users"] if item["user_id"] == "ann")
    now = ann["tokens"]["before"]["prompt"]
    text = told(tmp_path / name)
    grown, total = now - last["ann"], sum(last.values())
    assert f"The last runs of 3 users left {total} tokens together (2026-01-02); before this one it was {total + grown}" in text
    assert f"+{grown}" in text and "2026-01-02" in text
    saved = now - ann["tokens"]["after"]["prompt"]
    today = open_store(str(store)).history()[0].to_dict()["at"][:10]
    assert re.search(rf"{today}\D+(1 )?{saved}\b", text)


def test_runs_that_counted_otherwise_tell_nothing_about_growth(store, tmp_path):
    optimize(store, *DEDUPE, "--apply", "--encoding", "cl100k_base")
    optimize(store, *DEDUPE, "--force", "--report", tmp_path / "r.md")
    text = told(tmp_path / "r.md")
    assert "since the last run" not in text.lower() and "by day" not in text


def test_only_the_most_relevant_users_stand_in_the_table(tmp_path):
    users = [f"user-{number:04}" for number in range(400)]
    path = make_store(tmp_path / "a.db", rows_of(users) + rows_of(["big"], copies=9) + rows_of(["same"], copies=1))
    optimize(path, *DEDUPE, "--report", tmp_path / "r.md", "--log", tmp_path / "all.jsonl")
    optimize(path, *DEDUPE, "--report", tmp_path / "r.html")
    text = (tmp_path / "r.md").read_text()
    rows = re.findall(r"^\| `(.+?)` \| to change", text, re.MULTILINE)
    assert len(rows) == 50 and rows[0] == "big" and "same" not in rows
    assert f"and 352 more users: see {tmp_path / 'all.jsonl'}" in text.replace("\\", "")
    assert "and 352 more users: --log FILE lists every user" in told(tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size < 60_000


@pytest.mark.parametrize("name", FORMS)
def test_users_that_failed_stand_first_with_the_reason(tmp_path, name):
    fine = [f"user-{number:03}" for number in range(60)]
    refused = [f"over-{number}" for number in range(3)]
    rows = rows_of(fine) + [line for place, user in enumerate(refused) for line in rows_of([user], copies=4 + place)]
    path = make_store(tmp_path / "a.db", [*rows, row("broken", None, user="bad", memory="42")])
    assert optimize(path, *DEDUPE, "--max-drop", "1", "--report", tmp_path / name).returncode == 7
    text = told(tmp_path / name)
    raw = (tmp_path / name).read_text()
    cells = re.findall(r'<tr( class="failed")?><td class="wide"[^>]*><bdi>((?:user|over|bad)[^<]*)', raw)
    listed = [user for _, user in cells] or re.findall(r"^\| `((?:user|over|bad)[^`]*)`", raw, re.MULTILINE)
    assert listed[-50:] == ["over-2", "over-1", "over-0", "bad", *fine[:46]]
    for number in (3, 4, 5):
        assert f"{number} of {number + 1} memories" in text  # each with its own reason
    assert "the user's only row cannot be read: broken: memory is a number" in text
    assert "user-009" in (text.partition("Before and after")[2] if name == "r.html" else text.partition("Tokens before (")[2])


def test_the_options_and_the_model_are_told_and_secrets_are_not(tmp_path):
    path = make_store(
        tmp_path / "a.db",
        [row(f"a{n}", f"User {t}.", user="ann", at=START + n) for n, t in enumerate(("likes tea", "has a dog"))],
    )
    with Endpoint(say("User likes tea and has a dog.", usage={"prompt_tokens": 400, "completion_tokens": 20})) as endpoint:
        flags = ("--model", "gpt-x", "--base-url", endpoint.base_url, "--price", "1/2", "--max-requests", "9")
        done = optimize(
            path, "--all-users", "-s", "summarize", *flags, "--report", tmp_path / "r.md", env={"OPENAI_API_KEY": "k" * 24}
        )
    assert done.returncode == 0, done.stderr
    text = told(tmp_path / "r.md")
    assert "gpt-x at http://127.0.0.1" in text and "1 request, 400 + 20 tokens, cost 0.00044" in text
    assert "max-requests: `9`" in text and "k" * 24 not in text
    assert "Rewritten memories stood for" in text and "none was lost" in text
    forget = make_store(
        tmp_path / "f.db", [row("p", "Her phone number is +49 30 1234567.", user="ann"), row("q", "Likes tea.", user="ann")]
    )
    done = optimize(forget, "--user", "ann", "-s", "forget", "-o", "about=phone number", "--report", tmp_path / "f.md")
    assert done.returncode == 0, done.stderr
    assert "about=[not shown]" in told(tmp_path / "f.md") and "phone" not in told(tmp_path / "f.md")


@pytest.mark.parametrize("name", FORMS)
def test_what_an_error_quotes_of_a_memory_is_left_out(tmp_path, name):
    path = make_store(
        tmp_path / "a.db",
        [
            row(f"a{n}", f"User {t}.", user="ann", at=START + n)
            for n, t in enumerate(("is allergic to peanuts", "has a dog called Rex"))
        ],
    )
    with Endpoint(say("The user has a dog called Rex.")) as endpoint:
        flags = ("--model", "m", "--base-url", endpoint.base_url, "--on-loss", "fail")
        for who in (("--user", "ann"), ("--all-users",)):
            done = optimize(path, *who, "-s", "summarize", *flags, "--report", tmp_path / name)
            assert done.returncode in (4, 7) and "peanuts" in done.stderr
            text = told(tmp_path / name)
            assert "loses 1 of" in text and "peanuts" not in text and "what it quotes is left out" in text


# -- one user, and plans -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORMS)
def test_one_users_run_has_a_report_too(tmp_path, name):
    path = fixture("agno_v3.db", tmp_path)
    report = tmp_path / name
    assert optimize(path, "--user", "u2", "-s", "dedupe", "--report", report).returncode == 0
    assert (
        re.search("Preview for user `?u2", told(report))
        and "712" in told(report)
        and "686" in told(report)
        and "to change" in told(report)
    )
    assert optimize(path, "--user", "u2", "-s", "dedupe", "--apply", "--report", report).returncode == 0
    assert re.search("Applied to user `?u2", told(report)) and "40" in told(report) and "37" in told(report)
    assert optimize(path, "--no-user", "-s", "dedupe", "--report", report).returncode == 0
    assert "(rows without a user)" in told(report)


def test_a_refused_plan_is_a_refusal_in_the_report(store, tmp_path):
    done = optimize(store, "--user", "ann", "-s", "dedupe", "--max-drop", "0", "--apply", "--report", tmp_path / "r.md")
    assert done.returncode == 4
    text = told(tmp_path / "r.md")
    assert "1 of 1 user failed" in text and "more than --max-drop 0 allows" in text and "failed (refused)" in text


def test_plans_that_were_kept_are_summed_up_when_they_are_written(store, tmp_path):
    one, folder = tmp_path / "one.json", tmp_path / "plans"
    optimize(store, "--user", "ann", "-s", "dedupe", "--out", one)
    optimize(store, *DEDUPE, "--out", folder, "--report", tmp_path / "kept.md")
    assert f"plans: `{folder}`" in told(tmp_path / "kept.md") and "Preview of 4 users" in told(tmp_path / "kept.md")
    assert call_memopt("apply", one, "--report", tmp_path / "one.md").returncode == 0
    assert "Applied to user `ann`" in told(tmp_path / "one.md") and "strategy: `dedupe`" in told(tmp_path / "one.md")
    assert call_memopt("apply", one, "--report", tmp_path / "one.md").returncode == 5
    assert "failed (conflict)" in told(tmp_path / "one.md")
    assert call_memopt("apply", folder, "--report", tmp_path / "all.html").returncode == 7
    text = told(tmp_path / "all.html")
    assert (
        "Applied to 2 of 3 users" in text and "dedupe" in text and "1 of 3 users failed" in text and "failed (conflict)" in text
    )


def test_a_policy_that_is_not_due_says_that_there_was_nobody_to_do(store, tmp_path):
    (tmp_path / "memopt.toml").write_text('[policies.p]\nusers = ["*"]\nwhen = "memories > 99"\nstrategies = ["dedupe"]\n')
    done = optimize(store, "--user", "ann", "--policy", "p", "--report", "r.md", cwd=tmp_path)
    assert done.returncode == 0 and "there was nobody to do" in told(tmp_path / "r.md")


# -- however it ends ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "kill"), reason="needs signals")
@pytest.mark.parametrize("name", FORMS)
def test_an_interrupted_run_leaves_its_report(tmp_path, name):
    users = [f"user-{place:03d}" for place in range(400)]
    path = make_store(tmp_path / "a.db", rows_of(users))
    log, report = tmp_path / "log.jsonl", tmp_path / name
    words = ("optimize", "--db", path, *DEDUPE, "--apply", "--log", log, "--report", report)
    process = subprocess.Popen(
        [sys.executable, "-m", "memopt", *map(str, words)], env=clean_environment(), stderr=subprocess.PIPE
    )
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until and not (log.exists() and log.read_bytes().count(b"\n") >= 20):
        time.sleep(0.002)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 130
    text = told(report)
    applied = len(open_store(str(path)).history())
    assert re.search(rf"\b{applied} (users: )?applied", text) and re.search(rf"\b{400 - applied} (users: )?not tried", text)
    assert (
        text.lower().count("interrupted; what was done is written") == 1
        and "interrupted:" not in text.lower()
        and text.count("the next run does the rest") == 1
    )


def test_a_limit_ends_a_run_in_good_order_and_the_report_says_so(tmp_path):
    path = make_store(
        tmp_path / "a.db",
        [row(f"{u}{n}", f"User {t}.", user=u, at=START + n) for u in "abc" for n, t in enumerate(("likes tea", "has a dog"))],
    )
    with Endpoint(say("User likes tea and has a dog.")) as endpoint:
        flags = ("--model", "m", "--base-url", endpoint.base_url, "--max-requests", "2", "--concurrency", "1")
        done = optimize(path, "--all-users", "-s", "summarize", *flags, "--apply", "--report", tmp_path / "r.md")
    assert done.returncode == 0
    text = told(tmp_path / "r.md")
    assert "ended by a limit: 2 requests are sent" in text and "1 user not tried; the next run does the rest" in text


def test_ctrl_c_while_one_user_waits_for_a_model_leaves_a_report(store, tmp_path):
    with Endpoint(say("x", delay=30)) as endpoint:
        words = (
            "optimize",
            "--db",
            store,
            "--user",
            "ann",
            "-s",
            "summarize",
            "--model",
            "m",
            "--base-url",
            endpoint.base_url,
            "--report",
            tmp_path / "r.md",
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "memopt", *map(str, words)],
            env=clean_environment(OPENAI_API_KEY="k" * 24),
            stderr=subprocess.PIPE,
        )
        until = time.monotonic() + 60
        while not endpoint.requests and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted" in told(tmp_path / "r.md") and "1 user: not tried" in told(tmp_path / "r.md")


# -- when it cannot be written -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("r.txt", r"\.md for Markdown, \.html"),
        ("report", r"\.md for Markdown, \.html"),
        ("missing/r.md", "does not exist"),
        ("folder.md", "is a directory"),
        ("store.html", "is a database"),
        ("", "--report is empty"),
        ("-", "takes the path of a file"),
    ],
)
@pytest.mark.parametrize("who", [("--all-users",), ("--user", "ann")])
def test_a_place_that_takes_no_report_is_told_before_anything_is_done(store, tmp_path, who, name, said):
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "store.html").write_bytes(store.read_bytes())
    before = {item.name for item in tmp_path.iterdir()}
    done = optimize(
        store, *who, "-s", "dedupe", "--apply", "--report", str(tmp_path / name) if name.strip("-") else name, cwd=tmp_path
    )
    assert done.returncode == 2 and re.search(said, done.stderr), done.stderr
    assert {item.name for item in tmp_path.iterdir()} == before and not open_store(str(store)).history()


def test_a_usage_error_leaves_no_report(store, tmp_path):
    for args in (("--users", "nobody*", "-s", "dedupe"), (*DEDUPE, "--shard", "3"), ("--user", "nobody", "-s", "dedupe")):
        assert optimize(store, *args, "--report", tmp_path / "r.md").returncode == 2
        assert not (tmp_path / "r.md").exists()


def test_a_store_that_is_locked_is_told_in_the_report(tmp_path):
    path = make_store(tmp_path / "a.db", rows_of(["ann"]), journal="delete")
    agent = sqlite3.connect(path, isolation_level=None)
    agent.execute("BEGIN IMMEDIATE")
    done = optimize(path, *DEDUPE, "--apply", "--lock-timeout", "0.1", "--report", tmp_path / "r.md")
    agent.close()
    assert done.returncode == 6
    assert "ended early" in told(tmp_path / "r.md") and "is locked by another process" in told(tmp_path / "r.md")


@pytest.mark.parametrize("name", FORMS)
def test_a_store_that_cannot_be_opened_is_told_in_report_and_log(tmp_path, name):
    path = make_store(tmp_path / "a.db", rows_of(["ann"]), journal="delete")
    optimize(path, *DEDUPE, "--out", tmp_path / "plans")
    optimize(path, "--user", "ann", "-s", "dedupe", "--out", tmp_path / "plan.json")
    agent = sqlite3.connect(path, isolation_level=None)
    agent.execute("BEGIN EXCLUSIVE")
    how = ("--lock-timeout", "0.1", "--report", tmp_path / name)
    for number, args in enumerate(
        (
            ("optimize", "--db", path, *DEDUPE, "--apply", "--log", tmp_path / "l.jsonl"),
            ("optimize", "--db", path, "--user", "ann", "-s", "dedupe"),
            ("apply", tmp_path / "plans", "--log", tmp_path / "l.jsonl"),
            ("apply", tmp_path / "plan.json"),
        )
    ):
        done = call_memopt(*args, *how)
        assert done.returncode == 6 and done.stderr.count("\n") == 1, (number, done.stderr)
        text = told(tmp_path / name)
        assert "nded early" in text and "is locked by another process" in text and "a.db" in text, number
        (tmp_path / name).unlink()
    agent.close()
    events = [json.loads(line) for line in (tmp_path / "l.jsonl").read_text().splitlines()]
    assert [(each["event"], each["apply"], each["error"]["kind"]) for each in events] == [("error", True, "locked")] * 2


def test_a_store_that_is_not_there_is_told_and_a_password_is_not(tmp_path):
    gone = optimize(tmp_path / "gone.db", *DEDUPE, "--report", tmp_path / "r.md")
    assert gone.returncode == 6 and "there is no such file" in told(tmp_path / "r.md")
    for args in (DEDUPE, ("--user", "ann", "-s", "dedupe")):
        address = "postgresql://ann:geheim@127.0.0.1:1/x?sslpassword=geheim"
        done = optimize(address, *args, "--report", tmp_path / "p.html", "--json")
        assert done.returncode == 6
        assert "127.0.0.1:1" in told(tmp_path / "p.html")
        assert "geheim" not in (tmp_path / "p.html").read_text() + done.stdout + done.stderr


@pytest.mark.parametrize("name", FORMS)
def test_the_report_of_a_preview_says_that_nothing_was_written(store, tmp_path, name):
    for who in (("--all-users",), ("--user", "ann")):
        assert optimize(store, *who, "-s", "dedupe", "--report", tmp_path / name).returncode == 0
        assert "nothing was written to the store" in told(tmp_path / name)
    done = optimize(store, *DEDUPE, "--max-drop", "0", "--report", tmp_path / name)
    assert done.returncode == 7 and "failed; this is a preview, and nothing was written" in told(tmp_path / name)
    for who in (("--user", "cy"), ("--all-users",)):
        assert optimize(store, *who, "-s", "dedupe", "--apply", "--report", tmp_path / name).returncode == 0
        assert "verything was done" in told(tmp_path / name) and "nothing was written" not in told(tmp_path / name)


def test_growth_is_told_of_users_that_wait_for_a_model_and_of_plans_that_were_kept(tmp_path):
    facts = ("likes tea", "has two cats", "works in Bern")
    rows = [row(f"{u}{n}", f"User {fact}.", user=u, at=START + n) for u in "abc" for n, fact in enumerate(facts)]
    path = make_store(tmp_path / "a.db", rows)
    optimize(path, "--all-users", "-s", "recent", "-o", "keep=2", "--apply")
    with Endpoint(say("User has two cats and works in Bern.")) as endpoint:
        flags = ("-s", "summarize", "--model", "m", "--base-url", endpoint.base_url, "--concurrency", "3")
        done = optimize(path, "--all-users", *flags, "--out", tmp_path / "plans", "--report", tmp_path / "r.md")
        assert done.returncode == 0, done.stderr
    assert "The last runs of 3 users left" in told(tmp_path / "r.md")
    assert call_memopt("apply", tmp_path / "plans", "--report", tmp_path / "a.md").returncode == 0
    assert "The last runs of 3 users left" in told(tmp_path / "a.md") and "no change" in told(tmp_path / "a.md")


def test_it_is_neither_the_log_nor_a_dry_request(store, tmp_path):
    same = tmp_path / "x.md"
    assert optimize(store, *DEDUPE, "--log", same, "--report", same).returncode == 2
    done = optimize(
        store,
        "--user",
        "ann",
        "-s",
        "summarize",
        "--model",
        "m",
        "--base-url",
        "http://127.0.0.1:9",
        "--dry-request",
        "--report",
        same,
    )
    assert done.returncode == 2 and "--report sums up a run" in done.stderr


GONE = """
import os, shutil
from memopt import MemoryOptimizationStrategy
class Gone(MemoryOptimizationStrategy):
    '''Keep one, and take the report's folder away meanwhile.'''
    name = "gone"
    summary = "keep one"
    def steps(self, memories):
        shutil.rmtree(os.environ["MEMOPT_TEST_FOLDER"], ignore_errors=True)
        return memories[:1]
"""


@pytest.mark.parametrize("who", [("--all-users",), ("--user", "ann")])
def test_a_report_that_is_lost_on_the_way_loses_nothing_of_the_run(store, tmp_path, who):
    (tmp_path / "gone.py").write_text(GONE)
    folder = tmp_path / "reports"
    folder.mkdir()
    done = call_memopt(
        "optimize", "--db", store, *who, "-s", f"{tmp_path / 'gone.py'}:Gone", "--apply", "--json", "--report", folder / "r.html",
        env={"MEMOPT_TEST_FOLDER": str(folder)},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "there is no report" in done.stderr and "could not be written" in done.stderr
    document = json.loads(done.stdout)
    written = {run.run_id for run in open_store(str(store)).history()}
    assert written and written == (
        {document["applied"]} if "--user" in who else {u["run"] for u in document["users"] if u["run"]}
    )


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on the size of files")
def test_on_a_full_disk_the_old_report_stays_and_the_plan_is_shown(tmp_path):
    store = make_store(tmp_path / "a.db", rows_of(["ann"]))  # without a WAL it is read in place
    report = tmp_path / "r.html"
    report.write_text("# memopt: yesterday")
    done = on_a_full_disk(3_000, "optimize", "--db", store, "--user", "ann", "-s", "dedupe", "--report", report)
    assert done.returncode == 1 and "nothing was written; --apply writes it" in done.stdout
    assert "there is no report" in done.stderr and "File too large" in done.stderr and "Traceback" not in done.stderr
    assert report.read_text() == "# memopt: yesterday" and not list(tmp_path.glob(".memopt*"))


def test_an_old_report_stays_until_the_new_one_is_whole(store, tmp_path):
    report = tmp_path / "r.md"
    report.write_text("# memopt: yesterday")
    assert optimize(store, *DEDUPE, "--max-minutes", "x", "--report", report).returncode == 2
    assert report.read_text() == "# memopt: yesterday"
    assert optimize(store, *DEDUPE, "--report", report).returncode == 0
    assert "Preview of 4 users" in report.read_text()
    assert not list(tmp_path.glob(".memopt*"))


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss in kB")
def test_a_report_keeps_no_users_in_memory(tmp_path):
    code = (
        "import resource, sys, time\n"
        "from memopt.fleet import Outcome, Status, Summary\n"
        "from memopt.plan import StoreRef\n"
        "from memopt.report import About, Collector, render\n"
        "from memopt.tokens import TokenFigures\n"
        "summary, collector = Summary(), Collector('o200k_base')\n"
        "def add(numbers):\n"
        "    for n in numbers:\n"
        "        outcome = Outcome(f'user-{n}', Status.CHANGED, TokenFigures(9, 90 + n % 7, 100 + n % 77), TokenFigures(4, 40, 50), notes=('x' * 500 + str(n),))\n"
        "        summary.add(outcome); collector.add(outcome)\n"
        "add(range(1000))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "add(range(1000, 100_000))\n"
        "text = render(collector.report(About(StoreRef('k', 'l', 't'), 'preview', 'o200k_base', 0.0), summary, 1.0), '.html')\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, len(text), 'and 99,950 more users' in text)"
    )
    done = subprocess.run([sys.executable, "-c", code], env=clean_environment(), capture_output=True, text=True, check=True)
    grown, size, more = done.stdout.split()
    assert int(grown) < 3_000 and int(size) < 80_000 and more == "True"


# -- Postgres ----------------------------------------------------------------------------------------------------------


def test_no_password_of_postgres_is_in_it(tmp_path):
    with database() as db:
        db.make(rows_of(["ann", "bob"]))
        for _ in range(2):
            done = call_memopt("optimize", "--db", db.url, *DEDUPE, "--apply", "--force", "--report", tmp_path / "r.html")
            assert done.returncode == 0, done.stderr
        text = told(tmp_path / "r.html")
        assert f"127.0.0.1:{db.server.port}/{db.name}" in text and "ai.agno_memories" in text
        assert "The last runs of 2 users left" in text
        raw = (tmp_path / "r.html").read_text()
        assert PASSWORD not in raw and "s3cret" not in raw


def test_a_real_process_writes_it_beside_what_it_prints(store, tmp_path):
    done = run_memopt("optimize", "--db", store, *DEDUPE, "--report", "r.md", cwd=tmp_path)
    assert done.returncode == 0 and "Preview of 4 users" in done.stdout and done.stderr == ""
    assert "Preview of 4 users" in told(tmp_path / "r.md")


@pytest.mark.parametrize("page", ["report.md", "doctor.md"])
def test_what_the_pages_on_it_show_runs(tmp_path, page):
    path = fixture("agno_v3.db", tmp_path)
    optimize(path, *DEDUPE, "--out", tmp_path / "plans")
    text = (REPO / "docs" / page).read_text(encoding="utf-8")
    commands = [line for block in re.findall(r"```\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    assert len(commands) == 4
    for line in commands:
        words = shlex.split(line.split("   #")[0])
        assert words.pop(0) == "memopt"
        done = call_memopt(*words, env={"MEMOPT_DB": str(path)}, cwd=tmp_path)
        assert done.returncode in (0, 3) or "apply" in words, (line, done.stderr)
        if "--report" in words:
            assert (tmp_path / words[-1]).stat().st_size > 500
