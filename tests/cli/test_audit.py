# SPDX-License-Identifier: Apache-2.0
"""test_audit.py BATON - heartbeats, holds, retention, and for each test of an audit a ledger with that one fault."""
import base64
import contextlib
import hashlib
import json
import pathlib
import sqlite3
import sys
import tempfile

from block import REQUEST, envelope, fenced
from handoffs import GOOD, text_of
from ledger_tools import ORIGIN, VKEY, WITNESS, do, findings, opened, sign_bytes, told, write_tree
from program import claim, equal, finish, run
from server import Server

JSON = {"Content-Type": "application/json"}
NOW = "2026-02-11T00:45:02Z"
LATER = "2026-02-11T00:50:00Z"


@contextlib.contextmanager
def ledger_2():
    with tempfile.TemporaryDirectory(prefix="baton-audit-") as name:
        folder = pathlib.Path(name)
        do(folder, "ledger", "init", "--origin", ORIGIN, "--seed", "1", "--entries", "2")
        yield folder


def append(folder, content, *flags, now=NOW):
    (folder / "raw.txt").write_text(content)
    return json.loads(do(folder, "ledger", "append", "--raw", "raw.txt", "--now", now, "-f", "json", *flags).stdout)["documents"][0]["record"]


def audit(folder, *flags, now=LATER):
    result = run("ledger", "audit", "--vkey", VKEY, "--now", now, "-f", "json", *flags, cwd=folder)
    return told(result), json.loads(result.stdout)["documents"][0]


def found(folder, *flags, **more):
    """The findings of an audit, with their reasons."""
    result = run("ledger", "audit", "--vkey", VKEY, "--now", more.get("now", LATER), "-f", "json", *flags, cwd=folder)
    return sorted((f["code"], f["pointer"], f.get("params", {}).get("reason")) for f in findings(result) if f["severity"] != "INFO")


def change(folder, statement, *values):
    with contextlib.closing(sqlite3.connect(folder / ".baton/store.db")) as database, database:
        if database.execute(statement, values).rowcount < 1:
            raise AssertionError(f"nothing was changed: {statement}")


@contextlib.contextmanager
def delivering():
    """A ledger with two promised deliveries: the first has ended, the second waits. Yields the folder, the time of the last entry and the numbers of both."""
    with ledger_2() as folder:
        server = Server(folder, "--allow-test-key")
        for number in range(2):
            equal(server.ask("POST", f"/v1/handoffs?id=d-{number}&as=universal", text_of(GOOD), JSON).status, 201)
        taken = server.ask("POST", "/v1/inbox/patch-builder/take", {"max": 1}, JSON).json()["items"][0]
        body = {"items": [{"message": taken["message"], "lease": taken["lease"], "outcome": "delivered"}]}
        equal(server.ask("POST", "/v1/inbox/patch-builder/finish", body, JSON).json()["items"][0]["result"], "ok")
        server.stop()
        entries = [item["entry"] for item in json.loads(do(folder, "ledger", "tail", "-n", "99", "-f", "json").stdout)["entries"]]
        equal([entry["refs"]["event"] for entry in entries if entry["kind"] == "heartbeat"], ["start", "stop"])
        equal((entries[0]["refs"]["event"], entries[-1]["refs"]["event"]), ("start", "stop"))
        yield folder, entries[-1]["time"], [entry["seq"] for entry in entries if "deliver" in entry]


@claim
def a_sound_store_has_nothing_to_report_and_says_what_it_cannot_prove():
    with delivering() as (folder, now, _):
        equal(found(folder, now=now), [])
        facts = audit(folder, now=now)[1]["facts"]["audit"]
        equal({name: facts[name] for name in ("promised", "delivered", "open", "dead", "handoffs", "refused", "heartbeats", "unproven")},
              {"promised": 2, "delivered": 1, "open": 1, "dead": 0, "handoffs": 2, "refused": 0, "heartbeats": 2,
               "unproven": ["unsubmitted", "acted", "clock", "rewrite"]})
        equal(run("ledger", "audit", "--vkey", VKEY, "--now", now, cwd=folder).stdout.decode().count("not proven: "), 4)


@claim
def each_fault_of_the_queue_is_found_alone():
    for statement, name, expected in (
            ("DELETE FROM queue WHERE message_id = ?", 1, ("AUDIT_DELIVERY_MISSING", "/entries/{1}", None)),
            ("UPDATE queue SET target = 'other' WHERE message_id = ?", 1, ("AUDIT_QUEUE_STRAY", "/tables/queue", "target")),
            ("UPDATE queue SET payload = X'00' WHERE message_id = ?", 1, ("AUDIT_QUEUE_STRAY", "/tables/queue", "payload")),
            ("UPDATE queue SET state = 'done' WHERE message_id = ?", 1, ("AUDIT_QUEUE_STRAY", "/tables/queue", "end")),
            ("UPDATE queue SET state = 'queued' WHERE message_id = ?", 0, ("AUDIT_QUEUE_STRAY", "/tables/queue", "end")),
            ("UPDATE queue SET state = 'dead' WHERE message_id = ?", 0, ("AUDIT_QUEUE_STRAY", "/tables/queue", "end")),
            ("INSERT INTO queue SELECT queue, 'h0', target, 0, thread, NULL, not_before, 0, NULL, 0, state, 0 FROM queue WHERE message_id = ?", 1,
             ("AUDIT_QUEUE_STRAY", "/tables/queue", "entry"))):
        with delivering() as (folder, now, seqs):
            change(folder, statement, f"h{seqs[name]}")
            equal((statement, found(folder, now=now)), (statement, [(expected[0], expected[1].format(*seqs), expected[2])]))


@claim
def a_delivery_that_waits_too_long_is_a_warning():
    with delivering() as (folder, now, seqs):
        later = f"{int(now[:4]) + 1}{now[4:]}"
        equal(found(folder, now=later), [("AUDIT_DELIVERY_OPEN", f"/entries/{seqs[1]}", None)])
        equal(found(folder, "--max-open", "999999d", now=later), [])


@claim
def approvals_are_compared_with_their_tables():
    with ledger_2() as folder:
        request = fenced(envelope({"/approval_request": REQUEST}, "APPROVAL_REQUEST"))
        made = json.loads(do(folder, "contract", "submit", "-f", "json", "--workspace", "w", "--now", NOW, "-", stdin=request).stdout)["submit"]["approval"]
        do(folder, "approvals", "grant", made["id"], "--fingerprint", made["fingerprint"], "--actor", "ana", "--now", NOW)
        do(folder, "approvals", "use", made["id"], "--command", REQUEST["exact_content"], "--workspace", "w", "--now", NOW)
        equal(found(folder), [])
        used = max(row["entry"]["seq"] for row in json.loads(do(folder, "ledger", "tail", "-n", "99", "-f", "json").stdout)["entries"])
        change(folder, "UPDATE approval_grant SET uses = 0")
        equal(found(folder), [("AUDIT_APPROVAL_STRAY", f"/entries/{used}", "over-used")])
        change(folder, "UPDATE approval_grant SET uses = 1")
        change(folder, "INSERT INTO approval_event SELECT approval, 99, 'CONSUMED', at, actor, code, fingerprint, 0 FROM approval_event WHERE n = 1")
        equal(found(folder), [("AUDIT_APPROVAL_STRAY", "/entries/0", "unrecorded")])


# ---- The record alone: trees that are signed, and say what no Baton says ---------------------------------------------------

JUDGE = {"rules": "0" * 64, "version": "0.2.0"}
RAW = {"kind": "raw", "dialect": "raw", "actor": "cli", "document": {"kept": False, "sha256": "1" * 64, "size": 1}}
HANDOFF = {"kind": "handoff", "dialect": "universal", "verdict": "accepted", "judge": JUDGE, "document": {"kept": False, "sha256": "2" * 64, "size": 1}}
PROMISE = {**HANDOFF, "deliver": ["h{seq}"]}


def delivery(event, message, parent, **refs):
    return {"kind": "delivery", "refs": {"event": event, "message": message, "parent": parent, **refs}}


def approval(event, seal="3", name="1"):
    return {"kind": "approval", "refs": {"approval": "P-" + name * 32, "event": event, "fingerprint": seal * 64}}


def beat(event):
    return {"kind": "heartbeat", "refs": {"event": event, "message": "run-00000000"}}


def entry_texts(parts):
    """The canonical texts of entries of version 2, one for each minute; `n`, where it is given, is added to the counters."""
    counts, texts = {}, []
    for seq, part in enumerate(parts):
        entry = {"actor": "serve/ci", "codes": [], "dialect": "baton", "verdict": "recorded", "v": 2, "seq": seq, "time": f"2026-02-11T08:{seq:02}:00.000Z", **part}
        if "deliver" in entry:
            entry["deliver"] = [text.format(seq=seq) for text in entry["deliver"]]
        counts[entry["actor"]] = counts.get(entry["actor"], 0) + 1
        entry["n"] = {"actor": counts[entry["actor"]], **part.get("n", {})}
        texts.append(json.dumps(entry, sort_keys=True, separators=(",", ":")).encode())
    return texts


def found_in_tree(folder, parts, *flags, name="tree"):
    write_tree(folder / name, entry_texts(parts), folder / ".baton/ledger.key")
    return found(folder, "--tree", name, *flags)


@claim
def each_fault_of_the_record_is_found_alone():
    granted, used = approval("APPROVED"), approval("CONSUMED")
    delivered, dead = delivery("delivered", "h0", 0), delivery("dead", "h0", 0)
    stray, unapproved = "AUDIT_DELIVERY_STRAY", "AUDIT_APPROVAL_STRAY"
    rows = (
        # deliveries: what was not accepted, another parent, nothing before, what was not promised, a webhook that was not, a second end
        ([RAW, delivered], [(stray, "/entries/1", "no-acceptance")]),
        ([{**HANDOFF, "verdict": "rejected", "codes": ["EXPIRED"]}, delivered], [(stray, "/entries/1", "no-acceptance")]),
        ([PROMISE, RAW, delivery("delivered", "h0", 1)], [(stray, "/entries/2", "no-acceptance")]),
        ([RAW, delivery("delivered", "h7", 0)], [(stray, "/entries/1", "no-acceptance")]),
        ([HANDOFF, delivered], [(stray, "/entries/1", "not-promised")]),
        ([PROMISE, delivery("delivered", "w0", 0)], [(stray, "/entries/1", "not-promised")]),
        ([PROMISE, delivered, dead], [(stray, "/entries/2", "after-end")]),
        ([PROMISE, dead, delivered], [(stray, "/entries/2", "after-end")]),
        ([PROMISE, delivery("cancelled", "h0", 0), delivered], [(stray, "/entries/2", "after-end")]),
        ([PROMISE, delivered], []),
        ([{**PROMISE, "deliver": ["h{seq}", "w{seq}"]}, delivered, delivery("dead", "w0", 0)], []),
        # approvals: never approved, another content, another approval, revoked, expired
        ([used], [(unapproved, "/entries/0", "not-approved")]),
        ([approval("REQUESTED"), used], [(unapproved, "/entries/1", "not-approved")]),
        ([granted, approval("CONSUMED", seal="4")], [(unapproved, "/entries/1", "not-approved")]),
        ([granted, approval("CONSUMED", name="2")], [(unapproved, "/entries/1", "not-approved")]),
        ([granted, approval("REVOKED"), used], [(unapproved, "/entries/2", "ended")]),
        ([granted, approval("EXPIRED"), used], [(unapproved, "/entries/2", "ended")]),
        ([granted, used, approval("REVOKED")], []),
        ([granted, approval("REVOKED", name="2"), used], []),
        # silences: a stop alone and a start alone attest nothing
        ([beat("stop"), {**RAW, "time": "2026-02-11T09:00:00.000Z"}], [("AUDIT_SILENCE", "/entries/1", None)]),
        ([RAW, {**beat("start"), "time": "2026-02-11T09:00:00.000Z"}], [("AUDIT_SILENCE", "/entries/1", None)]),
        ([beat("stop"), {**beat("start"), "time": "2026-02-11T09:00:00.000Z"}], []),
        # numbers: one is skipped, one is repeated, one is smaller; those of another caller do not count
        ([{**RAW, "n": {"client": number}} for number in (4, 6)], [("AUDIT_NUMBER_GAP", "/entries/1", None)]),
        ([{**RAW, "n": {"client": number}} for number in (4, 4)], [("AUDIT_NUMBER_GAP", "/entries/1", None)]),
        ([{**RAW, "n": {"client": number}} for number in (4, 3)], [("AUDIT_NUMBER_GAP", "/entries/1", None)]),
        ([{**RAW, "n": {"client": 4}}, {**RAW, "actor": "serve/other", "n": {"client": 9}}, RAW, {**RAW, "n": {"client": 5}}], []))
    with ledger_2() as folder:
        for number, (parts, expected) in enumerate(rows):
            equal((number, found_in_tree(folder, parts, name=f"t{number}")), (number, expected))


@claim
def an_open_promise_of_the_record_is_as_old_as_its_entry():
    with ledger_2() as folder:
        equal(found_in_tree(folder, [PROMISE], "--max-open", "1d", name="young"), [])
        equal(found(folder, "--tree", "young", "--max-open", "1d", now="2026-02-13T00:00:00Z"), [("AUDIT_DELIVERY_OPEN", "/entries/0", None)])
        equal(found_in_tree(folder, [PROMISE, delivery("delivered", "h0", 0)], "--max-open", "1d", name="ended"), [])
        equal(found(folder, "--tree", "ended", "--max-open", "1d", now="2026-02-13T00:00:00Z"), [])


@claim
def findings_of_one_code_stop_at_the_hundredth():
    with ledger_2() as folder:
        write_tree(folder / "many", entry_texts([{**approval("CONSUMED"), "time": NOW.replace("Z", ".000Z")}] * 150), folder / ".baton/ledger.key")
        shown = [finding for finding in audit(folder, "--tree", "many")[1]["findings"] if finding["severity"] == "HARD"]
        equal((len(shown), shown[-1]["params"]["more"], [finding for finding in shown[:-1] if "more" in finding["params"]]), (100, 50, []))


@claim
def silences_and_numbers_are_warnings():
    with ledger_2() as folder:
        do(folder, "ledger", "beat", "--event", "start", "--now", "2026-02-11T08:00:00Z")
        append(folder, "one", "--number", "1", now="2026-02-11T08:20:00Z")
        append(folder, "two", "--number", "2", now="2026-02-11T08:40:00Z")
        equal(found(folder), [])
        append(folder, "three", "--number", "4", now="2026-02-11T09:00:00Z")
        equal(found(folder), [("AUDIT_NUMBER_GAP", "/entries/3", None)])
        equal(found(folder, "--to", "2"), [])
        do(folder, "ledger", "beat", "--event", "stop", "--now", "2026-02-11T09:10:00Z")
        do(folder, "ledger", "beat", "--event", "start", "--now", "2026-02-11T20:00:00Z")
        equal(found(folder, "--from", "4"), [])
        append(folder, "four", now="2026-02-11T21:00:00Z")
        equal(found(folder, "--from", "4"), [("AUDIT_SILENCE", "/entries/6", None)])
        equal(found(folder, "--from", "2026-02-11T09:05:00Z", "--max-silence", "1h"), [])
        for words in (["--from", "9"], ["--from", "3", "--to", "2"], ["--max-open", "soon"], ["--from", "x"], ["--max-silence", "0s"]):
            do(folder, "ledger", "audit", *words, code=2)


@claim
def times_are_compared_to_the_millisecond():
    with ledger_2() as folder:
        for name, time, expected in (("t", "2026-02-11T08:30:00.000Z", []), ("u", "2026-02-11T08:30:00.001Z", [("AUDIT_SILENCE", "/entries/1", None)])):
            equal(found_in_tree(folder, [RAW, {**RAW, "time": time}], "--max-silence", "30m", name=name), expected)
        for now, expected in (("2026-02-12T08:00:00Z", []), ("2026-02-12T08:00:00.001Z", [("AUDIT_DELIVERY_OPEN", "/entries/0", None)])):
            equal(found_in_tree(folder, [PROMISE], "--max-open", "1d", name="v"), [])
            equal(found(folder, "--tree", "v", "--max-open", "1d", now=now), expected)


@claim
def an_entry_that_is_younger_than_its_witness_is_found():
    for seen, expected in (("2026-02-11T00:45:02Z", []), ("2026-02-11T00:44:57Z", []), ("2026-02-11T00:44:56Z", [("AUDIT_TIME_BOUND", "/entries/0", None)]),
                           ("2026-02-11T00:40:00Z", [("AUDIT_TIME_BOUND", "/entries/0", None)])):
        with ledger_2() as folder:
            do(folder, "ledger", "witness", "init", "w", "--name", "witness.example/w1", "--seed", "7")
            do(folder, "ledger", "witness", "trust", "w", VKEY)
            append(folder, "one")
            body = do(folder, "ledger", "prove", "consistency", "0").stdout
            line = do(folder, "ledger", "witness", "add", "w", "-", "--now", seen, stdin=body).stdout
            (folder / "line").write_bytes(line)
            do(folder, "ledger", "checkpoint", "--add-cosignature", "line", "--witness-key", WITNESS)
            equal(found(folder, "--witness-key", WITNESS), expected)
            equal(audit(folder, "--witness-key", WITNESS)[1]["facts"]["audit"]["unproven"], ["unsubmitted", "acted"])


def cosign(folder, note, seconds):
    """The line of the published witness, whose folder is w, under a checkpoint at a time of its choice."""
    text = note.split(b"\n\n", 1)[0] + b"\n"
    signature = sign_bytes(b"cosignature/v1\ntime %d\n" % seconds + text, folder / "w/witness.key")
    name, key_id, _ = WITNESS.split("+", 2)
    return f"\N{EM DASH} {name} " + base64.b64encode(bytes.fromhex(key_id) + seconds.to_bytes(8, "big") + signature).decode() + "\n"


@claim
def a_cosignature_of_a_time_that_no_clock_shows_is_not_valid():
    with ledger_2() as folder:
        do(folder, "ledger", "witness", "init", "w", "--name", "witness.example/w1", "--seed", "7")
        append(folder, "one")
        note = do(folder, "ledger", "checkpoint").stdout
        add = ["ledger", "checkpoint", "--add-cosignature", "line", "--witness-key", WITNESS, "-f", "json"]
        for seconds in (253402300800, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
            (folder / "line").write_text(cosign(folder, note, seconds))
            equal(told(do(folder, *add, code=1)), [("LEDGER_SIGNATURE_INVALID", "/cosignature/witness.example~1w1")])
        (folder / "line").write_text(cosign(folder, note, 253402300799))
        do(folder, *add)
        key = base64.b64decode(VKEY.split("+", 2)[2])
        other = f"other.example/log+{hashlib.sha256(b'other.example/log' + bytes([10]) + key).hexdigest()[:8]}+{VKEY.split('+', 2)[2]}"
        (folder / "baton.yaml").write_text(json.dumps({"ledger": {"peers": [{"name": "w1", "url": "http://127.0.0.1:1/", "vkey": WITNESS, "log": other}]}}))
        peers = lambda: json.loads(do(folder, "ledger", "peers", "--config", "baton.yaml", "-f", "json").stdout)["peers"][0]["last"]
        equal(peers(), "9999-12-31T23:59:59Z")
        equal(found(folder, "--witness-key", WITNESS), [])
        with opened(folder) as database:  # whoever writes the table can write such a line
            database.execute("UPDATE ledger_cosignature SET line = ?", (cosign(folder, note, (1 << 64) - 1).rstrip("\n"),))
        equal(peers(), None)
        do(folder, "ledger", "peers", "--config", "baton.yaml")


@claim
def the_earliest_of_several_witnesses_of_a_tree_counts():
    with ledger_2() as folder:
        append(folder, "one")
        keys = []
        for name, seed, seen in (("late", "7", NOW), ("early", "8", "2026-02-11T00:40:00Z")):
            made = json.loads(do(folder, "ledger", "witness", "init", name, "--name", f"witness.example/{name}", "--seed", seed, "-f", "json").stdout)
            do(folder, "ledger", "witness", "trust", name, VKEY)
            line = do(folder, "ledger", "witness", "add", name, "-", "--now", seen, stdin=do(folder, "ledger", "prove", "consistency", "0").stdout).stdout
            (folder / "line").write_bytes(line)
            do(folder, "ledger", "checkpoint", "--add-cosignature", "line", "--witness-key", made["vkey"])
            keys.append(made["vkey"])
        do(folder, "ledger", "export", "out")
        equal(found(folder, "--tree", "out", "--witness-key", keys[0]), [])
        for order in (keys, keys[::-1]):
            equal(found(folder, "--tree", "out", "--witness-key", order[0], "--witness-key", order[1]), [("AUDIT_TIME_BOUND", "/entries/0", None)])


@claim
def a_log_that_does_not_verify_is_not_audited():
    with ledger_2() as folder:
        append(folder, "one", "--number", "1")
        append(folder, "two", "--number", "3")
        other = "ledger.example/team+29cc8921+AeMZGmr4kKmgi4CeV9yGq90UZBrBx0cu056CVlKy+8Ik"
        result = run("ledger", "audit", "--vkey", other, "-f", "json", cwd=folder)
        equal((told(result), "audit" in json.loads(result.stdout)["documents"][0]["facts"]), ([("LEDGER_KEY_UNKNOWN", "/checkpoint")], False))


# ---- Retention --------------------------------------------------------------------------------------------------------------


@claim
def retention_leaves_held_and_young_documents_alone():
    with ledger_2() as folder:
        for number, minute in enumerate((0, 1, 2)):
            (folder / "h.json").write_text(text_of({"handoff": {**GOOD["handoff"], "trace_id": f"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c{number}"}}))
            do(folder, "ledger", "append", "h.json", "--as", "universal", "--now", f"2026-05-0{number + 1}T00:0{minute}:00Z")
        held = ["--trace", "6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c1", "--actor", "legal", "--reason", "case 7"]
        do(folder, "ledger", "hold", "set", *held, "--now", "2026-05-04T00:00:00Z")
        (folder / "baton.yaml").write_text("retain:\n  min: 10d\n")
        retain = lambda days, code=0: json.loads(do(folder, "store", "retain", "--accepted-days", days, "--now", "2026-05-13T12:00:00Z", "-f", "json", code=code).stdout)
        equal([f["code"] for f in retain("9", code=1)["documents"][0]["findings"]], ["RETENTION_MINIMUM"])
        done = retain("10")
        equal((done["redacted"], done["held"], done["too_young"]), (2, 1, 0))
        do(folder, "ledger", "hold", "release", *held, "--now", "2026-05-13T12:00:00Z")
        equal(retain("10")["redacted"], 1)
        equal(told(do(folder, "store", "check", "-f", "json")), [])
        equal(told(do(folder, "ledger", "verify", "--vkey", VKEY, "-f", "json")), [])


@claim
def a_document_that_came_again_is_kept_by_the_minimum_and_counted():
    with ledger_2() as folder:
        (folder / "h.json").write_text(text_of(GOOD))
        for day in (1, 12):
            do(folder, "ledger", "append", "h.json", "--as", "universal", "--now", f"2026-05-{day:02}T00:00:00Z")
        for minimum, hour, expected in (("2d", "23", (0, 1)), ("1h", "23", (0, 0))):  # only the first of them still keeps it
            (folder / "baton.yaml").write_text(f"retain:\n  min: {minimum}\n")
            done = json.loads(do(folder, "store", "retain", "--accepted-days", "2", "--now", f"2026-05-12T{hour}:00:00Z", "-f", "json").stdout)
            equal((done["redacted"], done["too_young"]), expected)


@claim
def an_end_that_cannot_be_written_is_the_last_second_that_can():
    with ledger_2() as folder:
        late = "9999-12-31T23:59:59Z"
        append(folder, "one", now=late)
        (folder / "baton.yaml").write_text("retain:\n  min: 36500d\n")
        refused = do(folder, "ledger", "redact", "0", "--reason", "x", "--now", "2026-05-01T00:00:00Z", "-f", "json", code=1)
        equal([finding["params"] for finding in findings(refused)], [{"until": "9999-12-31T23:59:59.000Z"}])


@claim
def a_hold_by_digest_or_id_covers_the_document():
    with ledger_2() as folder:
        sha256 = append(folder, "one", "--id", "Job-1")["document"]["sha256"]
        for words in (["--document", f"sha256:{sha256}"], ["--handoff", "JOB-1"]):
            do(folder, "ledger", "hold", "set", *words, "--reason", "r", "--actor", "a", "--now", NOW)
            refused = run("ledger", "redact", f"sha256:{sha256}", "--reason", "x", "--early", "--actor", "dpo", "--now", NOW, "-f", "json", cwd=folder)
            equal((refused.returncode, told(refused)), (1, [("RETENTION_HOLD", f"/documents/{sha256}")]))
            do(folder, "ledger", "hold", "release", *words, "--reason", "r", "--actor", "a", "--now", NOW)
        entry = json.loads(do(folder, "ledger", "show", "1", "-f", "json").stdout)["entry"]
        equal((entry["kind"], entry["document"]), ("hold", {"kept": False, "sha256": sha256, "size": 3}))
        for words in (["--document", "sha256:" + "0" * 64], ["--document", sha256], ["--trace", "t", "--handoff", "h"], ["--trace", "a b"]):
            do(folder, "ledger", "hold", "set", *words, "--reason", "r", "--actor", "a", code=2)
        equal(json.loads(do(folder, "ledger", "hold", "list", "-f", "json").stdout)["holds"], [])
        do(folder, "ledger", "hold", "set", "--handoff", "job-2", "--reason", "r", "--actor", "a", "--now", NOW)
        wanted = append(folder, "two", "--id", "job-2")["seq"]  # the hold came first, and is not the handoff
        equal(json.loads(do(folder, "ledger", "receipt", "--handoff", "job-2", "--format", "json").stdout)["index"], wanted)
        do(folder, "ledger", "init", "--origin", "one.example/x", "--seed", "1", "--store", "v1.db")
        for words in (["list"], ["set", "--trace", "x", "--reason", "r", "--actor", "a"], ["release", "--trace", "x", "--reason", "r", "--actor", "a"]):
            do(folder, "ledger", "hold", *words, "--store", "v1.db", code=2)  # which has entries of version 1
        done = json.loads(do(folder, "ledger", "redact", "0", "--reason", "x", "--now", NOW, "-f", "json").stdout)
        equal(done["redacted"]["entries"], [0])
        equal(told(do(folder, "store", "check", "-f", "json")), [])


@claim
def a_hold_by_trace_covers_it_in_any_letter_case():
    with ledger_2() as folder:
        append(folder, "one", "--trace", "Case-7")
        by = lambda trace: ["--trace", trace, "--reason", "r", "--actor", "a", "--now", NOW, "-f", "json"]
        done = lambda *words: json.loads(do(folder, "ledger", "hold", *words).stdout)
        equal([hold["value"] for hold in done("set", *by("case-7"))["holds"]], ["case-7"])
        equal(told(do(folder, "ledger", "redact", "0", "--reason", "x", "--now", NOW, "-f", "json", code=1))[0][0], "RETENTION_HOLD")
        equal((done("set", *by("CASE-7"))["already"], done("release", *by("case-8"))["already"]), (True, True))
        freed = done("release", *by("CASE-7"))
        equal((freed["holds"], freed["already"]), ([], False))
        equal(json.loads(do(folder, "ledger", "show", "2", "-f", "json").stdout)["entry"]["trace_id"], "case-7")
        equal(told(do(folder, "store", "check", "-f", "json")), [])
        do(folder, "ledger", "redact", "0", "--reason", "x", "--now", NOW)


@claim
def the_table_of_holds_is_compared_with_the_entries():
    with ledger_2() as folder:
        append(folder, "one", "--trace", "case-7", "--id", "job-1")
        for words in (["--trace", "case-7"], ["--handoff", "job-1"]):
            do(folder, "ledger", "hold", "set", *words, "--reason", "r", "--actor", "a", "--now", NOW)
        do(folder, "ledger", "hold", "release", "--handoff", "job-1", "--reason", "over", "--actor", "a", "--now", NOW)
        store = (folder / ".baton/store.db").read_bytes()
        wrong = lambda: [finding["params"]["key"] for finding in findings(run("store", "check", "-f", "json", cwd=folder)) if finding["pointer"] == "/tables/hold"]
        equal(wrong(), [])
        for statement, key in (("DELETE FROM hold WHERE held_by = 'trace'", "trace case-7"), ("DELETE FROM hold WHERE held_by = 'handoff'", "handoff job-1"),
                               ("UPDATE hold SET released_seq = 3 WHERE held_by = 'trace'", "trace case-7"), ("UPDATE hold SET released_seq = NULL WHERE held_by = 'handoff'", "handoff job-1"),
                               ("UPDATE hold SET value = 'case-8' WHERE held_by = 'trace'", "trace case-8"), ("UPDATE hold SET reason = 'x' WHERE held_by = 'trace'", "trace case-7"),
                               ("UPDATE hold SET since_seq = 0 WHERE held_by = 'trace'", "trace case-7"), ("INSERT INTO hold VALUES ('trace', 'case-9', 'r', 1, NULL)", "trace case-9")):
            change(folder, statement)
            equal((statement, wrong()), (statement, [key]))
            for path in folder.glob(".baton/store.db-*"):
                path.unlink()
            (folder / ".baton/store.db").write_bytes(store)
        equal(wrong(), [])


sys.exit(finish())
