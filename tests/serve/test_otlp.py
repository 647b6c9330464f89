# SPDX-License-Identifier: Apache-2.0
"""test_otlp.py BATON - spans that a server exports, and collectors that hang, are dead or refuse."""
import contextlib
import json
import pathlib
import re
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import GOOD, text_of  # noqa: E402
from program import claim, equal, expect, finish, folder, run, until  # noqa: E402
from receiver import Receiver, identity  # noqa: E402
from server import bearer, serving  # noqa: E402

JSON = {"Content-Type": "application/json"}
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SECRET = "Bearer not-for-the-log"


class Collector(Receiver):
    """Takes exports; `statuses` are answered first, then 200."""

    def __init__(self, statuses=(), tls=None):
        super().__init__({"/v1/traces": statuses}, 200, tls)

    def exports(self):
        return [(path, headers, json.loads(body)) for path, headers, body, status in self.posts if status == 200]

    def spans(self):
        return [span for _, _, body in self.exports() for resource in body["resourceSpans"] for scope in resource["scopeSpans"] for span in scope["spans"]]


def config(port, scheme="http", more="", path=""):
    return f"otlp:\n  endpoint: {scheme}://127.0.0.1:{port}{path}\n{more}shutdown:\n  timeout_s: 1\n"


def attributes(span):
    def plain(value):
        (kind, inner), = value.items()
        return [plain(item) for item in inner["values"]] if kind == "arrayValue" else int(inner) if kind == "intValue" else inner

    return {item["key"]: plain(item["value"]) for item in span["attributes"]}


def named(spans, name):
    found = [span for span in spans if span["name"] == name]
    equal(len(found), 1)
    return found[0]


def check(server, **headers):
    return server.ask("POST", "/v1/check", text_of(GOOD), {**JSON, **headers})


def dropped(server):
    said = server.ask("GET", "/metrics", headers=bearer(server.console)).body
    return int(re.search(rb"^baton_otlp_dropped_total (\d+)", said, re.M).group(1))


# ---- What is said -----------------------------------------------------------------------------------------------------------


@claim
def spans_of_a_submission_link_to_an_incoming_traceparent():
    with contextlib.closing(Collector()) as collector:
        secret = "  header_env:\n    Authorization: SPANS_TOKEN\n"
        with serving(config=config(collector.port, more=secret, path="/base/"), env={"SPANS_TOKEN": SECRET}) as server:
            answer = server.ask("POST", "/v1/handoffs", text_of(GOOD), {**JSON, "traceparent": f"00-{TRACE}-{PARENT}-01"})
            equal(answer.status, 201)
            ref = answer.json()["documents"][0]["record"]["ref"]
        path, headers, body = collector.exports()[0]
        equal((path, headers["content-type"], headers["authorization"]), ("/base/v1/traces", "application/json", SECRET))
        equal(attributes(body["resourceSpans"][0]["resource"])["service.name"], "baton")
        spans = [span for span in collector.spans() if span["traceId"] == TRACE]
        whole = named(spans, "POST /v1/handoffs")
        equal((whole["parentSpanId"], whole["kind"], whole["spanId"]), (PARENT, 2, answer.headers["traceresponse"].split("-")[2]))
        told = attributes(whole)
        equal((told["http.request.method"], told["http.route"], told["http.response.status_code"]), ("POST", "/v1/handoffs", 201))
        equal((told["baton.dialect"], told["baton.verdict"], told["baton.ref"]), ("universal", "accepted", ref))
        for name in ("baton.check", "baton.record", "baton.deliver", "invoke_agent patch-builder"):
            span = named(spans, name)
            equal(span["parentSpanId"], whole["spanId"])
            times = [int(whole["startTimeUnixNano"]), int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]), int(whole["endTimeUnixNano"])]
            equal(times, sorted(times))
        told = attributes(named(spans, "invoke_agent patch-builder"))
        equal((told["gen_ai.operation.name"], told["gen_ai.agent.name"], told["gen_ai.conversation.id"]),
              ("invoke_agent", "patch-builder", GOOD["handoff"]["trace_id"]))
        equal(len(spans), len({span["spanId"] for span in spans}))


@claim
def a_request_without_a_parent_begins_a_trace_and_tells_its_codes():
    with contextlib.closing(Collector()) as collector:
        with serving(store=False, config=config(collector.port)) as server:
            answer = server.ask("POST", "/v1/check", '{"handoff":{}}', JSON)
            codes = {finding["code"] for finding in answer.json()["documents"][0]["findings"]}
            server.ask("GET", "/nothing-there")
        _, trace, span_id, _ = answer.headers["traceresponse"].split("-")
        spans = [span for span in collector.spans() if span["traceId"] == trace]
        whole = named(spans, "POST /v1/check")
        equal((whole["spanId"], "parentSpanId" in whole, attributes(whole)["baton.verdict"]), (span_id, False, "rejected"))
        equal(set(attributes(named(spans, "baton.check"))["baton.codes"]) <= codes, True)
        equal(attributes(named(collector.spans(), "GET"))["http.response.status_code"], 404)


# ---- Collectors that fail ---------------------------------------------------------------------------------------------------


@claim
def a_collector_that_hangs_delays_no_answer_and_what_the_queue_cannot_hold_is_counted():
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # connections are made, and nobody answers
        with serving(store=False, config=config(deaf.getsockname()[1], more="  queue: 4\n")) as server:
            for _ in range(30):
                equal(check(server).status, 200)
            until(lambda: dropped(server) >= 52)  # 60 spans; four wait, and four are being sent at most
    with contextlib.closing(Collector()) as collector:
        with serving(store=False, config=config(collector.port)) as server:
            for _ in range(30):
                equal(check(server).status, 200)
            until(lambda: len(collector.spans()) >= 60)
            equal(dropped(server), 0)


@claim
def a_dead_collector_does_no_harm():
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with serving(store=False, config=config(port)) as server:
        equal(check(server).status, 200)
        equal(server.ask("GET", "/healthz").status, 200)


@claim
def an_export_that_is_refused_for_now_is_sent_again_and_one_refused_for_good_is_dropped():
    with contextlib.closing(Collector([503])) as collector:
        with serving(store=False, config=config(collector.port)) as server:
            check(server)
            until(lambda: collector.spans())
            equal(dropped(server), 0)
    with contextlib.closing(Collector([400])) as collector:
        with serving(store=False, config=config(collector.port)) as server:
            check(server)
            until(lambda: dropped(server) >= 2)  # its own, and perhaps some of those who ask


# ---- Who is told ------------------------------------------------------------------------------------------------------------


@claim
def only_a_collector_that_is_vouched_for_is_told_anything_over_tls():
    with folder({}) as place:
        tls = identity(place)
        for trusted in (f"{place}/receiver.pem", "/dev/null"):
            with contextlib.closing(Collector(tls=tls)) as collector:
                with serving(store=False, config=config(collector.port, "https"), env={"SSL_CERT_FILE": trusted, "SSL_CERT_DIR": "/nowhere"}) as server:
                    equal(check(server).status, 200)
                equal(len(collector.spans()), 2 if trusted.endswith("receiver.pem") else 0)


@claim
def a_variable_that_is_not_set_keeps_the_server_from_starting():
    with folder({"baton.yaml": config(9, more="  header_env:\n    Authorization: NOT_SET_ANYWHERE\n")}) as place:
        expect(run("serve", "--no-store", "--listen", "127.0.0.1:0", cwd=place), 2, err="NOT_SET_ANYWHERE")


sys.exit(finish())
