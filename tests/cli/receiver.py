# SPDX-License-Identifier: Apache-2.0
"""receiver.py - somebody on loopback whom a server POSTs to, and who takes it, refuses, or keeps it waiting."""
import http.server
import ssl
import threading

from program import TIMEOUT_S
from raw_server import make_certificate

HOLD = "hold"  # instead of a status: answer when the test says so


def identity(place):
    """A context of TLS for whoever is at 127.0.0.1; beside it in `place` lies receiver.pem, which vouches for it."""
    make_certificate(place, "receiver", "-addext", "subjectAltName=IP:127.0.0.1")
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(f"{place}/receiver.pem", f"{place}/receiver.key")
    return tls


class Receiver:
    """Takes POSTs; `statuses` are answered first for each path, then `usual`. `tls` is a context of the standard library."""

    def __init__(self, statuses=None, usual=204, tls=None):
        self.posts = []  # (path, headers, body, status), as they came
        self.released = threading.Event()
        left = {path: list(wanted) for path, wanted in (statuses or {}).items()}
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = left[self.path].pop(0) if left.get(self.path) else usual
                receiver.posts.append((self.path, {name.lower(): value for name, value in self.headers.items()}, body, status))
                if status == HOLD:
                    receiver.released.wait(TIMEOUT_S)
                self.send_response(usual if status == HOLD else status)
                self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None  # a client may hang up, or trust nobody
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def at(self, path):
        return [(headers, body) for where, headers, body, _ in self.posts if where == path]

    def holds(self):
        """How many wait for their answer, until it is released."""
        return sum(status == HOLD for _, _, _, status in self.posts)

    def close(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
