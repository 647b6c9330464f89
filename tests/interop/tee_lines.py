# SPDX-License-Identifier: Apache-2.0
"""tee_lines.py LOG [--rewrite] -- COMMAND... - run a server and keep what passes in LOG.in and LOG.out; with --rewrite as a proxy that parses and writes again."""
import json
import subprocess
import sys
import threading

dashes = sys.argv.index("--")
log, rewrites = sys.argv[1], "--rewrite" in sys.argv[:dashes]
server = subprocess.Popen(sys.argv[dashes + 1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def copy(source, target, name):
    with open(f"{log}.{name}", "wb", buffering=0) as kept:
        for line in source:
            line = json.dumps(json.loads(line)).encode() + b"\n" if rewrites else line
            kept.write(line)
            try:
                target.write(line)
                target.flush()
            except BrokenPipeError:
                break
    target.close()


asking = threading.Thread(target=copy, args=(sys.stdin.buffer, server.stdin, "in"), daemon=True)
asking.start()
copy(server.stdout, sys.stdout.buffer, "out")
sys.exit(server.wait())
