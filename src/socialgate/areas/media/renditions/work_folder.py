"""A folder for one conversion, which is empty at first and gone afterwards, also after a crash."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOCK_SUFFIX = ".lock"


@contextmanager
def open_work_folder(parent: Path, name: str) -> Iterator[Path]:
    """Create a folder. Those that crashed processes have left beside it are deleted: nobody holds their locks."""
    parent.mkdir(parents=True, exist_ok=True)
    for lock in parent.glob(f"*{_LOCK_SUFFIX}"):
        _delete_if_abandoned(lock)
    lock = parent / f"{name}.{os.getpid()}{_LOCK_SUFFIX}"
    folder = lock.with_suffix("")
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            folder.mkdir()
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            lock.unlink(missing_ok=True)


def _delete_if_abandoned(lock: Path) -> None:
    try:
        with lock.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
            lock.unlink(missing_ok=True)
    except OSError:
        # Somebody works there, or has just finished.
        return
