# SPDX-License-Identifier: Apache-2.0
"""test_gate.py BATON - contract blocks before a store: states, limits, what is remembered and what is not."""
import hashlib
import itertools
import json

from block import ID, envelope, fenced
from program import claim, equal, expect, finish, folder, report, run, told

NOW = ("--now", "2026-06-10T10:00:00Z")
STORE = ("--store", "s.db")
STATUSES = ("IN_PROGRESS", "APPROVAL_REQUEST", "COMPLETE", "BLOCKED", "NEEDS_INPUT")
REQUEST = {"operation": "apply", "exact_content": "terraform apply", "scope": "staging", "risk_level": "HIGH", "rollback": "old", "verification": "ok"}


def message(status, changes=None):
    more = {"/approval_request": REQUEST} if status == "APPROVAL_REQUEST" else {}
    return fenced(envelope({**more, **(changes or {})}, status))


def submit(place, text, *flags, code=None):
    """The report about one message."""
    result = run("contract", "submit", "-f", "json", *STORE, "--workspace", "w", "--session", "s", *NOW, *flags, "-", stdin=text, cwd=place)
    if code is not None:
        equal((result.returncode, told(result)), (code, told(result)))
    return report(result) if result.returncode < 2 else None


def codes(made):
    return [finding["code"] for finding in made["documents"][0]["findings"]]


def states(place, *flags):
    return report(run("contract", "state", "-f", "json", *STORE, *flags, cwd=place))["agents"]


def entries(place):
    return [entry["entry"] for entry in report(run("ledger", "tail", "-f", "json", *STORE, cwd=place))["entries"]]


# ---- States

@claim
def only_in_progress_follows_a_status_that_waits():
    for number, (before, after) in enumerate(itertools.product(STATUSES, STATUSES)):
        with folder({}) as place:
            submit(place, message(before), code=0)
            allowed = before == "IN_PROGRESS" or after == "IN_PROGRESS"
            made = submit(place, message(after), "--transitions", "strict", code=0 if allowed else 1)
            told = ["IN_PROGRESS_RETRY"] if before == after == "IN_PROGRESS" else [] if allowed else ["ILLEGAL_TRANSITION"]
            equal((number, codes(made)), (number, told))
            equal(made["submit"]["state"]["previous"], before)
            equal(made["submit"]["state"]["current"], after if allowed else before)
            equal(states(place)[0]["state"], after if allowed else before)


@claim
def the_fourth_in_progress_is_refused_and_changes_nothing():
    with folder({}) as place:
        counts = [submit(place, message("IN_PROGRESS"))["submit"]["state"]["in_progress_count"] for _ in range(5)]
        equal(counts, [1, 2, 3, 3, 3])
        last = submit(place, message("IN_PROGRESS"), code=1)["documents"][0]["findings"][0]
        equal((last["code"], last["pointer"], last["params"]), ("IN_PROGRESS_RETRY_CAP", "/agent_status/plan_status", {"count": 4, "retries": 3, "cap": 2}))
        equal(submit(place, message("COMPLETE"), code=0)["submit"]["state"]["in_progress_count"], 0)


@claim
def a_report_rejected_for_another_reason_leaves_the_state():
    with folder({}) as place:
        submit(place, message("IN_PROGRESS"), code=0)
        bad = submit(place, message("COMPLETE", {"/evidence_report/verification": {"result": "fail"}}), code=1)
        equal((codes(bad), bad["submit"]["state"]["current"], bad["submit"]["updates"], bad["submit"]["approval"]),
              (["VERIFICATION_RESULT_MUST_BE_PASS"], "IN_PROGRESS", [], None))
        equal([(agent["state"], agent["rejections"]) for agent in states(place)], [("IN_PROGRESS", 1)])


@claim
def agents_are_apart_by_workspace_session_and_id():
    with folder({}) as place:
        submit(place, message("COMPLETE"), code=0)
        for flags in (("--session", "t"), ("--workspace", "v")):
            submit(place, message("COMPLETE"), *flags, code=0)
        submit(place, message("COMPLETE", {"/agent_status/agent_id": "a00000000000000001"}), code=0)
        equal([(agent["workspace"], agent["session"], agent["agent_id"]) for agent in states(place)],
              [("v", "s", ID), ("w", "s", "a00000000000000001"), ("w", "s", ID), ("w", "t", ID)])
        equal(len(states(place, "--workspace", "w", "--session", "s")), 2)


# ---- Rejections

@claim
def the_limit_escalates_until_a_good_report():
    with folder({}) as place:
        seen = []
        for text in ("x", "x", "x", message("IN_PROGRESS"), "x"):
            made = submit(place, text, "--max-rejections", "2", "--runtime-agent-id", ID)
            seen.append((made["submit"]["outcome"], made["submit"]["attempt"], "CONTRACT_REJECTION_LIMIT" in codes(made)))
        equal(seen, [("sent_back", 1, False), ("sent_back", 2, False), ("escalated", 3, True), ("accepted", 0, False), ("sent_back", 1, False)])


@claim
def a_good_report_of_somebody_clears_nobody():
    with folder({}) as place:
        equal(submit(place, "x", code=1)["submit"]["agent_id"], "-")
        submit(place, message("IN_PROGRESS"), "--runtime-agent-id", ID, code=0)
        equal([agent["agent_id"] for agent in states(place)], ["-", ID])
        submit(place, message("COMPLETE"), code=0)
        equal([agent["agent_id"] for agent in states(place)], [ID])


@claim
def a_foreign_id_counts_against_the_host_s_agent():
    with folder({}) as place:
        made = submit(place, message("COMPLETE"), "--runtime-agent-id", "a00000000000000001", code=1)
        equal((codes(made), made["submit"]["agent_id"]), (["AGENT_ID_MISMATCH"], "a00000000000000001"))
        equal([(agent["agent_id"], agent["state"]) for agent in states(place)], [("a00000000000000001", None)])


# ---- The record

@claim
def every_decision_is_one_entry_that_verifies():
    with folder({}) as place:
        made = submit(place, message("COMPLETE"), code=0)
        submit(place, message("COMPLETE"), "--actor", "ci", "--transitions", "strict", code=1)
        record = made["documents"][0]["record"]
        found = entries(place)
        equal([(entry["kind"], entry["dialect"], entry["verdict"], entry["source"], entry["actor"], entry["codes"]) for entry in found],
              [("handoff", "contract", "accepted", ID, "cli", []), ("handoff", "contract", "rejected", ID, "ci", ["ILLEGAL_TRANSITION"])])
        equal((record["seq"], record["document"]["kept"]), (0, True))
        checked = run("store", "check", *STORE, cwd=place)
        equal((checked.returncode, run("ledger", "verify", *STORE, cwd=place).returncode), (0, 0))


@claim
def a_dry_run_judges_and_leaves_no_trace():
    with folder({}) as place:
        submit(place, message("COMPLETE"), code=0)
        made = submit(place, message("COMPLETE"), "--dry-run", "--transitions", "strict", code=1)
        equal((codes(made), made["documents"][0]["record"]), (["ILLEGAL_TRANSITION"], None))
        equal((len(entries(place)), states(place)[0]["rejections"]), (1, 0))
    with folder({}) as place:
        submit(place, message("COMPLETE"), "--dry-run", code=2)


@claim
def clearing_needs_an_agent_and_is_recorded():
    with folder({}) as place:
        submit(place, message("COMPLETE"), code=0)
        equal(run("contract", "state", *STORE, "--clear", cwd=place).returncode, 2)
        for cleared in (1, 0):
            result = run("contract", "state", "-f", "json", *STORE, "--agent", ID, "--clear", cwd=place)
            equal((result.returncode, report(result)), (0, {"baton": 1, "cleared": cleared}))
        equal([(entry["kind"], entry.get("refs")) for entry in entries(place)[1:]], [("unblock", {"agent": ID, "reason": "state-cleared"})])
        equal(states(place), [])


@claim
def a_store_is_made_only_where_it_was_named():
    with folder({"m.md": message("COMPLETE")}) as place:
        for words in (("submit", "m.md"), ("state", *STORE), ("state",)):
            equal((words, expect(run("contract", *words, cwd=place), 2, err="").stdout), (words, b""))


# ---- Sections

INPUT = {"write_permissions": {"writable_sections": ["services", "infra structure"]}}


def update(*entries, status="IN_PROGRESS"):
    return message(status, {"/update_contracts": [{"contract": name, "payload": payload} for name, payload in entries]})


def sections(place, *flags, code=0):
    result = run("contract", "sections", "-f", "json", *STORE, "--workspace", "w", *flags, cwd=place)
    equal(result.returncode, code)
    return report(result)["history" if "--history" in flags else "sections"]


@claim
def updates_of_one_block_are_merged_in_order():
    with folder({"in.json": json.dumps(INPUT)}) as place:
        made = submit(place, update(("services", {"a": [1]}), ("services", {"a": [2, 1.0], "b": None})), "--input", "in.json", code=0)
        equal(made["submit"]["updates"], [{"contract": "services", "mode": "insert"}, {"contract": "services", "mode": "merge"}])
        equal(sections(place), {"services": {"a": [1, 2], "b": None}})
        equal([version["value"] for version in sections(place, "--history", "services")], [{"a": [1]}, {"a": [1, 2], "b": None}])
        equal(sections(place, "nothing", code=1), {})


@claim
def what_may_not_be_written_stops_everything():
    with folder({"in.json": json.dumps(INPUT)}) as place:
        for text, flags in ((update(("services", {"a": 1}), ("identity", {})), ("--input", "in.json")), (update(("services", {"a": 1})), ())):
            made = submit(place, text, *flags, "--off-list", "reject", code=1)
            equal((codes(made), made["submit"]["updates"]), (["UPDATE_CONTRACTS_NOT_WRITABLE"], []))
        equal((sections(place), [entry["kind"] for entry in entries(place)]), ({}, ["handoff", "handoff"]))


@claim
def applied_sections_are_entries_below_the_handoff():
    with folder({"in.json": json.dumps(INPUT)}) as place:
        submit(place, update(("services", {"a": 1}), ("infra structure", {"a": 1})), "--input", "in.json", code=0)
        submit(place, update(("services", {"a": 1}), status="BLOCKED"), "--input", "in.json", code=0)
        submit(place, update(("services", {"a": {}})), "--input", "in.json", code=0)
        found = entries(place)
        digest = [hashlib.sha256(text).hexdigest() for text in (b'{"a":1}', b'{"a":{}}')]
        equal([entry["kind"] for entry in found], ["handoff", "context", "context", "handoff", "handoff", "context"])
        unpinned = lambda entry: {name: value for name, value in entry["refs"].items() if name != "pinned"}
        equal(unpinned(found[1]), {"after": digest[0], "context": "services", "parent": 0})
        equal(found[2]["refs"]["context"], "sha256:" + hashlib.sha256(b"infra structure").hexdigest())
        equal(unpinned(found[5]), {"after": digest[1], "before": digest[0], "context": "services", "parent": 4})
        equal(run("store", "check", *STORE, cwd=place).returncode, 0)


@claim
def merging_is_told_at_the_entry_and_secrets_are_not_stored():
    with folder({"in.json": json.dumps(INPUT)}) as place:
        submit(place, update(("services", {"a": 1, "l": [{"name": "x"}]})), "--input", "in.json", code=0)
        made = submit(place, update(("services", {"a": [1], "l": [{"name": "x", "y": 1}], "r": "https://u:token@h.example/o/r.git:t/n"})),
                      "--input", "in.json", code=0)
        equal([(finding["code"], finding["pointer"]) for finding in made["documents"][0]["findings"]],
              [("CROSS_REPO_REF", "/update_contracts/0/payload/r"), ("IN_PROGRESS_RETRY", "/agent_status/plan_status"),
               ("MERGE_TYPE_CHANGE", "/update_contracts/0/payload/a"), ("MERGE_SAME_NAME", "/update_contracts/0/payload/l")])
        equal(sections(place)["services"]["r"], "h.example/o/r:t/n")


@claim
def an_input_is_kept_for_somebody_and_must_be_usable():
    with folder({"in.json": json.dumps(INPUT), "bad.json": '{"write_permissions":1}'}) as place:
        for words in (("in.json",), ("in.json", "--agent", ID, "--agent-type", "t"), ("bad.json", "--agent", ID)):
            equal((words, expect(run("contract", "input", *STORE, *words, cwd=place), 2, err="").stdout), (words, b""))
        for _ in range(2):
            result = run("contract", "input", "-f", "json", *STORE, "--workspace", "w", "--agent", "A80177-B959", "in.json", cwd=place)
            equal((result.returncode, report(result)), (0, {"baton": 1, "stored": True}))
        equal([(entry["kind"], entry["refs"]["context"]) for entry in entries(place)], [("context", "input/agent/aa80177b959")])
        equal(sections(place), {})


# ---- Workspaces

@claim
def the_workspace_is_the_repository_or_the_folder():
    for config, name in (('[remote "origin"]\n\turl = https://user:secret@GitHub.com/Org/Repo.git # x\n', "github.com/org/repo"),
                         ('[remote "fork"]\nurl = h.example:a/b\n[remote "origin"]\n  url = "git@h.example:O/R.git"\n', "h.example/o/r"),
                         ('[remote "origin"]\nurl = file:///srv/r.git\n', "project"), (None, "project")):
        files = {"Project/m.md": message("COMPLETE")}
        if config:
            files["Project/.git/config"] = config
        with folder(files) as place:
            made = report(run("contract", "submit", "-f", "json", *STORE, "--root", "Project", "Project/m.md", cwd=place))
            equal((config, made["submit"]["workspace"], made["submit"]["session"]), (config, name, "default"))


# ---- Through ledger append

def append(place, *words, code=0):
    result = run("ledger", "append", "-f", "json", *STORE, *NOW, *words, cwd=place)
    equal((result.returncode, told(result)), (code, told(result)))
    return report(result)


def with_ledger(files):
    place = folder(files)
    equal(run("ledger", "init", "--origin", "ledger.example/team", "--seed", "1", *STORE, cwd=place.name).returncode, 0)
    return place


@claim
def appending_a_block_is_submitting_it():
    files = {"a.contract.md": message("IN_PROGRESS"), "b.contract.md": message("COMPLETE"), "raw.txt": "hello"}
    with with_ledger(files) as place:
        made = append(place, "a.contract.md", "--raw", "raw.txt", "b.contract.md")
        equal([document["dialect"] for document in made["documents"]], ["contract", "raw", "contract"])
        first, raw, second = made["documents"]
        equal((first["submit"]["state"]["previous"], first["submit"]["state"]["current"]), (None, "IN_PROGRESS"))
        equal((second["submit"]["state"]["previous"], second["submit"]["state"]["current"]), ("IN_PROGRESS", "COMPLETE"))
        equal([document["record"]["seq"] for document in (first, raw, second)], [0, 1, 2])
        equal({document["record"]["tree_size"] for document in made["documents"]}, {3})
        equal("submit" in raw, False)
        equal([(entry["dialect"], entry.get("source")) for entry in entries(place)],
              [("contract", ID), ("raw", None), ("contract", ID)])
        equal([agent["state"] for agent in states(place)], ["COMPLETE"])


@claim
def a_block_that_the_state_forbids_is_recorded_as_a_refusal():
    with with_ledger({"a.contract.md": message("COMPLETE"), "baton.yaml": "contract: {transitions: strict}\n"}) as place:
        append(place, "a.contract.md")
        made = append(place, "a.contract.md", code=1)
        equal((codes(made), made["documents"][0]["submit"]["outcome"]), (["ILLEGAL_TRANSITION"], "sent_back"))
        equal([entry["verdict"] for entry in entries(place)], ["accepted", "rejected"])


@claim
def an_id_of_a_block_is_used_once_and_a_replay_changes_no_state():
    with with_ledger({"a.contract.md": message("IN_PROGRESS"), "b.contract.md": message("COMPLETE")}) as place:
        append(place, "a.contract.md", "--id", "H-1")
        made = append(place, "b.contract.md", "--id", "h-1", code=1)
        equal(codes(made), ["REPLAYED_ID"])
        equal((made["documents"][0]["submit"]["outcome"], states(place)[0]["state"]), ("sent_back", "IN_PROGRESS"))
        equal([entry.get("handoff_id") for entry in entries(place)], ["h-1", "h-1"])


@claim
def one_document_that_cannot_be_judged_stops_the_whole_run():
    with with_ledger({"a.contract.md": message("IN_PROGRESS")}) as place:
        result = run("ledger", "append", *STORE, *NOW, "a.contract.md", "absent.json", cwd=place)
        equal((result.returncode, entries(place), states(place)), (2, [], []))


finish()
