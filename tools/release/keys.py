# SPDX-License-Identifier: Apache-2.0
"""keys.py - the keys of a release: those of the maintainer, or keys for tests, which anybody can compute.

The maintainer's ledger lies beside its key, outside the tree: FOLDER/ledger.key and FOLDER/store.db, or X.key and X.
"""
import base64
import hashlib
import json
import pathlib
import stat
import struct
import subprocess

from run import TREE, Failure, Misuse, output

NAMESPACE = "baton-release"
SIGNER = "release"
TEST_SEED = 1


def names():
    return json.loads((TREE / "packaging/names.json").read_text(encoding="utf-8"))


class Keys:
    """Where a release is signed and recorded. `now` is the fixed time of a test ledger."""

    def __init__(self, store, key, ssh_key, now=None):
        self.store, self.key, self.ssh_key, self.now = store, key, ssh_key, now

    def is_test(self):
        return self.now is not None

    def ledger_flags(self):
        return ["--store", f"sqlite:{self.store}", *(["--key", str(self.key)] if self.key else []), *(["--now", self.now] if self.now else [])]

    def checkpoint(self):
        """The checkpoint of the last release that was made here."""
        return self.store.parent / (self.store.name + ".published")


def check_private(path, what):
    try:
        info = path.stat()
    except OSError as why:
        raise Misuse(f"{what} {path}: {why.strerror}") from why
    if not stat.S_ISREG(info.st_mode):
        raise Misuse(f"{what} {path} is not a file")
    if info.st_mode & 0o077:
        raise Misuse(f"{what} {path} can be read by others; run: chmod 600 {path}")


def own(key, ssh_key):
    """The maintainer's keys. Misuse when they are missing, readable by others, or of another ledger."""
    key, ssh_key = pathlib.Path(key).resolve(), pathlib.Path(ssh_key).resolve()
    check_private(key, "--key")
    check_private(ssh_key, "--ssh-key")
    for path in (key, ssh_key):
        if TREE in path.parents:
            raise Misuse(f"{path} is inside the tree; a key is kept elsewhere")
    origin = names()["ledger"]
    if not key.read_bytes().startswith(f"PRIVATE+KEY+{origin}+".encode()):
        raise Misuse(f"--key {key} is not a key of the ledger {origin}")
    if key.suffix != ".key":
        raise Misuse(f"--key {key}: the key of a ledger ends in .key, and its store lies beside it")
    store = key.with_name("store.db") if key.name == "ledger.key" else key.with_suffix("")
    if not store.is_file():
        raise Misuse(f"{store}, the release ledger, does not exist; make it once with: baton ledger init --origin {origin} --key {key} --store sqlite:{store}")
    return Keys(store, key, ssh_key)


def ssh_text(data):
    return struct.pack(">I", len(data)) + data


def openssh_key(seed):
    """An Ed25519 private key of these 32 bytes in the format of OpenSSH (PROTOCOL.key)."""
    pkcs8 = bytes.fromhex("302e020100300506032b657004220420") + seed
    public = output(["openssl", "pkey", "-inform", "DER", "-pubout", "-outform", "DER"], input=pkcs8)[-32:]
    public_blob = ssh_text(b"ssh-ed25519") + ssh_text(public)
    check = seed[:4] * 2
    private = check + ssh_text(b"ssh-ed25519") + ssh_text(public) + ssh_text(seed + public) + ssh_text(b"baton test key")
    private += bytes(range(1, 9))[:-len(private) % 8]
    blob = b"openssh-key-v1\0" + ssh_text(b"none") + ssh_text(b"none") + ssh_text(b"") + struct.pack(">I", 1) + ssh_text(public_blob) + ssh_text(private)
    text = base64.b64encode(blob).decode()
    lines = "\n".join(text[at:at + 70] for at in range(0, len(text), 70))
    return f"-----BEGIN OPENSSH PRIVATE KEY-----\n{lines}\n-----END OPENSSH PRIVATE KEY-----\n"


def test(baton, folder, now):
    """Seeded keys and a new ledger in a folder that is removed afterwards."""
    ssh_key = folder / "ssh-key"
    ssh_key.touch(mode=0o600)
    ssh_key.write_text(openssh_key(hashlib.sha256(b"baton-test-release-key/v1\n").digest()))
    keys = Keys(folder / "store.db", None, ssh_key, now)
    output([baton, "ledger", "init", "--origin", names()["ledger"], "--seed", str(TEST_SEED), "--store", f"sqlite:{keys.store}"])
    return keys


def allowed_signers(ssh_key):
    """The line with which ssh-keygen finds the signer of a release."""
    public = output(["ssh-keygen", "-y", "-f", ssh_key]).decode().split()
    return f'{SIGNER} namespaces="{NAMESPACE}" {public[0]} {public[1]}\n'


def sign(ssh_key, path):
    """Write PATH.sig."""
    output(["ssh-keygen", "-Y", "sign", "-q", "-f", ssh_key, "-n", NAMESPACE, path])


def is_signed(folder, signers):
    """What is wrong with the signature of SHA256SUMS, or None."""
    with open(folder / "SHA256SUMS", "rb") as sums:
        done = subprocess.run(["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", SIGNER, "-n", NAMESPACE, "-s", str(folder / "SHA256SUMS.sig")],
                              stdin=sums, capture_output=True, timeout=60, check=False)
    if done.returncode == 0:
        return None
    told = (done.stderr + done.stdout).decode("utf-8", "replace").strip().split("\n")[-1]
    return told or "the signature is not valid"


__all__ = ["Keys", "Failure", "own", "test", "allowed_signers", "sign", "is_signed", "names"]
