"""The page on which a simulated person grants an app access.

It is a plain form that is posted to its own address, so the parameters of the app's request are still in the query. A
test can post just `decision=allow`: the first person then grants everything.
"""

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit

import msgspec
from starlette.responses import RedirectResponse, Response

from socialgate_sandbox.kernel.call import Call
from socialgate_sandbox.kernel.templates import render_template


class Scope(msgspec.Struct, frozen=True):
    """A permission. A required one cannot be unticked."""

    name: str
    about: str = ""
    required: bool = False


class LoginCandidate(msgspec.Struct, frozen=True):
    """Somebody who can sign in. `id` becomes `ConsentAllowed.person`."""

    id: str
    name: str
    about: str = ""


class ConsentAllowed(msgspec.Struct, frozen=True):
    person: str
    scopes: list[str]


class ConsentDenied(msgspec.Struct, frozen=True):
    pass


def show_or_read_consent(
    call: Call, *, platform: str, people: Sequence[LoginCandidate], scopes: Sequence[Scope]
) -> Response | ConsentAllowed | ConsentDenied:
    """Show the page (GET), or read the decision made on it (POST). Serve both methods at one path.

    Check the client id, the redirect address and so on first: a vendor shows its error instead of this page.
    """
    if call.method != "POST":
        return render_template(
            "consent.html", platform=platform, app=call.context.app.name, people=people, scopes=scopes
        )
    if call.form.get("decision") != "allow":
        return ConsentDenied()
    person = call.form.get("person") or people[0].id
    if person not in {candidate.id for candidate in people}:
        return render_template("consent_failed.html", 400, platform=platform, person=person)
    # Without the page's marker, the absence of scopes means that nobody was asked.
    ticked = call.form.getlist("scope") if "asked" in call.form else [scope.name for scope in scopes]
    return ConsentAllowed(person, [scope.name for scope in scopes if scope.required or scope.name in ticked])


def redirect_with_parameters(url: str, status: int = 302, fragment: str = "", **parameters: str | None) -> Response:
    """Redirect the browser with these parameters added to the address, except those that are None."""
    parts = urlsplit(url)
    params = {name: value for name, value in parameters.items() if value is not None}
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *params.items()])
    return RedirectResponse(parts._replace(query=query, fragment=fragment or parts.fragment).geturl(), status)
