"""What a Threads profile takes, and which permissions each use needs."""

from socialgate.connectors.schema import choice, digits, flag, link, many, number, record, text, word
from socialgate.connectors.threads import metrics
from socialgate.contracts import platforms
from socialgate.contracts.comments import COMMENTS
from socialgate.contracts.connecting import ABOUT, HEALTH, REFRESH
from socialgate.contracts.inbound import INBOUND
from socialgate.contracts.insights import INSIGHTS
from socialgate.contracts.platforms import Kind, KindManifest, Limits, MediaRule, Platform, Quota
from socialgate.contracts.publishing import DELETE_POST, HISTORY, POST

_MIB = 1024 * 1024
_DAY = 24 * 60 * 60

_THREADS = KindManifest(
    kind=Kind.THREADS,
    metrics=metrics.METRICS,
    name="Threads",
    capabilities=(ABOUT, HEALTH, REFRESH, INBOUND, POST, DELETE_POST, HISTORY, COMMENTS, INSIGHTS),
    permissions={
        "post": ("threads_basic", "threads_content_publish"),
        "comment": (
            *("threads_basic", "threads_content_publish", "threads_read_replies", "threads_manage_replies"),
            "threads_delete",
        ),
        "readInsights": ("threads_basic", "threads_manage_insights"),
        "history": ("threads_basic",),
        "deletePost": ("threads_basic", "threads_delete"),
    },
    limits=Limits(
        # An emoji counts as many characters as it has bytes in UTF-8.
        text_max=500,
        quotas=(Quota("posts", 250, _DAY), Quota("replies", 1000, _DAY), Quota("deletes", 100, _DAY)),
    ),
    media={
        # Widths outside of 320 to 1440 are rescaled, not refused.
        "image": MediaRule(
            mime_types=("image/jpeg", "image/png"), max_count=20, max_bytes=8 * _MIB, min_ratio=0.1, max_ratio=10
        ),
        "video": MediaRule(
            mime_types=("video/mp4", "video/quicktime"),
            max_count=20,
            max_bytes=1024 * _MIB,
            max_width=1920,
            min_ratio=0.01,
            max_ratio=10,
            max_seconds=300,
        ),
    },
    options=record(
        replyControl=choice(
            "Who may reply.",
            *("everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"),
        ),
        thread=many(
            "Texts that follow the post, each as a reply to the one before it.",
            {"type": "string", "minLength": 1},
            minItems=1,
            maxItems=50,
        ),
        topicTag=text(
            "The one topic of the post, without #, up to 50 characters, none of them . or &.", pattern="^[^.&]{1,50}$"
        ),
        locationId=word("A place that Threads knows."),
        replyToId=digits("The post or reply that this one answers."),
        quotePostId=digits("The post that this one quotes."),
        linkAttachment=link("Only for text; not with a poll."),
        poll=many(
            "The choices, only for text; up to 25 characters each.",
            {"type": "string", "minLength": 1, "maxLength": 25},
            minItems=2,
            maxItems=4,
        ),
        textAttachment=record(
            "Only for text; not with a poll.",
            "plaintext",
            plaintext=word("The long text.", maxLength=10_000),
            linkAttachmentUrl=link("Shown below it."),
        ),
        gif=record(
            "An animation of a provider, only for text.",
            *("gifId", "provider"),
            gifId=word("The provider's id of it."),
            provider=word("Such as TENOR."),
        ),
        isGhostPost=flag("Only for text; gone after 24 hours.", default=None),
        isSpoilerMedia=flag("Hides the media until it is tapped.", default=None),
        spoilers=many(
            "Parts of the text that are hidden until they are tapped.",
            record(
                "",
                *("offset", "length"),
                offset=number("Of the first character."),
                length=number("In characters.", least=1),
            ),
        ),
        countries=many(
            "Who sees it; only for profiles that Threads allows it.", {"type": "string", "pattern": "^[A-Z]{2}$"}
        ),
    ),
)

MANIFEST = platforms.Manifest(
    platform=Platform.THREADS,
    name="Threads",
    method=platforms.ConnectMethod.REDIRECT,
    kinds=(_THREADS,),
    settings=("app_id", "app_secret", "verify_token"),
    how_to_set_up=(
        "Make an app with the Threads use case on developers.facebook.com and set SOCIALGATE_THREADS_APP_ID and "
        "SOCIALGATE_THREADS_APP_SECRET to its Threads app id and Threads app secret: they are not those of the app "
        "itself. Set SOCIALGATE_THREADS_VERIFY_TOKEN to a long random word of your own. In the settings of the use "
        "case, enter <address of this service>/connect/threads/callback as redirect callback, "
        "<address>/webhooks/threads as uninstall callback, and <address>/webhooks/threads?deletion=1 as delete "
        "callback; then <address>/webhooks/threads with your word as the callback of the webhooks."
    ),
)
