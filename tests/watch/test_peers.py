# SPDX-License-Identifier: Apache-2.0
"""test_peers.py BATON [NUMBER] - servers that cosign each other's logs, and what they notice. NUMBER: submissions while a peer never answers."""
import hashlib
import json
import pathlib
import re
import shutil
import socket
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff, text_of  # noqa: E402
from program import claim, equal, finish, run, until  # noqa: E402
from server import Server, bearer, make_token  # noqa: E402

COUNT = next((int(word) for word in sys.argv[2:] if word.isdigit()), 30)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Party:
    """A company: a ledger, a witness, a state folder and a server."""

    def __init__(self, top, name):
        self.name, self.folder, self.port, self.server = name, pathlib.Path(top) / name, free_port(), None
        self.folder.mkdir()
        self.origin = f"{name}.example/log"
        self.env = {"BATON_STATE_DIR": str(self.folder / "state")}
        self.vkey = json.loads(self.run("ledger", "init", "--store", "s.db", "--origin", self.origin, "-f", "json").stdout)["vkey"]
        self.witness = json.loads(self.run("ledger", "witness", "init", "w", "--name", f"{name}.example/w", "-f", "json").stdout)["vkey"]
        self.token = make_token(self.folder, "chief", "admin,operate,submit,check")

    def run(self, *args, code=0, **env):
        result = run(*args, cwd=self.folder, env={**self.env, **env})
        equal((args, result.returncode, result.stderr if result.returncode != code else b""), (args, code, b""))
        return result

    def append(self, *contents, **env):
        for content in contents:
            (self.folder / "doc").write_text(content)
            self.run("ledger", "append", "--raw", "doc", "--store", "s.db", **env)

    def peer(self, **more):
        url = f"http://127.0.0.1:{self.port}/witness/"
        return {"name": self.name, "url": url, "vkey": self.witness, "log": self.vkey, **more}

    def start(self, *peers, **ledger):
        self.configure(*peers, **ledger)
        self.server = Server(self.folder, "--store", "s.db", "--tokens", "tokens.json", "--listen", f"127.0.0.1:{self.port}", env=self.env)
        return self

    def configure(self, *peers, **ledger):
        settings = {"limits": {"record_deadline_ms": 60000}, "ledger": {"witness": "w", "public": True, "cosign_every": "1s", "peers": list(peers), **ledger}}
        (self.folder / "baton.yaml").write_text(json.dumps(settings))

    def fails(self, code, *peers):
        self.configure(*peers)
        return run("serve", "--listen", "127.0.0.1:0", "--store", "s.db", "--tokens", "tokens.json", "-f", "json", cwd=self.folder, env=self.env)

    def stop(self):
        if self.server:
            server, self.server = self.server, None
            server.stop()

    def ask(self, method, path, *rest, **more):
        return self.server.ask(method, path, *rest, headers={**bearer(self.token), **more})

    def submit(self, number):
        return self.ask("POST", "/v1/handoffs", text_of(handoff(context={"summary": f"Build fix number {number}."})), **{"Content-Type": "application/json"})

    def peers(self):
        return {peer["name"]: peer for peer in self.ask("GET", "/v1/ledger/peers").json()["peers"]}

    def size(self):
        return self.ask("GET", "/v1/ledger").json()["size"]

    def ready(self):
        return self.server.ask("GET", "/readyz")

    def evidence(self, other):
        folder = self.folder / "w/logs" / hashlib.sha256(other.origin.encode()).hexdigest() / "evidence"
        return sorted(folder.iterdir()) if folder.exists() else []

    def save(self):
        shutil.copytree(self.folder, self.folder.parent / f"{self.name}-saved")

    def restore(self, *names):
        """Put back what was saved: names of files or folders, * at the end for those that begin so."""
        saved = self.folder.parent / f"{self.name}-saved"
        for path in [path for name in names for path in self.folder.glob(name)]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in [path for name in names for path in saved.glob(name)]:
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, self.folder / path.name)


class Place:
    def __enter__(self):
        self.top = tempfile.mkdtemp(prefix="baton-peers-")
        self.acme, self.bolt = Party(self.top, "acme"), Party(self.top, "bolt")
        return self

    def __exit__(self, *_):
        try:
            self.acme.stop()
            self.bolt.stop()
        finally:
            shutil.rmtree(self.top)

    def start(self):
        self.acme.start(self.bolt.peer())
        self.bolt.start(self.acme.peer())


def has_cosigned(party, other, size):
    return lambda: party.peers()[other.name]["witnessed"] == size and party.peers()[other.name]


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
        for names, pointer in ((("s.db", "s.db-*"), "/head"), (("s.db", "s.db-*", "s.db.head"), "/seen"), (("s.db", "s.db-*", "s.db.head", "state"), "/peer/bolt")):
            acme.restore(*names)
            refused = acme.fails(1, bolt.peer())
            equal((refused.returncode, refused.stdout.count(b"LEDGER_ROLLBACK") > 0, pointer.encode() in refused.stdout), (1, True, True))
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
def a_log_with_two_histories_is_found_on_both_sides():
    with Place() as place:
        acme, bolt = place.acme, place.bolt
        acme.append("one\n")
        acme.save()
        acme.append("two\n")
        place.start()
        until(has_cosigned(acme, bolt, 2), "a cosignature")
        acme.stop()
        acme.restore("s.db", "s.db-*", "s.db.head", "state")
        acme.append("another two\n", "three\n")
        equal(b"LEDGER_FORK" in acme.fails(1, bolt.peer()).stdout, True)
        acme.start(bolt.peer(monitor=f"http://127.0.0.1:{acme.port}/nowhere/"))  # whoever asks nobody before
        for party in (acme, bolt):
            until(lambda: party.ready().json().get("peers") == "alarm", f"the alarm of {party.name}")
            equal(party.ready().status, 200)
        equal(len(bolt.evidence(acme)), 1)
        equal(b"\n3\n" in bolt.evidence(acme)[0].read_bytes(), True)
        until(lambda: b"two histories" in bolt.server.logged() and b"two histories" in acme.server.logged(), "the log")
        equal(acme.peers()["bolt"]["error"], "it says that this log signed two histories")


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
        refused = acme.fails(2, bolt.peer(tokens=["chief"]))
        equal((refused.returncode, b"takes no receipts" in refused.stderr), (2, True))
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
