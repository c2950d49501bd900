"""Argon2id, off the event loop: one hash takes some 20 ms of a core and 19 MiB."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
# Threads of their own: whatever keeps the event loop's shared ones busy must not keep people from signing in. Few,
# because each takes a core and the memory of a hash. They are started when the first password comes.
_THREADS = ThreadPoolExecutor(min(4, os.cpu_count() or 1), thread_name_prefix="passwords")


async def hash_password(password: str) -> str:
    return await asyncio.get_running_loop().run_in_executor(_THREADS, _HASHER.hash, password)


async def verify_password(password_hash: str | None, password: str) -> bool:
    """Check a password. An unknown user costs the same time as a known one, so that nobody can be guessed."""
    if password_hash is None:
        await hash_password(password)
        return False
    try:
        return await asyncio.get_running_loop().run_in_executor(_THREADS, _HASHER.verify, password_hash, password)
    except (VerificationError, InvalidHashError):
        return False
