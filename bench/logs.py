# SPDX-License-Identifier: Apache-2.0
"""logs.py BATON FOLDER - many logs on one server, in SQLite: memory, open files, start, first requests, and decisions spread over all logs beside one log.

BATON_LOGS (10000) and BATON_DECISIONS (20000) are how many; the logs stay in FOLDER for the next run. The column `on paper` has the figures of the design."""
import concurrent.futures
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/cli"))

from handoffs import handoff, text_of  # noqa: E402

BATON = str(pathlib.Path(sys.argv[1]).resolve())
FOLDER = pathlib.Path(sys.argv[2]).resolve()
LOGS = int(os.environ.get("BATON_LOGS", "10000"))
DECISIONS = int(os.environ.get("BATON_DECISIONS", "20000"))
OPEN = min(256, LOGS)
CLIENTS = 32
PROBES = min(200, LOGS)
NAMES = [f"log-{number:05}" for number in range(LOGS)]


def environment(folder):
    """What these logs had is remembered beside them, so that another number of logs may use the same origins."""
    return {**os.environ, "BATON_STATE_DIR": str(folder / "state")}


class Node:
    def __init__(self, folder):
        self.began = time.monotonic()
        self.child = subprocess.Popen([BATON, "serve", "--listen", "127.0.0.1:0", "--store", "s.db", "-f", "json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder, env=environment(folder))
        ready = json.loads(self.child.stdout.readline())
        self.start_ms = (time.monotonic() - self.began) * 1000
        self.port = int(ready["listen"][0].rsplit(":", 1)[1])
        self.headers = {"Content-Type": "application/json", "Authorization": "Bearer " + ready["console"].split("#token=")[1]}

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def ask(self, connection, method, path, body=None):
        connection.request(method, path, body, self.headers)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def memory_kib(self):
        status = pathlib.Path(f"/proc/{self.child.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def files(self):
        """Open files of logs; one that is closed meanwhile is not counted."""
        count = 0
        for link in pathlib.Path(f"/proc/{self.child.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):
                count += "/logs/" in os.readlink(link)
        return count

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        self.child.terminate()
        try:
            self.child.wait(300)
        except subprocess.TimeoutExpired:  # the figures are worth more than a graceful stop
            self.child.kill()
            self.child.wait()
            print("the server did not stop within 300 s", file=sys.stderr)


def make(name, folder, store):
    if not (folder / store).exists():
        (folder / store).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([BATON, "ledger", "init", "--origin", f"logs.example/{name}", "--store", store, "--no-config", "--deadline", "60000"], cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment(folder))


def prepare(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "baton.yaml").write_text(f"limits: {{record_deadline_ms: 60000, in_flight: 4096}}\nrate: {{submit: 0, check: 0}}\nlogs: {{root: logs, max: 100000, open: {OPEN}}}\n")
    make("default", folder, "s.db")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: make(name, folder, f"logs/{name}/store.db"), names))


def submit(node, path_of, label):
    """Decisions a second, over all clients."""
    numbers = itertools.count()

    def work(_):
        connection, bad = node.connect(), 0
        while (number := next(numbers)) < DECISIONS:
            body = text_of(handoff(context={"summary": f"{label} {os.getpid()} {number}"}))
            bad += node.ask(connection, "POST", path_of(number) + "/v1/handoffs", body)[0] != 201
        return bad
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        bad = sum(pool.map(work, range(CLIENTS)))
    return DECISIONS / (time.monotonic() - began), bad


def first_ms(node, names):
    connection, times = node.connect(), []
    for name in names:
        began = time.monotonic()
        status, _ = node.ask(connection, "GET", f"/logs/{name}/v1/ledger")
        times.append((time.monotonic() - began) * 1000)
        assert status == 200, (name, status)
    return statistics.median(times)


def measure(node, base, empty_ms):
    """The rows of the table."""
    rows = [("start of the server", f"{node.start_ms:.0f} ms, with no logs {empty_ms:.0f} ms", "< 100 ms for the listing"),
            ("memory of a log that is known and closed", f"{max(0, node.memory_kib() - base) * 1024 / LOGS:.0f} bytes", "200 bytes")]
    before = node.memory_kib()
    closed = first_ms(node, NAMES[:PROBES])
    again = first_ms(node, NAMES[max(0, PROBES - OPEN):PROBES])
    rows.append(("first request to a closed log, median", f"{closed:.1f} ms, to an open one {again:.1f} ms", "<= 10 ms"))
    for name in NAMES[:OPEN]:
        node.ask(node.connect(), "POST", f"/logs/{name}/v1/handoffs", text_of(handoff(context={"summary": f"open {os.getpid()} {name}"})))
    rows.append((f"memory of an open log, {OPEN} open", f"{(node.memory_kib() - before) / 1024 / OPEN:.2f} MiB", "2.5 MiB"))
    rows.append(("open files of an open log", f"{node.files() / OPEN:.1f}", "3"))
    one, bad = submit(node, lambda number: "", "one")
    rows.append(("decisions a second in one log", f"{one:.0f}" + (f", {bad} refused" if bad else ""), "-"))
    few, bad = submit(node, lambda number: f"/logs/{NAMES[number % OPEN]}", "few")
    rows.append((f"decisions a second over {OPEN} open logs", f"{few:.0f}, {few / one:.2f} of one log" + (f", {bad} refused" if bad else ""), "-"))
    many, bad = submit(node, lambda number: f"/logs/{NAMES[number * 7919 % LOGS]}", "many")
    rows.append((f"decisions a second over {LOGS} logs, {OPEN} open", f"{many:.0f}, {many / one:.2f} of one log" + (f", {bad} refused" if bad else ""), "167 wanted"))
    rows.append(("memory of the server at the end", f"{node.memory_kib() / 1024:.0f} MiB", "642 MiB and the server"))
    return rows


def main():
    prepare(FOLDER / "none", [])
    prepare(FOLDER / f"many-{LOGS}", NAMES)
    with Node(FOLDER / "none") as none:
        base, empty_ms = none.memory_kib(), none.start_ms
    with Node(FOLDER / f"many-{LOGS}") as node:
        rows = measure(node, base, empty_ms)
    print(f"{LOGS} logs, {DECISIONS} decisions, {CLIENTS} connections")
    for what, seen, paper in (("what", "seen", "on paper"), *rows):
        print(f"{what:<52} {seen:<44} {paper}")


main()
