# SPDX-License-Identifier: Apache-2.0
"""parity_door.py [--root NAME=FOLDER]... - answer a line {"operation","request"} after the other with a line {"status","json"}, by the Python package."""
import json
import sys

import baton

roots = dict(word.split("=", 1) for word in sys.argv[1:] if word != "--root")
engine = baton.Engine(roots=roots)
for line in sys.stdin:
    asked = json.loads(line)
    reply = baton.call(asked["operation"], asked["request"].encode("utf-8", "surrogatepass"), engine=engine)
    print(json.dumps({"status": reply.status, "json": reply.json.decode()}), flush=True)
