# SPDX-License-Identifier: Apache-2.0
"""parity.py parity|parity-browser|parity-peers - the parity corpus through every interface that script/interop built in build/interop; and a planted difference must be found.

Six interfaces: the command, REST, MCP, the library, the Python package and the WebAssembly module in Node; with parity-browser also the module in a browser,
with parity-peers the module in Deno, in Bun and in workerd, the runtime of workers.
"""
import pathlib
import shlex
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build/interop"
sys.path.insert(0, str(HERE.parent / "wasm"))
import install  # noqa: E402


def run(doors, lacks, only=""):
    batches = [word for name, command in doors.items() for word in ("--batch", f"{name}={shlex.join(map(str, command))}")]
    lacking = [word for lack in lacks for word in ("--lacks", lack)]
    return subprocess.run([sys.executable, "-B", HERE.parent / "conformance/parity.py", "--baton", BUILD / "app/cli/baton", "--call", BUILD / "call", *batches, *lacking,
                           "--table", "--only", only, HERE.parent / "conformance/parity.json"], capture_output=True, text=True, check=False)


def peers(package):
    """Each runtime of parity-peers by its name, and what it runs."""
    modules, beside = BUILD / "peers/node_modules", package.parent.parent / "door.mjs"
    shutil.copy(HERE.parent / "wasm/door.mjs", beside)  # Deno finds other packages only for programs that lie beside them
    return {"wasm-deno": [modules / ".bin/deno", "run", "--allow-all", "--node-modules-dir=manual", beside, package],
            "wasm-bun": [modules / ".bin/bun", HERE.parent / "wasm/door.mjs", package],
            "wasm-worker": ["node", HERE / "parity_worker.mjs", modules / ".bin/workerd", package]}


def main(what):
    work = BUILD / "parity"
    subprocess.run(["rm", "-rf", work], check=True)
    work.mkdir()
    package = install.install(BUILD / "wasm/baton.wasm", work, is_packed=False)
    doors = {"python": [sys.executable, "-B", HERE / "parity_door.py"], "wasm-node": ["node", HERE.parent / "wasm/door.mjs", package]}
    lacks = ["wasm-node:yaml"]
    if what == "parity-browser":
        browser = ["node", HERE / "parity_browser.mjs", BUILD / "peers/node_modules", package]
        probe = subprocess.run([*browser, "--probe"], capture_output=True, text=True, check=True).stdout.strip()
        print(f"# the browser: {probe}")
        lacks += ["wasm-browser:yaml", *(["wasm-browser:ed25519"] if "without Ed25519" in probe else [])]
        doors["wasm-browser"] = browser
    if what == "parity-peers":
        for name, command in peers(package).items():
            program = command[2] if name == "wasm-worker" else command[0]
            print(f"# {name}: {subprocess.run([program, '--version'], capture_output=True, text=True, check=True).stdout.splitlines()[0]}")
            doors[name] = command
            lacks.append(f"{name}:yaml")
    ran = run(doors, lacks)
    print(ran.stdout, end="")
    print(ran.stderr, end="", file=sys.stderr)
    planted = work / "planted.py"
    planted.write_text((HERE / "parity_door.py").read_text().replace('"json": reply.json.decode()', '"json": reply.json.decode().replace("accepted", "Accepted")'))
    control = run({"python": [sys.executable, "-B", planted]}, [], "PP-00[1-5]$")
    if control.returncode == 0 or "the bytes differ" not in control.stdout:
        print("Bail out! a planted difference was not found")
        return 1
    print("# a planted difference in one interface was found")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
