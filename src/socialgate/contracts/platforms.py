"""What each platform and kind of account can do. `GET /platforms`, validation and the docs use the manifests."""

from collections.abc import Callable, Collection, Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import msgspec

from socialgate.contracts.metrics import NO_METRICS, MetricTable
from socialgate.contracts.template_components import Template
from socialgate.core.errors import Fault
from socialgate.core.quotas import QuotaBudget

P = TypeVar("P")


class Platform(StrEnum):
    META = "meta"
    THREADS = "threads"
    TIKTOK = "tiktok"
    TIKTOKADS = "tiktokads"
    GOOGLE = "google"
    WASENDER = "wasender"
    WHATSAPP_CLOUD = "whatsapp-cloud"
    TELEGRAM = "telegram"


class DeploymentVendor(StrEnum):
    """A vendor that the deployment itself uses. Nobody connects accounts there."""

    STRIPE = "stripe"


class Kind(StrEnum):
    FACEBOOK_PAGE = "facebook_page"
    INSTAGRAM = "instagram"
    THREADS = "threads"
    TIKTOK = "tiktok"
    YOUTUBE = "youtube"
    GOOGLE_BUSINESS = "google_business"
    GOOGLE_CALENDAR = "google_calendar"
    WHATSAPP_QR = "whatsapp_qr"
    WHATSAPP_CLOUD = "whatsapp_cloud"
    TELEGRAM_BOT = "telegram_bot"
    META_ADS = "meta_ads"
    TIKTOK_ADS = "tiktok_ads"


AD_KINDS = frozenset({Kind.META_ADS, Kind.TIKTOK_ADS})
# The kinds as types of the API: ad accounts have a separate list, so each list only accepts its own kinds.
AccountKind = Literal[
    "facebook_page",
    "instagram",
    "threads",
    "tiktok",
    "youtube",
    "google_business",
    "google_calendar",
    "whatsapp_qr",
    "whatsapp_cloud",
    "telegram_bot",
]
AdAccountKind = Literal["meta_ads", "tiktok_ads"]


class TextKind(StrEnum):
    """The kinds of accounts that accept texts, unlike ad accounts and calendars."""

    FACEBOOK_PAGE = Kind.FACEBOOK_PAGE
    INSTAGRAM = Kind.INSTAGRAM
    THREADS = Kind.THREADS
    TIKTOK = Kind.TIKTOK
    YOUTUBE = Kind.YOUTUBE
    GOOGLE_BUSINESS = Kind.GOOGLE_BUSINESS
    WHATSAPP_QR = Kind.WHATSAPP_QR
    WHATSAPP_CLOUD = Kind.WHATSAPP_CLOUD
    TELEGRAM_BOT = Kind.TELEGRAM_BOT


class ConnectMethod(StrEnum):
    """How an account of a platform is connected."""

    REDIRECT = "redirect"
    CREDENTIAL = "credential"
    QR = "qr"


class AccountChoice(StrEnum):
    """When somebody chooses among the accounts that a sign-in gives access to; otherwise all of them are connected.

    On our own page the person does, if there are several. A customer's page gets the result, and cannot ask.
    `ALWAYS` says that signing in connects nothing: there is an API to choose, and our page offers the same.
    """

    NEVER = "never"
    ON_OUR_PAGE = "on_our_page"
    ALWAYS = "always"


class Capability(Generic[P]):
    """What this service does with a kind of account: a name, and the Protocol that a connector implements for it.

    The contract of a capability declares its constant. Its permissions and quotas use the same name.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def bind(self, part: P) -> "CapabilityAdapter":
        """Declare what implements this."""
        return CapabilityAdapter(self, part)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Capability({self.name!r})"


class CapabilityAdapter(NamedTuple):
    """What implements a capability, for the kinds that a connector lists it under."""

    capability: Capability[Any]
    implementation: Any


class Quota(msgspec.Struct, frozen=True, rename="camel"):
    """How often something may be done within a number of seconds.

    `per` says what the platform counts per: each account, the app that all accounts of a deployment share, each chat of
    an account, or each endpoint that the app calls. The window slides, unless `resets` names the time zone at whose
    midnight it resets.
    """

    # Whose a quota of the app is.
    APP_OWNER: ClassVar[str] = "app"

    name: str
    """What is counted, such as `posts`. The health of an account shows how much is used."""
    limit: int
    """How many times it may be done in a window."""
    seconds: int
    """The length of the window, in seconds."""
    per: Literal["account", "app", "chat", "endpoint"] = "account"
    """What the platform counts per: each account, the app of the deployment, each chat of an account, or each endpoint.
    """
    resets: str | None = None
    """The IANA time zone at whose midnight the window resets. Null: the window slides."""

    def build_budget(self, platform: str, owner_key: str) -> QuotaBudget:
        """Return the key that is counted for one of those."""
        return QuotaBudget(
            platform=platform,
            quota=self.name,
            subject=owner_key,
            limit=self.limit,
            window_seconds=self.seconds,
            reset_timezone=self.resets,
        )


class MediaRule(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What the platform accepts for one type of media. A missing value means no known limit."""

    mime_types: tuple[str, ...]
    """The accepted formats, as MIME types."""
    max_count: int = 1
    """How many files of this type one post can have."""
    max_bytes: int | None = None
    """The maximum size of a file, in bytes."""
    min_bytes: int | None = None
    """The minimum size of a file, in bytes."""
    min_width: int | None = None
    """The minimum width, in pixels."""
    min_height: int | None = None
    """The minimum height, in pixels."""
    max_width: int | None = None
    """The maximum width, in pixels."""
    max_height: int | None = None
    """The maximum height, in pixels."""
    min_ratio: float | None = None
    """The minimum aspect ratio: width divided by height."""
    max_ratio: float | None = None
    """The maximum aspect ratio: width divided by height."""
    min_seconds: float | None = None
    """The minimum duration, in seconds."""
    max_seconds: float | None = None
    """The maximum duration, in seconds."""
    max_width_plus_height: int | None = None
    """The maximum of the width and the height together, in pixels."""
    video_codecs: tuple[str, ...] = ()
    """The accepted codecs of the picture, such as `h264`. Omitted if no restriction is known."""
    audio_codecs: tuple[str, ...] = ()
    """The accepted codecs of the sound, such as `aac`. Omitted if no restriction is known."""
    pixel_formats: tuple[str, ...] = ()
    """The accepted pixel formats of a video, such as `yuv420p`. Omitted if no restriction is known."""
    min_fps: float | None = None
    """The minimum frame rate, in frames per second."""
    max_fps: float | None = None
    """The maximum frame rate, in frames per second."""
    max_bit_rate: int | None = None
    """The maximum bit rate of a video, in bits per second."""
    max_channels: int | None = None
    """The maximum number of audio channels."""
    max_sample_rate: int | None = None
    """The maximum sample rate of the sound, in Hz."""
    progressive: bool = False
    """Whether an interlaced video is rejected."""
    index_first: bool = False
    """Whether the index of an MP4 or QuickTime file (`moov`) must be in front of its data."""
    applies_to: Literal["image", "video", "audio", "cover"] | None = None
    """For a rule that is named after a form: which files it restricts further. Omitted for a rule that is named after
    a type of media.
    """
    form: str | None = None
    """The `form` in the options of a post that the rule is for. Omitted if it applies to all."""
    replaces: bool = False
    """Whether the rule replaces that of its type, for files of its formats, instead of restricting it further."""

    def accepts_format(self, mime_type: str) -> bool:
        return "*/*" in self.mime_types or mime_type in self.mime_types


class PlatformLimits(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The limits of texts, and how often the platform allows something."""

    text_max: int | None = None
    """The maximum length of a text, in `textUnit`. Omitted if there is no known limit."""
    text_unit: str = "characters"
    """What the platform counts: `characters` (the default, then omitted), `utf16` units, or `bytes`."""
    hashtags_max: int | None = None
    """How many hashtags a text can have. Omitted if there is no known limit."""
    mentions_max: int | None = None
    """How many mentions a text can have. Omitted if there is no known limit."""
    quotas: tuple[Quota, ...] = ()
    """How often the platform allows something. Omitted if no quota is known."""

    def count_text_length(self, text: str) -> int:
        """Count the length of a text as the platform does."""
        if self.text_unit == "bytes":
            return len(text.encode())
        if self.text_unit == "utf16":
            return len(text.encode("utf-16-le")) // 2
        return len(text)


_EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})


class PublisherKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of account that ads can come from. `name` is what it is called in a sentence.

    `matched_by_name` says that ad accounts have other ids for these accounts: only their names are the same.
    """

    name: str
    matched_by_name: bool = False


_NO_PUBLISHERS: Mapping[Kind, PublisherKind] = MappingProxyType({})


class KindManifest(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of account. `permissions` lists for each use (`post`, `message`, …) which scopes it needs.

    `option_permissions` lists the scopes that an option of posts needs beyond those of posts.

    `options` are those of posts, `message_options` those of messages, as JSON Schema. `sends_by_type` says that
    messages can be sent by their type, with `POST /accounts/{accountId}/whatsapp/send`. `advertising` lists which of
    our words for ads the platform supports, by where they are used: `goals`, `optimizations`, `breakdowns`, …
    `publishers` are the kinds of accounts that the ads of an ad account can come from.

    `comment_polls` is for platforms that do not push all comments or reviews: how many calls a day may be spent on
    looking for them, for all accounts of the kind together. `comments_are_reviews` says that customers rate the
    account: the platform only pushes the ids of reviews, and they can be answered, but not hidden.

    `template_faults` finds what no template of the platform accepts, before an account is known.
    """

    kind: Kind
    name: str
    capabilities: tuple[Capability[Any], ...]
    permissions: Mapping[str, tuple[str, ...]] = _EMPTY_MAPPING
    limits: PlatformLimits = PlatformLimits()
    media: Mapping[str, MediaRule] = _EMPTY_MAPPING
    options: Mapping[str, Any] = _EMPTY_MAPPING
    option_permissions: Mapping[str, tuple[str, ...]] = _EMPTY_MAPPING
    message_options: Mapping[str, Any] = _EMPTY_MAPPING
    sends_by_type: bool = False
    metrics: MetricTable = NO_METRICS
    advertising: Mapping[str, tuple[str, ...]] = _EMPTY_MAPPING
    publishers: Mapping[Kind, PublisherKind] = _NO_PUBLISHERS
    comment_polls: int | None = None
    comments_are_reviews: bool = False
    template_faults: Callable[[Template], Iterable[Fault]] = lambda _template: ()

    def get_allowed_uses(self, granted: Collection[str]) -> dict[str, bool]:
        return {use: all(scope in granted for scope in scopes) for use, scopes in self.permissions.items()}

    def get_missing_scopes(self, granted: Collection[str]) -> list[str]:
        values = {scope for scopes in self.permissions.values() for scope in scopes}
        return sorted(values - set(granted))


class PlatformManifest(msgspec.Struct, frozen=True, kw_only=True):
    """One platform. `how_to_set_up` says which settings are needed, and where to get their values.

    `choice` says whether signing in connects everything that was found, or somebody chooses.

    `settings` lists what a deployment configures about its app there, such as `app_id`: the platform is configured once
    all except `verify_token` are set. `base_url_replaces_host` says that a URL which replaces the vendor replaces its
    host, because people run such servers themselves; elsewhere the host becomes the first part of the path.

    `shown_input` returns what may be shown of the form that connects an account: neither secrets nor personal data.
    """

    platform: Platform
    name: str
    method: ConnectMethod = ConnectMethod.REDIRECT
    kinds: tuple[KindManifest, ...]
    how_to_set_up: str
    choice: AccountChoice = AccountChoice.NEVER
    settings: tuple[str, ...] = ()
    base_url_replaces_host: bool = False
    shown_input: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda _form: {}

    @property
    def needs_app(self) -> bool:
        """Whether the deployment must have an app there. Otherwise customers provide everything."""
        return self.method is ConnectMethod.REDIRECT

    def get_kind_manifest(self, kind: Kind) -> KindManifest:
        return next(manifest for manifest in self.kinds if manifest.kind is kind)

    def list_scopes(self, kinds: Collection[Kind] = ()) -> list[str]:
        """Every scope that these kinds need; all kinds if none are given."""
        chosen = [manifest for manifest in self.kinds if not kinds or manifest.kind in kinds]
        return sorted({scope for manifest in chosen for scopes in manifest.permissions.values() for scope in scopes})
