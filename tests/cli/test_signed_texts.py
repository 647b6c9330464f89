# SPDX-License-Identifier: Apache-2.0
"""test_signed_texts.py BATON - a signature of the log over one kind of text is worth nothing on another, and a receipt is worth nothing with another log's key."""
import base64
import json
import sys

from handoffs import GOOD, text_of
from ledger_tools import FOREIGN_VKEY, NOW, OTHER_VKEY, VKEY, do, ledger, told
from program import claim, equal, finish, run

FORMS = ("text", "json", "dsse", "cose")
DASH = "\u2014 ".encode()


def receipts(folder):
    """A receipt of entry 0 in each form."""
    (folder / "h.json").write_text(text_of(GOOD))
    do(folder, "ledger", "append", "h.json", "--as", "universal", *NOW)
    (folder / "r.txt").write_text("raw\n")
    do(folder, "ledger", "append", "--raw", "r.txt", *NOW)
    made = {}
    for form in FORMS:
        do(folder, "ledger", "receipt", "0", "--format", form, "-o", f"receipt.{form}")
        made[form] = (folder / f"receipt.{form}").read_bytes()
    return made


def note_line(note):
    """The part of a note that is key id and signature, in base64."""
    return note.split(DASH)[1].split(b"\n")[0].split(b" ")[1]


def signature_of(form, receipt):
    if form == "cose":
        return receipt[-64:]
    if form == "dsse":
        return base64.b64decode(json.loads(receipt)["signatures"][0]["sig"])
    note = json.loads(receipt)["checkpoint"].encode() if form == "json" else receipt
    return base64.b64decode(note_line(note))[4:]


def with_signature(form, receipt, signature):
    """The receipt with another signature in the same place."""
    if form == "cose":
        return receipt[:-64] + signature
    if form == "dsse":
        envelope = json.loads(receipt)
        envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode()
        return json.dumps(envelope).encode()
    note = json.loads(receipt)["checkpoint"].encode() if form == "json" else receipt
    line = note_line(note)
    other = note.replace(line, base64.b64encode(base64.b64decode(line)[:4] + signature))
    return json.dumps({**json.loads(receipt), "checkpoint": other.decode()}).encode() if form == "json" else other


def verified(folder, content, *keys):
    (folder / "offered").write_bytes(content)
    result = run("ledger", "verify-receipt", "offered", *[word for key in keys for word in ("--vkey", key)], "-f", "json", cwd=folder)
    return result.returncode, [code for code, _ in told(result)]


@claim
def a_signature_over_one_text_is_invalid_on_every_other():
    with ledger() as folder:
        made = receipts(folder)
        signatures = {form: signature_of(form, receipt) for form, receipt in made.items()}
        equal(signatures["text"], signatures["json"])  # both carry the same note
        for form, receipt in made.items():
            for other, signature in signatures.items():
                is_own = signature == signatures[form]
                expected = (0, []) if is_own else (1, ["LEDGER_SIGNATURE_INVALID"])
                equal((form, other, verified(folder, with_signature(form, receipt, signature), VKEY)), (form, other, expected))


@claim
def a_receipt_needs_the_key_of_its_own_log():
    with ledger() as folder:
        for form, receipt in receipts(folder).items():
            equal((form, verified(folder, receipt, VKEY)), (form, (0, [])))
            foreign = "LEDGER_KEY_UNKNOWN" if form == "dsse" else "LEDGER_ORIGIN_MISMATCH"  # an envelope names a key, and no log
            equal((form, verified(folder, receipt, FOREIGN_VKEY)), (form, (1, [foreign])))
            equal((form, verified(folder, receipt, OTHER_VKEY)), (form, (1, ["LEDGER_KEY_UNKNOWN"])))
            equal((form, verified(folder, receipt, FOREIGN_VKEY, VKEY)), (form, (0, [])))


sys.exit(finish())
