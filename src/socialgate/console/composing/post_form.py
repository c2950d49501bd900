"""The form of a post: read as the bodies of the API, and filled in from a stored post.

Fields: `account` and `media` have an id each time they occur; `text.<account>`, `option.<account>.<path>`,
`fit.<account>.<part>` and `alt.<file>` are for one of them. Blank ones count as omitted.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, UnsetType

from socialgate.areas.accounts.schemas import Account
from socialgate.areas.posts.schemas import MediaRef, NewPost, NewTarget, Post, PostChanges, PostMedia
from socialgate.areas.posts.tables import PostStatus
from socialgate.console.composing.fit_fields import read_fit, write_fit
from socialgate.console.composing.option_fields import OptionField, list_option_fields, read_options, write_options
from socialgate.console.forms import FormData
from socialgate.contracts.platforms import KindManifest

# What a field for a time has, in the time zone of the page.
TIME_FORMAT = "%Y-%m-%dT%H:%M"

# What a person, or the browser by itself, saves without publishing it.
AUTOSAVE_ACT = "keep"
DRAFT_ACTS = ("draft", AUTOSAVE_ACT)


class Destination(msgspec.Struct, frozen=True, kw_only=True):
    """An account that can publish, with what its kind accepts."""

    account: Account
    manifest: KindManifest

    @property
    def name(self) -> str:
        """What people call the platform."""
        return self.manifest.name.removesuffix(" account")

    @property
    def fields(self) -> list[OptionField]:
        return list_option_fields(self.manifest.options)


class Composed(msgspec.Struct, frozen=True, kw_only=True):
    """What the form says, before it says when."""

    profile_id: str
    content: str
    media: list[MediaRef]
    targets: list[NewTarget]
    first_comment: str | None
    time: str | None

    def build_new(self, act: str, base: Post | None, zone: str) -> NewPost:
        """Return a new post. `act` says when to publish it: `now`, `at`, `queue`, or not yet."""
        return NewPost(
            profile_id=self.profile_id,
            content=self.content,
            media=self.media,
            targets=self.targets,
            first_comment=self.first_comment,
            metadata=None if base is None else base.metadata,
            timezone=zone,
            # A draft keeps the time that it is intended for.
            scheduled_for=(self.time or ("" if act == "at" else None)) if act in ("at", *DRAFT_ACTS) else None,
            publish_now=act == "now",
            draft=act in DRAFT_ACTS,
            queue=act == "queue",
        )

    def build_changes(self, act: str, base: Post, zone: str) -> PostChanges:
        """Return what changes in a stored post. Keeping a scheduled post as a draft removes its time."""
        return PostChanges(
            content=self.content,
            media=self.media,
            targets=self.targets,
            first_comment=self.first_comment,
            timezone=zone,
            scheduled_for=self._get_changed_time(act, base),
            publish_now=act == "now",
        )

    def _get_changed_time(self, act: str, base: Post) -> str | UnsetType | None:
        if act == "at":
            return self.time or ""
        return None if act == "draft" and base.status is PostStatus.SCHEDULED else UNSET


def read_post(form: FormData, profile_id: str, destinations: Mapping[str, Destination], base: Post | None) -> Composed:
    """Read the form. Accounts that are not in the profile are left to validation, and files of single accounts stay."""
    own_files = {} if base is None else {target.account_id: target.media for target in base.targets}
    return Composed(
        profile_id=profile_id,
        content=_normalize(form.value("content")),
        media=_read_files(form, base),
        targets=[
            NewTarget(
                account_id=account_id,
                content=_normalize(form.value(f"text.{account_id}")) or None,
                media=_copy_files(own_files.get(account_id)),
                options=_read_account_options(form, destinations.get(account_id)),
                fit=read_fit(form.find_values(f"fit.{account_id}.")),
            )
            for account_id in dict.fromkeys(form.values("account"))
        ],
        first_comment=_normalize(form.value("firstComment")) or None,
        time=form.value("time") or None,
    )


def fill_form(post: Post, destinations: Mapping[str, Destination], zone: ZoneInfo, *, keeps_time: bool) -> FormData:
    """Fill in the form from a stored post."""
    fields: dict[str, Sequence[str]] = {
        "content": [post.content],
        "account": [target.account_id for target in post.targets],
        "media": [file.media_id for file in post.media],
        "firstComment": [post.first_comment or ""],
        "when": ["now"],
    }
    if keeps_time and post.scheduled_for is not None:
        fields |= {"time": [format_time(post.scheduled_for, zone)], "when": ["at"]}
    for file in post.media:
        fields[f"alt.{file.media_id}"] = [file.alt or ""]
    for target in post.targets:
        fields[f"text.{target.account_id}"] = [target.content or ""]
        fields |= {f"fit.{target.account_id}.{part}": [value] for part, value in write_fit(target.fit).items()}
        if (destination := destinations.get(target.account_id)) is not None:
            written = write_options(destination.fields, target.options)
            fields |= {f"option.{target.account_id}.{path}": [value] for path, value in written.items()}
    return FormData(fields)


def format_time(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).strftime(TIME_FORMAT)


def _read_account_options(form: FormData, destination: Destination | None) -> dict[str, object]:
    if destination is None:
        return {}
    return read_options(destination.fields, form.find_values(f"option.{destination.account.id}."))


def _read_files(form: FormData, base: Post | None) -> list[MediaRef]:
    """List the chosen files. What the form does not show of them, such as a cover, stays as it is stored."""
    stored = {} if base is None else {file.media_id: build_ref(file) for file in base.media}
    return [
        msgspec.structs.replace(
            stored.get(media_id) or MediaRef(media_id=media_id), alt=form.value(f"alt.{media_id}").strip() or None
        )
        for media_id in dict.fromkeys(form.values("media"))
    ]


def _copy_files(files: Sequence[PostMedia] | None) -> list[MediaRef] | None:
    return None if files is None else [build_ref(file) for file in files]


def build_ref(file: PostMedia) -> MediaRef:
    """Refer to a file of a stored post, with everything that is stored about it there."""
    return MediaRef(**msgspec.structs.asdict(file))


def _normalize(text: str) -> str:
    """Return a text as it was typed: browsers send line breaks as CR LF."""
    return text.replace("\r\n", "\n").strip()
