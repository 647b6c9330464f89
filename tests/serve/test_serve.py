# SPDX-License-Identifier: Apache-2.0
"""test_serve.py BATON - baton serve: HTTP as it is read and answered, by clients that say what they want to, byte by byte."""
import json
import os
import pathlib
import re
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import TIMEOUT_S, claim, equal, finish, until  # noqa: E402
from raw_server import CHECK, serving  # noqa: E402

SLOW = int(os.environ.get("BATON_SLOW", "50"))
GET = b"GET /healthz HTTP/1.1\r\n"


def request(server, *lines, first=GET, body=b""):
    """A request with Host and these lines."""
    return first + b"Host: " + server.host.encode() + b"\r\n" + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


def refused(server, data, status, code):
    """These bytes get this problem, and the connection is closed behind it."""
    with server.connect() as connection:
        answer = connection.send(data).answer()
        if answer is None:
            raise AssertionError(f"{data[:200]!r}: closed without an answer")
        equal((data[:200], answer.status, answer.fields["content-type"], answer.code), (data[:200], status, "application/problem+json", code))
        equal((answer.json["type"], answer.json["status"], answer.fields.get("connection")), (f"/problems/{code}", status, "close"))
        equal(connection.is_closed(), True)


@claim
def every_answer_says_who_it_is_and_is_not_kept():
    with serving() as server:
        answer = server.ask("GET", "/healthz")
        equal((answer.status, answer.body), (200, b'{"status":"ok"}\n'))
        for name, value in (("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
                            ("content-type", "application/json")):
            equal(answer.fields[name], value)
        equal("server" in answer.fields, False)
        equal("strict-transport-security" in answer.fields, False)
        if not re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", answer.fields["x-request-id"]):
            raise AssertionError(answer)
        if not re.fullmatch(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01", answer.fields["traceresponse"]):
            raise AssertionError(answer)


@claim
def a_client_may_name_its_request_and_begin_the_trace():
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
    with serving() as server:
        for given, kept in (("a.B_9-", True), ("x" * 64, True), ("x" * 65, False), ("a b", False), ("", False)):
            equal((given, server.ask("GET", "/healthz", x_request_id=given).fields["x-request-id"] == given), (given, kept))
        answer = server.ask("GET", "/nope", x_request_id="mine")
        equal((answer.status, answer.json["instance"]), (404, "urn:baton:request:mine"))
        trace, span, flags = server.ask("GET", "/healthz", traceparent=parent).fields["traceresponse"].split("-")[1:]
        equal((trace, span == parent.split("-")[2], flags), (parent.split("-")[1], False, "00"))
        for bad in (parent.upper(), parent[:-1], "ff" + parent[2:], parent.replace("b7ad6b7169203331", "0" * 16), "00-" + "0" * 32 + parent[35:]):
            equal(server.ask("GET", "/healthz", traceparent=bad).fields["traceresponse"].split("-")[1] == trace, False)


@claim
def shapes_that_two_readers_could_read_differently_are_refused():
    with serving() as server:
        host = b"Host: " + server.host.encode() + b"\r\n"
        post = b"POST /v1/check HTTP/1.1\r\n"
        for data in (GET + b"\r\n", GET + host + host + b"\r\n", GET + host[:-2] + b"\n\r\n", GET[:-2] + b"\n" + host + b"\r\n",
                     GET + host + b"X : y\r\n\r\n", GET + host + b" folded\r\n\r\n", GET + host + b"X: a\0b\r\n\r\n", GET + host + b"X: a\rb\r\n\r\n",
                     GET + host + b"X@: y\r\n\r\n", b"GET  /healthz HTTP/1.1\r\n" + host + b"\r\n", b"GET /healthz\r\n\r\n",
                     b"GET http://other/healthz HTTP/1.1\r\n" + host + b"\r\n", b"GET /a/../healthz HTTP/1.1\r\n" + host + b"\r\n",
                     b"GET //healthz HTTP/1.1\r\n" + host + b"\r\n", b"GET /%00 HTTP/1.1\r\n" + host + b"\r\n", b"GET /%zz HTTP/1.1\r\n" + host + b"\r\n",
                     request(server, b"Content-Length: 2", b"Transfer-Encoding: chunked", first=post), request(server, b"Content-Length: 2", b"Content-Length: 2", first=post),
                     request(server, b"Content-Length: +5", first=post), request(server, b"Content-Length: -1", first=post),
                     request(server, b"Transfer-Encoding: chunked", b"Content-Type: application/json", first=post, body=b"5\nabcde\n0\n\n"),
                     request(server, b"Transfer-Encoding: chunked", b"Content-Type: application/json", first=post, body=b"11111111111111111\r\n"),
                     request(server, b"Transfer-Encoding: chunked", b"Content-Type: application/json", first=post, body=b"ffffffff\r\n")):
            refused(server, data, 400, "BAD_REQUEST")
        refused(server, request(server, b"Transfer-Encoding: gzip", first=post), 501, "NOT_IMPLEMENTED")
        refused(server, b"BREW / HTTP/1.1\r\n" + host + b"\r\n", 501, "NOT_IMPLEMENTED")
        refused(server, request(server, b"Expect: tea"), 417, "EXPECTATION_FAILED")
        refused(server, b"GET / HTTP/2.0\r\n" + host + b"\r\n", 505, "HTTP_VERSION")
        refused(server, b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n" + host + b"\r\n", 414, "URI_TOO_LONG")
        refused(server, request(server, b"X: " + b"a" * 40000), 431, "HEADERS_TOO_LARGE")
        refused(server, request(server, *(b"X: a" for _ in range(101))), 431, "HEADERS_TOO_LARGE")
        refused(server, request(server, b"Content-Length: 9437185", b"Content-Type: application/json", first=post), 413, "BODY_TOO_LARGE")
        # The control: the same client with nothing wrong is served.
        equal(server.raw(request(server)).status, 200)


@claim
def what_a_head_announces_is_too_large_only_for_those_who_may_send_it():
    with serving() as server:
        long, json = b"Content-Length: 9437185", b"Content-Type: application/json"
        post = lambda path, *lines: request(server, long, *lines, first=b"POST " + path + b" HTTP/1.1\r\n")
        for data, status, code in ((post(b"/v1/check", json, b"Origin: https://evil.example"), 403, "ORIGIN_NOT_ALLOWED"), (post(b"/nope", json), 404, "NOT_FOUND"),
                                   (b"POST /v1/check HTTP/1.1\r\nHost: evil.example\r\n" + long + b"\r\n\r\n", 421, "HOST_NOT_ALLOWED"),
                                   (request(server, long, first=b"DELETE /v1/check HTTP/1.1\r\n"), 405, "METHOD_NOT_ALLOWED"),
                                   (post(b"/v1/check", json, b"Authorization: Bearer bt_wrong"), 401, "UNAUTHENTICATED"), (post(b"/v1/admin/reload", json), 403, "SCOPE_MISSING"),
                                   (post(b"/v1/check", b"Content-Type: image/png"), 415, "UNSUPPORTED_MEDIA_TYPE"),
                                   (post(b"/v1/check", json), 413, "BODY_TOO_LARGE"), (post(b"/v1/check", json, b"Expect: 100-continue"), 413, "BODY_TOO_LARGE"),
                                   (post(b"/v1/check", json).replace(long, b"Content-Length: 9999999999999999999"), 413, "BODY_TOO_LARGE")):
            refused(server, data, status, code)


@claim
def requests_on_one_connection_are_answered_in_order():
    with serving() as server, server.connect() as connection:
        post = request(server, b"Content-Type: application/json", b"Content-Length: 2", first=b"POST /v1/check HTTP/1.1\r\n", body=b"{}")
        connection.send(request(server) + post + request(server, first=b"GET /nope HTTP/1.1\r\n") + request(server)[:10])
        equal([connection.answer().status for _ in range(3)], [200, 400, 404])
        equal(connection.send(request(server)[10:]).answer().status, 200)
        equal(connection.send(request(server, b"Connection: close")).answer().fields["connection"], "close")
        equal(connection.is_closed(), True)


@claim
def a_request_may_come_byte_by_byte_and_in_chunks():
    with serving() as server, server.connect() as connection:
        body = b"".join(b"%x;part\r\n%s\r\n" % (len(part), part) for part in (CHECK[:3], CHECK[3:])) + b"0\r\nX-Trailer: yes\r\n\r\n"
        data = request(server, b"Content-Type: application/json", b"Transfer-Encoding: chunked", first=b"POST /v1/check?as=universal HTTP/1.1\r\n", body=body)
        for i in range(len(data)):
            connection.send(data[i:i + 1])
        whole = connection.answer()
        plain = server.ask("POST", "/v1/check?as=universal", CHECK)
        equal((whole.status, whole.body), (plain.status, plain.body))


@claim
def http_1_0_is_served_and_closed():
    with serving() as server, server.connect() as connection:
        answer = connection.send(request(server, b"Connection: keep-alive", first=b"GET /healthz HTTP/1.0\r\n")).answer()
        equal((answer.status, answer.fields["connection"], connection.is_closed()), (200, "close", True))
        refused(server, b"GET /healthz HTTP/1.0\r\n\r\n", 400, "BAD_REQUEST")
        # Who speaks 1.0 is somebody else's proxy, for all we know.
        equal(server.raw(request(server, b"Content-Length: 0", b"Content-Type: application/json", first=b"POST /v1/check HTTP/1.0\r\n")).status, 401)


@claim
def a_client_that_waits_is_told_to_go_on_only_when_it_may():
    with serving() as server:
        head = [b"Content-Type: application/json", b"Content-Length: %d" % len(CHECK), b"Expect: 100-continue"]
        with server.connect() as connection:
            connection.send(request(server, *head, first=b"POST /v1/check?as=universal HTTP/1.1\r\n"))
            equal(connection.answer().status, 100)
            equal(connection.send(CHECK).answer().status, 200)
        for line, status in ((b"Authorization: Bearer wrong", 401), (b"Content-Encoding: gzip", 415), (b"Origin: https://evil.example", 403)):
            with server.connect() as connection:
                equal(connection.send(request(server, line, *head, first=b"POST /v1/check HTTP/1.1\r\n")).answer().status, status)


@claim
def methods_and_paths_and_types_have_their_answers():
    with serving() as server:
        answer = server.ask("DELETE", "/healthz")
        equal((answer.status, answer.code, answer.fields["allow"]), (405, "METHOD_NOT_ALLOWED", "GET, HEAD"))
        equal(server.ask("GET", "/v1/check").fields["allow"], "POST")
        equal([server.ask("GET", path).code for path in ("/nope", "/v1", "/healthz/x")], ["NOT_FOUND"] * 3)
        head = server.ask("HEAD", "/healthz")
        equal((head.status, head.fields["content-length"], head.body), (200, "16", b""))
        for accept, status in (("text/html", 406), ("application/*", 200), ("*/*;q=0.1", 200), ("application/json;q=0, */*", 406), ("text/html, application/json", 200)):
            equal((accept, server.ask("GET", "/healthz", accept=accept).status), (accept, status))
        equal(server.ask("POST", "/v1/check", CHECK, content_type="image/png").code, "UNSUPPORTED_MEDIA_TYPE")
        equal(server.ask("POST", "/v1/check", CHECK, content_encoding="gzip").code, "UNSUPPORTED_MEDIA_TYPE")
        answer = server.ask("GET", "/healthz?who=me")
        equal((answer.status, answer.code, answer.json["findings"][0]["pointer"]), (400, "PARAMETER_INVALID", "/who"))


@claim
def problems_explain_themselves_to_anybody():
    with serving() as server:
        answer = server.ask("GET", "/problems/RATE_LIMITED")
        equal((answer.status, answer.fields["cache-control"], b"RATE_LIMITED" in answer.body), (200, "max-age=300", True))
        again = server.ask("GET", "/problems/RATE_LIMITED", if_none_match=answer.fields["etag"])
        equal((again.status, again.body, again.fields["etag"]), (304, b"", answer.fields["etag"]))
        equal(server.ask("GET", "/problems/NO_SUCH_CODE").status, 404)


SHORT = "limits:\n  header_timeout_s: 1\n  body_timeout_s: 2\n  idle_timeout_s: 1\n"


@claim
def who_trickles_is_ended_by_a_deadline_that_counts_from_the_first_byte():
    with serving(files={"baton.yaml": SHORT}) as server:
        whole = request(server, b"X: " + b"a" * 4000)
        with server.connect() as slow, server.connect() as silent, server.connect() as idle:
            slow.socket.settimeout(0.05)
            idle.send(request(server)).answer()
            sent = 0
            ended = time.monotonic() + TIMEOUT_S
            while time.monotonic() < ended and sent < len(whole) - 1:
                slow.send(whole[sent:sent + 1])
                sent += 1
                try:
                    if slow.socket.recv(1, socket.MSG_PEEK):
                        break
                except TimeoutError:
                    pass
            slow.socket.settimeout(TIMEOUT_S)
            answer = slow.answer()
            equal((answer.status, answer.code, answer.fields["connection"]), (408, "REQUEST_TIMEOUT", "close"))
            equal((silent.is_closed(), idle.is_closed()), (True, True))
        with server.connect() as connection:
            connection.send(request(server, b"Content-Type: application/json", b"Content-Length: 5", first=b"POST /v1/check HTTP/1.1\r\n", body=b"{"))
            equal(connection.answer().code, "REQUEST_TIMEOUT")


@claim
def slow_clients_are_ended_and_good_ones_served_meanwhile():
    with serving(files={"baton.yaml": "limits:\n  header_timeout_s: 2\n  body_timeout_s: 2\n  connections_per_address: 100000\n"}) as server:
        slow = [server.connect() for _ in range(SLOW)]
        post = request(server, b"Content-Type: application/json", b"Content-Length: 100", first=b"POST /v1/check HTTP/1.1\r\n")
        for i, connection in enumerate(slow):
            connection.send(request(server)[:-4] if i % 2 else post + b"{")
        for _ in range(100):
            equal(server.ask("GET", "/healthz").status, 200)
        equal({connection.answer().status for connection in slow}, {408})
        equal({connection.is_closed() for connection in slow}, {True})
        for connection in slow:
            connection.close()


BOUNDS = "limits:\n  connections: 3\n  connections_per_address: 2\n  body_bytes: 1048576\n  document_bytes: 1048576\n  body_memory_bytes: 1048576\n"


@claim
def what_is_over_the_bounds_is_told_to_come_again():
    with serving(files={"baton.yaml": BOUNDS}) as server:
        with server.connect() as one, server.connect() as two:
            equal([connection.send(request(server)).answer().status for connection in (one, two)], [200, 200])
            third = server.raw(b"")
            equal((third.status, third.code, third.fields["retry-after"], third.json["outcome"]), (503, "OVERLOADED", "1", "none"))
            two.close()
            big = (b"Content-Type: application/json", b"Content-Length: 1048576", b"Expect: 100-continue")
            post = request(server, *big, first=b"POST /v1/check HTTP/1.1\r\n")
            equal(one.send(post).answer().status, 100)
            # Bytes that are here take memory: a second body of that size is refused before it is sent.
            one.send(b"[" * 600000)
            answer = until(lambda: [said for said in [server.raw(post)] if said.status == 503], "the memory to be taken")[0]
            equal((answer.code, answer.fields["connection"]), ("OVERLOADED", "close"))
        ended = time.monotonic() + TIMEOUT_S
        while server.raw(request(server)).status != 200 and time.monotonic() < ended:
            pass
        equal(server.raw(request(server)).status, 200)


@claim
def a_client_that_leaves_disturbs_nobody():
    with serving() as server:
        for data in (b"", b"G", request(server), request(server, b"Content-Length: 9", b"Content-Type: application/json", first=b"POST /v1/check HTTP/1.1\r\n", body=b"{")):
            for _ in range(20):
                connection = server.connect()
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
                connection.send(data).close()
        equal(server.ask("GET", "/healthz").status, 200)


@claim
def lines_of_the_log_tell_what_happened_and_no_secret():
    with serving() as server:
        server.ask("POST", "/v1/check?as=universal", CHECK, x_request_id="seen", x_secret="hush-1", authorization="Bearer bt_hush-2")
        server.as_admin("POST", "/v1/check?as=universal", CHECK, x_request_id="seen-too")
        server.ask("GET", "/nope?hush-3=hush-4", x_request_id="lost")
        server.stop()
        lines = {event.get("request_id"): event for event in server.events()}
        equal((lines["seen"]["status"], lines["seen"]["codes"], lines["seen"]["route"]), (401, ["UNAUTHENTICATED"], "/v1/check"))
        good = lines["seen-too"]
        equal((good["level"], good["event"], good["principal"], good["method"], good["status"], good["bytes_in"]),
              ("info", "request", "console", "POST", 200, len(CHECK)))
        equal(list(good)[:12], ["time", "level", "event", "request_id", "trace_id", "principal", "method", "route", "status", "ms", "bytes_in", "bytes_out"])
        equal((lines["lost"]["route"], "principal" in lines["lost"]), ("other", False))
        for secret in ("hush", server.token, "127.0.0.1"):
            equal((secret, secret in server.log()), (secret, False))


@claim
def metrics_are_counted_under_closed_lists():
    with serving() as server:
        judged = server.ask("POST", "/v1/check?as=universal", CHECK)
        tokens = json.loads(judged.body)["documents"][0]["facts"]["tokens"]["exact"]
        for path in ("/nope1", "/nope2"):
            server.ask("GET", path)
        server.ask("GET", "/healthz", origin="https://evil.example")
        equal(server.ask("GET", "/metrics").code, "SCOPE_MISSING")
        answer = server.as_admin("GET", "/metrics")
        text = answer.body.decode()
        equal(answer.fields["content-type"], "text/plain; version=0.0.4; charset=utf-8")
        for line in ('baton_http_requests_total{route="other",method="GET",status="404"} 2', 'baton_http_refused_total{reason="origin"} 1',
                     'baton_http_refused_total{reason="scope"} 1', 'baton_documents_total{dialect="universal",verdict="rejected"} 1',
                     f'baton_document_tokens_total{{dialect="universal"}} {tokens}',
                     'baton_http_request_seconds_count{route="/v1/check"} 1', "baton_store_up 0", "# TYPE baton_http_request_seconds histogram"):
            equal((line, line in text.splitlines()), (line, True))
        names = [line.split("{")[0].split(" ")[0] for line in text.splitlines() if not line.startswith("#")]
        series = [line.rsplit(" ", 1)[0] for line in text.splitlines() if not line.startswith("#")]
        equal((len(set(series)), len(series) < 5000, "nope" in text), (len(series), True, False))
        if not all(re.fullmatch(r"[a-z_]+", name) for name in names):
            raise AssertionError(names)
    with serving(files={"baton.yaml": "metrics: {public: true}\n"}) as server:
        equal(server.ask("GET", "/metrics").status, 200)


sys.exit(finish())
