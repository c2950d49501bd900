from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from socialgate.core.caller import Permission
from socialgate.core.fields import CreatedAt, UpdatedAt
from socialgate.web.schemas import DeletionConfirmation, NonBlankText, RequestBody, ResponseModel

Email = Annotated[
    str,
    Meta(
        max_length=254,
        pattern=r"^[^@\s]{1,64}@[^@\s]{1,189}$(?!\n)",
        description="The email address to sign in with. Case is ignored.",
    ),
]
Password = Annotated[
    str, Meta(min_length=10, max_length=200, description="The password to sign in with, 10 to 200 characters.")
]
UncheckedPassword = Annotated[str, Meta(max_length=200)]
PersonName = Annotated[str, Meta(max_length=100)]
KeyName = Annotated[
    NonBlankText, Meta(max_length=100, description="Shown in the console and in lists, to tell keys apart.")
]
KeyScope = Literal["all", "profiles"]
ProfileIds = Annotated[
    list[Annotated[str, Meta(max_length=40)]],
    Meta(min_length=1, max_length=200, description="The profiles that the key is limited to."),
]
Expiry = Annotated[datetime, Meta(tz=True, description="When the key stops working.")]

_EXAMPLE_OWNER = {"id": "own_01h455vb4pex5vsknk084sn02q", "name": "Ana", "createdAt": "2026-11-15T09:30:00Z"}
_EXAMPLE_USER = {
    "id": "usr_01h455vb4pex5vsknk084sn02q",
    "email": "ana@example.com",
    "name": "Ana",
    "createdAt": "2026-11-15T09:30:00Z",
}


class Registration(RequestBody, frozen=True, kw_only=True):
    """A new owner and its first user."""

    email: Email
    password: Password
    name: PersonName | None = None
    """The name of the person. The owner gets the same name, or the email address if you omit it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"email": "ana@example.com", "password": "correct horse battery", "name": "Ana"}


class Login(RequestBody, frozen=True, kw_only=True):
    """A user's email and password."""

    email: Email
    password: UncheckedPassword
    """The password of the user."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"email": "ana@example.com", "password": "correct horse battery"}


class PasswordChange(RequestBody, frozen=True, kw_only=True):
    """The current password and the new one."""

    current_password: UncheckedPassword
    """The current password, to prove who you are."""
    new_password: Password

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"currentPassword": "correct horse battery", "newPassword": "staple of another kind"}


class Owner(ResponseModel, frozen=True, kw_only=True):
    """The tenant that everything belongs to."""

    id: str
    """The id, `own_…`."""
    name: str
    """The name given at registration, otherwise the email address."""
    created_at: CreatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return _EXAMPLE_OWNER


class User(ResponseModel, frozen=True, kw_only=True):
    """A person who signs in."""

    id: str
    """The id, `usr_…`."""
    email: str
    """The email address that the user signs in with."""
    name: str | None
    """The name of the person. Null if none was given."""
    created_at: CreatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return _EXAMPLE_USER


class SessionOpened(ResponseModel, frozen=True, kw_only=True):
    """A user session. The token is shown once; send it as a Bearer token, or use the cookie."""

    token: str
    """The session token, `ses_…`. It is not shown again."""
    expires_at: datetime
    """When the session ends, unless it is closed earlier."""
    user: User
    """Who signed in."""
    owner: Owner
    """The owner that the user belongs to."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "token": "ses_3q2-7wEjRWeJq83vASNFZ4mrze8BI0VniavN7wEjRWc",
            "expiresAt": "2027-02-13T09:30:00Z",
            "user": _EXAMPLE_USER,
            "owner": _EXAMPLE_OWNER,
        }


class ApiKey(ResponseModel, frozen=True, kw_only=True):
    """An API key without its value."""

    id: str
    """The id, `key_…`. It is not the key itself."""
    name: str
    """Shown in the console and in lists."""
    preview: str
    """The first and last characters of the key, to recognize it."""
    scope: KeyScope
    """`all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`."""
    profile_ids: list[str]
    """The profiles that the key is limited to. Empty if its scope is `all`."""
    permission: Permission
    """`read` allows only GET; `read-write` allows everything that keys can do."""
    expires_at: datetime | None
    """When the key stops working. Null if it does not expire."""
    last_used_at: datetime | None
    """When it was last used, accurate to about a minute. Null if it was never used."""
    created_at: CreatedAt
    updated_at: UpdatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "key_01h455vb4pex5vsknk084sn02q",
            "name": "Billing backend",
            "preview": "sg_test_4fQz…9aBc",
            "scope": "profiles",
            "profileIds": ["prf_01h455vb4pex5vsknk084sn02q"],
            "permission": "read-write",
            "expiresAt": None,
            "lastUsedAt": None,
            "createdAt": "2026-11-15T09:30:00Z",
            "updatedAt": "2026-11-15T09:30:00Z",
        }


class ApiKeyCreated(ApiKey, frozen=True, kw_only=True):
    """A new API key. `key` is only in this response; a replay has `secretWithheld` instead."""

    once_only: ClassVar[tuple[str, ...]] = ("key",)

    key: str | UnsetType = UNSET
    """The key itself, `sg_live_…` or `sg_test_…`. Only in the first response."""
    secret_withheld: bool | UnsetType = UNSET
    """True in a replayed response, instead of `key`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {**ApiKey.example(), "key": "sg_test_4fQzW1kLr8VbT2nYx6MdHs9PcE3uJa7GoI5iZ9aBc"}


class ApiKeyRevoked(DeletionConfirmation, frozen=True, kw_only=True):
    """A revoked key. The hooks created with it keep running; delete those you do not need."""

    hooks: list[str]
    """The hooks that were created with the key, `hook_…`. They keep running."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": "key_01h455vb4pex5vsknk084sn02q",
            "deleted": True,
            "hooks": ["hook_01h455vb4pex5vsknk084sn02q"],
        }


class NewApiKey(RequestBody, frozen=True, kw_only=True):
    """An API key to create. `profileIds` is required for the scope `profiles` and not allowed for `all`."""

    name: KeyName
    scope: KeyScope
    """`all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`."""
    profile_ids: ProfileIds | UnsetType = UNSET
    permission: Permission = "read-write"
    """`read` allows only GET; `read-write` allows everything that keys can do."""
    expires_at: Expiry | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "Billing backend", "scope": "all", "permission": "read-write"}


class ApiKeyChanges(RequestBody, frozen=True, kw_only=True):
    """What to change. Omitted fields stay as they are. The scope cannot be changed."""

    name: KeyName | UnsetType = UNSET
    profile_ids: ProfileIds | UnsetType = UNSET
    permission: Permission | UnsetType = UNSET
    """`read` allows only GET; `read-write` allows everything that keys can do."""
    expires_at: Expiry | UnsetType | None = UNSET

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "Billing backend, read only", "permission": "read"}


class Me(ResponseModel, frozen=True, kw_only=True):
    """Who is calling: `user` for a session, `key` for an API key."""

    owner: Owner
    """The owner that everything belongs to."""
    user: User | None
    """The user, if the request was made in a session; otherwise null."""
    key: ApiKey | None
    """The API key, if the request was made with one; otherwise null."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"owner": _EXAMPLE_OWNER, "user": _EXAMPLE_USER, "key": None}
