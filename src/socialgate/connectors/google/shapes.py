"""What Google's answers look like, as far as anything here reads them."""

from typing import Annotated

import msgspec


class Shape(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    pass


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    access_token: Annotated[str, msgspec.Meta(min_length=1)]
    expires_in: int | None = None
    refresh_token: str | None = None
    # Seen where a person granted access for a limited time.
    refresh_token_expires_in: int | None = None
    scope: str | None = None

    def __repr__(self) -> str:
        return "Tokens()"


class Person(msgspec.Struct, frozen=True, kw_only=True):
    # The newer endpoint of the same kind calls it `sub`.
    id: str | None = None
    sub: str | None = None
    email: str | None = None
    name: str | None = None


class TokenInfo(msgspec.Struct, frozen=True, kw_only=True):
    scope: str | None = None


class Thumbnail(Shape, frozen=True):
    url: str | None = None


class Thumbnails(Shape, frozen=True):
    default: Thumbnail = Thumbnail()
    medium: Thumbnail = Thumbnail()
    high: Thumbnail = Thumbnail()

    def best(self) -> str | None:
        return self.high.url or self.medium.url or self.default.url


class ChannelSnippet(Shape, frozen=True):
    title: str | None = None
    description: str | None = None
    custom_url: str | None = None
    country: str | None = None
    thumbnails: Thumbnails = Thumbnails()


class ChannelStatistics(Shape, frozen=True):
    """Numbers as text, and no subscribers where the channel hides them."""

    view_count: int | None = None
    subscriber_count: int | None = None
    hidden_subscriber_count: bool = False
    video_count: int | None = None


class RelatedPlaylists(Shape, frozen=True):
    uploads: str | None = None


class ChannelContent(Shape, frozen=True):
    related_playlists: RelatedPlaylists = RelatedPlaylists()


class ChannelStatus(Shape, frozen=True):
    long_uploads_status: str | None = None


class Channel(Shape, frozen=True):
    id: str
    snippet: ChannelSnippet = ChannelSnippet()
    statistics: ChannelStatistics = ChannelStatistics()
    content_details: ChannelContent = ChannelContent()
    status: ChannelStatus = ChannelStatus()


class Channels(Shape, frozen=True):
    items: list[Channel] = []


class Calendar(Shape, frozen=True):
    id: str
    summary: str | None = None
    summary_override: str | None = None
    description: str | None = None
    time_zone: str | None = None
    access_role: str | None = None

    def name(self) -> str:
        return self.summary_override or self.summary or self.id


class BusinessAccount(Shape, frozen=True):
    name: str
    account_name: str | None = None


class BusinessAccounts(Shape, frozen=True):
    accounts: list[BusinessAccount] = []
    next_page_token: str | None = None


class LocationMetadata(Shape, frozen=True):
    place_id: str | None = None
    maps_uri: str | None = None
    # Google leaves out what is false.
    has_voice_of_merchant: bool = False


class Address(Shape, frozen=True):
    region_code: str | None = None
    postal_code: str | None = None
    locality: str | None = None
    address_lines: list[str] = []

    def text(self) -> str | None:
        parts = [*self.address_lines, self.postal_code, self.locality, self.region_code]
        return ", ".join(part for part in parts if part) or None


class PhoneNumbers(Shape, frozen=True):
    primary_phone: str | None = None


class Location(Shape, frozen=True):
    name: str
    title: str | None = None
    website_uri: str | None = None
    storefront_address: Address = Address()
    metadata: LocationMetadata = LocationMetadata()
    phone_numbers: PhoneNumbers = PhoneNumbers()

    @property
    def id(self) -> str:
        return self.name.rpartition("/")[2]


class Locations(Shape, frozen=True):
    locations: list[Location] = []
    next_page_token: str | None = None


class Jwk(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A public key of RSA: `n` and `e` are numbers in base64."""

    kid: str | None = None
    kty: str | None = None
    n: str | None = None
    e: str | None = None


class JwkSet(msgspec.Struct, frozen=True, kw_only=True):
    keys: list[Jwk]
