# SPDX-License-Identifier: Apache-2.0
"""verify_call.py VKEY RECEIPT RECORD PARAMS ANSWER - verify a recorded call without Baton: the standard library and openssl."""
import base64
import hashlib
import json
import subprocess
import sys
import tempfile

vkey, receipt, record, params, answer = (open(path, "rb").read() for path in sys.argv[1:])
proof, text, signatures = receipt.split(b"\n\n", 2)
name, key_hash, key = vkey.strip().split(b"+", 2)
origin, size, root = text.split(b"\n")[:3]
sign = next(base64.b64decode(line.split()[2]) for line in signatures.splitlines() if line.split()[1] == name)
assert origin == name and sign[:4].hex().encode() == key_hash and base64.b64decode(key)[:1] == b"\x01"
with tempfile.NamedTemporaryFile() as public, tempfile.NamedTemporaryFile() as signed, tempfile.NamedTemporaryFile() as signature:
    for file, data in ((public, bytes.fromhex("302a300506032b6570032100") + base64.b64decode(key)[1:]), (signed, text + b"\n"), (signature, sign[4:])):
        file.write(data)
        file.flush()
    subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", public.name, "-rawin", "-in", signed.name, "-sigfile", signature.name], check=True)
_, extra, index, *path = proof.decode().split("\n")
entry = base64.b64decode(extra.removeprefix("extra "))
at, last, node = int(index.removeprefix("index ")), int(size) - 1, hashlib.sha256(b"\0" + entry).digest()
for other in map(base64.b64decode, path):
    if at % 2 or at == last:
        node = hashlib.sha256(b"\1" + other + node).digest()
        while at % 2 == 0 and at:
            at, last = at // 2, last // 2
    else:
        node = hashlib.sha256(b"\1" + node + other).digest()
    at, last = at // 2, last // 2
assert last == 0 and node == base64.b64decode(root), "the entry is not in the log"
assert json.loads(entry)["document"]["sha256"] == hashlib.sha256(record).hexdigest(), "another record"
for part, value in (("request", json.loads(params)), ("response", json.loads(answer))):
    value.pop("_meta", None)  # RFC 8785 of values with plain numbers and names
    form = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert json.loads(record)[part] == {"canonical": True, "sha256": hashlib.sha256(form).hexdigest(), "size": len(form)}, part
print("verified")
