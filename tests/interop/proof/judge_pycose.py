# SPDX-License-Identifier: Apache-2.0
"""judge_pycose.py - COSE receipts whose signature is judged by pycose of PyPI; the root is that of judge_debian.py.

Reads one JSON object per line (see make.py), and answers each with a line: accepted, or refused and why."""
import base64
from importlib.metadata import version

from pycose.keys import OKPKey
from pycose.messages import CoseMessage

from judge_debian import answer, root_of, split


def judge(given):
    receipt = base64.b64decode(given["receipt"])
    _, (size, index, path), _ = split(receipt)
    message = CoseMessage.decode(receipt)
    message.key = OKPKey(crv="ED25519", x=base64.b64decode(given["public"]))
    if not message.verify_signature(detached_payload=root_of(base64.b64decode(given["entry"]), size, index, path)):
        raise ValueError("signature")


answer(judge, f"pycose {version('pycose')}, cbor2 {version('cbor2')}")
