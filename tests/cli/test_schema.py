# SPDX-License-Identifier: Apache-2.0
"""test_schema.py BATON - baton schema: documents judged by schemas, schemas judged by themselves."""
import json
import os
import pathlib
import sys

from program import ROOT, claim, claim_if, codes, equal, expect, finish, folder, on_terminal, report, run

# The newest edition of the JSON Schema test suite that is here: beside the tree, or Debian's.
SUITES = [ROOT.parent / "shared" / "data" / "json-schema-test-suite",
          pathlib.Path("/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance")]
SUITE = next((path for path in SUITES if path.is_dir()), SUITES[-1])
ORDER = {
    "type": "object",
    "properties": {"id": {"type": "integer", "minimum": 1}, "kind": {"enum": ["new", "used"]}},
    "required": ["id"],
    "additionalProperties": False,
}


def files(**named):
    """A folder of files; `a__b` is a/b.json, values that are not text are written as JSON."""
    return folder({name.replace("__", "/") + ".json": text if isinstance(text, (str, bytes)) else json.dumps(text)
                   for name, text in named.items()})


def found(result):
    """(code, pointer) of each finding."""
    return [(finding["code"], finding["pointer"]) for document in report(result)["documents"]
            for finding in document["findings"]]


def validate(schema, instance, *flags, code=1, **more):
    with files(s=schema, i=instance, **more) as place:
        return expect(run("schema", "validate", "-f", "json", *flags, "s.json", "i.json", cwd=place), code)


def check(schema, *flags, code=0, **more):
    with files(s=schema, **more) as place:
        return expect(run("schema", "check", "-f", "json", *flags, "s.json", cwd=place), code)


def lint(schema, *flags):
    """(rule, pointer) of each warning."""
    return [(finding["params"]["rule"], finding["pointer"])
            for finding in report(check(schema, *flags))["documents"][0]["findings"]]


# ---- validate ----

@claim
def a_valid_document_is_accepted():
    shown = report(validate(ORDER, {"id": 3, "kind": "new"}, code=0))
    document = shown["documents"][0]
    equal((document["path"], document["dialect"], document["verdict"], document["findings"]),
          ("i.json", "json", "accepted", []))
    equal(sorted(document["facts"]), ["bytes", "nodes", "work"])
    equal((document["facts"]["bytes"], document["facts"]["nodes"]), (len(json.dumps({"id": 3, "kind": "new"})), 2))
    equal(shown["summary"], {"documents": 1, "accepted": 1, "rejected": 0, "hard": 0, "warn": 0, "info": 0, "failures": 0, "suppressed": 0, "fixed": 0})


@claim
def everything_that_is_wrong_is_reported_at_its_place():
    result = validate(ORDER, '{"id": 0,\n "kind": "old",\n "note": 1}')
    equal(found(result), [("SCHEMA_MINIMUM", "/id"), ("SCHEMA_ENUM", "/kind"), ("SCHEMA_ADDITIONAL_PROPERTIES", "/note")])
    findings = report(result)["documents"][0]["findings"]
    equal([(finding["line"], finding["column"]) for finding in findings], [(1, 8), (2, 10), (3, 10)])
    equal({finding["stage"] for finding in findings}, {"schema"})
    equal(found(validate(ORDER, {})), [("SCHEMA_REQUIRED", "")])


@claim
def each_instance_is_a_document_and_one_bad_one_rejects():
    with files(s=ORDER, a={"id": 1}, b={"id": "x"}, c="[", d={"id": 2}) as place:
        result = expect(run("schema", "validate", "-f", "json", "s.json", "a.json", "b.json", "c.json", "d.json", cwd=place), 1)
        equal([(document["path"], document["verdict"]) for document in report(result)["documents"]],
              [("a.json", "accepted"), ("b.json", "rejected"), ("c.json", "rejected"), ("d.json", "accepted")])
        equal(codes(result), ["SCHEMA_TYPE", "JSON_SYNTAX"])


@claim
def instances_that_cannot_be_read_as_json_have_the_findings_of_check():
    for text, code in (("", "JSON_SYNTAX"), ('{"a":1,"a":2}', "JSON_DUPLICATE_KEY"), (b'["\xff"]', "JSON_UTF8"),
                       ("[" * 200 + "]" * 200, "JSON_TOO_DEEP"), ("\ufeff{}", "JSON_SYNTAX")):
        with files(s=True, i=text) as place:
            result = expect(run("schema", "validate", "-f", "json", "s.json", "i.json", cwd=place), 1)
            checked = report(run("check", "--as", "json", "-f", "json", "i.json", cwd=place))
            equal(codes(result), [code])
            equal(report(result)["documents"][0]["findings"], checked["documents"][0]["findings"])
    expect(run("schema", "validate", "--limit", "depth=1", "-", "-", stdin="{}"), 2, err="read already")


@claim
def warnings_of_the_reader_stay():
    equal(found(validate({"type": "string"}, '"\\ud800"', code=0)), [("JSON_LONE_SURROGATE", "")])
    equal(found(validate({"type": "array"}, '"\\ud800"')), [("JSON_LONE_SURROGATE", ""), ("SCHEMA_TYPE", "")])


@claim
def standard_input_may_be_the_schema_or_an_instance():
    with files(s=ORDER, i={"id": 1}) as place:
        expect(run("schema", "validate", "s.json", "-", stdin='{"id":1}', cwd=place), 0)
        expect(run("schema", "validate", "-", "i.json", stdin=json.dumps(ORDER), cwd=place), 0)
        result = run("schema", "validate", "-f", "json", "s.json", "-", stdin="{}", cwd=place)
        equal(report(expect(result, 1))["documents"][0]["path"], "<stdin>")
        expect(run("schema", "validate", "s.json", "-", "-", stdin="{}", cwd=place), 2, err="standard input was read already")


@claim
def a_schema_that_is_wrong_is_shown_and_judges_nothing():
    for schema, code, pointer in (
        ({"type": "strnig"}, "SCHEMA_ANY_OF", "/type"),
        ({"properties": {"a": {"minimum": "1"}}}, "SCHEMA_TYPE", "/properties/a/minimum"),
        ({"$ref": "#/$defs/none"}, "SCHEMA_REF_UNRESOLVED", "/$ref"),
        ({"items": {"pattern": "(a"}}, "PATTERN_INVALID", "/items/pattern"),
        ({"$ref": "#"}, "SCHEMA_CYCLE", None),
        (42, "SCHEMA_TYPE", ""),
        ("{", "JSON_SYNTAX", ""),
    ):
        shown = report(validate(schema, {}))
        equal((schema, [document["path"] for document in shown["documents"]]), (schema, ["s.json"]))
        document = shown["documents"][0]
        equal((document["dialect"], document["verdict"]), ("schema", "rejected"))
        finding = document["findings"][0]
        equal((schema, finding["code"], finding["pointer"] if pointer is not None else None), (schema, code, pointer))


@claim
def a_good_schema_is_not_shown_and_one_with_a_warning_is():
    equal(len(report(validate(ORDER, {"id": 1}, code=0))["documents"]), 1)
    shown = report(validate('{"title":"\\ud800"}', 1, code=0))
    equal([(document["path"], document["dialect"]) for document in shown["documents"]],
          [("s.json", "schema"), ("i.json", "json")])


@claim
def drafts_are_told_apart():
    for draft, schema, valid, invalid in (
        ("3", {"divisibleBy": 2}, 4, 3),
        ("4", {"maximum": 3, "exclusiveMaximum": True}, 2, 3),
        ("6", {"items": [{"type": "string"}]}, ["a"], [1]),
        ("7", {"if": {"type": "string"}, "then": {"maxLength": 1}}, '"a"', '"ab"'),
        ("2019-09", {"$defs": {"a": {"type": "null"}}, "$ref": "#/$defs/a", "items": [True]}, None, [1]),
        ("2020-12", {"prefixItems": [{"type": "null"}]}, [None], [1]),
    ):
        validate(schema, valid, "--draft", draft, code=0)
        validate(schema, invalid, "--draft", draft, code=1)
    uris = {"http://json-schema.org/draft-04/schema#": 4, "http://json-schema.org/draft-07/schema#": 7}
    for uri, draft in uris.items():
        validate({"$schema": uri, "const": 1}, 2, code=0 if draft == 4 else 1)
    # $schema outweighs the flag.
    validate({"$schema": "http://json-schema.org/draft-07/schema#", "const": 1}, 2, "--draft", "4", code=1)
    equal(found(validate({"$schema": "urn:unknown"}, 1)), [("SCHEMA_REF_UNRESOLVED", "/$schema")])


@claim
def formats_decide_only_when_asked():
    validate({"format": "ipv4"}, '"1.2.3"', code=0)
    equal(found(validate({"format": "ipv4"}, '"1.2.3"', "--formats")), [("SCHEMA_FORMAT", "")])
    validate({"format": "ipv4"}, '"1.2.3.4"', "--formats", code=0)


@claim
def numbers_are_exact():
    validate({"maximum": 9007199254740992}, "9007199254740993", code=1)
    validate({"const": 1}, "1.0", code=0)
    validate({"multipleOf": 0.1}, "0.3", code=0)


@claim
def a_spent_budget_rejects_and_is_a_security_event():
    schema = {"items": {"type": "integer", "minimum": 0}}
    result = validate(schema, list(range(1000)), "--budget", "10")
    finding = report(result)["documents"][0]["findings"][0]
    equal((finding["code"], finding["severity"], finding["security"], finding["params"]),
          ("SCHEMA_BUDGET", "HARD", True, {"spent": "work", "limit": 10}))
    equal(codes(validate({"not": schema}, list(range(1000)), "--budget", "10")), ["SCHEMA_BUDGET"])
    work = report(validate(schema, list(range(1000)), code=0))["documents"][0]["facts"]["work"]
    validate(schema, list(range(1000)), "--budget", str(work), code=0)
    # Other documents of the run have a budget of their own.
    with files(s=schema, a=list(range(1000)), b=[1]) as place:
        result = expect(run("schema", "validate", "-f", "json", "--budget", "10", "s.json", "a.json", "b.json", cwd=place), 1)
        equal([document["verdict"] for document in report(result)["documents"]], ["rejected", "accepted"])


@claim
def bounds_must_be_numbers_above_zero():
    with files(s=True, i=1) as place:
        for value in ("0", "-1", "x", "1.5", "", "99999999999999999999"):
            expect(run("schema", "validate", f"--budget={value}", "s.json", "i.json", cwd=place), 2, err="--budget wants")
        for value in ("0", "0.0", "-1", "x", "1.", ".5", "1e3", "", "1.0000000001", "99999999999"):
            expect(run("schema", "validate", f"--timeout={value}", "s.json", "i.json", cwd=place), 2, err="--timeout wants")
        for value in ("1", "60", "30.5", "1000000000", "99.999999999"):
            expect(run("schema", "validate", "--timeout", value, "s.json", "i.json", cwd=place), 0)
        expect(run("schema", "validate", "--draft", "2020-21", "s.json", "i.json", cwd=place), 2, err="did you mean 2020-12?")


@claim
def what_cannot_be_read_is_exit_2():
    with files(s=ORDER, i={"id": 1}) as place:
        expect(run("schema", "validate", "none.json", "i.json", cwd=place), 2, err="cannot read none.json")
        result = expect(run("schema", "validate", "-f", "json", "s.json", "none.json", "i.json", cwd=place), 2, err="none.json")
        equal(report(result)["summary"]["accepted"], 1)
        expect(run("schema", "validate", "s.json", ".", cwd=place), 2, err="cannot read .")
        expect(run("schema", "validate", "s.json", cwd=place), 2, err="schema validate needs SCHEMA INSTANCE")
        expect(run("schema", "validate", "--root", "none", "s.json", "i.json", cwd=place), 2, err="cannot use the root none")
        expect(run("schema", "validate", "--root", "s.json", "s.json", "i.json", cwd=place), 2, err="cannot use the root")


@claim
def every_format_of_reports_is_there():
    with files(s=ORDER, i={"id": 0}) as place:
        equal(expect(run("schema", "validate", "-f", "concise", "s.json", "i.json", cwd=place), 1).stdout.decode(),
              "i.json:1:8: error: SCHEMA_MINIMUM 0 is below 1\n")
        expect(run("schema", "validate", "-f", "full", "-f", "sarif", "-o", "x.sarif", "s.json", "i.json", cwd=place), 1,
               out="error[SCHEMA_MINIMUM]")
        equal(json.loads((pathlib.Path(place) / "x.sarif").read_text())["version"], "2.1.0")


# ---- JSON Lines ----

@claim
def each_line_is_a_document_with_its_place_in_the_file():
    lines = '{"id":1}\n\n  \t\r\n{"id":"x"}\r\n{"id":2,\n{"id":0}'
    with folder({"s.json": json.dumps(ORDER), "l.jsonl": lines}) as place:
        result = expect(run("schema", "validate", "--jsonl", "-f", "json", "s.json", "l.jsonl", cwd=place), 1)
        shown = report(result)["documents"]
        equal([(document["path"], document["line"], document["verdict"]) for document in shown],
              [("l.jsonl", 1, "accepted"), ("l.jsonl", 4, "rejected"), ("l.jsonl", 5, "rejected"), ("l.jsonl", 6, "rejected")])
        equal([(finding["code"], finding["line"], finding["column"]) for document in shown for finding in document["findings"]],
              [("SCHEMA_TYPE", 4, 7), ("JSON_SYNTAX", 5, 9), ("SCHEMA_MINIMUM", 6, 7)])
        equal("at column 9" in shown[2]["findings"][0]["message"], True)
        text = expect(run("schema", "validate", "--jsonl", "s.json", "l.jsonl", cwd=place), 1).stdout.decode()
        equal("l.jsonl:6:7" in text and '6 | {"id":0}' in text, True)
        # A line is not a document of its own unless somebody says so.
        equal(codes(run("schema", "validate", "-f", "json", "s.json", "l.jsonl", cwd=place)), ["JSON_SYNTAX"])


@claim
def lines_come_from_standard_input_too():
    with files(s=ORDER) as place:
        result = run("schema", "validate", "--jsonl", "-f", "json", "s.json", "-", stdin='{"id":1}\n{"id":2}\n', cwd=place)
        equal(report(expect(result, 0))["summary"]["accepted"], 2)


@claim
def a_file_without_lines_is_no_pass():
    for text in ("", "\n\n", " \r\n"):
        with folder({"s.json": "true", "l.jsonl": text}) as place:
            expect(run("schema", "validate", "--jsonl", "s.json", "l.jsonl", cwd=place), 2, err="every line is blank")


@claim
def a_line_is_bounded_as_a_document():
    with folder({"s.json": "true", "l.jsonl": "[1]\n[1,2,3]\n"}) as place:
        result = run("schema", "validate", "--jsonl", "-f", "json", "--limit", "nodes=2", "s.json", "l.jsonl", cwd=place)
        equal([finding["line"] for finding in report(expect(result, 1))["documents"][1]["findings"]], [2])
        result = run("schema", "validate", "--jsonl", "--limit", "document_bytes=5", "s.json", "l.jsonl", cwd=place)
        expect(result, 1, out="JSON_TOO_LARGE")


# ---- References and --root ----

@claim
def references_lead_to_files_beneath_the_root():
    with files(root__a__s={"$ref": "t.json"}, root__a__t={"items": {"$ref": "../b/u.json#/$defs/n"}},
               root__b__u={"$defs": {"n": {"type": "null"}}}, good=[None], bad=[1]) as place:
        for root in ("root", "./root/", str(pathlib.Path(place) / "root"), "root/../root"):
            expect(run("schema", "validate", "--root", root, "root/a/s.json", "good.json", cwd=place), 0)
            expect(run("schema", "validate", "--root", root, "root/a/s.json", "bad.json", cwd=place), 1, out="SCHEMA_TYPE")
        # The root may be the folder itself, and the schema may come from elsewhere.
        schema = json.dumps({"$ref": "a/t.json"})
        expect(run("schema", "validate", "--root", "root", "-", "bad.json", stdin=schema, cwd=place), 1, out="SCHEMA_TYPE")
        uri = (pathlib.Path(place).resolve() / "root/a/t.json").as_uri()
        schema = json.dumps({"allOf": [{"$ref": uri}, {"$ref": "file:///a/t.json"}, {"$ref": "/a/t.json"}]})
        expect(run("schema", "validate", "--root", "root", "-", "good.json", stdin=schema, cwd=place), 0)


@claim
def without_a_root_no_file_is_read():
    with files(s={"$ref": "t.json"}, t=True, i=1) as place:
        result = expect(run("schema", "validate", "-f", "json", "s.json", "i.json", cwd=place), 1)
        finding = report(result)["documents"][0]["findings"][0]
        equal((finding["code"], finding["params"]["ref"], "--root" in finding["hint"], bool(finding["params"]["reason"])),
              ("SCHEMA_REF_UNRESOLVED", "t.json", True, True))
        expect(run("schema", "validate", "--root", ".", "s.json", "i.json", cwd=place), 0)


@claim
def no_reference_leaves_the_root():
    with files(outside="true", root__s="true", root__in__t="true") as place:
        base = pathlib.Path(place)
        (base / "root/link.json").symlink_to(base / "outside.json")
        (base / "root/up").symlink_to("..")
        (base / "root/folder.json").mkdir()
        os.mkfifo(base / "root/pipe.json")
        refs = ("../outside.json", "../../outside.json", "in/../../outside.json", "%2e%2e/outside.json", "..%2foutside.json",
                str(base / "outside.json"), (base / "outside.json").as_uri(), "link.json", "up/outside.json", "folder.json",
                "pipe.json", "in", "//host/in/t.json", "file://host/in/t.json", "http://host/in/t.json", "%00", "in/t.json%00",
                "none.json", "in/t.json?x", "x" * 5000)
        for ref in refs:
            for operand in ("-", "root/s.json"):
                (base / "root/s.json").write_text(json.dumps({"$ref": ref}))
                result = run("schema", "validate", "-f", "json", "--root", "root", operand, "outside.json",
                             stdin=json.dumps({"$ref": ref}), cwd=place)
                equal((ref, codes(expect(result, 1))), (ref, ["SCHEMA_REF_UNRESOLVED"]))
                equal((ref, bool(report(result)["documents"][0]["findings"][0]["hint"])), (ref, True))
        (base / "root/s.json").write_text(json.dumps({"$ref": "in/t.json"}))
        expect(run("schema", "validate", "--root", "root", "root/s.json", "outside.json", cwd=place), 0)


@claim
def names_with_blanks_and_percent_signs_are_found():
    with folder({"r/a b/s.json": '{"$ref":"t%20%25.json"}', "r/a b/t %.json": '{"type":"null"}', "i.json": "1"}) as place:
        expect(run("schema", "validate", "--root", "r", "r/a b/s.json", "i.json", cwd=place), 1, out="SCHEMA_TYPE")


@claim
def a_file_that_is_no_json_is_a_document_of_its_own():
    with files(r__s={"allOf": [{"$ref": "bad.json"}, {"$ref": "bad.json#/a"}]}, r__bad="[1,\n]", i=1) as place:
        shown = report(expect(run("schema", "validate", "-f", "json", "--root", "r", "r/s.json", "i.json", cwd=place), 1))
        equal([(document["path"], document["dialect"]) for document in shown["documents"]],
              [("r/bad.json", "schema"), ("r/s.json", "schema")])
        equal([finding["code"] for finding in shown["documents"][0]["findings"]], ["JSON_SYNTAX"])
        equal([finding["code"] for finding in shown["documents"][1]["findings"]], ["SCHEMA_REF_UNRESOLVED"] * 2)


@claim
def a_file_may_say_what_it_is_called():
    with files(r__s={"$id": "other/name.json", "$ref": "t.json"}, r__other__t={"type": "null"}, i=1) as place:
        expect(run("schema", "validate", "--root", "r", "r/s.json", "i.json", cwd=place), 1, out="SCHEMA_TYPE")


@claim
def a_meta_schema_of_ones_own_lies_beneath_the_root():
    vocabularies = "https://json-schema.org/draft/2020-12/vocab/"
    meta = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.org/meta",
            "$vocabulary": {vocabularies + "core": True, vocabularies + "applicator": True}, "required": ["title"]}
    with files(r__meta=meta, r__s={"$schema": "/meta.json", "title": "", "minimum": 5},
               r__t={"$schema": "/meta.json", "minimum": 5}, r__bad="[", r__u={"$schema": "/bad.json"}, i=1) as place:
        # Without the vocabulary of validation, minimum is a remark.
        expect(run("schema", "validate", "--root", "r", "r/s.json", "i.json", cwd=place), 0)
        expect(run("schema", "validate", "--root", "r", "r/t.json", "i.json", cwd=place), 1, out="SCHEMA_REQUIRED")
        expect(run("schema", "validate", "--root", "r", "r/u.json", "i.json", cwd=place), 1, out="SCHEMA_REF_UNRESOLVED")
        expect(run("schema", "validate", "r/s.json", "i.json", cwd=place), 1, out="SCHEMA_REF_UNRESOLVED")


# ---- check ----

@claim
def a_good_schema_is_accepted():
    document = report(check(ORDER))["documents"][0]
    equal((document["path"], document["dialect"], document["verdict"], document["findings"]),
          ("s.json", "schema", "accepted", []))
    equal(sorted(document["facts"]), ["bytes", "instructions", "nodes", "schemas"])
    for schema in (True, False, {}):
        check(schema)


@claim
def what_is_wrong_with_a_schema_is_named():
    for schema, codes_and_pointers in (
        ({"type": 1}, [("SCHEMA_ANY_OF", "/type")]),
        ({"required": ["a", "a"]}, [("SCHEMA_UNIQUE_ITEMS", "/required")]),
        ({"properties": {"a": {"$ref": "#/nope"}, "b": {"$ref": "none.json"}}},
         [("SCHEMA_REF_UNRESOLVED", "/properties/a/$ref"), ("SCHEMA_REF_UNRESOLVED", "/properties/b/$ref")]),
        ({"pattern": "[z-a]", "maxLength": 1}, [("PATTERN_INVALID", "/pattern")]),
        ({"pattern": "^(((a|bc){1,100}){1,100}x){1000}$", "maxLength": 1}, [("PATTERN_TOO_COMPLEX", "/pattern")]),
    ):
        equal((schema, found(check(schema, code=1))), (schema, codes_and_pointers))
    equal(codes(check({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, code=1)),
          ["SCHEMA_CYCLE"])
    check({"properties": {"next": {"$ref": "#"}}})


@claim
def several_schemas_are_judged_in_one_run():
    with files(a=True, b={"type": 1}, c="{", d={"pattern": "a"}) as place:
        result = expect(run("schema", "check", "-f", "json", "a.json", "b.json", "c.json", "d.json", "none.json", cwd=place),
                        2, err="cannot read none.json")
        equal([(document["path"], document["verdict"]) for document in report(result)["documents"]],
              [("a.json", "accepted"), ("b.json", "rejected"), ("c.json", "rejected"), ("d.json", "accepted")])
        expect(run("schema", "check", cwd=place), 2, err="schema check needs SCHEMA")
        expect(run("schema", "check", "-", stdin="true", cwd=place), 0, out="<stdin>")


@claim
def a_warning_does_not_reject():
    result = check({"uniqueItems": True})
    finding = report(result)["documents"][0]["findings"][0]
    equal((finding["code"], finding["severity"], finding["stage"], finding["pointer"], finding["params"]),
          ("SCHEMA_LINT", "WARN", "schema", "/uniqueItems", {"rule": "unbounded-unique-items"}))
    equal(bool(finding["hint"]), True)


@claim
def unique_items_want_a_bound():
    at = [("unbounded-unique-items", "/uniqueItems")]
    for schema in ({"uniqueItems": True}, {"type": "array", "uniqueItems": True, "minItems": 1},
                   {"uniqueItems": True, "items": {"type": "string"}}, {"uniqueItems": True, "type": ["array", "null"]}):
        equal((schema, lint(schema)), (schema, at))
    for schema in ({"uniqueItems": False}, {"uniqueItems": True, "maxItems": 9}, {"uniqueItems": True, "type": "string"},
                   {"uniqueItems": True, "allOf": [{"maxItems": 9}]}, {"uniqueItems": True, "const": [1]},
                   {"uniqueItems": True, "items": {"enum": [1, 2]}}, {"uniqueItems": True, "prefixItems": [True], "items": False},
                   {"const": {"uniqueItems": True}}, {"properties": {"uniqueItems": {"maxItems": 1}}}):
        equal((schema, lint(schema)), (schema, []))
    equal(lint({"$defs": {"a/b": {"items": {"uniqueItems": True}}}}), [("unbounded-unique-items", "/$defs/a~1b/items/uniqueItems")])


@claim
def patterns_want_a_bound():
    for schema in ({"pattern": "a"}, {"type": "string", "pattern": "^a+$", "minLength": 1}, {"type": ["string", "null"], "pattern": "a"}):
        equal((schema, lint(schema)), (schema, [("unbounded-pattern", "/pattern")]))
    for schema in ({"pattern": "a", "maxLength": 9}, {"pattern": "a", "type": "integer"}, {"pattern": "a", "enum": ["a"]},
                   {"pattern": "a", "const": "a"}, {"pattern": "a", "$ref": "#/$defs/short", "$defs": {"short": {"maxLength": 3}}},
                   {"examples": [{"pattern": "a"}]}):
        equal((schema, lint(schema)), (schema, []))
    equal(lint({"propertyNames": {"pattern": "a"}}), [("unbounded-pattern", "/propertyNames/pattern")])


@claim
def branches_that_nothing_takes_are_named():
    for schema, pointer in (
        ({"type": "string", "anyOf": [{"type": "string"}, {"type": "integer"}]}, "/anyOf/1"),
        ({"type": "string", "oneOf": [{"minLength": 1}, {"const": 1}]}, "/oneOf/1"),
        ({"type": ["string", "null"], "anyOf": [{"enum": [1, True]}, {"enum": [1, None]}]}, "/anyOf/0"),
        ({"type": "object", "allOf": [{"type": "array"}]}, "/allOf/0"),
        ({"allOf": [{"type": "object"}, {"type": ["array", "object"]}, {"type": "array"}]}, "/allOf/2"),
        ({"anyOf": [True, {"type": "string", "const": 1}]}, "/anyOf/1"),
        ({"const": "a", "anyOf": [{"type": "number"}, {"type": "string"}]}, "/anyOf/0"),
        ({"enum": [1, 2], "anyOf": [{"type": "string"}, {"type": "integer"}]}, "/anyOf/0"),
        ({"$ref": "#/$defs/s", "anyOf": [{"type": "null"}, {}], "$defs": {"s": {"type": "string"}}}, "/anyOf/0"),
        ({"type": "string", "anyOf": [{"$ref": "#/$defs/n"}, {}], "$defs": {"n": {"oneOf": [{"type": "null"}, {"type": "array"}]}}},
         "/anyOf/0"),
        ({"type": "string", "if": {"type": "integer"}, "then": {"maximum": 1}}, "/if"),
        ({"if": {}, "then": {"type": "string"}, "else": {"type": "null"}}, "/else"),
        ({"if": True, "else": {"type": "null"}}, "/else"),
        ({"if": False, "then": {"type": "null"}}, "/then"),
        ({"if": {"type": "string"}, "then": {"type": "integer"}}, "/then"),
        ({"type": "array", "if": {"minItems": 1}, "else": {"type": "object"}}, "/else"),
        ({"type": "integer", "anyOf": [{"const": 1.5}, {"const": "x"}]}, "/anyOf/1"),
    ):
        equal((schema, lint(schema)), (schema, [("unreachable-branch", pointer)]))


@claim
def branches_that_something_takes_are_not():
    for schema in (
        {"type": ["string", "integer"], "anyOf": [{"type": "string"}, {"type": "integer"}]},
        {"type": "number", "anyOf": [{"type": "integer"}, {"const": 1.0}]},
        {"type": "integer", "anyOf": [{"type": "number"}, {"enum": ["a", 2]}]},
        {"type": "string", "anyOf": [False, {}]},  # meant that way
        {"if": {"type": "string"}, "then": False},
        {"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"type": "null"}},
        {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}},
        {"not": {"type": "string", "const": 1}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "items": {"type": "null"}},
    ):
        equal((schema, lint(schema)), (schema, []))
    three = {"$schema": "http://json-schema.org/draft-03/schema#"}
    equal(lint({**three, "type": ["string", {"type": "array"}], "extends": {"type": "array"}}), [])
    equal(lint({**three, "type": "string", "extends": {"type": "array"}}), [("unreachable-branch", "/extends")])
    seven = {"$schema": "http://json-schema.org/draft-07/schema#"}
    equal(lint({**seven, "definitions": {"a": {"$ref": "#/definitions/b", "type": "string", "anyOf": [{"type": "null"}]},
                                         "b": True}}), [])


@claim
def a_branch_warning_says_which_types_exclude_each_other():
    schema = {"type": ["string", "null"], "anyOf": [{"type": ["integer", "boolean"]}, {}]}
    finding = report(check(schema))["documents"][0]["findings"][0]
    equal(finding["params"], {"rule": "unreachable-branch", "keyword": "anyOf", "branch": ["boolean", "integer"],
                              "around": ["null", "string"]})
    schema = {"anyOf": [{"type": "string", "const": 1}, {}]}
    equal("accepts no value at all" in report(check(schema))["documents"][0]["findings"][0]["message"], True)


@claim
def required_names_want_a_property():
    properties = {"a": True, "b": True}
    for schema, pointers in (
        ({"properties": properties, "required": ["a", "c"]}, ["/required/1"]),
        ({"properties": properties, "required": ["x", "a", "y"]}, ["/required/0", "/required/2"]),
        ({"required": ["a"], "additionalProperties": False}, ["/required/0"]),
        ({"properties": {}, "patternProperties": {"^x-": True}, "required": ["x-a", "y"]}, ["/required/1"]),
        ({"items": {"properties": properties, "required": [""]}}, ["/items/required/0"]),
    ):
        equal((schema, lint(schema)), (schema, [("required-without-property", pointer) for pointer in pointers]))
    for schema in (
        {"properties": properties, "required": ["a", "b"]},
        {"required": ["a"]},
        {"properties": properties, "anyOf": [{"required": ["z"]}]},
        {"properties": properties, "required": ["c"], "allOf": [{"properties": {"c": True}}]},
        {"properties": properties, "required": ["c"], "$ref": "#/$defs/c", "$defs": {"c": {"patternProperties": {"c": True}}}},
        {"patternProperties": {"^a": True}, "required": ["abc"], "additionalProperties": False},
        {"required": ["a"], "allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False},
    ):
        equal((schema, lint(schema)), (schema, []))
    finding = report(check({"properties": properties, "required": ["\u001b[31m"]}))["documents"][0]["findings"][0]
    equal((finding["params"]["property"], "\u001b" in finding["message"]), ("\u001b[31m", False))
    finding = report(check({"properties": {"name": True}, "required": ["nmae"]}))["documents"][0]["findings"][0]
    equal((finding["params"]["nearest"], "did you mean \"name\"?" in finding["hint"]), ("name", True))
    schema = {"$schema": "http://json-schema.org/draft-03/schema#", "properties": {"a": {"required": True}}}
    equal(lint(schema), [])


@claim
def a_hostile_schema_is_looked_at_within_bounds():
    names = [f"n{i}" for i in range(2000)]
    patterns = {f"^p{i}(a|b)*$": True for i in range(500)}
    check({"properties": {}, "patternProperties": patterns, "required": names})
    nested = {"type": "string"}
    for i in range(60):
        nested = {"anyOf": [nested, {"$ref": "#/$defs/a"}]}
    check({**nested, "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"type": "null"}}})


# ---- bundle ----

def bundled(place, *flags, schema="r/s.json"):
    return expect(run("schema", "bundle", *flags, schema, cwd=place), 0).stdout.decode()


def judged_alike(place, root, schema, bundle, instances):
    """Whether schema and bundle give the same verdicts and findings, keyword locations aside."""
    pathlib.Path(place, "bundle.json").write_text(bundle)
    pathlib.Path(place, "all.jsonl").write_text("".join(json.dumps(instance) + "\n" for instance in instances))
    told = []
    for words in (["--root", root, schema], ["bundle.json"]):
        result = run("schema", "validate", "--jsonl", "-f", "json", *words, "all.jsonl", cwd=place)
        equal((result.returncode in (0, 1), result.stderr), (True, b""))
        told.append([(document["verdict"], found_in(document)) for document in report(result)["documents"]])
    equal(told[0], told[1])
    return [verdict for verdict, _ in told[0]]


def found_in(document):
    return sorted((finding["code"], finding["pointer"]) for finding in document["findings"])


@claim
def a_schema_that_needs_no_other_is_printed_as_it_is():
    with files(r__s={"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}}) as place:
        equal(json.loads(bundled(place)), {"$ref": "#/$defs/a", "$defs": {"a": {"type": "null"}}})
        equal(bundled(place), run("json", "fmt", "r/s.json", cwd=place).stdout.decode())
    for text in ("true", "false", "{}"):
        equal(expect(run("schema", "bundle", "-", stdin=text), 0).stdout.decode(), text + "\n")


@claim
def documents_are_embedded_under_their_uri():
    with files(r__a__s={"properties": {"b": {"$ref": "b.json"}, "c": {"$ref": "../c.json#/$defs/n"}}, "$defs": {"own": True}},
               r__a__b={"items": {"$ref": "../c.json"}}, r__c={"type": "object", "$defs": {"n": {"type": "null"}}}) as place:
        bundle = bundled(place, "--root", "r", schema="r/a/s.json")
        equal(json.loads(bundle), {
            "$id": "/a/s.json",
            "properties": {"b": {"$ref": "b.json"}, "c": {"$ref": "../c.json#/$defs/n"}},
            "$defs": {
                "own": True,
                "/a/b.json": {"$id": "/a/b.json", "items": {"$ref": "../c.json"}},
                "/c.json": {"$id": "/c.json", "type": "object", "$defs": {"n": {"type": "null"}}},
            },
        })
        verdicts = judged_alike(place, "r", "r/a/s.json", bundle, [{}, {"b": [{}]}, {"b": [1]}, {"c": None}, {"c": 1}])
        equal(verdicts, ["accepted", "accepted", "rejected", "accepted", "rejected"])
        # A bundle of a bundle is the bundle.
        pathlib.Path(place, "again.json").write_text(bundle)
        equal(bundled(place, schema="again.json"), bundle)


@claim
def old_drafts_embed_under_definitions():
    for uri, key in (("http://json-schema.org/draft-04/schema#", "id"), ("http://json-schema.org/draft-07/schema#", "$id")):
        with files(r__s={"$schema": uri, "items": {"$ref": "t.json"}}, r__t={"$schema": uri, "type": "null"}) as place:
            bundle = bundled(place, "--root", "r")
            equal(json.loads(bundle)["definitions"], {"/t.json": {"$schema": uri, key: "/t.json", "type": "null"}})
            equal(judged_alike(place, "r", "r/s.json", bundle, [[None], [1]]), ["accepted", "rejected"])


@claim
def a_reference_that_hides_its_neighbours_does_not_hide_the_name():
    seven = "http://json-schema.org/draft-07/schema#"
    with files(r__s={"$schema": seven, "$ref": "#/definitions/a", "definitions": {"a": {"items": {"$ref": "t.json"}}}},
               r__t={"$schema": seven, "$ref": "#/definitions/n", "type": "string", "definitions": {"n": {"type": "null"}}}) as place:
        bundle = bundled(place, "--root", "r")
        equal(judged_alike(place, "r", "r/s.json", bundle, [[None], ["a"], [1], 3]), ["accepted", "rejected", "rejected", "accepted"])


@claim
def a_document_that_calls_itself_otherwise_is_found():
    with files(r__s={"anyOf": [{"$ref": "t.json"}, {"$ref": "t.json#/$defs/n"}, {"$ref": "d/u.json#here"}]},
               r__t={"$id": "https://example.org/t", "$ref": "#/$defs/b", "$defs": {"n": {"type": "null"}, "b": {"type": "boolean"}}},
               r__d__u={"$id": "renamed", "$defs": {"x": {"$anchor": "here", "type": "string"}}}) as place:
        bundle = bundled(place, "--root", "r")
        equal(judged_alike(place, "r", "r/s.json", bundle, [None, True, "a", 1]), ["accepted", "accepted", "accepted", "rejected"])


@claim
def each_document_keeps_its_draft():
    seven = "http://json-schema.org/draft-07/schema#"
    with files(r__s={"$schema": seven, "allOf": [{"$ref": "t.json"}, {"$ref": "u.json"}, {"$ref": "yes.json"}]},
               r__t={"prefixItems": [{"type": "null"}]}, r__u={"$schema": seven, "items": [{"type": "null"}]}, r__yes="true") as place:
        bundle = bundled(place, "--root", "r")
        equal(judged_alike(place, "r", "r/s.json", bundle, [[None], [1], 3]), ["accepted", "rejected", "accepted"])
    with files(r__s={"not": {"$ref": "no.json"}, "$defs": {"/no.json": True}}, r__no="false") as place:
        bundle = bundled(place, "--root", "r")
        equal(len(json.loads(bundle)["$defs"]), 2)
        equal(judged_alike(place, "r", "r/s.json", bundle, [1]), ["accepted"])


@claim
def recursive_and_dynamic_references_work_across_documents():
    with files(r__s={"$dynamicAnchor": "node", "$ref": "tree.json", "required": ["name"]},
               r__tree={"$dynamicAnchor": "node", "properties": {"children": {"items": {"$dynamicRef": "#node"}}}}) as place:
        bundle = bundled(place, "--root", "r")
        instances = [{"name": 1}, {}, {"name": 1, "children": [{"name": 2}]}, {"name": 1, "children": [{}]}]
        equal(judged_alike(place, "r", "r/s.json", bundle, instances), ["accepted", "rejected", "accepted", "rejected"])


@claim
def meta_schemas_are_left_out():
    with files(r__s={"$ref": "https://json-schema.org/draft/2020-12/schema"}) as place:
        equal(json.loads(bundled(place, "--root", "r")), {"$ref": "https://json-schema.org/draft/2020-12/schema"})


@claim
def what_cannot_be_bundled_is_reported():
    with files(s={"$ref": "none.json"}) as place:
        shown = report(expect(run("schema", "bundle", "-f", "json", "--root", ".", "s.json", cwd=place), 1))
        equal([document["dialect"] for document in shown["documents"]], ["schema"])
        expect(run("schema", "bundle", "none", cwd=place), 2, err="cannot read none")
        expect(run("schema", "bundle", cwd=place), 2, err="schema bundle needs SCHEMA")
        expect(run("schema", "bundle", "s.json", "s.json", cwd=place), 2, err="unexpected word s.json")


def remote_cases():
    """(draft, schema, tests) of the suite that refer to other documents, made relative to a root."""
    for draft in ("draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"):
        for name in ("refRemote", "dynamicRef", "ref"):
            path = SUITE / "tests" / draft / f"{name}.json"
            for case in json.loads(path.read_text()) if path.exists() else []:
                if "localhost:1234" in json.dumps(case["schema"]):
                    yield draft, case


def local(text):
    return text.replace("http://localhost:1234/", "/")


@claim_if((SUITE / "remotes").is_dir(), "the JSON Schema test suite is not installed; Debian has it in the package libtest-json-schema-acceptance-perl")
def the_remote_documents_of_the_test_suite_can_be_bundled():
    remotes = {f"r/{path.relative_to(SUITE / 'remotes')}": local(path.read_text())
               for path in (SUITE / "remotes").rglob("*.json")}
    count = 0
    with folder(remotes) as place:
        for draft, case in remote_cases():
            flag = ["--draft", draft.removeprefix("draft")]
            pathlib.Path(place, "r", "s.json").write_text(local(json.dumps(case["schema"])))
            if run("schema", "check", "--root", "r", *flag, "r/s.json", cwd=place).returncode != 0:
                continue  # a document that must not be found
            bundle = bundled(place, "--root", "r", *flag)
            tests = [(test["data"], test["valid"]) for test in case["tests"]]
            pathlib.Path(place, "bundle.json").write_text(bundle)
            pathlib.Path(place, "all.jsonl").write_text("".join(json.dumps(data) + "\n" for data, _ in tests))
            result = run("schema", "validate", "--jsonl", "-f", "json", *flag, "bundle.json", "all.jsonl", cwd=place)
            verdicts = [document["verdict"] == "accepted" for document in report(result)["documents"]]
            equal((draft, case["description"], verdicts), (draft, case["description"], [valid for _, valid in tests]))
            count += 1
    equal(count > 50, True)


# ---- print ----

def references(value):
    """Every $ref below a value."""
    for name, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if name == "$ref" and isinstance(child, str):
            yield child
        yield from references(child)


def printed_schemas():
    listed = run("schema", "print").stderr.decode().split("allowed: ")[1].split("\n")[0].split(", ")
    return {name: json.loads(expect(run("schema", "print", name), 0).stdout) for name in listed}


@claim
def every_printed_schema_resolves_its_references_by_itself():
    printed = printed_schemas()
    equal(len(printed) >= 12, True)
    for name, schema in printed.items():
        for reference in references(schema):
            target = schema
            equal((name, reference, reference.startswith("#/")), (name, reference, True))
            for part in reference[2:].split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            equal((name, reference, isinstance(target, dict)), (name, reference, True))
        # Under another $id nothing that the program knows can help.
        with files(alone={**schema, "$id": "urn:example:alone"}) as place:
            expect(run("schema", "check", "alone.json", cwd=place), 0)
            equal((name, run("schema", "validate", "-f", "json", "alone.json", "-", cwd=place, stdin="7").returncode), (name, 1))


@claim
def governed_schemas_define_the_same_things_alike():
    printed = printed_schemas()
    for word in ("uuid4", "time", "semver", "sha256"):
        defined = [schema["$defs"][word] for name, schema in printed.items()
                   if name in ("governed", "lock", "manifest", "response") and word in schema.get("$defs", {})]
        equal((word, len(defined) >= 2, all(text == defined[0] for text in defined)), (word, True, True))


@claim
def the_schema_of_reports_describes_the_reports():
    schema = expect(run("schema", "print", "report"), 0).stdout
    with folder({"report.json": schema}) as place:
        shown = report(expect(run("schema", "check", "-f", "json", "report.json", cwd=place), 0))
        equal(shown["documents"][0]["findings"], [])
        samples = [run("check", "--as", "json", "-f", "json", "-", stdin=text).stdout for text in ("{}", "[", '["\\ud800"]')]
        samples.append(validate(ORDER, {"id": 0, "x": 1}).stdout)
        samples.append(check({"pattern": "(", "maxLength": 1}, code=1).stdout)
        samples.append(run("schema", "validate", "--jsonl", "-f", "json", "report.json", "-", stdin="1\n2\n", cwd=place).stdout)
        for sample in samples:
            expect(run("schema", "validate", "report.json", "-", stdin=sample, cwd=place), 0)
        good = json.loads(samples[3])
        for damage in (lambda it: it.pop("baton"), lambda it: it.update(baton=2), lambda it: it["summary"].pop("hard"),
                       lambda it: it["documents"][0].update(verdict="maybe"),
                       lambda it: it["documents"][0]["findings"][0].pop("column"),
                       lambda it: it["documents"][0]["findings"][0].update(severity="FATAL"),
                       lambda it: it["documents"][0]["findings"][0].update(security=1),
                       lambda it: it["documents"][0].update(record={"seq": 1}),
                       lambda it: it["documents"][0]["findings"][0].update(code="lower")):
            bad = json.loads(json.dumps(good))
            damage(bad)
            expect(run("schema", "validate", "report.json", "-", stdin=json.dumps(bad), cwd=place), 1)


@claim
def an_unknown_schema_is_a_mistake_that_names_those_there_are():
    expect(run("schema", "print", "reprot"), 2, err="unknown schema reprot, did you mean report?\n       allowed: boundaries, brief, bundle, contract, contract-input, governed, ledger-entry, ledger-entry-v2, lock, manifest, mcp-call, mcp-lock, payload-meta, report")
    expect(run("schema", "print", "zebra"), 2, err="unknown schema zebra\n       allowed: boundaries, brief, bundle, contract, contract-input, governed, ledger-entry, ledger-entry-v2, lock, manifest, mcp-call, mcp-lock, payload-meta, report")
    expect(run("schema", "print"), 2, err="print which schema? give its NAME\n       allowed: boundaries, brief, bundle, contract, contract-input, governed, ledger-entry, ledger-entry-v2, lock, manifest, mcp-call, mcp-lock, payload-meta, report")
    expect(run("schema", "print", "report", "more"), 2, err="unexpected word more")


# ---- bench ----

@claim
def the_bench_tells_figures_for_people_and_programs():
    with folder({"s.json": json.dumps(ORDER), "l.jsonl": '{"id":1}\n{"id":0}\n{"id":2}\n', "i.json": '{"id":3}'}) as place:
        text = expect(run("schema", "bench", "s.json", "l.jsonl", "i.json", cwd=place), 0).stdout.decode()
        equal(text.startswith("3 valid, 1 invalid: 4 documents, 32 bytes\n"), True)
        for row in ("compiled in ", "\nparse ", "\nfast ", "\ndiagnostic "):
            equal((row, row in text), (row, True))
        figures = json.loads(expect(run("schema", "bench", "-f", "json", "s.json", "l.jsonl", cwd=place), 0).stdout)
        equal(list(figures), ["baton", "bench"])
        equal((figures["bench"]["documents"], figures["bench"]["valid"], figures["bench"]["invalid"], figures["bench"]["bytes"]),
              (3, 2, 1, 24))
        for name in ("compile_ns", "parse_ns", "fast_ns", "diagnostic_ns"):
            equal((name, figures["bench"][name] > 0), (name, True))
        expect(run("schema", "bench", "-f", "json", "--jsonl", "s.json", "-", stdin='{"id":1}\n\n{"id":2}', cwd=place), 0)


@claim
def the_bench_measures_only_what_can_be_read():
    with folder({"s.json": json.dumps(ORDER), "l.jsonl": '{"id":1}\n{"id"\n', "bad.json": "{", "empty.jsonl": ""}) as place:
        expect(run("schema", "bench", "s.json", "l.jsonl", cwd=place), 1, out="l.jsonl:2:")
        expect(run("schema", "bench", "bad.json", "l.jsonl", cwd=place), 1, out="JSON_SYNTAX")
        expect(run("schema", "bench", "s.json", "empty.jsonl", cwd=place), 2, err="every line is blank")
        expect(run("schema", "bench", "s.json", "none", cwd=place), 2, err="cannot read none")
        expect(run("schema", "bench", "-f", "sarif", "s.json", "l.jsonl", cwd=place), 2, err="unknown format sarif")
        expect(run("schema", "bench", "s.json", cwd=place), 2, err="INSTANCES")


# ---- the family ----

@claim
def a_part_must_be_named_and_known():
    expect(run("schema"), 2, err="schema needs a command")
    expect(run("schema", "validte"), 2, err="unknown command validte, did you mean validate?")
    expect(run("schema", "check", "--formats", "x"), 2, err="unknown flag --formats")
    code, output = on_terminal("schema", "print", "report")
    equal((code, b'"$id": "urn:baton:schema:report:1"' in output), (0, True))


sys.exit(finish())
