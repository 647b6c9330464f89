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
            equal((said["from"], said["to"], said["steps"]), (1, 1, steps))
            equal(told(do(folder, "store", "check", "-f", "json", code=1 if left else 0)), left)
        equal(json.loads(do(folder, "store", "migrate", "-f", "json").stdout)["steps"], [])


@claim
def indexes_that_an_older_store_lacks_are_added():
    with ledger() as folder:
        filled(folder)
        database = sqlite3.connect(folder / ".baton/store.db")
        database.executescript("DROP INDEX approval_status; DROP INDEX ledger_entry_trace_id")
        database.close()
        do(folder, "ledger", "verify")
        steps = ["add an index of ledger_entry on trace_id", "add an index of approval on status"]
        for flags in (["--dry-run"], []):
            equal(json.loads(do(folder, "store", "migrate", "-f", "json", *flags).stdout)["steps"], steps)
        equal(json.loads(do(folder, "store", "migrate", "-f", "json").stdout)["steps"], [])


sys.exit(finish())
