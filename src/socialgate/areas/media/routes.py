import re
from collections.abc import AsyncIterator
from contextlib import closing
from http import HTTPStatus
from typing import Any, cast

import msgspec
from litestar import Request, Response
from litestar.response import Stream

from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.multipart import MultipartFileReader, resolve_profile_id
from socialgate.areas.media.quota import StorageQuotaReachedError
from socialgate.areas.media.receiving import parse_content_length
from socialgate.areas.media.resumable_uploads import (
    MAX_FILE_BYTES,
    TUS_VERSION,
    ResumableUploadService,
    WrongOffsetError,
)
from socialgate.areas.media.schemas import (
    MediaItem,
    MediaQuery,
    NewUploadLink,
    SignedUrlQuery,
    UploadForm,
    UploadLink,
    UploadQuery,
    UploadState,
)
from socialgate.areas.media.service import MediaInUseError, MediaService
from socialgate.areas.media.store import MediaRow, UploadRow
from socialgate.areas.media.upload_links import UploadAlreadyStartedError, UploadLinkService
from socialgate.areas.media.upload_records import UnreadableMediaError
from socialgate.areas.media.uploading import MediaUploads
from socialgate.core.errors import BodyTooLarge, NotFound, StorageFull, StorageUnavailable, UnsupportedMediaType
from socialgate.core.metering import UsageMetric
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import HeaderDescription, RouteAccess, RouteTag, route
from socialgate.web.schemas import DeletionConfirmation, Page
from socialgate.web.upload_limiter import TooManyUploads, UploadLimiter

TAG = RouteTag("Media", "Files for posts and messages: upload them in one request or in chunks.")
FORM_CONTENT_TYPE = "multipart/form-data"
PIECE_CONTENT_TYPE = "application/offset+octet-stream"
_METERED_METRICS = (UsageMetric.UPLOAD_BYTES,)
_RANGE_PATTERN = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)

# The headers of tus. Its clients send a version, which we do not require.
_TUS_VERSION_HEADER = HeaderDescription(
    name="Tus-Resumable", description="The version of the tus protocol.", example=TUS_VERSION
)
_LENGTH_HEADER = HeaderDescription(
    name="Upload-Length",
    description="The size of the file in bytes.",
    example="1048576",
    required=True,
    pattern="^[0-9]+$",
)
_METADATA_HEADER = HeaderDescription(
    name="Upload-Metadata",
    description="Pairs of a name and a value in base64, separated by commas. `filename` is the name of the file.",
    example="filename bWVudS5wZGY=",
)
_OFFSET_HEADER = HeaderDescription(
    name="Upload-Offset", description="How many bytes were received.", example="0", required=True, pattern="^[0-9]+$"
)
_LOCATION_HEADER = HeaderDescription(
    name="Location",
    description="Where to send the chunks.",
    example="/uploads/upl_01h455vb4pex5vsknk084sn02q",
    required=True,
)
_EXPIRES_HEADER = HeaderDescription(
    name="Upload-Expires",
    description="When an unfinished upload is deleted.",
    example="Mon, 16 Nov 2026 09:30:00 GMT",
    required=True,
)
_UPLOAD_STATE_HEADERS = (
    msgspec.structs.replace(_TUS_VERSION_HEADER, required=True),
    _OFFSET_HEADER,
    _LENGTH_HEADER,
    _EXPIRES_HEADER,
)

AnyRequest = Request[Any, Any, Any]


@route(
    "POST",
    "/upload",
    sdk="media.upload",
    tag=TAG,
    query=UploadQuery,
    takes_json=False,
    bodies={FORM_CONTENT_TYPE: UploadForm, "application/octet-stream": bytes},
    most_bytes=MAX_FILE_BYTES,
    meters=_METERED_METRICS,
    raises=(NotFound, StorageQuotaReachedError, UnreadableMediaError, BodyTooLarge, StorageFull, StorageUnavailable),
)
async def upload(params: UploadQuery, request: AnyRequest, work: UnitOfWork, uploads: MediaUploads) -> MediaItem:
    """Upload a file of up to 5 GiB: as the body itself, or as the `file` field of a multipart form.

    A form can set `profileId` in a field before the file. The file is inspected during the upload: its type, size,
    duration and checksum come from its bytes, not from what the client says. For slow uploads use `POST /uploads`,
    which can resume after a broken connection.
    """
    announced = parse_content_length(request.headers.get("content-length"))
    if request.content_type[0] == FORM_CONTENT_TYPE:
        form = MultipartFileReader(request.stream(), request.headers["content-type"])
        chunks = await form.open()
        name = params.file_name or form.file_name
        profile_id = resolve_profile_id(form.fields, params.profile_id)
        return await uploads.receive_upload(work, profile_id, name, chunks, announced=announced)
    name = params.file_name or "file"
    return await uploads.receive_upload(work, params.profile_id, name, request.stream(), announced=announced)


@route(
    "POST",
    "/uploads",
    sdk="uploads.create",
    in_clients=False,
    tag=TAG,
    query=UploadQuery,
    takes_json=False,
    idempotent=False,
    takes=(_TUS_VERSION_HEADER, _LENGTH_HEADER, _METADATA_HEADER),
    sends=(_LOCATION_HEADER, *_UPLOAD_STATE_HEADERS),
    meters=_METERED_METRICS,
    raises=(NotFound, StorageQuotaReachedError, BodyTooLarge, TooManyUploads, StorageFull, StorageUnavailable),
)
async def begin_upload(
    params: UploadQuery, request: AnyRequest, work: UnitOfWork, resumable_uploads: ResumableUploadService
) -> Response[None]:
    """Start a resumable upload in chunks with the tus protocol 1.0.0; any of its clients works.

    Headers: `Upload-Length`, and `Upload-Metadata` with `filename`. Send the chunks to the URL in `Location`.
    """
    headers = request.headers
    row = await resumable_uploads.begin_upload(
        work, params.profile_id, headers.get("upload-length"), headers.get("upload-metadata")
    )
    return _build_tus_response(HTTPStatus.CREATED, row, Location=f"/uploads/{row.id}")


@route(
    "HEAD",
    "/uploads/{upload_id:str}",
    sdk="uploads.head",
    in_clients=False,
    tag=TAG,
    takes=(_TUS_VERSION_HEADER,),
    sends=_UPLOAD_STATE_HEADERS,
)
async def upload_offset(upload_id: str, work: UnitOfWork, resumable_uploads: ResumableUploadService) -> Response[None]:
    """Return in `Upload-Offset` how much was received."""
    row = await work.read(resumable_uploads.find, work.caller, upload_id)
    return _build_tus_response(HTTPStatus.OK, row)


@route(
    "GET",
    "/uploads/{upload_id:str}",
    sdk="uploads.get",
    in_clients=False,
    tag=TAG,
    raises=(UnreadableMediaError,),
    meters=_METERED_METRICS,
)
async def show_upload(upload_id: str, work: UnitOfWork, resumable_uploads: ResumableUploadService) -> UploadState:
    """Return the progress of an upload, and the media item when it is complete."""
    return await resumable_uploads.get_state(work, upload_id)


@route(
    "PATCH",
    "/uploads/{upload_id:str}",
    sdk="uploads.send",
    in_clients=False,
    tag=TAG,
    status=204,
    takes_json=False,
    bodies={PIECE_CONTENT_TYPE: bytes},
    takes=(_TUS_VERSION_HEADER, _OFFSET_HEADER),
    sends=_UPLOAD_STATE_HEADERS,
    most_bytes=MAX_FILE_BYTES,
    meters=_METERED_METRICS,
    raises=(
        WrongOffsetError,
        UnsupportedMediaType,
        UnreadableMediaError,
        BodyTooLarge,
        StorageFull,
        StorageUnavailable,
    ),
)
async def send_piece(
    upload_id: str, request: AnyRequest, work: UnitOfWork, resumable_uploads: ResumableUploadService
) -> Response[None]:
    """Send a chunk, starting at `Upload-Offset`. Data received before a connection breaks is kept."""
    row = await work.read(resumable_uploads.find, work.caller, upload_id)
    if request.content_type[0] != PIECE_CONTENT_TYPE:
        raise UnsupportedMediaType(f"Send a chunk with the header Content-Type: {PIECE_CONTENT_TYPE}.")
    row = await resumable_uploads.append(row, request.headers.get("upload-offset"), request.stream())
    return _build_tus_response(HTTPStatus.NO_CONTENT, row)


@route(
    "DELETE",
    "/uploads/{upload_id:str}",
    sdk="uploads.cancel",
    in_clients=False,
    tag=TAG,
    example=DeletionConfirmation.example_of("upl"),
)
async def cancel_upload(
    upload_id: str, work: UnitOfWork, resumable_uploads: ResumableUploadService
) -> DeletionConfirmation:
    """Cancel an upload, and delete what was received."""
    return await resumable_uploads.cancel(work, upload_id)


@route("POST", "/media/links", sdk="media.links.create", tag=TAG, idempotent=False, raises=(NotFound,))
async def create_upload_link(data: NewUploadLink, work: UnitOfWork, upload_links: UploadLinkService) -> UploadLink:
    """Create a signed address to which one file can be sent without a credential, within 15 minutes.

    For programs that must not see the key, such as a browser or a person's own machine: `curl -T bread.jpg "$url"`. The
    file has the id that is returned here. Sending it again after that changes nothing, and returns the same file.
    """
    return await work.read(upload_links.create, work.caller, data)


@route(
    "PUT",
    "/media/links/{ticket:str}",
    sdk="media.links.send",
    in_clients=False,
    tag=TAG,
    access=RouteAccess.PUBLIC,
    status=HTTPStatus.CREATED,
    takes_json=False,
    bodies={"application/octet-stream": bytes},
    most_bytes=MAX_FILE_BYTES,
    meters=_METERED_METRICS,
    raises=(
        *(
            NotFound,
            UploadAlreadyStartedError,
            TooManyUploads,
            StorageQuotaReachedError,
            UnreadableMediaError,
            BodyTooLarge,
        ),
        *(StorageFull, StorageUnavailable),
    ),
)
async def send_to_link(
    ticket: str, request: AnyRequest, upload_links: UploadLinkService, upload_limiter: UploadLimiter
) -> MediaItem:
    """Send a file to a signed address. `POST /media/links` returns one."""
    permission = upload_links.read_ticket(ticket)
    announced = parse_content_length(request.headers.get("content-length"))
    with closing(upload_limiter.take_slot(request.scope, permission.owner_id)):
        return await upload_links.receive(permission, request.stream(), announced)


@route("GET", "/media", sdk="media.list", tag=TAG, query=MediaQuery, raises=(NotFound,))
async def list_media(params: MediaQuery, work: UnitOfWork, library: MediaService) -> Page[MediaItem]:
    """List the files that the credential covers, newest first."""
    return await work.read(library.list_media, work.caller, params)


@route(
    "DELETE",
    "/media/{media_id:str}",
    sdk="media.delete",
    tag=TAG,
    raises=(MediaInUseError,),
    example=DeletionConfirmation.example_of("med"),
)
async def delete_media(media_id: str, work: UnitOfWork, library: MediaService) -> DeletionConfirmation:
    """Delete a file that no post uses. Its URL stops working immediately."""
    return await work.write(library.delete, work.caller, media_id)


@route(
    "GET",
    "/media/{media_id:str}",
    sdk="media.download",
    tag=TAG,
    access=RouteAccess.PUBLIC,
    query=SignedUrlQuery,
    answers="application/octet-stream",
)
async def fetch_media(
    media_id: str, params: SignedUrlQuery, request: AnyRequest, links: MediaLinks, library: MediaService
) -> Response[bytes]:
    """Download a file by its signed URL, completely or by `Range`. Platforms use this."""
    row = await links.find_by_signed_url(media_id, params.until, params.signature)
    span = _parse_range(request.headers.get("range"), row.size)
    if span is None:
        return Response(b"", status_code=416, headers={"Content-Range": f"bytes */{row.size}"})
    start, end = span
    headers = _file_headers(row, start, end)
    status = HTTPStatus.OK if end - start == row.size else HTTPStatus.PARTIAL_CONTENT
    # In the documentation, as for the caller, a stream is its bytes.
    return cast("Response[bytes]", Stream(_stream_bytes(library, row, start, end), status_code=status, headers=headers))


def _build_tus_response(status: int, row: UploadRow, **more: str) -> Response[None]:
    headers = {
        "Tus-Resumable": TUS_VERSION,
        "Upload-Offset": str(row.received),
        "Upload-Length": str(row.size),
        "Upload-Expires": f"{row.expires_at:%a, %d %b %Y %H:%M:%S} GMT",
        "Cache-Control": "no-store",
    }
    return Response(None, status_code=status, headers={**headers, **more})


def _parse_range(header: str | None, size: int) -> tuple[int, int] | None:
    """Read one range. Several ranges, or other units, are answered with the whole file, as the standard allows."""
    match = _RANGE_PATTERN.fullmatch(header or "")
    if match is None or not (match[1] or match[2]):
        return 0, size
    start = int(match[1]) if match[1] else max(0, size - int(match[2]))
    end = min(size, int(match[2]) + 1) if match[1] and match[2] else size
    return (start, end) if start < end else None


def _file_headers(row: MediaRow, start: int, end: int) -> dict[str, str]:
    headers = {
        "Accept-Ranges": "bytes",
        # As a header: the media type of a stream would be overridden by that of the route.
        "Content-Type": row.mime_type,
        "Content-Length": str(end - start),
        "ETag": f'"{row.sha256}"',
        "Cache-Control": "private, max-age=3600",
        # Whatever is in the file, a browser must not run it on our origin.
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    if end - start != row.size:
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{row.size}"
    return headers


async def _stream_bytes(library: MediaService, row: MediaRow, start: int, end: int) -> AsyncIterator[bytes]:
    async for chunk in library.read(row, start, end - start):
        yield chunk


@route(
    "HEAD",
    "/media/{media_id:str}",
    sdk="media.head",
    in_clients=False,
    tag=TAG,
    access=RouteAccess.PUBLIC,
    query=SignedUrlQuery,
    answers="application/octet-stream",
)
async def describe_media(media_id: str, params: SignedUrlQuery, links: MediaLinks) -> Response[bytes]:
    """Return the size and type of a file without sending it. Some platforms ask before they download."""
    row = await links.find_by_signed_url(media_id, params.until, params.signature)
    return Response(b"", headers=_file_headers(row, 0, row.size))


routes = [
    upload,
    begin_upload,
    upload_offset,
    show_upload,
    send_piece,
    cancel_upload,
    create_upload_link,
    send_to_link,
    list_media,
    delete_media,
    fetch_media,
    describe_media,
]
