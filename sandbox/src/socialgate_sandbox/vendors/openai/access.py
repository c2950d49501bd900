"""Who makes a call, whether it may, and what is said of it in headers."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Account, Call, World, hexadecimal, reply
from socialgate_sandbox.kit.lifecycle import next_fate
from socialgate_sandbox.kit.media import Media
from socialgate_sandbox.vendors.openai.errors import PER_MINUTE, refusal
from socialgate_sandbox.vendors.openai.state import ORGANIZATION, PROMPTS, Generation, Organization

# A prompt with this word is refused, or what is generated for it is cut off by the content filter.
BLOCKED, FILTERED = "sandbox-blocked", "sandbox-filtered"
TOKENS_PER_MINUTE = 2_000_000


def organization(world: World) -> Organization:
    found = world.store.get(Organization, ORGANIZATION)
    assert found is not None, "it is seeded and never deleted"
    return found


def signed_in(call: Call) -> Organization:
    owner = organization(call.world)
    if call.bearer != call.world.app.secret or owner.revoked:
        raise refusal("invalid_api_key")
    return owner


def admit(call: Call, prompt: str, blocked: str = "content_policy_violation", *, is_text: bool = True) -> str:
    """Let a prompt pass, or refuse it with the error `blocked`.

    Returns `filter` if the text is to be cut off, and `refusal` if the model is to refuse in its own words: only texts
    can be.
    """
    if organization(call.world).exhausted:
        raise refusal("insufficient_quota")
    if not call.world.allow("requests", PER_MINUTE):
        raise refusal("rate_limited")
    with call.world.store.transaction():
        chosen = next_fate(call.world, PROMPTS).failure
    if FILTERED in prompt.lower():
        chosen = chosen or "filter"
    if chosen == "policy" or BLOCKED in prompt.lower() or (chosen and not is_text):
        raise refusal(blocked)
    return chosen


def generated(
    call: Call, kind: str, model: str, prompt: str, *, text: str = "", media: Sequence[Media] = (), **facts: str
) -> None:
    """Keep what was generated, for people to see."""
    made = Generation(
        id=facts.pop("id", hexadecimal(24)),
        parent=ORGANIZATION,
        kind=kind,
        at=call.world.clock.now(),
        model=model,
        prompt=prompt,
        text=text,
        media=list(media),
        facts=facts,
    )
    with call.world.store.transaction():
        call.world.store.put(made)


def answer(call: Call, value: Any, tokens: int = 0) -> Response:
    return reply(value, headers=limits(call, tokens))


def limits(call: Call, tokens: int) -> dict[str, str]:
    """Return how much of the limits is left after this call."""
    return {
        "x-ratelimit-limit-requests": f"{PER_MINUTE}",
        "x-ratelimit-remaining-requests": f"{max(0, PER_MINUTE - call.world.used('requests'))}",
        "x-ratelimit-reset-requests": f"{60_000 // PER_MINUTE}ms",
        "x-ratelimit-limit-tokens": f"{TOKENS_PER_MINUTE}",
        "x-ratelimit-remaining-tokens": f"{max(0, TOKENS_PER_MINUTE - tokens)}",
        "x-ratelimit-reset-tokens": f"{tokens * 60_000 // TOKENS_PER_MINUTE}ms",
    }


def headers(call: Call) -> Mapping[str, str]:
    known = {"x-request-id": f"req_{hexadecimal(32)}", "openai-version": "2020-10-01"}
    if call.bearer == call.world.app.secret:
        known["openai-organization"] = organization(call.world).slug
    return known | {"openai-processing-ms": f"{int(call.age * 1000)}"}


def accounts_of(call: Call) -> Sequence[str]:
    return (ORGANIZATION,) if call.bearer == call.world.app.secret else ()


def list_accounts(world: World) -> Sequence[Account]:
    owner = organization(world)
    state = "key revoked" if owner.revoked else "quota exhausted" if owner.exhausted else "active"
    return [Account(kind="organization", id=owner.id, name=owner.name, state=state, connected=[world.app.name])]
