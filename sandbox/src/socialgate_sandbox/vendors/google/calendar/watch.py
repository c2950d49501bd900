"""Notification channels of Calendar."""

from datetime import timedelta
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Handler, Route, text
from socialgate_sandbox.kit.addresses import is_own, parts_of
from socialgate_sandbox.vendors.google.access import signed_in
from socialgate_sandbox.vendors.google.calendar.calendars import BASE, EVENTS_READING, LISTING, READ, WHOLE, entry_of
from socialgate_sandbox.vendors.google.errors import api_error, refuse
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, WatchChannel
from socialgate_sandbox.vendors.google.webhooks import send_notice

_USUAL_LIFE = timedelta(days=7)
_LONGEST_LIFE = timedelta(days=30)
_LONGEST_ID = 64
_ANY = (*EVENTS_READING, *LISTING)


class ChannelBody(msgspec.Struct, rename="camel"):
    id: str = ""
    type: str = ""
    address: str = ""
    token: str | None = None
    expiration: int | str | None = None
    params: dict[str, str] = {}
    resource_id: str = ""


def watch_events(call: Call) -> object:
    token = signed_in(call, *EVENTS_READING)
    calendar = entry_of(call, token, call.args["calendar"]).calendar
    return _open(call, token, f"events {calendar}", f"calendars/{quote(calendar, safe='@')}/events")


def watch_access(call: Call) -> object:
    token = signed_in(call, WHOLE, f"{AUTH}calendar.acls", f"{AUTH}calendar.acls.readonly")
    calendar = entry_of(call, token, call.args["calendar"]).calendar
    return _open(call, token, f"acl {calendar}", f"calendars/{quote(calendar, safe='@')}/acl")


def watch_list(call: Call) -> object:
    token = signed_in(call, *LISTING)
    return _open(call, token, f"calendarList {token.parent}", "users/me/calendarList")


def watch_settings(call: Call) -> object:
    token = signed_in(call, WHOLE, READ, f"{AUTH}calendar.settings.readonly")
    return _open(call, token, f"settings {token.parent}", "users/me/settings")


def stop(call: Call) -> object:
    token = signed_in(call, *_ANY)
    given = call.read_json(ChannelBody)
    found = call.world.store.get(WatchChannel, given.id)
    if found is None or found.resource_id != given.resource_id or found.parent != token.parent:
        message = f"Channel '{given.id}' not found for project '{call.world.app.id}'"
        return api_error(404, "notFound", message)
    call.world.store.delete(WatchChannel, found.id)
    return Response(status_code=204)


def _open(call: Call, token: AccessToken, resource: str, path: str) -> object:
    given, world = call.read_json(ChannelBody), call.world
    _check(call, given)
    channel = WatchChannel(
        id=given.id,
        parent=token.parent,
        resource=resource,
        resource_id=_resource_id(call, resource),
        resource_uri=f"https://www.googleapis.com/calendar/v3/{path}?alt=json",
        address=given.address,
        token=given.token,
        expires=world.clock.now() + _life(call, given),
    )
    send_notice(world, channel, "sync")
    answer = {
        "kind": "api#channel",
        "id": channel.id,
        "resourceId": channel.resource_id,
        "resourceUri": channel.resource_uri,
        "token": channel.token,
        "expiration": str(int(channel.expires.timestamp() * 1000)),
    }
    return {name: value for name, value in answer.items() if value is not None}


def _check(call: Call, given: ChannelBody) -> None:
    if not given.id or len(given.id) > _LONGEST_ID:
        refuse(api_error(400, "required", "entity.id"))
    if given.type not in {"web_hook", "webhook"}:
        refuse(api_error(400, "invalid", "entity.type"))
    # The real platform accepts only https; the product on this machine need not have it.
    parts = parts_of(given.address)
    if parts is None or (parts.scheme != "https" and not is_own(call.world, given.address)):
        refuse(api_error(400, "push.webhookUrlNotHttps", f"WebHook callback must be HTTPS: {given.address}"))
    if call.world.store.get(WatchChannel, given.id):
        refuse(api_error(400, "channelIdNotUnique", f"Channel id {given.id} not unique"))


def _life(call: Call, given: ChannelBody) -> timedelta:
    ends, life = str(given.expiration), given.params.get("ttl", "")
    if ends.isdecimal():
        seconds = int(ends) // 1000 - int(call.world.clock.time())
    else:
        seconds = int(life) if life.isdecimal() else int(_USUAL_LIFE.total_seconds())
    return timedelta(seconds=max(0, min(seconds, int(_LONGEST_LIFE.total_seconds()))))


def _resource_id(call: Call, resource: str) -> str:
    """Return the opaque id of a resource, which all its channels share."""
    others = [channel for channel in call.world.store.find(WatchChannel) if channel.resource == resource]
    return others[0].resource_id if others else text(27)


def _route(path: str, handler: Handler) -> Route:
    return Route("POST", f"{BASE}/{path}", handler)


ROUTES = [
    _route("calendars/{calendar}/events/watch", watch_events),
    _route("calendars/{calendar}/acl/watch", watch_access),
    _route("users/me/calendarList/watch", watch_list),
    _route("users/me/settings/watch", watch_settings),
    _route("channels/stop", stop),
]
