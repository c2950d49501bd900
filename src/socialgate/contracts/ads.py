"""Advertising: campaigns, ad sets, ads and creatives of an ad account, in the same words for every platform.

Each type of object has a part of its own (`AdObjectAdapter`): a connector implements them in small files, and the `Ads`
struct holds them together. Insights are in `ad_insights`, audiences, pixels and conversions in `ad_audiences`.

Rules for connectors:

- Amounts are `Money` in the smallest unit of the account's currency (`held.details["currency"]`). A connector converts
  them with `contracts.money`, and never rounds.
- `create`, `update` and `delete` make one call that changes something. The caller makes sure that it is never repeated
  (`OutcomeUnknownError` after a lost response), so these calls are not `repeatable`.
- An id that belongs to another ad account is PlatformNotFound, even if the token can access it: somebody who may
  use one ad account must not be able to change another one. Deleted objects are PlatformNotFound in `find`.
- `options` are fields of the platform's own API, by its own names, for what this contract has no word for. They are
  sent as given. What the connector sets itself wins over them. Options that would replace the account, a parent, an id
  or a credential, and those that have a field in requests, are reported by `faults` (`/platformOptions/<name>`).
- What a platform does not have is None when read. When it is given, `faults` reports it with the code `not_supported`
  and says what to use instead.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import AdItem, AdSet, AdUnitItem, Campaign, CreativeItem
from socialgate.contracts.ad_values import (
    EMPTY_OPTIONS,
    AdBid,
    AdBudget,
    AdIdentity,
    AdMediaAsset,
    AdPromotion,
    AdSchedule,
    AdStatus,
    AdTargeting,
    CallToAction,
    ConfiguredStatus,
    Goal,
    Optimization,
    SpecialCategory,
)
from socialgate.contracts.money import Money
from socialgate.contracts.operations import NotFoundYet
from socialgate.contracts.platforms import Capability
from socialgate.contracts.publishing import Inconclusive, MediaFile, MediaReader, SafeToRetry
from socialgate.core.errors import Fault
from socialgate.core.shapes import EMPTY_TUPLE_FIELD, UNREPORTED_FIELD, ResponseModel

AdItem_T = TypeVar("AdItem_T", bound=AdItem)


class AdPage(msgspec.Struct, Generic[AdItem_T], frozen=True, kw_only=True):
    items: Sequence[AdItem_T]
    cursor: str | None


class AdQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects to list, newest first if the platform can sort. Without `statuses`, everything that is not deleted.

    `faults` of the query are not needed: a platform that cannot filter by something filters the page that it read.
    """

    campaign_id: str | None = None
    adset_id: str | None = None
    pixel_id: str | None = None
    statuses: tuple[AdStatus, ...] = ()
    name: str | None = None
    limit: int
    cursor: str | None = None


# What is created


class NewAdObject(msgspec.Struct, frozen=True, kw_only=True):
    """`idempotency_reference` is a random integer of 63 bits as text, the same whenever this request is repeated, for
    platforms that recognise a repeated call by such a number. `asked_at` is when it was requested: what is older is
    another one.
    """

    name: str
    configured_status: ConfiguredStatus = msgspec.field(default="paused", name="switch")
    options: Mapping[str, Any] = EMPTY_OPTIONS
    asked_at: datetime
    idempotency_reference: str = msgspec.field(name="reference")


class NewCampaign(NewAdObject, frozen=True, kw_only=True):
    """With a budget, the campaign divides it among its ad sets, which then have none."""

    goal: Goal
    budget: AdBudget | None = None
    spend_cap: Money | None = None
    bid: AdBid | None = None
    schedule: AdSchedule | None = None
    special_categories: tuple[SpecialCategory, ...] = ()
    countries: tuple[str, ...] = ()


class NewAdSet(NewAdObject, frozen=True, kw_only=True):
    """Without `optimization`, the platform's usual one for the goal of the campaign (`goal`, if the caller knows it).

    `end` is required for a lifetime budget; that was checked before.
    """

    campaign_id: str
    goal: Goal | None = None
    optimization: Optimization | None = None
    budget: AdBudget | None = None
    bid: AdBid | None = None
    schedule: AdSchedule = AdSchedule()
    targeting: AdTargeting
    promoted_object: AdPromotion | None = msgspec.field(default=None, name="promoted")


class NewCreative(NewAdObject, frozen=True, kw_only=True):
    """An existing post (`post_id`, the platform's id), or a new one that only appears as an ad (a dark post).

    `assets` were uploaded before: one image or video, or the images of a carousel. `form_id` is a lead form.
    """

    publisher: AdIdentity | None = None
    post_id: str | None = None
    text: str | None = None
    headline: str | None = None
    description: str | None = None
    url: str | None = None
    call_to_action: CallToAction | None = None
    assets: tuple[AdMediaAsset, ...] = ()
    form_id: str | None = None


class NewAdUnit(NewAdObject, frozen=True, kw_only=True):
    """`creative_id` is a creative on the platform; `creative` one that only we have, or that belongs to this ad alone.

    Exactly one of the two is set. Platforms with creatives as objects of their own also accept `creative`.
    """

    adset_id: str
    creative_id: str | None = None
    creative: NewCreative | None = None
    pixel_id: str | None = None


class AdObjectChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The new values of an object. None means unchanged. `targeting` replaces the previous one as a whole.

    If a platform needs a separate call for `configured_status`, it is made last.
    """

    name: str | None = None
    configured_status: ConfiguredStatus | None = msgspec.field(default=None, name="switch")
    budget: AdBudget | None = None
    spend_cap: Money | None = None
    bid: AdBid | None = None
    schedule: AdSchedule | None = None
    targeting: AdTargeting | None = None
    optimization: Optimization | None = None
    creative_id: str | None = None
    creative: NewCreative | None = None
    description: str | None = None
    value: Money | None = None
    options: Mapping[str, Any] = EMPTY_OPTIONS


NewAdObject_contra = TypeVar("NewAdObject_contra", bound=NewAdObject, contravariant=True)
LookupResult: TypeAlias = AdItem_T | SafeToRetry | NotFoundYet | Inconclusive


class AdObjectReader(Protocol[AdItem_T]):
    """Objects of one type that can be listed."""

    async def list(self, credentials: AccountCredentials, query: AdQuery) -> AdPage[AdItem_T]:
        """List them. The cursor is the platform's own."""

    async def find(self, credentials: AccountCredentials, item_id: str) -> AdItem_T:
        """Read one. PlatformNotFound if it is deleted or belongs to another ad account."""


class AdObjectAdapter(AdObjectReader[AdItem_T], Protocol[AdItem_T, NewAdObject_contra]):
    """Objects of one type that can be created, changed and deleted."""

    def validate_new_object(self, new: NewAdObject_contra) -> Sequence[Fault]:
        """Report everything that the platform would reject, with pointers into the request: `/goal`, `/bid/strategy`,
        `/targeting/languages/0`, `/platformOptions/objective`.
        """

    def validate_changes(self, change: AdObjectChanges) -> Sequence[Fault]:
        """Report what the platform cannot change, with the same pointers; `switch` is `/status`."""

    async def create(self, credentials: AccountCredentials, new: NewAdObject_contra) -> AdItem_T:
        """Create it, with a single call. What the response does not contain may be filled from `new`."""

    async def look_up_result(self, credentials: AccountCredentials, new: NewAdObject_contra) -> LookupResult[AdItem_T]:
        """Look up the result of a `create` whose response was lost: by the reference if the platform has one, else by
        name, parent and time of creation (`asked_at`, with two minutes for a clock that differs).

        NotSeen if there is none so far, CannotTell if there are several.
        """

    async def update(self, credentials: AccountCredentials, item_id: str, change: AdObjectChanges) -> None:
        """Set new values. Doing it again has no further effect."""

    async def delete(self, credentials: AccountCredentials, item_id: str) -> None:
        """Delete one. PlatformNotFound if it is already deleted."""


class MinBudgets(NamedTuple):
    """The smallest budgets that the platform accepts, None if it does not say."""

    daily: Money | None = None
    lifetime: Money | None = None


class AdAccountAdapter(Protocol):
    async def get_min_budgets(self, credentials: AccountCredentials, level: Literal["campaign", "adset"]) -> MinBudgets:
        """Read the smallest budgets of the account, in its currency."""

    async def validate_adset(
        self, credentials: AccountCredentials, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        """Report what the platform requires of an ad set with this targeting, and neither its options nor the account
        have.
        """

    async def resolve_publisher(
        self, credentials: AccountCredentials, ad_identity: AdIdentity | None, post_id: str | None
    ) -> AdIdentity:
        """Find who an ad comes from, as the platform knows them. `post_id` is a post that is to be boosted.

        Without `ad_identity`, the only one there is. Rejected (field `/accountId`) if nobody or several could be meant,
        and if the post cannot be promoted (field `/postId`).
        """

    def build_publisher_identity(self, account: AccountRow) -> AdIdentity:
        """Describe a connected account as one that ads come from."""

    def parse_author_id(self, post_id: str) -> str | None:
        """Read the id of the account that published a post from the platform's id of the post, if that contains it."""


class AdMediaAdapter(Protocol):
    """Images and videos of an ad account. Uploading a file twice is harmless."""

    def validate_media_file(self, file: MediaFile) -> Sequence[Fault]:
        """Report why the platform would not accept a file. Pointers are relative to it."""

    async def upload_file(self, credentials: AccountCredentials, file: MediaFile, media: MediaReader) -> AdMediaAsset:
        """Upload a file: from `file.url`, or with the bytes from `media`."""

    async def get_ready_asset(self, credentials: AccountCredentials, asset: AdMediaAsset) -> AdMediaAsset | None:
        """Return the asset once ads can use it, with its cover; None while the platform is processing it. Rejected if
        it could not be processed.
        """


class AdAdapters(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a platform. `creatives` is None if the platform has none: we keep those, and give them to `ads`."""

    campaigns: AdObjectAdapter[Campaign, NewCampaign]
    adsets: AdObjectAdapter[AdSet, NewAdSet]
    ads: AdObjectAdapter[AdUnitItem, NewAdUnit]
    creatives: AdObjectAdapter[CreativeItem, NewCreative] | None
    library: AdMediaAdapter
    account_adapter: AdAccountAdapter = msgspec.field(name="account")


class TargetingQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What to search for. `types` are types of places: `country`, `region`, `city`, `zip`; all of them if empty."""

    kind: Literal["location", "interest"]
    text: str
    types: tuple[str, ...] = ()
    country: str | None = None
    limit: int


class TargetingOption(ResponseModel, frozen=True, kw_only=True):
    """A place or an interest. Use its `id` in `targeting`. `path` names what it is part of."""

    # A connector may put the type into it, such as `city:2490299`.
    id: str
    """Send it in `targeting.locations` or `targeting.interests`, exactly as it is."""
    name: str
    """The name of the place or the interest."""
    type: str
    """What it is, such as `country`, `region`, `city` or `interest`."""
    country: str | None = UNREPORTED_FIELD
    """The country of a place, as an ISO 3166 code. Null for interests."""
    path: tuple[str, ...] = EMPTY_TUPLE_FIELD
    """What it is part of, from large to small."""
    audience_min: int | None = UNREPORTED_FIELD
    """The least number of people that the platform estimates. Null if it does not."""
    audience_max: int | None = UNREPORTED_FIELD
    """The largest number of people that the platform estimates. Null if it does not."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "city:1819",
            "name": "Lima",
            "type": "city",
            "country": "PE",
            "path": ["Peru", "Lima Region"],
            "audienceMin": None,
            "audienceMax": None,
        }


class TargetingSearchAdapter(Protocol):
    async def search(self, credentials: AccountCredentials, query: TargetingQuery) -> Sequence[TargetingOption]:
        """Search for places or interests by the beginning of their names."""


ADVERTISING_CAPABILITY: Capability[AdAdapters] = Capability("ads")
AD_TARGETING_CAPABILITY: Capability[TargetingSearchAdapter] = Capability("adTargeting")
