"""The objects of one deployment: each is built once, when it is first needed, from the types in its constructor.

A class declares in its constructor what it needs; nothing else has to know. What a constructor cannot declare (a
setting, a choice between two implementations) is a function that is provided for the type:

    parts.provide(MediaUrls, lambda ...)      how to build one
    parts.provide(ProfileDirectory, Profiles)      which class implements a Protocol
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, get_type_hints

T = TypeVar("T")


class ServiceContainer:
    def __init__(self) -> None:
        self._built: dict[Any, Any] = {ServiceContainer: self}
        self._builders: dict[Any, Callable[..., Any]] = {}
        self._to_close: list[Any] = []

    def register_instance(self, kind: type[T], instance: T) -> None:
        """Add an object that already exists. Its creator closes it."""
        self._built[kind] = instance

    def register_builder(self, kind: Any, builder: Callable[..., Any]) -> None:
        """Register how something is built, or which class implements a Protocol."""
        assert kind not in self._builders, f"{kind.__name__} is provided twice"
        self._builders[kind] = builder

    def get(self, kind: type[T]) -> T:
        if kind not in self._built:
            builder = self._builders.get(kind, kind)
            if inspect.isclass(builder) and builder is not kind:
                self._built[kind] = self.get(builder)
            else:
                # A part that depends on itself would recurse forever: the second time it is found here.
                self._built[kind] = _UnderConstruction(kind)
                self._built[kind] = created = self.call_with_services(builder)
                self._to_close.append(created)
        result = self._built[kind]
        assert not isinstance(result, _UnderConstruction), f"{kind.__name__} needs itself"
        return result  # type: ignore[no-any-return] # kept by its type

    def call_with_services(self, builder: Callable[..., T]) -> T:
        """Call something with the parts that its arguments are annotated with. Arguments with a default keep it."""
        function: Any = builder.__init__ if inspect.isclass(builder) else builder
        hints = get_type_hints(function)
        parameters = inspect.signature(builder).parameters.values()
        params = {
            parameter.name: self._resolve_argument(builder, hints, parameter.name)
            for parameter in parameters
            if parameter.default is parameter.empty
        }
        return builder(**params)

    async def close(self) -> None:
        """Close what was built, newest first: nothing is closed while something else still uses it."""
        while self._to_close:
            close = getattr(self._to_close.pop(), "close", None)
            if close is not None:
                closing = close()
                if inspect.isawaitable(closing):
                    await closing

    def _resolve_argument(self, builder: Callable[..., Any], hints: dict[str, Any], name: str) -> Any:
        kind = hints.get(name)
        assert inspect.isclass(kind), f"{builder} does not say what {name} is"
        known = kind in self._built or kind in self._builders
        assert known or _can_be_built(kind), f"nothing provides {kind.__name__}, which {builder} needs as {name}"
        return self.get(kind)


class _UnderConstruction:
    def __init__(self, kind: Any) -> None:
        self.kind = kind


def _can_be_built(kind: Any) -> bool:
    """A Protocol needs an implementation, and a number cannot be built."""
    return kind.__module__ != "builtins" and not getattr(kind, "_is_protocol", False)
