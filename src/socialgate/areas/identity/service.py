"""Users: registering, signing in and out, changing the password. API keys are in `keys.py`."""

import unicodedata
from collections.abc import Sequence
from datetime import datetime, timedelta
from http import HTTPStatus

import msgspec

from socialgate.areas.identity import keys, store
from socialgate.areas.identity.authentication import SESSION_IDLE_TIMEOUT
from socialgate.areas.identity.passwords import hash_password, verify_password
from socialgate.areas.identity.schemas import (
    Login,
    Me,
    Owner,
    PasswordChange,
    Registration,
    SessionOpened,
    User,
)
from socialgate.areas.identity.store import OwnerRow, SessionRow, UserRow
from socialgate.areas.identity.tokens import generate_session_token, hash_token
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict, Forbidden, InvalidRequest, ServiceError
from socialgate.core.ids import new_id
from socialgate.core.settings import Settings
from socialgate.core.unit_of_work import UnitOfWork

SESSION_LIFETIME = timedelta(days=90)
_MAX_EMAIL_LENGTH = 254


class SignupClosedError(Forbidden):
    """This deployment does not accept registrations.

    Ask its operator for an account. The operator can set `SOCIALGATE_SIGNUP=open`.
    """

    code = "signup_closed"
    title = "Registration is closed"


class EmailTakenError(Conflict):
    """A user with this email already exists. Sign in with `POST /auth/login` instead."""

    code = "email_taken"
    title = "This email is already registered"


class LoginFailedError(ServiceError):
    """The email or the password is wrong. For security, the response does not say which."""

    status = HTTPStatus.UNAUTHORIZED
    code = "login_failed"
    title = "Wrong email or password"


class OpenSession(msgspec.Struct, frozen=True, kw_only=True):
    """Where a user is signed in. `is_current` is the session of the request."""

    id: str
    created_at: datetime
    last_seen_at: datetime
    is_current: bool


class IdentityService:
    def __init__(self, db: Database, settings: Settings, profiles: ProfileDirectory) -> None:
        self._db = db
        self._settings = settings
        self._profiles = profiles

    async def register(self, new: Registration) -> SessionOpened:
        password_hash = await hash_password(new.password)
        return await self._db.write(self._register, new, password_hash)

    async def login(self, login: Login) -> SessionOpened:
        user = await self._db.read(store.find_user_by_email, normalize_email(login.email))
        known = await verify_password(None if user is None else user.password_hash, login.password)
        if user is None or not known:
            raise LoginFailedError("The email or the password is wrong.")
        return await self._db.write(self.open_session, user)

    async def logout(self, tx: Tx, caller: Caller) -> None:
        await store.delete_session(tx, caller.owner_id, caller.credential_id)

    async def list_sessions(self, tx: Tx, caller: Caller) -> Sequence[OpenSession]:
        """List where the user is signed in, the session used last first."""
        assert caller.user_id is not None, "only users have sessions"
        rows = await store.list_sessions(tx, caller.owner_id, caller.user_id)
        return [
            OpenSession(
                id=row.id,
                created_at=row.created_at,
                last_seen_at=row.last_seen_at,
                is_current=row.id == caller.credential_id,
            )
            for row in rows
            if row.last_seen_at + SESSION_IDLE_TIMEOUT > tx.now
        ]

    async def end_other_sessions(self, tx: Tx, caller: Caller) -> None:
        """Sign the user out everywhere except here."""
        assert caller.user_id is not None, "only users have sessions"
        await store.delete_other_sessions(tx, caller.owner_id, caller.user_id, caller.credential_id)

    async def change_password(self, work: UnitOfWork, change: PasswordChange) -> None:
        caller = work.caller
        assert caller.user_id is not None, "the route takes sessions only"
        user = await work.read(store.find_user, caller.owner_id, caller.user_id)
        if user is None or not await verify_password(user.password_hash, change.current_password):
            raise InvalidRequest.for_field("/currentPassword", "wrong_password", "This is not the current password.")
        await work.write(self._set_password, caller, await hash_password(change.new_password))

    async def describe_caller(self, tx: Tx, caller: Caller) -> Me:
        owner = await store.get_owner(tx, caller.owner_id)
        user = await store.find_user(tx, caller.owner_id, caller.user_id) if caller.user_id else None
        key = None if caller.is_session else await store.find_api_key(tx, caller.owner_id, caller.credential_id)
        return Me(
            owner=_build_owner_view(owner),
            user=None if user is None else _build_user_view(user),
            key=None if key is None else keys.build_api_key_view(key),
        )

    async def add_owner(self, tx: Tx, new: Registration, password_hash: str) -> UserRow:
        """Create an owner, its first user and its first profile, so that every event has a profile."""
        email = normalize_email(new.email)
        if len(email) > _MAX_EMAIL_LENGTH:
            raise InvalidRequest.for_field(
                "/email", "too_long", f"In lower case it has more than {_MAX_EMAIL_LENGTH} characters."
            )
        owner = OwnerRow(id=new_id("own"), name=new.name or email, created_at=tx.now)
        user = UserRow(
            owner_id=owner.id,
            id=new_id("usr"),
            email=email,
            name=new.name,
            password_hash=password_hash,
            created_at=tx.now,
        )
        await store.insert_owner(tx, owner)
        if not await store.insert_user(tx, user):
            raise EmailTakenError("This email is already registered. Sign in with POST /auth/login.")
        await self._profiles.create_default(tx, owner.id)
        return user

    async def _register(self, tx: Tx, new: Registration, password_hash: str) -> SessionOpened:
        await self._require_open_signup(tx)
        return await self.open_session(tx, await self.add_owner(tx, new, password_hash))

    async def _require_open_signup(self, tx: Tx) -> None:
        signup = self._settings.signup
        if signup == "open" or (signup is None and self._settings.is_local_only):
            return
        await tx.lock("first-owner")
        if signup == "closed" or await store.has_owner(tx):
            raise SignupClosedError("This deployment does not accept registrations. Ask its operator for an account.")

    async def open_session(self, tx: Tx, user: UserRow) -> SessionOpened:
        token = generate_session_token()
        session = SessionRow(
            owner_id=user.owner_id,
            id=new_id("ses"),
            user_id=user.id,
            token_hash=hash_token(token),
            created_at=tx.now,
            last_seen_at=tx.now,
            expires_at=tx.now + SESSION_LIFETIME,
        )
        await store.insert_session(tx, session)
        owner = await store.get_owner(tx, user.owner_id)
        return SessionOpened(
            token=token, expires_at=session.expires_at, user=_build_user_view(user), owner=_build_owner_view(owner)
        )

    async def _set_password(self, tx: Tx, caller: Caller, password_hash: str) -> None:
        assert caller.user_id is not None
        await store.set_password(tx, caller.owner_id, caller.user_id, password_hash)
        await store.delete_other_sessions(tx, caller.owner_id, caller.user_id, caller.credential_id)


def normalize_email(email: str) -> str:
    """Normalize an email to the form in which it is stored, found and counted. It can become longer."""
    return unicodedata.normalize("NFC", email).lower()


def _build_owner_view(row: OwnerRow) -> Owner:
    return Owner(id=row.id, name=row.name, created_at=row.created_at)


def _build_user_view(row: UserRow) -> User:
    return User(id=row.id, email=row.email, name=row.name, created_at=row.created_at)
