# SPDX-License-Identifier: Apache-2.0
"""image_test.py - the image with Debian's tools, and run in its unpacked root as its own account, read-only."""
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import time
import urllib.request

import roots
from run import Failure, output

ACCOUNT = 65532
WAIT_S = 60


def unpack(path, version, work):
    """Through skopeo and umoci; the root of the bundle."""
    output(["skopeo", "inspect", f"oci-archive:{path}:{version}"])
    output(["skopeo", "copy", "--quiet", f"oci-archive:{path}:{version}", f"docker-archive:{work / 'docker.tar'}:baton:{version}"])
    output(["skopeo", "copy", "--quiet", f"oci-archive:{path}:{version}", f"oci:{work / 'layout'}:{version}"])
    output(["umoci", "unpack", "--rootless", "--image", f"{work / 'layout'}:{version}", work / "bundle"])
    return work / "bundle/rootfs"


def expect_exit(root, command, code, words, **how):
    got, told = roots.run(root, command, user=ACCOUNT, read_only=True, **how)
    if got != code or words not in told:
        raise Failure(f"in the image: {' '.join(command)}: exit {got} instead of {code}, or without {words!r}:\n{told[-2000:]}")
    return told


def wait_line(child, pattern):
    """The first line of a child's output that has the pattern."""
    deadline, text = time.monotonic() + WAIT_S, b""
    while time.monotonic() < deadline:
        ready, _, _ = select.select([child.stdout], [], [], 1)
        chunk = os.read(child.stdout.fileno(), 4096) if ready else b""
        text += chunk
        found = re.search(pattern, text.decode("utf-8", "replace"))
        if found:
            return found
        if ready and not chunk:
            break
    raise Failure(f"the server in the image printed no {pattern}: {text.decode('utf-8', 'replace')[-2000:]}")


def call(url, token, document=None):
    head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(document).encode() if document else None, head)
    with urllib.request.urlopen(request, timeout=WAIT_S) as response:
        return response.status


def stop(child):
    """Send the server, which is the child of unshare, the signal of the image; it must end with 0."""
    server = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()[0]
    os.kill(int(server), signal.SIGTERM)
    if child.wait(WAIT_S) != 0:
        raise Failure(f"the server in the image ended with exit {child.returncode} after SIGTERM")


def serve(root, binds, document):
    """Health, and one submission to the mounted store."""
    command = roots.enter_command(root, ["/usr/bin/baton", "serve", "--config", "/etc/baton/serve.yaml"], user=ACCOUNT, binds=binds, read_only=True, network=True)
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}) as child:
        try:
            found = wait_line(child, r"console (http://[0-9.:]+)/#token=(bt_[A-Za-z0-9_-]+)\n")
            if call(f"{found[1]}/healthz", found[2]) != 200 or call(f"{found[1]}/v1/handoffs", found[2], document) != 201:
                raise Failure("the server in the image took no handoff")
            stop(child)
        finally:
            child.kill()  # which also kills the server


def run_all(path, version, work):
    """Failure names what does not work."""
    root = unpack(path, version, work)
    program = "/usr/bin/baton"
    expect_exit(root, [program, "version"], 0, f"baton {version}")
    expect_exit(root, [program, "serve", "--config", "/etc/baton/serve.yaml"], 2, "/etc/baton/serve.yaml")
    settings, store, documents = work / "settings", work / "store", work / "documents"
    for folder in (settings, store, documents):
        folder.mkdir()
    os.chmod(store, 0o700)
    os.chown(store, ACCOUNT, ACCOUNT)
    (settings / "serve.yaml").write_text("store: sqlite:/var/lib/baton/store.db\nlisten: [\"127.0.0.1:0\"]\n")
    binds = {settings: "/etc/baton", store: "/var/lib/baton"}
    mounted = {"binds": binds}
    made = expect_exit(root, [program, "new", "universal", "--source", "planner", "--target", "builder", "--summary", "Build it.", "--stdout"], 0, "handoff", **mounted)
    document = made[made.index("{"):]
    (store / "handoff.json").write_text(document)
    os.chmod(store / "handoff.json", 0o644)
    expect_exit(root, [program, "check", "/var/lib/baton/handoff.json"], 0, "", **mounted)
    expect_exit(root, [program, "ledger", "init", "--origin", "image.example/test", "--store", "sqlite:/var/lib/baton/store.db"], 0, "", env={"XDG_STATE_HOME": "/tmp"}, **mounted)
    serve(root, binds, json.loads(document))
    told = expect_exit(root, [program, "store", "info", "--store", "postgresql://127.0.0.1:9/none"], 2, "", **mounted)
    if "libpq" in told:
        raise Failure(f"libpq cannot be loaded in the image: {told}")

