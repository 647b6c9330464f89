# SPDX-License-Identifier: Apache-2.0
"""test_watch.py BATON - baton ledger watch: a memory of somebody else's log, in a folder, a store or on a server."""
import hashlib
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from ledger_tools import ORIGIN, VKEY, append, do, findings, ledger  # noqa: E402
from program import BATON, claim, environment, equal, finish, run, until  # noqa: E402

HASH = hashlib.sha256(ORIGIN.encode()).hexdigest()


def watch(folder, *flags, code=0, keys=("--vkey", VKEY)):
    return do(folder, "ledger", "watch", *keys, "--memory", "m", "--once", *flags, "-f", "json", code=code)


def facts(result):
    return json.loads(result.stdout)["documents"][0]["facts"]


def codes(result):
    return [(finding["code"], finding["pointer"]) for finding in findings(result)]


def remembered(folder):
    return (folder / "m/logs" / HASH / "checkpoint").read_text()


@claim
def a_store_and_its_export_are_one_log_over_several_tiles():
    with ledger() as folder:
        append(folder, *[f"doc {number}\n" for number in range(300)])
        do(folder, "ledger", "export", "t300")
        shutil.copytree(folder / ".baton", folder / "saved")
        for size in (1, 255, 257):  # what a memory holds, made by a log that stopped there
            with ledger() as other:
                append(other, *[f"doc {number}\n" for number in range(size)])
                do(other, "ledger", "export", "tree")
                shutil.rmtree(folder / "m", ignore_errors=True)
                equal(facts(watch(folder, "--tree", str(other / "tree")))["status"], "first")
            shown = facts(watch(folder, "--tree", "t300", "--max-age", "1d", "--now", "2026-02-11T12:00:00Z"))
            equal((shown["status"], shown["remembered"], shown["size"]), ("grown", size, 300))
        equal(facts(watch(folder, "--store", ".baton/store.db"))["status"], "same")
        append(folder, "another\n")
        equal(facts(watch(folder, "--store", ".baton/store.db"))["status"], "grown")
        shutil.rmtree(folder / ".baton")
        shutil.copytree(folder / "saved", folder / ".baton")  # store and head
        before = remembered(folder)
        equal(codes(watch(folder, "--store", ".baton/store.db", code=1)), [("LEDGER_ROLLBACK", "/checkpoint")])
        equal((remembered(folder) == before, len(list((folder / "m/logs" / HASH / "evidence").iterdir()))), (True, 1))
        shutil.rmtree(folder / "m")  # the negative control: without a memory nothing is noticed
        equal(facts(watch(folder, "--store", ".baton/store.db"))["status"], "first")


@claim
def altered_tiles_prove_nothing_and_missing_ones_are_a_failure():
    with ledger("one\n") as folder:
        do(folder, "ledger", "export", "t1")
        append(folder, "two\n", "three\n")
        do(folder, "ledger", "export", "t3")
        tile = folder / "t3/tile/0/000.p/3"
        whole = tile.read_bytes()
        watch(folder, "--tree", "t1")
        tile.write_bytes(whole[:32] + bytes(32) + whole[64:])
        equal(codes(watch(folder, "--tree", "t3", code=1)), [("LEDGER_FORK", "/checkpoint")])
        tile.write_bytes(whole[:64])
        equal(b"too short" in watch(folder, "--tree", "t3", code=2).stderr, True)
        tile.unlink()
        equal(b"the log has no tile/0/000" in watch(folder, "--tree", "t3", code=2).stderr, True)
        tile.write_bytes(whole)
        bundle = folder / "t3/tile/entries/000.p/3"
        entries = bundle.read_bytes()
        bundle.write_bytes(entries[:-4] + b"}}}}")
        equal(b"not the one that was signed" in watch(folder, "--tree", "t3", "--max-age", "1h", code=2).stderr, True)
        bundle.write_bytes(entries)
        equal(codes(watch(folder, "--tree", "t3", "--max-age", "1h", "--now", "2026-02-11T01:45:03Z", code=1)), [("LEDGER_STALE", "/checkpoint")])
        equal(codes(watch(folder, "--tree", "t3", "--max-age", "1h", "--now", "2026-02-11T01:45:02Z")), [])
        (folder / "m/logs" / HASH / "checkpoint").write_text("damaged\n")
        equal(b"is damaged" in watch(folder, "--tree", "t3", code=2).stderr, True)


@claim
def a_checkpoint_that_cannot_be_trusted_is_not_remembered():
    with ledger("one\n") as folder, ledger("one\n") as other:
        do(folder, "ledger", "export", "t1")
        note = folder / "t1/checkpoint"
        text = note.read_text()
        note.write_text(text.replace("\n1\n", "\n2\n"))
        equal(codes(watch(folder, "--tree", "t1", code=1)), [("LEDGER_SIGNATURE_INVALID", "/checkpoint")])
        equal((folder / "m").exists(), False)
        note.write_text(text)
        equal(run("ledger", "watch", "--tree", "t1", "--store", ".baton/store.db", "--vkey", VKEY, "--memory", "m", "--once", cwd=folder).returncode, 2)
        equal(run("ledger", "watch", "--tree", "t1", "--vkey", VKEY, "--once", cwd=folder).returncode, 2)
        equal(run("ledger", "watch", "--url", "ftp://x/", "--vkey", VKEY, "--memory", "m", "--once", cwd=folder).returncode, 2)
        do(other, "ledger", "witness", "init", "w", "--name", "witness.example/w1", "--seed", "7")
        policy = do(folder, "ledger", "policy").stdout.decode().replace("quorum none\n", "")
        key = (other / "w/witness.vkey").read_text().strip()
        (folder / "p").write_text(policy + f"witness w1 {key}\nquorum w1\n")
        equal(codes(watch(folder, "--tree", "t1", keys=("--policy", "p"), code=1)), [("LEDGER_WITNESS_MISSING", "/checkpoint")])
        do(other, "ledger", "witness", "trust", "w", VKEY)
        request = do(folder, "ledger", "prove", "consistency", "0").stdout
        line = do(other, "ledger", "witness", "add", "w", "-", stdin=request).stdout.decode()
        note.write_text(text + line)
        shown = watch(folder, "--tree", "t1", keys=("--policy", "p"))
        equal((facts(shown)["policy"]["met"], facts(shown)["status"]), (True, "same"))
        equal(run("ledger", "watch", "--tree", "t1", "--policy", "p", "--vkey", VKEY, "--memory", "m", "--once", cwd=folder).returncode, 2)


@claim
def evidence_is_kept_up_to_a_hundred_files():
    with ledger("one\n", "two\n") as folder:
        do(folder, "ledger", "export", "t2")
        watch(folder, "--tree", "t2")
        with ledger("one\n") as other:
            do(other, "ledger", "export", "t1")
            evidence = folder / "m/logs" / HASH / "evidence"
            evidence.mkdir()
            for number in range(99):
                (evidence / str(number)).write_text("")
            equal(codes(watch(folder, "--tree", str(other / "t1"), code=1)), [("LEDGER_ROLLBACK", "/checkpoint")])
            equal(len(list(evidence.iterdir())), 100)
            (evidence / "more").write_text("")
            note = other / "t1/checkpoint"
            note.write_text(note.read_text() + "— somebody.example " + "A" * 96 + "\n")  # other bytes, as valid
            equal(codes(watch(folder, "--tree", str(other / "t1"), code=1)), [("LEDGER_ROLLBACK", "/checkpoint")])
            equal(len(list(evidence.iterdir())), 101)


@claim
def a_watch_goes_on_until_a_signal_or_a_finding():
    with ledger("one\n") as folder:
        def begin():
            return subprocess.Popen([BATON, "ledger", "watch", "--tree", "t", "--vkey", VKEY, "--memory", "m", "--every", "1s", "-f", "jsonl"],
                                    cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        watching = begin()  # the log is not there yet: tried again
        do(folder, "ledger", "export", "t")
        until((folder / "m/logs" / HASH / "checkpoint").exists, "a look")
        watching.send_signal(signal.SIGTERM)
        out, _ = watching.communicate(timeout=60)
        equal((watching.returncode, {json.loads(line)["verdict"] for line in out.splitlines() if b'"facts"' in line}), (0, {"accepted"}))
        watching = begin()
        with ledger("other\n") as other:
            do(other, "ledger", "export", "t")
            with tempfile.TemporaryDirectory(dir=folder) as new:
                shutil.copytree(other / "t", pathlib.Path(new) / "t")
                (folder / "t").rename(pathlib.Path(new) / "old")
                (pathlib.Path(new) / "t").rename(folder / "t")
        out, _ = watching.communicate(timeout=60)
        equal((watching.returncode, b"LEDGER_FORK" in out), (1, True))


sys.exit(finish())
