"""What the framework reads from the signatures of handlers, kept for all services of a test process.

Most of the time of a start goes into this, and the handlers of every service are the same functions.
"""

from typing import Any

from litestar._signature.model import SignatureModel
from litestar.utils.signature import ParsedSignature


def keep_signatures() -> None:
    """Let the framework read each signature once."""
    _keep(ParsedSignature, "from_fn", lambda fn, _namespace: (fn,))
    _keep(SignatureModel, "create", lambda fn, dependency_name_set, **_: (fn, frozenset(dependency_name_set)))


def _keep(owner: type, name: str, key_of: Any) -> None:
    read = getattr(owner, name)
    kept: dict[Any, Any] = {}

    def read_once(*args: Any, **options: Any) -> Any:
        key = key_of(*args, **options)
        # Functions in functions are new for each service.
        if "<locals>" in key[0].__qualname__:
            return read(*args, **options)
        if key not in kept:
            kept[key] = read(*args, **options)
        return kept[key]

    setattr(owner, name, staticmethod(read_once))
