"""Telegram's errors: the body repeats the status, with a sentence that starts with its name."""

from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import (
    Call,
    CallRefusedError,
    ErrorTable,
    build_error_declarer,
    build_json_response,
    build_require,
)


def build_error_response(status: int, detail: str = "", parameters: dict[str, int] | None = None) -> Response:
    name = HTTPStatus(status).phrase
    return _build_raw_error_response(status, f"{name}: {detail}" if detail else name, parameters)


def _build_raw_error_response(status: int, description: str, parameters: dict[str, int] | None = None) -> Response:
    body: dict[str, Any] = {"ok": False, "error_code": status, "description": description}
    body |= {"parameters": parameters} if parameters else {}
    wait = (parameters or {}).get("retry_after")
    return build_json_response(body, status, {"Retry-After": str(wait)} if wait else {})


def build_ok_response(result: Any, description: str | None = None) -> Response:
    return build_json_response(
        {"ok": True, "result": result} | ({} if description is None else {"description": description})
    )


def build_throttled_response(seconds: int) -> Response:
    return build_error_response(429, f"retry after {seconds}", {"retry_after": seconds})


def build_bad_request(text: str) -> CallRefusedError:
    return CallRefusedError(build_error_response(400, text))


def build_forbidden(text: str) -> CallRefusedError:
    return CallRefusedError(build_error_response(403, text))


def build_unreadable_response(_call: Call, _detail: str) -> Response:
    return build_error_response(400, "can't parse request body")


declare_error = build_error_declarer(build_error_response)
require = build_require(partial(build_error_response, 400))
ERRORS = ErrorTable(
    rate_limited=declare_error(429, "retry after 3", {"retry_after": 3}),
    token_revoked=declare_error(401),
    token_invalid=declare_error(401, "invalid token specified"),
    logged_out=build_error_declarer(_build_raw_error_response)(400, "Logged out"),
    path_unknown=declare_error(404),
    method_unknown=declare_error(404, "method not found"),
    permission_missing=declare_error(400, "need administrator rights in the channel chat"),
    not_enough_rights=declare_error(400, "not enough rights to send text messages to the chat"),
    not_member=declare_error(403, "bot is not a member of the channel chat"),
    kicked=declare_error(403, "bot was kicked from the channel chat"),
    blocked=declare_error(403, "bot was blocked by the user"),
    cannot_initiate=declare_error(403, "bot can't initiate conversation with a user"),
    user_deactivated=declare_error(403, "user is deactivated"),
    chat_deleted=declare_error(403, "the group chat was deleted"),
    not_found=declare_error(400, "chat not found"),
    invalid=declare_error(400, "chat_id is empty"),
    text_empty=declare_error(400, "message text is empty"),
    text_too_long=declare_error(400, "message is too long"),
    caption_too_long=declare_error(400, "message caption is too long"),
    migrated=declare_error(400, "group chat was upgraded to a supergroup chat", {"migrate_to_chat_id": -1002000000999}),
    not_modified=declare_error(
        400,
        "message is not modified: specified new message content and reply markup are exactly the same "
        "as a current content and reply markup of the message",
    ),
    edit_not_found=declare_error(400, "message to edit not found"),
    delete_not_found=declare_error(400, "message to delete not found"),
    reply_not_found=declare_error(400, "message to be replied not found"),
    delete_refused=declare_error(400, "message can't be deleted"),
    url_wrong=declare_error(400, "wrong HTTP URL specified"),
    url_failed=declare_error(400, "failed to get HTTP URL content"),
    url_content=declare_error(400, "wrong type of the web page content"),
    file_unknown=declare_error(400, "wrong file_id or the file is temporarily unavailable"),
    file_too_big=declare_error(400, "file is too big"),
    album_mixed=declare_error(400, "can't use the media of the specified type in the album"),
    query_too_old=declare_error(400, "query is too old and response timeout expired or query ID is invalid"),
    webhook_active=declare_error(
        409, "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
    ),
    other_poller=declare_error(
        409, "terminated by other getUpdates request; make sure that only one bot instance is running"
    ),
    webhook_taken=declare_error(409, "terminated by setWebhook request"),
    too_large=build_error_declarer(_build_raw_error_response)(413, "Request Entity Too Large"),
    misdirected=declare_error(421, "unallowed token specified"),
    restarting=declare_error(500, "restart"),
    temporarily_unavailable=declare_error(502),
)
build_refusal = ERRORS.build_refusal
