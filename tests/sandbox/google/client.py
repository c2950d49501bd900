"""An app that signs its users in with Google, in plain HTTP, and Google's own clients aimed at the sandbox."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import msgspec

from sandbox.google.official import credentials, discovery, discovery_cache
from socialgate_sandbox.vendors.google.seed import GOOGLE_USER_IDS
from support.simulation import RunningSandbox, WebhookReceiver

AUTH = "https://www.googleapis.com/auth/"
IDENTITY = ("openid", f"{AUTH}userinfo.email", f"{AUTH}userinfo.profile")
YOUTUBE = f"{AUTH}youtube.force-ssl"
CALENDAR = f"{AUTH}calendar"
BUSINESS = f"{AUTH}business.manage"
CLIENT = {"client_id": "sandbox-google", "client_secret": "sandbox-google-secret"}


class Google:
    def __init__(self, sandbox: RunningSandbox, gateway: WebhookReceiver) -> None:
        self.sandbox = sandbox
        self.gateway = gateway
        self.url = f"{sandbox.url}/google"
        self.redirect = f"{gateway.url}/connect/google/callback"
        self.http = sandbox.client

    def question(self, *scopes: str, **more: str) -> dict[str, str]:
        request = {"client_id": CLIENT["client_id"], "redirect_uri": self.redirect, "response_type": "code"}
        request |= {"scope": " ".join(scopes), "state": "s1", "access_type": "offline", "prompt": "consent"}
        return request | more

    def decide(self, question: Mapping[str, str], **form: Any) -> httpx.Response:
        url = f"{self.url}/accounts.google.com/o/oauth2/v2/auth"
        return self.http.post(url, params=dict(question), data={"decision": "allow"} | form)

    def come_back(self, question: Mapping[str, str], **form: Any) -> dict[str, str]:
        """Decide on the consent page and give the parameters with which the browser comes back."""
        answer = self.decide(question, **form)
        assert answer.status_code == 302, answer.text
        assert answer.headers["location"].startswith(self.redirect)
        return dict(httpx.URL(answer.headers["location"]).params)

    def exchange(self, code: str, **more: str) -> httpx.Response:
        form = CLIENT | {"code": code, "redirect_uri": self.redirect, "grant_type": "authorization_code"} | more
        return self.http.post(f"{self.url}/oauth2.googleapis.com/token", data=form)

    def refresh(self, token: str, **more: str) -> httpx.Response:
        form = CLIENT | {"refresh_token": token, "grant_type": "refresh_token"} | more
        return self.http.post(f"{self.url}/oauth2.googleapis.com/token", data=form)

    def sign_in(self, person: str, *scopes: str) -> dict[str, Any]:
        back = self.come_back(self.question(*IDENTITY, *scopes), person=GOOGLE_USER_IDS.get(person, person))
        answer = self.exchange(back["code"])
        assert answer.status_code == 200, answer.text
        tokens: dict[str, Any] = answer.json()
        return tokens

    def get(self, path: str, token: str | None = None, **query: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        return self.http.get(f"{self.url}/{path}", params=query, headers=headers)

    def post(self, path: str, token: str, body: Any, **query: Any) -> httpx.Response:
        return self.http.post(
            f"{self.url}/{path}", params=query, json=body, headers={"authorization": f"Bearer {token}"}
        )

    @contextmanager
    def sdk(self, name: str, version: str, tokens: Mapping[str, Any]) -> Iterator[Any]:
        """Give Google's own client of an API, with the discovery document that it ships aimed at the sandbox."""
        document = msgspec.json.decode(discovery_cache.get_static_doc(name, version))
        root = urlsplit(document["rootUrl"])
        document["rootUrl"] = f"{self.url}/{root.hostname}/"
        document["baseUrl"] = document["rootUrl"] + document["servicePath"]
        document.pop("mtlsRootUrl", None)
        with discovery.build_from_document(document, credentials=self.credentials(tokens)) as service:
            yield service

    def credentials(self, tokens: Mapping[str, Any]) -> Any:
        uri = f"{self.url}/oauth2.googleapis.com/token"
        return credentials.Credentials(
            tokens["access_token"], refresh_token=tokens.get("refresh_token"), token_uri=uri, **CLIENT
        )
