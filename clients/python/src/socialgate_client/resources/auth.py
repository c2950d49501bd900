# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Sign up, sign in and sign out."""

from __future__ import annotations

from functools import cached_property

from .._async.client import AsyncRawSender
from .._call import Call
from .._resource import AsyncResource, Resource, async_raw, raw
from .._sync.client import RawSender
from .._wire import pack
from ..types import Me, SessionOpened


class AuthResource(Resource):
    """Sign up, sign in and sign out."""

    @cached_property
    def with_raw_response(self) -> AuthResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AuthResourceWithRawResponse(AuthResource(RawSender(self._root), self._root))

    def change_password(
        self,
        *,
        current_password: str,
        new_password: str,
    ) -> None:
        """Change the password. All other sessions of the user end.

        Args:
            current_password: The current password, to prove who you are.
            new_password: The password to sign in with, 10 to 200 characters.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `session_required`,
        `unsupported_media_type`.

        """
        call: Call[None] = Call(
            method="POST",
            path="/auth/password",
            body=pack("PasswordChange", {"current_password": current_password, "new_password": new_password}),
        )
        self._client.send(call)

    def login(
        self,
        *,
        email: str,
        password: str,
    ) -> SessionOpened:
        """Sign in. The session expires after 14 days without use, and after 90 days in any case.

        Args:
            email: The email address to sign in with. Case is ignored.
            password: The password of the user.

        Error codes beside the common ones: `body_too_large`, `login_failed`, `malformed_json`,
        `unsupported_media_type`.

        """
        call: Call[SessionOpened] = Call(
            method="POST",
            path="/auth/login",
            returns=SessionOpened,
            body=pack("Login", {"email": email, "password": password}),
        )
        return self._client.send(call)

    def logout(
        self,
    ) -> None:
        """End the session used for this call.

        Error codes beside the common ones: `session_required`.

        """
        call: Call[None] = Call(
            method="POST",
            path="/auth/logout",
        )
        self._client.send(call)

    def me(
        self,
    ) -> Me:
        """Return who is calling: the owner, and the user or the API key."""
        call: Call[Me] = Call(
            method="GET",
            path="/auth/me",
            returns=Me,
        )
        return self._client.send(call)

    def register(
        self,
        *,
        email: str,
        password: str,
        name: str | None = None,
    ) -> SessionOpened:
        """Register an owner with its first user and a first profile, and sign in.

        Open while the service listens on loopback; a deployment can override this with `SOCIALGATE_SIGNUP`.

        Args:
            email: The email address to sign in with. Case is ignored.
            password: The password to sign in with, 10 to 200 characters.
            name: The name of the person. The owner gets the same name, or the email address if you omit it.

        Error codes beside the common ones: `body_too_large`, `email_taken`, `malformed_json`, `signup_closed`,
        `unsupported_media_type`.

        """
        call: Call[SessionOpened] = Call(
            method="POST",
            path="/auth/register",
            returns=SessionOpened,
            body=pack("Registration", {"email": email, "password": password, "name": name}, without_none=("name",)),
        )
        return self._client.send(call)


class AuthResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AuthResource) -> None:
        self.change_password = raw(resource.change_password)
        self.login = raw(resource.login)
        self.logout = raw(resource.logout)
        self.me = raw(resource.me)
        self.register = raw(resource.register)


class AsyncAuthResource(AsyncResource):
    """Sign up, sign in and sign out."""

    @cached_property
    def with_raw_response(self) -> AsyncAuthResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAuthResourceWithRawResponse(AsyncAuthResource(AsyncRawSender(self._root), self._root))

    async def change_password(
        self,
        *,
        current_password: str,
        new_password: str,
    ) -> None:
        """Change the password. All other sessions of the user end.

        Args:
            current_password: The current password, to prove who you are.
            new_password: The password to sign in with, 10 to 200 characters.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `session_required`,
        `unsupported_media_type`.

        """
        call: Call[None] = Call(
            method="POST",
            path="/auth/password",
            body=pack("PasswordChange", {"current_password": current_password, "new_password": new_password}),
        )
        await self._client.send(call)

    async def login(
        self,
        *,
        email: str,
        password: str,
    ) -> SessionOpened:
        """Sign in. The session expires after 14 days without use, and after 90 days in any case.

        Args:
            email: The email address to sign in with. Case is ignored.
            password: The password of the user.

        Error codes beside the common ones: `body_too_large`, `login_failed`, `malformed_json`,
        `unsupported_media_type`.

        """
        call: Call[SessionOpened] = Call(
            method="POST",
            path="/auth/login",
            returns=SessionOpened,
            body=pack("Login", {"email": email, "password": password}),
        )
        return await self._client.send(call)

    async def logout(
        self,
    ) -> None:
        """End the session used for this call.

        Error codes beside the common ones: `session_required`.

        """
        call: Call[None] = Call(
            method="POST",
            path="/auth/logout",
        )
        await self._client.send(call)

    async def me(
        self,
    ) -> Me:
        """Return who is calling: the owner, and the user or the API key."""
        call: Call[Me] = Call(
            method="GET",
            path="/auth/me",
            returns=Me,
        )
        return await self._client.send(call)

    async def register(
        self,
        *,
        email: str,
        password: str,
        name: str | None = None,
    ) -> SessionOpened:
        """Register an owner with its first user and a first profile, and sign in.

        Open while the service listens on loopback; a deployment can override this with `SOCIALGATE_SIGNUP`.

        Args:
            email: The email address to sign in with. Case is ignored.
            password: The password to sign in with, 10 to 200 characters.
            name: The name of the person. The owner gets the same name, or the email address if you omit it.

        Error codes beside the common ones: `body_too_large`, `email_taken`, `malformed_json`, `signup_closed`,
        `unsupported_media_type`.

        """
        call: Call[SessionOpened] = Call(
            method="POST",
            path="/auth/register",
            returns=SessionOpened,
            body=pack("Registration", {"email": email, "password": password, "name": name}, without_none=("name",)),
        )
        return await self._client.send(call)


class AsyncAuthResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAuthResource) -> None:
        self.change_password = async_raw(resource.change_password)
        self.login = async_raw(resource.login)
        self.logout = async_raw(resource.logout)
        self.me = async_raw(resource.me)
        self.register = async_raw(resource.register)
