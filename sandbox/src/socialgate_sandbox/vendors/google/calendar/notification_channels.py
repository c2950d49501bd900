"""Notification channels of Calendar."""

from datetime import timedelta
from urllib.parse import quote

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Handler, Route, generate_alphanumeric
from socialgate_sandbox.kit.urls import is_product_or_local_url, parse_web_url
from socialgate_sandbox.vendors.google.access import require_token
from socialgate_sandbox.vendors.google.calendar.calendars import (
    BASE_PATH,
    CALENDAR_LIST_SCOPES,
    CALENDAR_READ_SCOPE,
    CALENDAR_SCOPE,
    EVENT_READ_SCOPES,
    find_calendar_entry,
)
from socialgate_sandbox.vendors.google.errors import build_api_error, raise_refused
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, WatchChannel
from socialgate_sandbox.vendors.google.webhooks import send_channel_notification

_DEFAULT_LIFETIME = timedelta(days=7)
_MAX_LIFETIME = timedelta(days=30)
_MAX_ID_LENGTH = 64
_STOP_SCOPES = (*EVENT_READ_SCOPES, *CALENDAR_LIST_SCOPES)


class ChannelBody(msgspec.Struct, rename="camel"):
    id: str = ""
    type: str = ""
    address: str = ""
    token: str | None = None
    expiration: int | str | None = None
    params: dict[str, str] = {}
    resource_id: str = ""


def watch_events(call: Call) -> object:
    token = require_token(call, *EVENT_READ_SCOPES)
    calendar = find_calendar_entry(call, token, call.path_params["calendar"]).calendar
    return _open_channel(call, token, f"events {calendar}", f"calendars/{quote(calendar, safe='@')}/events")


def watch_access_rules(call: Call) -> object:
    token = require_token(call, CALENDAR_SCOPE, f"{AUTH}calendar.acls", f"{AUTH}calendar.acls.readonly")
    calendar = find_calendar_entry(call, token, call.path_params["calendar"]).calendar
    return _open_channel(call, token, f"acl {calendar}", f"calendars/{quote(calendar, safe='@')}/acl")


def watch_calendar_list(call: Call) -> object:
    token = require_token(call, *CALENDAR_LIST_SCOPES)
    return _open_channel(call, token, f"calendarList {token.parent}", "users/me/calendarList")


def watch_settings(call: Call) -> object:
    token = require_token(call, CALENDAR_SCOPE, CALENDAR_READ_SCOPE, f"{AUTH}calendar.settings.readonly")
    return _open_channel(call, token, f"settings {token.parent}", "users/me/settings")


def stop_channel(call: Call) -> object:
    token = require_token(call, *_STOP_SCOPES)
    body = call.parse_json_body(ChannelBody)
    watch_channel = call.context.store.get(WatchChannel, body.id)
    if watch_channel is None or watch_channel.resource_id != body.resource_id or watch_channel.parent != token.parent:
        message = f"Channel '{body.id}' not found for project '{call.context.app.id}'"
        return build_api_error(404, "notFound", message)
    call.context.store.delete(WatchChannel, watch_channel.id)
    return Response(status_code=204)


def _open_channel(call: Call, token: AccessToken, resource: str, path: str) -> object:
    body, world = call.parse_json_body(ChannelBody), call.context
    _validate_channel(call, body)
    channel = WatchChannel(
        id=body.id,
        parent=token.parent,
        resource=resource,
        resource_id=_get_resource_id(call, resource),
        resource_uri=f"https://www.googleapis.com/calendar/v3/{path}?alt=json",
        address=body.address,
        token=body.token,
        expires=world.clock.now() + _compute_lifetime(call, body),
    )
    send_channel_notification(world, channel, "sync")
    answer = {
        "kind": "api#channel",
        "id": channel.id,
        "resourceId": channel.resource_id,
        "resourceUri": channel.resource_uri,
        "token": channel.token,
        "expiration": str(int(channel.expires.timestamp() * 1000)),
    }
    return {name: value for name, value in answer.items() if value is not None}


def _validate_channel(call: Call, channel_body: ChannelBody) -> None:
    if not channel_body.id or len(channel_body.id) > _MAX_ID_LENGTH:
        raise_refused(build_api_error(400, "required", "entity.id"))
    if channel_body.type not in {"web_hook", "webhook"}:
        raise_refused(build_api_error(400, "invalid", "entity.type"))
    # The real platform accepts only https; the product on this machine need not have it.
    parts = parse_web_url(channel_body.address)
    if parts is None or (parts.scheme != "https" and not is_product_or_local_url(call.context, channel_body.address)):
        raise_refused(
            build_api_error(400, "push.webhookUrlNotHttps", f"WebHook callback must be HTTPS: {channel_body.address}")
        )
    if call.context.store.get(WatchChannel, channel_body.id):
        raise_refused(build_api_error(400, "channelIdNotUnique", f"Channel id {channel_body.id} not unique"))


def _compute_lifetime(call: Call, channel_body: ChannelBody) -> timedelta:
    ends, life = str(channel_body.expiration), channel_body.params.get("ttl", "")
    if ends.isdecimal():
        seconds = int(ends) // 1000 - int(call.context.clock.get_unix_time())
    else:
        seconds = int(life) if life.isdecimal() else int(_DEFAULT_LIFETIME.total_seconds())
    return timedelta(seconds=max(0, min(seconds, int(_MAX_LIFETIME.total_seconds()))))


def _get_resource_id(call: Call, resource: str) -> str:
    """Return the opaque id of a resource, which all its channels share."""
    others = [channel for channel in call.context.store.find(WatchChannel) if channel.resource == resource]
    return others[0].resource_id if others else generate_alphanumeric(27)


def _build_route(path: str, handler: Handler) -> Route:
    return Route("POST", f"{BASE_PATH}/{path}", handler)


ROUTES = [
    _build_route("calendars/{calendar}/events/watch", watch_events),
    _build_route("calendars/{calendar}/acl/watch", watch_access_rules),
    _build_route("users/me/calendarList/watch", watch_calendar_list),
    _build_route("users/me/settings/watch", watch_settings),
    _build_route("channels/stop", stop_channel),
]
