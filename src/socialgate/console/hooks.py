"""The hook pages: the list, one hook with its deliveries, and one delivery with its attempts."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Literal

from msgspec import Meta

from socialgate.areas.hooks.deliveries import Deliveries
from socialgate.areas.hooks.schemas import DeliveriesQuery, DeliveryStatus, HookChanges, NewHook
from socialgate.areas.hooks.service import Hooks
from socialgate.areas.identity.service import Identity
from socialgate.console.forms import Form, Nothing, read_form
from socialgate.console.pages import AnyRequest, Page, for_person, go_to, page, show
from socialgate.core.errors import Fault, Invalid, NotFound, ServiceError
from socialgate.core.events import EVENTS, WebhookTest
from socialgate.core.outbox import MOST_HOOKS
from socialgate.core.work import Work
from socialgate.web.edits import Expected
from socialgate.web.paging import ListQuery
from socialgate.web.schema import Query

LIST = "/console/hooks"
Cursor = Annotated[str, Meta(max_length=200)]
# Test events are sent whether listed or not, so they are not offered as a choice.
_CHOICES = [kind for kind in EVENTS.values() if kind is not WebhookTest]
_DELIVERIES_SHOWN = 25
# A page that shows something in progress reloads itself, but not for hours.
_WATCHED = timedelta(minutes=1)


class HooksQuery(Query, frozen=True, kw_only=True):
    """What was just done."""

    done: Literal["deleted"] | None = None


class HookQuery(Query, frozen=True, kw_only=True):
    """Which deliveries to show."""

    status: DeliveryStatus | None = None
    cursor: Cursor | None = None


class HookPages:
    """Collects what the pages show, also when one of their forms comes back with an error."""

    def __init__(self, hooks: Hooks, deliveries: Deliveries, identity: Identity) -> None:
        self._hooks = hooks
        self._deliveries = deliveries
        self._identity = identity

    async def list(self, work: Work, query: HooksQuery, form: Form) -> Page:
        # An owner has so few hooks that one page holds all of them.
        found = await work.read(self._hooks.list, work.caller, ListQuery())
        person = await for_person(work, self._identity)
        return show(
            "hooks.html",
            form.status,
            hooks=found.data,
            events=_CHOICES,
            most=MOST_HOOKS,
            query=query,
            form=form,
            **person,
        )

    async def one(self, work: Work, hook_id: str, query: HookQuery, failure: ServiceError | None = None) -> Page:
        wanted = DeliveriesQuery(limit=_DELIVERIES_SHOWN, status=query.status, cursor=query.cursor)
        return show(
            "hook.html",
            200 if failure is None else failure.status,
            hook=await work.read(self._hooks.show, work.caller, hook_id),
            deliveries=await work.read(self._deliveries.list, work.caller, hook_id, wanted),
            query=query,
            failure=failure,
            **await for_person(work, self._identity),
        )

    async def delivery(self, work: Work, hook_id: str, delivery_id: str, failure: ServiceError | None = None) -> Page:
        person = await for_person(work, self._identity)
        found = await work.read(self._deliveries.show, work.caller, hook_id, delivery_id)
        under_way = found.status in {"pending", "delivering"}
        watched = under_way and failure is None and found.created_at + _WATCHED > person["now"]
        return show(
            "delivery.html",
            200 if failure is None else failure.status,
            {"Refresh": "2"} if watched else {},
            hook=await work.read(self._hooks.show, work.caller, hook_id),
            delivery=found,
            under_way=under_way,
            failure=failure,
            **person,
        )


@page("GET", LIST, query=HooksQuery)
async def show_hooks(params: HooksQuery, work: Work, hook_pages: HookPages) -> Page:
    return await hook_pages.list(work, params, Form())


@page("POST", LIST)
async def create_hook(request: AnyRequest, work: Work, hooks: Hooks, identity: Identity, hook_pages: HookPages) -> Page:
    """Show the secret in this response. It is in no URL, and nowhere afterwards."""
    form = await read_form(request)
    try:
        made = await hooks.create(work, form.into(NewHook))
    except Invalid as failure:
        everything = Invalid(failure.detail, errors=[*failure.errors, *await _url_faults(hooks, form, failure)])
        return await hook_pages.list(work, HooksQuery(), form.failed(everything))
    except ServiceError as failure:
        return await hook_pages.list(work, HooksQuery(), form.failed(failure))
    return show("hook_made.html", made=made, **await for_person(work, identity))


async def _url_faults(hooks: Hooks, form: Form, failure: Invalid) -> Sequence[Fault]:
    """Check the URL even if another field is wrong, so that people correct both at once."""
    url = form.value("url")
    if not url or any(fault.pointer == "/url" for fault in failure.errors):
        return ()
    return await hooks.url_faults(url)


@page("GET", "/console/hooks/{hook_id:str}", query=HookQuery)
async def show_hook(hook_id: str, params: HookQuery, work: Work, hook_pages: HookPages) -> Page:
    return await hook_pages.one(work, hook_id, params)


@page("POST", "/console/hooks/{hook_id:str}/activate")
async def activate_hook(hook_id: str, request: AnyRequest, work: Work, hooks: Hooks) -> Page:
    return await _switch(hook_id, request, work, hooks, active=True)


@page("POST", "/console/hooks/{hook_id:str}/deactivate")
async def deactivate_hook(hook_id: str, request: AnyRequest, work: Work, hooks: Hooks) -> Page:
    return await _switch(hook_id, request, work, hooks, active=False)


@page("POST", "/console/hooks/{hook_id:str}/test")
async def test_hook(hook_id: str, request: AnyRequest, work: Work, hooks: Hooks, hook_pages: HookPages) -> Page:
    (await read_form(request)).into(Nothing)
    try:
        queued = await work.write(hooks.test, work.caller, hook_id)
    except NotFound:
        raise
    except ServiceError as failure:
        return await hook_pages.one(work, hook_id, HookQuery(), failure)
    return go_to(f"{LIST}/{hook_id}/deliveries/{queued.delivery_id}")


@page("POST", "/console/hooks/{hook_id:str}/delete")
async def delete_hook(hook_id: str, request: AnyRequest, work: Work, hooks: Hooks) -> Page:
    (await read_form(request)).into(Nothing)
    await work.write(hooks.delete, work.caller, hook_id)
    return go_to(f"{LIST}?done=deleted")


@page("GET", "/console/hooks/{hook_id:str}/deliveries/{delivery_id:str}")
async def show_delivery(hook_id: str, delivery_id: str, work: Work, hook_pages: HookPages) -> Page:
    return await hook_pages.delivery(work, hook_id, delivery_id)


@page("POST", "/console/hooks/{hook_id:str}/deliveries/{delivery_id:str}/retry")
async def retry_delivery(
    hook_id: str, delivery_id: str, request: AnyRequest, work: Work, deliveries: Deliveries, hook_pages: HookPages
) -> Page:
    (await read_form(request)).into(Nothing)
    try:
        queued = await work.write(deliveries.retry, work.caller, hook_id, delivery_id)
    except NotFound:
        raise
    except ServiceError as failure:
        return await hook_pages.delivery(work, hook_id, delivery_id, failure)
    return go_to(f"{LIST}/{hook_id}/deliveries/{queued.delivery_id}")


async def _switch(hook_id: str, request: AnyRequest, work: Work, hooks: Hooks, *, active: bool) -> Page:
    (await read_form(request)).into(Nothing)
    await hooks.change(work, hook_id, HookChanges(active=active), Expected(None))
    return go_to(f"{LIST}/{hook_id}")


routes = [
    show_hooks,
    create_hook,
    show_hook,
    activate_hook,
    deactivate_hook,
    test_hook,
    delete_hook,
    show_delivery,
    retry_delivery,
]
