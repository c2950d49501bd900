"""Cancelling posts before they are due, and deleting them afterwards if the platform allows it."""

import asyncio

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.operations.service import Operations
from socialgate.areas.posts import store
from socialgate.areas.posts.ledger import release_media
from socialgate.areas.posts.schemas import ObjectDeleted, PlatformDeletion, PostDeleted, PostDeletion
from socialgate.areas.posts.tables import PostRow, PostStatus, TargetRow, TargetStatus
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NotSupported, PlatformFailure, PlatformNotFound
from socialgate.contracts.operations import OperationType, done_if_gone
from socialgate.contracts.publishing import DELETE_POST, Removing
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, NotFound
from socialgate.core.work import Work

_CANCELLABLE = {PostStatus.DRAFT, PostStatus.SCHEDULED}


class PostIsOut(Conflict):
    """The post was published, and the request does not say what to delete.

    Send `?platforms=true` to delete it on the platforms that allow it, or `?platforms=false` to delete only our record.
    """

    code = "post_is_published"
    title = "Choose what to delete"


class PostIsPublishing(Conflict):
    """The post is being published right now, or the outcome of a target is unknown.

    Wait until it is finished; decide unconfirmed targets with `POST /posts/{postId}/reconcile`.
    """

    code = "post_publishing"
    title = "The post is being published"


class PostDeletionService:
    def __init__(self, of_accounts: Accounts, operations: Operations) -> None:
        self._accounts = of_accounts
        self._operations = operations

    async def delete(self, work: Work, post_id: str, asked: PostDeletion) -> PostDeleted:
        row, of_post = await work.read(self._found, work.caller, post_id)
        if row.status in _CANCELLABLE:
            return await work.db.write(self._cancel, work.caller, post_id)
        if row.status is PostStatus.PUBLISHING:
            raise PostIsPublishing(
                "The post is being published. Wait until it is finished; decide unconfirmed targets with POST "
                "/posts/{postId}/reconcile."
            )
        if row.status is PostStatus.CANCELLED:
            # The request is repeated, or another one cancelled the post: the result is the same.
            return PostDeleted(id=post_id, status="cancelled", platforms=[])
        if asked.platforms is None:
            raise PostIsOut("Add ?platforms=true or ?platforms=false: otherwise published posts stay on the platforms.")
        results = []
        if asked.platforms:
            published = [one for one in of_post if one.status is TargetStatus.PUBLISHED]
            results = await asyncio.gather(*(self._delete_there(work, one) for one in published))
        await work.db.write(self._forget, row)
        return PostDeleted(id=post_id, status="deleted", platforms=results)

    async def delete_object(self, work: Work, account_id: str, object_id: str) -> ObjectDeleted:
        account = await work.read(self._accounts.find, work.caller, account_id)
        return await self._operations.run(work, account, DELETE, Deletion(object_id=object_id))

    async def _found(self, tx: Tx, caller: Caller, post_id: str) -> tuple[PostRow, list[TargetRow]]:
        row = await store.find(tx, caller.owner_id, post_id)
        if row is None:
            raise NotFound("There is no post with this id. GET /posts lists the existing ones.")
        caller.require_profile(row.profile_id)
        return row, (await store.targets_of(tx, caller.owner_id, [post_id]))[post_id]

    async def _forget(self, tx: Tx, row: PostRow) -> None:
        """Delete our record, unless the post was retried while the platforms were called."""
        now = await store.find_for_change(tx, row.owner_id, row.id)
        if now is not None and (now.status, now.round) != (row.status, row.round):
            raise PostIsPublishing("The post was retried in the meantime. Wait until it is finished.")
        await store.delete(tx, row.owner_id, row.id)

    async def _cancel(self, tx: Tx, caller: Caller, post_id: str) -> PostDeleted:
        """Cancel what is not published. If a worker takes it at this moment, wait for it: then it is too late."""
        row = await store.find_for_change(tx, caller.owner_id, post_id)
        if row is None or row.status not in _CANCELLABLE:
            raise PostIsPublishing("Publishing has just started. Wait until it is finished.")
        await store.cancel(tx, row)
        of_post = (await store.targets_of(tx, caller.owner_id, [post_id]))[post_id]
        await release_media(tx, caller.owner_id, [row, *of_post])
        return PostDeleted(id=post_id, status="cancelled", platforms=[])

    async def _delete_there(self, work: Work, target: TargetRow) -> PlatformDeletion:
        account = await work.read(accounts.find_account, target.owner_id, target.account_id)
        try:
            if account is None:
                raise NotSupported("The account is no longer connected.", platform=target.platform)
            if target.platform_post_id is None:
                raise NotSupported("The id of the post on the platform is not known.", platform=target.platform)
            await self._operations.perform(account, DELETE, Deletion(object_id=target.platform_post_id))
        except PlatformNotFound:
            if target.confirmed_by_person:
                detail = "The platform has no post with the id that was given. Check there whether it is still live."
                return PlatformDeletion(account_id=target.account_id, deleted=False, detail=detail)
            return PlatformDeletion(account_id=target.account_id, deleted=True, detail="It was already deleted.")
        except PlatformFailure as failure:
            return PlatformDeletion(account_id=target.account_id, deleted=False, detail=failure.detail)
        return PlatformDeletion(account_id=target.account_id, deleted=True, detail=None)


class Deletion(msgspec.Struct, frozen=True):
    """What to delete: an object by its id on the platform."""

    object_id: str


async def _delete(removing: Removing, held: AccountCredentials, request: Deletion) -> None:
    await removing.remove(held, request.object_id)


async def _deleted(tx: Tx, account: AccountRow, request: Deletion, result: None) -> ObjectDeleted:
    del tx, result
    return ObjectDeleted(id=request.object_id, account_id=account.id)


DELETE = OperationType(
    name="posts.delete",
    request=Deletion,
    answer=ObjectDeleted,
    capability=DELETE_POST,
    lacks="does not support deleting posts through its API",
    call=_delete,
    record=_deleted,
    look=done_if_gone(_delete),
    shown=lambda request: {"objectId": request.object_id},
    object_id=lambda request, _: request.object_id,
)
