# SPDX-License-Identifier: Apache-2.0
"""test_store.py - copies of stores, and guards that are put back."""
import json
import sqlite3
import sys

from ledger_tools import NOW, do, ledger, told
from program import claim, equal, expect, finish, run


def filled(folder):
    """Two entries; the root."""
    for number, text in enumerate(("hello\n", "world\n")):
        (folder / f"{number}.txt").write_text(text)
        do(folder, "ledger", "append", "--raw", f"{number}.txt", "--id", f"id-{number}", *NOW)
    return json.loads(do(folder, "store", "info", "-f", "json").stdout)["root"]


@claim
def a_copy_has_the_same_root_and_the_same_content():
    with ledger() as folder:
        root = filled(folder)
        said = json.loads(do(folder, "store", "copy", ".baton", "other.db", "-f", "json").stdout)
        equal(said, {"baton": 1, "from": "sqlite:.baton/store.db", "to": "sqlite:other.db", "size": 2, "root": root, "verified": True})
        info = json.loads(do(folder, "store", "info", "--store", "other.db", "-f", "json").stdout)
        equal((info["root"], info["seen"], info["content"]["kept"]), (root, 2, 2))
        equal(do(folder, "ledger", "show", "1", "--document", "--store", "other.db").stdout, b"world\n")


@claim
def a_copy_needs_a_place_that_is_empty():
    with ledger() as folder:
        filled(folder)
        do(folder, "store", "copy", ".baton", "other.db")
        expect(run("store", "copy", ".baton", "other.db", cwd=folder), 2, err="holds a ledger already")
        (folder / "text.db").write_text("no database")
        expect(run("store", "copy", ".baton", "text.db", cwd=folder), 2, err="text.db")
        expect(run("store", "copy", "nowhere.db", "new.db", cwd=folder), 2, err="nowhere.db")
        equal(((folder / "text.db").read_text(), (folder / "new.db").exists()), ("no database", False))


@claim
def guards_that_were_removed_are_put_back():
    with ledger() as folder:
        filled(folder)
        database = sqlite3.connect(folder / ".baton/store.db")
        database.executescript("DROP TRIGGER seen_delete; DROP TRIGGER document_update;"
                               "CREATE TRIGGER document_update BEFORE UPDATE ON document BEGIN SELECT 1; END")
        database.close()
        broken = [("STORE_TRIGGER_MISSING", "/tables/document"), ("STORE_TRIGGER_MISSING", "/tables/seen")]
        equal(told(do(folder, "store", "check", "-f", "json", code=1)), broken)
        steps = ["restore the guard of document against UPDATE", "restore the guard of seen against DELETE"]
        for flags, left in ((["--dry-run"], broken), ([], [])):
            said = json.loads(do(folder, "store", "migrate", "-f", "json", *flags).stdout)
            equal((said["from"], said["to"], said["steps"]), (2, 2, steps))
            equal(told(do(folder, "store", "check", "-f", "json", code=1 if left else 0)), left)
        equal(json.loads(do(folder, "store", "migrate", "-f", "json").stdout)["steps"], [])


@claim
def indexes_that_an_older_store_lacks_are_added():
    with ledger() as folder:
        filled(folder)
        database = sqlite3.connect(folder / ".baton/store.db")
        database.executescript("DROP INDEX approval_status; DROP INDEX queue_waiting")
        database.close()
        do(folder, "ledger", "verify")
        steps = ["add an index of approval on status", "add an index of queue on state, queue, target, seq, message_id"]
        for flags in (["--dry-run"], []):
            equal(json.loads(do(folder, "store", "migrate", "-f", "json", *flags).stdout)["steps"], steps)
        equal(json.loads(do(folder, "store", "migrate", "-f", "json").stdout)["steps"], [])


# What schema version 2 added, and the steps that add it again.
VERSION_1 = """ALTER TABLE agent_state DROP COLUMN resumed; ALTER TABLE approval DROP COLUMN origin;
    ALTER TABLE approval DROP COLUMN redacted_seq; ALTER TABLE idempotency DROP COLUMN owner;
    DROP TABLE approval_use; DROP TABLE transcript; DROP TABLE budget; DROP TABLE ledger_count; DROP TABLE hold;
    DELETE FROM meta WHERE name = 'entries'; UPDATE meta SET value = '1' WHERE name = 'schema'; """
STEPS_FROM_1 = [f"make again, with its rows, the table {name}" for name in ("agent_state", "approval", "idempotency")] + [
    f"make the table {name}" for name in ("approval_use", "transcript", "budget", "ledger_count", "hold")]


HASHES_OF_BEFORE = """DROP TABLE ledger_hash;
CREATE TABLE ledger_hash (level INTEGER NOT NULL, n INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (level, n)) STRICT;
CREATE TRIGGER ledger_hash_update BEFORE UPDATE ON ledger_hash BEGIN SELECT RAISE(ABORT, 'ledger_hash is append-only'); END;
CREATE TRIGGER ledger_hash_delete BEFORE DELETE ON ledger_hash BEGIN SELECT RAISE(ABORT, 'ledger_hash is append-only'); END;"""


@claim
def hashes_of_an_earlier_version_are_put_side_by_side():
    with ledger() as folder:
        many(folder)
        receipt = do(folder, "ledger", "receipt", "7").stdout
        database = sqlite3.connect(folder / ".baton/store.db")
        rows = database.execute("SELECT * FROM ledger_hash").fetchall()
        equal(len(rows), 2)
        database.executescript(HASHES_OF_BEFORE)
        database.executemany("INSERT INTO ledger_hash VALUES (?, ?, ?)", rows)
        database.commit()
        equal(database.execute("SELECT rowid FROM ledger_hash").fetchall(), [(1,), (2,)])
        database.close()
        equal(do(folder, "ledger", "receipt", "7").stdout, receipt)
        for flags in (["--dry-run"], []):
            equal(json.loads(do(folder, "store", "migrate", "-f", "json", *flags).stdout)["steps"], ["make again, with its rows, the table ledger_hash"])
        equal(json.loads(do(folder, "store", "migrate", "-f", "json").stdout)["steps"], [])
        database = sqlite3.connect(folder / ".baton/store.db")
        equal(database.execute("SELECT * FROM ledger_hash").fetchall(), rows)
        try:
            database.execute("SELECT rowid FROM ledger_hash")
            raise AssertionError("the table has rows in the order in which they came")
        except sqlite3.OperationalError:
            pass
        database.close()
        equal(do(folder, "ledger", "receipt", "7").stdout, receipt)
        do(folder, "store", "check")
        do(folder, "ledger", "verify")


def migrate(folder, steps):
    """Migrate a store of schema version 1, first as a dry run, which changes nothing."""
    for flags in (["--dry-run"], []):
        for command in (["ledger", "tail"], ["store", "check"], ["ledger", "append", "--raw", "a.txt"]):
            expect(run(*command, cwd=folder), 2, err="its schema version is 1; run baton store migrate")
        said = json.loads(do(folder, "store", "migrate", "-f", "json", *flags).stdout)
        equal((said["from"], said["to"], sorted(said["steps"])), (1, 2, sorted(steps)))
        equal((folder / ".baton/store.db.v1.bak").exists(), not flags)
    equal(sqlite3.connect(folder / ".baton/store.db.v1.bak").execute("SELECT value FROM meta WHERE name = 'schema'").fetchall(), [("1",)])
    do(folder, "store", "check")
    equal(json.loads(do(folder, "store", "migrate", "-f", "json").stdout)["steps"], [])


def shape(folder):
    """Every table, index and trigger, as it was made."""
    database = sqlite3.connect(folder / ".baton/store.db")
    rows = database.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    database.close()
    return {name: sql.replace('"', "") for name, sql in rows}


@claim
def a_store_of_schema_version_1_is_migrated():
    with ledger() as folder:
        filled(folder)
        made = shape(folder)
        root = json.loads(do(folder, "store", "info", "-f", "json").stdout)["root"]
        database = sqlite3.connect(folder / ".baton/store.db")
        database.executescript(VERSION_1 + "INSERT INTO approval VALUES ('P-1', 'w', 's', 'a', 'pending', 'f', x'7b7d', 't', NULL, NULL, 0);"
                               "INSERT INTO agent_state VALUES ('w', 's', 'a', 'COMPLETE', '{}', 0)")
        migrate(folder, STEPS_FROM_1)
        equal(shape(folder), made)
        equal(list(database.execute("SELECT * FROM approval")),
              [("P-1", "w", "s", "a", "pending", "f", b"{}", "t", None, None, "report", None, 0)])
        equal(list(database.execute("SELECT * FROM agent_state")), [("w", "s", "a", "COMPLETE", "{}", 0, 0)])
        database.close()
        info = json.loads(do(folder, "store", "info", "-f", "json").stdout)
        equal((info["schema"], info["entries"], info["root"]), (2, 1, root))
        do(folder, "ledger", "verify")


@claim
def the_copy_of_an_old_store_is_never_overwritten():
    with ledger() as folder:
        filled(folder)
        database = sqlite3.connect(folder / ".baton/store.db")
        database.executescript(VERSION_1)
        database.close()
        (folder / ".baton/store.db.v1.bak").write_text("of somebody else")
        expect(run("store", "migrate", cwd=folder), 2, err="store.db.v1.bak")
        equal((folder / ".baton/store.db.v1.bak").read_text(), "of somebody else")
        expect(run("ledger", "tail", cwd=folder), 2, err="its schema version is 1")


@claim
def entries_of_a_later_version_are_refused():
    with ledger() as folder:
        filled(folder)
        database = sqlite3.connect(folder / ".baton/store.db")
        database.executescript("UPDATE meta SET value = '3' WHERE name = 'entries'")
        database.close()
        expect(run("ledger", "tail", cwd=folder), 2, err="its entries have version 3; this program knows 1 and 2: use a newer one")


def many(folder):
    """600 entries, which is more than two spans of marks, one of them with an id; that one."""
    texts = [str(number) for number in range(600)]
    for text in texts:
        (folder / text).write_text(text)
    for some, flags in ((texts[:99], []), (texts[99:100], ["--id", "id-1"]), (texts[100:], [])):
        do(folder, "ledger", "append", *(word for text in some for word in ("--raw", text)), *flags, *NOW)
    return named(folder)


# Of 600 entries, and of their 600 documents.
MARKS = [(0, 0, 0), (0, 0, 1), (16, 0, 0), (16, 0, 1)]


def named(folder):
    """The entries that have that id."""
    said = do(folder, "ledger", "tail", "--handoff", "id-1", "-f", "jsonl").stdout.splitlines()
    equal([json.loads(line)["seq"] for line in said], [99])
    return said


@claim
def marks_that_are_gone_or_altered_are_noticed():
    with ledger() as folder:
        before = many(folder)
        equal(told(do(folder, "store", "check", "-f", "json")), [])
        database = sqlite3.connect(folder / ".baton/store.db")
        equal(list(database.execute("SELECT level, part, n FROM ledger_mark ORDER BY level, n")), MARKS)
        guard = database.execute("SELECT sql FROM sqlite_master WHERE name = 'ledger_mark_update'").fetchone()[0]
        database.executescript("DROP TRIGGER ledger_mark_update; UPDATE ledger_mark SET marks = zeroblob(8) WHERE level = 0 AND n = 1; " + guard)
        equal(told(do(folder, "store", "check", "-f", "json", code=1)), [("STORE_STATE_MISMATCH", "/tables/ledger_mark")])
        equal(named(folder), before)
        guard = database.execute("SELECT sql FROM sqlite_master WHERE name = 'ledger_mark_delete'").fetchone()[0]
        database.executescript("DROP TRIGGER ledger_mark_delete; DELETE FROM ledger_mark WHERE n = 0;" + guard)
        database.close()
        equal(told(do(folder, "store", "check", "-f", "json", code=1)), [("STORE_STATE_MISMATCH", "/tables/ledger_mark")])
        expect(run("ledger", "tail", "--handoff", "id-1", cwd=folder), 2, err="1 rows of ledger_mark are missing; run baton store check")


@claim
def a_store_of_an_earlier_version_is_given_its_marks():
    with ledger() as folder:
        before = many(folder)
        database = sqlite3.connect(folder / ".baton/store.db")
        database.executescript(VERSION_1 + "DROP TABLE ledger_mark")
        migrate(folder, [*STEPS_FROM_1, "make the table ledger_mark"])
        equal(list(database.execute("SELECT level, part, n FROM ledger_mark ORDER BY level, n")), MARKS)
        database.close()
        equal(named(folder), before)


# The table of documents as it was before they lay in the order in which they came.
KEYED = """CREATE TABLE keyed (sha256 BLOB NOT NULL, size INTEGER NOT NULL, encoding TEXT NOT NULL, bytes BLOB, redacted_seq INTEGER,
    PRIMARY KEY (sha256)) STRICT; INSERT INTO keyed SELECT * FROM document; DROP TABLE document; ALTER TABLE keyed RENAME TO document;
    DROP TRIGGER ledger_mark_delete; DELETE FROM ledger_mark WHERE level >= 16; """


@claim
def documents_of_an_earlier_version_are_put_in_order():
    with ledger() as folder:
        many(folder)
        database = sqlite3.connect(folder / ".baton/store.db")
        guards = ";".join(sql for sql, in database.execute("SELECT sql FROM sqlite_master WHERE name IN "
                                                           "('document_update', 'document_delete', 'ledger_mark_delete')"))
        database.executescript(VERSION_1 + KEYED + guards)
        migrate(folder, [*STEPS_FROM_1, "make again, with its rows, the table document"])
        equal(list(database.execute("SELECT level, part, n FROM ledger_mark ORDER BY level, n")), MARKS)
        database.close()
        equal(do(folder, "ledger", "show", "99", "--document").stdout, b"99")
        do(folder, "ledger", "append", "--raw", "99", *NOW)
        equal(json.loads(do(folder, "store", "info", "-f", "json").stdout)["content"]["kept"], 600)
        do(folder, "ledger", "verify")


@claim
def a_copy_finds_its_documents():
    with ledger() as folder:
        many(folder)
        do(folder, "store", "copy", ".baton", "other.db")
        equal(told(do(folder, "store", "check", "--store", "other.db", "-f", "json")), [])
        for number in (0, 255, 599):
            equal(do(folder, "ledger", "show", str(number), "--document", "--store", "other.db").stdout, str(number).encode())


@claim
def a_document_that_is_there_twice_is_noticed():
    with ledger() as folder:
        filled(folder)
        equal(told(do(folder, "store", "check", "-f", "json")), [])
        database = sqlite3.connect(folder / ".baton/store.db")
        with database:
            database.execute("INSERT INTO document SELECT * FROM document WHERE rowid = 1")
        database.close()
        equal(b"a document is there twice" in do(folder, "store", "check", code=1).stdout, True)


sys.exit(finish())
