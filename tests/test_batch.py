"""The files of a batch, and the library behind ``memopt batch``."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import stat
import subprocess
import sys
import threading

import pytest
from support.agnofile import FIXTURES, REPO, clean_environment, make_store, row
from support.batches import completion_line, requests_of
from support.postgres import database

from memopt.batch import Batch, Export, Import, RequestFiles, take_results
from memopt.errors import PlanFileError, UsageError
from memopt.folder import PlanFolder
from memopt.models.base import Ask
from memopt.models.batch import Service, request_line
from memopt.plan import Filters
from memopt.stores import open_store
from memopt.stores.batches import batch_id, new_batch, open_batch
from memopt.strategies.base import MemoryOptimizationStrategy, NoOptions

ID = "memopt-0123abcd-" + "0" * 32


def fill(files, count, size=100, model="m"):
    for number in range(count):
        files.add(model, request_line(f"memopt-0123abcd-{number:032x}", {"x": "y" * size}))


def test_a_file_is_closed_when_the_next_request_would_make_it_too_large(tmp_path):
    files = RequestFiles(tmp_path / "r.jsonl", max_requests=1000, max_bytes=1000)
    fill(files, 12)
    done = files.finish()
    assert len(done) > 1 and sum(file.requests for file in done) == 12
    assert [file.path.name for file in done] == [f"r-{n}.jsonl" for n in range(1, len(done) + 1)]
    assert all(file.bytes == file.path.stat().st_size <= 1000 for file in done)
    assert all(stat.S_IMODE(file.path.stat().st_mode) == 0o600 for file in done)
    # one that is larger than any file may be still goes into one
    files = RequestFiles(tmp_path / "big.jsonl", max_bytes=10)
    fill(files, 2)
    assert [file.requests for file in files.finish()] == [1, 1]


def test_models_have_files_of_their_own(tmp_path):
    files = RequestFiles(tmp_path / "r.jsonl")
    for model in ("a", "b", "a", "b"):
        fill(files, 1, model=model)
    assert [(file.model, file.requests) for file in files.finish()] == [("a", 2), ("b", 2)]


def test_what_is_discarded_leaves_nothing_and_other_files_stay(tmp_path):
    mine = tmp_path / "r-2.jsonl"
    mine.write_text("my notes")
    files = RequestFiles(tmp_path / "r.jsonl", max_requests=1)
    fill(files, 2)
    with pytest.raises(UsageError, match="no file of requests"):
        files.finish()
    files.discard()
    assert [path.name for path in tmp_path.iterdir()] == ["r-2.jsonl"] and mine.read_text() == "my notes"
    # requests of an earlier export may go
    mine.write_bytes(request_line(ID, {}))
    fill(files, 2)
    assert len(files.finish()) == 2


def made_for(store, **more):
    service = Service("m", "http://127.0.0.1:9/v1", 8000)
    return Batch(store.ref, ("summarize",), {"repairs": "2"}, service, service, Filters(topic=("t",)), **more)


def test_a_batch_is_the_same_when_it_is_read_again(tmp_path):
    store = open_store(str(make_store(tmp_path / "a.db", [row("a", "x")])))
    made = made_for(store, max_cost=0.5, price="1/2", protect=("feedback",), max_drop="50%", recipe="r")
    with new_batch(tmp_path / "a.batch", made.to_dict()) as batch:
        assert Batch.from_dict(batch.head) == made
    with open_batch(tmp_path / "a.batch") as batch:
        assert Batch.from_dict(json.loads(json.dumps(batch.head))) == made
    assert batch_id(tmp_path / "a.batch") == made.batch_id and batch_id(tmp_path / "a.db") is None
    assert stat.S_IMODE((tmp_path / "a.batch").stat().st_mode) == 0o600
    for key in made.to_dict().keys() - {"questions", "min_recall"}:  # which batches of before have not
        with pytest.raises(PlanFileError, match="altered"):
            Batch.from_dict({name: value for name, value in made.to_dict().items() if name != key})


def test_nothing_is_left_of_a_batch_that_did_not_come_to_its_end(tmp_path):
    with pytest.raises(KeyboardInterrupt), new_batch(tmp_path / "a.batch", {}):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    store = open_store(str(make_store(tmp_path / "a.db", [row("a", "x")])))
    with new_batch(tmp_path / "a.batch", made_for(store).to_dict()) as batch:
        batch.issue(ID, batch.add_user("u", "s", 0), 1, 10)
    before = (tmp_path / "a.batch").read_bytes()
    with pytest.raises(KeyboardInterrupt), open_batch(tmp_path / "a.batch") as batch:
        assert batch.take(ID, '[200, "{}"]', failed=False, tokens=(None, None)) == "new"
        raise KeyboardInterrupt
    with open_batch(tmp_path / "a.batch") as batch:
        assert batch.reply(ID) is None and batch.waiting(ID)
    assert (tmp_path / "a.batch").read_bytes() == before


def test_what_becomes_of_a_second_reply(tmp_path):
    store = open_store(str(make_store(tmp_path / "a.db", [row("a", "x")])))
    with new_batch(tmp_path / "a.batch", made_for(store).to_dict()) as batch:
        batch.issue(ID, batch.add_user("u", "s", 0), 1, 10)

        def take(reply, failed=False):
            return batch.take(ID, reply, failed=failed, tokens=(5, 6))

        assert batch.take("other", "a", failed=False, tokens=(None, None)) == "unknown"
        assert [take("e", True), take("e", True), take("f", True), take("a"), take("b"), take("e", True)] == [
            "new", "again", "other", "instead", "other", "other",
        ]  # fmt: skip
        assert batch.reply(ID) == "a" and batch.sums().prompt_tokens == 5
        batch.add_user("u", "t", 1)
        assert take("c") == "outdated"


class WhereAmI(MemoryOptimizationStrategy):
    """Asks, and knows in which threads."""

    name = "where"
    needs_model = True
    Options = NoOptions

    def __init__(self):
        super().__init__()
        self.threads = set()

    def steps(self, memories):
        self.threads.add(threading.get_ident())
        yield Ask("s", f"{len(memories)} memories")
        return list(memories)


def test_the_users_of_a_database_server_are_done_one_after_the_other(tmp_path):
    chain = [WhereAmI()]
    with database() as db:
        store = open_store(db.make([row(f"{n}", "A fact.", user=f"u{n}") for n in range(12)]).url)
        made = Batch(store.ref, ("where",), {}, Service("m", "http://127.0.0.1:9/v1")).made_with(chain)
        with new_batch(tmp_path / "a.batch", made.to_dict()) as batch:
            files = RequestFiles(tmp_path / "r.jsonl")
            summary = Export(store, chain, made, batch, files, now=1_800_000_000).run()
            files.finish()
            assert summary.counted["waiting"] == 12
            assert [user.user_id for user in batch.users()] == sorted(f"u{n}" for n in range(12))
    assert chain[0].threads == {threading.get_ident()}


class Two(MemoryOptimizationStrategy):
    """Asks twice, one after the other."""

    name = "two"
    needs_model = True
    Options = NoOptions

    def steps(self, memories):
        first = yield Ask("s", f"{len(memories)} memories")
        second = yield Ask("s", first.text)
        return list(memories)[: int(second.text)]


def test_the_library_goes_through_two_rounds(tmp_path):
    store = open_store(str(make_store(tmp_path / "a.db", [row(f"{n}", f"Fact {n}.") for n in range(4)])))
    made = Batch(store.ref, ("two",), {}, Service("m", "http://127.0.0.1:9/v1")).made_with([Two()])
    files = RequestFiles(tmp_path / "r1.jsonl")
    with new_batch(tmp_path / "a.batch", made.to_dict()) as batch:
        summary = Export(store, [Two()], made, batch, files, now=1_800_000_000).run()
        assert summary.counted["waiting"] == 1
        files.finish()
    for number, text in ((1, "Keep three of them."), (2, "3")):
        (sent,) = requests_of(tmp_path / f"r{number}.jsonl")
        results = tmp_path / f"a{number}.jsonl"
        results.write_text(completion_line(sent["custom_id"], text))
        files = RequestFiles(tmp_path / f"r{number + 1}.jsonl")
        with open_batch(tmp_path / "a.batch") as batch:
            take_results(batch, [results])
            folder = lambda recipe: PlanFolder(tmp_path / "plans", store.ref, recipe)  # noqa: E731
            run = Import(store, [Two()], Batch.from_dict(batch.head), batch, files, folder=folder, now=1_900_000_000)
            # whoever is on an event loop already may run it there
            summary = asyncio.run(asyncio.to_thread(run.run))
            files.finish()
        assert summary.counted["waiting"] == (1 if number == 1 else 0)
    (plan,) = (tmp_path / "plans").glob("*.plan.json")
    document = json.loads(plan.read_text())
    assert document["counts"]["dropped"] == 1 and document["made_at"].startswith("2027-01-15")
    assert document["usage"]["requests"] == 2


def test_the_library_example_of_the_docs_runs(tmp_path):
    text = (REPO / "docs" / "batch.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    shutil.copy(FIXTURES / "agno" / "agno_v3.db", tmp_path / "agno.db")
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 0, done.stderr
    assert "['requests.jsonl']" in done.stdout and requests_of(tmp_path / "requests.jsonl")


def test_every_option_that_the_docs_name_exists():
    text = (REPO / "docs" / "batch.md").read_text(encoding="utf-8")
    known = {"--model", "--min-recall"}
    for command in ("export", "import"):
        shown = subprocess.run(
            [sys.executable, "-m", "memopt", "batch", command, "--help"], capture_output=True, text=True, env=clean_environment()
        )
        known |= set(re.findall(r"(--[a-z][a-z-]+)", shown.stdout))
    assert set(re.findall(r"`(--[a-z][a-z-]+)", text)) <= known | {"--on-loss"}
