# SPDX-License-Identifier: Apache-2.0
"""test_replay.py BATON - baton replay: recorded documents judged again, on any number of threads, by this program or another."""
import hashlib
import json
import pathlib
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "tools"))

import rule_table  # noqa: E402
from block import envelope, fenced  # noqa: E402
from catalogues import Catalogue, NOW as GOVERNED_NOW  # noqa: E402
from handoffs import handoff, text_of  # noqa: E402
from ledger_tools import do, ledger, opened  # noqa: E402
from program import BATON, ROOT, STRIDE, claim, equal, expect, finish, run  # noqa: E402

NOW = "2026-04-14T09:00:00Z"
EXPIRES = "2026-04-14T08:45:00Z"


def record(folder, texts, dialect="universal", flags=(), code=None):
    """Record texts in one run."""
    names = []
    for text in texts:
        names.append(f"d{len(list(folder.glob('d*.txt')))}.txt")
        (folder / names[-1]).write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run("ledger", "append", "--as", dialect, *names, "--now", NOW, *flags, "-f", "json", cwd=folder)
    if code is not None:
        equal(result.returncode, code)
    return json.loads(result.stdout)


def replay(folder, *flags, code=0):
    return json.loads(do(folder, "replay", *flags, "-f", "json", code=code).stdout)["replay"]


def some(number, **parts):
    return text_of(handoff(context={"summary": f"Build fix number {number}."}, **parts))


def another(folder, name, body):
    """A program that calls the built one and changes what it prints."""
    path = folder / name
    path.write_text(f"""#!{sys.executable}
import json, subprocess, sys
done = subprocess.run([{BATON!r}, *sys.argv[1:]], stdin=sys.stdin, stdout=subprocess.PIPE)
said = json.loads(done.stdout)
code = done.returncode
{body}
print(json.dumps(said))
sys.exit(code)
""", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@claim
def the_program_that_recorded_them_changes_no_verdict_of_any_rule():
    """The bad and the good example of every rule, in the dialects that a document can have."""
    files = {str(path.relative_to(ROOT)): path.read_bytes() for path in (ROOT / "src").rglob("*.rules")}
    rules = rule_table.read_rules(files)
    count = 0
    with ledger() as folder:
        for dialect in ("universal", "plan", "contract", "xml"):
            texts = [text for rule in rules if dialect in rule.dialects for text in (rule.bad, rule.good) if text]
            record(folder, texts[::STRIDE], dialect)
            count += len(texts[::STRIDE])
        found = replay(folder, "--codes")
        equal((found["changed"], found["changes"], found["codes"]), (0, [], {}))
        equal(set(found["unjudged"]) <= {"stateful"}, True)
        equal((found["candidates"] >= count, found["judged"] == found["same"]), (True, True))
        equal(found["judged"] > count * 3 // 4, True)


@claim
def a_planted_change_of_one_rule_lists_its_documents_and_no_others():
    with ledger() as folder:
        expired = set()
        texts = []
        for number in range(12):
            is_expired = number % 5 == 2
            texts.append(some(number, **({"expires_at": EXPIRES} if is_expired else {})))
            expired |= {number} if is_expired else set()
        record(folder, texts, code=0)
        planted = another(folder, "planted", """
for document in said.get("documents", []):
    for finding in document["findings"]:
        if finding["code"] == "EXPIRED":
            finding["severity"] = "HARD"
""")
        honest = another(folder, "honest", "")
        found = replay(folder, "--program", planted, code=1)
        equal([change["seq"] for change in found["changes"]], sorted(expired))
        equal((found["changed"], found["same"], found["codes"]), (2, 10, {"EXPIRED": {"added": 2, "removed": 0}}))
        equal(replay(folder, "--program", honest)["changed"], 0)  # without the change there is nothing to list
        # a flag that does the same gives the same list, with or without another program
        own = replay(folder, "--strict-expiry", code=1)
        equal(own["changes"], found["changes"])
        equal(replay(folder, "--strict-expiry", "--program", honest, code=1)["changes"], own["changes"])


@claim
def the_output_does_not_depend_on_the_number_of_threads():
    with ledger() as folder:
        # a queue starts a thread for each 32 spans of 64 entries
        record(folder, [some(number % 40, **({"expires_at": EXPIRES} if number % 7 == 0 else {})) for number in range(2200)], code=0)
        for flags in (["-f", "json"], ["-f", "jsonl"], ["-f", "markdown"], []):
            outputs = {do(folder, "replay", "--strict-expiry", "--jobs", jobs, *flags, code=1).stdout for jobs in ("1", "2", "7", "64")}
            equal(len(outputs), 1)
        shown = replay(folder, "--strict-expiry", "--jobs", "3", code=1)
        equal([change["seq"] for change in shown["changes"]], list(range(0, 2200, 7)))


@claim
def each_format_says_the_same():
    with ledger() as folder:
        record(folder, [some(0), some(1, expires_at=EXPIRES)], code=0)
        lines = do(folder, "replay", "--strict-expiry", "-f", "jsonl", code=1).stdout.decode().splitlines()
        equal([json.loads(line) for line in lines], replay(folder, "--strict-expiry", code=1)["changes"])
        page = do(folder, "replay", "--strict-expiry", "-f", "markdown", code=1).stdout.decode().splitlines()
        equal(page, ["| seq | dialect | handoff_id | was | is |", "|---|---|---|---|---|",
                     "| 1 | universal |  | accepted | rejected EXPIRED |"])
        text = do(folder, "replay", "--strict-expiry", code=1).stdout.decode()
        equal("2 of 2 recorded handoffs checked again: 1 same, 1 changed" in text, True)
        do(folder, "replay", "-f", "json", "-o", "out.json")
        equal(json.loads((folder / "out.json").read_text())["replay"]["same"], 2)


@claim
def time_is_that_of_the_entry_unless_one_is_pinned_for_all():
    with ledger() as folder:
        record(folder, [some(0, expires_at="2026-04-14T09:30:00Z")], flags=["--strict-expiry"], code=0)
        equal(replay(folder, "--strict-expiry")["changed"], 0)
        late = replay(folder, "--strict-expiry", "--now", "2026-04-15T00:00:00Z", code=1)
        equal(late["changes"][0]["is"], {"verdict": "rejected", "codes": ["EXPIRED"]})


@claim
def codes_count_only_with_the_flag():
    with ledger() as folder:
        record(folder, ['{"handoff":'], code=1)
        other = another(folder, "other", """
for document in said.get("documents", []):
    for finding in document["findings"]:
        finding["code"] = "JSON_UTF8"
""")
        equal(replay(folder, "--program", other)["changed"], 0)
        found = replay(folder, "--program", other, "--codes", code=1)
        equal(found["codes"], {"JSON_SYNTAX": {"added": 0, "removed": 1}, "JSON_UTF8": {"added": 1, "removed": 0}})
        equal(found["changes"][0]["was"], {"verdict": "rejected", "codes": ["JSON_SYNTAX"]})


@claim
def what_needs_the_store_or_the_caller_is_left_out_on_both_sides():
    with ledger() as folder:
        record(folder, [some(0)], flags=["--id", "ho-1"], code=0)
        record(folder, [some(1)], flags=["--id", "ho-1"], code=1)  # REPLAYED_ID
        record(folder, [fenced(envelope()), fenced(envelope())], "contract")
        found = replay(folder, "--codes")
        equal((found["candidates"], found["changed"]), (4, 0))
        equal(found["unjudged"].get("stateful", 0) >= 1, True)
        greedy = another(folder, "greedy", """
for rule in said.get("rules", []):
    if rule["code"] == "TOKENS_OVER_BUDGET":
        rule["needs"] = ["store"]
for document in said.get("documents", []):
    document["findings"].append({"code": "TOKENS_OVER_BUDGET", "severity": "HARD"})
""")
        equal(replay(folder, "--program", greedy)["changed"], 0)  # its own `needs` count as well
        greedier = another(folder, "greedier", """
for document in said.get("documents", []):
    document["findings"].append({"code": "TOKENS_OVER_BUDGET", "severity": "HARD"})
""")
        equal(replay(folder, "--program", greedier, code=1)["changed"] > 0, True)


@claim
def a_governed_handoff_is_judged_only_with_the_root_that_judged_it():
    catalogue = Catalogue()
    with ledger() as folder:
        root = folder / "root"
        catalogue.write(root)
        (folder / "g.json").write_text(json.dumps(catalogue.handoff()), encoding="utf-8")
        do(folder, "govern", "submit", "--root", "root", "--store", ".baton/store.db", "g.json", "--now", GOVERNED_NOW, "-f", "json")
        equal(replay(folder)["unjudged"], {"root": 1})
        same = replay(folder, "--root", "root")
        equal((same["judged"], same["same"], same["unjudged"]), (1, 1, {}))
        manifest = next(root.rglob("*manifest*"))
        manifest.write_text(manifest.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        equal(replay(folder, "--root", "root")["unjudged"], {"root": 1})
        equal(replay(folder, "--root", "root", "--strict", code=1)["judged"], 0)


@claim
def an_answer_to_a_governed_handoff_is_judged_as_an_answer():
    catalogue = Catalogue()
    with ledger() as folder:
        catalogue.write(folder / "root")
        nameless = {key: value for key, value in catalogue.response(number=4).items() if key != "response_id"}
        for act, document, code in (("submit", catalogue.handoff(), 0), ("respond", catalogue.response(number=2), 0), ("respond", catalogue.response(number=3), 1),
                                    ("respond", nameless, 1)):
            (folder / "g.json").write_text(json.dumps(document), encoding="utf-8")
            do(folder, "govern", act, "--root", "root", "--store", ".baton/store.db", "g.json", "--now", GOVERNED_NOW, "-f", "json", code=code)
        for flags in ((), ("--program", BATON)):
            found = replay(folder, "--codes", *flags)
            # the handoff was judged with a root, and the second answer refused since the handoff had been answered
            equal((found["judged"], found["changes"], found["unjudged"]), (2, [], {"root": 1, "stateful": 1}))


@claim
def what_cannot_be_read_is_counted_and_what_is_damaged_stops_it():
    with ledger() as folder:
        record(folder, [some(0), some(1)], code=0)
        record(folder, [some(2)], flags=["--no-document"], code=0)
        record(folder, [some(3)], flags=["--limit", "document_bytes=200"], code=1)
        do(folder, "ledger", "redact", "0", "--reason", "erasure", "--now", NOW)
        found = replay(folder)
        equal((found["candidates"], found["judged"], found["unjudged"]), (4, 1, {"not_kept": 1, "redacted": 1, "truncated": 1}))
        with opened(folder) as database:
            database.execute("UPDATE document SET bytes = zeroblob(10), encoding = 'raw' WHERE bytes IS NOT NULL")
        expect(run("replay", cwd=folder), 2, err="the document of entry 1 was changed")
        with opened(folder) as database:
            database.execute("DELETE FROM document")
        expect(run("replay", cwd=folder), 2, err="the document of entry 0 is missing")
    with ledger() as folder:
        record(folder, [some(0)], code=0)
        with opened(folder) as database:
            entry = database.execute("SELECT entry FROM ledger_entry").fetchone()[0]
            database.execute("UPDATE ledger_entry SET entry = ?", [entry.replace(b"accepted", b"rejected")])
        expect(run("replay", cwd=folder), 2, err="entry 0 does not hash to its leaf")
    with ledger() as folder:
        record(folder, [some(0), some(1), some(2)], code=0)
        for number, change in ((2, "DELETE FROM document WHERE"), (1, "UPDATE document SET bytes = zeroblob(size), encoding = 'raw' WHERE")):
            with opened(folder) as database:
                database.execute(f"{change} rowid = ?", [number + 1])
            why = "is missing" if number == 2 else "was changed"  # the first one in the order of the log is named
            expect(run("replay", cwd=folder), 2, err=f"the document of entry {number} {why}")


@claim
def a_program_that_gives_no_report_is_counted_and_one_that_cannot_run_ends_it():
    with ledger() as folder:
        record(folder, [some(0), some(1)], code=0)
        mute = another(folder, "mute", "if 'documents' in said: sys.exit(0)")
        equal(replay(folder, "--program", mute)["unjudged"], {"failed": 2})
        broken = another(folder, "broken", "if 'documents' in said: sys.exit(3)")
        equal(replay(folder, "--program", broken, "--strict", code=1)["unjudged"], {"failed": 2})
        expect(run("replay", "--program", "./nowhere", cwd=folder), 2, err="cannot run ./nowhere version")
        (folder / "silent").write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / "silent").chmod(0o755)
        found = replay(folder, "--program", "./silent")  # it runs, and gives no report
        equal([found["unjudged"], found["judge"]["version"], found["judge"]["rules"]], [{"failed": 2}, None, None])
        equal(replay(folder, "--program", "/bin/false", "--strict", code=1)["unjudged"], {"failed": 2})
        judge = replay(folder)["judge"]
        equal(replay(folder, "--program", BATON)["judge"], judge)  # it is the same program
        rules = json.loads(run("rules", "-f", "json").stdout)["rules"]
        (folder / "rules.json").write_text(json.dumps(rules), encoding="utf-8")
        canonical = do(folder, "json", "canon", "rules.json").stdout.rstrip(b"\n")
        equal(judge["rules"], hashlib.sha256(canonical).hexdigest())


@claim
def ranges_and_numbers_are_checked():
    with ledger() as folder:
        equal(replay(folder)["to"], None)
        record(folder, [some(0), some(1), some(2)], code=0)
        equal([replay(folder, "--from", "1")[name] for name in ("from", "to", "candidates")], [1, 2, 2])
        equal([replay(folder, "--to", "99")[name] for name in ("from", "to", "candidates")], [0, 2, 3])
        equal(replay(folder, "--dialect", "plan", "--dialect", "contract")["candidates"], 0)
        equal(replay(folder, "--dialect", "plan", "--dialect", "universal")["candidates"], 3)
        for flags, said in ((["--from", "2", "--to", "1"], "--from is above --to"), (["--from", "3"], "no entry in this range"),
                            (["--jobs", "0"], "--jobs wants"), (["--jobs", "65"], "--jobs wants"), (["--max-changes", "-1"], "whole number"),
                            (["--dialect", "plane"], "plane"), (["--from", "x"], "whole number")):
            expect(run("replay", *flags, cwd=folder), 2, err=said)
        size = json.loads(do(folder, "ledger", "tail", "-f", "json").stdout)["size"]
        equal(size, 3)  # nothing was recorded


sys.exit(finish())
