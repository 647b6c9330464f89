# SPDX-License-Identifier: Apache-2.0
"""statements.py - signed statements (COSE_Sign1) made for tests: CBOR in its one encoding once more in Python, from RFC 8949, and signatures by openssl."""
import hashlib
import pathlib
import subprocess
import tempfile

EDDSA, ED25519, ES256 = -8, -19, -7
ALG, CRIT, CONTENT, KID, CLAIMS, TYP = 1, 2, 3, 4, 15, 16


class Tag:
    def __init__(self, number, value):
        self.number, self.value = number, value

    def __eq__(self, other):
        return (self.number, self.value) == (other.number, other.value)


def head(major, number):
    for low, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < (24 if size == 1 and number < 24 else 1 << 8 * size):
            return bytes([major << 5 | number]) if number < 24 else bytes([major << 5 | low]) + number.to_bytes(size, "big")
    raise ValueError(number)


def dumps(value):
    if value is None or isinstance(value, bool):
        return bytes([0xF6 if value is None else 0xF5 if value else 0xF4])
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, Tag):
        return head(6, value.number) + dumps(value.value)
    if isinstance(value, dict):
        return head(5, len(value)) + b"".join(key + item for key, item in sorted((dumps(key), dumps(item)) for key, item in value.items()))
    return head(4, len(value)) + b"".join(map(dumps, value))


def loads(data):
    """The value of a text that is known to be well-formed and definite."""
    value, end = read(data, 0)
    if end != len(data):
        raise ValueError("bytes behind the end")
    return value


def read(data, at):
    major, low = data[at] >> 5, data[at] & 31
    size = 0 if low < 24 else 1 << (low - 24)
    number = int.from_bytes(data[at + 1:at + 1 + size], "big") if size else low
    at += 1 + size
    if major < 2:
        return (-1 - number if major else number), at
    if major < 4:
        part = data[at:at + number]
        return (part if major == 2 else part.decode()), at + number
    if major == 6:
        value, at = read(data, at)
        return Tag(number, value), at
    if major == 7:
        return {20: False, 21: True, 22: None}[number], at
    items = []
    for _ in range(number * (2 if major == 5 else 1)):
        item, at = read(data, at)
        items.append(item)
    return (dict(zip(items[::2], items[1::2])) if major == 5 else items), at


def openssl(*args, data=None):
    return subprocess.run(["openssl", *map(str, args)], input=data, capture_output=True, check=True).stdout


class Key:
    """A key pair of an issuer. Its files lie in a folder of its own."""

    def __init__(self, alg=EDDSA):
        self.alg = alg
        self.folder = tempfile.TemporaryDirectory(prefix="baton-issuer-")
        self.private = pathlib.Path(self.folder.name) / "key.pem"
        kind = ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256") if alg == ES256 else ("-algorithm", "ed25519")
        openssl("genpkey", *kind, "-out", self.private)
        self.pem = openssl("pkey", "-in", self.private, "-pubout").decode()
        self.spki = openssl("pkey", "-in", self.private, "-pubout", "-outform", "DER")
        point = self.spki[-64:] if alg == ES256 else self.spki[-32:]
        parts = {1: 2, -1: 1, -2: point[:32], -3: point[32:]} if alg == ES256 else {1: 1, -1: 6, -2: point}
        self.kid = hashlib.sha256(dumps(parts)).digest()

    def sign(self, message):
        with tempfile.NamedTemporaryFile() as file:
            file.write(message)
            file.flush()
            if self.alg != ES256:
                return openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.private, "-in", file.name)
            der = openssl("dgst", "-sha256", "-sign", self.private, file.name)
        r_end = 4 + der[3]
        numbers = der[4:r_end], der[r_end + 2:r_end + 2 + der[r_end + 1]]
        return b"".join(int.from_bytes(number, "big").to_bytes(32, "big") for number in numbers)


def verify_ed25519(spki, message, signature):
    """True when the signature is that of the key."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, data in (("key", spki), ("message", message), ("signature", signature)):
            (folder / file).write_bytes(data)
        done = subprocess.run(["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", folder / "key", "-in", folder / "message",
                               "-sigfile", folder / "signature"], capture_output=True, check=False)
    return done.returncode == 0


def headers(key, issuer="https://issuer.example", subject="artifact 1", **more):
    """A protected header as a dict; `more` are labels by name, and None leaves one out."""
    made = {ALG: key.alg, KID: key.kid, CLAIMS: {1: issuer, 2: subject}}
    for name, value in more.items():
        label = {"alg": ALG, "crit": CRIT, "kid": KID, "claims": CLAIMS, "content": CONTENT, "typ": TYP}[name]
        if value is None:
            made.pop(label, None)
        else:
            made[label] = value
    return made


def signed(protected, payload):
    return dumps(["Signature1", protected, b"", payload])


def statement(key, payload=b"it is so", unprotected=None, protected=None, **more):
    """A statement as an issuer makes it."""
    encoded = protected if protected is not None else dumps(headers(key, **more))
    return dumps(Tag(18, [encoded, unprotected or {}, payload, key.sign(signed(encoded, payload))]))


def leaf_hash(statement_bytes):
    """The hash of the leaf: of the statement with an empty unprotected header."""
    parts = loads(statement_bytes).value
    return hashlib.sha256(b"\0" + dumps(Tag(18, [parts[0], {}, parts[2], parts[3]]))).digest()


def root_of(leaf, seq, size, path):
    """The root that an inclusion proof leads to: RFC 9162, section 2.1.3.2."""
    node, at, last = leaf, seq, size - 1
    for other in path:
        if last == 0:
            raise ValueError("the path is too long")
        if at & 1 or at == last:
            node = hashlib.sha256(b"\1" + other + node).digest()
            while at & 1 == 0 and at:
                at, last = at >> 1, last >> 1
        else:
            node = hashlib.sha256(b"\1" + node + other).digest()
        at, last = at >> 1, last >> 1
    if last:
        raise ValueError("the path is too short")
    return node


def judge_receipt(receipt, statement_bytes, spki):
    """Verify a receipt as RFC 9942 says; its protected header, or an AssertionError."""
    parts = loads(receipt).value
    protected = loads(parts[0])
    size, seq, path = loads(parts[1][396][-1][0])
    root = root_of(leaf_hash(statement_bytes), seq, size, path)
    assert parts[2] is None and verify_ed25519(spki, signed(parts[0], root), parts[3]), "the signature does not fit"
    return protected, seq, size
