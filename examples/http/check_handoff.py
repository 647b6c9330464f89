#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_handoff.py FILE - ask a running `baton serve` about one document, with the standard library alone."""
import json
import sys
import urllib.request

URL = "http://127.0.0.1:8420/v1/check"


def check(text, url=URL):
    """The report about one document: verdict and findings."""
    request = urllib.request.Request(url, data=text.encode(), headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)["documents"][0]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        report = check(file.read(), *sys.argv[2:])
    print(report["verdict"])
    for finding in report["findings"]:
        print(f'{finding["severity"]} {finding["code"]} line {finding["line"]}: {finding["message"]}')
    sys.exit(report["verdict"] != "accepted")
