# SPDX-License-Identifier: Apache-2.0
"""test_rules.py BATON - baton explain and baton rules; docs/rules.md is what the program prints."""
import json
import sys

from program import ROOT, STRIDE, claim, equal, expect, finish, run

MEMBERS = ["code", "severity", "stage", "meaning", "fix", "security", "lowest", "needs", "dialects"]


def listed():
    return json.loads(expect(run("rules", "-f", "json"), 0).stdout)


@claim
def the_page_of_rules_is_what_the_program_prints():
    printed = expect(run("rules", "-f", "markdown"), 0).stdout
    if (ROOT / "docs/rules.md").read_bytes() != printed:
        raise AssertionError("docs/rules.md is stale; make it again with: baton rules -f markdown > docs/rules.md")


@claim
def rules_are_listed_by_code():
    rules = listed()
    equal(list(rules), ["baton", "rules"])
    codes = [rule["code"] for rule in rules["rules"]]
    equal(codes, sorted(set(codes)))
    for rule in rules["rules"]:
        equal(list(rule), MEMBERS)
        equal((rule["severity"] is None), (rule["stage"] is None))
        equal(rule["severity"] in ("HARD", "WARN", "INFO", None), True)
        equal(rule["fix"] in ("safe", "unsafe", None), True)
        equal(rule["dialects"], sorted(set(rule["dialects"])))
    text = expect(run("rules"), 0).stdout.decode()
    words = {"HARD": "error", "WARN": "warning", "INFO": "info", None: "-"}
    rows = [[rule["code"], words[rule["severity"]], ",".join(rule["dialects"])] for rule in rules["rules"]]
    equal([line.split()[:3] for line in text.splitlines()], [["CODE", "SEVERITY", "DIALECTS"], *rows])


@claim
def every_code_can_be_explained():
    page = (ROOT / "docs/rules.md").read_text()
    for rule in listed()["rules"][::STRIDE]:
        equal(json.loads(expect(run("explain", rule["code"], "-f", "json"), 0).stdout), {"baton": 1, "rule": rule})
        text = expect(run("explain", rule["code"]), 0).stdout.decode()
        equal(text.startswith(f"{rule['code']}: "), True)
        equal(text.count(f"{rule['code']}: "), len(rule["dialects"]))
        for dialect in rule["dialects"]:
            equal(f"dialect {dialect}" in text, True)
        equal(max(map(len, text.splitlines())) <= 100, True)
        equal(expect(run("explain", "-f", "markdown", rule["code"]), 0).stdout.decode() in page, True)


@claim
def the_codes_of_the_reader_are_all_there():
    known = {rule["code"]: (rule["severity"], rule["stage"]) for rule in listed()["rules"]}
    for code in ("JSON_SYNTAX", "JSON_UTF8", "JSON_DUPLICATE_KEY", "JSON_TOO_DEEP", "JSON_TOO_LARGE", "JSON_NOT_CANONICAL"):
        equal((code, known[code]), (code, ("HARD", "read")))
    equal(known["JSON_LONE_SURROGATE"], ("WARN", "read"))
    equal(known["JSON_PATCH_REFUSED"][0], "HARD")


@claim
def what_a_rule_needs_beyond_the_document_is_listed():
    needs = {rule["code"]: rule["needs"] for rule in listed()["rules"]}
    equal({word for words in needs.values() for word in words}, {"store", "caller", "root"})
    for code in ("REPLAYED_ID", "AGENT_BLOCKED", "CONTRACT_REJECTION_LIMIT", "ILLEGAL_TRANSITION", "IN_PROGRESS_RETRY_CAP", "APPROVAL_ID_NOT_PENDING",
                 "APPROVAL_ID_FOREIGN", "APPROVAL_TAMPERED", "BUDGET_GREW", "RESPONSE_UNLINKED"):
        equal((code, needs[code]), (code, ["store"]))
    for code in ("AGENT_BINDING_MISMATCH", "AGENT_ID_MISMATCH", "UPDATE_CONTRACTS_NOT_WRITABLE", "CONSOLIDATION_REPORT", "BUDGET_SPENT", "ENVELOPE_EXPIRED"):
        equal((code, needs[code]), (code, ["caller"]))
    for code, words in needs.items():
        if code.startswith("REF_"):
            equal((code, words), (code, ["root"]))
        if code.startswith("EVIDENCE_"):
            equal((code, words), (code, [] if code == "EVIDENCE_REPORT" else ["caller"]))
    equal((needs["JSON_SYNTAX"], needs["TOKENS_OVER_BUDGET"], needs["HASH_VERIFICATION_FAILURE"]), ([], [], ["root"]))


@claim
def a_code_that_nobody_knows_is_a_mistake():
    expect(run("explain", "NO_SUCH_CODE"), 2, err="unknown code NO_SUCH_CODE")
    expect(run("explain", "JSON_SYNTX"), 2, err="unknown code JSON_SYNTX, did you mean JSON_SYNTAX?")
    equal(run("explain", "json_utf8").stdout, run("explain", "JSON_UTF8").stdout)
    expect(run("explain", "json_"), 2, err="unknown code json_, did you mean JSON_DUPLICATE_KEY, ")
    expect(run("explain", ""), 2, err="unknown code")
    expect(run("explain", "X" * 5000), 2, err="unknown code XXX")
    expect(run("explain"), 2, err="explain needs the CODE")
    expect(run("explain", "JSON_SYNTAX", "JSON_UTF8"), 2, err="unexpected word JSON_UTF8")
    expect(run("rules", "--dialect", "plane"), 2, err="--dialect: unknown dialect plane, did you mean plan?")


def found(*filters):
    return [rule["code"] for rule in json.loads(expect(run("rules", *filters, "--json"), 0).stdout)["rules"]]


@claim
def rules_can_be_filtered():
    every = listed()["rules"]
    for filters, passes in (
        (["tokens_"], lambda rule: rule["code"].startswith("TOKENS_")), (["TOKENS_*"], lambda rule: rule["code"].startswith("TOKENS_")),
        (["--dialect", "plan"], lambda rule: "plan" in rule["dialects"]), (["--severity", "warning"], lambda rule: rule["severity"] == "WARN"),
        (["--stage", "budget"], lambda rule: rule["stage"] == "budget"), (["JSON_", "--severity", "hard"], lambda rule: rule["code"].startswith("JSON_") and rule["severity"] == "HARD"),
    ):
        wanted = [rule["code"] for rule in every if passes(rule)]
        equal((filters, found(*filters)), (filters, wanted))
        shown = expect(run("rules", *filters), 0).stdout.decode().splitlines()[1:]
        equal((filters, [line.split()[0] for line in shown]), (filters, wanted))
    equal(0 < len(found("--fixable")) < len(every), True)
    equal(0 < len(found("--security")) < len(every), True)
    result = run("rules", "NOTHING_HAS_THIS")
    equal((result.returncode, result.stdout, result.stderr.startswith(b"No rules. ")), (0, b"", True))
    equal(found("NOTHING_HAS_THIS"), [])


@claim
def rules_have_three_formats():
    for command in (["rules"], ["explain", "JSON_UTF8"]):
        equal(run(*command).stdout, run(*command, "--output-format=full").stdout)
        expect(run(*command, "-f", "sarif"), 2, err="unknown format sarif")
        expect(run(*command, "-f", "jsn"), 2, err="unknown format jsn, did you mean json?")
        expect(run(*command, "-f", "json", "-f", "full"), 2, err="only one format")
        expect(run(*command, "-o", "x"), 2, err="unknown flag -o")


@claim
def examples_that_are_no_text_are_shown_by_number():
    text = expect(run("explain", "JSON_UTF8"), 0).stdout
    text.decode("utf-8")
    equal(b'["\\xe9"]' in text, True)


sys.exit(finish())
