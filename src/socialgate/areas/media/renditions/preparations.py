"""What is to be done with a file of a post before it can be published, as it is stored with the post."""

from typing import Literal

import msgspec

from socialgate.areas.media.renditions.plans import Plan
from socialgate.areas.media.renditions.recipes import Recipe, build_rendition_key
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import MediaFile
from socialgate.contracts.renditions import Change


class Preparation(msgspec.Struct, frozen=True, kw_only=True):
    """`position` is the place of the file among those of the target, `role` whether it is the file or its cover."""

    media_id: str
    # Any file of the owner with this content will do. Empty in those from before it was stored.
    source_sha256: str = ""
    position: int
    role: Literal["file", "cover"]
    key: str
    kind: Kind
    recipe: Recipe
    changes: tuple[Change, ...]


def build_preparation(
    plan: Plan, source: MediaFile, position: int, role: Literal["file", "cover"], kind: Kind
) -> Preparation | None:
    """Return what a plan does with a file; None if it changes nothing."""
    if plan.recipe is None:
        return None
    return Preparation(
        media_id=source.id,
        source_sha256=source.sha256,
        position=position,
        role=role,
        key=build_rendition_key(source.sha256, plan.recipe),
        kind=kind,
        recipe=plan.recipe,
        changes=plan.changes,
    )
