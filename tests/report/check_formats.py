#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Read what render_sample prints with parsers that are not ours: check_formats.py RENDER_SAMPLE

The golden files show that the output is what it was; this shows that it is what the formats ask for.
"""
import json
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree

PATHS = 5
FINDINGS = 8
FAILURES = 3


def render(name):
    return subprocess.run([sys.argv[1], name], check=True, stdout=subprocess.PIPE).stdout


def same(what, actual, expected):
    if actual != expected:
        raise SystemExit(f"not ok: {what}: got {actual!r}, expected {expected!r}")


def check_json():
    text = render("json")
    same("lines of json", text.count(b"\n"), 1)
    report = json.loads(text)
    same("members", list(report), ["baton", "documents", "failures", "summary", "record"])
    documents = report["documents"]
    same("documents", len(documents), PATHS)
    same("members of a document", list(documents[0]),
         ["path", "dialect", "verdict", "findings", "facts", "submit"])
    same("members of a finding", list(documents[0]["findings"][0]),
         ["code", "severity", "stage", "pointer", "line", "column", "message", "hint", "fix",
          "params"])
    same("security", [f.get("security") for f in documents[0]["findings"]],
         [None, None, None, True, None])
    same("findings", sum(len(d["findings"]) for d in documents), FINDINGS)
    same("summary", report["summary"],
         {"documents": 5, "accepted": 3, "rejected": 2, "hard": 4, "warn": 2, "info": 2,
          "failures": FAILURES, "suppressed": 0, "fixed": 0})
    same("members of a failure", [list(f) for f in report["failures"]],
         [["path", "reason", "message"]] * FAILURES)
    return report


def check_jsonl(report):
    lines = [json.loads(line) for line in render("jsonl").splitlines()]
    same("documents of jsonl", lines[:PATHS], report["documents"])
    same("failures of jsonl", lines[PATHS:-1], [{"failure": f} for f in report["failures"]])
    same("last line of jsonl", lines[-1],
         {"baton": 1, "summary": report["summary"], "record": None})


def check_junit(report):
    root = ElementTree.fromstring(render("junit"))
    same("root of junit", root.tag, "testsuites")
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    same("cases", len(cases), int(suite.get("tests")))
    same("failures", len(suite.findall("testcase/failure")), int(suite.get("failures")))
    same("errors", [e.get("type") for e in suite.findall("testcase/error")],
         [f["reason"] for f in report["failures"]])
    same("count of errors", suite.get("errors"), str(FAILURES))
    for case, document in zip(cases, report["documents"]):
        same("failure of " + document["path"], case.find("failure") is not None,
             document["verdict"] == "rejected")
        lines = "".join(case.itertext()).split("\n")
        same("lines of " + document["path"], len([line for line in lines if line.strip()]),
             len(document["findings"]))
        same("elements of " + document["path"],
             {e.tag for e in case.iter()} - {"testcase", "failure", "system-out"}, set())


def utf16_column(line, column):
    before = line[:column - 1].decode("utf-8", "surrogateescape")
    return len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1


def check_sarif(report):
    log = json.loads(render("sarif"))
    same("version of sarif", log["version"], "2.1.0")
    run, = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    same("rules", [r["id"] for r in rules], sorted({r["ruleId"] for r in run["results"]}))
    for result in run["results"]:
        same("rule of a result", rules[result["ruleIndex"]]["id"], result["ruleId"])
    same("fingerprints", len({r["partialFingerprints"]["batonFinding/v1"]
                              for r in run["results"]}), FINDINGS)
    findings = [f for d in report["documents"] for f in d["findings"]]
    levels = {"HARD": "error", "WARN": "warning", "INFO": "note"}
    same("levels", [r["level"] for r in run["results"]], [levels[f["severity"]] for f in findings])
    same("params", [r["properties"].get("params") for r in run["results"]],
         [f.get("params") for f in findings])
    regions = [r["locations"][0]["physicalLocation"].get("region") for r in run["results"]]
    same("lines", [r and r["startLine"] for r in regions], [f.get("line") for f in findings])
    line = '  "\u5b9b\U0001f600": 1, "to": "me",'.encode()
    same("column behind wide characters", regions[1]["startColumn"],
         utf16_column(line, findings[1]["column"]))
    uris = [a["location"]["uri"] for a in run["artifacts"]]
    same("uris", [bool(re.fullmatch(r"(file://)?([A-Za-z0-9._~/-]|%[0-9A-F]{2})+", u))
                  for u in uris], [True] * PATHS)
    invocation, = run["invocations"]
    same("outcome", (invocation["executionSuccessful"], invocation["exitCode"]), (False, 2))
    same("notifications", [(name, n["descriptor"]["id"], n["level"], len(n["locations"]))
                           for name in ("toolExecutionNotifications", "toolConfigurationNotifications")
                           for n in invocation[name]],
         [("toolExecutionNotifications", "not_found", "error", 1),
          ("toolExecutionNotifications", "io", "error", 1),
          ("toolConfigurationNotifications", "config", "error", 1)])
    same("first uri", urllib.parse.unquote(uris[0]), report["documents"][0]["path"])


def check_github():
    command = re.compile(r"::(error|warning|notice) file=[^,:\r\n]+(,line=\d+,col=\d+)?"
                         r",title=([A-Z_]+|baton [a-z_]+)::[^\r\n]+")
    lines = render("github").decode().splitlines()
    same("commands", len(lines), FINDINGS + FAILURES)
    for line in lines:
        same("command " + line, bool(command.fullmatch(line)), True)


def main():
    report = check_json()
    check_jsonl(report)
    check_junit(report)
    check_sarif(report)
    check_github()


main()
