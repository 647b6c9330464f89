# SPDX-License-Identifier: Apache-2.0
"""test_webhooks.py BATON - accepted handoffs that a server POSTs, and receivers that fail, hang, or send elsewhere."""
import contextlib
import hashlib
import json
import pathlib
import re
import signal
import socket
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff, text_of  # noqa: E402
from program import TIMEOUT_S, claim, equal, expect, finish, folder, run, until  # noqa: E402
from receiver import HOLD, Receiver, identity  # noqa: E402
from server import ORIGIN, Server, bearer, serving  # noqa: E402

JSON = {"Content-Type": "application/json"}
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SECRET = "not-for-the-log"


def config(hooks, attempts=5):
    """A baton.yaml with webhooks: target to url, or to url and variable."""
    lines = []
    for target, hook in hooks.items():
        url, variable = hook if isinstance(hook, tuple) else (hook, None)
        lines += [f"    - target: {target}", f"      url: {url}"] + ([f"      token_env: {variable}"] if variable else [])
    return "\n".join(["shutdown:", "  timeout_s: 1", "deliver:", f"  attempts: {attempts}", "  webhooks:", *lines]) + "\n"


def submit(server, target, ticket=0, **headers):
    text = text_of(handoff(target={"skill": target}, payload={"working": {"ticket": f"DP-{ticket}"}}))
    answer = server.ask("POST", "/v1/handoffs", text, {**JSON, **headers})
    equal(answer.status, 201)
    return text, answer


def deliveries(server):
    said = server.ask("GET", "/metrics", headers=bearer(server.console)).body.decode()
    return {word: int(number) for word, number in re.findall(r'^baton_deliveries_total{\w+="(\w+)"} ([1-9]\d*)$', said, re.M)}


def recorded(server, message):
    """What the ledger says about an item."""
    entries = server.ask("GET", "/v1/handoffs?kind=delivery&order=asc", headers=bearer(server.console)).json()["entries"]
    return [entry["entry"]["refs"]["event"] for entry in entries if entry["entry"]["refs"]["message"] == message]


@claim
def a_handoff_is_sent_once_with_its_receipt_and_only_for_the_target_that_is_named():
    with contextlib.closing(Receiver()) as receiver:
        hooks = {"patch-builder": (f"{receiver.url}/in/?from=baton", "HOOK_TOKEN"), "at-the-root": receiver.url}
        with serving(config=config(hooks), env={"HOOK_TOKEN": SECRET}) as server:
            submit(server, "somebody-else")
            text, answer = submit(server, "patch-builder", traceparent=f"00-{TRACE}-00f067aa0ba902b7-01")
            submit(server, "at-the-root")
            until(lambda: deliveries(server) == {"delivered": 2})
            equal(sorted(path for path, _, _, _ in receiver.posts), ["/", "/in/?from=baton"])
            (headers, body), = receiver.at("/in/?from=baton")
            record = answer.json()["documents"][0]["record"]
            equal((headers["content-type"], headers["authorization"]), ("application/json", f"Bearer {SECRET}"))
            equal("authorization" in receiver.at("/")[0][0], False)
            span = answer.headers["traceresponse"]
            equal((headers["traceparent"], headers["idempotency-key"]), (span, record["leaf_hash"]))
            said = json.loads(body)
            receipt = said.pop("receipt")
            equal(said, {"baton": 1, "message": "w1", "target": "patch-builder", "seq": 1, "ref": f"{ORIGIN}#1", "dialect": "universal", "source": "release-planner",
                         "trace_id": "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4", "traceparent": span, "sha256": hashlib.sha256(text.encode()).hexdigest(), "text": text})
            (server.folder / "r.json").write_text(json.dumps(receipt))
            expect(run("ledger", "verify-receipt", "r.json", "--vkey", (server.folder / "s.db.vkey").read_text().strip(), cwd=server.folder), 0)
            equal(recorded(server, "w1"), ["delivered"])
            # The inbox has it as well, and nobody takes from the queue of webhooks.
            for agent, messages in (("patch-builder", ["h1"]), ("webhook", []), ("somebody-else", ["h0"])):
                taken = server.ask("POST", f"/v1/inbox/{agent}/take", "{}", JSON).json()["items"]
                equal([item["message"] for item in taken], messages)
            equal(SECRET.encode() in server.logged(), False)


@claim
def what_fails_is_sent_again_with_the_same_key_and_what_is_sent_elsewhere_is_not_followed():
    with contextlib.closing(Receiver({"/flaky": [500], "/moved": [302, 307]})) as receiver:
        hooks = {name: f"{receiver.url}/{name}" for name in ("flaky", "moved")}
        with serving(config=config(hooks, attempts=2)) as server:
            names = [f"w{submit(server, target)[1].json()['documents'][0]['record']['seq']}" for target in hooks]
            until(lambda: deliveries(server) == {"delivered": 1, "failed": 3, "dead": 1})
            equal([recorded(server, name) for name in names], [["failed", "delivered"], ["failed", "failed", "dead"]])
            equal((len(receiver.at("/flaky")), len(receiver.at("/moved")), len(receiver.posts)), (2, 2, 4))
            first, second = receiver.at("/flaky")
            equal(first, second)
            equal(first[0]["idempotency-key"] == receiver.at("/moved")[0][0]["idempotency-key"], False)


@claim
def a_receiver_that_hangs_delays_no_answer_and_what_was_not_sent_survives_a_kill():
    with tempfile.TemporaryDirectory(prefix="baton-hooks-") as name, contextlib.closing(Receiver()) as receiver, socket.create_server(("127.0.0.1", 0)) as deaf:
        place = pathlib.Path(name)
        expect(run("ledger", "init", "--store", "s.db", "--origin", ORIGIN, cwd=place), 0)
        (place / "baton.yaml").write_text(config({"patch-builder": f"http://127.0.0.1:{deaf.getsockname()[1]}/"}))
        server = Server(place, "--store", "s.db")
        submit(server, "patch-builder", 0)
        deaf.settimeout(TIMEOUT_S)
        with deaf.accept()[0] as held:  # the first is being sent, and will be for long
            for number in range(1, 4):
                submit(server, "patch-builder", number)
            submit(server, "somebody-else", 4)
            equal(deliveries(server), {})
            server.child.kill()
            server.child.communicate(timeout=TIMEOUT_S)
            server.log.close()
            equal(b'"w0"' in held.recv(1 << 20), True)
        (place / "baton.yaml").write_text(config({"patch-builder": f"{receiver.url}/"}))
        server = Server(place, "--store", "s.db")
        until(lambda: deliveries(server) == {"delivered": 3})  # the first has a lease that must run out
        equal([json.loads(body)["message"] for _, body in receiver.at("/")], ["w1", "w2", "w3"])
        server.stop()


@claim
def a_receiver_that_hangs_holds_up_no_other():
    with contextlib.closing(Receiver()) as receiver, socket.create_server(("127.0.0.1", 0)) as deaf:
        with serving(config=config({"deaf": f"http://127.0.0.1:{deaf.getsockname()[1]}", "good": f"{receiver.url}/"})) as server:
            submit(server, "deaf")
            deaf.settimeout(TIMEOUT_S)
            with deaf.accept()[0]:  # which is being sent, and will be for long
                for number in range(1, 6):
                    submit(server, "good", number)
                until(lambda: deliveries(server).get("delivered") == 5)
                equal(deliveries(server), {"delivered": 5})  # the other has not been given up yet


@claim
def receivers_that_failed_last_leave_a_thread_to_the_others():
    doubtful = [f"d{number}" for number in range(5)]
    with contextlib.closing(Receiver({f"/{name}": [500, HOLD] for name in doubtful})) as receiver:
        with serving(config=config({name: f"{receiver.url}/{name}" for name in [*doubtful, "good"]})) as server:
            for number, name in enumerate(doubtful):
                submit(server, name, number)
            until(lambda: deliveries(server) == {"failed": 5} and receiver.holds() == 3)
            submit(server, "good", 9)
            until(lambda: receiver.at("/good"))
            equal((receiver.holds(), deliveries(server)["failed"]), (3, 5))  # three of four threads, and nothing was given up
            receiver.released.set()
            until(lambda: deliveries(server).get("delivered") == 6)


@claim
def only_a_receiver_that_is_vouched_for_is_told_anything_over_tls():
    with folder({}) as place:
        tls = identity(place)
        for trusted, posts, ends in ((f"{place}/receiver.pem", 1, {"delivered": 1}), ("/dev/null", 0, {"failed": 1, "dead": 1})):
            env = {"SSL_CERT_FILE": trusted, "SSL_CERT_DIR": "/nowhere"}
            with contextlib.closing(Receiver(tls=tls)) as receiver, serving(config=config({"a": f"{receiver.url}/in"}, attempts=1), env=env) as server:
                submit(server, "a")
                until(lambda: deliveries(server) == ends)
                equal(len(receiver.at("/in")), posts)


@claim
def a_reload_changes_where_to_and_a_stop_does_not_wait_for_who_hangs():
    with contextlib.closing(Receiver()) as receiver, socket.create_server(("127.0.0.1", 0)) as deaf:
        with serving(config=config({"a": f"{receiver.url}/a"})) as server:
            (server.folder / "baton.yaml").write_text(config({"b": f"{receiver.url}/b", "c": f"http://127.0.0.1:{deaf.getsockname()[1]}"}))
            server.child.send_signal(signal.SIGHUP)
            until(lambda: b'"reloaded"' in server.logged())
            submit(server, "a")
            submit(server, "b", 1)
            until(lambda: deliveries(server) == {"delivered": 1})
            equal([path for path, _, _, _ in receiver.posts], ["/b"])
            submit(server, "c", 2)
            deaf.settimeout(TIMEOUT_S)
            held, _ = deaf.accept()
        held.close()


@claim
def a_webhook_that_could_not_work_keeps_the_server_from_starting():
    url = "http://127.0.0.1:9/x"
    rows = [({"a": (url, "NOT_SET_ANYWHERE")}, "NOT_SET_ANYWHERE"), ({"a b": url}, "webhooks.0.target"), ({"a": "ftp://127.0.0.1/x"}, "webhooks.0.url"),
            ({"a": "http://u:p@127.0.0.1/x"}, "webhooks.0.url"), ({"a": "http://127.0.0.1:99999/"}, "webhooks.0.url"), ({"a": url + "'#x'"}, "webhooks.0.url")]
    twice = config({"a": url}) + f"    - target: a\n      url: {url}\n"
    for text, why in [(config(hooks), why) for hooks, why in rows] + [(twice, "comes twice")]:
        with folder({"baton.yaml": text}) as place:
            expect(run("serve", "--no-store", "--listen", "127.0.0.1:0", cwd=place), 2, err=why)


sys.exit(finish())
