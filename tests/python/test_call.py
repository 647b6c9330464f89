# SPDX-License-Identifier: Apache-2.0
"""test_call.py TREE PROGRAM - `python3 -m baton call`, and the same requests through the module."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import baton

TREE = pathlib.Path(sys.argv[1])


def run(*arguments, request=b"{}", **environment):
    return subprocess.run([sys.executable, "-m", "baton", *arguments], input=request, capture_output=True, env={**os.environ, **environment})


class Calls(unittest.TestCase):
    def test_a_reply_has_status_bytes_and_value(self):
        reply = baton.call("version")
        self.assertEqual((reply.status, reply.done, reply.value["version"]), (200, True, baton.__version__))
        self.assertEqual(json.loads(reply.json), reply.value)
        refused = baton.call("noSuchThing", {})
        self.assertEqual((refused.status, refused.done, refused.value["code"]), (404, False, "NOT_FOUND"))

    def test_a_request_is_a_value_or_its_text(self):
        value = {"text": "hello world"}
        text = json.dumps(value)
        for request in (value, text, text.encode(), bytearray(text.encode()), memoryview(text.encode())):
            self.assertEqual(baton.call("countTokens", request).value["tokens"]["exact"], 2)
        self.assertEqual(baton.call("countTokens", b"\xff").value["code"], "BAD_REQUEST")
        self.assertEqual(baton.call("countTokens", "").value["code"], "BAD_REQUEST")

    def test_what_needs_a_store_has_none(self):
        self.assertEqual(baton.call("getLedger").value["code"], "STORE_UNAVAILABLE")

    def test_the_command_prints_the_reply(self):
        done = run("call", "version")
        self.assertEqual((done.returncode, done.stdout), (0, baton.call("version").json + b"\n"))

    def test_the_exit_code_says_what_happened(self):
        self.assertEqual(run("call", "noSuchThing").returncode, 1)
        for arguments in (["call"], ["call", "--root", "a", "version"], ["call", "--root", "a=/nonexistent", "version"], []):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr)
            self.assertTrue(done.stderr)

    def test_roots_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            schemas = pathlib.Path(folder) / "schemas/handoff-payloads"
            schemas.mkdir(parents=True)
            schema = {"$id": "rows/v1.schema.json", "type": "object", "required": ["n"], "additionalProperties": False, "properties": {"n": {"type": "integer"}}}
            (schemas / "rows.v1.schema.json").write_text(json.dumps(schema))
            request = json.dumps({"schema": "rows/v1.schema.json", "root": "work", "payload": {"n": 1}}).encode()
            done = run("call", "--root", f"work={folder}", "planValidate", request=request)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["validate"]["outcome"], "conforms")

    def test_locale_and_time_zone_do_not_matter(self):
        request = b'{"code":"SELF_LOOP"}'
        wanted = run("call", "getRule", request=request).stdout
        self.assertEqual(run("call", "getRule", request=request, LC_ALL="C", TZ="Asia/Tokyo", PYTHONHASHSEED="7").stdout, wanted)


class Imports(unittest.TestCase):
    def test_handler_names_come_from_the_handler_part(self):
        import baton.handler
        for name in baton.handler.__all__:
            self.assertIs(getattr(baton, name), getattr(baton.handler, name))

    def test_the_handler_part_needs_no_extension(self):
        script = "import sys; sys.modules['baton._core'] = None; from baton import xmlify, Reply; import baton\ntry: baton.check\nexcept ImportError: print('fine')"
        done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(TREE / "sdk/python")}, capture_output=True, text=True)
        self.assertEqual(done.stdout, "fine\n", done.stderr)

    def test_an_extension_of_another_version_is_refused(self):
        script = "import baton; baton.__version__ = '9.9'\ntry: baton.check\nexcept baton.Incompatible as error: print(error)"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertIn("9.9", done.stdout, done.stderr)

    def test_every_name_of_this_release_can_be_imported(self):
        for name in set(baton.__all__) - {"Client", "Ledger"}:
            self.assertTrue(hasattr(baton, name), name)
        self.assertIn("check", dir(baton))
        with self.assertRaises(AttributeError):
            baton.no_such_name
