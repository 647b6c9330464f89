# SPDX-License-Identifier: Apache-2.0
"""test_payloads.py - baton.handoff_payloads against what the original module documents, and where Baton differs on purpose."""
import copy
import datetime
import json
import os
import pathlib
import pickle
import tempfile
import unittest

from baton import handoff_payloads
from baton.handoff_payloads import PayloadSchemaError, SchemaInvalid, audit_handoff_chain, load_payload_schema, strip_llm_visible_text, validate

SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "rows/v1.schema.json", "type": "object", "required": ["n"],
          "additionalProperties": False, "properties": {"n": {"type": "integer", "minimum": 1}}}
PATH = "schemas/handoff-payloads/rows.v1.schema.json"
ID = "rows/v1.schema.json"


def changed(**members):
    return {**copy.deepcopy(SCHEMA), **members}


class Constants(unittest.TestCase):
    def test_the_constants_are_those_of_the_original(self):
        self.assertEqual(handoff_payloads.PAYLOAD_UNTYPED_HARD_DATE, datetime.date(2026, 7, 1))
        self.assertEqual((handoff_payloads.MAX_DEPTH, handoff_payloads.VALIDATE_TIMEOUT_SECONDS), (32, 2.0))
        self.assertTrue(issubclass(PayloadSchemaError, ValueError))
        self.assertTrue(issubclass(SchemaInvalid, RuntimeError))

    def test_findings_are_frozen(self):
        finding = handoff_payloads.Finding("A", "WARN", "text")
        with self.assertRaises(AttributeError):
            finding.code = "B"

    def test_exceptions_can_be_pickled(self):
        for error in (PayloadSchemaError("a"), SchemaInvalid("b", "budget_spent")):
            again = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(again), str(again), again.findings), (type(error), str(error), []))


class Loading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "repository"
        (self.root / "schemas/handoff-payloads").mkdir(parents=True)
        self.file = self.root / PATH
        self.write(SCHEMA)

    def write(self, schema):
        self.file.write_text(schema if isinstance(schema, str) else json.dumps(schema))

    def test_the_folder_may_be_text_bytes_or_a_path(self):
        for root in (self.root, str(self.root), os.fsencode(self.root)):
            self.assertEqual(load_payload_schema(ID, root), SCHEMA)

    def refuse(self, code, value=ID, **options):
        with self.assertRaises(PayloadSchemaError) as caught:
            load_payload_schema(value, self.root, **options)
        self.assertIn(code, [finding.code for finding in caught.exception.findings], str(caught.exception))
        self.assertIn(code, str(caught.exception))

    def test_both_spellings_are_accepted(self):
        for value in (ID, PATH):
            self.assertEqual(load_payload_schema(value, self.root), SCHEMA)
            self.assertEqual(load_payload_schema(value, str(self.root), strict=False), SCHEMA)

    def test_references_are_refused_by_their_text(self):
        rows = {"": "REF_EMPTY", "a\0b": "REF_NUL", ID + "\n": "REF_NEWLINE", "https://example.org/a.json": "REF_URL", "/etc/passwd": "REF_ABSOLUTE",
                "schemas/handoff-payloads/../x.json": "REF_DOTDOT", "rows": "REF_PATTERN", "Rows/v1.schema.json": "REF_PATTERN"}
        for value, code in rows.items():
            with self.subTest(value=value):
                self.refuse(code, value)
                self.refuse(code, value, strict=False)
        with self.assertRaises(PayloadSchemaError):
            load_payload_schema(None, self.root)

    def test_a_missing_file_is_not_an_oserror(self):
        """The original lets FileNotFoundError escape."""
        self.refuse("REF_MISSING", "other/v1.schema.json")
        with self.assertRaises(PayloadSchemaError):
            load_payload_schema(ID, self.root / "nowhere")

    def test_links_stay_below_the_root(self):
        outside = self.root.parent / "outside.json"
        outside.write_text(json.dumps(SCHEMA))
        inside = self.root / "kept.json"
        inside.write_text(json.dumps(SCHEMA))
        self.file.unlink()
        for target, code in ((outside, "REF_ESCAPE"), ("../../../outside.json", "REF_ESCAPE"), (PATH.rpartition("/")[2], "REF_SYMLINK_LOOP")):
            os.symlink(target, self.file)
            self.refuse(code)
            self.file.unlink()
        os.symlink("../../kept.json", self.file)
        self.assertEqual(load_payload_schema(ID, self.root), SCHEMA)

    def test_a_folder_is_not_a_file(self):
        self.file.unlink()
        self.file.mkdir()
        self.refuse("REF_NOT_FILE")

    def test_broken_files_are_refused_in_both_modes(self):
        rows = {"{": "JSON_SYNTAX", '{"a":1,"a":2}': "JSON_DUPLICATE_KEY", "\ufeff{}": "JSON_SYNTAX", '{"a":NaN}': "JSON_SYNTAX", "[" * 200: "JSON_TOO_DEEP"}
        for text, code in rows.items():
            with self.subTest(text=text[:20]):
                self.write(text)
                self.refuse(code)
                self.refuse(code, strict=False)

    def test_without_strict_the_content_is_not_judged(self):
        for schema, code in ((changed(additionalProperties=True), "PAYLOAD_SCHEMA_META"), (["a"], "PAYLOAD_SCHEMA_META"),
                             (changed(patternProperties={}), "PAYLOAD_SCHEMA_REOPENED"), (changed(**{"$id": "other/v1.schema.json"}), "REF_ID_MISMATCH")):
            with self.subTest(code=code):
                self.write(schema)
                self.refuse(code)
                self.assertEqual(load_payload_schema(ID, self.root, strict=False), schema)

    def test_depth_ends_at_32(self):
        def deep(count):
            value = 1
            for _ in range(count):
                value = [value]
            return changed(default=value)

        self.write(deep(31))
        self.assertEqual(load_payload_schema(ID, self.root), deep(31))
        self.write(deep(32))
        self.refuse("PAYLOAD_SCHEMA_DEPTH")

    def test_cycles_of_references_are_refused(self):
        self.write(changed(properties={"n": {"$ref": "#/$defs/a"}}, **{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}))
        self.refuse("PAYLOAD_SCHEMA_CYCLE")
        self.write(changed(properties={"n": {"$ref": "#"}}))
        self.refuse("PAYLOAD_SCHEMA_CYCLE")
        self.write(changed(properties={"n": {"$ref": "#/$defs/a"}}, **{"$defs": {"a": {"type": "integer"}}}))
        load_payload_schema(ID, self.root)


class Stripping(unittest.TestCase):
    def test_text_is_removed_at_every_schema(self):
        text = {"title": "t", "description": "d", "$comment": "c", "examples": [1]}
        schema = {**text, "properties": {"a": {**text, "items": {**text, "type": "string"}}}, "allOf": [{**text, "not": {**text}}], "$defs": {"x": dict(text)},
                  "items": [dict(text)], "if": dict(text), "dependencies": {"p": dict(text), "q": ["title"]}, "patternProperties": {"^x": dict(text)}}
        before = copy.deepcopy(schema)
        stripped = strip_llm_visible_text(schema)
        self.assertEqual(schema, before)
        self.assertEqual(stripped, {"properties": {"a": {"items": {"type": "string"}}}, "allOf": [{"not": {}}], "$defs": {"x": {}}, "items": [{}], "if": {},
                                    "dependencies": {"p": {}, "q": ["title"]}, "patternProperties": {"^x": {}}})

    def test_a_property_with_such_a_name_stays(self):
        """The original removes it."""
        schema = {"properties": {"title": {"title": "x", "type": "string"}, "description": {"type": "string"}}, "required": ["title"]}
        self.assertEqual(strip_llm_visible_text(schema), {"properties": {"title": {"type": "string"}, "description": {"type": "string"}}, "required": ["title"]})

    def test_data_is_copied(self):
        schema = {"enum": [{"title": "kept"}], "const": {"description": "kept"}, "default": {"examples": 1}, "x-other": {"title": "kept"}}
        stripped = strip_llm_visible_text(schema)
        self.assertEqual(stripped, schema)
        stripped["enum"][0]["title"] = "changed"
        self.assertEqual(schema["enum"][0]["title"], "kept")

    def test_other_roots(self):
        self.assertEqual(strip_llm_visible_text([{"title": "x"}, 1]), [{}, 1])
        self.assertIs(strip_llm_visible_text(True), True)
        self.assertEqual(list(strip_llm_visible_text({"b": 1, "title": 2, "a": 3})), ["b", "a"])

    def test_a_schema_that_contains_itself_ends(self):
        schema = {}
        schema["not"] = schema
        with self.assertRaises(PayloadSchemaError):
            strip_llm_visible_text(schema)

    def test_deep_schemas_are_stripped(self):
        schema = {"title": "x"}
        for _ in range(5000):
            schema = {"not": schema, "title": "x"}
        self.assertEqual(list(strip_llm_visible_text(schema)), ["not"])


class Validating(unittest.TestCase):
    def refuse(self, prefix, outcome, payload, schema, **options):
        with self.assertRaises(SchemaInvalid) as caught:
            validate(payload, schema, **options)
        self.assertTrue(str(caught.exception).startswith(prefix), str(caught.exception))
        self.assertEqual(caught.exception.outcome, outcome)
        return caught.exception

    def test_a_payload_that_conforms_gives_none(self):
        self.assertIsNone(validate({"n": 1}, SCHEMA))

    def test_a_payload_that_does_not_conform(self):
        error = self.refuse("ValidationError: ", "nonconforming", {"n": 0, "x": 1}, SCHEMA)
        self.assertEqual([finding.code for finding in error.findings], ["SCHEMA_MINIMUM", "SCHEMA_ADDITIONAL_PROPERTIES"])

    def test_a_refused_schema(self):
        self.refuse("SchemaError: ", "schema_invalid", {"n": 1}, changed(additionalProperties=True))
        self.refuse("SchemaError: ", "schema_invalid", {"n": 1}, changed(properties={"n": {"pattern": "("}}))
        self.refuse("SchemaError: ", "schema_invalid", {"n": 1}, True)
        self.refuse("SchemaError: ", "schema_invalid", {"n": 1}, {"a": {1}})

    def test_a_spent_budget_is_not_a_verdict(self):
        items = {"type": "array", "uniqueItems": True, "items": {"type": "array"}}
        schema = changed(properties={"n": items})
        payload = {"n": [[number, number // 3] for number in range(150000)]}
        error = self.refuse("exceeded 0.001s", "budget_spent", payload, schema, timeout=0.001)
        self.assertEqual([finding.code for finding in error.findings], ["SCHEMA_BUDGET"])

    def test_a_hostile_pattern_gets_its_answer(self):
        schema = changed(properties={"n": {"type": "string", "pattern": "^(a+)+$"}})
        self.refuse("ValidationError: ", "nonconforming", {"n": "a" * 50000 + "b"}, schema)

    def test_a_payload_that_is_not_json(self):
        self.refuse("ValidationError: ", "payload_unreadable", {"n": {1}}, SCHEMA)

    def test_there_is_no_worker(self):
        """The original validates in a process that it starts."""
        with self.assertRaises(TypeError):
            validate({"n": 1}, SCHEMA, _worker=lambda: None)

    def test_a_timeout_has_a_range(self):
        for timeout in (0, -1, 61, float("nan"), "2", True):
            with self.assertRaises(ValueError):
                validate({"n": 1}, SCHEMA, timeout=timeout)


class Auditing(unittest.TestCase):
    BEFORE, AFTER = datetime.date(2026, 6, 30), datetime.date(2026, 7, 1)

    def rows(self, *pairs):
        return [{"step": str(number), "payload_schema_in": into, "payload_schema_out": out} for number, (into, out) in enumerate(pairs, 1)]

    def codes(self, rows, today):
        return [(finding.code, finding.severity) for finding in audit_handoff_chain(rows, today=today)]

    def test_none_or_one_row_has_no_pair(self):
        self.assertEqual(audit_handoff_chain([]), [])
        self.assertEqual(audit_handoff_chain(self.rows(("", ""))), [])

    def test_an_untyped_pair_is_hard_from_july(self):
        for rows in (self.rows(("", ""), ("", "")), self.rows(("", ID), ("", "")), self.rows(("", " \t"), (ID, ""))):
            self.assertEqual(self.codes(rows, self.BEFORE), [("PAYLOAD_UNTYPED", "WARN")])
            self.assertEqual(self.codes(rows, self.AFTER), [("PAYLOAD_UNTYPED", "HARD")])

    def test_a_mismatch_is_always_hard(self):
        rows = self.rows(("", ID), ("rows/v2.schema.json", ""))
        for today in (self.BEFORE, self.AFTER):
            self.assertEqual(self.codes(rows, today), [("PAYLOAD_MISMATCH", "HARD")])

    def test_typed_pairs_are_clean(self):
        self.assertEqual(self.codes(self.rows(("", ID), (ID, ID), (PATH, "")), self.AFTER), [])

    def test_findings_come_in_the_order_of_the_pairs(self):
        rows = self.rows(("", ID), ("rows/v2.schema.json", ""), ("", ID), (ID, ""))
        self.assertEqual([code for code, _ in self.codes(rows, self.AFTER)], ["PAYLOAD_MISMATCH", "PAYLOAD_UNTYPED"])

    def test_rows_need_nothing_but_their_payload_columns(self):
        rows = [{"payload_schema_out": ID}, {}, {"step": None, "payload_schema_in": None}]
        self.assertEqual(len(audit_handoff_chain(rows, today=self.AFTER)), 2)
        repeated = [{"step": "1", "payload_schema_out": ID}, {"step": "1", "payload_schema_in": ID}]
        self.assertEqual(audit_handoff_chain(repeated, today=self.AFTER), [])

    def test_the_message_names_the_steps(self):
        rows = [{"step": "read", "payload_schema_out": ""}, {"step": "check", "payload_schema_in": ID}]
        self.assertIn('"read"', audit_handoff_chain(rows, today=self.AFTER)[0].message)

    def test_rows_that_cannot_be_read_are_not_clean(self):
        with self.assertRaises(ValueError):
            audit_handoff_chain(self.rows(("", "x" * (200 << 10)), ("", "")))

    def test_today_is_the_local_date(self):
        self.assertEqual(self.codes(self.rows(("", ""), ("", "")), None)[0][1], "HARD")
