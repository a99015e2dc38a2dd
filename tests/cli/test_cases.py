"""Inputs that broke other tools, and their cousins, through real processes."""

import json
import os
import re
import subprocess
import sys

import pytest
from support.agnofile import clean_environment, dump, make_store, many, memopt_json, records, row, run_memopt
from support.inprocess import call_memopt

BAD_BYTES = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf")
MEMOPT = (sys.executable, "-m", "memopt")


def raw(*args, env=None, **options):
    return subprocess.run(
        [*MEMOPT, *args],
        env=clean_environment(**(env or {})), stdin=subprocess.DEVNULL, capture_output=True, timeout=60, **options,
    )  # fmt: skip


def looks(store, user, keep="1"):
    """Every command that shows something of a user."""
    yield "users", "--db", str(store)
    yield "show", "--db", str(store), "--user", user, "--prompt"
    yield "optimize", "--db", str(store), "--user", user, "-s", "recent", "-o", f"keep={keep}", "--prompt"
    yield "optimize", "--db", str(store), "--user", user, "-s", "dedupe", "--prompt", "--full"


# Markup: brackets and colons are what they are.

MARKUP = ("Closes tags with [/b] and [/]", "Route is src/[id].tsx, list a[red]b", "Says :smile: and [link=http://x]y[/link]",
          "[bold red on blue]x", "\\[escaped]", "[@click=app.bell]z", "{curly} %s $HOME `x`")  # fmt: skip


def test_brackets_and_emoji_codes_are_printed_literally(tmp_path):
    rows = [row(f"[/m{i}]", text, at=1767258000 + i, topics=["[/t]", ":tada:"]) for i, text in enumerate(MARKUP)]
    rows.append(row("[/m]", "x", user="[bold]u9[/bold]", topics=["[/t]"]))
    store = make_store(tmp_path / "[red]db[bold].db", rows)
    for command in looks(store, "u1"):
        done = run_memopt(*command)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        assert "[red]db[bold].db" in done.stdout
    shown = run_memopt("show", "--db", store, "--user", "u1").stdout
    assert all(text in shown for text in (*MARKUP, "[/m0]", "[/t], :tada:"))
    plan = run_memopt(*list(looks(store, "u1"))[2]).stdout
    assert all(text in plan for text in MARKUP)
    for command in looks(store, "[bold]u9[/bold]"):
        assert "[bold]u9[/bold]" in call_memopt(*command).stdout


def test_brackets_in_an_error_are_printed_literally(tmp_path):
    store = make_store(tmp_path / "agno.db", [row("a", "x", user="[/zz")])
    for args in (
        ["show", "--user", "[/zz]"],
        ["users", "--table", "[/t]"],
        ["undo", "[/r]"],
        ["optimize", "--user", "[/zz", "-s", "[/s]"],
    ):
        done = run_memopt(*args, "--db", store)
        assert done.returncode == 2, done.stderr
        assert args[-1] in done.stderr or args[0] == "undo"
        assert "Traceback" not in done.stderr and "MarkupError" not in done.stderr


# Terminal escapes: shown, never sent.

ESCAPES = (
    "hi\x1b]0;pwned\x07\x1b[2J\x1b[1A OK",
    "\x1b]52;c;ZXZpbA==\x07",
    "a\rb\b\x85c\u202edcba",
    "\x9b31mred\x7f",
    "a\u200bb\u2066c\u2069",
    "line\u2028sep\ufeff",
    "\x1bPq\x1b\\",
    "\x0e\x0f\x18\x1a",
    "nul\x00byte",
)


@pytest.fixture
def escapes(tmp_path):
    rows = [row(f"e\x1b[3{i}m\u202e", text, at=1767258000 + i) for i, text in enumerate(ESCAPES)]
    rows.append(row("x\x1b[31m", "id", user="u\x1b[8m", topics=["t\x1b[5m\n"], agent_id="g\x07"))
    rows.append(row("broken\x1b[1m", None, memory="not json \x1b]0;x\x07"))
    return make_store(tmp_path / "esc\x1b[7m.db", rows)


def test_no_escape_reaches_a_pipe(escapes):
    for command in looks(escapes, "u1"):
        done = raw(*command)
        assert done.returncode == 0, done.stderr
        assert not BAD_BYTES.search(done.stdout), command
        assert not BAD_BYTES.search(done.stderr), command
    for command in looks(escapes, "u\x1b[8m"):
        done = call_memopt(*command)
        assert done.returncode == 0, done.stderr
        assert not BAD_BYTES.search((done.stdout + done.stderr).encode()), command
    shown = raw("show", "--db", str(escapes), "--user", "u1").stdout.decode()
    assert "hi\\x1b]0;pwned\\x07\\x1b[2J\\x1b[1A OK" in shown and "a\\x0db\\x08\\x85c\\u202edcba" in shown


def test_no_escape_reaches_the_error_line(escapes):
    for args in (
        ["show", "--user", "u\x1b[2J"],
        ["users", "--table", "t\x07\n\nmemopt: all is well"],
        ["undo", "r\x9b"],
        ["x\x1b[1m"],
        ["optimize", "--user", "u1", "-s", "s\x1b]0;x\x07"],
        ["apply", "p\x1b[31m.json"],
    ):
        done = call_memopt(*args, *([] if args[0][0] in "xa" else ["--db", str(escapes)]))
        assert done.returncode == 2
        assert not BAD_BYTES.search(done.stderr.encode()), done.stderr
        assert sum(line.startswith("memopt: ") for line in done.stderr.splitlines()) == 1


def test_json_keeps_the_exact_text(escapes):
    document = memopt_json("show", "--db", escapes, "--user", "u1")
    texts = {memory["memory"] for memory in document["memories"]}
    assert set(ESCAPES) <= texts
    assert raw("show", "--db", str(escapes), "--user", "u1", "--json").stdout.isascii()


def test_showing_changes_nothing(escapes):
    before = dump(escapes)
    for command in looks(escapes, "u1"):
        call_memopt(*command)
    assert dump(escapes) == before


# Pipes: a reader that goes away is no error.


def piped(command, shell_tail, env=None):
    script = " ".join(["set -o pipefail;", *command, "|", shell_tail])
    return subprocess.run(["bash", "-c", script], env=clean_environment(**(env or {})), capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    return make_store(tmp_path_factory.mktemp("big") / "agno.db", many(5_000))


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_stops_reading_ends_memopt_quietly(big, unbuffered):
    memopt = f"{sys.executable} -m memopt"
    env = {"PYTHONUNBUFFERED": unbuffered}
    for command, tail, expected in (
        (f"show --db {big} --user u1", "head -1", b"User u1\n"),
        (f"show --db {big} --user u1 --json", "head -c 10", b'{\n "store"'),
        (f"optimize --db {big} --user u1 -s recent -o keep=10", "head -1", b"Preview for user u1\n"),
        ("--help", "true", b""),
    ):
        done = piped([memopt, command], tail, env)
        assert done.stdout == expected
        assert done.stderr == b"", done.stderr
        assert done.returncode in (0, 141)


def test_an_apply_whose_reader_is_gone_is_written_whole(tmp_path):
    store = make_store(tmp_path / "agno.db", many(2_000))
    done = piped([f"{sys.executable} -m memopt optimize --db {store} --user u1 -s recent -o keep=10 --apply"], "true")
    assert done.stderr == b"" and done.returncode in (0, 141)
    assert len(records(store)) == 10
    assert len(memopt_json("history", "--db", store)["runs"]) == 1


def test_closed_streams_are_no_error(tmp_path):
    store = make_store(tmp_path / "agno.db", many(20))
    for tail in (">&-", ">&- 2>&- <&-"):
        script = f"{sys.executable} -m memopt optimize --db {store} --user u1 -s recent -o keep=10 --apply {tail}"
        done = subprocess.run(["bash", "-c", script], env=clean_environment(), capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert b"Traceback" not in done.stderr
        assert run_memopt("undo", "--db", store).returncode == 0
    assert len(records(store)) == 20


# No terminal: nothing is ever asked.


@pytest.mark.parametrize(
    "around",
    ["{} </dev/null", "{} <&-", "yes | {}", "setsid -w {} </dev/null >/dev/null 2>&1"],
    ids=["null", "closed", "yes", "setsid"],
)
def test_nothing_is_asked_whoever_sits_at_the_other_end(tmp_path, around):
    store = make_store(tmp_path / "agno.db", many(20))
    command = f"{sys.executable} -m memopt optimize --db {store} --user u1 -s recent -o keep=10"
    for more, left in (("", 20), (" --apply", 10)):
        script = around.format(command + more)
        done = subprocess.run(["bash", "-c", script], env=clean_environment(), capture_output=True, timeout=20)
        assert done.returncode == 0 and len(records(store)) == left


# The locale of cron: ASCII.

CRON = {"LC_ALL": "C", "LANG": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def test_everything_works_in_an_ascii_locale(tmp_path):
    text = "Lives in Zürich 🎻 日本語"
    folder = tmp_path / "Bücher"
    folder.mkdir()
    store = make_store(
        folder / "für 日本.db", [row("a", text, user="Zoë"), row("b", text, user="Zoë", at=1767344400), row("c", text)]
    )
    folder_bytes, db, user = os.fsencode(folder), os.fsencode(store), "Zoë".encode()
    for command in (
        [b"users", b"--db", db],
        [b"show", b"--db", db, b"--user", user],
        [b"optimize", b"--db", db, b"--user", user, b"-s", b"dedupe", b"--out", folder_bytes + "/plän.json".encode()],
    ):
        done = raw(*command, env=CRON)
        assert (done.returncode, done.stderr) == (0, b""), done.stderr
        assert "Zoë".encode() in done.stdout and "für 日本.db".encode() in done.stdout
    assert text.encode() in raw(b"show", b"--db", db, b"--user", user, env=CRON).stdout
    document = raw(b"show", b"--db", db, b"--user", user, b"--json", env=CRON).stdout
    assert document.isascii() and json.loads(document)["memories"][0]["memory"] == text
    plan = folder / "plän.json"
    assert json.loads(plan.read_text(encoding="utf-8"))["user_id"] == "Zoë"
    done = raw(b"apply", os.fsencode(plan), env=CRON)
    assert done.returncode == 0, done.stderr
    assert len(records(store, "Zoë")) == 1
    done = raw(b"undo", env={**CRON, "MEMOPT_DB": str(store)})
    assert done.returncode == 0, done.stderr
    assert len(records(store, "Zoë")) == 2
    assert len(records(store, "u1")) == 1


def test_a_plan_made_in_one_locale_is_applied_in_another(tmp_path):
    store = make_store(tmp_path / "für.db", [row("a", "x"), row("b", "x", at=1767344400)])
    assert raw("optimize", "--db", str(store), "--user", "u1", "-s", "dedupe", "--out", str(tmp_path / "p.json")).returncode == 0
    done = raw("apply", str(tmp_path / "p.json"), env=CRON)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("env", [CRON, {}])
def test_a_user_whose_bytes_are_not_utf_8_is_refused_in_one_line(tmp_path, env):
    store = make_store(tmp_path / "agno.db", [row("a", "x", user="Zoë")])
    done = raw(b"show", b"--db", os.fsencode(store), b"--user", b"Zo\xeb", env=env)
    assert done.returncode == 2
    assert done.stderr.startswith(b"memopt: ") and done.stderr.count(b"\n") == 1 and b"Traceback" not in done.stderr


def test_a_latin_1_locale_gets_escapes_for_what_it_lacks(tmp_path):
    store = make_store(tmp_path / "agno.db", [row("a", "Zürich 日本")])
    done = raw("show", "--db", str(store), "--user", "u1", env={"PYTHONIOENCODING": "latin-1"})
    assert done.returncode == 0, done.stderr
    assert b"Z\xfcrich \\u65e5\\u672c" in done.stdout


# Width: what a script looks for stands whole on one line.

UUID = "bf87d5e0-7809-511d-9a67-e74466334c99"
CUSTOMER = "customer-with-a-very-long-identifier@example.org"


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"TERM": "dumb"},
        {"COLUMNS": "20"},
        {"TERM": "", "NO_COLOR": "", "COLUMNS": "0"},
        {"TERM": "unknown-xyz", "COLUMNS": "x"},
        {"FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"},
    ],
)
def test_ids_stand_whole_on_one_line_and_a_pipe_gets_no_escape_code(tmp_path, env):
    rows = [row(UUID, "word " * 60, user=CUSTOMER), row("b", "y", user=CUSTOMER, at=1767344400)]
    store = make_store(tmp_path / "agno.db", rows)
    users, show, preview, _ = looks(store, CUSTOMER)
    for command, wanted in ((users, [CUSTOMER]), (show, [CUSTOMER, UUID]), (preview, [CUSTOMER, UUID])):
        done = raw(*command, env=env)
        assert done.returncode == 0
        assert b"\x1b" not in done.stdout
        lines = done.stdout.decode().splitlines()
        for whole in (*wanted, str(store)):
            assert any(whole in line for line in lines), whole


# Paths: the file that was named is the one that is opened.


@pytest.mark.parametrize(
    "name",
    [
        "mem#1.db",
        "mem?mode=rwc&x=.db",
        "a%20b.db",
        "my db ü 日本.db",
        "file:mem.db",
        "-mem.db",
        "a'b\"c;d|e.db",
        "~x.db",
    ],
)
def test_the_file_that_was_named_is_opened_and_no_other_is_made(tmp_path, name):
    make_store(tmp_path / name, [row("a", "Same."), row("b", "Same.", at=1767344400)])
    before = sorted(item.name for item in tmp_path.iterdir())
    given = f"./{name}" if name[0] in "-~" or name.startswith("file:") else name
    for path, how in ((given, run_memopt), ("/" + str(tmp_path / name), call_memopt)):
        done = how("users", "--db", path, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert re.search(r"^ +2 .* u1$", done.stdout, re.MULTILINE)
    done = call_memopt("optimize", "--db", given, "--user", "u1", "-s", "dedupe", "--apply", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(records(tmp_path / name)) == 1
    assert sorted(item.name for item in tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["none.db", "none#1.db", "none?mode=rwc", "no/folder.db"])
def test_a_path_without_a_file_is_an_error_and_makes_none(tmp_path, name):
    for args in (["users"], ["optimize", "--user", "u1", "-s", "dedupe", "--apply"], ["history"], ["undo"]):
        done = call_memopt(*args, "--db", name, cwd=tmp_path)
        assert done.returncode == 6, done.stderr
        assert name in done.stderr
    assert list(tmp_path.iterdir()) == []


# A full disk behind standard output.


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("as_json", ["", "--json"])
def test_an_output_that_cannot_be_written_is_an_error_that_tells_what_was_done(tmp_path, as_json):
    store = make_store(tmp_path / "agno.db", many(20))
    command = f"{sys.executable} -m memopt optimize --db {store} --user u1 -s recent -o keep=10 --apply {as_json} >/dev/full"
    done = subprocess.run(["bash", "-c", command], env=clean_environment(), capture_output=True, timeout=60)
    assert done.returncode == 1
    (run,) = memopt_json("history", "--db", store)["runs"]
    told = done.stderr.decode().replace("standard output: ", "")
    assert told == f"memopt: No space left on device\n  the store was already written, as run {run['run_id']}\n"
    silent = subprocess.run(["bash", "-c", f"{sys.executable} -m memopt users --bad 2>/dev/full"], env=clean_environment())
    assert silent.returncode == 2
