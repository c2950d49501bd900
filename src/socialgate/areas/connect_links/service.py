"""Connect links: created, listed and deleted by customers, and opened by anyone who has the URL."""

import hmac
import re
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import sha256

import msgspec

from socialgate.areas.accounts import browser_binding
from socialgate.areas.accounts.redirect_connect import RedirectConnectService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.connect_links import store
from socialgate.areas.connect_links.schemas import (
    ConnectLink,
    ConnectLinkCreated,
    ConnectLinksQuery,
    LinkBrand,
    NewConnectLink,
)
from socialgate.areas.connect_links.store import LinkRow
from socialgate.areas.media import store as media
from socialgate.areas.media.service import MediaService
from socialgate.contracts.connect_links import LINK_PATH
from socialgate.contracts.platforms import Platform
from socialgate.contracts.profiles import ProfileDeleted, ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, InvalidRequest, NotFound
from socialgate.core.ids import new_id
from socialgate.core.settings import Settings
from socialgate.web.pagination import build_page_from_rows
from socialgate.web.schemas import DeletionConfirmation, Page

MAX_LIVE_LINKS = 1000
# Host names in the only spelling that a Content-Security-Policy compares.
_ORIGIN_PATTERN = re.compile(r"https?://[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[1-9][0-9]{0,4})?")
_NO_LINK = "There is no connect link with this id. GET /connect/links lists the existing ones."


class LinkLimitError(Conflict):
    """The owner has 1,000 links that still work, which is the maximum.

    Delete links that are no longer needed with `DELETE /connect/links/{linkId}`, or wait until some expire.
    """

    code = "link_limit"
    title = "The limit of 1,000 connect links is reached"


class ConnectLinkService:
    def __init__(
        self,
        *,
        db: Database,
        session: AccountSession,
        connect: RedirectConnectService,
        profiles: ProfileDirectory,
        library: MediaService,
        settings: Settings,
    ) -> None:
        self._db = db
        self._session = session
        self._connect = connect
        self._profiles = profiles
        self._library = library
        self._public_url = settings.public_url
        self._allows_loopback = settings.is_local_only

    async def create(self, tx: Tx, caller: Caller, new: NewConnectLink) -> ConnectLinkCreated:
        await self._profiles.require_access(tx, caller, new.profile_id)
        if new.redirect_url is not None:
            self._connect.require_allowed_redirect_url(new.redirect_url, "/redirectUrl")
        for platform in new.platforms or ():
            self._session.get_connector(platform)
        origins = [self._parse_embed_origin(place, origin) for place, origin in enumerate(new.embed_origins or ())]
        expires_at = tx.now + timedelta(hours=new.expires_in_hours)
        brand = new.brand or LinkBrand()
        if brand.logo_media_id is not None:
            await self._library.require_image(tx, caller, brand.logo_media_id, "/brand/logoMediaId")
            await media.extend_expiry(tx, caller.owner_id, [brand.logo_media_id], expires_at)
        # The number must not be exceeded if several are created at the same time.
        await tx.lock(f"connect links {caller.owner_id}")
        if await store.count_live_links(tx, caller.owner_id) >= MAX_LIVE_LINKS:
            raise LinkLimitError(f"This owner has {MAX_LIVE_LINKS:,} links that still work. Delete one first.")
        token = secrets.token_urlsafe(32)
        row = LinkRow(
            owner_id=caller.owner_id,
            id=new_id("lnk"),
            profile_id=new.profile_id,
            token_hash=hash_link_token(token),
            platforms=None if new.platforms is None else sorted({str(platform) for platform in new.platforms}),
            redirect_url=new.redirect_url,
            uses=new.uses,
            brand=None if new.brand is None else {name: getattr(brand, name) for name in brand.__struct_fields__},
            embed_origins=sorted(set(origins)),
            expires_at=expires_at,
            created_at=tx.now,
        )
        await store.insert_link(tx, row)
        shown = msgspec.structs.asdict(build_link_view(row, ()))
        return ConnectLinkCreated(**shown, url=f"{self._public_url}{LINK_PATH}/{token}")

    async def list(self, tx: Tx, caller: Caller, query: ConnectLinksQuery) -> Page[ConnectLink]:
        if query.profile_id is not None:
            await self._profiles.require_access(tx, caller, query.profile_id)
        rows = await store.list_links_page(tx, caller.owner_id, caller, query)
        connected = await _list_connected(tx, caller.owner_id, [row.id for row in rows])
        return build_page_from_rows(rows, query, lambda row: build_link_view(row, connected.get(row.id, ())))

    async def get(self, tx: Tx, caller: Caller, link_id: str) -> ConnectLink:
        row = _require_link(caller, await store.find_link(tx, caller.owner_id, link_id))
        connected = await _list_connected(tx, caller.owner_id, [link_id])
        return build_link_view(row, connected.get(link_id, ()))

    async def delete(self, tx: Tx, caller: Caller, link_id: str) -> DeletionConfirmation:
        """Delete a link: its page stops working immediately. What was connected with it stays."""
        _require_link(caller, await store.find_link_for_change(tx, caller.owner_id, link_id))
        await store.delete_link(tx, caller.owner_id, link_id)
        return DeletionConfirmation(id=link_id)

    async def find_by_token(self, token: str) -> LinkRow | None:
        """Find a link by the token in its URL, also one that has expired."""
        token_hash = hash_link_token(token)
        row = await self._db.read(store.find_link_by_token_hash, token_hash)
        if row is None or not hmac.compare_digest(row.token_hash, token_hash):
            return None
        return row

    async def find_logo_url(self, row: LinkRow) -> str | None:
        """Return the signed URL of the logo, if it still exists."""
        media_id = None if row.brand is None else row.brand["logo_media_id"]
        if media_id is None:
            return None
        # The logo may belong to another profile of the owner, whose key created the link.
        owner = Caller(owner_id=row.owner_id, credential_id=row.id)
        files = await self._db.read(self._library.list_by_ids, owner, [media_id])
        return files[media_id].url if media_id in files else None

    def _parse_embed_origin(self, place: int, origin: str) -> str:
        """Return an origin as browsers compare it. It becomes part of a header, so nothing else passes."""
        normalized = origin.lower()
        is_local = self._allows_loopback and browser_binding.is_loopback(normalized)
        if not _ORIGIN_PATTERN.fullmatch(normalized) or not (normalized.startswith("https://") or is_local):
            raise InvalidRequest.for_field(
                f"/embedOrigins/{place}",
                "invalid",
                "An origin is https:// with a host and no path, such as https://app.example.com. Write names with "
                "other letters in their ASCII form (xn--…).",
            )
        return normalized


def build_link_view(row: LinkRow, account_ids: Sequence[str]) -> ConnectLink:
    return ConnectLink(
        id=row.id,
        profile_id=row.profile_id,
        platforms=None if row.platforms is None else [Platform(platform) for platform in row.platforms],
        redirect_url=row.redirect_url,
        uses=row.uses,
        brand=None if row.brand is None else LinkBrand(**row.brand),
        embed_origins=list(row.embed_origins),
        account_ids=list(account_ids),
        expires_at=row.expires_at,
        created_at=row.created_at,
    )


def hash_link_token(token: str) -> bytes:
    """Hash a token for storage. It is random enough that a plain hash of it is safe."""
    return sha256(token.encode(errors="replace")).digest()


async def handle_profile_deleted(tx: Tx, fact: ProfileDeleted, owner_id: str) -> None:
    """Delete the links of a profile: there is nothing to connect to any more."""
    for link_id in await store.list_ids_by_profile(tx, owner_id, fact.profile_id):
        await store.delete_link(tx, owner_id, link_id)


async def _list_connected(tx: Tx, owner_id: str, link_ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """List the accounts that each link has connected. Where a code waits to be scanned, none is yet."""
    connected: dict[str, dict[str, None]] = defaultdict(dict)
    for use in await store.list_uses(tx, owner_id, link_ids) if link_ids else ():
        if use.reserved_until is None:
            connected[use.link_id].update(dict.fromkeys(use.account_ids))
    return {link_id: list(account_ids) for link_id, account_ids in connected.items()}


def _require_link(caller: Caller, row: LinkRow | None) -> LinkRow:
    if row is None:
        raise NotFound(_NO_LINK)
    caller.require_profile_access(row.profile_id)
    return row
