"""The first page: system status, profiles and API keys."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.billing.purchases import PurchaseService
from socialgate.areas.description.service import HealthCheck
from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.areas.identity.keys import ApiKeyService
from socialgate.areas.identity.schemas import NewApiKey
from socialgate.areas.identity.service import IdentityService
from socialgate.areas.profiles.schemas import NewProfile
from socialgate.areas.profiles.service import ProfileService
from socialgate.console.forms import EmptyForm, FormData, read_form
from socialgate.console.pages import (
    HOME_PATH,
    AnyRequest,
    HtmlResponse,
    build_person_values,
    build_redirect,
    page,
    render_page,
)
from socialgate.core.errors import ServiceError
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import MAX_LIMIT, ListQuery
from socialgate.web.schemas import Query

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
        self,
        health: HealthCheck,
        profiles: ProfileService,
        api_keys: ApiKeyService,
        identity: IdentityService,
        purchases: PurchaseService,
    ) -> None:
        self._health = health
        self._profiles = profiles
        self._api_keys = api_keys
        self._identity = identity
        self._purchases = purchases

    async def show(
        self, work: UnitOfWork, query: HomeQuery, profile_form: FormData | None = None, key_form: FormData | None = None
    ) -> HtmlResponse:
        profiles, keys = profile_form or FormData(), key_form or FormData()
        values = await self._build_page_values(work, query, profiles, keys)
        purchase = await self._purchases.confirm(work) if query.checkout == "success" else None
        is_waiting = purchase is not None and not purchase.is_confirmed and query.waited < MAX_RELOADS
        again = {"Refresh": f"2; url={HOME_PATH}?checkout=success&waited={query.waited + 1}"} if is_waiting else None
        return render_page("home.html", max(profiles.status, keys.status), again, purchase=purchase, **values)

    async def _build_page_values(
        self, work: UnitOfWork, query: HomeQuery, profile_form: FormData, key_form: FormData
    ) -> dict[str, Any]:
        # All of them, so that a key can be limited to any profile.
        profiles = ListQuery(limit=MAX_LIMIT, cursor=query.profiles)
        keys = ListQuery(cursor=query.keys)
        return {
            **await build_person_values(work, self._identity),
            "standing": await work.read(self._purchases.find_plan_state, work.caller.owner_id),
            "health": await self._health.check(),
            "profiles": await work.read(self._profiles.list, work.caller, profiles),
            "keys": await work.read(self._api_keys.list, work.caller.owner_id, keys),
            "query": query,
            "profile_form": profile_form,
            "key_form": key_form,
        }


@page("GET", HOME_PATH, query=HomeQuery)
async def show_home(params: HomeQuery, work: UnitOfWork, home_page: HomePage) -> HtmlResponse:
    return await home_page.show(work, params)


@page("POST", "/console/profiles")
async def create_profile(
    request: AnyRequest, work: UnitOfWork, profiles: ProfileService, home_page: HomePage
) -> HtmlResponse:
    form = await read_form(request)
    try:
        await work.write(profiles.create, work.caller, form.decode_as(NewProfile))
    except ServiceError as failure:
        return await home_page.show(work, HomeQuery(), profile_form=form.failed(failure))
    return build_redirect(f"{HOME_PATH}?done=profile#profiles")


@page("POST", "/console/keys")
async def create_key(
    request: AnyRequest, work: UnitOfWork, api_keys: ApiKeyService, identity: IdentityService, home_page: HomePage
) -> HtmlResponse:
    """Show the new key in this response. It is in no URL, and nowhere afterwards."""
    form = await read_form(request)
    try:
        key_created = await work.write(api_keys.create, work.caller.owner_id, form.decode_as(NewApiKey))
    except ServiceError as failure:
        return await home_page.show(work, HomeQuery(), key_form=form.failed(failure))
    return render_page("key_made.html", made=key_created, **await build_person_values(work, identity))


@page("POST", "/console/keys/{key_id:str}/revoke")
async def revoke_key(
    key_id: str,
    request: AnyRequest,
    work: UnitOfWork,
    api_keys: ApiKeyService,
    tokens: TokenAuthenticator,
    identity: IdentityService,
) -> HtmlResponse:
    (await read_form(request)).decode_as(EmptyForm)
    revoked = await work.write(api_keys.revoke, work.caller, key_id)
    tokens.invalidate_owner(work.caller.owner_id)
    if revoked.hooks:
        return render_page("key_revoked.html", revoked=revoked, **await build_person_values(work, identity))
    return build_redirect(f"{HOME_PATH}?done=revoked#keys")


routes = [show_home, create_profile, create_key, revoke_key]
