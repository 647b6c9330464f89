# SPDX-License-Identifier: Apache-2.0
"""roots.py - system roots: made with mmdebstrap, entered with unshare and chroot, removed afterwards.

Only root can change roots; a process in one sees its own mounts and processes, and nothing of the machine but what is bound into it.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess

from run import Failure

# Name, suite, and whether a release goes on without it.
SYSTEMS = {"debian-12": ("bookworm", False), "debian-13": ("trixie", False), "ubuntu-22.04": ("jammy", True), "ubuntu-24.04": ("noble", True)}
# Ubuntu's keys come from a package of Debian 13, whose archive apt of Debian 12 can verify.
UBUNTU_KEYS = ("ubuntu-keyring", "debian-13", "usr/share/keyrings/ubuntu-archive-keyring.gpg")


class NoRoot(Exception):
    """A root cannot be had: its mirror does not answer, or lacks something."""


MAKE_TIMEOUT_S, RUN_TIMEOUT_S = 1800, 900
DEVICES = ("null", "zero", "full", "random", "urandom")

# $1 is the root, $2 whether it is read-only, then pairs of a folder outside and one inside, "--", and the command.
ENTER = """set -e
root=$1 kind=$2
shift 2
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t tmpfs -o mode=755 none "$root/dev"
for device in DEVICES; do
    : >"$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t proc none "$root/proc"
mount -t tmpfs -o mode=1777 none "$root/tmp"
while [ "$1" != -- ]; do
    mount --bind "$1" "$root$2"
    shift 2
done
shift
[ "$kind" != read-only ] || mount -o remount,bind,ro "$root"
exec chroot "$@"
""".replace("DEVICES", " ".join(DEVICES))


def enter_command(root, command, user=0, binds=None, read_only=False, network=False):
    """The words that run a command in a root."""
    pairs = [word for outside, inside in (binds or {}).items() for word in (str(outside), inside)]
    apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--ipc", *([] if network else ["--net"])]
    return [*apart, "sh", "-c", ENTER, "enter", str(root), "read-only" if read_only else "writable", *pairs, "--", f"--userspec={user}:{user}", str(root), *map(str, command)]


def run(root, command, env=None, **how):
    """Exit code and output of a command in a root."""
    done = subprocess.run(enter_command(root, command, **how), env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8", **(env or {})},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=RUN_TIMEOUT_S, check=False)
    return done.returncode, done.stdout + done.stderr


def expect(root, command, **how):
    """The output of a command that must end with 0."""
    code, told = run(root, command, **how)
    if code != 0:
        raise Failure(f"in {pathlib.Path(root).name}: {' '.join(map(str, command))[:300]}: exit {code}\n{told[-3000:]}")
    return told


def sources(system):
    """Lines for apt: RELEASE_MIRROR_SUITE of the environment, else what mmdebstrap knows."""
    suite, _ = SYSTEMS[system]
    given = os.environ.get(f"RELEASE_MIRROR_{suite.upper()}")
    return [given] if given else []


def bootstrap(words, log, what):
    """Run mmdebstrap; NoRoot when it fails."""
    with open(log, "wb") as out:
        done = subprocess.run(["mmdebstrap", "--mode=root", *map(str, words)], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, timeout=MAKE_TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise NoRoot(f"no {what}: {last_error(log)}")


def ubuntu_options(work):
    """The options that only a root of Ubuntu needs."""
    package, system, path = UBUNTU_KEYS
    folder = work / package
    if not folder.is_dir():
        bootstrap(["--variant=extract", f"--include={package}", SYSTEMS[system][0], folder, *sources(system)], work / f"{package}.log", f"keys of Ubuntu from {system}")
    return ["--components=main,universe", f"--keyring={folder / path}"]


@contextlib.contextmanager
def made(system, work):
    """A new root of a system with its required packages and apt, which Ubuntu does not require; NoRoot when it cannot be had."""
    suite, _ = SYSTEMS[system]
    root = work / f"root-{system}"
    log = work / f"root-{system}.log"
    options = ["--include=apt"]
    try:
        if system.startswith("ubuntu"):
            options += ubuntu_options(work)
        bootstrap(["--variant=minbase", *options, suite, root, *sources(system)], log, f"root of {system}")
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)


def last_error(log):
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("E:")]
    return (lines or ["mmdebstrap failed"])[0][:300]


def listing(root):
    """Every path below a root but those of processes and devices, for a comparison before and after."""
    left_out = {"proc", "sys", "dev", "tmp", "run"}
    found = set()
    for top, folders, files in os.walk(root):
        place = os.path.relpath(top, root)
        if place == ".":
            folders[:] = [name for name in folders if name not in left_out]
        found.update(os.path.normpath(os.path.join(place, name)) for name in files + folders)
    return found
