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
    App,
    Call,
    Candidate,
    ControlError,
    Denied,
    Refused,
    Revoke,
    Route,
    Scope,
    ShownComment,
    ShownMedia,
    ShownPost,
    Thing,
    Vendor,
    World,
    consent,
    digits,
    given,
    reply,
    send_back,
    text,
)

READY_AFTER = 5.0


class Owner(Thing):
    name: str
    revoked: bool = False


class Token(Thing):
    """`id` is the token itself, `parent` its owner."""

    scopes: list[str]


class Note(Thing):
    body: str
    made: float
    picture: str = ""


class CommentOrder(ActionRequest, frozen=True, kw_only=True):
    account: str
    text: str


def error(status: int, code: str, message: str) -> Response:
    return reply({"error": {"code": code, "message": message}}, status)


def bad_token(_call: Call) -> Response:
    return error(401, "bad_token", "Your token is not valid.")


def rate_limited(_call: Call) -> Response:
    return error(429, "slow_down", "Too many calls.")


def not_found(call: Call) -> Response:
    return error(404, "unknown_path", f"Unknown path {call.path}")


def invalid(_call: Call, why: str) -> Response:
    return error(400, "bad_request", why)


def token_of(call: Call) -> Token | None:
    token = call.world.store.get(Token, call.bearer or call.args.get("token", ""))
    owner = None if token is None else call.world.store.get(Owner, token.parent)
    return None if owner is None or owner.revoked else token


def owner_of(call: Call) -> str:
    token = token_of(call)
    if token is None:
        raise Refused(bad_token(call))
    return token.parent


def accounts_of(call: Call) -> list[str]:
    token = token_of(call)
    return [] if token is None else [token.parent]


def dialog(call: Call) -> object:
    people = [Candidate(owner.id, owner.name) for owner in call.world.store.find(Owner)]
    decision = consent(call, platform="Tiny", people=people, scopes=[Scope("read", required=True), Scope("write")])
    if isinstance(decision, Response):
        return decision
    state = call.query.get("state")
    if isinstance(decision, Denied):
        return send_back(call.query["redirect_uri"], error="access_denied", state=state)
    token = call.world.store.put(Token(id=text(20), parent=decision.person, scopes=decision.scopes))
    return send_back(call.query["redirect_uri"], token=token.id, state=state)


def add_note(call: Call) -> object:
    note = Note(id=digits(12), parent=owner_of(call), body=call.params["text"], made=call.world.clock.time())
    call.world.store.put(note)
    if note.body == "regret":
        raise Refused(error(400, "regret", "Written, then refused."))
    return {"id": note.id}


def add_picture(call: Call) -> object:
    name, now = call.world.files.keep(call.upload()), call.world.clock.time()
    call.world.store.put(Note(id=digits(12), parent=owner_of(call), body="", made=now, picture=name))
    return {"name": name}


def list_notes(call: Call) -> object:
    notes = call.world.store.find(
        Note,
        parent=owner_of(call),
        newest_first=True,
        limit=int(call.query.get("limit", "10")),
        after=call.query.get("after"),
    )
    now = call.world.clock.time()
    return {"data": [{"id": note.id, "text": note.body, "ready": now - note.made >= READY_AFTER} for note in notes]}


class Shape(msgspec.Struct):
    width: int
    tags: list[str] = []
    label: str = ""


def echo(call: Call) -> object:
    return {"shape": call.read(Shape), "files": {name: [file.name, file.size] for name, file in call.files.items()}}


def upload(call: Call) -> object:
    kept = call.world.files.keep(call.upload())
    return {"size": call.world.files.path(kept).stat().st_size}


async def check(call: Call) -> object:
    fetched = await call.world.fetch(call.query["url"])
    return {"status": None if fetched is None else fetched.status}


async def pull(call: Call) -> object:
    fetched = await call.world.fetch(call.query["url"], int(call.query["most"]))
    assert fetched is not None
    return {"size": fetched.size, "sha256": fetched.sha256, "kept": len(fetched.body), "whole": fetched.is_whole}


def comment(world: World, order: CommentOrder) -> object:
    if world.store.get(Owner, order.account) is None:
        raise ControlError(f"There is no account {order.account}.")
    body = msgspec.json.encode({"account": order.account, "text": order.text})
    signature = hmac.digest(world.app.secret.encode(), body, "sha256").hex()
    world.send_webhook(body, {"content-type": "application/json", "x-tiny-signature": signature})
    return None


def revoke(world: World, order: Revoke) -> object:
    owner = world.store.get(Owner, order.account)
    if owner is None:
        raise ControlError(f"There is no account {order.account}.")
    owner.revoked = True
    world.store.put(owner)
    return {"revoked": owner.id}


def seed(world: World) -> None:
    for person in OWNERS:
        if world.store.get(Owner, person.key) is None:
            world.store.put(Owner(id=person.key, name=person.name))
            world.store.put(Token(id=f"token-of-{person.key}", parent=person.key, scopes=["read", "write"]))


def accounts(world: World) -> list[Account]:
    return [
        Account(kind="notebook", id=owner.id, name=owner.name, state="revoked" if owner.revoked else "active")
        for owner in world.store.find(Owner)
    ]


def feed(world: World, account: str) -> list[ShownPost]:
    return [_shown(note) for note in world.store.find(Note, parent=account, newest_first=True)]


def _shown(note: Note) -> ShownPost:
    picture = ShownMedia(content_type="image/png", size=8, sha256="", file=note.picture, alt="a <picture>")
    return ShownPost(
        id=note.id,
        kind="note",
        at=datetime.fromtimestamp(note.made, UTC),
        text=note.body,
        media=[picture] if note.picture else [],
        facts=given(link="https://example.com/", colour="", size=3),
        comments=[ShownComment(id="1", author="Dario", text="<i>Nice</i>", at=datetime.fromtimestamp(note.made, UTC))],
    )


TINY = Vendor(
    name="tiny",
    title="Tiny",
    app=App(id="tiny-app", secret="tiny-secret"),
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
    not_found=not_found,
    invalid=invalid,
    seed=seed,
    accounts=accounts,
    actions={
        "comment": Action("Comment", CommentOrder, comment),
        "revoke": Action("Take the permission back", Revoke, revoke),
    },
    feeds={"notebook": feed},
    accounts_of=accounts_of,
    headers=lambda _call: {"x-tiny-version": "1"},
    webhook_retries=(10, 60),
)
