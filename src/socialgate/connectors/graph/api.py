"""An app at one of Meta's products: acting for people and accounts, and as the app itself for tokens."""

from collections.abc import Mapping

from socialgate.connectors.client import APP
from socialgate.connectors.errors import ErrorTable
from socialgate.connectors.graph.dialect import Caller, GraphClient, GraphDialect, Token, request
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.connecting import AccountCredentials


class GraphApi:
    """`base` is where calls go, and `token_url` where secrets are exchanged for tokens."""

    base: str
    token_url: str

    def __init__(self, app: App, wire: Wire, dialect: GraphDialect, table: ErrorTable) -> None:
        self.app = app
        self.wire = wire
        self.client = GraphClient(wire, dialect, table)

    def of(self, held: AccountCredentials) -> Caller:
        """Act for an account: with its own token if it has one (a Page's), otherwise with that of its person."""
        token = held.secret.get("access_token", held.grant.access_token)
        return self.person(token, held.platform_account_id)

    def person(self, token: str, budget: str = APP) -> Caller:
        return Caller(self.client, self.base, token, budget, hidden=(self.app.secret,))

    async def token(self, params: Mapping[str, str], secret: str, *, repeatable: bool) -> Token:
        """Exchange something secret for a token."""
        form = {"client_id": self.app.id, "client_secret": self.app.secret, **params}
        hidden = (secret, self.app.secret)
        return await self.client.call(
            request("POST", self.token_url, form, repeatable=repeatable, hidden=hidden), Token
        )
