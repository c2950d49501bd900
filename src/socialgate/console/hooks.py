"""The hook pages: the list, one hook with its deliveries, and one delivery with its attempts."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Literal

from msgspec import Meta

from socialgate.areas.hooks.deliveries import DeliveryService
from socialgate.areas.hooks.schemas import DeliveriesQuery, DeliveryStatus, HookChanges, NewHook
from socialgate.areas.hooks.service import HookService
from socialgate.areas.identity.service import IdentityService
from socialgate.console.forms import EmptyForm, FormData, read_form
from socialgate.console.pages import AnyRequest, HtmlResponse, build_person_values, build_redirect, page, render_page
from socialgate.core.errors import Fault, InvalidRequest, NotFound, ServiceError
from socialgate.core.events import EVENT_TYPES, WebhookTest
from socialgate.core.outbox import MAX_HOOKS_PER_OWNER
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import Query

HOOKS_PATH = "/console/hooks"
Cursor = Annotated[str, Meta(max_length=200)]
# Test events are sent whether listed or not, so they are not offered as a choice.
_SUBSCRIBABLE_EVENT_TYPES = [kind for kind in EVENT_TYPES.values() if kind is not WebhookTest]
_DELIVERIES_PER_PAGE = 25
# A page that shows something in progress reloads itself, but not for hours.
_RELOAD_PERIOD = timedelta(minutes=1)


class HooksQuery(Query, frozen=True, kw_only=True):
    """What was just done."""

    done: Literal["deleted"] | None = None


class HookQuery(Query, frozen=True, kw_only=True):
    """Which deliveries to show."""

    status: DeliveryStatus | None = None
    cursor: Cursor | None = None


class HookPages:
    """Collects what the pages show, also when one of their forms comes back with an error."""

    def __init__(self, hooks: HookService, deliveries: DeliveryService, identity: IdentityService) -> None:
        self._hooks = hooks
        self._deliveries = deliveries
        self._identity = identity

    async def render_list(self, work: UnitOfWork, query: HooksQuery, form: FormData) -> HtmlResponse:
        # An owner has so few hooks that one page holds all of them.
        page = await work.read(self._hooks.list, work.caller, ListQuery())
        person = await build_person_values(work, self._identity)
        return render_page(
            "hooks.html",
            form.status,
            hooks=page.data,
            events=_SUBSCRIBABLE_EVENT_TYPES,
            most=MAX_HOOKS_PER_OWNER,
            query=query,
            form=form,
            **person,
        )

    async def render_hook(
        self, work: UnitOfWork, hook_id: str, query: HookQuery, failure: ServiceError | None = None
    ) -> HtmlResponse:
        requested_query = DeliveriesQuery(limit=_DELIVERIES_PER_PAGE, status=query.status, cursor=query.cursor)
        return render_page(
            "hook.html",
            200 if failure is None else failure.status,
            hook=await work.read(self._hooks.show, work.caller, hook_id),
            deliveries=await work.read(self._deliveries.list, work.caller, hook_id, requested_query),
            query=query,
            failure=failure,
            **await build_person_values(work, self._identity),
        )

    async def render_delivery(
        self, work: UnitOfWork, hook_id: str, delivery_id: str, failure: ServiceError | None = None
    ) -> HtmlResponse:
        person = await build_person_values(work, self._identity)
        delivery_detail = await work.read(self._deliveries.show, work.caller, hook_id, delivery_id)
        under_way = delivery_detail.status in {"pending", "delivering"}
        watched = under_way and failure is None and delivery_detail.created_at + _RELOAD_PERIOD > person["now"]
        return render_page(
            "delivery.html",
            200 if failure is None else failure.status,
            {"Refresh": "2"} if watched else {},
            hook=await work.read(self._hooks.show, work.caller, hook_id),
            delivery=delivery_detail,
            under_way=under_way,
            failure=failure,
            **person,
        )


@page("GET", HOOKS_PATH, query=HooksQuery)
async def show_hooks(params: HooksQuery, work: UnitOfWork, hook_pages: HookPages) -> HtmlResponse:
    return await hook_pages.render_list(work, params, FormData())


@page("POST", HOOKS_PATH)
async def create_hook(
    request: AnyRequest, work: UnitOfWork, hooks: HookService, identity: IdentityService, hook_pages: HookPages
) -> HtmlResponse:
    """Show the secret in this response. It is in no URL, and nowhere afterwards."""
    form = await read_form(request)
    try:
        hook_created = await hooks.create(work, form.decode_as(NewHook))
    except InvalidRequest as failure:
        everything = InvalidRequest(failure.detail, errors=[*failure.errors, *await _url_faults(hooks, form, failure)])
        return await hook_pages.render_list(work, HooksQuery(), form.failed(everything))
    except ServiceError as failure:
        return await hook_pages.render_list(work, HooksQuery(), form.failed(failure))
    return render_page("hook_made.html", made=hook_created, **await build_person_values(work, identity))


async def _url_faults(hooks: HookService, form: FormData, failure: InvalidRequest) -> Sequence[Fault]:
    """Check the URL even if another field is wrong, so that people correct both at once."""
    url = form.value("url")
    if not url or any(fault.pointer == "/url" for fault in failure.errors):
        return ()
    return await hooks.url_faults(url)


@page("GET", "/console/hooks/{hook_id:str}", query=HookQuery)
async def show_hook(hook_id: str, params: HookQuery, work: UnitOfWork, hook_pages: HookPages) -> HtmlResponse:
    return await hook_pages.render_hook(work, hook_id, params)


@page("POST", "/console/hooks/{hook_id:str}/activate")
async def activate_hook(hook_id: str, request: AnyRequest, work: UnitOfWork, hooks: HookService) -> HtmlResponse:
    return await _set_active(hook_id, request, work, hooks, active=True)


@page("POST", "/console/hooks/{hook_id:str}/deactivate")
async def deactivate_hook(hook_id: str, request: AnyRequest, work: UnitOfWork, hooks: HookService) -> HtmlResponse:
    return await _set_active(hook_id, request, work, hooks, active=False)


@page("POST", "/console/hooks/{hook_id:str}/test")
async def test_hook(
    hook_id: str, request: AnyRequest, work: UnitOfWork, hooks: HookService, hook_pages: HookPages
) -> HtmlResponse:
    (await read_form(request)).decode_as(EmptyForm)
    try:
        queued = await work.write(hooks.send_test_event, work.caller, hook_id)
    except NotFound:
        raise
    except ServiceError as failure:
        return await hook_pages.render_hook(work, hook_id, HookQuery(), failure)
    return build_redirect(f"{HOOKS_PATH}/{hook_id}/deliveries/{queued.delivery_id}")


@page("POST", "/console/hooks/{hook_id:str}/delete")
async def delete_hook(hook_id: str, request: AnyRequest, work: UnitOfWork, hooks: HookService) -> HtmlResponse:
    (await read_form(request)).decode_as(EmptyForm)
    await work.write(hooks.delete, work.caller, hook_id)
    return build_redirect(f"{HOOKS_PATH}?done=deleted")


@page("GET", "/console/hooks/{hook_id:str}/deliveries/{delivery_id:str}")
async def show_delivery(hook_id: str, delivery_id: str, work: UnitOfWork, hook_pages: HookPages) -> HtmlResponse:
    return await hook_pages.render_delivery(work, hook_id, delivery_id)


@page("POST", "/console/hooks/{hook_id:str}/deliveries/{delivery_id:str}/retry")
async def retry_delivery(
    hook_id: str,
    delivery_id: str,
    request: AnyRequest,
    work: UnitOfWork,
    deliveries: DeliveryService,
    hook_pages: HookPages,
) -> HtmlResponse:
    (await read_form(request)).decode_as(EmptyForm)
    try:
        queued = await work.write(deliveries.retry, work.caller, hook_id, delivery_id)
    except NotFound:
        raise
    except ServiceError as failure:
        return await hook_pages.render_delivery(work, hook_id, delivery_id, failure)
    return build_redirect(f"{HOOKS_PATH}/{hook_id}/deliveries/{queued.delivery_id}")


async def _set_active(
    hook_id: str, request: AnyRequest, work: UnitOfWork, hooks: HookService, *, active: bool
) -> HtmlResponse:
    (await read_form(request)).decode_as(EmptyForm)
    await hooks.change(work, hook_id, HookChanges(active=active), ExpectedVersion(None))
    return build_redirect(f"{HOOKS_PATH}/{hook_id}")


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
