"""A warning in our own code is an error. One of another package about its future is not: it may come with a date."""

import warnings

import pytest
from cryptography.utils import CryptographyDeprecationWarning

CHANGES = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)


def warn(category: type[Warning], module: str) -> None:
    warnings.warn_explicit("This will change.", category, "a_file.py", 1, module)


@pytest.mark.parametrize("category", [*CHANGES, CryptographyDeprecationWarning])
def test_another_package_may_announce_a_change(category: type[Warning]) -> None:
    with warnings.catch_warnings(record=True) as recorded:
        warn(category, "google.api_core._python_version_support")
    assert [warning.category for warning in recorded] == [category]


@pytest.mark.parametrize("module", ["socialgate.core.clock", "benchmarks.read", "support.service", "test_ids", "tiny"])
@pytest.mark.parametrize("category", CHANGES)
def test_our_own_code_uses_nothing_that_will_change(category: type[Warning], module: str) -> None:
    with pytest.raises(category):
        warn(category, module)


@pytest.mark.parametrize("category", [UserWarning, RuntimeWarning, ResourceWarning])
def test_any_other_warning_is_an_error_wherever_it_is_raised(category: type[Warning]) -> None:
    with pytest.raises(category):
        warn(category, "google.api_core")
