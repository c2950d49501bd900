"""Meta: Facebook Pages, Instagram by Facebook Login, ad accounts."""

from socialgate.sandbox.kit import App, Call, Route, Vendor
from socialgate.sandbox.vendors.graph.picture import serve_picture
from socialgate.sandbox.vendors.meta import actions, errors, oauth
from socialgate.sandbox.vendors.meta.accounts import CDN
from socialgate.sandbox.vendors.meta.graph import API
from socialgate.sandbox.vendors.meta.seed import seed
from socialgate.sandbox.vendors.meta.viewer import accounts_of

_DIALOGS = ("/www.facebook.com/{version}/dialog/oauth", "/www.facebook.com/dialog/oauth")
_HOST = f"/{API.host}" + "/{rest:path}"


async def serve(call: Call) -> object:
    return await API.serve(call)


VENDOR = Vendor(
    name="meta",
    title="Meta",
    app=App(id="sandbox-meta", secret="sandbox-meta-secret"),
    routes=[
        *(Route("GET", path, oauth.dialog) for path in _DIALOGS),
        *(Route("POST", path, oauth.dialog) for path in _DIALOGS),
        Route("GET", f"/{CDN}/picture/{{size}}/{{key}}.png", serve_picture),
        Route("GET", _HOST, serve),
        Route("POST", _HOST, serve),
        Route("DELETE", _HOST, serve),
    ],
    errors=errors.ERRORS,
    not_found=errors.not_found,
    invalid=errors.invalid,
    seed=seed,
    accounts=actions.accounts,
    actions=actions.ACTIONS,
    accounts_of=accounts_of,
)
