# SPDX-License-Identifier: Apache-2.0
"""test_judge.py TREE PROGRAM - check, repair and the like, and what they return."""
import dataclasses
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import types
import unittest

import baton
import samples

TREE, PROGRAM = pathlib.Path(sys.argv[1]), sys.argv[2]
NOW = "2026-05-04T09:30:00Z"
FORMATS = ("full", "concise", "json", "jsonl", "github", "junit", "sarif", "markdown")


class Documents(unittest.TestCase):
    """What `document` may be."""

    def setUp(self):
        self.value = samples.handoff()
        self.text = json.dumps(self.value, separators=(",", ":"))
        self.wanted = baton.check(self.text.encode(), "universal", now=NOW)

    def test_bytes_text_and_values_get_the_same_report(self):
        self.assertTrue(self.wanted.accepted)
        spellings = (self.text, bytearray(self.text.encode()), memoryview(self.text.encode()), self.value, types.MappingProxyType(self.value),
                     memoryview(self.text.encode() + b"x")[:-1])
        for document in spellings:
            with self.subTest(type=type(document).__name__):
                self.assertEqual(baton.check(document, "universal", now=NOW), self.wanted)

    def test_dataclasses_and_models_are_values(self):
        @dataclasses.dataclass
        class Envelope:
            handoff: dict

        class Model:
            def model_dump(_self):
                return self.value

        class JsonModel:
            def model_dump(_self, mode):
                self.assertEqual(mode, "json")
                return self.value

            def model_dump_json(_self):
                raise AssertionError("the dict is enough")

        for document in (Envelope(self.value["handoff"]), Model(), JsonModel()):
            with self.subTest(type=type(document).__name__):
                self.assertEqual(baton.check(document, "universal", now=NOW), self.wanted)

    def test_a_path_object_is_a_file_and_names_the_document(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.handoff.json"
            path.write_text(self.text)
            report = baton.check(path, now=NOW)
            self.assertTrue(report.accepted)
            self.assertEqual(report.documents[0].path, str(path))
            self.assertEqual(baton.check(path, path="b.handoff.json", now=NOW).documents[0].path, "b.handoff.json")
            with self.assertRaises(FileNotFoundError):
                baton.check(pathlib.Path(folder) / "none.json")
            with self.assertRaises(OSError):
                baton.check(pathlib.Path(folder))

    def test_a_text_that_looks_like_a_path_is_a_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.handoff.json")
            pathlib.Path(path).write_text(self.text)
            self.assertEqual(baton.check(path, "universal").findings[0].code, "JSON_SYNTAX")

    def test_a_lone_surrogate_is_not_utf8(self):
        report = baton.check('{"a":"\ud800"}', "universal")
        self.assertEqual([finding.code for finding in report.findings], ["JSON_UTF8"])
        self.assertEqual(report, baton.check(b'{"a":"\xed\xa0\x80"}', "universal"))

    def test_bytes_that_are_not_utf8_arrive(self):
        self.assertEqual(baton.check(b"\xff\xfe", "universal").findings[0].code, "JSON_UTF8")

    def test_a_document_over_the_limit_is_too_large(self):
        engine = baton.Engine({"limits": {"document_bytes": 1024}})
        for document in (b" " * 1025, {"a": "x" * 1025}, {"a": ["x" * 100] * 1000}):
            report = baton.check(document, "universal", engine=engine)
            self.assertEqual([finding.code for finding in report.findings], ["JSON_TOO_LARGE"])

    def test_without_a_dialect_a_document_must_be_recognised(self):
        self.assertEqual(baton.check(self.value, now=NOW).documents[0].dialect, "universal")
        with self.assertRaises(baton.Problem) as caught:
            baton.check(b"nothing that is known")
        self.assertEqual((caught.exception.code, caught.exception.status), ("DIALECT_UNKNOWN", 400))


NUMBERS = ("1.10", "1E5", "1e400", "-0", "123456789.123456789123", "1" * 5000)


class Texts(unittest.TestCase):
    def test_the_text_of_an_outcome_has_the_numbers_as_they_were_written(self):
        made = baton.Handoff(source="planner", target="builder", summary="Build it.", working={"x": 1}).build().text
        for number in NUMBERS:
            with self.subTest(number=number[:30]):
                outcome = baton.seal(made.replace('{"x":1}', '{"x":%s}' % number), reseal=True)
                self.assertIn('"working":{"x":%s}' % number, outcome.text)
                self.assertEqual(baton.check(outcome.text).verdict, "accepted")
                self.assertEqual(baton.call("sealHandoff", {"documents": [{"text": outcome.text}]}).value["documents"][0]["document"], outcome.document)
        quoted = baton.Handoff(source="planner", target="builder", summary='A "document":{} and \\ in a text.', working={"document": [{"}": "]"}]}).build()
        self.assertEqual(json.loads(quoted.text), quoted.document)


class Reports(unittest.TestCase):
    def setUp(self):
        self.report = baton.check(samples.handoff(target="ledger-reader"), now=NOW)

    def test_a_report_has_the_members_of_the_reply(self):
        self.assertEqual((self.report.verdict, self.report.accepted), ("rejected", False))
        self.assertEqual(self.report.summary["hard"], 1)
        self.assertEqual(self.report.facts["chain"], ["ledger-reader"])
        self.assertEqual([finding.code for finding in self.report.findings], ["SELF_LOOP"])
        self.assertEqual(json.loads(self.report.raw)["documents"][0]["verdict"], "rejected")
        finding = self.report.findings[0]
        self.assertEqual((finding.severity, finding.stage, finding.pointer, finding.line), ("HARD", "semantics", "/handoff/target/skill", 1))
        self.assertEqual(finding.params["skill"], "ledger-reader")

    def test_a_report_has_no_truth_value(self):
        with self.assertRaisesRegex(TypeError, r"\.accepted"):
            bool(self.report)
        with self.assertRaises(TypeError):
            _ = not self.report

    def test_reports_and_findings_are_frozen_dataclasses(self):
        for thing, name in ((self.report, "verdict"), (self.report, "raw"), (self.report.findings[0], "code"), (self.report, "other")):
            self.assertTrue(dataclasses.is_dataclass(thing))
            with self.assertRaises(dataclasses.FrozenInstanceError):
                setattr(thing, name, "accepted")

    def test_what_comes_back_can_be_pickled_and_compared(self):
        problem = None
        try:
            baton.check(b"{}", "universal", unknown=1)
        except baton.Problem as error:
            problem = error
        things = [self.report, self.report.findings[0], baton.repair(samples.handoff(), now=NOW), baton.explain("SELF_LOOP"), problem,
                  baton.Rejected(self.report), baton.Unavailable("no memory"), baton.NotJSON("x", "/a"), baton.Incompatible("x"), baton.call("version")]
        for thing in things:
            with self.subTest(type=type(thing).__name__):
                copy = pickle.loads(pickle.dumps(thing))
                self.assertEqual(copy, thing)
                self.assertEqual(hash(copy), hash(thing))
                self.assertIs(type(copy), type(thing))
        self.assertNotEqual(self.report, baton.check(samples.handoff(), now=NOW))

    def test_an_engine_cannot_be_pickled(self):
        with self.assertRaises(TypeError):
            pickle.dumps(baton.Engine())

    def test_rejections_are_raised_on_request(self):
        with self.assertRaises(baton.Rejected) as caught:
            self.report.raise_for_verdict()
        self.assertEqual(caught.exception.report, self.report)
        self.assertIn("SELF_LOOP", str(caught.exception))
        accepted = baton.check(samples.handoff(), now=NOW)
        self.assertIs(accepted.raise_for_verdict(), accepted)

    def test_an_unknown_verdict_or_no_document_is_not_accepted(self):
        for documents in ("", '{"path":"a","dialect":"x","verdict":"fine","findings":[],"facts":{}}'):
            self.assertFalse(baton.Report(b'{"baton":1,"documents":[%b],"summary":{}}' % documents.encode()).accepted)

    def test_a_report_is_rendered_as_by_the_program(self):
        hostile = {"handoff": {"version": "3.0", "\u202eevil\x1b[2J,:%\n\U000e0041\xad": "x" * 3000, "target": {"skill": "\u200b\t\r%0A"}}}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "100%,a:b.json"
            path.write_text(json.dumps(hostile))
            for document in (path, *sorted((TREE / "examples/universal").glob("*.json"))):
                report = baton.check(document, "universal", now=NOW)
                for name in FORMATS:
                    with self.subTest(path=document.name, format=name):
                        command = [PROGRAM, "check", "--no-refs", "--as", "universal", "--now", NOW, "-f", name, "--no-config", document]
                        told = subprocess.run(command, capture_output=True).stdout.decode()
                        self.assertEqual(report.render(name), told)
                self.assertTrue(all(letter.isprintable() or letter == "\n" for letter in report.render()))
                self.assertEqual(pickle.loads(pickle.dumps(report)).render("full"), report.render("full"))
        self.assertEqual(baton.check(samples.handoff(), now=NOW).render(), "")
        with self.assertRaisesRegex(ValueError, "jsonl"):
            report.render("html")
        value = baton.check({"handoff": {}}, "universal", now=NOW)
        self.assertEqual(value.render("json"), value.raw.decode() + "\n")
        self.assertNotIn("^", value.render("full"))  # what it would show may have changed since
        with self.assertRaisesRegex(baton.Problem, "this version has no rule"):
            baton.Report(value.raw.replace(value.findings[0].code.encode(), b"NO_SUCH_RULE")).render()

    def test_exceptions_have_one_base(self):
        for name in ("Problem", "Rejected", "NotJSON", "Unavailable", "Incompatible"):
            self.assertTrue(issubclass(getattr(baton, name), baton.BatonError))
        self.assertTrue(issubclass(baton.NotJSON, TypeError))

    def test_an_unknown_option_is_a_problem_at_its_name(self):
        with self.assertRaises(baton.Problem) as caught:
            baton.check(b"{}", "universal", budgett=1)
        self.assertEqual(caught.exception.code, "PARAMETER_INVALID")
        self.assertEqual(caught.exception.findings[0].pointer, "/budgett")


class Operations(unittest.TestCase):
    def test_a_repair_gives_the_document_and_its_changes(self):
        value = samples.handoff()
        del value["handoff"]["trace_id"]
        outcome = baton.repair(value, "universal", now=NOW)
        self.assertIsInstance(outcome, baton.Report)
        self.assertEqual((outcome.outcome, outcome.accepted), ("repaired", True))
        self.assertEqual(json.loads(outcome.text), outcome.document)
        self.assertIn("trace_id", outcome.document["handoff"])
        self.assertTrue(outcome.changes)
        self.assertTrue(baton.check(outcome.text, "universal", now=NOW).accepted)

    def test_an_answer_of_a_model_is_applied(self):
        value = samples.handoff()
        value["handoff"]["meta"]["handoff_chain"] = ["tax-checker", "ledger-reader"]
        first = baton.repair(value, "universal", now=NOW, emit_prompt=True)
        self.assertFalse(first.accepted)
        self.assertIn("text", first.prompt)
        answer = [{"op": "add", "path": "/handoff/meta/handoff_reason", "value": "the codes must be read again"}]
        second = baton.repair(value, "universal", now=NOW, answer=answer)
        self.assertEqual((second.outcome, second.accepted), ("repaired", True))

    def test_a_session_that_does_not_fit_is_handed_back(self):
        value = samples.handoff()
        value["handoff"]["payload"]["session"] = {"state": {"log": "row checked; " * 100}}
        outcome = baton.compress(value, now=NOW, budget=260)
        self.assertEqual(outcome.outcome, "compressed")
        self.assertIn("row checked", outcome.spilled["text"])

    def test_other_forms_are_converted(self):
        outcome = baton.convert(TREE / "examples/universal/version-2.handoff.json", now=NOW)
        self.assertEqual((outcome.outcome, outcome.document["handoff"]["version"]), ("converted", "3.0"))
        plan = "step,agent,action,inputs,outputs,status,notes\n1,@scout,read,a,b,done,\n2,@tax,check,b,c,pending,\n"
        with self.assertRaises(baton.Problem) as caught:
            baton.convert(plan, source_dialect="plan", now=NOW)
        self.assertEqual(caught.exception.findings[0].pointer, "/step")

    def test_rules_and_schemas_are_explained(self):
        rule = baton.explain("SELF_LOOP")
        self.assertEqual((rule.severity, rule.dialects), ("HARD", ("universal",)))
        codes = [rule.code for rule in baton.rules()]
        self.assertEqual(codes, sorted(codes))
        self.assertIn(rule, baton.rules())
        self.assertEqual(json.loads(baton.schema_text("report"))["title"], "Report")
        with self.assertRaises(baton.Problem):
            baton.explain("NO_SUCH_CODE")

    def test_tokens_are_counted(self):
        text = "Zwölf Boxkämpfer jagen Viktor \U0001f600" * 50
        for encoding in ("o200k_base", "cl100k_base", "chars4"):
            count = baton.tokens.count(text, encoding)
            self.assertGreater(count, 100)
            self.assertTrue(baton.tokens.within(text, count, encoding))
            self.assertFalse(baton.tokens.within(text, count - 1, encoding))
        self.assertEqual(baton.tokens.count(text.encode()), baton.tokens.count(text))
        self.assertEqual(baton.tokens.count(memoryview(text.encode())), baton.tokens.count(text))
        self.assertFalse(baton.tokens.within("", -1))
        self.assertTrue(baton.tokens.within("", 0))
        self.assertTrue(baton.tokens.within(text, 10**30))
        for wrong in (lambda: baton.tokens.count(text, "p50k"), lambda: baton.tokens.count(b"\xff"), lambda: baton.tokens.count("\ud800")):
            with self.assertRaises(baton.Problem):
                wrong()
        for wrong in (lambda: baton.tokens.count(5), lambda: baton.tokens.count(text, None), lambda: baton.tokens.within(text, "5")):
            with self.assertRaises(TypeError):
                wrong()

    def test_tokens_are_those_of_the_operation(self):
        for text in ("", "a", "hello world", "\n\n  x", "Zwölf \U0001f600" * 400, "word " * 1000):
            for encoding in ("o200k_base", "cl100k_base", "chars4"):
                told = baton.call("countTokens", {"text": text, "encoding": encoding}).value["tokens"]
                self.assertEqual(baton.tokens.count(text, encoding), told["estimate"] if encoding == "chars4" else told["exact"])

    def test_every_judging_reply_equals_that_of_the_program(self):
        for path in sorted((TREE / "examples/universal").glob("*.json")):
            with self.subTest(path=path.name):
                command = [PROGRAM, "check", "--no-refs", "--as", "universal", "--now", NOW, "-f", "json", "--no-config", path]
                told = subprocess.run(command, capture_output=True)
                self.assertEqual(baton.check(path, "universal", now=NOW).raw + b"\n", told.stdout, told.stderr)


class Making(unittest.TestCase):
    def make(self, **fields):
        return baton.Handoff(**{"source": "planner", "target": "builder", "summary": "Build the fix.", "options": {"now": NOW}, **fields})

    def test_a_handoff_is_made_judged_and_sealed(self):
        outcome = self.make(working={"rows": 212}, focus=["tests"], tag={"team": "a"}).build()
        self.assertTrue(outcome.accepted, outcome.findings)
        made = outcome.document["handoff"]
        self.assertEqual((made["source"]["skill"], made["target"]["skill"], made["timestamp"]), ("planner", "builder", NOW))
        self.assertEqual(made["payload"]["working"], {"rows": 212})
        self.assertIn("payload_hash", made["meta"])
        self.assertTrue(baton.check(outcome.text, now=NOW).accepted)

    def test_it_goes_on_from_another(self):
        first = self.make().build()
        for previous in (first, first.text, first.text.encode(), first.document):
            second = self.make(source="builder", target="tester").continue_from(previous).build()
            self.assertTrue(second.accepted, second.findings)
            self.assertEqual(second.document["handoff"]["meta"]["handoff_chain"], ["planner", "builder"])
            self.assertEqual(second.document["handoff"]["trace_id"], first.document["handoff"]["trace_id"])
        with self.assertRaises(TypeError):
            self.make().continue_from(baton.check(first.text)).build()

    def test_the_budget_of_a_chain_only_shrinks(self):
        def budget(outcome):
            return outcome.document["handoff"]["meta"]["baton_budget"]
        first = self.make(budget_tokens=1000, budget_cost="4.00").build()
        self.assertEqual(budget(first)["tokens"], {"limit": 1000, "left": 1000})
        second = self.make(source="builder", target="tester", spent_tokens=300, spent_cost="1.5", budget_tokens=5000).continue_from(first).build()
        self.assertEqual(budget(second)["tokens"], {"limit": 1000, "left": 700})
        self.assertEqual(budget(second)["cost"], {"limit": "4.000000", "left": "2.500000", "currency": "USD"})
        spent = self.make(source="builder", target="tester", spent_tokens=2000).continue_from(first).build()
        self.assertEqual(([finding.code for finding in spent.findings], spent.accepted, budget(spent)["tokens"]["left"]), (["BUDGET_SPENT"], False, 0))
        self.assertNotIn("baton_budget", self.make().build().document["handoff"]["meta"])
        with self.assertRaises(baton.Problem):
            self.make(budget_cost="4,00").build()

    def test_a_loop_is_shown_and_not_accepted(self):
        outcome = self.make(target="planner").build()
        self.assertEqual(([finding.code for finding in outcome.findings], outcome.accepted), (["SELF_LOOP"], False))

    def test_the_text_for_a_model_names_what_to_correct(self):
        report = self.make(target="planner").build()
        text = report.retry_text(attempt=1, limit=2)
        self.assertTrue(text.startswith("Baton refused this handoff (attempt 1 of 2).\n1. SELF_LOOP at /handoff/target/skill: "), text)
        self.assertIn("last attempt", report.retry_text(2, 2))
        self.assertEqual(self.make().build().retry_text(), "")
        with self.assertRaises(baton.Problem):
            report.retry_text(4, 3)

    def test_a_handoff_is_sealed(self):
        sealed = baton.seal(samples.handoff())
        self.assertEqual(sealed.outcome, "sealed")
        self.assertEqual(sealed.document["handoff"]["meta"]["payload_size_bytes"], 51)
        broken = sealed.document
        broken["handoff"]["payload"]["working"]["rows"] = 1
        self.assertEqual((baton.seal(broken).outcome, baton.seal(broken).document), ("escalated", None))
        self.assertEqual(baton.seal(broken, reseal=True).outcome, "sealed")


class Engines(unittest.TestCase):
    def test_settings_and_roots_count(self):
        engine = baton.Engine({"now": NOW, "check": {"budget": 10}})
        self.assertEqual([finding.code for finding in baton.check(samples.handoff(), engine=engine).findings], ["TOKENS_OVER_BUDGET"])
        with tempfile.TemporaryDirectory() as folder:
            engine = baton.Engine(roots={"work": pathlib.Path(folder)})
            with self.assertRaises(baton.Problem):
                baton.check(samples.handoff(), root="work")
            self.assertIsInstance(baton.check(samples.handoff(), root="work", engine=engine), baton.Report)

    def test_a_wrong_setting_is_a_problem(self):
        with self.assertRaises(baton.Problem) as caught:
            baton.Engine({"check": {"budgett": 1}})
        self.assertEqual((caught.exception.code, caught.exception.findings[0].pointer), ("CONFIG_KEY_UNKNOWN", "/check/budgett"))
        with self.assertRaisesRegex(FileNotFoundError, "/nonexistent: No such file"):
            baton.Engine(roots={"a": "/nonexistent"})

    def test_engines_are_equal_to_themselves_only(self):
        self.assertNotEqual(baton.Engine(), baton.Engine())


if __name__ == "__main__":
    unittest.main()
