# SPDX-License-Identifier: Apache-2.0
"""registered.py - statements signed by Debian's python3-cryptography, encoded by its python3-cbor2, and registered in a log of statements of `baton serve`."""
import base64
import hashlib
import http.client
import json
import os
import pathlib
import subprocess

import cbor2
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import make

ISSUER = "https://issuer.example"
SIGN1, ALG, KID, CLAIMS = 18, 1, 4, 15
EDDSA, ED25519, ES256 = -8, -19, -7
CONFIG = 'logs: {root: logs}\nrate: {check: 0, submit: 0}\nscitt: {issuers: [{iss: "%s", key: ed.pem}, {iss: "%s", key: p256.pem}]}\n' % (ISSUER, ISSUER)


class Issuer:
    def __init__(self, alg):
        self.alg = alg
        self.key = ec.generate_private_key(ec.SECP256R1()) if alg == ES256 else ed25519.Ed25519PrivateKey.generate()
        public = self.key.public_key()
        if alg == ES256:
            point = public.public_numbers()
            parts = {1: 2, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        else:
            parts = {1: 1, -1: 6, -2: public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)}
        self.kid = hashlib.sha256(cbor2.dumps(parts, canonical=True)).digest()
        self.pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def sign(self, message):
        if self.alg != ES256:
            return self.key.sign(message)
        r, s = decode_dss_signature(self.key.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def statement(self, subject, payload, alg=None):
        protected = cbor2.dumps({ALG: alg or self.alg, KID: self.kid, CLAIMS: {1: ISSUER, 2: subject}}, canonical=True)
        signature = self.sign(cbor2.dumps(["Signature1", protected, b"", payload]))
        return cbor2.dumps(cbor2.CBORTag(SIGN1, [protected, {}, payload, signature]))


class Log:
    """A server with a log of statements, in a folder of its own."""

    def __init__(self, baton, folder):
        self.baton, self.folder = baton, pathlib.Path(folder)
        self.environment = {**os.environ, "BATON_STATE_DIR": str(self.folder / "state")}
        self.issuers = {EDDSA: Issuer(EDDSA), ES256: Issuer(ES256)}
        (self.folder / "baton.yaml").write_text(CONFIG)
        for name, alg in (("ed.pem", EDDSA), ("p256.pem", ES256)):
            (self.folder / name).write_bytes(self.issuers[alg].pem)
        self.run("ledger", "init", "--origin", "ledger.example/records", "--store", "s.db")
        self.run("ledger", "log", "new", "facts", "--origin", "logs.example/facts", "--entries", "statements", "--config", "baton.yaml")
        self.token = self.run("token", "new", "--tokens", "tokens.json", "--name", "t", "--scopes", "submit,operate", "--log", "facts").decode().strip()
        self.vkey = (self.folder / "logs/facts/ledger.vkey").read_text().strip()
        self.public = base64.b64decode(self.vkey.split("+", 2)[2])[1:]
        self.server = subprocess.Popen([baton, "serve", "--listen", "127.0.0.1:0", "-f", "json", "--store", "s.db", "--tokens", "tokens.json", "--config", "baton.yaml"],
                                       cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.port = int(json.loads(self.server.stdout.readline())["listen"][0].rsplit(":", 1)[1])

    def run(self, *words, codes=(0,)):
        done = subprocess.run([self.baton, *words], cwd=self.folder, env=self.environment, capture_output=True, check=False, timeout=make.TIMEOUT_S)
        if done.returncode not in codes:
            raise AssertionError(f"baton {words[:4]}: exit {done.returncode}: {done.stderr!r}")
        return done.stdout

    def ask(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=make.TIMEOUT_S)
        connection.request(method, f"/logs/facts{path}", body, {"Authorization": f"Bearer {self.token}", "Content-Type": "application/cose"})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data

    def register(self, alg, subject, payload):
        """The statement and its receipt."""
        statement = self.issuers[ES256 if alg == ES256 else EDDSA].statement(subject, payload, alg)
        status, receipt = self.ask("POST", "/entries", statement)
        if status != 201:
            raise AssertionError(f"a statement with alg {alg} was refused: {receipt!r}")
        return statement, receipt

    def case(self, receipt, statement):
        return {"receipt": make.text(receipt), "entry": make.text(statement), "public": make.text(self.public)}

    def accepts(self, receipt, statement):
        """Whether verify-receipt accepts it."""
        (self.folder / "r.cose").write_bytes(receipt)
        (self.folder / "s.cose").write_bytes(statement)
        report = json.loads(self.run("ledger", "verify-receipt", "r.cose", "--entry", "s.cose", "--vkey", self.vkey, "-f", "json", codes=(0, 1)))
        return report["documents"][0]["verdict"] == "accepted"

    def stop(self):
        self.server.terminate()
        return self.server.wait(timeout=make.TIMEOUT_S)
