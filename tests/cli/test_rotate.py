# SPDX-License-Identifier: Apache-2.0
"""test_rotate.py BATON - another key for a ledger: recorded, signing beside the old one, then alone."""
import json
import shutil
import sys
import tempfile

from handoffs import handoff, text_of
from ledger_tools import NOW, OTHER_VKEY, VKEY, append, do, findings, ledger, told
from program import claim, equal, expect, finish, run, until
from server import bearer, serving


def rotate(folder, *flags):
    return json.loads(do(folder, "ledger", "rotate-key", *flags, *NOW, "-f", "json").stdout)


def verify(folder, *flags, code=1):
    return do(folder, "ledger", "verify", *flags, "-f", "json", code=code)


def signers(folder, *flags):
    return [line["key_id"] for line in json.loads(do(folder, "ledger", "checkpoint", "-f", "json", *flags).stdout)["signatures"]]


def keys(folder):
    return (folder / ".baton/ledger.vkey").read_text().splitlines(), len((folder / ".baton/ledger.key").read_text().splitlines())


@claim
def both_keys_sign_until_the_rotation_is_ended():
    with ledger("one") as folder:
        said = rotate(folder, "--seed", "2")
        equal((said["old"], said["new"], said["signing"]), (VKEY, OTHER_VKEY, "both"))
        equal((said["record"]["seq"], said["record"]["kind"]), (1, "key"))
        equal(keys(folder), ([VKEY, OTHER_VKEY], 2))
        equal((folder / ".baton/ledger.key").stat().st_mode & 0o777, 0o600)
        append(folder, "two")
        equal(signers(folder), ["9789251b", "29cc8921"])
        for flags in ([], ["--vkey", VKEY], ["--vkey", VKEY, "--vkey", OTHER_VKEY]):
            equal(told(verify(folder, *flags, code=0)), [])
        ended = rotate(folder, "--end")
        equal((ended["signing"], ended["record"]), ("new", None))
        equal(keys(folder), ([VKEY, OTHER_VKEY], 1))
        append(folder, "three")
        equal(signers(folder), ["29cc8921"])
        equal(told(verify(folder, code=0)), [])
        equal(told(verify(folder, "--vkey", VKEY)), [("LEDGER_KEY_UNKNOWN", "/checkpoint")])
        do(folder, "store", "check")


@claim
def the_entry_names_both_keys_and_keeps_the_new_one():
    with ledger() as folder:
        rotate(folder, "--seed", "2")
        shown = json.loads(do(folder, "ledger", "show", "0", "-f", "json").stdout)["entry"]
        equal((shown["kind"], shown["refs"]), ("key", {"old_key": "9789251b", "new_key": "29cc8921"}))
        equal(do(folder, "ledger", "show", "0", "--document").stdout.decode(), OTHER_VKEY + "\n")


@claim
def receipts_of_either_time_are_verified_by_both_keys():
    with ledger("one") as folder:
        old = do(folder, "ledger", "prove", "inclusion", "0").stdout
        rotate(folder, "--seed", "2")
        rotate(folder, "--end")
        append(folder, "two")
        new = do(folder, "ledger", "prove", "inclusion", "2").stdout
        for receipt, key in ((old, VKEY), (new, OTHER_VKEY)):
            do(folder, "ledger", "verify-receipt", "-", "--vkey", VKEY, "--vkey", OTHER_VKEY, stdin=receipt)
            do(folder, "ledger", "verify-receipt", "-", "--vkey", key, stdin=receipt)
        unknown = do(folder, "ledger", "verify-receipt", "-", "--vkey", VKEY, "-f", "json", stdin=new, code=1)
        equal([finding["code"] for finding in findings(unknown)], ["LEDGER_KEY_UNKNOWN"])


@claim
def an_interrupted_rotation_goes_on_with_the_key_that_was_made():
    with ledger("one") as folder, tempfile.TemporaryDirectory() as aside:
        shutil.copy(folder / ".baton/store.db", aside)
        head = (folder / ".baton/ledger.head").read_bytes()
        rotate(folder, "--seed", "2")
        for name in ("store.db-wal", "store.db-shm"):
            (folder / ".baton" / name).unlink(missing_ok=True)
        shutil.copy(f"{aside}/store.db", folder / ".baton/store.db")  # as if the entry had not been committed
        (folder / ".baton/ledger.head").write_bytes(head)
        expect(run("ledger", "rotate-key", "--end", cwd=folder), 2, err="not recorded yet")
        equal(rotate(folder)["new"], OTHER_VKEY)
        rotate(folder, "--end")
        equal(told(verify(folder, code=0)), [])


@claim
def what_cannot_be_rotated_is_told():
    with ledger() as folder:
        expect(run("ledger", "rotate-key", "--end", cwd=folder), 2, err="no rotation is under way")
        expect(run("ledger", "rotate-key", "--end", "--seed", "2", cwd=folder), 2, err="takes no --seed")
        expect(run("ledger", "rotate-key", "--seed", "1", cwd=folder), 2, err="the new key would be the old one")
        equal(keys(folder), ([VKEY], 1))
        rotate(folder, "--seed", "2")
        expect(run("ledger", "rotate-key", cwd=folder), 2, err="a rotation is under way; end it first")
    with tempfile.TemporaryDirectory() as name:
        do(name, "ledger", "init", "--origin", "ledger.example/real")
        expect(run("ledger", "rotate-key", "--seed", "2", cwd=name), 2, err="a seed is for ledgers whose key is a test key")
        do(name, "ledger", "rotate-key")
        do(name, "ledger", "rotate-key", "--end")
        do(name, "ledger", "verify")


@claim
def copies_and_exports_are_verified_by_all_keys():
    with ledger("one") as folder:
        do(folder, "ledger", "export", "tree")
        rotate(folder, "--seed", "2")
        rotate(folder, "--end")
        append(folder, "two")
        backup = json.loads(do(folder, "store", "backup", "b.db", "-f", "json").stdout)
        equal((backup["size"], backup["verified"]), (3, True))
        do(folder, "ledger", "export", "tree")
        do(folder, "ledger", "verify", "--tree", "tree", "--vkey", OTHER_VKEY)
        equal(rotate(folder, "--seed", "3")["old"], OTHER_VKEY)  # and so on


def submit(server, number):
    text = text_of(handoff(context={"summary": f"Number {number}"}))
    return server.ask("POST", "/v1/handoffs", text, {"Content-Type": "application/json"})


@claim
def a_server_that_runs_signs_by_the_keys_that_a_rotation_leaves():
    with serving() as server:
        where = ("--store", "s.db")
        for number, (words, count) in enumerate(((("checkpoint",), 1), (("rotate-key",), 2), (("rotate-key", "--end"), 1))):
            expect(run("ledger", *words, *where, cwd=server.folder), 0)
            equal(submit(server, number).status, 201)
            ids = [vkey.split("+")[1] for vkey in (server.folder / "s.db.vkey").read_text().split()]
            equal(signers(server.folder, *where), ids[-count:])
        # Others record under the new key alone, which every thread of the server comes to know.
        expect(run("ledger", "append", "--raw", "-", *where, stdin=b"hello", cwd=server.folder), 0)
        for number in range(3, 9):
            equal(submit(server, number).status, 201)
            equal(server.ask("GET", "/v1/handoffs?limit=1", headers=bearer(server.console)).status, 200)
        expect(run("ledger", "verify", *where, cwd=server.folder), 0)


@claim
def a_server_whose_key_was_replaced_by_none_of_the_ledger_records_nothing_until_it_is_back():
    with serving() as server:
        path = server.folder / "s.db.key"
        key = path.read_bytes()
        expect(run("ledger", "init", "--store", "other.db", "--origin", "ledger.example/other", cwd=server.folder), 0)
        other = (server.folder / "other.db.key").read_bytes()
        equal(submit(server, 0).status, 201)
        for size, (wrong, mode) in enumerate(((b"no key\n", 0o600), (b"", 0o600), (key, 0o644), (other, 0o600), (key + other, 0o600)), 2):
            path.write_bytes(wrong)
            path.chmod(mode)
            for _ in range(3):  # that it was seen before makes it no better
                answer = submit(server, -size)
                equal((wrong, answer.status, answer.json().get("code"), server.ask("GET", "/readyz").status), (wrong, 503, "STORE_UNAVAILABLE", 503))
            path.write_bytes(key)
            path.chmod(0o600)
            until(lambda: submit(server, size).status == 201)
            until(lambda: server.ask("GET", "/readyz").status == 200)
            equal(json.loads(do(server.folder, "store", "info", "--store", "s.db", "-f", "json").stdout)["size"], size)


sys.exit(finish())
