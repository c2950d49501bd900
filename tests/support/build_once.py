"""What is built for tests: once for all processes of a run, and again only when what it is built from has changed."""

import hashlib
import shutil
from collections.abc import Callable, Iterable
from fcntl import LOCK_EX, flock
from pathlib import Path

_CACHE_FOLDER = Path(__file__).parent.parent.parent / "build"
_JUNK = {"__pycache__", "dist", "node_modules"}


def build_once(kind: str, sources: Iterable[Path], build: Callable[[Path], None]) -> Path:
    """Give the folder in which `build` puts what it makes of these files and folders.

    Who needs it first builds it, and everybody else waits. Nobody may change what is there.
    """
    folder = _CACHE_FOLDER / kind / _hash(sources)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "building").open("w") as mark:
        flock(mark, LOCK_EX)
        if not (folder / "done").exists():
            content = folder / "content"
            shutil.rmtree(content, ignore_errors=True)
            content.mkdir()
            build(content)
            (folder / "done").touch()
    return folder / "content"


def _hash(sources: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for source in sources:
        files = [source] if source.is_file() else sorted(path for path in source.rglob("*") if path.is_file())
        for path in files:
            name = path.relative_to(source.parent)
            if not _JUNK & set(name.parts):
                content = path.read_bytes()
                digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:16]
