"""Where connectors make requests, read from their source: every line that awaits a call of the client.

A line in a method counts once for each class that it runs for: `MetaAdObjects.create` creates campaigns, ad sets and
ads. What is compared is only worth something if no such line was forgotten.
"""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from socialgate import connectors

_ROOT = Path(connectors.__file__).parent
# The methods of the clients that make a request.
_CALLS = frozenset(
    {
        "get",
        "post",
        "call",
        "call_for_success",
        "list_all",
        "fetch_response",
        "stream",
        "send",
        "send_events",
        "send_message",
        "send_part",
        "send_post",
        "create_object",
        "iterate_pages",
        "list_pages",
        "exchange_token",
        "delete",
        "delete_messages",
        "delete_session",
        "fetch_permissions",
        "_try",
        "_try_source",
    }
)
# What all connectors call: the lines in there are reached by every request.
_SHARED = frozenset(
    {"client.py", "transport.py", "insights.py", "graph/dialect.py", "dialects/google.py", "graph/api.py"}
)
# Calls what the stages of a post have, and makes no request of its own.
_RUNNER = "publishing_stages.py"
# The connectors that call functions of `connectors/graph`.
_OF_GRAPH = frozenset({"meta", "threads"})
# Those whose tokens come from a `TokenEndpoint`, which they have and do not inherit.
_OF_TOKENS = frozenset({"google", "tiktok"})


class Site(NamedTuple):
    """`owner` is the class that the line runs for, empty outside of classes. `name` is unique and stays with edits."""

    file: str
    owner: str
    function: str
    first: int
    last: int
    number: int

    @property
    def name(self) -> str:
        place = f"{self.owner}.{self.function}" if self.owner else self.function
        return f"{self.file}: {place}" + (f" #{self.number + 1}" if self.number else "")

    def is_at(self, file: str, function: str, line: int) -> bool:
        return (file, function) == (self.file, f"{self.owner}.{self.function}") and self.first <= line <= self.last


def sites_of(package: str) -> list[Site]:
    """List the sites of one connector: in its own modules, in what its classes inherit, and in functions it shares."""
    own = [module for module in _modules() if f".{package}." in f"{module.__name__}."]
    shared = [module for module in _modules() if ".graph." in f"{module.__name__}."] if package in _OF_GRAPH else []
    tokens = [module for module in _modules() if module.__name__.endswith(".token_endpoint")]
    plain = [site for module in (*own, *shared) for site in _of_functions(module)]
    classes = (*own, *tokens) if package in _OF_TOKENS else own
    return sorted({*plain, *(site for module in classes for site in _of_classes(module))})


@cache
def _modules() -> list[ModuleType]:
    names = [item.name for item in pkgutil.walk_packages([str(_ROOT)], "socialgate.connectors.")]
    return [importlib.import_module(name) for name in names]


@cache
def _classes() -> dict[type, ModuleType]:
    module_types = {}
    for module in _modules():
        for type_ in vars(module).values():
            if isinstance(type_, type) and type_.__module__ == module.__name__:
                module_types[type_] = module
    return module_types


def _of_functions(module: ModuleType) -> Iterator[Site]:
    for owner, function, node in _functions(module):
        if not owner:
            yield from _sites(module, "", function, node)


def _of_classes(module: ModuleType) -> Iterator[Site]:
    """List the sites of the classes that nothing else is based on, with those of their bases."""
    bases = {base for type_ in _classes() for base in type_.__mro__[1:]}
    for type_, home in _classes().items():
        if home is not module or type_ in bases or inspect.isabstract(type_):
            continue
        replaced: set[str] = set()
        for base in type_.__mro__:
            own = (
                [each for each in _functions(_classes()[base]) if each[0] == base.__name__]
                if base in _classes()
                else []
            )
            for _, function, node in own:
                if function not in replaced:
                    yield from _sites(_classes()[base], type_.__name__, function, node)
            replaced |= {function for _, function, node in own if not _calls_its_base(node)}


def _calls_its_base(node: ast.AsyncFunctionDef) -> bool:
    return any(isinstance(call_node, ast.Name) and call_node.id == "super" for call_node in ast.walk(node))


@cache
def _functions(module: ModuleType) -> list[tuple[str, str, Any]]:
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    result: list[tuple[str, str, Any]] = []
    for node in tree.body:
        if isinstance(node, ast.AsyncFunctionDef):
            result.append(("", node.name, node))
        if isinstance(node, ast.ClassDef):
            result += [(node.name, stmt.name, stmt) for stmt in node.body if isinstance(stmt, ast.AsyncFunctionDef)]
    return result


def _sites(module: ModuleType, owner: str, function: str, node: ast.AsyncFunctionDef) -> Iterator[Site]:
    file = str(Path(module.__file__ or "").relative_to(_ROOT))
    if file in _SHARED or file == _RUNNER:
        return
    own = {
        call_node.id
        for call_node in ast.walk(node)
        if isinstance(call_node, ast.Name) and isinstance(call_node.ctx, ast.Store)
    }
    lines = sorted((expr.lineno, expr.end_lineno or expr.lineno) for expr in _awaited(node) if _is_call(expr, own))
    for number, (first, last) in enumerate(lines):
        yield Site(file, owner, function, first, last, number)


def _awaited(node: ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    for call_node in ast.walk(node):
        if isinstance(call_node, ast.Await):
            yield call_node.value
        elif isinstance(call_node, ast.AsyncFor) or (isinstance(call_node, ast.comprehension) and call_node.is_async):
            yield call_node.iter
        elif isinstance(call_node, ast.AsyncWith):
            yield from (item.context_expr for item in call_node.items)


def _is_call(node: ast.expr, own: set[str]) -> bool:
    """Whether something calls a client: by the name of its method, or as a variable that holds one or its pages."""
    called = node.func if isinstance(node, ast.Call) else node
    if isinstance(called, ast.Name):
        return called.id in own
    return isinstance(called, ast.Attribute) and isinstance(node, ast.Call) and called.attr in _CALLS
