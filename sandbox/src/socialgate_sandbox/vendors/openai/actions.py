"""What a person or a test can make happen at OpenAI."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, World
from socialgate_sandbox.kit.accounts import OfAccount, named
from socialgate_sandbox.kit.lifecycle import choose_fate
from socialgate_sandbox.kit.tokens import revoke_action
from socialgate_sandbox.vendors.openai.state import PROMPTS, TEXTS, VIDEOS, Organization
from socialgate_sandbox.vendors.openai.videos import FAILURES

Times = Annotated[int, Meta(ge=0, le=1000)]


class Refuse(ActionRequest, frozen=True, kw_only=True):
    """`policy`: an error. `filter`: the text is cut off. `refusal`: the model refuses in its own words."""

    account: str
    how: Literal["policy", "filter", "refusal"] = "policy"
    times: Times = 1


class Overrun(ActionRequest, frozen=True, kw_only=True):
    account: str
    times: Times = 1


class NextVideos(ActionRequest, frozen=True, kw_only=True):
    """`result` is the code of the error with which they fail, `seconds` how long they take."""

    account: str
    result: str = ""
    seconds: float | None = None
    times: Times = 1


class SetQuota(ActionRequest, frozen=True, kw_only=True):
    account: str
    exhausted: bool = True


def refuse(world: World, order: Refuse) -> dict[str, Any]:
    owner = _owner(world, order.account)
    choose_fate(world, PROMPTS, order.how, times=order.times, instead=True)
    return {"account": owner.id, "how": order.how, "times": order.times}


def overrun(world: World, order: Overrun) -> dict[str, Any]:
    owner = _owner(world, order.account)
    choose_fate(world, TEXTS, "overrun", times=order.times, instead=True)
    return {"account": owner.id, "times": order.times}


def outcome(world: World, order: NextVideos) -> dict[str, Any]:
    owner = _owner(world, order.account)
    if order.result not in {"", *FAILURES}:
        raise ControlError(f"result cannot be {order.result!r}. Choose one of: {', '.join(FAILURES)}.", 422)
    choose_fate(world, VIDEOS, order.result, seconds=order.seconds, times=order.times)
    return {"account": owner.id, "next": order.result}


def set_quota(world: World, order: SetQuota) -> dict[str, Any]:
    owner = _owner(world, order.account)
    owner.exhausted = order.exhausted
    return {"account": world.store.put(owner).id, "exhausted": owner.exhausted}


def revoke(world: World, account: str, _how: str) -> dict[str, Any]:
    return _set_revoked(world, account, revoked=True)


def restore(world: World, order: OfAccount) -> dict[str, Any]:
    return _set_revoked(world, order.account, revoked=False)


def show_key(world: World, order: OfAccount) -> dict[str, Any]:
    return {"account": _owner(world, order.account).id, "apiKey": world.app.secret}


def _set_revoked(world: World, account: str, *, revoked: bool) -> dict[str, Any]:
    owner = _owner(world, account)
    owner.revoked = revoked
    return {"account": world.store.put(owner).id, "revoked": revoked}


def _owner(world: World, account: str) -> Organization:
    return named(world, account, "organization", Organization)


_WAYS = {"policy": "Reject the prompt", "filter": "Cut the text off", "refusal": "The model refuses in its own words"}
ACTIONS: dict[str, Action[Any]] = {
    "refuse": Action("Refuse the next prompts", Refuse, refuse, choices={"how": _WAYS}),
    "overrun": Action("Exceed the character limit in the next texts", Overrun, overrun),
    "outcome": Action(
        "Slow down or fail the next videos", NextVideos, outcome, choices={"result": {"": "No failure"} | FAILURES}
    ),
    "quota": Action("Exhaust the quota", SetQuota, set_quota),
    "revoke": revoke_action(revoke, {"": "Revoke the API key"}, title="Revoke the API key"),
    "restore": Action("Restore the API key", OfAccount, restore),
    "credentials": Action("Show the API key", OfAccount, show_key),
}
