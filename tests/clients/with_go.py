# SPDX-License-Identifier: Apache-2.0
"""with_go.py BATON DRIVER TEST - build a driver with Debian's Go and its golang.org/x/mod, and run a test with it. The packages of sdk/go are
vetted and their layout is compared first. Skipped, with the reason, where they are not installed."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
SDK = HERE.parent.parent / "sdk/go"
MODULES = pathlib.Path("/usr/share/gocode")
PACKAGES = ["baton.example/go", "baton.example/go/generated", "baton.example/go/receipt"]


def find_go():
    """Debian's Go, which needs a tenth of the time because its packages are compiled; else another one."""
    return "/usr/bin/go" if os.access("/usr/bin/go", os.X_OK) else shutil.which("go")


def main(baton, driver, test):
    go = find_go()
    if not go or not (MODULES / "src/golang.org/x/mod/sumdb/tlog").is_dir():
        print("1..0 # SKIP no Go with golang-golang-x-mod-dev here")
        return 0
    with tempfile.TemporaryDirectory(prefix="baton-go-") as work:
        place = pathlib.Path(work, "src/baton.example")
        place.mkdir(parents=True)
        (place / "go").symlink_to(SDK.resolve())
        environment = {**os.environ, "GO111MODULE": "off", "GOPATH": f"{work}:{MODULES}", "GOCACHE": f"{work}/cache", "GOFLAGS": ""}
        subprocess.run([go, "vet", *PACKAGES], check=True, env=environment)
        gofmt = shutil.which("gofmt") or "gofmt"
        odd = subprocess.run([gofmt, "-l", str(SDK), str(HERE / "drivers")], check=True, capture_output=True, text=True, env=environment).stdout
        if odd:
            print(f"Bail out! gofmt would change {odd}")
            return 1
        program = f"{work}/driver"
        subprocess.run([go, "build", "-o", program, str(HERE / "drivers" / driver / "main.go")], check=True, env=environment)
        return subprocess.run([sys.executable, "-B", str(HERE / test), baton, program], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
