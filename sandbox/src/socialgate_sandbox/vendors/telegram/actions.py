"""What people do in their Telegram apps, including with BotFather."""

from typing import Any, Literal

from socialgate_sandbox.kit import (
    OWNERS,
    Action,
    ActionRequest,
    ControlError,
    VendorContext,
    generate_alphanumeric,
    generate_digits,
)
from socialgate_sandbox.kit.accounts import AccountRequest
from socialgate_sandbox.kit.tokens import build_revoke_action
from socialgate_sandbox.vendors.telegram import message_actions
from socialgate_sandbox.vendors.telegram.lookups import (
    require_bot,
    require_chat,
    require_person,
    set_bot_status_for_user,
)
from socialgate_sandbox.vendors.telegram.seed import FULL_RIGHTS
from socialgate_sandbox.vendors.telegram.state import (
    Bot,
    Chat,
    Json,
    Member,
    find_member,
    set_member,
)
from socialgate_sandbox.vendors.telegram.updates import notify_membership_change


class NewBotRequest(ActionRequest, frozen=True, kw_only=True):
    """BotFather's /newbot."""

    person: str
    name: str
    username: str


class PersonAndBotRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    person: str = "dario"


class PromoteBotRequest(ActionRequest, frozen=True, kw_only=True):
    """The owner of a channel or group makes a bot its administrator, or a plain member of a group."""

    account: str
    bot: str
    role: Literal["administrator", "member"] = "administrator"
    can_post: bool = True


def create_bot(context: VendorContext, request: NewBotRequest) -> Json:
    if not request.username.lower().endswith("bot"):
        raise ControlError("Sorry, the username must end in 'bot'. E.g. 'Tetris_bot' or 'Tetrisbot'", 422)
    if any(bot.username.lower() == request.username.lower() for bot in context.store.find(Bot)):
        raise ControlError("Sorry, this username is already taken. Please try something different.", 409)
    owner = require_person(context, request.person).parent
    bot = Bot(
        id=generate_digits(10),
        parent=owner,
        secret=_generate_secret(),
        first_name=request.name,
        username=request.username,
    )
    context.store.put(bot)
    return show_token(context, AccountRequest(account=bot.id))


def show_token(context: VendorContext, request: AccountRequest) -> Json:
    bot = require_bot(context, request.account)
    return {"id": bot.id, "username": bot.username, "token": bot.token}


def revoke_access(context: VendorContext, account: str, revocation: str) -> object:
    if context.store.get(Bot, account) is not None:
        return _revoke_bot(context, require_bot(context, account), revocation)
    return _revoke_chat(context, require_chat(context, account), revocation)


def _revoke_bot(context: VendorContext, bot: Bot, revocation: str) -> object:
    """Revoke a token. Telegram notifies nobody: the next call is rejected, and the webhook is deleted."""
    bot.secret, bot.webhook, bot.gone = _generate_secret(), None, revocation == "deleted"
    context.store.put(bot)
    return {"id": bot.id, "username": bot.username, "token": None if bot.gone else bot.token}


def _revoke_chat(context: VendorContext, chat: Chat, revocation: str) -> object:
    """Take the chat away from every bot in it, and notify them as Telegram does."""
    if revocation == "deleted":
        chat.gone = True
        context.store.put(chat)
    for place in context.store.find(Member, parent=chat.id):
        bot = context.store.get(Bot, place.user)
        if bot is not None and place.status in {"administrator", "member"}:
            _remove_member(context, chat, bot, place, revocation)
    return None


def _remove_member(context: VendorContext, chat: Chat, bot: Bot, member: Member, revocation: str) -> None:
    if revocation == "cannot_post":
        new = set_member(context, chat.id, bot.id, member.status, member.rights | {"can_post_messages": False})
    else:
        new = set_member(context, chat.id, bot.id, "kicked" if revocation == "banned" else "left")
    notify_membership_change(context, bot, chat, require_person(context, chat.parent).id, member, new)


def promote_bot(context: VendorContext, request: PromoteBotRequest) -> object:
    chat, bot = require_chat(context, request.account), require_bot(context, request.bot)
    if chat.kind == "channel" and request.role == "member":
        raise ControlError("In a channel, a bot can only be an administrator.", 422)
    old = find_member(context, chat.id, bot.id)
    rights = FULL_RIGHTS | {"can_post_messages": request.can_post} if request.role == "administrator" else {}
    new = set_member(context, chat.id, bot.id, request.role, rights)
    notify_membership_change(context, bot, chat, require_person(context, chat.parent).id, old, new)
    return None


def block_bot(context: VendorContext, request: PersonAndBotRequest) -> object:
    set_bot_status_for_user(
        context, require_bot(context, request.account), require_person(context, request.person), "kicked"
    )
    return None


def unblock_bot(context: VendorContext, request: PersonAndBotRequest) -> object:
    set_bot_status_for_user(
        context, require_bot(context, request.account), require_person(context, request.person), "member"
    )
    return None


def _generate_secret() -> str:
    return f"AA{generate_alphanumeric(33)}"


_CHAT_KINDS = ("channel", "supergroup", "group")


def _list_revocation_choices(context: VendorContext, account: str) -> dict[str, str]:
    if context.store.get(Bot, account) is not None:
        return {"": "Revoke the token", "deleted": "Delete the bot"}
    return {
        "": "Remove the bots",
        "banned": "Ban the bots",
        "cannot_post": "Remove the right to post",
        "deleted": "Delete the chat",
    }


def _get_default_choice(context: VendorContext, account: str) -> str:
    return "removed" if context.store.get(Bot, account) is None else "token"


def _list_bot_choices(context: VendorContext, _account: str) -> dict[str, str]:
    return {bot.id: f"@{bot.username}" for bot in context.store.find(Bot) if not bot.gone}


def _list_role_choices(context: VendorContext, account: str) -> dict[str, str]:
    chat = context.store.get(Chat, account)
    plain = {} if chat is None or chat.kind == "channel" else {"member": "Member"}
    return {"administrator": "Administrator"} | plain


ACTIONS: dict[str, Action[Any]] = {
    "newbot": Action(
        "BotFather: create a bot",
        NewBotRequest,
        create_bot,
        field_choices={"person": {owner.key: owner.name for owner in OWNERS}},
    ),
    "token": Action("BotFather: show the token", AccountRequest, show_token, kinds=("bot",)),
    "revoke": build_revoke_action(
        revoke_access, _list_revocation_choices, default_choice=_get_default_choice, title="Revoke access"
    ),
    "promote": Action(
        "Add a bot",
        PromoteBotRequest,
        promote_bot,
        kinds=_CHAT_KINDS,
        field_choices={"bot": _list_bot_choices, "role": _list_role_choices},
    ),
    **message_actions.ACTIONS,
    "block": Action("Block the bot as a person", PersonAndBotRequest, block_bot, kinds=("bot",)),
    "unblock": Action("Start or unblock the bot as a person", PersonAndBotRequest, unblock_bot, kinds=("bot",)),
}
