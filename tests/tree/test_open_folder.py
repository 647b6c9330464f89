# SPDX-License-Identifier: Apache-2.0
"""test_open_folder.py ROOT - tests work wherever the checkout and TMPDIR lie, also those that become another account."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import open_folder
import tap

ROOT = pathlib.Path(sys.argv[1])
NOBODY = 65534


def can_look(path):
    """Can another account list the folder? When we are not root, we are the other account."""
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    return subprocess.run(["ls", path], capture_output=True, cwd="/", check=False, **who).returncode == 0


@tap.claim
def a_folder_below_a_private_one_is_private():
    with tempfile.TemporaryDirectory() as private:
        inner = pathlib.Path(private, "inner")
        inner.mkdir(0o755)
        if open_folder.lets_others_in(inner):
            raise AssertionError("a folder of mode 0700 lets others in")
    if not open_folder.lets_others_in("/"):
        raise AssertionError("/ lets nobody in")


@tap.claim
def with_a_private_TMPDIR_another_account_still_gets_a_folder():
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as private:
        tempfile.tempdir = private
        try:
            with open_folder.make() as folder:
                if pathlib.Path(private) in pathlib.Path(folder).parents or not can_look(folder):
                    raise AssertionError(f"{folder} cannot be entered")
        finally:
            tempfile.tempdir = before


@tap.claim
def only_one_function_of_the_tests_becomes_another_account():
    """So that no test depends on who can enter the checkout: program.run_as_nobody copies the program."""
    found = [path.name for path in (ROOT / "tests").rglob("*.py")
             if re.search(r"[(, ]user=|\bsetuid\(|\"user\": NOBODY", path.read_text(encoding="utf-8"))]
    expected = {"program.py", "test_open_folder.py"}
    tap.expect_clean([f"{name}: use run_as_nobody of program.py" for name in found if name not in expected])


sys.exit(tap.run())
