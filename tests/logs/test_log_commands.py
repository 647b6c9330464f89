# SPDX-License-Identifier: Apache-2.0
"""test_log_commands.py BATON - --log NAME and baton ledger log: many logs below a folder, or in a PostgreSQL database."""
import contextlib
import json
import pathlib
import sqlite3
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

import postgres_server  # noqa: E402
from ledger_tools import NOW, ORIGIN, append, do, ledger  # noqa: E402
from program import claim, environment, equal, expect, finish, run  # noqa: E402

MANY = ["--config", "many.yaml"]


def new(folder, name, *flags, origin=None, code=0):
    return do(folder, "ledger", "log", "new", name, "--origin", origin or f"logs.example/{name}", "--seed", "1", *flags, *MANY, code=code)


def record(folder, log, content, code=0):
    (folder / "a.txt").write_text(content)
    return do(folder, "ledger", "append", "--log", log, "--raw", "a.txt", *NOW, *MANY, "-f", "json", code=code)


def listed(folder, code=0):
    return [(log["name"], log["size"]) for log in json.loads(do(folder, "ledger", "log", "list", *MANY, "-f", "json", code=code).stdout)["logs"]]


@contextlib.contextmanager
def place(config="logs: {root: logs}\n"):
    with tempfile.TemporaryDirectory(prefix="baton-logs-") as name:
        folder = pathlib.Path(name)
        (folder / "many.yaml").write_text(config)
        yield folder


@claim
def every_command_that_takes_a_store_takes_a_log():
    with tempfile.TemporaryDirectory() as name:
        run("man", "--all", name)
        pages = [path for path in pathlib.Path(name).rglob("baton*.1*") if "\n\\fB\\-\\-store" in path.read_text() and path.name != "baton-init.1"]
        equal(len(pages) > 40, True)
        equal([path.name for path in pages if "\\-\\-log" not in path.read_text()], [])


@claim
def names_and_origins_are_unique_and_names_have_one_form():
    with place() as folder:
        new(folder, "a")
        new(folder, "x" * 63)
        for name in ("x" * 64, "A", "a_b", "", "..", "a/b", "a.b"):
            expect(new(folder, name, code=2), 2, err="a log is named by")
        expect(new(folder, "a", origin="logs.example/b", code=2), 2, err="there is a log a already")
        expect(new(folder, "b", origin="logs.example/a", code=2), 2, err="the origin is taken by the log a")
        equal(listed(folder), [("a", 0), ("x" * 63, 0)])
        (folder / "many.yaml").write_text("logs: {root: logs, max: 2}\n")
        expect(new(folder, "c", code=2), 2, err="logs.max")
        (folder / "logs/stray").mkdir()  # a folder without a store is not a log
        equal(listed(folder), [("a", 0), ("x" * 63, 0)])


@claim
def a_log_that_was_begun_can_be_made():
    with place() as folder:
        new(folder, "a")
        (folder / "logs/a/store.db").unlink()
        equal(listed(folder), [])
        new(folder, "a")
        equal(listed(folder), [("a", 0)])


@claim
def the_default_log_stands_for_the_store():
    with place("logs: {root: logs, default: main}\nstore: other.db\n") as folder:
        expect(do(folder, "ledger", "tail", *MANY, code=2), 2, err="there is no log main")
        new(folder, "main")
        (folder / "a.txt").write_text("x\n")
        do(folder, "ledger", "append", "--raw", "a.txt", *MANY)
        equal(listed(folder), [("main", 1)])
        expect(run("ledger", "tail", *MANY, cwd=folder, env={"BATON_STORE": "other.db"}), 2, err="other.db")
        expect(do(folder, "ledger", "tail", "--log", "main", "--root", ".", *MANY, code=2), 2, err="--log names the store")


@claim
def a_log_that_cannot_be_read_does_not_hide_the_others():
    with place() as folder:
        for name in ("a", "b", "c"):
            new(folder, name)
            record(folder, name, "x\n")
        (folder / "logs/b/store.db").write_bytes(b"not a database")
        result = do(folder, "ledger", "log", "list", *MANY, "-f", "json", code=2)
        equal([(log["name"], log["size"]) for log in json.loads(result.stdout)["logs"]], [("a", 1), ("b", None), ("c", 1)])
        equal(b"the log b: " in result.stderr, True)


@claim
def a_ledger_is_adopted_only_while_nobody_writes_to_it():
    with ledger("one\n", "two\n") as folder:
        (folder / "many.yaml").write_text("logs: {root: logs}\n")
        adopt = ["ledger", "log", "adopt", "main", "--from", ".baton", "--deadline", "300", *MANY, "-f", "json"]
        writer = sqlite3.connect(folder / ".baton/store.db", isolation_level=None)
        writer.execute("BEGIN IMMEDIATE")
        expect(do(folder, *adopt, code=2), 2, err="cannot adopt the ledger")
        equal(((folder / ".baton/store.db").exists(), listed(folder)), (True, []))
        writer.execute("ROLLBACK")
        writer.close()
        equal(json.loads(do(folder, *adopt).stdout), {"baton": 1, "name": "main", "origin": ORIGIN, "size": 2})
        equal(((folder / ".baton").exists(), listed(folder)), (False, [("main", 2)]))
        equal(json.loads(record(folder, "main", "three\n").stdout)["documents"][0]["record"]["seq"], 2)
        do(folder, "ledger", "verify", "--log", "main", *MANY)


@claim
def what_cannot_be_adopted_stays_where_it_is():
    with ledger("one\n", "two\n") as folder:
        (folder / "many.yaml").write_text("logs: {root: logs}\n")
        adopt = ["ledger", "log", "adopt", "main", "--from", ".baton", *MANY]
        (folder / "link").symlink_to(".baton")
        expect(do(folder, "ledger", "log", "adopt", "main", "--from", "link", *MANY, code=2), 2, err="is not a folder")
        new(folder, "taken", origin=ORIGIN)
        expect(do(folder, *adopt, code=2), 2, err="the origin is taken by the log taken")
        (folder / "logs/taken").rename(folder / "gone")
        (folder / "logs/main").mkdir()
        expect(do(folder, *adopt, code=2), 2, err="is there already")
        (folder / "logs/main").rmdir()
        store = sqlite3.connect(folder / ".baton/store.db")
        guards = [row[0] for row in store.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ledger_entry'")]
        for name, in store.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'ledger_entry'").fetchall():
            store.execute(f"DROP TRIGGER {name}")
        store.execute("UPDATE ledger_entry SET entry = CAST(replace(CAST(entry AS TEXT), 'cli', 'clj') AS BLOB) WHERE seq = 0")
        for guard in guards:
            store.execute(guard)
        store.commit()
        store.close()
        equal(b"LEDGER_LEAF_MISMATCH" in do(folder, *adopt, code=1).stdout, True)
        equal(((folder / ".baton/store.db").exists(), (folder / "logs/main").exists()), (True, False))


@claim
def logs_in_postgresql_have_schemas_and_files_of_their_own():
    if postgres_server.missing():
        return
    with postgres_server.hosting() as server, place() as folder:
        (folder / "many.yaml").write_text(f"logs: {{root: '{server.url}', keys: keys}}\nlimits: {{record_deadline_ms: 60000}}\n")
        for name in ("acme", "a-b"):
            new(folder, name, "--deadline", "60000")
        for content in ("x\n", "y\n"):
            record(folder, "a-b", content)
        equal(listed(folder), [("a-b", 2), ("acme", 0)])
        equal(sorted(path.name for path in (folder / "keys").iterdir()), [".lock", "a-b.head", "a-b.key", "a-b.vkey", "acme.head", "acme.key", "acme.vkey"])
        expect(new(folder, "x" * 60, code=2), 2, err="at most 59 bytes")
        expect(do(folder, "ledger", "tail", "--log", "other", *MANY, code=2), 2, err="there is no log other")
        expect(do(folder, "ledger", "log", "adopt", "b", "--from", ".", *MANY, code=2), 2, err="logs.root is a server")
        (folder / "many.yaml").write_text(f"logs: {{root: '{server.url}'}}\n")
        expect(new(folder, "c", code=2), 2, err="need logs.keys")


finish()
