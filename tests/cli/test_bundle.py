# SPDX-License-Identifier: Apache-2.0
"""test_bundle.py BATON - bundles of a ledger: what is in them and what is not, their page, and every fault of a bundle."""
import base64
import contextlib
import hashlib
import json
import pathlib
import re
import stat
import sys
import tempfile

from handoffs import GOOD, text_of
from ledger_tools import FOREIGN_VKEY, ORIGIN, OTHER_VKEY, VKEY, WITNESS, do, findings, leaf, opened, root, told
from program import claim, equal, finish, run
from server import Server, bearer, make_token

NOW = "2026-02-11T00:45:02Z"
JSON = {"Content-Type": "application/json"}
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> & \u202e\u2028 \u2029 ]]> <!-- <script"


class Case:
    """A ledger of version 2 with two traces, refusals, a redaction and a document that is not text."""

    def __init__(self, entries="2"):
        self.entries = entries

    def __enter__(self):
        self.place = tempfile.TemporaryDirectory(prefix="baton-bundle-")
        self.folder = pathlib.Path(self.place.name)
        self.do("ledger", "init", "--origin", ORIGIN, "--seed", "1", "--entries", self.entries)
        self.append(HOSTILE, "--trace", "t-1", "--source", "clerk", "--target", "desk")
        self.append("of the other trace\n", "--trace", "t-2", "--source", "clerk")
        self.append(b"\xff\xfe\x00", "--trace", "t-1", "--source", "desk")
        self.append("to be deleted\n", "--trace", "t-1", "--source", "clerk")
        self.do("ledger", "redact", "3", "--reason", "erasure 7", "--now", NOW)
        self.append("child\n", "--trace", "t-9", "--ref", "parent=0")
        (self.folder / "bad.json").write_text(text_of(GOOD).replace('"summary"', '"sumary"'))
        self.do("ledger", "append", "bad.json", "--as", "universal", "--now", NOW, code=1)
        return self

    def __exit__(self, *what):
        self.place.cleanup()

    def do(self, *args, code=0):
        return do(self.folder, *args, code=code)

    def append(self, content, *flags):
        (self.folder / "raw.txt").write_bytes(content if isinstance(content, bytes) else content.encode())
        self.do("ledger", "append", "--raw", "raw.txt", "--now", NOW, *flags)

    def bundle(self, name, *flags, code=0):
        return self.do("ledger", "bundle", "-o", name, "--now", "2026-02-12T08:00:00Z", *flags, "-f", "json", code=code)

    def data(self, name, *flags):
        self.bundle(name, *flags)
        return json.loads((self.folder / name).read_text())

    def verify(self, name, *flags, code=0, vkey=VKEY):
        return self.do("ledger", "bundle", "verify", name, "--vkey", vkey, "-f", "json", *flags, code=code)

    def broken(self, data, *expected, code=1):
        text = data if isinstance(data, (str, bytes)) else json.dumps(data)
        (self.folder / "broken").write_bytes(text if isinstance(text, bytes) else text.encode())
        result = self.verify("broken", code=code)
        findings(result)
        equal(told(result), sorted(expected))
        return json.loads(result.stdout)["documents"][0]


def copy_of(data):
    return json.loads(json.dumps(data))


def proven(data, size):
    """The root that the entries and hashes of a bundle lead to, computed from the specification."""
    leaves = {item["seq"]: leaf(item["entry"].encode()) for item in data["entries"]}
    hashes = iter(data["proof"])

    def walk(low, high):
        if not any(low <= seq < high for seq in leaves):
            return bytes.fromhex(next(hashes))
        if high - low == 1:
            return leaves[low]
        split = 1
        while split * 2 < high - low:
            split *= 2
        return hashlib.sha256(b"\1" + walk(low, low + split) + walk(low + split, high)).digest()
    found = walk(0, size)
    equal(list(hashes), [])
    return found


@claim
def a_bundle_has_what_the_log_has_and_verifies():
    with Case() as case:
        data = case.data("all.json")
        size = len(data["entries"])
        equal([item["seq"] for item in data["entries"]], list(range(size)))
        equal(proven(data, size), root([leaf(item["entry"].encode()) for item in data["entries"]]))
        states = {item["state"] for item in data["documents"]}
        equal(states, {"included", "redacted"})
        texts = [item.get("text", item.get("base64")) for item in data["documents"] if item["state"] == "included"]
        for wanted in (HOSTILE, "child\n", base64.b64encode(b"\xff\xfe\x00").decode()):
            equal(texts.count(wanted), 1)
        codes = {code for item in data["entries"] for code in json.loads(item["entry"])["codes"]}
        equal([row["code"] for row in data["rules"]], sorted(codes))
        equal(data["audit"]["entries"], size)
        report = json.loads(case.verify("all.json").stdout)["documents"][0]
        equal((report["dialect"], report["verdict"], report["facts"]["page"]), ("bundle", "accepted", "none"))
        equal(report["facts"]["documents"]["redacted"], 1)
        equal(stat.S_IMODE((case.folder / "all.json").stat().st_mode), 0o600)
        schema = case.do("schema", "print", "bundle").stdout
        (case.folder / "schema.json").write_bytes(schema)
        case.do("schema", "validate", "schema.json", "all.json")


@claim
def a_selection_has_its_entries_what_is_linked_to_them_and_nothing_of_others():
    with Case() as case:
        data = case.data("t.json", "--trace", "t-1")
        seqs = [item["seq"] for item in data["entries"]]
        kinds = {item["seq"]: json.loads(item["entry"])["kind"] for item in data["entries"]}
        equal([seq for seq in seqs if kinds[seq] == "raw"], [0, 2, 3, 5])  # 5 has the parent 0
        equal([kind for kind in kinds.values() if kind == "redaction"], ["redaction"])
        equal(sorted(set(kinds.values())), ["raw", "redaction"])
        text = (case.folder / "t.json").read_text()
        for secret in ("of the other trace", "t-2", "to be deleted"):
            equal(secret in text, False)
        equal((data["selection"]["by"], data["selection"]["value"]), ("trace", "t-1"))
        equal("last" in data["audit"]["unproven"], True)
        equal(told(case.verify("t.json")), [])
        child = case.data("c.json", "--trace", "t-9")
        equal([item["seq"] for item in child["entries"]][:2], [0, 5])
        agent = case.data("a.json", "--agent", "desk")
        equal([item["seq"] for item in agent["entries"] if json.loads(item["entry"])["kind"] == "raw"], [0, 2, 5])
        equal(told(case.verify("a.json")), [])
        ranged = case.data("r.json", "--from", "1", "--to", "2", "--no-documents")
        equal((ranged["selection"]["from"], ranged["selection"]["to"]), (1, 2))
        equal({item["state"] for item in ranged["documents"]}, {"left_out"})
        small = case.data("s.json", "--from", "0", "--to", "1", "--max-document", "20")
        equal(sorted(item["state"] for item in small["documents"]), ["included", "left_out"])
        timed = case.data("i.json", "--from", "2020-01-01T00:00:00Z", "--to", NOW)
        equal(timed["selection"]["from"], 0)


@claim
def what_cannot_be_made_is_refused_and_writes_nothing():
    with Case() as case:
        for flags in (["--trace", "nobody"], ["--trace", "t-1", "--agent", "desk"], ["--from", "5", "--to", "1"], ["--from", "99"],
                      ["--to", "2019-01-01T00:00:00Z"], ["--from", "soon"], ["--max-document", "1048577"], ["--max-document", "x"],
                      ["--title", "x" * 201], ["--trace", "a b"]):
            case.bundle("no.json", *flags, code=2)
            equal((case.folder / "no.json").exists(), False)
        case.bundle("no/where.json", code=2)
        case.bundle("-", code=2)  # elsewhere the standard output, and never the name of a file
        equal((case.folder / "-").exists(), False)
        (case.folder / "there.html").write_text("mine")
        case.bundle("there.html", code=2)
        equal((case.folder / "there.html").read_text(), "mine")
        case.do("ledger", "bundle", code=2)
        case.do("ledger", "bundle", "verify", "there.html", code=2)
        with opened(case.folder) as database:
            database.execute("UPDATE ledger_entry SET entry = CAST(replace(entry, 'clerk', 'clark') AS BLOB) WHERE seq = 1")
        case.bundle("no.json", code=2)


@claim
def an_empty_log_has_a_bundle():
    with tempfile.TemporaryDirectory() as name:
        do(pathlib.Path(name), "ledger", "init", "--origin", ORIGIN, "--seed", "1")
        for file in ("e.json", "e.html"):
            do(pathlib.Path(name), "ledger", "bundle", "-o", file)
            equal(told(do(pathlib.Path(name), "ledger", "bundle", "verify", file, "--vkey", VKEY, "-f", "json")), [])


@claim
def the_page_is_one_file_that_is_the_same_each_time_and_is_recognised():
    with Case() as case:
        case.bundle("one.html", "--title", HOSTILE)
        case.bundle("two.html", "--title", HOSTILE)
        page = (case.folder / "one.html").read_text()
        equal(page, (case.folder / "two.html").read_text())
        equal(json.loads(case.verify("one.html").stdout)["documents"][0]["facts"]["page"], "known")
        scripts = re.findall(r"<script[^>]*>", page)
        equal(scripts, ['<script type="application/json" id="baton-bundle">', "<script>"])
        body = re.search(r"<script>(.*?)</script>", page, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        equal(f"script-src 'sha256-{digest}'" in page, True)
        data = re.search(r'id="baton-bundle">(.*?)</script>', page, re.S)[1]
        equal(re.findall("[<>&\u2028\u2029]", data), [])
        shown = page.replace(body, "").replace(data, "")
        for absent in ("alert(1)</script>", "<img", "http:", "https:", "\u202e", "\u2028", " src=\"", " href="):
            equal((absent, absent in shown), (absent, False))
        for present in (ORIGIN, "clerk \u2192 desk", "not checked: this needs the script", "What this cannot prove", "Annex III"):
            equal((present, present in shown), (present, True))
        altered = page.replace("not checked", "verified")
        report = case.broken(altered, ("BUNDLE_PAGE_UNKNOWN", ""), code=0)
        equal((report["verdict"], report["facts"]["page"]), ("accepted", "unknown"))
        # another script is told of, and the data are judged all the same
        forged = page.replace(body, 'document.body.textContent = "verified"')
        case.broken(forged, ("BUNDLE_PAGE_UNKNOWN", ""), code=0)
        case.broken(forged.replace(data, data.replace('\\"source\\":\\"clerk', '\\"source\\":\\"clark', 1)), ("RECEIPT_PROOF_INVALID", "/proof"))
        case.bundle("t.html", "--trace", "t-1")
        page = (case.folder / "t.html").read_text()
        equal("1 entry not shown" in page, True)
        equal(told(case.verify("t.html")), [])


@claim
def every_fault_of_a_bundle_has_its_code():
    with Case() as case:
        data = case.data("all.json")
        part = case.data("t.json", "--trace", "t-1")
        equal(told(case.verify("all.json", code=1, vkey=OTHER_VKEY)), [("LEDGER_KEY_UNKNOWN", "/log/checkpoint")])
        foreign = findings(case.verify("all.json", code=1, vkey=FOREIGN_VKEY))
        equal([(f["code"], f["params"]) for f in foreign], [("LEDGER_ORIGIN_MISMATCH", {"expected": "ledger.example/other", "actual": ORIGIN})])
        equal(told(case.verify("all.json", "--witness-key", WITNESS, code=1)), [("LEDGER_WITNESS_MISSING", "/log/checkpoint")])
        (case.folder / "p.policy").write_text(f"log {VKEY}\nwitness w {WITNESS}\nquorum w\n")
        result = case.do("ledger", "bundle", "verify", "all.json", "--policy", "p.policy", "-f", "json", code=1)
        equal(told(result), [("LEDGER_WITNESS_MISSING", "/log/checkpoint")])
        syntax = ("BUNDLE_SYNTAX", "")
        for change in (lambda d: d.update(extra=1), lambda d: d.pop("audit"), lambda d: d["made"].update(extra=1),
                       lambda d: d["entries"].reverse(), lambda d: d["entries"].append(d["entries"][-1]), lambda d: d["documents"].reverse(),
                       lambda d: d["documents"].pop(), lambda d: d["documents"].append({"sha256": "f" * 64, "size": 1, "state": "left_out"}),
                       lambda d: d["selection"].update(to=1), lambda d: d["selection"].update(to=999), lambda d: d["selection"].update(value="x"),
                       lambda d: d["selection"].update({"from": None}), lambda d: d["documents"][0].update(size=999999),
                       lambda d: d["documents"][0].update(state="not_kept"), lambda d: d.update(mapping=2)):
            broken = copy_of(data)
            change(broken)
            case.broken(broken, syntax)
        for text in ("<html></html>", '<script type="application/json" id="baton-bundle">{}', '<script type="application/json" id="baton-bundle">{"a":"<b"}</script>'):
            case.broken(text, syntax)
        case.broken("{", ("JSON_SYNTAX", ""))
        case.broken(b"{\"\xff\":1}", ("JSON_UTF8", ""))
        case.broken("", ("JSON_SYNTAX", ""))
        proof = ("RECEIPT_PROOF_INVALID", "/proof")
        for change in (lambda d: d["proof"].pop(), lambda d: d["proof"].append("0" * 64), lambda d: d["entries"][0].update(entry=d["entries"][0]["entry"].replace("clerk", "clark")),
                       lambda d: d["proof"].reverse() if len(d["proof"]) > 1 else d["proof"].clear()):
            broken = copy_of(part)
            change(broken)
            case.broken(broken, proof)
        broken = copy_of(data)
        broken["log"]["checkpoint"] = broken["log"]["checkpoint"].replace("\n7\n", "\n8\n").replace("team\n", "team\n0", 1)
        case.broken(broken, ("LEDGER_CHECKPOINT_SYNTAX", "/log/checkpoint"))
        broken = copy_of(data)
        at = next(i for i, item in enumerate(broken["documents"]) if "text" in item)
        broken["documents"][at]["text"] = "x" + broken["documents"][at]["text"][1:]
        case.broken(broken, ("LEDGER_DOCUMENT_MISMATCH", f"/documents/{at}"))
        broken = copy_of(data)
        at = next(i for i, item in enumerate(broken["documents"]) if item["state"] == "redacted")
        other = case.do("ledger", "receipt", "0", "-f", "json").stdout
        broken["documents"][at]["redaction"] = json.loads(other)
        case.broken(broken, ("RECEIPT_STATEMENT_MISMATCH", f"/documents/{at}/redaction"))
        broken["documents"][at]["redaction"] = {**data["documents"][at]["redaction"], "index": 0}
        case.broken(broken, ("RECEIPT_PROOF_INVALID", f"/documents/{at}/redaction"))


def without(data, seq):
    """The bundle without one entry, with the hash of its leaf at the right place of the proof."""
    made = copy_of(data)
    at = next(i for i, item in enumerate(made["entries"]) if item["seq"] == seq)
    entry = made["entries"].pop(at)["entry"].encode()
    digest = json.loads(entry)["document"]["sha256"]
    made["documents"] = [item for item in made["documents"] if item["sha256"] != digest]
    return made, leaf(entry).hex()


@claim
def an_entry_that_is_left_out_leaves_a_gap():
    with Case() as case:
        data = case.data("all.json")
        made, left = without(data, 1)
        made["proof"] = [left]
        case.broken(made, ("BUNDLE_GAP", "/entries/1"))
        part = case.data("t.json", "--trace", "t-1", "--from", "0")
        made, left = without(part, 2)
        made["proof"].insert(1, left)
        case.broken(made, ("BUNDLE_GAP", "/entries/1"))
        made["selection"].update(by="agent", value="clerk")
        case.broken(made, ("BUNDLE_GAP", "/entries/1"))
        equal(told(case.verify("t.json")), [])
    with Case("1") as case:  # the control: without counters nobody can tell
        made, left = without(case.data("t.json", "--trace", "t-1", "--from", "0"), 2)
        made["proof"].insert(1, left)
        case.broken(made, code=0)


@claim
def the_server_makes_bundles_for_who_operates():
    with Case() as case, contextlib.ExitStack() as stack:
        tokens = {name: make_token(case.folder, name, scopes) for name, scopes in (("ops", "operate"), ("sub", "check,submit"))}
        server = Server(case.folder, "--tokens", "tokens.json", "--allow-test-key")
        stack.callback(server.stop)

        def ask(body, token="ops", accept="application/json"):
            return server.ask("POST", "/v1/ledger/bundle", body, {**JSON, "Accept": accept, **bearer(tokens[token])})
        equal(ask({}, token="sub").status, 403)
        posted = server.ask("POST", "/v1/handoffs?id=p-1&as=universal", text_of(GOOD), {**JSON, **bearer(tokens["sub"])})
        equal(posted.status, 201)
        got = ask({"handoff": "P-1"})
        data = json.loads(got.body)
        equal([json.loads(item["entry"])["kind"] for item in data["entries"]], ["policy", "handoff"])
        equal([(item["state"], hashlib.sha256(item["text"].encode()).hexdigest()) for item in data["policies"]],
              [("included", json.loads(data["entries"][1]["entry"])["refs"]["policy"])])
        for change, code in ((lambda d: d["policies"].pop(), ("BUNDLE_SYNTAX", "")), (lambda d: d["policies"][0].update(text="{}"), ("LEDGER_DOCUMENT_MISMATCH", "/policies/0"))):
            broken = copy_of(data)
            change(broken)
            case.broken(broken, code)
        got = ask({"trace": "t-1", "title": "Case 1"})
        equal((got.status, got.headers["content-type"], got.headers["content-disposition"], got.headers["content-security-policy"]),
              (200, "application/json", "attachment", "sandbox"))
        (case.folder / "got.json").write_bytes(got.body)
        equal(told(case.verify("got.json")), [])
        page = ask({"from": 0, "to": "1"}, accept="text/html")
        equal((page.status, page.headers["content-type"]), (200, "text/html; charset=utf-8"))
        (case.folder / "got.html").write_bytes(page.body)
        equal(json.loads(case.verify("got.html").stdout)["documents"][0]["facts"]["page"], "known")
        for body in ({"trace": "nobody"}, {"trace": "t-1", "agent": "desk"}, {"from": 5, "to": 1}, {"from": "soon"}, {"max_document": 9999999}, {"from": []},
                     {"title": "x" * 201}, {"other": 1}):
            equal((body, ask(body).status), (body, 400))


sys.exit(finish())
