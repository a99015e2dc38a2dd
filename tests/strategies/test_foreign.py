"""Strategies from elsewhere run here, and memopt's own inside Agno: the real one, on its own database."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.agnofile import dump, make_store, row
from support.endpoint import Endpoint, say
from support.inprocess import call_memopt, json_of_memopt

from memopt.errors import StrategyError, UsageError, VerificationError
from memopt.manager import MemoryManager
from memopt.memory import UserMemory
from memopt.strategies.base import MemoryOptimizationStrategy
from memopt.strategies.foreign import entry_point_names, load
from memopt.strategies.registry import make_chain, names, strategy_class
from memopt.testing import ScriptedModel

TEXTS = ["User lives in Bern.", "User is allergic to peanuts.", "User has a dog called Rex.", "User plays the cello."]

OWN = '''
from dataclasses import dataclass
from memopt import MemoryOptimizationStrategy
from memopt.strategies.base import option

@dataclass(frozen=True)
class Options:
    keep: int = option(2, "how many", minimum=1)

class Last(MemoryOptimizationStrategy):
    """Keeps the last ones."""
    name = "last"
    summary = "keep the last ones"
    Options = Options
    def steps(self, memories):
        return list(memories)[-self.options.keep:]
'''

# as in Agno's documentation of custom strategies
AGNO = '''
from datetime import datetime
from typing import List
from agno.db.schemas import UserMemory
from agno.memory.strategies import MemoryOptimizationStrategy
from agno.models.base import Model

class RecentOnlyStrategy(MemoryOptimizationStrategy):
    """Keep only the N most recent memories."""

    def __init__(self, keep_count: int = 2):
        self.keep_count = keep_count

    def get_system_prompt(self) -> str:
        return ""

    def optimize(self, memories: List[UserMemory], model: Model) -> List[UserMemory]:
        sorted_memories = sorted(memories, key=lambda m: m.updated_at or m.created_at or datetime.min, reverse=True)
        return sorted_memories[: self.keep_count]

    async def aoptimize(self, memories: List[UserMemory], model: Model) -> List[UserMemory]:
        return self.optimize(memories, model)

class Asking(MemoryOptimizationStrategy):
    """Asks the model for one memory."""

    def get_system_prompt(self) -> str:
        return "Summarize."

    def _messages(self, memories):
        from agno.models.message import Message
        return [Message(role="system", content=self.get_system_prompt()),
                Message(role="user", content="\\n".join(m.memory for m in memories))]

    def _made(self, memories, text):
        return [UserMemory(memory=text, memory_id="new", user_id=memories[0].user_id)]

    def optimize(self, memories, model):
        return self._made(memories, model.response(messages=self._messages(memories)).content)

    async def aoptimize(self, memories, model):
        response = await model.aresponse(messages=self._messages(memories))
        return self._made(memories, response.content)
'''


@pytest.fixture
def path(tmp_path):
    return make_store(tmp_path / "a.db", [row(f"m{n}", t, at=1_735_689_600 + n, topics=["x"]) for n, t in enumerate(TEXTS)])


@pytest.fixture
def agno():
    return pytest.importorskip("agno")


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def left(path):
    return sorted(item.memory_id for item in MemoryManager(path).get_user_memories("u1").memories)


def optimize(path, name, *flags, **more):
    return call_memopt("optimize", "--db", path, "--user", "u1", "--strategy", name, *flags, **more)


# --- by file ------------------------------------------------------------------------------------------------------------


def test_a_file_gives_a_strategy_with_its_options(path, tmp_path):
    write(tmp_path, "mine.py", OWN)
    done = optimize(path, "./mine.py:Last", "-o", "keep=3", "--apply", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert left(path) == ["m1", "m2", "m3"]


def test_two_files_of_one_name_are_two_modules(tmp_path):
    one = write(tmp_path, "a/mine.py", OWN)
    two = write(tmp_path, "b/mine.py", OWN.replace('"last"', '"other"'))
    assert strategy_class(f"{one}:Last").name == "last" and strategy_class(f"{two}:Last").name == "other"


@pytest.mark.parametrize(("text", "name"), [(OWN, "Last"), (AGNO, "RecentOnlyStrategy")])
def test_a_run_of_a_file_is_known_again_by_other_processes_until_the_file_is_another(tmp_path, text, name):
    code = (
        "import sys; from memopt.fleet import recipe_of; from memopt.strategies.registry import make_chain; "
        "print(recipe_of(make_chain([sys.argv[1]], {})))"
    )

    def recipe(folder, source, seed):
        place = tmp_path / folder / "mine.py"
        place.parent.mkdir(exist_ok=True)
        place.write_text(source, encoding="utf-8")
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code, f"{place}:{name}"], capture_output=True, text=True, env=env, check=True
        )
        return done.stdout

    first = recipe("a", text, "1")
    assert recipe("a", text, "2") == first and recipe("b", text, "3") == first
    assert recipe("a", text + "\n# changed\n", "1") != first


def test_a_step_with_a_dot_in_its_name_can_be_given_options(tmp_path):
    name = f"{write(tmp_path, 'mine.v2.py', OWN)}:Last"
    chain = make_chain([name, "recent"], {f"{name}.keep": "3", "recent.keep": "5"})
    assert [each.options.keep for each in chain] == [3, 5]
    by_own_name = make_chain([name, "recent"], {"keep": "4"})
    assert [each.options.keep for each in by_own_name] == [4, 4]


@pytest.mark.parametrize(
    ("text", "name", "kind", "says"),
    [
        (OWN, "mine.py:Nope", UsageError, "has no class 'Nope'; strategies in it: Last"),
        (OWN, "mine.py:", UsageError, "names no class"),
        (OWN, "mine.py:Options", UsageError, "is no strategy"),
        (OWN, "mine.py:dataclass", UsageError, "is no strategy"),
        (OWN, "gone.py:Last", UsageError, "there is no strategy file"),
        ("import nonexistent_thing", "mine.py:Last", StrategyError, "ModuleNotFoundError: No module named 'nonexistent_thing'"),
        ("def broken(:", "mine.py:Last", StrategyError, "SyntaxError"),
        ("1 / 0", "mine.py:Last", StrategyError, "ZeroDivisionError"),
        ("import sys\nsys.exit(0)", "mine.py:Last", StrategyError, "SystemExit"),
        ("raise RuntimeError('line one\\nline two')", "mine.py:Last", StrategyError, "line one line two"),
        ("\x00", "mine.py:Last", StrategyError, "null bytes"),
    ],
)
def test_a_file_that_gives_none_is_said_in_one_line(path, tmp_path, text, name, kind, says):
    write(tmp_path, "mine.py", text)
    before = dump(path)
    with pytest.raises(kind) as caught:
        load(f"{tmp_path}/{name}")
    assert says in str(caught.value) and "\n" not in str(caught.value)
    done = optimize(path, f"{tmp_path}/{name}", "--apply")
    assert done.returncode == kind.exit_code and done.stderr.count("\n") == 1 and done.stdout == ""
    assert dump(path) == before


BROKEN_BODIES = {
    "raises": ("raise ValueError('no\\nway')", "ValueError: no way"),
    "none": ("return None", "returned NoneType"),
    "texts": ("return ['a']", "str"),
    "foreign user": ("return [m.but(user_id='other') for m in memories]", "user"),
    "twice": ("return [memories[0], memories[0]]", "twice"),
}


@pytest.mark.parametrize("kind", BROKEN_BODIES)
def test_a_strategy_that_breaks_its_contract_is_blamed_by_name_and_nothing_is_written(path, tmp_path, kind):
    body, says = BROKEN_BODIES[kind]
    text = (
        "from memopt import MemoryOptimizationStrategy\nclass Bad(MemoryOptimizationStrategy):\n"
        f"    name = 'bad'\n    def steps(self, memories):\n        {body}\n"
    )
    write(tmp_path, "bad.py", text)
    before = dump(path)
    done = optimize(path, f"{tmp_path}/bad.py:Bad", "--apply")
    assert done.returncode == 4 and "strategy bad" in done.stderr and says in done.stderr and done.stderr.count("\n") == 1
    assert "nothing was written" in done.stderr and dump(path) == before


# --- by import path and entry point -------------------------------------------------------------------------------------


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages: one good plugin, one that cannot be imported, one that is no strategy."""
    folder = tmp_path / "site"
    write(folder, "memopt_plugin_good/__init__.py", OWN)
    write(folder, "memopt_plugin_bad.py", "print('imported')\nraise RuntimeError('broken')")
    plugins = {"last": "memopt_plugin_good:Last", "bad": "memopt_plugin_bad:Bad", "none": "memopt_plugin_good:Options"}
    entries = "[memopt.strategies]\n" + "".join(f"{name} = {place}\n" for name, place in plugins.items())
    write(folder, "memopt_plugin-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: memopt-plugin\nVersion: 1.0\n")
    write(folder, "memopt_plugin-1.0.dist-info/entry_points.txt", entries)
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    for name in [name for name in sys.modules if name.startswith("memopt_plugin_") and "mine" not in name]:
        del sys.modules[name]


def test_an_entry_point_is_a_strategy_like_any_other(site, path):
    done = optimize(path, "last", "-o", "keep=1", "--apply")
    assert done.returncode == 0, done.stderr
    assert left(path) == ["m3"]


def test_an_import_path_is_too(site, path):
    assert optimize(path, "memopt_plugin_good:Last", "--apply").returncode == 0
    assert left(path) == ["m2", "m3"]


def test_listing_plugins_imports_none(site, capsys):
    assert {"last", "bad", "none"} <= set(entry_point_names())
    assert "last" in names() or "last" in entry_point_names()
    with pytest.raises(UsageError, match="last"):
        strategy_class("lats")
    assert not [name for name in sys.modules if name.startswith("memopt_plugin_good") or name == "memopt_plugin_bad"]
    assert capsys.readouterr().out == ""


def test_the_command_that_lists_them_survives_a_broken_one(site):
    done = call_memopt("strategies")
    assert done.returncode == 0 and "last: installed plugin (memopt_plugin_good:Last)" in done.stdout
    listed = json_of_memopt("strategies")
    assert {"plugin": "bad", "place": "memopt_plugin_bad:Bad"} in listed["plugins"]
    assert any(item["name"] == "recent" for item in listed["strategies"]) and "memopt_plugin_bad" not in sys.modules


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("bad", 4, "the plugin bad (memopt_plugin_bad:Bad) cannot be imported: RuntimeError: broken"),
        ("none", 2, "is no strategy"),
        ("memopt_plugin_bad:Bad", 4, "cannot be imported: RuntimeError: broken"),
        ("memopt_plugin_gone:X", 2, "there is no module 'memopt_plugin_gone'"),
        ("memopt_plugin_good.deeper:X", 2, "there is no module 'memopt_plugin_good.deeper'"),
        ("memopt_plugin_good:Nope", 2, "strategies in it: Last"),
        ("nothing", 2, "there is no strategy 'nothing'"),
    ],
)
def test_a_plugin_that_was_named_and_fails_is_an_error(site, path, name, code, says):
    done = optimize(path, name, "--apply")
    assert done.returncode == code and says in done.stderr
    assert done.stderr.replace("imported\n", "").count("\n") == 1  # what the plugin itself prints apart


# --- classes written for Agno -------------------------------------------------------------------------------------------


@pytest.fixture
def recent_only(agno, tmp_path):
    return f"{write(tmp_path, 'agno_strategy.py', AGNO)}:RecentOnlyStrategy"


@pytest.fixture
def asking(agno, tmp_path):
    return f"{write(tmp_path, 'agno_strategy.py', AGNO)}:Asking"


def test_agnos_own_example_runs_unchanged_and_what_it_kept_is_not_touched(recent_only, path):
    before = dump(path)["agno_memories"]
    done = optimize(path, recent_only, "-o", "keep-count=3", "--apply")
    assert done.returncode == 0, done.stderr
    assert left(path) == ["m1", "m2", "m3"]
    assert all(line in before for line in dump(path)["agno_memories"])


@pytest.mark.parametrize("way", ["sync", "async"])
def test_it_runs_on_both_roads_and_its_argument_is_its_option(recent_only, path, way):
    manager = MemoryManager(path)
    strategy = strategy_class(recent_only)(keep_count="1")
    plan = manager.optimize_memories("u1", strategy) if way == "sync" else asyncio.run(manager.aoptimize_memories("u1", strategy))
    assert [memory.memory_id for memory in plan] == ["m3"]
    with pytest.raises(UsageError, match="keep-count"):
        strategy_class(recent_only)(keep=1)
    with pytest.raises(UsageError, match="whole number"):
        strategy_class(recent_only)(keep_count="many")


def test_undated_memories_do_not_upset_it(recent_only, tmp_path):
    path = make_store(tmp_path / "b.db", [row("a", "x", at=5), row("b", "y", at=6, updated_at=None), row("c", "z", at=7)])
    plan = MemoryManager(path).optimize_memories("u1", strategy_class(recent_only)())
    assert sorted(memory.memory_id for memory in plan) == ["b", "c"]
    assert not [change for change in plan.changes if change.action.value == "revised"]


@pytest.mark.parametrize("way", ["sync", "async"])
def test_what_an_agno_strategy_has_a_model_write_is_checked(asking, path, way):
    def go(text, **more):
        model = ScriptedModel(text)
        manager = MemoryManager(path, model)
        strategy = strategy_class(asking)()
        run = manager.optimize_memories if way == "sync" else lambda *a, **k: asyncio.run(manager.aoptimize_memories(*a, **k))
        return run("u1", strategy, **more), model

    with pytest.raises(VerificationError, match="Nemo"):
        go(" ".join([*TEXTS, "User owns a yacht called Nemo."]))
    plan, model = go(" ".join(text for text in TEXTS if "peanuts" not in text))
    assert model.asked[0].system == "Summarize." and model.asked[0].prompt == "\n".join(TEXTS)
    assert {memory.memory_id for memory in plan} == {"m1", "new"} and plan.usage.requests == 1
    (report,) = plan.verification["reports"]
    assert report["lost"][0]["memory_id"] == "m1" and report["lost"][0]["kept_beside"]


def test_a_whole_rewrite_of_an_agno_strategy_is_taken(asking, path):
    plan = MemoryManager(path, ScriptedModel(" ".join(TEXTS))).optimize_memories("u1", strategy_class(asking)(), apply=True)
    assert plan.run and left(path) == ["new"]


def test_an_agno_strategy_that_asks_needs_a_model(asking, path):
    assert strategy_class(asking).needs_model
    with pytest.raises(UsageError, match="--model"):
        MemoryManager(path).optimize_memories("u1", strategy_class(asking)())


# --- memopt's strategies inside Agno ------------------------------------------------------------------------------------


@pytest.fixture
def inside(agno, path):
    """Agno's own manager on its own database, and how to run a strategy on either road."""
    from agno.db.sqlite import SqliteDb
    from agno.memory import MemoryManager as AgnoManager
    from agno.models.openai.like import OpenAILike

    with Endpoint(say(" ".join(TEXTS))) as endpoint:
        db = SqliteDb(db_file=str(path))
        manager = AgnoManager(db=db, model=OpenAILike(id="scripted", api_key="x", base_url=endpoint.base_url))

        def go(strategy, way, **more):
            if way == "sync":
                return manager.optimize_memories("u1", strategy=strategy, **more)
            return asyncio.run(manager.aoptimize_memories("u1", strategy=strategy, **more))

        go.endpoint = endpoint
        go.stored = lambda: {m.memory_id: m.memory for m in manager.get_user_memories(user_id="u1")}
        yield go


WAYS = pytest.mark.parametrize("way", ["sync", "async"])


@WAYS
def test_recent_runs_inside_agno(inside, way):
    from memopt.agno import strategy

    result = inside(strategy("recent", keep=2), way)
    assert sorted(m.memory_id for m in result) == ["m2", "m3"]
    assert inside.stored() == {"m2": TEXTS[2], "m3": TEXTS[3]} and inside.endpoint.requests == []


@WAYS
def test_agno_may_preview_it_too(inside, way):
    from memopt.agno import strategy

    assert len(inside(strategy("recent", keep=1), way, apply=False)) == 1
    assert len(inside.stored()) == 4


@WAYS
def test_summarize_asks_agnos_model_and_checks_what_it_says(inside, way):
    from memopt.agno import strategy

    (summary,) = inside(strategy("summarize"), way)
    assert summary.memory == " ".join(TEXTS) and list(inside.stored().values()) == [" ".join(TEXTS)]
    (request,) = inside.endpoint.requests
    assert "long-term memory" in request.system and "User is allergic to peanuts." in request.prompt


@WAYS
def test_what_the_model_lost_stays_inside_agno_too(inside, way):
    from memopt.agno import strategy

    inside.endpoint.script = (say(" ".join(text for text in TEXTS if "peanuts" not in text)),)
    inside(strategy("summarize"), way)
    assert inside.stored()["m1"] == TEXTS[1] and len(inside.stored()) == 2


@WAYS
def test_inventions_are_refused_before_agno_clears_anything(inside, way):
    from memopt.agno import strategy

    inside.endpoint.script = (say("User owns a yacht called Nemo."),)
    with pytest.raises(VerificationError):
        inside(strategy("summarize"), way)
    assert len(inside.stored()) == 4


def test_an_instance_goes_in_as_well_and_the_prompt_can_be_seen(agno):
    from memopt.agno import strategy
    from memopt.strategies.recent import RecentOnlyStrategy
    from memopt.strategies.summarize import SummarizeStrategy

    assert strategy(SummarizeStrategy(prompt="Be brief.")).get_system_prompt() == "Be brief."
    assert strategy(RecentOnlyStrategy(keep=1)).optimize([], None) == []
    with pytest.raises(UsageError, match="there is no strategy"):
        strategy("nothing")


def test_without_agno_the_bridge_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "agno.memory.strategies", None)
    from memopt.agno import strategy

    with pytest.raises(ImportError):
        strategy("recent", keep=1)


def test_without_agno_its_strategies_get_plain_objects(monkeypatch):
    monkeypatch.setitem(sys.modules, "agno.db.schemas", None)
    from memopt.strategies.foreign import as_strategy

    class First:
        def __init__(self, keep: int = 1) -> None:
            self.keep = keep

        def get_system_prompt(self):
            return ""

        def optimize(self, memories, model=None):
            memories[0].memory += "!"
            return memories[: self.keep]

        async def aoptimize(self, memories, model=None):
            return self.optimize(memories, model)

    given = [UserMemory("a", "1", topics=("t",), user_id="u"), UserMemory("b", "2", user_id="u")]
    found = as_strategy(First, "First")
    assert issubclass(found, MemoryOptimizationStrategy)
    assert found(keep=2).optimize(given) == [given[0].but(memory="a!"), given[1]]
    assert asyncio.run(found().aoptimize(given)) == [given[0].but(memory="a!")]


KEEP = '''
import sys
from memopt import MemoryOptimizationStrategy

class Keep(MemoryOptimizationStrategy):
    """Keeps the newest."""
    def __init__(self, keep_count: int = 2, loud: bool = False):
        super().__init__()
        self.keep_count, self.loud = keep_count, loud
    def steps(self, memories):
        if self.loud:
            print("loud")
        return list(memories)[-self.keep_count:]

class Exit(MemoryOptimizationStrategy):
    """Ends the process."""
    def steps(self, memories):
        sys.exit(0)

print("imported")
'''


def test_the_arguments_of_a_class_of_ones_own_are_its_options(path, tmp_path):
    (tmp_path / "pl.py").write_text(KEEP)
    base = ("optimize", "--db", path, "--user", "u1", "--strategy", "./pl.py:Keep")
    plan = json_of_memopt(*base, "-o", "keep_count=3", cwd=tmp_path)
    assert sum(change["action"] == "kept" for change in plan["changes"]) == 3
    for wrong in ("keepcount=3", "keep_count=many"):
        done = call_memopt(*base, "-o", wrong, cwd=tmp_path)
        assert done.returncode == 2 and "keep" in done.stderr and done.stderr.count("memopt: ") == 1


def test_what_a_plugin_prints_does_not_stand_in_front_of_the_document(path, tmp_path):
    (tmp_path / "pl.py").write_text(KEEP)
    done = call_memopt("optimize", "--db", path, "--user", "u1", "-s", "./pl.py:Keep", "-o", "loud=true", "--json", cwd=tmp_path)
    assert done.stdout.startswith("{") and "loud" in done.stderr and "imported" in done.stderr


def test_a_plugin_that_ends_the_process_is_an_error_and_no_success(path, tmp_path):
    (tmp_path / "pl.py").write_text(KEEP)
    before = dump(path)
    done = call_memopt("optimize", "--db", path, "--user", "u1", "-s", "./pl.py:Exit", "--apply", cwd=tmp_path)
    assert done.returncode not in (0, None) and "Exit" in done.stderr and "nothing was written" in done.stderr
    assert dump(path) == before
