"""What all tests share."""

from __future__ import annotations

from hypothesis import settings

# No example is timed: a machine that is busy with something else must not fail a test.
settings.register_profile("memopt", deadline=None)
settings.load_profile("memopt")
