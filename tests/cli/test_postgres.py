# SPDX-License-Identifier: Apache-2.0
"""test_postgres.py - a ledger on PostgreSQL, from end to end; skipped where no server is installed."""
import contextlib
import json
import os
import pathlib
import socket
import sys
import tempfile
import urllib.parse

import postgres_server
from ledger_tools import NOW, ORIGIN, VKEY, do
from postgres_server import psql
from postgres_tls import tls_server
from block import REQUEST, envelope, fenced
from program import claim, expect, finish, run

NEVER = ["ledger_entry", "ledger_hash", "ledger_checkpoint", "ledger_cosignature", "seen", "approval_event", "context_history"]
ROOT_OF_TWO = "a41f3d4b0d930bc8e42211826aee70b12f85638e97e9dc34f0c2b9368572e329"
schemas = iter(range(1000))


class Node:
    """A folder of a node, and the store that it names."""

    def __init__(self, url=None):
        self.temporary = tempfile.TemporaryDirectory(prefix="baton-node-")
        self.folder = pathlib.Path(self.temporary.name)
        self.schema = f"log_{next(schemas)}"
        self.url = url or f"{SERVER}&schema={self.schema}"

    def do(self, *args, **more):
        return do(self.folder, *args, "--store", self.url, **more)

    def json(self, *args, **more):
        return json.loads(self.do(*args, "-f", "json", **more).stdout)

    def append(self, content, *flags, code=0):
        (self.folder / "raw.txt").write_text(content)
        return self.json("ledger", "append", "--raw", "raw.txt", *NOW, *flags, code=code)["documents"][0]

    def sql(self, statement, role=None, check=True):
        who = f"SET ROLE {role}; " if role else ""
        return psql(SERVER, f"{who}SET search_path = {self.schema}; {statement}", check)

    def check(self, code):
        return sorted({f["code"] for f in self.json("store", "check", code=code)["documents"][0]["findings"]})


def made():
    node = Node()
    node.do("ledger", "init", "--origin", ORIGIN, "--seed", "1")
    return node


@claim
def the_record_is_the_same_as_in_sqlite():
    node = made()
    node.append("hello\n")
    record = node.append("world\n")["record"]
    if (record["seq"], record["root"]) != (1, ROOT_OF_TWO):
        raise AssertionError(record)
    verdict = node.json("ledger", "verify", "--vkey", VKEY)["documents"][0]
    if (verdict["verdict"], verdict["facts"]["root"]) != ("accepted", ROOT_OF_TWO):
        raise AssertionError(verdict)
    if node.do("ledger", "show", "1", "--document").stdout != b"world\n":
        raise AssertionError("the document is another one")


@claim
def a_used_id_is_refused_on_another_node():
    first = made()
    first.append("a", "--id", "one")
    second = Node(first.url)
    (second.folder / ".baton").mkdir(mode=0o700)
    (second.folder / ".baton/ledger.key").write_bytes((first.folder / ".baton/ledger.key").read_bytes())
    (second.folder / ".baton/ledger.key").chmod(0o600)
    refused = second.append("b", "--id", "one", code=1)
    if [finding["code"] for finding in refused["findings"]] != ["REPLAYED_ID"] or refused["record"]["seq"] != 1:
        raise AssertionError(refused)


@claim
def a_node_keeps_its_key_and_head_and_nothing_else():
    node = made()
    names = sorted(path.name for path in (node.folder / ".baton").iterdir())
    if names != [".gitignore", "ledger.head", "ledger.key", "ledger.vkey"]:
        raise AssertionError(names)


@claim
def what_info_prints_is_true():
    node = made()
    node.append("hello\n", "--id", "one")
    info = node.json("store", "info")
    wanted = {"backend": "postgresql", "schema": 2, "origin": ORIGIN, "size": 1, "seen": 1, "test_key": True,
              "content": {"kept": 1, "redacted": 0, "bytes": 6},
              "settings": {"synchronous_commit": "on", "fsync": "on", "full_page_writes": "on"}}
    if {name: info[name] for name in wanted} != wanted or not info["store"].startswith("postgresql://"):
        raise AssertionError(info)


@claim
def the_files_of_a_node_lie_in_its_workspace():
    node = Node()
    inner = node.folder / "work/deep"
    inner.mkdir(parents=True)
    (node.folder / ".baton").mkdir(mode=0o700)
    do(inner, "ledger", "init", "--origin", ORIGIN, "--store", node.url)  # init never looks upwards
    if not (inner / ".baton/ledger.key").exists() or (node.folder / ".baton/ledger.key").exists():
        raise AssertionError("init looked upwards")
    (inner / "deeper").mkdir()
    raw = node.folder / "raw.txt"
    raw.write_text("hello\n")
    do(inner / "deeper", "ledger", "append", "--raw", str(raw), "--store", node.url)
    do(node.folder, "ledger", "append", "--raw", str(raw), "--store", node.url, "--root", "work/deep")
    expect(run("ledger", "append", "--raw", str(raw), "--store", node.url, cwd=node.folder), 2, err="ledger.key")
    other = Node()
    (other.folder / "named").mkdir()
    do(other.folder, "ledger", "init", "--origin", ORIGIN, "--store", other.url, "--root", "named")
    if not (other.folder / "named/.baton/ledger.key").exists():
        raise AssertionError("init did not follow --root")


@claim
def a_second_init_is_refused():
    node = made()
    other = Node(node.url)
    result = run("ledger", "init", "--origin", ORIGIN, "--store", node.url, cwd=other.folder)
    expect(result, 2, err="holds a ledger already")


@claim
def no_role_may_rewrite_the_record():
    node = made()
    for role in (None, "baton_owner", "baton_app"):
        for table in NEVER:
            column = node.sql(f"SELECT column_name FROM information_schema.columns WHERE table_schema = '{node.schema}'"
                              f" AND table_name = '{table}' LIMIT 1")
            for statement in (f"UPDATE {table} SET {column} = {column}", f"DELETE FROM {table}", f"TRUNCATE {table}"):
                said = node.sql(statement, role, check=False)
                if not ("append-only" in said or (role == "baton_app" and "permission denied" in said)):
                    raise AssertionError(f"{role}: {statement}: {said}")


@claim
def a_document_loses_its_bytes_once_and_nothing_more():
    node = made()
    node.append("hello\n")
    for statement in ("UPDATE document SET size = 1", "UPDATE document SET bytes = NULL", "DELETE FROM document",
                      "UPDATE document SET bytes = NULL, redacted_seq = 0, size = 1"):
        if "append-only" not in node.sql(statement, check=False):
            raise AssertionError(statement)
    redacted = node.json("ledger", "redact", "0", "--reason", "asked for", *NOW)
    if redacted["already"] or node.sql("SELECT bytes IS NULL AND redacted_seq = 1 FROM document") != "t":
        raise AssertionError(redacted)
    if not node.json("ledger", "redact", "0", "--reason", "asked for", *NOW)["already"]:
        raise AssertionError("redacted twice")
    node.do("ledger", "verify")


@claim
def a_request_for_consent_loses_its_payload_with_its_report():
    node = made()
    (node.folder / "r.md").write_text(fenced(envelope({"/approval_request": REQUEST}, "APPROVAL_REQUEST")))
    number = node.json("contract", "submit", "--workspace", "w", "r.md")["submit"]["approval"]["id"]
    redacted = node.json("ledger", "redact", "0", "--reason", "asked for")["redacted"]
    if redacted["approvals"] != [number] or node.sql("SELECT payload IS NULL AND status = 'revoked' FROM approval") != "t":
        raise AssertionError(redacted)
    shown = node.json("approvals", "list")["approvals"][0]
    if (shown["redacted"], shown["operation"], shown["commands"]) != (True, None, []):
        raise AssertionError(shown)
    node.do("ledger", "verify")


@claim
def a_member_of_baton_app_can_append_and_check_finds_nothing():
    node = made()
    psql(SERVER, f"CREATE ROLE node_{node.schema} LOGIN IN ROLE baton_app")
    node.url = node.url.replace("//postgres@", f"//node_{node.schema}@")
    node.append("hello\n", "--id", "one")
    node.json("ledger", "redact", "0", "--reason", "asked for", *NOW)
    if node.check(0):
        raise AssertionError(node.check(0))


@claim
def the_check_finds_rights_triggers_and_settings_that_are_wrong():
    node = made()
    if node.check(1) != ["STORE_GRANT_EXCESS"]:  # the superuser may do anything
        raise AssertionError(node.check(1))
    psql(SERVER, f"CREATE ROLE node_{node.schema} LOGIN IN ROLE baton_app")
    node.url = node.url.replace("//postgres@", f"//node_{node.schema}@")
    if node.check(0):
        raise AssertionError(node.check(0))
    for breaking in ("DROP TRIGGER seen_delete ON seen", "ALTER TABLE seen DISABLE TRIGGER seen_update",
                     "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'"):
        node.sql(breaking)
        if "STORE_TRIGGER_MISSING" not in node.check(1):
            raise AssertionError(breaking)
    psql(SERVER, f"ALTER ROLE node_{node.schema} SET synchronous_commit = off")
    if "STORE_SETTING_UNSAFE" not in node.check(1):
        raise AssertionError("synchronous_commit")
    result = run("ledger", "append", "--raw", "/dev/null", "--store", node.url, cwd=node.folder)
    expect(result, 2, err="synchronous_commit")


@claim
def a_backup_is_a_sqlite_store_with_the_same_root():
    node = made()
    node.append("hello\n")
    node.append("world\n")
    backup = node.json("store", "backup", "copy.db")
    if (backup["size"], backup["root"], backup["verified"]) != (2, ROOT_OF_TWO, True):
        raise AssertionError(backup)
    do(node.folder, "ledger", "verify", "--store", "copy.db", "--vkey", VKEY)


@claim
def a_store_moves_to_a_server_and_back():
    node = made()
    node.append("hello\n", "--id", "one")
    root = node.append("world\n")["record"]["root"]
    target = f"{SERVER}&schema=moved_{node.schema}"
    for source, to in ((node.url, "file.db"), ("file.db", target), (target, "again.db")):
        copied = json.loads(do(node.folder, "store", "copy", source, to, "-f", "json").stdout)
        if (copied["size"], copied["root"], copied["verified"]) != (2, root, True):
            raise AssertionError(copied)
        expect(run("store", "copy", source, to, cwd=node.folder), 2, err="already")
    # The new home takes the next decision, and knows which ids are used up.
    node.url = target
    refused = node.append("other\n", "--id", "one", code=1)
    if (refused["findings"][0]["code"], refused["record"]["seq"]) != ("REPLAYED_ID", 2):
        raise AssertionError(refused)


@claim
def migrate_puts_guards_back_for_the_owner_alone():
    node = made()
    superuser = node.url
    psql(SERVER, f"CREATE ROLE node_{node.schema} LOGIN IN ROLE baton_app")
    node.sql("DROP TRIGGER seen_delete ON seen; DROP INDEX approval_status")
    node.sql("CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
    node.url = node.url.replace("//postgres@", f"//node_{node.schema}@")
    expect(run("store", "migrate", "--store", node.url, cwd=node.folder), 2, err="permission denied")
    if node.check(1) != ["STORE_TRIGGER_MISSING"]:
        raise AssertionError(node.check(1))
    steps = json.loads(do(node.folder, "store", "migrate", "--store", superuser, "-f", "json").stdout)["steps"]
    if not {"restore the guard of seen against DELETE", "add an index of approval on status"} <= set(steps) or node.check(0):
        raise AssertionError(steps)
    steps = json.loads(do(node.folder, "store", "migrate", "--store", superuser, "-f", "json").stdout)["steps"]
    if steps:
        raise AssertionError(steps)


@claim
def a_store_of_schema_version_1_is_migrated_by_its_owner():
    node = made()
    node.append("one\n")
    node.sql("ALTER TABLE agent_state DROP COLUMN resumed; ALTER TABLE approval DROP COLUMN origin;"
             "ALTER TABLE approval DROP COLUMN redacted_seq; ALTER TABLE idempotency DROP COLUMN owner;"
             "ALTER TABLE idempotency ALTER COLUMN status SET NOT NULL;"
             "DROP TABLE approval_use, transcript, budget, ledger_count, hold;"
             "DELETE FROM meta WHERE name = 'entries'; UPDATE meta SET value = '1' WHERE name = 'schema';"
             "INSERT INTO approval VALUES ('P-1', 'w', 's', 'a', 'pending', 'f', '{}', 't', NULL, NULL, 0)")
    expect(run("ledger", "tail", "--store", node.url, cwd=node.folder), 2, err="its schema version is 1; run baton store migrate")
    for flags in (["--dry-run"], []):
        said = json.loads(do(node.folder, "store", "migrate", "--store", node.url, "-f", "json", *flags).stdout)
        if (said["from"], said["to"], len(said["steps"])) != (1, 2, 8):
            raise AssertionError(said)
    node.sql("DELETE FROM approval WHERE id = 'P-1' AND origin = 'report' AND redacted_seq IS NULL AND payload = '{}'")
    # A node, which is only a member of baton_app, may use the tables that were made again.
    psql(SERVER, f"CREATE ROLE node_{node.schema} LOGIN IN ROLE baton_app")
    node.url = node.url.replace("//postgres@", f"//node_{node.schema}@")
    info = json.loads(do(node.folder, "store", "info", "--store", node.url, "-f", "json").stdout)
    if (info["schema"], info["entries"], info["approvals"], node.check(0)) != (2, 1, 0, []):
        raise AssertionError(info)
    node.append("two\n")


@claim
def a_password_is_never_shown():
    with tempfile.TemporaryDirectory() as folder:
        for url in ("postgresql://me:hush-hush@/x?host=/nowhere", "postgresql://me@/x?host=/nowhere&password=hush-hush",
                    "postgresql://me@/x?host=/nowhere&pass%77ord=hush-hush", "postgresql://me:hush-hush@[/x?host=/nowhere",
                    "postgresql://me:h?hush-hush@/x?host=/nowhere", "postgresql://me:h/hush?hush@/x?host=/nowhere"):
            result = run("ledger", "tail", "--store", url, cwd=folder)
            expect(result, 2, err="postgresql://")
            if b"hush" in result.stderr + result.stdout:
                raise AssertionError(result.stderr)


@claim
def what_would_be_unsafe_is_refused_before_connecting():
    with tempfile.TemporaryDirectory() as folder:
        for url, word in (("postgresql://u@db.example/x?sslmode=require", "verify-full"),
                          ("postgresql://u@127.0.0.1,10.0.0.1/x?sslmode=disable", "verify-full"),
                          ("postgresql://u@db.example/x?hostaddr=127.0.0.1&sslmode=disable", "verify-full"),
                          ("postgresql://u@/x?schema=a-b", "schema"), ("postgresql://u@/x?schema=pg_catalog", "schema"),
                          ("postgresql://u@/x?service=other", "service"), ("postgres://u@/x", "postgres")):
            expect(run("ledger", "tail", "--store", url, cwd=folder), 2, err=word)


@claim
def without_its_library_the_package_is_named():
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "libpq.so.5").write_bytes(b"no library")
        result = run("ledger", "tail", "--store", "postgresql://me@/x", cwd=folder, env={"LD_LIBRARY_PATH": folder})
        expect(result, 2, err="libpq5")
        expect(run("rules", "-f", "json", cwd=folder, env={"LD_LIBRARY_PATH": folder}), 0)


@claim
def a_server_that_is_not_there_is_a_failure():
    node = Node("postgresql://me@/x?host=/nowhere")
    expect(run("ledger", "tail", "--store", node.url, cwd=node.folder), 2, err="cannot connect")


@contextlib.contextmanager
def silent_host():
    """A host that takes connections and never says a word."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.join(folder, ".s.PGSQL.5432"))
        listener.listen()
        yield urllib.parse.quote(folder, safe="")


@claim
def a_host_that_never_answers_does_not_keep_us_from_the_next():
    node = made()
    with silent_host() as silent:
        node.url = node.url.replace("host=", f"host={silent},")
        node.append("hello\n")
        alone = node.url.split("?")[0] + f"?host={silent}&schema={node.schema}"
        result = run("ledger", "append", "--raw", "raw.txt", "--store", alone, "--deadline", "200", cwd=node.folder)
        expect(result, 2, err="no answer before the deadline")


@claim
def of_several_hosts_each_may_have_its_port():
    node = made()
    host = node.url.split("host=")[1].split("&")[0]
    for hosts, code in ((f"host=/nowhere,{host}&port=1,5432", 0), (f"host=/nowhere,{host}&port=5432", 0),
                        (f"host=/nowhere,{host}&port=1,2,5432", 2), (f"host=/nowhere,{host}&hostaddr=127.0.0.1", 2)):
        url = f"postgresql://postgres@/postgres?{hosts}&schema={node.schema}"
        result = run("ledger", "tail", "--store", url, cwd=node.folder)
        if result.returncode != code:
            raise AssertionError((url, result))


# ---- TLS ------------------------------------------------------------------------------------------


@claim
def a_host_on_the_network_is_only_trusted_with_a_certificate_that_names_it():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        with tls_server(folder) as port:
            where = f"hostaddr=127.0.0.1&port={port}"
            authority = urllib.parse.quote(str(folder / "authority.crt"), safe="")
            stranger = urllib.parse.quote(str(folder / "stranger.crt"), safe="")
            for host, root, word in (("db.example", stranger, "certificate verify failed"),
                                     ("other.example", authority, "does not match"),
                                     ("db.example", "/nowhere", "does not exist"),
                                     ("127.0.0.1", authority + "&sslmode=disable", "no pg_hba.conf entry")):
                url = f"postgresql://postgres@/postgres?host={host}&{where}&sslrootcert={root}"
                result = run("ledger", "init", "--origin", ORIGIN, "--store", url, cwd=folder)
                expect(result, 2, err=word)
            # TLS is what it takes although the URL does not ask for it: the server lets nobody in without.
            url = f"postgresql://postgres@/postgres?host=db.example&{where}&sslrootcert={authority}"
            do(folder, "ledger", "init", "--origin", ORIGIN, "--store", url)


reason = postgres_server.missing()
if reason:
    print(f"1..0 # SKIP {reason}")
    sys.exit(0)
with postgres_server.running() as SERVER:
    code = finish()
sys.exit(code)
