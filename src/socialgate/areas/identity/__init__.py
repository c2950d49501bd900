"""Owners, their users, user sessions and API keys."""

from socialgate.areas.identity.credentials import TokenBook
from socialgate.areas.identity.keys import ApiKeys
from socialgate.areas.identity.routes import routes
from socialgate.areas.identity.store import purge_revocations, purge_sessions
from socialgate.contracts.hooks import HookBook
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.settings import Settings
from socialgate.web.area import Area
from socialgate.web.auth import Credentials


def _api_keys(profiles: ProfileBook, hooks: HookBook, settings: Settings) -> ApiKeys:
    return ApiKeys(profiles, hooks, test=settings.simulates_platforms)


AREA = Area(
    routes=routes,
    services={ApiKeys: _api_keys, Credentials: TokenBook},
    purges={"sessions": purge_sessions, "revoked_keys": purge_revocations},
)
