# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Lead forms, the leads submitted through them, and your team's progress with each lead."""

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
from ..types import DeletionConfirmation, Lead, LeadForm, LeadFormPage, LeadPage, LeadState, LeadStatePage


class LeadsFormsResource(Resource):
    """Lead forms, the leads submitted through them, and your team's progress with each lead."""

    @cached_property
    def with_raw_response(self) -> LeadsFormsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return LeadsFormsResourceWithRawResponse(LeadsFormsResource(RawSender(self._root), self._root))

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
    ) -> Pages[LeadForm, LeadFormPage]:
        """List the lead forms of an account or an ad account, live from the platform.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[LeadFormPage] = Call(
            method="GET",
            path=fill("/accounts/{}/lead-forms", account_id),
            returns=LeadFormPage,
            query=pack_query({"limit": limit}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        account_id: str,
        form_id: str,
    ) -> LeadForm:
        """Return a lead form with its questions.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            form_id: The platform's own id of a lead form.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[LeadForm] = Call(
            method="GET",
            path=fill("/accounts/{}/lead-forms/{}", account_id, form_id),
            returns=LeadForm,
        )
        return self._client.send(call)

    def create(
        self,
        account_id: str,
        *,
        name: str,
        questions: Sequence[params.NewLeadQuestion],
        privacy_policy_url: str,
        privacy_policy_text: str | None = None,
        locale: str | None = None,
        follow_up_url: str | None = None,
        thank_you: params.NewLeadThankYouPage | None = None,
        idempotency_key: str | None = None,
    ) -> LeadForm:
        """Create a lead form on the platform.

        This works for Facebook Pages; TikTok has no API for it and returns 422 `not_supported`. Send an
        `Idempotency-Key`: repeating the request with it never creates a second form.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            name: The name, which only you see. It must be unique on the Page.
            questions: The questions, in order.
            privacy_policy_url: The URL of your privacy policy. Platforms require one.
            privacy_policy_text: The text of the link to your privacy policy.
            locale: The language of the form, such as `pt_BR`.
            follow_up_url: The page that opens after submitting, if there is no `thankYou` with a `url`.
            thank_you: What people see after submitting it. By default the platform's own page.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[LeadForm] = Call(
            method="POST",
            path=fill("/accounts/{}/lead-forms", account_id),
            returns=LeadForm,
            body=pack(
                "NewLeadForm",
                {
                    "name": name,
                    "questions": questions,
                    "privacy_policy_url": privacy_policy_url,
                    "privacy_policy_text": privacy_policy_text,
                    "locale": locale,
                    "follow_up_url": follow_up_url,
                    "thank_you": thank_you,
                },
                without_none=("privacy_policy_text", "locale", "follow_up_url", "thank_you"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def simulate(
        self,
        account_id: str,
        form_id: str,
        *,
        country: str | None = None,
        idempotency_key: str | None = None,
    ) -> Lead:
        """Simulate a lead: `lead.received` is sent with realistic answers to the questions of the form.

        It is processed like a real lead and stored with `test: true`. The person is invented, the phone number is from
        a range reserved for fiction, and the email address ends in `@example.com`. Automations ignore it. The request
        has no body.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            form_id: The platform's own id of a lead form.
            country: US, GB, DE, FR or SE. Default: the country of the account, otherwise that of the form's language,
                otherwise US.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `needs_reconnection`, `not_supported`, `permission_missing`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.

        """
        call: Call[Lead] = Call(
            method="POST",
            path=fill("/accounts/{}/lead-forms/{}/test-webhook", account_id, form_id),
            returns=Lead,
            query=pack_query({"country": country}),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class LeadsFormsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: LeadsFormsResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.create = raw(resource.create)
        self.simulate = raw(resource.simulate)


class AsyncLeadsFormsResource(AsyncResource):
    """Lead forms, the leads submitted through them, and your team's progress with each lead."""

    @cached_property
    def with_raw_response(self) -> AsyncLeadsFormsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncLeadsFormsResourceWithRawResponse(AsyncLeadsFormsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
    ) -> AsyncPages[LeadForm, LeadFormPage]:
        """List the lead forms of an account or an ad account, live from the platform.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[LeadFormPage] = Call(
            method="GET",
            path=fill("/accounts/{}/lead-forms", account_id),
            returns=LeadFormPage,
            query=pack_query({"limit": limit}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        account_id: str,
        form_id: str,
    ) -> LeadForm:
        """Return a lead form with its questions.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            form_id: The platform's own id of a lead form.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[LeadForm] = Call(
            method="GET",
            path=fill("/accounts/{}/lead-forms/{}", account_id, form_id),
            returns=LeadForm,
        )
        return await self._client.send(call)

    async def create(
        self,
        account_id: str,
        *,
        name: str,
        questions: Sequence[params.NewLeadQuestion],
        privacy_policy_url: str,
        privacy_policy_text: str | None = None,
        locale: str | None = None,
        follow_up_url: str | None = None,
        thank_you: params.NewLeadThankYouPage | None = None,
        idempotency_key: str | None = None,
    ) -> LeadForm:
        """Create a lead form on the platform.

        This works for Facebook Pages; TikTok has no API for it and returns 422 `not_supported`. Send an
        `Idempotency-Key`: repeating the request with it never creates a second form.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            name: The name, which only you see. It must be unique on the Page.
            questions: The questions, in order.
            privacy_policy_url: The URL of your privacy policy. Platforms require one.
            privacy_policy_text: The text of the link to your privacy policy.
            locale: The language of the form, such as `pt_BR`.
            follow_up_url: The page that opens after submitting, if there is no `thankYou` with a `url`.
            thank_you: What people see after submitting it. By default the platform's own page.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[LeadForm] = Call(
            method="POST",
            path=fill("/accounts/{}/lead-forms", account_id),
            returns=LeadForm,
            body=pack(
                "NewLeadForm",
                {
                    "name": name,
                    "questions": questions,
                    "privacy_policy_url": privacy_policy_url,
                    "privacy_policy_text": privacy_policy_text,
                    "locale": locale,
                    "follow_up_url": follow_up_url,
                    "thank_you": thank_you,
                },
                without_none=("privacy_policy_text", "locale", "follow_up_url", "thank_you"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def simulate(
        self,
        account_id: str,
        form_id: str,
        *,
        country: str | None = None,
        idempotency_key: str | None = None,
    ) -> Lead:
        """Simulate a lead: `lead.received` is sent with realistic answers to the questions of the form.

        It is processed like a real lead and stored with `test: true`. The person is invented, the phone number is from
        a range reserved for fiction, and the email address ends in `@example.com`. Automations ignore it. The request
        has no body.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            form_id: The platform's own id of a lead form.
            country: US, GB, DE, FR or SE. Default: the country of the account, otherwise that of the form's language,
                otherwise US.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `needs_reconnection`, `not_supported`, `permission_missing`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.

        """
        call: Call[Lead] = Call(
            method="POST",
            path=fill("/accounts/{}/lead-forms/{}/test-webhook", account_id, form_id),
            returns=Lead,
            query=pack_query({"country": country}),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncLeadsFormsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncLeadsFormsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.create = async_raw(resource.create)
        self.simulate = async_raw(resource.simulate)


class LeadsResource(Resource):
    """Lead forms, the leads submitted through them, and your team's progress with each lead."""

    @cached_property
    def forms(self) -> LeadsFormsResource:
        return LeadsFormsResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> LeadsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return LeadsResourceWithRawResponse(LeadsResource(RawSender(self._root), self._root))

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        form: str | None = None,
        since: str | dt.datetime | None = None,
        state: params.LeadStateNameInput | None = None,
    ) -> Pages[Lead, LeadPage]:
        """List the leads of an account, newest first, no matter how they arrived.

        Leads that the platform's webhooks have not reported are read first and sent as `lead.received`; each lead is
        reported once. With `Accept: text/csv`, a page is a table with a column for each answer, and the `Link` header
        has the URL of the next page.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Maximum number of rows per page.
            form: Only leads of this form.
            since: Only leads submitted since then.
            state: Only leads in this state.

        Error codes beside the common ones: `needs_reconnection`, `not_acceptable`, `not_supported`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[LeadPage] = Call(
            method="GET",
            path=fill("/accounts/{}/leads", account_id),
            returns=LeadPage,
            query=pack_query({"limit": limit, "form": form, "since": since, "state": state}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        account_id: str,
        lead_id: str,
    ) -> Lead:
        """Return a stored lead. Send its `etag` as `If-Match` when you change its state.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            lead_id: The id of a lead, `lead_…`.

        Error codes beside the common ones: `not_supported`.

        """
        call: Call[Lead] = Call(
            method="GET",
            path=fill("/accounts/{}/leads/{}", account_id, lead_id),
            returns=Lead,
        )
        return self._client.send(call)

    def delete(
        self,
        account_id: str,
        lead_id: str,
    ) -> DeletionConfirmation:
        """Erase the personal data of a lead: its answers, notes and assignee, including in the event that reported it.

        Conversations that automations opened with the person because of this lead are deleted, and what automations
        sent to others because of it is emptied. The platform keeps its own copy. Sweeps do not bring the lead back.
        This works for disconnected accounts too.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            lead_id: The id of a lead, `lead_…`.

        Error codes beside the common ones: `conversation_busy`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/accounts/{}/leads/{}", account_id, lead_id),
            returns=DeletionConfirmation,
        )
        return self._client.send(call)

    def set_state(
        self,
        account_id: str,
        lead_id: str,
        *,
        state: params.LeadStateNameInput | Omit = OMIT,
        assignee: str | None | Omit = OMIT,
        note: str | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> LeadState:
        """Update the state, assignee or note of a lead.

        Any state may follow any other. Each change is recorded in `history`. Nothing is sent to the platform.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            lead_id: The id of a lead, `lead_…`.
            state: The new state. A lead can go from any state to any other.
            assignee: Who is responsible for it; any text.
            note: A note for your team.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[LeadState] = Call(
            method="PATCH",
            path=fill("/accounts/{}/lead-states/{}", account_id, lead_id),
            returns=LeadState,
            body=pack("LeadStateChanges", {"state": state, "assignee": assignee, "note": note}),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return self._client.send(call)

    def states(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        form: str | None = None,
        since: str | dt.datetime | None = None,
        state: params.LeadStateNameInput | None = None,
    ) -> Pages[LeadState, LeadStatePage]:
        """List the states of the leads of an account, in the order of the leads.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Maximum number of rows per page.
            form: Only leads of this form.
            since: Only leads submitted since then.
            state: Only leads in this state.

        """
        call: Call[LeadStatePage] = Call(
            method="GET",
            path=fill("/accounts/{}/lead-states", account_id),
            returns=LeadStatePage,
            query=pack_query({"limit": limit, "form": form, "since": since, "state": state}),
        )
        return Pages(self._client, call, "cursor")


class LeadsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: LeadsResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.delete = raw(resource.delete)
        self.set_state = raw(resource.set_state)
        self.states = raw_page(resource.states)


class AsyncLeadsResource(AsyncResource):
    """Lead forms, the leads submitted through them, and your team's progress with each lead."""

    @cached_property
    def forms(self) -> AsyncLeadsFormsResource:
        return AsyncLeadsFormsResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> AsyncLeadsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncLeadsResourceWithRawResponse(AsyncLeadsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        form: str | None = None,
        since: str | dt.datetime | None = None,
        state: params.LeadStateNameInput | None = None,
    ) -> AsyncPages[Lead, LeadPage]:
        """List the leads of an account, newest first, no matter how they arrived.

        Leads that the platform's webhooks have not reported are read first and sent as `lead.received`; each lead is
        reported once. With `Accept: text/csv`, a page is a table with a column for each answer, and the `Link` header
        has the URL of the next page.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Maximum number of rows per page.
            form: Only leads of this form.
            since: Only leads submitted since then.
            state: Only leads in this state.

        Error codes beside the common ones: `needs_reconnection`, `not_acceptable`, `not_supported`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[LeadPage] = Call(
            method="GET",
            path=fill("/accounts/{}/leads", account_id),
            returns=LeadPage,
            query=pack_query({"limit": limit, "form": form, "since": since, "state": state}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        account_id: str,
        lead_id: str,
    ) -> Lead:
        """Return a stored lead. Send its `etag` as `If-Match` when you change its state.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            lead_id: The id of a lead, `lead_…`.

        Error codes beside the common ones: `not_supported`.

        """
        call: Call[Lead] = Call(
            method="GET",
            path=fill("/accounts/{}/leads/{}", account_id, lead_id),
            returns=Lead,
        )
        return await self._client.send(call)

    async def delete(
        self,
        account_id: str,
        lead_id: str,
    ) -> DeletionConfirmation:
        """Erase the personal data of a lead: its answers, notes and assignee, including in the event that reported it.

        Conversations that automations opened with the person because of this lead are deleted, and what automations
        sent to others because of it is emptied. The platform keeps its own copy. Sweeps do not bring the lead back.
        This works for disconnected accounts too.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            lead_id: The id of a lead, `lead_…`.

        Error codes beside the common ones: `conversation_busy`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/accounts/{}/leads/{}", account_id, lead_id),
            returns=DeletionConfirmation,
        )
        return await self._client.send(call)

    async def set_state(
        self,
        account_id: str,
        lead_id: str,
        *,
        state: params.LeadStateNameInput | Omit = OMIT,
        assignee: str | None | Omit = OMIT,
        note: str | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> LeadState:
        """Update the state, assignee or note of a lead.

        Any state may follow any other. Each change is recorded in `history`. Nothing is sent to the platform.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            lead_id: The id of a lead, `lead_…`.
            state: The new state. A lead can go from any state to any other.
            assignee: Who is responsible for it; any text.
            note: A note for your team.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[LeadState] = Call(
            method="PATCH",
            path=fill("/accounts/{}/lead-states/{}", account_id, lead_id),
            returns=LeadState,
            body=pack("LeadStateChanges", {"state": state, "assignee": assignee, "note": note}),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return await self._client.send(call)

    def states(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        form: str | None = None,
        since: str | dt.datetime | None = None,
        state: params.LeadStateNameInput | None = None,
    ) -> AsyncPages[LeadState, LeadStatePage]:
        """List the states of the leads of an account, in the order of the leads.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Maximum number of rows per page.
            form: Only leads of this form.
            since: Only leads submitted since then.
            state: Only leads in this state.

        """
        call: Call[LeadStatePage] = Call(
            method="GET",
            path=fill("/accounts/{}/lead-states", account_id),
            returns=LeadStatePage,
            query=pack_query({"limit": limit, "form": form, "since": since, "state": state}),
        )
        return AsyncPages(self._client, call, "cursor")


class AsyncLeadsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncLeadsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.delete = async_raw(resource.delete)
        self.set_state = async_raw(resource.set_state)
        self.states = async_raw_page(resource.states)
