# SPDX-License-Identifier: Apache-2.0
"""with_node.py BATON TEST - compile the TypeScript client strictly, with Debian's TypeScript 4.8 or a later one, and run a test with it in Node.
Skipped, with the reason, where there is none; TYPESCRIPT names the folder of another one."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
SDK = ROOT / "sdk/typescript"
OPTIONS = ["--strict", "--noUncheckedIndexedAccess", "--noImplicitOverride", "--target", "es2022", "--module", "node16", "--moduleResolution", "node16", "--declaration",
           "--lib", "es2022,dom,dom.iterable"]


def find_compiler():
    """The command that compiles TypeScript, or None."""
    folder = os.environ.get("TYPESCRIPT", "")
    if folder:
        return ["node", f"{folder}/bin/tsc"]
    return [shutil.which("tsc")] if shutil.which("tsc") else None


def main(baton, test):
    compiler = find_compiler()
    if not compiler or not shutil.which("node"):
        print("1..0 # SKIP no Node with TypeScript here")
        return 0
    with tempfile.TemporaryDirectory(prefix="baton-node-") as work:
        for name in ("src", "generated"):
            pathlib.Path(work, name).mkdir()
            for path in (SDK / name).glob("*.ts"):
                shutil.copy(path, pathlib.Path(work, name))
        pathlib.Path(work, "package.json").write_text('{"type": "module"}\n')
        subprocess.run([*compiler, *OPTIONS, "--rootDir", work, "--outDir", f"{work}/made", f"{work}/src/client.ts"], check=True, cwd=work)
        pathlib.Path(work, "made/package.json").write_text('{"type": "module"}\n')
        command = ["node", str(HERE / "drivers/node_client.mjs"), f"{work}/made/src/client.js"]
        return subprocess.run([sys.executable, "-B", str(HERE / test), baton, *command, "--without-unix"], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
