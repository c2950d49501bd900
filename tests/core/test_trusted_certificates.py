"""Clients read the trusted certificates from one file, unless the operator named another place."""

from pathlib import Path

import pytest

from socialgate.core import trusted_certificates
from socialgate.core.trusted_certificates import use_certificate_bundle


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "certs" / "bundle.crt"
    path.parent.mkdir()
    path.touch()
    monkeypatch.setattr(trusted_certificates, "_SYSTEM_BUNDLES", (tmp_path / "missing.crt", path))
    return path


def test_the_bundle_of_the_system_is_used(bundle: Path) -> None:
    environ: dict[str, str] = {}
    use_certificate_bundle(environ)
    assert environ == {"SSL_CERT_FILE": str(bundle)}


def test_the_folder_of_a_bundle_is_not_read_as_well(bundle: Path) -> None:
    environ = {"SSL_CERT_FILE": str(bundle), "SSL_CERT_DIR": f"{bundle.parent}/"}
    use_certificate_bundle(environ)
    assert environ == {"SSL_CERT_FILE": str(bundle)}


@pytest.mark.parametrize(
    "environ",
    [
        {"SSL_CERT_DIR": "/mine"},
        {"SSL_CERT_FILE": "/mine/ca.pem"},
        {"SSL_CERT_FILE": "/mine/ca.pem", "SSL_CERT_DIR": "/etc/ssl/certs"},
        {"SSL_CERT_FILE": "/mine/ca.pem", "SSL_CERT_DIR": "/mine:/other"},
    ],
)
def test_what_an_operator_named_stays(bundle: Path, environ: dict[str, str]) -> None:
    del bundle
    named = dict(environ)
    use_certificate_bundle(environ)
    assert environ == named


def test_a_machine_without_a_bundle_keeps_its_own_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trusted_certificates, "_SYSTEM_BUNDLES", (tmp_path / "missing.crt",))
    environ: dict[str, str] = {}
    use_certificate_bundle(environ)
    assert environ == {}
