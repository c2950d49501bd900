"""Uploads in progress: how many requests with a large body may be received at the same time.

Each holds a connection, a file and some MiB of memory for as long as its client sends, and a client may send slowly.
Those above the limit are rejected before their body is read.
"""

from contextlib import closing
from typing import Any

from litestar.types import ASGIApp, Receive, Scope, Send

from socialgate.core.caller import Caller
from socialgate.core.concurrency import ConcurrencySlot, SlotCounter
from socialgate.core.errors import RateLimited
from socialgate.web.connection_errors import TooManyConnections
from socialgate.web.connections import get_connection_limits
from socialgate.web.request import MAX_JSON_BYTES
from socialgate.web.route import RouteAccess, RouteSpec, get_route_spec

MAX_UPLOADS_PER_OWNER = 20
_RETRY_AFTER_SECONDS = 5
# Without an owner there is nobody to count for. What strangers may send is limited by their routes, and a signed
# address, which names an owner, is counted by its own route.
_OWNER_ACCESS = frozenset({RouteAccess.KEY, RouteAccess.SESSION, RouteAccess.PAGE})


class TooManyUploads(RateLimited):
    """The owner has 20 uploads in progress on this process, or the key has too many unfinished uploads in chunks.

    `detail` says which. Uploads in progress are requests whose body is being received or inspected, with any key of the
    owner, including batches of products: wait until one is done, and send fewer at the same time. An unfinished upload
    in chunks counts until it is complete, or cancelled with `DELETE /uploads/{uploadId}`; an interrupted one expires
    after a day.
    """

    code = "too_many_uploads"
    title = "Too many unfinished uploads"


def accepts_upload(spec: RouteSpec) -> bool:
    """Return whether a route accepts more than fits into the common limit of a body."""
    return spec.max_body_bytes is not None and spec.max_body_bytes > MAX_JSON_BYTES and spec.access in _OWNER_ACCESS


class UploadLimiter:
    """The uploads of one process."""

    def __init__(self) -> None:
        self._places = SlotCounter()

    def take_slot(self, scope: Any, owner_id: str) -> ConcurrencySlot:
        """Count an upload from now on until its place is closed, or reject it."""
        if self._places.count_taken(owner_id) >= MAX_UPLOADS_PER_OWNER:
            raise TooManyUploads(
                f"This owner has {MAX_UPLOADS_PER_OWNER} uploads in progress. Wait until one is done, and send "
                "fewer at the "
                "same time.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        if len(self._places) >= get_connection_limits(scope).max_uploads:
            raise TooManyConnections(
                "The service is receiving as many uploads as it can. Try again after a few seconds.",
                retry_after=_RETRY_AFTER_SECONDS,
            )
        return self._places.take_slot(owner_id)


class UploadMiddleware:
    """Counts an upload for as long as it is answered, or rejects it before its body is read."""

    def __init__(self, app: ASGIApp, uploads: UploadLimiter) -> None:
        self._app = app
        self._uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        spec = get_route_spec(scope["route_handler"])
        if spec is None or not accepts_upload(spec):
            await self._app(scope, receive, send)
            return
        caller: Caller = scope["auth"]
        with closing(self._uploads.take_slot(scope, caller.owner_id)):
            await self._app(scope, receive, send)
