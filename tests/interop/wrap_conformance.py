# SPDX-License-Identifier: Apache-2.0
"""wrap_conformance.py BATON PEERS - the official conformance suite of the Model Context Protocol against `baton serve`, alone and behind /wrap/{name}/mcp.

Every scenario must end behind the proxy as it ends without it, in both eras. When the policy refuses requests for sampling, their scenario must
fail: a comparison that never differs proves nothing."""
import json
import os
import sys
import tempfile

from conformance import SETS, Server, suite

CONTROL = "tools-call-sampling"


def wrapping(baton, folder, url, sampling):
    """A server that wraps the one at a URL. Each scenario opens legacy sessions of its own, which nothing ends before they are idle."""
    path = os.path.join(folder, "baton.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"wrap": {"from_server": {"sampling": sampling}, "servers": {"s": {"url": url, "serve": True, "processes": 1000, "idle": "20s"}}}}, file)
    return Server(baton, "--config", path, path="/wrap/s/mcp")


def main():
    baton, peers = sys.argv[1:]
    bad = 0
    with tempfile.TemporaryDirectory(prefix="baton-wrap-") as folder, Server(baton, "--conformance-fixtures") as alone:
        with wrapping(baton, folder, alone.url, "pass") as wrapped:
            for revision in SETS:
                direct, behind = (suite(peers, url, "--requirements", revision)[1] for url in (alone.url, wrapped.url))
                print(f"{revision}: {sum(direct.values())} of {len(direct)} scenarios pass alone, {sum(behind.values())} of {len(behind)} behind the proxy")
                different = sorted(name for name in direct.keys() | behind.keys() if direct.get(name) != behind.get(name))
                for name in different:
                    print(f"  not ok {name}: {direct.get(name)} alone, {behind.get(name)} behind the proxy")
                bad += len(different) + (not direct)
        with wrapping(baton, folder, alone.url, "refuse") as refusing:
            code = suite(peers, refusing.url, "--scenario", CONTROL, "--spec-version", "2025-11-25")[0]
            print(f"control, sampling refused: {'fails, as it must' if code else 'passes, which it must not'}")
            bad += code == 0
    print("the same score" if bad == 0 else f"{bad} differences")
    return 1 if bad else 0


sys.exit(main())
