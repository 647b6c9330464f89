# SPDX-License-Identifier: Apache-2.0
"""test_approvals.py BATON - consent: asked for, shown, given for exact bytes, used once, and all of it on record."""
import concurrent.futures
import pathlib
import sqlite3

from block import ID, REQUEST, envelope, fenced, said
from program import claim, equal, finish, folder, on_terminal_with, report, run, told

STORE = ("--store", "s.db")
ANA = ("--actor", "user:ana")


def at(clock):
    return ("--now", f"2026-06-10T{clock}Z")


def ask(place, changes=None, session="s", clock="10:00:00"):
    """The approval that a submitted request leads to."""
    request = {"/approval_request": {**REQUEST, **(changes or {})}}
    result = run("contract", "submit", "-f", "json", *STORE, "--workspace", "w", "--session", session, *at(clock), "-",
                 stdin=fenced(envelope(request, "APPROVAL_REQUEST")), cwd=place)
    equal((result.returncode, told(result)), (0, told(result)))
    return report(result)["submit"]["approval"]


def do(place, act, *words, clock="10:01:00", code=0):
    result = run("approvals", act, "-f", "json", *STORE, *at(clock), *words, cwd=place)
    equal((act, words, result.returncode), (act, words, code))
    return report(result) if code < 2 else None


def grant(place, made, *words, **more):
    return do(place, "grant", made["id"], "--fingerprint", made["fingerprint"], *ANA, *words, **more)


def refused(place, act, *words, **more):
    found = do(place, act, *words, code=1, **more)["findings"]
    equal([(finding["severity"], finding["stage"], finding["pointer"]) for finding in found], [("HARD", "governance", "")])
    return found[0]["code"]


def events(place, identifier):
    return [event["type"] for event in do(place, "show", identifier)["approval"]["events"]]


@claim
def a_pending_request_is_made_once():
    with folder({}) as place:
        first, again, other = ask(place), ask(place, session="t"), ask(place, {"scope": "production"}, session="u")
        equal((first["created"], again["created"], again["id"] == first["id"], other["id"] != first["id"]), (True, False, True, True))
        do(place, "deny", first["id"], *ANA)
        equal(ask(place, session="v")["created"], True)
        named = ask(place, {"approval_id": other["id"], "scope": "production"}, session="x")
        equal((named["id"], named["created"]), (other["id"], False))


@claim
def a_grant_is_for_these_bytes_and_for_one_use():
    with folder({}) as place:
        made = ask(place)
        use = (made["id"], "--command")
        equal(refused(place, "use", *use, "terraform apply"), "APPROVAL_NOT_APPROVED")
        grant(place, made)
        for other in ("terraform apply ", "terraform  apply", "Terraform apply", "/bin/terraform apply", ""):
            equal((other, refused(place, "use", *use, other)), (other, "APPROVAL_MISMATCH"))
        equal(refused(place, "use", *use, "terraform apply", "--agent", "a00000000000000001"), "APPROVAL_MISMATCH")
        equal(refused(place, "use", *use, "terraform apply", "--workspace", "v"), "APPROVAL_MISMATCH")
        equal(do(place, "use", *use, "terraform apply")["granted"], True)
        equal(refused(place, "use", *use, "terraform apply"), "APPROVAL_CONSUMED")
        equal(refused(place, "revoke", made["id"], *ANA), "APPROVAL_CONSUMED")
        equal(events(place, made["id"]), ["REQUESTED", "REFUSED", "APPROVED", *["REFUSED"] * 7, "CONSUMED", "REFUSED", "REFUSED", "SHOWN"])


@claim
def a_person_at_a_terminal_may_type_yes_instead_of_a_fingerprint():
    with folder({}) as place:
        made = ask(place, {"exact_content": "rm -rf \x1b[2Jbuild"})
        words = ("approvals", "grant", made["id"], *STORE, *ANA, *at("10:01:00"))
        for reply, code in (("no\n", 2), ("YES\n", 2), ("\n", 2)):
            found = on_terminal_with(reply, *words, cwd=place)
            equal((reply, found[0], b"rm -rf" in found[1], b"\x1b[2J" in found[1]), (reply, code, True, False))
            equal(do(place, "show", made["id"])["approval"]["status"], "pending")
        equal(on_terminal_with("yes\n", *words, cwd=place)[0], 0)
        equal(do(place, "show", made["id"])["approval"]["grant"]["status"], "active")
        equal(on_terminal_with("yes\n", *words, cwd=place)[0], 1)
        unknown = on_terminal_with("yes\n", "approvals", "grant", "P-" + "0" * 32, *STORE, *ANA, cwd=place)
        equal((unknown[0], b"APPROVAL_UNKNOWN" in unknown[1]), (1, True))
        equal(run(*words, cwd=place).returncode, 2)
        equal(events(place, made["id"])[:6], ["REQUESTED", "SHOWN", "SHOWN", "SHOWN", "SHOWN", "SHOWN"])


@claim
def of_callers_that_race_one_is_granted():
    with folder({}) as place:
        grant(place, ask(place))
        words = ("approvals", "use", *STORE, "--workspace", "w", "--command", "terraform apply", *at("10:02:00"))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            codes = sorted(result.returncode for result in pool.map(lambda _: run(*words, cwd=place), range(4)))
        equal(codes, [0, 1, 1, 1])


@claim
def a_set_of_commands_is_used_in_order():
    with folder({}) as place:
        grant(place, ask(place, {"command_set": ["one", "two"]}))
        words = ("--workspace", "w", "--command")
        equal(refused(place, "use", *words, "two"), "APPROVAL_UNKNOWN")
        equal(do(place, "use", *words, "one")["approval"]["grant"]["status"], "active")
        equal(refused(place, "use", *words, "one"), "APPROVAL_UNKNOWN")
        equal(do(place, "use", *words, "two")["approval"]["grant"], {"status": "consumed", "expires_at": "2026-06-10T11:01:00Z", "used": 2, "uses": 2})
        for number, bad in enumerate(([], "one", ["one", " "], [1], ["x"] * 51, ["x" * 4097])):
            equal((bad, ask(place, {"command_set": bad}, session=str(number))), (bad, None))


SET = ["rm -rf /srv/\u202edata", "git push --force\nls"]
NUMBERED = "  1. rm -rf /srv/\\u202edata\n  2. git push --force\\u000als\n"


@claim
def consent_shows_every_command_that_it_covers():
    with folder({}) as place:
        long = "x" * 4096
        one, made = ask(place, session="t", clock="09:00:00"), ask(place, {"exact_content": "git status", "command_set": [*SET, long], "rollback": ["a"]})
        equal([(item["id"], item["commands"]) for item in do(place, "list")["approvals"]],
              [(one["id"], ["terraform apply"]), (made["id"], [*SET, long])])
        equal(do(place, "show", made["id"])["approval"]["commands"], [*SET, long])
        listed = run("approvals", "list", *STORE, *at("10:01:00"), cwd=place).stdout.decode()
        equal(listed.split("\n")[0].split(), ["ID", "STATUS", "RISK", "AGENT", "REQUESTED", "EXPIRES", "COMMAND"])
        equal(("  terraform apply\n" in listed, ("rm -rf /srv/\\u{202e}data; git push --force\\nls; " + long + "\n") in listed), (True, True))
        shown = run("approvals", "show", made["id"], *STORE, *at("10:01:00"), cwd=place).stdout.decode()
        at_terminal = on_terminal_with("no\n", "approvals", "grant", made["id"], *STORE, *ANA, *at("10:01:00"), cwd=place)[1].decode().replace("\r", "")
        for text in (shown, at_terminal):
            found = [text.find(part) for part in (NUMBERED + "  3. " + long, "operation: ", "scope: staging", "risk: HIGH", 'rollback: ["a"]',
                                                  "verification: no changes", "fingerprint: " + made["fingerprint"])]
            equal((min(found) >= 0, found), (True, sorted(found)))
        equal("git status" in at_terminal, False)
        equal(grant(place, made)["approval"]["commands"], [*SET, long])


@claim
def content_beside_a_set_is_the_set_or_a_part_of_it():
    for exact, differs in (("git status", True), ("a b", True), ("", True), ("a", False), ("b", False), ("a\nb", False), ("a; b", False),
                           ("a && b", False), ("a && bc", True), ("a && ", True), ("aa", True)):
        request = {"/approval_request": {**REQUEST, "exact_content": exact, "command_set": ["a", "b"]}}
        found = [item for item in said(fenced(envelope(request, "APPROVAL_REQUEST"))) if "CONTENT_DIFFERS" in item]
        equal((exact, found), (exact, ["APPROVAL_CONTENT_DIFFERS@WARN /approval_request/exact_content"] if differs else []))


def holds(place, secret):
    """Whether a byte of the store still shows it."""
    return any(secret.encode() in path.read_bytes() for path in pathlib.Path(place).glob("s.db*"))


def redact(place, seq):
    return report(run("ledger", "redact", str(seq), "--reason", "erasure", "-f", "json", *STORE, *at("10:05:00"), cwd=place))


@claim
def redacting_a_report_empties_the_requests_that_it_made():
    with folder({}) as place:
        made = {name: ask(place, {"operation": f"open-sesame {name}", "exact_content": f"run {name}"}, session=name)
                for name in ("pending", "granted", "used", "rejected", "revoked", "stays")}
        for name in ("granted", "used", "revoked"):
            grant(place, made[name])
        do(place, "use", made["used"]["id"], "--command", "run used")
        do(place, "deny", made["rejected"]["id"], *ANA)
        do(place, "revoke", made["revoked"]["id"], *ANA)
        entries = report(run("ledger", "tail", "-n", "100", "-f", "json", *STORE, cwd=place))["entries"]
        asked = {item["entry"]["refs"]["approval"]: item["entry"]["refs"]["parent"] for item in entries if item["entry"].get("refs", {}).get("event") == "REQUESTED"}
        equal((len(asked), holds(place, "open-sesame")), (6, True))
        before = {item["id"]: (item["status"], item["grant"]) for item in do(place, "list")["approvals"]}
        for name, request in made.items():
            if name == "stays":
                continue
            done = redact(place, asked[request["id"]])
            equal((name, done["redacted"]["approvals"], done["already"]), (name, [request["id"]], False))
            again = redact(place, asked[request["id"]])
            equal((name, again["redacted"]["approvals"], again["already"]), (name, [], True))
            shown = do(place, "show", request["id"], clock="10:06:00")["approval"]
            equal((name, shown["redacted"], shown["payload"], shown["operation"], shown["exact_content"], shown["commands"], shown["fingerprint"]),
                  (name, True, None, None, None, [], request["fingerprint"]))
            is_open = name in ("pending", "granted")
            equal((name, shown["status"], shown["grant"] and shown["grant"]["status"]),
                  (name, "revoked" if is_open else before[request["id"]][0], "revoked" if name == "granted" else before[request["id"]][1] and before[request["id"]][1]["status"]))
            equal((name, [event["type"] for event in shown["events"]].count("REVOKED")), (name, 1 if is_open or name == "revoked" else 0))
            equal((name, refused(place, "use", request["id"], "--command", f"run {name}")), (name, {"used": "APPROVAL_CONSUMED"}.get(name, "APPROVAL_NOT_APPROVED")))
            text = run("approvals", "show", request["id"], *STORE, *at("10:06:00"), cwd=place)
            equal((name, text.returncode, "redacted: " in text.stdout.decode()), (name, 0, True))
            equal((name, holds(place, f"open-sesame {name}")), (name, False))
        last = report(run("ledger", "tail", "-n", "100", "--kind", "approval", "-f", "json", *STORE, cwd=place))["entries"]
        reasons = [item["entry"]["refs"].get("reason") for item in last if item["entry"]["refs"]["event"] == "REVOKED"]
        equal(sorted(reasons, key=str), sorted([None, "redacted", "redacted"], key=str))
        equal([item["commands"] for item in do(place, "list")["approvals"] if item["id"] == made["stays"]["id"]], [["run stays"]])
        equal((run("store", "check", *STORE, cwd=place).returncode, run("ledger", "verify", *STORE, cwd=place).returncode), (0, 0))
        # The same request can be made again, and is another one.
        equal(ask(place, {"operation": "open-sesame pending", "exact_content": "run pending", "scope": "new"}, session="again", clock="10:07:00")["created"], True)


@claim
def what_an_older_version_left_behind_is_emptied_by_the_same_command():
    with folder({}) as place:
        made = ask(place, {"operation": "open-sesame"})
        with sqlite3.connect(pathlib.Path(place) / "s.db") as database:
            payload = database.execute("SELECT payload FROM approval").fetchone()[0]
        redact(place, 0)
        with sqlite3.connect(pathlib.Path(place) / "s.db") as database:  # as a version did that knew only of documents
            database.execute("UPDATE approval SET payload = ?", (payload,))
        equal(holds(place, "open-sesame"), True)
        equal(redact(place, 0)["redacted"]["approvals"], [made["id"]])
        equal((holds(place, "open-sesame"), run("store", "check", *STORE, cwd=place).returncode), (False, 0))


@claim
def deadlines_end_requests_and_grants():
    with folder({}) as place:
        made = ask(place)
        grant(place, made, "--ttl", "5m")
        equal(refused(place, "use", made["id"], "--command", "terraform apply", clock="10:06:00"), "APPROVAL_EXPIRED")
        equal(do(place, "list", "--status", "expired")["approvals"][0]["grant"]["status"], "expired")
        equal(events(place, made["id"]), ["REQUESTED", "APPROVED", "EXPIRED", "REFUSED", "SHOWN"])
    with folder({}) as place:
        made = ask(place)
        grant(place, made, "--ttl", "5m")
        equal(do(place, "use", made["id"], "--command", "terraform apply", clock="10:05:59")["granted"], True)


@claim
def only_a_person_who_saw_it_decides():
    with folder({}) as place:
        made = ask(place)
        equal(refused(place, "grant", made["id"], "--fingerprint", "0" * 64, *ANA), "APPROVAL_TAMPERED")
        for actor in (ID, f"serve/{ID}"):
            equal((actor, refused(place, "deny", made["id"], "--actor", actor)), (actor, "APPROVAL_SELF"))
        for words in ((made["id"], "--fingerprint", made["fingerprint"]), (made["id"], *ANA), ("P-12", "--fingerprint", made["fingerprint"], *ANA),
                      (made["id"], "--fingerprint", "AB", *ANA), (made["id"], "--fingerprint", made["fingerprint"], *ANA, "--ttl", "25h")):
            do(place, "grant", *words, code=2)
        equal(do(place, "list")["approvals"][0]["status"], "pending")
        equal(do(place, "revoke", made["id"], *ANA)["approval"]["grant"], None)


@claim
def every_event_is_an_entry_and_the_store_agrees():
    with folder({}) as place:
        made = ask(place)
        do(place, "deny", made["id"], *ANA, "--reason", "nein, weil \u00fc")
        entries = [entry["entry"] for entry in report(run("ledger", "tail", "-f", "json", *STORE, cwd=place))["entries"]]
        equal([(entry["kind"], entry["actor"], entry.get("refs", {}).get("event")) for entry in entries],
              [("handoff", "cli", None), ("approval", "cli", "REQUESTED"), ("approval", "user:ana", "REJECTED")])
        equal((entries[1]["refs"]["parent"], entries[2]["refs"]["reason"], entries[2]["document"]["kept"]), (0, "see-document", True))
        equal((run("store", "check", *STORE, cwd=place).returncode, run("ledger", "verify", *STORE, cwd=place).returncode), (0, 0))
        equal(refused(place, "show", "P-" + "f" * 32), "APPROVAL_UNKNOWN")


finish()
