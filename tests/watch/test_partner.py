# SPDX-License-Identifier: Apache-2.0
"""test_partner.py BATON - a handoff between two companies: the sender's receipt comes with it, and each side holds both."""
import base64
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff, text_of  # noqa: E402
from parties import Party, Place, has_cosigned  # noqa: E402
from program import claim, equal, finish, until  # noqa: E402
from server import bearer, make_token  # noqa: E402

ENVELOPE = {"Content-Type": "application/vnd.baton.request+json"}
JSON = {"Content-Type": "application/json"}


def document(number):
    return text_of(handoff(context={"summary": f"Build fix number {number}."}))


class Trade(Place):
    """acme sends, bolt receives: acme's token at bolt is `acme-in`. A third company, corp, is a peer of bolt, too."""

    def __enter__(self):
        super().__enter__()
        self.corp = Party(self.top, "corp")
        self.bound = make_token(self.acme.folder, "bound", "submit", "--agent", "somebody-else")
        self.token = make_token(self.bolt.folder, "acme-in", "submit")
        self.acme.start()
        self.corp.start()
        self.bolt.start(self.acme.peer(tokens=["acme-in"]), self.corp.peer())
        return self

    def __exit__(self, *rest):
        self.corp.stop()
        super().__exit__(*rest)

    def send(self, text, receipts=None, token=None, **headers):
        body = {"documents": [{"text": text}]}
        if receipts is not None:
            body["receipts"] = receipts
        return self.bolt.server.ask("POST", "/v1/handoffs", json.dumps(body), headers={**bearer(token or self.token), **ENVELOPE, **headers})

    def entries(self):
        return [item["entry"] for item in self.bolt.ask("GET", "/v1/handoffs?order=asc&limit=500").json()["entries"]]


def recorded(party, text, token=None):
    """What a company's own log answers, whatever it decides."""
    return party.server.ask("POST", "/v1/handoffs", text, headers={**bearer(token or party.token), **JSON}).json()


def receipt_of(party, seq, form="json"):
    body = party.ask("GET", f"/v1/handoffs/{seq}/receipt?format={form}").body
    return json.loads(body) if form in ("json", "dsse") else base64.b64encode(body).decode()


def found(answer):
    return [(item["code"], item["pointer"]) for item in answer.json()["findings"]]


@claim
def both_sides_hold_both_receipts():
    with Trade() as trade:
        for number, form in ((1, "json"), (2, "cose")):
            text = document(number)
            own = recorded(trade.acme, text)
            seq = own["documents"][0]["record"]["seq"]
            before = len(trade.entries())
            answer = trade.send(text, [own["receipt"] if form == "json" else receipt_of(trade.acme, seq, form)])
            equal(answer.status, 201)
            made = trade.entries()[before:]
            equal([(entry["kind"], entry["verdict"]) for entry in made if entry["kind"] != "policy"], [("handoff", "accepted"), ("raw", "recorded")])
            parent, raw = made[-2], made[-1]
            equal((raw["source"], raw["refs"]["parent"], raw["actor"]), (trade.acme.origin, parent["seq"], parent["actor"]))
            kept = trade.bolt.ask("GET", f"/v1/handoffs/{raw['seq']}/document").body
            equal((kept.decode(), raw["document"]["kept"]), (json.dumps(own["receipt"], separators=(",", ":"), ensure_ascii=False), True))
            (trade.bolt.folder / "theirs.json").write_bytes(kept)
            (trade.bolt.folder / "ours.json").write_text(json.dumps(answer.json()["receipt"]))
            trade.bolt.run("ledger", "verify-receipt", "theirs.json", "ours.json", "--same-document", "--vkey", trade.acme.vkey, "--vkey", trade.bolt.vkey)
        equal(trade.bolt.evidence(trade.acme), [])
        trade.bolt.stop()
        trade.bolt.run("ledger", "verify", "--store", "s.db")


@claim
def a_repeated_request_records_its_receipts_once():
    with Trade() as trade:
        text = document(1)
        receipts = [recorded(trade.acme, text)["receipt"]] * 8
        first = trade.send(text, receipts, **{"Idempotency-Key": "k-1"})
        size = trade.bolt.size()
        again = trade.send(text, receipts, **{"Idempotency-Key": "k-1"})
        equal((first.status, again.status, again.json()["documents"], trade.bolt.size()), (201, 201, first.json()["documents"], size))
        equal(sum(entry["kind"] == "raw" for entry in trade.entries()), 8)


@claim
def a_token_of_a_peer_needs_the_receipt_of_that_peer():
    with Trade() as trade:
        text = document(1)
        own, third = recorded(trade.acme, text)["receipt"], recorded(trade.corp, text)["receipt"]
        for receipts in (None, [third]):
            size = trade.bolt.size()
            answer = trade.send(text, receipts)
            equal((answer.status, answer.json()["code"], found(answer)), (403, "PEER_RECEIPT_MISSING", [("PEER_RECEIPT_MISSING", "/receipts")]))
            equal(answer.json()["findings"][0]["params"], {"peer": "acme"})
            last = trade.entries()[-1]
            equal((last["seq"], last["verdict"], last["codes"], "handoff_id" in last), (answer.json()["record"]["seq"], "rejected", ["PEER_RECEIPT_MISSING"], False))
            equal(trade.bolt.size() > size, True)
        plain = trade.bolt.server.ask("POST", "/v1/handoffs", text, headers={**bearer(trade.token), **JSON})
        equal((plain.status, plain.json()["code"]), (403, "PEER_RECEIPT_MISSING"))
        tool = trade.bolt.server.ask("POST", "/v1/dispatch", "{}", headers={**bearer(trade.token), **JSON})
        equal((tool.status, tool.json()["code"]), (403, "PEER_RECEIPT_MISSING"))
        equal([entry["kind"] for entry in trade.entries() if entry["kind"] == "raw"], [])
        equal(trade.send(document(2), None, trade.bolt.token).status, 201)  # the negative controls: another caller, another log for it, both
        equal(trade.send(text, [third], trade.bolt.token).status, 201)
        equal(trade.send(text, [third, own]).status, 201)


@claim
def a_receipt_that_does_not_prove_the_acceptance_refuses_the_handoff():
    with Trade() as trade:
        text = document(1)
        good = recorded(trade.acme, text)
        other = recorded(trade.acme, document(2))["receipt"]
        refused = receipt_of(trade.acme, recorded(trade.acme, text, trade.bound)["record"]["seq"])
        (trade.acme.folder / "doc").write_text(text)
        trade.acme.run("ledger", "append", "--raw", "doc", "--store", "s.db")
        raw = receipt_of(trade.acme, trade.acme.size() - 1)
        stranger = recorded(trade.bolt, text)["receipt"]
        note = good["receipt"]["checkpoint"].split("\n")
        forged = {**good["receipt"], "checkpoint": "\n".join([*note[:2], base64.b64encode(bytes(32)).decode(), *note[3:]])}
        dsse = receipt_of(trade.acme, good["documents"][0]["record"]["seq"], "dsse")
        cases = (("another document", other, "RECEIPT_DOCUMENT_MISMATCH", "/receipts/0/entry/document"), ("a refusal", refused, "RECEIPT_VERDICT", "/receipts/0/entry/verdict"),
                 ("a recorded file", raw, "RECEIPT_VERDICT", "/receipts/0/entry/verdict"), ("a log that is not a peer's", stranger, "LEDGER_ORIGIN_MISMATCH", "/receipts/0/checkpoint"),
                 ("a changed checkpoint", forged, "LEDGER_SIGNATURE_INVALID", "/receipts/0/checkpoint"), ("an empty object", {}, "RECEIPT_SYNTAX", "/receipts/0"),
                 ("an envelope", dsse, "RECEIPT_SYNTAX", "/receipts/0"), ("not base64", "!", "RECEIPT_SYNTAX", "/receipts/0"),
                 ("text in base64", base64.b64encode(b"c2sp.org/tlog-proof@v1\n").decode(), "RECEIPT_SYNTAX", "/receipts/0"),
                 ("cut COSE", base64.b64encode(base64.b64decode(receipt_of(trade.acme, 0, "cose"))[:-1]).decode(), "RECEIPT_SYNTAX", "/receipts/0"))
        for token, more in ((trade.bolt.token, []), (trade.token, [("PEER_RECEIPT_MISSING", "/receipts")])):
            for name, receipt, code, pointer in cases:
                size = trade.bolt.size()
                answer = trade.send(text, [receipt], token)
                equal((name, answer.status, answer.json()["code"], sorted(found(answer))), (name, 403, code, sorted([(code, pointer), *more])))
                equal((name, trade.bolt.size(), answer.json()["record"]["verdict"]), (name, size + 1, "rejected"))
        answer = trade.send(text, [good["receipt"], other])
        equal((answer.status, found(answer)), (403, [("RECEIPT_DOCUMENT_MISMATCH", "/receipts/1/entry/document")]))
        equal(sum(entry["kind"] == "raw" for entry in trade.entries()), 0)
        equal(trade.send(text, [good["receipt"]]).status, 201)  # the negative control
        replayed = json.loads(trade.bolt.run("replay", "--store", "s.db", "-f", "json").stdout)["replay"]
        equal((replayed["changes"], replayed["unjudged"]), ([], {"stateful": replayed["candidates"] - replayed["judged"]}))
        equal(replayed["unjudged"]["stateful"], 2 * len(cases) + 1)  # what came with a handoff is not in it


@claim
def a_list_of_another_form_is_a_bad_request():
    with Trade() as trade:
        text = document(1)
        receipt = recorded(trade.acme, text)["receipt"]
        size = trade.bolt.size()
        for receipts in ([], [receipt] * 9, receipt, "x", [1], [receipt, None], [[receipt]]):
            answer = trade.send(text, receipts)
            equal((answer.status, answer.json()["code"], found(answer)), (400, "PARAMETER_INVALID", [("PARAMETER_INVALID", "/receipts")]))
        body = json.dumps({"documents": [{"text": text}], "receipts": [receipt]})
        checked = trade.bolt.server.ask("POST", "/v1/check", body, headers={**bearer(trade.bolt.token), **ENVELOPE})
        equal((checked.status, found(checked)), (400, [("PARAMETER_INVALID", "/receipts")]))
        equal(trade.bolt.size(), size)
        equal(trade.send(text, [receipt] * 8).status, 201)


@claim
def a_receipt_of_a_second_history_is_kept_as_evidence():
    with Place() as place:
        acme, bolt = place.acme, place.bolt
        acme.append("one\n")
        acme.save()
        acme.append("two\n")
        place.start()
        until(has_cosigned(acme, bolt, 2), "a cosignature")
        acme.stop()
        acme.restore("s.db", "s.db-*", "s.db.head", "state")
        (acme.folder / "doc.json").write_text(document(1))
        acme.run("ledger", "append", "doc.json", "--as", "universal", "--store", "s.db")
        receipt = json.loads(acme.run("ledger", "receipt", "1", "--store", "s.db", "--format", "json").stdout)
        body = json.dumps({"documents": [{"text": document(1)}], "receipts": [receipt]})
        equal((bolt.evidence(acme), bolt.ready().json()), ([], {"status": "ready"}))
        equal(bolt.ask("POST", "/v1/handoffs", body, **ENVELOPE).status, 201)
        equal([path.read_text() for path in bolt.evidence(acme)], [receipt["checkpoint"]])
        until(lambda: bolt.ready().json().get("peers") == "alarm", "the alarm")


sys.exit(finish())
