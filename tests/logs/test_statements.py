# SPDX-License-Identifier: Apache-2.0
"""test_statements.py BATON - a log of statements: what it takes and refuses, its receipts, what is on record, who may use it, and what it is not."""
import base64
import concurrent.futures
import contextlib
import hashlib
import json
import pathlib
import re
import shutil
import sqlite3
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import postgres_server  # noqa: E402
import statements as made  # noqa: E402
from ledger_tools import do  # noqa: E402
from program import claim, equal, expect, finish, run  # noqa: E402
from server import Server, bearer, make_token, serving  # noqa: E402

BASE = "limits: {record_deadline_ms: 60000}\nlogs: {root: logs}\nrate: {check: 0, submit: 0, auth_failures: 10000}\n"
ISSUER = "https://issuer.example"
ORIGIN = "logs.example/facts"
COSE = {"Content-Type": "application/cose"}
PROBLEM = "application/concise-problem-details+cbor"
ED, P256, OTHER = made.Key(), made.Key(made.ES256), made.Key()
LISTED = [(ISSUER, ED), (ISSUER, P256), ("https://other.example", OTHER)]


def configure(folder, issuers):
    rows = []
    for number, (name, key) in enumerate(issuers):
        (folder / f"issuer{number}.pem").write_text(key if isinstance(key, str) else key.pem)
        rows.append({"iss": name, "key": f"issuer{number}.pem"})
    (folder / "baton.yaml").write_text(BASE + f"scitt: {{issuers: {json.dumps(rows)}}}\n")


class Facts:
    """A server whose log `facts` takes statements, and whose logs `acme` and the default one take decisions."""

    def __init__(self, server):
        self.server, self.folder = server, server.folder
        for name, flags in (("facts", ("--entries", "statements")), ("acme", ())):
            expect(run("ledger", "log", "new", name, "--origin", f"logs.example/{name}", *flags, "--config", "baton.yaml", cwd=self.folder), 0)
        self.who = {"root": server.tokens["root"]}
        for name, scopes in (("ana", "submit"), ("op", "operate"), ("eve", "check")):
            self.who[name] = make_token(self.folder, name, scopes, "--log", "facts", "--log", "acme")
        self.who["foreign"] = make_token(self.folder, "foreign", "check,submit,operate,admin", "--log", "acme")
        self.list_issuers(LISTED)

    def list_issuers(self, issuers, status=200):
        configure(self.folder, issuers)
        equal(self.server.ask("POST", "/v1/admin/reload", None, bearer(self.who["root"])).status, status)

    def send(self, body, who="ana", log="facts", headers=None):
        token = bearer(self.who[who]) if who else {}
        return self.server.ask("POST", f"{'/logs/' + log if log else ''}/entries", body, {**COSE, **token, **(headers or {})})

    def get(self, path, who="ana", log="facts"):
        return self.server.ask("GET", f"{'/logs/' + log if log else ''}{path}", None, bearer(self.who[who]) if who else {})

    def size(self, log="facts"):
        return self.get("/v1/ledger", "root" if not log else "op", log).json()["size"]

    def path(self, log="facts"):
        return f"logs/{log}/store.db"

    def command(self, *words, code=0, log="facts"):
        return do(self.folder, *words, "--store", self.path(log), code=code)

    def spki(self):
        """The public key of the log, as SubjectPublicKeyInfo."""
        key = base64.b64decode((self.folder / "logs/facts/ledger.vkey").read_text().strip().split("+", 2)[2])[1:]
        return bytes.fromhex("302a300506032b6570032100") + key

    def raws(self):
        """The raw entries of the default log."""
        listed = self.server.ask("GET", "/v1/ledger/entries?kind=raw&limit=500", None, bearer(self.who["root"])).json()["entries"]
        return [row.get("entry", row) for row in listed]


@contextlib.contextmanager
def facts():
    with serving(tokens={"root": "check,submit,approve,operate,admin"}, config=BASE) as server:
        yield Facts(server)


def registered(answer):
    equal((answer.status, answer.headers.get("content-type"), answer.body if answer.status != 201 else b""), (201, "application/cose", b""))
    return int(answer.headers["location"].rsplit("/", 1)[1])


def refusal(answer):
    equal((answer.status, answer.headers["content-type"]), (400, PROBLEM))
    return made.loads(answer.body)[-1]


@claim
def a_statement_is_registered_and_its_receipt_verifies_elsewhere():
    with facts() as here:
        for number, key in enumerate((ED, P256)):
            sent = made.statement(key, subject=f"artifact {number}")
            answer = here.send(sent)
            equal(answer.headers["location"], f"/logs/facts/entries/{number + 1}")  # after the list of issuers
            seq = registered(answer)
            protected, index, size = made.judge_receipt(answer.body, sent, here.spki())
            equal((index, size, protected[made.CLAIMS], protected[made.TYP]), (seq, number + 2, {1: ORIGIN, 2: f"artifact {number}"}, "application/scitt-receipt+cose"))
            equal(sorted(made.loads(answer.body).value[1]), [-70002, 396])  # a checkpoint, and no entry
            shown = here.get(f"/entries/{seq}")
            equal((shown.status, shown.headers["content-type"]), (200, "application/cose"))
            made.judge_receipt(shown.body, sent, here.spki())
        # alg -19 is the same signature by another name
        sent = made.statement(ED, alg=made.ED25519)
        registered(here.send(sent))
        # control: the receipt proves no other statement
        for other in (made.statement(ED, payload=b"it is not so"), made.statement(ED)):
            try:
                made.judge_receipt(here.get("/entries/3").body, other, here.spki())
            except (AssertionError, ValueError):
                continue
            raise AssertionError("a receipt proved another statement")


@claim
def the_same_bytes_get_the_first_receipt():
    with facts() as here:
        sent = made.statement(ED)
        first = here.send(sent)
        for number in range(3):
            registered(here.send(made.statement(ED, subject=f"between {number}")))
        before = (here.size(), len(here.raws()))
        for again in (sent, made.statement(ED, unprotected={99: b"receipts of others"})):  # nobody has signed what is unprotected
            second = here.send(again)
            equal((second.status, second.headers["location"], second.body), (first.status, first.headers["location"], first.body))
        equal((here.size(), len(here.raws())), before)
        # control: another subject is another statement
        equal(registered(here.send(made.statement(ED, subject="artifact 2"))), before[0])


@claim
def what_one_signature_covers_is_registered_once():
    """Whoever has an ECDSA signature can compute another one over the same bytes."""
    with facts() as here:
        sent = made.statement(P256)
        seq = registered(here.send(sent))
        parts = made.loads(sent).value
        order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
        mirrored = parts[3][:32] + (order - int.from_bytes(parts[3][32:], "big")).to_bytes(32, "big")
        answer = here.send(made.dumps(made.Tag(18, [*parts[:3], mirrored])))
        equal(refusal(answer), "Rejected")
        equal(f"entry {seq}," in made.loads(answer.body)[-2], True)
        equal(here.size(), seq + 1)


@claim
def statements_sent_at_once_are_registered_once():
    with facts() as here:
        sent = [made.statement(ED, subject=f"artifact {number % 4}") for number in range(16)]
        with concurrent.futures.ThreadPoolExecutor(16) as threads:
            answers = list(threads.map(here.send, sent))
        places = {}
        for body, answer in zip(sent, answers):
            places.setdefault(body, set()).add((registered(answer), answer.body))
        equal((len(places), {len(found) for found in places.values()}, here.size()), (4, {1}, 5))


def refused_statements():
    """(title, what is wrong, bytes) of statements that the policy refuses."""
    right = made.statement(ED)
    parts = made.loads(right).value
    protected = made.dumps(made.headers(ED))

    def parted(**more):
        names = ("protected", "unprotected", "payload", "signature")
        return made.dumps(made.Tag(18, [more.get(name, part) for name, part in zip(names, parts)]))

    yield "Bad Signature Algorithm", "another alg", made.statement(ED, alg=-37)
    yield "Bad Signature Algorithm", "no alg", made.statement(ED, alg=None)
    yield "Bad Signature Algorithm", "alg as a text", made.statement(ED, alg="EdDSA")
    yield "Bad Signature Algorithm", "alg unprotected", made.statement(ED, alg=None, unprotected={1: -8})
    yield "Payload Missing", "a detached payload", parted(payload=None)
    yield "Payload Missing", "a text as the payload", parted(payload="it is so")
    yield "Rejected", "an unknown issuer", made.statement(ED, issuer="https://nobody.example")
    yield "Rejected", "the kid of another issuer", made.statement(OTHER)
    yield "Rejected", "another kid", made.statement(ED, kid=b"\0" * 32)
    yield "Rejected", "a kid of 31 bytes", made.statement(ED, kid=ED.kid[:31])
    yield "Rejected", "no kid", made.statement(ED, kid=None)
    yield "Rejected", "the kid unprotected", made.statement(ED, kid=None, unprotected={4: ED.kid})
    yield "Rejected", "the kid in both headers", made.statement(ED, unprotected={4: ED.kid})
    yield "Rejected", "the alg of another key", made.statement(ED, alg=made.ES256)
    yield "Rejected", "no claims", made.statement(ED, claims=None)
    yield "Rejected", "no issuer", made.statement(ED, claims={2: "artifact 1"})
    yield "Rejected", "no subject", made.statement(ED, claims={1: ISSUER})
    yield "Rejected", "an empty subject", made.statement(ED, subject="")
    yield "Rejected", "a long subject", made.statement(ED, subject="x" * 1025)
    yield "Rejected", "a subject of bytes", made.statement(ED, claims={1: ISSUER, 2: b"artifact 1"})
    yield "Rejected", "critical headers", made.statement(ED, crit=[15])
    yield "Rejected", "the issuer of the log itself", made.statement(ED, issuer=ORIGIN)
    yield "Rejected", "an altered payload", parted(payload=b"it is sO")
    yield "Rejected", "an altered subject", parted(protected=protected.replace(b"artifact 1", b"artifact 2"))
    yield "Rejected", "an altered signature", parted(signature=bytes([parts[3][0] ^ 1]) + parts[3][1:])
    yield "Rejected", "a short signature", parted(signature=parts[3][:63])
    yield "Rejected", "a signature over other bytes", parted(signature=ED.sign(b"it is so"))
    yield "Rejected", "65,536 bytes", made.statement(ED, payload=b"x" * (65536 - len(right) + len(parts[2]) - 2))
    yield "Rejected", "300,000 bytes unprotected", made.statement(ED, unprotected={99: b"x" * 300000})
    yield "Rejected", "nothing", b""
    yield "Rejected", "JSON", b'{"v":1}'
    yield "Rejected", "another tag", b"\xd8\x62" + right[1:]
    yield "Rejected", "no tag", right[1:]
    yield "Rejected", "a byte behind the end", right + b"\0"
    yield "Rejected", "an array of indefinite length", right[:1] + b"\x9f" + right[2:] + b"\xff"
    yield "Rejected", "a length that is not in its shortest form", right[:1] + b"\x98\x04" + right[2:]
    yield "Rejected", "the unprotected header of indefinite length", right.replace(protected + b"\xa0", protected + b"\xbf\xff")
    backwards = bytes([protected[0]]) + b"".join(reversed([made.dumps(label) + made.dumps(value) for label, value in made.headers(ED).items()]))
    yield "Rejected", "labels in another order", made.statement(ED, protected=backwards)
    yield "Rejected", "a label twice", made.statement(ED, protected=bytes([protected[0] + 1]) + protected[1:3] + protected[1:])
    yield "Rejected", "a protected header that is not a map", made.statement(ED, protected=made.dumps([1]))
    yield "Rejected", "an empty protected header", made.statement(ED, protected=b"")
    for end in range(1, len(right), 7):
        yield "Rejected", f"cut after {end} bytes", right[:end]


@claim
def what_the_policy_refuses_is_told_and_leaves_nothing():
    with facts() as here:
        count = 0
        for title, what, body in refused_statements():
            answer = here.send(body)
            if what == "an empty protected header":
                title = refusal(answer)  # either: it has no alg
            equal((what, refusal(answer)), (what, title))
            equal((what, 0 < len(made.loads(answer.body)[-2]) < 200), (what, True))
            count += 1
        equal((count > 60, here.size(), here.raws()), (True, 0, []))
        registered(here.send(made.statement(ED)))  # control
        largest = made.statement(ED, payload=b"x" * (65535 - len(made.statement(ED)) + 8 - 2))
        equal(len(largest), 65535)
        registered(here.send(largest))


@claim
def one_altered_byte_is_refused_wherever_it_is():
    with facts() as here:
        right = made.statement(ED)
        parts = made.loads(right).value
        unprotected_at = len(right) - len(made.dumps(parts[3])) - len(made.dumps(parts[2])) - 1
        for at in range(len(right)):
            if at != unprotected_at:
                answer = here.send(right[:at] + bytes([right[at] ^ 1]) + right[at + 1:])
                equal((at, answer.status), (at, 400))
        equal((here.size(), here.raws()), (0, []))
        registered(here.send(right))


@claim
def time_and_caller_are_on_record_in_the_default_log():
    with facts() as here:
        sent = made.statement(ED, unprotected={99: b"private remarks"})
        registered(here.send(sent))
        found = here.raws()
        leaf = made.dumps(made.Tag(18, [made.loads(sent).value[0], {}, *made.loads(sent).value[2:]]))
        equal([(raw["actor"], raw["source"], raw["target"], raw["verdict"], raw["dialect"], raw["document"]["sha256"], raw["document"]["kept"]) for raw in found],
              [(found[0]["actor"], ISSUER, ORIGIN, "recorded", "raw", hashlib.sha256(leaf).hexdigest(), True)])
        equal("ana" in found[0]["actor"], True)
        document = here.server.ask("GET", f"/v1/handoffs/{found[0]['seq']}/document", None, bearer(here.who["root"]))
        equal(document.body, leaf)


@claim
def nothing_is_registered_that_cannot_be_recorded_first():
    with facts() as here:
        registered(here.send(made.statement(ED)))
        with sqlite3.connect(here.folder / "s.db") as store:  # the default log refuses every entry
            store.execute("CREATE TRIGGER planted BEFORE INSERT ON ledger_entry BEGIN SELECT RAISE(ABORT, 'planted'); END")
        answer = here.send(made.statement(ED, subject="artifact 2"))
        equal((answer.status, answer.headers["content-type"], here.size()), (503, PROBLEM, 2))
        with sqlite3.connect(here.folder / "s.db") as store:
            store.execute("DROP TRIGGER planted")
        equal(registered(here.send(made.statement(ED, subject="artifact 2"))), 2)


@claim
def a_statement_that_was_recorded_and_not_registered_is_sent_again():
    with facts() as here:
        registered(here.send(made.statement(ED)))
        with sqlite3.connect(here.folder / here.path()) as store:
            store.execute("CREATE TRIGGER planted BEFORE INSERT ON ledger_entry BEGIN SELECT RAISE(ABORT, 'planted'); END")
        sent = made.statement(ED, subject="artifact 2")
        equal((here.send(sent).status, here.size(), len(here.raws())), (503, 2, 2))
        with sqlite3.connect(here.folder / here.path()) as store:
            store.execute("DROP TRIGGER planted")
        equal((registered(here.send(sent)), here.size(), len(here.raws())), (2, 3, 3))


def lists_of(here):
    """(seq, issuers) of the lists in the log, which must be validly signed by it."""
    found = []
    with sqlite3.connect(here.folder / here.path()) as store:
        rows = store.execute("SELECT seq, entry FROM ledger_entry ORDER BY seq").fetchall()
    for seq, entry in rows:
        protected, _, payload, signature = made.loads(entry).value
        claims = made.loads(protected)[made.CLAIMS]
        if claims[1] == ORIGIN:
            equal((claims[2], made.verify_ed25519(here.spki(), made.signed(protected, payload), signature)), (f"{ORIGIN}#issuers", True))
            listed = json.loads(payload)
            equal(listed["seq"], seq)
            found.append((seq, [(row["iss"], row["kid"], base64.b64decode(row["key"])) for row in listed["issuers"]]))
    return found


def as_listed(issuers):
    return sorted((name, key.kid.hex(), key.spki) for name, key in issuers)


@claim
def each_change_of_the_list_is_registered_before_it_counts():
    with facts() as here:
        new = made.Key()
        registered(here.send(made.statement(ED, subject="a")))
        equal(refusal(here.send(made.statement(new, subject="b"))), "Rejected")
        here.list_issuers([*LISTED, (ISSUER, new)])
        registered(here.send(made.statement(new, subject="b")))
        here.list_issuers([(ISSUER, new), *LISTED])  # another order changes nothing
        registered(here.send(made.statement(ED, subject="c")))
        here.list_issuers(LISTED)
        equal(refusal(here.send(made.statement(new, subject="d"))), "Rejected")
        registered(here.send(made.statement(ED, subject="d")))
        equal(lists_of(here), [(0, as_listed(LISTED)), (2, as_listed([*LISTED, (ISSUER, new)])), (5, as_listed(LISTED))])


@claim
def a_list_that_cannot_be_used_stops_the_server_and_keeps_the_old_one():
    ec384 = made.openssl("pkey", "-pubout", data=made.openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384")).decode()
    rsa = made.openssl("pkey", "-pubout", data=made.openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")).decode()
    weak = "-----BEGIN PUBLIC KEY-----\n" + base64.b64encode(bytes.fromhex("302a300506032b6570032100") + b"\1" + bytes(31)).decode() + "\n-----END PUBLIC KEY-----\n"
    wrong = {"a private key": ED.private.read_text(), "two keys": ED.pem + P256.pem, "P-384": ec384, "RSA": rsa, "a weak key": weak, "no PEM": "x", "nothing": ""}
    with facts() as here:
        for what, pem in wrong.items():
            configure(here.folder, [(ISSUER, pem)])
            equal((what, here.server.ask("POST", "/v1/admin/reload", None, bearer(here.who["root"])).status != 200), (what, True))
        configure(here.folder, [(ISSUER, ED), (ISSUER, ED)])
        equal(here.server.ask("POST", "/v1/admin/reload", None, bearer(here.who["root"])).status != 200, True)
        registered(here.send(made.statement(ED)))  # by the list before
        configure(here.folder, [(ISSUER, rsa)])
        shutil.copy(here.folder / "baton.yaml", here.folder / "wrong.yaml")
        result = run("serve", "--no-store", "--listen", "127.0.0.1:0", "--config", "wrong.yaml", cwd=here.folder)
        equal((result.returncode, b"Ed25519 or P-256" in result.stderr), (2, True))


@claim
def every_other_log_has_no_such_path():
    with facts() as here:
        sent = made.statement(ED)
        missing = here.get("/entries/99", "root", "").body
        for log in ("", "acme", "nowhere"):
            for headers in ({}, {"Content-Type": "text/plain"}):
                answer = here.send(sent, "root" if not log else "ana", log, headers)
                equal((log, answer.status, answer.headers["content-type"], answer.body), (log, 404, PROBLEM, missing))
            equal((log, here.get("/entries", "root" if not log else "ana", log).status), (log, 404))
        equal((here.size(""), here.size("acme")), (0, 0))


@claim
def a_log_of_statements_takes_and_shows_nothing_else():
    with facts() as here:
        registered(here.send(made.statement(ED)))
        document = json.loads(run("serve", "--print-openapi").stdout)
        admin = make_token(here.folder, "all", "check,submit,approve,operate,admin", "--log", "facts", "--log", "acme")
        here.list_issuers(LISTED)
        offered = {}
        for path, methods in document["paths"].items():
            for method, row in methods.items():
                if path.startswith(("/v1/pump", "/v1/wrap", "/v1/admin/logs", "/healthz", "/readyz", "/metrics", "/openapi", "/problems")) or row["operationId"] == "streamHandoffs":
                    continue
                where = path.replace("{seq}", "1").replace("{path}", "0/000.p/2").replace("{path...}", "0/000.p/2").replace("{", "").replace("}", "")
                where += {"proveConsistency": "?old=1", "proveInclusion": "?seq=1", "countTokens": ""}.get(row["operationId"], "")
                types = list(row.get("requestBody", {}).get("content", {"application/json": 0}))
                answer = here.server.ask(method.upper(), f"/logs/facts{where}", b"{}" if method != "get" else None, {"Content-Type": types[0], **bearer(admin)})
                offered[row["operationId"]] = answer.status
        found = {name for name, status in offered.items() if status != 404}
        about_the_log = {"getLedger", "tlogCheckpoint", "tlogTile", "proveConsistency", "addCosignatures", "ledgerKeys", "scittRegister", "scittReceipt", "scittKeys"}
        equal(about_the_log - found, set())
        recorded = {"submitHandoff", "listHandoffs", "getHandoff", "getReceipt", "listEntries", "getEntry", "proveInclusion", "auditLedger", "makeBundle", "redactDocument", "setHold", "listHolds",
                    "takeHandoffs", "listApprovals", "dispatch", "listTraces", "getStats", "storeContractInput", "listInboxes"}
        equal(recorded & found, set())
        equal((here.size(), offered["getLedger"], offered["tlogTile"]), (2, 200, 200))


@claim
def who_may_not_use_the_log_learns_nothing():
    with facts() as here:
        sent = made.statement(ED)
        seq = registered(here.send(sent))
        for method, path in (("POST", "/entries"), ("GET", f"/entries/{seq}"), ("GET", "/v1/ledger")):
            def ask(who, log="facts"):
                token = bearer(here.who[who]) if who in here.who else bearer("bt_" + "A" * 43) if who else {}
                return here.server.ask(method, f"/logs/{log}{path}", sent if method == "POST" else None, {**COSE, **token})
            bodies = [re.sub(rb'"instance":"[^"]*"', b"", answer.body) for answer in (ask("foreign"), ask("ana", "nowhere"))]
            equal((path, ask("foreign").status, bodies[0]), (path, 404, bodies[1]))
            equal((path, ask("root").status), (path, 404))  # a token without logs is good for the default one
            equal((path, ask(None).status, ask("wrong").status), (path, 401, 401))
        equal((here.send(sent, "eve").status, here.send(sent, "op").status), (403, 403))
        equal((here.get(f"/entries/{seq}", "eve").status, here.get(f"/entries/{seq}", "op").status), (403, 200))
        equal(here.size(), seq + 1)
        text = here.send(made.statement(ED, subject="x"), headers={"Content-Type": "text/plain"})
        equal((text.status, text.headers["content-type"]), (415, PROBLEM))
        registered(here.send(made.statement(ED, subject="x"), headers={"Content-Type": "application/scitt-statement+cose"}))


@claim
def every_kind_of_caller_gets_what_its_scopes_allow():
    """Each scope alone, callers that represent an agent, and those whose token is good no longer."""
    with facts() as here:
        seq = registered(here.send(made.statement(ED)))
        tokens = {scope: (scope,) for scope in ("check", "submit", "approve", "operate", "admin")}
        tokens.update({"bound": ("check,submit", "--agent", "tax-writer"), "pump": ("submit", "--pump-client", "c"), "any": ("submit", "--log", "*"),
                       "expired": ("submit", "--now", "2020-01-01T00:00:00Z", "--expires", "2021-01-01T00:00:00Z"), "revoked": ("submit",)})
        for name, (scopes, *flags) in tokens.items():
            here.who[name] = make_token(here.folder, name, scopes, *flags, *(() if "--log" in flags else ("--log", "facts")))
        expect(run("token", "revoke", "revoked", "--tokens", "tokens.json", cwd=here.folder), 0)
        here.who["wrong"] = "bt_" + "A" * 43
        here.list_issuers(LISTED)
        may = {name: (201, 200) for name in ("submit", "admin", "bound", "pump", "any")}
        may.update({"operate": (403, 200), "check": (403, 403), "approve": (403, 403), "foreign": (404, 404), "root": (404, 404)})
        may.update({name: (401, 401) for name in ("expired", "revoked", "wrong", None)})
        count = here.size()
        refused = set()
        for who, (status, shown) in may.items():
            answer = here.send(made.statement(ED, subject=f"from {who}"), who)
            equal((who, answer.status, here.get(f"/entries/{seq}", who).status), (who, status, shown))
            count += status == 201
            equal((who, here.size(), len(here.raws())), (who, count, count - 1))
            if status == 401:
                refused.add((answer.headers["content-type"], answer.body))
        equal(len(refused), 1)


@claim
def commands_verify_export_and_check_the_log():
    with facts() as here:
        sent = [made.statement(ED, subject=f"artifact {number}") for number in range(300)]
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            places = [registered(answer) for answer in threads.map(here.send, sent)]
        equal((sorted(places), here.size()), (list(range(1, 301)), 301))
        vkey = (here.folder / "logs/facts/ledger.vkey").read_text().strip()
        report = json.loads(here.command("ledger", "verify", "--vkey", vkey, "-f", "json").stdout)["documents"][0]
        equal((report["verdict"], report["facts"]["entries"], report["facts"]["entries_checked"], report["findings"]), ("accepted", "statements", 301, []))
        here.command("ledger", "export", "tree")
        tree = ("ledger", "verify", "--tree", "tree", "--vkey", vkey, "-f", "json")
        equal(json.loads(do(here.folder, *tree, "--statements").stdout)["documents"][0]["facts"]["entries_checked"], 301)
        codes = {finding["code"] for finding in json.loads(do(here.folder, *tree, code=1).stdout)["documents"][0]["findings"]}
        equal(codes, {"LEDGER_ENTRY_INVALID"})  # control: they are not entries
        bundle = (here.folder / "tree/tile/entries/000").read_bytes()
        equal((int.from_bytes(bundle[:2], "big"), bundle[2]), (len(bundle[2:2 + int.from_bytes(bundle[:2], "big")]), 0xD2))
        here.command("store", "check")
        here.command("store", "backup", "copy.db")
        equal(json.loads(here.command("store", "info", "-f", "json").stdout)["entries"], "statements")
        here.command("store", "migrate")
        here.command("ledger", "prove", "consistency", "7")
        here.command("ledger", "keys")
        for status in ("first", "same"):
            seen = here.command("ledger", "watch", "--vkey", vkey, "--memory", "seen", "--once", "-f", "json")
            equal(json.loads(seen.stdout)["documents"][0]["facts"]["status"], status)
        # one altered byte of one statement
        with sqlite3.connect(here.folder / here.path()) as store:
            triggers = store.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ledger_entry'").fetchall()
            for name, _ in triggers:
                store.execute(f"DROP TRIGGER {name}")
            entry = bytearray(store.execute("SELECT entry FROM ledger_entry WHERE seq = 7").fetchone()[0])
            entry[-1] ^= 1
            store.execute("UPDATE ledger_entry SET entry = ? WHERE seq = 7", (bytes(entry),))
            store.execute("UPDATE ledger_entry SET handoff_id = 'x' WHERE seq = 8")
            store.commit()
        codes = [finding["code"] for finding in json.loads(here.command("ledger", "verify", "--vkey", vkey, "-f", "json", code=1).stdout)["documents"][0]["findings"]]
        equal("LEDGER_LEAF_MISMATCH" in codes, True)
        codes = [finding["code"] for finding in json.loads(here.command("store", "check", "-f", "json", code=1).stdout)["documents"][0]["findings"]]
        equal("STORE_STATE_MISMATCH" in codes, True)


@claim
def commands_for_decisions_refuse_the_log():
    with facts() as here:
        registered(here.send(made.statement(ED)))
        (here.folder / "h.json").write_text("{}")
        words = [("ledger", "append", "--raw", "h.json"), ("ledger", "append", "h.json", "--as", "plan"), ("ledger", "show", "1"), ("ledger", "tail"), ("ledger", "audit"),
                 ("ledger", "beat"), ("ledger", "bundle", "-o", "b.json"), ("ledger", "redact", "1", "--reason", "r"), ("ledger", "hold", "list"), ("ledger", "rotate-key"),
                 ("ledger", "prove", "inclusion", "1"), ("ledger", "receipt", "1"), ("ledger", "receipt", "1", "--format", "dsse"), ("ledger", "certificate", "1"), ("ledger", "verify", "--statements"),
                 ("store", "migrate", "--entries", "2"), ("store", "migrate", "--entries", "statements"), ("store", "retain", "--accepted-days", "1"), ("replay",),
                 ("serve", "--listen", "127.0.0.1:0"), ("mcp",)]
        for command in words:
            result = run(*command, "--store", here.path(), cwd=here.folder)
            equal((command, result.returncode), (command, 2))
        equal(here.size(), 2)
        # control: the same on a log of decisions
        for command in (("ledger", "append", "--raw", "h.json"), ("ledger", "show", "0"), ("ledger", "receipt", "0"), ("ledger", "rotate-key")):
            here.command(*command, log="acme")
        for value in ("3", "statement"):
            equal(run("ledger", "init", "--origin", "x.example/y", "--entries", value, "--store", "new.db", cwd=here.folder).returncode, 2)


@claim
def a_receipt_is_verified_with_the_statement_alone():
    with facts() as here:
        sent = made.statement(ED, unprotected={99: b"added later"})
        answer = here.send(sent)
        vkey = (here.folder / "logs/facts/ledger.vkey").read_text().strip()
        files = {"r.cose": answer.body, "s.cose": sent, "bare.cose": made.statement(ED), "other.cose": made.statement(ED, payload=b"it is not so"), "cut.cose": sent[:-1],
                 "subject.cose": made.statement(ED, subject="artifact 2")}
        for name, data in files.items():
            (here.folder / name).write_bytes(data)

        def judge(receipt, entry, code):
            flags = ("--entry", entry) if entry else ()
            result = do(here.folder, "ledger", "verify-receipt", receipt, *flags, "--vkey", vkey, "-f", "json", code=code)
            return json.loads(result.stdout)["documents"][0]

        for name in ("s.cose", "bare.cose"):  # what is unprotected does not count
            report = judge("r.cose", name, 0)
            equal(report["facts"]["statement"], {"iss": ISSUER, "sub": "artifact 1", "alg": -8, "kid": ED.kid.hex()})
            equal((report["facts"]["form"], report["facts"]["ref"], report["facts"]["origin"], "entry" in report["facts"], report["findings"]), ("cose", f"{ORIGIN}#1", ORIGIN, False, []))
        for name, code in ((None, "RECEIPT_ENTRY_MISSING"), ("other.cose", "LEDGER_SIGNATURE_INVALID"), ("subject.cose", "RECEIPT_PROOF_INVALID"), ("cut.cose", "LEDGER_ENTRY_INVALID"),
                           ("r.cose", "LEDGER_ENTRY_INVALID")):
            report = judge("r.cose", name, 1)
            codes = [finding["code"] for finding in report["findings"]]
            equal((name, codes[0] in (code, "RECEIPT_PROOF_INVALID"), "statement" in report["facts"]), (name, True, False))
        for at in range(0, len(answer.body), 3):
            (here.folder / "x.cose").write_bytes(answer.body[:at] + bytes([answer.body[at] ^ 1]) + answer.body[at + 1:])
            result = run("ledger", "verify-receipt", "x.cose", "--entry", "s.cose", "--vkey", vkey, cwd=here.folder)
            equal((at, result.returncode), (at, 1))
        here.command("ledger", "receipt", "1", "--format", "cose", "-o", "again.cose", "--entry", "leaf.cose")
        equal((judge("again.cose", "leaf.cose", 0)["verdict"], (here.folder / "leaf.cose").read_bytes()), ("accepted", made.statement(ED)))


@claim
def the_receipt_of_a_decision_proves_no_statement_and_the_other_way_round():
    with facts() as here:
        registered(here.send(made.statement(ED)))
        (here.folder / "h.json").write_text("{}")
        here.command("ledger", "append", "--raw", "h.json", log="acme")
        here.command("ledger", "receipt", "0", "--format", "cose", "-o", "decision.cose", "--entry", "entry.json", log="acme")
        here.command("ledger", "receipt", "1", "--format", "cose", "-o", "statement.cose", "--entry", "leaf.cose")
        keys = [word for log in ("facts", "acme") for word in ("--vkey", (here.folder / f"logs/{log}/ledger.vkey").read_text().strip())]
        for receipt, entry, code in (("decision.cose", "entry.json", 0), ("statement.cose", "leaf.cose", 0), ("decision.cose", "leaf.cose", 1), ("statement.cose", "entry.json", 1)):
            equal((receipt, entry, run("ledger", "verify-receipt", receipt, "--entry", entry, *keys, cwd=here.folder).returncode), (receipt, entry, code))


@claim
def two_nodes_on_one_database_register_a_statement_once():
    if postgres_server.missing():
        return
    with postgres_server.hosting() as database, tempfile.TemporaryDirectory(prefix="baton-nodes-") as name:
        nodes = [pathlib.Path(name) / node for node in ("a", "b")]
        for node in nodes:
            node.mkdir()
            (node / "ed.pem").write_text(ED.pem)
            (node / "baton.yaml").write_text(f"limits: {{record_deadline_ms: 60000}}\nlogs: {{root: '{database.url}', keys: keys}}\nscitt: {{issuers: [{{iss: '{ISSUER}', key: ed.pem}}]}}\n")
            expect(run("ledger", "init", "--store", "s.db", "--origin", f"node.example/{node.name}", "--no-config", cwd=node), 0)
        expect(run("ledger", "log", "new", "facts", "--origin", ORIGIN, "--entries", "statements", "--config", "baton.yaml", "--deadline", "60000", cwd=nodes[0]), 0)
        shutil.copytree(nodes[0] / "keys", nodes[1] / "keys", ignore=shutil.ignore_patterns("*.head"))
        tokens = [bearer(make_token(node, "u", "submit,operate", "--log", "facts")) for node in nodes]
        servers = [Server(node, "--store", "s.db", "--tokens", "tokens.json", env={"BATON_STATE_DIR": str(node / "state")}) for node in nodes]
        try:
            sent = [made.statement(ED, subject=f"artifact {number}") for number in range(8)]

            def send(number):
                return servers[number % 2].ask("POST", "/logs/facts/entries", sent[number // 4], {**COSE, **tokens[number % 2]})
            with concurrent.futures.ThreadPoolExecutor(8) as threads:
                answers = list(threads.map(send, range(32)))
            places = {}
            for number, answer in enumerate(answers):
                places.setdefault(number // 4, set()).add((registered(answer), answer.body))
            equal([len(found) for found in places.values()], [1] * 8)
            equal([servers[node].ask("GET", "/logs/facts/v1/ledger", None, tokens[node]).json()["size"] for node in (0, 1)], [9, 9])
        finally:
            for server in servers:
                server.stop()
        report = do(nodes[0], "ledger", "verify", "--log", "facts", "--config", "baton.yaml", "--vkey", (nodes[0] / "keys/facts.vkey").read_text().strip(), "-f", "json")
        equal(json.loads(report.stdout)["documents"][0]["facts"]["entries_checked"], 9)
        report = do(nodes[0], "store", "check", "--log", "facts", "--config", "baton.yaml", "-f", "json", code=1)  # the tests are a superuser
        equal({finding["code"] for finding in json.loads(report.stdout)["documents"][0]["findings"]}, {"STORE_GRANT_EXCESS"})


finish()
