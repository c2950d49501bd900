"""What a caller may do: a key with only read permission changes nothing, and some routes are only for sessions."""

from litestar.types import ASGIApp, Receive, Scope, Send

from socialgate.core.caller import Caller, current_owner_id
from socialgate.core.errors import ReadOnlyKey, SessionRequired
from socialgate.web.route import RouteAccess, RouteSpec, get_route_spec


class PermissionMiddleware:
    """Rejects a request that its caller may not make. Otherwise the caller becomes `scope["auth"]`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        spec, caller = get_route_spec(scope["route_handler"]), scope["state"].get("caller")
        if spec is not None and caller is not None:
            if not spec.access.is_page:
                _require_permission(caller, spec)
            scope["auth"] = caller
            current_owner_id.set(caller.owner_id)
        await self._app(scope, receive, send)


def _require_permission(caller: Caller, spec: RouteSpec) -> None:
    if spec.access is RouteAccess.SESSION and not caller.is_session:
        raise SessionRequired("This route requires a user session, not an API key. Sign in with POST /auth/login.")
    if spec.writes and caller.permission == "read":
        raise ReadOnlyKey("This API key is read-only. Use one with the permission read-write.")
