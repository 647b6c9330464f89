# SPDX-License-Identifier: Apache-2.0
"""test_receipts.py BATON COMMAND... - receipts verified by a package of another language, and by the program.

COMMAND starts a driver that reads one JSON object a line and prints what it finds. It must agree with the chapter's known answers, with the
corpus that every binding must agree on, and with the program on receipts that were changed at random.
"""
import base64
import json
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff, text_of
from ledger_tools import NOW, VKEY, do, ledger
from program import ROOT, TIMEOUT_S, claim, equal, finish
from server import bearer, serving
from signing import Log

COMMAND = [word for word in sys.argv[2:] if word != "-sanitized"]
CORPUS = ROOT / "tests/conformance/parity.json"
CHANGES = int(os.environ.get("BATON_CHANGES", "200"))
WITNESS = "witness.example/w1+5a2fdcbd+BMcCZ45mw7b3ulOFSBMsuEFFtcJsHSjXo2l4ZaxQkYPc"
COSIGNATURE = ("\u2014 witness.example/w1 Wi/cvQAAAABpi9EOvoCufEiKMyk0U5crrj2o/ITTSfCscR9W2d9J7j8VIuChHCf6XZ6szCHbFZW14kp+ilpCEiT/SjVJOrlVcOfHCg==\n")


class Driver:
    def __init__(self):
        self.process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def verify(self, receipt, vkey, **more):
        command = {"receipt": encode(receipt), "vkey": vkey, **more}
        for name in ("document", "entry"):
            if more.get(name) is not None:
                command[name] = encode(more[name])
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def codes(self, receipt, vkey, **more):
        answer = self.verify(receipt, vkey, **more)
        return [f"{finding['code']}@{finding['severity']} {finding['pointer']}" for finding in answer["result"]["findings"]]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        equal(self.process.wait(TIMEOUT_S), 0)


def encode(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def said(report):
    return [f"{finding['code']}@{finding['severity']} {finding['pointer']}" for finding in report["documents"][0]["findings"]]


@claim
def the_known_answers_are_given():
    driver = Driver()
    with ledger() as folder:
        for name in ("hello", "world"):
            (folder / name).write_text(name + "\n")
            do(folder, "ledger", "append", "--raw", name, *NOW)
        for seq, name, leaf in ((0, "hello", "2e0ae25f60ecb81ece283b9312f5d1c77df9509ff17b45dd8f901604b1181a0e"),
                                (1, "world", "a640d79f94b80f433dddd9cef0fa89e1115da7e98f7baa225a457e7ec53a15b3")):
            text = do(folder, "ledger", "prove", "inclusion", str(seq)).stdout
            form = do(folder, "ledger", "prove", "inclusion", str(seq), "-f", "json").stdout
            for receipt, kind in ((text, "text"), (form, "json")):
                answer = driver.verify(receipt, [VKEY], document=name + "\n")
                equal((answer["accepted"], answer["result"]["findings"]), (True, []))
                found = answer["result"]
                equal((found["form"], found["leaf_hash"], found["root"], found["size"], found["origin"], found["document"], found["ref"]),
                      (kind, leaf, "a41f3d4b0d930bc8e42211826aee70b12f85638e97e9dc34f0c2b9368572e329", 2, "ledger.example/team", "matched",
                       f"ledger.example/team#{seq}"))
            equal(driver.codes(text, [VKEY], document="other\n"), ["RECEIPT_DOCUMENT_MISMATCH@HARD /entry/document"])
            equal(driver.codes(text, [VKEY], document=""), ["RECEIPT_DOCUMENT_MISMATCH@HARD /entry/document"])
            cosigned = text + COSIGNATURE.encode()
            equal(driver.verify(cosigned, [VKEY], witness_key=[WITNESS])["result"]["witnesses"], [{"name": "witness.example/w1", "time": 1770770702}])
            equal(driver.codes(cosigned, [VKEY], witness_key=[WITNESS], require_witness=2), ["LEDGER_WITNESS_MISSING@HARD /checkpoint"])
            equal(driver.codes(text, [VKEY], witness_key=[WITNESS]), ["LEDGER_WITNESS_MISSING@HARD /checkpoint"])
            changed = cosigned.replace(b"AABpi9EO", b"AABpi9EP")
            equal(driver.codes(changed, [VKEY], witness_key=[WITNESS]), ["LEDGER_SIGNATURE_INVALID@HARD /cosignature/witness.example~1w1"])
            equal(driver.codes(changed, [VKEY]), [])  # the key of that witness is not known
            bare = b"".join(line for line in text.splitlines(True) if not line.startswith(b"extra "))
            equal(driver.codes(bare, [VKEY]), ["RECEIPT_ENTRY_MISSING@HARD "])
            entry = base64.b64decode(json.loads(form)["entry"])
            equal(driver.codes(bare, [VKEY], entry=entry), [])
    driver.close()


@claim
def the_receipts_of_the_corpus_get_their_codes():
    driver = Driver()
    count = 0
    for case in json.loads(CORPUS.read_text())["cases"]:
        request = case["request"]
        if case["operation"] != "verifyReceipt":
            continue
        receipt = request["receipt"] if isinstance(request["receipt"], str) else json.dumps(request["receipt"])
        more = {name: request[name] for name in ("document", "any_verdict", "witness_key", "require_witness") if name in request}
        answer = driver.verify(receipt, request.get("vkey", []), **more)
        count += 1
        if case["expect"]["status"] != 200:
            equal((case["id"], "error" in answer), (case["id"], True))
            continue
        found = [f"{finding['code']}@{finding['severity']} {finding['pointer']}" for finding in answer["result"]["findings"]]
        fits = len(found) == len(case["expect"]["codes"]) and all(mine.startswith(wanted) for mine, wanted in zip(found, case["expect"]["codes"]))
        equal((case["id"], fits, answer["accepted"]), (case["id"], True, case["expect"]["verdicts"] == ["accepted"]))
    equal(count >= 8, True)
    driver.close()


@claim
def keys_that_cannot_be_used_are_refused():
    driver = Driver()
    name, number, encoded = VKEY.split("+")
    weak = base64.b64encode(b"\x01" + bytes(32)).decode()
    for vkey in ("", "x", VKEY[:-4], f"{name}+00000000+{encoded}", WITNESS, VKEY.replace("team", "te am"), f"a//b+{number}+{encoded}", f"{name}+{number}+{weak}", VKEY + "\n"):
        equal((vkey, "error" in driver.verify("x", [vkey])), (vkey, True))
    equal("error" in driver.verify("x", []), True)
    equal("error" in driver.verify("x", [VKEY], witness_key=[VKEY]), True)
    driver.close()


def changed(text, dice):
    """A receipt with something changed: bytes, lines, or the text around it."""
    made = bytearray(text)
    for _ in range(dice.choice((1, 1, 1, 2))):
        at = dice.randrange(len(made))
        act = dice.randrange(7)
        if act == 0:
            made[at] = dice.choice(b"\n +=/0129aAzZ{}[]\",:\\\x00\x7f\xc2\xe2\xff")
        elif act == 1:
            del made[at]
        elif act == 2:
            made.insert(at, dice.choice(b"\n 0aZ\"{,\\"))
        elif act == 3:
            lines = bytes(made).split(b"\n")
            place = dice.randrange(len(lines))
            lines[place:place + 1] = dice.choice(([], [lines[place]] * 2, [b""], [lines[dice.randrange(len(lines))]], [lines[place] + b" "]))
            made = bytearray(b"\n".join(lines))
        elif act == 4:
            made[at] ^= 1 << dice.randrange(8)
        elif act == 5:
            made += dice.choice((b"\n", b"x", made[at:]))
        else:
            made = made[:max(1, at)]
        if not made:
            made = bytearray(b"x")
    return bytes(made)


@claim
def changed_receipts_get_the_codes_that_the_program_gives():
    driver = Driver()
    dice = random.Random(20260211)
    seen = set()
    with serving(tokens={"agent": "check,submit,operate"}) as server:
        who = bearer(server.tokens["agent"])
        for text in (text_of(handoff()), '{"handoff":{}}', text_of(handoff()), text_of(handoff())):
            server.ask("POST", "/v1/handoffs", text, {**who, "Content-Type": "application/json"})
        vkey = server.ask("GET", "/v1/ledger", headers=who).json()["vkey"]
        receipts = []
        for seq in range(4):
            for form in ("text/plain", "application/json"):
                receipts.append(server.ask("GET", f"/v1/handoffs/{seq}/receipt", headers={**who, "Accept": form}).body)
        for number in range(CHANGES):
            receipt = receipts[number % len(receipts)]
            if number >= len(receipts):
                receipt = changed(receipt, dice)
            answer = server.ask("POST", "/v1/ledger/verify-receipt", receipt, {**who, "Content-Type": "application/octet-stream"})
            if answer.status != 200:
                raise AssertionError(f"{answer.status} {answer.body} for {receipt!r}")
            wanted = [code for code in said(answer.json()) if not code.startswith("LEDGER_KEY_LOCAL@")]
            found = driver.codes(receipt, [vkey])
            seen.update(code.split("@")[0] for code in wanted)
            if found != wanted:
                raise AssertionError(f"{found} instead of {wanted} for {receipt!r}")
    print(f"# {CHANGES} receipts, {len(seen)} codes: {' '.join(sorted(seen))}")
    equal(len(seen) >= 8, True)
    driver.close()


HASH = "a" * 64
RAW = {"actor": "cli", "codes": [], "dialect": "raw", "document": {"kept": True, "sha256": HASH, "size": 6}, "kind": "raw", "seq": 1,
       "time": "2026-02-11T00:45:02.000Z", "v": 1, "verdict": "recorded"}
GOVERNED = {**RAW, "dialect": "governed", "kind": "handoff", "verdict": "accepted"}
REFUSED = {**GOVERNED, "codes": ["A_B", "C_D"], "verdict": "rejected"}
APPROVAL = {**{name: value for name, value in RAW.items() if name != "document"}, "dialect": "baton", "kind": "approval",
            "refs": {"approval": "P-1", "event": "SHOWN", "fingerprint": HASH}}
ATTEST = {"boundaries_respected": True, "composition_valid": True, "source_agent_verified": False, "target_agent_verified": True}
GONE = object()


def entry(base=RAW, **changes):
    made = {**base, **changes}
    return canonical({name: value for name, value in made.items() if value is not GONE})


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


JUDGE = {"rules": HASH, "version": "0.1.0"}
SECOND = {**RAW, "v": 2, "n": {"actor": 9}}
HANDOFF = {**SECOND, "kind": "handoff", "dialect": "universal", "verdict": "accepted", "judge": JUDGE}
BEAT = {**APPROVAL, "v": 2, "n": {"actor": 9}, "kind": "heartbeat", "refs": {"event": "beat", "message": "r"}}
HOLD = {**BEAT, "kind": "hold", "refs": {"event": "set", "reason": "r"}, "handoff_id": "h"}

# What keeps or breaks each rule. The program is the judge of which; the list only has to be long.
ENTRIES = [
    entry(), entry(GOVERNED), entry(REFUSED), entry(APPROVAL), entry(GOVERNED, attest=ATTEST), entry(RAW, attest=ATTEST), entry(GOVERNED, attest={**ATTEST, "x": 1}),
    json.dumps(RAW).encode(), b" " + entry(), entry() + b"\n", b"", b"{}", b"[]", b"1", b"x", b"\xff", b'{"v":1,"v":1}', b'{"b":1,"a":2}', b'{"a":1.0}', b'{"a":"\\u0041"}',
    b'{"a":"\\ud800"}', b'{"a":1e21,"v":2}', b'{"a":1e+21,"v":2}', b'{"a":0.000001,"v":2}', b'{"a":1e-7,"v":2}', b'{"a":-0,"v":2}', b'{"a":9007199254740993,"v":2}',
    b'{"a":123456789012345680000,"v":3}', b'{"a":"\\b\\f\\n\\u001f/","v":2}', b'{"v":1.5}', b'{"v":-2}', b'{"v":2}', b'{"v":"2"}', b'{"v":100000000000000000000}',
    b'{"v":1e+300}', '{"\u20ac":1,"\U0001f600":2,"\ufb33":3,"v":2}'.encode(), '{"v":2,"\U0001f600":2,"\ufb33":3}'.encode(), b'{"a":' + b"[" * 130 + b"]" * 130 + b',"v":2}',
    entry(v=2), entry(v=0), entry(v=True), entry(v=GONE), entry(seq=0), entry(seq=2), entry(seq=-1), entry(seq=2**53), entry(seq="1"), entry(extra=1), entry(actor=""),
    entry(actor="a" * 200), entry(actor="a" * 201), entry(actor="-a"), entry(actor="a b"), entry(actor="a\n"), entry(actor="serve/x@y+z:1"), entry(actor=5), entry(actor=GONE),
    entry(kind="other"), entry(dialect="other"), entry(verdict="other"), entry(kind="handoff"), entry(verdict="accepted"), entry(dialect="universal"), entry(document=GONE),
    entry(verdict="rejected"), entry(verdict="rejected", codes=["RECORD_TOO_LARGE"]), entry(codes=["A_B"]), entry(REFUSED, codes=["C_D", "A_B"]), entry(REFUSED, codes=["A_B", "A_B"]),
    entry(REFUSED, codes=["a"]), entry(REFUSED, codes=["A"]), entry(REFUSED, codes=["A" * 64]), entry(REFUSED, codes=["A" * 65]), entry(REFUSED, codes=[f"A{n:03}" for n in range(100)]),
    entry(REFUSED, codes=[f"A{n:03}" for n in range(101)]), entry(REFUSED, codes=[1]), entry(REFUSED, codes="A_B"), entry(REFUSED, withheld=["codes"]), entry(withheld=[]),
    entry(withheld=["source", "codes"]), entry(withheld=["codes", "source"]), entry(withheld=["source"], source="x"), entry(withheld=["target"], source="x"), entry(withheld=["actor"]),
    entry(time="2026-02-30T00:00:00.000Z"), entry(time="2024-02-29T23:59:59.999Z"), entry(time="2026-02-11T24:00:00.000Z"), entry(time="2026-02-11T23:59:60.000Z"),
    entry(time="1969-12-31T23:59:59.000Z"), entry(time="1970-01-01T00:00:00.000Z"), entry(time="2026-02-11T00:45:02Z"), entry(time="2026-02-11t00:45:02.000Z"),
    entry(time="0000-01-01T00:00:00.000Z"), entry(time="9999-12-31T23:59:59.999Z"), entry(handoff_id="X:1"), entry(handoff_id="\u00e9"), entry(trace_id="t" * 200, target="b"),
    entry(document={"kept": True, "sha256": HASH, "size": 6, "truncated": True}), entry(document={"kept": True, "sha256": HASH, "size": 6, "truncated": False}),
    entry(document={"kept": 1, "sha256": HASH, "size": 6}), entry(document={"kept": True, "sha256": HASH.upper(), "size": 6}), entry(document={"kept": True, "sha256": HASH}),
    entry(document={"kept": True, "sha256": HASH, "size": 6.5}), entry(document=[]), entry(refs={}), entry(refs={"parent": 0}), entry(refs={"parent": 1}), entry(refs={"parent": 2}),
    entry(refs={"reason": "a b, c"}), entry(refs={"reason": "a;b"}), entry(refs={"policy": HASH}), entry(refs={"policy": "x"}), entry(refs={"pinned": "2026-02-11T00:45:02.000Z"}),
    entry(refs={"pinned": "2026-02-31T00:45:02.000Z"}), entry(refs={"pinned": "x"}), entry(refs={"other": "x"}), entry(APPROVAL, refs={"approval": "P-1", "event": "SHOWN"}),
    entry(APPROVAL, verdict="accepted"), entry(APPROVAL, dialect="raw"), entry(APPROVAL, document=RAW["document"]), entry(APPROVAL, kind="block", refs={"agent": "a", "reason": "b"}),
    entry(APPROVAL, kind="unblock", refs={"agent": "a"}), entry(APPROVAL, kind="context", refs={"context": "a", "after": HASH}), entry(APPROVAL, kind="delivery", refs={"message": "h0", "event": "dead"}),
    entry(APPROVAL, kind="redaction", refs={"reason": "x"}), entry(APPROVAL, kind="redaction", refs={"reason": "x"}, document=RAW["document"]), entry(APPROVAL, kind="key", refs={"old_key": "a", "new_key": "b"}),
    entry(APPROVAL, kind="key", refs={"old_key": "a"}), entry(APPROVAL, kind="delivery"), entry(refs={"reason": "x" * 201}),
    # version 2
    entry(SECOND), entry(SECOND, v=3), entry(SECOND, n={}), entry(SECOND, n={"actor": 0}), entry(SECOND, n={"actor": 2**53}), entry(SECOND, n={"actor": 1, "x": 1}), entry(RAW, n={"actor": 1}),
    entry(SECOND, n={"actor": 9, "client": 4}), entry(SECOND, n={"actor": 9, "source": 1}), entry(SECOND, source="a"), entry(SECOND, source="a", n={"actor": 9, "source": 1}),
    entry(SECOND, trace_id="a"), entry(SECOND, trace_id="a", n={"actor": 9, "trace": 1}), entry(SECOND, n={"actor": 9, "trace": 1}), entry(SECOND, withheld=["source"]),
    entry(SECOND, judge=JUDGE), entry(SECOND, judge={"rules": HASH}), entry(HANDOFF), entry(HANDOFF, judge=GONE), entry(HANDOFF, judge={**JUDGE, "version": ""}), entry(HANDOFF, v=1, n=GONE),
    entry(HANDOFF, deliver=["h1"]), entry(HANDOFF, deliver=["h1", "w1"]), entry(HANDOFF, deliver=["w1", "h1"]), entry(HANDOFF, deliver=["h1", "h1"]), entry(HANDOFF, deliver=["h01"]),
    entry(HANDOFF, deliver=["h2"]), entry(HANDOFF, deliver=[]), entry(HANDOFF, deliver=["x1"]), entry(HANDOFF, deliver=["h"]), entry(HANDOFF, deliver=["h1", "w1", "w2"]),
    entry(HANDOFF, deliver=["h" + "1" * 17]), entry(SECOND, deliver=["h1"]), entry(HANDOFF, verdict="rejected", codes=["A_B"], deliver=["h1"]), entry(HANDOFF, deliver="h1"),
    entry(BEAT), entry(BEAT, v=1, n=GONE), entry(BEAT, refs={"event": "start"}), entry(BEAT, refs={"event": "other", "message": "r"}), entry(BEAT, verdict="accepted"), entry(BEAT, dialect="raw"),
    entry(BEAT, kind="policy", refs={"after": HASH}, document=RAW["document"]), entry(BEAT, kind="policy", refs={"after": HASH}), entry(BEAT, kind="policy", refs={"after": "0" * 64}, document=RAW["document"]),
    entry(BEAT, kind="policy", refs={"after": HASH}, document={**RAW["document"], "kept": False}), entry(BEAT, kind="policy", document=RAW["document"], refs=GONE),
    entry(HOLD), entry(HOLD, handoff_id=GONE), entry(HOLD, document=RAW["document"]), entry(HOLD, refs={"event": "set"}), entry(HOLD, refs={"event": "kept", "reason": "r"}),
    entry(HOLD, refs={"event": "released", "reason": "r"}), entry(HOLD, handoff_id=GONE, trace_id="t", n={"actor": 1, "trace": 1}), entry(HOLD, handoff_id=GONE, document=RAW["document"]),
]


def with_rules(findings):
    return [f"{finding['code']}@{finding['severity']} {finding['pointer']} {(finding.get('params') or {}).get('rule', '')}" for finding in findings]


@claim
def every_rule_about_entries_is_kept_as_the_program_keeps_it():
    driver, log = Driver(), Log()
    rules = set()
    with serving(store=False) as server:
        for text in ENTRIES:
            receipt = log.receipt(text)
            body = {"receipt": receipt.decode(), "vkey": [log.vkey]}
            answer = server.ask("POST", "/v1/ledger/verify-receipt", body, {"Content-Type": "application/json"}).json()["documents"][0]
            wanted = with_rules(answer["findings"])
            equal((text[:300], with_rules(driver.verify(receipt, [log.vkey])["result"]["findings"])), (text[:300], wanted))
            rules.update(wanted)
            without = [code for code in wanted if not code.startswith("RECEIPT_VERDICT@")]
            equal(with_rules(driver.verify(receipt, [log.vkey], any_verdict=True)["result"]["findings"]), without)
    print(f"# {len(ENTRIES)} entries, {len(rules)} kinds of findings")
    for rule in (*(f"LEDGER_ENTRY_INVALID@HARD /entry E{n}" for n in range(12)), "LEDGER_ENTRY_VERSION@WARN /entry ", "LEDGER_SEQ_MISMATCH@HARD /entry ",
                 "RECEIPT_VERDICT@HARD /entry/verdict "):
        equal((rule, rule in rules), (rule, True))
    driver.close()


sys.exit(finish())
