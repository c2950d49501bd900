"""What Google sends by itself: security events, calendar notifications, feeds of new videos, and location updates."""

import hmac
from base64 import b64encode
from collections.abc import Mapping
from email.utils import format_datetime
from hashlib import sha512
from typing import Any
from xml.sax.saxutils import escape

import msgspec

from socialgate_sandbox.kit import World, digits, hexadecimal
from socialgate_sandbox.vendors.google.jwt import key
from socialgate_sandbox.vendors.google.state import (
    EMAIL,
    PROFILE,
    FeedSubscription,
    Grant,
    NotificationSetting,
    RefreshToken,
    SecurityStream,
    WatchChannel,
    YouTubeChannel,
)

# Unlike in ID tokens, there is a trailing slash.
RISC_ISSUER = "https://accounts.google.com/"
_SCHEMA = "https://schemas.openid.net/secevent/"
TOKEN_REVOKED = f"{_SCHEMA}oauth/event-type/token-revoked"
TOKENS_REVOKED = f"{_SCHEMA}oauth/event-type/tokens-revoked"
SESSIONS_REVOKED = f"{_SCHEMA}risc/event-type/sessions-revoked"
ACCOUNT_DISABLED = f"{_SCHEMA}risc/event-type/account-disabled"
ACCOUNT_ENABLED = f"{_SCHEMA}risc/event-type/account-enabled"
CREDENTIAL_CHANGE = f"{_SCHEMA}risc/event-type/account-credential-change-required"
VERIFICATION = f"{_SCHEMA}risc/event-type/verification"
EVENTS = (
    TOKEN_REVOKED,
    TOKENS_REVOKED,
    SESSIONS_REVOKED,
    ACCOUNT_DISABLED,
    ACCOUNT_ENABLED,
    CREDENTIAL_CHANGE,
    VERIFICATION,
)
_PREFIX = 16
_PUSHER, _HOUR = "114839201756648392017", 3600
_FEED = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom">\
<link rel="hub" href="https://pubsubhubbub.appspot.com"/><link rel="self" href="{topic}"/>\
<title>YouTube video feed</title><updated>{updated}</updated><entry><id>yt:video:{video}</id>\
<yt:videoId>{video}</yt:videoId><yt:channelId>{channel}</yt:channelId><title>{title}</title>\
<link rel="alternate" href="https://www.youtube.com/watch?v={video}"/><author><name>{author}</name>\
<uri>https://www.youtube.com/channel/{channel}</uri></author><published>{published}</published>\
<updated>{updated}</updated></entry></feed>
"""


def stream(world: World) -> SecurityStream:
    """Return where security events are sent: by default, all of them to the product."""
    return world.store.get(SecurityStream, "stream") or SecurityStream(
        id="stream", url=world.app.webhook_url, events=list(EVENTS)
    )


def send_security_event(world: World, kind: str, about: Mapping[str, Any]) -> bool:
    """Send a signed event, if the product subscribed to its type."""
    to = stream(world)
    if to.status != "enabled" or (kind not in to.events and kind != VERIFICATION):
        return False
    claims = {
        "iss": RISC_ISSUER,
        "aud": world.app.id,
        "iat": int(world.clock.time()),
        "jti": hexadecimal(32),
        "events": {kind: dict(about)},
    }
    body = key(world).sign(claims, "secevent+jwt").encode()
    headers = {"Content-Type": "application/secevent+jwt", "Accept": "application/json"}
    world.send_webhook(body, headers, url=to.url)
    return True


def tell_of_user(world: World, kind: str, user: str, **more: str) -> bool:
    """Send an event about a user. Google sends it only to apps that may know the user's address or profile."""
    grant = world.store.get(Grant, user)
    if grant is None or not {EMAIL, PROFILE, "openid"} & set(grant.scopes):
        return False
    return send_security_event(world, kind, {"subject": subject_of(user)} | more)


def subject_of(user: str) -> dict[str, str]:
    return {"subject_type": "iss-sub", "iss": RISC_ISSUER, "sub": user}


def tell_of_token(world: World, token: RefreshToken, *, hashed: bool) -> bool:
    if hashed:
        twice = sha512(sha512(token.id.encode()).digest()).digest()
        name, value = "hash_base64_sha512_sha512", b64encode(twice).decode()
    else:
        name, value = "prefix", token.id[:_PREFIX]
    subject = {"subject_type": "oauth_token", "token_type": "refresh_token"}
    subject |= {"token_identifier_alg": name, "token": value}
    return send_security_event(world, TOKEN_REVOKED, {"subject": subject})


def send_notice(world: World, channel: WatchChannel, state: str) -> None:
    """Notify a watcher that something has changed, without saying what."""
    channel.sent += 1
    world.store.put(channel)
    headers = {
        "X-Goog-Channel-ID": channel.id,
        "X-Goog-Channel-Expiration": format_datetime(channel.expires, usegmt=True),
        "X-Goog-Message-Number": str(channel.sent),
        "X-Goog-Resource-ID": channel.resource_id,
        "X-Goog-Resource-State": state,
        "X-Goog-Resource-URI": channel.resource_uri,
        "User-Agent": "APIs-Google; (+https://developers.google.com/webmasters/APIs-Google.html)",
    }
    if channel.token is not None:
        headers["X-Goog-Channel-Token"] = channel.token
    world.send_webhook(b"", headers, url=channel.address)


def notice_change(world: World, resource: str) -> int:
    """Notify everybody who watches a resource. Returns how many do."""
    watching = [
        channel
        for channel in world.store.find(WatchChannel)
        if channel.resource == resource and channel.expires > world.clock.now()
    ]
    for channel in watching:
        send_notice(world, channel, "exists")
    return len(watching)


def send_feed(
    world: World,
    channel: YouTubeChannel,
    *,
    video: str,
    title: str,
    published: str,
    updated: str,
    after: float = 0.0,
) -> int:
    """Notify the subscribers of a channel's feed of a new or renamed video. Returns how many there are."""
    now = world.clock.now()
    live = [found for found in world.store.find(FeedSubscription, parent=channel.id) if found.expires > now]
    for subscription in live:
        body = _FEED.format(
            topic=escape(subscription.topic, {'"': "&quot;"}),
            video=video,
            channel=channel.id,
            title=escape(title),
            author=escape(channel.title),
            published=published,
            updated=updated,
        ).encode()
        headers = {"Content-Type": "application/atom+xml"}
        if subscription.secret:
            headers["X-Hub-Signature"] = f"sha1={hmac.new(subscription.secret.encode(), body, 'sha1').hexdigest()}"
        world.send_webhook(body, headers, url=subscription.callback, after=after)
    return len(live)


def push(world: World, account: str, kind: str, about: dict[str, str]) -> bool:
    """Publish a notification of a business account, if it wants it, to the subscription that the product created.

    The subscription is pushed with authentication, and its audience is the secret that the product recognizes it by.
    """
    setting = world.store.get(NotificationSetting, account)
    if setting is None or not setting.topic or kind not in setting.types:
        return False
    now, project = int(world.clock.time()), setting.topic.partition("/topics/")[0]
    claims = {
        "aud": world.app.verify_token,
        "azp": _PUSHER,
        "email": f"pubsub-push@{world.app.id}.iam.gserviceaccount.com",
        "email_verified": True,
        "exp": now + _HOUR,
        "iat": now,
        "iss": "https://accounts.google.com",
        "sub": _PUSHER,
    }
    message = {
        "attributes": {},
        "data": b64encode(msgspec.json.encode({"notificationType": kind} | about)).decode(),
        "messageId": digits(16),
        "publishTime": world.clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }
    body = msgspec.json.encode({"message": message, "subscription": f"{project}/subscriptions/business-profile"})
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key(world).sign(claims)}"}
    world.send_webhook(body, headers)
    return True
