"""Lists in temporary files: they come back as they went in, in order, and take no memory for what they hold."""

from __future__ import annotations

import os
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memopt.errors import MemoptError
from memopt.spill import Places, Spill

SURROGATES = st.text(st.characters(codec=None, exclude_categories=()))


@given(st.lists(st.tuples(SURROGATES, st.integers(-(10**9), 10**9)), max_size=30), st.integers(0, 40))
def test_texts_come_by_their_number_and_then_as_they_came(items, most):
    spill = Spill()
    for text, number in items:
        spill.add(text, number)
    wanted = [text for text, _ in sorted(items, key=lambda item: item[1])]
    assert len(spill) == len(items)
    assert list(spill.in_order()) == wanted
    assert list(spill.in_order(most)) == wanted[:most]
    spill.close()


def test_the_last_place_that_was_noted_is_found():
    places = Places()
    places.note(b"a", 1)
    places.note(b"b", 2)
    places.note(b"a", 3)
    assert (places.find(b"a"), places.find(b"b"), places.find(b"c")) == (3, 2, None)
    places.close()


def test_what_is_in_it_is_not_in_memory():
    spill = Spill()
    tracemalloc.start()
    try:
        for number in range(50_000):
            spill.add(f"user-{number:012d}", -number)
        assert sum(1 for _ in spill.in_order()) == 50_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
        spill.close()
    assert peak < 1_000_000


def test_it_lies_beside_nothing_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    spill = Spill()
    for number in range(50_000):
        spill.add("x" * 200, number)
    assert os.listdir(tmp_path) == []
    spill.close()
    assert os.listdir(tmp_path) == []


def test_a_full_folder_for_temporary_files_is_named():
    spill = Spill()
    spill._conn.execute("PRAGMA max_page_count = 20")
    with pytest.raises(MemoptError, match="SQLITE_TMPDIR"):
        for number in range(50_000):
            spill.add("x" * 200, number)
    spill.close()
