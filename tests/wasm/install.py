# SPDX-License-Identifier: Apache-2.0
"""install.py - the npm packages of this tree, packed and installed in an empty folder without a network, for the tests of this folder."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import make_typescript  # noqa: E402
import make_wasm  # noqa: E402


def missing():
    """What these tests need and is not here; empty: everything is."""
    lacking = [] if shutil.which("node") else ["node"]
    lacking += [] if make_typescript.find_compiler() else ["tsc (Debian: node-typescript)"]
    return lacking + make_wasm.missing_tools()


def run(*command, cwd, check=True):
    env = {**os.environ, "HOME": str(cwd), "npm_config_offline": "true", "npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false"}
    return subprocess.run([str(word) for word in command], cwd=cwd, env=env, check=check, capture_output=True, text=True, timeout=300)


def install(wasm, work, is_packed=True):
    """Make the packages and install them below `work`; the folder of baton-handoff. Without npm, or unpacked, they are copied."""
    packages, place = work / "packages", work / "installed"
    make_typescript.make(wasm, packages)
    place.mkdir()
    (place / "package.json").write_text('{"name": "empty", "version": "1.0.0", "private": true}\n')
    names = ("baton-handoff", "baton-handoff-tokens")
    if is_packed and shutil.which("npm"):
        archives = [packages / run("npm", "pack", "--ignore-scripts", "--pack-destination", packages, cwd=packages / name).stdout.split()[-1] for name in names]
        run("npm", "install", "--ignore-scripts", *archives, cwd=place)
    else:
        for name in names:
            shutil.copytree(packages / name, place / "node_modules" / name)
    return place / "node_modules/baton-handoff"
