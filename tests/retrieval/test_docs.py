"""docs/search.md is true: its defaults, its file and its code."""

import re

from support.agnofile import REPO

from memopt.memory import UserMemory
from memopt.retrieval import Ranking
from memopt.retrieval.index import BESIDE, RELATED
from memopt.settings import resolve

TEXT = (REPO / "docs" / "search.md").read_text(encoding="utf-8")


def test_the_defaults_are_those_of_the_code():
    defaults = Ranking()
    told = dict(re.findall(r"^\| `([a-z-]+)` \| ([\d.]+) \|", TEXT, re.MULTILINE))
    assert {name.replace("-", "_"): float(value) for name, value in told.items()} == {
        name: value for name, value in defaults.to_dict().items() if name not in ("k1", "b")
    }
    assert f"| `k1`, `b` | {defaults.k1:g}, {defaults.b:g} |" in TEXT
    shown = re.search(r"fused = ([\d.]+) meaning \+ ([\d.]+) words \+ ([\d.]+) entities", TEXT)
    assert shown and tuple(map(float, shown.groups())) == (defaults.semantic, defaults.lexical, defaults.entity)
    assert f"a cosine of {RELATED} " in TEXT and f"a cosine of {BESIDE} " in TEXT


def test_the_table_for_memopt_toml_is_read():
    (table,) = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
    assert Ranking.read(resolve({}, {}, table).search) == Ranking(recency=0.1, half_life_days=90)


def test_the_example_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(code, {"memories": [UserMemory("User lives in Bern"), UserMemory("User likes tea")]})
    assert "User lives in Bern" in capsys.readouterr().out.splitlines()[0]
