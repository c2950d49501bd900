# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""What is given to methods. Where one of these is wanted, write a dictionary with its keys."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired, TypedDict
else:
    from typing_extensions import NotRequired, TypedDict

from . import types

AccountsQueryKind: TypeAlias = Literal[
    "facebook_page",
    "google_business",
    "google_calendar",
    "instagram",
    "telegram_bot",
    "threads",
    "tiktok",
    "whatsapp_cloud",
    "whatsapp_qr",
    "youtube",
]
AccountsQueryStatus: TypeAlias = Literal["connected", "connecting", "expired", "needs_reconnection"]
AdAccountsQueryKind: TypeAlias = Literal["meta_ads", "tiktok_ads"]
AdAccountsQueryStatus: TypeAlias = Literal["connected", "connecting", "expired", "needs_reconnection"]
AdBudgetType: TypeAlias = Literal["daily", "lifetime"]
AdInsightsLevelInput: TypeAlias = Literal["account", "ad", "adset", "campaign"]
AdInsightsQueryPreset: TypeAlias = Literal[
    "last14d",
    "last28d",
    "last30d",
    "last7d",
    "last90d",
    "lastMonth",
    "lastQuarter",
    "lastWeek",
    "lastYear",
    "thisMonth",
    "thisQuarter",
    "thisWeek",
    "thisYear",
    "today",
    "yesterday",
]
AdObjectChangesBodyStatus: TypeAlias = Literal["active", "archived", "paused"]
AdTargetingGenders: TypeAlias = Literal["female", "male"]
AdTypeInput: TypeAlias = Literal["ad", "adcreative", "adset", "audience", "campaign", "customConversion", "pixel"]
ApiKeyChangesPermission: TypeAlias = Literal["read", "read-write"]
AudioGenerationBodyFormat: TypeAlias = Literal["aac", "flac", "mp3", "opus", "wav"]
BidStrategy: TypeAlias = Literal["bidCap", "costCap", "lowestCost", "minRoas"]
BoostBodyStatus: TypeAlias = Literal["active", "paused"]
CallToActionInput: TypeAlias = Literal[
    "applyNow",
    "bookNow",
    "callNow",
    "contactUs",
    "download",
    "getQuote",
    "install",
    "learnMore",
    "orderNow",
    "sendMessage",
    "shopNow",
    "signUp",
    "subscribe",
    "watchMore",
]
ConversionRuleField: TypeAlias = Literal[
    "brand", "contentCategory", "contentId", "contentName", "currency", "url", "value"
]
ConversionRuleOperator: TypeAlias = Literal[
    "atLeast", "atMost", "contains", "greaterThan", "is", "isNot", "lessThan", "notContains", "startsWith"
]
DarkPostBodyStatus: TypeAlias = Literal["active", "paused"]
DeliveriesQueryEvent: TypeAlias = Literal[
    "post.scheduled",
    "post.published",
    "post.partial",
    "post.failed",
    "post.platform.failed",
    "post.file.failed",
    "account.connected",
    "account.needs_reconnection",
    "account.disconnected",
    "account.health",
    "lead.received",
    "message.received",
    "message.status",
    "comment.received",
    "review.received",
    "automation.triggered",
    "webhook.test",
]
DeliveryStatusInput: TypeAlias = Literal["cancelled", "delivering", "failed", "held", "pending", "succeeded"]
EventChangesNotify: TypeAlias = Literal["all", "externalOnly", "none"]
EventChangesScope: TypeAlias = Literal["all", "following", "this"]
EventDeletionQueryNotify: TypeAlias = Literal["all", "externalOnly", "none"]
EventDeletionQueryScope: TypeAlias = Literal["all", "following", "this"]
EventPersonGender: TypeAlias = Literal["female", "male"]
EventReminderMethod: TypeAlias = Literal["email", "popup"]
EventsQueryEvent: TypeAlias = Literal[
    "post.scheduled",
    "post.published",
    "post.partial",
    "post.failed",
    "post.platform.failed",
    "post.file.failed",
    "account.connected",
    "account.needs_reconnection",
    "account.disconnected",
    "account.health",
    "lead.received",
    "message.received",
    "message.status",
    "comment.received",
    "review.received",
    "automation.triggered",
    "webhook.test",
]
FacebookPageMessageOptionsMessagingType: TypeAlias = Literal["RESPONSE", "UPDATE", "MESSAGE_TAG"]
FacebookPageMessageOptionsNotificationType: TypeAlias = Literal["REGULAR", "SILENT_PUSH", "NO_PUSH"]
FacebookPageOptionsForm: TypeAlias = Literal["post", "reel", "story"]
FieldConditionOperator: TypeAlias = Literal[
    "contains", "equals", "exists", "greaterThan", "lessThan", "missing", "notEquals"
]
FilterRuleField: TypeAlias = Literal[
    "availability", "brand", "category", "condition", "description", "group", "price", "salePrice", "title"
]
FilterRuleOperator: TypeAlias = Literal[
    "atLeast",
    "atMost",
    "contains",
    "greaterThan",
    "is",
    "isAny",
    "isNot",
    "isNotAny",
    "lessThan",
    "notContains",
    "startsWith",
]
FitMode: TypeAlias = Literal["auto", "crop", "none", "pad"]
FollowersQueryGranularity: TypeAlias = Literal["day", "month", "week"]
GenerationTypeInput: TypeAlias = Literal["audio", "copy", "image", "video"]
GoalInput: TypeAlias = Literal[
    "appPromotion", "awareness", "conversions", "engagement", "leads", "traffic", "videoViews"
]
GoogleBusinessOptionsCallToActionActionType: TypeAlias = Literal[
    "BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"
]
GoogleBusinessOptionsForm: TypeAlias = Literal["standard", "event", "offer"]
Granularity: TypeAlias = Literal["day", "month", "total", "week"]
HookChangesEvents: TypeAlias = Literal[
    "post.scheduled",
    "post.published",
    "post.partial",
    "post.failed",
    "post.platform.failed",
    "post.file.failed",
    "account.connected",
    "account.needs_reconnection",
    "account.disconnected",
    "account.health",
    "lead.received",
    "message.received",
    "message.status",
    "comment.received",
    "review.received",
    "automation.triggered",
    "webhook.test",
]
ImageGenerationBodyAspectRatio: TypeAlias = Literal["16:9", "1:1", "2:3", "3:2", "4:5", "5:4", "9:16"]
ImageGenerationBodyFormat: TypeAlias = Literal["jpeg", "png", "webp"]
InsightsQueryGranularity: TypeAlias = Literal["day", "month", "week", "total"]
InstagramOptionsForm: TypeAlias = Literal["post", "reel", "story"]
InstagramOptionsTrialReel: TypeAlias = Literal["MANUAL", "SS_PERFORMANCE"]
JobStatusInput: TypeAlias = Literal["cancelled", "failed", "queued", "running", "succeeded"]
KeywordConditionMatch: TypeAlias = Literal["contains", "exact", "fuzzy", "word"]
KindInput: TypeAlias = Literal[
    "facebook_page",
    "google_business",
    "google_calendar",
    "instagram",
    "meta_ads",
    "telegram_bot",
    "threads",
    "tiktok",
    "tiktok_ads",
    "whatsapp_cloud",
    "whatsapp_qr",
    "youtube",
]
LeadStateNameInput: TypeAlias = Literal["contacted", "lost", "new", "qualified", "won"]
MediaQueryType: TypeAlias = Literal["audio", "document", "image", "video"]
NewAdBodyStatus: TypeAlias = Literal["active", "paused"]
NewAdSetBodyStatus: TypeAlias = Literal["active", "paused"]
NewApiKeyPermission: TypeAlias = Literal["read", "read-write"]
NewApiKeyScope: TypeAlias = Literal["all", "profiles"]
NewAudienceBodyAction: TypeAlias = Literal["add", "remove"]
NewAudienceBodyKind: TypeAlias = Literal["customers", "lookalike", "website"]
NewCalendarEventNotify: TypeAlias = Literal["all", "externalOnly", "none"]
NewCampaignBodyStatus: TypeAlias = Literal["active", "paused"]
NewCheckoutInterval: TypeAlias = Literal["month", "year"]
NewHookEvents: TypeAlias = Literal[
    "post.scheduled",
    "post.published",
    "post.partial",
    "post.failed",
    "post.platform.failed",
    "post.file.failed",
    "account.connected",
    "account.needs_reconnection",
    "account.disconnected",
    "account.health",
    "lead.received",
    "message.received",
    "message.status",
    "comment.received",
    "review.received",
    "automation.triggered",
    "webhook.test",
]
NewSlotWeekday: TypeAlias = Literal["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"]
OperationStatusInput: TypeAlias = Literal["failed", "running", "succeeded", "unconfirmed"]
OptimizationInput: TypeAlias = Literal[
    "clicks",
    "conversations",
    "conversions",
    "engagement",
    "followers",
    "impressions",
    "installs",
    "landingPageViews",
    "leads",
    "reach",
    "value",
    "videoViews",
]
PixelEventBodySource: TypeAlias = Literal["app", "chat", "crm", "email", "other", "phone", "store", "website"]
PlacesQueryKind: TypeAlias = Literal["interest", "location"]
PlatformInput: TypeAlias = Literal[
    "google", "meta", "telegram", "threads", "tiktok", "tiktokads", "wasender", "whatsapp-cloud"
]
PostStatusInput: TypeAlias = Literal[
    "cancelled", "draft", "failed", "partial", "preparing", "published", "publishing", "scheduled"
]
ProductAvailability: TypeAlias = Literal["availableForOrder", "discontinued", "inStock", "outOfStock", "preorder"]
ProductBatchItemStatusInput: TypeAlias = Literal["failed", "pending", "sent", "succeeded", "unconfirmed"]
ProductChangeMethod: TypeAlias = Literal["delete", "update", "upsert"]
ProductCondition: TypeAlias = Literal["new", "refurbished", "used"]
ProductFilterJoin: TypeAlias = Literal["all", "any"]
RunStatusInput: TypeAlias = Literal["done", "failed", "running", "skipped", "triggered"]
ScheduleTriggerWeekdays: TypeAlias = Literal[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"
]
SlotChangesWeekday: TypeAlias = Literal["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"]
SlotPostsQueryPosts: TypeAlias = Literal["free", "reslot"]
SpecialCategoryInput: TypeAlias = Literal["credit", "employment", "gambling", "housing", "politics"]
StreamQueryEvent: TypeAlias = Literal[
    "post.scheduled",
    "post.published",
    "post.partial",
    "post.failed",
    "post.platform.failed",
    "post.file.failed",
    "account.connected",
    "account.needs_reconnection",
    "account.disconnected",
    "account.health",
    "lead.received",
    "message.received",
    "message.status",
    "comment.received",
    "review.received",
    "automation.triggered",
    "webhook.test",
]
SummaryQueryPeriod: TypeAlias = Literal["30d", "7d", "90d"]
TelegramBotMessageOptionsParseMode: TypeAlias = Literal["HTML", "MarkdownV2"]
TelegramBotOptionsParseMode: TypeAlias = Literal["HTML", "MarkdownV2"]
TemplateButtonSubType: TypeAlias = Literal[
    "app", "catalog", "copy_code", "flow", "mpm", "order_details", "quick_reply", "spm", "url", "voice_call"
]
TextKind: TypeAlias = Literal[
    "facebook_page",
    "google_business",
    "instagram",
    "telegram_bot",
    "threads",
    "tiktok",
    "whatsapp_cloud",
    "whatsapp_qr",
    "youtube",
]
ThreadsOptionsReplyControl: TypeAlias = Literal[
    "everyone", "accounts_you_follow", "mentioned_only", "parent_post_author_only", "followers_only"
]
TiktokOptionsMode: TypeAlias = Literal["direct", "draft"]
TiktokOptionsPrivacyLevel: TypeAlias = Literal[
    "PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "FOLLOWER_OF_CREATOR", "SELF_ONLY"
]
TiktokOptionsSource: TypeAlias = Literal["upload", "url"]
TimeWindowConditionWeekdays: TypeAlias = Literal[
    "friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"
]
VideoGenerationBodyAspectRatio: TypeAlias = Literal["16:9", "9:16"]
WaitActionUnit: TypeAlias = Literal["days", "hours", "minutes"]
WhatsappMessageType: TypeAlias = Literal[
    "audio",
    "contacts",
    "document",
    "image",
    "interactive",
    "location",
    "reaction",
    "read",
    "sticker",
    "template",
    "text",
    "video",
]
YoutubeOptionsLicense: TypeAlias = Literal["youtube", "creativeCommon"]
YoutubeOptionsPrivacyStatus: TypeAlias = Literal["public", "unlisted", "private"]


class AccountChanges(TypedDict):
    """What to change."""

    profile_id: str
    """The profile to move the account to."""


class AccountCondition(TypedDict):
    """It happened on one of these accounts."""

    type: Literal["account"]
    """Always `account`."""

    account_ids: Sequence[str]
    """The accounts, `acc_…`."""


class AccountSelectionBody(TypedDict):
    """Which of the available accounts to connect."""

    ids: Sequence[str]
    """`id`s from the list of available accounts."""


class AdAccountChoice(TypedDict):
    """Which of the available ad accounts to connect."""

    ids: Sequence[str]
    """`id`s from the list of available accounts."""


class AdBid(TypedDict):
    """How to bid. `costCap` and `bidCap` need an `amount`, `minRoas` needs `roas`."""

    strategy: BidStrategy
    """`lowestCost` needs no value, `costCap` and `bidCap` an `amount`, `minRoas` a `roas`."""

    amount: NotRequired[MoneyLike | None]
    """For `costCap` and `bidCap`: the average or the highest cost per result."""

    roas: NotRequired[float | None]
    """For `minRoas`: the least value to earn for each unit of money spent. 2.5 is 250 %."""


class AdBudget(TypedDict):
    """How much to spend: per day, or in total until the end of the schedule, in the currency of the ad account."""

    amount: int
    """An integer in the currency's smallest unit: 9.99 USD is 999. It must be in the currency of the ad account."""

    currency: str
    """ISO 4217 code, such as `USD`."""

    type: NotRequired[AdBudgetType]
    """Per day, or in total. `lifetime` needs the end of the schedule."""


class AdMedia(TypedDict):
    """An image or a video: an uploaded file, or a URL from which it is fetched."""

    media_id: NotRequired[str | None]
    """The id of an uploaded file, `med_…`."""

    url: NotRequired[str | None]
    """Instead of `mediaId`: a public URL from which the file is fetched."""


class AdObjectChangesBody(TypedDict):
    """New values for an object of any type. Fields that you leave out stay as they are.

    What can be changed depends on the type and on the platform; anything else is rejected with 422. `targeting`
    replaces the previous one as a whole. Start and pause objects with `status`.
    """

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    type: AdTypeInput
    """What the object is."""

    id: str
    """The id of the object, as in the lists."""

    name: NotRequired[str | None]
    """The new name."""

    status: NotRequired[AdObjectChangesBodyStatus | None]
    """Starts, pauses or archives it."""

    budget: NotRequired[AdBudgetLike | None]
    """For a campaign or an ad set. TikTok cannot change the `type` of a budget."""

    spend_cap: NotRequired[MoneyLike | None]
    """For a campaign: it stops once it has spent this much."""

    bid: NotRequired[AdBidLike | None]
    """For a campaign or an ad set."""

    schedule: NotRequired[AdScheduleLike | None]
    """For a campaign or an ad set. Only what you send is changed."""

    targeting: NotRequired[AdTargetingLike | None]
    """For an ad set. Replaces the previous targeting as a whole."""

    optimization: NotRequired[OptimizationInput | None]
    """For an ad set: what delivery is optimized for."""

    creative_id: NotRequired[str | None]
    """For an ad: the creative that it shows from now on."""

    description: NotRequired[str | None]
    """For an audience or a custom conversion: the new note."""

    value: NotRequired[MoneyLike | None]
    """For a custom conversion: what one conversion is worth."""

    platform_options: NotRequired[Mapping[str, Any]]
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class AdPromotion(TypedDict):
    """What an ad set promotes or counts: a Page, events of a pixel, an app, or a catalog."""

    page_id: NotRequired[str | None]
    """The platform's id of the Facebook Page that is promoted."""

    pixel_id: NotRequired[str | None]
    """The platform's id of the pixel that counts conversions."""

    event: NotRequired[str | None]
    """A standard event: `Purchase`."""

    custom_conversion_id: NotRequired[str | None]
    """The platform's id of the custom conversion that is counted."""

    app_id: NotRequired[str | None]
    """The platform's id of the app that is promoted."""

    app_store_url: NotRequired[str | None]
    """The page of the app in its store."""

    catalog_id: NotRequired[str | None]
    """The platform's id of the catalog whose products are shown."""

    product_set_id: NotRequired[str | None]
    """The platform's id of the product set whose products are shown."""


class AdSchedule(TypedDict):
    """When it runs. Without a start it starts at once, without an end it runs until it is paused."""

    start: NotRequired[str | dt.datetime | None]
    """When it starts. Null: at once."""

    end: NotRequired[str | dt.datetime | None]
    """When it ends. Null: it runs until it is paused."""


class AdTargeting(TypedDict):
    """Whom to show ads to. `GET /ads/locations` finds the ids of places and interests, `GET /ads/audiences` lists
    audiences.
    """

    countries: NotRequired[Sequence[str]]
    """ISO 3166 codes, such as `NO`. TikTok stores them as places: they are listed in `locations` afterwards."""

    regions: NotRequired[Sequence[str]]
    """The platform's ids of regions."""

    cities: NotRequired[Sequence[str]]
    """The platform's ids of cities."""

    locations: NotRequired[Sequence[str]]
    """Places of any type, by the ids of GET /ads/locations."""

    excluded_locations: NotRequired[Sequence[str]]
    """Places where ads are not shown, by the ids of GET /ads/locations."""

    age_min: NotRequired[int | None]
    """The youngest age. Null: the platform's own minimum."""

    age_max: NotRequired[int | None]
    """The highest value of a platform also includes all older people."""

    genders: NotRequired[Sequence[AdTargetingGenders]]
    """Only people of these genders. Empty: everybody."""

    languages: NotRequired[Sequence[str]]
    """ISO 639-1 codes, such as `nb`. Empty: all languages."""

    interests: NotRequired[Sequence[str]]
    """The ids of GET /ads/locations?kind=interest. Empty: people with any interests."""

    audiences: NotRequired[Sequence[str]]
    """Only people in one of these audiences, by their ids."""

    excluded_audiences: NotRequired[Sequence[str]]
    """Nobody in these audiences, by their ids."""

    platform_options: NotRequired[Mapping[str, Any]]
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class AiReplyAction(TypedDict):
    """Reply in the same place with a text that an AI model writes according to your instructions.

    What the person wrote is sent to the model separately from the instructions, so these cannot have placeholders. If
    no text can be generated, or it is still longer than `maxLength`, `fallback` is sent; without a fallback the run
    fails.
    """

    type: Literal["aiReply"]
    """Always `aiReply`."""

    instructions: str
    """What the model should do, and what it needs to know, such as opening hours."""

    model: NotRequired[str | None]
    """A model from `GET /ai/models`. Unset: the operator's default for this type."""

    tone: NotRequired[str | None]
    """Such as `friendly` or `formal, without irony`."""

    max_length: NotRequired[int]
    """Maximum number of characters."""

    fallback: NotRequired[str | None]
    """With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback."""


class ApiKeyChanges(TypedDict):
    """What to change. Omitted fields stay as they are. The scope cannot be changed."""

    name: NotRequired[str]
    """Shown in the console and in lists, to tell keys apart."""

    profile_ids: NotRequired[Sequence[str]]
    """The profiles that the key is limited to."""

    permission: NotRequired[ApiKeyChangesPermission]
    """`read` allows only GET; `read-write` allows everything that keys can do."""

    expires_at: NotRequired[str | dt.datetime | None]
    """When the key stops working."""


class AudiencePerson(TypedDict):
    """A person in a list. Send everything that you know: platforms match people by any of these values."""

    email: NotRequired[str | None]
    """The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
    sent.
    """

    phone: NotRequired[str | None]
    """With its country code. The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is
    stored; only the hash is sent.
    """

    mobile_ad_id: NotRequired[str | None]
    """The advertising id of a phone (IDFA or GAID)."""

    external_id: NotRequired[str | None]
    """Your own id of the person."""


class AudioGenerationBody(TypedDict):
    """A text to read aloud."""

    model: NotRequired[str | None]
    """A model from `GET /ai/models`. Unset: the operator's default for this type."""

    profile_id: NotRequired[str | None]
    """The profile that the generation and its files belong to. Required for a key limited to several profiles."""

    text: str
    """The text to read aloud."""

    voice: NotRequired[str]
    """One of the provider's voices, such as `alloy`."""

    format: NotRequired[AudioGenerationBodyFormat]
    """The format of the file."""

    speed: NotRequired[float | None]
    """How fast to speak: 1 is normal, 2 twice as fast."""


class AutomationChanges(TypedDict):
    """What to change. Omitted fields stay as they are; lists are replaced as a whole."""

    name: NotRequired[str]
    """Shown in lists, and in the `automation.triggered` event."""

    trigger: NotRequired[AutomationTrigger]
    """The trigger: a `type` with its options."""

    conditions: NotRequired[Sequence[AutomationCondition]]
    """All of them must be true."""

    actions: NotRequired[Sequence[AutomationAction]]
    """The actions, in order."""

    cooldown: NotRequired[int]
    """For this many seconds after a run, the same contact does not trigger another."""

    active: NotRequired[bool]
    """Whether it runs. False keeps it without running it; runs in progress end."""


class BoostBody(TypedDict):
    """A published post to advertise: `postId` with the `accountId` where it is published, or `platformPostId`."""

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    name: NotRequired[str | None]
    """The name of everything that is created."""

    goal: NotRequired[GoalInput]
    """What the campaign is for."""

    optimization: NotRequired[OptimizationInput | None]
    """What delivery is optimized for. The default depends on the goal."""

    status: NotRequired[BoostBodyStatus]
    """Ads are shown and money is spent only if it and everything above it are `active`."""

    budget: AdBudgetLike
    """What is spent. `lifetime` needs the end of the schedule."""

    bid: NotRequired[AdBidLike | None]
    """How to bid. By default for the lowest cost."""

    schedule: NotRequired[AdScheduleLike | None]
    """When it runs. By default from now on, until it is paused."""

    targeting: AdTargetingLike
    """Whom to show the ad to. At least one place or audience is required."""

    promotes: NotRequired[AdPromotionLike | None]
    """What is promoted or counted. Some goals require it."""

    special_categories: NotRequired[Sequence[SpecialCategoryInput]]
    """Required by law for ads about credit, jobs, housing, politics or gambling."""

    adset_options: NotRequired[Mapping[str, Any]]
    """`platformOptions` of the ad set, such as `dsa_beneficiary` on Meta."""

    account_id: NotRequired[str | None]
    """The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok account. Required with
    `postId`. Otherwise you can omit it if the ad account has only one, or send `publisherId`.
    """

    publisher_id: NotRequired[str | None]
    """The platform's own id of a Page or an identity."""

    post_id: NotRequired[str | None]
    """The id of a post made with Socialgate, `post_…`."""

    platform_post_id: NotRequired[str | None]
    """The platform's own id of a post."""

    url: NotRequired[str | None]
    """The page that the button opens."""

    call_to_action: NotRequired[CallToActionInput | None]
    """The label of the button."""


class ButtonAction(TypedDict):
    """What a button opens: a flow, a catalog, products, or an order to pay."""

    flow_token: NotRequired[str | None]
    """For a flow: identifies this use of it, and comes back with the answers."""

    flow_action_data: NotRequired[Mapping[str, Any] | None]
    """For a flow: the data of its first screen."""

    thumbnail_product_retailer_id: NotRequired[str | None]
    """For a catalog: the product whose image is shown, by your own id."""

    sections: NotRequired[Sequence[ProductSectionLike] | None]
    """For products: which ones, in sections."""

    order_details: NotRequired[Mapping[str, Any] | None]
    """For an order to pay: the order, in WhatsApp's own format."""


class CallHookAction(TypedDict):
    """Send the `automation.triggered` event of this run to one of your hooks, even if the hook does not list it."""

    type: Literal["callHook"]
    """Always `callHook`."""

    hook_id: str
    """The hook to send it to, `hook_…`."""


class CatalogProduct(TypedDict):
    """A product of a catalog. `product_retailer_id` is your own id of it."""

    product_retailer_id: str
    """Your own id of the product."""

    catalog_id: str
    """WhatsApp's id of the catalog."""


class CommentTrigger(TypedDict):
    """Somebody comments on an account's post, or reviews a business. The account's own comments do not trigger it."""

    type: Literal["comment.received"]
    """Always `comment.received`."""

    account_ids: NotRequired[Sequence[str]]
    """Only events on these accounts. Empty: all accounts of the profile."""

    object_ids: NotRequired[Sequence[str]]
    """Only comments on these posts, by the platform's own ids. Empty: all posts."""


class CommentVisibility(TypedDict):
    """Which comment to hide, or to show again."""

    comment_id: str
    """The platform's own id of the comment."""

    hidden: NotRequired[bool]
    """False shows it again."""


class ContactCard(TypedDict):
    """A contact card with names and numbers."""

    name: str
    """The full name."""

    phones: NotRequired[Sequence[str]]
    """Phone numbers, as they should be shown."""

    emails: NotRequired[Sequence[str]]
    """Email addresses."""

    organization: NotRequired[str | None]
    """The company that the contact works for."""


class ConversationTrigger(TypedDict):
    """Somebody writes to an account for the first time."""

    type: Literal["conversation.started"]
    """Always `conversation.started`."""

    account_ids: NotRequired[Sequence[str]]
    """Only events on these accounts. Empty: all accounts of the profile."""


class ConversionRule(TypedDict):
    """A condition on an event: one of `values` must match. Platforms support different fields and operators. A `value`
    is in whole units of the currency, such as 349.00, not in its smallest unit.
    """

    field: ConversionRuleField
    """What of the event is compared."""

    operator: ConversionRuleOperator
    """How it is compared."""

    values: Sequence[str]
    """What it is compared with. One of them must match."""


class CopyGenerationBody(TypedDict):
    """Texts to generate."""

    model: NotRequired[str | None]
    """A model from `GET /ai/models`. Unset: the operator's default for this type."""

    profile_id: NotRequired[str | None]
    """The profile that the generation and its files belong to. Required for a key limited to several profiles."""

    prompt: str
    """What to generate, in your own words."""

    kinds: NotRequired[Sequence[TextKind]]
    """Kinds of accounts that the text is for: their length limits apply. See `kind` in `GET /platforms`. Ad accounts
    and calendars accept no texts.
    """

    account_ids: NotRequired[Sequence[str]]
    """Accounts that the text is for: the limits of their kinds apply."""

    tone: NotRequired[str | None]
    """Such as `friendly` or `formal, without irony`."""

    language: NotRequired[str | None]
    """Such as `pt-BR` or `Portuguese`."""

    variants: NotRequired[int]
    """How many texts to generate."""

    max_length: NotRequired[int | None]
    """Maximum number of characters."""

    hashtags: NotRequired[bool | None]
    """Whether to add hashtags. Unset: the model decides."""

    emoji: NotRequired[bool | None]
    """Whether to use emoji. Unset: the model decides."""

    media_ids: NotRequired[Sequence[str]]
    """Images for the model to look at: JPEG, PNG, WebP or GIF of up to 10 MiB. Not every model accepts images."""


class CurrencyAmount(TypedDict):
    """An amount. `fallback_value` is shown if it cannot be localized; `amount_1000` is the amount times 1,000."""

    fallback_value: str
    """What is shown if the amount cannot be localized, such as `$100.99`."""

    code: str
    """The currency, as an ISO 4217 code."""

    amount_1000: int
    """The amount times 1,000: 100990 is 100.99."""


class DarkPostBody(TypedDict):
    """A post that only appears as an ad, never on the profile."""

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    name: NotRequired[str | None]
    """The name of everything that is created."""

    goal: NotRequired[GoalInput]
    """What the campaign is for."""

    optimization: NotRequired[OptimizationInput | None]
    """What delivery is optimized for. The default depends on the goal."""

    status: NotRequired[DarkPostBodyStatus]
    """Ads are shown and money is spent only if it and everything above it are `active`."""

    budget: AdBudgetLike
    """What is spent. `lifetime` needs the end of the schedule."""

    bid: NotRequired[AdBidLike | None]
    """How to bid. By default for the lowest cost."""

    schedule: NotRequired[AdScheduleLike | None]
    """When it runs. By default from now on, until it is paused."""

    targeting: AdTargetingLike
    """Whom to show the ad to. At least one place or audience is required."""

    promotes: NotRequired[AdPromotionLike | None]
    """What is promoted or counted. Some goals require it."""

    special_categories: NotRequired[Sequence[SpecialCategoryInput]]
    """Required by law for ads about credit, jobs, housing, politics or gambling."""

    adset_options: NotRequired[Mapping[str, Any]]
    """`platformOptions` of the ad set, such as `dsa_beneficiary` on Meta."""

    creative: DarkPostCreative
    """What the ad shows."""


class DarkPostCreative(TypedDict):
    """What a dark post shows."""

    account_id: NotRequired[str | None]
    """The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok account. Required with
    `postId`. Otherwise you can omit it if the ad account has only one, or send `publisherId`.
    """

    publisher_id: NotRequired[str | None]
    """The platform's own id of a Page or an identity."""

    text: NotRequired[str | None]
    """Shown above or below the image or video."""

    headline: NotRequired[str | None]
    """The headline below the image or video. Meta only."""

    description: NotRequired[str | None]
    """The line below the headline. Meta only."""

    url: NotRequired[str | None]
    """The page that opens when people click."""

    call_to_action: NotRequired[CallToActionInput | None]
    """The label of the button."""

    media: NotRequired[Sequence[AdMedia]]
    """One image or video, or the images of a carousel."""

    form_id: NotRequired[str | None]
    """A lead form that opens when people click."""


class DisplayDateTime(TypedDict):
    """A time as it is shown. WhatsApp does not localize it."""

    fallback_value: str
    """The time as it is shown, such as `February 25, 2027`."""


class DryRunBody(TypedDict):
    """The sample to try an automation with."""

    sample: SampleEvent
    """What would happen on the platform."""


class EventChanges(TypedDict):
    """The changes. Omitted fields keep their values; lists are replaced as a whole, and guests keep their answers."""

    start: NotRequired[NewEventTime]
    """When it starts."""

    end: NotRequired[NewEventTime]
    """When it ends, exclusive: a one-day event ends on the next date."""

    title: NotRequired[str]
    """Shown in the calendar and in invitations."""

    description: NotRequired[str | None]
    """The description. It may contain HTML. Null removes it."""

    location: NotRequired[str | None]
    """Where it takes place, as free text."""

    recurrence: NotRequired[Sequence[str]]
    """RFC 5545 lines: `RRULE`, `RDATE` and `EXDATE`. The start is the first occurrence. Empty: not recurring."""

    attendees: NotRequired[Sequence[NewGuest]]
    """Replaces all guests. Those who stay keep their answers."""

    reminders: NotRequired[EventRemindersLike]
    """How the owner of the calendar is reminded. By default with the reminders of the calendar."""

    meet: NotRequired[bool]
    """True adds one of the platform's video meetings, false removes it."""

    calendar_id: NotRequired[str | None]
    """Default: the account's primary calendar."""

    scope: NotRequired[EventChangesScope | None]
    """For a series: `this` occurrence, this and the `following`, or `all`. By default, the id of an occurrence means
    that occurrence, and the id of a series the whole series.
    """

    notify: NotRequired[EventChangesNotify]
    """Which guests the platform notifies: all, those without a calendar on this platform, or none."""


class EventPerson(TypedDict):
    """Who did it. The more you send, the better platforms can attribute the event to an ad.

    `ip`, `userAgent`, `clickId`, `browserId` and `leadId` are sent unhashed, because platforms require that.
    """

    email: NotRequired[str | None]
    """The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
    sent.
    """

    phone: NotRequired[str | None]
    """With its country code. The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is
    stored; only the hash is sent.
    """

    external_id: NotRequired[str | None]
    """The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
    sent.
    """

    first_name: NotRequired[str | None]
    """The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
    sent.
    """

    last_name: NotRequired[str | None]
    """The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
    sent.
    """

    gender: NotRequired[EventPersonGender | None]
    """Hashed before anything is stored; only the hash is sent."""

    birthday: NotRequired[str | None]
    """As `YYYYMMDD`. Hashed before it is stored; only the hash is sent."""

    city: NotRequired[str | None]
    """The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
    sent.
    """

    state: NotRequired[str | None]
    """The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
    sent.
    """

    zip: NotRequired[str | None]
    """The plain value or its SHA-256 hash. A plain value is normalized and hashed before it is stored; only the hash is
    sent.
    """

    country: NotRequired[str | None]
    """ISO 3166 code, such as `PE`, or its SHA-256 hash."""

    ip: NotRequired[str | None]
    """The IP address of the browser. Sent as it is."""

    user_agent: NotRequired[str | None]
    """The `User-Agent` of the browser. Sent as it is."""

    click_id: NotRequired[str | None]
    """The id of the click on an ad: `fbc` or `ttclid`. Sent unhashed."""

    browser_id: NotRequired[str | None]
    """`fbp` or `ttp`: a cookie of the pixel."""

    mobile_ad_id: NotRequired[str | None]
    """The advertising id of a phone (IDFA or GAID)."""

    lead_id: NotRequired[str | None]
    """The platform's id of a lead."""


class EventProduct(TypedDict):
    """A product that an event is about, by its id in the catalog."""

    id: str
    """The id of the product in the catalog."""

    quantity: NotRequired[int | None]
    """How many units of it."""

    price: NotRequired[MoneyLike | None]
    """The price of one."""

    name: NotRequired[str | None]
    """The name of the product."""

    brand: NotRequired[str | None]
    """The brand of the product."""

    category: NotRequired[str | None]
    """The category of the product."""


class EventReminder(TypedDict):
    """A reminder before the event: an email or a pop-up."""

    method: EventReminderMethod
    """Whether to send an email or show a pop-up."""

    minutes: int
    """Minutes before the start; at most four weeks."""


class EventReminders(TypedDict):
    """How the owner of the calendar is reminded: with the calendar's defaults, or only with `overrides`."""

    use_default: NotRequired[bool]
    """Whether the defaults of the calendar apply. With false, only `overrides` do."""

    overrides: NotRequired[Sequence[EventReminderLike]]
    """The reminders of this event."""


class FacebookPageMessageOptions(TypedDict):
    """FacebookPageMessageOptions"""

    kind: NotRequired[Literal["facebook_page"]]
    """The kind of the account. The service accepts none."""

    messaging_type: NotRequired[FacebookPageMessageOptionsMessagingType]
    """The type of the message: a reply (RESPONSE), another message within the 24 hours (UPDATE), or one with a `tag`
    (MESSAGE_TAG). Default: MESSAGE_TAG with a `tag`, otherwise RESPONSE.
    """

    tag: NotRequired[Literal["HUMAN_AGENT"]]
    """Marks a reply that a person wrote. It can be sent up to seven days after the other person's last message, if Meta
    has approved this for your app.
    """

    notification_type: NotRequired[FacebookPageMessageOptionsNotificationType]
    """How the person is notified: with sound (the default), silently, or not at all."""


class FacebookPageOptions(TypedDict):
    """FacebookPageOptions"""

    kind: NotRequired[Literal["facebook_page"]]
    """The kind of the account. The service accepts none."""

    form: NotRequired[FacebookPageOptionsForm]
    """What to create. By default it depends on the media; set `reel` or `story` for these."""

    link: NotRequired[str]
    """Shown as a card; for a post without media."""

    title: NotRequired[str]
    """The title of a video or a reel."""

    place_id: NotRequired[str]
    """For a reel: the id of a place's Page."""


class FieldCondition(TypedDict):
    """Compare a field of the trigger with a value. Case is ignored; `exists` and `missing` have no value.

    The trigger decides which fields there are.
    """

    type: Literal["field"]
    """Always `field`."""

    field: str
    """The dotted name of a field of the trigger, such as `contact.name`."""

    operator: NotRequired[FieldConditionOperator]
    """How to compare. Numbers are compared as numbers, texts by the alphabet."""

    value: NotRequired[FieldConditionValue | None]
    """What to compare with. Omit it for `exists` and `missing`."""


class FilterRule(TypedDict):
    """A condition on a product. `price` and `salePrice` are compared with `price`, everything else with `values`:
    `isAny` and `isNotAny` with several, the others with one. Only `is` and `isNot` are case-sensitive.
    """

    field: FilterRuleField
    """What of the product is compared."""

    operator: FilterRuleOperator
    """How it is compared. Platforms support different ones for each field."""

    values: NotRequired[Sequence[str]]
    """What it is compared with; several only for `isAny` and `isNotAny`."""

    price: NotRequired[PriceLike | None]
    """For `price` and `salePrice`: what it is compared with, instead of `values`."""


class FirstTimeCondition(TypedDict):
    """The automation has not run for this contact before."""

    type: Literal["firstTime"]
    """Always `firstTime`."""


class Fit(TypedDict):
    """How files are made to fit what the platform accepts. What it accepts is never changed."""

    mode: NotRequired[FitMode]
    """`auto` and `pad` add margins where the aspect ratio is wrong; `crop` cuts off what is too much; `none` changes
    nothing, so that a file that does not fit is rejected.
    """

    background: NotRequired[str | None]
    """What margins and transparent parts show: a color such as `#ffffff`, or `blur` for the blurred picture itself. By
    default white for images and black for videos.
    """

    focus: NotRequired[FocusPointLike | None]
    """For `crop`: what must stay in the picture. By default its center."""


class FocusPoint(TypedDict):
    """What must stay in the picture: from 0 to 1 from its upper left corner."""

    x: NotRequired[float]
    """The horizontal position, from 0 (left) to 1 (right)."""

    y: NotRequired[float]
    """The vertical position, from 0 (top) to 1 (bottom)."""


class GoogleBusinessOptions(TypedDict):
    """GoogleBusinessOptions"""

    kind: NotRequired[Literal["google_business"]]
    """The kind of the account. The service accepts none."""

    form: NotRequired[GoogleBusinessOptionsForm]
    """The kind of post. Events and offers need `event`."""

    language_code: NotRequired[str]
    """The language of the text, such as `en`."""

    call_to_action: NotRequired[GoogleBusinessOptionsCallToAction]
    """The button below the post. An offer has its own, and a call has no url."""

    event: NotRequired[GoogleBusinessOptionsEvent]
    """The event and its period, in the location's local time; for an offer, how long it is valid."""

    offer: NotRequired[GoogleBusinessOptionsOffer]
    """Offers only: how to redeem it."""


class GoogleBusinessOptionsCallToAction(TypedDict):
    """The button below the post. An offer has its own, and a call has no url."""

    action_type: GoogleBusinessOptionsCallToActionActionType
    """The label of the button."""

    url: NotRequired[str]
    """The link of the button."""


class GoogleBusinessOptionsEvent(TypedDict):
    """The event and its period, in the location's local time; for an offer, how long it is valid."""

    title: str
    """The name of the event or offer."""

    schedule: GoogleBusinessOptionsEventSchedule
    """The period. Without times it is whole days."""


class GoogleBusinessOptionsEventSchedule(TypedDict):
    """The period. Without times it is whole days."""

    start_date: GoogleBusinessOptionsEventScheduleStartDate
    """The first day."""

    start_time: NotRequired[GoogleBusinessOptionsEventScheduleStartTime]
    """When it starts on that day."""

    end_date: GoogleBusinessOptionsEventScheduleEndDate
    """The last day."""

    end_time: NotRequired[GoogleBusinessOptionsEventScheduleEndTime]
    """When it ends on that day."""


class GoogleBusinessOptionsEventScheduleEndDate(TypedDict):
    """The last day."""

    year: int
    """The year."""

    month: int
    """The month; January is 1."""

    day: int
    """The day of the month."""


class GoogleBusinessOptionsEventScheduleEndTime(TypedDict):
    """When it ends on that day."""

    hours: NotRequired[int]
    """The hour, from 0; 24 is the end of the day."""

    minutes: NotRequired[int]
    """The minute."""

    seconds: NotRequired[int]
    """The second."""

    nanos: NotRequired[int]
    """The part of a second, in nanoseconds."""


class GoogleBusinessOptionsEventScheduleStartDate(TypedDict):
    """The first day."""

    year: int
    """The year."""

    month: int
    """The month; January is 1."""

    day: int
    """The day of the month."""


class GoogleBusinessOptionsEventScheduleStartTime(TypedDict):
    """When it starts on that day."""

    hours: NotRequired[int]
    """The hour, from 0; 24 is the end of the day."""

    minutes: NotRequired[int]
    """The minute."""

    seconds: NotRequired[int]
    """The second."""

    nanos: NotRequired[int]
    """The part of a second, in nanoseconds."""


class GoogleBusinessOptionsOffer(TypedDict):
    """Offers only: how to redeem it."""

    coupon_code: NotRequired[str]
    """The coupon code to use in the shop."""

    redeem_online_url: NotRequired[str]
    """The URL where it can be redeemed online."""

    terms_conditions: NotRequired[str]
    """The terms and conditions."""


class HideCommentAction(TypedDict):
    """Hide the comment from everybody except its author."""

    type: Literal["hideComment"]
    """Always `hideComment`."""


class HookChanges(TypedDict):
    """What to change. Omitted fields stay as they are."""

    url: NotRequired[str]
    """Where to send deliveries: an https URL of at most 2048 characters, without credentials, on the public internet.
    """

    events: NotRequired[Sequence[HookChangesEvents]]
    """The events to receive, each once. `webhook.test` is only sent by the test route, listed or not."""

    active: NotRequired[bool]
    """Whether events are delivered. `true` also ends a pause after failures; pending deliveries are sent immediately.
    """

    description: NotRequired[str | None]
    """A note for your own use."""

    ordered: NotRequired[bool]
    """Deliver events strictly in order: a failing delivery holds back the newer ones."""

    max_per_second: NotRequired[int | None]
    """Maximum number of attempts per second. Null: no limit."""


class HookRecovery(TypedDict):
    """The period to recover."""

    since: str | dt.datetime
    """The start, inclusive."""

    until: NotRequired[str | dt.datetime | None]
    """The end, exclusive."""


class ImageGenerationBody(TypedDict):
    """Images to generate. Set `size` or `aspectRatio`, not both."""

    model: NotRequired[str | None]
    """A model from `GET /ai/models`. Unset: the operator's default for this type."""

    profile_id: NotRequired[str | None]
    """The profile that the generation and its files belong to. Required for a key limited to several profiles."""

    prompt: str
    """What to generate, in your own words."""

    size: NotRequired[str | None]
    """Width and height in pixels, such as `1024x1024`, or `auto`. The model must support it."""

    aspect_ratio: NotRequired[ImageGenerationBodyAspectRatio | None]
    """The shape of the image; the model chooses the size."""

    count: NotRequired[int]
    """How many images to generate."""

    quality: NotRequired[str | None]
    """Such as `low`, `medium` or `high`."""

    format: NotRequired[ImageGenerationBodyFormat | None]
    """Unset: JPEG, which every platform accepts."""

    media_ids: NotRequired[Sequence[str]]
    """Images to base the new one on: JPEG, PNG or WebP of up to 10 MiB. Not every model accepts images."""


class InstagramMessageOptions(TypedDict):
    """InstagramMessageOptions"""

    kind: NotRequired[Literal["instagram"]]
    """The kind of the account. The service accepts none."""

    tag: NotRequired[Literal["HUMAN_AGENT"]]
    """Marks a reply that a person wrote. It can be sent up to seven days after the other person's last message, if Meta
    has approved this for your app.
    """


class InstagramOptions(TypedDict):
    """InstagramOptions"""

    kind: NotRequired[Literal["instagram"]]
    """The kind of the account. The service accepts none."""

    form: NotRequired[InstagramOptionsForm]
    """What to create. By default it depends on the media; set `reel` or `story` for these."""

    share_to_feed: NotRequired[bool]
    """Whether a reel is also shown in the feed."""

    thumb_offset: NotRequired[int]
    """The position of the cover in a reel, in milliseconds. A thumbnail of the media takes precedence."""

    audio_name: NotRequired[str]
    """The name of a reel's audio."""

    trial_reel: NotRequired[InstagramOptionsTrialReel]
    """How a trial reel becomes a regular one."""

    location_id: NotRequired[str]
    """The id of a place's Facebook Page."""

    collaborators: NotRequired[Sequence[str]]
    """User names of up to three people to invite as collaborators."""

    user_tags: NotRequired[Sequence[InstagramOptionsUserTagsItem]]
    """People to tag. On an image with a position, from 0 to 1 from its upper left corner."""

    is_ai_generated: NotRequired[bool]
    """Labels it as made by AI."""


class InstagramOptionsUserTagsItem(TypedDict):
    """InstagramOptionsUserTagsItem"""

    username: str
    """The user name of the person, without the @."""

    x: NotRequired[float]
    """The horizontal position, from 0 (left) to 1."""

    y: NotRequired[float]
    """The vertical position, from 0 (top) to 1."""

    media_index: NotRequired[int]
    """Which item of a carousel; the first one (0) by default."""


class InteractiveListRow(TypedDict):
    """One choice of a list."""

    id: str
    """What comes back in the `data` of the reply when the person chooses it."""

    title: str
    """What the row says."""

    description: NotRequired[str | None]
    """A second line, in smaller letters."""


class InteractiveListSection(TypedDict):
    """Choices with a common title."""

    rows: Sequence[InteractiveListRow]
    """The choices. All sections together can have ten."""

    title: NotRequired[str | None]
    """A heading above the rows. Required if there are several sections."""


class InteractiveMessage(TypedDict):
    """A text with up to three buttons, or with a list of up to ten rows that opens with `button`."""

    body: str
    """The text of the message."""

    header: NotRequired[str | None]
    """A line above the text."""

    footer: NotRequired[str | None]
    """A line below the text, in smaller letters."""

    buttons: NotRequired[Sequence[ReplyButton]]
    """Replies to tap, instead of a list."""

    button: NotRequired[str | None]
    """What the button that opens the list says. Required with `sections`."""

    sections: NotRequired[Sequence[InteractiveListSection]]
    """The choices of the list, instead of `buttons`."""


class KeywordCondition(TypedDict):
    """One of these keywords is in the text, and none of the excluded ones. Case and accents are ignored.

    `match`: `exact` is the whole text, `word` a word or phrase in it, `contains` any part of it, and `fuzzy` a word or
    phrase of up to 64 characters, allowing one typo in words of at least 4 letters, and two from 8. Excluded words are
    compared as words. The conditions of an automation can have up to 200 keywords in total.
    """

    type: Literal["keyword"]
    """Always `keyword`."""

    any: Sequence[str]
    """The keywords. One of them must be in the text."""

    match: NotRequired[KeywordConditionMatch]
    """How keywords are compared with the text."""

    exclude: NotRequired[Sequence[str]]
    """Words that must not be in the text."""


class LeadStateChanges(TypedDict):
    """The changes. Omitted fields keep their values."""

    state: NotRequired[LeadStateNameInput]
    """The new state. A lead can go from any state to any other."""

    assignee: NotRequired[str | None]
    """Who is responsible for it; any text."""

    note: NotRequired[str | None]
    """A note for your team."""


class LeadTrigger(TypedDict):
    """Somebody submits a lead form of an account. Test leads trigger nothing."""

    type: Literal["lead.received"]
    """Always `lead.received`."""

    account_ids: NotRequired[Sequence[str]]
    """Only events on these accounts. Empty: all accounts of the profile."""

    form_ids: NotRequired[Sequence[str]]
    """Only leads of these forms, by the platform's own ids. Empty: all forms."""


class LinkBrand(TypedDict):
    """How the page of a link looks: like yours."""

    name: NotRequired[str | None]
    """The name of your product or company, as people know it."""

    logo_media_id: NotRequired[str | None]
    """An image from `POST /upload`. It is kept as long as the link."""

    color: NotRequired[str | None]
    """The color of the main buttons, such as `#0f766e`."""


class Location(TypedDict):
    """A location on the map."""

    latitude: float
    """In degrees; north is positive."""

    longitude: float
    """In degrees; east is positive."""

    name: NotRequired[str | None]
    """The name of the place."""

    address: NotRequired[str | None]
    """The address of the place."""


class Login(TypedDict):
    """A user's email and password."""

    email: str
    """The email address to sign in with. Case is ignored."""

    password: str
    """The password of the user."""


class MediaRef(TypedDict):
    """A file of a post: uploaded with `POST /upload`, or fetched immediately from a public URL."""

    media_id: NotRequired[str | None]
    """The id of an uploaded file, `med_…`."""

    url: NotRequired[str | None]
    """Instead of `mediaId`: the URL of the file."""

    alt: NotRequired[str | None]
    """Alternative text for people who cannot see it."""

    thumbnail_media_id: NotRequired[str | None]
    """For a video: an uploaded image to show as its cover, on platforms that support it."""

    trim: NotRequired[TrimLike | None]
    """For a video or audio: the part of it to publish. Null: all of it."""

    cover_at: NotRequired[float | None]
    """For a video: the second of the frame to show as its cover, counted from the start of the uploaded file, also with
    `trim`.
    """


class MessageFile(TypedDict):
    """A file to send: an uploaded one, or a URL from which it is fetched immediately."""

    media_id: NotRequired[str | None]
    """The id of an uploaded file, `med_…`."""

    url: NotRequired[str | None]
    """Instead of `mediaId`: a public URL, from which the file is fetched immediately."""


class MessageTrigger(TypedDict):
    """Somebody sends a message to an account. The account's own messages do not trigger it."""

    type: Literal["message.received"]
    """Always `message.received`."""

    account_ids: NotRequired[Sequence[str]]
    """Only events on these accounts. Empty: all accounts of the profile."""


class Money(TypedDict):
    """An integer in the currency's smallest unit: 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250."""

    amount: int
    """An integer in the currency's smallest unit: 9.99 USD is 999."""

    currency: str
    """ISO 4217 code, such as `USD`."""


class NewAdBody(TypedDict):
    """An ad to create. `POST /ads/adcreatives` creates its creative."""

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    adset_id: str
    """The platform's id of the ad set to create it in."""

    creative_id: str
    """The id of the creative that it shows."""

    name: str
    """The name, which only you see."""

    status: NotRequired[NewAdBodyStatus]
    """Ads are shown and money is spent only if it and everything above it are `active`."""

    pixel_id: NotRequired[str | None]
    """A pixel that counts what people do after the ad."""

    platform_options: NotRequired[Mapping[str, Any]]
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class NewAdSetBody(TypedDict):
    """An ad set to create. It needs a budget, unless its campaign has one.

    Without `optimization`, the default for the goal of the campaign is used.
    """

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    campaign_id: str
    """The platform's id of the campaign to create it in."""

    name: str
    """The name, which only you see."""

    status: NotRequired[NewAdSetBodyStatus]
    """Ads are shown and money is spent only if it and everything above it are `active`."""

    optimization: NotRequired[OptimizationInput | None]
    """What delivery is optimized for. The default depends on the goal of the campaign."""

    budget: NotRequired[AdBudgetLike | None]
    """What it spends. Required unless the campaign has a budget."""

    bid: NotRequired[AdBidLike | None]
    """How to bid. By default for the lowest cost."""

    schedule: NotRequired[AdScheduleLike | None]
    """When it runs. By default from now on, until it is paused."""

    targeting: AdTargetingLike
    """Whom to show its ads to. At least one place or audience is required."""

    promotes: NotRequired[AdPromotionLike | None]
    """What it promotes or counts. Some goals require it."""

    platform_options: NotRequired[Mapping[str, Any]]
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class NewApiKey(TypedDict):
    """An API key to create. `profileIds` is required for the scope `profiles` and not allowed for `all`."""

    name: str
    """Shown in the console and in lists, to tell keys apart."""

    scope: NewApiKeyScope
    """`all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`."""

    profile_ids: NotRequired[Sequence[str]]
    """The profiles that the key is limited to."""

    permission: NotRequired[NewApiKeyPermission]
    """`read` allows only GET; `read-write` allows everything that keys can do."""

    expires_at: NotRequired[str | dt.datetime | None]
    """When the key stops working."""


class NewAudienceBody(TypedDict):
    """An audience to create, or people to add to or remove from a list of customers (`audienceId`).

    `customers` is a list of people, who are uploaded in the background. `website` consists of the visitors that a pixel
    saw: on pages whose URL contains one of `urlContains`, or with `event`. `lookalike` consists of people in
    `countries` who resemble those in `sourceId`; `ratio` is their share of the population.
    """

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    audience_id: NotRequired[str | None]
    """An existing list of customers, to change it."""

    action: NotRequired[NewAudienceBodyAction]
    """With `audienceId`: whether to add or to remove `people`."""

    name: NotRequired[str | None]
    """The name. Required unless `audienceId` is given."""

    kind: NotRequired[NewAudienceBodyKind]
    """What it consists of."""

    description: NotRequired[str | None]
    """A note, for platforms that have one."""

    people: NotRequired[Sequence[AudiencePerson]]
    """For `customers`: the people. More can be added later."""

    retention_days: NotRequired[int | None]
    """For `website`: how many days people stay in it. 1 to 180 on Meta; 7, 14, 30, 60, 90 or 180 on TikTok."""

    pixel_id: NotRequired[str | None]
    """For `website`: the platform's id of the pixel that saw the visitors."""

    url_contains: NotRequired[Sequence[str]]
    """For `website`: only visitors of pages whose URL contains one of these texts."""

    event: NotRequired[str | None]
    """A standard event, such as `Purchase`."""

    source_id: NotRequired[str | None]
    """For `lookalike`: the id of the audience that it resembles."""

    countries: NotRequired[Sequence[str]]
    """For `lookalike`: where the people are, as ISO 3166 codes."""

    ratio: NotRequired[float | None]
    """For `lookalike`: the part of the country's people, from 0.01 (most similar) to 0.2."""

    platform_options: NotRequired[Mapping[str, Any]]
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class NewAutomation(TypedDict):
    """An automation to create."""

    profile_id: str
    """The profile whose accounts it applies to."""

    name: str
    """Shown in lists, and in the `automation.triggered` event."""

    trigger: AutomationTrigger
    """The trigger: a `type` with its options."""

    actions: Sequence[AutomationAction]
    """The actions, in order."""

    conditions: NotRequired[Sequence[AutomationCondition]]
    """All of them must be true."""

    cooldown: NotRequired[int]
    """For this many seconds after a run, the same contact does not trigger another."""

    active: NotRequired[bool]
    """Whether it runs. False keeps it without running it; runs in progress end."""


class NewCalendarEvent(TypedDict):
    """An event to create. `meet` adds one of the platform's video meetings."""

    start: NewEventTime
    """When it starts."""

    end: NewEventTime
    """When it ends, exclusive: a one-day event ends on the next date."""

    title: NotRequired[str]
    """Shown in the calendar and in invitations."""

    description: NotRequired[str]
    """The description. It may contain HTML."""

    location: NotRequired[str]
    """Where it takes place, as free text."""

    recurrence: NotRequired[Sequence[str]]
    """RFC 5545 lines: `RRULE`, `RDATE` and `EXDATE`. The start is the first occurrence. Empty: not recurring."""

    attendees: NotRequired[Sequence[NewGuest]]
    """The people to invite. `notify` says who gets an email."""

    reminders: NotRequired[EventRemindersLike]
    """How the owner of the calendar is reminded. By default with the reminders of the calendar."""

    meet: NotRequired[bool]
    """True adds one of the platform's video meetings."""

    calendar_id: NotRequired[str | None]
    """Default: the account's primary calendar."""

    notify: NotRequired[NewCalendarEventNotify]
    """Which guests the platform notifies: all, those without a calendar on this platform, or none."""


class NewCampaignBody(TypedDict):
    """A campaign to create. It divides its budget among its ad sets; without one, each ad set has its own."""

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    name: str
    """The name, which only you see."""

    goal: GoalInput
    """What it is for. It cannot be changed afterwards."""

    status: NotRequired[NewCampaignBodyStatus]
    """Ads are shown and money is spent only if it and everything above it are `active`."""

    budget: NotRequired[AdBudgetLike | None]
    """Divided among its ad sets. Omit it to give each ad set its own."""

    spend_cap: NotRequired[MoneyLike | None]
    """The campaign stops once it has spent this much."""

    bid: NotRequired[AdBidLike | None]
    """How to bid. By default for the lowest cost."""

    schedule: NotRequired[AdScheduleLike | None]
    """When it runs. Omit it to let each ad set decide."""

    special_categories: NotRequired[Sequence[SpecialCategoryInput]]
    """Required by law for ads about credit, jobs, housing, politics or gambling."""

    countries: NotRequired[Sequence[str]]
    """Where ads of a special category are shown."""

    platform_options: NotRequired[Mapping[str, Any]]
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class NewCatalogBody(TypedDict):
    """A catalog to create. TikTok catalogs have a currency and a country, Meta catalogs have neither."""

    ad_account_id: NotRequired[str | None]
    """The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
    that business.
    """

    name: str
    """The name of the catalog."""

    vertical: NotRequired[str | None]
    """What it contains; `commerce` by default."""

    currency: NotRequired[str | None]
    """ISO 4217 code, such as `USD`."""

    country: NotRequired[str | None]
    """ISO 3166 code, such as `SE`."""


class NewCheckout(TypedDict):
    """The plan to buy."""

    plan: str
    """The name of a plan that is for sale."""

    interval: NotRequired[NewCheckoutInterval]
    """Whether it is billed monthly or yearly."""


class NewCommentBody(TypedDict):
    """A comment to write: on a post, or in reply to the comment or review `parentId`."""

    text: str
    """The text. The platform's own limit is checked too."""

    post_id: NotRequired[str | None]
    """Our id of a post, or the platform's own id."""

    parent_id: NotRequired[str | None]
    """The comment to reply to."""

    media_id: NotRequired[str | None]
    """An image, if the kind supports it."""


class NewConnectLink(TypedDict):
    """A link for one profile. Anyone who has it can connect accounts to the profile, and nothing else."""

    profile_id: str
    """The profile that the account will belong to."""

    platforms: NotRequired[Sequence[PlatformInput] | None]
    """What the page offers. Unset: every configured platform."""

    redirect_url: NotRequired[str | None]
    """Where the person goes at the end, with `status`, `platform` and `accountIds` added. The rules are those of `GET
    /connect/{platform}`. Unset: the person stays on the page.
    """

    expires_in_hours: NotRequired[int]
    """For how many hours the link works."""

    uses: NotRequired[int]
    """How often each kind of account can be connected with the link. One sign-in with several chosen accounts is one
    use, and for Meta it covers Pages, Instagram and ad accounts.
    """

    brand: NotRequired[LinkBrandLike | None]
    """How the page looks. Unset: neutral."""

    embed_origins: NotRequired[Sequence[str] | None]
    """The origins of your pages that may show the page in an iframe, such as `https://app.example.com`. Unset: none."""


class NewConversionBody(TypedDict):
    """A custom conversion to create. Events of the pixel that match all rules are counted as `event`."""

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    pixel_id: str
    """The platform's id of the pixel whose events are counted."""

    name: str
    """The name, which only you see."""

    event: str
    """A standard event, such as `Purchase`."""

    description: NotRequired[str | None]
    """A note, for platforms that have one."""

    rules: Sequence[ConversionRuleLike]
    """All of them must match."""

    value: NotRequired[MoneyLike | None]
    """What one conversion is worth."""

    platform_options: NotRequired[Mapping[str, Any]]
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class NewCreativeBody(TypedDict):
    """A creative: an existing post (`postId` or `platformPostId`), or a text with images or a video."""

    account_id: NotRequired[str | None]
    """The account in whose name the ad appears: a connected Facebook Page, Instagram or TikTok account. Required with
    `postId`. Otherwise you can omit it if the ad account has only one, or send `publisherId`.
    """

    publisher_id: NotRequired[str | None]
    """The platform's own id of a Page or an identity."""

    text: NotRequired[str | None]
    """Shown above or below the image or video."""

    headline: NotRequired[str | None]
    """The headline below the image or video. Meta only."""

    description: NotRequired[str | None]
    """The line below the headline. Meta only."""

    url: NotRequired[str | None]
    """The page that opens when people click."""

    call_to_action: NotRequired[CallToActionInput | None]
    """The label of the button."""

    media: NotRequired[Sequence[AdMedia]]
    """One image or video, or the images of a carousel."""

    form_id: NotRequired[str | None]
    """A lead form that opens when people click."""

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    name: str
    """The name, which only you see."""

    post_id: NotRequired[str | None]
    """The id of a post made with Socialgate, `post_…`."""

    platform_post_id: NotRequired[str | None]
    """The platform's own id of a post."""

    platform_options: NotRequired[Mapping[str, Any]]
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class NewEventTime(TypedDict):
    """Either `dateTime`, with an offset or a `timezone`, or a whole `date`."""

    date_time: NotRequired[str | None]
    """RFC 3339, or a local time without an offset."""

    date: NotRequired[str | None]
    """A whole day such as `2026-11-20`, instead of `dateTime`."""

    timezone: NotRequired[str | None]
    """IANA name. Required for recurring events."""


class NewGuest(TypedDict):
    """A person to invite."""

    email: str
    """The email address to invite."""

    name: NotRequired[str | None]
    """The display name."""

    optional: NotRequired[bool]
    """Whether the person need not come."""


class NewHook(TypedDict):
    """A hook to create."""

    url: str
    """Where to send deliveries: an https URL of at most 2048 characters, without credentials, on the public internet.
    """

    events: Sequence[NewHookEvents]
    """The events to receive, each once. `webhook.test` is only sent by the test route, listed or not."""

    secret: NotRequired[str | None]
    """The key of the signatures: 16 to 256 printable ASCII characters. By default one is generated."""

    description: NotRequired[str | None]
    """A note for your own use."""

    ordered: NotRequired[bool]
    """Deliver events strictly in order: a failing delivery holds back the newer ones."""

    max_per_second: NotRequired[int | None]
    """Maximum number of attempts per second. Null: no limit."""


class NewLeadForm(TypedDict):
    """A form to create. It cannot be changed afterwards."""

    name: str
    """The name, which only you see. It must be unique on the Page."""

    questions: Sequence[NewLeadQuestion]
    """The questions, in order."""

    privacy_policy_url: str
    """The URL of your privacy policy. Platforms require one."""

    privacy_policy_text: NotRequired[str | None]
    """The text of the link to your privacy policy."""

    locale: NotRequired[str | None]
    """The language of the form, such as `pt_BR`."""

    follow_up_url: NotRequired[str | None]
    """The page that opens after submitting, if there is no `thankYou` with a `url`."""

    thank_you: NotRequired[NewLeadThankYouPage | None]
    """What people see after submitting it. By default the platform's own page."""


class NewLeadOption(TypedDict):
    """An answer to choose from."""

    label: str
    """What people see."""

    key: NotRequired[str | None]
    """The key of the answer in a lead. Default: derived from the type or the label."""


class NewLeadQuestion(TypedDict):
    """A question. `text` and `choice` need a `label`; for other types the platform has its own wording."""

    type: str
    """`text`, `choice` (one of `options`), or what is asked for: `full_name`, `first_name`, `last_name`, `email`,
    `phone`, `city`, `state`, `zip`, `country`, `street_address`, `date_of_birth`, `gender`, `company_name`,
    `job_title`, `work_email`, `work_phone_number` and other types of the platform, in lower case.
    """

    key: NotRequired[str | None]
    """The key of the answer in a lead. Default: derived from the type or the label."""

    label: NotRequired[str | None]
    """The question as people see it. Required for `text` and `choice`."""

    options: NotRequired[Sequence[NewLeadOption]]
    """The answers to choose from. Required for `choice`."""


class NewLeadThankYouPage(TypedDict):
    """What people see after submitting the form. The button opens `url`."""

    title: str
    """The heading."""

    body: NotRequired[str | None]
    """The text below it."""

    button_text: NotRequired[str | None]
    """What the button says."""

    url: NotRequired[str | None]
    """The page that the button opens."""


class NewMessageBody(TypedDict):
    """A message to send: to a conversation, or to a person with `to`."""

    conversation_id: NotRequired[str | None]
    """The conversation to write to, `conv_…`. Omit it if you send `to`."""

    to: NotRequired[str | None]
    """The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person."""

    text: NotRequired[str | None]
    """The text, or the caption of the file."""

    media: NotRequired[Sequence[MessageFile]]
    """The file to send, at most one."""

    reply_to: NotRequired[str | None]
    """The message to reply to: our id, or the platform's."""

    quick_replies: NotRequired[Sequence[ReplyButton]]
    """Replies to tap, shown until the person writes. Not every kind of account supports them."""

    buttons: NotRequired[Sequence[ReplyButton]]
    """Buttons below the text, on kinds of accounts that support them."""

    options: NotRequired[NewMessageBodyOptions]
    """See `messageOptions` of the kind in GET /platforms."""


class NewPost(TypedDict):
    """A post. Without `draft`, `publishNow`, `queue` or `scheduledFor` it is published immediately."""

    profile_id: str
    """The profile whose accounts it is published to, `prf_…`."""

    content: NotRequired[str]
    """The text. Each platform's own limit is checked."""

    media: NotRequired[Sequence[MediaRefLike]]
    """The files, in the order in which they are shown. A target can have others instead."""

    targets: NotRequired[Sequence[NewTargetLike]]
    """The accounts to publish to, each once. Only a draft can be without."""

    timezone: NotRequired[str | None]
    """The time zone of a `scheduledFor` without an offset."""

    first_comment: NotRequired[str | None]
    """A comment to add below the post once it is published, on platforms that allow it."""

    metadata: NotRequired[Mapping[str, Any] | None]
    """Your own data, at most 16 KiB of JSON; returned unchanged."""

    scheduled_for: NotRequired[str | None]
    """RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`."""

    publish_now: NotRequired[bool]
    """Publish it immediately. This is the default without `draft`, `queue` and `scheduledFor`."""

    draft: NotRequired[bool]
    """Store it without publishing or validating it. Publish it later with `PATCH /posts/{postId}`."""

    queue: NotRequired[bool]
    """Schedule it in the next free slot of the profile's queue."""


class NewProductBody(TypedDict):
    """A product to create. It replaces the product with the same `retailerId`."""

    title: str
    """The title that people see."""

    description: str
    """The description that people see."""

    price: PriceLike
    """The regular price."""

    sale_price: NotRequired[PriceLike | None]
    """The reduced price, in the same currency and not higher than `price`. Null: none."""

    availability: NotRequired[ProductAvailability]
    """Whether it can be bought."""

    condition: NotRequired[ProductCondition]
    """Whether it is new, refurbished or used."""

    brand: NotRequired[str | None]
    """The brand. TikTok requires it."""

    url: str
    """The page where people can see and buy it."""

    image_url: str
    """The URL of the main image, which the platform fetches."""

    additional_image_urls: NotRequired[Sequence[str]]
    """The URLs of more images."""

    group: NotRequired[str | None]
    """An id that the variants of one product share."""

    category: NotRequired[str | None]
    """A category of Google's product taxonomy."""

    ad_account_id: NotRequired[str | None]
    """The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
    that business.
    """

    catalog_id: str
    """The platform's id of the catalog to create it in."""

    retailer_id: str
    """Your own product id, such as a SKU."""


class NewProductSetBody(TypedDict):
    """A set to create. Without a filter it contains every product, on platforms that allow that."""

    ad_account_id: NotRequired[str | None]
    """The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
    that business.
    """

    catalog_id: str
    """The platform's id of the catalog."""

    name: str
    """The name of the set. At most 28 characters on TikTok."""

    filter: NotRequired[ProductFilterLike | None]
    """Which products it contains. By default all; TikTok requires at least one rule."""


class NewProfile(TypedDict):
    """A profile to create."""

    name: str
    """Shown in the console and in lists. Need not be unique."""

    description: NotRequired[str | None]
    """A note for your own use."""

    timezone: NotRequired[str]
    """IANA name such as `America/Sao_Paulo`. It applies to times without an offset."""

    fit: NotRequired[FitLike | None]
    """How files of its posts are made to fit a platform, for targets that do not say. Null: automatically."""


class NewReaction(TypedDict):
    """A reaction to a message; an empty emoji removes it."""

    msg_id: str
    """The message to react to: our id, or the platform's."""

    emoji: str
    """A single emoji. Empty removes the reaction."""


class NewSlot(TypedDict):
    """A time of the week at which the queue publishes."""

    profile_id: str
    """The profile of the queue."""

    weekday: NewSlotWeekday
    """The day of the week, in the time zone of the slot."""

    time: str
    """Local time of day in the time zone."""

    timezone: NotRequired[str | None]
    """IANA name. Unset: the profile's."""

    account_ids: NotRequired[Sequence[str]]
    """Only for posts to these accounts. Empty: all accounts."""


class NewTarget(TypedDict):
    """An account to publish to, and the overrides for it."""

    account_id: str
    """The account to publish to, `acc_…`. It must belong to the profile of the post."""

    content: NotRequired[str | None]
    """The text. Each platform's own limit is checked."""

    media: NotRequired[Sequence[MediaRefLike] | None]
    """Files for this account, instead of those of the post. Null: those of the post; empty: none."""

    options: NotRequired[NewTargetOptions]
    """See `options` of the kind in GET /platforms."""

    fit: NotRequired[FitLike | None]
    """How files are made to fit what the platform accepts. Null: as the profile says, otherwise automatically."""


class NewUploadLink(TypedDict):
    """What the file will be."""

    profile_id: NotRequired[str | None]
    """The profile that the file belongs to. Required for a key limited to several profiles."""

    file_name: NotRequired[str | None]
    """The name that the file gets."""


class OfferEnd(TypedDict):
    """When an offer ends, in milliseconds since 1970."""

    expiration_time_ms: int
    """In milliseconds since 1970, UTC."""


class OrderState(TypedDict):
    """The new status of an order that was sent with `order_details`."""

    reference_id: str
    """The `reference_id` of the order when it was sent."""

    order: Mapping[str, Any]
    """The new status, in WhatsApp's own format."""


class PasswordChange(TypedDict):
    """The current password and the new one."""

    current_password: str
    """The current password, to prove who you are."""

    new_password: str
    """The password to sign in with, 10 to 200 characters."""


class PixelEventBody(TypedDict):
    """Something that a person did. Platforms count an event with the same `name` and `id` only once, even if the pixel
    in the browser sent it too. Without an `id`, one is created; it stays the same when you repeat the request with its
    `Idempotency-Key`.
    """

    name: str
    """A standard event, or one of your own."""

    at: str | dt.datetime
    """When it happened. Platforms do not accept events that are too old."""

    id: NotRequired[str | None]
    """Your own id of the event, such as the id of an order. By default one is created."""

    source: NotRequired[PixelEventBodySource]
    """Where it happened."""

    url: NotRequired[str | None]
    """The page where it happened; required for `website`."""

    referrer: NotRequired[str | None]
    """The page that the person came from."""

    user: EventPerson
    """Who did it. At least one value is required."""

    value: NotRequired[MoneyLike | None]
    """What it was worth."""

    products: NotRequired[Sequence[EventProduct]]
    """The products that it is about."""

    order_id: NotRequired[str | None]
    """Your own id of the order."""

    search: NotRequired[str | None]
    """What the person searched for."""

    platform_options: NotRequired[Mapping[str, Any]]
    """Fields of the platform's own API that have no equivalent here, under its own names. Sent unchanged."""


class PixelEventsBody(TypedDict):
    """Events for one pixel."""

    ad_account_id: str
    """The id of an ad account, from `GET /adaccounts`."""

    pixel_id: str
    """The platform's id of the pixel."""

    events: Sequence[PixelEventBody]
    """The events, at most 1,000."""

    test_event_code: NotRequired[str | None]
    """Shows them among the platform's test events."""


class PlatformCondition(TypedDict):
    """It happened on one of these platforms."""

    type: Literal["platform"]
    """Always `platform`."""

    platforms: Sequence[PlatformInput]
    """The platforms, such as `meta`."""


class PostChanges(TypedDict):
    """What to change in a draft or a scheduled post. Omitted fields stay as they are."""

    content: NotRequired[str]
    """The text. Each platform's own limit is checked."""

    media: NotRequired[Sequence[MediaRefLike]]
    """Replaces all files of the post."""

    targets: NotRequired[Sequence[NewTargetLike]]
    """Replaces all targets of the post."""

    scheduled_for: NotRequired[str | None]
    """RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`."""

    timezone: NotRequired[str]
    """The time zone of a `scheduledFor` without an offset."""

    publish_now: NotRequired[bool]
    """Publish it immediately, whatever it was scheduled for."""

    first_comment: NotRequired[str | None]
    """A comment to add below the post. Null removes it."""

    metadata: NotRequired[Mapping[str, Any] | None]
    """Your own data, at most 16 KiB of JSON; returned unchanged."""


class PostTrigger(TypedDict):
    """A post was published on an account: one run for each account, when all targets of the post are finished."""

    type: Literal["post.published"]
    """Always `post.published`."""

    account_ids: NotRequired[Sequence[str]]
    """Only events on these accounts. Empty: all accounts of the profile."""


class Price(TypedDict):
    """Money: an integer in the currency's smallest unit. 9.99 USD is 999, 500 JPY is 500, 1.250 KWD is 1250."""

    amount: int
    """An integer in the currency's smallest unit: 9.99 USD is 999."""

    currency: str
    """ISO 4217 code, such as `USD`."""


class ProductBatchBody(TypedDict):
    """Changes to a catalog, each to a different product."""

    ad_account_id: NotRequired[str | None]
    """The ad account of the business that has the catalog. You can omit it if only one connected ad account belongs to
    that business.
    """

    catalog_id: str
    """The platform's id of the catalog."""

    items: Sequence[ProductChange]
    """The changes, at most 100,000."""


class ProductChange(TypedDict):
    """One change in a batch. `upsert` creates or replaces the product and needs all fields that a new one needs;
    `update` changes the given fields of an existing product; `delete` needs only the `retailerId`.
    """

    title: NotRequired[str | None]
    """The title that people see."""

    description: NotRequired[str | None]
    """The description that people see."""

    price: NotRequired[PriceLike | None]
    """The regular price."""

    sale_price: NotRequired[PriceLike | None]
    """The reduced price, in the same currency and not higher than `price`. Null: none."""

    availability: NotRequired[ProductAvailability | None]
    """Whether it can be bought."""

    condition: NotRequired[ProductCondition | None]
    """Whether it is new, refurbished or used."""

    brand: NotRequired[str | None]
    """The brand. TikTok requires it."""

    url: NotRequired[str | None]
    """The page where people can see and buy it."""

    image_url: NotRequired[str | None]
    """The URL of the main image, which the platform fetches."""

    additional_image_urls: NotRequired[Sequence[str]]
    """The URLs of more images."""

    group: NotRequired[str | None]
    """An id that the variants of one product share."""

    category: NotRequired[str | None]
    """A category of Google's product taxonomy."""

    method: NotRequired[ProductChangeMethod]
    """What to do with the product."""

    retailer_id: str
    """Your own product id, such as a SKU."""


class ProductFilter(TypedDict):
    """Rules: either `all` of them must match, or `any`."""

    join: NotRequired[ProductFilterJoin]
    """Whether `all` rules must match, or `any` of them."""

    rules: Sequence[FilterRuleLike]
    """The conditions that select products."""


class ProductSection(TypedDict):
    """Products with a common title."""

    product_items: Sequence[SectionProductLike]
    """The products, in order."""

    title: NotRequired[str | None]
    """A heading above the products."""


class ProfileChanges(TypedDict):
    """What to change. Omitted fields stay as they are."""

    name: NotRequired[str]
    """Shown in the console and in lists. Need not be unique."""

    description: NotRequired[str | None]
    """A note for your own use."""

    timezone: NotRequired[str]
    """IANA name such as `America/Sao_Paulo`. It applies to times without an offset."""

    fit: NotRequired[FitLike | None]
    """How files of its posts are made to fit a platform, for targets that do not say. Null: automatically."""


class QueuedPost(TypedDict):
    """A post for the queue, which chooses the time itself."""

    profile_id: str
    """The profile whose accounts it is published to, `prf_…`."""

    content: NotRequired[str]
    """The text. Each platform's own limit is checked."""

    media: NotRequired[Sequence[MediaRefLike]]
    """The files, in the order in which they are shown. A target can have others instead."""

    targets: NotRequired[Sequence[NewTargetLike]]
    """The accounts to publish to, each once. Only a draft can be without."""

    timezone: NotRequired[str | None]
    """The time zone of a `scheduledFor` without an offset."""

    first_comment: NotRequired[str | None]
    """A comment to add below the post once it is published, on platforms that allow it."""

    metadata: NotRequired[Mapping[str, Any] | None]
    """Your own data, at most 16 KiB of JSON; returned unchanged."""

    scheduled_for: NotRequired[str | None]
    """RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`."""

    publish_now: NotRequired[bool]
    """Publish it immediately. This is the default without `draft`, `queue` and `scheduledFor`."""

    draft: NotRequired[bool]
    """Store it without publishing or validating it. Publish it later with `PATCH /posts/{postId}`."""

    queue: NotRequired[bool]
    """Schedule it in the next free slot of the profile's queue."""


class ReadReceipt(TypedDict):
    """The message that was read; all earlier ones count as read too."""

    msg_id: str
    """The newest message that was read: our id, or the platform's."""


class Reconciliation(TypedDict):
    """Decide the outcome of unconfirmed targets. Without `findings` the platforms are asked again."""

    findings: NotRequired[Sequence[ReconciliationFinding]]
    """What you found, for each unconfirmed target that you checked yourself."""


class ReconciliationFinding(TypedDict):
    """What a person found on the platform."""

    account_id: str
    """The target that it is about, `acc_…`."""

    published: bool
    """Whether the post is on the platform."""

    platform_post_id: NotRequired[str | None]
    """The platform's own id of the post, if it is there and you know it."""

    url: NotRequired[str | None]
    """The public URL of the post, if it is there and you know it."""


class Registration(TypedDict):
    """A new owner and its first user."""

    email: str
    """The email address to sign in with. Case is ignored."""

    password: str
    """The password to sign in with, 10 to 200 characters."""

    name: NotRequired[str | None]
    """The name of the person. The owner gets the same name, or the email address if you omit it."""


class Reply(TypedDict):
    """Reply in the same place: in the conversation, publicly below the comment, or as a comment below the post."""

    type: Literal["reply"]
    """Always `reply`."""

    text: str
    """With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback."""


class ReplyButton(TypedDict):
    """A reply that the person can tap, or with `url` a link to open."""

    title: str
    """What the button says."""

    id: NotRequired[str | None]
    """What comes back in the `data` of the reply when the person taps it. By default the title."""

    url: NotRequired[str | None]
    """A link to open instead of sending a reply."""


class SampleContact(TypedDict):
    """The contact of the sample."""

    id: NotRequired[str]
    """The platform's id of the person."""

    name: NotRequired[str | None]
    """The display name, for `{{contact.name}}`."""

    username: NotRequired[str | None]
    """The handle, for `{{contact.username}}`."""

    phone: NotRequired[str | None]
    """The phone number in E.164 format, for `{{contact.phone}}`."""


class SampleEvent(TypedDict):
    """A sample event. Without an account, the first account of the trigger is used."""

    account_id: NotRequired[str | None]
    """The account on which it happens, `acc_…`."""

    text: NotRequired[str]
    """The text of the message or comment."""

    contact: NotRequired[SampleContact]
    """The person who triggers it."""

    at: NotRequired[str | dt.datetime | None]
    """When it happens. Unset: now."""

    fields: NotRequired[Mapping[str, SampleEventFieldsItem | None]]
    """Other fields of the trigger, by their dotted names."""


class ScheduleTrigger(TypedDict):
    """At these times of day in the profile's time zone, on these days: one run for each account.

    If times were missed while the service was down, it runs once when the service is back.
    """

    type: Literal["schedule"]
    """Always `schedule`."""

    account_ids: Sequence[str]
    """The accounts to run on, `acc_…`: one run for each."""

    times: Sequence[str]
    """Times of day in the profile's time zone, such as `09:30`."""

    weekdays: NotRequired[Sequence[ScheduleTriggerWeekdays]]
    """The days of the week. Empty: every day."""


class SecretRotation(TypedDict):
    """A new secret, and how long the previous one stays valid."""

    secret: NotRequired[str | None]
    """The key of the signatures: 16 to 256 printable ASCII characters. By default one is generated."""

    overlap_seconds: NotRequired[int]
    """How long `webhook-signature` also contains a signature with the old secret. `X-Service-Signature` uses the new
    one immediately.
    """


class SectionProduct(TypedDict):
    """A product in a section, by your own id."""

    product_retailer_id: str
    """Your own id of the product."""


class SendMessageAction(TypedDict):
    """Send a message to the contact, or to another recipient.

    The author of a comment on Facebook or Instagram gets it as a private reply, once for each comment.
    """

    type: Literal["sendMessage"]
    """Always `sendMessage`."""

    text: str
    """With placeholders such as `{{contact.name}}`, or `{{contact.name|there}}` with a fallback."""

    account_id: NotRequired[str | None]
    """The account that sends it. Unset: the account on which the trigger fired."""

    to: NotRequired[str | None]
    """A phone number in E.164 format on WhatsApp, otherwise the platform's id of the person. Unset: the contact."""


class SendTemplateAction(TypedDict):
    """Send an approved WhatsApp template to the contact, or to another recipient. It needs no open window."""

    type: Literal["sendTemplate"]
    """Always `sendTemplate`."""

    template: TemplateLike
    """The template to send, and the values of its placeholders."""

    account_id: NotRequired[str | None]
    """The account that sends it. Unset: the account on which the trigger fired."""

    to: NotRequired[str | None]
    """The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person."""


class SetLeadStateAction(TypedDict):
    """Set the state of the lead and who is responsible for it. If omitted, `note` and `assignee` keep their values."""

    type: Literal["setLeadState"]
    """Always `setLeadState`."""

    state: LeadStateNameInput
    """The new state."""

    assignee: NotRequired[str]
    """Who is responsible for it; any text."""

    note: NotRequired[str]
    """A note for your team."""


class SlotChanges(TypedDict):
    """What to change. Omitted fields stay as they are."""

    weekday: NotRequired[SlotChangesWeekday]
    """The new day of the week."""

    time: NotRequired[str]
    """Local time of day in the time zone."""

    timezone: NotRequired[str]
    """The new time zone, as an IANA name."""

    account_ids: NotRequired[Sequence[str]]
    """Only for posts to these accounts. Empty: all accounts."""


class StopAction(TypedDict):
    """End the run here. The actions after it do not run."""

    type: Literal["stop"]
    """Always `stop`."""


class TapTarget(TypedDict):
    """What opens when somebody taps the message, with the title that is shown for it."""

    url: str
    """The page that opens."""

    title: str
    """What is shown for the link."""


class TelegramBotMessageOptions(TypedDict):
    """TelegramBotMessageOptions"""

    kind: NotRequired[Literal["telegram_bot"]]
    """The kind of the account. The service accepts none."""

    parse_mode: NotRequired[TelegramBotMessageOptionsParseMode]
    """The markup of the text; plain by default."""

    disable_notification: NotRequired[bool]
    """Send without a notification sound."""

    protect_content: NotRequired[bool]
    """Forbid forwarding and saving."""

    disable_link_preview: NotRequired[bool]
    """Do not show a link preview."""


class TelegramBotOptions(TypedDict):
    """TelegramBotOptions"""

    kind: NotRequired[Literal["telegram_bot"]]
    """The kind of the account. The service accepts none."""

    chat_id: str
    """The channel or group to post to: its @username or its number. The bot must be an administrator there who may
    post.
    """

    form: NotRequired[Literal["document"]]
    """Send images and videos as files, without compression."""

    parse_mode: NotRequired[TelegramBotOptionsParseMode]
    """The markup of the text; plain by default."""

    disable_notification: NotRequired[bool]
    """Post without a notification sound."""

    protect_content: NotRequired[bool]
    """Forbid forwarding and saving."""

    disable_link_preview: NotRequired[bool]
    """Do not show a link preview."""

    caption_above_media: NotRequired[bool]
    """Put the text above photos and videos."""

    message_thread_id: NotRequired[int]
    """The topic of a forum group."""

    reply_to_message_id: NotRequired[int]
    """The message in the chat to reply to."""

    buttons: NotRequired[Sequence[Sequence[TelegramBotOptionsButtonsItemItem]]]
    """Rows of buttons below the message, each a list of buttons with `text` and either `url` or `callbackData`."""


class TelegramBotOptionsButtonsItemItem(TypedDict):
    """TelegramBotOptionsButtonsItemItem"""

    text: str
    """The label of the button."""

    url: NotRequired[str]
    """The URL that it opens."""

    callback_data: NotRequired[str]
    """The data sent to us when it is pressed, at most 64 bytes."""


class TelegramConnection(TypedDict):
    """A Telegram bot."""

    profile_id: str
    """The profile that the account will belong to."""

    bot_token: str
    """The token from BotFather."""


class Template(TypedDict):
    """An approved template. `components` contains the values of its placeholders, in WhatsApp's own format."""

    name: str
    """The name of the template, from `GET /accounts/{accountId}/whatsapp/templates`."""

    language: str
    """The language code of the template, such as `en_US`."""

    components: NotRequired[Sequence[TemplateComponentsItem]]
    """One object for each part of the template that needs a value."""


class TemplateAction(TypedDict):
    """The action of a button that opens a flow, a catalog, products, or an order to pay."""

    type: Literal["action"]
    """Always `action`."""

    action: ButtonActionLike
    """What the button opens."""


class TemplateBody(TypedDict):
    """The placeholders of the text: all in order, or each with its `parameter_name`."""

    type: Literal["body"]
    """Always `body`."""

    parameters: NotRequired[Sequence[TemplateBodyParametersItem]]
    """The values of the placeholders."""


class TemplateButton(TypedDict):
    """A button: `url` takes a text, `quick_reply` a payload, `copy_code` a coupon code, `voice_call` minutes and a
    payload, and the others an action.
    """

    type: Literal["button"]
    """Always `button`."""

    sub_type: TemplateButtonSubType
    """What kind of button it is in the template."""

    index: TemplateButtonIndex
    """The position of the button in the template, from 0."""

    parameters: NotRequired[Sequence[TemplateButtonParametersItem]]
    """The value of the button."""


class TemplateCallTime(TypedDict):
    """For how many minutes a button can be used to call."""

    type: Literal["ttl_minutes"]
    """Always `ttl_minutes`."""

    ttl_minutes: int
    """In minutes; at most 30 days."""


class TemplateCard(TypedDict):
    """A card of a carousel. `card_index` is its position in the template, from 0."""

    card_index: int
    """The position of the card in the template, from 0."""

    components: NotRequired[Sequence[TemplateCardComponentsItem]]
    """The values of the card: its header, body and buttons."""


class TemplateCarousel(TypedDict):
    """The cards of a carousel, all that the template has."""

    type: Literal["carousel"]
    """Always `carousel`."""

    cards: Sequence[TemplateCardLike]
    """The cards, as many as the template has."""


class TemplateCouponCode(TypedDict):
    """The code that a button copies."""

    type: Literal["coupon_code"]
    """Always `coupon_code`."""

    coupon_code: str
    """The code to copy."""


class TemplateCurrency(TypedDict):
    """An amount for a placeholder."""

    type: Literal["currency"]
    """Always `currency`."""

    currency: CurrencyAmountLike
    """The amount, and how it is shown."""

    parameter_name: NotRequired[str | None]
    """The name of the placeholder, if the template has named ones."""


class TemplateDateTime(TypedDict):
    """A time for a placeholder."""

    type: Literal["date_time"]
    """Always `date_time`."""

    date_time: DisplayDateTimeLike
    """The time, as the person sees it."""

    parameter_name: NotRequired[str | None]
    """The name of the placeholder, if the template has named ones."""


class TemplateDocument(TypedDict):
    """The document of a header."""

    type: Literal["document"]
    """Always `document`."""

    document: TemplateFileLike
    """The document to attach, by its URL or id."""


class TemplateFile(TypedDict):
    """A file: its URL, or WhatsApp's id of it. `filename` is for documents."""

    link: NotRequired[str | None]
    """Where WhatsApp fetches the file: a public URL."""

    id: NotRequired[str | None]
    """WhatsApp's id of an uploaded file, instead of `link`."""

    filename: NotRequired[str | None]
    """The name that people see, for documents."""


class TemplateGif(TypedDict):
    """The animation of a header."""

    type: Literal["gif"]
    """Always `gif`."""

    gif: TemplateFileLike
    """The animation, as an MP4 video."""


class TemplateHeader(TypedDict):
    """The header: the placeholder of its text, or its file, location or product."""

    type: Literal["header"]
    """Always `header`."""

    parameters: NotRequired[Sequence[TemplateHeaderParametersItem]]
    """The value of the header."""


class TemplateImage(TypedDict):
    """The image of a header."""

    type: Literal["image"]
    """Always `image`."""

    image: TemplateFileLike
    """The image to show, by its URL or id."""


class TemplateLimitedTimeOffer(TypedDict):
    """The offer, for a template that has one."""

    type: Literal["limited_time_offer"]
    """Always `limited_time_offer`."""

    parameters: Sequence[TemplateOfferEndLike]
    """When the offer ends, exactly one."""


class TemplateLocation(TypedDict):
    """The location of a header."""

    type: Literal["location"]
    """Always `location`."""

    location: TemplatePlaceLike
    """The location to show on a map."""


class TemplateOfferEnd(TypedDict):
    """When the offer of a template ends."""

    type: Literal["limited_time_offer"]
    """Always `limited_time_offer`."""

    limited_time_offer: OfferEndLike
    """When the offer ends."""


class TemplateOrderState(TypedDict):
    """The order that a template is about."""

    type: Literal["order_status"]
    """Always `order_status`."""

    order_status: OrderStateLike
    """The order and its new status."""


class TemplateOrderStatus(TypedDict):
    """The status of an order, for a template that reports it."""

    type: Literal["order_status"]
    """Always `order_status`."""

    parameters: Sequence[TemplateOrderStateLike]
    """The order and its new status, exactly one."""


class TemplatePayload(TypedDict):
    """What you receive when somebody presses a quick reply."""

    type: Literal["payload"]
    """Always `payload`."""

    payload: str
    """Comes back in the `data` of the reply when the person taps the button."""


class TemplatePlace(TypedDict):
    """A location on the map."""

    latitude: float
    """In degrees; north is positive."""

    longitude: float
    """In degrees; east is positive."""

    name: NotRequired[str | None]
    """The name of the place."""

    address: NotRequired[str | None]
    """The address of the place."""


class TemplateProduct(TypedDict):
    """The product of a header."""

    type: Literal["product"]
    """Always `product`."""

    product: CatalogProductLike
    """The product of the catalog to show."""


class TemplateTapTarget(TypedDict):
    """What opens when somebody taps the message."""

    type: Literal["tap_target_configuration"]
    """Always `tap_target_configuration`."""

    tap_target_configuration: Sequence[TapTargetLike]
    """The page that opens, exactly one."""


class TemplateTapTargets(TypedDict):
    """What opens when somebody taps the message, for a template with an image."""

    type: Literal["tap_target_configuration"]
    """Always `tap_target_configuration`."""

    parameters: Sequence[TemplateTapTargetLike]
    """What opens, exactly one."""


class TemplateText(TypedDict):
    """A text for a placeholder; for a button with a URL, the end of the URL."""

    type: Literal["text"]
    """Always `text`."""

    text: str
    """The value of the placeholder."""

    parameter_name: NotRequired[str | None]
    """The name of the placeholder, if the template has named ones."""


class TemplateVideo(TypedDict):
    """The video of a header."""

    type: Literal["video"]
    """Always `video`."""

    video: TemplateFileLike
    """The video to show, by its URL or id."""


class ThreadsOptions(TypedDict):
    """ThreadsOptions"""

    kind: NotRequired[Literal["threads"]]
    """The kind of the account. The service accepts none."""

    reply_control: NotRequired[ThreadsOptionsReplyControl]
    """Who may reply."""

    thread: NotRequired[Sequence[str]]
    """Texts that follow the post, each as a reply to the previous one."""

    topic_tag: NotRequired[str]
    """The topic of the post, without #, up to 50 characters, without . and &."""

    location_id: NotRequired[str]
    """The id of a place on Threads. Needs the permission threads_location_tagging."""

    reply_to_id: NotRequired[str]
    """The post or reply to reply to."""

    quote_post_id: NotRequired[str]
    """The post to quote."""

    link_attachment: NotRequired[str]
    """The URL of a link card. Only for text posts; not with a poll."""

    poll: NotRequired[Sequence[str]]
    """The choices, only for text posts; up to 25 characters each."""

    text_attachment: NotRequired[ThreadsOptionsTextAttachment]
    """A longer text below the post. Only for text posts; not with a poll."""

    gif: NotRequired[ThreadsOptionsGif]
    """An animated GIF from a provider, only for text posts."""

    is_ghost_post: NotRequired[bool]
    """The post disappears after 24 hours. Only for text posts."""

    is_spoiler_media: NotRequired[bool]
    """Hides the media until it is tapped."""

    spoilers: NotRequired[Sequence[ThreadsOptionsSpoilersItem]]
    """Parts of the text that are hidden until they are tapped."""

    countries: NotRequired[Sequence[str]]
    """The countries in which it can be seen, as ISO 3166 codes. Only for profiles with this feature."""


class ThreadsOptionsGif(TypedDict):
    """An animated GIF from a provider, only for text posts."""

    gif_id: str
    """The provider's id of the GIF."""

    provider: str
    """The provider of the GIF, such as TENOR."""


class ThreadsOptionsSpoilersItem(TypedDict):
    """ThreadsOptionsSpoilersItem"""

    offset: int
    """Index of the first character."""

    length: int
    """How many characters are hidden."""


class ThreadsOptionsTextAttachment(TypedDict):
    """A longer text below the post. Only for text posts; not with a poll."""

    plaintext: str
    """The attached text."""

    link_attachment_url: NotRequired[str]
    """A URL that is shown below the attached text."""


class TiktokOptions(TypedDict):
    """TiktokOptions"""

    kind: NotRequired[Literal["tiktok"]]
    """The kind of the account. The service accepts none."""

    privacy_level: NotRequired[TiktokOptionsPrivacyLevel]
    """Who can see it: one of the levels that the account offers. TikTok does not allow a default."""

    mode: NotRequired[TiktokOptionsMode]
    """A draft goes to the inbox of the TikTok app and is finished there."""

    source: NotRequired[TiktokOptionsSource]
    """Videos only. With `url` TikTok fetches the video itself, from a domain that is verified in the app."""

    title: NotRequired[str]
    """The title of photos."""

    description: NotRequired[str]
    """The text of photos, in UTF-16 units; the text of the post by default."""

    disable_comment: NotRequired[bool]
    """Disable comments."""

    disable_duet: NotRequired[bool]
    """Disable duets. Videos only."""

    disable_stitch: NotRequired[bool]
    """Disable stitches. Videos only."""

    cover_timestamp_ms: NotRequired[int]
    """The frame of the video that is its cover. Videos only."""

    photo_cover_index: NotRequired[int]
    """Which of the photos is the cover, counted from 0."""

    auto_add_music: NotRequired[bool]
    """Have TikTok add music. Photos only."""

    branded_content: NotRequired[bool]
    """Marks a paid partnership; never private."""

    own_brand: NotRequired[bool]
    """Promotes the creator's own business."""

    ai_generated: NotRequired[bool]
    """Have TikTok label it as AI-generated. Videos only."""


class TimeWindowCondition(TypedDict):
    """The time is between two times of day in the profile's time zone, on one of these days.

    A window that ends earlier than it starts spans midnight and belongs to the day on which it starts.
    """

    type: Literal["timeWindow"]
    """Always `timeWindow`."""

    begin: str
    """Local time of day in the time zone."""

    end: str
    """Local time of day in the time zone."""

    weekdays: NotRequired[Sequence[TimeWindowConditionWeekdays]]
    """The days of the week. Empty: every day."""


class Trim(TypedDict):
    """The part of a video or sound to publish."""

    start: NotRequired[float]
    """Where it starts, in seconds."""

    end: NotRequired[float | None]
    """Where it ends, in seconds. Null: at its end."""


class VideoGenerationBody(TypedDict):
    """A video to generate. This takes several minutes."""

    model: NotRequired[str | None]
    """A model from `GET /ai/models`. Unset: the operator's default for this type."""

    profile_id: NotRequired[str | None]
    """The profile that the generation and its files belong to. Required for a key limited to several profiles."""

    prompt: str
    """What to generate, in your own words."""

    seconds: NotRequired[int | None]
    """Length of the video. OpenAI's models accept 4, 8 or 12."""

    aspect_ratio: NotRequired[VideoGenerationBodyAspectRatio | None]
    """Landscape or portrait. By default the model decides."""

    image_media_id: NotRequired[str | None]
    """An image for the first frame, with the size of the video."""


class WaitAction(TypedDict):
    """Continue later: after one minute to 30 days. Waits survive restarts."""

    type: Literal["wait"]
    """Always `wait`."""

    amount: int
    """How long to wait, in `unit`. At most 30 days in total."""

    unit: NotRequired[WaitActionUnit]
    """What `amount` counts."""


class WasenderConnection(TypedDict):
    """A WhatsApp number to pair by QR code, through WaSender."""

    profile_id: str
    """The profile that the account will belong to."""

    name: str
    """Display name, also of the session at WaSender."""

    phone_number: str
    """The number to pair, such as +51987654321."""

    access_token: NotRequired[str | None]
    """A WaSender personal access token. If not set, the service uses its own."""


class WhatsappCloudConnection(TypedDict):
    """A WhatsApp Cloud API number."""

    profile_id: str
    """The profile that the account will belong to."""

    phone_number_id: str
    """The ID of the number at Meta, which is not the number itself."""

    waba_id: str
    """The ID of the WhatsApp Business Account at Meta."""

    access_token: str
    """A system user's token with both WhatsApp permissions."""

    app_secret: str
    """The secret of the Meta app that sends the webhooks."""

    pin: NotRequired[str | None]
    """Six digits of your choice, if the number is not registered yet."""


class WhatsappCloudMessageOptions(TypedDict):
    """WhatsappCloudMessageOptions"""

    kind: NotRequired[Literal["whatsapp_cloud"]]
    """The kind of the account. The service accepts none."""

    preview_url: NotRequired[bool]
    """Show a preview of the first URL in the text. Default: true if it has a URL."""


class WhatsappMessage(TypedDict):
    """A message of one type, with the field of that type. With files, `text` is the caption."""

    to: str
    """The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person."""

    type: WhatsappMessageType
    """What to send. The field of that type is required; `image`, `video`, `audio`, `document` and `sticker` need
    `media`.
    """

    text: NotRequired[str | None]
    """The text, or the caption of a file."""

    template: NotRequired[TemplateLike | None]
    """For `template`: which one, and the values of its placeholders."""

    media: NotRequired[MessageFile | None]
    """For files: which one."""

    location: NotRequired[Location | None]
    """For `location`: the place to send."""

    contacts: NotRequired[Sequence[ContactCard] | None]
    """For `contacts`: the cards to send."""

    interactive: NotRequired[InteractiveMessage | None]
    """For `interactive`: a text with buttons or a list."""

    reaction: NotRequired[NewReaction | None]
    """For `reaction`: which message, and the emoji."""

    read: NotRequired[ReadReceipt | None]
    """For `read`: marks messages of the person as read, and sends nothing."""

    reply_to: NotRequired[str | None]
    """The message to reply to: our id, or the platform's."""


class WhatsappQrMessageOptions(TypedDict):
    """WhatsappQrMessageOptions"""

    kind: NotRequired[Literal["whatsapp_qr"]]
    """The kind of the account. The service accepts none."""

    view_once: NotRequired[bool]
    """Let the image or video be viewed only once."""


class WhatsappQrOptions(TypedDict):
    """WhatsappQrOptions"""

    kind: NotRequired[Literal["whatsapp_qr"]]
    """The kind of the account. The service accepts none."""


class YoutubeOptions(TypedDict):
    """YoutubeOptions"""

    kind: NotRequired[Literal["youtube"]]
    """The kind of the account. The service accepts none."""

    title: str
    """The title of the video. The text of the post becomes its description."""

    tags: NotRequired[Sequence[str]]
    """Search keywords, at most 500 characters in total."""

    category_id: NotRequired[str]
    """The number of a YouTube category; 22 is People & Blogs."""

    privacy_status: NotRequired[YoutubeOptionsPrivacyStatus]
    """Who can see it."""

    publish_at: NotRequired[str | dt.datetime]
    """When YouTube makes a private video public."""

    made_for_kids: NotRequired[bool]
    """Whether it is made for kids."""

    contains_synthetic_media: NotRequired[bool]
    """Whether it contains realistic altered or synthetic content."""

    embeddable: NotRequired[bool]
    """Whether other sites may embed it."""

    license: NotRequired[YoutubeOptionsLicense]
    """The license."""

    public_stats_viewable: NotRequired[bool]
    """Whether everyone can see its statistics."""

    notify_subscribers: NotRequired[bool]
    """Whether subscribers are notified."""

    default_language: NotRequired[str]
    """The language of the title and description, such as `en`."""

    default_audio_language: NotRequired[str]
    """The spoken language, such as `en`."""

    recording_date: NotRequired[str | dt.datetime]
    """When it was recorded."""


AccountConditionLike: TypeAlias = Union[AccountCondition, types.AccountCondition]

AdBidLike: TypeAlias = Union[AdBid, types.AdBid]

AdBudgetLike: TypeAlias = Union[AdBudget, types.AdBudget]

AdPromotionLike: TypeAlias = Union[AdPromotion, types.AdPromotion]

AdScheduleLike: TypeAlias = Union[AdSchedule, types.AdSchedule]

AdTargetingLike: TypeAlias = Union[AdTargeting, types.AdTargeting]

AiReplyActionLike: TypeAlias = Union[AiReplyAction, types.AiReplyAction]

ButtonActionLike: TypeAlias = Union[ButtonAction, types.ButtonAction]

CallHookActionLike: TypeAlias = Union[CallHookAction, types.CallHookAction]

CatalogProductLike: TypeAlias = Union[CatalogProduct, types.CatalogProduct]

CommentTriggerLike: TypeAlias = Union[CommentTrigger, types.CommentTrigger]

ConversationTriggerLike: TypeAlias = Union[ConversationTrigger, types.ConversationTrigger]

ConversionRuleLike: TypeAlias = Union[ConversionRule, types.ConversionRule]

CurrencyAmountLike: TypeAlias = Union[CurrencyAmount, types.CurrencyAmount]

DisplayDateTimeLike: TypeAlias = Union[DisplayDateTime, types.DisplayDateTime]

EventReminderLike: TypeAlias = Union[EventReminder, types.EventReminder]

EventRemindersLike: TypeAlias = Union[EventReminders, types.EventReminders]

FieldConditionLike: TypeAlias = Union[FieldCondition, types.FieldCondition]

FilterRuleLike: TypeAlias = Union[FilterRule, types.FilterRule]

FirstTimeConditionLike: TypeAlias = Union[FirstTimeCondition, types.FirstTimeCondition]

FitLike: TypeAlias = Union[Fit, types.Fit]

FocusPointLike: TypeAlias = Union[FocusPoint, types.FocusPoint]

HideCommentActionLike: TypeAlias = Union[HideCommentAction, types.HideCommentAction]

KeywordConditionLike: TypeAlias = Union[KeywordCondition, types.KeywordCondition]

LeadTriggerLike: TypeAlias = Union[LeadTrigger, types.LeadTrigger]

LinkBrandLike: TypeAlias = Union[LinkBrand, types.LinkBrand]

MediaRefLike: TypeAlias = Union[MediaRef, str, types.MediaItem]

MessageTriggerLike: TypeAlias = Union[MessageTrigger, types.MessageTrigger]

MoneyLike: TypeAlias = Union[Money, types.Money]

NewTargetLike: TypeAlias = Union[NewTarget, str, types.Account]

OfferEndLike: TypeAlias = Union[OfferEnd, types.OfferEnd]

OrderStateLike: TypeAlias = Union[OrderState, types.OrderState]

PlatformConditionLike: TypeAlias = Union[PlatformCondition, types.PlatformCondition]

PostTriggerLike: TypeAlias = Union[PostTrigger, types.PostTrigger]

PriceLike: TypeAlias = Union[Price, types.Price]

ProductFilterLike: TypeAlias = Union[ProductFilter, types.ProductFilter]

ProductSectionLike: TypeAlias = Union[ProductSection, types.ProductSection]

ReplyLike: TypeAlias = Union[Reply, types.Reply]

ScheduleTriggerLike: TypeAlias = Union[ScheduleTrigger, types.ScheduleTrigger]

SectionProductLike: TypeAlias = Union[SectionProduct, types.SectionProduct]

SendMessageActionLike: TypeAlias = Union[SendMessageAction, types.SendMessageAction]

SendTemplateActionLike: TypeAlias = Union[SendTemplateAction, types.SendTemplateAction]

SetLeadStateActionLike: TypeAlias = Union[SetLeadStateAction, types.SetLeadStateAction]

StopActionLike: TypeAlias = Union[StopAction, types.StopAction]

TapTargetLike: TypeAlias = Union[TapTarget, types.TapTarget]

TemplateLike: TypeAlias = Union[Template, types.Template]

TemplateActionLike: TypeAlias = Union[TemplateAction, types.TemplateAction]

TemplateBodyLike: TypeAlias = Union[TemplateBody, types.TemplateBody]

TemplateButtonLike: TypeAlias = Union[TemplateButton, types.TemplateButton]

TemplateCallTimeLike: TypeAlias = Union[TemplateCallTime, types.TemplateCallTime]

TemplateCardLike: TypeAlias = Union[TemplateCard, types.TemplateCard]

TemplateCarouselLike: TypeAlias = Union[TemplateCarousel, types.TemplateCarousel]

TemplateCouponCodeLike: TypeAlias = Union[TemplateCouponCode, types.TemplateCouponCode]

TemplateCurrencyLike: TypeAlias = Union[TemplateCurrency, types.TemplateCurrency]

TemplateDateTimeLike: TypeAlias = Union[TemplateDateTime, types.TemplateDateTime]

TemplateDocumentLike: TypeAlias = Union[TemplateDocument, types.TemplateDocument]

TemplateFileLike: TypeAlias = Union[TemplateFile, types.TemplateFile]

TemplateGifLike: TypeAlias = Union[TemplateGif, types.TemplateGif]

TemplateHeaderLike: TypeAlias = Union[TemplateHeader, types.TemplateHeader]

TemplateImageLike: TypeAlias = Union[TemplateImage, types.TemplateImage]

TemplateLimitedTimeOfferLike: TypeAlias = Union[TemplateLimitedTimeOffer, types.TemplateLimitedTimeOffer]

TemplateLocationLike: TypeAlias = Union[TemplateLocation, types.TemplateLocation]

TemplateOfferEndLike: TypeAlias = Union[TemplateOfferEnd, types.TemplateOfferEnd]

TemplateOrderStateLike: TypeAlias = Union[TemplateOrderState, types.TemplateOrderState]

TemplateOrderStatusLike: TypeAlias = Union[TemplateOrderStatus, types.TemplateOrderStatus]

TemplatePayloadLike: TypeAlias = Union[TemplatePayload, types.TemplatePayload]

TemplatePlaceLike: TypeAlias = Union[TemplatePlace, types.TemplatePlace]

TemplateProductLike: TypeAlias = Union[TemplateProduct, types.TemplateProduct]

TemplateTapTargetLike: TypeAlias = Union[TemplateTapTarget, types.TemplateTapTarget]

TemplateTapTargetsLike: TypeAlias = Union[TemplateTapTargets, types.TemplateTapTargets]

TemplateTextLike: TypeAlias = Union[TemplateText, types.TemplateText]

TemplateVideoLike: TypeAlias = Union[TemplateVideo, types.TemplateVideo]

TimeWindowConditionLike: TypeAlias = Union[TimeWindowCondition, types.TimeWindowCondition]

TrimLike: TypeAlias = Union[Trim, types.Trim]

WaitActionLike: TypeAlias = Union[WaitAction, types.WaitAction]

AutomationAction: TypeAlias = Union[
    ReplyLike,
    HideCommentActionLike,
    SendMessageActionLike,
    SendTemplateActionLike,
    SetLeadStateActionLike,
    AiReplyActionLike,
    CallHookActionLike,
    WaitActionLike,
    StopActionLike,
]

AutomationCondition: TypeAlias = Union[
    KeywordConditionLike,
    AccountConditionLike,
    PlatformConditionLike,
    TimeWindowConditionLike,
    FirstTimeConditionLike,
    FieldConditionLike,
]

AutomationTrigger: TypeAlias = Union[
    PostTriggerLike,
    CommentTriggerLike,
    MessageTriggerLike,
    ConversationTriggerLike,
    LeadTriggerLike,
    ScheduleTriggerLike,
]

FieldConditionValue: TypeAlias = Union[str, float, bool]

NewMessageBodyOptions: TypeAlias = Union[
    FacebookPageMessageOptions,
    InstagramMessageOptions,
    TelegramBotMessageOptions,
    WhatsappCloudMessageOptions,
    WhatsappQrMessageOptions,
]

NewTargetOptions: TypeAlias = Union[
    FacebookPageOptions,
    GoogleBusinessOptions,
    InstagramOptions,
    TelegramBotOptions,
    ThreadsOptions,
    TiktokOptions,
    WhatsappQrOptions,
    YoutubeOptions,
]

SampleEventFieldsItem: TypeAlias = Union[str, float, bool]

TemplateBodyParametersItem: TypeAlias = Union[TemplateTextLike, TemplateCurrencyLike, TemplateDateTimeLike]

TemplateButtonIndex: TypeAlias = Union[int, str]

TemplateButtonParametersItem: TypeAlias = Union[
    TemplateTextLike, TemplatePayloadLike, TemplateCouponCodeLike, TemplateActionLike, TemplateCallTimeLike
]

TemplateCardComponentsItem: TypeAlias = Union[TemplateHeaderLike, TemplateBodyLike, TemplateButtonLike]

TemplateComponentsItem: TypeAlias = Union[
    TemplateHeaderLike,
    TemplateBodyLike,
    TemplateButtonLike,
    TemplateCarouselLike,
    TemplateLimitedTimeOfferLike,
    TemplateOrderStatusLike,
    TemplateTapTargetsLike,
]

TemplateHeaderParametersItem: TypeAlias = Union[
    TemplateTextLike,
    TemplateCurrencyLike,
    TemplateDateTimeLike,
    TemplateImageLike,
    TemplateVideoLike,
    TemplateGifLike,
    TemplateDocumentLike,
    TemplateLocationLike,
    TemplateProductLike,
]
