# SPDX-License-Identifier: Apache-2.0
"""test_split.py BATON NO_LOCK [-timed] - two servers in two network namespaces, joined by one link, cosign each other's logs, and one of them signs two
histories. With -timed the other must have evidence and an alarm within `cosign_every` (BATON_COSIGN_S, default 1) and 5 seconds, and the histories are
brought before a witness more often. The negative control preloads NO_LOCK, so that the witness's lock does nothing."""
import concurrent.futures
import contextlib
import hashlib
import http.client
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import isolated  # noqa: E402
from parties import RESTORED, WHOLE, Party, Place, has_cosigned  # noqa: E402
from program import claim_if, equal, finish, until  # noqa: E402

NO_LOCK = str(pathlib.Path(sys.argv[2]).resolve())
TIMED = "-timed" in sys.argv[3:]
COSIGN_S = int(os.environ.get("BATON_COSIGN_S", "1"))
SPARE_S = 5
PAIRS = 200 if TIMED else 20
CONTROL_PAIRS_MAX = 2000
NEAR, FAR = "10.83.0.1", "10.83.0.2"


class Link:
    """A second namespace, and a link between it and ours. What is started with `words` runs there."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "600"])
        self.words = ("nsenter", f"--net=/proc/{self.holder.pid}/ns/net", "--")
        own = os.readlink("/proc/self/ns/net")
        until(lambda: os.readlink(f"/proc/{self.holder.pid}/ns/net") != own or self.holder.poll() is not None, "the namespace")
        self.do("ip", "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", str(self.holder.pid))
        for words, name, address in (((), "near", NEAR), (self.words, "far", FAR)):
            self.do(*words, "ip", "address", "add", f"{address}/30", "dev", name)
            self.do(*words, "ip", "link", "set", name, "up")
            self.do(*words, "ip", "link", "set", "lo", "up")

    def do(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 0:
            self.close()
            raise OSError(f"{words}: {done.stderr.strip()}")

    def close(self):
        self.holder.kill()
        self.holder.wait()


def make_link():
    """A link, or why there is none."""
    if not all(map(shutil.which, ("ip", "unshare", "nsenter"))):
        return None, "no ip of iproute2 here"
    try:
        return (Link(), "") if isolated.enter_namespace() else (None, "no network namespace can be made here")
    except OSError as why:
        return None, f"no link can be made here: {why}"


link, reason = make_link()
claim = claim_if(link is not None, reason)


class Linked(Place):
    """The two companies at the two ends of the link."""

    def make(self):
        return Party(self.top, "acme", NEAR), Party(self.top, "bolt", FAR, link.words)


@claim
def two_histories_are_found_at_the_other_end_of_a_link():
    with Linked() as place:
        acme, bolt = place.acme, place.bolt
        acme.append("one\n")
        acme.save()
        acme.append("two\n")
        acme.start(bolt.peer(), cosign_every=f"{COSIGN_S}s")
        bolt.start(acme.peer(), cosign_every=f"{COSIGN_S}s")
        until(has_cosigned(acme, bolt, 2), "a cosignature")
        equal((bolt.evidence(acme), bolt.ready().json()), ([], {"status": "ready"}))
        acme.stop()
        acme.sign_another_history()
        acme.start(bolt.peer(monitor=f"http://{NEAR}:{acme.port}/nowhere/"), cosign_every=f"{COSIGN_S}s")
        began = time.monotonic()
        until(lambda: bolt.ready().json().get("peers") == "alarm" and bolt.evidence(acme), "evidence and alarm")
        took = time.monotonic() - began
        print(f"# evidence and alarm after {took:.1f} s; cosign_every is {COSIGN_S} s")
        equal((len(bolt.evidence(acme)), bolt.ready().status), (1, 200))
        equal(TIMED and took > COSIGN_S + SPARE_S, False)


# ---- What finds a restored store ----

def watch(acme, memory, code):
    words = ("ledger", "watch", "--store", "s.db", "--vkey", acme.vkey, "--memory", memory, "--once", "-f", "json")
    return acme.run(*words, code=code).stdout


@claim
def a_restored_store_is_found_by_verify_serve_and_watch():
    with Linked() as place:
        acme, bolt = place.acme, place.bolt
        acme.append("one\n")
        acme.save()
        acme.append("two\n", "three\n")
        place.start()
        until(has_cosigned(acme, bolt, 3), "a cosignature")
        acme.stop()
        equal(b'"first"' in watch(acme, "m", 0), True)
        acme.run("ledger", "verify", "--store", "s.db", "--vkey", acme.vkey)
        for names, pointer in RESTORED:
            acme.restore(*names)
            is_seen = names != WHOLE  # by what lies on this machine
            said = acme.run("ledger", "verify", "--store", "s.db", "--vkey", acme.vkey, "-f", "json", code=1 if is_seen else 0).stdout
            equal((names, b"LEDGER_ROLLBACK" in said, pointer.encode() in said), (names, is_seen, is_seen))
            acme.is_refused(bolt, pointer)
            equal(b'"rollback"' in watch(acme, "m", 1), True)
        equal(b'"first"' in watch(acme, "other", 0), True)  # the negative control: one that remembers nothing
        acme.start()
        equal(acme.size(), 1)


# ---- Two histories at once ----

def request_of(acme):
    """What asks a witness for a cosignature, from nothing."""
    return acme.run("ledger", "prove", "consistency", "0", "--store", "s.db").stdout


def cosigned(address, port, request):
    connection = http.client.HTTPConnection(address, port, timeout=60)
    connection.request("POST", "/witness/add-checkpoint", request)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status == 200 and body.startswith("—".encode())


@contextlib.contextmanager
def two_nodes(bolt):
    """Two servers of bolt on one witness folder."""
    bolt.configure()
    nodes = []
    try:
        for _ in range(2):
            nodes.append(bolt.serve("--no-store", "--witness", "w"))
        yield nodes
    finally:
        for node in nodes:
            node.stop()


def bring_pairs(nodes, bolt, acme, requests, count):
    """For each time that both histories are brought at once, how many were cosigned; ends at the first time that both were."""
    known = bolt.folder / "w/logs" / hashlib.sha256(acme.origin.encode()).hexdigest()
    fresh = bolt.folder / "fresh"
    shutil.copytree(known, fresh, dirs_exist_ok=True)
    results = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in range(count):
            shutil.rmtree(known)
            shutil.copytree(fresh, known)
            results.append(sum(pool.map(lambda pair: cosigned(FAR, pair[0].port, pair[1]), zip(nodes, requests))))
            if results[-1] == 2:
                break
    return results


def bring_two_histories(count, **env):
    with Linked() as place:
        acme, bolt = place.acme, place.bolt
        requests = []
        acme.save()
        for content in ("one\n", "another one\n"):
            acme.append(content)
            requests.append(request_of(acme))
            acme.restore(*WHOLE)
        bolt.run("ledger", "witness", "trust", "w", acme.vkey)
        bolt.more_env = env
        with two_nodes(bolt) as nodes:
            return bring_pairs(nodes, bolt, acme, requests, count)


@claim
def two_nodes_of_a_witness_never_cosign_both():
    results = bring_two_histories(PAIRS)
    print(f"# {len(results)} pairs, {sum(results)} cosigned")
    equal((len(results), set(results)), (PAIRS, {1}))


@claim
def without_its_lock_they_would():
    # A sanitizer wants to be loaded first, and does not need to be.
    results = bring_two_histories(CONTROL_PAIRS_MAX, LD_PRELOAD=NO_LOCK, ASAN_OPTIONS="verify_asan_link_order=0")
    print(f"# both were cosigned at pair {len(results)}")
    equal(results[-1], 2)


code = finish()
if link:
    link.close()
sys.exit(code)
