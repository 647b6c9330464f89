# SPDX-License-Identifier: Apache-2.0
"""test_again.py BATON - the connection to the database is cut in the COMMIT of every kind of decision: it is found out, or decided again."""
import contextlib
import hashlib
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "store"))

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import postgres_server  # noqa: E402
from block import ID, REQUEST, envelope, fenced  # noqa: E402
from catalogues import NOW, Catalogue  # noqa: E402
from commit_proxy import CommitProxy  # noqa: E402
from program import claim_if, equal, expect, finish, report, run, told  # noqa: E402
from raw_server import Server  # noqa: E402

WITHOUT = postgres_server.missing()
BEFORE, AFTER = 0, 1  # the server gets the COMMIT, or it does not
PATIENT = ("--deadline", "30000")


class Cutter(CommitProxy):
    """Cuts the next COMMIT when it is told to, on the one side of the server or the other."""

    def __init__(self, folder):
        super().__init__(folder, self, 0)
        self.side = BEFORE
        self.is_armed = False

    def random(self):
        return self.side

    def wants_cut(self):
        cuts, self.is_armed = self.is_armed, False
        return cuts

    def cuts(self):
        return self.before + self.after


class Place:
    """A workspace on a database, with a proxy before it."""

    def __init__(self, folder, proxy, schema):
        self.folder, self.proxy, self.schema = pathlib.Path(folder), proxy, schema
        self.catalogue = Catalogue()
        self.catalogue.write(self.folder / "root")
        self.do("ledger", "init", "--origin", "again.example/log")

    def at(self, url):
        return ("--store", f"{url}&schema={self.schema}")

    def do(self, *words, code=0, **more):
        return expect(run(*words, *self.at(POSTGRES.url), cwd=self.folder, **more), code)

    def cut(self, side, words, *flags, **more):
        """Run a command whose COMMIT is cut on this side."""
        self.proxy.side, self.proxy.is_armed = side, True
        before = self.proxy.cuts()
        result = run(*words, *flags, *self.at(self.proxy.url), cwd=self.folder, **more)
        equal((words, self.proxy.cuts(), told(result)), (words, before + 1, told(result)))
        return result

    def put(self, document):
        (self.folder / "d.json").write_text(json.dumps(document))
        return "d.json"

    def kinds(self):
        return [item["entry"]["kind"] for item in report(self.do("ledger", "tail", "-n", "1000", "-f", "json"))["entries"]]


# ---- Decisions ------------------------------------------------------------------------------------

CONTRACT = ("contract", "submit", "-f", "json", "--workspace", "w")
GOVERN = ("--root", "root", "--now", NOW)


def requested(place):
    """An approval that waits."""
    asked = place.do(*CONTRACT, "--session", "asks", "-", stdin=fenced(envelope({"/approval_request": REQUEST}, "APPROVAL_REQUEST")))
    made = report(asked)["submit"]["approval"]
    return ("approvals", "grant", made["id"], "--fingerprint", made["fingerprint"], "--actor", "user:ana"), None


def blocked(place):
    bad = place.put(place.catalogue.handoff("domain-01-content", "product-thinker", target_agent__prompt_hash="1" * 64))
    (place.folder / "any.yaml").write_text("governed: {block_on: any}\n")
    place.do("govern", "submit", *GOVERN, "--config", "any.yaml", bad, code=1)
    return ("govern", "unblock", "product-thinker", "--reason", "compared", "--root", "root"), None


def recorded(place):
    place.do("ledger", "append", "--raw", "-", stdin=b"secret\n")
    return ("ledger", "redact", str(len(place.kinds()) - 1), "--reason", "asked for"), None


ACTS = {
    "contract submit": (lambda _: ((*CONTRACT, "--session", "s", "-"), fenced(envelope())), "handoff"),
    "contract state --clear": (lambda _: (("contract", "state", "--clear", "--agent", ID, "--session", "s", "--workspace", "w"), None), "unblock"),
    "approvals grant": (requested, "approval"),
    "govern submit": (lambda place: (("govern", "submit", *GOVERN, place.put(place.catalogue.handoff())), None), "handoff"),
    "govern unblock": (blocked, "unblock"),
    "ledger redact": (recorded, "redaction"),
    "ledger rotate-key": (lambda _: (("ledger", "rotate-key"), None), "key"),
}


def try_all(side, schema):
    """Every act is decided once, as if nothing had happened."""
    with tempfile.TemporaryDirectory(prefix="baton-again-") as folder, Cutter(POSTGRES.folder) as proxy:
        place = Place(folder, proxy, schema)
        for name, (prepare, kind) in ACTS.items():
            words, stdin = prepare(place)
            kinds = place.kinds()
            result = place.cut(side, words, *PATIENT, stdin=stdin)
            equal((name, result.returncode, place.kinds()), (name, 0, kinds + [kind]))
        state = report(place.do("contract", "state", "-f", "json"))["agents"]
        equal([agent["session"] for agent in state], ["asks"])
        place.do("ledger", "verify")
        said = report(run("store", "check", "-f", "json", *place.at(POSTGRES.url), cwd=place.folder))["documents"][0]
        equal({finding["code"] for finding in said["findings"]}, {"STORE_GRANT_EXCESS"})  # we are the superuser


@claim_if(not WITHOUT, WITHOUT)
def what_the_server_never_got_is_decided_again():
    try_all(BEFORE, "again_before")


@claim_if(not WITHOUT, WITHOUT)
def what_the_server_has_is_found_and_not_decided_twice():
    try_all(AFTER, "again_after")


@claim_if(not WITHOUT, WITHOUT)
def who_cannot_ask_before_the_deadline_says_that_nobody_knows():
    # The control: the cuts are real, on both sides.
    with tempfile.TemporaryDirectory(prefix="baton-again-") as folder, Cutter(POSTGRES.folder) as proxy:
        place = Place(folder, proxy, "again_never")
        proxy.refuses_s = 600
        for side in (BEFORE, AFTER):
            words, _ = recorded(place)
            size = len(place.kinds())
            proxy.refuses_until = 0
            expect(place.cut(side, words, "--deadline", "700"), 2, err="unknown")
            equal(len(place.kinds()), size + (1 if side == AFTER else 0))


@claim_if(not WITHOUT, WITHOUT)
def a_server_that_cannot_ask_says_so_too():
    with tempfile.TemporaryDirectory(prefix="baton-again-") as folder, Cutter(POSTGRES.folder) as proxy:
        place = Place(folder, proxy, "again_served")
        recorded(place)
        (place.folder / "baton.yaml").write_text("limits: {record_deadline_ms: 700}\n")
        server = Server(place.folder, "--listen", "127.0.0.1:0", *place.at(proxy.url))
        try:
            digest = hashlib.sha256(b"secret\n").hexdigest()
            body = json.dumps({"sha256": digest, "reason": "asked for"}).encode()
            proxy.side, proxy.is_armed, proxy.refuses_s = AFTER, True, 600
            answer = server.as_admin("POST", "/v1/ledger/redact", body)
            equal((answer.status, answer.json.get("outcome")), (503, "unknown"))
            equal(place.kinds(), ["raw", "redaction"])
            proxy.refuses_until = 0
            again = server.as_admin("POST", "/v1/ledger/redact", body)  # the control
            equal((again.status, again.json["already"]), (200, True))
        finally:
            server.stop()


with contextlib.nullcontext() if WITHOUT else postgres_server.hosting() as POSTGRES:
    code = finish()
sys.exit(code)
