"""Uploading the videos of Pages: in parts, or from a URL; and their status afterwards."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.client import APP_BUDGET, VendorCall
from socialgate.connectors.errors import VendorError
from socialgate.connectors.graph.dialect import GraphCaller, GraphClient, GraphDialect
from socialgate.connectors.graph.publishing import PUBLISH_TIMEOUT_SECONDS
from socialgate.connectors.json_paths import get_path, get_text_or_number
from socialgate.connectors.meta.api import VIDEO_API_URL, MetaApi
from socialgate.connectors.meta.errors import ERROR_TABLE, UNUSABLE_UPLOAD_CODE
from socialgate.connectors.multipart import FilePart, encode_multipart
from socialgate.connectors.transport import decode_response
from socialgate.core.egress import HttpResponse

_FIRST_ERROR_STATUS = 400
_WRONG_OFFSET_SUBCODE = "1363037"


class UploadFinishResponse(msgspec.Struct):
    """What ends an upload. Which of the two Meta sends depends on the edge."""

    success: bool = True
    post_id: str | int | None = None


class UploadStartResponse(msgspec.Struct):
    video_id: str | int
    upload_url: str = ""


class UploadRange(msgspec.Struct):
    """Which bytes Facebook wants next; none are left if both are the same."""

    start_offset: int
    end_offset: int


class UploadSession(UploadRange):
    video_id: str | int = ""
    upload_session_id: str | int = ""


class VideoPhase(msgspec.Struct):
    status: str = ""
    errors: list[Any] = []


class VideoStatus(msgspec.Struct, kw_only=True):
    video_status: str = ""
    uploading_phase: VideoPhase = msgspec.field(default_factory=VideoPhase)
    processing_phase: VideoPhase = msgspec.field(default_factory=VideoPhase)
    publishing_phase: VideoPhase = msgspec.field(default_factory=VideoPhase)

    @property
    def phases(self) -> Sequence[VideoPhase]:
        return self.uploading_phase, self.processing_phase, self.publishing_phase

    @property
    def has_failed(self) -> bool:
        return self.video_status in {"error", "expired"} or any(phase.status == "error" for phase in self.phases)

    @property
    def is_ready(self) -> bool:
        return self.video_status == "ready" or self.publishing_phase.status == "complete"

    @property
    def is_uploaded(self) -> bool:
        return self.uploading_phase.status == "complete"

    @property
    def is_publish_decided(self) -> bool:
        """Whether Facebook received the call that publishes, or will never publish the video.

        That it has processed a video and not started to publish it says nothing: it may process a video before that
        call, and execute the call long after it timed out.
        """
        return self.has_failed or self.publishing_phase.status not in {"", "not_started"}

    @property
    def error_message(self) -> str:
        return " ".join(
            filter(None, (get_text_or_number(error, "message") for phase in self.phases for error in phase.errors))
        )


class UploadedVideo(msgspec.Struct):
    status: VideoStatus = msgspec.field(default_factory=VideoStatus)


class _ChunkDialect(GraphDialect):
    """If Facebook already has a part (its response was lost), its error says where to continue."""

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        return None if _parse_expected_range(answer) is not None else super().parse_error(answer)

    def extract_result(self, answer: HttpResponse) -> bytes:
        upload_range = _parse_expected_range(answer)
        return answer.body if upload_range is None else msgspec.json.encode(upload_range)


class _UploadDialect(GraphDialect):
    """The upload host has its own error format, which marks permanent errors."""

    def authenticate(self, call: VendorCall) -> VendorCall:
        return msgspec.structs.replace(call, headers={**call.headers, "Authorization": f"OAuth {call.token}"})

    def parse_error(self, answer: HttpResponse) -> VendorError | None:
        debug = get_path(decode_response(answer, Any), "debug_info")
        if answer.status >= _FIRST_ERROR_STATUS and get_path(debug, "retriable") is False:
            return VendorError(
                status=answer.status,
                codes=(UNUSABLE_UPLOAD_CODE,),
                code=None,
                message=get_text_or_number(debug, "message"),
            )
        return super().parse_error(answer)


class VideoUploader:
    def __init__(self, graph: MetaApi) -> None:
        self._chunks = GraphClient(graph.wire, _ChunkDialect(graph.app.secret), ERROR_TABLE)
        self._whole = GraphClient(graph.wire, _UploadDialect(), ERROR_TABLE)

    async def send_chunk(self, api: GraphCaller, session: str, offset: int, chunk: bytes) -> UploadRange:
        """Upload a part, and return the next one that Facebook wants."""
        fields = {"upload_phase": "transfer", "upload_session_id": session, "start_offset": str(offset)}
        name, mime_type = "video_file_chunk", "application/octet-stream"
        form = encode_multipart(fields, [FilePart(name=name, file_name=name, mime_type=mime_type, byte_chunks=[chunk])])
        return await self._chunks.call(
            _build_upload_call(api, f"{VIDEO_API_URL}/{api.budget}/videos", **form), UploadRange
        )

    async def request_fetch(self, api: GraphCaller, upload_url: str, file_url: str) -> None:
        """Have Facebook fetch the video of a reel or a story."""
        await self._whole.call_for_success(
            _build_upload_call(api, upload_url, headers={"file_url": file_url}, body=b"")
        )


def _build_upload_call(api: GraphCaller, url: str, *, headers: Mapping[str, str], body: bytes) -> VendorCall:
    return VendorCall(
        method="POST",
        url=url,
        # A part that arrives twice is recognized by its offset, and nobody sees it before it is published.
        repeatable=True,
        token=api.token,
        budgets=(api.budget, APP_BUDGET),
        headers=headers,
        body=body,
        deadline=PUBLISH_TIMEOUT_SECONDS,
    )


def _parse_expected_range(answer: HttpResponse) -> UploadRange | None:
    """Read where to continue, from the data of an error: Facebook sends an object, or its text."""
    error = get_path(decode_response(answer, Any), "error")
    data = (
        get_path(error, "error_data") if get_text_or_number(error, "error_subcode") == _WRONG_OFFSET_SUBCODE else None
    )
    try:
        return msgspec.convert(msgspec.json.decode(data) if isinstance(data, str) else data, UploadRange, strict=False)
    except msgspec.MsgspecError:
        return None
