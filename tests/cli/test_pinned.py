# SPDX-License-Identifier: Apache-2.0
"""test_pinned.py BATON - a chosen time in a real ledger: recorded as such, and never the time of the entry."""
import json
import pathlib
import re
import tempfile

from catalogues import Catalogue
from program import claim, equal, expect, finish, report, run

PLAN = "step,agent,action,inputs,outputs,status,notes\n1,@a,x,a,b,pending,\n2,@b,x,b,c,pending,\n"
OLD = "2020-01-02T03:04:05.678999Z"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def place(*init):
    def wrap(test):
        def wrapped():
            with tempfile.TemporaryDirectory(prefix="baton-pinned-") as top:
                expect(run("ledger", "init", "--origin", "log.example/p", "--store", "s.db", *init, cwd=top), 0, err="test" if init else None)
                (pathlib.Path(top) / "p.steps.csv").write_text(PLAN)
                (pathlib.Path(top) / "n.txt").write_text("note\n")
                test(top)
        wrapped.__name__ = test.__name__
        return claim(wrapped)
    return wrap


def append(top, *words):
    result = run("ledger", "append", *words, "--store", "s.db", "-f", "json", cwd=top)
    return result.returncode, report(result)["documents"][0]


def entries(top):
    return [item["entry"] for item in report(run("ledger", "tail", "-f", "json", "--store", "s.db", cwd=top))["entries"]]


@place()
def an_entry_has_the_clock_of_its_node_and_tells_the_pinned_instant(top):
    code, document = append(top, "--raw", "n.txt", "--now", OLD)
    entry = entries(top)[0]
    equal((code, entry["refs"], entry["time"] == document["record"]["time"], entry["time"] > "2024"), (0, {"pinned": "2020-01-02T03:04:05.678Z"}, True, True))
    append(top, "--raw", "n.txt", "--now", "9999-01-01T02:00:00+02:00")
    append(top, "--raw", "n.txt")
    pinned = [one.get("refs") for one in entries(top)]
    equal(pinned[1:], [{"pinned": "9999-01-01T00:00:00.000Z"}, None])
    equal(all(TIME.fullmatch(one["time"]) and one["time"] < "9000" for one in entries(top)), True)
    expect(run("ledger", "verify", "--store", "s.db", cwd=top), 0)


@place()
def a_pinned_day_can_tighten_the_dated_rule_and_not_loosen_it(top):
    code, document = append(top, "p.steps.csv", "--today", "2026-06-01")
    today = document["facts"]["today"]
    severity = "HARD" if today >= "2026-07-01" else "WARN"
    equal((today > "2026-06-01", document["facts"]["today_pinned"], code, document["findings"][0]["severity"]), (True, True, int(severity == "HARD"), severity))
    code, document = append(top, "p.steps.csv", "--today", "9000-01-01")
    equal((code, document["facts"]["today"], document["findings"][0]["severity"]), (1, "9000-01-01", "HARD"))
    equal([one["refs"]["pinned"] for one in entries(top)], ["2026-06-01T00:00:00.000Z", "9000-01-01T00:00:00.000Z"])
    found = report(run("check", "p.steps.csv", "--today", "2026-06-01", "-f", "json", cwd=top))["documents"][0]
    equal((found["facts"]["today"], found["findings"][0]["severity"]), ("2026-06-01", "WARN"))


@place("--seed", "1")
def a_ledger_with_a_test_key_can_be_repeated(top):
    result = run("ledger", "append", "p.steps.csv", "--now", "2026-06-01T10:00:00Z", "--store", "s.db", "-f", "json", cwd=top)
    document = report(result)["documents"][0]
    equal((document["record"]["time"], document["facts"]["today"], entries(top)[0].get("refs")), ("2026-06-01T10:00:00.000Z", "2026-06-01", None))


@claim
def a_block_dates_from_its_entry_and_a_handoff_is_judged_by_the_pinned_time():
    with tempfile.TemporaryDirectory(prefix="baton-pinned-") as top:
        catalogue = Catalogue()
        catalogue.write(pathlib.Path(top) / "root")
        (pathlib.Path(top) / "root/domains/domain-02-analysis.system.prompt.md").write_text("changed")
        (pathlib.Path(top) / "h.json").write_text(json.dumps(catalogue.handoff()))
        found = report(run("govern", "submit", "h.json", "--root", "root", "--store", "s.db", "--now", "2026-03-04T10:00:30Z", "-f", "json", cwd=top))["documents"][0]
        equal((found["blocks"], "STALE_TIMESTAMP" in [f["code"] for f in found["findings"]]), (["domain-02-analysis"], False))
        since = report(run("govern", "blocked", "--store", "s.db", "-f", "json", cwd=top))["blocked"][0]["since"]
        times = [one["time"] for one in entries(top)]
        equal((since, since > "2026-03-05" or since < "2026-03-04"), (times[1], True))
        equal({one["refs"]["pinned"] for one in entries(top)}, {"2026-03-04T10:00:30.000Z"})


finish()
