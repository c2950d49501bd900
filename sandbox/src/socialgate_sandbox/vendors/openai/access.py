"""Who makes a call, whether it may, and what is said of it in headers."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Account, Call, VendorContext, build_json_response, generate_hex
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.kit.post_processing import take_post_fate
from socialgate_sandbox.vendors.openai.errors import MAX_REQUESTS_PER_MINUTE, build_refusal
from socialgate_sandbox.vendors.openai.state import ORGANIZATION_ID, PROMPT_FATE_OWNER, Generation, Organization

# A prompt with this word is refused, or what is generated for it is cut off by the content filter.
BLOCKED_WORD, FILTERED_WORD = "sandbox-blocked", "sandbox-filtered"
TOKENS_PER_MINUTE = 2_000_000


def get_organization(context: VendorContext) -> Organization:
    organization = context.store.get(Organization, ORGANIZATION_ID)
    assert organization is not None, "it is seeded and never deleted"
    return organization


def authenticate(call: Call) -> Organization:
    owner = get_organization(call.context)
    if call.bearer_token != call.context.app.secret or owner.revoked:
        raise build_refusal("invalid_api_key")
    return owner


def admit_prompt(
    call: Call, prompt: str, blocked_error: str = "content_policy_violation", *, is_text: bool = True
) -> str:
    """Let a prompt pass, or refuse it with the error `blocked_error`.

    Returns `filter` if the text is to be cut off, and `build_refusal` if the model is to refuse in its own words: only
    texts can be.
    """
    if get_organization(call.context).exhausted:
        raise build_refusal("insufficient_quota")
    if not call.context.try_use("requests", MAX_REQUESTS_PER_MINUTE):
        raise build_refusal("rate_limited")
    with call.context.store.transaction():
        chosen = take_post_fate(call.context, PROMPT_FATE_OWNER).failure
    if FILTERED_WORD in prompt.lower():
        chosen = chosen or "filter"
    if chosen == "policy" or BLOCKED_WORD in prompt.lower() or (chosen and not is_text):
        raise build_refusal(blocked_error)
    return chosen


def record_generation(
    call: Call, kind: str, model: str, prompt: str, *, text: str = "", media: Sequence[Media] = (), **facts: str
) -> None:
    """Keep what was generated, for people to see."""
    generation = Generation(
        id=facts.pop("id", generate_hex(24)),
        parent=ORGANIZATION_ID,
        kind=kind,
        at=call.context.clock.now(),
        model=model,
        prompt=prompt,
        text=text,
        media=list(media),
        facts=facts,
    )
    with call.context.store.transaction():
        call.context.store.put(generation)


def build_response(call: Call, body: Any, tokens: int = 0) -> Response:
    return build_json_response(body, headers=build_rate_limit_headers(call, tokens))


def build_rate_limit_headers(call: Call, tokens: int) -> dict[str, str]:
    """Return how much of the limits is left after this call."""
    return {
        "x-ratelimit-limit-requests": f"{MAX_REQUESTS_PER_MINUTE}",
        "x-ratelimit-remaining-requests": f"{max(0, MAX_REQUESTS_PER_MINUTE - call.context.count_uses('requests'))}",
        "x-ratelimit-reset-requests": f"{60_000 // MAX_REQUESTS_PER_MINUTE}ms",
        "x-ratelimit-limit-tokens": f"{TOKENS_PER_MINUTE}",
        "x-ratelimit-remaining-tokens": f"{max(0, TOKENS_PER_MINUTE - tokens)}",
        "x-ratelimit-reset-tokens": f"{tokens * 60_000 // TOKENS_PER_MINUTE}ms",
    }


def build_headers(call: Call) -> Mapping[str, str]:
    known = {"x-request-id": f"req_{generate_hex(32)}", "openai-version": "2020-10-01"}
    if call.bearer_token == call.context.app.secret:
        known["openai-organization"] = get_organization(call.context).slug
    return known | {"openai-processing-ms": f"{int(call.age_seconds * 1000)}"}


def get_account_ids(call: Call) -> Sequence[str]:
    return (ORGANIZATION_ID,) if call.bearer_token == call.context.app.secret else ()


def list_accounts(context: VendorContext) -> Sequence[Account]:
    owner = get_organization(context)
    state = "key revoked" if owner.revoked else "quota exhausted" if owner.exhausted else "active"
    return [Account(kind="organization", id=owner.id, name=owner.name, state=state, connected=[context.app.name])]
