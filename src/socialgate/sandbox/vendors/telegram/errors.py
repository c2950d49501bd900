"""Telegram's errors: the body repeats the status, with a sentence that starts with its name."""

from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from socialgate.sandbox.kit import Call, ErrorMaker, Refused, reply


def failed(status: int, description: str, parameters: dict[str, Any] | None = None) -> Response:
    body: dict[str, Any] = {"ok": False, "error_code": status, "description": description}
    headers = {}
    if parameters:
        body["parameters"] = parameters
        headers = {"Retry-After": str(parameters["retry_after"])} if "retry_after" in parameters else {}
    return reply(body, status, headers)


def answered(result: Any, description: str | None = None) -> Response:
    return reply({"ok": True, "result": result} | ({} if description is None else {"description": description}))


def too_fast(seconds: int) -> Response:
    return failed(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds})


@dataclass(frozen=True)
class Failure:
    status: int
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)

    def __call__(self, _call: Call | None = None) -> Response:
        return failed(self.status, self.description, self.parameters)


def bad_request(text: str) -> Refused:
    return Refused(failed(400, f"Bad Request: {text}"))


def forbidden(text: str) -> Refused:
    return Refused(failed(403, f"Forbidden: {text}"))


def refusal(name: str) -> Refused:
    return Refused(FAILURES[name]())


def unreadable(_call: Call, _detail: str) -> Response:
    return failed(400, "Bad Request: can't parse request body")


FAILURES = {
    "rate_limited": Failure(429, "Too Many Requests: retry after 3", {"retry_after": 3}),
    "token_revoked": Failure(401, "Unauthorized"),
    "token_invalid": Failure(401, "Unauthorized: invalid token specified"),
    "logged_out": Failure(400, "Logged out"),
    "path_unknown": Failure(404, "Not Found"),
    "method_unknown": Failure(404, "Not Found: method not found"),
    "permission_missing": Failure(400, "Bad Request: need administrator rights in the channel chat"),
    "not_enough_rights": Failure(400, "Bad Request: not enough rights to send text messages to the chat"),
    "not_member": Failure(403, "Forbidden: bot is not a member of the channel chat"),
    "kicked": Failure(403, "Forbidden: bot was kicked from the channel chat"),
    "blocked": Failure(403, "Forbidden: bot was blocked by the user"),
    "cannot_initiate": Failure(403, "Forbidden: bot can't initiate conversation with a user"),
    "user_deactivated": Failure(403, "Forbidden: user is deactivated"),
    "chat_deleted": Failure(403, "Forbidden: the group chat was deleted"),
    "not_found": Failure(400, "Bad Request: chat not found"),
    "invalid": Failure(400, "Bad Request: chat_id is empty"),
    "text_empty": Failure(400, "Bad Request: message text is empty"),
    "text_too_long": Failure(400, "Bad Request: message is too long"),
    "caption_too_long": Failure(400, "Bad Request: message caption is too long"),
    "migrated": Failure(
        400,
        "Bad Request: group chat was upgraded to a supergroup chat",
        {"migrate_to_chat_id": -1002000000999},
    ),
    "not_modified": Failure(
        400,
        "Bad Request: message is not modified: specified new message content and reply markup are exactly the same "
        "as a current content and reply markup of the message",
    ),
    "edit_not_found": Failure(400, "Bad Request: message to edit not found"),
    "delete_not_found": Failure(400, "Bad Request: message to delete not found"),
    "reply_not_found": Failure(400, "Bad Request: message to be replied not found"),
    "delete_refused": Failure(400, "Bad Request: message can't be deleted"),
    "url_wrong": Failure(400, "Bad Request: wrong HTTP URL specified"),
    "url_failed": Failure(400, "Bad Request: failed to get HTTP URL content"),
    "url_content": Failure(400, "Bad Request: wrong type of the web page content"),
    "file_unknown": Failure(400, "Bad Request: wrong file_id or the file is temporarily unavailable"),
    "file_too_big": Failure(400, "Bad Request: file is too big"),
    "album_mixed": Failure(400, "Bad Request: can't use the media of the specified type in the album"),
    "query_too_old": Failure(400, "Bad Request: query is too old and response timeout expired or query ID is invalid"),
    "webhook_active": Failure(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    ),
    "other_poller": Failure(
        409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
    ),
    "webhook_taken": Failure(409, "Conflict: terminated by setWebhook request"),
    "too_large": Failure(413, "Request Entity Too Large"),
    "misdirected": Failure(421, "Misdirected Request: unallowed token specified"),
    "restarting": Failure(500, "Internal Server Error: restart"),
    "temporarily_unavailable": Failure(502, "Bad Gateway"),
}
ERRORS: dict[str, ErrorMaker] = dict(FAILURES)
