# SPDX-License-Identifier: Apache-2.0
"""test_verify.py ROOT BUILD - a folder of released files: complete it passes, and every change to it is found."""
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from place import BATON, ROOT, equal, holds, tap

import keys as release_keys
import records
import verify
from run import Failure, Misuse

records.say = lambda words: None  # the output is TAP
VERSION = "0.1.0"
NOW = "2026-02-11T00:45:02Z"
FILES = {"baton-0.1.0.tar.xz": b"the source\n" * 1000, f"baton-{VERSION}.spdx.json": b"{}\n"}


def write_files(folder, version=VERSION, files=None):
    """Artefacts and their description; the names that SHA256SUMS lists."""
    files = files or FILES
    folder.mkdir(parents=True)
    tap.write(folder, files)
    listed = [{"file": name, "sha256": records.sha256(folder / name), "size": len(content), "kind": "source", "reproducible": None}
              for name, content in files.items() if not name.endswith(".spdx.json")]
    (folder / "release.json").write_text(json.dumps({"baton_release": 1, "version": version, "test_keys": True, "artefacts": listed}))
    return [*files, "release.json"]


@contextlib.contextmanager
def made():
    """A folder with keys and one complete release; yields the folder of the release and the keys."""
    with tempfile.TemporaryDirectory(prefix="baton-release-") as name:
        top = pathlib.Path(name)
        (top / "keys").mkdir()
        keys = release_keys.test(BATON, top / "keys", NOW)
        dist = top / "dist"
        records.complete(BATON, keys, dist, write_files(dist), VERSION, [])
        yield dist, keys


def complaints(dist, **more):
    return verify.Check(BATON, dist, **more).run()


@tap.claim
def a_complete_folder_passes_with_the_documented_commands():
    with made() as (dist, _):
        equal(complaints(dist), [])
        for command in ["sha256sum -c --quiet SHA256SUMS", "ssh-keygen -Y verify -f allowed_signers -I release -n baton-release -s SHA256SUMS.sig < SHA256SUMS",
                        f"'{BATON}' ledger verify-receipt release.json.tlog-proof --vkey @release.vkey --document release.json"]:
            done = subprocess.run(["sh", "-c", command], cwd=dist, capture_output=True, text=True, timeout=60, check=False)
            equal((command, done.returncode, done.stderr), (command, 0, ""))
        page = (ROOT / "docs/verify.md").read_text()
        for words in ("sha256sum -c SHA256SUMS", "ssh-keygen -Y verify -f allowed_signers -I release -n baton-release -s SHA256SUMS.sig < SHA256SUMS",
                      "baton ledger verify-receipt FILE.tlog-proof --vkey @release.vkey --document FILE"):
            holds(words, page)


@tap.claim
def the_command_exits_with_0_1_and_2():
    with made() as (dist, _):
        def run(*words):
            done = subprocess.run([str(ROOT / "script/release"), "verify", *map(str, words), "--baton", str(BATON)], capture_output=True, text=True, timeout=120, check=False)
            return done.returncode, done.stdout + done.stderr
        code, told = run(dist)
        equal(code, 0)
        holds("note: they were signed and recorded with test keys", told)
        (dist / "surplus").write_text("x")
        equal(run(dist), (1, "surplus: not listed in SHA256SUMS\n"))
        (dist / "SHA256SUMS").unlink()
        code, told = run(dist)
        equal(code, 2)
        holds("not a complete release", told)
        equal(run(dist / "missing")[0], 2)
        equal(run(dist, "--against", dist / "missing")[0], 2)


@tap.claim
def one_changed_byte_in_any_file_is_found():
    with made() as (dist, _):
        # The marker of test keys is checked by its presence.
        names = sorted(path.relative_to(dist).as_posix() for path in dist.rglob("*") if path.is_file() and path.name != "TEST-KEYS")
        equal(len([name for name in names if name.startswith("ledger/")]) >= 3, True)
        for name in names:
            before = (dist / name).read_bytes()
            for at in {0, len(before) // 2}:
                changed = bytearray(before)
                changed[at] ^= 1
                (dist / name).write_bytes(changed)
                if not complaints(dist):
                    raise AssertionError(f"byte {at} of {name} was changed unnoticed")
            (dist / name).write_bytes(before)
        equal(complaints(dist), [])


@tap.claim
def a_file_that_is_gone_or_surplus_is_found():
    with made() as (dist, _):
        for name in sorted(path.name for path in dist.iterdir() if path.is_file() and path.name != "SHA256SUMS"):
            before = (dist / name).read_bytes()
            (dist / name).unlink()
            if not complaints(dist):
                raise AssertionError(f"{name} is gone unnoticed")
            (dist / name).write_bytes(before)
        (dist / "extra.deb").write_bytes(b"surplus")
        equal(complaints(dist), ["extra.deb: not listed in SHA256SUMS"])


@tap.claim
def a_receipt_of_another_file_is_found():
    with made() as (dist, _):
        shutil.copy(dist / "release.json.tlog-proof", dist / "baton-0.1.0.tar.xz.tlog-proof")
        tap.expect_complaint(complaints(dist), "RECEIPT_DOCUMENT_MISMATCH")


@tap.claim
def a_receipt_under_another_name_or_version_is_found():
    with made() as (dist, keys):
        (dist / "release.json.tlog-proof").unlink()
        code, _ = records.run_json(BATON, "ledger", "append", "--raw", "release.json", "--no-document", "--id", "0.2.0/release.json", "--source", "baton",
                                   "--target", "0.2.0", "--actor", "release", "--receipt", "release.json.tlog-proof", *keys.ledger_flags(), cwd=dist)
        equal(code, 0)
        subprocess.run([str(BATON), "ledger", "export", str(dist / "ledger"), *keys.ledger_flags()[:2]], check=True, capture_output=True)
        found = complaints(dist)
        tap.expect_complaint(found, "handoff_id '0.2.0/release.json' instead of '0.1.0/release.json'")
        tap.expect_complaint(found, "target '0.2.0' instead of '0.1.0'")


@tap.claim
def a_signature_by_another_key_is_found():
    with made() as (dist, _):
        other = dist.parent / "other"
        other.touch(mode=0o600)
        other.write_text(release_keys.openssh_key(b"o" * 32))
        (dist / "SHA256SUMS.sig").unlink()
        release_keys.sign(other, dist / "SHA256SUMS")
        tap.expect_complaint(complaints(dist), "not signed by the release key")
        # With the keys of the folder replaced as well, only keys from elsewhere find it.
        signers = dist.parent / "kept_signers"
        shutil.copy(dist / "allowed_signers", signers)
        (dist / "allowed_signers").write_text(release_keys.allowed_signers(other))
        equal(complaints(dist), [])
        tap.expect_complaint(complaints(dist, signers=signers), "not signed by the release key")


@tap.claim
def names_of_sums_cannot_leave_the_folder():
    with made() as (dist, _):
        for line in ("../x", "/etc/passwd", "a/b", "SHA256SUMS", ""):
            (dist / "SHA256SUMS").write_text(f"{'0' * 64}  {line}\n")
            tap.expect_complaint(complaints(dist), "not a digest and the name of a file")


@tap.claim
def a_second_history_with_one_key_is_a_fork():
    with made() as (dist, _):
        kept = dist.parent / "kept"
        shutil.copy(dist / "ledger/checkpoint", kept)
        equal(complaints(dist, against=[kept]), [])
        folder = dist.parent / "second"
        folder.mkdir()
        keys = release_keys.test(BATON, folder, NOW)
        other = folder / "dist"
        files = {**FILES, "baton-0.1.0.tar.xz": b"another source\n"}
        records.complete(BATON, keys, other, write_files(other, files=files), VERSION, [])
        equal(complaints(other), [])
        tap.expect_complaint(complaints(other, against=[kept]), "LEDGER_FORK")


@tap.claim
def a_version_is_released_once_and_the_ledger_goes_on():
    with made() as (dist, keys):
        for attempt in (lambda: records.check_new(BATON, keys, VERSION), lambda: records.record(BATON, keys, again, VERSION)):
            again = dist.parent / "again"
            if not again.exists():
                records.write_sums(again, write_files(again))
            try:
                attempt()
            except Failure as why:
                holds("REPLAYED_ID", str(why))
            else:
                raise AssertionError("the same version was released twice")
        records.check_new(BATON, keys, "0.2.0")
        kept = dist / "ledger/checkpoint"
        later = dist.parent / "later"
        names = write_files(later, "0.2.0", {"baton-0.2.0.tar.xz": b"the next source\n", "baton-0.2.0.spdx.json": b"{}\n"})
        try:
            records.complete(BATON, keys, later, names, "0.2.0", [])
        except Failure as why:
            holds("give it with --against FILE", str(why))
        equal((later / "SHA256SUMS").exists(), False)
        records.complete(BATON, keys, later, names, "0.2.0", [kept])
        equal(complaints(later, against=[kept]), [])


@tap.claim
def a_failed_recording_leaves_no_sums():
    with made() as (dist, keys):
        again = dist.parent / "again"
        names = write_files(again)
        try:
            records.complete(BATON, keys, again, names, VERSION, [dist / "ledger/checkpoint"])
        except Failure as why:
            holds("REPLAYED_ID", str(why))
        equal([(again / name).exists() for name in ("SHA256SUMS", "SHA256SUMS.sig", "release.json")], [False, False, True])


@tap.claim
def keys_that_others_may_read_are_refused():
    with tempfile.TemporaryDirectory(prefix="baton-keys-") as name:
        folder = pathlib.Path(name)
        release_keys.test(BATON, folder, NOW)
        key, ssh_key = folder / "ledger.key", folder / "ssh-key"
        equal(release_keys.own(key, ssh_key).store, (folder / "store.db").resolve())
        for path in (key, ssh_key):
            path.chmod(0o640)
            try:
                release_keys.own(key, ssh_key)
            except Misuse as why:
                holds("can be read by others", str(why))
            else:
                raise AssertionError(f"{path.name} may be read by others")
            path.chmod(0o600)
        for wrong in (folder / "missing.key", ssh_key):
            try:
                release_keys.own(wrong, ssh_key)
            except Misuse:
                continue
            raise AssertionError(f"{wrong} is not a key of the ledger")


sys.exit(tap.run())
