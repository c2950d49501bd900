"""What is done with the files of a target so that its platform accepts them: planned with validation, made by jobs."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.areas.media.renditions.planner import plan_cover_frame, plan_cover_image, plan_file
from socialgate.areas.media.renditions.plans import Plan
from socialgate.areas.media.renditions.preparations import Preparation, build_preparation
from socialgate.areas.media.renditions.service import RenditionService
from socialgate.areas.posts import store
from socialgate.areas.posts.contents import decode_preparations
from socialgate.areas.posts.schemas import MediaRef
from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY
from socialgate.areas.posts.tables import PostRow, PostStatus, TargetRow, TargetStatus
from socialgate.areas.posts.verdict_schemas import FileChange, TargetVerdict
from socialgate.contracts.platforms import KindManifest
from socialgate.contracts.publishing import MediaFile
from socialgate.contracts.renditions import Fit
from socialgate.core.db import Tx
from socialgate.core.errors import Fault


class PlannedFiles:
    """The files of a target as they will be, what makes them so, and why some cannot be made to fit."""

    def __init__(self, manifest: KindManifest, options: Mapping[str, Any], fit: Fit) -> None:
        self._manifest = manifest
        self._options = options
        self._fit = fit
        self.files: list[MediaFile] = []
        self.preparations: list[Preparation] = []
        self.faults: list[Fault] = []
        self.warnings: list[str] = []
        # The positions of files about which everything was said.
        self._explained: set[int] = set()

    def add_unplanned(self, file: MediaFile) -> None:
        """Add a file that cannot be edited as the post wants it: what it would be then is unknown."""
        self._explained.add(len(self.files))
        self.files.append(file)

    def add(self, ref: MediaRef, file: MediaFile, *, is_alone: bool) -> None:
        position = len(self.files)
        plan = plan_file(self._manifest, self._options, file, self._fit, trim=ref.trim, is_alone=is_alone)
        result = plan.file
        self._record(plan, file, position, "file")
        if file.thumbnail is not None:
            cover = plan_cover_image(self._manifest, self._options, file.thumbnail, self._fit)
            self._record(cover, file.thumbnail, position, "cover", "/thumbnailMediaId")
            result = msgspec.structs.replace(result, thumbnail=cover.file)
        elif ref.cover_at is not None and file.type == "video":
            frame = plan_cover_frame(self._manifest, self._options, file, ref.cover_at, self._fit)
            if frame is None:
                self.warnings.append(f"{self._manifest.name} does not accept a cover: `coverAt` was left out.")
            else:
                self._record(frame, file, position, "cover", "/coverAt")
                if frame.recipe is not None:
                    result = msgspec.structs.replace(result, thumbnail=frame.file)
        self.files.append(result)

    def _record(self, plan: Plan, source: MediaFile, position: int, role: Any, field: str = "") -> None:
        place = f"/media/{position}{field}"
        for fault in plan.faults:
            # What is wrong with a file that is published as it is, validation finds by itself.
            if self._fit.mode != "none" or fault.pointer or fault.code == "out_of_range":
                self.faults.append(Fault(f"{place}{fault.pointer}", fault.code, fault.detail))
                if role == "file":
                    self._explained.add(position)
        preparation = build_preparation(plan, source, position, role, self._manifest.kind)
        if preparation is not None:
            self.preparations.append(preparation)

    def replace_faults(self, faults: Sequence[Fault]) -> list[Fault]:
        """Return what is wrong: about a file that cannot be made to fit, only why."""
        explained = {fault.pointer for fault in self.faults}
        explained |= {f"/media/{position}" for position in self._explained}
        return [*(fault for fault in faults if fault.pointer not in explained), *self.faults]


def show_changes(account_id: str, preparations: Sequence[Preparation]) -> TargetVerdict:
    changes = [
        FileChange(
            media_id=preparation.media_id,
            aspect=change.aspect,
            before=change.before,
            after=change.after,
            why=change.why,
        )
        for preparation in preparations
        for change in preparation.changes
    ]
    return TargetVerdict(account_id=account_id, changes=changes)


async def request_renditions(tx: Tx, renditions: RenditionService, post: PostRow, of_post: Sequence[TargetRow]) -> None:
    """Have the files of a post made to fit, long before it is due. Those of a draft are not needed yet."""
    needed = [preparation for target in of_post for preparation in decode_preparations(target)]
    if needed and post.status is not PostStatus.DRAFT:
        needed_at = post.scheduled_for or tx.now
        await renditions.find_or_request(tx, post.owner_id, post.profile_id, needed, needed_at)


async def request_missing(tx: Tx, renditions: RenditionService, target: TargetRow) -> bool:
    """Have files made that are missing, because they were deleted or the last attempt failed. True: none is."""
    if target.status is TargetStatus.PENDING:
        # What was wrong before it was due. From now on an error is about this attempt.
        await store.clear_error(tx, target)
    post = await store.find_post(tx, target.owner_id, target.post_id)
    assert post is not None, "a target has a post"
    needed = decode_preparations(target)
    ready = await renditions.find_or_request(tx, post.owner_id, post.profile_id, needed, tx.now)
    return len(ready) == len({preparation.key for preparation in needed})


async def resume_if_settled(tx: Tx, renditions: RenditionService, target: TargetRow) -> None:
    """Continue now if the files became ready, or turned out unfit, before it was recorded that the target waits."""
    of_post = (await store.list_targets(tx, target.owner_id, [target.post_id]))[target.post_id]
    current = next((row for row in of_post if row.id == target.id), target)
    needed = decode_preparations(current)
    ready = await renditions.find(tx, current.owner_id, needed)
    is_settled = current.error is not None or len(ready) == len({preparation.key for preparation in needed})
    if is_settled and await store.resume_prepared(tx, current.owner_id):
        tx.wake_on_commit(PUBLISHING_WAKE_KEY)
