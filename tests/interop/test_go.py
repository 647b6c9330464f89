# SPDX-License-Identifier: Apache-2.0
"""test_go.py BATON - what Baton exports and hands out is checked by Go's sumdb packages (Debian:
golang-golang-x-mod-dev), which agree on roots and proofs at every interesting size, and find what was changed.
BATON_FLIP_STEP=1 in the environment changes every byte instead of some thousands."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from ledger_tools import NOW, VKEY, do, ledger
from program import claim_if, equal, finish

HERE = pathlib.Path(__file__).parent
PACKAGES = pathlib.Path("/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog")
SIZES = (0, 1, 2, 255, 256, 257, 65535, 65536, 65537, 70000)
BATCH = 10000
FLIP_STEP = int(os.environ.get("BATON_FLIP_STEP", "131"))
able = shutil.which("go") is not None and PACKAGES.is_dir()
claim = claim_if(able, "no Go with golang-golang-x-mod-dev here")

work = tempfile.TemporaryDirectory(prefix="baton-go-")
CHECK = str(pathlib.Path(work.name) / "check")


def build():
    environment = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": work.name + "/cache",
                   "GOFLAGS": "", "CGO_ENABLED": "0"}
    subprocess.run(["go", "build", "-o", CHECK, str(HERE / "go/check.go")], check=True, env=environment)


def check(*args, code=0, **env):
    result = subprocess.run([CHECK, *map(str, args)], capture_output=True, text=True, env={**os.environ, **env}, check=False)
    if result.returncode != code:
        raise AssertionError(f"check {args}: exit {result.returncode}: {result.stdout}{result.stderr}")
    return result.stdout


def grow(folder, size):
    """Append raw records until the ledger has this size."""
    (folder / "a.txt").write_text("hello\n")
    have = json.loads(do(folder, "store", "info", "-f", "json").stdout)["size"]
    while have < size:
        count = min(BATCH, size - have)
        do(folder, "ledger", "append", *["--raw", "a.txt"] * count, "--deadline", "60000", *NOW, "-f", "concise", "-o", "log")
        have += count


@claim
def go_agrees_on_roots_entries_and_receipts_at_every_size():
    build()
    with ledger() as folder:
        for size in SIZES:
            grow(folder, size)
            told = json.loads(do(folder, "ledger", "export", f"t{size}", "-f", "json").stdout)
            receipts = []
            for seq in sorted({0, size // 2, size - 1}) if size else []:
                receipts.append(folder / f"r{seq}")
                receipts[-1].write_bytes(do(folder, "ledger", "prove", "inclusion", str(seq)).stdout)
            growths = []
            for old in sorted({number for number in (0, 1, *SIZES, size // 3, size) if number <= size}):
                growths.append(folder / f"g{old}.growth")
                growths[-1].write_bytes(do(folder, "ledger", "prove", "consistency", str(old)).stdout)
            output = check(folder / f"t{size}", VKEY, *receipts, *growths).splitlines()
            equal(output[0], f"ok {size} {told['root']}")
            equal(len(output), 1 + len(receipts) + len(growths))


@claim
def go_finds_every_changed_byte_unless_it_skips_the_root():
    with ledger() as folder:
        grow(folder, 1000)
        do(folder, "ledger", "export", "t")
        check(folder / "t", VKEY)
        output = check("-flip", FLIP_STEP, folder / "t", VKEY)
        words = output.split()
        print(f"# {output.strip()}")
        equal(words[2:], ["unnoticed", "0"])
        equal(int(words[1].rstrip(",")) > 100, True)
        # The negative control: a hash above the leaves goes unnoticed when the root is not asked for.
        inner = folder / "t/tile/1/000.p/3"
        inner.write_bytes(bytes(96))
        check(folder / "t", VKEY, code=1)
        check(folder / "t", VKEY, BATON_SKIP_ROOT="1")


@claim
def go_and_thirty_lines_of_python_verify_a_recorded_call():
    """Receipt, call record, request and answer together. The controls: another one of each."""
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "lab", "version": "1"}}}
    calls = [{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "echo", "value": number}} for number in range(1, 6)]
    with ledger() as folder:
        server = [sys.executable, str(HERE.parent / "wrap/server.py")]
        said = do(folder, "wrap", "--name", "s", "--quiet", "--", *server, stdin=b"".join(json.dumps(line).encode() + b"\n" for line in (hello, *calls)))
        answers = {message["id"]: message["result"] for message in map(json.loads, said.stdout.splitlines())}
        (folder / "vkey").write_text(VKEY)
        do(folder, "ledger", "export", "t")
        for number in range(1, 6):
            (folder / f"receipt{number}").write_bytes(do(folder, "ledger", "prove", "inclusion", str(number - 1)).stdout)
            (folder / f"record{number}").write_bytes(do(folder, "ledger", "show", str(number - 1), "--document").stdout)
            (folder / f"params{number}").write_text(json.dumps(calls[number - 1]["params"]))
            (folder / f"answer{number}").write_text(json.dumps(answers[number]))
        equal(check(folder / "t", VKEY, *(folder / f"receipt{number}" for number in range(1, 6))).count("receipt"), 5)
        for other in (None, "receipt", "record", "params", "answer"):
            for number in range(1, 6) if other is None else (3,):
                files = [folder / f"{name}{4 if name == other else number}" for name in ("receipt", "record", "params", "answer")]
                result = subprocess.run([sys.executable, "-B", str(HERE / "verify_call.py"), str(folder / "vkey"), *map(str, files)], capture_output=True, text=True, check=False)
                equal((other, number, result.returncode, result.stdout[-9:]), (other, number, 0 if other is None else 1, "verified\n" if other is None else result.stdout[-9:]))


sys.exit(finish())
