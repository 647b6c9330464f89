# SPDX-License-Identifier: Apache-2.0
"""Tries every probe of test_escape.c on another kernel than this machine's, in an emulator.

usage: test_kernel.py KERNEL-IMAGE BATON TEST-PROGRAM SHARED-OBJECT...

The machine is made of an initial file system with the programs and their libraries, and a console that shows
what the test prints. The test needs the files at the paths that it was built with.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS_MAX = 1200

INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mkdir -p /dev/shm /dev/pts
/bin/busybox mount -t tmpfs shm /dev/shm
/bin/busybox mount -t devpts pts /dev/pts
/bin/busybox mount -t tmpfs tmp /tmp
/bin/busybox ip link set lo up
export PATH=/usr/bin:/bin
echo "kernel: $(/bin/busybox uname -r)"
cd /tmp
TEST < /dev/null 2>&1
echo "exit code: $?"
/bin/busybox poweroff -f
"""


def copy_file(root, path):
    """Copy a file to the same path below `root`."""
    target = root / str(path).lstrip("/")
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(path, target)


def copy_program(root, path):
    """Copy a program, or a shared object, with the libraries that it loads."""
    copy_file(root, path)
    listed = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False).stdout
    for library in re.findall(r"(/\S+) \(0x", listed):
        copy_file(root, library)


def copy_python(root):
    """Copy the interpreter and its standard library."""
    found = subprocess.run(["/usr/bin/python3", "-I", "-c", "import os, sys; print(os.path.realpath(sys.executable)); print(os.__file__)"],
                           capture_output=True, text=True, check=True).stdout.split()
    program, library = pathlib.Path(found[0]), pathlib.Path(found[1]).parent
    copy_program(root, program)
    (root / "usr/bin/python3").symlink_to(program)
    target = root / str(library).lstrip("/")
    shutil.copytree(library, target, dirs_exist_ok=True, symlinks=True,
                    ignore=shutil.ignore_patterns("test", "ensurepip", "idlelib", "tkinter", "config-*", "lib2to3"))
    for extension in (target / "lib-dynload").glob("*.so"):
        copy_program(root, library / "lib-dynload" / extension.name)


def make_file_system(root, test, programs):
    """Fill `root` with what the test needs, and an /init that runs it."""
    for name in ("proc", "sys", "dev", "tmp", "etc", "bin", "usr/bin", "root"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for program in [test, *programs]:
        copy_program(root, program)
    copy_program(root, pathlib.Path("/bin/true"))
    copy_program(root, pathlib.Path("/usr/bin/env"))
    copy_file(root, pathlib.Path("/bin/busybox"))
    handlers = pathlib.Path(__file__).resolve().parent / "handlers"
    for handler in handlers.iterdir():
        copy_file(root, handler)
    copy_python(root)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/shadow").write_text("root:*:1::::::\n")
    (root / "init").write_text(INIT.replace("TEST", str(test)))
    (root / "init").chmod(0o755)


def pack(root, out):
    """Write `root` as an initial file system of the kernel."""
    names = subprocess.run(["find", ".", "-print0"], cwd=root, capture_output=True, check=True).stdout
    with open(out, "wb") as file:
        subprocess.run(["cpio", "--null", "--quiet", "-o", "-H", "newc", "-R", "0:0"], cwd=root, input=names, stdout=file, check=True)


def run(kernel, archive):
    """Start the machine and return what its console showed."""
    command = ["qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-m", "2048", "-smp", "2", "-nographic", "-no-reboot", "-net", "none",
               "-kernel", kernel, "-initrd", archive, "-append", "console=ttyS0 quiet panic=-1"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_MAX, check=False)
    return done.stdout.decode(errors="replace").replace("\r", "")


def main():
    kernel, baton, test, *shared = [str(pathlib.Path(name).resolve()) for name in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        root.mkdir()
        make_file_system(root, pathlib.Path(test), [pathlib.Path(name) for name in (baton, *shared)])
        archive = os.path.join(folder, "initial.cpio")
        pack(root, archive)
        shown = run(kernel, archive)
    print(shown)
    versions = re.findall(r"# Landlock (\d+): (\d+) probes, (\d+) escapes", shown)
    good = "exit code: 0" in shown and versions and all(escapes == "0" for _, _, escapes in versions)
    release = re.search(r"kernel: (\S+)", shown)
    print("kernel", release.group(1) if release else "did not start", "- Landlock up to", versions[-1][0] if versions else "none",
          "-", "no escapes" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
