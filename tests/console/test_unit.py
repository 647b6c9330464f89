# SPDX-License-Identifier: Apache-2.0
"""test_unit.py CONSOLE - run the tests of the console's own code; skipped when it was not built."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main(console):
    console = pathlib.Path(console).resolve()
    bundler = console / "node_modules/.bin/esbuild"
    if not bundler.exists() or not shutil.which("node"):
        print("1..0 # SKIP the console is not built; script/console does it")
        return 0
    with tempfile.TemporaryDirectory() as place:
        tests = sorted(str(path) for path in console.glob("test/*.test.ts"))
        subprocess.run([str(bundler), *tests, "--bundle", "--platform=node", "--format=esm", f"--outdir={place}",
                        "--out-extension:.js=.mjs", "--log-level=warning"], cwd=console, check=True)
        made = sorted(str(path) for path in pathlib.Path(place).glob("*.mjs"))
        env = {**os.environ, "NODE_OPTIONS": ""}
        done = subprocess.run(["node", "--test", "--test-reporter=tap", *made], cwd=console, env=env, check=False)
        return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
