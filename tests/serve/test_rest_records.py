# SPDX-License-Identifier: Apache-2.0
"""test_rest_records.py BATON - what REST records: submissions and their repeats, inboxes, the live stream, approvals, whose things are whose."""
import concurrent.futures
import contextlib
import datetime
import json
import os
import pathlib
import re
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from block import ID, REQUEST, envelope, fenced  # noqa: E402
from catalogues import Catalogue  # noqa: E402
from handoffs import handoff, text_of  # noqa: E402
from program import PATIENT, claim, equal, expect, finish, folder, report, run  # noqa: E402
from server import Server, bearer, serving  # noqa: E402

JSON = {"Content-Type": "application/json"}
MARKDOWN = {"Content-Type": "text/markdown"}
SEEN = {"X-Request-Id": "same"}


def text(number=0, source="intake-clerk", target="tax-writer", **more):
    return text_of(handoff(source={"skill": source}, target={"skill": target}, context={"summary": f"Number {number}"}, **more))


def submit(server, body, query="", **headers):
    return server.ask("POST", "/v1/handoffs" + query, body, {**JSON, **headers})


def keyed(key):
    return {"Idempotency-Key": key}


def size(server):
    return report(expect(run("ledger", "checkpoint", "--store", "s.db", "-f", "json", cwd=server.folder), 0))["size"]


def counted(server, metric, token):
    """The series of a metric that are not 0, by the value of their one label."""
    said = server.ask("GET", "/metrics", headers=bearer(token)).body.decode()
    return {word: int(number) for word, number in re.findall(rf'^{metric}{{\w+="(\w+)"}} ([1-9]\d*)$', said, re.M)}


def codes(answer):
    return [finding["code"] for finding in answer.json()["findings"]]


# ---- Submitting -------------------------------------------------------------------------------------------------------------


@claim
def a_submission_tells_its_record_its_receipt_and_its_inbox():
    with serving() as server:
        answer = submit(server, text())
        equal((answer.status, answer.headers["location"]), (201, "/v1/handoffs/0"))
        said = answer.json()
        equal((said["documents"][0]["record"]["seq"], said["delivery"]), (0, {"state": "queued", "inbox": "tax-writer", "message": "h0"}))
        checked = server.ask("POST", "/v1/ledger/verify-receipt", {"receipt": said["receipt"], "document": text()}, JSON).json()
        equal(checked["documents"][0]["verdict"], "accepted")
        document = server.ask("GET", "/v1/handoffs/0/document")
        equal((document.body.decode(), document.headers["content-disposition"]), (text(), "attachment"))
        for accept, kind in ((None, "text/plain"), ("*/*", "text/plain"), ("application/json", "application/json"), ("application/json;q=0.4, text/plain;q=0.5", "text/plain"),
                             ("text/plain;q=0.5, application/json;q=0.9", "application/json"), ("application/json, */*;q=0.1", "application/json"),
                             ("application/json;q=0, */*", "text/plain"), ("image/png", "application/problem+json")):
            shown = server.ask("GET", "/v1/handoffs/0/receipt", headers={"Accept": accept} if accept else {})
            equal((accept, shown.headers["content-type"].split(";")[0]), (accept, kind))
        again = server.ask("GET", "/v1/handoffs/0/report").json()
        equal((again["rejudged"], again["recorded_codes"], again["documents"][0]["verdict"]), (True, [], "accepted"))


@claim
def each_refusal_has_its_status_and_is_recorded():
    long = "x" * (8 << 20)
    with serving() as server:
        expected = []
        for body, query, status, code in ((text().replace('"3.0"', '"9.9"'), "", 422, "SCHEMA_"), ("[1]", "?as=universal", 400, "SCHEMA_TYPE"),
                                          ("{", "?as=universal", 400, "JSON_SYNTAX"), (json.dumps(long), "?as=universal", 413, "JSON_TOO_LARGE")):
            answer = submit(server, body, query)
            said = answer.json()
            if answer.status != status or not said["code"].startswith(code):
                raise AssertionError(f"{query} {code}: {answer.status} {answer.body[:300]!r}")
            expected.append(said["record"]["seq"])
        equal(expected, [0, 1, 2, 3])
        equal(submit(server, text(1), "?id=job-1").status, 201)
        again = submit(server, text(2), "?id=job-1")
        equal((again.status, again.json()["record"]["seq"], again.json()["findings"][0]["params"]["first_seq"]), (409, 5, 4))
        equal(size(server), 6)
        equal(submit(server, text(), "?now=2026-05-04T08:00:00Z").status, 400)
        equal(submit(server, {"documents": [{"text": fenced(envelope()), "as": "contract"}], "input": {}}, **{"Content-Type": "application/vnd.baton.request+json"}).status, 403)
        equal(size(server), 6)


@claim
def a_contract_block_is_decided_against_its_agents_state():
    with serving() as server:
        answer = server.ask("POST", "/v1/handoffs?session=s1", fenced(envelope(status="COMPLETE")), MARKDOWN)
        equal((answer.status, answer.json()["submit"]["outcome"], answer.json()["delivery"]), (201, "accepted", {"state": "none"}))
        bad = server.ask("POST", "/v1/handoffs?session=s1", fenced("{}"), {**MARKDOWN, **keyed("bad")})
        equal(bad.status, 422)
        equal(server.ask("POST", "/v1/handoffs?session=s1", fenced("{}"), {**MARKDOWN, **keyed("bad")}).body, bad.body)
        states = server.ask("GET", "/v1/contract/state", headers=bearer(server.console)).json()["agents"]
        equal([(state["agent_id"], state["session"], state["rejections"]) for state in states if state["agent_id"] != "-"], [(ID, "s1", 0)])
        equal(server.ask("GET", "/v1/contract/state").json()["agents"], [])


# ---- Repeats ----------------------------------------------------------------------------------------------------------------


@claim
def the_same_request_under_a_key_is_answered_as_before_on_any_node():
    with serving() as server:
        first = submit(server, text(), **keyed("k-1"))
        equal(("idempotency-replayed" in first.headers, size(server)), (False, 1))
        for key in ("k-1", '"k-1"'):
            again = submit(server, text(), **keyed(key))
            equal((again.status, again.headers["idempotency-replayed"], again.headers["location"]), (201, "true", "/v1/handoffs/0"))
            equal(again.body, first.body)
        for body, query in ((text(1), ""), (text(), "?withhold=source")):
            other = submit(server, body, query, **keyed("k-1"))
            equal((other.status, other.json()["code"]), (422, "IDEMPOTENCY_KEY_REUSED"))
        refused = submit(server, "{}", "?as=universal", **keyed("k-2"))
        equal(submit(server, "{}", "?as=universal", **keyed("k-2")).body, refused.body)
        for key in ("", "a b", "x" * 129):
            equal(submit(server, text(), **keyed(key)).status, 400)
        equal(size(server), 2)
        node = Server(server.folder, "--store", "s.db")
        try:
            equal(submit(node, text(), **keyed("k-1")).body, first.body)
            equal(size(server), 2)
        finally:
            node.stop()


@claim
def a_repeat_that_cannot_be_proved_from_the_store_is_tried_again_later():
    """The sanitizers see whether the request that was suspended leaves memory behind."""
    with serving() as server:
        first = submit(server, text(), **keyed("k-1"))
        equal([submit(server, text(), "?no=such", **keyed(f"bad-{i}")).status for i in range(3)], [400] * 3)  # these leave their buffers to later requests
        store, away = server.folder / "s.db", server.folder / "away.db"
        store.rename(away)  # the writer has it open; who opens it now does not find it
        again = submit(server, text(), **keyed("k-1"))
        equal((again.status, again.json()["code"]), (503, "STORE_UNAVAILABLE"))
        away.rename(store)
        equal(submit(server, text(), **keyed("k-1")).body, first.body)


@claim
def equal_requests_at_the_same_time_are_one_decision():
    with serving() as server:
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            for number in range(4):
                answers = list(pool.map(lambda _, n=number: submit(server, text(n), **keyed(f"race-{n}")), range(16)))
                equal({answer.body for answer in answers}, {answers[0].body})
                equal(sum("idempotency-replayed" not in answer.headers for answer in answers), 1)
                equal(size(server), number + 1)
            without = list(pool.map(lambda n: submit(server, text(n)).status, range(8)))  # the control: without a key each is one
            equal((without, size(server)), ([201] * 8, 12))


@claim
def an_answer_that_was_redacted_is_not_given_again():
    with serving() as server:
        equal(submit(server, text(), **keyed("k")).status, 201)
        equal(server.ask("POST", "/v1/ledger/redact", {"seq": 0, "reason": "erasure"}, {**JSON, **bearer(server.console)}).status, 200)
        again = submit(server, text(), **keyed("k"))
        equal((again.status, again.json()["code"]), (410, "DOCUMENT_REDACTED"))
        equal(server.ask("GET", "/v1/handoffs/0/document").status, 410)


@claim
def a_document_that_has_to_be_kept_is_not_redacted():
    for config, status in (("retain:\n  min: 10d\n", 422), (None, 200)):  # the second one is the control
        with serving(config=config) as server:
            submit(server, text())
            answer = server.ask("POST", "/v1/ledger/redact", {"seq": 0, "reason": "erasure"}, {**JSON, **bearer(server.console), **keyed("k")})
            equal((answer.status, codes(answer) if status == 422 else []), (status, ["RETENTION_MINIMUM"] if status == 422 else []))
            equal(server.ask("GET", "/v1/handoffs/0/document").status, 200 if status == 422 else 410)


# ---- Inboxes ----------------------------------------------------------------------------------------------------------------


def take(server, agent="tax-writer", headers=None, **how):
    return server.ask("POST", f"/v1/inbox/{agent}/take", how, {**JSON, **(headers or {})}).json()["items"]


def end(server, item, outcome, agent="tax-writer", **headers):
    body = {"items": [{"message": item["message"], "lease": item["lease"], "outcome": outcome}]}
    return server.ask("POST", f"/v1/inbox/{agent}/finish", body, {**JSON, **headers}).json()["items"][0]["result"]


@claim
def what_is_accepted_waits_is_taken_once_and_its_end_is_recorded():
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    with serving() as server:
        for number in range(3):
            equal(submit(server, text(number), traceparent=parent).status, 201)
        said = server.ask("GET", "/metrics", headers=bearer(server.console)).body
        equal(re.findall(rb"^baton_ledger_batch_size_(?:sum|count) (\d+)$", said, re.M), [b"3", b"3"])
        items = take(server, max=2)
        equal([(item["message"], item["attempt"], item["text"]) for item in items], [("h0", 1, text(0)), ("h1", 1, text(1))])
        equal({item["traceparent"][:35] for item in items}, {parent[:35]})
        equal([item["message"] for item in take(server)], ["h2"])
        equal((end(server, items[0], "delivered"), end(server, items[0], "delivered"), end(server, items[1], "failed")), ("ok", "lease_lost", "ok"))
        equal(end(server, {"message": "h9", "lease": "x"}, "failed"), "unknown")
        again = take(server)
        equal([(item["message"], item["attempt"]) for item in again], [("h1", 2)])
        for _ in range(3):
            equal(end(server, again[0], "failed"), "ok")
            again = take(server) or again
        equal((end(server, again[0], "failed"), take(server)), ("ok", []))
        events = [entry["entry"]["refs"]["event"] for entry in server.ask("GET", "/v1/handoffs?kind=delivery&order=asc").json()["entries"]]
        equal(events, ["delivered", "failed", "failed", "failed", "failed", "failed", "dead"])
        # The dead are found behind any number of other deliveries, not only among the newest.
        equal((submit(server, text(9)).status, [end(server, item, "delivered") for item in take(server)]), (201, ["ok"]))
        found = {event: server.ask("GET", f"/v1/handoffs?kind=delivery&event={event}&limit=1").json() for event in ("dead", "delivered", "none")}
        equal([[item["entry"]["refs"]["event"] for item in found[event]["entries"]] for event in found], [["dead"], ["delivered"], []])
        equal(counted(server, "baton_deliveries_total", server.console), {"delivered": 2, "failed": 5, "dead": 1})


@claim
def inboxes_say_what_waits_and_since_when():
    with serving() as server:
        equal(server.ask("GET", "/v1/inboxes", headers=bearer(server.console)).json(), {"baton": 1, "inboxes": []})
        for number in range(3):
            equal(submit(server, text(number)).status, 201)
        item = take(server, max=1)[0]
        first = server.ask("GET", "/v1/handoffs/0").json()["entry"]["time"]
        listed = lambda: server.ask("GET", "/v1/inboxes", headers=bearer(server.console)).json()["inboxes"]
        row = {"agent": "tax-writer", "queue": "inbox", "waiting": 2, "leased": 1, "dead": 0, "attempts": 1, "oldest": {"seq": 0, "time": first}}
        equal(listed(), [row])
        equal(end(server, item, "delivered"), "ok")
        equal([(row["waiting"], row["leased"], row["oldest"]["seq"]) for row in listed()], [(2, 0, 1)])
        for _ in range(5):
            equal([end(server, item, "failed") for item in take(server, max=1)], ["ok"])
        equal([(row["waiting"] + row["leased"], row["dead"]) for row in listed()], [(1, 1)])
        # What was given up is delivered again on request, once; the record says why it was given up and that it came back.
        retry = lambda name: server.ask("POST", f"/v1/deliveries/{name}/retry", headers=bearer(server.console))
        dead = server.ask("GET", "/v1/handoffs?kind=delivery&event=dead").json()["entries"][0]["entry"]["refs"]
        equal((dead["message"], dead["reason"]), ("h1", "failed at its last attempt"))
        answer = retry("h1").json()
        equal((answer["message"], answer["state"]), ("h1", "queued"))
        equal([retry(name).status for name in ("h1", "h0", "h2", "h99", "w1", "x")], [404] * 6)
        equal([(row["waiting"], row["dead"]) for row in listed()], [(2, 0)])
        again = take(server, max=1)[0]
        equal((again["message"], again["attempt"], end(server, again, "delivered")), ("h1", 1, "ok"))
        equal(server.ask("GET", f"/v1/handoffs/{answer['seq']}", headers=bearer(server.console)).json()["entry"]["refs"], {"event": "failed", "message": "h1", "parent": 1, "reason": "retried"})
        expect(run("ledger", "audit", "--store", "s.db", cwd=server.folder), 0)


@claim
def a_taker_can_wait_for_what_comes():
    with serving() as server:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            waiting = pool.submit(take, server, wait_s=30)
            equal(server.ask("GET", "/healthz").status, 200)
            equal(submit(server, text()).status, 201)
            equal([item["message"] for item in waiting.result(timeout=25)], ["h0"])
        equal(take(server, wait_s=1), [])


# ---- Figures ----------------------------------------------------------------------------------------------------------------


def figures(server, query="", token=None, status=200):
    answer = server.ask("GET", f"/v1/stats{query}", headers=bearer(token or server.console))
    equal((query, answer.status), (query, status))
    return answer.json()


@claim
def the_server_counts_what_a_caller_may_see():
    with serving(tokens={"boss": "operate", "one": "submit", "other": "submit"}) as server:
        mine = lambda who: bearer(server.tokens[who])
        equal([submit(server, text(number), **mine("one")).status for number in range(5)], [201] * 5)
        loop = text_of(handoff(source={"skill": "tax-writer"}, target={"skill": "tax-writer"}))
        bad = submit(server, loop, **mine("one")).json()
        code = bad["code"]
        equal([end(server, item, "delivered", **mine("one")) for item in take(server, headers=mine("one"), max=2)], ["ok"] * 2)
        found = figures(server, token=server.tokens["boss"])
        # What was only recorded, the deliveries, is neither accepted nor rejected.
        equal((found["by"], found["total"], found["partial"], found["others"]), ("verdict", {"recorded": 2, "rejected": 1, "accepted": 5}, False, 0))
        equal((found["read"], found["complete_since"], len(found["buckets"])), (size(server), found["since"], 1))
        equal(figures(server, "?by=code", server.tokens["boss"])["total"][code], 1)
        equal(figures(server, "?by=dialect", server.tokens["boss"])["total"]["universal"], 6)
        equal(figures(server, "?by=agent", server.tokens["boss"])["total"]["tax-writer"], 6)
        equal((figures(server, token=server.tokens["one"])["total"]["accepted"], figures(server, token=server.tokens["other"])["total"]), (5, {}))


def instant(seconds):
    """So many seconds from now."""
    return (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def add_raw(server, count, *flags):
    (server.folder / "f").write_text("x")
    expect(run("ledger", "append", "-q", "--store", "s.db", "--deadline", "60000", *flags, *["--raw", "f"] * count, cwd=server.folder), 0)


@claim
def figures_that_do_not_reach_back_far_enough_say_so():
    """20,000 entries are read for one request of a caller who may not see all; the control has exactly as many."""
    with serving(tokens={"boss": "operate", "one": "submit"}) as server:
        for _ in range(4):
            add_raw(server, 5000)
        found = figures(server, token=server.tokens["one"])
        equal((found["total"], found["read"], found["partial"]), ({}, 20000, False))
        add_raw(server, 1)
        found = figures(server, token=server.tokens["one"])
        equal((found["read"], found["partial"], found["since"] < found["complete_since"] <= found["until"]), (20000, True, True))
        # Counters have what an operator asks for, however much it is.
        found = figures(server, token=server.tokens["boss"])
        equal((found["total"], found["partial"], 0 < found["read"] < 20000), ({"recorded": 20001}, False, True))


def listed_pages(server, query, limit=500):
    entries, after = [], ""
    while after is not None:
        said = server.ask("GET", f"/v1/handoffs?{query}&limit={limit}{after}", headers=bearer(server.console)).json()
        entries += [item["entry"] for item in said["entries"]]
        after = None if said["next"] is None else f"&after={said['next']}"
    return entries


def filters_find_what_reading_finds(server):
    """Segments are chosen by the places of names and hours: with any filter the entries are those that a reader of all would choose."""
    equal([submit(server, text(50)).status, submit(server, "{}", "?as=universal").status], [201, 422])
    everything = listed_pages(server, "order=asc")
    equal([entry["seq"] for entry in everything], list(range(len(everything))))
    middle = everything[1500]["time"]
    wanted = {
        "verdict=accepted": lambda entry: entry["verdict"] == "accepted",
        "kind=delivery": lambda entry: entry["kind"] == "delivery",
        "kind=delivery&event=delivered": lambda entry: entry.get("refs", {}).get("event") == "delivered",
        "event=dead": lambda entry: False,
        "dialect=universal&verdict=rejected": lambda entry: entry["dialect"] == "universal" and entry["verdict"] == "rejected",
        "source=tax-writer&target=tax-writer": lambda entry: entry.get("source") == entry.get("target") == "tax-writer",
        "agent=tax-writer": lambda entry: "tax-writer" in (entry.get("source"), entry.get("target")),
        "agent=tax-writer&verdict=rejected": lambda entry: entry["verdict"] == "rejected" and entry.get("source") == "tax-writer",
        "code=SELF_LOOP": lambda entry: "SELF_LOOP" in entry["codes"],
        "code=NO_SUCH_CODE": lambda entry: False,
        f"since={middle}": lambda entry: entry["time"] >= middle,
        f"until={middle}&verdict=accepted": lambda entry: entry["time"] <= middle and entry["verdict"] == "accepted",
        "until=2026-01-01T00:00:00Z": lambda entry: entry["time"] < "2026-01-01",
        "since=2036-01-01T00:00:00Z": lambda entry: False,
        "agent=a%25b": lambda entry: False,
    }
    for query, fits in wanted.items():
        right = [entry["seq"] for entry in everything if fits(entry)]
        limit = 500 if len(right) > 100 else 2
        equal((query, [entry["seq"] for entry in listed_pages(server, f"{query}&order=asc", limit)]), (query, right))
        equal((query, [entry["seq"] for entry in listed_pages(server, query, limit)]), (query, right[::-1]))
    # Control: without the places of a name its entries are not found, except those that are not counted yet; a check says so.
    with contextlib.closing(sqlite3.connect(server.folder / "s.db")) as base, base:
        places = base.execute("SELECT space, name, n, updated_seq FROM ledger_count WHERE space LIKE 'figures/places/code/SELF_LOOP' OR space LIKE 'figures/places/hour/%'").fetchall()
        base.execute("DELETE FROM ledger_count WHERE space LIKE 'figures/places/code/SELF_LOOP' OR space LIKE 'figures/places/hour/%'")
    equal((len(places) > 1, listed_pages(server, "code=SELF_LOOP")), (True, []))
    found = run("store", "check", "--store", "s.db", "-f", "json", cwd=server.folder)
    equal((found.returncode, b"ledger_count" in found.stdout), (1, True))
    expect(run("store", "migrate", "--store", "s.db", cwd=server.folder), 0)
    equal(len(listed_pages(server, "code=SELF_LOOP")), 3)


@claim
def filters_find_what_lies_far_back():
    """The places of names are read 16 segments at first, from where the list begins, then more: here are 39 segments."""
    loop = text_of(handoff(source={"skill": "tax-writer"}, target={"skill": "tax-writer"}))
    with serving() as server:
        for part in range(8):
            add_raw(server, 5000)
            equal([submit(server, text(part)).status, submit(server, loop, "?as=universal").status], [201, 422])
        add_raw(server, 2000)
        everything = listed_pages(server, "order=asc")
        equal([entry["seq"] for entry in everything], list(range(42016)))
        middle = everything[21000]["time"]
        handed = lambda entry: "tax-writer" in (entry.get("source"), entry.get("target"))
        rejected = lambda entry: entry["verdict"] == "rejected"
        wanted = {
            "agent=tax-writer": handed,
            "agent=tax-writer&verdict=rejected": rejected,
            "source=tax-writer&target=tax-writer": rejected,
            "code=SELF_LOOP": rejected,
            "code=SELF_LOOP&agent=nobody": lambda entry: False,
            f"agent=tax-writer&since={middle}": lambda entry: handed(entry) and entry["time"] >= middle,
            f"code=SELF_LOOP&until={middle}": lambda entry: rejected(entry) and entry["time"] <= middle,
        }
        for query, fits in wanted.items():
            right = [entry["seq"] for entry in everything if fits(entry)]
            for limit in (3, 500):
                equal((query, [entry["seq"] for entry in listed_pages(server, f"{query}&order=asc", limit)]), (query, right))
                equal((query, [entry["seq"] for entry in listed_pages(server, query, limit)]), (query, right[::-1]))
        # Control: places decide, in each window, and also those of what was rejected of an agent.
        with contextlib.closing(sqlite3.connect(server.folder / "s.db")) as base, base:
            for space in ("code/SELF_LOOP", "rejected-agent/tax-writer"):
                base.execute("DELETE FROM ledger_count WHERE space = ? AND name < '0000000020'", (f"figures/places/{space}",))
        last = [entry["seq"] for entry in everything if rejected(entry) and entry["seq"] >= 20 * 1024]
        for query in ("code=SELF_LOOP", "agent=tax-writer&verdict=rejected"):
            equal((query, [entry["seq"] for entry in listed_pages(server, query)]), (query, last[::-1]))


@claim
def counters_and_entries_give_the_same_figures():
    """Each range is asked for before and after the entries are in counters."""
    names = ("verdict", "code", "agent", "dialect", "edge", "event")
    with serving() as server:
        boss = server.console
        loop = text_of(handoff(source={"skill": "tax-writer"}, target={"skill": "tax-writer"}))
        for number in range(20):
            equal(submit(server, text(number)).status, 201)
        equal([submit(server, loop).status for _ in range(3)], [422] * 3)
        equal([end(server, item, "delivered") for item in take(server, max=4)], ["ok"] * 4)
        ranges = [f"?by={name}&since={since}&bucket={bucket}" for name in names for since, bucket in
                  (("2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z", 3600), (instant(-5 * 3600), 60), (instant(-6 * 86400), 7200), (instant(-30 * 86400), 86400))]
        before = [figures(server, query, boss) for query in ranges]
        equal((before[1]["total"], before[1]["read"]), ({"accepted": 20, "rejected": 3, "recorded": 4}, 27))
        equal((before[9]["rejected"]["tax-writer"], before[17]["rejected"]), (3, {"tax-writer>tax-writer": 3}))
        add_raw(server, 2048 - 27 + 1)
        add_raw(server, 1024)
        # A range that ends now is a little longer than it was when it was asked for, and keeps its bars.
        equal([figures(server, f"?since={instant(-length)}&bucket={bucket}", boss)["bucket"] for length, bucket in ((6 * 3600, 300), (7 * 86400, 10800))], [300, 10800])
        equal([figures(server, f"?since={instant(-length)}&bucket={bucket}", boss)["bucket"] for length, bucket in ((6 * 3600 + 300, 300), (7 * 86400 + 300, 10800))], [3600, 21600])
        for query, was in zip(ranges, before):
            now = figures(server, query, boss)
            added = {"verdict": {"recorded": 3046}, "dialect": {"raw": 3046}}.get(now["by"], {}) if was["total"] else {}
            equal((query, {name: now["total"].get(name, 0) - added.get(name, 0) for name in now["total"] | was["total"] if name not in added or name in was["total"]}),
                  (query, was["total"]))
            equal((query, now.get("rejected")), (query, was.get("rejected")))
            equal((query, sum(sum(bucket["counts"].values()) for bucket in now["buckets"])), (query, sum(now["total"].values())))
            equal((query, now["read"] < 1100, now["partial"]), (query, True, False))
        filters_find_what_reading_finds(server)
        # A counter that was changed is found, and counted again.
        expect(run("store", "check", "--store", "s.db", cwd=server.folder), 0)
        with contextlib.closing(sqlite3.connect(server.folder / "s.db")) as base, base:
            base.execute("UPDATE ledger_count SET n = n + 1 WHERE space LIKE 'figures/3600/verdict/%' AND name = 'accepted'")
        found = run("store", "check", "--store", "s.db", "-f", "json", cwd=server.folder)
        equal((found.returncode, b"STORE_STATE_MISMATCH" in found.stdout, b"ledger_count" in found.stdout), (1, True, True))
        expect(run("store", "migrate", "--store", "s.db", cwd=server.folder), 0)
        expect(run("store", "check", "--store", "s.db", cwd=server.folder), 0)


@claim
def the_range_of_figures_is_bounded():
    with serving(tokens={"boss": "operate"}) as server:
        boss = server.tokens["boss"]
        found = figures(server, "?since=2026-01-01T00:00:00Z&until=2026-01-01T01:00:00Z&bucket=60", boss)
        equal((found["total"], found["buckets"], found["since"], found["until"]), ({}, [], "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"))
        for query in ("?since=2026-01-01T00:00:00Z&until=2026-02-02T00:00:00Z", "?since=2026-01-01T00:00:00Z&until=2026-01-01T00:00:00Z",
                      "?since=2026-01-01T00:00:00Z&until=2026-01-01T01:00:00Z&bucket=7", "?bucket=0", "?by=actor", "?since=yesterday"):
            equal(figures(server, query, boss, 400)["code"], "PARAMETER_INVALID")


# ---- The stream -------------------------------------------------------------------------------------------------------------


def follow(server, path="/v1/handoffs/stream", headers=None):
    stream = server.stream("GET", path, headers=headers)
    equal((stream.status, stream.headers["content-type"], stream.headers["x-accel-buffering"]), (200, "text/event-stream", "no"))
    return stream


@claim
def the_stream_tells_what_is_committed_and_resumes_without_a_gap():
    with serving() as server:
        equal(submit(server, text(0)).status, 201)
        live = follow(server)
        for number in (1, 2):
            equal(submit(server, text(number)).status, 201)
        equal([live.event()["seq"], live.event()["seq"]], [1, 2])
        live.close()
        with concurrent.futures.ThreadPoolExecutor(16) as pool:  # more than a stream tells at once
            equal(set(pool.map(lambda number: submit(server, text(number)).status, range(3, 80))), {201})
        for path, headers in (("/v1/handoffs/stream", {"Last-Event-ID": "2"}), ("/v1/handoffs/stream?after=2", None)):
            resumed = follow(server, path, headers)
            equal([resumed.event()["seq"] for _ in range(77)], list(range(3, 80)))
            resumed.close()
        filtered = follow(server, "/v1/handoffs/stream?after=0&verdict=rejected")
        equal(submit(server, "{}", "?as=universal").status, 422)
        equal(filtered.event()["entry"]["verdict"], "rejected")
        filtered.close()
        equal(server.ask("GET", "/v1/handoffs/stream?after=x").status, 400)


@claim
def a_trace_and_an_id_are_listed_page_by_page_in_either_order():
    traces = ["6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4", "7b1f2c1d-8b3e-4c57-9d21-5e7f90ab13c4"]
    with serving() as server:
        for number in range(10):
            equal(submit(server, text(number, trace_id=traces[number % 2]), f"?id=n{number}").status, 201)
        equal(submit(server, text(10), "?id=n4").status, 409)

        def pages(query):
            seqs, after = [], ""
            while after is not None:
                said = server.ask("GET", f"/v1/handoffs?{query}&limit=2{after}").json()
                seqs += [item["seq"] for item in said["entries"]]
                after = None if said["next"] is None else f"&after={said['next']}"
            return seqs
        for name in ("dialect", "kind", "verdict", "order", "since"):
            equal((name, server.ask("GET", f"/v1/handoffs?{name}=nonsense").status), (name, 400))
        # A filter without a value is not a filter for everything.
        for name in ("dialect", "kind", "verdict", "order", "since", "handoff_id", "trace_id", "source", "target", "agent", "code", "after", "limit"):
            answer = server.ask("GET", f"/v1/handoffs?{name}=")
            equal((name, answer.status, answer.json()["findings"][0]["pointer"]), (name, 400, f"/{name}"))
        for query in ("kind=nonsense", "verdict=nonsense", "kind=", "verdict="):
            equal((query, server.ask("GET", f"/v1/ledger/entries?{query}", headers=bearer(server.console)).status), (query, 400))
        for trace in (traces[1], traces[1].upper()):
            equal((pages(f"trace_id={trace}"), pages(f"trace_id={trace}&order=asc")), ([9, 7, 5, 3, 1], [1, 3, 5, 7, 9]))
        equal((pages("handoff_id=N4"), pages("handoff_id=n4&order=asc"), pages(f"handoff_id=n4&trace_id={traces[1]}")), ([10, 4], [4, 10], []))
        equal((pages(f"trace_id={traces[0]}&verdict=rejected"), pages(f"trace_id={traces[1]}&verdict=rejected")), ([10], []))


@claim
def a_receiver_acknowledges_the_entry_that_its_receipt_proves():
    with serving() as server:
        leaf = submit(server, text()).json()["documents"][0]["record"]["leaf_hash"]
        receipt = server.ask("GET", "/v1/handoffs/0/receipt?format=json", headers=bearer(server.console)).json()
        item = take(server, receipts=True)[0]
        equal(item["receipt"], receipt)
        size = server.ask("GET", "/v1/ledger", headers=bearer(server.console)).json()["size"]
        path, named = "/v1/inbox/tax-writer/finish", {"message": item["message"], "lease": item["lease"], "outcome": "delivered"}
        for wrong in ("0" * 64, leaf.upper(), leaf[:-1], ""):
            answer = server.ask("POST", path, {"items": [{**named, "leaf_hash": wrong}]}, JSON)
            equal((wrong, answer.json()["items"]), (wrong, [{"message": item["message"], "result": "wrong_entry"}]))
        equal(server.ask("GET", "/v1/ledger", headers=bearer(server.console)).json()["size"], size)
        equal(server.ask("POST", path, {"items": [{**named, "leaf_hash": leaf}]}, JSON).json()["items"][0]["result"], "ok")  # the control


@claim
def what_a_body_or_a_query_says_wrongly_is_pointed_at():
    with serving() as server:
        equal(submit(server, text()).status, 201)
        who = bearer(server.console)
        end = {"message": "h0", "lease": "x", "outcome": "delivered"}
        for path, body, pointer in (("/v1/inbox/tax-writer/finish", {"items": [{**end, "force": True}]}, "/force"), ("/v1/inbox/tax-writer/finish", {"items": [{**end, "outcome": "x"}]}, "/items"),
                                    ("/v1/ledger/redact", {"sha256": "x", "reason": "r"}, "/sha256"), ("/v1/ledger/redact", {"sha256": "A" * 64, "reason": "r"}, "/sha256"),
                                    ("/v1/ledger/redact", {"seq": 0, "reason": "?"}, "/reason")):
            answer = server.ask("POST", path, body, {**JSON, **who})
            equal((path, body, answer.status, answer.json()["findings"][0]["pointer"]), (path, body, 400, pointer))
        trace = server.ask("GET", "/v1/traces").json()["traces"][0]["trace_id"]
        for path, pointer in (("/v1/approvals?status=", "/status"), ("/v1/approvals?status=x", "/status"), (f"/v1/traces/{trace}/graph?format=", "/format")):
            answer = server.ask("GET", path, headers=who)
            equal((path, answer.status, answer.json()["findings"][0]["pointer"]), (path, 400, pointer))
        equal(server.ask("GET", f"/v1/traces/{trace}/graph", headers={"Accept": "image/png", **who}).status, 406)
        # The control: the same without the mistakes.
        equal(server.ask("POST", "/v1/inbox/tax-writer/finish", {"items": [end]}, {**JSON, **who}).json()["items"], [{"message": "h0", "result": "lease_lost"}])


# ---- Whose it is ------------------------------------------------------------------------------------------------------------


@claim
def what_is_not_ones_own_looks_like_what_is_not_there():
    with serving(tokens={"clerk": ("submit", "--agent", "intake-clerk"), "writer": ("submit", "--agent", "tax-writer"), "other": ("submit", "--agent", "else"),
                         "boss": "check,submit,operate,approve"}) as server:
        who = {name: bearer(token) for name, token in server.tokens.items()}
        equal(submit(server, text(), **who["clerk"]).status, 201)
        for name, status in (("clerk", 200), ("writer", 200), ("boss", 200), ("other", 404)):
            equal((name, server.ask("GET", "/v1/handoffs/0", headers=who[name]).status), (name, status))
        trace = handoff()["handoff"]["trace_id"]
        for theirs, missing in (("/v1/handoffs/0", "/v1/handoffs/77"), ("/v1/handoffs/0/document", "/v1/handoffs/77/document"), ("/v1/handoffs/0/report", "/v1/handoffs/77/report"),
                                ("/v1/handoffs/0/receipt", "/v1/handoffs/77/receipt"), (f"/v1/traces/{trace}", "/v1/traces/none"),
                                (f"/v1/traces/{trace}/graph", "/v1/traces/none/graph"), ("/v1/ledger/proof/inclusion?seq=0", "/v1/ledger/proof/inclusion?seq=77")):
            found, none = (server.ask("GET", path, headers={**who["other"], **SEEN}) for path in (theirs, missing))
            equal((theirs, found.status, found.body), (theirs, 404, none.body))
        equal([server.ask("GET", path, headers=who["other"]).json()[name] for path, name in (("/v1/handoffs", "entries"), ("/v1/traces", "traces"))], [[], []])
        foreign = server.ask("POST", "/v1/inbox/tax-writer/take", {}, {**JSON, **who["other"], **SEEN})
        nobody = server.ask("POST", "/v1/inbox/no-such/take", {}, {**JSON, **who["other"], **SEEN})
        equal((foreign.status, foreign.body), (404, nobody.body))
        equal(len(take(server, headers=who["writer"])), 1)


@claim
def a_bound_token_speaks_for_its_agents_alone_and_the_attempt_is_recorded():
    with serving(tokens={"bound": ("submit", "--agent", "else")}) as server:
        who = bearer(server.tokens["bound"])
        sources = ("intake-clerk", ID)
        for source, body, headers in zip(sources, (text(), fenced(envelope())), (JSON, MARKDOWN)):
            answer = server.ask("POST", "/v1/handoffs", body, {**headers, **who})
            equal((answer.status, answer.json()["code"]), (403, "AGENT_BINDING_MISMATCH"))
            equal(answer.json()["findings"][-1]["params"], {"claimed": source})
        equal(size(server), 2)
        entries = server.ask("GET", "/v1/handoffs?order=asc", headers=who).json()["entries"]
        equal([(entry["entry"]["actor"], entry["entry"]["verdict"], entry["entry"]["source"]) for entry in entries],
              [("serve/bound", "rejected", source) for source in sources])


# ---- Governed ---------------------------------------------------------------------------------------------------------------


def governed(catalogue, number, **changes):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return catalogue.handoff(number=number, timestamp=now, **changes)


@claim
def governed_handoffs_are_dispatched_delivered_and_tell_strangers_no_topology():
    catalogue = Catalogue()
    with folder({}) as place:
        catalogue.write(place)
        with serving("--root", str(place), tokens={"bound": ("submit", "--agent", "domain-05-product"), "plain": "submit", "boss": "check,submit,operate"}) as server:
            who = {name: {**JSON, **bearer(token)} for name, token in server.tokens.items()}
            done = server.ask("POST", "/v1/dispatch", governed(catalogue, 1), who["plain"])
            equal((done.status, done.json()["success"], done.json()["record"]["seq"]), (200, True, 0))
            equal(server.ask("POST", "/v1/dispatch", governed(catalogue, 1), who["plain"]).status, 409)
            told = server.ask("POST", "/v1/handoffs", governed(catalogue, 2), who["bound"])
            equal((told.status, told.json()["delivery"]["inbox"]), (201, "domain-02-analysis"))
            equal([item["seq"] for item in take(server, "domain-02-analysis", who["plain"])], [0, 2])
            mismatch = server.ask("POST", "/v1/dispatch", governed(catalogue, 3, source_agent=catalogue.agent("domain-01-content")), who["bound"])
            equal((mismatch.status, mismatch.json()["code"], mismatch.json()["response"]["response"]["status"]), (403, "AGENT_BINDING_MISMATCH", "error"))
            stray = {"target_agent__agent_id": "nobody"}
            for name, sees in (("plain", False), ("boss", True), ("bound", True)):
                for path in ("/v1/dispatch", "/v1/govern/submit"):
                    answer = server.ask("POST", path, governed(catalogue, 9, **stray), who[name])
                    equal((answer.status, answer.json()["code"]), (403, "INVALID_AGENT_REFERENCE"))
                    listed = b"domain-07-personal" in answer.body
                    equal((name, path, listed and sees), (name, path, sees and path == "/v1/dispatch" or listed and sees))
                    if not sees and listed:
                        raise AssertionError(f"{name} {path} tells of agents: {answer.body[:600]!r}")
            far = {"source_agent": catalogue.agent("domain-01-content"), "target_agent": catalogue.agent("domain-09-technical")}
            for name, hint in (("plain", "use a suggested agent or an archetype"), ("boss", "hand to product-thinker; path domain-01-content -> product-thinker -> domain-09-technical")):
                refused = server.ask("POST", "/v1/dispatch", governed(catalogue, 10, **far), who[name])
                equal((name, [f["hint"] for f in refused.json()["findings"] if f["code"] == "BOUNDARY_VIOLATION"], b"product-thinker" in refused.body),
                      (name, [hint], name == "boss"))
            # What somebody says about an agent blocks it only when it is the agent's own.
            for name, number, source, blocked in (("plain", 11, "source_agent", []), ("bound", 12, "target_agent", []), ("bound", 13, "source_agent", ["domain-05-product"])):
                lie = governed(catalogue, number, **{f"{source}__prompt_hash": "1" * 64})
                equal(server.ask("POST", "/v1/dispatch", lie, who[name]).status, 403)
                listed = [one["agent_id"] for one in server.ask("GET", "/v1/govern/blocked", headers=who["boss"]).json()["blocked"]]
                equal((name, source, listed), (name, source, blocked))
            equal(server.ask("POST", "/v1/govern/unblock", {"agent": "domain-05-product", "reason": "compared"}, who["boss"]).status < 300, True)
            response = server.ask("POST", "/v1/govern/respond", catalogue.response(answers=1, timestamp=governed(catalogue, 1)["timestamp"]), who["plain"])
            equal(response.status, 201)
            equal(server.ask("GET", "/v1/govern/blocked", headers=who["boss"]).json(), {"baton": 1, "blocked": []})


# ---- Approvals --------------------------------------------------------------------------------------------------------------


@claim
def an_approval_is_shown_granted_and_used_once():
    with serving(tokens={"agent": "check,submit", "person": "approve", "watcher": "operate"}) as server:
        agent, person = ({**JSON, **bearer(server.tokens[name])} for name in ("agent", "person"))
        asking = envelope({"/approval_request": REQUEST}, "APPROVAL_REQUEST")
        equal(server.ask("POST", "/v1/handoffs", fenced(asking), {**agent, **MARKDOWN}).status, 201)
        pending = server.ask("GET", "/v1/approvals?status=pending", headers=person).json()["approvals"]
        equal([(item["agent_id"], item["exact_content"], item["commands"]) for item in pending], [(ID, REQUEST["exact_content"], [REQUEST["exact_content"]])])
        path = f"/v1/approvals/{pending[0]['id']}"
        shown = server.ask("POST", path + "/show", {}, person).json()["approval"]
        wrong = server.ask("POST", path + "/grant", {"fingerprint": "0" * 64}, person)
        equal((wrong.status, wrong.json()["code"]), (409, "APPROVAL_TAMPERED"))
        granted = server.ask("POST", path + "/grant", {"fingerprint": shown["fingerprint"], "ttl": "5m"}, {**person, **keyed("g")})
        equal((granted.status, granted.json()["approval"]["status"]), (200, "approved"))
        equal(server.ask("POST", path + "/grant", {"fingerprint": shown["fingerprint"], "ttl": "5m"}, {**person, **keyed("g")}).body, granted.body)
        command = {"command": REQUEST["exact_content"], "id": pending[0]["id"]}
        used = server.ask("POST", "/v1/approvals/use", command, agent)
        equal((used.status, used.json()["granted"]), (200, True))
        again = server.ask("POST", "/v1/approvals/use", command, agent)
        equal((again.status, again.json()["code"]), (409, "APPROVAL_CONSUMED"))
        equal(counted(server, "baton_approvals_total", server.tokens["watcher"]), {"REQUESTED": 1, "SHOWN": 1, "REFUSED": 2, "APPROVED": 1, "CONSUMED": 1})
        equal(server.ask("GET", path, headers=person).json()["grant"]["used"], 1)


@claim
def a_server_that_only_reads_shows_everything_and_records_nothing():
    with serving() as server:
        equal(server.ask("POST", "/v1/handoffs", fenced(envelope({"/approval_request": REQUEST}, "APPROVAL_REQUEST")), MARKDOWN).status, 201)
        equal(submit(server, text()).status, 201)
        reader = Server(server.folder, "--store", "s.db", "--read-only")
        try:
            who = bearer(reader.console)
            for path in ("/v1/approvals", "/v1/handoffs", "/v1/handoffs/0", "/v1/handoffs/0/receipt", "/v1/handoffs/0/report", "/v1/ledger", "/v1/contract/state",
                         "/v1/contract/sections", "/v1/govern/blocked", "/v1/traces", "/v1/ledger/entries", "/ledger/checkpoint"):
                equal((path, reader.ask("GET", path, headers=who).status), (path, 200))
            for path in ("/v1/handoffs", "/v1/inbox/x/take", "/v1/approvals/use", "/v1/ledger/redact"):
                answer = reader.ask("POST", path, {}, {**JSON, **who})
                equal((path, answer.status, answer.json()["code"], "retry-after" in answer.headers), (path, 503, "LEDGER_READ_ONLY", True))
            equal(reader.ask("POST", "/v1/hooks/codex", {"last_assistant_message": "x"}, JSON).status, 200)
        finally:
            reader.stop()
        equal(size(server), 3)


@claim
def no_answer_that_is_kept_shows_what_was_redacted():
    with serving(tokens={"agent": "check,submit", "person": "approve", "chief": "admin"}) as server:
        agent, person, chief = ({**JSON, **bearer(server.tokens[name])} for name in ("agent", "person", "chief"))
        asking = envelope({"/approval_request": {**REQUEST, "operation": "open-sesame"}}, "APPROVAL_REQUEST")
        made = server.ask("POST", "/v1/handoffs", fenced(asking), {**agent, **MARKDOWN, **keyed("s")}).json()
        path = f"/v1/approvals/{made['submit']['approval']['id']}"
        grant = {"fingerprint": made["submit"]["approval"]["fingerprint"]}
        equal([server.ask("POST", path + word, body, {**person, **keyed(word[1:])}).status for word, body in (("/show", {}), ("/grant", grant))], [200, 200])
        done = server.ask("POST", "/v1/ledger/redact", {"seq": made["documents"][0]["record"]["seq"], "reason": "erasure"}, chief).json()
        equal(done["redacted"]["approvals"], [made["submit"]["approval"]["id"]])
        for word, body in (("/show", {}), ("/grant", grant)):
            again = server.ask("POST", path + word, body, {**person, **keyed(word[1:])})
            equal((word, again.status, again.json()["code"]), (word, 410, "DOCUMENT_REDACTED"))
        shown = server.ask("GET", path, headers=person).json()
        equal((shown["redacted"], shown["operation"], shown["commands"], shown["status"]), (True, None, [], "revoked"))
        equal(server.ask("POST", "/v1/approvals/use", {"command": REQUEST["exact_content"], "id": made["submit"]["approval"]["id"]}, agent).status, 409)
        equal(any(b"open-sesame" in path.read_bytes() for path in server.folder.glob("s.db*")), False)


# ---- Hooks ------------------------------------------------------------------------------------------------------------------


@claim
def hooks_answer_in_the_words_of_the_host_and_read_no_file():
    with serving() as server:
        stop = {"hook_event_name": "SubagentStop", "agent_id": ID, "session_id": "s"}
        bad = server.ask("POST", "/v1/hooks/claude", {**stop, "last_assistant_message": "nothing"}, JSON)
        equal((bad.status, bad.json()["decision"]), (200, "block"))
        good = server.ask("POST", "/v1/hooks/claude", {**stop, "last_assistant_message": fenced(envelope(status="COMPLETE"))}, JSON)
        equal((good.status, good.json()), (200, {}))
        secret = os.path.join(server.folder, "t.jsonl")
        with open(secret, "w", encoding="utf-8") as file:
            file.write(json.dumps({"type": "assistant", "message": {"role": "assistant", "content": fenced(envelope(status="COMPLETE"))}}) + "\n")
        unread = server.ask("POST", "/v1/hooks/codex", {**stop, "agent_transcript_path": secret}, JSON)
        equal((unread.status, list(unread.json())), (200, ["systemMessage"]))
        closed = server.ask("POST", "/v1/hooks/codex?fail_closed=1", "no object", JSON)
        equal((closed.status, closed.json()["decision"]), (200, "block"))
        operator = {**JSON, **bearer(server.console)}
        equal(server.ask("POST", "/v1/hooks/codex?observe=1&fail_closed=1", {}, operator).status, 400)
        for query in ("observe=1", "agents=x"):  # a request may not look away
            refused = server.ask("POST", "/v1/hooks/codex?" + query, {**stop, "last_assistant_message": "nothing"}, JSON)
            equal((query, refused.status, refused.json()["scope"]), (query, 403, "operate"))
            equal((query, server.ask("POST", "/v1/hooks/codex?" + query, {**stop, "last_assistant_message": "nothing"}, operator).json()), (query, {}))
        equal(server.ask("POST", "/v1/hooks/other", {}, JSON).status, 404)
        actors = {entry["entry"]["actor"] for entry in server.ask("GET", "/v1/handoffs").json()["entries"]}
        equal(actors, {"serve/local"})
    with serving(store=False) as server:
        equal(server.ask("POST", "/v1/hooks/gemini", {"prompt_response": "x"}, JSON).status, 200)


OTHER = "a00000000000000b2"
UUID = "5F1C3A0E-7A43-4A53-9D53-0C2F7A1F7A10"


@claim
def the_gate_of_a_server_judges_tools_of_the_callers_agents_alone():
    tokens = {"a": ("submit", "--agent", ID), "b": ("submit", "--agent", OTHER), "person": "approve"}
    with serving(tokens=tokens, config=PATIENT + "gate: {protect: [secrets/**]}\n") as server:
        who = {name: {**JSON, **bearer(token)} for name, token in server.tokens.items()}

        def use(name, command, **more):
            event = {"session_id": "s", "hook_event_name": "PreToolUse", "agent_id": ID, "tool_name": "Bash", "tool_input": {"command": command}, "cwd": "/srv/p", **more}
            answer = server.ask("POST", "/v1/hooks/claude", event, who[name])
            equal(answer.status, 200)
            return answer.json().get("hookSpecificOutput", {}).get("permissionDecisionReason", "")
        for command, code in (("ls", ""), ("git push", "GATE_APPROVAL_NEEDED"), ("echo > ~/.config/baton/config.yaml", "GATE_PROTECTED"),
                              ("echo > /srv/p/secrets/x", "GATE_PROTECTED"), ("echo > /srv/q/secrets/x", ""), ("baton approvals grant x", "GATE_SELF")):
            equal((command, use("a", command)[:len(code)] if code else use("a", command)), (command, code))
            equal((command, "AGENT_BINDING_MISMATCH" in use("b", command)), (command, True))
        equal("AGENT_BINDING_MISMATCH" in use("a", "ls", agent_id=""), True)  # whose call it is must be known
        equal(server.ask("POST", "/v1/hooks/claude", {"hook_event_name": "SubagentStart", "agent_id": ID}, who["b"]).json(), {})
        (request,) = server.ask("GET", "/v1/approvals", headers=who["person"]).json()["approvals"]
        equal((request["agent_id"], request["commands"]), (ID, ["git push"]))
        equal(server.ask("POST", f"/v1/approvals/{request['id']}/grant", {"fingerprint": request["fingerprint"]}, who["person"]).status, 200)
        equal([bool(use("a", "git push", tool_use_id=name)) for name in ("1", "1", "2")], [False, False, True])
    with serving() as server:
        event = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}}
        equal(server.ask("POST", "/v1/hooks/claude", event, JSON).json(), {})


@claim
def a_bound_caller_ends_no_turn_and_reads_no_input_of_another_agent():
    tokens = {"a": ("submit", "--agent", ID), "b": ("submit", "--agent", OTHER), "raw": ("submit", "--agent", UUID), "all": "submit", "chief": "submit,operate"}
    with serving(tokens=tokens) as server:
        who = {name: {**JSON, **bearer(token)} for name, token in server.tokens.items()}
        given = {"project_knowledge": {"project": "confidential"}, "write_permissions": {"writable_sections": ["services"]}}
        mine = {"agent_id": ID, "session_id": "s"}
        equal(server.ask("PUT", f"/v1/contract/input?agent={ID}", given, who["chief"]).status, 200)
        updates = {"/update_contracts": [{"contract": "services", "payload": {"x": 1}}]}
        block = fenced(envelope(updates, status="COMPLETE"))
        start, stop = ({"hook_event_name": f"Subagent{word}", **mine} for word in ("Start", "Stop"))
        before = size(server) - 1  # the last entry there is

        def entries():
            found = server.ask("GET", f"/v1/handoffs?order=asc&limit=500&after={before}", headers=who["chief"]).json()["entries"]
            return [(item["entry"]["kind"], item["entry"]["verdict"], item["entry"]["codes"], item["entry"]["actor"]) for item in found]

        # Whatever the host says, and by the id of the block where it says nothing.
        refusals = [start, {**stop, "last_assistant_message": block}, {**stop, "last_assistant_message": "no block"}, stop,
                    {"session_id": "s", "last_assistant_message": block}, {"session_id": "s", "last_assistant_message": "no block"}, {"session_id": "s"}]
        for event in refusals:
            answer = server.ask("POST", "/v1/hooks/claude", event, who["b"])
            told = answer.json()
            equal((event, answer.status, list(told)), (event, 200, [] if event is start else ["systemMessage"]))
            equal((event, event is start or "AGENT_BINDING_MISMATCH" in told["systemMessage"], b"confidential" in answer.body), (event, True, False))
        equal(entries(), [("handoff", "rejected", codes, "serve/b") for _, _, codes, _ in entries()])
        equal([codes for _, _, codes, _ in entries()], [["AGENT_BINDING_MISMATCH"]] * 5 + [["AGENT_BINDING_MISMATCH", "CONTRACT_BLOCK_MISSING"]] * 2)
        equal(server.ask("GET", "/v1/contract/state", headers=who["chief"]).json()["agents"], [])
        equal(server.ask("GET", "/v1/contract/sections", headers=who["chief"]).json()["sections"], {})
        # Its own agent, under the host's id or the one that blocks write, and anybody's for who is not bound.
        equal("confidential" in server.ask("POST", "/v1/hooks/claude", start, who["a"]).body.decode(), True)
        equal(server.ask("POST", "/v1/hooks/claude", {**stop, "last_assistant_message": block}, who["a"]).json(), {})
        equal(server.ask("POST", "/v1/hooks/claude", {"session_id": "t", "last_assistant_message": fenced(envelope(status="COMPLETE"))}, who["a"]).json(), {})
        equal("hookSpecificOutput" in server.ask("POST", "/v1/hooks/claude", {**start, "agent_id": UUID}, who["raw"]).json(), True)
        equal("confidential" in server.ask("POST", "/v1/hooks/claude", start, who["all"]).body.decode(), True)


@claim
def names_that_the_operator_withholds_enter_no_entry_whatever_the_door():
    with serving(config="ledger: {withhold: [source, trace_id]}\n") as server:
        equal(submit(server, text()).status, 201)
        equal(submit(server, text(1), "?withhold=target").status, 201)
        stop = {"hook_event_name": "SubagentStop", "agent_id": ID, "session_id": "s", "last_assistant_message": fenced(envelope(status="COMPLETE"))}
        equal(server.ask("POST", "/v1/hooks/claude", stop, JSON).json(), {})
        with open(os.path.join(server.folder, "h.json"), "w", encoding="utf-8") as file:
            file.write(text(2))
        expect(run("ledger", "append", "h.json", "--store", "s.db", "--config", "baton.yaml", cwd=server.folder), 0)
        entries = [item["entry"] for item in server.ask("GET", "/v1/handoffs?order=asc&kind=handoff", headers=bearer(server.console)).json()["entries"]]
        equal([(entry.get("source"), entry.get("target"), entry["withheld"]) for entry in entries],
              [(None, "tax-writer", ["source", "trace_id"]), (None, None, ["source", "target", "trace_id"]), (None, None, ["source"]),
               (None, "tax-writer", ["source", "trace_id"])])


@claim
def no_answer_and_no_log_line_holds_a_token():
    with serving(tokens={"all": "check,submit,approve,operate,admin"}) as server:
        who = {**JSON, **bearer(server.tokens["all"])}
        said = b""
        for method, path, body in (("GET", "/v1/whoami", None), ("GET", "/v1/admin/config", None), ("POST", "/v1/handoffs", text()), ("GET", "/metrics", None),
                                   ("GET", "/v1/handoffs", None), ("POST", "/v1/check?wish=1", text()), ("GET", "/v1/nothing", None)):
            answer = server.ask(method, path, body, who)
            said += answer.body + repr(answer.headers).encode()
        server.child.terminate()
        server.child.wait(timeout=60)
        said += server.logged()
        equal((b"request_id" in said, server.tokens["all"].encode() in said), (True, False))


sys.exit(finish())
