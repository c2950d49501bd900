"""Meta: Pages, Instagram accounts, and logging in. Compared with facebook-business."""

from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from parity.operations import APP, CALLBACK, FILES, IMAGE, NOW, VIDEO, Operation, Vendor, Walk, account, ignore_refusal
from parity.recording import Answer
from parity.vendors.meta_ads import OPERATIONS as ADS
from parity.vendors.meta_ads import WALKS as ADS_WALKS
from parity.vendors.meta_commerce import OPERATIONS as COMMERCE
from parity.vendors.meta_commerce import WALKS as COMMERCE_WALKS
from parity.vendors.meta_sdk import (
    AdVideo,
    Business,
    Comment,
    IGComment,
    IGMedia,
    IGUser,
    Lead,
    LeadgenForm,
    Page,
    PagePost,
    Profile,
    UnifiedThread,
    User,
    api,
    names,
)
from socialgate.connectors.meta import accounts as about
from socialgate.connectors.meta import api as graph
from socialgate.connectors.meta import build_connector, messages, posts
from socialgate.connectors.meta import comments as commenting
from socialgate.connectors.meta import leads as leading
from socialgate.connectors.meta.insights import _POST_FIELDS
from socialgate.connectors.meta.metrics import INSTAGRAM_METRICS, PAGE_METRICS
from socialgate.connectors.meta.webhook_subscriptions import list_webhook_fields
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    AuthorizationRequest,
)
from socialgate.contracts.comments import COMMENTS_CAPABILITY, NewComment
from socialgate.contracts.insights import INSIGHTS_CAPABILITY, DateRange
from socialgate.contracts.leads import LEAD_FORMS_CAPABILITY, LEADS_CAPABILITY, LeadQuestion, LeadThankYou, NewForm
from socialgate.contracts.messages import MESSAGES_CAPABILITY, MessageType, NewMessage, ReplyButton
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import (
    DELETE_POST_CAPABILITY,
    POST_HISTORY_CAPABILITY,
    PUBLISH_POST_CAPABILITY,
    PostContent,
    PublishingProgress,
)

PAGE_ID, IG_ID, PERSON, BUSINESS = "1100000001", "1200000001", "1300000001", "1400000001"
POST_ID, MEDIA_ID, COMMENT_ID, VIDEO_ID = f"{PAGE_ID}_1500000001", "1500000002", "1500000003_1", "1500000004"
FORM_ID, LEAD_ID, CONTACT = "1600000001", "1600000002", "1700000001"
SCOPES = ("pages_manage_metadata", "pages_messaging", "leads_retrieval", "pages_manage_ads", "pages_show_list")
OWN = {"access_token": "token-of-ada"}
PAGE = account(Kind.FACEBOOK_PAGE, PAGE_ID, secret=OWN, scopes=SCOPES, subject=PERSON)
INSTAGRAM = account(Kind.INSTAGRAM, IG_ID, secret=OWN, scopes=SCOPES, subject=PERSON, details={"pageId": PAGE_ID})
ASK = AuthorizationRequest(state="s", pkce_verifier="v", redirect_uri="https://gate.example.com/connect/meta/callback")
DAYS = DateRange(NOW.date() - timedelta(days=9), NOW.date() - timedelta(days=3))
# Meta counts from midnight to midnight in California.
_ZONE = ZoneInfo("America/Los_Angeles")
SPAN = {
    "since": int(datetime(2026, 10, 24, tzinfo=_ZONE).timestamp()),
    "until": int(datetime(2026, 10, 31, tzinfo=_ZONE).timestamp()),
}

ANSWERS: dict[str, Any] = {
    r"POST graph\.facebook\.com/v26\.0/oauth/access_token": {"access_token": "token-of-ada", "expires_in": 5184000},
    r"GET .*/debug_token": {"data": {"is_valid": True, "scopes": list(SCOPES)}},
    r"GET .*/me/permissions": {"data": [{"permission": scope, "status": "granted"} for scope in SCOPES]},
    r"GET .*/me/businesses": {"data": [{"id": BUSINESS, "name": "Bakery"}]},
    r"GET .*/(?:me/accounts|\d+/(?:owned|client)_pages)": {"data": [{"id": PAGE_ID, "name": "Bakery"}]},
    r"GET .*/content_publishing_limit": {"data": [{"quota_usage": 1, "config": {"quota_total": 100}}]},
    r"GET .*/conversations": {"data": [{"id": "t_1800000001"}]},
    r"POST .*/messages": {"message_id": "m_1", "recipient_id": CONTACT},
    r"GET .*/(?:video_)?insights": {"data": []},
    r"POST .*/videos": {"video_id": VIDEO_ID, "upload_session_id": "1900000001", "start_offset": 0, "end_offset": 4},
    r"POST rupload\.": {"success": True},
    rf"GET .*/{VIDEO_ID}": {"id": VIDEO_ID, "status": {"video_status": "ready"}, "permalink_url": "/reel/1/"},
    rf"GET .*/{LEAD_ID}": {"id": LEAD_ID, "created_time": "2026-11-02T09:00:00+0000"},
    r"GET .*/search": {"data": [{"key": "6", "name": "English (All)", "type": "country", "country_code": "SE"}]},
    r"POST .*/adimages": {"images": {"bun.jpeg": {"hash": "aa11"}}},
    r"POST .*/act_\d+/insights": {"report_run_id": "2400000001"},
    r"POST .*/items_batch": {"handles": ["h1"]},
    r"GET .*/check_batch_request_status": {"data": [{"status": "finished"}]},
    r"(?:POST|DELETE) .*/users": {"audience_id": "2600000001", "num_received": 1},
    r"(?:POST|DELETE) ": {"id": "2900000001", "success": True, "video_id": VIDEO_ID, "post_id": "2900000002"},
    r"GET .*/(?:me|\d+(?:_\d+)?|act_\d+|catalog:[^/]*)$": {
        "id": "2900000001",
        "name": "Buns",
        "account_id": "2000000001",
        "page_id": PAGE_ID,
        "business": {"id": BUSINESS},
        "product_catalog": {"id": "2700000001"},
        "objective": "OUTCOME_TRAFFIC",
        "async_status": "Job Completed",
        "async_percent_completion": 100,
        "status_code": "FINISHED",
    },
    r"GET ": {"data": []},
}


def run_stage(kind: Kind, content: PostContent, stage: str, **data: Any) -> Any:
    """Run one stage of a post."""
    credentials = PAGE if kind is Kind.FACEBOOK_PAGE else INSTAGRAM
    progress = PublishingProgress(stage=stage, data=data)
    return lambda ours: ours.find_adapter(kind, PUBLISH_POST_CAPABILITY).run_stage(
        credentials, content, progress, FILES
    )


def look_up_stage(kind: Kind, content: PostContent, stage: str, **data: Any) -> Any:
    """Look up what became of a stage."""
    credentials = PAGE if kind is Kind.FACEBOOK_PAGE else INSTAGRAM
    return lambda ours: ours.find_adapter(kind, PUBLISH_POST_CAPABILITY).look_up_result(
        credentials, content, PublishingProgress(stage=stage, data=data)
    )


def upload(sdk: Any, files: Any = None, **params: Any) -> Any:
    """Call as the SDK's own uploader of videos does, which only knows those of ad accounts."""
    host = "https://graph-video.facebook.com"
    return sdk.call("POST", (PAGE_ID, "videos"), params=params, files=files, url_override=host)


def metrics_of(table: Any, *expected: str) -> Any:
    return [item for item in table if item.name in expected]


TEXT = PostContent(text="Warm buns", options={"link": "https://bakery.example.com"})
PHOTO, PAGE_VIDEO = PostContent(text="Warm buns", media=(IMAGE,)), PostContent(text="Oven", media=(VIDEO,))
REEL = PostContent(text="Oven", media=(VIDEO,), options={"form": "reel", "title": "Oven"})
STORY, PHOTO_STORY = (
    PostContent(text="", media=(media_file,), options={"form": "story"}) for media_file in (VIDEO, IMAGE)
)
TAGS = PostContent(
    text="Warm buns", media=(IMAGE,), options={"locationId": "7", "collaborators": ["dario"], "isAiGenerated": True}
)
FIRST = PostContent(text="Warm buns", first_comment="More at seven")
PAGES, IGS = Kind.FACEBOOK_PAGE, Kind.INSTAGRAM
NEW_COMMENT = NewComment(text="Thanks", object_id=POST_ID, asked_at=NOW)
NEW_REPLY = NewComment(text="Thanks", object_id=POST_ID, parent_id=COMMENT_ID, asked_at=NOW)
IG_COMMENT = NewComment(text="Thanks", object_id=MEDIA_ID, asked_at=NOW)
IG_REPLY = NewComment(text="Thanks", object_id=MEDIA_ID, parent_id="1500000005", asked_at=NOW)
MESSAGE = NewMessage(to=CONTACT, type=MessageType.TEXT, text="Open?", reference="msg_1", asked_at=NOW)
BUTTONS = (ReplyButton(title="Visit", url="https://bakery.example.com"), ReplyButton(title="Yes", id="yes"))
QUESTION = NewMessage(
    to=CONTACT,
    type=MessageType.TEXT,
    text="Open?",
    quick_replies=(ReplyButton(title="Yes", id="yes"),),
    reference="msg_1",
    asked_at=NOW,
)
FORM = NewForm(
    name="Tasting",
    questions=(LeadQuestion(key="", label="", type="email"),),
    privacy_policy_url="https://bakery.example.com/privacy",
    locale="en_US",
    thank_you=LeadThankYou(title="Thanks", body="See you"),
    asked_at=NOW,
)
PAGED = {"limit": 100}

LOGIN = [
    Operation(
        "read who logged in",
        lambda sdk: User("me", api=sdk).api_get(fields=["id", "name"]),
        lambda ours: ours.redirect_login.exchange_code({"code": "c"}, ASK),
    ),
    Operation(
        "read what was permitted",
        lambda sdk: User("me", api=sdk).get_permissions(),
        lambda ours: ours.redirect_login.exchange_code({"code": "c"}, ASK),
    ),
    Operation(
        "list the Pages of a person",
        lambda sdk: User("me", api=sdk).get_accounts(fields=[*names(graph.PAGE_FIELDS), "tasks"], params=PAGED),
        lambda ours: ours.redirect_login.discover_accounts(PAGE.grant, [PAGES]),
    ),
    Operation(
        "list the businesses of a person",
        lambda sdk: User("me", api=sdk).get_businesses(fields=["id", "name"], params=PAGED),
        lambda ours: ours.redirect_login.discover_accounts(PAGE.grant, [PAGES]),
    ),
    Operation(
        "list the Pages that a business owns",
        lambda sdk: Business(BUSINESS, api=sdk).get_owned_pages(fields=names(graph.PAGE_FIELDS), params=PAGED),
        lambda ours: ours.redirect_login.discover_accounts(PAGE.grant, [PAGES]),
    ),
    Operation(
        "list the Pages of a business's clients",
        lambda sdk: Business(BUSINESS, api=sdk).get_client_pages(fields=names(graph.PAGE_FIELDS), params=PAGED),
        lambda ours: ours.redirect_login.discover_accounts(PAGE.grant, [PAGES]),
    ),
    Operation(
        "list the ad accounts of a person",
        lambda sdk: User("me", api=sdk).get_ad_accounts(fields=names(graph.AD_ACCOUNT_FIELDS), params=PAGED),
        lambda ours: ours.redirect_login.discover_accounts(PAGE.grant, [Kind.META_ADS]),
    ),
    Operation(
        "list the ad accounts that a business owns",
        lambda sdk: Business(BUSINESS, api=sdk).get_owned_ad_accounts(
            fields=names(graph.AD_ACCOUNT_FIELDS), params=PAGED
        ),
        lambda ours: ours.redirect_login.discover_accounts(PAGE.grant, [Kind.META_ADS]),
    ),
    Operation(
        "list the ad accounts of a business's clients",
        lambda sdk: Business(BUSINESS, api=sdk).get_client_ad_accounts(
            fields=names(graph.AD_ACCOUNT_FIELDS), params=PAGED
        ),
        lambda ours: ours.redirect_login.discover_accounts(PAGE.grant, [Kind.META_ADS]),
    ),
    Operation(
        "revoke what was permitted",
        lambda sdk: User(PERSON, api=sdk).delete_permissions(),
        lambda ours: ours.grant_revoker.revoke(PAGE, is_last_account=True),
    ),
]

ACCOUNTS = [
    Operation(
        "read a Page",
        lambda sdk: Page(PAGE_ID, api=sdk).api_get(fields=names(about._PAGE_PROFILE_FIELDS)),
        lambda ours: ours.find_adapter(PAGES, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(PAGE),
    ),
    Operation(
        "read an Instagram account",
        lambda sdk: IGUser(IG_ID, api=sdk).api_get(fields=names(about._INSTAGRAM_PROFILE_FIELDS)),
        lambda ours: ours.find_adapter(IGS, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(INSTAGRAM),
    ),
    Operation(
        "read how much Instagram may still publish",
        lambda sdk: IGUser(IG_ID, api=sdk).get_content_publishing_limit(fields=["quota_usage", "config"]),
        lambda ours: ours.find_adapter(IGS, ACCOUNT_HEALTH_CAPABILITY).check(INSTAGRAM),
    ),
    Operation(
        "subscribe to a Page",
        lambda sdk: Page(PAGE_ID, api=sdk).create_subscribed_app(
            params={"subscribed_fields": list_webhook_fields(SCOPES)}
        ),
        lambda ours: ours.webhook_subscriber.subscribe(PAGE, CALLBACK),
    ),
    Operation(
        "read the subscriptions of a Page",
        lambda sdk: Page(PAGE_ID, api=sdk).get_subscribed_apps(),
        lambda ours: ours.find_adapter(PAGES, ACCOUNT_HEALTH_CAPABILITY).check(PAGE),
    ),
    Operation(
        "unsubscribe from a Page",
        lambda sdk: Page(PAGE_ID, api=sdk).delete_subscribed_apps(),
        lambda ours: ours.webhook_subscriber.unsubscribe(PAGE),
    ),
]

POSTS = [
    Operation(
        "post a text with a link",
        lambda sdk: Page(PAGE_ID, api=sdk).create_feed(
            params={"message": "Warm buns", "link": "https://bakery.example.com"}
        ),
        run_stage(PAGES, TEXT, "publish"),
    ),
    Operation(
        "post uploaded photos",
        lambda sdk: Page(PAGE_ID, api=sdk).create_feed(
            params={"message": "Warm buns", "attached_media": [{"media_fbid": "1500000009"}]}
        ),
        run_stage(PAGES, PHOTO, "publish", parts=["1500000009"]),
    ),
    Operation(
        "upload a photo",
        lambda sdk: Page(PAGE_ID, api=sdk).create_photo(params={"url": IMAGE.url, "published": False}),
        run_stage(PAGES, PHOTO, "photo"),
    ),
    Operation(
        "start the upload of a video",
        lambda sdk: upload(sdk, upload_phase="start", file_size=4),
        run_stage(PAGES, PAGE_VIDEO, "start"),
    ),
    Operation(
        "upload a part of a video",
        lambda sdk: upload(
            sdk,
            {"video_file_chunk": ("video_file_chunk", b"xxxx", "application/octet-stream")},
            upload_phase="transfer",
            upload_session_id="1900000001",
            start_offset="0",
        ),
        run_stage(PAGES, PAGE_VIDEO, "transfer", session="1900000001", offset=0, end=4),
    ),
    Operation(
        "finish the upload of a video",
        lambda sdk: upload(sdk, upload_phase="finish", upload_session_id="1900000001", description="Oven"),
        run_stage(PAGES, PAGE_VIDEO, "publish", video=VIDEO_ID, session="1900000001"),
    ),
    Operation(
        "start the upload of a reel",
        lambda sdk: Page(PAGE_ID, api=sdk).create_video_reel(params={"upload_phase": "start"}),
        run_stage(PAGES, REEL, "start"),
    ),
    Operation(
        "publish a reel",
        lambda sdk: Page(PAGE_ID, api=sdk).create_video_reel(
            params={
                "upload_phase": "finish",
                "video_id": VIDEO_ID,
                "video_state": "PUBLISHED",
                "description": "Oven",
                "title": "Oven",
            }
        ),
        run_stage(PAGES, REEL, "publish", video=VIDEO_ID),
    ),
    Operation(
        "start the upload of a story",
        lambda sdk: Page(PAGE_ID, api=sdk).create_video_story(params={"upload_phase": "start"}),
        run_stage(PAGES, STORY, "start"),
    ),
    Operation(
        "publish a video as a story",
        lambda sdk: Page(PAGE_ID, api=sdk).create_video_story(params={"upload_phase": "finish", "video_id": VIDEO_ID}),
        run_stage(PAGES, STORY, "publish", video=VIDEO_ID),
    ),
    Operation(
        "publish a photo as a story",
        lambda sdk: Page(PAGE_ID, api=sdk).create_photo_story(params={"photo_id": "1500000009"}),
        run_stage(PAGES, PHOTO_STORY, "publish", parts=["1500000009"]),
    ),
    Operation(
        "list the stories of a Page",
        lambda sdk: Page(PAGE_ID, api=sdk).get_stories(
            fields=["post_id", "status", "creation_time", "media_type", "media_id", "url"], params=PAGED
        ),
        look_up_stage(PAGES, PHOTO_STORY, "publish", parts=["1500000009"]),
    ),
    Operation(
        "read the status of a video",
        lambda sdk: AdVideo(VIDEO_ID, api=sdk).api_get(fields=["status"]),
        run_stage(PAGES, PAGE_VIDEO, "processing", video=VIDEO_ID, id=VIDEO_ID),
    ),
    Operation(
        "list the posts of a Page",
        lambda sdk: Page(PAGE_ID, api=sdk).get_published_posts(fields=names(posts._PAGE_FIELDS), params={"limit": 25}),
        lambda ours: ours.find_adapter(PAGES, POST_HISTORY_CAPABILITY).list_live_posts(PAGE, 25, None),
    ),
    Operation(
        "read where a post is",
        lambda sdk: PagePost(POST_ID, api=sdk).api_get(fields=["permalink_url", "created_time"]),
        run_stage(PAGES, TEXT, "confirm", id=POST_ID),
    ),
    Operation(
        "delete a post",
        lambda sdk: PagePost(POST_ID, api=sdk).api_delete(),
        lambda ours: ours.find_adapter(PAGES, DELETE_POST_CAPABILITY).delete_post(PAGE, POST_ID),
    ),
    Operation(
        "create a container for an image",
        lambda sdk: IGUser(IG_ID, api=sdk).create_media(
            params={
                "image_url": IMAGE.url,
                "caption": "Warm buns",
                "location_id": "7",
                "collaborators": ["dario"],
                "is_ai_generated": True,
            }
        ),
        run_stage(IGS, TAGS, "container"),
    ),
    Operation(
        "create a container for a reel",
        lambda sdk: IGUser(IG_ID, api=sdk).create_media(
            params={"media_type": "REELS", "video_url": VIDEO.url, "caption": "Oven", "share_to_feed": True}
        ),
        run_stage(IGS, PostContent(text="Oven", media=(VIDEO,), options={"shareToFeed": True}), "container"),
    ),
    Operation(
        "create a container for an image with people",
        lambda sdk: IGUser(IG_ID, api=sdk).create_media(
            params={
                "image_url": IMAGE.url,
                "caption": "Warm",
                "alt_text": "A bun",
                "user_tags": [{"username": "dario", "x": 0.5, "y": 0.25}],
            }
        ),
        run_stage(
            IGS,
            PostContent(
                text="Warm",
                media=(replace(IMAGE, alt="A bun"),),
                options={"userTags": [{"username": "dario", "x": 0.5, "y": 0.25}]},
            ),
            "container",
        ),
    ),
    Operation(
        "create a container for a trial reel",
        lambda sdk: IGUser(IG_ID, api=sdk).create_media(
            params={
                "media_type": "REELS",
                "video_url": VIDEO.url,
                "caption": "Oven",
                "cover_url": IMAGE.url,
                "audio_name": "Crackle",
                "trial_params": {"graduation_strategy": "MANUAL"},
            }
        ),
        run_stage(
            IGS,
            PostContent(
                text="Oven",
                media=(replace(VIDEO, thumbnail=IMAGE),),
                options={"audioName": "Crackle", "trialReel": "MANUAL"},
            ),
            "container",
        ),
    ),
    Operation(
        "create a container for a story",
        lambda sdk: IGUser(IG_ID, api=sdk).create_media(params={"media_type": "STORIES", "video_url": VIDEO.url}),
        run_stage(IGS, STORY, "container"),
    ),
    Operation(
        "create a part of a carousel",
        lambda sdk: IGUser(IG_ID, api=sdk).create_media(params={"image_url": IMAGE.url, "is_carousel_item": True}),
        run_stage(IGS, PostContent(text="Buns", media=(IMAGE, IMAGE)), "child"),
    ),
    Operation(
        "create a carousel",
        lambda sdk: IGUser(IG_ID, api=sdk).create_media(
            params={"media_type": "CAROUSEL", "children": ["1500000006", "1500000007"], "caption": "Buns"}
        ),
        run_stage(IGS, PostContent(text="Buns", media=(IMAGE, IMAGE)), "container", parts=["1500000006", "1500000007"]),
    ),
    Operation(
        "publish a container",
        lambda sdk: IGUser(IG_ID, api=sdk).create_media_publish(params={"creation_id": "1500000008"}),
        run_stage(IGS, PHOTO, "publish", container="1500000008"),
    ),
    Operation(
        "list the posts of an Instagram account",
        lambda sdk: IGUser(IG_ID, api=sdk).get_media(fields=names(posts._INSTAGRAM_FIELDS), params={"limit": 25}),
        lambda ours: ours.find_adapter(IGS, POST_HISTORY_CAPABILITY).list_live_posts(INSTAGRAM, 25, None),
    ),
    Operation(
        "list the stories of an Instagram account",
        lambda sdk: IGUser(IG_ID, api=sdk).get_stories(
            fields=["id", "caption", "permalink", "timestamp"], params={"limit": 25}
        ),
        run_stage(IGS, PHOTO_STORY, "find", container="1500000008", began=NOW.isoformat()),
    ),
    Operation(
        "read where an Instagram post is",
        lambda sdk: IGMedia(MEDIA_ID, api=sdk).api_get(fields=["permalink", "timestamp"]),
        run_stage(IGS, PHOTO, "confirm", id=MEDIA_ID),
    ),
    Operation(
        "delete an Instagram post",
        lambda sdk: IGMedia(MEDIA_ID, api=sdk).api_delete(),
        lambda ours: ours.find_adapter(IGS, DELETE_POST_CAPABILITY).delete_post(INSTAGRAM, MEDIA_ID),
    ),
]

TALK = [
    Operation(
        "list the comments of a post",
        lambda sdk: PagePost(POST_ID, api=sdk).get_comments(
            fields=[*names(commenting._PAGE_COMMENT_FIELDS), "comments"],
            params={"filter": "toplevel", "order": "reverse_chronological", "limit": 25},
        ),
        lambda ours: ours.find_adapter(PAGES, COMMENTS_CAPABILITY).list(PAGE, POST_ID, 25, None),
    ),
    Operation(
        "comment on a post",
        lambda sdk: PagePost(POST_ID, api=sdk).create_comment(params={"message": "Thanks"}),
        lambda ours: ours.find_adapter(PAGES, COMMENTS_CAPABILITY).create(PAGE, NEW_COMMENT),
    ),
    Operation(
        "reply to a comment",
        lambda sdk: Comment(COMMENT_ID, api=sdk).create_comment(params={"message": "Thanks"}),
        lambda ours: ours.find_adapter(PAGES, COMMENTS_CAPABILITY).create(PAGE, NEW_REPLY),
    ),
    Operation(
        "list the replies to a comment",
        lambda sdk: Comment(COMMENT_ID, api=sdk).get_comments(
            fields=names(commenting._PAGE_COMMENT_FIELDS),
            params={"filter": "toplevel", "order": "reverse_chronological", "limit": 50},
        ),
        lambda ours: ours.find_adapter(PAGES, COMMENTS_CAPABILITY).look_up_result(PAGE, NEW_REPLY),
    ),
    Operation(
        "hide a comment",
        lambda sdk: Comment(COMMENT_ID, api=sdk).api_update(params={"is_hidden": True}),
        lambda ours: ours.find_adapter(PAGES, COMMENTS_CAPABILITY).set_hidden(PAGE, COMMENT_ID, hidden=True),
    ),
    Operation(
        "delete a comment",
        lambda sdk: Comment(COMMENT_ID, api=sdk).api_delete(),
        lambda ours: ours.find_adapter(PAGES, COMMENTS_CAPABILITY).delete(PAGE, COMMENT_ID),
    ),
    Operation(
        "list the comments of an Instagram post",
        lambda sdk: IGMedia(MEDIA_ID, api=sdk).get_comments(
            fields=[*names(commenting._INSTAGRAM_COMMENT_FIELDS), "replies"], params={"limit": 25}
        ),
        lambda ours: ours.find_adapter(IGS, COMMENTS_CAPABILITY).list(INSTAGRAM, MEDIA_ID, 25, None),
    ),
    Operation(
        "comment on an Instagram post",
        lambda sdk: IGMedia(MEDIA_ID, api=sdk).create_comment(params={"message": "Thanks"}),
        lambda ours: ours.find_adapter(IGS, COMMENTS_CAPABILITY).create(INSTAGRAM, IG_COMMENT),
    ),
    Operation(
        "reply to an Instagram comment",
        lambda sdk: IGComment("1500000005", api=sdk).create_reply(params={"message": "Thanks"}),
        lambda ours: ours.find_adapter(IGS, COMMENTS_CAPABILITY).create(INSTAGRAM, IG_REPLY),
    ),
    Operation(
        "list the replies to an Instagram comment",
        lambda sdk: IGComment("1500000005", api=sdk).get_replies(
            fields=names(commenting._INSTAGRAM_COMMENT_FIELDS), params={"limit": 50}
        ),
        lambda ours: ours.find_adapter(IGS, COMMENTS_CAPABILITY).look_up_result(INSTAGRAM, IG_REPLY),
    ),
    Operation(
        "hide an Instagram comment",
        lambda sdk: IGComment("1500000005", api=sdk).api_update(params={"hide": True}),
        lambda ours: ours.find_adapter(IGS, COMMENTS_CAPABILITY).set_hidden(INSTAGRAM, "1500000005", hidden=True),
    ),
    Operation(
        "delete an Instagram comment",
        lambda sdk: IGComment("1500000005", api=sdk).api_delete(),
        lambda ours: ours.find_adapter(IGS, COMMENTS_CAPABILITY).delete(INSTAGRAM, "1500000005"),
    ),
    Operation(
        "send a message",
        lambda sdk: Page(PAGE_ID, api=sdk).create_message(
            params={
                "recipient": {"id": CONTACT},
                "messaging_type": "RESPONSE",
                "message": {"text": "Open?", "metadata": "msg_1"},
            }
        ),
        lambda ours: ours.find_adapter(PAGES, MESSAGES_CAPABILITY).send(PAGE, MESSAGE),
    ),
    Operation(
        "send a message on Instagram",
        lambda sdk: Page(PAGE_ID, api=sdk).create_message(
            params={
                "recipient": {"id": CONTACT},
                "messaging_type": "RESPONSE",
                "message": {
                    "text": "Open?",
                    "quick_replies": [{"content_type": "text", "title": "Yes", "payload": "yes"}],
                },
            }
        ),
        lambda ours: ours.find_adapter(IGS, MESSAGES_CAPABILITY).send(INSTAGRAM, QUESTION),
    ),
    Operation(
        "answer a comment with a message",
        lambda sdk: Page(PAGE_ID, api=sdk).create_message(
            params={
                "recipient": {"comment_id": COMMENT_ID},
                "messaging_type": "RESPONSE",
                "message": {"text": "Open?", "metadata": "msg_1"},
            }
        ),
        lambda ours: ours.find_adapter(PAGES, MESSAGES_CAPABILITY).send(PAGE, replace(MESSAGE, comment_id=COMMENT_ID)),
    ),
    Operation(
        "send an image",
        lambda sdk: Page(PAGE_ID, api=sdk).create_message(
            params={
                "recipient": {"id": CONTACT},
                "messaging_type": "MESSAGE_TAG",
                "tag": "HUMAN_AGENT",
                "message": {"attachment": {"type": "image", "payload": {"url": IMAGE.url}}, "metadata": "msg_1"},
            }
        ),
        lambda ours: ours.find_adapter(PAGES, MESSAGES_CAPABILITY).send(
            PAGE, replace(MESSAGE, type=MessageType.IMAGE, text="", media=IMAGE, options={"tag": "HUMAN_AGENT"})
        ),
    ),
    Operation(
        "send buttons",
        lambda sdk: Page(PAGE_ID, api=sdk).create_message(
            params={
                "recipient": {"id": CONTACT},
                "messaging_type": "RESPONSE",
                "message": {
                    "attachment": {
                        "type": "template",
                        "payload": {
                            "template_type": "button",
                            "text": "Open?",
                            "buttons": [
                                {"type": "web_url", "title": "Visit", "url": "https://bakery.example.com"},
                                {"type": "postback", "title": "Yes", "payload": "yes"},
                            ],
                        },
                    },
                    "metadata": "msg_1",
                },
                "reply_to": {"mid": "m_0"},
            }
        ),
        lambda ours: ours.find_adapter(PAGES, MESSAGES_CAPABILITY).send(
            PAGE, replace(MESSAGE, buttons=BUTTONS, reply_to="m_0")
        ),
    ),
    Operation(
        "find a conversation",
        lambda sdk: Page(PAGE_ID, api=sdk).get_conversations(
            fields=["id"], params={"platform": "MESSENGER", "user_id": CONTACT}
        ),
        lambda ours: ours.find_adapter(PAGES, MESSAGES_CAPABILITY).list_history(PAGE, CONTACT, 25, None),
    ),
    Operation(
        "list the messages of a conversation",
        lambda sdk: UnifiedThread("t_1800000001", api=sdk).get_messages(
            fields=names(messages._MESSAGE_FIELDS), params={"limit": 25}
        ),
        lambda ours: ours.find_adapter(PAGES, MESSAGES_CAPABILITY).list_history(PAGE, CONTACT, 25, None),
    ),
    Operation(
        "read who a person is",
        lambda sdk: Profile(CONTACT, api=sdk).api_get(fields=["first_name", "last_name", "profile_pic"]),
        lambda ours: ours.find_adapter(PAGES, MESSAGES_CAPABILITY).get_contact_profile(PAGE, CONTACT),
    ),
    Operation(
        "read who a person on Instagram is",
        lambda sdk: Profile(CONTACT, api=sdk).api_get(fields=["name", "username", "profile_pic"]),
        lambda ours: ours.find_adapter(IGS, MESSAGES_CAPABILITY).get_contact_profile(INSTAGRAM, CONTACT),
    ),
]

NUMBERS = [
    Operation(
        "read insights of a Page",
        lambda sdk: Page(PAGE_ID, api=sdk).get_insights(
            params={"metric": "page_post_engagements", "period": "day", **SPAN}
        ),
        lambda ours: ours.find_adapter(PAGES, INSIGHTS_CAPABILITY).read_account_metrics(
            PAGE, _engagements(PAGE_METRICS.account_metrics), DAYS, ()
        ),
    ),
    Operation(
        "read insights of a post",
        lambda sdk: PagePost(POST_ID, api=sdk).get_insights(params={"metric": "post_clicks"}),
        lambda ours: ours.find_adapter(PAGES, INSIGHTS_CAPABILITY).read_post_metrics(
            PAGE, [POST_ID], _clicks(PAGE_METRICS.post_metrics)
        ),
    ),
    Operation(
        "count what people did with a post",
        lambda sdk: PagePost(POST_ID, api=sdk).api_get(fields=names(_POST_FIELDS)),
        lambda ours: ours.find_adapter(PAGES, INSIGHTS_CAPABILITY).read_post_metrics(
            PAGE, [POST_ID], _counted(PAGE_METRICS.post_metrics)
        ),
    ),
    Operation(
        "read insights of a video",
        lambda sdk: AdVideo(VIDEO_ID, api=sdk).get_video_insights(params={"metric": ["fb_reels_total_plays"]}),
        lambda ours: ours.find_adapter(PAGES, INSIGHTS_CAPABILITY).read_post_metrics(
            PAGE, [VIDEO_ID], metrics_of(PAGE_METRICS.post_metrics, "views")
        ),
    ),
    Operation(
        "read insights of an Instagram account",
        lambda sdk: IGUser(IG_ID, api=sdk).get_insights(
            params={"metric": ["views"], "period": "day", "metric_type": "total_value", **SPAN}
        ),
        lambda ours: ours.find_adapter(IGS, INSIGHTS_CAPABILITY).read_account_metrics(
            INSTAGRAM, metrics_of(INSTAGRAM_METRICS.account_metrics, "views"), DAYS, ()
        ),
    ),
    Operation(
        "read insights of an Instagram post",
        lambda sdk: IGMedia(MEDIA_ID, api=sdk).get_insights(params={"metric": ["views"]}),
        lambda ours: ours.find_adapter(IGS, INSIGHTS_CAPABILITY).read_post_metrics(
            INSTAGRAM, [MEDIA_ID], metrics_of(INSTAGRAM_METRICS.post_metrics, "views")
        ),
    ),
]


FORMS = [
    Operation(
        "list the lead forms of a Page",
        lambda sdk: Page(PAGE_ID, api=sdk).get_lead_gen_forms(fields=names(leading.FORM_FIELDS), params={"limit": 25}),
        lambda ours: ours.find_adapter(PAGES, LEADS_CAPABILITY).list_forms(PAGE, 25, None),
    ),
    Operation(
        "read a lead form",
        lambda sdk: LeadgenForm(FORM_ID, api=sdk).api_get(fields=[*names(leading.FORM_FIELDS), "page_id"]),
        lambda ours: ours.find_adapter(PAGES, LEADS_CAPABILITY).fetch_form(PAGE, FORM_ID),
    ),
    Operation(
        "create a lead form",
        lambda sdk: Page(PAGE_ID, api=sdk).create_lead_gen_form(
            params={
                "name": "Tasting",
                "locale": "EN_US",
                "questions": [{"type": "EMAIL", "key": "email"}],
                "privacy_policy": {"url": "https://bakery.example.com/privacy", "link_text": "Privacy policy"},
                "thank_you_page": {"title": "Thanks", "body": "See you", "button_type": "NONE"},
            }
        ),
        lambda ours: ours.find_adapter(PAGES, LEAD_FORMS_CAPABILITY).create(PAGE, FORM),
    ),
    Operation(
        "read a lead",
        lambda sdk: Lead(LEAD_ID, api=sdk).api_get(fields=names(leading._LEAD_FIELDS)),
        lambda ours: ours.find_adapter(PAGES, LEADS_CAPABILITY).fetch_lead(PAGE, LEAD_ID),
    ),
    Operation(
        "list the leads of a form",
        lambda sdk: LeadgenForm(FORM_ID, api=sdk).get_leads(
            fields=names(leading._LEAD_FIELDS),
            params={
                "filtering": [{"field": "time_created", "operator": "GREATER_THAN", "value": int(NOW.timestamp())}],
                "limit": 100,
            },
        ),
        lambda ours: ours.find_adapter(PAGES, LEADS_CAPABILITY).read_lead_batch(
            PAGE, NOW, {"forms": [[FORM_ID, "Tasting"]], "cursor": None, "left": []}
        ),
    ),
    Operation(
        "read where a Page is",
        lambda sdk: Page(PAGE_ID, api=sdk).api_get(fields=["location"]),
        lambda ours: ours.find_adapter(PAGES, LEADS_CAPABILITY).fetch_country(PAGE),
    ),
    Operation(
        "read whether leads can be read",
        lambda sdk: Page(PAGE_ID, api=sdk).api_get(fields=["has_lead_access"]),
        lambda ours: ours.find_adapter(PAGES, ACCOUNT_HEALTH_CAPABILITY).check(PAGE),
    ),
]


def _engagements(table: Any) -> Any:
    return [item for item in table if item.vendor == "page_post_engagements"]


def _clicks(table: Any) -> Any:
    return [item for item in table if item.vendor == "post_clicks"]


def _counted(table: Any) -> Any:
    return [item for item in table if item.request_group == "fields"][:1]


HIDDEN = {"error": {"code": 100, "error_subcode": 33, "message": "Unsupported delete request"}}
TODAY = DateRange(NOW.date(), NOW.date())
WALKS = [
    Walk("prepare a post", run_stage(PAGES, TEXT, "prepare")),
    Walk(
        "have a reel fetched",
        run_stage(
            PAGES,
            REEL,
            "upload",
            video=VIDEO_ID,
            upload_url=f"https://rupload.facebook.com/video-upload/v26.0/{VIDEO_ID}",
        ),
    ),
    Walk("read a container", run_stage(IGS, PHOTO, "check", container="1500000008")),
    Walk(
        "list old messages on Instagram",
        lambda ours: ours.find_adapter(IGS, MESSAGES_CAPABILITY).list_history(INSTAGRAM, CONTACT, 25, None),
    ),
    Walk(
        "count the followers of a Page",
        lambda ours: ours.find_adapter(PAGES, INSIGHTS_CAPABILITY).read_account_metrics(
            PAGE, PAGE_METRICS.account_metrics[:1], TODAY, ()
        ),
    ),
    Walk(
        "count the followers of an Instagram account",
        lambda ours: ours.find_adapter(IGS, INSIGHTS_CAPABILITY).read_account_metrics(
            INSTAGRAM, INSTAGRAM_METRICS.account_metrics[:1], TODAY, ()
        ),
    ),
    Walk("sweep leads", lambda ours: ours.find_adapter(PAGES, LEADS_CAPABILITY).read_lead_batch(PAGE, NOW, None)),
    Walk(
        "be refused to delete a comment",
        lambda ours: ignore_refusal(ours.find_adapter(PAGES, COMMENTS_CAPABILITY).delete(PAGE, COMMENT_ID)),
        answers={r"DELETE ": Answer(body=HIDDEN, status=400)},
    ),
    Walk(
        "look for a lead form", lambda ours: ours.find_adapter(PAGES, LEAD_FORMS_CAPABILITY).look_up_result(PAGE, FORM)
    ),
]

VENDOR = Vendor(
    name="meta",
    sdk=api,
    ours=lambda wire: build_connector(APP, wire),
    operations=[*LOGIN, *ACCOUNTS, *POSTS, *TALK, *NUMBERS, *FORMS, *COMMERCE, *ADS],
    walks=[*WALKS, *COMMERCE_WALKS, *ADS_WALKS],
    answers=ANSWERS,
)
