"""A complete vendor in one page: people write notes, a note is ready after five seconds, others comment on it."""

import hmac
from datetime import UTC, datetime

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import (
    OWNERS,
    Account,
    Action,
    ActionRequest,
    AppRegistration,
    Call,
    CallRefusedError,
    CommentView,
    ConsentDenied,
    ControlError,
    LoginCandidate,
    MediaView,
    PostView,
    RevokeRequest,
    Route,
    Scope,
    StoredObject,
    Vendor,
    VendorContext,
    build_json_response,
    drop_empty,
    generate_alphanumeric,
    generate_digits,
    redirect_with_parameters,
    show_or_read_consent,
)

READY_AFTER = 5.0


class Owner(StoredObject):
    name: str
    revoked: bool = False


class Token(StoredObject):
    """`id` is the token itself, `parent` its owner."""

    scopes: list[str]


class Note(StoredObject):
    body: str
    created_at: float
    picture: str = ""


class CommentOrder(ActionRequest, frozen=True, kw_only=True):
    account: str
    text: str


def error(status: int, code: str, message: str) -> Response:
    return build_json_response({"error": {"code": code, "message": message}}, status)


def bad_token(_call: Call) -> Response:
    return error(401, "bad_token", "Your token is not valid.")


def rate_limited(_call: Call) -> Response:
    return error(429, "slow_down", "Too many calls.")


def not_found(call: Call) -> Response:
    return error(404, "unknown_path", f"Unknown path {call.path}")


def invalid(_call: Call, why: str) -> Response:
    return error(400, "bad_request", why)


def token_of(call: Call) -> Token | None:
    token = call.context.store.get(Token, call.bearer_token or call.path_params.get("token", ""))
    owner = None if token is None else call.context.store.get(Owner, token.parent)
    return None if owner is None or owner.revoked else token


def owner_of(call: Call) -> str:
    token = token_of(call)
    if token is None:
        raise CallRefusedError(bad_token(call))
    return token.parent


def accounts_of(call: Call) -> list[str]:
    token = token_of(call)
    return [] if token is None else [token.parent]


def dialog(call: Call) -> object:
    people = [LoginCandidate(owner.id, owner.name) for owner in call.context.store.find(Owner)]
    decision = show_or_read_consent(
        call, platform="Tiny", people=people, scopes=[Scope("read", required=True), Scope("write")]
    )
    if isinstance(decision, Response):
        return decision
    state = call.query.get("state")
    if isinstance(decision, ConsentDenied):
        return redirect_with_parameters(call.query["redirect_uri"], error="access_denied", state=state)
    token = call.context.store.put(Token(id=generate_alphanumeric(20), parent=decision.person, scopes=decision.scopes))
    return redirect_with_parameters(call.query["redirect_uri"], token=token.id, state=state)


def add_note(call: Call) -> object:
    note = Note(
        id=generate_digits(12),
        parent=owner_of(call),
        body=call.params["text"],
        created_at=call.context.clock.get_unix_time(),
    )
    call.context.store.put(note)
    if note.body == "regret":
        raise CallRefusedError(error(400, "regret", "Written, then refused."))
    return {"id": note.id}


def add_picture(call: Call) -> object:
    name, now = call.context.files.store_upload(call.store_body_as_file()), call.context.clock.get_unix_time()
    call.context.store.put(Note(id=generate_digits(12), parent=owner_of(call), body="", created_at=now, picture=name))
    return {"name": name}


def list_notes(call: Call) -> object:
    notes = call.context.store.find(
        Note,
        parent=owner_of(call),
        newest_first=True,
        limit=int(call.query.get("limit", "10")),
        after=call.query.get("after"),
    )
    now = call.context.clock.get_unix_time()
    return {
        "data": [{"id": note.id, "text": note.body, "ready": now - note.created_at >= READY_AFTER} for note in notes]
    }


class Shape(msgspec.Struct):
    width: int
    tags: list[str] = []
    label: str = ""


def echo(call: Call) -> object:
    return {
        "shape": call.parse_params(Shape),
        "files": {name: [file.name, file.size] for name, file in call.files.items()},
    }


def upload(call: Call) -> object:
    kept = call.context.files.store_upload(call.store_body_as_file())
    return {"size": call.context.files.path(kept).stat().st_size}


async def check(call: Call) -> object:
    fetched = await call.context.fetch(call.query["url"])
    return {"status": None if fetched is None else fetched.status}


async def pull(call: Call) -> object:
    fetched = await call.context.fetch(call.query["url"], int(call.query["most"]))
    assert fetched is not None
    return {"size": fetched.size, "sha256": fetched.sha256, "kept": len(fetched.body), "whole": fetched.is_complete}


def comment(context: VendorContext, order: CommentOrder) -> object:
    if context.store.get(Owner, order.account) is None:
        raise ControlError(f"There is no account {order.account}.")
    body = msgspec.json.encode({"account": order.account, "text": order.text})
    signature = hmac.digest(context.app.secret.encode(), body, "sha256").hex()
    context.send_webhook(body, {"content-type": "application/json", "x-tiny-signature": signature})
    return None


def revoke(context: VendorContext, order: RevokeRequest) -> object:
    owner = context.store.get(Owner, order.account)
    if owner is None:
        raise ControlError(f"There is no account {order.account}.")
    owner.revoked = True
    context.store.put(owner)
    return {"revoked": owner.id}


def seed(context: VendorContext) -> None:
    for person in OWNERS:
        if context.store.get(Owner, person.key) is None:
            context.store.put(Owner(id=person.key, name=person.name))
            context.store.put(Token(id=f"token-of-{person.key}", parent=person.key, scopes=["read", "write"]))


def accounts(context: VendorContext) -> list[Account]:
    return [
        Account(kind="notebook", id=owner.id, name=owner.name, state="revoked" if owner.revoked else "active")
        for owner in context.store.find(Owner)
    ]


def feed(context: VendorContext, account: str) -> list[PostView]:
    return [_shown(note) for note in context.store.find(Note, parent=account, newest_first=True)]


def _shown(note: Note) -> PostView:
    picture = MediaView(content_type="image/png", size=8, sha256="", file=note.picture, alt="a <picture>")
    return PostView(
        id=note.id,
        kind="note",
        at=datetime.fromtimestamp(note.created_at, UTC),
        text=note.body,
        media=[picture] if note.picture else [],
        facts=drop_empty(link="https://example.com/", colour="", size=3),
        comments=[
            CommentView(id="1", author="Dario", text="<i>Nice</i>", at=datetime.fromtimestamp(note.created_at, UTC))
        ],
    )


TINY = Vendor(
    name="tiny",
    title="Tiny",
    app=AppRegistration(id="tiny-app", secret="tiny-secret"),
    routes=[
        Route("GET", "/oauth", dialog),
        Route("POST", "/oauth", dialog),
        Route("POST", "/v1/notes", add_note),
        Route("GET", "/v1/notes", list_notes),
        Route("POST", "/v1/echo", echo),
        Route("PUT", "/v1/upload", upload),
        Route("GET", "/v1/check", check),
        Route("GET", "/v1/pull", pull),
        Route("POST", "/v1/pictures", add_picture),
        Route("GET", "/bot{token}/notes", list_notes),
    ],
    errors={"bad_token": bad_token, "rate_limited": rate_limited},
    build_not_found_response=not_found,
    build_invalid_response=invalid,
    seed=seed,
    accounts=accounts,
    actions={
        "comment": Action("Comment", CommentOrder, comment),
        "revoke": Action("Take the permission back", RevokeRequest, revoke),
    },
    feed_readers={"notebook": feed},
    get_account_ids=accounts_of,
    headers=lambda _call: {"x-tiny-version": "1"},
    webhook_retry_delays=(10, 60),
)
