"""The media page: uploading a file, the list of files, and uploads in progress."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta

from socialgate.areas.identity.service import IdentityService
from socialgate.areas.media.multipart import MultipartFileReader
from socialgate.areas.media.receiving import parse_content_length
from socialgate.areas.media.resumable_uploads import MAX_FILE_BYTES
from socialgate.areas.media.schemas import MediaItem, MediaQuery
from socialgate.areas.media.service import MediaService
from socialgate.areas.media.upload_records import UploadRecords
from socialgate.areas.media.uploading import MediaUploads
from socialgate.areas.posts.uses import FileUses
from socialgate.areas.profiles.service import ProfileService
from socialgate.console.forms import FormData
from socialgate.console.pages import (
    FRAME_HEADERS,
    MEDIA_PAGE_HEADERS,
    AnyRequest,
    HtmlResponse,
    build_person_values,
    build_problem,
    build_redirect,
    page,
    render_page,
)
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.core.errors import MalformedRequest, ServiceError, Unauthenticated
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import MAX_LIMIT, ListQuery
from socialgate.web.schemas import Query

MEDIA_PATH = "/console/media"
PROGRESS_PATH = "/console/media/progress"
_FORM_CONTENT_TYPE = "multipart/form-data"
_FILES_PER_PAGE = 25
# Without JavaScript, a frame shows updates by reloading itself: often during an upload, occasionally while one may
# start. In an open window this would keep an unused session alive, so it stops after an hour.
_ACTIVE_RELOAD_SECONDS = 1
_IDLE_RELOAD_SECONDS = 3
_MAX_IDLE_RELOADS = 200
# Formats that every browser can show, and that are small enough to load as a thumbnail.
_PREVIEW_TYPES = {"image/jpeg", "image/png", "image/gif", "image/webp"}
_MAX_PREVIEW_BYTES = 8 * 1024 * 1024


class MediaPageQuery(Query, frozen=True, kw_only=True):
    """Where the list continues, and what was just done."""

    cursor: Annotated[str, Meta(max_length=200)] | None = None
    done: Literal["uploaded"] | None = None


class ProgressQuery(Query, frozen=True, kw_only=True):
    """How many times in a row nothing was in progress."""

    idle: Annotated[int, Meta(ge=0, le=_MAX_IDLE_RELOADS)] = 0


class MediaPages:
    """Collects what the page shows, also when its form comes back with an error."""

    def __init__(
        self,
        library: MediaService,
        records: UploadRecords,
        uses: FileUses,
        profiles: ProfileService,
        identity: IdentityService,
        catalogue: ConnectorRegistry,
    ) -> None:
        self._library = library
        self._records = records
        self._uses = uses
        self._profiles = profiles
        self._identity = identity
        self._manifests = catalogue.manifests

    async def render_list(self, work: UnitOfWork, query: MediaPageQuery, form: FormData) -> HtmlResponse:
        profiles = await work.read(self._profiles.list, work.caller, ListQuery(limit=MAX_LIMIT))
        media = await work.read(
            self._library.list_media, work.caller, MediaQuery(limit=_FILES_PER_PAGE, cursor=query.cursor)
        )
        oldest = min((item.created_at for item in media.data), default=work.db.clock.now())
        ids = [item.id for item in media.data]
        return render_page(
            "media.html",
            form.status,
            MEDIA_PAGE_HEADERS,
            media=media,
            uses=await work.read(self._uses.find, work.caller.owner_id, ids, oldest),
            profiles=profiles.data,
            names={profile.id: profile.name for profile in profiles.data},
            address_of=address_of,
            is_previewed=is_previewed,
            kind_names=self._kind_names(),
            query=query,
            form=form,
            **await build_person_values(work, self._identity),
        )

    def _kind_names(self) -> dict[str, str]:
        """Return what people call each kind of account. The manifests are loaded when they are first needed."""
        return {kind.kind: kind.name for manifest in self._manifests.values() for kind in manifest.kinds}

    async def render_progress(self, work: UnitOfWork, query: ProgressQuery) -> HtmlResponse:
        incoming = await work.read(self._records.list_uploads_in_progress, work.caller)
        if any(in_progress.moving for in_progress in incoming):
            again = f"{_ACTIVE_RELOAD_SECONDS}; url={PROGRESS_PATH}"
        elif query.idle < _MAX_IDLE_RELOADS:
            again = f"{_IDLE_RELOAD_SECONDS}; url={PROGRESS_PATH}?idle={query.idle + 1}"
        else:
            again = None
        refresh = {} if again is None else {"Refresh": again}
        now = work.db.clock.now()
        return render_page(
            "media_progress.html", 200, {**FRAME_HEADERS, **refresh}, incoming=incoming, now=now, over=again is None
        )


def address_of(item: MediaItem) -> str:
    """Return the file's URL on the same host as the page: a page may only show images from its own origin."""
    parts = urlsplit(item.url)
    return f"{parts.path}?{parts.query}"


def is_previewed(item: MediaItem) -> bool:
    return item.mime_type in _PREVIEW_TYPES and item.size <= _MAX_PREVIEW_BYTES


def render_frame_error(request: AnyRequest, error: Exception) -> HtmlResponse:
    """Show an error in the frame and reload: an error must not hide an upload in progress."""
    if isinstance(error, Unauthenticated):
        return render_page("media_trouble.html", error.status, FRAME_HEADERS, detail="You are signed out.")
    problem = build_problem(request, error)
    pause = max(_IDLE_RELOAD_SECONDS, problem.retry_after or 0)
    refresh = {"Refresh": f"{pause}; url={PROGRESS_PATH}"}
    return render_page("media_trouble.html", problem.status, {**FRAME_HEADERS, **refresh}, detail=problem.detail)


@page("GET", MEDIA_PATH, query=MediaPageQuery)
async def show_media(params: MediaPageQuery, work: UnitOfWork, media_pages: MediaPages) -> HtmlResponse:
    return await media_pages.render_list(work, params, FormData())


@page("GET", PROGRESS_PATH, query=ProgressQuery, failures=render_frame_error)
async def show_progress(params: ProgressQuery, work: UnitOfWork, media_pages: MediaPages) -> HtmlResponse:
    return await media_pages.render_progress(work, params)


@page("POST", MEDIA_PATH, most_bytes=MAX_FILE_BYTES)
async def upload_file(
    request: AnyRequest, work: UnitOfWork, uploads: MediaUploads, media_pages: MediaPages
) -> HtmlResponse:
    if request.content_type[0] != _FORM_CONTENT_TYPE:
        raise MalformedRequest(
            f"The content type of the form is {request.content_type[0] or 'missing'}. Send it as {_FORM_CONTENT_TYPE}."
        )
    form = MultipartFileReader(request.stream(), request.headers["content-type"])
    try:
        chunks = await form.open()
        announced = parse_content_length(request.headers.get("content-length"))
        await uploads.receive_upload(
            work, form.fields.get("profileId") or None, form.file_name, chunks, announced=announced
        )
    except ServiceError as failure:
        filled = FormData({name: [value] for name, value in form.fields.items()})
        return await media_pages.render_list(work, MediaPageQuery(), filled.failed(failure))
    return build_redirect(f"{MEDIA_PATH}?done=uploaded")


routes = [show_media, show_progress, upload_file]
