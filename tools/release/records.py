# SPDX-License-Identifier: Apache-2.0
"""records.py - sums, signature and receipts: what makes a folder of files a release."""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess

import keys as release_keys
from run import Failure, output, say

SUMS = "SHA256SUMS"
ACTOR, SOURCE = "release", "baton"
LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9][A-Za-z0-9._+~-]{0,150})")
CHUNK_BYTES = 1 << 20


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def write_sums(folder, files):
    """SHA256SUMS of the named files, as sha256sum -c reads it."""
    text = "".join(f"{sha256(folder / name)}  {name}\n" for name in sorted(files))
    (folder / SUMS).write_text(text, encoding="ascii")


def read_sums(folder):
    """{file: digest}. ValueError: not what write_sums() writes."""
    sums = {}
    for number, line in enumerate((folder / SUMS).read_text(encoding="ascii").splitlines(), 1):
        found = LINE.fullmatch(line)
        if not found or found[2] in sums or found[2] == SUMS:
            raise ValueError(f"{SUMS}:{number}: not a digest and the name of a file, once")
        sums[found[2]] = found[1]
    if not sums:
        raise ValueError(f"{SUMS} is empty")
    return sums


def entry_id(version, name):
    """The id under which a file is recorded; the ledger keeps ids in lower case."""
    return f"{version}/{name}"


def run_json(baton, *words, cwd=None):
    """Exit code and JSON of one run of the program."""
    done = subprocess.run([str(baton), *words, "-f", "json"], cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=3600, check=False)
    try:
        return done.returncode, json.loads(done.stdout)
    except ValueError:
        told = done.stderr.decode("utf-8", "replace").strip()
        raise Failure(f"baton {' '.join(words[:2])} failed with exit {done.returncode}: {told[-2000:]}") from None


def findings(report):
    return [finding for document in report.get("documents", []) for finding in document["findings"] if finding["severity"] == "HARD"]


def check_new(baton, keys, version):
    """A version is released once. Failure: the ledger has it."""
    _, found = run_json(baton, "ledger", "tail", "-n", "1", "--handoff", entry_id(version, SUMS), "--verdict", "recorded", *keys.ledger_flags()[:2])
    for entry in found["entries"]:
        raise Failure(f"REPLAYED_ID: version {version} is in the release ledger already, as entry {entry['seq']}; release under a new version")


def check_published(baton, keys, against):
    """The ledger must extend what was published last."""
    code, found = run_json(baton, "ledger", "checkpoint", *keys.ledger_flags()[:2])
    known = [str(pathlib.Path(name).resolve()) for name in against]
    if keys.checkpoint().is_file():
        known.append(str(keys.checkpoint()))
    if code == 0 and found["size"] > 0 and not known:
        raise Failure("the release ledger is not empty, and the checkpoint of the last published ledger/ is not known; give it with --against FILE")
    flags = [word for name in known for word in ("--against", name)]
    code, report = run_json(baton, "ledger", "verify", *keys.ledger_flags()[:2], *flags)
    if code != 0:
        raise Failure("the release ledger does not verify: " + "; ".join(f"{f['code']} {f['message']}" for f in findings(report)))


def record(baton, keys, folder, version):
    """Record every file of SHA256SUMS and then SHA256SUMS itself, each with a receipt."""
    for name in [*sorted(read_sums(folder)), SUMS]:
        code, report = run_json(baton, "ledger", "append", "--raw", name, "--no-document", "--id", entry_id(version, name), "--source", SOURCE,
                                "--target", version, "--actor", ACTOR, "--receipt", name + ".tlog-proof", *keys.ledger_flags(), cwd=folder)
        if code != 0:
            raise Failure(f"{name} was not recorded: " + "; ".join(f"{f['code']}: {f['message']}" for f in findings(report)))


def complete(baton, keys, folder, files, version, against):
    """Sums, signature, receipts and the public tree. After a failure the folder has no SHA256SUMS."""
    check_published(baton, keys, against)
    try:
        write_sums(folder, files)
        release_keys.sign(keys.ssh_key, folder / SUMS)
        (folder / "allowed_signers").write_text(release_keys.allowed_signers(keys.ssh_key))
        say("recording every file in the release ledger")
        record(baton, keys, folder, version)
        code, found = run_json(baton, "ledger", "checkpoint", *keys.ledger_flags()[:2])
        if code != 0:
            raise Failure("the checkpoint of the release ledger cannot be read")
        (folder / "release.vkey").write_text(found["vkey"] + "\n")
        output([baton, "ledger", "export", folder / "ledger", *keys.ledger_flags()[:2]])
        if keys.is_test():
            (folder / "TEST-KEYS").write_text("Signed and recorded with keys that anybody can compute. These files prove nothing.\n")
    except BaseException:
        for name in (SUMS, SUMS + ".sig"):
            (folder / name).unlink(missing_ok=True)
        raise


def publish(keys, folder):
    """Remember the checkpoint with which the next release must be consistent."""
    if not keys.is_test():
        shutil.copyfile(folder / "ledger/checkpoint", keys.checkpoint())
