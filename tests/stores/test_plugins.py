"""Stores of other packages: found by the scheme of a URL, never imported otherwise, refused with their name where they fail."""

from __future__ import annotations

import sys
import textwrap

import pytest
from support.agnofile import fixture

from memopt.errors import StoreError, UsageError
from memopt.manager import MemoryManager
from memopt.stores import open_store


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with one store plugin, ``box``, whose module holds this code."""

    def install(code: str) -> None:
        (tmp_path / "boxstore.py").write_text(textwrap.dedent(code), encoding="utf-8")
        about = tmp_path / "boxstore-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: boxstore\nVersion: 1.0\n", encoding="utf-8")
        (about / "entry_points.txt").write_text("[memopt.stores]\nbox = boxstore:open_box\n", encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))

    yield install
    sys.modules.pop("boxstore", None)


GOOD = """
from memopt.stores.agno_sqlite import AgnoSqliteStore
def open_box(url, table=None, lock_timeout=5.0):
    return AgnoSqliteStore(url.removeprefix("box://"), table=table, lock_timeout=lock_timeout)
"""


def test_a_plugin_opens_the_urls_of_its_scheme(package, tmp_path):
    package(GOOD)
    plan = MemoryManager(f"box://{fixture('agno_v3.db', tmp_path)}").optimize_memories("u2", "dedupe")
    assert plan.has_changes


def test_a_plugin_is_not_imported_for_another_url(package, tmp_path):
    package("raise RuntimeError('imported')")
    open_store(str(fixture("agno_v3.db", tmp_path)))
    with pytest.raises(UsageError, match=r"no store for crate:// URLs.*box://"):
        open_store("crate://x")
    assert "boxstore" not in sys.modules


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise RuntimeError('no such library')", "box .boxstore:open_box. failed: RuntimeError: no such library"),
        ("def open_box(url, **more):\n    raise ValueError('bad\\nurl')", "ValueError: bad url"),
        ("def open_box(url, **more):\n    return 3", "made a int"),
    ],
)
def test_a_plugin_that_fails_is_named_with_the_reason(package, code, said):
    package(code)
    with pytest.raises(StoreError, match=said):
        open_store("box://x")
