"""The suite itself: markers, one case of many draws, and the tests of one method."""

from __future__ import annotations

import subprocess
import sys

import pytest

from evaluate_bias.registry import METHODS
from tests.support.draws import in_one_case
from tests.support.of_method import ROOT, is_table, own_files


def pytest_says(*arguments: object) -> str:
    plain = ["-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    command = [sys.executable, *plain, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    return done.stdout + done.stderr


def test_every_value_is_checked_and_the_one_that_fails_is_named() -> None:
    seen = []

    @in_one_case("value", ["a", "b", "c"])
    def case(value: str, other: int) -> None:
        seen.append((value, other))
        assert value != "b"

    with pytest.raises(AssertionError) as caught:
        case(other=7)
    assert seen == [("a", 7), ("b", 7)]
    assert caught.value.__notes__ == ["value: value 1 of 3, 'b'"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_tests_to_select(method: str) -> None:
    files = [path for path in own_files(method) if path.name.startswith("test_")]
    assert any("\ndef test_" in path.read_text(encoding="utf-8") for path in files)
    assert any(path.name == "method.py" for path in own_files(method))
    assert is_table(ROOT / "tests" / "test_all_methods.py")
    assert not is_table(ROOT / "tests" / "methods" / "test_mac.py")


@pytest.mark.slow
def test_the_tests_of_one_method() -> None:
    some = (
        "tests/test_registry.py",
        "tests/methods/test_mac.py",
        "tests/methods/test_rnd.py",
        "src/evaluate_bias/methods/association",
    )
    chosen = [
        line for line in pytest_says("--method", "mac", "--collect-only", *some).splitlines() if "::" in line
    ]
    assert any(line.startswith("tests/methods/test_mac.py") for line in chosen)
    assert any(line.startswith("src/evaluate_bias/methods/association/mac/") for line in chosen)
    assert "tests/test_registry.py::test_record_is_complete[mac]" in chosen
    assert not [line for line in chosen if "mac" not in line]
    assert "no method 'wet'" in pytest_says("--method", "wet", "--collect-only", some[1])
