"""What Google sends by itself: security events, calendar notifications, feeds of new videos, and location updates."""

import hmac
from base64 import b64encode
from collections.abc import Mapping
from email.utils import format_datetime
from hashlib import sha512
from typing import Any
from xml.sax.saxutils import escape

import msgspec

from socialgate_sandbox.kit import VendorContext, generate_digits, generate_hex
from socialgate_sandbox.vendors.google.jwt import get_or_create_key
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
_EVENT_TYPE_PREFIX = "https://schemas.openid.net/secevent/"
TOKEN_REVOKED = f"{_EVENT_TYPE_PREFIX}oauth/event-type/token-revoked"
TOKENS_REVOKED = f"{_EVENT_TYPE_PREFIX}oauth/event-type/tokens-revoked"
SESSIONS_REVOKED = f"{_EVENT_TYPE_PREFIX}risc/event-type/sessions-revoked"
ACCOUNT_DISABLED = f"{_EVENT_TYPE_PREFIX}risc/event-type/account-disabled"
ACCOUNT_ENABLED = f"{_EVENT_TYPE_PREFIX}risc/event-type/account-enabled"
CREDENTIAL_CHANGE = f"{_EVENT_TYPE_PREFIX}risc/event-type/account-credential-change-required"
VERIFICATION = f"{_EVENT_TYPE_PREFIX}risc/event-type/verification"
SECURITY_EVENT_TYPES = (
    TOKEN_REVOKED,
    TOKENS_REVOKED,
    SESSIONS_REVOKED,
    ACCOUNT_DISABLED,
    ACCOUNT_ENABLED,
    CREDENTIAL_CHANGE,
    VERIFICATION,
)
_TOKEN_PREFIX_LENGTH = 16
_PUSH_SERVICE_ACCOUNT_ID, _HOUR_SECONDS = "114839201756648392017", 3600
_FEED_TEMPLATE = """<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom">\
<link rel="hub" href="https://pubsubhubbub.appspot.com"/><link rel="self" href="{topic}"/>\
<title>YouTube video feed</title><updated>{updated}</updated><entry><id>yt:video:{video}</id>\
<yt:videoId>{video}</yt:videoId><yt:channelId>{channel}</yt:channelId><title>{title}</title>\
<link rel="alternate" href="https://www.youtube.com/watch?v={video}"/><author><name>{author}</name>\
<uri>https://www.youtube.com/channel/{channel}</uri></author><published>{published}</published>\
<updated>{updated}</updated></entry></feed>
"""


def get_security_stream(context: VendorContext) -> SecurityStream:
    """Return where security events are sent: by default, all of them to the product."""
    return context.store.get(SecurityStream, "stream") or SecurityStream(
        id="stream", url=context.app.webhook_url, events=list(SECURITY_EVENT_TYPES)
    )


def send_security_event(context: VendorContext, event_type: str, event_data: Mapping[str, Any]) -> bool:
    """Send a signed event, if the product subscribed to its type."""
    to = get_security_stream(context)
    if to.status != "enabled" or (event_type not in to.events and event_type != VERIFICATION):
        return False
    claims = {
        "iss": RISC_ISSUER,
        "aud": context.app.id,
        "iat": int(context.clock.get_unix_time()),
        "jti": generate_hex(32),
        "events": {event_type: dict(event_data)},
    }
    body = get_or_create_key(context).sign_claims(claims, "secevent+jwt").encode()
    headers = {"Content-Type": "application/secevent+jwt", "Accept": "application/json"}
    context.send_webhook(body, headers, url=to.url)
    return True


def send_user_event(context: VendorContext, event_type: str, user_id: str, **extra_fields: str) -> bool:
    """Send an event about a user. Google sends it only to apps that may know the user's address or profile."""
    grant = context.store.get(Grant, user_id)
    if grant is None or not {EMAIL, PROFILE, "openid"} & set(grant.scopes):
        return False
    return send_security_event(context, event_type, {"subject": build_subject(user_id)} | extra_fields)


def build_subject(user_id: str) -> dict[str, str]:
    return {"subject_type": "iss-sub", "iss": RISC_ISSUER, "sub": user_id}


def send_token_revoked_event(context: VendorContext, token: RefreshToken, *, is_hashed: bool) -> bool:
    if is_hashed:
        twice = sha512(sha512(token.id.encode()).digest()).digest()
        name, value = "hash_base64_sha512_sha512", b64encode(twice).decode()
    else:
        name, value = "prefix", token.id[:_TOKEN_PREFIX_LENGTH]
    subject = {"subject_type": "oauth_token", "token_type": "refresh_token"}
    subject |= {"token_identifier_alg": name, "token": value}
    return send_security_event(context, TOKEN_REVOKED, {"subject": subject})


def send_channel_notification(context: VendorContext, channel: WatchChannel, state: str) -> None:
    """Notify a watcher that something has changed, without saying what."""
    channel.sent += 1
    context.store.put(channel)
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
    context.send_webhook(b"", headers, url=channel.address)


def notify_watchers(context: VendorContext, resource: str) -> int:
    """Notify everybody who watches a resource. Returns how many do."""
    watching = [
        channel
        for channel in context.store.find(WatchChannel)
        if channel.resource == resource and channel.expires > context.clock.now()
    ]
    for channel in watching:
        send_channel_notification(context, channel, "exists")
    return len(watching)


def notify_feed_subscribers(
    context: VendorContext,
    channel: YouTubeChannel,
    *,
    video_id: str,
    title: str,
    published: str,
    updated: str,
    delay_seconds: float = 0.0,
) -> int:
    """Notify the subscribers of a channel's feed of a new or renamed video. Returns how many there are."""
    now = context.clock.now()
    live = [
        feed_subscription
        for feed_subscription in context.store.find(FeedSubscription, parent=channel.id)
        if feed_subscription.expires > now
    ]
    for subscription in live:
        body = _FEED_TEMPLATE.format(
            topic=escape(subscription.topic, {'"': "&quot;"}),
            video=video_id,
            channel=channel.id,
            title=escape(title),
            author=escape(channel.title),
            published=published,
            updated=updated,
        ).encode()
        headers = {"Content-Type": "application/atom+xml"}
        if subscription.secret:
            headers["X-Hub-Signature"] = f"sha1={hmac.new(subscription.secret.encode(), body, 'sha1').hexdigest()}"
        context.send_webhook(body, headers, url=subscription.callback, delay_seconds=delay_seconds)
    return len(live)


def publish_business_notification(
    context: VendorContext, account_id: str, event_type: str, event_data: dict[str, str]
) -> bool:
    """Publish a notification of a business account, if it wants it, to the subscription that the product created.

    The subscription is pushed with authentication, and its audience is the secret that the product recognizes it by.
    """
    setting = context.store.get(NotificationSetting, account_id)
    if setting is None or not setting.topic or event_type not in setting.types:
        return False
    now, project = int(context.clock.get_unix_time()), setting.topic.partition("/topics/")[0]
    claims = {
        "aud": context.app.verify_token,
        "azp": _PUSH_SERVICE_ACCOUNT_ID,
        "email": f"pubsub-push@{context.app.id}.iam.gserviceaccount.com",
        "email_verified": True,
        "exp": now + _HOUR_SECONDS,
        "iat": now,
        "iss": "https://accounts.google.com",
        "sub": _PUSH_SERVICE_ACCOUNT_ID,
    }
    message = {
        "attributes": {},
        "data": b64encode(msgspec.json.encode({"notificationType": event_type} | event_data)).decode(),
        "messageId": generate_digits(16),
        "publishTime": context.clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
    }
    body = msgspec.json.encode({"message": message, "subscription": f"{project}/subscriptions/business-profile"})
    headers = {
        "Content-Type": "application/json",
        "Authorization": f"Bearer {get_or_create_key(context).sign_claims(claims)}",
    }
    context.send_webhook(body, headers)
    return True
