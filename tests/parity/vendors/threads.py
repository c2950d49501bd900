"""Threads. Meta's SDK does not know its host: everything here is in the list of what no SDK has."""

from contextlib import nullcontext
from datetime import timedelta
from typing import Any

import msgspec

from parity.operations import APP, FILES, NOW, TOKEN, Vendor, Walk, account, ignore_refusal
from socialgate.connectors.threads import build_connector
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.connectors.threads.metrics import METRICS
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    AuthorizationRequest,
)
from socialgate.contracts.comments import COMMENTS_CAPABILITY, NewComment
from socialgate.contracts.insights import INSIGHTS_CAPABILITY, DateRange
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import (
    DELETE_POST_CAPABILITY,
    POST_HISTORY_CAPABILITY,
    PUBLISH_POST_CAPABILITY,
    PostContent,
    PublishingProgress,
)

KIND, PROFILE, POST_ID, REPLY = Kind.THREADS, "1100000001", "1200000001", "1200000002"
HELD = account(KIND, PROFILE, scopes=tuple(MANIFEST.list_scopes()))
OLD = msgspec.structs.replace(HELD.grant, refreshed_at=NOW - timedelta(days=30))
ASK = AuthorizationRequest(
    state="s", pkce_verifier="v", redirect_uri="https://gate.example.com/connect/threads/callback"
)
DAYS = DateRange(NOW.date() - timedelta(days=9), NOW.date() - timedelta(days=3))
NEW = NewComment(text="Thanks", object_id=POST_ID, asked_at=NOW)
_TOP = {"id": REPLY, "has_replies": True, "root_post": {"id": POST_ID}, "replied_to": {"id": POST_ID}}
REFUSED = {r"POST .*/manage_reply": {"error": {"code": 100, "message": "No"}}}


def run_stage(name: str, **data: Any) -> Any:
    progress = PublishingProgress(stage=name, data=data)
    return lambda ours: ours.find_adapter(KIND, PUBLISH_POST_CAPABILITY).run_stage(
        HELD, PostContent(text="Warm"), progress, FILES
    )


WALKS = [
    Walk("log in", lambda ours: ours.redirect_login.exchange_code({"code": "c"}, ASK)),
    Walk("find the profile", lambda ours: ours.redirect_login.discover_accounts(HELD.grant, [])),
    Walk("renew a login", lambda ours: ours.token_refresher.refresh(OLD)),
    Walk("read a profile", lambda ours: ours.find_adapter(KIND, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(HELD)),
    Walk("check a profile", lambda ours: ours.find_adapter(KIND, ACCOUNT_HEALTH_CAPABILITY).check(HELD)),
    Walk("prepare a post", run_stage("prepare")),
    Walk("create a container", run_stage("container")),
    Walk("read a container", run_stage("check", container="1300000001")),
    Walk("publish a container", run_stage("publish", container="1300000001")),
    Walk("read where a post is", run_stage("confirm", id=POST_ID)),
    Walk("look for a post", run_stage("find", container="1300000001", began=NOW.isoformat())),
    Walk("list posts", lambda ours: ours.find_adapter(KIND, POST_HISTORY_CAPABILITY).list_live_posts(HELD, 25, None)),
    Walk("delete a post", lambda ours: ours.find_adapter(KIND, DELETE_POST_CAPABILITY).delete_post(HELD, POST_ID)),
    Walk("list replies", lambda ours: ours.find_adapter(KIND, COMMENTS_CAPABILITY).list(HELD, POST_ID, 25, None)),
    Walk("reply", lambda ours: ours.find_adapter(KIND, COMMENTS_CAPABILITY).create(HELD, NEW)),
    Walk("look for a reply", lambda ours: ours.find_adapter(KIND, COMMENTS_CAPABILITY).look_up_result(HELD, NEW)),
    Walk(
        "hide a reply", lambda ours: ours.find_adapter(KIND, COMMENTS_CAPABILITY).set_hidden(HELD, REPLY, hidden=True)
    ),
    Walk(
        "be refused to hide a reply",
        lambda ours: ignore_refusal(ours.find_adapter(KIND, COMMENTS_CAPABILITY).set_hidden(HELD, REPLY, hidden=True)),
        answers=REFUSED,
    ),
    Walk("delete a reply", lambda ours: ours.find_adapter(KIND, COMMENTS_CAPABILITY).delete(HELD, REPLY)),
    Walk(
        "read insights",
        lambda ours: ours.find_adapter(KIND, INSIGHTS_CAPABILITY).read_account_metrics(
            HELD, METRICS.account_metrics, DAYS, ()
        ),
    ),
    Walk(
        "read insights of a post",
        lambda ours: ours.find_adapter(KIND, INSIGHTS_CAPABILITY).read_post_metrics(
            HELD, [POST_ID], METRICS.post_metrics
        ),
    ),
]

VENDOR = Vendor(
    name="threads",
    sdk=nullcontext,
    ours=lambda wire: build_connector(APP, wire),
    operations=[],
    walks=WALKS,
    answers={
        r"/(?:oauth/)?(?:refresh_)?access_token$": {"access_token": TOKEN, "expires_in": 5184000},
        r"/debug_token$": {"data": {"is_valid": True, "scopes": ["threads_basic"]}},
        r"GET .*/me$": {"id": PROFILE, "username": "bakery"},
        r"GET .*/replies$": {"data": [_TOP]},
        r"GET .*/1300000001$": {"id": "1300000001", "status": "FINISHED"},
        r"GET .*/\d+$": {"id": REPLY, "is_reply": True, "is_reply_owned_by_me": True},
        r"(?:POST|DELETE) ": {"id": "1300000001", "success": True},
        r"GET ": {"data": []},
    },
)
