"""The session token as a cookie, for browsers."""

from litestar.datastructures import Cookie

from socialgate.areas.identity.schemas import SessionOpened
from socialgate.areas.identity.service import SESSION_LIFETIME
from socialgate.core.settings import Settings
from socialgate.web.auth import SESSION_COOKIE


def build_session_cookie(opened: SessionOpened, settings: Settings) -> Cookie:
    return Cookie(
        SESSION_COOKIE,
        value=opened.token,
        path="/",
        max_age=int(SESSION_LIFETIME.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=settings.public_url.startswith("https://"),
    )
