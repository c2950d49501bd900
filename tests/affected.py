"""Print the test files that a change can have broken, nearest first: `python tests/affected.py [commit]`.

What changed since the commit (by default since the last one; in a clean checkout, what the last one changed) is looked
up in the import graph, in three groups: test files that changed, that mirror a changed file by their name, or that
import it; then those that import it through one other module; then a few files that cross the whole service. A test
that starts the service imports all of it, so longer ways say nothing.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What any change can break, and takes a few seconds.
CORE = ("tests/connectors/test_conformance.py", "tests/docs/test_source.py", "tests/journeys/test_customer.py")
# Where modules are imported from, the longest first.
_SOURCES = ("sandbox/src/", "sandbox/tests/", "src/", "tests/", "sandbox/", "")
# Parts of paths that name no subject.
_COMMON = frozenset(
    {"", "__init__", "areas", "connectors", "core", "docs", "sandbox", "socialgate", "src", "tests", "web"}
)

Graph = Mapping[str, frozenset[str]]


def main(since: str | None) -> None:
    graph = import_graph(_git("ls-files", "--cached", "--others", "--exclude-standard", "*.py"))
    for path in affected(graph, changed_files(since)):
        sys.stdout.write(f"{path}\n")


def changed_files(since: str | None) -> list[str]:
    new = _git("ls-files", "--others", "--exclude-standard")
    return _git("diff", "--name-only", since or "HEAD") + new or _git("diff", "--name-only", "HEAD~1")


def affected(graph: Graph, changed: Iterable[str]) -> list[str]:
    """Order the test files by how near they are to what changed."""
    paths = [path for path in changed if Path(path).suffix in {".py", ".html", ".md", ".css", ".js", ".toml"}]
    near = {test for test in graph if _is_test(test) and (test in paths or any(_mirrors(test, path) for path in paths))}
    direct = _importing(graph, paths)
    near |= {path for path in direct if _is_test(path)}
    far = {path for path in _importing(graph, direct) if _is_test(path)}
    ordered = [*sorted(near), *sorted(far - near), *CORE]
    return [path for path in dict.fromkeys(ordered) if (ROOT / path).exists()]


def _mirrors(test: str, path: str) -> bool:
    """Whether a test is named after a file or its folder: `areas/test_posts_due.py` after `areas/posts/store.py`."""
    subjects = [part for part in Path(path).with_suffix("").parts if part not in _COMMON]
    stem, folders = Path(test).stem.removeprefix("test_"), set(Path(test).parts)
    return any(stem == subject or stem.startswith(f"{subject}_") or subject in folders for subject in subjects)


def _importing(graph: Graph, paths: Iterable[str]) -> set[str]:
    values = set(paths)
    return {path for path, imported in graph.items() if imported & values}


def import_graph(paths: Iterable[str]) -> Graph:
    """Give the files that each file imports."""
    by_module = {_module_of(path): path for path in paths if (ROOT / path).exists()}
    return {
        path: frozenset(by_module[name] for name in _imports((ROOT / path).read_text()) if name in by_module)
        for path in by_module.values()
    }


def _imports(source: str) -> Iterator[str]:
    for node in _statements(ast.parse(source).body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _statements(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Walk over statements alone, which are a tenth of the nodes of a tree."""
    for node in body:
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, name, ())
            if isinstance(inner, list):
                yield from _statements(inner)


def _module_of(path: str) -> str:
    inner = next(path.removeprefix(source) for source in _SOURCES if path.startswith(source))
    return inner.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _is_test(path: str) -> bool:
    return Path(path).name.startswith("test_")


def _git(*arguments: str) -> list[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")[
        :-1
    ]


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
