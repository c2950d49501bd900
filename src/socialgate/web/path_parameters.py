"""What the parameters in paths are. The same name means the same thing in every path, so each is described once."""

from collections.abc import Mapping
from typing import Final

PATH_PARAMETERS: Final[Mapping[str, str]] = {
    "accountId": "The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.",
    "adAccountId": "The id of an ad account, `adacc_…`, from `GET /adaccounts`.",
    "automationId": "The id of an automation, `auto_…`.",
    "code": "The `code` of an error.",
    "commentId": "The platform's own id of a comment.",
    "conversationId": "The id of a conversation, `conv_…`.",
    "deliveryId": "The id of a delivery, `dlv_…`.",
    "eventId": "The platform's own id of a calendar event, or of one occurrence of a series.",
    "fileName": "The name of a file that `GET /llms.txt` links, such as `posts.txt`.",
    "formId": "The platform's own id of a lead form.",
    "hookId": "The id of a hook, `hook_…`.",
    "keyId": "The id of an API key, `key_…`; not the key itself.",
    "kind": "The kind of account, such as `instagram`.",
    "leadId": "The id of a lead, `lead_…`.",
    "linkId": "The id of a connect link, `lnk_…`; not the token in its URL.",
    "mediaId": "The id of a file, `med_…`.",
    "objectId": "The platform's own id of a post, from the history of the account.",
    "operationId": "The id of an operation, `op_…`.",
    "platform": "The name of a platform, from `GET /platforms`.",
    "postId": "The id of a post, `post_…`.",
    "profileId": "The id of a profile, `prf_…`.",
    "runId": "The id of a run of the automation, `run_…`.",
    "slotId": "The id of a slot of the queue, `slot_…`.",
    "taskId": "The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.",
    "ticket": "The signed part of an address that `POST /media/links` returned.",
    "uploadId": "The id of an upload in chunks, `upl_…`.",
}
