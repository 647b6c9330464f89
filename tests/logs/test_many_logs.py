# SPDX-License-Identifier: Apache-2.0
"""test_many_logs.py BATON - one server with many logs: who may use which, what is closed, what a damaged one does to the others."""
import concurrent.futures
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from handoffs import handoff, text_of  # noqa: E402
from program import claim, equal, expect, finish, run, until  # noqa: E402
from server import bearer, make_token, serving  # noqa: E402

CONFIG = "limits: {record_deadline_ms: 60000}\nlogs: {root: logs}\n"
JSON = {"Content-Type": "application/json"}
# How every scope is asked for something: method, path, body.
PATHS = [("GET", "/v1/ledger", None), ("GET", "/v1/handoffs", None), ("POST", "/v1/handoffs", {"x": 1}), ("GET", "/ledger/checkpoint", None),
         ("GET", "/v1/ledger/entries", None), ("GET", "/v1/govern/blocked", None), ("GET", "/v1/version", None), ("GET", "/readyz", None)]


def new(folder, *names):
    for name in names:
        expect(run("ledger", "log", "new", name, "--origin", f"logs.example/{name}", "--config", "baton.yaml", cwd=folder), 0)


def bare(answer):
    """An answer without what differs between any two requests."""
    body = re.sub(rb'"instance":"[^"]*"', b"", answer.body)
    return answer.status, {name: value for name, value in answer.headers.items() if name not in ("x-request-id", "traceresponse", "date")}, body


def submit(server, log, number, who=None):
    body = text_of(handoff(context={"summary": f"job {number}"}))
    return server.ask("POST", f"/logs/{log}/v1/handoffs" if log else "/v1/handoffs", body, {**JSON, **bearer(who or server.console)})


def record_of(answer):
    equal((answer.status, answer.body if answer.status != 201 else b""), (201, b""))
    return answer.json()["documents"][0]["record"]


def size(server, log, who=None):
    answer = server.ask("GET", f"/logs/{log}/v1/ledger" if log else "/v1/ledger", None, bearer(who or server.console))
    return answer.json()["size"] if answer.status == 200 else answer.status


def figure(server, state):
    text = server.ask("GET", "/metrics", None, bearer(server.console)).body.decode()
    return int(re.search(rf'^baton_logs\{{state="{state}"\}} (\d+)', text, re.M)[1])


@claim
def every_log_has_its_own_origin_and_numbers():
    with serving(config=CONFIG) as server:
        new(server.folder, "acme", "blue")
        for log, expected in (("acme", 0), ("acme", 1), ("blue", 0), ("", 0), ("acme", 2)):
            answer = submit(server, log, expected)
            record = record_of(answer)
            equal((log, record["seq"], record["ref"].split("#")[0]), (log, expected, f"logs.example/{log}" if log else "ledger.example/live"))
            equal(answer.headers["location"], f"{'/logs/' + log if log else ''}/v1/handoffs/{expected}")
        equal([size(server, log) for log in ("acme", "blue", "")], [3, 1, 1])
        equal(server.ask("GET", "/logs/acme/ledger/checkpoint", None, bearer(server.console)).body.startswith(b"logs.example/acme\n3\n"), True)
        for path in ("/logs/acme/v1/pump/status", "/logs/acme/mcp", "/logs/acme/a2a", "/logs/acme", "/logs/acme/v1/admin/logs", "/logs/ACME/v1/ledger", "/logs/acme/logs/blue/v1/ledger"):
            equal((path, server.ask("GET", path, None, bearer(server.console)).status), (path, 404))


@claim
def a_log_that_is_not_yours_looks_like_one_that_does_not_exist():
    tokens = {"plain": "check,submit,operate,admin"}
    with serving(config=CONFIG, tokens=tokens) as server:
        folder = server.folder
        new(folder, "acme", "blue")
        who = {"plain": server.tokens["plain"]}
        for name, logs in (("acme", ["acme"]), ("both", ["acme", "blue"]), ("all", ["*"]), ("ghost", ["ghost"])):
            who[name] = make_token(folder, name, "check,submit,operate,admin", *[word for log in logs for word in ("--log", log)])
        who["weak"] = make_token(folder, "weak", "check", "--log", "acme")
        equal(json.loads((folder / "tokens.json").read_text())["baton_tokens"], 2)
        equal(server.ask("POST", "/v1/admin/reload", None, bearer(who["plain"])).status, 200)
        may = {"plain": "", "acme": "acme", "both": "acme blue", "all": "acme blue", "ghost": "", "weak": "acme"}
        unknown = {(method, path): bare(server.ask(method, "/logs/nowhere" + path, body, {**JSON, **bearer(who["plain"])})) for method, path, body in PATHS}
        checked = 0
        for name, allowed in may.items():
            for log in ("acme", "blue", "nowhere", "ghost"):
                for method, path, body in PATHS:
                    answer = server.ask(method, f"/logs/{log}{path}", body, {**JSON, **bearer(who[name])})
                    if log in allowed.split():
                        equal((name, log, path, answer.status != 404), (name, log, path, True))
                        continue
                    equal((name, log, path, bare(answer)), (name, log, path, unknown[method, path]))
                    checked += 1
        equal(checked > 100, True)
        for log in ("acme", "nowhere"):  # without a credential: the same for both, and not 404
            equal(bare(server.ask("GET", f"/logs/{log}/v1/ledger"))[0], 401)
        equal(server.ask("GET", "/logs/acme/v1/ledger/entries", None, bearer(who["weak"])).status, 403)
        seen = {name: [log["name"] for log in server.ask("GET", "/v1/admin/logs", None, bearer(who[name])).json()["logs"]] for name in ("acme", "all", "plain")}
        operator = make_token(folder, "op", "operate", "--log", "blue")
        lonely = make_token(folder, "lonely", "operate")
        server.ask("POST", "/v1/admin/reload", None, bearer(who["plain"]))
        seen.update({name: [log["name"] for log in server.ask("GET", "/v1/admin/logs", None, bearer(token)).json()["logs"]] for name, token in (("op", operator), ("lonely", lonely))})
        equal(seen, {"acme": ["acme", "blue"], "all": ["acme", "blue"], "plain": ["acme", "blue"], "op": ["blue"], "lonely": []})


@claim
def scitt_paths_of_a_log_answer_in_cbor():
    problem = "application/concise-problem-details+cbor"
    with serving(config=CONFIG, tokens={"plain": "check,submit,admin"}) as server:
        new(server.folder, "acme", "blue")
        mine, only = (make_token(server.folder, name, "submit", "--log", name) for name in ("acme", "blue"))
        equal(server.ask("POST", "/v1/admin/reload", None, bearer(server.tokens["plain"])).status, 200)
        seq = record_of(submit(server, "acme", 1, mine))["seq"]
        rows = ((f"/entries/{seq}", 200, "application/cose"), ("/.well-known/scitt-keys", 200, "application/cbor"), ("/entries/99", 404, problem),
                ("/entries/x", 404, problem), ("/.well-known/scitt-keys/x", 404, problem))
        for path, status, form in rows:
            answer = server.ask("GET", f"/logs/acme{path}", None, bearer(mine))
            equal((path, answer.status, answer.headers["content-type"]), (path, status, form))
            if status == 404:
                equal((path, answer.body), (path, server.ask("GET", path, None, bearer(server.tokens["plain"])).body))
        equal(b"logs.example/acme" in server.ask("GET", f"/logs/acme/entries/{seq}", None, bearer(mine)).body, True)
        # a log that is not the caller's, and one that does not exist
        foreign = [server.ask("GET", f"/logs/{log}/entries/{seq}", None, bearer(only)) for log in ("acme", "nowhere")]
        equal([(answer.status, answer.headers["content-type"]) for answer in foreign], [(404, problem)] * 2)
        equal(bare(foreign[0]), bare(foreign[1]))
        equal(server.ask("POST", "/logs/acme/entries", b"x", bearer(mine)).headers["content-type"], problem)
        # also before the path is looked at
        refused = server.ask("GET", "/logs/acme/entries/0", None, {**bearer(mine), "Origin": "https://elsewhere.example"})
        equal((refused.status, refused.headers["content-type"]), (403, problem))


@claim
def local_callers_and_public_trees_are_of_the_default_log():
    with serving(config=CONFIG + "ledger: {public: true}\n") as server:
        new(server.folder, "acme")
        equal((server.ask("GET", "/ledger/checkpoint").status, server.ask("GET", "/logs/acme/ledger/checkpoint").status), (200, 404))
        equal((server.ask("GET", "/v1/ledger").status, server.ask("GET", "/logs/acme/v1/ledger").status), (200, 404))


@claim
def logs_are_made_over_http_and_tokens_files_are_read_strictly():
    with serving(config="limits: {record_deadline_ms: 60000}\nlogs: {root: logs, max: 2}\n") as server:
        def make(body):
            return server.ask("POST", "/v1/admin/logs", body, {**JSON, **bearer(server.console)})
        made = make({"name": "acme", "origin": "logs.example/acme", "entries": 2})
        equal((made.status, made.json()["name"], made.json()["size"], made.json()["vkey"].split("+")[0]), (200, "acme", 0, "logs.example/acme"))
        equal(size(server, "acme"), 0)
        for body in ({"name": "acme", "origin": "x/y"}, {"name": "b", "origin": "logs.example/acme"}, {"name": "B", "origin": "x/y"}, {"name": "b"}, {"name": "b", "origin": "x/y", "entries": 3}):
            equal((body, make(body).status), (body, 400))
        equal((make({"name": "b", "origin": "x/b"}).status, make({"name": "c", "origin": "x/c"}).status), (200, 400))
        equal([(log["name"], log["size"]) for log in server.ask("GET", "/v1/admin/logs", None, bearer(server.console)).json()["logs"]], [("acme", 0), ("b", 0)])
        folder = server.folder
        make_token(folder, "a", "check", "--log", "acme")
        text = (folder / "tokens.json").read_text()
        for broken in (text.replace('"baton_tokens":2', '"baton_tokens":1'), text.replace('["acme"]', "[]"), text.replace('"acme"', '"A"'), text.replace('"baton_tokens":2', '"baton_tokens":3')):
            (folder / "tokens.json").write_text(broken)
            expect(run("token", "list", "--tokens", "tokens.json", cwd=folder), 2, err="tokens.json")
        for flags in (["--log", "A"], ["--log", "a", "--log", "a"], ["--log", ""]):
            expect(run("token", "new", "--tokens", "new.json", "--name", "n", "--scopes", "check", *flags, cwd=folder), 2, err="--log")


@claim
def the_log_used_least_recently_is_closed():
    with serving(config="limits: {record_deadline_ms: 60000}\nlogs: {root: logs, open: 3, writers: 2}\n") as server:
        names = [f"log-{number}" for number in range(8)]
        new(server.folder, *names)
        for turn in range(3):
            for name in names:
                submit(server, name, turn)
                equal(figure(server, "open") <= 3, True)
        equal((figure(server, "open"), figure(server, "known")), (3, 8))
        opened = {os.readlink(link) for link in pathlib.Path(f"/proc/{server.child.pid}/fd").iterdir() if link.is_symlink()}
        equal({path.split("/")[-2] for path in opened if path.endswith("/store.db") and "/logs/" in path}, set(names[-3:]))
        equal([size(server, name) for name in names], [3] * 8)


@claim
def many_callers_of_many_logs_lose_nothing():
    with serving(config="limits: {record_deadline_ms: 60000, in_flight: 4096}\nrate: {submit: 0, check: 0}\nlogs: {root: logs, open: 5, writers: 3}\n") as server:
        names = [f"log-{number}" for number in range(12)]
        new(server.folder, *names)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(lambda number: (number, submit(server, names[number % 12], number)), range(360)))
        kept = {name: 0 for name in names}
        for number, answer in answers:
            equal(record_of(answer)["ref"].split("#")[0], f"logs.example/{names[number % 12]}")
            kept[names[number % 12]] += 1
        equal(sum(kept.values()), 360)
        equal({name: size(server, name) for name in names}, kept)


@claim
def a_damaged_log_is_unavailable_and_the_others_go_on():
    with serving(config=CONFIG) as server:
        new(server.folder, "good", "back", "torn", "key")
        for name in ("good", "back", "torn", "key"):
            submit(server, name, 0)
        equal([size(server, name) for name in ("good", "back", "torn", "key")], [1, 1, 1, 1])
        server.stop()
        logs = server.folder / "logs"
        saved = (logs / "back/store.db").read_bytes()
        expect(run("ledger", "append", "--log", "back", "--raw", "baton.yaml", "--config", "baton.yaml", cwd=server.folder), 0)
        (logs / "back/store.db").write_bytes(saved)  # an older copy: D9
        (logs / "torn/store.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
        (logs / "key/ledger.key").unlink()
        server.__init__(server.folder, "--store", "s.db")
        for name in ("back", "torn", "key"):
            answer = submit(server, name, 1)
            equal((name, answer.status, "retry-after" in answer.headers), (name, 503, True))
            equal((name, size(server, name)), (name, 503))
        equal((submit(server, "good", 1).status, size(server, "good"), size(server, ""), server.ask("GET", "/readyz").status), (201, 2, 0, 200))


@claim
def a_stream_follows_its_log_alone():
    with serving(config=CONFIG) as server:
        new(server.folder, "acme", "blue")
        stream = server.stream("GET", "/logs/acme/v1/handoffs/stream", None, bearer(server.console))
        submit(server, "blue", 1)
        submit(server, "acme", 2)
        equal((stream.status, stream.event()["entry"]["seq"]), (200, 0))
        stream.close()
        until(lambda: figure(server, "open") == 2, "two open logs")


def beats(folder, log):
    """The kind of every entry of a log, and what heartbeats say."""
    expect(run("ledger", "verify", "--log", log, "--config", "baton.yaml", cwd=folder), 0)
    shown = json.loads(expect(run("ledger", "tail", "-n", "100", "--log", log, "--config", "baton.yaml", "-f", "json", cwd=folder), 0).stdout)
    return [item["entry"].get("refs", {}).get("event", item["entry"]["kind"]) for item in sorted(shown["entries"], key=lambda item: item["seq"])]


@claim
def a_log_of_version_2_has_heartbeats_of_its_own():
    with serving(config="limits: {record_deadline_ms: 60000}\nlogs: {root: logs, open: 2}\n") as server:
        folder = server.folder
        new(folder, "old")
        for name in ("busy", "read", "dead"):
            expect(run("ledger", "log", "new", name, "--origin", f"logs.example/{name}", "--entries", "2", "--config", "baton.yaml", cwd=folder), 0)
        record_of(submit(server, "busy", 1))
        record_of(submit(server, "busy", 2))
        record_of(submit(server, "old", 1))
        equal(size(server, "read"), 0)  # closes "busy"; reading alone records nothing
        record_of(submit(server, "busy", 3))
        server.stop()
        with_policy = [word for word in beats(folder, "busy") if word != "policy"]
        equal(with_policy, ["start", "handoff", "handoff", "stop", "start", "handoff", "stop"])
        equal((beats(folder, "old"), beats(folder, "read")), (["handoff"], []))
        server.__init__(folder, "--store", "s.db")
        record_of(submit(server, "dead", 1))
        server.child.kill()  # the control: nobody says that it has stopped
        server.child.wait()
        server.__init__(folder, "--store", "s.db")
        record_of(submit(server, "dead", 2))
        equal([word for word in beats(folder, "dead") if word != "policy"], ["start", "handoff", "start", "handoff"])


@claim
def a_hold_is_of_one_log():
    with serving(config=CONFIG) as server:
        for name in ("acme", "blue"):
            expect(run("ledger", "log", "new", name, "--origin", f"logs.example/{name}", "--entries", "2", "--config", "baton.yaml", cwd=server.folder), 0)
        def post(log, path, body):
            return server.ask("POST", f"/logs/{log}/v1/ledger/{path}", {"reason": "case 7", **body}, {**JSON, **bearer(server.console)})
        seqs = {log: record_of(submit(server, log, 1))["seq"] for log in ("acme", "blue")}  # the same bytes in both
        trace = handoff()["handoff"]["trace_id"]
        equal(post("acme", "holds", {"trace": trace}).status, 200)
        refused = post("acme", "redact", {"seq": seqs["acme"]})
        equal((refused.status, refused.json()["code"], post("blue", "redact", {"seq": seqs["blue"]}).status), (422, "RETENTION_HOLD", 200))
        equal((post("acme", "holds/release", {"trace": trace}).status, post("acme", "redact", {"seq": seqs["acme"]}).status), (200, 200))


@claim
def the_default_log_can_be_named():
    with serving(config=CONFIG, store=False) as server:
        new(server.folder, "main")
        server.stop()
        (server.folder / "baton.yaml").write_text("limits: {record_deadline_ms: 60000}\nlogs: {root: logs, default: main}\n")
        server.__init__(server.folder)
        submit(server, "", 1)
        submit(server, "main", 2)
        equal((size(server, "main"), size(server, ""), figure(server, "open")), (2, 2, 0))
        equal(server.ask("GET", "/logs/main/v1/version").status, 200)  # what anybody may ask of the default log


finish()
