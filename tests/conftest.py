"""What all tests share."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from hypothesis import settings

# No example is timed: a machine that is busy with something else must not fail a test.
settings.register_profile("memopt", deadline=None)
settings.load_profile("memopt")


@pytest.fixture
def opened():
    """What a test enters here is left when it ends."""
    with ExitStack() as stack:
        yield stack
