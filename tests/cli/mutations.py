# SPDX-License-Identifier: Apache-2.0
"""mutations.py - requests that are nearly right, made from a seed: heads, chunks, JSON-RPC of /mcp and /a2a, and every path of the OpenAPI document.

The same seed gives the same bytes on every run. A request that leaves its connection usable is *sound*: its framing is right, whatever else is wrong.
The others are *broken*, and come last on their connection."""
import json
import random
import re

from block import REQUEST, envelope, fenced
from handoffs import handoff, text_of
from mcp_client import FORMS, META, ask, call, old, opening
from program import ROOT

EXAMPLES = ROOT / "examples"
TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+.0-9eE]+|[a-z]+|[\[\]{}:,]|\s+|.', re.S)
VALUES = [b"null", b"true", b"false", b"0", b"-0", b"-1", b"1.5", b"1e400", b"1E-400", b"9007199254740993", b"18446744073709551616", b'""', b'"\\u0000"',
          b'"\\ud800"', b'"\xc3\xa9"', b'"\xff"', b'"' + b"A" * 5000 + b'"', b"[]", b"{}", b"[" * 200 + b"]" * 200, b'{"a":1,"a":2}', b"NaN", b"01", b"'x'",
          b'"../../etc/passwd"', b'"file:///etc/passwd"', b'"2026-02-30T25:00:00Z"', b'"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"', b'"\\u202e"', b"[1,2,3,4,5]"]
BYTES = [b"\0", b"\r", b"\n", b"\r\n", b" ", b"\t", b"\x7f", b"\xff", b"%", b"%00", b"%2e%2e", b"%2F", b"\\", b'"', b"'", b"<", b"]]>", b"&", b"{", b"[", b",", b":",
         b"```", b"---", b"-1", b"99999999999999999999", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80\xae"]
WORDS = ["", "0", "1", "-1", "18446744073709551616", "x", "a" * 300, "..", "%2e", "%zz", "%00", "a%2Fb", "true", "null", "universal", "contract", "governed", "plan", "xml",
         "accepted", "rejected", "desc", "EXPIRED", "report", "codex", "claude", "P-" + "0" * 32, "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4", "2026-11-15T10:00:00Z", "caf%C3%A9",
         "tax-writer", "patch-builder", "000", "x000/000", "baton%20x", "+", "%F0%9F%98%80", "HARD", "json", "mermaid", "[]", "{}"]
FIELDS = ["Accept: text/event-stream", "Accept: application/json;q=0", "Accept: */*;q=0.1, text/plain", "If-None-Match: *", "Origin: null", "Origin: https://ok.example",
          "Idempotency-Key: k{}", 'Idempotency-Key: "q{}"', "Idempotency-Key: \x80", "Last-Event-ID: {}", "Last-Event-ID: -1", "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
          "traceparent: 00-00", "tracestate: " + "a=b," * 150, "X-Request-Id: r{}", "X-Request-Id: " + "x" * 65, "Content-Encoding: gzip", "Content-Encoding: identity",
          "Expect: 100-continue", "Via: 1.1 x", "X-Forwarded-For: 10.0.0.1", "Sec-Fetch-Site: cross-site", "Access-Control-Request-Method: POST", "Authorization: Basic eDp5",
          "A2A-Version: 0.3", "A2A-Extensions: urn:baton:a2a:receipt:v1, urn:x", "MCP-Protocol-Version: 2025-06-18", "Mcp-Name: =?base64?!!?=", "Mcp-Session-Id: x", "Cookie: a=b",
          "X-Long: " + "y" * 4000, "X-Empty:", "Range: bytes=0-1", "Upgrade: h2c", "Connection: upgrade", "TE: trailers", "Content-Type: text/plain; charset=latin1"]
# What two readers could understand differently, and what is not HTTP at all.
BROKEN = [b"Content-Length: 5\r\nContent-Length: 5", b"Content-Length: +5", b"Content-Length: 99999999999999999999", b"Content-Length: 9999999", b"Transfer-Encoding: gzip, chunked",
          b"Transfer-Encoding: chunked\r\nContent-Length: 3", b"Host: other", b" folded: x", b"Bad Name: x", b"NoColon", b"X: a\rb", b"X: a\0b", b"X: a\nY: b", b": x",
          b"Expect: 200-ok", b"X: " + b"z" * 40000, b"\r\n".join(b"X%d: y" % n for n in range(120)), b"Connection: close", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"]
LINES = [b"get / HTTP/1.1", b"GET /", b"GET  / HTTP/1.1", b"GET / HTTP/2.0", b"GET / HTTP/1.0", b"BREW / HTTP/1.1", b"GET http://x/ HTTP/1.1", b"GET /../x HTTP/1.1", b"GET /a//b HTTP/1.1",
         b"GET /%zz HTTP/1.1", b"GET /%00 HTTP/1.1", b"GET /" + b"a" * 9000 + b" HTTP/1.1", b"\x16\x03\x01\x02\x00", b"", b"CONNECT x:1 HTTP/1.1", b"OPTIONS * HTTP/1.1", b"GET / HTTP/1.1\n"]
# What each operation takes, beside documents.
OBJECTS = {
    "planTrajectory": {"run": {"edges": [{"from": "a", "to": "b"}]}}, "planValidate": {"schema": {"type": "object"}, "payload": {}},
    "schemaValidate": {"schema": {"type": "object", "properties": {"a": {"$ref": "#"}}}, "instance": {"a": {}}}, "schemaCompat": {"old": {"enum": [1]}, "new": {"type": "integer"}, "mode": "backward"},
    "contractMerge": {"stored": {"a": {"b": 1}}, "payload": {"a": {"c": [1]}}}, "verifyReceipt": {"receipt": "x", "vkey": ["a+00000000+x"], "document": "{}"},
    "takeHandoffs": {"max": 2, "lease_s": 10, "wait_s": 0}, "finishHandoffs": {"items": [{"message": "h1", "lease": "l", "outcome": "failed"}]}, "hook": {"hook_event_name": "Stop", "session_id": "s"},
    "useApproval": {"command": "ls", "id": "P-" + "0" * 32, "agent": "a1"}, "grantApproval": {"fingerprint": "0" * 64, "ttl": "5m"}, "denyApproval": {"reason": "no"}, "revokeApproval": {"reason": "no"},
    "showApproval": {}, "unblock": {"agent": "a", "reason": "r"}, "makeBundle": {"trace": "t"}, "setHold": {"trace": "t", "reason": "r"}, "releaseHold": {"trace": "t", "reason": "r"}, "redactDocument": {"seq": 0, "reason": "r"}, "adminReload": {}, "newLog": {"name": "a", "origin": "x/a"},
}


def documents():
    """Documents of every dialect, and requests that carry them."""
    good = text_of(handoff())
    found = [path.read_bytes() for folder in ("universal", "json", "contract", "plan", "pump", "schema", "governed") for path in sorted((EXAMPLES / folder).rglob("*"))
             if path.is_file() and path.stat().st_size < 9000 and path.suffix in (".json", ".md", ".csv", ".xml")]
    carried = {"documents": [{"path": "h.json", "as": "universal", "text": good}], "options": {"budget": 2000, "tokens": "o200k_base"}}
    consent = fenced({**envelope(status="APPROVAL_REQUEST"), "approval_request": REQUEST})
    return [good.encode()] * 6 + [json.dumps(carried).encode(), fenced(envelope(status="COMPLETE")).encode(), consent.encode()] + found


def rpc_messages():
    """What is said to /mcp and /a2a."""
    good = text_of(handoff())
    message = {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": good}], "metadata": {"urn:baton:a2a:handoff:v1": {"operation": "check", "dialect": "universal"}}}
    tools = {"check_handoff": {"document": good}, "repair_handoff": {"document": good, "attempt": 1}, "compress_handoff": {"document": good, "budget": 200}, "convert_handoff": {"document": good},
             "count_tokens": {"text": "a b"}, "explain_code": {"code": "EXPIRED"}, "validate_payload": {"schema": {"type": "object"}, "payload": {}}, "compare_schemas": {"old": {}, "new": {}},
             "submit_handoff": {"document": good, "id": "i1"}, "get_handoff": {"id": 0}, "get_receipt": {"id": "0"}, "get_trace": {"trace_id": "x"}, "receive_handoffs": {"agent": "a", "max": 1},
             "finish_handoff": {"agent": "a", "message": "h0", "lease": "l", "outcome": "delivered"}, "list_approvals": {}, "use_approval": {"command": "ls"}, "decide_approval": {"id": "P-" + "0" * 32},
             "test_elicitation": {"message": "?"}, "test_tool_with_progress": {}, "audit_plan": {"plan": "step,action\n1,a\n"}}
    mcp = [call(name, arguments, meta=FORMS) for name, arguments in tools.items()] + [old("tools/call", {"name": name, "arguments": arguments}) for name, arguments in tools.items()]
    mcp += [ask(method) for method in ("server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list")] + [opening(elicitation={}), old("ping"), old("tools/list")]
    mcp += [ask("resources/read", {"uri": uri}) for uri in ("baton://rules", "baton://rules/EXPIRED", "baton://schemas/report", "baton://ledger/checkpoint", "baton://handoffs/0", "test://static-text")]
    mcp += [ask("prompts/get", {"name": "repair_handoff", "arguments": {"document": good}}), ask("completion/complete", {"ref": {"type": "ref/prompt", "name": "repair_handoff"}, "argument": {"name": "dialect", "value": "u"}}),
            ask("subscriptions/listen", {"notifications": {"resourceSubscriptions": ["baton://ledger/checkpoint"]}}, "s", META), {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
            {"jsonrpc": "2.0", "id": "baton-1", "result": {"action": "accept", "content": {"decision": "approve"}}}]
    a2a = [{"jsonrpc": "2.0", "id": 1, "method": method, "params": params} for method, params in
           (("SendMessage", {"message": message}), ("SendMessage", {"message": {**message, "metadata": {}}}), ("SendStreamingMessage", {"message": message}), ("GetTask", {"id": "x"}), ("ListTasks", {"pageSize": 2}),
            ("CancelTask", {"id": "x"}), ("SubscribeToTask", {"id": "x"}), ("CreateTaskPushNotificationConfig", {}), ("GetExtendedAgentCard", {}))]
    return mcp, a2a, {"message": message}


class Generator:
    """Requests by number, for a server at `host` that has the OpenAPI document `openapi` and this token."""

    def __init__(self, openapi, host, token, seed):
        self.host, self.token, self.seed = host.encode(), token.encode(), seed
        self.documents = [self.tokens(text) for text in documents()]
        mcp, a2a, sending = rpc_messages()
        self.mcp = [(message, self.tokens(json.dumps(message).encode())) for message in mcp]
        self.a2a = [self.tokens(json.dumps(message).encode()) for message in a2a]
        self.sending = self.tokens(json.dumps(sending).encode())
        self.rows = [(method.upper(), path, row["operationId"], [one["name"] for one in row.get("parameters", []) if one["in"] == "query"],
                      list(row.get("requestBody", {}).get("content", {}))) for path, methods in openapi["paths"].items() for method, row in methods.items()]
        self.objects = {name: self.tokens(json.dumps(value).encode()) for name, value in OBJECTS.items()}

    @staticmethod
    def tokens(text):
        return TOKENS.findall(text)

    def batch(self, number, count):
        """Requests for one connection: (method, bytes, whether it is sound)."""
        rng = random.Random(self.seed * 1000003 + number)
        made = [self.sound(rng) for _ in range(count)]
        if rng.random() < 0.5:
            made.append(("?", self.broken(rng), False))
        return made

    # ---- Parts --------------------------------------------------------------------------------

    def text(self, rng, tokens):
        """A body made of these tokens, some of them changed; and then perhaps some of its bytes."""
        kind = rng.random()
        if kind < 0.2:
            return b"".join(tokens)
        tokens = list(tokens)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(tokens))
            how = rng.random()
            if how < 0.6:
                tokens[at] = rng.choice(VALUES)
            elif how < 0.75:
                del tokens[at:at + rng.randrange(1, 4)]
                tokens = tokens or [b" "]
            elif how < 0.9:
                tokens[at:at] = tokens[at:at + rng.randrange(1, 6)]
            else:
                tokens[at:] = rng.choice(self.documents)[at:]
                tokens = tokens or [b" "]
        body = b"".join(tokens)
        if kind > 0.7:
            body = self.flip(rng, body)
        if kind > 0.998:
            body *= rng.randrange(2, 200)
        return body

    @staticmethod
    def flip(rng, body):
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(body) + 1)
            how = rng.random()
            if how < 0.4:
                body = body[:at] + rng.choice(BYTES) + body[at:]
            elif how < 0.7:
                body = body[:at] + bytes([rng.getrandbits(8)]) + body[at + 1:]
            elif how < 0.85:
                body = body[:at] + body[at + rng.randrange(1, 20):]
            else:
                body = body[:at]
        return body

    @staticmethod
    def chunked(rng, body):
        """The body in chunks of all sizes, with extensions and trailers."""
        parts = []
        at = 0
        while at < len(body):
            size = min(rng.choice((1, 2, 7, 100, 4096, 65536)), len(body) - at)
            if len(parts) > 50:
                size = len(body) - at
            parts.append(b"%s%x%s\r\n%s\r\n" % (b"0" * rng.randrange(3), size, rng.choice((b"", b"", b";a", b';a="b"')), body[at:at + size]))
            at += size
        return b"".join(parts) + b"0\r\n" + rng.choice((b"", b"", b"X-T: y\r\n")) + b"\r\n"

    def fields(self, rng):
        made = []
        who = rng.random()
        if who < 0.65:
            made.append(b"Authorization: Bearer " + self.token)
        elif who < 0.7:
            made.append(b"Authorization: Bearer bt_" + b"A" * rng.randrange(60))
        if rng.random() < 0.4:
            for _ in range(rng.randrange(1, 4)):
                made.append(rng.choice(FIELDS).replace("{}", str(rng.randrange(1000))).encode("latin-1"))
        return made

    def finish(self, rng, method, target, made, body, media):
        """The bytes of a request, with a body or without."""
        lines = [b"%s %s HTTP/1.1" % (method.encode(), target), b"Host: " + self.host, *made]
        if body is None:
            return method, b"\r\n".join(lines) + b"\r\n\r\n", True
        if not any(line.startswith(b"Content-Type") for line in made) and rng.random() < 0.97:
            lines.append(b"Content-Type: " + media.encode())
        if rng.random() < 0.15:
            lines.append(b"Transfer-Encoding: chunked")
            return method, b"\r\n".join(lines) + b"\r\n\r\n" + self.chunked(rng, body), True
        lines.append(b"Content-Length: %d" % len(body))
        return method, b"\r\n".join(lines) + b"\r\n\r\n" + body, True

    # ---- Requests -----------------------------------------------------------------------------

    def sound(self, rng):
        kind = rng.random()
        return self.rest(rng) if kind < 0.6 else self.to_mcp(rng) if kind < 0.8 else self.to_a2a(rng) if kind < 0.92 else self.to_a2a_http(rng)

    def rest(self, rng):
        method, path, operation, names, medias = rng.choice(self.rows)
        path = re.sub(r"\{[^}]*\}", lambda _: rng.choice(WORDS) or "0", path)
        target = path.encode()
        if rng.random() < 0.03:
            target += b"/" + rng.choice(WORDS).encode()
        pairs = [f"{rng.choice(names)}={rng.choice(WORDS)}" for _ in range(rng.randrange(3))] if names and rng.random() < 0.6 else []
        if rng.random() < 0.03:
            pairs.append(rng.choice(WORDS) + "=" + rng.choice(WORDS))
        if pairs:
            target += b"?" + "&".join(pairs).encode()
        if rng.random() < 0.03:
            method = rng.choice(("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"))
        elif method == "GET" and rng.random() < 0.1:
            method = "HEAD"
        body = None
        if medias or operation in self.objects:
            body = self.text(rng, self.objects[operation] if operation in self.objects and rng.random() < 0.8 else rng.choice(self.documents))
        return self.finish(rng, method, target, self.fields(rng), body, rng.choice(medias) if medias else "application/json")

    def to_mcp(self, rng):
        message, tokens = rng.choice(self.mcp)
        made = self.fields(rng)
        params = message.get("params", {})
        if "_meta" in params:
            made += [b"MCP-Protocol-Version: 2026-07-28", b"Mcp-Method: " + message["method"].encode()]
            name = params.get("name", params.get("uri"))
            made += [b"Mcp-Name: " + name.encode()] if name else []
        elif rng.random() < 0.8:
            made.append(b"MCP-Protocol-Version: 2025-11-25")
        return self.finish(rng, "POST", b"/mcp", made, self.text(rng, tokens), "application/json")

    def to_a2a(self, rng):
        return self.finish(rng, "POST", b"/a2a", [b"A2A-Version: 1.0", *self.fields(rng)], self.text(rng, rng.choice(self.a2a)), "application/json")

    def to_a2a_http(self, rng):
        task = rng.choice(WORDS).encode() or b"0"
        method, path = rng.choice(((b"POST", b"/message:send"), (b"POST", b"/message:stream"), (b"GET", b"/tasks"), (b"GET", b"/tasks?pageSize=" + task), (b"GET", b"/tasks/" + task),
                                   (b"POST", b"/tasks/" + task + b":cancel"), (b"GET", b"/tasks/" + task + b":subscribe"), (b"POST", b"/tasks/" + task + b"/pushNotificationConfigs"),
                                   (b"GET", b"/extendedAgentCard"), (b"DELETE", b"/tasks/" + task + b"/pushNotificationConfigs/c")))
        body = self.text(rng, self.sending) if method == b"POST" else None
        return self.finish(rng, method.decode(), b"/a2a" + path, [b"A2A-Version: 1.0", *self.fields(rng)], body, "application/a2a+json")

    def broken(self, rng):
        """Bytes that may be a request, or none, or half of one."""
        how = rng.random()
        if how < 0.25:
            return rng.choice(LINES) + b"\r\nHost: " + self.host + b"\r\n\r\n"
        _, data, _ = self.sound(rng)
        head, _, body = data.partition(b"\r\n\r\n")
        if how < 0.55:
            return head + b"\r\n" + rng.choice(BROKEN) + b"\r\n\r\n" + body
        if how < 0.7:
            return self.flip(rng, head) + b"\r\n\r\n" + body
        if how < 0.85:
            sizes = rng.choice((b"ffffffffffffffff\r\n", b"g\r\n", b"-1\r\n", b"5\n", b"11111111111111111\r\n", b"3\r\nabcX", b"1;" + b"e" * 40000 + b"\r\n", b"a00000\r\n"))
            return b"POST /v1/check HTTP/1.1\r\nHost: " + self.host + b"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n" + sizes
        return self.flip(rng, data)
