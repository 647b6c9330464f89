# SPDX-License-Identifier: Apache-2.0
"""test_life.py BATON - a server that is stopped, reloaded and robbed of its store, while requests go on."""
import collections
import json
import os
import pathlib
import re
import signal
import sqlite3
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from ledger_tools import append, ledger  # noqa: E402
from program import TIMEOUT_S, claim, equal, expect, finish, run, until  # noqa: E402
from raw_server import CHECK, serving  # noqa: E402
from submitters import HANDOFF, entries, lost, numbered, record_of  # noqa: E402

STOPS = int(os.environ.get("BATON_STOPS", "1"))
RELOADS = int(os.environ.get("BATON_RELOADS", "5"))
figures = collections.Counter()


def get(server, path="/healthz", *lines):
    return f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\n".encode() + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


def active(server):
    """How many connections have a request under way."""
    return int(re.search(rb'^baton_http_connections\{state="active"\} (\d+)', server.as_admin("GET", "/metrics").body, re.M).group(1))


@claim
def what_was_begun_is_answered_and_what_is_idle_is_closed():
    with serving() as server:
        with server.connect() as idle, server.connect() as begun:
            equal(idle.send(get(server)).answer().status, 200)
            equal(begun.send(get(server)).answer().status, 200)  # so that the server has it
            data = get(server)
            begun.send(data[:9])
            until(lambda: active(server) >= 2)  # this one, and the one that asks
            server.signal(signal.SIGTERM)
            equal(idle.is_closed(), True)
            answer = begun.send(data[9:]).answer()
            equal((answer.status, answer.fields["connection"], begun.is_closed()), (200, "close", True))
        equal(server.process.wait(TIMEOUT_S), 0)


@claim
def a_server_that_drains_says_so_before_it_closes():
    with serving(files={"baton.yaml": "shutdown: {delay_s: 600}\n"}) as server:
        equal(server.ask("GET", "/readyz").json, {"status": "ready"})
        server.signal(signal.SIGTERM)
        answer = until(lambda: (lambda found: found if found.status == 503 else None)(server.ask("GET", "/readyz")))
        equal((answer.json["status"], answer.json["checks"]["draining"], answer.fields["retry-after"]), ("not-ready", True, "1"))
        equal(server.ask("POST", "/v1/check?as=universal", CHECK).status, 200)
        server.signal(signal.SIGTERM)  # a second one skips the waiting
        equal(server.process.wait(TIMEOUT_S), 0)


@claim
def a_second_signal_cuts_who_does_not_finish():
    with serving(files={"baton.yaml": "limits: {header_timeout_s: 3600}\nshutdown: {timeout_s: 3600}\n"}) as server:
        with server.connect() as slow:
            equal(slow.send(get(server)).answer().status, 200)
            slow.send(b"GET")
            server.signal(signal.SIGINT)
            until(lambda: "stopping" in server.log())
            equal(server.process.poll(), None)
            server.signal(signal.SIGINT)
            equal(server.process.wait(TIMEOUT_S), 0)


def reload(server):
    before = len(server.events())
    server.signal(signal.SIGHUP)
    found = until(lambda: [event for event in server.events()[before:] if event["event"].startswith("reload")])
    return found[0]


@claim
def a_reload_is_taken_as_a_whole_or_not_at_all():
    config = "limits: {body_bytes: 2000, document_bytes: 2000}\n"
    with serving(files={"baton.yaml": config}) as server:
        path = server.folder / "baton.yaml"
        large = b'{"handoff":"' + b"x" * 3000 + b'"}'
        status = lambda: server.ask("POST", "/v1/check?as=universal", large).status
        equal(status(), 413)
        for text, reason in (("limits: {body_bytes: 1}\n", "mistakes"), ("nonsense: true\n", "mistakes"), ("listen: 127.0.0.1:1\n", "listen"),
                             ("tokens: none.json\n", "tokens"), ("store: other.db\n", "store")):
            path.write_text(text)
            event = reload(server)
            equal((text, event["event"], reason in event["detail"], status()), (text, "reload-refused", True, 413))
        path.write_text("limits: {body_bytes: 9000, document_bytes: 9000}\n")
        with server.connect() as begun:
            data = f"POST /v1/check?as=universal HTTP/1.1\r\nHost: {server.host}\r\nContent-Type: application/json\r\n".encode()
            equal(begun.send(get(server)).answer().status, 200)
            begun.send(data)
            equal((reload(server)["event"], status()), ("reloaded", 200))
            # What began under the old limits ends under them.
            equal(begun.send(b"Content-Length: %d\r\n\r\n" % len(large)).answer().status, 413)
        text = server.as_admin("GET", "/metrics").body.decode()
        equal(['baton_reloads_total{outcome="refused"} 5' in text, 'baton_reloads_total{outcome="done"} 1' in text], [True, True])


@claim
def a_reload_that_is_refused_is_told_to_whoever_asked_for_it():
    with serving(files={"baton.yaml": "hosts: [a.example]\n"}) as server:
        path = server.folder / "baton.yaml"
        for text, code, pointers in (("limits: {body_bytes: 1}\nnonsense: true\n", "CONFIG_KEY_VALUE", ["/limits/body_bytes", "/nonsense"]), ("a: [", "YAML_SYNTAX", [""]),
                                     ("listen: 127.0.0.1:1\n", "CONFIG_CONFLICT", []), ("tokens: none.json\n", "CONFIG_CONFLICT", []),
                                     ("tls: {cert: x}\n", "CONFIG_CONFLICT", ["/tls/cert"]), ("listen: 0.0.0.0:1\n", "CONFIG_CONFLICT", ["/listen"])):
            path.write_text(text)
            answer = server.as_admin("POST", "/v1/admin/reload")
            equal((text, answer.status, answer.code, [finding["pointer"] for finding in answer.json["findings"]]), (text, 409, code, pointers))
            equal(server.as_admin("GET", "/v1/admin/config").json["config"]["hosts"], ["a.example"])
        path.write_text("hosts: [b.example]\n")
        equal(server.as_admin("POST", "/v1/admin/reload").status, 200)
        equal(server.as_admin("GET", "/v1/admin/config").json["config"]["hosts"], ["b.example"])


class Load:
    """Clients that submit one handoff after the other until the server has gone; what they were told."""

    def __init__(self, server, clients=4):
        self.decided, self.cut, self.other = [], [], []
        self.server, self.first = server, 0
        self.threads = [threading.Thread(target=self.submit, args=(i,)) for i in range(clients)]
        for thread in self.threads:
            thread.start()

    def submit(self, client):
        for i in range(100000):
            body = numbered(client << 24 | i)
            try:
                with self.server.connect() as connection:
                    connection.send(f"POST /v1/handoffs HTTP/1.1\r\nHost: {self.server.host}\r\nContent-Type: application/json\r\n"
                                    f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
                    answer = connection.answer()
            except OSError:
                return
            if answer is None:
                self.cut.append(body)
                return
            (self.decided if answer.status in (201, 422) else self.other).append(answer)

    def join(self):
        for thread in self.threads:
            thread.join(TIMEOUT_S)


# Each accepts or refuses every handoff of the load; of one and half of the other there would be a third policy.
CONFIGS = ["rate: {submit: 0}\ncheck: {budget: 2000}\nlimits: {document_bytes: 4000000}\n",
           "rate: {submit: 0}\ncheck: {budget: 10}\nlimits: {document_bytes: 5000000}\n"]


def mixed(there):
    """The decisions that were made by neither of two configurations as a whole: (policy, verdict) beyond the first of each verdict."""
    made = [(entry["entry"]["verdict"], entry["entry"]["refs"]["policy"]) for entry in there]
    of = {verdict: policy for verdict, policy in reversed(made)}
    return [one for one in made if of[one[0]] != one[1]] + [one for one in made if list(of.values()).count(one[1]) > 1]


def stop_under_load(number):
    """Stop a server that many clients submit to, in good order or (the control) at once: what was cut, lost, or decided by a mixed configuration."""
    with serving(store=True, files={"baton.yaml": CONFIGS[0]}) as server:
        load = Load(server)
        until(lambda: len(load.decided) >= 20)
        for i in range(RELOADS):
            (server.folder / "baton.yaml").write_text(CONFIGS[(i + 1) % 2])
            equal(reload(server)["event"], "reloaded")
            before = len(load.decided)
            until(lambda: len(load.decided) >= before + 5)
        server.signal(number)
        code = server.process.wait(TIMEOUT_S)
        server.process.returncode = 0 if number == signal.SIGKILL else code
        load.join()
        equal(load.other, [])
        seqs = [record_of(answer)["seq"] for answer in load.decided]
        equal(len(seqs), len(set(seqs)))
        there = entries(server.folder)
        equal({entry["entry"]["verdict"] for entry in there}, {"accepted", "rejected"})
        figures.update({"stops": 1, "reloads": RELOADS, "acknowledged": len(seqs), "cut": len(load.cut)})
        return len(load.cut), lost(load.decided, there), mixed(there)


@claim
def a_mixed_configuration_would_be_seen():
    entry = lambda verdict, policy: {"entry": {"verdict": verdict, "refs": {"policy": policy}}}
    whole = [entry("accepted", "a"), entry("rejected", "b")]
    equal(mixed(whole), [])
    equal((mixed(whole + [entry("rejected", "c")]), mixed(whole[:1] + [entry("rejected", "a")]) != []), ([("rejected", "c")], True))


@claim
def no_acknowledged_decision_is_lost_when_the_server_is_stopped_under_load():
    for _ in range(STOPS):
        equal(stop_under_load(signal.SIGTERM), (0, [], []))
    print("# " + ", ".join(f"{count} {name}" for name, count in figures.items()) + ", 0 lost, 0 by a mixed configuration")


@claim
def a_server_that_is_killed_cuts_answers_but_loses_nothing_either():
    # The control: who exits at once does cut answers, sooner or later.
    cuts = 0
    for _ in range(50):
        cut, gone, neither = stop_under_load(signal.SIGKILL)
        equal((gone, neither), ([], []))
        cuts += cut
        if cuts > 0:
            return
    raise AssertionError("no answer was ever cut, so the test above cannot fail")


@claim
def a_store_that_hangs_gives_no_acceptance_and_is_used_again_when_it_is_back():
    with serving(store=True, files={"baton.yaml": "limits: {record_deadline_ms: 300}\n"}) as server:
        submit = lambda number: server.ask("POST", "/v1/handoffs", numbered(number))
        equal(submit(1).status, 201)
        other = sqlite3.connect(server.folder / ".baton/store.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        answer = submit(2)
        equal((answer.status, answer.code, answer.json["outcome"], answer.fields["retry-after"]), (503, "STORE_UNAVAILABLE", "none", "1"))
        ready = server.ask("GET", "/readyz")
        equal((ready.status, ready.json["checks"]["store"]), (503, "failing"))
        equal(server.ask("POST", "/v1/check?as=universal", CHECK).status, 200)
        other.execute("ROLLBACK")
        other.close()
        answer = submit(2)
        equal((answer.status, answer.json["documents"][0]["record"]["seq"]), (201, 1))
        equal(server.ask("GET", "/readyz").status, 200)


@claim
def without_a_store_or_the_right_to_write_nothing_is_recorded():
    with serving() as server:
        answer = server.ask("POST", "/v1/handoffs", HANDOFF)
        equal((answer.status, answer.code, answer.fields["retry-after"]), (503, "STORE_UNAVAILABLE", "1"))
    with serving("--read-only", store=True) as server:
        answer = server.ask("POST", "/v1/handoffs", HANDOFF)
        equal((answer.status, answer.code), (503, "LEDGER_READ_ONLY"))
        equal(server.ask("GET", "/readyz").status, 200)


@claim
def a_store_that_this_node_has_seen_with_more_in_it_is_not_served():
    with ledger("one") as folder:
        where = folder / ".baton" / "store.db"
        expect(run("store", "backup", "older.db", cwd=folder), 0, err="test key")
        append(folder, "two")
        for name in ("store.db", "store.db-wal", "store.db-shm"):
            where.with_name(name).unlink(missing_ok=True)
        (folder / "older.db").rename(where)
        result = run("serve", "--allow-test-key", "--listen", "127.0.0.1:0", "-f", "json", cwd=folder)
        equal((result.returncode, [f["code"] for d in json.loads(result.stdout)["documents"] for f in d["findings"]]), (1, ["LEDGER_ROLLBACK"]))
        said = run("mcp", cwd=folder)
        equal((said.returncode, said.stdout, b"LEDGER_ROLLBACK" in said.stderr), (2, b"", True))


@claim
def names_of_things_that_are_not_there_end_the_start():
    for flag in ("--root", "--witness", "--organism"):
        expect(run("serve", "--no-store", "--listen", "127.0.0.1:0", flag, "not-there"), 2, out="", err="not-there")


@claim
def the_openapi_document_needs_nothing():
    first = expect(run("serve", "--print-openapi"), 0)
    equal((json.loads(first.stdout)["openapi"], first.stdout.endswith(b"}\n"), run("serve", "--print-openapi").stdout), ("3.1.0", True, first.stdout))


sys.exit(finish())
