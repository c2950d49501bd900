"""Every call that changes something on a platform: for each operation and each kind of account one, with the calls at
which a test may kill it, and what the platform shows of it afterwards.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from socialgate.contracts.platforms import Kind
from support import ad_subjects, subjects
from support.crashing import Stage


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One operation on one kind of account: the calls at which it is killed, and how a request for it is made.

    It is `provable` where the platform can be asked whether something was not done, and `visible` where it shows or
    reports that it was; `once` where it never repeats a report that nobody took. Those that are no `model` differ from
    one that is by nothing but the names of their calls.
    """

    name: str
    platform: str
    kind: Kind
    calls: tuple[str, ...]
    subject: Callable[[Stage], subjects.Subject]
    provable: bool = True
    visible: bool = True
    once: bool = False
    model: bool = False


def _comments(kind: Kind, wall: subjects.Wall, calls: Sequence[str], *, model: bool = False) -> list[Action]:
    """List what can be done with comments. That one does not show up proves nothing on any of these platforms."""
    create, hide, delete = calls
    action = partial(Action, platform=wall.platform, kind=kind, model=model)
    return [
        action(name="comments.create", calls=(create,), subject=partial(subjects.reply, wall), provable=False),
        action(name="comments.hide", calls=(hide,), subject=partial(subjects.hiding, wall)),
        action(name="comments.delete", calls=(delete,), subject=partial(subjects.removal, wall)),
    ]


def _deletes(kind: Kind, wall: subjects.Wall, *, model: bool = False) -> Action:
    subject = partial(subjects.deletion, wall)
    return Action(
        name="posts.delete", platform=wall.platform, kind=kind, calls=("DELETE *",), subject=subject, model=model
    )


def _sends(
    kind: Kind, platform: str, line: Callable[[Stage], subjects.Line], calls: tuple[str, ...], **how: bool
) -> Action:
    subject = partial(subjects.sending, line)
    return Action(
        name="messages.send", platform=platform, kind=kind, calls=calls, subject=subject, provable=False, **how
    )


def _reads(
    kind: Kind, platform: str, line: Callable[[Stage], subjects.Line], call: str, *, model: bool = False
) -> Action:
    subject = partial(subjects.reading, line)
    return Action(name="messages.read", platform=platform, kind=kind, calls=(call,), subject=subject, model=model)


def _on_calendars(name: str, call: str, subject: Callable[[Stage], subjects.Subject]) -> Action:
    kind = Kind.GOOGLE_CALENDAR
    return Action(name=f"calendar.{name}", platform="google", kind=kind, calls=(call,), subject=subject, model=True)


def _in_catalogs(market: subjects.Market, kind: Kind, calls: Sequence[str], *, model: bool = False) -> list[Action]:
    """List what can be done with catalogs and products."""
    made = {
        "catalogs.create": subjects.catalog_creation,
        "productSets.create": subjects.set_creation,
        "products.create": subjects.product_creation,
        "products.delete": subjects.product_deletion,
    }
    return [
        Action(
            name=name, platform=market.platform, kind=kind, calls=(call,), subject=partial(subject, market), model=model
        )
        for (name, subject), call in zip(made.items(), calls, strict=True)
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


def _with_ads(desk: ad_subjects.Desk, calls: Sequence[str], *, model: bool = False) -> list[Action]:
    """List what can be done with ads."""
    return [
        Action(
            name=name,
            platform=desk.platform,
            kind=desk.kind,
            calls=(call,),
            subject=partial(subject, desk),
            model=model and name not in LIKE_A_MODEL,
        )
        for (name, subject), call in zip(ad_subjects.SUBJECTS, calls, strict=True)
    ]


# Operations that are others under another name, or that cannot be counted from outside: dark posts are boosts with a
# creative of their own, no route lists creatives, and platforms ignore events that they already have. What is different
# about a lost response of the latter two is tested in `tests/areas/test_ads.py` and `test_ads_numbers.py`.
ALIKE = frozenset({"ads.darkpost", "adcreatives.create", "pixelEvents.send"})
ACTIONS = (
    *_comments(
        Kind.THREADS, subjects.PROFILE, ("POST */threads_publish", "POST */manage_reply", "DELETE *"), model=True
    ),
    *_comments(Kind.FACEBOOK_PAGE, subjects.PAGE, ("POST */comments", "POST *", "DELETE *")),
    *_comments(Kind.INSTAGRAM, subjects.GRID, ("POST */comments", "POST *", "DELETE *")),
    *_comments(
        Kind.YOUTUBE,
        subjects.CHANNEL,
        ("POST */commentThreads", "POST */comments/setModerationStatus", "DELETE */comments"),
    ),
    Action(
        name="comments.create",
        platform="google",
        kind=Kind.GOOGLE_BUSINESS,
        calls=("PUT */reply",),
        subject=subjects.review_reply,
        model=True,
    ),
    Action(
        name="comments.delete",
        platform="google",
        kind=Kind.GOOGLE_BUSINESS,
        calls=("DELETE */reply",),
        subject=subjects.review_removal,
    ),
    _deletes(Kind.THREADS, subjects.PROFILE, model=True),
    _deletes(Kind.FACEBOOK_PAGE, subjects.PAGE),
    _deletes(Kind.INSTAGRAM, subjects.GRID),
    _deletes(Kind.YOUTUBE, subjects.CHANNEL),
    _deletes(Kind.GOOGLE_BUSINESS, subjects.SPOT),
    Action(
        name="posts.delete",
        platform="telegram",
        kind=Kind.TELEGRAM_BOT,
        calls=("* */deleteMessage*",),
        subject=subjects.channel_deletion,
    ),
    Action(
        name="leads.createForm",
        platform="meta",
        kind=Kind.FACEBOOK_PAGE,
        calls=("POST */leadgen_forms",),
        subject=subjects.form_creation,
        model=True,
    ),
    _on_calendars("create", "POST */events", subjects.event_creation),
    _on_calendars("patch", "PATCH */events/*", subjects.event_change),
    _on_calendars("delete", "DELETE */events/*", subjects.event_deletion),
    *_in_catalogs(
        subjects.META_MARKET,
        Kind.META_ADS,
        ("POST */owned_product_catalogs", "POST */product_sets", "POST */items_batch", "DELETE */catalog:*"),
        model=True,
    ),
    *_in_catalogs(
        subjects.TIKTOK_MARKET,
        Kind.TIKTOK_ADS,
        (
            "POST */catalog/create/",
            "POST */catalog/set/create/",
            "POST */catalog/product/upload/",
            "POST */catalog/product/delete/",
        ),
    ),
    _sends(Kind.FACEBOOK_PAGE, "meta", subjects.MESSENGER, ("POST */messages",), model=True),
    _sends(Kind.INSTAGRAM, "meta", subjects.DIRECT, ("POST */messages",)),
    _sends(Kind.WHATSAPP_CLOUD, "whatsapp-cloud", subjects.CLOUD, ("POST */messages",), model=True),
    _sends(
        Kind.WHATSAPP_QR,
        "wasender",
        subjects.phone_line,
        ("POST */send-message", "GET */messages/*/info"),
        model=True,
        once=True,
    ),
    _sends(Kind.TELEGRAM_BOT, "telegram", subjects.bot_line, ("* */sendMessage",), model=True, visible=False),
    _reads(Kind.WHATSAPP_CLOUD, "whatsapp-cloud", subjects.CLOUD, "POST */messages", model=True),
    _reads(Kind.WHATSAPP_QR, "wasender", subjects.phone_line, "POST */messages/read"),
    Action(
        name="connect.telegram",
        platform="telegram",
        kind=Kind.TELEGRAM_BOT,
        calls=("* */getMe", "* */setWebhook"),
        subject=subjects.bot,
        model=True,
    ),
    Action(
        name="connect.whatsapp-cloud",
        platform="whatsapp-cloud",
        kind=Kind.WHATSAPP_CLOUD,
        calls=("GET *", "POST */subscribed_apps"),
        subject=subjects.number,
        model=True,
    ),
    Action(
        name="connect.wasender",
        platform="wasender",
        kind=Kind.WHATSAPP_QR,
        calls=("POST */whatsapp-sessions", "POST */whatsapp-sessions/*/connect"),
        subject=subjects.phone,
        model=True,
    ),
    *_with_ads(ad_subjects.META_DESK, _META_ADS, model=True),
    *_with_ads(ad_subjects.TIKTOK_DESK, _TIKTOK_ADS),
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
