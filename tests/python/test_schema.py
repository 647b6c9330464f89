# SPDX-License-Identifier: Apache-2.0
"""test_schema.py - baton.schema: values and texts judged by compiled JSON Schemas."""
import collections
import concurrent.futures
import copy
import dataclasses
import decimal
import enum
import io
import json
import math
import os
import pathlib
import pickle
import random
import sys
import threading
import types
import unittest

import baton
from baton.schema import BudgetSpent, SchemaError, ValidationError, Validator

SUITE = pathlib.Path("/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests")
DRAFTS = {"draft3": "3", "draft4": "4", "draft6": "6", "draft7": "7", "draft2019-09": "2019-09", "draft2020-12": "2020-12"}
PERSON = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 2}, "age": {"type": "integer", "minimum": 0}}}
THREADS = 8


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Person:
    name: str


def codes(findings):
    return [finding.code for finding in findings]


class Judging(unittest.TestCase):
    def test_values_and_texts_are_judged(self):
        validator = Validator(PERSON)
        rows = [
            ({"name": "Ada"}, True), ({"name": "A"}, False), ({}, False), ([], False), (None, False), (5, False), ("Ada", False),
            (b'{"name":"Ada"}', True), (bytearray(b'{"name":"Ada"}'), True), (memoryview(b'{"name":"Ada"}x')[:-1], True), (b"{}", False),
            (Person("Ada"), True), (types.MappingProxyType({"name": "Ada"}), True), (collections.OrderedDict(name="Ada"), True),
            ({"name": Colour.RED, "age": 10**40}, True), ({"name": "Ada", "age": decimal.Decimal("1E+3")}, True), ({"name": "Ada", "age": 1.0}, True),
            ({"name": "Ada", "age": 1.5}, False), ({"name": "Ada", "age": True}, False), ({"name": "Ada", "age": decimal.Decimal("-0.5")}, False),
        ]
        for instance, wanted in rows:
            with self.subTest(instance=repr(instance)):
                self.assertIs(validator.is_valid(instance), wanted)
                self.assertEqual(validator.findings(instance) == [], wanted)
                if wanted:
                    self.assertIsNone(validator.validate(instance))
                else:
                    with self.assertRaises(ValidationError) as caught:
                        validator.validate(instance)
                    self.assertEqual(caught.exception.findings, validator.findings(instance))
                    self.assertIn(caught.exception.findings[0].code, str(caught.exception))

    def test_a_str_is_a_value_and_not_a_text(self):
        self.assertTrue(Validator({"type": "string"}).is_valid('{"name":"Ada"}'))
        self.assertFalse(Validator({"type": "string"}).is_valid(b'{"name":"Ada"}'))

    def test_findings_say_where_and_what(self):
        finding, = Validator(PERSON).findings(b'{\n "name": 1}')
        self.assertEqual((finding.code, finding.severity, finding.stage, finding.pointer), ("SCHEMA_TYPE", "HARD", "schema", "/name"))
        self.assertEqual((finding.line, finding.column, finding.params["expected"]), (2, 10, "string"))
        finding, = Validator(PERSON).findings({"name": "A"})
        self.assertEqual((finding.line, finding.column, finding.message), (None, None, '"A" has 1 characters, fewer than 2'))
        finding, = Validator({"additionalProperties": False}).findings({"\ud800/~": 1})
        self.assertEqual(finding.pointer, "/\ud800~1~0")

    def test_what_is_not_json_is_not_valid(self):
        validator = Validator(True)
        for text, code in ((b"", "JSON_SYNTAX"), (b'{"a":1,"a":2}', "JSON_DUPLICATE_KEY"), (b"\xff", "JSON_UTF8"), (b"[" * 129 + b"]" * 129, "JSON_TOO_DEEP"),
                           (b" " * (8 << 20) + b"1", "JSON_TOO_LARGE")):
            self.assertFalse(validator.is_valid(text))
            self.assertEqual(codes(validator.findings(text)), [code])
            with self.assertRaises(ValidationError):
                validator.validate(text)

    def test_a_value_above_the_limits_is_not_valid(self):
        validator = Validator(True)
        shared = ["x"]
        for _ in range(60):
            shared = [shared] * 10
        for value in ([None] * 1_000_001, ["x" * (5 << 20)], shared):
            self.assertFalse(validator.is_valid(value))
            self.assertEqual(codes(validator.findings(value)), ["JSON_TOO_LARGE"])
        self.assertTrue(validator.is_valid([None] * 1_000_000))

    def test_what_json_cannot_hold_is_named_by_its_place(self):
        cycle = []
        cycle.append({"again": cycle})
        rows = [({"a": [0, {1: 2}]}, "/a/1"), ([math.nan], "/0"), ({"a/b": object()}, "/a~1b"), ([b"x"], "/0"), ({"a": {1, 2}}, "/a"), (object(), ""),
                (cycle, "/0/again" * 64)]
        for value, pointer in rows:
            for ask in (Validator(True).is_valid, Validator(True).findings, Validator(True).validate):
                with self.assertRaises(baton.NotJSON) as caught:
                    ask(value)
                self.assertEqual(caught.exception.pointer, pointer)
        self.assertTrue(Validator({"type": "array"}).is_valid([]))

    def test_lines_are_judged_one_by_one(self):
        validator = Validator(PERSON)
        lines = ['{"name":"Ada"}\n', "{}\n", "not JSON\n", '{"name":"\ud800\ud800"}\n', "\n", '{"name":"Grace"}']
        wanted = [True, False, False, False, False, True]
        self.assertEqual(list(validator.iter_valid(lines)), wanted)
        text = "".join(lines).encode("utf-8", "surrogatepass")
        self.assertEqual(list(validator.iter_valid(io.BytesIO(text))), wanted)
        self.assertEqual(next(validator.iter_valid(iter(lines))), True)
        for whole in ("".join(lines), text, bytearray(text), memoryview(text)):
            self.assertEqual(list(validator.iter_valid(whole)), wanted)

    def test_a_spent_budget_is_neither_valid_nor_invalid(self):
        validator = Validator({"items": {"allOf": [{"not": {"const": [number]}} for number in range(400)]}})
        self.assertTrue(validator.is_valid([1]))
        value, text = [["x"]] * 450_000, b"[" + b'["x"],' * 450_000 + b"1]"
        for ask, instance in ((validator.is_valid, value), (validator.findings, value), (validator.validate, text)):
            with self.assertRaises(BudgetSpent) as caught:
                ask(instance)
            self.assertIn(caught.exception.limit, ("work", "time"))
        self.assertTrue(validator.is_valid([1]))


class Compiling(unittest.TestCase):
    def test_a_refused_schema_says_why(self):
        rows = [({"type": "objekt"}, "SCHEMA_ANY_OF"), (b'{"type":"objekt"}', "SCHEMA_ANY_OF"), (b"{", "JSON_SYNTAX"), ("true", "SCHEMA_TYPE"), (None, "SCHEMA_TYPE"),
                ({"$ref": "urn:nowhere"}, "SCHEMA_REF_UNRESOLVED"), ({"pattern": "("}, "PATTERN_INVALID"), ([None] * 1_000_001, "JSON_TOO_LARGE")]
        for schema, code in rows:
            with self.assertRaises(SchemaError) as caught:
                Validator(schema)
            self.assertEqual(caught.exception.findings[0].code, code)
        with self.assertRaises(baton.NotJSON):
            Validator({"const": math.nan})

    def test_true_and_false_are_schemas(self):
        self.assertTrue(Validator(True).is_valid(1))
        self.assertFalse(Validator(b"false").is_valid(1))

    def test_the_draft_counts_where_the_schema_names_none(self):
        schema = {"exclusiveMinimum": True, "minimum": 5}
        self.assertFalse(Validator(schema, draft="4").is_valid(5))
        self.assertFalse(Validator(schema, draft=4).is_valid(5))
        with self.assertRaises(SchemaError):
            Validator(schema)
        with self.assertRaisesRegex(ValueError, "2019-09"):
            Validator(schema, draft="5")

    def test_formats_decide_when_they_are_asked_to(self):
        self.assertTrue(Validator({"format": "date"}).is_valid("no date"))
        self.assertFalse(Validator({"format": "date"}, formats=True).is_valid("no date"))

    def test_references_lead_to_given_documents_alone(self):
        documents = {"urn:name": {"type": "string"}, "https://example.org/age": b'{"type":"integer"}'}
        schema = {"properties": {"name": {"$ref": "urn:name"}, "age": {"$ref": "https://example.org/age"}}}
        validator = Validator(schema, documents=documents)
        self.assertTrue(validator.is_valid({"name": "Ada", "age": 36}))
        self.assertFalse(validator.is_valid({"age": "36"}))
        with self.assertRaises(SchemaError) as caught:
            Validator(schema, documents={"urn:name": b"{"})
        self.assertEqual(codes(caught.exception.findings), ["JSON_SYNTAX"])
        with self.assertRaises(TypeError):
            Validator(schema, documents={1: {}})

    def test_the_schema_may_change_afterwards(self):
        schema = {"type": "string"}
        validator = Validator(schema)
        schema["type"] = "integer"
        self.assertTrue(validator.is_valid("x"))


class Copies(unittest.TestCase):
    def test_a_validator_is_pickled_as_its_schema(self):
        for validator in (Validator(PERSON), Validator(json.dumps(PERSON).encode(), draft="7", formats=True), Validator({"$ref": "urn:x"}, documents={"urn:x": PERSON})):
            for made in (pickle.loads(pickle.dumps(validator)), copy.copy(validator), copy.deepcopy(validator)):
                self.assertTrue(made.is_valid({"name": "Ada"}))
                self.assertFalse(made.is_valid({"name": "A"}))
        self.assertFalse(pickle.loads(pickle.dumps(Validator({"format": "date"}, formats=True))).is_valid("x"))

    def test_a_pickle_has_the_schema_that_was_compiled(self):
        schema = {"type": "string"}
        validator = Validator(schema)
        schema["type"] = "integer"
        self.assertTrue(pickle.loads(pickle.dumps(validator)).is_valid("x"))

    def test_errors_can_be_pickled_and_compared(self):
        errors = [BudgetSpent("work")]
        for make in (lambda: Validator({"type": "objekt"}), lambda: Validator(PERSON).validate({})):
            try:
                make()
            except baton.BatonError as error:
                errors.append(error)
        self.assertEqual([type(error) for error in errors], [BudgetSpent, SchemaError, ValidationError])
        for error in errors:
            self.assertEqual(pickle.loads(pickle.dumps(error)), error)


class Sharing(unittest.TestCase):
    def test_eight_threads_share_a_validator(self):
        validator = Validator({"type": "array", "items": PERSON})
        good = [{"name": "Ada", "age": number} for number in range(200)]
        bad = [*good, {"name": "A"}]
        texts = json.dumps(good).encode(), json.dumps(bad).encode()

        def judge(_):
            for _ in range(30):
                if not validator.is_valid(good) or validator.is_valid(bad) or not validator.is_valid(texts[0]) or validator.is_valid(texts[1]):
                    return False
                if codes(validator.findings(bad)) != ["SCHEMA_MIN_LENGTH"]:
                    return False
            return True

        with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
            self.assertTrue(all(pool.map(judge, range(THREADS))))

    def test_the_interpreter_runs_while_texts_are_judged_and_counted(self):
        text = json.dumps([{"name": "Ada", "age": number} for number in range(40000)])
        validator = Validator({"type": "array", "items": PERSON})
        encoded, values = text.encode(), json.loads(text)
        for work in (lambda: validator.is_valid(encoded), lambda: validator.findings(encoded), lambda: validator.is_valid(values), lambda: baton.tokens.count(text)):
            running, counted = True, 0

            def count():
                nonlocal counted
                while running:
                    counted += 1

            thread = threading.Thread(target=count)
            before = sys.getswitchinterval()
            sys.setswitchinterval(1)  # another thread runs only while this one has released the lock
            try:
                thread.start()
                work()
            finally:
                running = False
                sys.setswitchinterval(before)
                thread.join()
            self.assertGreater(counted, 0)

    def test_a_dict_that_another_thread_changes_is_an_error_or_judged_whole(self):
        validator, shared, stop = Validator({"additionalProperties": {"type": "integer"}}), {str(number): number for number in range(500)}, threading.Event()

        def change():
            number = 0
            while not stop.is_set():
                number += 1
                shared[f"x{number % 50}"] = number
                shared.pop(f"x{(number + 25) % 50}", None)

        thread = threading.Thread(target=change)
        thread.start()
        try:
            for _ in range(300):
                try:
                    self.assertTrue(validator.is_valid(shared))
                except RuntimeError:
                    pass
        finally:
            stop.set()
            thread.join()

    @unittest.skipUnless(hasattr(os, "fork"), "this system cannot fork")
    def test_a_forked_child_uses_the_validator_of_its_parent(self):
        validator = Validator(PERSON)
        stop = threading.Event()

        def work():
            while not stop.is_set():
                validator.is_valid(b'{"name":"Ada"}')

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(5):
                child = os.fork()
                if child == 0:
                    os._exit(0 if validator.is_valid({"name": "Ada"}) and not validator.is_valid(b"{}") else 1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            stop.set()
            for thread in threads:
                thread.join()


class Agreement(unittest.TestCase):
    """Values, texts and the operation give one answer."""

    def test_the_suite_gets_the_same_answer_as_value_and_as_text(self):
        if not SUITE.is_dir():
            self.skipTest("the test suite of JSON Schema is not installed")
        judged = 0
        for folder, draft in DRAFTS.items():
            for path in sorted((SUITE / folder).glob("*.json")):
                for group in json.loads(path.read_text()):
                    try:
                        validator = Validator(group["schema"], draft=draft)
                    except SchemaError:  # it refers to documents that are not given
                        continue
                    for case in group["tests"]:
                        text = json.dumps(case["data"]).encode()
                        self.assertEqual((validator.is_valid(case["data"]), validator.is_valid(text)), (case["valid"], case["valid"]), (path.name, group["description"], case))
                        judged += 1
        self.assertGreater(judged, 4000)

    def test_findings_are_those_of_the_operation(self):
        choose = random.Random(5)
        schema = {"type": "object", "required": ["a", "b"], "additionalProperties": False,
                  "properties": {"a": PERSON, "b": {"type": "array", "items": {"enum": [1, "x", None]}, "uniqueItems": True}, "c": {"anyOf": [{"type": "string"}, {"maximum": 3}]}}}
        validator = Validator(schema)

        def value(depth):
            return choose.choice([None, True, 1, 4, -2, "x", "", "Ada", 1.5, [1, 1], ["x", 2], {"name": "A"}, {"name": "Ada", "age": -1}, {}, []] if depth else [None])

        for _ in range(200):
            instance = {name: value(1) for name in "abcd" if choose.random() < 0.8}
            text = json.dumps(instance, separators=(",", ":"))
            told = baton.Report(baton.call("schemaValidate", {"schema": schema, "instance": instance}).json)
            wanted = sorted(told.findings, key=repr)
            self.assertEqual(sorted(validator.findings(text.encode()), key=repr), wanted)
            without_places = [dataclasses.replace(finding, line=None, column=None) for finding in wanted]
            self.assertEqual(sorted(validator.findings(instance), key=repr), sorted(without_places, key=repr))
            self.assertEqual(validator.is_valid(instance), told.accepted)
