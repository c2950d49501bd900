"""The simulated platforms, stocked with posts, reviews and numbers: enough for many requests, each about another one.

`connect_everyone` connects Ada's accounts as she would.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

from socialgate.contracts.platforms import Kind
from socialgate_sandbox.kit import Vendor, VendorContext
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.vendors import google, meta, telegram, threads, tiktokads, wasender, whatsapp_cloud
from socialgate_sandbox.vendors.google import state as google_state
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID, ADA_GROUP_ID, GOOGLE_USER_IDS
from socialgate_sandbox.vendors.meta import content as meta_content
from socialgate_sandbox.vendors.meta.seed import ADA, ADA_ADS, BAKERY, BAKERY_IG
from socialgate_sandbox.vendors.telegram.seed import BAKERY_TOKEN
from socialgate_sandbox.vendors.threads.content import Post, PostOptions
from socialgate_sandbox.vendors.threads.stored_objects import Profile
from socialgate_sandbox.vendors.tiktokads.seed import USER_IDS as ADVERTISERS
from socialgate_sandbox.vendors.wasender.state import Customer
from socialgate_sandbox.vendors.whatsapp_cloud.seed import ADA_TOKEN, ADA_WABA
from socialgate_sandbox.vendors.whatsapp_cloud.seed import BAKERY as BAKERY_NUMBER
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import Number
from support.crash_deployment import CrashDeployment

THREADS_PROFILE = "24178919900000001"
# Two places of Ada's: one is judged by people, the other one posts.
REVIEWED_LOCATION, POSTING_LOCATION = "15283746510293847001", "15283746510293847002"
POSTS = 200
_FIRST_POST = 18100000000000001
_FIRST_NUMBER = 106540352250000
_MADE = datetime(2026, 1, 1, tzinfo=UTC)


def plain_post(number: int) -> str:
    return str(_FIRST_POST + number)


def page_post(number: int) -> str:
    return f"{BAKERY}_{_FIRST_POST + number}"


def video(number: int) -> str:
    return f"Killed{number:05}"


def local_post(number: int) -> str:
    return f"accounts/{ADA_GROUP_ID}/locations/{POSTING_LOCATION}/localPosts/{_FIRST_POST + number}"


def a_review(number: int) -> str:
    return f"KilledReview{number:05}"


def cloud_number(number: int) -> str:
    return str(_FIRST_NUMBER + number)


def _numbered() -> Iterable[tuple[int, str]]:
    return [(number, plain_post(number)) for number in range(POSTS)]


def _seed_meta(context: VendorContext) -> None:
    meta.VENDOR.seed(context)
    for number, key in _numbered():
        post = meta_content.Post(
            id=page_post(number),
            parent=BAKERY,
            created_at=_MADE,
            visible=_MADE,
            status_type="mobile_status_update",
            message=key,
        )
        context.store.put(post)
        media = meta_content.InstagramMedia(
            id=key,
            parent=BAKERY_IG,
            media_type="IMAGE",
            product_type="FEED",
            shortcode=f"s{number}",
            created_at=_MADE,
            media=Media(content_type="image/jpeg"),
        )
        context.store.put(media)


def _seed_threads(context: VendorContext) -> None:
    threads.VENDOR.seed(context)
    context.store.put(Profile(id=THREADS_PROFILE, username="killed", name="Killed"))
    for number, key in _numbered():
        post = Post(
            id=key,
            parent=THREADS_PROFILE,
            media_type="TEXT_POST",
            shortcode=f"s{number}",
            created_at=_MADE,
            options=PostOptions(),
            text=key,
        )
        context.store.put(post)


def _seed_google(context: VendorContext) -> None:
    google.VENDOR.seed(context)
    for number, key in _numbered():
        file = Media(size=9, content_type="video/mp4")
        context.store.put(
            google_state.Video(id=video(number), parent=ADA_CHANNEL_ID, title=key, created_at=_MADE, file=file)
        )
        payload = {"summary": key, "topicType": "STANDARD", "languageCode": "en"}
        context.store.put(
            google_state.LocalPost(
                id=key, parent=POSTING_LOCATION, account=ADA_GROUP_ID, body=payload, created_at=_MADE, changed=_MADE
            )
        )
        context.store.put(
            google_state.Review(
                id=a_review(number),
                parent=REVIEWED_LOCATION,
                account=ADA_GROUP_ID,
                author=f"author-{number}",
                name=f"Customer {number}",
                stars=2,
                text=key,
                created_at=_MADE,
                changed=_MADE,
            )
        )


def _seed_whatsapp(context: VendorContext) -> None:
    whatsapp_cloud.VENDOR.seed(context)
    for number in range(POSTS):
        created_number = Number(
            id=cloud_number(number),
            parent=ADA_WABA,
            display_phone_number=f"+46 70 175 {number:04}",
            verified_name=f"Shop {number}",
            country_code="SE",
            onboarded=_MADE,
        )
        context.store.put(created_number)


def _seed_wasender(context: VendorContext) -> None:
    wasender.VENDOR.seed(context)
    ada = context.store.get(Customer, "ada")
    assert ada is not None
    ada.most_sessions = 2 * POSTS
    context.store.put(ada)


VENDORS: list[Vendor] = [
    telegram.VENDOR,
    tiktokads.VENDOR,
    replace(google.VENDOR, seed=_seed_google),
    replace(meta.VENDOR, seed=_seed_meta),
    replace(threads.VENDOR, seed=_seed_threads),
    replace(wasender.VENDOR, seed=_seed_wasender),
    replace(whatsapp_cloud.VENDOR, seed=_seed_whatsapp),
]


def connect_page(stage: CrashDeployment) -> None:
    """Connect a Page, and the Instagram account that hangs on it."""
    stage.sign_in("meta", ADA)
    stage.send_request("POST", f"/profiles/{stage.profile_id}/connect/meta", json={"ids": [BAKERY, BAKERY_IG]})


def connect_ads(stage: CrashDeployment) -> None:
    """Connect the ad account of the person who signed in last. Its business has a catalog."""
    stage.send_request("POST", f"/profiles/{stage.profile_id}/connect/meta/adaccounts", json={"ids": [ADA_ADS]})


def cloud_credentials(stage: CrashDeployment, number: str) -> dict[str, str]:
    """Give what a customer enters to connect a number of the Cloud API."""
    params = {"accessToken": ADA_TOKEN, "wabaId": ADA_WABA, "appSecret": whatsapp_cloud.VENDOR.app.secret}
    return {"profileId": stage.profile_id, "phoneNumberId": number, **params}


def connect_number(stage: CrashDeployment) -> None:
    stage.send_request("POST", "/connect/whatsapp-cloud", json=cloud_credentials(stage, BAKERY_NUMBER))


def connect_everyone(stage: CrashDeployment) -> None:
    """Connect the accounts that requests share."""
    connect_page(stage)
    connect_ads(stage)
    connect_number(stage)
    stage.sign_in("threads", THREADS_PROFILE)
    stage.sign_in("tiktokads", ADVERTISERS["ada"])
    for kind in (Kind.YOUTUBE, Kind.GOOGLE_BUSINESS, Kind.GOOGLE_CALENDAR):
        stage.sign_in("google", GOOGLE_USER_IDS["ada"], kind=str(kind))
    stage.send_request("POST", "/connect/telegram", json={"profileId": stage.profile_id, "botToken": BAKERY_TOKEN})
