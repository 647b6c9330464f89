# SPDX-License-Identifier: Apache-2.0
"""signing.py - receipts for entries that Baton would not write: keys from a seed as the chapter on the ledger defines them, and Ed25519 as RFC 8032
does, with integers and without haste. For tests only."""
import base64
import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def _recover_x(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x % 2 != sign else x


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = (_recover_x(BASE_Y, 0), BASE_Y)


def _add(a, b):
    product = D * a[0] * b[0] * a[1] * b[1] % P
    return ((a[0] * b[1] + b[0] * a[1]) * pow(1 + product, P - 2, P) % P, (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, P - 2, P) % P)


def _multiply(point, number):
    found = (0, 1)
    while number:
        if number & 1:
            found = _add(found, point)
        point = _add(point, point)
        number >>= 1
    return found


def _encode(point):
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


class Log:
    """A log with a key from a seed."""

    def __init__(self, name="ledger.example/made", seed=1):
        self.name = name
        secret = hashlib.sha256(f"baton-test-key/v1\n{name}\n01\n{seed}\n".encode()).digest()
        digest = hashlib.sha512(secret).digest()
        self._scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254
        self._prefix = digest[32:]
        self.public = _encode(_multiply(BASE, self._scalar))
        self.id = hashlib.sha256(name.encode() + b"\n\x01" + self.public).digest()[:4]
        self.vkey = f"{name}+{self.id.hex()}+{base64.b64encode(bytes([1]) + self.public).decode()}"

    def sign(self, message):
        nonce = int.from_bytes(hashlib.sha512(self._prefix + message).digest(), "little") % L
        commitment = _encode(_multiply(BASE, nonce))
        challenge = int.from_bytes(hashlib.sha512(commitment + self.public + message).digest(), "little") % L
        return commitment + ((nonce + challenge * self._scalar) % L).to_bytes(32, "little")

    def receipt(self, entry):
        """The receipt of an entry that is number 1 of a log of size 2."""
        first, leaf = (hashlib.sha256(b"\0" + text).digest() for text in (b"{}", entry))
        root = hashlib.sha256(b"\1" + first + leaf).digest()
        text = f"{self.name}\n2\n{base64.b64encode(root).decode()}\n"
        line = f"\u2014 {self.name} {base64.b64encode(self.id + self.sign(text.encode())).decode()}\n"
        return (f"c2sp.org/tlog-proof@v1\nextra {base64.b64encode(entry).decode()}\nindex 1\n{base64.b64encode(first).decode()}\n\n{text}\n{line}").encode()
