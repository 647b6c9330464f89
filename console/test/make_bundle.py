# SPDX-License-Identifier: Apache-2.0
"""make_bundle.py BATON - print test/bundle.json: bundles of a ledger of version 2, one of them without an entry that belongs to it.

The key is that of the published seed, so the result is the same each time."""
import json
import pathlib
import subprocess
import sys
import tempfile

WITNESS = "witness.example/w1+5a2fdcbd+BMcCZ45mw7b3ulOFSBMsuEFFtcJsHSjXo2l4ZaxQkYPc"
NOW = "2026-02-11T00:45:02Z"


def main(baton):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def ask(*args):
            return subprocess.run([baton, *args], cwd=folder, env={"BATON_STATE_DIR": name, "HOME": name, "PATH": ""},
                                  check=True, capture_output=True).stdout.decode()
        made = json.loads(ask("ledger", "init", "--origin", "ledger.example/team", "--seed", "1", "--entries", "2", "-f", "json"))
        for number, (trace, text) in enumerate([("t-1", b"one\n"), ("t-2", b"two\n"), ("t-1", b"\xff\x00"), ("t-1", "</script> \u202e\n".encode()), ("t-2", b"five\n")]):
            (folder / "raw").write_bytes(text)
            ask("ledger", "append", "--raw", "raw", "--trace", trace, "--source", "clerk", "--target", f"desk-{number % 2}", "--now", NOW)
        ask("ledger", "redact", "0", "--reason", "erasure 7", "--now", NOW)

        def bundle(*flags):
            (folder / "b.json").unlink(missing_ok=True)
            ask("ledger", "bundle", "-o", "b.json", "--now", "2026-02-12T08:00:00Z", *flags)
            return (folder / "b.json").read_text().strip()
        trace = bundle("--trace", "t-1")
        gap = json.loads(bundle("--from", "0", "--to", "2"))
        gap["selection"].update(to=4)  # it says that it has all five
        print(json.dumps({"bundle": {"vkey": made["vkey"], "witness": WITNESS, "all": bundle(), "trace": trace, "gap": json.dumps(gap)}}, indent=1))


main(sys.argv[1])
