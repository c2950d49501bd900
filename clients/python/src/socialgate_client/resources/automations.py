# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Automatic reactions: replies, messages, and steps that wait."""

from __future__ import annotations

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
from ..types import Automation, AutomationPage, AutomationRun, AutomationRunPage, DeletionConfirmation, DryRunResult


class AutomationsRunsResource(Resource):
    """Automatic reactions: replies, messages, and steps that wait."""

    @cached_property
    def with_raw_response(self) -> AutomationsRunsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AutomationsRunsResourceWithRawResponse(AutomationsRunsResource(RawSender(self._root), self._root))

    def list(
        self,
        automation_id: str,
        *,
        limit: int | None = None,
        status: params.RunStatusInput | None = None,
    ) -> Pages[AutomationRun, AutomationRunPage]:
        """List the runs of the last 30 days, newest first, with their steps.

        Args:
            automation_id: The id of an automation, `auto_…`.
            limit: Maximum number of rows per page.
            status: Only runs with this status.

        """
        call: Call[AutomationRunPage] = Call(
            method="GET",
            path=fill("/automations/{}/runs", automation_id),
            returns=AutomationRunPage,
            query=pack_query({"limit": limit, "status": status}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        automation_id: str,
        run_id: str,
    ) -> AutomationRun:
        """Return one run with its steps.

        Args:
            automation_id: The id of an automation, `auto_…`.
            run_id: The id of a run of the automation, `run_…`.

        """
        call: Call[AutomationRun] = Call(
            method="GET",
            path=fill("/automations/{}/runs/{}", automation_id, run_id),
            returns=AutomationRun,
        )
        return self._client.send(call)


class AutomationsRunsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AutomationsRunsResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)


class AsyncAutomationsRunsResource(AsyncResource):
    """Automatic reactions: replies, messages, and steps that wait."""

    @cached_property
    def with_raw_response(self) -> AsyncAutomationsRunsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAutomationsRunsResourceWithRawResponse(
            AsyncAutomationsRunsResource(AsyncRawSender(self._root), self._root)
        )

    def list(
        self,
        automation_id: str,
        *,
        limit: int | None = None,
        status: params.RunStatusInput | None = None,
    ) -> AsyncPages[AutomationRun, AutomationRunPage]:
        """List the runs of the last 30 days, newest first, with their steps.

        Args:
            automation_id: The id of an automation, `auto_…`.
            limit: Maximum number of rows per page.
            status: Only runs with this status.

        """
        call: Call[AutomationRunPage] = Call(
            method="GET",
            path=fill("/automations/{}/runs", automation_id),
            returns=AutomationRunPage,
            query=pack_query({"limit": limit, "status": status}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        automation_id: str,
        run_id: str,
    ) -> AutomationRun:
        """Return one run with its steps.

        Args:
            automation_id: The id of an automation, `auto_…`.
            run_id: The id of a run of the automation, `run_…`.

        """
        call: Call[AutomationRun] = Call(
            method="GET",
            path=fill("/automations/{}/runs/{}", automation_id, run_id),
            returns=AutomationRun,
        )
        return await self._client.send(call)


class AsyncAutomationsRunsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAutomationsRunsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)


class AutomationsResource(Resource):
    """Automatic reactions: replies, messages, and steps that wait."""

    @cached_property
    def runs(self) -> AutomationsRunsResource:
        return AutomationsRunsResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> AutomationsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AutomationsResourceWithRawResponse(AutomationsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        active: bool | None = None,
    ) -> Pages[Automation, AutomationPage]:
        """List automations, newest first.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only automations of this profile.
            active: Only active ones (true) or only disabled ones (false).

        """
        call: Call[AutomationPage] = Call(
            method="GET",
            path="/automations",
            returns=AutomationPage,
            query=pack_query({"limit": limit, "profileId": profile_id, "active": active}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        automation_id: str,
    ) -> Automation:
        """Return an automation, with how often it has run.

        Args:
            automation_id: The id of an automation, `auto_…`.

        """
        call: Call[Automation] = Call(
            method="GET",
            path=fill("/automations/{}", automation_id),
            returns=Automation,
        )
        return self._client.send(call)

    def create(
        self,
        *,
        profile_id: str,
        name: str,
        trigger: params.AutomationTrigger,
        actions: Sequence[params.AutomationAction],
        conditions: Sequence[params.AutomationCondition] | Omit = OMIT,
        cooldown: int | Omit = OMIT,
        active: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Automation:
        """Create an automation: its trigger, its conditions, and the actions to run in order.

        Texts can contain placeholders such as `{{contact.name}}`; the trigger decides which ones are available.

        Args:
            profile_id: The profile whose accounts it applies to.
            name: Shown in lists, and in the `automation.triggered` event.
            trigger: The trigger: a `type` with its options.
            actions: The actions, in order.
            conditions: All of them must be true.
            cooldown: For this many seconds after a run, the same contact does not trigger another.
            active: Whether it runs. False keeps it without running it; runs in progress end.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `automation_limit`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[Automation] = Call(
            method="POST",
            path="/automations",
            returns=Automation,
            body=pack(
                "NewAutomation",
                {
                    "profile_id": profile_id,
                    "name": name,
                    "trigger": trigger,
                    "actions": actions,
                    "conditions": conditions,
                    "cooldown": cooldown,
                    "active": active,
                },
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def update(
        self,
        automation_id: str,
        *,
        name: str | Omit = OMIT,
        trigger: params.AutomationTrigger | Omit = OMIT,
        conditions: Sequence[params.AutomationCondition] | Omit = OMIT,
        actions: Sequence[params.AutomationAction] | Omit = OMIT,
        cooldown: int | Omit = OMIT,
        active: bool | Omit = OMIT,
        if_match: str | None = None,
    ) -> Automation:
        """Update, disable or enable an automation.

        Runs in progress continue with the new version from their next step. Disabling it ends them. Send `If-Match`
        with the ETag of the version you read to prevent lost updates.

        Args:
            automation_id: The id of an automation, `auto_…`.
            name: Shown in lists, and in the `automation.triggered` event.
            trigger: The trigger: a `type` with its options.
            conditions: All of them must be true.
            actions: The actions, in order.
            cooldown: For this many seconds after a run, the same contact does not trigger another.
            active: Whether it runs. False keeps it without running it; runs in progress end.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[Automation] = Call(
            method="PATCH",
            path=fill("/automations/{}", automation_id),
            returns=Automation,
            body=pack(
                "AutomationChanges",
                {
                    "name": name,
                    "trigger": trigger,
                    "conditions": conditions,
                    "actions": actions,
                    "cooldown": cooldown,
                    "active": active,
                },
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return self._client.send(call)

    def delete(
        self,
        automation_id: str,
    ) -> DeletionConfirmation:
        """Delete an automation and end its runs. Their records can be read for 30 days.

        Args:
            automation_id: The id of an automation, `auto_…`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/automations/{}", automation_id),
            returns=DeletionConfirmation,
        )
        return self._client.send(call)

    def dry_run(
        self,
        automation_id: str,
        *,
        sample: params.SampleEvent,
        idempotency_key: str | None = None,
    ) -> DryRunResult:
        """Try an automation with a sample: see which conditions are true, and what its actions would do.

        Nothing is sent, and nothing is counted.

        Args:
            automation_id: The id of an automation, `auto_…`.
            sample: What would happen on the platform.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `unsupported_media_type`.

        """
        call: Call[DryRunResult] = Call(
            method="POST",
            path=fill("/automations/{}/dry-run", automation_id),
            returns=DryRunResult,
            body=pack("DryRunBody", {"sample": sample}),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class AutomationsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AutomationsResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.create = raw(resource.create)
        self.update = raw(resource.update)
        self.delete = raw(resource.delete)
        self.dry_run = raw(resource.dry_run)


class AsyncAutomationsResource(AsyncResource):
    """Automatic reactions: replies, messages, and steps that wait."""

    @cached_property
    def runs(self) -> AsyncAutomationsRunsResource:
        return AsyncAutomationsRunsResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> AsyncAutomationsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAutomationsResourceWithRawResponse(AsyncAutomationsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        active: bool | None = None,
    ) -> AsyncPages[Automation, AutomationPage]:
        """List automations, newest first.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only automations of this profile.
            active: Only active ones (true) or only disabled ones (false).

        """
        call: Call[AutomationPage] = Call(
            method="GET",
            path="/automations",
            returns=AutomationPage,
            query=pack_query({"limit": limit, "profileId": profile_id, "active": active}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        automation_id: str,
    ) -> Automation:
        """Return an automation, with how often it has run.

        Args:
            automation_id: The id of an automation, `auto_…`.

        """
        call: Call[Automation] = Call(
            method="GET",
            path=fill("/automations/{}", automation_id),
            returns=Automation,
        )
        return await self._client.send(call)

    async def create(
        self,
        *,
        profile_id: str,
        name: str,
        trigger: params.AutomationTrigger,
        actions: Sequence[params.AutomationAction],
        conditions: Sequence[params.AutomationCondition] | Omit = OMIT,
        cooldown: int | Omit = OMIT,
        active: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Automation:
        """Create an automation: its trigger, its conditions, and the actions to run in order.

        Texts can contain placeholders such as `{{contact.name}}`; the trigger decides which ones are available.

        Args:
            profile_id: The profile whose accounts it applies to.
            name: Shown in lists, and in the `automation.triggered` event.
            trigger: The trigger: a `type` with its options.
            actions: The actions, in order.
            conditions: All of them must be true.
            cooldown: For this many seconds after a run, the same contact does not trigger another.
            active: Whether it runs. False keeps it without running it; runs in progress end.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `automation_limit`, `body_too_large`, `idempotency_key_in_use`,
        `idempotency_key_reused`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[Automation] = Call(
            method="POST",
            path="/automations",
            returns=Automation,
            body=pack(
                "NewAutomation",
                {
                    "profile_id": profile_id,
                    "name": name,
                    "trigger": trigger,
                    "actions": actions,
                    "conditions": conditions,
                    "cooldown": cooldown,
                    "active": active,
                },
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def update(
        self,
        automation_id: str,
        *,
        name: str | Omit = OMIT,
        trigger: params.AutomationTrigger | Omit = OMIT,
        conditions: Sequence[params.AutomationCondition] | Omit = OMIT,
        actions: Sequence[params.AutomationAction] | Omit = OMIT,
        cooldown: int | Omit = OMIT,
        active: bool | Omit = OMIT,
        if_match: str | None = None,
    ) -> Automation:
        """Update, disable or enable an automation.

        Runs in progress continue with the new version from their next step. Disabling it ends them. Send `If-Match`
        with the ETag of the version you read to prevent lost updates.

        Args:
            automation_id: The id of an automation, `auto_…`.
            name: Shown in lists, and in the `automation.triggered` event.
            trigger: The trigger: a `type` with its options.
            conditions: All of them must be true.
            actions: The actions, in order.
            cooldown: For this many seconds after a run, the same contact does not trigger another.
            active: Whether it runs. False keeps it without running it; runs in progress end.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[Automation] = Call(
            method="PATCH",
            path=fill("/automations/{}", automation_id),
            returns=Automation,
            body=pack(
                "AutomationChanges",
                {
                    "name": name,
                    "trigger": trigger,
                    "conditions": conditions,
                    "actions": actions,
                    "cooldown": cooldown,
                    "active": active,
                },
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return await self._client.send(call)

    async def delete(
        self,
        automation_id: str,
    ) -> DeletionConfirmation:
        """Delete an automation and end its runs. Their records can be read for 30 days.

        Args:
            automation_id: The id of an automation, `auto_…`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/automations/{}", automation_id),
            returns=DeletionConfirmation,
        )
        return await self._client.send(call)

    async def dry_run(
        self,
        automation_id: str,
        *,
        sample: params.SampleEvent,
        idempotency_key: str | None = None,
    ) -> DryRunResult:
        """Try an automation with a sample: see which conditions are true, and what its actions would do.

        Nothing is sent, and nothing is counted.

        Args:
            automation_id: The id of an automation, `auto_…`.
            sample: What would happen on the platform.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `unsupported_media_type`.

        """
        call: Call[DryRunResult] = Call(
            method="POST",
            path=fill("/automations/{}/dry-run", automation_id),
            returns=DryRunResult,
            body=pack("DryRunBody", {"sample": sample}),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncAutomationsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAutomationsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.create = async_raw(resource.create)
        self.update = async_raw(resource.update)
        self.delete = async_raw(resource.delete)
        self.dry_run = async_raw(resource.dry_run)
