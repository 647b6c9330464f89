# SPDX-License-Identifier: Apache-2.0
"""test_rebuild.py ROOT - where the npm packages of the console are installed: building it again gives console/bundle, byte by byte."""
import pathlib
import shutil
import subprocess
import sys


def main(root):
    root = pathlib.Path(root).resolve()
    installed = root / "build/console/node_modules/.installed"
    if not shutil.which("npm") or not installed.is_file() or installed.read_bytes() != (root / "console/package-lock.json").read_bytes():
        print("1..0 # SKIP the npm packages of the console are not installed; script/console --check installs them and makes this test")
        return 0
    done = subprocess.run([root / "script/console", "--check"], capture_output=True, text=True, check=False)
    print("1..1\n" + ("not " if done.returncode else "") + "ok 1 - a rebuild gives the same bytes")
    print("".join(f"# {line}\n" for line in (done.stdout + done.stderr).splitlines()), end="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
