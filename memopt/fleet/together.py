"""Some users at a time, in threads: a database server answers one while another is worked on here."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")


def in_threads(items: Iterable[T], do: Callable[[T], R], settled: Callable[[T, R], None], *, threads: int) -> None:
    """Do each item in one of some threads, and settle them in their order in the caller's thread.

    Memory does not grow with their number. What is under way is done and settled also where the items, or Ctrl-C, end it.

    Args:
        items: asked for the next one when there is room for it.
        settled: is called with each item and what became of it.

    Raises:
        whatever ``do`` raises, when its item is to be settled.
    """
    from concurrent.futures import ThreadPoolExecutor

    under_way: deque[tuple[T, Future[R]]] = deque()

    def settle() -> None:
        item, work = under_way.popleft()
        settled(item, work.result())

    with ThreadPoolExecutor(threads, thread_name_prefix="memopt-user") as pool:
        try:
            for item in items:
                under_way.append((item, pool.submit(do, item)))
                if len(under_way) >= 2 * threads:
                    settle()
        finally:
            while under_way:
                settle()


__all__ = ["in_threads"]
