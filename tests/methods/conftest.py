"""What the tests of several methods measure."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.tiny_models import loaded_bert


@pytest.fixture(scope="session")
def bert() -> Any:
    return loaded_bert()
