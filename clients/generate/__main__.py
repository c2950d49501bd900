"""`python -m clients.generate`: write the clients. With `--check` nothing is written, and what differs is named."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from clients.generate.api import read_api
from clients.generate.document import load_document
from clients.generate.n8n import write_n8n
from clients.generate.python import write_python
from clients.generate.sync import write_sync
from clients.generate.typescript import write_typescript

_FOLDER = Path(__file__).parent.parent
_PYTHON = _FOLDER / "python" / "src" / "socialgate_client"
_TYPESCRIPT = _FOLDER / "typescript" / "src"
_N8N = _FOLDER / "n8n" / "nodes" / "Socialgate"
_MARK = "by `make reference`. Do not edit"


def main(arguments: Sequence[str]) -> int:
    api = read_api(load_document())
    files = _format_python(write_python(api) | write_sync(_PYTHON))
    files |= {_TYPESCRIPT / name: text for name, text in write_typescript(api).items()}
    files |= {_N8N / name: text for name, text in write_n8n(api).items()}
    stale = _find_stale(files, [_PYTHON, _TYPESCRIPT, _N8N])
    if "--check" in arguments:
        for path in stale:
            sys.stderr.write(f"{path.relative_to(_FOLDER.parent)} is not what the routes say. Run `make reference`.\n")
        return 1 if stale else 0
    for path in stale:
        if path in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
        else:
            path.unlink()
    return 0


def _find_stale(files: Mapping[Path, str], folders: Sequence[Path]) -> list[Path]:
    """Find generated files that are missing, differ, or are left over."""
    there = {
        path: text
        for folder in folders
        for path in folder.rglob("*.[pt][ys]")
        if (text := path.read_text(encoding="utf-8"))[:100].find(_MARK) >= 0
    }
    return sorted(path for path in {*files, *there} if files.get(path) != there.get(path))


def _format_python(files: Mapping[str, str]) -> dict[Path, str]:
    """Format files as all others here are formatted."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        # Sorted imports without what is not used, as `make lint` wants them.
        for command in (("check", "--select", "F401,I", "--fix", "--silent", "--exit-zero"), ("format", "--silent")):
            config = ("--config", str(_FOLDER.parent / "pyproject.toml"), "--no-cache")
            subprocess.run([sys.executable, "-m", "ruff", *command, *config, name], check=True)
        return {_PYTHON / path: (folder / path).read_text(encoding="utf-8") for path in files}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
