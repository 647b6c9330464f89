# SPDX-License-Identifier: Apache-2.0
"""serve.py BATON BENCH_UNIVERSAL BENCH_SUBMIT FOLDER DATA - requests a second of the server beside nginx and beside the bare ledger.

The sides take turns on the same cores, with the same load and as many connections; rates are medians of the rounds, and so is the ratio of
two turns that follow each other, since other guests of the machine make it slow for seconds or minutes. nginx reads the same
POSTs and answers each with a static body of the size of the document. The bare ledger records the same
handoffs with the same inbox items, by as many threads as a commit of the server has decisions, without judging, without HTTP and without a
client, for which reason the client of the server is as light as it can be there.
"""
import contextlib
import json
import os
import pathlib
import re
import resource
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

ROUNDS = int(os.environ.get("BATON_ROUNDS", "9"))
SECONDS = int(os.environ.get("BATON_SECONDS", "3"))
CONNECTIONS = 64
SETTLE_S = 6
TURN_POSTS_MAX = 1 << 21  # of one thread of the client
SLOW = int(os.environ.get("BATON_SLOW", "1000"))
TRACE = "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"
NGINX = """worker_processes 2; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log crit;
events {{ worker_connections 2048; }}
http {{
  access_log off; keepalive_requests 1000000000; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fast; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi; client_body_buffer_size 64k;
  server {{
    listen 127.0.0.1:{port};
    location /static/ {{ alias {folder}/static/; default_type application/octet-stream; }}
    {parts}
    location / {{ return 200 "{body}"; }}
  }}
}}
"""
# Eight digits of the trace id differ from request to request, so that nothing can be remembered; turns begin where no turn before has been.
NUMBERED = """local file = io.open("{body}"); local text = file:read("*a"); file:close()
local count = {start}; local started = 0; local head, tail
local function cut(whole) local at = string.find(whole, "{trace}", 1, true); head, tail = string.sub(whole, 1, at - 1), string.sub(whole, at + 8) end
local function fresh() count = count + 1; return head .. string.format("%08x", count * 64 + number) .. tail end
function setup(thread) thread:set("number", started); started = started + 1 end
wrk.method = "POST"; wrk.headers["Content-Type"] = "application/json"
"""
POSTS = NUMBERED + "cut(text); function request() return wrk.format(nil, nil, nil, fresh()) end\n"
# The same from a request that is put together once, head and all.
LIGHT_POSTS = NUMBERED + "function init() cut(wrk.format(nil, nil, nil, text)) end; request = fresh\n"


def small():
    """A handoff of 500 to 600 bytes."""
    handoff = {"version": "3.0", "schema_type": "universal", "timestamp": "2026-04-14T08:30:00Z", "trace_id": TRACE,
               "source": {"skill": "release-planner", "workflow_id": "run-0412", "session_path": "work", "phase": "Triage"},
               "target": {"skill": "patch-builder"},
               "context": {"summary": "Build the fix for the date parser.", "problem_type": "implementation"},
               "payload": {"working": {"ticket": "DP-118", "files": ["parse.c", "date.c"], "note": "February has the usual days"}},
               "meta": {"token_count": 130, "confidence": "high"}}
    return json.dumps({"handoff": handoff}, separators=(",", ":"))


def nginx_conf(folder, port, size):
    """One that answers POSTs from its memory, which is the fastest it can do; a word of it has at most 4 KiB."""
    words = [min(1000, size - at) for at in range(0, size, 1000)]
    parts = " ".join(f"set $b{i} {'x' * length};" for i, length in enumerate(words))
    return NGINX.format(folder=folder, port=port, parts=parts, body="".join(f"$b{i}" for i in range(len(words))))


@contextlib.contextmanager
def running(command, **more):
    process = subprocess.Popen(command, **more)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def serving(baton, folder, name):
    """The server on a new store of its own."""
    subprocess.run([baton, "ledger", "init", "--store", f"{folder}/{name}.db", "--origin", f"bench.example/{name}"], stdout=subprocess.DEVNULL,
                   timeout=60, check=True)
    return running([baton, "serve", "--listen", "127.0.0.1:0", "--store", f"{folder}/{name}.db", "-f", "json", "--config", f"{folder}/baton.yaml"],
                   stdout=subprocess.PIPE, stderr=open(f"{folder}/{name}.log", "wb"), text=True)


def first_line(process):
    ready = json.loads(process.stdout.readline())
    return ready["listen"][0], ready["console"].split("token=")[1]


def post(url, body):
    with urllib.request.urlopen(urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"}), timeout=10) as answer:
        return answer.read()


def wrk(url, script=None, headers=(), seconds=SECONDS):
    """Requests a second, and the 99th percentile in milliseconds."""
    command = ["wrk", "-t2", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", "--timeout", "10s"]
    command += [word for name, value in headers for word in ("-H", f"{name}: {value}")] + (["-s", script] if script else []) + [url]
    out = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=True).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        raise SystemExit(out)
    number, unit = re.search(r"99%\s+([0-9.]+)(us|ms|s)", out).groups()
    return float(re.search(r"Requests/sec:\s+([0-9.]+)", out).group(1)), float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def show(name, ours, theirs, peer, want):
    (rate, late), (other, other_late) = ([statistics.median(column) for column in zip(*side)] for side in (ours, theirs))
    ratios = sorted(one[0] / beside[0] for one, beside in zip(ours, theirs))
    print(f"{name:34} {rate:9.0f} /s  p99 {late:7.2f} ms   {peer:22} {other:9.0f} /s  p99 {other_late:7.2f} ms   "
          f"ratio {statistics.median(ratios):5.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}; wanted {want})  "
          f"p99 {late / other_late if other_late else 0:5.2f} x", flush=True)


def in_turns(one, other):
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(one())
        theirs.append(other())
    return ours, theirs


def bench_check(baton, folder, name, text):
    """Judging, beside nginx with a body of the size of the document."""
    body = folder / f"{name}.json"
    body.write_text(text)
    script = folder / f"{name}.lua"
    script.write_text(POSTS.format(body=body, trace=TRACE, start=0))
    with serving(baton, folder, name) as server:
        url, _ = first_line(server)
        answer = post(f"{url}/v1/check", text)
        if b'"verdict":"accepted"' not in answer:
            raise SystemExit(answer.decode())
        port = 18000 + os.getpid() % 1000
        (folder / "nginx.conf").write_text(nginx_conf(folder, port, len(text)))
        with running(["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)], stderr=subprocess.DEVNULL):
            time.sleep(1)
            ours, theirs = in_turns(lambda: wrk(f"{url}/v1/check", script), lambda: wrk(f"http://127.0.0.1:{port}/", script))
    show(f"POST /v1/check, {len(text)} bytes", ours, theirs, f"nginx, {len(text)} static", 0.65)


def commits(url, token):
    """How many decisions the server has recorded, and in how many commits."""
    request = urllib.request.Request(f"{url}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        text = answer.read().decode()
    return [float(re.search(rf"^baton_ledger_batch_size_{what} (\S+)", text, re.M).group(1)) for what in ("sum", "count")]


def bench_submit(baton, peer, folder, text):
    """Durable submissions, beside as many writers to the ledger alone as a commit of the server has decisions."""
    body = folder / "submit.json"
    body.write_text(text)
    script = folder / "submit.lua"
    batches = []

    def bare():
        place = folder / f"bare{time.monotonic_ns()}"
        place.mkdir()
        out = subprocess.run([peer, place, body, str(batches[-1]), str(SECONDS)], capture_output=True, text=True, timeout=120, check=True)
        return float(out.stdout), 0.0

    def submit():
        script.write_text(LIGHT_POSTS.format(body=body, trace=TRACE, start=len(batches) * TURN_POSTS_MAX))
        before = commits(url, token)
        result = wrk(f"{url}/v1/handoffs", script)
        decisions, count = (after - earlier for after, earlier in zip(commits(url, token), before))
        batches.append(round(decisions / count))
        return result

    with serving(baton, folder, "submit") as server:
        url, token = first_line(server)
        post(f"{url}/v1/handoffs", text)
        show("POST /v1/handoffs, durable", *in_turns(submit, bare), f"store alone, {round(statistics.median(batches))} at once", 0.85)
        headers = [("Authorization", f"Bearer {token}")]
        request = urllib.request.Request(f"{url}/ledger/tile/0/000", headers=dict(headers))
        with urllib.request.urlopen(request, timeout=10) as answer:
            tile = answer.read()
        (folder / "static").mkdir(exist_ok=True)
        (folder / "static/tile").write_bytes(tile)
        port = 18000 + os.getpid() % 1000
        (folder / "nginx.conf").write_text(nginx_conf(folder, port, 1))
        with running(["nginx", "-c", str(folder / "nginx.conf"), "-p", str(folder)], stderr=subprocess.DEVNULL):
            time.sleep(1)
            show(f"GET /ledger/tile, {len(tile)} bytes",
                 *in_turns(lambda: wrk(f"{url}/ledger/tile/0/000", headers=headers), lambda: wrk(f"http://127.0.0.1:{port}/static/tile")),
                 "nginx, the same file", 0.6)


class SlowClients:
    """Clients that send a head or a body byte by byte, or take an answer so; who is cut comes again."""

    def __init__(self, place, count):
        self.place, self.cut, self.ended = place, 0, threading.Event()
        post = b"POST /v1/check HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n" % (place[0].encode(), place[1])
        get = b"GET /openapi.json HTTP/1.1\r\nHost: %s:%d\r\n" % (place[0].encode(), place[1])
        # What is sent at once; whether bytes follow. One that reads asks for far more than the buffers between hold.
        self.kinds = [(get, True), (post, True), ((get + b"\r\n") * 30, False)]
        self.clients = [self._begin(i) for i in range(count)]
        time.sleep(SETTLE_S)  # until the buffers between are full of answers: from now on these clients are only slow
        self.thread = threading.Thread(target=self._go_on, daemon=True)
        self.thread.start()

    def _begin(self, number):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(self.place)
        client.sendall(self.kinds[number % 3][0])
        client.setblocking(False)
        return client

    def _is_open(self, number):
        """One more byte, to it or from it."""
        try:
            if self.kinds[number % 3][1]:
                self.clients[number].send(b"x")
                self.clients[number].recv(1)
                return False  # it was told that its time is over
            return self.clients[number].recv(1) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _go_on(self):
        while not self.ended.wait(1):
            for number, client in enumerate(self.clients):
                if not self._is_open(number):
                    client.close()
                    self.clients[number] = self._begin(number)
                    self.cut += 1

    def close(self):
        self.ended.set()
        self.thread.join()
        for client in self.clients:
            client.close()


def bench_slow(baton, folder, text):
    """Judging alone, and beside clients that would keep a server busy for nothing."""
    body = folder / "slow.json"
    body.write_text(text)
    script = folder / "slow.lua"
    script.write_text(POSTS.format(body=body, trace=TRACE, start=0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    cut = 0
    with serving(baton, folder, "slow") as server:
        url, _ = first_line(server)
        host, port = url.rsplit("/", 1)[1].rsplit(":", 1)

        def beside():
            nonlocal cut
            slow = SlowClients((host, int(port)), SLOW)
            try:
                return wrk(f"{url}/v1/check", script)
            finally:
                slow.close()
                cut += slow.cut
        alone, crowded = in_turns(lambda: wrk(f"{url}/v1/check", script), beside)
    (rate, late), (other, other_late) = ([statistics.median(column) for column in zip(*side)] for side in (crowded, alone))
    print(f"{f'POST /v1/check, {SLOW} slow clients':34} {rate:9.0f} /s  p99 {late:7.2f} ms   {'alone':22} {other:9.0f} /s  p99 {other_late:7.2f} ms   "
          f"p99 {late / other_late:5.2f} x (wanted at most 2); {cut} slow ones cut", flush=True)


def main():
    baton, bench_universal, peer, folder, data = sys.argv[1:]
    folder = pathlib.Path(folder).resolve()
    os.environ["BATON_STATE_DIR"] = str(folder / "state")  # every run makes ledgers of the same origins
    # Rates are bounded per principal by default; here nothing but the work counts.
    (folder / "baton.yaml").write_text("limits:\n  connections: 20000\n  connections_per_address: 20000\n  header_timeout_s: 2\nrate:\n  check: 0\n  submit: 0\nlog:\n  level: error\n")
    large = subprocess.run([bench_universal, data, "handoff-4k"], capture_output=True, text=True, check=True).stdout.strip()
    for name, text in (("small", small()), ("large", large)):
        bench_check(baton, folder, name, text)
    bench_submit(baton, peer, folder, small())
    bench_slow(baton, folder, small())
    return 0


if __name__ == "__main__":
    sys.exit(main())
