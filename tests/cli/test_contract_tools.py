# SPDX-License-Identifier: Apache-2.0
"""test_contract_tools.py BATON - fixes, templates, repair prompts, merging and addresses of contract blocks."""
import json
import pathlib

from block import CONSOLIDATION, GONE, ID, KEYS, envelope, fenced, said
from program import claim, equal, expect, finish, folder, report, run


def fixed(message, *flags):
    """The file after check --fix, and what was fixed."""
    with folder({"m.md": message}) as place:
        document = report(run("check", "--as", "contract", "-f", "json", "--fix", *flags, "m.md", cwd=place))["documents"][0]
        place = pathlib.Path(place)
        names = sorted(path.name for path in place.iterdir())
        equal(names, ["m.md", "m.md.orig"] if flags and document["facts"]["fixed"] else ["m.md"])
        return (place / "m.md").read_bytes().decode(), [(entry["code"], entry["pointer"]) for entry in document["facts"]["fixed"]]


# ---- Fixes

@claim
def comments_and_trailing_commas_go_and_all_else_stays():
    for before, after in (('{ // a\n"a":1, }', '{ \n"a":1 }'), ('{"a":[1,/* x */], # y\n}', '{"a":[1] \n}'), ('{"a":"// b",}', '{"a":"// b"}'),
                          ('{"a":1,}\r\n# x\r', '{"a":1}\r\n\r'), ('{"a":1} // done', '{"a":1} '), ('{"a":"\\"//",/*,*/"b":2,}', '{"a":"\\"//","b":2}')):
        text, done = fixed(fenced(before))
        equal((before, text), (before, fenced(after)))
        equal({code for code, _ in done}, {"JSON_SYNTAX"})


@claim
def what_is_not_safe_to_mend_is_left_alone():
    for body in ("{'a':1,}", '{"a":1,]', '{"a":1 /* x', "{a:1}", '{"a":[1,,]}'):
        text, done = fixed(fenced(body))
        equal((body, text, done), (body, fenced(body), []))


@claim
def an_envelope_gets_its_fence():
    body = json.dumps(envelope())
    for before, after in ((body, f"```agent_contract_handoff\n{body}\n```\n"), (body + "\n", f"```agent_contract_handoff\n{body}\n```\n"),
                          (f"x\n  ```json\n{body}\n```\ny", f"x\n  ```agent_contract_handoff\n{body}\n```\ny")):
        text, done = fixed(before)
        equal((text, done), (after, [("CONTRACT_BLOCK_MISSING", "")]))
    equal(fixed("done"), ("done", []))


@claim
def values_are_mended_where_they_stand():
    body = envelope({"/agent_status/plan_status": " in_progress.", "/evidence_report/open_gaps": None, "/evidence_report/key_outputs": {"a": 1},
                     "/evidence_report/FILES_CHECKED": [], "/evidence_report/files_checked": GONE})
    text, done = fixed(fenced(json.dumps(body, indent=1)))
    good = envelope({"/evidence_report/key_outputs": [{"a": 1}]})
    equal(json.loads(text.split("handoff\n")[1].split("```")[0]), good)
    equal(sorted(done), sorted([("CONTRACT_SPELLING", "/agent_status/plan_status"), ("CONTRACT_SPELLING", "/evidence_report/FILES_CHECKED"),
                                ("LIST_EXPECTED", "/evidence_report/key_outputs"), ("LIST_EXPECTED", "/evidence_report/open_gaps")]))
    equal(said(text), [])


@claim
def missing_keys_are_claimed_empty_only_when_asked():
    body = envelope({f"/evidence_report/{key}": GONE for key in KEYS[:3]})
    equal(fixed(fenced(body))[0], fenced(body))
    text, done = fixed(fenced(body), "--unsafe-fixes")
    equal([code for code, _ in done], [key.upper() for key in KEYS[:3]])
    equal(said(text), [])


@claim
def a_diff_shows_and_writes_nothing():
    with folder({"m.md": fenced('{"a":1,}')}) as place:
        result = run("check", "--as", "contract", "--diff", "m.md", cwd=place)
        equal((b'-{"a":1,}' in result.stdout, b'+{"a":1}' in result.stdout, pathlib.Path(place, "m.md").read_text()), (True, True, fenced('{"a":1,}')))
        expect(run("check", "--as", "contract", "--fix", "-"), 2, err="standard input")
        expect(run("check", "--as", "contract", "--fix", "--text", "x"), 2, err="--text")


# ---- Templates

@claim
def a_template_is_a_block_that_only_lacks_its_words():
    text = expect(run("contract", "template", "--agent-id", ID), 0).stdout.decode()
    equal(said(text), ["NEXT_ACTION@HARD /agent_status/next_action"])
    bare = json.loads(expect(run("contract", "template", "--bare", "--status", "APPROVAL_REQUEST"), 0).stdout)
    equal(list(bare["approval_request"]), ["operation", "exact_content", "scope", "risk_level", "rollback", "verification"])
    equal((bare["agent_status"]["plan_status"], bare["consolidation_report"], "verification" in bare["evidence_report"]), ("APPROVAL_REQUEST", None, False))
    expect(run("contract", "template", "--agent-id", "zzz"), 2, err="--agent-id wants")
    expect(run("contract", "template", "--status", "COMPLET"), 2, err="did you mean COMPLETE?")


# ---- Repair prompts

def repair(message, *flags):
    return report(run("contract", "repair-prompt", "-f", "json", *flags, "-", stdin=message))["repair"]


@claim
def a_prompt_asks_for_what_is_missing():
    told = repair("no block", "--runtime-agent-id", ID)
    equal((told["action"], told["agent_id"], told["template"]["agent_status"]["agent_id"]), ("resume_same_agent_contract_repair", ID, ID))
    equal(("attempt 1 of 3" in told["prompt"], ID in told["prompt"], "no block" in told["prompt"]), (True, True, False))
    told = repair(fenced(envelope({"/agent_status/agent_id": "zzz"})))
    equal((told["action"], told["agent_id"], told["template"]), ("escalate_contract_repair", "-", {"agent_status": {"agent_id": ""}}))
    told = repair(fenced(envelope({"/evidence_report": 5, "/consolidation_report": {**CONSOLIDATION, "next_best_agent": ""}}, "COMPLETE")))
    equal(told["template"], {"evidence_report": {**{key: [] for key in KEYS}, "verification": {"result": ""}}, "consolidation_report": {"next_best_agent": ""}})
    told = repair(fenced(envelope({"/evidence_report/verification": {"result": "no"}}, "COMPLETE")))
    equal((told["template"], told["errors"][0]["fragment"]), (None, '"no"'))


@claim
def attempts_are_counted_by_the_caller():
    equal((repair("x", "--attempt", "3")["attempt"], repair("x", "--attempt", "3")["action"]), (3, "escalate_contract_repair"))
    known = ("--runtime-agent-id", ID)
    equal([repair("x", *known, "--attempt", str(n))["action"].split("_")[0] for n in (1, 3, 4)], ["resume", "resume", "escalate"])
    equal(repair("x", *known, "--attempt", "4", "--max-rejections", "4")["action"].split("_")[0], "resume")
    expect(run("contract", "repair-prompt", "--attempt", "0", "-", stdin="x"), 2, err="from 1")
    expect(run("contract", "repair-prompt"), 2, err="give one message")
    equal(expect(run("contract", "repair-prompt", "-", stdin=fenced(envelope())), 0).stdout, b"")
    expect(run("contract", "repair-prompt", "-", stdin="x"), 1, out="CONTRACT_BLOCK_MISSING")


@claim
def fragments_are_harmless_and_bounded():
    status = "x\u202e\u200b\U000e0041\x1b" + "y" * 1000
    told = repair(fenced(envelope({"/agent_status/plan_status": status})))["errors"][0]
    equal((told["fragment"].startswith('"x\\u202e\\u200b\\udb40\\udc41\\u001b'), len(told["fragment"]) <= 400), (True, True))
    told = repair(fenced('{"a": \'\u202e\'}'))["errors"][0]
    equal((told["code"], told["fragment"]), ("JSON_SYNTAX", '{"a": \'\\u202e\'}'))
    equal("fragment" in repair(fenced(envelope({"/agent_status/pending_steps": GONE})))["errors"][0], False)


@claim
def a_prompt_has_a_limit():
    updates = [{"contract": "c" * 130 + str(i), "payload": {"k" * 100: 1}} for i in range(60)]
    told = repair(fenced(envelope({"/update_contracts": updates})))
    equal((len(told["errors"]), len(told["prompt"].encode()) <= 8192, "and " in told["prompt"], " more\n" in told["prompt"]), (60, True, True, True))
    long = {f"/evidence_report/{key}": GONE for key in KEYS}
    equal(len(repair(fenced(envelope({**long, "/agent_status/plan_status": "x" * 9000})))["prompt"]) <= 8192, True)


# ---- Merging

def merge(stored, payload, *flags):
    with folder({"s.json": json.dumps(stored), "p.json": payload if isinstance(payload, str) else json.dumps(payload)}) as place:
        return report(run("contract", "merge", "-f", "json", *flags, "s.json", "p.json", cwd=place))


@claim
def each_kind_of_value_has_its_way_of_merging():
    for stored, payload, result, changes in (
            ({}, {"a": {"b": []}}, {"a": {"b": []}}, [("/a", "add")]), ({"a": 1}, {}, {"a": 1}, []), ({"a": 1}, {"a": 1.0}, {"a": 1}, []),
            ({"a": 1}, {"a": True}, {"a": True}, [("/a", "overwrite")]), ({"a": None}, {"a": 0}, {"a": 0}, [("/a", "overwrite")]),
            ({"a": {"b": 1}}, {"a": {}}, {"a": {"b": 1}}, []), ({"a~/": {"b": 1}}, {"a~/": {"c": 2}}, {"a~/": {"b": 1, "c": 2}}, [("/a~0~1/c", "add")]),
            ({"a": [1, 1, 2]}, {"a": []}, {"a": [1, 2]}, [("/a", "union")]), ({"a": [1]}, {"a": [1.0, 1, [1]]}, {"a": [1, [1]]}, [("/a", "union")]),
            ({"a": [{"x": 1, "y": 2}]}, {"a": [{"y": 2, "x": 1.0}]}, {"a": [{"x": 1, "y": 2}]}, []), ({"a": ["1", False]}, {"a": [0, 1]}, {"a": ["1", False, 0, 1]}, [("/a", "union")]),
            ({"a": {}}, {"a": []}, {"a": []}, [("/a", "type_change")])):
        told = merge(stored, payload)
        equal((stored, payload, told["result"], [(change["pointer"], change["op"]) for change in told["changes"]]), (stored, payload, result, changes))
        equal(list(told["result"]), list(dict.fromkeys([*stored, *payload])))


@claim
def merging_tells_what_is_odd():
    def codes(told):
        return [(finding["code"], finding["pointer"]) for finding in told["documents"][0]["findings"]]
    equal(codes(merge({"a": 1, "b": [{"name": "x", "v": 1}]}, {"a": [], "b": [{"name": "x", "v": 2}, {"name": 5}, {"name": 5, "v": 1}]})),
          [("MERGE_TYPE_CHANGE", "/a"), ("MERGE_SAME_NAME", "/b")])
    told = merge({"l": ["github.com/o/r:t/n"]}, {"l": ["https://GitHub.com/o/r.git:t/n"]})
    equal((codes(told), told["changes"]), ([("CROSS_REPO_REF", "/l/0")], []))
    told = merge({}, {"a": "https://u:hunter2@h/x"})
    equal((codes(told), told["result"], told["changes"], "hunter2" in json.dumps(told)), ([("CREDENTIAL_IN_PAYLOAD", "/a")], None, [], False))
    equal(codes(merge({}, "{'a':1}")), [("JSON_SYNTAX", "")])


@claim
def the_merged_object_is_printed_and_written():
    with folder({"s.json": '{"a":1}', "p.json": '{"b":2}', "bad.json": "[]"}) as place:
        result = expect(run("contract", "merge", "-o", "out.json", "s.json", "p.json", cwd=place), 0)
        equal((json.loads(result.stdout), pathlib.Path(place, "out.json").read_bytes()), ({"a": 1, "b": 2}, result.stdout))
        expect(run("contract", "merge", "-o", "none.json", "s.json", "bad.json", cwd=place), 1, out="CONTRACT_NOT_OBJECT")
        equal(pathlib.Path(place, "none.json").exists(), False)
        expect(run("contract", "merge", "bad.json", "p.json", cwd=place), 2, err="not a JSON object")
        expect(run("contract", "merge", "gone.json", "p.json", cwd=place), 2, err="cannot read")


@claim
def long_lists_unite_in_reasonable_time():
    told = merge({"a": [1] * 50000 + list(range(50000))}, {"a": list(range(60000))})
    equal(len(told["result"]["a"]), 60000)


# ---- Addresses

@claim
def addresses_have_one_identity():
    for text, identity, dropped in (
            ("git@github.com:Owner/Repo.git", "github.com/owner/repo", ["user"]), ("github.com:Owner/Repo.git", "github.com/owner/repo", []),
            ("https://github.com/Owner/Repo.git", "github.com/owner/repo", []), ("https://github.com/owner/repo/", "github.com/owner/repo", []),
            ("github.com/owner/repo", "github.com/owner/repo", []), ("git+ssh://git@gitlab.com/g/sub/r.git", "gitlab.com/g/sub/r", ["user"]),
            ("git://gitlab.com/g/sub/r", "gitlab.com/g/sub/r", []), ("https://user:token@github.com/o/r.git/", "github.com/o/r", ["credentials"]),
            ("https://token@github.com/o/r", "github.com/o/r", ["credentials"]), ("ssh://u:p@h/o", "h/o", ["credentials"]),
            ("https://u@github.com:443/o/r", "github.com/o/r", ["credentials", "port"]), ("ssh://h.example:22/o/r", "h.example/o/r", ["port"]),
            ("ssh://git@host:2222/o/r", "host:2222/o/r", ["user"]), ("git@host:2222/o/r", "host/2222/o/r", ["user"]), ("git@host:/o/r.git", "host/o/r", ["user"]),
            ("host:2222/o/r", "host:2222/o/r", []), ("host:22/o/r", "host/o/r", ["port"]), (" HTTPS://H/a//b?x#y ", "h/a/b", []), ("GIT://h:9418/a.git.git", "h/a.git", ["port"]),
            ("file:///srv/git/r.git", None, []), ("", None, []), ("https://h/o/../r", None, []), ("https://h", None, []), ("h", None, []), ("-h/o", None, []),
            ("h_x/o", None, []), ("h/o r", None, []), ("https://h:x/o", None, []), ("h/.git", None, []), ("https://[::1]/o", None, [])):
        result = run("contract", "normalize", "-f", "json", "--", text)
        told = report(result)["refs"][0]
        equal((text, told["identity"], told["dropped"], result.returncode), (text, identity, dropped, 0 if identity else 1))
        equal((told["valid"], told["suffix"], told["canonical"]), (identity is not None, None, identity))
    told = report(run("contract", "normalize", "-f", "json", "https://u:p@GitHub.com/O/R.git:Tf/Net"))["refs"][0]
    equal(told, {"valid": True, "identity": "github.com/o/r", "suffix": "Tf/Net", "canonical": "github.com/o/r:Tf/Net", "dropped": ["credentials"]})
    equal(expect(run("contract", "normalize", "h/a", "H/b"), 0).stdout, b"h/a\nh/b\n")
    equal(b"zebra" in expect(run("contract", "normalize", "x://zebra"), 1).stdout, False)
    expect(run("contract", "normalize"), 2, err="contract normalize needs REF")


finish()
