# SPDX-License-Identifier: Apache-2.0
"""test_unit.py ROOT - run the unit tests of the console, as script/console built them into console/bundle/test."""
import os
import pathlib
import shutil
import subprocess
import sys


def main(root):
    console = pathlib.Path(root).resolve() / "console"
    if not shutil.which("node"):
        print("1..0 # SKIP node is not installed; script/bootstrap test installs it")
        return 0
    tests = sorted(str(path.relative_to(console)) for path in (console / "bundle/test").glob("*.mjs"))
    sources = sorted(path.name.removesuffix(".ts") for path in (console / "test").glob("*.test.ts"))
    if sources != [pathlib.Path(path).stem for path in tests]:
        print(f"1..1\nnot ok 1 - console/bundle/test has every test\n# {sources}, {tests}; run script/console")
        return 1
    done = subprocess.run(["node", "--test", "--test-reporter=tap", *tests], cwd=console, env={**os.environ, "NODE_OPTIONS": ""}, check=False)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
