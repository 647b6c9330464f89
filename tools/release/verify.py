# SPDX-License-Identifier: Apache-2.0
"""verify.py - check a folder of released files: sums, signature, a receipt for every file, and the public tree.

Keys come from the caller or, by default, from the folder itself; those only prove that the folder agrees with itself.
"""
import json
import pathlib

import keys as release_keys
import records
from run import Failure, Misuse

RECEIPT = ".tlog-proof"
# Files that prove the others, and that nothing else can prove.
UNLISTED = {records.SUMS, records.SUMS + ".sig", "release.vkey", "allowed_signers", "TEST-KEYS"}


class Check:
    def __init__(self, baton, folder, vkey=None, signers=None, against=()):
        self.baton, self.folder = baton, pathlib.Path(folder)
        self.vkey = vkey or f"@{self.folder / 'release.vkey'}"
        self.signers = pathlib.Path(signers) if signers else self.folder / "allowed_signers"
        self.against = [str(pathlib.Path(name).resolve()) for name in against]
        self.complaints, self.sums, self.version, self.uses_own_keys = [], {}, "", not (vkey and signers)

    def complain(self, name, what):
        self.complaints.append(f"{name}: {what}")

    def check_sums(self):
        for name, digest in self.sums.items():
            path = self.folder / name
            if path.is_symlink() or not path.is_file():
                self.complain(name, "missing, although SHA256SUMS lists it")
            elif records.sha256(path) != digest:
                self.complain(name, "its SHA-256 differs from SHA256SUMS")

    def check_surplus(self):
        """Nothing lies here that is neither listed nor a proof of what is listed."""
        known = UNLISTED | set(self.sums) | {name + RECEIPT for name in [*self.sums, records.SUMS]}
        for path in sorted(self.folder.iterdir()):
            if path.name == "ledger" and path.is_dir() and not path.is_symlink():
                continue
            if path.name not in known:
                self.complain(path.name, "not listed in SHA256SUMS")

    def check_signature(self):
        if not (self.folder / (records.SUMS + ".sig")).is_file():
            self.complain(records.SUMS + ".sig", "missing")
            return
        wrong = release_keys.is_signed(self.folder, self.signers)
        if wrong:
            self.complain(records.SUMS, f"not signed by the release key: {wrong}")

    def check_description(self):
        """release.json says the same as the folder; its version is that of every receipt."""
        if "release.json" not in self.sums:
            self.complain("release.json", "not listed in SHA256SUMS")
            return
        try:
            told = json.loads((self.folder / "release.json").read_text(encoding="utf-8"))
            self.version = told["version"]
            if told["baton_release"] != 1 or not isinstance(self.version, str):
                raise ValueError("another version of the format")
            listed = {item["file"]: (item["sha256"], item["size"]) for item in told["artefacts"]}
            is_test = told["test_keys"]
        except (OSError, ValueError, KeyError, TypeError) as why:
            self.complain("release.json", f"cannot be used: {why!r}")
            return
        for name, (digest, size) in listed.items():
            path = self.folder / name
            if self.sums.get(name) != digest or not path.is_file() or path.stat().st_size != size:
                self.complain("release.json", f"{name} has another digest or size")
        for name in sorted(set(self.sums) - set(listed) - {"release.json", f"baton-{self.version}.spdx.json"}):
            self.complain("release.json", f"{name} is not one of its artefacts")
        if is_test != (self.folder / "TEST-KEYS").exists():
            self.complain("release.json", "test_keys and the file TEST-KEYS disagree")

    def check_receipt(self, name):
        path = self.folder / (name + RECEIPT)
        if not path.is_file():
            self.complain(name, "has no receipt")
            return
        if not (self.folder / name).is_file():
            return
        code, report = records.run_json(self.baton, "ledger", "verify-receipt", str(path), "--vkey", self.vkey, "--document", str(self.folder / name))
        if code != 0:
            for finding in records.findings(report):
                self.complain(path.name, f"{finding['code']}: {finding['message']}")
            return
        entry = report["documents"][0]["facts"]["entry"]
        expected = {"kind": "raw", "verdict": "recorded", "actor": records.ACTOR, "source": records.SOURCE, "target": self.version,
                    "handoff_id": records.entry_id(self.version, name).lower()}
        for member, value in expected.items():
            if entry.get(member) != value:
                self.complain(path.name, f"its entry has {member} {entry.get(member)!r} instead of {value!r}")
        document = entry.get("document", {})
        digest = self.sums.get(name) or records.sha256(self.folder / name)
        if (document.get("sha256"), document.get("size")) != (digest, (self.folder / name).stat().st_size):
            self.complain(path.name, "its entry has another digest or size")

    def check_tree(self):
        """The public tree holds every receipt's tree, and what was published before."""
        if not (self.folder / "ledger/checkpoint").is_file():
            self.complain("ledger", "has no checkpoint")
            return
        receipts = [str(self.folder / (name + RECEIPT)) for name in [*self.sums, records.SUMS] if (self.folder / (name + RECEIPT)).is_file()]
        flags = [word for name in [*self.against, *receipts] for word in ("--against", name)]
        code, report = records.run_json(self.baton, "ledger", "verify", "--tree", str(self.folder / "ledger"), "--vkey", self.vkey, *flags)
        if code != 0:
            for finding in records.findings(report):
                self.complain("ledger", f"{finding['code']}: {finding['message']}")

    def run(self):
        """Complaints, none when the folder is what was released. Misuse: it is not a folder of a release."""
        if not self.folder.is_dir():
            raise Misuse(f"{self.folder} is not a folder")
        try:
            self.sums = records.read_sums(self.folder)
        except OSError as why:
            raise Misuse(f"{self.folder} is not a complete release: {records.SUMS}: {why.strerror}") from why
        except ValueError as why:
            return [str(why)]
        for name in self.against:
            if not pathlib.Path(name).is_file():
                raise Misuse(f"--against {name}: no such file")
        self.check_sums()
        self.check_surplus()
        self.check_signature()
        self.check_description()
        try:
            for name in [*self.sums, records.SUMS]:
                self.check_receipt(name)
            self.check_tree()
        except Failure as why:
            self.complaints.append(str(why))
        return self.complaints
