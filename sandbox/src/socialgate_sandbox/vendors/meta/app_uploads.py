"""Uploads of the app: a session, its bytes, and a handle that stands for them."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_unknown_object_error, require
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_attributes
from socialgate_sandbox.dialects.graph.parameters import get_text as given
from socialgate_sandbox.kit import AppRegistration, Call, generate_alphanumeric
from socialgate_sandbox.vendors.meta.content import Upload
from socialgate_sandbox.vendors.meta.token_access import require_token

UPLOAD_NODE_TYPE = NodeType(
    "UploadSession",
    {**resolve_attributes("id"), "file_offset": lambda _call, upload, _field: upload.received},
    ("id", "file_offset"),
)


def start_upload(call: Call, _app: AppRegistration) -> Any:
    require_token(call)
    size = given(call, "file_length")
    require(size.isdecimal() and int(size) > 0, "Param file_length must be a positive integer")
    name, kind = given(call, "file_name"), given(call, "file_type")
    upload = Upload(id=f"upload:{generate_alphanumeric(40)}", name=name, size=int(size), kind=kind)
    call.context.store.put(upload)
    return {"id": upload.id}


def receive_chunk(call: Call, upload: Upload) -> Any:
    """Accept bytes at the offset in the header; the response to the last ones is the handle."""
    require(call.headers.get("file_offset") == str(upload.received), "Invalid file_offset")
    require(upload.received + call.size <= (upload.size or 0), "More bytes than file_length")
    upload.append_chunk(call.context, call.store_body_as_file())
    if not upload.is_complete:
        return {"id": upload.id, "file_offset": upload.received}
    upload.handle = f"4::{generate_alphanumeric(60)}"
    call.context.store.put(upload)
    return {"h": upload.handle}


def find_upload_node(call: Call, key: str) -> Node | None:
    if not key.startswith("upload:"):
        return None
    require_token(call)
    upload = call.context.store.get(Upload, key)
    if upload is None:
        raise build_unknown_object_error(call.method, key)
    return Node(UPLOAD_NODE_TYPE, upload)
