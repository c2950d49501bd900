"""One request of somebody who has a connect link: which link it is, which browser, and who may show it in a frame.

Each browser has a cookie of its own for each link. What one person starts is bound to it, so that two people with the
same link never see each other's codes, choices or accounts. Where pages of the customer may show the page in a frame,
the cookie must be sent there as well: it is `SameSite=None` and `Partitioned`, so that it exists once for each site
around the frame and cannot follow anybody. Everywhere else it is `SameSite=Lax`.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from socialgate.areas.accounts.browser_binding import parse_origin
from socialgate.areas.accounts.connect_outcome import build_result_url
from socialgate.areas.connect_links.schemas import LinkBrand
from socialgate.areas.connect_links.service import ConnectLinkService
from socialgate.areas.connect_links.store import LinkRow
from socialgate.console.hosted.colors import get_text_color
from socialgate.console.rendering import AnyRequest, HtmlResponse, build_redirect, prepare_template, render_template
from socialgate.contracts.connect_links import LINK_PATH, LinkEndedError, LinkVisit
from socialgate.contracts.platforms import Platform
from socialgate.core.addresses import get_network_key
from socialgate.core.clock import Clock
from socialgate.core.errors import NotFound
from socialgate.core.settings import Settings
from socialgate.web.rate_limits import RateLimiter, RateLimitPolicy

_COOKIE_PREFIX = "sg_link_"
_POLICY_NAME = "connect-page"
_STATE_KEY = "hosted_visit"
# What a browser says about a page that is inside another one.
_FRAMED_DESTINATIONS = frozenset({"iframe", "frame", "embed", "object", "fencedframe"})
_POLICY_TEMPLATE = (
    "default-src 'none'; style-src 'self'{nonce}; img-src 'self' data:{pictures}; form-action 'self'; base-uri 'none'; "
    "frame-ancestors {holders}"
)


def build_page_policy(limit: int) -> dict[str, RateLimitPolicy]:
    """Limit the requests of one address. A page with a code to scan makes fifteen a minute."""
    return {_POLICY_NAME: RateLimitPolicy(_POLICY_NAME, limit=limit, window_seconds=60)}


class HostedVisit:
    """What a page knows about the request. Templates have it as `hosted`."""

    def __init__(
        self,
        *,
        link: LinkRow,
        token: str,
        secret: str | None,
        logo_url: str | None,
        is_framed: bool,
        is_secure: bool,
        now: datetime,
    ) -> None:
        self.link = link
        self.token = token
        self.logo_url = logo_url
        self.is_framed = is_framed
        # Whether the browser sent its cookie. Some refuse cookies in frames.
        self.has_cookie = secret is not None
        self._secret = secret or secrets.token_urlsafe(32)
        self._is_secure = is_secure
        self._now = now

    @property
    def visit(self) -> LinkVisit:
        digest = sha256(f"socialgate visit {self.link.id} {self._secret}".encode(errors="replace")).hexdigest()
        return LinkVisit(owner_id=self.link.owner_id, link_id=self.link.id, visit_hash=digest)

    @property
    def is_ended(self) -> bool:
        return self.link.expires_at <= self._now

    @property
    def brand(self) -> LinkBrand:
        return LinkBrand() if self.link.brand is None else LinkBrand(**self.link.brand)

    @property
    def sender(self) -> str:
        """Who asks for the accounts, in the words of a sentence."""
        return self.brand.name or "the company that sent you this link"

    @property
    def text_color(self) -> str | None:
        """The color of the text on the brand's color."""
        return None if self.brand.color is None else get_text_color(self.brand.color)

    def path(self, *parts: str, **query: str) -> str:
        """Return the address of a page of this link."""
        path = "/".join([LINK_PATH, self.token, *(quote(part, safe="") for part in parts)])
        return f"{path}?{urlencode(query)}" if query else path

    def result_url(
        self, status: str, platform: Platform | None = None, account_ids: Sequence[str] = (), error: str | None = None
    ) -> str | None:
        """Return the customer's URL with the result; None if the link has none."""
        if self.link.redirect_url is None:
            return None
        result = {"status": status, "platform": platform, "accountIds": ",".join(account_ids), "error": error}
        return build_result_url(self.link.redirect_url, {name: str(value) for name, value in result.items() if value})

    async def render(
        self,
        template: str,
        status: int = 200,
        *,
        headers: Mapping[str, str] | None = None,
        pictures: Sequence[str | None] = (),
        **values: Any,
    ) -> HtmlResponse:
        """Show a page. Only pictures from the origins of these URLs are loaded."""
        await prepare_template(template)
        return self.render_prepared(template, status, headers=headers, pictures=pictures, **values)

    def render_prepared(
        self,
        template: str,
        status: int,
        *,
        headers: Mapping[str, str] | None = None,
        pictures: Sequence[str | None] = (),
        **values: Any,
    ) -> HtmlResponse:
        nonce = secrets.token_urlsafe(16)
        own = {
            "Content-Security-Policy": build_policy(self.link.embed_origins, pictures, nonce),
            "X-Robots-Tag": "noindex",
            "Vary": "Sec-Fetch-Dest",
            **self._build_cookie_header(),
            **(headers or {}),
        }
        return render_template(template, status, own, hosted=self, nonce=nonce, **values)

    def redirect(self, path: str) -> HtmlResponse:
        response = build_redirect(path)
        response.headers.update(self._build_cookie_header())
        return response

    def _build_cookie_header(self) -> dict[str, str]:
        """Give the browser a cookie if it has none. The class for cookies does not know `Partitioned` yet."""
        if self.has_cookie or self.is_ended:
            return {}
        seconds = max(1, int((self.link.expires_at - self._now).total_seconds()))
        words = [f"Path={LINK_PATH}", f"Max-Age={seconds}", "HttpOnly"]
        if self.link.embed_origins and self._is_secure:
            words += ["SameSite=None", "Secure", "Partitioned"]
        else:
            words += ["SameSite=Lax", *(["Secure"] if self._is_secure else [])]
        return {"Set-Cookie": "; ".join([f"{_cookie_name(self.link.id)}={self.token}.{self._secret}", *words])}


class HostedVisits:
    """Opens links for anyone who has their URL."""

    def __init__(self, links: ConnectLinkService, limiter: RateLimiter, clock: Clock, settings: Settings) -> None:
        self._links = links
        self._limiter = limiter
        self._clock = clock
        self._is_secure = settings.public_url.startswith("https://")

    async def open(self, request: AnyRequest, token: str) -> HostedVisit:
        await self._limiter.use_allowance(
            get_network_key(request.client.host) if request.client else "unknown", _POLICY_NAME
        )
        link = await self._links.find_by_token(token)
        if link is None:
            raise NotFound("There is no such link.")
        own, _, secret = request.cookies.get(_cookie_name(link.id), "").partition(".")
        visit = HostedVisit(
            link=link,
            token=token,
            secret=secret if own == token and secret else None,
            logo_url=_to_local_url(await self._links.find_logo_url(link)),
            is_framed=request.headers.get("sec-fetch-dest") in _FRAMED_DESTINATIONS,
            is_secure=self._is_secure,
            now=self._clock.now(),
        )
        # For the page that shows an error.
        request.scope["state"][_STATE_KEY] = visit
        if visit.is_ended:
            raise LinkEndedError("This link has expired.")
        return visit

    async def open_by_cookie(self, request: AnyRequest, link_id: str) -> HostedVisit:
        """Open the link that a person comes back to from a platform. Only the browser knows its token."""
        token = request.cookies.get(_cookie_name(link_id), "").partition(".")[0]
        visit = await self.open(request, token)
        if visit.link.id != link_id:
            raise NotFound("There is no such link.")
        return visit


def find_visit(request: AnyRequest) -> HostedVisit | None:
    """Return the visit of a request that was opened already."""
    return request.scope["state"].get(_STATE_KEY)


def build_policy(holders: Sequence[str], pictures: Sequence[str | None] = (), nonce: str | None = None) -> str:
    """Return what the page may load, and which origins may show it in a frame."""
    origins = sorted({origin for url in pictures if url is not None and (origin := parse_origin(url)) is not None})
    return _POLICY_TEMPLATE.format(
        nonce=f" 'nonce-{nonce}'" if nonce else "",
        pictures="".join(f" {origin}" for origin in origins if ";" not in origin and "," not in origin),
        holders=" ".join(holders) or "'none'",
    )


def _cookie_name(link_id: str) -> str:
    return _COOKIE_PREFIX + sha256(link_id.encode(errors="replace")).hexdigest()[:16]


def _to_local_url(url: str | None) -> str | None:
    """Return the URL of one of our files without its host, which may have several names."""
    if url is None:
        return None
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"
