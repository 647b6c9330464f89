# SPDX-License-Identifier: Apache-2.0
"""test_contract.py BATON - the rules of contract blocks, sentence by sentence."""
import hashlib
import json
import pathlib

from block import CONSOLIDATION, GONE, ID, KEYS, REQUEST, envelope, fenced, judged, said
from program import claim, equal, expect, finish, folder, report, run

INPUT = '{"write_permissions":{"writable_sections":["s"]}}'
FIVE = ["AGENT_STATUS", "PLAN_STATUS", "PENDING_STEPS", "NEXT_ACTION", "AGENT_ID"]


def rows(name, table):
    """One claim for a table of (changes, status, what is said)."""
    def test():
        for changes, status, expected in table:
            equal((changes, said(fenced(envelope(changes, status)))), (changes, expected))
    test.__name__ = name
    claim(test)


# ---- Reading

@claim
def a_good_block_is_accepted_on_every_status():
    for status, dispatch in (("IN_PROGRESS", "resume"), ("COMPLETE", "close"), ("BLOCKED", "review_gaps"), ("NEEDS_INPUT", "ask_user")):
        found = judged(fenced(envelope(status=status)))
        equal((status, found["findings"], found["facts"]["dispatch"]), (status, [], dispatch))
    found = judged(fenced(envelope({"/approval_request": REQUEST}, "APPROVAL_REQUEST")))
    equal((found["findings"], found["facts"]["dispatch"]), ([], "consent"))


@claim
def the_rule_of_json_that_is_broken_is_named():
    for body, rule, line, column in (
            ("agent_status:\n  x: 1", "yaml", 4, 1), ("\n  plan: x", "yaml", 5, 3), ("- a\n- b", "yaml", 4, 2), ("--- x", "yaml", 4, 2),
            ('{"a":1 // x\n}', "comment", 4, 8), ('{"a":1}/* x */', "comment", 4, 8), ('# x\n{}', "comment", 4, 1), ('{/**/}', "comment", 4, 2),
            ('{"a":1,}', "trailing_comma", 4, 8), ('{"a":[1,\n]}', "trailing_comma", 5, 1),
            ("{a:1}", "unquoted_key", 4, 2), ("{\"a\":1,_b:2}", "unquoted_key", 4, 8), ("{$a:1}", "unquoted_key", 4, 2),
            ("{'a':1}", "single_quotes", 4, 2), ("{\"a\":'x'}", "single_quotes", 4, 6), ("'x'", "single_quotes", 4, 1),
            ('{"a":NaN}', "nan", 4, 6), ('{"a":Infinity}', "nan", 4, 6), ('{"a":[-Infinity]}', "nan", 4, 8),
            ('{"a":"x\ty"}', "control_character", 4, 8), ('{"a":"x\ny"}', "control_character", 4, 8), ('{"\x01":1}', "control_character", 4, 3),
            ('{"a":1', "truncated", 5, 1), ('{"a":', "truncated", 5, 1), ("", "truncated", 5, 1), (" \u00a0", "truncated", 4, 2),
            ('{} x', "trailing_bytes", 4, 4), ('{}{}', "trailing_bytes", 4, 3), ('{},', "trailing_bytes", 4, 3),
            ('{"a":tru}', "other", 4, 9), ('{"a" 1}', "other", 4, 6), ("[1,,]", "other", 4, 4), ('{"a":"\\q"}', "other", 4, 8), ("{,}", "other", 4, 2)):
        found = judged(fenced(body))
        finding = found["findings"][0]
        equal((body, finding["code"], finding["params"]["rule"], finding["line"], finding["column"]), (body, "JSON_SYNTAX", rule, line, column))
        equal((body, "fix" in finding), (body, rule in ("comment", "trailing_comma")))
        equal((len(found["findings"]), found["facts"]["missing"], found["facts"]["invalid"]), (1, FIVE, []))
        equal(bool(finding["hint"]), True)


@claim
def a_read_finding_is_the_only_hard_one_and_fences_are_told_in_any_case():
    equal(said(fenced("[1]")), ["CONTRACT_NOT_OBJECT@HARD "])
    equal(said(fenced('{"a":1,"\\u0061":2}')), ["JSON_DUPLICATE_KEY@HARD /a"])
    equal(said(fenced("{}") + fenced("{") + "Bye"), ["CONTRACT_BLOCK_DUPLICATE@WARN ", "JSON_SYNTAX@HARD ", "CONTRACT_BLOCK_NOT_LAST@INFO "])
    equal(said(fenced(envelope()).encode() + b"\xff"), ["CONTRACT_BLOCK_NOT_LAST@INFO ", "JSON_UTF8@HARD "])
    equal(said(b"\xff" + fenced(envelope()).encode()), ["JSON_UTF8@HARD "])
    equal(said("x" * 101, "--limit", "document_bytes=100"), ["JSON_TOO_LARGE@HARD "])
    equal(said(fenced('{"a":[[1]]}'), "--limit", "depth=2"), ["JSON_TOO_DEEP@HARD "])
    equal([code.split()[0] for code in said(fenced('{"agent_status":{"agent_id":"\\ud800"}}'))][0], "JSON_LONE_SURROGATE@WARN")


@claim
def the_last_block_counts():
    good, bad = fenced(envelope()), fenced("[]")
    equal(said(bad + good), ["CONTRACT_BLOCK_DUPLICATE@WARN "])
    found = judged(good + good + "\u00a0\u200b\n")
    equal([finding["params"]["count"] for finding in found["findings"]], [2])
    equal(found["facts"]["block"], {"count": 2, "line": 8, "bytes": len(json.dumps(envelope())) + 1})
    equal(said(good + "```agent_contract_handoff\n{}"), ["CONTRACT_BLOCK_DUPLICATE@WARN ", "CONTRACT_BLOCK_UNCLOSED@HARD "])
    equal(judged(good + "```agent_contract_handoff\n{}")["facts"]["block"], None)
    unclosed = judged("a\n```agent_contract_handoff\n{")["findings"][0]
    equal((unclosed["code"], unclosed["line"], unclosed["column"]), ("CONTRACT_BLOCK_UNCLOSED", 2, 1))
    after = judged(good + "\n  x")["findings"][0]
    equal((after["code"], after["line"], after["column"]), ("CONTRACT_BLOCK_NOT_LAST", 7, 3))


@claim
def line_ends_of_other_systems_do_no_harm():
    equal(said(fenced(envelope()).replace("\n", "\r\n")), [])


@claim
def a_bare_body_needs_no_fence():
    found = judged(json.dumps(envelope()), "--bare")
    equal((found["findings"], found["facts"]["block"]["line"]), ([], 1))
    equal(said(fenced(envelope()), "--bare"), ["JSON_SYNTAX@HARD "])


@claim
def a_message_can_be_given_as_text_and_is_recognised():
    found = report(expect(run("check", "-f", "json", "--text", fenced(envelope())), 0))["documents"][0]
    equal((found["path"], found["dialect"]), ("<text>", "contract"))
    expect(run("check", "--text", "no block"), 2, err="dialect is not recognised")
    expect(run("check"), 2, err="nothing to check")
    with folder({"notes.contract.md": "no block", "notes.md": fenced(envelope())}) as place:
        said = report(run("check", "-f", "json", ".", cwd=place))
        equal([document["path"] for document in said["documents"]], ["notes.md"])
        equal(said["skipped"], [{"path": "notes.contract.md", "reason": "no_block"}])
        equal(report(run("check", "-f", "json", "notes.md", cwd=place))["documents"][0]["dialect"], "contract")


@claim
def the_envelope_outside_its_fence_is_seen():
    body = json.dumps(envelope())
    for message, fix in (("done", None), (body, "safe"), (f"x\n```json\n{body}\n```\n", "safe"), ("```json\n{}\n```\n", None), ('{"a":1}', None)):
        found = judged(message)["findings"]
        equal((message, [finding["code"] for finding in found], found[0].get("fix")), (message, ["CONTRACT_BLOCK_MISSING"], fix))


# ---- Status

rows("the_status_is_one_of_five_words", [
    ({"/agent_status/plan_status": word}, "IN_PROGRESS", expected) for word, expected in [
        ("DONE", ["PLAN_STATUS@HARD /agent_status/plan_status"]), (7, ["PLAN_STATUS@HARD /agent_status/plan_status"]),
        (None, ["PLAN_STATUS@HARD /agent_status/plan_status"]), (" .;, ", ["PLAN_STATUS@HARD /agent_status/plan_status"]),
        (GONE, ["PLAN_STATUS@HARD /agent_status"]), ("Needs_Input ;.", ["CONTRACT_SPELLING@INFO /agent_status/plan_status"]),
        ("NEEDS INPUT", ["PLAN_STATUS@HARD /agent_status/plan_status"]), ("IN_PROGRESS", [])]])


@claim
def tokens_name_what_was_written():
    for word, missing, invalid in (("DONE", [], ["PLAN_STATUS:DONE"]), (" done. ", [], ["PLAN_STATUS:DONE"]), ({"a": 1}, [], ['PLAN_STATUS:{"a":1}']),
                                   (True, [], ["PLAN_STATUS:true"]), ("", ["PLAN_STATUS"], []), ("\u00e9" * 50, [], ["PLAN_STATUS:" + "\u00e9" * 40])):
        facts = judged(fenced(envelope({"/agent_status/plan_status": word})))["facts"]
        equal((word, facts["missing"], facts["invalid"], facts["plan_status"]), (word, missing, invalid, None))


rows("what_is_pending_and_what_comes_next_are_said", [
    ({"/agent_status/pending_steps": value}, "IN_PROGRESS", expected) for value, expected in [
        ("deploy", []), (["a"], []), ("", ["PENDING_STEPS@HARD /agent_status/pending_steps"]), ({}, ["PENDING_STEPS@HARD /agent_status/pending_steps"]),
        (None, ["PENDING_STEPS@HARD /agent_status/pending_steps"]), (GONE, ["PENDING_STEPS@HARD /agent_status"])]] + [
    ({"/agent_status/next_action": value}, "IN_PROGRESS", expected) for value, expected in [
        (["a"], []), ({"a": 1}, []), ("\u200b", ["NEXT_ACTION@HARD /agent_status/next_action"]), ([], ["NEXT_ACTION@HARD /agent_status/next_action"]),
        (5, ["NEXT_ACTION@HARD /agent_status/next_action"]), (True, ["NEXT_ACTION@HARD /agent_status/next_action"])]])

rows("an_agent_id_is_an_a_and_hexadecimal_digits", [
    ({"/agent_status/agent_id": value}, "IN_PROGRESS", expected) for value, expected in [
        ("a12345", ["AGENT_ID_SHORT@INFO /agent_status/agent_id"]), ("a" + "0" * 15, ["AGENT_ID_SHORT@INFO /agent_status/agent_id"]),
        ("a" + "0" * 16, []), ("a" + "f" * 127, []), ("a" + "f" * 128, ["AGENT_ID_FORMAT@HARD /agent_status/agent_id"]),
        ("a1234", ["AGENT_ID_FORMAT@HARD /agent_status/agent_id"]), ("a12345g", ["AGENT_ID_FORMAT@HARD /agent_status/agent_id"]),
        (ID + "\n", ["AGENT_ID_FORMAT@HARD /agent_status/agent_id"]), (" ", ["AGENT_ID@HARD /agent_status/agent_id"]),
        (None, ["AGENT_ID@HARD /agent_status/agent_id"]), (7, ["AGENT_ID_FORMAT@HARD /agent_status/agent_id"])]])


@claim
def the_id_of_the_host_is_what_counts():
    for host, block in ((ID, ID), ("019A8F3E-7C1B-7D22", "a019a8f3e7c1b7d22"), ("abcde", "aabcde"), ("01HW2X3Y4Z5", "a" + hashlib.sha256(b"01HW2X3Y4Z5").hexdigest()[:32])):
        found = judged(fenced(envelope({"/agent_status/agent_id": block})), "--runtime-agent-id", host)
        equal((host, [finding["code"] for finding in found["findings"] if finding["severity"] == "HARD"]), (host, []))
    found = judged(fenced(envelope()), "--runtime-agent-id", "a" + "1" * 16)
    equal([(finding["code"], finding["security"]) for finding in found["findings"]], [("AGENT_ID_MISMATCH", True)])
    missing = judged(fenced(envelope({"/agent_status/agent_id": GONE})), "--runtime-agent-id", ID)["findings"][0]
    equal(missing["params"], {"property": "agent_id", "expected": ID})
    expect(run("check", "--text", "x", "--runtime-agent-id", ""), 2, err="wants an id")


# ---- Reports

@claim
def each_key_of_the_evidence_must_be_there():
    for key in KEYS:
        found = judged(fenced(envelope({f"/evidence_report/{key}": GONE})))
        equal([(finding["code"], finding["pointer"], finding["params"], finding["fix"]) for finding in found["findings"]],
              [(key.upper(), "/evidence_report", {"property": key}, "unsafe")])
        equal(found["facts"]["missing"], [key.upper()])
    found = judged(fenced(envelope({"/evidence_report": {}}, "COMPLETE")))
    equal(found["facts"]["missing"], ["EVIDENCE_REPORT"] + [key.upper() for key in KEYS] + ["VERIFICATION_RESULT_REQUIRED_FOR_COMPLETE"])


rows("spellings_in_capitals_are_understood_and_no_others", [
    ({"/evidence_report/OPEN_GAPS": [], "/evidence_report/open_gaps": GONE}, "IN_PROGRESS", ["CONTRACT_SPELLING@INFO /evidence_report/OPEN_GAPS"]),
    ({"/evidence_report/OPEN_GAPS": []}, "IN_PROGRESS", ["UNKNOWN_FIELD@WARN /evidence_report/OPEN_GAPS"]),
    ({"/evidence_report/Open_Gaps": [], "/evidence_report/open_gaps": GONE}, "IN_PROGRESS",
     ["OPEN_GAPS@HARD /evidence_report", "UNKNOWN_FIELD@WARN /evidence_report/Open_Gaps"]),
    ({"/evidence_report/verification": {"result": " PASS"}}, "COMPLETE", ["CONTRACT_SPELLING@INFO /evidence_report/verification/result"]),
    ({"/evidence_report/OPEN_GAPS": None, "/evidence_report/open_gaps": GONE}, "BLOCKED",
     ["CONTRACT_SPELLING@INFO /evidence_report/OPEN_GAPS", "LIST_EXPECTED@WARN /evidence_report/OPEN_GAPS", "BLOCKED_WITHOUT_GAP@WARN /evidence_report/OPEN_GAPS"]),
])

rows("an_offered_consolidation_report_is_checked", [
    ({"/consolidation_report": None}, "IN_PROGRESS", []),
    ({"/consolidation_report": CONSOLIDATION}, "IN_PROGRESS", []),
    ({"/consolidation_report": {}}, "IN_PROGRESS", ["CONSOLIDATION_REPORT@HARD /consolidation_report"]),
    ({"/consolidation_report": "x"}, "IN_PROGRESS", ["CONSOLIDATION_REPORT@HARD /consolidation_report"]),
    ({"/consolidation_report": {**CONSOLIDATION, "ownership_assessment": "Owned_Here"}}, "IN_PROGRESS",
     ["OWNERSHIP_ASSESSMENT@HARD /consolidation_report/ownership_assessment"]),
    ({"/consolidation_report": {**CONSOLIDATION, "ownership_assessment": " ", "next_best_agent": 5, "conflicts": None}}, "IN_PROGRESS",
     ["OWNERSHIP_ASSESSMENT@HARD /consolidation_report/ownership_assessment", "LIST_EXPECTED@WARN /consolidation_report/conflicts",
      "NEXT_BEST_AGENT@HARD /consolidation_report/next_best_agent"]),
])


# ---- Other members

@claim
def unknown_members_are_told_with_what_was_meant():
    for pointer, suggestion in (("/verification", "/evidence_report/verification"), ("/plan_status", "/agent_status/plan_status"),
                                ("/agent_state", "agent_status"), ("/zebra", None), ("/agent_status/next_actoin", "next_action"),
                                ("/loop_state/metrik", "metric"), ("/approval_request/scop", "scope")):
        base = {"/loop_state": {"iteration": 1, "max_iterations": 1, "metric": 1, "threshold": 1}, "/approval_request": REQUEST}
        found = judged(fenced(envelope({**base, pointer: {}})))["findings"]
        equal((pointer, [(finding["code"], finding["pointer"], finding["params"].get("suggestion")) for finding in found]),
              (pointer, [("UNKNOWN_FIELD", pointer, suggestion)]))
    equal(said(fenced(envelope({"/x_a": 1, "/x-b": 1, "/agent_status/x_c": 1}))), [])


rows("a_loop_is_four_numbers", [
    ({"/loop_state": value}, "COMPLETE", expected) for value, expected in [
        (None, []), ({"iteration": "5", "max_iterations": "5", "metric": "0.1", "threshold": "1e0"}, []),
        ([], ["LOOP_STATE_SHAPE@WARN /loop_state"]), ({"iteration": 1, "max_iterations": 2, "metric": " 1", "threshold": 1}, ["LOOP_STATE_SHAPE@WARN /loop_state"]),
        ({"iteration": 1, "max_iterations": 2, "metric": 1, "threshold": 1, "direction": "up"}, ["LOOP_STATE_SHAPE@WARN /loop_state"]),
        ({"iteration": 1, "max_iterations": 2, "metric": 2, "threshold": 1, "direction": "lower"}, ["LOOP_STATE_INCOMPLETE@HARD /loop_state"]),
        ({"iteration": 1, "max_iterations": 2, "metric": 0, "threshold": 1, "direction": "lower"}, [])]])


@claim
def an_unfinished_loop_tells_its_numbers():
    for loop, token in (({"iteration": "2.9", "max_iterations": 5.5, "metric": "6e-1", "threshold": 9.0e-1}, "iteration=2<max=5,metric=0.6<threshold=0.9"),
                        ({"iteration": -1, "max_iterations": 0, "metric": 5, "threshold": 1, "direction": "lower"}, "iteration=-1<max=0,metric=5>threshold=1")):
        equal(judged(fenced(envelope({"/loop_state": loop}, "COMPLETE")))["facts"]["invalid"], ["LOOP_STATE_INCOMPLETE:" + token])


rows("updates_have_a_form", [
    ({"/update_contracts": value}, "IN_PROGRESS", expected) for value, expected in [
        (None, []), ([], []), ({}, ["UPDATE_CONTRACTS_SHAPE@HARD /update_contracts"]),
        ([{}], ["UPDATE_CONTRACTS_SHAPE@HARD /update_contracts/0", "UPDATE_CONTRACTS_SHAPE@HARD /update_contracts/0"]),
        ([{"contract": "a\tb", "payload": {}}], ["UPDATE_CONTRACTS_SHAPE@HARD /update_contracts/0/contract"]),
        ([{"contract": "a" * 129, "payload": {}}], ["UPDATE_CONTRACTS_SHAPE@HARD /update_contracts/0/contract"]),
        ([{"contract": "s", "payload": {}}, {"contract": "s", "payload": {}}],
         ["UPDATE_CONTRACTS_NOT_WRITABLE@WARN /update_contracts/0/contract", "UPDATE_CONTRACTS_NOT_WRITABLE@WARN /update_contracts/1/contract"])]])


def payload(value):
    with folder({"in.json": INPUT}) as place:
        return said(fenced(envelope({"/update_contracts": [{"contract": "s", "payload": value}]})), "--input", "in.json", cwd=place)


@claim
def only_the_named_sections_are_writable():
    with folder({"in.json": INPUT}) as place:
        for name, fine in (("s", True), ("S", False), ("s ", False), ("\u0455", False), ("*", False)):
            text = fenced(envelope({"/update_contracts": [{"contract": name, "payload": {"a": 1, "b": 2}}]}))
            found = judged(text, "--input", "in.json", "--off-list", "reject", cwd=place)
            equal((name, found["verdict"]), (name, "accepted" if fine else "rejected"))
            equal(found["facts"]["updates"], [{"contract": name, "keys": 2}])
            found = judged(text, "--input", "in.json", cwd=place)
            equal((found["verdict"], found["facts"]["updates"]), ("accepted", [{"contract": name, "keys": 2, **({} if fine else {"dropped": True})}]))


@claim
def live_state_is_told_once_for_each_place():
    for name, value, live in (("Pod_Count", 1, True), ("p.o.d.s", {}, True), ("podx", 1, False), ("a", "203.0.113.7", True), ("a", "203.0.113.7:80", True),
                              ("a", "203.0.113.0/24", False), ("a", "127.0.0.1", False), ("a", "0.0.0.0", False), ("a", "203.0.113.256", False),
                              ("a", "vpc-0123abcd", True), ("a", "i-0123456789abcdef0", True), ("a", "sg-0123abc", False), ("a", "vpc-0123ABCD", False),
                              ("a", "x.elb.eu-west-1.amazonaws.com", True), ("a", "x.amazonaws.com", False), ("a", "x.cloudapp.azure.com", True),
                              ("a", "arn:aws:iam::123:oidc-provider/x", True), ("a", "arn:aws:iam::x:oidc-provider/x", False), ("ip", "203.0.113.7", True)):
        equal((name, value, payload({name: value})), (name, value, [f"LIVE_STATE@WARN /update_contracts/0/payload/{name}"] if live else []))
    equal(payload({"a": ["x", {"b": "eni-0123abcd"}, "203.0.113.7"]}),
          ["LIVE_STATE@WARN /update_contracts/0/payload/a/1/b", "LIVE_STATE@WARN /update_contracts/0/payload/a/2"])


@claim
def references_are_canonical_and_secrets_refused():
    for value, code in (("github.com/org/iac:tf/net", None), ("GitHub.com/org/iac:tf/net", "CROSS_REPO_REF@WARN"), (" github.com/org/iac:tf/net", "CROSS_REPO_REF@WARN"),
                        ("git@github.com:Org/Iac.git:tf/Net", "CROSS_REPO_REF@WARN"), ("https://u:p@github.com/org/iac:tf/net", "CROSS_REPO_REF@WARN"),
                        ("host/org/iac:tf/net", None), ("github.com/iac:tf/net", None), ("github.com/org/iac:tfnet", None),
                        ("see https://tok@h.example/x now", "CREDENTIAL_IN_PAYLOAD@HARD"), ("HTTPS://tok@h", "CREDENTIAL_IN_PAYLOAD@HARD"),
                        ("postgres://u:p@db", "CREDENTIAL_IN_PAYLOAD@HARD"), ("ssh://git@h/x", None), ("https://h/x@y", None), ("https:// x@y", None)):
        equal((value, payload({"a": [value]})), (value, [f"{code} /update_contracts/0/payload/a/0"] if code else []))


@claim
def no_output_repeats_a_secret():
    values = {"a": "https://u:hunter2@h.example/x", "b": "https://hunter2@github.com/o/r:t/n", "c": "https:\\/\\/u:hunter2\\u0040h"}
    body = json.dumps(envelope({"/update_contracts": [{"contract": "s", "payload": values}]})).replace("\\\\", "\\")
    for message in (fenced(body), fenced(body.replace("{", "{,", 1)), fenced(body.replace('"https', 'https')), fenced("{'a': '" + values["c"] + "'}"), fenced(body.replace('"contract"', '"x"'))):
        for form in ("full", "concise", "json", "jsonl", "github", "junit", "sarif", "markdown"):
            equal((form, b"hunter2" in run("check", "--as", "contract", "-f", form, "-", stdin=message).stdout), (form, False))
        for flags in ((), ("-f", "json")):
            equal((flags, b"hunter2" in run("contract", "repair-prompt", *flags, "-", stdin=message).stdout), (flags, False))
    with folder({"m.md": fenced(body)}) as place:
        equal(b"hunter2" in run("check", "--diff", "m.md", cwd=place).stdout, False)


# ---- Meaning

rows("a_request_says_how_to_undo_it_and_how_success_is_seen", [
    ({"/approval_request": {**REQUEST, "rollback": "\u200b"}}, "IN_PROGRESS", ["APPROVAL_REQUEST_ROLLBACK@HARD /approval_request/rollback"]),
    ({"/approval_request": {**REQUEST, "verification": 5}}, "IN_PROGRESS", ["APPROVAL_REQUEST_VERIFICATION@HARD /approval_request/verification"]),
    ({"/approval_request": {}}, "IN_PROGRESS", []), ({"/approval_request": 5}, "IN_PROGRESS", ["APPROVAL_REQUEST@HARD /approval_request"]),
    ({}, "APPROVAL_REQUEST", ["APPROVAL_REQUEST@HARD "]),
    ({"/approval_request": {**REQUEST, "scope": [], "risk_level": "low "}}, "IN_PROGRESS",
     ["CONTRACT_SPELLING@INFO /approval_request/risk_level", "APPROVAL_REQUEST_FIELD_MISSING@WARN /approval_request/scope"]),
    ({"/approval_request": {**REQUEST, "approval_id": "P-" + "A" * 32}}, "IN_PROGRESS", ["APPROVAL_ID_FORMAT@HARD /approval_request/approval_id"]),
    ({"/approval_request": {**REQUEST, "x_n": -9007199254740992}}, "IN_PROGRESS", ["APPROVAL_NOT_CANONICAL@HARD /approval_request"]),
    ({"/approval_request": {**REQUEST, "x_n": -9007199254740991}}, "IN_PROGRESS", []),
])

rows("complete_means_verified", [
    ({"/evidence_report/verification": {"result": "passed"}}, "COMPLETE", ["VERIFICATION_RESULT_MUST_BE_PASS@HARD /evidence_report/verification/result"]),
    ({"/evidence_report/verification": {"result": True}}, "COMPLETE", ["VERIFICATION_RESULT_MUST_BE_PASS@HARD /evidence_report/verification/result"]),
    ({"/evidence_report/verification": {}}, "COMPLETE", ["VERIFICATION_RESULT_MUST_BE_PASS@HARD /evidence_report/verification"]),
    ({"/evidence_report/verification": {"result": "fail"}}, "IN_PROGRESS", []),
])


@claim
def a_hundred_findings_of_one_code_are_enough():
    found = judged(fenced(envelope({"/evidence_report/commands_run": [7] * 1000})))["findings"]
    equal((len(found), found[98].get("params"), found[99]["params"], found[99]["pointer"]), (100, None, {"more": 900}, "/evidence_report/commands_run/99"))
    found = judged(fenced(envelope({f"/u{i}": 1 for i in range(101)})))["findings"]
    equal((len(found), found[99]["params"]), (100, {"property": "u99", "more": 1}))


@claim
def advice_is_kept_as_far_as_it_is_usable():
    facts = judged(fenced(envelope({"/memory_suggestions": [{"a": 1}, True, None, " x "], "/rollback_executed": {"done": 1},
                                    "/context_consumption": {"tokens_used": 12.9, "pct_window": "x"}, "/user_facing_summary": " \u00a0"})))["facts"]["advisory"]
    equal(facts, {"user_facing_summary": None, "memory_suggestions": ['{"a":1}', "true", " x "], "memorialize_suggestions": [],
                  "rollback_executed": '{"done":1}', "context_consumption": {"tokens_used": 12, "pct_window": None}})


@claim
def the_schemas_describe_the_canonical_form():
    with folder({}) as place:
        for name, good, bad in (("contract", envelope({"/approval_request": REQUEST, "/consolidation_report": CONSOLIDATION}, "COMPLETE"),
                                 envelope({"/evidence_report/verification": {"result": "no"}}, "COMPLETE")),
                                ("contract-input", json.loads(INPUT), {"write_permissions": []})):
            schema = expect(run("schema", "print", name), 0).stdout
            for file, text in (("s.json", schema), ("good.json", json.dumps(good).encode()), ("bad.json", json.dumps(bad).encode())):
                pathlib.Path(place, file).write_bytes(text)
            expect(run("schema", "check", "s.json", cwd=place), 0)
            expect(run("schema", "validate", "s.json", "good.json", cwd=place), 0)
            expect(run("schema", "validate", "s.json", "bad.json", cwd=place), 1)


# ---- Messages

@claim
def a_message_names_the_text_or_number_that_is_wrong():
    for changes, status, code, name in (
            ({"/agent_status/agent_id": "a12345"}, "IN_PROGRESS", "AGENT_ID_SHORT", '"a12345"'),
            ({"/agent_status/pending_steps": 7}, "IN_PROGRESS", "PENDING_STEPS", '"7"'),
            ({"/evidence_report/commands_run": [0.5]}, "IN_PROGRESS", "COMMAND_ENTRY", '"0.5"'),
            ({"/evidence_report/verification/result": "mostly\x1b"}, "COMPLETE", "VERIFICATION_RESULT_MUST_BE_PASS", '"mostly\\x1b"'),
            ({"/memorialize_suggestions": [{"description": "d", "body": "b", "type": "odd"}]}, "IN_PROGRESS", "MEMORIALIZE_ENUM", '"odd"'),
            ({"/consolidation_report": "none"}, "IN_PROGRESS", "CONSOLIDATION_REPORT", '"none"')):
        found = {finding["code"]: finding["message"] for finding in judged(fenced(envelope(changes, status)))["findings"]}
        equal((code, found.get(code, "").rsplit(": ")[-1]), (code, name))


@claim
def a_message_names_nothing_that_a_payload_holds():
    with folder({"stored.json": "{}", "payload.json": '{"ip":"https://u:hunter2@h/o"}', "in.json": INPUT}) as place:
        block = fenced(envelope({"/update_contracts": [{"contract": "s", "payload": {"ip": "https://u:hunter2@h/o"}}]}))
        judging = run("check", "--as", "contract", "-f", "json", "--input", "in.json", "-", stdin=block, cwd=place)
        for result in (judging, run("contract", "merge", "-f", "json", "stored.json", "payload.json", cwd=place)):
            equal((result.returncode, b"LIVE_STATE" in result.stdout, b"hunter2" in result.stdout + result.stderr), (1, True, False))


# ---- INPUT

@claim
def an_input_envelope_is_judged_by_itself():
    equal(said('{"investigation_brief":{"cross_check_required":true}}', "--direction", "input"), ["INPUT_SECTION_MISSING@WARN "] * 4)
    equal(judged('{"investigation_brief":{"cross_check_required":true}}', "--direction", "input")["facts"], {"consolidation_required": True, "writable_sections": []})
    equal(said("[]", "--direction", "input"), ["SCHEMA_TYPE@HARD "])
    equal(said("{", "--direction", "input"), ["JSON_SYNTAX@HARD "])
    expect(run("check", "--text", "{}", "--direction", "up"), 2, err="--direction: unknown direction up")


finish()
