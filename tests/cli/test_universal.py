# SPDX-License-Identifier: Apache-2.0
"""test_universal.py BATON - the rules of universal handoffs, sentence by sentence."""
import hashlib
import json
import os
import sys

from handoffs import GONE, GOOD, changed, minified
from program import claim, equal, expect, finish, folder, report, run


def judged(document, *flags, now="2026-04-14T09:00:00Z", cwd=None):
    text = document if isinstance(document, (str, bytes)) else json.dumps(document)
    result = run("check", "--as", "universal", "-f", "json", "--now", now, *flags, "-", stdin=text, cwd=cwd)
    if result.returncode == 2:
        raise AssertionError(result.stderr)
    found = report(result)["documents"][0]
    equal(result.returncode, 0 if found["verdict"] == "accepted" else 1)
    return found


def said(document, *flags, **more):
    """CODE@SEVERITY POINTER of every finding."""
    return [f"{finding['code']}@{finding['severity']} {finding['pointer']}" for finding in
            judged(document, *flags, **more)["findings"]]


def rows(name, table):
    """One claim for a table of (changes, what is said, flags)."""
    def test():
        for changes, expected, *flags in table:
            document = changes if isinstance(changes, str) else changed(changes)
            equal((changes, said(document, *flags)), (changes, expected))
    test.__name__ = name
    claim(test)


rows("a_time_that_does_not_exist_blocks", [
    ({"timestamp": text}, [f"{code}@{'HARD' if code[10] == 'I' else 'WARN'} /handoff/timestamp"] if code else [])
    for text, code in {
        "2026-02-28T08:30:00Z": "", "2026-02-29T08:30:00Z": "TIMESTAMP_INVALID", "2024-02-29T08:30:00Z": "",
        "1900-02-29T08:30:00Z": "TIMESTAMP_INVALID", "2000-02-29T08:30:00Z": "", "0000-02-29T00:00:00Z": "",
        "2026-13-01T00:00:00Z": "TIMESTAMP_INVALID", "2026-00-01T00:00:00Z": "TIMESTAMP_INVALID",
        "2026-04-31T00:00:00Z": "TIMESTAMP_INVALID", "2026-04-00T00:00:00Z": "TIMESTAMP_INVALID",
        "2026-04-14T24:00:00Z": "TIMESTAMP_INVALID", "2026-04-14T23:60:00Z": "TIMESTAMP_INVALID",
        "2026-04-14T23:59:60Z": "", "2026-04-14T23:58:60Z": "TIMESTAMP_INVALID",
        "2026-04-15T01:59:60+02:00": "TIMESTAMP_NOT_UTC", "2026-04-14T23:59:60+02:00": "TIMESTAMP_INVALID",
        "2026-04-14T08:30:00+24:00": "TIMESTAMP_INVALID", "2026-04-14T08:30:00+23:60": "TIMESTAMP_INVALID",
        "2026-04-14T08:30:00+23:59": "TIMESTAMP_NOT_UTC", "2026-04-14T08:30:00+00:00": "TIMESTAMP_NOT_UTC",
        "2026-04-14T08:30:00-00:00": "TIMESTAMP_NOT_UTC", "2026-04-14T08:30:00.123456789012Z": "",
    }.items()])

rows("a_time_of_another_form_is_the_schemas_business", [
    ({"timestamp": text}, ["SCHEMA_PATTERN@HARD /handoff/timestamp"]) for text in (
        "2026-04-14T08:30:00Z\n", "2026-04-14t08:30:00Z", "2026-04-14T08:30Z", "2026-04-14T08:30:00", "",
        "2026-04-14T08:30:00.Z", "\uff12026-04-14T08:30:00Z")])

rows("an_identifier_of_another_version_is_kept", [
    ({"trace_id": "6a0f2c1d-8b3e-7c57-9d21-5e7f90ab13c4"}, ["TRACE_ID_NOT_V4@WARN /handoff/trace_id"]),
    ({"trace_id": "6a0f2c1d-8b3e-4c57-cd21-5e7f90ab13c4"}, ["TRACE_ID_NOT_V4@WARN /handoff/trace_id"]),
    ({"trace_id": "6a0f2c1d-8b3e-4c57-bd21-5e7f90ab13c4"}, []),
])

rows("a_version_is_judged_by_what_it_is", [
    ({"version": 3}, ["SCHEMA_CONST@HARD /handoff/version", "SCHEMA_TYPE@HARD /handoff/version"]),
    ({"version": 3.5}, ["SCHEMA_CONST@HARD /handoff/version", "SCHEMA_TYPE@HARD /handoff/version",
                        "VERSION_MISMATCH@HARD /handoff/version"]),
    ({"version": "4"}, ["SCHEMA_CONST@HARD /handoff/version", "VERSION_MISMATCH@HARD /handoff/version"]),
    ({"version": None}, ["SCHEMA_CONST@HARD /handoff/version", "SCHEMA_TYPE@HARD /handoff/version"]),
])

rows("a_member_that_nobody_declared_is_told", [
    ({"source/Skill": 1}, ["UNKNOWN_MEMBER@WARN /handoff/source/Skill"]),
    ({"payload/session": {"artifacts": [{"name": "a", "path": "p", "type": "data", "sum": 1}], "state": {"sum": 1}}},
     ["UNKNOWN_MEMBER@WARN /handoff/payload/session/artifacts/0/sum"]),
    ({"payload/references": {"urls": [{"url": "u", "x": 1}], "files": []}},
     ["UNKNOWN_MEMBER@WARN /handoff/payload/references/urls/0/x"]),
    ({"tracing": {"events": [{"timestamp": "2026-04-14T08:30:00Z", "event_type": "created", "workflow": "w",
                              "details": {"x": 1}, "y": 1}], "tags": {"x": "y"}, "z": 1}},
     ["UNKNOWN_MEMBER@WARN /handoff/tracing/events/0/y", "UNKNOWN_MEMBER@WARN /handoff/tracing/z"]),
])

rows("a_number_that_a_double_cannot_hold_is_told", [
    ({"payload/working": value}, ["NUMBER_NOT_PORTABLE@WARN /handoff/payload/working/n"] if told else [])
    for value, told in (({"n": 9007199254740992}, False), ({"n": 9007199254740993}, True), ({"n": 0.1}, False),
                        ({"n": 1e308}, False), ({"n": -9007199254740993}, True), ({"m": 1e308, "n": 0.1}, False))]
     + [({"payload/working": {"a": [1, {"n": 9007199254740993}]}}, ["NUMBER_NOT_PORTABLE@WARN /handoff/payload/working/a/1/n"])])

rows("a_loop_cannot_be_hidden_by_spelling", [
    ({"target/skill": " Release-PLANNER\t"}, ["SELF_LOOP@HARD /handoff/target/skill",
                                              "SKILL_NAME_STYLE@WARN /handoff/target/skill"]),
    ({"target/skill": " PATCH-BUILDER", "meta/handoff_chain": ["patch-builder", "release-planner"]},
     ["REENTRY_WITHOUT_REASON@HARD /handoff/target/skill", "SKILL_NAME_STYLE@WARN /handoff/target/skill"]),
    ({"meta/handoff_chain": ["patch-builder", "release-planner"], "meta/handoff_reason": " \u3000\ufeff"},
     ["REENTRY_WITHOUT_REASON@HARD /handoff/target/skill"]),
    ({"meta/handoff_chain": ["patch-builder", "release-planner"], "meta/handoff_reason": "x"},
     ["REENTRY_ALLOWED@INFO /handoff/target/skill"]),
    ({"source": GONE, "meta/handoff_chain": ["patch-builder"]},
     ["SCHEMA_REQUIRED@HARD /handoff", "REENTRY_WITHOUT_REASON@HARD /handoff/target/skill"]),
    ({"meta/handoff_chain": ["patch-builder", 1]}, ["SCHEMA_TYPE@HARD /handoff/meta/handoff_chain/1"]),
])

rows("warnings_instead_of_loops_touch_these_three_alone", [
    ({"target/skill": "release-planner"}, ["SELF_LOOP@WARN /handoff/target/skill"], "--semantics", "warn"),
    ({"meta/handoff_chain": ["a", "b", "c", "d", "e", "release-planner"]},
     ["CHAIN_NEEDS_APPROVAL@WARN /handoff/meta/handoff_chain"], "--semantics", "warn"),
    ({"meta/payload_hash": "sha256:" + "0" * 64}, ["PAYLOAD_HASH_MISMATCH@HARD /handoff/meta/payload_hash"],
     "--semantics", "warn"),
    ({"context/summary": ""}, ["SCHEMA_MIN_LENGTH@HARD /handoff/context/summary"], "--semantics", "warn"),
])

rows("consent_is_a_boolean_and_nothing_else", [
    ({"meta/handoff_chain": list("abcde") + ["release-planner"], "meta/user_approved": value},
     ([] if value is True else ["CHAIN_NEEDS_APPROVAL@HARD /handoff/meta/handoff_chain"]) +
     ([] if isinstance(value, bool) else ["SCHEMA_TYPE@HARD /handoff/meta/user_approved"]))
    for value in (True, False)])

rows("names_become_file_names", [
    ({"target/skill": name}, [] if good else ["SKILL_NAME_STYLE@WARN /handoff/target/skill"])
    for name, good in (("a", True), ("a-b-1", True), ("a" * 64, True), ("a" * 65, False), ("-a", False), ("a-", False),
                       ("a--b", False), ("A", False), ("a_b", False), ("a.b", False), ("\u00e9", False))])

rows("instants_are_compared", [
    ({"expires_at": "2026-04-14T10:30:00+02:00"},
     ["TIMESTAMP_NOT_UTC@WARN /handoff/expires_at", "EXPIRED@WARN /handoff/expires_at",
      "EXPIRES_NOT_AFTER@WARN /handoff/expires_at"]),
    ({"expires_at": "2026-04-14T09:00:00Z"}, ["EXPIRED@WARN /handoff/expires_at"]),
    ({"expires_at": "2026-04-14T09:00:00.000000001Z"}, []),
    ({"expires_at": "2026-04-14T09:00:00Z"}, ["EXPIRED@HARD /handoff/expires_at"], "--strict-expiry"),
])


@claim
def the_chain_is_drawn_short():
    def drawing(changes):
        return [finding["params"]["chain"] for finding in judged(changed(changes))["findings"]
                if "chain" in finding.get("params", {})][0]
    equal(drawing({"target/skill": "release-planner"}), "[release-planner] -> [release-planner]")
    equal(drawing({"meta/handoff_chain": ["patch-builder", "x"]}),
          "[patch-builder] -> x -> release-planner -> [patch-builder]")
    long = "n" * 41
    equal(drawing({"target/skill": long, "meta/handoff_chain": [long, "release-planner"]}),
          f"[{'n' * 40}...] -> release-planner -> [{'n' * 40}...]")
    names = [f"s{i}" for i in range(30)] + ["release-planner"]
    equal(drawing({"target/skill": "s0", "meta/handoff_chain": names}),
          " -> ".join(["[s0]"] + names[1:10] + ["..."] + names[22:] + ["[s0]"]))
    equal(judged(changed({"meta/handoff_chain": ["a"] * 11 + ["release-planner"], "meta/user_approved": True}))["findings"][0]
          ["params"]["keep"], ["a"] * 9 + ["release-planner"])


# Section 5: payload text, bytes, SHA-256.
SEALS = [
    ('{"working":{}}', 14, "f781c7041898b26f58078ecda59daa1e6725ac9a42ca78bef15e62961c57d456"),
    ('{"working":{"b":1,"10":"x","2":"y","01":"z"}}', 45, "a689e2cf6a5d88f827371654d4b1ab8c5d6ce403ceef526a2c76d766058b3caa"),
    ('{"working":{"n":[1.0,1e3,-0,0.30,1e21,1e-7,12345678901234567890,1e400]}}', 69,
     "bfcab6bde29e2c43cd386745da60831b00042613dfcf9c7868fb77a7f1c7224d"),
    (r'{"working":{"s":"caf\u00e9 \/ \u2028 \u007f \u001F \ud83d\ude00 \uD800"}}', 52,
     "3cd91c20130389ce74e79e9539e4d661c3ae938b4c05df10fa2c5b130c1f27d4"),
    ('{"working":{"4294967295":1,"4294967294":{"b":0,"0":5e-324}}}', 60,
     "679c47607b139fed27ab38208e87c8e8ebf6fd927709b102fb471a80abadb2a2"),
]


@claim
def the_seal_covers_what_javascript_would_write():
    for payload, size, digest in SEALS:
        text = json.dumps(changed({"payload": "HERE"})).replace('"HERE"', payload)
        equal(judged(text)["facts"]["payload"], {"bytes": size, "sha256": f"sha256:{digest}", "sealed": "no"})


@claim
def a_true_seal_is_yes_and_a_false_one_is_broken():
    payload = minified(GOOD["handoff"]["payload"])
    digest = "sha256:" + hashlib.sha256(payload.encode()).hexdigest()
    equal(judged(changed({"meta/payload_hash": digest, "meta/payload_size_bytes": len(payload)}))["facts"]["payload"]["sealed"], "yes")
    found = judged(changed({"meta/payload_hash": digest[:-1] + "x"}))
    equal([f["code"] for f in found["findings"]], ["SCHEMA_PATTERN"])
    found = judged(changed({"meta/payload_hash": digest, "payload/working/ticket": "DP-119"}))
    equal([(f["code"], f["security"]) for f in found["findings"]], [("PAYLOAD_HASH_MISMATCH", True)])
    equal(found["facts"]["payload"]["sealed"], "broken")
    equal(said(changed({"meta/payload_size_bytes": len(payload) + 1})), ["PAYLOAD_SIZE_MISMATCH@WARN /handoff/meta/payload_size_bytes"])
    equal(said(changed({"meta/payload_size_bytes": float(len(payload))})), [])


@claim
def references_are_looked_for_and_nothing_is_opened():
    def references(*paths):
        return changed({"payload/references": {"files": [{"path": path} for path in paths]}})
    with folder({"work/in-session.md": "x", "in-root.md": "x", "work/sub/x": "x"}) as place:
        os.mkfifo(f"{place}/fifo")
        os.symlink("in-root.md", f"{place}/link")
        os.symlink("gone", f"{place}/dangling")
        good = ["in-session.md", "in-root.md", "link", "sub/../in-session.md", f"{place}/in-root.md", "./in-root.md"]
        found = judged(references(*good), cwd=place)
        inside_tmp = sum(path.startswith("/tmp/") for path in good)
        equal(found["facts"]["refs"], {"checked": len(good), "missing": 0, "ephemeral": inside_tmp})
        bad = {"": "empty", "a\nb": "control", "../x": "climbs", "sub/../../x": "climbs", "sub": "directory", "fifo": "special",
               "dangling": "missing", "nowhere": "missing", "/no/such/place": "missing", "x" * 5000: "missing"}
        found = judged(references(*bad), cwd=place)
        equal([(f["params"]["path"], f["params"]["reason"]) for f in found["findings"] if f["code"] == "REF_UNRESOLVED"],
              list(bad.items()))
        equal([f["code"] for f in judged(references(*bad), "--no-refs", cwd=place)["findings"]], ["TOKENS_SECTION_OVER"])
        equal("refs" in judged(references(*bad), "--no-refs", cwd=place)["facts"], False)
        equal(judged(references("x"), "--root", "work/sub", cwd=place)["facts"]["refs"]["missing"], 0)
    for path, ephemeral in {"/tmp/x": 1, "/var/../tmp/x": 1, "/tmp/../etc/passwd": 0, "/tmp": 0, "/tmp/.": 0,
                            "//tmp//x": 1, "/tmpx/y": 0}.items():
        equal((path, judged(references(path))["facts"]["refs"]["ephemeral"]), (path, ephemeral))


@claim
def artifacts_are_opened_only_beneath_the_root():
    with folder({"base/work/a.txt": "good", "secret.txt": "good"}) as place:
        os.symlink("../secret.txt", f"{place}/base/link.txt")
        digest = "sha256:" + hashlib.sha256(b"good").hexdigest()

        def artifacts(checksum, *paths):
            made = changed({"payload/session": {"artifacts": [
                {"name": "n", "path": path, "type": "data", "checksum": checksum} for path in paths]}})
            return judged(made, "--verify-artifacts", "--root", "base", cwd=place)
        found = artifacts(digest, "a.txt", "work/a.txt")
        equal((found["findings"], found["facts"]["artifacts"]), ([], {"checked": 2, "missing": 0}))
        equal(artifacts(digest, f"{place}/base/work/a.txt", f"{place}/base/x/../work/a.txt")["facts"]["artifacts"],
              {"checked": 2, "missing": 1})
        found = artifacts("sha256:" + "0" * 64, "a.txt", "../secret.txt", "link.txt", f"{place}/secret.txt")
        equal([f["pointer"] for f in found["findings"] if f["severity"] == "HARD"],
              ["/handoff/payload/session/artifacts/0/checksum"])
        equal(found["facts"]["artifacts"], {"checked": 4, "missing": 3})


@claim
def an_artifact_that_does_not_resolve_is_told_and_never_compared():
    wrong = "sha256:" + "0" * 64
    with folder({"base/ok.txt": "1", "base/work/a.txt": "1", "base/work/sub/x": "", "base/up.txt": "1",
                 "secret.txt": "1"}) as place:
        os.symlink("../secret.txt", f"{place}/base/link.txt")
        os.mkfifo(f"{place}/base/fifo")

        def reason(path, session="work", checksum=wrong):
            artifact = {"name": "n", "path": path, "type": "data", **({"checksum": checksum} if checksum else {})}
            made = changed({"payload/session": {"artifacts": [artifact]}, "source/session_path": session})
            found = judged(made, "--verify-artifacts", "--root", "base", cwd=place)["findings"]
            places = {(f["severity"], f["pointer"]) for f in found if f["code"] == "REF_UNRESOLVED"}
            equal(places - {("WARN", "/handoff/payload/session/artifacts/0/path")}, set())
            return [f["params"].get("reason", f["code"]) for f in found]
        compared = ["ARTIFACT_CHECKSUM_MISMATCH"]
        equal(reason("a.txt"), compared)
        equal(reason("ok.txt"), compared)
        # Above the session's folder, though still beneath the root.
        equal(reason("../up.txt"), ["climbs"])
        equal(reason("sub/../../up.txt"), ["climbs"])
        equal(reason("../work/a.txt"), ["climbs"])
        equal(reason("../../base/work/a.txt"), ["climbs"])
        equal(reason("sub/../a.txt"), compared)
        equal(reason(""), ["empty"])
        equal(reason("a\n.txt"), ["control"])
        equal(reason("sub"), ["directory"])
        equal(reason("fifo"), ["special"])
        equal(reason("gone.txt"), ["missing"])
        equal(reason("link.txt"), ["outside"])
        equal(reason(f"{place}/secret.txt"), ["outside"])
        equal(reason(f"{place}/base/ok.txt"), compared)
        equal(reason("secret.txt", session=str(place)), ["outside"])
        equal(reason("secret.txt", session=".."), ["outside"])
        equal(reason("gone.txt", checksum=None), [])
        unasked = changed({"payload/session": {"artifacts": [{"name": "n", "path": "gone", "type": "data", "checksum": wrong}]}})
        equal(judged(unasked, "--root", "base", cwd=place)["findings"], [])


def counted_exactly():
    """A document that declares its exact count, which is far from a quarter of its bytes."""
    made = changed({"payload/working": {"marks": "!?;" * 40 + "".join(f"{number} " for number in range(10, 99, 7)) * 4}})
    for _ in range(9):
        count = json.loads(run("tokens", "-f", "json", "-", stdin=minified(made)).stdout)["tokens"]
        if made["handoff"]["meta"]["token_count"] == count["exact"]:
            break
        made["handoff"]["meta"]["token_count"] = count["exact"]
    equal(10 * abs(count["exact"] - count["estimate"]) > 3 * count["estimate"], True)
    return minified(made), count


@claim
def a_sender_who_counts_exactly_is_not_warned_and_not_corrected():
    text, count = counted_exactly()
    equal(said(text), [])
    drift = judged(text, "--tokens", "chars4")["findings"]
    equal([(f["code"], f["fix"], f["params"]) for f in drift], [("TOKENS_DRIFT", "safe", {
        "declared": count["exact"], "estimate": count["estimate"], "exact": None, "encoding": "chars4"})])
    far = text.replace(f'"token_count":{count["exact"]}', '"token_count":1999')
    params = judged(far)["findings"][0]["params"]
    equal((params["declared"], params["encoding"], params["exact"] > params["estimate"] > 0), (1999, "o200k_base", True))
    with folder({"h.json": text, "far.json": far}) as place:
        for name, flags, changes in (("h.json", [], 0), ("h.json", ["--tokens", "chars4"], 1), ("far.json", [], 1)):
            repaired = report(run("repair", "--no-refs", *flags, "-f", "json", name, cwd=place))["documents"][0]
            equal((name, flags, len(repaired["facts"]["changes"])), (name, flags, changes))
            fixed = report(run("check", "--as", "universal", "--no-refs", "--fix", "--diff", *flags, "-f", "json", name, cwd=place))["documents"][0]
            equal((name, flags, len(fixed["facts"]["changes"])), (name, flags, changes))


@claim
def a_seal_that_was_never_true_names_the_way_out():
    way = "ask the sender; if you are the author and this payload is right, `baton seal --reseal FILE` seals it anew"
    made_up = {"meta/payload_hash": "sha256:" + "ab" * 32, "meta/payload_size_bytes": 1}
    found = judged(changed(made_up))["findings"]
    equal([(f["code"], f["hint"]) for f in found], [("PAYLOAD_HASH_MISMATCH", way), ("PAYLOAD_SIZE_MISMATCH", way)])
    size_alone = judged(changed({"meta/payload_size_bytes": 1}))["findings"]
    equal([(f["code"], f["hint"] == way) for f in size_alone], [("PAYLOAD_SIZE_MISMATCH", False)])
    with folder({"h.json": minified(changed(made_up))}) as place:
        for command in (["repair"], ["compress"], ["seal"], ["write"], ["convert", "--to", "universal"]):
            result = run(*command, "--no-refs", "-f", "json", "h.json", cwd=place)
            hints = [f["hint"] for f in report(result)["documents"][0]["findings"] if f["code"] == "PAYLOAD_HASH_MISMATCH"]
            equal((command, result.returncode, hints), (command, 1, [way]))
        expect(run("seal", "--reseal", "--in-place", "--no-refs", "h.json", cwd=place), 0)
        with open(f"{place}/h.json", encoding="utf-8") as file:
            equal(said(file.read()), [])


@claim
def a_value_that_failed_is_used_by_no_later_rule():
    equal(said(changed({"meta/token_count": 2500})), ["SCHEMA_MAXIMUM@HARD /handoff/meta/token_count"])
    equal(said(changed({"timestamp": 5, "expires_at": "2026-04-14T09:30:00Z"})), ["SCHEMA_TYPE@HARD /handoff/timestamp"])
    equal(said(changed({"source/skill": "", "target/skill": ""})),
          ["SCHEMA_MIN_LENGTH@HARD /handoff/source/skill", "SCHEMA_MIN_LENGTH@HARD /handoff/target/skill"])
    found = judged(changed({"expires_at": "soon", "meta/handoff_chain": []}))
    equal((found["facts"]["chain"], found["facts"]["expiry"]), (None, None))


@claim
def what_is_no_handoff_at_all_is_told_once():
    equal(said("[]"), ["SCHEMA_TYPE@HARD "])
    equal(said('{"handoff":null}'), ["SCHEMA_TYPE@HARD /handoff"])
    equal(said("{}"), ["SCHEMA_REQUIRED@HARD "])
    equal(judged("{")["facts"], {"stages": {"read": "failed"}, "skipped": [{"what": "later_stages", "why": "read_failed"},
                                                                            {"what": "skills", "why": "no_skills", "need": "--skills DIR"}]})


@claim
def the_wrong_words_are_usage():
    for flags in (["--budget", "0"], ["--budget", "-1"], ["--budget", "x"], ["--tokens", "p50k"], ["--section-limit", "x=1"],
                  ["--section-limit", "working"], ["--semantics", "off"], ["--chain", "tail"], ["--now", "yesterday"]):
        result = run("check", "--as", "universal", *flags, "-", stdin="{}")
        equal((flags, result.returncode, result.stdout), (flags, 2, b""))


@claim
def a_view_has_the_values_of_absent_members_and_only_those():
    def view(document, code=0, *flags):
        return report(expect(run("view", "-f", "json", *flags, "-", stdin=json.dumps(document)), code))
    shown = view(GOOD)
    absent = ["/handoff/target/invocation", "/handoff/target/expected_phase", "/handoff/context/focus_areas", "/handoff/context/known_gaps",
              "/handoff/context/success_criteria", "/handoff/payload/session", "/handoff/payload/references", "/handoff/meta/handoff_chain",
              "/handoff/meta/user_approved", "/handoff/expires_at"]
    equal((shown["baton"], shown["defaults"]), (1, absent))
    values = [None, None, [], [], [], None, None, ["release-planner"], False, None]
    for pointer, value in zip(absent, values):
        place = shown["view"]
        for name in pointer.split("/")[1:]:
            place = place[name]
        equal((pointer, place), (pointer, value))
    full = changed({"expires_at": "2027-01-01T00:00:00Z", "target/invocation": "/x", "context/focus_areas": ["a"], "payload/session": {},
                    "meta/handoff_chain": ["a", "release-planner"], "meta/user_approved": True})
    equal(view(full)["defaults"], ["/handoff/target/expected_phase", "/handoff/context/known_gaps", "/handoff/context/success_criteria", "/handoff/payload/references"])
    equal(view(full)["view"]["handoff"]["meta"]["handoff_chain"], ["a", "release-planner"])
    # A loop does not matter here; what does not fit the schema does.
    equal("view" in view(changed({"target/skill": "release-planner"})), True)
    equal([f["code"] for f in view(changed({"target": GONE}), 1)["documents"][0]["findings"]], ["SCHEMA_REQUIRED"])
    expect(run("view", "-", stdin="{"), 1, out="JSON_SYNTAX")
    text = expect(run("view", "-", stdin=minified(GOOD)), 0).stdout.decode()
    equal(text, json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n")


sys.exit(finish())
