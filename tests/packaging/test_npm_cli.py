# SPDX-License-Identifier: Apache-2.0
"""test_npm_cli.py ROOT BATON - the npm packages of the program: packed, installed without a network, and run."""
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

ROOT, BATON = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests/tree")]

import make_npm  # noqa: E402
import tap  # noqa: E402

PLACE = pathlib.Path(tempfile.mkdtemp(prefix="baton-npm-test-"))
HOME = PLACE / "home"
ENV = {"PATH": os.environ["PATH"], "HOME": str(HOME), "npm_config_offline": "true", "npm_config_audit": "false", "npm_config_fund": "false",
       "npm_config_update_notifier": "false"}
PACKED = PLACE / "packed"
LAUNCHER = ROOT / "packaging/npm/cli/bin/baton.cjs"


def run(*words, cwd=PLACE, code=0):
    done = subprocess.run([str(word) for word in words], cwd=cwd, env=ENV, capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def write_archive(path):
    """What of a release's archive is needed here, with the program of this build."""
    with tarfile.open(path, "w") as tar:
        for name, data in (("bin/baton", BATON.read_bytes()), ("NOTICE", b"notice\n")):
            info = tarfile.TarInfo("baton-0/" + name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def install(folder, *archives):
    folder.mkdir()
    (folder / "package.json").write_text('{"name": "user", "version": "1.0.0", "private": true}\n')
    run("npm", "install", "--no-save", *archives, cwd=folder)
    return folder


@tap.claim
def packages_hold_what_they_list_and_no_script():
    HOME.mkdir()
    write_archive(PLACE / "archive.tar")
    with contextlib.redirect_stdout(sys.stderr):
        make_npm.make(PLACE / "archive.tar", PACKED)
    expected = {"cli": ["LICENSE", "README.md", "bin/baton.cjs", "package.json"], "cli-linux-x64": ["LICENSE", "NOTICE", "README.md", "bin/baton", "package.json"]}
    for name, files in expected.items():
        path = next(PACKED.glob(f"baton-handoff-{name}-[0-9]*.tgz"))
        with tarfile.open(path) as tar:
            found = sorted(member.name.removeprefix("package/") for member in tar)
        if found != files:
            raise AssertionError(f"{path.name}: {found}")
        page = json.loads((ROOT / "packaging/npm" / name / "package.json").read_text())
        if "scripts" in page or "dependencies" in page or page["sideEffects"] is not False:
            raise AssertionError(f"{name}: {page}")


@tap.claim
def installed_without_a_network_the_program_runs():
    folder = install(PLACE / "with", *sorted(PACKED.glob("*.tgz")))
    wanted = subprocess.run([BATON, "version"], capture_output=True, text=True, check=True).stdout
    if run("npx", "baton", "version", cwd=folder).stdout != wanted:
        raise AssertionError("another version")
    handoff = folder / "x.handoff.json"
    handoff.write_text('{"handoff":{}}\n')
    if "SCHEMA_REQUIRED" not in run("npx", "baton", "check", "-f", "concise", handoff, cwd=folder, code=1).stdout:
        raise AssertionError("the exit code is handed on, but not the output")
    told = run("npx", "baton", "doctor", cwd=folder).stdout
    if "comes first on PATH" in told or not re.search(r"^ok +program ", told, re.M):
        raise AssertionError(f"the program takes the launcher for another one: {told}")


@tap.claim
def a_platform_without_a_package_is_told_the_other_ways():
    folder = PLACE / "without"
    shutil.copytree(LAUNCHER.parent, folder / "bin")
    done = run("node", folder / "bin/baton.cjs", "version", cwd=folder, code=2)
    if "no program for" not in done.stderr or "npm install baton-handoff " not in done.stderr or done.stdout:
        raise AssertionError(done.stderr)


@tap.claim
def a_signal_reaches_the_program():
    folder = PLACE / "signal"
    shutil.copytree(LAUNCHER.parent, folder / "bin")
    module = folder / "node_modules" / f"baton-handoff-cli-linux-{'x64' if os.uname().machine == 'x86_64' else 'arm64'}" / "bin"
    module.mkdir(parents=True)
    (module / "baton").write_text(f"#!/bin/sh\ntrap 'exit 7' TERM\n: > {folder}/ready\nwhile :; do sleep 0.05; done\n")
    (module / "baton").chmod(0o755)
    child = subprocess.Popen(["node", folder / "bin/baton.cjs"], env=ENV)
    for _ in range(600):
        if (folder / "ready").exists():
            break
        time.sleep(0.05)
    child.send_signal(signal.SIGTERM)
    if child.wait(60) != 7:
        raise AssertionError(f"exit {child.returncode}")


code = tap.run()
shutil.rmtree(PLACE)
sys.exit(code)
