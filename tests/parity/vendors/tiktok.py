"""TikTok's Content Posting and Display APIs. TikTok has no SDK for them: everything here is in the list of those."""

from contextlib import nullcontext
from typing import Any

from parity.operations import APP, FILES, IMAGE, NOW, TOKEN, VIDEO, Vendor, Walk, account
from parity.recording import Answer
from socialgate.connectors.tiktok import build_connector
from socialgate.connectors.tiktok.manifest import MANIFEST
from socialgate.connectors.tiktok.metrics import METRICS
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    AuthorizationRequest,
)
from socialgate.contracts.insights import INSIGHTS_CAPABILITY, DateRange
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import (
    POST_HISTORY_CAPABILITY,
    PUBLISH_POST_CAPABILITY,
    PostContent,
    PublishingProgress,
)

KIND, PERSON = Kind.TIKTOK, "open1000001"
SCOPES = tuple({*MANIFEST.list_scopes(), "user.info.basic", "video.publish", "video.list"})
HELD = account(KIND, PERSON, scopes=SCOPES, refresh_token="refresh-1")
ASK = AuthorizationRequest(
    state="s", pkce_verifier="v", redirect_uri="https://gate.example.com/connect/tiktok/callback"
)
PLAIN = {"privacyLevel": "PUBLIC_TO_EVERYONE"}
VIDEO_POST = PostContent(text="Oven", media=(VIDEO,), options=PLAIN)
DRAFT = PostContent(text="Oven", media=(VIDEO,), options={"mode": "draft"})
PHOTOS = PostContent(text="Buns", media=(IMAGE, IMAGE), options=PLAIN)
PULL = PostContent(text="Oven", media=(VIDEO,), options={**PLAIN, "source": "pull"})
PULL_DRAFT = PostContent(text="Oven", media=(VIDEO,), options={"mode": "draft", "source": "pull"})
UPLOAD = "https://open-upload.tiktokapis.com/upload/10000001"
TODAY = DateRange(NOW.date(), NOW.date())


def run_stage(name: str, content: PostContent = VIDEO_POST, **data: Any) -> Any:
    progress = PublishingProgress(stage=name, data={"began": int(NOW.timestamp()), **data})
    return lambda ours: ours.find_adapter(KIND, PUBLISH_POST_CAPABILITY).run_stage(HELD, content, progress, FILES)


def envelope(**data: Any) -> dict[str, Any]:
    return {"data": data, "error": {"code": "ok", "message": "", "log_id": "1"}}


WALKS = [
    Walk("log in", lambda ours: ours.redirect_login.exchange_code({"code": "c"}, ASK)),
    Walk("find the account", lambda ours: ours.redirect_login.discover_accounts(HELD.grant, [])),
    Walk("renew a grant", lambda ours: ours.token_refresher.refresh(HELD.grant)),
    Walk("revoke a grant", lambda ours: ours.grant_revoker.revoke(HELD, is_last_account=True)),
    Walk("read an account", lambda ours: ours.find_adapter(KIND, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(HELD)),
    Walk("check an account", lambda ours: ours.find_adapter(KIND, ACCOUNT_HEALTH_CAPABILITY).check(HELD)),
    Walk("ask what may be posted", run_stage("check")),
    Walk("start an upload", run_stage("open")),
    Walk("start the upload of a draft", run_stage("open", DRAFT)),
    Walk("have a video fetched", run_stage("pull", PULL)),
    Walk("have a draft fetched", run_stage("pull", PULL_DRAFT)),
    Walk("have photos fetched", run_stage("pull", PHOTOS)),
    Walk("upload a video", run_stage("finish", publish_id="p1", upload_url=UPLOAD)),
    Walk("read what became of a post", run_stage("watch", publish_id="p1")),
    Walk("list videos", lambda ours: ours.find_adapter(KIND, POST_HISTORY_CAPABILITY).list_live_posts(HELD, 20, None)),
    Walk(
        "count followers",
        lambda ours: ours.find_adapter(KIND, INSIGHTS_CAPABILITY).read_account_metrics(
            HELD, METRICS.account_metrics, TODAY, ()
        ),
    ),
    Walk(
        "count views",
        lambda ours: ours.find_adapter(KIND, INSIGHTS_CAPABILITY).read_post_metrics(
            HELD, ["7000000001"], METRICS.post_metrics
        ),
    ),
]

VENDOR = Vendor(
    name="tiktok",
    sdk=nullcontext,
    ours=lambda wire: build_connector(APP, wire),
    operations=[],
    walks=WALKS,
    answers={
        r"POST .*/oauth/token/": {
            "access_token": TOKEN,
            "refresh_token": "refresh-2",
            "expires_in": 86400,
            "open_id": PERSON,
            "scope": ",".join(SCOPES),
        },
        r"POST .*/oauth/revoke/": Answer(),
        r"GET .*/user/info/": envelope(user={"open_id": PERSON, "display_name": "Bakery"}),
        r"POST .*/creator_info/query/": envelope(
            creator_username="bakery", privacy_level_options=["PUBLIC_TO_EVERYONE"], max_video_post_duration_sec=300
        ),
        r"POST .*/init/": envelope(publish_id="p1", upload_url=UPLOAD),
        r"PUT ": Answer(status=201),
        r"POST .*/status/fetch/": envelope(status="PUBLISH_COMPLETE"),
        r"": envelope(videos=[], has_more=False),
    },
)
