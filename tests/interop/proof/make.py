# SPDX-License-Identifier: Apache-2.0
"""make.py - a growing ledger with its COSE receipts, what can be altered about them, and every other way to encode them.

A case is an object of base64 texts that every judge reads: `receipt`, `entry`, `public` (the raw key of the log)."""
import base64
import json
import os
import pathlib
import subprocess

import cbor2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import judge_debian

ORIGIN = "ledger.example/interop"
BATCH = 10000
TIMEOUT_S = 300


def text(data):
    return base64.b64encode(data).decode()


class Ledger:
    """A ledger with the published test key, in a folder of its own."""

    def __init__(self, baton, folder):
        self.baton, self.folder, self.size = baton, pathlib.Path(folder), 0
        (self.folder / "a.txt").write_text("hello\n")
        self.vkey = json.loads(self.run("ledger", "init", "--origin", ORIGIN, "--seed", "1", "-f", "json"))["vkey"]
        self.public = base64.b64decode(self.vkey.split("+", 2)[2])[1:]
        held = (self.folder / ".baton/ledger.key").read_text().strip().split("+", 4)[4]
        self.key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(held)[1:])

    def run(self, *words, codes=(0,)):
        environment = {**os.environ, "BATON_STATE_DIR": str(self.folder)}
        done = subprocess.run([self.baton, *words], cwd=self.folder, env=environment, capture_output=True, check=False, timeout=TIMEOUT_S)
        if done.returncode not in codes:
            raise AssertionError(f"baton {words[:4]}: exit {done.returncode}: {done.stderr!r}")
        return done.stdout

    def grow(self, size):
        while self.size < size:
            count = min(BATCH, size - self.size)
            self.run("ledger", "append", *["--raw", "a.txt"] * count, "--deadline", "60000", "-f", "concise", "-o", "log")
            self.size += count

    def receipt(self, seq):
        entry = self.folder / "entry"
        entry.unlink(missing_ok=True)
        return self.run("ledger", "receipt", str(seq), "--format", "cose", "--entry", "entry"), entry.read_bytes()

    def case(self, receipt, entry):
        return {"receipt": text(receipt), "entry": text(entry), "public": text(self.public)}

    def sign(self, receipt, protected=None, signed=None):
        """The receipt signed anew: with these protected bytes, over these bytes instead of the root."""
        outer = cbor2.loads(receipt)
        before = outer.value[0]
        protected = before if protected is None else protected
        message = cbor2.dumps(["Signature1", protected, b"", signed])
        return receipt.replace(outer.value[3], self.key.sign(message)).replace(cbor2.dumps(before), cbor2.dumps(protected))

    def codes(self, receipts):
        """The codes that verify-receipt gives each of the receipts."""
        for number, receipt in enumerate(receipts):
            (self.folder / f"r{number}.cose").write_bytes(receipt)
        names = [f"r{number}.cose" for number in range(len(receipts))]
        report = json.loads(self.run("ledger", "verify-receipt", *names, "--vkey", self.vkey, "-f", "json", codes=(0, 1)))
        return [[finding["code"] for finding in document["findings"] if finding["severity"] == "HARD"] for document in report["documents"]]


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:]


def alterations(receipt, entry):
    """(part, receipt, entry) with one bit of one byte changed, for every byte of the entry, the path, the signed headers and the signature."""
    protected, (_, _, path), signature = judge_debian.split(receipt)
    for at in range(len(entry)):
        yield "entry", receipt, flip(entry, at)
    for part, piece in [("path", one) for one in path] + [("signed headers", protected), ("signature", signature)]:
        begin = receipt.index(piece)
        for at in range(begin, begin + len(piece)):
            yield part, flip(receipt, at), entry


# ---- Other encodings ----

def read_head(data, at):
    """(major type, low bits, number, where its content begins)"""
    major, low = data[at] >> 5, data[at] & 31
    if low < 24:
        return major, low, low, at + 1
    size = 1 << (low - 24)
    return major, low, int.from_bytes(data[at + 1:at + 1 + size], "big"), at + 1 + size


def end_of(data, at):
    """Where the item that begins here ends."""
    major, _, number, at = read_head(data, at)
    if major in (2, 3):
        return at + number
    for _ in range({4: number, 5: 2 * number, 6: 1}.get(major, 0)):
        at = end_of(data, at)
    return at


def long_heads(data, at):
    major, low, number, after = read_head(data, at)
    for longer in range(24 if low < 24 else low + 1, 28):
        yield data[:at] + bytes([major << 5 | longer]) + number.to_bytes(1 << (longer - 24), "big") + data[after:]


def open_lengths(data, at):
    """Strings in one piece, in two and with an empty one; arrays and maps with an end mark."""
    major, _, number, after = read_head(data, at)
    end = end_of(data, at)
    if major in (2, 3):
        half = number // 2 if major == 2 else 0
        pieces = ([data[after:end]], [data[after:after + half], data[after + half:end]], [data[after:end], b""])
        bodies = [b"".join(bytes(cbor2.dumps(one if major == 2 else one.decode())) for one in parts) for parts in pieces]
    elif major in (4, 5):
        bodies = [data[after:end]]
    else:
        return
    for body in bodies:
        yield data[:at] + bytes([major << 5 | 31]) + body + b"\xff" + data[end:]


def other_orders(data, at):
    """A map with each two neighbours exchanged."""
    major, _, number, place = read_head(data, at)
    if major != 5:
        return
    ends = [place]
    for _ in range(number):
        ends.append(end_of(data, end_of(data, ends[-1])))
    for a, b, c in zip(ends, ends[1:], ends[2:]):
        yield data[:a] + data[b:c] + data[a:b] + data[c:]


def spellings(data):
    """The item in every other way that CBOR allows, each with one choice made differently."""
    at = 0
    while at < len(data):
        major, _, number, after = read_head(data, at)
        if major != 7:
            yield from long_heads(data, at)
        yield from open_lengths(data, at)
        yield from other_orders(data, at)
        at = after + (number if major in (2, 3) else 0)


def encodings(ledger, receipt, entry):
    """The same receipt in other encodings: outside, in the path, and in the signed headers, which are then signed in that spelling."""
    protected, proof, _ = judge_debian.split(receipt)
    root = judge_debian.root_of(entry, *proof)
    inner = cbor2.dumps(proof)
    yield from spellings(receipt)
    for other in spellings(inner):
        yield receipt.replace(cbor2.dumps(inner), cbor2.dumps(other))
    for other in spellings(protected):
        yield ledger.sign(receipt, other, root)
