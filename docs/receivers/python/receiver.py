#!/usr/bin/env python3
"""A hook receiver in Python that only uses the standard library."""

import hmac
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("HOOK_SECRET", "").encode()
PORT = int(os.environ.get("PORT", "3000"))
LARGEST_BODY = 1024 * 1024


class Receiver(BaseHTTPRequestHandler):
    timeout = 15

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", "0"))
        if length > LARGEST_BODY:
            self.answer(413)
            return
        # The signature covers these exact bytes: verify it before parsing the JSON, and never re-serialize the JSON.
        body = self.rfile.read(length)
        expected = "sha256=" + hmac.digest(SECRET, body, "sha256").hex()
        given = self.headers.get("X-Service-Signature", "")
        if not hmac.compare_digest(expected.encode(), given.encode()):
            self.answer(401)
            return
        # Put the body into your own queue here, and respond immediately. A delivery may arrive twice: if you have seen
        # its webhook-id before, it is the same event.
        self.log_message("%s %s", self.headers["X-Service-Event"], self.headers["webhook-id"])
        self.answer(200)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    if not SECRET:
        sys.exit("Set HOOK_SECRET to the secret of the hook.")
    ThreadingHTTPServer(("127.0.0.1", PORT), Receiver).serve_forever()
