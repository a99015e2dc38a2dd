from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.llama import LlamaServer, serve, why_not


@pytest.fixture(scope="session")
def llama() -> Iterator[LlamaServer]:
    """A real small model behind a real server, once for all tests that ask it."""
    missing = why_not()
    if missing:
        pytest.skip(missing)
    with serve() as server:
        yield server
