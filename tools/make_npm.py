#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_npm.py --archive FILE [--packages DIR] --out DIR - the npm packages: a launcher, the program of baton-VERSION-linux-x64.tar.xz, and the folders of --packages.

Those folders are made by tools/make_typescript.py. Packed by `npm pack`, without a network.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

import make_tarball

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "packaging/npm"
PROGRAM_PACKAGES = ("cli", "cli-linux-x64")
# What a WebAssembly module holds besides our own code.
LINKED = {"wasi-libc": "wasi-libc", "the runtime functions of clang": "libclang-rt-14-dev-wasm32"}


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


def fill_program_packages(archive, work):
    for package in PROGRAM_PACKAGES:
        shutil.copytree(FOLDER / package, work / package)
        shutil.copy(FOLDER.parent.parent / "LICENSE", work / package / "LICENSE")
    program = work / "cli-linux-x64/bin/baton"
    program.parent.mkdir()
    program.write_bytes(take(archive, "bin/baton"))
    (work / "cli-linux-x64/NOTICE").write_bytes(take(archive, "NOTICE"))
    for path in work.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.name in ("baton", "baton.cjs") else 0o644)


def make(archive, out, packages=None):
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="baton-npm-") as name:
        work = pathlib.Path(name)
        fill_program_packages(archive, work)
        for folder in sorted(packages.iterdir()) if packages else []:
            shutil.copytree(folder, work / folder.name)  # which keeps the modes
            if any(folder.glob("*.wasm")):
                (work / folder.name / "NOTICE").write_text(make_tarball.notice(LINKED, "The WebAssembly module"), encoding="utf-8")
                (work / folder.name / "NOTICE").chmod(0o644)
        for folder in sorted(path for path in work.iterdir() if path.is_dir()):
            pack(folder, out.resolve(), work)


def main(arguments):
    parser = argparse.ArgumentParser(prog="make_npm.py", description="Make the npm packages.")
    parser.add_argument("--archive", type=pathlib.Path, required=True)
    parser.add_argument("--packages", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments)
    make(options.archive, options.out, options.packages)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
