"""Whether a post would be accepted, checked before anything is stored: by the rules of each of its accounts."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.media import store as media
from socialgate.areas.media.files import Addresses, file_of
from socialgate.areas.media.store import MediaRow
from socialgate.areas.posts import rules, store
from socialgate.areas.posts.schemas import MediaRef, NewTarget
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.catalogue import Catalogue, kinds_that_can
from socialgate.contracts.platforms import Kind, KindManifest, Platform
from socialgate.contracts.publishing import POST, Content, MediaFile, Publishing
from socialgate.core.db import Tx
from socialgate.core.errors import Fault
from socialgate.web.options import option_faults, without_kind


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A requested post, with its files in place."""

    owner_id: str
    profile_id: str
    content: str
    media: Sequence[MediaRef]
    first_comment: str | None
    targets: Sequence[NewTarget]
    due_at: datetime
    # A credential for some profiles cannot access the files of the owner as a whole.
    limited: bool
    # Set if it replaces a post that is already scheduled.
    post_id: str | None = None


class Findings(msgspec.Struct, kw_only=True):
    """The findings: errors, warnings, and the accounts."""

    errors: list[Fault] = []
    warnings: list[Fault] = []
    accounts: list[AccountRow | None] = []


class Validation:
    def __init__(self, catalogue: Catalogue, addresses: Addresses) -> None:
        self._catalogue = catalogue
        self._addresses = addresses

    async def look(self, tx: Tx, draft: Draft, *, complete: bool) -> Findings:
        """Find everything that is wrong. For an incomplete draft, only check that what it refers to exists."""
        found = Findings(errors=[], warnings=[], accounts=[])
        if complete and not draft.targets:
            found.errors.append(
                Fault("/targets", "required", "targets is required: add at least one account to publish to.")
            )
        files = await self._files(tx, draft, found)
        seen: set[str] = set()
        for position, target in enumerate(draft.targets):
            pointer = f"/targets/{position}"
            account = await self._account(tx, draft, target, pointer, found)
            found.accounts.append(account)
            if target.account_id in seen:
                found.errors.append(Fault(f"{pointer}/accountId", "duplicate", "The account occurs twice."))
            seen.add(target.account_id)
            if account is not None and complete:
                await self._target(tx, draft, target, account, files, pointer, found)
        return found

    async def _files(self, tx: Tx, draft: Draft, found: Findings) -> Mapping[str, MediaRow]:
        lists = [("", draft.media), *((f"/targets/{n}", one.media or ()) for n, one in enumerate(draft.targets))]
        wanted = {pointer: media_id for place, refs in lists for pointer, media_id in _named(place, refs)}
        files = await media.find_all(tx, draft.owner_id, list(wanted.values()))
        for pointer, media_id in wanted.items():
            row = files.get(media_id)
            reached = row is not None and (
                row.profile_id == draft.profile_id or (row.profile_id is None and not draft.limited)
            )
            if not reached:
                detail = "There is no such file, or it has expired. Upload it with POST /upload."
                found.errors.append(Fault(pointer, "not_found", detail))
        return files

    async def _account(
        self, tx: Tx, draft: Draft, target: NewTarget, pointer: str, found: Findings
    ) -> AccountRow | None:
        row = await accounts.find_account(tx, draft.owner_id, target.account_id)
        if row is None or row.profile_id != draft.profile_id:
            detail = "This profile has no account with this id. GET /accounts lists its accounts."
            found.errors.append(Fault(f"{pointer}/accountId", "not_found", detail))
            return None
        return row

    async def _target(
        self,
        tx: Tx,
        draft: Draft,
        target: NewTarget,
        account: AccountRow,
        files: Mapping[str, MediaRow],
        pointer: str,
        found: Findings,
    ) -> None:
        manifest = self._catalogue.manifests[Platform(account.platform)].of(Kind(account.kind))
        connector = self._catalogue.connector(Platform(account.platform))
        publishing = None if connector is None else connector.part(manifest.kind, POST)
        if publishing is None:
            found.errors.append(Fault(f"{pointer}/accountId", "not_supported", self._who_can(manifest)))
            return
        if account.status != "connected":
            detail = "The account must be reconnected before it can publish. GET /accounts/health says why."
            found.errors.append(Fault(f"{pointer}/accountId", "needs_reconnection", detail))
        content = Content(
            text=draft.content if target.content is None else target.content,
            media=tuple(self._content_files(draft.media if target.media is None else target.media, files)),
            options=without_kind(target.options),
            first_comment=draft.first_comment,
        )
        faults = [_at(pointer, fault) for fault in _of_content(manifest, publishing, content, target.options)]
        faults += [_at(pointer, fault) for fault in _of_permissions(manifest, account, target.options)]
        found.errors += faults
        if not faults:
            sentences = publishing.left_out(content)
            found.warnings += [Fault(pointer, "left_out", sentence) for sentence in sentences]
        found.errors += [_at(pointer, fault) async for fault in _quotas(tx, draft, manifest, account)]

    def _content_files(self, refs: Sequence[MediaRef], files: Mapping[str, MediaRow]) -> Iterator[MediaFile]:
        for ref in refs:
            row = files.get(ref.media_id or "")
            if row is not None:
                thumbnail = files.get(ref.thumbnail_media_id or "")
                shown = None if thumbnail is None else file_of(thumbnail, self._addresses)
                yield file_of(row, self._addresses, alt=ref.alt, thumbnail=shown)

    def _who_can(self, manifest: KindManifest) -> str:
        able = ", ".join(kinds_that_can(self._catalogue.manifests, POST))
        return f"{manifest.name} does not accept posts. These kinds do: {able}."


def _of_content(
    manifest: KindManifest, publishing: Publishing, content: Content, options: Mapping[str, Any]
) -> Iterator[Fault]:
    yield from rules.faults_of(manifest, content)
    faults = option_faults(manifest.options, options, "options", manifest.kind)
    yield from faults
    if not faults:
        # The connector may rely on options that match the schema.
        yield from publishing.faults(content)


def _of_permissions(manifest: KindManifest, account: AccountRow, options: Mapping[str, Any]) -> Iterator[Fault]:
    """Check the options that need a permission of their own. What was granted is unknown before the first check."""
    granted = [] if account.health is None else account.health["permissions"]["granted"]
    for option in manifest.option_permissions.keys() & options.keys() if granted else ():
        missing = [scope for scope in manifest.option_permissions[option] if scope not in granted]
        if missing:
            detail = f"{option} needs a permission that {account.name} has not granted: {', '.join(missing)}."
            yield Fault(f"/options/{option}", "permission_missing", f"{detail} Reconnect the account to grant it.")


async def _quotas(tx: Tx, draft: Draft, manifest: KindManifest, account: AccountRow) -> Any:
    """Count published and scheduled posts against the platform's limit."""
    for quota in manifest.limits.quotas:
        if quota.name != "posts":
            continue
        span = timedelta(seconds=quota.seconds)
        others = await store.times_around(tx, draft.owner_id, account.id, draft.due_at, span, exclude=draft.post_id)
        number = rules.crowd_at(draft.due_at, others, span)
        if number > quota.limit:
            hours = quota.seconds // 3600
            yield Fault(
                "/accountId",
                "quota_exhausted",
                f"This would be post {number} of {quota.limit} on {account.name} within {hours} hours. Choose a later "
                "time.",
            )


def _named(place: str, refs: Sequence[MediaRef]) -> Iterator[tuple[str, str]]:
    for position, ref in enumerate(refs):
        if ref.media_id is not None:
            yield f"{place}/media/{position}/mediaId", ref.media_id
        if ref.thumbnail_media_id is not None:
            yield f"{place}/media/{position}/thumbnailMediaId", ref.thumbnail_media_id


def _at(pointer: str, fault: Fault) -> Fault:
    return Fault(f"{pointer}{fault.pointer}", fault.code, fault.detail)
