"""Every call that changes something on a platform: for each operation and each kind of account one, with the calls at
which a test may kill it, and what the platform shows of it afterwards.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from socialgate.contracts.platforms import Kind
from support import ad_requests, platform_requests
from support.crash_deployment import CrashDeployment


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One operation on one kind of account: the calls at which it is killed, and how a request for it is made.

    It is `provable` where the platform can be asked whether something was not done, and `visible` where it shows or
    reports that it was; `once` where it never repeats a report that nobody took. Those that are no `representative`
    differ from one that is by nothing but the names of their calls.
    """

    name: str
    platform: str
    kind: Kind
    calls: tuple[str, ...]
    subject: Callable[[CrashDeployment], platform_requests.PlatformRequest]
    provable: bool = True
    visible: bool = True
    once: bool = False
    representative: bool = False


def _comments(
    kind: Kind, wall: platform_requests.PostFeed, calls: Sequence[str], *, model: bool = False
) -> list[Action]:
    """List what can be done with comments. That one does not show up proves nothing on any of these platforms."""
    create, hide, delete = calls
    action = partial(Action, platform=wall.platform, kind=kind, representative=model)
    return [
        action(name="comments.create", calls=(create,), subject=partial(platform_requests.reply, wall), provable=False),
        action(name="comments.hide", calls=(hide,), subject=partial(platform_requests.hiding, wall)),
        action(name="comments.delete", calls=(delete,), subject=partial(platform_requests.removal, wall)),
    ]


def _deletes(kind: Kind, wall: platform_requests.PostFeed, *, model: bool = False) -> Action:
    subject = partial(platform_requests.deletion, wall)
    return Action(
        name="posts.delete",
        platform=wall.platform,
        kind=kind,
        calls=("DELETE *",),
        subject=subject,
        representative=model,
    )


def _sends(
    kind: Kind,
    platform: str,
    line: Callable[[CrashDeployment], platform_requests.ConversationFixture],
    calls: tuple[str, ...],
    **flag: bool,
) -> Action:
    subject = partial(platform_requests.sending, line)
    return Action(
        name="messages.send", platform=platform, kind=kind, calls=calls, subject=subject, provable=False, **flag
    )


def _reads(
    kind: Kind,
    platform: str,
    line: Callable[[CrashDeployment], platform_requests.ConversationFixture],
    call: str,
    *,
    model: bool = False,
) -> Action:
    subject = partial(platform_requests.reading, line)
    return Action(
        name="messages.read", platform=platform, kind=kind, calls=(call,), subject=subject, representative=model
    )


def _on_calendars(
    name: str, call: str, subject: Callable[[CrashDeployment], platform_requests.PlatformRequest]
) -> Action:
    kind = Kind.GOOGLE_CALENDAR
    return Action(
        name=f"calendar.{name}", platform="google", kind=kind, calls=(call,), subject=subject, representative=True
    )


def _in_catalogs(
    market: platform_requests.CatalogSettings, kind: Kind, calls: Sequence[str], *, model: bool = False
) -> list[Action]:
    """List what can be done with catalogs and products."""
    function = {
        "catalogs.create": platform_requests.catalog_creation,
        "productSets.create": platform_requests.set_creation,
        "products.create": platform_requests.product_creation,
        "products.delete": platform_requests.product_deletion,
    }
    return [
        Action(
            name=name,
            platform=market.platform,
            kind=kind,
            calls=(call,),
            subject=partial(subject, market),
            representative=model,
        )
        for (name, subject), call in zip(function.items(), calls, strict=True)
    ]


_META_ADS = (
    "POST */campaigns", "POST */adsets", "POST */ads", "POST */ads", "POST */customaudiences",
    "POST */customconversions", "POST *", "POST *", "POST *", "DELETE *", "DELETE *", "DELETE *",
)  # fmt: skip
_TIKTOK_ADS = (
    "POST */campaign/create/", "POST */adgroup/create/", "POST */ad/create/", "POST */ad/create/",
    "POST */segment/audience/", "POST */custom_conversion/create/", "POST */campaign/update/",
    "POST */custom_audience/update/", "POST */custom_conversion/update/", "POST */campaign/status/update/",
    "POST */custom_audience/delete/", "POST */custom_conversion/delete/",
)  # fmt: skip


# What is made, changed and deleted like a campaign, and has no model of its own: all of them hang at the same time. An
# audience is made in another way: its people are queued with it.
LIKE_A_MODEL = frozenset(
    {
        "adsets.create", "ads.create", "customConversions.create", "audiences.update", "customConversions.update",
        "audiences.delete", "customConversions.delete",
    }
)  # fmt: skip


def _with_ads(desk: ad_requests.AdAccountFixture, calls: Sequence[str], *, model: bool = False) -> list[Action]:
    """List what can be done with ads."""
    return [
        Action(
            name=name,
            platform=desk.platform,
            kind=desk.kind,
            calls=(call,),
            subject=partial(subject, desk),
            representative=model and name not in LIKE_A_MODEL,
        )
        for (name, subject), call in zip(ad_requests.SUBJECTS, calls, strict=True)
    ]


# Operations that are others under another name, or that cannot be counted from outside: dark posts are boosts with a
# creative of their own, no route lists creatives, and platforms ignore events that they already have. What is different
# about a lost response of the latter two is tested in `tests/areas/test_ads.py` and `test_ads_numbers.py`.
UNTESTED_OPERATIONS = frozenset({"ads.darkpost", "adcreatives.create", "pixelEvents.send"})
ACTIONS = (
    *_comments(
        Kind.THREADS,
        platform_requests.PROFILE,
        ("POST */threads_publish", "POST */manage_reply", "DELETE *"),
        model=True,
    ),
    *_comments(Kind.FACEBOOK_PAGE, platform_requests.PAGE, ("POST */comments", "POST *", "DELETE *")),
    *_comments(Kind.INSTAGRAM, platform_requests.INSTAGRAM_FEED, ("POST */comments", "POST *", "DELETE *")),
    *_comments(
        Kind.YOUTUBE,
        platform_requests.CHANNEL,
        ("POST */commentThreads", "POST */comments/setModerationStatus", "DELETE */comments"),
    ),
    Action(
        name="comments.create",
        platform="google",
        kind=Kind.GOOGLE_BUSINESS,
        calls=("PUT */reply",),
        subject=platform_requests.review_reply,
        representative=True,
    ),
    Action(
        name="comments.delete",
        platform="google",
        kind=Kind.GOOGLE_BUSINESS,
        calls=("DELETE */reply",),
        subject=platform_requests.review_removal,
    ),
    _deletes(Kind.THREADS, platform_requests.PROFILE, model=True),
    _deletes(Kind.FACEBOOK_PAGE, platform_requests.PAGE),
    _deletes(Kind.INSTAGRAM, platform_requests.INSTAGRAM_FEED),
    _deletes(Kind.YOUTUBE, platform_requests.CHANNEL),
    _deletes(Kind.GOOGLE_BUSINESS, platform_requests.LOCATION_FEED),
    Action(
        name="posts.delete",
        platform="telegram",
        kind=Kind.TELEGRAM_BOT,
        calls=("* */deleteMessage*",),
        subject=platform_requests.channel_deletion,
    ),
    Action(
        name="leads.createForm",
        platform="meta",
        kind=Kind.FACEBOOK_PAGE,
        calls=("POST */leadgen_forms",),
        subject=platform_requests.form_creation,
        representative=True,
    ),
    _on_calendars("create", "POST */events", platform_requests.event_creation),
    _on_calendars("patch", "PATCH */events/*", platform_requests.event_change),
    _on_calendars("delete", "DELETE */events/*", platform_requests.event_deletion),
    *_in_catalogs(
        platform_requests.META_MARKET,
        Kind.META_ADS,
        ("POST */owned_product_catalogs", "POST */product_sets", "POST */items_batch", "DELETE */catalog:*"),
        model=True,
    ),
    *_in_catalogs(
        platform_requests.TIKTOK_MARKET,
        Kind.TIKTOK_ADS,
        (
            "POST */catalog/create/",
            "POST */catalog/set/create/",
            "POST */catalog/product/upload/",
            "POST */catalog/product/delete/",
        ),
    ),
    _sends(Kind.FACEBOOK_PAGE, "meta", platform_requests.MESSENGER, ("POST */messages",), representative=True),
    _sends(Kind.INSTAGRAM, "meta", platform_requests.DIRECT, ("POST */messages",)),
    _sends(Kind.WHATSAPP_CLOUD, "whatsapp-cloud", platform_requests.CLOUD, ("POST */messages",), representative=True),
    _sends(
        Kind.WHATSAPP_QR,
        "wasender",
        platform_requests.phone_line,
        ("POST */send-message", "GET */messages/*/info"),
        representative=True,
        once=True,
    ),
    _sends(
        Kind.TELEGRAM_BOT,
        "telegram",
        platform_requests.bot_line,
        ("* */sendMessage",),
        representative=True,
        visible=False,
    ),
    _reads(Kind.WHATSAPP_CLOUD, "whatsapp-cloud", platform_requests.CLOUD, "POST */messages", model=True),
    _reads(Kind.WHATSAPP_QR, "wasender", platform_requests.phone_line, "POST */messages/read"),
    Action(
        name="connect.telegram",
        platform="telegram",
        kind=Kind.TELEGRAM_BOT,
        calls=("* */getMe", "* */setWebhook"),
        subject=platform_requests.bot,
        representative=True,
    ),
    Action(
        name="connect.whatsapp-cloud",
        platform="whatsapp-cloud",
        kind=Kind.WHATSAPP_CLOUD,
        calls=("GET *", "POST */subscribed_apps"),
        subject=platform_requests.number,
        representative=True,
    ),
    Action(
        name="connect.wasender",
        platform="wasender",
        kind=Kind.WHATSAPP_QR,
        calls=("POST */whatsapp-sessions", "POST */whatsapp-sessions/*/connect"),
        subject=platform_requests.phone,
        representative=True,
    ),
    *_with_ads(ad_requests.META_AD_ACCOUNT, _META_ADS, model=True),
    *_with_ads(ad_requests.TIKTOK_AD_ACCOUNT, _TIKTOK_ADS),
)


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """What a kind of account cannot do, although its capability has an operation for it; and a request for it."""

    name: str
    kind: Kind
    path: str
    body: dict[str, Any]


_RECEIPT = {"to": "+51987654321", "type": "read", "read": {"msgId": "msg_01h455vb4pex5vsknk084sn02q"}}
REFUSALS = (
    # The owner of a place cannot hide a review.
    Refusal(name="comments.hide", kind=Kind.GOOGLE_BUSINESS, path="comments/hide", body={"commentId": "review"}),
    # Only the routes of WhatsApp have receipts.
    *(
        Refusal(name="messages.read", kind=kind, path="whatsapp/send", body=_RECEIPT)
        for kind in (Kind.FACEBOOK_PAGE, Kind.INSTAGRAM, Kind.TELEGRAM_BOT)
    ),
)
