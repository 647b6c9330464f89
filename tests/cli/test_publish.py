# SPDX-License-Identifier: Apache-2.0
"""test_publish.py BATON - baton plan schema publish and baton schema diff: what is written, compared, recorded and refused."""
import hashlib
import json
import os
import sys

from ledger_tools import do, ledger
from program import claim, equal, expect, finish, report, run

PLACE = "schemas/handoff-payloads"


def schema(version, properties=("id",), required=("id",), **more):
    return {"$id": f"order/v{version}.schema.json", "type": "object", "properties": {name: {"type": "string"} for name in properties},
            "required": list(required), "additionalProperties": False, **more}


def put(folder, name, content):
    (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return name


def publish(folder, content, *flags, code=0):
    result = run("plan", "schema", "publish", put(folder, "new.json", content), "--root", ".", *flags, "-f", "json", cwd=folder)
    equal((result.returncode, result.stdout[:300] if result.returncode != code else b""), (code, b""))
    return report(result)


def codes(shown):
    return [(finding["code"], finding["severity"]) for document in shown["documents"] for finding in document["findings"]]


@claim
def a_version_is_compared_with_the_highest_lower_one():
    with ledger() as folder:
        publish(folder, schema(2))
        publish(folder, schema(10, ("id", "note")))
        publish(folder, schema(30, ("id", "note", "x")))
        shown = publish(folder, schema(11, ("id", "note", "more")))["publish"]
        equal((shown["previous"], shown["compat"]["backward"]), ("order/v10.schema.json", "compatible"))
        path = folder / PLACE / "order.v11.schema.json"
        equal(shown["sha256"], hashlib.sha256(path.read_bytes()).hexdigest())
        equal((oct(path.stat().st_mode & 0o777), sorted(os.listdir(folder / PLACE))),
              ("0o644", [f"order.v{number}.schema.json" for number in (10, 11, 2, 30)]))


@claim
def what_breaks_is_refused_unless_somebody_answers_for_it():
    with ledger() as folder:
        publish(folder, schema(1, ("id", "kind")))
        strict = schema(2, ("id", "kind"), ("id", "kind"))
        equal(codes(publish(folder, strict, code=1)), [("COMPAT_BREAKING", "HARD")])
        equal(publish(folder, schema(2, ("id", "kind", "new")), "--mode", "full", "--dry-run", code=1)["publish"]["compat"]["mode"], "full")
        expect(run("plan", "schema", "publish", "new.json", "--root", ".", "--allow-breaking", cwd=folder), 2, err="--allow-breaking needs a --reason")
        for reason in ("", "two\nlines", "-", "x" * 201):
            expect(run("plan", "schema", "publish", "new.json", "--root", ".", "--allow-breaking", "--reason", reason, cwd=folder), 2, err="--reason wants")
        equal(os.listdir(folder / PLACE), ["order.v1.schema.json"])
        shown = publish(folder, strict, "--allow-breaking", "--reason", "ticket 7")
        equal((codes(shown), shown["publish"]["written"]), ([("COMPAT_BREAKING", "WARN")], True))
        equal(codes(publish(folder, {**schema(3), "additionalProperties": True}, code=1))[0][1], "HARD")  # a bad schema is never written
        equal(sorted(os.listdir(folder / PLACE)), ["order.v1.schema.json", "order.v2.schema.json"])


@claim
def a_published_version_never_changes():
    with ledger() as folder:
        publish(folder, schema(1))
        equal(publish(folder, schema(1))["publish"]["already"], True)
        other = publish(folder, schema(1, ("id", "x")), "--allow-breaking", "--reason", "no", code=1)
        equal((codes(other), other["publish"]["written"]), ([("PUBLISH_EXISTS", "HARD")], False))
        equal(json.loads((folder / PLACE / "order.v1.schema.json").read_text()), schema(1))


@claim
def a_dry_run_writes_and_records_nothing():
    with ledger() as folder:
        shown = publish(folder, schema(1), "--dry-run", "--store", ".baton/store.db")["publish"]
        equal((shown["written"], shown["already"], (folder / "schemas").exists()), (False, False, False))
        equal(json.loads(do(folder, "ledger", "tail", "-f", "json").stdout)["size"], 0)


@claim
def a_publication_is_recorded_before_it_is_written():
    with ledger() as folder:
        publish(folder, schema(1, ("id", "kind")), "--store", ".baton/store.db", "--now", "2026-02-11T00:45:02Z")
        publish(folder, schema(2, ("id", "kind"), ("id", "kind")), "--store", ".baton/store.db", "--allow-breaking", "--reason", "ticket 7", "--actor", "ann")
        entries = json.loads(do(folder, "ledger", "tail", "-f", "json").stdout)["entries"]
        equal([(entry["kind"], entry["verdict"], entry["handoff_id"], entry["source"], entry["actor"], entry.get("refs", {}).get("reason"))
               for entry in (item["entry"] for item in entries)],
              [("raw", "recorded", "order/v1.schema.json", "schemas", "cli", None), ("raw", "recorded", "order/v2.schema.json", "schemas", "ann", "ticket 7")])
        equal(do(folder, "ledger", "show", "1", "--document").stdout, (folder / PLACE / "order.v2.schema.json").read_bytes())
        publish(folder, schema(3, ("id", "kind", "more")), "--store", ".baton/store.db", "--allow-breaking", "--reason", "not needed")
        equal("refs" in json.loads(do(folder, "ledger", "show", "2", "-f", "json").stdout)["entry"], False)  # nothing breaks
        (folder / PLACE / "order.v3.schema.json").unlink()
        # the record has the version with other content, although the file is gone
        (folder / PLACE / "order.v2.schema.json").unlink()
        put(folder, "new.json", schema(2, ("id", "kind", "y")))
        expect(run("plan", "schema", "publish", "new.json", "--root", ".", "--store", ".baton/store.db", cwd=folder), 2, err="has another document as order/v2.schema.json")
        put(folder, "new.json", schema(4, ("id", "kind", "z")))
        expect(run("plan", "schema", "publish", "new.json", "--root", ".", "--store", "nowhere.db", cwd=folder), 2, err="cannot open the ledger")
        equal(os.listdir(folder / PLACE), ["order.v1.schema.json"])


@claim
def a_diff_lists_changes_without_annotations_and_judges_nothing():
    with ledger() as folder:
        put(folder, "a.json", schema(1, description="old words"))
        put(folder, "b.json", schema(1, description="new words"))
        put(folder, "c.json", schema(2, ("id", "note")))
        equal(json.loads(do(folder, "schema", "diff", "a.json", "b.json", "-f", "json").stdout)["diff"]["changes"], [])
        found = json.loads(do(folder, "schema", "diff", "a.json", "c.json", "-f", "json").stdout)["diff"]
        equal(found["changes"], [{"op": "replace", "pointer": "/$id"}, {"op": "add", "pointer": "/properties/note"}])
        equal((found["backward"], found["forward"], list(found["counterexamples"])), ("compatible", "incompatible", ["forward"]))
        text = do(folder, "schema", "diff", "a.json", "c.json").stdout.decode()
        equal("add /properties/note" in text and "forward: incompatible, as this payload shows: " in text, True)
        put(folder, "bad.json", {"$id": "order/v3.schema.json"})
        equal(run("schema", "diff", "a.json", "bad.json", cwd=folder).returncode, 1)
        equal(run("schema", "diff", "bad.json", "a.json", "-f", "json", cwd=folder).returncode, 1)
        equal(run("schema", "diff", "a.json", "nothing.json", cwd=folder).returncode, 2)
        (folder / PLACE).mkdir(parents=True)
        put(folder / PLACE, "order.v1.schema.json", schema(1))
        put(folder / PLACE, "order.v2.schema.json", schema(2))
        equal(run("schema", "diff", "order/v1.schema.json", "order/v2.schema.json", "--root", ".", cwd=folder).returncode, 0)


sys.exit(finish())
