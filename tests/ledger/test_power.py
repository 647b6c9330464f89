# SPDX-License-Identifier: Apache-2.0
"""test_power.py BATON APPEND_TOOL NO_SYNC - the power fails under writers, and nothing that they acknowledged is lost.

The disk is an ext4 image on a loop device, in a mount namespace of its own. A power cut is a copy of the image
while the writers are stopped: what the file system had not yet written to its disk is not in it. The copy is
mounted, which replays its journal, judged, and is the disk of the next round. BATON_POWER_CUTS in the environment asks
for more than 50. The negative control preloads NO_SYNC, so that the writers' syncs do nothing."""
import os
import pathlib
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from ledger_tools import ORIGIN, do, told, verify
from program import claim_if, equal, finish

INSIDE = "BATON_POWER_INSIDE"
TOOL = str(pathlib.Path(sys.argv[2]).resolve())
NO_SYNC = str(pathlib.Path(sys.argv[3]).resolve())
CUTS = int(os.environ.get("BATON_POWER_CUTS", "50"))
ROUNDS_PER_DISK = 10
CONTROL_CUTS = 5
WRITERS = 3
WAITS_MAX = 1000
IMAGE_BYTES = 32 << 20
rng = random.Random(int(os.environ.get("BATON_SEED", "1")))


def place():
    """Where images lie: memory is faster, and as good a disk as any for a machine that does not really fail."""
    memory = pathlib.Path("/dev/shm")
    enough = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 8 * IMAGE_BYTES
    return tempfile.TemporaryDirectory(prefix="baton-power-", dir=memory if enough else None)


def quietly(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, check=False).returncode == 0


class Disk:
    """An image and the folder that it is mounted on."""

    def __init__(self, folder, name):
        self.image = folder / f"{name}.img"
        self.mount_point = folder / name
        self.mount_point.mkdir()
        self.store = self.mount_point / "store.db"

    def make(self):
        with open(self.image, "wb") as file:
            file.truncate(IMAGE_BYTES)
        return quietly("mkfs.ext4", "-q", "-F", self.image)

    def mount(self):
        return quietly("mount", "-o", "loop", self.image, self.mount_point)

    def unmount(self):
        for _ in range(50):
            if quietly("umount", self.mount_point):
                return
            time.sleep(0.02)
        raise AssertionError(f"{self.mount_point} stays busy")

    def writes(self):
        """How often the device was written to, and what is on its way."""
        for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
            device, point = line.split()[:2]
            if point == str(self.mount_point):
                numbers = pathlib.Path("/sys/block", pathlib.Path(device).name, "stat").read_text().split()
                return numbers[4], numbers[8]
        raise AssertionError("not mounted")

    def snapshot(self, other):
        """The disk as it is at one moment: a copy during which nothing was written."""
        for _ in range(100):
            before = self.writes()
            shutil.copyfile(self.image, other.image)
            if before == self.writes() and before[1] == "0":
                return
            time.sleep(0.005)
        raise AssertionError("the disk does not come to rest")


def reason_not_to():
    """Why this machine cannot do it, or nothing."""
    if os.geteuid() != 0:
        return "power cuts need root, for a loop device"
    for program in ("mkfs.ext4", "mount", "umount", "unshare"):
        if not shutil.which(program):
            return f"power cuts need {program}"
    if not os.environ.get(INSIDE):
        return None if quietly("unshare", "--mount", "true") else "no mount namespaces here"
    with place() as name:
        disk = Disk(pathlib.Path(name), "probe")
        if not disk.make() or not disk.mount():
            return "no loop devices here"
        disk.unmount()
    return None


why_not = reason_not_to()
able = why_not is None
claim = claim_if(able, why_not)


def read_lines(writers):
    """What the writers have said so far, without waiting; a line that is cut was not read by anybody."""
    for writer in writers:
        while select.select([writer.stdout], [], [], 0)[0]:
            chunk = os.read(writer.stdout.fileno(), 1 << 16)
            if not chunk:
                break
            writer.said += chunk
    return {line for writer in writers for line in writer.said.decode().split("\n")[:-1]}


def cut_power(disk, after, prefix, environment, least=0):
    """Let writers work, cut the power at a random moment, but not before `least` records are acknowledged; returns what they had
    acknowledged. The disk is then `after`."""
    writers = [subprocess.Popen([TOOL, str(disk.store), f"{prefix}-{number}"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env=environment) for number in range(WRITERS)]
    for writer in writers:
        writer.said = b""
    time.sleep(0.02 + rng.random() * 0.15)
    for _ in range(WAITS_MAX if least > 0 else 0):
        if len(read_lines(writers)) >= least:
            break
        time.sleep(0.02)
    for writer in writers:
        writer.send_signal(signal.SIGSTOP)
    acknowledged = read_lines(writers)
    disk.snapshot(after)
    for writer in writers:
        writer.kill()
        equal(writer.communicate()[1], b"")
    disk.unmount()
    equal(after.mount(), True)
    return acknowledged


def recorded(disk):
    database = sqlite3.connect(disk.store)
    ids = [row[0] for row in database.execute("SELECT handoff_id FROM ledger_entry ORDER BY seq")]
    used = {row[0] for row in database.execute("SELECT id FROM seen")}
    database.close()
    equal((len(ids), set(ids)), (len(set(ids)), used))
    return set(ids)


def judge(disk):
    """The ledger must stand as if nothing had happened."""
    equal(told(verify(disk.mount_point, "--store", str(disk.store), code=0)), [])
    equal(told(do(disk.mount_point, "store", "check", "--store", str(disk.store), "-f", "json")), [])


def fresh(disk):
    equal((disk.make(), disk.mount()), (True, True))
    do(disk.mount_point, "ledger", "init", "--origin", ORIGIN, "--seed", "1", "--store", str(disk.store))
    equal(quietly("sync", "-f", disk.mount_point), True)


def in_flight(acknowledged, prefix):
    """The only ids that may be there without an answer: the next one of each writer."""
    counts = [sum(word.startswith(f"{prefix}-{number}-") for word in acknowledged) for number in range(WRITERS)]
    return {f"{prefix}-{number}-{count}" for number, count in enumerate(counts)}


@claim
def a_power_cut_loses_nothing_that_was_acknowledged():
    answered, unanswered = 0, 0
    with place() as name:
        disk, other = Disk(pathlib.Path(name), "a"), Disk(pathlib.Path(name), "b")
        for cut in range(CUTS):
            if cut % ROUNDS_PER_DISK == 0:
                fresh(disk)
                known = set()
            acknowledged = cut_power(disk, other, f"c{cut}", dict(os.environ))
            disk, other = other, disk
            present = recorded(disk)
            equal(sorted((known | acknowledged) - present), [])
            more = present - known - acknowledged
            equal(sorted(more - in_flight(acknowledged, f"c{cut}")), [])
            judge(disk)
            known = present
            answered += len(acknowledged)
            unanswered += len(more)
            if cut % ROUNDS_PER_DISK == ROUNDS_PER_DISK - 1 or cut == CUTS - 1:
                disk.unmount()
    print(f"# {CUTS} power cuts, {answered} acknowledged, 0 lost; {unanswered} were there before their answer")
    equal(answered > CUTS, True)


@claim
def without_syncs_acknowledged_records_would_be_lost():
    lost, answered = 0, 0
    # A sanitizer wants to be loaded first, and does not need to be.
    without_syncs = {**os.environ, "LD_PRELOAD": NO_SYNC, "ASAN_OPTIONS": "verify_asan_link_order=0"}
    with place() as name:
        disk, other = Disk(pathlib.Path(name), "a"), Disk(pathlib.Path(name), "b")
        for cut in range(CONTROL_CUTS):
            fresh(disk)
            acknowledged = cut_power(disk, other, f"c{cut}", without_syncs, least=1)
            try:
                lost += len(acknowledged - recorded(other))
            except sqlite3.DatabaseError:
                lost += len(acknowledged)
            answered += len(acknowledged)
            other.unmount()
    print(f"# {CONTROL_CUTS} power cuts without syncs, {answered} acknowledged, {lost} lost")
    equal(lost > 0, True)


def main():
    if able and not os.environ.get(INSIDE):
        # A namespace of its own: whatever is mounted goes away with this process.
        words = ["unshare", "--mount", "--propagation", "private", sys.executable, "-B", *sys.argv]
        return subprocess.run(words, env={**os.environ, INSIDE: "1"}, check=False).returncode
    return finish()


sys.exit(main())
