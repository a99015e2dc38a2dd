"""What the tests of the queue share."""

import pytest
from support.postgres import database


@pytest.fixture
def db():
    with database() as made:
        yield made
