"""Identifiers and tokens that look like a vendor's."""

import secrets
import string

_ALPHANUMERIC = string.ascii_letters + string.digits
# Which of them stands for a random byte.
_CHARACTER_OF_BYTE = bytes(ord(_ALPHANUMERIC[byte % len(_ALPHANUMERIC)]) for byte in range(256))


def generate_digits(length: int) -> str:
    """Generate a number with this many digits that does not start with 0, as a string."""
    return str(secrets.randbelow(9 * 10 ** (length - 1)) + 10 ** (length - 1))


def generate_alphanumeric(length: int) -> str:
    """Generate a random string of letters and digits."""
    return secrets.token_bytes(length).translate(_CHARACTER_OF_BYTE).decode()


def generate_hex(length: int) -> str:
    return secrets.token_hex((length + 1) // 2)[:length]
