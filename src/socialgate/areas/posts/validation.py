"""Whether a post would be accepted, checked before anything is stored: by the rules of each of its accounts."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.media import store as media
from socialgate.areas.media.files import MediaUrlBuilder, build_media_file
from socialgate.areas.media.renditions.preparations import Preparation
from socialgate.areas.media.store import MediaRow
from socialgate.areas.posts import rules, store
from socialgate.areas.posts.media_edits import validate_edits
from socialgate.areas.posts.preparing import PlannedFiles
from socialgate.areas.posts.schemas import MediaRef, NewTarget
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connector_registry import ConnectorRegistry, list_supporting_kinds
from socialgate.contracts.platforms import Kind, KindManifest, Platform
from socialgate.contracts.publishing import PUBLISH_POST_CAPABILITY, MediaFile, PostContent, PostPublisher
from socialgate.contracts.renditions import Fit
from socialgate.core.db import Tx
from socialgate.core.errors import Fault
from socialgate.web.option_validation import remove_kind_field, validate_options


class PostToValidate(msgspec.Struct, frozen=True, kw_only=True):
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
    # How files are made to fit for targets that do not say.
    fit: Fit
    # Set if it replaces a post that is already scheduled.
    post_id: str | None = None


class ValidationIssues(msgspec.Struct, kw_only=True):
    """The findings: errors, warnings, and the accounts."""

    errors: list[Fault] = []
    warnings: list[Fault] = []
    accounts: list[AccountRow | None] = []
    # What is done with the files of each target, in the same order.
    preparations: list[list[Preparation]] = []


class PostValidator:
    def __init__(self, catalogue: ConnectorRegistry, addresses: MediaUrlBuilder) -> None:
        self._catalogue = catalogue
        self._addresses = addresses

    async def validate(self, tx: Tx, draft: PostToValidate, *, complete: bool) -> ValidationIssues:
        """Find everything that is wrong. For an incomplete draft, only check that what it refers to exists."""
        validation_issues = ValidationIssues(errors=[], warnings=[], accounts=[], preparations=[])
        if complete and not draft.targets:
            validation_issues.errors.append(
                Fault("/targets", "required", "targets is required: add at least one account to publish to.")
            )
        files = await self._find_files(tx, draft, validation_issues)
        if complete:
            validation_issues.errors += _validate_edits(draft, files)
        seen: set[str] = set()
        for position, target in enumerate(draft.targets):
            pointer = f"/targets/{position}"
            account = await self._find_account(tx, draft, target, pointer, validation_issues)
            validation_issues.accounts.append(account)
            validation_issues.preparations.append([])
            if target.account_id in seen:
                validation_issues.errors.append(Fault(f"{pointer}/accountId", "duplicate", "The account occurs twice."))
            seen.add(target.account_id)
            if account is not None and complete:
                await self._validate_target(tx, draft, target, account, files, pointer, validation_issues)
        return validation_issues

    async def _find_files(self, tx: Tx, draft: PostToValidate, issues: ValidationIssues) -> Mapping[str, MediaRow]:
        lists = [("", draft.media), *((f"/targets/{n}", target.media or ()) for n, target in enumerate(draft.targets))]
        values = {pointer: media_id for place, refs in lists for pointer, media_id in _iterate_media_ids(place, refs)}
        files = await media.find_all_media(tx, draft.owner_id, list(values.values()))
        for pointer, media_id in values.items():
            row = files.get(media_id)
            reached = row is not None and (
                row.profile_id == draft.profile_id or (row.profile_id is None and not draft.limited)
            )
            if not reached:
                detail = "There is no such file, or it has expired. Upload it with POST /upload."
                issues.errors.append(Fault(pointer, "not_found", detail))
        return files

    async def _find_account(
        self, tx: Tx, draft: PostToValidate, target: NewTarget, pointer: str, issues: ValidationIssues
    ) -> AccountRow | None:
        row = await accounts.find_account(tx, draft.owner_id, target.account_id)
        if row is None or row.profile_id != draft.profile_id:
            detail = "This profile has no account with this id. GET /accounts lists its accounts."
            issues.errors.append(Fault(f"{pointer}/accountId", "not_found", detail))
            return None
        return row

    async def _validate_target(
        self,
        tx: Tx,
        draft: PostToValidate,
        target: NewTarget,
        account: AccountRow,
        files: Mapping[str, MediaRow],
        pointer: str,
        issues: ValidationIssues,
    ) -> None:
        manifest = self._catalogue.manifests[Platform(account.platform)].get_kind_manifest(Kind(account.kind))
        connector = self._catalogue.find_connector(Platform(account.platform))
        publishing = None if connector is None else connector.find_adapter(manifest.kind, PUBLISH_POST_CAPABILITY)
        if publishing is None:
            issues.errors.append(Fault(f"{pointer}/accountId", "not_supported", self._list_supporting_kinds(manifest)))
            return
        if account.status != "connected":
            detail = "The account must be reconnected before it can publish. GET /accounts/health says why."
            issues.errors.append(Fault(f"{pointer}/accountId", "needs_reconnection", detail))
        planned = PlannedFiles(manifest, target.options, target.fit or draft.fit)
        refs = draft.media if target.media is None else target.media
        for ref, file in self._build_content_files(refs, files):
            # What is wrong with the edits themselves was said once for all targets.
            impossible = " ".join(fault.pointer for fault in validate_edits(ref, file.type, file.duration, ""))
            if "trim" in impossible:
                planned.add_unplanned(file)
            else:
                possible = msgspec.structs.replace(ref, cover_at=None) if impossible else ref
                shown = msgspec.structs.replace(file, thumbnail=None) if "thumbnail" in impossible else file
                planned.add(possible, shown, is_alone=len(refs) == 1)
        content = PostContent(
            text=draft.content if target.content is None else target.content,
            media=tuple(planned.files),
            options=remove_kind_field(target.options),
            first_comment=draft.first_comment,
        )
        of_content = list(_validate_content(manifest, publishing, content, target.options))
        faults = [_prefix_pointer(pointer, fault) for fault in planned.replace_faults(of_content)]
        issues.preparations[-1] += planned.preparations
        faults += [
            _prefix_pointer(pointer, fault) for fault in _validate_permissions(manifest, account, target.options)
        ]
        issues.errors += faults
        if not faults:
            sentences = [*publishing.list_omission_warnings(content), *planned.warnings]
            issues.warnings += [Fault(pointer, "left_out", sentence) for sentence in sentences]
        issues.errors += [
            _prefix_pointer(pointer, fault) async for fault in _validate_quota(tx, draft, manifest, account)
        ]

    def _build_content_files(
        self, refs: Sequence[MediaRef], files: Mapping[str, MediaRow]
    ) -> Iterator[tuple[MediaRef, MediaFile]]:
        for ref in refs:
            row = files.get(ref.media_id or "")
            if row is not None:
                thumbnail = files.get(ref.thumbnail_media_id or "")
                shown = None if thumbnail is None else build_media_file(thumbnail, self._addresses)
                yield ref, build_media_file(row, self._addresses, alt=ref.alt, thumbnail=shown)

    def _list_supporting_kinds(self, manifest: KindManifest) -> str:
        able = ", ".join(list_supporting_kinds(self._catalogue.manifests, PUBLISH_POST_CAPABILITY))
        return f"{manifest.name} does not accept posts. These kinds do: {able}."


def _validate_edits(draft: PostToValidate, files: Mapping[str, MediaRow]) -> Iterator[Fault]:
    """List what is wrong with the edits of files: once for the post, and for the targets with files of their own."""
    places = [("", draft.media), *((f"/targets/{n}", target.media or ()) for n, target in enumerate(draft.targets))]
    for place, refs in places:
        for position, ref in enumerate(refs):
            row = files.get(ref.media_id or "")
            if row is not None:
                yield from validate_edits(ref, row.type, row.duration, f"{place}/media/{position}")


def _validate_content(
    manifest: KindManifest, publishing: PostPublisher, content: PostContent, options: Mapping[str, Any]
) -> Iterator[Fault]:
    yield from rules.validate_against_manifest(manifest, content)
    faults = validate_options(manifest.options, options, "options", manifest.kind)
    yield from faults
    if not faults:
        # The connector may rely on options that match the schema.
        yield from publishing.validate_content(content)


def _validate_permissions(manifest: KindManifest, account: AccountRow, options: Mapping[str, Any]) -> Iterator[Fault]:
    """Check the options that need a permission of their own. What was granted is unknown before the first check."""
    granted = [] if account.health is None else account.health["permissions"]["granted"]
    for option in manifest.option_permissions.keys() & options.keys() if granted else ():
        missing = [scope for scope in manifest.option_permissions[option] if scope not in granted]
        if missing:
            detail = f"{option} needs a permission that {account.name} has not granted: {', '.join(missing)}."
            yield Fault(f"/options/{option}", "permission_missing", f"{detail} Reconnect the account to grant it.")


async def _validate_quota(tx: Tx, draft: PostToValidate, manifest: KindManifest, account: AccountRow) -> Any:
    """Count published and scheduled posts against the platform's limit."""
    for quota in manifest.limits.quotas:
        if quota.name != "posts":
            continue
        span = timedelta(seconds=quota.seconds)
        others = await store.list_post_times_around(
            tx, draft.owner_id, account.id, draft.due_at, span, exclude=draft.post_id
        )
        number = rules.count_posts_in_window(draft.due_at, others, span)
        if number > quota.limit:
            hours = quota.seconds // 3600
            yield Fault(
                "/accountId",
                "quota_exhausted",
                f"This would be post {number} of {quota.limit} on {account.name} within {hours} hours. Choose a later "
                "time.",
            )


def _iterate_media_ids(place: str, refs: Sequence[MediaRef]) -> Iterator[tuple[str, str]]:
    for position, ref in enumerate(refs):
        if ref.media_id is not None:
            yield f"{place}/media/{position}/mediaId", ref.media_id
        if ref.thumbnail_media_id is not None:
            yield f"{place}/media/{position}/thumbnailMediaId", ref.thumbnail_media_id


def _prefix_pointer(pointer: str, fault: Fault) -> Fault:
    return Fault(f"{pointer}{fault.pointer}", fault.code, fault.detail)
