# SPDX-License-Identifier: Apache-2.0
"""growth.py BATON BENCH_GROWTH FOLDER ENTRIES - what a server's work costs with 10^6 entries in its store and with ENTRIES.

The store is made by BENCH_GROWTH, one transaction for each 10,000 entries. At both sizes a server is started on it, and each operation is done one
request after the other. What counts is the processor time of the server for one request, since the clock says more about the disk
and the other guests of the machine. Before an operation is measured, it is done some times, so that caches are filled; submissions as often as the
filter of documents needs, which takes in 4,096 with each.
"""
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.parse

SMALL = 10**6
REQUESTS = int(os.environ.get("BATON_REQUESTS", "2000"))
WARM_UP = 500
FILTER_STEP = 4096  # documents that a submission adds to the filter
TICK = os.sysconf("SC_CLK_TCK")
TRACE_ENTRIES = 8
WANTED = 1.3
LIMIT_S = 36000


class Server:
    """The server on the store, with one connection to it."""

    def __init__(self, baton, store):
        begin = time.monotonic()
        self.log = open(f"{store}.log", "wb")
        self.process = subprocess.Popen([baton, "serve", "--listen", "127.0.0.1:0", "--store", store, "-f", "json", "--config", f"{store}.yaml"],
                                        stdout=subprocess.PIPE, stderr=self.log, text=True)
        ready = json.loads(self.process.stdout.readline())
        address = urllib.parse.urlsplit(ready["listen"][0])
        self.headers = {"Authorization": "Bearer " + ready["console"].split("token=")[1], "Content-Type": "application/json"}
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=60)
        self.ask("GET", "/readyz")
        self.started_s = time.monotonic() - begin

    def ask(self, method, path, body=None):
        self.connection.request(method, path, body, self.headers)
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {text.decode(errors='replace')}")
        return text

    def processor_s(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def resident_mb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024

    def close(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(timeout=60)
        self.log.close()


def handoff(number):
    return json.dumps({"handoff": {
        "version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z", "trace_id": f"6a0f2c1d-8b3e-4c57-9d21-{number:012x}",
        "source": {"skill": "release-planner", "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"},
        "target": {"skill": "patch-builder"}, "context": {"summary": "Build the fix for the date parser.", "problem_type": "implementation"},
        "payload": {"working": {"ticket": "DP-118"}}, "meta": {"token_count": 130, "confidence": "high"}}})


def operations(server, size):
    """What is done with a number that is another one each time; in this order, since the third takes what the first left."""
    day = time.strftime("%Y-%m-%d", time.gmtime())
    spread = lambda number: number * 7919 * 104729 % size
    return {
        "submission": lambda number: server.ask("POST", "/v1/handoffs", handoff(size + number)),
        "receipt": lambda number: server.ask("GET", f"/v1/handoffs/{spread(number)}/receipt"),
        "inbox take": lambda number: server.ask("POST", "/v1/inbox/patch-builder/take", '{"max": 1, "lease_s": 600}'),
        "trace look-up": lambda number: server.ask("GET", f"/v1/traces/trace-{spread(number) // TRACE_ENTRIES}"),
        "statistics": lambda number: server.ask("GET", f"/v1/stats?since={day}T00:00:00Z&until={day}T23:59:59Z&bucket=3600&by=agent"),
    }


def measure(baton, store, size):
    server = Server(baton, store)
    found = {}
    try:
        for name, do in operations(server, size).items():
            warm_up = WARM_UP + (size // FILTER_STEP if name == "submission" else 0)
            for number in range(warm_up):
                do(number)
            before = server.processor_s(), time.monotonic()
            for number in range(warm_up, warm_up + REQUESTS):
                do(number)
            found[name] = [(after - then) * 1e6 / REQUESTS for after, then in zip((server.processor_s(), time.monotonic()), before)]
            print(f"{size:>12,} entries: {name} {found[name][0]:.1f} us of processor, {found[name][1]:.0f} us by the clock", flush=True)
        memory = server.resident_mb()
        after = REQUESTS + WARM_UP + size // FILTER_STEP
        for name, command in (("store check", ["store", "check"]), ("verify", ["ledger", "verify", "--no-documents"])):
            begin = time.monotonic()
            with subprocess.Popen([baton, *command, "--store", store, "-f", "json"], stdout=subprocess.DEVNULL) as reading:
                served = 0
                while reading.poll() is None and time.monotonic() - begin < LIMIT_S:
                    operations(server, size)["submission"](after + served)
                    served += 1
                    time.sleep(0.01)
            print(f"{size:>12,} entries: {name} {time.monotonic() - begin:.1f} s, status {reading.returncode}, beside {served} submissions", flush=True)
            size += served
    finally:
        server.close()
    print(f"{size:>12,} entries: ready after {server.started_s:.2f} s, {memory:.0f} MB resident", flush=True)
    return found


def prepare(folder, settings=""):
    """An empty folder for a store, whose path is returned, and the configuration of its server."""
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    store = str(folder / "store.db")
    pathlib.Path(f"{store}.yaml").write_text(f"{settings}log:\n  level: error\n")
    os.environ["BATON_STATE_DIR"] = str(folder / "state")  # every run makes a ledger of the same origin
    return store


def main(baton, grow, folder, entries):
    store = prepare(folder, "rate:\n  check: 0\n  submit: 0\n")
    at, costs = 0, {}
    for size in sorted({min(SMALL, entries), entries}):
        print(f"{at:>12,} entries:", subprocess.run([grow, store, str(at), str(size)], capture_output=True, text=True, timeout=LIMIT_S, check=True).stdout,
              end="", flush=True)
        print(f"{size:>12,} entries: {os.stat(store).st_size / size:.0f} bytes each", flush=True)
        costs[size] = measure(baton, store, size)
        at = size
    first, last = min(costs), max(costs)
    for name, (processor, clock) in costs[last].items():
        ratio = processor / costs[first][name][0]
        print(f"{name:14} {costs[first][name][0]:8.1f} us of processor at {first:,} ({costs[first][name][1]:.0f} by the clock), {processor:8.1f} us at {last:,} "
              f"({clock:.0f}): {ratio:.2f} x (wanted at most {WANTED})")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
