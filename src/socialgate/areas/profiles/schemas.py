from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from socialgate.contracts.renditions import Fit
from socialgate.core.fields import CreatedAt, UpdatedAt
from socialgate.web.schemas import NonBlankText, RequestBody, ResponseModel

ProfileName = Annotated[
    NonBlankText, Meta(max_length=100, description="Shown in the console and in lists. Need not be unique.")
]
Description = Annotated[str, Meta(max_length=500, description="A note for your own use.")]
Timezone = Annotated[
    str,
    Meta(max_length=64, description="IANA name such as `America/Sao_Paulo`. It applies to times without an offset."),
]

_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"


class NewProfile(RequestBody, frozen=True, kw_only=True):
    """A profile to create."""

    name: ProfileName
    description: Description | None = None
    timezone: Timezone = "UTC"
    fit: Fit | None = None
    """How files of its posts are made to fit a platform, for targets that do not say. Null: automatically."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "Bakery Lima", "description": "Three shops", "timezone": "America/Lima"}


class ProfileChanges(RequestBody, frozen=True, kw_only=True):
    """What to change. Omitted fields stay as they are."""

    name: ProfileName | UnsetType = UNSET
    description: Description | UnsetType | None = UNSET
    timezone: Timezone | UnsetType = UNSET
    fit: Fit | UnsetType | None = UNSET
    """How files of its posts are made to fit a platform, for targets that do not say. Null: automatically."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "Bakery Lima Centro"}


class Profile(ResponseModel, frozen=True, kw_only=True):
    """A group of connected accounts."""

    id: str
    """The id, `prf_…`."""
    name: str
    """Shown in the console and in lists. Need not be unique."""
    description: str | None
    """A note for your own use. Null if there is none."""
    timezone: str
    """IANA name such as `America/Lima`. It applies to times without an offset, to queue slots and to stored analytics.
    """
    fit: Fit | None
    """How files of its posts are made to fit a platform, for targets that do not say. Null: automatically."""
    account_count: int
    """How many accounts and ad accounts are connected to the profile."""
    created_at: CreatedAt
    updated_at: UpdatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_PROFILE_ID,
            "name": "Bakery Lima",
            "description": "Three shops",
            "timezone": "America/Lima",
            "fit": None,
            "accountCount": 4,
            "createdAt": "2026-11-15T09:30:00Z",
            "updatedAt": "2026-11-15T09:30:00Z",
        }
