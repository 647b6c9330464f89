# SPDX-License-Identifier: Apache-2.0
"""test_sdist.py TREE PROGRAM COUNTER BUILD - the source distribution: what it holds, and the package that Debian's Python and setuptools build from it.

It is built with the libraries of this machine and, by script/test --long, without; compiled without optimisation, since that takes most of the time.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TREE, PROGRAM = pathlib.Path(sys.argv[1]), str(pathlib.Path(sys.argv[2]).resolve())
sys.path.insert(0, str(TREE / "tools"))

import sdist  # noqa: E402
import wheel  # noqa: E402

# The tests of the package that need neither a counter of blocks nor a build folder.
TESTS = ("call", "judge", "schema", "threads", "value")
CACHE = {"CC": "ccache gcc"} if shutil.which("ccache") else {}
VKEY = "ledger.example/team+9789251b+Ac628H4F87ochJ9CN1UP782/xndGAhhjWH/T7hR68ibv"


class Distributions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="baton-sdist-test-")
        cls.addClassCleanup(cls.place.cleanup)
        cls.folder = pathlib.Path(cls.place.name)
        cls.files = sdist.sdist_files()
        sdist.core_bundle.write_folder(cls.folder / "source", cls.files)

    def build(self, name, **env):
        """The folder to import the package from."""
        base = self.folder / name
        clean = {word: value for word, value in os.environ.items() if not word.startswith("PYTHON")}
        done = subprocess.run([sys.executable, "setup.py", "-q", "build", "--build-base", base, "--build-lib", base / "lib"], cwd=self.folder / "source",
                              env={**clean, **CACHE, "CFLAGS": "-O0 -g0 -w -U_FORTIFY_SOURCE", **env}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertTrue((base / "lib/baton/_core.abi3.so").is_file())
        return base / "lib"

    def run_in(self, lib, *words):
        clean = {word: value for word, value in os.environ.items() if not word.startswith("PYTHON")}
        return subprocess.run([sys.executable, "-B", *words], cwd=self.folder, env={**clean, "PYTHONPATH": str(lib)}, capture_output=True, text=True, check=False)

    def test_it_holds_the_core_bundle_and_the_metadata_of_the_wheel(self):
        bundle = sdist.core_bundle.bundle_files()
        self.assertEqual({path: self.files[f"core/{path}"] for path in bundle}, bundle)
        self.assertEqual(self.files["PKG-INFO"].decode(), wheel.metadata())
        listed = [line.split()[0] for line in self.files["parts/FILES"].decode().splitlines()]
        self.assertEqual([path for path in listed if f"parts/{path}" not in self.files and f"core/{path}" not in self.files], [])

    def test_the_package_answers_like_the_wheel(self):
        lib = self.build("all")
        for name in TESTS:
            with self.subTest(name):
                done = self.run_in(lib, str(TREE / "tests/python/run.py"), str(TREE / f"tests/python/test_{name}.py"), str(TREE), PROGRAM)
                self.assertEqual(done.returncode, 0, done.stdout[-3000:] + done.stderr[-2000:])
        info = "import baton; print(baton.verify_receipt('x', ['%s']).verdict, baton.check(b'organism: {}', 'organism').verdict)" % VKEY
        done = self.run_in(lib, "-c", info)
        self.assertEqual(done.stdout, "rejected rejected\n", done.stderr)

    @unittest.skipUnless(os.environ.get("BATON_LONG"), "a second build is for script/test --long")
    def test_without_libraries_two_parts_are_missing_and_say_so(self):
        lib = self.build("bare", BATON_WITHOUT="ed25519,yaml")
        used = subprocess.run(["readelf", "-d", lib / "baton/_core.abi3.so"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("libcrypto", used)
        self.assertNotIn("libfyaml", used)
        for call, part in ((f"baton.verify_receipt('x', ['{VKEY}'])", "ed25519"), ("baton.check(b'organism: {}', 'organism')", "yaml")):
            done = self.run_in(lib, "-c", f"import baton\ntry:\n    {call}\nexcept baton.Problem as why:\n    print(why.code, why)")
            self.assertIn("NOT_IMPLEMENTED", done.stdout, done.stderr)
            self.assertIn(f"this build has no {part}", done.stdout)
        done = self.run_in(lib, "-c", "import baton, hashlib; print(baton.check(b'{}', 'universal').verdict, baton.tokens.count('a b'))")
        self.assertEqual(done.stdout, "rejected 2\n", done.stderr)
