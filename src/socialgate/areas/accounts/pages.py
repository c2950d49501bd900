"""The page that a person sees after a redirect whose customer named no page of its own."""

from functools import cache
from importlib import resources

import jinja2

from socialgate.areas.accounts.connect import Outcome


def outcome_page(platform: str, outcome: Outcome) -> str:
    return _template().render(**_words(platform, outcome))


def _words(platform: str, outcome: Outcome) -> dict[str, str | None]:
    if outcome.error is not None:
        return {"title": "Not connected", "text": outcome.detail, "error": outcome.error}
    number = len(outcome.account_ids)
    text = (
        f"You are signed in to {platform}. The accounts to connect can be chosen now."
        if not number
        else f"{number} account{'s' if number > 1 else ''} of {platform} {'are' if number > 1 else 'is'} connected."
    )
    return {"title": "Connected", "text": text, "error": None}


@cache
def _template() -> jinja2.Template:
    loader = jinja2.FileSystemLoader(str(resources.files("socialgate.web") / "templates"))
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.get_template("connected.html")
