"""Meta's own SDK for Python, pointed at the sandbox."""

from typing import Any

from facebook_business.api import FacebookAdsApi
from facebook_business.session import FacebookSession

from sandbox.meta.signing_in import Meta


class Sdk:
    """Gives the SDK's entry for a token, with the proof that goes along with it."""

    def __init__(self, meta: Meta) -> None:
        self._meta = meta
        self._sessions: list[FacebookSession] = []

    def api(self, token: str) -> FacebookAdsApi:
        platform = self._meta.platform
        session = FacebookSession(platform.client_id, platform.secret, token)
        session.GRAPH = f"{platform.url}/graph.facebook.com"
        self._sessions.append(session)
        return FacebookAdsApi(session)

    def close(self) -> None:
        for session in self._sessions:
            session.requests.close()


def ids(rows: Any) -> list[str]:
    return [row["id"] for row in rows]
