"""Argon2id, off the event loop: one hash takes some 20 ms of a core and 19 MiB."""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


async def hash_password(password: str) -> str:
    return await asyncio.to_thread(_HASHER.hash, password)


async def verify_password(password_hash: str | None, password: str) -> bool:
    """Check a password. An unknown user costs the same time as a known one, so that nobody can be guessed."""
    if password_hash is None:
        await hash_password(password)
        return False
    try:
        return await asyncio.to_thread(_HASHER.verify, password_hash, password)
    except (VerificationError, InvalidHashError):
        return False
