"""The first page: system status, profiles and API keys."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.billing.purchases import Purchases
from socialgate.areas.description.service import HealthCheck
from socialgate.areas.identity.credentials import TokenBook
from socialgate.areas.identity.keys import ApiKeys
from socialgate.areas.identity.schemas import NewApiKey
from socialgate.areas.identity.service import Identity
from socialgate.areas.profiles.schemas import NewProfile
from socialgate.areas.profiles.service import Profiles
from socialgate.console.forms import Form, Nothing, read_form
from socialgate.console.pages import HOME, AnyRequest, Page, for_person, go_to, page, show
from socialgate.core.errors import ServiceError
from socialgate.core.work import Work
from socialgate.web.paging import MAX_LIMIT, ListQuery
from socialgate.web.schema import Query

# For half a minute after a payment: the payment provider usually reports it within seconds.
MAX_RELOADS = 15

Cursor = Annotated[str, Meta(max_length=200)]


class HomeQuery(Query, frozen=True, kw_only=True):
    """Where the two lists continue, and what was just done."""

    profiles: Cursor | None = None
    keys: Cursor | None = None
    done: Literal["profile", "revoked"] | None = None
    # How the checkout ended from which the payment provider sends people here, and how often the page was reloaded.
    checkout: Literal["success", "cancelled"] | None = None
    waited: Annotated[int, Meta(ge=0)] = 0


class HomePage:
    """Collects what the first page shows, also when one of its forms comes back with an error."""

    def __init__(
        self, health: HealthCheck, profiles: Profiles, api_keys: ApiKeys, identity: Identity, purchases: Purchases
    ) -> None:
        self._health = health
        self._profiles = profiles
        self._api_keys = api_keys
        self._identity = identity
        self._purchases = purchases

    async def show(
        self, work: Work, query: HomeQuery, profile_form: Form | None = None, key_form: Form | None = None
    ) -> Page:
        profiles, keys = profile_form or Form(), key_form or Form()
        values = await self._values(work, query, profiles, keys)
        purchase = await self._purchases.confirm(work) if query.checkout == "success" else None
        is_waiting = purchase is not None and not purchase.is_confirmed and query.waited < MAX_RELOADS
        again = {"Refresh": f"2; url={HOME}?checkout=success&waited={query.waited + 1}"} if is_waiting else None
        return show("home.html", max(profiles.status, keys.status), again, purchase=purchase, **values)

    async def _values(self, work: Work, query: HomeQuery, profile_form: Form, key_form: Form) -> dict[str, Any]:
        # All of them, so that a key can be limited to any profile.
        profiles = ListQuery(limit=MAX_LIMIT, cursor=query.profiles)
        keys = ListQuery(cursor=query.keys)
        return {
            **await for_person(work, self._identity),
            "standing": await work.read(self._purchases.standing, work.caller.owner_id),
            "health": await self._health.look(),
            "profiles": await work.read(self._profiles.list, work.caller, profiles),
            "keys": await work.read(self._api_keys.list, work.caller.owner_id, keys),
            "query": query,
            "profile_form": profile_form,
            "key_form": key_form,
        }


@page("GET", HOME, query=HomeQuery)
async def show_home(params: HomeQuery, work: Work, home_page: HomePage) -> Page:
    return await home_page.show(work, params)


@page("POST", "/console/profiles")
async def create_profile(request: AnyRequest, work: Work, profiles: Profiles, home_page: HomePage) -> Page:
    form = await read_form(request)
    try:
        await work.write(profiles.create, work.caller, form.into(NewProfile))
    except ServiceError as failure:
        return await home_page.show(work, HomeQuery(), profile_form=form.failed(failure))
    return go_to(f"{HOME}?done=profile#profiles")


@page("POST", "/console/keys")
async def create_key(
    request: AnyRequest, work: Work, api_keys: ApiKeys, identity: Identity, home_page: HomePage
) -> Page:
    """Show the new key in this response. It is in no URL, and nowhere afterwards."""
    form = await read_form(request)
    try:
        made = await work.write(api_keys.create, work.caller.owner_id, form.into(NewApiKey))
    except ServiceError as failure:
        return await home_page.show(work, HomeQuery(), key_form=form.failed(failure))
    return show("key_made.html", made=made, **await for_person(work, identity))


@page("POST", "/console/keys/{key_id:str}/revoke")
async def revoke_key(
    key_id: str, request: AnyRequest, work: Work, api_keys: ApiKeys, tokens: TokenBook, identity: Identity
) -> Page:
    (await read_form(request)).into(Nothing)
    revoked = await work.write(api_keys.revoke, work.caller, key_id)
    tokens.forget(work.caller.owner_id)
    if revoked.hooks:
        return show("key_revoked.html", revoked=revoked, **await for_person(work, identity))
    return go_to(f"{HOME}?done=revoked#keys")


routes = [show_home, create_profile, create_key, revoke_key]
