# SPDX-License-Identifier: Apache-2.0
"""test_failing.py BATON SYNC WRITE - stores that hang, are full, became read-only or whose disk fails: what passes, what is refused, what is missing."""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import SANITIZED, claim, claim_if, equal, expect, finish, run, until  # noqa: E402
from wrapped import READ, SEND, SERVER, Session, entries, locked, place_with, record, refusal  # noqa: E402

SYNC, WRITE = (str(pathlib.Path(path).resolve()) for path in sys.argv[2:4])
FAULTS = ("full", "read-only")


def passed(place):
    """The calls that reached the server."""
    received = [json.loads(line) for line in pathlib.Path(place, "received").read_text(encoding="utf-8").splitlines()]
    return [message["id"] for message in received if message.get("method") == "tools/call"]


def begin(place, *flags):
    """A session whose disk takes no writes to the store while the file `fail` is there."""
    return Session(place, *flags, env={"LD_PRELOAD": WRITE, "BATON_FAIL_WRITE": "fail"})


def break_disk(place, fault):
    pathlib.Path(place, "fail").write_text(fault, encoding="utf-8")


def mend_disk(place):
    pathlib.Path(place, "fail").unlink()


@claim
def with_fail_open_every_call_that_is_missing_is_in_a_gap():
    with place_with() as place:
        session = Session(place, "--fail", "open")
        equal(session.ask(1, "send")["result"]["content"][0]["text"], "send")
        until(lambda: len(entries(place)) == 1, "the first record")
        with locked(place):
            equal([session.ask(number, "send")["id"] for number in (2, 3, 4)], [2, 3, 4])
            session.await_failure()
            equal(session.ask(5, "send")["id"], 5)
        facts, _ = session.end()
        found = [(entry["refs"]["event"], record(place, entry["seq"]).get("missing")) for entry in entries(place)]
        missing = sum(count or 0 for event, count in found if event == "gap")
        returned = sum(event == "returned" for event, _ in found)
        equal((returned, missing), (facts["recorded"], facts["unrecorded"]))
        equal(returned + missing, facts["calls"]["total"])
        gap = next(record(place, entry["seq"]) for entry in entries(place) if entry["refs"]["event"] == "gap")
        equal((gap["n"], gap["name"], gap["class"]), (2, "", None))
        expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)


@claim
def with_fail_closed_no_call_passes_while_the_store_fails():
    """The control is the claim before: with `open` they pass."""
    with place_with() as place:
        session = Session(place, "--fail", "closed", "--wait", "durable")
        equal(refusal(session.ask(1, "send")), None)
        with locked(place):
            withheld = session.ask(2, "send")
            equal((refusal(withheld), "was executed" in withheld["result"]["content"][0]["text"]), ("WRAP_RECORD_FAILED", True))
            refused = [session.ask(number, "send") for number in (3, 4, 5)]
            equal([refusal(answer) for answer in refused], ["WRAP_RECORD_FAILED"] * 3)
            equal(any("was executed" in answer["result"]["content"][0]["text"] for answer in refused), False)
        equal(until(lambda: refusal(session.ask(8, "send")) is None, "the store works again"), True)
        facts, _ = session.end()
        received = [json.loads(line) for line in pathlib.Path(place, "received").read_text(encoding="utf-8").splitlines()]
        passed = [message["id"] for message in received if message.get("method") == "tools/call"]
        equal(passed, [1, 2, 8])
        equal(facts["calls"]["withheld"], 1)
        equal(sum(entry["refs"]["event"] == "returned" for entry in entries(place)), 2)


@claim
def by_default_only_tools_that_read_pass_while_the_store_fails():
    with place_with() as place:
        expect(run("wrap", "pin", "--name", "s", "--", *SERVER, cwd=place), 0)
        session = Session(place)
        with locked(place):
            equal(session.ask(1, "read")["id"], 1)
            session.await_failure()
            equal(refusal(session.ask(2, "send")), "WRAP_RECORD_FAILED")
            equal(refusal(session.ask(3, "read")), None)
        session.end()


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def after_a_sync_that_failed_nothing_more_is_written_and_the_exit_code_is_2():
    with place_with() as place:
        session = Session(place, "--fail", "open", "--wait", "durable", env={"LD_PRELOAD": SYNC, "BATON_FAIL_SYNC": "fail"})
        equal(refusal(session.ask(1, "send")), None)
        pathlib.Path(place, "fail").write_text("", encoding="utf-8")
        equal(refusal(session.ask(2, "send")), None)
        pathlib.Path(place, "fail").unlink()
        equal([refusal(session.ask(number, "send")) for number in (3, 4)], [None, None])
        facts, _ = session.end(code=2)
        equal((facts["recorded"], facts["unrecorded"]), (1, 3))
        equal(len(entries(place)) in (1, 2), True)  # the disk may have it, but nobody was told so


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def a_full_or_read_only_disk_refuses_what_writes_and_nothing_is_answered_without_a_record():
    """The control: without `durable` the call that found the disk broken is answered and not on record."""
    for fault in FAULTS:
        with place_with() as place:
            session = begin(place, "--fail", "closed", "--wait", "durable")
            equal(refusal(session.ask(1, "send")), None)
            break_disk(place, fault)
            withheld = session.ask(2, "send")
            equal((fault, refusal(withheld), "was executed" in withheld["result"]["content"][0]["text"]), (fault, "WRAP_RECORD_FAILED", True))
            equal([refusal(session.ask(number, name)) for number, name in ((3, "send"), (4, "read"))], ["WRAP_RECORD_FAILED"] * 2)
            equal((fault, passed(place)), (fault, [1, 2]))
            mend_disk(place)
            if fault == "full":
                until(lambda: refusal(session.ask(5, "send")) is None, "the disk works again")
            else:  # a commit that ended with an error of the disk may be there or not
                equal(refusal(session.ask(5, "send")), "WRAP_RECORD_FAILED")
            facts, _ = session.end(code=0 if fault == "full" else 2)
            equal((fault, sum(entry["refs"]["event"] == "returned" for entry in entries(place))), (fault, facts["calls"]["returned"]))
            expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)
    with place_with() as place:
        session = begin(place, "--fail", "closed", "--wait", "none")
        break_disk(place, "full")
        equal(refusal(session.ask(1, "send")), None)
        session.await_failure()
        equal(refusal(session.ask(2, "send")), "WRAP_RECORD_FAILED")
        facts, _ = session.end()
        equal((facts["recorded"], facts["unrecorded"] > 0, entries(place)), (0, True, []))


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def a_full_or_read_only_disk_leaves_every_call_that_passed_in_a_gap_or_the_exit_code_is_2():
    for fault, missing in (("full", 3), ("read-only", 4)):
        with place_with() as place:
            session = begin(place, "--fail", "open", "--wait", "durable")
            equal(refusal(session.ask(1, "send")), None)
            break_disk(place, fault)
            equal((fault, [refusal(session.ask(number, "send")) for number in (2, 3, 4)]), (fault, [None] * 3))
            mend_disk(place)
            equal(refusal(session.ask(5, "send")), None)
            facts, _ = session.end(code=0 if fault == "full" else 2)
            found = [(entry["refs"]["event"], record(place, entry["seq"]).get("missing", 0)) for entry in entries(place)]
            equal((fault, facts["recorded"], facts["unrecorded"]), (fault, 5 - missing, missing))
            equal((fault, sum(event == "returned" for event, _ in found)), (fault, facts["recorded"]))
            equal((fault, sum(count for _, count in found)), (fault, missing if fault == "full" else 0))
            expect(run("ledger", "verify", "--store", "s.db", cwd=place), 0)


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def a_grant_is_not_used_and_no_key_is_taken_while_the_disk_is_full():
    """Approvals and keys need the store whatever `fail` says. The control: with a disk that works both calls pass."""
    with place_with() as place:
        session = begin(place, "--fail", "open", "--approve", "send", "--workspace", "w")
        equal(refusal(session.ask(1, "send", to="a")), "WRAP_APPROVAL_REQUIRED")
        (asked,) = json.loads(expect(run("approvals", "list", "--store", "s.db", "-f", "json", cwd=place), 0).stdout)["approvals"]
        expect(run("approvals", "grant", asked["id"], "--fingerprint", asked["fingerprint"], "--actor", "boss", "--store", "s.db", cwd=place), 0)
        keyed = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "read", "_meta": {"baton/idempotency-key": "k"}}}
        break_disk(place, "full")
        equal(refusal(session.ask(2, "send", to="a")), "WRAP_RECORD_FAILED")
        session.say(keyed)
        equal((refusal(session.hear()), passed(place)), ("WRAP_RECORD_FAILED", []))
        mend_disk(place)
        until(lambda: refusal(session.ask(4, "send", to="a")) is None, "the disk works again")
        session.say({**keyed, "id": 5})
        equal((refusal(session.hear()), passed(place)), (None, [4, 5]))
        session.end()


@claim_if(not SANITIZED, "the sanitizer wants to be loaded first")
def a_store_that_cannot_be_written_at_the_start_starts_no_server():
    with place_with(fail="read-only") as place:
        words = ["wrap", "--name", "s", "--store", "s.db", "--", *SERVER]
        broken = run(*words, cwd=place, stdin=b"", env={"LD_PRELOAD": WRITE, "BATON_FAIL_WRITE": "fail"})
        equal((broken.returncode, broken.stdout, b"cannot make s.db: Read-only file system" in broken.stderr, pathlib.Path(place, "received").exists()), (2, b"", True, False))
    with place_with() as place:  # the control: the same command with a disk that works
        expect(run(*words, cwd=place, stdin=b""), 0, err="made sqlite:s.db")


sys.exit(finish())
