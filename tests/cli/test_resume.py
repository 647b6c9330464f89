# SPDX-License-Identifier: Apache-2.0
"""test_resume.py BATON - how one report follows another: transitions, resumed agents, retries; and what of a report is not counted."""
import json

from block import ID, REQUEST, envelope, fenced
from program import claim, equal, expect, finish, folder, report, run

PLACE = ("--store", "s.db", "--workspace", "w")


def submit(place, body, *flags, session="s1", code=None):
    result = run("contract", "submit", "-f", "json", *PLACE, "--session", session, *flags, "-", stdin=fenced(body), cwd=place)
    if code is not None:
        equal((result.returncode, result.stderr if code == 2 else b""), (code, b""))
    return report(result)


def found(answer):
    return [f"{finding['code']}@{finding['severity']}" for finding in answer["documents"][0]["findings"] if finding["severity"] != "INFO"]


def states(place):
    return json.loads(run("contract", "state", "-f", "json", "--store", "s.db", cwd=place).stdout)["agents"]


def resume(place, agent=ID, *flags):
    return json.loads(expect(run("contract", "resume", "-f", "json", "--store", "s.db", "--agent", agent, *flags, cwd=place), 0).stdout)


def entries(place):
    return json.loads(run("store", "info", "-f", "json", "--store", "s.db", cwd=place).stdout)


ENDS = ("APPROVAL_REQUEST", "COMPLETE", "BLOCKED", "NEEDS_INPUT")


def body(status):
    return envelope({"/approval_request": REQUEST} if status == "APPROVAL_REQUEST" else {}, status=status)


@claim
def every_pair_of_statuses_is_judged_by_the_table():
    for before in ENDS:
        for after in ("IN_PROGRESS", *ENDS):
            for marked in (False, True):
                for flags in ((), ("--transitions", "strict")):
                    with folder({}) as place:
                        submit(place, body(before), code=0)
                        if marked:
                            equal(resume(place), {"baton": 1, "resumed": 1})
                        legal = marked or after == "IN_PROGRESS"
                        answer = submit(place, body(after), *flags, code=0 if legal or not flags else 1)
                        equal((before, after, marked, found(answer)),
                              (before, after, marked, [] if legal else ["ILLEGAL_TRANSITION@HARD" if flags else "ILLEGAL_TRANSITION@WARN"]))
                        equal(answer["submit"]["state"]["resumed"], marked)
                        equal(states(place)[0]["resumed"], False)


@claim
def a_rejected_report_keeps_the_mark_and_an_accepted_one_clears_it():
    with folder({}) as place:
        submit(place, body("NEEDS_INPUT"), code=0)
        resume(place)
        submit(place, envelope({"/agent_status/next_action": ""}, status="COMPLETE"), code=1)
        equal(states(place)[0]["resumed"], True)
        equal(found(submit(place, body("COMPLETE"), code=0)), [])
        equal(states(place)[0]["resumed"], False)


@claim
def the_mark_gives_an_agent_in_progress_no_more_retries():
    with folder({}) as place:
        equal([found(submit(place, body("IN_PROGRESS"))) for _ in range(4)],
              [[], ["IN_PROGRESS_RETRY@WARN"], ["IN_PROGRESS_RETRY@WARN"], ["IN_PROGRESS_RETRY_CAP@HARD"]])
        resume(place)
        equal(found(submit(place, body("IN_PROGRESS"), code=1)), ["IN_PROGRESS_RETRY_CAP@HARD"])
        equal(states(place)[0]["in_progress_count"], 3)


@claim
def resuming_is_no_entry_and_nobody_is_made_up():
    with folder({}) as place:
        submit(place, body("BLOCKED"), code=0)
        submit(place, {}, session="s2", code=1)  # an agent that only had rejections
        before = run("ledger", "checkpoint", "--store", "s.db", cwd=place).stdout
        equal(resume(place)["resumed"], 1)
        equal(resume(place, ID, "--session", "s9"), {"baton": 1, "resumed": 0})
        equal(resume(place, "-")["resumed"], 0)
        equal(run("ledger", "checkpoint", "--store", "s.db", cwd=place).stdout.split(b"\n")[:3], before.split(b"\n")[:3])
        equal(len(states(place)), 2)
        expect(run("contract", "resume", "--store", "s.db", cwd=place), 2, err="--agent ID")
        expect(run("contract", "resume", "--store", "none.db", "--agent", ID, cwd=place), 2, err="")


@claim
def every_decision_about_its_request_resumes_an_agent():
    for decide in (("grant", "--fingerprint", None), ("deny",), ("revoke",), ("list", "--now", "2026-06-12T10:00:00Z")):
        with folder({}) as place:
            made = submit(place, body("APPROVAL_REQUEST"), "--now", "2026-06-10T10:00:00Z", code=0)["submit"]["approval"]
            flags = [made["fingerprint"] if word is None else word for word in decide[1:]]
            who = [] if decide[0] == "list" else [made["id"], "--actor", "user:ana", "--now", "2026-06-10T11:00:00Z"]
            expect(run("approvals", decide[0], *who, *flags, "--store", "s.db", cwd=place), 0)
            equal((decide[0], states(place)[0]["resumed"]), (decide[0], True))


@claim
def a_shown_or_refused_request_resumes_nobody():
    with folder({}) as place:
        made = submit(place, body("APPROVAL_REQUEST"), code=0)["submit"]["approval"]
        expect(run("approvals", "show", made["id"], "--store", "s.db", cwd=place), 0)
        expect(run("approvals", "grant", made["id"], "--actor", "user:ana", "--fingerprint", "0" * 64, "--store", "s.db", cwd=place), 1, err="APPROVAL_TAMPERED")
        equal(states(place)[0]["resumed"], False)


# ---- Ids

@claim
def an_agent_cannot_decide_about_its_own_request_whatever_its_id():
    with folder({}) as place:
        asked = envelope({"/approval_request": REQUEST, "/agent_status/agent_id": "team/researcher"}, status="APPROVAL_REQUEST")
        made = submit(place, asked, "--agent-ids", "any", code=0)
        equal(made["submit"]["agent_id"], "team/researcher")
        grant = ("approvals", "grant", made["submit"]["approval"]["id"], "--fingerprint", made["submit"]["approval"]["fingerprint"], "--store", "s.db")
        for actor in ("researcher", "team/researcher", "user:team/researcher", "x/team/researcher", "a80177b959c721da1"):
            refused = actor in ("team/researcher", "user:team/researcher", "a80177b959c721da1")
            if refused:
                expect(run(*grant, "--actor", actor, cwd=place), 1, err="APPROVAL_SELF")
        expect(run(*grant, "--actor", "user:ana", cwd=place), 0)
        for agent, code in (("other", 1), ("team/researcher", 0)):
            equal((agent, run("approvals", "use", "--command", REQUEST["exact_content"], "--agent", agent, "--workspace", "w", "--store", "s.db", cwd=place).returncode), (agent, code))


@claim
def states_are_found_by_either_form_of_an_id():
    with folder({}) as place:
        raw = "acat-artist-5a897953c7b59c51"
        submit(place, envelope({"/agent_status/agent_id": raw}), "--runtime-agent-id", raw, code=0)
        submit(place, envelope({"/agent_status/agent_id": "code_reviewer"}), "--agent-ids", "any", code=0)
        mapped = [agent["agent_id"] for agent in states(place) if agent["agent_id"] != "code_reviewer"][0]
        for agent in (raw, mapped, "code_reviewer"):
            equal((agent, len(json.loads(run("contract", "state", "-f", "json", "--store", "s.db", "--agent", agent, cwd=place).stdout)["agents"])), (agent, 1))
        for agent in (raw, "code_reviewer"):
            equal(json.loads(run("contract", "state", "-f", "json", "--store", "s.db", "--agent", agent, "--clear", cwd=place).stdout), {"baton": 1, "cleared": 1})


# ---- Updates

@claim
def updates_off_the_list_are_dropped_and_the_others_applied():
    names = [f"n{i:02}" for i in range(25)]
    with folder({"in.json": json.dumps({"write_permissions": {"writable_sections": names}})}) as place:
        update = [{"contract": "n01", "payload": {"a": 1}}, {"contract": "N01", "payload": {"ip": "10.0.0.1"}}, {"contract": "N01", "payload": {}}, {"contract": "n01", "payload": {"b": 2}}]
        answer = submit(place, envelope({"/update_contracts": update}), "--input", "in.json", code=0)
        equal(found(answer), ["UPDATE_CONTRACTS_DUPLICATE@WARN", "UPDATE_CONTRACTS_NOT_WRITABLE@WARN", "UPDATE_CONTRACTS_NOT_WRITABLE@WARN"])
        equal([entry["mode"] for entry in answer["submit"]["updates"]], ["insert", "dropped", "dropped", "merge"])
        off = [finding for finding in answer["documents"][0]["findings"] if finding["code"] == "UPDATE_CONTRACTS_NOT_WRITABLE"][0]
        equal((off["params"]["writable"], "and 5 more" in off["hint"], off["security"]), (names[:20], True, True))
        sections = json.loads(run("contract", "sections", "-f", "json", *PLACE, cwd=place).stdout)["sections"]
        equal(sections, {"n01": {"a": 1, "b": 2}})
        refused = submit(place, envelope({"/update_contracts": update}), "--input", "in.json", "--off-list", "reject", session="s2", code=1)
        equal((refused["submit"]["updates"], "LIVE_STATE@WARN" in found(refused)), ([], True))


@claim
def the_words_of_the_settings_are_checked():
    with folder({"baton.yaml": "contract: {off_list: reject, agent_ids: any}\n"}) as place:
        for flag, word in (("--transitions", "lenient"), ("--off-list", "keep"), ("--approval-ids", "all"), ("--agent-ids", "none")):
            expect(run("contract", "submit", "--store", "s.db", flag, word, "--text", "x", cwd=place), 2, err=flag)
        # A project may make it stricter, not looser.
        update = envelope({"/update_contracts": [{"contract": "s", "payload": {}}], "/agent_status/agent_id": "code_reviewer"})
        equal(sorted(found(submit(place, update, code=1))), ["AGENT_ID_FORMAT@HARD", "UPDATE_CONTRACTS_NOT_WRITABLE@HARD"])


finish()
