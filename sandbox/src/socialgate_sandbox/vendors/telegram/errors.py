"""Telegram's errors: the body repeats the status, with a sentence that starts with its name."""

from functools import partial
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, ErrorTable, Refused, fixed, reply, requiring


def failed(status: int, said: str = "", parameters: dict[str, int] | None = None) -> Response:
    name = HTTPStatus(status).phrase
    return _failed(status, f"{name}: {said}" if said else name, parameters)


def _failed(status: int, description: str, parameters: dict[str, int] | None = None) -> Response:
    body: dict[str, Any] = {"ok": False, "error_code": status, "description": description}
    body |= {"parameters": parameters} if parameters else {}
    wait = (parameters or {}).get("retry_after")
    return reply(body, status, {"Retry-After": str(wait)} if wait else {})


def answered(result: Any, description: str | None = None) -> Response:
    return reply({"ok": True, "result": result} | ({} if description is None else {"description": description}))


def too_fast(seconds: int) -> Response:
    return failed(429, f"retry after {seconds}", {"retry_after": seconds})


def bad_request(text: str) -> Refused:
    return Refused(failed(400, text))


def forbidden(text: str) -> Refused:
    return Refused(failed(403, text))


def unreadable(_call: Call, _detail: str) -> Response:
    return failed(400, "can't parse request body")


row = fixed(failed)
require = requiring(partial(failed, 400))
ERRORS = ErrorTable(
    rate_limited=row(429, "retry after 3", {"retry_after": 3}),
    token_revoked=row(401),
    token_invalid=row(401, "invalid token specified"),
    logged_out=fixed(_failed)(400, "Logged out"),
    path_unknown=row(404),
    method_unknown=row(404, "method not found"),
    permission_missing=row(400, "need administrator rights in the channel chat"),
    not_enough_rights=row(400, "not enough rights to send text messages to the chat"),
    not_member=row(403, "bot is not a member of the channel chat"),
    kicked=row(403, "bot was kicked from the channel chat"),
    blocked=row(403, "bot was blocked by the user"),
    cannot_initiate=row(403, "bot can't initiate conversation with a user"),
    user_deactivated=row(403, "user is deactivated"),
    chat_deleted=row(403, "the group chat was deleted"),
    not_found=row(400, "chat not found"),
    invalid=row(400, "chat_id is empty"),
    text_empty=row(400, "message text is empty"),
    text_too_long=row(400, "message is too long"),
    caption_too_long=row(400, "message caption is too long"),
    migrated=row(400, "group chat was upgraded to a supergroup chat", {"migrate_to_chat_id": -1002000000999}),
    not_modified=row(
        400,
        "message is not modified: specified new message content and reply markup are exactly the same "
        "as a current content and reply markup of the message",
    ),
    edit_not_found=row(400, "message to edit not found"),
    delete_not_found=row(400, "message to delete not found"),
    reply_not_found=row(400, "message to be replied not found"),
    delete_refused=row(400, "message can't be deleted"),
    url_wrong=row(400, "wrong HTTP URL specified"),
    url_failed=row(400, "failed to get HTTP URL content"),
    url_content=row(400, "wrong type of the web page content"),
    file_unknown=row(400, "wrong file_id or the file is temporarily unavailable"),
    file_too_big=row(400, "file is too big"),
    album_mixed=row(400, "can't use the media of the specified type in the album"),
    query_too_old=row(400, "query is too old and response timeout expired or query ID is invalid"),
    webhook_active=row(
        409, "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
    ),
    other_poller=row(409, "terminated by other getUpdates request; make sure that only one bot instance is running"),
    webhook_taken=row(409, "terminated by setWebhook request"),
    too_large=fixed(_failed)(413, "Request Entity Too Large"),
    misdirected=row(421, "unallowed token specified"),
    restarting=row(500, "restart"),
    temporarily_unavailable=row(502),
)
refusal = ERRORS.refusal
