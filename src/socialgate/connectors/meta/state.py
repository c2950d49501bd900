"""Where a post of Meta's stands between two stages, and which form it has."""

from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

from socialgate.connectors.stages import leads_to
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import Content, Continue, Done


class Form(StrEnum):
    TEXT = "text"
    PHOTOS = "photos"
    VIDEO = "video"
    REEL = "reel"
    PHOTO_STORY = "photo story"
    VIDEO_STORY = "video story"
    IMAGE = "image"
    CAROUSEL = "carousel"

    @property
    def is_story(self) -> bool:
        return self in {Form.PHOTO_STORY, Form.VIDEO_STORY}


class State(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`began` is when publishing was about to be asked for, `known` which posts with this text there were before.

    `parts` are the unseen photos of a Page's post, or the children of a carousel. `lost` tells that it may be public,
    or may become so by a call that was not answered; `id` is set once it certainly is.
    """

    parts: tuple[str, ...] = ()
    container: str = ""
    video: str = ""
    session: str = ""
    upload_url: str = ""
    offset: int = 0
    end: int = 0
    began: datetime | None = None
    known: tuple[str, ...] = ()
    polls: int = 0
    tries: int = 0
    restarts: int = 0
    lost: bool = False
    id: str = ""
    url: str | None = None
    at: datetime | None = None
    warnings: tuple[str, ...] = ()


class Job(NamedTuple):
    """One stage of one post."""

    held: AccountCredentials
    content: Content
    state: State

    @property
    def account(self) -> str:
        return self.held.platform_account_id

    @property
    def token(self) -> str:
        return self.held.secret["access_token"]

    @property
    def form(self) -> Form:
        return form_of(self.held.kind, self.content)

    def having(self, **changes: Any) -> "Job":
        return self._replace(state=msgspec.structs.replace(self.state, **changes))

    def go(self, stage: str, *, wait: float = 0.0, **changes: Any) -> Continue:
        state = self.having(**changes).state
        public = bool(state.id)
        return leads_to(stage, state, wait, handed_over=public or state.lost, lost=state.lost and not public)

    def done(self, *warnings: str) -> Done:
        left_out = warnings_of(self.held.kind, self.content)
        return Done(
            platform_post_id=self.state.id,
            url=self.state.url,
            published_at=self.state.at,
            warnings=(*self.state.warnings, *left_out, *warnings),
        )


def form_of(kind: Kind, content: Content) -> Form:
    """Say what a post becomes. What has no form at all is named by `faults`."""
    video = any(file.type == "video" for file in content.media)
    wanted = content.options.get("form")
    if wanted == "story":
        return Form.VIDEO_STORY if video else Form.PHOTO_STORY
    if wanted == "reel":
        return Form.REEL
    if kind is Kind.FACEBOOK_PAGE:
        return Form.VIDEO if video else Form.PHOTOS if content.media else Form.TEXT
    if len(content.media) > 1:
        return Form.CAROUSEL
    # Instagram makes a reel of every single video.
    return Form.REEL if video else Form.IMAGE


def warnings_of(kind: Kind, content: Content) -> list[str]:
    """Tell what the platform has no place for."""
    form = form_of(kind, content)
    warnings = []
    if form.is_story and content.text.strip():
        warnings.append("A story shows no text: the text was left out.")
    if form.is_story and content.first_comment:
        warnings.append("A story takes no comments: the first comment was left out.")
    if any(file.thumbnail for file in content.media):
        if kind is Kind.FACEBOOK_PAGE:
            warnings.append("Facebook chose the preview picture itself: the one given was left out.")
        elif form is not Form.REEL:
            warnings.append("Instagram takes a preview picture for a reel only: the one given was left out.")
    return warnings


def same_text(one: str | None, other: str | None) -> bool:
    """Compare as people read: Meta trims texts, and spells line ends its own way."""
    return (one or "").split() == (other or "").split()


def pace(polls: int) -> float:
    """Say how long to wait before asking again: soon at first, then once a minute as Meta advises."""
    first = (2.0, 5.0, 10.0, 20.0, 30.0)
    return first[polls] if polls < len(first) else 60.0
