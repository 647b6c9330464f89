# SPDX-License-Identifier: Apache-2.0
"""test_parity.py WASM BATON CALL CORPUS - the parity corpus through the module in Node, beside the command, REST, MCP and the library; and a planted difference must be found.
Skipped, with the reason, where a tool is missing."""
import pathlib
import shlex
import subprocess
import sys
import tempfile

import install

HERE = pathlib.Path(__file__).resolve().parent
PLANTED = "process.stdout.write(JSON.stringify({ status: reply.status, json: reply.json.replace('accepted', 'Accepted') }) + \"\\n\");"


def parity(baton, call, corpus, door, package, only=""):
    command = shlex.join(["node", str(door), str(package)])
    return subprocess.run([sys.executable, "-B", HERE.parent / "conformance/parity.py", "--baton", baton, "--call", call, "--batch", f"wasm-node={command}", "--lacks", "wasm-node:yaml",
                           "--only", only, corpus], capture_output=True, text=True, check=False, timeout=600)


def main(wasm, baton, call, corpus):
    lacking = install.missing()
    if lacking:
        print(f"1..0 # SKIP missing: {', '.join(lacking)}; script/bootstrap wasm sdk installs it")
        return 0
    with tempfile.TemporaryDirectory(prefix="baton-wasm-") as name:
        work = pathlib.Path(name)
        package = install.install(pathlib.Path(wasm), work, is_packed=False)
        door = work / "door.mjs"
        text = (HERE / "door.mjs").read_text(encoding="utf-8")
        door.write_text(text)
        ran = parity(baton, call, corpus, door, package)
        print(ran.stdout, end="")
        line = next(line for line in text.splitlines() if "process.stdout.write" in line)
        door.write_text(text.replace(line, "  " + PLANTED))
        control = parity(baton, call, corpus, door, package, "PP-00[1-5]$")
        if control.returncode == 0 or "the bytes differ" not in control.stdout:
            print("Bail out! a planted difference was not found")
            return 1
        return ran.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
