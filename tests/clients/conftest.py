from pathlib import Path

import pytest

from support.client_packages import build_wheel, install_package


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the wheel of the Python client."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder in which the TypeScript client is installed."""
    return install_package(tmp_path_factory.mktemp("package"))
