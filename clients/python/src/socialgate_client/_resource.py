"""What all resources share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from ._async.client import AsyncSender, AsyncSocialgate
    from ._async.pages import AsyncPages
    from ._call import RawResponse
    from ._sync.client import Sender, Socialgate
    from ._sync.pages import Pages

Params = ParamSpec("Params")
T = TypeVar("T")
P = TypeVar("P")


class Resource:
    """A group of methods. `_client` sends their calls, `_root` is the client itself."""

    def __init__(self, client: Sender, root: Socialgate) -> None:
        self._client = client
        self._root = root


class AsyncResource:
    """A group of methods that are awaited."""

    def __init__(self, client: AsyncSender, root: AsyncSocialgate) -> None:
        self._client = client
        self._root = root


def raw(method: Callable[Params, T]) -> Callable[Params, RawResponse[T]]:
    """Give a method of a resource that returns raw responses its type."""
    return cast("Callable[Params, RawResponse[T]]", method)


def raw_page(method: Callable[Params, Pages[T, P]]) -> Callable[Params, RawResponse[P]]:
    """Let a list return the response with its first page."""

    def fetch(*args: Params.args, **kwargs: Params.kwargs) -> Any:
        return method(*args, **kwargs).first_page()

    return fetch


def async_raw(method: Callable[Params, Awaitable[T]]) -> Callable[Params, Awaitable[RawResponse[T]]]:
    """Give a method of a resource that returns raw responses its type."""
    return cast("Callable[Params, Awaitable[RawResponse[T]]]", method)


def async_raw_page(method: Callable[Params, AsyncPages[T, P]]) -> Callable[Params, Awaitable[RawResponse[P]]]:
    """Let a list return the response with its first page."""

    def fetch(*args: Params.args, **kwargs: Params.kwargs) -> Any:
        return method(*args, **kwargs).first_page()

    return fetch
