# SPDX-License-Identifier: Apache-2.0
"""test_ledger_rules.py BATON - every rule about ledgers, receipts, checkpoints and stores, broken and kept.

Each sample breaks a rule and must give its code; the last claim compares the codes that were seen with the
registry, so a rule without a sample is noticed.
"""
import base64
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys

import statements as cbor
from ledger_tools import (FOREIGN_VKEY, NOW, ORIGIN, OTHER_VKEY, PARAMS, VKEY, WITNESS, append, do, findings, guards, ledger,
                          leaf, note, opened, root, sign, sign_bytes, told, verify, write_tree)
from program import BATON, claim, environment, equal, finish, run

seen = set()

# Only a shared database has grants.
ELSEWHERE = {"LEDGER_HEAD_MISSING", "STORE_GRANT_EXCESS", "LEDGER_STALE", "PEER_RECEIPT_MISSING"}  # tests/cli/test_memory.py, tests/cli/test_postgres.py, tests/watch


def broken(result, *expected):
    """The findings above INFO must be exactly these (code, pointer)."""
    seen.update(f["code"] for f in findings(result))
    equal(told(result), sorted(expected))


def kept(folder):
    """What was not damaged passes."""
    equal(told(verify(folder, code=0)), [])
    equal(told(do(folder, "store", "check", "-f", "json")), [])


@claim
def a_sound_ledger_keeps_every_rule():
    with ledger("one", "two") as folder:
        kept(folder)


@claim
def changed_entries_hashes_and_roots_are_told_apart():
    with ledger("one", "two", "three") as folder:
        with opened(folder) as database:
            entry = database.execute("SELECT entry FROM ledger_entry WHERE seq = 1").fetchone()[0]
            database.execute("UPDATE ledger_entry SET entry = ? WHERE seq = 1", [entry.replace(b"cli", b"cIi")])
        broken(verify(folder), ("LEDGER_LEAF_MISMATCH", "/entries/1"), ("LEDGER_ROOT_MISMATCH", "/checkpoint"))
        equal(run("ledger", "show", "1", cwd=folder).returncode, 1)
        with opened(folder) as database:
            database.execute("UPDATE ledger_entry SET entry = ? WHERE seq = 1", [entry])
        kept_but_unguarded = verify(folder, code=0)
        equal(told(kept_but_unguarded), [])


def altered(entry, *changes):
    for old, new in changes:
        if old not in entry:
            raise AssertionError(f"{old} is not in {entry}")
        entry = entry.replace(old, new)
    return entry


@claim
def an_altered_entry_is_judged_by_the_rules_about_entries_too():
    leaf_and_root = [("LEDGER_LEAF_MISMATCH", "/entries/1"), ("LEDGER_ROOT_MISMATCH", "/checkpoint")]
    samples = [
        ([(b'"codes":[]', b'"codes":["X1"]')], [("LEDGER_ENTRY_INVALID", "/entries/1")]),
        ([(b'"seq":1', b'"seq":7')], [("LEDGER_SEQ_MISMATCH", "/entries/1")]),
        ([(b'"actor":"cli",', b'')], [("LEDGER_ENTRY_INVALID", "/entries/1")]),
        ([(b'"v":1', b'"v":2')], [("LEDGER_ENTRY_INVALID", "/entries/1")]),
        ([(b'"v":1', b'"v":3')], [("LEDGER_ENTRY_VERSION", "/entries/1")]),
        # A time and a digest that nobody recorded say nothing about other entries and documents.
        ([(b'"time":"2026', b'"time":"2096')], []),
        ([(b'"sha256":"', b'"sha256":"'), (b'3fc4ccfe', b'00000000')], []),
    ]
    with ledger("one", "two", "three") as folder:
        with opened(folder) as database:
            entry = database.execute("SELECT entry FROM ledger_entry WHERE seq = 1").fetchone()[0]
        for changes, expected in samples:
            with opened(folder) as database:
                database.execute("UPDATE ledger_entry SET entry = ? WHERE seq = 1", [altered(entry, *changes)])
            broken(verify(folder), *leaf_and_root, *expected)
            broken(verify(folder, "--any-entries"), *leaf_and_root)


@claim
def what_is_not_printed_says_both_hashes():
    with ledger("one", "two") as folder:
        with opened(folder) as database:
            entry = database.execute("SELECT entry FROM ledger_entry WHERE seq = 1").fetchone()[0]
            forged = entry.replace(b"cli", b"cIi")
            database.execute("UPDATE ledger_entry SET entry = ? WHERE seq = 1", [forged])
        params = {"expected": leaf(entry).hex(), "actual": leaf(forged).hex()}
        for command in (["show", "1"], ["tail"], ["export", "tree"]):
            result = do(folder, "ledger", *command, "-f", "json", code=1)
            broken(result, ("LEDGER_LEAF_MISMATCH", "/entries/1"))
            equal([f["params"] for f in findings(result)], [params])


@claim
def a_checkpoint_that_its_hashes_deny_says_both_roots():
    with ledger("one") as folder:
        append(folder, "two")
        with opened(folder) as database:
            roots = [row[0].hex() for row in database.execute("SELECT root FROM ledger_checkpoint WHERE size > 0 ORDER BY size")]
            database.execute("UPDATE ledger_checkpoint SET root = zeroblob(32) WHERE size = 1")
        result = verify(folder)
        broken(result, ("LEDGER_ROOT_MISMATCH", "/checkpoints/1"))
        equal([f["params"] for f in findings(result)], [{"expected": roots[0], "actual": "0" * 64}])
        with opened(folder) as database:
            frontier = database.execute("SELECT frontier FROM ledger_checkpoint WHERE size = 2").fetchone()[0]
            for torn, actual in ((bytes(32), hashlib.sha256(b"").hexdigest()), (frontier[:-1], None)):
                database.execute("UPDATE ledger_checkpoint SET frontier = ? WHERE size = 2", [torn])
                database.commit()
                result = do(folder, "ledger", "append", "--raw", "raw0.txt", "-f", "json", code=1)
                broken(result, ("LEDGER_ROOT_MISMATCH", "/checkpoint"))
                params = findings(result)[0]["params"]
                equal((params["expected"], params["actual"] is None), (roots[1], actual is None))


@claim
def inner_hashes_are_recomputed():
    with ledger(*["x"] * 256) as folder:
        kept(folder)
        with opened(folder) as database:
            database.execute("UPDATE ledger_hash SET hash = zeroblob(32)")
        broken(verify(folder), ("LEDGER_TILE_MISMATCH", "/tile/1/0"))
        with opened(folder) as database:
            database.execute("DELETE FROM ledger_hash")
        broken(verify(folder), ("LEDGER_INCOMPLETE", "/tile/1/0"))


@claim
def missing_entries_and_a_tail_without_a_signature_are_found():
    with ledger("one", "two") as folder:
        with opened(folder) as database:
            database.execute("INSERT INTO ledger_entry SELECT 2, leaf, entry, batch, kind, verdict, handoff_id, "
                             "trace_id, document FROM ledger_entry WHERE seq = 1")
        broken(verify(folder), ("LEDGER_UNSIGNED_TAIL", "/entries/2"))
        with opened(folder) as database:
            database.execute("DELETE FROM ledger_entry WHERE seq > 0")
        broken(verify(folder), ("LEDGER_INCOMPLETE", "/entries/1"))


def second(entry, count):
    """An entry of version 1 as one of version 2, with its counter."""
    return altered(entry, (b'"seq":', b'"n":{"actor":%d},"seq":' % count), (b'"v":1', b'"v":2'))


@claim
def entries_that_baton_does_not_write_are_found_in_a_sound_tree():
    with ledger("one") as folder:
        key = folder / ".baton/ledger.key"
        fine = json.loads(do(folder, "ledger", "show", "0", "-f", "json").stdout)["canonical"].encode()
        samples = {
            "invalid": ([b"hello"], [("LEDGER_ENTRY_INVALID", "/entries/0")], 1),
            "newer": ([b'{"v":3}'], [("LEDGER_ENTRY_VERSION", "/entries/0")], 0),
            "place": ([fine, fine], [("LEDGER_SEQ_MISMATCH", "/entries/1")], 1),
            "clock": ([fine, fine.replace(b'"seq":0', b'"seq":1').replace(b":45:02", b":44:56")],
                      [("LEDGER_TIME_REGRESSION", "/entries/1")], 0),
            "counted": ([second(fine, 1), second(fine, 3).replace(b'"seq":0', b'"seq":1')],
                        [("LEDGER_COUNT_MISMATCH", "/entries/1")], 1),
            "right": ([second(fine, 1), second(fine, 2).replace(b'"seq":0', b'"seq":1')], [], 0),
            "five": ([fine, fine.replace(b'"seq":0', b'"seq":1').replace(b":45:02", b":44:57")], [], 0),
        }
        for name, (entries, expected, code) in samples.items():
            write_tree(folder / name, entries, key)
            result = do(folder, "ledger", "verify", "--tree", name, "--vkey", VKEY, "-f", "json", code=code)
            broken(result, *expected)


@claim
def checkpoints_are_trusted_for_the_right_reasons():
    with ledger("one") as folder:
        for flags, code in ((["--vkey", OTHER_VKEY], "LEDGER_KEY_UNKNOWN"), (["--vkey", FOREIGN_VKEY], "LEDGER_ORIGIN_MISMATCH")):
            broken(do(folder, "ledger", "verify", "-f", "json", *flags, code=1), (code, "/checkpoint"))
        local = do(folder, "ledger", "verify", "-f", "json")
        equal([(f["code"], f["severity"]) for f in findings(local)], [("LEDGER_KEY_LOCAL", "INFO")])
        broken(local)
        with opened(folder) as database:
            database.execute("UPDATE ledger_checkpoint SET note = replace(note, 'A', 'B') WHERE size = 1")
        broken(verify(folder), ("LEDGER_SIGNATURE_INVALID", "/checkpoint"))
        with opened(folder) as database:
            database.execute("UPDATE ledger_checkpoint SET note = 'x' WHERE size = 1")
        broken(verify(folder), ("LEDGER_CHECKPOINT_SYNTAX", "/checkpoint"))


@claim
def older_checkpoints_are_compared_one_by_one():
    with ledger("one") as folder:
        append(folder, "two")
        key = folder / ".baton/ledger.key"
        forged = note([leaf(b"another history")], key)
        with opened(folder) as database:
            database.execute("UPDATE ledger_checkpoint SET note = ?, root = ? WHERE size = 1",
                             [forged, root([leaf(b"another history")])])
        broken(verify(folder, "--no-documents"), ("LEDGER_ROOT_MISMATCH", "/checkpoints/1"))


@claim
def rollback_and_fork_stop_the_ledger():
    with ledger("one") as folder:
        key = folder / ".baton/ledger.key"
        head = folder / ".baton/ledger.head"
        true_head = head.read_text()
        head.write_text(note([leaf(b"a"), leaf(b"b")], key))
        broken(verify(folder), ("LEDGER_ROLLBACK", "/head"))
        broken(do(folder, "ledger", "append", "--raw", "raw0.txt", "-f", "json", code=1), ("LEDGER_ROLLBACK", "/head"))
        head.write_text(note([leaf(b"a")], key))
        broken(verify(folder), ("LEDGER_FORK", "/head"))
        broken(do(folder, "ledger", "redact", "0", "--reason", "x", "-f", "json", code=1), ("LEDGER_FORK", "/head"))
        head.write_text("torn")
        broken(verify(folder), ("LEDGER_CHECKPOINT_SYNTAX", "/head"))
        head.write_text(true_head)
        kept(folder)


@claim
def documents_are_looked_at():
    with ledger("one", "two" * 200) as folder:
        with opened(folder) as database:
            database.execute("UPDATE document SET bytes = CAST('onf' AS BLOB) WHERE size = 3")
        equal([code for code, _ in told(verify(folder))], ["LEDGER_DOCUMENT_MISMATCH"])
        seen.add("LEDGER_DOCUMENT_MISMATCH")
        with opened(folder) as database:
            database.execute("DELETE FROM document WHERE size = 3")
        equal([code for code, _ in told(verify(folder))], ["LEDGER_DOCUMENT_MISSING"])
        seen.add("LEDGER_DOCUMENT_MISSING")
        equal([code for code, _ in told(do(folder, "store", "check", "-f", "json", code=1)) if code == "STORE_STATE_MISMATCH"],
              ["STORE_STATE_MISMATCH"])
        with opened(folder) as database:
            database.execute("UPDATE ledger_entry SET document = NULL")  # what an entry says is asked of the entry
        for more in ([], ["--any-entries"]):
            equal([code for code, _ in told(verify(folder, *more))], ["LEDGER_DOCUMENT_MISSING"])
    with ledger("one") as folder:
        do(folder, "ledger", "redact", "0", "--reason", "erasure", *NOW)
        redacted = verify(folder, code=0)
        equal([f["code"] for f in findings(redacted)], ["LEDGER_DOCUMENT_REDACTED"])
        broken(redacted)
        equal(b"one" in (folder / ".baton/store.db").read_bytes(), False)
        with opened(folder) as database:
            database.execute("UPDATE document SET redacted_seq = 0")
        equal([code for code, _ in told(verify(folder))], ["LEDGER_DOCUMENT_MISSING"])


@claim
def a_document_of_1_kib_or_more_is_packed_where_that_saves_a_tenth():
    noise = "".join(map(chr, random.Random(1).choices(range(1, 128), k=1024)))
    texts = {"a" * 1024: "zstd", "a" * 1023: "raw", noise: "raw", "a": "raw"}
    with ledger(*texts) as folder:
        with opened(folder) as database:
            rows = database.execute("SELECT size, encoding FROM document ORDER BY rowid").fetchall()
        equal(rows, [(len(text), encoding) for text, encoding in texts.items()])
        verify(folder, code=0)


@claim
def a_zip_bomb_in_a_document_row_is_damage_and_nothing_more():
    with ledger("two" * 500) as folder:
        with opened(folder) as database:
            packed = database.execute("SELECT bytes FROM document WHERE encoding = 'zstd'").fetchone()[0]
            database.execute("UPDATE document SET size = 3")
            equal(len(packed) < 200, True)
        equal([code for code, _ in told(verify(folder))], ["LEDGER_DOCUMENT_MISMATCH"])


@claim
def witnesses_can_be_required():
    with ledger("one") as folder:
        broken(verify(folder, "--witness-key", WITNESS), ("LEDGER_WITNESS_MISSING", "/checkpoint"))


@claim
def replays_and_oversized_files_are_refused_and_recorded():
    with ledger() as folder:
        append(folder, "one", flags=["--id", "job-1"])
        first = do(folder, "ledger", "append", "--raw", "raw0.txt", "--id", "JOB-1", "-f", "json", code=1)
        broken(first, ("REPLAYED_ID", ""))
        large = do(folder, "ledger", "append", "--raw", "raw0.txt", "--limit", "document_bytes=2", "-f", "json", code=1)
        broken(large, ("RECORD_TOO_LARGE", ""))
        kept(folder)


@claim
def the_record_shows_what_the_entry_says_about_its_document():
    with ledger() as folder:
        (folder / "big.txt").write_text("0123456789")
        (folder / "cut.txt").write_text("0123")

        def document(name, *flags, code=0):
            result = do(folder, "ledger", "append", "--raw", name, "-f", "json", *NOW, *flags, code=code)
            record = json.loads(result.stdout)["documents"][0]["record"]
            shown = json.loads(do(folder, "ledger", "show", str(record["seq"]), "-f", "json").stdout)
            equal(record["document"], shown["entry"]["document"])
            return record["document"]["kept"], record["document"].get("truncated"), shown["document"]["state"]
        cut = ["--limit", "document_bytes=4"]
        equal(document("big.txt", *cut, code=1), (False, True, "not_kept"))
        # Bytes that an earlier entry kept are kept, whatever this one asked for.
        equal(document("big.txt", "--no-document"), (False, None, "not_kept"))
        equal(document("big.txt"), (True, None, "kept"))
        equal(document("big.txt", "--no-document"), (True, None, "kept"))
        # What was cut off is not the document, although a document of these bytes is there.
        equal(document("cut.txt"), (True, None, "kept"))
        equal(document("big.txt", *cut, code=1), (False, True, "not_kept"))
        do(folder, "ledger", "redact", "2", "--reason", "x", *NOW)
        equal(document("big.txt", "--no-document"), (False, None, "not_kept"))
        equal(document("big.txt"), (False, None, "not_kept"))
        kept(folder)


@claim
def receipts_break_their_rules_one_at_a_time():
    with ledger("one", "two") as folder:
        good = do(folder, "ledger", "prove", "inclusion", "1").stdout.decode()
        as_json = json.loads(do(folder, "ledger", "prove", "inclusion", "1", "-f", "json").stdout)
        lines = good.split("\n")
        samples = {
            "good": (good, [], []),
            "syntax": (good.replace("index 1", "index 01"), [], [("RECEIPT_SYNTAX", "")]),
            "bare": ("\n".join(line for line in lines if not line.startswith("extra")), [], [("RECEIPT_ENTRY_MISSING", "")]),
            "proof": (good.replace("index 1", "index 0"), [], [("RECEIPT_PROOF_INVALID", "")]),
            "document": (good, ["--document", "raw0.txt"], [("RECEIPT_DOCUMENT_MISMATCH", "/entry/document")]),
            "member": (json.dumps({**as_json, "more": 1}), [], [("RECEIPT_SYNTAX", "")]),
            "number": (json.dumps({**as_json, "index": 0}), [], [("RECEIPT_PROOF_INVALID", "")]),
        }
        for name, (text, flags, expected) in samples.items():
            (folder / name).write_text(text)
            broken(do(folder, "ledger", "verify-receipt", name, "--vkey", VKEY, "-f", "json", *flags,
                      code=1 if expected else 0), *expected)
        append(folder, "xxx", code=1, flags=["--limit", "document_bytes=2", "--receipt", "refusal"])
        broken(do(folder, "ledger", "verify-receipt", "refusal", "--vkey", VKEY, "-f", "json", code=1),
               ("RECEIPT_VERDICT", "/entry/verdict"))
        do(folder, "ledger", "verify-receipt", "refusal", "--vkey", VKEY, "--any-verdict")


@claim
def a_document_of_any_size_is_compared_whole():
    large = b"0123456789abcdef" * (17 << 16)  # 17 MiB, more than a document may be unless the limit is raised
    with ledger() as folder:
        (folder / "large.yaml").write_text("limits: {document_bytes: 33554432, body_bytes: 33554432}\n")
        append(folder, large, flags=["--config", "large.yaml", "--receipt", "r"])

        def document(name, expected, stdin=b""):
            result = do(folder, "ledger", "verify-receipt", "r", "--vkey", VKEY, "--document", name, "-f", "json", stdin=stdin,
                        code=1 if expected else 0)
            broken(result, *expected)
            return json.loads(result.stdout)["documents"][0]["facts"]["document"]
        mismatch = [("RECEIPT_DOCUMENT_MISMATCH", "/entry/document")]
        equal(document("raw0.txt", []), "matched")
        equal(document("-", [], stdin=large), "matched")
        (folder / "other").write_bytes(large[:-1] + b"X")
        equal(document("other", mismatch), "mismatched")
        (folder / "longer").write_bytes(large + b"\n")
        equal(document("longer", mismatch), "mismatched")
        equal(document("-", mismatch, stdin=large[:-1]), "mismatched")


def peak_kib(folder, *args):
    """The most memory that one run in the folder took; it must end with 0."""
    with open(os.devnull, "wb") as nowhere:
        child = subprocess.Popen([BATON, *args], cwd=folder, env=environment(), stdin=nowhere, stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    equal((args[:2], child.returncode), (args[:2], 0))
    return usage.ru_maxrss


@claim
def a_raw_file_that_is_not_kept_is_read_as_a_stream():
    size = 96 << 20  # far above the document limit, and most of it is a hole
    with ledger() as folder:
        with open(folder / "large", "wb") as file:
            file.truncate(size - 1)
            file.seek(size - 1)
            file.write(b"X")
        digest = hashlib.sha256(b"\0" * (size - 1) + b"X").hexdigest()
        (folder / "small").write_bytes(b"X")
        quiet = ["--no-document", *NOW, "-f", "json"]
        base = peak_kib(folder, "ledger", "append", "--raw", "small", "--id", "v1/small", *quiet)
        peak = peak_kib(folder, "ledger", "append", "--raw", "large", "--id", "v1/large", "--receipt", "r", *quiet)
        if peak > base + (8 << 10):
            raise AssertionError(f"{peak} KiB for a large file, {base} KiB for a small one")
        shown = json.loads(do(folder, "ledger", "show", "1", "-f", "json").stdout)["entry"]
        equal((shown["document"], shown["verdict"]), ({"kept": False, "sha256": digest, "size": size}, "recorded"))
        verified = do(folder, "ledger", "verify-receipt", "r", "--vkey", VKEY, "--document", "large", "-f", "json")
        equal(json.loads(verified.stdout)["documents"][0]["facts"]["document"], "matched")
        # The limit is one of documents that are judged or kept.
        do(folder, "ledger", "append", "--raw", "large", "--limit", "document_bytes=1024", *quiet)
        equal(do(folder, "ledger", "append", "--raw", "-", *quiet, stdin=b"X" * (9 << 20)).returncode, 0)
        broken(do(folder, "ledger", "append", "--raw", "large", *NOW, "-f", "json", code=1), ("RECORD_TOO_LARGE", ""))
        # The id is used up, and the refusal knows that these are the same bytes.
        again = do(folder, "ledger", "append", "--raw", "large", "--id", "v1/large", *quiet, code=1)
        broken(again, ("REPLAYED_ID", ""))
        equal(findings(again)[0]["params"]["same_document"], True)
        kept(folder)


@claim
def a_raw_file_that_cannot_be_read_is_not_recorded():
    with ledger() as folder:
        for name in (".", "missing"):
            do(folder, "ledger", "append", "--raw", name, "--no-document", code=2)
        do(folder, "ledger", "append", "--raw", "-", "--raw", "-", "--no-document", code=2)
        equal(json.loads(do(folder, "ledger", "tail", "-f", "json").stdout)["size"], 0)


@claim
def a_file_over_a_limit_says_so_and_is_not_judged():
    with ledger("one") as folder:
        do(folder, "ledger", "prove", "inclusion", "0")
        (folder / "r").write_bytes(do(folder, "ledger", "prove", "inclusion", "0").stdout)
        entry = json.loads(do(folder, "ledger", "show", "0", "-f", "json").stdout)["canonical"]
        (folder / "entry").write_text(entry)
        do(folder, "ledger", "verify-receipt", "r", "--vkey", VKEY, "--entry", "entry")
        (folder / "entry").write_text(entry + " " * (256 << 10))
        (folder / "keys").write_text(VKEY + "\n" + "#\n" * (1 << 19))
        (folder / "key").write_text((folder / ".baton/ledger.key").read_text() + " " * 1024)
        (folder / "lines").write_text("\n" * 65537)
        (folder / "command").write_text("ls" + " " * (16 << 20))
        for words in (["verify-receipt", "r", "--vkey", VKEY, "--entry", "entry"], ["verify-receipt", "r", "--vkey", "@keys"],
                      ["init", "--origin", ORIGIN, "--store", "x.db", "--key", "key"],
                      ["witness", "init", "w", "--name", ORIGIN, "--key", "key"],
                      ["checkpoint", "--add-cosignature", "lines", "--witness-key", WITNESS]):
            result = do(folder, "ledger", *words, code=2)
            equal((words, b"larger than" in result.stderr, result.stdout), (words, True, b""))
        result = do(folder, "approvals", "use", "--command-file", "command", "--agent", "a80177b959c721da1", code=2)
        equal(b"larger than" in result.stderr, True)
        # What has a rule about its size is judged by it.
        (folder / "r").write_bytes(b"x" * (256 << 10) + b"y")
        broken(do(folder, "ledger", "verify-receipt", "r", "--vkey", VKEY, "-f", "json", code=1), ("RECEIPT_SYNTAX", ""))
        (folder / "note").write_bytes(b"x" * (64 << 10) + b"y")
        broken(verify(folder, "--against", "note"), ("LEDGER_CHECKPOINT_SYNTAX", "/against/0"))


@claim
def an_envelope_is_believed_for_a_known_key_alone():
    with ledger("one", "two") as folder:
        good = json.loads(do(folder, "ledger", "prove", "inclusion", "1", "--dsse").stdout)
        mine = good["signatures"][0]
        other = {"keyid": "0badcafe", "sig": mine["sig"]}
        long = {"keyid": "rsa", "sig": "A" * 344}
        bad = {**mine, "sig": ("B" if mine["sig"][9] != "B" else "C").join([mine["sig"][:9], mine["sig"][10:]])}
        unknown, invalid, syntax = [("LEDGER_KEY_UNKNOWN", "")], [("LEDGER_SIGNATURE_INVALID", "")], [("RECEIPT_SYNTAX", "")]
        samples = [
            ([mine], []), ([other, mine, long], []), ([mine, mine], []), ([other, long], unknown), ([bad], invalid),
            ([other, bad], invalid), ([mine, bad], invalid), ([bad, mine], invalid), ([{**mine, "sig": "AAAA"}], invalid),
            ([], syntax), ([{"sig": mine["sig"]}], syntax), ([{**mine, "sig": "?"}], syntax), ([mine] * 65, syntax)]
        for signatures, expected in samples:
            (folder / "e.json").write_text(json.dumps({**good, "signatures": signatures}))
            result = do(folder, "ledger", "verify-receipt", "e.json", "--vkey", VKEY, "-f", "json", code=1 if expected else 0)
            broken(result, *expected)
            if expected == unknown:
                equal(findings(result)[0]["params"]["keys"], ["0badcafe", "rsa"])
            if expected == invalid:
                equal(findings(result)[0]["params"]["key"], f"{ORIGIN}+9789251b")


def sign_statement(statement, key_file):
    """A DSSE envelope of this statement, with a valid signature of the test key."""
    kind = "application/vnd.in-toto+json"
    payload = json.dumps(statement, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
    signature = sign_bytes(b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload), key_file)
    return {"payload": base64.b64encode(payload).decode(), "payloadType": kind,
            "signatures": [{"keyid": "9789251b", "sig": base64.b64encode(signature).decode()}]}


@claim
def a_verification_result_says_what_its_entry_says():
    handoff = pathlib.Path(__file__).parents[2] / "examples/universal/planner-to-builder.handoff.json"
    with ledger() as folder:
        do(folder, "ledger", "append", str(handoff), "--no-refs", *NOW)
        made = json.loads(do(folder, "ledger", "receipt", "0", "--format", "dsse", "--predicate", "svr").stdout)
        statement = json.loads(base64.b64decode(made["payload"]))
        key = folder / ".baton/ledger.key"
        equal(sign_statement(statement, key), made)
        predicate = statement["predicate"]
        samples = [
            ({}, None), ({"subject": [{"digest": {"sha256": "0" * 64}}]}, "/subject"), ({"more": 1}, ""),
            ({"predicate": {**predicate, "properties": predicate["properties"] + ["BATON_SOURCE_AGENT_VERIFIED"]}}, "/predicate/properties"),
            ({"predicate": {**predicate, "timeCreated": "2026-02-11T00:45:03.000Z"}}, "/predicate/timeCreated"),
            ({"predicate": {**predicate, "verifier": {"id": "urn:baton:log:x", "policies": []}}}, "/predicate/verifier")]
        for change, pointer in samples:
            (folder / "e.json").write_text(json.dumps(sign_statement({**statement, **change}, key)))
            expected = [] if pointer is None else [("RECEIPT_STATEMENT_MISMATCH", pointer)]
            broken(do(folder, "ledger", "verify-receipt", "e.json", "--vkey", VKEY, "-f", "json", code=1 if expected else 0), *expected)


@claim
def a_policy_decides_by_its_quorum():
    with ledger("one") as folder:
        do(folder, "ledger", "receipt", "0", "-o", "r")
        key = bytes([6]) + bytes(1312)
        name = "witness.example/pq"
        number = hashlib.sha256(f"{name}\n".encode() + key).hexdigest()[:8]
        pq = f"{name}+{number}+{base64.b64encode(key).decode()}"
        missing, unsupported = ("LEDGER_WITNESS_MISSING", "/checkpoint"), ("WITNESS_KEY_UNSUPPORTED", "/policy")
        head = f"log {VKEY}\nwitness a {WITNESS}\nwitness b {pq}\n"
        for end, expected in (("quorum none\n", [unsupported]), ("quorum a\n", [missing, unsupported]), ("group g 2 a b\nquorum g\n", [missing, unsupported])):
            (folder / "p").write_text(head + end)
            for words in (["verify-receipt", "r"], ["verify"]):
                broken(do(folder, "ledger", *words, "--policy", "p", "-f", "json", code=1 if missing in expected else 0), *expected)
        do(folder, "ledger", "policy", "-o", "mine")
        broken(do(folder, "ledger", "verify-receipt", "r", "--policy", "mine", "-f", "json"))
        bad = {"log x\n": 1, f"log {VKEY}\n\nlog {VKEY}\n": 3, f"log {WITNESS}\n": 1, f"log {VKEY}\nquorum none": 2, f"log {VKEY}\nquorum a\n": 2,
               f"log {VKEY}\nwitness none {WITNESS}\nquorum none\n": 2, f"{head}group g 3 a b\nquorum g\n": 4, f"{head}group g any\nquorum g\n": 4,
               f"{head}group g any a\ngroup h any a\nquorum h\n": 5, f"{head}group g all b c\nquorum g\n": 4, f"{head}quorum none\nquorum none\n": 5,
               f"log {VKEY}\rquorum none\n": 1, "more\n": 1, f"log {VKEY}\n": 1, "quorum none\n": 1, f"log {VKEY}\nwitness a {VKEY}\nquorum a\n": 2}
        for text, line in bad.items():
            (folder / "p").write_text(text)
            told_why = do(folder, "ledger", "verify-receipt", "r", "--policy", "p", code=2).stderr.decode()
            if f"line {line}:" not in told_why:
                raise AssertionError(f"{text!r}: {told_why}")


@claim
def a_tag_within_a_cose_receipt_is_another_encoding():
    with ledger("one", "two") as folder:
        made = do(folder, "ledger", "receipt", "0", "--format", "cose").stdout
        for part, tagged in ((b"\xd2\x84\x58\x7d\xa5", b"\xd2\x84\x58\x7e\xc6\xa5"), (b"\x20\x81\x58\x26\x83", b"\x20\x81\x58\x27\xc6\x83")):
            equal(made.count(part), 1)
            (folder / "r").write_bytes(made.replace(part, tagged))
            found = findings(do(folder, "ledger", "verify-receipt", "r", "--vkey", VKEY, "-f", "json", code=1))
            equal([(f["code"], f["params"]) for f in found], [("RECEIPT_SYNTAX", {"reason": "cbor"})])
        (folder / "r").write_bytes(made)
        do(folder, "ledger", "verify-receipt", "r", "--vkey", VKEY)


@claim
def a_cose_receipt_of_a_tree_of_one_entry_is_made_with_a_note():
    with ledger() as folder:
        (folder / "raw.txt").write_text("one")
        for number, expected in enumerate((True, False)):
            made = do(folder, "ledger", "append", "--raw", "raw.txt", "--receipt", f"{number}.cose", *NOW)
            equal((number, b"empty path" in made.stderr), (number, expected))
            shown = do(folder, "ledger", "receipt", "0", "--size", str(number + 1), "--format", "cose", "-o", "again")
            equal((number, b"empty path" in shown.stderr), (number, expected))
            do(folder, "ledger", "verify-receipt", f"{number}.cose", "--vkey", VKEY)
        equal(b"empty path" in do(folder, "ledger", "receipt", "0", "--size", "1").stderr, False)


@claim
def an_empty_checkpoint_in_a_cose_receipt_is_one_that_is_not_well_formed():
    with ledger("one", "two") as folder:
        parts = cbor.loads(do(folder, "ledger", "receipt", "0", "--format", "cose").stdout)
        for note, expected in (("", [("LEDGER_CHECKPOINT_SYNTAX", "/checkpoint")]), (7, [("RECEIPT_SYNTAX", "")]), (None, [])):
            labels = {**parts.value[1], -70002: note} if note is not None else {key: value for key, value in parts.value[1].items() if key != -70002}
            (folder / "r").write_bytes(cbor.dumps(cbor.Tag(18, [parts.value[0], labels, *parts.value[2:]])))
            broken(do(folder, "ledger", "verify-receipt", "r", "--vkey", VKEY, "-f", "json", code=1 if expected else 0), *expected)


@claim
def a_certificate_repeats_what_the_entries_say():
    with ledger("one", "one") as folder:
        do(folder, "ledger", "redact", "0", "--reason", "request 7", "--now", "2026-02-12T00:00:00Z")
        text = do(folder, "ledger", "certificate", "0").stdout
        made = json.loads(text)
        equal([item["index"] for item in made["entries"]], [0, 1])
        for name, value, actual, expected in (("size", 4, "4", "3"), ("size", "3", '"3"', "3"), ("reason", "none", "none", "request 7"), ("early", True, "true", "false"),
                                              ("time", NOW[1], NOW[1], "2026-02-12T00:00:00.000Z"), ("sha256", "0" * 64, "0" * 64, made["sha256"])):
            (folder / "r").write_text(json.dumps({**made, name: value}))
            found = findings(do(folder, "ledger", "verify-receipt", "r", "--vkey", VKEY, "-f", "json", code=1))
            equal([(f["code"], f["pointer"], f["params"]) for f in found], [("RECEIPT_STATEMENT_MISMATCH", f"/{name}", {"expected": expected, "actual": actual})])
        (folder / "r").write_bytes(text)
        equal(findings(do(folder, "ledger", "verify-receipt", "r", "--vkey", VKEY, "-f", "json")), [])


@claim
def a_receipt_in_any_form_is_a_witness_of_the_size():
    with ledger("one", "two") as folder:
        forms = ("text", "json", "dsse", "cose")
        for name in forms:
            (folder / name).write_bytes(do(folder, "ledger", "receipt", "0", "--format", name).stdout)
        against = [word for name in forms for word in ("--against", name)]
        append(folder, "three")
        result = verify(folder, *against, code=0)
        equal(json.loads(result.stdout)["documents"][0]["facts"]["against"],
              [{"path": name, "size": 2, "result": "consistent"} for name in forms])
        do(folder, "ledger", "init", "--origin", ORIGIN, "--seed", "1", "--store", "short.db")
        do(folder, "ledger", "append", "--raw", "raw0.txt", "--store", "short.db", *NOW)
        broken(verify(folder, "--store", "short.db", *against), *[("LEDGER_ROLLBACK", f"/against/{number}") for number in range(4)])
        do(folder, "ledger", "append", "--raw", "raw0.txt", "--store", "short.db", *NOW)
        broken(verify(folder, "--store", "short.db", *against), *[("LEDGER_FORK", f"/against/{number}") for number in range(4)])
        (folder / "torn").write_text((folder / "json").read_text().replace('"index"', '"indices"'))
        broken(verify(folder, "--against", "torn"), ("LEDGER_CHECKPOINT_SYNTAX", "/against/0"))


@claim
def lines_that_are_no_signatures_are_told_apart():
    with ledger("one") as folder:
        for text, code in (("nonsense\n", "LEDGER_CHECKPOINT_SYNTAX"), (f"— witness.example/w2 {'A' * 100}\n", "LEDGER_WITNESS_MISSING")):
            (folder / "lines").write_text(text)
            broken(do(folder, "ledger", "checkpoint", "--add-cosignature", "lines", "--witness-key", WITNESS, "-f", "json",
                      code=1), (code, "/checkpoint"))


@claim
def a_witness_has_a_code_for_each_refusal():
    with ledger("one") as folder:
        do(folder, "ledger", "witness", "init", "w", "--name", "witness.example/w1", "--seed", "7")
        request = do(folder, "ledger", "prove", "consistency", "0").stdout.decode()

        def ask(text, code=1):
            return do(folder, "ledger", "witness", "add", "w", "-", "-f", "json", stdin=text, code=code)
        broken(ask("nonsense"), ("WITNESS_BAD_REQUEST", ""))
        broken(ask(request), ("WITNESS_UNKNOWN_ORIGIN", "/checkpoint"))
        do(folder, "ledger", "witness", "trust", "w", VKEY)
        broken(ask(request.replace("\n1\n", "\n2\n")), ("WITNESS_BAD_SIGNATURE", "/checkpoint"))
        broken(ask(request.replace("old 0", "old 1")), ("WITNESS_STALE", "/old"))
        broken(ask(request.replace("old 0\n", "old 0\n" + "A" * 43 + "=\n")), ("WITNESS_INCONSISTENT", "/checkpoint"))
        equal(len(list((folder / "w/logs").glob("*/evidence/*"))), 1)
        broken(ask(request, code=0))
        broken(ask(request), ("WITNESS_STALE", "/old"))


@claim
def a_store_that_lost_its_guards_or_its_sense_is_reported():
    with ledger("one") as folder:
        with opened(folder):
            pass
        without = do(folder, "store", "check", "-f", "json", code=1)
        seen.update(f["code"] for f in findings(without))
        equal({code for code, _ in told(without)}, {"STORE_TRIGGER_MISSING"})
        equal(("STORE_TRIGGER_MISSING", "/tables/ledger_entry") in told(without), True)
    with ledger("one") as folder:
        texts = guards(folder)
        with opened(folder) as database:
            database.execute("UPDATE ledger_entry SET kind = 'handoff'")
            database.execute("INSERT INTO seen VALUES ('raw', 'ghost', 0, zeroblob(32))")
            database.execute("INSERT INTO blocked VALUES ('a', 'b', 0, NULL, 77)")
            for text in texts:
                database.execute(text)
        broken(do(folder, "store", "check", "-f", "json", code=1), ("STORE_STATE_MISMATCH", "/tables/blocked"),
               ("STORE_STATE_MISMATCH", "/tables/ledger_entry"), ("STORE_STATE_MISMATCH", "/tables/seen"))
    with ledger("one") as folder:
        os.chmod(folder / ".baton/ledger.key", 0o644)
        broken(do(folder, "store", "check", "-f", "json", code=1), ("STORE_KEY_MODE", "/key"))
        equal(run("ledger", "append", "--raw", "raw0.txt", cwd=folder).returncode, 2)


@claim
def unsafe_settings_and_a_damaged_database_are_reported():
    with ledger("one") as folder:
        with opened(folder) as database:
            database.execute("PRAGMA journal_mode = DELETE")
        result = do(folder, "store", "check", "-f", "json", code=1)
        seen.update(f["code"] for f in findings(result))
        equal(("STORE_SETTING_UNSAFE", "/settings/journal_mode") in told(result), True)
        equal(run("ledger", "append", "--raw", "raw0.txt", cwd=folder).returncode, 2)
    with ledger(*[f"{number}" * 500 for number in range(30)]) as folder:
        store = folder / ".baton/store.db"
        content = bytearray(store.read_bytes())
        page = content.index(b'"seq":20,') // 4096 * 4096
        content[page + 8:page + 24] = b"\xff" * 16  # the pointers to the rows of this page
        store.write_bytes(content)
        result = do(folder, "store", "check", "-f", "json", code=1)
        seen.update(f["code"] for f in findings(result))
        equal({code for code, _ in told(result)}, {"STORE_INTEGRITY"})


@claim
def every_rule_was_broken():
    rules = json.loads(run("rules", "-f", "json").stdout)["rules"]
    ours = {rule["code"] for rule in rules if set(rule.get("dialects", [rule.get("dialect")])) &
            {"ledger", "receipt", "checkpoint", "store", "raw", "bundle"}}
    equal(len(ours) > 30, True)
    audited = {code for code in ours if code.startswith(("AUDIT_", "RETENTION_", "BUNDLE_"))}  # tests/cli/test_audit.py, test_bundle.py
    equal(sorted(ours - seen - audited - ELSEWHERE), [])
    equal(sorted(ours ^ set(PARAMS)), [])


sys.exit(finish())
