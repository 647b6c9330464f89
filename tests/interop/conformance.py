# SPDX-License-Identifier: Apache-2.0
"""conformance.py BATON PEERS - the official conformance suite of the Model Context Protocol against `baton serve`.

Every scenario that a requirement set scores must pass, and so must the named ones that it does not score. Without its
fixtures the server must fail: a suite that passes whatever it meets proves nothing."""
import json
import os
import re
import subprocess
import sys

SETS = {"2026-07-28": 37, "2025-11-25": 30}
NAMED = {"2026-07-28": ("http-header-validation", "http-custom-header-server-validation", "json-schema-2020-12"), "2025-11-25": ("json-schema-2020-12",)}


class Server:
    def __init__(self, baton, *flags, path="/mcp"):
        self.child = subprocess.Popen([baton, "serve", "--no-store", "--listen", "127.0.0.1:0", "-f", "json", *flags],
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.url = json.loads(self.child.stdout.readline())["listen"][0] + path

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(30)
        self.child.stdout.close()


def suite(peers, url, *words):
    node = os.path.join(peers, "node", "bin", "node")
    program = os.path.join(peers, "@modelcontextprotocol", "conformance", "dist", "index.js")
    result = subprocess.run([node, program, "server", "--url", url, *words], capture_output=True, text=True, timeout=600)
    rows = re.findall(r"^(✓|✗) (\S+): (\d+) passed, (\d+) failed", result.stdout, re.M)
    return result.returncode, {name: mark == "✓" for mark, name, _, _ in rows}, set(re.findall(r"^  [✓✗] (\S+) \(", result.stdout, re.M))


def main():
    baton, peers = sys.argv[1:]
    good = bad = 0
    with Server(baton, "--conformance-fixtures") as server:
        for revision, count in SETS.items():
            code, rows, unscored = suite(peers, server.url, "--requirements", revision)
            scored = [name for name in rows if name not in unscored]
            print(f"{revision}: {sum(rows[name] for name in scored)} of {len(scored)} scored scenarios pass")
            for name in [*scored, *NAMED[revision]]:
                print(f"  {'ok    ' if rows.get(name) else 'not ok'} {name}")
                good += bool(rows.get(name))
                bad += not rows.get(name)
            if len(scored) != count or code != 0:
                print(f"  not ok {count} scenarios are scored and the suite is content: it scores {len(scored)} and ends with {code}")
                bad += 1
    with Server(baton) as bare:
        code, rows, _ = suite(peers, bare.url, "--scenario", "tools-call-simple-text", "--spec-version", "2025-11-25")
        print(f"without fixtures: {'fails, as it must' if code else 'passes, which it must not'}")
        bad += code == 0
    print(f"{good} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
