"""Edits, deletions and reactions. They arrive in any order, like everything that platforms report."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from socialgate.areas.inbox import store
from socialgate.areas.inbox.tables import MessageRow
from socialgate.areas.media.service import MediaService
from socialgate.contracts.messages import MessageChanged
from socialgate.core.db import Tx

MAX_TEXT_LENGTH = 65_536
_SUMMARY_TEXT_LENGTH = 200
# Of what has no field of its own. Without a limit, a page of messages could become as large as the memory.
_MAX_DATA_BYTES = 65_536
# Two people are in a conversation; somebody may have several ids.
_MAX_REACTIONS = 20


async def apply_message_change(tx: Tx, library: MediaService, message: MessageRow, fact: MessageChanged) -> None:
    match fact.change:
        # Some platforms only report seconds: of two edits in the same second, the one that arrives later counts.
        case "edited" if message.deleted_at is None and (
            message.edited_at is None or message.edited_at <= fact.sent_at
        ):
            text = (fact.text or "")[:MAX_TEXT_LENGTH]
            await store.update_message(tx, message.owner_id, message.id, {"text": text, "edited_at": fact.sent_at})
        case "deleted" if message.deleted_at is None:
            gone = {"text": "", "attachments": [], "data": {}, "deleted_at": fact.sent_at}
            await store.update_message(tx, message.owner_id, message.id, gone)
            if message.source == "platform":
                await library.delete_unused(tx, message.owner_id, list_media_ids(message.attachments))
        case "reaction":
            await store.update_message(tx, message.owner_id, message.id, {"reactions": _merge_reaction(message, fact)})


def list_media_ids(attachments: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the ids of the files that were stored."""
    return [file["mediaId"] for file in attachments if file["mediaId"]]


def _merge_reaction(message: MessageRow, fact: MessageChanged) -> list[Mapping[str, Any]]:
    """Return the reactions after a change. One that was removed is kept without an emoji: an older report about it may
    still arrive.
    """
    others = [reaction for reaction in message.reactions if reaction["by"] != fact.reacted_by][1 - _MAX_REACTIONS :]
    before = next((reaction for reaction in message.reactions if reaction["by"] == fact.reacted_by), None)
    known_at = None if before is None or "at" not in before else datetime.fromisoformat(before["at"])
    if before is not None and known_at is not None and known_at > fact.sent_at:
        return [*others, before]
    return [*others, {"emoji": fact.emoji, "by": fact.reacted_by, "at": fact.sent_at.isoformat()}]


def limit_data_size(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a message, or only that there was too much."""
    return dict(data) if len(msgspec.json.encode(data)) <= _MAX_DATA_BYTES else {"truncated": True}


def summarize_message(message: MessageRow) -> dict[str, Any]:
    """Return the summary of a message that the list of conversations shows."""
    return {
        "id": message.id,
        "direction": message.direction,
        "type": message.type,
        "text": message.text[:_SUMMARY_TEXT_LENGTH],
        "at": msgspec.to_builtins(message.at),
    }
