# SPDX-License-Identifier: Apache-2.0
"""test_types.py TREE - the stubs pass mypy --strict, describe what is there, and find mistakes."""
import ast
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import baton

PACKAGE = pathlib.Path(baton.__file__).parent
SAMPLE = pathlib.Path(__file__).parent / "typed_sample.py"
MYPY = shutil.which("mypy", path="/usr/bin") or shutil.which("mypy")
MISTAKES = {
    "report.accepted:": "report.acepted:",
    'Handoff(source="a", ': "Handoff(",
    "tokens.count(text)": "tokens.count(5)",
    '"universal", engine=engine': '"universal", engine=5',
    "finding.severity for": "finding.severity + 1 for",
    "validator.iter_valid(lines)": "validator.iter_valid(5)",
}


def run_mypy(*arguments):
    with tempfile.TemporaryDirectory() as cache:
        command = [MYPY, "--strict", "--no-error-summary", "--follow-imports=silent", "--python-version", "3.11", "--cache-dir", cache, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": ""})


def names_of(stub):
    """The public names of a stub."""
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from (alias.asname for alias in node.names if alias.asname)


class Types(unittest.TestCase):
    def setUp(self):
        if not MYPY:
            self.skipTest("mypy is not installed")

    def test_the_stubs_are_strict(self):
        done = run_mypy(*sorted(PACKAGE.glob("*.pyi")))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_program_is_checked(self):
        done = run_mypy(SAMPLE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_mistakes_are_found(self):
        text = SAMPLE.read_text()
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for number, (right, wrong) in enumerate(MISTAKES.items()):
                self.assertIn(right, text)
                paths.append(pathlib.Path(folder) / f"wrong_{number}.py")
                paths[-1].write_text(text.replace(right, wrong))
            done = run_mypy(*paths)
            for path, wrong in zip(paths, MISTAKES.values()):
                self.assertIn(path.name, done.stdout, wrong)


class Names(unittest.TestCase):
    def test_every_name_of_a_stub_is_there(self):
        for stub in PACKAGE.glob("*.pyi"):
            name = "baton" if stub.stem == "__init__" else "baton." + stub.stem
            module = importlib.import_module(name)
            for public in names_of(stub):
                if not public.startswith("_") or public == "__version__":
                    self.assertTrue(hasattr(module, public), f"{name}.{public}")

    def test_every_name_has_a_stub(self):
        described = set(names_of(PACKAGE / "__init__.pyi"))
        self.assertEqual(set(baton.__all__) - described, set())

    def test_fields_are_those_of_the_stubs(self):
        found = 0
        for stub in (PACKAGE / "_types.pyi", PACKAGE / "_handoff.pyi"):
            for node in ast.parse(stub.read_text()).body:
                if isinstance(node, ast.ClassDef) and node.name in ("Finding", "Document", "Rule", "Handoff"):
                    fields = [part.target.id for part in node.body if isinstance(part, ast.AnnAssign)]
                    self.assertEqual(list(getattr(baton, node.name).__dataclass_fields__), fields)
                    found += 1
        self.assertEqual(found, 4)
