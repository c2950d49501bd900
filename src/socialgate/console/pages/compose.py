"""Compose: one text for many accounts, with the differences visible, and what each platform will show."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from socialgate.areas.accounts.schemas import Account, AccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.generation.service import GenerationService
from socialgate.areas.media.multipart import MultipartFileReader
from socialgate.areas.media.receiving import parse_content_length
from socialgate.areas.media.resumable_uploads import MAX_FILE_BYTES
from socialgate.areas.media.schemas import MediaItem, MediaQuery
from socialgate.areas.media.service import MediaService
from socialgate.areas.media.uploading import MediaUploads
from socialgate.areas.posts.media_fetcher import PostMediaFetcher
from socialgate.areas.posts.queue import NoFreeSlotError, QueueService
from socialgate.areas.posts.queue_schemas import NextSlotQuery
from socialgate.areas.posts.schemas import MediaRef, Post, PostChanges
from socialgate.areas.posts.service import PostNotEditableError, PostService
from socialgate.areas.posts.tables import PostStatus
from socialgate.console.composing.assistant import Assistant, Request
from socialgate.console.composing.findings import Findings, place_findings
from socialgate.console.composing.fit_fields import BACKGROUNDS, FIT_MODES, name_fit_mode
from socialgate.console.composing.post_form import (
    DRAFT_ACTS,
    Composed,
    Destination,
    build_ref,
    fill_form,
    read_post,
)
from socialgate.console.composing.post_saver import PostSaver, PostToSave
from socialgate.console.formatting import short_date
from socialgate.console.forms import KEY_FIELD, FormData, read_form
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Shown, Values, console_page
from socialgate.console.pages.media import get_own_address, is_previewed
from socialgate.console.rendering import AnyRequest
from socialgate.console.visit import PageQuery, Visit
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.generation import AiClientLoader
from socialgate.contracts.publishing import PUBLISH_POST_CAPABILITY
from socialgate.contracts.renditions import Fit
from socialgate.core.errors import InvalidRequest
from socialgate.web.etags import ExpectedVersion
from socialgate.web.form_keys import is_form_key
from socialgate.web.pagination import MAX_PAGE_LIMIT

COMPOSE_PATH = "/console/compose"
_TEMPLATE = "compose.html"
_FORM = "save"
_LIBRARY_FILES = 24
# The accounts of the largest profiles fill this many pages of the list.
_MAX_ACCOUNT_PAGES = 10
# How many accounts can be chosen without a search.
_MAX_OFFERED = 20
_EDITABLE = (PostStatus.DRAFT, PostStatus.SCHEDULED)
# What a button can do besides asking the assistant. Everything else only shows the page again.
_SAVING_ACTS = frozenset({"now", "at", "queue", *DRAFT_ACTS})

Id = Annotated[str, Meta(max_length=40)]


class ComposeQuery(PageQuery, frozen=True, kw_only=True):
    """Which post to edit, which one to start from, and the time to begin with."""

    post: Id | None = None
    copy: Id | None = None
    at: Annotated[str, Meta(max_length=16, pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$(?!\n)")] | None = (
        None
    )


class ComposeServices:
    """What the page needs of the areas."""

    def __init__(
        self,
        accounts: AccountService,
        posts: PostService,
        queue: QueueService,
        library: MediaService,
        media_fetcher: PostMediaFetcher,
        generations: GenerationService,
        generators: AiClientLoader,
        catalogue: ConnectorRegistry,
    ) -> None:
        self.accounts = accounts
        self.posts = posts
        self.queue = queue
        self.library = library
        self.media_fetcher = media_fetcher
        self.saver = PostSaver(posts, queue)
        self.assistant = Assistant(generations, generators)
        self.catalogue = catalogue


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """What a post is written with: its profile, the accounts there, and the post that is stored already."""

    profile_id: str
    zone: ZoneInfo
    destinations: Mapping[str, Destination]
    base: Post | None
    is_edited: bool


@console_page(
    COMPOSE_PATH,
    _TEMPLATE,
    query=ComposeQuery,
    entry=Entry(label="Compose", icon="pen", group=Group.WORK, key="c"),
)
async def compose_page(visit: Visit, params: ComposeQuery, composing: ComposeServices) -> Values:
    desk = await _open_desk(visit, params, composing)
    if desk is None:
        return {"desk": None}
    sent = visit.form(_FORM)
    if sent.failure is None:
        return await _show(visit, composing, desk, _fill(visit, params, desk), Findings())
    composed = read_post(sent, desk.profile_id, desk.destinations, desk.base)
    return await _show(visit, composing, desk, sent, place_findings(composed, desk.destinations, sent.failure.errors))


@compose_page.form(_FORM, None, path="")
async def save_post(visit: Visit, params: ComposeQuery, request: AnyRequest, composing: ComposeServices) -> Outcome:
    form = await read_form(request)
    visit.keep_form(_FORM, form)
    desk = await _open_desk(visit, params, composing)
    if desk is None:
        return Done("Choose a profile first.", tone="warn")
    composed = read_post(form, desk.profile_id, desk.destinations, desk.base)
    act, _, subject = form.value("act").partition(":")
    if act in _SAVING_ACTS:
        return await _save(visit, composing, desk, composed, act, form)
    if act == "ask":
        form = await composing.assistant.fulfil(visit.work, desk.profile_id, Request(subject, composed), form)
    elif act == "drop":
        form = form.replaced(media=[media_id for media_id in form.values("media") if media_id != subject])
    elif act in ("earlier", "later"):
        form = form.replaced(media=_moved(form.values("media"), subject, -1 if act == "earlier" else 1))
    composed = read_post(form, desk.profile_id, desk.destinations, desk.base)
    findings = await _check(visit, composing, desk, composed, form.value("when"))
    return Shown(_TEMPLATE, await _show(visit, composing, desk, form, findings))


@compose_page.form("upload", None, most_bytes=MAX_FILE_BYTES)
async def add_file(
    visit: Visit, params: ComposeQuery, request: AnyRequest, uploads: MediaUploads, composing: ComposeServices
) -> Outcome:
    """Add a file to a stored draft, for browsers without scripts."""
    desk = await _open_desk(visit, params, composing)
    if desk is None or desk.base is None or not desk.is_edited:
        raise InvalidRequest.for_field("/file", "required", "Save the post as a draft first, then add files to it.")
    multipart = MultipartFileReader(request.stream(), request.headers.get("content-type", ""))
    chunks = await multipart.open()
    announced = parse_content_length(request.headers.get("content-length"))
    item = await uploads.receive_upload(visit.work, desk.profile_id, multipart.file_name, chunks, announced=announced)
    refs = [*map(build_ref, desk.base.media), MediaRef(media_id=item.id)]
    await visit.work.write(
        composing.posts.change, visit.caller, desk.base.id, PostChanges(media=refs), ExpectedVersion(None)
    )
    return Done("The file was added.")


async def _open_desk(visit: Visit, params: ComposeQuery, services: ComposeServices) -> Desk | None:
    """Find what the post is written with. None if it is not clear for which profile."""
    base = None
    if params.post or params.copy:
        base = await visit.work.read(services.posts.show, visit.caller, params.post or params.copy or "")
        if params.post and base.status not in _EDITABLE:
            raise PostNotEditableError(f"The post is {base.status}. Only drafts and scheduled posts can be changed.")
        # A post belongs to a profile, and so does the page that edits it.
        visit.profile = next((profile for profile in visit.profiles if profile.id == base.profile_id), visit.profile)
    profile_id = visit.profile_id if base is None else base.profile_id
    if profile_id is None:
        return None
    return Desk(
        profile_id=profile_id,
        zone=visit.zone,
        destinations=await _list_destinations(visit, services, profile_id),
        base=base,
        is_edited=params.post is not None,
    )


async def _list_destinations(visit: Visit, services: ComposeServices, profile_id: str) -> dict[str, Destination]:
    """List the accounts of the profile that can publish."""
    listed: list[Account] = []
    cursor = None
    for _ in range(_MAX_ACCOUNT_PAGES):
        query = AccountsQuery(limit=MAX_PAGE_LIMIT, profile_id=profile_id, cursor=cursor)
        page = await visit.work.read(services.accounts.list, visit.caller, query)
        listed += page.data
        cursor = page.next_cursor
        if cursor is None:
            break
    manifests = services.catalogue.manifests
    return {
        account.id: Destination(account=account, manifest=manifests[account.platform].get_kind_manifest(account.kind))
        for account in sorted(listed, key=lambda account: (account.kind, account.name))
        if PUBLISH_POST_CAPABILITY.name in account.capabilities
    }


def _fill(visit: Visit, params: ComposeQuery, desk: Desk) -> FormData:
    """Return what the form begins with."""
    if desk.base is not None:
        form = fill_form(desk.base, desk.destinations, visit.zone, keeps_time=desk.is_edited)
    else:
        form = FormData({"when": ["now"], "account": list(desk.destinations) if len(desk.destinations) == 1 else []})
    return form.replaced(time=[params.at], when=["at"]) if params.at else form


async def _check(visit: Visit, services: ComposeServices, desk: Desk, composed: Composed, when: str) -> Findings:
    act = when if when in ("now", "at", "queue") else "now"
    try:
        new = composed.build_new(act, desk.base, desk.zone.key)
        verdict = await services.media_fetcher.validate_post(visit.work, new)
    except InvalidRequest as failure:
        return place_findings(composed, desk.destinations, failure.errors)
    return place_findings(composed, desk.destinations, verdict.errors, verdict.warnings, verdict.targets)


async def _save(
    visit: Visit, services: ComposeServices, desk: Desk, composed: Composed, act: str, form: FormData
) -> Outcome:
    post = await _store(visit, services, desk, composed, act, form)
    if act in DRAFT_ACTS and post.status is PostStatus.DRAFT:
        return Done("The draft was saved.", to=visit.link(COMPOSE_PATH, post=post.id))
    where = visit.link(f"/console/posts/{post.id}")
    if post.status is PostStatus.SCHEDULED and post.scheduled_for is not None:
        return Done(f"Scheduled for {_format_day(post.scheduled_for, visit)}.", to=where)
    return Done("The post is being published.", to=where)


async def _store(
    visit: Visit, services: ComposeServices, desk: Desk, composed: Composed, act: str, form: FormData
) -> Post:
    key = form.value(KEY_FIELD)
    saved = PostToSave(
        act=act,
        composed=composed,
        new=await services.media_fetcher.fetch_for_post(visit.work, composed.build_new(act, desk.base, desk.zone.key)),
        zone=desk.zone.key,
        path=COMPOSE_PATH,
        key=key if is_form_key(key) else None,
        post_id=desk.base.id if desk.base is not None and desk.is_edited else None,
    )
    return await visit.work.write(services.saver.save, visit.caller, saved)


async def _show(visit: Visit, services: ComposeServices, desk: Desk, form: FormData, findings: Findings) -> Values:
    composed = read_post(form, desk.profile_id, desk.destinations, desk.base)
    library = await visit.work.read(
        services.library.list_media, visit.caller, MediaQuery(limit=_LIBRARY_FILES, profile_id=desk.profile_id)
    )
    shared = await visit.work.read(services.library.list_media, visit.caller, MediaQuery(limit=_LIBRARY_FILES))
    chosen = [ref.media_id for ref in composed.media if ref.media_id is not None]
    files = await visit.work.read(services.library.list_by_ids, visit.caller, chosen)
    targets = [target for target in composed.targets if target.account_id in desk.destinations]
    offered, unlisted = _choose_offered(desk.destinations, form)
    return {
        "desk": desk,
        "offered": offered,
        "unlisted": unlisted,
        "form": form,
        "composed": composed,
        "targets": targets,
        "findings": findings,
        "files": files,
        "chosen": chosen,
        "library": _choose_library([*library.data, *shared.data], desk.profile_id, chosen),
        "tomorrow": visit.today + timedelta(days=1),
        "next_slot": await _find_next_slot(visit, services, desk, [target.account_id for target in targets]),
        "time_name": _name_time(composed.time, visit),
        "limits": [
            (
                desk.destinations[target.account_id],
                _count(desk.destinations[target.account_id], composed, target.content),
            )
            for target in targets
        ],
        "fit_modes": {"": f"As the profile says: {name_fit_mode(_get_profile_fit(visit)).lower()}", **FIT_MODES},
        "backgrounds": BACKGROUNDS,
        "focused": next((item for item in map(files.get, chosen) if item is not None and is_previewed(item)), None),
        "assistant": services.assistant,
        "address_of": get_own_address,
        "is_previewed": is_previewed,
    }


def _get_profile_fit(visit: Visit) -> Fit | None:
    return None if visit.profile is None else visit.profile.fit


def _choose_offered(destinations: Mapping[str, Destination], form: FormData) -> tuple[dict[str, Destination], int]:
    """Return the chosen accounts and those with the searched name, as many as a page has room for, and how many not."""
    sought = form.value("find").strip().casefold()
    chosen = [account_id for account_id in destinations if form.holds("account", account_id)]
    matching = [
        account_id
        for account_id, destination in destinations.items()
        if account_id not in chosen and sought in f"{destination.name} {destination.account.name}".casefold()
    ]
    offered = {*chosen, *matching[:_MAX_OFFERED]}
    listed = {account_id: item for account_id, item in destinations.items() if account_id in offered}
    return listed, max(0, len(matching) - _MAX_OFFERED)


def _choose_library(items: Sequence[MediaItem], profile_id: str, chosen: Sequence[str]) -> list[MediaItem]:
    """Return the newest files that the post can use and does not use yet."""
    usable = {item.id: item for item in items if item.profile_id in (profile_id, None) and item.id not in chosen}
    return sorted(usable.values(), key=lambda item: item.created_at, reverse=True)[:_LIBRARY_FILES]


async def _find_next_slot(
    visit: Visit, services: ComposeServices, desk: Desk, account_ids: Sequence[str]
) -> datetime | None:
    query = NextSlotQuery(profile_id=desk.profile_id, account_id=list(account_ids) or None)
    try:
        return (await visit.work.read(services.queue.find_next_free_slot, visit.caller, query)).at
    except NoFreeSlotError:
        return None


def _count(destination: Destination, composed: Composed, own: str | None) -> int:
    return destination.manifest.limits.count_text_length(composed.content if own is None else own)


def _name_time(text: str | None, visit: Visit) -> str | None:
    """Name the chosen time as people say it; None if none is chosen, or it is not one."""
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return _format_day(moment.replace(tzinfo=visit.zone) if moment.tzinfo is None else moment, visit)


def _format_day(moment: datetime, visit: Visit) -> str:
    return f"{moment.astimezone(visit.zone):%a} {short_date(moment, visit.now, visit.zone)}"


def _moved(media_ids: Sequence[str], media_id: str, step: int) -> list[str]:
    """Move a file one place."""
    order = list(dict.fromkeys(media_ids))
    if media_id in order:
        place = order.index(media_id)
        order.insert(max(place + step, 0), order.pop(place))
    return order
