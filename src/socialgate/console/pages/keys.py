"""API keys: the list, a new one, and revoking one."""

from typing import Annotated

from msgspec import Meta

from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.areas.identity.keys import ApiKeyService
from socialgate.areas.identity.schemas import ApiKeyChanges, NewApiKey
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Shown, Values, console_page
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import ListQuery

# Each row has its dialog with it, and the form of a new key the names of all profiles.
_MAX_ROWS = 20


class KeysQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which keys to list, and the one that somebody edits."""

    edit: Annotated[str, Meta(max_length=40)] | None = None


@console_page(
    "/console/keys",
    "keys.html",
    query=KeysQuery,
    entry=Entry(label="API keys", icon="key", group=Group.DEVELOPERS, key="k"),
)
async def keys_page(visit: Visit, params: KeysQuery, api_keys: ApiKeyService) -> Values:
    return {
        "keys": await visit.work.read(api_keys.list, visit.owner_id, ListQuery(limit=_MAX_ROWS, cursor=params.cursor))
    }


@keys_page.form("create", NewApiKey, path="")
async def create_key(visit: Visit, data: NewApiKey, api_keys: ApiKeyService) -> Outcome:
    """Show the new key in this response. It is in no address, and nowhere afterwards."""
    created = await visit.work.write(api_keys.create, visit.owner_id, data)
    return Shown("key_created.html", {"created": created})


@keys_page.form("change", ApiKeyChanges, path="/{key_id:str}/change")
async def change_key(
    visit: Visit, key_id: str, data: ApiKeyChanges, api_keys: ApiKeyService, tokens: TokenAuthenticator
) -> Outcome:
    changed = await visit.work.write(api_keys.change, visit.caller, key_id, data, ExpectedVersion(None))
    tokens.invalidate_owner(visit.owner_id)
    return Done(f"{changed.name} was changed.")


@keys_page.form("revoke", path="/{key_id:str}/revoke")
async def revoke_key(visit: Visit, key_id: str, api_keys: ApiKeyService, tokens: TokenAuthenticator) -> Outcome:
    revoked = await visit.work.write(api_keys.revoke, visit.caller, key_id)
    tokens.invalidate_owner(visit.owner_id)
    if revoked.hooks:
        return Shown("key_revoked.html", {"revoked": revoked})
    return Done("The key was revoked and no longer works.")
