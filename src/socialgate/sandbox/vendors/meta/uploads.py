"""Uploads of the app: a session, its bytes, and a handle that stands for them."""

from typing import Any

from socialgate.sandbox.dialects.graph.errors import bad_parameter, unknown_object
from socialgate.sandbox.dialects.graph.given import text as given
from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate.sandbox.kit import App, Call, Refused, text
from socialgate.sandbox.vendors.meta.content import Upload
from socialgate.sandbox.vendors.meta.viewer import viewer

UPLOAD = NodeType(
    "UploadSession",
    {**own("id"), "file_offset": lambda call, upload, _field: call.world.files.path(upload.file).stat().st_size},
    ("id", "file_offset"),
)


def begin(call: Call, _app: App) -> Any:
    viewer(call)
    size = given(call, "file_length")
    if not size.isdecimal() or int(size) == 0:
        return bad_parameter("Param file_length must be a positive integer")
    file = call.world.files.new().name
    call.world.files.path(file).touch()
    upload = Upload(id=f"upload:{text(40)}", name=given(call, "file_name"), size=int(size), kind="", file=file)
    upload.kind = given(call, "file_type")
    call.world.store.put(upload)
    return {"id": upload.id}


def receive(call: Call, upload: Upload) -> Any:
    """Accept bytes at the offset in the header; the response to the last ones is the handle."""
    have = call.world.files.path(upload.file).stat().st_size
    if call.headers.get("file_offset") != str(have):
        return bad_parameter("Invalid file_offset")
    have = call.world.files.append(upload.file, call.upload())
    if have > upload.size:
        raise Refused(bad_parameter("More bytes than file_length"))
    if have < upload.size:
        return {"id": upload.id, "file_offset": have}
    upload.handle = f"4::{text(60)}"
    call.world.store.put(upload)
    return {"h": upload.handle}


def upload_node(call: Call, key: str) -> Node | None:
    if not key.startswith("upload:"):
        return None
    viewer(call)
    upload = call.world.store.get(Upload, key)
    if upload is None:
        raise unknown_object(call.method, key)
    return Node(UPLOAD, upload)
