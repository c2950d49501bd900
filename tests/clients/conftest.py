from pathlib import Path

import pytest

from support.client_packages import build_wheel, install_package, install_wheel


@pytest.fixture(scope="session")
def wheel() -> Path:
    """Give the wheel of the Python client."""
    return build_wheel()


@pytest.fixture(scope="session")
def python_client() -> Path:
    """Give the folder in which the wheel is installed. It is for `PYTHONPATH`."""
    return install_wheel()


@pytest.fixture
def node_folder(tmp_path: Path) -> Path:
    """Give a folder whose programs find the TypeScript client."""
    (tmp_path / "package.json").write_text('{"private": true, "type": "module"}')
    (tmp_path / "node_modules").symlink_to(install_package() / "node_modules")
    return tmp_path
