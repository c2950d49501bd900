"""Uploading the videos of Pages: in parts, or from a URL; and their status afterwards."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.client import APP, Call
from socialgate.connectors.errors import Said
from socialgate.connectors.graph.dialect import Caller, GraphClient, GraphDialect
from socialgate.connectors.graph.publishing import SLOW_SECONDS
from socialgate.connectors.json_paths import member, text_at
from socialgate.connectors.meta.errors import TABLE, UNUSABLE
from socialgate.connectors.meta.wire import VIDEOS, Graph
from socialgate.connectors.multipart import Attached, form_of
from socialgate.connectors.wire import read
from socialgate.core.egress import Answer

_BAD = 400
_WRONG_OFFSET = "1363037"


class Finished(msgspec.Struct):
    """What ends an upload. Which of the two Meta sends depends on the edge."""

    success: bool = True
    post_id: str | int | None = None


class Started(msgspec.Struct):
    video_id: str | int
    upload_url: str = ""


class Offsets(msgspec.Struct):
    """Which bytes Facebook wants next; none are left if both are the same."""

    start_offset: int
    end_offset: int


class Session(Offsets):
    video_id: str | int = ""
    upload_session_id: str | int = ""


class Phase(msgspec.Struct):
    status: str = ""
    errors: list[Any] = []


class VideoStatus(msgspec.Struct, kw_only=True):
    video_status: str = ""
    uploading_phase: Phase = msgspec.field(default_factory=Phase)
    processing_phase: Phase = msgspec.field(default_factory=Phase)
    publishing_phase: Phase = msgspec.field(default_factory=Phase)

    @property
    def phases(self) -> Sequence[Phase]:
        return self.uploading_phase, self.processing_phase, self.publishing_phase

    @property
    def failed(self) -> bool:
        return self.video_status in {"error", "expired"} or any(phase.status == "error" for phase in self.phases)

    @property
    def ready(self) -> bool:
        return self.video_status == "ready" or self.publishing_phase.status == "complete"

    @property
    def is_uploaded(self) -> bool:
        return self.uploading_phase.status == "complete"

    @property
    def is_taken(self) -> bool:
        """Whether Facebook received the call that publishes, or will never publish the video.

        That it has processed a video and not started to publish it says nothing: it may process a video before that
        call, and execute the call long after it timed out.
        """
        return self.failed or self.publishing_phase.status not in {"", "not_started"}

    @property
    def why(self) -> str:
        return " ".join(filter(None, (text_at(error, "message") for phase in self.phases for error in phase.errors)))


class Video(msgspec.Struct):
    status: VideoStatus = msgspec.field(default_factory=VideoStatus)


class _ChunkDialect(GraphDialect):
    """If Facebook already has a part (its response was lost), its error says where to continue."""

    def said(self, answer: Answer) -> Said | None:
        return None if _wanted(answer) is not None else super().said(answer)

    def result(self, answer: Answer) -> bytes:
        wanted = _wanted(answer)
        return answer.body if wanted is None else msgspec.json.encode(wanted)


class _UploadDialect(GraphDialect):
    """The upload host has its own error format, which marks permanent errors."""

    def authenticate(self, call: Call) -> Call:
        return msgspec.structs.replace(call, headers={**call.headers, "Authorization": f"OAuth {call.token}"})

    def said(self, answer: Answer) -> Said | None:
        debug = member(read(answer, Any), "debug_info")
        if answer.status >= _BAD and member(debug, "retriable") is False:
            return Said(status=answer.status, codes=(UNUSABLE,), code=None, message=text_at(debug, "message"))
        return super().said(answer)


class Uploads:
    def __init__(self, graph: Graph) -> None:
        self._chunks = GraphClient(graph.wire, _ChunkDialect(graph.app.secret), TABLE)
        self._whole = GraphClient(graph.wire, _UploadDialect(), TABLE)

    async def send_chunk(self, api: Caller, session: str, offset: int, chunk: bytes) -> Offsets:
        """Upload a part, and return the next one that Facebook wants."""
        fields = {"upload_phase": "transfer", "upload_session_id": session, "start_offset": str(offset)}
        name, mime_type = "video_file_chunk", "application/octet-stream"
        form = form_of(fields, [Attached(name=name, file_name=name, mime_type=mime_type, pieces=[chunk])])
        return await self._chunks.call(_upload(api, f"{VIDEOS}/{api.budget}/videos", **form), Offsets)

    async def have_fetched(self, api: Caller, upload_url: str, file_url: str) -> None:
        """Have Facebook fetch the video of a reel or a story."""
        await self._whole.do(_upload(api, upload_url, headers={"file_url": file_url}, body=b""))


def _upload(api: Caller, url: str, *, headers: Mapping[str, str], body: bytes) -> Call:
    return Call(
        method="POST",
        url=url,
        # A part that arrives twice is recognized by its offset, and nobody sees it before it is published.
        repeatable=True,
        token=api.token,
        budgets=(api.budget, APP),
        headers=headers,
        body=body,
        deadline=SLOW_SECONDS,
    )


def _wanted(answer: Answer) -> Offsets | None:
    """Read where to continue, from the data of an error: Facebook sends an object, or its text."""
    error = member(read(answer, Any), "error")
    data = member(error, "error_data") if text_at(error, "error_subcode") == _WRONG_OFFSET else None
    try:
        return msgspec.convert(msgspec.json.decode(data) if isinstance(data, str) else data, Offsets, strict=False)
    except msgspec.MsgspecError:
        return None
