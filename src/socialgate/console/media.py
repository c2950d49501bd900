"""The media page: uploading a file, the list of files, and uploads in progress."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta

from socialgate.areas.identity.service import Identity
from socialgate.areas.media.forms import FileInForm
from socialgate.areas.media.receiving import announced_size
from socialgate.areas.media.resuming import MOST_BYTES
from socialgate.areas.media.schemas import MediaItem, MediaQuery
from socialgate.areas.media.service import Library
from socialgate.areas.media.upload_records import UploadRecords
from socialgate.areas.media.uploading import MediaUploads
from socialgate.areas.posts.uses import FileUses
from socialgate.areas.profiles.service import Profiles
from socialgate.console.forms import Form
from socialgate.console.pages import FRAMED, SHOWING, AnyRequest, Page, for_person, go_to, page, problem_of, show
from socialgate.contracts.catalogue import Catalogue
from socialgate.core.errors import MalformedRequest, ServiceError, Unauthenticated
from socialgate.core.work import Work
from socialgate.web.paging import MAX_LIMIT, ListQuery
from socialgate.web.schema import Query

LIST = "/console/media"
PROGRESS = "/console/media/progress"
_FORM = "multipart/form-data"
_SHOWN = 25
# Without JavaScript, a frame shows updates by reloading itself: often during an upload, occasionally while one may
# start. In an open window this would keep an unused session alive, so it stops after an hour.
_MOVING_SECONDS = 1
_IDLE_SECONDS = 3
_MOST_IDLE = 200
# Formats that every browser can show, and that are small enough to load as a thumbnail.
_PREVIEWED = {"image/jpeg", "image/png", "image/gif", "image/webp"}
_MOST_PREVIEWED = 8 * 1024 * 1024


class ListedQuery(Query, frozen=True, kw_only=True):
    """Where the list continues, and what was just done."""

    cursor: Annotated[str, Meta(max_length=200)] | None = None
    done: Literal["uploaded"] | None = None


class ProgressQuery(Query, frozen=True, kw_only=True):
    """How many times in a row nothing was in progress."""

    idle: Annotated[int, Meta(ge=0, le=_MOST_IDLE)] = 0


class MediaPages:
    """Collects what the page shows, also when its form comes back with an error."""

    def __init__(
        self,
        library: Library,
        records: UploadRecords,
        uses: FileUses,
        profiles: Profiles,
        identity: Identity,
        catalogue: Catalogue,
    ) -> None:
        self._library = library
        self._records = records
        self._uses = uses
        self._profiles = profiles
        self._identity = identity
        self._manifests = catalogue.manifests

    async def list(self, work: Work, query: ListedQuery, form: Form) -> Page:
        profiles = await work.read(self._profiles.list, work.caller, ListQuery(limit=MAX_LIMIT))
        media = await work.read(self._library.recent, work.caller, MediaQuery(limit=_SHOWN, cursor=query.cursor))
        oldest = min((item.created_at for item in media.data), default=work.db.clock.now())
        ids = [item.id for item in media.data]
        return show(
            "media.html",
            form.status,
            SHOWING,
            media=media,
            uses=await work.read(self._uses.find, work.caller.owner_id, ids, oldest),
            profiles=profiles.data,
            names={profile.id: profile.name for profile in profiles.data},
            address_of=address_of,
            is_previewed=is_previewed,
            kind_names=self._kind_names(),
            query=query,
            form=form,
            **await for_person(work, self._identity),
        )

    def _kind_names(self) -> dict[str, str]:
        """Return what people call each kind of account. The manifests are loaded when they are first needed."""
        return {kind.kind: kind.name for manifest in self._manifests.values() for kind in manifest.kinds}

    async def progress(self, work: Work, query: ProgressQuery) -> Page:
        incoming = await work.read(self._records.list_uploads_in_progress, work.caller)
        if any(one.moving for one in incoming):
            again = f"{_MOVING_SECONDS}; url={PROGRESS}"
        elif query.idle < _MOST_IDLE:
            again = f"{_IDLE_SECONDS}; url={PROGRESS}?idle={query.idle + 1}"
        else:
            again = None
        refresh = {} if again is None else {"Refresh": again}
        now = work.db.clock.now()
        return show("media_progress.html", 200, {**FRAMED, **refresh}, incoming=incoming, now=now, over=again is None)


def address_of(item: MediaItem) -> str:
    """Return the file's URL on the same host as the page: a page may only show images from its own origin."""
    parts = urlsplit(item.url)
    return f"{parts.path}?{parts.query}"


def is_previewed(item: MediaItem) -> bool:
    return item.mime_type in _PREVIEWED and item.size <= _MOST_PREVIEWED


def show_trouble(request: AnyRequest, error: Exception) -> Page:
    """Show an error in the frame and reload: an error must not hide an upload in progress."""
    if isinstance(error, Unauthenticated):
        return show("media_trouble.html", error.status, FRAMED, detail="You are signed out.")
    problem = problem_of(request, error)
    pause = max(_IDLE_SECONDS, problem.retry_after or 0)
    refresh = {"Refresh": f"{pause}; url={PROGRESS}"}
    return show("media_trouble.html", problem.status, {**FRAMED, **refresh}, detail=problem.detail)


@page("GET", LIST, query=ListedQuery)
async def show_media(params: ListedQuery, work: Work, media_pages: MediaPages) -> Page:
    return await media_pages.list(work, params, Form())


@page("GET", PROGRESS, query=ProgressQuery, failures=show_trouble)
async def show_progress(params: ProgressQuery, work: Work, media_pages: MediaPages) -> Page:
    return await media_pages.progress(work, params)


@page("POST", LIST, most_bytes=MOST_BYTES)
async def upload_file(request: AnyRequest, work: Work, uploads: MediaUploads, media_pages: MediaPages) -> Page:
    if request.content_type[0] != _FORM:
        raise MalformedRequest(
            f"The content type of the form is {request.content_type[0] or 'missing'}. Send it as {_FORM}."
        )
    form = FileInForm(request.stream(), request.headers["content-type"])
    try:
        chunks = await form.open()
        announced = announced_size(request.headers.get("content-length"))
        await uploads.receive_upload(
            work, form.fields.get("profileId") or None, form.file_name, chunks, announced=announced
        )
    except ServiceError as failure:
        filled = Form({name: [value] for name, value in form.fields.items()})
        return await media_pages.list(work, ListedQuery(), filled.failed(failure))
    return go_to(f"{LIST}?done=uploaded")


routes = [show_media, show_progress, upload_file]
