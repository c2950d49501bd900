"""Parsing requests of platforms into facts, each once, however many units its facts are processed in."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from itertools import islice
from typing import Any

import msgspec
import structlog

from socialgate.areas.inbound.senders import WebhookSenderRegistry
from socialgate.areas.inbound.store import InboundRow
from socialgate.contracts.webhooks import MAX_FACTS_PER_WEBHOOK, PlatformFact, WebhookReceiver

# Larger requests are parsed in a thread.
_MAX_BYTES_ON_LOOP = 16 * 1024
# Requests whose facts are kept until they are all processed.
_MAX_CACHED_WEBHOOKS = 8

log = structlog.get_logger(__name__)


class ParsedWebhook(msgspec.Struct, frozen=True):
    """The facts of a request, and what was wrong with it."""

    facts: Sequence[PlatformFact]
    error: str | None = None


class WebhookParser:
    def __init__(self, senders: WebhookSenderRegistry) -> None:
        self._senders = senders
        self._kept: OrderedDict[str, ParsedWebhook] = OrderedDict()

    async def parse(self, row: InboundRow) -> ParsedWebhook:
        sender = self._senders.find(row.platform)
        if sender is None:
            return ParsedWebhook([], "The platform is no longer configured.")
        if row.id in self._kept:
            return self._kept[row.id]
        if len(row.request) <= _MAX_BYTES_ON_LOOP:
            return _parse_request(sender, row)
        return await asyncio.to_thread(_parse_request, sender, row)

    def cache_unfinished(self, row: InboundRow, parsed: ParsedWebhook | None) -> None:
        """Keep the facts of a request that is not processed to its end; None if it is."""
        self._kept.pop(row.id, None)
        if parsed is not None:
            self._kept[row.id] = parsed
            if len(self._kept) > _MAX_CACHED_WEBHOOKS:
                self._kept.popitem(last=False)


def _parse_request(sender: WebhookReceiver, row: InboundRow) -> ParsedWebhook:
    existing_facts = sender.parse(row.decoded_request)
    facts = [_make_storable(fact) for fact in islice(existing_facts, MAX_FACTS_PER_WEBHOOK)]
    if len(existing_facts) <= MAX_FACTS_PER_WEBHOOK:
        return ParsedWebhook(facts)
    log.warning("inbound_cut_off", platform=row.platform, inbound_id=row.id, most_facts=MAX_FACTS_PER_WEBHOOK)
    return ParsedWebhook(
        facts,
        f"It contains more than {MAX_FACTS_PER_WEBHOOK} facts. Only the first {MAX_FACTS_PER_WEBHOOK} were processed.",
    )


def _make_storable(fact: PlatformFact) -> PlatformFact:
    """Replace the character that PostgreSQL can neither store nor compare: no id contains it, and no name needs it."""
    cleaned: PlatformFact = _replace_null_characters(fact)
    return cleaned


def _replace_null_characters(message: Any) -> Any:
    match message:
        case str() if "\0" in message:
            return message.replace("\0", "\N{REPLACEMENT CHARACTER}")
        case tuple() | list():
            return type(message)(map(_replace_null_characters, message))
        case dict():
            return {_replace_null_characters(name): _replace_null_characters(value) for name, value in message.items()}
        case msgspec.Struct():
            parts = msgspec.structs.asdict(message)
            return msgspec.structs.replace(
                message, **{name: _replace_null_characters(part) for name, part in parts.items()}
            )
        case _:
            return message
