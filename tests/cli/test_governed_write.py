# SPDX-License-Identifier: Apache-2.0
"""test_governed_write.py BATON - catalogues made from prompts, and handoffs made and sealed by their authors."""
import json
import pathlib
import tempfile

from catalogues import Catalogue, NOW, digest
from program import claim, codes, equal, expect, finish, report, run

NEW = ("--root", "root", "--now", NOW, "--source", "domain-05-product", "--target", "domain-02-analysis", "--description", "Find the loss",
       "--expected-output", "A table")


class Place:
    def __init__(self, top):
        self.folder = pathlib.Path(top)
        self.catalogue = Catalogue()
        self.catalogue.write(self.folder / "root")

    def put(self, name, value):
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(value if isinstance(value, str) else json.dumps(value))
        return name

    def run(self, *words, code=0, **more):
        return expect(run(*words, cwd=self.folder), code, **more)

    def prompts_only(self):
        for name in ("manifest", "lock"):
            (self.folder / f"root/versions/prompt-{name}.json").unlink()
        (self.folder / "root/versions").rmdir()


def place(test):
    def wrapped():
        with tempfile.TemporaryDirectory(prefix="baton-write-") as top:
            test(Place(top))
    wrapped.__name__ = test.__name__
    return claim(wrapped)


# ---- Catalogues ------------------------------------------------------------------------------------------------------

@place
def a_catalogue_is_made_from_its_prompts_and_says_what_they_say(at):
    at.prompts_only()
    at.put("root/domains/domain-10-fenced.system.prompt.md", "```\n# Not a heading\n```\n## Domain 10 \u2014 Fenced #\n- a list\n1. another\n**Bold:** x\n\n  Plain "
           + "\u00e9" * 300 + "\n")
    (at.folder / "root/domains/domain-11-empty.system.prompt.md").write_bytes(b"# Domain 11: \xff\xfe\n**Boundary:** \xc3\n")
    at.put("root/domains/domain-12-only.system.prompt.md", "# Domain 12\nSee **Boundary:** what is left \n")
    at.put("root/domains/domain-13-word.system.prompt.md", "# Domain 13 Words\n")
    at.put("root/orchestrators/desk.system.prompt.md", "# Orchestrator - The Desk\nRoutes work.\n")
    at.put("root/archetypes/product-thinker.system.prompt.md", "# Archetype: Product Thinker\n\n### Primary Domain: A (Domain 05) - 50%\n"
           "### Supporting Domain: B (Domain 02) - 30%\n### Minor Domain: C (Domain 09) - 20%\n")
    shown = report(at.run("govern", "init", "--root", "root", "--catalogue-version", "2.1.0", "--now", NOW, "-f", "json"))
    equal(shown["init"], {"manifest": "versions/prompt-manifest.json", "lock": "versions/prompt-lock.json", "written": True})
    manifest = json.loads((at.folder / "root/versions/prompt-manifest.json").read_text())
    lock = json.loads((at.folder / "root/versions/prompt-lock.json").read_text())
    equal((manifest["version"], manifest["generated"], lock["version"]), ("2.1.0", NOW, "2.1.0"))
    equal(manifest["taxonomy"], {"domains": 9, "archetypes": 1, "orchestrators": 1, "total_prompts": 11})
    equal(manifest["archetypes"]["product-thinker"]["composition"], {"domain-05-product": 50, "domain-02-analysis": 30, "domain-09-technical": 20})
    equal({agent: (entry["name"], entry["scope"]) for agent, entry in {**manifest["domains"], **manifest["orchestrators"]}.items() if agent[:9] > "domain-09"
           or agent == "desk"},
          {"domain-10-fenced": ("Fenced", "Plain " + "\u00e9" * 194), "domain-11-empty": ("domain-11-empty", "domain-11-empty"),
           "domain-12-only": ("domain-12-only", "what is left"), "domain-13-word": ("Domain 13 Words", "Domain 13 Words"), "desk": ("The Desk", "Routes work.")})
    equal(lock["prompts"]["desk"]["hash"], digest("# Orchestrator - The Desk\nRoutes work.\n"))
    at.run("govern", "verify-root", "--root", "root")


@place
def what_would_not_be_sound_is_not_written(at):
    at.prompts_only()
    found = report(at.run("govern", "init", "--root", "root", "-f", "json", code=1))  # an archetype without headings has no composition
    equal("COMPOSITION_VIOLATION" in [finding["code"] for document in found["documents"] for finding in document["findings"]], True)
    at.put("root/archetypes/product-thinker.system.prompt.md", "### Primary Domain: A (Domain 05) - 50%\n### Minor Domain: C (Domain 66) - 50%\n")
    equal("COMPOSITION_VIOLATION" in codes(at.run("govern", "init", "--root", "root", "-f", "json", code=1)), True)
    (at.folder / "root/archetypes/product-thinker.system.prompt.md").unlink()
    for folder, name in (("domains", "domain-1-x"), ("domains", "domain-01-"), ("domains", "Domain-01-x"), ("archetypes", "9x"), ("archetypes", "a--b"),
                         ("orchestrators", "a_b"), ("domains", "")):
        path = at.put(f"root/{folder}/{name}.system.prompt.md", "# x\n")
        found = report(at.run("govern", "init", "--root", "root", "-f", "json", code=1))["documents"]
        equal([(document["path"], [(f["code"], f["severity"]) for f in document["findings"]]) for document in found],
              [(path[len("root/"):], [("PROMPT_FILE_NAME", "HARD")])])
        (at.folder / path).unlink()
    equal("SCHEMA_PATTERN" in codes(at.run("govern", "init", "--root", "root", "--catalogue-version", "one", "-f", "json", code=1)), True)
    (at.folder / "root/domains/domain-99-link.system.prompt.md").symlink_to("domain-01-content.system.prompt.md")
    equal("HASH_VERIFICATION_FAILURE" in codes(at.run("govern", "init", "--root", "root", "-f", "json", code=1)), True)
    equal((at.folder / "root/versions").exists(), False)


@place
def nothing_is_made_twice_or_from_nothing(at):
    at.run("govern", "init", "--root", "root", code=2, err="exists already")
    (at.folder / "root/versions/prompt-manifest.json").unlink()
    at.run("govern", "init", "--root", "root", code=2, err="a lock without its manifest")
    (at.folder / "empty").mkdir()
    at.run("govern", "init", "--root", "empty", code=2, err="no prompt found")
    equal(list((at.folder / "empty").iterdir()), [])


# ---- Handoffs --------------------------------------------------------------------------------------------------------

@place
def a_new_handoff_is_whole_and_accepted(at):
    made = json.loads(at.run("new", "governed", *NEW, "--seed", "1").stdout)
    equal(made, {"handoff_id": made["handoff_id"], "timestamp": NOW, "protocol_version": "1.0.0",
                 "source_agent": at.catalogue.agent("domain-05-product"), "target_agent": at.catalogue.agent("domain-02-analysis"),
                 "context": {"request": {"type": "task", "description": "Find the loss", "input_data": {}, "constraints": [], "expected_output": "A table"},
                             "state": {"conversation_history": [], "accumulated_context": {}, "decisions_made": []}},
                 "governance": {"source_agent_verified": True, "target_agent_verified": True, "composition_valid": True, "boundaries_respected": True,
                                "audit_trail": "baton:" + made["handoff_id"]}})
    at.put("history.json", [{"role": "user", "content": "x"}])
    document = report(at.run("new", "governed", *NEW, "--type", "query", "--input", '"a text"', "--constraint", "one", "--constraint", "two", "--history",
                             "@history.json", "--context", '{ "a" : 1 }', "--audit-trail", "mine", "-f", "json", "-o", "h.json"))["documents"][0]
    equal((document["path"], document["defaults"]), ("<new>", {"decisions_made": []}))
    text = (at.folder / "h.json").read_bytes()
    equal(document["written"], {"path": "h.json", "bytes": len(text), "sha256": digest(text.decode()), "fallback": False})
    equal(json.loads(text), document["document"])
    at.run("govern", "submit", "h.json", "--root", "root", "--store", "s.db", "--now", NOW, err="made sqlite:s.db")
    at.run("new", "governed", *NEW, "-o", "h.json", code=2, err="exists already")


@place
def one_that_would_be_refused_is_told_and_not_written(at):
    for change, code in ((("--target", "domain-07-personal"), "BOUNDARY_VIOLATION"), (("--target", "nobody"), "INVALID_AGENT_REFERENCE"),
                         (("--description", " "), "INSUFFICIENT_CONTEXT"), (("--input", "[1]"), "SCHEMA_TYPE")):
        result = at.run("new", "governed", *NEW, *change, "-f", "json", "-o", "no.json", code=1)
        equal((change, codes(result)), (change, [code]))
        equal(report(result)["documents"][0]["written"], None)
    (at.folder / "root/versions/prompt-manifest.json").unlink()
    equal(codes(at.run("new", "governed", *NEW, "-f", "json", code=1)), ["MANIFEST_UNUSABLE"])
    equal((at.folder / "no.json").exists(), False)
    at.run("new", "governed", *NEW, "--type", "wish", code=2, err="wish")
    at.run("new", "governed", *NEW, "--input", "{", code=2, err="--input is not JSON")


@place
def all_missing_flags_are_named_at_once(at):
    result = at.run("new", "governed", "--root", "root", "--source", "x", code=2, err="new governed needs --target, --description and --expected-output")
    for line in ("--target ID", "--description TEXT", "--expected-output TEXT", "example: baton new governed"):
        equal((line, line in result.stderr.decode()), (line, True))


@place
def sealing_changes_what_the_catalogue_knows_and_no_other_byte(at):
    handoff = at.catalogue.handoff()
    text = json.dumps(handoff, indent=3, ensure_ascii=False).replace('"domain-02-analysis"', '"domain\\u002d02-analysis"')
    stale = text.replace(at.catalogue.lock["prompts"]["domain-02-analysis"]["hash"], "1" * 64).replace('"agent_version": "1.0.0"', '"agent_version":   "0.9.0"')
    stale = stale.replace('"composition_valid": true', '"composition_valid": false').replace('"agent_type": "domain"', '"agent_type": null', 1)
    sealed = at.run("govern", "seal", at.put("d.json", stale), "--root", "root").stdout.decode()
    equal(sealed, text.replace('"agent_version": "1.0.0"', '"agent_version":   "1.0.0"'))
    at.run("govern", "seal", "d.json", "--root", "root", "--in-place")
    equal(((at.folder / "d.json").read_text(), (at.folder / "d.json.orig").read_text()), (sealed, stale))
    again = report(at.run("govern", "seal", "d.json", "--root", "root", "--in-place", "-f", "json"))["documents"][0]
    equal((again["written"], (at.folder / "d.json.orig.2").exists()), (None, False))


@place
def members_that_are_missing_are_added(at):
    handoff = at.catalogue.handoff()
    for agent in ("source_agent", "target_agent"):
        handoff[agent] = {"agent_id": handoff[agent]["agent_id"]}
    handoff["governance"] = {"audit_trail": "a"}
    equal(json.loads(at.run("govern", "seal", at.put("d.json", handoff), "--root", "root").stdout), at.catalogue.handoff())


@place
def a_renewed_handoff_has_a_new_id_and_time_and_a_refused_one_is_left(at):
    old = at.catalogue.handoff()
    new = json.loads(at.run("govern", "seal", at.put("d.json", old), "--root", "root", "--renew", "--now", "2026-04-01T00:00:00.5Z").stdout)
    equal(new["timestamp"], "2026-04-01T00:00:00Z")
    equal(new["handoff_id"] != old["handoff_id"] and {**new, "handoff_id": 0, "timestamp": 0} == {**old, "handoff_id": 0, "timestamp": 0}, True)
    for document, code in ((at.catalogue.handoff("domain-07-personal", "domain-02-analysis"), "BOUNDARY_VIOLATION"), ("{", "JSON_SYNTAX"), ("[]", "SCHEMA_TYPE"),
                           ({**old, "source_agent": 7}, "SCHEMA_TYPE"), ({**old, "override": True}, "SCHEMA_ADDITIONAL_PROPERTIES")):
        result = at.run("govern", "seal", at.put("bad.json", document), "--root", "root", "--in-place", "-f", "json", code=1)
        equal(codes(result), [code])
    (at.folder / "root/domains/domain-02-analysis.system.prompt.md").write_text("changed")
    equal(codes(at.run("govern", "seal", "d.json", "--root", "root", "-f", "json", code=1)), ["HASH_VERIFICATION_FAILURE"])
    at.run("govern", "seal", "-", "--root", "root", "--in-place", code=2, err="standard input")


finish()
