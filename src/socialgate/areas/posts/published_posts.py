"""Cancelling posts before they are due, and deleting them afterwards if the platform allows it."""

import asyncio

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.operations.service import OperationService
from socialgate.areas.posts import store
from socialgate.areas.posts.schemas import DeletePostQuery, PlatformDeletion, PlatformObjectDeleted, PostDeleted
from socialgate.areas.posts.step_writer import release_media
from socialgate.areas.posts.tables import PostRow, PostStatus, TargetRow, TargetStatus
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import NotSupportedError, PlatformFailure, PlatformNotFoundError
from socialgate.contracts.operations import OperationType, look_up_deletion
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, PostDeleter
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, NotFound
from socialgate.core.unit_of_work import UnitOfWork

_CANCELLABLE_STATUSES = {PostStatus.DRAFT, PostStatus.SCHEDULED}


class PostIsPublishedError(Conflict):
    """The post was published, and the request does not say what to delete.

    Send `?platforms=true` to delete it on the platforms that allow it, or `?platforms=false` to delete only our record.
    """

    code = "post_is_published"
    title = "Choose what to delete"


class PostIsPublishingError(Conflict):
    """The post is being published right now, or the outcome of a target is unknown.

    Wait until it is finished; decide unconfirmed targets with `POST /posts/{postId}/reconcile`.
    """

    code = "post_publishing"
    title = "The post is being published"


class PostDeletionService:
    def __init__(self, of_accounts: AccountService, operations: OperationService) -> None:
        self._accounts = of_accounts
        self._operations = operations

    async def delete(self, work: UnitOfWork, post_id: str, query: DeletePostQuery) -> PostDeleted:
        row, of_post = await work.read(self._require_post_with_targets, work.caller, post_id)
        if row.status in _CANCELLABLE_STATUSES:
            return await work.db.write(self._cancel, work.caller, post_id)
        if row.status is PostStatus.PUBLISHING:
            raise PostIsPublishingError(
                "The post is being published. Wait until it is finished; decide unconfirmed targets with POST "
                "/posts/{postId}/reconcile."
            )
        if row.status is PostStatus.CANCELLED:
            # The request is repeated, or another one cancelled the post: the result is the same.
            return PostDeleted(id=post_id, status="cancelled", platforms=[])
        if query.platforms is None:
            raise PostIsPublishedError(
                "Add ?platforms=true or ?platforms=false: otherwise published posts stay on the platforms."
            )
        results = []
        if query.platforms:
            published = [row for row in of_post if row.status is TargetStatus.PUBLISHED]
            results = await asyncio.gather(*(self._delete_on_platform(work, row) for row in published))
        await work.db.write(self._delete_record, row)
        return PostDeleted(id=post_id, status="deleted", platforms=results)

    async def delete_by_platform_id(self, work: UnitOfWork, account_id: str, object_id: str) -> PlatformObjectDeleted:
        account = await work.read(self._accounts.find, work.caller, account_id)
        return await self._operations.run(work, account, DELETE_POST_OPERATION, DeletePostRequest(object_id=object_id))

    async def _require_post_with_targets(self, tx: Tx, caller: Caller, post_id: str) -> tuple[PostRow, list[TargetRow]]:
        row = await store.find_post(tx, caller.owner_id, post_id)
        if row is None:
            raise NotFound("There is no post with this id. GET /posts lists the existing ones.")
        caller.require_profile_access(row.profile_id)
        return row, (await store.list_targets(tx, caller.owner_id, [post_id]))[post_id]

    async def _delete_record(self, tx: Tx, row: PostRow) -> None:
        """Delete our record, unless the post was retried while the platforms were called."""
        now = await store.find_post_for_change(tx, row.owner_id, row.id)
        if now is not None and (now.status, now.round) != (row.status, row.round):
            raise PostIsPublishingError("The post was retried in the meantime. Wait until it is finished.")
        await store.delete_post(tx, row.owner_id, row.id)

    async def _cancel(self, tx: Tx, caller: Caller, post_id: str) -> PostDeleted:
        """Cancel what is not published. If a worker takes it at this moment, wait for it: then it is too late."""
        row = await store.find_post_for_change(tx, caller.owner_id, post_id)
        if row is None or row.status not in _CANCELLABLE_STATUSES:
            raise PostIsPublishingError("Publishing has just started. Wait until it is finished.")
        await store.cancel_post(tx, row)
        of_post = (await store.list_targets(tx, caller.owner_id, [post_id]))[post_id]
        await release_media(tx, caller.owner_id, [row, *of_post])
        return PostDeleted(id=post_id, status="cancelled", platforms=[])

    async def _delete_on_platform(self, work: UnitOfWork, target: TargetRow) -> PlatformDeletion:
        account = await work.read(accounts.find_account, target.owner_id, target.account_id)
        try:
            if account is None:
                raise NotSupportedError("The account is no longer connected.", platform=target.platform)
            if target.platform_post_id is None:
                raise NotSupportedError("The id of the post on the platform is not known.", platform=target.platform)
            await self._operations.run_without_response(
                account, DELETE_POST_OPERATION, DeletePostRequest(object_id=target.platform_post_id)
            )
        except PlatformNotFoundError:
            if target.confirmed_by_person:
                detail = "The platform has no post with the id that was given. Check there whether it is still live."
                return PlatformDeletion(account_id=target.account_id, deleted=False, detail=detail)
            return PlatformDeletion(account_id=target.account_id, deleted=True, detail="It was already deleted.")
        except PlatformFailure as failure:
            return PlatformDeletion(account_id=target.account_id, deleted=False, detail=failure.detail)
        return PlatformDeletion(account_id=target.account_id, deleted=True, detail=None)


class DeletePostRequest(msgspec.Struct, frozen=True):
    """What to delete: an object by its id on the platform."""

    object_id: str


async def _delete_post(removing: PostDeleter, credentials: AccountCredentials, request: DeletePostRequest) -> None:
    await removing.delete_post(credentials, request.object_id)


async def _record_deletion(
    tx: Tx, account: AccountRow, request: DeletePostRequest, result: None
) -> PlatformObjectDeleted:
    del tx, result
    return PlatformObjectDeleted(id=request.object_id, account_id=account.id)


DELETE_POST_OPERATION = OperationType(
    name="posts.delete",
    request=DeletePostRequest,
    response_type=PlatformObjectDeleted,
    capability=DELETE_POST_CAPABILITY,
    unsupported_phrase="does not support deleting posts through its API",
    call=_delete_post,
    record=_record_deletion,
    look=look_up_deletion(_delete_post),
    summarize_request=lambda request: {"objectId": request.object_id},
    get_object_id=lambda request, _: request.object_id,
)
