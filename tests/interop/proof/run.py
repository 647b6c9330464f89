# SPDX-License-Identifier: Apache-2.0
"""run.py BATON NODE_MODULES PYCOSE GO_JUDGE - receipts and statements of a ledger judged by verifiers of others: COSE receipts at every interesting size
by @transmute/cose with @auth0/cose, by Debian's cbor2 and cryptography, by pycose and by go-cose, and so are receipts of a log of statements; in-toto statements by @sigstore/core. PYCOSE is a
Python with pycose, GO_JUDGE the built judge.go. Each accepts what Baton made, and refuses it with one bit of the entry, the path, the signed headers or
the signature changed. No other encoding is accepted by Baton. Needs Debian's python3-cbor2 and python3-cryptography."""
import base64
import json
import pathlib
import subprocess
import sys
import tempfile

import cbor2

import judge_debian
import make
import registered

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
SIZES = (1, 2, 255, 256, 257, 70000)
TIMEOUT_S = 900
BATON, MODULES, PYCOSE, GO = sys.argv[1:5]
BATON = str(pathlib.Path(BATON).resolve())
# The name of each verifier, how it is run, and what it judges besides receipts.
JUDGES = {
    "npm": ["node", HERE / "judge_npm.mjs", MODULES],
    "Debian": [sys.executable, "-B", HERE / "judge_debian.py"],
    "pycose": [PYCOSE, "-B", HERE / "judge_pycose.py"],
    "Go": [GO],
}
failed = []


def expect(what, held, why=""):
    print(f"{'ok' if held else 'not ok'} - {what}{'' if held else f': {why}'}", flush=True)
    if not held:
        failed.append(what)


def ask(name, cases):
    """The versions of a verifier, and whether it accepted each case."""
    given = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run(list(map(str, JUDGES[name])), input=given, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)
    versions, *answers = done.stdout.splitlines() or [""]
    if done.returncode != 0 or len(answers) != len(cases):
        raise AssertionError(f"{name}: exit {done.returncode}, {len(answers)} answers to {len(cases)} cases: {done.stderr[-2000:]}")
    return versions, answers


# ---- COSE ----

def collect(ledger):
    """Receipts of the first, the middle and the last entry at every size."""
    made = []
    for size in SIZES:
        ledger.grow(size)
        made += [(size, *ledger.receipt(seq)) for seq in sorted({0, size // 2, size - 1})]
    return made


def judge_receipts(ledger, made):
    parts, altered = [], []
    for _, receipt, entry in made:
        for part, other, its_entry in make.alterations(receipt, entry):
            parts.append(part)
            altered.append(ledger.case(other, its_entry))
    honest = [ledger.case(receipt, entry) for _, receipt, entry in made]
    unsigned = [ledger.case(ledger.sign(receipt, signed=b""), entry) for _, receipt, entry in made]
    again = [ledger.case(ledger.sign(receipt, signed=judge_debian.root_of(entry, *judge_debian.split(receipt)[1])), entry) for _, receipt, entry in made]
    table = [("verifier", "receipts", "accepted", "altered", "refused", "versions")]
    for name in JUDGES:
        versions, answers = ask(name, honest + altered + unsigned + again)
        ends = [0]
        for group in (honest, altered, unsigned, again):
            ends.append(ends[-1] + len(group))
        good, bad, empty, signed = (answers[a:b] for a, b in zip(ends, ends[1:]))
        sizes = {size for (size, *_), said in zip(made, good) if said == "accepted"}
        expect(f"{name} accepts every receipt at sizes {', '.join(map(str, SIZES))}", sizes == set(SIZES) and set(good) == {"accepted"}, good)
        for part in sorted(set(parts)):
            said = [one for kind, one in zip(parts, bad) if kind == part]
            expect(f"{name} refuses each of {len(said)} with one bit of the {part} changed", "accepted" not in said, f"{said.count('accepted')} accepted")
        expect(f"control: {name} refuses each when the root is left out of what is signed", "accepted" not in empty, empty)
        expect(f"control: {name} accepts each when it is signed again with the root", set(signed) == {"accepted"}, signed)
        table.append((name, len(good), good.count("accepted"), len(bad), len(bad) - bad.count("accepted"), versions))
    return table


def judge_encodings(ledger, made):
    """Baton accepts one encoding. A reader without that comparison accepts all, so nothing else is wrong with them."""
    others = [(other, entry) for _, receipt, entry in made[-4:] for other in make.encodings(ledger, receipt, entry)]
    codes = [code for at in range(0, len(others), 200) for code in ledger.codes([other for other, _ in others[at:at + 200]])]
    wrong = [code for code in codes if code != ["RECEIPT_SYNTAX"]]
    expect(f"each of {len(others)} other encodings is RECEIPT_SYNTAX", len(others) > 500 and not wrong, wrong[:5])
    _, answers = ask("Debian", [ledger.case(other, entry) for other, entry in others])
    expect("control: a reader that does not compare encodings accepts each of them", set(answers) == {"accepted"}, [one for one in answers if one != "accepted"][:5])
    expect("control: the receipts as they were made are accepted", ledger.codes([receipt for _, receipt, _ in made]) == [[]] * len(made))
    return len(others)


# ---- in-toto ----

def envelope_with(ledger, envelope, payload):
    """The envelope with another payload, signed by the key of the log."""
    found = json.loads(envelope)
    kind = found["payloadType"].encode()
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    found["payload"] = make.text(payload)
    found["signatures"][0]["sig"] = make.text(ledger.key.sign(signed))
    return json.dumps(found).encode()


def judge_statements(ledger):
    (ledger.folder / "good.json").write_bytes((ROOT / "examples/universal/planner-to-builder.handoff.json").read_bytes())
    seq = ledger.size
    ledger.run("ledger", "append", "--no-refs", "good.json")
    for predicate, old, new in (("receipt", b'"verdict":"accepted"', b'"verdict":"rejected"'), ("svr", b"BATON_DIALECT_UNIVERSAL", b"BATON_DIALECT_GOVERNED")):
        envelope = ledger.run("ledger", "receipt", str(seq), "--format", "dsse", "--predicate", predicate)
        payload = base64.b64decode(json.loads(envelope)["payload"])
        if old not in payload:
            old, new = b'"_type"', b'"_typo"'
        changed = {**json.loads(envelope), "payload": make.text(payload.replace(old, new))}
        cases = [{"envelope": one, "public": make.text(ledger.public)} for one in (envelope.decode(), json.dumps(changed))]
        _, (good, bad) = ask("npm", cases)
        expect(f"@sigstore/core accepts the statement {predicate}", good == "accepted", good)
        expect(f"control: @sigstore/core refuses the statement {predicate} with one property changed", bad != "accepted", bad)
        same, other = ledger.codes([envelope, envelope_with(ledger, envelope, payload.replace(old, new))])
        expect(f"Baton accepts the statement {predicate}, and not one that the log signed with another property", same == [] and other != [], (same, other))


# ---- Statements of others ----

def judge_registered(facts):
    """Receipts of a log of statements, with the statement as the entry."""
    algs = (registered.EDDSA, registered.ED25519, registered.ES256)
    made = [facts.register(algs[number % 3], f"artifact {number}", b"statement %d" % number) for number in range(30)]
    for seq, alg in ((1, "EdDSA"), (2, "Ed25519"), (3, "ES256")):
        expect(f"Baton accepts the receipt of a statement signed with {alg}", facts.accepts(*reversed(made[seq - 1])))
    expect("control: Baton refuses a receipt with another statement", not facts.accepts(made[0][1], made[1][0]))
    altered = [(part, other, its_statement) for statement, receipt in (made[6], made[29]) for part, other, its_statement in make.alterations(receipt, statement)]
    cases = [facts.case(receipt, statement) for statement, receipt in made] + [facts.case(other, statement) for _, other, statement in altered]
    for name in JUDGES:
        _, answers = ask(name, cases)
        good, bad = answers[:len(made)], answers[len(made):]
        expect(f"{name} accepts the receipts of {len(made)} statements", set(good) == {"accepted"}, good)
        expect(f"{name} refuses each of {len(bad)} with one bit of the statement, the path, the signed headers or the signature changed", "accepted" not in bad)


def print_table(table):
    widths = [max(len(str(row[column])) for row in table) for column in range(len(table[0]))]
    for row in table:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())


with tempfile.TemporaryDirectory(prefix="baton-proof-") as place:
    log = make.Ledger(BATON, place)
    receipts = collect(log)
    rows = judge_receipts(log, receipts)
    count = judge_encodings(log, receipts)
    judge_statements(log)
with tempfile.TemporaryDirectory(prefix="baton-proof-") as place:
    statements = registered.Log(BATON, place)
    try:
        judge_registered(statements)
    finally:
        expect("the server ends well", statements.stop() == 0)
print_table(rows)
print(f"{count} other encodings refused, {len(failed)} failed")
sys.exit(1 if failed else 0)
