"""YouTube's WebSub hub, which verifies a subscriber before it accepts a subscription."""

from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.responses import PlainTextResponse, Response

from socialgate_sandbox.kit import Call, Route, generate_alphanumeric
from socialgate_sandbox.kit.urls import parse_web_url
from socialgate_sandbox.vendors.google.state import FeedSubscription, YouTubeChannel

_DEFAULT_LEASE, _MAX_LEASE = timedelta(days=5), timedelta(days=10)
_FEED_PATHS = ("/feeds/videos.xml", "/xml/feeds/videos.xml")


async def change_subscription(call: Call) -> Response:
    mode, callback, topic = (call.form.get(f"hub.{name}", "") for name in ("mode", "callback", "topic"))
    if mode not in {"subscribe", "unsubscribe"}:
        return _build_refusal("Invalid value for hub.mode")
    if parse_web_url(callback) is None:
        return _build_refusal("Invalid value for hub.callback")
    channel = _parse_channel_id(call, topic)
    if channel is None:
        return _build_refusal("Invalid value for hub.topic")
    lease = _parse_lease(call)
    if not await _verify_callback(call, callback, topic, mode, lease):
        # In asynchronous mode the hub has long responded, and drops an unverified request.
        return (
            Response(status_code=202) if _is_asynchronous(call) else PlainTextResponse("Error trying to confirm", 409)
        )
    with call.context.store.transaction():
        _store_subscription(call, channel, callback, topic, lease)
    return Response(status_code=202 if _is_asynchronous(call) else 204)


def _store_subscription(call: Call, channel_id: str, callback: str, topic: str, lease: timedelta) -> None:
    store, key = call.context.store, f"{channel_id} {callback}"
    if call.form["hub.mode"] == "unsubscribe":
        store.delete(FeedSubscription, key)
        return
    expires, secret = call.context.clock.now() + lease, call.form.get("hub.secret", "")
    store.put(
        FeedSubscription(id=key, parent=channel_id, callback=callback, topic=topic, secret=secret, expires=expires)
    )


async def _verify_callback(call: Call, callback: str, topic: str, mode: str, lease: timedelta) -> bool:
    challenge = generate_alphanumeric(20)
    params = {"hub.mode": mode, "hub.topic": topic, "hub.challenge": challenge}
    params["hub.lease_seconds"] = str(int(lease.total_seconds()))
    if "hub.verify_token" in call.form:
        params["hub.verify_token"] = call.form["hub.verify_token"]
    joint = "&" if urlsplit(callback).query else "?"
    answer = await call.context.fetch(f"{callback}{joint}{urlencode(params)}")
    return answer is None or (200 <= answer.status < 300 and answer.body == challenge.encode())  # noqa: PLR2004 - success


def _parse_channel_id(call: Call, topic: str) -> str | None:
    parts = parse_web_url(topic)
    if parts is None:
        return None
    result = parse_qs(parts.query).get("channel_id", [""])[0]
    fits = parts.hostname == "www.youtube.com" and parts.path in _FEED_PATHS
    return result if fits and call.context.store.get(YouTubeChannel, result) else None


def _parse_lease(call: Call) -> timedelta:
    value = call.form.get("hub.lease_seconds", "")
    seconds = int(value) if value.isdecimal() else 0
    most = int(_MAX_LEASE.total_seconds())
    return timedelta(seconds=min(seconds, most)) if seconds else _DEFAULT_LEASE


def _is_asynchronous(call: Call) -> bool:
    return call.form.get("hub.verify", "async") != "sync"


def _build_refusal(reason: str) -> Response:
    return PlainTextResponse(reason, 400)


ROUTES = [
    Route("POST", "/pubsubhubbub.appspot.com/subscribe", change_subscription),
    Route("POST", "/pubsubhubbub.appspot.com/", change_subscription),
]
