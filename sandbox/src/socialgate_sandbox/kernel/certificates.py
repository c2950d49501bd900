"""The certificate of the hook receiver, and the authority that signed it. Both are created once."""

import os
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

CA_FILE_NAME = "sandbox-ca.pem"
_CERTIFICATE_FILE_NAME = "sandbox-receiver.pem"
# Long before any clock that looks at it: that of this process may be ahead of the one that the TLS library reads.
_VALID_FROM = datetime(2020, 1, 1, tzinfo=UTC)
_VALIDITY_PERIOD = timedelta(days=3650)


class Certificates(msgspec.Struct, frozen=True):
    """`ca_path` is what a client must trust; `receiver_path` holds the chain and its key."""

    ca_path: Path
    receiver_path: Path


def load_certificates(folder: Path) -> Certificates:
    certificates = Certificates(folder / CA_FILE_NAME, folder / _CERTIFICATE_FILE_NAME)
    if not (certificates.ca_path.exists() and certificates.receiver_path.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        _create_certificates(certificates)
    return certificates


def _create_certificates(files: Certificates) -> None:
    from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415 - needed at the first start only
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat  # noqa: PLC0415 - same

    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority = _build_certificate("Socialgate sandbox authority", authority_key, authority_key, None)
    leaf = _build_certificate("Socialgate sandbox receiver", key, authority_key, authority)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    # The receiver first: if only one of the two was written, both are created again, so they always match.
    _write_private_file(files.receiver_path, private + leaf.public_bytes(Encoding.PEM))
    _write_private_file(files.ca_path, authority.public_bytes(Encoding.PEM))


def _build_certificate(
    name: str, key: "EllipticCurvePrivateKey", signer: "EllipticCurvePrivateKey", issuer: "x509.Certificate | None"
) -> "x509.Certificate":
    from cryptography import x509  # noqa: PLC0415 - needed at the first start only
    from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415 - same

    subject = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, name)])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject if issuer is None else issuer.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_VALID_FROM)
        .not_valid_after(datetime.now(UTC) + _VALIDITY_PERIOD)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
    )
    if issuer is not None:
        names = [x509.DNSName("localhost"), x509.IPAddress(IPv4Address("127.0.0.1"))]
        usage = x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH])
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        builder = builder.add_extension(usage, critical=False)
    return builder.sign(signer, SHA256())


def _write_private_file(path: Path, content: bytes) -> None:
    """Write the file atomically, readable only by its owner."""
    half = path.with_suffix(".new")
    with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(content)
    half.replace(path)
