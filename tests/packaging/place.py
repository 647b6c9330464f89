# SPDX-License-Identifier: Apache-2.0
"""place.py - what the tests of packaging share: the tree, folders, runs and documents."""
import contextlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT, BATON = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
sys.path.insert(0, str(ROOT / "tests/tree"))

import tap  # noqa: E402,F401

GOOD = ('{"handoff":{"version":"3.0","schema_type":"universal","timestamp":"2026-04-14T08:30:00Z",'
        '"trace_id":"6a0f2c1d-8b3e-4c57-9d21-5e7f90ab13c4","source":{"skill":"release-planner","workflow_id":"run-0412",'
        '"session_path":"work","phase":"Triage"},"target":{"skill":"patch-builder"},"context":{"summary":"Build the fix.",'
        '"problem_type":"implementation"},"payload":{"working":{"ticket":"DP-118"}},"meta":{"token_count":109,"confidence":"high"}}}')
LATE = GOOD.replace("2026-04-14T08:30:00Z", "2026-04-14T10:30:00+02:00")  # a warning, which a safe fix removes
LOOP = GOOD.replace("patch-builder", "release-planner")  # rejected


@contextlib.contextmanager
def folder(files=None):
    place = pathlib.Path(tempfile.mkdtemp(prefix="baton-packaging-"))
    try:
        for name, text in (files or {}).items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        yield place
    finally:
        shutil.rmtree(place)


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"got {actual!r}\nexpected {expected!r}")


def expect(done, code, text=""):
    if done.returncode != code or text not in done.stdout + done.stderr:
        raise AssertionError(f"{done.args}: exit {done.returncode}, expected {code} with {text!r}\n{done.stdout}{done.stderr}")
    return done


def has_program(name):
    return shutil.which(name) is not None
