"""Argon2id, off the event loop: one hash takes about 20 ms of a core and 19 MiB."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_PASSWORD_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# Separate threads: whatever keeps the event loop's shared threads busy must not keep people from signing in. Few,
# because each takes a core and the memory of a hash. They are started with the first password.
_HASHING_THREADS = ThreadPoolExecutor(min(4, os.cpu_count() or 1), thread_name_prefix="passwords")


async def hash_password(password: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(_HASHING_THREADS, _PASSWORD_HASHER.hash, password)


async def verify_password(password_hash: str | None, password: str) -> bool:
    """Check a password. An unknown user takes the same time as a known one, so that users cannot be enumerated."""
    if password_hash is None:
        await hash_password(password)
        return False
    try:
        return await asyncio.get_running_loop().run_in_executor(
            _HASHING_THREADS, _PASSWORD_HASHER.verify, password_hash, password
        )
    except (VerificationError, InvalidHashError):
        return False
