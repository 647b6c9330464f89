# SPDX-License-Identifier: Apache-2.0
"""test_proof.py BATON - receipts in every form, keys, audits and holds over HTTP: what the commands print, to whom it may be shown."""
import base64
import concurrent.futures
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff, text_of  # noqa: E402
from program import claim, equal, expect, finish, run  # noqa: E402
from server import bearer, serving  # noqa: E402

JSON = {"Content-Type": "application/json"}
PROBLEM = "application/concise-problem-details+cbor"
TOKENS = {"ana": "check,submit", "eve": "submit", "op": "operate", "root": "admin"}


def submit(server, number=1, **more):
    answer = server.ask("POST", "/v1/handoffs", text_of(handoff(context={"summary": f"Number {number}"}, **more)), {**bearer(server.tokens["ana"]), **JSON})
    equal(answer.status, 201)
    return answer.json()["record"]["seq"] if "record" in answer.json() else answer.json()["documents"][0]["record"]["seq"]


def get(server, path, who="ana", **headers):
    return server.ask("GET", path, None, {**(bearer(server.tokens[who]) if who else {}), **headers})


def said(server, *words):
    return expect(run("ledger", *words, "--store", "s.db", cwd=server.folder), 0).stdout


def concise(title, detail):
    """A map of two texts, as RFC 9290 has it."""
    def string(text):
        return (bytes([0x60 + len(text)]) if len(text) < 24 else bytes([0x78, len(text)])) + text.encode()
    return b"\xa2\x20" + string(title) + b"\x21" + string(detail)


@claim
def a_receipt_has_the_form_that_is_asked_for():
    with serving(tokens=TOKENS) as server:
        submit(server)
        seq = submit(server, 2)
        path = f"/v1/handoffs/{seq}/receipt"
        for form, media in (("text", "text/plain; charset=utf-8"), ("json", "application/json"), ("dsse", "application/vnd.dsse.envelope.v1+json"), ("cose", "application/cose")):
            answer = get(server, f"{path}?format={form}")
            equal((answer.status, answer.headers["content-type"]), (200, media))
            equal(answer.body.rstrip(b"\n"), said(server, "receipt", str(seq), "--format", form).rstrip(b"\n"))
        svr = get(server, f"{path}?format=dsse&predicate=svr")
        equal(svr.body, said(server, "receipt", str(seq), "--format", "dsse", "--predicate", "svr"))
        equal(b"svr/v0.2" in base64.b64decode(svr.json()["payload"]), True)
        cose = get(server, path, Accept="application/cose")
        equal((cose.headers["content-type"], cose.body), ("application/cose", said(server, "receipt", str(seq), "--format", "cose")))
        for accept, media in (("*/*", "text/plain; charset=utf-8"), ("application/json", "application/json"), ("application/cose;q=0.1, application/json", "application/json")):
            equal(get(server, path, Accept=accept).headers["content-type"], media)
        for query in ("format=xml", "predicate=svr", "format=cose&predicate=svr", "format=dsse&predicate=other"):
            equal((get(server, f"{path}?{query}").status, query), (400, query))
        equal(get(server, f"{path}?format=cose", who="eve").status, 404)


@claim
def an_entry_is_served_as_scitt_has_it_to_those_who_may_see_it():
    with serving(tokens=TOKENS) as server:
        submit(server)
        seq = submit(server, 2)
        answer = get(server, f"/entries/{seq}")
        equal((answer.status, answer.headers["content-type"]), (200, "application/cose"))
        equal(answer.body, said(server, "receipt", str(seq), "--format", "cose"))
        missing = get(server, "/entries/999")
        equal((missing.status, missing.headers["content-type"]), (404, PROBLEM))
        foreign = get(server, f"/entries/{seq}", who="eve")
        equal((foreign.status, foreign.body), (404, missing.body))
        equal(missing.body, concise("Not found", get(server, "/v1/handoffs/999").json()["detail"]))
        for method, path, who, status in (("GET", "/entries/x", "ana", 404), ("POST", "/entries", "root", 404), ("GET", f"/entries/{seq}", None, 401), ("GET", "/.well-known/scitt-keys/x", None, 404)):
            refused = server.ask(method, path, b"x" if method == "POST" else None, bearer(server.tokens[who]) if who else {})
            equal((path, refused.status, refused.headers["content-type"]), (path, status, PROBLEM))


@claim
def keys_are_public_in_every_form():
    with serving(tokens=TOKENS) as server:
        every = get(server, "/v1/ledger/keys")
        equal(every.body.rstrip(b"\n"), said(server, "keys", "-f", "json").rstrip(b"\n"))
        equal(get(server, "/v1/ledger/keys", who="eve").status, 403)
        keys = get(server, "/.well-known/scitt-keys", who=None)
        equal((keys.status, keys.headers["content-type"], keys.headers["cache-control"]), (200, "application/cbor", "max-age=300"))
        equal(keys.body, said(server, "keys", "--format", "cose"))
        kid = every.json()["keys"][0]["jwk"]["kid"]
        one = get(server, f"/.well-known/scitt-keys/{kid}", who=None)
        equal((one.status, one.body), (200, base64.b64decode(every.json()["keys"][0]["cose_key"])))


@claim
def a_receipt_that_was_fetched_verifies_under_its_media_type():
    with serving(tokens=TOKENS) as server:
        seq = submit(server)
        for form in ("text", "json", "cose"):
            shown = get(server, f"/v1/handoffs/{seq}/receipt?format={form}")
            media = shown.headers["content-type"].split(";")[0]
            answer = server.ask("POST", "/v1/ledger/verify-receipt", shown.body, {**bearer(server.tokens["ana"]), "Content-Type": media})
            equal((form, answer.status), (form, 200))
            equal((answer.json()["documents"][0]["verdict"], answer.json()["documents"][0]["facts"]["form"]), ("accepted", form))


@claim
def receipts_of_every_key_that_the_log_had_verify_without_a_vkey():
    with serving(tokens=TOKENS) as server:
        shown = [get(server, f"/v1/handoffs/{submit(server)}/receipt").body]
        for flags in ((), ("--end",)):
            said(server, "rotate-key", *flags)
            shown.append(get(server, f"/v1/handoffs/{submit(server, len(shown) + 1)}/receipt").body)
        for receipt in shown:
            answer = server.ask("POST", "/v1/ledger/verify-receipt", receipt, {**bearer(server.tokens["ana"]), "Content-Type": "text/plain"})
            document = answer.json()["documents"][0]
            equal((document["verdict"], [f["code"] for f in document["findings"]]), ("accepted", ["LEDGER_KEY_LOCAL"]))


@claim
def an_audit_over_http_is_that_of_the_command():
    with serving(tokens=TOKENS) as server:
        submit(server)
        shown = get(server, "/v1/ledger/audit", who="op")
        printed = json.loads(said(server, "audit", "-f", "json"))
        equal(shown.status, 200)
        equal(shown.json()["documents"][0]["facts"]["audit"], printed["documents"][0]["facts"]["audit"])
        for query, status in (("from=0&to=0", 200), ("from=x", 400), ("from=9", 400), ("max_silence=1", 400), ("max_open=7d", 200)):
            equal((query, get(server, f"/v1/ledger/audit?{query}", who="op").status), (query, status))
        equal(get(server, "/v1/ledger/audit").status, 403)


@claim
def holds_are_set_as_soon_as_the_log_is_switched_over():
    with serving(tokens=TOKENS) as server:
        def hold(number):
            return server.ask("POST", "/v1/ledger/holds", {"trace": f"t-{number}", "reason": "case 7"}, {**bearer(server.tokens["root"]), **JSON}).status
        with concurrent.futures.ThreadPoolExecutor(16) as threads:
            equal(set(threads.map(hold, range(64))), {400})  # each thread of the server has read the version
            expect(run("store", "migrate", "--entries", "2", "--store", "s.db", cwd=server.folder), 0)
            equal(set(threads.map(hold, range(64))), {200})


@claim
def a_hold_over_http_keeps_a_document_from_every_interface():
    with serving(tokens=TOKENS) as server:
        expect(run("store", "migrate", "--entries", "2", "--store", "s.db", cwd=server.folder), 0)
        trace = "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"
        seq = submit(server)
        admin = {**bearer(server.tokens["root"]), **JSON}
        for body in ({"reason": "r"}, {"trace": trace, "handoff": "x", "reason": "r"}, {"document": "sha256:1", "reason": "r"}, {"trace": trace, "reason": ""}):
            equal((body, server.ask("POST", "/v1/ledger/holds", body, admin).status), (body, 400))
        equal(server.ask("POST", "/v1/ledger/holds", {"document": "sha256:" + "0" * 64, "reason": "r"}, admin).status, 404)
        made = server.ask("POST", "/v1/ledger/holds", {"trace": trace, "reason": "case 7"}, admin)
        equal((made.status, made.json()["already"], made.json()["record"]["kind"]), (200, False, "hold"))
        again = server.ask("POST", "/v1/ledger/holds", {"trace": trace, "reason": "case 7"}, admin)
        equal((again.json()["already"], "record" in again.json()), (True, False))
        listed = get(server, "/v1/ledger/holds", who="op").json()["holds"]
        equal([(hold["by"], hold["value"], hold["reason"]) for hold in listed], [("trace", trace, "case 7")])
        redact = {"seq": seq, "reason": "r"}
        refused = server.ask("POST", "/v1/ledger/redact", redact, admin)
        equal((refused.status, refused.json()["code"]), (422, "RETENTION_HOLD"))
        for flags in ((), ("--early", "--actor", "ana")):
            result = run("ledger", "redact", str(seq), "--reason", "r", *flags, "--store", "s.db", cwd=server.folder)
            equal((flags, result.returncode, b"RETENTION_HOLD" in result.stdout), (flags, 1, True))
        kept = json.loads(expect(run("store", "retain", "--accepted-days", "1", "--now", "2099-01-01T00:00:00Z", "--store", "s.db", "-f", "json", cwd=server.folder), 0).stdout)
        equal(kept["held"], 1)
        freed = server.ask("POST", "/v1/ledger/holds/release", {"trace": trace, "reason": "closed"}, admin)
        equal((freed.status, freed.json()["holds"]), (200, []))
        equal(server.ask("POST", "/v1/ledger/redact", redact, admin).status, 200)


finish()
