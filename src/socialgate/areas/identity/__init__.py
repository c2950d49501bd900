"""Owners, their users, user sessions and API keys."""

from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.areas.identity.keys import ApiKeyService
from socialgate.areas.identity.routes import routes
from socialgate.areas.identity.store import purge_revocations, purge_sessions
from socialgate.contracts.hooks import KeyHookService
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.settings import Settings
from socialgate.web.area import Area
from socialgate.web.auth import CredentialFinder


def _api_keys(profiles: ProfileDirectory, hooks: KeyHookService, settings: Settings) -> ApiKeyService:
    return ApiKeyService(profiles, hooks, is_test=settings.simulates_platforms)


AREA = Area(
    routes=routes,
    services={ApiKeyService: _api_keys, CredentialFinder: TokenAuthenticator},
    purges={"sessions": purge_sessions, "revoked_keys": purge_revocations},
)
