"""memopt tune: shown, written only when told to, and never by luck."""

import json
import stat

import pytest
from support.agnofile import dump, make_store, row
from support.inprocess import call_memopt as run_memopt
from support.inprocess import json_of_memopt as memopt_json

START = 1767258000
DAY = 86_400
THINGS = "tea coffee soup bread cheese fruit song film novel painter city river mountain garden museum chair table lamp coat hat".split()


@pytest.fixture
def folder(tmp_path):
    """A store in which what was said first is worded like the question, and what holds now is newer."""
    rows, questions = [], []
    for at, thing in enumerate(THINGS):
        rows.append(row(f"old-{at}", f"Her favourite {thing} is the old one, favourite of all", at=START + at * DAY))
        rows.append(row(f"new-{at}", f"Likes another {thing} best by now", at=START + (300 + at) * DAY))
        asked = {
            "id": f"q{at}",
            "text": f"What is her favourite {thing}?",
            "memory_ids": [f"new-{at}"],
            "stale_ids": [f"old-{at}"],
        }
        questions.append(json.dumps(asked))
    make_store(tmp_path / "agno.db", rows)
    (tmp_path / "q.jsonl").write_text("\n".join(questions), encoding="utf-8")
    return tmp_path


ARGS = ("tune", "--questions", "q.jsonl", "--user", "u1")


def test_what_is_found_is_shown_and_nothing_is_written(folder):
    before = dump(folder / "agno.db")
    done = run_memopt(*ARGS, cwd=folder, env={"COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    for said in (
        "fitted on 10, measured on the other 10 (seed 0)",
        "recall@10",
        "current first",
        "--write puts it there",
        "[search]",
    ):
        assert said in done.stdout, said
    lines = [line for line in done.stdout.splitlines() if not line.startswith("  store ")]
    assert max(map(len, lines)) <= 80
    assert not (folder / "memopt.toml").exists() and dump(folder / "agno.db") == before
    assert run_memopt(*ARGS, cwd=folder, env={"COLUMNS": "80"}).stdout == done.stdout


def test_what_is_written_is_what_search_then_ranks_by(folder):
    (folder / "memopt.toml").write_text('# mine\ndb = "agno.db"\n\n[search]\nk1 = 1.2  # mine too\n', encoding="utf-8")
    (folder / "memopt.toml").chmod(0o640)
    found = memopt_json(*ARGS, "--write", cwd=folder)
    assert found["better"] and found["written"] and found["refused"] is None
    assert found["ranking"]["recency"] > 0.25 and found["ranking"]["k1"] == 1.2
    text = (folder / "memopt.toml").read_text(encoding="utf-8")
    assert text.startswith('# mine\ndb = "agno.db"\n\n[search]\nk1 = 1.2  # mine too\nsemantic = ')
    assert stat.S_IMODE((folder / "memopt.toml").stat().st_mode) == 0o640
    searched = memopt_json("search", "--user", "u1", "favourite tea", "--now", "newest", cwd=folder)
    assert searched["ranking"] == found["ranking"]
    again = memopt_json(*ARGS, "--write", cwd=folder)
    assert again["ranking"] == found["ranking"] and (folder / "memopt.toml").read_text(encoding="utf-8") == text


def test_a_gain_that_may_be_luck_is_not_written_unless_forced(folder):
    lines = (folder / "q.jsonl").read_text(encoding="utf-8").splitlines()
    mixed = []
    for at, line in enumerate(lines):  # for half of them the older memory is right: what helps the one half harms the other
        asked = json.loads(line)
        if at % 2:
            asked["memory_ids"], asked["stale_ids"] = asked["stale_ids"], asked["memory_ids"]
        mixed.append(json.dumps(asked))
    (folder / "q.jsonl").write_text("\n".join(mixed), encoding="utf-8")
    results = [memopt_json(*ARGS, "--write", "--seed", str(seed), cwd=folder, code=None) for seed in range(3)]
    refused = next(item for item in results if not item["better"])
    seed = ("--seed", str(refused["seed"]))
    assert refused["refused"] and not refused["written"] and not (folder / "memopt.toml").exists()
    done = run_memopt(*ARGS, "--write", *seed, cwd=folder)
    assert done.returncode == 4 and "not written" in done.stderr
    assert ("--force" in done.stderr) == (refused["ranking"] != refused["defaults"])
    forced = run_memopt(*ARGS, "--write", "--force", *seed, cwd=folder)
    assert forced.returncode == 0
    assert (folder / "memopt.toml").exists() == (refused["ranking"] != refused["defaults"])


def test_where_nothing_better_is_found_nothing_is_written_even_by_force(folder):
    asked = [json.dumps({"text": f"best {thing}", "memory_ids": [f"new-{at}"]}) for at, thing in enumerate(THINGS)]
    (folder / "q.jsonl").write_text("\n".join(asked), encoding="utf-8")
    done = run_memopt(*ARGS, "--write", cwd=folder)
    assert done.returncode == 4 and "nothing better than the defaults was found" in done.stderr and "--force" not in done.stderr
    assert run_memopt(*ARGS, "--write", "--force", cwd=folder).returncode == 0
    assert not (folder / "memopt.toml").exists()


def test_a_file_that_cannot_be_changed_in_place_is_left_alone(folder):
    text = 'db = "agno.db"\nsearch = { recency = 0.2 }\n'
    (folder / "memopt.toml").write_text(text, encoding="utf-8")
    done = run_memopt(*ARGS, "--write", cwd=folder)
    assert done.returncode == 1 and "by hand" in done.stderr
    assert (folder / "memopt.toml").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--user", "u1"), "--questions"),
        (("--questions", "q.jsonl"), "--user"),
        (("--questions", "q.jsonl", "--user", "nobody"), "nobody"),
        (("--questions", "none.jsonl", "--user", "u1"), "none.jsonl"),
        (("--questions", "few.jsonl", "--user", "u1"), "at least 10"),
        (("--questions", "odd.jsonl", "--user", "u1"), "line 1"),
        (("--questions", "q.jsonl", "--user", "u1", "--force"), "--write"),
        (("--questions", "q.jsonl", "--user", "u1", "-k", "0"), "-k"),
        (("--questions", "q.jsonl", "--user", "u1", "--seed", "x"), "--seed"),
    ],
)
def test_bad_values_are_usage_errors(folder, args, said):
    (folder / "few.jsonl").write_text("\n".join((folder / "q.jsonl").read_text().splitlines()[:5]), encoding="utf-8")
    (folder / "odd.jsonl").write_text("{", encoding="utf-8")
    done = run_memopt("tune", *args, cwd=folder)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


def test_a_question_that_is_looked_for_in_part_is_told(folder):
    assert not [note for note in memopt_json(*ARGS, cwd=folder)["notes"] if "characters" in note]
    lines = (folder / "q.jsonl").read_text(encoding="utf-8").splitlines()
    long = {**json.loads(lines[3]), "text": "What is her favourite thing of all? " * 80}
    (folder / "q.jsonl").write_text("\n".join([*lines[:3], json.dumps(long), *lines[4:]]), encoding="utf-8")
    said = "1 question has more than 2,000 characters, of which the beginning is looked for: q3"
    assert said in memopt_json(*ARGS, cwd=folder)["notes"]
    assert f"note: {said}" in " ".join(run_memopt(*ARGS, cwd=folder).stdout.split())
