# SPDX-License-Identifier: Apache-2.0
"""test_ledger.py BATON - baton ledger and baton store as people use them: what they print, what they refuse, what
they leave alone."""
import base64
import json
import os
import pathlib
import sqlite3
import stat
import sys
import tempfile

from ledger_tools import NOW, ORIGIN, VKEY, append, do, findings, ledger, sign, told, verify
from program import NOBODY, claim, claim_if, equal, expect, finish, public_folder, run, run_as_nobody

HANDOFF = {"handoff": {"version": "3.0", "schema_type": "universal", "timestamp": "2026-02-11T00:45:02Z",
                       "trace_id": "550e8400-e29b-41d4-a716-446655440000",
                       "source": {"skill": "researcher", "workflow_id": "w", "session_path": "s", "phase": "collect"},
                       "target": {"skill": "writer"}, "context": {"summary": "Three sources agree.", "problem_type": "research"},
                       "payload": {"working": {"sources": 3}}, "meta": {"token_count": 1, "confidence": "high"}}}


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@claim
def files_are_for_their_owner_and_never_for_version_control():
    with ledger("one") as folder:
        equal(mode(folder / ".baton"), 0o700)
        for name, bits in (("store.db", 0o600), ("ledger.key", 0o600), ("ledger.vkey", 0o644), ("ledger.head", 0o600)):
            equal((name, mode(folder / ".baton" / name)), (name, bits))
        equal((folder / ".baton/.gitignore").read_text(), "*\n")


@claim
def the_store_is_found_from_below_by_flag_and_by_environment():
    with ledger("one") as folder:
        deep = folder / "a/b"
        deep.mkdir(parents=True)
        info = json.loads(do(deep, "store", "info", "-f", "json").stdout)
        equal((info["store"], info["size"]), ("sqlite:../../.baton/store.db", 1))
        equal(json.loads(do(deep, "store", "info", "-f", "json", "--root", "../..").stdout)["size"], 1)
        with tempfile.TemporaryDirectory() as elsewhere:
            place = pathlib.Path(elsewhere)
            equal(run("store", "info", cwd=place).returncode, 2)
            store = str(folder / ".baton/store.db")
            equal(json.loads(do(place, "store", "info", "-f", "json", env={"BATON_STORE": store}).stdout)["size"], 1)
            equal(os.listdir(place), [])


@claim
def a_mistake_touches_nothing():
    with ledger("one") as folder:
        (folder / "note.txt").write_text("x")
        (folder / "sub").mkdir()
        (folder / "none").write_text("# no key\n")
        before = sorted(str(path) for path in folder.rglob("*"))
        for words in (
                ["init"], ["init", "--origin", "a b"], ["init", "--origin", ORIGIN], ["append"], ["append", "--raw", "gone"],
                ["append", "note.txt"], ["append", "--raw", "note.txt", "--id", "a b"], ["append", "--raw", "note.txt", "--actor", ""],
                ["append", "--raw", "note.txt", "--ref", "agent=x"], ["append", "--raw", "note.txt", "--ref", "parent=9"],
                ["append", "--raw", "note.txt", "--ref", "policy=abc"], ["append", "--raw", "-", "--raw", "-"],
                ["append", "--raw", "note.txt", "--ref", "thread=a", "--ref", "thread=b"], ["append", "note.txt", "--as", "universal", "--budget", "x"],
                ["append", "--raw", "note.txt", "--withhold", "codes"],
                ["append", "--raw", "note.txt", "--deadline", "0"], ["append", "--raw", "note.txt", "--store", "http://x"],
                ["append", "--raw", "note.txt", "--key", "note.txt"], ["show", "1"], ["show", "01"], ["show", "other#0"],
                ["tail", "--kind", "x"], ["tail", "--verdict", "x"], ["tail", "--since", "today"], ["checkpoint", "--size", "7"],
                ["prove", "inclusion"], ["prove", "inclusion", "0", "--handoff", "x"], ["prove", "inclusion", "--handoff", "x"],
                ["prove", "consistency", "2"], ["verify", "--vkey", "x"], ["verify", "--vkey", "@none"],
                ["verify", "--tree", "sub"], ["verify", "--tree", "sub", "--vkey", VKEY],
                ["redact", "0"], ["redact", "0", "--reason", "a\nb"], ["redact", "sha256:00", "--reason", "x"], ["export", "."],
                ["witness", "init", "w"], ["witness", "trust", "sub", VKEY], ["witness", "show", "sub"], ["frobnicate"]):
            result = run("ledger", *words, cwd=folder)
            equal((words, result.returncode, result.stdout), (words, 2, b""))
        equal(sorted(str(path) for path in folder.rglob("*")), before)
        equal(json.loads(do(folder, "store", "info", "-f", "json").stdout)["size"], 1)


@claim
def documents_are_recorded_in_the_order_of_the_words():
    with ledger() as folder:
        (folder / "h.json").write_text(json.dumps(HANDOFF))
        (folder / "a").write_text("a")
        (folder / "b").write_text("b")
        report = json.loads(do(folder, "ledger", "append", "--raw", "a", "h.json", "--raw", "b", *NOW, "-f", "json").stdout)
        equal([(d["path"], d["record"]["seq"], d["record"]["kind"]) for d in report["documents"]],
              [("a", 0, "raw"), ("h.json", 1, "handoff"), ("b", 2, "raw")])
        entry = json.loads(do(folder, "ledger", "show", "1", "-f", "json").stdout)["entry"]
        equal((entry["source"], entry["target"], entry["dialect"]), ("researcher", "writer", "universal"))
        equal(told(verify(folder, code=0)), [])


@claim
def append_judges_as_check_does_with_the_same_flags_and_root():
    linked = {"handoff": {**HANDOFF["handoff"], "payload": {"working": {}, "references": {"files": [{"path": "h.json"}]}}}}
    with ledger() as folder:
        (folder / "below").mkdir()
        (folder / "h.json").write_text(json.dumps(linked))
        (folder / "p.steps.csv").write_text("step,task\n1,a\n")
        (folder / "m.xml").write_text("<x/>")
        for words in (["h.json"], ["h.json", "--root", "below"], ["h.json", "--no-refs"], ["h.json", "--budget", "50"],
                      ["h.json", "--section-limit", "context=1"], ["h.json", "--root", "below", "--fail-level", "WARN"],
                      ["p.steps.csv", "--edges", "deps"], ["p.steps.csv", "--root", "below", "--today", "2026-01-01"],
                      ["m.xml"]):
            checked = run("check", *words, *NOW, "-f", "json", cwd=folder)
            where = ["--store", ".baton"] if "--root" in words else []
            recorded = do(folder, "ledger", "append", *words, *where, *NOW, "-f", "json", code=checked.returncode)
            equal((words, findings(recorded)), (words, findings(checked)))
        outside, inside, over = (json.loads(do(folder, "ledger", "show", str(seq), "-f", "json").stdout)["entry"]["codes"] for seq in (5, 0, 3))
        equal((outside, inside, "TOKENS_OVER_BUDGET" in over), (["REF_UNRESOLVED", "TOKENS_DRIFT"], [], True))


@claim
def the_entry_of_a_message_names_who_and_where():
    message = ('<message xmlns="https://xml-pipeline.org/ns/envelope/v1"><meta><from>{}</from><to>calc</to><thread> 550e8400-e29b-41d4-a716-446655440000 '
               '</thread></meta><calc.add xmlns=""/></message>')
    with ledger() as folder:
        for sender, shown in (("alice", ("alice", "calc", "550e8400-e29b-41d4-a716-446655440000", None)),
                              ("no name", (None, "calc", "550e8400-e29b-41d4-a716-446655440000", ["source"]))):
            (folder / "m.xml").write_text(message.format(sender))
            seq = json.loads(do(folder, "ledger", "append", "m.xml", *NOW, "-f", "json").stdout)["documents"][0]["record"]["seq"]
            entry = json.loads(do(folder, "ledger", "show", str(seq), "-f", "json").stdout)["entry"]
            equal(tuple(entry.get(name) for name in ("source", "target", "trace_id", "withheld")), shown)


@claim
def an_empty_name_is_withheld_and_one_that_is_no_text_is_absent():
    for value, withheld in (("", ["trace_id"]), ("a b", ["trace_id"]), (5, None), (None, None)):
        with ledger() as folder:
            (folder / "h.json").write_text(json.dumps({"handoff": {**HANDOFF["handoff"], "trace_id": value}}))
            do(folder, "ledger", "append", "h.json", *NOW, code=1)
            entry = json.loads(do(folder, "ledger", "show", "0", "-f", "json").stdout)["entry"]
            equal((value, "trace_id" in entry, entry.get("withheld")), (value, False, withheld))


@claim
def a_ledger_without_its_key_is_not_called_missing():
    with ledger("one") as folder:
        (folder / ".baton" / "ledger.key").unlink()
        said = run("ledger", "append", "--raw", "raw0.txt", cwd=folder)
        equal((said.returncode, b"ledger.key" in said.stderr, b"ledger init" in said.stderr), (2, True, False))


@claim
def a_document_with_an_id_of_its_own_takes_no_other():
    with ledger() as folder:
        for members in ({"handoff_id": "x", "source_agent": {}}, {"response_id": "x", "agent": {}}):
            (folder / "g.json").write_text(json.dumps(members))
            said = do(folder, "ledger", "append", "g.json", "--id", "y", "--root", ".", code=2).stderr
            equal((members, b"id of its own" in said), (members, True))


@claim
def every_command_takes_the_flags_that_all_share():
    with ledger("one") as folder:
        for words in (["ledger", "tail"], ["ledger", "show", "0"], ["ledger", "checkpoint"], ["ledger", "prove", "inclusion", "0"],
                      ["ledger", "prove", "consistency", "0"], ["ledger", "verify"], ["ledger", "export", "tree"], ["store", "info"], ["store", "check"],
                      ["store", "migrate"], ["store", "backup", "b.db"], ["ledger", "witness", "init", "w", "--name", "witness.example/w1"],
                      ["ledger", "witness", "trust", "w", VKEY], ["ledger", "witness", "show", "w"]):
            do(folder, *words, *NOW, "--store", ".baton", "--root", ".", "--deadline", "5000", "-f", "json", "-o", "out")


@claim
def what_is_no_handoff_is_not_appended_as_one():
    with ledger() as folder:
        (folder / "organism.yaml").write_text("organism:\n  name: x\n")
        for words in (["organism.yaml"], ["organism.yaml", "--as", "organism"], ["organism.yaml", "--as", "config"]):
            expect(run("ledger", "append", *words, cwd=folder), 2, err="not recorded")
        equal(json.loads(do(folder, "store", "info", "-f", "json").stdout)["size"], 0)


@claim
def withheld_names_stay_out_and_ids_still_count():
    with ledger() as folder:
        flags = ["--id", "secret-1", "--source", "me", "--withhold", "handoff_id,source"]
        append(folder, "one", flags=flags)
        text = do(folder, "ledger", "show", "0", "-f", "json").stdout
        equal(b"secret-1" in text or b'"me"' in text, False)
        append(folder, "one", flags=flags, code=1)
        equal(told(do(folder, "store", "check", "-f", "json")), [])


@claim
def an_entry_tells_what_became_of_its_own_document():
    with ledger("one") as folder:
        do(folder, "ledger", "redact", "0", "--reason", "erasure", *NOW)
        append(folder, "one")
        states = [json.loads(do(folder, "ledger", "show", str(seq), "-f", "json").stdout)["document"]["state"] for seq in range(3)]
        equal(states, ["redacted", "not_kept", "not_kept"])


@claim_if(os.geteuid() == 0, "only root can own files")
def a_key_that_root_gave_to_our_group_to_read_is_ours_alone():
    with public_folder({"a.txt": "alpha\n"}) as name:
        place = pathlib.Path(name)
        os.chown(place, NOBODY, NOBODY)
        flags = ["--store", "s.db", "--deadline", "60000"]
        equal(run_as_nobody(place, "ledger", "init", "--origin", ORIGIN, "--store", "s.db").returncode, 0)
        key = place / "s.db.key"
        # Owner, group, mode, exit: as Kubernetes mounts a secret; then readable by all, writable by the group, and a file of our own.
        for owner, group, bits, code in ((0, NOBODY, 0o440, 0), (0, NOBODY, 0o400 | 0o044, 2), (0, NOBODY, 0o660, 2), (NOBODY, NOBODY, 0o440, 2), (NOBODY, NOBODY, 0o400, 0)):
            os.chown(key, owner, group)
            os.chmod(key, bits)
            result = run_as_nobody(place, "ledger", "append", "--raw", "a.txt", *flags)
            equal((owner, oct(bits), result.returncode, b"others may read the key" in result.stderr), (owner, oct(bits), code, code == 2))


@claim
def a_key_that_others_may_read_is_told_of_and_copied_safely():
    with ledger() as folder:
        (folder / "k").write_text((folder / ".baton/ledger.key").read_text())
        os.chmod(folder / "k", 0o644)
        result = do(folder, "ledger", "init", "--origin", ORIGIN, "--key", "k", "--store", "x.db")
        equal(b"others may read k" in result.stderr, True)
        equal(mode(folder / "x.db.key"), 0o600)
        equal(run("ledger", "append", "--raw", "k", "--store", "x.db", "--key", "k", cwd=folder).returncode, 2)


@claim
def a_key_that_was_left_by_a_store_that_could_not_be_made_says_what_to_do():
    with ledger() as folder:
        (folder / "x.db.key").write_text((folder / ".baton/ledger.key").read_text())  # of ORIGIN, and no store beside it
        os.chmod(folder / "x.db.key", 0o600)
        said = do(folder, "ledger", "init", "--origin", "ledger.example/second", "--store", "x.db", code=2).stderr.decode()
        equal((f"run ledger init --origin {ORIGIN}, or move the file away" in said, (folder / "x.db").exists()), (True, False))
        do(folder, "ledger", "init", "--origin", ORIGIN, "--store", "x.db")


@claim
def a_signed_size_without_data_ends_soon():
    with ledger("one") as folder:
        text = f"{ORIGIN}\n{2 ** 60}\n{base64.b64encode(bytes(32)).decode()}\n"
        (folder / "t").mkdir()
        (folder / "t/checkpoint").write_text(text + "\n" + sign(text, folder / ".baton/ledger.key"))
        result = do(folder, "ledger", "verify", "--tree", "t", "--vkey", VKEY, "-f", "json", code=1)
        found = json.loads(result.stdout)["documents"][0]["findings"]
        equal((len(found), {f["code"] for f in found}), (100, {"LEDGER_INCOMPLETE"}))
        equal(sum("more" in f["params"] for f in found), 1)


@claim
def a_backup_is_a_store_without_a_key():
    with ledger("one", "two") as folder:
        do(folder, "store", "backup", "copy.db")
        equal(told(do(folder, "ledger", "verify", "--store", "copy.db", "--vkey", VKEY, "-f", "json")), [])
        equal(run("ledger", "append", "--raw", "raw0.txt", "--store", "copy.db", cwd=folder).returncode, 2)
        do(folder, "ledger", "append", "--raw", "raw0.txt", "--store", "copy.db", "--key", ".baton/ledger.key")
        equal(run("store", "backup", "copy.db", cwd=folder).returncode, 2)


@claim
def a_locked_store_is_given_up_at_the_deadline():

    with ledger("one") as folder:
        holder = sqlite3.connect(folder / ".baton/store.db", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        result = run("ledger", "append", "--raw", "raw0.txt", "--deadline", "100", cwd=folder)
        equal((result.returncode, result.stdout), (2, b""))
        holder.execute("ROLLBACK")
        holder.close()
        equal(json.loads(do(folder, "store", "info", "-f", "json").stdout)["size"], 1)


def add_row(database, table, **values):
    names = ", ".join(values)
    database.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(values))})", list(values.values()))


@claim
def redacting_a_document_empties_its_copies_and_no_others():
    with ledger("secret", "other") as folder:
        database = sqlite3.connect(folder / ".baton/store.db")
        for seq in (0, 1):
            for state in ("queued", "leased", "done"):
                add_row(database, "queue", queue="inbox", message_id=f"{seq}-{state}", target="t", seq=seq, payload=b"copy",
                        not_before=0, lease_until=0, attempts=0, state=state, updated_seq=seq)
            add_row(database, "pump_message", n=seq, kind="k", sender="s", target="t", thread="t", root="r", tag="g",
                    payload=b"copy", state="done", updated_seq=seq)
            add_row(database, "idempotency", principal="p", path="/", key=str(seq), request=b"r", status=200, body=b"copy",
                    seq=seq, expiry=0, updated_seq=seq)
            add_row(database, "a2a_task", id=str(seq), principal="p", context="c", message_ids="[]", state="done",
                    artifacts=b"copy", history=b"copy", updated_seq=seq)
        database.commit()
        do(folder, "ledger", "redact", "0", "--reason", "erasure", *NOW)
        rows = database.execute("SELECT seq, payload IS NULL, state, updated_seq FROM queue ORDER BY message_id").fetchall()
        equal(rows, [(0, 1, "done", 2), (0, 1, "dead", 2), (0, 1, "dead", 2),
                     (1, 0, "done", 1), (1, 0, "leased", 1), (1, 0, "queued", 1)])
        for table, column in (("pump_message", "payload"), ("idempotency", "body"), ("a2a_task", "artifacts"), ("a2a_task", "history")):
            rows = database.execute(f"SELECT {column} IS NULL, updated_seq FROM {table} ORDER BY 2").fetchall()
            equal((table, column, rows), (table, column, [(0, 1), (1, 2)]))
        database.close()
        equal(told(do(folder, "store", "check", "-f", "json")), [])


@claim
def retention_deletes_old_acceptances_alone():
    with ledger() as folder:
        def record(day, name, text, *flags, code=0):
            (folder / name).write_text(text)
            do(folder, "ledger", "append", name, "--now", f"2026-02-{day:02}T00:00:00Z", *flags, code=code)

        def handoff(summary):
            return json.dumps({"handoff": {**HANDOFF["handoff"], "context": {"summary": summary, "problem_type": "research"}}})

        record(1, "old-to-a.json", handoff("old"), "--as", "universal")
        record(1, "refused-to-a.json", "{}", "--as", "universal", code=1)
        record(1, "twice-to-a.json", handoff("twice"), "--as", "universal")
        (folder / "raw").write_text("raw")
        do(folder, "ledger", "append", "--raw", "raw", "--now", "2026-02-01T00:00:00Z")
        record(20, "twice-to-a.json", handoff("twice"), "--as", "universal")
        record(20, "young-to-a.json", handoff("young"), "--as", "universal")
        at = ("--now", "2026-02-25T00:00:00Z", "-f", "json")
        equal(do(folder, "store", "retain", *at, code=2).stdout, b"")
        equal(json.loads(do(folder, "store", "retain", "--accepted-days", "30", *at).stdout)["redacted"], 0)
        equal(json.loads(do(folder, "store", "retain", "--accepted-days", "10", *at).stdout)["redacted"], 1)
        equal(json.loads(do(folder, "store", "retain", "--accepted-days", "10", *at).stdout)["redacted"], 0)
        states = [json.loads(do(folder, "ledger", "show", str(seq), "-f", "json").stdout)["document"]["state"] for seq in range(6)]
        equal(states, ["redacted", "kept", "kept", "kept", "kept", "kept"])
        entry = json.loads(do(folder, "ledger", "show", "6", "-f", "json").stdout)["entry"]
        equal((entry["kind"], entry["refs"]), ("redaction", {"reason": "retention"}))
        equal(told(verify(folder, code=0)), [])


sys.exit(finish())
