"""Whatever callers send to Meta's simulated products, they are answered in Meta's own words."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sandbox.graph_support import Platform, running_platform
from sandbox.meta.signing_in import Meta
from sandbox.threads.signing_in import Threads
from socialgate_sandbox.vendors import meta, threads, whatsapp_cloud
from socialgate_sandbox.vendors.meta.seed import ADA, ADA_ADS, ADA_BUSINESS, BAKERY, BAKERY_IG
from socialgate_sandbox.vendors.threads.seed import ADA as ADA_PROFILE
from socialgate_sandbox.vendors.whatsapp_cloud.seed import ADA_TOKEN, ADA_WABA
from socialgate_sandbox.vendors.whatsapp_cloud.seed import BAKERY as BAKERY_NUMBER

META = [
    *((f"{BAKERY}/{edge}") for edge in ("feed", "photos", "videos", "video_reels", "subscribed_apps", "posts")),
    *((f"{BAKERY_IG}/{edge}") for edge in ("media", "media_publish", "content_publishing_limit", "stories")),
    *("me/accounts", f"{ADA_BUSINESS}/owned_pages", f"{ADA_ADS}/minimum_budgets", "debug_token", "", BAKERY, BAKERY_IG),
]
THREADS = ["me", "me/threads", "me/threads_publish", "me/threads_publishing_limit", "me/replies", "debug_token"]
WHATSAPP = [
    *((f"{BAKERY_NUMBER}/{edge}") for edge in ("messages", "media", "register", "whatsapp_business_profile", "")),
    *((f"{ADA_WABA}/{edge}") for edge in ("message_templates", "subscribed_apps", "phone_numbers", "")),
]
NAMES = [
    *("fields", "limit", "after", "summary", "since", "ids", "batch", "input_token", "subscribed_fields", "message"),
    *(
        "link",
        "attached_media",
        "published",
        "scheduled_publish_time",
        "url",
        "upload_phase",
        "file_size",
        "media_type",
    ),
    *(
        "image_url",
        "video_url",
        "children",
        "creation_id",
        "text",
        "poll_attachment",
        "reply_to_id",
        "messaging_product",
    ),
    *("to", "type", "status", "image", "template", "interactive", "location", "contacts", "webhook_configuration"),
    *("override_callback_uri", "pin", "name", "language", "category", "components", "websites", "vertical"),
]
WORDS = st.sampled_from(
    [
        "whatsapp",
        "TEXT",
        "IMAGE",
        "CAROUSEL",
        "start",
        "finish",
        "text",
        "template",
        "UTILITY",
        "https://a.example/b.jpg",
    ]
)
LEAVES = (
    WORDS
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner),
    max_leaves=6,
)
PARAMETERS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)
WAYS = st.tuples(st.sampled_from(["GET", "POST"]), st.sampled_from(["json", "data", "params"]))
LENIENT = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tmp_path_factory.mktemp("graph")


@pytest.fixture(scope="module")
def facebook(folder: Any) -> Iterator[tuple[Platform, str]]:
    with running_platform(folder / "meta", meta.VENDOR) as platform:
        yield platform, Meta(platform).page(ADA, BAKERY)


@pytest.fixture(scope="module")
def profile(folder: Any) -> Iterator[tuple[Platform, str]]:
    with running_platform(folder / "threads", threads.VENDOR) as platform:
        yield platform, Threads(platform).long(ADA_PROFILE)


@pytest.fixture(scope="module")
def number(folder: Any) -> Iterator[tuple[Platform, str]]:
    with running_platform(folder / "whatsapp", whatsapp_cloud.VENDOR) as platform:
        yield platform, ADA_TOKEN


def send(target: tuple[Platform, str], path: str, way: tuple[str, str], given_: dict[str, Any]) -> None:
    platform, token = target
    method, form = way
    flat = {name: value if isinstance(value, str | int | float) else repr(value) for name, value in given_.items()}
    content: dict[str, Any] = {form: given_ if form == "json" else flat}
    answer = platform.running.client.request(
        method, f"/{platform.name}/{path}", headers={"authorization": f"Bearer {token}"}, **content
    )
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert answer.json()["error"]["fbtrace_id"]


@LENIENT
@given(path=st.sampled_from(META), way=WAYS, parameters=PARAMETERS)
def test_meta(facebook: tuple[Platform, str], path: str, way: tuple[str, str], parameters: dict[str, Any]) -> None:
    send(facebook, f"graph.facebook.com/v26.0/{path}", way, parameters)


@LENIENT
@example(path="me", way=("GET", "params"), parameters={"fields": 'a\x01\x7f\r\n"ñ'})
@given(path=st.sampled_from(THREADS), way=WAYS, parameters=PARAMETERS)
def test_threads(profile: tuple[Platform, str], path: str, way: tuple[str, str], parameters: dict[str, Any]) -> None:
    send(profile, f"graph.threads.net/v1.0/{path}", way, parameters)


@LENIENT
@given(path=st.sampled_from(WHATSAPP), way=WAYS, parameters=PARAMETERS)
def test_whatsapp(number: tuple[Platform, str], path: str, way: tuple[str, str], parameters: dict[str, Any]) -> None:
    send(number, f"graph.facebook.com/v26.0/{path}", way, parameters)
