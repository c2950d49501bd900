"""A site with files, such as a product has whose media platforms are told to fetch."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class MediaHost:
    """`files` are the contents and their types by path. An address under /moved/ leads elsewhere."""

    def __init__(self) -> None:
        self.files: dict[str, tuple[str, bytes]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.files))
        self._url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def put(self, name: str, content_type: str, content: bytes) -> str:
        """Offer a file and give its address."""
        self.files[f"/{name}"] = (content_type, content)
        return self.url(name)

    def url(self, name: str) -> str:
        return f"{self._url}/{name}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(60)


def _handler(files: dict[str, tuple[str, bytes]]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.startswith("/moved/"):
                self.send_response(302)
                self.send_header("location", self.path.removeprefix("/moved"))
                self.send_header("content-length", "0")
                self.end_headers()
                return
            content_type, content = files.get(self.path, ("text/plain", b"nothing here"))
            self.send_response(200 if self.path in files else 404)
            self.send_header("content-type", content_type)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
