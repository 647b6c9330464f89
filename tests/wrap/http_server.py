# SPDX-License-Identifier: Apache-2.0
"""http_server.py - MCP servers over Streamable HTTP on this machine, of both eras, for test_upstream.py."""
import contextlib
import http.server
import json
import ssl
import threading

TOOL = {"name": "json", "description": "Answers.", "inputSchema": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"},
                                                                                             "count": {"type": "integer", "x-mcp-header": "Count"}}}}
META = "io.modelcontextprotocol/"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    # ---- Answers -------------------------------------------------------------------------------

    def send(self, status, body=b"", kind="application/json", **fields):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        if body:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def begin_events(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def chunk(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def event(self, message, ident=None):
        self.chunk((f"id: {ident}\n" if ident else "") + "event: message\ndata: " + json.dumps(message) + "\n\n")

    def end_events(self):
        self.chunk("")

    def result(self, message, **result):
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    # ---- Requests ------------------------------------------------------------------------------

    def note(self, message=None):
        with self.server.changed:
            self.server.seen.append({"method": self.command, "path": self.path, "fields": {name.lower(): value for name, value in self.headers.items()}, "message": message})
            self.server.changed.notify_all()

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.note(message)
        if "id" not in message or "method" not in message:
            if self.server.holds_notes:
                self.server.wait(lambda: self.server.is_released)
            return self.send(202)
        if self.server.is_gone and self.headers.get("Mcp-Session-Id"):
            return self.send(404, b"no such session", "text/plain")
        name = message["method"].replace("/", "_")
        return getattr(self, "on_" + name, self.on_other)(message)

    def on_other(self, message):
        self.send(404 if self.server.is_modern else 200, {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "Method not found"}})

    def on_initialize(self, message):
        if self.server.is_modern:
            return self.on_other(message)
        fields = {"Mcp_Session_Id": "session-1"} if self.server.has_session else {}
        return self.send(200, self.result(message, protocolVersion="2025-06-18", capabilities={"tools": {}}, serverInfo={"name": "http", "version": "2"}), **fields)

    def on_server_discover(self, message):
        if not self.server.is_modern:
            return self.send(400, b"what?", "text/plain")
        return self.send(200, self.result(message, resultType="complete", supportedVersions=["2026-07-28"], _meta={META + "serverInfo": {"name": "http", "version": "2"}}))

    def on_tools_list(self, message):
        self.begin_events()
        self.chunk(": a comment\r\n\r\n")
        text = json.dumps(self.result(message, tools=self.server.tools), indent=1)
        self.chunk("".join("data: " + line + "\r\n" for line in text.split("\n")))
        self.chunk("\r\n")
        self.end_events()

    def on_tools_call(self, message):
        getattr(self, "call_" + message["params"]["name"])(message)

    def on_subscriptions_listen(self, message):
        self.begin_events()
        self.event({"jsonrpc": "2.0", "method": "notifications/listening", "params": {"id": message["id"]}})
        try:
            while not self.server.is_released:
                self.chunk(": still here\n\n")
                self.server.stop.wait(0.05)
        except OSError:
            self.note({"closed": message["id"]})

    # ---- Tools ---------------------------------------------------------------------------------

    def call_json(self, message):
        self.send(200, json.dumps(self.result(message, content=[], value="a\nb"), indent=2).encode())

    def call_sse(self, message):
        self.begin_events()
        self.event({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}})
        self.event(self.result(message, content=[]))
        self.end_events()

    def call_carriage(self, message):
        """Lines that end with CR alone, and a stream that stays open behind the answer."""
        self.begin_events()
        self.chunk("data: " + json.dumps(self.result(message, content=[])) + "\r\r")
        self.server.wait(lambda: self.server.is_released)

    def call_long(self, message):
        """An event of two lines that is longer than a message may be; the first alone would be an answer."""
        self.begin_events()
        self.chunk("data: " + json.dumps(self.result(message, content=[])) + "\n")
        self.server.stop.wait(0.2)  # so that it comes in two pieces
        self.chunk("data: " + " " * ((1 << 16) + 1000) + "\n\n")
        self.server.wait(lambda: self.server.is_released)

    def call_large(self, message):
        self.begin_events()
        self.event(self.result(message, content=[], value="x" * (4 << 20)))
        self.end_events()

    def call_capitals(self, message):
        self.send(200, self.result(message, content=[]), "Application/JSON; charset=utf-8")

    def call_part(self, _):
        """The most of an answer; the rest never comes."""
        self.begin_events()
        self.chunk("data: {" + " " * (4 << 20))
        self.server.wait(lambda: self.server.is_released)

    def call_close(self, message):
        """A body that ends with the connection."""
        body = json.dumps(self.result(message, content=[])).encode()
        self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n" + body)
        self.close_connection = True

    def call_ask(self, message):
        self.begin_events()
        self.event({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create", "params": {"message": "?"}})
        self.server.wait(lambda: any((seen["message"] or {}).get("id") == "q1" for seen in self.server.seen))
        self.event(self.result(message, content=[]))
        self.end_events()

    def call_fail(self, _):
        self.send(500, b"<h1>broken</h1>", "text/html")

    def call_error(self, message):
        self.send(400, {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32602, "message": "no"}})

    def call_noid(self, _):
        self.send(403, {"jsonrpc": "2.0", "id": None, "error": {"code": -32099, "message": "forbidden"}})

    def call_other_id(self, _):
        self.send(400, {"jsonrpc": "2.0", "id": 999, "error": {"code": -1, "message": "of another"}})

    def call_redirect(self, _):
        self.send(302, b"", Location="/elsewhere")

    def call_html(self, _):
        self.send(200, b"<p>hello</p>", "text/html")

    def call_accepted(self, _):
        self.send(202)

    def call_wrong(self, message):
        self.send(200, {"jsonrpc": "2.0", "id": message["id"] + 1000, "result": {}})

    def call_cut(self, _):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b"{")
        self.close_connection = True

    def call_silent(self, _):
        self.begin_events()
        self.end_events()

    def call_twice(self, message):
        body = json.dumps(self.result(message)).encode()
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        self.close_connection = True

    def call_hold(self, message):
        self.server.wait(lambda: self.server.is_released)
        self.send(200, self.result(message, content=[]))

    # ---- The server's own stream ---------------------------------------------------------------

    def do_GET(self):
        self.note()
        if not self.server.has_stream:
            return self.send(405)
        self.begin_events()
        if self.server.primes:
            return self.prime()
        number = int(self.headers.get("Last-Event-ID", "e0")[1:]) + 1
        self.event({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": number}}, f"e{number}")
        if number > 1:
            self.server.wait(lambda: self.server.is_released)
        self.end_events()
        return None

    def prime(self):
        """Ids of events without data, one of an event that is not complete, and one that is empty."""
        number = len(self.server.requests("GET"))
        if number < 4:
            self.chunk(["id: p1\ndata:\n\nid: p2\ndata: {", "id: p3\n\n", "id:\n\n"][number - 1])
        else:
            self.server.wait(lambda: self.server.is_released)
        self.end_events()

    def do_DELETE(self):
        self.note()
        self.send(200)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, **how):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen = []
        self.changed = threading.Condition()
        self.stop = threading.Event()
        self.is_released = self.is_gone = self.holds_notes = False
        self.is_modern = how.get("modern", False)
        self.has_session = how.get("session", True)
        self.has_stream = how.get("stream", False)
        self.primes = how.get("primes", False)
        self.tools = [TOOL]
        self.scheme = "http"

    def handle_error(self, *_):
        pass  # clients that close are part of the tests

    def url(self, host="127.0.0.1", path="/mcp"):
        return f"{self.scheme}://{host}:{self.server_address[1]}{path}"

    def wait(self, happens):
        with self.changed:
            if not self.changed.wait_for(happens, 60):
                raise AssertionError("waited in vain")

    def release(self):
        with self.changed:
            self.is_released = True
            self.changed.notify_all()

    def requests(self, method="POST"):
        return [seen for seen in self.seen if seen["method"] == method]


@contextlib.contextmanager
def serve(certificate=None, **how):
    server = Server(**how)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.scheme = "https"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.release()
        server.stop.set()
        server.shutdown()
        server.server_close()
