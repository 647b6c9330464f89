# SPDX-License-Identifier: Apache-2.0
"""serve_many.py BATON FOLDER - the server with many idle connections, many entries, a second node, and through another door.

serve.py has run in the same folder: what it recorded is the store that is full."""
import concurrent.futures
import os
import pathlib
import resource
import socket
import statistics
import subprocess
import sys
import time

import serve

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests/cli"))
import postgres_server  # noqa: E402

IDLE = int(os.environ.get("BATON_IDLE", "10000"))
STARTS = 5
MIB = 1 << 20
CALL = """{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
"io.modelcontextprotocol/clientCapabilities":{{}}}},"name":"check_handoff","arguments":{{"document":{document}}}}}}}"""
HEADERS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "check_handoff"}


def script_for(folder, name, text, headers=None):
    """What makes wrk send this, each time with another trace id."""
    body = folder / f"{name}.body"
    body.write_text(text)
    script = folder / f"{name}.lua"
    more = "".join(f'wrk.headers["{field}"] = "{value}"\n' for field, value in (headers or {}).items())
    script.write_text(serve.POSTS.format(body=body, trace=serve.TRACE, start=0) + more)
    return script


def resident(process):
    """Bytes of memory."""
    return int(pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * resource.getpagesize()


def idle_connections(url):
    """So many connections that have been of use once."""
    host, port = url.rsplit("/", 1)[1].rsplit(":", 1)
    request = f"GET /healthz HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    made = []
    for _ in range(IDLE):
        client = socket.create_connection((host, int(port)), 10)
        client.sendall(request)
        if not client.recv(4096).startswith(b"HTTP/1.1 200"):
            raise SystemExit("an idle connection was refused")
        made.append(client)
    return made


def bench_idle(baton, folder, text):
    """Judging alone, and while many others are connected and say nothing."""
    script = script_for(folder, "idle", text)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with serve.serving(baton, folder, "idle") as server:
        url, _ = serve.first_line(server)
        serve.wrk(f"{url}/v1/check", script, seconds=1)
        before = resident(server)
        others = idle_connections(url)
        more = resident(server) - before

        def alone():
            for client in others:
                client.close()
            others.clear()
            time.sleep(1)
            return serve.wrk(f"{url}/v1/check", script)

        def crowded():
            others.extend(idle_connections(url) if not others else [])
            return serve.wrk(f"{url}/v1/check", script)
        beside, without = serve.in_turns(crowded, alone)
    (rate, late), (other, other_late) = ([statistics.median(column) for column in zip(*side)] for side in (beside, without))
    print(f"{f'POST /v1/check, {IDLE} idle':34} {rate:9.0f} /s  p99 {late:7.2f} ms   {'alone':22} {other:9.0f} /s  p99 {other_late:7.2f} ms   "
          f"p99 {late / other_late:5.2f} x (wanted at most 1.2); {more / MIB:.1f} MiB more (wanted at most 64)", flush=True)


def bench_mcp(baton, folder, text):
    """The same judgement as a tool and as a path."""
    plain = script_for(folder, "plain", text)
    call = CALL.replace("\n", "").format(document=text)
    tool = script_for(folder, "tool", call, {**HEADERS, "Accept": "application/json, text/event-stream"})
    with serve.serving(baton, folder, "mcp") as server:
        url, _ = serve.first_line(server)
        serve.show("tools/call check_handoff, /mcp", *serve.in_turns(lambda: serve.wrk(f"{url}/mcp", tool), lambda: serve.wrk(f"{url}/v1/check", plain)),
                   "/v1/check", 0.7)


def until_ready(baton, folder, name):
    """Seconds until a server on this store accepts."""
    begun = time.monotonic()
    command = [baton, "serve", "--listen", "127.0.0.1:0", "--store", f"{folder}/{name}.db", "-f", "json", "--config", f"{folder}/baton.yaml"]
    with serve.running(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        server.stdout.readline()
        return time.monotonic() - begun


def bench_start(baton, folder, name):
    """Until ready with the entries that another row has left, beside an empty store."""
    subprocess.run([baton, "ledger", "init", "--store", f"{folder}/empty.db", "--origin", "bench.example/empty"], stdout=subprocess.DEVNULL, timeout=60, check=True)
    said = subprocess.run([baton, "ledger", "checkpoint", "--store", f"{folder}/{name}.db", "-f", "json"], capture_output=True, timeout=60, check=True).stdout
    size = serve.json.loads(said)["size"]
    full, empty = [], []
    for _ in range(STARTS):
        full.append(until_ready(baton, folder, name))
        empty.append(until_ready(baton, folder, "empty"))
    more = statistics.median(full) - statistics.median(empty)
    print(f"{f'ready with {size} entries':34} {statistics.median(full) * 1e3:9.0f} ms   {'an empty store':22} {statistics.median(empty) * 1e3:9.0f} ms   "
          f"{more * 1e3:.0f} ms more (wanted at most 1000 for a million)", flush=True)


def node(baton, folder, url, place):
    """One in the folder that has the key of the ledger."""
    return serve.running([baton, "serve", "--listen", "127.0.0.1:0", "--store", url, "-f", "json", "--config", f"{folder}/baton.yaml"],
                         cwd=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def bench_nodes(baton, folder, text):
    """Submissions to two nodes on one database, beside one of them; every node has as many connections."""
    script = script_for(folder, "nodes", text)
    with postgres_server.running(max_connections=500) as database:
        place = folder / "nodes"
        place.mkdir()
        url = f"{database}&schema=nodes"
        subprocess.run([baton, "ledger", "init", "--store", url, "--origin", "bench.example/nodes"], cwd=place, stdout=subprocess.DEVNULL, timeout=60, check=True)
        with node(baton, folder, url, place) as one, node(baton, folder, url, place) as other:
            urls = [serve.first_line(process)[0] + "/v1/handoffs" for process in (one, other)]

            def two():
                with concurrent.futures.ThreadPoolExecutor(2) as pool:
                    rates, lates = zip(*pool.map(lambda at: serve.wrk(at, script), urls))
                return sum(rates), max(lates)
            serve.show("POST /v1/handoffs, two nodes", *serve.in_turns(two, lambda: serve.wrk(urls[0], script)), "one node, PostgreSQL", 0.9)


def main():
    baton, folder = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    os.environ["BATON_STATE_DIR"] = str(folder / "state")  # every run makes ledgers of the same origins
    text = serve.small()
    bench_mcp(baton, folder, text)
    bench_idle(baton, folder, text)
    bench_start(baton, folder, "submit")
    reason = postgres_server.missing()
    if reason:
        print(f"two nodes: left out, {reason}")
    else:
        bench_nodes(baton, folder, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
