# SPDX-License-Identifier: Apache-2.0
"""parties.py - two companies whose servers cosign each other's logs, for the tests beside it."""
import hashlib
import json
import pathlib
import shutil
import socket
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff, text_of  # noqa: E402
from program import equal, run  # noqa: E402
from server import Server, bearer, make_token  # noqa: E402


# What a company can put back of its own, and where its server then finds that a peer or a file remembers more.
STORE = ("s.db", "s.db-*")
WHOLE = (*STORE, "s.db.head", "state")
RESTORED = ((STORE, "/head"), ((*STORE, "s.db.head"), "/seen"), (WHOLE, "/peer/bolt"))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Party:
    """A company: a ledger, a witness, a state folder and a server, which listens at `address` and is started by the words of `start_with`."""

    def __init__(self, top, name, address="127.0.0.1", start_with=()):
        self.name, self.folder, self.server = name, pathlib.Path(top) / name, None
        self.address, self.port, self.start_with = address, free_port(), start_with
        self.folder.mkdir()
        self.origin = f"{name}.example/log"
        self.env = {"BATON_STATE_DIR": str(self.folder / "state")}
        self.more_env = {}  # of the server alone
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
        url = f"http://{self.address}:{self.port}/witness/"
        return {"name": self.name, "url": url, "vkey": self.witness, "log": self.vkey, **more}

    def start(self, *peers, **ledger):
        self.configure(*peers, **ledger)
        self.server = self.serve("--store", "s.db", "--listen", f"{self.address}:{self.port}")
        return self

    def serve(self, *flags):
        """A server of this company, which other machines reach without TLS."""
        return Server(self.folder, "--tokens", "tokens.json", "--plain-http", *flags, env={**self.env, **self.more_env}, address=self.address,
                      start_with=self.start_with)

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


    def sign_another_history(self):
        """The state that was saved, with other entries after it."""
        self.restore(*WHOLE)
        self.append("another two\n", "three\n")

    def is_refused(self, other, pointer):
        """The server does not start, since the log is shorter than it was."""
        refused = self.fails(1, other.peer())
        equal((refused.returncode, b"LEDGER_ROLLBACK" in refused.stdout, pointer.encode() in refused.stdout), (1, True, True))


class Place:
    def __enter__(self):
        self.top = tempfile.mkdtemp(prefix="baton-peers-")
        self.acme, self.bolt = self.make()
        return self

    def make(self):
        return Party(self.top, "acme"), Party(self.top, "bolt")

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
