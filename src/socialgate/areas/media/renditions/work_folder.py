"""A folder for one conversion, which is empty at first and gone afterwards, also after a crash. Each has a lock, which
its process holds: those of all processes that use the same data folder are counted, so that they share the cores.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from socialgate.core.errors import StorageFull

_LOCK_SUFFIX = ".lock"
_RETRY_AFTER_SECONDS = 60


class NoCoreFreeError(Exception):
    """Other processes of this machine convert as many files as it has cores."""


def build_disk_full_error() -> StorageFull:
    """Say that a file could not be converted because of the disk: that is not the fault of the file."""
    return StorageFull(
        "The disk on which files are converted is almost full. The operator must free up disk space or lower "
        "SOCIALGATE_STORAGE_RESERVE_GIB.",
        retry_after=_RETRY_AFTER_SECONDS,
    )


@contextmanager
def open_work_folder(parent: Path, name: str, most: int) -> Iterator[Path]:
    """Create a folder, if there are fewer than `most`. Those that crashed processes have left are deleted: nobody holds
    their locks.
    """
    parent.mkdir(parents=True, exist_ok=True)
    lock = parent / f"{name}.{os.getpid()}{_LOCK_SUFFIX}"
    folder = lock.with_suffix("")
    with _create_lock(lock, most):
        try:
            folder.mkdir()
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            lock.unlink(missing_ok=True)


def delete_abandoned_folders(parent: Path) -> None:
    for lock in parent.glob(f"*{_LOCK_SUFFIX}"):
        _delete_if_abandoned(lock)


def _create_lock(lock: Path, most: int) -> IO[str]:
    """Create a lock and take it. While this one counts the others, no process creates another."""
    with _locked(lock.parent):
        delete_abandoned_folders(lock.parent)
        if len(list(lock.parent.glob(f"*{_LOCK_SUFFIX}"))) >= most:
            raise NoCoreFreeError
        return _open_lock(lock)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _open_lock(lock: Path) -> IO[str]:
    """Lock a new file. Before it is locked, a process that starts may take it for one that was left, and delete it."""
    while True:
        file = lock.open("w")
        fcntl.flock(file, fcntl.LOCK_EX)
        if os.fstat(file.fileno()).st_nlink:
            return file
        file.close()


def _delete_if_abandoned(lock: Path) -> None:
    try:
        with lock.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
            lock.unlink(missing_ok=True)
    except OSError:
        # Somebody works there, or has just finished.
        return
