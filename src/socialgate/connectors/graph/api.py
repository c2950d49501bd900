"""An app at one of Meta's products: acting for people and accounts, and as the app itself for tokens."""

from collections.abc import Mapping

from socialgate.connectors.client import APP_BUDGET
from socialgate.connectors.errors import ErrorTable
from socialgate.connectors.graph.dialect import AccessToken, GraphCaller, GraphClient, GraphDialect, build_request
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import AccountCredentials


class GraphApi:
    """`base` is where calls go, and `token_url` where secrets are exchanged for tokens."""

    base: str
    token_url: str

    def __init__(self, app: PlatformApp, wire: VendorTransport, dialect: GraphDialect, table: ErrorTable) -> None:
        self.app = app
        self.wire = wire
        self.client = GraphClient(wire, dialect, table)

    def for_account(self, credentials: AccountCredentials) -> GraphCaller:
        """Act for an account: with its own token if it has one (a Page's), otherwise with that of its person."""
        token = credentials.secret.get("access_token", credentials.grant.access_token)
        return self.for_person(token, credentials.platform_account_id)

    def for_person(self, token: str, budget: str = APP_BUDGET) -> GraphCaller:
        return GraphCaller(self.client, self.base, token, budget, hidden=(self.app.secret,))

    async def exchange_token(self, params: Mapping[str, str], secret: str, *, repeatable: bool) -> AccessToken:
        """Exchange something secret for a token."""
        form = {"client_id": self.app.id, "client_secret": self.app.secret, **params}
        hidden = (secret, self.app.secret)
        return await self.client.call(
            build_request("POST", self.token_url, form, repeatable=repeatable, secret_values=hidden), AccessToken
        )
