"""The fields of the forms that connect an account without a redirect, as people see them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.contracts.sign_in_forms import CONNECT_FORMS_BY_PLATFORM, SignInForm
from socialgate.core.errors import NotFound


class FormField(msgspec.Struct, frozen=True):
    """A field of the form that connects an account with a credential."""

    name: str
    label: str
    hint: str
    is_secret: bool
    is_required: bool


def find_sign_in_form(kind: str) -> SignInForm:
    form = next((form for form in CONNECT_FORMS_BY_PLATFORM.values() if form.kind == kind), None)
    if form is None:
        raise NotFound("This kind of account has no form: people sign in on its platform.")
    return form


def list_form_fields(form: SignInForm) -> Sequence[FormField]:
    """List what a person fills in, with the descriptions of the API."""
    schema = msgspec.json.schema(form.body)
    properties = schema["$defs"][form.body.__name__]["properties"]
    return [
        FormField(
            name=field.encode_name,
            label=_LABELS[field.encode_name] + ("" if field.required else " (optional)"),
            hint=_get_description(properties[field.encode_name]),
            is_secret=any(part in field.name for part in ("token", "secret")),
            is_required=field.required,
        )
        for field in msgspec.structs.fields(form.body)
        if field.encode_name != "profileId"
    ]


# What people call the fields. The descriptions below them are those of the API.
_LABELS = {
    "name": "Name",
    "phoneNumber": "Phone number",
    "accessToken": "Access token",
    "phoneNumberId": "Phone number ID",
    "wabaId": "WhatsApp Business Account ID",
    "appSecret": "App secret",
    "pin": "PIN",
    "botToken": "Bot token",
}


def _get_description(schema: dict[str, Any]) -> str:
    own = str(schema.get("description", ""))
    return own or next((str(part["description"]) for part in schema.get("anyOf", ()) if "description" in part), "")
