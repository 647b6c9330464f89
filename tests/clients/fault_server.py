# SPDX-License-Identifier: Apache-2.0
"""fault_server.py - what stands between a client and a server to show what the client does about faults: a proxy that cuts connections, and a
server that answers what a test says."""
import contextlib
import itertools
import socket
import threading
import time


class Listener:
    """A socket on loopback, and one thread for each connection."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.count = 0  # connections so far
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self._guard, args=(connection,), daemon=True).start()

    def _guard(self, connection):
        with contextlib.suppress(OSError), connection:
            self.handle(connection)

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def read_message(stream):
    """First line, fields and body of a request or an answer with a Content-Length; None at the end."""
    first = stream.readline()
    if not first:
        return None
    fields = {}
    for line in iter(stream.readline, b"\r\n"):
        if not line:
            return None
        name, _, value = line.decode("latin-1").partition(":")
        fields[name.strip().lower()] = value.strip()
    body = stream.read(int(fields.get("content-length", 0)))
    return first.decode("latin-1").rstrip("\r\n"), fields, body


class Stub(Listener):
    """Answers each request by a function: (first line, fields, body) -> (status, {field: value}, body), None to cut, or bytes that are sent one by one
    until the client hangs up. /v1/version is answered as
    a server of Baton does unless the function does it."""

    def __init__(self, answer, version="0.1.0"):
        self.answer, self.version = answer, version
        self.requests = []
        super().__init__()

    def handle(self, connection):
        stream = connection.makefile("rb")
        while message := read_message(stream):
            if message[0].startswith("GET /v1/version ") and self.version:
                made = 200, {"Content-Type": "application/json"}, b'{"baton":1,"version":"' + self.version.encode() + b'"}\n'
            else:
                self.requests.append(message)
                made = self.answer(*message)
            if made is None:
                return
            if isinstance(made, bytes):
                for byte in itertools.cycle(made):
                    connection.sendall(bytes([byte]))
                    time.sleep(0.01)
            status, fields, body = made
            lines = "".join(f"{name}: {value}\r\n" for name, value in {"Content-Length": str(len(body)), **fields}.items())
            connection.sendall(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode() + body)


class Proxy(Listener):
    """Hands requests on to a server, and may cut the connection: `cuts` is how often, `when` is `before` (the server never sees the request) or
    `after` (the server acted, and the answer is lost); `only` is what the first line begins with. `streams` are cut after so many events."""

    def __init__(self, port, cuts=0, when="after", only="POST /v1/handoffs", events=None):
        self.target, self.cuts, self.when, self.only, self.events = port, cuts, when, only, events
        self.seen = []
        self.lock = threading.Lock()
        super().__init__()

    def _must_cut(self, first, when):
        with self.lock:
            if self.cuts > 0 and self.when == when and first.startswith(self.only):
                self.cuts -= 1
                return True
        return False

    def handle(self, connection):
        stream = connection.makefile("rb")
        while message := read_message(stream):
            first, fields, body = message
            self.seen.append((first, fields.get("idempotency-key"), fields.get("last-event-id")))
            if self._must_cut(first, "before"):
                return
            with socket.create_connection(("127.0.0.1", self.target)) as server:
                fields["host"], fields["connection"] = f"127.0.0.1:{self.target}", "close"
                head = f"{first}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
                server.sendall(head.encode("latin-1") + b"\r\n" + body)
                if "/stream" in first:
                    self._hand_on_events(connection, server)
                    return
                answer = server.makefile("rb").read()
            if self._must_cut(first, "after"):
                return
            connection.sendall(answer)
            return

    def _hand_on_events(self, connection, server):
        """Hand a stream on line by line, and cut it after `events` events, in the middle of the next one."""
        given = 0
        for line in server.makefile("rb"):
            if line.startswith(b"data: ") and self.events is not None:
                given += 1
                if given > self.events:
                    connection.sendall(line[:10])
                    return
            connection.sendall(line)
