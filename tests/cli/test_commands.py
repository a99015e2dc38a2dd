"""Each command on a real file: what it says, what it writes, and how it ends."""

import io
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
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from support.agnofile import clean_environment, dump, make_store, row
from support.agnofile import run_memopt as memopt_process
from support.endpoint import Endpoint, say
from support.inprocess import call_memopt as run_memopt
from support.inprocess import json_of_memopt as memopt_json

import memopt.__main__
from memopt.cli.run import run

DAY = 86_400
START = 1767258000


@pytest.fixture
def people(tmp_path):
    texts = ("User lives in Berlin.", "User is allergic to peanuts.", "User likes hiking.", "User likes sushi.")
    return make_store(tmp_path / "people.db", [row(f"p-{i}", text, at=START + i * DAY) for i, text in enumerate(texts)])


@pytest.fixture
def store(tmp_path):
    rows = [row(f"id-{i}", f"Fact number {i}.", at=START + i * DAY, topics=["facts"]) for i in range(6)]
    rows += [
        row("o-1", "Other user.", user="u2"),
        row("n-1", "Nobody's.", user=None),
        row("n-2", "Nobody's.", user=None, at=START + 1),
    ]
    return make_store(tmp_path / "agno.db", rows)


def recent(store, *more, keep=2, **options):
    return run_memopt("optimize", "--db", store, "--user", "u1", "--strategy", "recent", "-o", f"keep={keep}", *more, **options)


def run_id(done):
    return re.search(r"^applied as run ([0-9a-f]{8}); take it back with: (memopt undo \1.*)$", done.stdout, re.MULTILINE)


# preview, apply, undo


def test_a_preview_writes_nothing_and_says_so(store):
    before = store.read_bytes()
    done = recent(store)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Preview for user u1\n")
    assert done.stdout.count("dropped") == 4
    assert done.stdout.endswith("nothing was written; --apply writes it\n")
    assert store.read_bytes() == before
    assert [item.name for item in store.parent.iterdir()] == ["agno.db"]


def test_an_apply_writes_what_was_shown_and_the_printed_command_takes_it_back(store, tmp_path):
    odd = store.rename(tmp_path / "my 'odd' $db.db")
    before = dump(odd)
    preview, done = recent(odd), recent(odd, "--apply")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Applied for user u1\n")
    assert done.stdout.splitlines()[1:-1] == preview.stdout.splitlines()[1:-1]
    assert dump(odd) != before
    found = run_id(done)
    words = shlex.split(found[2])
    undone = memopt_process(*words[1:])
    assert undone.returncode == 0, undone.stderr
    assert undone.stdout.startswith(f"took back run {found[1]}\n")
    assert dump(odd) == before
    again = re.search(r"take it back with: (.*)$", undone.stdout, re.MULTILINE)
    assert run_memopt(*shlex.split(again[1])[1:]).returncode == 0
    assert dump(odd) != before


def test_undo_without_a_run_takes_back_the_latest(store):
    before = dump(store)
    assert recent(store, "--apply").returncode == 0
    assert run_memopt("undo", "--db", store).returncode == 0
    assert dump(store) == before
    missing = run_memopt("undo", "ffffffff", "--db", store)
    assert missing.returncode == 2 and "ffffffff" in missing.stderr
    assert run_memopt("undo", "", "--db", store).returncode == 2


def test_taking_an_undo_back_says_what_holds_again(store):
    first = memopt_json("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=1", "--apply")["applied"]
    assert "holds again" not in run_memopt("undo", "--db", store).stdout
    assert f"what run {first} did holds again" in run_memopt("undo", "--db", store).stdout
    assert "holds again" not in run_memopt("undo", "--db", store).stdout  # undone once more
    assert memopt_json("undo", "--db", store)["holds_again"] == first


def test_a_mistyped_strategy_names_the_near_one(store):
    done = run_memopt("optimize", "--db", store, "--user", "u1", "-s", "dedup")
    assert done.returncode == 2 and "did you mean dedupe?" in done.stderr


def test_options_that_are_not_set_have_no_default_and_lists_fit_the_width():
    done = run_memopt("strategies", env={"COLUMNS": "80"})
    assert "default none" not in done.stdout and "default all," not in done.stdout
    assert "(one of all, topic, month, year; default: all)" in " ".join(done.stdout.split())
    assert max(map(len, done.stdout.splitlines())) <= 80
    summarize = done.stdout.partition("\n\n")[0]
    assert "asks a model, which must be named" not in summarize
    assert "asks a model, which must be named" in done.stdout.partition("\nprofile: ")[2].partition("\n\n")[0]


def test_a_row_without_an_id_can_be_told_from_the_others_that_cannot_be_read(tmp_path):
    store = make_store(tmp_path / "agno.db", [row("a", "User likes tea."), row("", "User likes rice.")])
    done = run_memopt("show", "--db", store, "--user", "u1")
    assert '  "": memory_id is empty' in done.stdout


def test_a_filter_that_fits_nothing_names_what_comes_near(store):
    done = run_memopt(
        "optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=1", "--topic", "Fact", "--agent", "zz"
    )
    assert done.returncode == 0
    said = " ".join(done.stdout.split())
    assert "no memory of the user has the topic 'Fact'; did you mean facts?" in said
    assert "no memory of the user has the agent 'zz'" in said and "zz'; did" not in said
    done = run_memopt("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=1", "--topic", "facts")
    assert "no memory of the user" not in done.stdout


def test_nothing_to_do_is_said_plainly(store):
    before = store.read_bytes()
    for more in ((), ("--apply",), ("--check",)):
        done = recent(store, *more, keep=50)
        assert done.returncode == 0
        assert done.stdout.endswith("\nnothing to do\n")
    assert store.read_bytes() == before


def test_check_tells_by_its_exit_code(store):
    before = store.read_bytes()
    assert recent(store, "--check").returncode == 3
    assert recent(store, "--check", "--json").returncode == 3
    assert store.read_bytes() == before
    both = recent(store, "--check", "--apply")
    assert both.returncode == 2 and "--check only looks" in both.stderr
    assert store.read_bytes() == before


# plan files


def test_a_plan_file_is_applied_without_naming_the_store_again(store, tmp_path):
    plan = tmp_path / "plan.json"
    before = dump(store)
    made = recent(store, "--out", plan)
    assert made.returncode == 0
    assert f"memopt apply {plan}" in made.stdout
    assert stat.S_IMODE(plan.stat().st_mode) == 0o600
    assert dump(store) == before
    done = run_memopt("apply", plan, cwd=tmp_path.parent)
    assert done.returncode == 0, done.stderr
    assert f"--db {store}" in run_id(done)[2]
    again = run_memopt("apply", plan)
    assert again.returncode == 5 and again.stderr.startswith("memopt: ")
    assert run_memopt(*shlex.split(run_id(done)[2])[1:]).returncode == 0
    assert dump(store) == before


def test_what_json_printed_can_be_applied_too(store):
    text = recent(store, "--json").stdout
    before = dump(store)
    done = run_memopt("apply", "-", "--json", stdin=text)
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["applied"]
    assert dump(store) != before


def test_a_plan_of_another_store_is_refused(store, tmp_path):
    other = make_store(tmp_path / "other.db", [row("id-0", "Fact number 0.")])
    recent(store, "--out", tmp_path / "plan.json")
    before = other.read_bytes(), store.read_bytes()
    for more, env in ((["--db", other], {}), ([], {"MEMOPT_DB": str(other)})):
        done = run_memopt("apply", tmp_path / "plan.json", *more, env=env)
        assert done.returncode == 5
        assert str(store) in done.stderr and str(other) in done.stderr
    assert (other.read_bytes(), store.read_bytes()) == before
    assert run_memopt("apply", tmp_path / "plan.json", "--db", store).returncode == 0


def test_an_altered_plan_is_refused(store, tmp_path):
    plan = tmp_path / "plan.json"
    recent(store, "--out", plan)
    plan.write_text(plan.read_text().replace("Fact number 1", "Fact number 9"))
    before = store.read_bytes()
    done = run_memopt("apply", plan)
    assert done.returncode == 5 and "changed after" in done.stderr
    assert store.read_bytes() == before


def test_apply_with_out_does_both(store, tmp_path):
    done = recent(store, "--apply", "--out", tmp_path / "plan.json")
    assert done.returncode == 0 and run_id(done)
    assert json.loads((tmp_path / "plan.json").read_text())["format"] == "memopt.plan"


@pytest.mark.parametrize("place", [".", "no/plan.json", "agno.db", ""])
def test_a_bad_place_for_the_plan_is_refused_before_the_model_is_asked(store, place):
    before = store.read_bytes()
    with Endpoint(say("User has facts.")) as endpoint:
        done = run_memopt(
            "optimize", "--db", store, "--user", "u1", "-s", "summarize", "--model", "m", "--base-url", endpoint.base_url,
            "--out", place, cwd=store.parent,
        )  # fmt: skip
        assert endpoint.requests == []
    assert done.returncode == 2 and "--out" in done.stderr and done.stderr.count("\n") == 1
    assert store.read_bytes() == before


# guards


def test_a_refused_plan_is_shown_and_not_written(store):
    before = store.read_bytes()
    for more in ((), ("--apply",)):
        done = recent(store, "--max-drop", "50%", *more)
        assert done.returncode == 4
        assert "dropped" in done.stdout and "applied" not in done.stdout
        assert (
            done.stderr
            == "memopt: refused: 4 of 6 memories (67%) would be dropped, more than --max-drop 50% allows. Nothing was written\n"
        )
    document = memopt_json(
        "optimize", "--db", store, "--user", "u1", "--strategy", "recent", "-o", "keep=2", "--max-drop", "3", "--apply", code=4
    )
    assert document["refused"] and document["applied"] is None
    assert store.read_bytes() == before
    assert recent(store, "--max-drop", "4", "--apply").returncode == 0


def test_a_guard_may_be_said_at_the_apply(store, tmp_path):
    recent(store, "--out", tmp_path / "plan.json")
    refused = run_memopt("apply", tmp_path / "plan.json", "--max-drop", "1")
    assert refused.returncode == 4 and "Nothing was written" in refused.stderr


# conflicts


def test_a_conflict_stops_or_is_left_out(store, tmp_path):
    recent(store, "--out", tmp_path / "plan.json")
    import sqlite3

    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE agno_memories SET memory = '\"changed\"' WHERE memory_id = 'id-1'")
    connection.close()
    stopped = run_memopt("apply", tmp_path / "plan.json")
    assert stopped.returncode == 5 and "id-1" in stopped.stderr
    document = memopt_json("apply", tmp_path / "plan.json", code=5)
    assert document["error"]["kind"] == "conflict" and document["error"]["exit_code"] == 5
    done = run_memopt("apply", tmp_path / "plan.json", "--on-conflict", "skip")
    assert done.returncode == 0, done.stderr
    assert "1 memory left out, because the stored rows changed meanwhile:\n  id-1\n" in done.stdout
    assert run_memopt("apply", tmp_path / "plan.json", "--on-conflict", "ask").returncode == 2


def test_many_that_were_left_out_are_listed_in_lines_and_none_is_cut(tmp_path):
    path = make_store(tmp_path / "a.db", [row(f"memory-{n:03d}", f"Fact number {n}.", at=START + n) for n in range(60)])
    recent(path, "--out", tmp_path / "plan.json")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE agno_memories SET memory = '\"changed\"' WHERE memory_id < 'memory-050'")
    connection.close()
    done = run_memopt("apply", tmp_path / "plan.json", "--on-conflict", "skip")
    told = done.stdout.partition("50 memories left out, because the stored rows changed meanwhile:\n")[2]
    told = told.partition("\n\n")[0]
    assert " ".join(told.split()) == ", ".join(f"memory-{n:03d}" for n in range(50))
    assert len(told.splitlines()) < 12


# usage


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["optimize", "--strategy", "recent", "-o", "keep=2"], "--user ID, or --no-user"),
        (["optimize", "--user", "", "--strategy", "recent", "-o", "keep=2"], "--user is empty"),
        (["optimize", "--user", "u1", "--no-user", "--strategy", "recent", "-o", "keep=2"], "exclude each other"),
        (["optimize", "--user", "u1"], "summarize, recent, dedupe"),
        (["optimize", "--user", "u1", "--strategy", "recent"], "keep"),
        (["optimize", "--user", "u1", "--strategy", "recent", "-o", "keep"], "KEY=VALUE"),
        (["optimize", "--user", "u1", "--strategy", "recent", "-o", "keep=1", "-o", "keep=2"], "given twice"),
        (["optimize", "--user", "u1", "--strategy", "recent", "-o", "dedupe.keep=1"], "dedupe"),
        (["optimize", "--user", "u1", "--strategy", "recent", "-o", "keep=1", "--topic", ""], "--topic is empty"),
        (["optimize", "--user", "u1", "--strategy", "recent", "-o", "keep=1", "--on-conflict", "x"], "stop or skip"),
        (["optimize", "--user", "u1", "--strategy", "recent", "-o", "keep=1", "--encoding", "x"], "encoding"),
        (["optimize", "--user", "u1", "--strategy", "recent", "-o", "keep=1", "--lock-timeout", "-1"], "--lock-timeout"),
        (["optimize", "--user", "U1", "--strategy", "recent", "-o", "keep=1"], "did you mean 'u1'"),
        (["optimize", "--user", "u1", "--strategy", "recent", "-o", "keep=1", "extra"], "extra"),
        (["show", "--user", "nobody"], "its users: 'u1', 'u2'"),
        (["users", "--table", "nope"], "nope"),
        (["history", "--keep", "3"], "go with --prune"),
        (["history", "--prune"], "--keep N"),
        (["history", "--prune", "--keep", "0"], "at least 1"),
        (["history", "--prune", "--keep", "-1"], "at least 1"),
        (["history", "--prune", "--older-than", "1m"], "30min"),
        (["history", "--prune", "--older-than", "3months"], "days"),
        (["history", "--prune", "--older-than", "30"], "unit"),
        (["history", "--prune", "--older-than", "0d"], "above 0"),
        (["history", "--prune", "--older-than", "-5d"], "unit"),
        (["history", "--prune", "--older-than", "1.5d"], "unit"),
        (["history", "--prune", "--older-than", "999999999d"], "200 years"),
        (["history", "--prune", "--older-than", "∞"], "unit"),
        (["history", "--prune", "--keep", "2", "--user", "u1"], "no --user"),
    ],
)
def test_a_mistake_is_one_line_or_two_exit_2_and_nothing_written(store, args, says):
    before = store.read_bytes()
    done = run_memopt(*args, "--db", store)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.startswith("memopt: ") and done.stderr.count("\n") <= 2
    assert done.stdout == ""
    document = memopt_json(*args, "--db", store, code=2)
    assert document["error"]["exit_code"] == 2
    assert says in document["error"]["message"]
    assert store.read_bytes() == before


def test_typers_own_errors_are_ours_too(store):
    for args in (["optimise"], ["users", "--dbb", "x"], ["undo", "a", "b"], ["apply"], ["users", "--sort"]):
        done = run_memopt(*args)
        assert done.returncode == 2
        assert re.fullmatch(r"memopt: .+\n  see: memopt .*--help\n", done.stderr), done.stderr
        document = memopt_json(*args, code=2) if args != ["users", "--sort"] else None
        assert document is None or document["error"]["kind"] == "usage"


def test_an_option_before_its_command_is_told_where_it_belongs(store):
    done = run_memopt("--db", store, "users")
    assert done.returncode == 2 and "options stand after their command" in done.stderr


def test_a_store_that_is_not_there_is_not_made(tmp_path):
    for db in ("none.db", "folder/none.db"):
        done = run_memopt("users", "--db", tmp_path / db)
        assert done.returncode == 6 and db in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_store_is_found_by_variable_file_and_default(store, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    assert run_memopt("users", cwd=folder).returncode == 2
    assert run_memopt("users", cwd=store.parent).returncode == 0  # ./agno.db
    assert run_memopt("users", cwd=folder, env={"MEMOPT_DB": str(store)}).returncode == 0
    (folder / "memopt.toml").write_text(f'db = "{store}"\n')
    assert run_memopt("users", cwd=folder).returncode == 0
    (folder / "memopt.toml").write_text('db = "x"\ncolour = 1\n')
    done = run_memopt("users", cwd=folder)
    assert done.returncode == 2 and "memopt.toml, line 2: unknown key 'colour'" in done.stderr


# looking


def test_users_can_be_ordered(store):
    def order(*args):
        return [user["user_id"] for user in memopt_json("users", "--db", store, *args)["users"]]

    assert order() == [None, "u1", "u2"]
    assert order("--sort", "memories") == ["u1", None, "u2"]
    assert order("--sort", "tokens")[0] == "u1"
    assert order("--sort", "duplicates")[0] is None
    assert order("--sort", "newest")[0] == "u1"
    assert set(order("--sort", "oldest")) == {None, "u1", "u2"}
    assert run_memopt("users", "--db", store, "--sort", "size").returncode == 2


def test_show_names_ids_dates_topics_and_the_prompt(store):
    done = run_memopt("show", "--db", store, "--user", "u1", "--prompt")
    assert re.search(r"^\d+ +Fact number 3\.\n +id-3\n +created 2026-01-04 09:00:00Z · topics: facts$", done.stdout, re.MULTILINE)
    assert "<memories_from_previous_interactions>\n- Fact number 0.\n" in done.stdout
    nobody = run_memopt("show", "--db", store, "--no-user")
    assert nobody.stdout.startswith("(rows without a user)\n") and "n-2" in nobody.stdout


def test_no_user_means_the_rows_of_nobody(store):
    before = dump(store)["agno_memories"]
    done = run_memopt("optimize", "--db", store, "--no-user", "--strategy", "recent", "-o", "keep=1", "--apply")
    assert done.returncode == 0, done.stderr
    after = dump(store)["agno_memories"]
    gone = [item for item in before if item not in after]
    assert len(gone) == 1 and any(b"n-1" in part for part in gone[0] if isinstance(part, bytes))


def test_filters_keep_what_they_do_not_show(store):
    document = memopt_json(
        "optimize", "--db", store, "--user", "u1", "--strategy", "recent", "-o", "keep=1", "--topic", "none", "--topic", "other"
    )
    assert document["counts"]["dropped"] == 0
    document = memopt_json("optimize", "--db", store, "--user", "u1", "--strategy", "recent", "-o", "keep=1", "--topic", "facts")
    assert document["counts"]["dropped"] == 5


def test_history_lists_and_prunes(store):
    assert "no runs" in run_memopt("history", "--db", store).stdout
    first = run_id(recent(store, "--apply", keep=4))[1]
    second = run_id(recent(store, "--apply", keep=2))[1]
    run_memopt("undo", "--db", store)
    text = run_memopt("history", "--db", store).stdout
    lines = text.splitlines()
    assert len(lines) == 5
    assert f"undo of {second}" in lines[2]
    assert lines[3].startswith(second) and "undone by" in lines[3] and "recent (keep=2)" in lines[3] and "4 -> 2" in lines[3]
    assert lines[4].startswith(first)
    assert "no runs on user u2" in run_memopt("history", "--db", store, "--user", "u2").stdout
    assert memopt_json("history", "--db", store, "--prune", "--older-than", "1d")["pruned"] == 0
    done = run_memopt("history", "--db", store, "--prune", "--keep", "1")
    assert done.stdout == "2 runs dropped from the journal, 1 run left\n"


# models


def test_a_summary_goes_the_whole_road(people):
    before = dump(people)
    summary = "User lives in Berlin. User is allergic to peanuts. User likes hiking and sushi."
    with Endpoint(say(summary)) as endpoint:
        done = run_memopt(
            "optimize", "--db", people, "--user", "u1", "-s", "summarize", "--model", "m", "--base-url", endpoint.base_url,
            "--timeout", "20", "--apply",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert f"model       m at {endpoint.base_url}" in done.stdout
    assert "added" in done.stdout and "User is allergic to peanuts. User likes hiking and sushi." in done.stdout
    assert dump(people) != before
    assert run_memopt(*shlex.split(run_id(done)[2])[1:]).returncode == 0
    assert dump(people) == before


def test_a_model_that_is_not_there_is_exit_8_and_a_model_not_named_exit_2(store):
    before = store.read_bytes()
    summarize = ("optimize", "--db", store, "--user", "u1", "--strategy", "summarize", "--apply")
    assert run_memopt(*summarize, "--model", "m").returncode == 8
    done = run_memopt(*summarize, "--model", "m", env={"OPENAI_API_KEY": "sk-geheim", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"})
    assert done.returncode == 8 and done.stderr.count("\n") <= 2 and "sk-geheim" not in done.stderr
    assert store.read_bytes() == before


def test_without_model_key_and_endpoint_memopts_own_consolidator_writes_and_says_so(people):
    summarize = ("optimize", "--db", people, "--user", "u1", "--strategy", "summarize")
    preview = run_memopt(*summarize)
    assert (preview.returncode, preview.stderr) == (0, "")
    done = run_memopt(*summarize, "--apply")
    assert done.returncode == 0
    assert done.stderr == "memopt: no model is named, no key and no endpoint is set: the built-in consolidator writes the text\n"
    run_memopt("undo", "--db", people)
    assert run_memopt(*summarize, "--apply", "--model", "builtin").stderr == ""
    unnamed = run_memopt(*summarize, env={"OPENAI_API_KEY": "sk-x"})
    assert unnamed.returncode == 2 and "--model NAME" in unnamed.stderr


@contextmanager
def summarizing(store, endpoint, *flags, **popen):
    """A process that summarizes u1 and waits for the model's answer."""
    process = subprocess.Popen(
        [sys.executable, "-m", "memopt", "optimize", "--db", str(store), "--user", "u1", "--strategy", "summarize",
         "--model", "m", "--base-url", endpoint.base_url, *map(str, flags)],
        env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **popen,
    )  # fmt: skip
    end = time.monotonic() + 15
    while not endpoint.requests and time.monotonic() < end:
        time.sleep(0.02)
    try:
        yield process
    finally:
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_model_thinks_writes_nothing_and_says_so(store, number):
    before = store.read_bytes()
    with Endpoint(say("late", delay=20)) as endpoint, summarizing(store, endpoint, "--apply") as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (130, b"", b"memopt: interrupted; nothing was written\n")
    assert store.read_bytes() == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("flags", [(), ("--concurrency", "1", "--apply")])
def test_a_signal_while_the_model_thinks_leaves_one_document(store, number, flags, tmp_path):
    before, plan = store.read_bytes(), tmp_path / "plan.json"
    with Endpoint(say("late", delay=20)) as endpoint, summarizing(store, endpoint, "--json", *flags, "--out", plan) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=10)
    assert json.loads(out) == {"error": {"kind": "interrupted", "message": "interrupted; nothing was written", "exit_code": 130}}
    assert process.returncode == 130 and b"Traceback" not in err
    assert store.read_bytes() == before and not plan.exists()


def test_sigterm_ends_a_job_in_the_background_where_the_shell_has_ctrl_c_ignored(store):
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    with Endpoint(say("late", delay=20)) as endpoint, summarizing(store, endpoint, "--json", **ignoring) as process:
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=10)
    assert json.loads(out)["error"]["kind"] == "interrupted" and process.returncode == 130


RECENT = ("optimize", "-s", "recent", "-o", "keep=2", "--apply")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", [RECENT, ("show",)])
def test_a_document_is_printed_whole_where_a_signal_comes_in_the_middle_of_it(tmp_path, number, command):
    path = make_store(tmp_path / "a.db", [row(f"m{n}", f"Fact {n}: {'x' * 400}.") for n in range(400)])
    args = [*command, "--db", str(path), "--user", "u1", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "memopt", *args], env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    begun = process.stdout.read1(10)  # the pipe is full by then, and the process waits in the middle of its document
    process.send_signal(number)
    time.sleep(0.3)
    out, err = process.communicate(timeout=20)
    document = json.loads(begun + out)
    assert (process.returncode, err) == (0, b"") and (
        document["applied"] if command is RECENT else len(document["memories"]) == 400
    )


@pytest.mark.parametrize("command", [RECENT, ("show",)])
def test_a_second_signal_ends_a_document_that_nobody_reads_and_none_follows_it(tmp_path, command):
    path = make_store(tmp_path / "a.db", [row(f"m{n}", f"Fact {n}: {'x' * 400}.") for n in range(400)])
    args = [*command, "--db", str(path), "--user", "u1", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "memopt", *args], env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    begun = process.stdout.read1(10)
    for _ in range(2):
        process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
    assert process.wait(10) == 130  # though nobody reads yet
    out, err = process.communicate(timeout=20)
    assert (b"already written as run" if command is RECENT else b"interrupted; nothing was written") in err
    assert b'"error"' not in begun + out


class Signalling(io.StringIO):
    """Standard output that lets SIGTERM come, once or twice, whenever something is written to it."""

    def __init__(self, pause: float | None = None) -> None:
        super().__init__()
        self.pause = pause

    def write(self, text: str) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        if self.pause is not None:
            time.sleep(self.pause)
            os.kill(os.getpid(), signal.SIGTERM)
        return super().write(text)


@pytest.mark.parametrize("pause", [None, 0])
def test_a_signal_while_an_error_is_told_changes_nothing_of_it(store, monkeypatch, pause):
    out, before = (
        Signalling(pause),
        signal.getsignal(signal.SIGTERM),
    )
    monkeypatch.setattr(sys, "stdout", out)
    code = run(["history", "no-such-run", "--db", str(store), "--json"])
    assert code == json.loads(out.getvalue())["error"]["exit_code"] == 2
    assert signal.getsignal(signal.SIGTERM) is before and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_ends_an_error_that_nobody_reads(store):
    told = (
        "import sys; from cli.test_commands import Signalling; from memopt.cli.run import run; sys.stdout = Signalling(1.2); "
        f"sys.exit(run(['history', 'no-such-run', '--db', {str(store)!r}, '--json']))"
    )
    path = os.pathsep.join([*sys.path, str(Path(__file__).parents[1])])
    done = subprocess.run([sys.executable, "-c", told], env=clean_environment(PYTHONPATH=path), timeout=30, check=False)
    assert done.returncode == 130


def test_sigterm_that_comes_twice_at_once_is_one_and_breaks_into_no_clearing_up(store, tmp_path):
    (tmp_path / "mine.py").write_text(
        "import os, pathlib, signal, time\n"
        "from memopt import MemoryOptimizationStrategy\n"
        "class Mine(MemoryOptimizationStrategy):\n"
        "    def steps(self, memories):\n"
        "        try:\n"
        # an exec as an import does it: the interpreter remembers that it was interrupted
        "            exec('os.kill(os.getpid(), signal.SIGTERM)\\ntime.sleep(9)')\n"
        "        finally:\n"
        "            os.kill(os.getpid(), signal.SIGTERM)\n"
        "            pathlib.Path(__file__).with_name('cleared').touch()\n"
    )
    done = memopt_process("optimize", "--db", store, "--user", "u1", "-s", f"{tmp_path / 'mine.py'}:Mine", "--apply", "--json")
    assert (tmp_path / "cleared").exists()
    assert json.loads(done.stdout)["error"]["message"] == "interrupted; nothing was written"
    assert (done.returncode, done.stderr) == (130, "")


# errors for programs, and for people who look deeper


def test_a_traceback_is_shown_only_when_asked_for(tmp_path):
    (tmp_path / "agno.db").write_bytes(b"not a database" * 100)
    quiet, loud = run_memopt("users", "--db", tmp_path / "agno.db"), run_memopt("users", "--db", tmp_path / "agno.db", "--debug")
    assert quiet.returncode == loud.returncode == 6
    assert "Traceback" not in quiet.stderr and quiet.stderr.count("\n") == 1
    assert "Traceback" in loud.stderr and quiet.stderr in loud.stderr


def test_json_is_alone_on_stdout_and_ascii(store):
    for args in (["users", "--db", store], ["show", "--db", store, "--user", "nobody"], ["show"], ["--json-is-no-option"]):
        done = run_memopt(*args, "--json")
        assert done.stdout.isascii() and json.loads(done.stdout)
        assert done.stderr == ""


def test_the_version_is_told_in_both_ways():
    told = memopt_process("--version").stdout
    assert told == memopt_process("-V").stdout == run_memopt("--version").stdout
    assert re.fullmatch(r"memopt \d+\.\d+\.\d+\S*\n", told)


def test_the_script_and_the_module_share_one_entry():
    (script,) = entry_points(group="console_scripts", name="memopt")
    assert script.load() is memopt.__main__.main


# why a run did what it did


def test_a_run_can_be_asked_what_it_did_and_why(store):
    made = memopt_json("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=4", "--apply")
    reasons = {c["memory_id"]: c["reason"] for c in made["changes"] if c["action"] == "dropped"}
    told = memopt_json("history", made["applied"][:5], "--db", store)
    assert told["run"]["run_id"] == made["applied"]
    assert {c["memory_id"]: c["action"] for c in told["changes"]} == dict.fromkeys(reasons, "dropped")
    for change in told["changes"]:
        assert reasons[change["memory_id"]] == change["reason"] != "" and change["step"] == "recent"
        assert change["before"]["memory"].startswith("Fact number") and change["after"] is None and not change["erased"]
    shown = run_memopt("history", made["applied"], "--db", store).stdout
    assert "Fact number 0." in shown and "Fact number 1." in shown and "Fact number 2." not in shown
    assert all(reason in " ".join(shown.split()) for reason in reasons.values())
    memopt_json("undo", "--db", store)
    assert memopt_json("history", made["applied"], "--db", store)["run"]["undone_by"]
    back = memopt_json("undo", "--db", store)["run"]["run_id"]
    assert {c["reason"] for c in memopt_json("history", back, "--db", store)["changes"]} == {""}


def test_a_run_that_is_none_and_a_run_with_a_user_are_refused(store):
    assert recent(store, "--apply").returncode == 0
    for args in (("ffffffff",), ("",), ("a", "--user", "u1"), ("a", "--prune", "--keep", "1")):
        assert run_memopt("history", *args, "--db", store).returncode == 2


def test_a_run_of_before_reasons_were_kept_is_shown_without_them(store):
    run = memopt_json("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=4", "--apply")["applied"]
    with sqlite3.connect(store) as conn:
        (text,) = conn.execute("SELECT rows FROM memopt_journal").fetchone()
        older = json.loads(text)
        assert all(len(each) == 5 for each in older["rows"])
        older["rows"] = [each[:4] for each in older["rows"]]
        conn.execute("UPDATE memopt_journal SET rows = ?", (json.dumps(older),))
    told = memopt_json("history", run, "--db", store)["changes"]
    assert told and all(change["reason"] == "" and change["before"]["memory"] for change in told)
    assert run_memopt("history", run, "--db", store).stdout.count("Fact number") == len(told)
    assert run_memopt("undo", run, "--db", store).returncode == 0


def test_what_a_revision_changed_is_shown_with_the_text_before_and_after(tmp_path):
    store = make_store(
        tmp_path / "agno.db", [row("a", "User lives in Bern."), row("b", "User moved to Oslo in May.", at=1780000000)]
    )
    made = memopt_json("optimize", "--db", store, "--user", "u1", "-s", "supersede", "--apply")
    told = memopt_json("history", made["applied"], "--db", store)["changes"]
    for change in told:
        (planned,) = [item for item in made["changes"] if item["memory_id"] == change["memory_id"]]
        assert change["action"] == planned["action"] != "kept"
        assert (change["before"] or {}).get("memory") == (planned["before"] or {}).get("memory")
        assert (change["after"] or {}).get("memory") == (planned["after"] or {}).get("memory")
        assert all(change[key] == planned[key] for key in ("reason", "step", "into", "sources"))
    assert any(change["action"] == "revised" for change in told) and any(change["into"] for change in told)


def test_one_run_fits_a_narrow_terminal_and_shows_long_texts_whole_where_that_is_asked(tmp_path):
    long = "User said that " + "the quick brown fox jumps over the lazy dog and " * 60 + "wants tea."
    store = make_store(tmp_path / "agno.db", [row("a", long), row("b", "User likes tea.", at=1780000000)])
    run = memopt_json("optimize", "--db", store, "--user", "u1", "-s", "recent", "-o", "keep=1", "--apply")["applied"]
    shown = run_memopt("history", run, "--db", store, env={"COLUMNS": "80"}).stdout
    assert "--full shows all" in shown and "wants tea." not in shown
    whole = run_memopt("history", run, "--db", store, "--full", env={"COLUMNS": "80"}).stdout
    assert "wants tea." in " ".join(whole.split())
