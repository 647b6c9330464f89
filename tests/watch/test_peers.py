# SPDX-License-Identifier: Apache-2.0
"""test_peers.py BATON [NUMBER] - servers that cosign each other's logs, and what they notice. NUMBER: submissions while a peer never answers."""
import base64
import contextlib
import hashlib
import json
import pathlib
import re
import socket
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff, text_of  # noqa: E402
from parties import RESTORED, WHOLE, Place, has_cosigned  # noqa: E402
from program import claim, equal, finish, until  # noqa: E402

PEERS = 12
COUNT = next((int(word) for word in sys.argv[2:] if word.isdigit()), 1000)


def made_key(name, kind):
    """A vkey whose private key nobody has."""
    key = bytes([kind]) + hashlib.sha256(name.encode()).digest()
    return f"{name}+{hashlib.sha256(name.encode() + bytes([10]) + key).hexdigest()[:8]}+{base64.b64encode(key).decode()}"


def is_open(connection):
    """Whether the other side still waits for an answer to what it sent."""
    connection.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while connection.recv(4096):
            pass
        return False
    return True


@claim
def two_servers_cosign_each_others_logs():
    with Place() as place:
        acme, bolt = place.acme, place.bolt
        acme.append("one\n", "two\n")
        bolt.append("three\n")
        place.start()
        for party, other, size in ((acme, bolt, 2), (bolt, acme, 1)):
            shown = until(has_cosigned(party, other, size), "a cosignature")
            equal((shown["behind"], shown["error"], bool(re.fullmatch(r"20\d\d-.*Z", shown["last"]))), (0, None, True))
        until(lambda: acme.peers()["bolt"]["seen"] == 1, "the other direction")
        equal(acme.submit(1).status, 201)
        until(has_cosigned(acme, bolt, 3), "the next one")
        metrics = acme.ask("GET", "/metrics").body.decode()
        equal(re.findall(r'^baton_ledger_peers\{state="(\w+)"\} (\d)', metrics, re.M), [("ok", "1"), ("behind", "0"), ("failing", "0")])
        equal((acme.ready().json(), bolt.ready().json()), ({"status": "ready"}, {"status": "ready"}))
        equal((acme.evidence(bolt), bolt.evidence(acme)), ([], []))
        acme.stop()
        listed = json.loads(acme.run("ledger", "peers", "--config", "baton.yaml", "--store", "s.db", "-f", "json").stdout)["peers"]
        equal([(peer["name"], peer["witnessed"], peer["behind"], peer["seen"], peer["error"]) for peer in listed], [("bolt", 3, 0, 1, None)])
        policy = acme.run("ledger", "policy", "--config", "baton.yaml", "--store", "s.db").stdout.decode()
        equal(policy, f"log {acme.vkey}\nwitness bolt {bolt.witness}\ngroup peers any bolt\nquorum peers\n")
        (acme.folder / "policy").write_text(policy)
        acme.run("ledger", "verify", "--store", "s.db", "--policy", "policy")
        acme.run("ledger", "audit", "--store", "s.db", "--policy", "policy")


@claim
def a_restored_store_is_found_by_what_remembers_more():
    with Place() as place:
        acme, bolt = place.acme, place.bolt
        acme.append("one\n")
        acme.save()
        acme.append("two\n", "three\n")
        place.start()
        until(has_cosigned(acme, bolt, 3), "a cosignature")
        receipt = acme.ask("GET", "/v1/handoffs/2/receipt", None, Accept="application/json").body
        acme.run("ledger", "watch", "--url", f"http://127.0.0.1:{acme.port}/ledger/", "--vkey", acme.vkey, "--memory", "m", "--once")
        acme.stop()
        for names, pointer in RESTORED:
            acme.restore(*names)
            acme.is_refused(bolt, pointer)
        acme.start()  # the negative control: nobody remembers
        equal(acme.size(), 1)
        watched = acme.run("ledger", "watch", "--url", f"http://127.0.0.1:{acme.port}/ledger/", "--vkey", acme.vkey, "--memory", "m", "--once", "-f", "json", code=1)
        equal(json.loads(watched.stdout)["documents"][0]["facts"]["status"], "rollback")
        equal(acme.submit(1).status, 201)
        shown = acme.ask("POST", "/v1/ledger/verify-receipt", receipt, **{"Content-Type": "application/json"})
        found = [(finding["code"], finding["pointer"]) for document in shown.json()["documents"] for finding in document["findings"] if finding["severity"] == "HARD"]
        equal((shown.status, found), (200, [("LEDGER_ROLLBACK", "/receipt")]))
        refused = acme.submit(2)
        equal((refused.status, refused.json()["code"], acme.ready().status), (503, "LEDGER_READ_ONLY", 503))
        equal(acme.size(), 2)


@claim
def an_own_receipt_that_comes_with_a_handoff_is_compared_with_the_store():
    for loses, status, found in ((True, 503, [("LEDGER_ROLLBACK", "/receipt")]), (False, 403, [("LEDGER_ORIGIN_MISMATCH", "/receipts/0/checkpoint")])):
        with Place() as place:
            acme = place.acme
            acme.append("one\n")
            acme.save()
            acme.append("two\n")
            receipt = json.loads(acme.run("ledger", "receipt", "1", "--store", "s.db", "--format", "json").stdout)
            if loses:
                acme.restore(*WHOLE)
            acme.start()
            size = acme.size()
            body = json.dumps({"documents": [{"text": text_of(handoff())}], "receipts": [receipt]})
            answer = acme.ask("POST", "/v1/handoffs", body, **{"Content-Type": "application/vnd.baton.request+json"})
            equal((answer.status, [(finding["code"], finding["pointer"]) for finding in answer.json()["findings"]]), (status, found))
            equal((answer.json()["code"] == "LEDGER_READ_ONLY", acme.submit(1).status, acme.size() - size), (loses, 503 if loses else 201, 0 if loses else 2))


@claim
def a_log_with_two_histories_is_found_on_both_sides():
    with Place() as place:
        acme, bolt = place.acme, place.bolt
        acme.append("one\n")
        acme.save()
        acme.append("two\n")
        place.start()
        until(has_cosigned(acme, bolt, 2), "a cosignature")
        acme.stop()
        acme.sign_another_history()
        equal(b"LEDGER_FORK" in acme.fails(1, bolt.peer()).stdout, True)
        acme.start(bolt.peer(monitor=f"http://127.0.0.1:{acme.port}/nowhere/"))  # whoever asks nobody before
        for party in (acme, bolt):
            until(lambda: party.ready().json().get("peers") == "alarm", f"the alarm of {party.name}")
            equal(party.ready().status, 200)
        equal(len(bolt.evidence(acme)), 1)
        equal(b"\n3\n" in bolt.evidence(acme)[0].read_bytes(), True)
        until(lambda: b"two histories" in bolt.server.logged() and b"two histories" in acme.server.logged(), "the log")
        equal(acme.peers()["bolt"]["error"], "it says that this log signed two histories")
        bolt.stop()
        bolt.start(acme.peer())
        until(lambda: bolt.ready().json().get("peers") == "alarm", "the alarm after a restart")
        bolt.stop()
        bolt.evidence(acme)[0].rename(bolt.folder / "seen")
        acme.stop()  # so that it shows its other history no more
        bolt.start(acme.peer())
        until(lambda: b"peer acme" in bolt.server.logged(), "the end of a round")
        equal(bolt.ready().json(), {"status": "ready"})


@claim
def silent_peers_are_asked_at_once_and_named_when_the_server_starts():
    with Place() as place, socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)  # the system accepts, and nobody answers
        acme = place.acme
        acme.append("one\n")
        names = [f"p{number:02}" for number in range(PEERS)]
        peers = [{"name": name, "url": f"http://127.0.0.1:{silent.getsockname()[1]}/", "vkey": made_key(f"{name}.example/w", 4), "log": made_key(f"{name}.example/log", 1)} for name in names]
        acme.configure(*peers)
        asked = []
        server = threading.Thread(target=lambda: asked.append(acme.serve("--store", "s.db", "--listen", f"127.0.0.1:{acme.port}")))
        server.start()
        waiting = [silent.accept()[0] for _ in names]
        given_up = [name for name, connection in zip(names, waiting) if not is_open(connection)]
        server.join()
        equal(given_up, [])  # one after the other, the first would have been
        acme.server = asked[0]
        equal([name for name in names if f"the peer {name} did not answer".encode() not in acme.server.logged()], [])
        equal(acme.submit(1).status, 201)
        for connection in waiting:
            connection.close()


@claim
def silent_peers_are_asked_for_cosignatures_at_once():
    with Place() as place, socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)
        acme = place.acme
        acme.append("one\n")
        names = [f"silent{number}" for number in range(4)]
        acme.start(*[{"name": name, "url": f"http://127.0.0.1:{silent.getsockname()[1]}/", "monitor": f"http://127.0.0.1:{acme.port}/nowhere/",
                      "vkey": made_key(f"{name}.example/w", 4), "log": made_key(f"{name}.example/log", 1)} for name in names])
        waiting = [silent.accept()[0] for _ in names]
        equal([name for name, connection in zip(names, waiting) if not is_open(connection)], [])  # one after the other, the first would have been given up
        for connection in waiting:
            connection.close()


@claim
def a_peer_that_never_answers_delays_no_decision():
    with Place() as place, socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(1)
        acme, bolt = place.acme, place.bolt
        bolt.port = silent.getsockname()[1]
        acme.append("one\n")
        acme.start(bolt.peer(monitor=f"http://127.0.0.1:{acme.port}/nowhere/"))
        waiting, _ = silent.accept()  # the thread asks, and waits
        equal({acme.submit(number).status for number in range(COUNT)}, {201})
        equal((acme.size(), acme.ready().status, acme.peers()["bolt"]["witnessed"]), (COUNT + 1, 200, 0))
        waiting.close()


@claim
def peers_that_cannot_be_are_refused():
    with Place() as place:
        acme, bolt = place.acme, place.bolt
        refused = acme.fails(2, bolt.peer(log=acme.vkey))
        equal((refused.returncode, b"is the one of this server" in refused.stderr), (2, True))
        acme.start(bolt.peer())  # nobody listens there: told, and no more
        equal(b"peer bolt did not answer" in acme.server.logged(), True)
        acme.submit(1)
        until(lambda: acme.peers()["bolt"]["error"] == "it did not answer", "the failure")
        equal('baton_ledger_peers{state="failing"} 1' in acme.ask("GET", "/metrics").body.decode(), True)
        acme.configure(bolt.peer(log=acme.vkey))
        acme.ask("POST", "/v1/admin/reload")
        until(lambda: b"peers-unchanged" in acme.server.logged(), "the refusal")
        acme.configure()
        equal(acme.ask("POST", "/v1/admin/reload").status, 200)
        equal(acme.peers(), {})


sys.exit(finish())
