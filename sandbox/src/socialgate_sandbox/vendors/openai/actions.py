"""What a person or a test can make happen at OpenAI."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, VendorContext
from socialgate_sandbox.kit.accounts import AccountRequest, find_or_raise
from socialgate_sandbox.kit.post_processing import set_post_fate
from socialgate_sandbox.kit.tokens import build_revoke_action
from socialgate_sandbox.vendors.openai.state import PROMPT_FATE_OWNER, TEXT_FATE_OWNER, VIDEO_FATE_OWNER, Organization
from socialgate_sandbox.vendors.openai.videos import FAILURE_MESSAGES

FateCount = Annotated[int, Meta(ge=0, le=1000)]


class RefuseRequest(ActionRequest, frozen=True, kw_only=True):
    """`policy`: an error. `filter`: the text is cut off. `refusal`: the model refuses in its own words."""

    account: str
    how: Literal["policy", "filter", "refusal"] = "policy"
    times: FateCount = 1


class OverrunRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    times: FateCount = 1


class NextVideosRequest(ActionRequest, frozen=True, kw_only=True):
    """`result` is the code of the error with which they fail, `seconds` how long they take."""

    account: str
    result: str = ""
    seconds: float | None = None
    times: FateCount = 1


class SetQuotaRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    exhausted: bool = True


def refuse_prompts(context: VendorContext, request: RefuseRequest) -> dict[str, Any]:
    owner = _require_organization(context, request.account)
    set_post_fate(context, PROMPT_FATE_OWNER, request.how, times=request.times, replace_earlier=True)
    return {"account": owner.id, "how": request.how, "times": request.times}


def overrun_texts(context: VendorContext, request: OverrunRequest) -> dict[str, Any]:
    owner = _require_organization(context, request.account)
    set_post_fate(context, TEXT_FATE_OWNER, "overrun", times=request.times, replace_earlier=True)
    return {"account": owner.id, "times": request.times}


def set_video_fate(context: VendorContext, request: NextVideosRequest) -> dict[str, Any]:
    owner = _require_organization(context, request.account)
    if request.result not in {"", *FAILURE_MESSAGES}:
        raise ControlError(f"result cannot be {request.result!r}. Choose one of: {', '.join(FAILURE_MESSAGES)}.", 422)
    set_post_fate(context, VIDEO_FATE_OWNER, request.result, seconds=request.seconds, times=request.times)
    return {"account": owner.id, "next": request.result}


def set_quota_exhausted(context: VendorContext, request: SetQuotaRequest) -> dict[str, Any]:
    owner = _require_organization(context, request.account)
    owner.exhausted = request.exhausted
    return {"account": context.store.put(owner).id, "exhausted": owner.exhausted}


def revoke_key(context: VendorContext, account: str, _how: str) -> dict[str, Any]:
    return _set_revoked(context, account, revoked=True)


def restore_key(context: VendorContext, request: AccountRequest) -> dict[str, Any]:
    return _set_revoked(context, request.account, revoked=False)


def show_key(context: VendorContext, request: AccountRequest) -> dict[str, Any]:
    return {"account": _require_organization(context, request.account).id, "apiKey": context.app.secret}


def _set_revoked(context: VendorContext, account: str, *, revoked: bool) -> dict[str, Any]:
    owner = _require_organization(context, account)
    owner.revoked = revoked
    return {"account": context.store.put(owner).id, "revoked": revoked}


def _require_organization(context: VendorContext, account: str) -> Organization:
    return find_or_raise(context, account, "organization", Organization)


_REFUSAL_CHOICES = {
    "policy": "Reject the prompt",
    "filter": "Cut the text off",
    "refusal": "The model refuses in its own words",
}
ACTIONS: dict[str, Action[Any]] = {
    "refuse": Action("Refuse the next prompts", RefuseRequest, refuse_prompts, field_choices={"how": _REFUSAL_CHOICES}),
    "overrun": Action("Exceed the character limit in the next texts", OverrunRequest, overrun_texts),
    "outcome": Action(
        "Slow down or fail the next videos",
        NextVideosRequest,
        set_video_fate,
        field_choices={"result": {"": "No failure"} | FAILURE_MESSAGES},
    ),
    "quota": Action("Exhaust the quota", SetQuotaRequest, set_quota_exhausted),
    "revoke": build_revoke_action(revoke_key, {"": "Revoke the API key"}, title="Revoke the API key"),
    "restore": Action("Restore the API key", AccountRequest, restore_key),
    "credentials": Action("Show the API key", AccountRequest, show_key),
}
