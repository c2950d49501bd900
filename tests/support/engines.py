"""Cases of a test that runs on both engines, most of which say nothing about the engine."""

from collections.abc import Iterable
from typing import Any

import pytest

ONE_ENGINE = pytest.mark.one_engine


def first_on_both(cases: Iterable[Any]) -> list[Any]:
    """Let the first case run on both engines, and the others on one."""
    first, *others = cases
    return [first, *(_on_one(case) for case in others)]


def _on_one(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=[*case.marks, ONE_ENGINE], id=case.id)
    return pytest.param(*case, marks=ONE_ENGINE) if isinstance(case, tuple) else pytest.param(case, marks=ONE_ENGINE)
