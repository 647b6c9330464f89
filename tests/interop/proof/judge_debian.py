# SPDX-License-Identifier: Apache-2.0
"""judge_debian.py - COSE receipts judged as RFC 9942 says, over Debian's python3-cbor2 and python3-cryptography.

Reads one JSON object per line (see make.py), and answers each with a line: accepted, or refused and why."""
import base64
import hashlib
import json
import sys

import cbor2
import cryptography
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

ALGORITHM, TREE, PROOFS, INCLUSION = 1, 395, 396, -1
SIGN1, EDDSA, RFC9162_SHA256 = 18, (-8, -19), 1


def root_of(entry, size, index, path):
    """RFC 9162 section 2.1.3.2."""
    if index >= size:
        raise ValueError("index")
    at, last, found = index, size - 1, hashlib.sha256(b"\0" + entry).digest()
    for sibling in path:
        if last == 0:
            raise ValueError("path too long")
        if at & 1 or at == last:
            found = hashlib.sha256(b"\1" + sibling + found).digest()
            while not at & 1 and at != 0:
                at, last = at >> 1, last >> 1
        else:
            found = hashlib.sha256(b"\1" + found + sibling).digest()
        at, last = at >> 1, last >> 1
    if last != 0:
        raise ValueError("path too short")
    return found


def split(receipt):
    """The protected bytes, the root that they must be signed with, and the signature; the root as a function of the entry."""
    outer = cbor2.loads(receipt)
    if outer.tag != SIGN1:
        raise ValueError("tag")
    protected, unprotected, payload, signature = outer.value
    headers = cbor2.loads(protected)
    if payload is not None or headers[ALGORITHM] not in EDDSA or headers[TREE] != RFC9162_SHA256:
        raise ValueError("headers")
    (proof,) = unprotected[PROOFS][INCLUSION]
    return protected, cbor2.loads(proof), signature


def judge(given):
    protected, (size, index, path), signature = split(base64.b64decode(given["receipt"]))
    root = root_of(base64.b64decode(given["entry"]), size, index, path)
    signed = cbor2.dumps(["Signature1", protected, b"", root])
    Ed25519PublicKey.from_public_bytes(base64.b64decode(given["public"])).verify(signature, signed)


def answer(judging, versions):
    print(versions, flush=True)
    for line in sys.stdin:
        try:
            judging(json.loads(line))
            print("accepted")
        except Exception as why:  # whatever stops a library stops the receipt
            print(f"refused: {type(why).__name__} {why}".split("\n", maxsplit=1)[0][:100])


if __name__ == "__main__":
    from importlib.metadata import version
    answer(judge, f"cbor2 {version('cbor2')}, cryptography {cryptography.__version__}")
