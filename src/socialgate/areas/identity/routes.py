from typing import Any

from litestar import Request, Response
from litestar.datastructures import Cookie

from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.areas.identity.cookies import build_session_cookie
from socialgate.areas.identity.keys import ApiKeyService
from socialgate.areas.identity.schemas import (
    ApiKey,
    ApiKeyChanges,
    ApiKeyCreated,
    ApiKeyRevoked,
    Login,
    Me,
    NewApiKey,
    PasswordChange,
    Registration,
    SessionOpened,
)
from socialgate.areas.identity.service import (
    EmailTakenError,
    IdentityService,
    LoginFailedError,
    SignupClosedError,
)
from socialgate.areas.identity.throttle import LoginThrottle
from socialgate.core.errors import RateLimited
from socialgate.core.settings import Settings
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.auth import SESSION_COOKIE
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import ListQuery
from socialgate.web.route import RouteAccess, RouteTag, route
from socialgate.web.schemas import Page

AnyRequest = Request[Any, Any, Any]
SESSIONS_TAG = RouteTag("Sessions", "Sign up, sign in and sign out.")
API_KEYS_TAG = RouteTag("API keys", "Keys for programs, limited to profiles and permissions.")


@route(
    "POST",
    "/auth/register",
    sdk="auth.register",
    tag=SESSIONS_TAG,
    access=RouteAccess.PUBLIC,
    raises=(SignupClosedError, EmailTakenError, RateLimited),
)
async def register(
    data: Registration, request: AnyRequest, identity: IdentityService, throttle: LoginThrottle, settings: Settings
) -> Response[SessionOpened]:
    """Register an owner with its first user and a first profile, and sign in.

    Open while the service listens on loopback; a deployment can override this with `SOCIALGATE_SIGNUP`.
    """
    await throttle.check(request, data.email)
    return _build_session_response(await identity.register(data), settings, status=201)


@route(
    "POST",
    "/auth/login",
    sdk="auth.login",
    tag=SESSIONS_TAG,
    access=RouteAccess.PUBLIC,
    status=200,
    raises=(LoginFailedError, RateLimited),
)
async def login(
    data: Login, request: AnyRequest, identity: IdentityService, throttle: LoginThrottle, settings: Settings
) -> Response[SessionOpened]:
    """Sign in. The session expires after 14 days without use, and after 90 days in any case."""
    await throttle.check(request, data.email)
    return _build_session_response(await identity.login(data), settings, status=200)


@route(
    "POST",
    "/auth/logout",
    sdk="auth.logout",
    tag=SESSIONS_TAG,
    access=RouteAccess.SESSION,
    status=204,
    idempotent=False,
)
async def logout(work: UnitOfWork, identity: IdentityService, tokens: TokenAuthenticator) -> Response[None]:
    """End the session used for this call."""
    await work.write(identity.logout, work.caller)
    tokens.invalidate_owner(work.caller.owner_id)
    return Response(None, status_code=204, cookies=[Cookie(SESSION_COOKIE, value="", max_age=0, path="/")])


@route("GET", "/auth/me", sdk="auth.me", tag=SESSIONS_TAG)
async def who_am_i(work: UnitOfWork, identity: IdentityService) -> Me:
    """Return who is calling: the owner, and the user or the API key."""
    return await work.read(identity.describe_caller, work.caller)


@route(
    "POST",
    "/auth/password",
    sdk="auth.change_password",
    tag=SESSIONS_TAG,
    access=RouteAccess.SESSION,
    status=204,
    idempotent=False,
)
async def change_password(
    data: PasswordChange,
    work: UnitOfWork,
    identity: IdentityService,
    throttle: LoginThrottle,
    tokens: TokenAuthenticator,
) -> None:
    """Change the password. All other sessions of the user end."""
    await throttle.check_user(work.caller)
    await identity.change_password(work, data)
    tokens.invalidate_owner(work.caller.owner_id)


@route("POST", "/api-keys", sdk="api_keys.create", tag=API_KEYS_TAG, access=RouteAccess.SESSION)
async def create_api_key(data: NewApiKey, work: UnitOfWork, api_keys: ApiKeyService) -> ApiKeyCreated:
    """Create an API key. Its value is only in this response; we store a hash."""
    return await work.write(api_keys.create, work.caller.owner_id, data)


@route("GET", "/api-keys", sdk="api_keys.list", tag=API_KEYS_TAG, access=RouteAccess.SESSION, query=ListQuery)
async def list_api_keys(params: ListQuery, work: UnitOfWork, api_keys: ApiKeyService) -> Page[ApiKey]:
    """List the API keys of the owner, newest first, without their values."""
    return await work.read(api_keys.list, work.caller.owner_id, params)


@route("PATCH", "/api-keys/{key_id:str}", sdk="api_keys.update", tag=API_KEYS_TAG, access=RouteAccess.SESSION)
async def change_api_key(
    key_id: str,
    data: ApiKeyChanges,
    expected: ExpectedVersion,
    work: UnitOfWork,
    api_keys: ApiKeyService,
    tokens: TokenAuthenticator,
) -> ApiKey:
    """Update an API key. The change applies immediately here, and within a second on all other nodes.

    Hooks created with the key lose the profiles that it no longer covers. They do not gain newly covered profiles.
    """
    changed = await work.write(api_keys.change, work.caller, key_id, data, expected)
    tokens.invalidate_owner(work.caller.owner_id)
    return changed


@route("DELETE", "/api-keys/{key_id:str}", sdk="api_keys.revoke", tag=API_KEYS_TAG, access=RouteAccess.SESSION)
async def revoke_api_key(
    key_id: str, work: UnitOfWork, api_keys: ApiKeyService, tokens: TokenAuthenticator
) -> ApiKeyRevoked:
    """Revoke an API key. It stops working immediately here, and within a second on all other nodes.

    Hooks created with it keep running, and the response lists them.
    """
    deleted = await work.write(api_keys.revoke, work.caller, key_id)
    tokens.invalidate_owner(work.caller.owner_id)
    return deleted


def _build_session_response(opened: SessionOpened, settings: Settings, *, status: int) -> Response[SessionOpened]:
    return Response(opened, status_code=status, cookies=[build_session_cookie(opened, settings)])


routes = [
    register,
    login,
    logout,
    who_am_i,
    change_password,
    create_api_key,
    list_api_keys,
    change_api_key,
    revoke_api_key,
]
