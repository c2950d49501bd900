# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Where events are sent, signed and retried, with a record of every attempt."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query
from ..types import (
    DeletionConfirmation,
    DeliveryQueued,
    Hook,
    HookCreated,
    HookPage,
    RecoveredDeliveries,
    SecretRotated,
)


class HooksResource(Resource):
    """Where events are sent, signed and retried, with a record of every attempt."""

    @cached_property
    def with_raw_response(self) -> HooksResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return HooksResourceWithRawResponse(HooksResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
    ) -> Pages[Hook, HookPage]:
        """List the hooks that the credential can access, newest first.

        A key that is limited to some profiles can access a hook if it covers all profiles of the hook.

        Args:
            limit: Maximum number of rows per page.

        """
        call: Call[HookPage] = Call(
            method="GET",
            path="/hooks",
            returns=HookPage,
            query=pack_query({"limit": limit}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        hook_id: str,
    ) -> Hook:
        """Return one hook.

        Args:
            hook_id: The id of a hook, `hook_…`.

        """
        call: Call[Hook] = Call(
            method="GET",
            path=fill("/hooks/{}", hook_id),
            returns=Hook,
        )
        return self._client.send(call)

    def create(
        self,
        *,
        url: str,
        events: Sequence[params.NewHookEvents],
        secret: str | None = None,
        description: str | None = None,
        ordered: bool | Omit = OMIT,
        max_per_second: int | None = None,
        idempotency_key: str | None = None,
    ) -> HookCreated:
        """Create a hook. Its secret is only in this response.

        It receives the events of all profiles, or of those that the API key is limited to. An owner can have at most 20
        hooks. Verify each delivery: `X-Service-Signature` is `sha256=` followed by the HMAC-SHA-256 of the raw body in
        hexadecimal, with the secret as key.

        Args:
            url: Where to send deliveries: an https URL of at most 2048 characters, without credentials, on the public
                internet.
            events: The events to receive, each once. `webhook.test` is only sent by the test route, listed or not.
            secret: The key of the signatures: 16 to 256 printable ASCII characters. By default one is generated.
            description: A note for your own use.
            ordered: Deliver events strictly in order: a failing delivery holds back the newer ones.
            max_per_second: Maximum number of attempts per second. Null: no limit.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `hook_limit`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[HookCreated] = Call(
            method="POST",
            path="/hooks",
            returns=HookCreated,
            body=pack(
                "NewHook",
                {
                    "url": url,
                    "events": events,
                    "secret": secret,
                    "description": description,
                    "ordered": ordered,
                    "max_per_second": max_per_second,
                },
                without_none=("secret", "description", "max_per_second"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def update(
        self,
        hook_id: str,
        *,
        url: str | Omit = OMIT,
        events: Sequence[params.HookChangesEvents] | Omit = OMIT,
        active: bool | Omit = OMIT,
        description: str | None | Omit = OMIT,
        ordered: bool | Omit = OMIT,
        max_per_second: int | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> Hook:
        """Update a hook. Future attempts use the new URL and settings.

        Deliveries that are pending while a hook is disabled are sent if it is enabled again within 72 hours. Events
        that happen in the meantime are not queued: `POST /hooks/{hookId}/recover` sends them.

        Args:
            hook_id: The id of a hook, `hook_…`.
            url: Where to send deliveries: an https URL of at most 2048 characters, without credentials, on the public
                internet.
            events: The events to receive, each once. `webhook.test` is only sent by the test route, listed or not.
            active: Whether events are delivered. `true` also ends a pause after failures; pending deliveries are sent
                immediately.
            description: A note for your own use.
            ordered: Deliver events strictly in order: a failing delivery holds back the newer ones.
            max_per_second: Maximum number of attempts per second. Null: no limit.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[Hook] = Call(
            method="PATCH",
            path=fill("/hooks/{}", hook_id),
            returns=Hook,
            body=pack(
                "HookChanges",
                {
                    "url": url,
                    "events": events,
                    "active": active,
                    "description": description,
                    "ordered": ordered,
                    "max_per_second": max_per_second,
                },
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return self._client.send(call)

    def delete(
        self,
        hook_id: str,
    ) -> DeletionConfirmation:
        """Delete a hook. Its pending deliveries are cancelled.

        Args:
            hook_id: The id of a hook, `hook_…`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/hooks/{}", hook_id),
            returns=DeletionConfirmation,
        )
        return self._client.send(call)

    def recover(
        self,
        hook_id: str,
        *,
        since: str | dt.datetime,
        until: str | dt.datetime | None = None,
        idempotency_key: str | None = None,
    ) -> RecoveredDeliveries:
        """Send the events that a hook missed: their deliveries failed or were cancelled, or they were never queued.

        Only events since the hook was created, that it covers, and without a succeeded or pending delivery. One call
        queues at most 10,000, oldest first; if it queued that many, send the same request again.

        Args:
            hook_id: The id of a hook, `hook_…`.
            since: The start, inclusive.
            until: The end, exclusive.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `hook_disabled`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[RecoveredDeliveries] = Call(
            method="POST",
            path=fill("/hooks/{}/recover", hook_id),
            returns=RecoveredDeliveries,
            body=pack("HookRecovery", {"since": since, "until": until}, without_none=("until",)),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def rotate_secret(
        self,
        hook_id: str,
        *,
        secret: str | None = None,
        overlap_seconds: int | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> SecretRotated:
        """Rotate the secret of a hook. The new one is only in this response.

        For `overlapSeconds` the `webhook-signature` header contains signatures with both secrets, so that a receiver
        can switch without losing a delivery. Rotating again within that time retires the oldest secret immediately.

        Args:
            hook_id: The id of a hook, `hook_…`.
            secret: The key of the signatures: 16 to 256 printable ASCII characters. By default one is generated.
            overlap_seconds: How long `webhook-signature` also contains a signature with the old secret.
                `X-Service-Signature` uses the new one immediately.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `unsupported_media_type`.

        """
        call: Call[SecretRotated] = Call(
            method="POST",
            path=fill("/hooks/{}/rotate-secret", hook_id),
            returns=SecretRotated,
            body=pack(
                "SecretRotation", {"secret": secret, "overlap_seconds": overlap_seconds}, without_none=("secret",)
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def test(
        self,
        hook_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> DeliveryQueued:
        """Queue one `webhook.test` delivery to this hook, at most once every 30 seconds.

        It is sent even if the hook does not list the event or is disabled.

        Args:
            hook_id: The id of a hook, `hook_…`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `hook_without_profiles`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `test_too_soon`.

        """
        call: Call[DeliveryQueued] = Call(
            method="POST",
            path=fill("/hooks/{}/test", hook_id),
            returns=DeliveryQueued,
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class HooksResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: HooksResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.create = raw(resource.create)
        self.update = raw(resource.update)
        self.delete = raw(resource.delete)
        self.recover = raw(resource.recover)
        self.rotate_secret = raw(resource.rotate_secret)
        self.test = raw(resource.test)


class AsyncHooksResource(AsyncResource):
    """Where events are sent, signed and retried, with a record of every attempt."""

    @cached_property
    def with_raw_response(self) -> AsyncHooksResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncHooksResourceWithRawResponse(AsyncHooksResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncPages[Hook, HookPage]:
        """List the hooks that the credential can access, newest first.

        A key that is limited to some profiles can access a hook if it covers all profiles of the hook.

        Args:
            limit: Maximum number of rows per page.

        """
        call: Call[HookPage] = Call(
            method="GET",
            path="/hooks",
            returns=HookPage,
            query=pack_query({"limit": limit}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        hook_id: str,
    ) -> Hook:
        """Return one hook.

        Args:
            hook_id: The id of a hook, `hook_…`.

        """
        call: Call[Hook] = Call(
            method="GET",
            path=fill("/hooks/{}", hook_id),
            returns=Hook,
        )
        return await self._client.send(call)

    async def create(
        self,
        *,
        url: str,
        events: Sequence[params.NewHookEvents],
        secret: str | None = None,
        description: str | None = None,
        ordered: bool | Omit = OMIT,
        max_per_second: int | None = None,
        idempotency_key: str | None = None,
    ) -> HookCreated:
        """Create a hook. Its secret is only in this response.

        It receives the events of all profiles, or of those that the API key is limited to. An owner can have at most 20
        hooks. Verify each delivery: `X-Service-Signature` is `sha256=` followed by the HMAC-SHA-256 of the raw body in
        hexadecimal, with the secret as key.

        Args:
            url: Where to send deliveries: an https URL of at most 2048 characters, without credentials, on the public
                internet.
            events: The events to receive, each once. `webhook.test` is only sent by the test route, listed or not.
            secret: The key of the signatures: 16 to 256 printable ASCII characters. By default one is generated.
            description: A note for your own use.
            ordered: Deliver events strictly in order: a failing delivery holds back the newer ones.
            max_per_second: Maximum number of attempts per second. Null: no limit.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `hook_limit`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[HookCreated] = Call(
            method="POST",
            path="/hooks",
            returns=HookCreated,
            body=pack(
                "NewHook",
                {
                    "url": url,
                    "events": events,
                    "secret": secret,
                    "description": description,
                    "ordered": ordered,
                    "max_per_second": max_per_second,
                },
                without_none=("secret", "description", "max_per_second"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def update(
        self,
        hook_id: str,
        *,
        url: str | Omit = OMIT,
        events: Sequence[params.HookChangesEvents] | Omit = OMIT,
        active: bool | Omit = OMIT,
        description: str | None | Omit = OMIT,
        ordered: bool | Omit = OMIT,
        max_per_second: int | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> Hook:
        """Update a hook. Future attempts use the new URL and settings.

        Deliveries that are pending while a hook is disabled are sent if it is enabled again within 72 hours. Events
        that happen in the meantime are not queued: `POST /hooks/{hookId}/recover` sends them.

        Args:
            hook_id: The id of a hook, `hook_…`.
            url: Where to send deliveries: an https URL of at most 2048 characters, without credentials, on the public
                internet.
            events: The events to receive, each once. `webhook.test` is only sent by the test route, listed or not.
            active: Whether events are delivered. `true` also ends a pause after failures; pending deliveries are sent
                immediately.
            description: A note for your own use.
            ordered: Deliver events strictly in order: a failing delivery holds back the newer ones.
            max_per_second: Maximum number of attempts per second. Null: no limit.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[Hook] = Call(
            method="PATCH",
            path=fill("/hooks/{}", hook_id),
            returns=Hook,
            body=pack(
                "HookChanges",
                {
                    "url": url,
                    "events": events,
                    "active": active,
                    "description": description,
                    "ordered": ordered,
                    "max_per_second": max_per_second,
                },
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return await self._client.send(call)

    async def delete(
        self,
        hook_id: str,
    ) -> DeletionConfirmation:
        """Delete a hook. Its pending deliveries are cancelled.

        Args:
            hook_id: The id of a hook, `hook_…`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/hooks/{}", hook_id),
            returns=DeletionConfirmation,
        )
        return await self._client.send(call)

    async def recover(
        self,
        hook_id: str,
        *,
        since: str | dt.datetime,
        until: str | dt.datetime | None = None,
        idempotency_key: str | None = None,
    ) -> RecoveredDeliveries:
        """Send the events that a hook missed: their deliveries failed or were cancelled, or they were never queued.

        Only events since the hook was created, that it covers, and without a succeeded or pending delivery. One call
        queues at most 10,000, oldest first; if it queued that many, send the same request again.

        Args:
            hook_id: The id of a hook, `hook_…`.
            since: The start, inclusive.
            until: The end, exclusive.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `hook_disabled`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[RecoveredDeliveries] = Call(
            method="POST",
            path=fill("/hooks/{}/recover", hook_id),
            returns=RecoveredDeliveries,
            body=pack("HookRecovery", {"since": since, "until": until}, without_none=("until",)),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def rotate_secret(
        self,
        hook_id: str,
        *,
        secret: str | None = None,
        overlap_seconds: int | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> SecretRotated:
        """Rotate the secret of a hook. The new one is only in this response.

        For `overlapSeconds` the `webhook-signature` header contains signatures with both secrets, so that a receiver
        can switch without losing a delivery. Rotating again within that time retires the oldest secret immediately.

        Args:
            hook_id: The id of a hook, `hook_…`.
            secret: The key of the signatures: 16 to 256 printable ASCII characters. By default one is generated.
            overlap_seconds: How long `webhook-signature` also contains a signature with the old secret.
                `X-Service-Signature` uses the new one immediately.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `unsupported_media_type`.

        """
        call: Call[SecretRotated] = Call(
            method="POST",
            path=fill("/hooks/{}/rotate-secret", hook_id),
            returns=SecretRotated,
            body=pack(
                "SecretRotation", {"secret": secret, "overlap_seconds": overlap_seconds}, without_none=("secret",)
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def test(
        self,
        hook_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> DeliveryQueued:
        """Queue one `webhook.test` delivery to this hook, at most once every 30 seconds.

        It is sent even if the hook does not list the event or is disabled.

        Args:
            hook_id: The id of a hook, `hook_…`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `hook_without_profiles`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `test_too_soon`.

        """
        call: Call[DeliveryQueued] = Call(
            method="POST",
            path=fill("/hooks/{}/test", hook_id),
            returns=DeliveryQueued,
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncHooksResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncHooksResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.create = async_raw(resource.create)
        self.update = async_raw(resource.update)
        self.delete = async_raw(resource.delete)
        self.recover = async_raw(resource.recover)
        self.rotate_secret = async_raw(resource.rotate_secret)
        self.test = async_raw(resource.test)
