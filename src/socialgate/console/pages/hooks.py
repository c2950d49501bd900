"""The hook pages: the list, one hook with its deliveries, and one delivery with its attempts."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from socialgate.areas.hooks.deliveries import DeliveryService
from socialgate.areas.hooks.schemas import (
    DeliveriesQuery,
    DeliveryStatus,
    HookChanges,
    HookRecovery,
    NewHook,
    SecretRotation,
)
from socialgate.areas.hooks.service import HookService
from socialgate.console.formatting import count
from socialgate.console.forms import FormData
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Shown, Values, console_page
from socialgate.console.visit import ListPageQuery, PageQuery, Visit
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.events import EVENT_TYPES, WebhookTest
from socialgate.core.outbox import MAX_HOOKS_PER_OWNER
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import RequestBody

HOOKS_PATH = "/console/hooks"
# Test events are sent whether listed or not, so they are not offered as a choice.
_CHOICES = [kind for kind in EVENT_TYPES.values() if kind is not WebhookTest]
_DELIVERIES_PER_PAGE = 25
# A page that shows something in progress reloads itself, but not for hours.
_RELOAD_PERIOD = timedelta(minutes=1)
_UNFINISHED = {DeliveryStatus.PENDING, DeliveryStatus.DELIVERING}


class HookPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which deliveries to show."""

    status: DeliveryStatus | None = None


class RecoveryForm(RequestBody, frozen=True, kw_only=True):
    """How far back to look for events that a hook missed."""

    hours: Literal["1", "24", "168", "720"]


@console_page(HOOKS_PATH, "hooks.html", entry=Entry(label="Hooks", icon="hook", group=Group.DEVELOPERS, key="w"))
async def hooks_page(visit: Visit, params: PageQuery, hooks: HookService) -> Values:
    del params  # it only has the profile
    # An owner has so few hooks that one page holds all of them.
    page = await visit.work.read(hooks.list, visit.caller, ListQuery())
    return {"hooks": page.data, "events": _CHOICES, "most": MAX_HOOKS_PER_OWNER}


async def find_url_faults(form: FormData, failure: InvalidRequest, hooks: HookService) -> Sequence[Fault]:
    """Check the URL even if another field is wrong, so that people correct both at once."""
    url = form.value("url")
    if not url or any(fault.pointer == "/url" for fault in failure.errors):
        return ()
    return await hooks.validate_url(url)


@hooks_page.form("create", NewHook, path="", find_more_faults=find_url_faults)
async def create_hook(visit: Visit, data: NewHook, hooks: HookService) -> Outcome:
    """Show the secret in this response. It is in no address, and nowhere afterwards."""
    created = await hooks.create(visit.work, data)
    return Shown("hook_created.html", {"hook": created, "secret": created.secret, "is_new": True})


@console_page(HOOKS_PATH + "/{hook_id:str}", "hook.html", query=HookPageQuery)
async def hook_page(
    visit: Visit, hook_id: str, params: HookPageQuery, hooks: HookService, deliveries: DeliveryService
) -> Values:
    query = DeliveriesQuery(limit=_DELIVERIES_PER_PAGE, status=params.status, cursor=params.cursor)
    return {
        "hook": await visit.work.read(hooks.show, visit.caller, hook_id),
        "deliveries": await visit.work.read(deliveries.list, visit.caller, hook_id, query),
        "events": _CHOICES,
        "statuses": list(DeliveryStatus),
    }


@hook_page.form("activate")
async def activate_hook(visit: Visit, hook_id: str, hooks: HookService) -> Outcome:
    await hooks.change(visit.work, hook_id, HookChanges(active=True), ExpectedVersion(None))
    return Done("The hook is active. Pending deliveries are sent now.")


@hook_page.form("deactivate")
async def deactivate_hook(visit: Visit, hook_id: str, hooks: HookService) -> Outcome:
    await hooks.change(visit.work, hook_id, HookChanges(active=False), ExpectedVersion(None))
    return Done("The hook is disabled. Pending deliveries wait for up to 72 hours.")


@hook_page.form("change", HookChanges)
async def change_hook(visit: Visit, hook_id: str, data: HookChanges, hooks: HookService) -> Outcome:
    await hooks.change(visit.work, hook_id, data, ExpectedVersion(None))
    return Done("The hook was changed.")


@hook_page.form("test")
async def test_hook(visit: Visit, hook_id: str, hooks: HookService) -> Outcome:
    queued = await visit.work.write(hooks.send_test_event, visit.caller, hook_id)
    return Done("A test event is on its way.", to=_delivery_link(visit, hook_id, queued.delivery_id))


@hook_page.form("rotate", SecretRotation)
async def rotate_secret(visit: Visit, hook_id: str, data: SecretRotation, hooks: HookService) -> Outcome:
    """Show the new secret in this response, and nowhere afterwards."""
    rotated = await visit.work.write(hooks.rotate_secret, visit.caller, hook_id, data)
    hook = await visit.work.read(hooks.show, visit.caller, hook_id)
    return Shown("hook_created.html", {"hook": hook, "secret": rotated.secret, "is_new": False})


@hook_page.form("recover", RecoveryForm)
async def recover_hook(visit: Visit, hook_id: str, data: RecoveryForm, deliveries: DeliveryService) -> Outcome:
    since = visit.now - timedelta(hours=int(data.hours))
    recovered = await deliveries.recover_events(visit.work, hook_id, HookRecovery(since=since))
    if not recovered.queued:
        return Done("No event was missed in this time.")
    return Done(f"Sending {count(recovered.queued, 'missed event')}.")


@hook_page.form("delete")
async def delete_hook(visit: Visit, hook_id: str, hooks: HookService) -> Outcome:
    await visit.work.write(hooks.delete, visit.caller, hook_id)
    return Done("The hook was deleted and its pending deliveries were cancelled.", to=visit.link(HOOKS_PATH))


@console_page(HOOKS_PATH + "/{hook_id:str}/deliveries/{delivery_id:str}", "delivery.html")
async def delivery_page(
    visit: Visit,
    hook_id: str,
    delivery_id: str,
    params: PageQuery,
    hooks: HookService,
    deliveries: DeliveryService,
) -> Values:
    del params  # it only has the profile
    delivery = await visit.work.read(deliveries.show, visit.caller, hook_id, delivery_id)
    is_pending = delivery.status in _UNFINISHED
    if is_pending and visit.button_failure is None and delivery.created_at + _RELOAD_PERIOD > visit.now:
        visit.headers["Refresh"] = "2"
    hook = await visit.work.read(hooks.show, visit.caller, hook_id)
    return {"hook": hook, "delivery": delivery, "is_pending": is_pending}


@delivery_page.form("retry")
async def retry_delivery(visit: Visit, hook_id: str, delivery_id: str, deliveries: DeliveryService) -> Outcome:
    queued = await visit.work.write(deliveries.retry, visit.caller, hook_id, delivery_id)
    return Done("The event is being sent again.", to=_delivery_link(visit, hook_id, queued.delivery_id))


def _delivery_link(visit: Visit, hook_id: str, delivery_id: str) -> str:
    return visit.link(f"{HOOKS_PATH}/{hook_id}/deliveries/{delivery_id}")
