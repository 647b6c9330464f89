#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_npm.py --archive FILE --out DIR - the npm packages of the program: the launcher, and the program of baton-VERSION-linux-x64.tar.xz.

Written by `npm pack`, without a network. Packages with code of their own are packed where their sources are.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "packaging/npm"


def pack(folder, out, home):
    """npm's own list of files, in its own order, with its own fixed time."""
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "npm_config_offline": "true", "npm_config_audit": "false", "npm_config_update_notifier": "false"}
    done = subprocess.run(["npm", "pack", "--ignore-scripts", "--pack-destination", str(out)], cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"make_npm.py: npm pack in {folder.name}: {done.stderr[-2000:]}")
    path = out / done.stdout.strip().splitlines()[-1]
    print(f"{path.stat().st_size} {path}")


def take(archive, name):
    """A file of the folder in an archive."""
    with tarfile.open(archive) as tar:
        member = next(member for member in tar if member.name.partition("/")[2] == name)
        return tar.extractfile(member).read()


def make(archive, out):
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="baton-npm-") as name:
        work = pathlib.Path(name)
        for package in ("cli", "cli-linux-x64"):
            shutil.copytree(FOLDER / package, work / package)
            shutil.copy(FOLDER.parent.parent / "LICENSE", work / package / "LICENSE")
        program = work / "cli-linux-x64/bin/baton"
        program.parent.mkdir()
        program.write_bytes(take(archive, "bin/baton"))
        (work / "cli-linux-x64/NOTICE").write_bytes(take(archive, "NOTICE"))
        for path in work.rglob("*"):
            path.chmod(0o755 if path.is_dir() or path.name in ("baton", "baton.cjs") else 0o644)
        for package in ("cli", "cli-linux-x64"):
            pack(work / package, out.resolve(), work)


def main(arguments):
    parser = argparse.ArgumentParser(prog="make_npm.py", description="Make the npm packages of the program.")
    parser.add_argument("--archive", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    make(options.archive, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
