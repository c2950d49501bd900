"""A folder for one conversion, which is empty at first and gone afterwards, also after a crash."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_LOCK_SUFFIX = ".lock"


@contextmanager
def open_work_folder(parent: Path, name: str) -> Iterator[Path]:
    """Create a folder. Those that crashed processes have left beside it are deleted: nobody holds their locks."""
    parent.mkdir(parents=True, exist_ok=True)
    delete_abandoned_folders(parent)
    lock = parent / f"{name}.{os.getpid()}{_LOCK_SUFFIX}"
    folder = lock.with_suffix("")
    with _open_lock(lock):
        try:
            folder.mkdir()
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            lock.unlink(missing_ok=True)


def delete_abandoned_folders(parent: Path) -> None:
    for lock in parent.glob(f"*{_LOCK_SUFFIX}"):
        _delete_if_abandoned(lock)


def _open_lock(lock: Path) -> IO[str]:
    """Lock a new file. Before it is locked, another process may take it for one that was left, and delete it."""
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
