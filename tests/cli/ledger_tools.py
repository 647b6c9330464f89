# SPDX-License-Identifier: Apache-2.0
"""ledger_tools.py - ledgers made and damaged for tests: the published key, stores opened with sqlite3, and the
tree, notes and signatures once more in Python, from the specifications."""
import base64
import contextlib
import hashlib
import json
import pathlib
import sqlite3
import subprocess
import tempfile

from program import expect, run

ORIGIN = "ledger.example/team"
VKEY = "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"
OTHER_VKEY = "ledger.example/team+29cc8921+AeMZGmr4kKmgi4CeV9yGq90UZBrBx0cu056CVlKy+8Ik"
FOREIGN_VKEY = "ledger.example/other+9f2acbfa+AZOsjhqN0i0h2TOLIvN3tOOekbShAaVTbKZj9jzGkW/y"
WITNESS = "witness.example/w1+5a2fdcbd+BMcCZ45mw7b3ulOFSBMsuEFFtcJsHSjXo2l4ZaxQkYPc"
NOW = ["--now", "2026-02-11T00:45:02Z"]

# What the params of each finding about ledgers, receipts, checkpoints and stores hold, always.
PARAMS = {
    "RECORD_TOO_LARGE": "limit", "REPLAYED_ID": "id first_seq same_document", "RECEIPT_SYNTAX": "line|reason",
    "LEDGER_CHECKPOINT_SYNTAX": "reason", "LEDGER_ORIGIN_MISMATCH": "expected actual", "LEDGER_KEY_UNKNOWN": "keys",
    "LEDGER_SIGNATURE_INVALID": "key", "LEDGER_KEY_LOCAL": "key_source", "LEDGER_INCOMPLETE": "path expected actual",
    "LEDGER_LEAF_MISMATCH": "expected actual", "LEDGER_TILE_MISMATCH": "index", "LEDGER_ROOT_MISMATCH": "expected actual",
    "LEDGER_UNSIGNED_TAIL": "count", "LEDGER_ENTRY_INVALID": "rule", "LEDGER_ENTRY_VERSION": "v",
    "LEDGER_SEQ_MISMATCH": "expected actual", "LEDGER_TIME_REGRESSION": "time previous", "LEDGER_ROLLBACK": "size seen",
    "LEDGER_FORK": "size", "LEDGER_STALE": "time age_s", "PEER_RECEIPT_MISSING": "peer", "LEDGER_HEAD_MISSING": "", "LEDGER_DOCUMENT_MISMATCH": "actual", "LEDGER_DOCUMENT_MISSING": "",
    "LEDGER_DOCUMENT_REDACTED": "seq", "LEDGER_WITNESS_MISSING": "required found|quorum found", "RECEIPT_ENTRY_MISSING": "",
    "RECEIPT_PROOF_INVALID": "index size", "RECEIPT_VERDICT": "codes", "RECEIPT_DOCUMENT_MISMATCH": "expected actual",
    "RECEIPT_STATEMENT_MISMATCH": "expected actual", "WITNESS_KEY_UNSUPPORTED": "name type",
    "WITNESS_BAD_REQUEST": "line", "WITNESS_UNKNOWN_ORIGIN": "origin", "WITNESS_BAD_SIGNATURE": "key",
    "WITNESS_STALE": "old latest", "WITNESS_INCONSISTENT": "old size", "STORE_INTEGRITY": "detail",
    "STORE_TRIGGER_MISSING": "operation", "STORE_GRANT_EXCESS": "privilege", "STORE_SETTING_UNSAFE": "expected actual",
    "STORE_KEY_MODE": "mode", "STORE_STATE_MISMATCH": "key", "LEDGER_COUNT_MISMATCH": "name expected actual",
    "AUDIT_DELIVERY_STRAY": "message reason", "AUDIT_DELIVERY_MISSING": "message", "AUDIT_DELIVERY_OPEN": "message since",
    "AUDIT_QUEUE_STRAY": "message reason", "AUDIT_APPROVAL_STRAY": "approval reason", "AUDIT_SILENCE": "from to seconds",
    "AUDIT_NUMBER_GAP": "actor expected actual", "AUDIT_TIME_BOUND": "time witnessed", "RETENTION_HOLD": "by value", "RETENTION_MINIMUM": "until",
    "BUNDLE_SYNTAX": "reason", "BUNDLE_GAP": "expected actual", "BUNDLE_PAGE_UNKNOWN": "program",
}


@contextlib.contextmanager
def ledger(*contents):
    """A folder with a ledger that has recorded each of the contents in one run; yields its path."""
    with tempfile.TemporaryDirectory(prefix="baton-ledger-") as name:
        folder = pathlib.Path(name)
        do(folder, "ledger", "init", "--origin", ORIGIN, "--seed", "1", quiet=True)
        if contents:
            append(folder, *contents)
        yield folder


def do(folder, *args, code=0, quiet=False, **more):
    """One run in a folder. Notes about test keys are expected on standard error."""
    result = run(*args, cwd=folder, **more)
    if result.returncode != code:
        raise AssertionError(f"{args}: exit {result.returncode}, not {code}: {result.stdout!r} {result.stderr!r}")
    return result


def append(folder, *contents, code=0, flags=()):
    words = []
    for number, content in enumerate(contents):
        path = folder / f"raw{number}.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        words += ["--raw", path.name]
    return json.loads(do(folder, "ledger", "append", *words, *NOW, *flags, "-f", "json", code=code).stdout)


def findings(result):
    """All findings of a report, each with the params that it promises."""
    found = [finding for document in json.loads(result.stdout)["documents"] for finding in document["findings"]]
    for finding in found:
        names = sorted(set(finding.get("params", {})) - {"more"})
        if finding["code"] in PARAMS and names not in [sorted(form.split()) for form in PARAMS[finding["code"]].split("|")]:
            raise AssertionError(f"{finding['code']} promises {PARAMS[finding['code']]!r}: {finding}")
    return found


def told(result, severity=("HARD", "WARN")):
    """(code, pointer) of every finding of these severities."""
    return sorted((f["code"], f["pointer"]) for f in findings(result) if f["severity"] in severity)


def verify(folder, *flags, code=1):
    return do(folder, "ledger", "verify", "--vkey", VKEY, "-f", "json", *flags, code=code)


@contextlib.contextmanager
def opened(folder, name=".baton/store.db"):
    """The store as a database administrator has it: every trigger dropped."""
    database = sqlite3.connect(folder / name)
    for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
        database.execute(f"DROP TRIGGER {trigger}")
    yield database
    database.commit()
    database.close()


def guards(folder):
    """The texts of the triggers, to put them back after a change."""
    database = sqlite3.connect(folder / ".baton/store.db")
    texts = [sql for (sql,) in database.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")]
    database.close()
    return texts


def leaf(entry):
    return hashlib.sha256(b"\0" + entry).digest()


def root(leaves):
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\1" + root(leaves[:split]) + root(leaves[split:])).digest()


def tile_path(level, number, width):
    digits = f"{number:03}"
    while len(digits.split("/")[0].lstrip("x")) > 3:
        head, rest = digits.split("/", 1) if "/" in digits else (digits, "")
        digits = f"{head[:-3]}/x{head[-3:]}" + (f"/{rest}" if rest else "")
    return f"tile/{level}/{digits}" + (f".p/{width}" if width < 256 else "")


def sign_bytes(message_bytes, key_file):
    """The signature of the log over bytes, made by openssl from the private key file."""
    encoded = pathlib.Path(key_file).read_text().strip().split("+", 4)[4]
    seed = base64.b64decode(encoded)[1:]
    der = bytes.fromhex("302e020100300506032b657004220420") + seed
    with tempfile.TemporaryDirectory() as place:
        key = pathlib.Path(place) / "key.der"
        key.write_bytes(der)
        message = pathlib.Path(place) / "text"
        message.write_bytes(message_bytes)
        return subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", key, "-keyform", "DER", "-rawin", "-in",
                               message], check=True, capture_output=True).stdout


def sign(text, key_file):
    """The signature line of the log over a text."""
    signature = sign_bytes(text.encode(), key_file)
    return f"— {ORIGIN} " + base64.b64encode(bytes.fromhex("9789251b") + signature).decode() + "\n"


def note(leaves, key_file):
    text = f"{ORIGIN}\n{len(leaves)}\n{base64.b64encode(root(leaves)).decode()}\n"
    return text + "\n" + sign(text, key_file)


def write_tree(folder, entries, key_file):
    """A tree of fewer than 257 entries as another program would write it."""
    leaves = [leaf(entry) for entry in entries]
    width = len(entries)
    for name, content in (
            ("checkpoint", note(leaves, key_file).encode()),
            (tile_path("entries", 0, width), b"".join(len(e).to_bytes(2, "big") + e for e in entries)),
            (tile_path(0, 0, width), b"".join(leaves))):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
