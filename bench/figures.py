# SPDX-License-Identifier: Apache-2.0
"""figures.py BATON BENCH_GROWTH FOLDER ENTRIES - what the questions of the console cost with ENTRIES in the store.

BENCH_GROWTH spreads the entries over 30 days: 40 senders, 8 receivers, two dialects, one in ten rejected for one of 20 reasons. Each question is
asked of a server that has just started, where its first answer is timed, and then REQUESTS times, where the processor time of the server counts.
"""
import datetime
import subprocess
import sys
import time
import urllib.parse

import growth

REQUESTS = 20
DAYS = 30
WANTED_MS = 50
RANGES = {"15 min": (900, 30), "1 h": (3600, 60), "6 h": (21600, 300), "24 h": (86400, 3600), "7 d": (604800, 10800), "30 d": (2592000, 21600)}
GROUPINGS = ("verdict", "code", "agent", "dialect", "event", "edge")


def instant(seconds_ago):
    return (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def questions():
    """The paths that the pages ask for, by what they show."""
    for by in GROUPINGS:
        for name, (length, bucket) in RANGES.items():
            yield f"by {by}, {name}", "/v1/stats?" + urllib.parse.urlencode({"since": instant(length), "bucket": bucket, "by": by})
    feeds = {"newest": {}, "agent": {"agent": "agent-7"}, "rejected": {"verdict": "rejected"}, "code": {"code": "ADVISORY_IGNORED"},
             "agent, never rejected": {"agent": "agent-7", "verdict": "rejected"}, "edge": {"source": "agent-7", "target": "receiver-3"}, "absent agent": {"agent": "nobody"},
             "agent, absent code": {"agent": "agent-7", "code": "SELF_LOOP"}, "agent, since 30 d": {"agent": "agent-7", "since": instant(DAYS * 86400)},
             "code, up to 20 d ago": {"code": "ADVISORY_IGNORED", "until": instant(20 * 86400)}, "agent, oldest first": {"agent": "agent-7", "order": "asc"}}
    for name, filters in feeds.items():
        yield f"feed: {name}", "/v1/handoffs?" + urllib.parse.urlencode({"limit": 50, **filters})
    yield "find: handoff id", "/v1/handoffs?handoff_id=nothing&limit=3"
    yield "find: trace", "/v1/handoffs?trace_id=trace-77&limit=1"
    for path in ("handoffs/77", "handoffs/77/receipt", "traces/trace-77", "traces?limit=50", "inboxes", "govern/blocked", "approvals", "ledger"):
        yield path, f"/v1/{path}"
    yield "metrics", "/metrics"


def main(baton, grow, folder, entries):
    store = growth.prepare(folder)
    print(subprocess.run([grow, store, "0", str(entries), str(DAYS)], capture_output=True, text=True, timeout=growth.LIMIT_S, check=True).stdout, end="", flush=True)
    server = growth.Server(baton, store)
    over = []
    try:
        print(f"{'':28} first answer   processor time of each")
        for name, path in questions():
            begin = time.monotonic()
            size = len(server.ask("GET", path))
            first, before = (time.monotonic() - begin) * 1e3, server.processor_s()
            for _ in range(REQUESTS):
                server.ask("GET", path)
            spent = (server.processor_s() - before) * 1e3 / REQUESTS
            over += [name] if spent > WANTED_MS else []
            print(f"{name:28} {first:9.1f} ms {spent:12.1f} ms {size:12,} bytes", flush=True)
    finally:
        server.close()
    print(f"above {WANTED_MS} ms of processor time: {', '.join(over) or 'none'}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
