"""YouTube's WebSub hub, which verifies a subscriber before it accepts a subscription."""

from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.responses import PlainTextResponse, Response

from socialgate_sandbox.kit import Call, Route, text
from socialgate_sandbox.kit.addresses import parts_of
from socialgate_sandbox.vendors.google.state import FeedSubscription, YouTubeChannel

_USUAL_LEASE, _LONGEST_LEASE = timedelta(days=5), timedelta(days=10)
_FEEDS = ("/feeds/videos.xml", "/xml/feeds/videos.xml")


async def subscribe(call: Call) -> Response:
    mode, callback, topic = (call.form.get(f"hub.{name}", "") for name in ("mode", "callback", "topic"))
    if mode not in {"subscribe", "unsubscribe"}:
        return _refused("Invalid value for hub.mode")
    if parts_of(callback) is None:
        return _refused("Invalid value for hub.callback")
    channel = _channel(call, topic)
    if channel is None:
        return _refused("Invalid value for hub.topic")
    lease = _lease(call)
    if not await _verified(call, callback, topic, mode, lease):
        # In asynchronous mode the hub has long responded, and drops an unverified request.
        return Response(status_code=202) if _asynchronous(call) else PlainTextResponse("Error trying to confirm", 409)
    with call.world.store.transaction():
        _record(call, channel, callback, topic, lease)
    return Response(status_code=202 if _asynchronous(call) else 204)


def _record(call: Call, channel: str, callback: str, topic: str, lease: timedelta) -> None:
    store, key = call.world.store, f"{channel} {callback}"
    if call.form["hub.mode"] == "unsubscribe":
        store.delete(FeedSubscription, key)
        return
    expires, secret = call.world.clock.now() + lease, call.form.get("hub.secret", "")
    store.put(FeedSubscription(id=key, parent=channel, callback=callback, topic=topic, secret=secret, expires=expires))


async def _verified(call: Call, callback: str, topic: str, mode: str, lease: timedelta) -> bool:
    challenge = text(20)
    given = {"hub.mode": mode, "hub.topic": topic, "hub.challenge": challenge}
    given["hub.lease_seconds"] = str(int(lease.total_seconds()))
    if "hub.verify_token" in call.form:
        given["hub.verify_token"] = call.form["hub.verify_token"]
    joint = "&" if urlsplit(callback).query else "?"
    answer = await call.world.fetch(f"{callback}{joint}{urlencode(given)}")
    return answer is None or (200 <= answer.status < 300 and answer.body == challenge.encode())  # noqa: PLR2004 - success


def _channel(call: Call, topic: str) -> str | None:
    parts = parts_of(topic)
    if parts is None:
        return None
    found = parse_qs(parts.query).get("channel_id", [""])[0]
    fits = parts.hostname == "www.youtube.com" and parts.path in _FEEDS
    return found if fits and call.world.store.get(YouTubeChannel, found) else None


def _lease(call: Call) -> timedelta:
    given = call.form.get("hub.lease_seconds", "")
    seconds = int(given) if given.isdecimal() else 0
    most = int(_LONGEST_LEASE.total_seconds())
    return timedelta(seconds=min(seconds, most)) if seconds else _USUAL_LEASE


def _asynchronous(call: Call) -> bool:
    return call.form.get("hub.verify", "async") != "sync"


def _refused(reason: str) -> Response:
    return PlainTextResponse(reason, 400)


ROUTES = [
    Route("POST", "/pubsubhubbub.appspot.com/subscribe", subscribe),
    Route("POST", "/pubsubhubbub.appspot.com/", subscribe),
]
