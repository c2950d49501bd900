"""The media page: uploading a file, the list of files, and uploads in progress."""

from typing import Annotated, get_args
from urllib.parse import urlsplit

from msgspec import Meta

from socialgate.areas.media.multipart import MultipartFileReader
from socialgate.areas.media.receiving import parse_content_length
from socialgate.areas.media.resumable_uploads import MAX_FILE_BYTES
from socialgate.areas.media.schemas import MediaItem, MediaQuery, Rendition
from socialgate.areas.media.service import MediaService
from socialgate.areas.media.upload_records import UploadRecords
from socialgate.areas.media.uploading import MediaUploads
from socialgate.areas.posts.uses import FileUseFinder
from socialgate.console.forms import FormData
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.rendering import (
    FRAME_HEADERS,
    HOLDER_HEADERS,
    AnyRequest,
    HtmlResponse,
    build_problem,
    get_theme,
    page_route,
    render_template,
)
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.contracts.publishing import MediaType
from socialgate.core.errors import MalformedRequest, Unauthenticated
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.schemas import QueryParameters

MEDIA_PATH = "/console/media"
PROGRESS_PATH = "/console/media/progress"
_FORM_CONTENT_TYPE = "multipart/form-data"
_FILES_PER_PAGE = 24
# Without JavaScript, a frame shows updates by reloading itself: often during an upload, occasionally while one may
# start. In an open window this would keep an unused session alive, so it stops after an hour.
_ACTIVE_RELOAD_SECONDS = 1
_IDLE_RELOAD_SECONDS = 3
_MAX_IDLE_RELOADS = 200
# Formats that every browser can show, and that are small enough to load as a thumbnail.
_PREVIEW_TYPES = {"image/jpeg", "image/png", "image/gif", "image/webp"}
_MAX_PREVIEW_BYTES = 8 * 1024 * 1024


class MediaPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which files to show."""

    type: MediaType | None = None


class ProgressQuery(QueryParameters, frozen=True, kw_only=True):
    """How many times in a row nothing was in progress."""

    idle: Annotated[int, Meta(ge=0, le=_MAX_IDLE_RELOADS)] = 0


@console_page(
    MEDIA_PATH,
    "media.html",
    query=MediaPageQuery,
    entry=Entry(label="Media", icon="image", group=Group.WORK, key="m"),
    headers=HOLDER_HEADERS,
)
async def media_page(visit: Visit, params: MediaPageQuery, library: MediaService, file_uses: FileUseFinder) -> Values:
    # Files without a profile can be used in all of them, so a chosen profile only limits the choice if there are more.
    query = MediaQuery(limit=_FILES_PER_PAGE, cursor=params.cursor, type=params.type, profile_id=params.profile)
    files = await visit.work.read(library.list_media, visit.caller, query)
    oldest = min((item.created_at for item in files.data), default=visit.now)
    ids = [item.id for item in files.data]
    return {
        "files": files,
        "uses": await visit.work.read(file_uses.find, visit.owner_id, ids, oldest),
        "types": get_args(MediaType),
        "address_of": get_own_address,
        "is_previewed": is_previewed,
    }


@media_page.form("upload", None, path="", most_bytes=MAX_FILE_BYTES)
async def upload_file(visit: Visit, request: AnyRequest, uploads: MediaUploads) -> Outcome:
    if request.content_type[0] != _FORM_CONTENT_TYPE:
        raise MalformedRequest(
            f"The content type of the form is {request.content_type[0] or 'missing'}. Send it as {_FORM_CONTENT_TYPE}."
        )
    form = MultipartFileReader(request.stream(), request.headers["content-type"])
    try:
        chunks = await form.open()
        announced = parse_content_length(request.headers.get("content-length"))
        await uploads.receive_upload(
            visit.work, form.fields.get("profileId") or None, form.file_name, chunks, announced=announced
        )
    finally:
        visit.keep_form("upload", FormData({name: [value] for name, value in form.fields.items()}))
    return Done("The file was uploaded.")


def render_frame_error(request: AnyRequest, error: Exception) -> HtmlResponse:
    """Show an error in the frame and reload: an error must not hide an upload in progress."""
    theme = get_theme(request)
    if isinstance(error, Unauthenticated):
        detail = "You are signed out."
        return render_template("media_trouble.html", error.status, FRAME_HEADERS, theme=theme, detail=detail)
    problem = build_problem(request, error)
    pause = max(_IDLE_RELOAD_SECONDS, problem.retry_after or 0)
    headers = {**FRAME_HEADERS, "Refresh": f"{pause}; url={PROGRESS_PATH}"}
    return render_template("media_trouble.html", problem.status, headers, theme=theme, detail=problem.detail)


@page_route("GET", PROGRESS_PATH, query=ProgressQuery, failures=render_frame_error)
async def show_progress(
    request: AnyRequest, params: ProgressQuery, work: UnitOfWork, upload_records: UploadRecords
) -> HtmlResponse:
    """Show the uploads in progress in a frame that reloads itself."""
    incoming = await work.read(upload_records.list_uploads_in_progress, work.caller)
    if any(in_progress.moving for in_progress in incoming):
        again = f"{_ACTIVE_RELOAD_SECONDS}; url={PROGRESS_PATH}"
    elif params.idle < _MAX_IDLE_RELOADS:
        again = f"{_IDLE_RELOAD_SECONDS}; url={PROGRESS_PATH}?idle={params.idle + 1}"
    else:
        again = None
    headers = {**FRAME_HEADERS, **({} if again is None else {"Refresh": again})}
    values = {"incoming": incoming, "now": work.db.clock.now(), "is_over": again is None}
    return render_template("media_progress.html", 200, headers, theme=get_theme(request), **values)


def get_own_address(item: MediaItem | Rendition) -> str:
    """Return the file's URL on the same host as the page: a page may only show images from its own origin."""
    parts = urlsplit(item.url or "")
    return f"{parts.path}?{parts.query}"


def is_previewed(item: MediaItem) -> bool:
    return item.mime_type in _PREVIEW_TYPES and item.size <= _MAX_PREVIEW_BYTES


routes = [show_progress]
