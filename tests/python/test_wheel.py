# SPDX-License-Identifier: Apache-2.0
"""test_wheel.py TREE PROGRAM COUNTER BUILD - the wheel: its form, its bytes, and what a fresh environment makes of it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

TREE, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[4])
sys.path.insert(0, str(TREE / "tools"))

import wheel  # noqa: E402


class Wheels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.path = wheel.make(BUILD, self.folder / "dist")

    def test_it_is_named_after_what_it_needs(self):
        version = wheel.version_of_tree()
        self.assertRegex(self.path.name, rf"^baton_handoff-{version}-cp311-abi3-(many)?linux_(2_34_)?[a-z0-9_]+\.whl$")
        with zipfile.ZipFile(self.path) as opened:
            info = f"baton_handoff-{version}.dist-info"
            self.assertIn(f"Tag: {self.path.stem.split('-', 2)[2]}", opened.read(f"{info}/WHEEL").decode())
            metadata = opened.read(f"{info}/METADATA").decode()
            self.assertIn(f"\nVersion: {version}\n", metadata)
            self.assertNotIn("Requires-Dist", metadata)
            self.assertEqual(opened.namelist()[-1], f"{info}/RECORD")
            notice = opened.read(f"{info}/NOTICE").decode()
            self.assertEqual("libfyaml, from the source package" in notice, "manylinux" in self.path.name)
            for holder in ("OpenAI", "Unicode, Inc.", "JSON Schema Specification Authors"):  # of data in every extension
                self.assertIn(holder, notice)

    def test_the_same_files_give_the_same_bytes(self):
        again = wheel.make(BUILD, self.folder / "again")
        self.assertEqual(again.read_bytes(), self.path.read_bytes())
        os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
        try:
            dated = wheel.make(BUILD, self.folder / "dated")
        finally:
            del os.environ["SOURCE_DATE_EPOCH"]
        self.assertNotEqual(dated.read_bytes(), self.path.read_bytes())

    def test_a_wrong_record_is_found(self):
        self.assertEqual(wheel.check(self.path), [])
        with zipfile.ZipFile(self.path) as opened:
            entries = [(name, opened.read(name)) for name in opened.namelist()]

        def complaints(changed):
            broken = self.folder / "broken.whl"
            with zipfile.ZipFile(broken, "w") as made:
                for name, data in changed:
                    made.writestr(name, data)
            return wheel.check(broken)

        self.assertEqual(complaints(entries), [])
        self.assertTrue(complaints([(entries[0][0], entries[0][1] + b"#"), *entries[1:]]))
        self.assertTrue(complaints([("a.py", b""), *entries]))
        self.assertTrue(complaints(entries[1:]))
        self.assertTrue(complaints([entries[-1], *entries[:-1]]))

    def test_a_platform_can_be_required(self):
        with self.assertRaises(wheel.WheelError):
            wheel.make(BUILD, self.folder / "other", "manylinux_2_17_x86_64")

    def test_a_fresh_environment_can_use_it(self):
        environment = self.folder / "environment"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        clean.update(LD_LIBRARY_PATH=str(BUILD / "src"), PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", HOME=str(self.folder))
        made = subprocess.run([sys.executable, "-m", "venv", environment], env=clean, capture_output=True, text=True)
        python = environment / "bin/python3"
        if made.returncode == 0:
            for words in (["install", "--no-index", self.path], ["check"]):
                done = subprocess.run([python, "-m", "pip", *words], env=clean, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        else:  # a Python without pip
            shutil.rmtree(environment, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], env=clean, check=True)
            with zipfile.ZipFile(self.path) as opened:
                opened.extractall(next(environment.glob("lib/python*/site-packages")))
        script = "import baton; print(baton.__file__); print(baton.check(b'{}', 'universal').verdict)"
        done = subprocess.run([python, "-c", script], env=clean, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.stdout, f"{next(environment.glob('lib/python*'))}/site-packages/baton/__init__.py\nrejected\n", done.stderr)
        done = subprocess.run([python, "-m", "baton", "call", "version"], input="{}", env=clean, capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
