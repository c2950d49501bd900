"""Uploads of the app: a session, its bytes, and a handle that stands for them."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import require, unknown_object
from socialgate_sandbox.dialects.graph.given import text as given
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate_sandbox.kit import App, Call, text
from socialgate_sandbox.vendors.meta.content import Upload
from socialgate_sandbox.vendors.meta.viewer import viewer

UPLOAD = NodeType(
    "UploadSession",
    {**own("id"), "file_offset": lambda _call, upload, _field: upload.received},
    ("id", "file_offset"),
)


def begin(call: Call, _app: App) -> Any:
    viewer(call)
    size = given(call, "file_length")
    require(size.isdecimal() and int(size) > 0, "Param file_length must be a positive integer")
    name, kind = given(call, "file_name"), given(call, "file_type")
    upload = Upload(id=f"upload:{text(40)}", name=name, size=int(size), kind=kind)
    call.world.store.put(upload)
    return {"id": upload.id}


def receive(call: Call, upload: Upload) -> Any:
    """Accept bytes at the offset in the header; the response to the last ones is the handle."""
    require(call.headers.get("file_offset") == str(upload.received), "Invalid file_offset")
    require(upload.received + call.size <= (upload.size or 0), "More bytes than file_length")
    upload.add(call.world, call.upload())
    if not upload.is_complete:
        return {"id": upload.id, "file_offset": upload.received}
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
