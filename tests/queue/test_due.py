"""Choosing users for the queue."""

from __future__ import annotations

import tracemalloc

from support.agnofile import make_store, row

from memopt.fleet import Selection
from memopt.queue.due import Due
from memopt.stores import open_store

USERS = 8_000
LONG = "x" * 1_000


def test_memory_does_not_grow_with_the_number_of_users(tmp_path):
    path = make_store(tmp_path / "a.db", [row(f"m{n}", "Likes jazz", user=f"{n:06d}{LONG}") for n in range(USERS)])
    due = Due(open_store(str(path)), "no run yet", Selection(), "cl100k_base", force=True)
    tracemalloc.start()
    try:
        number = 0
        for user_id, _tokens in due:
            assert user_id == f"{number:06d}{LONG}"
            number += 1
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert number == USERS
    assert peak < 4_000_000, peak  # the ids alone are 8 MB
